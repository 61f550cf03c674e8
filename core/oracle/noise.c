/* noise.c -- draws privacy noise: Gaussian by normal.h, Gumbel and Laplace by inversion of a uniform u in (0, 1) and in
 * (0, 1], von Mises by rejection.
 *
 * Von Mises (Best & Fisher 1979), k the concentration. u = 2 atan(s C), with C standard Cauchy, has a density ~ 1 /
 * y(u) for
 *
 *   y = q + k (1 - cos u),  s^2 = q / (2 k + q),
 *
 * whatever q > 0 is. So u is accepted with probability y e^(1-y) <= 1, after which its density is ~ e^-y. Their q
 * maximises the acceptance probability: 1 at k = 0 and sqrt(e / (2 pi)) = 0.658 for large k. 1 - cos u = 2 t^2 / (1 +
 * t^2) with t = tan(u / 2) = s C, so nothing cancels, however concentrated the distribution is. The concentrations are
 * secret, so the time must not depend on them: the proposals after the first accepted one are made as well. */
#include "core/oracle/noise.h"

#include "core/numeric/math.h"
#include "core/numeric/normal.h"

#include <gsl/gsl_math.h>
#include <string.h>

enum { BUFFER = 128, PROPOSALS = 35 /* 0.342^35 = 2^-54 */ };

/* The numbers of one step, in order. */
typedef struct normals {
    sp_stream_key key;
    uint64_t step, pair;
    size_t left;
    double z[BUFFER];
} normals;

static double next(normals *s)
{
    if (s->left == 0) {
        memset(s->z, 0, sizeof s->z);
        sp_normal_add(s->key, s->step, s->pair, BUFFER, 1.0, s->z);
        s->pair += BUFFER / 2;
        s->left = BUFFER;
    }
    return s->z[BUFFER - s->left--];
}

void sp_noise_gaussian(gsl_rng *noise, double noise_std, size_t count, double *v)
{
    sp_stream_key key;
    const uint64_t step = sp_stream_step(noise, &key);
    if (noise_std != 0.0) /* NaN must show */
        sp_normal_add(key, step, 0, count, noise_std, v);
}

void sp_noise_symmetric(gsl_rng *noise, double noise_std, bool mirrored, size_t d, double *H)
{
    normals source = { .left = 0 };
    const double part = mirrored ? 1.0 : M_SQRT1_2;
    source.step = sp_stream_step(noise, &source.key);
    for (size_t i = 0; noise_std != 0.0 && i < d; i++) {
        H[i * d + i] += noise_std * next(&source);
        for (size_t j = i + 1; j < d; j++) {
            const double z = noise_std * part * next(&source);
            H[i * d + j] += z;
            H[j * d + i] += z;
        }
    }
}

/* Uniform on (0, 1]. */
static double positive(gsl_rng *stream)
{
    return gsl_rng_uniform(stream) + 0x1p-53;
}

static inline double gumbel(double u)
{
    return -sp_log(-sp_log(u));
}
SP_KERNEL_CALL(double, gumbel, (double u), (u))

double sp_noise_gumbel(gsl_rng *selection)
{
    return gumbel_call(positive(selection) * (1.0 - 0x1p-53)); /* below 1, or the noise would be infinite */
}

/* e^(location - g) - e^(location - bound) is a standard exponential variable. */
static inline double gumbel_below(double u, double location, double bound)
{
    return location - sp_log(sp_exp(location - bound) - sp_log(u));
}
SP_KERNEL_CALL(double, gumbel_below, (double u, double location, double bound), (u, location, bound))

double sp_noise_gumbel_below(gsl_rng *selection, double location, double bound)
{
    return gumbel_below_call(positive(selection) * (1.0 - 0x1p-53), location, bound); /* its logarithm is below 0 */
}

double sp_noise_laplace(gsl_rng *selection)
{
    const double length = -sp_log(positive(selection));
    return gsl_rng_uniform(selection) < 0.5 ? -length : length;
}

/* tan(u / 2), or NAN where u is not accepted */
static inline double proposal(double q, double k, double a, double b)
{
    const double angle = M_PI * (a - 0.5), t = sqrt(q / (2.0 * k + q)) * (sp_sin(angle) / sp_cos(angle));
    const double y = q + k * (2.0 * (t * t) / (1.0 + t * t));
    return b < y * sp_exp(1.0 - y) ? t : NAN;
}
SP_KERNEL_CALL(double, proposal, (double q, double k, double a, double b), (q, k, a, b))

double sp_noise_von_mises(gsl_rng *selection, double concentration)
{
    const double root = sqrt(1.0 + 4.0 * concentration * concentration);
    const double q = 1.0 / (1.0 + 2.0 * concentration / (1.0 + root));
    double t = NAN;
    for (size_t i = 0; i < PROPOSALS || isnan(t); i++) {
        const double a = gsl_rng_uniform(selection), b = gsl_rng_uniform(selection);
        const double next = proposal_call(q, concentration, a, b);
        t = isnan(t) ? next : t;
    }
    return 2.0 * sp_atan(t);
}
