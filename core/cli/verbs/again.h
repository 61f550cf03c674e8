/* again.h -- a run made once more in this process, with the same streams, as `rerun` and `verify` do. */
#ifndef SP_VERBS_AGAIN_H
#define SP_VERBS_AGAIN_H

#include "core/run/execute.h"

/* The run with its F* and P*; a cell that is not skipped. `log` as in sp_execute. What could not be had (records, a
 * reference value) is an error; that the run failed is its result. */
sp_status sp_run_again(sp_data_pool *, const sp_cell *, size_t replicate, void (*log)(const char *line), sp_result *,
                       sp_error *);

#endif
