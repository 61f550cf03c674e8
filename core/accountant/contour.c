/*
 * contour.c -- computes delta(epsilon) of a composition of privacy-loss distributions by a contour integral, rounded
 * up.
 *
 * Let l be the privacy loss of the composition under P, M_j(s) = E e^(s l_j) the moment of one release of pair j
 * (dominating_pairs.h), k_j the number of such releases, and K(s) = sum k_j log M_j(s). For every lambda > 0
 *
 *   delta(epsilon) = 1/(2 pi i) integral over Re s = lambda of e^(K(s) - s epsilon) / (s (s + 1)) ds,           (1)
 *
 * because e^(s y) / (s (s + 1)) integrates to 1 - e^-y for y > 0 and to 0 otherwise. The trapezoid rule of step D in
 * t = Im s gives, by Poisson's summation formula and with L = 2 pi / D, the sum over all integers k of
 * e^(lambda k L) delta(epsilon + k L). No term is negative, so the rule is an upper bound on delta(epsilon) for every
 * D. L is chosen so large that the terms with k != 0 are negligible.
 *
 * A Gaussian release of mean sigma is added to the composition. This can only raise delta, by little, since sigma is
 * small compared with the deviation of l. It bounds the part of the integral beyond the last node T of the rule:
 *
 *   1/pi integral over t > T of |e^(K - s epsilon)| / t^2 dt <= e^(K(lambda) - lambda epsilon - sigma^2 T^2/2) / (pi
 *   T).
 *
 * Moments, with a = s + 1, u = log of the likelihood ratio at x, h(z) = e^z - 1 - z, phi the normal density:
 *
 *   normal     1 + integral of phi (h(a u) - a h(u)), u = log(1 - q + q e^(mu x - mu^2/2)); q = 1: e^(s a mu^2/2)
 *   swapped    the same with -s in place of a
 *   opposed    the same with the density of Q in place of phi, u = log dP/dQ
 *   mirrored   1 + integral over x > mu/2 of phi (e^(a u) - 1) (1 - e^(-s u)), u of `normal`
 *   laplace    1 + (a h(s e) + s h(-a e)) / (a + s), e the pair's epsilon
 *   response   1 + p ((e^e - 1) (e^(s e) - 1) + 4 sinh^2(s e/2)), p the chance of one untruthful answer
 *
 * Each integral is computed by two trapezoid rules, one shifted by half a step against the other. Their mean is the
 * value; their difference and the roundings of the sums are its error. Steps are halved until k_j times the error is
 * small or the node's term is. The errors of all nodes are added to delta.
 */
#include "core/accountant/contour.h"

#include "core/base/memory.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

const double sp_contour_least = 1e7;

static const double unit = DBL_EPSILON / 2.0;
static const double order_most = 15.0;  /* (lambda + 2) mu: moments beyond overflow, and are of no use at such counts */
static const double sigma_share = 0.02; /* of the deviation of the loss */
static const double ignored = 1e-5;     /* shares of delta that other terms of the rule and its tail may have */
static const double settled = 1e-6;     /* error of K at a node */
enum { NODES_MOST = 1 << 16, HALVINGS = 6, SEARCH = 80 };

typedef double complex complex_number;

/* e^z - 1 - z */
static complex_number remainder_of(complex_number z)
{
    if (cabs(z) > 0.5)
        return cexp(z) - 1.0 - z;
    complex_number term = 0.5 * z * z, sum = term;
    for (int k = 3; k < 20; k++) {
        term *= z / (double)k;
        sum += term;
    }
    return sum;
}

/* e^z - 1 */
static complex_number minus_one(complex_number z)
{
    return remainder_of(z) + z;
}

/* log(1 - q + q e^v) */
static double mixture(double q, double v)
{
    return v < 1.0 ? log1p(q * expm1(v)) : v + log(q + (1.0 - q) * exp(-v));
}

