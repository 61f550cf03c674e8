/* export.c -- the tables byte by byte against a hand-written one; reading them back; files and folders. */
#include "core/base/table.h"
#include "core/store/export.h"

#include "tests/cells.h"
#include "tests/check.h"

#include <stdbool.h>
#include <sys/stat.h>

static const sp_measure second = { .name = "a_second", .summary = "-", .unit = "-", .compute = cells_first };

static char *path_in(const char *folder, const char *name)
{
    return sp_format("%s/%s", folder, name);
}

static char *read_text(const char *folder, const char *name)
{
    char *path = path_in(folder, name);
    sp_text text = { 0 };
    FILE *file = fopen(path, "r");
    for (int c; file && (c = fgetc(file)) != EOF;)
        sp_text_append(&text, "%c", c);
    if (file)
        fclose(file);
    free(path);
    return text.data;
}

static void check_file(const char *folder, const char *name, const char *expected)
{
    char *text = read_text(folder, name);
    CHECK_TEXT(text ? text : "(no file)", expected);
    free(text);
}

static void check_contains(const char *folder, const char *name, const char *expected)
{
    char *text = read_text(folder, name);
    CHECK_CONTAINS(text ? text : "(no file)", expected);
    free(text);
}

static void remove_file(const char *folder, const char *name)
{
    char *path = path_in(folder, name);
    CHECK_EQUAL(remove(path), 0);
    free(path);
}

static void replace_text(const char *folder, const char *name, const char *text)
{
    char *path = path_in(folder, name);
    CHECK_EQUAL(sp_write_file(path, text, strlen(text), NULL), SP_OK);
    free(path);
}

static void put(sp_store *store, const sp_cell *cell, size_t replicate, double shift)
{
    sp_result r;
    sp_result_start(&r);
    r.value[0] = 0.1 + 0.2 + shift;
    r.value[1] = NAN;
    r.cost = (sp_cost){ .gradients = 1e6, .differences = 2.0, .hessians = 3.0, .losses = 4.0, .releases = 5 };
    r.steps = 9;
    r.resolved = sp_copy_text("steps=7:user");
    r.ledger = sp_copy_text("");
    r.seconds = 0.25;
    r.elapsed = 0.5;
    r.peak_memory = 4096;
    r.spent = (sp_bounds){ .epsilon = { 0.98, 1.07, NAN }, .best = cell->privacy.private ? 0.98 : INFINITY };
    if (cell->measures > 1)
        r.reference = (sp_reference){ .value = -2.5, .error = 0.0, .method = "closed" };
    r.traces = 2;
    r.trace = sp_alloc(2, sizeof *r.trace);
    r.trace[1] = (sp_trace_point){ .step = 9, .cost = r.cost, .seconds = 0.125, .value = { 2.385, INFINITY } };
    CHECK_EQUAL(sp_store_put(store, cell, replicate, &r, NULL), SP_OK);
    sp_result_free(&r);
}

static void put_failure(sp_store *store, const sp_cell *cell, size_t replicate)
{
    sp_result r;
    sp_result_start(&r);
    sp_result_fail(&r, SP_ECRASH, "tab\there, line\nthere, back\\slash");
    sp_result_warn(&r, "one");
    sp_result_warn(&r, "two");
    r.signal = 11;
    CHECK_EQUAL(sp_store_put(store, cell, replicate, &r, NULL), SP_OK);
    sp_result_free(&r);
}

