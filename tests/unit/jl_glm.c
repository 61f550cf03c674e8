/* unit/jl_glm.c -- the projection from its definition: its law, the cut, the lift, the base run by hand; k; constants
 * and ledger; the sensitivity on neighbours; what is refused. Statistical tests fix their seeds. */
#include "tests/trial.h"

#include "core/numeric/normal.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>

enum { N = 400, D = 6, RUNS = 500 };

static trial_problem small; /* logistic, records of norm 1 */

static const sp_algorithm *jl(void)
{
    return sp_algorithm_find("jl_glm");
}

/* With dp_gd, output = last, as the base. */
static trial_run go(const char *settings, const trial_problem *t, sp_privacy privacy, uint64_t seed)
{
    trial_run run = { .seed = seed };
    const sp_values values = trial_values(jl(), settings);
    trial_go(jl(), &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s: %s %s", settings, sp_status_name(run.status), run.message);
    return run;
}

/* Phi of a run: the next step of its public coins. */
static void draw(uint64_t seed, size_t k, size_t d, double *phi)
{
    sp_stream_key key;
    gsl_rng *coins = sp_stream_open(trial_key(seed, SP_STREAM_COINS));
    const uint64_t step = sp_stream_step(coins, &key);
    memset(phi, 0, k * d * sizeof *phi);
    sp_normal_add(key, step, 0, k * d, 1.0 / sqrt((double)k), phi);
    gsl_rng_free(coins);
}

static void multiply(const double *phi, size_t k, size_t d, const double *x, double *z)
{
    for (size_t a = 0; a < k; a++) {
        z[a] = 0.0;
        for (size_t j = 0; j < d; j++)
            z[a] += phi[a * d + j] * x[j];
    }
}

/* --- the method by hand -------------------------------------------------------------------------------------- */

/* `steps` of gradient descent on the projected records, lifted; the number of records that were cut. */
static size_t by_hand(const trial_problem *t, uint64_t seed, size_t k, size_t steps, double eta, double *w)
{
    const size_t d = t->data.d, n = t->data.n;
    double phi[D * D], v[D], z[D], g[D];
    size_t cut = 0;
    draw(seed, k, d, phi);
    multiply(phi, k, d, t->problem.start, v);
    for (size_t s = 0; s < steps; s++) {
        memset(g, 0, sizeof g);
        for (size_t i = 0; i < n; i++) {
            const double y = t->data.y[i];
            double norm = 0.0, margin = 0.0;
            multiply(phi, k, d, t->data.X + i * t->data.stride, z);
            for (size_t a = 0; a < k; a++)
                norm += z[a] * z[a];
            const double scale = norm > 4.0 ? 2.0 / sqrt(norm) : 1.0;
            cut += s == 0 && norm > 4.0;
            for (size_t a = 0; a < k; a++)
                margin += scale * z[a] * v[a];
            for (size_t a = 0; a < k; a++)
                g[a] -= y / (1.0 + exp(y * margin)) * scale * z[a] / (double)n;
        }
        for (size_t a = 0; a < k; a++)
            v[a] -= eta * g[a];
    }
    for (size_t j = 0; j < d; j++) {
        w[j] = 0.0;
        for (size_t a = 0; a < k; a++)
            w[j] += phi[a * d + j] * v[a];
    }
    return cut;
}

static void test_by_hand(void)
{
    static const char *const settings[] = { "k=1 steps=7 eta=0.3", "k=3 steps=7 eta=0.3", "k=5 steps=7 eta=0.3" };
    double *start = small.problem.start, expected[D];
    size_t cut = 0;
    start[0] = 0.31, start[1] = -1.27, start[4] = 0.8;
    for (size_t i = 0; i < 3; i++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            trial_run run = go(settings[i], &small, trial_noise_off(1.0, 1e-6), seed);
            cut += by_hand(&small, seed, 2 * i + 1, 7, 0.3, expected);
            for (size_t j = 0; j < D; j++)
                CHECK_NEAR(run.w[j], expected[j], 1e-13);
            CHECK_EQUAL(trial_resolved(&run, "k"), 2.0 * (double)i + 1.0);
            CHECK_TEXT(run.warning, "");
            trial_end(&run);
        }
    SP_CHECK_REPORT(cut > 20 && cut < 6 * N, "%zu records were cut", cut);
    memset(start, 0, D * sizeof *start);
}

/* --- the law of Phi ------------------------------------------------------------------------------------------ */

/* One step from 0 is w = -eta Phi' Phi g, so -<w, g> / eta = ||Phi g||^2: ||g||^2 chi^2_k / k. Records short enough
 * never to be cut. Kolmogorov & Smirnov, false alarms 1e-4: 2.225 / sqrt(RUNS). And E[Phi' Phi] = I: 4 deviations,
 * 6e-5 a coordinate. */
static void test_law(void)
{
    trial_problem t;
    double value[RUNS], g[D], mean[D] = { 0.0 }, norm = 0.0, distance = 0.0;
    const double eta = 0.3, k = 3.0;
    if (!trial_make("logistic", 40, D, INFINITY, false, &t))
        return;
    for (size_t i = 0; i < 40; i++)
        cblas_dscal(D, 0.1, sp_dataset_X(&t.data) + i * t.data.stride, 1);
    CHECK_EQUAL(sp_dataset_seal(&t.data, 1.0, 1.0, NULL), SP_OK);
    sp_workspace *scratch = sp_workspace_new(&t.problem);
    sp_problem_gradient(&t.problem, scratch, t.problem.start, g);
    sp_workspace_free(scratch);
    for (size_t j = 0; j < D; j++)
        norm += g[j] * g[j];
    CHECK(norm > 0.0);
    for (size_t r = 0; r < RUNS; r++) {
        trial_run run = go("k=3 steps=1 eta=0.3", &t, trial_noise_off(1.0, 1e-6), 100 + r);
        value[r] = 0.0;
        for (size_t j = 0; j < D; j++) {
            value[r] -= run.w[j] * g[j] / eta;
            mean[j] -= run.w[j] / eta / RUNS;
        }
        value[r] *= k / norm;
        trial_end(&run);
    }
    gsl_sort(value, 1, RUNS);
    for (size_t r = 0; r < RUNS; r++) {
        const double p = gsl_cdf_chisq_P(value[r], k);
        distance = fmax(distance, fmax(fabs(p - (double)r / RUNS), fabs(p - (double)(r + 1) / RUNS)));
    }
    CHECK_LESS_EQUAL(distance, 2.225 / sqrt((double)RUNS));
    for (size_t j = 0; j < D; j++) /* Var (Phi' Phi g)_j = (||g||^2 + g_j^2) / k */
        CHECK_NEAR(mean[j], g[j], 4.0 * sqrt((norm + g[j] * g[j]) / (k * RUNS)));
    trial_drop(&t);
}

/* --- k ------------------------------------------------------------------------------------------------------- */

/* n = 400, epsilon = 0.05, d = 16: (n epsilon)^0.8 = 10.99, ln(2n/delta) = 20.50; argmin 10 by an independent scan. */
static void test_dimension(void)
{
    static const struct {
        const char *settings;
        double k;
        sp_provenance from;
    } cases[] = {
        { "", 11, SP_FROM_THEORY },
        { "scale=0.5", 6, SP_FROM_THEORY },
        { "rank=1", 4, SP_FROM_CAP },
        { "rank=2", 8, SP_FROM_CAP },
        { "rank=3", 11, SP_FROM_THEORY },
        { "rank=3 scale=2", 12, SP_FROM_CAP },
        { "scale=2", 16, SP_FROM_CAP }, /* d */
        { "k=7 rank=1", 7, SP_FROM_USER },
        { "k=17", 16, SP_FROM_CAP },
        { "k=16", 16, SP_FROM_USER },
        { "parameters=published", 16, SP_FROM_CAP },
        { "parameters=published scale=0.02", 5, SP_FROM_THEORY }, /* 4.10 */
        { "parameters=published scale=0.3 rank=1", 7, SP_FROM_THEORY }, /* 6.15 */
    };
    trial_problem t;
    if (!trial_make("logistic", N, 16, INFINITY, false, &t))
        return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char settings[128];
        snprintf(settings, sizeof settings, "steps=2 eta=0.1 %s", cases[i].settings);
        trial_run run = go(settings, &t, trial_private(0.05, 1e-6), 3);
        CHECK_EQUAL(run.resolved_count, 1);
        SP_CHECK_REPORT(trial_resolved(&run, "k") == cases[i].k && run.resolved[0].from == cases[i].from,
                        "%s: k = %g, %d", cases[i].settings, trial_resolved(&run, "k"), (int)run.resolved[0].from);
        if (cases[i].k == 16.0)
            CHECK_CONTAINS(run.warning, "is not below d = 16: the records are not projected");
        else
            CHECK(strstr(run.warning, "projected") == NULL);
        trial_end(&run);
    }
    t.problem.declared.gap = INFINITY;
    trial_run run = { .seed = 3 };
    const sp_values values = trial_values(jl(), "parameters=published steps=2");
    trial_go(jl(), &values, &t, trial_private(0.05, 1e-6), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "k must be given");
    trial_end(&run);
    trial_drop(&t);
}

