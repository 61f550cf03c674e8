/* tables.h -- the exported tables of an experiment, by name. */
#ifndef SP_STATS_TABLES_H
#define SP_STATS_TABLES_H

#include "core/base/table.h"

/* "results/NAME/FILE", a new string. */
char *sp_results_path(const char *results, const char *file);
/* SP_EABSENT: the message says how the table is made. */
sp_status sp_results_table(const char *results, const char *file, sp_table *, sp_error *);
/* The same, a part after the other. */
sp_status sp_results_open(const char *results, const char *file, sp_table_reader *, sp_error *);
/* SP_EDATA, with the file's name, for a column that is not there. */
sp_status sp_need_column(const sp_table *, const char *file, const char *name, size_t *column, sp_error *);

#endif
