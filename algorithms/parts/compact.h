/* compact.h -- the compact set W on which the exponential mechanism runs: the domain if there is one; on the whole
 * space the ball of radius `distance` about w0, which contains a minimiser.
 *
 * Replacing a record changes the difference of two values of F on W by at most Dr = 4 L_data R / n, R the radius of a
 * ball that covers W. So a choice with probabilities or a density proportional to exp(-tau F), tau = epsilon / Dr, is
 * epsilon-DP with bounded range. */
#ifndef SP_ALGORITHMS_PARTS_COMPACT_H
#define SP_ALGORITHMS_PARTS_COMPACT_H

#include "algorithms/algorithm.h"

/* NULL, or what is missing: bounded gradients, or a bounded set that holds a minimiser. */
const char *sp_compact_fits(const sp_constants *);

/* R; centre[d] (NULL: not wanted) takes that of the ball. */
double sp_compact(const sp_oracle *, double *centre);
/* w into W. */
void sp_compact_project(const sp_oracle *, double *w);

/* The epsilon such that exponential mechanisms of share_j epsilon each, sum share_j = 1, use up the budget: as pure
 * ones, or in zCDP, where they cost sum (share_j epsilon)^2 / 8, whichever is larger. `squares` = sum share_j^2. */
double sp_choice_epsilon(const sp_oracle *, double squares);

/* What Theorem 3.2 of Lowy, Ullman & Wright 2024 lets a first stage fail with, sqrt(d) / (n epsilon). */
double sp_choice_zeta(const sp_constants *, double epsilon);

/* With probability 1 - zeta one of N independent uniform points of a ball of radius R that covers W, projected into W,
 * is within this of a point of W fixed before: (r / 2R)^d of the ball's volume is within r of it. */
double sp_covering_radius(double R, double d, double N, double zeta);

#endif
