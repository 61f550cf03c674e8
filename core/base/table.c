/* table.c -- reads and writes TSV tables (table.h). A table that is read is split in place at tabs and line ends; this
 * works because undoing an escape only shortens a field. */
#include "core/base/table.h"

#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/base/table_rows.h"
#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 }; /* bytes that are asked for at once, at least */

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

static sp_status out_of_memory(const sp_table_reader *r, sp_error *error)
{
    return sp_fail(error, SP_ENOMEM, "%s: out of memory", r->path);
}

/* More of the file behind `end`. What was given out makes room for it. */
static sp_status read_more(sp_table_reader *r, sp_error *error)
{
    size_t got;
    char *bytes = r->table.bytes;
    if (r->begin > 0)
        memmove(bytes, bytes + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
    if (r->room - r->end <= BLOCK) {
        const size_t room = 2 * r->room;
        if (!(bytes = realloc(bytes, room)))
            return out_of_memory(r, error);
        r->table.bytes = bytes;
        r->room = room;
    }
    const sp_status status = sp_packed_next(r->file, bytes + r->end, r->room - r->end - 1, &got, error);
    const char *zero = status == SP_OK ? memchr(bytes + r->end, '\0', got) : NULL;
    if (zero)
        return sp_fail(error, SP_EDATA, "%s: a zero byte at %zu: not a table", r->path,
                       r->read + (size_t)(zero - bytes) - r->end);
    if (status != SP_OK)
        return status;
    r->end += got;
    r->read += got;
    r->complete = got == 0;
    bytes[r->end] = '\0';
    return SP_OK;
}

/* Of the line that stands so far behind `begin`, with its end; 0: there is none. */
static sp_status line_length(sp_table_reader *r, size_t at, size_t *length, sp_error *error)
{
    const char *end;
    size_t seen = at;
    while (!(end = memchr(r->table.bytes + r->begin + seen, '\n', r->end - r->begin - seen)) && !r->complete) {
        seen = r->end - r->begin;
        const sp_status status = read_more(r, error);
        if (status != SP_OK)
            return status;
    }
    const char *const start = r->table.bytes + r->begin + at;
    *length = (size_t)((end ? end + 1 : r->table.bytes + r->end) - start);
    return SP_OK;
}

/* Where a field is, for messages: its column, where the table has one. */
static const char *name_of(const sp_table_reader *r, size_t line, size_t column)
{
    return line > 1 && column < r->table.columns ? r->table.column[column] : "the names";
}

/* One field, whose text ends with a zero byte. */
static sp_status read_field(const sp_table_reader *r, char *text, size_t line, size_t column, char **field,
                            sp_error *error)
{
    *field = strcmp(text, nothing) == 0 ? (char *)nothing : text;
    if (strchr(text, '\r'))
        return sp_fail(error, SP_EDATA, "%s:%zu: %s: a carriage return within the field", r->path, line,
                       name_of(r, line, column));
    if (*field != nothing && strchr(text, '\\') && !unescape(text))
        return sp_fail(error, SP_EDATA, "%s:%zu: %s: a backslash before what is none of t, n, r, \\", r->path, line,
                       name_of(r, line, column));
    if (line > 1 && r->numeric[column] && *field != nothing && !sp_table_is_number(text))
        return sp_fail(error, SP_EDATA, "%s:%zu: %s = %.40s is not a number", r->path, line, name_of(r, line, column),
                       text);
    return SP_OK;
}

/* Compares a row that ends with its checksum; *end moves before it. */
static sp_status check_row(const sp_table_reader *r, char *start, char **end, size_t line, sp_error *error)
{
    char found[SP_TABLE_SUM_SIZE];
    char *const tab = memrchr(start, '\t', (size_t)(*end - start));
    if (!r->summed || !tab)
        return SP_OK;
    *end = tab;
    sp_table_row_sum(r->names_hash, start, (size_t)(tab - start), found);
    *tab = '\0';
    if (strcmp(found, tab + 1) == 0)
        return SP_OK;
    return sp_fail(error, SP_EDATA,
                   "%s:%zu: the row with %s %.*s has changed since it was written: its checksum is %.20s, that "
                   "of its fields %s",
                   r->path, line, r->table.column[0], (int)strcspn(start, "\t"), start, tab + 1, found);
}

/* Cuts the line at *at into the fields of the table's columns; *at moves behind it. */
static sp_status cut_fields(const sp_table_reader *r, char **at, size_t line, char **field, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t columns = r->table.columns + r->summed;
    char *start = *at, *end = strchrnul(start, '\n');
    size_t found = 1;
    *at = end + (*end != '\0');
    if (end > start && end[-1] == '\r') /* as git writes line ends on other systems */
        end--;
    *end = '\0';
    for (const char *tab = strchr(start, '\t'); tab; tab = strchr(tab + 1, '\t'))
        found++;
    if (found != columns)
        SP_TRY(sp_fail(error, SP_EDATA, "%s:%zu: %zu fields, the last one below %s; the first line names %zu columns",
                       r->path, line, found, r->table.column[(found < r->table.columns ? found : r->table.columns) - 1],
                       columns));
    SP_TRY(check_row(r, start, &end, line, error));
    for (size_t c = 0; c < r->table.columns; c++) {
        char *const tail = strchrnul(start, '\t');
        *tail = '\0';
        SP_TRY(read_field(r, start, line, c, &field[c], error));
        start = tail + 1;
    }
cleanup:
    return status;
}

/* Columns have names of their own; which are numeric, and is the last one the checksum of the others? */
static sp_status look_at_names(sp_table_reader *r, size_t length, sp_error *error)
{
    sp_table *t = &r->table;
    const size_t sum = strlen(sp_table_checksum);
    if (!(r->numeric = sp_alloc(t->columns, sizeof *r->numeric)))
        return out_of_memory(r, error);
    for (size_t c = 0; c < t->columns; c++) {
        r->numeric[c] = sp_table_numeric(t->column[c]);
        for (size_t other = 0; other < c; other++)
            if (strcmp(t->column[c], t->column[other]) == 0)
                return sp_fail(error, SP_EDATA, "%s:1: column %s stands there twice, as number %zu and %zu", r->path,
                               t->column[c], other + 1, c + 1);
    }
    r->summed = t->columns > 1 && strcmp(t->column[t->columns - 1], sp_table_checksum) == 0;
    if (r->summed) {
        t->columns--;
        r->names_hash = sp_table_names_hash(t->bytes, length - sum - 1);
    }
    return SP_OK;
}

static sp_status read_names(sp_table_reader *r, sp_error *error)
{
    sp_status status = SP_OK;
    sp_table *t = &r->table;
    size_t length;
    SP_TRY(line_length(r, 0, &length, error));
    if (length == 0)
        SP_TRY(sp_fail(error, SP_EDATA, "%s: empty: the first line must name the columns", r->path));
    if (!(t->names = sp_alloc(length + 1, 1)))
        SP_TRY(out_of_memory(r, error));
    memcpy(t->names, t->bytes, length);
    t->columns = 1;
    for (size_t i = 0; i < length; i++)
        t->columns += t->names[i] == '\t';
    if (!(t->column = sp_alloc(t->columns, sizeof *t->column)))
        SP_TRY(out_of_memory(r, error));
    char *at = t->names;
    SP_TRY(cut_fields(r, &at, 1, t->column, error));
    r->begin = length;
    r->line = 2;
    SP_TRY(look_at_names(r, strcspn(t->bytes, "\r\n"), error));
cleanup:
    return status;
}

sp_status sp_table_open(const char *path, sp_table_reader *r, sp_error *error)
{
    sp_status status = SP_OK;
    *r = (sp_table_reader){ .path = sp_copy_text(path), .room = 2 * BLOCK };
    if (!r->path || !(r->table.bytes = malloc(r->room)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    SP_TRY(sp_packed_open(path, &r->file, error));
    SP_TRY(read_names(r, error));
cleanup:
    if (status != SP_OK)
        sp_table_close(r);
    return status;
}

/* Do two lines have the same field there? */
static bool same_field(const char *a, const char *b, size_t column)
{
    for (; column > 0; column--) {
        a += strcspn(a, "\t\r\n");
        b += strcspn(b, "\t\r\n");
        if (*a++ != '\t' || *b++ != '\t')
            return false;
    }
    const size_t length = strcspn(a, "\t\r\n");
    return length == strcspn(b, "\t\r\n") && memcmp(a, b, length) == 0;
}

/* The lines of the next rows: how many, and how many bytes they take. */
static sp_status find_rows(sp_table_reader *r, size_t key, size_t *rows, size_t *size, sp_error *error)
{
    for (*rows = *size = 0;; ++*rows) {
        size_t length;
        const sp_status status = line_length(r, *size, &length, error);
        const char *first = r->table.bytes + r->begin;
        const bool behind = *rows > 0 && key != SP_TABLE_ALL &&
                            (key == SP_TABLE_ROW || !same_field(first, first + *size, key));
        if (status != SP_OK || length == 0 || behind)
            return status;
        *size += length;
    }
}

sp_status sp_table_next(sp_table_reader *r, size_t key, sp_error *error)
{
    sp_status status = SP_OK;
    sp_table *t = &r->table;
    size_t rows, size;
    r->line += t->rows;
    t->rows = 0;
    SP_TRY(find_rows(r, key, &rows, &size, error));
    const size_t fields = rows * t->columns + 1;
    if (fields > r->fields) {
        free(t->cell);
        t->cell = sp_alloc(fields, sizeof *t->cell);
        r->fields = t->cell ? fields : 0;
    }
    if (!t->cell)
        SP_TRY(out_of_memory(r, error));
    char *at = t->bytes + r->begin;
    for (size_t i = 0; i < rows; i++)
        SP_TRY(cut_fields(r, &at, r->line + i, t->cell + i * t->columns, error));
    t->rows = rows;
    r->begin += size;
cleanup:
    return status;
}

sp_status sp_table_rewind(sp_table_reader *r, sp_error *error)
{
    size_t length = 0;
    sp_status status = sp_packed_rewind(r->file, error);
    r->table.rows = r->begin = r->end = r->read = 0;
    r->complete = false;
    if (status == SP_OK)
        status = line_length(r, 0, &length, error);
    r->begin = length;
    r->line = 2;
    return status;
}

void sp_table_close(sp_table_reader *r)
{
    sp_packed_close(r->file);
    free(r->path);
    free(r->numeric);
    sp_table_free(&r->table);
    *r = (sp_table_reader){ 0 };
}

sp_status sp_table_read(const char *path, sp_table *table, sp_error *error)
{
    sp_table_reader r = { 0 };
    *table = (sp_table){ 0 };
    sp_status status = sp_table_open(path, &r, error);
    if (status == SP_OK)
        status = sp_table_next(&r, SP_TABLE_ALL, error);
    if (status == SP_OK) {
        *table = r.table;
        r.table = (sp_table){ 0 };
    }
    sp_table_close(&r);
    return status;
}

void sp_table_free(sp_table *table)
{
    free(table->column);
    free(table->cell);
    free(table->group);
    free(table->names);
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
    const size_t before = table->columns, columns = before + count;
    char **column = sp_alloc(columns, sizeof *column), **cell = NULL;
    char *added = sp_alloc(table->rows * count + 1, SP_NUMBER_SIZE);
    if (!column || !added || !(cell = realloc(table->cell, (table->rows * columns + 1) * sizeof *cell)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", place));
    memcpy(column, table->column, before * sizeof *column);
    for (size_t i = 0; i < count; i++)
        column[before + i] = (char *)name[i];
    for (size_t row = table->rows; row-- > 0;) { /* in place: from the last on, for each moves up */
        char **to = cell + row * columns;
        memmove(to, cell + row * before, before * sizeof *to);
        for (size_t i = 0; i < count; i++) {
            const double number = value[row * count + i];
            char *text = added + (row * count + i) * SP_NUMBER_SIZE;
            to[before + i] = isnan(number) ? (char *)nothing : sp_number(number, text);
        }
    }
    free(table->column);
    free(table->added);
    table->column = column;
    table->columns = columns;
    table->cell = cell;
    table->added = added;
    return SP_OK;
cleanup:
    free(column);
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

sp_status sp_table_join(sp_table *table, const sp_table *groups, const char *key, const char *place, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t own = sp_table_column(table, key), other = sp_table_column(groups, key);
    const size_t columns = table->columns + groups->columns - 1;
    char **column = sp_alloc(columns, sizeof *column);
    size_t *group = sp_alloc(table->rows + 1, sizeof *group), found = 0, at = table->columns;
    if (!column || !group)
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
        found = find_group(groups, other, sp_table_text(table, row, own), found);
        if (found == groups->rows)
            SP_TRY(sp_fail(error, SP_EDATA, "%s: no row with %s %s", place, key, sp_table_text(table, row, own)));
        group[row] = found;
    }
    free(table->column);
    table->column = column;
    table->columns = columns;
    table->shared = groups->columns - 1;
    table->of_group = groups->cell;
    table->key = other;
    table->group = group;
    return SP_OK;
cleanup:
    free(column);
    free(group);
    return status;
}
