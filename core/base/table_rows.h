/* table_rows.h -- the checksum of a row of a table, and the form of its fields.
 *
 * The last column of a table may be `checksum`. It holds, in 8 hex digits, the lower half of the XXH3 hash of the row's
 * bytes before it, without the tab in between. The seed is the XXH3 hash of the column names before `checksum`. So a
 * field that was edited, swapped with another, or moved below another name is noticed, except with probability
 * 2^-32. */
#ifndef SP_BASE_TABLE_ROWS_H
#define SP_BASE_TABLE_ROWS_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const char sp_table_checksum[]; /* the column's name */
enum { SP_TABLE_SUM_SIZE = 9 };        /* its digits and a zero byte */

/* The hash of the line that names the columns, which is the seed of its rows. */
uint64_t sp_table_names_hash(const char *names, size_t length);
void sp_table_row_sum(uint64_t names, const char *row, size_t length, char out[SP_TABLE_SUM_SIZE]);

/* Ends the line of `out` that begins at `begin` and has no line end yet. If *seed is 0, the line holds the column
 * names: it gets the name of the checksum column, and *seed is set. Otherwise it is a row and gets its checksum. */
void sp_table_sum_line(sp_text *out, size_t begin, uint64_t *seed);

/* Does the column hold numbers in every table that has it? True for a known name and for "start.NAME". It is false for
 * the name of a measure: a reader recognises a measure by its second column, "start.NAME". */
bool sp_table_numeric(const char *column);
/* A number, "NaN", "inf" or "-inf". */
bool sp_table_is_number(const char *field);

#endif
