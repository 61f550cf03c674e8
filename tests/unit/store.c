/* store.c -- what goes in comes out; what changed is named; one writer; a foreign or damaged file is left alone. */
#include "core/base/checksum.h"
#include "core/run/platform.h"
#include "core/store/damage.h"
#include "core/export/provenance.h"
#include "core/store/store.h"

#include "tests/cells.h"
#include "tests/check.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/stat.h>

static const sp_measure second = { .name = "second", .summary = "-", .unit = "-", .compute = cells_first };

/* SQL behind the store's back; returns the first column of the first row. */
static long long meddle(const char *folder, const char *sql)
{
    char path[256];
    sqlite3 *db = NULL;
    sqlite3_stmt *at = NULL;
    long long value = -1;
    snprintf(path, sizeof path, "%s/store.sqlite", folder);
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(db, sql, -1, &at, NULL) == SQLITE_OK);
    const int code = sqlite3_step(at);
    CHECK(code == SQLITE_ROW || code == SQLITE_DONE);
    if (code == SQLITE_ROW)
        value = sqlite3_column_int64(at, 0);
    sqlite3_finalize(at);
    sqlite3_close(db);
    return value;
}

static void fill(sp_result *r, size_t traces)
{
    sp_result_start(r);
    r->signal = 0;
    snprintf(r->warning, sizeof r->warning, "it's \"quoted\"\nand has a line end");
    r->warned = sp_warning_bit(SP_WARNED_METHOD) | sp_warning_bit(SP_WARNED_UNCERTIFIED);
    r->promise = traces == 1 ? NAN : 0.385;
    r->promise_at_start = traces == 1 ? NAN : 0.1234567890123456;
    r->diverged = SP_ABOVE_START;
    r->value[0] = 2.385;
    r->reference = (sp_reference){ -0.123456789012345678, INFINITY, "multistart 8, 7 agree" };
    r->spent = (sp_bounds){ .epsilon = { NAN, 1.07, 0.98765432109876543 }, .best = 0.98765432109876543,
                            .bound = SP_BOUND_RDP, .order = 17.5 };
    r->cost = (sp_cost){ .gradients = 1e15 + 1.0, .differences = 3.0, .hessians = 5.0, .losses = 7.0, .releases = 11 };
    r->steps = 1234567890123;
    r->handover = traces == 1 ? NAN : 2.0;
    r->resolved = sp_copy_text("eta=0.385:theory steps=7:user");
    r->ledger = sp_copy_text("gauss noise_multiplier=4.25 count=100\n");
    snprintf(r->content, sizeof r->content, "%064d", 42);
    r->seconds = 0.1 + 0.2;
    r->elapsed = 1.5;
    r->peak_memory = (size_t)5 << 30;
    r->traces = traces;
    r->trace = traces ? sp_alloc(traces, sizeof *r->trace) : NULL;
    for (size_t i = 0; i < traces; i++)
        r->trace[i] = (sp_trace_point){ .step = i * i, .cost = { .gradients = 23.0 * (double)i, .releases = i },
                                        .seconds = 1e-3 * (double)i,
                                        .value = { i == 2 ? NAN : 1.0 / (double)(i + 1) } };
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_equal(const sp_result *a, const sp_result *b)
{
    CHECK_EQUAL(a->status, b->status);
    CHECK_EQUAL(a->signal, b->signal);
    CHECK_TEXT(a->message, b->message);
    CHECK_TEXT(a->warning, b->warning);
    CHECK_EQUAL(a->warned, b->warned);
    CHECK(same(a->promise, b->promise) && same(a->promise_at_start, b->promise_at_start));
    CHECK_EQUAL(a->diverged, b->diverged);
    CHECK_TEXT(a->resolved, b->resolved);
    CHECK_TEXT(a->ledger, b->ledger);
    CHECK_TEXT(a->content, b->content);
    CHECK(same(a->value[0], b->value[0]));
    CHECK(same(a->reference.value, b->reference.value) && same(a->reference.error, b->reference.error));
    CHECK_TEXT(a->reference.method, b->reference.method);
    CHECK(same(a->spent.best, b->spent.best) && same(a->spent.order, b->spent.order));
    CHECK_EQUAL(a->spent.bound, b->spent.bound);
    for (size_t i = 0; i < SP_BOUNDS; i++)
        CHECK(same(a->spent.epsilon[i], b->spent.epsilon[i]));
    CHECK(a->cost.gradients == b->cost.gradients && a->cost.differences == b->cost.differences &&
          a->cost.hessians == b->cost.hessians && a->cost.losses == b->cost.losses);
    CHECK_EQUAL(a->cost.releases, b->cost.releases);
    CHECK_EQUAL(a->steps, b->steps);
    CHECK(same(a->handover, b->handover));
    CHECK(a->seconds == b->seconds && a->elapsed == b->elapsed);
    CHECK_EQUAL(a->peak_memory, b->peak_memory);
    CHECK_EQUAL(a->traces, b->traces);
    size_t differing = 0;
    for (size_t i = 0; i < a->traces && i < b->traces; i++) {
        const sp_trace_point *x = &a->trace[i], *y = &b->trace[i];
        differing += x->step != y->step || x->cost.gradients != y->cost.gradients ||
                     x->cost.releases != y->cost.releases || x->seconds != y->seconds ||
                     !same(x->value[0], y->value[0]);
    }
    CHECK_EQUAL(differing, 0);
}

static void test_round_trip(void)
{
    char *folder = cells_folder();
    sp_error error = { 0 };
    sp_store *store = NULL;
    sp_cell cell;
    sp_result in, out;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    CHECK_EQUAL(sp_store_get(store, &cell, 0, &out, &error), SP_EABSENT);

    fill(&in, 3000);
    CHECK_EQUAL(sp_store_put(store, &cell, 1, &in, &error), SP_OK);
    CHECK_EQUAL(sp_store_get(store, &cell, 1, &out, &error), SP_OK);
    check_equal(&in, &out);
    sp_result_free(&out);
    CHECK_EQUAL(sp_store_get(store, &cell, 0, &out, &error), SP_EABSENT);
    sp_result_free(&in);

    /* a failed one replaces it whole */
    fill(&in, 0);
    sp_result_fail(&in, SP_ECRASH, "the worker died of SIG%s", "SEGV");
    in.signal = 11;
    CHECK_EQUAL(sp_store_put(store, &cell, 1, &in, &error), SP_OK);
    sp_store_close(store);
    CHECK_EQUAL(sp_store_open_readonly(folder, &store, &error), SP_OK);
    CHECK_EQUAL(sp_store_get(store, &cell, 1, &out, &error), SP_OK);
    check_equal(&in, &out);
    CHECK(isnan(out.value[0]));
    sp_result_free(&out);
    sp_result_free(&in);
    sp_store_close(store);
    CHECK_EQUAL(meddle(folder, "SELECT count(*) FROM run"), 1);
    CHECK_EQUAL(meddle(folder, "SELECT count(*) FROM trace"), 0);
    CHECK_EQUAL(meddle(folder, "SELECT count(*) FROM trace_measure"), 0);
    CHECK_EQUAL(meddle(folder, "SELECT count(*) FROM measure"), 1);
    cells_free(&cell);
    cells_remove(folder);
}

static void test_identity(void)
{
    sp_cell cell;
    char a[SP_HASH_HEX], b[SP_HASH_HEX], name[SP_RUN_NAME];
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    sp_run_identity(&cell, 0, a);
    sp_run_name(&cell, 0, name);
    CHECK_EQUAL(strlen(name), 12);
    CHECK(strncmp(a, name, 12) == 0);
    sp_run_identity(&cell, 1, b);
    CHECK(strcmp(a, b) != 0);
    cell.seed++;
    sp_run_identity(&cell, 0, b);
    CHECK(strcmp(a, b) != 0);
    cell.seed--;
    cells_text(&cell)[5] = '2';
    sp_run_identity(&cell, 0, b);
    CHECK(strcmp(a, b) != 0);
    cells_text(&cell)[5] = '1';
    cell.label[0] = 'W'; /* what a run is called does not matter, nor what else is asked about it */
    cell.measures = 0;
    cell.replicates = 99;
    sp_run_identity(&cell, 0, b);
    CHECK_TEXT(b, a);
    cells_free(&cell);
}

static void check_state(sp_store *store, const sp_cell *cell, sp_run_state expected, const char *because)
{
    sp_run_state state = SP_RUN_MISSING;
    sp_text why = { 0 };
    CHECK_EQUAL(sp_store_state(store, cell, 0, &state, &why, NULL), SP_OK);
    CHECK_EQUAL(state, expected);
    CHECK_TEXT(why.data ? why.data : "", because);
    sp_text_free(&why);
    CHECK_EQUAL(sp_store_state(store, cell, 0, &state, NULL, NULL), SP_OK);
    CHECK_EQUAL(state, expected);
}

/* Another text in the only row of `answers`, with its checksum, as if another program had written it. */
static void rewrite_answers(const char *folder, const char *assignment)
{
    char path[256];
    sqlite3 *db = NULL;
    sqlite3_stmt *at = NULL;
    snprintf(path, sizeof path, "%s/store.sqlite", folder);
    char *update = sp_format("UPDATE answers SET %s", assignment);
    meddle(folder, update);
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(db, "SELECT * FROM answers", -1, &at, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(at) == SQLITE_ROW);
    uint64_t sum = sp_checksum_word(SP_CHECKSUM_START, (uint64_t)sqlite3_column_int64(at, 0));
    for (int i = 1; i < sqlite3_column_count(at) - 1; i++)
        sum = sp_checksum_text(sum, (const char *)sqlite3_column_text(at, i));
    CHECK(sqlite3_step(at) == SQLITE_DONE);
    sqlite3_finalize(at);
    sqlite3_close(db);
    free(update);
    update = sp_format("UPDATE answers SET checksum = %lld", (long long)sum);
    meddle(folder, update);
    free(update);
}

/* Measures that are taken later: what the stored iterate tells, and what it does not. */
static void test_measures_later(void)
{
    static const sp_measure handed = { .name = "handed", .measured = SP_AT_HAND_OVER, .compute = cells_first };
    static const sp_measure path = { .name = "path", .measured = SP_MEAN_OF_PATH, .compute = cells_first };
    static const double w[] = { 2.385, -0.0, 1e-310, -7.0 };
    static const struct { const sp_measure *measure; const char *why; } again[] = {
        { &handed, "measure handed is new (it is about the point handed over: the run is made again)" },
        { &path, "measure path is new (it is about the path: the run is made again)" },
    };
    char *folder = cells_folder();
    sp_store *store = NULL;
    sp_error error = { 0 };
    sp_cell cell, part;
    const sp_measure *alone[] = { &second };
    sp_result in, out, measured;
    double *read;
    size_t d;
    bool lacks[SP_MEASURES_MAX] = { false };
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    fill(&in, 3);
    in.iterate = sp_alloc_doubles(4);
    memcpy(in.iterate, w, sizeof w);
    in.dimension = 4;
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    const sp_provenance_row made = { .command = "x", .scale = "x", .script = "x", .commit = "x", .compiler = "x",
                                     .flags = "x", .libraries = "x", .blas_core = "x", .cpu = "x", .started = "x" };
    CHECK_EQUAL(sp_store_invocation(store, &made, NULL), SP_OK);
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &in, NULL), SP_OK);
    CHECK_EQUAL(sp_store_get_iterate(store, &cell, 0, &read, &d, &error), SP_OK);
    CHECK(d == 4 && memcmp(read, w, sizeof w) == 0);
    free(read);
    CHECK_EQUAL(sp_store_get_iterate(store, &cell, 1, &read, &d, &error), SP_EABSENT);

    cell.measures = 2;
    for (size_t i = 0; i < sizeof again / sizeof *again; i++) {
        cell.measure[1] = again[i].measure;
        check_state(store, &cell, SP_RUN_STALE, again[i].why);
    }
    cell.measure[1] = &second;
    cell.shown = 2;
    check_state(store, &cell, SP_RUN_STALE,
                "measure second is new (a figure shows it along the way: the run is made again)");
    cell.shown = 1;
    check_state(store, &cell, SP_RUN_UNMEASURED, "measure second is new");
    sp_store_lacks(store, &cell, 0, lacks);
    CHECK(!lacks[0] && lacks[1]);
    CHECK(sp_store_measured(store, &cell, 0, &cells_measure_first) && !sp_store_measured(store, &cell, 0, &second));

    /* taken by another invocation: the run stays the first one's; along the way it has no value */
    CHECK_EQUAL(sp_store_invocation(store, &made, NULL), SP_OK);
    part = cell;
    part.measure = alone;
    part.measures = 1;
    sp_result_start(&measured);
    measured.value[0] = -0.385;
    measured.traces = 1;
    measured.trace = sp_alloc(1, sizeof *measured.trace);
    measured.trace[0].value[0] = 0.125;
    snprintf(measured.content, sizeof measured.content, "%064d", 41);
    CHECK_EQUAL(sp_store_put_measures(store, &cell, &part, 0, &measured, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "made on other records");
    check_state(store, &cell, SP_RUN_UNMEASURED, "measure second is new");
    memcpy(measured.content, in.content, sizeof measured.content);
    sp_result_warn(&measured, sp_warning_bit(SP_WARNED_NO_REFERENCE), "the first sentence, whatever it says");
    measured.unreferenced = strlen(measured.warning);
    sp_result_warn(&measured, sp_warning_bit(SP_WARNED_NO_REFERENCE), "F* is nowhere finite");
    CHECK_EQUAL(sp_store_put_measures(store, &cell, &part, 0, &measured, &error), SP_OK);
    sp_store_close(store);
    CHECK_EQUAL(meddle(folder, "SELECT count(*) FROM iterate"), 1);
    CHECK_EQUAL(meddle(folder, "SELECT invocation FROM run"), 1);
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    check_state(store, &cell, SP_RUN_DONE, "");
    CHECK_EQUAL(sp_store_get(store, &cell, 0, &out, &error), SP_OK);
    in.warned |= sp_warning_bit(SP_WARNED_NO_REFERENCE);
    snprintf(in.warning, sizeof in.warning, "the first sentence, whatever it says; it's \"quoted\"\nand "
             "has a line end; F* is nowhere finite"); /* in the order of a run that has them from the start */
    check_equal(&in, &out);
    CHECK(out.value[1] == -0.385 && out.trace[0].value[1] == 0.125 && isnan(out.trace[1].value[1]));
    CHECK_EQUAL(out.untraced, 2);
    sp_result_free(&out);
    CHECK_EQUAL(sp_store_get_iterate(store, &cell, 0, &read, &d, &error), SP_OK);
    CHECK(d == 4 && memcmp(read, w, sizeof w) == 0);
    free(read);
    cell.shown = 2;
    check_state(store, &cell, SP_RUN_STALE, "trace lacks a measure that a figure shows");

    /* made again, the run has it along the way; a failed one keeps no iterate */
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &in, NULL), SP_OK);
    check_state(store, &cell, SP_RUN_DONE, "");
    sp_result_fail(&in, SP_ECRASH, "no");
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &in, NULL), SP_OK);
    CHECK_EQUAL(sp_store_get_iterate(store, &cell, 0, &read, &d, &error), SP_EABSENT);
    sp_store_close(store);
    CHECK_EQUAL(meddle(folder, "SELECT count(*) FROM iterate"), 0);
    sp_result_free(&in);
    sp_result_free(&measured);
    cells_free(&cell);
    cells_remove(folder);
}

