/* noise.c -- Gaussian noise by Box & Muller 1958: for independent u1 in (0, 1] and u2 in [0, 1),
 * sqrt(-2 ln u1) (cos, sin)(2 pi u2) are two independent standard normals. On 53 bits they reach 8.57 deviations.
 *
 * The order of draws is part of the contract: one pair after the other, cosine first; an odd last sine is dropped. */
#include "core/privacy/noise.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdbool.h>

typedef struct normals {
    gsl_rng *stream;
    double sine;
    bool half; /* the sine of the last pair is still to be given */
} normals;

/* Uniform on (0, 1]. */
static double positive(gsl_rng *stream)
{
    return gsl_rng_uniform(stream) + 0x1p-53;
}

static double next(normals *s)
{
    s->half = !s->half;
    if (!s->half)
        return s->sine;
    const double u1 = positive(s->stream), u2 = gsl_rng_uniform(s->stream);
    const double length = sqrt(-2.0 * log(u1)), angle = 2.0 * M_PI * u2;
    s->sine = length * sin(angle);
    return length * cos(angle);
}

void sp_noise_gaussian(gsl_rng *noise, double noise_std, size_t count, double *v)
{
    normals source = { .stream = noise };
    for (size_t i = 0; i < count; i++)
        v[i] += noise_std * next(&source);
}

void sp_noise_symmetric(gsl_rng *noise, double noise_std, size_t d, double *H)
{
    normals source = { .stream = noise };
    for (size_t i = 0; i < d; i++) {
        H[i * d + i] += noise_std * next(&source);
        for (size_t j = i + 1; j < d; j++) {
            const double z = noise_std * M_SQRT1_2 * next(&source);
            H[i * d + j] += z;
            H[j * d + i] += z;
        }
    }
}

double sp_noise_gumbel(gsl_rng *selection)
{
    return -log(-log(positive(selection) * (1.0 - 0x1p-53))); /* below 1, or the noise would be infinite */
}

double sp_noise_laplace(gsl_rng *selection)
{
    const double length = -log(positive(selection));
    return gsl_rng_uniform(selection) < 0.5 ? -length : length;
}
