/* rows.c -- inner products of records with a vector, <x_i, w>, and weighted sums of records, sum_i c_i x_i, for every
 * storage format. Chooses the kernel (rows_kernels.h) for the format and the processor; what the functions promise is
 * in rows.h. */
#include "core/data/rows.h"

#include "core/data/moments.h"
#include "core/data/rows_kernels.h"

#include <string.h>

enum { BLOCK_DOUBLES = 512, DENSE_DOUBLES = 1024, ROWS_MIN = 8, GROUP = 8, WORD_BITS = 64 };

static const sp_rows_kernels *kernels(void)
{
    return sp_rows_kernels_of[sp_isa_in_use()];
}

static const sp_rows_tuning *tuning(void)
{
    return &sp_rows_tunings[sp_rows_maker_here()];
}

/* Doubles of memory that a row takes, about. */
static size_t row_size(const sp_dataset *data)
{
    const size_t rows = sp_dataset_rows(data);
    if (data->storage == SP_STORE_SPARSE)
        return (size_t)(data->start[rows] / rows * 3 / 2 + 1);
    return data->storage == SP_STORE_SIGNS ? data->words : data->storage == SP_STORE_ONE_HOT ? data->stride : data->d;
}

size_t sp_rows_per_block(const sp_dataset *data)
{
    const bool in_lines = data->storage == SP_STORE_DENSE || data->storage == SP_STORE_ONE_HOT;
    const size_t doubles = in_lines ? DENSE_DOUBLES : BLOCK_DOUBLES;
    const size_t rows = doubles / row_size(data) / GROUP * GROUP;
    return rows < ROWS_MIN ? ROWS_MIN : rows > SP_ROWS ? SP_ROWS : rows;
}

size_t sp_rows_buffer(const sp_dataset *data)
{
    return data->storage == SP_STORE_INDEXED ? sp_rows_per_block(data) * sp_dense_stride(data->d) : 0;
}

/* --- gathering ------------------------------------------------------------------------------------------------ */

static void gather_indexed(double *buffer, sp_row_block *block)
{
    const sp_dataset *data = block->data;
    const size_t d = data->d, stride = sp_dense_stride(d);
    for (size_t i = 0; i < block->count; i++) {
        double *x = buffer + i * stride;
        data->row_maker(data->row_context, block->index[i], d, x);
        memset(x + d, 0, (stride - d) * sizeof *x);
        block->row[i] = x;
    }
}

void sp_rows_gather(const sp_dataset *data, const uint32_t *index, size_t first, size_t count, double *buffer,
                    sp_row_block *block)
{
    block->data = data;
    block->count = count;
    block->in_line = !index;
    for (size_t i = 0; i < count; i++) {
        block->index[i] = index ? index[i] : (uint32_t)(first + i);
        block->row[i] = data->storage == SP_STORE_DENSE ? data->X + block->index[i] * data->stride : NULL;
    }
    if (data->storage == SP_STORE_INDEXED)
        gather_indexed(buffer, block);
}

void sp_rows_labels(const sp_row_block *block, double *restrict label, double *restrict norm)
{
    const sp_dataset *data = block->data;
    if (data->storage == SP_STORE_DENSE) {
        for (size_t i = 0; i < block->count; i++) {
            label[i] = block->row[i][data->d];
            norm[i] = block->row[i][data->d + 1];
        }
        return;
    }
    for (size_t i = 0; i < block->count && data->storage == SP_STORE_ONE_HOT; i++) {
        const double *behind = data->X + block->index[i] * data->stride + data->numeric;
        label[i] = behind[SP_HOT_LABEL];
        norm[i] = behind[SP_HOT_NORM];
    }
    for (size_t i = 0; i < block->count && data->storage != SP_STORE_ONE_HOT; i++) {
        label[i] = data->y ? data->y[block->index[i]] : 0.0;
        norm[i] = data->norm[block->index[i]];
    }
}

/* Where the one-hot rows of a block are */
static const double *const *hot_rows(const sp_row_block *block, const double **row)
{
    for (size_t i = 0; i < block->count; i++)
        row[i] = block->data->X + block->index[i] * block->data->stride;
    return row;
}

/* --- inner products ------------------------------------------------------------------------------------------- */

