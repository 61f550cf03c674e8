/* task_load.h -- how much each task of a sweep has to do: runs, time, memory and disk. */
#ifndef SP_CLUSTER_TASK_LOAD_H
#define SP_CLUSTER_TASK_LOAD_H

#include "core/cluster/balance.h"
#include "core/session/session.h"

/* Over the tasks. */
typedef struct sp_spread {
    double least, median, most;
} sp_spread;

typedef struct sp_task_load {
    sp_spread runs, seconds; /* seconds on one processor */
    bool timed;              /* runs are stored that say how long runs take; without them `seconds` means nothing */
    bool guessed;            /* some cells have no stored run: n d and the other runs of the method give their seconds */
    double plan_memory;      /* bytes that the plan of a task takes */
    double worker_memory;    /* bytes, the most that a stored run took; 0: none is stored */
    double disk;             /* bytes of the largest task's store; NAN: no run is stored */
} sp_task_load;

/* Of a sweep in `of` tasks. SP_ENOMEM. */
sp_status sp_task_load_find(const sp_session *, size_t of, const sp_balance *, sp_task_load *, sp_error *);

#endif
