/* charge.c -- the budget: noise calibrated for announced releases, and a gate before every release.
 *
 * Invariant under tight calibration: what is spent, together with all announced releases that are left, fits the
 * budget. A release that was announced passes the gate by counting; any other one is taken to the accountant together
 * with all that is spent, and voids the announcements if it passes. */
#include "core/privacy/oracle_internal.h"

#include "core/base/memory.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void sp_spent_free(sp_spent *spent)
{
    free(spent->pool_mu2);
    sp_ledger_free(&spent->sampled);
}

sp_status sp_charge_reserve_pools(sp_oracle *o, size_t pools)
{
    sp_spent *spent = &o->spent;
    if (pools < spent->capacity)
        return SP_OK;
    const size_t capacity = 2 * pools + 16;
    double *mu2 = realloc(spent->pool_mu2, capacity * sizeof *mu2);
    if (!mu2)
        return sp_refuse(o, SP_ENOMEM, "sp_draw: out of memory for %zu pools", pools);
    for (size_t pool = spent->capacity; pool < capacity; pool++)
        mu2[pool] = 0.0;
    spent->pool_mu2 = mu2;
    spent->capacity = capacity;
    return SP_OK;
}

static double mu2_of(const sp_entry *entry)
{
    return 1.0 / gsl_pow_2(entry->noise_multiplier);
}

/* A short ledger that costs as much as what is spent and `next` together. Free it whatever the status. */
static sp_status summarise(const sp_oracle *o, const sp_entry *next, size_t entries, sp_ledger *out)
{
    sp_status status = SP_OK;
    double mu2 = o->spent.mu2, worst = o->spent.worst;
    SP_TRY(sp_ledger_copy(&o->spent.sampled, out));
    for (size_t i = 0; i < entries; i++) {
        if (next[i].kind == SP_LEDGER_GAUSS_WOR)
            SP_TRY(sp_ledger_append(out, &next[i]));
        else if (next[i].pool == 0)
            mu2 += mu2_of(&next[i]);
        else
            worst = fmax(worst, o->spent.pool_mu2[next[i].pool] + mu2_of(&next[i]));
    }
    if (mu2 > 0.0)
        SP_TRY(sp_ledger_append(out, &(sp_entry){ .noise_multiplier = 1.0 / sqrt(mu2), .count = 1 }));
    if (worst > 0.0)
        SP_TRY(sp_ledger_append(out, &(sp_entry){ .noise_multiplier = 1.0 / sqrt(worst), .count = 1, .pool = 1 }));
cleanup:
    return status;
}

/* --- announcing --------------------------------------------------------------------------------------------- */

static sp_status check_plan(sp_oracle *o, const sp_release_plan *plan, size_t entries)
{
    const size_t n = sp_records(o);
    if (entries == 0)
        return sp_refuse(o, SP_EINVAL, "sp_calibrate: no releases announced");
    for (size_t e = 0; e < entries; e++) {
        const sp_sample *sample = &plan[e].sample;
        if (sample->kind == SP_SAMPLE_PASS || sample->kind == SP_SAMPLE_POISSON)
            return sp_refuse(o, SP_EUNSUPPORTED, "sp_calibrate: passes and Poisson samples are not built in yet");
        if (sample->kind != SP_SAMPLE_FULL && (sample->m == 0 || sample->m > n))
            return sp_refuse(o, SP_EINVAL, "sp_calibrate: m = %zu must be in [1, %zu]", sample->m, n);
        if (plan[e].kind == SP_ACCUMULATED && sample->kind == SP_SAMPLE_SUBSET && sample->m < n)
            return sp_refuse(o, SP_EPRIVACY, "sp_calibrate: no theorem covers subsets in an accumulator");
        if (!(plan[e].share >= 0.0 && isfinite(plan[e].share)))
            return sp_refuse(o, SP_EINVAL, "sp_calibrate: share = %g must be >= 0 and finite", plan[e].share);
    }
    return SP_OK;
}

/* The releases of one announced group at c = 1. */
static sp_entry planned_entry(const sp_oracle *o, const sp_release_plan *plan, double share, size_t pool)
{
    const bool fresh = plan->sample.kind == SP_SAMPLE_FRESH, subset = plan->sample.kind == SP_SAMPLE_SUBSET;
    const double rate = subset ? (double)plan->sample.m / (double)sp_records(o) : 1.0;
    const size_t count = fresh ? 1 : plan->count;
    return (sp_entry){ .kind = rate < 1.0 ? SP_LEDGER_GAUSS_WOR : SP_LEDGER_GAUSS,
                       .noise_multiplier = rate * sqrt((double)count / (2.0 * share)),
                       .rate = rate,
                       .count = count,
                       .pool = fresh ? pool : 0 };
}

