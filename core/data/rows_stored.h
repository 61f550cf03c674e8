/* rows_stored.h -- inner products and sums of rows of signs and of sparse rows. */
#ifndef SP_DATA_ROWS_STORED_H
#define SP_DATA_ROWS_STORED_H

#include "core/data/rows_lanes.h"

/* --- signs ---------------------------------------------------------------------------------------------------- */

/* v with the sign of the bits of `eight` from bit `from` on: as it is where set, negated where not. */
INLINE vec with_signs(vec v, unsigned eight, size_t from)
{
    bits place, flip;
    for (size_t l = 0; l < WIDTH; l++)
        place[l] = (int64_t)1 << l;
    flip = ((int64_t)(eight >> from) & place) == 0;
    return (vec)((bits)v ^ (flip & INT64_MIN));
}

INLINE unsigned eight_signs(const uint64_t *sign, size_t j)
{
    return (unsigned)(sign[j / 64] >> j % 64 & 255);
}

enum { TOGETHER = 4 };

KERNEL void dot_signs(size_t d, size_t count, const uint64_t *sign, size_t words, const uint32_t *index,
                      const double *w, double *restrict out)
{
    const size_t last = (d - 1) / SP_LANES * SP_LANES;
    double end[SP_LANES] = { 0.0 };
    memcpy(end, w + last, (d - last) * sizeof *end);
    for (size_t i = 0; i < count; i += TOGETHER) {
        vec sum[TOGETHER][SP_LANES / WIDTH] = { { { 0.0 } } };
        const uint64_t *x[TOGETHER];
        for (size_t r = 0; r < TOGETHER; r++)
            x[r] = sign + index[i + r < count ? i + r : i] * words;
        for (size_t j = 0; j <= last; j += SP_LANES) {
            const double *v = j < last ? w + j : end;
            for (size_t r = 0; r < TOGETHER; r++)
                for (EACH_PART(p))
                    sum[r][p] += with_signs(FROM(v + WIDTH * p), eight_signs(x[r], j), WIDTH * p);
        }
        for (size_t r = 0; r < TOGETHER && i + r < count; r++)
            out[i + r] = fold(sum[r]);
    }
}

KERNEL void add_signs(size_t d, size_t count, const uint64_t *sign, size_t words, const uint32_t *index,
                      const double *scale, double *restrict sum)
{
    for (size_t j = 0; j < d; j += TOGETHER * SP_LANES) {
        const size_t here = d - j < TOGETHER * SP_LANES ? d - j : TOGETHER * SP_LANES;
        double end[TOGETHER * SP_LANES] = { 0.0 };
        vec g[TOGETHER * SP_LANES / WIDTH];
        memcpy(end, sum + j, here * sizeof *end);
        memcpy(g, end, sizeof g);
        for (size_t i = 0; i < count; i++) {
            const uint64_t four_eights = sign[index[i] * words + j / 64] >> j % 64;
            const vec a = spread(scale[i]);
            for (size_t v = 0; v < TOGETHER * SP_LANES / WIDTH; v++)
                g[v] += with_signs(a, (unsigned)four_eights, v * WIDTH);
        }
        memcpy(end, g, sizeof g);
        memcpy(sum + j, end, here * sizeof *end);
    }
}

/* --- sparse rows: columns ascend, so eight entries over eight columns are consecutive ------------------------- */

INLINE bool consecutive(const uint32_t *column)
{
    return column[SP_LANES - 1] - column[0] == SP_LANES - 1;
}

/* w at WIDTH columns: as a vector, for what is stored one by one is slow to load together. */
INLINE vec load_picked(const double *w, const uint32_t *column)
{
#if WIDTH == 8
    return (vec){ w[column[0]], w[column[1]], w[column[2]], w[column[3]],
                  w[column[4]], w[column[5]], w[column[6]], w[column[7]] };
#elif WIDTH == 4
    return (vec){ w[column[0]], w[column[1]], w[column[2]], w[column[3]] };
#else
    return (vec){ w[column[0]], w[column[1]] };
#endif
}

KERNEL void dot_sparse(size_t count, const uint64_t *start, const uint32_t *column, const double *entry,
                       const uint32_t *index, const double *w, double *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t end = start[index[i] + (size_t)1];
        uint64_t e = start[index[i]];
        vec sum[SP_LANES / WIDTH] = { { 0.0 } };
        for (; e + SP_LANES <= end; e += SP_LANES) {
            const bool together = consecutive(column + e);
            for (EACH_PART(p)) {
                const uint32_t *here = column + e + WIDTH * p;
                const vec some = together ? FROM(w + *here) : load_picked(w, here);
                sum[p] = mul_add(FROM(entry + e + WIDTH * p), some, sum[p]);
            }
        }
        double total = fold(sum);
        for (; e < end; e++)
            total = fma(entry[e], w[column[e]], total);
        out[i] = total;
    }
}

/* The sum over the eight columns that the last rows have begun with stays in registers. */
KERNEL void add_sparse(size_t count, const uint64_t *start, const uint32_t *column, const double *entry,
                       const uint32_t *index, bool in_line, const double *scale, double *restrict sum)
{
    vec held[PARTS] = { { 0.0 } };
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
        if (e + SP_LANES <= end && consecutive(column + e))
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
                held[p] = mul_add(spread(scale[i]), FROM(entry + e + WIDTH * p), held[p]);
            e += SP_LANES;
        }
        for (; e + SP_LANES <= end && consecutive(column + e); e += SP_LANES)
            for (EACH_PART(p)) {
                double *g = sum + column[e] + WIDTH * p;
                AT(g) = mul_add(spread(scale[i]), FROM(entry + e + WIDTH * p), FROM(g));
            }
        for (; e < end; e++)
            sum[column[e]] = fma(scale[i], entry[e], sum[column[e]]);
    }
    for (EACH_PART(p))
        AT(at + WIDTH * p) = held[p];
}

#endif
