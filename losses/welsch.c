/* welsch.c -- phi(m, y) = (c^2/2) (1 - exp(-r^2/c^2)), r = m - y, m = <w, x>: robust regression, bounded in the
 * residual.
 *
 *   |phi'| <= c / sqrt(2e),  -2 exp(-3/2) <= phi'' <= 1,
 *   |phi'''| = |4 u^3 - 6 u| exp(-u^2) / c, u = r/c, largest at u^2 = (3 - sqrt 6)/2.
 *
 * If the labels are realisable (y = <w*, x>, w* in the domain), F is quasar-convex, <grad F(w), w - w*> >= q (F(w) -
 * F*): r phi'(r) / phi(r) = 2 u^2 / (exp(u^2) - 1) decreases in |u|, so q is its value at the largest possible |u|.
 */
#include "losses/loss.h"

enum { C };

static const sp_param params[] = {
    [C] = { "c", SP_REAL, 1.0, { 1e-6, 1e6 }, "residual beyond which a record fades out" },
    { 0 }
};

static double value(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C];
    return -0.5 * p[C] * p[C] * sp_expm1(-u * u);
}

static double slope(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C];
    return (m - y) * sp_exp(-u * u);
}

static double curvature(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C];
    return (1.0 - 2.0 * u * u) * sp_exp(-u * u);
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    const double square = 0.5 * (3.0 - sqrt(6.0));
    *out = (sp_link_bounds){
        .slope = p[C] / sqrt(2.0 * M_E),
        .curvature_high = 1.0,
        .curvature_low = 2.0 * sp_exp(-1.5),
        .third = sqrt(square) * (6.0 - 4.0 * square) * sp_exp(-square) / p[C],
        .gap = value(0.0, region->label_bound, p),
    };
}

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    const double u = (sp_margin_bound(region) + region->label_bound) / p[C], growth = sp_expm1(u * u);
    if (region->realisable && isfinite(growth))
        out->quasar = fmin(1.0, 2.0 * u * u / growth);
}

const sp_loss sp_loss_welsch = {
    .name = "welsch",
    .family = "non-convex GLM",
    .formula = "(c^2/2) (1 - exp(-(<w, x> - y)^2 / c^2))",
    .source = "Dennis & Welsch 1978",
    .params = params,
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
    .classes = classes,
};
