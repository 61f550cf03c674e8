/* keep.h -- exported tables are a source of runs: no verb writes tables that hold fewer runs than those in their place.
 *
 * Before the first write to a folder of tables, the runs that its tables hold and the store lacks are imported. A run that
 * the experiment no longer asks for stays in the store, and the tables lose its rows only where the user wants that
 * (--discard). */
#ifndef SP_EXPORT_KEEP_H
#define SP_EXPORT_KEEP_H

#include "core/store/import.h"
#include "core/store/number_set.h"
#include "core/export/table_cells.h"

typedef struct sp_keeping {
    sp_imported_runs brought;
    size_t discarded; /* rows of runs that the tables will lose */
} sp_keeping;

/* SP_OK also where there are no tables. SP_EINVAL: the tables hold runs that the plan does not ask for, and `discard` is
 * false; SP_EDATA: they are damaged (with `discard`: they are not imported, *damaged gets the reason). Nothing is stored
 * then. */
sp_status sp_keep_tables(const sp_plan *, sp_store *, const char *folder, bool discard, sp_keeping *, sp_error *damaged,
                         sp_error *);
/* Does the store have every run of the tables in the folder, and the plan a cell for it? A reader need not import then. */
sp_status sp_kept_all(const sp_plan *, const sp_store *, const char *folder, bool *all, sp_error *);

/* The cells of the tables in a folder that have other tuned parameters than those of the plan; none where there are no
 * tables. *table owns texts of the cells. */
sp_status sp_kept_cells(const sp_plan *, const char *folder, sp_table *, sp_table_cells *, sp_error *);
/* The cell that tables are to show in the place of a cell of the plan: where a grid has to be searched again or its new
 * winner has not run yet, that of the tables so far, if it has more runs in the store. */
const sp_cell *sp_kept_cell(const sp_store *, const sp_table_cells *, const sp_cell *);
/* Refuses new tables with the runs `names`, which it sorts, that lack a run which the tables in the folder hold: SP_EINVAL.
 * A tuned cell may have the runs of another winner. */
sp_status sp_kept_compare(const sp_plan *, const sp_store *, const char *folder, sp_number_set *names, sp_error *);

#endif
