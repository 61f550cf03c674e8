/* calibrate.c -- announced releases: noise that spends what remains of the budget on exactly them. */
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
            return sp_refuse(o, SP_EINVAL, "sp_calibrate: m = %zu must be in [1, %zu]", sample->m, n);
        if (sample->kind == SP_SAMPLE_PASS)
            SP_TRY(sp_pass_check(o, sample));
        if (plan[e].kind == SP_ACCUMULATED && sampled)
            return sp_refuse(o, SP_EPRIVACY, "sp_calibrate: no theorem covers subsets in an accumulator");
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
    if (plan->kind == SP_SELECTION)
        return (sp_entry){ .kind = plan->chooser == SP_CHOOSE_EXPONENTIAL ? SP_LEDGER_EM
                                   : plan->chooser == SP_CHOOSE_NOISY_MIN ? SP_LEDGER_RNM_LAPLACE
                                                                          : SP_LEDGER_SVT,
                           .epsilon = plan->epsilon,
                           .count = plan->count };
    return (sp_entry){ .kind = !(rate < 1.0) ? SP_LEDGER_GAUSS : poisson ? SP_LEDGER_POISSON : SP_LEDGER_GAUSS_WOR,
                       .noise_multiplier = (poisson && rate < 1.0 ? 2.0 : 1.0) * rate *
                                           sqrt((double)count / (2.0 * share)),
                       .rate = rate,
                       .count = count,
                       .pool = sample->kind == SP_SAMPLE_FRESH ? pool : 0 };
}

/* c for a budget in rho: outer / c^2 + max(spent pools, planned pool / c^2) <= what is left. */
static sp_status zcdp_factor(sp_oracle *o, const sp_ledger *planned, double share, double *factor)
{
    double scaled = 0.0, pool = 0.0, fixed = 0.0;
    for (size_t i = 0; i < planned->count; i++) {
        const sp_entry *e = &planned->entry[i];
        const double rho = sp_entry_rho(e);
        if (isinf(rho) || o->spent.curved)
            return sp_entry_refuse(e, SP_EPRIVACY, "sampling has no zCDP: give the child a basic share", &o->error);
        if (!sp_entry_gaussian(e))
            fixed += rho;
        else if (e->pool == 0)
            scaled += rho;
        else
            pool = fmax(pool, rho);
    }
    const double left = o->budget.rho_z * share - o->spent.rho - fixed, beside = left - o->spent.worst_rho;
    if (!(left > 0.0 && (scaled == 0.0 || beside > 0.0)))
        return sp_refuse(o, SP_EBUDGET, "nothing remains of rho = %g", o->budget.rho_z);
    *factor = sqrt(fmax((scaled + pool) / left, scaled > 0.0 ? scaled / beside : 0.0)) * (1.0 + 1e-12);
    return SP_OK;
}

static sp_status factor_for(sp_oracle *o, const sp_ledger *planned, double *factor)
{
    sp_status status = SP_OK;
    sp_ledger spent = { 0 };
    const double share = sp_share_kept(o, sp_any_outer(planned->entry, planned->count));
    if (!(share > 0.0))
        return sp_refuse(o, SP_EBUDGET, "all of the budget is given to children");
    if (o->shares.zcdp)
        return zcdp_factor(o, planned, share, factor);
    SP_TRY(sp_spent_summary(o, NULL, 0, &spent));
    if (share == 1.0)
        SP_TRY(sp_tape_calibrate(o, &spent, planned, factor));
    else
        SP_TRY(sp_calibrate_factor(&spent, planned, o->budget.epsilon * share, o->budget.delta * share, factor,
                                   &o->error));
cleanup:
    sp_ledger_free(&spent);
    return status;
}

