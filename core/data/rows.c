/* rows.c -- inner products with rows and sums of rows, one kernel for each way they are stored.
 *
 * Packed signs are looked up four at a time in a table of 16 x 4 doubles +-1: <x, w> = unit sum_j (+-1) w_j costs what
 * a dense row in the first-level cache costs, and 64 features are one word of memory.
 *
 * sum_i b_i x_i x_i' takes sqrt|b_i| x_i, b_i >= 0 packed from the front and b_i < 0 from the back, and two rank-k
 * updates; a sparse row adds the products of its own entries.
 */
#include "core/data/rows.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <string.h>

enum { BLOCK_DOUBLES = 16384, ROWS_MIN = 8, WORD_BITS = 64 };

/* Signs of the four bits of a nibble, the lowest first. */
static const double nibble[16][4] = {
    { -1, -1, -1, -1 }, { 1, -1, -1, -1 }, { -1, 1, -1, -1 }, { 1, 1, -1, -1 },
    { -1, -1, 1, -1 },  { 1, -1, 1, -1 },  { -1, 1, 1, -1 },  { 1, 1, 1, -1 },
    { -1, -1, -1, 1 },  { 1, -1, -1, 1 },  { -1, 1, -1, 1 },  { 1, 1, -1, 1 },
    { -1, -1, 1, 1 },   { 1, -1, 1, 1 },   { -1, 1, 1, 1 },   { 1, 1, 1, 1 },
};

/* Signs of features j .. j + 3, j a multiple of 4. */
static inline const double *signs_at(const uint64_t *sign, size_t j)
{
    return nibble[sign[j / WORD_BITS] >> j % WORD_BITS & 15];
}

size_t sp_rows_per_block(const sp_dataset *data)
{
    const size_t size = data->storage == SP_STORE_SPARSE ? 1 : data->storage == SP_STORE_SIGNS ? data->words : data->d;
    const size_t rows = BLOCK_DOUBLES / size;
    return rows < ROWS_MIN ? ROWS_MIN : rows > SP_ROWS ? SP_ROWS : rows;
}

size_t sp_rows_buffer(const sp_dataset *data)
{
    return data->storage == SP_STORE_INDEXED ? sp_rows_per_block(data) * data->d : 0;
}

void sp_rows_gather(const sp_dataset *data, const uint32_t *index, size_t first, size_t count, double *buffer,
                    sp_row_block *block)
{
    block->data = data;
    block->count = count;
    for (size_t i = 0; i < count; i++) {
        const size_t k = index ? index[i] : first + i;
        block->index[i] = (uint32_t)k;
        block->row[i] = NULL;
        if (data->storage == SP_STORE_DENSE) {
            block->row[i] = data->X + k * data->stride;
        } else if (data->storage == SP_STORE_INDEXED) {
            data->row_maker(data->row_context, k, data->d, buffer + i * data->d);
            block->row[i] = buffer + i * data->d;
        }
    }
}

/* --- inner products ----------------------------------------------------------------------------------------- */

static double dot_sparse(const sp_dataset *data, size_t k, const double *restrict w)
{
    double sum = 0.0;
    for (uint64_t e = data->start[k]; e < data->start[k + 1]; e++)
        sum += data->entry[e] * w[data->column[e]];
    return sum;
}

/* sp_dot of the signs */
static double dot_signs(size_t d, const uint64_t *sign, const double *restrict w)
{
    double lane[8] = { 0.0 };
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        const double *low = signs_at(sign, j), *high = signs_at(sign, j + 4);
        for (size_t l = 0; l < 4; l++) {
            lane[l] += low[l] * w[j + l];
            lane[4 + l] += high[l] * w[j + 4 + l];
        }
    }
    for (size_t l = 0; j + l < d; l++)
        lane[l] += signs_at(sign, j + l / 4 * 4)[l % 4] * w[j + l];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

void sp_rows_dot(const sp_row_block *block, const double *w, double *restrict out)
{
    const sp_dataset *data = block->data;
    for (size_t i = 0; i < block->count; i++) {
        const size_t k = block->index[i];
        if (data->storage == SP_STORE_SPARSE)
            out[i] = dot_sparse(data, k, w);
        else if (data->storage == SP_STORE_SIGNS)
            out[i] = data->unit * dot_signs(data->d, data->sign + k * data->words, w);
        else
            out[i] = sp_dot(data->d, block->row[i], w);
    }
}

