/*
 * store.c -- opening a store, what names a run, and its small tables: invocations and references.
 *
 * A reader sees the store as it was when it opened it. What is read is compared with the checksum of its row; rows that
 * are gone are missed by the numbers of rows that are stored beside them. What is damaged counts as missing, and is noted.
 */
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/store/store_internal.h"
#include "core/store/store_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sp_store_sql[STATEMENTS] = {
    [BEGIN] = "BEGIN",
    [BEGIN_WRITING] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [PUT_INVOCATION] = "INSERT " SP_INTO("invocation", SP_INVOCATION_COLUMNS),
    [INVOCATIONS] = "SELECT " SP_INVOCATION_COLUMNS(SP_COLUMN_NAME) "checksum, runs FROM invocation JOIN (SELECT "
                    "invocation AS made, count(*) AS runs FROM run GROUP BY made) ON made = id ORDER BY id",
    [ALL_INVOCATIONS] = SP_SELECT("invocation", SP_INVOCATION_COLUMNS) " ORDER BY id",
    [INVOKED] = "SELECT count(invocation) FROM run",
    [ANSWERED] = "SELECT id FROM run WHERE answers = ? LIMIT 1",
    [LAST_INVOCATION] = "SELECT max(id) FROM invocation",
    [PUT_ANSWERS] = "INSERT " SP_INTO("answers", SP_ANSWERS_COLUMNS),
    [ANSWERS] = SP_SELECT("answers", SP_ANSWERS_COLUMNS) " ORDER BY id",
    [STATES] = "SELECT " SP_RUN_STATE_COLUMNS(SP_COLUMN_NAME) "state_checksum, invocation FROM run",
    [COUNT] = "SELECT runs FROM contents",
    [SET_COUNT] = "UPDATE contents SET runs = ?",
    [FORGET] = "DELETE FROM run WHERE id = ?",
    [PUT_RUN] = "INSERT " SP_INTO("run", SP_RUN_COLUMNS),
    [RUN] = SP_SELECT("run", SP_RUN_COLUMNS) " WHERE id = ?",
    [PUT_MEASURE] = "INSERT " SP_INTO("measure", SP_MEASURE_COLUMNS),
    [MEASURES] = SP_SELECT("measure", SP_MEASURE_COLUMNS) " WHERE run = ? ORDER BY name",
    [PUT_TRACE] = "INSERT " SP_INTO("trace", SP_TRACE_COLUMNS),
    [TRACE] = SP_SELECT("trace", SP_TRACE_COLUMNS) " WHERE run = ? ORDER BY step",
    [PUT_TRACE_MEASURE] = "INSERT " SP_INTO("trace_measure", SP_TRACE_MEASURE_COLUMNS),
    [TRACE_MEASURES] = SP_SELECT("trace_measure", SP_TRACE_MEASURE_COLUMNS) " WHERE run = ? ORDER BY step, name",
    [PUT_ITERATE] = "INSERT " SP_INTO("iterate", SP_ITERATE_COLUMNS),
    [ITERATE] = SP_SELECT("iterate", SP_ITERATE_COLUMNS) " WHERE run = ?",
    [PUT_REFERENCE] = "INSERT OR REPLACE " SP_INTO("reference", SP_REFERENCE_COLUMNS),
    [REFERENCE] = SP_SELECT("reference", SP_REFERENCE_COLUMNS) " WHERE key = ?",
    [MAKE_AUDITS] = SP_CREATE("IF NOT EXISTS audits", SP_AUDIT_STORE_COLUMNS, ") WITHOUT ROWID"),
    [HAS_AUDITS] = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'audits'",
    [PUT_AUDIT] = "INSERT OR REPLACE " SP_INTO("audits", SP_AUDIT_STORE_COLUMNS),
    [AUDIT] = SP_SELECT("audits", SP_AUDIT_STORE_COLUMNS) " WHERE key = ?",
    [MAKE_TASKS] = SP_CREATE("IF NOT EXISTS task", SP_TASK_COLUMNS, ")"),
    [HAS_TASKS] = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'task'",
    [PUT_TASK] = "INSERT " SP_INTO("task", SP_TASK_COLUMNS),
    [TASK] = SP_SELECT("task", SP_TASK_COLUMNS) " WHERE id = ?",
    [REFERENCE_KEYS] = "SELECT key FROM reference ORDER BY key",
    [FORGET_MEASURES] = "DELETE FROM measure WHERE run = ?",
    [FORGET_ITERATE] = "DELETE FROM iterate WHERE run = ?",
    [FORGET_TRACE_MEASURES] = "DELETE FROM trace_measure WHERE run = ?",
    [FORGET_TRACE] = "DELETE FROM trace WHERE run = ?",
    [MAKE_ACCEPTED] = "CREATE TEMP TABLE accepted (id INTEGER PRIMARY KEY, answers INTEGER, invocation INTEGER)",
    [ACCEPT] = "INSERT INTO accepted VALUES (?, ?, ?)",
    [DROP_ACCEPTED] = "DROP TABLE accepted",
    [ROWS_TO_IMPORT] = "SELECT count(*), sum(measures), sum(dimension > 0), sum(traces), sum(traces * measures) FROM accepted "
                       "CROSS JOIN source.run AS r ON r.id = accepted.id",
    [INVOCATION] = SP_SELECT("invocation", SP_INVOCATION_COLUMNS) " WHERE id = ?",
};

