/* reader.h -- text formats into a dataset: libsvm, CSV, FANN; plain, gz, bz2, xz or zstd, or a member of an archive
 * (libarchive decides from the content). Errors name the file and the line. */
#ifndef SP_DATA_READER_H
#define SP_DATA_READER_H

#include "core/data/dataset.h"

typedef enum { SP_FORMAT_LIBSVM, SP_FORMAT_CSV, SP_FORMAT_FANN } sp_text_format;

typedef struct sp_read_options {
    sp_text_format format;
    size_t d;             /* features; 0 = the largest index present. An index beyond d is an error */
    char delimiter;       /* CSV; 0 = ',' */
    bool header;          /* CSV: the first line names the columns */
    long label_column;    /* CSV: 0-based, negative counts from the end (-1 = last) */
    const char *positive; /* label (or FANN output index, "0" the first) that becomes +1, all others -1; NULL: a numeric
                             label with two values becomes -1 (smaller) and +1 (larger); with more it is kept */
    bool regression;      /* keep labels as they are */
} sp_read_options;

/* Read from bytes in memory (already uncompressed); `name` is used in messages ("a9a"). Refuses NaN, infinite and
 * malformed numbers, ragged rows, indices < 1 or not ascending or huge, empty rows, trailing rubbish: each with
 * name:line. CRLF and a missing last newline are fine. The dataset is raw (radius = the largest norm) and sealed. */
sp_status sp_read_dataset(const char *name, const char *bytes, size_t size, const sp_read_options *, sp_dataset *out,
                          sp_error *);

/* Whole uncompressed content of a plain or compressed file; `member` (may be NULL) picks the first entry of an archive
 * (.tar, .zip, .deb and the data.tar inside it) whose path ends with it, component by component. *bytes is malloc'ed,
 * with a NUL after `size`. */
sp_status sp_read_file(const char *path, const char *member, char **bytes, size_t *size, sp_error *);

#endif
