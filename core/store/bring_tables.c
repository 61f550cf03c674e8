/*
 * bring_tables.c -- the runs that exported tables hold; see bring.h.
 *
 * A run that several sweeps share stands in runs.tsv once a sweep, each time with the measures of that sweep: such rows
 * are one run with all of them. Every row is looked at before the first is stored.
 */
#include "core/base/memory.h"
#include "core/base/table.h"
#include "core/plan/registry.h"
#include "core/store/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_NAME, CELL, REPLICATE, STATUS, MESSAGE, SIGNAL, REFERENCE_VALUE, REFERENCE_METHOD, POPULATION, POPULATION_METHOD,
       EPSILON, BOUND, GRADIENTS, DIFFERENCES, HESSIANS, LOSSES, RELEASES, STEPS, RESOLVED, WARNING, COLUMNS };
static const char *const columns[COLUMNS] = {
    "run", "cell", "replicate", "status", "message", "signal", "reference", "reference_method", "population_reference",
    "population_reference_method", "epsilon_spent", "bound", "gradients", "differences", "hessians", "losses",
    "releases", "steps", "resolved", "warning"
};
static const char *const key_columns[SP_KEY_TEXTS] = { "data", "algorithm", "loss", "regulariser", "core", "platform",
                                                       "measures" };

/* Where a run stands in the plan. */
typedef struct planned {
    char name[SP_RUN_NAME];
    const sp_cell *cell;
    size_t replicate;
} planned;

typedef struct tables {
    const char *folder;
    const sp_plan *plan;
    sp_store *store;
    bool trust;
    sp_table runs, cells, keys, provenance; /* runs: each row with the columns of its cell; keys: empty without a file */
    size_t column[COLUMNS], handover;       /* handover: runs.columns where there is none */
    size_t key[SP_KEY_TEXTS], key_cell, key_replicates, key_made; /* columns of keys */
    size_t *order;                          /* rows of runs, by name */
    planned *planned;                       /* by name */
    size_t plans;
    uint64_t *invocation;                   /* by row of provenance; and behind them the one of all rows together */
    size_t last_key;
    sp_brought_runs *out;
} tables;

/* --- reading --------------------------------------------------------------------------------------------------- */

static sp_status read_table(const tables *t, const char *name, bool needed, sp_table *table, sp_error *error)
{
    char *path = sp_format("%s/%s", t->folder, name);
    sp_status status = path ? sp_table_read(path, table, error)
                            : sp_fail(error, SP_ENOMEM, "%s: out of memory", t->folder);
    if (status == SP_EABSENT && needed)
        sp_fail(error, status, "%s: no %s there: merge takes a folder of tables, as results/quickstart", t->folder,
                name);
    if (status == SP_EABSENT && !needed) {
        status = SP_OK;
        if (error)
            *error = (sp_error){ 0 };
    }
    free(path);
    return status;
}

static sp_status need(const tables *t, const sp_table *table, const char *file, const char *name, size_t *column,
                      sp_error *error)
{
    *column = sp_table_column(table, name);
    return *column < table->columns ? SP_OK
                                    : sp_fail(error, SP_EDATA, "%s/%s: no column %s", t->folder, file, name);
}

static sp_status open_tables(tables *t, sp_error *error)
{
    sp_status status = SP_OK;
    size_t *cell = NULL;
    SP_TRY(read_table(t, "runs.tsv", true, &t->runs, error));
    SP_TRY(read_table(t, "cells.tsv", true, &t->cells, error));
    SP_TRY(sp_table_join(&t->runs, &t->cells, "cell", t->folder, &cell, error));
    SP_TRY(read_table(t, "keys.tsv", false, &t->keys, error));
    SP_TRY(read_table(t, "provenance.tsv", false, &t->provenance, error));
    for (size_t c = 0; c < COLUMNS; c++)
        SP_TRY(need(t, &t->runs, "runs.tsv", columns[c], &t->column[c], error));
    t->handover = sp_table_column(&t->runs, "handover");
    for (size_t k = 0; k < SP_KEY_TEXTS && t->keys.columns > 0; k++)
        SP_TRY(need(t, &t->keys, "keys.tsv", key_columns[k], &t->key[k], error));
    if (t->keys.columns > 0) {
        SP_TRY(need(t, &t->keys, "keys.tsv", "cell", &t->key_cell, error));
        SP_TRY(need(t, &t->keys, "keys.tsv", "replicates", &t->key_replicates, error));
        SP_TRY(need(t, &t->keys, "keys.tsv", "made", &t->key_made, error));
    }
cleanup:
    free(cell);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const planned *)a)->name, ((const planned *)b)->name);
}

static int by_run(const void *a, const void *b, void *context)
{
    const tables *t = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int order = strcmp(sp_table_text(&t->runs, x, t->column[RUN_NAME]), sp_table_text(&t->runs, y, t->column[RUN_NAME]));
    return order ? order : (x > y) - (x < y);
}

