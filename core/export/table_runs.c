/* table_runs.c -- see table_runs.h. */
#include "core/export/table_runs.h"

#include "core/base/memory.h"
#include "core/base/old_warnings.h"
#include "core/base/seal.h"
#include "core/plan/registry.h"
#include "core/store/store_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_NAME, CELL, REPLICATE, STATUS, MESSAGE, SIGNAL, REFERENCE_VALUE, REFERENCE_METHOD, POPULATION,
       POPULATION_METHOD, EPSILON, BOUND, GRADIENTS, DIFFERENCES, HESSIANS, LOSSES, RELEASES, STEPS, RESOLVED, WARNING, COLUMNS };
static const char *const columns[COLUMNS] = {
    "run", "cell", "replicate", "status", "message", "signal", "reference", "reference_method", "population_reference",
    "population_reference_method", "epsilon_spent", "bound", "gradients", "differences", "hessians", "losses",
    "releases", "steps", "resolved", "warning"
};

/* A run, and where the tables have it. */
typedef struct sp_table_place {
    char name[SP_RUN_NAME];
    const sp_cell *cell;
    size_t replicate;
    size_t begin, end; /* its rows in `order` */
} place;

/* --- opening --------------------------------------------------------------------------------------------------- */

static sp_status read_table(const char *folder, const char *name, const char *who, sp_table *table, sp_error *error)
{
    char *path = sp_format("%s/%s", folder, name);
    const sp_status status = path ? sp_table_read(path, table, error)
                                  : sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
    if (status == SP_EABSENT)
        sp_fail(error, status, "%s: no %s there: %s takes a folder of tables, as results/quickstart", folder, name,
                who);
    free(path);
    return status;
}

static const char *name_of(const sp_table_runs *t, size_t row)
{
    return sp_table_text(&t->runs, row, t->column[RUN_NAME]);
}

static int by_run(const void *a, const void *b, void *context)
{
    const sp_table_runs *t = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int order = strcmp(name_of(t, x), name_of(t, y));
    return order ? order : (x > y) - (x < y);
}

static sp_status sort_rows(sp_table_runs *t, sp_error *error)
{
    if (!(t->order = sp_alloc(t->runs.rows + 1, sizeof *t->order)))
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", t->folder);
    for (size_t i = 0; i < t->runs.rows; i++)
        t->order[i] = i;
    if (t->runs.rows > 0)
        qsort_r(t->order, t->runs.rows, sizeof *t->order, by_run, t);
    return SP_OK;
}

/* A run may appear once in each sweep: no two of the rows order[begin, end) are of one cell. */
static sp_status refuse_twice(const sp_table_runs *t, size_t begin, size_t end, sp_error *error)
{
    for (size_t i = begin; i < end; i++)
        for (size_t other = begin; other < i; other++)
            if (t->runs.group[t->order[i]] == t->runs.group[t->order[other]])
                return sp_fail(error, SP_EDATA, "%s/runs.tsv:%zu: run %s appears twice: line %zu has it as well", t->folder,
                               t->order[i] + 2, name_of(t, t->order[i]), t->order[other] + 2);
    return SP_OK;
}

/* The first of the rows order[begin, end) of a run whose cell is wanted, else `end`. */
static size_t find_wanted(const sp_table_runs *t, size_t begin, size_t end, sp_table_which which)
{
    for (size_t i = begin; i < end; i++) {
        const size_t row = t->runs.group[t->order[i]];
        const sp_cell *cell = &t->made.cell[row];
        const sp_cell_origin origin = t->made.origin[row];
        const double replicate = sp_table_number(&t->runs, t->order[i], t->column[REPLICATE]);
        const bool planned = origin != SP_CELL_FOREIGN && replicate < cell->replicates;
        if (planned && (which != SP_RUNNABLE_RUNS || (origin == SP_CELL_PLANNED && !cell->skip)))
            return i;
    }
    return end;
}

