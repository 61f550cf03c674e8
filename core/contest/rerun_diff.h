/* rerun_diff.h -- compares one experiment in two folders, run by run: results of two commits, or of two machines.
 *
 * Two runs are twins if they have the same identity (the column `run`: parameters, seed, replicate) and are in the same
 * sweep. They drew the same records, coins and noise, so if nothing changed they are equal in every field. If some
 * twins of a cell differ in a measure, the second folder is compared with the first as in pairs.h, with p-values
 * adjusted over the cells of that measure.
 *
 *   same      every field of every twin has the same text
 *   rounding  no value of a measure differs by more than 1e-9 of its size, and the same runs failed
 *   else      the outcome of compare.h: is the second folder better or worse? */
#ifndef SP_CONTEST_RERUN_DIFF_H
#define SP_CONTEST_RERUN_DIFF_H

#include "core/contest/compare.h"

enum { SP_TWO = 2 };

typedef struct sp_rerun_measure {
    const char *name;      /* a column of both folders (the caller looked) */
    bool lower_is_better;
} sp_rerun_measure;

typedef struct sp_rerun_cell {
    size_t row[SP_TWO];  /* the first twin, in each folder */
    char *at;            /* "n=1000": the axes that tell cells of this label apart; "-": none does */
    const sp_rerun_measure *measure;
    size_t twins, same;  /* runs; those with the same value and status */
    double largest;      /* relative difference of two finite values */
    bool rounding;
    sp_paired pair;      /* second / first; its p-values are adjusted */
    size_t failed[SP_TWO];
    sp_order order;      /* of the second one */
} sp_rerun_cell;

/* A column in which some twins differ. */
typedef struct sp_rerun_column {
    const char *name;
    size_t runs;
} sp_rerun_column;

/* Runs of one cell that the other folder has not. */
typedef struct sp_alone {
    size_t row, runs; /* row: of the first of them */
    char *at;         /* as above */
} sp_alone;

typedef struct sp_rerun_diff {
    size_t twins, same;      /* runs in both; those that are the same in every field */
    sp_rerun_cell *cell;      /* that differ: by measure, then in the order of the first folder */
    size_t cells;
    sp_rerun_column *column;  /* measures too */
    size_t columns;
    sp_alone *alone[SP_TWO]; /* by folder, in its order */
    size_t alones[SP_TWO];
    size_t other[SP_TWO];    /* columns that the other one has not: how many */
    size_t statuses;         /* twins that ended in other ways */
} sp_rerun_diff;

/* The tables and the measures have to stay. */
void sp_rerun_diff_make(const sp_runs *const folder[SP_TWO], const sp_rerun_measure *, size_t measures,
                        double margin, sp_rerun_diff *);
void sp_rerun_diff_free(sp_rerun_diff *);

/* Is a difference shown? No: all is the same, or what differs is rounding, equivalent or undecided. */
bool sp_rerun_diff_any(const sp_rerun_diff *);

#endif
