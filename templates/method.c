/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NAME.c -- FILL: what it is, in one line. As it stands: full-batch gradient descent with Gaussian noise.
 *
 *   w <- Proj_W( w - eta (grad F(w) + N(0, noise_std^2 I)) ),   noise_std = m 2 L_data / n,   T times
 *
 * m is the noise multiplier that spends the budget on T releases; L_data, beta, n as in core/base/constants.h. FILL.
 * Source   FILL: Author, Author & Author 2024, Algorithm 1; or "ours".
 * Privacy  (epsilon, delta), replace-one: T Gaussian releases of l2 sensitivity 2 L_data / n.
 * Differs  FILL: where it departs from print.
 * Output   the last iterate. Cost: T n gradients, d doubles of state.
 */
#include "algorithms/algorithm.h"

enum { ETA, STEPS };

static const sp_param params[] = { /* FILL: key, kind, default, range, meaning */
    [ETA]   = { "eta",   SP_REAL,  SP_DERIVED, SP_POSITIVE,         "step size; default 1/beta" },
    [STEPS] = { "steps", SP_COUNT, 20,         { 1, SP_STEPS_MAX }, "updates T" },
    { 0 }
};

/* FILL: why it cannot run on a problem with these constants; NULL: it can. */
static const char *fits(const sp_constants *c)
{
    return c->beta > 0.0 && isfinite(c->beta) ? NULL : "the loss is not smooth (beta)";
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o), steps = sp_count(v, STEPS);
    const double eta = sp_given(v, ETA) ? sp_real(v, ETA) : 1.0 / sp_public(o)->beta;
    double multiplier = 0.0, *g = sp_alloc_doubles(d);
    sp_batch all;
    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    /* FILL: announce every release, then make it; each answer is noisy and is charged as it is given. */
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ SP_GRADIENT, sp_full(), steps }, 1, &multiplier));
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier, g));
        for (size_t j = 0; j < d; j++)
            w[j] -= eta * g[j];
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
cleanup:
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_NAME = {
    .name = "NAME", .summary = "FILL: one line",
    .when = "FILL: when to use it, and what else to use",
    .source = "ours", /* FILL */
    .releases = "T gradients of all records, sensitivity 2 L_data / n",
    .params = params, .fits = fits, .run = run,
};