/* --- what was asked ---------------------------------------------------------------------------------------- */

void sp_run_identity(const sp_cell *cell, size_t replicate, char out[SP_HASH_HEX])
{
    const uint64_t numbers[] = { cell->seed, replicate };
    sp_hash hash;
    sp_hash_start(&hash);
    sp_cell_hash(cell, &hash);
    sp_hash_add(&hash, "", 1);
    sp_hash_add(&hash, numbers, sizeof numbers);
    sp_hash_end_hex(&hash, out);
}

void sp_run_name(const sp_cell *cell, size_t replicate, char out[SP_RUN_NAME])
{
    char identity[SP_HASH_HEX];
    sp_run_identity(cell, replicate, identity);
    memcpy(out, identity, SP_RUN_NAME - 1);
    out[SP_RUN_NAME - 1] = '\0';
}

/* --- open and close ---------------------------------------------------------------------------------------- */

sp_status sp_status_named(const char *name)
{
    for (int i = 0; i < SP_STATUS_COUNT; i++)
        if (strcmp(sp_status_name((sp_status)i), name) == 0)
            return (sp_status)i;
    return SP_EVERSION;
}

void sp_stored_run_name(const sp_stored_run *run, char out[SP_RUN_NAME])
{
    char digits[SP_HASH_HEX];
    sp_hash_hex(run->identity, digits);
    memcpy(out, digits, SP_RUN_NAME - 1);
    out[SP_RUN_NAME - 1] = '\0';
}

sp_status sp_store_damaged_run(const sp_store *store, const sp_stored_run *run, sp_error *error)
{
    char name[SP_RUN_NAME], what[sizeof "run " + SP_RUN_NAME];
    sp_stored_run_name(run, name);
    snprintf(what, sizeof what, "run %s", name);
    return sp_database_damaged(&store->database, what, error);
}

size_t sp_fingerprints_position(const sp_store *store, uint64_t id)
{
    size_t i = 0;
    while (i < store->answered && store->answers[i].id != id)
        i++;
    return i;
}

