/* compare.c -- `compare`: which of two methods would you use? Paired differences, from exported tables alone; and of
 * two folders of one experiment (compare_folders.h). */
#include "core/cli/verbs/verbs.h"
#include "core/cli/verbs/compare_folders.h"
#include "core/cli/verbs/unpack.h"

#include "core/base/memory.h"
#include "core/stats/audited.h"
#include "core/contest/compare.h"
#include "core/contest/edges.h"
#include "core/plan/registry.h"
#include "measures/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sp_common common;
    bool plain;
    double margin;
    const char *worst; /* axis of a family; NULL: none */
    sp_words measure;  /* those chosen */
    char **name;       /* EXPERIMENT BASE [LABEL...] */
    size_t names;
} arguments;

static const sp_option options[] = {
    { "measure", '\0', SP_OPTION_LIST, offsetof(arguments, measure), "NAME",
      "One measure instead of all; may be repeated", 0, 0 },
    { "margin", '\0', SP_OPTION_REAL, offsetof(arguments, margin), "SHARE",
      "equivalent: neither is more than this share above the other (0.05)", 0.0, 0.99 },
    { "worst", '\0', SP_OPTION_TEXT, offsetof(arguments, worst), "AXIS",
      "One point for all values of this axis: the worst member of the family that it lists", 0, 0 },
    { "plain", '\0', SP_OPTION_SET, offsetof(arguments, plain), NULL, "A table of the points for scripts", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT|ARCHIVE BASE [LABEL...]\nRESULTS1|ARCHIVE1 RESULTS2|ARCHIVE2\n--score EXPERIMENT\n--versus METHOD|FILE.lua",
    .about = "Holds methods against the method BASE, run against run, from the tables in results/EXPERIMENT[.SCALE]/; "
             "without a LABEL all that share a sweep with it. Two folders with tables of one experiment, of two "
             "commits or two machines, are held against each other, run by run of the same identity. An ARCHIVE, "
             "NAME.tar as `archive` writes it, stands for a folder once every byte of it has been checked.",
    .notes = "A line a point and measure: LABEL / BASE, the geometric mean over the replicates that both have, which "
             "met the same records, and its 95 % t interval; LABEL - BASE, the mean, where a value is not positive. "
             "The median and sign tests instead where a run failed (the worst value there is) or half of the values "
             "tie.\n"
             "better, worse: there is a difference. equivalent: neither is more than 5 % (--margin) above the "
             "other, by two one-sided tests; \"within 5 %\" behind a better or worse: so is that difference. undecided: "
             "neither is shown. -: fewer than two pairs. \"(failed runs)\": the pairs in which neither failed do not say so. p "
             "is that of the word, adjusted (Holm) over all points of a label and measure: where nothing differs, any "
             "better or worse among them has probability at most 5 %, and so has any wrong equivalent.\n"
             "At the end a line a label and measure: the geometric mean of LABEL / BASE over all points, its interval "
             "over the problems (over the replicates where there is one), and the probability that a run of LABEL is "
             "better than one of BASE; --quiet prints these alone. A label whose parameters were tuned, with a winner "
             "at an end of its grid, is named in a line that begins with \"advice: \".\n"
             "Of two folders: which runs both have, how many are the same in every byte, in which columns others "
             "differ, and for each cell and measure that does RESULTS2 / RESULTS1 with a word as above; rounding: no "
             "value is off by more than 1e-9 of its size. Exit code 0: the same bytes; 3: they differ, and no "
             "difference is shown (rounding, equivalent, undecided); 4: one is, or runs ended otherwise, or only one "
             "folder has them.",
    .option = options, .common = true, .fewest = 1, .most = SIZE_MAX, .missing = "which experiment?",
};

/* --- names --------------------------------------------------------------------------------------------------- */

static bool holds(const sp_words *w, const char *name)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->word[i], name) == 0)
            return true;
    return false;
}

