/* bill.c -- what one record pays: mu^2, Renyi curve, and the bounds that hold for them.
 *
 * An (epsilon, delta)-DP entry is dominated by an epsilon-DP one that fails altogether with probability delta (Kairouz,
 * Oh & Viswanath 2015): every bound is taken at delta less the sum of those. */
#include "core/privacy/bill.h"

#include "core/privacy/rdp.h"

#include <gsl/gsl_math.h>
#include <math.h>

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

static void bill_bounds(const sp_bill *b, double delta, sp_bounds *out)
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
    keep_smallest(out);
}

static void bill_deltas(const sp_bill *b, double epsilon, double delta[SP_BOUNDS], sp_bound_kind *best)
{
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
    *best = SP_BOUND_RDP;
    for (size_t k = 0; k < SP_BOUNDS; k++)
        if (delta[k] < delta[*best])
            *best = (sp_bound_kind)k;
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

void sp_books_bounds(const sp_books *books, double delta, double factor, sp_bounds *out)
{
    const size_t first = sp_bill_first(books);
    for (size_t pool = first; pool < books->count; pool++) {
        sp_bounds one;
        const sp_bill b = sp_bill_of(books, pool, factor);
        bill_bounds(&b, delta, &one);
        if (pool == first)
            *out = one;
        else
            join(out, &one);
    }
}

void sp_books_deltas(const sp_books *books, double epsilon, double delta[SP_BOUNDS], sp_bound_kind *best)
{
    const size_t first = sp_bill_first(books);
    double worst = -INFINITY;
    for (size_t pool = first; pool < books->count; pool++) {
        double one[SP_BOUNDS];
        sp_bound_kind smallest;
        const sp_bill b = sp_bill_of(books, pool, 1.0);
        bill_deltas(&b, epsilon, one, &smallest);
        if (one[smallest] > worst) {
            worst = one[smallest];
            *best = smallest;
        }
        for (size_t k = 0; k < SP_BOUNDS; k++)
            if (pool == first || (!isnan(delta[k]) && !(one[k] <= delta[k])))
                delta[k] = one[k];
    }
    delta[*best] = worst;
}
