/* noise.c -- releases on steps of the noise stream; Gumbel and Laplace by inversion, of u in (0, 1) and (0, 1]. */
#include "core/oracle/noise.h"

#include "core/base/math.h"
#include "core/base/normal.h"

#include <gsl/gsl_math.h>
#include <string.h>

enum { BUFFER = 128 };

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
