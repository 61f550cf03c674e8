/* trust_region.h -- the trust-region subproblem, and a non-private Newton method that uses it (Conn, Gould & Toint
 * 2000).
 *
 * The subproblem, for a symmetric H (d x d), a vector g (d) and a radius Delta > 0, is
 *   min <g, p> + p'Hp/2  subject to ||p|| <= Delta.
 * p solves it if and only if some multiplier lambda has
 *   (H + lambda I) p = -g,  lambda >= 0,  H + lambda I >= 0,  lambda (Delta - ||p||) = 0.
 * lambda is unique; p is not unique in the hard case (g orthogonal to the lowest eigenspace of H, and
 * the radius not reached without it). The subproblem is solved exactly from the eigendecomposition of H, also in the
 * hard case. The method minimises F over R^d by such
 * steps, so it leaves saddle points. It does not handle constraints. */
#ifndef SP_NUMERIC_TRUST_REGION_H
#define SP_NUMERIC_TRUST_REGION_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sp_smooth_function {
    size_t d;
    void *context;
    sp_status (*value)(void *context, const double *w, double *out);
    sp_status (*gradient)(void *context, const double *w, double *out);
    sp_status (*hessian)(void *context, const double *w, double *out); /* d x d, full */
} sp_smooth_function;

typedef struct sp_trust_region_result {
    double value, gradient_norm;
    size_t iterations; /* steps tried */
    bool converged;    /* gradient norm at most the tolerance, and no direction of negative curvature */
} sp_trust_region_result;

/* Solves the subproblem given the eigendecomposition of H (values ascending, vectors one a row). p[d] out, and its
 * multiplier where `lambda` is not NULL; scratch has d entries. Returns the model's decrease (>= 0). */
double sp_trust_region_step(size_t d, const double *values, const double *vectors, const double *g, double delta,
                            double *p, double *lambda, double *scratch);

/* Solves the subproblem for any symmetric H of up to some hundred rows, in d^3 operations. H (both triangles filled) is
 * overwritten by its eigenvectors, its eigenvalues go to values[d], ascending; p[d] and *lambda out; scratch has d
 * entries. SP_EINVAL for d = 0 or a radius that is not positive and finite; SP_ENUMERIC when H or g is not finite. */
sp_status sp_trust_region_subproblem(size_t d, double *H, const double *g, double delta, double *values, double *p,
                                     double *lambda, double *scratch);

/* w[d] holds the start, then the best point found (also on failure). SP_ENUMERIC when F is not finite at the start or
 * its derivatives are not finite at an iterate; other errors are those of the functions. */
sp_status sp_trust_region(const sp_smooth_function *, double tolerance, size_t max_iterations, double *w,
                          sp_trust_region_result *);

#endif
