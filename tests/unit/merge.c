/* merge.c -- rows of one store brought into another: what comes out is what went in, any number of times; the same run
 * with another result, and a reference value with other bytes, are refused with both files named. */
#include "core/cluster/merge.h"
#include "core/store/store_internal.h"

#include "tests/cells.h"
#include "tests/check.h"

#include <sys/stat.h>

static sp_cell cell;

static sp_store *open_store_at(const char *folder, const char *script, const char *started)
{
    static char word[] = "-", commit[] = "0a1b2c3d4e5f";
    sp_store *store = NULL;
    const sp_provenance_row row = { .command = word, .scale = word, .script = (char *)script, .commit = commit,
                                    .compiler = word, .flags = word, .libraries = word, .blas_core = word, .cpu = word,
                                    .started = (char *)started };
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_invocation(store, &row, NULL), SP_OK);
    return store;
}

static sp_store *open_store(const char *folder, const char *script)
{
    return open_store_at(folder, script, "-");
}

/* value: of the measure; traces, each with the value of the measure there. NAN: the run failed. */
static void put(sp_store *store, size_t replicate, double value, size_t traces, double seconds)
{
    sp_result r;
    sp_result_start(&r);
    r.value[0] = value;
    if (isnan(value))
        sp_result_fail(&r, SP_ELIMIT, "too slow");
    r.resolved = sp_copy_text("eta=0.385:theory");
    r.ledger = sp_copy_text("");
    r.seconds = r.elapsed = seconds;
    r.traces = traces;
    r.trace = traces ? sp_alloc(traces, sizeof *r.trace) : NULL;
    for (size_t i = 0; i < traces; i++)
        r.trace[i] = (sp_trace_point){ .step = i + 1, .seconds = seconds, .value = { value + (double)i } };
    CHECK_EQUAL(sp_store_put(store, &cell, replicate, &r, NULL), SP_OK);
    sp_result_free(&r);
}

static void check_run(sp_store *store, size_t replicate, double value, size_t traces)
{
    sp_result r;
    sp_error error = { 0 };
    SP_CHECK_REPORT(sp_store_get(store, &cell, replicate, &r, &error) == SP_OK, "%s", error.text);
    CHECK_NEAR(r.value[0], value, 0.0);
    CHECK_EQUAL(r.traces, traces);
    for (size_t i = 0; i < r.traces; i++)
        CHECK_NEAR(r.trace[i].value[0], value + (double)i, 0.0);
    sp_result_free(&r);
}

/* Saves `from` as a shard and merges it into `into`. */
static sp_status merge(sp_store *into, sp_store *from, const char *script, sp_merged *done, sp_error *error)
{
    CHECK_EQUAL(sp_store_save(from, "shards/1-of-1.sqlite", NULL), SP_OK);
    return sp_store_merge(into, "shards", "1-of-1.sqlite", script, done, error);
}

static void rows_go_over(void)
{
    sp_merged done;
    sp_error error = { 0 };
    sp_store *one = open_store("one", "s"), *two = open_store("two", "s");
    for (size_t r = 0; r < 3; r++)
        put(one, r, 2.385 + (double)r, r, 0.1);
    for (size_t r = 2; r < 6; r++) /* one that both have, made on a slower machine */
        put(two, r, 2.385 + (double)r, r, 7.5);
    for (size_t times = 0; times < 3; times++) {
        SP_CHECK_REPORT(merge(one, two, "s", &done, &error) == SP_OK, "%s", error.text);
        CHECK_EQUAL(done.brought, times == 0 ? 3 : 0);
        CHECK_EQUAL(done.there, times == 0 ? 1 : 4);
        CHECK_EQUAL(done.replaced, 0);
    }
    sp_store_close(one);
    CHECK_EQUAL(sp_store_open_readonly("one", &one, &error), SP_OK);
    for (size_t r = 0; r < 6; r++)
        check_run(one, r, 2.385 + (double)r, r);
    sp_store_close(one);
    sp_store_close(two);
}