/* Not projected, a run is the base's, to the last bit; dp_spider is the base that is not given. */
static void test_no_projection(void)
{
    trial_run whole = go("k=6 steps=9 eta=0.3", &small, trial_private(1.0, 1e-6), 5), plain = { .seed = 5 };
    const sp_values gd = trial_values(sp_algorithm_find("dp_gd"), "steps=9 eta=0.3 select=last");
    trial_go(sp_algorithm_find("dp_gd"), &gd, &small, trial_private(1.0, 1e-6), &plain);
    CHECK(memcmp(whole.w, plain.w, D * sizeof *plain.w) == 0);
    CHECK_EQUAL(whole.checkpoints, plain.checkpoints);
    CHECK_NEAR(whole.spent.best, plain.spent.best, 0.0);
    trial_end(&whole);
    trial_end(&plain);

    sp_values values, spider;
    whole = plain = (trial_run){ .seed = 5 };
    sp_values_start(&values, jl()->params);
    sp_values_start(&spider, sp_algorithm_find("dp_spider")->params);
    CHECK_EQUAL(sp_values_set_number(&values, "jl_glm", "k", 9, NULL), SP_OK);
    trial_go(jl(), &values, &small, trial_private(1.0, 1e-6), &whole);
    trial_go(sp_algorithm_find("dp_spider"), &spider, &small, trial_private(1.0, 1e-6), &plain);
    CHECK_EQUAL(whole.status, SP_OK);
    CHECK_EQUAL(whole.cost.releases, plain.cost.releases);
    CHECK(memcmp(whole.w, plain.w, D * sizeof *plain.w) == 0);
    trial_end(&whole);
    trial_end(&plain);
}

