/*
 * dp_spider.c -- private SpiderBoost: a noisy gradient every q steps, and noisy gradient differences in between.
 *
 *   t = 0 mod q:  v = grad F(w_t) + N(0, (m1 2 L_data / n)^2 I)                                     ceil(T/q) times
 *   otherwise:    v <- v + mean_S[grad f(w_t) - grad f(w_{t-1})] + N(0, (m2 2 c / b)^2 I),  |S| = b,
 *                 c = min(beta_data ||w_t - w_{t-1}||, 2 L_data);          w_{t+1} = Proj_W( w_t - eta v )
 *
 * m1, m2 are noise multipliers. With rho = mu^2 / 2, a share theta of it for the gradients and K = ceil(T/q), they are
 * m1^2 = k^2 K / (2 theta rho), m2^2 = (k b / n)^2 (T - K) / (2 (1 - theta) rho), where k = 1 for b = n, and for b < n
 * is the factor that the accountant adds for subsets: 1.03 at m2 = 8, 1.01 at 20. Put t1 = d (m1 2 L_data / n)^2, t2 =
 * beta_data^2 (d (2 m2 / b)^2 + [b < n] / b), A = eta/2 - beta eta^2/2 - eta^3 t2 q / 2 > 0:
 *
 *   E||grad F(w_J)||^2 <= (2 gap / (T A)) (1 + t2 eta^2 q) + (eta / A + 2 + t2 eta^3 q / A) t1           (bound)
 *
 * parameters
 *   theory         a = 2 sqrt(d) / (n mu):  T = scale max{ (gap beta / L_data^2)^(1/3) a^(-4/3), 1/a }, without a limit
 *                  on the cost, q = 1 / (8 eta^2 beta_data^2 (T a^2 / (1 - theta) + [b < n] / b)): at eta =
 *                  1 / (2 beta) a quarter of the q for which A = 0;
 *   theory_capped  the largest T <= that of theory whose T, q cost at most max_gradients;
 *   balanced       (T, q, theta, b) minimises (bound) at k = 1 over a grid, among those whose K n + 2 b
 *                  (T - K) evaluations are at most `work` times the T n of dp_gd's default: b is as large as that
 *                  allows, and so large that m2 >= 4, or n. Without `work`, b = n, and the chosen T costs a multiple of
 *                  dp_gd's evaluations that grows as n^(1/3): 2.6, 5.0 and 7.5 for the n of the table below. A value
 *                  that `work` changed is stored as theory_capped. If steps, period, batch or split are given, the
 *                  others follow from them; with steps, `work` is ignored.
 * subsample takes the theorem's
 *   b = max{ (L_data / (sqrt(gap beta) a))^(2/3), n (L_data a^2)^(1/3) / (gap beta)^(1/6) }.
 *
 * The price of `work` is (bound) divided by (bound) of the grid without `work`, at L_data = beta = beta_data = 1, gap =
 * 2, d = 10, epsilon = 1, delta = 1e-6. With b = n no small multiple is enough; with b chosen as here, work = 1 is. The
 * sweep `work` of experiments/spider_theory.lua computes these bounds, and measures the errors that the schedules
 * reach.
 *
 *   n       b = n, work = 1    2      3      5     10      b chosen, work = 1      2       3
 *   2000            1.13    1.03   1.00   1.00   1.00                  1.006   1.002   1.000
 *   8000            1.40    1.16   1.05   1.00   1.00                  1.006   1.003   1.001
 *   32000           1.75    1.38   1.19   1.04   1.00                  1.005   1.002   1.001
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Arora, Bassily, Gonzalez, Guzman, Menart & Ullah 2023, Alg. 2, Theorem B.3 and Lemma B.1, as used by Lowy,
 *          Ullman & Wright 2024.
 * Privacy  (epsilon, delta), replace-one: K releases of sensitivity 2 L_data / n, T - K of 2 c / b (b < n: on subsets
 *          without replacement). c adapts, the ratio noise_std / sensitivity is fixed.
 * Differs  The theorem leaves its constants open; its q = 1 / (T a^2) with a = sqrt(d ln(1/delta)) / (n epsilon)
 *          violates A > 0 once they are written out. a counts the replace-one factor 2. Under `theory` differences use
 *          all records unless `batch` or `subsample` says otherwise. Noise comes from the accountant: the printed
 *          formulas have an unspecified constant, so calibration = "paper" has none here. Projects when the domain is
 *          bounded. w_T has no estimate and is no candidate. Shares in zCDP, which sampling does not have, keep b = n.
 * Output   w_J, J uniform in {0..T-1}, unless `select` says otherwise.
 * Cost     K n gradients and 2 b (T - K) in differences, 4 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { PARAMETERS, STEPS, PERIOD, BATCH, SUBSAMPLE, ETA, SPLIT, SCALE, WORK, MAX_GRADIENTS, SELECT };
enum { THEORY, THEORY_CAPPED, BALANCED };

static const sp_param params[] = {
    [PARAMETERS] = { "parameters", SP_CHOICE, BALANCED, { 0, 0 }, "where steps, period and split come from",
                     "theory|theory_capped|balanced" },
    [STEPS]  = { "steps",  SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default by `parameters`" },
    [PERIOD] = { "period", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "steps q between gradients; by `parameters`" },
    [BATCH]  = { "batch",  SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "records b of a difference; default all "
                                                                      "(balanced: what `work` allows)" },
    [SUBSAMPLE] = { "subsample", SP_FLAG, false, { 0, 1 }, "b is the theorem's, not all records" },
    [ETA]    = { "eta",    SP_REAL,  SP_DERIVED, SP_POSITIVE,    "step size; default 1 / (2 beta)" },
    [SPLIT]  = { "split",  SP_REAL,  SP_DERIVED, { 0.01, 0.99 }, "share theta of the budget for gradients; default 1/2 "
                                                                 "(balanced: by the bound)" },
    [SCALE]  = { "scale",  SP_REAL,  1,          SP_POSITIVE,    "theory, theory_capped: multiplies T" },
    [WORK]   = { "work",   SP_REAL,  1,          { 1, DBL_MAX }, "balanced: at most so many times the evaluations of "
                                                                 "dp_gd at its own T; 1e9: any" },
    [MAX_GRADIENTS] = { "max_gradients", SP_REAL, 1e9, { 1, DBL_MAX }, "theory_capped: at most so many evaluations" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 }, "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

/* Of the noise on subsets: above this multiplier it is at most 1.06 times that of all records. */
static const double least_multiplier = 4.0;

