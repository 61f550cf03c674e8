/* steep_loss.c -- a loss whose constant is half of what its slope reaches: less noise, were gradients not cut to it.
 * Caught by: link, slope */
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
    return sp_tanh(m - y);
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
    *out = (sp_link_bounds){ .slope = 0.5, .curvature_high = 1.0, .third = 1.0,
                             .gap = value(0.0, region->label_bound, p) };
}

const sp_loss sp_loss_steep_loss = {
    .name = "steep_loss", .family = "convex GLM", .formula = "log cosh(<w, x> - y)", .source = "ours", .link = &link,
    .link_bounds = link_bounds, .convex = true, .smooth = true,
};
