/*
 * paper_table.c -- forms the points and columns of paper_table.h and finds the best cells.
 *
 * Cells are sorted by the columns that must agree, so that equal cells are next to each other and not every pair of
 * cells is compared.
 */
#include "core/stats/paper_table.h"

#include "core/base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct building {
    const sp_runs *runs;
    const sp_table *table;
    size_t *first;   /* of each cell its first row */
    size_t cells;
    size_t *order;   /* cells, sorted by `key` */
    size_t *key;     /* columns that have to agree */
    size_t keys;
    size_t *point, *method; /* by cell; point: cells that lack an axis of a point have none, SIZE_MAX */
    size_t *column;  /* of each axis of a point */
    size_t axes;
} building;

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_own(const building *b, size_t column)
{
    return has_prefix(b->table->column[column], "algorithm");
}

static const char *text_of(const building *b, size_t cell, size_t column)
{
    return sp_runs_text(b->runs, b->first[cell], column);
}

/* Of an axis of privacy; what a problem lacks is a value like any other. */
static bool lacks(const building *b, size_t cell, size_t column)
{
    return has_prefix(b->table->column[column], "privacy") && sp_table_empty(b->table, b->first[cell], column) &&
           strcmp(text_of(b, cell, column), "-") == 0;
}

static int compare(const building *b, size_t x, size_t y)
{
    int order = 0;
    for (size_t k = 0; k < b->keys && order == 0; k++)
        order = strcmp(text_of(b, x, b->key[k]), text_of(b, y, b->key[k]));
    return order;
}

static int by_key(const void *x, const void *y, void *context)
{
    const size_t a = *(const size_t *)x, c = *(const size_t *)y;
    const int order = compare(context, a, c);
    return order ? order : (a > c) - (a < c);
}

static void sort(building *b)
{
    for (size_t i = 0; i < b->cells; i++)
        b->order[i] = i;
    if (b->cells > 0)
        qsort_r(b->order, b->cells, sizeof *b->order, by_key, b);
}

/* --- axes ------------------------------------------------------------------------------------------------------ */

/* Does a column have two values where the keys agree? What a cell lacks is none. */
static bool tells_apart(building *b, size_t column)
{
    sort(b);
    for (size_t i = 0, one = SIZE_MAX; i < b->cells; i++) {
        if (i > 0 && compare(b, b->order[i - 1], b->order[i]) != 0)
            one = SIZE_MAX;
        if (lacks(b, b->order[i], column))
            continue;
        if (one < SIZE_MAX && strcmp(text_of(b, one, column), text_of(b, b->order[i], column)) != 0)
            return true;
        one = b->order[i];
    }
    return false;
}

/* In the order in which axes of a point are tried. */
static size_t rank(const char *column)
{
    static const char *const first[] = { "problem.n", "problem.d", "privacy.epsilon" };
    size_t i = 0;
    while (i < sizeof first / sizeof *first && strcmp(first[i], column) != 0)
        i++;
    return i;
}

static void find_axes(building *b)
{
    const size_t ranks = 3;
    for (size_t r = 0; r <= ranks; r++)
        for (size_t c = 0; c < b->table->columns; c++) {
            if (!b->runs->axis[c] || is_own(b, c) || rank(b->table->column[c]) != r)
                continue;
            b->keys = 0;
            b->key[b->keys++] = b->runs->label; /* within a label */
            memcpy(b->key + b->keys, b->column, b->axes * sizeof *b->key);
            b->keys += b->axes;
            if (tells_apart(b, c))
                b->column[b->axes++] = c;
        }
}

/* --- points ---------------------------------------------------------------------------------------------------- */

static bool lacks_some(const building *b, size_t cell)
{
    for (size_t k = 0; k < b->axes; k++)
        if (lacks(b, cell, b->column[k]))
            return true;
    return false;
}

/* Numbers from 0 for what agrees in the keys, in the order of the cells; those that `skip` says have none. */
static size_t number(building *b, const bool *skip, size_t *out)
{
    size_t count = 0;
    sort(b);
    for (size_t i = 0, leader = SIZE_MAX; i < b->cells; i++) {
        const size_t cell = b->order[i];
        if (skip && skip[cell]) {
            out[cell] = SIZE_MAX;
            continue;
        }
        if (leader == SIZE_MAX || compare(b, leader, cell) != 0)
            leader = cell;
        out[cell] = leader; /* the first of its equals */
    }
    for (size_t i = 0; i < b->cells; i++)
        if (out[i] == i)
            out[i] = count++;
        else if (out[i] < SIZE_MAX)
            out[i] = out[out[i]];
    return count;
}

/* The keys become those of a point. */
static void key_points(building *b)
{
    memcpy(b->key, b->column, b->axes * sizeof *b->key);
    b->keys = b->axes;
}

