/* selection.h -- which runs of a plan an invocation is about: `--only LABEL`, `--where KEY=VALUE`. */
#ifndef SP_SWEEP_SELECTION_H
#define SP_SWEEP_SELECTION_H

#include "core/plan/plan.h"

/* Of several labels any, of several values of one key any; of several keys all. A key is an axis under its full or a
 * short name ("problem.n", "n"), or "sweep". Values are compared as numbers where both are. What a grid chooses names
 * no cell. */
typedef struct sp_selector {
    const char *const *label, *const *where; /* where: "n=1000" */
    size_t labels, wheres;                   /* none of either: every cell */
} sp_selector;

/* Leaves out all other cells, and the tuning runs that no selected cell needs: a grid is needed with all members of its
 * family, by whoever takes its winner. SP_EINVAL names a label, a key or a value that no cell has, with those there
 * are. */
sp_status sp_plan_select(sp_plan *, const sp_selector *, sp_error *);

/* Leaves out the tuning runs that no cell needs which is not left out. */
sp_status sp_leave_out_tuning(sp_plan *, sp_error *);

/* Is a cell left out? */
bool sp_plan_is_whole(const sp_plan *);
/* Runs of those of the cells that are neither skipped nor left out. */
size_t sp_runs_of(const sp_cell *, size_t cells);

#endif
