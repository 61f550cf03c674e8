/* savage.c -- phi(m, y) = p^2, p = 1 / (1 + exp(y m)), y in {-1, +1}: the squared sigmoid.
 *
 *   phi' = -2 y p^2 (1-p), |phi'| <= 8/27 (p = 2/3)
 *   phi'' = 2 p^2 (1-p) (2-3p), extreme where 12 p^2 - 15 p + 4 = 0
 *   phi''' = -2 y p^2 (1-p) (4 - 15 p + 12 p^2), largest at the middle root of 60 p^3 - 108 p^2 + 57 p - 8 = 0
 */
#include "losses/loss.h"

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    const double wrong = sp_sigmoid(-y * m);
    return wrong * wrong;
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    const double wrong = sp_sigmoid(-y * m), right = sp_sigmoid(y * m);
    return -2.0 * y * wrong * wrong * right;
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)p;
    const double wrong = sp_sigmoid(-y * m), right = sp_sigmoid(y * m);
    return 2.0 * wrong * wrong * right * (2.0 * right - wrong);
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p, (void)region;
    const double high = (15.0 - sqrt(33.0)) / 24.0, low = (15.0 + sqrt(33.0)) / 24.0;
    *out = (sp_link_bounds){
        .slope = 8.0 / 27.0,
        .curvature_high = 2.0 * high * high * (1.0 - high) * (2.0 - 3.0 * high),
        .curvature_low = 2.0 * low * low * (1.0 - low) * (3.0 * low - 2.0),
        .third = 0.20202300916751145, /* p = 0.6362642907009747 */
        .gap = 0.25,
    };
}

const sp_loss sp_loss_savage = {
    .name = "savage",
    .family = "non-convex GLM",
    .formula = "1 / (1 + exp(y <w, x>))^2",
    .source = "Masnadi-Shirazi & Vasconcelos 2008",
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
    .labels_binary = true,
};
