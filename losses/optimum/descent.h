/* descent.h -- non-private minimisers that need no d x d matrix: over a domain, and in large dimension. For a dense
 * Hessian use core/numeric/trust_region.h. */
#ifndef SP_LOSSES_OPTIMUM_DESCENT_H
#define SP_LOSSES_OPTIMUM_DESCENT_H

#include "core/numeric/trust_region.h"
#include "core/data/domain.h"

typedef struct sp_descent {
    double value;
    double residual;   /* sp_descend: the gradient mapping below; sp_newton_cg: ||grad F|| */
    size_t iterations;
    bool converged;    /* residual <= tolerance */
} sp_descent;

/* Accelerated projected gradient steps over the domain, with backtracking, restarts and a value that never rises (Beck
 * & Teboulle 2009; O'Donoghue & Candes 2015). The result w = P(y - grad F(y) / l) has residual l ||y - w||: where F is
 * mu-strongly convex over the domain, ||w - argmin F|| <= residual / mu. Stops at the tolerance, when rounding leaves
 * no progress, or after max_iterations gradients. w[d] holds the start, then the best point; scratch: 5 d doubles.
 * SP_ENUMERIC where F is not finite. f->hessian is not used. */
sp_status sp_descend(const sp_smooth_function *f, const sp_domain *, double tolerance, size_t max_iterations, double *w,
                     double *scratch, sp_descent *);

/* out = hess F(w) v */
typedef sp_status (*sp_product_at)(void *context, const double *w, const double *v, double *out);

/* Trust-region Newton steps over R^d by conjugate gradients (Steihaug 1983); negative curvature is followed where it is
 * met. The arguments as above; scratch: 6 d doubles. */
sp_status sp_newton_cg(const sp_smooth_function *f, sp_product_at, double tolerance, size_t max_iterations, double *w,
                       double *scratch, sp_descent *);

/* What ends sp_newton_box: value - lower <= gap, lower >= enough, or value < hopeless. */
typedef struct sp_box_goal {
    double gap, enough, hopeless;
} sp_box_goal;

typedef struct sp_boxed {
    double value, gap; /* F(w), and F(w) - F <= gap all over the box */
    double lower;      /* the largest of the lower bounds value - gap met */
} sp_boxed;

/* Newton's method for a convex F over the box low <= w <= high, in steps damped until F falls; the bounds are those of
 * a convex F. w[d] holds the start, then the last point; scratch: 2 d (d + 2) doubles. SP_ENUMERIC where F is not
 * finite. */
sp_status sp_newton_box(const sp_smooth_function *f, const double *low, const double *high, const sp_box_goal *,
                        size_t max_iterations, double *w, double *scratch, sp_boxed *);

#endif
