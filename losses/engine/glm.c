/* glm.c -- f(w, (x, y)) = phi(<w, x>, y): one pass over X for all terms of a query.
 *
 * A record's gradient is phi'(m, y) x, so clipping it needs phi', ||x|| and no vector:
 *
 *   out = (1/divisor) sum_i a_i x_i,
 *   a_i = clip(sum_k c_k clip(phi'(<w_k, x_i>, y_i), record / ||x_i||), total / ||x_i||).
 *
 * A block of rows is read from memory once: margins of every term, links, coefficients, then the sum over the rows,
 * which are still in cache. The Hessian sum_i b_i x_i x_i' takes sqrt|b_i| x_i of the block, b_i >= 0 packed from the
 * front and b_i < 0 from the back, and two rank-k updates.
 */
#include "losses/engine/engine.h"

#include <gsl/gsl_cblas.h>
#include <string.h>

/* The next rows from `first`: pointers, labels, norms. Returns how many. */
static size_t gather(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t first)
{
    const sp_dataset *data = p->train;
    const size_t left = sp_row_count(p, rows) - first, count = left < s->block ? left : s->block;
    for (size_t i = 0; i < count; i++) {
        const size_t k = sp_row_at(rows, first + i);
        s->row[i] = data->X + k * data->stride;
        s->label[i] = data->y[k];
        s->norm[i] = data->norm[k];
    }
    return count;
}

static void margins(const sp_problem *p, sp_workspace *s, size_t count, size_t terms, const sp_term *term)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < terms; k++)
            s->margin[k][i] = sp_dot(p->train->d, s->row[i], term[k].point);
}

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

/* sum += scale_i x_i in the order of the rows; four at a time only spares loads and stores of the sum. */
static void accumulate(size_t d, size_t count, const double *const *row, const double *scale, double *restrict sum)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const double *a = row[i], *b = row[i + 1], *c = row[i + 2], *e = row[i + 3];
        const double p = scale[i], q = scale[i + 1], r = scale[i + 2], t = scale[i + 3];
        for (size_t j = 0; j < d; j++)
            sum[j] = (((sum[j] + p * a[j]) + q * b[j]) + r * c[j]) + t * e[j];
    }
    for (; i < count; i++)
        for (size_t j = 0; j < d; j++)
            sum[j] += scale[i] * row[i][j];
}

static double value(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double divisor)
{
    const size_t n = sp_row_count(p, rows);
    double sum = 0.0;
    for (size_t first = 0; first < n;) {
        const size_t count = gather(p, s, rows, first);
        margins(p, s, count, 1, &(sp_term){ 1.0, w });
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
        const size_t count = gather(p, s, rows, first);
        margins(p, s, count, 1, &(sp_term){ 1.0, w });
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
        const size_t count = gather(p, s, rows, first);
        margins(p, s, count, terms, term);
        coefficients(p, s, count, terms, term, clip);
        accumulate(d, count, s->row, s->scale, s->sum);
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
        const size_t count = gather(p, s, rows, first);
        size_t front = 0, back = s->block;
        margins(p, s, count, 1, &(sp_term){ 1.0, w });
        curvatures(p, s, count, enforced);
        for (size_t i = 0; i < count; i++) {
            const double root = sqrt(fabs(s->scale[i]));
            double *to = s->packed + (s->scale[i] < 0.0 ? --back : front++) * d;
            for (size_t j = 0; j < d; j++)
                to[j] = root * s->row[i][j];
        }
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)front, 1.0, s->packed, (int)d, 1.0, H, (int)d);
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)(s->block - back), -1.0, s->packed + back * d,
                    (int)d, 1.0, H, (int)d);
        first += count;
    }
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++)
            H[k * d + j] = H[j * d + k] /= divisor;
}

const sp_engine sp_glm_engine = { value, values, query, hessian };
