/* banded.c -- square-root noise: the factorisation against dense matrices, the charge of every record against a brute
 * force over all of them, the covariance of what is released. The table's numbers: an independent NumPy program. */
#include "core/oracle/mechanisms/banded.h"
#include "core/oracle/replay.h"
#include "tests/private_problem.h"

#include <gsl/gsl_math.h>

enum { N = 64, D = 3, STEPS = 23, MOST = 64 };

static const double points[4][D] = {
    { 0.31, -1.27, 0.05 }, { 0.35, -1.2, 0.4 }, { -2.0, 0.1, 0.9 }, { 0.0, 0.77, 3.1 }
};

/* --- the factorisation, dense ------------------------------------------------------------------------------------ */

typedef double matrix[MOST][MOST];

static void multiply(size_t n, matrix a, matrix b, matrix out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            out[i][j] = 0.0;
            for (size_t k = 0; k < n; k++)
                out[i][j] += a[i][k] * b[k][j];
        }
}

/* C = R^-1 by forward substitution, and the mixing A R of the noise; R from the binomial series of sqrt(1 - keep x). */
static void dense(size_t n, double keep, size_t band, matrix C, matrix mixing)
{
    static matrix A, R;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double binomial = 1.0; /* (1/2 choose k) (-1)^k */
            const size_t k = i >= j ? i - j : 0;
            for (size_t l = 1; l <= k; l++)
                binomial *= -(0.5 - (double)(l - 1)) / (double)l;
            A[i][j] = i >= j ? pow(keep, (double)k) : 0.0;
            R[i][j] = i >= j && k < band ? binomial * pow(keep, (double)k) : 0.0;
        }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            C[i][j] = i == j ? 1.0 : 0.0;
            for (size_t k = j; k < i; k++)
                C[i][j] -= R[i][k] * C[k][j];
        }
    multiply(n, A, R, mixing);
}

/* max over records of the sum of |C'C| over pairs of its adds */
static double brute_cost(size_t n, size_t period, matrix C)
{
    double worst = 0.0;
    for (size_t record = 0; record < n; record++) {
        double cost = 0.0;
        for (size_t i = record; i < n; i += period > 0 ? period : n)
            for (size_t j = record; j < n; j += period > 0 ? period : n) {
                double product = 0.0;
                for (size_t t = 0; t < n; t++)
                    product += C[t][i] * C[t][j];
                cost += fabs(product);
            }
        worst = fmax(worst, cost);
    }
    return worst;
}

static void against_matrices(void)
{
    static const double keeps[] = { 1.0, 0.93, 0.4, 0.0 };
    static const size_t sizes[] = { 1, 2, 37, 64 }, periods[] = { 0, 1, 5, 32, 100 };
    static const size_t bands[] = { 1, 2, 3, 4, 7, 8, 16, 23, 32, 37, 64, 90 };
    static matrix C, mixing;
    static double space[2 * MOST + 2 * MOST];
    for (size_t k = 0; k < 4; k++)
        for (size_t s = 0; s < 4; s++)
            for (size_t p = 0; p < 5; p++) {
                const size_t n = sizes[s];
                double smallest = HUGE_VAL;
                sp_banded_figures chosen;
                for (size_t b = 0; b < sizeof bands / sizeof *bands && bands[b] < 2 * n; b++) {
                    const size_t band = bands[b];
                    double variance = 0.0, largest = 0.0;
                    dense(n, keeps[k], band, C, mixing);
                    const double cost = brute_cost(n, periods[p], C);
                    for (size_t t = 0; t < n; t++) {
                        double at = 0.0;
                        for (size_t i = 0; i <= t; i++)
                            at += mixing[t][i] * mixing[t][i];
                        variance += at / (double)n;
                        largest = fmax(largest, at);
                    }
                    const sp_banded_figures found = sp_banded_try(n, periods[p], keeps[k], band, space);
                    CHECK_NEAR(found.cost, cost, 1e-12 * cost);
                    CHECK_NEAR(found.variance, variance, 1e-12 * variance);
                    CHECK_NEAR(found.largest, largest, 1e-12 * largest);
                    for (size_t t = 1; t < n; t++) /* what the charge in advance rests on */
                        CHECK(C[t][0] >= 0.0 && C[t][0] <= C[t - 1][0]);
                    if ((band & (band - 1)) == 0)
                        smallest = fmin(smallest, cost * variance);
                }
                const size_t band = sp_banded_band(n, periods[p], keeps[k], &chosen);
                CHECK(band > 0 && (band & (band - 1)) == 0);
                CHECK_NEAR(chosen.cost * chosen.variance, smallest, 1e-12 * smallest);
                CHECK(sp_node_cost(SP_NOISE_SQRT, n, periods[p], keeps[k]) == chosen.cost);
                CHECK(sp_answer_variance(SP_NOISE_SQRT, n, periods[p], keeps[k]) == chosen.variance);
                CHECK(sp_answer_variance_max(SP_NOISE_SQRT, n, periods[p], keeps[k]) == chosen.largest);
            }
}