static void test_state(void)
{
    static const struct { const char *assignment, *why; } changes[] = {
        { "algorithm = 'x'", "algorithm walk changed" },
        { "loss = 'x'", "loss pseudo_huber changed" },
        { "regulariser = 'x'", "regulariser l2 changed" },
        { "core = 'x'", "core changed" },
        { "data = 'x'", "data directions changed" },
        { "measures = 'first x '", "measure first changed (no iterate is stored: the run is made again)" },
        { "core = 'x', loss = 'x'", "loss pseudo_huber changed, core changed" },
    };
    sp_store *store = NULL;
    sp_cell cell;
    sp_result result;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    cells_problem(&cell)->regulariser = sp_regulariser_find("l2");
    fill(&result, 1);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *folder = cells_folder();
        CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
        check_state(store, &cell, SP_RUN_MISSING, "");
        CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
        check_state(store, &cell, SP_RUN_DONE, "");
        sp_store_close(store);
        rewrite_answers(folder, changes[i].assignment);
        CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
        check_state(store, &cell, SP_RUN_STALE, changes[i].why);
        CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
        check_state(store, &cell, SP_RUN_DONE, "");
        sp_store_close(store);
        cells_remove(folder);
    }
    char *folder = cells_folder();
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
    cells_problem(&cell)->generator = sp_generator_find("gaussian"); /* other records under the same text */
    check_state(store, &cell, SP_RUN_STALE, "data gaussian changed");
    cells_problem(&cell)->generator = &cells_generator;
    cell.measure[cell.measures++] = &second;
    check_state(store, &cell, SP_RUN_STALE, "measure second is new (no iterate is stored: the run is made again)");
    cell.measures = 0;
    check_state(store, &cell, SP_RUN_DONE, "");
    cell.checkpoints = 9.0;
    check_state(store, &cell, SP_RUN_STALE, "checkpoints were fewer");
    cell.checkpoints = 0.0;
    check_state(store, &cell, SP_RUN_DONE, "");
    sp_result_fail(&result, SP_EBUDGET, "spent too much");
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
    check_state(store, &cell, SP_RUN_FAILED, "");

    /* a cell without a trace reads none, though a sharer stored one */
    sp_result out;
    CHECK_EQUAL(sp_store_get(store, &cell, 0, &out, NULL), SP_OK);
    CHECK_EQUAL(out.traces, 0);
    sp_result_free(&out);
    sp_result_free(&result);
    sp_store_close(store);
    cells_free(&cell);
    cells_remove(folder);
}

