/* absolute.c -- phi(m, y) = |m - y|: convex, |phi'| <= 1, a kink at m = y.
 *
 * Its Moreau envelope is Huber's function: with r = m - y, the supremum over |s| <= 1 of s r - s^2/(2b), reached at s =
 * b r clipped to [-1, 1].
 */
#include "losses/loss.h"

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    return fabs(m - y);
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    const double r = m - y;
    return r != 0.0 ? r / fabs(r) : 0.0; /* what is not a number stays so */
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)m, (void)y, (void)p;
    return 0.0;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p;
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = INFINITY, .third = INFINITY,
                             .gap = region->label_bound };
}

static void envelope(sp_numbers p, double b, double m, double y, double *value_out, double *slope_out)
{
    (void)p;
    const double r = m - y, s = b * r > 1.0 ? 1.0 : b * r < -1.0 ? -1.0 : b * r;
    *value_out = s * r - 0.5 * s * s / b;
    *slope_out = s;
}

const sp_loss sp_loss_absolute = {
    .name = "absolute",
    .family = "GLL",
    .formula = "|<w, x> - y|",
    .source = "least absolute deviations; Bassily, Guzman & Menart 2021, section 3",
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_SLOPE | SP_TIGHT_GAP,
    .convex = true,
    .envelope = envelope,
};
