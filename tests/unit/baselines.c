/* unit/baselines.c -- baselines, private and not: parameters at the reference point of the specification (n = 1e4,
 * d = 10, epsilon = 1, delta = 1e-8, every constant 1), ledgers, and iterates without noise against plain loops.
 *
 * Reference numbers: NumPy programs that share nothing with the code here; each test says what its program did. The
 * exact Gaussian budget is mu = 0.196066560213954, rho = mu^2/2. */
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>

enum { D = 3, PATH = 64 };
static const double mu = 0.196066560213954;
static const double n = 1e4, d = 10.0;
static trial_problem reference, small; /* `small`: 40 records, 3 dimensions, true constants, a start off the minimum */

/* Every point at which a run left a checkpoint, after its start. */
typedef struct path {
    size_t points;
    double w[PATH][D];
} path;

static void watch_path(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    (void)step;
    if (p->points < PATH)
        memcpy(p->w[p->points++], w, sizeof p->w[0]);
}

static trial_run go(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy, trial_run run)
{
    const sp_algorithm *a = sp_algorithm_find(name);
    run.seed = run.seed ? run.seed : 3;
    SP_CHECK_REPORT(a != NULL, "no algorithm %s", name);
    const sp_values values = trial_values(a, settings);
    trial_go(a, &values, t, privacy, &run);
    return run;
}

static trial_run succeed(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy,
                         trial_run before)
{
    const trial_run run = go(name, settings, t, privacy, before);
    SP_CHECK_REPORT(run.status == (run.fail_at ? SP_EINTERRUPTED : SP_OK), "%s %s: %s %s", name, settings,
                    sp_status_name(run.status), run.message);
    return run;
}

static trial_run at_reference(const char *name, const char *settings, size_t fail_at)
{
    return succeed(name, settings, &reference, trial_private(1.0, 1e-8), (trial_run){ .fail_at = fail_at });
}

static void refused(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy,
                    sp_status status, const char *part)
{
    trial_run run = go(name, settings, t, privacy, (trial_run){ 0 });
    CHECK_EQUAL(run.status, status);
    CHECK_CONTAINS(run.message, part);
    CHECK_EQUAL(run.cost.releases, 0);
    trial_end(&run);
}

/* An entry of the ledger, its multiplier and the only sensitivity of its releases. */
static void check_entry(const trial_run *run, size_t e, sp_ledger_kind kind, size_t count, double multiplier,
                        double sensitivity, double tolerance)
{
    CHECK(e < run->ledger.count);
    if (e >= run->ledger.count)
        return;
    const sp_entry *entry = &run->ledger.entry[e];
    CHECK_TEXT(sp_ledger_kind_name(entry->kind), sp_ledger_kind_name(kind));
    CHECK_EQUAL(entry->count, count);
    CHECK_NEAR(entry->noise_multiplier, multiplier, tolerance * multiplier);
    CHECK_NEAR(entry->sensitivity_low, sensitivity, 1e-12 * sensitivity);
    CHECK_NEAR(entry->sensitivity_high, sensitivity, 1e-12 * sensitivity);
}

static void gradient(const trial_problem *t, const double *w, double *out)
{
    sp_workspace *scratch = sp_workspace_new(&t->problem);
    sp_problem_gradient(&t->problem, scratch, w, out);
    sp_workspace_free(scratch);
}

/* --- dp_ngd, fb_sr_ngd ------------------------------------------------------------------------------------------- */

/* Bounds by a NumPy program that runs the recursion of the noise's variance in every step, and minimises the bound by
 * brute force: .137442 and .286555 with the constants (3/2, 3/4, 3) of Cutkosky & Mehta, of which (1, 1/2, 2) are 2/3;
 * .029748 and .090616 at n = 1e5. */
