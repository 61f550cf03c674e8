/* csv.h -- comma-separated values as in RFC 4180: records, and the fields of each. Included in core/data/ only.
 *
 * A field may be in quotes; inside them a quote is written twice, and delimiters and line ends are text. Blanks around
 * a field are dropped, unless they are the delimiter. */
#ifndef SP_DATA_READ_CSV_H
#define SP_DATA_READ_CSV_H

#include "core/base/arena.h"
#include "core/data/read/scan.h"

/* Step to the next record: a line, with the further ones that its quotes hold. *more = false when there is none. */
sp_status sp_csv_record(sp_scan *, char delimiter, bool *more);
/* The next field of the record; *more: another one follows. A field that holds quotes is written into `texts`. */
sp_status sp_csv_field(sp_scan *, char delimiter, sp_arena *texts, bool *more, sp_word_view *field);
/* A list of fields with commas between, as `categorical` and others are written. */
typedef struct sp_csv_list {
    const sp_word_view *word;
    size_t count;
} sp_csv_list;
/* `text` may be NULL: an empty list. Words that hold quotes are the arena's, others stay in the text. */
sp_status sp_csv_split(const char *text, const char *what, sp_arena *, sp_csv_list *, sp_error *);
/* Does the field stand for a value that is not known: nothing, NA, N/A, #N/A, <NA>, NaN, nan, -NaN, -nan, NULL, null,
 * ?, or one of these words? */
bool sp_csv_missing(sp_word_view field, const sp_csv_list *words);
/* The names of columns, to be found at once however many there are. */
typedef struct sp_csv_names {
    const sp_word_view *name; /* count; NULL without a header */
    size_t count;             /* columns */
    struct sp_csv_name *slot; /* open addressing by the hash of the name; empty names are not in it */
    size_t slots;             /* a power of two; 0 without a header */
} sp_csv_names;
/* `name` (NULL without a header) stays the caller's; the rest is the arena's. SP_ENOMEM. */
sp_status sp_csv_index(sp_csv_names *, sp_arena *, const sp_word_view *name, size_t count, sp_error *);
/* How many columns have this name, and the last of them. */
size_t sp_csv_called(const sp_csv_names *, sp_word_view name, size_t *place);
/* The column of this name, else the one of this number: counted from 1, negative from the end. `what` is what it is
 * wanted for. SP_EDATA with the names there are. */
sp_status sp_csv_find(const sp_scan *, const sp_csv_names *, const char *what, sp_word_view name, size_t *place);
/* "column 3 (age)", to be shown */
enum { SP_COLUMN_SIZE = 80 };
const char *sp_csv_column(const sp_word_view *names, size_t place, char out[SP_COLUMN_SIZE]);

#endif
