/* gate.c -- releases whose kind, rate or noise depends on earlier answers: what the gate lets pass, against the exact
 * delta of two-step strategies by quadrature.
 *
 * The first release is Gaussian of parameter mu: its answer y, in units of its noise, is N(mu, 1) on one data set, N(0,
 * 1) on the neighbour, and has privacy loss l(y) = mu y - mu^2 / 2. Beyond a threshold the second release is one of
 * two. With H_b(e) the hockey-stick divergence of branch b at e,
 *
 *   delta(epsilon) = integral of phi(y - mu) H_b(y)(epsilon - l(y)) dy. */
#include "core/oracle/charge.h"
#include "tests/private_problem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

enum { N = 30, D = 3 };

static const double point[D] = { 0.31, -1.27, 0.05 };
static const sp_batch all = { 0 };

static sp_entry gauss(double noise_multiplier)
{
    return (sp_entry){ .kind = SP_LEDGER_GAUSS, .noise_multiplier = noise_multiplier, .count = 1 };
}

static sp_entry subset(double noise_multiplier, double rate)
{
    return (sp_entry){ .kind = SP_LEDGER_GAUSS_WOR, .noise_multiplier = noise_multiplier, .rate = rate, .count = 1 };
}

/* --- the exact delta ---------------------------------------------------------------------------------------------- */

static double gaussian_curve(double e, double mu)
{
    return gsl_cdf_ugaussian_P(mu / 2.0 - e / mu) - exp(e) * gsl_cdf_ugaussian_P(-mu / 2.0 - e / mu);
}

/* Of a release that some data sets reach. A subset's curve is symmetric. */
static double curve(const sp_entry *entry, double e)
{
    if (entry->kind == SP_LEDGER_GAUSS)
        return gaussian_curve(e, 1.0 / entry->noise_multiplier);
    if (e < 0.0)
        return 1.0 - exp(e) * (1.0 - curve(entry, -e));
    if (entry->kind == SP_LEDGER_GAUSS_WOR)
        return entry->rate * gaussian_curve(log1p(expm1(e) / entry->rate), 1.0 / entry->noise_multiplier);
    return e < entry->epsilon ? (exp(entry->epsilon) - exp(e)) / (1.0 + exp(entry->epsilon)) : 0.0; /* pure */
}

/* Of the strategy: `first`, then above the threshold `high`, below it `low`. */
static double adaptive_delta(double first, double threshold, const sp_entry *high, const sp_entry *low)
{
    enum { STEPS = 40000 };
    const double mu = 1.0 / first, h = 24.0 / STEPS;
    double delta = 0.0;
    for (size_t i = 0; i < STEPS; i++) {
        const double y = -12.0 + ((double)i + 0.5) * h, loss = mu * y - mu * mu / 2.0;
        delta += h * gsl_ran_ugaussian_pdf(y - mu) * curve(y > threshold ? high : low, 1.0 - loss);
    }
    return delta;
}

/* --- what the gate says ------------------------------------------------------------------------------------------- */

/* `first` and `second` on a new oracle of this filter. */
static bool both_pass(const private_problem *p, sp_filter filter, const sp_entry *first, const sp_entry *second)
{
    sp_oracle *o = private_oracle(p, private_tight, 1);
    sp_bounds bounds;
    OK(o, sp_filter_by(o, filter));
    const bool passed = sp_charge(o, first, 1) == SP_OK && sp_charge(o, second, 1) == SP_OK;
    if (passed)
        SP_CHECK_REPORT(sp_oracle_spent(o, &bounds, NULL) == SP_OK, "what the gate let pass is above the budget");
    sp_oracle_free(o);
    return passed;
}

