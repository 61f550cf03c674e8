/*
 * move.c -- see move.h.
 *
 * Each table of `into` gets its rows from a virtual one, "coming_run" and so on, whose next row is the next one of `from`
 * that is to be brought, with other numbers, of the run (the first column), of what answered it and of what made it, and
 * with its new checksum. So a row is read, taken apart and compared once, and what is in it goes from page to page. The
 * pages of `from`, which is complete and nobody writes, are read without SQLite (pages.h).
 */
#include "core/cluster/move.h"

#include "core/base/memory.h"
#include "core/store/conflict.h"
#include "core/store/columns.h"
#include "core/store/store_schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLACE(name, type) AT_##name,
enum { SP_RUN_COLUMNS(PLACE) };
enum { RUNS_TABLE, MEASURE_TABLE, ITERATE_TABLE, TRACE_TABLE, TRACE_MEASURE_TABLE, TABLES };

typedef struct moving {
    const sp_move *move;
    uint64_t *invocation;  /* by id in `from`: id in `into`, 0: not brought so far */
    uint64_t invocations;  /* the largest id in `from` */
    bool *brought;         /* by id of a run in `from` */
    size_t room;
    uint64_t last, seen;   /* runs of `from`: the largest id so far, and how many */
    uint64_t rows[TABLES]; /* that are to be brought, as the rows of runs say */
    sp_status status;      /* of what was read and compared */
    sp_error *error;
} moving;

/* A table of `from`, and the row where it is. */
typedef struct table {
    moving *m;
    size_t which;
    sp_pages *pages;
    sp_columns row;
    bool end;
} table;

