/* execute.c -- a run's result against what the hand-made method is known to do. */
#include "core/run/execute.h"

#include "core/run/message.h"
#include "core/run/records.h"
#include "tests/cells.h"
#include "tests/check.h"

/* --- methods and measures that misbehave ------------------------------------------------------------------- */

static sp_status run_nan(sp_oracle *o, const sp_values *v, double *w)
{
    (void)v;
    w[1] = NAN;
    return sp_checkpoint(o, 3, w);
}

static sp_status run_refuse(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = cells_walk(o, v, w);
    sp_warn(o, "half way");
    return status == SP_OK ? sp_refuse(o, SP_EDRAINED, "nothing is left after %d", 7) : status;
}

static sp_status run_silent(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    return SP_ENUMERIC;
}

static sp_status run_stay(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    return SP_OK;
}

/* Releases twice what the budget allows. */
static sp_status run_overspend(sp_oracle *o, const sp_values *v, double *w)
{
    (void)v;
    sp_batch all;
    double multiplier, g[4];
    sp_status status = sp_draw(o, sp_full(), &all);
    if (status == SP_OK)
        status = sp_calibrate(o, &(sp_release_plan){ SP_GRADIENT, sp_full(), 1, 1.0, 0.0 }, 1, &multiplier);
    for (int i = 0; i < 2 && status == SP_OK; i++)
        status = sp_gradient(o, &SP_AT(all, w), multiplier, g);
    return status;
}

static const sp_algorithm nan_method = { .name = "nan", .run = run_nan };
static const sp_algorithm refuse = { .name = "refuse", .params = cells_walk_params, .run = run_refuse };
static const sp_algorithm silent = { .name = "silent", .run = run_silent };
static const sp_algorithm stay = { .name = "stay", .run = run_stay };
static const sp_algorithm overspend = { .name = "overspend", .run = run_overspend };

static sp_status measure_numeric(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference,
                                 const double *w, double *scratch, double *out)
{
    (void)p, (void)workspace, (void)reference, (void)w, (void)scratch;
    *out = 1.0;
    return SP_ENUMERIC;
}

static sp_status measure_refused(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference,
                                 const double *w, double *scratch, double *out)
{
    (void)p, (void)workspace, (void)reference, (void)w, (void)scratch, (void)out;
    return SP_ENOMEM;
}

static sp_status measure_gap(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference,
                             const double *w, double *scratch, double *out)
{
    (void)p, (void)workspace, (void)scratch;
    *out = w[0] - reference->value;
    return SP_OK;
}

static sp_status measure_slowly(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference,
                                const double *w, double *scratch, double *out)
{
    usleep(20000);
    return cells_first(p, workspace, reference, w, scratch, out);
}

static const sp_measure numeric = { .name = "numeric", .compute = measure_numeric };
static const sp_measure refused = { .name = "refused", .compute = measure_refused };
static const sp_measure gap = { .name = "gap", .reference = true, .compute = measure_gap };
static const sp_measure slowly = { .name = "slowly", .compute = measure_slowly };

static void set_steps(sp_cell *cell, double steps)
{
    CHECK_EQUAL(sp_values_set_number(&cells_method(cell)->values, "test", "steps", steps, NULL), SP_OK);
}

/* --- trace ------------------------------------------------------------------------------------------------- */

static void check_trace(double checkpoints, size_t steps)
{
    sp_cell cell;
    sp_result r;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    set_steps(&cell, (double)steps);
    cell.checkpoints = checkpoints;
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_OK);
    CHECK_TEXT(r.message, "");
    CHECK_EQUAL(r.steps, steps);
    CHECK(r.value[0] == (double)steps);
    CHECK(r.cost.gradients == 23.0 * (double)steps);
    CHECK_EQUAL(r.cost.releases, steps);

    /* by the rule of execute.c, and always the last step */
    size_t next = 0, at = 0;
    for (size_t t = 0; t <= steps; t++) {
        const bool due = t >= next;
        if (due) {
            const double grown = ceil((double)t * pow(10.0, 1.0 / checkpoints));
            next = grown > (double)t + 1.0 ? (size_t)grown : t + 1;
        }
        if (!due && t != steps)
            continue;
        CHECK(at < r.traces);
        if (at >= r.traces)
            break;
        CHECK_EQUAL(r.trace[at].step, t);
        CHECK(r.trace[at].value[0] == (double)t);
        CHECK(r.trace[at].cost.gradients == 23.0 * (double)t);
        CHECK(at == 0 || r.trace[at].seconds >= r.trace[at - 1].seconds);
        at++;
    }
    CHECK_EQUAL(r.traces, at);
    sp_result_free(&r);
    cells_free(&cell);
}

static void test_trace(void)
{
    check_trace(4.0, 137);
    check_trace(1.0, 100);
    check_trace(1.0, 99);
    check_trace(2.385, 1000);
    check_trace(0.5, 12);
    check_trace(4.0, 0);

    sp_cell cell;
    sp_result r;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    cell.checkpoints = 0.0;
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_OK);
    CHECK_EQUAL(r.traces, 0);
    CHECK(r.value[0] == 7.0);
    sp_result_free(&r);

    cell.checkpoints = 1e6; /* every step is due: bounded, but the last is there */
    set_steps(&cell, 5000);
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.traces, 4097);
    CHECK_EQUAL(r.trace[4095].step, 4095);
    CHECK_EQUAL(r.trace[4096].step, 5000);
    CHECK_CONTAINS(r.warning, "cut short");
    sp_result_free(&r);
    cells_free(&cell);
}

