/* replay.h -- a run made once more in this process, with the same streams, as `rerun` and `verify` do. */
#ifndef SP_CLI_VERBS_REPLAY_H
#define SP_CLI_VERBS_REPLAY_H

#include "core/store/import.h"
#include "core/export/table_runs.h"

/* The run with its F* and P*; a cell that is not skipped. `log` as in sp_execute. What could not be had (records, a
 * reference value) is an error; that the run failed is its result. */
sp_status sp_replay_run(sp_data_pool *, const sp_cell *, size_t replicate, void (*log)(const char *line), sp_result *,
                       sp_error *);

/* Runs a run of tables again: the first field in which it differs, as in sp_result_difference, both empty where it is
 * equal in all. Errors as of sp_replay_run. */
sp_status sp_run_compare(sp_data_pool *, const sp_table_run *, sp_text *theirs, sp_text *ours, sp_error *);

/* An upper bound, with 95 % confidence, on the share of runs that differ when `differ` of a random sample do
 * (Clopper and Pearson; 1 - 0.05^(1/sample) when none does). 1 without a sample. */
double sp_share_at_most(size_t differ, size_t sample);
/* "at most 1 % of the runs differ, with 95 % confidence: 299 runs", rounded up to two digits; where the sample holds all of
 * them, "no run differs: all 12 were rerun". */
void sp_share_print(size_t differ, size_t sample, size_t all, sp_text *out);

#endif
