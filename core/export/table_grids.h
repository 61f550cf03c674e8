/* table_grids.h -- winners of grids as exported tables have them, for who has the tables and no store. */
#ifndef SP_EXPORT_TABLE_GRIDS_H
#define SP_EXPORT_TABLE_GRIDS_H

#include "core/base/table.h"
#include "core/export/export_rows.h"
#include "core/store/store.h"

/* Gives cells that wait for a grid's winner the one that FOLDER/tuning.tsv names. A grid stays as it is whose winner is known,
 * that is not in the table as the plan has it, or whose values are factors: what they multiply no table says. Without the
 * table all do. SP_EDATA where it is damaged. */
sp_status sp_table_grids_choose(sp_plan *, const char *folder, sp_error *);

/* tuning.tsv of a folder, whose rows go into a new one where the store has not searched the grid. */
typedef struct sp_table_grids {
    sp_table table;
    const sp_export_columns *columns; /* of the plan */
    size_t *axis;                     /* where the table has them */
    size_t sweep, label, measure, grid, winner;
    size_t *row;                      /* by tuning of the plan: its row, whatever its grid was; table.rows: none */
    bool *planned;                    /* by row: some tuning has it */
    size_t written;                   /* so many rows have been gone through */
} sp_table_grids;                     /* starts as { 0 } */

/* Without the table it has no rows. The columns outlive it. */
sp_status sp_table_grids_open(sp_table_grids *, const sp_export_columns *, const char *folder, sp_error *);
/* For tuning i of the plan, in their order: adds the lines before its row that no tuning has, as those of data sets that
 * are not on this machine, and with `write` its own. False: it has none, or it was not to be written. */
bool sp_table_grids_pass(sp_table_grids *, size_t i, bool write, sp_text *out);
/* Adds the lines behind the last one that no tuning has. */
void sp_table_grids_end(sp_table_grids *, sp_text *out);
void sp_table_grids_free(sp_table_grids *);

#endif
