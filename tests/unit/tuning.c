/* tuning.c -- grids: their cells, their winners, the stages. One step of gd on the pseudo-Huber loss without data,
 *
 *   F(w) = hypot(s, ||w - c||) - s, w_0 - c of length D = 1.5:  w_1 - c = (1 - eta / hypot(s, D)) (w_0 - c),
 *
 * is exact at eta = hypot(s, D): 2.5 for s = 2, 3.9 for s = 3.6. The gradient's norm is rho / hypot(s, rho) at
 * rho = D |1 - eta / hypot(s, D)|. Between the two, eta = 2.8 has the best worst member: .0896 and .1167. */
#include "core/store/grids.h"
#include "core/sweep/tuning.h"
#include "core/lua/values.h"

#include "core/export/export.h"
#include "tests/check.h"
#include "tests/experiment.h"

#define PROBLEM                                                                                                     \
    " problem = { loss = { 'pseudo_huber', scale = { 2, 3.6 }, distance = 1.5, tilt = 0 }, n = 5, d = 3,"           \
    " family = 'loss.scale', declared = { beta = 1, gap = 2, rho_hessian = 1 } }, privacy = 'none',"                \
    " measures = { 'objective', 'grad_norm' }, tuning_measure = 'grad_norm'"
#define TOY(tune) "return { seed = 3, replicates = 2, tuning_replicates = 3, algorithms = { { 'gd', steps = 1, " tune \
    " } }," PROBLEM " }"
#define GRID "{ 1.5, 2.5, 2.8, 3.1, 3.9 }"

static const sp_run_options two_jobs = { .jobs = 2, .quiet = true };

static double expected_norm(double s, double eta)
{
    const double rho = 1.5 * fabs(1.0 - eta / hypot(s, 1.5));
    return rho / hypot(s, rho);
}

static const char *axis(const sp_cell *cell, const char *name)
{
    const char *value = sp_cell_axis(cell, name);
    return value ? value : "-";
}

typedef struct bench {
    sp_plan plan;
    sp_store *store;
    sp_run_summary summary;
    sp_error error;
} bench;

static void bench_open(bench *b, const char *folder, const char *text)
{
    *b = (bench){ .store = NULL };
    mkdir(folder, 0700);
    CHECK_EQUAL(load_text(text, "default", &b->plan, NULL), SP_OK);
    CHECK_EQUAL(sp_store_open(folder, &b->store, &b->error), SP_OK);
}

static sp_status bench_run(bench *b)
{
    return sp_run_stages(&b->plan, b->store, &two_jobs, &b->summary, &b->error);
}

static void bench_close(bench *b)
{
    sp_store_close(b->store);
    sp_plan_free(&b->plan);
}

static void check_printed(void (*print)(const sp_tuning *, sp_text *), const sp_tuning *t, const char *expected)
{
    sp_text text = { 0 };
    print(t, &text);
    CHECK_TEXT(text.data ? text.data : "", expected);
    sp_text_free(&text);
}

static void print_winner(const sp_tuning *t, sp_text *text)
{
    sp_tuning_print_point(t, t->winner, text);
}

static void print_edge(const sp_tuning *t, sp_text *text)
{
    sp_tuning_edge(t, t->winner, text);
}

/* --- cells ---------------------------------------------------------------------------------------------------- */