void sp_rows_dot(const sp_row_block *block, const double *w, double *restrict out)
{
    const sp_dataset *data = block->data;
    const double *row[SP_ROWS];
    if (data->storage == SP_STORE_SPARSE) {
        kernels()->dot_sparse(block->count, data->start, data->column, data->entry, block->index, w, out);
    } else if (data->storage == SP_STORE_ONE_HOT) {
        kernels()->dot_hot(data, block->count, hot_rows(block, row), w, out);
    } else if (data->storage == SP_STORE_SIGNS) {
        kernels()->dot_signs(data->d, block->count, data->sign, data->words, block->index, w, out);
        for (size_t i = 0; i < block->count; i++)
            out[i] *= data->unit;
    } else {
        kernels()->dot(data->d, block->count, block->row, w, out);
    }
}

/* --- sums ----------------------------------------------------------------------------------------------------- */

void sp_rows_add(const sp_row_block *block, const double *scale, double *restrict sum)
{
    const sp_dataset *data = block->data;
    const double *row[SP_ROWS];
    double scaled[SP_ROWS];
    if (data->storage == SP_STORE_SPARSE) {
        kernels()->add_sparse(block->count, data->start, data->column, data->entry, block->index, block->in_line, scale,
                              sum);
    } else if (data->storage == SP_STORE_ONE_HOT) {
        kernels()->add_hot(data, block->count, hot_rows(block, row), scale, sum);
    } else if (data->storage == SP_STORE_SIGNS) {
        for (size_t i = 0; i < block->count; i++)
            scaled[i] = scale[i] * data->unit;
        kernels()->add_signs(data->d, block->count, data->sign, data->words, block->index, scaled, sum);
    } else {
        kernels()->add(data->d, block->count, block->row, scale, sum);
    }
}

/* --- passes --------------------------------------------------------------------------------------------------- */

void sp_rows_pass(const sp_dataset *data, const uint32_t *index, size_t count, size_t asks, const sp_rows_ask *ask,
                  sp_rows_weigh *weigh, double *buffer)
{
    if (data->storage == SP_STORE_DENSE || data->storage == SP_STORE_ONE_HOT) {
        kernels()->pass(tuning(), data, index, count, asks, ask, weigh);
        return;
    }
    const size_t block_rows = sp_rows_per_block(data), most = block_rows < SP_PASS_ROWS ? block_rows : SP_PASS_ROWS;
    double margin[SP_TERMS_MAX][SP_PASS_ROWS], label[SP_PASS_ROWS], norm[SP_PASS_ROWS], scale[SP_PASS_ROWS];
    sp_margins seen = { 0, 0, margin, label, norm };
    sp_row_block block;
    for (; seen.first < count; seen.first += seen.count) {
        seen.count = count - seen.first < most ? count - seen.first : most;
        sp_rows_gather(data, index ? index + seen.first : NULL, seen.first, seen.count, buffer, &block);
        for (size_t a = 0; a < asks; a++) {
            for (size_t k = 0; k < ask[a].points; k++)
                sp_rows_dot(&block, ask[a].point[k], margin[k]);
            if (a == 0)
                sp_rows_labels(&block, label, norm);
            weigh(ask[a].context, &seen, scale);
            if (ask[a].sum)
                sp_rows_add(&block, scale, ask[a].sum);
        }
    }
}

/* --- one row ------------------------------------------------------------------------------------------------ */

/* out[d] = factor times a packed record */
static void expand_signs(const sp_dataset *data, size_t k, double factor, double *restrict out)
{
    const uint64_t *sign = data->sign + k * data->words;
    for (size_t j = 0; j < data->d; j++)
        out[j] = sign[j / WORD_BITS] >> j % WORD_BITS & 1 ? factor * data->unit : factor * -data->unit;
}

static void expand_hot(const sp_dataset *data, size_t k, double factor, double *restrict out)
{
    const double *x = data->X + k * data->stride;
    const uint16_t *list = sp_hot_list(data, x);
    memset(out, 0, data->d * sizeof *out);
    for (size_t j = 0; j < data->numeric; j++)
        out[data->column[j]] = factor * x[j];
    for (size_t j = 1; j <= list[0]; j++)
        out[list[j]] = factor * x[data->numeric + SP_HOT_VALUE];
}

