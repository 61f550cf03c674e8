/* unit/lowy_a.c -- tree_spider, warm_start, dp_sgd_hp, kl_spider, kl_gd, adaptive_gd: schedules, ledgers and bounds at
 * the reference point of the specification (n = 1e4, d = 10, epsilon = 1, delta = 1e-8, every constant 1), iterates
 * without noise.
 *
 * Reference numbers: an independent Python computation from the formulas in the files' heads; budgets there by
 * bisection of the exact conditions: mu(1, 1e-8) = 0.196066560213954, mu(0.5, 5e-9) = 0.0988822232329, rho_z(1, 1e-8) =
 * 0.0172053180394. */
#include "core/audit/audit_internal.h"
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>

static const double mu = 0.196066560213954, rho = 0.0192210480170661, rho_z = 0.0172053180394;
static const double n = 1e4, d = 10.0;
static trial_problem reference, small, pl; /* small: 400 records, pl: 40, both of 3 dimensions */

static const sp_algorithm *named(const char *name)
{
    return sp_algorithm_find(name);
}

static trial_run go(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy, size_t fail_at)
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
    return go(name, settings, &reference, trial_private(1.0, 1e-8), fail_at);
}

static const sp_entry *entry(const trial_run *run, size_t i)
{
    static const sp_entry none = { .noise_multiplier = NAN, .epsilon = NAN };
    SP_CHECK_REPORT(i < run->ledger.count, "ledger entry %zu of %zu", i, run->ledger.count);
    return i < run->ledger.count ? &run->ledger.entry[i] : &none;
}

static sp_provenance provenance(const trial_run *run, const char *key)
{
    size_t i = 0;
    while (i + 1 < run->resolved_count && strcmp(run->resolved[i].key, key) != 0)
        i++;
    return run->resolved[i].from;
}

enum { PATH = 512, D = 3 };
typedef struct path {
    double w[PATH + 1][D];
} path;

static void record(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    if (step <= PATH)
        memcpy(p->w[step], w, D * sizeof *w);
}

