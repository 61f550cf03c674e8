/* unit/tran_cutkosky.c -- dp_nsgd, sr_nsgd, dp_ftrl: schedules, ledgers, warnings and iterates.
 *
 * Reference numbers: an independent NumPy program, from the definitions (nodes of a tree enumerated, T by bisection),
 * at the reference point of the specification: n = 1e4, d = 10, epsilon = 1, delta = 1e-8, every constant 1, where mu =
 * 0.196066560213954. */
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>

static const double mu = 0.196066560213954;
static trial_problem reference, small, ball; /* small: 60 records of 3 dimensions; ball: on a small ball */

static trial_run go(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy, size_t fail_at)
{
    trial_run run = { .seed = 3, .fail_at = fail_at };
    const sp_values values = trial_values(sp_algorithm_find(name), settings);
    trial_go(sp_algorithm_find(name), &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == (fail_at ? SP_EINTERRUPTED : SP_OK), "%s %s: %s %s", name, settings,
                    sp_status_name(run.status), run.message);
    return run;
}

static trial_run at_reference(const char *name, const char *settings, size_t fail_at)
{
    return go(name, settings, &reference, trial_private(1.0, 1e-8), fail_at);
}

static void refuses(const char *name, const char *settings, const trial_problem *t, const char *part)
{
    trial_run run = { .seed = 3 };
    const sp_values values = trial_values(sp_algorithm_find(name), settings);
    trial_go(sp_algorithm_find(name), &values, t, trial_private(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, part);
    CHECK_EQUAL(run.cost.releases, 0);
    trial_end(&run);
}

static sp_provenance provenance(const trial_run *run, const char *key)
{
    size_t i = 0;
    while (i + 1 < run->resolved_count && strcmp(run->resolved[i].key, key) != 0)
        i++;
    return run->resolved[i].from;
}

/* mu^2 of the whole ledger; passes are charged on all records. */
static double paid(const trial_run *run)
{
    double mu2 = 0.0;
    for (size_t e = 0; e < run->ledger.count; e++) {
        const sp_entry *entry = &run->ledger.entry[e];
        CHECK_EQUAL(entry->kind, SP_LEDGER_GAUSS);
        CHECK_EQUAL(entry->pool, 0);
        mu2 += (double)entry->count / gsl_pow_2(entry->noise_multiplier);
    }
    return mu2;
}

/* The first release is one gradient with a node's noise: its deviation, in units of one add's sensitivity. */
static double node_noise(const char *name, const char *settings, sp_privacy privacy)
{
    trial_run run = go(name, settings, &reference, privacy, 1);
    CHECK_EQUAL(run.ledger.count, 1);
    const double noise = run.ledger.count == 1 ? run.ledger.entry[0].noise_multiplier : NAN;
    trial_end(&run);
    return noise;
}

/* --- iterates ----------------------------------------------------------------------------------------------------- */

enum { N = 60, D = 3, PATH = 400 };
typedef struct path {
    double w[PATH + 1][D];
} path;

static void record(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    if (step <= PATH)
        memcpy(p->w[step], w, D * sizeof *w);
}

static trial_run follow(const char *name, const char *settings, const trial_problem *t, path *p)
{
    trial_run run = { .seed = 3, .watch = record, .context = p };
    const sp_values values = trial_values(sp_algorithm_find(name), settings);
    memcpy(p->w[0], t->problem.start, D * sizeof *p->w[0]);
    trial_go(sp_algorithm_find(name), &values, t, trial_noise_off(1.0, 1e-6), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s %s: %s", name, settings, run.message);
    return run;
}

/* The blocks that such a run draws, from its own sampling stream. */
static sp_oracle *twin(const trial_problem *t)
{
    sp_oracle *o = NULL;
    const sp_oracle_options options = {
        .problem = &t->problem, .privacy = trial_noise_off(1.0, 1e-6),
        .coins = trial_key(3, SP_STREAM_COINS), .sampling = trial_key(3, SP_STREAM_SAMPLING),
        .noise = trial_key(3, SP_STREAM_NOISE), .selection = trial_key(3, SP_STREAM_SELECTION),
    };
    CHECK(sp_oracle_new(&options, &o, NULL) == SP_OK);
    return o;
}

/* g = sum over the batch's records of grad f(w) / m, its public part with the same factor. */
static void block_gradient(sp_oracle *o, sp_batch batch, size_t m, const double *w, double *g)
{
    CHECK(sp_gradient(o, &SP_AT(batch, w), 0.0, g) == SP_OK);
    cblas_dscal(D, (double)sp_batch_size(o, batch) / (double)m, g, 1);
}

/* --- dp_nsgd ------------------------------------------------------------------------------------------------------ */

static void test_nsgd_reference(void)
{
    static const struct { double epochs, cost, V; } rows[] = {
        { 5, 51.30050545107639, 74 }, { 10, 95.47152827900271, 150 }, { 20, 184.0049571291533, 302 },
    };
    for (size_t i = 0; i < 3; i++) {
        char settings[64];
        sp_privacy printed = trial_private(1.0, 1e-8);
        printed.calibration = SP_CALIBRATE_PAPER;
        snprintf(settings, sizeof settings, "epochs=%g", rows[i].epochs);
        CHECK_NEAR(node_noise("dp_nsgd", settings, trial_private(1.0, 1e-8)), sqrt(rows[i].cost) / mu, 1e-3);
        CHECK_NEAR(node_noise("dp_nsgd", settings, printed), 4.0 * sqrt(rows[i].V * log(1e8)), 1e-9);
    }
    trial_run run = at_reference("dp_nsgd", "", 1);
    CHECK(trial_resolved(&run, "epochs") == 20.0);
    CHECK(provenance(&run, "epochs") == SP_FROM_CAP);
    CHECK_NEAR(trial_resolved(&run, "momentum"), 1e-4, 1e-18);
    CHECK_NEAR(trial_resolved(&run, "eta"), 2.2360679774997898e-05, 1e-17); /* sqrt(gap / (beta n T)), T = 2e5 */
    CHECK(isnan(trial_resolved(&run, "bound"))); /* no theorem for one permutation */
    CHECK_CONTAINS(run.warning, "vacuous parameters: the bound 1.91 is not below 1, ");
    trial_end(&run);
    run = at_reference("dp_nsgd", "max_epochs=50", 1); /* T log2 T = epsilon n^2 / sqrt(d ln(1/delta)) */
    CHECK_NEAR(trial_resolved(&run, "epochs"), 39.62137190815733, 1e-9);
    CHECK(provenance(&run, "epochs") == SP_FROM_THEORY);
    trial_end(&run);
    run = at_reference("dp_nsgd", "batch=30", 0); /* 333 blocks of 30, one of 10 */
    CHECK_EQUAL(run.checkpoints, 20 * 334);
    CHECK_EQUAL(run.cost.gradients, 20.0 * 1e4);
    CHECK_NEAR(trial_resolved(&run, "momentum"), 1.0 / 334.0, 1e-15);
    CHECK_CONTAINS(run.warning, "the bound 1.82 is");
    CHECK_NEAR(run.spent.best, 1.0, 1e-6); /* a short block costs no more than the others */
    CHECK_NEAR(sqrt(paid(&run)), mu, 1e-6);
    trial_end(&run);
    run = at_reference("dp_nsgd", "epochs=2.5", 0);
    CHECK_EQUAL(run.checkpoints, 25000);
    CHECK(provenance(&run, "epochs") == SP_FROM_USER);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);
    run = at_reference("dp_nsgd", "batch=100 noise=honaker epochs=3", 0);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);
    static const char *const noises[] = { "tree", "honaker" };
    for (size_t i = 0; i < 2; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "batch=30 epochs=3.5 reshuffle=true noise=%s", noises[i]);
        run = at_reference("dp_nsgd", settings, 0);
        CHECK_NEAR(run.spent.best, 1.0, 1e-6); /* the dearest record pays all of it */
        CHECK(isfinite(trial_resolved(&run, "bound")));
        trial_end(&run);
    }
    run = at_reference("dp_nsgd", "batch=30 epochs=3.5 reshuffle=true select=last", 0);
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    run = (trial_run){ .seed = 3 };
    const sp_values both = trial_values(sp_algorithm_find("dp_nsgd"), "reshuffle=true noise=sqrt");
    trial_go(sp_algorithm_find("dp_nsgd"), &both, &reference, trial_private(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EUNSUPPORTED);
    CHECK_CONTAINS(run.message, "the noise of a reshuffled pass is a tree's");
    trial_end(&run);
    run = at_reference("dp_nsgd", "batch=30 noise=sqrt", 0);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    CHECK_NEAR(sqrt(paid(&run)), mu, 1e-6);
    trial_end(&run);
    /* band 1024; the cost of 200,000 sums by NumPy. The first entry is what the first add costs in all releases. */
    CHECK_NEAR(sp_node_cost(SP_NOISE_SQRT, 200000, 10000, 1.0 - 1e-4), 66.80977695390338, 1e-9);
    CHECK_NEAR(sp_answer_variance(SP_NOISE_SQRT, 200000, 10000, 1.0 - 1e-4), 4.43848450381127, 1e-9);
    CHECK_NEAR(sp_node_cost(SP_NOISE_TREE, 8, 4, 0.75), 3.6114020086824894, 1e-12);
}

