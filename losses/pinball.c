/* pinball.c -- phi(m, y) = tau (y - m) for m <= y, (1 - tau) (m - y) for m >= y: quantile regression. Convex.
 *
 *   phi' in [-tau, 1 - tau], a kink at m = y
 *
 * Moreau envelope: with r = m - y, the supremum over -tau <= s <= 1 - tau of s r - s^2/(2b), reached at s = b r clipped
 * to that interval.
 */
#include "losses/loss.h"

enum { TAU };

static const sp_param params[] = {
    [TAU] = { "tau", SP_REAL, 0.5, { 0.0, 1.0 }, "the quantile that is sought" },
    { 0 }
};

static double value(double m, double y, sp_numbers p)
{
    return m < y ? p[TAU] * (y - m) : (1.0 - p[TAU]) * (m - y);
}

static double slope(double m, double y, sp_numbers p)
{
    const double above = 1.0 - p[TAU], rest = m > y ? above : m - y; /* what is not a number stays so */
    return m < y ? -p[TAU] : rest;
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)m, (void)y, (void)p;
    return 0.0;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    const double steepest = fmax(p[TAU], 1.0 - p[TAU]);
    *out = (sp_link_bounds){ .slope = steepest, .curvature_high = INFINITY, .third = INFINITY,
                             .gap = steepest * region->label_bound };
}

static void envelope(sp_numbers p, double b, double m, double y, double *value_out, double *slope_out)
{
    const double r = m - y, s = b * r > 1.0 - p[TAU] ? 1.0 - p[TAU] : b * r < -p[TAU] ? -p[TAU] : b * r;
    *value_out = s * r - 0.5 * s * s / b;
    *slope_out = s;
}

const sp_loss sp_loss_pinball = {
    .name = "pinball",
    .family = "GLL",
    .formula = "max(tau (y - <w, x>), (1 - tau) (<w, x> - y))",
    .source = "Koenker & Bassett 1978; Bassily, Guzman & Menart 2021, section 3",
    .params = params,
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_SLOPE | SP_TIGHT_GAP,
    .convex = true,
    .envelope = envelope,
};
