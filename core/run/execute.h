/* execute.h -- executes one run of one cell, from records to measures, in the calling process. */
#ifndef SP_RUN_EXECUTE_H
#define SP_RUN_EXECUTE_H

#include "core/plan/plan.h"
#include "core/run/diverged.h"

typedef struct sp_trace_point {
    size_t step;
    sp_cost cost;
    double seconds; /* of the algorithm, measuring excluded */
    double value[SP_MEASURES_MAX];
} sp_trace_point;

typedef struct sp_result {
    sp_status status;
    int signal;                   /* that killed the worker, else 0 */
    char message[1024];           /* why it failed, "" */
    char warning[1024];           /* sentences for people */
    sp_warning_set warned;        /* their codes */
    size_t unreferenced;          /* bytes of `warning`, its first ones, about F* or P* that is not known; not stored */
    double promise, promise_at_start; /* sp_promised (core/oracle/oracle.h); NAN: nothing was promised */
    sp_divergence diverged;       /* core/run/diverged.h */
    double value[SP_MEASURES_MAX];/* measures of the run, in the cell's order; NAN when failed */
    sp_reference reference;       /* the F* that the measures used; value NAN when there was none */
    sp_reference population;      /* the same of the population, P*; both without their minimisers */
    sp_bounds spent;              /* what the ledger really costs at the cell's delta */
    sp_cost cost;
    size_t steps;                 /* the last checkpoint */
    double handover;              /* the step at which a method went on from another's answer; NAN: none did */
    char *resolved;               /* "eta=0.5:theory steps=9:theory_capped:20", by key: value, where
                                     from, and what it would have been without its cap */
    char *ledger;                 /* sp_ledger_print */
    char content[SP_HASH_HEX];    /* of the records */
    double seconds, elapsed;      /* of the algorithm; of the whole run */
    size_t peak_memory;           /* bytes */
    sp_trace_point *trace;
    size_t traces;
    double *iterate;              /* the one that the method returned, `dimension` entries; NULL: not kept (sp_keeps) */
    size_t dimension;
    uint16_t untraced; /* bit i: along the way the trace has no value of the cell's measure[i], which was taken
                                     later; its value at step 0 is there */
} sp_result;

/* Nothing is known yet: numbers that measure something are NAN. */
void sp_result_start(sp_result *);
/* The run did not succeed: status, message, no values. */
void sp_result_fail(sp_result *, sp_status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* One more warning, "; " between them; and those of a set of codes. */
void sp_result_warn(sp_result *, sp_warning_set, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sp_result_free(sp_result *);

/* The records of a cell: real data once a shape and split, and the population of a problem, shared by every worker
 * (made before forking); generated data made by the process of a run, which keeps the last ones for the next run. */
typedef struct sp_data_pool sp_data_pool;
sp_status sp_data_pool_new(sp_data_pool **);
void sp_data_pool_free(sp_data_pool *);
/* Make the real data of this cell and replicate resident, and its population. */
sp_status sp_data_pool_prepare(sp_data_pool *, const sp_cell *, size_t replicate, sp_error *);

/* Of what F* is: the training records, or the population. */
typedef enum { SP_OF_TRAINING, SP_OF_POPULATION, SP_REFERENCES } sp_reference_of;

/* Does this cell need it, and under which key is it cached (problem, replicate where the records depend on it)? *key is
 * NULL when no measure asks for it; else a new string. SP_ENOMEM. */
sp_status sp_reference_key(const sp_cell *, sp_reference_of, size_t replicate, char **key);
/* Free with sp_reference_free. */
sp_status sp_execute_reference(sp_data_pool *, const sp_cell *, sp_reference_of, size_t replicate,
                               sp_reference *, sp_error *);

/* Is the iterate that a run of this cell returns kept? In few dimensions it is. What is measured at the answer can then
 * be measured later; of a method that returns the mean over its candidates (sp_candidate) there is no such iterate. */
enum { SP_KEPT_DIMENSION = 128 };
bool sp_keeps(const sp_cell *, size_t dimension);

/* The measures of a cell, each of which has to be about the answer, on the iterate that an earlier run returned:
 * result->value, and trace[0] at the start. F* and P* as there; no other part of the result is set, but `content` and,
 * if it failed, why. */
void sp_execute_measures(sp_data_pool *, const sp_cell *, size_t replicate,
                         const sp_reference *const reference[SP_REFERENCES], const double *iterate, size_t dimension,
                         sp_result *);

/* Runs it. Failure is a result, not an error: the result always says what happened. `reference` by sp_reference_of,
 * NULL where it is not known. `log` (may be NULL) gets one line per checkpoint and the ledger at the end: for `rerun`.
 * Measures at checkpoints spaced geometrically in steps. */
void sp_execute(sp_data_pool *, const sp_cell *, size_t replicate,
                const sp_reference *const reference[SP_REFERENCES], void (*log)(const char *line), sp_result *);

#endif
