/* table.h -- TSV tables, written field by field, and read into memory completely or in parts. The first line contains
 * the names of the columns.
 *
 * A field is a text, or empty, which is written "-". In a text a tab is written \t, a line feed \n, a carriage return
 * \r, a backslash \\. A text that is not a number and begins with one of = + - @ gets a backslash in front: so it
 * differs from the empty "-", and no spreadsheet takes it for a formula. Every text without a zero byte is read back
 * unchanged, and no text is read back as an empty field. */
#ifndef SP_BASE_TABLE_H
#define SP_BASE_TABLE_H

#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One field, without the tab before it; NULL: nothing. */
void sp_table_write(sp_text *out, const char *text);

/* Would a spreadsheet take the text for a formula? */
bool sp_table_formula(const char *text);

typedef struct sp_table {
    char **column;   /* names */
    size_t columns, rows;
    char **cell;     /* the fields, rows x (columns - shared); one without a text shows as "-" */
    size_t shared;   /* so many columns, the last ones, were joined: the rows of a group have the same fields there */
    char **of_group; /* another table's fields, groups x (shared + 1): those, and column `key`, which is not joined */
    size_t key;
    size_t *group;   /* by row; NULL where nothing was joined */
    char *names;     /* owns the names that were read */
    char *bytes;     /* the texts */
    char *added;     /* and those that were added */
} sp_table;

/* From the file at `path` or, where there is none, from `path`.gz (packed.h, which has the errors of that). SP_EABSENT
 * when there is neither. SP_EDATA with the path, the line and the column for a row of another length, a text in a
 * column of numbers, a checksum that is not that of the row (table_rows.h), an invalid escape, and for a column that is
 * named twice. The checksums are not among the columns that are read; a carriage return before a line end is left
 * out. */
sp_status sp_table_read(const char *path, sp_table *, sp_error *);
void sp_table_free(sp_table *);

/* A table that is read a part at a time, so that what is held does not grow with it. Start from { 0 }: sp_table_close
 * may be called at any time. */
typedef struct sp_table_reader {
    sp_table table;        /* the columns, and the rows at hand, until the next ones are read */
    size_t line;           /* of the first of these, from 1 */
    char *path;
    struct sp_packed *file;
    size_t begin, end;     /* of what was read into table.bytes and is no row at hand */
    size_t room, fields;   /* of table.bytes and table.cell */
    size_t read;           /* bytes, from the file's begin on */
    bool complete;         /* nothing comes behind `end` */
    bool *numeric;         /* by column */
    bool summed;           /* rows end with a checksum */
    uint64_t names_hash;   /* its seed (table_rows.h) */
} sp_table_reader;

/* Reads the names of the columns. Errors as of sp_table_read, which reads in this way, too. */
sp_status sp_table_open(const char *path, sp_table_reader *, sp_error *);
/* The rows that follow each other with one text in the column `key`, the next one alone, or all that are left. rows =
 * 0: there are no more. */
#define SP_TABLE_ALL SIZE_MAX
#define SP_TABLE_ROW (SIZE_MAX - 1)
sp_status sp_table_next(sp_table_reader *, size_t key, sp_error *);
/* Back to the first row. */
sp_status sp_table_rewind(sp_table_reader *, sp_error *);
void sp_table_close(sp_table_reader *);

/* Gives every row of `table`, once, the other columns of that row of `groups` which has the same text in column `key`,
 * behind its own; the fields still belong to `groups`, which outlives it. table->group[row] is the row of `groups`.
 * Fast when the rows come in the order of `groups`. SP_EDATA (the message starts with `place`) when there is no such
 * row, no such column, or both tables have a column of one name. */
sp_status sp_table_join(sp_table *table, const sp_table *groups, const char *key, const char *place, sp_error *);

/* Adds columns of numbers behind the others, once a table, and to none that was joined: value[row * count + i] is
 * column i in a row, NAN is nothing. The names stay the caller's. SP_ENOMEM (the message starts with `place`). */
sp_status sp_table_add(sp_table *, const char *const *name, size_t count, const double *value, const char *place,
                       sp_error *);

/* Index of a column, or columns when there is none. */
size_t sp_table_column(const sp_table *, const char *name);
/* NAN for "NaN" or text. */
double sp_table_number(const sp_table *, size_t row, size_t column);
/* "-" where there is nothing */
static inline const char *sp_table_text(const sp_table *t, size_t row, size_t column)
{
    const size_t own = t->columns - t->shared;
    if (column < own)
        return t->cell[row * own + column];
    return t->of_group[t->group[row] * (t->shared + 1) + column - own + (column - own >= t->key)];
}
/* Does the field hold nothing? The text "-" is something. */
bool sp_table_empty(const sp_table *, size_t row, size_t column);
/* The field as it is written. */
void sp_table_copy(sp_text *out, const sp_table *, size_t row, size_t column);

#endif
