/* pages.h -- reads the rows of all tables of an SQLite file from its pages (https://www.sqlite.org/fileformat2.html),
 * whether or not a page leads to them. So rows of a damaged file can be read of which SQLite itself finds only some.
 * No process may write the file. */
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

/* `path` has to live until sp_pages_close. Closing ends SQLite's locks on the file, because POSIX keeps one set of locks
 * per process and file. SP_EIO, SP_ENOMEM. */
sp_status sp_pages_open(const char *path, sp_pages **, sp_error *);
/* The next row, page after page. It has *columns columns, at most `most`. *keyed: its table has no rowid; otherwise
 * an INTEGER PRIMARY KEY is NULL in the row, and *id is its value. Pages that SQLite lists as unused come last: they
 * may hold deleted rows. Whatever is no page and no row is passed over. SP_EABSENT at the end. */
sp_status sp_pages_next(sp_pages *, size_t most, sp_field *, size_t *columns, bool *keyed, uint64_t *id, sp_error *);
void sp_pages_close(sp_pages *);

#endif
