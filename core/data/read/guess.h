/* guess.h -- what nobody said of a file of the user's own, found from its bytes: how it is written, which column is the
 * label, which hold words. Refused where they do not decide; the message shows the key to set.
 *
 *   format       IDX by its first bytes; ARFF by its first line; FANN by its first two; libsvm where most of the first
 *                lines are a label and index:value; else CSV. Formats that are not read are known by their first bytes,
 *                and the message says how to convert them
 *   comment      # where the first lines begin with it and the line after them has another number of fields
 *   delimiter    of , ; tab and | the one that gives the first lines the same number of fields, two or more
 *   header       where the first line has words over columns of numbers; of words alone: where none of its words comes
 *                again below
 *   label        the column called label, target, class, y, outcome or response; else the last, where it has two
 *                values; else the only one that has two. Of an ARFF the last attribute
 *   categorical  the columns without a number; not those of dates or of numbers with a decimal comma, which are refused
 *   positive     the larger of two numbers; more than 20 numbers, or numbers that are not whole, are kept (regression)
 *
 * A text is UTF-8, or it is refused. A first column that looks like an index is only named (sp_seen_column.index).
 *
 * Nothing here counts against a budget: names of columns, their kinds and categories, and the values of the label are
 * public. */
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
