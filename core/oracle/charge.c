/* charge.c -- the gate: decides before every release whether the budget allows it, and charges the ledger.
 *
 * A method may choose kind, noise and rate of a release by earlier released values. It does then not follow from any
 * theorem that a run is (epsilon, delta)-DP if the smallest of several bounds on its ledger is: a run can steer to the
 * bound that its own releases favour (tests/unit/gate.c has an example with 1.93 delta). So the guarantee of a run
 * rests on one theorem, which is fixed before the first release. Let P be the plan: all that sp_calibrate was told
 * before the first release. Let U be the releases made outside of it. cost is the measure of the run's filter
 * (core/accountant/filter.h): rho under zCDP, mu^2 under Gaussian DP, epsilon under basic composition; sampled releases
 * count as releases on all records, which dominate them. limit is the largest total cost that implies (epsilon, delta).
 *
 *   cost(P) > limit    Only releases of P are allowed. Each entry of P is dominated by a fixed pair of distributions,
 *                      whatever is asked: its value is a random function of one draw from the pair, and these draws
 *                      might as well be made in advance, independently. So whatever is asked, left out or
 *                      reordered is post-processing of the product of these pairs (concurrent composition: Vadhan &
 *                      Zhang 2023; for Renyi curves Lyu 2022), and the best bound on P, which no released value can
 *                      change, is (epsilon, delta). More noise than announced is post-processing too. Gaussian releases
 *                      on one fresh batch, or of passes, are announced as a sum of mu^2: a Brownian motion of that
 *                      length, of which each release takes a piece of any length.
 *   cost(P) <= limit   cost(P) + cost(U) <= limit is required at every release. All of P counts, released or not; so
 *                      the cost of what is released stays within a limit fixed in advance. This is a fully adaptive
 *                      filter (zCDP: Feldman & Zrnic 2021; Whitehouse, Ramdas, Rogers & Wu 2023. Gaussian DP: Smith &
 *                      Thakurta 2022; Koskela, Tobaben & Honkela 2023. Basic: Rogers, Roth, Ullman & Vadhan 2016).
 *
 * One inequality covers both cases, because in the first it fails for every U. A plan announced after the first
 * release belongs to U; the part of an earlier plan that was not released is then given up, which the second case
 * allows. Entries of U carry the filter's name in the ledger, and the accountant applies that filter's bound alone to
 * the ledger.
 *
 * Shares. The share of a child (child.c) is fixed when it is made, and is a budget with a theorem of its own: shares in
 * (epsilon, delta) add up by basic composition, zCDP shares as rho, in whatever order children take turns (Haney et al.
 * 2023). The rest is the share of the parent's own releases. After the first of these it cannot shrink, since the point
 * on their (epsilon, delta) curve would then be chosen by released values; under zCDP, where there is one number, it
 * can. A child on records of its own runs in parallel to its parent's other pools; it takes its share from what the
 * parent may release on all records. With calibration = "paper" nothing is refused for its cost.
 *
 * Neighbours replace one record. A run may ask for add-remove neighbours instead, with n still the public number by
 * which sums are divided. Then only releases on a Poisson sample are allowed: their noise is relative to one record's
 * part, which is the sensitivity, and the accountant has the theorem. No other release and no child is allowed, because
 * their sensitivities are those of replaced records, and because the records of a batch, block or pool depend on all
 * records.
 *
 * Passes are charged record by record, by how much a release raises the most that any record has paid for passes. A
 * record is in one block per epoch, so E epochs of equal releases cost at most E of them. The charge depends on the
 * sampling stream, never on a record's content; given the stream it is exact. nesting.c decides which records pay in
 * the ledgers of an oracle and of its parents. */
#include "core/oracle/charge.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void sp_spending_free(sp_spending *spending)
{
    free(spending->group);
    free(spending->pool);
}

