/* curve.c -- collects the points of a claim's curve from the tables (curve.h). */
#include "core/rates/curve.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gathering {
    const sp_runs *runs;
    const sp_claim *claim;
    const char *place;
    sp_selection selection;
    size_t x, y, start;         /* columns: an axis, a measure, that measure at the starting point */
    size_t alpha, family;       /* columns, when the claim has them */
    sp_curve *curve;
    sp_error *error;
} gathering;

/* --- places -------------------------------------------------------------------------------------------------- */

/* Index of the cell that a row belongs to; SIZE_MAX when it has no place on the curve. */
static size_t cell_of(const gathering *g, size_t row)
{
    const sp_table *t = &g->runs->table;
    const sp_curve *c = g->curve;
    const size_t p = sp_find_sorted(c->x, c->points, sp_table_number(t, row, g->x));
    const size_t l = g->claim->alpha ? sp_find_sorted(c->level, c->levels, sp_table_number(t, row, g->alpha)) : 0;
    size_t m = 0;
    while (g->claim->family && m < c->members && strcmp(c->member[m], sp_table_text(t, row, g->family)) != 0)
        m++;
    return p < c->points && l < c->levels && m < c->members ? (p * c->levels + l) * c->members + m : SIZE_MAX;
}

static bool belongs(const gathering *g, size_t row)
{
    const sp_table *t = &g->runs->table;
    return sp_runs_selected(g->runs, &g->selection, row) && isfinite(sp_table_number(t, row, g->x)) &&
           (!g->claim->alpha || isfinite(sp_table_number(t, row, g->alpha)));
}

static int ascending_texts(const void *a, const void *b)
{
    double x, y;
    sp_read_number(*(const char *const *)a, &x);
    sp_read_number(*(const char *const *)b, &y);
    return (x > y) - (x < y);
}

static void add_member(sp_curve *c, const char *text)
{
    size_t m = 0;
    while (m < c->members && strcmp(c->member[m], text) != 0)
        m++;
    c->member[m] = text;
    c->members += m == c->members;
}

static sp_status find_places(gathering *g)
{
    const sp_table *t = &g->runs->table;
    sp_curve *c = g->curve;
    size_t rows = 0;
    bool numbers = true;
    c->x = sp_need(sp_alloc_doubles(t->rows + 1));
    c->level = sp_need(sp_alloc_doubles(t->rows + 1));
    c->member = sp_need(sp_alloc(t->rows + 1, sizeof *c->member));
    for (size_t row = 0; row < t->rows; row++)
        if (belongs(g, row)) {
            c->x[rows] = sp_table_number(t, row, g->x);
            c->level[rows++] = g->claim->alpha ? sp_table_number(t, row, g->alpha) : 0.0;
            if (g->claim->family)
                add_member(c, sp_table_text(t, row, g->family));
        }
    c->points = sp_distinct(c->x, rows);
    c->levels = sp_distinct(c->level, rows);
    for (size_t m = 0; m < c->members; m++) {
        double unused;
        numbers = numbers && sp_read_number(c->member[m], &unused);
    }
    if (numbers && c->members > 1)
        qsort(c->member, c->members, sizeof *c->member, ascending_texts);
    if (!g->claim->family)
        c->members = rows > 0;
    return SP_OK;
}

/* --- values -------------------------------------------------------------------------------------------------- */

static sp_status make_room(gathering *g)
{
    sp_curve *c = g->curve;
    const sp_table *t = &g->runs->table;
    for (size_t row = 0; row < t->rows; row++) /* of this sweep: another one may have more */
        if (strcmp(sp_table_text(t, row, g->runs->sweep), g->claim->sweep) == 0)
            c->replicates = (size_t)fmax((double)c->replicates, sp_table_number(t, row, g->runs->replicate) + 1.0);
    const size_t cells = c->points * c->levels * c->members, values = cells * c->replicates;
    c->row = sp_need(sp_alloc(cells + 1, sizeof *c->row));
    c->value = sp_need(sp_alloc_doubles(values + 1));
    c->start = sp_need(sp_alloc_doubles(values + 1));
    c->noise_free = sp_need(sp_alloc_doubles(values + 1));
    for (size_t i = 0; i < cells; i++)
        c->row[i] = g->runs->table.rows;
    for (size_t i = 0; i < values; i++)
        c->value[i] = c->start[i] = c->noise_free[i] = NAN;
    return SP_OK;
}

static double *slot(const gathering *g, double *values, size_t cell, size_t row)
{
    return values + cell * g->curve->replicates + (size_t)sp_table_number(&g->runs->table, row, g->runs->replicate);
}

static sp_status place_values(gathering *g)
{
    sp_status status = SP_OK;
    const sp_runs *runs = g->runs;
    sp_curve *c = g->curve;
    for (size_t row = 0; row < runs->table.rows; row++) {
        const size_t cell = belongs(g, row) ? cell_of(g, row) : SIZE_MAX;
        if (cell == SIZE_MAX)
            continue;
        if (c->row[cell] == runs->table.rows)
            c->row[cell] = row;
        if (!sp_runs_same_cell(runs, c->row[cell], row)) {
            char at[96];
            snprintf(at, sizeof at, " at %s = %g", g->claim->x, sp_table_number(&runs->table, row, g->x));
            SP_TRY(sp_runs_ambiguous(runs, g->place, c->row[cell], row, at, g->error));
        }
        const double y = sp_runs_succeeded(runs, row) ? sp_table_number(&runs->table, row, g->y) : NAN;
        c->runs++;
        c->diverged += sp_runs_diverged(runs, row);
        c->private = c->private || strcmp(sp_table_text(&runs->table, row, runs->private), "yes") == 0;
        if (isfinite(y))
            *slot(g, c->value, cell, row) = y;
        else
            c->failed++;
        if (g->start < runs->table.columns)
            *slot(g, c->start, cell, row) = sp_table_number(&runs->table, row, g->start);
    }
cleanup:
    return status;
}

