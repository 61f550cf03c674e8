/* certificate.h -- upper bounds on F(w) - F* at a point w of a convex problem, rigorous up to rounding.
 *
 * All of them use a linear lower bound over the domain, F(v) >= F(w) - kink + <g, v - w>. If F is smooth, g = grad F(w)
 * and kink = 0; otherwise losses/engine/smoothed.h gives both. The smallest of these bounds is returned:
 *
 *   domain     F(w) - F* <= kink + max over the domain of <g, w - v>, on a bounded domain (the Frank-Wolfe gap)
 *   distance   F(w) - F* <= kink + ||g|| D for a known D >= ||w - w*||
 *   modulus    F(w) - F* <= kink + ||g||^2 / (2 mu), if F is mu-strongly convex by its regulariser
 *   curvature  if mu = lambda_min(hess F(w)) > 0 and 8 rho_H ||g|| < mu^2: within ||v|| <= mu/(2 rho_H) the Hessian
 *              stays above mu/2, so F(w + v) >= F(w) - ||g|| ||v|| + mu ||v||^2/4, which exceeds F(w) on the boundary.
 *              So the minimiser over R^d is inside and F(w) - F* <= ||g||^2 / mu. Directions orthogonal to every
 *              record, on which F does not depend, are left out. For smooth F and d <= SP_DENSE_MAX
 *   gap        F(w) - F* <= F(w) - F(w0) + gap, the certified gap */
#ifndef SP_LOSSES_OPTIMUM_CERTIFICATE_H
#define SP_LOSSES_OPTIMUM_CERTIFICATE_H

#include "losses/engine/problem.h"

enum { SP_DENSE_MAX = 2000 }; /* largest d of which a d x d matrix is made */

typedef struct sp_minorant {
    const double *gradient; /* g */
    double kink;
    double distance;        /* >= ||w - w*||, INFINITY when not known */
} sp_minorant;

/* For a convex F and w in the domain; gap >= F(w) - F*, INFINITY when nothing holds. scratch: sp_certificate_scratch
 * doubles. */
size_t sp_certificate_scratch(const sp_problem *);
sp_status sp_certificate(const sp_problem *, sp_workspace *, const double *w, const sp_minorant *, double *scratch,
                         double *gap);

#endif
