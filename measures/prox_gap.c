/* prox_gap.c -- 2 rho_w times prox_distance, i.e. times ||w - prox(w)||_2 with prox(w) = argmin over the domain of
 * F + rho_w ||. - w||^2 and rho_w the weak convexity of F. It is the norm of the gradient of F's Moreau envelope, and
 * bounds the distance of 0 from the subdifferential at prox(w) (Davis & Drusvyatskiy 2019). */
#include "measures/measure.h"

#include "losses/optimum/prox.h"

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)labels;
    return sp_prox_distance_fits(constants);
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)reference;
    double distance = NAN;
    const sp_status status = sp_prox_distance(p, workspace, w, scratch, &distance);
    *out = 2.0 * p->certified.weak_convexity * distance;
    return status;
}

const sp_measure sp_measure_prox_gap = {
    .name = "prox_gap",
    .summary = "||grad of the Moreau envelope of F|| = 2 rho_w ||w - prox(w)||_2, rho_w the weak convexity",
    .unit = "||grad F_{1/(2 rho_w)}||",
    .error = "certified: 1e-9 where F is smooth, else 1e-6 or 1 % of the distance, times 2 rho_w; not a number where a "
             "bounded number of passes does not come within 10 % or 1e-4",
    .lower_is_better = true,
    .nonnegative = true,
    .fits = fits,
    .scratch = sp_prox_distance_scratch,
    .compute = compute,
};
