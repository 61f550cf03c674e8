/* hull.h -- the convex hull of a regulariser r with a tangent (losses/loss.h): the largest convex function that is
 * nowhere above r on an interval. */
#ifndef SP_LOSSES_OPTIMUM_HULL_H
#define SP_LOSSES_OPTIMUM_HULL_H

#include "losses/loss.h"

typedef struct sp_hull {
    double low, high;   /* finite */
    double left, right; /* the hull is r on [left, right] and a line on either side; left > right: one chord */
} sp_hull;

sp_hull sp_hull_of(const sp_regulariser *, double low, double high);
/* Value, slope and curvature at w in [low, high]; where the curvature jumps, the larger one. */
double sp_hull_value(const sp_regulariser *, const sp_hull *, double w);
double sp_hull_slope(const sp_regulariser *, const sp_hull *, double w);
double sp_hull_curvature(const sp_regulariser *, const sp_hull *, double w);

double sp_least_curvature(const sp_regulariser *, double low, double high); /* min r'' */

#endif