/* A run that cannot be relied upon is not listed. Of two rows of one run the later one is. */
static sp_status load_run(sp_store *store, sp_row *r, sp_error *error)
{
    sp_status status = SP_OK;
    char name[SP_RUN_NAME] = "";
    sp_stored_run run = { .id = sp_take_count(r) };
    const bool named = sp_identity_read(sp_take_text(r), run.identity);
    run.answers = (uint32_t)sp_fingerprints_position(store, sp_take_count(r));
    run.status = sp_status_named(sp_take_text(r));
    run.checkpoints = sp_take_real(r);
    run.dimension = (uint32_t)sp_take_count(r);
    if (named)
        sp_stored_run_name(&run, name);
    if (!sp_take_checksum(r) || !named)
        status = sp_store_note(store, name, "a row of the table run differs from its checksum", error);
    else if (run.answers == store->answered)
        status = sp_store_note(store, name, "the hashes of its sources are lost", error);
    else if (!sp_identities_reserve(&store->runs))
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
    else if (sp_identities_at(&store->runs, run.identity))
        status = sp_store_note(store, "", "a run appears twice", error);
    store->last_run = run.id > store->last_run ? run.id : store->last_run;
    if (named && status == SP_OK)
        sp_identities_put(&store->runs, &run);
    return status == SP_EABSENT ? SP_OK : status;
}

sp_status sp_store_ask(sp_store *store, sp_statement statement, uint64_t *count, sp_error *error)
{
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, statement, &r, error);
    if (status != SP_OK || (status = sp_row_next(&r, error)) != SP_OK)
        return status == SP_EABSENT ? sp_database_damaged(&store->database, "the list of its runs", error) : status;
    *count = sp_take_count(&r);
    sqlite3_reset(r.at);
    return SP_OK;
}

static sp_status load_runs(sp_store *store, sp_error *error)
{
    uint64_t count = 0;
    sp_row r = { 0 };
    sp_status status = sp_row_prepare(&store->database, STATES, &r, error);
    while (status == SP_OK && (status = sp_row_next(&r, error)) == SP_OK)
        status = load_run(store, &r, error);
    sqlite3_reset(r.at);
    if (status == SP_EDATA)
        status = sp_store_note(store, "", "pages of the table run cannot be read", error);
    if (status != SP_EABSENT)
        return status;
    status = sp_store_ask(store, COUNT, &count, error);
    if (status == SP_EDATA || (status == SP_OK && count != store->runs.count))
        status = sp_store_note(store, "", "the number of its runs is not that of the rows", error);
    return status == SP_EABSENT ? SP_OK : status;
}

/* results/stamps.tsv; a file of another name than a store's is one of results/NAME/shards. */
static sp_status read_stamps(const char *directory, const char *name, sp_stamps *stamps, sp_error *error)
{
    char *path = sp_format("%s/%s" SP_STAMPS_FILE, directory, strcmp(name, SP_STORE_FILE) == 0 ? "../" : "../../");
    const sp_status status = path ? sp_stamps_read(path, stamps, error)
                                  : sp_fail(error, SP_ENOMEM, "%s: out of memory", directory);
    free(path);
    return status;
}

sp_status sp_store_open_as(const char *directory, const char *name, bool writer, bool listed, sp_store **out,
                           sp_error *error)
{
    sp_status status = SP_OK;
    uint64_t audits = 0;
    *out = NULL;
    sp_store *store = sp_alloc(1, sizeof *store);
    if (!store)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", directory);
    SP_TRY(sp_database_open(&store->database, directory, name, writer, sp_store_sql, STATEMENTS, error));
    if (store->database.old) { /* it is rewritten before anything is read */
        *out = store;
        return SP_OK;
    }
    SP_TRY(sp_database_run(&store->database, writer ? MAKE_AUDITS : BEGIN, "opening it", error)); /* BEGIN: until it is
                                                                                                  closed */
    SP_TRY(sp_store_ask(store, HAS_AUDITS, &audits, error));
    store->audits = audits > 0;
    SP_TRY(read_stamps(directory, name, &store->stamps, error));
    SP_TRY(sp_fingerprints_load(store, error));
    if (listed)
        SP_TRY(load_runs(store, error));
    *out = store;

cleanup:
    if (status != SP_OK)
        sp_store_close(store);
    return status;
}