static trial_run follow(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy, path *p)
{
    trial_run run = { .seed = 3, .watch = record, .context = p };
    const sp_values values = trial_values(named(name), settings);
    memcpy(p->w[0], t->problem.start, D * sizeof *p->w[0]);
    trial_go(named(name), &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s %s: %s", name, settings, run.message);
    return run;
}

/* --- tree_spider ------------------------------------------------------------------------------------------------ */

static void test_tree_spider_schedule(void)
{
    /* b = 464.2, up; D = 5 as 5 * 2^6 = 320 <= 465 < 6 * 2^7; a round takes 465 + 232 + 116 * 2 + 58 * 4 + 29 * 8 +
     * 14 * 16 = 1617 records, so 6 rounds of 32 leaves */
    trial_run run = at_reference("tree_spider", "", 0);
    size_t releases = 0;
    CHECK_EQUAL(trial_resolved(&run, "batch"), 465);
    CHECK_NEAR(trial_resolved(&run, "alpha"), sqrt(2.0) * cbrt(1e-4), 1e-12);
    CHECK_EQUAL(run.checkpoints, 6 * 32);
    CHECK_EQUAL(run.cost.gradients, 6.0 * 465.0);
    CHECK_EQUAL(run.cost.differences, 6.0 * (1617.0 - 465.0));
    for (size_t e = 0; e < run.ledger.count; e++) {
        releases += run.ledger.entry[e].count;
        CHECK_NEAR(entry(&run, e)->noise_multiplier, 1.0 / mu, 1e-5); /* the whole budget, each */
        CHECK(entry(&run, e)->pool > 0);
    }
    CHECK_EQUAL(releases, 6 * 32);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);

    /* noise rules: sqrt(n) d^(1/4) / sqrt(epsilon) = 1778.3 and alpha = sqrt 2 (sqrt(10) / (1e4 / 100))^(1/2) */
    run = go("tree_spider", "", &reference, trial_private(0.01, 1e-8), 1);
    CHECK_EQUAL(trial_resolved(&run, "batch"), 1779);
    CHECK_NEAR(trial_resolved(&run, "alpha"), sqrt(2.0) * sqrt(sqrt(10.0) / 100.0), 1e-12);
    CHECK(provenance(&run, "alpha") == SP_FROM_THEORY);
    trial_end(&run);
    run = at_reference("tree_spider", "batch=10000", 0); /* one root */
    CHECK_EQUAL(run.checkpoints, 1);
    trial_end(&run);
    run = (trial_run){ 0 };
    const sp_values values = trial_values(named("tree_spider"), "batch=10001");
    trial_go(named("tree_spider"), &values, &reference, trial_private(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    trial_end(&run);
}

/* Where no record enters, an estimate along the tree is the exact gradient at every leaf. */
static void test_tree_spider_path(void)
{
    const double number = small.problem.number[2], beta = small.problem.declared.beta;
    const double L = small.problem.declared.L_data;
    path p;
    double w[D] = { 0.0 }, g[D];
    small.problem.number[2] = 0.0; /* tilt */
    small.problem.declared.L_data = 1.0;
    sp_workspace *scratch = sp_workspace_new(&small.problem);
    trial_run run = follow("tree_spider", "select=last alpha=0.3", &small, trial_noise_off(1.0, 1e-6), &p);
    /* b = 54.3, up; D = 3 as 3 * 2^4 <= 55; 55 + 27 + 13 * 2 + 6 * 4 records a round; b_t = alpha, as b epsilon > d */
    const double length = 0.3 / (sqrt(8.0) * beta);
    CHECK_EQUAL(run.checkpoints, 3 * 8);
    for (size_t t = 0; t < run.checkpoints; t++) {
        sp_problem_gradient(&small.problem, scratch, w, g);
        const double norm = cblas_dnrm2(D, g, 1);
        for (size_t j = 0; j < D; j++) {
            w[j] -= fmin(0.5 / beta, length / norm) * g[j];
            CHECK_NEAR(p.w[t + 1][j], w[j], 1e-12);
        }
    }
    trial_end(&run);
    /* the smallest gradient is the last candidate's */
    run = follow("tree_spider", "alpha=0.3", &small, trial_noise_off(1.0, 1e-6), &p);
    CHECK(memcmp(run.w, p.w[23], sizeof p.w[23]) == 0);
    trial_end(&run);
    sp_workspace_free(scratch);
    small.problem.number[2] = number;
    small.problem.declared.L_data = L;
}

/* --- warm_start --------------------------------------------------------------------------------------------------- */

typedef struct stages {
    sp_method first, second;
    sp_values values;
} stages;

/* settings: those of the two methods, and of warm_start itself */
static void stages_make(const char *first, const char *first_settings, const char *second, const char *second_settings,
                        const char *settings, stages *out)
{
    const sp_algorithm *a = named("warm_start");
    out->first = (sp_method){ named(first), trial_values(named(first), first_settings) };
    out->second = (sp_method){ named(second), trial_values(named(second), second_settings) };
    out->values = trial_values(a, settings);
    CHECK(sp_values_set_method(&out->values, "w", "first", &out->first, NULL) == SP_OK);
    CHECK(sp_values_set_method(&out->values, "w", "second", &out->second, NULL) == SP_OK);
}

static trial_run warm(const stages *s, const trial_problem *t, sp_privacy privacy)
{
    trial_run run = { .seed = 3 };
    trial_go(named("warm_start"), &s->values, t, privacy, &run);
    return run;
}

/* dp_sgd's 500 steps, then dp_spider's schedule from psi; T2 and q by hand from psi and the stage's own mu. */
static void test_warm_start_budgets(void)
{
    static const struct {
        const char *budget;
        double rho, psi, steps, period; /* of each stage */
    } rows[] = {
        { "budget=paper", 0.004888847035742408, 0.045176425723, 300, 20 },
        { "budget=tight", 0.008602659019686838, 0.044980536076, 437, 24 },
        { "budget=disjoint", 0.0192210480170661, 0.045184300808, 297, 20 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stages s;
        stages_make("dp_sgd", i == 2 ? "batch=5000 steps=500" : "batch=10000 steps=500", "dp_spider",
                    "parameters=theory", rows[i].budget, &s);
        trial_run run = warm(&s, &reference, trial_private(1.0, 1e-8));
        SP_CHECK_REPORT(run.status == SP_OK, "%s: %s", rows[i].budget, run.message);
        CHECK_NEAR(trial_resolved(&run, "gap"), rows[i].psi, 1e-9);
        CHECK(provenance(&run, "gap") == SP_FROM_THEORY);
        CHECK_EQUAL(run.cost.releases, 500 + rows[i].steps);
        const double fresh = ceil(rows[i].steps / rows[i].period), others = rows[i].steps - fresh;
        CHECK_EQUAL(run.ledger.count, 3);
        CHECK_EQUAL(entry(&run, 0)->count, 500);
        CHECK_NEAR(entry(&run, 0)->noise_multiplier, sqrt(500.0 / (2.0 * rows[i].rho)), 1e-3);
        CHECK_EQUAL(entry(&run, 1)->count, fresh);
        CHECK_NEAR(entry(&run, 1)->noise_multiplier, sqrt(fresh / rows[i].rho), 1e-3);
        CHECK_EQUAL(entry(&run, 2)->count, others);
        CHECK_NEAR(entry(&run, 2)->noise_multiplier, sqrt(others / rows[i].rho), 1e-3);
        for (size_t e = 0; e < 3; e++) /* disjoint records: a pool for each stage */
            CHECK_EQUAL(entry(&run, e)->pool, i < 2 ? 0 : e == 0 ? 1 : 2);
        CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
        CHECK_LESS_EQUAL(i == 0 ? 0.6 : i == 1 ? 0.9 : 0.999999, run.spent.best);
        CHECK_TEXT(run.warning, "");
        trial_end(&run);
    }
}

/* dp_spider's own choice has subsets, but in shares of zCDP, with the noise off as with it. */
static void test_warm_start_spider(void)
{
    static const char *const budget[] = { "budget=paper", "budget=tight" };
    for (int i = 0; i < 4; i++) {
        stages s;
        stages_make("dp_gd", "steps=7", "dp_spider", "", budget[i % 2], &s);
        trial_run run = warm(&s, &reference, i < 2 ? trial_private(1.0, 1e-8) : trial_noise_off(1.0, 1e-8));
        SP_CHECK_REPORT(run.status == SP_OK, "%s: %s", budget[i % 2], run.message);
        if (i < 2) {
            CHECK_EQUAL(run.ledger.count, 3 - (size_t)i); /* tight: within dp_gd's work nothing but gradients */
            CHECK(entry(&run, run.ledger.count - 1)->kind == (i == 0 ? SP_LEDGER_GAUSS_WOR : SP_LEDGER_GAUSS));
            CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
        }
        CHECK_EQUAL(fmod(run.cost.differences, n) > 0.0, i % 2 == 0);
        trial_end(&run);
    }
}

/* dp_spider's theory: T = max(cbrt(gap) a^(-4/3), 1 / a), up, with every constant but the gap 1 */
static double steps_from(double gap)
{
    const double a = 2.0 * sqrt(d) / (n * 0.09888222323291895);
    return ceil(fmax(cbrt(gap) * pow(a, -4.0 / 3.0), 1.0 / a));
}

/* On subsets psi is (D / q) sqrt((L^2 + d noise_std^2) / T) at the noise that the ledger has. */
static void test_warm_start_subsets(void)
{
    static const struct { const char *settings; double b, T, q; } rows[] = {
        { "batch=100 steps=2000", 100.0, 2000.0, 1.0 }, { "batch=37 steps=700", 37.0, 700.0, 0.6 },
    };
    const sp_constants before = reference.problem.declared;
    for (size_t i = 0; i < 2; i++) {
        stages s;
        reference.problem.declared.quasar = rows[i].q;
        reference.problem.declared.convex = rows[i].q == 1.0;
        stages_make("dp_sgd", rows[i].settings, "dp_spider", "parameters=theory", "", &s);
        trial_run run = warm(&s, &reference, trial_private(1.0, 1e-8));
        SP_CHECK_REPORT(run.status == SP_OK, "%s: %s", rows[i].settings, run.message);
        CHECK_EQUAL(entry(&run, 0)->kind, SP_LEDGER_GAUSS_WOR);
        const double noise_std = entry(&run, 0)->noise_multiplier * 2.0 / rows[i].b;
        const double psi = sqrt((1.0 + d * noise_std * noise_std) / rows[i].T) / rows[i].q;
        CHECK_NEAR(trial_resolved(&run, "gap"), psi, 1e-12);
        CHECK(provenance(&run, "gap") == SP_FROM_THEORY);
        CHECK_EQUAL(run.cost.releases, rows[i].T + steps_from(psi));
        CHECK_TEXT(run.warning, "");
        trial_end(&run);
        stages_make("dp_sgd", "batch=100 steps=20 select=last", "dp_gd", "steps=2", "", &s); /* no theorem */
        run = warm(&s, &reference, trial_private(1.0, 1e-8));
        CHECK_CONTAINS(run.warning, "dp_sgd promises no risk");
        trial_end(&run);
    }
    reference.problem.declared = before;
}

static void test_warm_start_shares(void)
{
    stages s;
    stages_make("dp_gd", "steps=7", "dp_gd", "steps=11", "budget=tight share=0.3", &s);
    trial_run run = warm(&s, &reference, trial_private(1.0, 1e-8));
    CHECK_NEAR(entry(&run, 0)->noise_multiplier, sqrt(7.0 / (2.0 * 0.3 * rho_z)), 1e-5);
    CHECK_NEAR(entry(&run, 1)->noise_multiplier, sqrt(11.0 / (2.0 * 0.7 * rho_z)), 1e-5);
    trial_end(&run);
    stages_make("dp_gd", "steps=7", "dp_gd", "steps=11", "budget=disjoint share=0.3", &s);
    run = warm(&s, &reference, trial_private(1.0, 1e-8));
    CHECK_EQUAL(run.cost.gradients, 7.0 * 3000.0 + 11.0 * 7000.0);
    CHECK_NEAR(entry(&run, 1)->noise_multiplier, sqrt(11.0) / mu, 1e-5);
    trial_end(&run);
    stages_make("dp_sgd", "batch=100 steps=5", "dp_gd", "steps=2", "budget=tight", &s); /* sampling has no zCDP */
    run = warm(&s, &reference, trial_private(1.0, 1e-8));
    CHECK_EQUAL(run.status, SP_EPRIVACY);
    CHECK_CONTAINS(run.message, "basic share");
    trial_end(&run);
}

static double distance(const double *v, const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < reference.data.d; j++)
        sum += (v[j] - w[j]) * (v[j] - w[j]);
    return sqrt(sum);
}

typedef struct handover {
    size_t step;
    double w[TRIAL_DIMENSION];
} handover;

static void keep_handover(trial_run *run, size_t step, const double *w)
{
    handover *h = run->context;
    if (step == h->step)
        memcpy(h->w, w, reference.data.d * sizeof *w);
}

static void test_warm_start_gap(void)
{
    stages s;
    stages_make("dp_sgd", "batch=10000 steps=500", "dp_spider", "parameters=theory", "gap=0.4", &s);
    trial_run run = warm(&s, &reference, trial_private(1.0, 1e-8));
    CHECK_EQUAL(run.cost.releases, 500 + steps_from(0.4));
    CHECK(provenance(&run, "gap") == SP_FROM_USER);
    trial_end(&run);
    stages_make("dp_sgd", "batch=10000 steps=500", "dp_spider", "parameters=theory", "gap=1.4", &s);
    run = warm(&s, &reference, trial_private(1.0, 1e-8));
    CHECK_EQUAL(run.cost.releases, 500 + steps_from(1.4));
    CHECK_CONTAINS(run.warning, "vacuous");
    trial_end(&run);

    /* nothing promised: the problem's gap and L times the way */
    handover h = { .step = 7 };
    stages_make("dp_gd", "steps=7 select=last", "dp_spider", "parameters=theory", "", &s);
    run = (trial_run){ .seed = 3, .watch = keep_handover, .context = &h };
    trial_go(named("warm_start"), &s.values, &reference, trial_private(1.0, 1e-8), &run);
    CHECK_CONTAINS(run.warning, "dp_gd promises no risk");
    CHECK(isnan(trial_resolved(&run, "gap")));
    CHECK_EQUAL(run.cost.releases, 7 + steps_from(1.0 + distance(h.w, reference.problem.start)));
    trial_end(&run);

    /* kl_gd's promise, at (epsilon / 2, delta / 2): (1 - mu)^50 + d noise_std^2 / (2 mu), mu = 0.1 */
    sp_constants *c = &reference.problem.declared;
    c->kl_gamma = sqrt(5.0), c->kl_kappa = 2.0;
    stages_make("kl_gd", "steps=50", "dp_spider", "parameters=theory", "", &s);
    run = warm(&s, &reference, trial_private(1.0, 1e-8));
    const double noise = d * 2.0 * 50.0 / (n * n * 0.004888847035742408);
    CHECK_NEAR(trial_resolved(&run, "gap"), pow(0.9, 50.0) + noise * (1.0 - pow(0.9, 50.0)) / 0.2, 1e-9);
    trial_end(&run);
    c->kl_gamma = c->kl_kappa = 0.0;

    const sp_algorithm *a = named("warm_start");
    sp_values values;
    sp_values_start(&values, a->params);
    CHECK(sp_values_check(&values, "w", NULL) != SP_OK); /* both are required */
    run = (trial_run){ .seed = 3 };
    trial_go(a, &values, &reference, trial_private(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "first must be given");
    trial_end(&run);
    stages_make("kl_gd", "", "dp_gd", "", "", &s); /* what does not fit says so */
    run = warm(&s, &reference, trial_private(1.0, 1e-8));
    CHECK_EQUAL(run.status, SP_EMISFIT);
    CHECK_CONTAINS(run.message, "kl_gd");
    trial_end(&run);
}

/* Two stages of one method without noise are one. */
static void test_warm_start_path(void)
{
    stages s;
    stages_make("dp_gd", "steps=12 eta=0.2 select=last", "dp_gd", "steps=8 eta=0.2 select=last", "", &s);
    trial_run run = { .seed = 3 };
    trial_go(named("warm_start"), &s.values, &small, trial_noise_off(1.0, 1e-6), &run);
    trial_run whole = go("dp_gd", "steps=20 eta=0.2 select=last", &small, trial_noise_off(1.0, 1e-6), 0);
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(run.w[j], whole.w[j], 1e-15);
    CHECK_EQUAL(run.checkpoints, 20);
    CHECK_EQUAL(run.last_step, 20);
    trial_end(&run);
    trial_end(&whole);
}

/* An audit sees which records a child on records of its own was asked about. */
static void test_disjoint_records(void)
{
    enum { N = 400 };
    stages s;
    stages_make("dp_gd", "steps=2", "dp_sgd", "steps=3 batch=10", "budget=disjoint share=0.25", &s);
    sp_method method = { named("warm_start"), s.values };
    sp_transcript *transcript = sp_transcript_new();
    sp_run_record books = { 0 };
    const sp_trial trial = { &method, &small.problem, trial_private(1.0, 1e-6), 5, transcript };
    sp_error error = { 0 };
    bool first[N] = { false };
    sp_transcript_record(transcript);
    CHECK(sp_trial_run(&trial, &books, &error) == SP_OK);
    CHECK_EQUAL(books.status, SP_OK);
    CHECK_EQUAL(sp_transcript_count(transcript), 5);
    for (size_t i = 0; i < sp_transcript_count(transcript); i++) {
        const sp_event *event = sp_transcript_at(transcript, i);
        CHECK_EQUAL(event->count, i < 2 ? N / 4 : 10);
        for (size_t k = 0; event->rows && k < event->count; k++) {
            CHECK(event->rows[k] < N);
            if (i == 0)
                CHECK(!first[event->rows[k]]);
            first[event->rows[k]] |= i == 0;
            CHECK_EQUAL(first[event->rows[k]], i < 2);
        }
        CHECK(event->rows);
    }
    sp_run_record_free(&books);
    sp_transcript_free(transcript);
}

/* --- dp_sgd_hp -------------------------------------------------------------------------------------------------- */

static void test_hp_schedule(void)
{
    trial_run run = at_reference("dp_sgd_hp", "", 1);
    CHECK_NEAR(trial_resolved(&run, "zeta"), sqrt(10.0) / 1e4, 1e-15);
    CHECK_EQUAL(trial_resolved(&run, "runs"), 13);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 5956);
    CHECK(provenance(&run, "steps") == SP_FROM_THEORY);
    CHECK_EQUAL(trial_resolved(&run, "batch"), 10000);
    CHECK_NEAR(run.risk_bound, 0.07548779173909, 1e-9); /* 2 E + (ln 14 + ln(2/zeta)) 4 / (n epsilon_s) */
    CHECK_NEAR(trial_resolved(&run, "bound"), run.risk_bound, 1e-9);
    trial_end(&run);
    run = at_reference("dp_sgd_hp", "max_gradients=13000000", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 100);
    CHECK(provenance(&run, "steps") == SP_FROM_CAP);
    CHECK(run.risk_bound > 0.0755);
    trial_end(&run);
    run = at_reference("dp_sgd_hp", "steps=20 runs=12", 1); /* one run too few for that zeta */
    CHECK(run.risk_bound == INFINITY);
    trial_end(&run);
    run = at_reference("dp_sgd_hp", "steps=20 runs=3 zeta=0.25", 1);
    CHECK(isfinite(run.risk_bound));
    trial_end(&run);
    run = at_reference("dp_sgd_hp", "steps=20 batch=9999", 1);
    CHECK(run.risk_bound == INFINITY);
    trial_end(&run);

    run = at_reference("dp_sgd_hp", "steps=20 runs=3 zeta=0.25", 0);
    CHECK_EQUAL(run.ledger.count, 2);
    CHECK_EQUAL(entry(&run, 0)->count, 60);
    /* the rest of rho_z at most; the accountant finds more */
    CHECK_LESS_EQUAL(entry(&run, 0)->noise_multiplier, sqrt(60.0 / (2.0 * 0.9 * rho_z)) * (1.0 + 1e-9));
    CHECK_LESS_EQUAL(sqrt(60.0 / (2.0 * rho)), entry(&run, 0)->noise_multiplier);
    CHECK_EQUAL(entry(&run, 1)->kind, SP_LEDGER_EM);
    CHECK_NEAR(entry(&run, 1)->epsilon, sqrt(8.0 * 0.1 * rho_z), 1e-9);
    CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
    CHECK_LESS_EQUAL(0.99, run.spent.best);
    CHECK_EQUAL(run.cost.losses, 5.0 * n);
    trial_end(&run);
}

/* On R^d a run stays within D of the start; without noise the choice is the smallest loss. */
static void test_hp_path(void)
{
    path p;
    const double D0 = small.problem.declared.distance, q = small.problem.declared.quasar;
    small.problem.declared.distance = 0.6;
    small.problem.declared.quasar = 1.0;
    trial_run run = follow("dp_sgd_hp", "steps=40 runs=2 eta=1.9 batch=3", &small, trial_noise_off(1.0, 1e-6), &p);
    double farthest = 0.0;
    for (size_t t = 1; t <= 80; t++)
        farthest = fmax(farthest, cblas_dnrm2(D, p.w[t], 1));
    CHECK_NEAR(farthest, 0.6, 1e-12);
    CHECK_EQUAL(run.checkpoints, 81);
    trial_end(&run);
    small.problem.declared.distance = D0;
    small.problem.declared.quasar = q;

    run = follow("dp_sgd_hp", "steps=30 runs=5 eta=0.3 batch=5", &small, trial_noise_off(1.0, 1e-6), &p);
    sp_workspace *scratch = sp_workspace_new(&small.problem);
    size_t found = 0;
    for (size_t i = 0; i < 5; i++) { /* the candidates are on their runs' paths, before the last update */
        for (size_t t = 1; t < 30; t++)
            found += memcmp(p.w[i * 30 + t], run.w, sizeof p.w[0]) == 0;
    }
    CHECK_EQUAL(found, 1);
    CHECK(sp_problem_value(&small.problem, scratch, run.w) < sp_problem_value(&small.problem, scratch, p.w[0]));
    CHECK(memcmp(run.w, p.w[151], sizeof p.w[151]) == 0); /* the last checkpoint is the choice */
    sp_workspace_free(scratch);
    trial_end(&run);
    run = follow("dp_sgd_hp", "steps=30 runs=3 eta=0.3 select=last", &small, trial_noise_off(1.0, 1e-6), &p);
    trial_run plain = go("dp_gd", "steps=30 eta=0.3 select=last", &small, trial_noise_off(1.0, 1e-6), 0);
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(run.w[j], plain.w[j], 1e-15);
    trial_end(&run);
    trial_end(&plain);
}

/* --- KL --------------------------------------------------------------------------------------------------------- */

static void test_kl_gd_schedule(void)
{
    const sp_constants ones = reference.problem.declared;
    sp_constants *c = &reference.problem.declared;
    c->kl_gamma = sqrt(5.0), c->kl_kappa = 2.0; /* mu = 0.1: the specification's T = 99 and 0.0052 */
    trial_run run = at_reference("kl_gd", "", 0);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 99);
    CHECK_EQUAL(trial_resolved(&run, "eta"), 1);
    CHECK_NEAR(run.risk_bound, 0.005179964303563, 1e-8);
    CHECK_NEAR(trial_resolved(&run, "bound"), run.risk_bound, 0.0);
    CHECK_NEAR(entry(&run, 0)->noise_multiplier, sqrt(99.0 / (2.0 * rho)), 1e-4);
    CHECK_TEXT(run.warning, "");
    trial_end(&run);

    /* no two constants equal */
    c->kl_gamma = 1.3, c->kl_kappa = 1.5, c->beta = 1.9, c->L = 1.7, c->L_data = 1.1, c->beta_data = 0.7, c->gap = 0.8;
    run = at_reference("kl_gd", "", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 147);
    CHECK_NEAR(run.risk_bound, 0.013304248007889, 1e-8);
    trial_end(&run);
    run = at_reference("kl_gd", "steps=37 eta=0.3", 1);
    CHECK_NEAR(run.risk_bound, 0.050039849420717, 1e-8);
    CHECK(provenance(&run, "steps") == SP_FROM_USER);
    trial_end(&run);
    c->kl_kappa = 1.0, c->kl_gamma = 0.5; /* the recursion does not rise everywhere on [0, F0] */
    run = at_reference("kl_gd", "", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 72);
    CHECK_NEAR(run.risk_bound, 0.017794432188681, 1e-8);
    trial_end(&run);
    c->kl_kappa = 1.5, c->kl_gamma = 1.3;
    run = at_reference("kl_gd", "steps=37 eta=1.06", 1); /* at 2 / beta nothing is promised */
    CHECK(run.risk_bound == INFINITY);
    trial_end(&run);
    c->kl_kappa = 1.0;
    run = at_reference("kl_gd", "", 1);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 227);
    CHECK_NEAR(run.risk_bound, 0.070283096299108, 1e-7);
    trial_end(&run);
    run = go("kl_gd", "", &reference, trial_private(0.001, 1e-8), 1);
    CHECK_CONTAINS(run.warning, "vacuous");
    trial_end(&run);

    c->kl_kappa = 2.5;
    CHECK_CONTAINS(named("kl_gd")->fits(c), "[1, 2]");
    CHECK_CONTAINS(named("kl_spider")->fits(c), "[1, 2]");
    *c = ones;
    CHECK_CONTAINS(named("kl_gd")->fits(c), "KL");
    CHECK_CONTAINS(named("kl_spider")->fits(c), "KL");
}

