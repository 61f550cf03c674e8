/* unit/algorithms.c -- parameters against the reference point of the specification (n = 1e4, d = 10, epsilon = 1,
 * delta = 1e-8, every constant 1) and iterates against plain gradient descent.
 *
 * Reference numbers: an independent NumPy computation. There the exact Gaussian budget is mu = 0.196066560213954,
 * rho = mu^2/2 = 0.0192210480170661; `balanced` is minimised over a grid four times as fine, by brute force. */
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>

static const double rho = 0.0192210480170661;
static const double n = 1e4, d = 10.0;
static trial_problem reference, small; /* `small`: 40 records, 3 dimensions, true constants */

static const sp_algorithm *named(const char *name)
{
    return sp_algorithm_find(name);
}

/* Parameters are resolved before the first release: stop at checkpoint `fail_at`. */
static trial_run resolve(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy,
                         size_t fail_at)
{
    trial_run run = { .seed = 3, .fail_at = fail_at };
    const sp_values values = trial_values(named(name), settings);
    trial_go(named(name), &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == (fail_at ? SP_EINTERRUPTED : SP_OK), "%s %s: %s %s", name, settings,
                    sp_status_name(run.status), run.message);
    return run;
}

static trial_run at_reference(const char *name, const char *settings, size_t fail_at)
{
    return resolve(name, settings, &reference, trial_private(1.0, 1e-8), fail_at);
}

static double noise_std(const trial_run *run, size_t entry, double sensitivity)
{
    return entry < run->ledger.count ? run->ledger.entry[entry].noise_multiplier * sensitivity : NAN;
}

static void test_dp_gd(void)
{
    trial_run run = at_reference("dp_gd", "select=uniform", 0);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 439); /* 438.42 rounded up */
    CHECK_EQUAL(trial_resolved(&run, "eta"), 1);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.0955182, 1e-7);
    CHECK_EQUAL(run.ledger.count, 1);
    CHECK_EQUAL(run.ledger.entry[0].count, 439);
    CHECK_NEAR(noise_std(&run, 0, 2.0 / n), sqrt(2.0 * 439.0 / (n * n * rho)), 1e-8);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6); /* nothing is left over */
    CHECK_TEXT(run.warning, "");
    trial_end(&run);

    /* any eta: the descent lemma, written out for eta = 1/2: (gap/T + noise/8) / (3/8) */
    run = at_reference("dp_gd", "eta=0.5 steps=200 select=uniform", 1);
    CHECK_NEAR(trial_resolved(&run, "bound"), sqrt((1.0 / 200.0 + d * 400.0 / (n * n * rho) / 8.0) * 8.0 / 3.0), 1e-9);
    trial_end(&run);
    run = at_reference("dp_gd", "eta=2.5 steps=200 select=uniform", 1); /* no theorem */
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    run = at_reference("dp_gd", "", 1); /* the theorem speaks of a uniform iterate, not of the smallest release */
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
}

