/* phase.c -- phase retrieval: y = <x, w*>^2 + noise z, z ~ N(0, 1) given |z| <= 3, w* = norm u. Features and margin as
 * in draws.h. Never "realisable": y is a function of <w*, x>, but not that value, and -w* explains it as well. */
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
    const double most = sp_real(v, NORM) * sp_design_radius(v, d);
    return most * most + SP_NOISE_CUT * sp_real(v, NOISE);
}

static void record(const sp_values *v, size_t d, const double *u, gsl_rng *stream, double *restrict x, double *y)
{
    sp_design_draw(v, d, u, stream, x);
    if (!y)
        return;
    const double m = sp_real(v, NORM) * sp_inner(d, u, x);
    *y = m * m + sp_draw_noise(stream, sp_real(v, NOISE));
}

const sp_generator sp_generator_phase = {
    .name = "phase", .summary = "on the unit sphere or Gaussian; labels <w*, x>^2 + noise", .params = params,
    .radius = sp_design_radius, .label_bound = label_bound, .labels = true, .fits = sp_design_fits,
    .truth = sp_design_truth, .draw_truth = sp_design_draw_truth, .record = record, .mean = sp_generator_centred,
};