/* --- sums: four rows at a time only spare loads and stores of the sum --------------------------------------- */

static void add_dense(size_t d, size_t count, const double *const *row, const double *scale, double *restrict sum)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const double *a = row[i], *b = row[i + 1], *c = row[i + 2], *e = row[i + 3];
        const double p = scale[i], q = scale[i + 1], r = scale[i + 2], t = scale[i + 3];
        for (size_t j = 0; j < d; j++)
            sum[j] = (((sum[j] + p * a[j]) + q * b[j]) + r * c[j]) + t * e[j];
    }
    for (; i < count; i++)
        for (size_t j = 0; j < d; j++)
            sum[j] += scale[i] * row[i][j];
}

static void add_sparse(const sp_dataset *data, size_t k, double scale, double *restrict sum)
{
    for (uint64_t e = data->start[k]; e < data->start[k + 1]; e++)
        sum[data->column[e]] += scale * data->entry[e];
}

static void add_signs(const sp_row_block *block, const double *scale, double *restrict sum)
{
    const sp_dataset *data = block->data;
    const size_t d = data->d;
    size_t i = 0;
    for (; i + 4 <= block->count; i += 4) {
        const uint64_t *sign[4];
        double s[4];
        for (size_t k = 0; k < 4; k++) {
            sign[k] = data->sign + block->index[i + k] * data->words;
            s[k] = scale[i + k] * data->unit;
        }
        for (size_t j = 0; j < d; j += 4) {
            const double *a = signs_at(sign[0], j), *b = signs_at(sign[1], j);
            const double *c = signs_at(sign[2], j), *e = signs_at(sign[3], j);
            for (size_t l = 0; l < 4 && j + l < d; l++)
                sum[j + l] = (((sum[j + l] + s[0] * a[l]) + s[1] * b[l]) + s[2] * c[l]) + s[3] * e[l];
        }
    }
    for (; i < block->count; i++) {
        const uint64_t *sign = data->sign + block->index[i] * data->words;
        const double s = scale[i] * data->unit;
        for (size_t j = 0; j < d; j++)
            sum[j] += s * signs_at(sign, j / 4 * 4)[j % 4];
    }
}

void sp_rows_add(const sp_row_block *block, const double *scale, double *restrict sum)
{
    const sp_dataset *data = block->data;
    if (data->storage == SP_STORE_SIGNS)
        add_signs(block, scale, sum);
    else if (data->storage == SP_STORE_SPARSE)
        for (size_t i = 0; i < block->count; i++)
            add_sparse(data, block->index[i], scale[i], sum);
    else
        add_dense(data->d, block->count, block->row, scale, sum);
}

/* --- one row ------------------------------------------------------------------------------------------------ */

/* out = factor x of a sparse or packed record */
static void expand(const sp_dataset *data, size_t k, double factor, double *restrict out)
{
    if (data->storage == SP_STORE_SPARSE) {
        memset(out, 0, data->d * sizeof *out);
        add_sparse(data, k, factor, out);
        return;
    }
    const uint64_t *sign = data->sign + k * data->words;
    for (size_t j = 0; j < data->d; j++)
        out[j] = sign[j / WORD_BITS] >> j % WORD_BITS & 1 ? factor * data->unit : factor * -data->unit;
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

/* --- squares ------------------------------------------------------------------------------------------------ */

static void square_sparse(const sp_dataset *data, size_t k, double scale, double *restrict H)
{
    for (uint64_t e = data->start[k]; e < data->start[k + 1]; e++)
        for (uint64_t f = e; f < data->start[k + 1]; f++)
            H[data->column[e] * data->d + data->column[f]] += scale * data->entry[e] * data->entry[f];
}

void sp_rows_square(const sp_row_block *block, const double *scale, double *packed, double *restrict H)
{
    const size_t d = block->data->d, count = block->count;
    size_t front = 0, back = count;
    for (size_t i = 0; i < count; i++)
        if (block->data->storage == SP_STORE_SPARSE)
            square_sparse(block->data, block->index[i], scale[i], H);
        else
            sp_rows_copy(block, i, sqrt(fabs(scale[i])), packed + (scale[i] < 0.0 ? --back : front++) * d);
    if (block->data->storage == SP_STORE_SPARSE)
        return;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)front, 1.0, packed, (int)d, 1.0, H, (int)d);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)(count - back), -1.0, packed + back * d, (int)d,
                1.0, H, (int)d);
}
