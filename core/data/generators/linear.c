/* linear.c -- y = <w*, x> + noise z, z ~ N(0, 1) given |z| <= 3, w* = norm u; features and margin as in draws.h. */
#include "core/data/generators/draws.h"

enum { NORM = SP_AFTER_DESIGN, NOISE };

static const sp_param params[] = {
    SP_DESIGN_PARAMS,
    [NORM] = { "norm", SP_REAL, 1.0, { 0.0, 1e6 }, "||w*||" },
    [NOISE] = { "noise", SP_REAL, 0.0, { 0.0, 1e6 }, "deviation of the label noise before it is cut at 3 deviations" },
    { 0 },
};

static double label_bound(const sp_values *v, size_t d)
{
    return sp_real(v, NORM) * sp_design_radius(v, d) + SP_NOISE_CUT * sp_real(v, NOISE);
}

static bool realisable(const sp_values *v)
{
    return sp_real(v, NOISE) == 0.0;
}

static double truth_norm(const sp_values *v, size_t d)
{
    (void)d;
    return sp_real(v, NORM);
}

static void record(const sp_values *v, size_t d, const double *u, gsl_rng *stream, double *restrict x, double *y)
{
    sp_design_draw(v, d, u, stream, x);
    if (y)
        *y = sp_real(v, NORM) * sp_inner(d, u, x) + sp_draw_noise(stream, sp_real(v, NOISE));
}

const sp_generator sp_generator_linear = {
    .name = "linear", .summary = "on the unit sphere or Gaussian; labels <w*, x> + noise", .params = params,
    .radius = sp_design_radius, .label_bound = label_bound, .labels = true, .realisable = realisable,
    .truth_norm = truth_norm,
    .fits = sp_design_fits, .truth = sp_design_truth, .draw_truth = sp_design_draw_truth, .record = record,
    .mean = sp_generator_centred,
};
