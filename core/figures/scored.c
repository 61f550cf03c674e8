/* scored.c -- figures of many methods over many problems: what the tables of `score` hold; see figures_internal.h.
 *
 * The board is all that the figure's sweep (with `across` the experiment) and its conditions leave. `methods` only chooses
 * which of its labels are shown: ranks are among all of them, and p-values adjusted over all pairs. */
#include "core/figures/figures_internal.h"

#include "core/base/memory.h"
#include "core/figures/figure_text.h"

#include <stdlib.h>
#include <string.h>

void sp_scores_free(sp_scores *s)
{
    sp_board_free(&s->board);
    free(s->pair);
    free(s->order);
    *s = (sp_scores){ 0 };
}

/* Index of a label on the board; labels: it is not there. */
static size_t label_at(const sp_board *b, const char *label)
{
    size_t l = 0;
    while (l < b->labels && strcmp(b->label[l], label) != 0)
        l++;
    return l;
}

/* Keeps the curves whose label is on the board, in the order of the figure. */
static void keep_labels(sp_canvas *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->curves; i++)
        if (label_at(&c->scores.board, c->item[i].label) < c->scores.board.labels)
            c->item[kept++] = c->item[i];
    c->curves = kept;
}

/* Of the cells that play. */
static void count_replicates(sp_scores *s)
{
    const sp_board *b = &s->board;
    for (size_t cell = 0; cell < b->labels * b->tasks; cell++) {
        size_t count = 0;
        for (size_t r = 0; r < b->replicates; r++)
            count += isnan(b->value[cell * b->replicates + r]) ? 0 : 1;
        if (count == 0)
            continue;
        s->fewest = s->fewest == 0 || count < s->fewest ? count : s->fewest;
        s->most = count > s->most ? count : s->most;
    }
}

static sp_status make_series(const char *label, size_t points, sp_series *out)
{
    *out = (sp_series){ .label = label, .x = sp_alloc_doubles(points + 1),
                        .mean = sp_alloc(points + 1, sizeof *out->mean) };
    return out->x && out->mean ? SP_OK : SP_ENOMEM;
}

static void add_point(sp_series *s, double x, sp_interval y)
{
    if (isnan(x) || isnan(y.estimate))
        return;
    s->x[s->points] = x;
    s->mean[s->points++] = y;
}

/* --- rank against tuning budget ------------------------------------------------------------------------------------ */

/* Curves without a grid are dropped, and named. */
static void drop_gridless(sp_canvas *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->curves; i++) {
        sp_series *series = &c->item[i].in[0].series;
        if (series->points > 0) {
            c->item[kept++] = c->item[i];
            continue;
        }
        sp_text_append(&c->no_grid, "%s", c->no_grid.length ? ", " : "");
        sp_append_plain(&c->no_grid, c->item[i].label);
        sp_series_free(series);
    }
    c->curves = kept;
}

static sp_status gather_search(sp_canvas *c)
{
    sp_status status = SP_OK;
    const sp_board *b = &c->scores.board;
    const char *measure = c->figure->y[0];
    size_t points[SP_SEARCHES];
    const size_t budgets = sp_search_points(c->runs, b, measure, points);
    sp_interval *rank = sp_alloc(b->labels + 1, sizeof *rank);
    if (!rank)
        SP_TRY(SP_ENOMEM);
    for (size_t i = 0; i < c->curves; i++)
        SP_TRY(make_series(c->item[i].label, budgets, &c->item[i].in[0].series));
    for (size_t k = 0; k < budgets; k++) {
        sp_search_ranks(c->runs, b, measure, points[k], rank);
        for (size_t i = 0; i < c->curves; i++)
            add_point(&c->item[i].in[0].series, (double)points[k], rank[label_at(b, c->item[i].label)]);
    }
    c->scores.largest = points[budgets - 1];
    drop_gridless(c);
cleanup:
    free(rank);
    return status;
}

/* --- what is left, and its price ----------------------------------------------------------------------------------- */

