/* prox_distance.c -- ||w - prox(w)||_2, prox(w) = argmin over the domain of F + rho_w ||. - w||^2, rho_w the weak
 * convexity of F: the distance from w to a nearly stationary point (Bassily et al. 2021, section 6; Davis &
 * Drusvyatskiy 2019). */
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
    *out = NAN;
    return sp_prox_distance(p, workspace, w, scratch, out);
}

const sp_measure sp_measure_prox_distance = {
    .name = "prox_distance",
    .summary = "||w - argmin_v F(v) + rho_w ||v - w||^2||_2, rho_w the weak convexity",
    .unit = "||w - prox(w)||",
    .error = "certified: 1e-9 where F is smooth, else 1e-6 or 1 % of the distance; not a number where a bounded "
             "number of passes does not come within 10 % or 1e-4",
    .lower_is_better = true,
    .nonnegative = true,
    .fits = fits,
    .scratch = sp_prox_distance_scratch,
    .compute = compute,
};
