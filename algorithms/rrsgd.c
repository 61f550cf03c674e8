/*
 * rrsgd.c -- private stochastic gradient descent that stops after a random number of steps.
 *
 *   K uniform in 1..T, by public coins
 *   for t = 1..K-1:  S a fresh uniform b-subset;  w <- Proj_W( w - eta (mean_S grad f(w) + N(0, noise_std^2 I)) )
 *   return w, which is the iterate before step K
 *
 * With s^2 = L_data^2 / b + d noise_std^2, a bound on the variance of a released gradient, the descent lemma gives for
 * eta < 2/beta
 *
 *   E||grad F(w)||^2 <= ( gap / T + beta eta^2 s^2 / 2 ) / ( eta (1 - beta eta / 2) ),
 *
 * for eta <= 1/beta no more than 2 gap / (eta T) + beta eta s^2, at eta = min(1/beta, sqrt(2 gap / (beta s^2 T))). Both
 * bounds use the noise_std of T releases; K - 1 releases never need more.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Zhang, Zheng, Mou & Wang 2017; the step: Ghadimi & Lan 2013.
 * Privacy  (epsilon, delta), replace-one: for every K, K - 1 Gaussian releases of l2 sensitivity 2 L_data / b on
 *          subsets drawn without replacement (b = n: unsampled) spend the whole budget; K is independent of the
 *          records.
 * Differs  The paper takes T = n^2 single records; here T is a number of epochs in batches. The noise is not that of T
 *          steps: only the K - 1 releases that are made are announced. Subsets are drawn without replacement. The
 *          printed noise has an unspecified constant, so calibration = "paper" has no formula here. With the noise off,
 *          eta is that of a private run with the noise of full batches. Projects when the domain is bounded.
 * Output   the iterate before step K; for K = 1 the start, and nothing is released.
 * Cost     (K - 1) b gradients, T b / 2 on average; d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { EPOCHS, BATCH, ETA };

static const sp_param params[] = {
    [EPOCHS] = { "epochs", SP_REAL,  20,         SP_POSITIVE,         "T = epochs * n / b, rounded up" },
    [BATCH]  = { "batch",  SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "records b a step; default 32, or all if fewer" },
    [ETA]    = { "eta",    SP_REAL,  SP_DERIVED, SP_POSITIVE,         "step size; default minimises the bound" },
    { 0 }
};

static size_t batch_of(size_t n, const sp_values *v)
{
    return sp_given(v, BATCH) ? sp_count(v, BATCH) : n < 32 ? n : 32;
}

static double bound(const sp_constants *c, double steps, double eta, double variance)
{
    if (!(eta < 2.0 / c->beta))
        return INFINITY;
    return sqrt((c->gap / steps + c->beta * eta * eta * variance / 2.0) / (eta * (1.0 - c->beta * eta / 2.0)));
}

/* The noise for so many releases; it replaces what was announced before. */
static sp_status announce(sp_oracle *o, sp_sample sample, size_t releases, double *multiplier)
{
    const sp_release_plan plan = { .kind = SP_GRADIENT, .sample = sample, .count = releases };
    return sp_calibrate(o, &plan, 1, multiplier);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n;
    const size_t b = batch_of(c->n, v);
    const sp_sample sample = b == c->n ? sp_full() : sp_subset(b);
    size_t rounds = 0;
    double multiplier = 0.0, *g = sp_alloc_doubles(c->d);
    sp_batch batch;

    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    SP_TRY(sp_derive_steps(o, sp_real(v, EPOCHS) * n / (double)b, &rounds));
    const size_t round = 1 + gsl_rng_uniform_int(sp_coins(o), rounds);
    SP_TRY(announce(o, sample, rounds, &multiplier));
    const double T = (double)rounds, full = c->L_data * sqrt(2.0 * T / sp_budget_of(o)->rho) / n;
    const double noise_std = fmax(multiplier * 2.0 * c->L_data / (double)b, full);
    const double variance = c->L_data * c->L_data / (double)b + (double)c->d * noise_std * noise_std;
    const double eta = sp_given(v, ETA) ? sp_real(v, ETA)
                                        : fmin(1.0 / c->beta, sqrt(2.0 * c->gap / (c->beta * variance * T)));
    sp_resolved(o, "batch", (double)b, sp_given(v, BATCH) ? SP_FROM_USER : SP_FROM_CAP);
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "epochs", T * (double)b / n, sp_given(v, EPOCHS) ? SP_FROM_USER : SP_FROM_CAP);
    sp_promise(o, true, bound(c, T, eta, variance), sp_gradient_at_start(c));

    if (round > 1)
        SP_TRY(announce(o, sample, round - 1, &multiplier));
    SP_TRY(sp_checkpoint(o, 0, w));
    for (size_t t = 1; t < round; t++) {
        SP_TRY(sp_draw(o, sample, &batch));
        SP_TRY(sp_gradient(o, &SP_AT(batch, w), multiplier, g));
        cblas_daxpy((int)c->d, -eta, g, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
cleanup:
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_rrsgd = {
    .name = "rrsgd",
    .summary = "random round private stochastic gradient descent",
    .when = "as a baseline of the literature for the mean gradient on small batches; dp_gd and dp_spider do better",
    .source = "Zhang, Zheng, Mou & Wang 2017",
    .releases = "K - 1 gradients of uniform subsets of b records, sensitivity 2 L_data / b; K uniform in 1..T",
    .uses = "parts/fits parts/theory",
    .params = params,
    .sampled = batch_of,
    .fits = sp_gap_fits,
    .run = run,
};
