/* rows_body.h -- the kernels, for the instruction set SET with registers of WIDTH doubles. Included once a set, by
 * rows_kernels.c alone; no guard.
 *
 * A product that is added to a sum is rounded with it, once: fma(a, b, c) is a b + c rounded, and so written; nothing
 * is contracted by the compiler.
 *
 *   <x, w>             lane l is fma(x_j, w_j, lane l) over j = l, l + 8, ..., in that order, from +0; then the lanes:
 *                      ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7)). What stands behind the features meets w = 0:
 *                      a sum that began at +0 is not changed by +-0.
 *                      Sparse rows: the same lanes over the stored entries, eight after eight; what is left of a row
 *                      goes to the sum of the lanes one after the other, total = fma(x_j, w_j, total).
 *                      One-hot rows: fma(number, listed, lanes): the lanes over the numeric features, their number, and
 *                      the sum of w over the list, which begins at +0 and goes as the list does.
 *   sum a_i x_i        each coordinate in row order, sum_j = fma(a_i, x_ij, sum_j).
 *   sum b_i x_i x_i'   fma(x_ij, b_i x_ik, sum) in row order from +0, b_i x_ik being rounded; then added to H. Of two
 *                      listed features of one-hot rows H = fma(b_i x_ij, x_ik, H), row after row; of sparse rows, which
 *                      are no kernel, H + (b_i x_ij) x_ik, each rounded.
 *
 * Rows of signs have no products: +-w_j and +-a_i are added in the same order.
 *
 * Rows that come from memory are read one after the other and each from front to back: several at a time are faster in
 * cache but confuse the hardware's prefetching. Up to SHORT eights of features w and the sum stay in registers; that
 * takes code with the number of eights in it. Vectors are spelled out for each set because gcc breaks those that a
 * set lacks into scalars. Of a pass, rows_kernels.c says which rows make a block and what is fetched ahead. */
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define ON(name) JOIN(name, SET)
#define KERNEL JOIN(SP_TARGET, SET) static
#define INLINE JOIN(SP_TARGET, SET) __attribute__((always_inline)) static inline
#define VEC ON(vec)
#define BITS ON(bits)
#define AT(p) (*(VEC *)(p))
#define FROM(p) (*(const VEC *)(p))
#define EACH_PART(p) size_t p = 0; p < SP_LANES / WIDTH; p++

typedef double VEC __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef int64_t BITS __attribute__((vector_size(8 * WIDTH)));

/* a * b + c, rounded once. SSE2 has no such instruction: there it is a call a lane (core/numeric/fma.c). */
INLINE VEC ON(fma)(VEC a, VEC b, VEC c)
{
#if defined(SP_ISA_X86) && WIDTH == 8
    return (VEC)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(SP_ISA_X86) && WIDTH == 4
    return (VEC)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__) && WIDTH == 2
    return (VEC)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    for (size_t l = 0; l < WIDTH; l++)
        c[l] = fma(a[l], b[l], c[l]);
    return c;
#endif
}

/* The first `count` of v[], then zeros; nothing behind them is read. */
INLINE VEC ON(first)(size_t count, const double *v)
{
    if (count >= WIDTH)
        return FROM(v);
#if defined(SP_ISA_X86) && WIDTH == 8
    return (VEC)_mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), v);
#else
    VEC out = { 0.0 };
    for (size_t l = 0; l < count; l++)
        out[l] = v[l];
    return out;
#endif
}

/* v[] = the first `count` lanes; nothing behind them is written. */
INLINE void ON(put_first)(size_t count, VEC lanes, double *restrict v)
{
    if (count >= WIDTH)
        AT(v) = lanes;
    else
        memcpy(v, &lanes, count * sizeof *v);
}

INLINE VEC ON(all)(double a)
{
    return a - (VEC){ 0.0 };
}

/* The lanes of v[] added up. */
INLINE double ON(fold)(const VEC *v)
{
#if WIDTH == 8
    const four half = __builtin_shufflevector(v[0], v[0], 0, 1, 2, 3) + __builtin_shufflevector(v[0], v[0], 4, 5, 6, 7);
    const pair two = __builtin_shufflevector(half, half, 0, 1) + __builtin_shufflevector(half, half, 2, 3);
#elif WIDTH == 4
    const four half = v[0] + v[1];
    const pair two = __builtin_shufflevector(half, half, 0, 1) + __builtin_shufflevector(half, half, 2, 3);
#else
    const pair two = (v[0] + v[2]) + (v[1] + v[3]);
#endif
    return two[0] + two[1];
}

enum { ON(PARTS) = SP_LANES / WIDTH };

/* The lanes of eight rows are added up at once. Where a register holds eight, those of two rows go into one as soon as
 * they are there, and leave registers to other rows and points; elsewhere all wait for the last. */
enum { ON(FEW) = WIDTH == 8 ? 2 : SP_LANES };

/* Which of the eight rows is row m of some few */
INLINE size_t ON(row_among)(size_t few, size_t m)
{
    return WIDTH == 8 ? few % 2 * 4 + few / 2 + 2 * m : m;
}

/* half[] = halfway sums of some few rows */
INLINE void ON(fold_few)(VEC (*v)[ON(PARTS)], VEC *half)
{
#if WIDTH == 8 /* four lanes of each of two rows */
    *half = __builtin_shufflevector(v[0][0], v[1][0], 0, 1, 2, 3, 8, 9, 10, 11) +
            __builtin_shufflevector(v[0][0], v[1][0], 4, 5, 6, 7, 12, 13, 14, 15);
#elif WIDTH == 4
    for (size_t k = 0; k < SP_LANES; k += 4) {
        const VEC a = v[k][0] + v[k][1], b = v[k + 1][0] + v[k + 1][1];
        const VEC c = v[k + 2][0] + v[k + 2][1], e = v[k + 3][0] + v[k + 3][1];
        const VEC ac = __builtin_shufflevector(a, c, 0, 1, 4, 5) + __builtin_shufflevector(a, c, 2, 3, 6, 7);
        const VEC be = __builtin_shufflevector(b, e, 0, 1, 4, 5) + __builtin_shufflevector(b, e, 2, 3, 6, 7);
        half[k / 4] = __builtin_shufflevector(ac, be, 0, 4, 2, 6) + __builtin_shufflevector(ac, be, 1, 5, 3, 7);
    }
#else
    for (size_t k = 0; k < SP_LANES; k += 2) {
        const VEC a = (v[k][0] + v[k][2]) + (v[k][1] + v[k][3]);
        const VEC b = (v[k + 1][0] + v[k + 1][2]) + (v[k + 1][1] + v[k + 1][3]);
        half[k / 2] = __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
    }
#endif
}

