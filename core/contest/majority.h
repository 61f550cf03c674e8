/* majority.h -- is any method more accurate than always predicting the majority class?
 *
 * At w = 0 every margin is 0, which counts as +1. So the accuracy of a start at zero is the share s of the label +1
 * among the same records, and the accuracy of the majority class is max(s, 1 - s). A cell is better if its mean
 * accuracy over the replicates is above the mean of max(s, 1 - s). */
#ifndef SP_CONTEST_MAJORITY_H
#define SP_CONTEST_MAJORITY_H

#include "core/stats/series.h"

/* Of rows that have one sweep and one problem, a cell after the other. Start from { 0 }. */
typedef struct sp_majority {
    double accuracy, share; /* sums over the runs of the cell under way */
    size_t runs, cells;
    double shares;          /* sum of the cells' means */
    bool beaten;
} sp_majority;

/* Adds the cell whose first row this is; the first row behind it. */
size_t sp_majority_add(sp_majority *, const sp_runs *, size_t first);
/* The share of the majority class, a mean over the cells, where none of them does better. NAN where one does, or
 * nothing is known of it: no run succeeded or measured its accuracy, or the start is not zero. */
double sp_majority_share(const sp_majority *);
/* The least and the largest share of the majority class over the cells in rows [begin, end); INFINITY, -INFINITY:
 * nothing is known of it. */
void sp_majority_range(const sp_runs *, size_t begin, size_t end, double *low, double *high);
/* Do the rows have the same sweep and the same problem, or does the column say something of these? */
bool sp_majority_same(const sp_runs *, size_t a, size_t b);
bool sp_majority_names(const sp_runs *, size_t column);
/* The share for the rows from `first` on that have its sweep and its problem, *end being the first one after them. */
double sp_majority_unbeaten(const sp_runs *, size_t first, size_t *end);

#endif