sp_status sp_calibrate(sp_oracle *o, const sp_release_plan *plan, size_t entries, double *noise_multiplier)
{
    sp_status status = SP_OK;
    sp_ledger spent = { 0 }, planned = { 0 };
    sp_allowance *allowance = NULL;
    double shares = 0.0, groups = 0.0, factor = 0.0;
    SP_TRY(check_plan(o, plan, entries));
    for (size_t e = 0; e < entries; e++) {
        shares += plan[e].count > 0 ? plan[e].share : 0.0;
        groups += plan[e].count > 0 ? 1.0 : 0.0;
        noise_multiplier[e] = 0.0;
    }
    if (!o->charged)
        goto cleanup;
    if (o->options.privacy.calibration == SP_CALIBRATE_PAPER) {
        for (size_t e = 0; e < entries; e++) {
            if (plan[e].count > 0 && !(plan[e].paper > 0.0 && isfinite(plan[e].paper)))
                SP_TRY(sp_refuse(o, SP_EUNSUPPORTED, "privacy.calibration = paper: release group %zu has no printed "
                                                     "formula for its noise", e + 1));
            noise_multiplier[e] = plan[e].paper;
        }
        goto cleanup;
    }
    allowance = sp_alloc(entries, sizeof *allowance);
    if (!allowance)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_calibrate: out of memory for %zu groups", entries));
    for (size_t e = 0; e < entries; e++) { /* each fresh batch is another pool: one stands for the group */
        const double share = shares > 0.0 ? plan[e].share / shares : 1.0 / groups;
        if (plan[e].count == 0)
            continue;
        if (!(share > 0.0))
            SP_TRY(sp_refuse(o, SP_EINVAL, "sp_calibrate: release group %zu has no share of the budget", e + 1));
        allowance[e] = (sp_allowance){ planned_entry(o, &plan[e], share, e + 2), plan[e].count };
        SP_TRY(sp_ledger_append(&planned, &allowance[e].entry));
    }
    SP_TRY(summarise(o, NULL, 0, &spent));
    SP_TRY(sp_calibrate_factor(&spent, &planned, o->budget.epsilon, o->budget.delta, &factor, &o->error));
    for (size_t e = 0; e < entries; e++) {
        noise_multiplier[e] = allowance[e].entry.noise_multiplier *= factor;
        allowance[e].entry.pool = allowance[e].entry.pool > 0 ? 1 : 0;
    }
    free(o->allowance);
    o->allowance = allowance;
    o->allowances = entries;
    allowance = NULL;
cleanup:
    free(allowance);
    sp_ledger_free(&spent);
    sp_ledger_free(&planned);
    return status == SP_ENOMEM ? sp_refuse(o, status, "sp_calibrate: out of memory") : status;
}

double sp_remaining(const sp_oracle *o)
{
    sp_ledger spent = { 0 }, one = { 0 };
    double factor = INFINITY;
    if (!o->charged)
        return INFINITY;
    /* what one more unsampled Gaussian release may cost */
    if (summarise(o, NULL, 0, &spent) != SP_OK ||
        sp_ledger_append(&one, &(sp_entry){ .noise_multiplier = 1.0, .count = 1 }) != SP_OK ||
        sp_calibrate_factor(&spent, &one, o->budget.epsilon, o->budget.delta, &factor, NULL) != SP_OK)
        factor = INFINITY;
    sp_ledger_free(&spent);
    sp_ledger_free(&one);
    return 0.5 / gsl_pow_2(factor);
}

/* --- paying --------------------------------------------------------------------------------------------------- */

/* The announced group that covers this release: at least as much noise as announced, as little more as possible. */
static sp_allowance *cover(sp_oracle *o, const sp_entry *entry)
{
    sp_allowance *best = NULL;
    if (entry->pool > 0 && o->spent.pool_mu2[entry->pool] > 0.0)
        return NULL; /* one release a fresh batch was announced */
    for (size_t e = 0; e < o->allowances; e++) {
        sp_allowance *a = &o->allowance[e];
        if (a->left > 0 && a->entry.kind == entry->kind && a->entry.pool == (entry->pool > 0 ? 1 : 0) &&
            (entry->kind == SP_LEDGER_GAUSS || a->entry.rate == entry->rate) &&
            a->entry.noise_multiplier <= entry->noise_multiplier &&
            (!best || a->entry.noise_multiplier > best->entry.noise_multiplier))
            best = a;
    }
    return best;
}

static sp_status ask_accountant(sp_oracle *o, const sp_entry *entry, size_t entries)
{
    sp_status status = SP_OK;
    sp_ledger ledger = { 0 };
    sp_bounds bounds;
    SP_TRY(summarise(o, entry, entries, &ledger));
    SP_TRY(sp_account(&ledger, SP_REPLACE_ONE, o->budget.delta, &bounds, &o->error));
    if (!(bounds.best <= o->budget.epsilon * SP_BUDGET_TOLERANCE)) {
        char why[128];
        snprintf(why, sizeof why, "would bring epsilon to %.6g, above privacy.epsilon = %g", bounds.best,
                 o->budget.epsilon);
        SP_TRY(sp_entry_refuse(entry, SP_EBUDGET, why, &o->error));
    }
cleanup:
    sp_ledger_free(&ledger);
    return status;
}

sp_status sp_charge(sp_oracle *o, const sp_entry *entry, size_t entries)
{
    sp_status status = SP_OK;
    sp_allowance *announced = NULL;
    if (!o->charged || entries == 0)
        return SP_OK;
    for (size_t i = 0; i < entries; i++)
        SP_TRY(sp_entry_check(&entry[i], &o->error));
    if (sp_ledger_reserve(&o->ledger, entries) != SP_OK || sp_ledger_reserve(&o->spent.sampled, entries) != SP_OK)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "ledger: out of memory after %zu entries", o->ledger.count));
    if (o->options.privacy.calibration == SP_CALIBRATE_TIGHT) {
        announced = entries == 1 ? cover(o, entry) : NULL;
        if (!announced) {
            SP_TRY(ask_accountant(o, entry, entries));
            o->allowances = 0;
        } else {
            announced->left--;
        }
    }
    for (size_t i = 0; i < entries; i++) {
        SP_TRY(sp_ledger_append(&o->ledger, &entry[i]));
        if (entry[i].kind == SP_LEDGER_GAUSS_WOR) {
            SP_TRY(sp_ledger_append(&o->spent.sampled, &entry[i]));
        } else if (entry[i].pool == 0) {
            o->spent.mu2 += mu2_of(&entry[i]);
        } else {
            double *pool = &o->spent.pool_mu2[entry[i].pool];
            *pool += mu2_of(&entry[i]);
            o->spent.worst = fmax(o->spent.worst, *pool);
        }
    }
cleanup:
    return status;
}
