/*
 * move.c -- see move.h.
 *
 * The file of `from` is attached as the schema "source". First the list of its runs is read, and each run is
 * accepted, left out or compared with the one of the same identity that is there. Accepted runs go into the temporary
 * table "accepted", with the numbers that their answers and their invocation have in `into`. Then one INSERT ...
 * SELECT per table copies the rows. The SQL function row_sum(TYPES, COLUMN...) computes the checksum of a row
 * (core/base/checksum.h). Where a row differs from its checksum, the new checksum is NULL, which the table refuses.
 */
#include "core/cluster/move.h"

#include "core/base/checksum.h"
#include "core/base/memory.h"
#include "core/plan/registry.h"
#include "core/store/store_schema.h"

#include <stdlib.h>
#include <string.h>

#define NAME(name, type) #name,
#define TYPE(name, type) type,
#define TABLE(table, columns)                                                                                         \
    { table, (const char *const[]){ columns(NAME) NULL }, (const char *const[]){ columns(TYPE) NULL } }

static const struct table {
    const char *name;
    const char *const *column, *const *type; /* the first column is the number of the run */
} tables[] = { TABLE("run", SP_RUN_COLUMNS), TABLE("measure", SP_MEASURE_COLUMNS), TABLE("iterate", SP_ITERATE_COLUMNS),
               TABLE("trace", SP_TRACE_COLUMNS), TABLE("trace_measure", SP_TRACE_MEASURE_COLUMNS) };
enum { RUNS, MEASURE_ROWS, ITERATES, TRACES, TRACE_MEASURE_ROWS, TABLES };

typedef struct moving {
    const sp_move *move;
    uint64_t *invocation; /* by id in `from`: id in `into`, 0: not copied so far */
    uint64_t invocations; /* the largest id in `from` */
    uint64_t last, seen;  /* runs of `from`: the largest id so far, and how many */
    size_t accepted;
    sp_row accept;        /* the statement that adds a row to "accepted" */
    sp_row compare[TABLES];    /* by table: the statement of write_comparison, prepared on first use */
    sp_error *error;
} moving;

static sp_status damaged_list(const moving *m)
{
    return sp_database_damaged(&m->move->from->database, "the list of its runs", m->error);
}

/* The error of a statement that read `from` and wrote `into`: which of them is damaged, or lacks room? */
static sp_status explain(const moving *m, sp_status status)
{
    sqlite3 *db = m->move->into->database.db;
    const int code = sqlite3_errcode(db) & 0xff;
    const bool damaged = code == SQLITE_CONSTRAINT || code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
                         code == SQLITE_ERROR || sqlite3_extended_errcode(db) == SQLITE_IOERR_SHORT_READ;
    return status != SP_OK && damaged ? damaged_list(m) : status;
}

/* --- SQL ---------------------------------------------------------------------------------------------------------- */

/* row_sum(TYPES, COLUMN...): the k-th letter of TYPES is the first one of the k-th column's type. NULL where a value
 * has another type. */
static void row_sum(sqlite3_context *context, int count, sqlite3_value **value)
{
    const char *type = (const char *)sqlite3_value_text(value[0]);
    uint64_t sum = SP_CHECKSUM_START;
    for (int i = 1; i < count; i++, type++) {
        const int kind = sqlite3_value_type(value[i]);
        const int wanted = *type == 'T' ? SQLITE_TEXT : *type == 'B' ? SQLITE_BLOB : *type == 'R' ? SQLITE_FLOAT
                                                                                              : SQLITE_INTEGER;
        if (kind != wanted && kind != SQLITE_NULL)
            return;
        const void *bytes = wanted == SQLITE_TEXT || wanted == SQLITE_BLOB ? sqlite3_value_blob(value[i]) : NULL;
        if (wanted == SQLITE_TEXT || wanted == SQLITE_BLOB)
            sum = sp_checksum_bytes(sum, bytes ? bytes : "", (size_t)sqlite3_value_bytes(value[i]));
        else if (wanted == SQLITE_FLOAT)
            sum = sp_checksum_real(sum, kind == SQLITE_NULL ? (double)NAN : sqlite3_value_double(value[i]));
        else
            sum = sp_checksum_word(sum, (uint64_t)sqlite3_value_int64(value[i]));
    }
    sqlite3_result_int64(context, (sqlite3_int64)sum);
}

static void write_sum(sp_text *sql, const struct table *t, size_t columns, bool new);

