/* rows.c -- inner products with rows and sums of rows, for each way they are stored: which arithmetic of
 * rows_body.h serves it. */
#include "core/data/rows.h"

#include "core/data/rows_kernels.h"

#include <string.h>

/* Rows in line are fetched by the hardware, which does so the better the shorter the halts between the inner products
 * of two blocks (and worse when told what to fetch); listed ones are fetched LIST_DOUBLES ahead. */
enum { BLOCK_DOUBLES = 512, DENSE_DOUBLES = 1024, ROWS_MIN = 8, GROUP = 8, WORD_BITS = 64, LIST_DOUBLES = 1024 };

static const sp_rows_kernels *kernels(void)
{
    return sp_rows_kernels_of[sp_isa_in_use()];
}

/* Doubles of memory that a row takes, about. */
static size_t row_size(const sp_dataset *data)
{
    if (data->storage == SP_STORE_SPARSE)
        return (size_t)(data->start[data->n] / data->n * 3 / 2 + 1);
    return data->storage == SP_STORE_SIGNS ? data->words : data->d;
}

size_t sp_rows_per_block(const sp_dataset *data)
{
    const size_t doubles = data->storage == SP_STORE_DENSE ? DENSE_DOUBLES : BLOCK_DOUBLES;
    const size_t rows = doubles / row_size(data) / GROUP * GROUP;
    return rows < ROWS_MIN ? ROWS_MIN : rows > SP_ROWS ? SP_ROWS : rows;
}

size_t sp_rows_buffer(const sp_dataset *data)
{
    return data->storage == SP_STORE_INDEXED ? sp_rows_per_block(data) * sp_dense_stride(data->d) : 0;
}

/* --- gathering ------------------------------------------------------------------------------------------------ */

static void gather_dense(const uint32_t *index, size_t first, size_t left, sp_row_block *block)
{
    const size_t stride = block->data->stride, count = block->count;
    const double *X = block->data->X;
    for (size_t i = 0; i < count && !index; i++)
        block->row[i] = X + (first + i) * stride;
    if (!index)
        return;
    const size_t far = LIST_DOUBLES / stride + 1;
    block->ahead = far < SP_AHEAD ? far : SP_AHEAD;
    for (size_t i = 0; i < count + block->ahead; i++)
        block->row[i] = X + index[i < count + left ? i : count - 1] * stride;
}

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

void sp_rows_gather(const sp_dataset *data, const uint32_t *index, size_t first, size_t count, size_t left,
                    double *buffer, sp_row_block *block)
{
    block->data = data;
    block->count = count;
    block->ahead = 0;
    for (size_t i = 0; i < count && !index; i++)
        block->index[i] = (uint32_t)(first + i);
    if (index)
        memcpy(block->index, index, count * sizeof *index);
    if (data->storage == SP_STORE_DENSE)
        gather_dense(index, first, left, block);
    else if (data->storage == SP_STORE_INDEXED)
        gather_indexed(buffer, block);
    else
        memset(block->row, 0, count * sizeof *block->row);
}

void sp_rows_labels(const sp_row_block *block, double *restrict label, double *restrict norm)
{
    const sp_dataset *data = block->data;
    if (data->tagged) {
        for (size_t i = 0; i < block->count; i++) {
            label[i] = block->row[i][data->d];
            norm[i] = block->row[i][data->d + 1];
        }
        return;
    }
    for (size_t i = 0; i < block->count; i++) {
        label[i] = data->y ? data->y[block->index[i]] : 0.0;
        norm[i] = data->norm[block->index[i]];
    }
}

/* --- inner products ------------------------------------------------------------------------------------------- */

void sp_rows_dot(sp_row_block *block, const double *w, double *restrict out)
{
    const sp_dataset *data = block->data;
    if (data->storage == SP_STORE_SPARSE) {
        kernels()->dot_sparse(block->count, data->start, data->column, data->entry, block->index, w, out);
    } else if (data->storage == SP_STORE_SIGNS) {
        kernels()->dot_signs(data->d, block->count, data->sign, data->words, block->index, w, out);
        for (size_t i = 0; i < block->count; i++)
            out[i] *= data->unit;
    } else {
        kernels()->dot(data->d, block->count, block->row, block->ahead ? block->row + block->ahead : NULL, w, out);
        block->ahead = 0;
    }
}

/* --- sums ----------------------------------------------------------------------------------------------------- */

void sp_rows_add(const sp_row_block *block, const double *scale, double *restrict sum)
{
    const sp_dataset *data = block->data;
    double scaled[SP_ROWS];
    if (data->storage == SP_STORE_SPARSE) {
        kernels()->add_sparse(block->count, data->start, data->column, data->entry, block->index, scale, sum);
    } else if (data->storage == SP_STORE_SIGNS) {
        for (size_t i = 0; i < block->count; i++)
            scaled[i] = scale[i] * data->unit;
        kernels()->add_signs(data->d, block->count, data->sign, data->words, block->index, scaled, sum);
    } else {
        kernels()->add(data->d, block->count, block->row, scale, sum);
    }
}

/* --- one row ------------------------------------------------------------------------------------------------ */

/* out[0 .. count-1] = factor times the features from j on of a packed record */
static void expand_signs(const sp_dataset *data, size_t k, double factor, size_t j, size_t count, double *restrict out)
{
    const uint64_t *sign = data->sign + k * data->words;
    for (size_t l = 0; l < count; l++, j++)
        out[l] = sign[j / WORD_BITS] >> j % WORD_BITS & 1 ? factor * data->unit : factor * -data->unit;
}

/* out = factor x of a sparse or packed record */
static void expand(const sp_dataset *data, size_t k, double factor, double *restrict out)
{
    if (data->storage == SP_STORE_SIGNS) {
        expand_signs(data, k, factor, 0, data->d, out);
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

static void square_sparse(const sp_dataset *data, size_t k, double scale, double *restrict H)
{
    for (uint64_t e = data->start[k]; e < data->start[k + 1]; e++)
        for (uint64_t f = e; f < data->start[k + 1]; f++)
            H[data->column[e] * data->d + data->column[f]] += scale * data->entry[e] * data->entry[f];
}

size_t sp_rows_packing(size_t d, size_t rows)
{
    return rows * (sp_dense_stride(d) + SP_LANES);
}

/* Row i of the block into its place in the panels. */
static void pack(const sp_row_block *block, size_t i, double *packed)
{
    const size_t d = block->data->d;
    double x[SP_LANES] = { 0.0 };
    for (size_t j = 0; j < d; j += SP_LANES) {
        const size_t here = d - j < SP_LANES ? d - j : SP_LANES;
        if (block->row[i])
            memcpy(x, block->row[i] + j, sizeof x);
        else
            expand_signs(block->data, block->index[i], 1.0, j, here, x);
        memcpy(packed + j * block->count + i * SP_LANES, x, sizeof x);
    }
}

void sp_rows_square(const sp_row_block *block, const double *scale, double *packed, double *restrict H)
{
    const sp_dataset *data = block->data;
    const size_t count = block->count;
    if (data->storage == SP_STORE_SPARSE) {
        for (size_t i = 0; i < count; i++)
            square_sparse(data, block->index[i], scale[i], H);
        return;
    }
    for (size_t i = 0; i < count; i++)
        pack(block, i, packed);
    kernels()->square(data->d, count, packed, scale, packed + count * sp_dense_stride(data->d), H);
}
