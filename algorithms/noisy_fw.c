/*
 * noisy_fw.c -- Frank-Wolfe over the vertices of a polytope, each chosen by the exponential mechanism.
 *
 *   for t = 0..T-1:  v ~ P(v) ~ exp(-tau <v, grad F(w)>) over the J vertices of W;
 *                    w <- (1 - h_t) w + h_t v,   h_t = 2 / (t + 2)
 *
 * W is the domain, D its diameter; tau = e / Dr, where e is what each choice may cost and Dr = 2 L_data D / n bounds by
 * how much one record moves the score <v, grad F(w)> of one vertex against that of another. A choice is worse than the
 * best vertex by ln J / tau at most, in expectation. So for a convex F of curvature Gamma = beta D^2
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
 *          L_data max ||v|| sqrt(8 T ln(1/delta)) / (n epsilon): that is calibration = "paper", twice or more above
 *          the budget of an l1 ball about 0, for it has max ||v|| where the sensitivity has 2 D. The printed T leaves
 *          its constant open. The start is projected into W.
 * Output   the last iterate.
 * Cost     T n gradients, T J scores; J + 2 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/compact.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/theory.h"

enum { PARAMETERS, STEPS };
enum { THEORY, BALANCED };

static const sp_param params[] = {
    [PARAMETERS] = { "parameters", SP_CHOICE, BALANCED, { 0, 0 }, "where T comes from", "theory|balanced" },
    [STEPS] = { "steps", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default by `parameters`" },
    { 0 }
};

/* Dr */
static double range(const sp_constants *c)
{
    return 2.0 * c->L_data * c->diameter / (double)c->n;
}

/* T before it is made a whole number. */
static double steps_of(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const double scale = sp_choice(v, PARAMETERS) == THEORY ? 1.0 : sp_pow(32.0, 1.0 / 3.0);
    const double curvature = c->beta * c->diameter * c->diameter;
    const double balance = 2.0 * curvature * sqrt(sp_budget_of(o)->rho_z) / (range(c) * sp_log((double)c->vertices));
    return sp_given(v, STEPS) ? (double)sp_count(v, STEPS) : fmax(1.0, round(scale * sp_pow(balance, 2.0 / 3.0)));
}

/* What each of so many choices may cost. */
static double epsilon_of(const sp_oracle *o, double steps)
{
    const sp_budget *budget = sp_budget_of(o);
    const sp_domain *domain = sp_domain_of(o);
    if (budget->paper)
        return range(sp_public(o)) * (double)sp_records(o) * budget->epsilon /
               (sp_public(o)->L_data * domain->norm * sqrt(8.0 * steps * sp_log(1.0 / budget->delta)));
    return sp_choice_epsilon(o, 1.0 / steps) / steps;
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const double T = fmin(steps_of(o, v), SP_STEPS_MAX);
    if (!c->convex || sp_budget_of(o)->paper)
        return INFINITY;
    return 2.0 * c->beta * c->diameter * c->diameter / (T + 2.0)
           + sp_log((double)c->vertices) * range(c) / epsilon_of(o, T);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const sp_chooser chooser = sp_budget_of(o)->paper ? SP_CHOOSE_NOISY_MIN : SP_CHOOSE_EXPONENTIAL;
    size_t steps = 0;
    double none, *vertex = sp_alloc_doubles(c->d);
    sp_accumulator *gradient;
    sp_batch all;

    if (!vertex)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for a vertex"));
    SP_TRY(sp_derive_steps(o, steps_of(o, v), &steps));
    const double epsilon = epsilon_of(o, (double)steps);
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
        SP_TRY(sp_accumulator_add(gradient, 0.0, &SP_AT(all, w)));
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
    .when = "smooth convex losses over an l1 ball, a simplex, a polytope or a small box, in many dimensions: of a choice "
            "only the logarithm of the number of vertices counts; poly_sfw for one pass or a non-convex loss",
    .source = "Bassily, Guzman & Menart 2021, section 3.2; Talwar, Thakurta & Zhang 2015",
    .releases = "T vertices, exponential mechanisms over inner products with the gradient, range sensitivity "
                "2 L_data D / n",
    .uses = "parts/compact parts/fits parts/theory",
    .params = params,
    .fits = sp_vertex_fits,
    .run = run,
    .risk_bound = risk_bound,
};