static void test_dp_sgd(void)
{
    trial_run run = at_reference("dp_sgd", "parameters=theory batch=10000", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 542869); /* 542868.1 rounded up */
    trial_end(&run);
    run = at_reference("dp_sgd", "batch=10000 epochs=1000000", 1);
    CHECK_NEAR(trial_resolved(&run, "steps"), 96106, 1.0); /* T* = 96105.2 */
    trial_end(&run);
    run = at_reference("dp_sgd", "batch=10000 epochs=37.3", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 38);
    trial_end(&run);

    run = at_reference("dp_sgd", "batch=10000 steps=5000", 1);
    CHECK_NEAR(run.risk_bound, 0.0145053528, 1e-9);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.0145053528, 1e-7); /* at the calibrated noise */
    CHECK_NEAR(trial_resolved(&run, "eta"), 0.0137880135, 1e-7);
    trial_end(&run);
    run = at_reference("dp_sgd", "batch=10000 steps=5000 eta=0.02", 1); /* (1/(eta T) + eta G)/2 */
    CHECK_NEAR(run.risk_bound, 0.5 * (1.0 / 100.0 + 0.02 * (1.0 + d * 1e4 / (n * n * rho))), 1e-9);
    trial_end(&run);

    /* subsets, b = 100, T = 5000: 4.216 by the Renyi curves of the specification; 4.0055 by a plain numerical
     * convolution of C_q (NumPy, cells of 1e-5: epsilon 0.99991 there) */
    run = at_reference("dp_sgd", "batch=100 steps=5000", 1);
    CHECK_NEAR(run.ledger.entry[0].noise_multiplier, 4.0055, 5e-4);
    CHECK_NEAR(run.ledger.entry[0].rate, 0.01, 1e-15);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.0146, 5e-5);
    CHECK(run.risk_bound == INFINITY);
    trial_end(&run);
    run = at_reference("dp_sgd", "", 1); /* 20 epochs of sqrt(n) records */
    CHECK_EQUAL(trial_resolved(&run, "batch"), 100);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 2000);
    trial_end(&run);

    /* the printed noise: 1000 L^2/d = (10 L)^2 at the printed T */
    sp_privacy paper = trial_private(1.0, 1e-8);
    paper.calibration = SP_CALIBRATE_PAPER;
    run = resolve("dp_sgd", "parameters=theory batch=7", &reference, paper, 1);
    CHECK_NEAR(noise_std(&run, 0, 2.0 / 7.0), 10.0, 1e-5);
    trial_end(&run);

    /* not known to be quasar-convex: min(1/beta, sqrt(2 gap / (beta (L^2/b + d noise_std^2) T))) */
    reference.problem.declared.quasar = 0.0;
    reference.problem.declared.convex = false;
    run = at_reference("dp_sgd", "batch=10000 steps=5000", 1);
    CHECK_NEAR(trial_resolved(&run, "eta"), sqrt(2.0 / ((1e-4 + d * 1e4 / (n * n * rho)) * 5000.0)), 1e-7);
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    reference.problem.declared.beta = INFINITY;
    run = (trial_run){ 0 };
    const sp_values values = trial_values(named("dp_sgd"), "");
    trial_go(named("dp_sgd"), &values, &reference, trial_private(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "eta must be given");
    trial_end(&run);
    reference.problem.declared.beta = reference.problem.declared.quasar = 1.0;
}

