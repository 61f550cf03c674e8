/* population_grad_norm.c -- ||grad P(w)||_2, P the objective over the population, which is represented by fresh
 * records, or by E x itself if the loss is linear in x. */
#include "measures/measure.h"

#include <gsl/gsl_cblas.h>

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)constants, (void)labels;
    return NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)reference;
    const sp_problem population = sp_problem_on(p, p->population);
    sp_problem_gradient(&population, workspace, w, scratch);
    *out = cblas_dnrm2((int)sp_problem_d(p), scratch, 1);
    return SP_OK;
}

const sp_measure sp_measure_population_grad_norm = {
    .name = "population_grad_norm",
    .summary = "||grad P(w)||_2 on the population",
    .unit = "||grad P||",
    .error = "rounding where the population is exact (tilt losses with E x known); else sampling: m fresh records are "
             "within L_data / sqrt(m) in root mean square",
    .population = true,
    .lower_is_better = true,
    .nonnegative = true,
    .fits = fits,
    .compute = compute,
};