/* The integrand at the node z. For `mirrored` x = mu/2 + log(1 + e^z), for the other forms x = z. */
static complex_number integrand(const sp_dominating_pair *p, complex_number s, double z)
{
    const double mu = p->mu;
    if (p->form == SP_PAIR_MIRRORED) {
        const double e = exp(-fabs(z)), y = fmax(z, 0.0) + log1p(e), x = 0.5 * mu + y;
        const double dy = z > 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e), u = mixture(p->q, mu * y);
        return exp(-0.5 * x * x) * dy * minus_one((s + 1.0) * u) * -minus_one(-s * u);
    }
    const complex_number a = p->form == SP_PAIR_SWAPPED ? -s : s + 1.0;
    const double below = p->form == SP_PAIR_OPPOSED ? mixture(p->q, -mu * z - 0.5 * mu * mu) : 0.0;
    const double u = mixture(p->q, mu * z - 0.5 * mu * mu) - below, base = below - 0.5 * z * z;
    if (fabs(u) * cabs(a) > 1.0) /* in one exponent: e^(a u) may overflow */
        return cexp(base + a * u) - exp(base) - a * (exp(base + u) - exp(base));
    return exp(base) * (remainder_of(a * u) - a * remainder_of(u));
}

typedef struct moment_value {
    complex_number excess; /* M - 1 */
    double error;
} moment_value;

/* One rule of each kind, `half` apart. */
static moment_value integral(const sp_dominating_pair *p, complex_number s, double half)
{
    const double order = creal(s) + 1.0, steep = p->form == SP_PAIR_OPPOSED ? 2.0 : 1.0;
    const double low = p->form == SP_PAIR_MIRRORED ? -40.0 : -steep * order * p->mu - 14.0;
    const double high = steep * order * p->mu + 14.0;
    complex_number sum[2] = { 0.0, 0.0 };
    double size = 0.0;
    for (long node = (long)floor(low / half); node <= (long)ceil(high / half); node++) {
        const complex_number term = integrand(p, s, (double)node * half);
        sum[node & 1] += term;
        size += cabs(term);
    }
    const double scale = half / sqrt(2.0 * M_PI);
    return (moment_value){ scale * (sum[0] + sum[1]), scale * (2.0 * cabs(sum[0] - sum[1]) + 64.0 * unit * size) };
}

/* `enough`: an error that needs no finer steps, relative to M. */
static moment_value moment_of(const sp_dominating_pair *p, complex_number s, double enough)
{
    const double e = p->epsilon;
    if (p->form == SP_PAIR_LAPLACE) {
        const complex_number a = s + 1.0, one = a * remainder_of(s * e), other = s * remainder_of(-a * e);
        return (moment_value){ (one + other) / (a + s), 32.0 * unit * (cabs(one) + cabs(other)) / cabs(a + s) };
    }
    if (p->form == SP_PAIR_RESPONSE) {
        const double chance = exp(-e) / (1.0 + (1.0 + p->others) * exp(-e));
        const complex_number one = expm1(e) * minus_one(s * e), other = 4.0 * cpow(csinh(0.5 * s * e), 2.0);
        return (moment_value){ chance * (one + other), 64.0 * unit * chance * (cabs(one) + cabs(other)) };
    }
    double half = 0.25 / fmax(1.0, p->mu);
    moment_value value = integral(p, s, half);
    for (int i = 0; i < HALVINGS && value.error > enough * cabs(1.0 + value.excess); i++)
        value = integral(p, s, half *= 0.5);
    return value;
}

static bool is_gaussian(const sp_dominating_pair *p)
{
    return p->form == SP_PAIR_NORMAL && p->q == 1.0;
}

typedef struct contour {
    const sp_dominating_pair *pair;
    size_t count;
    double lambda, K;     /* the tilt, K(lambda) with sigma */
    double *later;        /* by pair: the sum of k_i log M_i(lambda) over the pairs behind it */
    double sigma, step;   /* D */
    size_t nodes;
    complex_number *term; /* e^(K(s) - K(lambda)) / (s (s + 1)) at t = 0, D, 2 D, ... */
    double error;         /* of their sum, on both sides of the real axis */
    double last;          /* T */
} contour;

/* K(s) without sigma, and a bound on its error. Below `depth` a node's term is negligible: then a bound on the real
 * part of K, and *error = INFINITY. */
