/*
 * database.c -- one SQLite file with one writer.
 *
 * WAL with synchronous = NORMAL: a commit survives the death of the program at any moment, a reader never waits for the
 * writer. Its index is memory that processes share, which those of two machines cannot: on a network file system, or
 * where SQLite says no, a rollback journal with synchronous = FULL keeps the same promise, and readers wait. The writer
 * holds a lock on store.sqlite.lock, which the system drops with the process.
 */
#include "core/store/database.h"

#include "core/base/checksum.h"
#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/store/place.h"
#include "core/store/store_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    APPLICATION = 0x53746c70, /* "Stlp", in the header of the file */
    BUSY_MS = 10000,
    LOG_MS = 1000 /* after a merge a rollback journal does as well */
};

static bool is_beside(const char *path, const char *ending)
{
    char *name = sp_format("%s%s", path, ending);
    const bool there = !name || access(name, F_OK) == 0; /* out of memory: nothing is taken for granted */
    free(name);
    return there;
}

/* SQLite does not keep the system's error when a commit fails: then errno still has it (cleared before the step). */
static sp_status complain(const sp_database *database, const char *doing, sp_error *error)
{
    const int left = errno, code = sqlite3_errcode(database->db) & 0xff, kept = sqlite3_system_errno(database->db);
    const int cause = kept ? kept : left;
    const char *path = database->path;
    if (code == SQLITE_NOMEM)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    if (code == SQLITE_IOERR && cause == EFBIG)
        return sp_fail(error, SP_EIO, "%s: %s (while %s); every run stored before is safe", path, sp_system_error(cause), doing);
    if (code == SQLITE_FULL || (code == SQLITE_IOERR && (cause == ENOSPC || cause == EDQUOT)))
        return sp_fail(error, SP_EIO, "%s: the disk is full (while %s); every run stored before is safe", path, doing);
    /* SQLITE_ERROR: a statement that is always the same does not fit the tables, as where their description is damaged */
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR ||
        sqlite3_extended_errcode(database->db) == SQLITE_IOERR_SHORT_READ)
        return sp_fail(error, SP_EDATA, "%s: the file is damaged (%s); it is left as it is: `stillpoint store salvage %s` "
                       "writes all that can be read into a new one", path, sqlite3_errmsg(database->db), path);
    if (database->lock < 0 && (code == SQLITE_READONLY || code == SQLITE_CANTOPEN) &&
        (is_beside(path, "-journal") || is_beside(path, "-wal")))
        return sp_fail(error, SP_EIO, "%s: a program was stopped while it was writing, and its journal or log is next to the file: "
                       "`stillpoint run` or `merge` rolls it back, and so does any verb when its user may write here; every run "
                       "stored before is safe", path);
    if (code == SQLITE_BUSY)
        return sp_fail(error, SP_EIO, "%s is being written, or read, by another program: try again when it is done (while %s)",
                       path, doing);
    if (code == SQLITE_IOERR && sp_place_lacks_locks(cause))
        return sp_place_without_locks(path, cause, error);
    const bool system = cause != 0 && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN);
    return sp_fail(error, SP_EIO, "%s: %s%s%s (while %s)", path, sqlite3_errmsg(database->db), system ? ": " : "",
                   system ? sp_system_error(cause) : "", doing);
}

/* --- statements -------------------------------------------------------------------------------------------- */

sp_status sp_row_prepare(sp_database *database, size_t statement, sp_row *out, sp_error *error)
{
    sqlite3_stmt **prepared = &database->prepared[statement];
    const char *sql = database->sql[statement];
    if (!*prepared &&
        sqlite3_prepare_v3(database->db, sql, -1, SQLITE_PREPARE_PERSISTENT, prepared, NULL) != SQLITE_OK)
        return complain(database, "preparing a statement", error);
    sqlite3_reset(*prepared);
    sqlite3_clear_bindings(*prepared);
    *out = (sp_row){ database, *prepared, 1, SP_CHECKSUM_START };
    return SP_OK;
}

sp_status sp_database_prepare(sp_database *database, const sp_text *sql, sp_row *out, sp_error *error)
{
    *out = (sp_row){ database, NULL, 1, SP_CHECKSUM_START };
    if (sql->failed)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", database->path);
    return sqlite3_prepare_v2(database->db, sql->data, -1, &out->at, NULL) == SQLITE_OK
               ? SP_OK : complain(database, "preparing a statement", error);
}

