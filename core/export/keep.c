/* keep.c -- see keep.h. */
#include "core/export/keep.h"

#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/store/store_internal.h"
#include "core/export/table_runs.h"

#include <stdlib.h>
#include <string.h>

/* --- names ------------------------------------------------------------------------------------------------------ */

/* The names of all runs that the plan asks for; a cell whose grid has no winner yet has none. */
static sp_status name_plan(const sp_plan *plan, sp_number_set *names, sp_error *error)
{
    char name[SP_RUN_NAME];
    for (size_t i = 0; i < plan->cells; i++)
        for (size_t r = 0; !plan->cell[i].pending && r < plan->cell[i].replicates; r++) {
            sp_run_name(&plan->cell[i], r, name);
            if (!sp_number_set_add_run(names, name))
                return sp_fail(error, SP_ENOMEM, "%s: out of memory", plan->path);
        }
    sp_number_set_sort(names);
    return SP_OK;
}

static sp_status name_store(const sp_store *store, sp_number_set *names, sp_error *error)
{
    char name[SP_RUN_NAME];
    for (size_t i = 0; i < store->runs.count; i++) {
        sp_stored_run_name(&store->runs.run[i], name);
        if (!sp_number_set_add_run(names, name))
            return sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
    }
    sp_number_set_sort(names);
    return SP_OK;
}

/* --- the tables of a folder --------------------------------------------------------------------------------------- */

static char *table_path(const char *folder, const char *name, sp_error *error)
{
    char *path = sp_format("%s/%s", folder, name);
    if (!path)
        sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
    return path;
}

/* Are the runs of all rows in the sorted lists? SP_EABSENT: there is no such table. */
static sp_status look_up(const char *folder, const sp_number_set *one, bool *in_one, const sp_number_set *other,
                         bool *in_other, sp_error *error)
{
    sp_status status = SP_OK;
    sp_table_reader reader = { 0 };
    char *path = table_path(folder, "runs.tsv", error);
    *in_one = *in_other = true;
    if (!path)
        return SP_ENOMEM;
    if (!sp_packed_there(path)) {
        status = SP_EABSENT;
        goto cleanup;
    }
    SP_TRY(sp_table_open(path, &reader, error));
    const size_t run = sp_table_column(&reader.table, "run");
    if (run == reader.table.columns)
        SP_TRY(sp_fail(error, SP_EDATA, "%s: no column run", path));
    do {
        SP_TRY(sp_table_next(&reader, SP_TABLE_ROW, error));
        for (size_t row = 0; row < reader.table.rows; row++) {
            const char *name = sp_table_text(&reader.table, row, run);
            *in_one = *in_one && sp_number_set_has_run(one, name);
            *in_other = *in_other && sp_number_set_has_run(other, name);
        }
    } while (reader.table.rows > 0);
cleanup:
    *in_one = *in_one && status == SP_OK;
    *in_other = *in_other && status == SP_OK;
    sp_table_close(&reader);
    free(path);
    return status;
}

/* Does the plan ask for the runs of all rows, and does the store have them? */
static sp_status look(const sp_plan *plan, const sp_store *store, const char *folder, bool *planned, bool *stored,
                      sp_error *error)
{
    sp_status status = SP_OK;
    sp_number_set asked = { 0 }, there = { 0 };
    SP_TRY(name_plan(plan, &asked, error));
    SP_TRY(name_store(store, &there, error));
    status = look_up(folder, &asked, planned, &there, stored, error);
    if (status == SP_EABSENT) {
        *planned = *stored = true;
        status = SP_OK;
    }
cleanup:
    sp_number_set_free(&asked);
    sp_number_set_free(&there);
    return status;
}

sp_status sp_kept_all(const sp_plan *plan, const sp_store *store, const char *folder, bool *all, sp_error *error)
{
    bool planned = false, stored = false;
    const sp_status status = look(plan, store, folder, &planned, &stored, error);
    *all = planned && stored;
    return status;
}

static sp_status refuse(const char *folder, const char *path, size_t rows, sp_error *error)
{
    return sp_fail(error, SP_EINVAL, "%s: its tables hold %zu row%s of runs that %s does not ask for. --discard leaves them "
                   "out of the tables; to keep them, undo the change of the experiment, or give it another name", folder,
                   rows, rows == 1 ? "" : "s", path);
}

/* How many rows are of runs that the plan does not ask for. */
static sp_status count_foreign(const sp_plan *plan, const char *folder, size_t *foreign, sp_error *error)
{
    sp_table_runs tables = { 0 };
    const sp_status status = sp_table_runs_open(plan, folder, "import", SP_ALL_RUNS, &tables, error);
    *foreign = tables.foreign;
    sp_table_runs_free(&tables);
    return status;
}

