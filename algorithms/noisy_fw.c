/*
 * noisy_fw.c -- Frank-Wolfe over the vertices of a polytope; each vertex is chosen by the exponential mechanism.
 *
 *   for t = 0..T-1:  v ~ P(v) ~ exp(-tau <v, grad F(w)>) over the J vertices of W;
 *                    w <- (1 - h_t) w + h_t v,   h_t = 2 / (t + 2)
 *
 * W is the domain; tau = e / Dr, where e is the epsilon of each choice and Dr = 2 L_data D / n bounds the change, by
 * one record, of the difference of two vertices' scores <v, grad F(w)>. Records' gradients are clipped to L_data in l2
 * and D is the diameter of W in l2, or in l_inf and D in l1 (`norm`, parts/geometry.h). In expectation the chosen
 * vertex is worse than the best one by at most ln J / tau. So for a convex F, with Gamma the smaller beta D^2 of these
 * two pairs of norms,
 *
 *   E[F(w_T) - F*] <= 2 Gamma / (T + 2) + ln J / tau                                                      (bound)
 *
 * e is the larger of sqrt(8 rho_z / T), with rho_z the zCDP budget of (epsilon, delta), and epsilon / T. parameters
 *
 *   theory     T = (Gamma n sqrt(rho_z) / (L_data D ln J))^(2/3);
 *   balanced   32^(1/3) times that, which minimises (bound).
 *
 * A convex GLM phi(<w, x>, y) with kinks and slopes of at most L0 is replaced by its Moreau envelope, b-smooth in the
 * margin and at most L0^2 / (2b) below it; (bound) then has this additional term. With R the bound on ||x|| in the norm
 * in which gradients are clipped, L_data = L0 R, Gamma = b R^2 D^2 and
 *
 *   b = L0 sqrt(n epsilon) / (R D ln(1/delta)^(1/4) sqrt(ln J ln n)).
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Bassily, Guzman & Menart 2021, Theorem 6 (their Algorithm 5); Talwar, Thakurta & Zhang 2015.
 * Privacy  (epsilon, delta), replace-one: T exponential mechanisms of epsilon e. The gradient is never released.
 * Differs  The exponential mechanism replaces report-noisy-min with Laplace noise, whose printed scale is L_data max
 *          ||v|| sqrt(8 T ln(1/delta)) / (n epsilon): calibration = "paper" uses it and exceeds the budget, because it
 *          has max ||v|| where the sensitivity has 2 D. The printed T leaves its constant open. The start is projected
 *          onto W.
 * Output   the last iterate.
 * Cost     T n gradients, T J scores; J + 2 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/compact.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/geometry.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { PARAMETERS, STEPS, NORM, ENVELOPE };
enum { THEORY, BALANCED };

static const sp_param params[] = {
    [PARAMETERS] = { "parameters", SP_CHOICE, BALANCED, { 0, 0 }, "T of the theorem, or where the bound is least",
                     "theory|balanced" },
    [STEPS] = { "steps", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default by `parameters`" },
    [NORM] = { "norm", SP_CHOICE, SP_GEOMETRY_AUTO, { 0, 0 }, "in which gradients are clipped; auto: the one with less "
               "noise",
               SP_GEOMETRIES },
    [ENVELOPE] = { "envelope", SP_REAL, SP_DERIVED, SP_POSITIVE, "smoothness b of the envelope in the place of a loss "
                   "with kinks; default by theory" },
    { 0 }
};

static const char *fits(const sp_constants *c)
{
    return c->gll && c->vertices >= 2 ? sp_lipschitz_fits(c) : sp_vertex_fits(c);
}

/* R: of records in the norm in which their gradients are cut. */
static double radius_in(const sp_constants *c, sp_norm norm)
{
    return norm == SP_NORM_LINF ? c->largest : c->radius;
}

/* b; 0: the loss is smooth. */
static double envelope_of(const sp_oracle *o, const sp_values *v, const sp_geometry *g)
{
    const sp_constants *c = sp_public(o);
    const sp_budget *budget = sp_budget_of(o);
    const double R = radius_in(c, g->norm), n = (double)c->n;
    if (c->smooth || sp_given(v, ENVELOPE))
        return c->smooth ? 0.0 : sp_real(v, ENVELOPE);
    return g->L_data * sqrt(n * budget->epsilon) /
           (R * R * g->D * sqrt(sqrt(sp_log(1.0 / budget->delta)) * sp_log((double)c->vertices) * sp_log(n)));
}

/* The norms, with the curvature of the envelope where the loss has kinks. */
static sp_geometry geometry_of(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    sp_geometry g = sp_geometry_of(o, sp_choice(v, NORM));
    const double l1 = c->largest * sp_domain_diameter_l1(sp_domain_of(o)), l2 = c->radius * c->diameter;
    if (!c->smooth)
        g.curvature = envelope_of(o, v, &g) * fmin(l1 * l1, l2 * l2);
    return g;
}

/* Dr */
static double range(const sp_oracle *o, const sp_geometry *g)
{
    return 2.0 * g->L_data * g->D / (double)sp_records(o);
}

