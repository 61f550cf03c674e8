/* generator_beyond.c -- a generator with one record in 16 beyond the norm that it declares.
 * Caught by: conformance, records */
#include "core/plugin/plugin.h"

static double one(const sp_values *v, size_t d)
{
    (void)v, (void)d;
    return 1.0;
}

static void record(const sp_values *v, size_t d, const double *truth, sp_rng *stream, double *restrict x, double *y)
{
    (void)v, (void)truth;
    const double size = sp_rng_below(stream, 16) ? 1.0 : 1.5;
    for (size_t j = 0; j < d; j++)
        x[j] = (sp_rng_below(stream, 2) ? size : -size) / sqrt((double)d) * (1.0 - 1e-15);
    if (y)
        *y = 1.0;
}

static const sp_generator cheat = { .name = "generator_beyond", .summary = "a cheat", .radius = one, .label_bound = one,
                                    .labels = true, .binary = true, .record = record };
static const sp_generator *const generators[] = { &cheat, NULL };
SP_PLUGIN(.generators = generators)