/* M <- (1 - a) M + a g, then a step of length eta along it; the smallest M / (1 - (1 - a)^t). */
static void test_nsgd_path(void)
{
    static const struct { const char *settings; size_t m, T; double a, eta; } rows[] = {
        { "batch=7 epochs=5 eta=0.02385 reshuffle=true", 7, 45, 1.0 / 9.0, 0.02385 },
        { "batch=7 epochs=5 eta=0.02385", 7, 45, 1.0 / 9.0, 0.02385 }, /* 8 blocks of 7, one of 4 */
        { "batch=60 epochs=31 eta=0.3", 60, 31, 1.0, 0.3 },
        { "batch=1 epochs=4.5 eta=0.01 momentum=0.2385 noise=honaker", 1, 270, 0.2385, 0.01 },
        { "batch=7 epochs=5 eta=0.02385 noise=sqrt", 7, 45, 1.0 / 9.0, 0.02385 },
    };
    for (size_t i = 0; i < 5; i++) {
        static const char *const rules[] = { "select=last", "select=min_release" };
        for (size_t rule = 0; rule < 2; rule++) {
            char settings[128];
            path p;
            sp_oracle *o = twin(&small);
            double w[D], g[D], M[D] = { 0.0 }, smallest = HUGE_VAL, best[D] = { 0.0 };
            snprintf(settings, sizeof settings, "%s %s", rows[i].settings, rules[rule]);
            trial_run run = follow("dp_nsgd", settings, &small, &p);
            CHECK_EQUAL(run.checkpoints, rows[i].T);
            memcpy(w, small.problem.start, sizeof w);
            for (size_t t = 1; t <= rows[i].T; t++) {
                sp_batch batch;
                CHECK(sp_draw(o, sp_pass(rows[i].m, i == 0), &batch) == SP_OK);
                block_gradient(o, batch, rows[i].m, w, g);
                for (size_t j = 0; j < D; j++)
                    M[j] = (1.0 - rows[i].a) * M[j] + rows[i].a * g[j];
                const double norm = cblas_dnrm2(D, M, 1), estimate = norm / (1.0 - pow(1.0 - rows[i].a, (double)t));
                if (estimate < smallest) {
                    smallest = estimate;
                    memcpy(best, w, sizeof best);
                }
                cblas_daxpy(D, -rows[i].eta / norm, M, 1, w, 1);
                for (size_t j = 0; j < D; j++)
                    CHECK_NEAR(p.w[t][j], w[j], 1e-12);
            }
            for (size_t j = 0; j < D; j++)
                CHECK_NEAR(run.w[j], rule == 0 ? w[j] : best[j], 1e-12);
            CHECK(rule == 0 || memcmp(best, p.w[0], sizeof best) != 0); /* M is small at first, its estimate is not */
            sp_oracle_free(o);
            trial_end(&run);
        }
    }
}

