/* compare_folders.c -- see compare_folders.h. */
#include "core/cli/verbs/compare_folders.h"
#include "core/session/sealed.h"

#include "core/cli/verbs/unpack.h"
#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/contest/rerun_diff.h"
#include "core/plan/registry.h"
#include "measures/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparing {
    const sp_folders_asked *asked;
    bool quiet;
    const char *name[SP_TWO]; /* as the user calls it */
    char *path[SP_TWO];       /* of the tables */
    sp_unpacked unpacked[SP_TWO];
    sp_runs runs[SP_TWO];
    sp_rerun_measure *measure;
    size_t measures;
    sp_rerun_diff twins;
} comparing;

bool sp_is_results(const char *path)
{
    char *table = sp_format("%s/runs.tsv", path);
    const bool yes = table && sp_packed_there(table);
    free(table);
    return yes;
}

/* --- measures -------------------------------------------------------------------------------------------------- */

static bool is_asked(const sp_words *asked, const char *name)
{
    bool yes = asked->count == 0;
    for (size_t i = 0; i < asked->count && !yes; i++)
        yes = strcmp(asked->word[i], name) == 0;
    return yes;
}

/* Those that both folders have. */
static sp_status find_measures(comparing *k, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &k->runs[0].table, *other = &k->runs[1].table;
    const char **known = sp_alloc(t->columns + 1, sizeof *known);
    size_t count = 0;
    k->measure = sp_alloc(t->columns + 1, sizeof *k->measure);
    if (!known || !k->measure)
        SP_TRY(sp_fail(error, SP_ENOMEM, "compare: out of memory"));
    for (size_t c = 0; c < t->columns; c++) {
        const sp_measure *m = k->runs[0].measure[c] ? sp_measure_find(t->column[c]) : NULL;
        if (!m || sp_table_column(other, m->name) == other->columns)
            continue;
        known[count++] = m->name;
        if (is_asked(&k->asked->measure, m->name))
            k->measure[k->measures++] = (sp_rerun_measure){ m->name, m->lower_is_better };
    }
    for (size_t i = 0; i < k->asked->measure.count; i++)
        SP_TRY(sp_need_word(known, count, "what both have measured", "measure", k->asked->measure.word[i], error));
cleanup:
    free(known);
    return status;
}

/* --- lines ----------------------------------------------------------------------------------------------------- */

static const char *field(const comparing *k, size_t folder, size_t row, size_t column)
{
    return sp_table_text(&k->runs[folder].table, row, column);
}

/* "rates/dp_gd at n=1000" */
static void append_place(const comparing *k, size_t folder, size_t row, const char *at, sp_text *out)
{
    const sp_runs *runs = &k->runs[folder];
    sp_text_append(out, "%s/%s", field(k, folder, row, runs->sweep), field(k, folder, row, runs->label));
    if (strcmp(at, "-") != 0)
        sp_text_append(out, " at %s", at);
}

static const char *word(const sp_rerun_cell *c)
{
    return c->rounding ? "rounding" : sp_order_name(c->order);
}

/* Who made it, as far as provenance.tsv says. */
static void append_folder(const comparing *k, size_t folder, sp_text *out)
{
    sp_table p = { 0 };
    char *path = sp_format("%s/provenance.tsv", k->path[folder]);
    sp_text_append(out, "%zu: %s: %zu runs", folder + 1, k->name[folder], k->runs[folder].table.rows);
    if (path && sp_table_read(path, &p, NULL) == SP_OK) {
        const size_t commit = sp_table_column(&p, "commit"), started = sp_table_column(&p, "started");
        const size_t cpu = sp_table_column(&p, "cpu");
        for (size_t row = 0; row < p.rows && commit < p.columns && started < p.columns && cpu < p.columns; row++)
            sp_text_append(out, "%s commit %.12s, %s, %s", row > 0 ? ";" : ",", sp_table_text(&p, row, commit),
                           sp_table_text(&p, row, started), sp_table_text(&p, row, cpu));
    }
    sp_text_append(out, "\n");
    sp_table_free(&p);
    free(path);
}