typedef struct schedule {
    double steps, period, split, batch, eta;
} schedule;

/* What a schedule is derived from. */
typedef struct setting {
    const sp_constants *c;
    double a, rho; /* k = 1 in a */
    bool steps, period, split, batch; /* is it given? */
} setting;

/* K; the other steps release differences. */
static double gradients(const schedule *s)
{
    return ceil(s->steps / s->period);
}

static double cost(const sp_constants *c, const schedule *s)
{
    return gradients(s) * (double)c->n + 2.0 * s->batch * (s->steps - gradients(s));
}

/* m2 / k */
static double multiplier_of(const setting *g, const schedule *s)
{
    const double differences = s->steps - gradients(s);
    return s->batch / (double)g->c->n * sqrt(differences / (2.0 * (1.0 - s->split) * g->rho));
}

/* t2 when so many differences are released. */
static double growth(const sp_constants *c, double a, const schedule *s, double differences)
{
    const double sampling = s->batch < (double)c->n ? 1.0 / s->batch : 0.0;
    return c->beta_data * c->beta_data * (a * a * differences / (1.0 - s->split) + sampling);
}

static double bound(const sp_constants *c, double a, const schedule *s)
{
    const double eta = s->eta, q = s->period, fresh = gradients(s), differences = s->steps - fresh;
    const double t1 = c->L_data * c->L_data * a * a * fresh / (differences > 0.0 ? s->split : 1.0);
    const double t2 = differences > 0.0 ? growth(c, a, s, differences) : 0.0;
    const double A = eta / 2.0 - c->beta * eta * eta / 2.0 - eta * eta * eta * t2 * q / 2.0;
    if (!(A > 0.0))
        return INFINITY;
    return sqrt(2.0 * c->gap / (s->steps * A) * (1.0 + t2 * eta * eta * q)
                + (eta / A + 2.0 + t2 * eta * eta * eta * q / A) * t1);
}

static double theory_period(const setting *g, const schedule *s)
{
    return fmax(1.0, floor(fmin(s->steps, 1.0 / (8.0 * s->eta * s->eta * growth(g->c, g->a, s, s->steps)))));
}

