/* robust_phase_retrieval.c -- phi(m, y) = |m^2 - y|: weakly convex, not smooth, robust to wrong measurements.
 *
 *   phi' = +-2 m, |phi'| <= 2 M for |m| <= M;  phi'' = 2 where m^2 > y, -2 where m^2 < y
 *
 * phi + m^2 = max(2 m^2 - y, y) is convex, so the kinks at m^2 = y > 0 are convex and the weak convexity is 2.
 */
#include "losses/loss.h"

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    return fabs(m * m - y);
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)p;
    const double r = m * m - y;
    return r != 0.0 ? 2.0 * r / fabs(r) : 0.0; /* what is not a number stays so */
}

static double slope(double m, double y, sp_numbers p)
{
    return m * curvature(m, y, p);
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p;
    *out = (sp_link_bounds){ .slope = 2.0 * sp_margin_bound(region), .curvature_high = INFINITY, .curvature_low = 2.0,
                             .third = INFINITY, .gap = region->label_bound };
}

const sp_loss sp_loss_robust_phase_retrieval = {
    .name = "robust_phase_retrieval",
    .family = "weakly convex",
    .formula = "|<w, x>^2 - y|",
    .source = "Duchi & Ruan 2019; Bassily, Guzman & Menart 2021, section 6",
    .note = "L is finite on a bounded domain alone",
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_SLOPE | SP_TIGHT_LOW | SP_TIGHT_GAP,
};