static void success_stands(void)
{
    sp_merged done;
    sp_store *one = open_store("three", "s"), *two = open_store("four", "s");
    put(one, 0, NAN, 0, 0.1);
    put(one, 1, 1.5, 2, 0.1);
    put(two, 0, 2.385, 1, 0.1);
    put(two, 1, NAN, 0, 0.1);
    CHECK_EQUAL(merge(one, two, NULL, &done, NULL), SP_OK);
    CHECK_EQUAL(done.replaced, 1);
    CHECK_EQUAL(done.there, 1);
    check_run(one, 0, 2.385, 1);
    check_run(one, 1, 1.5, 2);
    sp_store_close(one);
    sp_store_close(two);
}

/* Tables hold no traces: a row that came from them is replaced, and no other way round. */
static void traces_stand(void)
{
    sp_merged done;
    sp_result r;
    sp_store *one = open_store("untraced", "s"), *two = open_store("traced", "s");
    put(two, 0, 2.385, 3, 0.1);
    sp_result_start(&r);
    r.value[0] = 2.385;
    r.resolved = sp_copy_text("eta=0.385:theory");
    r.ledger = sp_copy_text("");
    r.untraced = 1;
    CHECK_EQUAL(sp_store_put(one, &cell, 0, &r, NULL), SP_OK);
    sp_result_free(&r);
    CHECK_EQUAL(merge(two, one, NULL, &done, NULL), SP_OK);
    CHECK_EQUAL(done.replaced, 0);
    CHECK_EQUAL(merge(one, two, NULL, &done, NULL), SP_OK);
    CHECK_EQUAL(done.replaced, 1);
    check_run(one, 0, 2.385, 3);
    check_run(two, 0, 2.385, 3);
    sp_store_close(one);
    sp_store_close(two);
}

/* Another value; another trace; another number of trace points. The runs before it are not brought, either. */
static void conflicts_are_refused(void)
{
    static const struct { double value; size_t traces; const char *what; } other[] = {
        { 2.5, 2, "table measure" }, { 2.385, 3, "table trace" }
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        sp_merged done;
        sp_error error = { 0 };
        char name[SP_RUN_NAME], folder[2][16];
        for (size_t k = 0; k < 2; k++)
            snprintf(folder[k], sizeof folder[k], "c%zu%zu", i, k);
        sp_store *one = open_store(folder[0], "s"), *two = open_store(folder[1], "s");
        put(one, 4, 2.385, 2, 0.1);
        put(two, 0, 1.0, 0, 0.1);
        put(two, 4, other[i].value, other[i].traces, 0.1);
        CHECK_EQUAL(merge(one, two, "s", &done, &error), SP_EDATA);
        sp_run_name(&cell, 4, name);
        CHECK(strstr(error.text, name) && strstr(error.text, "shards/1-of-1.sqlite") && strstr(error.text, folder[0]));
        SP_CHECK_REPORT(strstr(error.text, other[i].what) != NULL, "%s", error.text);
        sp_store_close(one);
        sp_store_close(two);
        sp_result r;
        CHECK_EQUAL(sp_store_open_readonly(folder[0], &one, NULL), SP_OK);
        CHECK_EQUAL(sp_store_get(one, &cell, 0, &r, NULL), SP_EABSENT);
        check_run(one, 4, 2.385, 2);
        sp_store_close(one);
    }
}

/* The first column of the first row of what SQL asks of a file; -1: there is none. */
static long ask(const char *file, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *at = NULL;
    long out = -1;
    CHECK_EQUAL(sqlite3_open(file, &db), SQLITE_OK);
    CHECK_EQUAL(sqlite3_prepare_v2(db, sql, -1, &at, NULL), SQLITE_OK);
    if (sqlite3_step(at) == SQLITE_ROW)
        out = sqlite3_column_int(at, 0);
    sqlite3_finalize(at);
    sqlite3_close(db);
    return out;
}

/* A value that somebody has changed, and rows that are gone, in each table: the file is named, and nothing is
 * brought. */
