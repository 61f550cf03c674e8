/* import_tables.c -- the runs that exported tables hold, into a store; see import.h. Every row is looked at before the
 * first is stored. */
#include "core/base/memory.h"
#include "core/base/table.h"
#include "core/store/store_internal.h"
#include "core/export/table_keys.h"
#include "core/export/table_makers.h"
#include "core/export/table_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tables {
    sp_table_runs from;
    sp_store *store;
    bool trust, dry, lacking; /* lacking: only runs that the store does not have */
    sp_table_keys keys;
    sp_table provenance;
    size_t cell;               /* column of runs */
    size_t key_made;           /* column of keys in format 0, which has the maker here; else keys.table.columns */
    sp_table_makers makers;    /* by the format of now */
    uint64_t *invocation;      /* by row of provenance; and behind them the one of all rows together */
    sp_imported_runs *out;
} tables;

/* --- reading --------------------------------------------------------------------------------------------------- */

/* A table that need not be there */
static sp_status read_table(const tables *t, const char *name, sp_table *table, sp_error *error)
{
    char *path = sp_format("%s/%s", t->from.folder, name);
    sp_status status = path ? sp_table_read(path, table, error)
                            : sp_fail(error, SP_ENOMEM, "%s: out of memory", t->from.folder);
    if (status == SP_EABSENT) {
        status = SP_OK;
        if (error)
            *error = (sp_error){ 0 };
    }
    free(path);
    return status;
}

static sp_status open_tables(tables *t, const sp_plan *plan, const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    SP_TRY(sp_table_runs_open(plan, folder, "merge", t->lacking ? SP_ALL_RUNS : SP_PLANNED_RUNS, &t->from, error));
    t->cell = sp_table_column(&t->from.runs, "cell");
    SP_TRY(sp_table_keys_open(folder, &t->keys, error));
    SP_TRY(read_table(t, "provenance.tsv", &t->provenance, error));
    t->key_made = sp_table_column(&t->keys.table, "made");
    SP_TRY(sp_table_makers_read(&t->provenance, folder, &t->makers, error));
cleanup:
    return status;
}

/* --- keys ------------------------------------------------------------------------------------------------------ */

static uint64_t maker(const tables *t, size_t row, size_t key, size_t replicate)
{
    const size_t all = t->provenance.rows;
    const double cell = sp_table_number(&t->from.runs, row, t->cell);
    const size_t by = cell >= 1.0 ? sp_table_makers_find(&t->makers, &t->provenance, (size_t)cell, replicate) : all;
    const double made = key < t->keys.table.rows && t->key_made < t->keys.table.columns
                            ? sp_table_number(&t->keys.table, key, t->key_made) : NAN;
    if (made >= 1.0 && made <= (double)all)
        return t->invocation[(size_t)made - 1];
    return t->invocation[by < all ? by : all == 1 ? 0 : all];
}

/* --- who made them --------------------------------------------------------------------------------------------- */

/* Row of provenance, or what all its rows say, "one or other". NULL when out of memory. */
static char *said_by(const sp_table *p, size_t row, const char *name)
{
    const size_t c = sp_table_column(p, name);
    sp_text text = { 0 };
    if (c == p->columns)
        return sp_copy_text("unknown");
    for (size_t r = row < p->rows ? row : 0; r < (row < p->rows ? row + 1 : p->rows); r++)
        if (r == row || r == 0 || strcmp(sp_table_text(p, r, c), sp_table_text(p, r - 1, c)) != 0)
            sp_text_append(&text, "%s%s", text.length > 0 ? " or " : "",
                           sp_table_empty(p, r, c) ? "" : sp_table_text(p, r, c));
    if (text.failed)
        sp_text_free(&text);
    return text.failed ? NULL : text.data ? text.data : sp_copy_text("");
}

static sp_status bring_maker(tables *t, size_t row, sp_error *error)
{
    const sp_table *p = &t->provenance;
    sp_provenance_row made = { .script = (char *)"" };
    char **const text[] = { &made.started, &made.command, &made.scale, &made.commit, &made.compiler, &made.flags,
                            &made.libraries, &made.blas_core, &made.cpu };
    static const char *const name[] = { "started", "command", "scale", "commit", "compiler", "flags", "libraries",
                                        "blas_core", "cpu" };
    bool complete = true;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        complete = (*text[i] = said_by(p, row, name[i])) && complete;
    char *dirty = said_by(p, row, "dirty");
    made.dirty = dirty && strstr(dirty, "yes");
    const sp_status status = complete && dirty ? sp_store_import_invocation(t->store, &made, &t->invocation[row], error)
                                               : sp_fail(error, SP_ENOMEM, "%s: out of memory", t->from.folder);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        free(*text[i]);
    free(dirty);
    return status;
}

