/* tree.c -- prefix sums from a tree: exact without noise, the right variance with it, and what a record pays. */
#include "core/oracle/mechanisms/tree.h"
#include "tests/private_problem.h"

#include <gsl/gsl_math.h>

enum { N = 64, D = 3, STEPS = 23 };

static const double points[4][D] = {
    { 0.31, -1.27, 0.05 }, { 0.35, -1.2, 0.4 }, { -2.0, 0.1, 0.9 }, { 0.0, 0.77, 3.1 }
};

static double mu2_of(const sp_oracle *o, size_t pool)
{
    const sp_ledger *ledger = sp_oracle_ledger(o);
    double mu2 = 0.0;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->entry[i].pool == 0 || ledger->entry[i].pool == pool)
            mu2 += (double)ledger->entry[i].count / gsl_pow_2(ledger->entry[i].noise_multiplier);
    return mu2;
}

/* a <- keep a + q with the noise off, by every kind of accumulator. */
static void exact_prefixes(void)
{
    static const sp_accumulator_noise kinds[] = { SP_NOISE_PLAIN, SP_NOISE_TREE, SP_NOISE_HONAKER };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.07, N, D);
    for (size_t k = 0; k < 3; k++) {
        sp_oracle *o = private_oracle(&p, private_silent, 51);
        sp_accumulator *a = NULL;
        double expected[D] = { 0 }, out[D], q[D];
        OK(o, sp_accumulator_open(o, kinds[k], &(sp_accumulator_plan){ .adds = STEPS }, &a));
        for (size_t t = 1; t <= STEPS; t++) {
            for (size_t twice = 0; twice < 1 + (t % 3 == 0); twice++) { /* some leaves are two adds */
                sp_query query = SP_BETWEEN((sp_batch){ 0 }, points[t % 4], points[(t + 1) % 4]);
                const double keep = t == 7 ? -1.25 : 0.9 + 0.01 * (double)(t % 5);
                if (t % 4 == 1)
                    OK(o, sp_draw(o, sp_fresh(2), &query.batch));
                OK(o, sp_gradient(o, &query, 0.0, q));
                OK(o, sp_accumulator_add(a, keep, &query));
                for (size_t j = 0; j < D; j++)
                    expected[j] = keep * expected[j] + q[j];
            }
            OK(o, sp_accumulator_release(a, 0.0, out));
            for (size_t j = 0; j < D; j++)
                CHECK_NEAR(out[j], expected[j], 1e-13);
        }
        if (k > 0)
            REFUSED(o, sp_accumulator_release(a, 0.0, out), SP_EINVAL, "23 releases");
        OK(o, sp_accumulator_restart(a));
        OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, points[2]), 0.0, q));
        OK(o, sp_accumulator_add(a, 0.5, &SP_AT((sp_batch){ 0 }, points[2])));
        OK(o, sp_accumulator_release(a, 0.0, out));
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(out[j], q[j], 1e-14);
        sp_oracle_free(o);
    }
    private_problem_free(&p);
}

/* --- variances -------------------------------------------------------------------------------------------------- */

/* Honaker from below without discount: 1 / (2 (1 - 2^-(l+1))) at level l; a prefix adds over the binary digits of t. */
static void variance_formulas(void)
{
    for (int honaker = 0; honaker < 2; honaker++) {
        sp_tree *tree = sp_tree_new(1, 200, honaker);
        double value[8] = { 0 }, out, mean = 0.0, largest = 0.0;
        for (size_t t = 1; t <= 200; t++) {
            double expected = 0.0;
            sp_tree_step(tree, value, 2.385, &out);
            for (int l = 0; l < 8; l++)
                if (t >> l & 1)
                    expected += gsl_pow_2(2.385) * (honaker ? 1.0 / (2.0 * (1.0 - pow(2.0, -(l + 1)))) : 1.0);
            CHECK_NEAR(sp_tree_variance(tree), expected, 1e-12 * expected);
            mean += expected / gsl_pow_2(2.385) / 200.0;
            largest = fmax(largest, expected / gsl_pow_2(2.385));
        }
        const sp_accumulator_noise noise = honaker ? SP_NOISE_HONAKER : SP_NOISE_TREE;
        CHECK_NEAR(sp_answer_variance(noise, 200, 0, 1.0), mean, 1e-12 * mean);
        CHECK_NEAR(sp_answer_variance_max(noise, 200, 0, 1.0), largest, 1e-12 * largest);
        sp_tree_free(tree);
    }
    CHECK(sp_answer_variance(SP_NOISE_PLAIN, 200, 0, 0.5) == 1.0);
    CHECK(sp_answer_variance_max(SP_NOISE_PLAIN, 200, 0, 0.5) == 1.0);
    CHECK(sp_answer_variance_max(SP_NOISE_TREE, 127, 0, 1.0) == 7.0); /* that of all, of 64, 32, ..., 1 */
    /* discounted by b: a prefix adds b^(2 (t - end)) over its blocks */
    sp_tree *tree = sp_tree_new(1, 40, false);
    const double b = 0.93;
    double mean = 0.0;
    for (size_t t = 1; t <= 40; t++) {
        double out, expected = 0.0;
        if (t > 1)
            sp_tree_keep(tree, b);
        sp_tree_step(tree, &(double){ 0.0 }, 1.7, &out);
        for (size_t l = 0, end = 0; l < 7; l++) {
            const size_t length = (size_t)1 << (6 - l);
            if (t & length) {
                end += length;
                expected += gsl_pow_2(1.7 * pow(b, (double)(t - end)));
            }
        }
        CHECK_NEAR(sp_tree_variance(tree), expected, 1e-12 * expected);
        mean += expected / gsl_pow_2(1.7) / 40.0;
    }
    CHECK_NEAR(sp_answer_variance(SP_NOISE_TREE, 40, 0, b), mean, 1e-12 * mean);
    sp_tree_free(tree);
}

