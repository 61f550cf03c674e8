/* table_makers.h -- which row of provenance.tsv made a run, as its column `made` says (keys.h). */
#ifndef SP_EXPORT_TABLE_MAKERS_H
#define SP_EXPORT_TABLE_MAKERS_H

#include "core/base/table.h"

/* Runs of one cell that one row made. */
typedef struct sp_made_by {
    size_t cell, first, last, row; /* replicates first..last; row from 0 */
} sp_made_by;

typedef struct sp_table_makers {
    sp_made_by *by; /* sorted by cell */
    size_t count;
} sp_table_makers;

/* The replicates first..last of "FIRST-LAST" or "FIRST" at *at, which moves behind it; false: there is no such range. */
bool sp_read_range(const char **at, size_t *first, size_t *last);

/* None where the table has no such column, as in tables of format 0. SP_EDATA for what is not written so, SP_ENOMEM. */
sp_status sp_table_makers_read(const sp_table *provenance, const char *folder, sp_table_makers *, sp_error *);
/* provenance.rows when it is not known. */
size_t sp_table_makers_find(const sp_table_makers *, const sp_table *provenance, size_t cell, size_t replicate);
void sp_table_makers_free(sp_table_makers *);

#endif
