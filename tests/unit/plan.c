/* plan.c -- experiments into cells: order, values, identities, scales, includes, skips. Expected values are by hand. */
#include "core/data/generators/draws.h"
#include "core/methods/lua_methods.h"
#include "core/plan/plan_internal.h"
#include "tests/check.h"
#include "tests/experiment.h"

#include <malloc.h>
#include <stdalign.h>

#define TAIL ", measures = { 'grad_norm' } }"

static sp_problem_spec problem_of(const sp_plan *plan, size_t cell)
{
    return *plan->cell[cell].problem;
}

static sp_constants declared_of(const sp_plan *plan, size_t cell)
{
    const sp_problem_spec spec = problem_of(plan, cell);
    sp_constants certified, declared;
    CHECK_EQUAL(sp_problem_constants(&spec, &certified, &declared, NULL), SP_OK);
    return declared;
}

/* Is that the text of some axes of a cell's problem? */
static bool says(const sp_plan *plan, size_t cell, sp_axes_of of, const char *expected)
{
    char *text = sp_cell_problem_text(&plan->cell[cell], of);
    const bool same = text && strcmp(text, expected) == 0;
    if (!same)
        fprintf(stderr, "%s\n", text ? text : "no text");
    free(text);
    return same;
}

static const char *axis(const sp_plan *plan, size_t cell, const char *name)
{
    const char *value = cell < plan->cells ? sp_cell_axis(&plan->cell[cell], name) : NULL;
    return value ? value : "-";
}

/* --- order and values ---------------------------------------------------------------------------------------- */

static void expands_in_order(void)
{
    /* keys in alphabetical order, the last fastest: problem (d, loss, n), then privacy, then algorithms as listed */
    static const char *const expected[] = {
        "pseudo_huber 300 2.5 dp_gd 0.25", "pseudo_huber 300 2.5 dp_gd 0.5", "pseudo_huber 300 - gd -",
        "pseudo_huber 300 0.75 dp_gd 0.25", "pseudo_huber 300 0.75 dp_gd 0.5",
        "pseudo_huber 100 2.5 dp_gd 0.25", "pseudo_huber 100 2.5 dp_gd 0.5", "pseudo_huber 100 - gd -",
        "pseudo_huber 100 0.75 dp_gd 0.25", "pseudo_huber 100 0.75 dp_gd 0.5",
        "huber_ramp 300 2.5 dp_gd 0.25", "huber_ramp 300 2.5 dp_gd 0.5", "huber_ramp 300 - gd -",
        "huber_ramp 300 0.75 dp_gd 0.25", "huber_ramp 300 0.75 dp_gd 0.5",
        "huber_ramp 100 2.5 dp_gd 0.25", "huber_ramp 100 2.5 dp_gd 0.5", "huber_ramp 100 - gd -",
        "huber_ramp 100 0.75 dp_gd 0.25", "huber_ramp 100 0.75 dp_gd 0.5",
    };
    const size_t count = sizeof expected / sizeof *expected;
    sp_plan plan;
    CHECK_EQUAL(
        load_text("return { seed = 11, replicates = 3, checkpoints = 2.5, question = 'q?', source = 's',"
                  " problem = { n = { 300, 100 }, d = 7, loss = { 'pseudo_huber', { 'huber_ramp', slope = 0.125 } } },"
                  " privacy = { epsilon = { 2.5, 0.75 }, delta = 1e-5 },"
                  " algorithms = { { 'dp_gd', eta = { 0.25, 0.5 }, steps = 12 }, 'gd' }" TAIL,
                  "default", &plan, NULL),
        SP_OK);
    CHECK_EQUAL(plan.cells, count);
    CHECK_EQUAL(plan.runs, 3 * count);
    for (size_t i = 0; i < count && i < plan.cells; i++) {
        char found[128];
        snprintf(found, sizeof found, "%s %s %s %s %s", axis(&plan, i, "loss"), axis(&plan, i, "n"),
                 axis(&plan, i, "epsilon"), axis(&plan, i, "algorithm"), axis(&plan, i, "algorithm.eta"));
        CHECK_TEXT(found, expected[i]);
        CHECK_EQUAL(plan.cell[i].index, i);
        CHECK_TEXT(plan.cell[i].sweep, "main");
        CHECK_EQUAL(plan.cell[i].replicates, 3);
    }
    const sp_cell *cell = &plan.cell[11]; /* huber_ramp 300 2.5 dp_gd 0.5 */
    CHECK_EQUAL(plan.seed, 11);
    CHECK_EQUAL(cell->seed, 11);
    CHECK_NEAR(cell->checkpoints, 2.5, 0.0);
    CHECK_TEXT(plan.question, "q?");
    CHECK_TEXT(plan.source, "s");
    CHECK_TEXT(plan.name, "x");
    const sp_problem_spec *problem = cell->problem;
    CHECK_TEXT(problem->loss->name, "huber_ramp");
    CHECK_NEAR(problem->number[0], 0.125, 0.0);
    CHECK_EQUAL(problem->n, 300);
    CHECK_EQUAL(problem->features, 7);
    CHECK_EQUAL(problem->domain.d, 7);
    CHECK(cell->privacy.private && cell->privacy.noise && cell->privacy.calibration == SP_CALIBRATE_TIGHT);
    CHECK_NEAR(cell->privacy.epsilon, 2.5, 0.0);
    CHECK_NEAR(cell->privacy.delta, 1e-5, 0.0);
    const sp_method *method = cell->method;
    CHECK_TEXT(method->algorithm->name, "dp_gd");
    CHECK_NEAR(sp_real(&method->values, 0), 0.5, 0.0);
    CHECK_EQUAL(sp_count(&method->values, 1), 12);
    CHECK(!plan.cell[2].privacy.private && plan.cell[2].privacy.noise);
    CHECK(isinf(plan.cell[2].privacy.epsilon) && plan.cell[2].privacy.delta == 1.0);
    CHECK_TEXT(axis(&plan, 2, "privacy"), "none");
    sp_plan_free(&plan);
}

