/* geman_mcclure.c -- phi(m, y) = (c^2/2) u^2 / (1 + u^2), u = (m - y)/c: bounded, with a long tail. v = 1/(1 + u^2).
 *
 *   phi' = c u v^2, largest at u^2 = 1/3: 9 c/(16 sqrt 3);  phi'' = (4 v - 3) v^2, in [-1/4, 1], lowest at v = 1/2
 *   |phi'''| = (12/c) |u (1 - u^2)| v^4, largest at u^2 = 1 - 2/sqrt 5
 *
 * If labels are realisable (loss.h), with r = m - y, r phi'(r) / phi(r) = 2 v decreases in |u|. So the constant q of
 * quasar-convexity is its value at the largest |r|.
 */
#include "losses/loss.h"

enum { C };

static const sp_param params[] = {
    [C] = { "c", SP_REAL, 1.0, { 1e-6, 1e6 }, "residual at which half of the bound c^2/2 is reached" },
    { 0 }
};

static double value(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C], square = u * u;
    return 0.5 * p[C] * p[C] * (square > 1.0 ? 1.0 / (1.0 + 1.0 / square) : square / (1.0 + square));
}

static double slope(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C], v = 1.0 / (1.0 + u * u);
    return (m - y) * v * v;
}

static double curvature(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C], v = 1.0 / (1.0 + u * u);
    return (4.0 * v - 3.0) * v * v;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    const double square = 1.0 - 2.0 / sqrt(5.0);
    *out = (sp_link_bounds){
        .slope = 9.0 * p[C] / (16.0 * sqrt(3.0)),
        .curvature_high = 1.0,
        .curvature_low = 0.25,
        .third = 12.0 / p[C] * sqrt(square) * (1.0 - square) * sp_pow(1.0 + square, -4.0),
        .gap = value(0.0, region->label_bound, p),
    };
}

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    const double u = (sp_margin_bound(region) + region->label_bound) / p[C];
    if (region->realisable)
        out->quasar = fmin(1.0, 2.0 / (1.0 + u * u));
}

const sp_loss sp_loss_geman_mcclure = {
    .name = "geman_mcclure",
    .family = "non-convex GLM",
    .formula = "(c^2/2) r^2 / (c^2 + r^2), r = <w, x> - y",
    .source = "Geman & McClure 1985",
    .note = "quasar-convex with realisable labels on a bounded domain",
    .params = params,
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
    .classes = classes,
};
