/* nonconvex.c -- regulariser r(w) = w^2 / (1 + w^2) for each entry of w: quadratic near 0, bounded by 1.
 *
 *   r' = 2 w / (1 + w^2)^2, |r'| <= 3 sqrt(3) / 8 at w^2 = 1/3
 *   r'' = 2 (1 - 3 w^2) / (1 + w^2)^3 in [-1/2, 2]
 *   r''' = 24 w (w^2 - 1) / (1 + w^2)^4, |r'''| <= 4.668559285 at w^2 = 1 - 2/sqrt 5
 *   tangent: r(b) - r(t) = r'(t) (b - t) becomes (t - b)^2 (t^2 + 2 b t - 1) = 0 after clearing denominators, so
 *   t = sqrt(1 + b^2) - b
 */
#include "losses/loss.h"

static double value(double w)
{
    return 1.0 - 1.0 / (1.0 + w * w);
}

static double slope(double w)
{
    const double s = 1.0 + w * w;
    return 2.0 * w / (s * s);
}

static double curvature(double w)
{
    const double s = 1.0 + w * w;
    return 2.0 * (1.0 - 3.0 * w * w) / (s * s * s);
}

static double tangent(double b)
{
    return 1.0 / (b + sqrt(1.0 + b * b));
}

const sp_regulariser sp_regulariser_nonconvex = {
    .name = "nonconvex",
    .formula = "lambda sum_j w_j^2 / (1 + w_j^2)",
    .source = "Wang & Xu 2020, section 5",
    .value = value,
    .slope = slope,
    .curvature = curvature,
    .slope_max = 0.64951905283832899, /* 3 sqrt(3) / 8 */
    .curvature_high = 2.0,
    .curvature_low = 0.5,
    .third = 4.668559285,
    .bend = 0.57735026918962576, /* 1 / sqrt 3 */
    .trough = 1.0,
    .tangent = tangent,
};
