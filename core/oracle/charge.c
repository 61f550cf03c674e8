/* charge.c -- a gate before every release, and the books behind it.
 *
 * Invariant under tight calibration: what is spent, together with all announced releases that are left, fits the
 * budget. A release that was announced passes the gate by counting; any other one is taken to the accountant together
 * with all that is spent, and voids the announcements if it passes.
 *
 * Shares. A child's share is taken out of its parent's budget when the child is made, and each gate then sees its own
 * oracle's releases alone: (epsilon, delta)-shares add by basic composition, zCDP shares as rho. A child on records of
 * its own runs beside its parent's other pools; it takes its share from what the parent may release on all records.
 *
 * Pools. The ledger knows one family of disjoint pools. Those of another family (of a child that draws its own fresh
 * batches from the same records) overlap with them, so they are charged to all records: a Gaussian by how far it raises
 * the largest mu^2 in its family, which bounds what any record pays, anything else in full. A child on a fresh batch of
 * its parent (a seat) has pools within that pool: each gets a number of its own in the parent's ledger, with all that
 * the child releases on all its records. Passes are charged as another family is, record by record: a record is in one
 * block an epoch, so E epochs of equal releases cost at most E of them. What is charged depends on the sampling stream,
 * never on a record's content; given the stream it is exact. */
#include "core/oracle/charge.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void sp_spent_free(sp_spent *spent)
{
    free(spent->pool);
    sp_ledger_free(&spent->rest);
}

sp_status sp_charge_reserve_pools(sp_oracle *o, size_t pools)
{
    sp_spent *spent = &o->spent;
    if (pools < spent->capacity)
        return SP_OK;
    const size_t capacity = 2 * pools + 16;
    sp_pool *pool = realloc(spent->pool, capacity * sizeof *pool);
    if (!pool)
        return sp_refuse(o, SP_ENOMEM, "sp_draw: out of memory for %zu pools", pools);
    for (size_t i = spent->capacity; i < capacity; i++)
        pool[i] = (sp_pool){ 0 };
    spent->pool = pool;
    spent->capacity = capacity;
    return SP_OK;
}

bool sp_entry_gaussian(const sp_entry *entry)
{
    return entry->kind == SP_LEDGER_GAUSS;
}

double sp_entry_mu2(const sp_entry *entry)
{
    return (double)entry->count / gsl_pow_2(entry->noise_multiplier);
}

sp_entry sp_gauss_of(double mu2, size_t pool)
{
    return (sp_entry){ .kind = SP_LEDGER_GAUSS, .noise_multiplier = 1.0 / sqrt(mu2), .count = 1, .pool = pool };
}

double sp_entry_rho(const sp_entry *entry)
{
    switch (entry->kind) {
    case SP_LEDGER_GAUSS:
        return sp_entry_mu2(entry) / 2.0;
    case SP_LEDGER_EM:
        return (double)entry->count * gsl_pow_2(entry->epsilon) / 8.0;
    case SP_LEDGER_RNM_LAPLACE:
    case SP_LEDGER_LAPLACE:
    case SP_LEDGER_SVT:
    case SP_LEDGER_PURE:
        return (double)entry->count * gsl_pow_2(entry->epsilon) / 2.0;
    default:
        return INFINITY;
    }
}

/* --- what is spent -------------------------------------------------------------------------------------------- */

double sp_spent_rho(const sp_oracle *o, const sp_entry *next, size_t entries)
{
    const sp_spent *spent = &o->spent;
    double rho = spent->curved ? INFINITY : spent->rho, worst = spent->worst_rho;
    for (size_t i = 0; i < entries; i++) {
        if (next[i].pool == 0)
            rho += sp_entry_rho(&next[i]);
        else
            worst = fmax(worst, spent->pool[next[i].pool].rho + sp_entry_rho(&next[i]));
    }
    return rho + worst;
}

sp_status sp_spent_summary(const sp_oracle *o, const sp_entry *next, size_t entries, sp_ledger *out)
{
    sp_status status = SP_OK;
    const sp_spent *spent = &o->spent;
    double mu2 = spent->mu2, worst = spent->worst_mu2;
    SP_TRY(sp_ledger_copy(&spent->rest, out));
    for (size_t pool = 1; spent->rest.pools > 0 && pool <= o->pools; pool++)
        if (spent->pool[pool].mixed && spent->pool[pool].mu2 > 0.0)
            SP_TRY(sp_ledger_append(out, &(sp_entry){ .noise_multiplier = 1.0 / sqrt(spent->pool[pool].mu2),
                                                      .count = 1,
                                                      .pool = pool }));
    for (size_t i = 0; i < entries; i++) {
        const sp_pool *pool = next[i].pool > 0 ? &spent->pool[next[i].pool] : NULL;
        if (!sp_entry_gaussian(&next[i]) || (pool && pool->mixed))
            SP_TRY(sp_ledger_append(out, &next[i]));
        else if (pool)
            worst = fmax(worst, pool->mu2 + sp_entry_mu2(&next[i]));
        else
            mu2 += sp_entry_mu2(&next[i]);
        if (pool && !sp_entry_gaussian(&next[i]) && !pool->mixed && pool->mu2 > 0.0) {
            const sp_entry before = sp_gauss_of(pool->mu2, next[i].pool);
            SP_TRY(sp_ledger_append(out, &before));
        }
    }
    if (mu2 > 0.0) {
        const sp_entry outer = sp_gauss_of(mu2, 0);
        SP_TRY(sp_ledger_append(out, &outer));
    }
    if (worst > 0.0) {
        const sp_entry pool = sp_gauss_of(worst, o->pools + 1); /* stands for all pools of Gaussians alone */
        SP_TRY(sp_ledger_append(out, &pool));
    }
cleanup:
    return status;
}

