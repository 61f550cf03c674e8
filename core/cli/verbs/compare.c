/* compare.c -- `compare`: which of two methods would you use? Paired differences, from exported tables alone. */
#include "core/cli/verbs/verbs.h"

#include "core/base/memory.h"
#include "core/evidence/compare.h"
#include "core/plan/registry.h"
#include "measures/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN = 2000, MEASURE };

typedef struct words {
    const char **word;
    size_t count;
} words;

typedef struct {
    sp_common common;
    bool plain;
    words name, measure; /* EXPERIMENT BASE [LABEL...]; those chosen */
} arguments;

static const struct argp_option options[] = {
    { "measure", MEASURE, "NAME", 0, "One measure instead of all; may be repeated", 0 },
    { "plain", PLAIN, NULL, 0, "A table of the points for scripts", 0 },
    { 0 }
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case PLAIN:
        a->plain = true;
        return 0;
    case MEASURE:
        a->measure.word[a->measure.count++] = argument;
        return 0;
    case ARGP_KEY_ARG:
        a->name.word[a->name.count++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (a->name.count < 2)
            argp_error(state, a->name.count == 0 ? "which experiment?" : "compare with which label?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = { { &sp_common_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = {
    options, parse, "EXPERIMENT BASE [LABEL...]",
    "Holds methods against the method BASE, run against run, from results/EXPERIMENT[.SCALE]/runs.tsv; without a LABEL "
    "all that share a sweep with it."
    "\vA line a point and measure: the mean of LABEL - BASE over the replicates that both have, which met the same "
    "records, and its 95 % bootstrap interval. better, worse: the interval is on one side of 0; same: it holds 0; -: "
    "fewer than two pairs. At the end a summary a label and measure; --quiet prints the summaries alone.",
    children, NULL, NULL
};

/* --- names --------------------------------------------------------------------------------------------------- */

static bool holds(const words *w, const char *name)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->word[i], name) == 0)
            return true;
    return false;
}

static sp_status need(const words *known, const char *place, const char *what, const char *name, sp_error *error)
{
    if (holds(known, name))
        return SP_OK;
    const char *near = sp_nearest(name, known->word, known->count);
    if (near)
        return sp_fail(error, SP_EINVAL, "%s has no %s %s; did you mean %s?", place, what, name, near);
    sp_text list = { 0 };
    for (size_t i = 0; i < known->count; i++)
        sp_text_append(&list, "%s%s", i > 0 ? ", " : "", known->word[i]);
    sp_fail(error, SP_EINVAL, "%s has no %s %s; it has: %s", place, what, name, list.data ? list.data : "none");
    sp_text_free(&list);
    return SP_EINVAL;
}

/* Their texts belong to the runs. SP_ENOMEM. */
static sp_status find_words(const sp_runs *runs, words *labels, words *measures)
{
    const sp_table *t = &runs->table;
    labels->word = sp_alloc(t->rows, sizeof *labels->word);
    measures->word = sp_alloc(t->columns, sizeof *measures->word);
    if (!labels->word || !measures->word)
        return SP_ENOMEM;
    for (size_t row = 0; row < t->rows; row++)
        if (!holds(labels, sp_table_text(t, row, runs->label)))
            labels->word[labels->count++] = sp_table_text(t, row, runs->label);
    for (size_t c = 0; c < t->columns; c++)
        if (sp_measure_find(t->column[c]))
            measures->word[measures->count++] = t->column[c];
    return SP_OK;
}

static sp_status check_names(const arguments *a, const char *name, const words *labels, const words *measures,
                             sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t i = 1; i < a->name.count; i++) {
        SP_TRY(need(labels, name, "label", a->name.word[i], error));
        if (i > 1 && strcmp(a->name.word[i], a->name.word[1]) == 0)
            return sp_fail(error, SP_EINVAL, "%s is what the others are compared with", a->name.word[i]);
    }
    for (size_t i = 0; i < a->measure.count; i++)
        SP_TRY(need(measures, name, "measure", a->measure.word[i], error));
cleanup:
    return status;
}

static sp_status open_runs(const arguments *a, const char *name, sp_runs *runs, sp_error *error)
{
    char *folder = sp_format("%s/results/%s", a->common.root, name), **names = NULL;
    size_t count = 0;
    sp_status status = folder ? sp_runs_open(folder, 0, runs, error) /* a comparison takes the seed of the table */
                              : sp_fail(error, SP_ENOMEM, "%s: out of memory", name);
    if (status == SP_EABSENT && sp_folders_with(&a->common, "runs.tsv", &names, &count, NULL) == SP_OK) {
        const char *near = sp_nearest(name, (const char *const *)names, count);
        if (near) /* as one would type it: without the scale */
            sp_fail(error, status, "%s: no tables there; did you mean %.*s?", folder, (int)strcspn(near, "."), near);
    }
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    free(folder);
    return status;
}

/* --- lines --------------------------------------------------------------------------------------------------- */

typedef struct comparing {
    const arguments *arguments;
    const char *name; /* "quickstart.smoke" */
    const char *label, *base, *measure;
} comparing;