static void identities_hold_what_matters(void)
{
    sp_plan a, b;
    CHECK_EQUAL(load_text("return { seed = 1, problem = { loss = { 'huber_ramp', 'pseudo_huber' }, n = 1e3, d = 4 },"
                          " privacy = { epsilon = { 1, 2 }, delta = 1e-6, calibration = 'paper', noise = 'off' },"
                          " algorithms = { { 'dp_gd', steps = 5 } }" TAIL, "default", &a, NULL), SP_OK);
    char *text = sp_cell_text(&a.cell[1]);
    CHECK_TEXT(text,
               "algorithm=dp_gd\nalgorithm.steps=5\nprivacy.calibration=paper\nprivacy.delta=1e-06\n"
               "privacy.epsilon=2\nprivacy.noise=off\nproblem.d=4\nproblem.loss=huber_ramp\n"
               "problem.n=1000\n");
    free(text);
    CHECK(says(&a, 1, SP_AXES_PROBLEM, "problem.d=4\nproblem.loss=huber_ramp\nproblem.n=1000\n"));
    CHECK(says(&a, 2, SP_AXES_PROBLEM, "problem.d=4\nproblem.loss=pseudo_huber\nproblem.n=1000\n"));
    CHECK(says(&a, 2, SP_AXES_RECORDS, "problem.d=4\nproblem.n=1000\n"));
    CHECK(says(&a, 0, SP_AXES_RECORDS, "problem.d=4\nproblem.n=1000\n"));
    CHECK(says(&a, 0, SP_AXES_TRUTH, "problem.d=4\n"));
    CHECK(a.cell[1].privacy.calibration == SP_CALIBRATE_PAPER && !a.cell[1].privacy.noise);
    /* measures, replicates, checkpoints, labels, sweeps and figures are not part of it; nor how a number is written */
    CHECK_EQUAL(
        load_text("return { seed = 1, sweeps = { other = { replicates = 9, checkpoints = 0,"
                  " problem = { loss = { { 'huber_ramp' } }, n = 1000, d = 0x4 },"
                  " privacy = { epsilon = { 4 / 2, 1.0 }, delta = 1 / 1e6, calibration = 'paper', noise = 'off' },"
                  " algorithms = { { 'dp_gd', steps = 5.0, label = 'ours' } }, measures = { 'objective', 'grad_norm' },"
                  " figures = { { name = 'f', kind = 'trajectory', y = 'objective', where = { epsilon = 2 } } } } } }",
                  "default", &b, NULL),
        SP_OK);
    CHECK_EQUAL(sp_cell_compare(&b.cell[0], &a.cell[1]), 0);
    CHECK(says(&b, 0, SP_AXES_PROBLEM, "problem.d=4\nproblem.loss=huber_ramp\nproblem.n=1000\n"));
    CHECK_TEXT(b.cell[0].label, "ours");
    CHECK_TEXT(axis(&b, 0, "label"), "ours");
    CHECK_TEXT(b.cell[0].sweep, "other");
    CHECK_EQUAL(b.cell[0].measures, 2);
    sp_plan_free(&a);
    sp_plan_free(&b);
}

/* What has no theorem under add-remove neighbours is a skip with its reason. */
static void neighbours_are_chosen(void)
{
    sp_plan plan;
    CHECK_EQUAL(load_text("return { seed = 1, problem = { loss = 'pseudo_huber', n = 100, d = 2 },"
                          " privacy = { epsilon = 1, delta = 1e-6, neighbours = 'add_remove' },"
                          " algorithms = { 'dp_sgd_poisson', 'dp_sgd', 'gd',"
                          " { 'dp_sgd_poisson', label = 'replaced', privacy = { neighbours = 'replace_one' } } }" TAIL,
                          "default", &plan, NULL),
                SP_OK);
    static const char *const expected[] = { "dp_sgd_poisson add_remove 1 runs", "dp_sgd add_remove 1 skip",
                                            "gd - 0 runs", "replaced replace_one 0 runs" };
    CHECK_EQUAL(plan.cells, 4);
    for (size_t i = 0; i < 4 && i < plan.cells; i++) {
        const sp_cell *cell = &plan.cell[i];
        char found[96];
        snprintf(found, sizeof found, "%s %s %d %s", cell->label, axis(&plan, i, "neighbours"),
                 (int)cell->privacy.neighbours, cell->skip ? "skip" : "runs");
        CHECK_TEXT(found, expected[i]);
    }
    CHECK_TEXT(plan.cells == 4 && plan.cell[1].skip ? plan.cell[1].skip : "",
               "dp_sgd: not all of its releases are on Poisson samples, which privacy.neighbours = \"add_remove\" asks "
               "for");
    sp_plan_free(&plan);
}

static void privacy_of_an_entry_overrides(void)
{
    sp_plan plan;
    CHECK_EQUAL(load_text("return { seed = 1, problem = { loss = 'pseudo_huber', n = 100, d = 2 },"
                          " privacy = { epsilon = { 0.5, 4 }, delta = 1e-6 }, algorithms = {"
                          " { 'dp_gd', label = 'plain', privacy = 'none', steps = 5 }, { 'dp_gd' },"
                          " { 'dp_sgd', label = 'paper', privacy = { calibration = 'paper' } } }" TAIL,
                          "default", &plan, NULL),
                SP_OK);
    static const char *const expected[] = { "plain - -", "dp_gd 0.5 -", "paper 0.5 paper", "paper 4 paper",
                                            "dp_gd 4 -" };
    CHECK_EQUAL(plan.cells, 5);
    for (size_t i = 0; i < 5 && i < plan.cells; i++) {
        char found[64];
        snprintf(found, sizeof found, "%s %s %s", plan.cell[i].label, axis(&plan, i, "epsilon"),
                 axis(&plan, i, "calibration"));
        CHECK_TEXT(found, expected[i]);
    }
    sp_plan_free(&plan);
    CHECK_EQUAL(load_text("return { seed = 1, problem = { loss = 'pseudo_huber', n = 100, d = 2 }, privacy = 'none',"
                          " algorithms = { { 'dp_gd', privacy = { epsilon = 0.5, delta = 1e-6 } } }" TAIL,
                          "default", &plan, NULL),
                SP_OK);
    CHECK_TEXT(axis(&plan, 0, "epsilon"), "0.5");
    sp_plan_free(&plan);
    /* a reference method alone needs no privacy */
    CHECK_EQUAL(
        load_text("return { seed = 1, problem = { loss = 'pseudo_huber', n = 100, d = 2 }, algorithms = { 'gd' }" TAIL,
                  "default", &plan, NULL),
        SP_OK);
    CHECK_EQUAL(plan.cells, 1);
    sp_plan_free(&plan);
    CHECK_EQUAL(
        load_text("return { seed = 1, problem = { loss = 'pseudo_huber', n = 100, d = 2 },"
                  " privacy = { 'none', { epsilon = 1, delta = 1e-6 } }, algorithms = { { 'dp_gd', steps = 5 } }" TAIL,
                  "default", &plan, NULL),
        SP_OK);
    CHECK_EQUAL(plan.cells, 2);
    CHECK(!plan.cell[0].privacy.private && plan.cell[1].privacy.private);
    sp_plan_free(&plan);
}

