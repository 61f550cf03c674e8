/* rows.h -- access to the features of a dataset, for every storage (dataset.h).
 *
 * A pass over records is sp_rows_pass. To work on the rows themselves take them block by block with sp_rows_gather:
 * dense rows are pointed at, indexed rows are generated into the buffer, and sparse, one-hot and packed rows stay as
 * they are stored. Nothing here allocates.
 *
 * The order of arithmetic is the same on every processor: an inner product depends only on d, the storage and the row,
 * and a sum is taken in the order of the rows. So neither depends on how the rows are divided into blocks. */
#ifndef SP_DATA_ROWS_H
#define SP_DATA_ROWS_H

#include "core/base/constants.h"
#include "core/data/dataset.h"

/* --- passes ----------------------------------------------------------------------------------------------------- */

enum { SP_PASS_ROWS = 64 }; /* most rows at a time */

/* Some rows of a pass, as `weigh` below sees them. Each array goes on to the next multiple of 8 with numbers that do
 * not count. */
typedef struct sp_margins {
    size_t first, count;              /* rows first, ..., first + count - 1 of the pass */
    const double (*at)[SP_PASS_ROWS]; /* at[k][i] = <x_i, point[k]> */
    const double *label, *norm;       /* labels are 0 without */
} sp_margins;

/* What each of the rows counts: scale[i], up to the next multiple of 8 if that is easier. */
typedef void sp_rows_weigh(const void *context, const sp_margins *, double *restrict scale);

typedef struct sp_rows_ask {
    size_t points;              /* 1 to SP_TERMS_MAX */
    const double *const *point; /* d each */
    const void *context;        /* for `weigh` */
    double *sum;                /* d: += sum_i scale[i] x_i, in the order of the rows; NULL: nothing */
} sp_rows_ask;

/* The rows index[0 .. count-1] (index NULL: 0, 1, ...) are read from memory once: for every ask their inner products
 * with its points, what they count, and their sum. Each ask gets, to the bit, what it gets alone. No sum is a point or
 * another ask's. `buffer`: sp_rows_buffer() doubles. */
void sp_rows_pass(const sp_dataset *, const uint32_t *index, size_t count, size_t asks, const sp_rows_ask *,
                  sp_rows_weigh *weigh, double *buffer);

/* --- blocks of rows --------------------------------------------------------------------------------------------- */

enum { SP_ROWS = 256 }; /* most rows a block */

typedef struct sp_row_block {
    const sp_dataset *data;
    size_t count;
    bool in_line;            /* records that follow one another */
    uint32_t index[SP_ROWS]; /* which records */
    const double *row[SP_ROWS]; /* dense and indexed: their features, readable up to the next multiple of 8 */
} sp_row_block;

/* Rows of a block that stays in cache (8 to SP_ROWS, a multiple of 8). Longer blocks are right too, but not of an
 * indexed dataset, whose buffer holds just these. */
size_t sp_rows_per_block(const sp_dataset *);
/* Doubles that `buffer` below needs: sp_rows_per_block x sp_dense_stride(d) for an indexed dataset, else 0. */
size_t sp_rows_buffer(const sp_dataset *);

/* The rows index[0 .. count-1] (index NULL: first, first + 1, ...) of the dataset. They are there until the buffer is
 * used again. */
void sp_rows_gather(const sp_dataset *, const uint32_t *index, size_t first, size_t count, double *buffer,
                    sp_row_block *);
/* out[i] = <x_i, w> over the block. */
void sp_rows_dot(const sp_row_block *, const double *w, double *restrict out);
/* Labels (0 without) and norms of the block; after the inner products, which bring the rows that carry them. */
void sp_rows_labels(const sp_row_block *, double *restrict label, double *restrict norm);
/* sum[d] += sum_i scale[i] x_i, in the order of the rows. */
void sp_rows_add(const sp_row_block *, const double *scale, double *restrict sum);
/* Doubles that `packed` below needs for a block of so many rows: as many as they would take in line, and more. */
size_t sp_rows_packing(const sp_dataset *, size_t rows);
/* The upper triangle of H[d * d] += sum_i scale[i] x_i x_i', the block's sum being taken first. */
void sp_rows_square(const sp_row_block *, const double *scale, double *packed, double *restrict H);
/* out[d] = factor x_i of the block's row i. */
void sp_rows_copy(const sp_row_block *, size_t i, double factor, double *restrict out);

/* out[d] = x_i, outside a block. */
void sp_row_of(const sp_dataset *, size_t i, double *restrict out);

/* <x, w> of dense x in eight lanes: the order of summation depends on d alone. */
static inline double sp_dot(size_t d, const double *restrict x, const double *restrict w)
{
    double lane[8] = { 0.0 };
    size_t j = 0;
    for (; j + 8 <= d; j += 8)
        for (size_t l = 0; l < 8; l++)
            lane[l] += x[j + l] * w[j + l];
    for (size_t l = 0; j + l < d; l++)
        lane[l] += x[j + l] * w[j + l];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

#endif
