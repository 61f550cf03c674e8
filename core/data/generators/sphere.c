/* sphere.c -- x uniform on the unit sphere: a Gaussian vector over its norm. */
#include "core/data/generators/draws.h"

static void record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    (void)v, (void)truth, (void)y;
    sp_draw_direction(stream, d, 1.0, x);
}

const sp_generator sp_generator_sphere = {
    .name = "sphere", .summary = "uniform on the unit sphere; no labels", .radius = sp_generator_one,
    .label_bound = sp_generator_zero, .record = record, .mean = sp_generator_centred,
};
