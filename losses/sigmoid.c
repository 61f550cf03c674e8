/* sigmoid.c -- phi(m, y) = 1 / (1 + exp(y m)), y in {-1, +1}: the smooth 0-1 loss.
 *
 *   |phi'| <= 1/4,  |phi''| <= 1/(6 sqrt 3),  |phi'''| <= 1/8,  phi(0) - inf phi = 1/2.
 */
#include "losses/loss.h"

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    return 1.0 / (1.0 + sp_exp(y * m));
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    const double e = sp_exp(-fabs(y * m));
    return -y * e / ((1.0 + e) * (1.0 + e));
}

static double curvature(double m, double y, sp_numbers p)
{
    return -y * slope(m, y, p) * sp_tanh(0.5 * y * m);
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p, (void)region;
    const double curvature_max = 1.0 / (6.0 * sqrt(3.0));
    *out = (sp_link_bounds){ .slope = 0.25, .curvature_high = curvature_max, .curvature_low = curvature_max,
                             .third = 0.125, .gap = 0.5 };
}

const sp_loss sp_loss_sigmoid = {
    .name = "sigmoid",
    .family = "non-convex GLM",
    .formula = "1 / (1 + exp(y <w, x>))",
    .source = "Wang & Xu 2020, section 5",
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
    .labels_binary = true,
};
