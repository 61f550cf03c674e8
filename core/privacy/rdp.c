/* rdp.c -- the Renyi curve of a Gaussian release on a subset, and the search over orders.
 *
 * GAUSS_WOR. With mu = 1 / noise_multiplier, q = rate and h(u) = q H(ln(1 + (e^u - 1)/q); mu), H the hockey-stick curve
 * of N(mu, 1) against N(0, 1), the hockey-stick divergence of the release is at most h(u) in both directions (Balle,
 * Barthe & Gaboardi 2018), hence (Sason & Verdu 2016)
 *
 *   exp((a-1) R(a)) <= 1 + integral over u > 0 of a(a-1) (e^((a-1)u) + e^(-au)) h(u) du.
 *
 * On x > mu/2, h is the curve of the pair (1-q) N(0,1) + q N(mu,1) against N(0,1), whose log-ratio at x is
 * u(x) = ln(1 + q (e^v - 1)), v = mu (x - mu/2). Integrating by parts twice leaves positive terms only:
 *
 *   exp((a-1) R(a)) <= 1 + integral over x > mu/2 of phi(x) (e^(au) - 1) (1 - e^(-(a-1)u)) dx.
 *
 * The substitution x = mu/2 + ln(1 + e^z) takes it to the whole line, where it is analytic in a strip and vanishes at
 * both ends: the trapezoid rule converges exponentially. Two rules of spacing H, shifted by H/2, differ from the
 * integral by plus and minus the same amount up to its fourth power, so the larger of the two is an upper bound. */
#include "core/privacy/rdp.h"

#include "core/privacy/accountant.h"

#include <gsl/gsl_math.h>
#include <math.h>

enum { NODES_MAX = 40000 }; /* beyond, at orders that no useful budget selects, the unsampled curve is the bound */

double sp_rdp_without_replacement(double noise_multiplier, double rate, double order)
{
    const double mu = 1.0 / noise_multiplier, unsampled = order * mu * mu / 2.0;
    const double half = 0.25 / fmax(1.0, mu); /* the strip is pi wide, and pi / mu for log(1 + q(e^v - 1)) */
    const double low = -12.0, high = order * mu + 10.0; /* e^-36 of the mass lies below, e^-50 above */
    if (!(mu > 0.0) || rate >= 1.0 || !((high - low) / half < NODES_MAX))
        return unsampled;
    double sum[2] = { 0.0, 0.0 }, scale = -INFINITY; /* of exp(-scale) times the integrand, at even and odd nodes */
    const long first = (long)floor(low / half), last = (long)ceil(high / half);
    for (long node = first; node <= last; node++) {
        const double z = (double)node * half, e = exp(-fabs(z));
        const double y = fmax(z, 0.0) + log1p(e), dy = z > 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
        const double v = mu * y, x = mu / 2.0 + y;
        const double u = v < 1.0 ? log1p(rate * expm1(v)) : v + log(rate + (1.0 - rate) * exp(-v));
        const double exponent = order * u - x * x / 2.0;
        if (exponent > scale) {
            const double shrink = exp(scale - exponent);
            sum[0] *= shrink;
            sum[1] *= shrink;
            scale = exponent;
        }
        sum[node & 1] += exp(exponent - scale) * expm1(-order * u) * expm1((1.0 - order) * u) * dy;
    }
    const double log_integral = scale + log(2.0 * half * fmax(sum[0], sum[1])) - 0.5 * log(2.0 * M_PI);
    const double moment = log_integral > 40.0 ? log_integral : log1p(exp(log_integral));
    return fmin(unsampled, moment / (order - 1.0));
}

typedef struct search {
    sp_rdp_curve curve;
    const void *context;
    bool delta;   /* what is sought: ln delta at epsilon, else epsilon at delta */
    double given; /* epsilon, or ln delta */
} search;

/* The bound at one order, and a floor under the bounds at all larger orders (R does not decrease). */
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
        if (floor_above >= best)
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

double sp_rdp_epsilon(sp_rdp_curve curve, const void *context, double delta, double *order)
{
    return fmax(0.0, smallest(&(search){ curve, context, false, log(delta) }, order));
}

double sp_rdp_delta(sp_rdp_curve curve, const void *context, double epsilon)
{
    double order;
    return fmin(1.0, exp(smallest(&(search){ curve, context, true, epsilon }, &order)));
}