static void test_nsgd_refusals(void)
{
    const sp_algorithm *a = sp_algorithm_find("dp_nsgd");
    sp_constants c = reference.problem.declared;
    CHECK(!a->fits(&c));
    c.gap = INFINITY;
    CHECK_CONTAINS(a->fits(&c), "gap");
    c.beta = INFINITY;
    CHECK_CONTAINS(a->fits(&c), "not smooth");
    c.beta = 1.0, c.L_data = INFINITY;
    CHECK_CONTAINS(a->fits(&c), "L_data");
    refuses("dp_nsgd", "batch=10001", &reference, "m = 10001 must be in [1, 10000]");
    for (size_t i = 0; i < 4; i++) {
        static const char *const names[] = { "dp_nsgd", "sr_nsgd", "dp_ngd", "fb_sr_ngd" };
        c = reference.problem.declared;
        c.gap = 0.0;
        CHECK_CONTAINS(sp_algorithm_find(names[i])->fits(&c), "w0 is a minimiser: F(w0) - F* is known to be 0 (gap)");
    }
    /* at a stationary start there is no direction, and no step */
    const double number[3] = { 0.0, reference.problem.number[1], reference.problem.number[2] };
    reference.problem.number[1] = reference.problem.number[2] = 0.0; /* distance, tilt */
    trial_run run = go("dp_nsgd", "batch=10000 epochs=3 eta=0.5", &reference, trial_noise_off(1.0, 1e-8), 0);
    for (size_t j = 0; j < reference.data.d; j++)
        CHECK(run.w[j] == 0.0);
    trial_end(&run);
    reference.problem.number[1] = number[1], reference.problem.number[2] = number[2];
}

