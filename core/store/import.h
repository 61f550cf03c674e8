/* import.h -- runs into a store that were made elsewhere. There is one way in, sp_store_import, whatever they come
 * from; exported tables (export.h) are read here.
 *
 * What such a run is, its identity says, which the plan has too; what it was made by, its key. A run that the store has
 * not is added. One that it has with the same fields stays as it is. With other fields the two contradict each other
 * when they were made by the same sources, or nobody can say by which: an error that names both. When the sources
 * differ, the run that is current stays, or takes the place of the other. Nothing is written unless all can be.
 *
 * Tables hold no iterates, ledgers or hashes of the records, and git keeps no traces: of a run that came from them the
 * store knows the measures at the answer and at the start. What `stillpoint account runs` and a trajectory need, it lacks. */
#ifndef SP_STORE_IMPORT_H
#define SP_STORE_IMPORT_H

#include "core/base/text.h"
#include "core/store/store.h"

/* By what a run was made, in the order of SP_ANSWERS_COLUMNS without the last: the first 16 digits of each hash, the
 * libraries, "name digits name digits" of the measures. A row of keys.tsv. */
enum { SP_KEY_TEXTS = 7, SP_KEY_DIGITS = 16 };
/* The key of runs that the user declares to be made by the sources of this program (--trust). A key of NULL: unknown sources. */
extern const char *const sp_key_trusted[SP_KEY_TEXTS];
extern const char sp_unknown_source[];
/* Would a run of this cell be made by the same today, or by sources that are stamped as equal (stamps.h)? */
bool sp_key_is_current(const sp_store *, const sp_cell *, const char *const *key);

/* A source that determines a run: of now and of a key, the first digits of their hashes. */
typedef struct sp_key_source {
    const char *kind;              /* data, algorithm, loss, regulariser, core, measure */
    char name[64];                 /* "" of the core */
    char then[SP_KEY_DIGITS + 1];  /* "": the key does not know, or it is a method within another, whose hash covers it */
    char now[SP_KEY_DIGITS + 1];
} sp_key_source;
enum { SP_KEY_SOURCES = 48 };
/* Those of a cell's runs, at most SP_KEY_SOURCES; how many. `key` may be NULL. */
size_t sp_key_sources(const sp_cell *, const char *const *key, sp_key_source out[SP_KEY_SOURCES]);

/* What a table holds of a ledger. */
#define SP_LEDGER_UNKNOWN "unknown"

/* The first field in which two results of one cell differ, of those that tables hold: "grad_norm TAB 0.1" in `one`, and
 * the same of b in `two`; both empty where they agree. SP_ENOMEM. */
sp_status sp_result_difference(const sp_cell *, const sp_result *a, const sp_result *b, sp_text *one, sp_text *two,
                               sp_error *);

typedef struct sp_incoming {
    const char *from;          /* "other/results/x/runs.tsv:17" */
    const sp_cell *cell;       /* of the plan, with those measures that the row has */
    size_t replicate;
    const sp_result *result;
    const char *const *key;
    uint64_t invocation;       /* that made it; 0: not known */
} sp_incoming;

typedef enum {
    SP_BROUGHT_NEW,      /* the store did not have it */
    SP_BROUGHT_SAME,     /* it had it, with the same fields */
    SP_BROUGHT_INSTEAD,  /* takes the place of a stale one */
    SP_BROUGHT_OLD,      /* the store has another one, by other sources, which stays */
    SP_BROUGHTS
} sp_imported;

/* Says what is to be done with a run, and does it unless `dry`. SP_EDATA for a contradiction. */
sp_status sp_store_import(sp_store *, const sp_incoming *, bool dry, sp_imported *, sp_error *);

typedef struct sp_imported_runs {
    size_t of[SP_BROUGHTS];
    size_t stale, unknown;   /* of those added: made by other sources; it is not known by which */
    size_t untraced;         /* of those added: their trace was not there */
    size_t foreign;          /* rows of runs that the experiment does not ask for */
} sp_imported_runs;

/* The runs that the tables in a folder hold of cells of the plan. `trust`: where keys.tsv does not say by which sources, they
 * are those of now. */
sp_status sp_import_tables(const sp_plan *, sp_store *, const char *folder, bool trust, sp_imported_runs *, sp_error *);
/* Of the tables that the store itself was exported to: those runs, of whatever cells, that it lacks. */
sp_status sp_import_lacking(const sp_plan *, sp_store *, const char *folder, sp_imported_runs *, sp_error *);

#endif