/* The name of the run has to be that of its cell and replicate. */
static sp_status add_place(sp_table_runs *t, size_t at, size_t begin, size_t end, sp_error *error)
{
    const size_t row = t->order[at];
    const double replicate = sp_table_number(&t->runs, row, t->column[REPLICATE]);
    place p = { .cell = &t->made.cell[t->runs.group[row]], .begin = begin, .end = end };
    if (!(replicate >= 0.0 && replicate < SP_REPLICATES_MAX && replicate == floor(replicate)))
        return sp_fail(error, SP_EDATA, "%s/runs.tsv:%zu: replicate = %s is not a count", t->folder, row + 2,
                       sp_table_text(&t->runs, row, t->column[REPLICATE]));
    p.replicate = (size_t)replicate;
    sp_run_name(p.cell, p.replicate, p.name);
    if (strcmp(p.name, name_of(t, row)) != 0)
        return sp_fail(error, SP_EDATA, "%s/runs.tsv:%zu: run = %s, but cell %s of cells.tsv and replicate %zu make run %s: a "
                       "row has changed", t->folder, row + 2, name_of(t, row),
                       sp_table_text(&t->runs, row, t->column[CELL]), p.replicate, p.name);
    t->place[t->places++] = p;
    return SP_OK;
}

static sp_status find_places(sp_table_runs *t, sp_table_which which, sp_error *error)
{
    sp_status status = SP_OK;
    if (!(t->place = sp_alloc(t->runs.rows + 1, sizeof *t->place)))
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", t->folder);
    for (size_t begin = 0, end = 0; begin < t->runs.rows; begin = end) {
        while (end < t->runs.rows && strcmp(name_of(t, t->order[end]), name_of(t, t->order[begin])) == 0)
            end++;
        SP_TRY(refuse_twice(t, begin, end, error));
        const size_t wanted = find_wanted(t, begin, end, which);
        t->foreign += wanted == end ? end - begin : 0;
        if (wanted < end || which == SP_ALL_RUNS)
            SP_TRY(add_place(t, wanted < end ? wanted : begin, begin, end, error));
    }
cleanup:
    return status;
}

sp_status sp_table_runs_open(const sp_plan *plan, const char *folder, const char *who, sp_table_which which,
                             sp_table_runs *t, sp_error *error)
{
    sp_status status = SP_OK;
    char *path = sp_format("%s/cells.tsv", folder);
    *t = (sp_table_runs){ .folder = folder };
    SP_TRY(read_table(folder, "runs.tsv", who, &t->runs, error));
    SP_TRY(read_table(folder, "cells.tsv", who, &t->cells, error));
    SP_TRY(sp_table_join(&t->runs, &t->cells, "cell", folder, error));
    for (size_t c = 0; c < COLUMNS; c++) {
        t->column[c] = sp_table_column(&t->runs, columns[c]);
        if (t->column[c] == t->runs.columns)
            SP_TRY(sp_fail(error, SP_EDATA, "%s/runs.tsv: no column %s", folder, columns[c]));
    }
    t->handover = sp_table_column(&t->runs, "handover");
    SP_TRY(path ? sp_table_cells_make(plan, &t->cells, path, &t->made, error)
                 : sp_fail(error, SP_ENOMEM, "%s: out of memory", folder));
    SP_TRY(sort_rows(t, error));
    SP_TRY(find_places(t, which, error));
    SP_TRY(sp_seal_check(folder, error));
cleanup:
    free(path);
    return status;
}

void sp_table_runs_free(sp_table_runs *t)
{
    sp_table_free(&t->runs);
    sp_table_free(&t->cells);
    sp_table_cells_free(&t->made);
    free(t->order);
    free(t->place);
    *t = (sp_table_runs){ 0 };
}

void sp_table_runs_at(const sp_table_runs *t, size_t i, const sp_cell **cell, size_t *replicate)
{
    *cell = t->place[i].cell;
    *replicate = t->place[i].replicate;
}

size_t sp_table_runs_rows(const sp_table_runs *t, size_t i, const size_t **row)
{
    *row = &t->order[t->place[i].begin];
    return t->place[i].end - t->place[i].begin;
}

/* --- a run ----------------------------------------------------------------------------------------------------- */

/* NULL where there is nothing. */
static const char *text_at(const sp_table_runs *t, size_t row, size_t column)
{
    return sp_table_empty(&t->runs, row, column) ? NULL : sp_table_text(&t->runs, row, column);
}

