/* scores.c -- which method? The scores of an experiment over many problems (core/contest/score.h) as the report's tables. */
#include "core/report/report_internal.h"

#include "core/base/memory.h"
#include "core/report/html.h"
#include "core/plan/registry.h"
#include "measures/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGETS_MAX = 6 };

/* The measure of the experiment's profile; NULL: it draws none over all its problems. */
static const char *profiled(const sp_report_experiment *e)
{
    for (size_t i = 0; i < e->of->plan->figures; i++) {
        const sp_figure *f = &e->of->plan->figure[i];
        if (strcmp(f->kind, "profile") == 0 && f->across && f->panels > 0)
            return f->y[0];
    }
    return NULL;
}

static sp_status stand(const sp_runs *runs, const char *measure, sp_board *b, sp_rank **standing, sp_error *error)
{
    sp_status status = SP_OK;
    SP_TRY(sp_board_make(runs, measure, b, error));
    if (!(*standing = sp_alloc(b->labels + 1, sizeof **standing)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    SP_TRY(sp_ranking(runs, b, measure, *standing, error));
cleanup:
    return status;
}

sp_status sp_report_stand(sp_report_experiment *e, sp_error *error)
{
    e->measure = profiled(e);
    return e->measure ? stand(&e->runs, e->measure, &e->board, &e->standing, error) : SP_OK;
}

/* The algorithm behind a label, of its first cell. */
static const char *algorithm_of(const sp_report_experiment *e, const sp_board *b, size_t label)
{
    const sp_table *t = &e->runs.table;
    const size_t column = sp_table_column(t, "algorithm");
    for (size_t task = 0; task < b->tasks && column < t->columns; task++) {
        const size_t row = b->row[sp_board_at(b, label, task)];
        if (row < t->rows)
            return sp_table_text(t, row, column);
    }
    return b->label[label];
}

static void cell_label(const sp_report_experiment *e, const sp_board *b, size_t label, sp_text *out)
{
    const char *algorithm = algorithm_of(e, b, label);
    sp_text_add_text(out, "<td>");
    if (strcmp(algorithm, b->label[label]) == 0)
        sp_report_link_to(out, "method", algorithm);
    else
        sp_html_text(out, b->label[label]);
    sp_text_add_text(out, "</td>");
}

/* Labels by the share of all tasks at which they are near the best, the largest first; equals by their place. */
static void by_nearness(const sp_rank *s, size_t labels, size_t *order)
{
    for (size_t i = 0; i < labels; i++) {
        size_t k = i;
        for (; k > 0; k--) {
            const sp_rank *before = &s[order[k - 1]];
            const double mine = s[i].score.near.estimate, theirs = before->score.near.estimate;
            if (mine < theirs || (mine == theirs && s[i].place >= before->place))
                break;
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
}

/* "0.53 [0.49, 0.57]" */
static void cell_interval(const sp_interval *i, double scale, sp_text *out)
{
    sp_report_sorted(out, "<td class=\"whole\"", i->estimate);
    if (!isnan(i->estimate))
        sp_text_append(out, "%.3g", scale * i->estimate);
    if (!isnan(i->low))
        sp_text_append(out, " [%.3g, %.3g]", scale * i->low, scale * i->high);
    sp_text_add_text(out, "</td>");
}

static void standing_table(const sp_report_experiment *e, const char *measure, const sp_board *b, const sp_rank *s,
                           const size_t *order, sp_text *out)
{
    static const char *const columns[] = { "method", "tasks", "failed runs", "within a factor of 2, % of all tasks", "best, %",
                                           "middle ratio", "rank", "beats another's run, %",
                                           "calls a record" };
    char *caption = sp_format("%s: %zu methods on %zu tasks of %zu problems; 95 %% intervals", measure, b->labels, b->tasks,
                              b->problems);
    sp_html_table_begin(out, NULL, caption ? caption : "", columns, sizeof columns / sizeof *columns);
    out->failed |= !caption;
    free(caption);
    for (size_t i = 0; i < b->labels; i++) {
        const sp_rank *at = &s[order[i]];
        const sp_label_score *score = &at->score;
        sp_text_add_text(out, "<tr>");
        cell_label(e, b, order[i], out);
        sp_text_append(out, "<td>%zu</td><td>%zu</td>", score->tasks, score->failed);
        cell_interval(&score->near, 100.0, out);
        cell_interval(&score->best, 100.0, out);
        cell_interval(&score->middle, 1.0, out);
        cell_interval(&score->rank, 1.0, out);
        sp_text_append(out, isnan(score->improvement) ? "<td></td>" : "<td>%.0f</td>", 100.0 * score->improvement);
        sp_text_append(out, isnan(at->calls) ? "<td></td>" : "<td>%.3g</td>", at->calls);
        sp_text_add_text(out, "</tr>\n");
    }
    sp_html_table_end(out);
}

/* The labels that a row of the dominance matrix has in this order to its own; how many. */
static void cell_others(const sp_board *b, const sp_dominance *row, size_t own, sp_order wanted, sp_text *out)
{
    size_t count = 0;
    for (size_t l = 0; l < b->labels; l++)
        count += l != own && row[l].order == wanted;
    sp_text_append(out, "<td data-value=\"%zu\">", count);
    if (count > 0)
        sp_text_append(out, "<b>%zu</b>: ", count);
    for (size_t l = 0, said = 0; l < b->labels; l++)
        if (l != own && row[l].order == wanted) {
            sp_text_add_text(out, said++ > 0 ? ", " : "");
            sp_html_text(out, b->label[l]);
        }
    sp_text_add_text(out, "</td>");
}

static void dominance_table(const sp_report_experiment *e, const size_t *order, sp_text *out)
{
    static const char *const columns[] = { "method", "leaves less than", "more than", "as much as" };
    const double margin = 0.05; /* that of `score` */
    const sp_board *b = &e->board;
    sp_dominance *d = sp_need(sp_alloc(b->labels * b->labels + 1, sizeof *d));
    sp_dominance_all(b, margin, d);
    char *caption = sp_need(
        sp_format("Who leaves less %s than whom: paired tests over the problems, p adjusted for all %zu "
                  "pairs that share two problems (Holm, 5 %%); pairs that stand nowhere are undecided",
                  e->measure, sp_dominance_tests(b, b->labels, d)));
    sp_html_table_begin(out, NULL, caption, columns, sizeof columns / sizeof *columns);
    free(caption);
    for (size_t i = 0; i < b->labels; i++) {
        const size_t l = order[i];
        sp_text_add_text(out, "<tr>");
        cell_label(e, b, l, out);
        cell_others(b, d + l * b->labels, l, SP_BETTER, out);
        cell_others(b, d + l * b->labels, l, SP_WORSE, out);
        cell_others(b, d + l * b->labels, l, SP_EQUIVALENT, out);
        sp_text_add_text(out, "</tr>\n");
    }
    sp_html_table_end(out);
    free(d);
}

static sp_status utility_table(const sp_report_experiment *e, const size_t *order, sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_board *b = &e->board;
    const char **budget = sp_alloc(b->labels * b->tasks + 1, sizeof *budget), *columns[1 + 2 * BUDGETS_MAX] = { "method" };
    char *name[2 * BUDGETS_MAX] = { NULL };
    sp_utility *left = sp_alloc(BUDGETS_MAX * b->labels + 1, sizeof *left);
    if (!budget || !left)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    const size_t all = sp_utility_budgets(&e->runs, b, budget), budgets = all < BUDGETS_MAX ? all : BUDGETS_MAX;
    for (size_t k = 0; k < budgets; k++) {
        status = sp_utility_at(&e->runs, b, e->measure, budget[k], left + k * b->labels, error);
        if (status == SP_EINVAL) { /* the tables do not say what holds at the start */
            *error = (sp_error){ 0 };
            status = SP_OK;
            goto cleanup;
        }
        SP_TRY(status);
        name[2 * k] = sp_format("left at epsilon %s", budget[k]);
        name[2 * k + 1] = sp_format("calls at %s", budget[k]);
        if (!name[2 * k] || !name[2 * k + 1])
            SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
        columns[1 + 2 * k] = name[2 * k];
        columns[2 + 2 * k] = name[2 * k + 1];
    }
    char *caption = sp_format("%s that is left of its value at the start, geometric mean over the problems with a 95 %% "
                              "interval, and oracle calls of a run, at each budget", e->measure);
    sp_html_table_begin(out, NULL, caption ? caption : "", columns, 1 + 2 * budgets);
    out->failed |= !caption;
    free(caption);
    for (size_t i = 0; i < b->labels; i++) {
        sp_text_add_text(out, "<tr>");
        cell_label(e, b, order[i], out);
        for (size_t k = 0; k < budgets; k++) {
            const sp_utility *u = &left[k * b->labels + order[i]];
            cell_interval(&u->left, 1.0, out);
            sp_text_append(out, isnan(u->calls) ? "<td></td>" : "<td>%.2g</td>", u->calls);
        }
        sp_text_add_text(out, "</tr>\n");
    }
    sp_html_table_end(out);
cleanup:
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        free(name[k]);
    free(budget);
    free(left);
    return status;
}

/* Where methods stand by another measure of which less is better and that all of them have; nothing where it makes no board. */
static sp_status by_other(const sp_report_experiment *e, const char *measure, sp_text *out, sp_error *error)
{
    sp_board board = { 0 };
    sp_rank *standing = NULL;
    size_t *order = NULL;
    sp_status status = stand(&e->runs, measure, &board, &standing, error);
    if (status == SP_EINVAL) {
        *error = (sp_error){ 0 };
        status = SP_OK;
    } else if (status == SP_OK) {
        if (!(order = sp_alloc(board.labels + 1, sizeof *order)))
            SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
        by_nearness(standing, board.labels, order);
        standing_table(e, measure, &board, standing, order, out);
    }
cleanup:
    sp_board_free(&board);
    free(standing);
    free(order);
    return status;
}

sp_status sp_report_scores(const sp_report_experiment *e, sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &e->runs.table;
    if (!e->standing)
        return SP_OK;
    size_t *order = sp_alloc(e->board.labels + 1, sizeof *order);
    if (!order)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    by_nearness(e->standing, e->board.labels, order);
    sp_text_add_text(out, "<p>A task is a problem with so many records at a budget; a method's ratio there is what it leaves, in "
                          "the mean, over what the best one leaves. <em>Middle ratio</em>: the mean of the middle half. "
                          "<em>Rank</em>: the share of the others that leave less, mean over the problems that the method "
                          "fits; 0 is the best. The two shares are of all tasks, those that it does not fit included.</p>\n");
    standing_table(e, e->measure, &e->board, e->standing, order, out);
    dominance_table(e, order, out);
    sp_text_add_text(out, "<details><summary>What is left at each budget, and other measures</summary>\n");
    SP_TRY(utility_table(e, order, out, error));
    for (size_t c = 0; c < t->columns; c++) {
        const sp_measure *m = e->runs.measure[c] ? sp_measure_find(t->column[c]) : NULL;
        if (m && m->lower_is_better && strcmp(m->name, e->measure) != 0)
            SP_TRY(by_other(e, m->name, out, error));
    }
    sp_text_add_text(out, "</details>\n");
cleanup:
    free(order);
    return status;
}

void sp_report_ranking(const sp_report_experiment *e, const char *algorithm, sp_text *out)
{
    const sp_board *b = &e->board;
    size_t best = b->labels;
    for (size_t l = 0; l < b->labels; l++)
        if (strcmp(algorithm_of(e, b, l), algorithm) == 0 &&
            (best == b->labels || e->standing[l].score.near.estimate > e->standing[best].score.near.estimate))
            best = l;
    if (best == b->labels)
        return;
    const sp_rank *s = &e->standing[best];
    sp_text_add_text(out, "<dd>");
    sp_report_link_to(out, "experiment", e->of->plan->name);
    if (strcmp(b->label[best], algorithm) != 0) {
        sp_text_add_text(out, ", as ");
        sp_html_text(out, b->label[best]);
    }
    sp_text_append(out, ": within a factor of two of the best at %.0f of %zu tasks, of which it fits %zu, and best at %.0f; "
                        "rank %.2g; by ", s->score.near.estimate * (double)b->tasks, b->tasks, s->score.tasks,
                   s->score.best.estimate * (double)b->tasks, s->score.rank.estimate);
    sp_html_text(out, e->measure);
    sp_text_add_text(out, "</dd>\n");
}
