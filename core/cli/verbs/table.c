/* table.c -- `table`: prints what a sweep has measured as papers do, or one table of its folder as CSV, JSON or LaTeX. Reads
 * exported tables alone. */
#include "core/cli/verbs/verbs.h"
#include "core/session/folders.h"
#include "core/cli/print/formats.h"

#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/stats/audited.h"
#include "core/contest/majority.h"
#include "core/stats/paper_table.h"
#include "core/plan/registry.h"
#include "measures/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    sp_common common;
    const char *format, *table; /* table NULL: the means per point */
    bool latex;
    sp_words measure, sweep; /* those chosen */
} arguments;

static const sp_option options[] = {
    { "format", 'f', SP_OPTION_TEXT, offsetof(arguments, format), "NAME", "text (default), latex, csv or json", 0, 0 },
    { "table", 't', SP_OPTION_TEXT, offsetof(arguments, table), "NAME",
      "Instead, this table of the folder: runs, each with the columns of its cell, summary, fits, cells, tuning, ... (default "
      "runs with --format csv and json)", 0, 0 },
    { "measure", '\0', SP_OPTION_LIST, offsetof(arguments, measure), "NAME",
      "One measure instead of all; may be repeated", 0, 0 },
    { "sweep", '\0', SP_OPTION_LIST, offsetof(arguments, sweep), "NAME", "One sweep instead of all; may be repeated", 0,
      0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT",
    .about = "Prints what an experiment has measured, from the tables in results/EXPERIMENT[.SCALE]/: one table per sweep and "
             "measure, one row per point, one column per method. With --table, or with --format csv or json, it prints one table "
             "of that folder.",
    .notes = "A field is the mean over the runs that succeeded and its 95 % t interval. Best at a point (bold, in "
             "plain text with a star) is the best mean among the methods with fewest failed runs and none that diverged; of a table with private "
             "methods among those alone, with their noise. A method without privacy has no epsilon and stands at every "
             "one. Methods whose audit failed are named below the table. --format latex prints one tabular (booktabs) per table.\n"
             "csv: RFC 4180; an absent value is an empty field; a text that a spreadsheet would take for a formula has a "
             "backslash in front of it. json: an array with one object per row; an absent value is null, and a value for which "
             "JSON has no number is \"NaN\", \"inf\" or \"-inf\".",
    .option = options, .common = true, .fewest = 1, .most = 1, .missing = "which experiment?",
    .excess = "one experiment at a time",
};

static const char *const tables[] = { "runs",   "summary", "fits",       "cells",  "claims", "tuning",
                                      "traces", "timings", "provenance", "skipped", "seeds" };
enum { TABLES = sizeof tables / sizeof *tables };

/* --- fields ---------------------------------------------------------------------------------------------------- */

/* Three digits: "0.0123", "1.23e-05". */
static void plain_number(double value, sp_text *out)
{
    const double size = value == 0.0 ? 0.0 : floor(log10(fabs(value)));
    if (value == 0.0 || !isfinite(value))
        sp_text_append(out, "%g", value);
    else if (size < -3.0 || size > 5.0)
        sp_text_append(out, "%.2e", value);
    else
        sp_text_append(out, "%.*f", size < 2.0 ? (int)(2.0 - size) : 0, value);
}

/* The same between dollars, with a power of ten. */
static void latex_number(double value, sp_text *out)
{
    sp_text digits = { 0 };
    plain_number(value, &digits);
    const char *text = digits.data ? digits.data : "", *power = strchr(text, 'e');
    if (isinf(value))
        sp_text_append(out, "%s\\infty", value < 0.0 ? "-" : "");
    else if (power)
        sp_text_append(out, "%.*s \\cdot 10^{%d}", (int)(power - text), text, atoi(power + 1));
    else
        sp_text_add_text(out, text);
    out->failed = out->failed || digits.failed;
    sp_text_free(&digits);
}

static void append_field(const sp_paper_cell *c, bool latex, sp_text *out)
{
    void (*number)(double, sp_text *) = latex ? latex_number : plain_number;
    if (!c->there) {
        sp_text_add_text(out, latex ? "" : "-");
        return;
    }
    if (isnan(c->mean.estimate)) {
        sp_text_add_text(out, c->failed > 0 ? "failed" : latex ? "--" : "not measured");
    } else {
        sp_text_add_text(out, latex ? c->best ? "$\\mathbf{" : "$" : "");
        number(c->mean.estimate, out);
        sp_text_add_text(out, latex ? c->best ? "}$" : "$" : c->best ? "*" : "");
    }
    if (!isnan(c->mean.low)) {
        sp_text_add_text(out, latex ? " {\\scriptsize $[" : " [");
        number(c->mean.low, out);
        sp_text_add_text(out, latex ? ",\\, " : ", ");
        number(c->mean.high, out);
        sp_text_add_text(out, latex ? "]$}" : "]");
    }
    if (c->failed > 0 && !isnan(c->mean.estimate))
        sp_text_append(out, " (%zu failed)", c->failed);
    if (c->diverged > 0)
        sp_text_append(out, " (%zu diverged)", c->diverged);
}

/* --- tables ---------------------------------------------------------------------------------------------------- */

typedef struct titled {
    const char *experiment, *sweep;
    const sp_runs *runs;
    const sp_measure *measure;
    const sp_paper_table *table;
    size_t begin, end; /* its rows of the runs */
} titled;

/* What an accuracy has to beat: a method that returns the start, w = 0, has the share of +1, which may be small. */
static void append_majority(const titled *of, const char *before, sp_text *out)
{
    double low, high;
    if (strcmp(of->measure->name, "accuracy") != 0)
        return;
    sp_majority_range(of->runs, of->begin, of->end, &low, &high);
    if (low > high)
        return;
    sp_text_append(out, "%snaming the majority class: %.3f", before, low);
    if (high - low > 5e-4)
        sp_text_append(out, " to %.3f", high);
    sp_text_add_text(out, "\n");
}

/* Of methods of the table; nothing of those that passed or that nobody audited. */
static void append_failed(const titled *of, const char *before, sp_text *out)
{
    sp_append_failed_audits(of->runs, of->sweep, (const char *const *)of->table->method, of->table->methods, before, out);
}

/* "n" and "epsilon" have their letters. */
static void latex_axis(const char *axis, sp_text *out)
{
    static const char *const letter[][2] = {
        { "n", "$n$" }, { "d", "$d$" }, { "epsilon", "$\\varepsilon$" }, { "delta", "$\\delta$" }
    };
    for (size_t i = 0; i < sizeof letter / sizeof *letter; i++)
        if (strcmp(axis, letter[i][0]) == 0) {
            sp_text_add_text(out, letter[i][1]);
            return;
        }
    sp_latex_text(axis, out);
}

static void print_latex(const titled *of, sp_text *out)
{
    const sp_paper_table *t = of->table;
    sp_text_append(out, "%% %s, sweep %s: %s; mean and 95 %% t interval, bold: the best%s\n"
                        "%% \\usepackage{booktabs}, \\usepackage[T1]{fontenc}\n\\begin{tabular}{", of->experiment,
                   of->sweep, of->measure->name, t->private_only ? " of the private methods" : "");
    for (size_t k = 0; k < t->axes; k++)
        sp_text_add_text(out, "r");
    for (size_t m = 0; m < t->methods; m++)
        sp_text_add_text(out, "l");
    sp_text_add_text(out, "}\n\\toprule\n");
    for (size_t k = 0; k < t->axes; k++) {
        latex_axis(t->axis[k], out);
        sp_text_add_text(out, " & ");
    }
    for (size_t m = 0; m < t->methods; m++) {
        sp_text_add_text(out, m > 0 ? " & " : "");
        sp_latex_text(t->method[m], out);
    }
    sp_text_add_text(out, " \\\\\n\\midrule\n");
    for (size_t p = 0; p < t->points; p++) {
        for (size_t k = 0; k < t->axes; k++) {
            sp_latex_text(t->at[p * t->axes + k], out);
            sp_text_add_text(out, " & ");
        }
        for (size_t m = 0; m < t->methods; m++) {
            sp_text_add_text(out, m > 0 ? " & " : "");
            append_field(&t->cell[p * t->methods + m], true, out);
        }
        sp_text_add_text(out, " \\\\\n");
    }
    sp_text_add_text(out, "\\bottomrule\n\\end{tabular}\n");
    append_majority(of, "% ", out);
    append_failed(of, "% ", out);
}

/* The fields of a table of text: its head and one row a point, axes and then methods. */
typedef struct fields {
    sp_text *field;
    size_t rows, columns;
} fields;

static sp_status make_fields(const sp_paper_table *t, fields *out)
{
    *out = (fields){ .rows = t->points + 1, .columns = t->axes + t->methods };
    if (!(out->field = sp_alloc(out->rows * out->columns + 1, sizeof *out->field)))
        return SP_ENOMEM;
    bool failed = false;
    for (size_t i = 0; i < out->rows * out->columns; i++) {
        const size_t row = i / out->columns, c = i % out->columns;
        sp_text *field = &out->field[i];
        if (row == 0)
            sp_text_add_text(field, c < t->axes ? t->axis[c] : t->method[c - t->axes]);
        else if (c < t->axes)
            sp_text_add_text(field, t->at[(row - 1) * t->axes + c]);
        else
            append_field(&t->cell[(row - 1) * t->methods + c - t->axes], false, field);
        failed = failed || field->failed;
    }
    return failed ? SP_ENOMEM : SP_OK;
}

static void free_fields(fields *f)
{
    for (size_t i = 0; f->field && i < f->rows * f->columns; i++)
        sp_text_free(&f->field[i]);
    free(f->field);
}

/* Columns, two blanks apart. */
static void align(const fields *f, sp_text *out)
{
    for (size_t row = 0; row < f->rows; row++) {
        for (size_t c = 0; c < f->columns; c++) {
            size_t width = 0;
            for (size_t r = 0; r < f->rows; r++)
                width = f->field[r * f->columns + c].length > width ? f->field[r * f->columns + c].length : width;
            const sp_text *field = &f->field[row * f->columns + c];
            sp_text_append(out, "%s%.*s", c > 0 ? "  " : "", (int)field->length, field->data ? field->data : "");
            if (c + 1 < f->columns)
                sp_text_append(out, "%*s", (int)(width - field->length), "");
        }
        sp_text_add_text(out, "\n");
    }
}

static sp_status print_plain(const titled *of, sp_text *out)
{
    fields f;
    const sp_status status = make_fields(of->table, &f);
    if (status == SP_OK) {
        sp_text_append(out, "%s/%s: %s (%s is better); mean and 95 %% t interval; * the best%s\n", of->experiment,
                       of->sweep, of->measure->name, of->measure->lower_is_better ? "lower" : "higher",
                       of->table->private_only ? " private one" : "");
        align(&f, out);
        append_majority(of, "", out);
        append_failed(of, "", out);
    }
    free_fields(&f);
    return status;
}

/* --- names ----------------------------------------------------------------------------------------------------- */

static bool is_chosen(const sp_words *chosen, const char *name)
{
    bool yes = chosen->count == 0;
    for (size_t i = 0; i < chosen->count && !yes; i++)
        yes = strcmp(chosen->word[i], name) == 0;
    return yes;
}

/* Every one of the words is the text that `name` gives for some index. */
static sp_status check(const sp_words *chosen, const char *place, const char *what, const sp_runs *runs, size_t count,
                       const char *(*name)(const sp_runs *, size_t), sp_error *error)
{
    const char **known = sp_alloc(count + 1, sizeof *known);
    size_t names = 0;
    sp_status status = known ? SP_OK : sp_fail(error, SP_ENOMEM, "%s: out of memory", place);
    for (size_t i = 0; i < count && known; i++)
        if (name(runs, i) && (names == 0 || strcmp(known[names - 1], name(runs, i)) != 0))
            known[names++] = name(runs, i);
    for (size_t i = 0; i < chosen->count && status == SP_OK; i++)
        status = sp_need_word(known, names, place, what, chosen->word[i], error);
    free(known);
    return status;
}

static const char *sweep_at(const sp_runs *runs, size_t row)
{
    return sp_table_text(&runs->table, row, runs->sweep);
}

static const char *measure_at(const sp_runs *runs, size_t column)
{
    const char *name = runs->table.column[column];
    return runs->measure[column] && sp_measure_find(name) ? name : NULL;
}

/* --- the verb -------------------------------------------------------------------------------------------------- */

static sp_status print_one(const arguments *a, const char *name, const sp_runs *runs, size_t begin, size_t end,
                           size_t y, sp_text *out, sp_error *error)
{
    sp_paper_table table;
    const sp_measure *measure = sp_measure_find(runs->table.column[y]);
    sp_status status = SP_OK;
    sp_paper_table_make(runs, begin, end, y, measure->lower_is_better, measure->nonnegative, &table);
    const titled of = { name, sweep_at(runs, begin), runs, measure, &table, begin, end };
    if (table.points > 0 && out->length > 0)
        sp_text_add_text(out, "\n");
    if (table.points > 0 && a->latex)
        print_latex(&of, out);
    else if (table.points > 0)
        status = print_plain(&of, out);
    if (status != SP_OK || out->failed)
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", name);
    sp_paper_table_free(&table);
    return status;
}

static sp_status print_all(const arguments *a, const char *name, const sp_runs *runs, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    for (size_t begin = 0, end = 0; begin < runs->table.rows; begin = end) {
        while (end < runs->table.rows && strcmp(sweep_at(runs, begin), sweep_at(runs, end)) == 0)
            end++;
        for (size_t y = 0; y < runs->table.columns; y++)
            if (measure_at(runs, y) && is_chosen(&a->measure, measure_at(runs, y)) &&
                is_chosen(&a->sweep, sweep_at(runs, begin)))
                SP_TRY(print_one(a, name, runs, begin, end, y, &text, error));
    }
    if (!text.data)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: no run that measured this", name));
    fwrite(text.data, 1, text.length, stdout);
cleanup:
    sp_text_free(&text);
    return status;
}

/* --- a table of the folder ---------------------------------------------------------------------------------------------- */

static sp_status read_one(const char *folder, const char *name, sp_table *table, sp_error *error)
{
    char *path = sp_format("%s/%s.tsv", folder, name);
    const sp_status status = path ? sp_table_read(path, table, error)
                                  : sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
    if (status == SP_EABSENT)
        sp_fail(error, status, "%s: no %s.tsv there: `stillpoint run` makes the tables", folder, name);
    free(path);
    return status;
}

static sp_status print_file(const arguments *a, const char *name, sp_print_format format, sp_error *error)
{
    sp_status status = SP_OK;
    sp_table table = { 0 }, cells = { 0 };
    sp_text text = { 0 };
    char *folder = sp_format("%s/results/%s", a->common.root, name);
    if (!folder)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", name));
    status = read_one(folder, a->table, &table, error);
    if (status == SP_EABSENT && access(folder, F_OK) != 0)
        sp_suggest_folder(&a->common, name, "runs.tsv", error);
    SP_TRY(status);
    if (strcmp(a->table, "runs") == 0) {
        SP_TRY(read_one(folder, "cells", &cells, error));
        SP_TRY(sp_table_join(&table, &cells, "cell", folder, error));
    }
    sp_table_print(&table, format, &text);
    if (text.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", folder));
    fwrite(text.data, 1, text.length, stdout);
cleanup:
    sp_text_free(&text);
    sp_table_free(&table);
    sp_table_free(&cells);
    free(folder);
    return status;
}

/* --- the verb -------------------------------------------------------------------------------------------------- */

/* Finds the position in the list. SP_EINVAL: the word is not in it; the message names the option and the words allowed. */
static sp_status find(const char *option, const char *word, const char *const *names, size_t count, size_t *at,
                      sp_error *error)
{
    sp_text known = { 0 };
    for (*at = 0; *at < count; ++*at)
        if (strcmp(names[*at], word) == 0)
            return SP_OK;
    for (size_t i = 0; i < count; i++)
        sp_text_append(&known, "%s%s", i > 0 ? ", " : "", names[i]);
    sp_fail(error, SP_EINVAL, "--%s %s: must be one of %s", option, word, known.data ? known.data : "");
    sp_text_free(&known);
    return SP_EINVAL;
}

/* The mean per point as papers print it. */
static sp_status print_means(const arguments *a, const char *name, sp_error *error)
{
    sp_status status = SP_OK;
    sp_runs runs = { 0 };
    SP_TRY(sp_open_runs(&a->common, name, &runs, error));
    SP_TRY(check(&a->measure, name, "measure", &runs, runs.table.columns, measure_at, error));
    SP_TRY(check(&a->sweep, name, "sweep", &runs, runs.table.rows, sweep_at, error));
    SP_TRY(print_all(a, name, &runs, error));
cleanup:
    sp_runs_close(&runs);
    return status;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    char *name = NULL, **word;
    size_t words, table, format = SP_PRINTS;
    int code = SP_EXIT_OK;
    arguments a = { .common = SP_COMMON_DEFAULTS, .format = "text",
                    .measure.word = sp_alloc((size_t)argc, sizeof *a.measure.word),
                    .sweep.word = sp_alloc((size_t)argc, sizeof *a.sweep.word) };
    if (!a.measure.word || !a.sweep.word)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "table: out of memory"));
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        goto cleanup;
    if (!(name = sp_folder_of(&a.common, word[0])))
        SP_TRY(sp_fail(&error, SP_ENOMEM, "table: out of memory"));
    if (strcmp(a.format, "text") != 0)
        SP_TRY(find("format", a.format, sp_print_formats, SP_PRINTS, &format, &error));
    a.latex = format == SP_PRINT_LATEX;
    const bool means = !a.table && (a.latex || format == SP_PRINTS);
    if (means)
        SP_TRY(print_means(&a, name, &error));
    if (means)
        goto cleanup;
    a.table = a.table ? a.table : "runs";
    SP_TRY(find("table", a.table, tables, TABLES, &table, &error));
    if (format == SP_PRINTS)
        SP_TRY(sp_fail(&error, SP_EINVAL, "--table %s: needs --format csv, json or latex", a.table));
    if (a.measure.count + a.sweep.count > 0)
        SP_TRY(sp_fail(&error, SP_EINVAL, "--table %s cannot be combined with --measure or --sweep", a.table));
    SP_TRY(print_file(&a, name, (sp_print_format)format, &error));
cleanup:
    free(name);
    free(a.measure.word);
    free(a.sweep.word);
    if (status == SP_OK)
        return code;
    return sp_complain(&error, status == SP_EINVAL || status == SP_EABSENT ? SP_EXIT_USAGE : SP_EXIT_FAILED);
}

const sp_verb sp_verb_table = { "table", "what was measured, as text, LaTeX, CSV or JSON", &usage, run };
