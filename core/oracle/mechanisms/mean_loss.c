/* mean_loss.c -- sp_mean_loss: checks the query, charges the ledger, then releases
 *
 *   v = (1/m) sum_z clip(sum_k c_k f(w_k, z), [-B, B]) + N(0, noise_std^2) + sum_k c_k h(w_k)
 *
 * over the m records z of a batch, where f is the data part and h the public part of the loss, w_1, ..., w_K the points
 * of the query and c_k its coefficients. Replacing a record changes the mean by at most 2 B / m, however wrong the
 * declared constants are. On a Poisson sample the noise is relative to B / m, the change when a record is added or
 * removed.
 *
 * Without a B in the query: B = sum_k |c_k| L_data ||w_k - w_K|| if the c_k sum to 0 (L_data the declared constant),
 * else SP_EINVAL. Where the domain contains the points and L_data holds, this clips nothing, since the domain is
 * convex.
 *
 * Summed data (storage = "moments": only the mean record is known) cannot be clipped record by record. It is
 * SP_EUNSUPPORTED unless the c_k sum to 0, the points are in the domain, and the certified L_data shows that no record
 * exceeds B.
 *
 * The sum is computed as sum_{k < K} c_k (f(w_k, z) - f(w_K, z)) + (sum_k c_k) f(w_K, z): differences are computed
 * directly, so that nothing cancels when the points are close.
 */
#include "core/oracle/oracle_internal.h"

#include "core/oracle/noise.h"

#include <math.h>
#include <string.h>

static double coefficients(const sp_query *query)
{
    double sum = 0.0;
    for (size_t k = 0; k < query->terms; k++)
        sum += query->term[k].coefficient;
    return sum;
}

/* sum_k |c_k| ||w_k - w_K|| */
static double reach(const sp_oracle *o, const sp_query *query)
{
    double sum = 0.0;
    for (size_t k = 0; k + 1 < query->terms; k++) {
        const double step = sp_query_distance(sp_dimension(o), query->term[k].point,
                                              query->term[query->terms - 1].point);
        sum += step > 0.0 ? fabs(query->term[k].coefficient) * step : 0.0;
    }
    return sum;
}

/* L ||w - w'||, and 0 where the points are one, whatever L. */
static double within(double L, double length)
{
    return length > 0.0 ? L * length : 0.0;
}

static bool in_domain(const sp_oracle *o, const sp_query *query)
{
    for (size_t k = 0; k < query->terms; k++)
        if (!sp_domain_contains(&o->problem->domain, query->term[k].point))
            return false;
    return true;
}

static sp_status check(sp_oracle *o, const sp_query *query, sp_question *question)
{
    sp_status status = SP_OK;
    SP_TRY(sp_query_points(o, query, question));
    const bool differences = coefficients(query) == 0.0;
    if (!(query->bound > 0.0) && !differences)
        return sp_refuse(o, SP_EINVAL,
                         "sp_mean_loss: the coefficients sum to %g, and a loss that is no difference needs "
                         "a bound",
                         coefficients(query));
    const double length = reach(o, query), implied = within(o->problem->declared.L_data, length);
    SP_TRY(sp_question_bound(o, question, query->bound > 0.0 ? query->bound : implied));
    if (sp_data_summed(question->resolved.problem) &&
        !(differences && in_domain(o, query) &&
          within(o->problem->certified.L_data, length) <= question->bound * (1.0 + 1e-12)))
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_mean_loss: a record's loss may be above the bound %g, and storage = "
                         "\"moments\" has no records to cut: ask for differences in the domain, raise the bound, or "
                         "take storage = \"dense\"", question->bound);
cleanup:
    return status;
}

/* The clipped mean. */
static double mean(sp_oracle *o, const sp_query *query, const sp_question *question, size_t count, const double *weight)
{
    const sp_problem *p = question->resolved.problem;
    const double *last = query->term[query->terms - 1].point, whole = coefficients(query);
    double *sum = o->scratch.losses, *base = sum + count, *change = base + count, total = 0.0;
    sp_data_values(p, o->scratch.workspace, question->resolved.rows, last, base);
    for (size_t i = 0; i < count; i++)
        sum[i] = whole != 0.0 ? whole * base[i] : 0.0;
    for (size_t k = 0; k + 1 < query->terms; k++) {
        sp_data_changes(p, o->scratch.workspace, question->resolved.rows, query->term[k].point, last, base, change);
        for (size_t i = 0; i < count; i++)
            sum[i] += query->term[k].coefficient * change[i];
    }
    for (size_t i = 0; i < count; i++) {
        const double cut = isfinite(sum[i]) ? fmax(-question->bound, fmin(question->bound, sum[i])) : 0.0;
        total += weight ? weight[i] * cut : cut;
    }
    return total / question->resolved.m;
}

static double public_part(sp_oracle *o, const sp_query *query)
{
    double sum = 0.0;
    for (size_t k = 0; k < query->terms; k++)
        sum += query->term[k].coefficient * sp_public_value(o->problem, query->term[k].point);
    return sum;
}

sp_status sp_mean_loss(sp_oracle *o, const sp_query *query, double noise_multiplier, double *out)
{
    sp_status status = SP_OK;
    sp_question question;
    const double *weight;
    double raw, noise_std, answer;
    SP_TRY(sp_not_reentered(o));
    SP_TRY(check(o, query, &question));
    SP_TRY(sp_noise_check(o, "sp_mean_loss: noise_multiplier", noise_multiplier));
    SP_TRY(sp_batch_check(o, &question.resolved));
    const size_t count = sp_data_value_count(question.resolved.problem, question.resolved.rows, &weight);
    SP_TRY(sp_oracle_losses_scratch(o, 3 * count, "sp_mean_loss"));
    SP_TRY(sp_release_charge(o, &question.resolved, noise_multiplier, question.unit));
    o->cost.releases++;
    o->cost.losses += question.resolved.m * (double)query->terms;
    raw = answer = question.bound > 0.0 ? mean(o, query, &question, count, weight) : 0.0;
    noise_std = o->charged ? noise_multiplier * question.unit : 0.0;
    sp_noise_gaussian(o->noise, noise_std, 1, &answer);
    answer += public_part(o, query);
    if (o->transcript) {
        const double *point[SP_TERMS_MAX];
        for (size_t k = 0; k < query->terms; k++)
            point[k] = query->term[k].point;
        SP_TRY(sp_transcript_event(o, &(sp_event){ .primitive = "mean_loss", .point = point, .points = query->terms,
                                             .dimension = sp_dimension(o), .rows = question.resolved.listed.index,
                                             .count = question.resolved.listed.count, .m = question.resolved.m,
                                             .rate = question.resolved.entry.rate, .raw = &raw, .size = 1,
                                             .move = SP_MOVE_L2, .sensitivity = question.sensitivity,
                                             .noise_std = noise_std, .answer = &answer, .answers = 1 }));
    }
    *out = answer;
cleanup:
    return status;
}