/* A column of row r of "source" or, with `new`, what it becomes; ?1 is added to the numbers of runs. */
static void write_value(sp_text *sql, const struct table *t, size_t i, bool new)
{
    const char *name = t->column[i];
    if (new && i == 0)
        sp_text_append(sql, "r.%s + ?1", name);
    else if (new && (strcmp(name, "answers") == 0 || strcmp(name, "invocation") == 0))
        sp_text_append(sql, "accepted.%s", name);
    else if (new && strcmp(name, "state_checksum") == 0)
        write_sum(sql, t, i, true);
    else
        sp_text_append(sql, "r.%s", name);
}

/* The checksum of the first columns. The new one is NULL where the old one is not that of the old values. */
static void write_sum(sp_text *sql, const struct table *t, size_t columns, bool new)
{
    if (new) {
        sp_text_append(sql, "CASE WHEN r.%s IS ", t->column[columns] ? t->column[columns] : "checksum");
        write_sum(sql, t, columns, false);
        sp_text_append(sql, " THEN ");
    }
    sp_text_append(sql, "row_sum('");
    for (size_t i = 0; i < columns; i++)
        sp_text_append(sql, "%c", t->type[i][0]);
    sp_text_append(sql, "'");
    for (size_t i = 0; i < columns; i++) {
        sp_text_append(sql, ", ");
        write_value(sql, t, i, new);
    }
    sp_text_append(sql, new ? ") END" : ")");
}

static void write_insert(sp_text *sql, const struct table *t)
{
    size_t columns = 0;
    sp_text_append(sql, "INSERT INTO main.%s (", t->name);
    for (; t->column[columns]; columns++)
        sp_text_append(sql, "%s, ", t->column[columns]);
    sp_text_append(sql, "checksum) SELECT ");
    for (size_t i = 0; i < columns; i++) {
        write_value(sql, t, i, true);
        sp_text_append(sql, ", ");
    }
    write_sum(sql, t, columns, true);
    sp_text_append(sql, " FROM accepted CROSS JOIN source.%s AS r ON r.%s = accepted.id", t->name, t->column[0]);
}

/* Numbers of rows, and measurements of a machine, are no part of a result. */
static bool is_result(const char *column)
{
    static const char *const other[] = { "id",      "run",     "answers",     "state_checksum", "invocation",
                                         "seconds", "elapsed", "peak_memory", "checkpoints",    "measures",   "traces",
                                         "dimension" };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(column, other[i]) == 0)
            return false;
    return true;
}

static void write_rows(sp_text *sql, const struct table *t, const char *schema, bool count, int parameter)
{
    sp_text_append(sql, "SELECT %s", count ? "count(*)" : "0");
    for (size_t i = 0; t->column[i] && !count; i++)
        if (is_result(t->column[i]))
            sp_text_append(sql, ", %s", t->column[i]);
    sp_text_append(sql, " FROM %s.%s WHERE %s = ?%d", schema, t->name, t->column[0], parameter);
}

/* One row where the results of run ?1 of "source" and run ?2 of `into` differ in a table. */
static void write_comparison(sp_text *sql, const struct table *t)
{
    sp_text_append(sql, "SELECT 1 WHERE (");
    write_rows(sql, t, "source", true, 1);
    sp_text_append(sql, ") <> (");
    write_rows(sql, t, "main", true, 2);
    sp_text_append(sql, ") OR EXISTS (");
    write_rows(sql, t, "source", false, 1);
    sp_text_append(sql, " EXCEPT ");
    write_rows(sql, t, "main", false, 2);
    sp_text_append(sql, ")");
}

sp_status sp_move_attach(const sp_move *move, sp_error *error)
{
    sp_database *into = &move->into->database;
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    if (sqlite3_create_function(into->db, "row_sum", -1, flags, NULL, row_sum, NULL, NULL) != SQLITE_OK)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", into->path);
    return sp_database_attach(into, &move->from->database, "source", error);
}

void sp_move_detach(const sp_move *move)
{
    sqlite3_exec(move->into->database.db, "DETACH source", NULL, NULL, NULL);
}

/* --- a run that both stores have ---------------------------------------------------------------------------------- */

typedef struct pair {
    const sp_stored_run *old, *run; /* in `into` and in `from` */
} pair;

static sp_status compare_rows(moving *m, const pair *p, size_t i)
{
    sp_status status = SP_OK;
    char name[SP_RUN_NAME];
    sp_database *into = &m->move->into->database;
    const char *from = m->move->from->database.path;
    sp_text sql = { 0 };
    if (!m->compare[i].at) {
        write_comparison(&sql, &tables[i]);
        SP_TRY(sp_database_prepare(into, &sql, &m->compare[i], m->error));
    }
    m->compare[i].next = 1;
    sp_put_count(&m->compare[i], p->run->id);
    sp_put_count(&m->compare[i], p->old->id);
    status = explain(m, sp_row_next(&m->compare[i], m->error));
    sp_stored_run_name(p->run, name);
    if (status == SP_OK)
        SP_TRY(sp_fail(m->error, SP_EDATA, "run %s: its rows in the table %s differ between %s and %s. One of the two "
                       "results is wrong. No run of %s was imported", name, tables[i].name, from, into->path, from));
    status = status == SP_EABSENT ? SP_OK : status;
cleanup:
    sqlite3_reset(m->compare[i].at);
    sp_text_free(&sql);
    return status;
}

