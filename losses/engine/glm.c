/* glm.c -- engine for losses of the form "link", f(w, (x, y)) = phi(<w, x>, y): one pass over the records X for all
 * terms of a query.
 *
 * A record's gradient is phi'(m, y) x, so clipping it needs phi' and ||x|| but no vector:
 *
 *   out = (1/divisor) sum_i a_i x_i,
 *   a_i = clip(sum_k c_k clip(phi'(<w_k, x_i>, y_i), record / ||x_i||), total / ||x_i||),
 *
 * where `record` and `total` limit each gradient and their sum; if the query normalises, with v the sum over k,
 * a_i = total v / (|v| ||x_i|| + xi).
 *
 * For limits in l_inf, ||x_i|| is replaced by the smaller of ||x_i|| and the bound on every |x_ij|. This is at least
 * ||x_i||_inf, so what is clipped by it is within the limit.
 *
 * Records are read from memory once for up to SOME queries, and each query gets the bits that it would get alone.
 * The Hessian is sum_i b_i x_i x_i', b_i = phi''; its product with v is sum_i b_i <x_i, v> x_i. A curvature matrix has
 * other b_i, which are not negative.
 *
 * If the data is stored as moments (core/data/moments.h), the rows are the distinct records, each with its count.
 *
 * If the problem has an envelope (envelope.h), phi is phi_b throughout, to rounding; phi_b'' by central differences.
 */
#include "losses/engine/engine.h"
#include "losses/engine/envelope.h"

#include <string.h>

enum { SOME = 64 };

/* What a block of a pass is weighed with. */
typedef struct asked {
    const sp_problem *problem;
    const sp_data_ask *ask;
    double record_within, total_within; /* what the limits leave as it is, whatever the norm */
    double *values; /* instead, phi at the points: where they go, or */
    double *total;  /* where they are added up */
} asked;

/* Rows of moments stand for many records each; `first` is the block's first row. */
static inline void repeat(const sp_problem *p, size_t first, size_t count, double *restrict scale)
{
    const double *weight = sp_dataset_weight(p->train);
    for (size_t i = 0; i < count && weight; i++)
        scale[i] *= weight[first + i];
}

/* phi, phi' and phi'' at the margins m */
static void link_value(const sp_problem *p, size_t count, const double *m, const double *y, double *restrict out)
{
    if (p->envelope > 0.0)
        sp_envelope(p->loss, p->number, p->envelope, 0.0, count, m, y, out, NULL);
    else
        p->loss->link->value(p->number, count, m, y, out);
}

static void link_slope(const sp_problem *p, size_t count, const double *m, const double *y, double *restrict out)
{
    if (p->envelope > 0.0)
        sp_envelope(p->loss, p->number, p->envelope, 0.0, count, m, y, NULL, out);
    else
        p->loss->link->slope(p->number, count, m, y, out);
}

static void link_curvature(const sp_problem *p, size_t count, const double *m, const double *y, double *restrict out)
{
    if (!(p->envelope > 0.0)) {
        p->loss->link->curvature(p->number, count, m, y, out);
        return;
    }
    const double step = 1e-4 * sp_envelope_lipschitz(p->loss, p->number) / p->envelope;
    for (size_t i = 0; i < count; i++) {
        const double around[] = { m[i] - step, m[i] + step }, label[] = { y[i], y[i] };
        double slope[2];
        sp_envelope(p->loss, p->number, p->envelope, 0.0, 2, around, label, NULL, slope);
        out[i] = (slope[1] - slope[0]) / (2.0 * step);
    }
}

/* Rows up to the next eight: whole vectors. */
static inline size_t eights(size_t count)
{
    return (count + 7) / 8 * 8;
}

/* v cut to [-limit, limit]; what is not finite stays so, to be dropped. */
static inline double cut(double v, double limit)
{
    const double w = v > limit ? limit : v < -limit ? -limit : v;
    return fabs(v) <= DBL_MAX ? w : v;
}

