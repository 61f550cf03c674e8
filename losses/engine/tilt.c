/* tilt.c -- engine for losses of the form "tilt", f(w, x) = h(w) + <x, Phi(w)>. Means of the data part need mean(x)
 * only:
 *
 *   (1/divisor) sum_i clip(sum_k c_k clip(x_i o Phi'(w_k), record), total)
 *     = mean_x o sum_k c_k Phi'(w_k),  mean_x = (1/divisor) sum_i x_i,
 *
 * if nothing is clipped ("o" is the product entry by entry; `record` and `total` are the limits). Because
 * ||x o v|| <= R max_j |v_j| (in l_inf: `largest` in place of R), this can be decided from the points and the bounds,
 * without reading the records; the full batch then costs O(d). Otherwise each record is clipped or normalised by
 * itself: x o slope_k is rounded; squares, clipped vectors and the sum over records are added by FMAs.
 */
#include "losses/engine/engine.h"

#include "core/numeric/isa.h"
#include "core/numeric/math.h"

#include <string.h>

/* R max_j |v_j| <= bound; false when v is not finite */
static bool within(double R, size_t d, const double *v, double bound)
{
    for (size_t j = 0; j < d; j++)
        if (!(R * fabs(v[j]) <= bound))
            return false;
    return true;
}

static double value(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double divisor)
{
    const size_t d = p->train->d;
    p->loss->tilt->phi(p->number, d, w, 0, s->vector[0]);
    sp_block_mean(p, s, rows, divisor, s->sum);
    return sp_dot(d, s->sum, s->vector[0]);
}

static void values(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double *restrict out)
{
    const size_t d = p->train->d, n = sp_row_count(p, rows);
    p->loss->tilt->phi(p->number, d, w, 0, s->vector[0]);
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        sp_rows_dot(&s->block, s->vector[0], out + first);
        first += count;
    }
}

/* --- records clipped one by one ----------------------------------------------------------------------------- */

enum { LANES = 8 };
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Rows are read, and sums made, in eights: `wide` is d up to the next multiple of 8. What stands behind the features of
 * a row is finite and meets a slope of 0; +-0 changes neither a norm nor a sum. */
typedef struct clipping {
    size_t wide, terms;
    const double *slope; /* terms x wide: Phi'(w_k), then zeros */
    const sp_term *term;
    const sp_clip *clip;
    double *total;       /* wide: sum_k c_k clip(x o slope_k, record) */
} clipping;

/* v = x o s, or x where s is NULL: <v, v> in the lanes of sp_dot, each square added by an FMA */
static inline double square_of(size_t wide, const double *restrict x, const double *restrict s)
{
    double lane[LANES];
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
        const double v = s ? x[l] * s[l] : x[l];
        lane[l] = v * v; /* +0 and a square is the square */
    }
    for (size_t j = LANES; j < wide; j += LANES)
#pragma omp simd
        for (size_t l = 0; l < LANES; l++) {
            const double v = s ? x[j + l] * s[j + l] : x[j + l];
            lane[l] = sp_fma(v, v, lane[l]);
        }
    const pair *two = (const pair *)lane, sum = (two[0] + two[2]) + (two[1] + two[3]);
    return sum[0] + sum[1];
}

/* max |v_j|. Where v has a NaN, it need not be one: the record is not finite, whatever it is multiplied by. */
static inline double largest_of(size_t wide, const double *restrict x, const double *restrict s)
{
    double lane[LANES] = { 0.0 }, most = 0.0;
    for (size_t j = 0; j < wide; j += LANES)
#pragma omp simd
        for (size_t l = 0; l < LANES; l++) {
            const double size = fabs(s ? x[j + l] * s[j + l] : x[j + l]);
            lane[l] = size > lane[l] ? size : lane[l];
        }
    for (size_t l = 0; l < LANES; l++)
        most = lane[l] > most ? lane[l] : most;
    return most;
}

/* sum += clip(total, clip->total) of a record; nothing if it is not finite. bound / norm is less than 1 just where
 * norm > bound, but for those it rounds to 1. */
static inline void add_record(const clipping *a, const double *restrict x, double *restrict sum)
{
    const size_t wide = a->wide;
    const sp_clip *clip = a->clip;
    const bool l2 = clip->norm == SP_NORM_L2;
    double *restrict total = a->total;
    for (size_t k = 0; k < a->terms; k++) {
        const double *restrict s = a->slope + k * wide;
        const double norm = l2 ? sqrt(square_of(wide, x, s)) : largest_of(wide, x, s), cut = clip->record / norm;
        const double c = a->term[k].coefficient * (cut < 1.0 ? cut : 1.0);
        for (size_t j = 0; j < wide; j += LANES)
#pragma omp simd
            for (size_t l = 0; l < LANES; l++)
                total[j + l] = sp_fma(c, x[j + l] * s[j + l], k > 0 ? total[j + l] : 0.0);
    }
    const double square = square_of(wide, total, NULL), norm = l2 ? sqrt(square) : largest_of(wide, total, NULL);
    const double cut = clip->total / (norm + clip->normalise), c = cut < 1.0 || clip->normalise > 0.0 ? cut : 1.0;
    for (size_t j = 0; j < wide && isfinite(square); j += LANES)
#pragma omp simd
        for (size_t l = 0; l < LANES; l++)
            sum[j + l] = sp_fma(c, total[j + l], sum[j + l]);
}

