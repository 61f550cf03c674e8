/* arff.h -- ARFF, the attribute-relation files of Weka: a head that names and declares the columns, then records.
 * Included in core/data/ only.
 *
 *   % a comment
 *   @relation NAME
 *   @attribute NAME numeric (or real, integer)      @attribute NAME { red, green }      @attribute NAME string
 *   @data
 *   1.5, red, 'some text'                           or sparse: { 0 1.5, 2 'some text' }, attributes counted from 0
 *
 * Keywords may be in any case. A word may be in single or double quotes, in which a backslash keeps the next character.
 * ? is a missing value. An attribute that a sparse record omits is 0, or the first value of a nominal attribute.
 * Attributes of dates are recognised but not read; relational attributes are refused. */
#ifndef SP_DATA_READ_ARFF_H
#define SP_DATA_READ_ARFF_H

#include "core/base/arena.h"
#include "core/data/read/csv.h"
#include "core/data/read/scan.h"

typedef enum { SP_ARFF_NUMBER, SP_ARFF_NOMINAL, SP_ARFF_TEXT, SP_ARFF_DATE } sp_arff_kind;

typedef struct sp_arff_attribute {
    sp_arff_kind kind;       /* NUMBER, too, where all declared values are numbers */
    const sp_word_view *value; /* values: those that are declared, in that order */
    size_t values;
    bool filled;             /* a sparse record that leaves it out holds its first value, which is not 0 */
} sp_arff_attribute;

typedef struct sp_arff {
    sp_arff_attribute *attribute; /* count */
    sp_word_view *name;           /* count */
    size_t count;
    size_t room;                  /* attributes that there is room for */
} sp_arff;

/* A record being read. */
typedef struct sp_arff_record {
    bool sparse;
    size_t next;         /* the least attribute that may follow */
    sp_word_view word;   /* sparse: a value that was read, to be given once what it skips has been filled, */
    size_t place;        /* for this attribute */
    bool waiting;        /* there is such a value */
    bool ended;          /* sparse: no more of them */
} sp_arff_record;

/* Reads the head of the text that the scan has been started on, which then stands before the records. Texts that held
 * backslashes, and the lists, are the arena's. */
sp_status sp_arff_head(sp_scan *, sp_arena *, sp_arff *);
/* The scan stands on a line: begins its record. */
void sp_arff_start(sp_scan *, sp_arff_record *);
/* The next value of the record and its attribute, in ascending order; *more = false when there is none. Sparse ones
 * give what was left out where it is not 0. */
sp_status sp_arff_value(sp_scan *, const sp_arff *, sp_arff_record *, sp_arena *, bool *more, size_t *place,
                        sp_word_view *word);

#endif
