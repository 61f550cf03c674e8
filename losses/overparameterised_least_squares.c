/* overparameterised_least_squares.c -- phi(m, y) = (m - y)^2 / 2, meant for more features than records: F is PL
 * (loss.h) but not strongly convex.
 *
 *   phi'' = 1, phi''' = 0;  |phi'| <= M + sup |y| for |m| <= M, which is finite on a bounded domain only
 *
 * PL: ||grad F||^2 >= 2 mu (F - F*), mu = sigma_min+(X)^2 / n, where sigma_min+ is the smallest nonzero singular value
 * and X the n x d matrix of the records. mu depends on the records, so no class is certified.
 */
#include "losses/loss.h"

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    return 0.5 * (m - y) * (m - y);
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    return m - y;
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)m, (void)y, (void)p;
    return 1.0;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    *out = (sp_link_bounds){ .slope = sp_margin_bound(region) + region->label_bound, .curvature_high = 1.0,
                             .gap = value(0.0, region->label_bound, p) };
}

const sp_loss sp_loss_overparameterised_least_squares = {
    .name = "overparameterised_least_squares",
    .family = "KL/PL",
    .formula = "(<w, x> - y)^2 / 2",
    .source = "linear regression with d > n; PL: Karimi, Nutini & Schmidt 2016",
    .note = "L is finite on a bounded domain alone. F is KL with kappa = 2, gamma = sqrt(n/2) / sigma_min+(X), where "
            "sigma_min+ is the smallest singular value above 0: that depends on the records, so it is not certified; "
            "declare kl_gamma and kl_kappa where they are public",
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .convex = true,
    .smooth = true,
};