static void expands_members_and_grid(void)
{
    sp_plan plan;
    CHECK_EQUAL(load_text(
        "return { seed = 3, replicates = 4, tuning_replicates = 7, checkpoints = 2,"
        " problem = { loss = { 'huber_ramp', slope = { 0.5, 0.25, 0.125 } }, n = { 100, 300 }, d = 3,"
        "             family = 'loss.slope', declared = { L = 4, gap = 3, distance = 20 } },"
        " privacy = { epsilon = { 1, 2 }, delta = 1e-6 }, measures = { 'objective', 'grad_norm' },"
        " algorithms = { { 'gd', steps = 5 },"
        "                { 'dp_gd', tune = { steps = { 10, function (c) return c.n / 2 end },"
        "                                    select = { 'last', 'average', 'uniform' } } } } }",
        "default", &plan, NULL), SP_OK);
    /* 2 sizes x (gd + 2 budgets of dp_gd), three members each, which vary fastest */
    static const char *const slope[] = { "0.5", "0.25", "0.125" };
    CHECK_EQUAL(plan.cells, 18);
    CHECK_EQUAL(plan.runs, 18 * 4);
    for (size_t i = 0; i < plan.cells; i++) {
        const sp_cell *cell = &plan.cell[i];
        CHECK_TEXT(axis(cell, "problem.loss.slope"), slope[i % 3]);
        CHECK_TEXT(axis(cell, "n"), i < 9 ? "100" : "300");
        CHECK_TEXT(cell->label, i % 9 < 3 ? "gd" : "dp_gd");
        CHECK_TEXT(axis(cell, "epsilon"), i % 9 < 3 ? "-" : i % 9 < 6 ? "1" : "2");
        CHECK_TEXT(cell->problem->family, "problem.loss.slope");
        CHECK_TEXT(axis(cell, "problem.family"), "-"); /* how cells belong together is not what they are */
        const sp_problem_spec *problem = cell->problem;
        sp_constants certified, declared;
        CHECK_EQUAL(sp_problem_constants(problem, &certified, &declared, NULL), SP_OK);
        CHECK_NEAR(declared.gap, 3.0, 0.0);
        CHECK_EQUAL(cell->tuned, i % 9 >= 3);
        CHECK_EQUAL(cell->pending, cell->tuned);
        CHECK_EQUAL(cell->first, 0);
    }
    CHECK_TEXT(axis(&plan.cell[3], "algorithm.select"), "{last,average,uniform}");
    CHECK_TEXT(axis(&plan.cell[3], "algorithm.steps"), "{10,50}");
    CHECK_TEXT(axis(&plan.cell[12], "algorithm.steps"), "{10,150}");

    CHECK_EQUAL(plan.tunings, 4);
    CHECK_EQUAL(plan.bases, 0);
    CHECK_EQUAL(plan.trials, 4 * 3 * 6);
    CHECK_EQUAL(plan.tuning_runs, 4 * 3 * 6 * 7);
    const sp_tuning *t = &plan.tuning[3]; /* n = 300, epsilon = 2 */
    CHECK_EQUAL(t->cell, 15);
    CHECK_EQUAL(t->members, 3);
    CHECK_EQUAL(t->points, 6);
    CHECK_TEXT(t->measure->name, "objective"); /* the first */
    static const char *const output[] = { "last", "last", "average", "average", "uniform", "uniform" };
    for (size_t m = 0; m < 3; m++)
        for (size_t g = 0; g < 6; g++) {
            const sp_cell *trial = &plan.trial[t->trial + 6 * m + g];
            CHECK_TEXT(axis(trial, "problem.loss.slope"), slope[m]);
            CHECK_TEXT(axis(trial, "n"), "300");
            CHECK_TEXT(axis(trial, "epsilon"), "2");
            CHECK_TEXT(axis(trial, "algorithm.select"), output[g]);
            CHECK_TEXT(axis(trial, "algorithm.steps"), g % 2 ? "150" : "10");
            const sp_method *method = trial->method;
            CHECK_EQUAL(sp_count(&method->values, 1), g % 2 ? 150 : 10);
            CHECK(!trial->pending && !trial->tuned && trial->checkpoints == 0.0);
            CHECK_EQUAL(trial->first, SP_TUNING_FIRST);
            CHECK_EQUAL(trial->replicates, 7);
            CHECK_EQUAL(trial->measures, 1);
            CHECK_TEXT(trial->measure[0]->name, "objective");
        }
    check_printed(sp_tuning_print_grid, t, "select={last,average,uniform} steps={10,150}");
    sp_plan_free(&plan);
}

/* Every run of a further seed is another one, in the grids and their base cells too. The seeds are 52 bits of SHA-256,
 * by hashlib. */
static void seeds_are_for_all_runs(void)
{
    static const uint64_t expected[] = { 17, 1425395795104199, 1400672359658366 };
    char identity[3][3][SP_HASH_HEX];
    for (size_t k = 0; k < 3; k++) {
        sp_plan plan;
        CHECK_EQUAL(load_text("return { seed = 17, problem = { loss = 'pseudo_huber', data = 'signs', n = 10, d = 2 },"
                              " privacy = { epsilon = 1, delta = 1e-6 }, measures = { 'grad_norm' },"
                              " algorithms = { 'gd', { 'dp_gd', tune = { steps = { times = { 1, 2 } } } } } }",
                              "default", &plan, NULL), SP_OK);
        sp_plan_seed(&plan, k + 1);
        CHECK_EQUAL(plan.seed, expected[k]);
        CHECK(plan.cells == 2 && plan.bases == 1 && plan.trials == 2);
        sp_run_identity(plan.cell, 0, identity[k][0]);
        sp_run_identity(plan.base, plan.base->first, identity[k][1]);
        sp_run_identity(plan.trial + 1, plan.trial->first, identity[k][2]);
        CHECK(plan.cell[1].seed == expected[k] && plan.trial->seed == expected[k]);
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < 3; i++)
                CHECK(strcmp(identity[j][i], identity[k][i]) != 0);
        sp_plan_free(&plan);
    }
}