/* --- the mean over the iterates ---------------------------------------------------------------------------- */

static void set_select(sp_method *method, const char *word)
{
    CHECK_EQUAL(sp_values_set_text(&method->values, "test", "select", word, NULL), SP_OK);
}

/* Of dp_gd without noise, the measure at every step is in the trace; the candidates are the steps 0 .. T-1. */
static void test_mean(void)
{
    enum { T = 12 };
    sp_cell cell;
    sp_result mean, drawn;
    cells_make(&cell, sp_algorithm_find("dp_gd"), "dp_gd");
    cell.privacy = (sp_privacy){ .private = true, .epsilon = 1.0, .delta = 1e-6 };
    cell.checkpoints = 1e6;
    cell.measure[0] = sp_measure_find("objective");
    cell.measure[1] = &numeric;
    cell.measures = 2;
    cells_problem(&cell)->start = SP_START_CONSTANT;
    cells_problem(&cell)->start_size = 2.385;
    set_steps(&cell, T);
    set_select(cells_method(&cell), "mean");
    sp_execute(NULL, &cell, 0, NULL, NULL, &mean);
    CHECK_EQUAL(mean.status, SP_OK);
    CHECK_EQUAL(mean.traces, T + 1);
    double sum = 0.0;
    for (size_t t = 0; t < T; t++)
        sum += mean.trace[t].value[0];
    CHECK_NEAR(mean.value[0], sum / T, 1e-14 * fabs(sum));
    CHECK(fabs(mean.value[0] - mean.trace[T].value[0]) > 0.01);
    CHECK(isnan(mean.value[1])); /* where some term has no value */

    set_select(cells_method(&cell), "uniform");
    sp_execute(NULL, &cell, 0, NULL, NULL, &drawn);
    size_t at = 0;
    while (at < T && drawn.value[0] != mean.trace[at].value[0])
        at++;
    CHECK(at < T);
    sp_result_free(&drawn);
    sp_result_free(&mean);

    cell.measure[0] = &slowly; /* off the clock */
    cell.measures = 1;
    cell.checkpoints = 0.0;
    set_select(cells_method(&cell), "mean");
    sp_execute(NULL, &cell, 0, NULL, NULL, &mean);
    CHECK(mean.elapsed > T * 0.02);
    CHECK_LESS_EQUAL(mean.seconds, mean.elapsed - T * 0.02);
    sp_result_free(&mean);

    cell.measure[0] = &refused;
    sp_execute(NULL, &cell, 0, NULL, NULL, &mean);
    CHECK_EQUAL(mean.status, SP_ENOMEM);
    sp_result_free(&mean);
    cells_free(&cell);
}

/* Of a warm start over the second method's iterates alone. */
static void test_mean_after_hand_over(void)
{
    enum { T = 5 };
    sp_method inner[2] = { { 0 } };
    sp_cell cell;
    sp_result r;
    cells_make(&cell, sp_algorithm_find("warm_start"), "warm_start");
    cell.privacy = (sp_privacy){ .private = true, .epsilon = 1.0, .delta = 1e-6 };
    cell.checkpoints = 1e6;
    cell.measure[0] = sp_measure_find("objective");
    cells_problem(&cell)->start = SP_START_CONSTANT;
    cells_problem(&cell)->start_size = 2.385;
    for (size_t i = 0; i < 2; i++) {
        inner[i].algorithm = sp_algorithm_find("dp_gd");
        sp_values_start(&inner[i].values, inner[i].algorithm->params);
        CHECK_EQUAL(sp_values_set_number(&inner[i].values, "test", "steps", T, NULL), SP_OK);
        set_select(&inner[i], i == 0 ? "last" : "mean");
        CHECK_EQUAL(sp_values_set_method(&cells_method(&cell)->values, "test", i == 0 ? "first" : "second", &inner[i],
                                         NULL), SP_OK);
    }
    CHECK(sp_measures_mean(cells_method(&cell)));
    CHECK(!sp_measures_mean(&inner[0]));
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_OK);
    CHECK_EQUAL(r.traces, 2 * T + 1);
    double sum = 0.0;
    for (size_t t = T; t < 2 * T; t++)
        sum += r.trace[t].value[0];
    CHECK_NEAR(r.value[0], sum / T, 1e-14 * fabs(sum));
    sp_result_free(&r);
    cells_free(&cell);
}

/* --- the path ------------------------------------------------------------------------------------------------ */

/* w_1 = -2, then -3.5; what stood at step 2 before does not count. */
static sp_status run_backwards(sp_oracle *o, const sp_values *v, double *w)
{
    static const struct {
        size_t step;
        double first;
    } taken[] = { { 0, -2.385 }, { 2, 5.0 }, { 2, -2.0 }, { 7, -3.5 } };
    sp_status status = SP_OK;
    (void)v;
    for (size_t i = 0; i < 4 && status == SP_OK; i++) {
        w[0] = taken[i].first;
        status = sp_checkpoint(o, taken[i].step, w);
    }
    return status;
}