static void test_ngd_schedule(void)
{
    trial_run run = at_reference("dp_ngd", "", 0);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 220); /* 219.2 rounded up */
    CHECK_NEAR(trial_resolved(&run, "eta"), sqrt(2.0 / 220.0), 1e-12);
    CHECK_NEAR(1.5 * trial_resolved(&run, "bound"), 0.286555, 1e-6);
    CHECK_EQUAL(run.ledger.count, 1);
    check_entry(&run, 0, SP_LEDGER_GAUSS, 220, sqrt(220.0) / mu, 2.0 / n, 1e-9);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    CHECK_EQUAL(run.cost.gradients, 220 * 10000);
    CHECK_TEXT(run.warning, "");
    trial_end(&run);
    run = at_reference("dp_ngd", "eta=0.05", 1); /* T^(3/2) = gap / (eta A L) */
    CHECK_EQUAL(trial_resolved(&run, "steps"), ceil(pow(n * mu / (0.05 * 2.0 * sqrt(d)), 2.0 / 3.0)));
    trial_end(&run);

    run = at_reference("fb_sr_ngd", "", 0);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 2203);
    CHECK_NEAR(trial_resolved(&run, "eta"), 0.016503607748630165, 1e-9);
    CHECK_NEAR(trial_resolved(&run, "gamma"), 0.016503607748630165, 1e-9);
    CHECK_NEAR(1.5 * trial_resolved(&run, "bound"), 0.137442, 1e-6);
    CHECK_EQUAL(run.ledger.count, 2);
    const double eta = trial_resolved(&run, "eta"), c = (1.0 - eta) * eta + eta; /* L = beta = 1, gamma = eta */
    check_entry(&run, 0, SP_LEDGER_GAUSS, 1, sqrt(1.0 / 0.05) / mu, 2.0 / n, 1e-9);
    check_entry(&run, 1, SP_LEDGER_GAUSS, 2202, sqrt(2202.0 / 0.95) / mu, 2.0 * c / n, 1e-9);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    CHECK_EQUAL(run.cost.gradients, (2 * 2203 - 1) * 10000);
    CHECK_TEXT(run.warning, "");
    trial_end(&run);

    run = at_reference("fb_sr_ngd", "eta=0.05", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), ceil(36.35568714057696 / 0.05));
    CHECK_NEAR(trial_resolved(&run, "gamma"), 0.05, 1e-15);
    trial_end(&run);
    run = at_reference("fb_sr_ngd", "gamma=1", 1); /* dp_ngd: its sensitivity, and one entry */
    CHECK_EQUAL(run.ledger.count, 1);
    check_entry(&run, 0, SP_LEDGER_GAUSS, 1, sqrt(2203.0) / mu, 2.0 / n, 1e-9);
    trial_end(&run);

    /* T too dear, or given: eta minimises gap / (eta T) + eta / 2 + 2 A sqrt(2 eta T), found on a grid */
    run = at_reference("fb_sr_ngd", "max_gradients=1e7", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 500);
    const double A = 2.0 * sqrt(d) / (n * mu);
    double best = 0.0, smallest = HUGE_VAL;
    for (double e = 1e-3; e < 1.0; e *= 1.0001) {
        const double value = 1.0 / (e * 500.0) + e / 2.0 + 2.0 * A * sqrt(2.0 * e * 500.0);
        best = value < smallest ? e : best;
        smallest = fmin(smallest, value);
    }
    CHECK_NEAR(trial_resolved(&run, "eta"), best, 2e-4 * best);
    trial_end(&run);
    run = at_reference("fb_sr_ngd", "steps=500", 1);
    CHECK_NEAR(trial_resolved(&run, "eta"), best, 2e-4 * best);
    trial_end(&run);

    reference.problem.declared.n = 100000; /* bounds alone: the oracle counts its records itself */
    trial_problem large = { 0 };
    if (trial_make("pseudo_huber", 100000, 10, INFINITY, false, &large)) {
        large.problem.declared = reference.problem.declared;
        run = succeed("dp_ngd", "", &large, trial_private(1.0, 1e-8), (trial_run){ .fail_at = 1 });
        CHECK_NEAR(1.5 * trial_resolved(&run, "bound"), 0.090616, 1e-6);
        trial_end(&run);
        run = succeed("fb_sr_ngd", "", &large, trial_private(1.0, 1e-8), (trial_run){ .fail_at = 1 });
        CHECK_EQUAL(trial_resolved(&run, "steps"), 47460);
        CHECK_NEAR(1.5 * trial_resolved(&run, "bound"), 0.029748, 1e-6);
        trial_end(&run);
    }
    trial_drop(&large);
    reference.problem.declared.n = 10000;
}

/* Without noise v_t is the gradient at w_t, whatever gamma: one step each from the points that were left. */
static void test_ngd_path(void)
{
    static const char *const settings[] = { "gamma=0.1 steps=40", "gamma=0.5 steps=40", "gamma=1 steps=40",
                                            "gamma=0.2385 steps=40 split=0.3" };
    const double beta = small.problem.declared.beta, eta = 0.1;
    for (size_t i = 0; i < 5; i++) {
        char text[64];
        path p = { 0 };
        size_t shortened = 0;
        snprintf(text, sizeof text, "eta=0.1 %s", i < 4 ? settings[i] : "steps=40");
        trial_run run = succeed(i < 4 ? "fb_sr_ngd" : "dp_ngd", text, &small, trial_noise_off(1.0, 1e-6),
                                (trial_run){ .watch = watch_path, .context = &p });
        double w[D], g[D];
        memcpy(w, small.problem.start, sizeof w);
        CHECK_EQUAL(p.points, 40);
        for (size_t t = 0; t < p.points; t++) {
            gradient(&small, w, g);
            const double norm = cblas_dnrm2(D, g, 1), length = fmin(eta / norm, 1.0 / beta);
            shortened += length < eta / norm;
            for (size_t j = 0; j < D; j++) {
                CHECK_NEAR(p.w[t][j], w[j] - length * g[j], 1e-12);
                w[j] = p.w[t][j];
            }
        }
        CHECK(shortened > 5 && shortened < 35); /* both kinds of step */
        trial_end(&run);
    }
}

/* --- dp_srm ------------------------------------------------------------------------------------------------------ */