/* The noise of whole runs has that variance, coordinate by coordinate and step by step. */
static void measured_variance(void)
{
    enum { RUNS = 3000, T = 11 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    const double keep = 0.9;
    for (int honaker = 0; honaker < 2; honaker++) {
        sp_oracle *o = private_oracle(&p, private_paper, 52), *bare = private_oracle(&p, private_silent, 52);
        sp_tree *tree = sp_tree_new(1, T, honaker);
        sp_accumulator *a = NULL, *exact = NULL;
        const sp_accumulator_plan plan = { .adds = T };
        const sp_query query = SP_AT((sp_batch){ 0 }, points[0]);
        double squares[T] = { 0 }, lag = 0.0, variance[T], out[D], mean[D], last[D] = { 0 }, value[8] = { 0 };
        for (size_t t = 0; t < T; t++) {
            sp_tree_keep(tree, keep);
            sp_tree_step(tree, value, 1.3, mean);
            variance[t] = sp_tree_variance(tree);
        }
        OK(o, sp_accumulator_open(o, honaker ? SP_NOISE_HONAKER : SP_NOISE_TREE, &plan, &a));
        OK(bare, sp_accumulator_open(bare, SP_NOISE_PLAIN, NULL, &exact));
        for (size_t run = 0; run < RUNS; run++) {
            OK(o, sp_accumulator_restart(a));
            OK(bare, sp_accumulator_restart(exact));
            for (size_t t = 0; t < T; t++) {
                OK(o, sp_accumulator_add(a, keep, &query));
                OK(bare, sp_accumulator_add(exact, keep, &query));
                OK(o, sp_accumulator_release(a, 1.3, out));
                OK(bare, sp_accumulator_release(exact, 0.0, mean));
                for (size_t j = 0; j < D; j++) {
                    squares[t] += gsl_pow_2(out[j] - mean[j]) / (RUNS * D);
                    if (t == 4) /* a prefix of five is that of four, kept, and one new block */
                        lag += (out[j] - mean[j]) * last[j] / (RUNS * D);
                    last[j] = out[j] - mean[j];
                }
            }
        }
        for (size_t t = 0; t < T; t++)
            CHECK_NEAR(squares[t] / variance[t], 1.0, 4.9 * sqrt(2.0 / (RUNS * D)));
        CHECK_NEAR(lag / (keep * variance[3]), 1.0, 4.9 * sqrt(5.0 / (RUNS * D)));
        sp_tree_free(tree);
        sp_oracle_free(o);
        sp_oracle_free(bare);
    }
    private_problem_free(&p);
}

/* --- charges ------------------------------------------------------------------------------------------------------ */

/* Nodes of the tree over `steps` leaves, from the definition: [a 2^l + 1, (a + 1) 2^l], even a alone unless honaker. */
static double brute_force(size_t steps, bool honaker, const double *weight_at_end[], size_t record)
{
    double sum = 0.0;
    for (size_t length = 1; length <= steps; length *= 2)
        for (size_t a = 0; (a + 1) * length <= steps; a++)
            if (honaker || a % 2 == 0) {
                double weight = 0.0;
                for (size_t t = a * length + 1; t <= (a + 1) * length; t++)
                    weight += weight_at_end[record][t - 1] * pow(0.9, (double)((a + 1) * length - t));
                sum += weight * weight;
            }
    return sum;
}

static void fresh_leaves(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    for (int honaker = 0; honaker < 2; honaker++) {
        sp_oracle *o = private_oracle(&p, private_paper, 53);
        sp_accumulator *a = NULL;
        sp_batch batch;
        double out[D], weights[STEPS][STEPS] = { { 0 } }, worst = 0.0, s = 0.0;
        const double *rows[STEPS];
        OK(o, sp_accumulator_open(o, honaker ? SP_NOISE_HONAKER : SP_NOISE_TREE,
                                  &(sp_accumulator_plan){ .adds = STEPS }, &a));
        for (size_t t = 0; t < STEPS; t++) {
            OK(o, sp_draw(o, sp_fresh(2), &batch));
            s = sp_sensitivity(o, &SP_AT(batch, points[0]));
            weights[t][t] = s / 6.3;
            rows[t] = weights[t];
            OK(o, sp_accumulator_add(a, 0.9, &SP_AT(batch, points[0])));
            OK(o, sp_accumulator_release(a, 6.3, out));
        }
        for (size_t t = 0; t < STEPS; t++) {
            const double expected = brute_force(STEPS, honaker, rows, t);
            CHECK_NEAR(mu2_of(o, t + 1), expected, 1e-12 * expected);
            worst = fmax(worst, expected);
        }
        CHECK_NEAR(sp_node_cost(honaker ? SP_NOISE_HONAKER : SP_NOISE_TREE, STEPS, 0, 0.9) * gsl_pow_2(s / 6.3), worst,
                   1e-12);
        sp_oracle_free(o);
    }
    /* floor(log2 T) + 1 nodes at most, attained */
    for (size_t steps = 1; steps <= 40; steps++) {
        CHECK_NEAR(sp_node_cost(SP_NOISE_TREE, steps, 0, 1.0), floor(log2((double)steps)) + 1.0, 1e-12);
        CHECK_NEAR(sp_node_cost(SP_NOISE_HONAKER, steps, 0, 1.0), floor(log2((double)steps)) + 1.0, 1e-12);
    }
    private_problem_free(&p);
}

/* Full batches are in every leaf: the nodes do not run in parallel. A fresh batch of two leaves counts once a node. */
static void mixed_leaves(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 54);
    sp_accumulator *a = NULL;
    sp_batch batch = { 0 };
    double out[D], weights[2][6] = { { 0 } };
    const double *rows[2] = { weights[0], weights[1] };
    OK(o, sp_accumulator_open(o, SP_NOISE_TREE, &(sp_accumulator_plan){ .adds = 6 }, &a));
    for (size_t t = 0; t < 6; t++) {
        sp_query query = SP_AT((sp_batch){ 0 }, points[0]);
        if (t == 2)
            OK(o, sp_draw(o, sp_fresh(5), &batch));
        if (t == 2 || t == 3)
            query.batch = batch;
        weights[1][t] = sp_sensitivity(o, &query) / 0.8;
        weights[0][t] = query.batch.id == 0 ? weights[1][t] : 0.0;
        OK(o, sp_accumulator_add(a, 0.9, &query));
        OK(o, sp_accumulator_release(a, 0.8, out));
    }
    CHECK_NEAR(mu2_of(o, 99), brute_force(6, false, rows, 0), 1e-12);
    CHECK_NEAR(mu2_of(o, 1), brute_force(6, false, rows, 1), 1e-12);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Passes: the realised blocks, read off a silent twin, give each record's leaves; the ledger holds the worst record. */
static void passing_leaves(void)
{
    enum { UNITS = 13, T = 31 };
    private_problem p;
    private_problem_units(&p, UNITS);
    for (int kind = 0; kind < 4; kind++) {
        const bool reshuffle = kind & 1, honaker = kind & 2;
        sp_oracle *o = private_oracle(&p, private_paper, 55), *twin = private_oracle(&p, private_silent, 55);
        sp_accumulator *a = NULL;
        double out[UNITS], centre[UNITS], exact[UNITS], weights[UNITS][T] = { { 0 } }, worst = 0.0, s = 0.0;
        const double *rows[UNITS];
        sp_workspace *space = sp_workspace_new(&p.problem);
        for (size_t j = 0; j < UNITS; j++)
            centre[j] = 1.0 / sqrt(UNITS);
        sp_public_query(&p.problem, space, 1, &(sp_term){ 1.0, centre }, exact);
        OK(o, sp_accumulator_open(o, honaker ? SP_NOISE_HONAKER : SP_NOISE_TREE, &(sp_accumulator_plan){ .adds = T },
                                  &a));
        for (size_t t = 0; t < T; t++) {
            sp_batch batch, same;
            OK(o, sp_draw(o, sp_pass(3, reshuffle), &batch));
            OK(twin, sp_draw(twin, sp_pass(3, reshuffle), &same));
            OK(twin, sp_gradient(twin, &SP_AT(same, centre), 0.0, out));
            s = sp_sensitivity(o, &SP_AT(batch, centre));
            for (size_t j = 0; j < UNITS; j++) {
                rows[j] = weights[j];
                weights[j][t] = out[j] - exact[j] > 1e-6 ? s / 9.0 : 0.0;
            }
            OK(o, sp_accumulator_add(a, 0.9, &SP_AT(batch, centre)));
            OK(o, sp_accumulator_release(a, 9.0, out));
        }
        for (size_t j = 0; j < UNITS; j++)
            worst = fmax(worst, brute_force(T, honaker, rows, j));
        CHECK_NEAR(mu2_of(o, 0), worst, 1e-10 * worst);
        sp_workspace_free(space);
        sp_oracle_free(o);
        sp_oracle_free(twin);
    }
    /* the schedule alone: 4 blocks of 3, no short one, against the definition */
    for (int honaker = 0; honaker < 2; honaker++) {
        double weights[4][T] = { { 0 } }, worst = 0.0;
        const double *rows[4];
        for (size_t t = 0; t < T; t++)
            weights[t % 4][t] = 1.0;
        for (size_t j = 0; j < 4; j++) {
            rows[j] = weights[j];
            worst = fmax(worst, brute_force(T, honaker, rows, j));
        }
        CHECK_NEAR(sp_node_cost(honaker ? SP_NOISE_HONAKER : SP_NOISE_TREE, T, 4, 0.9), worst, 1e-12 * worst);
    }
    /* plain: every release sees every add */
    double plain = 0.0, weight = 0.0;
    for (size_t t = 0; t < T; t++) {
        weight = 0.9 * weight + (t % 4 == 0 ? 1.0 : 0.0);
        plain += weight * weight;
    }
    CHECK_NEAR(sp_node_cost(SP_NOISE_PLAIN, T, 4, 0.9), plain, 1e-12 * plain);
    private_problem_free(&p);
}

/* Reshuffled passes: the cost told before the first block is what the realised blocks, read off a silent twin, cost the
 * dearest record, and what the ledger holds in the end. */
static void reshuffled_cost(void)
{
    enum { UNITS = 13, M = 3, T = 31 };
    private_problem p;
    private_problem_units(&p, UNITS);
    for (int honaker = 0; honaker < 2; honaker++) {
        const sp_accumulator_noise noise = honaker ? SP_NOISE_HONAKER : SP_NOISE_TREE;
        sp_oracle *o = private_oracle(&p, private_paper, 57), *twin = private_oracle(&p, private_silent, 57);
        sp_accumulator *a = NULL;
        sp_batch batch, same;
        double out[UNITS], centre[UNITS], exact[UNITS], weights[UNITS][T] = { { 0 } }, worst = 0.0, cost = NAN;
        const double *rows[UNITS];
        sp_workspace *space = sp_workspace_new(&p.problem);
        for (size_t j = 0; j < UNITS; j++)
            centre[j] = 1.0 / sqrt(UNITS);
        sp_public_query(&p.problem, space, 1, &(sp_term){ 1.0, centre }, exact);
        for (size_t skip = 0; skip < 5; skip++) { /* a whole epoch before */
            OK(o, sp_draw(o, sp_pass(M, true), &batch));
            OK(twin, sp_draw(twin, sp_pass(M, true), &same));
        }
        OK(o, sp_pass_cost(o, noise, M, T, 0.9, &cost));
        OK(o, sp_accumulator_open(o, noise, &(sp_accumulator_plan){ .adds = T }, &a));
        for (size_t t = 0; t < T; t++) {
            OK(o, sp_draw(o, sp_pass(M, true), &batch));
            OK(twin, sp_draw(twin, sp_pass(M, true), &same));
            OK(twin, sp_gradient(twin, &SP_AT(same, centre), 0.0, out));
            sp_query query = SP_AT(batch, centre);
            query.term[0].coefficient = (double)sp_batch_size(o, batch) / M;
            for (size_t j = 0; j < UNITS; j++) {
                rows[j] = weights[j];
                weights[j][t] = out[j] - exact[j] > 1e-6 ? 1.0 : 0.0;
            }
            OK(o, sp_accumulator_add(a, 0.9, &query));
            OK(o, sp_accumulator_release(a, 9.0, out));
        }
        for (size_t j = 0; j < UNITS; j++)
            worst = fmax(worst, brute_force(T, honaker, rows, j));
        CHECK_NEAR(cost, worst, 1e-12 * worst);
        const double unit = 2.0 * sp_public(o)->L_data / M / 9.0;
        CHECK_NEAR(mu2_of(o, 0), cost * unit * unit, 1e-12 * mu2_of(o, 0));
        REFUSED(o, sp_pass_cost(o, noise, M, T, 0.9, &cost), SP_EINVAL, "1 blocks of this epoch are drawn already");
        REFUSED(o, sp_pass_cost(o, noise, 4, T, 0.9, &cost), SP_EUNSUPPORTED, "one kind of pass");
        REFUSED(o, sp_pass_cost(o, noise, 0, T, 0.9, &cost), SP_EINVAL, "m = 0 must be in [1, 13]");
        REFUSED(o, sp_pass_cost(o, noise, M, 0, 0.9, &cost), SP_EINVAL, "adds = 0");
        REFUSED(o, sp_pass_cost(o, SP_NOISE_SQRT, M, T, 0.9, &cost), SP_EUNSUPPORTED, "a tree's");
        REFUSED(o, sp_draw(o, sp_subset(M), &batch), SP_EPRIVACY, "no secret sample");
        REFUSED(o, sp_draw(o, sp_poisson(0.3), &batch), SP_EPRIVACY, "no secret sample");
        OK(o, sp_draw(o, sp_subset(UNITS), &batch)); /* all of them */
        OK(o, sp_draw(o, sp_fresh(M), &batch));
        OK(twin, sp_draw(twin, sp_subset(M), &same));
        sp_workspace_free(space);
        sp_oracle_free(o);
        sp_oracle_free(twin);
    }

    /* one sampling stream serves parent and children */
    sp_oracle *o = private_oracle(&p, private_tight, 58), *child = NULL;
    sp_batch batch;
    double cost = NAN;
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.5 }, &child));
    OK(o, sp_draw(o, sp_subset(M), &batch));
    OK(child, sp_pass_cost(child, SP_NOISE_TREE, M, T, 0.9, &cost));
    REFUSED(o, sp_draw(o, sp_subset(M), &batch), SP_EPRIVACY, "no secret sample");
    REFUSED(child, sp_draw(child, sp_poisson(0.3), &batch), SP_EPRIVACY, "no secret sample");
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Tran & Cutkosky (spec/tran_cutkosky2022.md): C_pre of 1024 steps at keep 1 - 1/1024, even nodes alone, is 8.67; at
 * 10^4 steps 11.92. */
