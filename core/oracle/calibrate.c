/* calibrate.c -- sp_calibrate: a method announces the releases that it is going to make, and receives the noise
 * multipliers with which exactly these releases spend what remains of the budget. The announced releases become the
 * plan of the gate (charge.c). */
#include "core/oracle/charge.h"

#include "core/base/memory.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>

static sp_status check_plan(sp_oracle *o, const sp_release_plan *plan, size_t entries)
{
    const size_t n = sp_records(o);
    sp_status status = SP_OK;
    if (entries == 0)
        return sp_refuse(o, SP_EINVAL, "sp_calibrate: no releases announced");
    for (size_t e = 0; e < entries; e++) {
        const sp_sample *sample = &plan[e].sample;
        const bool sampled = (sample->kind == SP_SAMPLE_SUBSET && sample->m < n) ||
                             (sample->kind == SP_SAMPLE_POISSON && sample->rate < 1.0);
        if (sample->kind == SP_SAMPLE_POISSON ? !(sample->rate > 0.0 && sample->rate <= 1.0) : false)
            return sp_refuse(o, SP_EINVAL, "sp_calibrate: rate = %g must be in (0, 1]", sample->rate);
        if (sample->kind != SP_SAMPLE_FULL && sample->kind != SP_SAMPLE_POISSON && (sample->m == 0 || sample->m > n))
            return sp_refuse(o, SP_EINVAL, "sp_calibrate: the batch's m = %zu must be in [1, %zu], there being "
                             "so many records", sample->m, n);
        if (sample->kind == SP_SAMPLE_PASS)
            SP_TRY(sp_pass_check(o, sample));
        if (plan[e].kind == SP_ACCUMULATED && sampled)
            return sp_refuse(o, SP_EPRIVACY, "sp_calibrate: no theorem covers subsets in an accumulator");
        if ((plan[e].kind == SP_TRACE || plan[e].kind == SP_SOLUTION) && sample->kind == SP_SAMPLE_POISSON &&
            o->charged)
            return sp_refuse(o, SP_EPRIVACY, "sp_calibrate: no theorem covers a solve on a Poisson sample");
        if (plan[e].kind == SP_SELECTION && !(plan[e].epsilon > 0.0 && isfinite(plan[e].epsilon)) && o->charged)
            return sp_refuse(o, SP_EPRIVACY, "sp_calibrate: epsilon = %g of a choice must be > 0 and finite",
                             plan[e].epsilon);
        if (!(plan[e].share >= 0.0 && isfinite(plan[e].share)))
            return sp_refuse(o, SP_EINVAL, "sp_calibrate: share = %g must be >= 0 and finite", plan[e].share);
    }
cleanup:
    return status;
}

/* How often one record is charged. */
static size_t charges(const sp_oracle *o, const sp_release_plan *plan)
{
    if (plan->sample.kind == SP_SAMPLE_FRESH ||
        (plan->sample.kind == SP_SAMPLE_PASS && plan->kind == SP_ACCUMULATED))
        return 1;
    if (plan->sample.kind != SP_SAMPLE_PASS)
        return plan->count;
    const size_t blocks = sp_pass_blocks(sp_records(o), plan->sample.m);
    const size_t before = plan->sample.reshuffle ? o->passes.drawn % blocks : 0; /* of the epoch that goes on */
    return before / blocks + (before % blocks + plan->count + blocks - 1) / blocks;
}

/* The releases of one announced group at c = 1. */
static sp_entry planned_entry(const sp_oracle *o, const sp_release_plan *plan, double share, size_t pool)
{
    const sp_sample *sample = &plan->sample;
    const bool poisson = sample->kind == SP_SAMPLE_POISSON;
    const double n = (double)sp_records(o);
    const double rate = poisson ? sample->rate : sample->kind == SP_SAMPLE_SUBSET ? (double)sample->m / n : 1.0;
    const size_t count = charges(o, plan);
    if (plan->kind == SP_REPEATS)
        return (sp_entry){ .kind = SP_LEDGER_SELECT, .noise_multiplier = sqrt(0.5 / share), .mean = plan->mean,
                           .shape = plan->shape, .cap = plan->cap, .count = plan->count };
    if (plan->kind == SP_SELECTION)
        return (sp_entry){ .kind = plan->tv > 0.0                           ? SP_LEDGER_APPROX
                                   : plan->chooser == SP_CHOOSE_EXPONENTIAL ? SP_LEDGER_EM
                                   : plan->chooser == SP_CHOOSE_NOISY_MIN   ? SP_LEDGER_RNM_LAPLACE
                                                                            : SP_LEDGER_SVT,
                           .epsilon = plan->epsilon,
                           .delta = plan->tv > 0.0 ? sp_walk_delta(plan->epsilon, plan->tv) : 0.0,
                           .count = plan->count };
    return (sp_entry){ .kind = !(rate < 1.0) ? SP_LEDGER_GAUSS : poisson ? SP_LEDGER_POISSON : SP_LEDGER_GAUSS_WOR,
                       .noise_multiplier = (poisson && rate < 1.0 ? 2.0 : 1.0) * rate *
                                           sqrt((double)count / (2.0 * share)),
                       .rate = rate,
                       .count = count,
                       .pool = sample->kind == SP_SAMPLE_FRESH ? pool : 0 };
}

