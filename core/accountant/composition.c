/* composition.c -- computes what one record pays over all its releases: mu^2, the Renyi curve and the privacy-loss
 * distribution of the composition, and from each a bound on (epsilon, delta).
 *
 * An (epsilon, delta)-DP entry is dominated by an epsilon-DP one that fails altogether with probability delta (Kairouz,
 * Oh & Viswanath 2015). So every bound is taken at delta minus the sum of these entries' deltas.
 *
 * The theorem on the best of K runs holds for K as it is drawn. If K is cut to a cap, the output's distribution changes
 * by at most p = P(K > cap) in total variation, for each of two neighbours. With P, P' the distributions with the cap
 * and P~, P~' those without: P(S) <= P~(S) + p <= e^epsilon P~'(S) + delta + p <= e^epsilon (P'(S) + p) + delta + p. So
 * a cap adds (1 + e^epsilon) p to delta, and several caps add up. */
#include "core/accountant/composition.h"

#include "core/accountant/contour.h"
#include "core/accountant/pld.h"
#include "core/accountant/rdp.h"
#include "core/accountant/repetitions.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <math.h>

enum { PLD_GROUPS = 8 }; /* groups whose distributions are composed, the worst first: some milliseconds each */

double sp_composition_mu2(const sp_composition *c)
{
    return c->group[0]->mu2[SP_FIXED] + c->group[1]->mu2[SP_FIXED] +
           (c->group[0]->mu2[SP_SCALED] + c->group[1]->mu2[SP_SCALED]) / gsl_pow_2(c->factor);
}

static double factor_of(const sp_composition *c, const sp_repeated_release *r)
{
    return r->scaled == SP_SCALED ? c->factor : 1.0;
}

static bool is_sampled(const sp_entry *e)
{
    return e->kind == SP_LEDGER_GAUSS_WOR || e->kind == SP_LEDGER_POISSON;
}

static double renyi_curve(const void *context, double order)
{
    const sp_composition *c = context;
    double sum = order * sp_composition_mu2(c) / 2.0;
    for (size_t g = 0; g < 2; g++) {
        for (size_t k = 0; k < c->group[g]->distinct; k++) {
            const sp_repeated_release *r = &c->group[g]->release[k];
            if ((sp_release_needs_curve(r) || !c->without_pure) && !(c->without_sampled && is_sampled(&r->entry)))
                sum += r->count * sp_rdp_release(&r->entry, factor_of(c, r), c->neighbours, order);
        }
    }
    return sum;
}

static void pure_cost(const sp_composition *c, double *rho, double *epsilon)
{
    *rho = *epsilon = 0.0;
    for (size_t g = 0; g < 2; g++) {
        for (size_t k = 0; k < c->group[g]->distinct; k++) {
            const sp_repeated_release *r = &c->group[g]->release[k];
            if (!sp_release_needs_curve(r)) {
                *rho += r->count * gsl_pow_2(r->entry.epsilon) / (r->entry.kind == SP_LEDGER_EM ? 8.0 : 2.0);
                *epsilon += r->count * r->entry.epsilon;
            }
        }
    }
}

/* Products and sums of positive numbers, rounded up to the next double unless they are exact. */
static double product_above(double a, double b)
{
    const double product = a * b;
    return fma(a, b, -product) > 0.0 ? nextafter(product, INFINITY) : product;
}

static double sum_above(double a, double b)
{
    const double sum = a + b, tail = fmin(a, b) - (sum - fmax(a, b));
    return tail > 0.0 ? nextafter(sum, INFINITY) : sum;
}

/* What the deltas of approx entries, and of runs that may be cut, leave of delta, from below; 0 where they use all of
 * it, < 0 where they exceed it. Decimals that add up to delta may exceed it by the roundings of their doubles. */
static double left_of(double delta, double approx, double cut)
{
    if (approx + cut > delta * (1.0 + 2.0 * DBL_EPSILON))
        return -1.0;
    return fmax(0.0, delta - approx * (1.0 + 1e-14) - cut);
}

