/*
 * conflict.c -- see conflict.h.
 */
#include "core/store/conflict.h"

#include "core/plan/registry.h"
#include "core/store/store_schema.h"

#include <string.h>

#define ONE(name, type) #name,
static const char *const run_columns[] = { SP_RUN_COLUMNS(ONE) NULL };
static const char *const measure_columns[] = { SP_MEASURE_COLUMNS(ONE) NULL };
static const char *const trace_columns[] = { SP_TRACE_COLUMNS(ONE) NULL };
static const char *const trace_measure_columns[] = { SP_TRACE_MEASURE_COLUMNS(ONE) NULL };
static const char *const iterate_columns[] = { SP_ITERATE_COLUMNS(ONE) NULL };

/* The rows of a run in other tables. */
static const struct part {
    sp_statement get;
    const char *const *column;
} parts[] = { { MEASURES, measure_columns },
              { ITERATE, iterate_columns },
              { TRACE, trace_columns },
              { TRACE_MEASURES, trace_measure_columns } };
enum { PARTS = sizeof parts / sizeof *parts };

/* Of what a row says about a result: not how it is numbered, nor what a machine measured. */
static bool is_result(const char *column)
{
    static const char *const other[] = { "id",      "run",     "answers",     "state_checksum", "invocation",
                                         "seconds", "elapsed", "peak_memory", "checkpoints",    "measures",   "traces", "dimension" };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(column, other[i]) == 0)
            return false;
    return true;
}

static bool same_value(sp_row *a, sp_row *b, int i)
{
    const int type = sqlite3_column_type(a->at, i);
    if (type != sqlite3_column_type(b->at, i))
        return false;
    if (type == SQLITE_NULL)
        return true;
    if (type == SQLITE_INTEGER) /* whose bytes SQLite would print */
        return sqlite3_column_int64(a->at, i) == sqlite3_column_int64(b->at, i);
    if (type == SQLITE_FLOAT)
        return sqlite3_column_double(a->at, i) == sqlite3_column_double(b->at, i);
    const int size = sqlite3_column_bytes(a->at, i);
    return size == sqlite3_column_bytes(b->at, i) &&
           (size == 0 || memcmp(sqlite3_column_blob(a->at, i), sqlite3_column_blob(b->at, i), (size_t)size) == 0);
}

/* The first column in which two rows of a result differ; NULL: none. */
static const char *difference(const char *const *column, sp_row *a, sp_row *b)
{
    for (int i = 0; column[i]; i++)
        if (!same_value(a, b, i) && is_result(column[i]))
            return column[i];
    return NULL;
}

static sp_status conflict(const sp_both *both, const char *what, sp_error *error)
{
    const char *into = both->into->database.path, *from = both->from->database.path;
    char name[SP_RUN_NAME];
    sp_stored_run_name(both->run, name);
    return sp_fail(error, SP_EDATA, "run %s has another %s in %s than in %s: one of them is not what this experiment gives. "
                   "Nothing of %s was brought", name, what, from, into, from);
}

static sp_status compare_rows(const sp_both *both, sp_statement get, const char *const *column, sp_error *error)
{
    sp_status one = SP_OK, two = SP_OK, status = SP_OK;
    const char *differs = NULL;
    sp_row a, b;
    SP_TRY(sp_row_prepare(&both->from->database, get, &a, error));
    SP_TRY(sp_row_prepare(&both->into->database, get, &b, error));
    sp_put_count(&a, both->run->id);
    sp_put_count(&b, both->old->id);
    while (!differs && one == SP_OK && two == SP_OK) {
        one = sp_row_next(&a, error);
        two = sp_row_next(&b, error);
        if (one == SP_OK && two == SP_OK)
            differs = difference(column, &a, &b);
        else if (one != two)
            differs = "number of rows";
    }
    sqlite3_reset(a.at);
    sqlite3_reset(b.at);
    if (one != SP_OK && one != SP_EABSENT)
        status = one;
    else if (two != SP_OK && two != SP_EABSENT)
        status = two;
    else if (differs)
        status = conflict(both, differs, error);
cleanup:
    return status;
}

sp_status sp_both_compare(const sp_both *both, sp_error *error)
{
    const sp_stored_run *old = both->old, *run = both->run;
    sp_status status = SP_OK;
    if (old->status != SP_OK || run->status != SP_OK)
        return SP_OK;
    SP_TRY(compare_rows(both, RUN, run_columns, error));
    for (size_t p = 0; p < PARTS; p++)
        if (parts[p].get == MEASURES || (parts[p].get == ITERATE ? old->dimension == run->dimension
                                                                  : old->checkpoints == run->checkpoints))
            SP_TRY(compare_rows(both, parts[p].get, parts[p].column, error));
cleanup:
    return status;
}

/* Has each measure of `a`, "name hash name hash ", the same source in b? */
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

bool sp_both_better(const sp_both *both)
{
    const sp_stored_run *old = both->old, *run = both->run;
    const sp_answers *there = &both->into->answers[old->answers], *new = &both->from->answers[run->answers];
    if (!sp_same_source(&both->into->stamps, there->text[CORE], sp_source_hash("core")))
        return true;
    for (size_t i = 0; i < CORE; i++)
        if (strcmp(there->text[i], new->text[i]) != 0)
            return true; /* by the program that merges, later than what is there */
    if ((old->status == SP_OK) != (run->status == SP_OK))
        return run->status == SP_OK;
    const bool more = !has_measures(new->text[MEASURE_SOURCES], there->text[MEASURE_SOURCES]);
    const bool traced = there->text[UNTRACED][0] && !new->text[UNTRACED][0]; /* what is there came from tables */
    return (more || traced) && has_measures(there->text[MEASURE_SOURCES], new->text[MEASURE_SOURCES]);
}

sp_status sp_both_forget(const sp_both *both, sp_error *error)
{
    static const sp_statement rows[] = { FORGET_MEASURES, FORGET_ITERATE, FORGET_TRACE_MEASURES, FORGET_TRACE, FORGET };
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sp_row r;
        SP_TRY(sp_row_prepare(&both->into->database, rows[i], &r, error));
        sp_put_count(&r, both->old->id);
        SP_TRY(sp_row_run(&r, "replacing a run", error));
    }
cleanup:
    return status;
}
