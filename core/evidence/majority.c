/* majority.c -- see majority.h. */
#include "core/evidence/majority.h"

#include <math.h>
#include <string.h>

/* Of rows, one cell after the other. */
typedef struct tally {
    size_t last;              /* row before, of the cell under way */
    double accuracy, share;   /* sums over its runs */
    size_t runs, cells;
    double shares;            /* sum of the cells' means */
    bool beaten;
} tally;

static void end_cell(tally *t)
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

static void count(const sp_runs *runs, size_t row, tally *t)
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
    if (t->runs > 0 && !sp_runs_same_cell(runs, t->last, row))
        end_cell(t);
    t->last = row;
    t->accuracy += value;
    t->share += fmax(s, 1.0 - s);
    t->runs++;
}

static bool same_problem(const sp_runs *runs, size_t a, size_t b)
{
    const sp_table *t = &runs->table;
    for (size_t k = 0; k < t->columns; k++)
        if ((k == runs->sweep || strncmp(t->column[k], "problem.", 8) == 0) &&
            strcmp(sp_table_text(t, a, k), sp_table_text(t, b, k)) != 0)
            return false;
    return true;
}

double sp_majority_unbeaten(const sp_runs *runs, size_t first, size_t *end)
{
    tally t = { 0 };
    for (*end = first; *end < runs->table.rows && same_problem(runs, first, *end); ++*end)
        count(runs, *end, &t);
    end_cell(&t);
    return t.cells > 0 && !t.beaten ? t.shares / (double)t.cells : NAN;
}