/* The v >= 0 that a limit leaves as they are, whatever the norm: v <= within(). Norms are at most R (1 + 1e-12), for
 * others are not let in (core/data/dataset.c), and `largest` where that stands for them; as rounding keeps order,
 * v <= limit / (R (1 + 4e-12)) in double is v <= limit / norm in double. */
static double within(const sp_problem *p, const sp_clip *clip, double limit)
{
    const double longest = p->train->radius * (1.0 + 4e-12);
    const double bound = limit / (clip->norm == SP_NORM_LINF ? fmin(p->train->largest, longest) : longest);
    return bound > DBL_MAX ? DBL_MAX : bound;
}

/* Is every |v| at most `bound`? False where one is NaN, or the bound is. */
static inline bool all_within(size_t count, double bound, const double *v)
{
    int64_t beyond = 0;
    for (size_t i = 0; i < count; i += 8)
#pragma omp simd reduction(| : beyond)
        for (size_t l = i; l < i + 8; l++)
            beyond |= fabs(v[l]) <= bound ? 0 : 1;
    return beyond == 0;
}

/* scale cut to total / norm; 0 where it is not finite. Numbers below `within` are not divided for. */
static inline void limit(size_t count, double total, double within, const double *norm, double *restrict scale)
{
    if (all_within(count, within, scale))
        return;
    for (size_t i = 0; i < count; i += 8)
#pragma omp simd
        for (size_t l = i; l < i + 8; l++) {
            const double v = cut(scale[l], total / norm[l]);
            scale[l] = fabs(v) <= DBL_MAX ? v : 0.0;
        }
}

/* total scale / (|scale| norm + xi); 0 where scale is not finite */
static inline void normalise(size_t count, double total, double xi, const double *norm, double *restrict scale)
{
    for (size_t i = 0; i < count; i += 8)
#pragma omp simd
        for (size_t l = i; l < i + 8; l++) {
            const double v = scale[l] * (total / (fabs(scale[l]) * norm[l] + xi));
            scale[l] = fabs(v) <= DBL_MAX ? v : 0.0;
        }
}

/* scale (0 at the start) += c slope, each slope cut to record / norm */
static inline void take(size_t count, bool start, double c, double record, double within, const double *slope,
                        const double *norm, double *restrict scale)
{
    const bool cuts = record < INFINITY && !all_within(count, within, slope);
    for (size_t i = 0; i < count; i += 8)
#pragma omp simd
        for (size_t l = i; l < i + 8; l++) {
            const double v = cuts ? cut(slope[l], record / norm[l]) : slope[l];
            scale[l] = (start ? 0.0 : scale[l]) + c * v;
        }
}

/* a_i of a block, by whole vectors of the arrays behind `seen` and `scale` */
static inline void scales(const asked *a, const sp_margins *seen, double *restrict scale)
{
    const sp_data_ask *ask = a->ask;
    const double record = ask->clip ? ask->clip->record : INFINITY, total = ask->clip ? ask->clip->total : INFINITY;
    const double xi = ask->clip ? ask->clip->normalise : 0.0;
    const size_t count = eights(seen->count);
    _Alignas(64) double slope[SP_PASS_ROWS], shorter[SP_PASS_ROWS];
    const double *norm = seen->norm;
    if (ask->clip && ask->clip->norm == SP_NORM_LINF) {
        const double largest = a->problem->train->largest;
        for (size_t i = 0; i < count; i++)
            shorter[i] = seen->norm[i] < largest ? seen->norm[i] : largest;
        norm = shorter;
    }
    if (ask->terms == 1 && ask->term->coefficient == 1.0) {
        link_slope(a->problem, count, seen->at[0], seen->label, scale);
        if (xi > 0.0) {
            limit(count, record, a->record_within, norm, scale);
            normalise(count, total, xi, norm, scale);
        } else if (ask->clip)
            limit(count, fmin(record, total), fmin(a->record_within, a->total_within), norm, scale);
        repeat(a->problem, seen->first, seen->count, scale);
        return;
    }
    for (size_t k = 0; k < ask->terms; k++) {
        link_slope(a->problem, count, seen->at[k], seen->label, slope);
        take(count, k == 0, ask->term[k].coefficient, record, a->record_within, slope, norm, scale);
    }
    if (xi > 0.0)
        normalise(count, total, xi, norm, scale);
    else if (ask->clip)
        limit(count, total, a->total_within, norm, scale);
    repeat(a->problem, seen->first, seen->count, scale);
}
SP_KERNEL(void, scales_on, (const void *a, const sp_margins *seen, double *restrict scale), scales(a, seen, scale))