/* --- sr_nsgd ------------------------------------------------------------------------------------------------- */

/* With the noise off it is plain momentum over the same pass, whatever gamma. */
static void test_sr_path(void)
{
    static const struct { const char *settings; size_t m, N, E; double a, eta; } rows[] = {
        { "batch=7 epochs=5 eta=0.02385 gamma=0.1", 7, 9, 5, 1.0 / 9.0, 0.02385 }, /* 8 blocks of 7, one of 4 */
        { "batch=7 epochs=5 eta=0.02385 gamma=0.5", 7, 9, 5, 1.0 / 9.0, 0.02385 },
        { "batch=7 epochs=5 eta=0.02385 gamma=1", 7, 9, 5, 1.0 / 9.0, 0.02385 },
        { "batch=1 epochs=4 eta=0.01 momentum=0.2385", 1, 60, 4, 0.2385, 0.01 },
        { "batch=60 epochs=31 eta=0.3", 60, 1, 31, 1.0, 0.3 },
        { "batch=13 epochs=1 eta=0.3", 13, 5, 1, 0.2, 0.3 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[128];
        path p;
        sp_oracle *o = twin(&small);
        double w[D], g[D], m[D] = { 0.0 };
        snprintf(settings, sizeof settings, "%s select=last", rows[i].settings);
        trial_run run = follow("sr_nsgd", settings, &small, &p);
        CHECK_EQUAL(run.checkpoints, rows[i].E * rows[i].N);
        memcpy(w, small.problem.start, sizeof w);
        for (size_t t = 1; t <= rows[i].E * rows[i].N; t++) {
            sp_batch batch;
            CHECK(sp_draw(o, sp_pass(rows[i].m, false), &batch) == SP_OK);
            block_gradient(o, batch, rows[i].m, w, g);
            for (size_t j = 0; j < D; j++)
                m[j] = (1.0 - rows[i].a) * m[j] + rows[i].a * g[j];
            cblas_daxpy(D, -rows[i].eta / cblas_dnrm2(D, m, 1), m, 1, w, 1);
            for (size_t j = 0; j < D; j++)
                CHECK_NEAR(p.w[t][j], w[j], 1e-12);
        }
        sp_oracle_free(o);
        trial_end(&run);
    }
}

enum { BLOCKS = 5, EPOCHS_SUMMED = 6, ALL = BLOCKS * EPOCHS_SUMMED };

/* sum over i in [from, to], steps from 1, of b^(to - i) x_i */
static void window(double x[ALL + 1][D], size_t from, size_t to, double b, double *out)
{
    memset(out, 0, D * sizeof *out);
    for (size_t i = from; i <= to; i++)
        for (size_t j = 0; j < D; j++)
            out[j] += pow(b, (double)(to - i)) * x[i][j];
}

/* G_[1,t], t = q N + r, by the printed Eq. (3): gradients and differences at the start of each epoch. */
static void equation_3(double gradient[ALL + 1][D], double difference[ALL + 1][D], size_t q, size_t r, double a,
                       double gamma, double *out)
{
    const size_t t = q * BLOCKS + r;
    double part[D], other[D];
    window(gradient, 1, r, 1.0 - a, part);
    for (size_t j = 0; j < D; j++)
        out[j] = pow(1.0 - a, (double)(t - r)) * part[j];
    window(gradient, r + 1, r + BLOCKS, 1.0 - a, part);
    for (size_t i = 0; i < q; i++)
        for (size_t j = 0; j < D; j++)
            out[j] += pow(1.0 - a, (double)(BLOCKS * i)) * pow(1.0 - gamma, (double)(q - (i + 1))) * part[j];
    for (size_t i = 1; i < q; i++) {
        double factor = 0.0;
        for (size_t k = 0; k < i; k++)
            factor += pow(1.0 - gamma, (double)k) * pow(1.0 - a, (double)((i - 1 - k) * BLOCKS));
        window(difference, t - i * BLOCKS + 1, t - (i - 1) * BLOCKS, 1.0 - a, part);
        window(gradient, t - i * BLOCKS + 1, t - (i - 1) * BLOCKS, 1.0 - a, other);
        for (size_t j = 0; j < D; j++)
            out[j] += factor * ((1.0 - gamma) * part[j] + gamma * other[j]);
    }
}

/* Steps along a (G_[1,t] by Eq. (3) + r_[1,t]), every gradient taken anew. */
static void test_sr_equation(void)
{
    static const double gammas[] = { 0.1, 0.5, 1.0 };
    for (size_t k = 0; k < 3; k++) {
        char settings[128];
        path p;
        sp_oracle *o = twin(&small);
        double w[D], u[D], before[D], m[D], sum[D], g[D];
        double gradient[ALL + 1][D] = { { 0.0 } }, difference[ALL + 1][D] = { { 0.0 } }, rest[ALL + 1][D] = { { 0.0 } };
        snprintf(settings, sizeof settings, "batch=12 epochs=6 eta=0.05 momentum=0.3 gamma=%g select=last", gammas[k]);
        trial_run run = follow("sr_nsgd", settings, &small, &p);
        memcpy(w, small.problem.start, sizeof w);
        for (size_t t = 1; t <= ALL; t++) {
            /* r from 1: a new epoch's first steps still have t - r = q N */
            const size_t q = (t - 1) / BLOCKS, r = (t - 1) % BLOCKS + 1;
            sp_batch batch;
            if (r == 1) {
                memcpy(before, u, sizeof before);
                memcpy(u, w, sizeof u);
            }
            CHECK(sp_draw(o, sp_pass(12, false), &batch) == SP_OK);
            block_gradient(o, batch, 12, u, gradient[t]);
            block_gradient(o, batch, 12, w, rest[t]);
            cblas_daxpy(D, -1.0, gradient[t], 1, rest[t], 1);
            if (q > 0) {
                block_gradient(o, batch, 12, before, g);
                for (size_t j = 0; j < D; j++)
                    difference[t][j] = gradient[t][j] - g[j];
            }
            equation_3(gradient, difference, q, r, 0.3, gammas[k], sum);
            window(rest, 1, t, 0.7, m);
            cblas_daxpy(D, 1.0, sum, 1, m, 1);
            cblas_daxpy(D, -0.05 / cblas_dnrm2(D, m, 1), m, 1, w, 1);
            for (size_t j = 0; j < D; j++)
                CHECK_NEAR(p.w[t][j], w[j], 1e-12);
        }
        sp_oracle_free(o);
        trial_end(&run);
    }
}

/* The largest error of Eq. (3) as G_[1,t], of made-up gradients: standard normal numbers for each record, epoch and
 * coordinate. The records come in one order for all epochs, or in a fresh one each epoch, as Alg. 2 draws them. */
static double equation_error(bool fresh)
{
    static double value[BLOCKS][EPOCHS_SUMMED][D];
    double gradient[ALL + 1][D] = { { 0.0 } }, difference[ALL + 1][D] = { { 0.0 } }, worst = 0.0;
    size_t order[BLOCKS] = { 0, 1, 2, 3, 4 };
    gsl_rng *r = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t i = 0; i < BLOCKS; i++)
        for (size_t q = 0; q < EPOCHS_SUMMED; q++)
            for (size_t j = 0; j < D; j++)
                value[i][q][j] = gsl_ran_ugaussian(r);
    for (size_t t = 1; t <= ALL; t++) {
        const size_t q = (t - 1) / BLOCKS, place = (t - 1) % BLOCKS;
        double printed[D], sum[D];
        if (fresh && place == 0)
            gsl_ran_shuffle(r, order, BLOCKS, sizeof *order);
        for (size_t j = 0; j < D; j++) {
            gradient[t][j] = value[order[place]][q][j];
            difference[t][j] = q == 0 ? 0.0 : gradient[t][j] - value[order[place]][q - 1][j];
        }
        equation_3(gradient, difference, q, place + 1, 0.3, 0.5, printed);
        window(gradient, 1, t, 0.7, sum);
        for (size_t j = 0; j < D; j++)
            worst = fmax(worst, fabs(printed[j] - sum[j]));
    }
    gsl_rng_free(r);
    return worst;
}