static void test_tables(void)
{
    char *folder = cells_folder(), name[3][SP_RUN_NAME], expected[2048], reason[] = "does not\tfit";
    sp_store *store = NULL;
    sp_cell cell[3];
    sp_plan plan;
    cells_make(&cell[0], &cells_algorithm_walk, "walk 1");
    cells_make(&cell[1], &cells_algorithm_walk, "walk 2");
    cells_make(&cell[2], &cells_algorithm_walk, "walk 3");
    cell[0].replicates = 2;
    cell[0].privacy = (sp_privacy){ .private = true, .epsilon = 1.0, .delta = 1e-6, .noise = true };
    cells_free_axes(cell[1].part[SP_PART_PROBLEM]); /* another axis than cell 0 has */
    cell[1].part[SP_PART_PROBLEM] = cells_axis("algorithm.eta", "23", "");
    cell[1].measure[1] = &second;
    cell[1].measures = 2;
    cell[1].tuned = true;
    cell[2].skip = reason;
    cells_plan(&plan, cell, 3);
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    sp_provenance_row made = { .command = "stillpoint run a\tb.lua", .scale = "smoke", .script = "return {}",
                               .commit = "2385af", .compiler = "gcc", .flags = "-O3", .libraries = "gsl 2.7",
                               .blas_core = "Haswell", .cpu = "any", .started = "2026-11-21T10:00:00Z" };
    CHECK_EQUAL(sp_store_invocation(store, &made, NULL), SP_OK); /* nothing comes of it */
    made.started = "2026-11-21T10:01:00Z";
    made.dirty = true;
    CHECK_EQUAL(sp_store_invocation(store, &made, NULL), SP_OK);
    put(store, &cell[1], 2, 1.0); /* stored in another order than the plan's */
    put(store, &cell[0], 0, 0.0);
    put_failure(store, &cell[0], 1);
    CHECK_EQUAL(sp_export(&plan, store, folder, NULL, NULL), SP_OK);
    sp_run_name(&cell[0], 0, name[0]);
    sp_run_name(&cell[0], 1, name[1]);
    sp_run_name(&cell[1], 2, name[2]);

    /* in two columns of the measures and in F* the runs of each cell agree */
    check_file(folder, "cells.tsv",
               "cell\tsweep\tlabel\talgorithm\talgorithm.eta\tproblem.n\tseed\tprivate\tdelta\ttuned\tstart.a_second\t"
               "reference\treference_method\tpopulation_reference\tpopulation_reference_method\n"
               "1\tmain\twalk\twalk\t-\t23\t20240601\tyes\t1e-06\tno\t-\tNaN\t-\tNaN\t-\n"
               "2\tmain\twalk\twalk\t23\t-\t20240601\tno\t-\tyes\t0\t-2.5\tclosed\tNaN\t-\n");
    snprintf(expected, sizeof expected,
             "run\tcell\treplicate\tstatus\tmessage\ta_second\tfirst\tsignal\tstart.first\tepsilon_spent\tbound\t"
             "gradients\tdifferences\thessians\tlosses\treleases\tsteps\tresolved\twarning\n"
             "%s\t1\t0\tok\t-\t-\t0.30000000000000004\t0\t0\t0.98\tgauss\t1000000\t2\t3\t4\t5\t9\t"
             "steps=7:user\t-\n"
             "%s\t1\t1\tSP_ECRASH\ttab\\there, line\\nthere, back\\\\slash\t-\tNaN\t11\tNaN\tNaN\t-\t"
             "0\t0\t0\t0\t0\t0\t-\tone; two\n"
             "%s\t2\t2\tok\t-\tNaN\t1.3\t0\t0\tinf\t-\t1000000\t2\t3\t4\t5\t9\tsteps=7:user\t-\n",
             name[0], name[1], name[2]);
    check_file(folder, "runs.tsv", expected);
    snprintf(expected, sizeof expected,
             "run\tsweep\tlabel\treplicate\tstep\tgradients\tdifferences\thessians\tlosses\treleases\ta_second\tfirst\n"
             "%s\tmain\twalk\t0\t0\t0\t0\t0\t0\t0\t-\t0\n"
             "%s\tmain\twalk\t0\t9\t1000000\t2\t3\t4\t5\t-\t2.385\n"
             "%s\tmain\twalk\t2\t0\t0\t0\t0\t0\t0\t0\t0\n"
             "%s\tmain\twalk\t2\t9\t1000000\t2\t3\t4\t5\tinf\t2.385\n",
             name[0], name[0], name[2], name[2]);
    check_file(folder, "traces.tsv", expected);
    snprintf(expected, sizeof expected,
             "run\tsweep\tlabel\treplicate\tstep\tseconds\telapsed\tpeak_memory\n"
             "%s\tmain\twalk\t0\t-\t0.25\t0.5\t4096\n"
             "%s\tmain\twalk\t0\t0\t0\t-\t-\n"
             "%s\tmain\twalk\t0\t9\t0.125\t-\t-\n"
             "%s\tmain\twalk\t1\t-\t0\t0\t0\n"
             "%s\tmain\twalk\t2\t-\t0.25\t0.5\t4096\n"
             "%s\tmain\twalk\t2\t0\t0\t-\t-\n"
             "%s\tmain\twalk\t2\t9\t0.125\t-\t-\n",
             name[0], name[0], name[0], name[1], name[2], name[2], name[2]);
    check_file(folder, "timings.tsv", expected);
    check_file(folder, "provenance.tsv",
               "started\tcommit\tdirty\tscale\tcommand\tcompiler\tflags\tlibraries\tblas_core\tcpu\truns\n"
               "2026-11-21T10:01:00Z\t2385af\tyes\tsmoke\tstillpoint run a\\tb.lua\tgcc\t-O3\tgsl 2.7\tHaswell\tany\t3\n");
    check_file(folder, "skipped.tsv", "sweep\tlabel\talgorithm\talgorithm.eta\tproblem.n\treason\n"
                                      "main\twalk\twalk\t-\t23\tdoes not\\tfit\n");

    /* who has made the same tables again has not made them; who asks what the store holds is told */
    made.started = "2026-11-21T10:02:00Z";
    CHECK_EQUAL(sp_store_invocation(store, &made, NULL), SP_OK);
    put(store, &cell[0], 0, 0.0);
    put_failure(store, &cell[0], 1);
    put(store, &cell[1], 2, 1.0);
    bool same = false;
    remove_file(folder, "traces.tsv"); /* it is not in git */
    CHECK_EQUAL(sp_export(&plan, store, folder, &same, NULL), SP_OK);
    CHECK(same);
    check_contains(folder, "provenance.tsv", "2026-11-21T10:01:00Z\t");
    static const char *const files[] = { "cells.tsv", "runs.tsv", "skipped.tsv", "traces.tsv" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) { /* a byte less, a byte more, no file */
        char *whole = read_text(folder, files[i]), *more = sp_format("%s\n", whole);
        for (size_t k = 0; k < 3; k++) {
            CHECK_EQUAL(sp_export(&plan, store, folder, NULL, NULL), SP_OK);
            check_contains(folder, "provenance.tsv", "2026-11-21T10:02:00Z\t");
            replace_text(folder, "provenance.tsv", "first");
            if (k < 2)
                replace_text(folder, files[i], k == 0 ? whole + 1 : more);
            else
                remove_file(folder, files[i]);
            CHECK_EQUAL(sp_export(&plan, store, folder, &same, NULL), SP_OK);
            CHECK_EQUAL(same, i == 3 && k == 2);
            check_file(folder, files[i], whole);
            check_contains(folder, "provenance.tsv", same ? "first" : "2026-11-21T10:02:00Z\t");
        }
        free(whole);
        free(more);
    }
    /* a table that somebody has packed stays so, byte for byte, as long as it holds what would be written */
    CHECK_EQUAL(sp_export(&plan, store, folder, NULL, NULL), SP_OK);
    char *runs = read_text(folder, "runs.tsv"), *pack = sp_format("gzip -1n '%s/runs.tsv' '%s/skipped.tsv'", folder, folder);
    char *packed = path_in(folder, "runs.tsv.gz"), *moved = path_in(folder, "moved");
    CHECK_EQUAL(system(pack), 0);
    replace_text(folder, "provenance.tsv", "first");
    CHECK_EQUAL(link(packed, moved), 0);
    CHECK_EQUAL(sp_export(&plan, store, folder, &same, NULL), SP_OK);
    CHECK(same);
    check_file(folder, "provenance.tsv", "first");
    check_file(folder, "runs.tsv", "(no file)");
    struct stat before, after;
    CHECK(stat(packed, &after) == 0 && stat(moved, &before) == 0 && before.st_ino == after.st_ino);
    CHECK_EQUAL(unlink(moved), 0);
    replace_text(folder, "runs.tsv", "another"); /* no more than one of them is current */
    CHECK_EQUAL(sp_export(&plan, store, folder, &same, NULL), SP_OK);
    CHECK(!same);
    check_file(folder, "runs.tsv", runs);
    check_file(folder, "runs.tsv.gz", "(no file)");
    replace_text(folder, "runs.tsv.gz", "no gzip");
    remove_file(folder, "runs.tsv");
    CHECK_EQUAL(sp_export(&plan, store, folder, &same, NULL), SP_OK);
    CHECK(!same);
    check_file(folder, "runs.tsv", runs);
    check_file(folder, "runs.tsv.gz", "(no file)");
    free(runs);
    free(pack);
    free(packed);
    free(moved);
    remove_file(folder, "provenance.tsv");
    CHECK_EQUAL(sp_export(&plan, store, folder, &same, NULL), SP_OK);
    CHECK(!same);
    check_contains(folder, "provenance.tsv", "2026-11-21T10:02:00Z\t");

    /* without skips there is no such table; noise off is said */
    cell[0].privacy.noise = false;
    cells_plan(&plan, cell, 2);
    CHECK_EQUAL(sp_export(&plan, store, folder, NULL, NULL), SP_OK);
    check_file(folder, "skipped.tsv", "(no file)");
    check_file(folder, "skipped.tsv.gz", "(no file)");
    char *cells = read_text(folder, "cells.tsv");
    CHECK_CONTAINS(cells, "\tnoise_off\t");
    free(cells);

    /* and what was written reads back, a run with the columns of its cell */
    sp_table table, group;
    sp_error error = { 0 };
    size_t *row_of;
    char *path[] = { path_in(folder, "runs.tsv"), path_in(folder, "cells.tsv") };
    CHECK_EQUAL(sp_table_read(path[0], &table, NULL), SP_OK);
    CHECK_EQUAL(sp_table_read(path[1], &group, NULL), SP_OK);
    CHECK_EQUAL(table.rows, 3);
    CHECK_EQUAL(table.columns, 19);
    const size_t first = sp_table_column(&table, "first");
    CHECK(sp_table_number(&table, 0, first) == 0.1 + 0.2);
    CHECK(isnan(sp_table_number(&table, 1, first)));
    CHECK(isinf(sp_table_number(&table, 2, sp_table_column(&table, "epsilon_spent"))));
    CHECK_TEXT(sp_table_text(&table, 1, sp_table_column(&table, "status")), "SP_ECRASH");
    CHECK_TEXT(sp_table_text(&table, 1, sp_table_column(&table, "message")), "tab\there, line\nthere, back\\slash");
    CHECK_TEXT(sp_table_text(&table, 2, table.columns - 1), "-");
    CHECK(sp_table_empty(&table, 2, table.columns - 1) && !sp_table_empty(&table, 1, table.columns - 1));
    CHECK_EQUAL(sp_table_column(&table, "nowhere"), table.columns);
    CHECK(isnan(sp_table_number(&table, 0, 0)));
    CHECK_EQUAL(sp_table_join(&table, &group, "cell", "here", &row_of, &error), SP_OK);
    CHECK_EQUAL(table.columns, 19 + 15 - 1);
    CHECK(row_of[0] == 0 && row_of[1] == 0 && row_of[2] == 1);
    CHECK_TEXT(sp_table_text(&table, 1, sp_table_column(&table, "problem.n")), "23");
    CHECK_TEXT(sp_table_text(&table, 2, sp_table_column(&table, "algorithm.eta")), "23");
    CHECK(sp_table_empty(&table, 2, sp_table_column(&table, "problem.n")));
    CHECK_TEXT(sp_table_text(&table, 2, sp_table_column(&table, "reference")), "-2.5");
    CHECK_TEXT(sp_table_text(&table, 2, sp_table_column(&table, "run")), name[2]);
    free(row_of);
    CHECK_EQUAL(sp_table_join(&table, &group, "run", "here", &row_of, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "here: no column run");
    CHECK_EQUAL(sp_table_join(&table, &group, "cell", "here", &row_of, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "here: column sweep stands in both tables");
    CHECK(row_of == NULL && table.rows == 3);
    sp_table_free(&table);
    sp_table_free(&group);
    free(path[0]);
    free(path[1]);

    sp_store_close(store);
    for (size_t i = 0; i < 3; i++)
        cells_free(&cell[i]);
    cells_remove(folder);
}

/* The column handover is there where some method hands over; NaN where one does not. */
static void test_hand_over(void)
{
    char *folder = cells_folder();
    const sp_algorithm over = { .name = "over", .hands_over = "first" };
    sp_store *store = NULL;
    sp_cell cell[2];
    sp_plan plan;
    cells_make(&cell[0], &over, "over 1");
    cells_make(&cell[1], &cells_algorithm_walk, "walk 1");
    cell[0].replicates = 2;
    cells_plan(&plan, cell, 2);
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    for (size_t k = 0; k < 3; k++) {
        sp_result r;
        sp_result_start(&r);
        r.steps = 9;
        r.handover = k < 2 ? 3.0 + (double)k : NAN;
        r.resolved = sp_copy_text("");
        r.ledger = sp_copy_text("");
        CHECK_EQUAL(sp_store_put(store, &cell[k / 2], k % 2, &r, NULL), SP_OK);
        sp_result_free(&r);
    }
    CHECK_EQUAL(sp_export(&plan, store, folder, NULL, NULL), SP_OK);
    char *runs = read_text(folder, "runs.tsv");
    CHECK_CONTAINS(runs, "\thandover\n");
    for (size_t k = 0; k < 3; k++)
        CHECK_CONTAINS(runs, k == 0 ? "\t3\n" : k == 1 ? "\t4\n" : "\tNaN\n");
    free(runs);
    sp_store_close(store);
    for (size_t i = 0; i < 2; i++)
        cells_free(&cell[i]);
    cells_remove(folder);
}

static sp_status read_table(const char *folder, const char *text, sp_table *table, sp_error *error)
{
    char *path = path_in(folder, "table.tsv");
    CHECK_EQUAL(sp_write_file(path, text, strlen(text), NULL), SP_OK);
    const sp_status status = sp_table_read(path, table, error);
    free(path);
    return status;
}

static void test_reading(void)
{
    char *folder = cells_folder(), *path = path_in(folder, "table.tsv");
    sp_table table;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_table_read(path, &table, &error), SP_EABSENT);
    CHECK_CONTAINS(error.text, path);
    CHECK_EQUAL(sp_table_read(folder, &table, &error), SP_EIO);

    CHECK_EQUAL(read_table(folder, "a\tb\n1\t2\n\t\n", &table, NULL), SP_OK);
    CHECK_EQUAL(table.rows, 2);
    CHECK_TEXT(sp_table_text(&table, 0, 1), "2");
    CHECK_TEXT(sp_table_text(&table, 1, 0), "");
    sp_table_free(&table);
    CHECK_EQUAL(read_table(folder, "a\tb\n-1.5\tx", &table, NULL), SP_OK); /* no last line end */
    CHECK_EQUAL(table.rows, 1);
    CHECK(sp_table_number(&table, 0, 0) == -1.5);
    CHECK_TEXT(sp_table_text(&table, 0, 1), "x");
    sp_table_free(&table);
    CHECK_EQUAL(read_table(folder, "a", &table, NULL), SP_OK);
    CHECK_EQUAL(table.rows, 0);
    CHECK_EQUAL(table.columns, 1);
    sp_table_free(&table);

    static const char *const ragged[] = { "a\tb\n1\t2\n1\n", "a\tb\n1\t2\n1\t2\t3\n" };
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQUAL(read_table(folder, ragged[i], &table, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, "table.tsv:3: not 2 fields");
        CHECK(table.bytes == NULL && table.cell == NULL);
    }
    CHECK_EQUAL(read_table(folder, "", &table, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "empty");
    free(path);
    cells_remove(folder);
}

/* Every text without a zero byte comes back, and is told from nothing. */
static void test_texts(void)
{
    enum { ROWS = 400, COLUMNS = 3, LENGTH = 12 };
    static const char *const special[] = { "", "-", "--", "=1+2", "=\t1", "+a", "-a", "-2,-1", "@a", "\\=", "-2.385",
                                           "+1", "\\-", "\\", "\\\\", "\t", "\n", "\r", "a\\tb", "-\n", "NaN", " ", NULL };
    static const char bytes[] = "\t\n\r\\-=tnr ab\xC3\xA9\x01\xFF";
    char *folder = cells_folder(), text[ROWS * COLUMNS][LENGTH + 1];
    sp_text written = { 0 };
    sp_table table;
    sp_error error = { 0 };
    unsigned state = 2385;
    sp_text_append(&written, "a\tb\\\\\tc\n");
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        const bool listed = i < sizeof special / sizeof *special;
        for (size_t k = 0; k < LENGTH; k++)
            text[i][k] = bytes[(state = state * 1103515245u + 12345u) / 65536u % (sizeof bytes - 1)];
        text[i][state / 4096u % (LENGTH + 1)] = '\0';
        if (listed && special[i])
            strcpy(text[i], special[i]);
        sp_table_write(&written, listed && !special[i] ? NULL : text[i]);
        sp_text_append(&written, i % COLUMNS + 1 < COLUMNS ? "\t" : "\n");
    }
    CHECK_EQUAL(read_table(folder, written.data, &table, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    CHECK_EQUAL(table.rows, ROWS);
    CHECK_EQUAL(sp_table_column(&table, "b\\"), 1);
    sp_text again = { 0 };
    sp_text_append(&again, "a\tb\\\\\tc\n");
    for (size_t i = 0; i < table.rows * COLUMNS; i++) {
        const bool nothing = i + 1 == sizeof special / sizeof *special;
        CHECK(sp_table_empty(&table, i / COLUMNS, i % COLUMNS) == nothing);
        CHECK_TEXT(sp_table_text(&table, i / COLUMNS, i % COLUMNS), nothing ? "-" : text[i]);
        sp_table_copy(&again, &table, i / COLUMNS, i % COLUMNS);
        sp_text_append(&again, i % COLUMNS + 1 < COLUMNS ? "\t" : "\n");
    }
    CHECK_TEXT(again.data, written.data);
    CHECK(!strstr(written.data, "\t=") && !strstr(written.data, "\n=") && !strstr(written.data, "\t@"));
    sp_table_free(&table);
    sp_text_free(&written);
    sp_text_free(&again);

    static const char *const bad[] = { "a\tb\n1\t\\x\n", "a\tb\n1\t\\\n", "a\tb\n\\-1\t2\n" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQUAL(read_table(folder, bad[i], &table, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, "table.tsv:2: a backslash");
    }
    char *path = path_in(folder, "table.tsv");
    CHECK_EQUAL(sp_write_file(path, "a\tb\n1\t\0\n", 9, NULL), SP_OK);
    CHECK_EQUAL(sp_table_read(path, &table, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "a zero byte at 6");
    free(path);
    cells_remove(folder);
}

static void test_files(void)
{
    char *folder = cells_folder(), *deep = path_in(folder, "a/b//c/"), *file = path_in(folder, "a/b/c/file");
    char *below = path_in(folder, "a/b/c/file/below"), *name = path_in(folder, "a/b/c/file/name");
    struct stat found;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_write_file(file, "x", 1, &error), SP_EIO);
    CHECK_CONTAINS(error.text, file);
    CHECK_CONTAINS(error.text, "No such file");
    CHECK_EQUAL(sp_make_directory(deep, &error), SP_OK);
    CHECK_EQUAL(sp_make_directory(deep, &error), SP_OK);
    CHECK(stat(deep, &found) == 0 && S_ISDIR(found.st_mode));
    CHECK_EQUAL(sp_make_directory("/", &error), SP_OK);
    CHECK_EQUAL(sp_write_file(file, "first", 5, &error), SP_OK);
    CHECK_EQUAL(sp_write_file(file, "and last", 8, &error), SP_OK);
    check_file(folder, "a/b/c/file", "and last");
    CHECK_EQUAL(sp_make_directory(below, &error), SP_EIO); /* a file stands in the way */
    CHECK_CONTAINS(error.text, "file");
    CHECK_EQUAL(sp_write_file(name, "x", 1, &error), SP_EIO);
    CHECK_EQUAL(sp_write_file(deep, "x", 1, &error), SP_EIO); /* a folder stands in the way */
    check_file(folder, "a/b/c/file", "and last");
    CHECK_EQUAL(sp_write_file(folder, "x", 1, &error), SP_EIO);
    char *left = sp_format("%s.new", folder);
    CHECK(access(left, F_OK) != 0); /* nothing half written stays */
    free(left);
    free(name);
    free(below);
    free(file);
    free(deep);
    cells_remove(folder);
}

int main(void)
{
    test_tables();
    test_hand_over();
    test_reading();
    test_texts();
    test_files();
    return sp_check_done();
}
