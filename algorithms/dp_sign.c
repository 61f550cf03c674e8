/*
 * dp_sign.c -- descent by the signs of noisy gradients.
 *
 *   v = mean_S grad f(w) + N(0, s^2 I);   w <- Proj_W( w - eta sign(v) ), coordinate by coordinate, T times
 *
 * S is all n records, or b of them. s = noise_multiplier 2 L_data / b is the deviation of the noise.
 *
 * On all records coordinate i of v is g_i + s N(0, 1), g = grad F(w), so that E sign(v_i) = erf(g_i / (s sqrt 2)), and
 * ||sign(v)||^2 <= d: by the descent lemma
 *
 *   E sum_i g_i erf(g_i / (s sqrt 2)) <= E[F(w_t) - F(w_{t+1})] / eta + beta eta d / 2.
 *
 * As a function of g_i^2 each term is concave and 0 at 0 (its derivative is a sum of two decreasing functions), so the
 * sum is at least ||g|| erf(||g|| / (s sqrt 2)); and that is at least the convex function h(x) = k x^2 / s up to x = s
 * / (2 k) and x - s / (4 k) from there on, k = 0.735: u erfc(u / sqrt 2) <= 0.33995 < 1 / (4 k), and erf(u / sqrt 2) /
 * u decreases and is 0.7407 at u = 1 / (2 k). With r = gap / (eta T) + beta eta d / 2, gap >= F(w_0) - F*, Jensen's
 * inequality gives for a uniformly chosen iterate
 *
 *   E||grad F(w_J)|| <= sqrt(s r / k) if r <= s / (4 k), else r + s / (4 k).                                    (bound)
 *
 * eta = sqrt(2 gap / (beta d T)) minimises r, to sqrt(2 gap beta d / T). With s^2 = 2 L_data^2 T / (n^2 rho), rho the
 * budget, r <= s / (4 k) from T = 4 k n sqrt(gap beta d rho) / L_data on, and then E||grad F|| <= sqrt(2 / k) times
 * (L_data / n)^(1/2) (gap beta d / rho)^(1/4), for every such T, with a step that does not depend on epsilon. The bound
 * of dp_gd has 2 in place of sqrt(2 / k) = 1.65 at its default step, and sqrt 2 at best, with small steps. So signs
 * lose a factor of at most 1.17.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Bernstein, Wang, Azizzadenesheli & Anandkumar 2018 for descent by signs; arXiv 2603.03226 (abstract) for its
 *          private form; the bound is derived here.
 * Privacy  (epsilon, delta), replace-one: T Gaussian releases of l2 sensitivity 2 L_data / n; on b < n records of a
 *          subset drawn without replacement 2 L_data / b, on a Poisson sample a record's part has norm at most L_data /
 *          b.
 * Differs  T is the smallest for which (bound) no longer depends on T. (bound) holds on R^d and if S is all records:
 *          the signs of a batch's gradient are biased by the spread of the records. Projects when the domain is
 *          bounded.
 * Output   w_J, J uniform over the iterates at which a gradient was released, unless `select` says otherwise.
 * Cost     T b gradients, 2 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/batch.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

enum { ETA, STEPS, BATCH, SAMPLE, SELECT };

static const sp_param params[] = {
    [ETA]    = { "eta",    SP_REAL,   SP_DERIVED, SP_POSITIVE,         "step of a coordinate; default minimises r" },
    [STEPS]  = { "steps",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default from where the bound does "
                                                                       "not depend on it" },
    [BATCH]  = { "batch",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "records b a step; default all" },
    [SAMPLE] = { "sample", SP_CHOICE, SP_BATCH_SUBSET, { 0, 0 },       "how b < n records are drawn", SP_BATCHES },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 },     "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

static const double k = 0.735;

static size_t batch_of(size_t n, const sp_values *v)
{
    return sp_given(v, BATCH) ? sp_count(v, BATCH) : n;
}

/* T before rounding. */
static double steps_of(const sp_constants *c, double rho)
{
    return 4.0 * k * (double)c->n * sqrt(c->gap * c->beta * (double)c->d * rho) / c->L_data;
}

static double bound(const sp_constants *c, double rho, double eta, double steps)
{
    const double s = c->L_data * sqrt(2.0 * steps / rho) / (double)c->n;
    const double r = c->gap / (eta * steps) + c->beta * eta * (double)c->d / 2.0;
    return r <= s / (4.0 * k) ? sqrt(s * r / k) : r + s / (4.0 * k);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double rho = sp_budget_of(o)->rho;
    const size_t b = batch_of(c->n, v);
    const sp_sample sample = sp_sample_of(c->n, b, (sp_batch_kind)sp_choice(v, SAMPLE));
    size_t steps = sp_count(v, STEPS);
    double multiplier = 0.0, *g = sp_alloc_doubles(c->d);
    sp_output output = { 0 };
    sp_query query = { .terms = 1, .term = { { 1.0, w } } };

    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    if (b > c->n)
        SP_TRY(sp_refuse(o, SP_EINVAL, "batch = %zu: there are %zu records", b, c->n));
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, steps_of(c, rho), &steps));
    const double T = (double)steps;
    const double eta = sp_given(v, ETA) ? sp_real(v, ETA) : sqrt(2.0 * c->gap / (c->beta * (double)c->d * T));
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", T, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_THEORY);
    if (b == c->n)
        sp_predict(o, (sp_output_rule)sp_choice(v, SELECT), bound(c, rho, eta, T), sp_gradient_at_start(c));
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));

    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sample, .count = steps }, 1,
                        &multiplier));
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_draw(o, sample, &query.batch));
        SP_TRY(sp_gradient(o, &query, multiplier, g));
        SP_TRY(sp_output_offer(&output, w, g));
        for (size_t j = 0; j < c->d; j++)
            w[j] -= g[j] > 0.0 ? eta : g[j] < 0.0 ? -eta : 0.0;
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_dp_sign = {
    .name = "dp_sign",
    .summary = "descent by the signs of noisy gradients: steps of one length, whatever the noise",
    .when = "one step size has to do for every epsilon, or a small epsilon leaves more noise than gradient; where T "
            "can be chosen dp_gd leaves less",
    .source = "Bernstein, Wang, Azizzadenesheli & Anandkumar 2018; bound derived from the descent lemma",
    .releases = "T gradients of all records, sensitivity 2 L_data / n, or of b, 2 L_data / b",
    .uses = "parts/batch parts/fits parts/output parts/theory",
    .params = params,
    .sampled = batch_of,
    .fits = sp_positive_gap_fits,
    .run = run,
};