static sp_status damaged_list(const moving *m)
{
    return sp_database_damaged(&m->move->from->database, "the list of its runs", m->error);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* Its id in `into`, where it stands from now on; 0: nobody knows what made the run. */
static sp_status invocation_of(moving *m, uint64_t old, uint64_t *new)
{
    sp_status status = SP_OK;
    sp_row r;
    sp_provenance_row row;
    *new = old == 0 || old > m->invocations ? 0 : m->invocation[old];
    if (old == 0 || *new > 0)
        return SP_OK;
    SP_TRY(sp_row_prepare(&m->move->from->database, INVOCATION, &r, m->error));
    sp_put_count(&r, old);
    status = sp_row_next(&r, m->error);
    if (status == SP_EABSENT || (status == SP_OK && (old > m->invocations || !sp_store_take_invocation(&r, &row))))
        status = sp_database_damaged(&m->move->from->database, "what made its runs", m->error);
    if (status == SP_OK)
        status = sp_store_put_invocation(m->move->into, &row, new, m->error);
    if (status == SP_OK)
        m->invocation[old] = *new;
    sqlite3_reset(r.at);
cleanup:
    return status;
}

static bool note(moving *m, uint64_t id, bool bring)
{
    if (id >= m->room) {
        const size_t room = id < SIZE_MAX / 2 ? 2 * (size_t)id + 64 : 0;
        bool *grown = room > 0 ? realloc(m->brought, room) : NULL;
        if (!grown)
            return false;
        memset(grown + m->room, 0, room - m->room);
        m->brought = grown;
        m->room = room;
    }
    m->brought[id] = bring;
    return true;
}

/* The list of runs in memory, and what is to come of other tables. */
static sp_status list_run(table *t, const sp_stored_run *run)
{
    moving *m = t->m;
    sp_store *into = m->move->into;
    const uint64_t measures = t->row.number[AT_measures], traces = t->row.number[AT_traces];
    sp_stored_run new = *run;
    new.id += into->last_run;
    new.answers = (uint32_t)m->move->answers[run->answers];
    if (!sp_identities_reserve(&into->runs))
        return sp_fail(m->error, SP_ENOMEM, "%s: out of memory", into->database.path);
    sp_identities_put(&into->runs, &new);
    m->rows[RUNS_TABLE]++;
    m->rows[MEASURE_TABLE] += measures;
    m->rows[ITERATE_TABLE] += run->dimension > 0;
    m->rows[TRACE_TABLE] += traces;
    m->rows[TRACE_MEASURE_TABLE] += traces * measures;
    return SP_OK;
}

/* What the row says of the run; false: it cannot be so. The columns are compared afterwards. */
static bool take_state(const table *t, sp_stored_run *run)
{
    const sp_store *from = t->m->move->from;
    const sp_field *v = t->row.value;
    char digits[SP_HASH_HEX] = "", status[32] = "";
    memcpy(digits, v[AT_identity].bytes, v[AT_identity].size == SP_HASH_HEX - 1 ? SP_HASH_HEX - 1 : 0);
    memcpy(status, v[AT_status].bytes, v[AT_status].size < sizeof status ? v[AT_status].size : 0);
    *run = (sp_stored_run){ .id = sp_field_number(&v[AT_id]),
                            .answers = (uint32_t)sp_answers_position(from, sp_field_number(&v[AT_answers])),
                            .status = sp_status_named(status),
                            .checkpoints = sp_field_real(&v[AT_checkpoints]),
                            .dimension = (uint32_t)sp_field_number(&v[AT_dimension]) };
    return sp_identity_read(digits, run->identity) && run->answers < from->answered;
}

static sp_status take_run(table *t, bool *bring)
{
    moving *m = t->m;
    const sp_move *move = m->move;
    sp_status status = SP_OK;
    sp_stored_run run;
    uint64_t invocation = 0;
    if (!take_state(t, &run))
        return damaged_list(m);
    const sp_both both = { move->into, move->from, sp_identities_at(&move->into->runs, run.identity), &run };
    if (run.id <= m->last || (both.old && both.old->id > move->into->last_run))
        return sp_store_damaged_run(move->from, &run, m->error); /* it is listed twice */
    m->last = run.id;
    m->seen++;
    *bring = !both.old || sp_both_better(&both);
    if (*bring)
        SP_TRY(invocation_of(m, sp_field_number(&t->row.value[AT_invocation]), &invocation));
    if (!sp_columns_take(&t->row, move->into->last_run, move->into->answers[move->answers[run.answers]].id, invocation))
        return sp_store_damaged_run(move->from, &run, m->error);
    if (!note(m, run.id, *bring))
        return sp_fail(m->error, SP_ENOMEM, "%s: out of memory", move->from->database.path);
    move->done->brought += !both.old;
    move->done->replaced += both.old && *bring;
    move->done->there += !*bring;
    if (both.old && *bring)
        SP_TRY(sp_both_forget(&both, m->error));
    else if (both.old && both.old->answers == move->answers[run.answers])
        SP_TRY(sp_both_compare(&both, m->error));
    if (*bring)
        status = list_run(t, &run);
cleanup:
    return status;
}

/* --- rows of runs in other tables ----------------------------------------------------------------------------------- */

static sp_status damaged_row(const moving *m, uint64_t id)
{
    const sp_identities *runs = &m->move->into->runs;
    for (size_t i = 0; i < runs->count; i++)
        if (runs->run[i].id == m->move->into->last_run + id)
            return sp_store_damaged_run(m->move->from, &runs->run[i], m->error);
    return damaged_list(m);
}

static sp_status take_row(table *t, bool *bring)
{
    const moving *m = t->m;
    const uint64_t id = sp_field_number(&t->row.value[0]);
    *bring = id < m->room && m->brought[id];
    return *bring && !sp_columns_take(&t->row, m->move->into->last_run, 0, 0) ? damaged_row(m, id) : SP_OK;
}

/* --- virtual tables ----------------------------------------------------------------------------------------------- */

#define ROLE(name, type) sp_role_of(#name, type),
#define ROLES(columns) { columns(ROLE) }
#define DECLARED(columns) "CREATE TABLE coming (" columns(SP_COLUMN_NAME) "checksum)"

static const struct {
    const char *name, *declared;
    sp_statement root, bring;
    sp_status (*take)(table *, bool *bring);
} tables[TABLES] = {
    [RUNS_TABLE] = { "coming_run", DECLARED(SP_RUN_COLUMNS), ROOT_OF_RUNS, BRING_RUNS, take_run },
    [MEASURE_TABLE] = { "coming_measure", DECLARED(SP_MEASURE_COLUMNS), ROOT_OF_MEASURES, BRING_MEASURES, take_row },
    [ITERATE_TABLE] = { "coming_iterate", DECLARED(SP_ITERATE_COLUMNS), ROOT_OF_ITERATES, BRING_ITERATES, take_row },
    [TRACE_TABLE] = { "coming_trace", DECLARED(SP_TRACE_COLUMNS), ROOT_OF_TRACES, BRING_TRACES, take_row },
    [TRACE_MEASURE_TABLE] = { "coming_trace_measure", DECLARED(SP_TRACE_MEASURE_COLUMNS), ROOT_OF_TRACE_MEASURES,
                              BRING_TRACE_MEASURES, take_row },
};

typedef struct coming {
    sqlite3_vtab base;
    table *table;
} coming;

static table *table_of(sqlite3_vtab_cursor *cursor)
{
    return ((coming *)cursor->pVtab)->table;
}

static int connect(sqlite3 *db, void *context, int count, const char *const *word, sqlite3_vtab **out, char **message)
{
    (void)count, (void)word, (void)message;
    table *t = context;
    coming *made = sqlite3_malloc(sizeof *made);
    if (!made)
        return SQLITE_NOMEM;
    *made = (coming){ .table = t };
    *out = &made->base;
    const int code = sqlite3_declare_vtab(db, tables[t->which].declared);
    if (code != SQLITE_OK)
        sqlite3_free(made);
    return code;
}

static int disconnect(sqlite3_vtab *made)
{
    sqlite3_free(made);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *made, sqlite3_index_info *info)
{
    (void)made, (void)info; /* it is read once, from its beginning to its end */
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *made, sqlite3_vtab_cursor **out)
{
    (void)made;
    *out = sqlite3_malloc(sizeof **out);
    return *out ? SQLITE_OK : SQLITE_NOMEM;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    sp_pages_close(table_of(cursor)->pages);
    table_of(cursor)->pages = NULL;
    sqlite3_free(cursor);
    return SQLITE_OK;
}

/* The next row of `from`, whichever it is. */
static sp_status read_row(table *t)
{
    uint64_t id = 0;
    const sp_status status = sp_pages_next(t->pages, (size_t)t->row.count + 1, t->row.value, &id, t->m->error);
    if (status == SP_OK && t->row.value[0].kind == SP_FIELD_NULL) /* SQLite keeps it once */
        t->row.value[0] = (sp_field){ .kind = SP_FIELD_INTEGER, .integer = (int64_t)id };
    return status == SP_EDATA ? damaged_list(t->m) : status;
}

/* Why it does not go on, `m` knows: SQLite only hears that it does not. */
static int next(sqlite3_vtab_cursor *cursor)
{
    table *t = table_of(cursor);
    moving *m = t->m;
    bool bring = false;
    while (!bring && (m->status = read_row(t)) == SP_OK && (m->status = tables[t->which].take(t, &bring)) == SP_OK)
        ;
    t->end = !bring;
    m->status = m->status == SP_EABSENT ? SP_OK : m->status;
    return m->status == SP_OK ? SQLITE_OK : SQLITE_ABORT;
}

static int filter(sqlite3_vtab_cursor *cursor, int index, const char *name, int count, sqlite3_value **value)
{
    (void)index, (void)name, (void)count, (void)value;
    table *t = table_of(cursor);
    moving *m = t->m;
    sp_store *from = m->move->from;
    uint64_t root = 0;
    m->status = sp_store_ask(from, tables[t->which].root, &root, m->error);
    if (m->status == SP_OK)
        m->status = sp_pages_open(from->database.path, root, &t->pages, m->error);
    if (m->status == SP_EDATA && !t->pages)
        m->status = damaged_list(m);
    return m->status == SP_OK ? next(cursor) : SQLITE_ABORT;
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
    return table_of(cursor)->end;
}

/* Texts and bytes stay where they are until the row has been written. What is not set is NULL. */
static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *c, int i)
{
    const table *t = table_of(cursor);
    const sp_field *v = &t->row.value[i];
    const sp_role r = i < t->row.count ? t->row.role[i] : SP_COLUMN_STATE_SUM;
    if (r == SP_COLUMN_INVOCATION ? t->row.number[i] == 0 : v->kind == SP_FIELD_NULL)
        return SQLITE_OK;
    switch (r) {
    case SP_COLUMN_TEXT: sqlite3_result_text(c, (const char *)v->bytes, (int)v->size, SQLITE_STATIC); break;
    case SP_COLUMN_BYTES: sqlite3_result_blob(c, v->bytes, (int)v->size, SQLITE_STATIC); break;
    case SP_COLUMN_REAL: sqlite3_result_double(c, sp_field_real(v)); break;
    default: sqlite3_result_int64(c, (sqlite3_int64)t->row.number[i]);
    }
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
    *id = table_of(cursor)->row.value[0].integer;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = connect, .xBestIndex = best_index, .xDisconnect = disconnect, .xOpen = open_cursor, .xClose = close_cursor,
    .xFilter = filter, .xNext = next, .xEof = at_end, .xColumn = column, .xRowid = row_id,
};

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static sp_status move_table(table *t)
{
    moving *m = t->m;
    sp_database *into = &m->move->into->database;
    sp_error own = { 0 };
    if (sqlite3_create_module(into->db, tables[t->which].name, &module, t) != SQLITE_OK)
        return sp_fail(m->error, SP_ENOMEM, "%s: out of memory", into->path);
    const sp_status status = sp_database_run(into, tables[t->which].bring, "bringing runs", &own);
    const bool twice = status != SP_OK && sqlite3_errcode(into->db) == SQLITE_CONSTRAINT;
    const uint64_t brought = (uint64_t)sqlite3_changes64(into->db);
    sp_database_forget(into, tables[t->which].bring); /* it points to what ends here */
    sqlite3_create_module(into->db, tables[t->which].name, NULL, NULL);
    if (m->status != SP_OK)
        return m->status;
    if (twice || (status == SP_OK && brought != m->rows[t->which])) /* a damaged page may list a row twice */
        return damaged_list(m);
    if (status != SP_OK && m->error)
        *m->error = own;
    return status;
}