/* out[r] = the lanes of row r added up, from the halfway sums of all */
INLINE void ON(fold_rest)(const VEC *half, double *restrict out)
{
#if WIDTH == 8
    VEC two_of[2]; /* two lanes of each of four rows */
    for (size_t k = 0; k < 2; k++) {
        const VEC a = half[2 * k], b = half[2 * k + 1];
        two_of[k] = __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13) +
                    __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
    }
    AT(out) = __builtin_shufflevector(two_of[0], two_of[1], 0, 8, 2, 10, 4, 12, 6, 14) +
              __builtin_shufflevector(two_of[0], two_of[1], 1, 9, 3, 11, 5, 13, 7, 15);
#else
    for (size_t k = 0; k < SP_LANES / WIDTH; k++)
        AT(out + k * WIDTH) = half[k];
#endif
}

/* first[r] = row[r][j] and second[r] = row[r][j + 1], eight rows at once: as vectors, for what is stored one by one is
 * slow to load together. */
INLINE void ON(columns)(const double *const *row, size_t j, double *restrict first, double *restrict second)
{
#define TWO(r) (*(const pair *)(row[r] + j))
#define FOUR(r, s) __builtin_shufflevector(TWO(r), TWO(s), 0, 1, 2, 3)
#if WIDTH == 8
    const VEC a = __builtin_shufflevector(FOUR(0, 2), FOUR(4, 6), 0, 1, 2, 3, 4, 5, 6, 7);
    const VEC b = __builtin_shufflevector(FOUR(1, 3), FOUR(5, 7), 0, 1, 2, 3, 4, 5, 6, 7);
    AT(first) = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    AT(second) = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
#elif WIDTH == 4
    for (size_t k = 0; k < SP_LANES; k += 4) {
        AT(first + k) = __builtin_shufflevector(FOUR(k, k + 2), FOUR(k + 1, k + 3), 0, 4, 2, 6);
        AT(second + k) = __builtin_shufflevector(FOUR(k, k + 2), FOUR(k + 1, k + 3), 1, 5, 3, 7);
    }
#else
    for (size_t k = 0; k < SP_LANES; k += 2) {
        AT(first + k) = __builtin_shufflevector(TWO(k), TWO(k + 1), 0, 2);
        AT(second + k) = __builtin_shufflevector(TWO(k), TWO(k + 1), 1, 3);
    }
#endif
#undef TWO
#undef FOUR
}

/* --- dense rows. d <= 8 SHORT: w and the sum in the registers, padded with zeros to `eights` eights. ------------
 *
 * One-hot rows lie as dense ones do, of their numeric features, and go the same way. `hot` is their dataset, NULL for
 * dense rows. What stands behind the numeric features is no number: it is cut off. `listed` is w or the sum without
 * padding, where the features of a list are found. */

/* v[d], of one-hot rows v at the numeric features, and zeros */
INLINE void ON(pad)(size_t eights, const sp_dataset *hot, size_t d, const double *v, double *restrict out)
{
    for (size_t j = 0; !hot && j < eights * SP_LANES; j += WIDTH)
        AT(out + j) = ON(first)(d < j ? 0 : d - j, v + j);
    if (hot && eights > 0)
        memset(out + (eights - 1) * SP_LANES, 0, SP_LANES * sizeof *out);
    for (size_t j = 0; hot && j < hot->numeric; j++)
        out[j] = v[hot->column[j]];
}

/* And back */
INLINE void ON(unpad)(size_t eights, const sp_dataset *hot, size_t d, const double *padded, double *restrict v)
{
    for (size_t j = 0; hot && j < hot->numeric; j++)
        v[hot->column[j]] = padded[j];
    for (size_t j = 0; !hot && j < eights * SP_LANES; j += WIDTH)
        ON(put_first)(d < j ? 0 : d - j, FROM(padded + j), v + j);
}

/* Some features of a row, from the one at j on */
INLINE VEC ON(features)(size_t eights, const sp_dataset *hot, const double *x, size_t j)
{
    BITS place;
    if (!hot || j + SP_LANES < eights * SP_LANES)
        return FROM(x + j);
    for (size_t l = 0; l < WIDTH; l++)
        place[l] = (int64_t)(j + l);
    return (VEC)((BITS)FROM(x + j) & (place < (int64_t)hot->numeric));
}

/* Row r of some that are `step` doubles apart, 0: of a list. */
INLINE const double *ON(row_of)(const double *const *row, size_t step, size_t r)
{
    return step ? row[0] + r * step : row[r];
}

/* The row's eights from `first` on come nearer, or nearest, and of a one-hot row what is behind them. */
INLINE void ON(come)(size_t first, size_t eights, const sp_dataset *hot, const double *x, bool nearest)
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
INLINE void ON(dot_eight)(size_t eights, const sp_dataset *hot, size_t points, const double *const *row, size_t step,
                          size_t near, const double *w, const double *listed, double *restrict out)
{
    VEC half[2][SP_LANES / 2];
#pragma GCC unroll 4
    for (size_t f = 0; f < SP_LANES / ON(FEW); f++) {
        VEC sum[2][ON(FEW)][ON(PARTS)];
        for (size_t m = 0; m < ON(FEW); m++) {
            const double *x = ON(row_of)(row, step, ON(row_among)(f, m));
            VEC part[2][ON(PARTS)] = { { { 0.0 } } };
            if (near)
                ON(come)(0, eights, hot, x + near, true);
            for (size_t j = 0; j < eights * SP_LANES; j += SP_LANES)
                for (EACH_PART(p))
                    for (size_t k = 0; k < points; k++)
                        part[k][p] = ON(fma)(ON(features)(eights, hot, x, j + WIDTH * p),
                                             FROM(w + k * SHORT * SP_LANES + j + WIDTH * p), part[k][p]);
            for (size_t k = 0; k < points; k++)
                for (EACH_PART(p))
                    sum[k][m][p] = part[k][p];
        }
        for (size_t k = 0; k < points; k++)
            ON(fold_few)(sum[k], half[k] + f);
    }
    for (size_t k = 0; k < points; k++)
        ON(fold_rest)(half[k], out + k * SP_PASS_ROWS);
    if (!hot)
        return;
#pragma GCC unroll 8
    for (size_t r = 0; r < SP_LANES; r++) {
        const double *x = ON(row_of)(row, step, r);
        const uint16_t *list = sp_hot_list(hot, x);
        double total = 0.0;
        for (size_t k = 1, end = list[0]; k <= end; k++)
            total += listed[list[k]];
        out[r] = fma(x[hot->numeric + SP_HOT_VALUE], total, out[r]);
    }
}

