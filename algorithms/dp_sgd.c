/*
 * dp_sgd.c -- stochastic gradient descent with Gaussian noise.
 *
 *   for t = 1..T:  S a fresh uniform b-subset;  w <- Proj_W( w - eta_t (mean_S grad f(w) + N(0, noise_std^2 I)) ),
 *   eta_t = eta t^(-decay); the formulas below are for decay = 0
 *
 * If F is q-quasar-convex (losses/loss.h; convex: q = 1), with D a bound on ||w0 - w*|| or the diameter, and G = L^2 +
 * d noise_std^2:
 *
 *   E[F(w_J) - F*] <= ( D^2 / (eta T) + eta G ) / (2 q),   at eta = D / sqrt(T G):  (D / q) sqrt(G / T).
 *
 * for every b: the gradient of a fresh uniform subset is unbiased and has norm at most L, so E ||g||^2 <= G for the
 * released g. The noise of subsets comes from the accountant, so this risk bound is known after the run.
 *
 * For b = n, noise_std^2 = 2 L_data^2 T / (n^2 rho), so the noise's part of G / T does not depend on T, and no T above
 * T* = n^2 rho / (2 d) helps. If q or D is not known, eta = min(1/beta, sqrt(2 gap / (beta G_b T))) with G_b = L_data^2
 * / b + d noise_std^2. This step size minimises a bound on the gradient norm that holds for every smooth F.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Lowy, Ullman & Wright 2024, Alg. 3 and Prop. D.1; the second eta: Ghadimi & Lan 2013, as in Zhang, Zheng,
 *          Mou & Wang 2017.
 * Privacy  (epsilon, delta), replace-one: T Gaussian releases of l2 sensitivity 2 L_data / b on subsets drawn without
 *          replacement (b = n: unsampled).
 * Differs  parameters = "theory" takes the printed T = epsilon^2 n^2 / (d ln(1/delta)); the default stops at T* and at
 *          a number of epochs. Subsets are drawn without replacement (the paper: with; no tight theorem). Noise comes
 *          from the accountant; calibration = "paper" takes the printed noise_std^2 = 1000 L_data^2 T ln(1/delta) /
 *          (epsilon n)^2. With the noise off, eta is that of the private run (for b < n: with the noise of the full
 *          batch).
 * Output   w_J, J uniform over the iterates at which a gradient was released, unless `select` says otherwise.
 * Cost     T b gradients, 2 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/descent.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { PARAMETERS, STEPS, EPOCHS, BATCH, ETA, DECAY, SELECT };
enum { THEORY, THEORY_CAPPED };

static const sp_param params[] = {
    [PARAMETERS] = { "parameters", SP_CHOICE, THEORY_CAPPED, { 0, 0 }, "where T comes from",
                     "theory|theory_capped" },
    [STEPS]  = { "steps",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default by `parameters`" },
    [EPOCHS] = { "epochs", SP_REAL,   20,         SP_POSITIVE,         "theory_capped: T is at most epochs * n / b" },
    [BATCH]  = { "batch",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "records b a step; default sqrt(n)" },
    [ETA]    = { "eta",    SP_REAL,   SP_DERIVED, SP_POSITIVE,         "step size; default minimises the bound" },
    [DECAY]  = { "decay",  SP_REAL,   0,          { 0, 1 },            "step t is eta t^-decay" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 },     "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

static size_t batch_of(size_t n, const sp_values *v)
{
    return sp_given(v, BATCH) ? sp_count(v, BATCH) : (size_t)ceil(sqrt((double)n));
}

/* T* */
static double star(const sp_oracle *o)
{
    const double n = (double)sp_records(o);
    return n * n * sp_budget_of(o)->rho / (2.0 * (double)sp_dimension(o));
}