/* cost; mean squared coefficient of the noise, of 256 sums */
static void table(void)
{
    enum { T = 256 };
    static double space[3 * T];
    static const struct {
        size_t period;
        double keep, tree[2], root[3][2]; /* bands 16, 64, 256 */
    } rows[] = {
        { 0, 1.0, { 9.0, 4.0039 }, { { 2.1117, 4.2838 }, { 2.5634, 2.6761 }, { 2.8310, 2.5158 } } },
        { 32, 1.0, { 132.0, 4.0039 }, { { 20.4021, 4.2838 }, { 42.4326, 2.6761 }, { 53.8311, 2.5158 } } },
        { 0, 0.9, { 2.6141, 1.9017 }, { { 1.4512, 1.4478 }, { 1.4518, 1.4470 }, { 1.4518, 1.4470 } } },
    };
    static const size_t best[] = { 64, 16, 64 };
    for (size_t i = 0; i < 3; i++) {
        CHECK_NEAR(sp_node_cost(SP_NOISE_TREE, T, rows[i].period, rows[i].keep), rows[i].tree[0], 5.1e-5);
        CHECK_NEAR(sp_answer_variance(SP_NOISE_TREE, T, rows[i].period, rows[i].keep), rows[i].tree[1], 5.1e-5);
        for (size_t b = 0; b < 3; b++) {
            const sp_banded_figures found = sp_banded_try(T, rows[i].period, rows[i].keep, (size_t)16 << 2 * b, space);
            CHECK_NEAR(found.cost, rows[i].root[b][0], 5.1e-5);
            CHECK_NEAR(found.variance, rows[i].root[b][1], 5.1e-5);
        }
        if (i < 2)
            CHECK_EQUAL(sp_banded_band(T, rows[i].period, rows[i].keep, NULL), best[i]);
    }
    CHECK_EQUAL(sp_banded_band(200000, 10000, 1.0 - 1e-4, NULL), SP_BAND_MAX); /* 17.2 against the tree's 35 */
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

/* With the noise off: a <- keep a + q, the public part too; beyond the band and after a restart. */
static void exact_sums(void)
{
    static const size_t periods[] = { 0, 1, 4 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.07, N, D);
    for (size_t k = 0; k < 3; k++) {
        sp_oracle *o = private_oracle(&p, private_silent, 61);
        sp_accumulator *a = NULL;
        double out[D], q[D];
        const double keep = k == 1 ? 0.9 : 1.0;
        const sp_accumulator_plan plan = { .adds = STEPS, .keep = keep, .period = periods[k] };
        OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &plan, &a));
        for (int again = 0; again < 2; again++) {
            double expected[D] = { 0 };
            for (size_t t = 1; t <= (again ? STEPS / 2 : STEPS); t++) {
                sp_query query = SP_AT((sp_batch){ 0 }, points[t % 4]);
                if (k != 1)
                    OK(o, sp_draw(o, k == 0 ? sp_fresh(1) : sp_pass(16, false), &query.batch));
                OK(o, sp_gradient(o, &query, 0.0, q));
                OK(o, sp_accumulator_add(a, keep, &query));
                for (size_t j = 0; j < D; j++)
                    expected[j] = keep * expected[j] + q[j];
                OK(o, sp_accumulator_release(a, 0.0, out));
                for (size_t j = 0; j < D; j++)
                    CHECK_NEAR(out[j], expected[j], 1e-12);
            }
            OK(o, sp_accumulator_restart(a));
        }
        sp_oracle_free(o);
    }
    private_problem_free(&p);
}

