/*
 * warm_start.c -- runs one method to get close to a minimum, and a second method from there.
 *
 *   w0 = first(X; share of the budget);   w = second(X; start w0, the rest of the budget, gap psi)
 *
 * psi bounds F(w0) - F*: it is the risk bound of `first` at its resolved parameters, a public formula, and `second`
 * gets it as its gap. It is never measured. With psi = L D sqrt(d ln(1/delta)) / (n epsilon) of dp_sgd, dp_spider's
 * rate (sqrt(psi beta L) sqrt d / (n epsilon))^(2/3) turns from exponent 2/3 into 1.
 *
 * budget
 *   paper     (share epsilon, share delta) and the rest: basic composition. The right choice if `first` is purely
 *             epsilon-DP; the only one for subsets, whose sampling has no zCDP bound;
 *   tight     share rho_z and the rest: rho of zCDP adds up. The right choice if both methods release unsampled
 *             Gaussians: at equal shares each has 1.76 times the rho of `paper` at epsilon = 1, delta = 1e-8;
 *   disjoint  the whole budget for each, `first` on `share` n records and `second` on the others: for population
 *             losses.
 *
 * When: `first` has a finite risk bound well below the start's gap. dp_sgd (batch = n) or dp_sgd_hp on quasar-convex
 * losses (Corollary 5.3), kl_gd or kl_spider on KL losses (6.3), em_net where d < n epsilon is small or em_product
 * where it fits (4.3), tree_spider or spider_sosp second for population losses (E.4, 7.1). Otherwise run `second`
 * alone. On quasar-convex problems tuning the second stage by hand has the same effect without a warm start.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Lowy, Ullman & Wright 2024, Alg. 2 (empirical) and Alg. 4 (population).
 * Privacy  (epsilon, delta), replace-one, by composition of the two shares; disjoint: in parallel.
 * Differs  `gap` overrules psi. If `first` has no risk bound at its parameters, `second` gets the problem's gap plus L
 *          ||w0 - start||, which is always valid but no better than no warm start, and the run warns. The theorem
 *          requires psi to hold with probability 1 - sqrt d / (n epsilon): dp_sgd_hp's and the exponential mechanisms'
 *          do; dp_sgd's and kl_gd's hold in expectation.
 * Output   that of `second`.
 * Cost     both methods'.
 */
#include "algorithms/algorithm.h"

enum { FIRST, SECOND, BUDGET, SHARE, GAP };
enum { PAPER, TIGHT, DISJOINT };

static const sp_param params[] = {
    [FIRST]  = { "first",  SP_METHOD, SP_REQUIRED, { 0, 0 }, "the method that starts at w0" },
    [SECOND] = { "second", SP_METHOD, SP_REQUIRED, { 0, 0 }, "the method that goes on from its answer" },
    [BUDGET] = { "budget", SP_CHOICE, PAPER, { 0, 0 }, "how the budget is divided", "paper|tight|disjoint" },
    [SHARE]  = { "share",  SP_REAL,   0.5, { 0.01, 0.99 }, "first's part of the budget; disjoint: of the records" },
    [GAP]    = { "gap",    SP_REAL,   SP_DERIVED, SP_POSITIVE, "bound psi on F(w0) - F*; default first's risk bound" },
    { 0 }
};

static sp_child_options stage(const sp_oracle *o, const sp_values *v, bool first)
{
    static const sp_share modes[] = { [PAPER] = SP_SHARE_BASIC, [TIGHT] = SP_SHARE_ZCDP,
                                      [DISJOINT] = SP_SHARE_DISJOINT };
    const double share = sp_real(v, SHARE);
    const size_t n = sp_records(o), head = (size_t)fmax(round(share * (double)n), 1.0);
    sp_child_options options = { .mode = modes[sp_choice(v, BUDGET)], .share = first ? share : 1.0 - share,
                                 .stage = first ? "first" : "second" };
    if (options.mode == SP_SHARE_DISJOINT) {
        options.share = 1.0;
        options.pool = first ? head : n - head;
    }
    return options;
}

/* psi; 0 when nothing is promised. */
static double promise(sp_oracle *o, const sp_oracle *child, const sp_method *method, const sp_values *v)
{
    double psi = method->algorithm->risk_bound ? method->algorithm->risk_bound(child, &method->values) : INFINITY;
    if (sp_given(v, GAP))
        psi = sp_real(v, GAP);
    if (!(psi > 0.0 && isfinite(psi))) {
        sp_warn_of(o, SP_WARNED_NO_BOUND,
                   "warm_start: %s promises no risk at these parameters; the second method starts with the gap of the "
                   "problem", method->algorithm->name);
        return 0.0;
    }
    sp_resolved(o, "gap", psi, sp_given(v, GAP) ? SP_FROM_USER : SP_FROM_THEORY);
    if (psi >= sp_public(o)->gap)
        sp_warn_of(o, SP_WARNED_VACUOUS_BOUND,
                   "warm_start: vacuous parameters: the risk %.3g that %s promises is not below %.3g, which holds at "
                   "the start", psi, method->algorithm->name, sp_public(o)->gap);
    return psi;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_method *first = sp_submethod(v, FIRST), *second = sp_submethod(v, SECOND);
    sp_child_options options = stage(o, v, true);
    sp_oracle *child = NULL;
    if (!first || !second)
        SP_TRY(sp_refuse(o, SP_EINVAL, "warm_start: %s must be given", first ? "second" : "first"));
    SP_TRY(sp_child(o, &options, &child));
    SP_TRY(sp_run(child, first, w));
    SP_TRY(sp_hand_over(o, w));
    options = stage(o, v, false);
    options.start = w;
    options.gap = promise(o, child, first, v);
    SP_TRY(sp_child(o, &options, &child));
    SP_TRY(sp_run(child, second, w));
cleanup:
    return status;
}

const sp_algorithm sp_algorithm_warm_start = {
    .name = "warm_start",
    .summary = "a cheap method first, dp_spider or another from its answer: when the first promises a small risk",
    .when = "the first method promises a risk well below the gap at the start: dp_sgd or dp_sgd_hp on quasar-convex "
            "losses, kl_gd on KL ones, em_net in 1 to 3 dimensions; else run the second method alone",
    .source = "Lowy, Ullman & Wright 2024, Alg. 2 and Alg. 4",
    .releases = "those of both methods",
    .params = params,
    .hands_over = "first",
    .run = run,
};
