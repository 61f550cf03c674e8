/* cell_reader.c -- exported runs a cell at a time against what was written: in the order of cells.tsv and in another
 * one, cells without runs, tables that do not fit together; what is counted on the way; memory that would not hold the
 * tables. */
#include "core/cli/verbs/advice.h"
#include "core/contest/edges.h"
#include "core/contest/majority.h"
#include "core/contest/unmoved.h"
#include "core/stats/summary.h"

#include "tests/cells.h"
#include "tests/room.h"
#include "tests/tables.h"

static char *folder;

static void save(const char *cells, const char *runs)
{
    tables_save(folder, "cells.tsv", cells);
    tables_save(folder, "runs.tsv", runs);
}

/* --- the rows ----------------------------------------------------------------------------------------------------- */

enum { CELLS = 211, MOST = 4 };

/* Of a cell; every seventh has none. */
static size_t runs_of(size_t cell)
{
    return cell % 7 == 3 ? 0 : 1 + cell * cell % MOST;
}

/* cells.tsv has cell i * step mod CELLS at place i. */
static void write_cells(size_t step)
{
    sp_text cells = { 0 }, runs = { 0 };
    sp_text_append(&cells, "cell\tsweep\tlabel\tproblem.n\talgorithm.eta\tseed\tprivate\tepsilon_spent\tstart.loss\n");
    sp_text_append(&runs, "run\tcell\treplicate\tstatus\tloss\n");
    for (size_t i = 0; i < CELLS; i++) {
        const size_t c = i * step % CELLS;
        sp_text_append(&cells, "%zu\ts%zu\tl%zu\t%zu\t-\t1\tyes\t2.385\t%zu.5\n", c, c / 100, c % 3, 10 * c, c);
        for (size_t k = 0; k < runs_of(i); k++)
            sp_text_append(&runs, "r%zu.%zu\t%zu\t%zu\tok\t%zu.25\n", i, k, i, MOST - 1 - k, i + k);
    }
    save(cells.data, runs.data);
    sp_text_free(&cells);
    sp_text_free(&runs);
}

/* The run k of a cell, in a row. */
static void check_row(const sp_runs *runs, size_t cell, size_t k)
{
    const sp_table *t = &runs->table;
    char name[32];
    snprintf(name, sizeof name, "r%zu.%zu", cell, k);
    CHECK_TEXT(sp_table_text(t, k, runs->run), name);
    CHECK(sp_table_number(t, k, sp_table_column(t, "loss")) == (double)(cell + k) + 0.25);
    CHECK(sp_table_number(t, k, sp_runs_start_column(runs, "loss")) == (double)cell + 0.5);
    CHECK(sp_table_number(t, k, sp_runs_column(runs, "n")) == 10.0 * (double)cell);
    CHECK(sp_table_empty(t, k, sp_runs_column(runs, "eta")));
    CHECK(sp_runs_same_cell(runs, 0, k) && sp_runs_succeeded(runs, k));
    snprintf(name, sizeof name, "l%zu", cell % 3);
    CHECK_TEXT(sp_table_text(t, k, runs->label), name);
}

static void check_cells(size_t step)
{
    sp_cell_reader r = { 0 };
    sp_error error = { 0 };
    size_t cells = 0;
    write_cells(step);
    CHECK_EQUAL(sp_cell_reader_open(folder, &r, &error), SP_OK);
    CHECK_EQUAL(r.runs.table.columns, 5 + 9 - 1);
    CHECK(r.runs.measure[sp_table_column(&r.runs.table, "loss")] && !r.runs.axis[r.runs.label]);
    for (size_t cell = 0; cell < CELLS; cell++) {
        if (runs_of(cell) == 0)
            continue;
        CHECK_EQUAL(sp_cell_reader_next(&r, &error), SP_OK);
        CHECK_EQUAL(r.runs.table.rows, runs_of(cell));
        CHECK_EQUAL(r.runs.replicates, MOST); /* the first has the last number */
        CHECK(sp_table_number(&r.runs.cells, 0, 0) == (double)cell && r.runs.cells.rows == 1);
        for (size_t k = 0; k < r.runs.table.rows; k++)
            check_row(&r.runs, cell, k);
        cells++;
    }
    CHECK_EQUAL(cells, CELLS - 30);
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(sp_cell_reader_next(&r, &error), SP_OK);
        CHECK_EQUAL(r.runs.table.rows, 0);
    }
    CHECK_TEXT(error.text, "");
    sp_cell_reader_close(&r);
}

