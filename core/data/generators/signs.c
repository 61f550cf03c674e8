/* signs.c -- x_j = +-1/sqrt(d) independent, each sign equal to s_j with probability (1 + mean)/2, so that
 * E x = (mean/sqrt(d)) s. s = (1, ..., 1), or where it is `drawn` d coins thrown once for a problem, so that no public
 * direction helps: the truth. */
#include "core/data/generators/draws.h"

#include <math.h>

enum { MEAN, DRAWN };

static const sp_param params[] = {
    [MEAN] = { "mean", SP_REAL, 0.0, { 0.0, 1.0 }, "||E x||" },
    [DRAWN] = { "drawn", SP_FLAG, false, { 0, 1 }, "the signs of E x are coins, thrown once for a problem" },
    { 0 },
};

static size_t truth_size(const sp_values *v, size_t d)
{
    return sp_flag(v, DRAWN) ? d : 0;
}

static void draw_truth(const sp_values *v, size_t d, gsl_rng *stream, double *truth)
{
    for (size_t j = 0; j < truth_size(v, d); j++)
        truth[j] = gsl_rng_get(stream) >> 63 ? 1.0 : -1.0;
}

static void record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    (void)y;
    const bool drawn = sp_flag(v, DRAWN);
    const double plus = 0.5 * (1.0 + sp_real(v, MEAN)), size = 1.0 / sqrt((double)d), value[2] = { -size, size };
    uint64_t up = 0;
    for (size_t j = 0; j < d; j++, up >>= 1) {
        if (j % 64 == 0)
            up = sp_draw_bits(stream, plus);
        x[j] = drawn ? truth[j] * value[up & 1] : value[up & 1];
    }
}

static void mean(const sp_values *v, size_t d, const double *truth, double *restrict out)
{
    const double size = sp_real(v, MEAN) / sqrt((double)d);
    for (size_t j = 0; j < d; j++)
        out[j] = sp_flag(v, DRAWN) ? truth[j] * size : size;
}

const sp_generator sp_generator_signs = {
    .name = "signs", .summary = "signs over sqrt(d), independent, with a chosen mean; no labels", .params = params,
    .radius = sp_generator_one, .label_bound = sp_generator_zero, .signs = true, .truth = truth_size,
    .draw_truth = draw_truth, .record = record, .mean = mean,
};
