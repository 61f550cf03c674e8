/* release.c -- noisy answers: check, charge, compute, add noise. Nothing can fail once the charge is written. */
#include "core/privacy/oracle_internal.h"

#include "core/base/memory.h"
#include "core/privacy/noise.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <string.h>

static bool is_difference(const sp_query *query)
{
    return query->terms == 2 && query->term[0].coefficient == 1.0 && query->term[1].coefficient == -1.0;
}

static double distance(size_t d, const double *v, const double *w)
{
    double scale = 0.0, sum = 0.0; /* scaled, so that no square overflows */
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

double sp_sensitivity(const sp_oracle *o, const sp_query *query)
{
    const size_t m = sp_batch_size(o, query->batch);
    return m > 0 && query->terms <= SP_TERMS_MAX ? 2.0 * bound_of(o, query) / (double)m : NAN;
}

static sp_status check_finite(sp_oracle *o, const char *what, const double *w)
{
    for (size_t j = 0; j < sp_dimension(o); j++)
        if (!isfinite(w[j]))
            return sp_refuse(o, SP_ENUMERIC, "%s: coordinate %zu of the point is %g", what, j, w[j]);
    return SP_OK;
}

static sp_status check_noise(sp_oracle *o, const char *name, double value)
{
    if (o->charged && !(value > 0.0 && isfinite(value)))
        return sp_refuse(o, SP_EPRIVACY, "%s = %g: a private release needs it > 0 and finite", name, value);
    return SP_OK;
}

/* No theorem covers two releases on one subset: the second would need its own. */
static sp_status check_unreleased(sp_oracle *o, const sp_part *part)
{
    if (o->options.privacy.private && part->entry.kind == SP_LEDGER_GAUSS_WOR && part->drawn->released)
        return sp_refuse(o, SP_EPRIVACY, "a subset of %zu records was released twice: draw anew for each release",
                         part->m);
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
        SP_TRY(check_finite(o, "query", query->term[k].point));
    }
    *question = (sp_question){ .bound = bound_of(o, query) };
    SP_TRY(sp_batch_resolve(o, query->batch, &question->part));
    question->sensitivity = 2.0 * question->bound / (double)question->part.m;
    if (o->charged && !isfinite(question->sensitivity))
        return sp_refuse(o, SP_EPRIVACY, "query: no finite sensitivity (L_data = %g, beta_data = %g)",
                         sp_public(o)->L_data, sp_public(o)->beta_data);
cleanup:
    return status;
}

void sp_query_answer(sp_oracle *o, const sp_query *query, const sp_question *question, double *data, double *exact)
{
    const double m = (double)question->part.m;
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

static sp_status charge(sp_oracle *o, sp_part *part, double noise_multiplier)
{
    part->entry.noise_multiplier = noise_multiplier;
    const sp_status status = sp_charge(o, &part->entry, 1);
    if (status == SP_OK && part->drawn)
        part->drawn->released = true;
    return status;
}

sp_status sp_gradient(sp_oracle *o, const sp_query *query, double noise_multiplier, double *out)
{
    sp_status status = SP_OK;
    sp_question question;
    const size_t d = sp_dimension(o);
    SP_TRY(sp_query_check(o, query, &question));
    SP_TRY(check_noise(o, "sp_gradient: noise_multiplier", noise_multiplier));
    SP_TRY(check_unreleased(o, &question.part));
    SP_TRY(charge(o, &question.part, noise_multiplier));
    o->cost.releases++;
    sp_query_answer(o, query, &question, o->data, o->exact);
    if (o->charged)
        sp_noise_gaussian(o->noise, noise_multiplier * question.sensitivity, d, o->data);
    for (size_t j = 0; j < d; j++)
        out[j] = o->data[j] + o->exact[j];
cleanup:
    return status;
}

sp_status sp_hessian(sp_oracle *o, sp_batch batch, const double *w, double noise_multiplier, double *out)
{
    sp_status status = SP_OK;
    sp_part part;
    const size_t d = sp_dimension(o);
    double sensitivity;
    SP_TRY(check_finite(o, "sp_hessian", w));
    SP_TRY(sp_batch_resolve(o, batch, &part));
    SP_TRY(check_noise(o, "sp_hessian: noise_multiplier", noise_multiplier));
    SP_TRY(check_unreleased(o, &part));
    sensitivity = sp_public(o)->hessian_frobenius / (double)part.m;
    if (o->charged && !isfinite(sensitivity))
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_hessian: hessian_frobenius = %g", sp_public(o)->hessian_frobenius));
    if (!o->hessian && !(o->hessian = sp_alloc(d, d * sizeof *o->hessian)))
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_hessian: out of memory at d = %zu", d));
    SP_TRY(charge(o, &part, noise_multiplier));
    o->cost.releases++;
    o->cost.hessians += (double)part.m;
    sp_data_hessian(o->problem, o->workspace, part.rows, w, (double)part.m, out);
    if (o->charged)
        sp_noise_symmetric(o->noise, noise_multiplier * sensitivity, d, out);
    sp_public_hessian(o->problem, o->workspace, w, o->hessian);
    cblas_daxpy((int)(d * d), 1.0, o->hessian, 1, out, 1);
cleanup:
    return status;
}
