/* pages.h -- the rows of one table of an SQLite file that no process writes, in the order of their keys, taken from its pages
 * (https://www.sqlite.org/fileformat2.html): SQLite itself takes several times as long over rows of many columns. */
#ifndef SP_STORE_PAGES_H
#define SP_STORE_PAGES_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { SP_FIELD_NULL, SP_FIELD_INTEGER, SP_FIELD_REAL, SP_FIELD_TEXT, SP_FIELD_BYTES } sp_field_kind;

typedef struct sp_field {
    sp_field_kind kind;
    int64_t integer;
    double real;
    const unsigned char *bytes; /* of a text or of bytes: lent until the next row, and not ended by NUL */
    size_t size;
} sp_field;

typedef struct sp_pages sp_pages;

/* `root`: the page that sqlite_master names. `path` is lent until it is closed. Then SQLite's locks on the file end, too, for
 * POSIX has one set of them a process and file: one more reason why nobody may write it. SP_EIO, SP_ENOMEM; SP_EDATA, without
 * a message: the file is damaged. */
sp_status sp_pages_open(const char *path, uint64_t root, sp_pages **, sp_error *);
/* The next row, all columns of the table; that of an INTEGER PRIMARY KEY is NULL, and *id its value. SP_EABSENT without a
 * message at the end, SP_EDATA without a message where this is no row of so many columns. */
sp_status sp_pages_next(sp_pages *, size_t columns, sp_field *, uint64_t *id, sp_error *);
/* Instead: the rows of all tables, page after page, whether or not a page leads there: what is left of a damaged file. Pages
 * that SQLite lists as unused come last: they may hold rows that were deleted. Errors as above; a page, or a row, that is none is
 * passed over. */
sp_status sp_pages_open_all(const char *path, sp_pages **, sp_error *);
/* The next one, which has *columns columns, at most `most`; *keyed: of a table without rowid, which has no *id. SP_EABSENT at the
 * end. */
sp_status sp_pages_next_any(sp_pages *, size_t most, sp_field *, size_t *columns, bool *keyed, uint64_t *id, sp_error *);
void sp_pages_close(sp_pages *);

#endif
