/* signs.c -- x_j = +-1/sqrt(d) independent, P(+) = (1 + mean)/2, so that E x = (mean/sqrt(d)) (1, ..., 1). */
#include "core/data/generators/draws.h"

#include <math.h>

enum { MEAN };

static const sp_param params[] = {
    [MEAN] = { "mean", SP_REAL, 0.0, { 0.0, 1.0 }, "||E x||" },
    { 0 },
};

/* 64 independent draws of u < p at once, u uniform on [0, 1): the binary digits of u and p are compared from the first
 * on, until each u has shown a digit that differs. */
static uint64_t below(gsl_rng *stream, double p)
{
    uint64_t less = 0;
    for (uint64_t equal = UINT64_MAX; equal && p > 0.0;) {
        const uint64_t digits = gsl_rng_get(stream);
        const bool one = (p *= 2.0) >= 1.0;
        p -= one;
        less |= one ? equal & ~digits : 0;
        equal &= one ? digits : ~digits;
    }
    return less;
}

static void record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    (void)truth, (void)y;
    const double plus = 0.5 * (1.0 + sp_real(v, MEAN)), size = 1.0 / sqrt((double)d), value[2] = { -size, size };
    uint64_t up = 0;
    for (size_t j = 0; j < d; j++, up >>= 1) {
        if (j % 64 == 0)
            up = below(stream, plus);
        x[j] = value[up & 1];
    }
}

static void mean(const sp_values *v, size_t d, const double *truth, double *restrict out)
{
    (void)truth;
    for (size_t j = 0; j < d; j++)
        out[j] = sp_real(v, MEAN) / sqrt((double)d);
}

const sp_generator sp_generator_signs = {
    .name = "signs", .summary = "signs over sqrt(d), independent, with a chosen mean; no labels", .params = params,
    .radius = sp_generator_one, .label_bound = sp_generator_zero, .signs = true, .record = record, .mean = mean,
};
