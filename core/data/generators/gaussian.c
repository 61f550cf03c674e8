/* gaussian.c -- x ~ N(0, I/d), so that E ||x||^2 = 1; longer records are shortened to `radius`. With labels: linear and
 * logistic with design = "gaussian". */
#include "core/data/generators/draws.h"

#include <math.h>

enum { RADIUS };

static const sp_param params[] = {
    [RADIUS] = { "radius", SP_REAL, 2.0, { 1e-6, 1e6 }, "longer records are shortened to it" },
    { 0 },
};

static double radius(const sp_values *v, size_t d)
{
    (void)d;
    return sp_real(v, RADIUS);
}

static void record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    (void)truth, (void)y;
    sp_draw_gaussian(stream, d, 1.0 / sqrt((double)d), x);
    sp_shorten(d, sp_real(v, RADIUS), x);
}

const sp_generator sp_generator_gaussian = {
    .name = "gaussian", .summary = "N(0, I/d), norms cut; no labels", .params = params, .radius = radius,
    .label_bound = sp_generator_zero, .record = record, .mean = sp_generator_centred,
};
