/* low_rank.c -- x uniform on the unit sphere of a random subspace of dimension `rank`; y = <w*, x> + noise z,
 * z ~ N(0, 1) given |z| <= 3, w* uniform on the sphere of radius `norm` in the subspace.
 *
 * The truth is w* over norm, then the rows of B, an orthonormal basis (rank x d); x = B' c, c on the unit sphere. */
#include "core/data/generators/draws.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <string.h>

enum { RANK, NORM, NOISE };

static const sp_param params[] = {
    [RANK] = { "rank", SP_COUNT, 2, { 1, 1024 }, "dimension of the subspace, at most d" },
    [NORM] = { "norm", SP_REAL, 1.0, { 0.0, 1e6 }, "||w*||" },
    [NOISE] = { "noise", SP_REAL, 0.0, { 0.0, 1e6 }, "deviation of the label noise before it is cut at 3 deviations" },
    { 0 },
};
enum { RANK_MAX = 1024 };

static double label_bound(const sp_values *v, size_t d)
{
    (void)d;
    return sp_real(v, NORM) + SP_NOISE_CUT * sp_real(v, NOISE);
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

static const char *fits(const sp_values *v, size_t d)
{
    return sp_count(v, RANK) > d ? "the rank is above d" : NULL;
}

static size_t truth_size(const sp_values *v, size_t d)
{
    return (1 + sp_count(v, RANK)) * d;
}

/* out = B' c, c uniform on the unit sphere */
static void draw_in(size_t rank, size_t d, const double *B, gsl_rng *stream, double *restrict out)
{
    double c[RANK_MAX];
    sp_draw_direction(stream, rank, 1.0, c);
    memset(out, 0, d * sizeof *out);
    for (size_t k = 0; k < rank; k++)
        for (size_t j = 0; j < d; j++)
            out[j] += c[k] * B[k * d + j];
}

/* Gaussian rows, orthogonalised by Gram and Schmidt; the second round makes the basis orthonormal to rounding. */
static void draw_truth(const sp_values *v, size_t d, gsl_rng *stream, double *truth)
{
    const size_t rank = sp_count(v, RANK);
    double *B = truth + d;
    for (size_t k = 0; k < rank; k++) {
        double *row = B + k * d;
        sp_draw_direction(stream, d, 1.0, row);
        for (int round = 0; round < 2; round++) {
            for (size_t l = 0; l < k; l++) {
                const double along = sp_inner(d, B + l * d, row);
                for (size_t j = 0; j < d; j++)
                    row[j] -= along * B[l * d + j];
            }
            cblas_dscal((int)d, 1.0 / sqrt(sp_inner(d, row, row)), row, 1);
        }
    }
    draw_in(rank, d, B, stream, truth);
}

static void record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    draw_in(sp_count(v, RANK), d, truth + d, stream, x);
    if (y)
        *y = sp_real(v, NORM) * sp_inner(d, truth, x) + sp_draw_noise(stream, sp_real(v, NOISE));
}

const sp_generator sp_generator_low_rank = {
    .name = "low_rank", .summary = "on the unit sphere of a random subspace; labels <w*, x> + noise", .params = params,
    .radius = sp_generator_one, .label_bound = label_bound, .labels = true, .realisable = realisable,
    .truth_norm = truth_norm, .fits = fits,
    .truth = truth_size, .draw_truth = draw_truth, .record = record, .mean = sp_generator_centred,
};
