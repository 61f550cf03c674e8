/* runs.c -- reads cells.tsv and runs.tsv as one table, completely or cell by cell (series.h). */
#include "core/stats/series.h"

#include "core/base/memory.h"
#include "core/base/seal.h"
#include "core/base/table_rows.h"
#include "core/stats/audited.h"
#include "core/stats/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An empty one where there is none. */
static sp_status read_if_there(const char *results, const char *file, sp_table *table, sp_error *error)
{
    const sp_status status = sp_results_table(results, file, table, error);
    if (status == SP_EABSENT && error)
        *error = (sp_error){ 0 };
    return status == SP_EABSENT ? SP_OK : status;
}

/* The columns mu and rho, which the files do not have: what privacy.epsilon and privacy.delta are worth. Tables have
 * few budgets, and the same again and again: one of the last rows mostly has it. */
static sp_status add_budgets(sp_table *t, const char *file, sp_error *error)
{
    static const char *const name[] = { "mu", "rho" };
    enum { UNITS = 2, NEAR = 64 };
    const size_t epsilon = sp_table_column(t, "privacy.epsilon"), delta = sp_table_column(t, "privacy.delta");
    if (epsilon == t->columns || delta == t->columns)
        return SP_OK;
    double *value = sp_need(sp_alloc_doubles(t->rows * UNITS + 1));
    for (size_t row = 0; row < t->rows; row++) {
        size_t same = row > NEAR ? row - NEAR : 0;
        while (same < row && (strcmp(sp_table_text(t, same, epsilon), sp_table_text(t, row, epsilon)) != 0 ||
                              strcmp(sp_table_text(t, same, delta), sp_table_text(t, row, delta)) != 0))
            same++;
        for (size_t i = 0; i < UNITS; i++)
            value[row * UNITS + i] = same < row ? value[same * UNITS + i]
                                                : sp_budget_as(name[i], sp_table_number(t, row, epsilon),
                                                               sp_table_number(t, row, delta));
    }
    const sp_status status = sp_table_add(t, name, UNITS, value, file, error);
    free(value);
    return status;
}

/* The axes are the columns of cells.tsv between label and seed; a measure has its value at the start beside it. */
static sp_status find_columns(sp_runs *runs, const char *path, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &runs->table;
    const struct { const char *name; size_t *column; } needed[] = {
        { "run", &runs->run }, { "sweep", &runs->sweep }, { "label", &runs->label }, { "status", &runs->status },
        { "replicate", &runs->replicate }, { "private", &runs->private }, { "epsilon_spent", &runs->epsilon_spent }
    };
    size_t label, seed;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        SP_TRY(sp_need_column(t, path, needed[i].name, needed[i].column, error));
    runs->tuned = sp_table_column(t, "tuned");
    runs->diverged = sp_table_column(t, "diverged");
    SP_TRY(sp_need_column(&runs->cells, path, "label", &label, error));
    SP_TRY(sp_need_column(&runs->cells, path, "seed", &seed, error));
    runs->axis = sp_need(sp_alloc(t->columns, sizeof *runs->axis));
    runs->measure = sp_need(sp_alloc(t->columns, sizeof *runs->measure));
    for (size_t c = label + 1; c < seed; c++)
        runs->axis[sp_table_column(t, runs->cells.column[c])] = true;
    for (size_t c = 0; c < t->columns; c++)
        runs->measure[c] = sp_runs_start_column(runs, t->column[c]) < t->columns;
cleanup:
    return status;
}

