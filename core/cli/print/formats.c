/* formats.c -- see formats.h. */
#include "core/cli/print/formats.h"

#include "core/base/memory.h"
#include "core/cli/print/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const sp_print_formats[SP_PRINTS] = { "csv", "latex", "json" };

/* --- columns ------------------------------------------------------------------------------------------------- */

/* A number as JSON has them. */
static bool is_json_number(const char *text)
{
    const char *c = text + (*text == '-');
    if (*c == '0')
        c++;
    else if (strspn(c, "0123456789") > 0)
        c += strspn(c, "0123456789");
    else
        return false;
    if (*c == '.') {
        const size_t digits = strspn(c + 1, "0123456789");
        if (digits == 0)
            return false;
        c += 1 + digits;
    }
    if (*c == 'e' || *c == 'E') {
        c += 1 + (c[1] == '+' || c[1] == '-');
        if (strspn(c, "0123456789") == 0)
            return false;
        c += strspn(c, "0123456789");
    }
    return *c == '\0';
}

static bool is_no_finite(const char *text)
{
    return strcmp(text, "NaN") == 0 || strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0;
}

/* What may look like a number and is none */
static bool is_text(const char *column)
{
    static const char *const texts[] = { "run", "sweep", "label", "message", "warning", "resolved", "commit", "command" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(column, texts[i]) == 0)
            return true;
    return false;
}

/* Which columns hold numbers: one flag each. NULL when out of memory. */
static bool *find_numbers(const sp_table *t)
{
    bool *numbers = sp_alloc(t->columns + 1, sizeof *numbers);
    for (size_t c = 0; numbers && c < t->columns; c++) {
        numbers[c] = !is_text(t->column[c]);
        for (size_t row = 0; row < t->rows && numbers[c]; row++)
            numbers[c] = sp_table_empty(t, row, c) || is_json_number(sp_table_text(t, row, c)) ||
                         is_no_finite(sp_table_text(t, row, c));
    }
    return numbers;
}

/* --- CSV ------------------------------------------------------------------------------------------------------- */

static void csv_field(const char *text, sp_text *out)
{
    const bool escaped = sp_table_formula(text) || (*text && strchr("\t\r\n\\", *text));
    const bool quoted = text[strcspn(text, ",\"\r\n")] != '\0';
    sp_text_add_text(out, quoted ? "\"" : "");
    sp_text_add_text(out, escaped ? "\\" : "");
    for (;;) {
        const size_t plain = strcspn(text, "\"");
        sp_text_add(out, text, plain);
        text += plain;
        if (*text == '\0')
            break;
        sp_text_add_text(out, "\"\"");
        text++;
    }
    sp_text_add_text(out, quoted ? "\"" : "");
}

static void print_csv(const sp_table *t, sp_text *out)
{
    for (size_t c = 0; c < t->columns; c++) {
        sp_text_add_text(out, c > 0 ? "," : "");
        csv_field(t->column[c], out);
    }
    sp_text_add_text(out, "\r\n");
    for (size_t row = 0; row < t->rows; row++) {
        for (size_t c = 0; c < t->columns; c++) {
            sp_text_add_text(out, c > 0 ? "," : "");
            if (!sp_table_empty(t, row, c))
                csv_field(sp_table_text(t, row, c), out);
        }
        sp_text_add_text(out, "\r\n");
    }
}

/* --- JSON ------------------------------------------------------------------------------------------------------ */

static void print_json(const sp_table *t, const bool *numbers, sp_text *out)
{
    sp_text_add_text(out, "[");
    for (size_t row = 0; row < t->rows; row++) {
        sp_text_add_text(out, row > 0 ? ",\n{" : "\n{");
        for (size_t c = 0; c < t->columns; c++) {
            const char *text = sp_table_text(t, row, c);
            sp_text_add_text(out, c > 0 ? ", " : "");
            sp_json_string(t->column[c], out);
            sp_text_add_text(out, ": ");
            if (sp_table_empty(t, row, c))
                sp_text_add_text(out, "null");
            else if (numbers[c] && !is_no_finite(text))
                sp_text_add_text(out, text);
            else
                sp_json_string(text, out);
        }
        sp_text_add_text(out, "}");
    }
    sp_text_add_text(out, "\n]\n");
}

/* --- LaTeX ----------------------------------------------------------------------------------------------------- */

void sp_latex_text(const char *text, sp_text *out)
{
    static const struct { char is; const char *written; } special[] = {
        { '\\', "\\textbackslash{}" }, { '{', "\\{" },  { '}', "\\}" }, { '$', "\\$" },  { '&', "\\&" },
        { '#', "\\#" },                { '%', "\\%" },  { '_', "\\_" }, { '^', "\\textasciicircum{}" },
        { '~', "\\textasciitilde{}" }, { '<', "\\textless{}" }, { '>', "\\textgreater{}" },
        { '|', "\\textbar{}" },        { '"', "\\textquotedbl{}" },
    };
    for (; *text; text++) {
        size_t i = 0;
        while (i < sizeof special / sizeof *special && special[i].is != *text)
            i++;
        if (i < sizeof special / sizeof *special)
            sp_text_add_text(out, special[i].written);
        else if ((unsigned char)*text < 0x20) /* a line end would end a paragraph */
            sp_text_add_text(out, " ");
        else
            sp_text_add(out, text, 1);
    }
}

static void latex_field(const sp_table *t, size_t row, size_t c, sp_text *out)
{
    const char *text = sp_table_text(t, row, c);
    if (sp_table_empty(t, row, c))
        sp_text_add_text(out, "--");
    else if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0)
        sp_text_append(out, "$%s\\infty$", *text == '-' ? "-" : "");
    else if (*text == '-' && is_json_number(text))
        sp_text_append(out, "$%s$", text);
    else
        sp_latex_text(text, out);
}

static void print_latex(const sp_table *t, const bool *numbers, sp_text *out)
{
    sp_text_add_text(out, "% \\usepackage{booktabs}, \\usepackage[T1]{fontenc}\n\\begin{tabular}{");
    for (size_t c = 0; c < t->columns; c++)
        sp_text_add_text(out, numbers[c] ? "r" : "l");
    sp_text_add_text(out, "}\n\\toprule\n");
    for (size_t c = 0; c < t->columns; c++) {
        sp_text_add_text(out, c > 0 ? " & " : "");
        sp_latex_text(t->column[c], out);
    }
    sp_text_add_text(out, " \\\\\n\\midrule\n");
    for (size_t row = 0; row < t->rows; row++) {
        for (size_t c = 0; c < t->columns; c++) {
            sp_text_add_text(out, c > 0 ? " & " : "");
            latex_field(t, row, c, out);
        }
        sp_text_add_text(out, " \\\\\n");
    }
    sp_text_add_text(out, "\\bottomrule\n\\end{tabular}\n");
}

/* --- all ------------------------------------------------------------------------------------------------------- */

void sp_table_print(const sp_table *t, sp_print_format format, sp_text *out)
{
    bool *numbers = find_numbers(t);
    out->failed = out->failed || !numbers;
    if (!out->failed && format == SP_PRINT_CSV)
        print_csv(t, out);
    else if (!out->failed && format == SP_PRINT_JSON)
        print_json(t, numbers, out);
    else if (!out->failed)
        print_latex(t, numbers, out);
    free(numbers);
}
