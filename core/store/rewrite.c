/*
 * rewrite.c -- a store written anew from the rows of a file that check, wherever in the file they are.
 *
 * A row is known by its checksum, a 64-bit number: bytes that are no row of a table pass for one with probability 2^-64. So
 * every page is read (pages.h), and each row in it compared with every table of that many columns. First come the runs and
 * what they name, then the rows of runs that are kept; a run that lacks some is taken out again. Rows of version 6 get the
 * columns that this version has more of.
 */
#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/old_warnings.h"
#include "core/store/place.h"
#include "core/store/tally.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

typedef struct rewrite {
    const char *from;
    sp_database to;
    sp_tally tally;
    sp_row_shape shape[SP_ROW_KINDS];
    uint64_t written;  /* runs, as the old file counts them; 0: it cannot be read */
    size_t bad[SP_ROW_KINDS]; /* rows that have the columns of the table and another checksum */
    sp_damages *lost;
    sp_error *error;
} rewrite;

static sp_status no_memory(const rewrite *w)
{
    return sp_fail(w->error, SP_ENOMEM, "%s: out of memory", w->from);
}

static sp_status lose(rewrite *w, const char *run, const char *what)
{
    return sp_damages_add(w->lost, run, what) == SP_OK ? SP_OK : no_memory(w);
}

/* --- one row --------------------------------------------------------------------------------------------------------- */

/* NULL: the table has no such column, or only columns that version 6 has as well. */
static sp_field *field_named(sp_row_shape *s, const char *name)
{
    for (int i = 0; s->name && i < s->columns.count; i++)
        if (strcmp(s->name[i], name) == 0)
            return &s->columns.value[i];
    return NULL;
}

/* Fills the columns that version 6 lacks and whose values are in the sentences of the run's warning. */
static void fill_typed(sp_row_shape *s)
{
    const sp_field *warning = field_named(s, "warning");
    sp_field *bound = field_named(s, "promise"), *at_start = field_named(s, "promise_at_start");
    sp_field *codes = field_named(s, "warnings");
    char said[1024];
    double value[2];
    sp_text words = { 0 };
    if (!warning || !bound || !at_start || !codes || warning->kind != SP_FIELD_TEXT)
        return;
    snprintf(said, sizeof said, "%.*s", (int)warning->size, (const char *)warning->bytes);
    sp_old_promise(said, &value[0], &value[1]);
    if (!isnan(value[0])) {
        *bound = (sp_field){ .kind = SP_FIELD_REAL, .real = value[0] };
        *at_start = (sp_field){ .kind = SP_FIELD_REAL, .real = value[1] };
    }
    sp_warnings_print(sp_old_warning_codes(said), &words);
    snprintf(s->codes, sizeof s->codes, "%s", words.data ? words.data : "");
    *codes = (sp_field){ .kind = SP_FIELD_TEXT, .bytes = (const unsigned char *)s->codes, .size = strlen(s->codes) };
    sp_text_free(&words);
}

/* Columns of version 6 in their places; what it did not have is NULL. */
static void take_old(sp_row_shape *s, const sp_columns *old)
{
    for (int i = 0; i < s->columns.count; i++) {
        int k = 0;
        while (k < old->count && strcmp(s->old[k], s->name[i]) != 0)
            k++;
        s->columns.value[i] = k < old->count ? old->value[k] : (sp_field){ .kind = SP_FIELD_NULL, .bytes = (const void *)"" };
    }
    fill_typed(s);
    sp_columns_same(&s->columns); /* which sets the new checksum */
}

/* The fields as a row of the table; false: it is none. */
static bool fits(sp_row_shape *s, const sp_field *value, size_t columns)
{
    if (columns == (size_t)s->columns.count + 1) {
        memcpy(s->columns.value, value, columns * sizeof *value);
        if (sp_columns_same(&s->columns))
            return true;
    }
    if (s->old && columns == (size_t)s->old_count + 1) {
        sp_columns old = { .count = s->old_count };
        memcpy(old.role, s->old_role, sizeof old.role);
        memcpy(old.value, value, columns * sizeof *value);
        if (sp_columns_same(&old)) {
            take_old(s, &old);
            return true;
        }
    }
    return false;
}

