/* rerun_diff.c -- compares two folders (rerun_diff.h). The rows of both are sorted by their identities and merged. */
#include "core/contest/rerun_diff.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct twin {
    size_t row[SP_TWO];
} twin;

typedef struct work {
    const sp_runs *runs[SP_TWO];
    size_t *order[SP_TWO]; /* rows, by sweep and run */
    twin *twin;            /* in the order of the first folder */
    size_t *left[SP_TWO], lefts[SP_TWO]; /* rows of runs without a twin */
    size_t *shared;        /* columns of both, in the first one; */
    size_t *there;         /* and in the second */
    size_t columns;
    double *value[SP_TWO], *x; /* by replicate, of the cell in hand */
    bool *told;            /* by column of the first folder: it tells cells of the label in hand apart */
    double margin;
    sp_rerun_diff *out;
} work;

/* --- twins --------------------------------------------------------------------------------------------------- */

static const char *text(const work *k, size_t folder, size_t row, size_t column)
{
    return sp_table_text(&k->runs[folder]->table, row, column);
}

/* Rows of two folders, or of one. */
static int compare(const work *k, size_t f, size_t a, size_t g, size_t b)
{
    const int sweep = strcmp(text(k, f, a, k->runs[f]->sweep), text(k, g, b, k->runs[g]->sweep));
    return sweep ? sweep : strcmp(text(k, f, a, k->runs[f]->run), text(k, g, b, k->runs[g]->run));
}

typedef struct folder_of {
    const work *work;
    size_t folder;
} folder_of;

static int by_identity(const void *a, const void *b, void *context)
{
    const folder_of *of = context;
    return compare(of->work, of->folder, *(const size_t *)a, of->folder, *(const size_t *)b);
}

static int by_first(const void *a, const void *b)
{
    const twin *x = a, *y = b;
    return (x->row[0] > y->row[0]) - (x->row[0] < y->row[0]);
}