static const sp_algorithm backwards = { .name = "backwards", .run = run_backwards };
static const sp_measure mean_of_path = { .name = "mean", .measured = SP_MEAN_OF_PATH, .compute = cells_first };
static const sp_measure most_of_path = { .name = "most", .measured = SP_MOST_OF_PATH, .compute = cells_first };
static const sp_measure slow_path = { .name = "slow", .measured = SP_MEAN_OF_PATH, .compute = measure_slowly };
static const sp_measure no_path = { .name = "none", .measured = SP_MOST_OF_PATH, .compute = measure_numeric };
static const sp_measure bad_path = { .name = "bad", .measured = SP_MEAN_OF_PATH, .compute = measure_refused };

static sp_status measure_early(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference,
                               const double *w, double *scratch, double *out)
{
    const sp_status status = cells_first(p, workspace, reference, w, scratch, out);
    return w[0] == 3.0 ? SP_ENUMERIC : status;
}

static const sp_measure early_mean = { .name = "early", .measured = SP_MEAN_OF_PATH, .compute = measure_early };
static const sp_measure early_most = { .name = "early_most", .measured = SP_MOST_OF_PATH, .compute = measure_early };

/* Over all steps, whichever of them are in the trace; what is measured at the answer stays there. */
static void test_path(void)
{
    enum { T = 137 };
    sp_cell cell;
    sp_result r;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    set_steps(&cell, T);
    cell.measure[1] = &mean_of_path;
    cell.measure[2] = &most_of_path;
    cell.measure[3] = &no_path;
    cell.measure[4] = &early_mean;
    cell.measure[5] = &early_most;
    cell.measures = 6;
    for (int k = 0; k < 3; k++) {
        cell.checkpoints = k == 0 ? 0.0 : k == 1 ? 1.0 : 1e6;
        sp_execute(NULL, &cell, 0, NULL, NULL, &r);
        CHECK_TEXT(r.message, "");
        CHECK(r.value[0] == T && r.value[1] == 0.5 * T && r.value[2] == T);
        CHECK(isnan(r.value[3]) && isnan(r.value[4]) && isnan(r.value[5])); /* where it is not known somewhere */
        CHECK(k == 0 || (r.trace[1].value[1] == 1.0 && r.trace[1].value[2] == 1.0)); /* there: of the iterate */
        sp_result_free(&r);
    }
    cell.measures = 1;
    cell.measure[0] = &slow_path; /* off the clock */
    set_steps(&cell, 10);
    cell.checkpoints = 0.0;
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK(r.value[0] == 5.0);
    CHECK(r.elapsed > 11 * 0.02);
    CHECK_LESS_EQUAL(r.seconds, r.elapsed - 11 * 0.02);
    sp_result_free(&r);
    cell.measure[0] = &bad_path;
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_ENOMEM);
    sp_result_free(&r);
    cells_free(&cell);

    cells_make(&cell, &backwards, "backwards");
    cells_problem(&cell)->start = SP_START_CONSTANT;
    cells_problem(&cell)->start_size = -2.385;
    cell.measure[0] = &mean_of_path;
    cell.measure[1] = &most_of_path;
    cell.measures = 2;
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_NEAR(r.value[0], (-2.385 - 2.0 - 3.5) / 3.0, 1e-15);
    CHECK(r.value[1] == -2.0);
    sp_result_free(&r);
    cells_free(&cell);

    cells_make(&cell, &nan_method, "nan"); /* whose last iterate is none */
    cell.measure[0] = &most_of_path;
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK(isnan(r.value[0]));
    sp_result_free(&r);
    cells_free(&cell);
}

/* All iterates enter, also where select = "mean" tells candidates: those are the steps before the last. */
static void test_path_beside_mean(void)
{
    enum { T = 12 };
    static const sp_measure objective_of_path = { .name = "objective_of_path", .measured = SP_MEAN_OF_PATH };
    sp_measure along = objective_of_path;
    sp_cell cell;
    sp_result r;
    cells_make(&cell, sp_algorithm_find("dp_gd"), "dp_gd");
    cell.privacy = (sp_privacy){ .private = true, .epsilon = 1.0, .delta = 1e-6 };
    cell.checkpoints = 1e6;
    along.compute = sp_measure_find("objective")->compute;
    cell.measure[0] = sp_measure_find("objective");
    cell.measure[1] = &along;
    cell.measures = 2;
    cells_problem(&cell)->start = SP_START_CONSTANT;
    cells_problem(&cell)->start_size = 2.385;
    set_steps(&cell, T);
    set_select(cells_method(&cell), "mean");
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.traces, T + 1);
    if (r.traces == T + 1)
        CHECK_NEAR(r.value[1], (T * r.value[0] + r.trace[T].value[0]) / (T + 1), 1e-13);
    sp_result_free(&r);
    cells_free(&cell);
}

/* --- the point handed over ----------------------------------------------------------------------------------- */

enum { STAGE = 5 }; /* updates of each method */

