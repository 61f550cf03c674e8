/*
 * merge.c -- see merge.h.
 *
 * Which runs are brought is known by the lists in memory; their rows go over at once (move.h). Runs that both have are
 * compared one by one. What was measured on a machine is no part of a result: two rows may differ in it.
 */
#include "core/store/merge.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/plan/registry.h"
#include "core/store/move.h"
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
    sp_statement get;
    const column *column;
} parts[] = { { MEASURES, measure_columns },
              { ITERATE, iterate_columns },
              { TRACE, trace_columns },
              { TRACE_MEASURES, trace_measure_columns } };
enum { PARTS = sizeof parts / sizeof *parts };

typedef struct merge {
    sp_store *into, *from;
    const char *shown;     /* the file that rows come from */
    size_t *answers;       /* by position in `from`: position in `into`, or SIZE_MAX */
    uint64_t *invocation;  /* by id in `from`: id in `into`, 0: not brought */
    uint64_t invocations;  /* the largest id in `from` */
    const sp_stored_run **run; /* by id in `from`: is to be brought, NULL: is not */
    sp_merged *done;
    sp_error *error;
} merge;

static sp_status damaged(const merge *m, const char *what)
{
    return sp_database_damaged(&m->from->database, what, m->error);
}

static bool named(const column *c, const char *name)
{
    return strcmp(c->name, name) == 0;
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

/* With its rows in other tables, whether or not SQLite follows references now. */
static sp_status forget(merge *m, const sp_stored_run *old)
{
    static const sp_statement rows[] = { FORGET_MEASURES, FORGET_ITERATE, FORGET_TRACE_MEASURES, FORGET_TRACE, FORGET };
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sp_row r;
        SP_TRY(sp_row_prepare(&m->into->database, rows[i], &r, m->error));
        sp_put_count(&r, old->id);
        SP_TRY(sp_row_run(&r, "replacing a run", m->error));
    }
cleanup:
    return status;
}

