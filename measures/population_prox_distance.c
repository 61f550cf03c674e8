/* population_prox_distance.c -- ||w - prox(w)||_2, prox(w) = argmin over the domain of P + rho_w ||. - w||^2, P the
 * objective over the population, rho_w its weak convexity: the quantity that prox_md bounds (Bassily et al. 2021,
 * Definition 15). */
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
    const sp_problem population = sp_problem_on(p, p->population);
    *out = NAN;
    return sp_prox_distance(&population, workspace, w, scratch, out);
}

const sp_measure sp_measure_population_prox_distance = {
    .name = "population_prox_distance",
    .summary = "||w - argmin_v P(v) + rho_w ||v - w||^2||_2 on the population, rho_w the weak convexity",
    .unit = "||w - prox_P(w)||",
    .error = "that of prox_distance; where the population is m fresh records also their sampling error, of order "
             "L_data / (rho_w sqrt(m))",
    .population = true,
    .lower_is_better = true,
    .nonnegative = true,
    .fits = fits,
    .scratch = sp_prox_distance_scratch,
    .compute = compute,
};