static void queries(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t count, const sp_data_ask *ask,
                    double divisor)
{
    const size_t d = p->train->d;
    for (size_t first = 0, some; first < count; first += some, ask += some) {
        const double *point[SOME][SP_TERMS_MAX];
        sp_rows_ask each[SOME];
        asked a[SOME];
        some = count - first < SOME ? count - first : SOME;
        for (size_t k = 0; k < some; k++) {
            for (size_t t = 0; t < ask[k].terms; t++)
                point[k][t] = ask[k].term[t].point;
            a[k] = (asked){ .problem = p, .ask = &ask[k] };
            if (ask[k].clip) {
                a[k].record_within = within(p, ask[k].clip, ask[k].clip->record);
                a[k].total_within = within(p, ask[k].clip, ask[k].clip->total);
            }
            each[k] = (sp_rows_ask){ ask[k].terms, point[k], &a[k], ask[k].out };
            memset(ask[k].out, 0, d * sizeof *ask[k].out);
        }
        sp_rows_pass(p->train, rows.index, sp_row_count(p, rows), some, each, scales_on_pick(), s->buffer);
        for (size_t k = 0; k < some; k++)
            for (size_t j = 0; j < d; j++)
                ask[k].out[j] /= divisor;
    }
}

static void query(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t terms, const sp_term *term,
                  const sp_clip *clip, double divisor, double *out)
{
    queries(p, s, rows, 1, &(sp_data_ask){ terms, term, clip, s->sum }, divisor);
    memcpy(out, s->sum, p->train->d * sizeof *out);
}

static void weigh_values(const void *context, const sp_margins *seen, double *restrict scale)
{
    const asked *a = context;
    link_value(a->problem, eights(seen->count), seen->at[0], seen->label, scale);
    if (a->values)
        memcpy(a->values + seen->first, scale, seen->count * sizeof *scale);
    else
        repeat(a->problem, seen->first, seen->count, scale);
    for (size_t i = 0; i < seen->count && a->total; i++)
        *a->total += scale[i];
}

