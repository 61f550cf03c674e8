/* rows_dense.h -- inner products with dense and one-hot rows and sums of them, for `eights` eights of features.
 *
 * Up to SHORT eights of features, w and the sum are padded with zeros to whole eights, and stay in registers if the
 * compiler knows their number. One-hot rows are stored as dense rows of their numeric features, and use the same code:
 * `hot` is their dataset, NULL for dense rows. The bytes behind the numeric features are no number, so they are masked.
 * `listed` is w or the sum without padding, for the listed features.
 *
 * Rows that come from memory are read one after the other and each from front to back: several at a time are faster in
 * the cache but confuse the hardware's prefetching. */
#ifndef SP_DATA_ROWS_DENSE_H
#define SP_DATA_ROWS_DENSE_H

#include "core/data/rows_lanes.h"
#include "core/data/rows_walk.h"

/* out[] = v[d], or for one-hot rows its numeric features, then zeros */
INLINE void pad(size_t eights, const sp_dataset *hot, size_t d, const double *v, double *restrict out)
{
    for (size_t j = 0; !hot && j < eights * SP_LANES; j += WIDTH)
        AT(out + j) = load_first(d < j ? 0 : d - j, v + j);
    if (hot && eights > 0)
        memset(out + (eights - 1) * SP_LANES, 0, SP_LANES * sizeof *out);
    for (size_t j = 0; hot && j < hot->numeric; j++)
        out[j] = v[hot->column[j]];
}

/* v[] = what pad() took from it */
INLINE void unpad(size_t eights, const sp_dataset *hot, size_t d, const double *padded, double *restrict v)
{
    for (size_t j = 0; hot && j < hot->numeric; j++)
        v[hot->column[j]] = padded[j];
    for (size_t j = 0; !hot && j < eights * SP_LANES; j += WIDTH)
        store_first(d < j ? 0 : d - j, FROM(padded + j), v + j);
}

/* WIDTH features of row x from feature j on */
INLINE vec load_features(size_t eights, const sp_dataset *hot, const double *x, size_t j)
{
    bits place;
    if (!hot || j + SP_LANES < eights * SP_LANES)
        return FROM(x + j);
    for (size_t l = 0; l < WIDTH; l++)
        place[l] = (int64_t)(j + l);
    return (vec)((bits)FROM(x + j) & (place < (int64_t)hot->numeric));
}

/* Row r: `step` doubles lie between rows in line; step 0: a list of rows */
INLINE const double *row_of(const double *const *row, size_t step, size_t r)
{
    return step ? row[0] + r * step : row[r];
}

/* Prefetches the row's eights from `first` on, and what a one-hot row stores behind them, to the second level of the
 * cache, or to the first. */
INLINE void prefetch_row(size_t first, size_t eights, const sp_dataset *hot, const double *x, bool nearest)
{
    const size_t end = eights * SP_LANES;
    for (size_t j = first * SP_LANES; j < end; j += SP_LANES)
        if (nearest)
            __builtin_prefetch(x + j, 0, NEAREST);
        else
            __builtin_prefetch(x + j, 0, NEAR);
    for (size_t j = end; hot && j < hot->stride; j += SP_LANES)
        if (nearest)
            __builtin_prefetch(x + j, 0, NEAREST);
        else
            __builtin_prefetch(x + j, 0, NEAR);
}

/* Eight rows' inner products with one point, or of dense rows with two: w[], then w[SHORT * SP_LANES + ...]; to
 * out[], then out[SP_PASS_ROWS + ...]. With each, as much of a row `near` doubles further on comes nearest; 0: none. */
