/* philox.h -- random words by Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"),
 * computed eight blocks at a time. It is included by kernels, once per instruction set (isa.h). With A = 0xd2511f53 and
 * B = 0xcd9e8d57 a round on the counter c and the key k is
 *
 *   (c0, c1, c2, c3) <- (high(B c2) ^ c1 ^ k0, low(B c2), high(A c0) ^ c3 ^ k1, low(A c0)),
 *   (k0, k1) <- (k0 + 0x9e3779b9, k1 + 0xbb67ae85)
 *
 * Each 32-bit word is the lower half of a 64-bit lane. Then a full product takes one instruction and its high half one
 * shift, and nothing moves between lanes. That instruction is requested by name, because gcc would use three of them
 * for a product of 64-bit lanes. */
#ifndef SP_NUMERIC_PHILOX_H
#define SP_NUMERIC_PHILOX_H

#include "core/numeric/isa.h"
#include "core/numeric/math.h"
#include "core/numeric/stream.h"

#include <string.h>

enum { SP_PHILOX_LANES = 8, SP_PHILOX_WORDS = 4 * SP_PHILOX_LANES, SP_PHILOX_ROUNDS = 10 };

/* Which blocks: (counter[0] + i, counter[1], counter[2], counter[3]), i < SP_PHILOX_LANES. */
typedef struct sp_philox_place {
    uint32_t key[2], counter[4];
} sp_philox_place;

/* Blocks `block` + i of step `step` of a stream, block + i < 2^32. All 128 bits of the stream's key are in it: two
 * streams have a block in common when their keys are equal. */
static inline sp_philox_place sp_philox_at(sp_stream_key key, uint64_t step, uint64_t block)
{
    const uint64_t rest = key.word[1] + (step >> 32);
    return (sp_philox_place){ { (uint32_t)key.word[0], (uint32_t)(key.word[0] >> 32) },
                              { (uint32_t)block, (uint32_t)step, (uint32_t)rest, (uint32_t)(rest >> 32) } };
}

/* word[SP_PHILOX_LANES k + i] is word k, k < 4, of block i. */
typedef void sp_philox(const sp_philox_place *, uint64_t *restrict word);

/* Two words as a number in [0, 1), a multiple of 2^-53: 32 bits behind 2^20, 21 behind 1/2; all sums are exact. */
static inline double sp_philox_uniform(uint64_t high, uint64_t low)
{
    return (sp_double(high | 0x4130000000000000) - (0x1p20 + 0.5)) + sp_double(low >> 11 | 0x3fe0000000000000);
}

#ifdef SP_ISA_X86
#include <immintrin.h>
#define SP_PRODUCT_baseline(a, b) (sp_words_baseline)_mm_mul_epu32((__m128i)(a), _mm_set1_epi64x(b))
#define SP_PRODUCT_avx2(a, b)     (sp_words_avx2)_mm256_mul_epu32((__m256i)(a), _mm256_set1_epi64x(b))
#define SP_PRODUCT_avx512(a, b)   (sp_words_avx512)_mm512_mul_epu32((__m512i)(a), _mm512_set1_epi64(b))
#else
#define SP_PRODUCT_baseline(a, b) (((a) & UINT32_MAX) * (uint64_t)(b))
#define SP_PRODUCT_avx2           SP_PRODUCT_baseline
#define SP_PRODUCT_avx512         SP_PRODUCT_baseline
#endif

#define SP_PHILOX_ON(set, width)                                                                                      \
    typedef uint64_t sp_words_##set __attribute__((vector_size(width)));                                              \
    SP_TARGET_##set static inline void sp_philox_##set(const sp_philox_place *at, uint64_t *restrict word)            \
    {                                                                                                                 \
        static const uint64_t lane[SP_PHILOX_LANES] = { 0, 1, 2, 3, 4, 5, 6, 7 };                                     \
        for (size_t i = 0; i < SP_PHILOX_LANES; i += width / sizeof *lane) {                                          \
            uint32_t k0 = at->key[0], k1 = at->key[1];                                                                \
            sp_words_##set c0, c1 = (sp_words_##set){ 0 } + at->counter[1],                                           \
                           c2 = (sp_words_##set){ 0 } + at->counter[2], c3 = (sp_words_##set){ 0 } + at->counter[3];  \
            memcpy(&c0, lane + i, width);                                                                             \
            c0 += at->counter[0];                                                                                     \
            for (int round = 0; round < SP_PHILOX_ROUNDS; round++) {                                                  \
                const sp_words_##set a = SP_PRODUCT_##set(c0, 0xd2511f53), b = SP_PRODUCT_##set(c2, 0xcd9e8d57);      \
                c0 = b >> 32 ^ c1 ^ k0;                                                                               \
                c1 = b;                                                                                               \
                c2 = a >> 32 ^ c3 ^ k1;                                                                               \
                c3 = a;                                                                                               \
                k0 += 0x9e3779b9;                                                                                     \
                k1 += 0xbb67ae85;                                                                                     \
            }                                                                                                         \
            c0 &= UINT32_MAX;                                                                                         \
            c1 &= UINT32_MAX;                                                                                         \
            c2 &= UINT32_MAX;                                                                                         \
            c3 &= UINT32_MAX;                                                                                         \
            memcpy(word + i, &c0, width);                                                                             \
            memcpy(word + SP_PHILOX_LANES + i, &c1, width);                                                           \
            memcpy(word + 2 * SP_PHILOX_LANES + i, &c2, width);                                                       \
            memcpy(word + 3 * SP_PHILOX_LANES + i, &c3, width);                                                       \
        }                                                                                                             \
    }
SP_PHILOX_ON(baseline, 16)
SP_PHILOX_ON(avx2, 32)
SP_PHILOX_ON(avx512, 64)

#endif