static sp_status sort_all(tables *t, sp_error *error)
{
    const sp_plan *plan = t->plan;
    t->order = sp_alloc(t->runs.rows + 1, sizeof *t->order);
    t->planned = sp_alloc(plan->runs + 1, sizeof *t->planned);
    if (!t->order || !t->planned)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", t->folder);
    for (size_t i = 0; i < t->runs.rows; i++)
        t->order[i] = i;
    if (t->runs.rows > 0)
        qsort_r(t->order, t->runs.rows, sizeof *t->order, by_run, t);
    for (size_t i = 0; i < plan->cells; i++)
        for (size_t r = 0; !plan->cell[i].skip && !plan->cell[i].pending && r < plan->cell[i].replicates; r++) {
            planned *p = &t->planned[t->plans++];
            sp_run_name(&plan->cell[i], r, p->name);
            p->cell = &plan->cell[i];
            p->replicate = r;
        }
    if (t->plans > 0)
        qsort(t->planned, t->plans, sizeof *t->planned, by_name);
    return SP_OK;
}

/* --- a run ----------------------------------------------------------------------------------------------------- */

/* NULL where there is nothing. */
static const char *text_at(const tables *t, size_t row, size_t column)
{
    return sp_table_empty(&t->runs, row, column) ? NULL : sp_table_text(&t->runs, row, column);
}

static sp_status number_at(const tables *t, size_t row, size_t column, double *out, sp_error *error)
{
    const char *text = text_at(t, row, column);
    *out = NAN;
    if (!text || strcmp(text, "NaN") == 0 || sp_read_number(text, out))
        return SP_OK;
    return sp_fail(error, SP_EDATA, "%s/runs.tsv:%zu: %s = %s is no number", t->folder, row + 2,
                   t->runs.column[column], text);
}

static sp_status count_at(const tables *t, size_t row, size_t column, size_t *out, sp_error *error)
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

static sp_status read_status(const tables *t, size_t row, sp_status *out, sp_error *error)
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

/* All but the measures. */
static sp_status read_row(const tables *t, size_t row, sp_result *r, sp_error *error)
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
static sp_status read_measure(const tables *t, size_t begin, size_t end, size_t column, double *value, double *start,
                              bool *found, sp_error *error)
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
static sp_status read_run(const tables *t, size_t begin, size_t end, sp_cell *cell, sp_result *r, sp_error *error)
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

/* --- keys ------------------------------------------------------------------------------------------------------ */

/* "0-4,7": is it one of them? */
static bool holds_replicate(const char *ranges, size_t replicate)
{
    for (const char *at = ranges; *at; at += strcspn(at, ","), at += *at == ',') {
        unsigned long first, last;
        const int read = sscanf(at, "%lu-%lu", &first, &last);
        if (read >= 1 && replicate >= first && replicate <= (read == 2 ? last : first))
            return true;
    }
    return false;
}

/* The row of keys for a run; keys.rows: none. */
static size_t find_key(tables *t, size_t row, size_t replicate)
{
    const char *cell = sp_table_text(&t->runs, row, t->column[CELL]);
    for (size_t i = 0; i < t->keys.rows; i++) {
        const size_t at = (t->last_key + i) % t->keys.rows;
        if (strcmp(sp_table_text(&t->keys, at, t->key_cell), cell) == 0 &&
            holds_replicate(sp_table_text(&t->keys, at, t->key_replicates), replicate))
            return t->last_key = at;
    }
    return t->keys.rows;
}

/* text[] of a row of keys. */
static void take_key(const tables *t, size_t row, const char *text[SP_KEY_TEXTS])
{
    for (size_t k = 0; k < SP_KEY_TEXTS; k++)
        text[k] = sp_table_empty(&t->keys, row, t->key[k]) ? "" : sp_table_text(&t->keys, row, t->key[k]);
}

static uint64_t maker(const tables *t, size_t key)
{
    const size_t all = t->provenance.rows;
    const double made = key < t->keys.rows ? sp_table_number(&t->keys, key, t->key_made) : NAN;
    if (made >= 1.0 && made <= (double)all)
        return t->invocation[(size_t)made - 1];
    return t->invocation[all == 1 ? 0 : all];
}

/* --- who made them --------------------------------------------------------------------------------------------- */

/* Row of provenance, or what all its rows say, "one or other". NULL when out of memory. */
static char *said_by(const sp_table *p, size_t row, const char *name)
{
    const size_t c = sp_table_column(p, name);
    sp_text text = { 0 };
    if (c == p->columns)
        return sp_copy_text("unknown");
    for (size_t r = row < p->rows ? row : 0; r < (row < p->rows ? row + 1 : p->rows); r++)
        if (r == row || r == 0 || strcmp(sp_table_text(p, r, c), sp_table_text(p, r - 1, c)) != 0)
            sp_text_append(&text, "%s%s", text.length > 0 ? " or " : "",
                           sp_table_empty(p, r, c) ? "" : sp_table_text(p, r, c));
    if (text.failed)
        sp_text_free(&text);
    return text.failed ? NULL : text.data ? text.data : sp_copy_text("");
}

