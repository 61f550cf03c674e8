/* excess_risk.c -- F(w) - F* on the training records. How F* is known, and its error, is in losses/optimum/reference.h.
 * Not clipped at 0: a negative value shows that the reference was not the minimum. */
#include "measures/measure.h"

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)constants, (void)labels;
    return NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)scratch;
    *out = sp_problem_value(p, workspace, w) - reference->value;
    return SP_OK;
}

const sp_measure sp_measure_excess_risk = {
    .name = "excess_risk",
    .summary = "F(w) - F* on the training records",
    .unit = "F - F*",
    .error = "that of F*, stored with it; else rounding",
    .reference = true,
    .lower_is_better = true,
    .fits = fits,
    .compute = compute,
};
