/* slurm.h -- submits the tasks of a sweep that are not done as array jobs of Slurm. */
#ifndef SP_CLUSTER_SLURM_H
#define SP_CLUSTER_SLURM_H

#include "core/session/session.h"

/* How to submit. The texts are handed to sbatch; NULL: its default. */
typedef struct sp_submission {
    const sp_common *common;
    bool dry; /* submit nothing; `say` gets the script and the commands */
    const char *time, *memory, *partition, *processors;
    char *const *word; /* further options of sbatch */
    size_t words;
    void (*say)(const char *text); /* one line of output, without its end */
} sp_submission;

/* The sweep has `of` tasks. A task is submitted unless its runs are in the store or in a finished file of
 * results/EXPERIMENT/shards/, or it is in Slurm's queue. The store of the session is open for reading, where there is
 * one. SP_EINVAL: the tables there are of another script. SP_EABSENT: there is no sbatch. SP_EIO: sbatch failed. */
sp_status sp_slurm_submit(const sp_session *, const sp_submission *, size_t of, sp_error *);

#endif
