/* negative_curvature_share.c -- of the iterates w_0, ..., w_T of a run (the start, and the point after every step that
 * the method reports) the share at which lambda_min(hess F(w_t)) < -1e-8, hess F that of the whole training objective:
 * how much of the path is not convex. By 1e-8 Lanczos may be off at curvatures of size 1, LAPACK by less. At a single
 * checkpoint (traces) it is 0 or 1.
 *
 * Cost: a Hessian every step, off the algorithm's clock. Of losses that are affine in the record (tilt losses, circular,
 * ripple_ramp) that is O(d^2), of others a pass over the records with d^2 operations each; then O(d^2) where the
 * diagonal or Gershgorin's discs tell (spectrum.h), else O(d^3). */
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
