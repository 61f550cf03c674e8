/* task.h -- which part of a sweep the runs of a store are: a row an invocation of `run --shard`, beside what else is known of
 * who made them (provenance.h). */
#ifndef SP_CLUSTER_TASK_H
#define SP_CLUSTER_TASK_H

#include "core/store/store.h"

enum { SP_SHARD_TEXT = 24 };

typedef struct sp_task_row {
    char shard[SP_SHARD_TEXT]; /* "17/200"; "": nothing is recorded */
    char balance[SP_HASH_HEX]; /* SHA-256 of the timings that the sweep was cut by (core/cluster/balance.h); "": sizes alone */
    char part[SP_HASH_HEX];    /* SHA-256 of the runs that this gave to the part (core/cluster/shards.h) */
} sp_task_row;

/* Of the invocation that was stored before. */
sp_status sp_store_put_task(sp_store *, const sp_task_row *, sp_error *);
/* Of the last invocation: empty texts where it has none, as in files of older programs. SP_EDATA when it is damaged. */
sp_status sp_store_get_task(sp_store *, sp_task_row *, sp_error *);

#endif
