/* dataset.h -- n records (x_i, y_i) in memory, with features x_i (d numbers) and labels y_i: read, generated, or loaded
 * from the binary cache.
 *
 * The features have one of five storages. Use core/data/rows.h to reach them, which supports all five.
 *
 *   dense    X, row-major, row i at X + i * stride: its d features, then its label (0 without labels) and its norm, so
 *            that a pass finds both next to the features, then zeros up to a multiple of 64 bytes
 *   sparse   compressed sparse rows: the entries start[i] .. start[i + 1] - 1, columns ascending
 *   one_hot  for rows in which all but a few features are 0 or one shared number, as when words became indicators. Row
 *            i at X + i * stride has its numeric features (those of column[]), the shared number (0 if no feature
 *            equals it), its label (0 without labels) and its norm; then, in 16 bits each, the count and the ascending
 *            list of the features that equal the shared number; then zeros up to a multiple of 64 bytes
 *   signs    one bit per feature: x_ij = +unit or -unit
 *   indexed  nothing is stored: row i is generated again from its index each time it is needed
 *
 * If the records are stored as counts (moments.h), the rows are the things that are counted, and arrays of n have one
 * entry per row.
 *
 * Norms and the mean are always available. A dataset is immutable once it is finished; a worker process inherits it. */
#ifndef SP_DATA_DATASET_H
#define SP_DATA_DATASET_H

#include "core/base/digest.h"
#include "core/base/record_map.h"
#include "core/numeric/rng.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    SP_STORE_DENSE, SP_STORE_SPARSE, SP_STORE_SIGNS, SP_STORE_INDEXED, SP_STORE_ONE_HOT,
    SP_STORE_MOMENTS /* what a problem asks for: its rows lie in one of the others, and are counted (moments.h) */
} sp_storage;
extern const char *const sp_storage_names[]; /* "dense", "sparse", "signs", "indexed", "one_hot", "moments", NULL */

/* Makes row i (d doubles) of an indexed dataset: a pure function of `context` and i, reentrant. */
typedef void (*sp_row_maker)(const void *context, size_t i, size_t d, double *restrict x);

typedef struct sp_dataset {
    sp_storage storage;
    size_t n;                  /* records */
    size_t d;                  /* features */
    size_t stride;             /* dense, one_hot: doubles from row to row */
    const double *X;           /* dense, one_hot: n x stride */
    const uint64_t *start;     /* sparse: n + 1, where the entries of each row start */
    const uint32_t *column;    /* sparse: start[n], the feature of each entry, ascending within a row; one_hot: numeric,
                                  the features that lie as numbers, ascending */
    const double *entry;       /* sparse: start[n]; no zeros */
    size_t numeric;            /* one_hot: features that lie as numbers, at most SP_NUMERIC_MAX */
    size_t listed;             /* one_hot: most features that a row's list has room for */
    const uint64_t *sign;      /* signs: n x words, bit j % 64 of word j / 64 set: +unit */
    size_t words;              /* signs: 64-bit words of a row */
    double unit;               /* signs: magnitude of every feature */
    sp_row_maker row_maker;    /* indexed: makes a row */
    const void *row_context;   /* indexed: owned by the dataset, see row_free */
    void (*row_free)(void *context);
    const double *y;           /* n labels; binary labels are -1 and +1. NULL when the records have none */
    const double *norm;        /* n: ||x_i||_2 */
    const double *mean;        /* d: (1/n) sum x_i, summed in record order */
    double radius;             /* public bound R >= every norm[i], enforced when the dataset was made */
    double largest;            /* public bound on every |x_ij|, enforced when the dataset was made; at most radius */
    double label_bound;        /* public bound on |y| */
    struct sp_moments *moments; /* moments.h: the n records are counts, and the rows above what is counted; owned. NULL:
                                  the records themselves lie there */
    const sp_record_map *map;  /* every record has been through it (sp_dataset_map); NULL: none */
    char content[SP_HASH_HEX]; /* hash of the storage, n, d, the features as stored (indexed: as made), y; of generated
                                  records, of what they are made from (generator.h). Empty for records as read: the
                                  bytes of their file and the reader's options say as much */
    void *mapping;             /* the one block that owns everything above */
    size_t mapping_size;       /* its bytes */
    bool mapped;               /* release by munmap, else by free */
} sp_dataset;

/* Doubles from one dense row to the next. */
static inline size_t sp_dense_stride(size_t d)
{
    return (d + 2 + 7) / 8 * 8;
}

/* --- one-hot rows --- */

enum { SP_NUMERIC_MAX = 64 };

/* Behind the numeric features of a row */
enum { SP_HOT_VALUE, SP_HOT_LABEL, SP_HOT_NORM, SP_HOT_LIST };

