/* bill.c -- what one record pays: mu^2, Renyi curve, privacy-loss distribution, and the bounds that hold for them.
 *
 * An (epsilon, delta)-DP entry is dominated by an epsilon-DP one that fails altogether with probability delta (Kairouz,
 * Oh & Viswanath 2015): every bound is taken at delta less the sum of those. */
#include "core/accountant/bill.h"

#include "core/accountant/pld.h"
#include "core/accountant/rdp.h"

#include <gsl/gsl_math.h>
#include <math.h>

enum { PLD_POOLS = 8 }; /* pools whose distributions are composed, the worst first */

double sp_bill_mu2(const sp_bill *b)
{
    return b->part[0]->mu2[SP_FIXED] + b->part[1]->mu2[SP_FIXED] +
           (b->part[0]->mu2[SP_SCALED] + b->part[1]->mu2[SP_SCALED]) / gsl_pow_2(b->factor);
}

static double factor_of(const sp_bill *b, const sp_item *i)
{
    return i->scaled == SP_SCALED ? b->factor : 1.0;
}

static double bill_curve(const void *context, double order)
{
    const sp_bill *b = context;
    double sum = order * sp_bill_mu2(b) / 2.0;
    for (size_t part = 0; part < 2; part++) {
        for (size_t k = 0; k < b->part[part]->others; k++) {
            const sp_item *i = &b->part[part]->other[k];
            if (sp_item_curved(i) || !b->rest)
                sum += i->count * sp_rdp_release(&i->entry, factor_of(b, i), b->neighbours, order);
        }
    }
    return sum;
}

static void bill_pure(const sp_bill *b, double *rho, double *epsilon)
{
    *rho = *epsilon = 0.0;
    for (size_t part = 0; part < 2; part++) {
        for (size_t k = 0; k < b->part[part]->others; k++) {
            const sp_item *i = &b->part[part]->other[k];
            if (!sp_item_curved(i)) {
                *rho += i->count * gsl_pow_2(i->entry.epsilon) / (i->entry.kind == SP_LEDGER_EM ? 8.0 : 2.0);
                *epsilon += i->count * i->entry.epsilon;
            }
        }
    }
}

size_t sp_bill_first(const sp_books *books)
{
    return books->count > 1 ? 1 : 0;
}

sp_bill sp_bill_of(const sp_books *books, size_t pool, double factor)
{
    static const sp_payer nobody;
    sp_bill b = { .part = { &books->payers[0], pool > 0 ? &books->payers[pool] : &nobody },
                  .neighbours = books->neighbours,
                  .filter = books->filter,
                  .factor = factor };
    for (size_t part = 0; part < 2; part++) {
        for (size_t k = 0; k < b.part[part]->others; k++) {
            const sp_item *i = &b.part[part]->other[k];
            *(sp_item_curved(i) ? &b.curved : &b.pure) = true;
            if (i->entry.kind == SP_LEDGER_APPROX)
                b.lost += i->count * i->entry.delta * (1.0 + 1e-14);
        }
    }
    return b;
}

/* A pair that dominates one release; false when there is no theorem. `swapped`: in the order (Q, P) where that is
 * another one. */
static bool pair_of(const sp_item *i, double factor, sp_neighbours neighbours, bool swapped, sp_pair *out)
{
    const sp_entry *e = &i->entry;
    *out = (sp_pair){ .count = i->count, .mu = 1.0 / (e->noise_multiplier * factor), .q = e->rate };
    switch (e->kind) {
    case SP_LEDGER_GAUSS_WOR:
        out->form = SP_PAIR_MIRRORED;
        return neighbours == SP_REPLACE_ONE;
    case SP_LEDGER_POISSON:
        out->form = neighbours == SP_REPLACE_ONE ? SP_PAIR_OPPOSED : swapped ? SP_PAIR_SWAPPED : SP_PAIR_NORMAL;
        return true;
    case SP_LEDGER_LAPLACE:
        *out = (sp_pair){ .form = SP_PAIR_LAPLACE, .epsilon = e->epsilon, .count = i->count };
        return true;
    case SP_LEDGER_EM:
    case SP_LEDGER_RNM_LAPLACE:
    case SP_LEDGER_SVT:
    case SP_LEDGER_PURE:
    case SP_LEDGER_APPROX:
    case SP_LEDGER_RANDOMISED_RESPONSE:
        *out = (sp_pair){ .form = SP_PAIR_RESPONSE, .epsilon = e->epsilon, .count = i->count };
        return true;
    default:
        return false;
    }
}

/* mu^2 is rounded up to 12 digits, so that the order in which it was summed does not reach the distributions. */
static bool bill_pairs(const sp_bill *b, bool swapped, sp_pair list[2 * SP_CLASSES + 1], size_t *count)
{
    const double mu2 = sp_bill_mu2(b);
    *count = 0;
    if (mu2 > 0.0)
        list[(*count)++] = (sp_pair){ .form = SP_PAIR_NORMAL, .mu = sqrt(sp_round_up(mu2)), .q = 1.0, .count = 1.0 };
    for (size_t part = 0; part < 2; part++) {
        if (b->part[part]->others > SP_CLASSES)
            return false;
        for (size_t k = 0; k < b->part[part]->others; k++) {
            const sp_item *i = &b->part[part]->other[k];
            sp_pair *to = &list[*count];
            if (!pair_of(i, factor_of(b, i), b->neighbours, swapped, to))
                return false;
            *count += to->mu > 0.0 || to->epsilon > 0.0; /* the others tell nothing */
        }
    }
    return isfinite(mu2);
}