static void test_dp_spider(void)
{
    trial_run run = at_reference("dp_spider", "parameters=theory", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 2099);
    CHECK_EQUAL(trial_resolved(&run, "period"), 11);
    CHECK_EQUAL(trial_resolved(&run, "batch"), 10000);
    CHECK_NEAR(trial_resolved(&run, "eta"), 0.5, 0.0);
    trial_end(&run);
    run = at_reference("dp_spider", "parameters=theory scale=2", 1);
    CHECK_NEAR(trial_resolved(&run, "steps"), 2 * 2099, 1.0);
    CHECK_EQUAL(trial_resolved(&run, "period"), 5); /* 1/(4 T a^2) at twice the T */
    trial_end(&run);
    run = at_reference("dp_spider", "parameters=theory subsample=true", 1);
    CHECK_EQUAL(trial_resolved(&run, "batch"), 219);
    CHECK_EQUAL(trial_resolved(&run, "period"), 10);
    trial_end(&run);

    /* the noise of the printed schedule, as the specification gives it: 0.0131 and 0.117 (82 gradients) */
    run = at_reference("dp_spider", "parameters=theory steps=6655 period=82 split=0.5", 2);
    CHECK_NEAR(noise_std(&run, 0, 2.0 / n), sqrt(2.0 * 82.0 / (n * n * 0.5 * rho)), 1e-7);
    CHECK_NEAR(noise_std(&run, 0, 2.0 / n), 0.0131, 5e-5);
    CHECK_NEAR(noise_std(&run, 1, 2.0 / n), 0.117, 5e-4);
    trial_end(&run);

    /* K = ceil(41/7) = 6 gradients, 35 differences; the budget is used up */
    run = at_reference("dp_spider", "steps=41 period=7 split=0.3", 0);
    CHECK_EQUAL(run.cost.releases, 41);
    CHECK_NEAR(run.cost.gradients, 6.0 * n, 0.0);
    CHECK_NEAR(noise_std(&run, 0, 1.0), sqrt(6.0 / (2.0 * 0.3 * rho)), 1e-4);
    CHECK_NEAR(noise_std(&run, 1, 1.0), sqrt(35.0 / (2.0 * 0.7 * rho)), 1e-4);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);
    run = at_reference("dp_spider", "steps=41 period=1", 0); /* gradients alone take all of it */
    CHECK_NEAR(noise_std(&run, 0, 1.0), sqrt(41.0 / (2.0 * rho)), 1e-4);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);

    /* balanced: brute force finds 0.171073 at T = 1116, q = 18; the minimum is flat, its value is what counts */
    run = at_reference("dp_spider", "work=6", 1);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.171073, 0.003 * 0.171073);
    CHECK_NEAR(trial_resolved(&run, "steps"), 1116, 150);
    CHECK_NEAR(trial_resolved(&run, "period"), 18, 4);
    trial_end(&run);
    run = at_reference("dp_spider", "steps=1500", 1); /* what is given stays */
    CHECK_EQUAL(trial_resolved(&run, "steps"), 1500);
    CHECK(trial_resolved(&run, "bound") > 0.171073);
    trial_end(&run);

    run = at_reference("dp_spider", "work=2 steps=1500", 1); /* nor is its cost a question then */
    CHECK_EQUAL(trial_resolved(&run, "batch"), 10000);
    CHECK(isnan(trial_resolved(&run, "work")));
    trial_end(&run);

    /* so small a batch that the accountant's noise leaves no bound */
    run = resolve("dp_spider", "batch=1 eta=0.1", &reference, trial_private(8.0, 1e-6), 1);
    CHECK(isnan(trial_resolved(&run, "bound")));
    CHECK_CONTAINS(run.warning, "no bound: with a batch of 1 the noise of differences grows too large");
    trial_end(&run);

    /* capped: within the cap, by less than a step's worth above what one more step would cost */
    run = at_reference("dp_spider", "parameters=theory_capped max_gradients=12345678", 0);
    const double T = trial_resolved(&run, "steps"), K = ceil(T / trial_resolved(&run, "period"));
    CHECK_LESS_EQUAL(K * n + 2.0 * (T - K) * n, 12345678);
    CHECK_LESS_EQUAL(12345678 - 4.0 * n, K * n + 2.0 * (T - K) * n);
    CHECK(T < 2099.0);
    trial_end(&run);
    run = at_reference("dp_spider", "parameters=theory_capped", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 2099);
    trial_end(&run);
}

static const sp_resolved_value *resolved(const trial_run *run, const char *key)
{
    static const sp_resolved_value none = { .value = NAN, .wanted = NAN };
    for (size_t i = 0; i < run->resolved_count; i++)
        if (strcmp(run->resolved[i].key, key) == 0)
            return &run->resolved[i];
    return &none;
}

/* `balanced` within its work, by an independent search in Python over the same grid; `wanted` 0: not cut. Bounds with
 * the noise that the accountant asks for on subsets: its factors there are 1.00419, 1.00073, 1.01401. */
