/* jump.h -- what F changes by when one entry of w jumps, for a local search: where the regulariser is convex about 0
 * alone, F has a basin for nearly every choice of the entries that are about 0 or far from it on either side. */
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