/* Each branch alone is within (1, 1e-6), by distributions and in Gaussian DP; the choice between them is not. */
static void counterexample(const private_problem *p)
{
    const sp_entry first = gauss(5.5556), high = gauss(6.5056), low = subset(0.3583, 1e-4);
    const double delta = adaptive_delta(5.5556, 2.263, &high, &low);
    for (int k = 0; k < 2; k++) {
        sp_ledger ledger = { 0 };
        sp_bounds bounds = { .best = NAN };
        CHECK(sp_ledger_append(&ledger, &first) == SP_OK && sp_ledger_append(&ledger, k ? &high : &low) == SP_OK);
        CHECK_EQUAL(sp_account(&ledger, SP_REPLACE_ONE, 1e-6, &bounds, NULL), SP_OK);
        CHECK_LESS_EQUAL(bounds.best, 1.0);
        sp_ledger_free(&ledger);
    }
    CHECK_NEAR(delta, 1.934e-6, 1e-9);
    for (sp_filter filter = SP_FILTER_ZCDP; filter <= SP_FILTER_BASIC; filter++)
        CHECK(!(both_pass(p, filter, &first, &high) && both_pass(p, filter, &first, &low)));
    CHECK(both_pass(p, SP_FILTER_GAUSS, &first, &high)); /* said in advance, this one is right */
}

/* The second release with as little noise as passes; INFINITY: none does. */
static sp_entry dearest(const private_problem *p, sp_filter filter, const sp_entry *first, sp_entry second)
{
    double low = log(0.02), high = log(1e5);
    for (size_t k = 0; k < 30; k++) {
        const double middle = (low + high) / 2.0;
        second.noise_multiplier = exp(middle);
        second.epsilon = exp(-middle);
        *(both_pass(p, filter, first, &second) ? &high : &low) = middle;
    }
    second.noise_multiplier = exp(high);
    second.epsilon = exp(-high);
    return second;
}

static void two_steps(const private_problem *p)
{
    enum { STRATEGIES = 40 };
    gsl_rng *r = sp_stream_open(sp_stream_key_of(13, "gate", 0, SP_STREAM_DATA));
    double largest = 0.0;
    for (size_t i = 0; i < STRATEGIES; i++) {
        const sp_filter filter = i % 2 ? SP_FILTER_ZCDP : SP_FILTER_GAUSS;
        const double mu = sp_gaussian_mu(1.0, 1e-6), part = 0.05 + 0.8 * gsl_rng_uniform(r);
        const sp_entry first = gauss(1.0 / (mu * sqrt(part)));
        sp_entry branch[2];
        for (int b = 0; b < 2; b++) {
            const double rate = exp(-9.0 * gsl_rng_uniform(r));
            const sp_entry kinds[] = { gauss(1.0), subset(1.0, rate), { SP_LEDGER_SVT, .epsilon = 1.0, .count = 1 } };
            branch[b] = dearest(p, filter, &first, kinds[gsl_rng_uniform_int(r, filter == SP_FILTER_ZCDP ? 3 : 2)]);
        }
        for (double threshold = -3.0; threshold <= 6.0; threshold += 0.75) {
            const double delta = adaptive_delta(first.noise_multiplier, threshold, &branch[0], &branch[1]);
            CHECK_LESS_EQUAL(delta, 1e-6 * (1.0 + 1e-6));
            largest = fmax(largest, delta);
        }
    }
    CHECK_LESS_EQUAL(0.99e-6, largest); /* the Gaussian filter leaves nothing */
    gsl_rng_free(r);
}

/* --- plans -------------------------------------------------------------------------------------------------------- */

/* A plan above the filter's limit: its releases in any order, and nothing else. */
static void plan_alone(const private_problem *p)
{
    sp_oracle *o = private_oracle(p, private_tight, 2);
    const sp_release_plan plan[] = { { .kind = SP_GRADIENT, .sample = sp_full(), .count = 2 },
                                     { .kind = SP_GRADIENT, .sample = sp_subset(3), .count = 3 } };
    double s[2], out[D];
    sp_batch batch;
    sp_bounds bounds;
    OK(o, sp_calibrate(o, plan, 2, s));
    CHECK(sp_remaining(o) == 0.0);
    OK(o, sp_draw(o, sp_subset(3), &batch));
    OK(o, sp_gradient(o, &SP_AT(batch, point), s[1], out));
    REFUSED(o, sp_gradient(o, &SP_AT(all, point), 0.9 * s[0], out), SP_EBUDGET, "was not announced");
    REFUSED(o, sp_calibrate(o, plan, 1, s + 1), SP_EBUDGET, "judged as a whole");
    REFUSED(o, sp_filter_by(o, SP_FILTER_GAUSS), SP_EINVAL, "before the first plan");
    REFUSED(o, sp_filter_by(o, SP_FILTER_NONE), SP_EINVAL, "no filter 0");
    sp_oracle *child = NULL;
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.01 }, &child), SP_EBUDGET,
            "announced as a whole");
    OK(o, sp_gradient(o, &SP_AT(all, point), s[0], out)); /* a refusal costs nothing */
    OK(o, sp_gradient(o, &SP_AT(all, point), 2.0 * s[0], out));
    CHECK_EQUAL(sp_gradient(o, &SP_AT(all, point), s[0], out), SP_EBUDGET);
    CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
    CHECK_EQUAL(sp_ledger_filter(sp_oracle_ledger(o)), SP_FILTER_NONE);
    sp_oracle_free(o);
}

