/* majority.c -- compares accuracies with that of the majority class (majority.h). */
#include "core/contest/majority.h"

#include <math.h>
#include <string.h>

static void end_cell(sp_majority *t)
{
    const double slack = 1e-9, runs = (double)t->runs; /* sums of shares round */
    if (t->runs == 0)
        return;
    t->beaten = t->beaten || t->accuracy / runs > t->share / runs + slack;
    t->shares += t->share / runs;
    t->cells++;
    t->accuracy = t->share = 0.0;
    t->runs = 0;
}

static void count(const sp_runs *runs, size_t row, sp_majority *t)
{
    const sp_table *table = &runs->table;
    const size_t accuracy = sp_table_column(table, "accuracy"), start = sp_table_column(table, "problem.start");
    const size_t before = sp_runs_start_column(runs, "accuracy");
    const bool elsewhere = start < table->columns && !sp_table_empty(table, row, start) &&
                           strcmp(sp_table_text(table, row, start), "zero") != 0;
    if (accuracy == table->columns || before == table->columns || elsewhere || !sp_runs_succeeded(runs, row))
        return;
    const double value = sp_table_number(table, row, accuracy), s = sp_table_number(table, row, before);
    if (isnan(value) || isnan(s))
        return;
    t->accuracy += value;
    t->share += fmax(s, 1.0 - s);
    t->runs++;
}

size_t sp_majority_add(sp_majority *t, const sp_runs *runs, size_t first)
{
    size_t row = first;
    for (; row < runs->table.rows && sp_runs_same_cell(runs, first, row); row++)
        count(runs, row, t);
    end_cell(t);
    return row;
}

double sp_majority_share(const sp_majority *t)
{
    return t->cells > 0 && !t->beaten ? t->shares / (double)t->cells : NAN;
}

void sp_majority_range(const sp_runs *runs, size_t begin, size_t end, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t row = begin; row < end;) {
        sp_majority cell = { 0 };
        row = sp_majority_add(&cell, runs, row);
        if (cell.cells > 0) {
            *low = fmin(*low, cell.shares);
            *high = fmax(*high, cell.shares);
        }
    }
}

bool sp_majority_names(const sp_runs *runs, size_t column)
{
    return column == runs->sweep || strncmp(runs->table.column[column], "problem.", 8) == 0;
}

bool sp_majority_same(const sp_runs *runs, size_t a, size_t b)
{
    const sp_table *t = &runs->table;
    for (size_t k = 0; k < t->columns; k++)
        if (sp_majority_names(runs, k) && strcmp(sp_table_text(t, a, k), sp_table_text(t, b, k)) != 0)
            return false;
    return true;
}

double sp_majority_unbeaten(const sp_runs *runs, size_t first, size_t *end)
{
    sp_majority t = { 0 };
    for (*end = first; *end < runs->table.rows && sp_majority_same(runs, first, *end);)
        *end = sp_majority_add(&t, runs, *end);
    return sp_majority_share(&t);
}