static void functions_derive(void)
{
    sp_plan plan;
    CHECK_EQUAL(
        load_text(
            "return { seed = 1, problem = { n = { 100, 400 }, d = 3,"
            "  loss = { 'pseudo_huber', scale = function (c) return c.n / 16 end },"
            "  declared = { gap = function (c) assert(c.loss == 'pseudo_huber' and c.problem.loss.scale == c.n / 16)"
            "    return 1e4 * c.d end } },"
            " privacy = { epsilon = 0.3, delta = function (c) return c.epsilon / c.n ^ 2 end },"
            " algorithms = { { 'dp_gd', steps = function (c)"
            "    assert(c.algorithm == 'dp_gd' and c.privacy.delta == c.delta)"
            "    return c.n * c.epsilon // 1 end, select = function (c) return 'uniform' end },"
            "  { 'gd', steps = function (c) return c.epsilon == math.huge and c.delta == 1 and 7 end } }" TAIL,
            "default", &plan, NULL),
        SP_OK);
    CHECK_EQUAL(plan.cells, 4);
    if (plan.cells == 4) {
        CHECK_NEAR(plan.cell[2].privacy.delta, 0.3 / 160000.0, 1e-20);
        CHECK_NEAR(problem_of(&plan, 2).number[0], 25.0, 0.0);
        CHECK_NEAR(declared_of(&plan, 2).gap, 3e4, 0.0);
        CHECK_TEXT(axis(&plan, 2, "algorithm.steps"), "120");
        CHECK_TEXT(axis(&plan, 0, "algorithm.steps"), "30");
        CHECK_TEXT(axis(&plan, 0, "select"), "uniform");
        CHECK_TEXT(axis(&plan, 1, "algorithm.steps"), "7");
        CHECK_TEXT(axis(&plan, 2, "problem.declared.gap"), "30000");
    }
    sp_plan_free(&plan);
}

static void problems_are_specified(void)
{
    sp_plan plan;
    CHECK_EQUAL(
        load_text("return { seed = 1, problem = { n = 50, d = 9, loss = 'logistic', data = { 'logistic', scale = 4.5 },"
                  " regulariser = { 'none', { 'nonconvex', lambda = 0.03125 } }, domain = { 'l2_ball', radius = 2.5 },"
                  " start = { { 'constant', value = -0.5 }, { 'sphere', radius = 0.75 }, 'zero' } },"
                  " algorithms = { 'gd' }" TAIL,
                  "default", &plan, NULL),
        SP_OK);
    CHECK_EQUAL(plan.cells, 6);
    if (plan.cells == 6) {
        const sp_problem_spec spec = problem_of(&plan, 3), *p = &spec;
        CHECK(problem_of(&plan, 0).regulariser == NULL);
        CHECK_TEXT(axis(&plan, 0, "problem.regulariser"), "none");
        CHECK_TEXT(p->regulariser->name, "nonconvex");
        CHECK_NEAR(p->lambda, 0.03125, 0.0);
        CHECK(p->start == SP_START_CONSTANT && problem_of(&plan, 4).start == SP_START_SPHERE &&
              problem_of(&plan, 5).start == SP_START_ZERO);
        CHECK_NEAR(p->start_size, -0.5, 0.0);
        CHECK_NEAR(problem_of(&plan, 4).start_size, 0.75, 0.0);
        CHECK(p->domain.kind == SP_DOMAIN_L2_BALL);
        CHECK_NEAR(p->domain.radius, 2.5, 0.0);
        CHECK_TEXT(p->generator->name, "logistic");
        CHECK_NEAR(p->radius, p->generator->radius(p->generator_values, 9), 0.0);
        CHECK(p->data == SP_DATA_GENERATED && p->entry == NULL);
        CHECK_NEAR(declared_of(&plan, 3).L_data, p->radius, 1e-12); /* |phi'| <= 1 */
        CHECK_TEXT(axis(&plan, 3, "problem.data.scale"), "4.5");
        CHECK(says(&plan, 3, SP_AXES_RECORDS,
                   "problem.d=9\nproblem.data=logistic\nproblem.data.scale=4.5\nproblem.n=50\n"));
    }
    sp_plan_free(&plan);
}

/* --- problems by name --------------------------------------------------------------------------------------------- */

