/* trust_region.h -- non-private trust-region Newton method (Conn, Gould & Toint 2000), for references and tests.
 *
 * Minimises F over R^d; constrained problems are solved elsewhere. Each step solves
 *   min <g, p> + p'Hp/2  subject to ||p|| <= Delta
 * exactly from the eigendecomposition of H (hard case included), so it leaves saddles. */
#ifndef SP_BASE_TRUST_REGION_H
#define SP_BASE_TRUST_REGION_H

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

/* argmin over ||p|| <= Delta of <g, p> + p'Hp/2, given the eigendecomposition (values ascending, vectors one a row).
 * p[d] out; scratch has d entries. Returns the model's decrease (>= 0). */
double sp_trust_region_step(size_t d, const double *values, const double *vectors, const double *g, double delta,
                            double *p, double *scratch);

/* w[d] holds the start, then the best point found (also on failure). SP_ENUMERIC when F is not finite at the start or
 * its derivatives are not finite at an iterate; other errors are those of the functions. */
sp_status sp_trust_region(const sp_smooth_function *, double tolerance, size_t max_iterations, double *w,
                          sp_trust_region_result *);

#endif
