/* negative_curvature_share.c -- the share of the iterates w_0, ..., w_T of a run (the start, and the point after every
 * step that the method reports) at which lambda_min(hess F(w_t)) < -1e-8: how much of the path is in a region that is
 * not convex. F is the complete training objective. The error of Lanczos's method may be 1e-8 for curvatures of size 1,
 * that of LAPACK is smaller. At a single checkpoint (traces) it is 0 or 1.
 *
 * Cost: a Hessian per step, not counted in the method's time. For losses that are affine in the record (tilt losses,
 * circular, ripple_ramp) O(d^2), for others a pass over the records with d^2 operations each; then O(d^2) if the
 * diagonal or Gershgorin's discs decide (spectrum.h), otherwise O(d^3). */
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
    bool below = false;
    const sp_status status = sp_spectrum_below(p, workspace, w, -1e-8, scratch, &below);
    *out = below;
    return status;
}

const sp_measure sp_measure_negative_curvature_share = {
    .name = "negative_curvature_share",
    .summary = "share of the iterates w_0, ..., w_T with a negative eigenvalue of hess F (below -1e-8)",
    .unit = "share of iterates with negative curvature",
    .error = "rounding; beyond d = 2000 an iterate may be missed whose eigenvalue is within the error of "
             "hessian_min_eigenvalue",
    .measured = SP_MEAN_OF_PATH,
    .lower_is_better = true,
    .nonnegative = true,
    .fits = fits,
    .scratch = sp_spectrum_scratch,
    .compute = compute,
};