/* An evaluation with the same parameters has the same identity, whether a grid chose them or not; only the numbers of
 * the replicates keep tuning runs apart. */
static void identity_is_what_runs(void)
{
    sp_plan plain, tuned;
    char one[SP_HASH_HEX], two[SP_HASH_HEX];
    CHECK_EQUAL(load_text(TOY("eta = 2.8"), "default", &plain, NULL), SP_OK);
    CHECK_EQUAL(load_text(TOY("tune = { eta = " GRID " }"), "default", &tuned, NULL), SP_OK);
    CHECK_EQUAL(plain.tunings, 0);
    CHECK_EQUAL(plain.tuning_runs, 0);
    tuned.tuning->winner = 2;
    tuned.tuning->known = true;
    for (size_t m = 0; m < 2; m++) {
        sp_run_identity(&tuned.cell[m], 0, one);
        sp_run_identity(&plain.cell[m], 0, two);
        CHECK(strcmp(one, two) != 0); /* pending */
        CHECK_EQUAL(sp_tuning_resolve_cell(&tuned, tuned.tuning, m, NULL), SP_OK);
        CHECK(!tuned.cell[m].pending && tuned.cell[m].tuned);
        CHECK_EQUAL(sp_cell_compare(&tuned.cell[m], &plain.cell[m]), 0);
        CHECK_EQUAL(sp_cell_compare(&tuned.trial[5 * m + 2], &plain.cell[m]), 0);
        sp_run_identity(&tuned.cell[m], 0, one);
        CHECK_TEXT(one, two);
        sp_run_identity(&tuned.trial[5 * m + 2], SP_TUNING_FIRST, one);
        CHECK(strcmp(one, two) != 0);
    }
    sp_plan_free(&plain);
    sp_plan_free(&tuned);
}

/* --- stages --------------------------------------------------------------------------------------------------- */

static void finds_the_best_worst_member(void)
{
    bench b;
    sp_result result;
    bench_open(&b, "sup", TOY("tune = { eta = " GRID " }"));
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, &b.error), SP_OK); /* nothing is stored: nothing is known */
    CHECK(b.plan.cell[0].pending && !b.plan.tuning->known);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.planned, 2 * 5 * 3 + 2 * 2);
    CHECK_EQUAL(b.summary.done, 34);
    CHECK_EQUAL(b.summary.remaining, 0);
    const sp_tuning *t = b.plan.tuning;
    CHECK(t->known);
    check_printed(print_winner, t, "eta=2.8");
    check_printed(print_edge, t, "");
    for (size_t m = 0; m < 2; m++) {
        CHECK_TEXT(axis(&b.plan.cell[m], "algorithm.eta"), "2.8");
        CHECK_EQUAL(sp_store_get(b.store, &b.plan.cell[m], 1, &result, NULL), SP_OK);
        CHECK_NEAR(result.value[1], expected_norm(m ? 3.6 : 2.0, 2.8), 1e-14);
        CHECK_TEXT(result.resolved, "eta=2.8:user");
        sp_result_free(&result);
    }
    /* the same parameters, other replicates: nothing of the tuning runs is an evaluation, or the other way round */
    CHECK_EQUAL(sp_store_get(b.store, &b.plan.trial[2], 0, &result, NULL), SP_OK);
    sp_result_free(&result);
    CHECK_EQUAL(sp_store_get(b.store, &b.plan.trial[1], 0, &result, NULL), SP_EABSENT);
    CHECK_EQUAL(sp_store_get(b.store, &b.plan.trial[1], SP_TUNING_FIRST + 2, &result, NULL), SP_OK);
    sp_result_free(&result);
    CHECK_EQUAL(sp_store_get(b.store, &b.plan.trial[1], SP_TUNING_FIRST + 3, &result, NULL), SP_EABSENT);

    sp_tuning_scores scores;
    static const double eta[] = { 1.5, 2.5, 2.8, 3.1, 3.9 };
    CHECK_EQUAL(sp_tuning_read(&b.plan, t, b.store, &scores, NULL), SP_OK);
    CHECK(scores.complete);
    CHECK_EQUAL(scores.runs, 30);
    CHECK_EQUAL(scores.failed, 0);
    CHECK_NEAR(scores.cost.gradients, 30.0 * 5, 0.0);
    for (size_t g = 0; g < 5; g++) {
        const double one = expected_norm(2.0, eta[g]), two = expected_norm(3.6, eta[g]);
        CHECK_NEAR(scores.median[g], fmax(one, two), 1e-14);
        CHECK_EQUAL(scores.worst[g], two > one);
    }
    sp_tuning_scores_free(&scores);

    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.present, 34);
    CHECK_EQUAL(b.summary.done, 0);
    bench_close(&b);

    /* a changed grid runs what is new (3.5 and 2.7, and the new winner), not what is there */
    bench_open(&b, "sup", TOY("tune = { eta = { 2.5, 2.7, 2.8, 3.1, 3.5 } }"));
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.present, 2 * 3 * 3 + 4);
    CHECK_EQUAL(b.summary.done, 2 * 2 * 3);
    check_printed(print_winner, b.plan.tuning, "eta=2.8");
    bench_close(&b);
}