static void test_kl_spider_schedule(void)
{
    const sp_constants ones = reference.problem.declared;
    sp_constants *c = &reference.problem.declared;
    c->kl_gamma = sqrt(0.5), c->kl_kappa = 2.0, c->gap = 0.5; /* mu = 1 */
    trial_run run = at_reference("kl_spider", "parameters=theory", 0);
    CHECK_EQUAL(trial_resolved(&run, "rounds"), 1); /* the floor, 2.258, is above F0: vacuous */
    CHECK_CONTAINS(run.warning, "the bound 2.26 is not below 0.5");
    CHECK(run.risk_bound == INFINITY);
    CHECK_EQUAL(run.cost.releases, 1 + 2);
    trial_end(&run);
    run = at_reference("kl_spider", "", 0);
    CHECK_EQUAL(trial_resolved(&run, "rounds"), 20);
    CHECK(run.risk_bound == INFINITY); /* practical constants promise nothing */
    CHECK(isnan(trial_resolved(&run, "bound")));
    CHECK_TEXT(run.warning, "");
    CHECK_EQUAL(run.cost.releases, 20 + 40);
    CHECK_EQUAL(run.checkpoints, 40);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);

    c->kl_gamma = 1.3, c->kl_kappa = 1.5, c->beta = 1.9, c->L = 1.7, c->L_data = 1.1, c->beta_data = 0.7, c->gap = 0.8;
    run = at_reference("kl_spider", "", 0);
    CHECK_EQUAL(trial_resolved(&run, "rounds"), 44);
    CHECK_EQUAL(run.cost.releases, 44 + 88);
    size_t gradients = 0, differences = 0;
    double last = NAN;
    for (size_t e = 0; e < run.ledger.count; e++) {
        const double multiplier = entry(&run, e)->noise_multiplier;
        if (fabs(multiplier - 67.663242253) < 1e-3) {
            differences += entry(&run, e)->count;
            continue;
        }
        if (gradients++ == 0)
            CHECK_NEAR(multiplier, 69.669578163, 1e-3); /* shares in proportion to 1 / lam_k */
        else
            CHECK_LESS_EQUAL(multiplier, last);
        last = multiplier;
    }
    CHECK_NEAR(last, 35.954982252, 1e-3);
    CHECK_EQUAL(gradients, 44);
    CHECK_EQUAL(differences, 88);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);
    c->L_data = 0.1; /* the differences' noise is in the floor, too */
    run = at_reference("kl_spider", "", 1);
    CHECK_EQUAL(trial_resolved(&run, "rounds"), 89);
    trial_end(&run);
    *c = ones;

    /* the proof's constants at n = 1e6 */
    c->kl_gamma = sqrt(0.5), c->kl_kappa = 2.0, c->gap = 0.5, c->n = 1000000;
    run = at_reference("kl_spider", "parameters=theory", 1);
    CHECK_EQUAL(trial_resolved(&run, "rounds"), 249);
    CHECK_NEAR(run.risk_bound, 0.00024115709901, 1e-10);
    CHECK_NEAR(trial_resolved(&run, "bound"), run.risk_bound, 0.0);
    trial_end(&run);
    run = at_reference("kl_spider", "parameters=theory k_scale=63", 1);
    CHECK(run.risk_bound == INFINITY);
    CHECK(provenance(&run, "k_scale") == SP_FROM_USER);
    trial_end(&run);
    run = at_reference("kl_spider", "k_scale=1e7 floor_scale=1e-9", 1); /* so many rounds are cut, and said to be */
    CHECK_EQUAL(trial_resolved(&run, "rounds"), 1e6);
    CHECK(provenance(&run, "rounds") == SP_FROM_CAP);
    trial_end(&run);
    *c = ones;
}

