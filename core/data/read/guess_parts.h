/* guess_parts.h -- what the files guess*.c and foreign.c share. Included in them only. */
#ifndef SP_DATA_READ_GUESS_PARTS_H
#define SP_DATA_READ_GUESS_PARTS_H

#include "core/data/read/csv.h"
#include "core/data/read/guess.h"

enum {
    SP_FEW_RECORDS = 20,     /* of so few nothing is said about a column that has a word each */
    SP_NUMBERS_COUNTED = 64, /* different numbers of a column, at most */
    SP_WORDS_COUNTED = 1000  /* different words of a column; with more it is no category */
};

typedef struct sp_guess_tallied {
    sp_word_view word;
    size_t count; /* how often it occurs; 0: an empty slot */
    size_t line;  /* where it occurs first */
} sp_guess_tallied;

typedef struct sp_guess_tally {
    sp_guess_tallied *slot;    /* open addressing; a power of two of them */
    size_t slots, count; /* count: different words */
    bool over;           /* there are more than may be counted */
} sp_guess_tally;

/* What the fields of one column hold. */
typedef struct sp_guess_column {
    size_t numbers, words, missing;              /* fields */
    size_t number_line, word_line, missing_line; /* of the first of each */
    sp_word_view word, missing_word;             /* the first word, and the first that stands for no value */
    double low, high;                            /* of the numbers */
    bool counts;                                 /* each number is the one before it plus 1 */
    bool ascends;                                /* whole numbers, each of them above the one before it */
    double before;                               /* the last number */
    sp_guess_tally values;
    sp_column_kind kind;
    bool named;                                  /* words, because `categorical` says so */
    bool declared;                               /* words, because the file declares them */
    bool index;                                  /* `index` names it: it is left out */
} sp_guess_column;

typedef struct sp_guessing {
    const sp_source *source;
    sp_scan scan;
    sp_arena *arena;           /* of what is told */
    sp_arena *scratch;         /* of what is counted */
    sp_read_options *options;
    sp_seen *seen;
    unsigned open;             /* SP_OPEN_... */
    sp_guess_column *column;   /* names.count */
    const sp_word_view *first; /* the fields of the first line; ARFF: the names that the head declares */
    size_t first_line;         /* its number */
    sp_csv_names names;
    sp_csv_list missing;       /* own words for a missing value */
    size_t label;              /* its column */
    sp_error *error;
} sp_guessing;

#define SP_GUESS_NEED(g, pointer)                                                             \
    do {                                                                                      \
        if (!(pointer))                                                                       \
            return sp_fail((g)->error, SP_ENOMEM, "%s: out of memory", (g)->source->name);    \
    } while (0)

/* --- guess_format.c: how the file is written --- */

/* The scan begins again. */
void sp_guess_rewind(sp_guessing *);
sp_status sp_guess_format(sp_guessing *);
/* Refuses what is no UTF-8. */
sp_status sp_guess_encoding(sp_guessing *);
/* Of a CSV. */
sp_status sp_guess_delimiter(sp_guessing *);

/* --- guess_values.c: what a column holds --- */

sp_status sp_guess_count(const sp_guessing *, sp_guess_column *, sp_word_view field, size_t line);
const sp_guess_tallied *sp_guess_tally_find(const sp_guess_tally *, sp_word_view);
void sp_guess_tally_free(sp_guess_tally *);
/* Different numbers, up to SP_NUMBERS_COUNTED; *whole: all of them are. */
size_t sp_guess_numbers(const sp_guess_column *, double value[SP_NUMBERS_COUNTED], bool *whole);
bool sp_guess_two_values(const sp_guess_column *);
/* Are all words of it dates, as 2024-03-01, 1.3.24 or 03-Mar-2024 12:30? */
bool sp_guess_dates(const sp_guess_column *);
/* What is told of a column. */
sp_status sp_guess_describe(const sp_guessing *, const sp_guess_column *, const char *name, sp_seen_column *out);

/* --- guess_read.c: one pass over the file --- */

/* Counts all fields of a CSV but those of the first line. */
sp_status sp_guess_read_csv(sp_guessing *);
/* The columns of an ARFF; g->label is set. */
sp_status sp_guess_read_arff(sp_guessing *);
/* Labels and records of other formats. */
sp_status sp_guess_read_labels(sp_guessing *, size_t sources, sp_guess_column *labels);

/* Formats that cannot be read, recognised by their first bytes, so that the message can say so: "a NumPy array:
 * numpy.savetxt writes it as CSV", or NULL. `text`: formats that are texts are known, too. */
const char *sp_foreign_format(const char *bytes, size_t size, bool text);

#endif
