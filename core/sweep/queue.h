/* queue.h -- what an invocation has to do: runs that the store lacks, and the reference values they need. */
#ifndef SP_SWEEP_QUEUE_H
#define SP_SWEEP_QUEUE_H

#include "core/sweep/workers.h"

typedef struct sp_needed_reference {
    char *key;
    const sp_cell *cell;
    sp_reference_of of;
    size_t replicate;
    bool known;
    sp_reference value;
    sp_status status; /* how its computation ended; SP_OK when it was not tried */
    char *failure;    /* why it is not known, a new string; NULL when it was not tried or is known */
} sp_needed_reference;

/* What a run lacks that its stored iterate tells. */
typedef struct sp_to_measure {
    sp_cell part;          /* the cell with these measures alone */
    const sp_measure *list[SP_MEASURES_MAX]; /* they */
    double *iterate;
    size_t dimension;
} sp_to_measure;

typedef struct sp_job {
    const sp_cell *cell;
    size_t replicate;
    sp_to_measure *measure;         /* NULL: the run is to be made */
    size_t shares;                  /* runs of the plan that it answers */
    sp_needed_reference *reference[SP_REFERENCES]; /* NULL: not needed */
} sp_job;

/* Why runs that are there are made or measured again. */
typedef struct sp_reason {
    char *text;
    bool measure;
    size_t runs;
} sp_reason;

typedef struct sp_queue {
    const sp_cell *plan;  /* its cells */
    size_t cells;
    const sp_cell **cell; /* the plan's; where several sweeps have the same run, the first of its cells stands for all
                             and is a copy that asks for the measures and the trace of all */
    size_t *leader;     /* of each cell: the index of the one that stands for it */
    size_t *member;     /* of each cell: the next one with the same leader, in plan order; plan->cells: the last */
    sp_job *job;        /* in plan order, but that runs on the same records follow the first of them; or shuffled */
    size_t jobs;
    sp_needed_reference *reference;
    size_t references;
    sp_reason *reason;
    size_t reasons;
} sp_queue;

/* Adds the summary's planned, present, failed (kept from before), skipped, stale and remaining. */
sp_status sp_queue_make(const sp_plan *, sp_store *, const sp_run_options *, sp_queue *, sp_run_summary *, sp_error *);
/* The cell that a job computes. */
const sp_cell *sp_job_cell(const sp_job *);
void sp_queue_free(sp_queue *);

#endif