sp_status sp_store_open_readonly(const char *directory, sp_store **out, sp_error *error)
{
    return sp_store_open_as(directory, SP_STORE_FILE, false, true, out, error);
}

sp_status sp_store_open_named(const char *directory, const char *name, bool listed, sp_store **out, sp_error *error)
{
    return sp_store_open_as(directory, name, false, listed, out, error);
}

sp_status sp_store_open_file(const char *directory, const char *file, sp_store **out, sp_error *error)
{
    return sp_store_open_as(directory, file, false, true, out, error);
}

const char *sp_store_rollback(const sp_store *store)
{
    return store->database.rollback;
}

size_t sp_store_restored(const sp_store *store)
{
    return store->database.restored;
}

size_t sp_store_runs(const sp_store *store)
{
    return store->runs.count;
}

sp_status sp_store_hold(sp_store *store, bool *held, sp_error *error)
{
    const bool alone = sqlite3_get_autocommit(store->database.db) != 0;
    sp_status status = alone ? sp_database_keep_place(&store->database, error) : SP_OK;
    if (status == SP_OK && alone)
        status = sp_database_run(&store->database, BEGIN, "beginning to read", error);
    *held = alone && status == SP_OK;
    return status;
}

void sp_store_let_go(sp_store *store, bool held)
{
    if (held)
        sp_database_run(&store->database, COMMIT, "", NULL);
}

void sp_store_close(sp_store *store)
{
    if (!store)
        return;
    sp_database_close(&store->database);
    sp_identities_free(&store->runs);
    sp_fingerprints_free(store);
    sp_damages_free(&store->damages);
    sp_damages_free(&store->healed);
    free(store->aside);
    sp_stamps_free(&store->stamps);
    free(store);
}

/* --- invocations ------------------------------------------------------------------------------------------- */

sp_status sp_store_put_invocation(sp_store *store, const sp_provenance_row *p, uint64_t *id, sp_error *error)
{
    uint64_t last = 0;
    sp_row r;
    sp_status status = SP_OK;
    SP_TRY(sp_store_ask(store, LAST_INVOCATION, &last, error));
    SP_TRY(sp_row_prepare(&store->database, PUT_INVOCATION, &r, error));
    sp_put_count(&r, last + 1);
    sp_put_text(&r, p->started);
    sp_put_text(&r, p->command);
    sp_put_text(&r, p->scale);
    sp_put_text(&r, p->script);
    sp_put_text(&r, p->commit);
    sp_put_count(&r, p->dirty);
    sp_put_text(&r, p->compiler);
    sp_put_text(&r, p->flags);
    sp_put_text(&r, p->libraries);
    sp_put_text(&r, p->blas_core);
    sp_put_text(&r, p->cpu);
    sp_put_checksum(&r);
    SP_TRY(sp_row_run(&r, "storing the invocation", error));
    *id = last + 1;
cleanup:
    return status;
}

sp_status sp_store_invocation(sp_store *store, const sp_provenance_row *p, sp_error *error)
{
    return sp_store_put_invocation(store, p, &store->invocation, error);
}

bool sp_store_take_invocation(sp_row *r, sp_provenance_row *row)
{
    *row = (sp_provenance_row){ .id = sp_take_count(r) };
    char **const before[] = { &row->started, &row->command, &row->scale, &row->script, &row->commit };
    char **const after[] = { &row->compiler, &row->flags, &row->libraries, &row->blas_core, &row->cpu };
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        *before[i] = (char *)sp_take_text(r);
    row->dirty = sp_take_count(r) != 0;
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        *after[i] = (char *)sp_take_text(r);
    return sp_take_checksum(r);
}

static bool same_invocation(const sp_provenance_row *a, const sp_provenance_row *b)
{
    const char *const one[] = { a->started, a->command, a->scale, a->commit, a->compiler, a->flags, a->libraries,
                                a->blas_core, a->cpu };
    const char *const other[] = { b->started, b->command, b->scale, b->commit, b->compiler, b->flags, b->libraries,
                                  b->blas_core, b->cpu };
    bool same = a->dirty == b->dirty;
    for (size_t i = 0; i < sizeof one / sizeof *one && same; i++)
        same = strcmp(one[i], other[i]) == 0;
    return same;
}