static sp_status number_at(const sp_table_runs *t, size_t row, size_t column, double *out, sp_error *error)
{
    const char *text = text_at(t, row, column);
    *out = NAN;
    if (!text || strcmp(text, "NaN") == 0 || sp_read_number(text, out))
        return SP_OK;
    return sp_fail(error, SP_EDATA, "%s/runs.tsv:%zu: %s = %s is no number", t->folder, row + 2,
                   t->runs.column[column], text);
}

static sp_status count_at(const sp_table_runs *t, size_t row, size_t column, size_t *out, sp_error *error)
{
    double value;
    const sp_status status = number_at(t, row, column, &value, error);
    if (status != SP_OK)
        return status;
    *out = (size_t)value;
    return value >= 0.0 && value < 1e15 && value == floor(value)
               ? SP_OK
               : sp_fail(error, SP_EDATA, "%s/runs.tsv:%zu: %s = %s is no count", t->folder, row + 2,
                         t->runs.column[column], sp_table_text(&t->runs, row, column));
}

static void copy_text(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text ? text : "");
}

static sp_status read_status(const sp_table_runs *t, size_t row, sp_status *out, sp_error *error)
{
    const char *name = sp_table_text(&t->runs, row, t->column[STATUS]);
    *out = strcmp(name, "ok") == 0 ? SP_OK : sp_status_named(name);
    if (*out == SP_EVERSION && strcmp(name, sp_status_name(SP_EVERSION)) != 0)
        return sp_fail(error, SP_EDATA, "%s/runs.tsv:%zu: there is no status %s", t->folder, row + 2, name);
    return SP_OK;
}

static sp_bound_kind bound_named(const char *name)
{
    sp_bound_kind kind = 0;
    while (kind < SP_BOUNDS - 1 && strcmp(sp_bound_name(kind), name) != 0)
        kind++;
    return kind;
}

/* The typed columns of warnings, of what was promised and of a run that diverged; of tables of e19951b, which have sentences
 * alone, by core/base/old_warnings.h. */
static sp_status read_typed(const sp_table_runs *t, size_t row, sp_result *r, sp_error *error)
{
    const sp_table *runs = &t->runs;
    const size_t promise = sp_table_column(runs, "promise"), at_start = sp_table_column(runs, "promise_at_start");
    const size_t warnings = sp_table_column(runs, "warnings"), diverged = sp_table_column(runs, "diverged");
    if (promise == runs->columns || at_start == runs->columns || warnings == runs->columns || diverged == runs->columns) {
        r->warned = sp_old_warning_codes(r->warning);
        sp_old_promise(r->warning, &r->promise, &r->promise_at_start);
        return SP_OK;
    }
    const char *codes = text_at(t, row, warnings), *kind = text_at(t, row, diverged);
    r->warned = sp_warnings_read(codes ? codes : "");
    r->diverged = sp_divergence_named(kind ? kind : "");
    const sp_status status = number_at(t, row, promise, &r->promise, error);
    return status == SP_OK ? number_at(t, row, at_start, &r->promise_at_start, error) : status;
}

