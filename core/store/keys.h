/* keys.h -- keys.tsv: by what the runs of the exported tables were made, so that they can go into a store again
 * (bring.h).
 *
 *   cell, replicates   of which runs: a cell of cells.tsv, "0-4,7"
 *   made               row of provenance.tsv, from 1; nothing: not known
 *   data ... core      the first 16 digits of the hashes, platform the libraries, measures "name digits name digits" */
#ifndef SP_STORE_KEYS_H
#define SP_STORE_KEYS_H

#include "core/store/parts.h"

typedef struct sp_key_makers {
    uint64_t *id; /* of the invocation in each row of provenance.tsv */
    size_t count;
} sp_key_makers;

void sp_keys_head(sp_text *out);
/* The rows of cell `number`, of whose replicates made[] says by what. SP_ENOMEM. */
sp_status sp_keys_cell(const sp_store *, size_t number, sp_made *made, size_t replicates, const sp_key_makers *,
                       sp_text *out);

#endif