/* What the libraries were counts, and is named. */
static void test_platform(void)
{
    char *folder = cells_folder();
    sp_store *store = NULL;
    sp_cell cell;
    sp_result result;
    sp_text why = { 0 };
    sp_platform_print_changes("BLAS kernels: Zen; GSL: 2.7; libm: a b",
                              "BLAS kernels: Zen; GSL: 2.7.1; FFTW: 3; libm: a b", &why);
    CHECK_TEXT(why.data, "GSL changed (2.7 -> 2.7.1), FFTW changed ( -> 3)");
    sp_text_free(&why);
    CHECK_CONTAINS(sp_platform(), "OpenBLAS kernels: ");
    CHECK_CONTAINS(sp_platform(), "; GSL: ");

    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    fill(&result, 0);
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
    sp_store_close(store);
    rewrite_answers(folder, "core = 'x', platform = 'OpenBLAS kernels: SSE_MAXIMUM'");
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    sp_platform_print_changes("OpenBLAS kernels: SSE_MAXIMUM", sp_platform(), &why);
    char *expected = sp_format("core changed, %s", why.data);
    check_state(store, &cell, SP_RUN_STALE, expected);
    sp_store_close(store);
    free(expected);
    sp_text_free(&why);
    sp_result_free(&result);
    cells_free(&cell);
    cells_remove(folder);
}