/* Each member for itself: the loss's scale is an ordinary sweep. */
static void without_a_family_every_point_has_its_own(void)
{
    bench b;
    bench_open(&b, "single",
               "return { seed = 3, tuning_replicates = 1, algorithms = { { 'gd', steps = 1, tune = { eta = " GRID
               " } } }, problem = { loss = { 'pseudo_huber', scale = { 2, 3.6 }, distance = 1.5, tilt = 0 },"
               "                      n = 5, d = 3 }, privacy = 'none', measures = { 'grad_norm' } }");
    CHECK_EQUAL(b.plan.tunings, 2);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    check_printed(print_winner, &b.plan.tuning[0], "eta=2.5");
    check_printed(print_edge, &b.plan.tuning[0], "");
    check_printed(print_winner, &b.plan.tuning[1], "eta=3.9");
    check_printed(print_edge, &b.plan.tuning[1], "eta");
    bench_close(&b);
}

/* gd derives eta = 1/beta, and beta is declared as 1 for both members: the factors are the values of GRID. */
static void factors_multiply_what_is_derived(void)
{
    bench b;
    bench_open(&b, "times", TOY("tune = { eta = { times = " GRID " } }"));
    CHECK_EQUAL(b.plan.bases, 2);
    CHECK_EQUAL(b.plan.tuning_runs, 2 + 30);
    CHECK_TEXT(axis(&b.plan.base[1], "algorithm.eta"), "-");
    CHECK_TEXT(axis(&b.plan.trial[1], "algorithm.eta"), "times 2.5");
    CHECK(b.plan.trial[1].pending && !b.plan.base[1].pending);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.done, 2 + 30 + 4);
    CHECK_TEXT(axis(&b.plan.trial[1], "algorithm.eta"), "2.5");
    check_printed(print_winner, b.plan.tuning, "eta=times 2.8");
    CHECK_TEXT(axis(&b.plan.cell[1], "algorithm.eta"), "2.8");
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.present, 36);
    bench_close(&b);
}

/* Two sweeps with the same grid: each run is done once, and counts for both. */
static void sweeps_share_tuning_runs(void)
{
    bench b;
    bench_open(&b, "shared",
               "return { seed = 3, replicates = 2, tuning_replicates = 3," PROBLEM ","
               " sweeps = { a = {}, b = { replicates = 4 } },"
               " algorithms = { { 'gd', steps = 1, tune = { eta = { 2.5, 2.8, 3.1 } } } } }");
    CHECK_EQUAL(b.plan.tuning_runs, 2 * 2 * 3 * 3);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.planned, 36 + 2 * 2 + 2 * 4);
    CHECK_EQUAL(b.summary.done, 48);
    CHECK_EQUAL(b.summary.remaining, 0);
    for (size_t i = 0; i < 2; i++)
        check_printed(print_winner, &b.plan.tuning[i], "eta=2.8");
    bench_close(&b);
}

/* --- judging, on results made by hand ------------------------------------------------------------------------ */

static void put(sp_store *store, const sp_cell *cell, size_t replicate, double value, const char *resolved)
{
    sp_result r;
    sp_result_start(&r);
    r.value[0] = value;
    r.resolved = sp_copy_text(resolved);
    r.ledger = sp_copy_text("");
    r.cost = (sp_cost){ .gradients = 10.0, .differences = 20.0, .hessians = 3.0, .losses = 4.0, .releases = 5 };
    if (isinf(value))
        sp_result_fail(&r, SP_ENUMERIC, "diverged");
    CHECK_EQUAL(sp_store_put(store, cell, cell->first + replicate, &r, NULL), SP_OK);
    sp_result_free(&r);
}

