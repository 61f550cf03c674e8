/*
 * sgd.c -- stochastic gradient descent without noise: the reference for dp_sgd, rrsgd and dp_sgd_poisson.
 *
 *   for t = 1..T:  S a fresh uniform b-subset;  w <- Proj_W( w - eta mean_S grad f(w) )
 *
 * Step size and, for a quasar-convex F, risk bound are those in the head of dp_sgd.c with noise_std = 0: for F convex
 * (k = 1) or k-quasar-convex and D >= ||w_0 - w*||, eta = D / (L sqrt(T)) and E[F(w_J) - F*] <= D L / (k sqrt(T)); else
 * eta = min(1/beta, sqrt(2 gap b / (beta L_data^2 T))).
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Robbins & Monro 1951; the second step: Ghadimi & Lan 2013.
 * Privacy  none: its releases carry no noise, which an oracle with a budget refuses.
 * Differs  Subsets are drawn without replacement within a step. Projects when the domain is bounded.
 * Output   w_J, J uniform over the iterates at which a gradient was computed, unless `select` says otherwise.
 * Cost     T b gradients, 2 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/descent.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { STEPS, EPOCHS, BATCH, ETA, SELECT };

static const sp_param params[] = {
    [STEPS]  = { "steps",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default epochs * n / b" },
    [EPOCHS] = { "epochs", SP_REAL,   20,         SP_POSITIVE,         "passes over the records" },
    [BATCH]  = { "batch",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "records b a step; default sqrt(n)" },
    [ETA]    = { "eta",    SP_REAL,   SP_DERIVED, SP_POSITIVE,         "step size; default minimises the bound" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 },     "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

static size_t batch_of(size_t n, const sp_values *v)
{
    return sp_given(v, BATCH) ? sp_count(v, BATCH) : (size_t)ceil(sqrt((double)n));
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, b = (double)batch_of(c->n, v);
    const sp_sample sample = sp_subset((size_t)b);
    sp_output output = { 0 };
    sp_batch batch;
    size_t steps = sp_count(v, STEPS);
    double *g = sp_alloc_doubles(c->d);

    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, sp_real(v, EPOCHS) * n / b, &steps));
    const double T = (double)steps, eta = sp_given(v, ETA) ? sp_real(v, ETA) : sp_descent_step(c, T, b, 0.0);
    if (!(eta > 0.0))
        SP_TRY(sp_refuse(o, SP_EINVAL, "eta must be given: its default needs a smooth loss, or a (quasar-)convex one "
                                       "with a finite L and distance"));
    sp_resolved(o, "batch", b, sp_given(v, BATCH) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", T, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_CAP);
    sp_predict(o, (sp_output_rule)sp_choice(v, SELECT), sp_descent_bound(c, T, eta, 0.0), c->gap);
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_draw(o, sample, &batch));
        SP_TRY(sp_gradient(o, &SP_AT(batch, w), 0.0, g));
        SP_TRY(sp_output_offer(&output, w, g));
        cblas_daxpy((int)c->d, -eta, g, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_sgd = {
    .name = "sgd",
    .summary = "stochastic gradient descent without noise (non-private reference)",
    .when = "what dp_sgd's steps could reach without privacy, as a yardstick",
    .source = "Robbins & Monro 1951; Ghadimi & Lan 2013",
    .releases = "T exact gradients of uniform subsets of b records: nothing is private",
    .uses = "parts/descent parts/fits parts/output parts/theory",
    .params = params,
    .non_private_only = true,
    .sampled = batch_of,
    .fits = sp_lipschitz_fits,
    .run = run,
};
