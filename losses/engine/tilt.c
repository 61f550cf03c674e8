/* tilt.c -- the data part <x, Phi(w)> of f(w, x) = h(w) + <x, Phi(w)>: its mean needs mean(x) alone.
 *
 *   (1/divisor) sum_i clip(sum_k c_k clip(x_i o Phi'(w_k), record), total)
 *     = mean_x o sum_k c_k Phi'(w_k),  mean_x = (1/divisor) sum_i x_i,
 *
 * when nothing is clipped. ||x o v|| <= R max_j |v_j| (in l_inf: `largest` in place of R), so that can be told from the
 * points and the bounds, without a look at the records: the full batch then costs O(d). Otherwise each record is
 * clipped by itself.
 */
#include "losses/engine/engine.h"

#include <string.h>

static void mean(const sp_problem *p, sp_workspace *s, sp_rows rows, double divisor, double *restrict out)
{
    const sp_dataset *data = p->train;
    if (!rows.index) {
        for (size_t j = 0; j < data->d; j++)
            out[j] = data->mean[j] * ((double)data->n / divisor);
        return;
    }
    memset(out, 0, data->d * sizeof *out);
    for (size_t i = 0; i < SP_ROWS; i++)
        s->scale[i] = 1.0;
    for (size_t first = 0; first < rows.count;) {
        first += sp_block_gather(p, s, rows, first, SP_ROWS);
        sp_rows_add(&s->block, s->scale, out);
    }
    for (size_t j = 0; j < data->d; j++)
        out[j] /= divisor;
}

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
    mean(p, s, rows, divisor, s->sum);
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

/* sum over the rows of clip(sum_k c_k clip(x o slope_k, record), total) */
static void clipped_sum(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t terms, const sp_term *term,
                        const sp_clip *clip)
{
    const size_t d = p->train->d, n = sp_row_count(p, rows);
    double *one = s->vector[SP_TERMS_MAX], *total = s->vector[SP_TERMS_MAX + 1];
    memset(s->sum, 0, d * sizeof *s->sum);
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        for (size_t i = 0; i < count; i++) {
            sp_rows_copy(&s->block, i, 1.0, s->feature);
            memset(total, 0, d * sizeof *total);
            for (size_t k = 0; k < terms; k++) {
                for (size_t j = 0; j < d; j++)
                    one[j] = s->feature[j] * s->vector[k][j];
                sp_add_clipped(d, term[k].coefficient, one, clip->record, clip->norm, total);
            }
            if (sp_all_finite(d, total))
                sp_add_clipped(d, 1.0, total, clip->total, clip->norm, s->sum);
        }
        first += count;
    }
}

static void query(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t terms, const sp_term *term,
                  const sp_clip *clip, double divisor, double *out)
{
    const size_t d = p->train->d;
    double *combined = s->vector[SP_TERMS_MAX];
    const double R = clip && clip->norm == SP_NORM_LINF ? p->train->largest : p->certified.radius;
    bool unclipped = true;
    memset(combined, 0, d * sizeof *combined);
    for (size_t k = 0; k < terms; k++) {
        p->loss->tilt->phi(p->number, d, term[k].point, 1, s->vector[k]);
        for (size_t j = 0; j < d; j++)
            combined[j] += term[k].coefficient * s->vector[k][j];
        unclipped = unclipped && (!clip || within(R, d, s->vector[k], clip->record));
    }
    if (unclipped && (!clip || within(R, d, combined, clip->total))) {
        mean(p, s, rows, divisor, s->sum);
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
    mean(p, s, rows, divisor, s->sum);
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
