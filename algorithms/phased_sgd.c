/*
 * phased_sgd.c -- phases of stochastic gradient descent, each on half as many fresh records with a quarter of the step.
 *
 *   for i = 1..k:  v <- Proj_W( v - eta_i grad f(v, z) ), one step for each of n_i fresh records z, from v = w;
 *                  w <- Proj_W( mean of these v + N(0, s_i^2 I) )
 *
 *   k = floor(log2 n),  n_i = floor(n / 2^i),  eta_i = eta / 4^i,  s_i = S_i / mu,
 *   eta = min{ (D / L) min{ 4 / sqrt n, mu / (2 sqrt d) }, 8 / beta },
 *
 * D a bound on ||w0 - w*|| or the diameter, mu the Gaussian-DP parameter of the budget. S_i is 2 L_data eta_i, and on a
 * bounded domain also an allowance for the accuracy of the projections (core/oracle/mechanisms/stable.c), which matters
 * only in the last phases, on a polytope in more of them. Privacy rests on eta_1 <= 2 / beta: a step of a convex,
 * beta-smooth f then does not increase the distance of two points. A convex GLM with kinks and slopes of at most L0 is
 * replaced by its Moreau envelope, b-smooth in the margin and at most L0^2 / (2b) below it,
 *
 *   b = sqrt(n) L0 / (R D),   so beta = b R^2 = sqrt(n) L_data / D  and  L0^2 / (2b) = L_data D / (2 sqrt n).
 *
 * For the population's risk P, with a_i the mean of phase i before noise, a_0 = w*, and ||w_i - a_i|| the norm of that
 * noise (D for i = 0),
 *
 *   P(a_i) - P(a_(i-1)) <= E||w_(i-1) - a_(i-1)||^2 / (2 eta_i n_i) + 3 eta_i L^2 / 2
 *
 * (regret of one pass over fresh records; means are of points after their step, hence 3/2 in place of 1/2), so
 *
 *   E[P(w) - P*] <= D^2 / (2 eta_1 n_1) + sum_(i<k) d s_i^2 / (2 eta_(i+1) n_(i+1)) + (3/2) L^2 sum_i eta_i
 *                   + L sqrt(d) s_k + L_data D / (2 sqrt n) with an envelope:  L D O( 1 / sqrt n + sqrt d / (n mu) ).
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Feldman, Koren & Talwar 2020 (Phased-SGD); Bassily, Guzman & Menart 2021, Theorem 5.
 * Privacy  (epsilon, delta), replace-one, by stability: each record is in one phase, whose mean moves by at most S_i
 *          when one of them is replaced. This requires certified convexity and smoothness; clipping would not be
 *          enough.
 * Differs  The paper computes the envelope's slope by bisection, to an accuracy that is in its theorem; here it is
 *          exact to rounding. Its b lacks 1/D, and its Lipschitz constant of the envelope is 2 L0 where L0 holds. The
 *          noise is calibrated exactly; that of the papers (calibration = "paper") is s_i = 4 L_data eta_i
 *          sqrt(ln(1/delta)) / epsilon, and their eta has epsilon / sqrt(d ln(1/delta)) in place of mu / (2 sqrt d).
 * Output   the last point. The bound is on the population's risk, not on the empirical one.
 * Cost     less than n gradients, one pass; 3 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/descent.h"
#include "algorithms/parts/theory.h"

enum { ETA, ENVELOPE };

static const sp_param params[] = {
    [ETA]      = { "eta", SP_REAL, SP_DERIVED, SP_POSITIVE, "four times the first phase's step size; default by "
                                                            "theory" },
    [ENVELOPE] = { "envelope", SP_REAL, SP_DERIVED, SP_POSITIVE, "smoothness b of the envelope in the place of a loss "
                   "with kinks; default by theory" },
    { 0 }
};

static const char *fits(const sp_constants *c)
{
    if (!c->convex)
        return "the loss is not convex";
    if (!c->smooth && !c->gll)
        return "the loss has kinks and is no GLM, so it has no envelope";
    if (c->smooth && !isfinite(c->beta))
        return "the loss is not smooth (beta)";
    if (!(c->L_data > 0.0 && isfinite(c->L)))
        return "the records' gradients are not bounded (L_data, L)";
    if (!isfinite(sp_distance(c)))
        return "no bound on ||w0 - w*|| is known: the domain is unbounded (declare distance)";
    if (!(sp_distance(c) > 0.0))
        return "w0 is the minimiser: ||w0 - w*|| is known to be 0";
    return c->n >= 2 ? NULL : "one record makes no phase";
}

/* Records of phase i. */
static size_t phase_records(const sp_constants *c, size_t i)
{
    return c->n >> i;
}