/* The noise of whole runs has covariance noise_std^2 (A R)(A R)' over the steps. */
static void measured_covariance(void)
{
    enum { RUNS = 4000, T = 12 };
    static matrix C, mixing;
    static double z[RUNS * D][T];
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 62), *bare = private_oracle(&p, private_silent, 62);
    sp_accumulator *a = NULL, *exact = NULL;
    const double keep = 0.97, noise_std = 1.3;
    const sp_accumulator_plan plan = { .adds = T, .keep = keep, .period = 4 };
    const size_t band = sp_banded_band(T, 4, keep, NULL);
    double mean[D], out[D];
    CHECK(band > 1 && band < T); /* the band matters, in both directions */
    dense(T, keep, band, C, mixing);
    OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &plan, &a));
    OK(bare, sp_accumulator_open(bare, SP_NOISE_PLAIN, NULL, &exact));
    for (size_t run = 0; run < RUNS; run++) {
        OK(o, sp_accumulator_restart(a));
        OK(bare, sp_accumulator_restart(exact));
        for (size_t t = 0; t < T; t++) {
            sp_query query = SP_AT((sp_batch){ 0 }, points[t % 4]), same = query;
            OK(o, sp_draw(o, sp_pass(16, false), &query.batch));
            OK(bare, sp_draw(bare, sp_pass(16, false), &same.batch));
            OK(o, sp_accumulator_add(a, keep, &query));
            OK(bare, sp_accumulator_add(exact, keep, &same));
            OK(o, sp_accumulator_release(a, noise_std, out));
            OK(bare, sp_accumulator_release(exact, 0.0, mean));
            for (size_t j = 0; j < D; j++)
                z[run * D + j][t] = (out[j] - mean[j]) / noise_std;
        }
    }
    for (size_t s = 0; s < T; s++)
        for (size_t t = 0; t <= s; t++) {
            double expected = 0.0, found = 0.0, ss = 0.0, tt = 0.0;
            for (size_t i = 0; i < T; i++) {
                expected += mixing[s][i] * mixing[t][i];
                ss += mixing[s][i] * mixing[s][i];
                tt += mixing[t][i] * mixing[t][i];
            }
            for (size_t i = 0; i < RUNS * D; i++)
                found += z[i][s] * z[i][t] / (RUNS * D);
            /* 78 numbers at 5 deviations: false alarm 5e-5 */
            CHECK_NEAR(found, expected, 5.0 * sqrt((ss * tt + expected * expected) / (RUNS * D)));
        }
    sp_oracle_free(o);
    sp_oracle_free(bare);
    private_problem_free(&p);
}

/* --- charges ------------------------------------------------------------------------------------------------------ */

static double mu2_of(const sp_oracle *o, size_t pool)
{
    const sp_ledger *ledger = sp_oracle_ledger(o);
    double mu2 = 0.0;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->entry[i].pool == 0 || ledger->entry[i].pool == pool)
            mu2 += (double)ledger->entry[i].count / gsl_pow_2(ledger->entry[i].noise_multiplier);
    return mu2;
}

/* What a record has paid for, step by step: weight[i] is the sensitivity of its add at step i, 0 where it has none. */
static double owed(size_t steps, matrix C, const double *weight)
{
    double mu2 = 0.0;
    for (size_t t = 0; t < steps; t++) {
        double moved = 0.0;
        for (size_t i = 0; i <= t; i++)
            moved += fabs(C[t][i]) * weight[i];
        mu2 += moved * moved;
    }
    return mu2;
}

