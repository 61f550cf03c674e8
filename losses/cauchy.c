/* cauchy.c -- phi(m, y) = (c^2/2) log(1 + u^2), u = (m - y)/c: grows like a logarithm. v = 1/(1 + u^2).
 *
 *   phi' = c u v, |phi'| <= c/2 (u = 1);  phi'' = (2 v - 1) v, in [-1/8, 1], lowest at v = 1/4
 *   |phi'''| = (2/c) |u (3 - u^2)| v^3, largest at u = sqrt 2 - 1
 *
 * If labels are realisable (loss.h), with r = m - y, r phi'(r) / phi(r) = 2 u^2 / ((1 + u^2) log(1 + u^2)) decreases in
 * |u|. So the constant q of quasar-convexity is its value at the largest |r|.
 */
#include "losses/loss.h"

enum { C };

static const sp_param params[] = {
    [C] = { "c", SP_REAL, 1.0, { 1e-6, 1e6 }, "residual of the steepest slope" },
    { 0 }
};

static double value(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C];
    return 0.5 * p[C] * p[C] * sp_log1p(u * u);
}

static double slope(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C];
    return (m - y) / (1.0 + u * u);
}

static double curvature(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C], v = 1.0 / (1.0 + u * u);
    return (2.0 * v - 1.0) * v;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    const double u = sqrt(2.0) - 1.0;
    *out = (sp_link_bounds){
        .slope = 0.5 * p[C],
        .curvature_high = 1.0,
        .curvature_low = 0.125,
        .third = 2.0 / p[C] * u * (3.0 - u * u) * sp_pow(1.0 + u * u, -3.0),
        .gap = value(0.0, region->label_bound, p),
    };
}

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    const double u = (sp_margin_bound(region) + region->label_bound) / p[C], square = u * u;
    if (region->realisable)
        out->quasar = square > 0.0 ? fmin(1.0, 2.0 / (1.0 + 1.0 / square) / sp_log1p(square)) : 1.0;
}

const sp_loss sp_loss_cauchy = {
    .name = "cauchy",
    .family = "non-convex GLM",
    .formula = "(c^2/2) log(1 + (<w, x> - y)^2 / c^2)",
    .source = "the likelihood of a Cauchy residual; Barron 2019, alpha = 0",
    .note = "quasar-convex with realisable labels on a bounded domain",
    .params = params,
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
    .classes = classes,
};
