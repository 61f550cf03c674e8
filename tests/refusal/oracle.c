/* refusal/oracle.c -- what the oracle refuses for privacy, beside what the tests of its parts show: a call each, and
 * that it has written nothing. tests/mutants/gates.sh removes each refusal in turn. */
#include "core/oracle/replay.h"
#include "tests/private_problem.h"

#include <gsl/gsl_math.h>

enum { N = 12, D = 2 };

static const sp_batch all = { 0 };
static const double w[D] = { 0.3, -0.2 }, away[D] = { 0.4, -0.2 }, origin[D] = { -1.0, -1.0 };
static double out[D * D];

static void paid_nothing(sp_oracle *o)
{
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    CHECK_EQUAL(sp_oracle_cost(o).releases, 0);
    sp_oracle_free(o);
}

static void choices(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 1);
    const sp_space two = { .kind = SP_SPACE_LIST, .count = 2, .points = (const double[]){ 0.1, 0.2, 0.7, -0.4 } };
    const sp_space grid = { .kind = SP_SPACE_GRID, .origin = origin, .spacing = 0.5, .side = 5, .search = true };
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = w, .radius = 2.0 };
    sp_continuum W = { .centre = w, .radius = 2.0, .trials = 1e15 };
    const double wrong[] = { 0.0, -1.0, NAN, INFINITY };
    for (size_t i = 0; i < 4; i++)
        REFUSED(o, sp_choose_point(o, &W, wrong[i], out), SP_EPRIVACY, "a private choice needs it > 0");
    W.trials = 10.0;
    REFUSED(o, sp_choose_point(o, &W, 0.1, out), SP_EPRIVACY, "would tell about records");
    W = (sp_continuum){ .centre = w, .radius = 2.0, .moves = 5, .move_std = 0.1, .tv = NAN };
    REFUSED(o, sp_choose_point(o, &W, 0.1, out), SP_EPRIVACY, "cost is infinite");
    W.tv = 1e-9;
    W.radius = 1e200;
    REFUSED(o, sp_choose_point(o, &W, 0.1, out), SP_EPRIVACY, "a sensitivity above");
    W.radius = 2.0;

    p.problem.certified.L = INFINITY;
    REFUSED(o, sp_choose(o, all, &grid, &score, SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL), SP_EPRIVACY,
            "certified Lipschitz");
    p.problem.declared.L_data = INFINITY;
    REFUSED(o, sp_choose(o, all, &two, &score, SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL), SP_EPRIVACY,
            "no finite sensitivity");
    REFUSED(o, sp_choose_point(o, &W, 0.1, out), SP_EPRIVACY, "no finite sensitivity");

    p.problem.certified.cosines = 1.0;
    for (size_t i = 0; i < 4; i++)
        REFUSED(o, sp_choose_product(o, wrong[i], out), SP_EPRIVACY, "a private choice needs it > 0");
    paid_nothing(o);
    private_problem_free(&p);
}

static void releases(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 8), *child;
    double multiplier;
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.5 }, &child));
    REFUSED(child, sp_filter_by(child, SP_FILTER_BASIC), SP_EPRIVACY, "kept in zCDP");
    REFUSED(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_SELECTION, .count = 1 }, 1, &multiplier), SP_EPRIVACY,
            "of a choice must be > 0");
    p.problem.declared.hessian_frobenius = INFINITY;
    REFUSED(o, sp_hessian(o, all, w, 5.0, out), SP_EPRIVACY, "hessian_frobenius = inf");
    p.problem.declared.L_data = INFINITY;
    REFUSED(o, sp_gradient(o, &SP_AT(all, w), 5.0, out), SP_EPRIVACY, "query: no finite sensitivity");
    paid_nothing(o);
    p.problem.declared.L_data = 1.0;
    const sp_filter filters[] = { SP_FILTER_GAUSS, SP_FILTER_BASIC };
    for (size_t i = 0; i < 2; i++) { /* what a filter does not count */
        o = private_oracle(&p, private_tight, 10);
        OK(o, sp_filter_by(o, filters[i]));
        const sp_space two = { .kind = SP_SPACE_LIST, .count = 2, .points = (const double[]){ 0.1, 0.2, 0.7, -0.4 } };
        const sp_score score = { .kind = SP_SCORE_LOSS, .reference = w };
        if (i == 0)
            REFUSED(o, sp_choose(o, all, &two, &score, SP_CHOOSE_EXPONENTIAL, 1e-3, out, NULL), SP_EPRIVACY,
                    "does not count it");
        else
            REFUSED(o, sp_gradient(o, &SP_AT(all, w), 1e4, out), SP_EPRIVACY, "does not count it");
        paid_nothing(o);
    }
    o = private_oracle(&p, private_tight, 9);
    OK(o, sp_filter_by(o, SP_FILTER_BASIC));
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.5 }, &child), SP_EPRIVACY,
            "pass another filter");
    paid_nothing(o);
    private_problem_free(&p);
}