static void look_for_answer(trial_run *run, const double *w)
{
    *(size_t *)run->context += memcmp(w, run->w + D, D * sizeof *w) == 0;
}

/* What the base's answer is drawn from is told lifted, as the answer itself is. */
static void test_candidates(void)
{
    size_t met = 0;
    trial_run drawn = go("k=3 steps=9 eta=0.3 select=uniform", &small, trial_private(1.0, 1e-6), 5);
    trial_run mean = { .seed = 5, .candidate = look_for_answer, .context = &met };
    const sp_values values = trial_values(jl(), "k=3 steps=9 eta=0.3 select=mean");
    memcpy(mean.w + D, drawn.w, D * sizeof *drawn.w);
    trial_go(jl(), &values, &small, trial_private(1.0, 1e-6), &mean);
    CHECK(memcmp(mean.w, drawn.w, D * sizeof *drawn.w) == 0);
    CHECK_EQUAL(met, 1);
    trial_end(&drawn);
    trial_end(&mean);
}

/* --- privacy ------------------------------------------------------------------------------------------------- */

/* The base's ledger on all records, whatever k; its sensitivity is 2 (2 L_p R) / n. */
static void test_ledger(void)
{
    static const char *const settings[] = { "k=1 steps=5", "k=4 steps=5", "k=6 steps=5" };
    double multiplier = NAN, spent = NAN;
    for (size_t i = 0; i < 3; i++) {
        trial_run run = go(settings[i], &small, trial_private(1.0, 1e-6), 7);
        CHECK_EQUAL(run.ledger.count, 1);
        const sp_entry *e = run.ledger.entry;
        CHECK(e->kind == SP_LEDGER_GAUSS && e->pool == 0 && e->count == 5);
        CHECK_NEAR(e->sensitivity_high, (i < 2 ? 4.0 : 2.0) / N, 1e-15);
        CHECK_NEAR(e->sensitivity_low, e->sensitivity_high, 0.0);
        if (i > 0) {
            CHECK_NEAR(e->noise_multiplier, multiplier, 0.0);
            CHECK_NEAR(run.spent.best, spent, 0.0);
        }
        multiplier = e->noise_multiplier;
        spent = run.spent.best;
        CHECK_LESS_EQUAL(spent, 1.0 + 1e-9);
        CHECK_LESS_EQUAL(0.999, spent);
        trial_end(&run);
    }
}

