/* wrong_slope.c -- a loss whose derivative is off by a thousandth.
 * Caught by: link, gradient */
#include "losses/loss.h"

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    const double r = fabs(m - y);
    return r + sp_log1p(sp_exp(-2.0 * r)) - M_LN2;
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    return 1.001 * sp_tanh(m - y);
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)p;
    const double t = sp_tanh(m - y);
    return 1.0 - t * t;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    *out = (sp_link_bounds){ .slope = 1.001, .curvature_high = 1.0, .third = 1.0,
                             .gap = value(0.0, region->label_bound, p) };
}

const sp_loss sp_loss_wrong_slope = {
    .name = "wrong_slope", .family = "convex GLM", .formula = "log cosh(<w, x> - y)", .source = "ours", .link = &link,
    .link_bounds = link_bounds, .convex = true, .smooth = true,
};
