/* glm.c -- f(w, (x, y)) = phi(<w, x>, y): one pass over X for all terms of a query.
 *
 * A record's gradient is phi'(m, y) x, so clipping it needs phi', ||x|| and no vector:
 *
 *   out = (1/divisor) sum_i a_i x_i,
 *   a_i = clip(sum_k c_k clip(phi'(<w_k, x_i>, y_i), record / ||x_i||), total / ||x_i||).
 *
 * A block of rows is read from memory once: margins of every term, links, coefficients, then the sum over the rows,
 * which are still in cache. The Hessian is sum_i b_i x_i x_i', b_i = phi''; its product with v sum_i b_i <x_i, v> x_i.
 */
#include "losses/engine/engine.h"

#include <string.h>

/* v cut to [-limit, limit]; what is not finite stays so, to be dropped. */
static double cut(double v, double limit)
{
    return isfinite(v) ? fmax(-limit, fmin(limit, v)) : v;
}

static void coefficients(const sp_problem *p, sp_workspace *s, size_t count, size_t terms, const sp_term *term,
                         const sp_clip *clip)
{
    memset(s->scale, 0, sizeof s->scale);
    for (size_t k = 0; k < terms; k++) {
        p->loss->link->slope(p->number, count, s->margin[k], s->label, s->slope);
        for (size_t i = 0; i < count; i++)
            s->scale[i] += term[k].coefficient * (clip ? cut(s->slope[i], clip->record / s->norm[i]) : s->slope[i]);
    }
    for (size_t i = 0; i < count && clip; i++)
        s->scale[i] = isfinite(s->scale[i]) ? cut(s->scale[i], clip->total / s->norm[i]) : 0.0;
}

static double value(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double divisor)
{
    const size_t n = sp_row_count(p, rows);
    double sum = 0.0;
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        sp_rows_dot(&s->block, w, s->margin[0]);
        p->loss->link->value(p->number, count, s->margin[0], s->label, s->slope);
        for (size_t i = 0; i < count; i++)
            sum += s->slope[i];
        first += count;
    }
    return sum / divisor;
}

static void values(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double *restrict out)
{
    const size_t n = sp_row_count(p, rows);
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        sp_rows_dot(&s->block, w, s->margin[0]);
        p->loss->link->value(p->number, count, s->margin[0], s->label, out + first);
        first += count;
    }
}

static void query(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t terms, const sp_term *term,
                  const sp_clip *clip, double divisor, double *out)
{
    const size_t n = sp_row_count(p, rows), d = p->train->d;
    memset(s->sum, 0, d * sizeof *s->sum);
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        for (size_t k = 0; k < terms; k++)
            sp_rows_dot(&s->block, term[k].point, s->margin[k]);
        coefficients(p, s, count, terms, term, clip);
        sp_rows_add(&s->block, s->scale, s->sum);
        first += count;
    }
    for (size_t j = 0; j < d; j++)
        out[j] = s->sum[j] / divisor;
}

/* b_i: phi'' within its certified bounds, times the square of what shortens x_i to R */
static void curvatures(const sp_problem *p, sp_workspace *s, size_t count, bool enforced)
{
    const double R = p->certified.radius;
    p->loss->link->curvature(p->number, count, s->margin[0], s->label, s->scale);
    for (size_t i = 0; i < count && enforced; i++) {
        const double shorten = s->norm[i] > R ? R / s->norm[i] : 1.0;
        const double b = fmax(-s->link.curvature_low, fmin(s->link.curvature_high, s->scale[i]));
        s->scale[i] = isfinite(s->scale[i]) ? b * shorten * shorten : 0.0;
    }
}

static void hessian(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, bool enforced, double divisor,
                    double *H)
{
    const size_t n = sp_row_count(p, rows), d = p->train->d;
    memset(H, 0, d * d * sizeof *H);
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, s->pack);
        sp_rows_dot(&s->block, w, s->margin[0]);
        curvatures(p, s, count, enforced);
        sp_rows_square(&s->block, s->scale, s->packed, H);
        first += count;
    }
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++)
            H[k * d + j] = H[j * d + k] /= divisor;
}

static void product(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, const double *v,
                    double divisor, double *out)
{
    const size_t n = sp_row_count(p, rows), d = p->train->d;
    memset(s->sum, 0, d * sizeof *s->sum);
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        sp_rows_dot(&s->block, w, s->margin[0]);
        sp_rows_dot(&s->block, v, s->margin[1]);
        curvatures(p, s, count, false);
        for (size_t i = 0; i < count; i++)
            s->scale[i] *= s->margin[1][i];
        sp_rows_add(&s->block, s->scale, s->sum);
        first += count;
    }
    for (size_t j = 0; j < d; j++)
        out[j] = s->sum[j] / divisor;
}

const sp_engine sp_glm_engine = { value, values, query, hessian, product };
