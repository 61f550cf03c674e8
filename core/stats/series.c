/* series.c -- collects rows of runs.tsv into the points of a series (series.h). */
#include "core/stats/series.h"

#include "core/base/memory.h"
#include "core/base/old_warnings.h"
#include "core/base/resolved.h"
#include "core/numeric/stream.h"
#include "core/stats/inference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double level_95 = 0.95;

/* --- columns and rows ------------------------------------------------------------------------------------- */

/* Among the columns that `axis` marks (NULL: all). */
static size_t find_axis(const sp_table *t, const bool *axis, const char *name)
{
    static const char *const prefix[] = { "", "problem.", "privacy.", "algorithm." }; /* as sp_cell_axis */
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        for (size_t c = 0; c < t->columns; c++) {
            const size_t length = strlen(prefix[i]);
            if ((!axis || axis[c]) && strncmp(t->column[c], prefix[i], length) == 0 &&
                strcmp(t->column[c] + length, name) == 0)
                return c;
        }
    return t->columns;
}

size_t sp_table_axis(const sp_table *table, const char *name)
{
    return find_axis(table, NULL, name);
}

size_t sp_runs_column(const sp_runs *runs, const char *name)
{
    const size_t axis = strcmp(name, "label") == 0 ? runs->label : find_axis(&runs->table, runs->axis, name);
    return axis == runs->table.columns && sp_is_budget(name) ? sp_table_column(&runs->table, name) : axis;
}

size_t sp_runs_start_column(const sp_runs *runs, const char *measure)
{
    const sp_table *t = &runs->table;
    const char prefix[] = "start.";
    size_t c = 0;
    while (c < t->columns && (strncmp(t->column[c], prefix, sizeof prefix - 1) != 0 ||
                              strcmp(t->column[c] + sizeof prefix - 1, measure) != 0))
        c++;
    return c;
}

bool sp_runs_joint(const sp_runs *runs, const char *x)
{
    const size_t column = sp_runs_column(runs, x);
    return column == runs->table.columns || strncmp(runs->table.column[column], "problem", strlen("problem")) != 0;
}

bool sp_runs_tunes(const sp_runs *runs, const char *sweep, const char *label, const sp_axis_value *where, size_t wheres,
                   size_t row)
{
    const sp_table *t = &runs->tuning;
    const size_t sweeps = sp_table_column(t, "sweep"), labels = sp_table_column(t, "label");
    if (sweeps == t->columns || labels == t->columns || strcmp(sp_table_text(t, row, sweeps), sweep) != 0 ||
        strcmp(sp_table_text(t, row, labels), label) != 0)
        return false;
    for (size_t i = 0; i < wheres; i++) {
        const size_t column = sp_table_axis(t, where[i].key);
        const bool known = column < t->columns && !sp_table_empty(t, row, column); /* else members differ in it */
        if (known && strcmp(sp_table_text(t, row, column), where[i].value) != 0)
            return false;
    }
    return true;
}

/* Does the row of tuning.tsv say nothing but what the run's cell has? */
static bool is_tuning_of(const sp_runs *runs, size_t tuning, size_t row)
{
    const sp_table *t = &runs->tuning, *r = &runs->table;
    for (size_t k = 0; k < t->columns; k++) {
        const size_t column = sp_table_column(r, t->column[k]);
        const bool key = column < r->columns && (column == runs->sweep || column == runs->label || runs->axis[column]);
        if (key && !sp_table_empty(t, tuning, k) &&
            strcmp(sp_table_text(t, tuning, k), sp_table_text(r, row, column)) != 0)
            return false;
    }
    return true;
}

bool sp_runs_on_edge(const sp_runs *runs, size_t row)
{
    const sp_table *t = &runs->tuning;
    const size_t edge = sp_table_column(t, "edge");
    bool yes = false;
    for (size_t i = 0; i < t->rows && edge < t->columns && !yes; i++)
        yes = !sp_table_empty(t, i, edge) && is_tuning_of(runs, i, row);
    return yes;
}

const char *sp_runs_text(const sp_runs *runs, size_t row, size_t column)
{
    const sp_table *t = &runs->table;
    const bool unsaid = sp_table_empty(t, row, column) && strcmp(t->column[column], "privacy.neighbours") == 0 &&
                        strcmp(sp_table_text(t, row, runs->private), "no") != 0;
    return unsaid ? "replace_one" : sp_table_text(t, row, column);
}

bool sp_runs_succeeded(const sp_runs *runs, size_t row)
{
    return strcmp(sp_table_text(&runs->table, row, runs->status), "ok") == 0;
}