/* value[member][point][replicate] */
static void put_grid(bench *b, const double value[2][3][4], size_t replicates)
{
    for (size_t m = 0; m < 2; m++)
        for (size_t g = 0; g < 3; g++)
            for (size_t r = 0; r < replicates; r++)
                put(b->store, &b->plan.trial[3 * m + g], r, value[m][g][r], "eta=1:user");
}

#define HAND(measure)                                                                                               \
    "return { seed = 3, tuning_replicates = 4, algorithms = { { 'gd', steps = 1, tune = { eta = { 1, 2, 3 } } } },"  \
    " problem = { loss = { 'logistic' }, data = { 'logistic', scale = { 1, 2 } }, n = 5, d = 3,"                    \
    "             family = 'data.scale' }, privacy = 'none', measures = { '" measure "' } }"

/* A run that could not be tried for want of a reference value is one that is missing: the grid is not skipped for it,
 * so that a later call makes it. */
static void lacking_reference(void)
{
    static const double value[2][3][4] = { { { 1, 1, 1, 1 }, { 1, 1, 1, 1 }, { 1, 1, 1, 1 } },
                                           { { 1, 1, 1, 1 }, { 1, 1, 1, 1 }, { 1, 1, 1, 1 } } };
    bench b;
    sp_result r;
    bench_open(&b, "lacking", HAND("excess_risk"));
    put_grid(&b, value, 4);
    for (size_t i = 0; i < 6; i++) {
        sp_result_start(&r);
        sp_result_fail(&r, SP_EREFERENCE, "no reference value F*: time limit of 1 s");
        CHECK_EQUAL(sp_store_put(b.store, &b.plan.trial[i], b.plan.trial[i].first, &r, NULL), SP_OK);
        sp_result_free(&r);
    }
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK(!b.plan.tuning->known && b.plan.cell[0].pending && !b.plan.cell[0].skip);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.failed, 0);
    CHECK_EQUAL(b.summary.remaining, 0);
    CHECK(b.plan.tuning->known);
    bench_close(&b);
}

/* The same of a run that says what the algorithm derives. */
static void lacking_reference_of_base(void)
{
    bench b;
    sp_result r;
    bench_open(&b, "base",
               "return { seed = 3, tuning_replicates = 2,"
               " algorithms = { { 'dp_gd', tune = { eta = { times = { 0.5, 1 } } } } },"
               " problem = { loss = 'logistic', data = 'logistic', n = 50, d = 3 },"
               " privacy = { epsilon = 1, delta = 1e-4 }, measures = { 'excess_risk' } }");
    sp_result_start(&r);
    sp_result_fail(&r, SP_EREFERENCE, "no reference value F*: time limit of 1 s");
    CHECK_EQUAL(sp_store_put(b.store, b.plan.base, b.plan.base->first, &r, NULL), SP_OK);
    sp_result_free(&r);
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK(!b.plan.base->skip && !b.plan.cell[0].skip);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.failed, 0);
    CHECK_EQUAL(b.summary.remaining, 0);
    bench_close(&b);
}