INLINE void dot_eight(size_t eights, const sp_dataset *hot, size_t points, const double *const *row, size_t step,
                      size_t near, const double *w, const double *listed, double *restrict out)
{
    vec half[2][SP_LANES / 2];
#pragma GCC unroll 4
    for (size_t f = 0; f < SP_LANES / FEW; f++) {
        vec sum[2][FEW][PARTS];
        for (size_t m = 0; m < FEW; m++) {
            const double *x = row_of(row, step, row_among(f, m));
            vec part[2][PARTS] = { { { 0.0 } } };
            if (near)
                prefetch_row(0, eights, hot, x + near, true);
            for (size_t j = 0; j < eights * SP_LANES; j += SP_LANES)
                for (EACH_PART(p))
                    for (size_t k = 0; k < points; k++)
                        part[k][p] = mul_add(load_features(eights, hot, x, j + WIDTH * p),
                                             FROM(w + k * SHORT * SP_LANES + j + WIDTH * p), part[k][p]);
            for (size_t k = 0; k < points; k++)
                for (EACH_PART(p))
                    sum[k][m][p] = part[k][p];
        }
        for (size_t k = 0; k < points; k++)
            fold_few(sum[k], half[k] + f);
    }
    for (size_t k = 0; k < points; k++)
        fold_rest(half[k], out + k * SP_PASS_ROWS);
    if (!hot)
        return;
#pragma GCC unroll 8
    for (size_t r = 0; r < SP_LANES; r++) {
        const double *x = row_of(row, step, r);
        const uint16_t *list = sp_hot_list(hot, x);
        double total = 0.0;
        for (size_t k = 1, end = list[0]; k <= end; k++)
            total += listed[list[k]];
        out[r] = fma(x[hot->numeric + SP_HOT_VALUE], total, out[r]);
    }
}

INLINE void dot_eights(size_t eights, const sp_dataset *hot, size_t count, const double *const *row,
                       const double *w, const double *listed, double *restrict out)
{
    const double *last[SP_LANES];
    double of_last[SP_LANES];
    const size_t left = count % SP_LANES, most = count - left;
    for (size_t r = 0; left > 0 && r < SP_LANES; r++)
        last[r] = row[most + (r < left ? r : 0)];
    for (size_t i = 0; i < count; i += SP_LANES)
        dot_eight(eights, hot, 1, i < most ? row + i : last, 0, 0, w, listed, i < most ? out + i : of_last);
    if (left > 0)
        memcpy(out + most, of_last, left * sizeof *out);
}

INLINE void dot_long(size_t d, size_t count, const double *const *row, const double *w, double *restrict out)
{
    const size_t last = (d - 1) / SP_LANES * SP_LANES;
    double end[SP_LANES] = { 0.0 };
    memcpy(end, w + last, (d - last) * sizeof *end);
    for (size_t i = 0; i < count; i++) {
        const double *x = row[i];
        vec sum[SP_LANES / WIDTH] = { { 0.0 } };
        for (size_t j = 0; j < last; j += SP_LANES)
            for (EACH_PART(p))
                sum[p] = mul_add(FROM(x + j + WIDTH * p), FROM(w + j + WIDTH * p), sum[p]);
        for (EACH_PART(p))
            sum[p] = mul_add(FROM(x + last + WIDTH * p), FROM(end + WIDTH * p), sum[p]);
        out[i] = fold(sum);
    }
}

/* sum + the terms of some rows. With each, its like of `fetch` comes nearer, or what of a list's dense rows was not
 * asked for before; NULL: none. */
INLINE void add_eights(size_t eights, const sp_dataset *hot, size_t count, const double *const *row, size_t step,
                       const double *const *fetch, const double *scale, vec *sum, double *restrict listed)
{
    for (size_t i = 0; i < count; i++) {
        const double *x = row_of(row, step, i);
        if (fetch && (hot || step))
            prefetch_row(0, eights, hot, row_of(fetch, step, i), false);
        else if (fetch)
            prefetch_row(eights_before(eights), eights, NULL, fetch[i], eights <= LIST_NEAREST);
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            sum[v] = mul_add(spread(scale[i]), load_features(eights, hot, x, v * WIDTH), sum[v]);
    }
#pragma GCC unroll 8
    for (size_t i = 0; hot && i < count; i++) {
        const double *x = row_of(row, step, i);
        const uint16_t *list = sp_hot_list(hot, x);
        for (size_t k = 1, end = list[0]; k <= end; k++)
            listed[list[k]] = fma(scale[i], x[hot->numeric + SP_HOT_VALUE], listed[list[k]]);
    }
}

