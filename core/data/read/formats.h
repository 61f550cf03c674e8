/* formats.h -- the reader of each file format. Included in core/data/ only. */
#ifndef SP_DATA_READ_FORMATS_H
#define SP_DATA_READ_FORMATS_H

#include "core/data/read/collect.h"
#include "core/data/read/reader.h"
#include "core/data/read/scan.h"

#include <stdint.h>

enum { SP_READER_VERSION = 4 }; /* another one when the same bytes would give another dataset */
#define SP_INDEX_MAX ((size_t)UINT32_MAX)

/* A label asked for in the options, and how often it was met. */
typedef struct sp_wanted {
    const char *text; /* as it is written in the options; NULL: none is wanted */
    bool numeric;     /* it is a number, */
    double number;    /* this one */
    size_t met;       /* records that had it */
} sp_wanted;

typedef struct sp_columns sp_columns; /* of a CSV or an ARFF: file_columns.h */

/* A dataset being read, source after source. */
typedef struct sp_reading {
    sp_scan scan;                   /* where the current text stands */
    const sp_read_options *options;
    sp_collected records;           /* of all sources so far */
    size_t text, limit;             /* bytes of all sources; that all of the reading may take */
    size_t d;                       /* features: the most (libsvm) or the number (else) met so far; 0: none yet */
    sp_wanted positive, negative;   /* labels */
    sp_columns *columns;            /* CSV, ARFF: what the columns hold; NULL before the first record and elsewhere */
    sp_error *error;                /* for messages; may be NULL */
} sp_reading;

typedef struct sp_format_reader {
    size_t width; /* bytes that a feature usually takes, with what divides it from the next */
    size_t files; /* that belong together */
    sp_status (*read)(sp_reading *, const sp_source *); /* `files` sources */
    sp_status (*finish)(sp_reading *);                  /* after the last one. May be NULL */
} sp_format_reader;

extern const sp_format_reader sp_read_libsvm, sp_read_csv, sp_read_fann, sp_read_idx, sp_read_arff;
void sp_columns_free(sp_columns *); /* NULL is allowed */

/* The record under way is whole; its label is written as `word`. */
sp_status sp_reading_end(sp_reading *, sp_word_view word);
/* Bytes that the text and the records of it take. */
static inline size_t sp_reading_size(const sp_reading *r)
{
    const sp_collected *c = &r->records;
    return r->text + c->entries * (sizeof *c->entry + sizeof *c->column) + c->n * (sizeof *c->start + sizeof *c->y);
}
/* SP_ELIMIT when they, and a block of so many bytes made of them, are more than the limit. */
sp_status sp_reading_fits(const sp_reading *, size_t block);
/* The number of features is known before the first record: SP_EDATA when another one was expected. */
sp_status sp_reading_width(sp_reading *, size_t d);

#endif
