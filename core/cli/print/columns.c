/* columns.c -- see columns.h. */
#include "core/cli/print/columns.h"

#include "core/base/table.h"

#include <math.h>
#include <string.h>

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
    size_t width[SP_COLUMNS] = { 0 };
    for (int pass = 0; pass < 2; pass++)
        for (const char *line = lines; *line;) {
            const size_t length = strcspn(line, "\n");
            const bool row = memchr(line, '\t', length) != NULL; /* else a sentence, which makes no column wider */
            size_t column = 0;
            for (const char *field = line; field <= line + length && column < SP_COLUMNS; column++) {
                const size_t size = strcspn(field, "\t\n"), here = width_of(field, size);
                if (pass == 0 && row && here > width[column])
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

void sp_columns_finish(sp_text *lines, bool plain, sp_text *out)
{
    if (lines->failed)
        out->failed = true;
    else if (plain)
        sp_text_add(out, lines->data, lines->length);
    else if (lines->length > 0)
        pad(lines->data, out);
    sp_text_free(lines);
}

void sp_columns_number(sp_text *out, bool plain, double value)
{
    char number[SP_NUMBER_SIZE];
    if (plain)
        sp_text_append(out, "\t%s", isnan(value) ? "NaN" : sp_number(value, number));
    else if (isnan(value))
        sp_text_append(out, "\t-");
    else
        sp_text_append(out, "\t%.3g", value);
}

void sp_columns_interval(sp_text *out, bool plain, const sp_interval *i)
{
    sp_columns_number(out, plain, i->estimate);
    if (plain) {
        sp_columns_number(out, plain, i->low);
        sp_columns_number(out, plain, i->high);
    } else if (!isnan(i->estimate) && !isnan(i->low)) {
        sp_text_append(out, " [%.3g, %.3g]", i->low, i->high);
    }
}

void sp_columns_name(sp_text *out, bool plain, const char *name)
{
    if (plain)
        sp_table_write(out, name);
    else
        sp_text_append(out, "%s", name);
}
