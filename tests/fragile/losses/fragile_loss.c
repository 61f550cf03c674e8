/* fragile_loss.c -- log cosh(m - y); a crash far from the label in phase `loss`. */
#include "losses/loss.h"

#include <stdlib.h>
#include <string.h>

static void crash(const char *phase)
{
    const char *wanted = getenv("FRAGILE");
    if (wanted && strcmp(wanted, phase) == 0)
        abort();
}

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    const double r = fabs(m - y);
    if (r > 1.5)
        crash("loss");
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
    (void)p;
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = 1.0, .third = 1.0, .gap = 1.0 + region->label_bound };
}

const sp_loss sp_loss_fragile_loss = {
    .name = "fragile_loss", .family = "convex GLM", .formula = "log cosh(<w, x> - y)", .source = "ours", .link = &link,
    .link_bounds = link_bounds, .convex = true, .smooth = true,
};
