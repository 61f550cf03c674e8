/* moments.h -- n records stored as counts: storage = "moments". It makes passes over any number of records cheap.
 *
 * A record consists of parts (a part is a group of features: a pair, or all of them), and each part has one of a few
 * values. A mean over records then needs only the counts: how many records have which value in which part. It is a sum
 * over the parts, for any n. The rows of such a dataset are the values: row k is the record with value k in every part.
 * If there is only one part, the rows are the distinct records, each with its count. Otherwise only the mean of the
 * features is known, and no function of two parts at once.
 *
 * The parts of a record are independent. So, given the counts of all records, the counts of any m of them are
 * hypergeometric, part by part, and the remaining counts serve the next m. One record may be marked: it has a row of
 * its own with count 1 in every part (an audit replaces it and sees what changes).
 *
 * Privacy. The ledger is that of the method on n records, and (epsilon, delta) bounds that method. Full batches are
 * functions of the counts T, so the same bound holds for the map from T to the output, where neighbouring T come from
 * neighbouring records. Fresh batches are drawn anew given T: the releases of a replicate have the distribution of the
 * method on n records, averaged over all records with the counts T. Two divisions of the same records into batches
 * share how often a value in one part meets a value in another, which is not known; so an oracle and its children
 * divide theirs only once (core/oracle/sampling.c). */
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
