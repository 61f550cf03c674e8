/*
 * dp_gd.c -- full-batch gradient descent with Gaussian noise.
 *
 *   w <- Proj_W( w - eta (grad F(w) + N(0, noise_std^2 I)) ),   noise_std = noise_multiplier * 2 L_data / n
 *
 * With rho = mu^2 / 2 the budget, noise_std^2 = 2 L_data^2 T / (n^2 rho), and the descent lemma gives for eta < 2/beta
 *
 *   mean_t E||grad F(w_t)||^2 <= ( gap / T + beta eta^2 d noise_std^2 / 2 ) / ( eta (1 - beta eta / 2) ),
 *
 * which at eta = 1/beta is 2 beta gap / T + d noise_std^2, smallest at T = n sqrt(rho beta gap) / (L_data sqrt d).
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Wang, Ye & Xu 2017; the bound as in Bassily, Smith & Thakurta 2014.
 * Privacy  (epsilon, delta), replace-one: T Gaussian releases of l2 sensitivity 2 L_data / n.
 * Differs  T minimises the bound with its constants; the papers leave them open, so calibration = "paper" has no
 *          formula here. Projects when the domain is bounded.
 * Output   the iterate with the smallest released gradient, unless `select` says otherwise.
 * Cost     T n gradients, 2 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { ETA, STEPS, SELECT };

static const sp_param params[] = {
    [ETA]    = { "eta",    SP_REAL,   SP_DERIVED, SP_POSITIVE,         "step size; default 1/beta" },
    [STEPS]  = { "steps",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default minimises the bound" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_MIN_RELEASE, { 0, 0 }, "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

static double bound(const sp_constants *c, double rho, double eta, double steps)
{
    const double n = (double)c->n, noise = 2.0 * (double)c->d * c->L_data * c->L_data * steps / (n * n * rho);
    if (eta >= 2.0 / c->beta)
        return INFINITY;
    return sqrt((c->gap / steps + c->beta * eta * eta * noise / 2.0) / (eta * (1.0 - c->beta * eta / 2.0)));
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double rho = sp_budget_of(o)->rho, eta = sp_given(v, ETA) ? sp_real(v, ETA) : 1.0 / c->beta;
    sp_output output = { 0 };
    sp_batch all;
    size_t steps = sp_count(v, STEPS);
    double multiplier = 0.0, *g = sp_alloc_doubles(c->d);

    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, sp_descent_steps(c, rho), &steps));
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", (double)steps, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_BALANCE);
    sp_predict(o, (sp_output_rule)sp_choice(v, SELECT), bound(c, rho, eta, (double)steps), sp_gradient_at_start(c));
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));

    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = steps }, 1,
                        &multiplier));
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier, g));
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

const sp_algorithm sp_algorithm_dp_gd = {
    .name = "dp_gd",
    .summary = "full-batch gradient descent with Gaussian noise",
    .when = "first of all: no parameter has to be set, its bound holds for every smooth loss, and up to some 10^4 "
            "records little beats it",
    .source = "Wang, Ye & Xu 2017; Bassily, Smith & Thakurta 2014",
    .releases = "T gradients of all records, sensitivity 2 L_data / n",
    .uses = "parts/fits parts/output parts/theory",
    .params = params,
    .fits = sp_smooth_fits,
    .run = run,
};