/* Answers of the child without noise, on records of which one may be replaced. */
static void answer(const trial_problem *t, const double *phi, size_t k, const sp_query *query, double *out,
                   double *sensitivity)
{
    sp_oracle *o = NULL, *child = NULL;
    const sp_oracle_options options = {
        .problem = &t->problem, .privacy = trial_noise_off(1.0, 1e-6),
        .coins = trial_key(1, SP_STREAM_COINS), .sampling = trial_key(1, SP_STREAM_SAMPLING),
        .noise = trial_key(1, SP_STREAM_NOISE), .selection = trial_key(1, SP_STREAM_SELECTION),
    };
    CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
    CHECK_EQUAL(sp_child(o, &(sp_child_options){ .share = 1.0, .projection = phi, .projected = k }, &child), SP_OK);
    *sensitivity = sp_sensitivity(child, query);
    CHECK_EQUAL(sp_gradient(child, query, 0.0, out), SP_OK);
    sp_oracle_free(o);
}

/* The last record of `t` becomes the unit vector along x, of label 1. */
static void replace(trial_problem *t, const double *x)
{
    double *at = sp_dataset_X(&t->data) + (t->data.n - 1) * t->data.stride;
    const double norm = cblas_dnrm2(D, x, 1);
    for (size_t j = 0; j < D; j++)
        at[j] = x[j] / norm;
    sp_dataset_y(&t->data)[t->data.n - 1] = 1.0;
    CHECK_EQUAL(sp_dataset_seal(&t->data, 1.0, 1.0, NULL), SP_OK);
}

/* Projections of every length, from none cut to all. The records that differ are nearly opposite, and u on the wrong
 * side of both, so both gradients have full length: the answers differ by the sensitivity at most, somewhere by 95 % of
 * it. */
static void test_neighbours(void)
{
    enum { K = 3, FEW = 40 };
    trial_problem here, there;
    double phi[K * D], x[D], opposite[D], z[2][K], u[K], w[K], a[K], b[K], sensitivity, worst[2] = { 0.0, 0.0 };
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "neighbours", 0, SP_STREAM_DATA));
    if (!trial_make("logistic", FEW, D, INFINITY, false, &here) ||
        !trial_make("logistic", FEW, D, INFINITY, false, &there))
        return;
    for (size_t trial = 0; trial < 300; trial++) {
        const double length = sp_pow(10.0, gsl_ran_flat(stream, -1.0, 4.0));
        const double far = sp_pow(10.0, gsl_ran_flat(stream, -1.0, 3.0));
        for (size_t i = 0; i < K * D; i++)
            phi[i] = gsl_ran_gaussian(stream, length);
        for (size_t j = 0; j < D; j++) {
            x[j] = gsl_ran_gaussian(stream, 1.0);
            opposite[j] = -x[j] + gsl_ran_gaussian(stream, 0.1);
        }
        replace(&here, x);
        replace(&there, opposite);
        multiply(phi, K, D, x, z[0]);
        multiply(phi, K, D, opposite, z[1]);
        for (size_t i = 0; i < K; i++) {
            u[i] = -far * (z[0][i] / cblas_dnrm2(K, z[0], 1) + z[1][i] / cblas_dnrm2(K, z[1], 1));
            w[i] = trial % 2 ? -u[i] : 0.9 * u[i];
        }
        const sp_query queries[] = { SP_AT((sp_batch){ 0 }, u), SP_BETWEEN((sp_batch){ 0 }, u, w) };
        for (size_t q = 0; q < 2; q++) {
            double move = 0.0;
            answer(&here, phi, K, &queries[q], a, &sensitivity);
            answer(&there, phi, K, &queries[q], b, &sensitivity);
            for (size_t i = 0; i < K; i++)
                move += (a[i] - b[i]) * (a[i] - b[i]);
            SP_CHECK_REPORT(sqrt(move) <= sensitivity * (1.0 + 1e-12), "%zu: moves %g, declared %g", q, sqrt(move),
                            sensitivity);
            worst[q] = fmax(worst[q], sqrt(move) / sensitivity);
            if (q == 0)
                CHECK_NEAR(sensitivity, 2.0 * 2.0 / FEW, 1e-15);
        }
    }
    CHECK_LESS_EQUAL(0.95, worst[0]);
    SP_CHECK_REPORT(worst[1] > 0.3, "differences move by %g of their sensitivity", worst[1]);
    gsl_rng_free(stream);
    trial_drop(&here);
    trial_drop(&there);
}

