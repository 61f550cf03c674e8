/* record.c -- engine for losses of the form "record" (losses/loss.h): any f(w, z), z = (x, y), one record after the
 * other.
 *
 * Enforced Hessian: what is promised about two records' Hessians holds even if the loss's certificate is wrong. The
 * loss certifies -l I <= A <= u I for A = hess f(w, z), so with the public centre A0 = ((u - l)/2) I
 *
 *   ||A - A0||_F <= sqrt d ||A - A0|| <= sqrt d (u + l)/2 = r.
 *
 * A is replaced by A0 + clip(A - A0, r), and by 0 if it is not finite (0 is in that ball, since ||A0||_F =
 * sqrt d |u - l|/2 <= r). So two of them differ by at most 2 r = sqrt d (u + l) in ||.||_F, and each has norm at most
 * ||A0||_F + r = sqrt d max(u, l). If the certificate is right, nothing changes. Only the lower triangle of A is read,
 * so the result is symmetric. If the loss bounds ||A||_F itself, then u = l and that bound is r.
 *
 * Fast path. If f is affine in x, and its records were clipped on storage by the loss's own map (record_map.h), then a
 * mean over records is f at their mean x, and so are the derivatives: O(d) for the full batch. Gradients take it only
 * if no clip can act: the largest gradient of any such record, which the points alone determine, is within the limits.
 * u and l hold for all such records, so no Hessian is clipped; a mean Hessian that is not finite is replaced by 0.
 *
 * Storage "moments" (core/data/moments.h) has the fast path only. The caller must ask sp_data_exact first: where it
 * says no, the clipped mean cannot be computed.
 */
#include "losses/engine/engine.h"

#include <string.h>

static const double *features(sp_workspace *s, size_t i)
{
    if (s->block.row[i])
        return s->block.row[i];
    sp_rows_copy(&s->block, i, 1.0, s->feature);
    return s->feature;
}

/* Are means of f those of x? */
static bool by_mean(const sp_problem *p, sp_rows rows)
{
    const sp_affine *a = p->loss->record->affine;
    return a && p->train->map == a->map && (!rows.index || rows.count > 0);
}

/* mean(x) over the rows, in s->feature; returns how many times their mean of f the answer is. */
static double mean_record(const sp_problem *p, sp_workspace *s, sp_rows rows, double divisor)
{
    const double n = (double)(rows.index ? rows.count : p->train->n);
    sp_block_mean(p, s, rows, n, s->feature);
    return n / divisor;
}

bool sp_record_unclipped(const sp_problem *p, size_t terms, const sp_term *term, const sp_clip *clip)
{
    const sp_affine *a = p->loss->record->affine;
    const size_t d = p->domain.d;
    if (!clip)
        return true;
    if (clip->normalise > 0.0)
        return false;
    for (size_t k = 0; k < terms; k++)
        if (!(a->largest(p->number, d, 1, &(sp_term){ 1.0, term[k].point }, clip->norm) <= clip->record))
            return false;
    return a->largest(p->number, d, terms, term, clip->norm) <= clip->total;
}

static void values(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double *restrict out)
{
    const sp_record_form *f = p->loss->record;
    const size_t n = sp_row_count(p, rows);
    if (p->train->moments) {
        mean_record(p, s, rows, 1.0);
        out[0] = f->value(p->number, p->train->d, s->feature, 0.0, w, s->scratch);
        return;
    }
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        for (size_t i = 0; i < count; i++)
            out[first + i] = f->value(p->number, p->train->d, features(s, i), s->label[i], w, s->scratch);
        first += count;
    }
}

double sp_record_change(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, const double *c)
{
    mean_record(p, s, rows, 1.0);
    return p->loss->record->affine->change(p->number, p->train->d, s->feature, w, c);
}

static double value(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double divisor)
{
    const sp_record_form *f = p->loss->record;
    const size_t n = sp_row_count(p, rows);
    double sum = 0.0;
    if (by_mean(p, rows)) {
        const double times = mean_record(p, s, rows, divisor);
        return times * f->value(p->number, p->train->d, s->feature, 0.0, w, s->scratch);
    }
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        for (size_t i = 0; i < count; i++)
            sum += f->value(p->number, p->train->d, features(s, i), s->label[i], w, s->scratch);
        first += count;
    }
    return sum / divisor;
}