/* T before rounding. */
static double steps_of(const sp_oracle *o, const sp_values *v, sp_provenance *from)
{
    const sp_budget *budget = sp_budget_of(o);
    const double n = (double)sp_records(o), d = (double)sp_dimension(o);
    const double cap = sp_real(v, EPOCHS) * n / (double)batch_of(sp_records(o), v);

    *from = sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_THEORY;
    if (sp_given(v, STEPS))
        return (double)sp_count(v, STEPS);
    if (sp_choice(v, PARAMETERS) == THEORY)
        return budget->epsilon * budget->epsilon * n * n / (d * sp_log(1.0 / budget->delta));
    if (cap < star(o))
        *from = SP_FROM_CAP;
    return fmin(star(o), cap);
}

/* The deviation of a full-batch release when the whole budget goes to T of them; a subset needs no less. */
static double unsampled_noise_std(const sp_oracle *o, double steps)
{
    return sp_public(o)->L_data * sqrt(2.0 * steps / sp_budget_of(o)->rho) / (double)sp_records(o);
}

/* What the run has told at its calibrated noise; before it, that of the full batch, whose noise has a closed form. */
static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    sp_provenance from;
    const double steps = fmax(ceil(steps_of(o, v, &from)), 1.0), noise_std = unsampled_noise_std(o, steps);
    const double eta = sp_given(v, ETA) ? sp_real(v, ETA) : sp_descent_step(c, steps, (double)c->n, noise_std);
    if (!sp_output_is_uniform((sp_output_rule)sp_choice(v, SELECT)) || sp_real(v, DECAY) > 0.0)
        return INFINITY;
    if (isfinite(sp_told(o, "bound")))
        return sp_told(o, "bound");
    return batch_of(c->n, v) < c->n ? INFINITY : sp_descent_bound(c, steps, eta, noise_std);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const sp_budget *budget = sp_budget_of(o);
    const size_t b = batch_of(c->n, v);
    const sp_sample sample = b == c->n ? sp_full() : sp_subset(b);
    sp_provenance from;
    sp_output output = { 0 };
    sp_batch batch;
    size_t steps = 0;
    double multiplier = 0.0, *g = sp_alloc_doubles(c->d);
    const double decay = sp_real(v, DECAY);

    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    SP_TRY(sp_derive_steps(o, steps_of(o, v, &from), &steps));
    const double T = (double)steps;
    const double paper = (double)b * sqrt(1000.0 * T * sp_log(1.0 / budget->delta))
                         / (2.0 * budget->epsilon * (double)c->n);
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sample, .count = steps, .paper = paper },
                        1, &multiplier));
    const double noise_std = fmax(multiplier * 2.0 * c->L_data / (double)b, unsampled_noise_std(o, T));
    const double eta = sp_given(v, ETA) ? sp_real(v, ETA) : sp_descent_step(c, T, (double)b, noise_std);
    if (!(eta > 0.0))
        SP_TRY(sp_refuse(o, SP_EINVAL, "eta must be given: its default needs a smooth loss, or a (quasar-)convex one "
                                       "with a finite L and distance"));
    sp_resolved(o, "batch", (double)b, sp_given(v, BATCH) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    const bool capped = from == SP_FROM_CAP;
    sp_capped(o, "steps", T, capped ? ceil(star(o)) : T, capped ? SP_FROM_THEORY : from);
    if (decay == 0.0)
        sp_predict(o, (sp_output_rule)sp_choice(v, SELECT), sp_descent_bound(c, T, eta, noise_std), c->gap);
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));

    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_draw(o, sample, &batch));
        SP_TRY(sp_gradient(o, &SP_AT(batch, w), multiplier, g));
        SP_TRY(sp_output_offer(&output, w, g));
        cblas_daxpy((int)c->d, decay > 0.0 ? -eta * sp_pow((double)t, -decay) : -eta, g, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_dp_sgd = {
    .name = "dp_sgd",
    .summary = "stochastic gradient descent with Gaussian noise",
    .when = "quasar-convex losses, where its risk bound is the best known one; or so many records that full passes are "
            "slow (batch)",
    .source = "Lowy, Ullman & Wright 2024, Alg. 3",
    .releases = "T gradients of uniform subsets of b records, sensitivity 2 L_data / b",
    .uses = "parts/descent parts/fits parts/output parts/theory",
    .params = params,
    .sampled = batch_of,
    .fits = sp_lipschitz_fits,
    .run = run,
    .risk_bound = risk_bound,
};
