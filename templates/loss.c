/* NAME.c -- FILL: phi(m, y), the margin m = <w, x>. As it stands: phi(m, y) = log cosh r, r = m - y, convex.
 *
 *   |phi'| = |tanh r| <= 1,  0 <= phi'' = 1 - tanh^2 r <= 1,  |phi'''| = |2 tanh r (1 - tanh^2 r)| <= 4 / (3 sqrt 3),
 *   largest at tanh^2 r = 1/3.
 */
#include "losses/loss.h"

/* FILL: phi and its first two derivatives in m; p holds the values of `params`, if the loss has any. */
static double value(double m, double y, sp_numbers p)
{
    (void)p;
    const double r = fabs(m - y);
    return r + sp_log1p(sp_exp(-2.0 * r)) - M_LN2; /* exp never overflows */
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    return sp_tanh(m - y);
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)p;
    const double e = sp_exp(-2.0 * fabs(m - y));
    return 4.0 * e / ((1.0 + e) * (1.0 + e));
}

SP_LINK(value, slope, curvature)

/* FILL: bounds over all margins and all labels up to region->label_bound, exact or rounded up. Privacy rests on
 * them. */
static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = 1.0, .curvature_low = 0.0,
                             .third = 4.0 / (3.0 * sqrt(3.0)), .gap = value(0.0, region->label_bound, p) };
}

const sp_loss sp_loss_NAME = {
    .name = "NAME",
    .family = "convex GLM",             /* FILL: the heading in the manual */
    .formula = "log cosh(<w, x> - y)",  /* FILL */
    .source = "ours",                   /* FILL: Author & Author 2024, section 5 */
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,              /* which of the bounds are met, to 3 % */
    .convex = true,
    .peaked = true,
    .smooth = true,
};