/* Their texts belong to the runs. SP_ENOMEM. */
static sp_status find_words(const sp_runs *runs, sp_words *labels, sp_words *measures)
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

static sp_status check_names(const arguments *a, const char *name, const sp_words *labels, const sp_words *measures,
                             sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t i = 1; i < a->names; i++) {
        SP_TRY(sp_need_word(labels->word, labels->count, name, "label", a->name[i], error));
        if (i > 1 && strcmp(a->name[i], a->name[1]) == 0)
            return sp_fail(error, SP_EINVAL, "%s is what the others are compared with", a->name[i]);
    }
    for (size_t i = 0; i < a->measure.count; i++)
        SP_TRY(sp_need_word(measures->word, measures->count, name, "measure", a->measure.word[i], error));
cleanup:
    return status;
}

/* --- lines --------------------------------------------------------------------------------------------------- */

typedef struct comparing {
    const arguments *arguments;
    const char *name; /* "quickstart.smoke" */
    sp_comparing of;
} comparing;

static sp_status print_row(const comparing *k, const sp_comparison *c, sp_error *error)
{
    const sp_paired *pair = &c->pair;
    const char *const text[] = { c->sweep, k->of.label, k->of.base, k->of.measure };
    const double value[] = { pair->estimate.estimate, pair->estimate.low, pair->estimate.high };
    const double p[] = { pair->all.p, pair->p_equivalent };
    char number[SP_NUMBER_SIZE];
    sp_text row = { 0 };
    sp_text_append(&row, "%s", k->name);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        sp_text_append(&row, "\t");
        sp_table_write(&row, text[i]);
    }
    sp_text_append(&row, "\t%s\t%s\t%s", c->cells.at, pair->ratio ? "ratio" : "difference", pair->signs ? "sign" : "t");
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        sp_text_append(&row, "\t%s", isnan(value[i]) ? "NaN" : sp_number(value[i], number));
    sp_text_append(&row, "\t%zu\t%zu\t%zu", pair->estimate.count, c->failed, c->missing);
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        sp_text_append(&row, "\t%s", isnan(p[i]) ? "NaN" : sp_number(p[i], number));
    const sp_status status = row.failed ? sp_fail(error, SP_ENOMEM, "%s: out of memory", k->name) : SP_OK;
    if (status == SP_OK)
        printf("%s\t%s\t%s\n", row.data, c->by_failures ? "yes" : "no", sp_order_name(c->order));
    sp_text_free(&row);
    return status;
}

/* "dp_spider / dp_gd: grad_norm" */
static void append_names(const comparing *k, bool ratio, sp_text *out)
{
    sp_text_append(out, "%s %s %s: %s", k->of.label, ratio ? "/" : "-", k->of.base, k->of.measure);
    if (k->of.family)
        sp_text_append(out, " (worst of %s)", k->of.family);
}

static void append_line(const comparing *k, const sp_comparison *c, sp_text *out)
{
    const sp_paired *pair = &c->pair;
    const sp_interval *i = &pair->estimate;
    const bool one_sweep = strcmp(c->sweep, "main") == 0, one_point = strcmp(c->cells.at, "-") == 0;
    sp_text_append(out, "%s%s%s %-10s ", k->name, one_sweep ? "" : "/", one_sweep ? "" : c->sweep,
                   sp_order_name(c->order));
    if (c->by_failures)
        sp_text_append(out, "(failed runs) ");
    sp_text_append(out, " ");
    append_names(k, pair->ratio, out);
    sp_text_append(out, "%s%s: ", one_point ? "" : " at ", one_point ? "" : c->cells.at);
    if (i->count == 0)
        sp_text_append(out, "not measured");
    else
        sp_text_append(out, pair->ratio ? "%s%.4g" : "%s%+.4g", pair->signs ? "median " : "", i->estimate);
    if (!isnan(i->low))
        sp_text_append(out, " [%.4g, %.4g]", i->low, i->high);
    if (!isnan(pair->all.p))
        sp_text_append(out, ", p = %.2g", c->order == SP_EQUIVALENT ? pair->p_equivalent : pair->all.p);
    if (c->small)
        sp_text_append(out, ", within %.3g %%", 100.0 * k->of.margin);
    sp_text_append(out, " (%zu pair%s%s", i->count, i->count == 1 ? "" : "s",
                   c->order == SP_TOO_FEW ? ", too few" : pair->signs ? ", sign test" : "");
    if (c->failed + c->missing > 0)
        sp_text_append(out, "; runs: %zu failed, %zu missing", c->failed, c->missing);
    sp_text_append(out, ")\n");
}