size_t sp_grouped_first(const sp_grouped_ledger *ledger)
{
    return ledger->count > 1 ? 1 : 0;
}

sp_composition sp_composition_of(const sp_grouped_ledger *ledger, size_t group, double factor)
{
    static const sp_release_group nothing;
    sp_composition c = { .group = { &ledger->groups[0], group > 0 ? &ledger->groups[group] : &nothing },
                         .neighbours = ledger->neighbours,
                         .filter = ledger->filter,
                         .factor = factor,
                         .rising = true };
    for (size_t g = 0; g < 2; g++) {
        for (size_t k = 0; k < c.group[g]->distinct; k++) {
            const sp_repeated_release *r = &c.group[g]->release[k];
            *(sp_release_needs_curve(r) ? &c.has_curves : &c.has_pure) = true;
            *(is_sampled(&r->entry) ? &c.has_sampled : &c.has_selections) |= sp_release_needs_curve(r);
            c.rising = c.rising && r->entry.kind != SP_LEDGER_SELECT;
            if (r->entry.kind == SP_LEDGER_APPROX)
                c.approx_delta = sum_above(c.approx_delta, product_above(r->count, r->entry.delta));
            if (r->entry.kind == SP_LEDGER_SELECT)
                c.cut += r->count * sp_repetitions_beyond(r->entry.shape, r->entry.mean, r->entry.cap);
        }
    }
    return c;
}

/* A pair that dominates one release; false when there is no theorem. `swapped`: in the order (Q, P) where that is
 * another one. */
static bool pair_of(const sp_repeated_release *r, double factor, sp_neighbours neighbours, bool swapped,
                    sp_dominating_pair *out)
{
    const sp_entry *e = &r->entry;
    *out = (sp_dominating_pair){ .count = r->count, .mu = 1.0 / (e->noise_multiplier * factor), .q = e->rate };
    switch (e->kind) {
    case SP_LEDGER_GAUSS_WOR:
        out->form = SP_PAIR_MIRRORED;
        return neighbours == SP_REPLACE_ONE;
    case SP_LEDGER_POISSON:
        out->form = neighbours == SP_REPLACE_ONE ? SP_PAIR_OPPOSED : swapped ? SP_PAIR_SWAPPED : SP_PAIR_NORMAL;
        return true;
    case SP_LEDGER_LAPLACE:
        *out = (sp_dominating_pair){ .form = SP_PAIR_LAPLACE, .epsilon = e->epsilon, .count = r->count };
        return true;
    case SP_LEDGER_EM:
    case SP_LEDGER_RNM_LAPLACE:
    case SP_LEDGER_SVT:
    case SP_LEDGER_PURE:
    case SP_LEDGER_APPROX:
    case SP_LEDGER_RANDOMISED_RESPONSE:
        *out = (sp_dominating_pair){ .form = SP_PAIR_RESPONSE, .epsilon = e->epsilon, .count = r->count };
        if (e->kind == SP_LEDGER_RANDOMISED_RESPONSE && e->choices > 2)
            out->others = (double)(e->choices - 2);
        return true;
    default:
        return false;
    }
}

/* mu^2 is rounded up to 12 digits, so that the order in which it was summed does not reach the distributions. */
static bool pairs_of(const sp_composition *c, bool swapped, sp_dominating_pair list[2 * SP_RELEASES_MAX + 1],
                     size_t *count)
{
    const double mu2 = sp_composition_mu2(c);
    *count = 0;
    if (mu2 > 0.0)
        list[(*count)++] = (sp_dominating_pair){ .form = SP_PAIR_NORMAL, .mu = sqrt(sp_round_up(mu2)), .q = 1.0,
                                                 .count = 1.0 };
    for (size_t g = 0; g < 2; g++) {
        if (c->group[g]->distinct > SP_RELEASES_MAX)
            return false;
        for (size_t k = 0; k < c->group[g]->distinct; k++) {
            const sp_repeated_release *r = &c->group[g]->release[k];
            sp_dominating_pair *to = &list[*count];
            if (!pair_of(r, factor_of(c, r), c->neighbours, swapped, to))
                return false;
            *count += to->mu > 0.0 || to->epsilon > 0.0; /* the others tell nothing */
        }
    }
    return isfinite(mu2);
}