/* Fresh batches of several sizes: each pool pays exactly for its own add, all of it at once. */
static void fresh_charges(void)
{
    static matrix C, mixing;
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 63);
    sp_accumulator *a = NULL;
    const double keep = 0.95, noise_std = 2.3;
    double out[D];
    dense(STEPS, keep, sp_banded_band(STEPS, 0, keep, NULL), C, mixing);
    OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = STEPS, .keep = keep }, &a));
    for (size_t t = 0; t < STEPS; t++) {
        double weight[STEPS] = { 0.0 };
        sp_query query = SP_AT((sp_batch){ 0 }, points[t % 4]);
        OK(o, sp_draw(o, sp_fresh(1 + t % 4), &query.batch));
        weight[t] = sp_sensitivity(o, &query) / noise_std;
        OK(o, sp_accumulator_add(a, keep, &query));
        OK(o, sp_accumulator_release(a, noise_std, out));
        const double expected = owed(STEPS, C, weight);
        CHECK_NEAR(mu2_of(o, t + 1), expected, 1e-12 * expected);
    }
    CHECK(mu2_of(o, 0) == 0.0);
    REFUSED(o, sp_accumulator_add(a, keep, &SP_AT((sp_batch){ 0 }, points[0])), SP_EPRIVACY, "period of 0");
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* A pass with a short last block: the realised blocks, read off a silent twin, give each record's adds. At every step
 * the ledger covers what each record has owed so far, and at the last one it is exactly what the dearest owes. */
static void pass_charges(void)
{
    enum { UNITS = 13, M = 3, BLOCKS = 5 };
    static const size_t skipped[] = { 0, 2, 0, 2, 0 }; /* blocks drawn before the first add */
    static matrix C, mixing;
    private_problem p;
    private_problem_units(&p, UNITS);
    for (size_t kind = 0; kind < 5; kind++) {
        const bool uneven = kind == 4; /* the first block's later adds are smaller than the others */
        sp_oracle *o = private_oracle(&p, private_paper, 64), *twin = private_oracle(&p, private_silent, 64);
        sp_accumulator *a = NULL;
        double out[UNITS], centre[UNITS], exact[UNITS], weight[UNITS][STEPS] = { { 0.0 } }, dearest = 0.0;
        sp_workspace *space = sp_workspace_new(&p.problem);
        const double keep = kind < 2 ? 1.0 : 0.8, noise_std = 9.0;
        sp_batch batch, same;
        for (size_t j = 0; j < UNITS; j++)
            centre[j] = 1.0 / sqrt(UNITS);
        sp_public_query(&p.problem, space, 1, &(sp_term){ 1.0, centre }, exact);
        dense(STEPS, keep, sp_banded_band(STEPS, BLOCKS, keep, NULL), C, mixing);
        OK(o, sp_accumulator_open(o, SP_NOISE_SQRT,
                                  &(sp_accumulator_plan){ .adds = STEPS, .keep = keep, .period = BLOCKS }, &a));
        for (size_t skip = 0; skip < skipped[kind]; skip++) {
            OK(o, sp_draw(o, sp_pass(M, false), &batch));
            OK(twin, sp_draw(twin, sp_pass(M, false), &same));
        }
        for (size_t t = 0; t < STEPS; t++) {
            OK(o, sp_draw(o, sp_pass(M, false), &batch));
            OK(twin, sp_draw(twin, sp_pass(M, false), &same));
            OK(twin, sp_gradient(twin, &SP_AT(same, centre), 0.0, out));
            sp_query query = SP_AT(batch, centre);
            query.term[0].coefficient = (double)sp_batch_size(o, batch) / M;
            if (uneven && t > 0 && t % BLOCKS == 0)
                query.term[0].coefficient = 0.1;
            const double s = sp_sensitivity(o, &query);
            for (size_t j = 0; j < UNITS; j++)
                weight[j][t] = out[j] - exact[j] > 1e-6 ? s / noise_std : 0.0;
            OK(o, sp_accumulator_add(a, keep, &query));
            OK(o, sp_accumulator_release(a, noise_std, out));
            dearest = 0.0;
            for (size_t j = 0; j < UNITS; j++)
                dearest = fmax(dearest, owed(t + 1, C, weight[j]));
            CHECK_LESS_EQUAL(dearest, mu2_of(o, 0) * (1.0 + 1e-12));
        }
        CHECK(uneven || fabs(mu2_of(o, 0) - dearest) <= 1e-12 * dearest);
        CHECK_NEAR(mu2_of(o, 0), sp_node_cost(SP_NOISE_SQRT, STEPS, BLOCKS, keep)
                                     * gsl_pow_2(2.0 * sp_public(o)->L_data / M / noise_std), 1e-12 * dearest);
        CHECK_EQUAL(sp_oracle_ledger(o)->count, (STEPS + BLOCKS - 1) / BLOCKS); /* an entry an epoch */
        sp_workspace_free(space);
        sp_oracle_free(o);
        sp_oracle_free(twin);
    }
    private_problem_free(&p);
}

