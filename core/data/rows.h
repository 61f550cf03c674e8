/* rows.h -- the features of a dataset, whatever its storage: what every pass over the data is made of.
 *
 * A pass takes blocks of at most SP_ROWS rows. sp_rows_gather makes the rows of a block available: dense ones are
 * pointed at, indexed ones made into the buffer, sparse and packed ones stay as they are stored. Nothing here
 * allocates. The order of summation depends on (d, storage, the row) alone, never on the block. */
#ifndef SP_DATA_ROWS_H
#define SP_DATA_ROWS_H

#include "core/data/dataset.h"

enum { SP_ROWS = 256 }; /* most rows a block */

typedef struct sp_row_block {
    const sp_dataset *data;
    size_t count;
    uint32_t index[SP_ROWS];      /* which records */
    const double *row[SP_ROWS];   /* dense and indexed: their features */
} sp_row_block;

/* Rows a block so that the block stays in the second-level cache (8 to SP_ROWS). */
size_t sp_rows_per_block(const sp_dataset *);
/* Doubles that `buffer` below needs: sp_rows_per_block x d for an indexed dataset, else 0. */
size_t sp_rows_buffer(const sp_dataset *);

/* The rows index[0 .. count-1] (index NULL: first, first + 1, ...) of the dataset; count <= sp_rows_per_block. They are
 * there until the buffer is used again. */
void sp_rows_gather(const sp_dataset *, const uint32_t *index, size_t first, size_t count, double *buffer,
                    sp_row_block *);
/* out[i] = <x_i, w> over the block. */
void sp_rows_dot(const sp_row_block *, const double *w, double *restrict out);
/* sum[d] += sum_i scale[i] x_i, in the order of the rows. */
void sp_rows_add(const sp_row_block *, const double *scale, double *restrict sum);
/* The upper triangle of H[d * d] += sum_i scale[i] x_i x_i'. packed: room for count x d; sparse rows leave it alone. */
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