static void make_stage(sp_method *method, const char *name, const sp_method *first, const sp_method *second)
{
    method->algorithm = sp_algorithm_find(name);
    sp_values_start(&method->values, method->algorithm->params);
    if (first) {
        CHECK_EQUAL(sp_values_set_method(&method->values, "test", "first", first, NULL), SP_OK);
        CHECK_EQUAL(sp_values_set_method(&method->values, "test", "second", second, NULL), SP_OK);
    } else {
        CHECK_EQUAL(sp_values_set_number(&method->values, "test", "steps", STAGE, NULL), SP_OK);
        set_select(method, "last");
    }
}

/* The measure is the one in the trace at that step, be the run's other measures where they may. */
static void check_hand_over(const sp_method *method, size_t step, size_t steps)
{
    const sp_reference minimum = { .value = -0.2385, .method = "made up" };
    const sp_reference *reference[SP_REFERENCES] = { &minimum };
    sp_cell cell;
    sp_result r;
    cells_make(&cell, method->algorithm, "handing over");
    *cells_method(&cell) = *method;
    cell.privacy = (sp_privacy){ .private = true, .epsilon = 1.0, .delta = 1e-6 };
    cell.checkpoints = 1e6;
    cell.measure[0] = sp_measure_find("excess_risk");
    cell.measure[1] = sp_measure_find("handover_gap");
    cell.measures = 2;
    cells_problem(&cell)->start = SP_START_CONSTANT;
    cells_problem(&cell)->start_size = 2.385;
    sp_execute(NULL, &cell, 0, reference, NULL, &r);
    CHECK_TEXT(r.message, "");
    CHECK_EQUAL(r.traces, steps + 1);
    CHECK(r.handover == (double)step);
    if (r.traces == steps + 1) {
        CHECK(r.value[1] == r.trace[step].value[0]);
        CHECK(r.value[0] == r.trace[steps].value[0]);
        CHECK(step == steps || r.value[1] > r.value[0]);
        CHECK(r.trace[0].value[1] == r.trace[0].value[0]); /* what a claim holds the value at the start to be */
    }
    sp_result_free(&r);
    cells_free(&cell);
}

/* A trace with few steps has that of the hand-over besides, and there the point handed over, not the last iterate. */
static void check_sparse_hand_over(void)
{
    const sp_reference minimum = { .value = -0.2385 };
    sp_method one, two;
    sp_cell cell;
    sp_result r;
    make_stage(&one, "dp_gd", NULL, NULL);
    set_select(&one, "average");
    make_stage(&two, "warm_start", &one, &one);
    cells_make(&cell, two.algorithm, "sparse");
    *cells_method(&cell) = two;
    cell.privacy = (sp_privacy){ .private = true, .epsilon = 1.0, .delta = 1e-6 };
    cell.measure[0] = sp_measure_find("excess_risk");
    cell.measure[1] = sp_measure_find("handover_gap");
    cell.measures = 2;
    cell.checkpoints = 1.0; /* 0, 1, 10, the last one of which is step 10 */
    cells_problem(&cell)->start = SP_START_CONSTANT;
    cells_problem(&cell)->start_size = 2.385;
    sp_execute(NULL, &cell, 0, (const sp_reference *[]){ &minimum, NULL }, NULL, &r);
    CHECK_TEXT(r.message, "");
    CHECK_EQUAL(r.traces, 4);
    if (r.traces == 4) {
        CHECK_EQUAL(r.trace[2].step, STAGE);
        CHECK(r.trace[2].value[0] == r.value[1]);
        CHECK_EQUAL(r.trace[3].step, 2 * STAGE);
    }
    sp_result_free(&r);
    cell.checkpoints = 0.0;
    sp_execute(NULL, &cell, 0, (const sp_reference *[]){ &minimum, NULL }, NULL, &r);
    CHECK(r.traces == 0 && r.handover == STAGE);
    sp_result_free(&r);
    cells_free(&cell);
}

static void test_hand_over(void)
{
    sp_method one, two, three, base;
    make_stage(&one, "dp_gd", NULL, NULL);
    make_stage(&two, "warm_start", &one, &one);
    CHECK(!sp_hands_over(&one) && sp_hands_over(&two));
    check_hand_over(&two, STAGE, 2 * STAGE);
    make_stage(&three, "warm_start", &two, &one); /* the outer one's */
    check_hand_over(&three, 2 * STAGE, 3 * STAGE);
    make_stage(&three, "warm_start", &one, &two);
    check_hand_over(&three, STAGE, 3 * STAGE);
    base = (sp_method){ .algorithm = sp_algorithm_find("jl_glm") };
    sp_values_start(&base.values, base.algorithm->params);
    CHECK_EQUAL(sp_values_set_method(&base.values, "test", "base", &two, NULL), SP_OK);
    CHECK_EQUAL(sp_values_set_number(&base.values, "test", "k", 2, NULL), SP_OK); /* lifted from 2 to 4 dimensions */
    CHECK(sp_hands_over(&base));

    check_sparse_hand_over();

    sp_cell cell; /* nothing is handed over */
    sp_result r;
    const sp_reference minimum = { .value = -0.2385 };
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    cell.measure[0] = sp_measure_find("handover_gap");
    sp_execute(NULL, &cell, 0, (const sp_reference *[]){ &minimum, NULL }, NULL, &r);
    CHECK_EQUAL(r.status, SP_OK);
    CHECK(isnan(r.value[0]) && isnan(r.handover));
    sp_result_free(&r);
    cells_free(&cell);
}