/* Do they agree in the axes of a point that the second one does not lack? */
static bool agree(const building *b, size_t a, size_t partial)
{
    for (size_t k = 0; k < b->axes; k++)
        if (!lacks(b, partial, b->column[k]) &&
            strcmp(text_of(b, a, b->column[k]), text_of(b, partial, b->column[k])) != 0)
            return false;
    return true;
}

/* Points are those of cells that lack nothing, and of the others that agree with none of them. owner[p]: a cell
 * there. */
static size_t find_points(building *b, bool *partial, size_t *owner)
{
    key_points(b);
    for (size_t i = 0; i < b->cells; i++)
        partial[i] = lacks_some(b, i);
    for (int pass = 0; pass < 2; pass++) {
        const size_t points = number(b, partial, b->point);
        for (size_t i = b->cells; i-- > 0;)
            if (b->point[i] < SIZE_MAX)
                owner[b->point[i]] = i;
        if (pass == 1)
            return points;
        for (size_t i = 0; i < b->cells; i++) {
            bool found = !partial[i];
            for (size_t p = 0; p < points && !found; p++)
                found = agree(b, owner[p], i);
            partial[i] = partial[i] && found;
        }
    }
    return 0;
}

/* --- methods --------------------------------------------------------------------------------------------------- */

/* Own parameters that have several values among the cells of one label at one point. */
static void find_swept(building *b, bool *swept, size_t label)
{
    key_points(b);
    b->key[b->keys++] = b->runs->label;
    sort(b);
    for (size_t i = 1; i < b->cells; i++) {
        const size_t one = b->order[i - 1], other = b->order[i];
        if (strcmp(text_of(b, one, b->runs->label), text_of(b, label, b->runs->label)) != 0 ||
            compare(b, one, other) != 0)
            continue;
        for (size_t c = 0; c < b->table->columns; c++)
            swept[c] = swept[c] || (b->runs->axis[c] && is_own(b, c) &&
                                    strcmp(text_of(b, one, c), text_of(b, other, c)) != 0);
    }
}

static const char *short_name(const char *axis)
{
    const char *dot = strchr(axis, '.');
    return dot ? dot + 1 : axis;
}

/* "dp_gd steps=3" */
static char *name_method(const building *b, size_t cell, const bool *swept)
{
    sp_text name = { 0 };
    sp_text_add_text(&name, text_of(b, cell, b->runs->label));
    for (size_t c = 0; c < b->table->columns; c++)
        if (swept[c])
            sp_text_append(&name, " %s=%s", short_name(b->table->column[c]), text_of(b, cell, c));
    sp_need_text(&name);
    return name.data;
}

/* One label after the other, each in the order of its cells. */
static void find_methods(building *b, sp_paper_table *out)
{
    bool *swept = sp_need(sp_alloc(b->table->columns + 1, sizeof *swept));
    for (size_t i = 0; i < b->cells; i++)
        b->method[i] = SIZE_MAX;
    for (size_t i = 0; i < b->cells; i++) {
        if (b->method[i] < SIZE_MAX)
            continue;
        for (size_t c = 0; c < b->table->columns; c++)
            swept[c] = false;
        find_swept(b, swept, i);
        const size_t first = out->methods;
        for (size_t k = i; k < b->cells; k++) {
            if (strcmp(text_of(b, k, b->runs->label), text_of(b, i, b->runs->label)) != 0)
                continue;
            char *name = name_method(b, k, swept);
            size_t m = first;
            while (m < out->methods && strcmp(out->method[m], name) != 0)
                m++;
            b->method[k] = m;
            if (m < out->methods)
                free(name);
            else
                out->method[out->methods++] = name;
        }
    }
    free(swept);
}

/* --- the table ------------------------------------------------------------------------------------------------- */

static bool is_private(const building *b, size_t cell)
{
    return strcmp(text_of(b, cell, b->runs->private), "yes") == 0;
}

/* Puts what a cell measured to every point where it stands; one of its very own goes before one that it agrees with. */
static void place(const building *b, size_t cell, const size_t *owner, const sp_paper_cell *measured,
                  sp_paper_table *out)
{
    for (size_t p = 0; p < out->points; p++) {
        sp_paper_cell *at = &out->cell[p * out->methods + b->method[cell]];
        if (b->point[cell] == p || (b->point[cell] == SIZE_MAX && !at->there && agree(b, owner[p], cell)))
            *at = *measured;
    }
}