static void test_dp_spider_work(void)
{
    static const struct {
        const char *settings;
        double steps, period, split, batch, bound, wanted_steps, wanted_period, wanted_split, wanted_batch;
    } rows[] = {
        { "", 1175, 19, 0.5, 1693, 0.17244638702, 0, 0, 0, 10000 },
        { "work=3", 1175, 19, 0.5, 5637, 0.17150064569, 0, 0, 0, 10000 },
        { "work=5.21", 1175, 19, 0.5, 9996, 0, 0, 0, 0, 10000 },
        { "work=5.22", 1175, 19, 0.5, 10000, 0.17118685483, 0, 0, 0, 0 },
        { "batch=10000", 414, 1, 0.05, 10000, 0.25395670608, 1175, 19, 0.5, 0 },
        { "batch=500", 1175, 16, 0.55, 500, 0.17524670902, 0, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trial_run run = at_reference("dp_spider", rows[i].settings, 1);
        const struct { const char *key; double value, wanted; } expected[] = {
            { "steps", rows[i].steps, rows[i].wanted_steps }, { "period", rows[i].period, rows[i].wanted_period },
            { "split", rows[i].split, rows[i].wanted_split }, { "batch", rows[i].batch, rows[i].wanted_batch },
        };
        for (size_t k = 0; k < 4; k++) {
            const sp_resolved_value *found = resolved(&run, expected[k].key);
            const bool given = k == 3 && strncmp(rows[i].settings, "batch", 5) == 0, cut = expected[k].wanted > 0.0;
            SP_CHECK_REPORT(fabs(found->value - expected[k].value) <= 1e-12, "%s: %s = %.17g", rows[i].settings,
                            expected[k].key, found->value);
            SP_CHECK_REPORT(found->from == (given ? SP_FROM_USER : cut ? SP_FROM_CAP : SP_FROM_BALANCE),
                            "%s: %s comes from %d", rows[i].settings, expected[k].key, (int)found->from);
            SP_CHECK_REPORT(cut ? fabs(found->wanted - expected[k].wanted) <= 1e-12 : isnan(found->wanted),
                            "%s: %s was %.17g", rows[i].settings, expected[k].key, found->wanted);
        }
        if (rows[i].bound > 0.0)
            CHECK_NEAR(trial_resolved(&run, "bound"), rows[i].bound, 1e-7);
        CHECK_EQUAL(trial_resolved(&run, "work"), i == 1 ? 3.0 : i == 2 ? 5.21 : i == 3 ? 5.22 : 1.0);
        trial_end(&run);
    }
    /* a whole run: what is released, what it costs, and that all of the budget pays for it */
    trial_run run = at_reference("dp_spider", "", 0);
    CHECK_EQUAL(run.cost.gradients, 62.0 * n);
    CHECK_EQUAL(run.cost.differences, 1113.0 * 1693.0);
    CHECK_EQUAL(run.ledger.count, 2);
    CHECK_EQUAL(run.ledger.entry[1].count, 1113);
    CHECK_NEAR(run.ledger.entry[1].rate, 0.1693, 1e-15);
    CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
    CHECK_LESS_EQUAL(1.0 - 1e-4, run.spent.best);
    trial_end(&run);
}

/* Whatever the constants, the schedule costs at most `work` times what dp_gd does, and its subsets keep their noise. */
static void test_dp_spider_cost(void)
{
    static const double scale[] = { 0.03, 1.0, 40.0 }, epsilon[] = { 0.01, 1.0, 8.0 }, works[] = { 1.0, 1.7, 30.0 };
    const sp_constants ones = reference.problem.declared;
    sp_constants *c = &reference.problem.declared;
    for (size_t i = 0; i < 27; i++) {
        const double work = works[(i + i / 3) % 3];
        char settings[64];
        c->gap = scale[i % 3];
        c->beta = c->beta_data = scale[i / 3 % 3];
        c->L_data = c->L = scale[i / 9 % 3];
        snprintf(settings, sizeof settings, "work=%g%s", work, i % 2 ? "" : " eta=0.2");
        const sp_privacy privacy = trial_private(epsilon[(i + i / 9) % 3], 1e-8);
        trial_run plain = resolve("dp_gd", "", &reference, privacy, 1);
        trial_run run = resolve("dp_spider", settings, &reference, privacy, 1);
        const double T = trial_resolved(&run, "steps"), b = trial_resolved(&run, "batch");
        const double K = ceil(T / trial_resolved(&run, "period"));
        CHECK_LESS_EQUAL(K * n + 2.0 * b * (T - K), work * n * trial_resolved(&plain, "steps"));
        CHECK(b == n || run.ledger.count < 2 || run.ledger.entry[1].noise_multiplier >= 4.0);
        trial_end(&plain);
        trial_end(&run);
    }
    *c = ones;
}

/* No cap on a theorem: what cannot be run is refused, with its number. */
static void test_dp_spider_uncapped(void)
{
    sp_constants *c = &reference.problem.declared;
    c->gap = 1e20; /* T = 2098.5 gap^(1/3) */
    trial_run run = { 0 };
    const sp_values values = trial_values(named("dp_spider"), "parameters=theory");
    trial_go(named("dp_spider"), &values, &reference, trial_private(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "steps must be given: by default there are 9.7");
    CHECK_CONTAINS(run.message, "e+09, above 1e+09");
    trial_end(&run);
    run = at_reference("dp_spider", "parameters=theory_capped", 1);
    CHECK(resolved(&run, "steps")->from == SP_FROM_CAP);
    CHECK_NEAR(resolved(&run, "steps")->wanted, 9.74e9, 0.01e9);
    trial_end(&run);
    c->gap = 1.0;
    run = at_reference("dp_sgd", "", 1); /* 20 epochs, not T* = 96105.2 */
    CHECK_EQUAL(resolved(&run, "steps")->wanted, 96106);
    trial_end(&run);
}

/* The same formulas where no two constants are equal; reference numbers as above. */
static void test_units(void)
{
    const sp_constants ones = reference.problem.declared;
    sp_constants *c = &reference.problem.declared;
    c->L_data = 1.3, c->L = 2.1, c->beta_data = 0.7, c->beta = 1.9, c->gap = 2.385, c->distance = 0.8, c->quasar = 0.6;

    trial_run run = at_reference("dp_gd", "select=uniform", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 718);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.15889780719, 1e-9);
    trial_end(&run);
    run = at_reference("dp_sgd", "batch=10000 steps=4000", 1);
    CHECK_NEAR(trial_resolved(&run, "eta"), 0.005975916582, 1e-9);
    CHECK_NEAR(run.risk_bound, 0.044623559083, 1e-10);
    trial_end(&run);
    c->quasar = 0.0;
    run = at_reference("dp_sgd", "batch=10000 steps=4000", 1);
    CHECK_NEAR(trial_resolved(&run, "eta"), 0.094347735416, 1e-8);
    trial_end(&run);

    run = at_reference("dp_spider", "parameters=theory", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 2915);
    CHECK_EQUAL(trial_resolved(&run, "period"), 60);
    trial_end(&run);
    run = at_reference("dp_spider", "parameters=theory subsample=true", 1);
    CHECK_EQUAL(trial_resolved(&run, "batch"), 186);
    CHECK_EQUAL(trial_resolved(&run, "period"), 55);
    trial_end(&run);
    run = at_reference("dp_spider", "steps=900 period=13 split=0.4", 1);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.317515295414, 1e-10);
    trial_end(&run);
    run = at_reference("dp_spider", "steps=900 period=13 split=0.4 eta=0.2", 1);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.320133254619, 1e-10);
    trial_end(&run);
    run = at_reference("dp_spider", "steps=900 period=13 split=0.4 batch=500", 1);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.3195364952, 1e-7); /* 1.02485 times the noise of all records */
    trial_end(&run);
    run = at_reference("dp_spider", "work=9", 1);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.222786624, 0.003 * 0.222786624);
    trial_end(&run);
    run = at_reference("dp_spider", "", 1); /* as in test_dp_spider_work */
    CHECK_EQUAL(trial_resolved(&run, "steps"), 3041);
    CHECK_EQUAL(trial_resolved(&run, "batch"), 1102);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.22404103101, 1e-7);
    trial_end(&run);
    reference.problem.declared = ones;
}

