/*
 * dp_str.c -- private trust-region method on subsets: finds second-order stationary points with few records per step.
 *
 * The steps of dp_tr, where g is the mean gradient of b records and B the mean Hessian of b_h others, uniform subsets
 * drawn anew for each release, plus noise of deviations s_g and s_h:
 *
 *   h = argmin over ||h|| <= r of <g, h> + h'Bh/2,   w <- Proj_W( w + h ),   r = sqrt(alpha / rho_H),
 *
 * until the multiplier of ||h|| <= r is at most sqrt(alpha rho_H), at most T = floor(6 sqrt(rho_H) gap / alpha^(3/2)) +
 * 1 times. The guarantee is that of dp_tr, level (13/6)^2 alpha with probability 1 - zeta, if half of the errors that
 * it allows suffices for sampling, b >= 4608 l L_data^2 / alpha^2 and b_h >= 1152 l beta_data^2 / (rho_H alpha), with l
 * = ln(16 d T / zeta). For smaller subsets nothing is proved, and a run warns. The defaults are smaller, because at the
 * smallest alpha the proof requires more than n records for every n. They are
 *
 *   b = 4 ln(d / zeta) L_data^2 / alpha^2,   b_h = 4 ln(d / zeta) beta_data^2 / (rho_H alpha),
 *
 * the printed ones up to their constant, but at least 3 n sqrt(2 theta rho / T) and 3 n sqrt(2 (1 - theta) rho / T),
 * theta being the gradients' share of the budget rho = mu^2 / 2: at these sizes the noise multiplier is about 3, and
 * the noise of smaller subsets grows as 1 / b. The default alpha is the smallest for which 1.25 times the noise of all
 * records is at most half of the errors that dp_tr allows; theta is the best for it (parts/trust_steps.h).
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Wang & Xu 2020, Alg. 2.
 * Privacy  (epsilon, delta), replace-one: T gradients of l2 sensitivity 2 L_data / b and T Hessians of Frobenius
 *          sensitivity hf / b_h, hf the largest Frobenius distance of two records' Hessians, on subsets drawn without
 *          replacement. The stop depends on released values only.
 * Differs  Noise from the accountant. calibration = "paper" takes the printed s_g^2 = 256 L_data^2 ln(5T/delta)
 *          ln(2/delta) / (n epsilon)^2, which lacks a factor T: the paper's own lemmas give 512 L_data^2 T ln(5T/delta)
 *          ln(2/delta) / (n epsilon)^2, for b / n >= epsilon / (8 sqrt(T ln(2/delta))); and s_h^2 = 256 d beta_data^2 T
 *          ln(5T/delta) ln(2/delta) / (n epsilon)^2. The run is stored with the epsilon that these formulas really
 *          give. The batches' constants, l, alpha and theta are derived here; the paper leaves them open. hessian_noise
 *          as in dp_tr. The paper returns nothing if no step passes.
 * Output   the iterate at which it stopped; without a stop the iterate with the smallest released max{ ||g|| / alpha,
 *          -lambda_min(B) / sqrt(rho_H alpha) }, and passed = 0. Late in a run that score is mostly noise, so its
 *          minimum says little: select = last returns the last iterate instead.
 * Cost     at most T b gradients, T b_h d^2 for the Hessians, T d^3; d^2 doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/trust_steps.h"

enum { ALPHA, THETA, STEPS_MAX, BATCH, BATCH_H, HESSIAN_NOISE, SELECT, ZETA };

static const sp_param params[] = {
    [ALPHA]     = { "alpha", SP_REAL, SP_DERIVED, SP_POSITIVE, "level of second-order stationarity that is sought; "
                    "steps are sqrt(alpha / rho_hessian) long; default the smallest that the noise allows, without "
                    "a budget 1/100 of the level at the start" },
    [THETA]     = { "theta", SP_REAL, SP_DERIVED, { 0.001, 0.999 }, "gradients' share of the budget; default: best" },
    [STEPS_MAX] = { "steps_max", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "steps T at most; default by theory" },
    [BATCH]     = { "batch", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "records b of a gradient; default by alpha" },
    [BATCH_H]   = { "batch_h", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "records b_h of a Hessian; default by "
                                                                          "alpha" },
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
    const double logs = sqrt(sp_log(5.0 * steps / b->delta) * sp_log(2.0 / b->delta));
    *gradient = 16.0 * c->L_data * logs / ((double)c->n * b->epsilon);
    *hessian = 16.0 * c->beta_data * sqrt((double)c->d * steps) * logs / ((double)c->n * b->epsilon);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    return sp_trust_run(o, &(sp_trust_options){ .alpha = sp_real(v, ALPHA), .theta = sp_real(v, THETA),
                                                .steps = sp_count(v, STEPS_MAX), .subsets = true,
                                                .batch = { sp_count(v, BATCH), sp_count(v, BATCH_H) },
                                                .mirrored = sp_choice(v, HESSIAN_NOISE) == 1,
                                                .last = sp_choice(v, SELECT) == 1, .zeta = sp_real(v, ZETA),
                                                .printed = printed }, w);
}

const sp_algorithm sp_algorithm_dp_str = {
    .name = "dp_str",
    .summary = "private trust region on subsets of the records: second-order stationary points, cheaper than dp_tr",
    .when = "in place of dp_tr where full passes are too slow; nothing is proved of its default subsets",
    .source = "Wang & Xu 2020, Alg. 2",
    .releases = "at most T gradients of uniform subsets of b records, sensitivity 2 L_data / b, and T Hessians of "
                "others of b_h, Frobenius sensitivity hessian_frobenius / b_h",
    .uses = "parts/fits parts/sosp parts/theory parts/trust_steps",
    .params = params,
    .fits = sp_noisy_trust_fits,
    .run = run,
};
