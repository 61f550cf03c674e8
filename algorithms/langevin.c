/*
 * langevin.c -- projected noisy gradient descent, as a discretised Langevin diffusion towards the density exp(-tau F).
 *
 *   w <- Proj( w - eta (grad F(w) + N(0, noise_std^2 I)) ),  T times;  noise_std^2 = 2 L_data^2 T / (n^2 rho)
 *
 * With the step eta this is the discretised diffusion of inverse temperature 2 / (eta noise_std^2). eta = min(1 / beta,
 * 2 / (noise_std^2 tau)) makes that the tau of the exponential mechanism on W (em_net), tau = epsilon n / (4 L_data R),
 * if the step is not limited by 1 / beta. A larger T has more noise per step and a smaller step. Unlike the mechanism
 * it is private at any length, by composition, whether or not it has mixed, and in any dimension.
 *
 * T = n^2 rho / (2 d), where d noise_std^2 = L^2, or less where that takes more than max_gradients.
 *
 * When: as the first stage of a warm start in more dimensions than em_zoom can search. It has a risk bound only for a
 * uniform iterate on a quasar-convex loss (dp_sgd.c); otherwise a warm start gets no psi (warm_start.c) from it.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   after Bassily, Smith & Thakurta 2014; the exponential mechanism that it approximates: Lowy, Ullman & Wright
 *          2024, Definition 4.1.
 * Privacy  (epsilon, delta), replace-one: T Gaussian releases of l2 sensitivity 2 L_data / n.
 * Differs  No claim of a pure epsilon, which would need the chain to have mixed. Projects onto the domain; without a
 *          domain it does not project, and R in tau is `distance`.
 * Output   the last iterate, the diffusion's sample, unless `select` says otherwise.
 * Cost     T n gradients, 3 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/compact.h"
#include "algorithms/parts/descent.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { STEPS, ETA, TAU, MAX_GRADIENTS, SELECT };

static const sp_param params[] = {
    [STEPS] = { "steps", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default n^2 rho / (2 d), capped" },
    [ETA]   = { "eta",   SP_REAL,  SP_DERIVED, SP_POSITIVE, "step size; default min(1 / beta, 2 / (noise_std^2 tau))" },
    [TAU]   = { "tau",   SP_REAL,  SP_DERIVED, SP_POSITIVE, "inverse temperature; default that of em_net" },
    [MAX_GRADIENTS] = { "max_gradients", SP_REAL, 1e9, { 1, DBL_MAX }, "cap on T n" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_LAST, { 0, 0 }, "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

typedef struct schedule {
    double steps, noise_std, tau, eta;
    sp_provenance from; /* of the steps */
} schedule;

static const char *fits(const sp_constants *c)
{
    if (!(c->beta > 0.0 && isfinite(c->beta)))
        return "the loss is not smooth (beta)";
    return c->L_data > 0.0 && isfinite(c->L_data) ? NULL : "the records' gradients are not bounded (L_data)";
}

/* tau where something bounds W; else only beta limits the step. */
static double step_size(const sp_oracle *o, const sp_values *v, schedule *s)
{
    const sp_constants *c = sp_public(o);
    s->tau = sp_given(v, TAU) ? sp_real(v, TAU)
                              : sp_choice_epsilon(o, 1.0) * (double)c->n / (4.0 * c->L_data * sp_compact(o, NULL));
    const double cold = s->noise_std > 0.0 && s->tau > 0.0 ? 2.0 / (s->noise_std * s->noise_std * s->tau) : INFINITY;
    return sp_given(v, ETA) ? sp_real(v, ETA) : fmin(1.0 / c->beta, cold);
}

static schedule resolve(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, rho = sp_budget_of(o)->rho;
    const double star = n * n * rho / (2.0 * (double)c->d), most = floor(sp_real(v, MAX_GRADIENTS) / n);
    const double cap = fmin(most, SP_STEPS_MAX);
    schedule s = { .steps = sp_given(v, STEPS) ? (double)sp_count(v, STEPS) : fmin(star, cap),
                   .from = sp_given(v, STEPS) ? SP_FROM_USER : cap < star ? SP_FROM_CAP : SP_FROM_THEORY };
    s.steps = fmax(ceil(s.steps), 1.0);
    s.noise_std = c->L_data * sqrt(2.0 * s.steps / rho) / n;
    s.eta = step_size(o, v, &s);
    return s;
}

static double bound(const sp_constants *c, const sp_values *v, const schedule *s)
{
    const bool uniform = sp_output_is_uniform((sp_output_rule)sp_choice(v, SELECT));
    return uniform ? sp_descent_bound(c, s->steps, s->eta, s->noise_std) : INFINITY;
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const schedule s = resolve(o, v);
    return bound(sp_public(o), v, &s);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    schedule s = resolve(o, v);
    const size_t steps = (size_t)s.steps;
    sp_output output = { 0 };
    double *g = sp_alloc_doubles(c->d), multiplier = 0.0;
    sp_batch all;
    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %zu dimensions", c->d));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = steps }, 1,
                        &multiplier));
    s.noise_std = fmax(s.noise_std, multiplier * 2.0 * c->L_data / (double)c->n);
    s.eta = step_size(o, v, &s);
    sp_resolved(o, "steps", s.steps, s.from);
    sp_resolved(o, "eta", s.eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    if (isfinite(s.tau))
        sp_resolved(o, "tau", s.tau, sp_given(v, TAU) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_promise(o, true, bound(c, v, &s), c->gap);

    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier, g));
        SP_TRY(sp_output_offer(&output, w, g));
        cblas_daxpy((int)c->d, -s.eta, g, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_langevin = {
    .name = "langevin",
    .summary = "noisy gradient descent at the temperature of the exponential mechanism: to start in high dimension",
    .when = "a first stage in more dimensions than em_zoom can search",
    .source = "after Bassily, Smith & Thakurta 2014; Lowy, Ullman & Wright 2024, Definition 4.1",
    .releases = "T gradients of all records, sensitivity 2 L_data / n",
    .uses = "parts/compact parts/descent parts/output parts/theory",
    .params = params,
    .fits = fits,
    .run = run,
    .risk_bound = risk_bound,
};
