/* grad_norm.c -- ||grad F(w)||_2 of the complete training objective, regulariser included; at a kink of F the norm of
 * the subgradient that the loss returns. */
#include "measures/measure.h"

#include <gsl/gsl_cblas.h>

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)constants, (void)labels;
    return NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)reference;
    sp_problem_gradient(p, workspace, w, scratch);
    *out = cblas_dnrm2((int)sp_problem_d(p), scratch, 1);
    return SP_OK;
}

const sp_measure sp_measure_grad_norm = {
    .name = "grad_norm",
    .summary = "||grad F(w)||_2 on the training records",
    .unit = "||grad F||",
    .error = "rounding",
    .lower_is_better = true,
    .nonnegative = true,
    .fits = fits,
    .compute = compute,
};