static void fill(const building *b, const size_t *owner, size_t y, bool nonnegative, bool *eligible,
                      sp_paper_table *out)
{
    double *value = sp_need(sp_alloc_doubles(b->runs->replicates + 1));
    for (size_t i = 0; i < b->cells; i++) {
        sp_paper_cell measured = { .there = true };
        sp_runs_cell(b->runs, b->first[i], y, value, &measured.failed, &measured.mean, NULL);
        if (nonnegative && measured.mean.low < 0.0)
            measured.mean.low = 0.0;
        for (size_t row = b->first[i]; row < b->table->rows && sp_runs_same_cell(b->runs, b->first[i], row); row++)
            measured.diverged += sp_runs_diverged(b->runs, row);
        eligible[b->method[i]] = eligible[b->method[i]] || is_private(b, i);
        out->private_only = out->private_only || is_private(b, i);
        place(b, i, owner, &measured, out);
    }
    free(value);
}

/* By more than rounding. */
static bool better(const sp_paper_cell *a, const sp_paper_cell *b, bool lower)
{
    const double x = a->mean.estimate, y = b->mean.estimate;
    if (a->failed != b->failed)
        return a->failed < b->failed;
    return fabs(x - y) > 16.0 * DBL_EPSILON * fmax(fabs(x), fabs(y)) && (lower ? x < y : x > y);
}

static bool may_be_best(const sp_paper_table *t, const bool *eligible, const sp_paper_cell *cell, size_t method)
{
    return cell->there && cell->diverged == 0 && isfinite(cell->mean.estimate) &&
           (eligible[method] || !t->private_only);
}

static void mark_best(sp_paper_table *t, const bool *eligible, bool lower)
{
    for (size_t p = 0; p < t->points; p++) {
        sp_paper_cell *row = t->cell + p * t->methods, *best = NULL;
        for (size_t m = 0; m < t->methods; m++)
            if (may_be_best(t, eligible, &row[m], m) && (!best || better(&row[m], best, lower)))
                best = &row[m];
        for (size_t m = 0; m < t->methods && best; m++)
            row[m].best = may_be_best(t, eligible, &row[m], m) && !better(best, &row[m], lower);
    }
}

static void find_cells(building *b, size_t begin, size_t end, size_t y)
{
    for (size_t row = begin; row < end; row++)
        if ((row == begin || !sp_runs_same_cell(b->runs, row - 1, row)) && !sp_table_empty(b->table, row, y))
            b->first[b->cells++] = row;
}

static void take_points(const building *b, const size_t *owner, sp_paper_table *out)
{
    out->axes = b->axes;
    out->axis = sp_need(sp_alloc(b->axes + 1, sizeof *out->axis));
    out->at = sp_need(sp_alloc(out->points * b->axes + 1, sizeof *out->at));
    out->cell = sp_need(sp_alloc(out->points * out->methods + 1, sizeof *out->cell));
    for (size_t k = 0; k < b->axes; k++)
        out->axis[k] = short_name(b->table->column[b->column[k]]);
    for (size_t p = 0; p < out->points; p++)
        for (size_t k = 0; k < b->axes; k++)
            out->at[p * b->axes + k] = text_of(b, owner[p], b->column[k]);
}

void sp_paper_table_make(const sp_runs *runs, size_t begin, size_t end, size_t y, bool lower_is_better,
                         bool nonnegative, sp_paper_table *out)
{
    const size_t columns = runs->table.columns, rows = end - begin + 1;
    building b = { .runs = runs,
                   .table = &runs->table,
                   .first = sp_need(sp_alloc(rows, sizeof *b.first)),
                   .order = sp_need(sp_alloc(rows, sizeof *b.order)),
                   .point = sp_need(sp_alloc(rows, sizeof *b.point)),
                   .method = sp_need(sp_alloc(rows, sizeof *b.method)),
                   .key = sp_need(sp_alloc(columns + 2, sizeof *b.key)),
                   .column = sp_need(sp_alloc(columns + 1, sizeof *b.column)) };
    size_t *owner = sp_need(sp_alloc(rows, sizeof *owner));
    bool *partial = sp_need(sp_alloc(rows, sizeof *partial)), *eligible = sp_need(sp_alloc(rows, sizeof *eligible));
    *out = (sp_paper_table){ .method = sp_need(sp_alloc(rows, sizeof *out->method)) };
    find_cells(&b, begin, end, y);
    find_axes(&b);
    out->points = find_points(&b, partial, owner);
    find_methods(&b, out);
    take_points(&b, owner, out);
    fill(&b, owner, y, nonnegative, eligible, out);
    mark_best(out, eligible, lower_is_better);
    free(b.first);
    free(b.order);
    free(b.point);
    free(b.method);
    free(b.key);
    free(b.column);
    free(owner);
    free(partial);
    free(eligible);
}

void sp_paper_table_free(sp_paper_table *t)
{
    for (size_t m = 0; m < t->methods; m++)
        free(t->method[m]);
    free(t->method);
    free(t->axis);
    free(t->at);
    free(t->cell);
    *t = (sp_paper_table){ 0 };
}