/* --- results ----------------------------------------------------------------------------------------------- */

static char logged[4096];

static void keep_line(const char *line)
{
    const size_t used = strlen(logged);
    snprintf(logged + used, sizeof logged - used, "%s\n", line);
}

static void test_success(void)
{
    sp_cell cell;
    sp_result r, again;
    sp_record_set records;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    logged[0] = '\0';
    sp_execute(NULL, &cell, 1, NULL, keep_line, &r);
    CHECK_TEXT(r.resolved, "eta=0.385:theory steps=7:user");
    CHECK(isinf(r.spent.best));
    CHECK(isnan(r.reference.value));
    CHECK_TEXT(r.warning, "");
    CHECK(r.peak_memory > 1 << 20);
    CHECK_LESS_EQUAL(r.seconds, r.elapsed);
    CHECK_CONTAINS(logged, "step 7 ");
    CHECK_CONTAINS(logged, "gradients 161");
    CHECK_CONTAINS(logged, "first 7");

    CHECK_EQUAL(sp_record_set_make(NULL, &cell, 1, &records, NULL), SP_OK);
    CHECK_TEXT(r.content, records.train->content);
    CHECK_EQUAL(records.train->n, 23);
    sp_record_set_free(&records);

    sp_execute(NULL, &cell, 1, NULL, NULL, &again);
    CHECK_TEXT(again.content, r.content);
    sp_result_free(&again);
    sp_execute(NULL, &cell, 2, NULL, NULL, &again);
    CHECK(strcmp(again.content, r.content) != 0);
    sp_result_free(&again);
    sp_result_free(&r);
    cells_free(&cell);
}

static void check_failure(const sp_algorithm *algorithm, sp_status status, const char *message)
{
    sp_cell cell;
    sp_result r;
    cells_make(&cell, algorithm, "failing");
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.status, status);
    CHECK_TEXT(r.message, message);
    CHECK(isnan(r.value[0]));
    CHECK(r.ledger != NULL);
    sp_result_free(&r);
    cells_free(&cell);
}

static void test_failures(void)
{
    sp_cell cell;
    sp_result r;
    check_failure(&nan_method, SP_ENUMERIC, "the returned iterate is not finite");
    check_failure(&refuse, SP_EDRAINED, "nothing is left after 7");
    check_failure(&silent, SP_ENUMERIC, sp_status_text(SP_ENUMERIC));

    /* what was spent and seen until then stays */
    cells_make(&cell, &refuse, "failing");
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK(r.cost.gradients == 161.0);
    CHECK_EQUAL(r.steps, 7);
    CHECK(r.traces > 0);
    CHECK_CONTAINS(r.warning, "half way");
    sp_result_free(&r);
    cells_free(&cell);

    cells_make(&cell, &overspend, "overspend");
    cell.privacy = (sp_privacy){ .private = true, .epsilon = 0.7, .delta = 1e-6, .noise = true };
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_EBUDGET);
    CHECK(isnan(r.value[0]));
    sp_result_free(&r);
    cells_free(&cell);

    cells_make(&cell, &stay, "wrong size");
    cells_problem(&cell)->features = 5;
    cells_problem(&cell)->data = SP_DATA_FILE;
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_EINVAL);
    CHECK_CONTAINS(r.message, "not prepared");
    sp_result_free(&r);
    cells_free(&cell);
}

static void test_measures(void)
{
    sp_cell cell;
    sp_result r;
    const sp_reference reference = { .value = 2.385, .error = 0.25, .method = "closed" };
    const sp_reference *const references[SP_REFERENCES] = { &reference, NULL };
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    cell.measure[1] = &numeric;
    cell.measure[2] = &gap;
    cell.measures = 3;
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_OK);
    CHECK(r.value[0] == 7.0 && isnan(r.value[1]) && isnan(r.value[2]));
    CHECK(isnan(r.trace[0].value[1]) && isnan(r.trace[0].value[2]));
    CHECK(isnan(r.reference.value));
    CHECK_CONTAINS(r.warning, "no reference value F*");
    sp_result_free(&r);

    sp_execute(NULL, &cell, 0, references, NULL, &r);
    CHECK(r.value[2] == 7.0 - 2.385);
    CHECK(r.trace[0].value[2] == 0.0 - 2.385);
    CHECK(r.reference.value == 2.385 && r.reference.error == 0.25);
    CHECK_TEXT(r.reference.method, "closed");
    CHECK_TEXT(r.warning, "");
    sp_result_free(&r);

    cell.measure[1] = &refused;
    sp_execute(NULL, &cell, 0, references, NULL, &r);
    CHECK_EQUAL(r.status, SP_ENOMEM);
    sp_result_free(&r);
    cells_free(&cell);
}