/* So much noise that its cost is 0 takes nothing off a plan whose releases are all made. */
static void plan_of_none_left(const private_problem *p)
{
    sp_oracle *o = private_oracle(p, private_tight, 11);
    double s, out[D];
    sp_batch batch;
    OK(o, sp_calibrate(o, &(sp_release_plan){ .sample = sp_subset(3), .count = 1 }, 1, &s));
    OK(o, sp_draw(o, sp_subset(3), &batch));
    OK(o, sp_gradient(o, &SP_AT(batch, point), s, out));
    REFUSED(o, sp_gradient(o, &SP_AT(all, point), 1e200, out), SP_EBUDGET, "was not announced");
    OK(o, sp_draw(o, sp_subset(3), &batch));
    REFUSED(o, sp_gradient(o, &SP_AT(batch, point), s, out), SP_EBUDGET, "was not announced");
    sp_oracle_free(o);

    /* nor is it announced where no plan speaks of fresh batches: a filter that does not count it says so */
    o = private_oracle(p, private_tight, 12);
    OK(o, sp_filter_by(o, SP_FILTER_BASIC));
    OK(o, sp_draw(o, sp_fresh(3), &batch));
    REFUSED(o, sp_gradient(o, &SP_AT(batch, point), 1e200, out), SP_EPRIVACY, "does not count it");
    sp_oracle_free(o);
}

