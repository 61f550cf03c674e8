/* generator_beyond.c -- a generator with one record in 16 beyond the norm that it declares.
 * Caught by: conformance, records */
#include "core/data/generator.h"

static double one(const sp_values *v, size_t d)
{
    (void)v, (void)d;
    return 1.0;
}

static void record(const sp_values *v, size_t d, const double *truth, sp_rng *stream, double *restrict x, double *y)
{
    (void)v, (void)truth;
    const double size = gsl_rng_uniform_int(stream, 16) ? 1.0 : 1.5;
    for (size_t j = 0; j < d; j++)
        x[j] = (gsl_rng_uniform_int(stream, 2) ? size : -size) / sqrt((double)d) * (1.0 - 1e-15);
    if (y)
        *y = 1.0;
}

const sp_generator sp_generator_generator_beyond = {
    .name = "generator_beyond", .summary = "a cheat", .radius = one, .label_bound = one, .labels = true, .binary = true,
    .record = record,
};