static void test_refusals(void)
{
    static const char cells[] = "cell\tsweep\tlabel\tseed\tprivate\n1\tmain\ta\t1\tno\n2\tmain\tb\t1\tno\n";
    static const char runs[] = "run\tcell\treplicate\tstatus\tepsilon_spent\na\t1\t0\tok\t1\nb\t2\t0\tok\t1\n";
    static const struct { const char *cells, *runs, *message; } bad[] = {
        { "sweep\tlabel\n", runs, "no column cell" },
        { "cell\tlabel\tseed\tprivate\tstatus\n", runs, "column status stands in both tables" },
        { "cell\tlabel\tseed\tprivate\n", runs, "runs.tsv: no column sweep" },
        { cells, "run\tcell\treplicate\tstatus\tepsilon_spent\na\t1\t0\tok\t1\nb\t3\t0\tok\t1\n",
          "no row with cell 3" },
        { cells, "run\tcell\treplicate\tstatus\tepsilon_spent\na\t1\t0\tok\t1\nb\t2\t0\tok\t1\nc\t1\t1\tok\t1\n",
          "runs.tsv: line 4: the other runs of its cell stand apart from it" },
        { cells, "run\tcell\treplicate\tstatus\tepsilon_spent\na\t1\t0\tok\t1\nb\t1\t-1\tok\t1\n",
          "runs.tsv: line 3: replicate -1 is not a whole number" },
        { "cell\tsweep\tlabel\tseed\tprivate\n1\tmain\ta\t1\tno\n2\tmain\tb\t1\tno\n3\tmain\n", runs,
          "cells.tsv:4: " }, /* behind the last that has a run */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_cell_reader r = { 0 };
        sp_error error = { 0 };
        save(bad[i].cells, bad[i].runs);
        sp_status status = sp_cell_reader_open(folder, &r, &error);
        while (status == SP_OK && (status = sp_cell_reader_next(&r, &error)) == SP_OK && r.runs.table.rows > 0)
            ;
        CHECK_EQUAL(status, SP_EDATA);
        CHECK_CONTAINS(error.text, bad[i].message);
        sp_cell_reader_close(&r);
    }
    sp_cell_reader r = { 0 };
    sp_error error = { 0 };
    tables_remove(folder);
    CHECK_EQUAL(sp_cell_reader_open(folder, &r, &error), SP_EABSENT);
    CHECK_CONTAINS(error.text, "no tables there yet");
}

/* --- what is counted on the way ----------------------------------------------------------------------------------- */

/* b warns first, a later and of something else; c never. d stays where it began; start may. On `two` everyone names the
 * majority class, on `one` a does better; e has none of it. */
static const char said_cells[] =
    "cell\tsweep\tlabel\tproblem.data\tproblem.n\talgorithm\tseed\tprivate\tstart.accuracy\tstart.loss\twarning\n"
    "1\tmain\ta\tone\t50\tgd\t1\tyes\t0.25\t3\t-\n"
    "2\tmain\tb\tone\t50\tgd\t1\tyes\t0.25\t3\tcapped\n"
    "3\tmain\tc\tone\t50\tgd\t1\tyes\t0.25\t3\t-\n"
    "4\tmain\ta\ttwo\t50\tgd\t1\tyes\t0.375\t3\tvacuous\n"
    "5\tmain\tb\ttwo\t50\tgd\t1\tyes\t0.375\t3\t-\n"
    "6\tmain\td\ttwo\t50\tgd\t1\tyes\t0.375\t3\t-\n"
    "7\tmain\te\ttwo\t50\tstart\t1\tyes\t0.375\t3\t-\n"
    "8\tnext\tb\ttwo\t50\tgd\t1\tyes\t0.875\t3\tcapped\n";
static const char said_runs[] =
    "run\tcell\treplicate\tstatus\taccuracy\tloss\tepsilon_spent\n"
    "a\t1\t0\tok\t0.875\t2\t1\nb\t1\t1\tok\t0.75\t2\t1\nc\t2\t0\tok\t0.75\t3\t1\nd\t3\t0\tok\t0.25\t1\t1\n"
    "e\t4\t0\tok\t0.5\t1\t1\nf\t4\t1\tok\t0.75\t1\t1\ng\t5\t0\tSP_ECRASH\tNaN\tNaN\t1\nh\t6\t0\tok\t0.625\t3\t1\n"
    "i\t6\t1\tok\t0.5\t3\t1\nj\t7\t0\tok\t0.375\t3\t1\nk\t8\t0\tok\t0.875\t2\t1\n";
static const char said_tuning[] = "sweep\tlabel\tedge\nmain\ta\t-\nmain\tb\teta\nmain\ta\teta,steps\nmain\ta\tsteps\n";
static const char said[] =
    "advice: main/a: at 2 of 3 points the winner is at an end (eta,steps on the edge of its grid): the optimum may be "
    "further out\n"
    "advice: main/b: at 1 of 1 points the winner is at an end (eta on the edge of its grid): the optimum may be "
    "further "
    "out\n"
    "advice: main/b: in 1 of 2 cells: capped\n"
    "advice: main/a: in 1 of 2 cells: vacuous\n"
    "advice: next/b: in 1 of 1 cells: capped\n"
    "advice: main/b: never leaves its start: all measures of its 1 run are as they were there\n"
    "advice: main/d: never leaves its start: all measures of its 2 runs are as they were there\n"
    "advice: main, two, n = 50: accuracy is no better than the majority class: 0.625\n"
    "advice: next, two, n = 50: accuracy is no better than the majority class: 0.875\n";

