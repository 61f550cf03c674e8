/*
 * adaptive_gd.c -- noisy gradient descent whose noise adapts to the gradient's norm, for KL losses (losses/loss.h) with
 * unknown constants.
 *
 *   g = grad F(w) + N(0, s^2 I)
 *   r = max( N / sqrt(d ell), floor 2 L_data / (n sqrt rho) ),   N^2 = max(0, ||g||^2 - d s^2)
 *   if r < s:  g = grad F(w) + N(0, r^2 I);                      w <- Proj_W( w - eta g )
 *
 * ell = ln(n sqrt rho / zeta). A release with noise multiplier m (noise divided by the sensitivity 2 L_data / n) costs
 * 1 / (2 m^2) in zCDP: the first one min(2 sqrt(rho) / n, rho / 16), the second at most rho / (2 floor^2). The method
 * continues while the budget rho lasts (a privacy filter). Far from a minimum steps cost little; near it the rest is
 * spent on a few accurate ones.
 *
 * When: the gradient becomes small during the run and gamma and kappa are unknown (otherwise use kl_gd or kl_spider);
 * or a first-order method is wanted that needs neither T nor a gap. Rate of kl_gd, up to logarithms.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Menart, Ullah, Arora, Bassily & Guzman 2023, Alg. 3.
 * Privacy  (epsilon, delta), replace-one: adaptive Gaussian releases of l2 sensitivity 2 L_data / n under a filter: no
 *          release is made if the sum of costs would exceed the budget (Feldman & Zrnic 2021; in Gaussian DP, exactly,
 *          Smith & Thakurta 2022). The number of steps depends only on released values, so it reveals nothing more.
 * Differs  s^2 costs the printed 2 sqrt(rho) / n, but at most rho / 16, so that small n have steps at all; d s^2 is
 *          subtracted from ||g||^2; g is used as the gradient if its noise is at most r. floor = 2 (printed: 1) allows
 *          5 steps at the floor instead of 1. The printed cost is 2 to 4 times too small for replace-one neighbours;
 *          the ledger counts correctly. Without noise there is no filter: `steps` updates.
 * Output   the last iterate.
 * Cost     at most 2 n gradients a step, rho / min(2 sqrt(rho) / n, rho / 16) steps; d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { ETA, STEPS, FLOOR, ZETA };

static const sp_param params[] = {
    [ETA]   = { "eta",   SP_REAL,  SP_DERIVED, SP_POSITIVE,         "step size; default 1 / (2 beta)" },
    [STEPS] = { "steps", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "updates at most; default what the budget pays" },
    [FLOOR] = { "floor", SP_REAL,  2,    { 0.1, 1e3 },  "smallest noise, in units of 2 L_data / (n sqrt rho)" },
    [ZETA]  = { "zeta",  SP_REAL,  0.01, { 1e-12, 1 },  "failure probability in ell" },
    { 0 }
};

static double cost(double multiplier)
{
    return 0.5 / (multiplier * multiplier);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, d = (double)c->d, rho = sp_budget_of(o)->rho;
    const double eta = sp_given(v, ETA) ? sp_real(v, ETA) : 0.5 / c->beta, lowest = sp_real(v, FLOOR) / sqrt(rho);
    const double ell = fmax(sp_log(n * sqrt(rho) / sp_real(v, ZETA)), 1.0);
    const double probe_cost = fmin(2.0 * sqrt(rho) / n, rho / 16.0), probe = sqrt(0.5 / probe_cost);
    double *g = sp_alloc_doubles(c->d), left = sp_budget_of(o)->noise ? rho * (1.0 - 1e-9) : INFINITY; /* rounding */
    size_t steps = sp_count(v, STEPS);
    sp_batch all;

    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, rho / probe_cost, &steps));
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", (double)steps, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_THEORY);
    SP_TRY(sp_filter_by(o, SP_FILTER_GAUSS));
    SP_TRY(sp_draw(o, sp_full(), &all));
    const double unit = sp_sensitivity(o, &SP_AT(all, w));
    for (size_t t = 1; t <= steps && probe_cost <= left; t++) {
        SP_TRY(sp_gradient(o, &SP_AT(all, w), probe, g));
        left -= probe_cost;
        const double square = cblas_ddot((int)c->d, g, 1, g, 1) - d * probe * probe * unit * unit;
        const double wanted = fmax(sqrt(fmax(square, 0.0) / (d * ell)) / unit, lowest);
        if (wanted < probe) {
            if (cost(wanted) > left)
                break;
            SP_TRY(sp_gradient(o, &SP_AT(all, w), wanted, g));
            left -= cost(wanted);
        }
        cblas_daxpy((int)c->d, -eta, g, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
cleanup:
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_adaptive_gd = {
    .name = "adaptive_gd",
    .summary = "gradient descent whose noise follows the gradient's norm: KL losses with unknown constants",
    .when = "the gradient shrinks along the way, and nobody knows gamma and kappa; else kl_gd or kl_spider",
    .source = "Menart, Ullah, Arora, Bassily & Guzman 2023, Alg. 3",
    .releases = "a step: a gradient of all records at cheap noise, and a better one where that is too coarse; "
                "sensitivity 2 L_data / n, until the budget is spent",
    .uses = "parts/fits parts/theory",
    .params = params,
    .fits = sp_smooth_fits,
    .run = run,
};