/* --- the gate ------------------------------------------------------------------------------------------------- */

double sp_share_kept(const sp_oracle *o, bool outer)
{
    return 1.0 - o->shares.given - (outer ? o->shares.beside : 0.0);
}

bool sp_any_outer(const sp_entry *entry, size_t entries)
{
    for (size_t i = 0; i < entries; i++)
        if (entry[i].pool == 0)
            return true;
    return false;
}

/* zCDP that is within `share` of the budget, whatever it is made of. */
static double rho_within(const sp_oracle *o, double share)
{
    if (o->shares.zcdp || share == 1.0)
        return o->budget.rho_z * share;
    return share > 0.0 ? sp_zcdp_rho(o->budget.epsilon * share, o->budget.delta * share) : 0.0;
}

/* Does what is spent, with `next`, fit `share` of the budget? The accountant is asked only if zCDP does not say yes. */
static sp_status fits(sp_oracle *o, const sp_entry *next, size_t entries, double share)
{
    sp_status status = SP_OK;
    sp_ledger ledger = { 0 };
    bool within = false;
    double reached = INFINITY;
    char why[160];
    const double rho = sp_spent_rho(o, next, entries);
    const double epsilon = o->budget.epsilon * share, delta = o->budget.delta * share;
    if (rho <= rho_within(o, share) * SP_BUDGET_TOLERANCE)
        return SP_OK;
    if (o->shares.zcdp) {
        snprintf(why, sizeof why, "would bring zCDP to %.6g, above %.6g", rho, o->budget.rho_z * share);
    } else {
        SP_TRY(sp_spent_summary(o, next, entries, &ledger));
        if (ledger.count == 0)
            goto cleanup;
        if (share > 0.0)
            SP_TRY(sp_account_within(&ledger, SP_REPLACE_ONE, epsilon * SP_BUDGET_TOLERANCE, delta, &within, &reached,
                                     &o->error));
        if (within)
            goto cleanup;
        snprintf(why, sizeof why, "would bring epsilon to %.6g, above privacy.epsilon = %g%s", reached, epsilon,
                 share < 1.0 ? " (the rest is given to children)" : "");
    }
    SP_TRY(entries > 0 ? sp_entry_refuse(next, SP_EBUDGET, why, &o->error)
                       : sp_refuse(o, SP_EBUDGET, "a child's share: what is spent already %s", why));
cleanup:
    sp_ledger_free(&ledger);
    return status;
}

static void void_announcements(sp_oracle *o)
{
    o->allowances = 0;
    o->announced = 0.0;
}

sp_status sp_charge_keep(sp_oracle *o, double share, double outer)
{
    const sp_spent *spent = &o->spent;
    sp_status status = SP_OK;
    if (!o->charged || o->options.privacy.calibration != SP_CALIBRATE_TIGHT)
        return SP_OK;
    SP_TRY(fits(o, NULL, 0, share));
    if (spent->mu2 > 0.0 || spent->rho > 0.0 || spent->curved)
        SP_TRY(fits(o, NULL, 0, outer));
    void_announcements(o);
cleanup:
    return status;
}

/* The announced group that covers this release: at least as much noise as announced, as little more as possible. */
static sp_allowance *cover_one(sp_oracle *o, const sp_entry *entry)
{
    sp_allowance *best = NULL;
    for (size_t e = 0; e < o->allowances; e++) {
        sp_allowance *a = &o->allowance[e];
        if (a->left == 0 || a->mu2 > 0.0 || a->entry.kind != entry->kind ||
            (a->entry.rate != entry->rate && a->entry.rate < 1.0) || a->entry.epsilon < entry->epsilon ||
            a->entry.noise_multiplier > entry->noise_multiplier)
            continue;
        if (!best || a->entry.noise_multiplier > best->entry.noise_multiplier ||
            a->entry.epsilon < best->entry.epsilon)
            best = a;
    }
    for (size_t e = 0; !best && e < o->allowances; e++) /* passes */
        if (sp_entry_gaussian(entry) && o->allowance[e].mu2 * (1.0 + 1e-12) >= sp_entry_mu2(entry))
            best = &o->allowance[e];
    return best;
}

