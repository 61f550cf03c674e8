/* hessian_min_eigenvalue.c -- lambda_min(hess F(w)) of the whole training objective, by LAPACK. */
#include "measures/measure.h"

#include "core/base/eigen.h"

enum { DIMENSION_MAX = 2000 }; /* half a second an iterate */

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)labels;
    return constants->d > DIMENSION_MAX ? "a dense eigenproblem needs d <= 2000" : NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)reference;
    sp_problem_hessian(p, workspace, w, scratch);
    return sp_eigen_smallest(p->train->d, scratch, out, NULL);
}

const sp_measure sp_measure_hessian_min_eigenvalue = {
    .name = "hessian_min_eigenvalue",
    .summary = "smallest eigenvalue of hess F(w) on the training records",
    .unit = "lambda_min(hess F)",
    .fits = fits,
    .compute = compute,
};