static void names_give_way_to_their_keys(void)
{
#define KEYS "loss = 'logistic', regulariser = { 'nonconvex', lambda = 1e-3 }, data = { '%s', normalise = 'l2' }"
#define REST "}, privacy = 'none', algorithms = { 'gd' }, scales = { one = { problem = { n = 500 } }," \
             " two = { problem = { 'wang_xu_covtype', n = 700 } } }" TAIL
    static const struct { const char *named, *data, *rest, *scale; } same[] = {
        { "'wang_xu_ijcnn1'", "ijcnn1", "", "default" },
        { "'wang_xu_ijcnn1', loss = 'sigmoid', n = 100", "ijcnn1", "p.loss = 'sigmoid' p.n = 100", "default" },
        { "'wang_xu_ijcnn1', data = 'a9a'", "ijcnn1", "p.data = 'a9a'", "default" },
        { "'wang_xu_ijcnn1', n = 100", "ijcnn1", "p.n = 500", "one" },
        { "'wang_xu_ijcnn1'", "covtype", "p.n = 700", "two" },
    };
    char text[1024], spelled[512];
    sp_plan plan, other;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        snprintf(text, sizeof text, "return { seed = 1, problem = { %s " REST, same[i].named);
        CHECK_EQUAL(load_text(text, same[i].scale, &plan, NULL), SP_OK);
        snprintf(spelled, sizeof spelled, KEYS, same[i].data);
        snprintf(text, sizeof text,
                 "local p = { %s } %s return { seed = 1, problem = p, privacy = 'none', algorithms = { "
                 "'gd' }" TAIL,
                 spelled, same[i].rest);
        CHECK_EQUAL(load_text(text, "default", &other, NULL), SP_OK);
        CHECK(plan.cells == 1 && other.cells == 1);
        if (plan.cells == 1 && other.cells == 1)
            CHECK_EQUAL(sp_cell_compare(&plan.cell[0], &other.cell[0]), 0);
        sp_plan_free(&plan);
        sp_plan_free(&other);
    }
    CHECK_EQUAL(load_text("return { seed = 1, problem = 'wang_xu_ijcnn1', privacy = 'none', algorithms = { 'gd' },"
                          " sweeps = { a = {}, b = { problem = { 'wang_xu_covtype',"
                          " { 'wang_xu_ijcnn1', n = { 10, 20 } } } } }" TAIL, "default", &plan, NULL), SP_OK);
    CHECK_EQUAL(plan.cells, 4);
    CHECK_TEXT(axis(&plan, 0, "problem.data"), "ijcnn1");
    CHECK_TEXT(axis(&plan, 1, "problem.data"), "covtype");
    CHECK_TEXT(axis(&plan, 3, "n"), "20");
    sp_plan_free(&plan);
#undef KEYS
#undef REST
}

/* --- scales, sweeps, includes ---------------------------------------------------------------------------------- */

static const char scaled[] =
    "return { seed = 5, replicates = 8, problem = { loss = 'pseudo_huber', n = { 100, 200, 400 }, d = 3 },"
    " privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { 'dp_gd' }, measures = { 'grad_norm' },"
    " scales = { smoke = { replicates = 2, problem = { n = { 50, 60 } } }, same = {},"
    "            full = { sweeps = { b = { problem = { d = 6 } } } } },"
    " sweeps = { b = { privacy = { epsilon = { 2, 4 } } }, a = { replicates = 3,"
    "   problem = { loss = { 'huber_ramp', slope = 0.5 } },"
    "   claims = { { algorithm = 'dp_gd', x = 'n', y = 'grad_norm', exponent = -1 / 2, mode = 'bound', where = { "
    "epsilon = 1 } } },"
    "   figures = { { name = 'one', kind = 'rate', x = 'n', y = { 'grad_norm' }, title = 'T', x_label = 'records',"
    "                 where = { d = 3 } } } } } }";

static void scales_and_sweeps_lay_over(void)
{
    sp_plan plan;
    CHECK_EQUAL(load_text(scaled, "default", &plan, NULL), SP_OK);
    CHECK_EQUAL(plan.cells, 3 + 6);
    CHECK_EQUAL(plan.runs, 3 * 3 + 6 * 8);
    if (plan.cells == 9) {
        CHECK_TEXT(plan.cell[0].sweep, "a");
        CHECK_TEXT(plan.cell[3].sweep, "b");
        CHECK_TEXT(axis(&plan, 0, "loss"), "huber_ramp");
        CHECK_TEXT(axis(&plan, 2, "n"), "400");
        CHECK_TEXT(axis(&plan, 4, "epsilon"), "4");
    }
    CHECK_EQUAL(plan.claims, 1);
    CHECK_EQUAL(plan.figures, 1);
    if (plan.claims == 1 && plan.figures == 1) {
        const sp_claim *c = &plan.claim[0];
        const sp_figure *f = &plan.figure[0];
        CHECK_TEXT(c->sweep, "a");
        CHECK_TEXT(c->algorithm, "dp_gd");
        CHECK_TEXT(c->x, "n");
        CHECK_TEXT(c->y, "grad_norm");
        CHECK_TEXT(c->mode, "bound");
        CHECK_NEAR(c->exponent, -0.5, 0.0);
        CHECK_EQUAL(c->wheres, 1);
        CHECK_TEXT(c->where[0].key, "epsilon");
        CHECK_TEXT(c->where[0].value, "1");
        CHECK_TEXT(f->name, "one");
        CHECK_TEXT(f->kind, "rate");
        CHECK_TEXT(f->x, "n");
        CHECK_TEXT(f->x_axis.label, "records");
        CHECK_TEXT(f->title, "T");
        CHECK_EQUAL(f->panels, 1);
        CHECK_TEXT(f->y[0], "grad_norm");
        CHECK_TEXT(f->where[0].value, "3");
    }
    char *directory = sp_plan_directory(&plan, "/some/where", "results");
    CHECK_TEXT(directory, "/some/where/results/x");
    free(directory);
    sp_plan_free(&plan);

    CHECK_EQUAL(load_text(scaled, "smoke", &plan, NULL), SP_OK);
    CHECK_EQUAL(plan.runs, 2 * 3 + 4 * 2); /* a says its own replicates */
    CHECK_TEXT(axis(&plan, 1, "n"), "60");
    directory = sp_plan_directory(&plan, ".", "results");
    CHECK_TEXT(directory, "./results/x.smoke");
    free(directory);
    sp_plan_free(&plan);

    CHECK_EQUAL(load_text(scaled, "full", &plan, NULL), SP_OK);
    CHECK_TEXT(axis(&plan, 0, "d"), "3");
    CHECK_TEXT(axis(&plan, 3, "d"), "6");
    sp_plan_free(&plan);
    CHECK_EQUAL(load_text(scaled, "same", &plan, NULL), SP_OK);
    CHECK_EQUAL(plan.cells, 9);
    sp_plan_free(&plan);
}

static void script_hash(const char *text, char out[SP_HASH_HEX])
{
    sp_plan plan;
    out[0] = '\0';
    if (load_text(text, "default", &plan, NULL) == SP_OK)
        memcpy(out, plan.script, SP_HASH_HEX);
    sp_plan_free(&plan);
}

