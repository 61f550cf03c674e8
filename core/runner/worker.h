/* worker.h -- one run in a process of its own, its result through a pipe. */
#ifndef SP_RUNNER_WORKER_H
#define SP_RUNNER_WORKER_H

#include "core/runner/execute.h"

#include <sys/types.h>

/* The run, in the worker; fills the result. */
typedef void (*sp_work)(const void *context, sp_result *);

typedef struct sp_worker {
    pid_t process;
    int pipe;              /* read end, non-blocking */
    char *bytes;           /* received so far */
    size_t size, room;
    double started, limit; /* seconds; limit 0 = none */
    size_t memory_limit;
    bool late;             /* killed at its time limit */
} sp_worker;

/* Forks. The worker dies with this process, does not answer to the terminal's Ctrl-C (this process kills it), holds no
 * descriptor but its pipe and the standard ones, and may add at most `memory_limit` bytes (0: any) to its memory. */
sp_status sp_worker_start(sp_worker *, sp_work, const void *context, double time_limit, size_t memory_limit,
                          sp_error *);
/* Takes what the pipe holds; true when the worker has finished or died. */
bool sp_worker_read(sp_worker *);
/* Seconds until its time limit; INFINITY when there is none or it was killed for it. */
double sp_worker_left(const sp_worker *, double now);
void sp_worker_kill(sp_worker *, bool late);
/* Waits for its end, frees it; the result says what happened, whatever happened. */
void sp_worker_finish(sp_worker *, sp_result *);

#endif
