/*
 * export.c -- the store as TSV.
 *
 *   cells.tsv    one row a cell that has a stored run: its number in the plan, what the experiment gives it (sweep,
 *                label, axes, seed, privacy, whether it is tuned), and every column of the runs in which the runs of
 *                each cell agree
 *   runs.tsv     one row a stored run: its cell, replicate, status and measures, and the columns in which the runs of
 *                some cell differ
 *   traces.tsv   one row a checkpoint of a run that succeeded
 *   timings.tsv  seconds and memory: of the run (step -), and seconds at its checkpoints
 *   provenance.tsv  one row an invocation that made some of the runs in the store
 *   keys.tsv     by what they were made (keys.h)
 *   skipped.tsv  cells that are not run, with the reason; only when there are any
 *   claims.tsv   one row a claim of the experiment
 *   audits.tsv   one row a method; only when some was audited
 *   tuning.tsv   one row a point whose parameters are chosen from a grid: the winner; only when something is tuned
 *
 * Rows are written as they are read (export_files.h), so that no table is ever held: what is held is the plan, the
 * store's list of its runs, and one cell's runs.
 */
#include "core/export/export.h"

#include "core/base/derived.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/lua/host.h"
#include "core/lua/script_hash.h"
#include "core/store/audits.h"
#include "core/store/import.h"
#include "core/export/export_files.h"
#include "core/export/export_halves.h"
#include "core/export/export_rows.h"
#include "core/export/keep.h"
#include "core/export/keys.h"
#include "core/export/table_grids.h"

#include <stdlib.h>
#include <string.h>

typedef struct export {
    sp_export_columns columns;
    sp_halves halves;
    sp_table_files files;
    sp_makers makers;
    uint64_t traces_seed;   /* of the checksums in traces.tsv */
    sp_hash present;        /* of the runs that were written */
    size_t written, failed; /* how many; of these */
    sp_number_set names;      /* of the runs that have a row */
    sp_table before;          /* cells.tsv so far */
    sp_table_cells kept;      /* its cells */
    sp_table_grids grids;     /* tuning.tsv so far */
} export;

static sp_text *text_of(export *e, sp_table_kind table)
{
    return &e->files.draft[table].text;
}

static sp_status write_heads(export *e, sp_error *error)
{
    const sp_export_columns *c = &e->columns;
    sp_cells_head(c, &e->halves.cell);
    sp_runs_head(c, &e->halves.run);
    sp_shared_head(c, &e->halves.shared);
    sp_traces_head(c, text_of(e, SP_TRACES_TABLE), &e->traces_seed);
    sp_timings_head(text_of(e, SP_TIMINGS_TABLE));
    sp_skipped_head(c, text_of(e, SP_SKIPPED_TABLE));
    sp_tuning_head(c, text_of(e, SP_TUNING_TABLE));
    sp_provenance_head(text_of(e, SP_PROVENANCE_TABLE));
    sp_keys_head(text_of(e, SP_KEYS_TABLE));
    return sp_halves_head(&e->halves, error);
}

/* Its row, as far as is known before its runs are. */
static void invocation_row(void *context, const sp_provenance_row *p, uint64_t runs)
{
    export *e = context;
    sp_maker *maker = sp_makers_add(&e->makers, p->id);
    if (maker)
        sp_provenance_line(p, runs, &maker->line);
    else
        text_of(e, SP_PROVENANCE_TABLE)->failed = true;
}

static sp_status run_rows(export *e, const sp_run_of *run, bool first, sp_error *error)
{
    const sp_export_columns *c = &e->columns;
    if (!sp_number_set_add_run(&e->names, run->name))
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", c->plan->path);
    sp_hash_text(&e->present, run->name);
    e->written++;
    e->failed += run->result->status != SP_OK;
    if (first)
        sp_cells_row(c, run->cell, run->number, &e->halves.cell);
    sp_runs_row(c, run, &e->halves.run);
    sp_shared_row(c, run, &e->halves.shared);
    if (!run->result->ledger || strcmp(run->result->ledger, SP_LEDGER_UNKNOWN) != 0) { /* else from tables, which lack traces */
        sp_traces_rows(c, run, text_of(e, SP_TRACES_TABLE), &e->traces_seed);
        e->files.unwanted[SP_TRACES_TABLE] = false;
    }
    sp_timings_rows(run, text_of(e, SP_TIMINGS_TABLE));
    const sp_status status = sp_halves_add(&e->halves, first, error);
    return status == SP_OK ? sp_table_files_pass(&e->files, error) : status;
}