static double risk(const sp_oracle *o, double D, double eta, size_t phases, double multiplier)
{
    const sp_constants *c = sp_public(o);
    const double d = (double)c->d;
    double sum = 0.0, squares = D * D, noise_std = 0.0; /* squares: of the way from a_(i-1) to where phase i begins */
    for (size_t i = 1; i <= phases; i++) {
        const double eta_i = ldexp(eta, -2 * (int)i);
        sum += squares / (2.0 * eta_i * (double)phase_records(c, i)) + 1.5 * eta_i * c->L * c->L;
        noise_std = multiplier * sp_stable_sensitivity(o, phase_records(c, i), eta_i);
        squares = d * noise_std * noise_std;
    }
    return sum + c->L * sqrt(d) * noise_std;
}

/* The oracle to work with: of the problem, or of its envelope. */
static sp_status smoothed(sp_oracle *o, const sp_values *v, double D, sp_oracle **out)
{
    const sp_constants *c = sp_public(o);
    const double theory = sqrt((double)c->n) * c->L_data / (c->radius * c->radius * D);
    sp_child_options options = { .mode = SP_SHARE_BASIC, .share = 1.0 };
    *out = o;
    if (c->smooth)
        return sp_given(v, ENVELOPE) ? sp_refuse(o, SP_EINVAL, "envelope = %g: the loss is smooth and needs none",
                                                 sp_real(v, ENVELOPE)) : SP_OK;
    options.envelope = sp_given(v, ENVELOPE) ? sp_real(v, ENVELOPE) : theory;
    sp_resolved(o, "envelope", options.envelope, sp_given(v, ENVELOPE) ? SP_FROM_USER : SP_FROM_THEORY);
    return sp_child(o, &options, out);
}

static sp_status resolve_eta(sp_oracle *o, const sp_constants *c, const sp_values *v, double D, double *eta)
{
    const double n = (double)c->n, most = 8.0 / c->beta;
    const double theory = D / c->L * fmin(4.0 / sqrt(n), sp_budget_of(o)->mu / (2.0 * sqrt((double)c->d)));
    *eta = sp_given(v, ETA) ? sp_real(v, ETA) : fmin(theory, most);
    if (!(*eta <= most))
        return sp_refuse(o, SP_EINVAL, "eta = %g: the first phase's steps, eta / 4, are above 2 / beta = %g", *eta,
                         2.0 / c->beta);
    sp_capped(o, "eta", *eta, sp_given(v, ETA) ? *eta : theory, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    return SP_OK;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_budget *budget = sp_budget_of(o);
    const double D = sp_distance(sp_public(o));
    sp_oracle *e = NULL;
    sp_batch batch;
    double eta = 0.0, multiplier = 0.0, smoothing = 0.0;
    size_t phases = 0;

    SP_TRY(smoothed(o, v, D, &e));
    const sp_constants *c = sp_public(e);
    while (phase_records(c, phases + 1) > 0)
        phases++;
    SP_TRY(resolve_eta(o, c, v, D, &eta));
    const double paper = 2.0 * sqrt(sp_log(1.0 / budget->delta)) / budget->epsilon;
    SP_TRY(sp_calibrate(e, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_fresh(phase_records(c, 1)),
                                               .count = phases, .paper = paper }, 1, &multiplier));
    if (e != o) /* b = beta_data / R^2, L0 = L_data / R */
        smoothing = c->L_data * c->L_data / (2.0 * c->beta_data);
    sp_promise(o, true, risk(e, D, eta, phases, fmax(multiplier, 1.0 / budget->mu)) + smoothing,
               fmin(sp_public(o)->gap, c->L * D));

    sp_domain_project(sp_domain_of(e), w);
    SP_TRY(sp_checkpoint(e, 0, w));
    for (size_t i = 1; i <= phases; i++) {
        SP_TRY(sp_draw(e, sp_fresh(phase_records(c, i)), &batch));
        SP_TRY(sp_stable_pass(e, batch, w, ldexp(eta, -2 * (int)i), multiplier, w));
        sp_domain_project(sp_domain_of(e), w);
        SP_TRY(sp_checkpoint(e, i, w));
    }
cleanup:
    return status;
}

const sp_algorithm sp_algorithm_phased_sgd = {
    .name = "phased_sgd",
    .summary = "convex losses, with kinks too: averaged passes over fresh records in phases, private by stability",
    .when = "a small population risk of a convex loss, smooth or a GLM with kinks, in one pass over the records; "
            "for the empirical risk of a smooth one dp_gd or dp_sgd",
    .source = "Feldman, Koren & Talwar 2020; Bassily, Guzman & Menart 2021, Theorem 5",
    .releases = "in phase i the mean iterate of one pass over fresh records with steps of size eta_i, l2 sensitivity "
                "2 L_data eta_i (more by what projections forgive)",
    .uses = "parts/descent parts/theory",
    .params = params,
    .passes = true,
    .fits = fits,
    .run = run,
};
