/* edges.h -- is the winner of a tuning grid at the end of the grid? Then the optimum may be outside of it.
 *
 * Read from tuning.tsv for one label of a sweep: one row per point, whose column `edge` names the parameters whose
 * winner is the first or the last value of its list. */
#ifndef SP_CONTEST_EDGES_H
#define SP_CONTEST_EDGES_H

#include "core/base/table.h"
#include "core/stats/labels.h"

/* Counts the rows of tuning.tsv, all of them or some, by label: points that were tuned, and those whose winner is at an
 * end. */
void sp_edges_add(sp_labels *, const sp_table *tuning);
/* "main/dp_gd: at 2 of 8 points the winner is at an end (eta,steps on the edge of its grid): the optimum may be further
 * out" and a line end, behind `prefix`; nothing where no winner is. */
void sp_edges_tell(const sp_label *, const char *prefix, sp_text *);

#endif
