/* logistic.c -- P(y = 1) = 1/(1 + exp(-scale <u, x>)), else y = -1; then y is flipped with probability `noise`.
 * Features and margin as in draws.h. Before the flip y <u, x> < 0 has probability at most exp(-scale margin): where
 * that is next to nothing, records are separable but for the flips. */
#include "core/numeric/math.h"
#include "core/data/generators/draws.h"

enum { SCALE = SP_AFTER_DESIGN, NOISE };

static const sp_param params[] = {
    SP_DESIGN_PARAMS,
    [SCALE] = { "scale", SP_REAL, 10.0, { 0.0, 1e6 }, "steepness of the label probability" },
    [NOISE] = { "noise", SP_REAL, 0.0, { 0.0, 0.5 }, "probability that a label is flipped" },
    { 0 },
};

static void record(const sp_values *v, size_t d, const double *u, gsl_rng *stream, double *restrict x, double *y)
{
    sp_design_draw(v, d, u, stream, x);
    if (!y)
        return;
    const double noise = sp_real(v, NOISE), plus = sp_sigmoid(sp_real(v, SCALE) * sp_inner(d, u, x));
    *y = gsl_rng_uniform(stream) < noise + (1.0 - 2.0 * noise) * plus ? 1.0 : -1.0;
}

const sp_generator sp_generator_logistic = {
    .name = "logistic", .summary = "on the unit sphere or Gaussian; labels -1 and +1 from a logistic model",
    .params = params, .radius = sp_design_radius, .label_bound = sp_generator_one, .labels = true, .binary = true,
    .fits = sp_design_fits, .truth = sp_design_truth, .draw_truth = sp_design_draw_truth, .record = record,
    .mean = sp_generator_centred,
};