/* A plan within zCDP's limit is kept free, whether it is released or not; what is beside it is marked. */
static void plan_and_more(const private_problem *p)
{
    sp_oracle *o = private_oracle(p, private_tight, 3);
    const double rho = sp_budget_of(o)->rho_z;
    const sp_release_plan plan = { .kind = SP_SELECTION, .count = 2, .epsilon = sqrt(8.0 * 0.2 * rho) };
    double s, out[D];
    const sp_space space = { .kind = SP_SPACE_LIST, .count = 2, .points = (double[2 * D]){ 0.3 } };
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = point };
    sp_bounds bounds;
    OK(o, sp_calibrate(o, &plan, 1, &s));
    CHECK_NEAR(sp_remaining(o), 0.6 * rho, 1e-12);
    OK(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, plan.epsilon, out, NULL));
    CHECK_NEAR(sp_remaining(o), 0.6 * rho, 1e-12);
    OK(o, sp_gradient(o, &SP_AT(all, point), 1.0 / sqrt(2.0 * 0.5 * rho), out));
    CHECK_NEAR(sp_remaining(o), 0.1 * rho, 1e-12);
    REFUSED(o, sp_gradient(o, &SP_AT(all, point), 1.0 / sqrt(2.0 * 0.11 * rho), out), SP_EBUDGET, "would bring zCDP");
    const sp_ledger *ledger = sp_oracle_ledger(o);
    CHECK(ledger->count == 2 && ledger->entry[0].filter == SP_FILTER_NONE && ledger->entry[1].filter == SP_FILTER_ZCDP);
    /* a later plan takes what the first has not used, and counts as unannounced */
    OK(o, sp_calibrate(o, &(sp_release_plan){ .sample = sp_full(), .count = 3 }, 1, &s));
    CHECK_NEAR(1.5 / (s * s), 0.3 * rho, 1e-9 * rho);
    CHECK_EQUAL(sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, plan.epsilon, out, NULL), SP_EBUDGET);
    for (size_t t = 0; t < 3; t++)
        OK(o, sp_gradient(o, &SP_AT(all, point), s, out));
    CHECK_EQUAL(sp_gradient(o, &SP_AT(all, point), 100.0 * s, out), SP_EBUDGET);
    CHECK(ledger->count == 3 && ledger->entry[2].filter == SP_FILTER_ZCDP && ledger->entry[2].count == 3);
    CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
    CHECK(bounds.bound == SP_BOUND_ZCDP && isnan(bounds.epsilon[SP_BOUND_PLD]));
    CHECK_NEAR(bounds.best, 1.0, 1e-6);
    REFUSED(o, sp_calibrate(o, &(sp_release_plan){ .sample = sp_subset(3), .count = 3 }, 1, &s), SP_EPRIVACY,
            "sampling");
    REFUSED(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_SELECTION, .count = 1, .epsilon = 0.01, .tv = 1e-9 }, 1,
                            &s), SP_EPRIVACY, "does not count it");
    sp_oracle_free(o);

    /* releases on fresh batches: the plan's share of a pool stays free on each */
    o = private_oracle(p, private_tight, 4);
    sp_batch batch;
    OK(o, sp_filter_by(o, SP_FILTER_GAUSS));
    OK(o, sp_calibrate(o, &(sp_release_plan){ .sample = sp_fresh(5), .count = 3 }, 1, &s));
    OK(o, sp_draw(o, sp_fresh(5), &batch));
    OK(o, sp_gradient(o, &SP_AT(batch, point), s, out));
    CHECK_EQUAL(sp_gradient(o, &SP_AT(batch, point), 1e4, out), SP_EBUDGET);
    OK(o, sp_draw(o, sp_fresh(5), &batch));
    OK(o, sp_gradient(o, &SP_AT(batch, point), 2.0 * s, out)); /* a quarter of mu^2, then another */
    OK(o, sp_gradient(o, &SP_AT(batch, point), 2.0 * s, out));
    CHECK_EQUAL(sp_ledger_filter(sp_oracle_ledger(o)), SP_FILTER_NONE);
    CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
    sp_oracle_free(o);
}

/* Announced passes are so much mu^2, and nothing besides when that is spent: not so many releases of that noise. */
static void passes_alone(const private_problem *p)
{
    sp_oracle *o = private_oracle(p, private_tight, 9);
    double s, out[D];
    sp_batch block;
    OK(o, sp_calibrate(o, &(sp_release_plan){ .sample = sp_pass(1, false), .count = 2 * N }, 1, &s));
    OK(o, sp_gradient(o, &SP_AT(all, point), s, out)); /* as much as one of the two epochs */
    for (size_t t = 0; t < N; t++) {
        OK(o, sp_draw(o, sp_pass(1, false), &block));
        OK(o, sp_gradient(o, &SP_AT(block, point), s, out));
    }
    CHECK_EQUAL(sp_gradient(o, &SP_AT(all, point), s, out), SP_EBUDGET);
    CHECK_EQUAL(sp_gradient(o, &SP_AT(all, point), 1e3 * s, out), SP_EBUDGET);
    sp_oracle_free(o);

    /* thousands of releases of a plan add up to it, rounding or not: a tree over 300 epochs */
    for (size_t m = 1; m <= 7; m++) {
        const size_t epochs = 300, steps = epochs * ((N + m - 1) / m);
        const double cost = sp_node_cost(SP_NOISE_TREE, steps, (N + m - 1) / m, 1.0);
        sp_accumulator *sum = NULL;
        sp_bounds bounds;
        o = private_oracle(p, private_tight, 9);
        OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_ACCUMULATED, .sample = sp_pass(m, false), .count = steps },
                           1, &s));
        OK(o, sp_accumulator_open(o, SP_NOISE_TREE, &(sp_accumulator_plan){ .adds = steps }, &sum));
        for (size_t t = 0; t < steps; t++) {
            OK(o, sp_draw(o, sp_pass(m, false), &block));
            const double part = (double)sp_batch_size(o, block) / (double)m; /* of a short block */
            const sp_query query = { .batch = block, .terms = 1, .term = { { part, point } } };
            OK(o, sp_accumulator_add(sum, 1.0, &query));
            OK(o, sp_accumulator_release(sum, s * sqrt(cost) * sp_sensitivity(o, &SP_AT(all, point)) * N / (double)m,
                                         out));
        }
        CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
        CHECK_NEAR(bounds.best, 1.0, 1e-8);
        CHECK_EQUAL(sp_gradient(o, &SP_AT(all, point), 1e3 * s, out), SP_EBUDGET);
        sp_oracle_free(o);
    }

    /* a child's marked entry must not hide it */
    sp_oracle *child = NULL;
    o = private_oracle(p, private_tight, 10);
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.01 }, &child));
    OK(child, sp_gradient(child, &SP_AT(all, point), 1e6, out));
    OK(o, sp_calibrate(o, &(sp_release_plan){ .sample = sp_pass(1, false), .count = N }, 1, &s));
    OK(o, sp_gradient(o, &SP_AT(all, point), s, out));
    CHECK_EQUAL(sp_gradient(o, &SP_AT(all, point), s, out), SP_EBUDGET);
    sp_oracle_free(o);
}

