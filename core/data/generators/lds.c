/* lds.c -- trajectories of a stable linear dynamical system of order k, one input, one output, in companion form:
 *
 *   h_1 = 0,  h_{t+1} = A h_t + e_k u_t,  y_t = <c, h_t> + D u_t + noise e_t,  t = 1 .. T,
 *
 * A shifts h up and has the last row (-a_k, ..., -a_1), so that h_t = (s_{t-k+1}, ..., s_t) with s_{t+1} = u_t - sum_j
 * a_j s_{t+1-j}. A record is (u_1, ..., u_T, y_1, ..., y_T), d = 2T, and has no label. u is uniform on the unit sphere;
 * e ~ N(0, I/T) shortened to norm 3. The truth is (a_1, ..., a_k, c_1, ..., c_k, D), as in the loss
 * linear_dynamical_system: uniform directions a and (c, D), scaled to sum |a_j| = memory and
 * sum |c_i|/(1 - memory) + |D| = gain.
 *
 * Source  Hardt, Ma & Recht 2018. With q(z) = 1 + sum_j a_j / z^j, |q - 1| <= memory <= 0.7 < 1/sqrt(2) on |z| = 1: the
 *         system is stable and acquiescent, and ||y|| <= (sum |c_i| / min |q| + |D|) ||u|| <= gain before the noise. */
#include "core/numeric/math.h"
#include "core/data/generators/draws.h"

#include <gsl/gsl_cblas.h>

enum { ORDER, MEMORY, GAIN, NOISE };

static const sp_param params[] = {
    [ORDER] = { "order", SP_COUNT, 2, { 1, 64 }, "dimension k of the hidden state" },
    [MEMORY] = { "memory", SP_REAL, 0.5, { 0.0, 0.7 }, "sum |a_j|" },
    [GAIN] = { "gain", SP_REAL, 1.0, { 0.0, 1e3 }, "bound on ||y||/||u|| without noise" },
    [NOISE] = { "noise", SP_REAL, 0.0, { 0.0, 1e3 }, "norm of the output noise in root mean square; cut at 3 times" },
    { 0 },
};
enum { ORDER_MAX = 64 };

static double radius(const sp_values *v, size_t d)
{
    (void)d;
    return sp_hypot(1.0, sp_real(v, GAIN) + SP_NOISE_CUT * sp_real(v, NOISE));
}

static const char *fits(const sp_values *v, size_t d)
{
    if (d % 2 != 0)
        return "d must be even: T inputs and T outputs";
    return d / 2 <= sp_count(v, ORDER) ? "there must be more than `order` steps, d / 2" : NULL;
}

static size_t truth_size(const sp_values *v, size_t d)
{
    (void)d;
    return 2 * sp_count(v, ORDER) + 1;
}

static double absolute_sum(size_t count, const double *v)
{
    double sum = 0.0;
    for (size_t j = 0; j < count; j++)
        sum += fabs(v[j]);
    return sum;
}

static void draw_truth(const sp_values *v, size_t d, gsl_rng *stream, double *truth)
{
    (void)d;
    const size_t order = sp_count(v, ORDER);
    const double memory = sp_real(v, MEMORY);
    double *a = truth, *c = truth + order; /* D is c[order] */
    sp_draw_direction(stream, order, 1.0, a);
    cblas_dscal((int)order, memory / absolute_sum(order, a), a, 1);
    sp_draw_direction(stream, order + 1, 1.0, c);
    const double gain = absolute_sum(order, c) / (1.0 - memory) + fabs(c[order]);
    cblas_dscal((int)order + 1, sp_real(v, GAIN) / gain, c, 1);
}

static void record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    (void)y;
    const size_t order = sp_count(v, ORDER), steps = d / 2;
    const double *a = truth, *c = truth + order;
    double h[ORDER_MAX] = { 0.0 }, *u = x, *out = x + steps;
    sp_draw_direction(stream, steps, 1.0, u);
    sp_draw_gaussian(stream, steps, sp_real(v, NOISE) / sqrt((double)steps), out);
    sp_shorten(steps, SP_NOISE_CUT * sp_real(v, NOISE), out);
    for (size_t t = 0; t < steps; t++) {
        double next = u[t];
        out[t] += sp_inner(order, c, h) + c[order] * u[t];
        for (size_t j = 0; j < order; j++)
            next -= a[j] * h[order - 1 - j];
        for (size_t j = 0; j + 1 < order; j++)
            h[j] = h[j + 1];
        h[order - 1] = next;
    }
}

const sp_generator sp_generator_lds = {
    .name = "lds", .summary = "inputs and outputs of a stable linear dynamical system, d / 2 steps; no labels",
    .params = params, .radius = radius, .label_bound = sp_generator_zero, .fits = fits, .truth = truth_size,
    .draw_truth = draw_truth, .record = record, .mean = sp_generator_centred,
};