/* The source of a method is its own and that of every method inside it. */
static void test_nested_methods(void)
{
    static const sp_param params[] = { { "first", SP_METHOD }, { 0 } };
    sp_algorithm outer = { .name = "outer", .params = params };
    sp_method inner = { .algorithm = sp_algorithm_find("gd") };
    char *folder = cells_folder();
    sp_store *store = NULL;
    sp_cell cell;
    sp_result result;
    cells_make(&cell, &outer, "outer");
    fill(&result, 0);
    sp_values_start(&inner.values, NULL);
    CHECK_EQUAL(sp_values_set_method(&cells_method(&cell)->values, "test", "first", &inner, NULL), SP_OK);
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
    check_state(store, &cell, SP_RUN_DONE, "");
    inner.algorithm = sp_algorithm_find("dp_gd"); /* another source under the same cell text */
    check_state(store, &cell, SP_RUN_STALE, "algorithm outer changed");
    inner.algorithm = sp_algorithm_find("gd");
    check_state(store, &cell, SP_RUN_DONE, "");
    outer.uses = "dp_sgd dp_gd"; /* so do the files that a method names */
    check_state(store, &cell, SP_RUN_STALE, "algorithm outer changed");
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
    outer.uses = "dp_sgd dp_spider";
    check_state(store, &cell, SP_RUN_STALE, "algorithm outer changed");
    inner.algorithm = sp_algorithm_find("dp_gd");
    *cells_method(&cell) = inner;
    check_state(store, &cell, SP_RUN_STALE, "algorithm dp_gd changed");
    sp_store_close(store);
    sp_result_free(&result);
    cells_free(&cell);
    cells_remove(folder);
}

/* A run that cannot be stored leaves the one before, and the store usable. */
static void test_refused_row(void)
{
    char *folder = cells_folder();
    sp_store *store = NULL;
    sp_error error = { 0 };
    sp_cell cell;
    sp_result good, bad, out;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    fill(&good, 5);
    fill(&bad, 5);
    bad.value[0] = -1.0;
    bad.trace[4].step = bad.trace[3].step; /* a step has one row */
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &good, &error), SP_OK);
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &bad, &error), SP_EIO);
    CHECK_CONTAINS(error.text, "while storing a trace");
    CHECK_EQUAL(sp_store_get(store, &cell, 0, &out, &error), SP_OK);
    check_equal(&good, &out);
    sp_result_free(&out);
    CHECK_EQUAL(sp_store_put(store, &cell, 1, &good, &error), SP_OK);
    sp_store_close(store);
    CHECK_EQUAL(meddle(folder, "SELECT count(*) FROM run"), 2);
    sp_result_free(&good);
    sp_result_free(&bad);
    cells_free(&cell);
    cells_remove(folder);
}

/* Real data count by the fingerprint that the plan took of their bytes. */
static void test_real_data(void)
{
    char *folder = cells_folder(), path[] = "mine.csv";
    sp_store *store = NULL;
    sp_cell cell;
    sp_result result;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    fill(&result, 0);
    sp_problem_spec *spec = cells_problem(&cell);
    spec->data = SP_DATA_FILE;
    spec->path = path;
    strcpy(spec->fingerprint, "2385");
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
    check_state(store, &cell, SP_RUN_DONE, "");
    sp_store_close(store);

    strcpy(spec->fingerprint, "2386");
    CHECK_EQUAL(sp_store_open_readonly(folder, &store, NULL), SP_OK);
    check_state(store, &cell, SP_RUN_STALE, "data mine.csv changed");
    sp_store_close(store);
    sp_result_free(&result);
    cells_free(&cell);
    cells_remove(folder);
}

