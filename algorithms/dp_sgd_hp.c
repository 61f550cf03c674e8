/*
 * dp_sgd_hp.c -- runs dp_sgd several times and chooses the best run privately, which gives a risk bound with high
 * probability.
 *
 *   run i = 1..k from the start:  w <- Proj( w - eta (mean_S grad f(w) + N(0, noise_std^2 I)) ), T times;  w^i uniform
 *   return one of {w0, w^1..w^k} with probability ~ exp(-tau F)
 *
 * The choice costs epsilon_s with epsilon_s^2 / 8 = selection * rho_z; the k T gradients take the rest, so for b = n
 * noise_std^2 <= 2 L_data^2 k T / (n^2 (1 - selection) rho_z) and no T above T* = n^2 (1 - selection) rho_z / (2 d k)
 * helps. Each run has at most twice its expected risk E (dp_sgd.c) with probability 1/2 (Markov). For a quasar-convex
 * loss on R^d, Proj is the projection onto the ball of radius D >= ||w0 - w*|| about w0, for which the analysis still
 * holds. The difference of two candidates' losses then changes by at most 4 L_data D / n between neighbours, and
 *
 *   F(w) - F* <= 2 E + (ln(k+1) + ln(2/zeta)) 4 L_data D / (n epsilon_s)   with probability 1 - zeta,
 *
 *   k = ceil(log2(2/zeta)).   On a bounded domain D is its diameter.
 *
 * When: as the first stage of a warm start, whose theorem requires a bound that fails with probability at most sqrt(d)
 * / (n epsilon) (the default of zeta). Otherwise use dp_sgd, whose error is smaller by a factor sqrt k.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Lowy, Ullman & Wright 2024, section 5 and Prop. D.1 (high-probability variant).
 * Privacy  (epsilon, delta), replace-one: k T Gaussian releases of l2 sensitivity 2 L_data / b and one exponential
 *          mechanism over k + 1 losses, whose range sensitivity comes from their distances.
 * Differs  The accountant composes all of it; the paper gives (epsilon / 2k, delta / 2k) to each run and epsilon / 2 to
 *          the choice. k = log2(2/zeta) (printed: log(1/zeta)); scores are relative to w0, so F needs no bound.
 * Output   the chosen candidate; a run's is uniform over its iterates unless `select` says otherwise.
 * Cost     k T b gradients, (k + 2) n losses, (2 k + 4) d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/compact.h"
#include "algorithms/parts/descent.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { ZETA, RUNS, STEPS, BATCH, ETA, SELECTION, MAX_GRADIENTS, SELECT };

static const sp_param params[] = {
    [ZETA]  = { "zeta",  SP_REAL,  SP_DERIVED, { 1e-12, 0.5 }, "failure probability; default sqrt(d) / (n epsilon)" },
    [RUNS]  = { "runs",  SP_COUNT, SP_DERIVED, { 1, 1000 },    "runs k; default log2(2/zeta) rounded up" },
    [STEPS] = { "steps", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T of a run; default T*, capped" },
    [BATCH] = { "batch", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "records b a step; default all" },
    [ETA]   = { "eta",   SP_REAL,  SP_DERIVED, SP_POSITIVE,    "step size; default minimises the bound" },
    [SELECTION] = { "selection", SP_REAL, 0.1, { 0.001, 0.9 }, "share of the zCDP budget that the choice costs" },
    [MAX_GRADIENTS] = { "max_gradients", SP_REAL, 1e9, { 1, DBL_MAX }, "cap on the evaluations of all runs" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 }, "a run's candidate", SP_OUTPUT_POINTS },
    { 0 }
};

typedef struct schedule {
    size_t runs, batch;
    double zeta, steps, epsilon, noise_std, radius; /* of the choice; in the full batch; D */
    sp_provenance from;                             /* of the steps */
} schedule;

static bool quasar(const sp_constants *c)
{
    return c->convex || c->quasar > 0.0;
}

static size_t batch_of(size_t n, const sp_values *v)
{
    return sp_given(v, BATCH) ? sp_count(v, BATCH) : n;
}

static schedule resolve(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, d = (double)c->d, rho = sp_budget_of(o)->rho_z * (1.0 - sp_real(v, SELECTION));
    schedule s = { .batch = batch_of(c->n, v),
                   .epsilon = sqrt(8.0 * sp_real(v, SELECTION) * sp_budget_of(o)->rho_z),
                   .radius = sp_domain_of(o)->kind == SP_DOMAIN_SPACE ? c->distance : c->diameter,
                   .from = sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_THEORY };
    s.zeta = sp_given(v, ZETA) ? sp_real(v, ZETA) : fmin(fmax(sqrt(d) / (n * sp_budget_of(o)->epsilon), 1e-12), 0.5);
    s.runs = sp_given(v, RUNS) ? sp_count(v, RUNS) : 1;
    while (!sp_given(v, RUNS) && ldexp(1.0, -(int)s.runs) > s.zeta / 2.0)
        s.runs++;
    const double k = (double)s.runs, star = n * n * rho / (2.0 * d * k);
    const double cap = sp_real(v, MAX_GRADIENTS) / (k * (double)s.batch);
    s.steps = sp_given(v, STEPS) ? (double)sp_count(v, STEPS) : fmax(fmin(ceil(star), floor(cap)), 1.0);
    if (!sp_given(v, STEPS) && cap < star)
        s.from = SP_FROM_CAP;
    s.noise_std = c->L_data * sqrt(2.0 * k * s.steps / rho) / n;
    return s;
}

