/* edges.h -- is the winner of a grid at its end? Then the optimum may be further out.
 *
 * What tuning.tsv says of one label of a sweep: a row a point, whose column `edge` names the parameters whose winner is
 * the first or the last of its list. */
#ifndef SP_EVIDENCE_EDGES_H
#define SP_EVIDENCE_EDGES_H

#include "core/evidence/series.h"

typedef struct sp_edges {
    size_t points, edges; /* points that were tuned; those whose winner is at an end */
    size_t first;         /* the first of these, a row of tuning.tsv */
} sp_edges;

/* Of the row's sweep and label. points = 0 where a row before it has them: each label counts once. */
sp_edges sp_edges_count(const sp_runs *, size_t row);
/* "main/dp_gd: at 2 of 8 points the winner is at an end (eta,steps on the edge of its grid): the optimum may be further
 * out" and a line end, behind `prefix`; nothing where no winner is. */
void sp_edges_tell(const sp_runs *, size_t row, const char *prefix, sp_text *);

#endif
