/* keys.h -- keys.tsv: by what the runs of the exported tables were made, so that they can go into a store again
 * (import.h), and column `made` of provenance.tsv: which runs each invocation made.
 *
 *   cell, replicates   of which runs: a cell of cells.tsv, "0-4,7"
 *   data ... core      the first 16 digits of the hashes, platform the libraries, measures "name digits name digits"
 *
 *   made               "1-40:0-19 41:0-3,5": cells, then their replicates; nothing: not known */
#ifndef SP_EXPORT_KEYS_H
#define SP_EXPORT_KEYS_H

#include "core/store/store_internal.h"

/* An invocation that made some of the runs. */
typedef struct sp_maker {
    uint64_t id;
    sp_text line;       /* its fields in provenance.tsv before `made` */
    sp_text made;       /* complete for all cells but the last ones */
    sp_text replicates; /* those that it made of each of the cells first..last, the last ones so far; first = 0: none */
    size_t first, last;
} sp_maker;

/* In the order of the rows of provenance.tsv. Starts as { 0 }. */
typedef struct sp_makers {
    sp_maker *maker;
    size_t count;
} sp_makers;

/* One more; its `line` is empty. NULL when out of memory. */
sp_maker *sp_makers_add(sp_makers *, uint64_t id);
/* The rows of provenance.tsv. */
void sp_makers_rows(sp_makers *, sp_text *out);
void sp_makers_free(sp_makers *);

void sp_keys_head(sp_text *out);
/* "0-4,7": the replicates that are marked. */
void sp_keys_ranges(sp_text *out, const bool *marked, size_t replicates);
/* The fields from `data` on, of runs of a cell by the sources of now, with the tab before them and the line's end. */
void sp_keys_now(const sp_cell *, sp_text *out);
/* The rows of cell `number`, of whose replicates made[] says by what; its makers learn of it. SP_ENOMEM. */
sp_status sp_keys_cell(const sp_store *, size_t number, const sp_made *made, size_t replicates, sp_makers *, sp_text *out);

#endif