static void includes_are_read_and_hashed(void)
{
    static const char text[] = "local shared = include 'lib/shared.lua' return { seed = 1, problem = shared.problem,"
                               " algorithms = { 'gd' }" TAIL;
    char before[SP_HASH_HEX], again[SP_HASH_HEX], after[SP_HASH_HEX];
    sp_plan plan;
    mkdir("lib", 0700);
    write_text("lib/shared.lua",
               "return { problem = { loss = 'pseudo_huber', n = include 'n.lua', d = include '../d.lua' } }");
    write_text("lib/n.lua", "return { 10, 20 }");
    write_text("d.lua", "return 3");
    CHECK_EQUAL(load_text(text, "default", &plan, NULL), SP_OK);
    CHECK_EQUAL(plan.cells, 2);
    CHECK_TEXT(axis(&plan, 1, "n"), "20");
    CHECK_TEXT(axis(&plan, 1, "d"), "3");
    sp_plan_free(&plan);
    script_hash(text, before);
    script_hash(text, again);
    CHECK_TEXT(again, before);
    write_text("lib/n.lua", "return { 10, 30 }");
    script_hash(text, after);
    CHECK(strlen(after) == SP_HASH_HEX - 1 && strcmp(before, after) != 0);
}

/* pairs() visits in the order of the keys, whatever the hash of a state. */
static void pairs_are_ordered(void)
{
    sp_plan plan;
    CHECK_EQUAL(load_text("local words, list = { zeta = 1, alpha = 2, mid = 3, beta = 4, [2] = 5, [1] = 6 }, ''\n"
                          "for key, value in pairs(words) do list = list .. key .. value .. ' ' end\n"
                          "return { seed = 1, question = list, problem = { loss = 'pseudo_huber', n = 10, d = 2 },"
                          " algorithms = { 'gd' }" TAIL, "default", &plan, NULL), SP_OK);
    CHECK_TEXT(plan.question, "16 25 alpha2 beta4 mid3 zeta1 ");
    sp_plan_free(&plan);
}

/* Values that compare equal keep their order: Lua's own sort moves them, as the clock has it. */
static void sort_is_stable(void)
{
    sp_plan plan;
    CHECK_EQUAL(load_text("local list = {}\n"
                          "for i = 1, 3005 do list[i] = { class = i * i % 5, at = i } end\n"
                          "table.sort(list, function (a, b) return a.class < b.class end)\n"
                          "for i = 2, #list do\n"
                          "  local a, b = list[i - 1], list[i]\n"
                          "  assert(a.class < b.class or (a.class == b.class and a.at < b.at), i)\n"
                          "end\n"
                          "local words = { 'mid', 'zeta', 'alpha', 'beta', 'mid' }\n"
                          "table.sort(words)\n"
                          "local one, none = { 7 }, {}\n"
                          "table.sort(one) table.sort(none)\n"
                          "return { seed = #list + one[1] + #none, question = table.concat(words, ' '),"
                          " problem = { loss = 'pseudo_huber', n = 10, d = 2 }, algorithms = { 'gd' }" TAIL,
                          "default", &plan, NULL), SP_OK);
    CHECK_TEXT(plan.question, "alpha beta mid mid zeta");
    CHECK_EQUAL(plan.seed, 3012);
    sp_plan_free(&plan);
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

static size_t bytes_in_use(void) /* 0 under a sanitizer */
{
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
}

enum { BYTES_MAX = 3000 }; /* of a cell, texts and all: a plan of SP_CELLS_MAX cells takes at most 300 MB */

/* Whether its parameters are listed or computed. */
static void cells_are_small(void)
{
    static const char *const steps[] = { "{ 1, 2, 3, 4, 5 }", "function (c) return c.n + c.d end" };
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        sp_plan plan;
        snprintf(text, sizeof text,
                 "local e, s = {}, {}\n"
                 "for i = 1, 100 do e[i] = i / 128 end\n"
                 "for i = 1, 20 do s[i] = i end\n"
                 "return { seed = 1, problem = { loss = { 'pseudo_huber', scale = { 1, 2 } },"
                 " n = { 100, 200, 300, 400 }, d = 7, domain = { 'l2_ball', radius = 2.5 } },"
                 " privacy = { epsilon = s, delta = 1e-6 },"
                 " algorithms = { { 'dp_gd', eta = e, steps = %s } }" TAIL, steps[i]);
        const size_t before = bytes_in_use();
        CHECK_EQUAL(load_text(text, "default", &plan, NULL), SP_OK);
        CHECK_EQUAL(plan.cells, 8 * 100 * 20 * (i == 0 ? 5 : 1));
        CHECK_LESS_EQUAL((double)(bytes_in_use() - before) / (double)plan.cells, BYTES_MAX);
        sp_plan_free(&plan);
    }
}

/* One list whose every value no other cell shares: of step sizes, of epsilons, of what a function makes, of problems;
 * and two at once, of epsilons and of what a function makes of them. */
static void long_lists_are_small(void)
{
    static const char *const rest[] = {
        (" problem = { loss = 'pseudo_huber', n = 100, d = 7 }, privacy = { epsilon = 1, delta = 1e-6 },"
         " algorithms = { { 'dp_gd', eta = e } }"),
        (" problem = { loss = 'pseudo_huber', n = 100, d = 7 }, privacy = { epsilon = e, delta = 1e-6 },"
         " algorithms = { 'dp_gd' }"),
        (" problem = { loss = 'pseudo_huber', n = 100, d = 7 }, privacy = { epsilon = a, delta = 1e-6 },"
         " algorithms = { { 'dp_gd', steps = b, eta = function (c) return c.epsilon + c.privacy.epsilon / 7 end } }"),
        (" problem = { loss = 'pseudo_huber', n = n, d = 7 }, privacy = { epsilon = 1, delta = 1e-6 },"
         " algorithms = { 'dp_gd' }"),
        (" problem = { loss = { 'pseudo_huber', scale = e }, n = 100, d = 7 },"
         " privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { 'dp_gd' }"),
        (" problem = { loss = 'pseudo_huber', n = 100, d = 7 }, privacy = { epsilon = e, delta = 1e-6 },"
         " algorithms = { { 'dp_gd', eta = function (c) return c.epsilon / 7 end } }"),
    };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        char text[1024];
        sp_plan plan;
        snprintf(text, sizeof text,
                 "local e, a, b, n = {}, {}, {}, {}\n"
                 "for i = 1, 100000 do e[i] = i / 131072 end\n"
                 "for i = 1, 100000 do n[i] = i + 10 end\n"
                 "for i = 1, 200 do a[i] = i / 128 end\n"
                 "for i = 1, 500 do b[i] = i end\n"
                 "return { seed = 1, %s" TAIL, rest[i]);
        const size_t before = bytes_in_use();
        CHECK_EQUAL(load_text(text, "default", &plan, NULL), SP_OK);
        CHECK_EQUAL(plan.cells, 100000);
        CHECK_LESS_EQUAL((double)(bytes_in_use() - before) / (double)plan.cells, BYTES_MAX);
        sp_plan_free(&plan);
    }
}

