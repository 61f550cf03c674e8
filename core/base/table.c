/* table.c -- see table.h. What is read is cut in place at tabs and line ends; escapes only shorten it. */
#include "core/base/table.h"

#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char nothing[] = "-"; /* fields that hold nothing point here */

/* --- escapes -------------------------------------------------------------------------------------------------- */

static const char escaped[] = "\t\n\r\\", letter[] = "tnr\\"; /* escaped[i] is written as a backslash and letter[i] */

bool sp_table_formula(const char *text)
{
    double number;
    return *text && strchr("=+-@", *text) && !sp_read_number(text, &number);
}

void sp_table_write(sp_text *out, const char *text)
{
    if (!text) {
        sp_text_add_text(out, nothing);
        return;
    }
    if (sp_table_formula(text))
        sp_text_add(out, "\\", 1);
    for (;;) {
        const size_t plain = strcspn(text, escaped);
        sp_text_add(out, text, plain);
        text += plain;
        if (*text == '\0')
            return;
        const char pair[] = { '\\', letter[strchr(escaped, *text++) - escaped] };
        sp_text_add(out, pair, sizeof pair);
    }
}

/* In place; false at what sp_table_write does not write. */
static bool unescape(char *field)
{
    char *to = field;
    for (const char *from = field + (*field == '\\' && sp_table_formula(field + 1)); *from; from++) {
        if (*from == '\\') {
            const char *known = from[1] ? strchr(letter, from[1]) : NULL;
            if (!known)
                return false;
            *to++ = escaped[known - letter];
            from++;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return true;
}

/* --- reading -------------------------------------------------------------------------------------------------- */

/* The whole file as one text; after a failure, too, it is the caller's. */
static sp_status load(const char *path, char **bytes, sp_error *error)
{
    sp_text text = { 0 };
    sp_status status = sp_packed_text(path, &text, error);
    if (status == SP_OK && strlen(text.data) < text.length)
        status = sp_fail(error, SP_EDATA, "%s: a zero byte at %zu: not a table", path, strlen(text.data));
    *bytes = text.data;
    return status;
}

static size_t count(const char *text, char what)
{
    size_t found = 0;
    for (; *text; text++)
        found += *text == what;
    return found;
}

typedef enum { CUT, RAGGED, NO_ESCAPE } cut;

/* Cuts one line into `columns` fields; *at moves behind it. */
static cut cut_line(char **at, size_t columns, char **field)
{
    size_t found = 0;
    char *start = *at, end = '\t';
    for (; end == '\t' && found < columns; found++) {
        char *tail = start + strcspn(start, "\t\n");
        end = *tail;
        *tail = '\0';
        field[found] = strcmp(start, nothing) == 0 ? (char *)nothing : start;
        if (strchr(field[found], '\\') && !unescape(start))
            return NO_ESCAPE;
        start = tail + (end != '\0');
    }
    *at = start;
    return found == columns && end != '\t' ? CUT : RAGGED;
}

sp_status sp_table_read(const char *path, sp_table *table, sp_error *error)
{
    sp_status status = SP_OK;
    *table = (sp_table){ 0 };
    SP_TRY(load(path, &table->bytes, error));
    char *at = table->bytes;
    const size_t length = strlen(at), lines = count(at, '\n') + (length > 0 && at[length - 1] != '\n');
    if (lines == 0) {
        status = sp_fail(error, SP_EDATA, "%s: empty: the first line must name the columns", path);
        goto cleanup;
    }
    table->columns = 1;
    for (const char *c = at; *c && *c != '\n'; c++)
        table->columns += *c == '\t';
    table->column = sp_alloc(table->columns, sizeof *table->column);
    table->cell = sp_alloc((lines - 1) * table->columns + 1, sizeof *table->cell);
    if (!table->column || !table->cell) {
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
        goto cleanup;
    }
    for (size_t line = 0; line < lines; line++) {
        char **field = line == 0 ? table->column : table->cell + (line - 1) * table->columns;
        const cut how = cut_line(&at, table->columns, field);
        if (how == RAGGED)
            SP_TRY(sp_fail(error, SP_EDATA, "%s:%zu: not %zu fields", path, line + 1, table->columns));
        if (how == NO_ESCAPE)
            SP_TRY(sp_fail(error, SP_EDATA, "%s:%zu: a backslash before what is none of t, n, r, \\", path, line + 1));
        table->rows = line;
    }

cleanup:
    if (status != SP_OK)
        sp_table_free(table);
    return status;
}

void sp_table_free(sp_table *table)
{
    free(table->column);
    free(table->cell);
    free(table->bytes);
    free(table->added);
    *table = (sp_table){ 0 };
}

size_t sp_table_column(const sp_table *table, const char *name)
{
    size_t i = 0;
    while (i < table->columns && strcmp(table->column[i], name) != 0)
        i++;
    return i;
}

double sp_table_number(const sp_table *table, size_t row, size_t column)
{
    double value;
    return sp_read_number(sp_table_text(table, row, column), &value) ? value : NAN;
}

bool sp_table_empty(const sp_table *table, size_t row, size_t column)
{
    return sp_table_text(table, row, column) == nothing;
}

void sp_table_copy(sp_text *out, const sp_table *table, size_t row, size_t column)
{
    sp_table_write(out, sp_table_empty(table, row, column) ? NULL : sp_table_text(table, row, column));
}

/* --- adding --------------------------------------------------------------------------------------------------- */

sp_status sp_table_add(sp_table *table, const char *const *name, size_t count, const double *value, const char *place,
                       sp_error *error)
{
    sp_status status = SP_OK;
    const size_t columns = table->columns + count;
    char **column = sp_alloc(columns, sizeof *column), **cell = sp_alloc(table->rows * columns + 1, sizeof *cell);
    char *added = sp_alloc(table->rows * count + 1, SP_NUMBER_SIZE), *text = added;
    if (!column || !cell || !added)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", place));
    memcpy(column, table->column, table->columns * sizeof *column);
    for (size_t i = 0; i < count; i++)
        column[table->columns + i] = (char *)name[i];
    for (size_t row = 0; row < table->rows; row++) {
        char **to = cell + row * columns;
        memcpy(to, table->cell + row * table->columns, table->columns * sizeof *to);
        for (size_t i = 0; i < count; i++, text += SP_NUMBER_SIZE)
            to[table->columns + i] = isnan(value[row * count + i]) ? (char *)nothing
                                                                   : (char *)sp_number(value[row * count + i], text);
    }
    free(table->column);
    free(table->cell);
    free(table->added);
    *table = (sp_table){ column, columns, table->rows, cell, table->bytes, added };
    return SP_OK;
cleanup:
    free(column);
    free(cell);
    free(added);
    return status;
}

/* --- joining -------------------------------------------------------------------------------------------------- */

/* Row of `groups` with this text in the column; its rows when there is none. `last` is where the one before was. */
static size_t find_group(const sp_table *groups, size_t column, const char *text, size_t last)
{
    for (size_t i = 0; i < groups->rows; i++) {
        const size_t row = (last + i) % groups->rows;
        if (strcmp(sp_table_text(groups, row, column), text) == 0)
            return row;
    }
    return groups->rows;
}

sp_status sp_table_join(sp_table *table, const sp_table *groups, const char *key, const char *place, size_t **group,
                        sp_error *error)
{
    sp_status status = SP_OK;
    const size_t own = sp_table_column(table, key), other = sp_table_column(groups, key);
    const size_t columns = table->columns + groups->columns - 1;
    char **column = sp_alloc(columns, sizeof *column), **cell = sp_alloc(table->rows * columns + 1, sizeof *cell);
    size_t found = 0, at = table->columns;
    *group = sp_alloc(table->rows + 1, sizeof **group);
    if (!column || !cell || !*group)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", place));
    if (own == table->columns || other == groups->columns)
        SP_TRY(sp_fail(error, SP_EDATA, "%s: no column %s", place, key));
    memcpy(column, table->column, table->columns * sizeof *column);
    for (size_t c = 0; c < groups->columns; c++) {
        if (c != other && sp_table_column(table, groups->column[c]) < table->columns)
            SP_TRY(sp_fail(error, SP_EDATA, "%s: column %s stands in both tables", place, groups->column[c]));
        if (c != other)
            column[at++] = groups->column[c];
    }
    for (size_t row = 0; row < table->rows; row++) {
        char **to = cell + row * columns;
        found = find_group(groups, other, sp_table_text(table, row, own), found);
        if (found == groups->rows)
            SP_TRY(sp_fail(error, SP_EDATA, "%s: no row with %s %s", place, key, sp_table_text(table, row, own)));
        (*group)[row] = found;
        memcpy(to, table->cell + row * table->columns, table->columns * sizeof *to);
        to += table->columns;
        for (size_t c = 0; c < groups->columns; c++)
            if (c != other)
                *to++ = groups->cell[found * groups->columns + c];
    }
    free(table->column);
    free(table->cell);
    table->column = column;
    table->cell = cell;
    table->columns = columns;
    column = NULL;
    cell = NULL;
cleanup:
    free(column);
    free(cell);
    if (status != SP_OK) {
        free(*group);
        *group = NULL;
    }
    return status;
}
