/* generator_with_memory.c -- a generator that adds the record before to each: record i depends on which were asked for.
 * Caught by: conformance, same streams, same records */
#include "core/data/generator.h"

static double one(const sp_values *v, size_t d)
{
    (void)v, (void)d;
    return 1.0;
}

static void record(const sp_values *v, size_t d, const double *truth, sp_rng *stream, double *restrict x, double *y)
{
    static double before;
    (void)v, (void)truth;
    for (size_t j = 0; j < d; j++)
        x[j] = (2.0 * gsl_rng_uniform(stream) - 1.0) / (2.0 * sqrt((double)d)) + before / (2.0 * sqrt((double)d));
    before = 0.5 * x[0];
    if (y)
        *y = gsl_rng_uniform_int(stream, 2) ? 1.0 : -1.0;
}

const sp_generator sp_generator_generator_with_memory = {
    .name = "generator_with_memory", .summary = "a cheat", .radius = one, .label_bound = one, .labels = true,
    .binary = true, .record = record,
};