static void full_charges(void)
{
    static matrix C, mixing;
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 65);
    sp_accumulator *a = NULL;
    double out[D], weight[STEPS];
    const sp_query query = SP_AT((sp_batch){ 0 }, points[1]);
    dense(STEPS, 0.9, sp_banded_band(STEPS, 1, 0.9, NULL), C, mixing);
    OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = STEPS, .keep = 0.9, .period = 1 }, &a));
    for (size_t t = 0; t < STEPS; t++) {
        weight[t] = sp_sensitivity(o, &query) / 0.7;
        OK(o, sp_accumulator_add(a, 0.9, &query));
        OK(o, sp_accumulator_release(a, 0.7, out));
        CHECK_LESS_EQUAL(owed(t + 1, C, weight), mu2_of(o, 0) * (1.0 + 1e-12));
    }
    CHECK_NEAR(mu2_of(o, 0), owed(STEPS, C, weight), 1e-11);
    REFUSED(o, sp_accumulator_add(a, 0.9, &query) == SP_OK ? sp_accumulator_release(a, 0.7, out) : SP_OK, SP_EINVAL,
            "23 releases");
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* What is announced is enough, and exactly so; a restart begins anew. */
static void calibrated(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    for (int passes = 0; passes < 2; passes++) {
        sp_oracle *o = private_oracle(&p, private_tight, 66);
        sp_accumulator *a = NULL;
        const sp_sample sample = passes ? sp_pass(8, false) : sp_fresh(1);
        const sp_accumulator_plan plan = { .adds = STEPS, .keep = 0.9, .period = passes ? 8 : 0 };
        const double cost = sp_node_cost(SP_NOISE_SQRT, STEPS, plan.period, 0.9);
        sp_bounds bounds;
        double s, out[D];
        OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_ACCUMULATED, .sample = sample, .count = STEPS }, 1, &s));
        OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &plan, &a));
        for (size_t t = 0; t < (passes ? STEPS : 2 * STEPS); t++) {
            sp_query query = SP_AT((sp_batch){ 0 }, points[0]);
            if (t == STEPS)
                OK(o, sp_accumulator_restart(a)); /* other records: beside the others */
            OK(o, sp_draw(o, sample, &query.batch));
            const double unit = sp_sensitivity(o, &query);
            OK(o, sp_accumulator_add(a, 0.9, &query));
            OK(o, sp_accumulator_release(a, s * sqrt(cost) * unit, out));
        }
        CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
        CHECK_NEAR(bounds.best, 1.0, 1e-6);
        sp_oracle_free(o);
    }
    private_problem_free(&p);
}

/* --- the transcript ----------------------------------------------------------------------------------------------- */

enum { RECORDS = 12, BLOCK = 3 };

/* Twelve records along one axis, each with a full gradient; on the neighbour one points the other way. */
static void opposed(private_problem *p, size_t turned)
{
    double *X = NULL, *y = NULL;
    private_problem_new(p, RECORDS, D, &X, &y);
    for (size_t i = 0; i < RECORDS; i++) {
        X[i * p->data.stride] = i == turned ? -1.0 : 1.0;
        y[i] = 1.0;
    }
    private_problem_seal(p, &sp_loss_pseudo_huber, 0.0);
}