static void medians_failures_and_ties(void)
{
    bench b;
    sp_tuning_scores scores;
    /* medians (mean of the middle two): 0.35 and 0.3 | 0.25 and 0.4 | 0.35 and 0.35; a mean would choose the second */
    static const double value[2][3][4] = { { { 0.3, 0.4, 0.1, 9.0 }, { 0.2, 0.3, 0.1, 0.4 }, { .35, .35, .35, .35 } },
                                           { { 0.3, 0.3, 0.3, 0.3 }, { 0.4, 0.4, 0.4, 0.4 }, { .35, .35, 0.3, 0.4 } } };
    bench_open(&b, "medians", HAND("grad_norm"));
    put_grid(&b, value, 3);
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK(!b.plan.tuning->known && b.plan.cell[0].pending); /* a replicate is missing */
    CHECK_EQUAL(sp_tuning_read(&b.plan, b.plan.tuning, b.store, &scores, NULL), SP_OK);
    CHECK(!scores.complete);
    sp_tuning_scores_free(&scores);
    put_grid(&b, value, 4);
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK(b.plan.tuning->known);
    CHECK_EQUAL(b.plan.tuning->winner, 0); /* as good as the third */
    check_printed(print_edge, b.plan.tuning, "eta");
    CHECK_EQUAL(sp_tuning_read(&b.plan, b.plan.tuning, b.store, &scores, NULL), SP_OK);
    CHECK_NEAR(scores.median[0], 0.35, 1e-15);
    CHECK_NEAR(scores.median[1], 0.4, 1e-15);
    CHECK_NEAR(scores.median[2], 0.35, 1e-15);
    CHECK_EQUAL(scores.worst[1], 1);
    CHECK_EQUAL(scores.runs, 24);
    CHECK_NEAR(scores.cost.differences, 480.0, 0.0);
    CHECK_EQUAL(scores.cost.releases, 120);
    sp_tuning_scores_free(&scores);

    /* two of four failed: the median is a failure; one NaN of four is not */
    static const double failed[2][3][4] = { { { 0.1, 0.1, INFINITY, INFINITY }, { .5, .5, .5, NAN }, { 9, 9, 9, 9 } },
                                            { { 0.1, 0.1, 0.1, 0.1 }, { 0.5, 0.5, 0.6, 0.6 }, { 1, 1, 1, 1 } } };
    put_grid(&b, failed, 4);
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK_EQUAL(b.plan.tuning->winner, 1);
    CHECK_TEXT(axis(&b.plan.cell[0], "algorithm.eta"), "2");
    check_printed(print_edge, b.plan.tuning, "");
    CHECK_EQUAL(sp_tuning_read(&b.plan, b.plan.tuning, b.store, &scores, NULL), SP_OK);
    CHECK(isnan(scores.median[0]));
    CHECK_NEAR(scores.median[1], 0.55, 1e-15);
    CHECK_EQUAL(scores.failed, 2);
    sp_tuning_scores_free(&scores);

    static const double none[2][3][4] = { { { INFINITY, INFINITY, INFINITY, 1 }, { 1, 1, 1, 1 }, { NAN, NAN, NAN, 1 } },
                                          { { 1, 1, 1, 1 }, { INFINITY, INFINITY, INFINITY, 1 }, { 1, 1, 1, 1 } } };
    put_grid(&b, none, 4);
    const size_t runs = b.plan.runs;
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK(!b.plan.tuning->known);
    CHECK_CONTAINS(b.plan.cell[0].skip, "every grid point failed");
    CHECK_CONTAINS(b.plan.cell[1].skip, "every grid point failed");
    CHECK_EQUAL(b.plan.runs, runs - 2);

    put_grid(&b, failed, 4); /* made again: the same plan runs them */
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK(b.plan.tuning->known && !b.plan.cell[0].skip && !b.plan.cell[1].skip && !b.plan.cell[0].pending);
    CHECK_EQUAL(b.plan.runs, runs);
    bench_close(&b);
}

static void more_may_be_better(void)
{
    bench b;
    /* worst members: 0.6, 0.7, 0.65 */
    static const double value[2][3][4] = { { { 0.9, 0.9, 0.9, 0.9 }, { 0.7, 0.7, 0.7, 0.7 }, { 0.8, 0.8, 0.8, 0.8 } },
                                           { { 0.6, 0.6, 0.6, 0.6 }, { 0.8, 0.8, 0.8, 0.8 }, { .65, .65, 0.6, 0.7 } } };
    bench_open(&b, "accuracy", HAND("accuracy"));
    put_grid(&b, value, 4);
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK_EQUAL(b.plan.tuning->winner, 1);
    sp_tuning_scores scores;
    CHECK_EQUAL(sp_tuning_read(&b.plan, b.plan.tuning, b.store, &scores, NULL), SP_OK);
    CHECK_NEAR(scores.median[1], 0.7, 1e-15);
    CHECK_NEAR(scores.median[2], 0.65, 1e-15);
    CHECK_EQUAL(scores.worst[1], 0);
    sp_tuning_scores_free(&scores);
    bench_close(&b);
}

/* --- factors, edges, lenders ----------------------------------------------------------------------------------- */

#define FACTORS                                                                                                     \
    "return { seed = 3, tuning_replicates = 1, problem = { loss = 'pseudo_huber', n = 50, d = 3 },"                 \
    " privacy = { epsilon = { 1, 2 }, delta = 1e-6 }, measures = { 'grad_norm' }, algorithms = {"                   \
    " { 'dp_gd', label = 'off', privacy = { noise = 'off' }, tune = 'on' },"                                        \
    " { 'dp_gd', label = 'on', tune = { eta = { times = { 0.3, 2 } }, steps = { times = { 0.01, 0.37, 3 } } } } } }"

static const sp_tuning *tuning_of(const sp_plan *plan, const char *label, const char *epsilon)
{
    for (size_t i = 0; i < plan->tunings; i++) {
        const sp_cell *cell = &plan->cell[plan->tuning[i].cell];
        if (strcmp(cell->label, label) == 0 && strcmp(axis(cell, "epsilon"), epsilon) == 0)
            return &plan->tuning[i];
    }
    SP_CHECK_REPORT(false, "no tuning of %s at epsilon %s", label, epsilon);
    return plan->tuning;
}

