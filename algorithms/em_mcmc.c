/*
 * em_mcmc.c -- Metropolis' random walk towards the exponential mechanism. Its privacy is not certified.
 *
 *   from the start in W, `moves` times:  w' = w + N(0, move_std^2 I);  to w' with probability
 *   min(1, exp(-tau (F(w') - F(w)))) if it is in W.   tau = epsilon n / (4 L_data R)
 *
 * W and R are those of em_net. If the distribution of the last point is within tv in total variation of the density ~
 * exp(-tau F), for these records and all neighbouring ones, the output is (epsilon, (1 + e^epsilon) tv)-DP. General
 * bounds on tv are useless here: they need about e^(tau (max F - min F)) moves, which is up to e^(epsilon n / 2). So a
 * private run is refused unless the user gives tv.
 *
 * When: for comparison, without privacy; or with a tv that has been proved. langevin is private at any length.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Metropolis et al. 1953; Lowy, Ullman & Wright 2024, remark on sampling.
 * Privacy  (epsilon, (1 + e^epsilon) tv), replace-one, if the tv given by the user is true; otherwise none.
 * Differs  The paper assumes that the sampler is exact.
 * Output   the last point. Its risk bound with tv is em_reject's at zeta - tv.
 * Cost     (moves + 2) n losses.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/compact.h"
#include "algorithms/parts/theory.h"

enum { MOVES, MOVE_STD, TV, ZETA };

static const sp_param params[] = {
    [MOVES]    = { "moves",    SP_COUNT, 1000, { 1, 1e12 }, "moves of the walk" },
    [MOVE_STD] = { "move_std", SP_REAL, SP_DERIVED, SP_POSITIVE, "of a coordinate; default min(R, 2.4 / (tau L))" },
    [TV]       = { "tv",       SP_REAL, SP_DERIVED, { DBL_MIN, 1 }, "proved bound on the distance in total variation; "
                                                                    "without it a private run is refused" },
    [ZETA]     = { "zeta",     SP_REAL, SP_DERIVED, { 1e-12, 0.5 }, "failure probability; default sqrt(d) / "
                                                                    "(n epsilon)" },
    { 0 }
};

/* The largest that leaves room for (1 + e^epsilon) tv in delta is the budget's own. */
static double epsilon_of(const sp_oracle *o)
{
    return sp_budget_of(o)->pure;
}

static double zeta_of(const sp_oracle *o, const sp_values *v)
{
    return sp_given(v, ZETA) ? sp_real(v, ZETA) : sp_choice_zeta(sp_public(o), epsilon_of(o));
}

static double tau_of(const sp_oracle *o)
{
    return epsilon_of(o) * (double)sp_records(o) / (4.0 * sp_public(o)->L_data * sp_compact(o, NULL));
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const double zeta = zeta_of(o, v) - (sp_given(v, TV) ? sp_real(v, TV) : 1.0);
    const double d = (double)c->d, D = 2.0 * sp_compact(o, NULL), tau = tau_of(o), rho = fmin(D, d / (tau * c->L));
    return zeta > 0.0 && rho > 0.0 ? (d * sp_log(D / rho) + sp_log(1.0 / zeta)) / tau + c->L * rho : INFINITY;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    double *centre = sp_alloc_doubles(c->d), none;
    if (!centre)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %zu dimensions", c->d));
    const double radius = sp_compact(o, centre), natural = 2.4 / (tau_of(o) * c->L);
    const sp_continuum W = { .centre = centre, .radius = radius, .moves = sp_count(v, MOVES),
                             .move_std = sp_given(v, MOVE_STD) ? sp_real(v, MOVE_STD)
                                         : natural > 0.0       ? fmin(radius, natural)
                                                               : 0.01 * radius, /* without a budget */
                             .tv = sp_given(v, TV) ? sp_real(v, TV) : NAN };
    sp_resolved(o, "move_std", W.move_std, sp_given(v, MOVE_STD) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "zeta", zeta_of(o, v), sp_given(v, ZETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_promise(o, true, risk_bound(o, v), c->gap);
    sp_compact_project(o, w);
    SP_TRY(sp_checkpoint(o, 0, w));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_SELECTION, .count = 1, .epsilon = epsilon_of(o),
                                               .tv = W.tv }, 1, &none));
    SP_TRY(sp_choose_point(o, &W, epsilon_of(o), w));
    SP_TRY(sp_checkpoint(o, 1, w));
cleanup:
    free(centre);
    return status;
}

const sp_algorithm sp_algorithm_em_mcmc = {
    .name = "em_mcmc",
    .summary = "a random walk towards the exponential mechanism, uncertified: a yardstick without privacy",
    .when = "without privacy, to compare with; under a budget only with a proof of `tv`",
    .source = "Metropolis et al. 1953; Lowy, Ullman & Wright 2024, Definition 4.1",
    .releases = "one point, (epsilon, (1 + e^epsilon) tv)-DP if the caller's tv is right",
    .uses = "parts/compact parts/theory",
    .params = params,
    .uncertified = true,
    .fits = sp_compact_fits,
    .run = run,
    .risk_bound = risk_bound,
};
