/* compare_score.c -- `compare --score`: many methods over many problems, from exported tables alone. */
#include "core/cli/verbs/verbs.h"
#include "core/cli/print/columns.h"
#include "core/session/folders.h"

#include "core/base/memory.h"
#include "core/stats/audited.h"
#include "core/contest/score.h"
#include "core/plan/registry.h"
#include "measures/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sp_common common;
    const char *measure, *table; /* NULL: the first one; all */
    const char *base;            /* dominance: of this method alone; NULL: of all */
    bool plain;
    double margin;
} arguments;

static const sp_option options[] = {
    { "measure", '\0', SP_OPTION_TEXT, offsetof(arguments, measure), "NAME",
      "Default the first measure of which less is better", 0, 0 },
    { "table", '\0', SP_OPTION_TEXT, offsetof(arguments, table), "NAME",
      "One table alone: scores, dominance, search or utility", 0, 0 },
    { "base", '\0', SP_OPTION_TEXT, offsetof(arguments, base), "LABEL",
      "dominance: this method against each other one, p adjusted over these pairs alone", 0, 0 },
    { "margin", '\0', SP_OPTION_REAL, offsetof(arguments, margin), "SHARE",
      "dominance: equivalent where neither is more than this share above the other (0.05)", 0.0, 0.99 },
    { "plain", '\0', SP_OPTION_SET, offsetof(arguments, plain), NULL,
      "For scripts: that table, tab-separated (default scores)", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT",
    .about = "Which method is near the best over all problems and budgets of an experiment, from the tables in "
             "results/EXPERIMENT[.SCALE]/. The methods that are compared answer to a budget; where none does, all are.",
    .notes = "A task is a problem with so many records at a budget; r is what a method leaves there, in the mean, over what the best one "
             "leaves.\n"
             "scores: tasks that a method plays; failed runs; best and near: the share of all tasks with r <= 1 and "
             "r <= 2; middle: the interquartile mean of r; rank: the share of the others at a task that leave less (0: "
             "it leaves least), mean over the problems; improvement: the probability that a run leaves less than one of "
             "another method. Intervals of 95 %: the first three by drawing replicates again, that of the rank over the "
             "problems (Student's t).\n"
             "dominance: who leaves less than whom, by paired t tests over the problems (a method's geometric mean of r "
             "at its tasks of a problem; sign tests where runs failed), p adjusted for all pairs that share two problems (Holm).\n"
             "search: the expected rank by the medians of the search, were each grid only 1, 3 or 9 of its points, and "
             "where it is all of them.\n"
             "utility: what is left of the start, the geometric mean over the problems, at each epsilon, and the "
             "oracle calls of a run.",
    .option = options, .common = true, .fewest = 1, .most = 1, .missing = "which experiment?",
    .excess = "one experiment at a time",
};

typedef struct scoring {
    const arguments *arguments;
    const char *name, *measure;
    const sp_runs *runs;
    const sp_board *board;
} scoring;

/* --- lines --------------------------------------------------------------------------------------------------------- */

/* Prints the lines of a table, and frees them. */
static sp_status put(const scoring *s, sp_text *lines, sp_error *error)
{
    sp_text out = { 0 };
    sp_columns_finish(lines, s->arguments->plain, &out);
    const sp_status status = out.failed ? sp_fail(error, SP_ENOMEM, "%s: out of memory", s->name) : SP_OK;
    if (status == SP_OK)
        fputs(out.data ? out.data : "", stdout);
    sp_text_free(&out);
    return status;
}

/* Indices of the labels by a value, ascending; NAN last. */
static void sort_labels(const double *value, size_t labels, size_t *order)
{
    for (size_t i = 0; i < labels; i++) {
        size_t k = i;
        while (k > 0 && (isnan(value[order[k - 1]]) ? !isnan(value[i]) : value[order[k - 1]] > value[i])) {
            order[k] = order[k - 1];
            k--;
        }
        order[k] = i;
    }
}

/* --- tables -------------------------------------------------------------------------------------------------------- */

static sp_status print_scores(const scoring *s, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_board *b = s->board;
    const bool plain = s->arguments->plain;
    sp_text lines = { 0 };
    sp_label_score *score = sp_alloc(b->labels + 1, sizeof *score);
    double *rank = sp_alloc_doubles(b->labels + 1);
    size_t *order = sp_alloc(b->labels + 1, sizeof *order);
    gsl_rng *stream = sp_score_stream(s->runs, s->measure);
    if (!score || !rank || !order)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->name));
    sp_score_all(b, stream, score);
    for (size_t l = 0; l < b->labels; l++)
        rank[l] = score[l].rank.estimate;
    sort_labels(rank, b->labels, order);
    if (!plain)
        printf("%s: %s, %zu methods on %zu tasks, %zu problems; scores\n", s->name, s->measure, b->labels, b->tasks, b->problems);
    sp_text_append(&lines, plain ? "label\ttasks\tproblems\tfailed\tbest\tbest_low\tbest_high\tnear\tnear_low\tnear_high\t"
                                   "middle\tmiddle_low\tmiddle_high\trank\trank_low\trank_high\timprovement\n"
                                 : "\ttasks\tfailed\tbest\tnear\tmiddle\trank\timprovement\n");
    for (size_t i = 0; i < b->labels; i++) {
        const sp_label_score *e = &score[order[i]];
        const sp_interval *const interval[] = { &e->best, &e->near, &e->middle, &e->rank };
        sp_columns_name(&lines, plain, b->label[order[i]]);
        sp_text_append(&lines, "\t%zu", e->tasks);
        if (plain)
            sp_text_append(&lines, "\t%zu", e->problems);
        sp_text_append(&lines, "\t%zu", e->failed);
        for (size_t k = 0; k < sizeof interval / sizeof *interval; k++)
            sp_columns_interval(&lines, plain, interval[k]);
        sp_columns_number(&lines, plain, e->improvement);
        sp_text_append(&lines, "\n");
    }
    SP_TRY(put(s, &lines, error));