static void append_summary(const comparing *k, const sp_comparisons *all, sp_text *out)
{
    const sp_interval *ratio = &all->ratio;
    size_t failed = 0;
    for (const sp_comparison *c = all->point; c < all->point + all->points; c++)
        failed += c->failed;
    sp_text_append(out, "%s ", k->name);
    append_names(k, all->ratios > 0, out);
    if (all->ratios > 0)
        sp_text_append(out, " %.4g", ratio->estimate);
    if (!isnan(ratio->low))
        sp_text_append(out, " [%.4g, %.4g] over %zu %s", ratio->low, ratio->high, ratio->count,
                       all->problems > 1 ? "problems" : "replicates");
    if (all->ratios > 0 && all->ratios < all->points)
        sp_text_append(out, " (%zu points)", all->ratios);
    if (!isnan(all->improvement))
        sp_text_append(out, ", better with probability %.3g", all->improvement);
    sp_text_append(out, "; of %zu point%s ", all->points, all->points == 1 ? "" : "s");
    for (sp_order order = 0; order < SP_ORDERS; order++)
        if (all->of[order] > 0 || order <= SP_WORSE)
            sp_text_append(out, "%s%zu %s", order == SP_BETTER ? "" : ", ", all->of[order],
                           order == SP_TOO_FEW ? "with too few pairs" : sp_order_name(order));
    if (failed > 0)
        sp_text_append(out, "; %zu failed run%s in no ratio", failed, failed == 1 ? "" : "s");
    if (all->alone > 0)
        sp_text_append(out, "; %zu cell%s without a partner", all->alone, all->alone == 1 ? "" : "s");
    sp_text_append(out, "\n");
}

/* Adds to *points how many there are. */
static sp_status compare(const comparing *k, const sp_runs *runs, sp_text *summary, size_t *points, sp_error *error)
{
    sp_comparisons all;
    sp_text lines = { 0 };
    sp_status status = sp_compare(runs, &k->of, &all, error);
    for (size_t i = 0; i < all.points && status == SP_OK; i++)
        if (k->arguments->plain)
            status = print_row(k, &all.point[i], error);
        else if (!k->arguments->common.quiet)
            append_line(k, &all.point[i], &lines);
    if (lines.failed)
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", k->name);
    else if (lines.data)
        fputs(lines.data, stdout);
    if (all.points > 0)
        append_summary(k, &all, summary);
    *points += all.points;
    sp_text_free(&lines);
    sp_comparisons_free(&all);
    return status;
}

/* Of labels that are compared: a grid that was too small says little about a method. */
static void append_edges(const arguments *a, const sp_runs *runs, const sp_words *labels, sp_text *out)
{
    sp_labels edges = { 0 };
    sp_edges_add(&edges, &runs->tuning);
    for (size_t i = 0; i < edges.count; i++) {
        const sp_label *l = &edges.list[i];
        if (strcmp(l->label, a->name[1]) == 0 || holds(labels, l->label))
            sp_edges_tell(l, "advice: ", out);
    }
    sp_labels_free(&edges);
}

