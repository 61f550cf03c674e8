/* ranks.h -- `run --shard auto`: the processes that mpirun or srun has started share the parts of a sweep (shards.h).
 *
 * They send no messages. Each process takes one part after the other, claims it by a file in the folder of the parts
 * (part_claim.h), and computes it as `run --shard K/N` does, until every part is done. It waits for parts that others
 * have claimed, and takes over those whose process is gone. */
#ifndef SP_CLUSTER_RANKS_H
#define SP_CLUSTER_RANKS_H

#include "core/cluster/shard.h"

typedef struct sp_ranks {
    size_t rank, size; /* rank from 0 to size - 1 */
} sp_ranks;

/* From the environment of mpirun (Open MPI, MPICH) or of a step that srun has started. SP_EINVAL: neither has started
 * this process. */
sp_status sp_ranks_find(sp_ranks *, sp_error *);

/* Computes parts until all are done; rank 0 then merges them. *goes_on, of rank 0 alone: all parts are merged, and
 * the process continues as `run` does. SP_EINTERRUPTED: a signal came, or parts could not be done; what was computed
 * is saved, and the same command continues. The other arguments are those of sp_run_shard. */
sp_status sp_run_ranks(const sp_ranks *, const char *experiment, const sp_common *, bool fetch, const sp_run_options *,
                       int argc, char *const *argv, bool *goes_on, sp_error *);

#endif
