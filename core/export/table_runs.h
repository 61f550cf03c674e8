/* table_runs.h -- the runs that a folder of exported tables holds (export.h), as results, each with its cell of a plan.
 *
 * A run that several sweeps share stands in runs.tsv once a sweep, each time with the measures of that sweep: such rows
 * are one run with all of them. Tables hold no iterates and no ledgers, and of a trace the start alone is read. */
#ifndef SP_EXPORT_TABLE_RUNS_H
#define SP_EXPORT_TABLE_RUNS_H

#include "core/base/table.h"
#include "core/run/execute.h"
#include "core/export/table_cells.h"
#include "core/store/store.h"

/* Which of the runs are wanted. */
typedef enum {
    SP_RUNNABLE_RUNS, /* those of cells of the plan that can be run here: their parameters are known, nothing skips them */
    SP_PLANNED_RUNS,  /* those of all cells of the plan, whatever a grid has chosen for them */
    SP_ALL_RUNS       /* every one */
} sp_table_which;

typedef struct sp_table_run {
    const char *from;    /* "results/x/runs.tsv:17" */
    const sp_cell *cell; /* of the plan or of the tables (table_cells.h), with those measures that the rows have */
    size_t replicate;
    size_t row;          /* of runs.tsv, from 0 */
    sp_result result;    /* times are NAN, the ledger is SP_LEDGER_UNKNOWN */
} sp_table_run;

typedef struct sp_table_runs {
    const char *folder;
    sp_table runs, cells;                /* runs: each row with the columns of its cell */
    sp_table_cells made;                 /* by row of `cells` */
    struct sp_table_place *place;        /* the runs that are wanted, by name */
    size_t places;                       /* runs */
    size_t foreign;                      /* rows of runs that are not RUNNABLE or PLANNED, as was asked; of ALL runs: that are
                                            not PLANNED */
    size_t *order;                       /* rows of runs, by name */
    size_t column[20], handover;         /* handover: runs.columns where there is none */
} sp_table_runs;

/* `who` takes the folder, for a message: "merge". SP_EABSENT where there are no tables. The folder's name is kept. */
sp_status sp_table_runs_open(const sp_plan *, const char *folder, const char *who, sp_table_which, sp_table_runs *,
                             sp_error *);
/* Run i < places by name alone. */
void sp_table_runs_at(const sp_table_runs *, size_t i, const sp_cell **, size_t *replicate);
/* Its rows of runs.tsv, one a sweep that shares it: how many. */
size_t sp_table_runs_rows(const sp_table_runs *, size_t i, const size_t **row);
/* Run i, handed to `each`, after which it is gone. */
typedef sp_status sp_table_runs_each(void *context, const sp_table_run *, sp_error *);
sp_status sp_table_runs_read(const sp_table_runs *, size_t i, sp_table_runs_each *, void *context, sp_error *);
void sp_table_runs_free(sp_table_runs *);

#endif
