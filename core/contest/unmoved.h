/* unmoved.h -- which methods never leave their start?
 *
 * A label of a sweep is unmoved if, in every run that succeeded, each measure that is known both at the start
 * (`start.M`) and at the returned iterate has the same value at both. Accuracy is ignored, because many iterates share
 * it. The method `start` is ignored too, because it always returns its start. */
#ifndef SP_CONTEST_UNMOVED_H
#define SP_CONTEST_UNMOVED_H

#include "core/stats/labels.h"
#include "core/stats/series.h"

/* Does every run of the cell from row `first` on that succeeded end where it started? *end: the first row behind it.
 * False where none succeeded, where that is not known of one, and of the method `start`. */
bool sp_unmoved_cell(const sp_runs *, size_t first, size_t *end);
/* Counts the runs, all of them or those of a cell, by label: those that succeeded, those with such a measure, those
 * that have left their start. */
void sp_unmoved_add(sp_labels *, const sp_runs *);
/* "main/dp_tr: never leaves its start: all measures of its 12 runs are as they were there" and a line end, behind
 * `prefix`, for each label of which that is true. */
void sp_unmoved_tell(const sp_labels *, const char *prefix, sp_text *);

#endif