/* Problems that differ in a number or two: each is what the sweep gives it, and the constants
 * that follow are those that sp_certify finds for the numbers written down here. */
static void problems_are_kept(void)
{
    static const double slope[] = { 0.125, 0.385, 0.75 }, lambda[] = { 0.0, 0.03125 }, radius[] = { 2.5, 11.5 };
    static const double start[] = { 0.0625, 0.0, -0.125 }, scale[] = { 4.5, 7.25 };
    static const size_t n[] = { 50, 4711, 61 }, d[] = { 9, 4 };
    sp_plan plan;
    CHECK_EQUAL(load_text("return { seed = 1, problem = { n = { 50, 4711, 61 }, d = { 9, 4 },"
                          " loss = { { 'huber_ramp', slope = { 0.125, 0.385, 0.75 } }, 'logistic' },"
                          " data = { 'logistic', scale = { 4.5, 7.25 } }, declared = { gap = 1e6 },"
                          " domain = { 'l2_ball', radius = { 2.5, 11.5 } },"
                          " regulariser = { 'none', { 'nonconvex', lambda = 0.03125 } },"
                          " start = { 'constant', value = { 0.0625, 0, -0.125 } } }, algorithms = { 'gd' }" TAIL,
                          "default", &plan, NULL), SP_OK);
    CHECK_EQUAL(plan.cells, 2 * 2 * 2 * 4 * 3 * 2 * 3);
    for (size_t i = 0; i < plan.cells; i++) { /* d, data, domain, loss, n, regulariser, start: the last one fastest */
        const double length = start[i % 3], weight = lambda[i / 3 % 2], inside = radius[i / 72 % 2];
        const size_t records = n[i / 6 % 3], kind = i / 18 % 4, features = d[i / 288];
        const sp_problem_spec p = problem_of(&plan, i);
        CHECK_TEXT(p.loss->name, kind < 3 ? "huber_ramp" : "logistic");
        CHECK(kind == 3 || p.number[0] == slope[kind]);
        CHECK(p.n == records && p.features == features && p.domain.d == features && p.domain.radius == inside);
        CHECK(p.lambda == weight && (p.regulariser != NULL) == (weight > 0.0));
        CHECK(p.start == SP_START_CONSTANT && p.start_size == length);
        CHECK(sp_real(p.generator_values, SP_AFTER_DESIGN) == scale[i / 144 % 2]);
        const sp_setting setting = { .loss = p.loss, .number = p.number, .regulariser = p.regulariser, .lambda = weight,
                                     .domain = &p.domain, .n = records, .features = features, .radius = p.radius,
                                     .label_bound = p.label_bound, .realisable = p.realisable,
                                     .largest = sp_generator_largest(p.generator, p.generator_values, features),
                                     .start_norm = fabs(length) * sqrt((double)features) };
        sp_constants certified, declared, own;
        CHECK_EQUAL(sp_certify(&setting, &own, NULL), SP_OK);
        CHECK_EQUAL(sp_problem_constants(&p, &certified, &declared, NULL), SP_OK);
        CHECK(certified.n == records && declared.n == records && certified.d == own.d);
        CHECK(certified.L == own.L && certified.beta == own.beta && certified.gap == own.gap);
        CHECK(declared.gap == 1e6 && declared.L == own.L);
    }
    sp_plan_free(&plan);
}

/* Part by part, by the lines that begin with its name. */
static int compare_texts(const sp_cell *a, const sp_cell *b)
{
    static const char *const part[] = { "algorithm", "privacy", "problem" };
    const sp_cell *cell[] = { a, b };
    int order = 0;
    for (size_t p = 0; p < 3 && order == 0; p++) {
        char lines[2][1024] = { "", "" };
        for (size_t c = 0; c < 2; c++) {
            char *text = sp_cell_text(cell[c]), *rest = text;
            for (const char *line; (line = strsep(&rest, "\n")) != NULL;)
                if (strncmp(line, part[p], strlen(part[p])) == 0)
                    strcat(strcat(lines[c], line), "\n");
            free(text);
        }
        order = strcmp(lines[0], lines[1]);
    }
    return (order > 0) - (order < 0);
}

/* Shards and the queue go by this order, and no text is made for it. */
static void cells_compare_as_texts(void)
{
    sp_plan plan;
    CHECK_EQUAL(
        load_text("return { seed = 1, problem = { loss = { 'pseudo_huber', { 'pseudo_huber', scale = { 1, 10, 2 } },"
                  " { 'barron', q = 0.5 } }, n = { 9, 90, 91 }, d = 2 },"
                  " privacy = { { epsilon = { 1, 1e-3 }, delta = 1e-6, noise = 'off' },"
                  " { epsilon = { 1, 12 }, delta = 1e-6 } },"
                  " algorithms = { 'gd', { 'gd', label = 'b', eta = { 0.5, 1, 10 } },"
                  " { 'dp_gd', steps = { 3, 31 } }, { 'dp_sgd', steps = 3 } }" TAIL,
                  "default", &plan, NULL),
        SP_OK);
    CHECK(plan.cells > 100);
    for (size_t i = 0; i < plan.cells; i++)
        for (size_t k = 0; k < plan.cells; k++) {
            const int order = sp_cell_compare(&plan.cell[i], &plan.cell[k]);
            CHECK_EQUAL((order > 0) - (order < 0), compare_texts(&plan.cell[i], &plan.cell[k]));
        }
    sp_plan_free(&plan);
}

