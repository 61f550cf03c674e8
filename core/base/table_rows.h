/* table_rows.h -- what a row of a table must be, besides its number of fields.
 *
 * A table whose last column is `checksum` has there, in 8 hex digits, the lower half of the XXH3 hash of the bytes of the
 * row before it, without the tab between; the seed is the XXH3 hash of the names of the columns before it. So a field that
 * was edited, swapped with another, or put below another name is noticed, with a false match once in 2^32. */
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

/* Ends the line of `out` that begins there, without its line end, with the name of the column where *seed is 0, which is set,
 * else with the checksum. */
void sp_table_sum_line(sp_text *out, size_t begin, uint64_t *seed);

/* Is the column one of numbers in every table that has it? Measures are not among these: they are known by their column
 * `start.NAME`, which begins so. */
bool sp_table_numeric(const char *column);
/* A number, "NaN", "inf" or "-inf". */
bool sp_table_is_number(const char *field);

#endif
