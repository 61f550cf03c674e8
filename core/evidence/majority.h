/* majority.h -- is any method better than to name the majority class each time?
 *
 * At w = 0 every margin is 0, which counts as +1: the accuracy of a start at zero is the share s of +1 among the same
 * records, and that of the majority class is max(s, 1 - s). A cell does better where its mean accuracy over the
 * replicates is above the mean of that. */
#ifndef SP_EVIDENCE_MAJORITY_H
#define SP_EVIDENCE_MAJORITY_H

#include "core/evidence/series.h"

/* Of the rows from `first` on that have its sweep and its problem, *end being the first one after them: the share of the
 * majority class, a mean over the cells, where none of them does better. NAN where one does, or nothing is known of it: no
 * run succeeded or measured its accuracy, or the start is not zero. */
double sp_majority_unbeaten(const sp_runs *, size_t first, size_t *end);

#endif
