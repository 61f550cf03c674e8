/* table_grids.h -- winners of grids as exported tables have them, for who has the tables and no store. */
#ifndef SP_STORE_TABLE_GRIDS_H
#define SP_STORE_TABLE_GRIDS_H

#include "core/store/store.h"

/* Gives cells that wait for a grid's winner the one that FOLDER/tuning.tsv names. A grid stays as it is whose winner is known,
 * that is not in the table as the plan has it, or whose values are factors: what they multiply no table says. Without the
 * table all do. SP_EDATA where it is damaged. */
sp_status sp_table_grids_choose(sp_plan *, const char *folder, sp_error *);

#endif
