/*
 * move.c -- see move.h.
 *
 * A function a table, which SQLite calls with all columns of a row, gives the row's new checksum. Numbers change: of the
 * run (the first column), of what answered and of what made it. The functions fail where a row is not what was written.
 */
#include "core/store/move.h"

#include "core/base/checksum.h"
#include "core/store/store_schema.h"

#include <math.h>
#include <string.h>

typedef enum role {
    TEXT, REAL, BYTES, NUMBER, /* as they are */
    RUN_NUMBER, ANSWERS_NUMBER, INVOCATION_NUMBER, STATE_SUM
} role;

static role role_of(const char *name, const char *type)
{
    static const struct { const char *name; role role; } numbered[] = {
        { "id", RUN_NUMBER }, { "run", RUN_NUMBER }, { "answers", ANSWERS_NUMBER },
        { "invocation", INVOCATION_NUMBER }, { "state_checksum", STATE_SUM }
    };
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        if (strcmp(name, numbered[i].name) == 0)
            return numbered[i].role;
    return *type == 'T' ? TEXT : *type == 'R' ? REAL : *type == 'B' ? BYTES : NUMBER;
}

enum { COLUMNS_MAX = 64 };
enum { STATE, RUNS_TABLE, MEASURE_TABLE, ITERATE_TABLE, TRACE_TABLE, TRACE_MEASURE_TABLE, TABLES };

typedef struct moving {
    const sp_move *move;
    uint64_t rows[TABLES];     /* that should be there, as the rows of runs say */
    const sp_stored_run *last; /* whose row was looked at last */
    bool broken;               /* it is not what was written */
} moving;

/* What one function knows. */
typedef struct table {
    moving *m;
    role role[COLUMNS_MAX];
} table;

static uint64_t new_invocation(const moving *m, uint64_t old)
{
    return old <= m->move->invocations ? m->move->invocation[old] : 0;
}

static uint64_t new_answers(const moving *m, const sp_stored_run *run)
{
    return m->move->into->answers[m->move->answers[run->answers]].id;
}

/* NULL: is not to be moved. */
static const sp_stored_run *run_of(const moving *m, sqlite3_value *id)
{
    const uint64_t i = (uint64_t)sqlite3_value_int64(id);
    return i <= m->move->from->last_run ? m->move->run[i] : NULL;
}

/* --- functions of SQL -------------------------------------------------------------------------------------------- */

static void break_off(sqlite3_context *c, moving *m)
{
    m->broken = true;
    sqlite3_result_error(c, "not as it was written", -1);
}

/* is_new(id) */
static void is_new(sqlite3_context *c, int count, sqlite3_value **v)
{
    const moving *m = sqlite3_user_data(c);
    (void)count;
    sqlite3_result_int(c, run_of(m, v[0]) != NULL);
}

/* answers_of(id) */
static void answers_of(sqlite3_context *c, int count, sqlite3_value **v)
{
    const moving *m = sqlite3_user_data(c);
    (void)count;
    sqlite3_result_int64(c, (sqlite3_int64)new_answers(m, run_of(m, v[0])));
}

/* invocation_of(invocation) */
static void invocation_of(sqlite3_context *c, int count, sqlite3_value **v)
{
    const uint64_t new = new_invocation(sqlite3_user_data(c), (uint64_t)sqlite3_value_int64(v[0]));
    (void)count;
    if (new > 0)
        sqlite3_result_int64(c, (sqlite3_int64)new);
}

typedef struct sums {
    uint64_t old, new;
} sums;

static void add_word(sums *s, uint64_t old, uint64_t new)
{
    s->old = sp_checksum_word(s->old, old);
    s->new = sp_checksum_word(s->new, new);
}

static void add_bytes(sums *s, sqlite3_value *v)
{
    const void *bytes = sqlite3_value_blob(v); /* of a text as well: without a copy that ends in NUL */
    const size_t size = (size_t)sqlite3_value_bytes(v);
    s->old = sp_checksum_bytes(s->old, bytes ? bytes : "", size);
    s->new = sp_checksum_bytes(s->new, bytes ? bytes : "", size);
}

static void add_real(sums *s, sqlite3_value *v)
{
    const double value = sqlite3_value_type(v) == SQLITE_NULL ? (double)NAN : sqlite3_value_double(v);
    s->old = sp_checksum_real(s->old, value);
    s->new = sp_checksum_real(s->new, value);
}

static sums sum_columns(const table *t, const sp_stored_run *run, int count, sqlite3_value **v)
{
    sums s = { SP_CHECKSUM_START, SP_CHECKSUM_START };
    for (int i = 0; i < count; i++) {
        const uint64_t number = t->role[i] >= NUMBER ? (uint64_t)sqlite3_value_int64(v[i]) : 0;
        switch (t->role[i]) {
        case TEXT:
        case BYTES: add_bytes(&s, v[i]); break;
        case REAL: add_real(&s, v[i]); break;
        case NUMBER: add_word(&s, number, number); break;
        case RUN_NUMBER: add_word(&s, number, number + t->m->move->into->last_run); break;
        case ANSWERS_NUMBER: add_word(&s, number, new_answers(t->m, run)); break;
        case INVOCATION_NUMBER: add_word(&s, number, new_invocation(t->m, number)); break;
        case STATE_SUM: add_word(&s, number, s.new); break; /* of the columns before it */
        }
    }
    return s;
}

