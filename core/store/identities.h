/* identities.h -- the runs that a store holds, in memory: what sp_store_state asks for every run of a plan, and where
 * each row is. About 200 bytes a run. */
#ifndef SP_STORE_IDENTITIES_H
#define SP_STORE_IDENTITIES_H

#include "core/base/hash.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sp_stored_run {
    char identity[SP_HASH_HEX]; /* "": an empty slot */
    uint64_t id;                /* of its row */
    size_t answers;             /* position in the store's list */
    double checkpoints;         /* a decade */
    size_t dimension;           /* of the stored iterate; 0: none */
    sp_status status;           /* how the run ended */
} sp_stored_run;

/* A hash table, open addressing. Start from { 0 }. */
typedef struct sp_identities {
    sp_stored_run *slot;
    size_t slots, count; /* slots: a power of two, or 0 */
} sp_identities;

/* NULL when it is not there. Valid until the next sp_identities_reserve. */
sp_stored_run *sp_identities_find(const sp_identities *, const char *identity);
/* Room for one more, so that sp_identities_put cannot fail; false when there is no memory. */
bool sp_identities_reserve(sp_identities *);
/* Adds it, or replaces the one of the same identity. */
void sp_identities_put(sp_identities *, const sp_stored_run *);
void sp_identities_free(sp_identities *);

#endif
