/* csv.h -- comma-separated values as RFC 4180 has them: records, and the fields of each. For core/data/ alone.
 *
 * A field may stand in quotes; within them a quote is written twice, and delimiters and line ends are text. Blanks
 * around a field are left out, unless they are the delimiter. */
#ifndef SP_DATA_CSV_H
#define SP_DATA_CSV_H

#include "core/base/arena.h"
#include "core/data/scan.h"

/* Step to the next record: a line, with the further ones that its quotes hold. *more = false when there is none. */
sp_status sp_csv_record(sp_scan *, char delimiter, bool *more);
/* The next field of the record; *more: another one follows. A field that holds quotes is written into `texts`. */
sp_status sp_csv_field(sp_scan *, char delimiter, sp_arena *texts, bool *more, sp_word_view *field);
/* Does the field stand for a value that is not known: nothing, NA, N/A, NaN, nan, NULL, null or ? */
bool sp_csv_missing(sp_word_view field);
/* The column of this name, else the one of this number: counted from 1, negative from the end. `names` (NULL without a
 * header) has one of each column; `what` is what it is wanted for. SP_EDATA with the names there are. */
sp_status sp_csv_find(const sp_scan *, const sp_word_view *names, size_t columns, const char *what, sp_word_view name,
                      size_t *place);
/* "column 3 (age)", to be shown */
enum { SP_COLUMN_SIZE = 80 };
const char *sp_csv_column(const sp_word_view *names, size_t place, char out[SP_COLUMN_SIZE]);

#endif