static void test_srm_schedule(void)
{
    trial_run run = at_reference("dp_srm", "", 0);
    const double T = 3163.0, b = 57.0; /* n / sqrt(d) = 3162.3, its root 56.2 */
    CHECK_EQUAL(trial_resolved(&run, "steps"), T);
    CHECK_EQUAL(trial_resolved(&run, "batch"), b);
    CHECK_EQUAL(trial_resolved(&run, "eta"), 0.5);
    CHECK_EQUAL(run.cost.gradients, b + 2.0 * b * (T - 1.0));
    CHECK_NEAR(trial_resolved(&run, "split"), 1.0 / T, 1e-12);
    CHECK_EQUAL(run.ledger.count, 1); /* one multiplier: not 0.05 times it for the first, as a tenth would have */
    const double m = run.ledger.entry[0].noise_multiplier;
    CHECK_EQUAL(run.ledger.entry[0].kind, SP_LEDGER_GAUSS_WOR);
    CHECK_EQUAL(run.ledger.entry[0].count, T);
    CHECK_NEAR(run.ledger.entry[0].rate, b / n, 1e-15);
    CHECK_NEAR(run.ledger.entry[0].sensitivity_high, 2.0 / b, 1e-15);
    CHECK_NEAR(run.spent.best, 1.0, 3e-5);
    /* the recursion itself: the momentum is the least with which the descent pays for the drift */
    const double K = 1.0 / b + 4.0 * d * m * m / (b * b), a = trial_resolved(&run, "momentum");
    const double keep = (1.0 - a) * (1.0 - a);
    CHECK_NEAR(2.0 * K * keep * 0.25, (1.0 - keep) * 0.5, 1e-12);
    CHECK(a > pow(T, -2.0 / 3.0));
    double error = 1.0 / b + 4.0 * d * m * m / (b * b), sum = error;
    for (size_t t = 1; t < (size_t)T; t++) {
        error = keep * error + 2.0 * K * a * a;
        sum += error;
    }
    const double bound = sqrt(4.0 / T + sum / T); /* the closed form sums the geometric series to infinity */
    CHECK_LESS_EQUAL(bound, trial_resolved(&run, "bound"));
    CHECK_LESS_EQUAL(trial_resolved(&run, "bound"), 1.01 * bound);
    CHECK_TEXT(run.warning, "");
    trial_end(&run);

    run = at_reference("dp_srm", "scale=0.01 batch=10000", 1); /* T = 31.6 full batches: closed forms */
    CHECK_EQUAL(trial_resolved(&run, "steps"), 32);
    check_entry(&run, 0, SP_LEDGER_GAUSS, 1, sqrt(32.0) / mu, 2.0 / n, 1e-9);
    CHECK_NEAR(trial_resolved(&run, "momentum"), pow(32.0, -2.0 / 3.0), 1e-12);
    trial_end(&run);
    run = at_reference("dp_srm", "scale=0.01 batch=10000 momentum=0.00001 eta=0.7", 1); /* (2) broken: no promise */
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    refused("dp_srm", "batch=41", &small, trial_private(1.0, 1e-6), SP_EINVAL, "m = 41 must be in [1, 40]");
    run = at_reference("dp_srm", "steps=3 first=2.385", 0);
    CHECK_NEAR(run.ledger.entry[0].rate, 136.0 / n, 1e-15); /* 57 times that */
    CHECK_NEAR(run.ledger.entry[0].sensitivity_high, 2.0 / 136.0, 1e-15);
    CHECK_EQUAL(run.cost.gradients, 136 + 2 * 2 * 57);
    trial_end(&run);
    run = at_reference("dp_srm", "steps=3 first=1000", 0);
    CHECK_NEAR(trial_resolved(&run, "split"), 0.1, 1e-15);
    check_entry(&run, 0, SP_LEDGER_GAUSS, 1, run.ledger.entry[0].noise_multiplier, 2.0 / n, 1e-9);
    trial_end(&run);
}

/* Full batches without noise, and batches of one of identical records: v_t is the gradient, whatever the momentum. */
static void test_srm_path(void)
{
    trial_problem same = { 0 };
    CHECK(trial_make("logistic", 2, D, INFINITY, false, &same)); /* x, 1 and -x, -1: one loss */
    memcpy(same.problem.start, small.problem.start, D * sizeof *same.problem.start);
    for (size_t i = 0; i < 2; i++) {
        const trial_problem *t = i == 0 ? &small : &same;
        path p = { 0 };
        double w[D], g[D];
        trial_run run = succeed("dp_srm", i == 0 ? "eta=0.3 steps=30 momentum=0.2 batch=40"
                                                 : "eta=0.3 steps=30 momentum=0.2 batch=1",
                                t, trial_noise_off(1.0, 1e-6), (trial_run){ .watch = watch_path, .context = &p });
        CHECK_EQUAL(p.points, 30);
        memcpy(w, t->problem.start, sizeof w);
        for (size_t s = 0; s < p.points; s++) {
            gradient(t, w, g);
            for (size_t j = 0; j < D; j++) {
                CHECK_NEAR(p.w[s][j], w[j] - 0.3 * g[j], 1e-12);
                w[j] = p.w[s][j];
            }
        }
        trial_end(&run);
    }
    trial_drop(&same);
}