/* All but the measures. */
static sp_status read_row(const sp_table_runs *t, size_t row, sp_result *r, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t *c = t->column;
    size_t signal;
    const struct { size_t column; double *to; } numbers[] = {
        { c[REFERENCE_VALUE], &r->reference.value }, { c[POPULATION], &r->population.value },
        { c[EPSILON], &r->spent.best }, { c[GRADIENTS], &r->cost.gradients },
        { c[DIFFERENCES], &r->cost.differences }, { c[HESSIANS], &r->cost.hessians }, { c[LOSSES], &r->cost.losses },
    };
    sp_result_start(r);
    SP_TRY(read_status(t, row, &r->status, error));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        SP_TRY(number_at(t, row, numbers[i].column, numbers[i].to, error));
    if (t->handover < t->runs.columns)
        SP_TRY(number_at(t, row, t->handover, &r->handover, error));
    SP_TRY(count_at(t, row, c[RELEASES], &r->cost.releases, error));
    SP_TRY(count_at(t, row, c[STEPS], &r->steps, error));
    SP_TRY(count_at(t, row, c[SIGNAL], &signal, error));
    r->signal = (int)signal;
    copy_text(r->message, sizeof r->message, text_at(t, row, c[MESSAGE]));
    copy_text(r->warning, sizeof r->warning, text_at(t, row, c[WARNING]));
    SP_TRY(read_typed(t, row, r, error));
    copy_text(r->reference.method, sizeof r->reference.method, text_at(t, row, c[REFERENCE_METHOD]));
    copy_text(r->population.method, sizeof r->population.method, text_at(t, row, c[POPULATION_METHOD]));
    const char *bound = text_at(t, row, c[BOUND]), *resolved = text_at(t, row, c[RESOLVED]);
    if (bound) {
        r->spent.bound = bound_named(bound);
        r->spent.epsilon[r->spent.bound] = r->spent.best;
    }
    r->seconds = r->elapsed = NAN;
    r->resolved = sp_copy_text(resolved ? resolved : "");
    r->ledger = sp_copy_text(SP_LEDGER_UNKNOWN);
    if (!r->resolved || !r->ledger)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", t->folder));
cleanup:
    return status;
}

/* One measure, of whichever of the rows [begin, end) of a run has it; *found: one does. */
static sp_status read_measure(const sp_table_runs *t, size_t begin, size_t end, size_t column, double *value,
                              double *start, bool *found, sp_error *error)
{
    char name[128];
    snprintf(name, sizeof name, "start.%.100s", t->runs.column[column]);
    const size_t at_start = sp_table_column(&t->runs, name);
    *found = false;
    for (size_t i = begin; i < end && !*found && at_start < t->runs.columns; i++) {
        const size_t row = t->order[i];
        if (sp_table_empty(&t->runs, row, column))
            continue;
        *found = true;
        const sp_status status = number_at(t, row, column, value, error);
        return status == SP_OK ? number_at(t, row, at_start, start, error) : status;
    }
    return SP_OK;
}

/* The run in rows order[begin, end), whose cell gets the measures that it has. */
static sp_status read_run(const sp_table_runs *t, size_t begin, size_t end, sp_cell *cell, sp_result *r,
                          sp_error *error)
{
    sp_status status = SP_OK;
    double start[SP_MEASURES_MAX];
    cell->measures = 0;
    SP_TRY(read_row(t, t->order[begin], r, error));
    for (size_t c = 0; c < t->runs.columns && cell->measures < SP_MEASURES_MAX; c++) {
        const sp_measure *m = sp_measure_find(t->runs.column[c]);
        const size_t i = cell->measures;
        bool found = false;
        if (m)
            SP_TRY(read_measure(t, begin, end, c, &r->value[i], &start[i], &found, error));
        if (!found)
            continue;
        cell->measure[cell->measures++] = m;
    }
    if (r->status != SP_OK || cell->checkpoints <= 0.0)
        goto cleanup;
    if (!(r->trace = sp_alloc(1, sizeof *r->trace)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", t->folder));
    *r->trace = (sp_trace_point){ .step = 0, .seconds = NAN };
    memcpy(r->trace->value, start, sizeof start);
    r->traces = 1;
    r->untraced = (uint16_t)((1u << cell->measures) - 1u);
cleanup:
    return status;
}

sp_status sp_table_runs_read(const sp_table_runs *t, size_t i, sp_table_runs_each *each, void *context,
                             sp_error *error)
{
    sp_status status = SP_OK;
    const place *p = &t->place[i];
    const sp_measure *measure[SP_MEASURES_MAX]; /* those that the rows have */
    char from[512];
    sp_cell cell = *p->cell;
    cell.measure = measure;
    sp_table_run run = { .from = from, .cell = &cell, .replicate = p->replicate, .row = t->order[p->begin] };
    snprintf(from, sizeof from, "%s/runs.tsv:%zu", t->folder, run.row + 2);
    SP_TRY(read_run(t, p->begin, p->end, &cell, &run.result, error));
    SP_TRY(each(context, &run, error));
cleanup:
    sp_result_free(&run.result);
    return status;
}