static sp_status compare_all(const arguments *a, const char *name, const sp_runs *runs, const sp_words *labels,
                             const sp_words *measures, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text summary = { 0 };
    size_t total = 0;
    if (a->plain)
        printf("experiment\tsweep\tlabel\tbase\tmeasure\tat\tscale\ttest\testimate\tlow\thigh\tpairs\tfailed\tmissing\t"
               "p\tp_equivalent\tby_failures\torder\n");
    for (size_t i = 0; i < labels->count; i++) {
        size_t points = 0;
        comparing k = { a, name, { .label = labels->word[i], .base = a->name[1], .margin = a->margin,
                                   .family = a->worst } };
        if (strcmp(k.of.label, k.of.base) == 0)
            continue;
        for (size_t m = 0; m < measures->count; m++) {
            k.of.measure = measures->word[m];
            k.of.lower_is_better = sp_measure_find(k.of.measure)->lower_is_better;
            SP_TRY(compare(&k, runs, &summary, &points, error));
        }
        if (points == 0 && a->names > 2)
            SP_TRY(sp_fail(error, SP_EINVAL, "%s: %s and %s share no point at which this is measured", name,
                           k.of.label, k.of.base));
        total += points;
    }
    if (total == 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: no label shares a point with %s", name, a->name[1]));
    const bool among = holds(labels, a->name[1]); /* the base is one of them where all are compared */
    sp_append_failed_audits(runs, NULL, labels->word, labels->count, "", &summary);
    sp_append_failed_audits(runs, NULL, (const char *const *)&a->name[1], among ? 0 : 1, "", &summary);
    if (!a->common.quiet)
        append_edges(a, runs, labels, &summary);
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
    sp_unpacked unpacked = { 0 };
    sp_words labels = { 0 }, measures = { 0 };
    char *name = NULL;
    int code = SP_EXIT_OK;
    arguments a = { .common = SP_COMMON_DEFAULTS, .margin = 0.05,
                    .measure.word = sp_alloc((size_t)argc, sizeof *a.measure.word) };
    if (!a.measure.word)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "compare: out of memory"));
    if (!sp_parse(&usage, argc, argv, &a, &a.name, &a.names, &code))
        goto cleanup;
    if (a.names < 2) {
        code = sp_misused(argv[0], "compare with which label?");
        goto cleanup;
    }
    if (a.names == 2 && (sp_is_results(a.name[1]) || sp_is_archive(a.name[1]))) {
        code = sp_compare_folders(&a.common, a.name, &(sp_folders_asked){ a.margin, a.plain, a.measure }, &error);
        status = error.status;
        goto cleanup;
    }
    const bool archived = sp_is_archive(a.name[0]);
    if (archived)
        SP_TRY(sp_unpack(a.name[0], &unpacked, &error));
    name = archived ? sp_copy_text(a.name[0]) : sp_folder_of(&a.common, a.name[0]);
    if (!name)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "compare: out of memory"));
    SP_TRY(archived ? sp_runs_open(unpacked.tables, 0, &runs, &error) : sp_open_runs(&a.common, name, &runs, &error));
    if (find_words(&runs, &labels, &measures) != SP_OK)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "%s: out of memory", name));
    SP_TRY(check_names(&a, name, &labels, &measures, &error));
    const sp_words chosen = { (const char **)a.name + 2, a.names - 2 };
    SP_TRY(compare_all(&a, name, &runs, chosen.count > 0 ? &chosen : &labels,
                       a.measure.count > 0 ? &a.measure : &measures, &error));
cleanup:
    sp_runs_close(&runs);
    sp_unpacked_close(&unpacked);
    free(labels.word);
    free(measures.word);
    free(name);
    free(a.measure.word);
    if (status == SP_OK)
        return code;
    return sp_complain(&error, status == SP_EINVAL || status == SP_EABSENT ? SP_EXIT_USAGE : SP_EXIT_FAILED);
}

const sp_verb sp_verb_compare = { "compare", "is a method better than another, run against run?", &usage, run };