void sp_put_text(sp_row *row, const char *text)
{
    text = text ? text : "";
    const size_t length = strlen(text);
    row->sum = sp_checksum_bytes(row->sum, text, length);
    sqlite3_bind_text64(row->at, row->next++, text, length, SQLITE_STATIC, SQLITE_UTF8);
}

void sp_put_count(sp_row *row, uint64_t value)
{
    row->sum = sp_checksum_word(row->sum, value);
    sqlite3_bind_int64(row->at, row->next++, (sqlite3_int64)value);
}

void sp_put_id(sp_row *row, uint64_t id)
{
    sp_put_count(row, id);
    if (id == 0)
        sqlite3_bind_null(row->at, row->next - 1);
}

void sp_put_real(sp_row *row, double value)
{
    row->sum = sp_checksum_real(row->sum, value);
    sqlite3_bind_double(row->at, row->next++, value);
}

void sp_put_checksum(sp_row *row)
{
    sp_put_count(row, row->sum);
}

sp_status sp_row_run(sp_row *row, const char *doing, sp_error *error)
{
    errno = 0;
    const int code = sqlite3_step(row->at);
    const sp_status status = code == SQLITE_DONE ? SP_OK : complain(row->database, doing, error);
    sqlite3_reset(row->at);
    return status;
}

sp_status sp_database_run(sp_database *database, size_t statement, const char *doing, sp_error *error)
{
    sp_row row = { 0 };
    const sp_status status = sp_row_prepare(database, statement, &row, error);
    return status == SP_OK ? sp_row_run(&row, doing, error) : status;
}

sp_status sp_row_next(sp_row *row, sp_error *error)
{
    errno = 0;
    const int code = sqlite3_step(row->at);
    row->next = 0;
    row->sum = SP_CHECKSUM_START;
    if (code == SQLITE_ROW)
        return SP_OK;
    const sp_status status = code == SQLITE_DONE ? SP_EABSENT : complain(row->database, "reading", error);
    sqlite3_reset(row->at);
    return status;
}

void sp_put_reals(sp_row *row, const double *values, size_t count)
{
    row->sum = values ? sp_checksum_bytes(row->sum, values, count * sizeof *values) : sp_checksum_text(row->sum, "");
    if (values)
        sqlite3_bind_blob64(row->at, row->next++, values, count * sizeof *values, SQLITE_STATIC);
    else
        sqlite3_bind_null(row->at, row->next++);
}

const double *sp_take_reals(sp_row *row, size_t *count)
{
    const void *bytes = sqlite3_column_blob(row->at, row->next);
    const size_t size = (size_t)sqlite3_column_bytes(row->at, row->next++);
    row->sum = sp_checksum_bytes(row->sum, size > 0 ? bytes : "", size);
    *count = size / sizeof(double);
    return *count > 0 ? bytes : NULL;
}

const char *sp_take_text(sp_row *row)
{
    const unsigned char *found = sqlite3_column_text(row->at, row->next++);
    const char *text = found ? (const char *)found : "";
    row->sum = sp_checksum_text(row->sum, text);
    return text;
}

uint64_t sp_take_count(sp_row *row)
{
    const uint64_t value = (uint64_t)sqlite3_column_int64(row->at, row->next++);
    row->sum = sp_checksum_word(row->sum, value);
    return value;
}

double sp_take_real(sp_row *row)
{
    const int column = row->next++;
    const bool missing = sqlite3_column_type(row->at, column) == SQLITE_NULL;
    const double value = missing ? (double)NAN : sqlite3_column_double(row->at, column);
    row->sum = sp_checksum_real(row->sum, value);
    return value;
}

bool sp_take_checksum(sp_row *row)
{
    const uint64_t sum = row->sum;
    return sp_take_count(row) == sum;
}

sp_status sp_database_damaged(const sp_database *database, const char *what, sp_error *error)
{
    return sp_fail(error, SP_EDATA, "%s: %s is damaged (not as it was written); the file is left as it is: `stillpoint store "
                   "salvage %s` writes all that is sound into a new one", database->path, what, database->path);
}

/* --- open and close ---------------------------------------------------------------------------------------- */

