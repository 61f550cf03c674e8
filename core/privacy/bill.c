/* bill.c -- what one record pays: mu^2, Renyi curve, and the bounds that hold for them. */
#include "core/privacy/bill.h"

#include "core/privacy/rdp.h"

#include <gsl/gsl_math.h>
#include <math.h>

double sp_bill_mu2(const sp_bill *b)
{
    return b->part[0]->mu2[SP_FIXED] + b->part[1]->mu2[SP_FIXED] +
           (b->part[0]->mu2[SP_SCALED] + b->part[1]->mu2[SP_SCALED]) / gsl_pow_2(b->factor);
}

static double pure_rho(const sp_item *i)
{
    return gsl_pow_2(i->entry.epsilon) / (i->entry.kind == SP_LEDGER_EM ? 8.0 : 2.0);
}

static double bill_curve(const void *context, double order)
{
    const sp_bill *b = context;
    double sum = order * sp_bill_mu2(b) / 2.0;
    for (size_t part = 0; part < 2; part++) {
        for (size_t k = 0; k < b->part[part]->others; k++) {
            const sp_item *i = &b->part[part]->other[k];
            if (sp_item_sampled(i))
                sum += i->count * sp_rdp_without_replacement(
                                      i->entry.noise_multiplier * (i->scaled == SP_SCALED ? b->factor : 1.0),
                                      i->entry.rate, order);
            else if (!b->rest)
                sum += i->count * fmin(order * pure_rho(i), i->entry.epsilon);
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
            if (!sp_item_gaussian(i)) {
                *rho += i->count * pure_rho(i);
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
    sp_bill b = { .part = { &books->payers[0], pool > 0 ? &books->payers[pool] : &nobody }, .factor = factor };
    for (size_t part = 0; part < 2; part++) {
        for (size_t k = 0; k < b.part[part]->others; k++) {
            if (sp_item_sampled(&b.part[part]->other[k]))
                b.sampled = true;
            else
                b.pure = true;
        }
    }
    return b;
}

void sp_bill_bounds(const sp_bill *b, double delta, sp_bounds *out)
{
    double rho, pure, order = 0.0;
    const double mu2 = sp_bill_mu2(b);
    const sp_bill rest = { { b->part[0], b->part[1] }, b->factor, b->sampled, b->pure, true };
    bill_pure(b, &rho, &pure);
    for (size_t k = 0; k < SP_BOUNDS; k++)
        out->epsilon[k] = NAN;
    if (!b->sampled && !b->pure)
        out->epsilon[SP_BOUND_GAUSS] = sp_gaussian_epsilon(sqrt(mu2), delta);
    if (!b->sampled)
        out->epsilon[SP_BOUND_ZCDP] = sp_zcdp_epsilon(mu2 / 2.0 + rho, delta);
    out->epsilon[SP_BOUND_RDP] = sp_rdp_epsilon(bill_curve, b, delta, &out->order);
    if (b->pure)
        out->epsilon[SP_BOUND_BASIC] = pure + (b->sampled ? sp_rdp_epsilon(bill_curve, &rest, delta, &order)
                                                          : sp_gaussian_epsilon(sqrt(mu2), delta));
    out->best = NAN;
    for (size_t k = 0; k < SP_BOUNDS; k++) {
        if (!isnan(out->epsilon[k]) && !(out->best <= out->epsilon[k])) {
            out->best = out->epsilon[k];
            out->bound = (sp_bound_kind)k;
        }
    }
}

double sp_bill_delta(const sp_bill *b, double epsilon)
{
    double rho, pure;
    const sp_bill rest = { { b->part[0], b->part[1] }, b->factor, b->sampled, b->pure, true };
    const double mu = sqrt(sp_bill_mu2(b));
    bill_pure(b, &rho, &pure);
    if (!b->sampled && !b->pure)
        return sp_gaussian_delta(mu, epsilon);
    const double renyi = sp_rdp_delta(bill_curve, b, epsilon);
    if (!b->pure || epsilon < pure)
        return renyi;
    return fmin(renyi, b->sampled ? sp_rdp_delta(bill_curve, &rest, epsilon - pure)
                                  : sp_gaussian_delta(mu, epsilon - pure));
}

void sp_books_bounds(const sp_books *books, double delta, double factor, sp_bounds *out)
{
    for (size_t pool = sp_bill_first(books), first = pool; pool < books->count; pool++) {
        sp_bounds bounds;
        const sp_bill b = sp_bill_of(books, pool, factor);
        sp_bill_bounds(&b, delta, &bounds);
        if (pool == first) {
            *out = bounds;
            continue;
        }
        if (bounds.best > out->best) {
            out->best = bounds.best;
            out->bound = bounds.bound;
        }
        if (bounds.epsilon[SP_BOUND_RDP] > out->epsilon[SP_BOUND_RDP])
            out->order = bounds.order;
        for (size_t k = 0; k < SP_BOUNDS; k++) /* a bound that refuses one pool refuses */
            if (!(bounds.epsilon[k] <= out->epsilon[k]))
                out->epsilon[k] = isnan(out->epsilon[k]) ? NAN : bounds.epsilon[k];
    }
}