cleanup:
    sp_text_free(&lines);
    free(score);
    free(rank);
    free(order);
    gsl_rng_free(stream);
    return status;
}

/* Index of a label; labels: NULL, or not there. */
static size_t label_at(const sp_board *b, const char *label)
{
    size_t l = 0;
    while (l < b->labels && !(label && strcmp(b->label[l], label) == 0))
        l++;
    return l;
}

static void append_pair(const scoring *s, size_t a, size_t b, const sp_dominance *d, sp_text *lines)
{
    sp_columns_name(lines, true, s->board->label[a]);
    sp_text_append(lines, "\t");
    sp_columns_name(lines, true, s->board->label[b]);
    sp_text_append(lines, "\t%zu\t%s\t%s", d->pair.estimate.count, d->pair.ratio ? "ratio" : "difference",
                   d->pair.signs ? "sign" : "t");
    sp_columns_interval(lines, true, &d->pair.estimate);
    sp_columns_number(lines, true, d->pair.all.p);
    sp_columns_number(lines, true, d->pair.p_equivalent);
    sp_text_append(lines, "\t%s\n", sp_order_name(d->order));
}

static void append_row(const scoring *s, size_t a, const sp_dominance *row, sp_text *lines)
{
    static const sp_order order[] = { SP_BETTER, SP_WORSE, SP_EQUIVALENT };
    static const char *const head[] = { "leaves less than", "more than", "as much as" };
    const sp_board *b = s->board;
    sp_columns_name(lines, false, b->label[a]);
    sp_text_append(lines, "\t");
    bool said = false;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        bool begun = false;
        for (size_t l = 0; l < b->labels; l++) {
            if (l == a || row[l].order != order[k])
                continue;
            if (begun)
                sp_text_append(lines, ", %s", b->label[l]);
            else
                sp_text_append(lines, "%s%s %s", said ? "; " : "", head[k], b->label[l]);
            begun = said = true;
        }
    }
    sp_text_append(lines, "%s\n", said ? "" : "-");
}

