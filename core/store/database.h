/* database.h -- one SQLite file with one writer: opening and locking it, statements, errors in plain words. */
#ifndef SP_STORE_DATABASE_H
#define SP_STORE_DATABASE_H

#include "core/base/text.h"
#include "core/store/long_path.h"
#include "core/store/store.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct sp_database {
    sqlite3 *db;
    char *path;
    sp_sqlite_path at;       /* the same file, as SQLite has it */
    int lock;                /* descriptor of path.lock; -1: a reader */
    dev_t device;            /* and inode of the file that a writer opened */
    ino_t inode;
    size_t restored;         /* how often it was put back, for somebody had removed it */
    bool old;                /* of version 6, which a writer rewrites (damage.h) before it does anything else */
    const char *rollback;    /* why a writer keeps a rollback journal instead of a write-ahead log; NULL: it does not */
    sqlite3_stmt **prepared; /* one a statement, made on first use */
    const char *const *sql;
    size_t statements;
} sp_database;

/* The file `name` of a folder; one that is not called SP_STORE_FILE is complete, and only read. A writer creates both and holds the lock until it closes; a reader gets SP_EABSENT when there is
 * nothing yet. Of an old version a writer gets `old`. SP_EVERSION and SP_EDATA (damaged, not ours) leave the file as it is. `sql` has `statements` entries. */
sp_status sp_database_open(sp_database *, const char *directory, const char *name, bool writer, const char *const *sql,
                           size_t statements, sp_error *);
/* A new file at `path`, which must not be there, without lock and log: what is written is safe at a COMMIT. */
sp_status sp_database_create(sp_database *, const char *path, const char *const *sql, size_t statements, sp_error *);
/* Lets go of the file, which is complete then, with no log beside it; the lock stays. SP_EIO: another program reads it. */
sp_status sp_database_release(sp_database *, sp_error *);
/* Nothing is to be begun. Is the file that a writer opened still at its path? Where it was removed, or its folder was renamed or
 * removed, what the open file holds is copied back and written from now on: `restored`. SP_EIO where another file took its place;
 * then what it holds is copied to path.kept, and the message says so. */
sp_status sp_database_keep_place(sp_database *, sp_error *);
/* A writer is going to write much at once, or has done so: between the two there is no log, if no reader keeps it, and
 * references between tables are not looked up. Nothing is to be begun at either. Where the log cannot come back because
 * somebody reads, `rollback` says so, and every run is stored as safely. */
sp_status sp_database_expect(sp_database *, bool much, sp_error *);
/* Makes the tables of another file, which is complete and which no process writes, readable as SCHEMA.TABLE. Outside a
 * transaction. */
sp_status sp_database_attach(sp_database *, const sp_database *other, const char *schema, sp_error *);
/* Takes the log into the file, which is complete then. */
sp_status sp_database_settle(sp_database *, sp_error *);
void sp_database_close(sp_database *);

/* A statement with its arguments put, or its columns taken, in order, and the checksum of those so far. */
typedef struct sp_row {
    sp_database *database;
    sqlite3_stmt *at;
    int next;
    uint64_t sum;
} sp_row;

sp_status sp_row_prepare(sp_database *, size_t statement, sp_row *, sp_error *);
/* A statement that is not in the list; the caller finalizes out->at, also after an error. */
sp_status sp_database_prepare(sp_database *, const sp_text *sql, sp_row *out, sp_error *);
void sp_put_text(sp_row *, const char *); /* must outlive the step; NULL is written '' */
void sp_put_count(sp_row *, uint64_t);
void sp_put_id(sp_row *, uint64_t);       /* 0 is written NULL */
void sp_put_real(sp_row *, double);       /* NaN is written NULL */
void sp_put_reals(sp_row *, const double *, size_t count); /* must outlive the step; NULL is written NULL */
void sp_put_checksum(sp_row *);           /* of what was put so far */
/* Run a statement that returns no row; `doing` completes "while ..." in the message. */
sp_status sp_row_run(sp_row *, const char *doing, sp_error *);
sp_status sp_database_run(sp_database *, size_t statement, const char *doing, sp_error *);

/* The next row: SP_OK, or SP_EABSENT without a message at the end. */
sp_status sp_row_next(sp_row *, sp_error *);
const char *sp_take_text(sp_row *); /* valid until the next step */
uint64_t sp_take_count(sp_row *);
double sp_take_real(sp_row *);
const double *sp_take_reals(sp_row *, size_t *count); /* valid until the next step; NULL when there are none */
bool sp_take_checksum(sp_row *); /* is it that of what was taken so far? */

/* SP_EDATA: `what` ("run 0123456789ab") is not as it was written; the message names the verb that saves the rest. */
sp_status sp_database_damaged(const sp_database *, const char *what, sp_error *);

#endif
