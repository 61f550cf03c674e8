/* philox_words.c -- opens a generator of words on a fresh step of a stream, and refills its block. */
#include "core/numeric/philox_words.h"

static inline void fill(sp_philox *philox, sp_philox_words *w)
{
    for (size_t g = 0; g < SP_WORDS_GROUPS; g++) {
        philox(&w->next, w->word + g * SP_PHILOX_WORDS);
        w->next.counter[0] += SP_PHILOX_LANES;
    }
}

#define FILL_ON(set) SP_KERNEL_ON(set, void, fill, (sp_philox_words *w), fill(sp_philox_##set, w))
FILL_ON(baseline)
FILL_ON(avx2)
FILL_ON(avx512)
static void (*const fill_on[SP_ISAS])(sp_philox_words *) = { fill_baseline, fill_avx2, fill_avx512 };

void sp_philox_words_open(sp_philox_words *w, gsl_rng *stream)
{
    sp_stream_key key;
    const uint64_t step = sp_stream_step(stream, &key);
    w->next = sp_philox_at(key, step, 0);
    w->left = 0;
}

void sp_philox_words_fill(sp_philox_words *w)
{
    fill_on[sp_isa_in_use()](w);
    w->left = SP_WORDS;
}
