/* export_rows.h -- the lines of exported tables (export.h): the one that names the columns, and a row each of what the
 * plan asks for and the store holds. Every line ends with a line feed, but for those of export_halves.h. */
#ifndef SP_EXPORT_EXPORT_ROWS_H
#define SP_EXPORT_EXPORT_ROWS_H

#include "core/base/arena.h"
#include "core/store/grids.h"

/* The columns that a plan makes. Start from { 0 }. */
typedef struct sp_export_columns {
    const sp_plan *plan;
    const char **axis, **measure; /* sorted distinct names, which belong to the plan */
    const char **resolved;        /* the same of parameters (export_resolved.h), in `names` */
    size_t axes, measures, resolveds;
    sp_arena names;
    bool handed;                  /* a method hands a point over to another: there is a column handover */
} sp_export_columns;

sp_status sp_export_columns_find(sp_export_columns *, const sp_plan *); /* SP_ENOMEM */
void sp_export_columns_free(sp_export_columns *);

/* One run of a cell. */
typedef struct sp_run_of {
    const sp_cell *cell;
    size_t number;     /* of the cell in the plan, from 1 */
    size_t replicate;
    const char *name;
    const sp_result *result;
} sp_run_of;

/* Without line feeds: what stands in cells.tsv and in runs.tsv whatever the runs are, and what stands in either, each
 * field behind a tab. */
void sp_cells_head(const sp_export_columns *, sp_text *);
void sp_cells_row(const sp_export_columns *, const sp_cell *, size_t number, sp_text *);
void sp_runs_head(const sp_export_columns *, sp_text *);
void sp_runs_row(const sp_export_columns *, const sp_run_of *, sp_text *);
void sp_shared_head(const sp_export_columns *, sp_text *);
void sp_shared_row(const sp_export_columns *, const sp_run_of *, sp_text *);

/* `seed` is that of the checksums in the rows (core/base/table_rows.h), 0 before the head. */
void sp_traces_head(const sp_export_columns *, sp_text *, uint64_t *seed);
void sp_traces_rows(const sp_export_columns *, const sp_run_of *, sp_text *, uint64_t *seed);
void sp_timings_head(sp_text *);
void sp_timings_rows(const sp_run_of *, sp_text *);
void sp_skipped_head(const sp_export_columns *, sp_text *);
void sp_skipped_row(const sp_export_columns *, const sp_cell *, sp_text *);
/* What all members of a tuning have on an axis; NULL: nothing, or they differ. */
const char *sp_tuning_axis(const sp_export_columns *, const sp_tuning *, const char *axis);
void sp_tuning_head(const sp_export_columns *, sp_text *);
void sp_tuning_row(const sp_export_columns *, const sp_tuning *, const sp_tuning_scores *, sp_text *);
void sp_provenance_head(sp_text *);
/* Without `made`, its last field (keys.h), and without a line feed. */
void sp_provenance_line(const sp_provenance_row *, uint64_t runs, sp_text *);

#endif
