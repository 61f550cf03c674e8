/* rows_body.h -- the kernels, for the instruction set SET with registers of WIDTH doubles. Included once a set, by
 * rows_kernels.c alone; no guard.
 *
 *   <x, w>             lane l sums x_j w_j over j = l, l + 8, ..., in that order, from +0; then the lanes:
 *                      ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7)). What stands behind the features meets w = 0:
 *                      a sum that began at +0 is not changed by +-0.
 *                      Sparse rows: the same lanes over the stored entries, eight after eight, and what is left of a
 *                      row is added to that one after the other.
 *   sum a_i x_i        each coordinate in row order.
 *   sum b_i x_i x_i'   x_ij (b_i x_ik) in row order from +0, then added to H.
 *
 * Rows that come from memory are read one after the other and each from front to back: several at a time are faster in
 * cache but confuse the hardware's prefetching. Up to SHORT eights of features w and the sum stay in registers; that
 * takes code with the number of eights in it. Vectors are spelled out for each set because gcc breaks those that a
 * set lacks into scalars. */
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

/* --- dense rows ----------------------------------------------------------------------------------------------- */

INLINE void ON(dot_eights)(size_t eights, size_t d, size_t count, const double *const *row, const double *const *fetch,
                           const double *w, double *restrict out)
{
    const size_t last = (eights - 1) * SP_LANES;
    double end[SP_LANES] = { 0.0 };
    memcpy(end, w + last, (d - last) * sizeof *end);
    for (size_t i = 0; i < count; i++) {
        const double *x = row[i];
        VEC sum[SP_LANES / WIDTH] = { { 0.0 } };
        for (size_t j = 0; j < last; j += SP_LANES)
            for (EACH_PART(p))
                sum[p] += FROM(x + j + WIDTH * p) * FROM(w + j + WIDTH * p);
        for (EACH_PART(p))
            sum[p] += FROM(x + last + WIDTH * p) * FROM(end + WIDTH * p);
        for (size_t j = 0; fetch && j <= last; j += SP_LANES)
            __builtin_prefetch(fetch[i] + j, 0, 2);
        out[i] = ON(fold)(sum);
    }
}

INLINE void ON(add_eights)(size_t eights, size_t d, size_t count, const double *const *row, const double *scale,
                           double *restrict sum)
{
    const size_t last = (eights - 1) * SP_LANES;
    double end[SP_LANES] = { 0.0 };
    VEC g[SHORT * SP_LANES / WIDTH];
    memcpy(end, sum + last, (d - last) * sizeof *end);
    for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
        g[v] = v * WIDTH < last ? FROM(sum + v * WIDTH) : FROM(end + (v * WIDTH - last));
    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            g[v] += scale[i] * FROM(row[i] + v * WIDTH);
    for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
        AT(v * WIDTH < last ? sum + v * WIDTH : end + (v * WIDTH - last)) = g[v];
    memcpy(sum + last, end, (d - last) * sizeof *end);
}

/* sum[j .. j + 7] + the terms of eight rows */
INLINE void ON(add_group)(const double *const *row, const double *scale, size_t j, double *restrict sum)
{
    for (EACH_PART(p)) {
        VEC g = FROM(sum + WIDTH * p);
        for (size_t r = 0; r < SP_LANES; r++)
            g += scale[r] * FROM(row[r] + j + WIDTH * p);
        AT(sum + WIDTH * p) = g;
    }
}

INLINE void ON(add_long)(size_t d, size_t count, const double *const *row, const double *scale, double *restrict sum)
{
    const size_t last = (d - 1) / SP_LANES * SP_LANES;
    double end[SP_LANES] = { 0.0 };
    size_t i = 0;
    memcpy(end, sum + last, (d - last) * sizeof *end);
    for (; i + SP_LANES <= count; i += SP_LANES) {
        for (size_t j = 0; j < last; j += SP_LANES)
            ON(add_group)(row + i, scale + i, j, sum + j);
        ON(add_group)(row + i, scale + i, last, end);
    }
    for (; i < count; i++) {
        for (size_t j = 0; j < last; j += WIDTH)
            AT(sum + j) += scale[i] * FROM(row[i] + j);
        for (EACH_PART(p))
            AT(end + WIDTH * p) += scale[i] * FROM(row[i] + last + WIDTH * p);
    }
    memcpy(sum + last, end, (d - last) * sizeof *end);
}

#define EIGHTS_CASES(name, ...)                       \
    case 1: ON(name)(1, __VA_ARGS__); return;         \
    case 2: ON(name)(2, __VA_ARGS__); return;         \
    case 3: ON(name)(3, __VA_ARGS__); return;         \
    case 4: ON(name)(4, __VA_ARGS__); return;         \
    case 5: ON(name)(5, __VA_ARGS__); return;         \
    case 6: ON(name)(6, __VA_ARGS__); return;         \
    case 7: ON(name)(7, __VA_ARGS__); return;         \
    case SHORT: ON(name)(SHORT, __VA_ARGS__); return;

