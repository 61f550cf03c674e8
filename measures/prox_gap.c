/* prox_gap.c -- 2 rho_w ||w - prox(w)||_2, prox(w) = argmin over the domain of F + rho_w ||. - w||^2: the norm of the
 * gradient of F's Moreau envelope, which bounds the distance of 0 from the subdifferential at prox(w) (Davis &
 * Drusvyatskiy 2019). */
#include "measures/measure.h"

#include "losses/optimum/prox.h"

static size_t scratch_of(const sp_problem *p)
{
    return sp_problem_d(p) + sp_prox_scratch(p);
}

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)labels;
    if (!isfinite(constants->weak_convexity))
        return "F is not weakly convex here";
    return constants->weak_convexity > 0.0 ? NULL : "F is convex: excess_risk measures it";
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)reference;
    double *v = scratch, distance = NAN;
    const sp_status status = sp_prox_distance(p, workspace, w, v, v + sp_problem_d(p), &distance);
    *out = 2.0 * p->certified.weak_convexity * distance;
    return status;
}

const sp_measure sp_measure_prox_gap = {
    .name = "prox_gap",
    .summary = "||grad of the Moreau envelope of F|| = 2 rho_w ||w - prox(w)||_2, rho_w the weak convexity",
    .unit = "||grad F_{1/(2 rho_w)}||",
    .error = "certified: 1e-9 where F is smooth, else 1e-6 or 1 % of the distance, times 2 rho_w; not a number where a bounded "
             "number of passes does not come within 10 % or 1e-4",
    .lower_is_better = true,
    .fits = fits,
    .scratch = scratch_of,
    .compute = compute,
};
