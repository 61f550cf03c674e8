/* rows_lanes.h -- vectors of WIDTH doubles, the registers of the instruction set SET, and how eight lanes are added up.
 * Included through rows_body.h by one source file for each set. Vectors are spelled out for each set because gcc breaks
 * those that a set lacks into scalars. */
#ifndef SP_DATA_ROWS_LANES_H
#define SP_DATA_ROWS_LANES_H

#include "core/data/rows_kernels.h"

#include <math.h>
#include <string.h>
#ifdef SP_ISA_X86
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef double four __attribute__((vector_size(32)));

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL JOIN(SP_TARGET, SET) static
#define INLINE JOIN(SP_TARGET, SET) __attribute__((always_inline)) static inline
#define NOINLINE JOIN(SP_TARGET, SET) __attribute__((noinline)) static
#define AT(p) (*(vec *)(p))
#define FROM(p) (*(const vec *)(p))

/* BY_EIGHTS: the kernels of short rows exist once for each number of eights. Only where FMA is an instruction, because
 * elsewhere its calls take nearly all of the time. PAIRS: two asks are taken at a time. Only where a register holds
 * eight doubles; elsewhere it gains nothing. */
#if WIDTH > 2 || !defined(SP_ISA_X86)
#define BY_EIGHTS 1
#else
#define BY_EIGHTS 0
#endif
#if WIDTH == 8
#define PAIRS 1
#else
#define PAIRS 0
#endif

#define EACH_PART(p) size_t p = 0; p < SP_LANES / WIDTH; p++

typedef double vec __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef int64_t bits __attribute__((vector_size(8 * WIDTH)));

/* a * b + c, rounded once. SSE2 has no such instruction: there it is a call a lane (core/numeric/fma.c). */
INLINE vec mul_add(vec a, vec b, vec c)
{
#if defined(SP_ISA_X86) && WIDTH == 8
    return (vec)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(SP_ISA_X86) && WIDTH == 4
    return (vec)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__) && WIDTH == 2
    return (vec)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    for (size_t l = 0; l < WIDTH; l++)
        c[l] = fma(a[l], b[l], c[l]);
    return c;
#endif
}

/* The first `count` of v[], then zeros; nothing behind them is read. */
INLINE vec load_first(size_t count, const double *v)
{
    if (count >= WIDTH)
        return FROM(v);
#if defined(SP_ISA_X86) && WIDTH == 8
    return (vec)_mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), v);
#else
    vec out = { 0.0 };
    for (size_t l = 0; l < count; l++)
        out[l] = v[l];
    return out;
#endif
}

/* v[] = the first `count` lanes; nothing behind them is written. */
INLINE void store_first(size_t count, vec lanes, double *restrict v)
{
    if (count >= WIDTH)
        AT(v) = lanes;
    else
        memcpy(v, &lanes, count * sizeof *v);
}

INLINE vec spread(double a)
{
    return a - (vec){ 0.0 };
}

/* The lanes of v[] added up. */
INLINE double fold(const vec *v)
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

enum { PARTS = SP_LANES / WIDTH };

/* The lanes of eight rows are added up at once. Where a register holds eight, those of two rows go into one as soon as
 * they are there, and leave registers to other rows and points; elsewhere all wait for the last. */
enum { FEW = WIDTH == 8 ? 2 : SP_LANES };

/* Which of the eight rows is row m of some few */
INLINE size_t row_among(size_t few, size_t m)
{
    return WIDTH == 8 ? few % 2 * 4 + few / 2 + 2 * m : m;
}

/* half[] = halfway sums of some few rows */
INLINE void fold_few(vec (*v)[PARTS], vec *half)
{
#if WIDTH == 8 /* four lanes of each of two rows */
    *half = __builtin_shufflevector(v[0][0], v[1][0], 0, 1, 2, 3, 8, 9, 10, 11) +
            __builtin_shufflevector(v[0][0], v[1][0], 4, 5, 6, 7, 12, 13, 14, 15);
#elif WIDTH == 4
    for (size_t k = 0; k < SP_LANES; k += 4) {
        const vec a = v[k][0] + v[k][1], b = v[k + 1][0] + v[k + 1][1];
        const vec c = v[k + 2][0] + v[k + 2][1], e = v[k + 3][0] + v[k + 3][1];
        const vec ac = __builtin_shufflevector(a, c, 0, 1, 4, 5) + __builtin_shufflevector(a, c, 2, 3, 6, 7);
        const vec be = __builtin_shufflevector(b, e, 0, 1, 4, 5) + __builtin_shufflevector(b, e, 2, 3, 6, 7);
        half[k / 4] = __builtin_shufflevector(ac, be, 0, 4, 2, 6) + __builtin_shufflevector(ac, be, 1, 5, 3, 7);
    }
#else
    for (size_t k = 0; k < SP_LANES; k += 2) {
        const vec a = (v[k][0] + v[k][2]) + (v[k][1] + v[k][3]);
        const vec b = (v[k + 1][0] + v[k + 1][2]) + (v[k + 1][1] + v[k + 1][3]);
        half[k / 2] = __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
    }
#endif
}

/* out[r] = the lanes of row r added up, from the halfway sums of all */
INLINE void fold_rest(const vec *half, double *restrict out)
{
#if WIDTH == 8
    vec two_of[2]; /* two lanes of each of four rows */
    for (size_t k = 0; k < 2; k++) {
        const vec a = half[2 * k], b = half[2 * k + 1];
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
INLINE void load_columns(const double *const *row, size_t j, double *restrict first, double *restrict second)
{
#define TWO(r) (*(const pair *)(row[r] + j))
#define FOUR(r, s) __builtin_shufflevector(TWO(r), TWO(s), 0, 1, 2, 3)
#if WIDTH == 8
    const vec a = __builtin_shufflevector(FOUR(0, 2), FOUR(4, 6), 0, 1, 2, 3, 4, 5, 6, 7);
    const vec b = __builtin_shufflevector(FOUR(1, 3), FOUR(5, 7), 0, 1, 2, 3, 4, 5, 6, 7);
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

#endif
