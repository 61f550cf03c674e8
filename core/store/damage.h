/* damage.h -- what is damaged in a store, as lists for people: a run, or another row, and what is wrong with it. */
#ifndef SP_STORE_DAMAGE_H
#define SP_STORE_DAMAGE_H

#include "core/store/store.h"

#include <stdbool.h>

enum { SP_DAMAGE_WHAT = 120 };

typedef struct sp_damage {
    char run[SP_RUN_NAME]; /* "": no run, or an unknown one */
    char what[SP_DAMAGE_WHAT];
} sp_damage;

typedef struct sp_damages {
    sp_damage *item;
    size_t count;
} sp_damages; /* starts as { 0 } */

/* A run that is listed already is not listed again, nor is an equal item without a run. SP_ENOMEM. */
sp_status sp_damages_add(sp_damages *, const char *run, const char *what);
void sp_damages_free(sp_damages *);

/* What was found so far to be damaged in a store that is open: its runs count as missing. */
const sp_damages *sp_store_damages(const sp_store *);
/* What sp_store_open found damaged and left out: the runs are missing now. *aside: where the file is that it was found in,
 * NULL: nothing was damaged. */
const sp_damages *sp_store_healed(const sp_store *, const char **aside);

/* Runs that were left out then, and have come back from tables, which lack their traces and iterates, are stale: they are
 * rerun. */
void sp_store_remake_healed(sp_store *);

/* Compares all rows of a store that is open with their checksums, and adds what is damaged to its list. */
sp_status sp_store_check(sp_store *, sp_error *);

/* Writes everything sound of the file `from`, of this version or of version 6, into the new file `to`: whole runs, and what
 * belongs to them. *lost: what is damaged; *runs: how many were kept. `from`, which has no log beside it and which no process is writing, is
 * only read. SP_EIO, SP_ENOMEM. */
sp_status sp_store_rewrite(const char *from, const char *to, sp_damages *lost, size_t *runs, sp_error *);
/* The same of a file that may have a log or a journal beside it, which count; SP_EIO where another program writes it, and where
 * `to` is there. */
sp_status sp_store_salvage(const char *from, const char *to, sp_damages *lost, size_t *runs, sp_error *);

#endif