/* Each release is noised for the way really gone: the smallest and the largest sensitivity are those of the path. */
static void test_srm_sensitivity(void)
{
    const sp_constants *c = &small.problem.declared;
    path p = { 0 };
    trial_run run = succeed("dp_srm", "eta=0.3 steps=30 momentum=0.2 batch=7 split=0.1", &small,
                            trial_private(1.0, 1e-6), (trial_run){ .watch = watch_path, .context = &p });
    double low = HUGE_VAL, high = 0.0;
    const double *previous = small.problem.start;
    for (size_t s = 0; s + 1 < p.points; s++) { /* release s + 1 is at point s */
        double square = 0.0;
        for (size_t j = 0; j < D; j++)
            square += (p.w[s][j] - previous[j]) * (p.w[s][j] - previous[j]);
        const double bound = 0.2 * c->L_data + 0.8 * fmin(c->beta_data * sqrt(square), 2.0 * c->L_data);
        low = fmin(low, 2.0 * bound / 7.0);
        high = fmax(high, 2.0 * bound / 7.0);
        previous = p.w[s];
    }
    CHECK_EQUAL(run.ledger.entry[1].count, 29);
    CHECK_NEAR(run.ledger.entry[1].sensitivity_low, low, 1e-12);
    CHECK_NEAR(run.ledger.entry[1].sensitivity_high, high, 1e-12);
    trial_end(&run);
}

/* --- dp_sgd_poisson ---------------------------------------------------------------------------------------------- */

static void test_poisson_schedule(void)
{
    /* rate .01, T = 2000: multiplier 4.562262 of one record's part */
    trial_run run = at_reference("dp_sgd_poisson", "", 0);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 2000);
    CHECK_EQUAL(trial_resolved(&run, "batch"), 100);
    CHECK_NEAR(trial_resolved(&run, "clip"), 1.0, 1e-15);
    CHECK_EQUAL(run.ledger.count, 1);
    check_entry(&run, 0, SP_LEDGER_POISSON, 2000, 4.562262, 1.0 / 100.0, 1e-6); /* L / (rate n): no factor 2 */
    CHECK_NEAR(run.ledger.entry[0].rate, 0.01, 1e-15);
    CHECK_NEAR(run.spent.best, 1.0, 3e-5);
    const double noise_std = 0.04562262, G = 1.0 + d * noise_std * noise_std + 0.99 / 100.0;
    CHECK_NEAR(trial_resolved(&run, "eta"), 1.0 / sqrt(2000.0 * G), 1e-8);
    CHECK_NEAR(trial_resolved(&run, "bound"), sqrt(G / 2000.0), 1e-8);
    CHECK_TEXT(run.warning, "");
    trial_end(&run);

    /* a smaller clip: less noise, the same multiplier, and no promise; a larger one is L_data */
    run = at_reference("dp_sgd_poisson", "clip=0.2385", 1);
    check_entry(&run, 0, SP_LEDGER_POISSON, 1, 4.562262, 0.2385 / 100.0, 1e-6);
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    run = at_reference("dp_sgd_poisson", "clip=7", 1);
    CHECK_NEAR(trial_resolved(&run, "clip"), 1.0, 1e-15);
    check_entry(&run, 0, SP_LEDGER_POISSON, 1, 4.562262, 1.0 / 100.0, 1e-6);
    trial_end(&run);
    run = at_reference("dp_sgd_poisson", "momentum=0.9", 1);
    CHECK_NEAR(trial_resolved(&run, "eta"), 0.1 / sqrt(2000.0 * G), 1e-8);
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    /* rate 1 is the full batch: unsampled, and the ledger's unit is a replaced record's 2 L / n */
    run = at_reference("dp_sgd_poisson", "batch=10000 epochs=37.3", 1);
    check_entry(&run, 0, SP_LEDGER_GAUSS, 1, sqrt(38.0) / mu, 2.0 / n, 1e-9);
    trial_end(&run);
    /* neither convex nor quasar-convex */
    reference.problem.declared.quasar = 0.0;
    reference.problem.declared.convex = false;
    run = at_reference("dp_sgd_poisson", "", 1);
    CHECK_NEAR(trial_resolved(&run, "eta"), sqrt(2.0 / (2000.0 * (G - 1.0))), 1e-7);
    reference.problem.declared.beta = INFINITY;
    refused("dp_sgd_poisson", "steps=5", &reference, trial_private(1.0, 1e-8), SP_EINVAL, "eta must be given");
    reference.problem.declared.beta = reference.problem.declared.quasar = 1.0;
    trial_end(&run);
    refused("dp_sgd_poisson", "batch=41", &small, trial_private(1.0, 1e-6), SP_EINVAL, "batch = 41: there are 40");
}

