/* export_halves.h -- cells.tsv and runs.tsv, which are one table in two: a column in which the runs of each cell agree
 * belongs to cells.tsv, else to runs.tsv. Which one it is shows when the last run has been seen: until then all rows are
 * in a file of their own in the folder of the tables, rows.PID.part (core/base/atomic_file.h). */
#ifndef SP_EXPORT_EXPORT_HALVES_H
#define SP_EXPORT_EXPORT_HALVES_H

#include "core/base/atomic_file.h"

/* Start from { 0 }. */
typedef struct sp_halves {
    sp_text cell, run, shared; /* one line each, without its end, to be added to before sp_halves_add: own fields of the
                                * cell and of the run; those that stand in either table, each behind a tab */
    sp_text before;            /* `shared` of the run before */
    size_t columns;            /* of `shared` */
    bool *differs;             /* by column: runs of one cell do */
    sp_atomic_file rows;
} sp_halves;

sp_status sp_halves_begin(sp_halves *, const char *directory, sp_error *);
/* The lines that name the columns. */
sp_status sp_halves_head(sp_halves *, sp_error *);
/* The next run; `first` of its cell: only then is there something in `cell`. Empties the lines. */
sp_status sp_halves_add(sp_halves *, bool first, sp_error *);
/* Both tables, to the end. */
sp_status sp_halves_write(sp_halves *, sp_atomic_file *cells, sp_atomic_file *runs, sp_error *);
void sp_halves_free(sp_halves *);

#endif