sp_status sp_charge_reserve_pools(sp_oracle *o, size_t pools)
{
    sp_spending *s = &o->spending;
    if (pools < s->capacity)
        return SP_OK;
    const size_t capacity = 2 * pools + 16;
    sp_pool *pool = realloc(s->pool, capacity * sizeof *pool);
    if (!pool)
        return sp_refuse(o, SP_ENOMEM, "sp_draw: out of memory for %zu pools", pools);
    for (size_t i = s->capacity; i < capacity; i++)
        pool[i] = (sp_pool){ 0 };
    s->pool = pool;
    s->capacity = capacity;
    return SP_OK;
}

/* --- what releases cost --------------------------------------------------------------------------------------- */

bool sp_entry_gaussian(const sp_entry *entry)
{
    return entry->kind == SP_LEDGER_GAUSS;
}

double sp_entry_mu2(const sp_entry *entry)
{
    return (double)entry->count / (entry->noise_multiplier * entry->noise_multiplier);
}

const sp_entry sp_gauss_once = { .kind = SP_LEDGER_GAUSS, .count = 1 };

sp_entry sp_gauss_of(double mu2, size_t pool)
{
    return (sp_entry){ .kind = SP_LEDGER_GAUSS, .noise_multiplier = 1.0 / sqrt(mu2), .count = 1, .pool = pool };
}

