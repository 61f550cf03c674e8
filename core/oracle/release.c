/* release.c -- noisy gradients and Hessians: checks the query, charges the ledger, computes, adds noise. After the
 * charge nothing can fail, except that a transcript (an audit) may object.
 *
 * The noise multiplier is relative to the replace-one sensitivity 2 bound / m; on a Poisson sample to one record's
 * part, bound / (rate n), as the theorem there requires. */
#include "core/oracle/oracle_internal.h"

#include "core/base/memory.h"
#include "core/oracle/noise.h"

#include <float.h>
#include <gsl/gsl_cblas.h>
#include <math.h>
#include <string.h>

static bool is_difference(const sp_query *query)
{
    return query->terms == 2 && query->term[0].coefficient == 1.0 && query->term[1].coefficient == -1.0;
}

/* Only where a square overflows, or all of them (nearly) vanish, is it worth the divisions to scale. */
double sp_query_distance(size_t d, const double *v, const double *w)
{
    double scale = 0.0, sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum += (v[j] - w[j]) * (v[j] - w[j]);
    if (sum > 0x1p-900 && sum <= DBL_MAX)
        return sqrt(sum);
    sum = 0.0;
    for (size_t j = 0; j < d; j++)
        scale = fmax(scale, fabs(v[j] - w[j]));
    for (size_t j = 0; scale > 0.0 && j < d; j++)
        sum += (v[j] - w[j]) / scale * ((v[j] - w[j]) / scale);
    return scale * sqrt(sum);
}

/* ||v - w||_1 */
static double distance_l1(size_t d, const double *v, const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum += fabs(v[j] - w[j]);
    return sum;
}

/* The clip of one record's gradient in the query's norm. */
static double record_bound(const sp_oracle *o, sp_norm norm)
{
    const sp_constants *c = &o->problem->declared;
    return norm == SP_NORM_LINF ? fmin(c->L_data_linf, c->L_data) : c->L_data;
}

/* What the declared constants imply for the norm of a record's summed term. */
static double bound_of(const sp_oracle *o, const sp_query *query)
{
    const sp_constants *c = &o->problem->declared;
    const double L = record_bound(o, query->norm);
    double sum = 0.0;
    if (query->bound > 0.0)
        return query->bound;
    if (is_difference(query)) {
        const double *w = query->term[0].point, *previous = query->term[1].point;
        const double step = sp_query_distance(sp_dimension(o), w, previous);
        double moved = c->beta_data * step;
        if (query->norm == SP_NORM_LINF)
            moved = fmin(moved, c->beta_data_linf * distance_l1(sp_dimension(o), w, previous));
        return step > 0.0 ? fmin(moved, 2.0 * L) : 0.0;
    }
    for (size_t k = 0; k < query->terms; k++)
        sum += fabs(query->term[k].coefficient) * L;
    return sum;
}

/* What noise is relative to must not vanish before the answer does. */
static double at_least(double bound)
{
    return bound > 0.0 ? fmax(bound, SP_MAGNITUDE_MIN) : 0.0;
}

/* Of the unit of a noise multiplier, 1 / m, on this kind of sample: a difference of two records, or one record. */
static double records_moved(sp_sample_kind kind)
{
    return kind == SP_SAMPLE_POISSON ? 1.0 : 2.0;
}

double sp_sensitivity(const sp_oracle *o, const sp_query *query)
{
    sp_resolved_batch resolved;
    if (query->terms > SP_TERMS_MAX || sp_batch_size(o, query->batch) == 0 ||
        sp_batch_resolve((sp_oracle *)o, query->batch, &resolved) != SP_OK) /* a valid one: writes no message */
        return NAN;
    return records_moved(resolved.kind) * at_least(bound_of(o, query)) / resolved.m;
}

sp_status sp_point_check(sp_oracle *o, const char *what, const double *w)
{
    const size_t d = sp_dimension(o);
    for (size_t j = 0; j < d; j++)
        if (!isfinite(w[j]))
            return sp_refuse(o, SP_ENUMERIC, "%s: coordinate %zu of the point is %g", what, j, w[j]);
    return SP_OK;
}

sp_status sp_noise_check(sp_oracle *o, const char *what, double value)
{
    if (o->charged && !(value > 0.0 && isfinite(value)))
        return sp_refuse(o, SP_EPRIVACY, "%s = %g: a private release needs it > 0 and finite", what, value);
    return SP_OK;
}

