/* angles.c -- d / 2 angles theta_j = t_j + s_j spread, s_j = +-1 by coin, as pairs (cos theta_j, sin theta_j) over
 * sqrt(d / 2), shortened by 1e-12 (core/base/record_map.h). t_j = +-offset; its sign is drawn once for a problem, so
 * that no public direction helps. Records of the loss `circular`. E cos theta_j = cos(spread) cos t_j, and with sines.
 * Where d is odd, x_0 = +-1 (shortened too) stands before them, of mean +-`mean`, this sign drawn likewise: records of
 * the loss `ripple_ramp`.
 *
 * The truth is both values of each number: first those for s_j = -1, then those for s_j = 1. Of x_0 they are the rare
 * one and the frequent one. */
#include "core/numeric/counts.h"
#include "core/numeric/math.h"
#include "core/base/record_map.h"
#include "core/data/generators/draws.h"

enum { OFFSET, SPREAD, MEAN };

static const sp_param params[] = {
    [OFFSET] = { "offset", SP_REAL, 2.4, { 0.0, M_PI }, "|t_j|, the angle about which the records lie" },
    [SPREAD] = { "spread", SP_REAL, 0.45, { 0.0, M_PI }, "how far from it on either side" },
    [MEAN] = { "mean", SP_REAL, 0.9, { 0.0, 1.0 }, "|E x_0|, where d is odd" },
    { 0 },
};
enum { COINS = 64 };

static double radius(const sp_values *v, size_t d)
{
    (void)v;
    return d % 2 == 0 ? 1.0 : M_SQRT2;
}

static const char *fits(const sp_values *v, size_t d)
{
    (void)v;
    return d > 1 ? NULL : "there must be a pair";
}

static size_t truth_size(const sp_values *v, size_t d)
{
    (void)v;
    return 2 * d;
}

static void draw_truth(const sp_values *v, size_t d, gsl_rng *stream, double *truth)
{
    const double disc = sp_disc(d / 2);
    if (d % 2 == 1) {
        truth[d] = gsl_rng_get(stream) >> 63 ? sp_disc(1) : -sp_disc(1);
        truth[0] = -truth[d];
    }
    for (size_t j = d % 2; j < d; j += 2) {
        const double t = gsl_rng_get(stream) >> 63 ? sp_real(v, OFFSET) : -sp_real(v, OFFSET);
        for (size_t s = 0; s < 2; s++) {
            const double theta = s ? t + sp_real(v, SPREAD) : t - sp_real(v, SPREAD);
            truth[s * d + j] = disc * sp_cos(theta);
            truth[s * d + j + 1] = disc * sp_sin(theta);
        }
    }
}

static void record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    (void)y;
    uint64_t coins = 0;
    if (d % 2 == 1)
        x[0] = gsl_rng_uniform(stream) < 0.5 * (1.0 + sp_real(v, MEAN)) ? truth[d] : truth[0];
    for (size_t pair = 0, j = d % 2; j < d; pair++, j += 2, coins >>= 1) {
        if (pair % COINS == 0)
            coins = gsl_rng_get(stream);
        x[j] = truth[(coins & 1) * d + j];
        x[j + 1] = truth[(coins & 1) * d + j + 1];
    }
}

static void mean(const sp_values *v, size_t d, const double *truth, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = 0.5 * (truth[j] + truth[d + j]);
    if (d % 2 == 1)
        out[0] = sp_real(v, MEAN) * truth[d];
}

/* --- moments: x_0 and the pairs are the parts, the two values of each are rare and frequent, or s_j = -1 and 1 ---- */

static size_t two(const sp_values *v, size_t d)
{
    (void)v, (void)d;
    return 2;
}

static size_t part(const sp_values *v, size_t d, size_t j)
{
    (void)v;
    return (j + d % 2) / 2;
}

static void value(const sp_values *v, size_t d, const double *truth, size_t k, double *restrict x, double *y)
{
    (void)v, (void)y;
    for (size_t j = 0; j < d; j++)
        x[j] = truth[k * d + j];
}

static void draw(const sp_values *v, size_t n, size_t d, gsl_rng *stream, double *count)
{
    for (size_t p = 0; p <= part(v, d, d - 1); p++) {
        const double chance = d % 2 == 1 && p == 0 ? 0.5 * (1.0 + sp_real(v, MEAN)) : 0.5;
        const size_t second = sp_binomial(stream, n, chance);
        count[2 * p] = (double)(n - second);
        count[2 * p + 1] = (double)second;
    }
}

static const sp_parts parts = { two, part, value, draw };

const sp_generator sp_generator_angles = {
    .name = "angles", .summary = "pairs (cos, sin) of angles about +-offset, after a sign where d is odd; no labels",
    .params = params, .radius = radius, .label_bound = sp_generator_zero, .fits = fits, .truth = truth_size,
    .draw_truth = draw_truth, .record = record, .mean = mean, .parts = &parts,
};
