/* workers.h -- a sweep on forked workers: at most `jobs` processes at a time, each of which is given one run after the
 * other through a socket and sends the result back.
 *
 * A worker dies with its parent. A crash, a time limit or a memory limit costs one run, which becomes a row. Time for
 * which the program was stopped does not count. A run whose worker somebody else killed (an operator, the system out
 * of memory) is made again, twice; then it becomes a row that says so. */
#ifndef SP_SWEEP_WORKERS_H
#define SP_SWEEP_WORKERS_H

#include "core/store/store.h"

typedef struct sp_run_options {
    size_t jobs;          /* 0: the number of processors; fewer where no more files may be open */
    double time_limit;    /* seconds a run; 0 = none */
    size_t memory_limit;  /* bytes a run; 0 = none */
    bool fail_fast;       /* stop at the first failed run */
    bool retry_failed;    /* failed rows are run again; those that only lack a reference value always are */
    bool again;           /* so is what is current; its row stays until the new one is stored. Tuning runs are not */
    bool quiet;
    void (*save)(void *context); /* called between rows, at most so often, once rows were stored; NULL: never */
    void *save_context;
    double save_every;    /* seconds */
    uint64_t shuffle;     /* 0: plan order; else a seed for the order in which runs start (tests) */
} sp_run_options;

/* planned = present + done + failed + remaining */
typedef struct sp_run_summary {
    size_t planned;   /* runs of the plan; cells that are skipped or left out have none */
    size_t present;   /* succeeded before, and current */
    size_t done;      /* succeeded now */
    size_t failed;    /* now, or before and not retried */
    size_t remaining; /* not run: interrupted, or stopped at the first failure */
    size_t skipped;   /* cells */
    size_t stale;     /* of those run now: how many had a result that something had changed under */
    bool interrupted;
} sp_run_summary;

/* Everything in plan->cell that the store lacks: references first, then runs; a pending cell has to wait. A reference
 * that does not exist (the objective is nowhere finite) makes the measures that need it NaN, with a warning. One that
 * could not be computed (its worker died, met a limit, found no memory or no data) fails the runs that need it
 * (SP_EREFERENCE): they and the reference are tried again by the next call, whatever its options. SIGINT, SIGTERM,
 * SIGHUP and a standard error that nobody reads any more (where SIGPIPE is ignored) stop it cleanly (workers killed, what they had not finished not
 * stored): SP_EINTERRUPTED. Failed runs are rows, not errors. Progress goes to the standard error. */
sp_status sp_run_plan(const sp_plan *, sp_store *, const sp_run_options *, sp_run_summary *, sp_error *);

/* How many workers there are to be at a time, of `jobs` that are asked for (sp_run_options). Unless quiet it says on the
 * standard error when they are fewer. */
size_t sp_worker_slots(size_t jobs, bool quiet);

#endif
