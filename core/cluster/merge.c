/*
 * merge.c -- see merge.h.
 *
 * Here is who made a file, and what its runs share: answers and reference values. Its runs are copied, or compared with those that are there, by move.h.
 */
#include "core/cluster/merge.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/plan/registry.h"
#include "core/cluster/move.h"
#include "core/store/store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct merge {
    sp_store *into, *from;
    const char *shown; /* the file that rows come from */
    size_t *answers;   /* by position in `from`: position in `into` */
    sp_error *error;
} merge;

static sp_status damaged(const merge *m, const char *what)
{
    return sp_database_damaged(&m->from->database, what, m->error);
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
static sp_status find_other_core(const merge *m, bool *other)
{
    sp_status status = SP_OK;
    sp_row r;
    *other = false;
    for (size_t a = 0; a < m->from->answered && !*other; a++) {
        const char *core = m->from->answers[a].text[CORE];
        if (sp_same_source(&m->from->stamps, core, sp_source_hash("core")) ||
            strcmp(core, sp_unknown_source) == 0) /* it is lost: the runs are stale */
            continue;
        SP_TRY(sp_row_prepare(&m->from->database, ANSWERED, &r, m->error));
        sp_put_count(&r, m->from->answers[a].id);
        status = sp_row_next(&r, m->error);
        sqlite3_reset(r.at);
        *other = status == SP_OK;
        status = status == SP_EABSENT ? SP_OK : status;
    }
cleanup:
    return status;
}

/* Who made it last, and whether by this script; where this is known: of a file that was damaged it may not be. */
static sp_status check_last(const merge *m, const char *script, char commit[64])
{
    sp_status status = SP_OK;
    sp_row r;
    uint64_t last = 0;
    SP_TRY(sp_store_ask(m->from, LAST_INVOCATION, &last, m->error));
    if (last == 0)
        return SP_OK;
    SP_TRY(sp_row_prepare(&m->from->database, INVOCATION, &r, m->error));
    sp_put_count(&r, last);
    status = sp_row_next(&r, m->error);
    if (status != SP_OK)
        return status == SP_EABSENT ? damaged(m, "what made its runs") : status;
    sp_provenance_row row;
    const bool whole = sp_store_take_invocation(&r, &row);
    char made[SP_HASH_HEX] = "";
    snprintf(commit, 64, "%s", row.commit);
    snprintf(made, sizeof made, "%s", row.script);
    sqlite3_reset(r.at);
    if (!whole)
        return damaged(m, "what made its runs");
    if (script && strcmp(script, made) != 0)
        return sp_fail(m->error, SP_EVERSION, "%s was made by another script (%.12s) than the experiment is now (%.12s): "
                       "run its task again, or remove it", m->shown, made, script);
cleanup:
    return status;
}

/* Is it of these sources, and this script? */
static sp_status check_maker(const merge *m, const char *script)
{
    sp_status status = SP_OK;
    char commit[64] = "unknown";
    bool other = false;
    SP_TRY(check_last(m, script, commit));
    SP_TRY(find_other_core(m, &other));
    if (other)
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
        SP_TRY(sp_fingerprints_keep(m->into, (const char *const *)m->from->answers[i].text, &m->answers[i], m->error));
cleanup:
    return status;
}

sp_status sp_store_mergeable(const char *directory, const char *name, const char *script, sp_task_row *task,
                             sp_error *error)
{
    sp_status status = SP_OK;
    merge m = { .error = error };
    SP_TRY(sp_store_open_named(directory, name, true, &m.from, error));
    m.shown = m.from->database.path;
    SP_TRY(check_maker(&m, script));
    SP_TRY(sp_store_get_task(m.from, task, error));
    if (m.from->damages.count > 0)
        status = damaged(&m, "a run, or another row,");
cleanup:
    sp_store_close(m.from);
    return status;
}

sp_status sp_store_merge(sp_store *into, const char *directory, const char *name, const char *script, sp_merged *done,
                         sp_error *error)
{
    sp_status status = SP_OK;
    bool begun = false;
    merge m = { .into = into, .error = error };
    sp_move move = { .into = into, .done = done };
    *done = (sp_merged){ 0 };
    SP_TRY(sp_store_open_named(directory, name, false, &m.from, error));
    m.shown = m.from->database.path;
    SP_TRY(check_maker(&m, script));
    m.answers = sp_alloc(m.from->answered + 1, sizeof *m.answers);
    if (!m.answers)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", m.shown));
    move.from = m.from;
    move.answers = m.answers;
    SP_TRY(sp_move_attach(&move, error));
    SP_TRY(sp_database_run(&into->database, BEGIN_WRITING, "beginning to import runs", error));
    begun = true;
    SP_TRY(match_answers(&m));
    SP_TRY(take_references(&m));
    SP_TRY(sp_move_runs(&move, error));
    SP_TRY(sp_database_run(&into->database, COMMIT, "importing runs", error));
cleanup:
    if (status != SP_OK && begun)
        sp_database_run(&into->database, ROLLBACK, "", NULL);
    if (move.from)
        sp_move_detach(&move);
    free(m.answers);
    sp_store_close(m.from);
    return status;
}

sp_status sp_store_expect(sp_store *store, bool much, sp_error *error)
{
    return sp_database_expect(&store->database, much, error);
}

/* --- a store as one file ------------------------------------------------------------------------------------------ */

sp_status sp_store_complete(const char *directory, size_t *runs, sp_error *error)
{
    sp_store *store = NULL;
    sp_status status = sp_store_open_as(directory, SP_STORE_FILE, true, true, &store, error); /* damaged rows stay */
    if (status == SP_OK) {
        *runs = sp_store_runs(store);
        status = sp_database_settle(&store->database, error);
    }
    sp_store_close(store);
    return status;
}

sp_status sp_store_save(sp_store *store, const char *path, sp_error *error)
{
    sp_status status = sp_database_keep_place(&store->database, error);
    if (status == SP_OK)
        status = sp_database_settle(&store->database, error);
    return status == SP_OK ? sp_copy_file(store->database.path, path, error) : status;
}