sp_status sp_keep_tables(const sp_plan *plan, sp_store *store, const char *folder, bool discard, sp_keeping *kept,
                         sp_error *damaged, sp_error *error)
{
    sp_status status = SP_OK;
    sp_error own = { 0 };
    bool planned = false, stored = false;
    *kept = (sp_keeping){ 0 };
    status = look(plan, store, folder, &planned, &stored, &own);
    if (status == SP_OK && !(planned && stored))
        status = count_foreign(plan, folder, &kept->discarded, &own);
    if (status == SP_EDATA && stored) /* some of the tables were replaced, then the program was killed */
        status = SP_OK;
    if (status == SP_OK && kept->discarded > 0 && !discard)
        return refuse(folder, plan->path, kept->discarded, error);
    if (status == SP_OK && !stored)
        status = sp_import_lacking(plan, store, folder, &kept->brought, &own);
    if (status == SP_EDATA && discard) {
        *damaged = own;
        return SP_OK;
    }
    if (status == SP_EDATA || status == SP_EABSENT)
        return sp_fail(error, SP_EDATA, "%s. The tables of %s would be written anew: restore them first (as by git "
                       "checkout), or --discard their runs", own.text, folder);
    return status == SP_OK ? SP_OK : sp_fail(error, status, "%s", own.text);
}

/* --- tuned cells -------------------------------------------------------------------------------------------------- */

sp_status sp_kept_cells(const sp_plan *plan, const char *folder, sp_table *table, sp_table_cells *cells,
                        sp_error *error)
{
    char *path = table_path(folder, "cells.tsv", error);
    sp_status status = path ? SP_OK : SP_ENOMEM;
    if (path && sp_packed_there(path)) {
        status = sp_table_read(path, table, error);
        status = status == SP_OK ? sp_table_cells_make(plan, table, path, cells, error) : status;
    }
    free(path);
    return status;
}

static size_t stored_runs(const sp_store *store, const sp_cell *cell)
{
    size_t runs = 0;
    for (size_t r = 0; !cell->pending && r < cell->replicates; r++)
        runs += sp_store_holds(store, cell, r);
    return runs;
}

const sp_cell *sp_kept_cell(const sp_store *store, const sp_table_cells *cells, const sp_cell *cell)
{
    const sp_cell *other = cell->tuned && cells->tuned ? cells->tuned[cell->index] : NULL;
    return other && stored_runs(store, other) > stored_runs(store, cell) ? other : cell;
}

/* --- nothing less than before ------------------------------------------------------------------------------------- */

/* Rows of runs that the new tables lack, without those of tuned cells that have as many runs of another winner. */
static sp_status count_lost(const sp_plan *plan, const sp_store *store, const char *folder, const sp_number_set *names,
                            size_t *lost, sp_error *error)
{
    sp_status status = SP_OK;
    sp_table_runs t = { 0 };
    *lost = 0;
    SP_TRY(sp_table_runs_open(plan, folder, "export", SP_ALL_RUNS, &t, error));
    for (size_t i = 0; i < t.places; i++) {
        const sp_cell *cell;
        size_t replicate;
        char name[SP_RUN_NAME];
        sp_table_runs_at(&t, i, &cell, &replicate);
        sp_run_name(cell, replicate, name);
        const bool tuned = cell >= t.made.cell && t.made.origin[cell - t.made.cell] == SP_CELL_TUNED;
        const sp_cell *new = tuned ? &plan->cell[cell->index] : NULL;
        *lost += !sp_number_set_has_run(names, name) &&
                 !(new && stored_runs(store, new) >= stored_runs(store, cell) && sp_store_holds(store, new, replicate));
    }
cleanup:
    sp_table_runs_free(&t);
    return status;
}

sp_status sp_kept_compare(const sp_plan *plan, const sp_store *store, const char *folder, sp_number_set *names,
                          sp_error *error)
{
    sp_status status = SP_OK;
    sp_number_set there = { 0 };
    sp_error damaged = { 0 };
    bool all = true, stored = true;
    size_t lost = 0;
    sp_number_set_sort(names);
    SP_TRY(name_store(store, &there, error));
    status = look_up(folder, names, &all, &there, &stored, error);
    if (status == SP_EABSENT || (status == SP_OK && all)) {
        status = SP_OK;
        goto cleanup;
    }
    SP_TRY(status);
    status = count_lost(plan, store, folder, names, &lost, &damaged);
    if (status == SP_EDATA && stored) /* as in sp_keep_tables */
        status = SP_OK;
    else if (status != SP_OK)
        SP_TRY(sp_fail(error, status, "%s", damaged.text));
    if (lost > 0)
        status = sp_fail(error, SP_EINVAL, "%s: the tables hold %zu run%s that the new ones would lack: they stay as they "
                         "are. --discard writes the new ones", folder, lost, lost == 1 ? "" : "s");
cleanup:
    sp_number_set_free(&there);
    return status;
}
