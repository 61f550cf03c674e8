/* epsilon_insensitive.c -- phi(m, y) = max(0, |m - y| - e): support vector regression. Convex, |phi'| <= 1, kinks at
 * |m - y| = e. The parameter e, the width of the tube, is not called epsilon: that is the privacy parameter.
 *
 * Moreau envelope: with r = m - y, the supremum over |s| <= 1 of s r - e |s| - s^2/(2b), reached at |s| = b (|r| - e)
 * clipped to [0, 1].
 */
#include "losses/loss.h"

enum { WIDTH };

static const sp_param params[] = {
    [WIDTH] = { "width", SP_REAL, 0.1, { 0.0, 1e6 }, "e: residuals up to it cost nothing" },
    { 0 }
};

static double value(double m, double y, sp_numbers p)
{
    const double beyond = fabs(m - y) - p[WIDTH];
    return beyond < 0.0 ? 0.0 : beyond;
}

static double slope(double m, double y, sp_numbers p)
{
    const double beyond = fabs(m - y) - p[WIDTH];
    return beyond > 0.0 ? copysign(1.0, m - y) : 0.0 * beyond; /* what is not a number stays so */
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)m, (void)y, (void)p;
    return 0.0;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = INFINITY, .third = INFINITY,
                             .gap = fmax(0.0, region->label_bound - p[WIDTH]) };
}

static void envelope(sp_numbers p, double b, double m, double y, double *value_out, double *slope_out)
{
    const double beyond = fabs(m - y) - p[WIDTH], s = b * beyond > 1.0 ? 1.0 : b * beyond < 0.0 ? 0.0 : b * beyond;
    *value_out = s * beyond - 0.5 * s * s / b;
    *slope_out = copysign(s, m - y);
}

const sp_loss sp_loss_epsilon_insensitive = {
    .name = "epsilon_insensitive",
    .family = "GLL",
    .formula = "max(0, |<w, x> - y| - width)",
    .source = "Vapnik 1995; Bassily, Guzman & Menart 2021, section 3",
    .params = params,
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_SLOPE | SP_TIGHT_GAP,
    .convex = true,
    .envelope = envelope,
};