static inline void add_records(const clipping *a, size_t count, const double *const *row, double *restrict sum)
{
    for (size_t i = 0; i < count; i++)
        add_record(a, row[i], sum);
}

SP_KERNEL(void, add_clipped, (const clipping *a, size_t count, const double *const *row, double *restrict sum),
          add_records(a, count, row, sum))

size_t sp_tilt_scratch(size_t features)
{
    return (SP_TERMS_MAX + 3) * sp_dense_stride(features);
}

/* sum over the rows of clip(sum_k c_k clip(x o slope_k, record), total) */
static void clipped_sum(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t terms, const sp_term *term,
                        const sp_clip *clip)
{
    const add_clipped_kernel add = add_clipped_pick();
    const size_t d = p->train->d, n = sp_row_count(p, rows), wide = (d + LANES - 1) / LANES * LANES;
    double *slope = s->scratch, *sum = slope + terms * wide, *total = sum + wide, *expanded = total + wide;
    const clipping a = { wide, terms, slope, term, clip, total };
    memset(s->scratch, 0, sp_tilt_scratch(d) * sizeof *s->scratch);
    for (size_t k = 0; k < terms; k++)
        memcpy(slope + k * wide, s->vector[k], d * sizeof *slope);
    for (size_t first = 0; first < n; first += s->block.count) {
        sp_block_open(p, s, rows, first, sp_rows_per_block(p->train));
        if (s->block.row[0])
            add(&a, s->block.count, s->block.row, sum);
        for (size_t i = 0; i < s->block.count && !s->block.row[0]; i++) {
            sp_rows_copy(&s->block, i, 1.0, expanded);
            add(&a, 1, &(const double *){ expanded }, sum);
        }
    }
    memcpy(s->sum, sum, d * sizeof *sum);
}

static void query(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t terms, const sp_term *term,
                  const sp_clip *clip, double divisor, double *out)
{
    const size_t d = p->train->d;
    double *combined = s->vector[SP_TERMS_MAX];
    const double R = clip && clip->norm == SP_NORM_LINF ? p->train->largest : p->certified.radius;
    bool unclipped = !clip || clip->normalise == 0.0;
    memset(combined, 0, d * sizeof *combined);
    for (size_t k = 0; k < terms; k++) {
        p->loss->tilt->phi(p->number, d, term[k].point, 1, s->vector[k]);
        for (size_t j = 0; j < d; j++)
            combined[j] += term[k].coefficient * s->vector[k][j];
        unclipped = unclipped && (!clip || within(R, d, s->vector[k], clip->record));
    }
    if (unclipped && (!clip || within(R, d, combined, clip->total))) {
        sp_block_mean(p, s, rows, divisor, s->sum);
        for (size_t j = 0; j < d; j++)
            out[j] = s->sum[j] * combined[j];
        return;
    }
    clipped_sum(p, s, rows, terms, term, clip);
    for (size_t j = 0; j < d; j++)
        out[j] = s->sum[j] / divisor;
}

/* diag(mean_x o Phi'') into `diagonal`; enforced: Phi'' within its certified bound, nothing when it is not finite */
static void bends(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, bool enforced, double divisor,
                  double *restrict diagonal)
{
    const size_t d = p->train->d;
    const double bound = s->tilt.curvature;
    p->loss->tilt->phi(p->number, d, w, 2, diagonal);
    const bool dropped = enforced && !within(1.0, d, diagonal, DBL_MAX);
    sp_block_mean(p, s, rows, divisor, s->sum);
    for (size_t j = 0; j < d; j++) {
        const double bend = enforced ? fmax(-bound, fmin(bound, diagonal[j])) : diagonal[j];
        diagonal[j] = dropped ? 0.0 : s->sum[j] * bend;
    }
}

static void hessian(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, bool enforced, double divisor,
                    double *H)
{
    const size_t d = p->train->d;
    memset(H, 0, d * d * sizeof *H);
    bends(p, s, rows, w, enforced, divisor, s->vector[0]);
    for (size_t j = 0; j < d; j++)
        H[j * d + j] = s->vector[0][j];
}

static void product(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, const double *v,
                    double divisor, double *out)
{
    bends(p, s, rows, w, false, divisor, s->vector[0]);
    for (size_t j = 0; j < p->train->d; j++)
        out[j] = s->vector[0][j] * v[j];
}

const sp_engine sp_tilt_engine = { value, values, query, hessian, product };
