/* reader.h -- reads files into a dataset: libsvm, CSV, ARFF, FANN and IDX (MNIST). Errors name the file and the line.
 *
 *   libsvm  label index:value index:value ...     indices from 1, ascending; omitted features are 0; a label without
 *                                                 features is a record of zeros. A word qid:... before the first index
 *                                                 is ignored, and so is everything after a # that begins a word
 *   CSV     value,value,...,label                 see csv.h; a column of words becomes one indicator feature per
 *                                                 distinct word, in the order of their bytes. A column is one of words
 *                                                 if its first value is a word (then no other may be a number) or if
 *                                                 `categorical` names it. Features keep the order of the columns
 *   ARFF    see arff.h                            read like a CSV; a nominal attribute becomes one indicator feature
 *                                                 for each declared value, in that order, or one number if all of its
 *                                                 values are numbers; the label is the last attribute
 *   FANN    rows inputs outputs                   then for each row a line of inputs and a line of outputs
 *   IDX     two files, unsigned bytes:            images (n x ... pixels, each / 255), then their n labels
 *
 * An empty line is refused (part of a record may be lost), except at the end and in ARFF. Lines may end in LF, in CR
 * LF, or all of them in CR; a missing last line end and a byte order mark of UTF-8 are accepted. */
#ifndef SP_DATA_READ_READER_H
#define SP_DATA_READ_READER_H

#include "core/data/read/content.h"
#include "core/data/dataset.h"

typedef enum { SP_FORMAT_LIBSVM, SP_FORMAT_CSV, SP_FORMAT_FANN, SP_FORMAT_IDX, SP_FORMAT_ARFF } sp_data_format;

/* Of CSV and ARFF: what becomes of a value that is not known (csv.h) */
typedef enum {
    SP_MISSING_REFUSE,
    SP_MISSING_DROP,    /* its record is left out */
    SP_MISSING_CATEGORY /* one indicator feature more, the last of its column; a number is 0 then */
} sp_missing;

typedef struct sp_read_options {
    sp_data_format format;
    sp_storage storage;      /* dense or sparse; the same records either way. Zeros are never stored in sparse */
    bool choose_storage;     /* sparse, whatever `storage` says, where dense records take far more memory than they
                                (sp_dense_is_wasteful) */
    size_t d;                /* features; 0 = as many as there are (libsvm: the largest index present). libsvm: an index
                                beyond d is an error; elsewhere another number of features is */
    bool zero_based;         /* libsvm: indices count from 0 */
    char delimiter;          /* CSV; 0 = ',' */
    bool header;             /* CSV: the first line names the columns */
    char comment;            /* CSV: lines that begin with it are passed over; 0: none are */
    bool decimal_comma;      /* CSV: "1,5" is a number */
    /* The rest up to `bounds` is for CSV and ARFF. */
    const char *label;       /* its column, by its name in the header or its number: from 1, negative from the end;
                                NULL: the last */
    const char *categorical; /* columns whose values are words even if they look like numbers, named as the label's,
                                commas between them (and quotes around, as in a record) */
    const char *omit;        /* columns that are left out, in the same way */
    const char *index;       /* a column that names or numbers the records, and is left out */
    sp_missing missing;
    const char *missing_words; /* words that stand for a value that is not known, beside the usual ones; written as
                                  `omit` is */
    const char *bounds;      /* "age:18:90,pay:0:1e5", columns of numbers as `omit` has them: a number becomes
                                (x - 18) / (90 - 18), after what is below 18 or above 90 has been moved there */
    const char *labels;      /* IDX: path of the labels, for sp_data_open_file */
    const char *positive;    /* label (or FANN output index, "0" the first) that becomes +1, all others -1; NULL: a
                                numeric label with two values becomes -1 (smaller) and +1 (larger); with more it is
                                kept */
    const char *negative;    /* with `positive`: only this label becomes -1, records with other ones are left out */
    bool regression;         /* keep labels as they are */
    size_t limit;            /* bytes that reading may take: the text, what it holds, and the dataset; 0: as
                                sp_content_limit says. It is no part of the dataset */
} sp_read_options;

/* All of them but the limit in a new string: equal texts, equal options. NULL when out of memory. */
char *sp_read_options_text(const sp_read_options *);

/* Do dense records take more than 64 MiB, and more than eight times what sparse ones take? */
bool sp_dense_is_wasteful(size_t n, size_t d, size_t entries);

/* Bytes in memory (already uncompressed); `name` is used in messages ("a9a"). */
typedef struct sp_source {
    const char *name, *bytes;
    size_t size;
} sp_source;

/* One dataset from the records of all sources, one after the other (IDX: images, labels, images, labels ...). Refuses
 * NaN, infinite and malformed numbers, ragged rows, indices < 1, beyond 2^32 - 1, twice or not ascending, trailing
 * rubbish: SP_EDATA with name:line; SP_EINVAL for options that do not fit each other and for what cannot be held;
 * SP_ELIMIT. The dataset is raw: radius = the largest norm, and sealed but for its content hash. */
sp_status sp_read_dataset(const sp_source *source, size_t count, const sp_read_options *, sp_dataset *out, sp_error *);

#endif
