/* stream.c -- implements the streams of stream.h: Philox4x64-10 as a generator of GSL.
 *
 * key    = the first 16 bytes, big-endian, of SHA-256("stillpoint stream" seed axes replicate purpose), where each
 *          field is text that ends with a NUL byte
 * word i = word (i mod 4) of Philox(key, counter = floor(i / 4) + 2^64 substream), i = 0, 1, ... */
#include "core/numeric/stream.h"

#include "core/base/hash.h"

#include <Random123/philox.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

/* The names enter the key, not the numbers: a new purpose moves no stream. */
static const char *const purposes[] = {
    [SP_STREAM_DATA] = "data",
    [SP_STREAM_TRUTH] = "truth",
    [SP_STREAM_POPULATION] = "population",
    [SP_STREAM_START] = "start",
    [SP_STREAM_COINS] = "coins",
    [SP_STREAM_SAMPLING] = "sampling",
    [SP_STREAM_NOISE] = "noise",
    [SP_STREAM_SELECTION] = "selection",
    [SP_STREAM_MEASURE] = "measure",
    [SP_STREAM_BOOTSTRAP] = "bootstrap",
};

static void hash_number(sp_hash *hash, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    sp_hash_text(hash, text);
}

sp_stream_key sp_stream_key_of(uint64_t seed, const char *axes, uint64_t replicate, sp_purpose purpose)
{
    sp_hash hash;
    unsigned char bytes[SP_HASH_SIZE];
    sp_hash_start(&hash);
    sp_hash_text(&hash, "stillpoint stream");
    hash_number(&hash, seed);
    sp_hash_text(&hash, axes);
    hash_number(&hash, replicate);
    sp_hash_text(&hash, purposes[purpose]);
    sp_hash_end(&hash, bytes);
    sp_stream_key key = { { 0, 0 } };
    for (size_t i = 0; i < 16; i++)
        key.word[i / 8] = key.word[i / 8] << 8 | bytes[i];
    return key;
}

void sp_stream_block(sp_stream_key key, const uint64_t counter[4], uint64_t out[4])
{
    const philox4x64_ctr_t in = { { counter[0], counter[1], counter[2], counter[3] } };
    const philox4x64_key_t k = { { key.word[0], key.word[1] } };
    const philox4x64_ctr_t block = philox4x64_R(10, in, k);
    for (size_t i = 0; i < 4; i++)
        out[i] = block.v[i];
}

/* The state is plain memory: gsl_rng_clone and gsl_rng_memcpy copy it. */
static void restart(void *memory, sp_stream_key key)
{
    *(sp_stream_state *)memory = (sp_stream_state){ .key = key, .used = 4 };
}

static void set(void *memory, unsigned long seed)
{
    restart(memory, (sp_stream_key){ { seed, 0 } });
}

static unsigned long get(void *memory)
{
    sp_stream_state *s = memory;
    if (s->used == 4) {
        sp_stream_block(s->key, s->counter, s->word);
        for (size_t i = 0; i < 4 && ++s->counter[i] == 0; i++) /* carry */
            ;
        s->used = 0;
    }
    return s->word[s->used++];
}

static double get_double(void *memory)
{
    return (double)(get(memory) >> 11) * 0x1p-53;
}

static const gsl_rng_type type = { "philox4x64-10", ULONG_MAX, 0, sizeof(sp_stream_state), set, get, get_double };
const gsl_rng_type *const sp_stream_rng = &type;

gsl_rng *sp_stream_open(sp_stream_key key)
{
    gsl_rng *rng = gsl_rng_alloc(sp_stream_rng);
    if (rng)
        restart(rng->state, key);
    return rng;
}

gsl_rng *sp_stream_place(sp_stream *place, sp_stream_key key)
{
    place->rng = (gsl_rng){ sp_stream_rng, &place->state };
    restart(&place->state, key);
    return &place->rng;
}

void sp_stream_at(gsl_rng *rng, uint64_t index)
{
    sp_stream_state *s = rng->state;
    for (size_t i = 0; i < 4; i++)
        s->counter[i] = i == 1 ? index : 0;
    s->used = 4; /* the words are nobody's */
}

uint64_t sp_stream_step(gsl_rng *rng, sp_stream_key *key)
{
    const sp_stream_state *s = rng->state;
    const uint64_t step = s->counter[1];
    *key = s->key;
    sp_stream_at(rng, step + 1);
    return step;
}