static void put_fields(sqlite3_stmt *at, const sp_columns *row)
{
    for (int i = 0; i < row->count; i++) {
        const sp_field *v = &row->value[i];
        if (v->kind == SP_FIELD_NULL)
            continue; /* what is not set is NULL */
        switch (row->role[i]) {
        case SP_COLUMN_TEXT: sqlite3_bind_text(at, i + 1, (const char *)v->bytes, (int)v->size, SQLITE_STATIC); break;
        case SP_COLUMN_BYTES: sqlite3_bind_blob(at, i + 1, v->bytes, (int)v->size, SQLITE_STATIC); break;
        case SP_COLUMN_REAL: sqlite3_bind_double(at, i + 1, sp_field_real(v)); break;
        default: sqlite3_bind_int64(at, i + 1, v->integer);
        }
    }
    sqlite3_bind_int64(at, row->count + 1, (sqlite3_int64)row->sum);
}

/* *new: it is not there already, as it may be where pages of deleted rows are read. */
static sp_status put(rewrite *w, const sp_row_shape *s, bool *new)
{
    sp_row r;
    sp_status status = sp_row_prepare(&w->to, s->put, &r, w->error);
    if (status != SP_OK)
        return status;
    put_fields(r.at, &s->columns);
    status = sp_row_run(&r, "writing a row", w->error);
    *new = status == SP_OK;
    return status != SP_OK && sqlite3_errcode(w->to.db) == SQLITE_CONSTRAINT ? SP_OK : status;
}

/* A row of a run that is kept, and the run. */
static sp_status put_of_run(rewrite *w, sp_row_kind kind)
{
    sp_row_shape *s = &w->shape[kind];
    sp_tallied *run = sp_tally_find(&w->tally, sp_field_number(&s->columns.value[0]));
    bool new = false;
    if (!run)
        return SP_OK;
    sp_status status = SP_OK;
    if (kind == SP_RUN_ROWS && run->invocation > 0 && !sp_tally_has(&w->tally, SP_INVOCATION_ROWS, run->invocation)) {
        *field_named(s, "invocation") = (sp_field){ .kind = SP_FIELD_NULL, .bytes = (const void *)"" };
        sp_columns_same(&s->columns); /* which sets the new checksum */
        status = lose(w, "", "which program made some of its runs is lost");
    }
    if (status == SP_OK)
        status = put(w, s, &new);
    run->found[kind] += new;
    return status;
}

/* Counts a row that differs from its checksum for every table that has as many columns. */
static void count_bad(rewrite *w, const sp_field *value, size_t columns, bool keyed)
{
    for (sp_row_kind kind = 0; kind < SP_ROW_KINDS; kind++) {
        const sp_row_shape *s = &w->shape[kind];
        const bool sized = columns == (size_t)s->columns.count + 1 || (s->old && columns == (size_t)s->old_count + 1);
        if (sized && s->keyed == keyed && (keyed || value[0].kind == SP_FIELD_INTEGER))
            w->bad[kind]++;
    }
}

static sp_status take_row(rewrite *w, sp_row_kind kind, bool runs)
{
    bool new = false;
    sp_status status = SP_OK;
    if (runs && kind <= SP_RUN_ROWS && sp_tally_add(&w->tally, kind, &w->shape[kind].columns) != SP_OK)
        status = no_memory(w);
    else if (runs ? kind < SP_RUN_ROWS : kind >= SP_REFERENCE_ROWS)
        status = put(w, &w->shape[kind], &new);
    else if (!runs && kind >= SP_RUN_ROWS)
        status = put_of_run(w, kind);
    return status;
}

/* --- all of them ------------------------------------------------------------------------------------------------------ */

/* Runs for which the hashes of the sources are lost get unknown ones, so that they are stale. */
static sp_status replace_answers(rewrite *w)
{
    sp_status status = SP_OK;
    sp_row r;
    for (size_t i = 0; i < w->tally.runs; i++) {
        const uint64_t id = w->tally.run[i].answers;
        if (sp_tally_has(&w->tally, SP_ANSWERS_ROWS, id))
            continue;
        SP_TRY(sp_row_prepare(&w->to, PUT_ANSWERS, &r, w->error));
        sp_put_count(&r, id);
        for (size_t k = 0; k < ANSWER_TEXTS; k++)
            sp_put_text(&r, k <= PLATFORM ? sp_unknown_source : "");
        sp_put_checksum(&r);
        SP_TRY(sp_row_run(&r, "writing a row", w->error));
        SP_TRY(lose(w, "", "the hashes of the sources of some runs are lost: these runs are kept, as stale ones"));
        const sp_columns row = { .count = 1, .value = { { .kind = SP_FIELD_INTEGER, .integer = (int64_t)id } } };
        if (sp_tally_add(&w->tally, SP_ANSWERS_ROWS, &row) != SP_OK)
            SP_TRY(no_memory(w));
        sp_tally_sort(&w->tally);
    }
cleanup:
    return status;
}

