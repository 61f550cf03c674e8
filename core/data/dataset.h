/* dataset.h -- n records (x_i, y_i) in memory: read, generated, or mapped from the binary cache.
 *
 * X is n x d, row-major, row i at X + i * stride. Immutable once made; a worker process shares it by mapping. */
#ifndef SP_DATA_DATASET_H
#define SP_DATA_DATASET_H

#include "core/base/hash.h"
#include "core/base/status.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sp_dataset {
    size_t n, d, stride;
    const double *X;           /* n x stride */
    const double *y;           /* n labels; binary labels are -1 and +1. NULL when the records have none */
    const double *norm;        /* n: ||x_i||_2 */
    const double *mean;        /* d: (1/n) sum x_i, summed in record order */
    double radius;             /* public bound R >= every norm[i], enforced when the dataset was made */
    double label_bound;        /* public bound on |y| */
    char content[SP_HASH_HEX]; /* hash of n, d, X, y as stored */
    void *mapping;             /* the one block that owns everything above */
    size_t mapping_size;
    bool mapped;               /* release by munmap, else by free */
} sp_dataset;

/* Frees the block; { 0 } is allowed. */
void sp_dataset_free(sp_dataset *);

/* SP_EINVAL where sp_dataset_new refuses n x d whatever the machine. */
sp_status sp_dataset_check(size_t n, size_t d, sp_error *);
/* A new dataset of n x d zeros in one block (shared anonymous mapping when `shared`, so that forks do not copy page
 * tables). The writable views are for the maker; call sp_dataset_seal when X and y are filled. */
sp_status sp_dataset_new(size_t n, size_t d, bool labels, bool shared, sp_dataset *, double **X, double **y,
                         sp_error *);
/* Computes norms and mean, checks that every number is finite (names the record) and that norms are within radius
 * (relative 1e-12), hashes the content. */
sp_status sp_dataset_seal(sp_dataset *, double radius, double label_bound, sp_error *);

/* --- shaping real data --------------------------------------------------------------------------------- */

typedef enum {
    SP_NORMALISE_NONE, /* rows longer than `radius` are scaled down to it */
    SP_NORMALISE_L2    /* every row is divided by its l2 norm (a zero row stays), radius = 1 */
} sp_normalise;

typedef struct sp_shape {
    sp_normalise normalise;
    double radius; /* public bound for SP_NORMALISE_NONE */
    bool intercept;/* append a constant feature 1 before normalisation */
    double test;   /* fraction of records held out, [0, 1) */
    size_t n;      /* training records to keep after shuffling; 0 = all */
} sp_shape;

/* From all records of `raw`: permute with `stream` (SP_STREAM_DATA), hold out floor(test * n) records as *test (left
 * { 0 } when test = 0), keep n of the rest as *train, both normalised and sealed, in shared mappings. */
sp_status sp_dataset_shape(const sp_dataset *raw, const sp_shape *, gsl_rng *stream, sp_dataset *train,
                           sp_dataset *test, sp_error *);

#endif