static void test_references_and_invocations(void)
{
    char *folder = cells_folder();
    sp_store *store = NULL;
    sp_cell cell;
    sp_result result;
    sp_reference in = { .value = 0.3010299956639812, .error = 3e-16, .method = "convex, gap 3e-16" }, out = { 0 };
    char text[] = "x";
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    fill(&result, 0);
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_get_reference(store, "key", &out, NULL), SP_EABSENT);
    CHECK_EQUAL(sp_store_put_reference(store, "key", &in, NULL), SP_OK);
    in.value = 0.4771212547196624;
    CHECK_EQUAL(sp_store_put_reference(store, "key", &in, NULL), SP_OK);
    CHECK_EQUAL(sp_store_get_reference(store, "key", &out, NULL), SP_OK);
    CHECK(out.value == in.value && out.error == in.error);
    CHECK_TEXT(out.method, in.method);
    CHECK_EQUAL(sp_store_get_reference(store, "other", &out, NULL), SP_EABSENT);

    const sp_provenance_row row = { .command = text, .scale = text, .script = text, .commit = text, .compiler = text,
                                    .flags = text, .libraries = text, .blas_core = text, .cpu = text, .started = text,
                                    .dirty = true };
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
    CHECK_EQUAL(sp_store_invocation(store, &row, NULL), SP_OK);
    CHECK_EQUAL(sp_store_invocation(store, &row, NULL), SP_OK);
    CHECK_EQUAL(sp_store_put(store, &cell, 1, &result, NULL), SP_OK);
    sp_store_close(store);
    CHECK_EQUAL(meddle(folder, "SELECT dirty FROM invocation WHERE commit_hash = 'x'"), 1);
    CHECK_EQUAL(meddle(folder, "SELECT invocation IS NULL FROM run WHERE replicate = 0"), 1);
    CHECK_EQUAL(meddle(folder, "SELECT invocation FROM run WHERE replicate = 1"), 2);
    sp_result_free(&result);
    cells_free(&cell);
    cells_remove(folder);
}

static void test_provenance(void)
{
    char *folder = cells_folder(), verb[] = "stillpoint run", option[] = "-j", number[] = "2";
    char *argv[] = { verb, option, number };
    sp_store *store = NULL;
    sp_plan plan;
    cells_plan(&plan, NULL, 0);
    snprintf(plan.script, sizeof plan.script, "%064d", 7);
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    CHECK_EQUAL(sp_provenance_record(&plan, store, 3, argv, NULL), SP_OK);
    sp_store_close(store);
    CHECK_EQUAL(meddle(folder, "SELECT count(*) FROM invocation WHERE command = 'stillpoint run -j 2' "
                               "AND scale = 'default' AND script LIKE '000%7' AND started LIKE '20__-__-__T__:__:__Z' "
                               "AND libraries LIKE 'OpenBLAS kernels: %GSL: %FFTW: %libm: %SQLite %Lua 5.4%'"), 1);
    CHECK_EQUAL(meddle(folder, "SELECT min(length(commit_hash), length(compiler), length(flags), length(blas_core), "
                               "length(cpu)) > 0 FROM invocation"), 1);
    CHECK_EQUAL(meddle(folder, "SELECT commit_hash = 'unknown' OR length(commit_hash) = 40 FROM invocation"), 1);
    cells_remove(folder);
}

static void test_one_writer(void)
{
    char *folder = cells_folder();
    sp_store *store = NULL, *other = NULL;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_store_open_readonly(folder, &other, &error), SP_EABSENT);
    CHECK_CONTAINS(error.text, "store.sqlite");
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_open(folder, &other, &error), SP_EIO);
    char owner[64];
    snprintf(owner, sizeof owner, "being written by another run (process %ld)", (long)getpid());
    CHECK_CONTAINS(error.text, owner);
    CHECK(other == NULL);
    CHECK_EQUAL(sp_store_open_readonly(folder, &other, NULL), SP_OK);
    sp_store_close(other);
    sp_store_close(store);
    CHECK_EQUAL(sp_store_open(folder, &other, NULL), SP_OK);
    sp_store_close(other);
    sp_store_close(NULL);
    cells_remove(folder);
}

static void test_foreign_files(void)
{
    char *folder = cells_folder(), path[256], bytes[8192], after[8192];
    sp_store *store = NULL;
    sp_error error = { 0 };
    snprintf(path, sizeof path, "%s/store.sqlite", folder);

    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    sp_store_close(store);
    for (int version = 5; version < 9; version += 3) { /* an older one, and a newer one */
        char change[64], says[64];
        snprintf(change, sizeof change, "PRAGMA user_version = %d", version);
        snprintf(says, sizeof says, "store version %d; this program reads 7", version);
        meddle(folder, change);
        for (int writer = 0; writer < 2; writer++) {
            CHECK_EQUAL(writer ? sp_store_open(folder, &store, &error) : sp_store_open_readonly(folder, &store, &error),
                        SP_EVERSION);
            CHECK_CONTAINS(error.text, path);
            CHECK_CONTAINS(error.text, says);
            CHECK_CONTAINS(error.text, version < 7 ? "stillpoint merge" : "a later one");
        }
    }
    CHECK_EQUAL(meddle(folder, "SELECT count(*) FROM sqlite_master WHERE name = 'run'"), 1);
    meddle(folder, "PRAGMA application_id = 99");
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "no Stillpoint store");

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 37 + i / 251);
    FILE *file = fopen(path, "wb");
    fwrite(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, path);
    CHECK_CONTAINS(error.text, "damaged");
    CHECK(store == NULL);
    file = fopen(path, "rb");
    CHECK_EQUAL(fread(after, 1, sizeof after, file), sizeof bytes);
    fclose(file);
    CHECK(memcmp(bytes, after, sizeof bytes) == 0);

    file = fopen(path, "wb"); /* a creation cut short leaves an empty file */
    fclose(file);
    CHECK_EQUAL(sp_store_open_readonly(folder, &store, &error), SP_EABSENT);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    sp_store_close(store);

    remove(path);
    mkdir(path, 0777);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_EIO);
    CHECK_CONTAINS(error.text, path);
    cells_remove(folder);
}

/* --- damage ------------------------------------------------------------------------------------------------ */

enum { DAMAGE_RUNS = 7 };

static void add_row(void *context, const sp_provenance_row *row, uint64_t runs)
{
    sp_text_append(context, "%s %s %d %s %llu\n", row->command, row->commit, row->dirty, row->cpu,
                   (unsigned long long)runs);
}

