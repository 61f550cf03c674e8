/* certificate.h -- how far a point of a convex problem can be from the minimum: rigorous up to rounding.
 *
 * All of them start from a linear lower bound over the domain, F(v) >= F(w) - kink + <g, v - w>: g = grad F(w) and kink
 * = 0 where F is smooth; losses/engine/smoothed.h has them where it is not. The smallest of these counts:
 *
 *   domain     F(w) - F* <= kink + max over the domain of <g, w - v>, on a bounded one (the Frank-Wolfe gap)
 *   distance   F(w) - F* <= kink + ||g|| D for a known D >= ||w - w*||
 *   modulus    F(w) - F* <= kink + ||g||^2 / (2 mu), F being mu-strongly convex by its regulariser
 *   curvature  mu = lambda_min(hess F(w)) > 0 and 8 rho_H ||g|| < mu^2: within ||v|| <= mu/(2 rho_H) the Hessian stays
 *              above mu/2, so F(w + v) >= F(w) - ||g|| ||v|| + mu ||v||^2/4, which exceeds F(w) on the boundary: the
 *              minimiser over R^d is inside and F(w) - F* <= ||g||^2 / mu. Directions orthogonal to every record, of
 *              which F does not depend, are left out. Smooth F, d <= SP_DENSE_MAX
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
