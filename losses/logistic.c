/* logistic.c -- phi(m, y) = log(1 + exp(-y m)), y in {-1, +1}; convex.
 *
 *   |phi'| <= 1,  0 <= phi'' <= 1/4,  |phi'''| <= 1/(6 sqrt 3),  phi(0) - inf phi = log 2.
 *
 * Majorant (a parabola above phi that touches it, sp_loss.majorant): with z = y m, log(1 + e^-z) + z/2 = log(2
 * cosh(z/2)) is a concave function of z^2 with slope tanh(z/2) / (4 z). So it lies below the parabola in z of curvature
 * tanh(z/2) / (2 z) <= 1/4 that touches it (Jaakkola & Jordan 2000).
 */
#include "losses/loss.h"

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    const double z = -y * m;
    return (z > 0.0 ? z : 0.0) + sp_log1p(sp_exp(-fabs(z))); /* exp never overflows */
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    return -y / (1.0 + sp_exp(y * m));
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)p;
    const double e = sp_exp(-fabs(y * m));
    return e / ((1.0 + e) * (1.0 + e));
}

static double majorant(double m, double y, sp_numbers p)
{
    (void)y, (void)p;
    const double a = fabs(m), bent = sp_tanh(0.5 * a) / (2.0 * a); /* at 1e-5, 1/4 - a^2 / 48 is 1/4 to rounding */
    return a > 1e-5 ? bent : 0.25;
}

SP_LINK(value, slope, curvature)
SP_LINK_BLOCK(majorant)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p, (void)region;
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = 0.25, .third = 1.0 / (6.0 * sqrt(3.0)), .gap = M_LN2 };
}

const sp_loss sp_loss_logistic = {
    .name = "logistic",
    .family = "convex GLM",
    .formula = "log(1 + exp(-y <w, x>))",
    .source = "logistic regression; Wang & Xu 2020, section 5, with the nonconvex regulariser",
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .majorant = majorant_block_call,
    .convex = true,
    .peaked = true,
    .smooth = true,
    .labels_binary = true,
};