static double budget_of(const char *text)
{
    double value = NAN;
    return sp_read_number(text, &value) ? value : NAN;
}

/* Texts of numbers, ascending. */
static int by_value(const void *a, const void *b)
{
    const double x = budget_of(*(const char *const *)a), y = budget_of(*(const char *const *)b);
    return (x > y) - (x < y);
}

/* Against epsilon, and against the calls of a run, in the order of epsilon. */
static sp_status gather_utility(sp_canvas *c, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_board *b = &c->scores.board;
    const char **budget = sp_alloc(b->labels * b->tasks + 1, sizeof *budget);
    sp_utility *utility = sp_alloc(b->labels + 1, sizeof *utility);
    if (!budget || !utility)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c->place));
    const size_t budgets = sp_utility_budgets(c->runs, b, budget);
    qsort(budget, budgets, sizeof *budget, by_value);
    for (size_t i = 0; i < c->curves; i++)
        for (size_t p = 0; p < 2; p++)
            if (make_series(c->item[i].label, budgets, &c->item[i].in[p].series) != SP_OK)
                SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c->place));
    for (size_t k = 0; k < budgets; k++) {
        SP_TRY(sp_utility_at(c->runs, b, c->figure->y[0], budget[k], utility, error));
        for (size_t i = 0; i < c->curves; i++) {
            const sp_utility *u = &utility[label_at(b, c->item[i].label)];
            add_point(&c->item[i].in[0].series, budget_of(budget[k]), u->left);
            add_point(&c->item[i].in[1].series, u->calls, u->left);
        }
    }
cleanup:
    free(budget);
    free(utility);
    return status;
}

/* --- who beats whom ------------------------------------------------------------------------------------------------ */

/* The labels that are shown, by their mean rank; those without one last. */
static sp_status gather_dominance(sp_canvas *c)
{
    enum { MARGIN = 5 }; /* per cent; that of `score` */
    sp_status status = SP_OK;
    sp_scores *s = &c->scores;
    sp_interval *rank = sp_alloc(s->board.labels + 1, sizeof *rank);
    s->pair = sp_alloc(s->board.labels * s->board.labels + 1, sizeof *s->pair);
    s->order = sp_alloc(c->curves + 1, sizeof *s->order);
    if (!rank || !s->pair || !s->order)
        SP_TRY(SP_ENOMEM);
    sp_score_ranks(&s->board, rank);
    sp_dominance_all(&s->board, MARGIN / 100.0, s->pair);
    for (size_t i = 0; i < c->curves; i++) {
        const size_t l = label_at(&s->board, c->item[i].label);
        const double mine = isnan(rank[l].estimate) ? INFINITY : rank[l].estimate;
        size_t k = s->shown++;
        for (; k > 0 && !(rank[s->order[k - 1]].estimate <= mine); k--)
            s->order[k] = s->order[k - 1];
        s->order[k] = l;
    }
    c->curves = 0; /* fields, no curves; what is known of the items is still there */
cleanup:
    free(rank);
    return status;
}

sp_status sp_gather_scores(sp_canvas *c, size_t *points, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_selection s = sp_canvas_selection(c, NULL, 0);
    sp_keep_rivals(c);
    SP_TRY(sp_board_select(c->runs, &s, &c->scores.board, error));
    keep_labels(c);
    count_replicates(&c->scores);
    if (c->kind == SP_UTILITY)
        SP_TRY(gather_utility(c, error));
    else if ((c->kind == SP_SEARCH ? gather_search(c) : gather_dominance(c)) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c->place));
    for (size_t i = 0; i < c->scores.shown * c->scores.shown; i++) {
        const size_t row = c->scores.order[i / c->scores.shown], column = c->scores.order[i % c->scores.shown];
        *points += c->scores.pair[row * c->scores.board.labels + column].order != SP_TOO_FEW;
    }
    for (size_t i = 0; i < c->curves; i++)
        *points += c->item[i].in[0].series.points;
cleanup:
    return status;
}