/* Has any run of the row's cell a number in this column? */
static bool has_number(const sp_runs *runs, size_t row, size_t y)
{
    while (row > 0 && sp_runs_same_cell(runs, row - 1, row))
        row--;
    for (size_t r = row; r < runs->table.rows && sp_runs_same_cell(runs, row, r); r++)
        if (sp_runs_succeeded(runs, r) && isfinite(sp_table_number(&runs->table, r, y)))
            return true;
    return false;
}

double sp_runs_value(const sp_runs *runs, size_t row, size_t y, bool lower_is_better)
{
    const sp_table *t = &runs->table;
    const double value = sp_table_number(t, row, y), worst = lower_is_better ? INFINITY : -INFINITY;
    if (strcmp(sp_table_text(t, row, runs->status), "SP_EREFERENCE") == 0 || sp_table_empty(t, row, y))
        return NAN;
    if (!sp_runs_succeeded(runs, row) || isinf(value))
        return worst;
    return !isnan(value) ? value : has_number(runs, row, y) ? worst : NAN;
}

bool sp_runs_diverged(const sp_runs *runs, size_t row)
{
    return runs->diverged < runs->table.columns && !sp_table_empty(&runs->table, row, runs->diverged);
}

double sp_runs_rank_value(const sp_runs *runs, size_t row, size_t y, bool lower_is_better)
{
    const double value = sp_runs_value(runs, row, y, lower_is_better);
    return sp_runs_diverged(runs, row) && !isnan(value) ? lower_is_better ? INFINITY : -INFINITY : value;
}

void sp_runs_promise(const sp_runs *runs, size_t row, double *promise, double *at_start)
{
    const sp_table *t = &runs->table;
    const size_t column = sp_table_column(t, "promise"), warning = sp_table_column(t, "warning");
    *promise = *at_start = NAN;
    if (column < t->columns) {
        *promise = sp_table_number(t, row, column);
        *at_start = sp_table_number(t, row, sp_table_column(t, "promise_at_start"));
    } else if (warning < t->columns) {
        sp_old_promise(sp_table_text(t, row, warning), promise, at_start);
    }
}

void sp_runs_caps(const sp_runs *runs, size_t row, sp_text *out)
{
    const sp_table *t = &runs->table;
    const size_t column = sp_table_column(t, "capped"), resolved = sp_table_column(t, "resolved");
    if (column < t->columns && !sp_table_empty(t, row, column))
        sp_text_add_text(out, sp_table_text(t, row, column));
    else if (column == t->columns && resolved < t->columns)
        sp_resolved_caps(sp_table_text(t, row, resolved), out);
}

double sp_oracle_calls(const sp_table *t, size_t row)
{
    static const struct { const char *column; double points; } cost[] = { { "gradients", 1 }, { "differences", 2 },
                                                                          { "hessians", 1 }, { "losses", 1 } };
    double calls = 0.0;
    for (size_t i = 0; i < sizeof cost / sizeof *cost; i++) {
        const size_t column = sp_table_column(t, cost[i].column);
        calls += column < t->columns ? cost[i].points * sp_table_number(t, row, column) : NAN;
    }
    return calls;
}

bool sp_runs_same_cell(const sp_runs *runs, size_t a, size_t b)
{
    return runs->cell[a] == runs->cell[b];
}

bool sp_runs_selected(const sp_runs *runs, const sp_selection *s, size_t row)
{
    const sp_table *t = &runs->table;
    if ((s->sweep && strcmp(sp_table_text(t, row, runs->sweep), s->sweep) != 0) ||
        (s->label && strcmp(sp_table_text(t, row, runs->label), s->label) != 0))
        return false;
    for (size_t i = 0; i < s->wheres; i++) {
        const size_t column = sp_runs_column(runs, s->where[i].key);
        if (column == t->columns || strcmp(sp_table_text(t, row, column), s->where[i].value) != 0)
            return false;
    }
    return true;
}

void sp_runs_cell(const sp_runs *runs, size_t first, size_t y, double *value, size_t *failed, sp_interval *mean,
                  sp_interval *median)
{
    const sp_table *t = &runs->table;
    size_t worst = 0;
    for (size_t r = 0; r < runs->replicates; r++)
        value[r] = NAN;
    for (size_t row = first; row < t->rows && sp_runs_same_cell(runs, first, row); row++) {
        const double found = sp_runs_value(runs, row, y, true);
        worst += isinf(found) != 0;
        value[(size_t)sp_table_number(t, row, runs->replicate)] = isfinite(found) ? found : NAN;
    }
    if (failed)
        *failed = worst;
    *mean = sp_mean_t(value, runs->replicates, level_95);
    if (median)
        *median = sp_median_exact(value, runs->replicates, level_95);
}

/* --- streams ---------------------------------------------------------------------------------------------- */

