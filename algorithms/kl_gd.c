/*
 * kl_gd.c -- noisy gradient descent for KL losses (losses/loss.h), with T chosen such that it ends when the noise
 * dominates.
 *
 *   w <- Proj_W( w - eta (grad F(w) + N(0, noise_std^2 I)) ),  T times,  noise_std^2 = 2 L_data^2 T / (n^2 rho)
 *
 * F - F* <= gamma^kappa ||grad F||^kappa with 1 <= kappa <= 2 (kappa = 2: Polyak-Lojasiewicz, mu = 1 / (2 gamma^2)). By
 * the descent lemma and Jensen's inequality e_t = E[F(w_t) - F*] has
 *
 *   e_{t+1} <= e_t - (eta - beta eta^2 / 2) (e_t^(1/kappa) / gamma)^2 + beta eta^2 d noise_std^2 / 2,          (bound)
 *
 * at kappa = 2 and eta = 1/beta: e_T <= (1 - mu/beta)^T e_0 + d noise_std^2 / (2 mu). The default T is
 *
 *   kappa = 2   (beta / mu) ln( gap mu n^2 rho / (d L_data^2) )
 *   kappa < 2   T_1 + .. + T_J, T_j = 4 beta gamma^2 Phi_j^(1 - 2/kappa) the steps from Phi_{j-1} to Phi_j = F0 2^-j,
 *               J the last j for which the noise is small enough: d noise_std^2 <= Phi_j^(2/kappa) / (2 gamma^2)
 *
 * with F0 = min(gap, (L gamma)^kappa). Rate (sqrt d / (n sqrt rho))^(2 kappa / (4 - kappa)) up to logarithms: 2 at
 * kappa = 2, 1.2 at 1.5, where kl_spider has 1.5.
 *
 * When: the loss is KL or PL with known constants. Its bound holds at every n; the constants of kl_spider need a large
 * n. As the first stage of a warm start (Corollary 6.3) it is the one with a useful bound. If the constants are
 * unknown: adaptive_gd. (bound) is for R^d; on a domain it holds while the iterates stay inside.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   folklore; stands in for Lowy, Ullman & Wright 2024, section 6 (KL Spider of Menart et al. 2023).
 * Privacy  (epsilon, delta), replace-one: T Gaussian releases of l2 sensitivity 2 L_data / n.
 * Differs  Not in the paper: noisy descent in geometric phases, with its constants written out.
 * Output   the last iterate.
 * Cost     T n gradients, d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { ETA, STEPS };

static const sp_param params[] = {
    [ETA]   = { "eta",   SP_REAL,  SP_DERIVED, SP_POSITIVE,         "step size; default 1/beta" },
    [STEPS] = { "steps", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default until the noise takes over" },
    { 0 }
};

/* F0 >= F(w0) - F* */
static double risk_at_start(const sp_constants *c)
{
    return fmin(c->gap, sp_pow(c->L * c->kl_gamma, c->kl_kappa));
}

/* d noise_std^2 */
static double noise(const sp_constants *c, double rho, double steps)
{
    const double n = (double)c->n;
    return (double)c->d * 2.0 * c->L_data * c->L_data * steps / (n * n * rho);
}

/* T before rounding. */
static double steps_of(const sp_constants *c, double rho)
{
    const double n = (double)c->n, square = c->kl_gamma * c->kl_gamma, power = 2.0 / c->kl_kappa;
    const double F0 = risk_at_start(c), mu = 0.5 / square;
    double steps = 0.0;
    if (!isfinite(rho))
        return INFINITY;
    if (c->kl_kappa == 2.0)
        return c->beta / mu * sp_log(F0 * mu * n * n * rho / ((double)c->d * c->L_data * c->L_data));
    for (double risk = 0.5 * F0; risk > 0.0; risk *= 0.5) {
        const double next = steps + ceil(4.0 * c->beta * square * sp_pow(risk, 1.0 - power));
        if (!(noise(c, rho, next) <= sp_pow(risk, power) / (2.0 * square)))
            break;
        steps = next;
    }
    return steps;
}

/* e_T by the recursion, from F0. */
static double bound(const sp_constants *c, double rho, double eta, double steps)
{
    const double power = 2.0 / c->kl_kappa, drop = (eta - c->beta * eta * eta / 2.0) / (c->kl_gamma * c->kl_gamma);
    const double rise = c->beta * eta * eta * noise(c, rho, steps) / 2.0;
    /* e - drop e^power rises up to here: a smaller e is no worse than a bound on it */
    const double top = power > 1.0 ? sp_pow(drop * power, -1.0 / (power - 1.0)) : drop < 1.0 ? INFINITY : 0.0;
    double e = risk_at_start(c), before = INFINITY;
    if (!(drop > 0.0) || !isfinite(rise))
        return INFINITY;
    for (double t = 0.0; t < steps && !(e <= before && before - e <= 1e-9 * e); t++) { /* else it falls on */
        const double low = fmin(e, top);
        before = e;
        e = low - drop * sp_pow(low, power) + rise;
    }
    return e;
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const double rho = sp_budget_of(o)->rho;
    const double steps = sp_given(v, STEPS) ? (double)sp_count(v, STEPS) : fmax(ceil(steps_of(c, rho)), 1.0);
    return bound(c, rho, sp_given(v, ETA) ? sp_real(v, ETA) : 1.0 / c->beta, fmin(steps, SP_STEPS_MAX));
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double eta = sp_given(v, ETA) ? sp_real(v, ETA) : 1.0 / c->beta;
    size_t steps = sp_count(v, STEPS);
    double multiplier = 0.0, *g = sp_alloc_doubles(c->d);
    sp_batch all;

    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, steps_of(c, sp_budget_of(o)->rho), &steps));
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", (double)steps, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_promise(o, true, bound(c, sp_budget_of(o)->rho, eta, (double)steps), risk_at_start(c));

    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = steps }, 1,
                        &multiplier));
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier, g));
        cblas_daxpy((int)c->d, -eta, g, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
cleanup:
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_kl_gd = {
    .name = "kl_gd",
    .summary = "noisy gradient descent for KL and PL losses with known constants: a bound that holds at every n",
    .when = "a KL or PL loss with known constants, at any n; as the first stage of a warm start there",
    .source = "descent lemma in geometric phases; for Lowy, Ullman & Wright 2024, section 6",
    .releases = "T gradients of all records, sensitivity 2 L_data / n",
    .uses = "parts/fits parts/theory",
    .params = params,
    .fits = sp_kl_fits,
    .run = run,
    .risk_bound = risk_bound,
};
