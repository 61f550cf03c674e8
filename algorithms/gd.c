/*
 * gd.c -- full-batch gradient descent without noise: the reference with which private runs are compared.
 *
 *   w <- Proj_W( w - eta grad F(w) )
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Nesterov 2004, section 1.2.3: min_t ||grad F(w_t)||^2 <= 2 beta gap / T at eta = 1/beta.
 * Privacy  none: its releases carry no noise, which an oracle with a budget refuses.
 * Differs  Projects when the domain is bounded.
 * Output   the last iterate.
 * Cost     T n gradients, d doubles of state.
 */
#include "algorithms/algorithm.h"

#include <gsl/gsl_cblas.h>

enum { ETA, STEPS };

static const sp_param params[] = {
    [ETA]   = { "eta",   SP_REAL,  SP_DERIVED, SP_POSITIVE,        "step size; default 1/beta" },
    [STEPS] = { "steps", SP_COUNT, 1000,       { 1, SP_STEPS_MAX }, "updates T" },
    { 0 }
};

static const char *fits(const sp_constants *c)
{
    return c->beta > 0.0 && isfinite(c->beta) ? NULL : "the loss is not smooth (beta)";
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t steps = sp_count(v, STEPS);
    const double eta = sp_given(v, ETA) ? sp_real(v, ETA) : 1.0 / sp_public(o)->beta;
    double *g = sp_alloc_doubles(sp_dimension(o));
    sp_batch all;

    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_gradient(o, &SP_AT(all, w), 0.0, g));
        cblas_daxpy((int)sp_dimension(o), -eta, g, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
cleanup:
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_gd = {
    .name = "gd",
    .summary = "full-batch gradient descent without noise (non-private reference)",
    .when = "what could be reached without privacy, as a yardstick",
    .source = "Nesterov 2004, Introductory Lectures on Convex Optimization, section 1.2.3",
    .releases = "the exact gradient, T times: nothing is private",
    .params = params,
    .non_private_only = true,
    .fits = fits,
    .run = run,
};