/* Of the walk's block inner products with w, and the sum of the one before, eight rows by eight: the sum's FMAs wait
 * for one another, and what folds the inner products goes between them. */
INLINE void both_eights(size_t eights, const sp_dataset *hot, const sp_walk *at, const double *w,
                        double *restrict out, double *restrict sum)
{
    const double *listed = at->now ? at->now->point[0] : NULL;
    double *listed_sum = at->due ? at->due->sum : NULL;
    const size_t dots = at->now ? whole(at->here->count) : 0, adds = at->added ? at->rows->count : 0;
    const size_t near = at->now == at->ask ? at->near : 0, step = hot || at->index ? 0 : at->data->stride;
    const bool fetch = sp_walk_fetches(at), ahead = !hot && at->index && at->now == at->ask;
    vec g[SHORT * SP_LANES / WIDTH];
    for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
        g[v] = FROM(sum + v * WIDTH);
    /* Most: whole eights of dense rows in line, with nothing left to be asked a row. */
    const size_t lined = !hot && step > 0 && near > 0 && dots > 0 ? at->here->count / SP_LANES * SP_LANES : 0;
    size_t i = 0;
    for (; i < lined && i + SP_LANES <= adds; i += SP_LANES) {
        dot_eight(eights, NULL, 1, at->here->row + i, step, near, w, NULL, out + i);
        add_eights(eights, NULL, SP_LANES, at->rows->row + i, step, fetch ? at->rows->later + i : NULL,
                   at->scale[0] + i, g, NULL);
    }
    for (; i < dots || i < adds; i += SP_LANES) {
        const double *const *row = at->rows->row + i, *const *later = fetch ? at->rows->later + i : NULL;
        if (i < dots)
            dot_eight(eights, hot, 1, at->here->row + i, i + SP_LANES <= at->here->count ? step : 0, near, w,
                      listed, out + i);
        for (size_t r = i; ahead && i < dots && r < i + SP_LANES; r++)
            prefetch_row(0, eights_before(eights), NULL, at->here->later[r], false);
        if (i + SP_LANES <= adds)
            add_eights(eights, hot, SP_LANES, row, step, later, at->scale[0] + i, g, listed_sum);
        else if (i < adds)
            add_eights(eights, hot, adds - i, row, step, later, at->scale[0] + i, g, listed_sum);
    }
    for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
        AT(sum + v * WIDTH) = g[v];
}

/* sum[j .. j + 7] + the terms of a few rows */
INLINE void add_group(size_t rows, const double *const *row, const double *const *fetch, const double *scale,
                      size_t j, double *restrict sum)
{
    for (size_t r = 0; fetch && r < rows; r++)
        __builtin_prefetch(fetch[r] + j, 0, NEAR);
    for (EACH_PART(p)) {
        vec g = FROM(sum + WIDTH * p);
        for (size_t r = 0; r < rows; r++)
            g = mul_add(spread(scale[r]), FROM(row[r] + j + WIDTH * p), g);
        AT(sum + WIDTH * p) = g;
    }
}

INLINE void add_rows(size_t rows, size_t d, const double *const *row, const double *const *fetch,
                     const double *scale, double *restrict sum)
{
    const size_t last = (d - 1) / SP_LANES * SP_LANES;
    double end[SP_LANES] = { 0.0 };
    memcpy(end, sum + last, (d - last) * sizeof *end);
    for (size_t j = 0; j < last; j += SP_LANES)
        add_group(rows, row, fetch, scale, j, sum + j);
    add_group(rows, row, fetch, scale, last, end);
    memcpy(sum + last, end, (d - last) * sizeof *end);
}