sp_status sp_query_points(sp_oracle *o, const sp_query *query, sp_question *question)
{
    sp_status status = SP_OK;
    if (query->terms == 0 || query->terms > SP_TERMS_MAX)
        return sp_refuse(o, SP_EINVAL, "query: terms = %zu must be in [1, %d]", query->terms, SP_TERMS_MAX);
    if (!(query->bound >= 0.0 && isfinite(query->bound)))
        return sp_refuse(o, SP_EINVAL, "query: bound = %g must be >= 0 and finite", query->bound);
    for (size_t k = 0; k < query->terms; k++) {
        if (!isfinite(query->term[k].coefficient))
            return sp_refuse(o, SP_EINVAL, "query: coefficient %zu is %g", k, query->term[k].coefficient);
        SP_TRY(sp_point_check(o, "query", query->term[k].point));
    }
    SP_TRY(sp_batch_resolve(o, query->batch, &question->resolved));
cleanup:
    return status;
}

sp_status sp_question_bound(sp_oracle *o, sp_question *question, double bound)
{
    question->bound = bound;
    question->sensitivity = 2.0 * at_least(question->bound) / question->resolved.m;
    question->unit = records_moved(question->resolved.kind) * at_least(question->bound) / question->resolved.m;
    if (o->charged && !isfinite(question->sensitivity))
        return sp_refuse(o, SP_EPRIVACY, "query: no finite sensitivity (L_data = %g, beta_data = %g)",
                         o->problem->declared.L_data, o->problem->declared.beta_data);
    if (o->charged && question->bound > SP_MAGNITUDE_MAX)
        return sp_refuse(o, SP_EPRIVACY, "query: bound = %g is above %g: whether the sum overflows would tell about "
                         "records", question->bound, SP_MAGNITUDE_MAX);
    return SP_OK;
}

sp_status sp_query_check(sp_oracle *o, const sp_query *query, sp_question *question)
{
    sp_status status = SP_OK;
    if (query->norm != SP_NORM_L2 && query->norm != SP_NORM_LINF)
        return sp_refuse(o, SP_EUNSUPPORTED, "query: norm = %d: records are cut in l2, or for choices in l_inf",
                         (int)query->norm);
    if (!(query->normalise >= 0.0 && isfinite(query->normalise)))
        return sp_refuse(o, SP_EINVAL, "query: normalise = %g must be >= 0 and finite", query->normalise);
    SP_TRY(sp_query_points(o, query, question));
    if (query->normalise > 0.0 && (query->norm != SP_NORM_L2 || sp_data_summed(question->resolved.problem)))
        return sp_refuse(o, SP_EUNSUPPORTED, "query: normalise = %g: records are normalised in l2, and one by one: not "
                         "those that storage = \"moments\" sums up", query->normalise);
    SP_TRY(sp_question_bound(o, question, bound_of(o, query)));
    const sp_clip clip = { record_bound(o, query->norm), question->bound, query->norm };
    if (question->bound > 0.0 && !sp_data_exact(question->resolved.problem, query->terms, query->term, &clip))
        return sp_refuse(o, SP_EUNSUPPORTED, "query: a record's terms may be above the bound %g (or one gradient above "
                         "%g), or are no numbers, so far out is a point, and storage = \"moments\" has no records to "
                         "cut: raise the bound, stay nearer to 0, or take storage = \"dense\"", clip.total,
                         clip.record);
cleanup:
    return status;
}

void sp_query_answer(sp_oracle *o, const sp_query *query, const sp_question *question, double *data, double *exact)
{
    const double m = question->resolved.m;
    const sp_clip clip = { .record = record_bound(o, query->norm), .total = question->bound, .norm = query->norm,
                           .normalise = query->normalise };
    const sp_data_ask ask = { .terms = query->terms, .term = query->term, .clip = &clip, .out = data };
    if (question->bound > 0.0)
        sp_data_queries(question->resolved.problem, o->scratch.workspace, question->resolved.rows, 1, &ask, m);
    else
        memset(data, 0, sp_dimension(o) * sizeof *data);
    sp_public_query(o->problem, o->scratch.workspace, query->terms, query->term, exact);
    if (is_difference(query))
        o->cost.differences += m;
    else
        o->cost.gradients += m * (double)query->terms;
}

sp_status sp_release_charge(sp_oracle *o, sp_resolved_batch *resolved, double noise_multiplier, double unit)
{
    resolved->entry.noise_multiplier = noise_multiplier;
    resolved->entry.sensitivity_low = resolved->entry.sensitivity_high = unit;
    return sp_charge_batch(o, resolved, &resolved->entry);
}

