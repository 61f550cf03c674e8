/* journal.c -- the store on file systems that cannot keep a write-ahead log: a rollback journal, said so; the same runs
 * after every move, and after the death of the writer. What somebody who was merging has left behind is taken back by
 * whoever reads next, or it is said what to do. (On a mount that is a network file system: fault/network.) */
#include "core/cluster/merge.h"
#include "core/store/store_internal.h"

#include "tests/cells.h"
#include "tests/check.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>

static long answer; /* what statfs says the file system is; 0: what it is */

int statfs(const char *path, struct statfs *about)
{
    const int failed = (int)syscall(SYS_statfs, path, about);
    if (answer != 0)
        about->f_type = (__typeof__(about->f_type))answer;
    return failed;
}

static bool read_only; /* nobody may write here */

int access(const char *path, int how)
{
    return read_only && (how & W_OK) ? -1 : (int)syscall(SYS_faccessat, AT_FDCWD, path, how);
}

static bool is_there(const char *folder, const char *name)
{
    char *path = sp_format("%s/%s", folder, name);
    const bool there = path && access(path, F_OK) == 0;
    free(path);
    return there;
}

/* The journal that the file itself names, to a reader. */
static void check_mode(const char *folder, const char *expected)
{
    char *path = sp_format("%s/store.sqlite", folder);
    sqlite3 *db = NULL;
    sqlite3_stmt *at = NULL;
    CHECK_EQUAL(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    CHECK_EQUAL(sqlite3_prepare_v2(db, "PRAGMA journal_mode", -1, &at, NULL), SQLITE_OK);
    CHECK_EQUAL(sqlite3_step(at), SQLITE_ROW);
    CHECK_TEXT((const char *)sqlite3_column_text(at, 0), expected);
    sqlite3_finalize(at);
    sqlite3_close(db);
    free(path);
}

/* Opens it where statfs says `type`, finds the `stored` runs of before, adds one; with `die` the writer is killed
 * then. */
static void add_run(const char *folder, long type, const sp_cell *cell, size_t stored, const char *why, bool die)
{
    sp_store *store = NULL;
    sp_error error = { 0 };
    sp_result result;
    answer = type;
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    if (why)
        CHECK_CONTAINS(sp_store_rollback(store), why);
    else
        CHECK(sp_store_rollback(store) == NULL);
    for (size_t i = 0; i < stored; i++) {
        CHECK_EQUAL(sp_store_get(store, cell, i, &result, &error), SP_OK);
        CHECK_NEAR(result.value[0], 2.385 + (double)i, 0.0);
        sp_result_free(&result);
    }
    CHECK_EQUAL(sp_store_get(store, cell, stored, &result, &error), SP_EABSENT);
    sp_result_start(&result);
    result.value[0] = 2.385 + (double)stored;
    CHECK_EQUAL(sp_store_put(store, cell, stored, &result, &error), SP_OK);
    CHECK(is_there(folder, "store.sqlite-wal") == (why == NULL));
    if (die)
        _exit(sp_check_done());
    sp_result_free(&result);
    sp_store_close(store);
}

static void add_run_and_die(const char *folder, long type, const sp_cell *cell, size_t stored, const char *why)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        add_run(folder, type, cell, stored, why, true);
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The file is half written then: its pages do not wait for the end of the transaction. */
static void write_and_die(const char *folder)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        sp_store *store = NULL;
        CHECK_EQUAL(sp_store_open(folder, &store, NULL), SP_OK);
        CHECK_EQUAL(sp_store_expect(store, true, NULL), SP_OK);
        CHECK_EQUAL(sqlite3_exec(store->database.db,
                                 "PRAGMA cache_size = 1; BEGIN IMMEDIATE; DELETE FROM measure; UPDATE run "
                                 "SET cell = hex(zeroblob(100000)), checksum = 0",
                                 NULL, NULL, NULL),
                    SQLITE_OK);
        _exit(sp_check_done());
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(is_there(folder, "store.sqlite-journal"));
}