static bool cover(sp_oracle *o, const sp_entry *entry, size_t entries)
{
    sp_allowance *one = NULL;
    const sp_entry *counted = NULL;
    for (size_t i = 0; i < entries; i++) {
        const sp_pool *pool = entry[i].pool > 0 ? &o->spent.pool[entry[i].pool] : NULL;
        if (pool && sp_entry_gaussian(&entry[i])) {
            if (pool->mixed || pool->mu2 + sp_entry_mu2(&entry[i]) > o->announced * (1.0 + 1e-12))
                return false;
        } else if (one || !(one = cover_one(o, counted = &entry[i]))) {
            return false; /* one entry beside the pools' Gaussians was announced */
        }
    }
    if (one && one->mu2 > 0.0)
        one->mu2 = fmax(one->mu2 - sp_entry_mu2(counted), 0.0);
    else if (one)
        one->left--;
    return true;
}

/* --- the books ------------------------------------------------------------------------------------------------ */

static sp_status family_reserve(sp_family *family, size_t pool)
{
    if (pool < family->capacity)
        return SP_OK;
    const size_t capacity = 2 * pool + 16;
    double *mu2 = realloc(family->mu2, capacity * sizeof *mu2);
    if (!mu2)
        return SP_ENOMEM;
    for (size_t i = family->capacity; i < capacity; i++)
        mu2[i] = 0.0;
    family->mu2 = mu2;
    family->capacity = capacity;
    return SP_OK;
}

/* The entry as all records pay for it; false when the family's worst does not rise. */
static bool flatten(sp_family *family, sp_entry *entry)
{
    double *pool = &family->mu2[entry->pool];
    entry->pool = 0;
    if (!sp_entry_gaussian(entry))
        return true;
    *pool += sp_entry_mu2(entry);
    const double rise = *pool - family->worst;
    if (!(rise > 0.0))
        return false;
    family->worst = *pool;
    *entry = sp_gauss_of(rise, 0);
    return isfinite(entry->noise_multiplier);
}

static void climb(sp_oracle *o, sp_entry entry);

static void climb_as(sp_oracle *parent, const sp_entry *entry, size_t pool)
{
    sp_entry copy = *entry;
    copy.pool = pool;
    climb(parent, copy);
}

/* Of an oracle whose pools have numbers in its parent's ledger: what is on all its records is on each of them, and on
 * the rest of the seat. */
static void climb_apart(sp_oracle *o, const sp_entry *entry)
{
    sp_oracle *parent = o->parent;
    if (entry->pool > 0) {
        size_t *number = &o->number[entry->pool];
        if (*number == 0) {
            *number = ++parent->pools;
            o->numbered++;
            for (size_t i = 0; i < o->outer.count; i++)
                climb_as(parent, &o->outer.entry[i], *number);
        }
        climb_as(parent, entry, *number);
        return;
    }
    sp_ledger_append(&o->outer, entry);
    climb_as(parent, entry, o->seat);
    for (size_t i = 0; i < o->numbers; i++)
        if (o->number[i] > 0)
            climb_as(parent, entry, o->number[i]);
}

/* Into this ledger and those above; room is reserved, and the entry was checked. */
static void climb(sp_oracle *o, sp_entry entry)
{
    sp_oracle *parent = o->parent;
    sp_ledger_append(&o->ledger, &entry);
    if (!parent)
        return;
    if (o->seat > 0 && parent->native == parent) {
        climb_apart(o, &entry);
        return;
    }
    if (o->seat > 0) {
        if (entry.pool > 0 && !flatten(&o->nested, &entry))
            return;
        entry.pool = o->seat;
        if (!flatten(&parent->own, &entry))
            return;
    } else if (entry.pool > 0) {
        if (!parent->native)
            parent->native = o;
        if (parent->native != o && !flatten(&o->nested, &entry))
            return;
    }
    climb(parent, entry);
}

static void post(sp_oracle *o, sp_entry entry)
{
    if (entry.pool == 0 || o->native == o || flatten(&o->own, &entry))
        climb(o, entry);
}

/* For numbers of pools up to `pool` of a seated oracle, `entries` of them new. */
static sp_status number_reserve(sp_oracle *o, size_t pool, size_t entries)
{
    if (pool >= o->numbers) {
        const size_t room = 2 * pool + 16;
        size_t *number = realloc(o->number, room * sizeof *number);
        if (!number)
            return SP_ENOMEM;
        for (size_t i = o->numbers; i < room; i++)
            number[i] = 0;
        o->number = number;
        o->numbers = room;
    }
    const sp_status status = sp_ledger_reserve(&o->outer, entries);
    return status == SP_OK ? sp_charge_reserve_pools(o->parent, o->parent->pools + entries) : status;
}