/* A row of `from` that is neither brought nor compared: is it whole? */
static sp_status check_row(const merge *m, const sp_stored_run *run)
{
    sp_row r;
    bool whole = true;
    sp_status status = sp_row_prepare(&m->from->database, RUN, &r, m->error);
    if (status != SP_OK)
        return status;
    sp_put_count(&r, run->id);
    status = sp_row_next(&r, m->error);
    if (status != SP_OK)
        return status == SP_EABSENT ? sp_store_damaged_run(m->from, run->identity, m->error) : status;
    for (const column *c = run_columns; c->name; c++) {
        if (named(c, "state_checksum"))
            whole = sp_take_checksum(&r) && whole;
        else if (c->type[0] == 'T')
            sp_take_text(&r);
        else if (c->type[0] == 'R')
            sp_take_real(&r);
        else
            sp_take_count(&r);
    }
    whole = sp_take_checksum(&r) && whole;
    sqlite3_reset(r.at);
    return whole ? SP_OK : sp_store_damaged_run(m->from, run->identity, m->error);
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static sp_status bring_invocation(const merge *m, uint64_t old)
{
    sp_status status = SP_OK;
    sp_row from, into;
    SP_TRY(sp_row_prepare(&m->from->database, INVOCATION, &from, m->error));
    SP_TRY(sp_row_prepare(&m->into->database, PUT_INVOCATION, &into, m->error));
    sp_put_count(&from, old);
    status = sp_row_next(&from, m->error);
    if (status != SP_OK)
        return status == SP_EABSENT ? damaged(m, "what made its runs") : status;
    sp_take_count(&from);
    sp_put_count(&into, m->invocation[old]);
    for (const column *c = invocation_columns + 1; c->name; c++) {
        if (c->type[0] == 'T')
            sp_put_text(&into, sp_take_text(&from));
        else
            sp_put_count(&into, sp_take_count(&from));
    }
    const bool whole = sp_take_checksum(&from);
    sp_put_checksum(&into);
    status = whole ? sp_row_run(&into, "bringing what made runs", m->error) : damaged(m, "what made its runs");
    sqlite3_reset(from.at);
cleanup:
    return status;
}

/* Is the run to be brought? What `into` has of it makes room for it then. */
static sp_status choose(merge *m, const sp_stored_run *run, bool *bring)
{
    sp_status status = SP_OK;
    const sp_stored_run *old = sp_identities_find(&m->into->runs, run->identity);
    *bring = !old || is_better(m, old, run);
    m->done->brought += !old;
    m->done->replaced += old && *bring;
    m->done->there += !*bring;
    if (old && *bring) {
        SP_TRY(forget(m, old));
    } else if (old) {
        const bool same = same_answers(m, old, run) && old->status == SP_OK && run->status == SP_OK;
        const sp_status compared = same ? compare_runs(m, old, run) : SP_OK;
        if (!same || compared != SP_OK) /* what differs may be damage */
            SP_TRY(check_row(m, run));
        status = compared;
    }
cleanup:
    return status;
}

/* What made the runs that are brought. */
static sp_status bring_invocations(merge *m)
{
    sp_status status = SP_OK;
    sp_row made;
    uint64_t last = 0;
    SP_TRY(sp_store_ask(m->into, LAST_INVOCATION, &last, m->error));
    SP_TRY(sp_row_prepare(&m->from->database, MAKERS, &made, m->error));
    while ((status = sp_row_next(&made, m->error)) == SP_OK) {
        const uint64_t id = sp_take_count(&made), by = sp_take_count(&made);
        if (by > m->invocations || id > m->from->last_run) {
            status = damaged(m, "what made its runs");
            break;
        }
        if (by > 0 && m->run[id] && m->invocation[by] == 0)
            m->invocation[by] = ++last;
    }
    sqlite3_reset(made.at);
    if (status != SP_EABSENT)
        goto cleanup;
    status = SP_OK;
    for (uint64_t by = 1; by <= m->invocations; by++)
        if (m->invocation[by] > 0)
            SP_TRY(bring_invocation(m, by));
cleanup:
    return status;
}

/* The list of runs in memory follows what was brought. */
static sp_status list_runs(merge *m)
{
    for (uint64_t id = 0; id <= m->from->last_run; id++) {
        if (!m->run[id])
            continue;
        if (!sp_identities_reserve(&m->into->runs))
            return sp_fail(m->error, SP_ENOMEM, "%s: out of memory", m->shown);
        sp_stored_run new = *m->run[id];
        new.id += m->into->last_run;
        new.answers = m->answers[new.answers];
        sp_identities_put(&m->into->runs, &new);
    }
    m->into->last_run += m->from->last_run;
    return SP_OK;
}

static sp_status take_runs(merge *m)
{
    sp_status status = SP_OK;
    sp_row r;
    bool any = false;
    for (size_t i = 0; i < m->from->runs.slots; i++)
        if (m->from->runs.slot[i].identity[0])
            m->run[m->from->runs.slot[i].id] = &m->from->runs.slot[i];
    for (uint64_t id = 0; id <= m->from->last_run; id++) {
        bool bring = false;
        if (m->run[id])
            SP_TRY(choose(m, m->run[id], &bring));
        m->run[id] = bring ? m->run[id] : NULL;
        any = any || bring;
    }
    if (!any)
        return SP_OK;
    SP_TRY(bring_invocations(m));
    SP_TRY(sp_move_runs(&(sp_move){ m->into, m->from, m->run, m->answers, m->invocation, m->invocations }, m->error));
    SP_TRY(list_runs(m));
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

/* Of its runs: sources that none is of any more, since they were made again, do not count. */
static bool has_other_core(const sp_store *store)
{
    bool other = false;
    for (size_t a = 0; a < store->answered && !other; a++) {
        if (strcmp(store->answers[a].text[CORE], sp_source_hash("core")) == 0)
            continue;
        for (size_t i = 0; i < store->runs.slots && !other; i++)
            other = store->runs.slot[i].identity[0] && store->runs.slot[i].answers == a;
    }
    return other;
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
    if (has_other_core(m->from))
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
    bool begun = false, attached = false;
    merge m = { .into = into, .done = done, .error = error };
    *done = (sp_merged){ 0 };
    SP_TRY(sp_store_open_named(directory, name, &m.from, error));
    m.shown = m.from->database.path;
    SP_TRY(check_maker(&m, script));
    m.answers = sp_alloc(m.from->answered + 1, sizeof *m.answers);
    m.invocation = sp_alloc(m.invocations + 1, sizeof *m.invocation);
    m.run = sp_alloc(m.from->last_run + 1, sizeof *m.run);
    if (!m.answers || !m.invocation || !m.run)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", m.shown));
    SP_TRY(sp_database_attach(&into->database, &m.from->database, error));
    attached = true;
    SP_TRY(sp_database_run(&into->database, BEGIN_WRITING, "beginning to bring runs", error));
    begun = true;
    SP_TRY(match_answers(&m));
    SP_TRY(take_references(&m));
    SP_TRY(take_runs(&m));
    SP_TRY(sp_database_run(&into->database, COMMIT, "bringing runs", error));
cleanup:
    if (status != SP_OK && begun)
        sp_database_run(&into->database, ROLLBACK, "", NULL);
    if (attached)
        sp_database_detach(&into->database);
    free(m.answers);
    free(m.invocation);
    free(m.run);
    sp_store_close(m.from);
    return status;
}

void sp_store_expect(sp_store *store, bool much)
{
    sp_database_expect(&store->database, much);
}

/* --- a store as one file ------------------------------------------------------------------------------------------ */

sp_status sp_store_save(sp_store *store, const char *path, sp_error *error)
{
    const sp_status status = sp_database_settle(&store->database, error);
    return status == SP_OK ? sp_copy_file(store->database.path, path, error) : status;
}