static complex_number log_moment(const contour *c, complex_number s, double depth, double *error)
{
    complex_number sum = 0.0;
    *error = 0.0;
    for (size_t j = 0; j < c->count; j++) {
        const sp_dominating_pair *p = &c->pair[j];
        if (is_gaussian(p)) {
            sum += p->count * 0.5 * p->mu * p->mu * s * (s + 1.0);
            continue;
        }
        const moment_value m = moment_of(p, s, settled / p->count);
        const double re = creal(m.excess), im = cimag(m.excess), square = re * (2.0 + re) + im * im;
        const double size = sqrt(fmax(0.0, 1.0 + square));
        const double largest = creal(sum) + *error + p->count * log(size + m.error) + (c->later ? c->later[j] : 0.0);
        if (c->later && largest < depth) { /* |M_i(s)| <= M_i(lambda) of those behind it */
            *error = INFINITY;
            return largest;
        }
        sum += p->count * (0.5 * log1p(square) + I * atan2(im, 1.0 + re));
        *error += p->count * m.error / fmax(size - m.error, 0.0);
    }
    *error += 16.0 * unit * cabs(sum);
    return sum;
}

/* At a real lambda, from above. */
static double real_moment(const contour *c, double lambda)
{
    double error;
    const contour all = { .pair = c->pair, .count = c->count };
    const complex_number K = log_moment(&all, lambda, -INFINITY, &error);
    return creal(K) + error;
}

/* Chernoff: log delta at epsilon, or epsilon at log delta where epsilon is NAN. */
static double chernoff(const contour *c, double lambda, double epsilon, double log_delta)
{
    const double K = real_moment(c, lambda);
    return isnan(epsilon) ? (K - log_delta) / lambda : K - lambda * epsilon;
}

/* The lambda of the smallest Chernoff bound, by golden section over its logarithm. */
static double best_lambda(const contour *c, double most, double epsilon, double log_delta)
{
    const double golden = 0.5 * (sqrt(5.0) - 1.0);
    double low = log(1e-3), high = log(most), x = high - golden * (high - low), y = low + golden * (high - low);
    double at_x = chernoff(c, exp(x), epsilon, log_delta), at_y = chernoff(c, exp(y), epsilon, log_delta);
    for (int i = 0; i < SEARCH && high - low > 1e-3; i++) {
        if (at_x < at_y) {
            high = y, y = x, at_y = at_x;
            x = high - golden * (high - low);
            at_x = chernoff(c, exp(x), epsilon, log_delta);
        } else {
            low = x, x = y, at_x = at_y;
            y = low + golden * (high - low);
            at_y = chernoff(c, exp(y), epsilon, log_delta);
        }
    }
    return exp(0.5 * (low + high));
}

/* Chooses lambda, sigma, D and T; every choice gives a bound. *above: the Chernoff bound of epsilon where delta is
 * given, else epsilon. false: no tilt is of use. */
static bool place(contour *c, double epsilon, double delta, double *above)
{
    double mu = 0.0, log_delta = log(delta);
    for (size_t j = 0; j < c->count; j++)
        mu = is_gaussian(&c->pair[j]) ? mu : fmax(mu, c->pair[j].mu);
    const double most = mu > 0.0 ? order_most / mu - 2.0 : 1e4;
    if (!(most > 1e-2))
        return false;
    const double lambda = c->lambda = best_lambda(c, 0.7 * most, epsilon, log_delta);
    const double K = real_moment(c, lambda), step = 0.05 * lambda;
    const double curvature = (real_moment(c, lambda + step) - 2.0 * K + real_moment(c, lambda - step)) / (step * step);
    const double deviation = sqrt(fmax(curvature, 1e-12));
    *above = isnan(epsilon) ? fmax(0.0, (K - log_delta) / lambda) : epsilon;
    if (isnan(delta))
        log_delta = K - lambda * epsilon - log1p(2.5 * lambda * deviation);
    if (!isfinite(K) || !isfinite(*above))
        return false;
    c->sigma = sigma_share * deviation;
    c->K = K + 0.5 * c->sigma * c->sigma * lambda * (lambda + 1.0);
    /* other terms of the rule: at epsilon - L at most e^(-lambda L), at epsilon + L by a Chernoff bound of another
     * tilt */
    const double little = log(ignored) + log_delta;
    double length = INFINITY;
    for (double more = lambda / 64.0; lambda + more <= most; more *= 1.5)
        length = fmin(length, (real_moment(c, lambda + more) - (lambda + more) * *above * (isnan(epsilon) ? 0.9 : 1.0) -
                               little) /
                                  more);
    length = fmax(fmax(length, -little / lambda), 2.0 * deviation);
    c->step = 2.0 * M_PI / length;
    const double beyond = c->K - lambda * *above - little; /* of the tail, which falls with T */
    c->last = fmax(c->step, sqrt(2.0 * fmax(1.0, beyond)) / c->sigma);
    c->nodes = (size_t)ceil(c->last / c->step) + 1;
    c->last = ((double)c->nodes - 0.5) * c->step;
    return isfinite(length) && c->nodes <= NODES_MOST;
}