/* Lowers steps until they cost at most `most`, the period following unless it is given. */
static schedule cap(const setting *g, double most, schedule s)
{
    double low = 1.0, high = s.steps;
    for (double middle = high; low < high; middle = ceil((low + high) / 2.0)) {
        s.steps = middle;
        if (!g->period)
            s.period = theory_period(g, &s);
        if (cost(g->c, &s) <= most)
            low = middle;
        else
            high = middle - 1.0;
    }
    s.steps = low;
    if (!g->period)
        s.period = theory_period(g, &s);
    return s;
}

/* The next point of a grid of ratio 1.1 over whole numbers. */
static double next(double x)
{
    return fmax(x + 1.0, floor(1.1 * x));
}

/* Makes the batch as large as a cost of `most` allows; false: there is none that serves. */
static bool afford(const setting *g, double most, schedule *s)
{
    const double n = (double)g->c->n, fresh = gradients(s), differences = s->steps - fresh;
    if (!g->batch)
        s->batch = differences > 0.0 ? fmin(floor((most - fresh * n) / (2.0 * differences)), n) : n;
    return cost(g->c, s) <= most && (g->batch || s->batch == n || multiplier_of(g, s) >= least_multiplier);
}

/* What is not given is the best of a grid of schedules that cost at most `most`, where one has a smaller bound than
 * `start`. */
static schedule balance(const setting *g, double most, schedule start)
{
    const double last = g->steps ? start.steps : fmin(4.0 / (g->a * g->a), SP_STEPS_MAX); /* noise alone rules beyond */
    double smallest = bound(g->c, g->a, &start);
    schedule best = start, at = start;
    for (at.steps = g->steps ? start.steps : 1.0; at.steps <= last; at.steps = next(at.steps))
        for (at.period = g->period ? start.period : 1.0; at.period <= (g->period ? start.period : at.steps);
             at.period = next(at.period))
            for (int i = 1; i < 20; i++) {
                at.split = g->split ? start.split : i / 20.0;
                if (!afford(g, most, &at))
                    continue;
                const double value = bound(g->c, g->a, &at);
                if (value < smallest) {
                    smallest = value;
                    best = at;
                }
            }
    return best;
}