static double zcdp_of(const sp_entry *entry)
{
    switch (entry->kind) {
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

double sp_entry_cost(sp_filter filter, const sp_entry *entry)
{
    const double unsampled = entry->kind == SP_LEDGER_POISSON ? 4.0 * sp_entry_mu2(entry) : sp_entry_mu2(entry);
    if (entry->kind == SP_LEDGER_GAUSS || entry->kind == SP_LEDGER_GAUSS_WOR || entry->kind == SP_LEDGER_POISSON)
        return filter == SP_FILTER_ZCDP ? unsampled / 2.0 : filter == SP_FILTER_GAUSS ? unsampled : INFINITY;
    const double rho = zcdp_of(entry);
    return filter == SP_FILTER_ZCDP                     ? rho
           : filter == SP_FILTER_BASIC && isfinite(rho) ? (double)entry->count * entry->epsilon
                                                        : INFINITY;
}

static double cost_of_mu2(sp_filter filter, double mu2)
{
    const sp_entry one = sp_gauss_of(mu2, 0);
    return mu2 > 0.0 ? sp_entry_cost(filter, &one) : 0.0;
}

bool sp_any_outer(const sp_entry *entry, size_t entries)
{
    for (size_t i = 0; i < entries; i++)
        if (entry[i].pool == 0)
            return true;
    return false;
}

double sp_spending_total(const sp_oracle *o, const sp_entry *next, size_t entries)
{
    const sp_spending *s = &o->spending;
    double outer = s->plan + s->beside, worst = s->worst;
    for (size_t i = 0; i < entries; i++) {
        const double cost = sp_entry_cost(s->filter, &next[i]);
        if (next[i].pool == 0)
            outer += cost;
        else
            worst = fmax(worst, s->pool[next[i].pool].beside + cost);
    }
    return outer + s->plan_pool + worst;
}

void sp_spending_made(const sp_oracle *o, double *outer, double *worst)
{
    const sp_spending *s = &o->spending;
    *outer = s->announced + s->beside;
    *worst = 0.0;
    for (size_t g = 0; g < s->capacity; g++)
        *worst = fmax(*worst, s->pool[g].beside + cost_of_mu2(s->filter, s->pool[g].announced));
}

void sp_plan_void(sp_oracle *o)
{
    sp_spending *s = &o->spending;
    sp_spending_made(o, &s->beside, &s->worst);
    for (size_t g = 0; g < s->capacity; g++)
        s->pool[g] = (sp_pool){ .beside = s->pool[g].beside + cost_of_mu2(s->filter, s->pool[g].announced) };
    s->plan = s->plan_pool = s->pool_mu2 = s->announced = 0.0;
    s->groups = 0;
}

/* --- the gate ------------------------------------------------------------------------------------------------- */

double sp_share_kept(const sp_oracle *o, bool outer)
{
    return 1.0 - o->shares.given - (outer ? o->shares.beside : 0.0);
}

double sp_spending_limit(const sp_oracle *o, double share)
{
    const sp_budget *b = &o->budget;
    if (!(share > 0.0))
        return 0.0;
    switch (o->spending.filter) {
    case SP_FILTER_GAUSS:
        return gsl_pow_2(share < 1.0 ? sp_gaussian_mu(b->epsilon * share, b->delta * share) : b->mu);
    case SP_FILTER_BASIC:
        return b->epsilon * share;
    default:
        if (o->shares.zcdp || !(share < 1.0))
            return b->rho_z * share;
        return sp_transcript_rho(o->transcript, b->epsilon * share, b->delta * share);
    }
}

static const char *const unit_names[SP_FILTERS] = {
    [SP_FILTER_ZCDP] = "zCDP", [SP_FILTER_GAUSS] = "mu^2 of Gaussian DP", [SP_FILTER_BASIC] = "the sum of epsilon",
};

bool sp_filter_holds(const sp_oracle *o, double share)
{
    return sp_spending_total(o, NULL, 0) <= sp_spending_limit(o, share) * SP_BUDGET_TOLERANCE;
}

/* The filter's word on a release that was not announced. */
static sp_status pass(sp_oracle *o, const sp_entry *next, size_t entries)
{
    const double share = sp_share_kept(o, sp_any_outer(next, entries));
    const double total = sp_spending_total(o, next, entries), limit = sp_spending_limit(o, share);
    const bool planned = o->spending.plan + o->spending.plan_pool > 0.0;
    char why[240];
    for (size_t i = 0; i < entries; i++)
        if (isinf(sp_entry_cost(o->spending.filter, &next[i]))) {
            snprintf(why, sizeof why, "the filter by %s does not count it: announce it before the first release",
                     unit_names[o->spending.filter]);
            return sp_entry_refuse(&next[i], SP_EPRIVACY, why, &o->error);
        }
    if (o->options.privacy.calibration != SP_CALIBRATE_TIGHT || total <= limit * SP_BUDGET_TOLERANCE)
        return SP_OK;
    snprintf(why, sizeof why, "was not announced%s would bring %s to %.6g, above %.6g of privacy.epsilon = %g%s",
             planned ? "; with all that was it" : " and", unit_names[o->spending.filter], total, limit,
             o->budget.epsilon, share < 1.0 ? " (the rest is given to children)" : "");
    return sp_entry_refuse(next, SP_EBUDGET, why, &o->error);
}

sp_status sp_filter_by(sp_oracle *o, sp_filter filter)
{
    const sp_status status = sp_not_reentered(o);
    if (status != SP_OK)
        return status;
    if (filter == SP_FILTER_NONE || (unsigned)filter >= SP_FILTERS)
        return sp_refuse(o, SP_EINVAL, "sp_filter_by: there is no filter %d", (int)filter);
    if (o->spending.begun || o->spending.groups > 0)
        return sp_refuse(o, SP_EINVAL, "sp_filter_by: a filter is chosen before the first plan and the first release");
    if (o->shares.zcdp && filter == SP_FILTER_BASIC)
        return sp_refuse(o, SP_EPRIVACY, "sp_filter_by: this oracle's budget is kept in zCDP");
    if (!o->shares.zcdp)
        o->spending.filter = filter;
    return SP_OK;
}

sp_status sp_charge_keep(sp_oracle *o, const sp_shares *before)
{
    const sp_spending *s = &o->spending;
    const sp_shares *now = &o->shares;
    const bool outer = s->plan + s->announced + s->beside > 0.0;
    const bool tight = o->options.privacy.calibration == SP_CALIBRATE_TIGHT;
    const double kept = 1.0 - before->given - (outer ? before->beside : 0.0);
    if (!o->charged)
        return SP_OK;
    if (!s->begun || !tight) {
        sp_plan_void(o);
        return SP_OK;
    }
    if (!now->zcdp && (now->given > before->given || (outer && now->beside > before->beside)))
        return sp_refuse(o, SP_EBUDGET, "sp_child: what is spent already was judged against %g of the budget, of which "
                         "no (epsilon, delta)-share can be given any more: make the child before the first release",
                         kept);
    if (!now->zcdp)
        return SP_OK;
    if (!sp_filter_holds(o, kept))
        return sp_refuse(o, SP_EBUDGET, "sp_child: what is spent already was announced as a whole, for more than zCDP "
                         "= %g", sp_spending_limit(o, kept));
    double made, worst;
    sp_spending_made(o, &made, &worst);
    if (made + worst > sp_spending_limit(o, 1.0 - now->given) * SP_BUDGET_TOLERANCE ||
        (made > 0.0 && made + worst > sp_spending_limit(o, sp_share_kept(o, true)) * SP_BUDGET_TOLERANCE))
        return sp_refuse(o, SP_EBUDGET, "sp_child: what is spent already, zCDP %.6g, is above the %.6g that the "
                         "child's share would leave", made + worst, sp_spending_limit(o, sp_share_kept(o, made > 0.0)));
    sp_plan_void(o);
    return SP_OK;
}

/* Of repetitions: as many as announced? */
static bool same_runs(const sp_entry *a, const sp_entry *b)
{
    return a->mean == b->mean && a->shape == b->shape && a->cap == b->cap;
}

/* Was exactly this release announced? */
static bool is_announced(const sp_allowance *a, const sp_entry *entry)
{
    return a->left > 0 && a->entry.kind == entry->kind && same_runs(&a->entry, entry) &&
           (a->entry.rate == entry->rate || a->entry.rate >= 1.0) && a->entry.epsilon == entry->epsilon &&
           a->entry.delta == entry->delta && a->entry.noise_multiplier == entry->noise_multiplier;
}

/* Releases come in one order or two (gradients and differences) in which they were announced: the groups that covered
 * the last two, and those behind them. NULL: none of these announces exactly this release. */
static sp_allowance *cover_as_before(sp_spending *s, const sp_entry *entry)
{
    for (size_t k = 0; k < 2; k++)
        for (size_t e = s->last_group[k]; e < s->groups && e < s->last_group[k] + 2; e++)
            if (is_announced(&s->group[e], entry)) {
                s->last_group[1] = s->last_group[1 - k];
                s->last_group[0] = e;
                return &s->group[e];
            }
    return NULL;
}

/* The announced group that covers this release: at least as much noise as announced, as little more as possible. */
static sp_allowance *cover_one(sp_oracle *o, const sp_entry *entry)
{
    sp_spending *s = &o->spending;
    sp_allowance *best = cover_as_before(s, entry);
    if (best)
        return best;
    for (size_t e = 0; e < s->groups; e++) {
        sp_allowance *a = &s->group[e];
        if (a->left == 0 || a->entry.kind != entry->kind || !same_runs(&a->entry, entry) ||
            (a->entry.rate != entry->rate && a->entry.rate < 1.0) || a->entry.epsilon < entry->epsilon ||
            a->entry.delta < entry->delta ||
            a->entry.noise_multiplier > entry->noise_multiplier * (1.0 + 1e-12))
            continue;
        if (!best || a->entry.noise_multiplier > best->entry.noise_multiplier ||
            a->entry.epsilon < best->entry.epsilon)
            best = a;
    }
    for (size_t e = 0; !best && e < s->groups; e++) /* passes */
        if (s->group[e].mu2 > 0.0 && sp_entry_gaussian(entry) &&
            s->group[e].used + sp_entry_mu2(entry) <= s->group[e].mu2 * SP_SUM_TOLERANCE)
            best = &s->group[e];
    if (best) {
        s->last_group[1] = s->last_group[0];
        s->last_group[0] = (size_t)(best - s->group);
    }
    return best;
}

/* Was the release announced? Then it is taken off what is left of the plan. */
static bool cover(sp_oracle *o, const sp_entry *entry, size_t entries)
{
    const sp_spending *s = &o->spending;
    sp_allowance *one = NULL;
    const sp_entry *counted = NULL;
    for (size_t i = 0; i < entries; i++) {
        if (entry[i].pool > 0 && sp_entry_gaussian(&entry[i])) {
            if (!(s->pool_mu2 > 0.0) ||
                s->pool[entry[i].pool].announced + sp_entry_mu2(&entry[i]) > s->pool_mu2 * SP_SUM_TOLERANCE)
                return false;
        } else if (one || !(one = cover_one(o, counted = &entry[i]))) {
            return false; /* one entry beside the pools' Gaussians was announced */
        }
    }
    if (one && one->mu2 > 0.0)
        one->used += sp_entry_mu2(counted);
    else if (one)
        one->left--;
    return true;
}

sp_status sp_neighbours_check(sp_oracle *o, const sp_entry *entry)
{
    if (o->options.privacy.neighbours == SP_REPLACE_ONE || entry->kind == SP_LEDGER_POISSON)
        return SP_OK;
    return sp_entry_refuse(entry, SP_EPRIVACY, "privacy.neighbours = \"add_remove\": only releases on Poisson samples "
                           "of rate < 1 are counted", &o->error);
}

/* --- paying --------------------------------------------------------------------------------------------------- */

static void spend(sp_oracle *o, const sp_entry *entry, bool announced)
{
    sp_spending *s = &o->spending;
    const double cost = sp_entry_cost(s->filter, entry);
    if (entry->pool == 0) {
        *(announced ? &s->announced : &s->beside) += cost;
    } else if (announced && sp_entry_gaussian(entry)) {
        s->pool[entry->pool].announced += sp_entry_mu2(entry);
    } else if (announced) {
        s->announced += cost; /* as planned: on all records */
    } else {
        s->pool[entry->pool].beside += cost;
        s->worst = fmax(s->worst, s->pool[entry->pool].beside);
    }
}

sp_status sp_charge(sp_oracle *o, const sp_entry *entry, size_t entries)
{
    sp_status status = SP_OK;
    bool announced;
    if (!o->charged || entries == 0)
        return SP_OK;
    for (size_t i = 0; i < entries; i++) {
        SP_TRY(sp_entry_check(&entry[i], &o->error));
        SP_TRY(sp_neighbours_check(o, &entry[i]));
    }
    SP_TRY(sp_nesting_reserve(o, entry, entries));
    announced = cover(o, entry, entries);
    if (!announced)
        SP_TRY(pass(o, entry, entries));
    o->spending.begun = true;
    for (size_t i = 0; i < entries; i++) {
        sp_entry marked = entry[i];
        marked.filter = announced && !o->spending.late ? SP_FILTER_NONE : o->spending.filter;
        spend(o, &marked, announced);
        sp_nesting_post(o, &marked);
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

static sp_status charge_block(sp_oracle *o, const sp_resolved_batch *resolved, double mu2)
{
    sp_passes *p = &o->passes;
    sp_entry entry;
    double worst = p->worst;
    for (size_t i = 0; i < resolved->rows.count; i++)
        worst = fmax(worst, p->mu2[resolved->rows.index[i]] + mu2);
    const sp_status status = sp_charge(o, &entry, sp_pass_entry(o, worst, &entry) ? 1 : 0);
    if (status != SP_OK)
        return status;
    for (size_t i = 0; i < resolved->rows.count; i++)
        p->mu2[resolved->rows.index[i]] += mu2;
    p->worst = worst;
    return SP_OK;
}

sp_status sp_charge_batch(sp_oracle *o, sp_resolved_batch *resolved, const sp_entry *entry)
{
    sp_status status = SP_OK;
    if (o->charged && resolved->kind == SP_SAMPLE_PASS && sp_entry_gaussian(entry)) {
        SP_TRY(sp_entry_check(entry, &o->error));
        SP_TRY(charge_block(o, resolved, sp_entry_mu2(entry)));
    } else {
        SP_TRY(sp_charge(o, entry, 1));
    }
    if (resolved->drawn)
        resolved->drawn->released = true;
cleanup:
    return status;
}
