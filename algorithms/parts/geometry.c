/* geometry.c -- chooses the pair of norms (geometry.h). */
#include "algorithms/parts/geometry.h"

/* ||.||_inf <= ||.||_2 <= ||.||_1: a declared l2 constant bounds that of l_inf, too. */
sp_geometry sp_geometry_of(const sp_oracle *o, size_t choice)
{
    const sp_constants *c = sp_public(o);
    const sp_domain *domain = sp_domain_of(o);
    const double D = sp_domain_diameter(domain), D_l1 = sp_domain_diameter_l1(domain);
    const double L_linf = fmin(c->L_linf, c->L), beta_linf = fmin(c->beta_linf, c->beta);
    const sp_geometry l2 = { .norm = SP_NORM_L2, .L_data = c->L_data, .beta_data = c->beta_data, .D = D,
                             .norm_max = domain->norm, .rise = fmin(c->L * D, L_linf * D_l1),
                             .curvature = fmin(c->beta * D * D, beta_linf * D_l1 * D_l1) };
    sp_geometry linf = l2;
    linf.norm = SP_NORM_LINF;
    linf.L_data = fmin(c->L_data_linf, c->L_data);
    linf.beta_data = fmin(c->beta_data_linf, c->beta_data);
    linf.D = D_l1;
    linf.norm_max = sp_domain_norm_l1(domain);
    if (choice == SP_GEOMETRY_L2 || (choice == SP_GEOMETRY_AUTO && l2.L_data * l2.D < linf.L_data * linf.D))
        return l2;
    return linf;
}