/* --- what is refused ----------------------------------------------------------------------------------------- */

static void refused(const char *settings, const trial_problem *t, sp_status status, const char *part)
{
    trial_run run = { .seed = 1 };
    const sp_values values = trial_values(jl(), settings);
    trial_go(jl(), &values, t, trial_private(1.0, 1e-6), &run);
    CHECK_EQUAL(run.status, status);
    CHECK_CONTAINS(run.message, part);
    CHECK_EQUAL(run.cost.releases, 0);
    trial_end(&run);
}

static void test_refusals(void)
{
    static const char *const others[] = { "pseudo_huber", "sin_pl", "radial" };
    extern const sp_regulariser sp_regulariser_nonconvex;
    trial_problem t;
    for (size_t i = 0; i < 3; i++) {
        if (trial_make(others[i], 20, D, 1.0, false, &t))
            CHECK_CONTAINS(jl()->fits(&t.problem.declared), "GLM");
        trial_drop(&t);
    }
    if (trial_make("pseudo_huber", 20, D, INFINITY, false, &t)) /* should somebody not ask */
        refused("k=2 steps=2", &t, SP_EMISFIT, "only a GLM");
    trial_drop(&t);
    if (trial_make("logistic", 20, D, 1.0, false, &t))
        CHECK_CONTAINS(jl()->fits(&t.problem.declared), "the domain is bounded");
    trial_drop(&t);
    CHECK(jl()->fits(&small.problem.declared) == NULL);
    sp_constants regularised = small.problem.declared; /* as sp_certify has it: only the data part lacks it */
    regularised.L += 0.3, regularised.beta += 0.2;
    CHECK_CONTAINS(jl()->fits(&regularised), "the regulariser");
    small.problem.regulariser = &sp_regulariser_nonconvex;
    small.problem.lambda = 0.1;
    refused("k=2 steps=2", &small, SP_EMISFIT, "without a regulariser");
    small.problem.regulariser = NULL;
    small.problem.lambda = 0.0;

    sp_values values; /* the base does not fit the projected problem */
    trial_run run = { .seed = 1 };
    sp_values_start(&values, jl()->params);
    CHECK_EQUAL(sp_values_set_number(&values, "jl_glm", "k", 2, NULL), SP_OK);
    if (trial_make("hinge", 20, D, INFINITY, false, &t)) {
        trial_go(jl(), &values, &t, trial_private(1.0, 1e-6), &run);
        CHECK_EQUAL(run.status, SP_EMISFIT);
        CHECK_CONTAINS(run.message, "dp_spider: the loss is not smooth");
    }
    trial_end(&run);
    trial_drop(&t);
}

int main(void)
{
    if (trial_make("logistic", N, D, INFINITY, false, &small)) {
        test_by_hand();
        test_law();
        test_dimension();
        test_no_projection();
    test_candidates();
        test_ledger();
        test_neighbours();
        test_refusals();
    }
    trial_drop(&small);
    return sp_check_done();
}