/* Two successes of the same sources have to agree. Iterates and traces are compared where both runs have them. */
static sp_status compare(moving *m, const pair *p)
{
    sp_status status = SP_OK;
    if (p->old->status != SP_OK || p->run->status != SP_OK)
        return SP_OK;
    for (size_t i = 0; i < TABLES; i++)
        if (i == ITERATES ? p->old->dimension == p->run->dimension
                          : i < TRACES || p->old->checkpoints == p->run->checkpoints)
            SP_TRY(compare_rows(m, p, i));
cleanup:
    return status;
}

/* Does b have each measure of a, "name hash name hash ", with the same hash? */
static bool has_measures(const char *a, const char *b)
{
    while (*a) {
        const size_t name = strcspn(a, " "), both = name + 1 + strcspn(a + name + 1, " ") + 1;
        const char *at = b;
        while (*at && strncmp(at, a, both) != 0) {
            at += strcspn(at, " ") + 1;
            at += strcspn(at, " ") + 1;
        }
        if (!*at)
            return false;
        a += both;
    }
    return true;
}

/* Should the run of `from` replace the one that is there? */
static bool is_better(const sp_move *move, const pair *p)
{
    const sp_stored_run *old = p->old, *run = p->run;
    const sp_fingerprints *there = &move->into->answers[old->answers], *new = &move->from->answers[run->answers];
    if (!sp_same_source(&move->into->stamps, there->text[CORE], sp_source_hash("core")))
        return true;
    for (size_t i = 0; i < CORE; i++)
        if (strcmp(there->text[i], new->text[i]) != 0)
            return true; /* the program that merges made it, after the one that is there */
    if ((old->status == SP_OK) != (run->status == SP_OK))
        return run->status == SP_OK;
    const bool more = !has_measures(new->text[MEASURE_SOURCES], there->text[MEASURE_SOURCES]);
    const bool traced = there->text[UNTRACED][0] && !new->text[UNTRACED][0]; /* the old one came from tables */
    return (more || traced) && has_measures(there->text[MEASURE_SOURCES], new->text[MEASURE_SOURCES]);
}

/* Deletes the rows of the old run in all tables, whether or not SQLite follows references now. */
static sp_status forget(const moving *m, const pair *p)
{
    static const sp_statement rows[] = { FORGET_MEASURES, FORGET_ITERATE, FORGET_TRACE_MEASURES, FORGET_TRACE, FORGET };
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sp_row r;
        SP_TRY(sp_row_prepare(&m->move->into->database, rows[i], &r, m->error));
        sp_put_count(&r, p->old->id);
        SP_TRY(sp_row_run(&r, "replacing a run", m->error));
    }
cleanup:
    return status;
}

/* --- the list of runs --------------------------------------------------------------------------------------------- */

/* The id of the invocation in `into`, to which its row is copied first; 0: unknown. */
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

static sp_status accept(moving *m, const sp_stored_run *run, uint64_t old_invocation)
{
    sp_status status = SP_OK;
    sp_store *into = m->move->into;
    sp_stored_run new = *run;
    uint64_t invocation = 0;
    SP_TRY(invocation_of(m, old_invocation, &invocation));
    new.id += into->last_run;
    new.answers = (uint32_t)m->move->answers[run->answers];
    sqlite3_bind_int64(m->accept.at, 1, (sqlite3_int64)run->id);
    sqlite3_bind_int64(m->accept.at, 2, (sqlite3_int64)into->answers[new.answers].id);
    if (invocation > 0)
        sqlite3_bind_int64(m->accept.at, 3, (sqlite3_int64)invocation);
    else
        sqlite3_bind_null(m->accept.at, 3);
    SP_TRY(sp_row_run(&m->accept, "listing the runs to import", m->error));
    if (!sp_identities_reserve(&into->runs))
        SP_TRY(sp_fail(m->error, SP_ENOMEM, "%s: out of memory", into->database.path));
    sp_identities_put(&into->runs, &new);
    m->accepted++;
cleanup:
    return status;
}

