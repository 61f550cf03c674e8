/* phase_retrieval.c -- phi(m, y) = (m^2 - y)^2 / 4: recovers w* from y = <w*, x>^2, measured without its sign. With
 * |m| <= M, |y| <= B:
 *
 *   |phi'| = |m (m^2 - y)| <= M (M^2 + B),  -B <= phi'' = 3 m^2 - y <= 3 M^2 + B,  |phi'''| = 6 |m| <= 6 M
 */
#include "losses/loss.h"

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    return 0.25 * (m * m - y) * (m * m - y);
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    return m * (m * m - y);
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)p;
    return 3.0 * m * m - y;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    const double M = sp_margin_bound(region), B = region->label_bound;
    *out = (sp_link_bounds){ .slope = M * (M * M + B), .curvature_high = 3.0 * M * M + B, .curvature_low = B,
                             .third = 6.0 * M, .gap = value(0.0, B, p) };
}

const sp_loss sp_loss_phase_retrieval = {
    .name = "phase_retrieval",
    .family = "strict saddle",
    .formula = "(<w, x>^2 - y)^2 / 4",
    .source = "Candes, Li & Soltanolkotabi 2015; Sun, Qu & Wright 2018",
    .note = "L, beta and rho_H are finite on a bounded domain alone. That all saddles are strict holds with high "
            "probability for many Gaussian x (Sun, Qu & Wright), not for every set of records: it is not certified",
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
};