/* sum_j w_j^2 + 3 sin^2 w_j: the tilts cancel, so F* = 0 */
static double pl_risk(const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < D; j++)
        sum += w[j] * w[j] + 3.0 * sin(w[j]) * sin(w[j]);
    return sum;
}

static void test_kl_converges(void)
{
    const sp_constants *c = &pl.problem.declared;
    const double rate = 0.5 / (c->kl_gamma * c->kl_gamma * c->beta), F0 = pl_risk(pl.problem.start);
    const sp_privacy quiet = trial_noise_off(1e6, 1e-6);
    trial_run run = go("kl_gd", "steps=150", &pl, quiet, 0);
    CHECK_LESS_EQUAL(pl_risk(run.w), pow(1.0 - rate, 150.0) * F0);
    trial_end(&run);
    run = go("kl_gd", "", &pl, quiet, 0);
    CHECK_LESS_EQUAL(pl_risk(run.w), run.risk_bound);
    trial_end(&run);
    static const char *const constants[] = { "", "parameters=theory" };
    for (size_t i = 0; i < 2; i++) { /* without noise F - F* <= Phi_K with either constants; k_scale >= 16/3 */
        run = go("kl_spider", constants[i], &pl, quiet, 0);
        const double k_scale = trial_resolved(&run, "k_scale");
        const double ratio = 1.0 + 2.0 * rate / k_scale, reached = F0 * pow(ratio, -trial_resolved(&run, "rounds"));
        CHECK_LESS_EQUAL(reached, 0.05 * F0);
        CHECK_LESS_EQUAL(pl_risk(run.w), fmax(reached * ratio, isfinite(run.risk_bound) ? run.risk_bound : 0.0));
        trial_end(&run);
    }
    run = go("adaptive_gd", "steps=200", &pl, quiet, 0);
    CHECK_LESS_EQUAL(pl_risk(run.w), 1e-10);
    trial_end(&run);
}