sp_status sp_store_import_invocation(sp_store *store, const sp_provenance_row *p, uint64_t *id, sp_error *error)
{
    sp_row r;
    *id = 0;
    sp_status status = sp_row_prepare(&store->database, ALL_INVOCATIONS, &r, error);
    if (status != SP_OK)
        return status;
    while (*id == 0 && (status = sp_row_next(&r, error)) == SP_OK) {
        sp_provenance_row row;
        if (sp_store_take_invocation(&r, &row) && same_invocation(&row, p))
            *id = row.id;
    }
    sqlite3_reset(r.at);
    return status == SP_EABSENT ? sp_store_put_invocation(store, p, id, error) : status;
}

static sp_status lost_invocations(sp_store *store, sp_error *error)
{
    const sp_status status = sp_store_note(store, "", "which program made some of its runs is lost", error);
    return status == SP_EABSENT ? SP_OK : status;
}

sp_status sp_store_invocations(sp_store *store, void (*take)(void *context, const sp_provenance_row *, uint64_t runs),
                               void *context, sp_error *error)
{
    uint64_t invoked = 0, found = 0, last = 0;
    sp_row r;
    sp_status status = sp_store_ask(store, INVOKED, &invoked, error);
    if (status == SP_OK)
        status = sp_row_prepare(&store->database, INVOCATIONS, &r, error);
    if (status != SP_OK)
        return status == SP_EDATA ? lost_invocations(store, error) : status;
    while ((status = sp_row_next(&r, error)) == SP_OK) {
        sp_provenance_row row;
        if (!sp_store_take_invocation(&r, &row) || row.id <= last) /* or a damaged page lists one twice */
            continue;
        last = row.id;
        const uint64_t runs = sp_take_count(&r);
        found += runs;
        take(context, &row, runs);
    }
    sqlite3_reset(r.at);
    if (status == SP_EDATA || (status == SP_EABSENT && found != invoked))
        return lost_invocations(store, error);
    return status == SP_EABSENT ? SP_OK : status;
}

/* --- references -------------------------------------------------------------------------------------------- */

sp_status sp_store_put_reference(sp_store *store, const char *key, const sp_reference *reference, sp_error *error)
{
    sp_row r;
    const sp_status status = sp_row_prepare(&store->database, PUT_REFERENCE, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_text(&r, key);
    sp_put_real(&r, reference->value);
    sp_put_real(&r, reference->error);
    sp_put_text(&r, reference->method);
    sp_put_reals(&r, reference->minimiser, reference->d);
    sp_put_checksum(&r);
    return sp_row_run(&r, "storing a reference value", error);
}

static const char lost_reference[] = "a row of the table reference differs from its checksum, or cannot be read";

sp_status sp_store_get_reference(sp_store *store, const char *key, sp_reference *reference, sp_error *error)
{
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, REFERENCE, &r, error);
    if (status == SP_OK) {
        sp_put_text(&r, key);
        status = sp_row_next(&r, error);
    }
    if (status == SP_EDATA)
        return sp_store_note(store, "", lost_reference, error);
    if (status != SP_OK)
        return status;
    sp_take_text(&r);
    reference->value = sp_take_real(&r);
    reference->error = sp_take_real(&r);
    snprintf(reference->method, sizeof reference->method, "%s", sp_take_text(&r));
    const double *minimiser = sp_take_reals(&r, &reference->d);
    if (!sp_take_checksum(&r))
        status = sp_store_note(store, "", lost_reference, error);
    else if (minimiser && !(reference->minimiser = sp_alloc_doubles(reference->d)))
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
    else if (minimiser)
        memcpy(reference->minimiser, minimiser, reference->d * sizeof *minimiser);
    sqlite3_reset(r.at);
    return status;
}
