/* curves.c -- the Renyi curve of one release, R(a) for orders a > 1, for every kind of ledger entry (ledger.h). rate is
 * q, mu = 1 / noise_multiplier, phi the normal density.
 *
 * GAUSS_WOR. Let h(u) = q H(ln(1 + (e^u - 1)/q); mu), where H is the hockey-stick curve of N(mu, 1) against N(0, 1).
 * The hockey-stick divergence of the release is at most h(u) in both directions (Balle, Barthe & Gaboardi 2018), hence
 * (Sason & Verdu 2016)
 *
 *   exp((a-1) R(a)) <= 1 + integral over u > 0 of a(a-1) (e^((a-1)u) + e^(-au)) h(u) du.
 *
 * For x > mu/2, h is the curve of the pair (1-q) N(0,1) + q N(mu,1) against N(0,1), whose log-ratio at x is
 * u(x) = ln(1 + q (e^v - 1)), v = mu (x - mu/2). Integrating by parts twice leaves positive terms only:
 *
 *   exp((a-1) R(a)) <= 1 + integral over x > mu/2 of phi(x) (e^(au) - 1) (1 - e^(-(a-1)u)) dx.
 *
 * The substitution x = mu/2 + ln(1 + e^z) maps this to the whole line, where the integrand is analytic in a strip and
 * vanishes at both ends: the trapezoid rule converges exponentially. Two rules of spacing H, shifted by H/2, have
 * errors that are opposite up to the fourth power of their size, so the larger of the two is an upper bound.
 *
 * POISSON. add_remove: P = (1-q) N(0,1) + q N(mu,1) against N(0,1); this order of the pair is the worse one (Mironov,
 * Talwar & Zhang 2019, Thm 5). replace_one: P against Q = (1-q) N(0,1) + q N(-mu,1), symmetric. With t = dP/dQ,
 *
 *   exp((a-1) R(a)) = 1 + integral Q (t^a - 1 - a (t - 1)) dx,
 *
 * whose integrand is positive and analytic in a strip of half-width pi/mu around the line: the same two rules.
 *
 * PURE epsilon (and APPROX, apart from its delta). No pair is worse than randomised response. For k-ary randomised
 * response, two of its inputs:
 *
 *   exp((a-1) R(a)) = h^a l^(1-a) + l^a h^(1-a) + (k - 2) l,  h = e^eps l,  l = 1/(e^eps + k - 1).
 *
 * EM. Bounded range: ln dP/dQ lies in [t - eps, t] for some t. x^a is convex, so the worst of these pairs has only the
 * two ends as values. Its moment g(t) = q e^(at) + (1-q) e^(a(t-eps)), with q e^t + (1-q) e^(t-eps) = 1, is largest at
 * e^t = (a-1) A/(a B), A = 1 - e^(-a eps), B = e^-eps - e^(-a eps) (Dong, Durfee & Rogers 2020).
 *
 * LAPLACE. exp((a-1) R(a)) = a/(2a-1) e^((a-1) eps) + (a-1)/(2a-1) e^(-a eps)   (Mironov 2017, Prop. 6).
 *
 * SELECT, the best of K runs (repetitions.h: eta, gamma), each with R(a) = a rho (Papernot & Steinke 2022). Thm 2,
 * truncated negative binomial K:
 *
 *   R'(a) = a rho + (1+eta) min over b >= 1 of [rho (b-1) + ln(1/gamma)/b] + ln(E K)/(a-1),
 *   E K = eta (1-gamma)/(gamma (1 - gamma^eta)), (1/gamma - 1)/ln(1/gamma) at eta = 0.
 *
 * Thm 6, Poisson K, with delta_mu that of one Gaussian run: R'(a) = a rho + E K delta_mu(ln(a/(a-1))) + ln(E
 * K)/(a-1). */
#include "core/accountant/rdp.h"
#include "core/accountant/repetitions.h"

#include "core/accountant/accountant.h"

#include <float.h>
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

/* ln((1 - q) + q e^v) */
static double log_mixture(double q, double v)
{
    return v < 1.0 ? log1p(q * expm1(v)) : v + log(q + (1.0 - q) * exp(-v));
}