/* The largest count of a sampled pair. */
static double most_samples(const sp_dominating_pair *list, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++)
        if (list[i].q < 1.0 && list[i].mu > 0.0)
            most = fmax(most, list[i].count);
    return most;
}

/* Where pairs have so many releases that a grid's roundings add up, the smaller of the grid's bound and the
 * contour's. */
static sp_status delta_of_pairs(const sp_dominating_pair *list, size_t count, double epsilon, double *out)
{
    double other = 1.0;
    sp_status status = SP_OK;
    SP_TRY(sp_pld_delta(list, count, epsilon, out));
    if (most_samples(list, count) >= sp_contour_least)
        SP_TRY(sp_contour_delta(list, count, epsilon, &other));
    *out = fmin(*out, other);
cleanup:
    return status;
}

/* Below `small` a grid's step is of the size of epsilon. There epsilon is sought where delta(epsilon), which both
 * searches know better, meets delta: from `epsilon`, a valid one, down. */
static const double small = 5e-3;

static sp_status lower_small(const sp_dominating_pair *list, size_t count, double delta, double *epsilon)
{
    enum { STEPS = 24 };
    sp_status status = SP_OK;
    double below = 0.0, found;
    SP_TRY(delta_of_pairs(list, count, 0.0, &found));
    if (found <= delta)
        *epsilon = 0.0;
    for (int i = 0; i < STEPS && *epsilon - below > 1e-5 * *epsilon; i++) {
        const double middle = 0.5 * (below + *epsilon);
        SP_TRY(delta_of_pairs(list, count, middle, &found));
        *(found <= delta ? epsilon : &below) = middle;
    }
cleanup:
    return status;
}

static sp_status epsilon_of_pairs(const sp_dominating_pair *list, size_t count, double delta, double *out)
{
    double other = INFINITY;
    sp_status status = SP_OK;
    SP_TRY(sp_pld_epsilon(list, count, delta, out));
    if (most_samples(list, count) >= sp_contour_least)
        SP_TRY(sp_contour_epsilon(list, count, delta, &other));
    *out = fmin(*out, other);
    if (*out > 0.0 && *out < small)
        SP_TRY(lower_small(list, count, delta, out));
cleanup:
    return status;
}

/* The distribution's epsilon at `delta`, or delta at `epsilon` (the other one NAN); NAN where there is none. Under
 * add_remove the record may be in either data set; each order composes with itself. */