/* A replicate that counts from 0, once a cell, and measures that are numbers. */
static sp_status check_row(sp_runs *runs, size_t row, const char *path, size_t line, sp_error *error)
{
    const sp_table *t = &runs->table;
    const double replicate = sp_table_number(t, row, runs->replicate);
    if (!(replicate >= 0.0 && replicate < 1e6 && replicate == floor(replicate)))
        return sp_fail(error, SP_EDATA, "%s: line %zu: replicate %s is not a whole number", path, line,
                       sp_table_text(t, row, runs->replicate));
    for (size_t other = row; other-- > 0 && runs->cell[other] == runs->cell[row];)
        if (strcmp(sp_table_text(t, other, runs->replicate), sp_table_text(t, row, runs->replicate)) == 0)
            return sp_fail(error, SP_EDATA,
                           "%s:%zu: run %s, replicate %g of its cell, appears twice: line %zu has it as well", path,
                           line, sp_table_text(t, row, runs->run), replicate, line - (row - other));
    for (size_t c = 0; c < t->columns; c++)
        if (runs->measure[c] && !sp_table_empty(t, row, c) && !sp_table_is_number(sp_table_text(t, row, c)))
            return sp_fail(error, SP_EDATA, "%s:%zu: run %s: %s = %.40s is not a number", path, line,
                           sp_table_text(t, row, runs->run), t->column[c], sp_table_text(t, row, c));
    runs->replicates = replicate + 1.0 > (double)runs->replicates ? (size_t)replicate + 1 : runs->replicates;
    return SP_OK;
}

static sp_status stands_apart(const char *path, size_t line, sp_error *error)
{
    return sp_fail(error, SP_EDATA, "%s: line %zu: the other runs of its cell stand apart from it", path, line);
}

static sp_status check_rows(sp_runs *runs, const char *path, sp_error *error)
{
    sp_status status = SP_OK;
    bool *seen = sp_need(sp_alloc(runs->cells.rows + 1, sizeof *seen)); /* by cell */
    for (size_t row = 0; row < runs->table.rows; row++) {
        SP_TRY(check_row(runs, row, path, row + 2, error));
        if (seen[runs->cell[row]] && !sp_runs_same_cell(runs, row - 1, row))
            SP_TRY(stands_apart(path, row + 2, error));
        seen[runs->cell[row]] = true;
    }
cleanup:
    free(seen);
    return status;
}

sp_status sp_runs_open(const char *results, uint64_t seed, sp_runs *runs, sp_error *error)
{
    sp_status status = SP_OK;
    char *path = sp_results_path(results, "runs.tsv");
    *runs = (sp_runs){ .seed = seed };
    SP_TRY(sp_results_table(results, "runs.tsv", &runs->table, error));
    SP_TRY(sp_results_table(results, "cells.tsv", &runs->cells, error));
    SP_TRY(add_budgets(&runs->cells, "cells.tsv", error));
    SP_TRY(sp_table_join(&runs->table, &runs->cells, "cell", path, error));
    runs->cell = runs->table.group;
    SP_TRY(find_columns(runs, path, error));
    SP_TRY(check_rows(runs, path, error));
    SP_TRY(sp_seal_check(results, error));
    SP_TRY(read_if_there(results, "tuning.tsv", &runs->tuning, error)); /* else nothing is tuned */
    SP_TRY(read_if_there(results, "audits.tsv", &runs->audits, error)); /* else no method was audited */
    SP_TRY(sp_audits_check(&runs->audits, results, error));
    SP_TRY(add_budgets(&runs->tuning, "tuning.tsv", error));
cleanup:
    free(path);
    if (status != SP_OK)
        sp_runs_close(runs);
    return status;
}

void sp_runs_close(sp_runs *runs)
{
    sp_table_free(&runs->table);
    sp_table_free(&runs->cells);
    sp_table_free(&runs->trace);
    sp_table_free(&runs->tuning);
    sp_table_free(&runs->audits);
    free(runs->axis);
    free(runs->measure);
    *runs = (sp_runs){ 0 };
}

/* --- a cell at a time ------------------------------------------------------------------------------------- */

/* The columns of both tables, as sp_table_join has them. */
static sp_status join_names(sp_cell_reader *r, sp_error *error)
{
    sp_status status = SP_OK;
    sp_table *t = &r->runs.table;
    t->columns = r->run.table.columns;
    t->column = sp_need(sp_alloc(t->columns, sizeof *t->column));
    memcpy(t->column, r->run.table.column, t->columns * sizeof *t->column);
    SP_TRY(sp_table_join(t, &r->cell.table, "cell", r->run.path, error));
    r->key = sp_table_column(&r->run.table, "cell");
cleanup:
    return status;
}

