/* measure_with_memory.c -- a measure that is smaller each time it is taken.
 * Caught by: conformance, same point, same number */
#include "measures/measure.h"

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)constants, (void)labels;
    return NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    static double taken;
    (void)p, (void)workspace, (void)reference, (void)scratch;
    *out = fabs(w[0]) + 1.0 / ++taken;
    return SP_OK;
}

const sp_measure sp_measure_measure_with_memory = {
    .name = "measure_with_memory", .summary = "a cheat", .unit = "1", .error = "rounding", .lower_is_better = true,
    .fits = fits, .compute = compute,
};