/* c for a budget that is kept by the filter: made + outer / c^2 + pool / c^2 <= its limit. */
static sp_status filter_factor(sp_oracle *o, const sp_ledger *planned, double share, double *factor)
{
    double scaled = 0.0, pool = 0.0, fixed = 0.0, made, worst;
    for (size_t i = 0; i < planned->count; i++) {
        const sp_entry *e = &planned->entry[i];
        const double cost = sp_entry_cost(o->spending.filter, e);
        if (e->kind == SP_LEDGER_GAUSS_WOR || e->kind == SP_LEDGER_POISSON)
            return sp_entry_refuse(e, SP_EPRIVACY, "sampling has no zCDP of its own, nor does another filter know of "
                                   "it: announce it before the first release, and give a child a basic share",
                                   &o->error);
        if (!sp_entry_gaussian(e))
            fixed += cost;
        else if (e->pool == 0)
            scaled += cost;
        else
            pool = fmax(pool, cost);
    }
    sp_spending_made(o, &made, &worst);
    const double limit = sp_spending_limit(o, share), left = limit - made - worst - fixed;
    *factor = 1.0;
    if (scaled + pool > 0.0 ? !(left > 0.0) : !(left >= -1e-9 * limit))
        return sp_refuse(o, SP_EBUDGET, "sp_calibrate: nothing remains of %g", limit);
    if (scaled + pool > 0.0)
        *factor = sqrt((scaled + pool) / left) * (1.0 + 1e-12);
    return SP_OK;
}

static sp_status factor_for(sp_oracle *o, const sp_ledger *planned, double *factor)
{
    const double share = sp_share_kept(o, sp_any_outer(planned->entry, planned->count));
    if (!(share > 0.0))
        return sp_refuse(o, SP_EBUDGET, "all of the budget is given to children");
    if (o->spending.begun && !sp_filter_holds(o, share))
        return sp_refuse(o, SP_EBUDGET, "sp_calibrate: nothing remains of epsilon = %g: what was announced before the "
                         "first release was judged as a whole, and nothing can be added", o->budget.epsilon * share);
    if (o->shares.zcdp || o->spending.begun)
        return filter_factor(o, planned, share, factor);
    if (share == 1.0)
        return sp_transcript_calibrate(o, planned, factor);
    return sp_calibrate_under(NULL, planned, o->options.privacy.neighbours, o->budget.epsilon * share,
                              o->budget.delta * share, factor, &o->error);
}

/* The noise of each group, by the printed formulas. */
static sp_status paper(sp_oracle *o, const sp_release_plan *plan, size_t entries, sp_allowance *group)
{
    for (size_t e = 0; e < entries; e++) {
        if (plan[e].count == 0 || plan[e].kind == SP_SELECTION)
            continue;
        if (!(plan[e].paper > 0.0 && isfinite(plan[e].paper)))
            return sp_refuse(o, SP_EUNSUPPORTED, "privacy.calibration = paper: release group %zu has no printed "
                                                 "formula for its noise", e + 1);
        group[e].entry.noise_multiplier = plan[e].paper;
    }
    return SP_OK;
}

/* The noise of each group that spends the budget on all of them; group e has that of c = 1. */
static sp_status tight(sp_oracle *o, const sp_release_plan *plan, size_t entries, sp_allowance *group)
{
    sp_status status = SP_OK;
    sp_ledger planned = { 0 };
    double factor = 1.0;
    for (size_t e = 0; e < entries; e++)
        if (plan[e].count > 0)
            SP_TRY(sp_ledger_append(&planned, &group[e].entry));
    if (planned.count > 0)
        SP_TRY(factor_for(o, &planned, &factor));
    for (size_t e = 0; e < entries; e++)
        if (plan[e].kind != SP_SELECTION)
            group[e].entry.noise_multiplier *= factor;
cleanup:
    sp_ledger_free(&planned);
    return status == SP_ENOMEM ? sp_refuse(o, status, "sp_calibrate: out of memory") : status;
}

