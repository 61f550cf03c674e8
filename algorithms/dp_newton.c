/*
 * dp_newton.c -- Newton's method for GLMs with noise twice: on the gradient, and on the step computed from it.
 *
 *   g  = grad F(w) + N(0, s1^2 I)
 *   H  = mean of h_i x_i x_i',  0 <= h_i ||x_i||^2 <= b                       never released
 *   tr = trace H + N(0, s_tr^2), at least 0
 *   k  = max( (8 b^2 tr / (n^2 rho_dir))^(1/3), 4 b / n )
 *   w <- Proj_W( w - ((H + E + k I)^-1 g + N(0, s_dir^2 I)) )
 *
 * for T steps. x_i are the records, h_i weights (phi'' or a majorant of it) and b a bound on h_i ||x_i||^2. E is the
 * regulariser's curvature, a public diagonal matrix without negative entries. Replacing a record moves trace H by at
 * most b / n, and the step by at most k0 ||g||, k0 = b / (n k^2 + b k) (core/oracle/mechanisms/curvature.c has the
 * proof), where k includes E's smallest entry. Of the budget rho = mu^2 / 2 the gradients take the part `gradient`, the
 * traces the part `trace` of the rest, and the steps what is left, rho_dir each; so
 *
 *   s1 = (2 L_data / n) sqrt(T / (2 gradient rho)),   s_tr = (b / n) sqrt(T / (2 trace (1 - gradient) rho)),
 *   s_dir = k0 ||g|| / sqrt(2 rho_dir).
 *
 * A larger k shortens the step, but lowers s_dir, which decreases as k^-2. The rule for k balances the two: k / b is
 * (8 (tr / b) / (n^2 rho_dir))^(1/3) and at least 4 / n, whatever the unit of the loss.
 *
 * With the majorant's weights the model F(w) + <grad F(w), p> + p'(H + E) p / 2 lies above F(w + p), also for losses
 * that are not convex. So without noise, on R^d, every step lowers F by at least g'(H + E + k I)^-1 g / 2. No rate of
 * the noisy run is known, so none is claimed and there is no bound.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Ganesh, Haghifam, Steinke & Thakurta 2023; T = 15, gradient = .7, trace = .1 and the rule for k are those of
 *          their program.
 * Privacy  (epsilon, delta), replace-one: T gradients of l2 sensitivity 2 L_data / n, T traces of b / n, T solves of k0
 *          ||g||, whose ratio of noise to sensitivity is fixed in advance.
 * Differs  k0 is printed for records added or removed; it holds for replaced ones (core/oracle/mechanisms/curvature.c).
 *          The rule for k is printed for b = 1/4: (tr / (2 n^2 rho_dir))^(1/3) and 1/n. Weights of the loss's own
 *          majorant or of phi'' where it is positive; their logistic ones are the former. Left out because they are not
 *          private: the published resets of iterates by a rule that knows the minimiser, and the comparator's step
 *          length from exact gradients. Also left out: the variant that clips eigenvalues, whose k0 we could not
 *          derive. calibration = "paper" has no formula here.
 * Output   the last iterate, unless `select` says otherwise.
 * Cost     T n gradients, T n for the traces, T n d^2 / 2 for H, T d^3 / 3; d^2 doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"

#include <gsl/gsl_cblas.h>

enum { STEPS, WEIGHTS, RIDGE, RIDGE_SCALE, GRADIENT, TRACE, SELECT };
enum { DENSE_MAX = 1000 };

static const sp_param params[] = {
    [STEPS]   = { "steps", SP_COUNT, 15, { 1, SP_STEPS_MAX }, "updates T" },
    [WEIGHTS] = { "weights", SP_CHOICE, 0, { 0, 0 }, "of the records in H: those of a parabola above the loss, or its "
                  "second derivative where it is positive", "majorant|hessian" },
    [RIDGE]   = { "ridge", SP_REAL, SP_DERIVED, SP_POSITIVE, "k, which is added to H; default by the released trace; "
                  "if it is given, no trace is released" },
    [RIDGE_SCALE] = { "ridge_scale", SP_REAL, 1.0, SP_POSITIVE, "factor of the default k" },
    [GRADIENT] = { "gradient", SP_REAL, 0.7, { 0.001, 0.999 }, "the gradients' part of the budget" },
    [TRACE]   = { "trace", SP_REAL, 0.1, { 0.001, 0.999 }, "the traces' part of the rest" },
    [SELECT]  = { "select", SP_CHOICE, SP_OUTPUT_LAST, { 0, 0 }, "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

static const char *fits(const sp_constants *c)
{
    if (!c->glm || !c->smooth || !(c->hessian_norm > 0.0 && isfinite(c->hessian_norm)))
        return "the loss is no smooth GLM of bounded curvature";
    return c->d > DENSE_MAX ? "d > 1000: the curvature matrix is dense" : sp_lipschitz_fits(c);
}

typedef struct state {
    sp_oracle *o;
    sp_curvature curvature;
    double ridge, scale;    /* k; NAN: by the trace, times the scale */
    double rho_step;        /* rho_dir */
    double multiplier[3];   /* of the noise: a gradient's, a trace's, a step's */
    double *g, *step;       /* d */
} state;