/* Measuring is off the clock of the algorithm, on that of the run. */
static void test_clock(void)
{
    sp_cell cell;
    sp_result r;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    cell.measure[0] = &slowly;
    set_steps(&cell, 4);
    sp_execute(NULL, &cell, 0, NULL, NULL, &r); /* measured at 0, 1, 2, 4 and at the end */
    CHECK_EQUAL(r.traces, 4);
    CHECK_LESS_EQUAL(0.1, r.elapsed);
    CHECK_LESS_EQUAL(r.seconds, r.elapsed - 0.1);
    CHECK_LESS_EQUAL(r.trace[3].seconds, r.seconds);
    sp_result_free(&r);
    cells_free(&cell);
}

static char *key_of(const sp_cell *cell, sp_reference_of of, size_t replicate)
{
    char *key = NULL;
    CHECK_EQUAL(sp_reference_key(cell, of, replicate, &key), SP_OK);
    return key;
}

static void test_starts(void)
{
    static const sp_measure squared = { .name = "first", .compute = cells_first };
    sp_cell cell;
    sp_result r, other;
    cells_make(&cell, &stay, "stay");
    cell.measure[0] = &squared;
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK(r.value[0] == 0.0);
    CHECK_EQUAL(r.traces, 1);
    sp_result_free(&r);

    cells_problem(&cell)->start = SP_START_CONSTANT;
    cells_problem(&cell)->start_size = -0.385;
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK(r.value[0] == -0.385);
    sp_result_free(&r);
    cells_problem(&cell)->domain = (sp_domain){ .kind = SP_DOMAIN_L1_BALL, .d = 4, .radius = 0.8, .norm = 0.8 };
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_NEAR(r.value[0], -0.2, 1e-15); /* ||w0||_1 = 1.54 */
    sp_result_free(&r);

    cells_problem(&cell)->domain = (sp_domain){ .kind = SP_DOMAIN_SPACE, .d = 4, .radius = INFINITY, .norm = INFINITY };
    cells_problem(&cell)->start = SP_START_SPHERE;
    cells_problem(&cell)->start_size = 2.5;
    double direction[4]; /* independently: the first direction of the stream that the header of stream.h names */
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(cell.seed, "problem.n=23\n", 1, SP_STREAM_START));
    gsl_ran_dir_nd(stream, 4, direction);
    gsl_rng_free(stream);
    sp_execute(NULL, &cell, 1, NULL, NULL, &r);
    CHECK_NEAR(r.value[0], 2.5 * direction[0], 1e-15);
    cells_text(&cell)[0] = 'S'; /* the algorithm and the privacy do not move the start */
    sp_execute(NULL, &cell, 1, NULL, NULL, &other);
    CHECK(other.value[0] == r.value[0]);
    sp_result_free(&other);
    sp_execute(NULL, &cell, 2, NULL, NULL, &other);
    CHECK(other.value[0] != r.value[0]);
    sp_result_free(&other);
    sp_result_free(&r);
    cells_free(&cell);
}

/* --- references -------------------------------------------------------------------------------------------- */

static void test_references(void)
{
    sp_cell cell;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    CHECK(key_of(&cell, SP_OF_TRAINING, 0) == NULL);
    cell.measure[0] = &gap;
    char *zero = key_of(&cell, SP_OF_TRAINING, 0), *again = key_of(&cell, SP_OF_TRAINING, 0);
    char *one = key_of(&cell, SP_OF_TRAINING, 1);
    CHECK_TEXT(again, zero);
    CHECK(strcmp(one, zero) != 0); /* generated records differ in each replicate */
    free(again);
    free(one);
    cells_text(&cell)[0] = 'W'; /* not the algorithm's business */
    again = key_of(&cell, SP_OF_TRAINING, 0);
    CHECK_TEXT(again, zero);
    free(again);
    cells_records(&cell)[0] = '3';
    one = key_of(&cell, SP_OF_TRAINING, 0);
    CHECK(strcmp(one, zero) != 0);
    free(one);
    cells_records(&cell)[0] = '2';
    cells_problem(&cell)->regulariser = sp_regulariser_find("l2");
    one = key_of(&cell, SP_OF_TRAINING, 0);
    CHECK(strcmp(one, zero) != 0);
    free(one);
    cells_problem(&cell)->regulariser = NULL;
    cells_problem(&cell)->generator = sp_generator_find("gaussian"); /* other records under the same text */
    one = key_of(&cell, SP_OF_TRAINING, 0);
    CHECK(strcmp(one, zero) != 0);
    free(one);
    cells_problem(&cell)->generator = &cells_generator;

    char path[] = "mine.csv"; /* replicates of unsampled real data share the value */
    cells_problem(&cell)->data = SP_DATA_FILE;
    cells_problem(&cell)->path = path;
    cell.resample = false;
    again = key_of(&cell, SP_OF_TRAINING, 0);
    one = key_of(&cell, SP_OF_TRAINING, 1);
    CHECK_TEXT(one, again);
    free(one);
    cell.resample = true;
    one = key_of(&cell, SP_OF_TRAINING, 1);
    CHECK(strcmp(one, again) != 0);
    free(one);
    cell.resample = false;
    strcpy(cells_problem(&cell)->fingerprint, "2385"); /* other bytes, another value */
    one = key_of(&cell, SP_OF_TRAINING, 1);
    CHECK(strcmp(one, again) != 0);
    free(one);
    cells_problem(&cell)->fingerprint[0] = '\0';
    free(again);
    free(zero);
    cells_problem(&cell)->data = SP_DATA_GENERATED;
    cell.resample = true;

    /* No iterate that a search meets is better than F*; the same value each time. */
    sp_reference reference = { .value = NAN }, repeated = { .value = NAN };
    sp_result r;
    CHECK_EQUAL(sp_execute_reference(NULL, &cell, SP_OF_TRAINING, 0, &reference, NULL), SP_OK);
    CHECK_EQUAL(sp_execute_reference(NULL, &cell, SP_OF_TRAINING, 0, &repeated, NULL), SP_OK);
    CHECK(reference.value == repeated.value);
    cell.measure[0] = sp_measure_find("objective");
    cells_method(&cell)->algorithm = sp_algorithm_find("gd");
    sp_values_start(&cells_method(&cell)->values, cells_method(&cell)->algorithm->params);
    sp_execute(NULL, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_OK);
    CHECK_NEAR(r.value[0], reference.value, 1e-9);
    CHECK_LESS_EQUAL(reference.value, r.value[0] + 1e-12);
    sp_result_free(&r);
    sp_reference_free(&reference);
    sp_reference_free(&repeated);
    cells_free(&cell);
}

