/* accumulator.c -- secret linear state: what it releases, and what each record is charged. */
#include "tests/private_problem.h"

#include <gsl/gsl_math.h>

enum { N = 60, D = 4 };

static const double point_v[D] = { 0.31, -1.27, 0.05, 2.2 }, point_w[D] = { 0.35, -1.20, 0.0, 2.1 };
static const sp_batch all = { 0 };

static double settle(const sp_oracle *o)
{
    sp_bounds bounds = { .best = NAN };
    CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
    return bounds.best;
}

/* mu of one record, from the ledger's text fields. */
static double mu_of(const sp_oracle *o, size_t pool)
{
    const sp_ledger *ledger = sp_oracle_ledger(o);
    double mu2 = 0.0;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->entry[i].pool == 0 || ledger->entry[i].pool == pool)
            mu2 += (double)ledger->entry[i].count / gsl_pow_2(ledger->entry[i].noise_multiplier);
    return sqrt(mu2);
}

static void recursion(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.07, N, D);
    sp_oracle *o = private_oracle(&p, private_silent, 1);
    sp_accumulator *a = NULL;
    double g[D], h[D], out[D];
    OK(o, sp_gradient(o, &SP_AT(all, point_v), 0.0, g));
    OK(o, sp_gradient(o, &SP_BETWEEN(all, point_v, point_w), 0.0, h));
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    OK(o, sp_accumulator_add(a, 0.7, &SP_AT(all, point_v))); /* 0.7 * 0 */
    OK(o, sp_accumulator_add(a, -0.3, &SP_BETWEEN(all, point_v, point_w)));
    OK(o, sp_accumulator_add(a, 1.0, &SP_AT(all, point_v)));
    OK(o, sp_accumulator_release(a, 0.0, out));
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(out[j], -0.3 * g[j] + h[j] + g[j], 1e-14); /* data and public part alike */
    OK(o, sp_accumulator_release(a, 0.0, out)); /* releasing does not change it */
    CHECK_NEAR(out[0], 0.7 * g[0] + h[0], 1e-14);
    OK(o, sp_accumulator_restart(a));
    OK(o, sp_accumulator_release(a, 0.0, out));
    CHECK(out[0] == 0.0 && out[D - 1] == 0.0);
    const sp_cost cost = sp_oracle_cost(o);
    CHECK(cost.gradients == 3.0 * N && cost.differences == 2.0 * N && cost.releases == 5);
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    sp_oracle_free(o); /* frees the accumulator */
    private_problem_free(&p);
}

