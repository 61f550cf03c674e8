/* balance.h -- how long runs took, so that the parts of a sweep (shards.h) have equal shares of time.
 *
 * A run is expected to take  seconds * size / mean size  of the stored runs of its method in its sweep, where size is n d of
 * its problem and a constant, and a little for what surrounds a run; of a method without a stored run, what the others
 * together make of its size. Parts have to be the same in every process, and timings change: so they are measured once, before
 * a task begins, and written to `balance.tsv` in the folder of the shards, which every process reads. Without that file runs
 * weigh by their sizes alone. Bytes of results do not depend on it. */
#ifndef SP_CLUSTER_BALANCE_H
#define SP_CLUSTER_BALANCE_H

#include "core/store/store.h"

/* The stored runs of a method of a sweep. */
typedef struct sp_timing {
    char *sweep, *label;
    size_t runs;
    double seconds, size; /* means over them: seconds on the wall, sizes of their problems */
} sp_timing;

/* Start from { 0 }: sizes alone. */
typedef struct sp_balance {
    sp_timing *timing;    /* sorted by sweep and label */
    size_t timings;
    double seconds, size; /* sums over them, each times its runs */
    bool kept;            /* read from a file: it holds for every task, also when nothing stands in it */
} sp_balance;

/* n d of the problem, and a constant. */
double sp_balance_size(const sp_cell *);
/* The share of the sweep that a run of the cell is: microseconds where timings are known, else its size. At least 1. */
uint64_t sp_balance_weight(const sp_balance *, const sp_cell *);

/* One stored run of each cell, tuning runs too. No timings where none is stored. */
sp_status sp_balance_measure(const sp_plan *, sp_store *, sp_balance *, sp_error *);
/* `folder`/balance.tsv; without the file no timings. SP_EDATA names the line of what is no timing. */
sp_status sp_balance_read(const char *folder, sp_balance *, sp_error *);
sp_status sp_balance_write(const sp_balance *, const char *folder, sp_error *);
/* SHA-256 of the file that sp_balance_write makes; "" where runs weigh by their sizes alone. SP_ENOMEM. */
sp_status sp_balance_digest(const sp_balance *, char out[SP_HASH_HEX], sp_error *);
void sp_balance_free(sp_balance *);

#endif