/* --- real data --------------------------------------------------------------------------------------------- */

static void test_real_data(void)
{
    char *folder = cells_folder(), path[256];
    snprintf(path, sizeof path, "%s/mine.csv", folder);
    setenv("STILLPOINT_CACHE", folder, 1);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 30; i++)
        fprintf(file, "%d,%g,%g,%g,%g\n", i % 2, sin(i), cos(3.0 * i), sin(5.0 * i), cos(7.0 * i));
    fclose(file);

    sp_cell cell;
    sp_error error = { 0 };
    sp_data_pool *pool = NULL;
    sp_record_set zero, one;
    sp_result r;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    cells_problem(&cell)->generator = NULL;
    cells_problem(&cell)->data = SP_DATA_FILE;
    cell.resample = false;
    cells_problem(&cell)->path = path;
    cells_problem(&cell)->options = (sp_read_options){ .format = SP_FORMAT_CSV, .label = "1" };
    cells_problem(&cell)->shape = (sp_shape){ .normalise = SP_NORMALISE_L2, .radius = 1.0, .test = 0.2, .n = 23 };
    CHECK_EQUAL(sp_data_file_fingerprint(path, &cells_problem(&cell)->options, cells_problem(&cell)->fingerprint, NULL),
                SP_OK);
    CHECK_EQUAL(sp_data_pool_new(&pool), SP_OK);
    sp_execute(pool, &cell, 0, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_EINVAL);
    sp_result_free(&r);

    /* one shuffle for all replicates; the split is disjoint from it by construction of sp_dataset_shape */
    CHECK_EQUAL(sp_data_pool_prepare(pool, &cell, 1, &error), SP_OK);
    CHECK_EQUAL(sp_record_set_make(pool, &cell, 0, &zero, &error), SP_OK);
    CHECK_EQUAL(sp_record_set_make(pool, &cell, 1, &one, &error), SP_OK);
    CHECK_EQUAL(zero.train->n, 23);
    CHECK_EQUAL(zero.test->n, 6);
    CHECK(zero.train == one.train);
    sp_record_set_free(&zero);
    sp_record_set_free(&one);
    sp_execute(pool, &cell, 2, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_OK);
    CHECK(r.value[0] == 7.0);
    sp_result_free(&r);

    /* or one each, of the records that the plan saw, whatever has become of the file and of the cache */
    char command[320];
    snprintf(command, sizeof command, "truncate -s 1 %s %s/binary/*", path, folder);
    CHECK_EQUAL(system(command), 0);
    cell.resample = true;
    CHECK_EQUAL(sp_data_pool_prepare(pool, &cell, 1, &error), SP_OK);
    CHECK_EQUAL(sp_record_set_make(pool, &cell, 0, &zero, &error), SP_OK);
    CHECK_EQUAL(sp_record_set_make(pool, &cell, 1, &one, &error), SP_OK);
    CHECK(strcmp(zero.train->content, one.train->content) != 0);
    sp_record_set_free(&zero);
    sp_record_set_free(&one);
    CHECK_EQUAL(sp_record_set_make(pool, &cell, 2, &one, &error), SP_EINVAL);

    /* what the plan was told must be what is there */
    cells_problem(&cell)->n = 24;
    sp_execute(pool, &cell, 1, NULL, NULL, &r);
    CHECK_EQUAL(r.status, SP_EDATA);
    CHECK_CONTAINS(r.message, "the data have n = 23, d = 4, the plan expects n = 24, d = 4");
    CHECK(r.content[0] != '\0');
    sp_result_free(&r);
    cells_problem(&cell)->shape.n = 25;
    cells_records(&cell)[0] = '3';
    CHECK(sp_data_pool_prepare(pool, &cell, 0, &error) != SP_OK);
    CHECK(error.text[0] != '\0');

    char missing[] = "nowhere.csv";
    cells_problem(&cell)->path = missing;
    cells_problem(&cell)->fingerprint[0] = '\0';
    CHECK(sp_data_pool_open(pool, &cell, &error) != SP_OK);
    CHECK_CONTAINS(error.text, "nowhere.csv");
    sp_data_pool_free(pool);
    sp_data_pool_free(NULL);
    cells_free(&cell);
    cells_remove(folder);
}