/* What sp_dataset_new and sp_dataset_check take for the entries of one-hot rows */
static inline size_t sp_hot_entries(size_t numeric, size_t listed)
{
    return numeric << 16 | listed;
}

/* How many features of the row are its number, and which. */
static inline const uint16_t *sp_hot_list(const sp_dataset *dataset, const double *row)
{
    return (const uint16_t *)(const void *)(row + dataset->numeric + SP_HOT_LIST);
}

/* Frees the block; { 0 } is allowed. */
void sp_dataset_free(sp_dataset *);

/* SP_EINVAL where a dataset of this storage is refused whatever the machine (more than 64 GiB, n or d of 2^32 and
 * more, d of 2^16 and more for one-hot rows). `entries` counts the stored entries of a sparse one; of a one-hot one it
 * is sp_hot_entries. */
sp_status sp_dataset_check(sp_storage, size_t n, size_t d, size_t entries, sp_error *);
/* A new dataset in one block (a mapping of its own when `mapped`: workers inherit it, and on huge pages neither a fork
 * nor a worker's first pass pays for its page tables), all zero; the writable views are for the maker: cast away const
 * of the members above, or take them from here. Call sp_dataset_seal when the features and y are filled. An indexed one
 * needs row_maker and row_context set before. */
sp_status sp_dataset_new(sp_storage, size_t n, size_t d, size_t entries, bool labels, bool mapped, sp_dataset *,
                         sp_error *);
double *sp_dataset_X(sp_dataset *); /* dense, one_hot: writable X */
double *sp_dataset_y(sp_dataset *); /* writable y, NULL without labels */
uint64_t *sp_dataset_start(sp_dataset *);  /* sparse */
uint32_t *sp_dataset_column(sp_dataset *); /* sparse, one_hot */
double *sp_dataset_entry(sp_dataset *);
uint64_t *sp_dataset_sign(sp_dataset *);   /* signs */
/* Computes norms and mean, checks that every number is finite (names the record), that columns and lists ascend below
 * d, and that norms are within radius (relative 1e-12), hashes the content. A maker that knows a bound on every |x_ij|
 * sets `largest` before, and it is checked; without, or where that is above radius, it is radius (of signs their
 * unit). */
sp_status sp_dataset_seal(sp_dataset *, double radius, double label_bound, sp_error *);
/* The records index[0 .. count-1] of `from` as they are, in the same storage, sealed with its bounds. Indexed ones are
 * made by `from`, which has to outlive them. */
sp_status sp_dataset_take(const sp_dataset *from, const uint32_t *index, size_t count, sp_dataset *out, sp_error *);

/* Puts every record through `map` (NULL: nothing is done) and seals it anew. SP_EUNSUPPORTED for records that are not
 * dense, or have been through another map. After a failure the dataset is freed. */
sp_status sp_dataset_map(sp_dataset *, const sp_record_map *, sp_error *);
/* What `content` becomes by it. */
void sp_mapped_content(const sp_record_map *, char content[SP_HASH_HEX]);

/* --- shaping real data --------------------------------------------------------------------------------- */

typedef enum {
    SP_NORMALISE_NONE, /* rows longer than `radius` are scaled down to it */
    SP_NORMALISE_L2    /* every row is divided by its l2 norm (a zero row stays), radius = 1 */
} sp_normalise;

/* Columns, before rows are normalised: each feature but those that are 0 or 1 in all records, by numbers that are
 * statistics of the training records. A feature that does not vary becomes 0. */
typedef enum {
    SP_SCALE_NONE,
    SP_SCALE_STANDARD, /* mean 0, standard deviation 1 */
    SP_SCALE_MINMAX    /* from 0 to 1 */
} sp_scaling;

typedef struct sp_shape {
    sp_scaling scale;
    sp_normalise normalise;
    double radius; /* public bound for SP_NORMALISE_NONE */
    bool intercept;/* append a constant feature 1 before normalisation */
    double test;   /* fraction of records held out, [0, 1) */
    size_t n;      /* training records to keep after shuffling; 0 = all */
    bool choose;   /* one-hot rows where they take less memory than sparse ones, half of that of dense ones */
} sp_shape;

/* From all records of `raw` (dense or sparse; the storage is kept, but for `choose`, and scaled ones are dense):
 * permute with `stream` (SP_STREAM_DATA), hold out floor(test * n) records as *test (left { 0 } when test = 0), keep n
 * of the rest as *train, both normalised and sealed, each in a mapping of its own. */
sp_status sp_dataset_shape(const sp_dataset *raw, const sp_shape *, sp_rng *stream, sp_dataset *train,
                           sp_dataset *test, sp_error *);

#endif