static void lenders_lend(void)
{
    bench b;
    bench_open(&b, "lend", FACTORS);
    CHECK_EQUAL(b.plan.tunings, 4);
    CHECK_EQUAL(b.plan.bases, 2);
    CHECK_EQUAL(b.plan.trials, 12);
    const sp_tuning *one = tuning_of(&b.plan, "on", "1"), *two = tuning_of(&b.plan, "on", "2");
    put(b.store, &b.plan.base[one->base], 0, 1.0, "rho=9:user split=8:theory_capped eta=0.5:theory steps=33:balanced");
    put(b.store, &b.plan.base[two->base], 0, 1.0, "eta=0.25:theory steps=700:balanced");
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK_TEXT(axis(&b.plan.trial[one->trial + 0], "eta"), "0.15");
    CHECK_TEXT(axis(&b.plan.trial[one->trial + 0], "steps"), "1"); /* 0.33 is none */
    CHECK_TEXT(axis(&b.plan.trial[one->trial + 4], "eta"), "1");
    CHECK_TEXT(axis(&b.plan.trial[one->trial + 4], "steps"), "12"); /* 12.21 */
    CHECK_TEXT(axis(&b.plan.trial[two->trial + 5], "eta"), "0.5");
    CHECK_TEXT(axis(&b.plan.trial[two->trial + 5], "steps"), "2100");
    for (size_t g = 0; g < 6; g++) {
        put(b.store, &b.plan.trial[one->trial + g], 0, g == 3 ? 0.1 : 0.5, "");
        put(b.store, &b.plan.trial[two->trial + g], 0, g == 4 ? 0.1 : 0.5, "");
    }
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    check_printed(print_winner, one, "eta=times 2 steps=times 0.01");
    check_printed(print_edge, one, "eta"); /* fewer steps than 1 there are not: no edge */
    check_printed(print_winner, two, "eta=times 2 steps=times 0.37");
    check_printed(print_edge, two, "eta"); /* 2 of two values is always at an end */
    static const char *const label[] = { "on", "off" };
    for (size_t i = 0; i < 2; i++) {
        const sp_cell *first = &b.plan.cell[tuning_of(&b.plan, label[i], "1")->cell];
        const sp_cell *second = &b.plan.cell[tuning_of(&b.plan, label[i], "2")->cell];
        CHECK_TEXT(axis(first, "eta"), "1");
        CHECK_TEXT(axis(first, "steps"), "1");
        CHECK_TEXT(axis(second, "eta"), "0.5");
        CHECK_TEXT(axis(second, "steps"), "259");
        CHECK_EQUAL(second->privacy.noise, i == 0);
        CHECK_TEXT(axis(second, "privacy.noise"), i == 0 ? "-" : "off");
        CHECK(first->tuned && !first->pending);
        const sp_method *method = second->method;
        CHECK_EQUAL(sp_count(&method->values, 1), 259);
    }
    bench_close(&b);
}

static void nothing_to_multiply(void)
{
    bench b;
    bench_open(&b, "silent", FACTORS);
    const sp_tuning *one = tuning_of(&b.plan, "on", "1"), *two = tuning_of(&b.plan, "on", "2");
    put(b.store, &b.plan.base[one->base], 0, 1.0, "beta=2:user eta=0.5:theory xsteps=3:user");
    put(b.store, &b.plan.base[two->base], 0, 1.0, "eta=0.25:theory steps=700:balanced");
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    static const char *const label[] = { "on", "off" };
    for (size_t i = 0; i < 2; i++) {
        CHECK_TEXT(b.plan.cell[tuning_of(&b.plan, label[i], "1")->cell].skip,
                   "tuning: on did not say which steps it derives");
        CHECK(!b.plan.cell[tuning_of(&b.plan, label[i], "2")->cell].skip);
    }
    CHECK_EQUAL(b.plan.runs, 2);
    CHECK(b.plan.trial[one->trial].skip && !b.plan.trial[two->trial].skip);
    bench_close(&b);
}

