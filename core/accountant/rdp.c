/* rdp.c -- (epsilon, delta) from a Renyi curve: searches for the order with the smallest bound (rdp.h has the
 * formulas). */
#include "core/accountant/rdp.h"

#include <math.h>

typedef struct search {
    sp_rdp_curve curve;
    const void *context;
    bool rising;  /* R does not decrease with the order */
    bool delta;   /* what is sought: ln delta at epsilon, else epsilon at delta */
    double given; /* epsilon, or ln delta */
} search;

/* The bound at one order, and a floor under the bounds at all larger orders, if R is rising. */
static double bound(const search *s, double excess, double *floor_above)
{
    const double order = 1.0 + excess, log_order = log1p(excess);
    const double level = s->curve(s->context, order) + log(excess / order);
    if (!s->delta) {
        *floor_above = level - log_order / excess;
        return *floor_above - s->given / excess;
    }
    const double value = excess * (level - s->given) - log_order;
    *floor_above = level - s->given >= 1.0 / order ? value : -INFINITY;
    return value;
}

/* The bound is quasi-convex in the order when (a-1) R(a) is convex, as for Gaussian entries. A coarse grid finds the
 * valley (pure entries can make two), a golden section its floor. */
static double smallest(const search *s, double *order)
{
    const double step = log(4.0), golden = (sqrt(5.0) - 1.0) / 2.0;
    double best = INFINITY, at = 0.0, floor_above;
    for (int k = -5; k <= 12; k++) {
        const double value = bound(s, exp(k * step), &floor_above);
        if (value < best) {
            best = value;
            at = k * step;
        }
        if (s->rising && floor_above >= best)
            break;
    }
    double left = at - step, right = at + step;
    double points[2] = { right - golden * (right - left), left + golden * (right - left) };
    double values[2] = { bound(s, exp(points[0]), &floor_above), bound(s, exp(points[1]), &floor_above) };
    while (right - left > 1e-5) {
        const int keep = values[0] <= values[1] ? 0 : 1;
        if (values[keep] < best) {
            best = values[keep];
            at = points[keep];
        }
        if (keep == 0)
            right = points[1];
        else
            left = points[0];
        points[1 - keep] = points[keep];
        values[1 - keep] = values[keep];
        points[keep] = keep == 0 ? right - golden * (right - left) : left + golden * (right - left);
        values[keep] = bound(s, exp(points[keep]), &floor_above);
    }
    *order = 1.0 + exp(at);
    return best;
}

double sp_rdp_epsilon(sp_rdp_curve curve, const void *context, bool rising, double delta, double *order)
{
    return fmax(0.0, smallest(&(search){ curve, context, rising, false, log(delta) }, order));
}

double sp_rdp_delta(sp_rdp_curve curve, const void *context, bool rising, double epsilon)
{
    double order;
    return fmin(1.0, exp(smallest(&(search){ curve, context, rising, true, epsilon }, &order)));
}