/* A round's steps go down the gradient by lam / (4 gamma beta), or nowhere once its test is passed. */
static void test_kl_spider_steps(void)
{
    const sp_constants *c = &pl.problem.declared;
    path p;
    trial_run run = follow("kl_spider", "rounds=250", &pl, trial_noise_off(1e4, 1e-6), &p);
    const double F0 = pl_risk(pl.problem.start), ratio = 1.0 + 1.0 / (6.0 * c->kl_gamma * c->kl_gamma * c->beta);
    size_t moved = 0;
    sp_workspace *scratch = sp_workspace_new(&pl.problem);
    CHECK_EQUAL(run.checkpoints, 500);
    for (size_t t = 0; t < 500; t++) {
        const double lam = sqrt(F0 * pow(ratio, -(double)(t / 2 + 1)));
        double step[D], g[D];
        for (size_t j = 0; j < D; j++)
            step[j] = p.w[t + 1][j] - p.w[t][j];
        const double length = cblas_dnrm2(D, step, 1);
        moved += length > 0.0;
        sp_problem_gradient(&pl.problem, scratch, p.w[t], g);
        const double norm = cblas_dnrm2(D, g, 1), test = 7.0 * lam / (8.0 * c->kl_gamma);
        CHECK_EQUAL(length > 0.0, norm >= test);
        for (size_t j = 0; length > 0.0 && j < D; j++)
            CHECK_NEAR(step[j], -lam / (4.0 * c->kl_gamma * c->beta) * g[j] / norm, 1e-12);
    }
    SP_CHECK_REPORT(moved > 20 && moved < 480, "%zu steps moved", moved);
    sp_workspace_free(scratch);
    trial_end(&run);
}