static sp_status print_dominance(const scoring *s, sp_error *error)
{
    const sp_board *b = s->board;
    sp_status status = SP_OK;
    sp_text lines = { 0 };
    const bool plain = s->arguments->plain;
    const size_t only = label_at(b, s->arguments->base); /* labels: all */
    sp_dominance *d = sp_alloc(b->labels * b->labels + 1, sizeof *d);
    if (!d)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->name));
    if (only < b->labels)
        sp_dominance_row(b, only, s->arguments->margin, d + only * b->labels);
    else
        sp_dominance_all(b, s->arguments->margin, d);
    if (plain)
        sp_text_append(&lines, "label\tbase\tproblems\tscale\ttest\testimate\tlow\thigh\tp\tp_equivalent\torder\n");
    else
        printf("%s: %s; dominance, p adjusted over the %zu pairs that share two problems or more; pairs that are not named are "
               "undecided, or share fewer\n", s->name, s->measure, sp_dominance_tests(b, only, d));
    for (size_t a = 0; a < b->labels; a++) {
        if (only < b->labels && a != only)
            continue;
        for (size_t l = 0; l < b->labels && plain; l++)
            if (l != a)
                append_pair(s, a, l, &d[a * b->labels + l], &lines);
        if (!plain)
            append_row(s, a, d + a * b->labels, &lines);
    }
    SP_TRY(put(s, &lines, error));
cleanup:
    sp_text_free(&lines);
    free(d);
    return status;
}

static sp_status print_search(const scoring *s, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_board *b = s->board;
    const bool plain = s->arguments->plain;
    sp_text lines = { 0 };
    size_t points[SP_SEARCHES];
    const size_t budgets = sp_search_points(s->runs, b, s->measure, points);
    sp_interval *rank = sp_alloc(budgets * b->labels + 1, sizeof *rank);
    size_t *order = sp_alloc(b->labels + 1, sizeof *order);
    double *last = sp_alloc_doubles(b->labels + 1);
    if (!rank || !order || !last)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->name));
    for (size_t k = 0; k < budgets; k++)
        sp_search_ranks(s->runs, b, s->measure, points[k], rank + k * b->labels);
    for (size_t l = 0; l < b->labels; l++)
        last[l] = rank[(budgets - 1) * b->labels + l].estimate;
    sort_labels(last, b->labels, order);
    if (!plain)
        printf("%s: %s; rank where the grid has so many points\n", s->name, s->measure);
    sp_text_append(&lines, plain ? "label\tproblems" : "");
    for (size_t k = 0; k < budgets; k++)
        if (plain)
            sp_text_append(&lines, "\trank_%zu\trank_%zu_low\trank_%zu_high", points[k], points[k], points[k]);
        else
            sp_text_append(&lines, "\t%zu", points[k]);
    sp_text_append(&lines, "\n");
    if (!plain && isnan(last[order[0]]))
        sp_text_append(&lines, "no two methods were tuned by this measure\n");
    for (size_t i = 0; i < b->labels; i++) {
        const size_t l = order[i];
        if (rank[l].count == 0)
            continue;
        sp_columns_name(&lines, plain, b->label[l]);
        if (plain)
            sp_text_append(&lines, "\t%zu", rank[l].count);
        for (size_t k = 0; k < budgets; k++)
            sp_columns_interval(&lines, plain, &rank[k * b->labels + l]);
        sp_text_append(&lines, "\n");
    }
    SP_TRY(put(s, &lines, error));
cleanup:
    sp_text_free(&lines);
    free(rank);
    free(order);
    free(last);
    return status;
}

static sp_status print_utility(const scoring *s, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_board *b = s->board;
    const bool plain = s->arguments->plain;
    sp_text lines = { 0 };
    const char **budget = sp_alloc(b->labels * b->tasks + 1, sizeof *budget);
    sp_utility *utility = NULL;
    if (!budget)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->name));
    const size_t budgets = sp_utility_budgets(s->runs, b, budget);
    if (!(utility = sp_alloc(budgets * b->labels + 1, sizeof *utility)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->name));
    for (size_t k = 0; k < budgets; k++)
        SP_TRY(sp_utility_at(s->runs, b, s->measure, budget[k], utility + k * b->labels, error));
    if (plain)
        sp_text_append(&lines, "label\tepsilon\tproblems\tleft\tlow\thigh\tcalls\n");
    else
        printf("%s: %s, what is left of the start, and oracle calls\n", s->name, s->measure);
    for (size_t k = 0; k < budgets && !plain; k++)
        sp_text_append(&lines, "\tepsilon = %s\tcalls%s", budget[k], k + 1 == budgets ? "\n" : "");
    for (size_t l = 0; l < b->labels; l++) {
        for (size_t k = 0; k < budgets; k++) {
            const sp_utility *u = &utility[k * b->labels + l];
            if (plain || k == 0)
                sp_columns_name(&lines, plain, b->label[l]);
            if (plain)
                sp_text_append(&lines, "\t%s\t%zu", budget[k], u->left.count);
            sp_columns_interval(&lines, plain, &u->left);
            sp_columns_number(&lines, plain, u->calls);
            sp_text_append(&lines, plain || k + 1 == budgets ? "\n" : "");
        }
    }
    SP_TRY(put(s, &lines, error));