/* sum_...(columns, checksum): the row's new checksum. */
static void sum_row(sqlite3_context *c, int count, sqlite3_value **v)
{
    const table *t = sqlite3_user_data(c);
    t->m->last = run_of(t->m, v[0]);
    const sums s = sum_columns(t, t->m->last, count - 1, v);
    if (s.old != (uint64_t)sqlite3_value_int64(v[count - 1]))
        break_off(c, t->m);
    else
        sqlite3_result_int64(c, (sqlite3_int64)s.new);
}

/* The same of a run, whose last columns say how many rows the other tables have for it. */
static void sum_run(sqlite3_context *c, int count, sqlite3_value **v)
{
    const table *t = sqlite3_user_data(c);
    sum_row(c, count, v);
    const uint64_t measures = (uint64_t)sqlite3_value_int64(v[count - 3]);
    const uint64_t traces = (uint64_t)sqlite3_value_int64(v[count - 2]);
    t->m->rows[RUNS_TABLE]++;
    t->m->rows[MEASURE_TABLE] += measures;
    t->m->rows[ITERATE_TABLE] += t->m->last->dimension > 0;
    t->m->rows[TRACE_TABLE] += traces;
    t->m->rows[TRACE_MEASURE_TABLE] += traces * measures;
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

#define ROLE(name, type) role_of(#name, type),
#define ROLES(m, columns) { (m), { columns(ROLE) } }

static const struct {
    const char *function;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
    sp_statement move;
} tables[TABLES] = {
    [STATE] = { "sum_state", sum_row, 0 },
    [RUNS_TABLE] = { "sum_run", sum_run, MOVE_RUNS },
    [MEASURE_TABLE] = { "sum_measure", sum_row, MOVE_MEASURES },
    [ITERATE_TABLE] = { "sum_iterate", sum_row, MOVE_ITERATES },
    [TRACE_TABLE] = { "sum_trace", sum_row, MOVE_TRACES },
    [TRACE_MEASURE_TABLE] = { "sum_trace_measure", sum_row, MOVE_TRACE_MEASURES },
};

static const struct {
    const char *function;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
} lookups[] = { { "is_new", is_new }, { "answers_of", answers_of }, { "invocation_of", invocation_of } };

/* What is wrong with the file that rows come from, if anything is: it is read alone. */
static sp_status blame(const moving *m, sp_status found, sp_error *error)
{
    static const sp_statement all[] = { RUNS, ALL_MEASURES, ALL_ITERATES, ALL_TRACES, ALL_TRACE_MEASURES };
    sp_error own = { 0 };
    if (m->broken)
        return sp_store_damaged_run(m->move->from, m->last ? m->last->identity : "", error);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sp_row r;
        sp_status status = sp_row_prepare(&m->move->from->database, all[i], &r, &own);
        while (status == SP_OK)
            status = sp_row_next(&r, &own);
        if (status != SP_EABSENT) {
            *error = own;
            return status;
        }
    }
    return sqlite3_errcode(m->move->into->database.db) == SQLITE_CONSTRAINT /* a damaged page may list a row twice */
               ? sp_database_damaged(&m->move->from->database, "the list of its runs", error)
               : found;
}

static sp_status move_table(const moving *m, size_t i, sp_error *error)
{
    sqlite3 *db = m->move->into->database.db;
    sp_row r;
    sp_status status = sp_row_prepare(&m->move->into->database, tables[i].move, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_count(&r, m->move->into->last_run);
    status = sp_row_run(&r, "bringing runs", error);
    if (status != SP_OK)
        return blame(m, status, error);
    return (uint64_t)sqlite3_changes64(db) == m->rows[i]
               ? SP_OK
               : sp_database_damaged(&m->move->from->database, "the list of its runs", error);
}

sp_status sp_move_runs(const sp_move *move, sp_error *error)
{
    enum { PURE = SQLITE_UTF8 };
    sqlite3 *db = move->into->database.db;
    sp_status status = SP_OK;
    moving m = { .move = move };
    table t[TABLES] = {
        [STATE] = ROLES(&m, SP_RUN_STATE_COLUMNS),         [RUNS_TABLE] = ROLES(&m, SP_RUN_COLUMNS),
        [MEASURE_TABLE] = ROLES(&m, SP_MEASURE_COLUMNS),   [ITERATE_TABLE] = ROLES(&m, SP_ITERATE_COLUMNS),
        [TRACE_TABLE] = ROLES(&m, SP_TRACE_COLUMNS),       [TRACE_MEASURE_TABLE] = ROLES(&m, SP_TRACE_MEASURE_COLUMNS),
    };
    int code = SQLITE_OK;
    for (size_t i = 0; i < TABLES && code == SQLITE_OK; i++)
        code = sqlite3_create_function(db, tables[i].function, -1, PURE, &t[i], tables[i].call, NULL, NULL);
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups && code == SQLITE_OK; i++)
        code = sqlite3_create_function(db, lookups[i].function, 1, PURE, &m, lookups[i].call, NULL, NULL);
    if (code != SQLITE_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", move->into->database.path));
    for (size_t i = RUNS_TABLE; i < TABLES; i++)
        SP_TRY(move_table(&m, i, error));
    for (uint64_t id = 0; id <= move->from->last_run; id++)
        m.rows[RUNS_TABLE] -= move->run[id] != NULL;
    if (m.rows[RUNS_TABLE] != 0)
        SP_TRY(sp_database_damaged(&move->from->database, "the list of its runs", error));
cleanup:
    for (size_t i = 0; i < TABLES; i++) /* they point to what ends here */
        sqlite3_create_function(db, tables[i].function, -1, PURE, NULL, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++)
        sqlite3_create_function(db, lookups[i].function, 1, PURE, NULL, NULL, NULL, NULL);
    return status;
}
