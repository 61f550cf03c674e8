/* shards.h -- a plan in parts, for as many tasks of a cluster: which runs belong to task k of N, counted from 1.
 *
 * Runs stand in the order of their records (the text of their data set, then the replicate, then the cell's text), so
 * that a task meets few data sets; a point whose parameters a grid chooses is one piece with all its tuning runs, the
 * members of its family and the entries that borrow its winner. Each run has a weight (balance.h), and part k has the runs
 * that begin within the k-th of N equal shares of it: every process that has the same weights has the same parts. */
#ifndef SP_CLUSTER_SHARDS_H
#define SP_CLUSTER_SHARDS_H

#include "core/base/hash.h"
#include "core/cluster/task.h"
#include "core/cluster/balance.h"

enum { SP_SHARDS_MAX = 1000000 };

typedef struct sp_shard {
    size_t number, of; /* 17 of 200 */
} sp_shard;

/* "17/200"; SP_EINVAL says what it should be. */
sp_status sp_shard_read(const char *text, sp_shard *, sp_error *);
void sp_shard_text(sp_shard, char out[SP_SHARD_TEXT]); /* the same text again */
/* "017-of-200.sqlite", and with `part` "017-of-200.part.sqlite": a new string. */
char *sp_shard_name(sp_shard, bool part);

/* One piece: replicate `replicate` of `cell` (the first of the cells that are the same run), or a whole tuning. */
typedef struct sp_piece_of_plan {
    const sp_cell *cell;
    size_t replicate;
    const sp_tuning *tuning; /* NULL: none */
    size_t runs;             /* with tuning runs; a run that several sweeps share counts once */
    size_t task;             /* 1 to N */
} sp_piece_of_plan;
/* Every piece, in the order of the tasks. */
sp_status sp_shards_walk(const sp_plan *, size_t of, const sp_balance *,
                         void (*take)(void *context, const sp_piece_of_plan *), void *context, sp_error *);

/* Which runs a part has: SHA-256 over its pieces, in their order, each with the bytes that its records come from. With the
 * script and its scale it is all that they depend on. */
void sp_part_start(sp_hash *, const sp_plan *, sp_shard);
void sp_part_add(sp_hash *, const sp_piece_of_plan *);

/* Leaves out what is not the shard's: cells, and replicates of cells. part: which runs are. */
sp_status sp_plan_shard(sp_plan *, sp_shard, const sp_balance *, char part[SP_HASH_HEX], sp_error *);

#endif
