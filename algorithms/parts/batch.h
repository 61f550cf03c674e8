/* batch.h -- the parameters of a stochastic gradient: the batch (b of n records) and how each record's part is clipped
 * or normalised. */
#ifndef SP_ALGORITHMS_PARTS_BATCH_H
#define SP_ALGORITHMS_PARTS_BATCH_H

#include "algorithms/algorithm.h"

/* All records, or a subset of b drawn anew, or each record with probability b / n. */
#define SP_BATCHES "subset|poisson"
typedef enum { SP_BATCH_SUBSET, SP_BATCH_POISSON } sp_batch_kind;

static inline sp_sample sp_sample_of(size_t n, size_t b, sp_batch_kind kind)
{
    return b == n ? sp_full() : kind == SP_BATCH_SUBSET ? sp_subset(b) : sp_poisson((double)b / (double)n);
}

/* A record's gradient g cut to norm C, or C g / (||g|| + offset). */
#define SP_MAPS "clip|normalise"
typedef enum { SP_MAP_CLIP, SP_MAP_NORMALISE } sp_map_kind;

#endif
