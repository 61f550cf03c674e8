/* objective.c -- F(w) on the training records, regulariser included. */
#include "measures/measure.h"

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)constants, (void)labels;
    return NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)reference, (void)scratch;
    *out = sp_problem_value(p, workspace, w);
    return SP_OK;
}

const sp_measure sp_measure_objective = {
    .name = "objective",
    .summary = "F(w) on the training records",
    .unit = "F",
    .error = "rounding",
    .lower_is_better = true,
    .fits = fits,
    .compute = compute,
};
