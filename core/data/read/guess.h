/* guess.h -- finds out from the bytes of a user's file what the user did not specify: its format, which column is the
 * label, and which columns hold words. If the bytes do not decide, the file is refused, and the message names the key
 * to set.
 *
 *   format       IDX by its first bytes; ARFF by its first line; FANN by its first two lines; libsvm if most of the
 *                first lines are a label and index:value; otherwise CSV. Formats that cannot be read are recognised by
 *                their first bytes, and the message says how to convert them
 *   comment      # if the first lines begin with it and the line after them has another number of fields
 *   delimiter    the one of , ; tab and | that gives the first lines the same number of fields, two or more
 *   header       if the first line has words above columns of numbers; if all columns are words: if none of the words
 *                of the first line occurs again below
 *   label        the column called label, target, class, y, outcome or response; otherwise the last one if it has two
 *                values; otherwise the only one that has two values. In an ARFF the last attribute
 *   categorical  the columns without numbers, except columns of dates or of numbers with a decimal comma, which are
 *                refused
 *   positive     the larger of two numbers; more than 20 numbers, or numbers that are not integers, are kept
 *                (regression)
 *
 * Text that is not UTF-8 is refused. A first column that looks like an index is only reported (sp_seen_column.index).
 *
 * Nothing here is charged to a budget: the names, kinds and categories of columns, and the values of the label, are
 * treated as public. */
#ifndef SP_DATA_READ_GUESS_H
#define SP_DATA_READ_GUESS_H

#include "core/base/arena.h"
#include "core/data/read/reader.h"

/* What the options leave open */
enum { SP_OPEN_FORMAT = 1, SP_OPEN_DELIMITER = 2, SP_OPEN_HEADER = 4, SP_OPEN_LABEL = 8, SP_OPEN_POSITIVE = 16,
       SP_OPEN_COMMENT = 32 };

typedef enum { SP_COLUMN_NUMBERS, SP_COLUMN_WORDS, SP_COLUMN_LABEL, SP_COLUMN_OMITTED } sp_column_kind;

typedef struct sp_seen_value {
    const char *text;
    size_t count; /* how often it occurs */
} sp_seen_value;

/* One column of a CSV or an ARFF */
typedef struct sp_seen_column {
    const char *name;     /* as an experiment has it: that in the header, or its number */
    sp_column_kind kind;
    size_t missing;       /* values */
    double low, high;     /* of its numbers, if it has any */
    bool counts;          /* it numbers the records: 1, 2, 3, ... or 0, 1, 2, ... */
    bool index;           /* it is the first, and its whole numbers ascend or it is the only one without a name */
    sp_seen_value *value; /* the most frequent first; none of a column of numbers */
    size_t values;        /* how many are listed, */
    bool more;            /* and there are others */
} sp_seen_column;

typedef struct sp_seen {
    size_t records;         /* in the file */
    sp_seen_column *column; /* CSV, ARFF */
    size_t columns;
    sp_seen_column label;   /* what is known of the labels; FANN with several outputs: nothing */
    unsigned guessed;       /* which of SP_OPEN_... were decided here */
    const char *words;      /* the columns of words that `categorical` did not name, in its form; NULL: none */
} sp_seen;

/* *options: what is said; what `open` names is filled in, and CSV's `categorical` becomes all columns of words. All
 * texts are the arena's. */
sp_status sp_guess(const sp_source *source, size_t count, unsigned open, sp_arena *, sp_read_options *options,
                   sp_seen *out, sp_error *);

#endif
