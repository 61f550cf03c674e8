/* compact.c -- finds the compact set W of compact.h and projects onto it; gives the epsilon and the failure probability
 * of a choice on W, and the covering radius of random points. */
#include "algorithms/parts/compact.h"

const char *sp_compact_fits(const sp_constants *c)
{
    if (!(c->L_data > 0.0 && isfinite(c->L)))
        return "the records' gradients are not bounded (L_data, L)";
    if (!(isfinite(c->diameter) ? c->diameter > 0.0 : c->distance > 0.0 && isfinite(c->distance)))
        return "no bounded set is known to hold a minimiser: give a domain, or declare distance";
    return NULL;
}

double sp_compact(const sp_oracle *o, double *centre)
{
    if (sp_domain_of(o)->kind != SP_DOMAIN_SPACE)
        return sp_domain_centre(sp_domain_of(o), centre);
    if (centre)
        memcpy(centre, sp_start(o), sp_dimension(o) * sizeof *centre);
    return sp_public(o)->distance;
}

void sp_compact_project(const sp_oracle *o, double *w)
{
    const size_t d = sp_dimension(o);
    const double *start = sp_start(o), radius = sp_public(o)->distance;
    double norm = 0.0;
    sp_domain_project(sp_domain_of(o), w);
    if (sp_domain_of(o)->kind != SP_DOMAIN_SPACE)
        return;
    for (size_t j = 0; j < d; j++)
        norm = sp_hypot(norm, w[j] - start[j]);
    for (size_t j = 0; norm > radius && j < d; j++)
        w[j] = start[j] + (w[j] - start[j]) * (radius / norm);
}

double sp_choice_epsilon(const sp_oracle *o, double squares)
{
    const sp_budget *b = sp_budget_of(o);
    return fmax(b->pure, sqrt(8.0 * b->rho_z / squares));
}

double sp_choice_zeta(const sp_constants *c, double epsilon)
{
    return fmin(fmax(sqrt((double)c->d) / ((double)c->n * epsilon), 1e-12), 0.5);
}

double sp_covering_radius(double R, double d, double N, double zeta)
{
    return 2.0 * R * fmin(1.0, sp_pow(sp_log(1.0 / zeta) / N, 1.0 / d));
}