/* Under add-remove neighbours: 2.438568 at rate .01, T = 2000, by a NumPy program that composes the two privacy-loss
 * distributions of the pair 0.99 N(0, m^2) + 0.01 N(1, m^2), N(0, m^2) on a grid of 2e-6 by FFT and bisects m. */
static void test_poisson_add_remove(void)
{
    sp_privacy privacy = trial_private(1.0, 1e-8);
    privacy.neighbours = SP_ADD_REMOVE;
    trial_run run = succeed("dp_sgd_poisson", "", &reference, privacy, (trial_run){ 0 });
    CHECK_EQUAL(run.ledger.count, 1);
    check_entry(&run, 0, SP_LEDGER_POISSON, 2000, 2.438568, 1.0 / 100.0, 1e-4);
    CHECK_NEAR(run.spent.best, 1.0, 3e-5);
    const double noise_std = run.ledger.entry[0].noise_multiplier / 100.0, G = 1.0 + d * noise_std * noise_std + 0.0099;
    CHECK_NEAR(trial_resolved(&run, "eta"), 1.0 / sqrt(2000.0 * G), 1e-12);
    sp_bounds replaced; /* the same ledger, read for replaced records */
    CHECK(sp_account(&run.ledger, SP_REPLACE_ONE, 1e-8, &replaced, NULL) == SP_OK && replaced.best > 1.5);
    trial_end(&run);

    /* Nothing else is let pass: no subset, full batch, pass, pool, choice or child, of any method. */
    privacy = trial_private(1.0, 1e-6);
    privacy.neighbours = SP_ADD_REMOVE;
    refused("dp_sgd_poisson", "batch=40", &small, privacy, SP_EPRIVACY, "only releases on Poisson samples");
    size_t methods = 0;
    for (size_t i = 0; i < sp_algorithm_count; i++) {
        const sp_algorithm *a = sp_algorithms[i];
        if (a->non_private_only || a->add_remove || (a->fits && a->fits(&small.problem.declared)))
            continue;
        refused(a->name, "steps=3", &small, privacy, SP_EPRIVACY, "privacy.neighbours = \"add_remove\"");
        methods++;
    }
    CHECK(methods > 10);
}

/* Full batches without noise against a plain loop, with momentum and with gradients clipped record by record. Every
 * record of `same` is one loss, so that its gradient clipped is the mean of the clipped ones. */
static void test_poisson_path(void)
{
    trial_problem same = { 0 };
    CHECK(trial_make("logistic", 2, D, INFINITY, false, &same));
    static const double momentum[] = { 0.0, 0.7 }, clip[] = { 10.0, 0.2385 };
    for (size_t i = 0; i < 4; i++) {
        const trial_problem *t = i / 2 == 0 ? &small : &same;
        char text[96];
        path p = { 0 };
        double w[D], g[D], v[D] = { 0.0 };
        size_t clipped = 0;
        snprintf(text, sizeof text, "steps=30 eta=0.3 batch=%zu momentum=%g clip=%g", t->data.n, momentum[i % 2],
                 clip[i / 2]);
        trial_run run = succeed("dp_sgd_poisson", text, t, trial_noise_off(1.0, 1e-6),
                                (trial_run){ .watch = watch_path, .context = &p });
        CHECK_EQUAL(p.points, 30);
        memcpy(w, t->problem.start, sizeof w);
        for (size_t s = 0; s < p.points; s++) {
            gradient(t, w, g);
            const double norm = cblas_dnrm2(D, g, 1), cut = fmin(1.0, clip[i / 2] / norm);
            clipped += cut < 1.0;
            for (size_t j = 0; j < D; j++) {
                v[j] = momentum[i % 2] * v[j] + cut * g[j];
                CHECK_NEAR(p.w[s][j], w[j] - 0.3 * v[j], 1e-12);
                w[j] = p.w[s][j];
            }
        }
        CHECK((clipped > 0) == (i / 2 == 1));
        trial_end(&run);
    }
    trial_drop(&same);
}

/* Samples of rate 1/2 of two equal records, noise off: sums are divided by b = 1, not by how many there are, so that a
 * first step is none, one or two records' gradients; empty samples do not move. */
static void test_poisson_sizes(void)
{
    trial_problem same = { 0 };
    CHECK(trial_make("logistic", 2, 1, INFINITY, false, &same));
    size_t seen[3] = { 0 };
    double g[1];
    gradient(&same, same.problem.start, g);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        trial_run run = succeed("dp_sgd_poisson", "steps=1 eta=1 batch=1 select=last", &same,
                                trial_noise_off(1.0, 1e-6), (trial_run){ .seed = seed });
        const double size = (same.problem.start[0] - run.w[0]) / g[0];
        CHECK_NEAR(size, round(size), 1e-12);
        CHECK(size > -0.5 && size < 2.5);
        seen[(size_t)fmin(fmax(round(size), 0.0), 2.0)]++;
        trial_end(&run);
    }
    CHECK_NEAR((double)seen[0], 100.0, 43.0); /* 5 deviations: a false alarm 1e-6 */
    CHECK_NEAR((double)seen[2], 100.0, 43.0);
    trial_drop(&same);
}

