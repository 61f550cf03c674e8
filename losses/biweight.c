/* biweight.c -- phi(m, y) = (c^2/6) (1 - (1 - u^2)^3), u = (m - y)/c, for |u| <= 1 and c^2/6 beyond: Tukey's biweight.
 *
 *   phi' = c u (1 - u^2)^2, largest at u^2 = 1/5;  phi'' = (1 - u^2) (1 - 5 u^2), in [-4/5, 1], lowest at u^2 = 3/5
 *   phi''' = 4 u (5 u^2 - 3)/c, largest as |u| -> 1, and 0 for |u| > 1: phi'' is Lipschitz
 *
 * If labels are realisable (loss.h), with r = m - y, r phi'(r) / phi(r) = 6 (1 - v)^2 / (3 - 3 v + v^2), v = u^2,
 * decreases in v to 0 at v = 1. So the constant q of quasar-convexity is its value at the largest |r|.
 */
#include "losses/loss.h"

enum { C };

static const sp_param params[] = {
    [C] = { "c", SP_REAL, 1.0, { 1e-6, 1e6 }, "residual beyond which a record no longer counts" },
    { 0 }
};

static double value(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C], v = u * u > 1.0 ? 1.0 : u * u;
    return p[C] * p[C] / 6.0 * v * (3.0 - 3.0 * v + v * v);
}

static double slope(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C], rest = u * u > 1.0 ? 0.0 : 1.0 - u * u;
    return (m - y) * rest * rest;
}

static double curvature(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C], rest = u * u > 1.0 ? 0.0 : 1.0 - u * u;
    return rest * (5.0 * rest - 4.0);
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    *out = (sp_link_bounds){
        .slope = 16.0 * p[C] / (25.0 * sqrt(5.0)),
        .curvature_high = 1.0,
        .curvature_low = 0.8,
        .third = 8.0 / p[C],
        .gap = value(0.0, region->label_bound, p),
    };
}

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    const double u = (sp_margin_bound(region) + region->label_bound) / p[C], v = fmin(1.0, u * u);
    if (region->realisable)
        out->quasar = fmin(1.0, 6.0 * (1.0 - v) * (1.0 - v) / (3.0 - 3.0 * v + v * v));
}

const sp_loss sp_loss_biweight = {
    .name = "biweight",
    .family = "non-convex GLM",
    .formula = "(c^2/6) (1 - (1 - r^2/c^2)^3), r = <w, x> - y; c^2/6 where |r| > c",
    .source = "Beaton & Tukey 1974",
    .note = "quasar-convex with realisable labels while every residual is below c",
    .params = params,
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
    .classes = classes,
};