static void damage_is_found(void)
{
    static const char *const damage[] = {
        "UPDATE run SET epsilon = 0.5 WHERE replicate = 2",      "UPDATE run SET message = 'fine' WHERE replicate = 2",
        "UPDATE measure SET value = 2.5 WHERE run = 3",          "UPDATE trace SET gradients = 7 WHERE run = 3",
        "UPDATE trace_measure SET value = 2.5 WHERE run = 3",    "DELETE FROM measure WHERE run = 3",
        "DELETE FROM trace WHERE run = 3 AND step = 2",          "DELETE FROM trace_measure WHERE run = 3 AND step = 1",
        "DELETE FROM run WHERE replicate = 3",
                          "UPDATE run SET status = 'SP_ELIMIT' WHERE replicate = 2",
        "UPDATE run SET answers = 7 WHERE replicate = 2",        "UPDATE run SET identity = 'none' WHERE replicate = 2",
        "UPDATE run SET invocation = 7 WHERE replicate = 2",     "UPDATE run SET seconds = 'many' WHERE replicate = 2",
        "UPDATE run SET resolved = NULL WHERE replicate = 2",    "UPDATE run SET id = 9 WHERE replicate = 3",
        "UPDATE measure SET value = NULL WHERE run = 3",         "UPDATE measure SET name = x'66' WHERE run = 3",
        "INSERT INTO trace SELECT run, 9, 0, 0, 0, 0, 0, 0, checksum FROM trace WHERE run = 3 AND step = 1",
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        sp_merged done;
        sp_result r;
        sp_error error = { 0 };
        char folder[2][16];
        for (size_t k = 0; k < 2; k++)
            snprintf(folder[k], sizeof folder[k], "d%zu%zu", i, k);
        sp_store *one = open_store(folder[0], "s"), *two = open_store(folder[1], "s");
        put(one, 0, 1.5, 1, 0.1);
        for (size_t replicate = 0; replicate < 4; replicate++)
            put(two, replicate, 1.5 + (double)replicate, 1 + replicate, 0.1);
        CHECK_EQUAL(sp_store_save(two, "shards/1-of-1.sqlite", NULL), SP_OK);
        ask("shards/1-of-1.sqlite", "PRAGMA journal_mode = DELETE");
        CHECK_EQUAL(ask("shards/1-of-1.sqlite", damage[i]), -1);
        CHECK_EQUAL(sp_store_expect(one, true, NULL), SP_OK);
        SP_CHECK_REPORT(sp_store_merge(one, "shards", "1-of-1.sqlite", "s", &done, &error) == SP_EDATA, "%s",
                        damage[i]);
        CHECK_EQUAL(sp_store_expect(one, false, NULL), SP_OK);
        SP_CHECK_REPORT(strstr(error.text, "shards/1-of-1.sqlite") && strstr(error.text, "damaged"), "%s: %s",
                        damage[i], error.text);
        sp_store_close(one);
        sp_store_close(two);
        CHECK_EQUAL(sp_store_open_readonly(folder[0], &one, NULL), SP_OK);
        check_run(one, 0, 1.5, 1);
        CHECK_EQUAL(sp_store_get(one, &cell, 1, &r, NULL), SP_EABSENT);
        sp_store_close(one);
    }
}