static void print_row(const comparing *k, const sp_comparison *c)
{
    const double value[] = { c->difference.estimate, c->difference.low, c->difference.high };
    const char *const text[] = { c->sweep, k->label, k->base, k->measure };
    char number[SP_NUMBER_SIZE];
    sp_text fields = { 0 };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        sp_text_append(&fields, "\t");
        sp_table_write(&fields, text[i]);
    }
    printf("%s%s\t%s", k->name, fields.data ? fields.data : "", c->at);
    sp_text_free(&fields);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        printf("\t%s", isnan(value[i]) ? "NaN" : sp_number(value[i], number));
    printf("\t%zu\t%zu\t%zu\t%s\n", c->difference.count, c->failed, c->missing, sp_order_name(c->order));
}

static void print_line(const comparing *k, const sp_comparison *c)
{
    const bool one_sweep = strcmp(c->sweep, "main") == 0, one_point = strcmp(c->at, "-") == 0;
    printf("%s%s%s %-6s  %s - %s: %s%s%s: ", k->name, one_sweep ? "" : "/", one_sweep ? "" : c->sweep,
           sp_order_name(c->order), k->label, k->base, k->measure, one_point ? "" : " at ", one_point ? "" : c->at);
    if (c->difference.count == 0)
        printf("not measured");
    else
        printf("%+.4g", c->difference.estimate);
    if (c->difference.count > 1)
        printf(" [%.4g, %.4g]", c->difference.low, c->difference.high);
    printf(" (%zu pair%s", c->difference.count, c->difference.count == 1 ? "" : "s");
    if (c->failed + c->missing > 0)
        printf("; runs: %zu failed, %zu missing", c->failed, c->missing);
    printf(")\n");
}

static void summarise(const comparing *k, const sp_comparisons *all, sp_text *summary)
{
    size_t better = 0, worse = 0;
    for (size_t i = 0; i < all->points; i++) {
        better += all->point[i].order == SP_BETTER;
        worse += all->point[i].order == SP_WORSE;
    }
    sp_text_append(summary, "%s %s - %s: %s better at %zu of %zu points, worse at %zu", k->name, k->label, k->base,
                   k->measure, better, all->points, worse);
    if (all->alone > 0)
        sp_text_append(summary, "; %zu cell%s without a partner", all->alone, all->alone == 1 ? "" : "s");
    sp_text_append(summary, "\n");
}

/* Adds to *points how many there are. */
static sp_status compare(const comparing *k, const sp_runs *runs, sp_text *summary, size_t *points, sp_error *error)
{
    sp_comparisons all;
    const sp_status status = sp_compare(runs, k->label, k->base, k->measure,
                                        sp_measure_find(k->measure)->lower_is_better, &all, error);
    for (size_t i = 0; i < all.points; i++)
        if (k->arguments->plain)
            print_row(k, &all.point[i]);
        else if (!k->arguments->common.quiet)
            print_line(k, &all.point[i]);
    if (all.points > 0)
        summarise(k, &all, summary);
    *points += all.points;
    sp_comparisons_free(&all);
    return status;
}

static sp_status compare_all(const arguments *a, const char *name, const sp_runs *runs, const words *labels,
                             const words *measures, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text summary = { 0 };
    size_t total = 0;
    if (a->plain)
        printf("experiment\tsweep\tlabel\tbase\tmeasure\tat\tdifference\tlow\thigh\tpairs\tfailed\tmissing\torder\n");
    for (size_t i = 0; i < labels->count; i++) {
        size_t points = 0;
        comparing k = { a, name, labels->word[i], a->name.word[1], NULL };
        if (strcmp(k.label, k.base) == 0)
            continue;
        for (size_t m = 0; m < measures->count; m++) {
            k.measure = measures->word[m];
            SP_TRY(compare(&k, runs, &summary, &points, error));
        }
        if (points == 0 && a->name.count > 2)
            SP_TRY(sp_fail(error, SP_EINVAL, "%s: %s and %s share no point at which this is measured", name, k.label,
                           k.base));
        total += points;
    }
    if (total == 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: no label shares a point with %s", name, a->name.word[1]));
    if (summary.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", name));
    if (!a->plain)
        fputs(summary.data, stdout);
cleanup:
    sp_text_free(&summary);
    return status;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_runs runs = { 0 };
    words labels = { 0 }, measures = { 0 };
    char *name = NULL;
    arguments a = { .common = { .root = ".", .scale = "default" },
                    .name.word = sp_alloc((size_t)argc, sizeof *a.name.word),
                    .measure.word = sp_alloc((size_t)argc, sizeof *a.measure.word) };
    if (!a.name.word || !a.measure.word)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "compare: out of memory"));
    sp_parse(&argp, argc, argv, &a);
    name = sp_folder_of(&a.common, a.name.word[0]);
    if (!name)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "compare: out of memory"));
    SP_TRY(open_runs(&a, name, &runs, &error));
    if (find_words(&runs, &labels, &measures) != SP_OK)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "%s: out of memory", name));
    SP_TRY(check_names(&a, name, &labels, &measures, &error));
    const words chosen = { a.name.word + 2, a.name.count - 2 };
    SP_TRY(compare_all(&a, name, &runs, chosen.count > 0 ? &chosen : &labels,
                       a.measure.count > 0 ? &a.measure : &measures, &error));
cleanup:
    sp_runs_close(&runs);
    free(labels.word);
    free(measures.word);
    free(name);
    free(a.name.word);
    free(a.measure.word);
    if (status == SP_OK)
        return SP_EXIT_OK;
    return sp_complain(&error, status == SP_EINVAL || status == SP_EABSENT ? SP_EXIT_USAGE : SP_EXIT_FAILED);
}

const sp_verb sp_verb_compare = { "compare", "is a method better than another, run against run?", run };