/* --- filters ------------------------------------------------------------------------------------------------------ */

static void filters(const private_problem *p)
{
    const sp_entry em = { SP_LEDGER_EM, .epsilon = 0.01, .count = 1 }, much = gauss(1e4);
    const sp_entry half = { SP_LEDGER_SVT, .epsilon = 0.5, .count = 1 };
    sp_oracle *o = private_oracle(p, private_tight, 5), *child = NULL, *other = NULL;
    OK(o, sp_filter_by(o, SP_FILTER_GAUSS));
    REFUSED(o, sp_charge(o, &em, 1), SP_EPRIVACY, "the filter by mu^2 of Gaussian DP does not count it");
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.5 }, &child), SP_EPRIVACY, "another");
    sp_oracle_free(o);

    o = private_oracle(p, private_tight, 6);
    sp_bounds bounds;
    OK(o, sp_filter_by(o, SP_FILTER_BASIC));
    REFUSED(o, sp_charge(o, &much, 1), SP_EPRIVACY, "the sum of epsilon does not count it");
    OK(o, sp_charge(o, &half, 1));
    CHECK_NEAR(sp_remaining(o), 0.5, 1e-12);
    OK(o, sp_charge(o, &half, 1));
    REFUSED(o, sp_charge(o, &em, 1), SP_EBUDGET, "the sum of epsilon to 1.01, above 1");
    CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
    CHECK(bounds.bound == SP_BOUND_BASIC && fabs(bounds.best - 1.0) <= 1e-12);
    sp_oracle_free(o);

    /* a budget in zCDP is kept in zCDP */
    o = private_oracle(p, private_tight, 7);
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.5 }, &child));
    REFUSED(child, sp_filter_by(child, SP_FILTER_BASIC), SP_EPRIVACY, "kept in zCDP");
    OK(child, sp_filter_by(child, SP_FILTER_GAUSS));
    CHECK_NEAR(sp_remaining(child), 0.5 * sp_budget_of(o)->rho_z, 1e-12);
    sp_oracle_free(o);

    /* one child's filter beside another's plan: each has kept to its share, and that is what is known */
    o = private_oracle(p, private_tight, 8);
    double s, out[D];
    sp_batch batch;
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.5 }, &child));
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.5 }, &other));
    OK(child, sp_charge(child, &much, 1));
    OK(other, sp_calibrate(other, &(sp_release_plan){ .sample = sp_subset(1), .count = 1 }, 1, &s));
    OK(other, sp_draw(other, sp_subset(1), &batch));
    OK(other, sp_gradient(other, &SP_AT(batch, point), s, out));
    CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
    CHECK(bounds.bound == SP_BOUND_BASIC && bounds.best == 1.0);
    sp_oracle_free(o);
}

int main(void)
{
    private_problem p;
    gsl_set_error_handler_off();
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    counterexample(&p);
    two_steps(&p);
    plan_alone(&p);
    plan_of_none_left(&p);
    plan_and_more(&p);
    passes_alone(&p);
    filters(&p);
    private_problem_free(&p);
    return sp_check_done();
}
