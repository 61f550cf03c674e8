/* branch.h -- a certified lower bound on F* by branch and bound, for F(w) = f(w) + lambda sum_j r(w_j) with a convex
 * and smooth f and an r whose convex hull is known (losses/optimum/hull.h).
 *
 *   bound    over a box, inf F >= min (f + lambda sum_j hull_j), a convex problem: Newton's method with a certified gap
 *   region   points with F <= U, the best value known, lie in an ellipsoid, which makes the box smaller
 *   settle   if f compensates the negative r'' in the whole box, F is convex there: a local minimum is its minimum
 *   divide   otherwise the box is cut in two where hull and r differ most
 *
 * Rigorous up to rounding. */
#ifndef SP_LOSSES_OPTIMUM_BRANCH_H
#define SP_LOSSES_OPTIMUM_BRANCH_H

#include "losses/engine/problem.h"

enum { SP_BRANCH_D = 100 }; /* most coordinates */

typedef struct sp_branch_result {
    double value, lower; /* the best F(w) seen; lower <= F*, -INFINITY where no box holds all points with F <= value */
    size_t boxes;        /* bounded */
} sp_branch_result;

/* Whether p over its domain (R^d or a box), and `bare`, p without its regulariser, are what the above asks for. */
bool sp_branch_fits(const sp_problem *p, const sp_problem *bare);
/* least[d]: about a minimiser of `bare` over the domain. w[d], a point of the domain, is replaced where a better one is
 * met. Stops at value - lower <= tolerance or when `work` (multiplications, about) is spent; the workspace is that of
 * p. */
sp_status sp_branch(const sp_problem *p, const sp_problem *bare, sp_workspace *, double tolerance, double work,
                    const double *least, double *w, sp_branch_result *);

#endif