INLINE void ON(dot_eights)(size_t eights, const sp_dataset *hot, size_t count, const double *const *row,
                           const double *w, const double *listed, double *restrict out)
{
    const size_t left = count % SP_LANES;
    for (size_t i = 0; i < count - left; i += SP_LANES)
        ON(dot_eight)(eights, hot, 1, row + i, 0, 0, w, listed, out + i);
    if (left > 0) {
        const double *last[SP_LANES];
        double of_last[SP_LANES];
        for (size_t r = 0; r < SP_LANES; r++)
            last[r] = row[count - left + (r < left ? r : 0)];
        ON(dot_eight)(eights, hot, 1, last, 0, 0, w, listed, of_last);
        memcpy(out + count - left, of_last, left * sizeof *out);
    }
}

INLINE void ON(dot_long)(size_t d, size_t count, const double *const *row, const double *w, double *restrict out)
{
    const size_t last = (d - 1) / SP_LANES * SP_LANES;
    double end[SP_LANES] = { 0.0 };
    memcpy(end, w + last, (d - last) * sizeof *end);
    for (size_t i = 0; i < count; i++) {
        const double *x = row[i];
        VEC sum[SP_LANES / WIDTH] = { { 0.0 } };
        for (size_t j = 0; j < last; j += SP_LANES)
            for (EACH_PART(p))
                sum[p] = ON(fma)(FROM(x + j + WIDTH * p), FROM(w + j + WIDTH * p), sum[p]);
        for (EACH_PART(p))
            sum[p] = ON(fma)(FROM(x + last + WIDTH * p), FROM(end + WIDTH * p), sum[p]);
        out[i] = ON(fold)(sum);
    }
}

/* sum + the terms of some rows. With each, its like of `fetch` comes nearer, or what of a list's dense rows was not
 * asked for before; NULL: none. */
INLINE void ON(add_eights)(size_t eights, const sp_dataset *hot, size_t count, const double *const *row, size_t step,
                           const double *const *fetch, const double *scale, VEC *sum, double *restrict listed)
{
    for (size_t i = 0; i < count; i++) {
        const double *x = ON(row_of)(row, step, i);
        if (fetch && (hot || step))
            ON(come)(0, eights, hot, ON(row_of)(fetch, step, i), false);
        else if (fetch)
            ON(come)(come_before(eights), eights, NULL, fetch[i], eights <= LIST_NEAREST);
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            sum[v] = ON(fma)(ON(all)(scale[i]), ON(features)(eights, hot, x, v * WIDTH), sum[v]);
    }
#pragma GCC unroll 8
    for (size_t i = 0; hot && i < count; i++) {
        const double *x = ON(row_of)(row, step, i);
        const uint16_t *list = sp_hot_list(hot, x);
        for (size_t k = 1, end = list[0]; k <= end; k++)
            listed[list[k]] = fma(scale[i], x[hot->numeric + SP_HOT_VALUE], listed[list[k]]);
    }
}

/* Of the walk's block inner products with w, and the sum of the one before, eight rows by eight: the sum's FMAs wait
 * for one another, and what folds the inner products goes between them. */
INLINE void ON(both_eights)(size_t eights, const sp_dataset *hot, const walk *at, const double *w,
                            double *restrict out, double *restrict sum)
{
    const double *listed = at->now ? at->now->point[0] : NULL;
    double *listed_sum = at->due ? at->due->sum : NULL;
    const size_t dots = at->now ? whole(at->here->count) : 0, adds = at->added ? at->rows->count : 0;
    const size_t near = at->now == at->ask ? at->near : 0, step = hot || at->index ? 0 : at->data->stride;
    const bool fetch = walk_fetches(at), ahead = !hot && at->index && at->now == at->ask;
    VEC g[SHORT * SP_LANES / WIDTH];
    for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
        g[v] = FROM(sum + v * WIDTH);
    /* Most: whole eights of dense rows in line, with nothing left to be asked a row. */
    const size_t lined = !hot && step > 0 && near > 0 && dots > 0 ? at->here->count / SP_LANES * SP_LANES : 0;
    size_t i = 0;
    for (; i < lined && i + SP_LANES <= adds; i += SP_LANES) {
        ON(dot_eight)(eights, NULL, 1, at->here->row + i, step, near, w, NULL, out + i);
        ON(add_eights)(eights, NULL, SP_LANES, at->rows->row + i, step, fetch ? at->rows->later + i : NULL,
                       at->scale[0] + i, g, NULL);
    }
    for (; i < dots || i < adds; i += SP_LANES) {
        const double *const *row = at->rows->row + i, *const *later = fetch ? at->rows->later + i : NULL;
        if (i < dots)
            ON(dot_eight)(eights, hot, 1, at->here->row + i, i + SP_LANES <= at->here->count ? step : 0, near, w,
                          listed, out + i);
        for (size_t r = i; ahead && i < dots && r < i + SP_LANES; r++)
            ON(come)(0, come_before(eights), NULL, at->here->later[r], false);
        if (i + SP_LANES <= adds)
            ON(add_eights)(eights, hot, SP_LANES, row, step, later, at->scale[0] + i, g, listed_sum);
        else if (i < adds)
            ON(add_eights)(eights, hot, adds - i, row, step, later, at->scale[0] + i, g, listed_sum);
    }
    for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
        AT(sum + v * WIDTH) = g[v];
}

