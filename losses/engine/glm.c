/* glm.c -- f(w, (x, y)) = phi(<w, x>, y): one pass over X for all terms of a query.
 *
 * A record's gradient is phi'(m, y) x, so clipping it needs phi', ||x|| and no vector:
 *
 *   out = (1/divisor) sum_i a_i x_i,
 *   a_i = clip(sum_k c_k clip(phi'(<w_k, x_i>, y_i), record / ||x_i||), total / ||x_i||).
 *
 * A block of rows is read from memory once: for every query the margins of every term, links and coefficients, then the
 * sum over the rows, which are still in cache; so many queries cost one read, and each has the bits that it has alone.
 * The Hessian is sum_i b_i x_i x_i', b_i = phi''; its product with v sum_i b_i <x_i, v> x_i.
 */
#include "losses/engine/engine.h"

#include <string.h>

enum { MANY = 4, MANY_ROWS = 64, LISTED_ROWS = 24 };

/* v cut to [-limit, limit]; what is not finite stays so, to be dropped. */
static inline double cut(double v, double limit)
{
    const double w = v > limit ? limit : v < -limit ? -limit : v;
    return fabs(v) <= DBL_MAX ? w : v;
}

/* scale (0 at the start) += c slope, each slope cut to record / norm */
static inline void take_loop(size_t count, bool start, double c, double record, const double *slope, const double *norm,
                             double *restrict scale)
{
    for (size_t i = 0; i < count && start; i++)
        scale[i] = 0.0;
    for (size_t i = 0; i < count && record == INFINITY; i++)
        scale[i] += c * slope[i];
    for (size_t i = 0; i < count && record != INFINITY; i++)
        scale[i] += c * cut(slope[i], record / norm[i]);
}
SP_KERNEL(void, take,
          (size_t count, bool start, double c, double record, const double *slope, const double *norm,
           double *restrict scale),
          take_loop(count, start, c, record, slope, norm, scale))

static inline void limit_loop(size_t count, double total, const double *norm, double *restrict scale)
{
    for (size_t i = 0; i < count; i++)
        scale[i] = fabs(scale[i]) <= DBL_MAX ? cut(scale[i], total / norm[i]) : 0.0;
}
SP_KERNEL(void, limit, (size_t count, double total, const double *norm, double *restrict scale),
          limit_loop(count, total, norm, scale))

/* Rows a block for so many queries: what each costs a block weighs more than the memory when there are many. Of a list
 * fewer: its rows come one by one. */
static size_t block_for(const sp_problem *p, sp_rows rows, size_t count)
{
    const size_t block = sp_rows_per_block(p->train);
    if (rows.index && block > LISTED_ROWS)
        return LISTED_ROWS;
    return count > MANY && block < MANY_ROWS && p->train->storage != SP_STORE_INDEXED ? MANY_ROWS : block;
}

/* Margins at w, and the labels and norms behind the features, at the first of the block's points. */
static void margins(sp_workspace *s, bool first, const double *w, double *restrict margin)
{
    sp_rows_dot(&s->block, w, margin);
    if (first)
        sp_rows_labels(&s->block, s->label, s->norm);
}

/* sum += the block's part of one query, undivided */
static void ask_block(const sp_problem *p, sp_workspace *s, bool first, const sp_data_ask *ask, double *restrict sum)
{
    const size_t count = s->block.count;
    for (size_t k = 0; k < ask->terms; k++) {
        margins(s, first && k == 0, ask->term[k].point, s->margin[0]);
        p->loss->link->slope(p->number, count, s->margin[0], s->label, s->slope);
        take_pick()(count, k == 0, ask->term[k].coefficient, ask->clip ? ask->clip->record : INFINITY, s->slope,
                    s->norm, s->scale);
    }
    if (ask->clip)
        limit_pick()(count, ask->clip->total, s->norm, s->scale);
    sp_rows_add(&s->block, s->scale, sum);
}

static void queries(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t count, const sp_data_ask *ask,
                    double divisor)
{
    const size_t n = sp_row_count(p, rows), d = p->train->d, most = block_for(p, rows, count);
    for (size_t k = 0; k < count; k++)
        memset(ask[k].out, 0, d * sizeof *ask[k].out);
    for (size_t first = 0; first < n;) {
        first += sp_block_open(p, s, rows, first, most);
        for (size_t k = 0; k < count; k++)
            ask_block(p, s, k == 0, &ask[k], ask[k].out);
    }
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < d; j++)
            ask[k].out[j] /= divisor;
}

static void query(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t terms, const sp_term *term,
                  const sp_clip *clip, double divisor, double *out)
{
    queries(p, s, rows, 1, &(sp_data_ask){ terms, term, clip, s->sum }, divisor);
    memcpy(out, s->sum, p->train->d * sizeof *out);
}

static void value_of_each(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t count, const double *const *point,
                          double divisor, double *out)
{
    const size_t n = sp_row_count(p, rows), most = block_for(p, rows, count);
    for (size_t k = 0; k < count; k++)
        out[k] = 0.0;
    for (size_t first = 0; first < n;) {
        const size_t here = sp_block_open(p, s, rows, first, most);
        for (size_t k = 0; k < count; k++) {
            margins(s, k == 0, point[k], s->margin[0]);
            p->loss->link->value(p->number, here, s->margin[0], s->label, s->slope);
            for (size_t i = 0; i < here; i++)
                out[k] += s->slope[i];
        }
        first += here;
    }
    for (size_t k = 0; k < count; k++)
        out[k] /= divisor;
}

static double value(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double divisor)
{
    double sum;
    value_of_each(p, s, rows, 1, &w, divisor, &sum);
    return sum;
}

static void values(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double *restrict out)
{
    const size_t n = sp_row_count(p, rows), most = sp_rows_per_block(p->train);
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_open(p, s, rows, first, most);
        margins(s, true, w, s->margin[0]);
        p->loss->link->value(p->number, count, s->margin[0], s->label, out + first);
        first += count;
    }
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
    const size_t n = sp_row_count(p, rows), d = p->train->d, most = sp_block_packed(p, s);
    memset(H, 0, d * d * sizeof *H);
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_open(p, s, rows, first, most);
        margins(s, true, w, s->margin[0]);
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
    const size_t n = sp_row_count(p, rows), d = p->train->d, most = sp_rows_per_block(p->train);
    memset(s->sum, 0, d * sizeof *s->sum);
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_open(p, s, rows, first, most);
        margins(s, true, w, s->margin[0]);
        margins(s, false, v, s->margin[1]);
        curvatures(p, s, count, false);
        for (size_t i = 0; i < count; i++)
            s->scale[i] *= s->margin[1][i];
        sp_rows_add(&s->block, s->scale, s->sum);
        first += count;
    }
    for (size_t j = 0; j < d; j++)
        out[j] = s->sum[j] / divisor;
}

const sp_engine sp_glm_engine = { value, values, query, hessian, product, queries, value_of_each };