static void test_advice(void)
{
    char *out = NULL;
    size_t size;
    sp_error error = { 0 };
    const sp_session session = { .tables = folder };
    FILE *stream = open_memstream(&out, &size);
    tables_remove(folder);
    CHECK_EQUAL(sp_advise_runs(&session, stream, &error), SP_OK); /* of no tables nothing */
    save(said_cells, said_runs);
    tables_save(folder, "tuning.tsv", said_tuning);
    CHECK_EQUAL(sp_advise_runs(&session, stream, &error), SP_OK);
    CHECK(fclose(stream) == 0);
    CHECK_TEXT(out, said);
    free(out);
}

/* All runs at once count as they do one cell after the other. */
static void test_at_once(void)
{
    sp_runs runs = { 0 };
    sp_labels still = { 0 }, edges = { 0 };
    sp_text out = { 0 };
    size_t row = 0, end = 0;
    CHECK_EQUAL(sp_runs_open(folder, 1, &runs, NULL), SP_OK);
    sp_edges_add(&edges, &runs.tuning);
    sp_unmoved_add(&still, &runs);
    for (size_t i = 0; i < edges.count; i++)
        sp_edges_tell(&edges.list[i], "advice: ", &out);
    CHECK(strncmp(said, out.data, out.length) == 0);
    out.length = 0;
    sp_unmoved_tell(&still, "advice: ", &out);
    CHECK(strstr(said, out.data) != NULL && out.length > 0);
    CHECK(isnan(sp_majority_unbeaten(&runs, 0, &end)) && end == 4);
    for (; row < 4; row++)
        CHECK(sp_majority_same(&runs, 0, row));
    CHECK_NEAR(sp_majority_unbeaten(&runs, 4, &end), 0.625, 1e-15);
    CHECK_EQUAL(end, 10);
    CHECK_NEAR(sp_majority_unbeaten(&runs, 10, &end), 0.875, 1e-15);
    CHECK_EQUAL(end, 11);
    sp_runs_close(&runs);
    sp_labels_free(&still);
    sp_labels_free(&edges);
    sp_text_free(&out);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

enum { MANY = 20000, WIDE = 1000 };

/* 20,000 cells of two runs, 82 MB in three tables. By a process of its own: what it frees is no room for the next. */
static bool write_many(void *context)
{
    (void)context;
    sp_text cells = { 0 }, runs = { 0 }, tuning = { 0 };
    sp_text_append(&cells, "cell\tsweep\tlabel\tproblem.n\tseed\tprivate\tepsilon_spent\tstart.loss\twarning\n");
    sp_text_append(&runs, "run\tcell\treplicate\tstatus\tmessage\tloss\n");
    sp_text_append(&tuning, "sweep\tlabel\tedge\tmedians\n");
    for (size_t c = 0; c < MANY; c++) {
        sp_text_append(&cells, "%zu\tmain\tl%zu\t%zu\t1\tno\tinf\t7\t%0*zu\n", c, c % 2, c, WIDE, c);
        for (size_t k = 0; k < 2; k++)
            sp_text_append(&runs, "r%zu\t%zu\t%zu\tok\t%0*zu\t%zu\n", 2 * c + k, c, k, WIDE, c, c + 4 * k);
        sp_text_append(&tuning, "main\tl%zu\t-\t%0*zu\n", c % 2, WIDE, c);
    }
    save(cells.data, runs.data);
    tables_save(folder, "tuning.tsv", tuning.data);
    sp_text_free(&cells);
    sp_text_free(&runs);
    sp_text_free(&tuning);
    return sp_check_failures == 0;
}

static bool count_within(void *context)
{
    (void)context;
    const sp_session session = { .tables = folder };
    sp_error error = { 0 };
    FILE *null = fopen("/dev/null", "w");
    const bool good = null && room_limit(2 << 20) && sp_summary_write(folder, &error) == SP_OK &&
                      sp_advise_runs(&session, null, &error) == SP_OK;
    if (!good)
        fprintf(stderr, "within 2 MB: %s\n", error.text);
    return good;
}

static void test_memory(void)
{
    sp_table t = { 0 };
    CHECK(room_try(write_many, NULL));
    char *path = sp_format("%s/summary.tsv", folder);
    CHECK(room_try(count_within, NULL));
    CHECK_EQUAL(sp_table_read(path, &t, NULL), SP_OK);
    CHECK_EQUAL(t.rows, MANY);
    const size_t mean = sp_table_column(&t, "mean"), low = sp_table_column(&t, "low");
    size_t right = 0; /* of c and c + 4: the mean c + 2, its error 2, Student's t of 1 degree 12.706 */
    for (size_t c = 0; c < t.rows && low < t.columns; c++)
        right += sp_table_number(&t, c, mean) == (double)c + 2.0 &&
                 fabs(sp_table_number(&t, c, low) - ((double)c + 2.0 - 2.0 * 12.706204736174705)) < 1e-9;
    CHECK_EQUAL(right, MANY);
    sp_table_free(&t);
    free(path);
}

int main(void)
{
    folder = cells_folder();
    check_cells(1);
    check_cells(CELLS - 1); /* the other way round */
    check_cells(58);
    test_refusals();
    test_advice();
    test_at_once();
    test_memory();
    cells_remove(folder);
    return sp_check_done();
}