/* sum[j .. j + 7] + the terms of a few rows */
INLINE void ON(add_group)(size_t rows, const double *const *row, const double *const *fetch, const double *scale,
                          size_t j, double *restrict sum)
{
    for (size_t r = 0; fetch && r < rows; r++)
        __builtin_prefetch(fetch[r] + j, 0, NEAR);
    for (EACH_PART(p)) {
        VEC g = FROM(sum + WIDTH * p);
        for (size_t r = 0; r < rows; r++)
            g = ON(fma)(ON(all)(scale[r]), FROM(row[r] + j + WIDTH * p), g);
        AT(sum + WIDTH * p) = g;
    }
}

INLINE void ON(add_rows)(size_t rows, size_t d, const double *const *row, const double *const *fetch,
                         const double *scale, double *restrict sum)
{
    const size_t last = (d - 1) / SP_LANES * SP_LANES;
    double end[SP_LANES] = { 0.0 };
    memcpy(end, sum + last, (d - last) * sizeof *end);
    for (size_t j = 0; j < last; j += SP_LANES)
        ON(add_group)(rows, row, fetch, scale, j, sum + j);
    ON(add_group)(rows, row, fetch, scale, last, end);
    memcpy(sum + last, end, (d - last) * sizeof *end);
}

INLINE void ON(add_long)(size_t d, size_t count, const double *const *row, const double *const *fetch,
                         const double *scale, double *restrict sum)
{
    for (size_t i = 0; i < count; i += SP_LANES) {
        const double *const *near = fetch ? fetch + i : NULL;
        switch (count - i) {
        case 1: ON(add_rows)(1, d, row + i, near, scale + i, sum); break;
        case 2: ON(add_rows)(2, d, row + i, near, scale + i, sum); break;
        case 3: ON(add_rows)(3, d, row + i, near, scale + i, sum); break;
        case 4: ON(add_rows)(4, d, row + i, near, scale + i, sum); break;
        case 5: ON(add_rows)(5, d, row + i, near, scale + i, sum); break;
        case 6: ON(add_rows)(6, d, row + i, near, scale + i, sum); break;
        case 7: ON(add_rows)(7, d, row + i, near, scale + i, sum); break;
        default: ON(add_rows)(SP_LANES, d, row + i, near, scale + i, sum);
        }
    }
}

/* Two rows' inner products and what two others add to a sum, at once. With the former come nearest as many doubles from
 * `near` doubles on, and nearer those from fetch[] on (NULL: none). */
INLINE void ON(two_and_two)(size_t d, const double *const *row, const double *const *fetch, size_t near,
                            const double *w, const double *w_end, double *restrict out, const double *const *added,
                            const double *scale, double *restrict sum, double *restrict sum_end)
{
    const size_t last = (d - 1) / SP_LANES * SP_LANES;
    VEC part[2][ON(PARTS)] = { { { 0.0 } } };
    for (size_t j = 0; j <= last; j += SP_LANES) {
        const double *v = j < last ? w + j : w_end;
        double *g = j < last ? sum + j : sum_end;
        for (size_t r = 0; r < 2; r++) {
            __builtin_prefetch(row[r] + near + j, 0, NEAREST);
            if (fetch)
                __builtin_prefetch(fetch[r] + j, 0, NEAR);
            for (EACH_PART(p))
                part[r][p] = ON(fma)(FROM(row[r] + j + WIDTH * p), FROM(v + WIDTH * p), part[r][p]);
        }
        for (EACH_PART(p)) {
            const VEC first = ON(fma)(ON(all)(scale[0]), FROM(added[0] + j + WIDTH * p), FROM(g + WIDTH * p));
            AT(g + WIDTH * p) = ON(fma)(ON(all)(scale[1]), FROM(added[1] + j + WIDTH * p), first);
        }
    }
    for (size_t r = 0; r < 2; r++)
        out[r] = ON(fold)(part[r]);
}

/* Inner products with w of the walk's block, and the sum of the one before. */
KERNEL void ON(both_long)(const walk *at, const double *w, double *restrict out, double *restrict sum)
{
    const size_t d = at->data->d, last = (d - 1) / SP_LANES * SP_LANES;
    const size_t count = at->here->count, others = at->rows->count, paired = (count < others ? count : others) / 2 * 2;
    const double *const *row = at->here->row, *const *added = at->rows->row;
    const double *const *later = at->fetch && at->now == at->ask ? at->here->later : NULL;
    double w_end[SP_LANES] = { 0.0 }, sum_end[SP_LANES] = { 0.0 };
    memcpy(w_end, w + last, (d - last) * sizeof *w_end);
    memcpy(sum_end, sum + last, (d - last) * sizeof *sum_end);
    for (size_t i = 0; i < paired; i += 2)
        ON(two_and_two)(d, row + i, later ? later + i : NULL, at->by->near_long, w, w_end, out + i, added + i,
                        at->scale[0] + i, sum, sum_end);
    memcpy(sum + last, sum_end, (d - last) * sizeof *sum_end);
    ON(dot_long)(d, count - paired, row + paired, w, out + paired);
    ON(add_long)(d, others - paired, added + paired, NULL, at->scale[0] + paired, sum);
}

#define EIGHTS_CASES(name, ...)                       \
    case 1: ON(name)(1, __VA_ARGS__); break;          \
    case 2: ON(name)(2, __VA_ARGS__); break;          \
    case 3: ON(name)(3, __VA_ARGS__); break;          \
    case 4: ON(name)(4, __VA_ARGS__); break;          \
    case 5: ON(name)(5, __VA_ARGS__); break;          \
    case 6: ON(name)(6, __VA_ARGS__); break;          \
    case 7: ON(name)(7, __VA_ARGS__); break;          \
    case SHORT: ON(name)(SHORT, __VA_ARGS__); break;