static void query(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t terms, const sp_term *term,
                  const sp_clip *clip, double divisor, double *out)
{
    const sp_record_form *f = p->loss->record;
    const size_t n = sp_row_count(p, rows), d = p->domain.d;
    const double record = clip ? clip->record : INFINITY, whole = clip ? clip->total : INFINITY;
    const sp_norm norm = clip ? clip->norm : SP_NORM_L2;
    double *one = s->vector[0], *total = s->vector[1];
    memset(s->sum, 0, d * sizeof *s->sum);
    if (by_mean(p, rows) && sp_record_unclipped(p, terms, term, clip)) {
        const double times = mean_record(p, s, rows, divisor);
        f->affine->query(p->number, p->train->d, s->feature, terms, term, out);
        for (size_t j = 0; j < d; j++)
            out[j] *= times;
        return;
    }
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        for (size_t i = 0; i < count; i++) {
            const double *x = features(s, i);
            memset(total, 0, d * sizeof *total);
            for (size_t k = 0; k < terms; k++) {
                f->gradient(p->number, p->train->d, x, s->label[i], term[k].point, s->scratch, one);
                sp_add_clipped(d, term[k].coefficient, one, record, norm, total);
            }
            if (clip && !sp_all_finite(d, total))
                continue;
            if (clip && clip->normalise > 0.0) {
                const double scale = whole / (sqrt(sp_dot(d, total, total)) + clip->normalise);
                sp_add_clipped(d, scale, total, INFINITY, norm, s->sum);
            } else {
                sp_add_clipped(d, 1.0, total, whole, norm, s->sum);
            }
        }
        first += count;
    }
    for (size_t j = 0; j < d; j++)
        out[j] = s->sum[j] / divisor;
}

/* A of the record (x, y): its diagonal in diagonal[d], below it in the strict lower triangle of H */
static void record_hessian(const sp_problem *p, sp_workspace *s, const double *x, double y, const double *w,
                           double *diagonal, double *H)
{
    const size_t d = p->domain.d;
    double *unit = s->vector[1], *column = s->vector[2];
    memset(unit, 0, d * sizeof *unit);
    for (size_t k = 0; k < d; k++) {
        unit[k] = 1.0;
        p->loss->record->product(p->number, p->train->d, x, y, w, unit, s->scratch, column);
        unit[k] = 0.0;
        diagonal[k] = column[k];
        for (size_t j = k + 1; j < d; j++)
            H[j * d + k] = column[j];
    }
}

/* What clip(A - A0, r) multiplies by; NAN when A is not finite. */
static double shrink(size_t d, const double *diagonal, const double *H, double centre, double r)
{
    double square = 0.0;
    for (size_t k = 0; k < d; k++) {
        square += (diagonal[k] - centre) * (diagonal[k] - centre);
        square += 2.0 * sp_dot(k, H + k * d, H + k * d);
    }
    return !isfinite(square) ? NAN : sqrt(square) > r ? r / sqrt(square) : 1.0;
}

static void hessian(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, bool enforced, double divisor,
                    double *H)
{
    const size_t n = sp_row_count(p, rows), d = p->domain.d;
    const double up = s->record.curvature_high, down = s->record.curvature_low;
    const double known = s->record.frobenius, r = known > 0.0 ? known : sqrt((double)d) * (up + down) / 2.0;
    const double centre = enforced && isfinite(r) ? (up - down) / 2.0 : 0.0;
    double *diagonal = s->vector[0];
    memset(H, 0, d * d * sizeof *H); /* the sum in the upper triangle */
    if (by_mean(p, rows)) {
        const double times = mean_record(p, s, rows, divisor);
        record_hessian(p, s, s->feature, 0.0, w, diagonal, H);
        for (size_t k = 0; k < d; k++) {
            H[k * d + k] = times * diagonal[k];
            for (size_t j = k + 1; j < d; j++)
                H[k * d + j] = H[j * d + k] *= times;
        }
        if (enforced && !sp_all_finite(d * d, H))
            memset(H, 0, d * d * sizeof *H);
        return;
    }
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        for (size_t i = 0; i < count; i++) {
            record_hessian(p, s, features(s, i), s->label[i], w, diagonal, H);
            const double c = enforced ? shrink(d, diagonal, H, centre, r) : 1.0;
            for (size_t k = 0; k < d && !isnan(c); k++) {
                H[k * d + k] += centre + c * (diagonal[k] - centre);
                for (size_t j = k + 1; j < d; j++)
                    H[k * d + j] += c * H[j * d + k];
            }
        }
        first += count;
    }
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++)
            H[k * d + j] = H[j * d + k] /= divisor;
}

static void product(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, const double *v,
                    double divisor, double *out)
{
    const sp_record_form *f = p->loss->record;
    const size_t n = sp_row_count(p, rows), d = p->domain.d;
    if (by_mean(p, rows)) {
        const double times = mean_record(p, s, rows, divisor);
        f->product(p->number, p->train->d, s->feature, 0.0, w, v, s->scratch, s->vector[0]);
        for (size_t j = 0; j < d; j++)
            out[j] = times * s->vector[0][j];
        return;
    }
    memset(s->sum, 0, d * sizeof *s->sum);
    for (size_t first = 0; first < n;) {
        const size_t count = sp_block_gather(p, s, rows, first, SP_ROWS);
        for (size_t i = 0; i < count; i++) {
            f->product(p->number, p->train->d, features(s, i), s->label[i], w, v, s->scratch, s->vector[0]);
            for (size_t j = 0; j < d; j++)
                s->sum[j] += s->vector[0][j];
        }
        first += count;
    }
    for (size_t j = 0; j < d; j++)
        out[j] = s->sum[j] / divisor;
}

const sp_engine sp_record_engine = { value, values, query, hessian, product };
