/* population_excess_risk.c -- P(w) - P*, P the objective over the population and P* its own smallest value (the
 * reference of sp_problem_on(p, p->population)). Not clipped at 0. */
#include "measures/measure.h"

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)constants, (void)labels;
    return NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)scratch;
    const sp_problem population = sp_problem_on(p, p->population);
    *out = sp_problem_value(&population, workspace, w) - reference->value;
    return SP_OK;
}

const sp_measure sp_measure_population_excess_risk = {
    .name = "population_excess_risk",
    .summary = "P(w) - P* on the population",
    .unit = "P - P*",
    .error = "that of P*, stored with it; where the population is m fresh records also their sampling error, of order "
             "L_data ||w - w*|| / sqrt(m)",
    .reference = true,
    .population = true,
    .lower_is_better = true,
    .fits = fits,
    .compute = compute,
};