static int by_row(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void find_twins(work *k)
{
    sp_rerun_diff *out = k->out;
    size_t at[SP_TWO] = { 0 };
    const size_t rows[SP_TWO] = { k->runs[0]->table.rows, k->runs[1]->table.rows };
    while (at[0] < rows[0] || at[1] < rows[1]) {
        const int order = at[0] == rows[0]   ? 1
                          : at[1] == rows[1] ? -1
                                             : compare(k, 0, k->order[0][at[0]], 1, k->order[1][at[1]]);
        if (order == 0)
            k->twin[out->twins++] = (twin){ { k->order[0][at[0]++], k->order[1][at[1]++] } };
        else
            k->left[order > 0][k->lefts[order > 0]++] = k->order[order > 0][at[order > 0]++];
    }
    if (out->twins > 0)
        qsort(k->twin, out->twins, sizeof *k->twin, by_first);
    for (size_t f = 0; f < SP_TWO; f++)
        if (k->lefts[f] > 0)
            qsort(k->left[f], k->lefts[f], sizeof *k->left[f], by_row);
}

/* --- fields -------------------------------------------------------------------------------------------------- */

static bool same_field(const work *k, const twin *t, size_t column)
{
    const size_t a = k->shared[column], b = k->there[column];
    return strcmp(text(k, 0, t->row[0], a), text(k, 1, t->row[1], b)) == 0 &&
           sp_table_empty(&k->runs[0]->table, t->row[0], a) == sp_table_empty(&k->runs[1]->table, t->row[1], b);
}

/* The number of a cell is its place in a plan, and says nothing about the run. */
static void share_columns(work *k)
{
    const sp_table *t = &k->runs[0]->table, *other = &k->runs[1]->table;
    for (size_t c = 0; c < t->columns; c++) {
        const size_t there = sp_table_column(other, t->column[c]);
        if (strcmp(t->column[c], "cell") == 0)
            continue;
        if (there == other->columns) {
            k->out->other[0]++;
            continue;
        }
        k->shared[k->columns] = c;
        k->there[k->columns++] = there;
    }
    k->out->other[1] = other->columns - k->columns - 1;
}

static void compare_fields(work *k)
{
    sp_rerun_diff *out = k->out;
    for (size_t i = 0; i < out->twins; i++) {
        bool same = true;
        for (size_t c = 0; c < k->columns; c++)
            same = same_field(k, &k->twin[i], c) && same;
        out->same += same;
        out->statuses += strcmp(text(k, 0, k->twin[i].row[0], k->runs[0]->status),
                                text(k, 1, k->twin[i].row[1], k->runs[1]->status)) != 0;
    }
    for (size_t c = 0; c < k->columns; c++) {
        size_t runs = 0;
        for (size_t i = 0; i < out->twins; i++)
            runs += !same_field(k, &k->twin[i], c);
        if (runs > 0)
            out->column[out->columns++] = (sp_rerun_column){ k->runs[0]->table.column[k->shared[c]], runs };
    }
}

/* --- cells --------------------------------------------------------------------------------------------------- */

static bool same_cell(const work *k, const twin *a, const twin *b)
{
    return sp_runs_same_cell(k->runs[0], a->row[0], b->row[0]) && sp_runs_same_cell(k->runs[1], a->row[1], b->row[1]);
}

static double relative(double a, double b)
{
    if (a == b || !(isfinite(a) && isfinite(b)))
        return 0.0;
    return fabs(a - b) / fmax(fabs(a), fabs(b));
}

/* Axes in which cells of the row's label and sweep differ. */
static void find_told(work *k, size_t f, size_t row)
{
    const sp_runs *runs = k->runs[f];
    for (size_t c = 0; c < runs->table.columns; c++)
        k->told[c] = false;
    for (size_t other = 0; other < runs->table.rows; other++) {
        if (strcmp(text(k, f, row, runs->label), text(k, f, other, runs->label)) != 0 ||
            strcmp(text(k, f, row, runs->sweep), text(k, f, other, runs->sweep)) != 0)
            continue;
        for (size_t c = 0; c < runs->table.columns; c++)
            k->told[c] = k->told[c] || (runs->axis[c] && strcmp(text(k, f, row, c), text(k, f, other, c)) != 0);
    }
}

/* "n=1000, epsilon=1", a new string. */
static char *name_cell(work *k, size_t f, size_t row)
{
    const sp_table *t = &k->runs[f]->table;
    sp_text name = { 0 };
    find_told(k, f, row);
    for (size_t c = 0; c < t->columns; c++) {
        const char *dot = strchr(t->column[c], '.');
        if (k->told[c])
            sp_text_append(&name, "%s%s=%s", name.length > 0 ? ", " : "", dot ? dot + 1 : t->column[c],
                           text(k, f, row, c));
    }
    sp_need_text(&name);
    return name.data ? name.data : sp_need(sp_copy_text("-"));
}

/* The twins [begin, end) of one cell in one measure; *differ: some do. */
static void compare_cell(work *k, size_t begin, size_t end, const sp_rerun_measure *m, sp_rerun_cell *cell,
                         bool *differ)
{
    const size_t column[SP_TWO] = { sp_table_column(&k->runs[0]->table, m->name),
                                    sp_table_column(&k->runs[1]->table, m->name) };
    bool failures = false;
    *cell = (sp_rerun_cell){ .row = { k->twin[begin].row[0], k->twin[begin].row[1] }, .measure = m,
                            .twins = end - begin };
    for (size_t i = begin; i < end; i++) {
        for (size_t f = 0; f < SP_TWO; f++) {
            k->value[f][i - begin] = sp_runs_value(k->runs[f], k->twin[i].row[f], column[f], m->lower_is_better);
            cell->failed[f] += isinf(k->value[f][i - begin]) != 0;
        }
        const double a = k->value[0][i - begin], b = k->value[1][i - begin];
        failures = failures || !isfinite(a) != !isfinite(b);
        cell->largest = fmax(cell->largest, relative(a, b));
        cell->same += strcmp(text(k, 0, k->twin[i].row[0], column[0]), text(k, 1, k->twin[i].row[1], column[1])) == 0 &&
                      strcmp(text(k, 0, k->twin[i].row[0], k->runs[0]->status),
                             text(k, 1, k->twin[i].row[1], k->runs[1]->status)) == 0;
    }
    *differ = cell->same < cell->twins;
    cell->rounding = !failures && cell->largest <= 1e-9;
    if (!*differ)
        return;
    cell->at = name_cell(k, 0, cell->row[0]);
    cell->pair = sp_pair(k->value[1], k->value[0], end - begin, m->lower_is_better, k->margin, k->x);
}

/* All cells in one measure. */
static void compare_measure(work *k, const sp_rerun_measure *m)
{
    sp_rerun_diff *out = k->out;
    const size_t before = out->cells;
    for (size_t begin = 0, end = 0; begin < out->twins; begin = end) {
        bool differ;
        while (end < out->twins && same_cell(k, &k->twin[begin], &k->twin[end]))
            end++;
        out->cell = sp_need(realloc(out->cell, (out->cells + 1) * sizeof *out->cell));
        compare_cell(k, begin, end, m, &out->cell[out->cells], &differ);
        out->cells += differ;
    }
    sp_paired **pair = sp_need(sp_alloc(out->cells - before + 1, sizeof *pair));
    for (size_t i = before; i < out->cells; i++)
        pair[i - before] = &out->cell[i].pair;
    sp_paired_adjust(pair, out->cells - before);
    for (size_t i = before; i < out->cells; i++)
        out->cell[i].order = sp_order_of(&out->cell[i].pair.all, out->cell[i].pair.p_equivalent, m->lower_is_better);
    free(pair);
}

static void gather_alone(work *k, size_t f)
{
    sp_rerun_diff *out = k->out;
    out->alone[f] = sp_need(sp_alloc(k->lefts[f] + 1, sizeof *out->alone[f]));
    for (size_t i = 0; i < k->lefts[f]; i++) {
        const size_t row = k->left[f][i];
        if (i > 0 && sp_runs_same_cell(k->runs[f], k->left[f][i - 1], row)) {
            out->alone[f][out->alones[f] - 1].runs++;
            continue;
        }
        char *at = name_cell(k, f, row);
        out->alone[f][out->alones[f]++] = (sp_alone){ row, 1, at };
    }
}

/* --- all ----------------------------------------------------------------------------------------------------- */

static void make(work *k, const sp_rerun_measure *measure, size_t measures)
{
    sp_rerun_diff *out = k->out;
    size_t most = 1;
    for (size_t f = 0; f < SP_TWO; f++) {
        const size_t rows = k->runs[f]->table.rows;
        most = rows + 1 > most ? rows + 1 : most;
        k->order[f] = sp_need(sp_alloc(rows + 1, sizeof *k->order[f]));
        k->left[f] = sp_need(sp_alloc(rows + 1, sizeof *k->left[f]));
        for (size_t i = 0; i < rows; i++)
            k->order[f][i] = i;
        if (rows > 0)
            qsort_r(k->order[f], rows, sizeof *k->order[f], by_identity, &(folder_of){ k, f });
    }
    const size_t first = k->runs[0]->table.columns, second = k->runs[1]->table.columns;
    const size_t columns = (first > second ? first : second) + 1;
    k->twin = sp_need(sp_alloc(most, sizeof *k->twin));
    k->shared = sp_need(sp_alloc(columns, sizeof *k->shared));
    k->there = sp_need(sp_alloc(columns, sizeof *k->there));
    k->told = sp_need(sp_alloc(columns, sizeof *k->told));
    out->column = sp_need(sp_alloc(columns, sizeof *out->column));
    k->value[0] = sp_need(sp_alloc_doubles(most));
    k->value[1] = sp_need(sp_alloc_doubles(most));
    k->x = sp_need(sp_alloc_doubles(2 * most));
    find_twins(k);
    share_columns(k);
    compare_fields(k);
    for (size_t f = 0; f < SP_TWO; f++)
        gather_alone(k, f);
    for (size_t i = 0; i < measures; i++)
        compare_measure(k, &measure[i]);
}

void sp_rerun_diff_make(const sp_runs *const folder[SP_TWO], const sp_rerun_measure *measure, size_t measures,
                        double margin, sp_rerun_diff *out)
{
    *out = (sp_rerun_diff){ 0 };
    work k = { .runs = { folder[0], folder[1] }, .margin = margin, .out = out };
    make(&k, measure, measures);
    for (size_t f = 0; f < SP_TWO; f++) {
        free(k.order[f]);
        free(k.left[f]);
        free(k.value[f]);
    }
    free(k.twin);
    free(k.shared);
    free(k.there);
    free(k.told);
    free(k.x);
}

bool sp_rerun_diff_any(const sp_rerun_diff *twins)
{
    bool shown = twins->statuses > 0 || twins->alones[0] + twins->alones[1] > 0;
    for (size_t i = 0; i < twins->cells && !shown; i++)
        shown = !twins->cell[i].rounding &&
                (twins->cell[i].order == SP_BETTER || twins->cell[i].order == SP_WORSE ||
                 twins->cell[i].order == SP_TOO_FEW);
    return shown;
}

void sp_rerun_diff_free(sp_rerun_diff *twins)
{
    for (size_t i = 0; i < twins->cells; i++)
        free(twins->cell[i].at);
    for (size_t f = 0; f < SP_TWO; f++) {
        for (size_t i = 0; i < twins->alones[f]; i++)
            free(twins->alone[f][i].at);
        free(twins->alone[f]);
    }
    free(twins->cell);
    free(twins->column);
    *twins = (sp_rerun_diff){ 0 };
}