/* Full batches: one record moves every add, so weights add up before they are squared. */
static void full_batch_charges(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.07, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 2);
    sp_accumulator *a = NULL;
    double out[D];
    const double s = sp_sensitivity(o, &SP_AT(all, point_v)), t = sp_sensitivity(o, &SP_BETWEEN(all, point_v, point_w));
    const double noise_std = 60.0 * s;
    OK(o, sp_filter_by(o, SP_FILTER_GAUSS));
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    OK(o, sp_accumulator_add(a, 0.9, &SP_AT(all, point_v)));
    OK(o, sp_accumulator_release(a, noise_std, out));
    CHECK_NEAR(mu_of(o, 0), s / noise_std, 1e-12);
    OK(o, sp_accumulator_add(a, 0.9, &SP_BETWEEN(all, point_v, point_w)));
    OK(o, sp_accumulator_add(a, -0.5, &SP_AT(all, point_v)));
    OK(o, sp_accumulator_release(a, noise_std, out));
    const double weight = 0.5 * (0.9 * s + t) + s;
    CHECK_NEAR(mu_of(o, 0), hypot(s, weight) / noise_std, 1e-12);
    OK(o, sp_accumulator_restart(a)); /* charges stay */
    CHECK_NEAR(mu_of(o, 0), hypot(s, weight) / noise_std, 1e-12);
    OK(o, sp_accumulator_add(a, 0.9, &SP_AT(all, point_v)));
    OK(o, sp_accumulator_release(a, noise_std, out));
    CHECK_NEAR(gsl_pow_2(mu_of(o, 0) * noise_std), 2.0 * s * s + weight * weight, 1e-10);
    CHECK_NEAR(settle(o), sp_gaussian_epsilon(mu_of(o, 0), 1e-6), 1e-9);
    REFUSED(o, sp_accumulator_release(a, s, out), SP_EBUDGET, "gauss:noise_multiplier=1,count=1");
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Momentum over fresh batches: batch i weighs keep^(t - i) in release t. */
static void momentum_charges(void)
{
    enum { STEPS = 6 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 3);
    sp_accumulator *a = NULL;
    sp_batch batch;
    double out[D], s = 0.0, worst = 0.0;
    const double keep = 0.8, noise_std = 6.0;
    OK(o, sp_filter_by(o, SP_FILTER_GAUSS));
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, &(sp_accumulator_plan){ .adds = STEPS }, &a));
    for (size_t t = 1; t <= STEPS; t++) {
        OK(o, sp_draw(o, sp_fresh(10), &batch));
        s = sp_sensitivity(o, &SP_AT(batch, point_v));
        OK(o, sp_accumulator_add(a, keep, &SP_AT(batch, point_v)));
        OK(o, sp_accumulator_release(a, noise_std, out));
    }
    for (size_t pool = 1; pool <= STEPS; pool++) { /* sum over t >= pool of (keep^(t - pool) s / noise_std)^2 */
        double mu2 = 0.0;
        for (size_t t = pool; t <= STEPS; t++)
            mu2 += gsl_pow_2(pow(keep, (double)(t - pool)) * s / noise_std);
        CHECK_NEAR(mu_of(o, pool), sqrt(mu2), 1e-12);
        worst = fmax(worst, mu2);
    }
    CHECK_NEAR(settle(o), sp_gaussian_epsilon(sqrt(worst), 1e-6), 1e-9); /* the maximum over records, not the sum */
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* A record of a fresh batch is also in the full one: its weights add within a release. */
static void mixed_charges(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 4);
    sp_accumulator *a = NULL;
    sp_batch batch;
    double out[D];
    const double noise_std = 9.0;
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    OK(o, sp_accumulator_add(a, 1.0, &SP_AT(all, point_v)));
    OK(o, sp_draw(o, sp_fresh(20), &batch));
    OK(o, sp_accumulator_add(a, 0.6, &SP_AT(batch, point_v)));
    OK(o, sp_accumulator_add(a, 0.5, &SP_AT(batch, point_w))); /* the same batch once more */
    OK(o, sp_accumulator_release(a, noise_std, out));
    const double L = sp_public(o)->L_data, full = 0.3 * 2.0 * L / N, fresh = 1.5 * 2.0 * L / 20.0;
    CHECK_NEAR(mu_of(o, 99), full / noise_std, 1e-12);
    CHECK_NEAR(mu_of(o, 1), (full + fresh) / noise_std, 1e-12);
    sp_oracle_free(o);
    private_problem_free(&p);
}

static void calibrated(void)
{
    enum { STEPS = 40 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 5);
    sp_accumulator *a = NULL;
    double out[D], multiplier, square = 0.0;
    const double keep = 0.75, s = sp_sensitivity(o, &SP_AT(all, point_v)), weight = s / (1.0 - keep);
    OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_ACCUMULATED, .sample = sp_full(), .count = STEPS }, 1,
                       &multiplier));
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    for (size_t t = 0; t < STEPS; t++) { /* weights stay below s / (1 - keep) */
        OK(o, sp_accumulator_add(a, keep, &SP_AT(all, point_v)));
        OK(o, sp_accumulator_release(a, multiplier * weight, out));
    }
    CHECK_LESS_EQUAL(settle(o), 1.0);

    /* the noise has the asked deviation: release the same state often, by the paper, which has no gate */
    sp_oracle *many = private_oracle(&p, private_paper, 6), *exact = private_oracle(&p, private_silent, 6);
    double mean[D];
    OK(exact, sp_gradient(exact, &SP_AT(all, point_v), 0.0, mean));
    OK(many, sp_accumulator_open(many, SP_NOISE_PLAIN, NULL, &a));
    OK(many, sp_accumulator_add(a, 1.0, &SP_AT(all, point_v)));
    for (size_t t = 0; t < 5000; t++) {
        OK(many, sp_accumulator_release(a, 2.385, out));
        for (size_t j = 0; j < D; j++)
            square += gsl_pow_2((out[j] - mean[j]) / 2.385) / (5000 * D);
    }
    CHECK_NEAR(square, 1.0, 4.9 * sqrt(2.0 / (5000 * D))); /* false alarm 1e-6 */
    sp_oracle_free(o);
    sp_oracle_free(many);
    sp_oracle_free(exact);
    private_problem_free(&p);
}

