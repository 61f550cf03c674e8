/* store_internal.h -- for the files of the store alone: store.c opens it and keeps the small tables, fingerprint.c says what answers
 * a cell, write.c and read.c take runs in and out, audits.c what audits found. */
#ifndef SP_STORE_STORE_INTERNAL_H
#define SP_STORE_STORE_INTERNAL_H

#include "core/store/database.h"
#include "core/store/identities.h"
#include "core/store/import.h"
#include "core/store/damage.h"
#include "core/store/stamps.h"

/* SQL in store.c */
typedef enum {
    BEGIN, BEGIN_WRITING, COMMIT, ROLLBACK, PUT_INVOCATION, INVOCATIONS, ALL_INVOCATIONS, INVOCATION, INVOKED,
    LAST_INVOCATION, PUT_ANSWERS, ANSWERS, STATES, COUNT, SET_COUNT, FORGET, PUT_RUN, RUN, PUT_MEASURE, MEASURES,
    PUT_TRACE, TRACE, PUT_TRACE_MEASURE, TRACE_MEASURES, PUT_ITERATE, ITERATE, PUT_REFERENCE, REFERENCE,
    REFERENCE_KEYS, FORGET_MEASURES, FORGET_ITERATE, FORGET_TRACE_MEASURES, FORGET_TRACE, ANSWERED, MAKE_ACCEPTED,
    ACCEPT, DROP_ACCEPTED, ROWS_TO_IMPORT, MAKE_AUDITS, HAS_AUDITS, PUT_AUDIT, AUDIT, MAKE_TASKS,
    HAS_TASKS, PUT_TASK, TASK, STATEMENTS
} sp_statement;

extern const char *const sp_store_sql[STATEMENTS];

/* What answers a cell, in the order of SP_ANSWERS_COLUMNS: SHA-256 of its records or their generator, of the sources,
 * the libraries, "name hash " of each measure, "name " of those that the trace lacks. */
enum { DATA, ALGORITHM, LOSS, REGULARISER, CORE, PLATFORM, MEASURE_SOURCES, UNTRACED, ANSWER_TEXTS };
typedef struct sp_fingerprints {
    uint64_t id; /* of its row */
    char *text[ANSWER_TEXTS];
} sp_fingerprints;

/* What answers a cell now: `text` points into the rest. */
enum { SP_SOURCES_SIZE = SP_MEASURES_MAX * (64 + SP_HASH_HEX) };
typedef struct sp_current {
    char algorithm[SP_HASH_HEX], data[SP_HASH_HEX], measures[SP_SOURCES_SIZE], untraced[SP_SOURCES_SIZE];
    const char *text[ANSWER_TEXTS];
} sp_current;

/* By what a run was made, and its name. */
typedef struct sp_made {
    bool there;
    char name[SP_RUN_NAME];
    size_t answers;      /* position in the list */
    uint64_t invocation; /* 0: not known */
} sp_made;

struct sp_store {
    sp_database database;
    uint64_t invocation;  /* 0: none yet */
    sp_identities runs;
    uint64_t last_run;    /* the largest id of a row of `run` */
    sp_fingerprints *answers;  /* every row */
    size_t answered;
    sp_stamps stamps;     /* of stamps.tsv beside its folder */
    bool audits;          /* is there a table of audits? A store that is only read may be older */
    sp_damages damages;   /* found since it was opened */
    sp_damages healed;    /* found when it was opened, and left out of the file that was written anew */
    char *aside;          /* the file that they were found in; NULL: none */
};

/* Every row of `answers` into the list; what cannot be read or held is an error. */
sp_status sp_fingerprints_load(sp_store *, sp_error *);
/* Position in the list of what answers this cell now, but for the measures that the trace lacks (bits as in sp_result);
 * it is stored first where it is new. */
sp_status sp_fingerprints_put(sp_store *, const sp_cell *, uint16_t untraced, size_t *position, sp_error *);
void sp_fingerprints_now(const sp_cell *, uint16_t untraced, sp_current *);
/* The measures of the cell that the traces of those runs lack. */
uint16_t sp_fingerprints_untraced(const sp_fingerprints *, const sp_cell *);
/* The same of given texts. */
sp_status sp_fingerprints_keep(sp_store *, const char *const text[ANSWER_TEXTS], size_t *position, sp_error *);
void sp_fingerprints_free(sp_store *);

/* Opens the file `name` without looking at all of its rows; `listed`: with the list of its runs. One of an old version, which a
 * writer gets (database.h), is not read. */
sp_status sp_store_open_as(const char *directory, const char *name, bool writer, bool listed, sp_store **, sp_error *);
/* A store in a file of another name, for reading. */
sp_status sp_store_open_named(const char *directory, const char *name, bool listed, sp_store **, sp_error *);
/* Position in the list of the answers whose row has that id, or its length. */
size_t sp_fingerprints_position(const sp_store *, uint64_t id);
/* A row of `invocation`, lent until the next step; false: it is not what was written. */
bool sp_store_take_invocation(sp_row *, sp_provenance_row *);
/* Another one, whatever there is: *id is new. */
sp_status sp_store_put_invocation(sp_store *, const sp_provenance_row *, uint64_t *id, sp_error *);
/* The first column of the only row. */
sp_status sp_store_ask(sp_store *, sp_statement, uint64_t *count, sp_error *);

/* "gauss=0.98 zcdp=1.07": the bounds that there are, so that a new kind of bound needs no new column. */
enum { SP_BOUNDS_SIZE = 64 * SP_BOUNDS };

/* Of rows that come from elsewhere (import.h), by a key as there. sp_fingerprints_same: was the stored run made by the
 * very sources that the key names, but for its measures? */
bool sp_fingerprints_same(const sp_store *, const sp_stored_run *, const sp_cell *, const char *const *key);
sp_status sp_fingerprints_import(sp_store *, const sp_cell *, const char *const *key, uint16_t untraced,
                                 size_t *position, sp_error *);
/* Stores a run whose answers are known: position in the list; replaces the row of the same identity. */
sp_status sp_store_put_row(sp_store *, const sp_cell *, size_t replicate, const sp_result *, size_t answers,
                           uint64_t invocation, sp_error *);

/* As sp_store_get, and by what the run was made. */
sp_status sp_store_get_made(sp_store *, const sp_cell *, size_t replicate, sp_result *, sp_made *, sp_error *);

/* SP_EVERSION for a name that is none. */
sp_status sp_status_named(const char *name);
/* SP_EDATA: the rows of that run are not what was written. */
sp_status sp_store_damaged_run(const sp_store *, const sp_stored_run *, sp_error *);
/* SP_EABSENT once the damage is in the list; SP_ENOMEM. */
sp_status sp_store_note(sp_store *, const char *run, const char *what, sp_error *);
/* The same of a run, which counts as missing from now on. */
sp_status sp_store_note_run(sp_store *, const sp_cell *, size_t replicate, sp_error *);
/* All runs of the list of damages do. */
void sp_store_hide_damaged(sp_store *);
void sp_stored_run_name(const sp_stored_run *, char out[SP_RUN_NAME]); /* as sp_run_name */

#endif
