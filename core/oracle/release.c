/* release.c -- noisy answers: check, charge, compute, add noise. Nothing can fail once the charge is written, except
 * that a tape may object.
 *
 * The multiplier is relative to the replace-one sensitivity 2 bound / m; on a Poisson sample, where the theorem speaks
 * of one record's part, to bound / (rate n). */
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

/* ||v - w||_2. Only where a square overflows, or all of them (nearly) vanish, is it worth the divisions to scale. */
static double distance(size_t d, const double *v, const double *w)
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

/* What the declared constants imply for the norm of a record's summed term. */
static double bound_of(const sp_oracle *o, const sp_query *query)
{
    const sp_constants *c = sp_public(o);
    double sum = 0.0;
    if (query->bound > 0.0)
        return query->bound;
    if (is_difference(query)) {
        const double step = distance(sp_dimension(o), query->term[0].point, query->term[1].point);
        return step > 0.0 ? fmin(c->beta_data * step, 2.0 * c->L_data) : 0.0;
    }
    for (size_t k = 0; k < query->terms; k++)
        sum += fabs(query->term[k].coefficient) * c->L_data;
    return sum;
}

/* Of the unit of a noise multiplier, 1 / m, on this kind of sample: a difference of two records, or one record. */
static double records_moved(sp_sample_kind kind)
{
    return kind == SP_SAMPLE_POISSON ? 1.0 : 2.0;
}