/* The columns of SP_RUN_STATE_COLUMNS and the invocation. */
static sp_status take_run(moving *m, sp_row *r)
{
    sp_status status = SP_OK;
    const sp_move *move = m->move;
    sp_stored_run run = { .id = sp_take_count(r) };
    const bool named = sp_identity_read(sp_take_text(r), run.identity);
    run.answers = (uint32_t)sp_fingerprints_position(move->from, sp_take_count(r));
    run.status = sp_status_named(sp_take_text(r));
    run.checkpoints = sp_take_real(r);
    run.dimension = (uint32_t)sp_take_count(r);
    if (!sp_take_checksum(r) || !named || run.answers == move->from->answered)
        return damaged_list(m);
    const pair p = { sp_identities_at(&move->into->runs, run.identity), &run };
    if (run.id <= m->last || (p.old && p.old->id > move->into->last_run))
        return sp_store_damaged_run(move->from, &run, m->error); /* it is listed twice */
    m->last = run.id;
    m->seen++;
    const bool better = p.old && is_better(move, &p);
    move->done->brought += !p.old;
    move->done->replaced += better;
    move->done->there += p.old && !better;
    if (better)
        SP_TRY(forget(m, &p));
    else if (p.old && p.old->answers == move->answers[run.answers])
        SP_TRY(compare(m, &p));
    if (!p.old || better)
        status = accept(m, &run, sp_take_count(r));
cleanup:
    return status;
}

static sp_status take_runs(moving *m)
{
    sp_status status = SP_OK;
    uint64_t count = 0;
    sp_row r;
    SP_TRY(sp_row_prepare(&m->move->from->database, STATES, &r, m->error));
    while ((status = sp_row_next(&r, m->error)) == SP_OK && (status = take_run(m, &r)) == SP_OK)
        ;
    sqlite3_reset(r.at);
    if (status != SP_EABSENT)
        return status;
    SP_TRY(sp_store_ask(m->move->from, COUNT, &count, m->error));
    status = count == m->seen ? SP_OK : damaged_list(m);
cleanup:
    return status;
}

/* --- the rows ----------------------------------------------------------------------------------------------------- */

/* How many rows of each table belong to the accepted runs, as their rows of the table run say. */
static sp_status count_rows(const moving *m, uint64_t rows[TABLES])
{
    sp_row r;
    sp_status status = sp_row_prepare(&m->move->into->database, ROWS_TO_IMPORT, &r, m->error);
    if (status == SP_OK)
        status = explain(m, sp_row_next(&r, m->error));
    for (size_t i = 0; i < TABLES && status == SP_OK; i++)
        rows[i] = sp_take_count(&r);
    sqlite3_reset(r.at);
    return status;
}

static sp_status copy_rows(const moving *m, const struct table *t, uint64_t rows)
{
    sp_status status = SP_OK;
    sp_database *into = &m->move->into->database;
    sp_text sql = { 0 };
    sp_row r = { 0 };
    write_insert(&sql, t);
    SP_TRY(sp_database_prepare(into, &sql, &r, m->error));
    sp_put_count(&r, m->move->into->last_run);
    SP_TRY(explain(m, sp_row_run(&r, "importing runs", m->error)));
    if ((uint64_t)sqlite3_changes64(into->db) != rows)
        status = damaged_list(m);
cleanup:
    sqlite3_finalize(r.at);
    sp_text_free(&sql);
    return status;
}

sp_status sp_move_runs(const sp_move *move, sp_error *error)
{
    sp_status status = SP_OK;
    moving m = { .move = move, .error = error };
    sp_database *into = &move->into->database;
    uint64_t rows[TABLES] = { 0 };
    sp_row r;
    SP_TRY(sp_store_ask(move->from, LAST_INVOCATION, &m.invocations, error));
    if (!(m.invocation = sp_alloc(m.invocations + 1, sizeof *m.invocation)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", move->from->database.path));
    SP_TRY(sp_database_run(into, MAKE_ACCEPTED, "listing the runs to import", error));
    SP_TRY(sp_row_prepare(into, ACCEPT, &m.accept, error));
    SP_TRY(take_runs(&m));
    SP_TRY(count_rows(&m, rows));
    for (size_t i = 0; i < TABLES && m.accepted > 0; i++)
        SP_TRY(copy_rows(&m, &tables[i], rows[i]));
    SP_TRY(sp_database_run(into, DROP_ACCEPTED, "listing the runs to import", error));
    if (m.accepted > 0) {
        SP_TRY(sp_row_prepare(into, SET_COUNT, &r, error));
        sp_put_count(&r, move->into->runs.count);
        SP_TRY(sp_row_run(&r, "storing how many runs there are", error));
        move->into->last_run += m.last;
    }
cleanup:
    for (size_t i = 0; i < TABLES; i++)
        sqlite3_finalize(m.compare[i].at);
    free(m.invocation);
    return status;
}
