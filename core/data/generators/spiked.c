/* spiked.c -- spiked covariance: x ~ N(0, (I + spike v v') / (d + spike)), v a uniform unit vector, so that
 * E ||x||^2 = 1; longer records are shortened to `radius`, which leaves v the leading eigenvector. v is the truth. */
#include "core/data/generators/draws.h"

#include <gsl/gsl_randist.h>
#include <math.h>

enum { SPIKE, RADIUS };

static const sp_param params[] = {
    [SPIKE] = { "spike", SP_REAL, 10.0, { 0.0, 1e6 }, "variance along v above the others' variance, over the latter" },
    [RADIUS] = { "radius", SP_REAL, 2.0, { 1e-6, 1e6 }, "longer records are shortened to it" },
    { 0 },
};

static double radius(const sp_values *v, size_t d)
{
    (void)d;
    return sp_real(v, RADIUS);
}

static size_t truth_size(const sp_values *v, size_t d)
{
    (void)v;
    return d;
}

static void draw_truth(const sp_values *v, size_t d, gsl_rng *stream, double *truth)
{
    (void)v;
    sp_draw_direction(stream, d, 1.0, truth);
}

static void record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    (void)y;
    const double spike = sp_real(v, SPIKE), unit = 1.0 / sqrt((double)d + spike);
    sp_draw_gaussian(stream, d, unit, x);
    const double along = gsl_ran_gaussian_ziggurat(stream, unit * sqrt(spike));
    for (size_t j = 0; j < d; j++)
        x[j] += along * truth[j];
    sp_shorten(d, sp_real(v, RADIUS), x);
}

const sp_generator sp_generator_spiked = {
    .name = "spiked", .summary = "Gaussian, one direction with more variance, norms cut; no labels", .params = params,
    .radius = radius, .label_bound = sp_generator_zero, .truth = truth_size, .draw_truth = draw_truth, .record = record,
    .mean = sp_generator_centred,
};
