/* l2.c -- regulariser r(w) = w^2 / 2 for each entry of w: the term is (lambda/2) ||w||^2. Its slope is bounded only on
 * a ball. */
#include "losses/loss.h"

static double value(double w)
{
    return 0.5 * w * w;
}

static double slope(double w)
{
    return w;
}

static double curvature(double w)
{
    (void)w;
    return 1.0;
}

const sp_regulariser sp_regulariser_l2 = {
    .name = "l2",
    .formula = "(lambda/2) ||w||^2",
    .source = "ridge; Hoerl & Kennard 1970",
    .value = value,
    .slope = slope,
    .curvature = curvature,
    .slope_max = INFINITY,
    .curvature_high = 1.0,
    .convex = true,
};