/* --- rrsgd ------------------------------------------------------------------------------------------------------- */

/* The multiplier of T releases, announced alone, from dp_sgd. */
static double multiplier_of(const char *settings)
{
    trial_run run = at_reference("dp_sgd", settings, 1);
    const double multiplier = run.ledger.entry[0].noise_multiplier;
    trial_end(&run);
    return multiplier;
}

static void test_rrsgd_schedule(void)
{
    trial_run run = at_reference("rrsgd", "", 2); /* the first checkpoint is the start */
    CHECK_EQUAL(trial_resolved(&run, "batch"), 32);
    CHECK_NEAR(trial_resolved(&run, "epochs"), 20.0, 1e-12);
    /* T = 6250 of 32 records: multiplier 1.698169; eta and .117 as the specification has them */
    const double noise_std = 1.698169 * 2.0 / 32.0, s2 = 1.0 / 32.0 + d * noise_std * noise_std;
    const double eta = sqrt(2.0 / (s2 * 6250.0));
    CHECK_NEAR(trial_resolved(&run, "eta"), eta, 1e-7);
    CHECK_NEAR(sqrt(2.0 / (eta * 6250.0) + eta * s2), 0.117, 1e-3);
    CHECK_NEAR(trial_resolved(&run, "bound"), sqrt((1.0 / 6250.0 + eta * eta * s2 / 2.0) / (eta - eta * eta / 2.0)),
               1e-7);
    CHECK_LESS_EQUAL(trial_resolved(&run, "bound"), 0.0835);
    CHECK_EQUAL(run.ledger.entry[0].kind, SP_LEDGER_GAUSS_WOR);
    CHECK_LESS_EQUAL(run.ledger.entry[0].noise_multiplier, 1.698169 * (1.0 + 1e-6));
    CHECK_NEAR(run.ledger.entry[0].sensitivity_high, 2.0 / 32.0, 1e-15);
    CHECK_TEXT(run.warning, "");
    trial_end(&run);
    run = at_reference("rrsgd", "batch=1", 2);
    const double one = 0.688187 * 2.0, single = 1.0 + d * one * one; /* T = 2e5 */
    CHECK_NEAR(trial_resolved(&run, "eta"), sqrt(2.0 / (single * 2e5)), 1e-7);
    trial_end(&run);
    refused("rrsgd", "batch=41", &small, trial_private(1.0, 1e-6), SP_EINVAL, "m = 41 must be in [1, 40]");
}

/* K is public and drawn before anything is announced: the K - 1 releases that are made spend the whole budget, with the
 * noise of so many; K = 1 releases nothing, spends nothing and returns the start. */
static void test_rrsgd_round(void)
{
    bool start = false, last = false;
    for (uint64_t seed = 1; seed < 60; seed++) {
        trial_run run = succeed("rrsgd", "epochs=5 batch=40 eta=0.1", &small, trial_private(1.0, 1e-6),
                                (trial_run){ .seed = seed });
        const size_t made = run.last_step;
        CHECK(made < 5);
        CHECK_EQUAL(run.cost.releases, made);
        CHECK_EQUAL(run.checkpoints, made + 1);
        if (made == 0) {
            CHECK(memcmp(run.w, small.problem.start, D * sizeof *run.w) == 0);
            CHECK_EQUAL(run.ledger.count, 0);
            CHECK(run.spent.best == 0.0);
        } else {
            check_entry(&run, 0, SP_LEDGER_GAUSS, made, sqrt((double)made) / sp_gaussian_mu(1.0, 1e-6),
                        2.0 * small.problem.declared.L_data / 40.0, 1e-9);
            CHECK_NEAR(run.spent.best, 1.0, 1e-6);
        }
        start |= made == 0;
        last |= made == 4;
        trial_end(&run);
    }
    CHECK(start && last); /* each is missed with probability 0.8^59 = 2e-6 */
    const double fewer = multiplier_of("batch=32 steps=10"), all = multiplier_of("batch=32 steps=6250");
    CHECK(fewer < all);

    /* without noise: descent on the gradient itself, K - 1 steps of it */
    path p = { 0 };
    trial_run run = succeed("rrsgd", "epochs=60 batch=40 eta=0.3", &small, trial_noise_off(1.0, 1e-6),
                            (trial_run){ .seed = 4, .watch = watch_path, .context = &p });
    double w[D], g[D];
    memcpy(w, small.problem.start, sizeof w);
    CHECK(p.points > 10); /* of this seed */
    for (size_t s = 1; s < p.points; s++) {
        gradient(&small, w, g);
        for (size_t j = 0; j < D; j++) {
            CHECK_NEAR(p.w[s][j], w[j] - 0.3 * g[j], 1e-12);
            w[j] = p.w[s][j];
        }
    }
    CHECK(memcmp(run.w, p.w[p.points - 1], sizeof p.w[0]) == 0);
    trial_end(&run);
}

