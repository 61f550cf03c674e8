/* gaussian.c -- conversions between (epsilon, delta) and the budgets mu of Gaussian DP and rho of zCDP, both ways.
 *
 *   Gaussian  delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)              Balle & Wang 2018, Thm 8
 *             For small mu the two terms nearly cancel; then, with x = eps/mu, phi the normal density and Q(x) = 1 -
 *             Phi(x), delta(eps) = mu phi(x) (1 + (x^2 - 1) mu^2/24 + ...) - (e^eps - 1) Q(x + mu/2), where the series
 *             is that of Phi(mu/2 - x) - Phi(-mu/2 - x) at mu = 0
 *   zCDP      eps = min over a > 1 of rho a + ln((a-1)/a) - (ln delta + ln a)/(a-1)    Canonne, Kamath & Steinke 2020,
 *             Prop. 12; stationary where rho (a-1)^2 + ln a = ln(1/delta), whose left side increases in a
 *   Bun-Steinke 2016, as inverted by Wang & Xu: rho = (sqrt(eps + ln(1/delta)) - sqrt(ln(1/delta)))^2
 *
 * Each equation is solved by bisection down to two neighbouring doubles; the one on the private side is returned. */
#include "core/accountant/accountant.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_erf.h>
#include <math.h>

/* log Phi(x). erfc underflows beyond 38; the series of GSL takes over well before. */
static double log_phi(double x)
{
    gsl_sf_result tail;
    if (x >= 0.0)
        return log1p(-0.5 * erfc(x / M_SQRT2));
    if (x > -30.0)
        return log(0.5 * erfc(-x / M_SQRT2));
    gsl_sf_log_erfc_e(-x / M_SQRT2, &tail);
    return tail.val - M_LN2;
}

static const double small_mu = 1e-5; /* below, the difference of the logarithms keeps less than 8 digits */

/* From above. phi(x) is 0 in double from x = 39 on. */
static double small_gaussian_delta(double mu, double epsilon)
{
    const double x = epsilon / mu;
    if (!(x < 39.0))
        return 0.0;
    const double density = exp(-0.5 * x * x) / sqrt(2.0 * M_PI), series = 1.0 + (x * x - 1.0) * mu * mu / 24.0;
    const double mills = exp(-0.5 * epsilon - 0.125 * mu * mu) / gsl_sf_hazard(x + 0.5 * mu); /* Q(x + mu/2) / phi(x) */
    const double rounding = 8.0 * DBL_EPSILON * (1.0 + x * x); /* of the terms; they cancel to about 1/(1 + x^2) */
    return density * (mu * series * (1.0 + rounding) - expm1(epsilon) * mills);
}

double sp_gaussian_delta(double mu, double epsilon)
{
    if (!(mu > 0.0))
        return isnan(mu) ? NAN : 0.0;
    if (isinf(mu))
        return isinf(epsilon) ? 0.0 : 1.0;
    if (mu < small_mu)
        return small_gaussian_delta(mu, epsilon);
    const double first = log_phi(mu / 2.0 - epsilon / mu);
    const double second = epsilon + log_phi(-mu / 2.0 - epsilon / mu);
    return first > second ? exp(first) * -expm1(second - first) : 0.0;
}

/* Bisection between `inside`, where the condition holds, and `outside`, where it does not; the last point inside. */
typedef bool (*condition)(double x, double a, double b);

static double boundary(condition holds, double a, double b, double inside, double outside)
{
    for (;;) {
        const double middle = inside + (outside - inside) / 2.0;
        if (middle == inside || middle == outside)
            return inside;
        if (holds(middle, a, b))
            inside = middle;
        else
            outside = middle;
    }
}

/* As above, the far end found by doubling. */
static double largest(condition holds, double a, double b)
{
    double inside = 0.0, outside = 1.0;
    while (holds(outside, a, b)) {
        inside = outside;
        outside *= 2.0;
        if (isinf(outside))
            return INFINITY;
    }
    return boundary(holds, a, b, inside, outside);
}

static bool gaussian_within(double mu, double epsilon, double delta)
{
    return sp_gaussian_delta(mu, epsilon) <= delta;
}

static bool gaussian_enough(double epsilon, double mu, double delta)
{
    return sp_gaussian_delta(mu, epsilon) <= delta;
}

double sp_gaussian_mu(double epsilon, double delta)
{
    if (isnan(epsilon) || isnan(delta))
        return NAN;
    return isinf(epsilon) || delta >= 1.0 ? INFINITY : largest(gaussian_within, epsilon, delta);
}

double sp_gaussian_epsilon(double mu, double delta)
{
    if (isnan(mu) || isnan(delta))
        return NAN;
    if (gaussian_enough(0.0, mu, delta))
        return 0.0;
    /* the zCDP tail bound; doubling only guards against its rounding */
    double enough = mu * mu / 2.0 + mu * sqrt(-2.0 * log(delta));
    while (isfinite(enough) && !gaussian_enough(enough, mu, delta))
        enough *= 2.0;
    return isfinite(enough) ? boundary(gaussian_enough, mu, delta, enough, 0.0) : INFINITY;
}

/* order - 1 below the stationary one */
static bool order_below(double excess, double rho, double delta)
{
    return rho * excess * excess + log1p(excess) <= -log(delta);
}

double sp_zcdp_epsilon(double rho, double delta)
{
    if (isnan(rho) || isnan(delta))
        return NAN;
    if (rho <= 0.0 || delta >= 1.0)
        return 0.0;
    if (isinf(rho) || delta <= 0.0)
        return INFINITY;
    const double excess = boundary(order_below, rho, delta, 0.0, sqrt(-log(delta) / rho));
    const double order = 1.0 + excess;
    return fmax(0.0, rho * order + log(excess / order) - (log(delta) + log1p(excess)) / excess);
}

static bool zcdp_within(double rho, double epsilon, double delta)
{
    return sp_zcdp_epsilon(rho, delta) <= epsilon;
}

double sp_zcdp_rho(double epsilon, double delta)
{
    if (isnan(epsilon) || isnan(delta))
        return NAN;
    return isinf(epsilon) || delta >= 1.0 ? INFINITY : largest(zcdp_within, epsilon, delta);
}

double sp_zcdp_rho_bun_steinke(double epsilon, double delta)
{
    const double log_delta = -log(delta);
    const double root = epsilon / (sqrt(epsilon + log_delta) + sqrt(log_delta));
    return root * root;
}
