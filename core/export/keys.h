/* keys.h -- writes keys.tsv, the hashes of the sources and data that produced each exported run, and the column `made`
 * of provenance.tsv, the runs of each invocation of the program. core/store/import.h reads both when tables are
 * imported into another store. Columns of keys.tsv:
 *
 *   cell         row of cells.tsv
 *   replicates   of that cell, as ranges: "0-4,7"
 *   data, algorithm, loss, regulariser, core   first SP_KEY_DIGITS hex digits of each SHA-256
 *   platform     versions of the libraries
 *   measures     pairs "name digits name digits"
 *
 * `made` is "1-40:0-19 41:0-3,5": cells, then their replicates; empty if the runs are not known. */
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