gsl_rng *sp_runs_exponent_stream(const sp_runs *runs, size_t row, const char *y, const char *x)
{
    const sp_table *t = &runs->table;
    char *name = sp_need(sp_format("exponent\t%s\t%s\t%s\t%s", sp_table_text(t, row, runs->sweep),
                                   sp_table_text(t, row, runs->label), y, x));
    gsl_rng *stream = sp_need(sp_stream_open(sp_stream_key_of(runs->seed, name, 0, SP_STREAM_BOOTSTRAP)));
    free(name);
    return stream;
}

sp_slope sp_series_fit(const sp_runs *runs, const sp_selection *s, const sp_series *series)
{
    const sp_points points = { series->points, series->replicates, series->x, series->value,
                               sp_runs_joint(runs, s->x) };
    sp_slope slope = sp_no_slope;
    sp_slope_fit(&points, NULL, &slope, NULL);
    return slope;
}

/* --- series ----------------------------------------------------------------------------------------------- */

static bool same_text(const sp_table *t, size_t a, size_t b, size_t column)
{
    return strcmp(sp_table_text(t, a, column), sp_table_text(t, b, column)) == 0;
}

sp_status sp_runs_ambiguous(const sp_runs *runs, const char *place, size_t a, size_t b, const char *at, sp_error *error)
{
    sp_text text = { 0 };
    const sp_table *t = &runs->table;
    size_t first = t->columns;
    for (size_t c = 0; c < t->columns; c++)
        if (runs->axis[c] && !same_text(t, a, b, c)) {
            sp_text_append(&text, "%s%s (%s, %s)", first < t->columns ? ", " : "", t->column[c], sp_table_text(t, a, c),
                           sp_table_text(t, b, c));
            first = first < t->columns ? first : c;
        }
    sp_need_text(&text);
    const sp_status status =
        sp_fail(error, SP_EINVAL,
                "%s: several cells of %s%s differ in %s: choose one with where = { [\"%s\"] = \"%s\" }", place,
                sp_table_text(t, a, runs->label), at, text.data, t->column[first], sp_table_text(t, a, first));
    sp_text_free(&text);
    return status;
}

void sp_series_alloc(const sp_runs *runs, size_t points, sp_series *out)
{
    out->replicates = runs->replicates;
    out->x = sp_need(sp_alloc_doubles(points));
    out->value = sp_need(sp_alloc_doubles(points * runs->replicates));
    out->mean = sp_need(sp_alloc(points, sizeof *out->mean));
    for (size_t i = 0; i < points * runs->replicates; i++)
        out->value[i] = NAN;
}

void sp_series_free(sp_series *series)
{
    free(series->x);
    free(series->value);
    free(series->mean);
    *series = (sp_series){ 0 };
}

sp_status sp_series_collect(const sp_runs *runs, const sp_selection *s, bool level, sp_series *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &runs->table;
    const size_t x = sp_runs_column(runs, s->x), y = sp_table_column(t, s->y);
    double *at = sp_need(sp_alloc_doubles(t->rows + 1));
    size_t *row_of = sp_need(sp_alloc(t->rows + 1, sizeof *row_of)), rows = 0;
    size_t *first = NULL; /* by point: first row of its cell */
    *out = (sp_series){ .label = s->label };
    if (y == t->columns)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: runs.tsv has no column %s", s->place, s->y));
    for (size_t row = 0; row < t->rows; row++) {
        const double value = x < t->columns ? sp_table_number(t, row, x) : NAN;
        if (!sp_runs_selected(runs, s, row) || isfinite(value) == level)
            continue;
        at[rows] = level ? 0.0 : value;
        row_of[rows++] = row;
    }
    if (rows == 0)
        goto cleanup;
    out->row = row_of[0];
    sp_series_alloc(runs, rows, out);
    memcpy(out->x, at, rows * sizeof *at);
    out->points = sp_distinct(out->x, rows);
    first = sp_need(sp_alloc(out->points, sizeof *first));
    for (size_t i = rows; i-- > 0;)
        first[sp_find_sorted(out->x, out->points, at[i])] = row_of[i];
    for (size_t i = 0; i < rows; i++) {
        const size_t cell = first[sp_find_sorted(out->x, out->points, at[i])];
        char place[64] = "";
        if (sp_runs_same_cell(runs, cell, row_of[i]))
            continue;
        if (!level)
            snprintf(place, sizeof place, " at %s = %g", s->x, at[i]);
        SP_TRY(sp_runs_ambiguous(runs, s->place, cell, row_of[i], place, error));
    }
    for (size_t p = 0; p < out->points; p++)
        sp_runs_cell(runs, first[p], y, out->value + p * out->replicates, NULL, &out->mean[p], NULL);
    if (level)
        out->x[0] = NAN;
cleanup:
    free(at);
    free(row_of);
    free(first);
    if (status != SP_OK)
        sp_series_free(out);
    return status;
}