/* --- the way through a pipe -------------------------------------------------------------------------------- */

static void test_message(void)
{
    sp_cell cell;
    sp_result in, out;
    char *bytes = NULL;
    size_t size = 0;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    cell.checkpoints = 1e6;
    set_steps(&cell, 3000);
    sp_execute(NULL, &cell, 0, NULL, NULL, &in);
    CHECK_EQUAL(in.traces, 3001);
    CHECK_EQUAL(sp_message_pack(&in, &bytes, &size), SP_OK);
    CHECK_EQUAL(sp_message_unpack(bytes, size, &out), SP_OK);
    CHECK_TEXT(out.resolved, in.resolved);
    CHECK_TEXT(out.ledger, in.ledger);
    CHECK(out.resolved != in.resolved && out.trace != in.trace);
    CHECK_EQUAL(out.traces, in.traces);
    CHECK(memcmp(out.trace, in.trace, in.traces * sizeof *in.trace) == 0);
    CHECK(memcmp(out.value, in.value, sizeof in.value) == 0);
    CHECK_TEXT(out.content, in.content);
    sp_result_free(&out);
    for (size_t cut = 0; cut < size; cut += 1 + cut / 3) {
        CHECK_EQUAL(sp_message_unpack(bytes, cut, &out), SP_ECRASH);
        CHECK(out.trace == NULL && out.resolved == NULL);
    }
    free(bytes);
    sp_result_free(&in);

    sp_result_start(&in); /* nothing in it */
    CHECK_EQUAL(sp_message_pack(&in, &bytes, &size), SP_OK);
    CHECK_EQUAL(sp_message_unpack(bytes, size, &out), SP_OK);
    CHECK(out.resolved == NULL && out.ledger == NULL && out.trace == NULL);
    CHECK(isnan(out.value[0]));
    sp_result_free(&out);
    free(bytes);
    cells_free(&cell);
}

/* A pool keeps the last generated records, whichever cell meets them, and no others; what a run finds in it makes no
 * difference. */
static void test_kept(void)
{
    static const struct { size_t cell, replicate; bool kept; } runs[] = {
        { 0, 0, false }, { 1, 0, true }, { 0, 1, false }, { 1, 1, true }, { 1, 1, true },
        { 2, 1, false }, { 2, 1, true }, { 0, 1, false }, { 3, 1, false }, { 0, 1, false },
    };
    sp_cell cell[4];
    sp_data_pool *pool = NULL;
    char content[SP_HASH_HEX] = "";
    for (size_t i = 0; i < 4; i++) {
        char text[16];
        snprintf(text, sizeof text, "walk %zu", i);
        cells_make(&cell[i], &cells_algorithm_walk, text);
        cell[i].measure[0] = sp_measure_find("grad_norm");
    }
    cell[2].seed++;
    cells_problem(&cell[3])->n = 19;
    CHECK_EQUAL(sp_data_pool_new(&pool), SP_OK);
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        sp_record_set set, own;
        sp_result with, without;
        sp_cell *c = &cell[runs[k].cell];
        CHECK_EQUAL(sp_record_set_make(pool, c, runs[k].replicate, &set, NULL), SP_OK);
        CHECK_EQUAL(sp_record_set_make(NULL, c, runs[k].replicate, &own, NULL), SP_OK);
        CHECK_EQUAL(strcmp(content, set.train->content) == 0, runs[k].kept);
        CHECK_TEXT(set.train->content, own.train->content);
        CHECK_EQUAL(set.train->n, c->problem->n);
        CHECK(set.train->mapping != own.train->mapping && set.train->mapping_size == own.train->mapping_size &&
              memcmp(set.train->mapping, own.train->mapping, own.train->mapping_size) == 0);
        const void *at = set.train->mapping;
        memcpy(content, set.train->content, sizeof content);
        sp_record_set_free(&own);
        sp_record_set_free(&set);
        CHECK_EQUAL(sp_record_set_make(pool, c, runs[k].replicate, &set, NULL), SP_OK);
        CHECK(set.train->mapping == at); /* not made again */
        sp_record_set_free(&set);
        sp_execute(pool, c, runs[k].replicate, NULL, NULL, &with);
        sp_execute(NULL, c, runs[k].replicate, NULL, NULL, &without);
        CHECK_EQUAL(with.status, SP_OK);
        CHECK_TEXT(with.content, without.content);
        CHECK(with.value[0] == without.value[0] && isfinite(with.value[0]));
        sp_result_free(&with);
        sp_result_free(&without);
    }
    sp_data_pool_free(pool);
    for (size_t i = 0; i < 4; i++)
        cells_free(&cell[i]);
}

int main(void)
{
    test_trace();
    test_mean();
    test_mean_after_hand_over();
    test_path();
    test_path_beside_mean();
    test_hand_over();
    test_success();
    test_failures();
    test_measures();
    test_clock();
    test_starts();
    test_references();
    test_real_data();
    test_kept();
    test_message();
    return sp_check_done();
}
