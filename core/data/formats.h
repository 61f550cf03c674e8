/* formats.h -- one record of each text format. For core/data/ alone.
 *
 * A text is read twice by the same functions: once to count and to check, once to keep. */
#ifndef SP_DATA_FORMATS_H
#define SP_DATA_FORMATS_H

#include "core/data/reader.h"
#include "core/data/scan.h"

enum { SP_READER_VERSION = 1 }; /* another one when the same text would give another dataset */

typedef struct sp_reading {
    sp_scan scan;
    const sp_read_options *options;
    size_t d;               /* features: set by the options or the text itself; grows in the first pass over libsvm */
    size_t fields, label;   /* CSV: columns, and which one is the label */
    size_t rows, outputs;   /* FANN: what its first line promises */
    size_t read;            /* records so far */
    size_t positive;        /* of them, those with the positive label */
} sp_reading;

typedef struct sp_format_reader {
    /* What stands before the first record. May be NULL. */
    sp_status (*start)(sp_reading *);
    /* The record that begins on the current line: x (d zeros, or NULL to check only) and its label. */
    sp_status (*record)(sp_reading *, double *x, double *label);
    /* After the last record. May be NULL. */
    sp_status (*finish)(const sp_reading *);
} sp_format_reader;

extern const sp_format_reader sp_format_readers[]; /* by sp_text_format */

#endif