static sp_status fill(contour *c)
{
    const double shallow = log(ignored) - log((double)c->nodes) - 10.0;
    c->term = sp_alloc(c->nodes, sizeof *c->term);
    c->later = sp_alloc_doubles(c->count);
    if (!c->term || !c->later)
        return SP_ENOMEM;
    for (size_t j = 0; j < c->count; j++)
        c->later[j] = real_moment(&(contour){ .pair = c->pair + j + 1, .count = c->count - j - 1 }, c->lambda);
    for (size_t j = 0; j < c->nodes; j++) {
        const complex_number s = c->lambda + I * (double)j * c->step, both = s * (s + 1.0);
        const complex_number smooth = 0.5 * c->sigma * c->sigma * both - c->K;
        double error;
        const complex_number K = log_moment(c, s, c->K + shallow, &error) + smooth;
        const double size = exp(fmin(0.0, creal(K))) / cabs(both);
        c->term[j] = isinf(error) ? 0.0 : cexp(K) / both;
        c->error += (j > 0 ? 2.0 : 1.0) * size * (isinf(error) ? 1.0 : expm1(fmin(error, 700.0)) + 16.0 * unit);
    }
    return SP_OK;
}

/* (1) by the rule, with every error added. */
static double delta_at(const contour *c, double epsilon)
{
    double sum = 0.5 * creal(c->term[0]), size = fabs(sum);
    for (size_t j = 1; j < c->nodes; j++) {
        const double t = (double)j * c->step;
        sum += creal(cexp(-I * t * epsilon) * c->term[j]);
        size += cabs(c->term[j]) * (1.0 + t * epsilon);
    }
    const double rule = c->step / M_PI * (sum + 0.5 * c->error + 8.0 * unit * size);
    const double tail = exp(-0.5 * c->sigma * c->sigma * c->last * c->last) / (M_PI * (c->last - 0.5 * c->step));
    const double whole = exp(c->K - c->lambda * epsilon) * (rule + tail) * (1.0 + 1e-12);
    return whole < 1.0 ? whole : 1.0;
}

static sp_status open_contour(contour *c, const sp_dominating_pair *pairs, size_t count, double epsilon, double delta,
                              double *above, bool *useful)
{
    *c = (contour){ .pair = pairs, .count = count };
    *useful = place(c, epsilon, delta, above);
    return *useful ? fill(c) : SP_OK;
}

sp_status sp_contour_epsilon(const sp_dominating_pair *pairs, size_t count, double delta, double *epsilon)
{
    contour c;
    double above, below = 0.0;
    bool useful;
    const sp_status status = open_contour(&c, pairs, count, NAN, delta, &above, &useful);
    *epsilon = INFINITY;
    if (status == SP_OK && useful && delta_at(&c, above) <= delta) {
        if (delta_at(&c, 0.0) <= delta)
            above = 0.0;
        while (above - below > 1e-9 * above) {
            const double middle = 0.5 * (below + above);
            *(delta_at(&c, middle) <= delta ? &above : &below) = middle;
        }
        *epsilon = above;
    }
    free(c.term);
    free(c.later);
    return status;
}

sp_status sp_contour_delta(const sp_dominating_pair *pairs, size_t count, double epsilon, double *delta)
{
    contour c;
    double above;
    bool useful;
    const sp_status status = open_contour(&c, pairs, count, epsilon, NAN, &above, &useful);
    *delta = status == SP_OK && useful ? delta_at(&c, epsilon) : 1.0;
    free(c.term);
    free(c.later);
    return status;
}
