/* ranking_text.c -- see ranking_text.h. */
#include "core/cli/print/ranking_text.h"

#include "core/cli/print/columns.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- standings --------------------------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b, void *context)
{
    const sp_rank *standing = context, *x = &standing[*(const size_t *)a], *y = &standing[*(const size_t *)b];
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x > y) - (x < y);
}

void sp_ranking_append(const sp_board *b, const sp_rank *standing, const bool *yours, bool plain, sp_text *out)
{
    sp_text lines = { 0 };
    size_t *order = sp_alloc(b->labels + 1, sizeof *order);
    if (!order) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < b->labels; i++)
        order[i] = i;
    qsort_r(order, b->labels, sizeof *order, by_rank, (void *)(uintptr_t)standing);
    sp_text_append(&lines, plain ? "method\tyours\tplace\trank\trank_low\trank_high\tbest\tbest_low\tbest_high\tnear\t"
                                   "near_low\tnear_high\tmiddle\tmiddle_low\tmiddle_high\timprovement\tslope\tslope_low\t"
                                   "slope_high\ttasks\tcalls\truns\tfailed\taudited\n"
                                 : "  method\trank\tbest\tnear\tmiddle\timprovement\tslope in epsilon\ttasks\tcalls\t"
                                   "failed\taudit\n");
    for (size_t i = 0; i < b->labels; i++) {
        const sp_rank *s = &standing[order[i]];
        const sp_interval *const scores[] = { &s->score.rank, &s->score.best, &s->score.near, &s->score.middle };
        if (!plain)
            sp_text_append(&lines, "%s ", yours[order[i]] ? "*" : " ");
        sp_columns_name(&lines, plain, b->label[order[i]]);
        if (plain)
            sp_text_append(&lines, "\t%s\t%zu", yours[order[i]] ? "yes" : "no", s->place);
        for (size_t k = 0; k < sizeof scores / sizeof *scores; k++)
            sp_columns_interval(&lines, plain, scores[k]);
        sp_columns_number(&lines, plain, s->score.improvement);
        sp_columns_interval(&lines, plain, &s->slope);
        sp_text_append(&lines, plain ? "\t%zu" : "\t%zu of %zu", s->score.tasks, b->tasks);
        sp_columns_number(&lines, plain, s->calls);
        if (plain)
            sp_text_append(&lines, "\t%zu", s->runs);
        sp_text_append(&lines, "\t%zu\t%s\n", s->score.failed, s->audited);
    }
    free(order);
    sp_columns_finish(&lines, plain, out);
}

/* --- against others ---------------------------------------------------------------------------------------------- */

void sp_against_append(const sp_board *b, size_t a, const sp_dominance *row, bool plain, sp_text *out)
{
    sp_text lines = { 0 };
    sp_text_append(&lines, plain ? "method\tother\tword\ttest\tratio\tlow\thigh\tproblems\tp\n"
                                 : "  word\tother\tyours / other\tp\tproblems\n");
    for (size_t l = 0; l < b->labels; l++) {
        const sp_paired *pair = &row[l].pair;
        if (l == a)
            continue;
        if (plain) {
            sp_columns_name(&lines, plain, b->label[a]);
            sp_text_append(&lines, "\t");
            sp_columns_name(&lines, plain, b->label[l]);
            sp_text_append(&lines, "\t%s\t%s", sp_order_name(row[l].order), pair->signs ? "sign" : "t");
        } else {
            sp_text_append(&lines, "  %s\t%s", sp_order_name(row[l].order), b->label[l]);
        }
        sp_columns_interval(&lines, plain, &pair->estimate);
        if (plain)
            sp_text_append(&lines, "\t%zu", pair->estimate.count);
        sp_columns_number(&lines, plain, pair->all.p);
        sp_text_append(&lines, plain ? "\n" : "\t%zu\n", pair->estimate.count);
    }
    sp_columns_finish(&lines, plain, out);
}

/* --- in a sentence ------------------------------------------------------------------------------------------------ */

static const char *ordinal(size_t n)
{
    return n % 100 / 10 == 1 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

static void append_words(const sp_board *b, size_t label, const sp_dominance *row, sp_text *out)
{
    size_t of[SP_ORDERS] = { 0 };
    for (size_t l = 0; l < b->labels; l++)
        of[row[l].order] += l != label;
    sp_text_append(out, "; better than %zu of the others, worse than %zu, equivalent to %zu, undecided against %zu",
                   of[SP_BETTER], of[SP_WORSE], of[SP_EQUIVALENT], of[SP_UNDECIDED]);
    if (of[SP_TOO_FEW] > 0)
        sp_text_append(out, ", with too little in common with %zu", of[SP_TOO_FEW]);
}

static void append_audit(const sp_rank *s, bool smoke, sp_text *out)
{
    if (strcmp(s->audited, "failed") == 0)
        sp_text_append(out, "; its AUDIT FAILED (%s): what it says of privacy is not so", s->finding ? s->finding : "-");
    else if (strcmp(s->audited, "yes") == 0)
        sp_text_append(out, "; audited");
    else
        sp_text_append(out, "; not audited%s", smoke ? " at the scale smoke" : "");
}

void sp_sentence_append(const sp_board *b, size_t label, const sp_rank *s, const sp_dominance *row,
                        const sp_tuned_on *tuned, sp_text *out)
{
    if (isnan(s->score.rank.estimate))
        sp_text_append(out, "%s: no rank, for nobody else plays its tasks", b->label[label]);
    else
        sp_text_append(out, "%s: %zu%s of %zu by mean rank", b->label[label], s->place, ordinal(s->place), b->labels);
    sp_text_append(out, ", within 2x of the best on %.0f of %zu tasks", round(s->score.near.estimate * (double)b->tasks),
                   b->tasks);
    if (s->score.tasks < b->tasks)
        sp_text_append(out, " (it has a value on %zu of them)", s->score.tasks);
    append_words(b, label, row, out);
    if (!isnan(s->calls))
        sp_text_append(out, "; %.3g oracle calls a record", s->calls);
    if (s->score.failed > 0)
        sp_text_append(out, "; %zu of %zu runs failed", s->score.failed, s->runs);
    if (tuned->points > 0)
        sp_text_append(out, "; tuned on a grid of %zu point%s, as the others", tuned->points, tuned->points == 1 ? "" : "s");
    else
        sp_text_append(out, "; not tuned: one setting, where the others had %zu to choose from", tuned->points_of_others);
    append_audit(s, tuned->smoke, out);
    sp_text_append(out, "\n");
}