static void print_cost(sp_text *text, const sp_cost *c)
{
    sp_text_append(text, "%a %a %a %a %zu\n", c->gradients, c->differences, c->hessians, c->losses, c->releases);
}

static void print_result(sp_text *text, const sp_result *r)
{
    sp_text_append(text, "%d %d %s %s %s %s %s\n", (int)r->status, r->signal, r->message, r->warning, r->resolved,
                   r->ledger, r->content);
    sp_text_append(text, "%a %a %a %a %s %a %a %s\n", r->value[0], r->value[1], r->reference.value, r->reference.error,
                   r->reference.method, r->population.value, r->population.error, r->population.method);
    sp_text_append(text, "%a %a %d %a %a %zu %zu\n", r->spent.best, r->spent.order, (int)r->spent.bound, r->seconds,
                   r->elapsed, r->peak_memory, r->steps);
    for (size_t i = 0; i < SP_BOUNDS; i++)
        sp_text_append(text, "%a ", r->spent.epsilon[i]);
    print_cost(text, &r->cost);
    for (size_t i = 0; i < r->traces; i++) {
        sp_text_append(text, "%zu %a %a %a ", r->trace[i].step, r->trace[i].seconds, r->trace[i].value[0],
                       r->trace[i].value[1]);
        print_cost(text, &r->trace[i].cost);
    }
}

/* What tables are made of, run after run; NULL: it is missing. */
static char *run_text(sp_store *store, const sp_cell *cell, size_t i)
{
    sp_text text = { 0 };
    sp_result r = { 0 };
    sp_run_state state = SP_RUN_MISSING;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_store_state(store, cell, i, &state, NULL, &error), SP_OK);
    sp_status status = sp_store_get(store, cell, i, &r, &error);
    CHECK(status == SP_OK || status == SP_EABSENT);
    CHECK(status == SP_OK || state == SP_RUN_MISSING || sp_store_damages(store)->count > 0);
    if (status == SP_OK)
        print_result(&text, &r);
    sp_result_free(&r);
    if (status == SP_OK)
        status = sp_store_get_iterate(store, cell, i, &r.iterate, &r.dimension, &error);
    CHECK(status == SP_OK || status == SP_EABSENT);
    for (size_t j = 0; status == SP_OK && j < r.dimension; j++)
        sp_text_append(&text, "%a ", r.iterate[j]);
    if (status == SP_OK)
        free(r.iterate);
    else
        sp_text_free(&text);
    return text.data;
}

/* Who made the runs, and a reference value, where they are there. */
static char *rest_text(sp_store *store)
{
    sp_text text = { 0 };
    sp_reference reference = { 0 };
    sp_error error = { 0 };
    CHECK_EQUAL(sp_store_invocations(store, add_row, &text, &error), SP_OK);
    const sp_status status = sp_store_get_reference(store, "key", &reference, &error);
    CHECK(status == SP_OK || status == SP_EABSENT);
    if (status == SP_OK)
        sp_text_append(&text, "%a %a %s %a\n", reference.value, reference.error, reference.method,
                       reference.minimiser[1]);
    sp_reference_free(&reference);
    return text.data;
}

static char *expected[DAMAGE_RUNS];

/* How many runs are there; each of them is what was stored. */
static size_t count_sound(sp_store *store, const sp_cell *cell)
{
    size_t sound = 0;
    for (size_t i = 0; i < DAMAGE_RUNS; i++) {
        char *text = run_text(store, cell, i);
        if (text)
            CHECK_TEXT(text, expected[i]);
        sound += text != NULL;
        free(text);
    }
    free(rest_text(store));
    return sound;
}

static bool names(const sp_damages *list, const char *run)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i].run, run) == 0)
            return true;
    return false;
}

static void make_store(const char *folder, sp_cell *cell)
{
    char text[] = "text";
    double minimiser[] = { 0.25, 2.385, -1.5 };
    const sp_reference reference = { .value = 0.4771212547196624, .error = 3e-16, .method = "convex",
                                     .minimiser = minimiser, .d = 3 };
    const sp_provenance_row row = { .command = text, .scale = text, .script = text, .commit = text, .compiler = text,
                                    .flags = text, .libraries = text, .blas_core = text, .cpu = text, .started = text };
    sp_store *store = NULL;
    sp_result r;
    fill(&r, 9);
    r.iterate = sp_alloc_doubles(4);
    r.dimension = 4;
    for (size_t j = 0; j < 4; j++)
        r.iterate[j] = 0.1 * (double)(j + 1);
    cell->measure[1] = &second;
    cell->measures = 2;
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_invocation(store, &row, NULL), SP_OK);
    CHECK_EQUAL(sp_store_put_reference(store, "key", &reference, NULL), SP_OK);
    for (size_t i = 0; i < DAMAGE_RUNS; i++) {
        r.value[1] = 2.385 + (double)i;
        CHECK_EQUAL(sp_store_put(store, cell, i, &r, NULL), SP_OK);
    }
    sp_store_close(store);
    sp_result_free(&r);
}

static void set_expected(const char *folder, const sp_cell *cell)
{
    sp_store *store = NULL;
    CHECK_EQUAL(sp_store_open_readonly(folder, &store, NULL), SP_OK);
    for (size_t i = 0; i < DAMAGE_RUNS; i++)
        CHECK((expected[i] = run_text(store, cell, i)) != NULL);
    sp_store_close(store);
}

static void free_expected(void)
{
    for (size_t i = 0; i < DAMAGE_RUNS; i++)
        free(expected[i]);
}

/* A change behind the store's back: what was changed is missing and named, whoever reads; whoever writes gets a store
 * without it, in which it can be stored again, and the old file stays. `lost`: runs. */