static void append_cell(const comparing *k, const sp_rerun_cell *c, sp_text *out)
{
    const sp_interval *i = &c->pair.estimate;
    sp_text_append(out, "%-10s ", word(c));
    append_place(k, 0, c->row[0], c->at, out);
    sp_text_append(out, ": %s 2 %s 1 ", c->measure->name, c->pair.ratio ? "/" : "-");
    if (c->rounding)
        sp_text_append(out, "off by at most %.2g of its size", c->largest);
    else if (i->count == 0)
        sp_text_append(out, "not measured");
    else
        sp_text_append(out, c->pair.ratio ? "%s%.6g" : "%s%+.6g", c->pair.signs ? "median " : "", i->estimate);
    if (!c->rounding && !isnan(i->low))
        sp_text_append(out, " [%.6g, %.6g]", i->low, i->high);
    if (!c->rounding && !isnan(c->pair.all.p))
        sp_text_append(out, ", p = %.2g", c->order == SP_EQUIVALENT ? c->pair.p_equivalent : c->pair.all.p);
    sp_text_append(out, " (%zu pair%s, %zu the same%s", c->twins, c->twins == 1 ? "" : "s", c->same,
                   !c->rounding && c->pair.signs ? ", sign test" : "");
    if (c->failed[0] + c->failed[1] > 0)
        sp_text_append(out, "; failed: %zu and %zu", c->failed[0], c->failed[1]);
    sp_text_append(out, ")\n");
}

static void append_alone(const comparing *k, size_t folder, sp_text *out)
{
    for (size_t i = 0; i < k->twins.alones[folder]; i++) {
        const sp_alone *a = &k->twins.alone[folder][i];
        sp_text_append(out, "only in %zu: ", folder + 1);
        append_place(k, folder, a->row, a->at, out);
        sp_text_append(out, " (%zu run%s)\n", a->runs, a->runs == 1 ? "" : "s");
    }
}

static void append_summary(const comparing *k, sp_text *out)
{
    const sp_rerun_diff *t = &k->twins;
    size_t of[SP_ORDERS] = { 0 }, rounding = 0;
    sp_text_append(out, "%zu run%s in both: %zu the same in every field", t->twins, t->twins == 1 ? "" : "s", t->same);
    if (t->columns > 0)
        sp_text_append(out, "; others differ in");
    for (size_t c = 0; c < t->columns; c++)
        sp_text_append(out, "%s %s (%zu)", c > 0 ? "," : "", t->column[c].name, t->column[c].runs);
    sp_text_append(out, "\n");
    for (size_t f = 0; f < SP_TWO; f++)
        if (t->other[f] > 0)
            sp_text_append(out, "%zu column%s only in %zu\n", t->other[f], t->other[f] == 1 ? "" : "s", f + 1);
    for (size_t i = 0; i < t->cells; i++)
        if (t->cell[i].rounding)
            rounding++;
        else
            of[t->cell[i].order]++;
    if (t->cells == 0)
        return;
    sp_text_append(out, "%zu cell%s and measures differ: %zu by rounding", t->cells, t->cells == 1 ? "" : "s",
                   rounding);
    for (sp_order order = 0; order < SP_ORDERS; order++)
        if (of[order] > 0)
            sp_text_append(out, ", %zu %s", of[order],
                           order == SP_TOO_FEW ? "with too few pairs" : sp_order_name(order));
    sp_text_append(out, "\n");
}

static void append_table(const comparing *k, sp_text *out)
{
    sp_text_append(out, "sweep\tlabel\tat\tmeasure\tword\tpairs\tsame\tlargest\tscale\ttest\testimate\tlow\thigh\tp\t"
                        "p_equivalent\tfailed1\tfailed2\n");
    for (size_t i = 0; i < k->twins.cells; i++) {
        const sp_rerun_cell *c = &k->twins.cell[i];
        const double value[] = { c->pair.estimate.estimate, c->pair.estimate.low, c->pair.estimate.high, c->pair.all.p,
                                 c->pair.p_equivalent };
        const sp_runs *first = &k->runs[0];
        const char *const words[] = { field(k, 0, c->row[0], first->sweep), field(k, 0, c->row[0], first->label), c->at,
                                      c->measure->name, word(c) };
        char number[SP_NUMBER_SIZE];
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
            sp_text_add_text(out, w > 0 ? "\t" : "");
            sp_table_write(out, strcmp(words[w], "-") == 0 ? NULL : words[w]);
        }
        sp_text_append(out, "\t%zu\t%zu\t%s\t%s\t%s", c->twins, c->same, sp_number(c->largest, number),
                       c->pair.ratio ? "ratio" : "difference", c->pair.signs ? "sign" : "t");
        for (size_t v = 0; v < sizeof value / sizeof *value; v++)
            sp_text_append(out, "\t%s", isnan(value[v]) ? "NaN" : sp_number(value[v], number));
        sp_text_append(out, "\t%zu\t%zu\n", c->failed[0], c->failed[1]);
    }
}

