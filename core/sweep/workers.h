/* workers.h -- forked workers: one process a run, at most `jobs` at a time, results back through pipes.
 *
 * A worker dies with its parent. A crash, a time limit or a memory limit costs one run, which becomes a row. */
#ifndef SP_SWEEP_WORKERS_H
#define SP_SWEEP_WORKERS_H

#include "core/store/store.h"

typedef struct sp_run_options {
    size_t jobs;          /* 0: the number of processors */
    double time_limit;    /* seconds a run; 0 = none */
    size_t memory_limit;  /* bytes a run; 0 = none */
    bool fail_fast;       /* stop at the first failed run */
    bool retry_failed;    /* failed rows are run again */
    bool quiet;
    uint64_t shuffle;     /* 0: plan order; else a seed for the order in which runs start (tests) */
} sp_run_options;

/* planned = present + done + failed + remaining */
typedef struct sp_run_summary {
    size_t planned;   /* runs of the plan; the cells it skips have none */
    size_t present;   /* succeeded before, and current */
    size_t done;      /* succeeded now */
    size_t failed;    /* now, or before and not retried */
    size_t remaining; /* not run: interrupted, or stopped at the first failure */
    size_t skipped;   /* cells */
    size_t stale;     /* of those run now: how many had a result that something had changed under */
    bool interrupted;
} sp_run_summary;

/* Everything in plan->cell that the store lacks: references first, then runs; a pending cell has to wait. A reference
 * that cannot be computed makes the measures that need it NaN, with a warning. SIGINT, SIGTERM and SIGHUP stop it
 * cleanly (workers killed, what they had not finished not stored): SP_EINTERRUPTED. Failed runs are rows, not errors.
 * Progress goes to the standard error. */
sp_status sp_run_plan(const sp_plan *, sp_store *, const sp_run_options *, sp_run_summary *, sp_error *);

#endif
