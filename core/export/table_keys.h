/* table_keys.h -- keys.tsv of a folder of tables (keys.h), read, and written where there is none. */
#ifndef SP_EXPORT_TABLE_KEYS_H
#define SP_EXPORT_TABLE_KEYS_H

#include "core/base/table.h"
#include "core/store/import.h"
#include "core/export/table_runs.h"

typedef struct sp_table_keys {
    sp_table table;             /* no rows without a file */
    size_t column[SP_KEY_TEXTS], cell, replicates;
    size_t last;                /* the row that was found last */
} sp_table_keys;

/* A folder without keys.tsv has none. SP_EDATA for a column that is not there. */
sp_status sp_table_keys_open(const char *folder, sp_table_keys *, sp_error *);
/* The row for a replicate of the cell of that number; table.rows: there is none. */
size_t sp_table_keys_find(sp_table_keys *, const char *cell, size_t replicate);
/* The key in a row: texts that live as long as the table. */
void sp_table_keys_take(const sp_table_keys *, size_t row, const char *text[SP_KEY_TEXTS]);
/* Writes keys.tsv for tables that lack it: all runs count as made by the current sources. */
sp_status sp_table_keys_make(const sp_table_runs *, sp_error *);
void sp_table_keys_free(sp_table_keys *);

#endif
