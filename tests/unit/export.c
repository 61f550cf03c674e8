/* export.c -- the tables byte by byte against a hand-written one, and where they are many blocks long against what the
 * runs were given; full disks, and memory that would not hold the tables; reading them back, whole and in parts; files
 * and folders. */
#include "core/base/table.h"
#include "core/export/export.h"

#include "tests/cells.h"
#include "tests/check.h"
#include "tests/room.h"
#include "tests/summed.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

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

static void check_summed(const char *folder, const char *name, const char *expected)
{
    char *text = summed(expected);
    check_file(folder, name, text);
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

/* Not by sp_write_file, which waits for the disk. */
static void replace_text(const char *folder, const char *name, const char *text)
{
    char *path = path_in(folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
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
    sp_result_warn(&r, sp_warning_bit(SP_WARNED_METHOD), "one");
    sp_result_warn(&r, sp_warning_bit(SP_WARNED_VACUOUS_BOUND), "two");
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
    cell[1].part[SP_PART_PROBLEM] = cells_axis("algorithm.eta", "23");
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
    check_summed(
        folder, "cells.tsv",
        "cell\tsweep\tlabel\talgorithm\talgorithm.eta\tproblem.n\tseed\tprivate\tdelta\ttuned\tstart.a_second\t"
        "reference\treference_method\tpopulation_reference\tpopulation_reference_method\tpromise\tpromise_at_start\t"
        "capped\tdiverged\tresolved.steps\n"
        "1\tmain\twalk\twalk 1\t-\t23\t20240601\tyes\t1e-06\tno\t-\tNaN\t-\tNaN\t-\tNaN\tNaN\t-\t-\t7\n"
        "2\tmain\twalk\twalk 2\t23\t-\t20240601\tno\t-\tyes\t0\t-2.5\tclosed\tNaN\t-\tNaN\tNaN\t-\t-\t7\n");
    snprintf(expected, sizeof expected,
             "run\tcell\treplicate\tstatus\tmessage\ta_second\tfirst\tsignal\tstart.first\tepsilon_spent\tbound\t"
             "gradients\tdifferences\thessians\tlosses\treleases\tsteps\tresolved\twarning\twarnings\n"
             "%s\t1\t0\tok\t-\t-\t0.30000000000000004\t0\t0\t0.98\tgauss\t1000000\t2\t3\t4\t5\t9\t"
             "steps=7:user\t-\t-\n"
             "%s\t1\t1\tSP_ECRASH\ttab\\there, line\\nthere, back\\\\slash\t-\tNaN\t11\tNaN\tNaN\t-\t"
             "0\t0\t0\t0\t0\t0\t-\tone; two\tmethod vacuous_bound\n"
             "%s\t2\t2\tok\t-\tNaN\t1.3\t0\t0\tinf\t-\t1000000\t2\t3\t4\t5\t9\tsteps=7:user\t-\t-\n",
             name[0], name[1], name[2]);
    check_summed(folder, "runs.tsv", expected);
    snprintf(expected, sizeof expected,
             "run\tsweep\tlabel\treplicate\tstep\tgradients\tdifferences\thessians\tlosses\treleases\ta_second\tfirst\n"
             "%s\tmain\twalk\t0\t0\t0\t0\t0\t0\t0\t-\t0\n"
             "%s\tmain\twalk\t0\t9\t1000000\t2\t3\t4\t5\t-\t2.385\n"
             "%s\tmain\twalk\t2\t0\t0\t0\t0\t0\t0\t0\t0\n"
             "%s\tmain\twalk\t2\t9\t1000000\t2\t3\t4\t5\tinf\t2.385\n",
             name[0], name[0], name[2], name[2]);
    check_summed(folder, "traces.tsv", expected);
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
    check_file(
        folder, "provenance.tsv",
        "started\tcommit\tdirty\tscale\tcommand\tcompiler\tflags\tlibraries\tblas_core\tcpu\truns\tmade\n"
        "2026-11-21T10:01:00Z\t2385af\tyes\tsmoke\tstillpoint run a\\tb.lua\tgcc\t-O3\tgsl 2.7\tHaswell\tany\t3\t1:0-1 "
        "2:2\n");
    check_file(folder, "skipped.tsv", "sweep\tlabel\talgorithm\talgorithm.eta\tproblem.n\treason\n"
                                      "main\twalk\twalk 3\t-\t23\tdoes not\\tfit\n");

    /* who has made the same tables again has not made them; who asks what the store holds is told */
    made.started = "2026-11-21T10:02:00Z";
    CHECK_EQUAL(sp_store_invocation(store, &made, NULL), SP_OK);
    put(store, &cell[0], 0, 0.0);
    put_failure(store, &cell[0], 1);
    put(store, &cell[1], 2, 1.0);
    bool same = false;
    remove_file(folder, "traces.tsv"); /* it is not in git */
    CHECK_EQUAL(sp_export_discarding(&plan, store, folder, &same, NULL), SP_OK);
    CHECK(same);
    check_contains(folder, "provenance.tsv", "2026-11-21T10:01:00Z\t");
    static const char *const files[] = { "cells.tsv", "runs.tsv", "skipped.tsv", "traces.tsv" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) { /* a byte less, a byte more, no file */
        char *whole = read_text(folder, files[i]), *more = sp_format("%s\n", whole);
        for (size_t k = 0; k < 3; k++) {
            CHECK_EQUAL(sp_export_discarding(&plan, store, folder, NULL, NULL), SP_OK);
            check_contains(folder, "provenance.tsv", "2026-11-21T10:02:00Z\t");
            replace_text(folder, "provenance.tsv", "first");
            if (k < 2)
                replace_text(folder, files[i], k == 0 ? whole + 1 : more);
            else
                remove_file(folder, files[i]);
            CHECK_EQUAL(sp_export_discarding(&plan, store, folder, &same, NULL), SP_OK);
            CHECK_EQUAL(same, i == 3 && k == 2);
            check_file(folder, files[i], whole);
            check_contains(folder, "provenance.tsv", same ? "first" : "2026-11-21T10:02:00Z\t");
        }
        free(whole);
        free(more);
    }
    /* a table that somebody has packed stays so, byte for byte, as long as it holds what would be written */
    CHECK_EQUAL(sp_export_discarding(&plan, store, folder, NULL, NULL), SP_OK);
    char *runs = read_text(folder, "runs.tsv"),
         *pack = sp_format("gzip -1n '%s/runs.tsv' '%s/skipped.tsv'", folder, folder);
    char *packed = path_in(folder, "runs.tsv.gz"), *moved = path_in(folder, "moved");
    CHECK_EQUAL(system(pack), 0);
    replace_text(folder, "provenance.tsv", "first");
    CHECK_EQUAL(link(packed, moved), 0);
    CHECK_EQUAL(sp_export_discarding(&plan, store, folder, &same, NULL), SP_OK);
    CHECK(same);
    check_file(folder, "provenance.tsv", "first");
    check_file(folder, "runs.tsv", "(no file)");
    struct stat before, after;
    CHECK(stat(packed, &after) == 0 && stat(moved, &before) == 0 && before.st_ino == after.st_ino);
    CHECK_EQUAL(unlink(moved), 0);
    replace_text(folder, "runs.tsv", "another"); /* no more than one of them is current */
    CHECK_EQUAL(sp_export_discarding(&plan, store, folder, &same, NULL), SP_OK);
    CHECK(!same);
    check_file(folder, "runs.tsv", runs);
    check_file(folder, "runs.tsv.gz", "(no file)");
    replace_text(folder, "runs.tsv.gz", "no gzip");
    remove_file(folder, "runs.tsv");
    CHECK_EQUAL(sp_export(&plan, store, folder, &same, NULL), SP_EDATA); /* which runs they held is not known */
    CHECK_EQUAL(sp_export_discarding(&plan, store, folder, &same, NULL), SP_OK);
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
    char *path[] = { path_in(folder, "runs.tsv"), path_in(folder, "cells.tsv") };
    CHECK_EQUAL(sp_table_read(path[0], &table, NULL), SP_OK);
    CHECK_EQUAL(sp_table_read(path[1], &group, NULL), SP_OK);
    CHECK_EQUAL(table.rows, 3);
    CHECK_EQUAL(table.columns, 20);
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
    CHECK_EQUAL(sp_table_join(&table, &group, "cell", "here", &error), SP_OK);
    CHECK_EQUAL(table.columns, 20 + 20 - 1);
    CHECK(table.group[0] == 0 && table.group[1] == 0 && table.group[2] == 1);
    CHECK_TEXT(sp_table_text(&table, 1, sp_table_column(&table, "problem.n")), "23");
    CHECK_TEXT(sp_table_text(&table, 2, sp_table_column(&table, "algorithm.eta")), "23");
    CHECK(sp_table_empty(&table, 2, sp_table_column(&table, "problem.n")));
    CHECK_TEXT(sp_table_text(&table, 2, sp_table_column(&table, "reference")), "-2.5");
    CHECK_TEXT(sp_table_text(&table, 2, sp_table_column(&table, "run")), name[2]);
    CHECK_EQUAL(sp_table_join(&table, &group, "run", "here", &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "here: no column run");
    CHECK_EQUAL(sp_table_join(&table, &group, "cell", "here", &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "here: column sweep stands in both tables");
    CHECK(table.rows == 3 && table.columns == 20 + 20 - 1);
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
    CHECK_CONTAINS(runs, "\thandover\tchecksum\n");
    for (size_t k = 0; k < 3; k++)
        CHECK_CONTAINS(runs, k == 0 ? "\t3\t" : k == 1 ? "\t4\t" : "\tNaN\t");
    free(runs);
    sp_store_close(store);
    for (size_t i = 0; i < 2; i++)
        cells_free(&cell[i]);
    cells_remove(folder);
}

/* --- many runs ------------------------------------------------------------------------------------------------ */

/* CELLS cells of up to three runs; tables of some blocks (64 KiB). Which column differs where:
 *   resolved   in the last cell alone, when all other rows have been seen
 *   warning    in a cell of the middle alone, of which one run has one
 *   losses     between cells alone, and so do steps
 *   signal     nowhere */
enum { CELLS = 1501, MIDDLE = 700, PARTS = 3 };

typedef struct many {
    char *folder;
    sp_store *store;
    sp_cell *cell;
    sp_plan plan;
} many;

/* Are there such runs? Of some cells one is lacking, of some all but one, of some all. */
static bool is_made(size_t cell, size_t replicate)
{
    if (cell % 11 == 5)
        return false;
    return replicate == 0 ? cell % 7 != 3 : replicate == 1 ? cell % 5 != 2 : cell % 7 == 3;
}

static const char *warning_of(size_t cell, size_t replicate)
{
    return cell == MIDDLE && replicate == 1 ? "one" : "";
}

static const char *resolved_of(size_t cell, size_t replicate)
{
    return cell + 1 == CELLS && replicate == 1 ? "eta=2:user" : "eta=2:user steps=7:user";
}

static void put_many(many *m, size_t cell, size_t replicate)
{
    sp_result r;
    sp_result_start(&r);
    r.value[0] = (double)(4 * cell + replicate) / 8.0;
    r.cost = (sp_cost){ .gradients = 5.0, .losses = (double)(cell % 50), .releases = 2 };
    r.steps = 3 + cell;
    r.resolved = sp_copy_text(resolved_of(cell, replicate));
    r.ledger = sp_copy_text("");
    r.seconds = 0.25;
    r.elapsed = 0.5;
    r.peak_memory = 4096;
    r.spent.best = INFINITY;
    if (*warning_of(cell, replicate))
        sp_result_warn(&r, sp_warning_bit(SP_WARNED_METHOD), "%s", warning_of(cell, replicate));
    r.traces = 1;
    r.trace = sp_alloc(1, sizeof *r.trace);
    r.trace[0].value[0] = 0.5;
    CHECK_EQUAL(sp_store_put(m->store, &m->cell[cell], replicate, &r, NULL), SP_OK);
    sp_result_free(&r);
}

static void make_many(many *m)
{
    char text[32];
    *m = (many){ .folder = cells_folder(), .cell = sp_alloc(CELLS, sizeof *m->cell) };
    CHECK_EQUAL(sp_store_open(m->folder, &m->store, NULL), SP_OK);
    for (size_t i = 0; i < CELLS; i++) {
        snprintf(text, sizeof text, "walk %zu", i);
        cells_make(&m->cell[i], &cells_algorithm_walk, text);
    }
    cells_plan(&m->plan, m->cell, CELLS);
    for (size_t k = CELLS * PARTS; k-- > 0;) /* stored in another order than the plan's */
        if (is_made(k / PARTS, k % PARTS))
            put_many(m, k / PARTS, k % PARTS);
}

static void free_many(many *m)
{
    sp_store_close(m->store);
    for (size_t i = 0; i < CELLS; i++)
        cells_free(&m->cell[i]);
    free(m->cell);
    cells_remove(m->folder);
}

typedef struct expected {
    sp_text cells, runs, traces, timings;
} expected;

static void sum(sp_text *table)
{
    char *text = summed(table->data);
    table->length = 0;
    sp_text_add_text(table, text);
    free(text);
}

static void expect(const many *m, expected *e)
{
    *e = (expected){ 0 };
    sp_text_append(&e->cells, "cell\tsweep\tlabel\talgorithm\tproblem.n\tseed\tprivate\tdelta\ttuned\tsignal\t"
                              "start.first\treference\treference_method\tpopulation_reference\t"
                              "population_reference_method\tepsilon_spent\tbound\tgradients\tdifferences\thessians\t"
                              "losses\treleases\tsteps\tpromise\tpromise_at_start\tcapped\tdiverged\tresolved.steps\n");
    sp_text_append(&e->runs, "run\tcell\treplicate\tstatus\tmessage\tfirst\tresolved\twarning\twarnings\n");
    sp_text_append(&e->traces,
                   "run\tsweep\tlabel\treplicate\tstep\tgradients\tdifferences\thessians\tlosses\treleases\t"
                   "first\n");
    sp_text_append(&e->timings, "run\tsweep\tlabel\treplicate\tstep\tseconds\telapsed\tpeak_memory\n");
    for (size_t i = 0; i < CELLS; i++) {
        if (is_made(i, 0) || is_made(i, 1) || is_made(i, 2))
            sp_text_append(&e->cells,
                           "%zu\tmain\twalk\twalk %zu\t23\t20240601\tno\t-\tno\t0\t0.5\tNaN\t-\tNaN\t-\tinf\t-\t5\t"
                           "0\t0\t%zu\t2\t%zu\tNaN\tNaN\t-\t-\t7\n",
                           i + 1, i, i % 50, 3 + i);
        for (size_t r = 0; r < PARTS; r++) {
            char name[SP_RUN_NAME];
            if (!is_made(i, r))
                continue;
            sp_run_name(&m->cell[i], r, name);
            const char *warning = warning_of(i, r);
            sp_text_append(&e->runs, "%s\t%zu\t%zu\tok\t-\t%.10g\t%s\t%s\t%s\n", name, i + 1, r,
                           (double)(4 * i + r) / 8.0, resolved_of(i, r), *warning ? warning : "-",
                           *warning ? "method" : "-");
            sp_text_append(&e->traces, "%s\tmain\twalk\t%zu\t0\t0\t0\t0\t0\t0\t0.5\n", name, r);
            sp_text_append(&e->timings, "%s\tmain\twalk\t%zu\t-\t0.25\t0.5\t4096\n%s\tmain\twalk\t%zu\t0\t0\t-\t-\n",
                           name, r, name, r);
        }
    }
    sum(&e->cells);
    sum(&e->runs);
    sum(&e->traces);
}

static void free_expected(expected *e)
{
    sp_text_free(&e->cells);
    sp_text_free(&e->runs);
    sp_text_free(&e->traces);
    sp_text_free(&e->timings);
}

/* Long texts are not printed. */
static void check_same(const char *folder, const char *name, const char *wanted)
{
    char *path = path_in(folder, name);
    FILE *file = fopen(path, "r");
    size_t same = 0;
    int c = EOF;
    while (file && (c = fgetc(file)) != EOF && c == (unsigned char)wanted[same])
        same++;
    SP_CHECK_REPORT(file && c == EOF && wanted[same] == '\0', "%s: another byte at %zu", name, same);
    if (file)
        fclose(file);
    free(path);
}

static void check_many(const many *m, const expected *e)
{
    check_same(m->folder, "cells.tsv", e->cells.data);
    check_same(m->folder, "runs.tsv", e->runs.data);
    check_same(m->folder, "traces.tsv", e->traces.data);
    check_same(m->folder, "timings.tsv", e->timings.data);
}

/* Is the folder without files that are being made? */
static bool is_tidy(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    bool tidy = entries != NULL;
    while (entries && (entry = readdir(entries)) != NULL)
        tidy = tidy && !strstr(entry->d_name, ".part");
    if (entries)
        closedir(entries);
    return tidy;
}

/* A table of many blocks that lies packed stays as long as no byte of it differs, the last one either. */
static void check_packed(const many *m, const expected *e)
{
    char *pack = sp_format("gzip -9n '%s/runs.tsv'", m->folder), *packed = path_in(m->folder, "runs.tsv.gz");
    char *other = sp_copy_text(e->runs.data);
    struct stat before, after;
    bool same = false;
    for (size_t i = 0; i < 3; i++) {
        char *byte = &other[i == 0 ? e->runs.length - 1 : e->runs.length / 2];
        const char right = *byte;
        *byte = i < 2 ? '8' : right;
        replace_text(m->folder, "runs.tsv", other);
        *byte = right;
        CHECK_EQUAL(system(pack), 0);
        CHECK_EQUAL(stat(packed, &before), 0);
        CHECK_EQUAL(sp_export_discarding(&m->plan, m->store, m->folder, &same, NULL), SP_OK);
        CHECK_EQUAL(same, i == 2);
        CHECK_EQUAL(stat(packed, &after) == 0 && after.st_ino == before.st_ino, i == 2);
        if (i < 2)
            check_many(m, e);
        else
            check_file(m->folder, "runs.tsv", "(no file)");
        CHECK(is_tidy(m->folder));
    }
    CHECK_EQUAL(unlink(packed), 0);
    free(pack);
    free(packed);
    free(other);
}

/* A limit on the size of files stands for a full disk, wherever it fills up: each table is the old one or, where all
 * have room, the new one. */
static void check_full(const many *m, const expected *e)
{
    static const char *const files[] = { "cells.tsv", "runs.tsv", "traces.tsv", "timings.tsv", "provenance.tsv" };
    struct rlimit limit;
    size_t failures = 0;
    bool enough = false;
    signal(SIGXFSZ, SIG_IGN); /* as the program does: write() fails instead */
    CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlim_t none = limit.rlim_cur;
    for (rlim_t most = 1; !enough && most < 1 << 24; most = 3 * most / 2 + 1) {
        sp_error error = { 0 };
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            replace_text(m->folder, files[i], "old");
        limit.rlim_cur = most;
        CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
        /* "old" is no table */
        const sp_status status = sp_export_discarding(&m->plan, m->store, m->folder, NULL, &error);
        limit.rlim_cur = none;
        CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
        CHECK(is_tidy(m->folder));
        enough = status == SP_OK;
        if (enough)
            break;
        failures++;
        CHECK_EQUAL(status, SP_EIO);
        CHECK_CONTAINS(error.text, m->folder);
        CHECK_CONTAINS(error.text, "ulimit -f");
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            check_file(m->folder, files[i], "old");
    }
    CHECK(enough && failures > 20);
    check_many(m, e);
}

static void test_many(void)
{
    many m;
    expected e;
    make_many(&m);
    expect(&m, &e);
    CHECK(e.cells.length > 1 << 16 && e.runs.length > 1 << 17);
    CHECK_EQUAL(sp_export(&m.plan, m.store, m.folder, NULL, NULL), SP_OK);
    check_many(&m, &e);
    CHECK(is_tidy(m.folder));
    check_packed(&m, &e);
    check_full(&m, &e);
    free_expected(&e);
    free_many(&m);
}

/* 3000 runs with texts of 5 kB are written by a process that may take 4 MB more than it has: a block of each table, and
 * the 2 MB of pages that SQLite keeps. */
typedef struct to_export {
    char *folder;
    const sp_plan *plan;
} to_export;

static bool write_within(void *context)
{
    const to_export *w = context;
    sp_store *store = NULL;
    sp_error error = { 0 };
    const bool good = sp_store_open_readonly(w->folder, &store, &error) == SP_OK && room_limit(4 << 20) &&
                      sp_export(w->plan, store, w->folder, NULL, &error) == SP_OK;
    if (!good)
        fprintf(stderr, "within 4 MB: %s\n", error.text);
    return good;
}

static void test_memory(void)
{
    enum { RUNS = 3000, LENGTH = 5000 };
    char *folder = cells_folder(), text[LENGTH + 1];
    sp_store *store = NULL;
    sp_cell cell;
    sp_plan plan;
    struct stat found;
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    cell.replicates = RUNS;
    cells_plan(&plan, &cell, 1);
    CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
    for (size_t k = 0; k < RUNS; k++) {
        sp_result r;
        sp_result_start(&r);
        snprintf(text, sizeof text, "%zu", k);
        text[strlen(text)] = 'x';
        r.resolved = sp_copy_text(text);
        r.ledger = sp_copy_text("");
        CHECK_EQUAL(sp_store_put(store, &cell, k, &r, NULL), SP_OK);
        sp_result_free(&r);
    }
    sp_store_close(store);
    CHECK(room_try(write_within, &(to_export){ folder, &plan }));
    char *path = path_in(folder, "runs.tsv");
    CHECK(stat(path, &found) == 0 && found.st_size > RUNS * LENGTH);
    free(path);
    cells_free(&cell);
    cells_remove(folder);
}

/* --- reading -------------------------------------------------------------------------------------------------- */

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
        CHECK_CONTAINS(error.text, "table.tsv:3: ");
        CHECK(table.bytes == NULL && table.cell == NULL);
    }
    CHECK_EQUAL(read_table(folder, "", &table, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "empty");
    free(path);
    cells_remove(folder);
}

/* Groups of 0 to 16 rows that lie together, some larger than what is read at once, against the rows as they were
 * written. */
enum { GROUPS = 300, LARGEST = 17 };

static size_t size_of_group(size_t g)
{
    return g * g % LARGEST;
}

static void write_groups(const char *path)
{
    sp_text text = { 0 };
    sp_text_append(&text, "row\tgroup\ttext\n");
    for (size_t g = 0, row = 0; g < GROUPS; g++)
        for (size_t k = 0; k < size_of_group(g); k++)
            sp_text_append(&text, "%zu\t\\=%zu\t%0*zu\n", row++, g, g == 7 ? 20000 : 100, k);
    CHECK_EQUAL(sp_write_file(path, text.data, text.length, NULL), SP_OK);
    sp_text_free(&text);
}

static void check_groups(sp_table_reader *r)
{
    size_t row = 0;
    char group[32];
    for (size_t g = 0; g < GROUPS; g++) {
        if (size_of_group(g) == 0)
            continue;
        snprintf(group, sizeof group, "=%zu", g);
        CHECK_EQUAL(sp_table_next(r, 1, NULL), SP_OK);
        CHECK_EQUAL(r->table.rows, size_of_group(g));
        CHECK_EQUAL(r->line, row + 2);
        for (size_t k = 0; k < r->table.rows; k++, row++) {
            CHECK(sp_table_number(&r->table, k, 0) == (double)row && sp_table_number(&r->table, k, 2) == (double)k);
            CHECK_TEXT(sp_table_text(&r->table, k, 1), group);
        }
    }
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(sp_table_next(r, 1, NULL), SP_OK);
        CHECK_EQUAL(r->table.rows, 0);
    }
}

/* 30 MB of rows, three at a time. */
static bool read_within(void *path)
{
    sp_table_reader r = { 0 };
    size_t rows = 0;
    bool good = room_limit(1 << 20) && sp_table_open(path, &r, NULL) == SP_OK;
    do {
        good = good && sp_table_next(&r, 0, NULL) == SP_OK;
        rows += r.table.rows;
    } while (good && r.table.rows > 0);
    sp_table_close(&r);
    return good && rows == 60000;
}

static void test_parts(void)
{
    char *folder = cells_folder(), *path = path_in(folder, "table.tsv");
    sp_table_reader r = { 0 };
    sp_error error = { 0 };
    write_groups(path);
    CHECK_EQUAL(sp_table_open(path, &r, NULL), SP_OK);
    CHECK_TEXT(r.table.column[2], "text");
    check_groups(&r);
    CHECK_EQUAL(sp_table_rewind(&r, NULL), SP_OK);
    CHECK_EQUAL(sp_table_next(&r, 1, NULL), SP_OK);
    CHECK_EQUAL(sp_table_rewind(&r, NULL), SP_OK);
    check_groups(&r);
    sp_table_close(&r);

    /* what is wrong is said when it is reached, with its line */
    CHECK_EQUAL(sp_write_file(path, "a\tb\n1\t2\n3\n", 10, NULL), SP_OK);
    CHECK_EQUAL(sp_table_open(path, &r, NULL), SP_OK);
    CHECK_EQUAL(sp_table_next(&r, 0, &error), SP_OK);
    CHECK_EQUAL(sp_table_next(&r, 0, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "table.tsv:3: ");
    sp_table_close(&r);

    FILE *file = fopen(path, "w");
    CHECK(file && fprintf(file, "a\tb\n") > 0);
    for (size_t i = 0; i < 60000; i++)
        CHECK(file && fprintf(file, "%zu\t%0500d\n", i / 3, 7) > 0);
    CHECK(file && fclose(file) == 0);
    CHECK(room_try(read_within, path));
    free(path);
    cells_remove(folder);
}

/* Every text without a zero byte comes back, and is told from nothing. */
static void test_texts(void)
{
    enum { ROWS = 400, COLUMNS = 3, LENGTH = 12 };
    static const char *const special[] = { "", "-", "--", "=1+2", "=\t1", "+a", "-a", "-2,-1", "@a", "\\=", "-2.385",
                                           "+1", "\\-", "\\", "\\\\", "\t", "\n", "\r", "a\\tb", "-\n", "NaN", " ",
                                           NULL };
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
        CHECK_CONTAINS(error.text, i < 2 ? "table.tsv:2: b: " : "table.tsv:2: a: ");
    }
    char *path = path_in(folder, "table.tsv");
    CHECK_EQUAL(sp_write_file(path, "a\tb\n1\t\0\n", 9, NULL), SP_OK);
    CHECK_EQUAL(sp_table_read(path, &table, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "a zero byte at 6");
    free(path);
    cells_remove(folder);
}

static bool copy_within(void *context)
{
    char **path = context;
    return room_limit(1 << 20) && sp_copy_file(path[0], path[1], NULL) == SP_OK;
}

/* Of several blocks and a part of one; then over it `file`, which holds "and last". */
static void check_copies(const char *folder, const char *file)
{
    enum { SIZE = 5 * 65536 + 2385 };
    char *path[] = { path_in(folder, "from"), path_in(folder, "to") };
    char *bytes = sp_alloc(SIZE + 1, 1);
    struct stat found;
    sp_error error = { 0 };
    for (size_t i = 0; bytes && i < SIZE; i++)
        bytes[i] = (char)(1 + (i ^ i >> 8 ^ i >> 16) % 127);
    CHECK_EQUAL(sp_write_file(path[0], bytes, SIZE, NULL), SP_OK);
    CHECK_EQUAL(sp_copy_file(path[0], path[1], NULL), SP_OK);
    check_file(folder, "to", bytes);
    CHECK_EQUAL(sp_write_file(path[0], "", 0, NULL), SP_OK);
    CHECK_EQUAL(sp_copy_file(path[0], path[1], NULL), SP_OK);
    CHECK(stat(path[1], &found) == 0 && found.st_size == 0);
    CHECK_EQUAL(sp_copy_file(file, path[1], NULL), SP_OK);
    check_file(folder, "to", "and last");
    CHECK_EQUAL(sp_copy_file(folder, path[1], &error), SP_EIO);
    CHECK_CONTAINS(error.text, "Is a directory");
    check_file(folder, "to", "and last"); /* a failure leaves what was there */
    CHECK_EQUAL(truncate(path[0], 8 << 20), 0);
    CHECK(room_try(copy_within, path));
    free(path[0]);
    free(path[1]);
    free(bytes);
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
    check_copies(folder, file);
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
    test_many();
    test_memory();
    test_reading();
    test_parts();
    test_texts();
    test_files();
    return sp_check_done();
}