/* `runs`: the runs and what they name; else all that belongs to them, and the small tables. */
static sp_status read_rows(rewrite *w, bool runs)
{
    sp_field value[SP_COLUMNS_MAX + 1];
    sp_pages *pages = NULL;
    size_t columns = 0;
    bool keyed = false;
    uint64_t id = 0;
    sp_status status = sp_pages_open(w->from, &pages, w->error);
    while (status == SP_OK) {
        status = sp_pages_next(pages, SP_COLUMNS_MAX + 1, value, &columns, &keyed, &id, w->error);
        if (status == SP_OK && !keyed && value[0].kind == SP_FIELD_NULL) /* SQLite keeps it once */
            value[0] = (sp_field){ .kind = SP_FIELD_INTEGER, .integer = (int64_t)id };
        sp_row_kind kind = 0;
        while (status == SP_OK && kind < SP_ROW_KINDS && (w->shape[kind].keyed != keyed || !fits(&w->shape[kind], value, columns)))
            kind++;
        if (status == SP_OK && kind < SP_ROW_KINDS)
            status = take_row(w, kind, runs);
        else if (status == SP_OK && runs)
            count_bad(w, value, columns, keyed);
    }
    sp_pages_close(pages);
    return status == SP_EABSENT ? SP_OK : status;
}

static sp_status on_run(rewrite *w, sp_statement statement, uint64_t number)
{
    sp_row r;
    const sp_status status = sp_row_prepare(&w->to, statement, &r, w->error);
    if (status != SP_OK)
        return status;
    sp_put_count(&r, number);
    return sp_row_run(&r, "writing the list of runs", w->error);
}

static sp_status take_out(rewrite *w, const sp_tallied *run, const char *what)
{
    static const sp_statement rows[] = { FORGET_MEASURES, FORGET_ITERATE, FORGET_TRACE_MEASURES, FORGET_TRACE, FORGET };
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        SP_TRY(on_run(w, rows[i], run->id));
    status = lose(w, run->name, what);
cleanup:
    return status;
}

static sp_status end_runs(rewrite *w, size_t *runs)
{
    sp_status status = SP_OK;
    char what[SP_DAMAGE_WHAT];
    size_t whole = 0;
    for (size_t i = 0; i < w->tally.runs; i++)
        if (sp_tally_wrong(&w->tally, &w->tally.run[i], what))
            SP_TRY(take_out(w, &w->tally.run[i], what));
        else
            whole++;
    if (w->written > w->tally.runs) {
        snprintf(what, sizeof what, "%" PRIu64 " of %" PRIu64 " runs have no row that is as it was written",
                 w->written - w->tally.runs, w->written);
        SP_TRY(lose(w, "", what));
    }
    for (sp_row_kind kind = 0; kind < SP_ROW_KINDS; kind++)
        if (w->bad[kind] > 0) {
            snprintf(what, sizeof what, "%zu row%s of the table %s differ%s from %s checksum", w->bad[kind],
                     w->bad[kind] == 1 ? "" : "s", w->shape[kind].table, w->bad[kind] == 1 ? "s" : "",
                     w->bad[kind] == 1 ? "its" : "their");
            SP_TRY(lose(w, "", what));
        }
    SP_TRY(on_run(w, SET_COUNT, whole));
    *runs = whole;
cleanup:
    return status;
}

static bool open_file(const char *path, int flags, sp_sqlite_path *at, sqlite3 **db)
{
    char *folder = NULL, *name = NULL;
    *at = (sp_sqlite_path){ .folder = -1 };
    const bool found = sp_place_split(path, &folder, &name, NULL) == SP_OK &&
                       sp_sqlite_path_make(folder, name, at, NULL) == SP_OK;
    free(folder);
    free(name);
    return found && sqlite3_open_v2(at->path, db, flags, at->vfs) == SQLITE_OK;
}