/* *any: there are such runs. */
static sp_status cell_rows(export *e, sp_store *store, const sp_cell *planned, bool *any, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t number = (size_t)(planned - e->columns.plan->cell) + 1;
    const sp_cell *cell = sp_kept_cell(store, &e->kept, planned);
    bool first = true;
    *any = false;
    sp_made *made = sp_alloc(cell->replicates, sizeof *made);
    if (!made)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", e->columns.plan->path);
    for (size_t replicate = 0; replicate < cell->replicates; replicate++) {
        sp_result result;
        status = sp_store_get_made(store, cell, replicate, &result, &made[replicate], error);
        if (status == SP_EABSENT)
            continue;
        SP_TRY(status);
        status = run_rows(e, &(sp_run_of){ cell, number, replicate, made[replicate].name, &result }, first, error);
        sp_result_free(&result);
        SP_TRY(status);
        first = false;
    }
    if (sp_keys_cell(store, number, made, cell->replicates, &e->makers, text_of(e, SP_KEYS_TABLE)) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", e->columns.plan->path));
    status = SP_OK;
    *any = !first;
cleanup:
    free(made);
    return status;
}

static sp_status all_rows(export *e, sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_plan *plan = e->columns.plan;
    bool any = false;
    e->files.unwanted[SP_SKIPPED_TABLE] = true;
    for (size_t i = 0; i < plan->cells; i++) {
        SP_TRY(cell_rows(e, store, &plan->cell[i], &any, error));
        if (any || !plan->cell[i].skip) /* a cell that cannot run here may have run elsewhere */
            continue;
        sp_skipped_row(&e->columns, &plan->cell[i], text_of(e, SP_SKIPPED_TABLE));
        SP_TRY(sp_table_files_pass(&e->files, error));
        e->files.unwanted[SP_SKIPPED_TABLE] = false;
    }
cleanup:
    return status;
}

/* Does some cell of the tuning show what the tables had before? */
static bool is_kept(const export *e, sp_store *store, const sp_tuning *t)
{
    const sp_cell *cell = e->columns.plan->cell + t->cell;
    for (size_t m = 0; m < t->members; m++)
        if (sp_kept_cell(store, &e->kept, cell + m) != cell + m)
            return true;
    return false;
}

/* Points whose grid is complete, and those whose grid was when the tables so far were written. */
static sp_status tuning_rows(export *e, sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_plan *plan = e->columns.plan;
    sp_text *out = text_of(e, SP_TUNING_TABLE);
    for (size_t i = 0; i < plan->tunings; i++) {
        const sp_tuning *tuning = &plan->tuning[i];
        sp_tuning_scores scores;
        if (tuning->lender)
            continue;
        SP_TRY(sp_tuning_read(plan, tuning, store, &scores, error));
        const bool before = sp_table_grids_pass(&e->grids, i, !scores.complete || is_kept(e, store, tuning), out);
        if (scores.complete && !before)
            sp_tuning_row(&e->columns, tuning, &scores, out);
        sp_tuning_scores_free(&scores);
        SP_TRY(sp_table_files_pass(&e->files, error));
    }
    sp_table_grids_end(&e->grids, out);
    e->files.unwanted[SP_TUNING_TABLE] = plan->tunings == 0 && e->grids.table.rows == 0;
cleanup:
    return status;
}

/* --- the seal ------------------------------------------------------------------------------------------------------- */

/* The names of the runs that the plan asks for, in the order of its cells; a cell whose grid has no winner yet has none. */
void sp_seal_asked(const sp_plan *plan, sp_text *head)
{
    char name[SP_RUN_NAME], digest[SP_HASH_HEX];
    sp_hash hash;
    sp_hash_start(&hash);
    for (size_t i = 0; i < plan->cells; i++)
        for (size_t r = 0; !plan->cell[i].skip && r < plan->cell[i].replicates; r++) {
            *name = '\0';
            if (!plan->cell[i].pending)
                sp_run_name(&plan->cell[i], r, name);
            sp_hash_text(&hash, name);
        }
    sp_hash_end_hex(&hash, digest);
    sp_seal_add_count(head, "asked", plan->runs, digest);
}

sp_status sp_seal_script(const sp_plan *plan, const char *directory, sp_text *head, sp_error *error)
{
    const char *path, *bytes;
    size_t size;
    char hash[SP_HASH_HEX];
    char *script = plan->lua ? sp_seal_path(directory, plan->path) : sp_copy_text(plan->path ? plan->path : "-");
    if (!script)
        return sp_fail(error, SP_EIO, "%s: its path from %s is not known", plan->path, directory);
    if (!plan->lua) { /* made by hand */
        sp_script_hash("", 0, hash);
        sp_seal_add(head, "script", script, hash);
    }
    for (size_t i = 0; plan->lua && sp_lua_file(plan->lua, i, &path, &bytes, &size); i++) {
        sp_script_hash(bytes, size, hash);
        sp_seal_add(head, i == 0 ? "script" : "include", i == 0 ? script : path, hash);
    }
    free(script);
    return SP_OK;
}

static sp_status write_seal(export *e, const char *directory, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text head = { 0 };
    sp_seal seal = { 0 };
    char digest[SP_HASH_HEX];
    sp_seal_begin(&head);
    SP_TRY(sp_seal_script(e->columns.plan, directory, &head, error));
    sp_seal_asked(e->columns.plan, &head);
    sp_hash_end_hex(&e->present, digest);
    sp_seal_add_count(&head, "present", e->written, digest);
    sp_seal_add_count(&head, "failed", e->failed, NULL);
    SP_TRY(sp_seal_write(directory, &head, error));
    SP_TRY(sp_seal_read(directory, &seal, error));
    SP_TRY(sp_derived_drop(directory, seal.digest, error)); /* of other runs */
cleanup:
    sp_seal_free(&seal);
    sp_text_free(&head);
    return status;
}

static sp_status read_before(export *e, const char *directory, sp_error *error)
{
    bool tuned = false;
    for (size_t i = 0; i < e->columns.plan->cells && !tuned; i++)
        tuned = e->columns.plan->cell[i].tuned;
    if (!tuned)
        return SP_OK;
    sp_status status = sp_kept_cells(e->columns.plan, directory, &e->before, &e->kept, error);
    if (status == SP_OK)
        status = sp_table_grids_open(&e->grids, &e->columns, directory, error);
    return status == SP_EDATA ? SP_OK : status; /* damaged: sp_kept_compare says what would be lost */
}

static sp_status write_tables(const sp_plan *plan, sp_store *store, const char *directory, bool discard, bool *same,
                              sp_error *error)
{
    sp_status status = SP_OK;
    export e = { 0 };
    sp_hash_start(&e.present);
    bool held = false;
    SP_TRY(sp_store_hold(store, &held, error));
    SP_TRY(sp_make_directory(directory, error));
    SP_TRY(sp_table_files_begin(&e.files, directory, error));
    SP_TRY(sp_halves_begin(&e.halves, directory, error));
    if (sp_export_columns_find(&e.columns, plan) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", directory));
    SP_TRY(write_heads(&e, error));
    e.files.unwanted[SP_TRACES_TABLE] = true;
    if (!discard)
        SP_TRY(read_before(&e, directory, error));
    SP_TRY(sp_store_invocations(store, invocation_row, &e, error));
    SP_TRY(all_rows(&e, store, error));
    e.files.unwanted[SP_TRACES_TABLE] = e.files.unwanted[SP_TRACES_TABLE] && e.written > 0;
    SP_TRY(tuning_rows(&e, store, error));
    sp_makers_rows(&e.makers, text_of(&e, SP_PROVENANCE_TABLE));
    SP_TRY(sp_halves_write(&e.halves, &e.files.draft[SP_CELLS_TABLE], &e.files.draft[SP_RUNS_TABLE], error));
    sp_halves_free(&e.halves); /* what it takes of the disk is of use to others */
    if (!discard)
        SP_TRY(sp_kept_compare(plan, store, directory, &e.names, error));
    SP_TRY(sp_table_files_place(&e.files, same, error));
    SP_TRY(sp_export_audits(plan, store, directory, error));
    SP_TRY(sp_claims_write(plan->claim, plan->claims, plan->seed, directory, error));
    SP_TRY(write_seal(&e, directory, error));

cleanup:
    sp_store_let_go(store, held);
    sp_table_files_drop(&e.files);
    sp_halves_free(&e.halves);
    sp_table_grids_free(&e.grids);
    sp_table_cells_free(&e.kept);
    sp_table_free(&e.before);
    sp_number_set_free(&e.names);
    sp_export_columns_free(&e.columns);
    sp_makers_free(&e.makers);
    return status;
}

sp_status sp_export(const sp_plan *plan, sp_store *store, const char *directory, bool *same, sp_error *error)
{
    return write_tables(plan, store, directory, false, same, error);
}

sp_status sp_export_discarding(const sp_plan *plan, sp_store *store, const char *directory, bool *same, sp_error *error)
{
    return write_tables(plan, store, directory, true, same, error);
}
