/* distance_to_minimiser.c -- ||w - w*||_2, w* the minimiser that the reference (losses/optimum/reference.h) found; NAN
 * if only F* is known. F may have other minimisers. */
#include "measures/measure.h"

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)constants, (void)labels;
    return NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)workspace, (void)scratch;
    double square = 0.0;
    for (size_t j = 0; reference->minimiser && j < sp_problem_d(p); j++)
        square += (w[j] - reference->minimiser[j]) * (w[j] - reference->minimiser[j]);
    *out = reference->minimiser ? sqrt(square) : NAN;
    return SP_OK;
}

const sp_measure sp_measure_distance_to_minimiser = {
    .name = "distance_to_minimiser",
    .summary = "||w - w*||_2, w* the minimiser of F that the reference found",
    .unit = "||w - w*||",
    .error = "||w* - argmin F||, at most sqrt(2 error of F* / mu) where F is mu-strongly convex; not unique where F "
             "has several minimisers",
    .reference = true,
    .lower_is_better = true,
    .nonnegative = true,
    .fits = fits,
    .compute = compute,
};