KERNEL void ON(dot)(size_t d, size_t count, const double *const *row, const double *const *fetch, const double *w,
                    double *restrict out)
{
    const size_t eights = (d + SP_LANES - 1) / SP_LANES;
    switch (eights) {
        EIGHTS_CASES(dot_eights, d, count, row, fetch, w, out)
    default:
        ON(dot_eights)(eights, d, count, row, fetch, w, out);
    }
}

KERNEL void ON(add)(size_t d, size_t count, const double *const *row, const double *scale, double *restrict sum)
{
    switch ((d + SP_LANES - 1) / SP_LANES) {
        EIGHTS_CASES(add_eights, d, count, row, scale, sum)
    default:
        ON(add_long)(d, count, row, scale, sum);
    }
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
            const VEC a = scale[i] - (VEC){ 0.0 };
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

KERNEL void ON(dot_sparse)(size_t count, const uint64_t *start, const uint32_t *column, const double *entry,
                           const uint32_t *index, const double *w, double *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t end = start[index[i] + (size_t)1];
        uint64_t e = start[index[i]];
        VEC sum[SP_LANES / WIDTH] = { { 0.0 } };
        for (; e + SP_LANES <= end; e += SP_LANES) {
            double picked[SP_LANES];
            const bool together = ON(consecutive)(column + e);
            for (size_t l = 0; l < SP_LANES && !together; l++)
                picked[l] = w[column[e + l]];
            const double *v = together ? w + column[e] : picked;
            for (EACH_PART(p))
                sum[p] += FROM(entry + e + WIDTH * p) * FROM(v + WIDTH * p);
        }
        double total = ON(fold)(sum);
        for (; e < end; e++)
            total += entry[e] * w[column[e]];
        out[i] = total;
    }
}

KERNEL void ON(add_sparse)(size_t count, const uint64_t *start, const uint32_t *column, const double *entry,
                           const uint32_t *index, const double *scale, double *restrict sum)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t end = start[index[i] + (size_t)1];
        uint64_t e = start[index[i]];
        for (; e + SP_LANES <= end && ON(consecutive)(column + e); e += SP_LANES)
            for (EACH_PART(p))
                AT(sum + column[e] + WIDTH * p) += scale[i] * FROM(entry + e + WIDTH * p);
        for (; e < end; e++)
            sum[column[e]] += scale[i] * entry[e];
    }
}

/* --- squares -------------------------------------------------------------------------------------------------- */

/* WIDTH features j by the eight features of a panel k */
INLINE void ON(tile)(size_t count, const double *panel, const double *scaled, double *restrict out)
{
    VEC sum[WIDTH][SP_LANES / WIDTH];
    memset(sum, 0, sizeof sum);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < WIDTH; j++)
            for (EACH_PART(p))
                sum[j][p] += panel[i * SP_LANES + j] * FROM(scaled + i * SP_LANES + WIDTH * p);
    memcpy(out, sum, sizeof sum);
}

KERNEL void ON(square)(size_t d, size_t count, const double *panel, const double *scale, double *restrict scaled,
                       double *restrict H)
{
    for (size_t k = 0; k < d; k += SP_LANES) {
        const double *x = panel + k * count;
        const size_t columns = d - k < SP_LANES ? d - k : SP_LANES;
        for (size_t i = 0; i < count; i++)
            for (EACH_PART(p))
                AT(scaled + i * SP_LANES + WIDTH * p) = scale[i] * FROM(x + i * SP_LANES + WIDTH * p);
        for (size_t j = 0; j < k + columns; j += WIDTH) {
            double out[WIDTH * SP_LANES];
            ON(tile)(count, panel + j / SP_LANES * SP_LANES * count + j % SP_LANES, scaled, out);
            for (size_t r = 0; r < WIDTH && j + r < k + columns; r++) {
                double *h = H + (j + r) * d + k;
                for (EACH_PART(p))
                    if (j < k && columns == SP_LANES)
                        AT(h + WIDTH * p) += FROM(out + r * SP_LANES + WIDTH * p);
                for (size_t l = j < k ? 0 : j + r - k; (j >= k || columns < SP_LANES) && l < columns; l++)
                    h[l] += out[r * SP_LANES + l];
            }
        }
    }
}

static const sp_rows_kernels ON(kernels) = {
    ON(dot), ON(add), ON(dot_signs), ON(add_signs), ON(dot_sparse), ON(add_sparse), ON(square)
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