/* --- without noise ------------------------------------------------------------------------------------------- */

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The same algorithm and parameters on the same problem and, if the noise-free run has one, under the same budget. */
static bool same_schedule(const sp_runs *runs, size_t row, size_t noise_free)
{
    const sp_table *t = &runs->table;
    const bool none = strcmp(sp_table_text(t, noise_free, runs->private), "no") == 0;
    for (size_t c = 0; c < t->columns; c++) {
        const bool budget = has_prefix(t->column[c], "privacy");
        if (runs->axis[c] && strcmp(t->column[c], "privacy.noise") != 0 && !(none && budget) &&
            strcmp(sp_runs_text(runs, row, c), sp_runs_text(runs, noise_free, c)) != 0)
            return false;
    }
    return true;
}

/* The values of the runs whose column `private` says `word`, at every place of the curve that has their schedule. */
static sp_status place_noise_free(gathering *g, const char *word)
{
    const sp_runs *runs = g->runs;
    const sp_table *t = &runs->table;
    sp_curve *c = g->curve;
    const size_t cells = c->points * c->levels * c->members;
    size_t *same = sp_need(sp_alloc(cells + 1, sizeof *same)), sames = 0; /* cells of the curve with a row's schedule */
    size_t before = t->rows; /* the row that they were found for */
    for (size_t row = 0; row < t->rows; row++) {
        if (strcmp(sp_table_text(t, row, runs->private), word) != 0 ||
            strcmp(sp_table_text(t, row, runs->sweep), g->claim->sweep) != 0 || !sp_runs_succeeded(runs, row))
            continue;
        if (before == t->rows || !sp_runs_same_cell(runs, before, row)) {
            sames = 0;
            for (size_t cell = 0; cell < cells; cell++)
                if (c->row[cell] < t->rows && same_schedule(runs, c->row[cell], row))
                    same[sames++] = cell;
            before = row;
        }
        for (size_t i = 0; i < sames; i++) {
            *slot(g, c->noise_free, same[i], row) = sp_table_number(t, row, g->y);
            c->noise_free_label = sp_table_text(t, row, runs->label);
        }
    }
    free(same);
    return SP_OK;
}

/* --- the whole ----------------------------------------------------------------------------------------------- */

static sp_status find_columns(gathering *g)
{
    const sp_claim *claim = g->claim;
    const sp_table *t = &g->runs->table;
    const struct { const char *name; size_t *column; } axis[] = {
        { claim->x, &g->x }, { claim->alpha, &g->alpha }, { claim->family, &g->family }
    };
    for (size_t i = 0; i < sizeof axis / sizeof *axis; i++) {
        *axis[i].column = axis[i].name ? sp_runs_column(g->runs, axis[i].name) : t->columns;
        if (axis[i].name && *axis[i].column == t->columns)
            return sp_fail(g->error, SP_EINVAL, "%s: runs.tsv has no axis %s", g->place, axis[i].name);
    }
    g->y = sp_table_column(t, claim->y);
    g->start = sp_runs_start_column(g->runs, claim->y);
    return g->y < t->columns ? SP_OK
                             : sp_fail(g->error, SP_EINVAL, "%s: runs.tsv has no column %s", g->place, claim->y);
}

sp_status sp_curve_gather(const sp_runs *runs, const sp_claim *claim, const char *place, sp_curve *out, sp_error *error)
{
    sp_status status = SP_OK;
    gathering g = { .runs = runs, .claim = claim, .place = place, .curve = out, .error = error,
                    .selection = { place, claim->sweep, claim->algorithm, claim->x, claim->y, claim->where,
                                   claim->wheres } };
    *out = (sp_curve){ 0 };
    SP_TRY(find_columns(&g));
    SP_TRY(find_places(&g));
    SP_TRY(make_room(&g));
    SP_TRY(place_values(&g));
    if (out->private)
        SP_TRY(place_noise_free(&g, "noise_off"));
    if (out->private && !out->noise_free_label)
        SP_TRY(place_noise_free(&g, "no"));
cleanup:
    if (status != SP_OK)
        sp_curve_free(out);
    return status;
}

void sp_curve_free(sp_curve *curve)
{
    free(curve->x);
    free(curve->level);
    free(curve->member);
    free(curve->row);
    free(curve->value);
    free(curve->start);
    free(curve->noise_free);
    *curve = (sp_curve){ 0 };
}

sp_samples sp_curve_samples(const sp_curve *c, const sp_claim *claim, const double *value)
{
    return (sp_samples){ .points = c->points, .levels = c->levels, .members = c->members, .replicates = c->replicates,
                         .x = c->x, .level = claim->alpha ? c->level : NULL, .value = value, .reach = claim->reach,
                         .share = claim->share, .toward_zero = strcmp(claim->toward, "zero") == 0 };
}