/* Cells share what they are given alike. */
static void cells_share(void)
{
    sp_plan plan;
    CHECK_EQUAL(load_text("return { seed = 1, problem = { loss = 'pseudo_huber', n = { 10, 20 }, d = 2 },"
                          " privacy = { epsilon = { 1, 2 }, delta = 1e-6 },"
                          " algorithms = { { 'dp_gd', steps = { 3, 4 } },"
                          " { 'dp_gd', label = 'called', eta = 1, steps = function (c) return c.n end } }" TAIL,
                          "default", &plan, NULL), SP_OK);
    CHECK_EQUAL(plan.cells, 12);
    for (size_t i = 0; i < 6 && plan.cells == 12; i++) {
        const sp_cell *one = &plan.cell[i], *other = &plan.cell[i + 6];
        CHECK(one->problem == plan.cell[0].problem && other->problem == plan.cell[6].problem);
        CHECK(one->part[SP_PART_PRIVACY] == other->part[SP_PART_PRIVACY]);
        CHECK_EQUAL(one->method == other->method, i % 3 < 2);
        CHECK_EQUAL(sp_count(&one->method->values, 1), i % 3 < 2 ? 3 + i % 3 : 10);
        CHECK_EQUAL(sp_count(&other->method->values, 1), i % 3 < 2 ? 3 + i % 3 : 20);
    }
    sp_plan_free(&plan);
}

/* --- data, skips ------------------------------------------------------------------------------------------------- */

static void own_files_are_measured(void)
{
    sp_plan plan;
    sp_text rows = { 0 };
    for (int i = 0; i < 11; i++)
        sp_text_append(&rows, "%d,%g,%g,%s\n", i, 0.5 * i, 1.0 - i, i % 3 ? "yes" : "no");
    write_text("own.csv", rows.data);
    sp_text_free(&rows);
    CHECK_EQUAL(load_text("return { seed = 1, problem = { loss = { 'logistic', 'sigmoid' }, data = { file = 'own.csv', "
                          "format = 'csv',"
                          " positive = 'yes', test = 0.25, intercept = { false, true } } }, algorithms = { 'gd' },"
                          " measures = { 'accuracy' } }",
                          "default", &plan, NULL),
                SP_OK);
    CHECK_EQUAL(plan.cells, 4);
    if (plan.cells == 4) {
        const sp_problem_spec spec = problem_of(&plan, 2), *p = &spec;
        CHECK(p->data == SP_DATA_FILE && p->options.format == SP_FORMAT_CSV && p->options.delimiter == ',');
        CHECK(!p->options.header && !p->options.categorical);
        CHECK_TEXT(p->options.label, "4");
        CHECK_TEXT(axis(&plan, 2, "data.label"), "4");
        CHECK_TEXT(p->options.positive, "yes");
        CHECK_EQUAL(p->n, 9); /* 11 - floor(11 / 4) */
        CHECK_EQUAL(p->features, 4);
        CHECK(p->shape.intercept && p->shape.normalise == SP_NORMALISE_L2 && p->shape.n == 0);
        CHECK_NEAR(p->shape.test, 0.25, 0.0);
        CHECK_NEAR(p->radius, 1.0, 0.0);
        CHECK_EQUAL(problem_of(&plan, 0).features, 3);
        CHECK_TEXT(p->path, "own.csv");
        CHECK_TEXT(axis(&plan, 2, "data"), "own.csv");
        CHECK_TEXT(axis(&plan, 2, "n"), "9");
        CHECK_TEXT(axis(&plan, 2, "d"), "4");
        CHECK(plan.cell[0].skip == NULL && plan.cell[0].measures == 1);
        char fingerprint[SP_HASH_HEX];
        CHECK_EQUAL(sp_data_file_fingerprint("own.csv", &p->options, fingerprint, NULL), SP_OK);
        CHECK_TEXT(p->fingerprint, fingerprint);
        CHECK_TEXT(problem_of(&plan, 0).fingerprint, fingerprint);
    }
    sp_plan_free(&plan);
    CHECK_EQUAL(
        load_text(
            "return { seed = 1, problem = { loss = 'logistic', n = 6, data = { file = 'own.csv', format = 'csv',"
            " positive = 'yes', normalise = 'none', radius = 3.5, resample = true } }, algorithms = { 'gd' }" TAIL,
            "default", &plan, NULL),
        SP_OK);
    CHECK_EQUAL(plan.cells, 1);
    if (plan.cells == 1) {
        const sp_problem_spec spec = problem_of(&plan, 0), *p = &spec;
        CHECK(p->shape.n == 6 && p->n == 6 && plan.cell[0].resample && p->shape.normalise == SP_NORMALISE_NONE);
        CHECK_NEAR(p->radius, 3.5, 0.0);
        CHECK_NEAR(p->shape.radius, 3.5, 0.0);
    }
    sp_plan_free(&plan);
}

static void what_cannot_run_is_skipped(void)
{
    sp_plan plan;
    CHECK_EQUAL(
        load_text("return { seed = 1, replicates = 2, problem = { loss = 'logistic', data = { 'ijcnn1', test = 0.5,"
                  " intercept = true } }, privacy = { epsilon = 1, delta = function (c) return 1 / c.n end },"
                  " algorithms = { 'dp_gd', 'gd' }" TAIL,
                  "default", &plan, NULL),
        SP_OK);
    const sp_catalogue_entry *entry = sp_catalogue_find("ijcnn1");
    CHECK_EQUAL(plan.cells, 2);
    CHECK_EQUAL(plan.runs, 0);
    if (plan.cells == 2 && entry) {
        CHECK_TEXT(plan.cell[0].skip, "data ijcnn1 is not on this machine (stillpoint data fetch ijcnn1)");
        CHECK_EQUAL(problem_of(&plan, 0).n, entry->n - entry->n / 2);
        CHECK_EQUAL(problem_of(&plan, 0).features, entry->d + 1);
        char fingerprint[SP_HASH_HEX];
        sp_catalogue_fingerprint(entry, fingerprint);
        CHECK_TEXT(problem_of(&plan, 0).fingerprint, fingerprint);
        CHECK_NEAR(plan.cell[0].privacy.delta, 1.0 / (double)(entry->n - entry->n / 2), 1e-18);
    }
    sp_plan_free(&plan);
    /* without a tilt no gradient depends on a record */
    CHECK_EQUAL(load_text("return { seed = 1, replicates = 2, problem = { loss = { 'pseudo_huber', tilt = { 0, 1 } }, "
                          "n = 50, d = 3 },"
                          " privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { 'dp_gd' },"
                          " measures = { 'accuracy', 'grad_norm' } }",
                          "default", &plan, NULL),
                SP_OK);
    CHECK_EQUAL(plan.cells, 2);
    CHECK_EQUAL(plan.runs, 2);
    if (plan.cells == 2) {
        CHECK_CONTAINS(plan.cell[0].skip, "dp_gd: ");
        CHECK(plan.cell[1].skip == NULL);
        CHECK_EQUAL(plan.cell[1].measures, 1); /* there are no labels to predict */
        CHECK_TEXT(plan.cell[1].measure[0]->name, "grad_norm");
    }
    sp_plan_free(&plan);
}

