/* jump.h -- the change of F if one entry of w moves to another place, for a local search. If the regulariser is convex
 * only near 0, F has a local minimum for nearly every choice of which entries are near 0 and which are far away on
 * either side; the search jumps between them. */
#ifndef SP_LOSSES_OPTIMUM_JUMP_H
#define SP_LOSSES_OPTIMUM_JUMP_H

#include "losses/engine/problem.h"

enum { SP_PLACES = 17 }; /* 0, 1/2, -1/2, 1, -1, ..., 64, -64 */

/* A smooth link loss with such a regulariser. */
bool sp_jump_fits(const sp_problem *);
double sp_jump_place(size_t k);
/* Whether `to` lies in another basin of r than `from`. */
bool sp_jump_leaves(const sp_problem *, double from, double to);
/* change[j SP_PLACES + k] = F(w with place k for w_j) - F(w): one pass over the records. */
void sp_jump_changes(const sp_problem *, sp_workspace *, const double *w, double *change);

#endif