static void test_sr_orders(void)
{
    CHECK(equation_error(false) < 1e-13);
    CHECK(equation_error(true) > 1.0);
}

static void test_sr_reference(void)
{
    /* C and C_D of 1024 and 10^4 steps, and of 4 at b = .75: 1.740479, .5625 */
    CHECK_NEAR(sp_node_cost(SP_NOISE_TREE, 4, 0, 0.75), 1.740479, 1e-6);
    trial_run run = at_reference("sr_nsgd", "", 1);
    CHECK(trial_resolved(&run, "epochs") == 200.0 && provenance(&run, "epochs") == SP_FROM_CAP);
    CHECK_NEAR(trial_resolved(&run, "eta"), sqrt(1.0 / (1e4 * 2e6)), 1e-16);
    CHECK_NEAR(trial_resolved(&run, "gamma"), sqrt(1.0 / 200.0), 1e-12); /* beta eta N / L */
    CHECK_NEAR(trial_resolved(&run, "momentum"), 1e-4, 1e-18);
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    run = at_reference("sr_nsgd", "max_epochs=60000", 1);
    CHECK(trial_resolved(&run, "epochs") == 46416.0); /* n^(4/3) / d^(2/3) = 46415.9, up */
    CHECK(provenance(&run, "epochs") == SP_FROM_THEORY);
    trial_end(&run);

    /* 100 blocks, 5 epochs: the budget is what 2 C, 4 C and 5 C_D cost at the shares; by NumPy */
    static const double node[] = { 0.434497258, 0.148699579, 0.180168966 };
    run = (trial_run){ .seed = 3, .transcript = sp_transcript_new() };
    const sp_values values = trial_values(sp_algorithm_find("sr_nsgd"), "batch=100 epochs=5 eta=0.001");
    sp_transcript_record(run.transcript);
    trial_go(sp_algorithm_find("sr_nsgd"), &values, &reference, trial_private(1.0, 1e-8), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    for (size_t i = 0; i < sp_transcript_count(run.transcript); i++) { /* releases: 2 a step, then 3, then 2 */
        const sp_event *event = sp_transcript_at(run.transcript, i);
        const size_t tree = i < 200 ? (i % 2 == 0 ? 0 : 2) : i < 500 ? (i - 200) % 3 : i % 2 == 0 ? 1 : 2;
        CHECK_NEAR(event->noise_std, node[tree], 1e-5 * node[tree]);
    }
    CHECK_EQUAL(sp_transcript_count(run.transcript), 200 + 300 + 3 * 200);
    CHECK_EQUAL(run.cost.releases, 1100);
    CHECK(run.cost.gradients == (1.0 + 3.0 + 3.0 * 2.0) * 1e4 && run.cost.differences == 5e4);
    CHECK_LESS_EQUAL(run.spent.best, 1.0);
    CHECK_LESS_EQUAL(sqrt(paid(&run)), mu);
    CHECK_LESS_EQUAL(0.5895, paid(&run) / (mu * mu)); /* the share of G, which has its full sensitivity */
    sp_transcript_free(run.transcript);
    trial_end(&run);
    run = at_reference("sr_nsgd", "batch=999 epochs=3", 0); /* a last block of 10 */
    CHECK_EQUAL(run.checkpoints, 33);
    CHECK_LESS_EQUAL(run.spent.best, 1.0);
    trial_end(&run);
}

static void test_sr_refusals(void)
{
    refuses("sr_nsgd", "batch=10001", &reference, "m = 10001 must be in [1, 10000]");
    const double beta = reference.problem.declared.beta_data;
    reference.problem.declared.beta_data = 0.0; /* linear: no difference is ever released */
    trial_run run = at_reference("sr_nsgd", "batch=100 epochs=3", 0);
    CHECK_EQUAL(run.cost.releases, 100 + 200 + 100);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);
    for (size_t epochs = 100; epochs < 130; epochs++) { /* every release to the last, however its sum is rounded */
        char settings[64];
        snprintf(settings, sizeof settings, "batch=2500 epochs=%zu gamma=1 eta=0.05", epochs);
        run = at_reference("sr_nsgd", settings, 0);
        CHECK_NEAR(run.spent.best, 1.0, 1e-6);
        trial_end(&run);
    }
    reference.problem.declared.beta_data = beta;
    /* held at an end of an interval, an epoch goes nowhere: its short last block is not charged for two gradients */
    trial_problem flat;
    CHECK(trial_make("logistic", N, 1, 1e-3, false, &flat));
    run = go("sr_nsgd", "batch=7 epochs=9 eta=1e-2", &flat, trial_private(1e4, 1e-8), 0);
    CHECK(fabs(run.w[0]) == 1e-3);
    trial_end(&run);
    trial_drop(&flat);
    /* every gradient is 0: no direction, no step */
    CHECK(trial_make("pseudo_huber", 10, 2, INFINITY, false, &flat));
    flat.problem.number[1] = flat.problem.number[2] = 0.0;
    const sp_values values = trial_values(sp_algorithm_find("sr_nsgd"), "epochs=3 eta=0.5");
    run = (trial_run){ .seed = 3 };
    trial_go(sp_algorithm_find("sr_nsgd"), &values, &flat, trial_noise_off(1.0, 1e-8), &run);
    CHECK(run.status == SP_OK && run.w[0] == 0.0 && run.w[1] == 0.0);
    trial_end(&run);
    trial_drop(&flat);
}