/* --- adaptive_gd ------------------------------------------------------------------------------------------------ */

static void test_adaptive_gd(void)
{
    /* a first release costs 2 sqrt(rho) / n = 2.7728e-5 of rho: n sqrt(rho) / 2 = 693.2 of them at most */
    trial_run run = at_reference("adaptive_gd", "", 0);
    const double cheap = 2.0 * sqrt(rho) / n, probe = sqrt(0.5 / cheap), floor_multiplier = 2.0 / sqrt(rho);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 694);
    double spent = 0.0, finest = HUGE_VAL;
    size_t probes = 0, fine = 0;
    for (size_t e = 0; e < run.ledger.count; e++) {
        const double m = entry(&run, e)->noise_multiplier;
        spent += (double)entry(&run, e)->count * 0.5 / (m * m);
        finest = fmin(finest, m);
        if (fabs(m / probe - 1.0) < 1e-9)
            probes += entry(&run, e)->count;
        else
            fine += entry(&run, e)->count;
    }
    CHECK_EQUAL(probes + fine, run.cost.releases);
    CHECK(fine > 0 && fine <= probes);
    CHECK_LESS_EQUAL(floor_multiplier * (1.0 - 1e-12), finest);
    CHECK_LESS_EQUAL(spent, rho);
    CHECK_LESS_EQUAL(rho - spent, rho / 8.0 + cheap); /* less is left than a step costs at most */
    CHECK_LESS_EQUAL(run.spent.best, 1.0);
    CHECK(run.checkpoints == probes || run.checkpoints + 1 == probes); /* the last one may have left too little */
    trial_end(&run);

    /* at the minimum ||g||^2 is the noise of g, which is taken off: some releases are at the floor */
    double origin[TRIAL_DIMENSION];
    memcpy(origin, reference.problem.start, 10 * sizeof *origin);
    for (size_t j = 0; j < 10; j++)
        reference.problem.start[j] = 1.0 / sqrt(d);
    CHECK_LESS_EQUAL(trial_gradient_norm(&reference, reference.problem.start), 1e-12);
    run = at_reference("adaptive_gd", "", 0);
    finest = HUGE_VAL;
    for (size_t e = 0; e < run.ledger.count; e++)
        finest = fmin(finest, entry(&run, e)->noise_multiplier);
    CHECK_NEAR(finest, floor_multiplier, 1e-9);
    trial_end(&run);
    memcpy(reference.problem.start, origin, 10 * sizeof *origin);

    /* far away, ||g|| / sqrt(d ell) > s: the first release is the step */
    run = at_reference("adaptive_gd", "steps=1 zeta=1", 0);
    const double s = probe * 2.0 / n, ell = log(n * sqrt(rho));
    const double start = trial_gradient_norm(&reference, reference.problem.start);
    CHECK(start / sqrt(d * ell) > 1.5 * s);
    CHECK_EQUAL(run.cost.releases, 1);
    trial_end(&run);
    /* n = 40: a first release costs rho / 16, and at least five steps are paid for */
    run = go("adaptive_gd", "", &pl, trial_private(1.0, 1e-6), 0);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 16);
    CHECK(run.checkpoints >= 5);
    trial_end(&run);

    trial_run plain = go("gd", "steps=25 eta=0.3", &small, trial_not_private(), 0);
    run = go("adaptive_gd", "steps=25 eta=0.3", &small, trial_noise_off(1.0, 1e-6), 0);
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(run.w[j], plain.w[j], 1e-15);
    trial_end(&run);
    trial_end(&plain);
}

int main(void)
{
    if (trial_make("pseudo_huber", 10000, 10, INFINITY, false, &reference)
        && trial_make("pseudo_huber", 400, D, INFINITY, false, &small)
        && trial_make("sin_pl", 40, D, INFINITY, false, &pl)) {
        sp_constants *c = &reference.problem.declared;
        c->L = c->L_data = c->beta = c->beta_data = c->gap = c->distance = c->quasar = 1.0;
        pl.problem.start[0] = 0.7, pl.problem.start[1] = -0.5, pl.problem.start[2] = 0.3;
        pl.problem.declared.gap = pl_risk(pl.problem.start);
        test_tree_spider_schedule();
        test_tree_spider_path();
        test_warm_start_budgets();
        test_warm_start_spider();
        test_warm_start_shares();
        test_warm_start_subsets();
        test_warm_start_gap();
        test_warm_start_path();
        test_disjoint_records();
        test_hp_schedule();
        test_hp_path();
        test_kl_gd_schedule();
        test_kl_spider_schedule();
        test_kl_converges();
        test_kl_spider_steps();
        test_adaptive_gd();
    }
    trial_drop(&reference);
    trial_drop(&small);
    trial_drop(&pl);
    return sp_check_done();
}