static sp_status walk_along(const private_problem *p, sp_transcript *transcript, double *last)
{
    sp_oracle_options options = private_options(p, private_paper, 67);
    sp_oracle *o = NULL;
    sp_accumulator *a = NULL;
    sp_status status = SP_OK;
    double centre[D], w[D];
    options.transcript = transcript;
    CHECK(sp_oracle_new(&options, &o, NULL) == SP_OK);
    for (size_t j = 0; j < D; j++)
        w[j] = centre[j] = 1.0 / sqrt(D);
    SP_TRY(sp_accumulator_open(o, SP_NOISE_SQRT,
                               &(sp_accumulator_plan){ .adds = STEPS, .keep = 0.9, .period = RECORDS / BLOCK }, &a));
    for (size_t t = 0; t < STEPS; t++) {
        sp_query query = SP_AT((sp_batch){ 0 }, w);
        SP_TRY(sp_draw(o, sp_pass(BLOCK, false), &query.batch));
        SP_TRY(sp_accumulator_add(a, 0.9, &query));
        SP_TRY(sp_accumulator_release(a, 5.0, last));
        for (size_t j = 0; j < D; j++) /* the next point depends on what was released, and stays where slopes are 1 */
            w[j] = centre[j] + 1e-9 * last[j];
    }
cleanup:
    sp_transcript_end(transcript, status);
    sp_oracle_free(o);
    return status;
}

/* Replayed on each neighbour, no release moves by more than it was charged for, and one of the turned record's moves by
 * just that much: two of two full gradients. */
