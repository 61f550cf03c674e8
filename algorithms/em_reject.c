/*
 * em_reject.c -- the exponential mechanism on a convex body W, by an exact draw instead of a net.
 *
 *   return w in W with density ~ exp(-tau F(w)),  tau = epsilon n / (4 L_data R)
 *
 * W and R are those of em_net; d <= 3. The draw is by rejection: uniform points of W are accepted with probability
 * exp(-tau (F(w) - m)), where m is a lower bound of F within 1 / tau of its minimum; a search finds it, and it is never
 * released. With D = 2 R, rho = min(D, d / (tau L)) and probability 1 - zeta,
 *
 *   F(w) - F* <= (d ln(D / rho) + ln(1/zeta)) / tau + L rho                                                (bound)
 *
 * (a convex W has (rho / D)^d of its volume within rho of the minimiser). The number of trials is 1 / E exp(-tau (F -
 * m)), about (tau (F - F*) / d)^d for a cone. It depends on the records, and so does the running time: a side channel,
 * which epsilon does not cover. The parameter `running_time` must be given as consent.
 *
 * That `trials` proposals are not enough would reveal something too: a private run is refused unless the chance of this
 * is below 2^-53 for all records, trials >= 37 e^(d+1) (epsilon n / (2 d))^d or so.
 *
 * When: to compare em_net with the distribution that it approaches.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Lowy, Ullman & Wright 2024, Definition 4.1, in the limit of a fine net.
 * Privacy  epsilon, pure, replace-one: one exponential mechanism, range sensitivity 4 L_data R / n; for the output, not
 *          for the running time.
 * Differs  m is searched for (core/oracle/mechanisms/choose_point.c), not given: any lower bound gives the same
 *          distribution.
 * Output   the accepted point.
 * Cost     n losses; those of the search and of the trials are not reported.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/compact.h"
#include "algorithms/parts/theory.h"

enum { RUNNING_TIME, TRIALS, ZETA };

static const sp_param params[] = {
    [RUNNING_TIME] = { "running_time", SP_CHOICE, SP_REQUIRED, { 0, 0 }, "consent that it tells about records",
                       "depends_on_records" },
    [TRIALS] = { "trials", SP_COUNT, 1e15, { 1, 1e15 }, "at most so many; refused where they might not do" },
    [ZETA]   = { "zeta",   SP_REAL, SP_DERIVED, { 1e-12, 0.5 }, "failure probability; default sqrt(d) / (n epsilon)" },
    { 0 }
};

static const char *fits(const sp_constants *c)
{
    return c->d > SP_GRID_SEARCH_D ? "rejection is for d <= 3" : sp_compact_fits(c);
}

static double zeta_of(const sp_oracle *o, const sp_values *v)
{
    return sp_given(v, ZETA) ? sp_real(v, ZETA) : sp_choice_zeta(sp_public(o), sp_choice_epsilon(o, 1.0));
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const double d = (double)c->d, D = 2.0 * sp_compact(o, NULL);
    const double tau = sp_choice_epsilon(o, 1.0) * (double)c->n / (2.0 * c->L_data * D);
    const double rho = fmin(D, d / (tau * c->L));
    return isfinite(tau) ? (d * sp_log(D / rho) + sp_log(1.0 / zeta_of(o, v))) / tau + c->L * rho : 0.0;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double epsilon = sp_choice_epsilon(o, 1.0);
    double *centre = sp_alloc_doubles(c->d), none;
    if (!centre)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %zu dimensions", c->d));
    if (!sp_given(v, RUNNING_TIME))
        SP_TRY(sp_refuse(o, SP_EINVAL, "running_time must be given: it depends on the records"));
    sp_resolved(o, "zeta", zeta_of(o, v), sp_given(v, ZETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_promise(o, true, risk_bound(o, v), c->gap);
    const sp_continuum W = { .centre = centre, .radius = sp_compact(o, centre), .trials = (double)sp_count(v, TRIALS) };
    sp_compact_project(o, w);
    SP_TRY(sp_checkpoint(o, 0, w));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_SELECTION, .count = 1, .epsilon = epsilon }, 1, &none));
    SP_TRY(sp_choose_point(o, &W, epsilon, w));
    SP_TRY(sp_checkpoint(o, 1, w));
cleanup:
    free(centre);
    return status;
}

const sp_algorithm sp_algorithm_em_reject = {
    .name = "em_reject",
    .summary = "the exponential mechanism on a body by rejection, exact: to check em_net where time may tell",
    .when = "to compare em_net with the law that it approaches, where a running time may tell about records",
    .source = "Lowy, Ullman & Wright 2024, Definition 4.1",
    .releases = "one exponential mechanism over a density, range sensitivity 4 L_data R / n",
    .uses = "parts/compact parts/theory",
    .params = params,
    .fits = fits,
    .run = run,
    .risk_bound = risk_bound,
};
