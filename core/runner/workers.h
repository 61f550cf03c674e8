/* workers.h -- forked workers: one process a run, at most `jobs` at a time, results back through pipes.
 *
 * A worker dies with its parent. A crash, a time limit or a memory limit costs one run, which becomes a row. */
#ifndef SP_RUNNER_WORKERS_H
#define SP_RUNNER_WORKERS_H

#include "core/runner/store.h"

typedef struct sp_run_options {
    size_t jobs;          /* 0: the number of processors */
    double time_limit;    /* seconds a run; 0 = none */
    size_t memory_limit;  /* bytes a run; 0 = none */
    bool fail_fast;       /* stop at the first failed run */
    bool retry_failed;    /* failed rows are run again */
    bool quiet;
    uint64_t shuffle;     /* 0: plan order; else a seed for the order in which runs start (tests) */
} sp_run_options;

typedef struct sp_run_summary {
    size_t planned, present, done, failed, skipped, stale, remaining;
    bool interrupted;
} sp_run_summary;

/* Everything in the plan that the store lacks: references first, then runs. SIGINT and SIGTERM stop it cleanly (workers
 * killed, store closed): SP_EINTERRUPTED. Failed runs are rows, not errors. */
sp_status sp_run_plan(const sp_plan *, sp_store *, const sp_run_options *, sp_run_summary *, sp_error *);

#endif
