/* tasks.h -- the tasks of a sweep: how many there are, how they are cut, and which are not done. */
#ifndef SP_CLUSTER_TASKS_H
#define SP_CLUSTER_TASKS_H

#include "core/session/session.h"
#include "core/cluster/shards.h"

/* SP_EINVAL where only some runs are picked, or those of several seeds: tasks are of all runs of one. */
sp_status sp_tasks_of_all(const sp_picked *, size_t seeds, sp_error *);
/* How many tasks the files in the folder of the shards are of; 0: there is none. SP_EINVAL when they are of several
 * numbers. */
sp_status sp_tasks_there(const sp_session *, size_t *of, sp_error *);
/* What the parts are balanced by: timings that lie beside the shards or, where no task has begun, those of stored runs of
 * this scale, or of the scale smoke; `keep` writes these beside the shards, also that there are none. */
sp_status sp_tasks_balance(const sp_session *, const sp_common *, bool keep, sp_balance *, sp_error *);
/* lacks[k], k from 1 to `of`, of which the caller has allocated of + 2: has task k runs that are neither in the store nor in
 * a finished file that `merge` takes and that is of the part which the task has now (why one is none is said on the standard
 * error)? */
sp_status sp_tasks_lack(const sp_session *, size_t of, const sp_balance *, bool *lacks, sp_error *);
/* Those of 1 to `of` (of + 2 are allocated) that are true as "3,17,90-95". */
void sp_tasks_list(const bool *of_tasks, size_t of, sp_text *);
/* What lacks in this form; "" when all is there. */
sp_status sp_tasks_missing(const sp_session *, size_t of, const sp_balance *, sp_text *, sp_error *);

#endif