static void check_change(sp_cell *cell, const char *change, size_t lost, bool named)
{
    char *folder = cells_folder(), run[SP_RUN_NAME], path[256];
    const char *aside = NULL;
    sp_store *store = NULL;
    sp_error error = { 0 };
    struct stat about;
    make_store(folder, cell);
    sp_run_name(cell, 2, run);
    meddle(folder, change);
    snprintf(path, sizeof path, "%s/store.sqlite.damaged", folder);

    CHECK_EQUAL(sp_store_open_readonly(folder, &store, &error), SP_OK);
    CHECK_EQUAL(sp_store_check(store, &error), SP_OK);
    CHECK(sp_store_damages(store)->count > 0);
    CHECK(!named || names(sp_store_damages(store), run));
    CHECK(count_sound(store, cell) <= DAMAGE_RUNS - lost);
    sp_store_close(store);
    CHECK(stat(path, &about) != 0);

    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    CHECK(sp_store_healed(store, &aside)->count > 0);
    CHECK(!named || names(sp_store_healed(store, &aside), run));
    CHECK_TEXT(aside, path);
    CHECK(stat(path, &about) == 0);
    CHECK_EQUAL(sp_store_damages(store)->count, 0);
    CHECK_EQUAL(count_sound(store, cell), DAMAGE_RUNS - lost);
    sp_result r;
    fill(&r, 9);
    CHECK_EQUAL(sp_store_put(store, cell, 2, &r, &error), SP_OK);
    sp_result_free(&r);
    sp_store_close(store);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    CHECK_EQUAL(sp_store_healed(store, &aside)->count, 0);
    CHECK(aside == NULL);
    sp_store_close(store);
    cells_remove(folder);
}

static void test_changed_rows(void)
{
    static const char *const of_run[] = {
        "UPDATE measure SET value = value + 1e-9 WHERE run = 3", "UPDATE run SET epsilon = 0.5 WHERE id = 3",
        "UPDATE run SET reference = -0.12 WHERE id = 3", "UPDATE run SET status = 'SP_EDATA' WHERE id = 3",
        "UPDATE trace SET gradients = 24 WHERE run = 3 AND step = 1", "UPDATE run SET seed = 1 WHERE id = 3",
        "UPDATE trace_measure SET value = 0.5 WHERE run = 3", "DELETE FROM measure WHERE run = 3 AND name = 'second'",
        "DELETE FROM trace WHERE run = 3 AND step = 64", "DELETE FROM trace_measure WHERE run = 3 AND step = 0",
        "UPDATE run SET checkpoints = 100 WHERE id = 3", "UPDATE run SET ledger = '' WHERE id = 3",
        "UPDATE measure SET value = NULL WHERE run = 3", "UPDATE iterate SET w = zeroblob(32) WHERE run = 3",
        "DELETE FROM iterate WHERE run = 3", "UPDATE iterate SET w = zeroblob(24) WHERE run = 3",
        "UPDATE run SET dimension = 3 WHERE id = 3",
    };
    static const char *const of_none[] = { /* every run is kept */
        "UPDATE invocation SET cpu = 'x'", "DELETE FROM invocation", "UPDATE reference SET value = 0.5",
        "UPDATE reference SET minimiser = zeroblob(24)", "DELETE FROM contents", "UPDATE contents SET runs = 9",
    };
    char *folder = cells_folder();
    sp_cell cell;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    make_store(folder, &cell);
    set_expected(folder, &cell);
    for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++)
        check_change(&cell, of_run[i], 1, true);
    check_change(&cell, "DELETE FROM run WHERE id = 3", 1, false);
    for (size_t i = 0; i < sizeof of_none / sizeof *of_none; i++)
        check_change(&cell, of_none[i], 0, false);
    free_expected();
    cells_free(&cell);
    cells_remove(folder);
}

/* Where the hashes of sources are lost, their runs are kept, and stale. */
static void test_lost_sources(void)
{
    static const char *const changes[] = { "DELETE FROM answers", "UPDATE answers SET core = 'x'",
                                           "UPDATE answers SET untraced = 'x '" };
    sp_cell cell;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *folder = cells_folder();
        sp_store *store = NULL;
        sp_run_state state;
        sp_result r;
        make_store(folder, &cell);
        meddle(folder, changes[i]);
        CHECK_EQUAL(sp_store_open_readonly(folder, &store, NULL), SP_OK);
        CHECK_EQUAL(sp_store_get(store, &cell, 2, &r, NULL), SP_EABSENT);
        CHECK_EQUAL(sp_store_damages(store)->count, DAMAGE_RUNS + (i == 0 ? 1 : 2)); /* their number, and the row */
        sp_store_close(store);
        CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
        CHECK_EQUAL(sp_store_state(store, &cell, 2, &state, NULL, NULL), SP_OK);
        CHECK_EQUAL(state, SP_RUN_STALE);
        CHECK_EQUAL(sp_store_get(store, &cell, 2, &r, NULL), SP_OK);
        CHECK(r.value[1] == 4.385);
        sp_result_free(&r);
        sp_store_close(store);
        cells_remove(folder);
    }
    cells_free(&cell);
}

/* The store of tests/fixtures, which a program of version 6 made (store_6.lua): readers name the verb that rewrites it,
 * writers do, and every column that version 6 had stays what it was. */
