/*
 * merge.c -- see merge.h.
 *
 * Rows go over column by column; only what numbers rows (id, run, answers, invocation) is numbered anew, and with it the
 * checksums. What was measured on a machine is no part of a result: two rows may differ in it.
 */
#include "core/store/merge.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/plan/registry.h"
#include "core/store/parts.h"
#include "core/store/store_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct column {
    const char *name, *type;
} column;

#define ONE(name, type) { #name, type },
static const column run_columns[] = { SP_RUN_COLUMNS(ONE) { NULL, NULL } };
static const column measure_columns[] = { SP_MEASURE_COLUMNS(ONE) { NULL, NULL } };
static const column trace_columns[] = { SP_TRACE_COLUMNS(ONE) { NULL, NULL } };
static const column trace_measure_columns[] = { SP_TRACE_MEASURE_COLUMNS(ONE) { NULL, NULL } };
static const column iterate_columns[] = { SP_ITERATE_COLUMNS(ONE) { NULL, NULL } };
static const column invocation_columns[] = { SP_INVOCATION_COLUMNS(ONE) { NULL, NULL } };

/* The rows of a run in other tables. */
static const struct part {
    sp_statement get, put;
    const column *column;
} parts[] = { { MEASURES, PUT_MEASURE, measure_columns },
              { ITERATE, PUT_ITERATE, iterate_columns },
              { TRACE, PUT_TRACE, trace_columns },
              { TRACE_MEASURES, PUT_TRACE_MEASURE, trace_measure_columns } };
enum { PARTS = sizeof parts / sizeof *parts };

typedef struct merge {
    sp_store *into, *from;
    const char *shown;     /* the file that rows come from */
    size_t *answers;       /* by position in `from`: position in `into`, or SIZE_MAX */
    uint64_t *invocation;  /* by id in `from`: id in `into`, 0: not brought yet */
    uint64_t invocations;  /* the largest id in `from` */
    sp_merged *done;
    sp_error *error;
} merge;