cleanup:
    sp_text_free(&lines);
    free(budget);
    free(utility);
    return status;
}

/* --- the verb ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    sp_status (*print)(const scoring *, sp_error *);
} tables[] = {
    { "scores", print_scores }, { "dominance", print_dominance }, { "search", print_search }, { "utility", print_utility },
};
enum { TABLES = sizeof tables / sizeof *tables };

/* The measure that is asked for, or the first one; of which less is better. */
static sp_status choose_measure(const arguments *a, const char *name, const sp_runs *runs, const char **out, sp_error *error)
{
    const sp_table *t = &runs->table;
    const char **known = sp_alloc(t->columns + 1, sizeof *known);
    size_t count = 0;
    if (!known)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", name);
    for (size_t c = 0; c < t->columns; c++)
        if (runs->measure[c] && sp_measure_find(t->column[c]) && sp_measure_find(t->column[c])->lower_is_better)
            known[count++] = t->column[c];
    sp_status status = SP_OK;
    if (count == 0)
        status = sp_fail(error, SP_EINVAL, "%s has no measure of which less is better", name);
    else if (a->measure)
        status = sp_need_word(known, count, name, "measure of which less is better", a->measure, error);
    *out = a->measure ? a->measure : count > 0 ? known[0] : NULL;
    free(known);
    return status;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_runs runs = { 0 };
    sp_board board = { 0 };
    sp_text failed = { 0 };
    char *name = NULL, **word;
    const char *known[TABLES];
    size_t words;
    int code = SP_EXIT_OK;
    arguments a = { .common = SP_COMMON_DEFAULTS, .margin = 0.05 };
    scoring s = { .arguments = &a, .runs = &runs, .board = &board };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        goto cleanup;
    for (size_t i = 0; i < TABLES; i++)
        known[i] = tables[i].name;
    if (a.table)
        SP_TRY(sp_need_word(known, TABLES, "compare --score", "table", a.table, &error));
    if (!(name = sp_folder_of(&a.common, word[0])))
        SP_TRY(sp_fail(&error, SP_ENOMEM, "compare --score: out of memory"));
    s.name = name;
    SP_TRY(sp_open_runs(&a.common, name, &runs, &error));
    SP_TRY(choose_measure(&a, name, &runs, &s.measure, &error));
    SP_TRY(sp_board_make(&runs, s.measure, &board, &error));
    if (a.base)
        SP_TRY(sp_need_word(board.label, board.labels, name, "label", a.base, &error));
    const char *only = a.plain && !a.table ? "scores" : a.table;
    for (size_t i = 0, said = 0; i < TABLES; i++)
        if (!only || strcmp(only, tables[i].name) == 0) {
            fputs(said++ > 0 ? "\n" : "", stdout);
            SP_TRY(tables[i].print(&s, &error));
        }
    sp_append_failed_audits(&runs, NULL, board.label, a.plain ? 0 : board.labels, "", &failed);
    if (failed.failed)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "%s: out of memory", name));
    fputs(failed.data ? failed.data : "", stdout);
cleanup:
    sp_text_free(&failed);
    sp_board_free(&board);
    sp_runs_close(&runs);
    free(name);
    if (status == SP_OK)
        return code;
    return sp_complain(&error, status == SP_EINVAL || status == SP_EABSENT ? SP_EXIT_USAGE : SP_EXIT_FAILED);
}

const sp_verb sp_verb_compare_score = { "compare --score", "which method is near the best over all problems?", &usage, run };