/* With probability 1 - zeta; INFINITY where no theorem says so. */
static double bound(const sp_constants *c, const sp_values *v, const schedule *s, double eta, double noise_std)
{
    const double k = (double)s->runs, choice = sp_log(k + 1.0) + sp_log(2.0 / s->zeta);
    if (sp_choice(v, SELECT) != SP_OUTPUT_UNIFORM || ldexp(1.0, -(int)s->runs) > s->zeta / 2.0)
        return INFINITY;
    return 2.0 * sp_descent_bound(c, s->steps, eta, noise_std)
           + choice * 4.0 * c->L_data * s->radius / ((double)c->n * s->epsilon);
}

static double step_size(const sp_constants *c, const sp_values *v, const schedule *s, double noise_std)
{
    return sp_given(v, ETA) ? sp_real(v, ETA) : sp_descent_step(c, s->steps, (double)s->batch, noise_std);
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const schedule s = resolve(o, v);
    return s.batch < c->n ? INFINITY : bound(c, v, &s, step_size(c, v, &s, s.noise_std), s.noise_std);
}

/* Into the domain; on the whole space into the ball that holds a minimiser. */
static void project(const sp_oracle *o, double *w)
{
    if (sp_domain_of(o)->kind != SP_DOMAIN_SPACE || quasar(sp_public(o)))
        sp_compact_project(o, w);
}

/* One run; w holds the start and takes the candidate. */
static sp_status descend(sp_oracle *o, const schedule *s, sp_output_rule rule, double eta, double multiplier,
                         size_t before, double *g, double *w)
{
    sp_status status = SP_OK;
    sp_output output = { 0 };
    sp_batch batch;
    SP_TRY(sp_output_open(&output, o, rule, (size_t)s->steps));
    for (size_t t = 1; t <= (size_t)s->steps; t++) {
        SP_TRY(sp_draw(o, s->batch == sp_records(o) ? sp_full() : sp_subset(s->batch), &batch));
        SP_TRY(sp_gradient(o, &SP_AT(batch, w), multiplier, g));
        SP_TRY(sp_output_offer(&output, w, g));
        cblas_daxpy((int)sp_dimension(o), -eta, g, 1, w, 1);
        project(o, w);
        SP_TRY(sp_checkpoint(o, before + t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const schedule s = resolve(o, v);
    const sp_release_plan plan[] = {
        { .kind = SP_GRADIENT, .sample = s.batch == c->n ? sp_full() : sp_subset(s.batch),
          .count = s.runs * (size_t)s.steps },
        { .kind = SP_SELECTION, .sample = sp_full(), .count = 1, .chooser = SP_CHOOSE_EXPONENTIAL,
          .epsilon = s.epsilon },
    };
    double multiplier[2] = { 0.0, 0.0 };
    double *g = sp_alloc_doubles(c->d), *list = sp_alloc(s.runs + 1, c->d * sizeof *list);
    sp_batch all;

    if (!g || !list)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %zu candidates", s.runs + 1));
    if (!(s.steps <= SP_STEPS_MAX))
        SP_TRY(sp_refuse(o, SP_EINVAL, "steps = %g: lower max_gradients", s.steps));
    SP_TRY(sp_calibrate(o, plan, 2, multiplier));
    const double noise_std = fmax(multiplier[0] * 2.0 * c->L_data / (double)s.batch, s.noise_std);
    const double eta = step_size(c, v, &s, noise_std);
    if (!(eta > 0.0))
        SP_TRY(sp_refuse(o, SP_EINVAL, "eta must be given: its default needs a smooth loss, or a (quasar-)convex one "
                                       "with a finite L and distance"));
    sp_resolved(o, "zeta", s.zeta, sp_given(v, ZETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "runs", (double)s.runs, sp_given(v, RUNS) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", s.steps, s.from);
    sp_resolved(o, "batch", (double)s.batch, sp_given(v, BATCH) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_promise(o, true, bound(c, v, &s, eta, noise_std), c->gap);

    for (size_t i = 0; i <= s.runs; i++)
        memcpy(list + i * c->d, w, c->d * sizeof *w);
    for (size_t i = 0; i < s.runs; i++)
        SP_TRY(descend(o, &s, (sp_output_rule)sp_choice(v, SELECT), eta, multiplier[0], i * (size_t)s.steps, g,
                       list + (i + 1) * c->d));
    SP_TRY(sp_draw(o, sp_full(), &all));
    SP_TRY(sp_choose(o, all, &(sp_space){ .kind = SP_SPACE_LIST, .count = s.runs + 1, .points = list },
                     &(sp_score){ .kind = SP_SCORE_LOSS, .reference = sp_start(o) }, SP_CHOOSE_EXPONENTIAL, s.epsilon,
                     w, NULL));
    SP_TRY(sp_checkpoint(o, s.runs * (size_t)s.steps + 1, w));
cleanup:
    free(list);
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_dp_sgd_hp = {
    .name = "dp_sgd_hp",
    .summary = "dp_sgd several times and a private choice: a risk bound with high probability, to start a warm start",
    .when = "as the first stage of a warm start whose theorem asks for a bound with high probability; alone, dp_sgd is "
            "better",
    .source = "Lowy, Ullman & Wright 2024, Alg. 3 and Prop. D.1, high-probability variant",
    .releases = "k T gradients of b records, sensitivity 2 L_data / b; one exponential mechanism over k + 1 losses",
    .uses = "parts/compact parts/descent parts/fits parts/output parts/theory",
    .params = params,
    .sampled = batch_of,
    .fits = sp_lipschitz_fits,
    .run = run,
    .risk_bound = risk_bound,
};