static void refusals(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 7);
    sp_accumulator *a = NULL;
    sp_batch some, fresh;
    double out[D] = { 3.25 };
    const double nan_point[D] = { 0.0, NAN, 0.0, 0.0 };
    REFUSED(o, sp_accumulator_open(o, SP_NOISE_TREE, NULL, &a), SP_EINVAL, "tree");
    REFUSED(o, sp_accumulator_open(o, SP_NOISE_HONAKER, &(sp_accumulator_plan){ 0 }, &a), SP_EINVAL, "adds");
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    OK(o, sp_draw(o, sp_subset(7), &some));
    REFUSED(o, sp_accumulator_add(a, 0.5, &SP_AT(some, point_v)), SP_EPRIVACY, "subsets");
    REFUSED(o, sp_accumulator_add(a, NAN, &SP_AT(all, point_v)), SP_EINVAL, "keep");
    REFUSED(o, sp_accumulator_add(a, 0.5, &SP_AT(all, nan_point)), SP_ENUMERIC, "coordinate 1");
    OK(o, sp_draw(o, sp_fresh(7), &fresh));
    OK(o, sp_draw(o, sp_fresh(7), &some));
    REFUSED(o, sp_accumulator_add(a, 0.5, &SP_AT(fresh, point_v)), SP_EINVAL, "no longer valid");
    OK(o, sp_accumulator_add(a, 1.0, &SP_AT(some, point_v)));
    const double bad[] = { 0.0, -1.0, NAN, INFINITY };
    for (size_t i = 0; i < 4; i++)
        REFUSED(o, sp_accumulator_release(a, bad[i], out), SP_EPRIVACY, "noise_std");
    CHECK(out[0] == 3.25 && sp_oracle_ledger(o)->count == 0);
    const sp_release_plan plan = { .kind = SP_ACCUMULATED, .sample = sp_subset(7), .count = 2 };
    REFUSED(o, sp_calibrate(o, &plan, 1, out), SP_EPRIVACY, "subsets");
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* A record of a fresh batch may be in a block of a pass, too, and move the sum by both its weights. */
static void batches_and_passes(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 8);
    sp_accumulator *a = NULL;
    sp_batch fresh, block;
    double out[D];
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    OK(o, sp_draw(o, sp_fresh(N), &fresh));
    OK(o, sp_draw(o, sp_pass(N, false), &block));
    OK(o, sp_accumulator_add(a, 1.0, &SP_AT(fresh, point_v)));
    OK(o, sp_accumulator_release(a, 9.0, out));
    OK(o, sp_accumulator_add(a, 1.0, &SP_AT(block, point_v)));
    REFUSED(o, sp_accumulator_release(a, 9.0, out), SP_EPRIVACY, "in a fresh batch and in a pass");
    OK(o, sp_accumulator_restart(a));
    OK(o, sp_accumulator_add(a, 1.0, &SP_AT(block, point_v)));
    OK(o, sp_accumulator_release(a, 9.0, out));
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Weights that overflow, or that vanish before the sum does, would make a release free. */
static void vanishing_weights(void)
{
    enum { MANY = 20000 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, MANY, D);
    for (int tree = 0; tree < 2; tree++) {
        sp_oracle *o = private_oracle(&p, private_tight, 9);
        sp_accumulator *a = NULL;
        double out[D];
        const sp_query nothing = { .batch = all, .terms = 1, .term = { { 0.0, point_v } } };
        const sp_query large = { .batch = all, .terms = 1, .term = { { 0.0, point_v } }, .bound = 1e140 };
        const double keep[] = { 1e-200, 2e-120, 1e140, 1e140 };
        OK(o, sp_accumulator_open(o, tree ? SP_NOISE_TREE : SP_NOISE_PLAIN, &(sp_accumulator_plan){ .adds = 8 }, &a));
        OK(o, sp_accumulator_add(a, 1.0, &SP_AT(all, point_v)));
        if (tree)
            OK(o, sp_accumulator_release(a, 1.0, out));
        for (size_t i = 0; i < 4; i++)
            OK(o, sp_accumulator_add(a, keep[i], &nothing));
        if (!tree) /* the sum is some 1e-40; only a tree's block is released by itself */
            REFUSED(o, sp_accumulator_release(a, 1e-46, out), SP_EBUDGET, "was not announced");
        OK(o, sp_accumulator_restart(a));
        OK(o, sp_accumulator_add(a, 1.0, &large));
        REFUSED(o, sp_accumulator_add(a, 1e300, &large), SP_EPRIVACY, "whether it overflows");
        OK(o, sp_accumulator_add(a, 0.0, &SP_AT(all, point_v)));
        REFUSED(o, sp_accumulator_release(a, 1e-9, out), SP_EBUDGET, "was not announced");
        sp_oracle_free(o);
    }
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    recursion();
    full_batch_charges();
    momentum_charges();
    mixed_charges();
    calibrated();
    refusals();
    batches_and_passes();
    vanishing_weights();
    return sp_check_done();
}
