/* rows_square.h -- weighted sums of x x' over dense and one-hot rows, for Hessians. */
#ifndef SP_DATA_ROWS_SQUARE_H
#define SP_DATA_ROWS_SQUARE_H

#include "core/data/rows_dense.h"

/* --- squares -------------------------------------------------------------------------------------------------- */

/* Eights of columns of a tile: with so many its sums fill the registers. */
enum { WIDE = WIDTH == SP_LANES ? SP_SQUARE_ROOM / SP_LANES : 1 };

/* WIDTH features from j on by `eights` eights of scaled. */
INLINE void tile(size_t eights, size_t count, const double *const *row, size_t j, const double *scaled,
                 double *restrict out)
{
    vec sum[WIDTH][WIDE * PARTS];
    memset(sum, 0, sizeof sum);
    for (size_t i = 0; i < count; i++, scaled += WIDE * SP_LANES) {
        const double *x = row[i] + j;
        for (size_t l = 0; l < WIDTH; l++)
            for (size_t v = 0; v < eights * PARTS; v++)
                sum[l][v] = mul_add(spread(x[l]), FROM(scaled + WIDTH * v), sum[l][v]);
    }
    memcpy(out, sum, sizeof sum);
}

/* Rows from j on and columns from k on of H += an eight of a tile */
INLINE void add_tile(size_t d, size_t j, size_t k, const double *out, double *restrict H)
{
    const size_t columns = d - k < SP_LANES ? d - k : SP_LANES;
    for (size_t r = 0; r < WIDTH && j + r < k + columns; r++, out += WIDE * SP_LANES) {
        double *h = H + (j + r) * d + k;
        for (EACH_PART(p))
            if (j < k && columns == SP_LANES)
                AT(h + WIDTH * p) += FROM(out + WIDTH * p);
        for (size_t l = j < k ? 0 : j + r - k; (j >= k || columns < SP_LANES) && l < columns; l++)
            h[l] += out[l];
    }
}

KERNEL void square(size_t d, size_t count, const double *const *row, const double *scale, const double *fetch,
                   size_t stride, double *restrict scaled, double *restrict H)
{
    for (size_t k = 0; k < d; k += WIDE * SP_LANES) {
        const size_t wide = d - k > SP_LANES ? WIDE : 1, end = k + wide * SP_LANES;
        for (size_t i = 0; i < count; i++) {
            for (size_t v = 0; v < wide; v++) {
                if (fetch)
                    __builtin_prefetch(fetch + i * stride + k + v * SP_LANES, 0, NEAR);
                for (EACH_PART(p))
                    AT(scaled + (i * WIDE + v) * SP_LANES + WIDTH * p) =
                        scale[i] * FROM(row[i] + k + v * SP_LANES + WIDTH * p);
            }
        }
        for (size_t j = 0; j < d && j < end; j += WIDTH) {
            const size_t below = j < k + SP_LANES ? 0 : SP_LANES; /* columns that are below the diagonal */
            double out[WIDTH * WIDE * SP_LANES];
            if (WIDE > 1 && wide > 1 && below == 0)
                tile(WIDE, count, row, j, scaled, out);
            else
                tile(1, count, row, j, scaled + below, out);
            for (size_t at = k + below; at < d && at < end; at += SP_LANES)
                add_tile(d, j, at, out + (at - k - below), H);
        }
    }
}

/* Two listed features of a row, four rows of H at a time */
INLINE void square_list(size_t rows, size_t d, size_t count, const uint16_t *list, double b, double value,
                        double *restrict H)
{
    double *h[LISTS];
    for (size_t r = 0; r < rows; r++) {
        h[r] = H + list[r] * d;
        for (size_t f = 0; f <= r; f++)
            h[f][list[r]] = fma(b, value, h[f][list[r]]);
    }
    for (size_t f = rows; f < count; f++)
        for (size_t r = 0; r < rows; r++)
            h[r][list[f]] = fma(b, value, h[r][list[f]]);
}

/* The numeric features of the rows, copied; for each listed one, what it meets of them, in product[]. */
INLINE void square_numbers(size_t eights, const sp_dataset *data, size_t count, const double *const *row,
                           const double *scale, const double *fetch, double *restrict copy,
                           double *restrict product)
{
    for (size_t i = 0; i < count; i++) {
        const uint16_t *list = sp_hot_list(data, row[i]);
        const vec b = spread(scale[i] * row[i][data->numeric + SP_HOT_VALUE]);
        vec x[SHORT * SP_LANES / WIDTH];
        if (fetch)
            prefetch_row(0, eights, data, fetch + i * data->stride, false);
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            AT(copy + i * eights * SP_LANES + v * WIDTH) = x[v] = load_features(eights, data, row[i], v * WIDTH);
        for (size_t k = 1; k <= list[0]; k++)
            for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++) {
                double *p = product + list[k] * eights * SP_LANES + v * WIDTH;
                AT(p) = mul_add(x[v], b, FROM(p));
            }
    }
}

KERNEL void square_hot(const sp_dataset *data, size_t count, const double *const *row, const double *scale,
                       const double *fetch, double *restrict packed, double *restrict H)
{
    const size_t d = data->d, c = data->numeric, eights = (c + SP_LANES - 1) / SP_LANES, whole = eights * SP_LANES;
    double *copy = packed, *scaled = copy + count * whole, *product = scaled + count * SP_SQUARE_ROOM;
    double *own = product + d * whole;
    const double *copied[SP_ROWS] = { NULL };
    memset(product, 0, (d * whole + c * c) * sizeof *product);
    switch (eights) {
    case 1: square_numbers(1, data, count, row, scale, fetch, copy, product); break;
    case 2: square_numbers(2, data, count, row, scale, fetch, copy, product); break;
    default: square_numbers(eights, data, count, row, scale, fetch, copy, product);
    }
    for (size_t i = 0; i < count; i++)
        copied[i] = copy + i * whole;
    square(c, count, copied, scale, NULL, whole, scaled, own);
    for (size_t j = 0; j < c; j++) {
        const size_t at = data->column[j];
        for (size_t k = j; k < c; k++)
            H[at * d + data->column[k]] += own[j * c + k];
        for (size_t k = 0; k < d; k++)
            if (at < k)
                H[at * d + k] += product[k * whole + j];
            else
                H[k * d + at] += product[k * whole + j];
    }
    for (size_t i = 0; i < count; i++) {
        const uint16_t *list = sp_hot_list(data, row[i]) + 1;
        const double value = row[i][c + SP_HOT_VALUE], b = scale[i] * value;
        size_t k = 0;
        for (; k + LISTS <= list[-1]; k += LISTS)
            square_list(LISTS, d, list[-1] - k, list + k, b, value, H);
        for (; k < list[-1]; k++)
            square_list(1, d, list[-1] - k, list + k, b, value, H);
    }
}

#endif
