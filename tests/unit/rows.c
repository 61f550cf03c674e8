/* rows.c -- the kernels of every storage against their definitions, in widths around the size of a word, a nibble and a
 * lane; and the promise that a row's numbers do not depend on the rows beside it. */
#include "core/base/stream.h"
#include "core/data/rows.h"
#include "tests/storages.h"

#include <gsl/gsl_randist.h>

enum { N = 37 };

typedef enum { FULL, HOLES, SIGNS } pattern; /* Gaussian; two thirds of it 0; +-unit */

static double *matrix(pattern p, size_t d, double unit, gsl_rng *stream)
{
    double *X = sp_alloc_doubles(N * d);
    for (size_t k = 0; k < N * d; k++) {
        X[k] = p == SIGNS ? (gsl_rng_uniform(stream) < 0.385 ? unit : -unit) : gsl_ran_gaussian(stream, 1.0);
        if (p == HOLES && gsl_rng_uniform(stream) < 2.0 / 3.0)
            X[k] = 0.0;
    }
    for (size_t j = 0; p == HOLES && j < d; j++)
        X[5 * d + j] = 0.0; /* an empty row */
    return X;
}

/* The block's rows are index[0 .. count-1] of X. */
static void check_block(const sp_row_block *block, const double *X, size_t d, const double *w, const double *scale)
{
    double dot[SP_ROWS], *sum = sp_alloc_doubles(2 * d), *row = sum + d;
    const double before = 0.731;
    for (size_t j = 0; j < d; j++)
        sum[j] = before;
    sp_rows_dot(block, w, dot);
    sp_rows_add(block, scale, sum);
    for (size_t i = 0; i < block->count; i++) {
        const double *x = X + block->index[i] * d;
        long double expected = 0.0L, size = 0.0L;
        for (size_t j = 0; j < d; j++) {
            expected += (long double)x[j] * w[j];
            size += fabsl((long double)x[j] * w[j]);
        }
        CHECK_NEAR(dot[i], (double)expected, 1e-15 * (double)(2.0L + size));
        sp_rows_copy(block, i, -1.31, row);
        for (size_t j = 0; j < d; j++)
            CHECK(row[j] == -1.31 * x[j]);
        sp_row_of(block->data, block->index[i], row);
        CHECK(memcmp(row, x, d * sizeof *x) == 0);
    }
    for (size_t j = 0; j < d; j++) {
        long double expected = before;
        for (size_t i = 0; i < block->count; i++)
            expected += (long double)scale[i] * X[block->index[i] * d + j];
        CHECK_NEAR(sum[j], (double)expected, 1e-13);
    }
    free(sum);
}

/* H += sum_i scale_i x_i x_i' on and above the diagonal, nothing below it. */
static void check_square(const sp_row_block *block, const double *X, size_t d, const double *scale)
{
    double *H = sp_alloc(d, d * sizeof *H), *packed = sp_alloc(block->count, d * sizeof *packed);
    for (size_t k = 0; k < d * d; k++)
        H[k] = 0.731;
    sp_rows_square(block, scale, packed, H);
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) {
            long double expected = 0.731L;
            for (size_t i = 0; i < block->count && k >= j; i++)
                expected += (long double)scale[i] * X[block->index[i] * d + j] * X[block->index[i] * d + k];
            CHECK_NEAR(H[j * d + k], (double)expected, 1e-13);
        }
    free(packed);
    free(H);
}

/* One row at a time gives the same bits as the block, in the inner products and in the sum. */
static void check_alone(const sp_row_block *block, const double *w, const double *scale, double *buffer)
{
    const sp_dataset *data = block->data;
    double together[SP_ROWS], *sum = sp_alloc_doubles(2 * data->d), *other = sum + data->d;
    sp_row_block one;
    sp_rows_dot(block, w, together);
    sp_rows_add(block, scale, sum);
    for (size_t i = 0; i < block->count; i++) {
        double alone;
        const uint32_t index = block->index[i];
        sp_rows_gather(data, &index, 0, 1, buffer, &one);
        sp_rows_dot(&one, w, &alone);
        CHECK(memcmp(&alone, &together[i], sizeof alone) == 0);
        sp_rows_add(&one, &scale[i], other);
    }
    CHECK(memcmp(sum, other, data->d * sizeof *sum) == 0);
    free(sum);
}

static void check_storage(const records *r, sp_storage storage, const double *w, const double *scale)
{
    sp_dataset data;
    sp_row_block block;
    if (!records_stored(r, storage, &data))
        return;
    const size_t most = sp_rows_per_block(&data);
    CHECK(most >= 8 && most <= SP_ROWS);
    CHECK_EQUAL(sp_rows_buffer(&data), storage == SP_STORE_INDEXED ? most * r->d : 0);
    double *buffer = sp_alloc_doubles(sp_rows_buffer(&data));
    double *alone = sp_alloc_doubles(sp_rows_buffer(&data)); /* the block still stands in the other */
    const size_t count = most < 19 ? most : 19; /* not a multiple of four */
    uint32_t index[19];
    for (size_t i = 0; i < count; i++)
        index[i] = (uint32_t)(11 * i % N);
    index[1] = index[0]; /* a record may come twice */
    sp_rows_gather(&data, index, 0, count, buffer, &block);
    CHECK_EQUAL(block.count, count);
    CHECK(block.data == &data && memcmp(block.index, index, count * sizeof *index) == 0);
    check_block(&block, r->X, r->d, w, scale);
    if (r->d <= 64)
        check_square(&block, r->X, r->d, scale);
    check_alone(&block, w, scale, alone);
    sp_rows_gather(&data, NULL, N - 7, 7, buffer, &block);
    CHECK(block.index[0] == N - 7 && block.index[6] == N - 1);
    check_block(&block, r->X, r->d, w, scale);
    sp_dataset_free(&data);
    free(buffer);
    free(alone);
}

int main(void)
{
    static const size_t widths[] = { 1, 3, 4, 5, 7, 8, 9, 12, 31, 63, 64, 65, 68, 127, 129, 200, 2500 };
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "rows", 0, SP_STREAM_DATA));
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (int p = FULL; p <= SIGNS; p++) {
            const size_t d = widths[k];
            const double unit = 0.731;
            double *X = matrix((pattern)p, d, unit, stream), *w = sp_alloc_doubles(d), scale[SP_ROWS];
            for (size_t j = 0; j < d; j++)
                w[j] = gsl_ran_gaussian(stream, 1.0);
            for (size_t i = 0; i < SP_ROWS; i++)
                scale[i] = gsl_ran_gaussian(stream, 1.0);
            const records r = { .n = N, .d = d, .X = X, .unit = p == SIGNS ? unit : 0.0, .radius = 1e3 };
            for (int storage = 0; storage < STORAGES; storage++)
                if (records_fit(&r, (sp_storage)storage))
                    check_storage(&r, (sp_storage)storage, w, scale);
            free(w);
            free(X);
        }
    gsl_rng_free(stream);
    return sp_check_done();
}