KERNEL void add_long(size_t d, size_t count, const double *const *row, const double *const *fetch,
                       const double *scale, double *restrict sum)
{
    for (size_t i = 0; i < count; i += SP_LANES) {
        const double *const *near = fetch ? fetch + i : NULL;
        switch (count - i) {
        case 1: add_rows(1, d, row + i, near, scale + i, sum); break;
        case 2: add_rows(2, d, row + i, near, scale + i, sum); break;
        case 3: add_rows(3, d, row + i, near, scale + i, sum); break;
        case 4: add_rows(4, d, row + i, near, scale + i, sum); break;
        case 5: add_rows(5, d, row + i, near, scale + i, sum); break;
        case 6: add_rows(6, d, row + i, near, scale + i, sum); break;
        case 7: add_rows(7, d, row + i, near, scale + i, sum); break;
        default: add_rows(SP_LANES, d, row + i, near, scale + i, sum);
        }
    }
}

/* Two rows' inner products and what two others add to a sum, at once. With the former come nearest as many doubles from
 * `near` doubles on, and nearer those from fetch[] on (NULL: none). */
INLINE void two_and_two(size_t d, const double *const *row, const double *const *fetch, size_t near,
                        const double *w, const double *w_end, double *restrict out, const double *const *added,
                        const double *scale, double *restrict sum, double *restrict sum_end)
{
    const size_t last = (d - 1) / SP_LANES * SP_LANES;
    vec part[2][PARTS] = { { { 0.0 } } };
    for (size_t j = 0; j <= last; j += SP_LANES) {
        const double *v = j < last ? w + j : w_end;
        double *g = j < last ? sum + j : sum_end;
        for (size_t r = 0; r < 2; r++) {
            __builtin_prefetch(row[r] + near + j, 0, NEAREST);
            if (fetch)
                __builtin_prefetch(fetch[r] + j, 0, NEAR);
            for (EACH_PART(p))
                part[r][p] = mul_add(FROM(row[r] + j + WIDTH * p), FROM(v + WIDTH * p), part[r][p]);
        }
        for (EACH_PART(p)) {
            const vec first = mul_add(spread(scale[0]), FROM(added[0] + j + WIDTH * p), FROM(g + WIDTH * p));
            AT(g + WIDTH * p) = mul_add(spread(scale[1]), FROM(added[1] + j + WIDTH * p), first);
        }
    }
    for (size_t r = 0; r < 2; r++)
        out[r] = fold(part[r]);
}

/* Inner products with w of the walk's block, and the sum of the one before. */
KERNEL void both_long(const sp_walk *at, const double *w, double *restrict out, double *restrict sum)
{
    const size_t d = at->data->d, last = (d - 1) / SP_LANES * SP_LANES;
    const size_t count = at->here->count, others = at->rows->count, paired = (count < others ? count : others) / 2 * 2;
    const double *const *row = at->here->row, *const *added = at->rows->row;
    const double *const *later = at->fetch && at->now == at->ask ? at->here->later : NULL;
    double w_end[SP_LANES] = { 0.0 }, sum_end[SP_LANES] = { 0.0 };
    memcpy(w_end, w + last, (d - last) * sizeof *w_end);
    memcpy(sum_end, sum + last, (d - last) * sizeof *sum_end);
    for (size_t i = 0; i < paired; i += 2)
        two_and_two(d, row + i, later ? later + i : NULL, at->by->near_long, w, w_end, out + i, added + i,
                    at->scale[0] + i, sum, sum_end);
    memcpy(sum + last, sum_end, (d - last) * sizeof *sum_end);
    dot_long(d, count - paired, row + paired, w, out + paired);
    add_long(d, others - paired, added + paired, NULL, at->scale[0] + paired, sum);
}

#endif
