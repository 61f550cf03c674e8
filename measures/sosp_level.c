/* sosp_level.c -- the smallest alpha for which w is an alpha-second-order stationary point of F:
 *
 *   ||grad F(w)|| <= alpha and lambda_min(hess F(w)) >= -sqrt(rho_H alpha)
 *   <=>  alpha >= max(||grad F(w)||, max(0, -lambda_min)^2 / rho_H)
 *
 * rho_H is the declared Lipschitz constant of the Hessian, which methods see too. */
#include "measures/measure.h"

#include "losses/optimum/spectrum.h"

#include <gsl/gsl_cblas.h>

static size_t scratch_of(const sp_problem *p)
{
    return sp_problem_d(p) + (p->certified.convex ? 0 : sp_spectrum_scratch(p));
}

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)labels;
    if (!constants->smooth)
        return "F has kinks: it has no Hessian";
    if (!isfinite(constants->rho_hessian))
        return "the Hessian's Lipschitz constant rho_H is not finite here";
    if (constants->rho_hessian == 0.0 && !constants->convex)
        return "rho_H = 0 and F is not convex: no level is finite where lambda_min < 0";
    return NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)reference;
    double *g = scratch, *H = g + sp_problem_d(p), lambda = 0.0;
    sp_problem_gradient(p, workspace, w, g);
    const double norm = cblas_dnrm2((int)sp_problem_d(p), g, 1);
    const sp_status status = p->certified.convex ? SP_OK : sp_spectrum_smallest(p, workspace, w, H, &lambda);
    if (status == SP_OK)
        *out = lambda < 0.0 ? fmax(norm, lambda * lambda / p->declared.rho_hessian) : norm;
    return status;
}

const sp_measure sp_measure_sosp_level = {
    .name = "sosp_level",
    .summary = "smallest alpha with ||grad F(w)|| <= alpha and lambda_min(hess F(w)) >= -sqrt(rho_H alpha)",
    .unit = "SOSP level alpha",
    .error = "rounding to d = 2000; beyond, a lower bound: the eigenvalue is hessian_min_eigenvalue's",
    .lower_is_better = true,
    .nonnegative = true,
    .fits = fits,
    .scratch = scratch_of,
    .compute = compute,
};
