/* shard_check.h -- is the file of a task the part of the sweep that the task has now? Timings may have come or gone since
 * (core/cluster/balance.h), or data sets. */
#ifndef SP_CLUSTER_SHARD_CHECK_H
#define SP_CLUSTER_SHARD_CHECK_H

#include "core/cluster/task.h"

#include <stdbool.h>

/* Does a file that says `has` have all runs of the part? Where not, `why` is said, in words that follow a colon. */
enum { SP_SHARD_WHY = 256 };
bool sp_shard_check(const sp_task_row *has, const sp_task_row *now, char why[SP_SHARD_WHY]);

#endif
