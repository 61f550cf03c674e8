/* handover_gap.c -- F(w) - F* on the training records at the point where a warm start's first method hands over to the
 * second: the quantity that psi, the public bound given to the second method, bounds. In traces it is that of the
 * iterate. */
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

const sp_measure sp_measure_handover_gap = {
    .name = "handover_gap",
    .summary = "F(w) - F* on the training records, w what a warm start's first method hands over",
    .unit = "F - F*",
    .error = "that of F*, stored with it; else rounding",
    .reference = true,
    .measured = SP_AT_HAND_OVER,
    .lower_is_better = true,
    .fits = fits,
    .compute = compute,
};