/* T before it is made a whole number. */
static double steps_of(const sp_oracle *o, const sp_values *v, const sp_geometry *g)
{
    const double scale = sp_choice(v, PARAMETERS) == THEORY ? 1.0 : sp_pow(32.0, 1.0 / 3.0);
    const double choice = 0.5 * range(o, g) * sp_log((double)sp_public(o)->vertices);
    const double balance = g->curvature * sqrt(sp_budget_of(o)->rho_z) / choice;
    return sp_given(v, STEPS) ? (double)sp_count(v, STEPS) : fmax(1.0, round(scale * sp_pow(balance, 2.0 / 3.0)));
}

/* What each of so many choices may cost. */
static double epsilon_of(const sp_oracle *o, const sp_geometry *g, double steps)
{
    const sp_budget *budget = sp_budget_of(o);
    if (budget->paper)
        return 2.0 * g->D * budget->epsilon / (g->norm_max * sqrt(8.0 * steps * sp_log(1.0 / budget->delta)));
    return sp_choice_epsilon(o, 1.0 / steps) / steps;
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const sp_geometry g = geometry_of(o, v);
    const double b = envelope_of(o, v, &g), L0 = g.L_data / radius_in(sp_public(o), g.norm);
    const double T = fmin(steps_of(o, v, &g), SP_STEPS_MAX);
    if (!sp_public(o)->convex || sp_budget_of(o)->paper)
        return INFINITY;
    return 2.0 * g.curvature / (T + 2.0) +
           sp_log((double)sp_public(o)->vertices) * range(o, &g) / epsilon_of(o, &g, T) +
           (b > 0.0 ? L0 * L0 / (2.0 * b) : 0.0);
}

/* The oracle to work with: of the problem, or of its envelope. */
static sp_status smoothed(sp_oracle *o, const sp_values *v, const sp_geometry *g, sp_oracle **out)
{
    const sp_child_options options = { .mode = SP_SHARE_BASIC, .share = 1.0, .envelope = envelope_of(o, v, g) };
    *out = o;
    if (sp_public(o)->smooth)
        return sp_given(v, ENVELOPE) ? sp_refuse(o, SP_EINVAL, "envelope = %g: the loss is smooth and needs none",
                                                 sp_real(v, ENVELOPE)) : SP_OK;
    if (!isfinite(options.envelope))
        return sp_refuse(o, SP_EINVAL, "envelope must be given: its default needs a privacy budget");
    sp_resolved(o, "envelope", options.envelope, sp_given(v, ENVELOPE) ? SP_FROM_USER : SP_FROM_THEORY);
    return sp_child(o, &options, out);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const sp_geometry g = geometry_of(o, v);
    const sp_chooser chooser = sp_budget_of(o)->paper ? SP_CHOOSE_NOISY_MIN : SP_CHOOSE_EXPONENTIAL;
    size_t steps = 0;
    double none, *vertex = sp_alloc_doubles(c->d);
    sp_oracle *e = NULL;
    sp_accumulator *gradient;
    sp_batch all;

    if (!vertex)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for a vertex"));
    SP_TRY(sp_derive_steps(o, steps_of(o, v, &g), &steps));
    const double epsilon = epsilon_of(o, &g, (double)steps);
    sp_resolved(o, "steps", (double)steps, sp_given(v, STEPS)                     ? SP_FROM_USER
                                           : sp_choice(v, PARAMETERS) == BALANCED ? SP_FROM_BALANCE
                                                                                  : SP_FROM_THEORY);
    sp_promise(o, true, risk_bound(o, v), c->gap);
    SP_TRY(smoothed(o, v, &g, &e));
    sp_domain_project(sp_domain_of(o), w);
    SP_TRY(sp_calibrate(e, &(sp_release_plan){ .kind = SP_SELECTION, .sample = sp_full(), .count = steps,
                                               .chooser = chooser, .epsilon = epsilon }, 1, &none));
    SP_TRY(sp_accumulator_open(e, SP_NOISE_PLAIN, NULL, &gradient));
    SP_TRY(sp_draw(e, sp_full(), &all));

    for (size_t t = 0; t < steps; t++) {
        const double h = 2.0 / ((double)t + 2.0);
        sp_query query = SP_AT(all, w);
        query.norm = g.norm;
        SP_TRY(sp_accumulator_add(gradient, 0.0, &query));
        SP_TRY(sp_choose(e, all, &(sp_space){ .kind = SP_SPACE_VERTICES },
                         &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = gradient }, chooser, epsilon,
                         vertex, NULL));
        cblas_dscal((int)c->d, 1.0 - h, w, 1);
        cblas_daxpy((int)c->d, h, vertex, 1, w, 1);
        SP_TRY(sp_checkpoint(e, t + 1, w));
    }
cleanup:
    free(vertex);
    return status;
}

const sp_algorithm sp_algorithm_noisy_fw = {
    .name = "noisy_fw",
    .summary = "Frank-Wolfe over the vertices of a polytope, each chosen by the exponential mechanism",
    .when = "convex losses, smooth or GLMs with kinks, over an l1 ball, a simplex, a polytope or a small box, in many "
            "dimensions, which enter as the logarithm of the number of vertices; poly_sfw for one pass or a non-convex "
            "loss",
    .source = "Bassily, Guzman & Menart 2021, section 3.2; Talwar, Thakurta & Zhang 2015",
    .releases = "T vertices, exponential mechanisms over inner products with the gradient, range sensitivity "
                "2 L_data D / n, D the domain's diameter: both in l2, or in l_inf and l1",
    .uses = "parts/compact parts/fits parts/geometry parts/theory",
    .params = params,
    .fits = fits,
    .run = run,
    .risk_bound = risk_bound,
};
