/* worker.h -- a worker: a forked process that executes runs one after the other and sends the results through a
 * socket. */
#ifndef SP_RUN_WORKER_H
#define SP_RUN_WORKER_H

#include "core/run/execute.h"

#include <sys/types.h>

/* The run, in the worker; fills the result. */
typedef void (*sp_work)(const void *task, sp_result *);

typedef struct sp_worker {
    pid_t process;
    int socket;            /* non-blocking */
    char *bytes;           /* received so far */
    size_t size, room;
    double started, limit; /* seconds; of this run; limit 0 = none. What does not count has been added to `started` */
    double stopped;        /* by a signal, since then; NAN: it is not */
    size_t memory_limit;
    size_t tasks;          /* given so far */
    bool late;             /* killed at its time limit */
    bool lost;             /* killed because there was no memory for its result */
} sp_worker;

/* Forks. The worker begins with `task`, of `size` bytes: it has a copy, and whatever they point to as it is now. It
 * dies with this process, does not answer to the terminal's Ctrl-C (this process kills it), holds no descriptor but its
 * socket and the standard ones, and may add at most `memory_limit` bytes (0: any) to its memory. Its time begins when
 * it has been forked. SP_ELIMIT: no further process is allowed (ulimit -u); SP_EIO. */
sp_status sp_worker_start(sp_worker *, sp_work, const void *task, size_t size, double time_limit, size_t memory_limit,
                          sp_error *);
/* Another task of the same size for a worker whose result has been taken. One that does not arrive is a death. */
void sp_worker_again(sp_worker *, const void *task, size_t size, double time_limit);
/* Takes what the socket holds; true when the result is there or the worker died. */
bool sp_worker_read(sp_worker *);
/* Seconds until its time limit; INFINITY when there is none, it was killed for it, or it is stopped (SIGSTOP). */
double sp_worker_left(const sp_worker *, double now);
/* Has a signal stopped or continued it? To be called at every SIGCHLD: the time between does not count. */
void sp_worker_notice(sp_worker *, double now);
/* So many of the last seconds do not count: this process was stopped and cannot say whether the worker was, too. */
void sp_worker_excuse(sp_worker *, double seconds, double now);
void sp_worker_kill(sp_worker *, bool late);
/* The result says what happened, whatever happened. False: the worker has died, and is freed. */
bool sp_worker_take(sp_worker *, sp_result *);
/* Whether such a death is not the run's own doing: somebody, or the system out of memory, has killed the worker. */
bool sp_killed_from_outside(const sp_result *);
/* Waits for the end of one whose result has been taken, or that was killed, and frees it. */
void sp_worker_end(sp_worker *);

#endif