/* --- dp_ftrl ---------------------------------------------------------------------------------------------------- */

static void test_ftrl_reference(void)
{
    const sp_constants before = reference.problem.declared;
    CHECK_NEAR(sp_node_cost(SP_NOISE_TREE, 2000, 100, 1.0), 312.0, 1e-9);
    CHECK_NEAR(sp_node_cost(SP_NOISE_HONAKER, 2000, 100, 1.0), 425.0, 1e-9);
    CHECK_NEAR(sp_node_cost(SP_NOISE_TREE, 5, 0, 1.0), 3.0, 1e-12);
    CHECK_NEAR(sp_node_cost(SP_NOISE_TREE, 5, 0, 0.5), 1.265625, 1e-12);
    CHECK_NEAR(node_noise("dp_ftrl", "", trial_private(1.0, 1e-8)), sqrt(312.0) / mu, 1e-3);

    reference.problem.declared.convex = true;
    trial_run run = at_reference("dp_ftrl", "", 0);
    CHECK_EQUAL(run.checkpoints, 2000);
    CHECK_EQUAL(run.cost.gradients, 20.0 * 1e4);
    CHECK(trial_resolved(&run, "steps") == 2000.0 && provenance(&run, "steps") == SP_FROM_CAP);
    CHECK(trial_resolved(&run, "batch") == 100.0);
    CHECK_NEAR(trial_resolved(&run, "eta"), 0.004258871901521672, 1e-8); /* 1 / sqrt(T (1 + 2 nu)), nu = 13.2832 */
    CHECK(isnan(trial_resolved(&run, "bound"))); /* regret is not risk */
    CHECK_TEXT(run.warning, "");
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    CHECK_NEAR(sqrt(paid(&run)), mu, 1e-6);
    trial_end(&run);
    reference.problem.declared.gap = 0.117; /* the bound is 0.1174 */
    run = at_reference("dp_ftrl", "", 1);
    CHECK_CONTAINS(run.warning, "vacuous parameters: the bound 0.117 is not below 0.117, ");
    trial_end(&run);
    reference.problem.declared = before;

    run = at_reference("dp_ftrl", "noise=sqrt batch=30", 0); /* a short block */
    CHECK_EQUAL(run.checkpoints, 20 * 334);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);
    run = at_reference("dp_ftrl", "noise=honaker steps=77", 0);
    CHECK_EQUAL(run.checkpoints, 77);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);
    /* not convex: min(1 / beta, sqrt(2 gap / (beta T (L^2 / m + d s^2)))), d s^2 = 2 nu^2 / T */
    run = at_reference("dp_ftrl", "", 1);
    CHECK_NEAR(trial_resolved(&run, "eta"), sqrt(2.0 / (2000.0 * 0.01 + 2.0 * gsl_pow_2(13.283225249468206))), 1e-7);
    trial_end(&run);
}

