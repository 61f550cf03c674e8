/* noise.h -- all privacy noise is drawn here. Included inside this folder only.
 *
 * A release takes one step of the noise stream (core/numeric/stream.h) and moves the stream to the next. So its noise
 * depends on the stream and on the number of earlier releases, but not on how many numbers they took. A release with
 * noise_std = 0 takes a step and does nothing else. The numbers come from normal.h in its order, in pairs; if their
 * count is odd, the second number of the last pair is dropped. */
#ifndef SP_ORACLE_NOISE_H
#define SP_ORACLE_NOISE_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

/* v[i] += noise_std z_i, i < count. `noise` is a stream of stream.h. */
void sp_noise_gaussian(gsl_rng *noise, double noise_std, size_t count, double *v);
/* H += symmetric Gaussian: N(0, noise_std^2) on the diagonal, N(0, noise_std^2 / 2) off it, so that the noise has
 * deviation noise_std in every direction of the Frobenius norm. Mirrored: N(0, noise_std^2) off the diagonal, too, so
 * the deviation is at least noise_std in every direction. H is d x d, full; its upper triangle is drawn row by row. */
void sp_noise_symmetric(gsl_rng *noise, double noise_std, bool mirrored, size_t d, double *H);
/* Standard Gumbel, P(g <= x) = exp(-exp(-x)), and standard Laplace, density exp(-|x|) / 2: for choices. */
double sp_noise_gumbel(gsl_rng *selection);
double sp_noise_laplace(gsl_rng *selection);
/* u in [-pi, pi] of density ~ exp(concentration cos u), von Mises; 0 <= concentration <= 1e150. Takes equally many
 * numbers whatever the concentration, but with probability 2^-53. */
double sp_noise_von_mises(gsl_rng *selection, double concentration);
/* Gumbel about `location`, P(g <= x) = exp(-e^(location - x)), given that it is at most `bound` (INFINITY: no matter):
 * the largest of m standard Gumbel variables is one about log m. */
double sp_noise_gumbel_below(gsl_rng *selection, double location, double bound);

#endif
