/* hull.c -- the convex hull of a regulariser r that is convex on [-bend, bend] and concave on both sides of it.
 *
 * Starting from an end b > bend of the interval, the hull is the line that touches r at t = tangent(b), or the chord
 * from `low` to b if low > t. Below -bend it is the mirror image. */
#include "losses/optimum/hull.h"

sp_hull sp_hull_of(const sp_regulariser *r, double low, double high)
{
    sp_hull hull = { low, high, low, high };
    if (low < -r->bend)
        hull.left = -r->tangent(-low);
    if (high > r->bend)
        hull.right = r->tangent(high);
    if ((high > r->bend && low >= hull.right) || (low < -r->bend && high <= hull.left)) {
        hull.left = INFINITY;
        hull.right = -INFINITY;
    }
    return hull;
}

static double chord(const sp_regulariser *r, const sp_hull *hull)
{
    const double width = hull->high - hull->low;
    return width > 0.0 ? (r->value(hull->high) - r->value(hull->low)) / width : 0.0;
}

double sp_hull_value(const sp_regulariser *r, const sp_hull *hull, double w)
{
    if (hull->left > hull->right)
        return r->value(hull->low) + chord(r, hull) * (w - hull->low);
    const double touch = fmax(hull->left, fmin(hull->right, w));
    return r->value(touch) + r->slope(touch) * (w - touch);
}

double sp_hull_slope(const sp_regulariser *r, const sp_hull *hull, double w)
{
    return hull->left > hull->right ? chord(r, hull) : r->slope(fmax(hull->left, fmin(hull->right, w)));
}

double sp_hull_curvature(const sp_regulariser *r, const sp_hull *hull, double w)
{
    return w >= hull->left && w <= hull->right ? fmax(r->curvature(w), 0.0) : 0.0;
}

double sp_least_curvature(const sp_regulariser *r, double low, double high)
{
    const bool holds = (low <= r->trough && r->trough <= high) || (low <= -r->trough && -r->trough <= high);
    return holds ? -r->curvature_low : fmin(r->curvature(low), r->curvature(high));
}
