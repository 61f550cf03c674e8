/* fw_gap.c -- the Frank-Wolfe gap max over v in the domain of <grad F(w), w - v>: 0 exactly at stationary points of the
 * constrained problem, and a bound on F(w) - F* if F is convex. Not clipped at 0: a negative value shows that w is
 * outside the domain. */
#include "measures/measure.h"

#include <gsl/gsl_cblas.h>

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)labels;
    return isfinite(constants->diameter) ? NULL : "the Frank-Wolfe gap needs a bounded domain";
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)reference;
    double *g = scratch, *v = g + sp_problem_d(p);
    sp_problem_gradient(p, workspace, w, g);
    const sp_status status = sp_domain_linear_minimise(&p->domain, g, v);
    if (status != SP_OK)
        return status;
    cblas_daxpy((int)sp_problem_d(p), -1.0, w, 1, v, 1);
    *out = -cblas_ddot((int)sp_problem_d(p), g, 1, v, 1);
    return SP_OK;
}

const sp_measure sp_measure_fw_gap = {
    .name = "fw_gap",
    .summary = "max over v in the domain of <grad F(w), w - v> on the training records",
    .unit = "Frank-Wolfe gap",
    .error = "rounding",
    .lower_is_better = true,
    .nonnegative = true,
    .fits = fits,
    .compute = compute,
};
