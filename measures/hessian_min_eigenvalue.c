/* hessian_min_eigenvalue.c -- lambda_min(hess F(w)) of the complete training objective, regulariser included. */
#include "measures/measure.h"

#include "losses/optimum/spectrum.h"

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)labels;
    return constants->smooth ? NULL : "F has kinks: it has no Hessian";
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)reference;
    return sp_spectrum_smallest(p, workspace, w, scratch, out);
}

const sp_measure sp_measure_hessian_min_eigenvalue = {
    .name = "hessian_min_eigenvalue",
    .summary = "smallest eigenvalue of hess F(w) on the training records",
    .unit = "lambda_min(hess F)",
    .error = "rounding to d = 2000 (LAPACK). Beyond: at most 200 Lanczos steps, an upper bound of lambda_min, residual "
             "1e-8 where they sufficed; after all 200 off by at most 0.5 % of lambda_max - lambda_min at d = 1e5, "
             "except with probability 1e-9",
    .fits = fits,
    .scratch = sp_spectrum_scratch,
    .compute = compute,
};