/* All of them, and where there are several the one that stands for "one of these". */
static sp_status bring_makers(tables *t, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t rows = t->provenance.rows;
    if (!(t->invocation = sp_alloc(rows + 1, sizeof *t->invocation)))
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", t->from.folder);
    for (size_t row = 0; row < rows; row++)
        SP_TRY(bring_maker(t, row, error));
    if (rows > 1 && t->keys.table.rows == 0 && t->makers.count == 0)
        SP_TRY(bring_maker(t, rows, error));
cleanup:
    return status;
}

/* --- all runs -------------------------------------------------------------------------------------------------- */

static sp_status bring_run(void *context, const sp_table_run *run, sp_error *error)
{
    sp_status status = SP_OK;
    tables *t = context;
    const char *text[SP_KEY_TEXTS];
    sp_imported what;
    if (t->lacking && sp_store_holds(t->store, run->cell, run->replicate))
        goto cleanup;
    const char *cell = sp_table_text(&t->from.runs, run->row, t->cell);
    const size_t key = sp_table_keys_find(&t->keys, cell, run->replicate);
    if (key < t->keys.table.rows)
        sp_table_keys_take(&t->keys, key, text);
    const sp_incoming in = { .from = run->from, .cell = run->cell, .replicate = run->replicate, .result = &run->result,
                             .key = key < t->keys.table.rows ? text : t->trust ? sp_key_trusted : NULL,
                             .invocation = t->dry ? 0 : maker(t, run->row, key, run->replicate) };
    SP_TRY(sp_store_import(t->store, &in, t->dry, &what, error));
    if (t->dry)
        goto cleanup;
    const bool added = what == SP_BROUGHT_NEW || what == SP_BROUGHT_INSTEAD;
    t->out->of[what]++;
    t->out->unknown += added && !in.key;
    t->out->stale += added && in.key && !sp_key_is_current(t->store, run->cell, in.key);
    t->out->untraced += added && run->result.traces > 0;
cleanup:
    return status;
}

static sp_status bring_runs(tables *t, bool dry, sp_error *error)
{
    sp_status status = SP_OK;
    t->dry = dry;
    for (size_t i = 0; i < t->from.places; i++)
        SP_TRY(sp_table_runs_read(&t->from, i, bring_run, t, error));
cleanup:
    return status;
}

static sp_status bring_tables(tables *t, const sp_plan *plan, const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    bool begun = false;
    *t->out = (sp_imported_runs){ 0 };
    SP_TRY(open_tables(t, plan, folder, error));
    t->out->foreign = t->from.foreign;
    SP_TRY(bring_runs(t, true, error));
    SP_TRY(sp_database_run(&t->store->database, BEGIN_WRITING, "beginning to import runs", error));
    begun = true;
    SP_TRY(bring_makers(t, error));
    SP_TRY(bring_runs(t, false, error));
    SP_TRY(sp_database_run(&t->store->database, COMMIT, "importing runs", error));
cleanup:
    if (status != SP_OK && begun) /* the store is to be closed */
        sp_database_run(&t->store->database, ROLLBACK, "", NULL);
    sp_table_runs_free(&t->from);
    sp_table_keys_free(&t->keys);
    sp_table_free(&t->provenance);
    sp_table_makers_free(&t->makers);
    free(t->invocation);
    return status;
}

sp_status sp_import_tables(const sp_plan *plan, sp_store *store, const char *folder, bool trust, sp_imported_runs *out,
                          sp_error *error)
{
    return bring_tables(&(tables){ .store = store, .trust = trust, .out = out }, plan, folder, error);
}

sp_status sp_import_lacking(const sp_plan *plan, sp_store *store, const char *folder, sp_imported_runs *out,
                           sp_error *error)
{
    return bring_tables(&(tables){ .store = store, .lacking = true, .out = out }, plan, folder, error);
}
