/* export.h -- the store as sorted, fixed-format TSV: runs.tsv, traces.tsv of the runs that succeeded (equal runs give
 * equal bytes), timings.tsv (everything measured on the machine), provenance.tsv (which commit made the runs, when and
 * by what) and, when there are any, skipped.tsv and tuning.tsv (a
 * row a point whose parameters are chosen from a grid; tuning runs stand there alone, `tuned` marks the runs that they
 * chose for). Written beside and renamed, so a failure leaves the old file. Rows in plan order; only runs that the plan
 * asks for. "-" stands for a text or an axis that a row does not have; the status of a run that succeeded is "ok", of
 * another "SP_EBUDGET" and the like. */
#ifndef SP_RUNNER_EXPORT_H
#define SP_RUNNER_EXPORT_H

#include "core/base/files.h"
#include "core/runner/store.h"

sp_status sp_export(const sp_plan *, sp_store *, const char *directory, sp_error *);

/* A TSV table in memory. */
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