/* The groups become the oracle's plan. */
static void announce(sp_oracle *o, const sp_release_plan *plan, size_t entries, sp_allowance *group)
{
    sp_spending *s = &o->spending;
    sp_plan_void(o);
    free(s->group);
    s->group = group;
    s->groups = entries;
    s->late = s->begun;
    for (size_t e = 0; e < entries; e++) {
        sp_allowance *a = &group[e];
        if (plan[e].count == 0)
            continue;
        const double cost = sp_entry_cost(s->filter, &a->entry);
        if (a->entry.pool > 0) {
            s->pool_mu2 = fmax(s->pool_mu2, sp_entry_mu2(&a->entry));
            s->plan_pool = fmax(s->plan_pool, cost);
            continue;
        }
        s->plan += cost;
        if (plan[e].kind != SP_SELECTION && plan[e].sample.kind == SP_SAMPLE_PASS)
            a->mu2 = sp_entry_mu2(&a->entry);
        else
            a->left = plan[e].count;
    }
}

/* For estimates of what a run costs. */
static void note_plan(sp_oracle *o, const sp_release_plan *plan, size_t entries)
{
    for (size_t e = 0; e < entries; e++) {
        const sp_sample *sample = &plan[e].sample;
        const double n = (double)sp_records(o), count = (double)plan[e].count;
        const double m = sample->kind == SP_SAMPLE_FULL      ? n
                         : sample->kind == SP_SAMPLE_POISSON ? sample->rate * n
                                                             : (double)sample->m;
        for (sp_oracle *at = o; at; at = at->parent) {
            at->planned_calls += count * m;
            at->planned_releases += count;
        }
    }
}

sp_status sp_calibrate(sp_oracle *o, const sp_release_plan *plan, size_t entries, double *noise_multiplier)
{
    sp_status status = SP_OK;
    sp_allowance *group = NULL;
    double shares = 0.0, groups = 0.0;
    SP_TRY(sp_not_reentered(o));
    SP_TRY(check_plan(o, plan, entries));
    note_plan(o, plan, entries);
    for (size_t e = 0; e < entries; e++) {
        const bool scaled = plan[e].count > 0 && plan[e].kind != SP_SELECTION;
        shares += scaled ? plan[e].share : 0.0;
        groups += scaled ? 1.0 : 0.0;
        noise_multiplier[e] = 0.0;
    }
    if (!o->charged)
        goto cleanup;
    group = sp_alloc(entries, sizeof *group);
    if (!group)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_calibrate: out of memory for %zu groups", entries));
    const bool printed = o->options.privacy.calibration == SP_CALIBRATE_PAPER;
    for (size_t e = 0; e < entries; e++) { /* each fresh batch is another pool: one stands for the group */
        const double share = printed || !(shares > 0.0) ? 1.0 / groups : plan[e].share / shares;
        if (plan[e].count == 0)
            continue;
        if (plan[e].kind != SP_SELECTION && !(share > 0.0))
            SP_TRY(sp_refuse(o, SP_EINVAL, "sp_calibrate: release group %zu has no share of the budget", e + 1));
        group[e].entry = planned_entry(o, &plan[e], share, o->pools + e + 2);
        SP_TRY(sp_entry_check(&group[e].entry, &o->error));
        SP_TRY(sp_neighbours_check(o, &group[e].entry));
        if ((o->spending.begun || o->shares.zcdp) &&
            isinf(sp_entry_cost(o->spending.filter, &group[e].entry)))
            SP_TRY(sp_entry_refuse(&group[e].entry, SP_EPRIVACY, "the filter does not count it: announce it before the "
                                   "first release", &o->error));
    }
    if (printed)
        SP_TRY(paper(o, plan, entries, group));
    SP_TRY(sp_not_rehearsed(o));
    if (!printed)
        SP_TRY(tight(o, plan, entries, group));
    for (size_t e = 0; e < entries; e++)
        if (plan[e].kind != SP_SELECTION && plan[e].count > 0)
            noise_multiplier[e] = group[e].entry.noise_multiplier;
    announce(o, plan, entries, group);
    group = NULL;
cleanup:
    free(group);
    return status;
}

sp_status sp_repeats_noise(sp_oracle *o, const sp_release_plan *plan, double *noise_multiplier)
{
    sp_status status = SP_OK;
    sp_ledger planned = { 0 };
    sp_entry one = planned_entry(o, plan, 1.0, 0);
    double factor = 1.0;
    if (o->charged)
        return sp_calibrate(o, plan, 1, noise_multiplier);
    SP_TRY(sp_entry_check(&one, &o->error));
    *noise_multiplier = 0.0;
    if (!o->options.privacy.private)
        goto cleanup;
    SP_TRY(sp_ledger_append(&planned, &one));
    SP_TRY(factor_for(o, &planned, &factor));
    *noise_multiplier = one.noise_multiplier * factor;
cleanup:
    sp_ledger_free(&planned);
    return status;
}

bool sp_subsets_count(const sp_oracle *o)
{
    return !o->shares.zcdp && !o->spending.begun && o->options.privacy.neighbours == SP_REPLACE_ONE;
}

double sp_remaining(const sp_oracle *o)
{
    if (!o->charged)
        return INFINITY;
    return fmax(sp_spending_limit(o, sp_share_kept(o, true)) - sp_spending_total(o, NULL, 0), 0.0);
}