/* --- sgd, normalised_sgd, spider ---------------------------------------------------------------------------------- */

static trial_run reference_method(const char *name, const char *settings, size_t fail_at)
{
    return succeed(name, settings, &reference, trial_not_private(), (trial_run){ .fail_at = fail_at });
}

static void test_reference_schedules(void)
{
    trial_run run = reference_method("sgd", "", 0); /* quasar-convex: D / (L sqrt T) */
    CHECK_EQUAL(trial_resolved(&run, "batch"), 100);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 2000);
    CHECK_NEAR(trial_resolved(&run, "eta"), 1.0 / sqrt(2000.0), 1e-15);
    CHECK_NEAR(trial_resolved(&run, "bound"), 1.0 / sqrt(2000.0), 1e-15);
    CHECK_EQUAL(run.cost.gradients, 200000);
    CHECK_EQUAL(run.ledger.count, 0);
    CHECK(run.spent.best == INFINITY);
    trial_end(&run);
    reference.problem.declared.quasar = 0.0;
    reference.problem.declared.convex = false;
    run = reference_method("sgd", "batch=16 steps=50", 1);
    CHECK_NEAR(trial_resolved(&run, "eta"), sqrt(2.0 * 16.0 / 50.0), 1e-15); /* below 1/beta */
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    reference.problem.declared.beta = INFINITY;
    refused("sgd", "", &reference, trial_not_private(), SP_EINVAL, "eta must be given");
    reference.problem.declared.beta = reference.problem.declared.quasar = 1.0;

    run = reference_method("normalised_sgd", "", 1); /* a = sqrt(100 / 2000), eta = sqrt(a / 2000) */
    const double a = sqrt(100.0 / 2000.0), eta = sqrt(a / 2000.0), s = 0.1;
    CHECK_NEAR(trial_resolved(&run, "momentum"), a, 1e-15);
    CHECK_NEAR(trial_resolved(&run, "eta"), eta, 1e-15);
    /* the recursion of the mean errors: a part that is forgotten, the way gone, the samples' own */
    double first = s, drift = 0.0, sample = 0.0, sum = 0.0;
    for (size_t t = 0; t < 2000; t++) {
        sum += first + drift + sqrt(sample);
        first *= 1.0 - a;
        drift = (1.0 - a) * (drift + eta);
        sample = (1.0 - a) * (1.0 - a) * sample + a * a * s * s;
    }
    const double mean = 1.0 / (eta * 2000.0) + eta / 2.0 + 2.0 * sum / 2000.0;
    CHECK_LESS_EQUAL(mean, trial_resolved(&run, "bound"));
    CHECK_LESS_EQUAL(trial_resolved(&run, "bound"), 1.02 * mean);
    trial_end(&run);
    run = reference_method("normalised_sgd", "steps=20", 1);
    CHECK_EQUAL(trial_resolved(&run, "momentum"), 1);
    trial_end(&run);

    run = reference_method("spider", "", 0); /* 20 passes at n/q + 2b = 300 gradients a step: 666.7 */
    CHECK_EQUAL(trial_resolved(&run, "steps"), 667);
    CHECK_EQUAL(trial_resolved(&run, "period"), 100);
    CHECK_EQUAL(trial_resolved(&run, "batch"), 100);
    CHECK_EQUAL(trial_resolved(&run, "eta"), 0.5);
    CHECK_NEAR(trial_resolved(&run, "bound"), sqrt(4.0 / 667.0), 1e-12);
    CHECK_EQUAL(run.cost.gradients, 7 * 10000);
    CHECK_EQUAL(run.cost.differences, 660 * 100);
    CHECK_EQUAL(run.ledger.count, 0);
    trial_end(&run);
    run = reference_method("spider", "batch=10", 1); /* h = 2.5: no theorem */
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    refused("sgd", "batch=41", &small, trial_not_private(), SP_EINVAL, "m = 41 must be in [1, 40]");
    refused("normalised_sgd", "batch=41", &small, trial_not_private(), SP_EINVAL, "m = 41 must be in [1, 40]");
    refused("spider", "batch=41", &small, trial_not_private(), SP_EINVAL, "batch = 41: there are 40 records");
}