KERNEL void ON(dot)(size_t d, size_t count, const double *const *row, const double *w, double *restrict out)
{
    const size_t eights = (d + SP_LANES - 1) / SP_LANES;
    double padded[SHORT * SP_LANES];
    if (eights > SHORT) {
        ON(dot_long)(d, count, row, w, out);
        return;
    }
    ON(pad)(eights, NULL, d, w, padded);
    switch (eights) {
        EIGHTS_CASES(dot_eights, NULL, count, row, padded, NULL, out)
    }
}

KERNEL void ON(add)(size_t d, size_t count, const double *const *row, const double *scale, double *restrict sum)
{
    const size_t eights = (d + SP_LANES - 1) / SP_LANES;
    VEC padded[SHORT * SP_LANES / WIDTH];
    if (eights > SHORT) {
        ON(add_long)(d, count, row, NULL, scale, sum);
        return;
    }
    ON(pad)(eights, NULL, d, sum, (double *)padded);
    switch (eights) {
        EIGHTS_CASES(add_eights, NULL, count, row, 0, NULL, scale, padded, NULL)
    }
    memcpy(sum, padded, d * sizeof *sum);
}

/* Labels and norms, which stand behind the features, once these have been read. */
INLINE void ON(labels)(walk *at)
{
    const sp_dataset *data = at->data;
    const size_t label = data->storage == SP_STORE_ONE_HOT ? data->numeric + SP_HOT_LABEL : data->d;
    for (size_t i = 0; !at->apart && i < at->here->count; i += SP_LANES)
        ON(columns)(at->here->row + i, label, at->label + i, at->norm + i);
}

/* Points and the sum of an ask that is alone stay padded from block to block. */
INLINE void ON(all_eights)(size_t eights, const sp_dataset *hot, walk *at)
{
    _Alignas(64) double w[SP_TERMS_MAX][SHORT * SP_LANES], g[SHORT * SP_LANES] = { 0.0 };
    const size_t d = at->data->d;
    const bool alone = at->asks == 1;
    for (size_t k = 0; alone && k < at->ask->points; k++)
        ON(pad)(eights, hot, d, at->ask->point[k], w[k]);
    if (alone && at->ask->sum)
        ON(pad)(eights, hot, d, at->ask->sum, g);
    while (walk_turn(at)) {
        const sp_rows_ask *now = at->now, *due = at->due;
        for (size_t k = 0; now && !alone && k < now->points; k++)
            ON(pad)(eights, hot, d, now->point[k], w[k]);
        if (at->added && !alone)
            ON(pad)(eights, hot, d, due->sum, g);
        ON(both_eights)(eights, hot, at, w[0], at->margin[0], g);
        if (at->added && !alone)
            ON(unpad)(eights, hot, d, g, due->sum);
        for (size_t k = 1; now && k < now->points; k++)
            ON(dot_eights)(eights, hot, whole(at->here->count), at->here->row, w[k], now->point[k], at->margin[k]);
        if (now && now == at->ask)
            ON(labels)(at);
        walk_weigh(at);
    }
    if (alone && at->ask->sum)
        ON(unpad)(eights, hot, d, g, at->ask->sum);
}

/* Inner products of the walk's block with two asks' points, or one's: w[], then w[SHORT * SP_LANES + ...] */
INLINE void ON(dot_asks)(size_t eights, size_t asks, const walk *at, const double *w, double *restrict out)
{
    const size_t step = at->index ? 0 : at->data->stride, count = at->here->count;
    const double *const *row = at->here->row;
    for (size_t i = 0; i < count; i += SP_LANES)
        ON(dot_eight)(eights, NULL, asks, row + i, i + SP_LANES <= count ? step : 0, 0, w, NULL, out + i);
}

KERNEL void ON(dot_pair)(size_t eights, const walk *at, const double *w, double *restrict out)
{
    if (at->taken == 2)
        switch (eights) {
            EIGHTS_CASES(dot_asks, 2, at, w, out)
        }
    else
        switch (eights) {
            EIGHTS_CASES(dot_asks, 1, at, w, out)
        }
}

/* Two sums' or one's terms of the block that is due: sum[], then sum[SHORT * SP_LANES + ...] */
INLINE void ON(add_asks)(size_t eights, size_t asks, size_t count, const double *const *row, size_t step,
                         const double (*scale)[SP_PASS_ROWS], double *restrict sum)
{
    VEC g[2][SHORT * SP_LANES / WIDTH];
    for (size_t k = 0; k < asks; k++)
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            g[k][v] = FROM(sum + k * SHORT * SP_LANES + v * WIDTH);
    for (size_t i = 0; i < count; i++) {
        const double *x = ON(row_of)(row, step, i);
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            for (size_t k = 0; k < asks; k++)
                g[k][v] = ON(fma)(ON(all)(scale[k][i]), FROM(x + v * WIDTH), g[k][v]);
    }
    for (size_t k = 0; k < asks; k++)
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            AT(sum + k * SHORT * SP_LANES + v * WIDTH) = g[k][v];
}

KERNEL void ON(add_pair)(size_t eights, const walk *at, double *restrict sum)
{
    const size_t count = at->rows->count, step = at->index ? 0 : at->data->stride;
    for (size_t i = 0; walk_fetches(at) && i < count; i++)
        ON(come)(0, eights, NULL, at->rows->later[i], false);
    if (at->added == 2)
        switch (eights) {
            EIGHTS_CASES(add_asks, 2, count, at->rows->row, step, at->scale, sum)
        }
    else
        switch (eights) {
            EIGHTS_CASES(add_asks, 1, count, at->rows->row, step, at->scale, sum)
        }
}

/* Asks of one point each, two at a time: they share what is read of a row. */
INLINE void ON(all_pairs)(walk *at)
{
    _Alignas(64) double w[2][SHORT * SP_LANES], g[2][SHORT * SP_LANES];
    const size_t d = at->data->d, eights = (d + SP_LANES - 1) / SP_LANES;
    while (walk_turn(at)) {
        for (size_t k = 0; k < at->taken; k++)
            ON(pad)(eights, NULL, d, *at->now[k].point, w[k]);
        for (size_t k = 0; k < at->added; k++)
            ON(pad)(eights, NULL, d, at->due[k].sum, g[k]);
        if (at->taken > 0)
            ON(dot_pair)(eights, at, w[0], at->margin[0]);
        if (at->added > 0)
            ON(add_pair)(eights, at, g[0]);
        for (size_t k = 0; k < at->added; k++)
            ON(unpad)(eights, NULL, d, g[k], at->due[k].sum);
        if (at->now == at->ask)
            ON(labels)(at);
        walk_weigh(at);
    }
}

