/* file_columns.h -- the columns of a CSV or an ARFF, and the features that they become. Included in core/data/ only.
 *
 * How many features a column of words becomes is known only after the last line. Until then every value is collected
 * under the number of its column: a word as 1 + the number of its first appearance, a missing value as NaN.
 * sp_file_columns_finish then renumbers columns as features. Words become features in the order of their bytes,
 * declared words in the declared order. */
#ifndef SP_DATA_READ_FILE_COLUMNS_H
#define SP_DATA_READ_FILE_COLUMNS_H

#include "core/data/read/csv.h"
#include "core/data/read/formats.h"

typedef enum { SP_HOLDS_UNSEEN, SP_HOLDS_NUMBERS, SP_HOLDS_WORDS, SP_HOLDS_NAMED, SP_HOLDS_OMITTED } sp_holds;
                                                            /* NAMED: words, because `categorical` or the file says
                                                             * so */

/* One of the words of a column. */
typedef struct sp_column_word {
    sp_word_view word;
    size_t number; /* from 0, in the order of appearance or declaration */
} sp_column_word;

typedef struct sp_column {
    sp_holds holds;
    bool asked;         /* `categorical` names it */
    bool declared;      /* its words are those that the file declares */
    sp_word_view first; /* its first value */
    bool gaps;          /* some values are missing, which is a category */
    bool bounded;       /* by these: */
    double low, high;
    void *tree;         /* its words, see search.h */
    size_t words;       /* how many they are */
} sp_column;

struct sp_columns {
    sp_arena texts;      /* fields that held quotes, and lists of the options */
    sp_csv_names names;  /* of the columns, the label's too */
    sp_csv_list missing; /* own words for a missing value */
    size_t label;        /* which column is the label's */
    const char *hint;    /* what else may be wrong where the first records do not fit; "" when nothing is known */
    sp_column column[];  /* names.count */
};

/* r->columns for so many columns, to be named by sp_file_columns_open. */
sp_status sp_file_columns_new(sp_reading *r, size_t count);
/* Takes the options; `name` (NULL: there are no names) has one for each column. */
sp_status sp_file_columns_open(sp_reading *r, const sp_word_view *name);
/* "column 3 (age)" */
const char *sp_file_columns_name(const sp_reading *r, size_t place, char out[SP_COLUMN_SIZE]);
/* The number of a word of the column, which is new to it perhaps. */
sp_status sp_column_number(sp_reading *r, sp_column *c, sp_word_view word, size_t *number);
/* Would the record be dropped for this value? */
bool sp_file_columns_lack(const sp_reading *r, size_t place, sp_word_view word);
/* A value of the record under way, which is not the label. */
sp_status sp_file_columns_value(sp_reading *r, size_t place, sp_word_view word);
/* The record is whole. */
sp_status sp_file_columns_end(sp_reading *r, sp_word_view label);
/* After the last record: columns become features. */
sp_status sp_file_columns_finish(sp_reading *r);

#endif