/* w <- Proj(w_1 - eta G): the sum is not projected. */
static void test_ftrl_path(void)
{
    static const char *const settings[] = { "batch=7 steps=45 eta=0.1 select=last",
                                            "batch=7 steps=45 eta=0.1 select=last noise=sqrt",
                                            "batch=7 steps=45 eta=0.1 select=average" };
    for (size_t i = 0; i < 3; i++) {
        path p;
        sp_oracle *o = twin(&ball);
        double w[D], g[D], G[D] = { 0.0 }, mean[D] = { 0.0 };
        bool projected = false;
        trial_run run = follow("dp_ftrl", settings[i], &ball, &p);
        memcpy(w, ball.problem.start, sizeof w);
        for (size_t t = 1; t <= 45; t++) {
            sp_batch batch;
            CHECK(sp_draw(o, sp_pass(7, false), &batch) == SP_OK);
            block_gradient(o, batch, 7, w, g);
            for (size_t j = 0; j < D; j++) {
                mean[j] += w[j] / 45.0;
                G[j] += g[j];
                w[j] = ball.problem.start[j] - 0.1 * G[j];
            }
            const double norm = cblas_dnrm2(D, w, 1);
            projected |= norm > 0.1;
            for (size_t j = 0; j < D; j++) {
                w[j] *= norm > 0.1 ? 0.1 / norm : 1.0;
                CHECK_NEAR(p.w[t][j], w[j], 1e-12);
            }
        }
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(run.w[j], i < 2 ? w[j] : mean[j], 1e-12);
        CHECK(projected);
        sp_oracle_free(o);
        trial_end(&run);
    }
}