/* Against plain loops, where batches tell the gradient itself: all records, or one of two equal ones. */
static void test_reference_paths(void)
{
    static const char *const name[] = { "sgd", "normalised_sgd", "spider" };
    trial_problem same = { 0 };
    CHECK(trial_make("logistic", 2, D, INFINITY, false, &same));
    same.problem.start[0] = 1.3, same.problem.start[1] = -2.1;
    for (size_t i = 0; i < 6; i++) {
        const trial_problem *t = i < 3 ? &small : &same;
        char text[96];
        path p = { 0 };
        double w[D], g[D], v[D] = { 0.0 };
        snprintf(text, sizeof text, "steps=40 eta=0.3 momentum=0.35 period=7 batch=%d", i < 3 ? 40 : 1);
        trial_run run = succeed(name[i % 3], text, t, trial_not_private(),
                                (trial_run){ .watch = watch_path, .context = &p });
        CHECK_EQUAL(p.points, 40);
        memcpy(w, t->problem.start, sizeof w);
        for (size_t s = 0; s < p.points; s++) {
            gradient(t, w, g);
            for (size_t j = 0; j < D; j++)
                v[j] = i % 3 == 1 && s > 0 ? 0.65 * v[j] + 0.35 * g[j] : g[j];
            const double norm = cblas_dnrm2(D, v, 1);
            const double step = i % 3 == 1 ? fmin(0.3 / norm, 1.0 / t->problem.declared.beta) : 0.3;
            for (size_t j = 0; j < D; j++) {
                CHECK_NEAR(p.w[s][j], w[j] - step * v[j], 1e-12);
                w[j] = p.w[s][j];
            }
        }
        trial_end(&run);
    }
    trial_drop(&same);
}

/* Subsets are drawn anew in each step, and a period ends: on batches of 5 sgd wanders about the minimum, spider arrives
 * there, as the gradients of all records do not vanish in each record. */
static void test_reference_batches(void)
{
    trial_run run = succeed("sgd", "steps=400 eta=0.3 batch=5 select=last", &small, trial_not_private(),
                            (trial_run){ 0 });
    const double wandering = trial_gradient_norm(&small, run.w);
    trial_end(&run);
    run = succeed("spider", "steps=400 eta=0.3 batch=5 period=7 select=last", &small, trial_not_private(),
                  (trial_run){ 0 });
    CHECK_LESS_EQUAL(trial_gradient_norm(&small, run.w), 1e-9);
    CHECK(wandering > 1e-4);
    CHECK_EQUAL(run.cost.gradients, 58 * 40);
    CHECK_EQUAL(run.cost.differences, 342 * 5);
    trial_end(&run);
}

/* --- what they do not fit ---------------------------------------------------------------------------------------- */

static void check_misfit(const char *name, double L_data, double beta, double gap, const char *why)
{
    const sp_algorithm *a = sp_algorithm_find(name);
    sp_constants c = small.problem.declared;
    CHECK(a && a->fits && !a->fits(&c));
    c.L_data = L_data;
    c.beta = beta;
    c.gap = gap;
    const char *misfit = a->fits(&c);
    CHECK_TEXT(misfit ? misfit : "", why);
}

static void test_misfits(void)
{
    check_misfit("sgd", INFINITY, 1.0, 1.0, "the records' gradients are not bounded (L_data)");
    check_misfit("dp_sgd_poisson", INFINITY, 1.0, 1.0, "the records' gradients are not bounded (L_data)");
    static const char *const smooth[] = { "dp_ngd", "fb_sr_ngd", "dp_srm", "rrsgd", "normalised_sgd", "spider" };
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        check_misfit(smooth[i], INFINITY, 1.0, 1.0, "the records' gradients are not bounded (L_data)");
        check_misfit(smooth[i], 1.0, INFINITY, 1.0, "the loss is not smooth (beta)");
        check_misfit(smooth[i], 1.0, 1.0, INFINITY, "no bound on F(w0) - F* is known (gap)");
    }
}

/* Without a budget no formula says when to stop; too few records for a bound: one warning, with both numbers. */
static void test_refusals(void)
{
    static const char *const budgeted[] = { "dp_ngd", "fb_sr_ngd", "dp_srm" };
    for (size_t i = 0; i < sizeof budgeted / sizeof *budgeted; i++) {
        refused(budgeted[i], "", &small, trial_not_private(), SP_EINVAL, "steps must be given");
        trial_run run = succeed(budgeted[i], "", &small, trial_private(0.1, 1e-6), (trial_run){ .fail_at = 1 });
        const char *first = strstr(run.warning, "vacuous parameters: the bound ");
        CHECK(first != NULL && !strstr(first + 1, "vacuous"));
        trial_end(&run);
    }
}

int main(void)
{
    if (trial_make("pseudo_huber", 10000, 10, INFINITY, false, &reference)
        && trial_make("pseudo_huber", 40, D, INFINITY, false, &small)) {
        sp_constants *c = &reference.problem.declared;
        c->L = c->L_data = c->beta = c->beta_data = c->gap = c->distance = c->quasar = 1.0;
        small.problem.start[0] = 2.7, small.problem.start[1] = -1.5, small.problem.start[2] = 0.3;
        test_ngd_schedule();
        test_ngd_path();
        test_srm_schedule();
        test_srm_path();
        test_srm_sensitivity();
        test_poisson_schedule();
        test_poisson_add_remove();
        test_poisson_path();
        test_poisson_sizes();
        test_rrsgd_schedule();
        test_rrsgd_round();
        test_reference_schedules();
        test_reference_paths();
        test_reference_batches();
        test_misfits();
        test_refusals();
    }
    trial_drop(&reference);
    trial_drop(&small);
    return sp_check_done();
}