static void stable_passes(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 2);
    p.problem.certified.beta = 1e-300;
    REFUSED(o, sp_stable_pass(o, all, w, 1e200, 5.0, out), SP_EPRIVACY, "eta L_data");
    p.problem.certified.L_data = INFINITY;
    REFUSED(o, sp_stable_pass(o, all, w, 0.1, 5.0, out), SP_EPRIVACY, "no finite sensitivity");
    p.problem.certified.L_data = 1.0;
    p.problem.declared.L_data = INFINITY;
    REFUSED(o, sp_stable_pass(o, all, w, 0.1, 5.0, out), SP_EPRIVACY, "no finite sensitivity");
    paid_nothing(o);
    private_problem_free(&p);
}

/* What square-root noise is charged for is a schedule: nothing else is let into it. */
static void schedules(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 3);
    sp_accumulator *a;
    sp_batch batch, block;
    OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = 4, .keep = 0.5 }, &a));
    REFUSED(o, sp_accumulator_add(a, 0.5, &SP_AT(all, w)), SP_EPRIVACY, "opened for a period of 0");
    OK(o, sp_draw(o, sp_fresh(3), &batch));
    OK(o, sp_accumulator_add(a, 0.5, &SP_AT(batch, w)));
    OK(o, sp_accumulator_release(a, 5.0, out));
    REFUSED(o, sp_accumulator_add(a, 0.5, &SP_AT(batch, w)), SP_EPRIVACY, "a fresh batch serves one add");
    OK(o, sp_draw(o, sp_fresh(3), &batch));
    OK(o, sp_accumulator_add(a, 0.5, &SP_AT(batch, w)));
    REFUSED(o, sp_accumulator_release(a, 4.0, out), SP_EPRIVACY, "was charged for 5 throughout");
    CHECK_EQUAL(sp_oracle_cost(o).releases, 1);
    sp_oracle_free(o);

    o = private_oracle(&p, private_paper, 4);
    OK(o, sp_draw(o, sp_pass(4, false), &block));
    OK(o, sp_accumulator_open(o, SP_NOISE_SQRT, &(sp_accumulator_plan){ .adds = 4, .keep = 0.5, .period = 3 }, &a));
    OK(o, sp_accumulator_add(a, 0.5, &SP_AT(block, w)));
    OK(o, sp_accumulator_release(a, 5.0, out));
    REFUSED(o, sp_accumulator_add(a, 0.5, &SP_AT(block, w)), SP_EPRIVACY, "in the order drawn, each once");
    OK(o, sp_draw(o, sp_pass(4, false), &block));
    sp_query steeper = SP_AT(block, w);
    steeper.bound = 1.5 * p.problem.declared.L_data;
    REFUSED(o, sp_accumulator_add(a, 0.5, &steeper), SP_EPRIVACY, "is above");
    OK(o, sp_draw(o, sp_pass(4, false), &block));
    REFUSED(o, sp_accumulator_add(a, 0.5, &SP_AT(block, w)), SP_EPRIVACY, "in the order drawn, each once");
    CHECK_EQUAL(sp_oracle_cost(o).releases, 1);
    sp_oracle_free(o);
    private_problem_free(&p);
}

static void samples(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 5), *child;
    sp_batch batch;
    double cost;
    OK(o, sp_draw(o, sp_subset(5), &batch));
    OK(o, sp_pass_cost(o, SP_NOISE_TREE, 4, 6, 1.0, &cost));
    REFUSED(o, sp_draw(o, sp_subset(5), &batch), SP_EPRIVACY, "told of the coming permutations");
    REFUSED(o, sp_draw(o, sp_poisson(0.3), &batch), SP_EPRIVACY, "told of the coming permutations");
    OK(o, sp_child(o, &(sp_child_options){ .share = 0.5 }, &child));
    REFUSED(child, sp_draw(child, sp_subset(5), &batch), SP_EPRIVACY, "told of the coming permutations");
    paid_nothing(o);

    sp_privacy other = private_paper;
    other.neighbours = SP_ADD_REMOVE;
    o = private_oracle(&p, other, 6);
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5 }, &child), SP_EPRIVACY, "which records a child has");
    REFUSED(o, sp_gradient(o, &SP_AT(all, w), 5.0, out), SP_EPRIVACY, "only releases on Poisson samples");
    REFUSED(o, sp_hessian(o, all, w, 5.0, out), SP_EPRIVACY, "only releases on Poisson samples");
    paid_nothing(o);
    private_problem_free(&p);
}

/* A replay answers the recorded call, and no other. */
static void replays(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_transcript *transcript[2] = { sp_transcript_new(), sp_transcript_new() };
    for (size_t side = 0; side < 2; side++) {
        sp_oracle *o = NULL;
        sp_oracle_options options = private_options(&p, private_paper, 7);
        options.transcript = transcript[side];
        if (side == 0)
            sp_transcript_record(transcript[0]);
        else
            sp_transcript_replay(transcript[1], transcript[0]);
        CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
        out[0] = 77.5;
        if (side == 0)
            OK(o, sp_gradient(o, &SP_AT(all, w), 5.0, out));
        else
            REFUSED(o, sp_gradient(o, &SP_AT(all, away), 5.0, out), SP_EPRIVACY, "argument 0 differs at coordinate 0");
        CHECK_EQUAL(out[0] == 77.5, side == 1);
        sp_oracle_free(o);
    }
    sp_transcript_free(transcript[1]);
    sp_transcript_free(transcript[0]);
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    choices();
    releases();
    stable_passes();
    schedules();
    samples();
    replays();
    return sp_check_done();
}