/* out = factor x of a sparse, one-hot or packed record */
static void expand(const sp_dataset *data, size_t k, double factor, double *restrict out)
{
    if (data->storage == SP_STORE_SIGNS) {
        expand_signs(data, k, factor, out);
        return;
    }
    if (data->storage == SP_STORE_ONE_HOT) {
        expand_hot(data, k, factor, out);
        return;
    }
    memset(out, 0, data->d * sizeof *out);
    for (uint64_t e = data->start[k]; e < data->start[k + 1]; e++)
        out[data->column[e]] = factor * data->entry[e];
}

void sp_rows_copy(const sp_row_block *block, size_t i, double factor, double *restrict out)
{
    const double *x = block->row[i];
    if (!x)
        expand(block->data, block->index[i], factor, out);
    for (size_t j = 0; x && j < block->data->d; j++)
        out[j] = factor * x[j];
}

void sp_row_of(const sp_dataset *data, size_t i, double *restrict out)
{
    if (data->storage == SP_STORE_INDEXED)
        data->row_maker(data->row_context, i, data->d, out);
    else if (data->storage == SP_STORE_DENSE)
        memcpy(out, data->X + i * data->stride, data->d * sizeof *out);
    else
        expand(data, i, 1.0, out);
}

/* --- squares -------------------------------------------------------------------------------------------------- */

/* Rows of H from those of so many entries at a time: the entries behind them are read once for all. */
enum { TOGETHER = 4 };

static inline void square_entries(size_t rows, size_t d, size_t count, const uint32_t *column, const double *entry,
                                  double scale, double *restrict H)
{
    double *h[TOGETHER], b[TOGETHER];
    for (size_t r = 0; r < rows; r++) {
        h[r] = H + column[r] * d;
        b[r] = scale * entry[r];
        for (size_t f = 0; f <= r; f++)
            h[f][column[r]] += b[f] * entry[r];
    }
    for (size_t f = rows; f < count; f++)
        for (size_t r = 0; r < rows; r++)
            h[r][column[f]] += b[r] * entry[f];
}

static void square_sparse(const sp_dataset *data, size_t k, double scale, double *restrict H)
{
    const size_t count = data->start[k + 1] - data->start[k];
    const uint32_t *column = data->column + data->start[k];
    const double *entry = data->entry + data->start[k];
    size_t e = 0;
    for (; e + TOGETHER <= count; e += TOGETHER)
        square_entries(TOGETHER, data->d, count - e, column + e, entry + e, scale, H);
    for (; e < count; e++)
        square_entries(1, data->d, count - e, column + e, entry + e, scale, H);
}

size_t sp_rows_packing(const sp_dataset *data, size_t rows)
{
    const size_t hot = data->storage == SP_STORE_ONE_HOT ? sp_hot_packing(data->d, data->numeric, rows) : 0;
    const size_t dense = rows * (sp_dense_stride(data->d) + SP_SQUARE_ROOM);
    return hot > dense ? hot : dense;
}

void sp_rows_square(const sp_row_block *block, const double *scale, double *packed, double *restrict H)
{
    const sp_dataset *data = block->data;
    const size_t count = block->count, d = data->d, stride = sp_dense_stride(d);
    const bool follows = block->in_line && data->storage == SP_STORE_DENSE;
    const double *expanded[SP_ROWS];
    if (data->storage == SP_STORE_ONE_HOT) {
        hot_rows(block, expanded);
        kernels()->square_hot(data, count, expanded, scale, block->in_line ? expanded[0] + tuning()->far : NULL, packed,
                              H);
        return;
    }
    if (data->storage == SP_STORE_SPARSE) {
        for (size_t i = 0; i < count; i++)
            square_sparse(data, block->index[i], scale[i], H);
        return;
    }
    for (size_t i = 0; i < count && data->storage == SP_STORE_SIGNS; i++) {
        double *x = packed + count * SP_SQUARE_ROOM + i * stride;
        expand_signs(data, block->index[i], 1.0, x);
        memset(x + d, 0, (stride - d) * sizeof *x);
        expanded[i] = x;
    }
    kernels()->square(d, count, data->storage == SP_STORE_SIGNS ? expanded : block->row, scale,
                      follows ? block->row[count - 1] + stride : NULL, stride, packed, H);
}