static void test_version_6(void)
{
    static const char sum[] =
        "SELECT sum(length(cell) + length(ledger) + length(resolved) + length(warning) + length(bounds)) * 1000 "
        "+ sum(steps) + sum(CAST(epsilon * 1e12 AS INTEGER)) + sum(CAST(reference * 1e15 AS INTEGER)) FROM run";
    static const char *const same[] = { sum,
                                        "SELECT count(*) FROM run",
                                        "SELECT sum(CAST(value * 1e15 AS INTEGER)) FROM measure",
                                        "SELECT sum(CAST(value * 1e12 AS INTEGER)) + sum(step) FROM trace_measure",
                                        "SELECT count(*) FROM trace",
                                        "SELECT count(*) FROM iterate",
                                        "SELECT count(*) FROM reference",
                                        "SELECT count(*) FROM audits",
                                        "SELECT count(*) FROM invocation WHERE cpu <> ''",
                                        "SELECT runs FROM contents" };
    enum { SAME = sizeof same / sizeof *same };
    const char *source = getenv("SOURCE"), *aside = NULL;
    char *folder = cells_folder(), path[256], from[512];
    long long before[SAME];
    sp_store *store = NULL;
    sp_error error = { 0 };
    struct stat about;
    snprintf(path, sizeof path, "%s/store.sqlite", folder);
    snprintf(from, sizeof from, "%s/tests/fixtures/store_6.sqlite", source ? source : ".");
    CHECK_EQUAL(sp_copy_file(from, path, &error), SP_OK);
    for (size_t i = 0; i < SAME; i++)
        before[i] = meddle(folder, same[i]);
    CHECK_EQUAL(before[1], 4);
    CHECK_EQUAL(sp_store_open_readonly(folder, &store, &error), SP_EVERSION);
    CHECK_CONTAINS(error.text, "version 6");
    CHECK_CONTAINS(error.text, "stillpoint run");
    CHECK_EQUAL(meddle(folder, "PRAGMA user_version"), 6);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    CHECK_EQUAL(sp_store_healed(store, &aside)->count, 0);
    CHECK_EQUAL(sp_store_runs(store), 4);
    sp_store_close(store);
    CHECK_EQUAL(meddle(folder, "PRAGMA user_version"), 7);
    for (size_t i = 0; i < SAME; i++)
        CHECK_EQUAL(meddle(folder, same[i]), before[i]);
    snprintf(path, sizeof path, "%s/store.sqlite.damaged", folder);
    CHECK(stat(path, &about) != 0);
    CHECK_EQUAL(sp_store_open_readonly(folder, &store, &error), SP_OK);
    CHECK_EQUAL(sp_store_check(store, &error), SP_OK);
    CHECK_EQUAL(sp_store_damages(store)->count, 0);
    sp_store_close(store);
    cells_remove(folder);
}

static void flip(const char *path, size_t bit)
{
    unsigned char byte = 0;
    FILE *file = fopen(path, "r+b");
    fseek(file, (long)(bit / 8), SEEK_SET);
    CHECK_EQUAL(fread(&byte, 1, 1, file), 1);
    byte ^= (unsigned char)(1u << bit % 8);
    fseek(file, (long)(bit / 8), SEEK_SET);
    CHECK_EQUAL(fwrite(&byte, 1, 1, file), 1);
    fclose(file);
}

/* Any bit of the file: a run is as it was stored, or missing; never other digits. Whoever writes goes on with what is
 * sound, or is refused where the file's first bytes are hit; salvage saves the rest in any case. */
static void test_flipped_bits(void)
{
    enum { FLIPS = 300 };
    char *folder = cells_folder(), path[256], saved[256], new[256];
    size_t refused = 0, read = 0, healed = 0, salvaged = 0;
    sp_error error = { 0 };
    sp_store *store = NULL;
    struct stat about;
    sp_cell cell;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    make_store(folder, &cell);
    set_expected(folder, &cell);
    snprintf(path, sizeof path, "%s/store.sqlite", folder);
    snprintf(saved, sizeof saved, "%s/saved", folder);
    snprintf(new, sizeof new, "%s/new", folder);
    CHECK_EQUAL(sp_copy_file(path, saved, &error), SP_OK);
    CHECK(stat(saved, &about) == 0);
    const size_t bits = 8 * (size_t)about.st_size;
    for (size_t i = 0; i < FLIPS; i++) {
        const size_t bit = (i * (bits / FLIPS) + i * 7919 % (bits / FLIPS)) % bits;
        sp_damages lost = { 0 };
        size_t runs = 0;
        flip(path, bit);
        sp_status status = sp_store_open_readonly(folder, &store, &error);
        refused += status != SP_OK;
        CHECK(status == SP_OK || status == SP_EDATA || status == SP_EVERSION || status == SP_EIO);
        if (status == SP_OK) {
            CHECK_EQUAL(sp_store_check(store, &error), SP_OK);
            const size_t there = count_sound(store, &cell);
            CHECK(there == DAMAGE_RUNS || sp_store_damages(store)->count > 0);
            read += there;
        }
        sp_store_close(store);

        CHECK_EQUAL(sp_store_salvage(path, new, &lost, &runs, &error), SP_OK);
        CHECK(runs == DAMAGE_RUNS || lost.count > 0);
        salvaged += runs;
        sp_damages_free(&lost);

        if (status == SP_OK && sp_store_open(folder, &store, &error) == SP_OK) {
            CHECK_EQUAL(sp_store_damages(store)->count, 0);
            const size_t sound = count_sound(store, &cell);
            CHECK(sound >= runs);
            healed += sound;
            sp_store_close(store);
        }
        CHECK_EQUAL(rename(new, path), 0); /* what was salvaged is a store, of these runs */
        CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
        CHECK_EQUAL(count_sound(store, &cell), runs);
        sp_store_close(store);
        char *aside = sp_format("%s.damaged", path);
        unlink(aside);
        free(aside);
        CHECK_EQUAL(sp_copy_file(saved, path, &error), SP_OK);
    }
    printf("%zu refused, %zu read, %zu healed, %zu salvaged of %d\n", refused, read, healed, salvaged,
           FLIPS * DAMAGE_RUNS);
    CHECK(refused < FLIPS / 10);
    CHECK(salvaged > 95 * (size_t)FLIPS * DAMAGE_RUNS / 100);
    free_expected();
    cells_free(&cell);
    cells_remove(folder);
}

int main(void)
{
    test_changed_rows();
    test_lost_sources();
    test_version_6();
    test_flipped_bits();
    test_round_trip();
    test_measures_later();
    test_identity();
    test_state();
    test_platform();
    test_nested_methods();
    test_refused_row();
    test_real_data();
    test_references_and_invocations();
    test_provenance();
    test_one_writer();
    test_foreign_files();
    return sp_check_done();
}
