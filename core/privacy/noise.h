/* noise.h -- every draw of privacy noise. Included inside core/privacy/ only. */
#ifndef SP_PRIVACY_NOISE_H
#define SP_PRIVACY_NOISE_H

#include <gsl/gsl_rng.h>
#include <stddef.h>

/* v[i] += noise_std * N(0, 1), i < count: Box-Muller on 53-bit uniforms. noise_std = 0 draws as many
 * numbers, so that a release with sensitivity 0 does not move the stream of the next ones. */
void sp_noise_gaussian(gsl_rng *noise, double noise_std, size_t count, double *v);
/* H += symmetric Gaussian: N(0, noise_std^2) on the diagonal, N(0, noise_std^2 / 2) off it, so that the noise has
 * deviation noise_std in every direction of the Frobenius norm. H is d x d, full. */
void sp_noise_symmetric(gsl_rng *noise, double noise_std, size_t d, double *H);
/* Standard Gumbel, P(g <= x) = exp(-exp(-x)), and standard Laplace, density exp(-|x|) / 2: for choices. */
double sp_noise_gumbel(gsl_rng *selection);
double sp_noise_laplace(gsl_rng *selection);

#endif
