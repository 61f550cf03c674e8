/* table.h -- a TSV table in memory: the first line names the columns. */
#ifndef SP_BASE_TABLE_H
#define SP_BASE_TABLE_H

#include "core/base/status.h"

#include <stddef.h>

typedef struct sp_table {
    char **column;  /* names */
    size_t columns, rows;
    char **cell;    /* rows x columns */
    char *bytes;    /* owns the text */
} sp_table;

/* SP_EABSENT when there is no such file, SP_EDATA with path:line for a row of another length. */
sp_status sp_table_read(const char *path, sp_table *, sp_error *);
void sp_table_free(sp_table *);
/* Index of a column, or columns when there is none. */
size_t sp_table_column(const sp_table *, const char *name);
/* NAN for "NaN" or text. */
double sp_table_number(const sp_table *, size_t row, size_t column);
static inline const char *sp_table_text(const sp_table *t, size_t row, size_t column)
{
    return t->cell[row * t->columns + column];
}

#endif