INLINE void ON(all_long)(walk *at)
{
    while (walk_turn(at)) {
        const sp_rows_ask *now = at->now, *due = at->due;
        const bool together = now && due && due->sum;
        if (together)
            ON(both_long)(at, now->point[0], at->margin[0], due->sum);
        else if (due && due->sum)
            ON(add_long)(at->data->d, at->rows->count, at->rows->row, walk_fetches(at) ? at->rows->later : NULL,
                         at->scale[0], due->sum);
        for (size_t k = together; now && k < now->points; k++)
            ON(dot_long)(at->data->d, at->here->count, at->here->row, now->point[k], at->margin[k]);
        for (size_t k = 0; now && k < now->points; k++)
            for (size_t i = at->here->count; i < whole(at->here->count); i++)
                at->margin[k][i] = 0.0;
        if (now && now == at->ask)
            ON(labels)(at);
        walk_weigh(at);
    }
}

/* A function for each way: of one that holds them all, the compiler takes twice as long. */
#define PASS_OF(name, way)                                                                                        \
    KERNEL __attribute__((noinline)) void ON(name)(const sp_rows_tuning *by, const sp_dataset *data,              \
                                                   const uint32_t *index, size_t count, size_t asks,              \
                                                   const sp_rows_ask *ask, sp_rows_weigh *weigh)                  \
    {                                                                                                             \
        walk at;                                                                                                  \
        walk_start(&at, by, data, index, count, asks, ask, weigh);                                                \
        way;                                                                                                      \
    }
PASS_OF(pass_pairs, ON(all_pairs)(&at))
PASS_OF(pass_long, ON(all_long)(&at))
PASS_OF(pass_1, ON(all_eights)(1, NULL, &at))
PASS_OF(pass_2, ON(all_eights)(2, NULL, &at))
PASS_OF(pass_3, ON(all_eights)(3, NULL, &at))
PASS_OF(pass_4, ON(all_eights)(4, NULL, &at))
PASS_OF(pass_5, ON(all_eights)(5, NULL, &at))
PASS_OF(pass_6, ON(all_eights)(6, NULL, &at))
PASS_OF(pass_7, ON(all_eights)(7, NULL, &at))
PASS_OF(pass_8, ON(all_eights)(SHORT, NULL, &at))
PASS_OF(hot_0, ON(all_eights)(0, at.data, &at))
PASS_OF(hot_1, ON(all_eights)(1, at.data, &at))
PASS_OF(hot_2, ON(all_eights)(2, at.data, &at))
PASS_OF(hot_3, ON(all_eights)(3, at.data, &at))
PASS_OF(hot_4, ON(all_eights)(4, at.data, &at))
PASS_OF(hot_5, ON(all_eights)(5, at.data, &at))
PASS_OF(hot_6, ON(all_eights)(6, at.data, &at))
PASS_OF(hot_7, ON(all_eights)(7, at.data, &at))
PASS_OF(hot_8, ON(all_eights)(SHORT, at.data, &at))
#undef PASS_OF

KERNEL void ON(pass)(const sp_rows_tuning *by, const sp_dataset *data, const uint32_t *index, size_t count, size_t asks,
                     const sp_rows_ask *ask, sp_rows_weigh *weigh)
{
    static sp_rows_pass_kernel *const dense[] = { ON(pass_long), ON(pass_1), ON(pass_2), ON(pass_3), ON(pass_4),
                                                  ON(pass_5), ON(pass_6), ON(pass_7), ON(pass_8) };
    static sp_rows_pass_kernel *const hot[] = { ON(hot_0), ON(hot_1), ON(hot_2), ON(hot_3), ON(hot_4),
                                                ON(hot_5), ON(hot_6), ON(hot_7), ON(hot_8) };
    sp_rows_pass_kernel *kernel = in_pairs(data, asks, ask) ? ON(pass_pairs)
                                : data->storage == SP_STORE_ONE_HOT ? hot[(data->numeric + SP_LANES - 1) / SP_LANES]
                                : dense[is_long(data) ? 0 : (data->d + SP_LANES - 1) / SP_LANES];
    kernel(by, data, index, count, asks, ask, weigh);
}

/* --- signs ---------------------------------------------------------------------------------------------------- */

/* v with the sign of the bits of `eight` from bit `from` on: as it is where set, negated where not. */
INLINE VEC ON(signed)(VEC v, unsigned eight, size_t from)
{
    BITS place, flip;
    for (size_t l = 0; l < WIDTH; l++)
        place[l] = (int64_t)1 << l;
    flip = ((int64_t)(eight >> from) & place) == 0;
    return (VEC)((BITS)v ^ (flip & INT64_MIN));
}

INLINE unsigned ON(eight_of)(const uint64_t *sign, size_t j)
{
    return (unsigned)(sign[j / 64] >> j % 64 & 255);
}

enum { ON(TOGETHER) = 4 };

KERNEL void ON(dot_signs)(size_t d, size_t count, const uint64_t *sign, size_t words, const uint32_t *index,
                          const double *w, double *restrict out)
{
    const size_t last = (d - 1) / SP_LANES * SP_LANES;
    double end[SP_LANES] = { 0.0 };
    memcpy(end, w + last, (d - last) * sizeof *end);
    for (size_t i = 0; i < count; i += ON(TOGETHER)) {
        VEC sum[ON(TOGETHER)][SP_LANES / WIDTH] = { { { 0.0 } } };
        const uint64_t *x[ON(TOGETHER)];
        for (size_t r = 0; r < ON(TOGETHER); r++)
            x[r] = sign + index[i + r < count ? i + r : i] * words;
        for (size_t j = 0; j <= last; j += SP_LANES) {
            const double *v = j < last ? w + j : end;
            for (size_t r = 0; r < ON(TOGETHER); r++)
                for (EACH_PART(p))
                    sum[r][p] += ON(signed)(FROM(v + WIDTH * p), ON(eight_of)(x[r], j), WIDTH * p);
        }
        for (size_t r = 0; r < ON(TOGETHER) && i + r < count; r++)
            out[i + r] = ON(fold)(sum[r]);
    }
}