static void check_readable(const char *folder, const sp_cell *cell, size_t stored)
{
    sp_store *store = NULL;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_store_open_readonly(folder, &store, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    CHECK_EQUAL(sp_store_runs(store), stored);
    for (size_t i = 0; i < stored; i++) {
        sp_result result;
        CHECK_EQUAL(sp_store_get(store, cell, i, &result, &error), SP_OK);
        CHECK_NEAR(result.value[0], 2.385 + (double)i, 0.0);
        sp_result_free(&result);
    }
    CHECK(sqlite3_exec(store->database.db, "DELETE FROM measure", NULL, NULL, NULL) != SQLITE_OK); /* it only reads */
    sp_store_close(store);
}

static void a_merge_is_killed(const char *folder, const sp_cell *cell, size_t stored)
{
    sp_store *store = NULL;
    sp_error error = { 0 };
    write_and_die(folder);
    read_only = true;
    CHECK_EQUAL(sp_store_open_readonly(folder, &store, &error), SP_EIO);
    CHECK_CONTAINS(error.text, "store.sqlite: ");
    CHECK_CONTAINS(error.text, "`stillpoint run`");
    CHECK(is_there(folder, "store.sqlite-journal"));
    read_only = false;
    check_readable(folder, cell, stored);
    CHECK(!is_there(folder, "store.sqlite-journal"));
    write_and_die(folder); /* and by a writer */
    add_run(folder, 0xef53, cell, stored, NULL, false);
    check_mode(folder, "wal");
    check_readable(folder, cell, stored + 1);
}

/* Somebody who reads when the log is to come back keeps the rollback journal: it is said, and the next writer has a
 * log. */
static void a_reader_stays(const char *folder, const sp_cell *cell, size_t stored)
{
    sp_store *store = NULL, *reader = NULL;
    sp_error error = { 0 };
    answer = 0xef53;
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    CHECK_EQUAL(sp_store_expect(store, true, &error), SP_OK);
    check_mode(folder, "delete");
    CHECK_EQUAL(sp_store_open_readonly(folder, &reader, &error), SP_OK);
    CHECK(sp_store_rollback(store) == NULL);
    CHECK_EQUAL(sp_store_expect(store, false, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    CHECK_CONTAINS(sp_store_rollback(store), "being read");
    sp_store_close(reader);
    sp_store_close(store);
    add_run(folder, 0xef53, cell, stored, NULL, false);
    check_mode(folder, "wal");
}

int main(void)
{
    static const char network[] = "it lies on a network file system";
    const long nfs = 0x6969, cifs = (long)0xff534d42, fuse = 0x65735546, ext = 0xef53;
    char *folder = cells_folder();
    sp_cell cell;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    add_run(folder, nfs, &cell, 0, network, false);
    check_mode(folder, "delete");
    add_run_and_die(folder, nfs, &cell, 1, network);
    add_run(folder, cifs, &cell, 2, network, false);
    add_run(folder, ext, &cell, 3, NULL, false); /* moved to a disk of this machine */
    check_mode(folder, "wal");
    add_run_and_die(folder, ext, &cell, 4, NULL);
    CHECK(is_there(folder, "store.sqlite-wal"));
    add_run(folder, fuse, &cell, 5, network, false); /* and back, with the log that a killed writer left */
    check_mode(folder, "delete");
    CHECK(!is_there(folder, "store.sqlite-wal") && !is_there(folder, "store.sqlite-journal"));

    add_run(folder, ext, &cell, 6, NULL, false);
    a_merge_is_killed(folder, &cell, 7);
    a_reader_stays(folder, &cell, 8);
    add_run(folder, nfs, &cell, 9, network, false);

    CHECK_EQUAL(sqlite3_vfs_register(sqlite3_vfs_find("unix-none"), 1), SQLITE_OK); /* has no shared memory */
    add_run(folder, ext, &cell, 10, "SQLite has no write-ahead log here", false);
    check_mode(folder, "delete");
    cells_free(&cell);
    cells_remove(folder);
    return sp_check_done();
}