/* Where a number came from is stored beside it. */
static void test_provenance(void)
{
    static const struct {
        const char *name, *settings, *key;
        sp_provenance from;
    } rows[] = {
        { "gd", "steps=3", "eta", SP_FROM_THEORY },
        { "gd", "steps=3 eta=0.2385", "eta", SP_FROM_USER },
        { "dp_gd", "", "steps", SP_FROM_BALANCE },
        { "dp_gd", "steps=3", "steps", SP_FROM_USER },
        { "dp_sgd", "", "steps", SP_FROM_CAP },
        { "dp_sgd", "batch=10000 epochs=1000000", "steps", SP_FROM_THEORY },
        { "dp_sgd", "batch=10000 parameters=theory", "steps", SP_FROM_THEORY },
        { "dp_sgd", "batch=10000 steps=3", "steps", SP_FROM_USER },
        { "dp_sgd", "batch=10000", "batch", SP_FROM_USER },
        { "dp_spider", "", "steps", SP_FROM_BALANCE },
        { "dp_spider", "", "period", SP_FROM_BALANCE },
        { "dp_spider", "steps=30 period=7", "period", SP_FROM_USER },
        { "dp_spider", "parameters=theory", "steps", SP_FROM_THEORY },
        { "dp_spider", "parameters=theory_capped", "steps", SP_FROM_THEORY },
        { "dp_spider", "parameters=theory_capped max_gradients=1234567", "steps", SP_FROM_CAP },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trial_run run = resolve(rows[i].name, rows[i].settings, &reference,
                                i < 2 ? trial_not_private() : trial_private(1.0, 1e-8), 1);
        bool found = false;
        for (size_t k = 0; k < run.resolved_count; k++)
            if (strcmp(run.resolved[k].key, rows[i].key) == 0) {
                found = true;
                SP_CHECK_REPORT(run.resolved[k].from == rows[i].from, "%s %s: %s comes from %d", rows[i].name,
                                rows[i].settings, rows[i].key, (int)run.resolved[k].from);
            }
        CHECK(found);
        trial_end(&run);
    }
}

