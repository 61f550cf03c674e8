/* standing_text.c -- see standing_text.h. */
#include "core/cli/verbs/standing_text.h"

#include "core/base/memory.h"
#include "core/base/table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- columns ----------------------------------------------------------------------------------------------------- */

/* Characters on the screen, of UTF-8. */
static size_t width_of(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

/* Lines of fields between tabs, with blanks in the place of tabs, so that columns are even. */
static void pad(const char *lines, sp_text *out)
{
    enum { COLUMNS = 32 };
    size_t width[COLUMNS] = { 0 };
    for (int pass = 0; pass < 2; pass++)
        for (const char *line = lines; *line;) {
            const size_t length = strcspn(line, "\n");
            size_t column = 0;
            for (const char *field = line; field <= line + length && column < COLUMNS; column++) {
                const size_t size = strcspn(field, "\t\n"), here = width_of(field, size);
                if (pass == 0 && here > width[column])
                    width[column] = here;
                if (pass == 1)
                    sp_text_append(out, "%.*s%*s", (int)size, field,
                                   field[size] == '\t' ? (int)(width[column] - here + 2) : 0, "");
                field += size + 1;
            }
            if (pass == 1)
                sp_text_append(out, "\n");
            line += length + (line[length] == '\n');
        }
}

static void finish(sp_text *lines, bool plain, sp_text *out)
{
    if (lines->failed)
        out->failed = true;
    else if (plain)
        sp_text_add(out, lines->data, lines->length);
    else
        pad(lines->data, out);
    sp_text_free(lines);
}

static void append_number(sp_text *out, bool plain, double value)
{
    char number[SP_NUMBER_SIZE];
    if (plain)
        sp_text_append(out, "\t%s", isnan(value) ? "NaN" : sp_number(value, number));
    else if (isnan(value))
        sp_text_append(out, "\t-");
    else
        sp_text_append(out, "\t%.3g", value);
}

/* "0.5 [0.4, 0.6]", or three columns. */
static void append_interval(sp_text *out, bool plain, const sp_interval *i)
{
    append_number(out, plain, i->estimate);
    if (plain) {
        append_number(out, plain, i->low);
        append_number(out, plain, i->high);
    } else if (!isnan(i->estimate) && !isnan(i->low)) {
        sp_text_append(out, " [%.3g, %.3g]", i->low, i->high);
    }
}

static void append_name(sp_text *out, bool plain, const char *name)
{
    if (plain)
        sp_table_write(out, name);
    else
        sp_text_append(out, "%s", name);
}

/* --- standings --------------------------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b, void *context)
{
    const sp_standing *standing = context, *x = &standing[*(const size_t *)a], *y = &standing[*(const size_t *)b];
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x > y) - (x < y);
}

void sp_standing_append(const sp_board *b, const sp_standing *standing, const bool *yours, bool plain, sp_text *out)
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
        const sp_standing *s = &standing[order[i]];
        const sp_interval *const scores[] = { &s->score.rank, &s->score.best, &s->score.near, &s->score.middle };
        if (!plain)
            sp_text_append(&lines, "%s ", yours[order[i]] ? "*" : " ");
        append_name(&lines, plain, b->label[order[i]]);
        if (plain)
            sp_text_append(&lines, "\t%s\t%zu", yours[order[i]] ? "yes" : "no", s->place);
        for (size_t k = 0; k < sizeof scores / sizeof *scores; k++)
            append_interval(&lines, plain, scores[k]);
        append_number(&lines, plain, s->score.improvement);
        append_interval(&lines, plain, &s->slope);
        sp_text_append(&lines, plain ? "\t%zu" : "\t%zu of %zu", s->score.tasks, b->tasks);
        append_number(&lines, plain, s->calls);
        if (plain)
            sp_text_append(&lines, "\t%zu", s->runs);
        sp_text_append(&lines, "\t%zu\t%s\n", s->score.failed, s->audited);
    }
    free(order);
    finish(&lines, plain, out);
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
            append_name(&lines, plain, b->label[a]);
            sp_text_append(&lines, "\t");
            append_name(&lines, plain, b->label[l]);
            sp_text_append(&lines, "\t%s\t%s", sp_order_name(row[l].order), pair->signs ? "sign" : "t");
        } else {
            sp_text_append(&lines, "  %s\t%s", sp_order_name(row[l].order), b->label[l]);
        }
        append_interval(&lines, plain, &pair->estimate);
        if (plain)
            sp_text_append(&lines, "\t%zu", pair->estimate.count);
        append_number(&lines, plain, pair->all.p);
        sp_text_append(&lines, plain ? "\n" : "\t%zu\n", pair->estimate.count);
    }
    finish(&lines, plain, out);
}