/* The distribution's epsilon at `delta`, or delta at `epsilon` (the other one NAN); NAN where there is none. Under
 * add_remove the record may be in either data set; each order composes with itself. */
static sp_status bill_pld(const sp_bill *b, double delta, double epsilon, double *out)
{
    const bool sides = b->neighbours == SP_ADD_REMOVE && b->curved;
    *out = NAN;
    for (int swapped = 0; (b->curved || b->pure) && swapped <= sides; swapped++) {
        sp_pair list[2 * SP_CLASSES + 1];
        size_t count;
        double one = 0.0;
        sp_status status = SP_OK;
        if (!bill_pairs(b, swapped == 1, list, &count))
            return SP_OK;
        if (count > 0)
            status = isnan(epsilon) ? sp_pld_epsilon(list, count, delta, &one)
                                    : sp_pld_delta(list, count, epsilon, &one);
        if (status != SP_OK)
            return status;
        *out = swapped ? fmax(*out, one) : one;
    }
    return SP_OK;
}

static void keep_smallest(sp_bounds *bounds)
{
    bounds->best = NAN;
    for (size_t k = 0; k < SP_BOUNDS; k++) {
        if (!isnan(bounds->epsilon[k]) && !(bounds->best <= bounds->epsilon[k])) {
            bounds->best = bounds->epsilon[k];
            bounds->bound = (sp_bound_kind)k;
        }
    }
}

static const sp_bound_kind bound_of[SP_FILTERS] = { [SP_FILTER_ZCDP] = SP_BOUND_ZCDP, [SP_FILTER_GAUSS] = SP_BOUND_GAUSS,
                                                    [SP_FILTER_BASIC] = SP_BOUND_BASIC };

/* Of a bill's bounds those of its filter; `nothing` where that has no theorem. */
static void only_filtered(const sp_bill *b, double mu2, double nothing, double bound[SP_BOUNDS])
{
    if (b->filter == SP_FILTER_NONE)
        return;
    double *kept = &bound[bound_of[b->filter]];
    if (isnan(*kept) || (b->filter == SP_FILTER_BASIC && mu2 > 0.0))
        *kept = nothing;
    for (size_t k = 0; k < SP_BOUNDS; k++)
        if (&bound[k] != kept)
            bound[k] = NAN;
}

/* All but the distribution's. */
static void cheap_bounds(const sp_bill *b, double delta, sp_bounds *out)
{
    double rho, pure, order = 0.0;
    const double mu2 = sp_bill_mu2(b), left = delta - b->lost;
    sp_bill rest = *b;
    rest.rest = true;
    bill_pure(b, &rho, &pure);
    *out = (sp_bounds){ 0 };
    for (size_t k = 0; k < SP_BOUNDS; k++)
        out->epsilon[k] = NAN;
    if (!(left > 0.0)) {
        out->epsilon[SP_BOUND_BASIC] = INFINITY;
    } else {
        if (!b->curved && !b->pure)
            out->epsilon[SP_BOUND_GAUSS] = sp_gaussian_epsilon(sqrt(mu2), left);
        if (!b->curved)
            out->epsilon[SP_BOUND_ZCDP] = sp_zcdp_epsilon(mu2 / 2.0 + rho, left);
        out->epsilon[SP_BOUND_RDP] = sp_rdp_epsilon(bill_curve, b, left, &out->order);
        if (b->pure)
            out->epsilon[SP_BOUND_BASIC] = pure + (b->curved ? sp_rdp_epsilon(bill_curve, &rest, left, &order)
                                                             : sp_gaussian_epsilon(sqrt(mu2), left));
    }
    only_filtered(b, mu2, INFINITY, out->epsilon);
    keep_smallest(out);
}

static double zcdp_curve(const void *rho, double order)
{
    return order * *(const double *)rho;
}

