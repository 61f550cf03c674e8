/*
 * dp_tr.c -- private trust-region method on all records: finds second-order stationary points.
 *
 *   g = grad F(w) + N(0, s_g^2 I),   B = hess F(w) + symmetric noise of deviation s_h
 *   h = argmin over ||h|| <= r of <g, h> + h'Bh/2,   w <- Proj_W( w + h ),   r = sqrt(alpha / rho_H)
 *
 * until the multiplier lambda of ||h|| <= r is at most sqrt(alpha rho_H), at most T = floor(6 sqrt(rho_H) gap /
 * alpha^(3/2)) + 1 times. With theta the gradients' share of the budget rho = mu^2 / 2 and hf the largest Frobenius
 * distance of two records' Hessians,
 *
 *   s_g = (2 L_data / n) sqrt(T / (2 theta rho)),   s_h = (hf / n) sqrt(T / (2 (1 - theta) rho)).
 *
 * If it stops, then with probability 1 - zeta ||grad F|| <= 1.75 alpha and lambda_min(hess F) >= -(13/6) sqrt(rho_H
 * alpha): the output's level of second-order stationarity is (13/6)^2 alpha. This is the bound that the run records.
 * The smallest alpha for which the proof's conditions hold, and its theta, are derived in parts/trust_steps.h; its rate
 * is (sqrt d / (n epsilon))^(4/7) + (d / (n epsilon))^(4/5) if hf grows with sqrt d.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Wang & Xu 2020, Alg. 1.
 * Privacy  (epsilon, delta), replace-one: T gradients of l2 sensitivity 2 L_data / n and T Hessians of Frobenius
 *          sensitivity hf / n. The stop depends on released values only.
 * Differs  hf of the loss (a GLM's Hessians have rank one) replaces the printed 2 sqrt(d) beta; the tight budget and
 *          the best theta replace the printed halves of a looser one; T is rounded so that the last step is counted.
 *          The noise's diagonal has deviation s_h, the rest s_h / sqrt 2, which costs the same and has a smaller error;
 *          hessian_noise = paper has s_h everywhere. calibration = "paper" takes the printed s_g^2 = 4 L_data^2 T /
 *          (n^2 phi) and s_h^2 = 4 d beta_data^2 T / (n^2 phi), phi = (sqrt(epsilon + ln(1/delta)) -
 *          sqrt(ln(1/delta)))^2. The paper returns nothing if no step passes.
 * Output   the iterate at which it stopped; without a stop the iterate with the smallest released max{ ||g|| / alpha,
 *          -lambda_min(B) / sqrt(rho_H alpha) }, and passed = 0. Late in a run that score is mostly noise, so its
 *          minimum says little: select = last returns the last iterate instead.
 * Cost     at most T n gradients, T n d^2 for the Hessians, T d^3; d^2 doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/trust_steps.h"

enum { ALPHA, THETA, STEPS_MAX, HESSIAN_NOISE, SELECT, ZETA };

static const sp_param params[] = {
    [ALPHA]     = { "alpha", SP_REAL, SP_DERIVED, SP_POSITIVE, "level of second-order stationarity that is sought; "
                    "steps are sqrt(alpha / rho_hessian) long; default the smallest that the noise allows, without "
                    "a budget 1/100 of the level at the start" },
    [THETA]     = { "theta", SP_REAL, SP_DERIVED, { 0.001, 0.999 }, "gradients' share of the budget; default: best" },
    [STEPS_MAX] = { "steps_max", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "steps T at most; default by theory" },
    [HESSIAN_NOISE] = { "hessian_noise", SP_CHOICE, 0, { 0, 0 }, "noise of the Hessians; goe has less off the "
                    "diagonal", "goe|paper" },
    [SELECT]    = { "select", SP_CHOICE, 0, { 0, 0 }, "the answer where no step passes: the iterate of the smallest "
                    "released score, or the last", "min_release|last" },
    [ZETA]      = { "zeta", SP_REAL, 0.05, { 1e-12, 0.5 }, "probability that the guarantee may fail with" },
    { 0 }
};

static void printed(const sp_oracle *o, double steps, double *gradient, double *hessian)
{
    const sp_constants *c = sp_public(o);
    const sp_budget *b = sp_budget_of(o);
    const double l = sp_log(1.0 / b->delta), phi = sp_pow(sqrt(b->epsilon + l) - sqrt(l), 2.0);
    *gradient = 2.0 * c->L_data / (double)c->n * sqrt(steps / phi);
    *hessian = 2.0 * c->beta_data / (double)c->n * sqrt((double)c->d * steps / phi);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    return sp_trust_run(o, &(sp_trust_options){ .alpha = sp_real(v, ALPHA), .theta = sp_real(v, THETA),
                                                .steps = sp_count(v, STEPS_MAX),
                                                .mirrored = sp_choice(v, HESSIAN_NOISE) == 1,
                                                .last = sp_choice(v, SELECT) == 1, .zeta = sp_real(v, ZETA),
                                                .printed = printed }, w);
}

const sp_algorithm sp_algorithm_dp_tr = {
    .name = "dp_tr",
    .summary = "private trust region on all records: second-order stationary points from noisy Hessians",
    .when = "saddles matter, d up to some tens and the Hessian is Lipschitz; for larger d spider_sosp, where full "
            "passes are slow dp_str",
    .source = "Wang & Xu 2020, Alg. 1",
    .releases = "at most T gradients of all records, sensitivity 2 L_data / n, and T Hessians, Frobenius sensitivity "
                "hessian_frobenius / n",
    .uses = "parts/fits parts/sosp parts/theory parts/trust_steps",
    .params = params,
    .fits = sp_noisy_trust_fits,
    .run = run,
};
