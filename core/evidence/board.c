/* board.c -- see board.h. */
#include "core/evidence/board.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In all that makes a task, or in what makes a problem. */
static bool agree(const sp_runs *runs, size_t a, size_t b, bool task)
{
    const sp_table *t = &runs->table;
    if (strcmp(sp_table_text(t, a, runs->sweep), sp_table_text(t, b, runs->sweep)) != 0)
        return false;
    for (size_t k = 0; k < t->columns; k++)
        if (runs->axis[k] && sp_is_problem_axis(t->column[k]) &&
            (task || (strncmp(t->column[k], "privacy", strlen("privacy")) != 0 && strcmp(t->column[k], "problem.n") != 0)) &&
            strcmp(sp_table_text(t, a, k), sp_table_text(t, b, k)) != 0)
            return false;
    return true;
}

static bool is_private(const sp_runs *runs, size_t row)
{
    return strcmp(sp_table_text(&runs->table, row, runs->private), "yes") == 0; /* without noise: "noise_off" */
}

/* Where among the labels found so far; adds it. */
static size_t find_label(sp_board *b, const char *label)
{
    size_t l = 0;
    while (l < b->labels && strcmp(b->label[l], label) != 0)
        l++;
    if (l == b->labels)
        b->label[b->labels++] = label;
    return l;
}

/* The first row of a cell that is compared, and in which the measure is asked for. */
static bool counts(const sp_runs *runs, size_t y, bool private, size_t row)
{
    if ((row > 0 && sp_runs_same_cell(runs, row, row - 1)) || (private && !is_private(runs, row)))
        return false;
    for (size_t r = row; r < runs->table.rows && sp_runs_same_cell(runs, row, r); r++)
        if (!sp_runs_succeeded(runs, r) || !isnan(sp_table_number(&runs->table, r, y)))
            return true;
    return false;
}

/* Does any cell of the row's sweep have the measure? Where runs failed it is asked for if others have it. */
static bool has_measure(const sp_runs *runs, size_t y, size_t row)
{
    const sp_table *t = &runs->table;
    for (size_t r = 0; r < t->rows; r++)
        if (strcmp(sp_table_text(t, r, runs->sweep), sp_table_text(t, row, runs->sweep)) == 0 &&
            isfinite(sp_table_number(t, r, y)))
            return true;
    return false;
}

static sp_status find_cells(const sp_runs *runs, size_t y, const char *measure, size_t *first, size_t *problem_first,
                            sp_board *b, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t rows = runs->table.rows;
    bool private = false;
    for (size_t row = 0; row < rows && !private; row++)
        private = is_private(runs, row);
    for (size_t pass = 0; pass < 2; pass++) { /* labels and tasks, then their cells */
        for (size_t row = 0; row < rows; row++) {
            if (!counts(runs, y, private, row) || !has_measure(runs, y, row))
                continue;
            const size_t l = find_label(b, sp_table_text(&runs->table, row, runs->label));
            size_t t = 0, p = 0;
            while (t < b->tasks && !agree(runs, first[t], row, true))
                t++;
            if (t == b->tasks) {
                while (p < b->problems && !agree(runs, problem_first[p], row, false))
                    p++;
                if (p == b->problems)
                    problem_first[b->problems++] = row;
                b->problem[t] = p;
                first[b->tasks++] = row;
            }
            if (pass > 0) {
                size_t *cell = &b->row[sp_board_at(b, l, t)];
                if (*cell < rows)
                    SP_TRY(sp_runs_ambiguous(runs, measure, *cell, row, " at one problem", error));
                *cell = row;
            }
        }
        if (pass == 0) {
            if (!(b->row = sp_alloc(b->labels * b->tasks + 1, sizeof *b->row)))
                SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", measure));
            for (size_t i = 0; i < b->labels * b->tasks; i++)
                b->row[i] = rows;
        }
    }
cleanup:
    return status;
}

static void read_cell(const sp_runs *runs, size_t y, sp_board *b, size_t cell)
{
    const sp_table *t = &runs->table;
    double *value = b->value + cell * b->replicates, sum = 0.0, count = 0.0;
    for (size_t r = 0; r < b->replicates; r++)
        value[r] = NAN;
    for (size_t row = b->row[cell]; row < t->rows && sp_runs_same_cell(runs, b->row[cell], row); row++) {
        const double found = sp_runs_succeeded(runs, row) ? sp_table_number(t, row, y) : NAN;
        value[(size_t)sp_table_number(t, row, runs->replicate)] = isfinite(found) ? found : INFINITY;
        b->failed[cell] += isfinite(found) ? 0 : 1;
        sum += isfinite(found) ? found : INFINITY;
        count += 1.0;
    }
    b->mean[cell] = sum / count; /* 0/0: the label does not play */
}

void sp_board_ratios(const double *mean, size_t labels, double *ratio)
{
    double best = INFINITY;
    for (size_t l = 0; l < labels; l++)
        best = fmin(best, mean[l]);
    for (size_t l = 0; l < labels; l++)
        ratio[l] = !isfinite(mean[l]) ? mean[l] : mean[l] <= best ? 1.0 : best > 0.0 ? mean[l] / best : INFINITY;
}

sp_status sp_board_make(const sp_runs *runs, const char *measure, sp_board *b, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t rows = runs->table.rows, y = sp_table_column(&runs->table, measure);
    size_t *first = sp_alloc(rows + 1, sizeof *first), *problem_first = sp_alloc(rows + 1, sizeof *problem_first);
    double *column = NULL;
    *b = (sp_board){ .replicates = runs->replicates, .label = sp_alloc(rows + 1, sizeof *b->label),
                     .problem = sp_alloc(rows + 1, sizeof *b->problem) };
    if (!first || !problem_first || !b->label || !b->problem)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", measure));
    if (y == runs->table.columns)
        SP_TRY(sp_fail(error, SP_EINVAL, "runs.tsv has no column %s", measure));
    SP_TRY(find_cells(runs, y, measure, first, problem_first, b, error));
    const size_t cells = b->labels * b->tasks;
    if (cells == 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "no run measured %s", measure));
    b->value = sp_alloc_doubles(cells * b->replicates + 1);
    b->mean = sp_alloc_doubles(cells + 1);
    b->ratio = sp_alloc_doubles(cells + 1);
    b->failed = sp_alloc(cells + 1, sizeof *b->failed);
    column = sp_alloc_doubles(2 * b->labels + 1);
    if (!b->value || !b->mean || !b->ratio || !b->failed || !column)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", measure));
    for (size_t cell = 0; cell < cells; cell++)
        read_cell(runs, y, b, cell);
    for (size_t t = 0; t < b->tasks; t++) {
        for (size_t l = 0; l < b->labels; l++)
            column[l] = b->mean[sp_board_at(b, l, t)];
        sp_board_ratios(column, b->labels, column + b->labels);
        for (size_t l = 0; l < b->labels; l++)
            b->ratio[sp_board_at(b, l, t)] = column[b->labels + l];
    }
cleanup:
    free(first);
    free(problem_first);
    free(column);
    if (status != SP_OK)
        sp_board_free(b);
    return status;
}

void sp_board_free(sp_board *b)
{
    free(b->label);
    free(b->problem);
    free(b->row);
    free(b->value);
    free(b->mean);
    free(b->ratio);
    free(b->failed);
    *b = (sp_board){ 0 };
}