KERNEL void ON(add_signs)(size_t d, size_t count, const uint64_t *sign, size_t words, const uint32_t *index,
                          const double *scale, double *restrict sum)
{
    for (size_t j = 0; j < d; j += ON(TOGETHER) * SP_LANES) {
        const size_t here = d - j < ON(TOGETHER) * SP_LANES ? d - j : ON(TOGETHER) * SP_LANES;
        double end[ON(TOGETHER) * SP_LANES] = { 0.0 };
        VEC g[ON(TOGETHER) * SP_LANES / WIDTH];
        memcpy(end, sum + j, here * sizeof *end);
        memcpy(g, end, sizeof g);
        for (size_t i = 0; i < count; i++) {
            const uint64_t four_eights = sign[index[i] * words + j / 64] >> j % 64;
            const VEC a = ON(all)(scale[i]);
            for (size_t v = 0; v < ON(TOGETHER) * SP_LANES / WIDTH; v++)
                g[v] += ON(signed)(a, (unsigned)four_eights, v * WIDTH);
        }
        memcpy(end, g, sizeof g);
        memcpy(sum + j, end, here * sizeof *end);
    }
}

/* --- sparse rows: columns ascend, so eight entries over eight columns are consecutive ------------------------- */

INLINE bool ON(consecutive)(const uint32_t *column)
{
    return column[SP_LANES - 1] - column[0] == SP_LANES - 1;
}

/* w at WIDTH columns: as a vector, for what is stored one by one is slow to load together. */
INLINE VEC ON(picked)(const double *w, const uint32_t *column)
{
#if WIDTH == 8
    return (VEC){ w[column[0]], w[column[1]], w[column[2]], w[column[3]],
                  w[column[4]], w[column[5]], w[column[6]], w[column[7]] };
#elif WIDTH == 4
    return (VEC){ w[column[0]], w[column[1]], w[column[2]], w[column[3]] };
#else
    return (VEC){ w[column[0]], w[column[1]] };
#endif
}

KERNEL void ON(dot_sparse)(size_t count, const uint64_t *start, const uint32_t *column, const double *entry,
                           const uint32_t *index, const double *w, double *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t end = start[index[i] + (size_t)1];
        uint64_t e = start[index[i]];
        VEC sum[SP_LANES / WIDTH] = { { 0.0 } };
        for (; e + SP_LANES <= end; e += SP_LANES) {
            const bool together = ON(consecutive)(column + e);
            for (EACH_PART(p)) {
                const uint32_t *here = column + e + WIDTH * p;
                sum[p] = ON(fma)(FROM(entry + e + WIDTH * p), together ? FROM(w + *here) : ON(picked)(w, here), sum[p]);
            }
        }
        double total = ON(fold)(sum);
        for (; e < end; e++)
            total = fma(entry[e], w[column[e]], total);
        out[i] = total;
    }
}

/* The sum over the eight columns that the last rows have begun with stays in registers. */
KERNEL void ON(add_sparse)(size_t count, const uint64_t *start, const uint32_t *column, const double *entry,
                           const uint32_t *index, bool in_line, const double *scale, double *restrict sum)
{
    VEC held[ON(PARTS)] = { { 0.0 } };
    double nowhere[SP_LANES], *at = nowhere;
    for (size_t i = 0; i < count; i++) {
        const uint64_t end = start[index[i] + (size_t)1];
        uint64_t e = start[index[i]];
        double *first = nowhere;
        if (in_line) {
            __builtin_prefetch(entry + e + SPARSE_AHEAD, 0, NEAR);
            __builtin_prefetch(entry + e + SPARSE_AHEAD + SP_LANES, 0, NEAR);
            __builtin_prefetch(column + e + SPARSE_AHEAD, 0, NEAR);
        }
        if (e + SP_LANES <= end && ON(consecutive)(column + e))
            first = sum + column[e];
        if (first != at) {
            for (EACH_PART(p))
                AT(at + WIDTH * p) = held[p];
            at = first;
            for (EACH_PART(p))
                held[p] = FROM(at + WIDTH * p);
        }
        if (at != nowhere) {
            for (EACH_PART(p))
                held[p] = ON(fma)(ON(all)(scale[i]), FROM(entry + e + WIDTH * p), held[p]);
            e += SP_LANES;
        }
        for (; e + SP_LANES <= end && ON(consecutive)(column + e); e += SP_LANES)
            for (EACH_PART(p)) {
                double *g = sum + column[e] + WIDTH * p;
                AT(g) = ON(fma)(ON(all)(scale[i]), FROM(entry + e + WIDTH * p), FROM(g));
            }
        for (; e < end; e++)
            sum[column[e]] = fma(scale[i], entry[e], sum[column[e]]);
    }
    for (EACH_PART(p))
        AT(at + WIDTH * p) = held[p];
}

/* --- one-hot rows --------------------------------------------------------------------------------------------- */

KERNEL void ON(dot_hot)(const sp_dataset *data, size_t count, const double *const *row, const double *w,
                        double *restrict out)
{
    const size_t eights = (data->numeric + SP_LANES - 1) / SP_LANES;
    double padded[SHORT * SP_LANES];
    ON(pad)(eights, data, data->d, w, padded);
    switch (eights) {
        EIGHTS_CASES(dot_eights, data, count, row, padded, w, out)
    default:
        ON(dot_eights)(0, data, count, row, padded, w, out);
    }
}

KERNEL void ON(add_hot)(const sp_dataset *data, size_t count, const double *const *row, const double *scale,
                        double *restrict sum)
{
    const size_t eights = (data->numeric + SP_LANES - 1) / SP_LANES;
    VEC padded[SHORT * SP_LANES / WIDTH];
    ON(pad)(eights, data, data->d, sum, (double *)padded);
    switch (eights) {
        EIGHTS_CASES(add_eights, data, count, row, 0, NULL, scale, padded, sum)
    default:
        ON(add_eights)(0, data, count, row, 0, NULL, scale, padded, sum);
    }
    ON(unpad)(eights, data, data->d, (double *)padded, sum);
}

