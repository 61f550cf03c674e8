/* store.h -- one SQLite file an experiment, one transaction a run, written by the parent process only.
 *
 * The identity of a run is the hash of what was asked: cell text, seed, replicate. What answered it is kept apart:
 * the hash of the records (of generated ones, their generator) and of the sources of the algorithm, the loss (and its
 * regulariser), each measure and the core, and the libraries that it was computed with (core/run/platform.h). A row
 * whose identity is there and whose answers match is current; otherwise sp_store_state says what changed. */
#ifndef SP_STORE_STORE_H
#define SP_STORE_STORE_H

#include "core/run/execute.h"

typedef struct sp_store sp_store;

enum { SP_STORE_VERSION = 7, SP_STORE_REWRITTEN = 6 /* a store that a writer rewrites */ };
#define SP_STORE_FILE "store.sqlite"

/* Rows carry checksums, compared whenever one is read: a run of which one differs counts as missing, and is listed (damage.h).
 * Which runs there are, and what answered them, is read when a store is opened: a reader sees it
 * as it was then. */

/* Creates or opens `directory`/store.sqlite, or the file that this is a link to. One that is damaged is written anew from its
 * sound rows first, and so is one of the version before (damage.h). SP_EVERSION for other versions, SP_EDATA where the file is
 * no store or its first bytes are damaged (it is left as it is), SP_EIO with the disk's own words. One process writes at a time: SP_EIO for the second. */
sp_status sp_store_open(const char *directory, sp_store **, sp_error *);
sp_status sp_store_open_readonly(const char *directory, sp_store **, sp_error *); /* SP_EABSENT when there is none */
/* A file of any name, as that of a task, which nobody writes unless it is called store.sqlite. */
sp_status sp_store_open_file(const char *directory, const char *file, sp_store **, sp_error *);
/* Why a store that is written keeps a rollback journal and no write-ahead log, as on network file systems; NULL: it has
 * a log. */
const char *sp_store_rollback(const sp_store *);
/* Between the two a writer reads one state of the file and locks it once, not at every row; a reader always does. *held:
 * what is to be let go. */
sp_status sp_store_hold(sp_store *, bool *held, sp_error *);
void sp_store_let_go(sp_store *, bool held);
/* How often the store that is written was found removed from its path, or moved away, and put back. */
size_t sp_store_restored(const sp_store *);
void sp_store_close(sp_store *);
size_t sp_store_runs(const sp_store *); /* how many it holds */

/* 12 hex digits that name a run to people, and the full identity. */
enum { SP_RUN_NAME = 13 };
void sp_run_identity(const sp_cell *, size_t replicate, char out[SP_HASH_HEX]);
void sp_run_name(const sp_cell *, size_t replicate, char out[SP_RUN_NAME]);

typedef enum {
    SP_RUN_MISSING,
    SP_RUN_DONE,       /* current, succeeded */
    SP_RUN_FAILED,     /* current, failed: retried only when asked */
    SP_RUN_UNMEASURED, /* succeeded, current but for measures at the answer, which is stored */
    SP_RUN_STALE       /* something that answers it has changed */
} sp_run_state;

/* `why` (may be NULL) gets "algorithm dp_gd changed, measure accuracy is new" for the last two; of a measure for which
 * the stored iterate does not do, why not. A measure or a finer trace than the cell asks for is no reason: cells of
 * several sweeps may share a run. What a trace lacks is one where a figure shows it. */
sp_status sp_store_state(sp_store *, const sp_cell *, size_t replicate, sp_run_state *, sp_text *why, sp_error *);
/* Of an unmeasured run: which measures of the cell it lacks, or has from another source. */
void sp_store_lacks(const sp_store *, const sp_cell *, size_t replicate, bool lacks[SP_MEASURES_MAX]);

bool sp_store_holds(const sp_store *, const sp_cell *, size_t replicate); /* whatever made the run */
/* Has the run been made, and this measure been taken? */
bool sp_store_measured(const sp_store *, const sp_cell *, size_t replicate, const sp_measure *);

/* One row an invocation: provenance. */
typedef struct sp_provenance_row {
    uint64_t id; /* in the store */
    char *command, *scale, *script, *commit, *compiler, *flags, *libraries, *blas_core, *cpu, *started;
    bool dirty;
} sp_provenance_row;
sp_status sp_store_invocation(sp_store *, const sp_provenance_row *, sp_error *);
/* Of runs that come from elsewhere (import.h): *id is that of the row with these texts, the script's apart, which is stored
 * first where there is none. */
sp_status sp_store_import_invocation(sp_store *, const sp_provenance_row *, uint64_t *id, sp_error *);
/* Those that made some of the runs that are there, in their order; `runs`: how many. The row is lent for the call. */
sp_status sp_store_invocations(sp_store *, void (*take)(void *context, const sp_provenance_row *, uint64_t runs),
                               void *context, sp_error *);

/* Replaces the row of the same identity, with its measures and trace, in one transaction. */
sp_status sp_store_put(sp_store *, const sp_cell *, size_t replicate, const sp_result *, sp_error *);
/* Adds measures that sp_execute_measures has taken for `part`, the cell with these alone, to the row of a run, which
 * stays the work of the invocation that made it. SP_EDATA where the run was made on other records. */
sp_status sp_store_put_measures(sp_store *, const sp_cell *, const sp_cell *part, size_t replicate, const sp_result *,
                                sp_error *);
/* SP_EABSENT when it is not there, or damaged. *result is filled as far as the store knows it. */
sp_status sp_store_get(sp_store *, const sp_cell *, size_t replicate, sp_result *, sp_error *);
/* The iterate that the run returned, a new array; SP_EABSENT where none is stored. */
sp_status sp_store_get_iterate(sp_store *, const sp_cell *, size_t replicate, double **, size_t *dimension, sp_error *);

sp_status sp_store_put_reference(sp_store *, const char *key, const sp_reference *, sp_error *);
sp_status sp_store_get_reference(sp_store *, const char *key, sp_reference *, sp_error *); /* SP_EABSENT */

#endif