static sp_status pld_bound(const sp_composition *c, double delta, double epsilon, double *out)
{
    const bool both_orders = c->neighbours == SP_ADD_REMOVE && c->has_curves;
    *out = NAN;
    for (int swapped = 0; (c->has_curves || c->has_pure) && swapped <= both_orders; swapped++) {
        sp_dominating_pair list[2 * SP_RELEASES_MAX + 1];
        size_t count;
        double one = 0.0;
        sp_status status = SP_OK;
        if (!pairs_of(c, swapped == 1, list, &count))
            return SP_OK;
        if (count > 0)
            status = isnan(epsilon) ? epsilon_of_pairs(list, count, delta, &one)
                                    : delta_of_pairs(list, count, epsilon, &one);
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

static const sp_bound_kind bound_of[SP_FILTERS] = {
    [SP_FILTER_ZCDP] = SP_BOUND_ZCDP, [SP_FILTER_GAUSS] = SP_BOUND_GAUSS, [SP_FILTER_BASIC] = SP_BOUND_BASIC
};

/* Of a composition's bounds that of its filter; `nothing` where that has no theorem. */
static void only_filtered(const sp_composition *c, double mu2, double nothing, double bound[SP_BOUNDS])
{
    if (c->filter == SP_FILTER_NONE)
        return;
    double *kept = &bound[bound_of[c->filter]];
    if (isnan(*kept) || (c->filter == SP_FILTER_BASIC && mu2 > 0.0))
        *kept = nothing;
    for (size_t k = 0; k < SP_BOUNDS; k++)
        if (&bound[k] != kept)
            bound[k] = NAN;
}

/* All but that of the privacy-loss distribution, at what is left of delta. */
static void bounds_at(const sp_composition *c, double left, sp_bounds *out)
{
    double rho, pure, order = 0.0;
    const double mu2 = sp_composition_mu2(c);
    sp_composition rest = *c;
    rest.without_pure = true;
    pure_cost(c, &rho, &pure);
    *out = (sp_bounds){ 0 };
    for (size_t k = 0; k < SP_BOUNDS; k++)
        out->epsilon[k] = NAN;
    if (left == 0.0 && !c->has_curves && mu2 == 0.0) { /* no delta is needed: the epsilons add up */
        out->epsilon[SP_BOUND_BASIC] = pure;
    } else if (!(left > 0.0)) {
        out->epsilon[SP_BOUND_BASIC] = INFINITY;
    } else {
        if (!c->has_curves && !c->has_pure)
            out->epsilon[SP_BOUND_GAUSS] = sp_gaussian_epsilon(sqrt(mu2), left);
        if (!c->has_curves)
            out->epsilon[SP_BOUND_ZCDP] = sp_zcdp_epsilon(mu2 / 2.0 + rho, left);
        out->epsilon[SP_BOUND_RDP] = sp_rdp_epsilon(renyi_curve, c, c->rising, left, &out->order);
        if (c->has_pure)
            out->epsilon[SP_BOUND_BASIC] =
                pure + (c->has_curves ? sp_rdp_epsilon(renyi_curve, &rest, c->rising, left, &order)
                                      : sp_gaussian_epsilon(sqrt(mu2), left));
    }
    only_filtered(c, mu2, INFINITY, out->epsilon);
    keep_smallest(out);
}

static double largest(const sp_bounds *bounds)
{
    double most = 0.0;
    for (size_t k = 0; k < SP_BOUNDS; k++)
        most = fmax(most, bounds->epsilon[k]); /* not NaN */
    return most;
}

/* A record influences sampled releases only if a sample contains it. Let tau = 1 - prod (1 - rate)^count be the chance
 * that any sample does: then the sampled releases together are (0, tau)-DP, whatever their noise. */
static double sampled_at_all(const sp_composition *c)
{
    double log_never = 0.0;
    for (size_t g = 0; g < 2; g++)
        for (size_t k = 0; k < c->group[g]->distinct; k++)
            if (is_sampled(&c->group[g]->release[k].entry))
                log_never += c->group[g]->release[k].count * log1p(-c->group[g]->release[k].entry.rate);
    return -expm1(log_never * (1.0 + 4.0 * DBL_EPSILON)) * (1.0 + 4.0 * DBL_EPSILON);
}

/* The epsilon of the other releases at left - tau, where that is smaller. */
static void never_sampled(const sp_composition *c, double left, sp_bounds *out)
{
    sp_composition others = *c;
    sp_bounds bounds;
    const double tau = c->has_sampled && c->filter == SP_FILTER_NONE ? sampled_at_all(c) : 1.0;
    if (!(tau < left))
        return;
    others.without_sampled = true;
    others.has_curves = c->has_selections;
    bounds_at(&others, left - tau, &bounds);
    if (!(bounds.best >= out->epsilon[SP_BOUND_BASIC])) {
        out->epsilon[SP_BOUND_BASIC] = bounds.best;
        keep_smallest(out);
    }
}

/* Where a number of runs may be cut, epsilon is on both sides: delta >= delta(epsilon) + (1 + e^epsilon) cut, delta(.)
 * that of the composition without caps. From below, each time with the e^epsilon of a little more than was found. */
static void closed_bounds(const sp_composition *c, double delta, sp_bounds *out)
{
    enum { ROUNDS = 100 };
    double used = 0.0;
    bounds_at(c, left_of(delta, c->approx_delta, 2.0 * c->cut), out);
    if (c->cut == 0.0)
        never_sampled(c, left_of(delta, c->approx_delta, 0.0), out);
    for (size_t i = 0; c->cut > 0.0 && largest(out) > used; i++) {
        used = i < ROUNDS ? largest(out) * (1.0 + 1e-9) : INFINITY;
        bounds_at(c, left_of(delta, c->approx_delta, (1.0 + exp(used)) * c->cut), out);
    }
}

static double zcdp_curve(const void *rho, double order)
{
    return order * *(const double *)rho;
}

/* The delta of the other releases at epsilon, and tau. */
static void never_sampled_delta(const sp_composition *c, double epsilon, double fails, double *delta)
{
    sp_composition others = *c;
    double rho, pure, least = 1.0;
    const double mu = sqrt(sp_composition_mu2(c));
    others.without_sampled = true;
    pure_cost(c, &rho, &pure);
    if (mu > 0.0 || c->has_pure || c->has_selections)
        least = sp_rdp_delta(renyi_curve, &others, c->rising, epsilon);
    if (!c->has_selections && epsilon >= pure)
        least = fmin(least, sp_gaussian_delta(mu, epsilon - pure));
    least = fmin(1.0, least + fails + sampled_at_all(c));
    if (!(least >= *delta))
        *delta = least;
}

static sp_status deltas_of(const sp_composition *c, double epsilon, sp_effort effort, double delta[SP_BOUNDS],
                           sp_bound_kind *best)
{
    sp_status status = SP_OK;
    double rho, pure;
    const double mu = sqrt(sp_composition_mu2(c));
    const double fails = c->approx_delta + (c->cut > 0.0 ? (1.0 + exp(epsilon)) * c->cut : 0.0);
    sp_composition rest = *c;
    rest.without_pure = true;
    pure_cost(c, &rho, &pure);
    for (size_t k = 0; k < SP_BOUNDS; k++)
        delta[k] = NAN;
    if (!c->has_curves && !c->has_pure)
        delta[SP_BOUND_GAUSS] = sp_gaussian_delta(mu, epsilon);
    delta[SP_BOUND_RDP] = fmin(1.0, fails + sp_rdp_delta(renyi_curve, c, c->rising, epsilon));
    if (c->has_pure && epsilon >= pure)
        delta[SP_BOUND_BASIC] =
            fmin(1.0, fails + (c->has_curves ? sp_rdp_delta(renyi_curve, &rest, c->rising, epsilon - pure)
                                                       : sp_gaussian_delta(mu, epsilon - pure)));
    if (c->has_sampled && c->filter == SP_FILTER_NONE)
        never_sampled_delta(c, epsilon, fails, &delta[SP_BOUND_BASIC]);
    if (c->filter == SP_FILTER_ZCDP && !c->has_curves) {
        rho += mu * mu / 2.0;
        delta[SP_BOUND_ZCDP] = fmin(1.0, fails + sp_rdp_delta(zcdp_curve, &rho, true, epsilon));
    }
    if (effort == SP_WITH_PLD && c->filter == SP_FILTER_NONE)
        SP_TRY(pld_bound(c, NAN, epsilon, &delta[SP_BOUND_PLD]));
    delta[SP_BOUND_PLD] = fails + delta[SP_BOUND_PLD];
    if (delta[SP_BOUND_PLD] > 1.0)
        delta[SP_BOUND_PLD] = 1.0;
    for (size_t k = 0; k < SP_BOUNDS; k++) /* beneath every double, but not 0 unless epsilons alone are paid */
        if (delta[k] == 0.0 && (mu > 0.0 || c->has_curves || epsilon < pure))
            delta[k] = DBL_TRUE_MIN;
    only_filtered(c, mu * mu, 1.0, delta);
    *best = c->filter == SP_FILTER_NONE ? SP_BOUND_RDP : bound_of[c->filter];
    for (size_t k = 0; k < SP_BOUNDS; k++)
        if (delta[k] < delta[*best])
            *best = (sp_bound_kind)k;
cleanup:
    return status;
}

/* Of two groups' bounds the worse, column by column: a bound that refuses one group refuses. */
static void keep_worse(sp_bounds *all, const sp_bounds *one)
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

/* Distributions of the worst groups, one after the other, until one stays the worst. The others pay no more by their
 * other bounds, which then stand in for their distributions. */
static sp_status lower_worst(const sp_grouped_ledger *ledger, double delta, double factor)
{
    sp_status status = SP_OK;
    const size_t first = sp_grouped_first(ledger);
    size_t tried[PLD_GROUPS], count = 0;
    double reached = -INFINITY;
    bool any = false;
    while (count < PLD_GROUPS) {
        size_t worst = ledger->count;
        for (size_t group = first; group < ledger->count; group++) {
            bool before = false;
            for (size_t k = 0; k < count; k++)
                before = before || tried[k] == group;
            if (!before && (worst == ledger->count || ledger->bounds[group].best > ledger->bounds[worst].best))
                worst = group;
        }
        if (worst == ledger->count || ledger->bounds[worst].best <= reached)
            break;
        sp_bounds *bounds = &ledger->bounds[worst];
        const sp_composition c = sp_composition_of(ledger, worst, factor);
        tried[count++] = worst;
        const double left = left_of(delta, c.approx_delta, 0.0);
        if (left > 0.0)
            SP_TRY(pld_bound(&c, left, NAN, &bounds->epsilon[SP_BOUND_PLD]));
        any = any || !isnan(bounds->epsilon[SP_BOUND_PLD]);
        keep_smallest(bounds);
        reached = fmax(reached, bounds->best);
    }
    for (size_t group = first; any && group < ledger->count; group++)
        if (isnan(ledger->bounds[group].epsilon[SP_BOUND_PLD]))
            ledger->bounds[group].epsilon[SP_BOUND_PLD] = ledger->bounds[group].best;
cleanup:
    return status;
}

sp_status sp_grouped_bounds(const sp_grouped_ledger *ledger, double delta, double factor, sp_effort effort,
                            sp_bounds *out)
{
    sp_status status = SP_OK;
    const size_t first = sp_grouped_first(ledger);
    for (size_t group = first; group < ledger->count; group++) {
        const sp_composition c = sp_composition_of(ledger, group, factor);
        closed_bounds(&c, delta, &ledger->bounds[group]);
    }
    if (effort == SP_WITH_PLD && ledger->filter == SP_FILTER_NONE)
        SP_TRY(lower_worst(ledger, delta, factor));
    *out = ledger->bounds[first];
    for (size_t group = first + 1; group < ledger->count; group++)
        keep_worse(out, &ledger->bounds[group]);
cleanup:
    return status;
}

sp_status sp_grouped_deltas(const sp_grouped_ledger *ledger, double epsilon, double delta[SP_BOUNDS],
                            sp_bound_kind *best)
{
    sp_status status = SP_OK;
    const size_t first = sp_grouped_first(ledger);
    const sp_effort effort = ledger->count - first <= PLD_GROUPS ? SP_WITH_PLD : SP_WITHOUT_PLD;
    double worst = -INFINITY;
    for (size_t group = first; group < ledger->count; group++) {
        double one[SP_BOUNDS];
        sp_bound_kind smallest;
        const sp_composition c = sp_composition_of(ledger, group, 1.0);
        SP_TRY(deltas_of(&c, epsilon, effort, one, &smallest));
        if (one[smallest] > worst) {
            worst = one[smallest];
            *best = smallest;
        }
        for (size_t k = 0; k < SP_BOUNDS; k++)
            if (group == first || (!isnan(delta[k]) && !(one[k] <= delta[k])))
                delta[k] = one[k];
    }
    delta[*best] = worst;
cleanup:
    return status;
}
