/* identities.h -- the runs that a store holds, in memory: what sp_store_state asks for every run of a plan, and where
 * each row is. 64 bytes a run, an eighth more while the list grows, and 5 to 11 for finding it. */
#ifndef SP_STORE_IDENTITIES_H
#define SP_STORE_IDENTITIES_H

#include "core/base/digest.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sp_stored_run {
    unsigned char identity[SP_HASH_SIZE];
    uint64_t id;        /* of its row */
    double checkpoints; /* a decade */
    uint32_t answers;   /* position in the store's list */
    uint32_t dimension; /* of the stored iterate, which SQLite holds up to 2^27 numbers of; 0: none */
    sp_status status;   /* how the run ended */
} sp_stored_run;

/* The runs in the order in which they came, and a hash table of their positions, open addressing. Start from { 0 }. */
typedef struct sp_identities {
    sp_stored_run *run;
    size_t count, room;
    uint32_t *slot; /* position in `run` and 1; 0: empty */
    size_t slots;   /* a power of two, or 0 */
} sp_identities;

/* The 64 hex digits of an identity, or of a text that ends sooner, is longer or has others: false. */
bool sp_identity_read(const char *digits, unsigned char identity[SP_HASH_SIZE]);

/* By 64 hex digits, or by their bytes. NULL when it is not there. Valid until the next sp_identities_reserve. */
sp_stored_run *sp_identities_find(const sp_identities *, const char *digits);
sp_stored_run *sp_identities_at(const sp_identities *, const unsigned char identity[SP_HASH_SIZE]);
/* Room for one more, so that sp_identities_put cannot fail; false when there is no memory. */
bool sp_identities_reserve(sp_identities *);
/* Adds it, or replaces the one of the same identity. */
void sp_identities_put(sp_identities *, const sp_stored_run *);
/* It is not found any more; its place in the list stays. */
void sp_identities_hide(sp_stored_run *);
void sp_identities_free(sp_identities *);

#endif
