/* barron.c -- phi(m, y) = c^2 ((1 + u^2)^(q/2) - 1), u = (m - y)/c, 0 < q <= 1: quasar-convex with a tunable q.
 *
 *   |phi'| = c q u (1 + u^2)^(q/2-1), largest at u^2 = 1/(1-q) (for q = 1 it tends to c as u grows)
 *   phi''  = q (1 + (q-1) u^2) (1 + u^2)^(q/2-2): q at u = 0, lowest at u^2 = 3/(1-q)
 *   |phi'''| = (q (2-q)/c) |u (3 - (1-q) u^2)| (1 + u^2)^(q/2-3), largest at the smaller root t = u^2 of
 *              (1-q)(3-q) t^2 - 6 (3-q) t + 3 = 0
 *
 * If labels are realisable (loss.h), with r = m - y, r phi'(r) / phi(r) = q u^2 (1+u^2)^(q/2-1) / ((1+u^2)^(q/2) - 1)
 * decreases in |u|, and tends to q. So the constant of quasar-convexity is its value at the largest |r|; on an
 * unbounded domain it is q itself.
 */
#include "losses/loss.h"

enum { Q, C };

static const sp_param params[] = {
    [Q] = { "q", SP_REAL, 0.5, { 1e-3, 1.0 }, "growth |r|^q far away; the quasar-convexity parameter" },
    [C] = { "c", SP_REAL, 1.0, { 1e-6, 1e6 }, "residual at which quadratic growth ends" },
    { 0 }
};

static double value(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C];
    return p[C] * p[C] * sp_expm1(0.5 * p[Q] * sp_log1p(u * u));
}

static double slope(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C];
    return p[Q] * (m - y) * sp_exp((0.5 * p[Q] - 1.0) * sp_log1p(u * u));
}

static double curvature(double m, double y, sp_numbers p)
{
    const double u = (m - y) / p[C];
    return p[Q] * (1.0 + (p[Q] - 1.0) * u * u) * sp_exp((0.5 * p[Q] - 2.0) * sp_log1p(u * u));
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    const double q = p[Q], e = 1.0 - q;
    const double t = 3.0 / (3.0 * (3.0 - q) + sqrt(9.0 * (3.0 - q) * (3.0 - q) - 3.0 * e * (3.0 - q)));
    *out = (sp_link_bounds){
        .slope = p[C] * q * sp_pow(e, 0.5 * e) * sp_pow(1.0 + e, 0.5 * q - 1.0), /* 0^0 = 1: c at q = 1 */
        .curvature_high = q,
        .curvature_low = 2.0 * q * sp_pow(e / (3.0 + e), 2.0 - 0.5 * q),
        .third = q * (2.0 - q) / p[C] * sqrt(t) * (3.0 - e * t) * sp_pow(1.0 + t, 0.5 * q - 3.0),
        .gap = value(0.0, region->label_bound, p),
    };
}

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    const double u = (sp_margin_bound(region) + region->label_bound) / p[C], t = u * u;
    if (region->realisable)
        out->quasar = fmin(1.0, p[Q] / (1.0 + 1.0 / t) / -sp_expm1(-0.5 * p[Q] * sp_log1p(t)));
}

const sp_loss sp_loss_barron = {
    .name = "barron",
    .family = "quasar-convex",
    .formula = "c^2 ((1 + (<w, x> - y)^2 / c^2)^(q/2) - 1)",
    .source = "Barron 2019, a general and adaptive robust loss, alpha = q",
    .params = params,
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
    .classes = classes,
};
