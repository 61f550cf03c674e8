/* board.c -- makes and resamples boards (board.h). */
#include "core/contest/board.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool sp_runs_alike(const sp_runs *runs, size_t a, size_t b, sp_alike alike)
{
    const sp_table *t = &runs->table;
    bool same = strcmp(sp_table_text(t, a, runs->sweep), sp_table_text(t, b, runs->sweep)) == 0;
    for (size_t k = 0; k < t->columns && same; k++) {
        const char *column = t->column[k];
        const bool budget = strncmp(column, "privacy", strlen("privacy")) == 0, size = strcmp(column, "problem.n") == 0;
        if (runs->axis[k] && sp_is_problem_axis(column) && !(budget && alike != SP_SAME_TASK) &&
            !(size && alike == SP_SAME_PROBLEM))
            same = strcmp(sp_table_text(t, a, k), sp_table_text(t, b, k)) == 0;
    }
    return same;
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

bool sp_runs_play(const sp_runs *runs, size_t first, size_t y)
{
    const sp_table *t = &runs->table;
    bool plays = false, known = false;
    for (size_t r = first; r < t->rows && sp_runs_same_cell(runs, first, r) && !plays; r++)
        plays = !isnan(sp_runs_value(runs, r, y, true));
    for (size_t r = 0; r < t->rows && plays && !known; r++)
        known = isfinite(sp_table_number(t, r, y)) &&
                strcmp(sp_table_text(t, r, runs->sweep), sp_table_text(t, first, runs->sweep)) == 0;
    return known;
}

static sp_status find_cells(const sp_runs *runs, const sp_selection *s, size_t y, size_t *first, size_t *problem_first,
                            sp_board *b, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t rows = runs->table.rows;
    bool private = false;
    for (size_t row = 0; row < rows && !private; row++)
        private = is_private(runs, row) && sp_runs_selected(runs, s, row);
    for (size_t pass = 0; pass < 2; pass++) { /* labels and tasks, then their cells */
        for (size_t row = 0; row < rows; row++) {
            if ((row > 0 && sp_runs_same_cell(runs, row, row - 1)) || (private && !is_private(runs, row)) ||
                !sp_runs_selected(runs, s, row) || !sp_runs_play(runs, row, y))
                continue;
            const size_t l = find_label(b, sp_table_text(&runs->table, row, runs->label));
            size_t t = 0, p = 0;
            while (t < b->tasks && !sp_runs_alike(runs, first[t], row, SP_SAME_TASK))
                t++;
            if (t == b->tasks) {
                while (p < b->problems && !sp_runs_alike(runs, problem_first[p], row, SP_SAME_PROBLEM))
                    p++;
                if (p == b->problems)
                    problem_first[b->problems++] = row;
                b->problem[t] = p;
                first[b->tasks++] = row;
            }
            if (pass > 0) {
                size_t *cell = &b->row[sp_board_at(b, l, t)];
                if (*cell < rows)
                    SP_TRY(sp_runs_ambiguous(runs, s->place, *cell, row, " at one problem", error));
                *cell = row;
            }
        }
        if (pass == 0) {
            b->row = sp_need(sp_alloc(b->labels * b->tasks + 1, sizeof *b->row));
            for (size_t i = 0; i < b->labels * b->tasks; i++)
                b->row[i] = rows;
        }
    }
cleanup:
    return status;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

/* In the place of the means of all labels at a task; NAN stays. */
static void make_ratios(const sp_board *b, size_t task, double *ratio)
{
    double best = INFINITY;
    for (size_t l = 0; l < b->labels; l++)
        best = fmin(best, ratio[sp_board_at(b, l, task)]);
    for (size_t l = 0; l < b->labels; l++) {
        double *r = &ratio[sp_board_at(b, l, task)];
        if (isfinite(*r))
            *r = *r <= best ? 1.0 : best > 0.0 ? *r / best : INFINITY;
    }
}

static void read_cell(const sp_runs *runs, size_t y, sp_board *b, size_t cell)
{
    double *value = b->value + cell * b->replicates, sum = 0.0;
    for (size_t row = b->row[cell]; row < runs->table.rows && sp_runs_same_cell(runs, b->row[cell], row); row++) {
        const double found = sp_runs_rank_value(runs, row, y, true);
        if (isnan(found))
            continue;
        value[b->runs[cell]++] = found;
        b->failed[cell] += isinf(found) != 0;
        sum += found;
    }
    b->ratio[cell] = b->mean[cell] = sum / (double)b->runs[cell]; /* 0/0: the label does not play */
}

void sp_board_read(const sp_runs *runs, size_t y, sp_board *b)
{
    const size_t cells = b->labels * b->tasks;
    b->replicates = runs->replicates;
    b->runs = sp_need(sp_alloc(cells + 1, sizeof *b->runs));
    b->value = sp_need(sp_alloc_doubles(cells * b->replicates + 1));
    b->mean = sp_need(sp_alloc_doubles(cells + 1));
    b->ratio = sp_need(sp_alloc_doubles(cells + 1));
    b->failed = sp_need(sp_alloc(cells + 1, sizeof *b->failed));
    for (size_t cell = 0; cell < cells; cell++)
        read_cell(runs, y, b, cell);
    for (size_t t = 0; t < b->tasks; t++)
        make_ratios(b, t, b->ratio);
}

/* --- drawn again -------------------------------------------------------------------------------------------------- */

static double mean_of(const sp_board *b, size_t cell, const size_t *drawn)
{
    const double *value = b->value + cell * b->replicates;
    double sum = 0.0;
    for (size_t i = 0; i < b->runs[cell]; i++)
        sum += value[drawn[i]];
    return isfinite(b->mean[cell]) ? sum / (double)b->runs[cell] : b->mean[cell];
}

/* Has a label before this one as many runs at the task? */
static bool has_drawn(const sp_board *b, size_t label, size_t task)
{
    for (size_t l = 0; l < label; l++)
        if (b->runs[sp_board_at(b, l, task)] == b->runs[sp_board_at(b, label, task)])
            return true;
    return false;
}

void sp_board_draw(const sp_board *b, gsl_rng *stream, size_t *drawn, double *ratio)
{
    for (size_t t = 0; t < b->tasks; t++) {
        for (size_t l = 0; l < b->labels; l++) {
            const size_t runs = b->runs[sp_board_at(b, l, t)];
            if (has_drawn(b, l, t))
                continue;
            for (size_t i = 0; i < runs; i++)
                drawn[i] = gsl_rng_uniform_int(stream, runs);
            for (size_t o = l; o < b->labels; o++)
                if (b->runs[sp_board_at(b, o, t)] == runs)
                    ratio[sp_board_at(b, o, t)] = mean_of(b, sp_board_at(b, o, t), drawn);
        }
        make_ratios(b, t, ratio);
    }
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

sp_status sp_board_make(const sp_runs *runs, const char *measure, sp_board *b, sp_error *error)
{
    const sp_selection all = { .place = measure, .y = measure };
    const sp_status status = sp_board_select(runs, &all, b, error);
    if (status != SP_OK || b->labels > 0)
        return status;
    sp_board_free(b);
    return sp_fail(error, SP_EINVAL, "no run measured %s", measure);
}

sp_status sp_board_select(const sp_runs *runs, const sp_selection *s, sp_board *b, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t rows = runs->table.rows, y = sp_table_column(&runs->table, s->y);
    size_t *first = sp_need(sp_alloc(rows + 1, sizeof *first)),
           *problem_first = sp_need(sp_alloc(rows + 1, sizeof *problem_first));
    *b = (sp_board){ .label = sp_need(sp_alloc(rows + 1, sizeof *b->label)),
                     .problem = sp_need(sp_alloc(rows + 1, sizeof *b->problem)) };
    if (y == runs->table.columns)
        SP_TRY(sp_fail(error, SP_EINVAL, "runs.tsv has no column %s", s->y));
    SP_TRY(find_cells(runs, s, y, first, problem_first, b, error));
    sp_board_read(runs, y, b);
cleanup:
    free(first);
    free(problem_first);
    if (status != SP_OK)
        sp_board_free(b);
    return status;
}

size_t sp_board_problems(const sp_board *b, size_t label)
{
    size_t count = 0;
    for (size_t p = 0; p < b->problems; p++) {
        bool plays = false;
        for (size_t t = 0; t < b->tasks && !plays; t++)
            plays = b->problem[t] == p && sp_board_plays(b, label, t);
        count += plays;
    }
    return count;
}

void sp_board_free(sp_board *b)
{
    free(b->label);
    free(b->problem);
    free(b->row);
    free(b->runs);
    free(b->value);
    free(b->mean);
    free(b->ratio);
    free(b->failed);
    *b = (sp_board){ 0 };
}
