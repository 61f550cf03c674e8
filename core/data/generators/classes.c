/* classes.c -- two classes of signs: y = +-1 is a fair coin, and x_j = y z_j / sqrt(d) with independent signs z_j, each
 * equal to s_j with probability (1 + mean)/2. s is d coins, thrown once for a problem: the truth. So
 * E y x = (mean/sqrt(d)) s, of norm `mean`. Where the classes are `sparse` one entry of s, drawn once as well, is a
 * coin and the others are 0: there z_j is a fair coin, which tells nothing. */
#include "core/data/generators/draws.h"

#include <math.h>
#include <string.h>

enum { MEAN, SPARSE };

static const sp_param params[] = {
    [MEAN] = { "mean", SP_REAL, 0.5, { 0.0, 1.0 }, "|E y x_j| sqrt(d), of the features that tell the class" },
    [SPARSE] = { "sparse", SP_FLAG, false, { 0, 1 }, "one feature tells the class, drawn once for a problem" },
    { 0 },
};

static size_t truth_size(const sp_values *v, size_t d)
{
    (void)v;
    return d;
}

static void draw_truth(const sp_values *v, size_t d, gsl_rng *stream, double *truth)
{
    const size_t only = gsl_rng_uniform_int(stream, d);
    for (size_t j = 0; j < d; j++)
        truth[j] = gsl_rng_get(stream) >> 63 ? 1.0 : -1.0;
    for (size_t j = 0; j < d && sp_flag(v, SPARSE); j++)
        if (j != only)
            truth[j] = 0.0;
}

static void record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    const double plus = 0.5 * (1.0 + sp_real(v, MEAN)), size = 1.0 / sqrt((double)d), value[2] = { -size, size };
    uint64_t up = 0;
    for (size_t j = 0; j < d; j++, up >>= 1) {
        if (j % 64 == 0)
            up = sp_draw_bits(stream, sp_flag(v, SPARSE) ? 0.5 : plus);
        x[j] = truth[j] < 0.0 ? -value[up & 1] : value[up & 1];
    }
    for (size_t j = 0; j < d && sp_flag(v, SPARSE); j++)
        if (truth[j] != 0.0)
            x[j] = gsl_rng_uniform(stream) < plus ? truth[j] * size : -truth[j] * size;
    const double label = gsl_rng_get(stream) >> 63 ? 1.0 : -1.0;
    for (size_t j = 0; j < d; j++)
        x[j] *= label;
    if (y)
        *y = label;
}

static void class_mean(const sp_values *v, size_t d, const double *truth, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = truth[j] * sp_real(v, MEAN) / sqrt((double)d);
}

const sp_generator sp_generator_classes = {
    .name = "classes", .summary = "signs over sqrt(d); labels -1 and +1, two classes of opposite means",
    .params = params, .radius = sp_generator_one, .label_bound = sp_generator_one, .labels = true, .binary = true,
    .signs = true, .truth = truth_size, .draw_truth = draw_truth, .record = record, .class_mean = class_mean,
};
