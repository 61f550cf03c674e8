/* pairs.c -- x uniform on the unit sphere, and after each record its opposite: mean(x) = 0, exactly for an even n. */
#include "core/data/generators/draws.h"

static void record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    (void)v, (void)truth, (void)y;
    sp_draw_direction(stream, d, 1.0, x);
}

const sp_generator sp_generator_pairs = {
    .name = "pairs", .summary = "uniform on the unit sphere, each followed by its opposite; no labels",
    .radius = sp_generator_one, .label_bound = sp_generator_zero, .opposites = true, .record = record,
    .mean = sp_generator_centred,
};