/* One member of the family cannot be run: the worst is not known. */
static void a_member_is_missing(void)
{
    sp_plan plan;
    CHECK_EQUAL(load_text("return { seed = 3, privacy = { epsilon = 1, delta = 1e-6 }, measures = { 'grad_norm' },"
                          " problem = { loss = { 'logistic', 'pseudo_huber' }, data = 'sphere', n = 5, d = 3,"
                          "             family = 'loss', declared = { L = 9, L_data = 9, beta = 9, beta_data = 9,"
                          "             gap = 9, distance = 9, rho_hessian = 9, quasar = 1e-3 } },"
                          " algorithms = { { 'gd', tune = { steps = { 1, 2 } } } } }", "default", &plan, NULL), SP_OK);
    CHECK_EQUAL(plan.cells, 2);
    CHECK_CONTAINS(plan.cell[0].skip, "loss logistic needs labels");
    CHECK_CONTAINS(plan.cell[1].skip, "the member logistic of its family is skipped: loss logistic needs labels");
    CHECK_EQUAL(plan.tunings, 0);
    CHECK_EQUAL(plan.tuning_runs, 0);
    sp_plan_free(&plan);
}

/* --- the table -------------------------------------------------------------------------------------------------- */

static void table_is_what_was_chosen(void)
{
    bench b;
    static const double value[2][3][4] = { { { 0.3, 0.3, 0.3, 0.3 }, { 0.2, 0.3, 0.1, 0.4 }, { 0.3, 0.3, 0.3, 0.3 } },
                                           { { 0.3, 0.3, 0.3, 0.3 }, { 0.125, 0.125, 0.125, 0.125 },
                                             { INFINITY, INFINITY, INFINITY, 0.4 } } };
    bench_open(&b, "table", HAND("grad_norm"));
    put_grid(&b, value, 3);
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK_EQUAL(sp_export(&b.plan, b.store, "table", NULL, NULL), SP_OK);
    sp_table t;
    CHECK_EQUAL(sp_table_read("table/tuning.tsv", &t, NULL), SP_OK);
    CHECK_EQUAL(t.rows, 0); /* not complete yet */
    sp_table_free(&t);
    put_grid(&b, value, 4);
    CHECK_EQUAL(sp_tuning_choose(&b.plan, b.store, NULL), SP_OK);
    CHECK_EQUAL(sp_export(&b.plan, b.store, "table", NULL, NULL), SP_OK);
    CHECK_EQUAL(sp_table_read("table/tuning.tsv", &t, NULL), SP_OK);
    static const char *const expected[][2] = {
        { "sweep", "main" }, { "label", "gd" }, { "algorithm.eta", "2" }, { "algorithm.steps", "1" },
        { "problem.data.scale", "-" }, { "problem.n", "5" }, { "measure", "grad_norm" }, { "grid", "eta={1,2,3}" },
        { "winner", "eta=2" }, { "median", "0.25" }, { "worst", "1" }, { "edge", "-" }, { "points", "3" },
        { "members", "2" }, { "replicates", "4" }, { "runs", "24" }, { "failed", "3" }, { "gradients", "240" },
        { "differences", "480" }, { "hessians", "72" }, { "losses", "96" }, { "releases", "120" },
        { "medians", "0.3 0.25 NaN" },
    };
    CHECK_EQUAL(t.rows, 1);
    for (size_t i = 0; i < sizeof expected / sizeof *expected && t.rows == 1; i++) {
        const size_t column = sp_table_column(&t, expected[i][0]);
        CHECK_TEXT(column < t.columns ? sp_table_text(&t, 0, column) : expected[i][0], expected[i][1]);
    }
    sp_table_free(&t);
    CHECK_EQUAL(sp_table_read("table/runs.tsv", &t, NULL), SP_OK);
    CHECK_EQUAL(t.rows, 0); /* tuning runs are not evaluations */
    sp_table_free(&t);
    bench_close(&b);

    bench_open(&b, "table", TOY("eta = 1")); /* nothing is tuned any more */
    CHECK_EQUAL(sp_export(&b.plan, b.store, "table", NULL, NULL), SP_OK);
    CHECK(access("table/tuning.tsv", F_OK) != 0);
    bench_close(&b);
}

int main(void)
{
    char folder[64];
    if (enter_folder(folder) != 0)
        return 1;
    expands_members_and_grid();
    seeds_are_for_all_runs();
    identity_is_what_runs();
    finds_the_best_worst_member();
    without_a_family_every_point_has_its_own();
    factors_multiply_what_is_derived();
    sweeps_share_tuning_runs();
    lacking_reference();
    lacking_reference_of_base();
    medians_failures_and_ties();
    more_may_be_better();
    lenders_lend();
    nothing_to_multiply();
    a_member_is_missing();
    table_is_what_was_chosen();
    leave_folder(folder);
    return sp_check_done();
}
