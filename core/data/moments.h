/* moments.h -- n records held as counts: storage = "moments".
 *
 * A record consists of parts, groups of features (a pair, or all of it), and each part takes one of a few values. What a
 * mean over records needs is then how many records have which value in which part: a sum over the parts, whatever n is.
 * The rows of such a dataset are the values: row k is the record that has value k in every part. Where there is one part
 * alone, the rows are all the records that there are, and how often; else the mean of the features is all that is known
 * of records, and no function of two parts at once.
 *
 * The parts of a record are independent. So, given the counts, those of any m of the records are hypergeometric, part by
 * part, and what is left serves the next m. One record may be marked: it is a row of its own, of count 1 in every part
 * (an audit replaces it, and sees what moves).
 *
 * What the ledger is about. It is the ledger of the method on n records, and (epsilon, delta) bounds that method. Full
 * batches are functions of the counts T alone, so that with them the same bound holds of the map from T to the answer,
 * neighbouring T being those of neighbouring records. Fresh batches are drawn anew given T: what a replicate releases has
 * the law of the method on n records, averaged over all the records that have the counts T. Two ways to divide the same
 * records share how often a value in one part meets a value in another, which is not known: an oracle and its children
 * divide theirs once (core/oracle/sampling.c). */
#ifndef SP_DATA_MOMENTS_H
#define SP_DATA_MOMENTS_H

#include "core/data/dataset.h"

typedef struct sp_moments {
    size_t rows, parts;
    uint32_t *part; /* d: the part that a feature belongs to */
    double *count;  /* parts x rows: how many of the records have this value there; whole numbers */
    double total;   /* their sum in each part: n */
    bool marked;    /* the last row is the record of its own */
} sp_moments;

/* Rows that lie in the block. */
static inline size_t sp_dataset_rows(const sp_dataset *s)
{
    return s->moments ? s->moments->rows : s->n;
}

/* How many records each row stands for; NULL: one, or they are parts of records. */
static inline const double *sp_dataset_weight(const sp_dataset *s)
{
    return s->moments && s->moments->parts == 1 ? s->moments->count : NULL;
}

/* The records of *s, sealed, become rows of n records: count is parts x rows, part has d entries (both are copied).
 * Dense rows; sparse ones where there is one part. SP_EINVAL for counts that are not whole, or do not add up to n in
 * each part; SP_ENOMEM. */
sp_status sp_moments_make(sp_dataset *s, size_t n, size_t parts, const uint32_t *part, const double *count, bool marked,
                          sp_error *);
/* *out has the rows of `from`, which has to outlive it, and counts of its own, at first the same. */
sp_status sp_moments_like(const sp_dataset *from, sp_dataset *out, sp_error *);
/* m of the records of *left go to *batch, which is like it; *left is what remains, without its mean. SP_EINVAL where
 * there are fewer: nothing is changed. */
sp_status sp_moments_draw(sp_dataset *left, size_t m, gsl_rng *stream, sp_dataset *batch, sp_error *);
/* The mean of the features, from rows and counts. */
void sp_moments_mean(sp_dataset *);

#endif
