/* stream.h -- counter-based random streams (Philox4x64-10, Salmon et al. 2011, from Random123). There is no global
 * generator.
 *
 * A stream is named by (root seed, axes, replicate, purpose). Its 128-bit Philox key is the head of the SHA-256 of
 * that name, so streams that differ in any part are independent, and no stream depends on how many numbers another
 * one drew. `axes` is canonical text of the parameters on which the stream depends: those of the problem for
 * SP_STREAM_DATA and SP_STREAM_START (so every method and every epsilon has the same data), all of the cell's for the
 * others. */
#ifndef SP_NUMERIC_STREAM_H
#define SP_NUMERIC_STREAM_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

typedef enum {
    SP_STREAM_DATA,        /* generated records, shuffles and splits */
    SP_STREAM_TRUTH,       /* what generated records share (w*, ...): of the problem, not of a replicate */
    SP_STREAM_POPULATION,  /* the fresh records that stand for the distribution */
    SP_STREAM_START,       /* the starting point */
    SP_STREAM_COINS,       /* an algorithm's public, data-independent randomness */
    SP_STREAM_SAMPLING,    /* secret: which records a batch holds */
    SP_STREAM_NOISE,       /* secret: privacy noise */
    SP_STREAM_SELECTION,   /* secret: noise of private choices */
    SP_STREAM_MEASURE,     /* randomness inside measures and references */
    SP_STREAM_BOOTSTRAP    /* resampling in the statistics */
} sp_purpose;

typedef struct sp_stream_key {
    uint64_t word[2];
} sp_stream_key;

sp_stream_key sp_stream_key_of(uint64_t seed, const char *axes, uint64_t replicate, sp_purpose purpose);

/* The 4 words of block `counter` of the stream: random access. */
void sp_stream_block(sp_stream_key key, const uint64_t counter[4], uint64_t out[4]);

/* A gsl_rng over the stream, from block 0 on: 64 random bits a get, uniform() in [0, 1) with 53 bits. Every GSL
 * distribution works on it. NULL when out of memory; free with gsl_rng_free. */
extern const gsl_rng_type *const sp_stream_rng;
gsl_rng *sp_stream_open(sp_stream_key key);

/* The same rng in the caller's memory, without an allocation: valid while *place stays where it is; do not free it. */
typedef struct sp_stream_state {
    sp_stream_key key;
    uint64_t counter[4]; /* of the next block */
    uint64_t word[4];
    unsigned used;       /* words of this block already given */
} sp_stream_state;
typedef struct sp_stream {
    gsl_rng rng;
    sp_stream_state state;
} sp_stream;
gsl_rng *sp_stream_place(sp_stream *place, sp_stream_key key);

/* Moves `rng` (of sp_stream_open or sp_stream_place) to the start of its substream `index`, whose blocks have the
 * counters (., index, 0, 0): 2^64 substreams of 2^66 draws that do not overlap. A stream opens in substream 0. */
void sp_stream_at(gsl_rng *rng, uint64_t index);

/* What takes many numbers at once (normal.h, words.h) takes them from a step of the stream: the number of the substream
 * that `rng` is in, and its key. `rng` moves to the start of the next one. */
uint64_t sp_stream_step(gsl_rng *rng, sp_stream_key *key);

#endif