double sp_sensitivity(const sp_oracle *o, const sp_query *query)
{
    sp_part part;
    if (query->terms > SP_TERMS_MAX || sp_batch_size(o, query->batch) == 0 ||
        sp_batch_resolve((sp_oracle *)o, query->batch, &part) != SP_OK) /* a valid one: writes no message */
        return NAN;
    return records_moved(part.kind) * bound_of(o, query) / part.m;
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

sp_status sp_query_check(sp_oracle *o, const sp_query *query, sp_question *question)
{
    sp_status status = SP_OK;
    if (query->norm != SP_NORM_L2)
        return sp_refuse(o, SP_EUNSUPPORTED, "query: only the l2 norm is built in yet");
    if (query->terms == 0 || query->terms > SP_TERMS_MAX)
        return sp_refuse(o, SP_EINVAL, "query: terms = %zu must be in [1, %d]", query->terms, SP_TERMS_MAX);
    if (!(query->bound >= 0.0 && isfinite(query->bound)))
        return sp_refuse(o, SP_EINVAL, "query: bound = %g must be >= 0 and finite", query->bound);
    for (size_t k = 0; k < query->terms; k++) {
        if (!isfinite(query->term[k].coefficient))
            return sp_refuse(o, SP_EINVAL, "query: coefficient %zu is %g", k, query->term[k].coefficient);
        SP_TRY(sp_point_check(o, "query", query->term[k].point));
    }
    SP_TRY(sp_batch_resolve(o, query->batch, &question->part));
    question->bound = bound_of(o, query);
    question->sensitivity = 2.0 * question->bound / question->part.m;
    question->unit = records_moved(question->part.kind) * question->bound / question->part.m;
    if (o->charged && !isfinite(question->sensitivity))
        return sp_refuse(o, SP_EPRIVACY, "query: no finite sensitivity (L_data = %g, beta_data = %g)",
                         sp_public(o)->L_data, sp_public(o)->beta_data);
cleanup:
    return status;
}

void sp_query_answer(sp_oracle *o, const sp_query *query, const sp_question *question, double *data, double *exact)
{
    const double m = question->part.m;
    if (question->bound > 0.0)
        sp_data_query(o->problem, o->workspace, question->part.rows, query->terms, query->term, sp_public(o)->L_data,
                      question->bound, m, data);
    else
        memset(data, 0, sp_dimension(o) * sizeof *data);
    sp_public_query(o->problem, o->workspace, query->terms, query->term, exact);
    if (is_difference(query))
        o->cost.differences += m;
    else
        o->cost.gradients += m * (double)query->terms;
}

/* `unit`: what the noise is a multiple of. */
static sp_status charge(sp_oracle *o, sp_part *part, double noise_multiplier, double unit)
{
    part->entry.noise_multiplier = noise_multiplier;
    part->entry.sensitivity_low = part->entry.sensitivity_high = unit;
    return sp_charge_part(o, part, &part->entry);
}

sp_status sp_gradient(sp_oracle *o, const sp_query *query, double noise_multiplier, double *out)
{
    sp_status status = SP_OK;
    sp_question question;
    const size_t d = sp_dimension(o);
    double noise_std, *answer;
    SP_TRY(sp_query_check(o, query, &question));
    SP_TRY(sp_noise_check(o, "sp_gradient: noise_multiplier", noise_multiplier));
    SP_TRY(sp_part_check(o, &question.part));
    SP_TRY(charge(o, &question.part, noise_multiplier, question.unit));
    o->cost.releases++;
    sp_query_answer(o, query, &question, o->data, o->exact);
    noise_std = o->charged ? noise_multiplier * question.unit : 0.0;
    if (o->tape)
        memcpy(o->raw, o->data, d * sizeof *o->raw);
    sp_noise_gaussian(o->noise, noise_std, d, o->data);
    answer = o->tape ? o->data : out; /* a tape may object: then out stays untouched */
    for (size_t j = 0; j < d; j++)
        answer[j] = o->data[j] + o->exact[j];
    if (o->tape) {
        const double *point[SP_TERMS_MAX];
        for (size_t k = 0; k < query->terms; k++)
            point[k] = query->term[k].point;
        SP_TRY(sp_tape_event(o, &(sp_event){ .primitive = "gradient", .point = point, .points = query->terms,
                                             .dimension = d, .rows = question.part.rows.index,
                                             .count = question.part.rows.count, .m = question.part.m,
                                             .rate = question.part.entry.rate, .raw = o->raw, .size = d,
                                             .move = SP_MOVE_L2, .sensitivity = question.sensitivity,
                                             .noise_std = noise_std, .answer = o->data, .answers = d }));
        memcpy(out, o->data, d * sizeof *out);
    }
cleanup:
    return status;
}

sp_status sp_hessian(sp_oracle *o, sp_batch batch, const double *w, double noise_multiplier, double *out)
{
    sp_status status = SP_OK;
    sp_part part;
    const size_t d = sp_dimension(o);
    double sensitivity, unit, noise_std, *raw;
    SP_TRY(sp_point_check(o, "sp_hessian", w));
    SP_TRY(sp_batch_resolve(o, batch, &part));
    SP_TRY(sp_noise_check(o, "sp_hessian: noise_multiplier", noise_multiplier));
    SP_TRY(sp_part_check(o, &part));
    sensitivity = sp_public(o)->hessian_frobenius / part.m;
    unit = part.kind == SP_SAMPLE_POISSON ? sp_public(o)->hessian_norm / part.m : sensitivity;
    if (o->charged && !isfinite(sensitivity))
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_hessian: hessian_frobenius = %g", sp_public(o)->hessian_frobenius));
    if (!o->hessian && !(o->hessian = sp_alloc(d, 2 * d * sizeof *o->hessian)))
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_hessian: out of memory at d = %zu", d));
    SP_TRY(charge(o, &part, noise_multiplier, unit));
    o->cost.releases++;
    o->cost.hessians += part.m;
    raw = o->hessian + d * d;
    sp_data_hessian(o->problem, o->workspace, part.rows, w, part.m, out);
    sp_public_hessian(o->problem, o->workspace, w, o->hessian);
    noise_std = o->charged ? noise_multiplier * unit : 0.0;
    if (o->tape)
        memcpy(raw, out, d * d * sizeof *raw);
    sp_noise_symmetric(o->noise, noise_std, d, out);
    cblas_daxpy((int)(d * d), 1.0, o->hessian, 1, out, 1);
    if (o->tape)
        SP_TRY(sp_tape_event(o, &(sp_event){ .primitive = "hessian", .point = &w, .points = 1, .dimension = d,
                                             .rows = part.rows.index, .count = part.rows.count, .m = part.m,
                                             .rate = part.entry.rate, .raw = raw, .size = d * d,
                                             .move = SP_MOVE_L2, .sensitivity = sensitivity,
                                             .noise_std = noise_std, .answer = out, .answers = d * d }));
cleanup:
    return status;
}
