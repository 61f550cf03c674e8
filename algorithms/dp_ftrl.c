/*
 * dp_ftrl.c -- follow the regularised leader: every iterate is computed from the start and one noisy sum of all
 * gradients so far.
 *
 *   w_{t+1} = Proj_W( w_1 - eta G_t ),   G_t = sum_{i <= t} (|S_i| / m) mean_{S_i} grad f(w_i) + noise,   t = 1..T
 *
 * S_i are the blocks of m records of one secret permutation, B = ceil(n / m) of them an epoch, epoch after epoch
 * (parts/pass_sum.h, with keep = 1); the noise is that of a tree over all T steps, or another of `noise`. So w_{t+1}
 * has the noise of one sum, not that of t steps. With nu^2 = d noise_std^2 V, V the variance of a coordinate of G_t in
 * units of noise_std^2, mean over t, and D a bound on ||w_1 - w*|| or the diameter, on convex f
 *
 *   mean_t E[f_t(w_t) - f_t(w*)] <= D^2 / (2 eta T) + eta L (L / 2 + nu),   f_t = (|S_t| / m) mean_{S_t} f,   (regret)
 *
 * and at eta = D / sqrt(T L (L + 2 nu)) this is D sqrt(L (L + 2 nu) / T). Proof: with v_t the leader of the same
 * gradients without noise, ||w_t - v_t|| <= eta ||noise in G_{t-1}||, and the regret of v_t is at most D^2 / (2 eta) +
 * eta T L^2 / 2.
 *
 * This bounds the losses during the run, not the risk: the permutation is fixed, so f_t is not independent of w_t after
 * the first epoch. If f is not convex or D is unknown, eta is that of dp_sgd for independent noise of deviation
 * noise_std sqrt(2 V / T), whose sums have the same mean variance.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Kairouz, McMahan, Song, Thakkar, Thakurta & Xu 2021, Alg. 1; regret: McMahan 2017, Theorem 1.
 * Privacy  (epsilon, delta), replace-one: each add has l2 sensitivity 2 L_data / m; a record pays for all T sums as
 *          sp_node_cost has it for a fixed pass: 312 at 20 epochs of 100 blocks and noise = "tree", 425 "honaker".
 * Differs  No restart at an epoch's end: it would cost 140, but add up the noise of the epochs before. The noise is in
 *          eta and the bound by its exact mean variance; the paper has that of the longest sum. Momentum is dp_nsgd's.
 * Output   w_J, J uniform in 1..T, unless `select` says otherwise. (The released sums do not show which gradient is
 *          small.)
 * Cost     T m gradients, O(d) a step on average, 2 d log2 T doubles of state ("sqrt": up to 1024 d and as many
 *          operations a step).
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/descent.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/pass_sum.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { STEPS, EPOCHS, BATCH, ETA, NOISE, SELECT };

static const sp_param params[] = {
    [STEPS]  = { "steps",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default epochs * ceil(n / m)" },
    [EPOCHS] = { "epochs", SP_REAL,   20,         SP_POSITIVE,         "passes over the records" },
    [BATCH]  = { "batch",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "records m a step; default sqrt(n)" },
    [ETA]    = { "eta",    SP_REAL,   SP_DERIVED, SP_POSITIVE,         "step size; default minimises the regret" },
    [NOISE]  = { "noise",  SP_CHOICE, 0, { 0, 0 }, SP_PASS_NOISES_MEAN, SP_PASS_NOISES },
    [SELECT] = { "select", SP_CHOICE, 0, { 0, 0 }, "which iterate is returned", "uniform|average|last|mean" },
    { 0 }
};
static const sp_output_rule rules[] = { SP_OUTPUT_UNIFORM, SP_OUTPUT_AVERAGE, SP_OUTPUT_LAST, SP_OUTPUT_MEAN };

static double step_size(const sp_constants *c, const sp_pass_sum *sum, double nu)
{
    const double T = (double)sum->plan.steps;
    const double eta = c->convex ? sp_distance(c) / sqrt(T * c->L * (c->L + 2.0 * nu)) : NAN;
    return isfinite(eta) && eta > 0.0 ? eta
                                      : sp_descent_step(c, T, (double)sum->plan.batch,
                                                        sum->noise_std * sqrt(2.0 * sum->variance / T));
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const size_t batch = sp_given(v, BATCH) ? sp_count(v, BATCH) : (size_t)ceil(sqrt((double)c->n));
    const sp_output_rule rule = rules[sp_choice(v, SELECT)];
    double *G = sp_alloc_doubles(c->d);
    sp_output output = { 0 };
    sp_pass_sum sum;
    size_t steps = sp_count(v, STEPS);

    if (!G)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the sum of gradients"));
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, sp_real(v, EPOCHS) * (double)sp_pass_epoch(o, batch) * (1.0 - 1e-12), &steps));
    SP_TRY(sp_pass_sum_open(o, &(sp_pass_plan){ .noise = sp_pass_noise(sp_choice(v, NOISE)), .batch = batch,
                                                .steps = steps, .keep = 1.0 }, &sum));
    const double nu = sum.noise_std * sqrt((double)c->d * sum.variance), T = (double)steps;
    const double eta = sp_given(v, ETA) ? sp_real(v, ETA) : step_size(c, &sum, nu), D = sp_distance(c);
    if (!(eta > 0.0))
        SP_TRY(sp_refuse(o, SP_EINVAL, "eta must be given: its default needs a smooth loss, or a convex one with a "
                                       "finite L and distance"));
    sp_resolved(o, "steps", T, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_CAP);
    sp_resolved(o, "batch", (double)batch, sp_given(v, BATCH) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    if (c->convex)
        sp_promise(o, false, D * D / (2.0 * eta * T) + eta * c->L * (c->L / 2.0 + nu), c->gap);
    SP_TRY(sp_output_open(&output, o, rule, steps));

    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_pass_sum_next(&sum, w, G));
        SP_TRY(sp_output_offer(&output, w, G));
        cblas_dcopy((int)c->d, sp_start(o), 1, w, 1);
        cblas_daxpy((int)c->d, -eta, G, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(G);
    return status;
}

const sp_algorithm sp_algorithm_dp_ftrl = {
    .name = "dp_ftrl",
    .summary = "follow the regularised leader: every iterate from one noisy sum of all gradients so far",
    .when = "convex losses where batches cannot be drawn at random, so that no sampling amplifies privacy (noise = "
            "\"sqrt\" has least noise); where they can be drawn, dp_sgd",
    .source = "Kairouz, McMahan, Song, Thakkar, Thakurta & Xu 2021, Alg. 1",
    .releases = "T running sums of gradients over blocks of m records in a fixed order; a block's part has sensitivity "
                "2 L_data / m",
    .uses = "parts/descent parts/fits parts/output parts/pass_sum parts/theory",
    .params = params,
    .passes = true,
    .fits = sp_lipschitz_fits,
    .run = run,
};