/* --- parts ------------------------------------------------------------------------------------------------------- */

static const sp_param nested[] = {
    { "first", SP_METHOD, 0, { 0, 0 }, "an algorithm" },
    { "share", SP_REAL, 0.5, { 0, 1 }, "a number" },
    { 0 }
};

static void parameters_may_be_methods(void)
{
    sp_arena arena = { 0 };
    sp_error error = { SP_OK, "" };
    sp_lua *lua = NULL;
    const sp_node *root = NULL;
    char hash[SP_HASH_HEX];
    sp_values values;
    write_text("m.lua",
               "return { good = { 'x', share = 0.375, first = { 'dp_gd', steps = 31 } }, name = { 'x', first = 'gd' },"
               " number = { 'x', first = 3 }, typo = { 'x', first = { 'dp_gd', stps = 3 } }, other = { 'x', first = "
               "'dp_gf' } }");
    CHECK_EQUAL(sp_lua_open("m.lua", &sp_lua_method_library, &arena, &lua, &root, hash, &error), SP_OK);
    sp_build b = { .plan = &(sp_plan){ .arena = &arena }, .arena = &arena, .lua = lua, .error = &error };
    CHECK_EQUAL(sp_read_params(&b, sp_node_field(root, "good"), nested, &values), SP_OK);
    CHECK_NEAR(sp_real(&values, 1), 0.375, 0.0);
    CHECK(sp_submethod(&values, 0) && strcmp(sp_submethod(&values, 0)->algorithm->name, "dp_gd") == 0);
    CHECK(sp_submethod(&values, 0) && sp_count(&sp_submethod(&values, 0)->values, 1) == 31);
    CHECK_EQUAL(sp_read_params(&b, sp_node_field(root, "name"), nested, &values), SP_OK);
    CHECK_EQUAL(sp_read_params(&b, sp_node_field(root, "number"), nested, &values), SP_EINVAL);
    CHECK_CONTAINS(error.text, "number.first: must be an algorithm");
    CHECK_EQUAL(sp_read_params(&b, sp_node_field(root, "typo"), nested, &values), SP_EINVAL);
    CHECK_CONTAINS(error.text, "typo.first.stps: unknown key; did you mean steps?");
    CHECK_EQUAL(sp_read_params(&b, sp_node_field(root, "other"), nested, &values), SP_EINVAL);
    CHECK_CONTAINS(error.text, "did you mean dp_gd?");
    sp_lua_close(lua);
    sp_arena_free(&arena);
}

static void arena_gives_zeroed_aligned_memory(void)
{
    sp_arena arena = { 0 };
    for (size_t i = 0; i < 400; i++) {
        const size_t size = (i * 7919) % 3001;
        unsigned char *bytes = sp_arena_alloc(&arena, size, i % 5 ? 1 : 100), any = 0;
        CHECK(bytes && (uintptr_t)bytes % alignof(max_align_t) == 0);
        for (size_t k = 0; bytes && k < size; k++)
            any |= bytes[k];
        CHECK(any == 0);
        if (bytes)
            memset(bytes, 0xA5, size);
    }
    CHECK(sp_arena_alloc(&arena, (size_t)-1 / 2, 3) == NULL);
    CHECK_TEXT(sp_arena_format(&arena, "%s-%d", "ab", 23), "ab-23");
    sp_arena_free(&arena);
    CHECK(arena.chunk == NULL);
}

static void arena_goes_back_to_a_mark(void)
{
    sp_arena arena = { 0 };
    const sp_arena_mark empty = sp_arena_now(&arena);
    char *kept = sp_arena_copy(&arena, "kept");
    const sp_arena_mark mark = sp_arena_now(&arena);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 50; k++) {
            unsigned char *bytes = sp_arena_alloc(&arena, 1 + k * 101, i == 1 ? 50 : 1), any = 0;
            for (size_t at = 0; bytes && at < 1 + k * 101; at++)
                any |= bytes[at];
            CHECK(bytes && any == 0);
            if (bytes)
                memset(bytes, 0xA5, 1 + k * 101);
        }
        sp_arena_release(&arena, mark);
    }
    CHECK_TEXT(kept, "kept");
    sp_arena_release(&arena, empty);
    CHECK(arena.chunk == NULL);
}

static void texts_are_kept_once(void)
{
    sp_arena arena = { 0 };
    sp_texts texts = { .arena = &arena };
    const char *first[500];
    char text[32];
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < 500; i++) {
            snprintf(text, sizeof text, "%zu", i * 7919);
            const char *kept = sp_texts_keep(&texts, text);
            CHECK(kept && kept != text && strcmp(kept, text) == 0);
            first[i] = round == 0 ? kept : first[i];
            CHECK(kept == first[i]);
        }
    CHECK_EQUAL(texts.count, 500);
    sp_texts_free(&texts);
    sp_arena_free(&arena);
}

int main(void)
{
    char folder[64];
    if (enter_folder(folder) != 0)
        return 1;
    expands_in_order();
    identities_hold_what_matters();
    neighbours_are_chosen();
    privacy_of_an_entry_overrides();
    functions_derive();
    problems_are_specified();
    names_give_way_to_their_keys();
    scales_and_sweeps_lay_over();
    includes_are_read_and_hashed();
    pairs_are_ordered();
    sort_is_stable();
    cells_are_small();
    long_lists_are_small();
    problems_are_kept();
    cells_compare_as_texts();
    cells_share();
    own_files_are_measured();
    what_cannot_run_is_skipped();
    parameters_may_be_methods();
    arena_gives_zeroed_aligned_memory();
    arena_goes_back_to_a_mark();
    texts_are_kept_once();
    leave_folder(folder);
    return sp_check_done();
}