/* --- iterates ---------------------------------------------------------------------------------------------- */

enum { STEPS = 12 };
typedef struct path {
    double w[STEPS + 1][TRIAL_DIMENSION];
} path;

static void record(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    if (step <= STEPS)
        memcpy(p->w[step], w, small.data.d * sizeof *w);
}

static trial_run follow(const char *name, const char *settings, sp_privacy privacy, uint64_t seed, path *p)
{
    trial_run run = { .seed = seed, .watch = record, .context = p };
    const sp_values values = trial_values(named(name), settings);
    memcpy(p->w[0], small.problem.start, small.data.d * sizeof *p->w[0]);
    trial_go(named(name), &values, &small, privacy, &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s %s: %s", name, settings, run.message);
    CHECK_EQUAL(run.checkpoints, STEPS);
    trial_end(&run);
    return run;
}

static bool same(const double *a, const double *b)
{
    return memcmp(a, b, small.data.d * sizeof *a) == 0;
}

/* Without noise and with all records every method here is gradient descent: an independent loop over the gradient. */
static void test_descent(void)
{
    static const char *const methods[] = { "gd", "dp_gd", "dp_sgd", "dp_spider" };
    sp_workspace *scratch = sp_workspace_new(&small.problem);
    double w[TRIAL_DIMENSION] = { 0.0 }, g[TRIAL_DIMENSION];
    for (size_t t = 0; t < STEPS; t++) {
        sp_problem_gradient(&small.problem, scratch, w, g);
        for (size_t j = 0; j < small.data.d; j++)
            w[j] -= 0.2385 * g[j];
    }
    sp_workspace_free(scratch);
    for (size_t m = 0; m < 4; m++) {
        path p;
        const sp_privacy privacy = m == 0 ? trial_not_private() : trial_noise_off(1.0, 1e-6);
        const trial_run run = follow(methods[m], "steps=12 eta=0.2385 batch=40 period=5 select=last", privacy, 1, &p);
        for (size_t j = 0; j < small.data.d; j++)
            CHECK_NEAR(run.w[j], w[j], 1e-14);
        CHECK(same(run.w, p.w[STEPS]));
    }
}

static void test_outputs(void)
{
    static const char *const methods[] = { "dp_gd", "dp_sgd", "dp_spider" };
    for (size_t m = 0; m < 3; m++) {
        const sp_privacy privacy = trial_noise_off(1.0, 1e-6);
        path p;
        trial_run run = follow(methods[m], "steps=12 eta=0.2385 batch=40 select=average", privacy, 1, &p);
        for (size_t j = 0; j < small.data.d; j++) {
            double sum = 0.0;
            for (size_t t = 0; t < STEPS; t++)
                sum += p.w[t][j];
            CHECK_NEAR(run.w[j], sum / STEPS, 1e-14);
        }
        /* exact gradients shrink along the way, and overshoot when eta is just below 2/beta of a stiff direction:
         * the smallest release is that of the last candidate */
        run = follow(methods[m], "steps=12 eta=0.2385 batch=40 select=min_release", privacy, 1, &p);
        CHECK(same(run.w, p.w[STEPS - 1]));

        size_t hits[STEPS + 1] = { 0 };
        for (uint64_t seed = 0; seed < 600; seed++) {
            run = follow(methods[m], "steps=12 eta=0.2385 batch=40 select=uniform", privacy, seed, &p);
            for (size_t t = 0; t <= STEPS; t++)
                hits[t] += same(run.w, p.w[t]);
        }
        double chi_square = 0.0; /* 11 degrees of freedom: above 31.3 with probability 1e-3; the seeds are fixed */
        for (size_t t = 0; t < STEPS; t++)
            chi_square += ((double)hits[t] - 50.0) * ((double)hits[t] - 50.0) / 50.0;
        CHECK_LESS_EQUAL(chi_square, 31.3);
        CHECK_EQUAL(hits[STEPS], 0); /* no gradient was released there */
    }
    /* under noise: of the recorded candidates the one whose step was shortest, for w_{t+1} - w_t = -eta release */
    path p;
    const trial_run run = follow("dp_gd", "steps=12 eta=0.2385", trial_private(8.0, 1e-3), 5, &p);
    size_t shortest = 0;
    double length[STEPS];
    for (size_t t = 0; t < STEPS; t++) {
        double step[TRIAL_DIMENSION];
        for (size_t j = 0; j < small.data.d; j++)
            step[j] = p.w[t + 1][j] - p.w[t][j];
        length[t] = cblas_dnrm2((int)small.data.d, step, 1);
        if (length[t] < length[shortest])
            shortest = t;
    }
    CHECK(same(run.w, p.w[shortest]));
}

static void test_words(void)
{
    static const char *const methods[] = { "dp_gd", "dp_sgd", "dp_spider" };
    static const char *const settings[] = { "", "parameters=theory", "" };
    small.problem.declared.quasar = 1.0; /* for dp_sgd's bound */
    for (size_t m = 0; m < 3; m++) { /* nothing says when to stop */
        trial_run run = { .seed = 1 };
        const sp_values values = trial_values(named(methods[m]), settings[m]);
        trial_go(named(methods[m]), &values, &small, trial_not_private(), &run);
        CHECK_EQUAL(run.status, SP_EINVAL);
        CHECK_CONTAINS(run.message, "steps must be given");
        trial_end(&run);
        run = resolve(methods[m], "batch=40 steps=3 eta=0.001", &small, trial_private(0.1, 1e-8), 0);
        CHECK_CONTAINS(run.warning, "vacuous");
        trial_end(&run);
    }
    small.problem.declared.quasar = small.problem.certified.quasar;
    sp_constants c = small.problem.declared;
    for (size_t m = 0; m < 3; m++)
        CHECK(named(methods[m])->fits(&c) == NULL);
    c.beta = INFINITY;
    CHECK_CONTAINS(named("gd")->fits(&c), "smooth");
    CHECK_CONTAINS(named("dp_gd")->fits(&c), "smooth");
    CHECK_CONTAINS(named("dp_spider")->fits(&c), "smooth");
    CHECK(named("dp_sgd")->fits(&c) == NULL); /* sub-gradients will do */
    c = small.problem.declared;
    c.L_data = INFINITY;
    for (size_t m = 0; m < 3; m++)
        CHECK_CONTAINS(named(methods[m])->fits(&c), "L_data");
    c = small.problem.declared;
    c.gap = INFINITY;
    CHECK_CONTAINS(named("dp_spider")->fits(&c), "gap");
}

int main(void)
{
    if (trial_make("pseudo_huber", 10000, 10, INFINITY, false, &reference)
        && trial_make("pseudo_huber", 40, 3, INFINITY, false, &small)) {
        sp_constants *c = &reference.problem.declared;
        c->L = c->L_data = c->beta = c->beta_data = c->gap = c->distance = c->quasar = 1.0;
        test_dp_gd();
        test_dp_sgd();
        test_dp_spider();
        test_dp_spider_work();
        test_dp_spider_cost();
        test_dp_spider_uncapped();
        test_units();
        test_provenance();
        test_descent();
        test_outputs();
        test_words();
    }
    trial_drop(&reference);
    trial_drop(&small);
    return sp_check_done();
}