static void value_of_each(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t count, const double *const *point,
                          double divisor, double *out)
{
    for (size_t first = 0, some; first < count; first += some) {
        sp_rows_ask each[SOME];
        asked a[SOME];
        some = count - first < SOME ? count - first : SOME;
        for (size_t k = 0; k < some; k++) {
            out[first + k] = 0.0;
            a[k] = (asked){ .problem = p, .total = &out[first + k] };
            each[k] = (sp_rows_ask){ 1, &point[first + k], &a[k], NULL };
        }
        sp_rows_pass(p->train, rows.index, sp_row_count(p, rows), some, each, weigh_values, s->buffer);
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
    const asked a = { .problem = p, .values = out };
    sp_rows_pass(p->train, rows.index, sp_row_count(p, rows), 1, &(sp_rows_ask){ 1, &w, &a, NULL }, weigh_values,
                 s->buffer);
}

/* What shortens x_i to R. */
static inline double shorten(const sp_problem *p, double norm)
{
    const double R = p->certified.radius;
    return norm > R ? R / norm : 1.0;
}

/* phi'' within its certified bounds */
static void enforce(const sp_problem *p, const sp_workspace *s, size_t count, double *restrict b)
{
    for (size_t i = 0; i < count; i++) {
        const double shorter = shorten(p, s->norm[i]);
        const double within = fmax(-s->link.curvature_low, fmin(s->link.curvature_high, b[i]));
        b[i] = isfinite(b[i]) ? within * shorter * shorter : 0.0;
    }
}

/* A majorant, or the positive part of phi'', within its certified bound */
static void positive(const sp_problem *p, const sp_workspace *s, size_t count, const double *m, sp_weights weights,
                     double *restrict b)
{
    const double high = s->link.curvature_high;
    const bool majorant = weights == SP_WEIGHTS_MAJORANT, own = p->loss->majorant && !(p->envelope > 0.0);
    if (majorant && own)
        p->loss->majorant(p->number, count, m, s->label, b);
    else if (!majorant)
        link_curvature(p, count, m, s->label, b);
    for (size_t i = 0; i < count; i++) {
        const double shorter = shorten(p, s->norm[i]), weight = majorant && !own ? high : b[i];
        b[i] = isfinite(weight) ? fmax(0.0, fmin(high, weight)) * shorter * shorter : 0.0;
    }
}

/* scale = the b_i of the rows from `first` on, at most `most`; returns how many. `weights` NULL: phi'' */
static size_t weigh_block(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t first, size_t most,
                          const double *w, const sp_weights *weights, bool enforced)
{
    const size_t count = sp_block_open(p, s, rows, first, most);
    sp_rows_dot(&s->block, w, s->margin[0]);
    sp_rows_labels(&s->block, s->label, s->norm);
    if (weights) {
        positive(p, s, count, s->margin[0], *weights, s->scale);
    } else {
        link_curvature(p, count, s->margin[0], s->label, s->scale);
        if (enforced)
            enforce(p, s, count, s->scale);
    }
    repeat(p, first, count, s->scale);
    return count;
}

static void squares(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, const sp_weights *weights,
                    bool enforced, double divisor, double *H)
{
    const size_t n = sp_row_count(p, rows), d = p->train->d, most = sp_block_packed(p, s);
    memset(H, 0, d * d * sizeof *H);
    for (size_t first = 0; first < n;) {
        first += weigh_block(p, s, rows, first, most, w, weights, enforced);
        sp_rows_square(&s->block, s->scale, s->packed, H);
    }
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++)
            H[k * d + j] = H[j * d + k] /= divisor;
}

static void hessian(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, bool enforced, double divisor,
                    double *H)
{
    squares(p, s, rows, w, NULL, enforced, divisor, H);
}

void sp_data_curvature(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, sp_weights weights,
                       double divisor, double *H)
{
    squares(p, s, rows, w, &weights, true, divisor, H);
}

double sp_data_curvature_trace(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, sp_weights weights,
                               double divisor)
{
    const size_t n = sp_row_count(p, rows), most = sp_block_packed(p, s);
    double sum = 0.0;
    for (size_t first = 0; first < n;) {
        const size_t count = weigh_block(p, s, rows, first, most, w, &weights, true);
        for (size_t i = 0; i < count; i++)
            sum += s->scale[i] * s->norm[i] * s->norm[i];
        first += count;
    }
    return sum / divisor;
}

static void weigh_product(const void *context, const sp_margins *seen, double *restrict scale)
{
    const asked *a = context;
    link_curvature(a->problem, eights(seen->count), seen->at[0], seen->label, scale);
    for (size_t i = 0; i < seen->count; i++)
        scale[i] *= seen->at[1][i];
    repeat(a->problem, seen->first, seen->count, scale);
}

static void product(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, const double *v,
                    double divisor, double *out)
{
    const size_t d = p->train->d;
    const double *point[] = { w, v };
    const asked a = { .problem = p };
    memset(s->sum, 0, d * sizeof *s->sum);
    sp_rows_pass(p->train, rows.index, sp_row_count(p, rows), 1, &(sp_rows_ask){ 2, point, &a, s->sum }, weigh_product,
                 s->buffer);
    for (size_t j = 0; j < d; j++)
        out[j] = s->sum[j] / divisor;
}

const sp_engine sp_glm_engine = { value, values, query, hessian, product, queries, value_of_each };
