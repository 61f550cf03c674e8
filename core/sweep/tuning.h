/* tuning.h -- parameters chosen from grids: the stages of an experiment, and what the store says about its grids.
 *
 *   base -> grid -> evaluation
 *
 * First the base cells, which report what an algorithm derives where grids hold factors; then the grids; then, with the
 * winners, the cells of the plan. Each stage is chosen from stored results alone, so the order, the number of workers,
 * a kill and a resume change nothing. core/store/grids.h says who wins. */
#ifndef SP_SWEEP_TUNING_H
#define SP_SWEEP_TUNING_H

#include "core/sweep/workers.h"

/* Settles every cell that the store allows to: grids whose base runs are there, cells whose grids are complete. Cells
 * that can have no winner are skipped with the reason. To be called whenever a store is opened. */
sp_status sp_tuning_choose(sp_plan *, sp_store *, sp_error *);

/* Takes back what that has skipped, because the runs that failed are to be made again. */
void sp_tuning_forget(sp_plan *);

/* sp_run_plan for the three stages. */
sp_status sp_run_stages(sp_plan *, sp_store *, const sp_run_options *, sp_run_summary *, sp_error *);

#endif