static double poisson(double noise_multiplier, double rate, sp_neighbours neighbours, double order)
{
    const bool replace = neighbours == SP_REPLACE_ONE;
    const double mu = 1.0 / noise_multiplier, unsampled = order * gsl_pow_2(replace ? 2.0 * mu : mu) / 2.0;
    const double half = 0.25 / fmax(1.0, mu), low = -mu - 12.0, high = order * mu + 12.0;
    /* Q t^order peaks below order times the steepest slope of u = ln t, which is mu, and 2 mu where replaced */
    const double top = replace ? 2.0 * order * mu + 12.0 : high;
    if (!(mu > 0.0) || rate >= 1.0 || !((high - low) / half < NODES_MAX))
        return unsampled;
    double sum[2] = { 0.0, 0.0 }, scale = 0.0; /* of exp(-scale) times the integrand, at even and odd nodes */
    const long first = (long)floor(low / half), last = (long)ceil(top / half);
    for (long node = first; node <= last; node++) {
        const double x = (double)node * half;
        const double below = replace ? log_mixture(rate, -mu * x - mu * mu / 2.0) : 0.0;
        const double u = log_mixture(rate, mu * x - mu * mu / 2.0) - below, base = below - x * x / 2.0;
        if (order * u < 1.0) {
            const double linear = order * expm1(u), rounding = 4.0 * DBL_EPSILON * (fabs(linear) + fabs(order * u));
            sum[node & 1] += exp(base - scale) * (fmax(0.0, expm1(order * u) - linear) + rounding);
            continue;
        }
        const double exponent = base + order * u;
        if (exponent > scale) {
            const double shrink = exp(scale - exponent);
            sum[0] *= shrink;
            sum[1] *= shrink;
            scale = exponent;
        }
        const double less = u < 700.0 ? exp(-order * u) * (1.0 + order * expm1(u)) : 0.0; /* e^u may overflow */
        sum[node & 1] += exp(exponent - scale) * (1.0 - less);
    }
    const double log_integral = scale + log(2.0 * half * fmax(sum[0], sum[1])) - 0.5 * log(2.0 * M_PI);
    const double moment = log_integral > 40.0 ? log_integral : log1p(exp(log_integral));
    return fmin(unsampled, moment / (order - 1.0));
}

/* The smaller of an exact curve, its rounding added, and what rho-zCDP and eps give. */
static double rounded(double exact, double rho, double order, double epsilon)
{
    const double rounding = 8.0 * DBL_EPSILON * (1.0 + epsilon) * order / (order - 1.0);
    return fmin(exact + rounding, fmin(order * rho, epsilon));
}

static double randomised_response(double epsilon, size_t choices, double order)
{
    const double others = choices > 2 ? (double)(choices - 2) : 0.0;
    /* e^(-(a-1) eps) times the moment, less 1; h + l + (k-2) l = 1 */
    const double low = exp(-epsilon) / (1.0 + (others + 1.0) * exp(-epsilon));
    const double change = low * (others * expm1((1.0 - order) * epsilon) + expm1((2.0 - 2.0 * order) * epsilon));
    return rounded(epsilon + log1p(change) / (order - 1.0), epsilon * epsilon / 2.0, order, epsilon);
}

static double laplace(double epsilon, double order)
{
    const double twice = 2.0 * order - 1.0, change = (order - 1.0) / twice * expm1(-twice * epsilon);
    return rounded(epsilon + log1p(change) / (order - 1.0), epsilon * epsilon / 2.0, order, epsilon);
}

static double bounded_range(double epsilon, double order)
{
    const double a = -expm1(-order * epsilon), b = exp(-epsilon) * -expm1((1.0 - order) * epsilon);
    const double t = gsl_min(log((order - 1.0) * a / (order * b)), epsilon); /* >= 0 */
    const double log_moment = (order - 1.0) * t + log((a - b * exp(t)) / -expm1(-epsilon));
    return rounded(fmax(0.0, log_moment) / (order - 1.0), epsilon * epsilon / 8.0, order, epsilon);
}

static double select(const sp_entry *e, double noise_multiplier, double order)
{
    const double mu = 1.0 / noise_multiplier, rho = mu * mu / 2.0, runs = order * rho + log(e->mean) / (order - 1.0);
    if (isinf(e->shape)) {
        const double low = log1p(1.0 / (order - 1.0)) * (1.0 - 4.0 * DBL_EPSILON);
        return fmax(0.0, runs + e->mean * sp_gaussian_delta(mu, low));
    }
    const double log_gamma = sp_repetitions_log_gamma(e->shape, e->mean);
    return runs + (1.0 + e->shape) * (log_gamma > rho ? 2.0 * sqrt(rho * log_gamma) - rho : log_gamma);
}

double sp_tree_levels(size_t steps)
{
    double levels = 0.0;
    for (; steps > 0; steps >>= 1)
        levels++;
    return levels;
}

double sp_rdp_release(const sp_entry *e, double factor, sp_neighbours neighbours, double order)
{
    const double noise_multiplier = e->noise_multiplier * factor;
    switch (e->kind) {
    case SP_LEDGER_GAUSS:
        return order / (2.0 * gsl_pow_2(noise_multiplier));
    case SP_LEDGER_TREE:
        return order * sp_tree_levels(e->steps) / (2.0 * gsl_pow_2(noise_multiplier));
    case SP_LEDGER_GAUSS_WOR:
        return sp_rdp_without_replacement(noise_multiplier, e->rate, order);
    case SP_LEDGER_POISSON:
        return poisson(noise_multiplier, e->rate, neighbours, order);
    case SP_LEDGER_SELECT:
        return select(e, noise_multiplier, order);
    case SP_LEDGER_LAPLACE:
        return laplace(e->epsilon, order);
    case SP_LEDGER_EM:
        return bounded_range(e->epsilon, order);
    default:
        return randomised_response(e->epsilon, e->kind == SP_LEDGER_RANDOMISED_RESPONSE ? e->choices : 2, order);
    }
}
