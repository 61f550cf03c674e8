/* traces.c -- reads checkpoints of runs and makes trajectories from them (series.h). */
#include "core/stats/series.h"

#include "core/base/memory.h"
#include "core/stats/inference.h"
#include "core/stats/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS, SECONDS, MADE }; /* columns that traces.tsv does not have */

/* value[row * MADE + SECONDS]: the checkpoints stand in timings.tsv in the order of traces.tsv. */
static sp_status read_seconds(const char *results, const sp_table *trace, double *value, sp_error *error)
{
    static const char *const name[] = { "run", "sweep", "step" };
    enum { KEYS = sizeof name / sizeof *name };
    sp_status status = SP_OK;
    sp_table t = { 0 };
    size_t ours[KEYS], theirs[KEYS], seconds, row = 0;
    status = sp_results_table(results, "timings.tsv", &t, error);
    if (status == SP_EABSENT) { /* seconds are not known */
        if (error)
            *error = (sp_error){ 0 };
        return SP_OK;
    }
    SP_TRY(status);
    SP_TRY(sp_need_column(&t, "timings.tsv", "seconds", &seconds, error));
    for (size_t k = 0; k < KEYS; k++) {
        SP_TRY(sp_need_column(trace, "traces.tsv", name[k], &ours[k], error));
        SP_TRY(sp_need_column(&t, "timings.tsv", name[k], &theirs[k], error));
    }
    for (size_t i = 0; i < t.rows; i++) {
        bool same = row < trace->rows;
        if (sp_table_empty(&t, i, theirs[KEYS - 1])) /* of a whole run */
            continue;
        for (size_t k = 0; k < KEYS && same; k++)
            same = strcmp(sp_table_text(trace, row, ours[k]), sp_table_text(&t, i, theirs[k])) == 0;
        if (!same)
            SP_TRY(sp_fail(error, SP_EDATA, "%s/timings.tsv: line %zu: traces.tsv is of other runs", results, i + 2));
        const bool start = sp_table_number(&t, i, theirs[KEYS - 1]) == 0.0; /* at no time, as at no cost */
        value[row++ * MADE + SECONDS] = start ? 0.0 : sp_table_number(&t, i, seconds);
    }
    if (row < trace->rows)
        SP_TRY(sp_fail(error, SP_EDATA, "%s/timings.tsv: %zu of the %zu checkpoints in traces.tsv", results, row,
                       trace->rows));
cleanup:
    sp_table_free(&t);
    return status;
}

sp_status sp_runs_read_traces(const char *results, bool seconds, sp_runs *runs, sp_error *error)
{
    static const char *const name[] = { [CALLS] = "oracle_calls", [SECONDS] = "seconds" };
    sp_status status = SP_OK;
    double *value = NULL;
    SP_TRY(sp_results_table(results, "traces.tsv", &runs->trace, error));
    value = sp_need(sp_alloc_doubles(runs->trace.rows * MADE + 1));
    for (size_t row = 0; row < runs->trace.rows; row++) {
        value[row * MADE + CALLS] = sp_oracle_calls(&runs->trace, row);
        value[row * MADE + SECONDS] = NAN;
    }
    if (seconds)
        SP_TRY(read_seconds(results, &runs->trace, value, error));
    SP_TRY(sp_table_add(&runs->trace, name, MADE, value, "traces.tsv", error));
cleanup:
    free(value);
    return status;
}

typedef struct named_row {
    const char *name; /* of a run */
    size_t row;       /* of runs.tsv */
} named_row;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named_row *)a)->name, ((const named_row *)b)->name);
}

/* The row of runs.tsv among `rows`, sorted by name, that a row of traces.tsv belongs to; table.rows when there is
 * none. One run may stand in two sweeps, with other measures in each. */
static size_t owner(const sp_runs *runs, const char *name, const char *sweep, const named_row *rows, size_t count)
{
    const named_row *found = bsearch(&(named_row){ .name = name }, rows, count, sizeof *rows, by_name);
    const bool ours = found && strcmp(sp_table_text(&runs->table, found->row, runs->sweep), sweep) == 0;
    return ours ? found->row : runs->table.rows;
}

sp_status sp_series_trace(const sp_runs *runs, const sp_selection *s, sp_series *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &runs->table, *trace = &runs->trace;
    const size_t handover = sp_table_column(t, "handover");
    size_t run, sweep, step, x, y, rows = 0;
    double begins = 0.0, handed = 0.0;
    named_row *named = sp_need(sp_alloc(t->rows + 1, sizeof *named));
    double *steps = sp_need(sp_alloc_doubles(trace->rows + 1)), *seen = sp_need(sp_alloc_doubles(trace->rows + 1));
    *out = (sp_series){ .label = s->label, .handover = NAN };
    SP_TRY(sp_need_column(trace, "traces.tsv", "run", &run, error));
    SP_TRY(sp_need_column(trace, "traces.tsv", "sweep", &sweep, error));
    SP_TRY(sp_need_column(trace, "traces.tsv", "step", &step, error));
    SP_TRY(sp_need_column(trace, "traces.tsv", s->x, &x, error));
    SP_TRY(sp_need_column(trace, "traces.tsv", s->y, &y, error));
    for (size_t row = 0; row < t->rows; row++) {
        if (!sp_runs_selected(runs, s, row))
            continue;
        if (rows > 0 && !sp_runs_same_cell(runs, named[0].row, row))
            SP_TRY(sp_runs_ambiguous(runs, s->place, named[0].row, row, "", error));
        named[rows++] = (named_row){ sp_table_text(t, row, runs->run), row };
    }
    out->row = rows > 0 ? named[0].row : 0;
    qsort(named, rows, sizeof *named, by_name);
    for (size_t i = 0; i < trace->rows; i++)
        if (owner(runs, sp_table_text(trace, i, run), sp_table_text(trace, i, sweep), named, rows) < t->rows)
            steps[out->points++] = sp_table_number(trace, i, step);
    out->points = sp_distinct(steps, out->points);
    if (out->points == 0)
        goto cleanup;
    sp_series_alloc(runs, out->points, out);
    for (size_t i = 0; i < trace->rows; i++) {
        const size_t row =
            owner(runs, sp_table_text(trace, i, run), sp_table_text(trace, i, sweep), named, rows);
        if (row == t->rows || !sp_runs_succeeded(runs, row))
            continue;
        const size_t p = sp_find_sorted(steps, out->points, sp_table_number(trace, i, step));
        const size_t replicate = (size_t)sp_table_number(t, row, runs->replicate);
        out->value[p * out->replicates + replicate] = sp_table_number(trace, i, y);
        out->x[p] += sp_table_number(trace, i, x);
        seen[p] += 1.0;
        if (handover < t->columns && sp_table_number(trace, i, step) == sp_table_number(t, row, handover)) {
            begins += sp_table_number(trace, i, x);
            handed += 1.0;
        }
    }
    out->handover = begins / handed;
    for (size_t p = 0; p < out->points; p++) {
        out->x[p] = seen[p] > 0.0 ? out->x[p] / seen[p] : NAN;
        out->mean[p] = sp_mean_t(out->value + p * out->replicates, out->replicates, 0.95);
    }
cleanup:
    free(named);
    free(steps);
    free(seen);
    if (status != SP_OK)
        sp_series_free(out);
    return status;
}
