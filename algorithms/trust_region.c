/*
 * trust_region.c -- trust-region steps with exact gradients and Hessians: the reference for dp_tr.
 *
 *   h = argmin over ||h|| <= r of <grad F(w), h> + h'Hh/2,   H = hess F(w),   w <- Proj_W( w + h ),
 *
 * r = sqrt(alpha / rho_H), rho_H being the Lipschitz constant of the Hessian, until the multiplier of ||h|| <= r is at
 * most sqrt(alpha rho_H): then ||grad F|| <= 1.5 alpha and lambda_min(hess F) >= -2 sqrt(rho_H alpha). It stops within
 * T = floor(6 sqrt(rho_H) gap / alpha^(3/2)) + 1 steps; parts/trust_steps.h has the proof.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Wang & Xu 2020, Alg. 1 without its noise; Conn, Gould & Toint 2000.
 * Privacy  none: its releases carry no noise, which an oracle with a budget refuses.
 * Differs  The radius is fixed by alpha and rho_H; there is no ratio test.
 * Output   the iterate at which it stopped; without a stop the iterate with the smallest max{ ||grad F|| / alpha,
 *          -lambda_min(hess F) / sqrt(rho_H alpha) }, and passed = 0.
 * Cost     at most T n gradients, T n d^2 for the Hessians, T d^3; d^2 doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/trust_steps.h"

enum { ALPHA, STEPS_MAX };

static const sp_param params[] = {
    [ALPHA]     = { "alpha", SP_REAL, SP_DERIVED, SP_POSITIVE, "level of second-order stationarity that is sought; "
                    "steps are sqrt(alpha / rho_hessian) long; default 1/100 of the level at the start" },
    [STEPS_MAX] = { "steps_max", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "steps T at most; default by theory" },
    { 0 }
};

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    return sp_trust_run(o, &(sp_trust_options){ .alpha = sp_real(v, ALPHA), .theta = NAN, .zeta = 0.5,
                                                .steps = sp_count(v, STEPS_MAX) }, w);
}

const sp_algorithm sp_algorithm_trust_region = {
    .name = "trust_region",
    .summary = "trust-region steps without noise: second-order stationary points (non-private reference)",
    .when = "what dp_tr could reach without privacy, as a yardstick where saddles matter",
    .source = "Wang & Xu 2020, Alg. 1 without noise; Conn, Gould & Toint 2000",
    .releases = "the exact gradient and Hessian, at most T times: nothing is private",
    .uses = "parts/fits parts/sosp parts/theory parts/trust_steps",
    .params = params,
    .non_private_only = true,
    .fits = sp_trust_fits,
    .run = run,
};