static sp_status calibrate(state *a, const sp_values *v)
{
    sp_status status = SP_OK;
    const size_t steps = sp_count(v, STEPS);
    const bool given = sp_given(v, RIDGE);
    const double gradient = sp_real(v, GRADIENT), trace = given ? 0.0 : (1.0 - gradient) * sp_real(v, TRACE);
    const sp_release_plan plan[] = {
        { .kind = SP_GRADIENT, .sample = sp_full(), .count = steps, .share = gradient },
        { .kind = SP_TRACE, .sample = sp_full(), .count = given ? 0 : steps, .share = trace },
        { .kind = SP_SOLUTION, .sample = sp_full(), .count = steps, .share = 1.0 - gradient - trace },
    };
    SP_TRY(sp_calibrate(a->o, plan, 3, a->multiplier));
    a->rho_step = sp_budget_of(a->o)->rho * plan[2].share / (double)steps;
cleanup:
    return status;
}

/* k of the next step */
static sp_status damp(state *a, double *k)
{
    sp_status status = SP_OK;
    const double b = sp_public(a->o)->hessian_norm, n = (double)sp_records(a->o);
    double trace = 0.0;
    *k = a->ridge;
    if (!isnan(*k))
        return SP_OK;
    SP_TRY(sp_curvature_trace(a->o, &a->curvature, a->multiplier[1], &trace));
    *k = a->scale * b * fmax(sp_pow(8.0 * fmax(trace, 0.0) / b / (n * n * a->rho_step), 1.0 / 3.0), 4.0 / n);
cleanup:
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o), steps = sp_count(v, STEPS);
    sp_output output = { 0 };
    double *memory = sp_alloc(2, d * sizeof *memory), k = NAN;
    state a = { .o = o, .ridge = sp_given(v, RIDGE) ? sp_real(v, RIDGE) : NAN, .scale = sp_real(v, RIDGE_SCALE),
                .g = memory };
    if (!memory)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for a gradient and a step"));
    a.step = memory + d;
    SP_TRY(calibrate(&a, v));
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));
    a.curvature = (sp_curvature){ .point = w, .weights = (sp_weights)sp_choice(v, WEIGHTS) };
    SP_TRY(sp_draw(o, sp_full(), &a.curvature.batch));
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_gradient(o, &SP_AT(a.curvature.batch, w), a.multiplier[0], a.g));
        SP_TRY(sp_output_offer(&output, w, a.g));
        SP_TRY(damp(&a, &k));
        SP_TRY(sp_curvature_solve(o, &a.curvature, k, a.g, a.multiplier[2], a.step));
        cblas_daxpy((int)d, -1.0, a.step, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
    sp_resolved(o, "ridge", k, sp_given(v, RIDGE) ? SP_FROM_USER : SP_FROM_THEORY); /* the last one */
cleanup:
    free(output.kept);
    free(memory);
    return status;
}

const sp_algorithm sp_algorithm_dp_newton = {
    .name = "dp_newton",
    .summary = "Newton's method for GLMs, with noise on the gradient and on the step",
    .when = "an ill-conditioned GLM, d up to some hundreds and many records; where its features are well scaled, dp_gd",
    .source = "Ganesh, Haghifam, Steinke & Thakurta 2023",
    .releases = "T gradients of all records, sensitivity 2 L_data / n, T traces of the curvature matrix, b / n, and T "
                "solves with it, ||g|| b / (n k^2 + b k)",
    .uses = "parts/fits parts/output",
    .params = params,
    .fits = fits,
    .run = run,
};
