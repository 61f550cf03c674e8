/* store.c -- what goes in comes out; what changed is named; one writer; a foreign or damaged file is left alone. */
#include "core/run/platform.h"
#include "core/store/provenance.h"
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
    r->value[0] = 2.385;
    r->reference = (sp_reference){ -0.123456789012345678, INFINITY, "multistart 8, 7 agree" };
    r->spent = (sp_bounds){ .epsilon = { NAN, 1.07, 0.98765432109876543 }, .best = 0.98765432109876543,
                            .bound = SP_BOUND_RDP, .order = 17.5 };
    r->cost = (sp_cost){ .gradients = 1e15 + 1.0, .differences = 3.0, .hessians = 5.0, .losses = 7.0, .releases = 11 };
    r->steps = 1234567890123;
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
    cell.cell_text[5] = '2';
    sp_run_identity(&cell, 0, b);
    CHECK(strcmp(a, b) != 0);
    cell.cell_text[5] = '1';
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

static void test_state(void)
{
    static const struct { const char *sql, *why; } changes[] = {
        { "UPDATE run SET algorithm = 'x'", "algorithm walk changed" },
        { "UPDATE run SET loss = 'x'", "loss pseudo_huber changed" },
        { "UPDATE run SET regulariser = 'x'", "regulariser l2 changed" },
        { "UPDATE run SET core = 'x'", "core changed" },
        { "UPDATE run SET data = 'x'", "data directions changed" },
        { "UPDATE measure SET source = 'x'", "measure first changed" },
        { "UPDATE run SET core = 'x', loss = 'x'", "loss pseudo_huber changed, core changed" },
    };
    char *folder = cells_folder();
    sp_store *store = NULL;
    sp_cell cell;
    sp_result result;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    cells_problem(&cell)->regulariser = sp_regulariser_find("l2");
    fill(&result, 1);
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    check_state(store, &cell, SP_RUN_MISSING, "");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
        check_state(store, &cell, SP_RUN_DONE, "");
        meddle(folder, changes[i].sql);
        check_state(store, &cell, SP_RUN_STALE, changes[i].why);
    }
    CHECK_EQUAL(sp_store_put(store, &cell, 0, &result, NULL), SP_OK);
    cells_problem(&cell)->generator = sp_generator_find("gaussian"); /* other records under the same text */
    check_state(store, &cell, SP_RUN_STALE, "data gaussian changed");
    cells_problem(&cell)->generator = &cells_generator;
    cell.measure[cell.measures++] = &second;
    check_state(store, &cell, SP_RUN_STALE, "measure second is new");
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
    meddle(folder, "UPDATE run SET core = 'x', platform = 'OpenBLAS kernels: SSE_MAXIMUM'");
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
    CHECK_EQUAL(meddle(folder, "SELECT dirty FROM invocation WHERE \"commit\" = 'x'"), 1);
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
    CHECK_EQUAL(meddle(folder, "SELECT min(length(\"commit\"), length(compiler), length(flags), length(blas_core), "
                               "length(cpu)) > 0 FROM invocation"), 1);
    CHECK_EQUAL(meddle(folder, "SELECT \"commit\" = 'unknown' OR length(\"commit\") = 40 FROM invocation"), 1);
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
    meddle(folder, "PRAGMA user_version = 7");
    for (int writer = 0; writer < 2; writer++) {
        CHECK_EQUAL(writer ? sp_store_open(folder, &store, &error) : sp_store_open_readonly(folder, &store, &error),
                    SP_EVERSION);
        CHECK_CONTAINS(error.text, path);
        CHECK_CONTAINS(error.text, "store version 7; this program reads 4");
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

int main(void)
{
    test_round_trip();
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