/* Without a log, as long as nobody reads: the same rows, none left of what was replaced, and a log afterwards. */
static void much_is_brought(void)
{
    for (size_t reads = 0; reads < 2; reads++) {
        const char *const folder[] = { reads ? "m0" : "m1", reads ? "m2" : "m3" };
        char file[32];
        sp_merged done;
        sp_error error = { 0 };
        sp_store *one = open_store(folder[0], "s"), *two = open_store(folder[1], "s"), *reader = NULL;
        snprintf(file, sizeof file, "%s/store.sqlite", folder[0]);
        put(one, 0, NAN, 3, 0.1);
        put(two, 0, 2.385, 2, 0.1);
        put(two, 1, 3.5, 0, 0.1);
        if (reads)
            CHECK_EQUAL(sp_store_open_readonly(folder[0], &reader, NULL), SP_OK);
        CHECK_EQUAL(sp_store_expect(one, true, NULL), SP_OK);
        SP_CHECK_REPORT(merge(one, two, "s", &done, &error) == SP_OK, "%s", error.text);
        CHECK_EQUAL(done.replaced, 1);
        CHECK_EQUAL(done.brought, 1);
        sp_store_close(reader);
        CHECK_EQUAL(sp_store_expect(one, false, NULL), SP_OK);
        put(one, 2, 4.5, 1, 0.1);
        sp_store_close(one);
        sp_store_close(two);
        CHECK_EQUAL(sp_store_open_readonly(folder[0], &one, NULL), SP_OK);
        check_run(one, 0, 2.385, 2);
        check_run(one, 1, 3.5, 0);
        check_run(one, 2, 4.5, 1);
        sp_store_close(one);
        CHECK_EQUAL(ask(file, "SELECT count(*) FROM trace"), 3);
        CHECK_EQUAL(ask(file, "SELECT count(*) FROM measure"), 3);
        CHECK_EQUAL(ask(file, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1);
    }
}

static void references_agree(void)
{
    double point[] = { 0.5, 0.25 };
    const sp_reference value = { .value = 2.385, .error = 1e-9, .method = "by hand", .minimiser = point, .d = 2 };
    sp_reference other = value, got = { 0 };
    sp_merged done;
    sp_error error = { 0 };
    sp_store *one = open_store("five", "s"), *two = open_store("six", "s");
    CHECK_EQUAL(sp_store_put_reference(two, "key", &value, NULL), SP_OK);
    CHECK_EQUAL(merge(one, two, "s", &done, NULL), SP_OK);
    CHECK_EQUAL(merge(one, two, "s", &done, NULL), SP_OK);
    CHECK_EQUAL(sp_store_get_reference(one, "key", &got, NULL), SP_OK);
    CHECK(got.value == 2.385 && got.d == 2 && got.minimiser[1] == 0.25);
    sp_reference_free(&got);
    other.value = nextafter(2.385, 3.0);
    CHECK_EQUAL(sp_store_put_reference(two, "key", &other, NULL), SP_OK);
    CHECK_EQUAL(merge(one, two, "s", &done, &error), SP_EDATA);
    CHECK(strstr(error.text, "shards/1-of-1.sqlite") && strstr(error.text, "five/store.sqlite"));
    sp_store_close(one);
    sp_store_close(two);
}

/* Nodes whose clocks say 1970 and 2099: who made what keeps its own time, results are what they are. */
static void see_started(void *context, const sp_provenance_row *row, uint64_t runs)
{
    size_t *seen = context;
    *seen += strcmp(row->started, "1970-01-01T00:00:00Z") == 0 ? runs : 0;
    *seen += strcmp(row->started, "2099-12-31T23:59:59Z") == 0 ? 10 * runs : 0;
}

static void clocks_differ(void)
{
    sp_merged done;
    sp_error error = { 0 };
    size_t seen = 0;
    sp_store *one = open_store_at("past", "s", "1970-01-01T00:00:00Z");
    sp_store *two = open_store_at("future", "s", "2099-12-31T23:59:59Z");
    for (size_t r = 0; r < 3; r++)
        put(one, r, 2.385, 1, 0.1);
    for (size_t r = 2; r < 4; r++)
        put(two, r, 2.385, 1, 0.1);
    SP_CHECK_REPORT(merge(one, two, "s", &done, &error) == SP_OK, "%s", error.text);
    CHECK_EQUAL(done.brought, 1);
    CHECK_EQUAL(done.there, 1);
    CHECK_EQUAL(sp_store_invocations(one, see_started, &seen, NULL), SP_OK);
    CHECK_EQUAL(seen, 3 + 10 * 1);
    sp_store_close(one);
    sp_store_close(two);
}

/* By a program whose core is another one's: named with its commit, and nothing is brought, until it is made again. */
static void another_core_is_refused(void)
{
    sp_merged done;
    sp_result r;
    sp_error error = { 0 };
    const char *text[ANSWER_TEXTS];
    size_t position;
    sp_store *one = open_store("nine", "s"), *two = open_store("ten", "s");
    put(two, 0, 2.385, 0, 0.1);
    for (size_t i = 0; i < ANSWER_TEXTS; i++)
        text[i] = two->answers[0].text[i];
    text[CORE] = "0123456789abcdef";
    CHECK_EQUAL(sp_fingerprints_keep(two, text, &position, NULL), SP_OK);
    CHECK_EQUAL(sp_store_get(two, &cell, 0, &r, NULL), SP_OK);
    r.value[0] = 3.5;
    CHECK_EQUAL(sp_store_put_row(two, &cell, 1, &r, position, two->invocation, NULL), SP_OK);
    sp_result_free(&r);
    CHECK_EQUAL(merge(one, two, "s", &done, &error), SP_EVERSION);
    SP_CHECK_REPORT(strstr(error.text, "shards/1-of-1.sqlite was made by another program (commit 0a1b2c3d4e5f)"), "%s",
                    error.text);
    CHECK_EQUAL(sp_store_get(one, &cell, 0, &r, NULL), SP_EABSENT);
    put(two, 1, 4.5, 0, 0.1);
    SP_CHECK_REPORT(merge(one, two, "s", &done, &error) == SP_OK, "%s", error.text);
    check_run(one, 0, 2.385, 0);
    check_run(one, 1, 4.5, 0);
    sp_store_close(one);
    sp_store_close(two);
}

static void makers_are_asked(void)
{
    sp_merged done;
    sp_error error = { 0 };
    sp_store *one = open_store("seven", "s"), *two = open_store("eight", "t");
    put(two, 0, 1.0, 0, 0.1);
    CHECK_EQUAL(merge(one, two, "s", &done, &error), SP_EVERSION);
    CHECK(strstr(error.text, "another script"));
    CHECK_EQUAL(sp_store_merge(one, "shards", "2-of-2.sqlite", "s", &done, &error), SP_EABSENT);
    sp_store_close(one);
    sp_store_close(two);
}

/* Which task a file is, what made it last says: nothing where that wrote nothing down. */
static void tasks_are_named(void)
{
    static const sp_task_row wrote = { "17/200", "0123", "4567" };
    sp_task_row read;
    sp_error error = { 0 };
    sp_store *store = open_store("tasks", "s");
    CHECK_EQUAL(sp_store_get_task(store, &read, NULL), SP_OK);
    CHECK_TEXT(read.shard, "");
    CHECK_EQUAL(sp_store_put_task(store, &wrote, NULL), SP_OK);
    CHECK_EQUAL(sp_store_save(store, "shards/1-of-1.sqlite", NULL), SP_OK);
    CHECK_EQUAL(sp_store_mergeable("shards", "1-of-1.sqlite", "s", &read, &error), SP_OK);
    CHECK_TEXT(read.shard, wrote.shard);
    CHECK_TEXT(read.balance, wrote.balance);
    CHECK_TEXT(read.part, wrote.part);
    CHECK_EQUAL(ask("shards/1-of-1.sqlite", "UPDATE task SET part = '4568'"), -1);
    CHECK_EQUAL(sp_store_mergeable("shards", "1-of-1.sqlite", "s", &read, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "damaged");
    sp_store_close(store);
    store = open_store("tasks", "s"); /* once more, by who does not say */
    CHECK_EQUAL(sp_store_get_task(store, &read, NULL), SP_OK);
    CHECK_TEXT(read.shard, "");
    sp_store_close(store);
}

int main(void)
{
    char *folder = cells_folder();
    if (chdir(folder) != 0 || mkdir("shards", 0700) != 0)
        return 1;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    rows_go_over();
    success_stands();
    traces_stand();
    conflicts_are_refused();
    damage_is_found();
    much_is_brought();
    references_agree();
    clocks_differ();
    another_core_is_refused();
    makers_are_asked();
    tasks_are_named();
    cells_free(&cell);
    if (chdir("..") != 0)
        return 1;
    cells_remove(folder);
    return sp_check_done();
}
