/* one_hot.c -- record i is the unit vector e_j, j = i mod d, so that how many there are of each is public, and no more
 * than one apart. Its label is t_j = +-offset, the sign drawn once for a problem: y = <w*, x>, w* = (t_1, ..., t_d). */
#include "core/data/generators/draws.h"

#include <math.h>
#include <string.h>

enum { OFFSET };

static const sp_param params[] = {
    [OFFSET] = { "offset", SP_REAL, 2.2, { 0.0, 1e6 }, "|t_j|" },
    { 0 },
};

static double label_bound(const sp_values *v, size_t d)
{
    (void)d;
    return sp_real(v, OFFSET);
}

static bool realisable(const sp_values *v)
{
    (void)v;
    return true;
}

static double truth_norm(const sp_values *v, size_t d)
{
    return sp_real(v, OFFSET) * sqrt((double)d);
}

static size_t truth_size(const sp_values *v, size_t d)
{
    (void)v;
    return d;
}

static void draw_truth(const sp_values *v, size_t d, gsl_rng *stream, double *truth)
{
    for (size_t j = 0; j < d; j++)
        truth[j] = gsl_rng_get(stream) >> 63 ? sp_real(v, OFFSET) : -sp_real(v, OFFSET);
}

static void nth(const sp_values *v, size_t d, const double *truth, size_t i, double *restrict x, double *y)
{
    (void)v;
    memset(x, 0, d * sizeof *x);
    x[i % d] = 1.0;
    if (y)
        *y = truth[i % d];
}

static void mean(const sp_values *v, size_t d, const double *truth, double *restrict out)
{
    (void)v, (void)truth;
    for (size_t j = 0; j < d; j++)
        out[j] = 1.0 / (double)d;
}

/* --- moments: the whole record is one part, its values the unit vectors ------------------------------------------- */

static size_t values(const sp_values *v, size_t d)
{
    (void)v;
    return d;
}

static size_t part(const sp_values *v, size_t d, size_t j)
{
    (void)v, (void)d, (void)j;
    return 0;
}

static void draw(const sp_values *v, size_t n, size_t d, gsl_rng *stream, double *count)
{
    (void)v, (void)stream;
    for (size_t k = 0; k < d; k++)
        count[k] = (double)(n / d + (k < n % d));
}

static const sp_parts parts = { values, part, nth, draw, .whole = true };

const sp_generator sp_generator_one_hot = {
    .name = "one_hot", .summary = "record i is the unit vector e_j, j = i mod d, its label +-offset drawn once for j",
    .params = params, .radius = sp_generator_one, .label_bound = label_bound, .labels = true,
    .realisable = realisable, .truth_norm = truth_norm, .truth = truth_size, .draw_truth = draw_truth,
    .nth = nth, .mean = mean, .parts = &parts,
};