/* How many runs the old file had, as far as SQLite reads it. */
static uint64_t count_written(const char *from)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    sp_sqlite_path at;
    uint64_t count = 0;
    if (open_file(from, SQLITE_OPEN_READONLY, &at, &db) &&
        sqlite3_prepare_v2(db, "SELECT runs FROM contents", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        count = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    sp_sqlite_path_free(&at);
    return count;
}

sp_status sp_store_rewrite(const char *from, const char *to, sp_damages *lost, size_t *runs, sp_error *error)
{
    sp_status status = SP_OK;
    rewrite w = { .from = from, .written = count_written(from), .lost = lost, .error = error, .to = { .lock = -1, .at.folder = -1 } };
    *runs = 0;
    sp_row_shapes(w.shape);
    SP_TRY(sp_database_create(&w.to, to, sp_store_sql, STATEMENTS, error));
    SP_TRY(sp_database_run(&w.to, MAKE_AUDITS, "creating it", error));
    SP_TRY(sp_database_run(&w.to, MAKE_TASKS, "creating it", error));
    SP_TRY(sp_database_run(&w.to, BEGIN_WRITING, "writing it", error));
    SP_TRY(read_rows(&w, true));
    sp_tally_sort(&w.tally);
    SP_TRY(replace_answers(&w));
    SP_TRY(read_rows(&w, false));
    SP_TRY(end_runs(&w, runs));
    SP_TRY(sp_database_run(&w.to, COMMIT, "writing it", error));
cleanup:
    sp_database_close(&w.to);
    sp_tally_free(&w.tally);
    if (status != SP_OK)
        unlink(to);
    return status;
}

/* --- by hand ------------------------------------------------------------------------------------------------------------ */

/* SP_EIO: it is being written. A file without a lock beside it, or in a place without locks, is taken as it is. */
static sp_status check_unwritten(const char *path, int *lock, sp_error *error)
{
    char *name = sp_format("%s.lock", path);
    *lock = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    free(name);
    if (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return sp_fail(error, SP_EIO, "%s is being written by another run: wait for it or stop it", path);
    return SP_OK;
}

/* *copied: there is such a file. */
static sp_status copy_beside(const char *from, const char *to, const char *ending, bool *copied, sp_error *error)
{
    sp_status status = SP_OK;
    char *source = sp_format("%s%s", from, ending), *copy = sp_format("%s%s", to, ending);
    if (!source || !copy)
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", from);
    else if (access(source, F_OK) == 0 && (status = sp_copy_file(source, copy, error)) == SP_OK)
        *copied = true;
    free(source);
    free(copy);
    return status;
}

static void remove_copy(const char *copy)
{
    static const char *const ending[] = { "", "-wal", "-shm", "-journal" };
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        char *name = sp_format("%s%s", copy, ending[i]);
        if (name)
            unlink(name);
        free(name);
    }
}

/* What SQLite can take from the log or back by the journal, it does; what it cannot is no worse than the file alone. */
static void settle(const char *path)
{
    sqlite3 *db = NULL;
    sp_sqlite_path at;
    if (open_file(path, SQLITE_OPEN_READWRITE, &at, &db))
        sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_close(db);
    sp_sqlite_path_free(&at);
}

sp_status sp_store_salvage(const char *from, const char *to, sp_damages *lost, size_t *runs, sp_error *error)
{
    sp_status status = SP_OK;
    bool beside = false;
    int lock = -1;
    char *copy = sp_format("%s.copy", to);
    if (!copy)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", from));
    if (access(from, R_OK) != 0)
        SP_TRY(sp_fail(error, SP_EABSENT, "%s: %s", from, strerror(errno)));
    SP_TRY(check_unwritten(from, &lock, error));
    remove_copy(copy);
    SP_TRY(copy_beside(from, copy, "-wal", &beside, error));
    SP_TRY(copy_beside(from, copy, "-journal", &beside, error));
    if (beside) {
        SP_TRY(copy_beside(from, copy, "", &beside, error));
        settle(copy);
    }
    SP_TRY(sp_store_rewrite(beside ? copy : from, to, lost, runs, error));
cleanup:
    if (copy)
        remove_copy(copy);
    if (lock >= 0)
        close(lock);
    free(copy);
    return status;
}
