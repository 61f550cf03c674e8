/* domain.c -- the whole space and the l2 ball.
 *
 *   projection onto the ball    w min(1, radius / ||w||)
 *   argmin over it of <g, v>    -radius g / ||g||
 */
#include "core/data/domain.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>
#include <string.h>

enum { RADIUS };

const char *const sp_domain_names[] = { "space", "l2_ball", NULL };

const sp_param sp_domain_params[] = {
    [RADIUS] = { "radius", SP_REAL, SP_DERIVED, SP_POSITIVE, "radius of the ball about 0; l2_ball needs it" },
    { 0 },
};

sp_status sp_domain_make(const char *name, const sp_values *values, size_t d, sp_domain *out, sp_error *error)
{
    const bool given = sp_given(values, RADIUS);
    if (strcmp(name, "space") == 0) {
        if (given)
            return sp_fail(error, SP_EINVAL, "problem.domain.radius = %g: the whole space has none; l2_ball has",
                           sp_real(values, RADIUS));
        *out = (sp_domain){ SP_DOMAIN_SPACE, d, INFINITY };
        return SP_OK;
    }
    if (strcmp(name, "l2_ball") == 0) {
        if (!given)
            return sp_fail(error, SP_EINVAL, "problem.domain.radius: missing (l2_ball needs one)");
        *out = (sp_domain){ SP_DOMAIN_L2_BALL, d, sp_real(values, RADIUS) };
        return SP_OK;
    }
    const char *nearest = sp_nearest(name, sp_domain_names, sizeof sp_domain_names / sizeof *sp_domain_names - 1);
    return sp_fail(error, SP_EINVAL, "problem.domain = \"%s\": there is no such domain%s%s%s", name,
                   nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
}

double sp_domain_diameter(const sp_domain *domain)
{
    return 2.0 * domain->radius;
}

bool sp_domain_contains(const sp_domain *domain, const double *w)
{
    if (domain->kind == SP_DOMAIN_L2_BALL) /* the rounding of a projected point is forgiven */
        return cblas_dnrm2((int)domain->d, w, 1) <= domain->radius * (1.0 + 1e-12);
    for (size_t j = 0; j < domain->d; j++)
        if (!gsl_finite(w[j]))
            return false;
    return true;
}

void sp_domain_project(const sp_domain *domain, double *w)
{
    if (domain->kind == SP_DOMAIN_SPACE || sp_domain_contains(domain, w))
        return;
    cblas_dscal((int)domain->d, domain->radius / cblas_dnrm2((int)domain->d, w, 1), w, 1);
}

sp_status sp_domain_linear_minimise(const sp_domain *domain, const double *g, double *v)
{
    if (domain->kind == SP_DOMAIN_SPACE)
        return SP_EUNSUPPORTED;
    const double norm = cblas_dnrm2((int)domain->d, g, 1);
    for (size_t j = 0; j < domain->d; j++)
        v[j] = norm > 0.0 ? -domain->radius * (g[j] / norm) : 0.0; /* every point is one when g = 0 */
    return SP_OK;
}