sp_status sp_cell_reader_open(const char *results, sp_cell_reader *r, sp_error *error)
{
    sp_status status = SP_OK;
    *r = (sp_cell_reader){ 0 };
    SP_TRY(sp_seal_check(results, error));
    SP_TRY(sp_results_open(results, "runs.tsv", &r->run, error));
    SP_TRY(sp_results_open(results, "cells.tsv", &r->cell, error));
    SP_TRY(join_names(r, error));
    r->runs.cells = r->cell.table;
    SP_TRY(find_columns(&r->runs, r->run.path, error));
cleanup:
    if (status != SP_OK)
        sp_cell_reader_close(r);
    return status;
}

/* Reads on in cells.tsv, behind its end from its begin again, to the cell of the runs at hand. */
static sp_status find_cell(sp_cell_reader *r, sp_error *error)
{
    const char *const cell = sp_table_text(&r->run.table, 0, r->key);
    bool again = false;
    while (r->cell.table.rows == 0 || strcmp(sp_table_text(&r->cell.table, 0, r->runs.table.key), cell) != 0) {
        sp_status status = sp_table_next(&r->cell, SP_TABLE_ROW, error);
        if (status == SP_OK && r->cell.table.rows == 0 && again)
            status = sp_fail(error, SP_EDATA, "%s: no row with cell %s", r->run.path, cell);
        else if (status == SP_OK && r->cell.table.rows == 0)
            status = sp_table_rewind(&r->cell, error);
        if (status != SP_OK)
            return status;
        again = again || r->cell.table.rows == 0;
    }
    return SP_OK;
}

/* That the cell at hand has had its runs; SP_EDATA when it had them before. */
static sp_status note_cell(sp_cell_reader *r, sp_error *error)
{
    const size_t row = r->cell.line - 2;
    if (row >= r->room) {
        const size_t room = 2 * row + 64;
        r->seen = sp_need(realloc(r->seen, room * sizeof *r->seen));
        memset(r->seen + r->room, 0, (room - r->room) * sizeof *r->seen);
        r->room = room;
    }
    const bool before = r->seen[row];
    r->seen[row] = true;
    return before ? stands_apart(r->run.path, r->run.line, error) : SP_OK;
}

/* The rows of runs.tsv at hand, all of them with the row of cells.tsv at hand. */
static void take_rows(sp_cell_reader *r)
{
    sp_runs *runs = &r->runs;
    sp_table *t = &runs->table;
    const size_t rows = r->run.table.rows;
    if (rows > r->rows) {
        free(t->group);
        t->group = sp_need(sp_alloc(rows, sizeof *t->group));
        r->rows = rows;
    }
    t->rows = rows;
    t->cell = r->run.table.cell;
    t->of_group = r->cell.table.cell;
    runs->cells = r->cell.table;
    runs->cell = t->group;
}

/* So that what is wrong with a cell without runs is said, too. */
static sp_status read_rest(sp_table_reader *cells, sp_error *error)
{
    sp_status status;
    do
        status = sp_table_next(cells, SP_TABLE_ROW, error);
    while (status == SP_OK && cells->table.rows > 0);
    return status;
}

sp_status sp_cell_reader_next(sp_cell_reader *r, sp_error *error)
{
    sp_status status = SP_OK;
    sp_runs *runs = &r->runs;
    runs->table.rows = runs->replicates = 0;
    SP_TRY(sp_table_next(&r->run, r->key, error));
    if (r->run.table.rows == 0) {
        status = read_rest(&r->cell, error);
        goto cleanup;
    }
    SP_TRY(find_cell(r, error));
    SP_TRY(note_cell(r, error));
    take_rows(r);
    for (size_t row = 0; row < runs->table.rows; row++)
        SP_TRY(check_row(runs, row, r->run.path, r->run.line + row, error));
cleanup:
    return status;
}

void sp_cell_reader_close(sp_cell_reader *r)
{
    r->runs.table.cell = NULL; /* the readers' */
    r->runs.cells = (sp_table){ 0 };
    sp_runs_close(&r->runs);
    sp_table_close(&r->run);
    sp_table_close(&r->cell);
    free(r->seen);
    *r = (sp_cell_reader){ 0 };
}