static sp_status resolve(sp_oracle *o, const sp_values *v, setting *g, schedule *s)
{
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, mu = sp_budget_of(o)->mu, energy = c->gap * c->beta;
    const double a = 2.0 * sqrt((double)c->d) / (n * mu);
    const double exact = sp_real(v, SCALE) * fmax(sp_pow(energy / (c->L_data * c->L_data), 1.0 / 3.0) *
                                                  sp_pow(a, -4.0 / 3.0), 1.0 / a);
    const size_t parameters = sp_choice(v, PARAMETERS);
    const bool bounded = parameters != THEORY && isfinite(exact);
    const sp_provenance from = parameters == BALANCED ? SP_FROM_BALANCE : SP_FROM_THEORY;
    size_t steps = sp_count(v, STEPS);
    schedule wanted; /* without a bound on its cost */
    sp_status status = SP_OK;

    *g = (setting){ .c = c, .a = a, .rho = sp_budget_of(o)->rho, .steps = sp_given(v, STEPS),
                    .period = sp_given(v, PERIOD), .split = sp_given(v, SPLIT),
                    .batch = sp_given(v, BATCH) || sp_flag(v, SUBSAMPLE) || !sp_subsets_count(o) };
    s->eta = sp_given(v, ETA) ? sp_real(v, ETA) : 1.0 / (2.0 * c->beta);
    s->batch = sp_given(v, BATCH) ? (double)sp_count(v, BATCH) : n;
    if (sp_flag(v, SUBSAMPLE) && !sp_given(v, BATCH))
        s->batch = fmin(n, ceil(fmax(sp_pow(c->L_data / (sqrt(energy) * a), 2.0 / 3.0),
                                     n * sp_pow(c->L_data * a * a / sqrt(energy), 1.0 / 3.0))));
    if (!g->steps)
        SP_TRY(sp_derive_steps(o, bounded ? fmin(exact, SP_STEPS_MAX) : exact, &steps));
    s->steps = (double)steps;
    s->split = g->split ? sp_real(v, SPLIT) : 0.5;
    s->period = g->period ? (double)sp_count(v, PERIOD) : theory_period(g, s);
    wanted = *s;
    if (parameters == THEORY_CAPPED && !g->steps) {
        wanted.steps = fmax(ceil(exact), 1.0);
        wanted.period = g->period ? s->period : theory_period(g, &wanted);
        *s = cap(g, sp_real(v, MAX_GRADIENTS), *s);
    }
    if (parameters == BALANCED) {
        const double most = sp_real(v, WORK) * n * fmax(ceil(sp_descent_steps(c, g->rho)), 1.0);
        wanted = balance(g, INFINITY, *s);
        *s = g->steps || cost(c, &wanted) <= most ? wanted : balance(g, most, cap(g, most, *s));
        if (!g->steps)
            sp_resolved(o, "work", sp_real(v, WORK), sp_given(v, WORK) ? SP_FROM_USER : SP_FROM_BALANCE);
    }

    sp_capped(o, "steps", s->steps, wanted.steps, g->steps ? SP_FROM_USER : from);
    sp_capped(o, "period", s->period, wanted.period, g->period ? SP_FROM_USER : from);
    sp_capped(o, "split", s->split, wanted.split, g->split ? SP_FROM_USER : from);
    sp_capped(o, "batch", s->batch, wanted.batch, sp_given(v, BATCH) ? SP_FROM_USER : g->batch ? SP_FROM_THEORY : from);
    sp_resolved(o, "eta", s->eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
cleanup:
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const int d = (int)sp_dimension(o);
    double *estimate = sp_alloc_doubles(sp_dimension(o)), *change = sp_alloc_doubles(sp_dimension(o));
    double *previous = sp_alloc_doubles(sp_dimension(o)), multiplier[2] = { 0.0, 0.0 };
    sp_output output = { 0 };
    setting g;
    schedule s;
    sp_batch all, part;

    if (!estimate || !change || !previous)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient estimate"));
    SP_TRY(resolve(o, v, &g, &s));
    const size_t steps = (size_t)s.steps, period = (size_t)s.period, fresh = (size_t)gradients(&s);
    const sp_sample sample = s.batch == (double)sp_records(o) ? sp_full() : sp_subset((size_t)s.batch);
    const sp_release_plan plan[] = {
        { .kind = SP_GRADIENT, .sample = sp_full(), .count = fresh, .share = s.split },
        { .kind = SP_DIFFERENCE, .sample = sample, .count = steps - fresh, .share = 1.0 - s.split },
    };
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));
    SP_TRY(sp_calibrate(o, plan, 2, multiplier));
    const bool subsets = sample.kind == SP_SAMPLE_SUBSET && multiplier[1] > 0.0;
    const double k = subsets ? multiplier[1] / multiplier_of(&g, &s) : 1.0;
    const double expected = bound(g.c, k * g.a, &s);
    if (!isfinite(expected) && !g.steps && !g.period)
        sp_warn_of(o, SP_WARNED_NO_BOUND,
                   "no bound: with a batch of %.0f the noise of differences grows too large", s.batch);
    sp_predict(o, (sp_output_rule)sp_choice(v, SELECT), expected, sp_gradient_at_start(g.c));
    SP_TRY(sp_draw(o, sp_full(), &all));

    for (size_t t = 0; t < steps; t++) {
        if (t % period == 0) {
            SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier[0], estimate));
        } else {
            SP_TRY(sp_draw(o, sample, &part));
            SP_TRY(sp_gradient(o, &SP_BETWEEN(part, w, previous), multiplier[1], change));
            cblas_daxpy(d, 1.0, change, 1, estimate, 1);
        }
        SP_TRY(sp_output_offer(&output, w, estimate));
        cblas_dcopy(d, w, 1, previous, 1);
        cblas_daxpy(d, -s.eta, estimate, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t + 1, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(previous);
    free(change);
    free(estimate);
    return status;
}

const sp_algorithm sp_algorithm_dp_spider = {
    .name = "dp_spider",
    .summary = "private SpiderBoost: noisy gradients and noisy gradient differences",
    .when = "a small mean gradient of a smooth loss, from some 10^4 records on: below, dp_gd does as well",
    .source = "Arora et al. 2023, Alg. 2; Lowy, Ullman & Wright 2024",
    .releases = "ceil(T/q) gradients of all records, sensitivity 2 L_data / n; in the other steps a gradient "
                "difference, sensitivity 2 min(beta_data ||w - w'||, 2 L_data) / b",
    .uses = "parts/fits parts/output parts/theory",
    .params = params,
    .fits = sp_gap_fits,
    .run = run,
};
