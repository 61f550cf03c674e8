/* path_radius.c -- the largest sqrt(d) ||w_t - w*||_inf over the iterates w_0, ..., w_T of a run (the start, and the
 * point after every step that the method reports), w* the minimiser that the reference found; NAN if only F* is
 * known. Constants that hold only in a cube about w* hold along a path that stays in it: for circular
 * (losses/circular.c), sqrt(d) |w_j - w*_j| is |u_j - phi_j|, not reduced by a period. At a single checkpoint (traces)
 * it is that of the iterate. */
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
    const size_t d = sp_problem_d(p);
    double most = reference->minimiser ? 0.0 : NAN;
    for (size_t j = 0; reference->minimiser && j < d; j++)
        most = fmax(most, fabs(w[j] - reference->minimiser[j]));
    *out = sqrt((double)d) * most;
    return SP_OK;
}

const sp_measure sp_measure_path_radius = {
    .name = "path_radius",
    .summary = "largest sqrt(d) ||w - w*||_inf over the iterates, w* the minimiser of F that the reference found",
    .unit = "sqrt(d) ||w - w*||_inf",
    .error = "sqrt(d) ||w* - argmin F||; not unique where F has several minimisers",
    .reference = true,
    .measured = SP_MOST_OF_PATH,
    .lower_is_better = true,
    .nonnegative = true,
    .fits = fits,
    .compute = compute,
};
