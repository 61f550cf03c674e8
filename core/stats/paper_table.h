/* paper_table.h -- one measure of one sweep as papers print it: one row per point, one column per method.
 *
 * A point is given by the axes of problem and privacy that distinguish the cells of a label, not by the method's own
 * parameters: of the axes with several values within some label, n, d and epsilon first, each one that does not follow
 * from those before it (a delta that is a function of n is left out). Cells of one label at one point differ in
 * parameters that the experiment sweeps: each has a column of its own, "dp_gd steps=3". A cell without an axis of
 * privacy (a method without privacy has no epsilon) is shown at every point with which its other axes agree.
 *
 * The best cells of a point are those with the fewest failed runs and among them the best mean (several if the means
 * are equal up to rounding). If some cell of the table is private with its noise on, only such cells can be best. */
#ifndef SP_STATS_PAPER_TABLE_H
#define SP_STATS_PAPER_TABLE_H

#include "core/stats/series.h"

typedef struct sp_paper_cell {
    bool there;
    sp_interval mean;  /* over the runs that succeeded, 95 % (inference.h) */
    size_t failed;     /* runs (sp_runs_value, series.h) */
    size_t diverged;   /* runs: the cell is never the best then */
    bool best;
} sp_paper_cell;

typedef struct sp_paper_table {
    const char **axis; /* short names, "n"; they and `at` belong to the runs */
    size_t axes;
    const char **at;   /* points x axes; "-" where a point lacks it */
    size_t points;     /* in the order of the table */
    char **method;
    size_t methods;    /* in the order of the table */
    sp_paper_cell *cell; /* points x methods */
    bool private_only; /* best are only those that are private and have their noise */
} sp_paper_table;

/* Of the rows [begin, end) of one sweep those whose cell asks for the measure in column y. `nonnegative`: a t interval
 * that reaches below 0 is cut there, which its level allows because the mean is not below 0. */
void sp_paper_table_make(const sp_runs *, size_t begin, size_t end, size_t y, bool lower_is_better, bool nonnegative,
                         sp_paper_table *);
void sp_paper_table_free(sp_paper_table *);

#endif