static sp_status bill_deltas(const sp_bill *b, double epsilon, sp_effort effort, double delta[SP_BOUNDS],
                             sp_bound_kind *best)
{
    sp_status status = SP_OK;
    double rho, pure;
    const double mu = sqrt(sp_bill_mu2(b));
    sp_bill rest = *b;
    rest.rest = true;
    bill_pure(b, &rho, &pure);
    for (size_t k = 0; k < SP_BOUNDS; k++)
        delta[k] = NAN;
    if (!b->curved && !b->pure)
        delta[SP_BOUND_GAUSS] = sp_gaussian_delta(mu, epsilon);
    delta[SP_BOUND_RDP] = fmin(1.0, b->lost + sp_rdp_delta(bill_curve, b, epsilon));
    if (b->pure && epsilon >= pure)
        delta[SP_BOUND_BASIC] = fmin(1.0, b->lost + (b->curved ? sp_rdp_delta(bill_curve, &rest, epsilon - pure)
                                                               : sp_gaussian_delta(mu, epsilon - pure)));
    if (b->filter == SP_FILTER_ZCDP && !b->curved) {
        rho += mu * mu / 2.0;
        delta[SP_BOUND_ZCDP] = fmin(1.0, b->lost + sp_rdp_delta(zcdp_curve, &rho, epsilon));
    }
    if (effort == SP_WITH_PLD && b->filter == SP_FILTER_NONE)
        SP_TRY(bill_pld(b, NAN, epsilon, &delta[SP_BOUND_PLD]));
    delta[SP_BOUND_PLD] = b->lost + delta[SP_BOUND_PLD];
    if (delta[SP_BOUND_PLD] > 1.0)
        delta[SP_BOUND_PLD] = 1.0;
    only_filtered(b, mu * mu, 1.0, delta);
    *best = b->filter == SP_FILTER_NONE ? SP_BOUND_RDP : bound_of[b->filter];
    for (size_t k = 0; k < SP_BOUNDS; k++)
        if (delta[k] < delta[*best])
            *best = (sp_bound_kind)k;
cleanup:
    return status;
}

/* Of two pools' bounds the worse, column by column: a bound that refuses one pool refuses. */
static void join(sp_bounds *all, const sp_bounds *one)
{
    if (one->best > all->best) {
        all->best = one->best;
        all->bound = one->bound;
    }
    if (one->epsilon[SP_BOUND_RDP] > all->epsilon[SP_BOUND_RDP])
        all->order = one->order;
    for (size_t k = 0; k < SP_BOUNDS; k++)
        if (!isnan(all->epsilon[k]) && !(one->epsilon[k] <= all->epsilon[k]))
            all->epsilon[k] = one->epsilon[k];
}

/* Distributions of the worst pools, one after the other, until one stays the worst. The others pay no more by their
 * other bounds, which then stand in for their distributions. */
static sp_status lower_worst(const sp_books *books, double delta, double factor)
{
    sp_status status = SP_OK;
    const size_t first = sp_bill_first(books);
    size_t tried[PLD_POOLS], count = 0;
    double reached = -INFINITY;
    bool any = false;
    while (count < PLD_POOLS) {
        size_t worst = books->count;
        for (size_t pool = first; pool < books->count; pool++) {
            bool before = false;
            for (size_t k = 0; k < count; k++)
                before = before || tried[k] == pool;
            if (!before && (worst == books->count || books->bounds[pool].best > books->bounds[worst].best))
                worst = pool;
        }
        if (worst == books->count || books->bounds[worst].best <= reached)
            break;
        sp_bounds *bounds = &books->bounds[worst];
        const sp_bill b = sp_bill_of(books, worst, factor);
        tried[count++] = worst;
        if (delta > b.lost)
            SP_TRY(bill_pld(&b, delta - b.lost, NAN, &bounds->epsilon[SP_BOUND_PLD]));
        any = any || !isnan(bounds->epsilon[SP_BOUND_PLD]);
        keep_smallest(bounds);
        reached = fmax(reached, bounds->best);
    }
    for (size_t pool = first; any && pool < books->count; pool++)
        if (isnan(books->bounds[pool].epsilon[SP_BOUND_PLD]))
            books->bounds[pool].epsilon[SP_BOUND_PLD] = books->bounds[pool].best;
cleanup:
    return status;
}

sp_status sp_books_bounds(const sp_books *books, double delta, double factor, sp_effort effort, sp_bounds *out)
{
    sp_status status = SP_OK;
    const size_t first = sp_bill_first(books);
    for (size_t pool = first; pool < books->count; pool++) {
        const sp_bill b = sp_bill_of(books, pool, factor);
        cheap_bounds(&b, delta, &books->bounds[pool]);
    }
    if (effort == SP_WITH_PLD && books->filter == SP_FILTER_NONE)
        SP_TRY(lower_worst(books, delta, factor));
    *out = books->bounds[first];
    for (size_t pool = first + 1; pool < books->count; pool++)
        join(out, &books->bounds[pool]);
cleanup:
    return status;
}

sp_status sp_books_deltas(const sp_books *books, double epsilon, double delta[SP_BOUNDS], sp_bound_kind *best)
{
    sp_status status = SP_OK;
    const size_t first = sp_bill_first(books);
    const sp_effort effort = books->count - first <= PLD_POOLS ? SP_WITH_PLD : SP_WITHOUT_PLD;
    double worst = -INFINITY;
    for (size_t pool = first; pool < books->count; pool++) {
        double one[SP_BOUNDS];
        sp_bound_kind smallest;
        const sp_bill b = sp_bill_of(books, pool, 1.0);
        SP_TRY(bill_deltas(&b, epsilon, effort, one, &smallest));
        if (one[smallest] > worst) {
            worst = one[smallest];
            *best = smallest;
        }
        for (size_t k = 0; k < SP_BOUNDS; k++)
            if (pool == first || (!isnan(delta[k]) && !(one[k] <= delta[k])))
                delta[k] = one[k];
    }
    delta[*best] = worst;
cleanup:
    return status;
}