static sp_status damaged(const merge *m, const char *what)
{
    return sp_database_damaged(&m->from->database, what, m->error);
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

static bool named(const column *c, const char *name)
{
    return strcmp(c->name, name) == 0;
}

static void copy_reals(sp_row *from, sp_row *into)
{
    size_t count;
    const double *values = sp_take_reals(from, &count);
    sp_put_reals(into, values, count);
}

/* One column as it is. */
static void copy_column(const column *c, sp_row *from, sp_row *into)
{
    if (c->type[0] == 'T')
        sp_put_text(into, sp_take_text(from));
    else if (c->type[0] == 'R')
        sp_put_real(into, sp_take_real(from));
    else if (c->type[0] == 'B')
        copy_reals(from, into);
    else
        sp_put_count(into, sp_take_count(from));
}

/* The rest of a row whose first column, a number, becomes `first`. */
static sp_status copy_row(const merge *m, const column *c, uint64_t first, sp_row *from, sp_statement put)
{
    sp_row into;
    sp_status status = sp_row_prepare(&m->into->database, put, &into, m->error);
    if (status != SP_OK)
        return status;
    sp_take_count(from);
    sp_put_count(&into, first);
    for (c++; c->name; c++)
        copy_column(c, from, &into);
    if (!sp_take_checksum(from))
        return damaged(m, "a row");
    sp_put_checksum(&into);
    return sp_row_run(&into, "bringing a row", m->error);
}

static sp_status copy_parts(const merge *m, uint64_t old, uint64_t new, bool iterate, bool traced)
{
    sp_status status = SP_OK;
    for (size_t p = 0; p < PARTS; p++) {
        sp_row r;
        if (p > 0 && !(parts[p].get == ITERATE ? iterate : traced)) /* most have none: nothing is asked */
            continue;
        SP_TRY(sp_row_prepare(&m->from->database, parts[p].get, &r, m->error));
        sp_put_count(&r, old);
        while ((status = sp_row_next(&r, m->error)) == SP_OK)
            SP_TRY(copy_row(m, parts[p].column, new, &r, parts[p].put));
        if (status != SP_EABSENT)
            goto cleanup;
        status = SP_OK;
    }
cleanup:
    return status;
}

/* The invocation that made a row, brought with the first of its rows. */
static sp_status find_invocation(merge *m, uint64_t old, uint64_t *new)
{
    sp_status status = SP_OK;
    sp_row r;
    *new = 0;
    if (old == 0)
        return SP_OK;
    if (old > m->invocations)
        return damaged(m, "what made its runs");
    if (m->invocation[old] == 0) {
        uint64_t last = 0;
        SP_TRY(sp_store_ask(m->into, LAST_INVOCATION, &last, m->error));
        SP_TRY(sp_row_prepare(&m->from->database, INVOCATION, &r, m->error));
        sp_put_count(&r, old);
        status = sp_row_next(&r, m->error);
        if (status != SP_OK)
            return status == SP_EABSENT ? damaged(m, "what made its runs") : status;
        status = copy_row(m, invocation_columns, last + 1, &r, PUT_INVOCATION);
        sqlite3_reset(r.at);
        m->invocation[old] = last + 1;
    }
    *new = m->invocation[old];
cleanup:
    return status;
}

/* The row of a run from its column after state_checksum on. */
static sp_status copy_run(merge *m, const sp_stored_run *run, sp_row *from)
{
    sp_status status = SP_OK;
    sp_row into;
    uint64_t traces = 0, invocation = 0;
    SP_TRY(sp_row_prepare(&m->into->database, PUT_RUN, &into, m->error));
    sp_put_count(&into, m->into->last_run + 1);
    sp_put_text(&into, run->identity);
    sp_put_count(&into, m->into->answers[m->answers[run->answers]].id);
    sp_put_text(&into, sp_status_name(run->status));
    sp_put_real(&into, run->checkpoints);
    sp_put_count(&into, run->dimension);
    sp_put_checksum(&into);
    const column *c = run_columns;
    while (!named(c, "invocation"))
        c++;
    SP_TRY(find_invocation(m, sp_take_count(from), &invocation));
    sp_put_id(&into, invocation);
    for (c++; c->name; c++) {
        if (named(c, "traces"))
            traces = (uint64_t)sqlite3_column_int64(from->at, from->next);
        copy_column(c, from, &into);
    }
    if (!sp_take_checksum(from))
        return sp_store_damaged_run(m->from, run->identity, m->error);
    sp_put_checksum(&into);
    SP_TRY(sp_row_run(&into, "bringing a run", m->error));
    SP_TRY(copy_parts(m, run->id, m->into->last_run + 1, run->dimension > 0, traces > 0));
    sp_stored_run new = *run;
    new.id = ++m->into->last_run;
    new.answers = m->answers[run->answers];
    sp_identities_put(&m->into->runs, &new);
cleanup:
    return status;
}

/* --- runs that both have ------------------------------------------------------------------------------------------ */

/* Of what a row says about a result: not how it is numbered, nor what a machine measured. */
static bool is_result(const column *c)
{
    static const char *const other[] = { "id",      "run",     "answers",     "state_checksum", "invocation",
                                         "seconds", "elapsed", "peak_memory", "checkpoints",    "measures",   "traces", "dimension" };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (named(c, other[i]))
            return false;
    return true;
}

static bool same_value(sp_row *a, sp_row *b, int i)
{
    const int size = sqlite3_column_bytes(a->at, i);
    if (sqlite3_column_type(a->at, i) != sqlite3_column_type(b->at, i))
        return false;
    if (sqlite3_column_type(a->at, i) == SQLITE_FLOAT)
        return sqlite3_column_double(a->at, i) == sqlite3_column_double(b->at, i);
    return size == sqlite3_column_bytes(b->at, i) &&
           (size == 0 || memcmp(sqlite3_column_blob(a->at, i), sqlite3_column_blob(b->at, i), (size_t)size) == 0);
}

/* The first column in which two rows of a result differ; NULL: none. */
static const char *difference(const column *c, sp_row *a, sp_row *b)
{
    for (int i = 0; c[i].name; i++)
        if (is_result(&c[i]) && !same_value(a, b, i))
            return c[i].name;
    return NULL;
}

static sp_status conflict(const merge *m, const sp_stored_run *run, const char *what)
{
    return sp_fail(m->error, SP_EDATA, "run %.*s has another %s in %s than in %s: one of them is not what this experiment "
                   "gives. Nothing of %s was brought", SP_RUN_NAME - 1, run->identity, what, m->shown,
                   m->into->database.path, m->shown);
}

static sp_status compare_rows(const merge *m, sp_statement get, const column *c, const sp_stored_run *old,
                              const sp_stored_run *run)
{
    sp_status one = SP_OK, two = SP_OK, status = SP_OK;
    sp_row a, b;
    SP_TRY(sp_row_prepare(&m->from->database, get, &a, m->error));
    SP_TRY(sp_row_prepare(&m->into->database, get, &b, m->error));
    sp_put_count(&a, run->id);
    sp_put_count(&b, old->id);
    const char *differs = NULL;
    while (!differs && (one = sp_row_next(&a, m->error)) == SP_OK && (two = sp_row_next(&b, m->error)) == SP_OK)
        differs = difference(c, &a, &b);
    if (!differs && one == SP_EABSENT)
        two = sp_row_next(&b, m->error);
    if (!differs && one != two)
        differs = "number of rows";
    sqlite3_reset(a.at);
    sqlite3_reset(b.at);
    if (differs)
        status = conflict(m, run, differs);
cleanup:
    return status;
}

static sp_status compare_runs(const merge *m, const sp_stored_run *old, const sp_stored_run *run)
{
    sp_status status = SP_OK;
    SP_TRY(compare_rows(m, RUN, run_columns, old, run));
    for (size_t p = 0; p < PARTS; p++)
        if (parts[p].get == MEASURES || (parts[p].get == ITERATE ? old->dimension == run->dimension
                                                                  : old->checkpoints == run->checkpoints))
            SP_TRY(compare_rows(m, parts[p].get, parts[p].column, old, run));
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

/* Is the row of `from` to stand in the place of the one that is there? */
static bool is_better(const merge *m, const sp_stored_run *old, const sp_stored_run *run)
{
    const sp_answers *there = &m->into->answers[old->answers], *new = &m->from->answers[run->answers];
    if (strcmp(there->text[CORE], sp_source_hash("core")) != 0)
        return true;
    for (size_t i = 0; i < CORE; i++)
        if (strcmp(there->text[i], new->text[i]) != 0)
            return true; /* by the program that merges, later than what is there */
    if ((old->status == SP_OK) != (run->status == SP_OK))
        return run->status == SP_OK;
    return !has_measures(new->text[MEASURE_SOURCES], there->text[MEASURE_SOURCES]) &&
           has_measures(there->text[MEASURE_SOURCES], new->text[MEASURE_SOURCES]);
}

static bool same_answers(const merge *m, const sp_stored_run *old, const sp_stored_run *run)
{
    return m->answers[run->answers] == old->answers;
}

static sp_status forget(merge *m, const sp_stored_run *old)
{
    sp_row r;
    const sp_status status = sp_row_prepare(&m->into->database, FORGET, &r, m->error);
    if (status != SP_OK)
        return status;
    sp_put_count(&r, old->id);
    return sp_row_run(&r, "replacing a run", m->error);
}

/* The rest of the row of a run that is not copied: is it whole? */
static sp_status check_rest(const merge *m, const sp_stored_run *run, sp_row *r)
{
    const column *c = run_columns;
    while (!named(c, "invocation"))
        c++;
    for (; c->name; c++) {
        if (c->type[0] == 'T')
            sp_take_text(r);
        else if (c->type[0] == 'R')
            sp_take_real(r);
        else
            sp_take_count(r);
    }
    return sp_take_checksum(r) ? SP_OK : sp_store_damaged_run(m->from, run->identity, m->error);
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static sp_status take_run(merge *m, sp_row *r)
{
    sp_status status = SP_OK;
    sp_take_count(r);
    const sp_stored_run *found = sp_identities_find(&m->from->runs, sp_take_text(r));
    if (!found)
        return damaged(m, "the list of its runs");
    sp_take_count(r);
    sp_take_text(r);
    sp_take_real(r);
    sp_take_count(r);
    if (!sp_take_checksum(r))
        return sp_store_damaged_run(m->from, found->identity, m->error);
    if (!sp_identities_reserve(&m->into->runs))
        return sp_fail(m->error, SP_ENOMEM, "%s: out of memory", m->shown);
    const sp_stored_run *old = sp_identities_find(&m->into->runs, found->identity);
    const bool better = old && is_better(m, old, found);
    if (old && !better) {
        SP_TRY(check_rest(m, found, r));
        m->done->there++;
        return same_answers(m, old, found) && old->status == SP_OK && found->status == SP_OK
                   ? compare_runs(m, old, found)
                   : SP_OK;
    }
    if (old)
        SP_TRY(forget(m, old));
    SP_TRY(copy_run(m, found, r));
    m->done->brought += !old;
    m->done->replaced += old != NULL;
cleanup:
    return status;
}

static sp_status take_runs(merge *m)
{
    sp_status status = SP_OK;
    sp_row r;
    SP_TRY(sp_row_prepare(&m->from->database, RUNS, &r, m->error));
    while ((status = sp_row_next(&r, m->error)) == SP_OK && (status = take_run(m, &r)) == SP_OK)
        ;
    sqlite3_reset(r.at);
    if (status != SP_EABSENT)
        goto cleanup;
    SP_TRY(sp_row_prepare(&m->into->database, SET_COUNT, &r, m->error));
    sp_put_count(&r, m->into->runs.count);
    status = sp_row_run(&r, "storing how many runs there are", m->error);
cleanup:
    return status;
}

static bool same_reference(const sp_reference *a, const sp_reference *b)
{
    return a->d == b->d && memcmp(&a->value, &b->value, sizeof a->value) == 0 &&
           memcmp(&a->error, &b->error, sizeof a->error) == 0 && strcmp(a->method, b->method) == 0 &&
           (a->d == 0 || memcmp(a->minimiser, b->minimiser, a->d * sizeof *a->minimiser) == 0);
}

static sp_status take_reference(merge *m, const char *key)
{
    sp_status status = SP_OK;
    sp_reference new = { 0 }, old = { 0 };
    SP_TRY(sp_store_get_reference(m->from, key, &new, m->error));
    status = sp_store_get_reference(m->into, key, &old, m->error);
    if (status == SP_EABSENT)
        status = sp_store_put_reference(m->into, key, &new, m->error);
    else if (status == SP_OK && !same_reference(&old, &new))
        status = sp_fail(m->error, SP_EDATA, "the reference value %.12s is another in %s (%.17g) than in %s (%.17g). "
                         "Nothing of %s was brought", key, m->shown, new.value, m->into->database.path, old.value,
                         m->shown);
cleanup:
    sp_reference_free(&new);
    sp_reference_free(&old);
    return status;
}

static sp_status take_references(merge *m)
{
    sp_status status = SP_OK;
    sp_row r;
    SP_TRY(sp_row_prepare(&m->from->database, REFERENCE_KEYS, &r, m->error));
    while ((status = sp_row_next(&r, m->error)) == SP_OK) {
        char *key = sp_copy_text(sp_take_text(&r));
        status = key ? take_reference(m, key) : sp_fail(m->error, SP_ENOMEM, "%s: out of memory", m->shown);
        free(key);
        if (status != SP_OK)
            break;
    }
    sqlite3_reset(r.at);
    status = status == SP_EABSENT ? SP_OK : status;
cleanup:
    return status;
}

/* Who made it last, and whether by these sources and this script. */
static sp_status check_maker(merge *m, const char *script)
{
    sp_status status = SP_OK;
    sp_row r;
    SP_TRY(sp_store_ask(m->from, LAST_INVOCATION, &m->invocations, m->error));
    SP_TRY(sp_row_prepare(&m->from->database, INVOCATION, &r, m->error));
    sp_put_count(&r, m->invocations);
    status = sp_row_next(&r, m->error);
    if (status != SP_OK)
        return status == SP_EABSENT ? damaged(m, "what made its runs") : status;
    char commit[64] = "", made[SP_HASH_HEX] = "";
    for (const column *c = invocation_columns; c->name; c++) {
        if (c->type[0] != 'T') {
            sp_take_count(&r);
            continue;
        }
        const char *text = sp_take_text(&r);
        if (named(c, "commit_hash"))
            snprintf(commit, sizeof commit, "%s", text);
        if (named(c, "script"))
            snprintf(made, sizeof made, "%s", text);
    }
    const bool whole = sp_take_checksum(&r);
    sqlite3_reset(r.at);
    if (!whole)
        return damaged(m, "what made its runs");
    if (script && strcmp(script, made) != 0)
        return sp_fail(m->error, SP_EVERSION, "%s was made by another script (%.12s) than the experiment is now (%.12s): "
                       "run its task again, or remove it", m->shown, made, script);
    for (size_t i = 0; i < m->from->answered; i++)
        if (strcmp(m->from->answers[i].text[CORE], sp_source_hash("core")) != 0)
            return sp_fail(m->error, SP_EVERSION, "%s was made by another program (commit %.12s): its core is not this "
                           "one's. Merge with the program that made it, or run its task again with this one", m->shown,
                           commit);
cleanup:
    return status;
}

static sp_status match_answers(merge *m)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < m->from->answered; i++)
        SP_TRY(sp_answers_keep(m->into, (const char *const *)m->from->answers[i].text, &m->answers[i], m->error));
cleanup:
    return status;
}

sp_status sp_store_mergeable(const char *directory, const char *name, const char *script, sp_error *error)
{
    merge m = { .error = error };
    sp_status status = sp_store_open_named(directory, name, &m.from, error);
    if (status == SP_OK) {
        m.shown = m.from->database.path;
        status = check_maker(&m, script);
    }
    sp_store_close(m.from);
    return status;
}

sp_status sp_store_merge(sp_store *into, const char *directory, const char *name, const char *script, sp_merged *done,
                         sp_error *error)
{
    sp_status status = SP_OK;
    bool begun = false;
    merge m = { .into = into, .done = done, .error = error };
    *done = (sp_merged){ 0 };
    SP_TRY(sp_store_open_named(directory, name, &m.from, error));
    m.shown = m.from->database.path;
    SP_TRY(check_maker(&m, script));
    m.answers = sp_alloc(m.from->answered + 1, sizeof *m.answers);
    m.invocation = sp_alloc(m.invocations + 1, sizeof *m.invocation);
    if (!m.answers || !m.invocation)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", m.shown));
    SP_TRY(sp_database_run(&into->database, BEGIN_WRITING, "beginning to bring runs", error));
    begun = true;
    SP_TRY(match_answers(&m));
    SP_TRY(take_references(&m));
    SP_TRY(take_runs(&m));
    SP_TRY(sp_database_run(&into->database, COMMIT, "bringing runs", error));
cleanup:
    if (status != SP_OK && begun)
        sp_database_run(&into->database, ROLLBACK, "", NULL);
    free(m.answers);
    free(m.invocation);
    sp_store_close(m.from);
    return status;
}

/* --- a store as one file ------------------------------------------------------------------------------------------ */

sp_status sp_store_save(sp_store *store, const char *path, sp_error *error)
{
    const sp_status status = sp_database_settle(&store->database, error);
    return status == SP_OK ? sp_copy_file(store->database.path, path, error) : status;
}