static void printed_counts(void)
{
    CHECK_NEAR(sp_node_cost(SP_NOISE_TREE, 1024, 0, 1.0 - 1.0 / 1024), 8.67, 0.005);
    CHECK_NEAR(sp_node_cost(SP_NOISE_TREE, 10000, 0, 1.0 - 1e-4), 11.92, 0.005);
}

/* What is announced is enough, and exactly so. */
static void calibrated(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    for (int passes = 0; passes < 2; passes++) {
        sp_oracle *o = private_oracle(&p, private_tight, 56);
        sp_accumulator *a = NULL;
        const sp_sample sample = passes ? sp_pass(8, false) : sp_fresh(2);
        sp_bounds bounds;
        double s, out[D];
        const double cost = sp_node_cost(SP_NOISE_TREE, STEPS, passes ? 8 : 0, 0.9);
        OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_ACCUMULATED, .sample = sample, .count = STEPS }, 1, &s));
        CHECK_NEAR(s, 1.0 / sp_budget_of(o)->mu, 1e-9 * s);
        OK(o, sp_accumulator_open(o, SP_NOISE_TREE, &(sp_accumulator_plan){ .adds = STEPS }, &a));
        for (size_t t = 0; t < STEPS; t++) {
            sp_query query = SP_AT((sp_batch){ 0 }, points[0]);
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

int main(void)
{
    gsl_set_error_handler_off();
    exact_prefixes();
    variance_formulas();
    measured_variance();
    fresh_leaves();
    mixed_leaves();
    passing_leaves();
    reshuffled_cost();
    printed_counts();
    calibrated();
    return sp_check_done();
}