/* Steps so short that the loss is linear along the way: what the noise moves is eta times the noise of G. */
typedef struct scatter {
    const path *exact;
    double square;
} scatter;

static void measure(trial_run *run, size_t step, const double *w)
{
    scatter *s = run->context;
    for (size_t j = 0; j < D && step > 0; j++)
        s->square += gsl_pow_2((w[j] - s->exact->w[step][j]) / 1e-7);
}

/* At equal budget square-root noise is below the tree's by the table's ratio, 22.99 against 9.349 (256 sums over passes
 * of 32 blocks): root mean square over runs, steps, coordinates. */
static void test_ftrl_noise(void)
{
    enum { RUNS = 700, T = 256 };
    static const char *const noises[] = { "tree", "sqrt" };
    static const double product[] = { 22.9894, 9.3488 }; /* sqrt(cost x mean variance), by NumPy */
    trial_problem t;
    double found[2];
    CHECK(trial_make("logistic", 64, D, INFINITY, false, &t));
    for (size_t k = 0; k < 2; k++) {
        char settings[96];
        scatter s = { 0 };
        snprintf(settings, sizeof settings, "batch=2 steps=256 eta=1e-7 noise=%s select=last", noises[k]);
        const sp_values values = trial_values(sp_algorithm_find("dp_ftrl"), settings);
        for (uint64_t seed = 1; seed <= RUNS; seed++) {
            path p;
            trial_run exact = { .seed = seed, .watch = record, .context = &p };
            trial_run run = { .seed = seed, .watch = measure, .context = &s };
            trial_go(sp_algorithm_find("dp_ftrl"), &values, &t, trial_noise_off(1.0, 1e-8), &exact);
            s.exact = &p;
            trial_go(sp_algorithm_find("dp_ftrl"), &values, &t, trial_private(1.0, 1e-8), &run);
            CHECK_EQUAL(run.status, SP_OK);
            trial_end(&exact);
            trial_end(&run);
        }
        found[k] = sqrt(s.square / (RUNS * T * D)) / (t.problem.declared.L_data / mu); /* 2 L / m = L */
        /* 2,100 paths, each a mean square of relative deviation sqrt 2 at most: false alarm 1e-6 */
        CHECK_NEAR(found[k] / product[k], 1.0, 4.9 * 0.5 * sqrt(2.0 / (RUNS * D)));
    }
    CHECK_NEAR(found[0] / found[1], 22.9894 / 9.3488, 0.2);
    trial_drop(&t);
}

static void test_ftrl_refusals(void)
{
    const sp_constants before = reference.problem.declared;
    sp_constants *c = &reference.problem.declared;
    const sp_algorithm *a = sp_algorithm_find("dp_ftrl");
    refuses("dp_ftrl", "batch=10001", &reference, "m = 10001 must be in [1, 10000]");
    c->beta = INFINITY;
    refuses("dp_ftrl", "", &reference, "eta must be given");
    c->convex = true, c->distance = c->diameter = INFINITY;
    refuses("dp_ftrl", "", &reference, "eta must be given");
    c->L_data = INFINITY;
    CHECK_CONTAINS(a->fits(c), "L_data");
    reference.problem.declared = before;
}

int main(void)
{
    if (trial_make("pseudo_huber", 10000, 10, INFINITY, false, &reference)
        && trial_make("logistic", N, D, INFINITY, false, &small)
        && trial_make("pseudo_huber", N, D, 0.1, false, &ball)) {
        sp_constants *c = &reference.problem.declared;
        c->L = c->L_data = c->beta = c->beta_data = c->gap = c->distance = 1.0;
        test_nsgd_reference();
        test_nsgd_path();
        test_nsgd_refusals();
        test_sr_path();
        test_sr_equation();
        test_sr_orders();
        test_sr_reference();
        test_sr_refusals();
        test_ftrl_reference();
        test_ftrl_path();
        test_ftrl_noise();
        test_ftrl_refusals();
    }
    trial_drop(&reference);
    trial_drop(&small);
    trial_drop(&ball);
    return sp_check_done();
}