static sp_status check_seen(const moving *m)
{
    uint64_t count = 0;
    const sp_status status = sp_store_ask(m->move->from, COUNT, &count, m->error);
    return status == SP_OK && count != m->seen ? damaged_list(m) : status;
}

#define TABLE(which, columns) { &m, which, NULL, { 0 columns(COUNTED), ROLES(columns), { { 0 } }, { 0 } }, false }
#define COUNTED(name, type) + 1

sp_status sp_move_runs(const sp_move *move, sp_error *error)
{
    sp_status status = SP_OK;
    moving m = { .move = move, .error = error };
    table t[TABLES] = {
        TABLE(RUNS_TABLE, SP_RUN_COLUMNS), TABLE(MEASURE_TABLE, SP_MEASURE_COLUMNS), TABLE(ITERATE_TABLE, SP_ITERATE_COLUMNS),
        TABLE(TRACE_TABLE, SP_TRACE_COLUMNS), TABLE(TRACE_MEASURE_TABLE, SP_TRACE_MEASURE_COLUMNS)
    };
    SP_TRY(sp_store_ask(move->from, LAST_INVOCATION, &m.invocations, error));
    if (!(m.invocation = sp_alloc(m.invocations + 1, sizeof *m.invocation)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", move->from->database.path));
    SP_TRY(move_table(&t[RUNS_TABLE]));
    SP_TRY(check_seen(&m));
    for (size_t i = MEASURE_TABLE; i < TABLES && m.rows[RUNS_TABLE] > 0; i++)
        SP_TRY(move_table(&t[i]));
    if (m.rows[RUNS_TABLE] > 0) {
        sp_row r;
        SP_TRY(sp_row_prepare(&move->into->database, SET_COUNT, &r, error));
        sp_put_count(&r, move->into->runs.count);
        SP_TRY(sp_row_run(&r, "storing how many runs there are", error));
        move->into->last_run += m.last;
    }
cleanup:
    free(m.invocation);
    free(m.brought);
    return status;
}