static sp_status print(const comparing *k, sp_error *error)
{
    sp_text text = { 0 };
    if (k->asked->plain) {
        append_table(k, &text);
    } else {
        for (size_t f = 0; f < SP_TWO; f++)
            append_folder(k, f, &text);
        for (size_t i = 0; i < k->twins.cells && !k->quiet; i++)
            append_cell(k, &k->twins.cell[i], &text);
        for (size_t f = 0; f < SP_TWO; f++)
            append_alone(k, f, &text);
        append_summary(k, &text);
    }
    const sp_status status = text.failed ? sp_fail(error, SP_ENOMEM, "compare: out of memory") : SP_OK;
    if (status == SP_OK)
        fwrite(text.data, 1, text.length, stdout);
    sp_text_free(&text);
    return status;
}

/* --- all ------------------------------------------------------------------------------------------------------- */

/* A path as it stands, an archive, which is unpacked, or the folder of an experiment. */
static sp_status find_tables(const sp_common *common, const char *word, comparing *k, size_t f, sp_error *error)
{
    if (sp_is_archive(word)) {
        const sp_status status = sp_unpack(word, &k->unpacked[f], error);
        if (status != SP_OK)
            return status;
        k->path[f] = sp_copy_text(k->unpacked[f].tables);
        k->name[f] = word;
    } else if (sp_is_results(word)) {
        k->path[f] = sp_copy_text(word);
        k->name[f] = k->path[f];
    } else {
        char *name = sp_folder_of(common, word);
        k->path[f] = name ? sp_format("%s/results/%s", common->root, name) : NULL;
        k->name[f] = k->path[f];
        free(name);
    }
    return k->path[f] ? SP_OK : sp_fail(error, SP_ENOMEM, "compare: out of memory");
}

static int code_of(const sp_rerun_diff *t)
{
    if (sp_rerun_diff_any(t))
        return SP_EXIT_DIFFERENT;
    return t->same == t->twins && t->other[0] + t->other[1] == 0 ? SP_EXIT_OK : SP_EXIT_WITHIN_ERROR;
}

int sp_compare_folders(const sp_common *common, char *const folder[2], const sp_folders_asked *asked, sp_error *error)
{
    sp_status status = SP_OK;
    int code = SP_EXIT_FAILED;
    comparing k = { .asked = asked, .quiet = common->quiet };
    for (size_t f = 0; f < SP_TWO; f++) {
        SP_TRY(find_tables(common, folder[f], &k, f, error));
        SP_TRY(sp_runs_open(k.path[f], 0, &k.runs[f], error));
        sp_warn_unsealed(k.path[f]);
    }
    SP_TRY(find_measures(&k, error));
    sp_rerun_diff_make((const sp_runs *const[]){ &k.runs[0], &k.runs[1] }, k.measure, k.measures, asked->margin,
                         &k.twins);
    if (k.twins.twins == 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s and %s have no run in common: they are not of one experiment, or its "
                       "script, a default or a choice of a grid has changed", k.name[0], k.name[1]));
    SP_TRY(print(&k, error));
    code = code_of(&k.twins);
cleanup:
    sp_rerun_diff_free(&k.twins);
    free(k.measure);
    for (size_t f = 0; f < SP_TWO; f++) {
        sp_runs_close(&k.runs[f]);
        sp_unpacked_close(&k.unpacked[f]);
        free(k.path[f]);
    }
    return code;
}
