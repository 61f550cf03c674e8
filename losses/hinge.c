/* hinge.c -- phi(m, y) = max(0, 1 - y m), y in {-1, +1}: convex, |phi'| <= 1, a kink at y m = 1.
 *
 * Moreau envelope: the supremum over 0 <= a <= 1 of a (1 - y m) - a^2/(2b), reached at a = b (1 - y m) clipped to [0,
 * 1]; its slope is -y a.
 */
#include "losses/loss.h"

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    const double missing = 1.0 - y * m;
    return missing < 0.0 ? 0.0 : missing;
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    const double missing = 1.0 - y * m;
    return missing > 0.0 ? -y : 0.0 * missing; /* what is not a number stays so */
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)m, (void)y, (void)p;
    return 0.0;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p, (void)region;
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = INFINITY, .third = INFINITY, .gap = 1.0 };
}

static void envelope(sp_numbers p, double b, double m, double y, double *value_out, double *slope_out)
{
    (void)p;
    const double missing = 1.0 - y * m, a = b * missing > 1.0 ? 1.0 : b * missing < 0.0 ? 0.0 : b * missing;
    *value_out = a * missing - 0.5 * a * a / b;
    *slope_out = -y * a;
}

const sp_loss sp_loss_hinge = {
    .name = "hinge",
    .family = "GLL",
    .formula = "max(0, 1 - y <w, x>)",
    .source = "Cortes & Vapnik 1995; Bassily, Guzman & Menart 2021, section 3",
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_SLOPE | SP_TIGHT_GAP,
    .convex = true,
    .labels_binary = true,
    .affine_margin = 1.0,
    .envelope = envelope,
};
