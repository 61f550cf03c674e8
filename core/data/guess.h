/* guess.h -- what nobody said of a file of the user's own, found from its bytes: how it is written, which column is the
 * label, which hold words. Refused where they do not decide; the message shows the key to set.
 *
 *   format       IDX by its first bytes; FANN by its first two lines; libsvm where every line is a number and
 *                index:value; else CSV
 *   delimiter    of , ; tab and | the one that gives the first lines the same number of fields, two or more
 *   header       where the first line has words over columns of numbers; of words alone: where none of its words comes
 *                again below
 *   label        the column called label, target, class, y, outcome or response; else the last, where it has two
 *                values; else the only one that has two
 *   categorical  the columns without a number
 *   positive     the larger of two numbers; more than 20 numbers, or numbers that are not whole, are kept (regression)
 *
 * Nothing here counts against a budget: names of columns, their kinds and categories, and the values of the label are
 * public. */
#ifndef SP_DATA_GUESS_H
#define SP_DATA_GUESS_H

#include "core/base/arena.h"
#include "core/data/reader.h"

/* What the options leave open */
enum { SP_OPEN_FORMAT = 1, SP_OPEN_DELIMITER = 2, SP_OPEN_HEADER = 4, SP_OPEN_LABEL = 8, SP_OPEN_POSITIVE = 16 };

typedef enum { SP_COLUMN_NUMBERS, SP_COLUMN_WORDS, SP_COLUMN_LABEL, SP_COLUMN_OMITTED } sp_column_kind;

typedef struct sp_seen_value {
    const char *text;
    size_t count; /* how often it occurs */
} sp_seen_value;

/* One column of a CSV */
typedef struct sp_seen_column {
    const char *name;     /* as an experiment has it: that in the header, or its number */
    sp_column_kind kind;
    size_t missing;       /* values */
    double low, high;     /* of its numbers, if it has any */
    bool counts;          /* it numbers the records: 1, 2, 3, ... or 0, 1, 2, ... */
    sp_seen_value *value; /* the most frequent first */
    size_t values;        /* how many are listed, */
    bool more;            /* and there are others */
} sp_seen_column;

typedef struct sp_seen {
    size_t records;         /* in the file */
    sp_seen_column *column; /* CSV */
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