sp_status sp_gradient(sp_oracle *o, const sp_query *query, double noise_multiplier, double *out)
{
    sp_status status = SP_OK;
    sp_question question;
    const size_t d = sp_dimension(o);
    double noise_std, *answer;
    SP_TRY(sp_not_reentered(o));
    SP_TRY(sp_query_check(o, query, &question));
    if (query->norm != SP_NORM_L2)
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_gradient: records that are cut in l_inf have no l2 sensitivity, which "
                         "Gaussian noise is relative to"));
    SP_TRY(sp_noise_check(o, "sp_gradient: noise_multiplier", noise_multiplier));
    SP_TRY(sp_batch_check(o, &question.resolved));
    SP_TRY(sp_release_charge(o, &question.resolved, noise_multiplier, question.unit));
    o->cost.releases++;
    sp_query_answer(o, query, &question, o->scratch.data, o->scratch.exact);
    noise_std = o->charged ? noise_multiplier * question.unit : 0.0;
    if (o->transcript)
        memcpy(o->scratch.raw, o->scratch.data, d * sizeof *o->scratch.raw);
    sp_noise_gaussian(o->noise, noise_std, d, o->scratch.data);
    answer = o->transcript ? o->scratch.data : out; /* a transcript may object: then out stays untouched */
    for (size_t j = 0; j < d; j++)
        answer[j] = o->scratch.data[j] + o->scratch.exact[j];
    if (o->transcript) {
        const double *point[SP_TERMS_MAX];
        for (size_t k = 0; k < query->terms; k++)
            point[k] = query->term[k].point;
        SP_TRY(sp_transcript_event(o, &(sp_event){ .primitive = "gradient", .point = point, .points = query->terms,
                                             .dimension = d, .rows = question.resolved.listed.index,
                                             .count = question.resolved.listed.count, .m = question.resolved.m,
                                             .rate = question.resolved.entry.rate, .raw = o->scratch.raw, .size = d,
                                             .move = SP_MOVE_L2, .sensitivity = question.sensitivity,
                                             .noise_std = noise_std, .answer = o->scratch.data, .answers = d }));
        memcpy(out, o->scratch.data, d * sizeof *out);
    }
cleanup:
    return status;
}

sp_status sp_oracle_hessian_scratch(sp_oracle *o, const char *what)
{
    const size_t d = sp_dimension(o);
    if (!o->scratch.hessian && !(o->scratch.hessian = sp_alloc(d, (o->transcript ? 3 : 2) * d * sizeof(double))))
        return sp_refuse(o, SP_ENOMEM, "%s: out of memory at d = %zu", what, d);
    return SP_OK;
}

static sp_status hessian(sp_oracle *o, sp_batch batch, const double *w, double noise_multiplier, bool mirrored,
                         double *out)
{
    sp_status status = SP_OK;
    sp_resolved_batch resolved;
    const size_t d = sp_dimension(o);
    double sensitivity, unit, noise_std, *H, *exact, *raw;
    SP_TRY(sp_not_reentered(o));
    SP_TRY(sp_point_check(o, "sp_hessian", w));
    SP_TRY(sp_batch_resolve(o, batch, &resolved));
    SP_TRY(sp_noise_check(o, "sp_hessian: noise_multiplier", noise_multiplier));
    SP_TRY(sp_batch_check(o, &resolved));
    sensitivity = o->problem->declared.hessian_frobenius / resolved.m;
    unit = resolved.kind == SP_SAMPLE_POISSON ? o->problem->declared.hessian_norm / resolved.m : sensitivity;
    if (o->charged && !isfinite(sensitivity))
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_hessian: hessian_frobenius = %g", o->problem->declared.hessian_frobenius));
    SP_TRY(sp_oracle_hessian_scratch(o, "sp_hessian"));
    SP_TRY(sp_release_charge(o, &resolved, noise_multiplier, unit));
    o->cost.releases++;
    o->cost.hessians += resolved.m;
    H = o->scratch.hessian;
    exact = H + d * d;
    raw = exact + d * d;
    sp_data_hessian(resolved.problem, o->scratch.workspace, resolved.rows, w, resolved.m, H);
    sp_public_hessian(o->problem, o->scratch.workspace, w, exact);
    noise_std = o->charged ? noise_multiplier * unit : 0.0;
    if (o->transcript)
        memcpy(raw, H, d * d * sizeof *raw);
    sp_noise_symmetric(o->noise, noise_std, mirrored, d, H);
    cblas_daxpy((int)(d * d), 1.0, exact, 1, H, 1);
    if (o->transcript)
        SP_TRY(sp_transcript_event(o, &(sp_event){ .primitive = "hessian", .point = &w, .points = 1, .dimension = d,
                                             .rows = resolved.listed.index, .count = resolved.listed.count,
                                             .m = resolved.m,
                                             .rate = resolved.entry.rate, .raw = raw, .size = d * d,
                                             .move = SP_MOVE_L2, .sensitivity = sensitivity,
                                             .noise_std = noise_std, .mirrored = mirrored, .answer = H,
                                             .answers = d * d }));
    memcpy(out, H, d * d * sizeof *out);
cleanup:
    return status;
}

sp_status sp_hessian(sp_oracle *o, sp_batch batch, const double *w, double noise_multiplier, double *out)
{
    return hessian(o, batch, w, noise_multiplier, false, out);
}

sp_status sp_hessian_mirrored(sp_oracle *o, sp_batch batch, const double *w, double noise_multiplier, double *out)
{
    return hessian(o, batch, w, noise_multiplier, true, out);
}