static sp_status bring_maker(tables *t, size_t row, sp_error *error)
{
    const sp_table *p = &t->provenance;
    sp_provenance_row made = { .script = (char *)"" };
    char **const text[] = { &made.started, &made.command, &made.scale, &made.commit, &made.compiler, &made.flags,
                            &made.libraries, &made.blas_core, &made.cpu };
    static const char *const name[] = { "started", "command", "scale", "commit", "compiler", "flags", "libraries",
                                        "blas_core", "cpu" };
    bool complete = true;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        complete = (*text[i] = said_by(p, row, name[i])) && complete;
    char *dirty = said_by(p, row, "dirty");
    made.dirty = dirty && strstr(dirty, "yes");
    const sp_status status = complete && dirty ? sp_store_bring_invocation(t->store, &made, &t->invocation[row], error)
                                               : sp_fail(error, SP_ENOMEM, "%s: out of memory", t->folder);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        free(*text[i]);
    free(dirty);
    return status;
}

/* All of them, and where there are several the one that stands for "one of these". */
static sp_status bring_makers(tables *t, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t rows = t->provenance.rows;
    if (!(t->invocation = sp_alloc(rows + 1, sizeof *t->invocation)))
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", t->folder);
    for (size_t row = 0; row < rows; row++)
        SP_TRY(bring_maker(t, row, error));
    if (rows > 1 && t->keys.rows == 0)
        SP_TRY(bring_maker(t, rows, error));
cleanup:
    return status;
}

/* --- all runs -------------------------------------------------------------------------------------------------- */

static sp_status bring_run(tables *t, const planned *p, size_t begin, size_t end, bool dry, sp_error *error)
{
    sp_status status = SP_OK;
    const char *text[SP_KEY_TEXTS];
    char from[512];
    const sp_measure *measure[SP_MEASURES_MAX]; /* those that the row has */
    sp_cell cell = *p->cell;
    sp_result result = { 0 };
    sp_brought what;
    const size_t row = t->order[begin], key = find_key(t, row, p->replicate);
    cell.measure = measure;
    SP_TRY(read_run(t, begin, end, &cell, &result, error));
    if (key < t->keys.rows)
        take_key(t, key, text);
    snprintf(from, sizeof from, "%s/runs.tsv:%zu", t->folder, row + 2);
    const sp_incoming in = { .from = from, .cell = &cell, .replicate = p->replicate, .result = &result,
                             .key = key < t->keys.rows ? text : t->trust ? sp_key_trusted : NULL,
                             .invocation = dry ? 0 : maker(t, key) };
    SP_TRY(sp_store_bring(t->store, &in, dry, &what, error));
    if (dry)
        goto cleanup;
    const bool added = what == SP_BROUGHT_NEW || what == SP_BROUGHT_INSTEAD;
    t->out->of[what]++;
    t->out->unknown += added && !in.key;
    t->out->stale += added && in.key && !sp_key_is_current(&cell, in.key);
    t->out->untraced += added && result.traces > 0;
cleanup:
    sp_result_free(&result);
    return status;
}

static sp_status bring_runs(tables *t, bool dry, sp_error *error)
{
    sp_status status = SP_OK;
    t->out->foreign = 0;
    for (size_t begin = 0, end = 0; begin < t->runs.rows; begin = end) {
        const char *name = sp_table_text(&t->runs, t->order[begin], t->column[RUN_NAME]);
        while (end < t->runs.rows && strcmp(sp_table_text(&t->runs, t->order[end], t->column[RUN_NAME]), name) == 0)
            end++;
        planned wanted = { .replicate = 0 };
        snprintf(wanted.name, sizeof wanted.name, "%s", name);
        const planned *found = t->plans > 0 && strlen(name) == SP_RUN_NAME - 1
                                   ? bsearch(&wanted, t->planned, t->plans, sizeof wanted, by_name) : NULL;
        if (found)
            SP_TRY(bring_run(t, found, begin, end, dry, error));
        else
            t->out->foreign += end - begin;
    }
cleanup:
    return status;
}

sp_status sp_bring_tables(const sp_plan *plan, sp_store *store, const char *folder, bool trust, sp_brought_runs *out,
                          sp_error *error)
{
    sp_status status = SP_OK;
    tables t = { .folder = folder, .plan = plan, .store = store, .trust = trust, .out = out };
    *out = (sp_brought_runs){ 0 };
    SP_TRY(open_tables(&t, error));
    SP_TRY(sort_all(&t, error));
    SP_TRY(bring_runs(&t, true, error));
    SP_TRY(bring_makers(&t, error));
    SP_TRY(bring_runs(&t, false, error));
cleanup:
    sp_table_free(&t.runs);
    sp_table_free(&t.cells);
    sp_table_free(&t.keys);
    sp_table_free(&t.provenance);
    free(t.order);
    free(t.planned);
    free(t.invocation);
    return status;
}
