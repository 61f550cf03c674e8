/* philox_words.h -- uniform 32-bit words for drawing mini-batches, computed many at a time (Philox4x32-10, which is
 * counter-based). They use the counters of normal.h, so one step of a stream (stream.h) gives either normal numbers or
 * words: sp_philox_words_open takes a fresh step, which keeps the two independent. No allocation. */
#ifndef SP_NUMERIC_PHILOX_WORDS_H
#define SP_NUMERIC_PHILOX_WORDS_H

#include "core/numeric/philox.h"

enum { SP_WORDS_GROUPS = 4, SP_WORDS = SP_WORDS_GROUPS * SP_PHILOX_WORDS };

/* Word k of block 8 g + i is number 32 g + 8 k + i. */
typedef struct sp_philox_words {
    sp_philox_place next;
    size_t left;
    _Alignas(64) uint64_t word[SP_WORDS]; /* the last `left` are still to be given */
} sp_philox_words;

/* The next step of the stream, from its first word on; up to 2^34 of them. */
void sp_philox_words_open(sp_philox_words *, gsl_rng *stream);
/* The next SP_WORDS words; what was left of the last ones is lost. */
void sp_philox_words_fill(sp_philox_words *);

static inline uint32_t sp_philox_words_next(sp_philox_words *w)
{
    if (w->left == 0)
        sp_philox_words_fill(w);
    return (uint32_t)w->word[SP_WORDS - w->left--];
}

/* Uniform on 0 .. n - 1, n > 0 (Lemire 2019): high(word n) is below n, and uniform once the first 2^32 mod n words of
 * each of the n ranges are drawn anew; a division only where a word is that low. */
static inline uint32_t sp_philox_words_below(sp_philox_words *w, uint32_t n)
{
    uint64_t product = (uint64_t)sp_philox_words_next(w) * n;
    if ((uint32_t)product < n)
        for (const uint32_t least = -n % n; (uint32_t)product < least;)
            product = (uint64_t)sp_philox_words_next(w) * n;
    return (uint32_t)(product >> 32);
}

#endif