static void replayed(void)
{
    private_problem p, neighbour;
    sp_transcript *recorded = sp_transcript_new(), *transcript = sp_transcript_new();
    double last[D], again[D];
    opposed(&p, RECORDS);
    sp_transcript_record(recorded);
    CHECK_EQUAL(walk_along(&p, recorded, last), SP_OK);
    CHECK_EQUAL(sp_transcript_count(recorded), STEPS);
    for (size_t i = 0; i < STEPS; i++) {
        const sp_event *event = sp_transcript_at(recorded, i);
        CHECK(event->noise_std == 5.0);
        CHECK(event->sensitivity > 0.0);
    }
    for (size_t turned = 0; turned < RECORDS; turned++) {
        opposed(&neighbour, turned);
        sp_transcript_replay(transcript, recorded);
        CHECK_EQUAL(walk_along(&neighbour, transcript, again), SP_OK);
        SP_CHECK_REPORT(!sp_transcript_finding(transcript), "%s", sp_transcript_finding(transcript));
        CHECK(memcmp(last, again, sizeof last) == 0);
        CHECK_NEAR(sp_transcript_move(transcript), 1.0 / p.problem.declared.L_data, 1e-6);
        private_problem_free(&neighbour);
    }
    sp_transcript_free(transcript);
    sp_transcript_free(recorded);
    private_problem_free(&p);
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void refusals(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 68);
    sp_accumulator *a = NULL;
    sp_batch block, fresh, some;
    double out[D] = { 3.25 };
    REFUSED(o, sp_accumulator_open(o, SP_NOISE_SQRT, NULL, &a), SP_EINVAL, "square-root noise needs the number");
    REFUSED(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = 0, .keep = 1.0 }, &a), SP_EINVAL,
            "square-root noise needs the number");
    static const double bad[] = { -0.1, 1.1, NAN };
    for (size_t i = 0; i < 3; i++)
        REFUSED(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = 4, .keep = bad[i] }, &a),
                SP_EINVAL, "must be in [0, 1]");
    OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = 20, .keep = 0.9, .period = 8 }, &a));
    REFUSED(o, sp_accumulator_release(a, 1.0, out), SP_EINVAL, "an add before every release");
    OK(o, sp_draw(o, sp_subset(7), &some));
    REFUSED(o, sp_accumulator_add(a, 0.9, &SP_AT(some, points[0])), SP_EPRIVACY, "subsets");
    OK(o, sp_draw(o, sp_poisson(0.1), &some));
    REFUSED(o, sp_accumulator_add(a, 0.9, &SP_AT(some, points[0])), SP_EPRIVACY, "subsets");
    OK(o, sp_draw(o, sp_fresh(3), &fresh));
    REFUSED(o, sp_accumulator_add(a, 0.9, &SP_AT(fresh, points[0])), SP_EPRIVACY, "period of 8");
    REFUSED(o, sp_accumulator_add(a, 0.9, &SP_AT((sp_batch){ 0 }, points[0])), SP_EPRIVACY, "period of 8");
    OK(o, sp_draw(o, sp_pass(8, false), &block));
    REFUSED(o, sp_accumulator_add(a, 0.8, &SP_AT(block, points[0])), SP_EINVAL, "opened for 0.9");
    OK(o, sp_accumulator_add(a, 0.9, &SP_AT(block, points[0])));
    REFUSED(o, sp_accumulator_add(a, 0.9, &SP_AT(block, points[0])), SP_EINVAL, "a release after every add");
    REFUSED(o, sp_choose(o, block, &(sp_space){ .count = 1, .points = points[0] },
                         &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = a }, SP_CHOOSE_EXPONENTIAL, 0.1,
                         out, NULL), SP_EUNSUPPORTED, "is not scored");
    OK(o, sp_accumulator_release(a, 1.0, out));
    REFUSED(o, sp_accumulator_release(a, 1.0, out), SP_EINVAL, "an add before every release");
    REFUSED(o, sp_accumulator_add(a, 0.9, &SP_AT(block, points[0])), SP_EPRIVACY, "in the order drawn"); /* again */
    OK(o, sp_draw(o, sp_pass(8, false), &block));
    OK(o, sp_draw(o, sp_pass(8, false), &block)); /* one left out: another record comes first */
    REFUSED(o, sp_accumulator_add(a, 0.9, &SP_AT(block, points[0])), SP_EPRIVACY, "in the order drawn");
    OK(o, sp_accumulator_restart(a));
    OK(o, sp_accumulator_add(a, 0.9, &SP_AT(block, points[0])));
    OK(o, sp_accumulator_release(a, 2.0, out)); /* another noise from a restart on */
    OK(o, sp_draw(o, sp_pass(8, false), &block));
    sp_query more = SP_AT(block, points[1]);
    more.term[0].coefficient = 1.01;
    REFUSED(o, sp_accumulator_add(a, 0.9, &more), SP_EPRIVACY, "its first add");
    more.term[0].coefficient = 0.5; /* less is well */
    OK(o, sp_accumulator_add(a, 0.9, &more));
    REFUSED(o, sp_accumulator_release(a, 1.9, out), SP_EPRIVACY, "charged for 2 throughout");
    REFUSED(o, sp_accumulator_release(a, 2.1, out), SP_EPRIVACY, "charged for 2 throughout");
    OK(o, sp_accumulator_release(a, 2.0, out));

    OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = 20, .keep = 0.9, .period = 7 }, &a));
    REFUSED(o, sp_accumulator_add(a, 0.9, &SP_AT(block, points[0])), SP_EPRIVACY, "period of 7"); /* it has 8 */
    OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = 20, .keep = 0.9 }, &a));
    OK(o, sp_accumulator_add(a, 0.9, &SP_AT(fresh, points[0])));
    OK(o, sp_accumulator_release(a, 1.0, out));
    REFUSED(o, sp_accumulator_add(a, 0.9, &SP_AT(fresh, points[1])), SP_EPRIVACY, "a fresh batch serves one add");
    sp_oracle_free(o);

    o = private_oracle(&p, private_paper, 69);
    OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = 20, .keep = 0.9, .period = 8 }, &a));
    OK(o, sp_draw(o, sp_pass(8, true), &block));
    REFUSED(o, sp_accumulator_add(a, 0.9, &SP_AT(block, points[0])), SP_EUNSUPPORTED, "fixed pass");
    sp_oracle_free(o);

    o = private_oracle(&p, private_tight, 70); /* nothing was announced, and the filter has a limit: nothing is told */
    OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = 20, .keep = 0.9, .period = 8 }, &a));
    OK(o, sp_draw(o, sp_pass(8, false), &block));
    OK(o, sp_accumulator_add(a, 0.9, &SP_AT(block, points[0])));
    out[0] = 3.25;
    REFUSED(o, sp_accumulator_release(a, 0.5, out), SP_EBUDGET, "was not announced");
    CHECK(out[0] == 3.25 && sp_oracle_ledger(o)->count == 0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    against_matrices();
    table();
    exact_sums();
    measured_covariance();
    fresh_charges();
    pass_charges();
    full_charges();
    calibrated();
    replayed();
    refusals();
    return sp_check_done();
}