/* How many entries of the parent's ledger these may become. */
static size_t copies(const sp_oracle *o, size_t entries)
{
    return entries * (1 + GSL_MAX(o->outer.count, o->numbered) + entries);
}

static sp_status reserve(sp_oracle *o, const sp_entry *entry, size_t entries)
{
    sp_status status = sp_ledger_reserve(&o->spent.rest, entries);
    size_t pool = 0, many = entries;
    for (size_t i = 0; i < entries; i++)
        pool = GSL_MAX(pool, entry[i].pool);
    for (sp_oracle *a = o; a && status == SP_OK; a = a->parent) {
        status = sp_ledger_reserve(&a->ledger, many);
        if (status == SP_OK && a->native != a)
            status = family_reserve(&a->own, pool);
        if (status == SP_OK && a->parent)
            status = family_reserve(&a->nested, pool);
        if (status == SP_OK && a->seat > 0) {
            status = number_reserve(a, pool, many);
            many = copies(a, many);
            pool = GSL_MAX(pool, a->parent->pools + many);
        }
    }
    return status == SP_OK ? SP_OK
                           : sp_refuse(o, status, "ledger: out of memory after %zu entries", o->ledger.count);
}

static void spend(sp_oracle *o, const sp_entry *entry)
{
    sp_spent *spent = &o->spent;
    const bool gaussian = sp_entry_gaussian(entry);
    const double mu2 = gaussian ? sp_entry_mu2(entry) : 0.0, rho = gaussian ? mu2 / 2.0 : sp_entry_rho(entry);
    if (isinf(rho))
        spent->curved = true;
    if (!gaussian)
        sp_ledger_append(&spent->rest, entry);
    if (entry->pool == 0) {
        spent->mu2 += mu2;
        spent->rho += isinf(rho) ? 0.0 : rho;
        return;
    }
    sp_pool *pool = &spent->pool[entry->pool];
    pool->rho += isinf(rho) ? 0.0 : rho;
    spent->worst_rho = fmax(spent->worst_rho, pool->rho);
    if (gaussian) {
        pool->mu2 += mu2;
        spent->worst_mu2 = fmax(spent->worst_mu2, pool->mu2);
    } else {
        pool->mixed = true;
    }
}

sp_status sp_charge(sp_oracle *o, const sp_entry *entry, size_t entries)
{
    sp_status status = SP_OK;
    if (!o->charged || entries == 0)
        return SP_OK;
    for (size_t i = 0; i < entries; i++)
        SP_TRY(sp_entry_check(&entry[i], &o->error));
    SP_TRY(reserve(o, entry, entries));
    if (o->options.privacy.calibration == SP_CALIBRATE_TIGHT && !cover(o, entry, entries)) {
        SP_TRY(fits(o, entry, entries, sp_share_kept(o, sp_any_outer(entry, entries))));
        void_announcements(o);
    }
    for (size_t i = 0; i < entries; i++) {
        spend(o, &entry[i]);
        post(o, entry[i]);
    }
cleanup:
    return status;
}

/* --- passes --------------------------------------------------------------------------------------------------- */

bool sp_pass_entry(const sp_oracle *o, double worst, sp_entry *entry)
{
    const double rise = worst - o->passes.worst;
    if (!(rise > 0.0 && isfinite(1.0 / sqrt(rise))))
        return false;
    *entry = sp_gauss_of(rise, 0);
    return true;
}

static sp_status charge_block(sp_oracle *o, const sp_part *part, double mu2)
{
    sp_passes *p = &o->passes;
    sp_entry entry;
    double worst = p->worst;
    for (size_t i = 0; i < part->rows.count; i++)
        worst = fmax(worst, p->mu2[part->rows.index[i]] + mu2);
    const sp_status status = sp_charge(o, &entry, sp_pass_entry(o, worst, &entry) ? 1 : 0);
    if (status != SP_OK)
        return status;
    for (size_t i = 0; i < part->rows.count; i++)
        p->mu2[part->rows.index[i]] += mu2;
    p->worst = worst;
    return SP_OK;
}

sp_status sp_charge_part(sp_oracle *o, sp_part *part, const sp_entry *entry)
{
    sp_status status = SP_OK;
    if (o->charged && part->kind == SP_SAMPLE_PASS && sp_entry_gaussian(entry)) {
        SP_TRY(sp_entry_check(entry, &o->error));
        SP_TRY(charge_block(o, part, sp_entry_mu2(entry)));
    } else {
        SP_TRY(sp_charge(o, entry, 1));
    }
    if (part->drawn)
        part->drawn->released = true;
cleanup:
    return status;
}