/* --- squares -------------------------------------------------------------------------------------------------- */

/* Eights of columns of a tile: with so many its sums fill the registers. */
enum { ON(WIDE) = WIDTH == SP_LANES ? SP_SQUARE_ROOM / SP_LANES : 1 };

/* WIDTH features from j on by `eights` eights of scaled. */
INLINE void ON(tile)(size_t eights, size_t count, const double *const *row, size_t j, const double *scaled,
                     double *restrict out)
{
    VEC sum[WIDTH][ON(WIDE) * ON(PARTS)];
    memset(sum, 0, sizeof sum);
    for (size_t i = 0; i < count; i++, scaled += ON(WIDE) * SP_LANES) {
        const double *x = row[i] + j;
        for (size_t l = 0; l < WIDTH; l++)
            for (size_t v = 0; v < eights * ON(PARTS); v++)
                sum[l][v] = ON(fma)(ON(all)(x[l]), FROM(scaled + WIDTH * v), sum[l][v]);
    }
    memcpy(out, sum, sizeof sum);
}

/* Rows from j on and columns from k on of H += an eight of a tile */
INLINE void ON(add_tile)(size_t d, size_t j, size_t k, const double *out, double *restrict H)
{
    const size_t columns = d - k < SP_LANES ? d - k : SP_LANES;
    for (size_t r = 0; r < WIDTH && j + r < k + columns; r++, out += ON(WIDE) * SP_LANES) {
        double *h = H + (j + r) * d + k;
        for (EACH_PART(p))
            if (j < k && columns == SP_LANES)
                AT(h + WIDTH * p) += FROM(out + WIDTH * p);
        for (size_t l = j < k ? 0 : j + r - k; (j >= k || columns < SP_LANES) && l < columns; l++)
            h[l] += out[l];
    }
}

KERNEL void ON(square)(size_t d, size_t count, const double *const *row, const double *scale, const double *fetch,
                       size_t stride, double *restrict scaled, double *restrict H)
{
    for (size_t k = 0; k < d; k += ON(WIDE) * SP_LANES) {
        const size_t wide = d - k > SP_LANES ? ON(WIDE) : 1, end = k + wide * SP_LANES;
        for (size_t i = 0; i < count; i++) {
            for (size_t v = 0; v < wide; v++) {
                if (fetch)
                    __builtin_prefetch(fetch + i * stride + k + v * SP_LANES, 0, NEAR);
                for (EACH_PART(p))
                    AT(scaled + (i * ON(WIDE) + v) * SP_LANES + WIDTH * p) =
                        scale[i] * FROM(row[i] + k + v * SP_LANES + WIDTH * p);
            }
        }
        for (size_t j = 0; j < d && j < end; j += WIDTH) {
            const size_t below = j < k + SP_LANES ? 0 : SP_LANES; /* columns that are below the diagonal */
            double out[WIDTH * ON(WIDE) * SP_LANES];
            if (ON(WIDE) > 1 && wide > 1 && below == 0)
                ON(tile)(ON(WIDE), count, row, j, scaled, out);
            else
                ON(tile)(1, count, row, j, scaled + below, out);
            for (size_t at = k + below; at < d && at < end; at += SP_LANES)
                ON(add_tile)(d, j, at, out + (at - k - below), H);
        }
    }
}

/* Two listed features of a row, four rows of H at a time */
INLINE void ON(square_list)(size_t rows, size_t d, size_t count, const uint16_t *list, double b, double value,
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
INLINE void ON(square_numbers)(size_t eights, const sp_dataset *data, size_t count, const double *const *row,
                               const double *scale, const double *fetch, double *restrict copy,
                               double *restrict product)
{
    for (size_t i = 0; i < count; i++) {
        const uint16_t *list = sp_hot_list(data, row[i]);
        const VEC b = ON(all)(scale[i] * row[i][data->numeric + SP_HOT_VALUE]);
        VEC x[SHORT * SP_LANES / WIDTH];
        if (fetch)
            ON(come)(0, eights, data, fetch + i * data->stride, false);
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            AT(copy + i * eights * SP_LANES + v * WIDTH) = x[v] = ON(features)(eights, data, row[i], v * WIDTH);
        for (size_t k = 1; k <= list[0]; k++)
            for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++) {
                double *p = product + list[k] * eights * SP_LANES + v * WIDTH;
                AT(p) = ON(fma)(x[v], b, FROM(p));
            }
    }
}

KERNEL void ON(square_hot)(const sp_dataset *data, size_t count, const double *const *row, const double *scale,
                           const double *fetch, double *restrict packed, double *restrict H)
{
    const size_t d = data->d, c = data->numeric, eights = (c + SP_LANES - 1) / SP_LANES, whole = eights * SP_LANES;
    double *copy = packed, *scaled = copy + count * whole, *product = scaled + count * SP_SQUARE_ROOM;
    double *own = product + d * whole;
    const double *copied[SP_ROWS] = { NULL };
    memset(product, 0, (d * whole + c * c) * sizeof *product);
    switch (eights) {
        EIGHTS_CASES(square_numbers, data, count, row, scale, fetch, copy, product)
    }
    for (size_t i = 0; i < count; i++)
        copied[i] = copy + i * whole;
    ON(square)(c, count, copied, scale, NULL, whole, scaled, own);
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
            ON(square_list)(LISTS, d, list[-1] - k, list + k, b, value, H);
        for (; k < list[-1]; k++)
            ON(square_list)(1, d, list[-1] - k, list + k, b, value, H);
    }
}

static const sp_rows_kernels ON(kernels) = {
    ON(pass), ON(dot), ON(add), ON(dot_signs), ON(add_signs), ON(dot_sparse), ON(add_sparse), ON(dot_hot), ON(add_hot),
    ON(square), ON(square_hot)
};

#undef JOIN_
#undef JOIN
#undef ON
#undef KERNEL
#undef INLINE
#undef VEC
#undef BITS
#undef AT
#undef FROM
#undef EACH_PART
#undef EIGHTS_CASES
#undef SET
#undef WIDTH