/* The noise of each group, by the printed formulas. */
static sp_status paper(sp_oracle *o, const sp_release_plan *plan, size_t entries, double *noise_multiplier)
{
    for (size_t e = 0; e < entries; e++) {
        if (plan[e].count > 0 && plan[e].kind != SP_SELECTION && !(plan[e].paper > 0.0 && isfinite(plan[e].paper)))
            return sp_refuse(o, SP_EUNSUPPORTED, "privacy.calibration = paper: release group %zu has no printed "
                                                 "formula for its noise", e + 1);
        noise_multiplier[e] = plan[e].paper;
    }
    return SP_OK;
}

sp_status sp_calibrate(sp_oracle *o, const sp_release_plan *plan, size_t entries, double *noise_multiplier)
{
    sp_status status = SP_OK;
    sp_ledger planned = { 0 };
    sp_allowance *allowance = NULL;
    double shares = 0.0, groups = 0.0, factor = 0.0, announced = 0.0;
    SP_TRY(check_plan(o, plan, entries));
    for (size_t e = 0; e < entries; e++) {
        const bool scaled = plan[e].count > 0 && plan[e].kind != SP_SELECTION;
        shares += scaled ? plan[e].share : 0.0;
        groups += scaled ? 1.0 : 0.0;
        noise_multiplier[e] = 0.0;
    }
    if (!o->charged)
        goto cleanup;
    if (o->options.privacy.calibration == SP_CALIBRATE_PAPER) {
        status = paper(o, plan, entries, noise_multiplier);
        goto cleanup;
    }
    allowance = sp_alloc(entries, sizeof *allowance);
    if (!allowance)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_calibrate: out of memory for %zu groups", entries));
    for (size_t e = 0; e < entries; e++) { /* each fresh batch is another pool: one stands for the group */
        const double share = shares > 0.0 ? plan[e].share / shares : 1.0 / groups;
        if (plan[e].count == 0)
            continue;
        if (plan[e].kind != SP_SELECTION && !(share > 0.0))
            SP_TRY(sp_refuse(o, SP_EINVAL, "sp_calibrate: release group %zu has no share of the budget", e + 1));
        allowance[e].entry = planned_entry(o, &plan[e], share, o->pools + e + 2);
        allowance[e].left = plan[e].count;
        SP_TRY(sp_ledger_append(&planned, &allowance[e].entry));
    }
    if (planned.count > 0)
        SP_TRY(factor_for(o, &planned, &factor));
    for (size_t e = 0; e < entries; e++) {
        sp_allowance *a = &allowance[e];
        if (plan[e].kind == SP_SELECTION || plan[e].count == 0)
            continue;
        noise_multiplier[e] = a->entry.noise_multiplier *= factor;
        if (a->entry.pool > 0) {
            announced = fmax(announced, sp_entry_mu2(&a->entry));
            a->left = 0;
        } else if (plan[e].sample.kind == SP_SAMPLE_PASS) {
            a->mu2 = sp_entry_mu2(&a->entry);
        }
    }
    free(o->allowance);
    o->allowance = allowance;
    o->allowances = entries;
    o->announced = announced;
    allowance = NULL;
cleanup:
    free(allowance);
    sp_ledger_free(&planned);
    return status == SP_ENOMEM ? sp_refuse(o, status, "sp_calibrate: out of memory") : status;
}

double sp_remaining(const sp_oracle *o)
{
    sp_ledger spent = { 0 }, one = { 0 };
    const double share = sp_share_kept(o, true);
    double factor = INFINITY;
    if (!o->charged)
        return INFINITY;
    if (o->shares.zcdp)
        return fmax(o->budget.rho_z * share - sp_spent_rho(o, NULL, 0), 0.0);
    /* what one more unsampled Gaussian release may cost */
    if (!(share > 0.0) || sp_spent_summary(o, NULL, 0, &spent) != SP_OK ||
        sp_ledger_append(&one, &(sp_entry){ .noise_multiplier = 1.0, .count = 1 }) != SP_OK ||
        sp_calibrate_factor(&spent, &one, o->budget.epsilon * share, o->budget.delta * share, &factor, NULL) != SP_OK)
        factor = INFINITY;
    sp_ledger_free(&spent);
    sp_ledger_free(&one);
    return 0.5 / gsl_pow_2(factor);
}