/* The lock file is never removed: that would race with a process that has just opened it. */
static sp_status take_lock(sp_database *database, sp_error *error)
{
    sp_status status = SP_OK;
    char owner[32] = "";
    char *path = sp_format("%s.lock", database->path);
    if (!path)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", database->path);
    database->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const int cause = database->lock >= 0 && flock(database->lock, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (database->lock < 0) {
        status = sp_fail(error, SP_EIO, "%s: %s", path, sp_system_error(cause));
    } else if (cause != 0 && cause != EWOULDBLOCK) {
        status = sp_place_lacks_locks(cause) ? sp_place_without_locks(database->path, cause, error)
                                             : sp_fail(error, SP_EIO, "%s: %s", path, sp_system_error(cause));
    } else if (cause != 0) {
        const ssize_t got = read(database->lock, owner, sizeof owner - 1);
        status = sp_fail(error, SP_EIO, "%s is being written by another run (process %s): wait for it or stop it",
                         database->path, got > 0 ? owner : "unknown");
    } else {
        /* The number only serves the message above: on a full disk it may be missing. */
        const int length = snprintf(owner, sizeof owner, "%ld", (long)getpid());
        if (ftruncate(database->lock, 0) == 0 && write(database->lock, owner, (size_t)length) < 0)
            errno = 0;
    }
    free(path);
    return status;
}

/* Runs one statement; *value (may be NULL) gets the first column of its first row. */
static sp_status ask_while(sp_database *database, const char *doing, const char *text, sqlite3_int64 *value,
                           sp_error *error)
{
    sqlite3_stmt *at = NULL;
    sp_status status = SP_OK;
    errno = 0;
    int code = sqlite3_prepare_v2(database->db, text, -1, &at, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(at);
    if (code == SQLITE_ROW && value)
        *value = sqlite3_column_int64(at, 0);
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = complain(database, doing, error);
    sqlite3_finalize(at);
    return status;
}

static sp_status ask(sp_database *database, const char *text, sqlite3_int64 *value, sp_error *error)
{
    return ask_while(database, "opening it", text, value, error);
}

/* Chooses a write-ahead log or a rollback journal, and when it is synced. A reader may prevent the change: that is no error.
 * `why`: the reason that database->rollback gives for a rollback journal, NULL: none. */
static sp_status set_journal(sp_database *database, bool log, const char *why, sp_error *error)
{
    sqlite3_stmt *at = NULL;
    sp_status status = SP_OK;
    bool have = !log;
    errno = 0;
    int code = sqlite3_prepare_v2(database->db, log ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE", -1,
                                  &at, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(at);
    if (code == SQLITE_ROW)
        have = strcmp((const char *)sqlite3_column_text(at, 0), "wal") == 0;
    else if ((code & 0xff) == SQLITE_BUSY)
        have = !log;
    else
        status = complain(database, "choosing its journal", error);
    sqlite3_finalize(at);
    database->rollback = have ? NULL : why;
    return status == SP_OK ? ask(database, have ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL", NULL, error)
                           : status;
}

/* A store that was copied from another machine may have the other journal. */
static sp_status choose_journal(sp_database *database, const char *directory, sp_error *error)
{
    char room[32];
    bool network;
    sp_place_kind(directory, &network, room);
    const sp_status status = set_journal(database, !network, network ? "it lies on a network file system"
                                                                     : "SQLite has no write-ahead log here", error);
    if (status == SP_OK && network && !database->rollback)
        return sp_fail(error, SP_EIO, "%s: a program that reads it keeps its write-ahead log, which a network file system "
                       "cannot have: try again when it is done", database->path);
    return status;
}

static sp_status create(sp_database *database, sp_error *error)
{
    char *script = sp_format("BEGIN IMMEDIATE; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT;",
                             SP_STORE_SCHEMA, APPLICATION, SP_STORE_VERSION);
    if (!script)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", database->path);
    errno = 0;
    const int code = sqlite3_exec(database->db, script, NULL, NULL, NULL);
    free(script);
    return code == SQLITE_OK ? SP_OK : complain(database, "creating it", error);
}

static sp_status other_version(const sp_database *database, sqlite3_int64 version, sp_error *error)
{
    const char *remedy = "`stillpoint run EXPERIMENT.lua` rewrites it first, as `merge` does, or `stillpoint store salvage` writes "
                         "a new one beside it";
    if (version > SP_STORE_VERSION)
        remedy = "use the program that wrote it, or a later one";
    else if (version < SP_STORE_REWRITTEN)
        remedy = "have the program that wrote it export its tables, move the file away, and `stillpoint merge EXPERIMENT.lua "
                 "results/EXPERIMENT` takes them into a new one";
    return sp_fail(error, SP_EVERSION, "%s was written by store version %lld; this program reads %d: %s", database->path,
                   (long long)version, SP_STORE_VERSION, remedy);
}

/* `shard`: the file of a task, which is only ever there complete. */
static sp_status recognise(sp_database *database, const char *directory, bool writer, bool shard, sp_error *error)
{
    sqlite3_int64 tables = 0, application = 0, version = 0;
    sp_status status = SP_OK;
    SP_TRY(ask(database, "SELECT count(*) FROM sqlite_master", &tables, error));
    SP_TRY(ask(database, "PRAGMA application_id", &application, error));
    SP_TRY(ask(database, "PRAGMA user_version", &version, error));
    const bool new = tables == 0 && application == 0 && version == 0; /* or its creation was cut short */
    if (new && !writer && shard)
        status = sp_fail(error, SP_EDATA, "%s: the file is empty: run its task again, or remove it", database->path);
    else if (new && !writer)
        status = sp_fail(error, SP_EABSENT, "%s: no runs are stored yet: `stillpoint run` makes them", database->path);
    else if (!new && application != APPLICATION)
        status = sp_fail(error, SP_EDATA, "%s is an SQLite file but no Stillpoint store: move it away", database->path);
    else if (!new && version != SP_STORE_VERSION && !(version == SP_STORE_REWRITTEN && writer))
        status = other_version(database, version, error);
    database->old = version == SP_STORE_REWRITTEN;
    if (status == SP_OK && writer && !database->old)
        status = choose_journal(database, directory, error);
    if (status == SP_OK && new)
        status = create(database, error);
cleanup:
    return status;
}

/* Is there an unfinished transaction of a stopped program that a reader can roll back? SQLite does it before the first read,
 * unless a writer holds the locks; the reader needs a journal to go by, and must be allowed to write. */
static bool takes_back(const char *path, const char *directory)
{
    return is_beside(path, "-journal") && access(path, W_OK) == 0 && access(directory, W_OK) == 0;
}

/* SQLite's name for the file. A reader of a WAL file makes an index beside it; in a folder where it may not, and where
 * neither a log was left behind nor the journal of a merge that was stopped, the file by itself is complete, which SQLite
 * believes when told so; and where it is known to be, as that of a shard is, nothing is to be made beside it. */
static char *name_of(const char *path, const char *for_sqlite, const char *directory, bool writer, bool complete)
{
    sp_text name = { 0 };
    const bool alone = complete || (!writer && access(directory, W_OK) != 0 && !is_beside(path, "-wal") &&
                                    !is_beside(path, "-journal"));
    sp_text_append(&name, *for_sqlite == '/' ? "file://" : "file:"); /* two slashes begin a host: here an empty one */
    for (const char *c = for_sqlite; *c; c++)
        sp_text_append(&name, strchr("%?#", *c) ? "%%%02X" : "%c", *c);
    sp_text_append(&name, "%s", alone ? "?immutable=1" : "");
    if (name.failed)
        sp_text_free(&name);
    return name.data;
}

static sp_status note_place(sp_database *database, sp_error *error)
{
    struct stat about;
    if (stat(database->path, &about) != 0)
        return sp_fail(error, SP_EIO, "%s: %s", database->path, sp_system_error(errno));
    database->device = about.st_dev;
    database->inode = about.st_ino;
    return SP_OK;
}

sp_status sp_database_open(sp_database *database, const char *given, const char *given_file, bool writer,
                           const char *const *sql, size_t statements, sp_error *error)
{
    sp_status status = SP_OK;
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    const bool shard = strcmp(given_file, SP_STORE_FILE) != 0;
    char *name = NULL, *directory = NULL, *file = NULL; /* the file may be a link to one elsewhere */
    *database = (sp_database){ .lock = -1, .at.folder = -1, .sql = sql, .statements = statements };
    database->prepared = sp_alloc(statements, sizeof *database->prepared);
    if (!database->prepared)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", given));
    SP_TRY(sp_place_find(given, given_file, &directory, &file, error));
    database->path = sp_format("%s/%s", directory, file);
    if (!database->path)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", given));
    if (writer) {
        SP_TRY(sp_make_directory(directory, error));
        SP_TRY(take_lock(database, error));
    } else if (access(database->path, F_OK) != 0) {
        status = sp_fail(error, SP_EABSENT, "%s: no runs are stored yet: `stillpoint run` makes them",
                         database->path);
        goto cleanup;
    }
    SP_TRY(sp_sqlite_path_make(directory, file, &database->at, error));
    if (!(name = name_of(database->path, database->at.path, directory, writer, shard)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", directory));
    flags |= writer                              ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
             : takes_back(database->path, directory) ? SQLITE_OPEN_READWRITE
                                                     : SQLITE_OPEN_READONLY;
    if (sqlite3_open_v2(name, &database->db, flags, database->at.vfs) != SQLITE_OK) {
        status = complain(database, "opening it", error);
        goto cleanup;
    }
    sqlite3_busy_timeout(database->db, BUSY_MS);
    if (!writer)
        SP_TRY(ask(database, "PRAGMA query_only = ON", NULL, error));
    SP_TRY(recognise(database, directory, writer, shard, error));
    SP_TRY(ask(database, "PRAGMA foreign_keys = ON", NULL, error));
    if (writer)
        SP_TRY(note_place(database, error));

cleanup:
    free(name);
    free(directory);
    free(file);
    if (status != SP_OK)
        sp_database_close(database);
    return status;
}

sp_status sp_database_create(sp_database *database, const char *path, const char *const *sql, size_t statements,
                             sp_error *error)
{
    sp_status status = SP_OK;
    char *folder = NULL, *name = NULL;
    *database = (sp_database){ .lock = -1, .at.folder = -1, .sql = sql, .statements = statements };
    database->path = sp_copy_text(path);
    database->prepared = sp_alloc(statements, sizeof *database->prepared);
    if (!database->path || !database->prepared)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    errno = access(path, F_OK) == 0 ? EEXIST : 0;
    if (errno)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno)));
    SP_TRY(sp_place_split(path, &folder, &name, error));
    SP_TRY(sp_sqlite_path_make(folder, name, &database->at, error));
    if (sqlite3_open_v2(database->at.path, &database->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        database->at.vfs) != SQLITE_OK)
        SP_TRY(complain(database, "opening it", error));
    SP_TRY(ask(database, "PRAGMA journal_mode = MEMORY", NULL, error));
    SP_TRY(ask(database, "PRAGMA synchronous = FULL", NULL, error));
    SP_TRY(create(database, error));
cleanup:
    free(folder);
    free(name);
    if (status != SP_OK)
        sp_database_close(database);
    return status;
}

static void forget_statements(sp_database *database)
{
    for (size_t i = 0; database->prepared && i < database->statements; i++) {
        sqlite3_finalize(database->prepared[i]);
        database->prepared[i] = NULL;
    }
}

sp_status sp_database_attach(sp_database *database, const sp_database *other, const char *schema, sp_error *error)
{
    char *name = name_of(other->path, other->at.path, "", false, true);
    const char *vfs = other->at.vfs;
    char *sql = name ? sqlite3_mprintf("ATTACH '%q%s%s' AS %s", name, vfs ? "&vfs=" : "", vfs ? vfs : "", schema) : NULL;
    sp_status status = sql ? ask(database, "PRAGMA temp_store = MEMORY", NULL, error)
                           : sp_fail(error, SP_ENOMEM, "%s: out of memory", other->path);
    if (status == SP_OK)
        status = ask_while(database, "opening a file to import", sql, NULL, error);
    sqlite3_free(sql);
    free(name);
    return status;
}

sp_status sp_database_release(sp_database *database, sp_error *error)
{
    forget_statements(database);
    const sp_status status = set_journal(database, false, "", error);
    if (status != SP_OK)
        return status;
    if (!database->rollback)
        return sp_fail(error, SP_EIO, "%s has to be rewritten, and another program reads it: try again when it is done",
                       database->path);
    sqlite3_close(database->db);
    database->db = NULL;
    return SP_OK;
}

/* All that the open file holds, into a new one. */
static sp_status copy_open(const sp_database *database, const char *path, sp_error *error)
{
    sp_status status = SP_OK;
    sp_sqlite_path at = { .folder = -1 };
    char *folder = NULL, *name = NULL;
    sqlite3 *to = NULL;
    SP_TRY(sp_place_split(path, &folder, &name, error));
    SP_TRY(sp_make_directory(folder, error));
    SP_TRY(sp_sqlite_path_make(folder, name, &at, error));
    unlink(path);
    int code = sqlite3_open_v2(at.path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, at.vfs);
    sqlite3_backup *copy = code == SQLITE_OK ? sqlite3_backup_init(to, "main", database->db, "main") : NULL;
    code = copy ? sqlite3_backup_step(copy, -1) : SQLITE_CANTOPEN;
    sqlite3_backup_finish(copy);
    if (code != SQLITE_DONE)
        status = sp_fail(error, SP_EIO, "%s: %s (while copying the store)", path, to ? sqlite3_errmsg(to) : "out of memory");
cleanup:
    sqlite3_close(to);
    sp_sqlite_path_free(&at);
    free(folder);
    free(name);
    return status;
}

/* The file at the path, in place of the one that is open, with a new lock. */
static sp_status open_again(sp_database *database, const char *copy, sp_error *error)
{
    sp_status status = SP_OK;
    char *folder = NULL, *name = NULL, *uri = NULL;
    SP_TRY(sp_place_split(database->path, &folder, &name, error));
    forget_statements(database);
    sqlite3_close(database->db); /* which removes a log that was left beside: it belongs to the file that is gone */
    database->db = NULL;
    sp_sqlite_path_free(&database->at);
    close(database->lock);
    database->lock = -1;
    SP_TRY(take_lock(database, error));
    if (rename(copy, database->path) != 0)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", database->path, sp_system_error(errno)));
    SP_TRY(sp_sqlite_path_make(folder, name, &database->at, error));
    if (!(uri = name_of(database->path, database->at.path, folder, true, false)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", database->path));
    if (sqlite3_open_v2(uri, &database->db, SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE, database->at.vfs) !=
        SQLITE_OK)
        SP_TRY(complain(database, "opening it again", error));
    sqlite3_busy_timeout(database->db, BUSY_MS);
    SP_TRY(choose_journal(database, folder, error));
    SP_TRY(ask(database, "PRAGMA foreign_keys = ON", NULL, error));
    status = note_place(database, error);
cleanup:
    free(folder);
    free(name);
    free(uri);
    return status;
}

/* The log of the file that is gone, which would pass for that of the one in its place. */
static void remove_log(const char *path)
{
    static const char *const ending[] = { "-wal", "-shm", "-journal" };
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        char *name = sp_format("%s%s", path, ending[i]);
        if (name)
            unlink(name);
        free(name);
    }
}

sp_status sp_database_keep_place(sp_database *database, sp_error *error)
{
    sp_status status = SP_OK;
    struct stat about;
    const bool there = stat(database->path, &about) == 0;
    if (there && about.st_dev == database->device && about.st_ino == database->inode)
        return SP_OK;
    char *copy = sp_format("%s.kept", database->path);
    if (!copy)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", database->path));
    SP_TRY(copy_open(database, copy, error));
    if (there) {
        remove_log(database->path);
        SP_TRY(sp_fail(error, SP_EIO, "%s: another file took the place of the store while it was written; it is left as it is, and "
                       "the store is in %s: `stillpoint merge EXPERIMENT.lua %s` takes its runs", database->path, copy, copy));
    }
    SP_TRY(open_again(database, copy, error));
    database->restored++;
cleanup:
    free(copy);
    return status;
}

sp_status sp_database_expect(sp_database *database, bool much, sp_error *error)
{
    static const char kept[] = "it was being read when the log was to come back";
    sp_status status = SP_OK;
    if (database->rollback)
        return SP_OK;
    sqlite3_busy_timeout(database->db, much ? 0 : LOG_MS); /* 0: who reads now reads the log */
    SP_TRY(ask(database, much ? "PRAGMA foreign_keys = OFF" : "PRAGMA foreign_keys = ON", NULL, error));
    SP_TRY(set_journal(database, !much, much ? NULL : kept, error));
cleanup:
    sqlite3_busy_timeout(database->db, BUSY_MS);
    return status;
}

sp_status sp_database_settle(sp_database *database, sp_error *error)
{
    return ask_while(database, "bringing its log into the file", "PRAGMA wal_checkpoint(TRUNCATE)", NULL, error);
}

void sp_database_close(sp_database *database)
{
    forget_statements(database);
    sqlite3_close(database->db);
    sp_sqlite_path_free(&database->at);
    if (database->lock >= 0)
        close(database->lock);
    free(database->prepared);
    free(database->path);
    *database = (sp_database){ .lock = -1, .at.folder = -1 };
}
