/*
 * noisy_fw.c -- Frank-Wolfe over the vertices of a polytope, each chosen by the exponential mechanism.
 *
 *   for t = 0..T-1:  v ~ P(v) ~ exp(-tau <v, grad F(w)>) over the J vertices of W;
 *                    w <- (1 - h_t) w + h_t v,   h_t = 2 / (t + 2)
 *
 * W is the domain; tau = e / Dr, where e is what each choice may cost and Dr = 2 L_data D / n bounds by how much one
 * record moves the score <v, grad F(w)> of one vertex against that of another: with records' gradients cut to L_data in
 * l2 and D the diameter of W in l2, or cut in l_inf and D in l1 (`norm`, parts/geometry.h). A choice is worse than the
 * best vertex by ln J / tau at most, in expectation. So for a convex F with Gamma the smaller beta D^2 of these two
 * pairs of norms
 *
 *   E[F(w_T) - F*] <= 2 Gamma / (T + 2) + ln J / tau                                                      (bound)
 *
 * e is the larger of sqrt(8 rho_z / T), with rho_z the zCDP budget of (epsilon, delta), and epsilon / T. parameters
 *
 *   theory     T = (Gamma n sqrt(rho_z) / (L_data D ln J))^(2/3);
 *   balanced   32^(1/3) times that, where (bound) is least.
 *
 * Source   Bassily, Guzman & Menart 2021, section 3.2 (their Algorithm 5); Talwar, Thakurta & Zhang 2015.
 * Privacy  (epsilon, delta), replace-one: T exponential mechanisms of epsilon e. The gradient never leaves the oracle.
 * Differs  The exponential mechanism in place of report-noisy-min with Laplace noise, whose scale in print is
 *          L_data max ||v|| sqrt(8 T ln(1/delta)) / (n epsilon): that is calibration = "paper", which is
 *          above the budget, for it has max ||v|| where the sensitivity has 2 D. The printed T leaves
 *          its constant open. The start is projected into W.
 * Output   the last iterate.
 * Cost     T n gradients, T J scores; J + 2 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/compact.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/geometry.h"
#include "algorithms/parts/theory.h"

enum { PARAMETERS, STEPS, NORM };
enum { THEORY, BALANCED };

static const sp_param params[] = {
    [PARAMETERS] = { "parameters", SP_CHOICE, BALANCED, { 0, 0 }, "where T comes from", "theory|balanced" },
    [STEPS] = { "steps", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default by `parameters`" },
    [NORM] = { "norm", SP_CHOICE, SP_GEOMETRY_AUTO, { 0, 0 }, "in which records are cut; auto: the one with less noise",
               SP_GEOMETRIES },
    { 0 }
};

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
    const sp_geometry g = sp_geometry_of(o, sp_choice(v, NORM));
    const double T = fmin(steps_of(o, v, &g), SP_STEPS_MAX);
    if (!sp_public(o)->convex || sp_budget_of(o)->paper)
        return INFINITY;
    return 2.0 * g.curvature / (T + 2.0) +
           sp_log((double)sp_public(o)->vertices) * range(o, &g) / epsilon_of(o, &g, T);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const sp_geometry g = sp_geometry_of(o, sp_choice(v, NORM));
    const sp_chooser chooser = sp_budget_of(o)->paper ? SP_CHOOSE_NOISY_MIN : SP_CHOOSE_EXPONENTIAL;
    size_t steps = 0;
    double none, *vertex = sp_alloc_doubles(c->d);
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
    sp_domain_project(sp_domain_of(o), w);
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_SELECTION, .sample = sp_full(), .count = steps,
                                               .chooser = chooser, .epsilon = epsilon }, 1, &none));
    SP_TRY(sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &gradient));
    SP_TRY(sp_draw(o, sp_full(), &all));

    for (size_t t = 0; t < steps; t++) {
        const double h = 2.0 / ((double)t + 2.0);
        sp_query query = SP_AT(all, w);
        query.norm = g.norm;
        SP_TRY(sp_accumulator_add(gradient, 0.0, &query));
        SP_TRY(sp_choose(o, all, &(sp_space){ .kind = SP_SPACE_VERTICES },
                         &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = gradient }, chooser, epsilon,
                         vertex, NULL));
        cblas_dscal((int)c->d, 1.0 - h, w, 1);
        cblas_daxpy((int)c->d, h, vertex, 1, w, 1);
        SP_TRY(sp_checkpoint(o, t + 1, w));
    }
cleanup:
    free(vertex);
    return status;
}

const sp_algorithm sp_algorithm_noisy_fw = {
    .name = "noisy_fw",
    .summary = "Frank-Wolfe over the vertices of a polytope, each chosen by the exponential mechanism",
    .when = "smooth convex losses over an l1 ball, a simplex, a polytope or a small box, in many dimensions, which "
            "enter as the logarithm of the number of vertices; poly_sfw for one pass or a non-convex loss",
    .source = "Bassily, Guzman & Menart 2021, section 3.2; Talwar, Thakurta & Zhang 2015",
    .releases = "T vertices, exponential mechanisms over inner products with the gradient, range sensitivity "
                "2 L_data D / n in l2, or in l_inf and l1",
    .uses = "parts/compact parts/fits parts/geometry parts/theory",
    .params = params,
    .fits = sp_vertex_fits,
    .run = run,
    .risk_bound = risk_bound,
};
