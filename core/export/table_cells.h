/* table_cells.h -- the cells that a folder of exported tables holds (export.h).
 *
 * A row of cells.tsv has every axis of its cell and its seed. These identify the runs of the cell (store.h), so a run in the
 * tables can be stored even if the plan does not know its cell: the winner of a grid that was searched elsewhere, or a
 * cell that the experiment no longer asks for. */
#ifndef SP_EXPORT_TABLE_CELLS_H
#define SP_EXPORT_TABLE_CELLS_H

#include "core/base/arena.h"
#include "core/base/table.h"
#include "core/plan/plan.h"

typedef enum {
    SP_CELL_PLANNED, /* the plan has this very cell */
    SP_CELL_TUNED,   /* the plan has it with other tuned parameters, or does not know them yet */
    SP_CELL_FOREIGN  /* the plan does not have it */
} sp_cell_origin;

typedef struct sp_table_cells {
    sp_cell *cell;          /* by row of cells.tsv: PLANNED: the plan's; TUNED: the plan's with the axes of the row;
                             * FOREIGN: axes, sweep, label and seed alone */
    sp_cell_origin *origin; /* by row of cells.tsv */
    const sp_cell **tuned;  /* by cell of the plan: its row of origin TUNED, or NULL */
    size_t rows;
    sp_arena arena;         /* owns axes */
} sp_table_cells;           /* starts as { 0 } */

/* `place` takes the file, for a message: "results/x/cells.tsv". The table outlives the cells. SP_EDATA: no column that is
 * needed; SP_ENOMEM. */
sp_status sp_table_cells_make(const sp_plan *, const sp_table *cells, const char *place, sp_table_cells *, sp_error *);
void sp_table_cells_free(sp_table_cells *);

#endif
