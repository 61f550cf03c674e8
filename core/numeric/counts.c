/* counts.c -- draws binomial and hypergeometric counts, exactly except for the rounding of log P (1e-10 at 2^32
 * records).
 *
 * Probabilities. The records fall into cells. Binomial: k and n - k. Hypergeometric: of the records drawn, k good ones
 * and draws - k bad ones; of those not drawn, good - k and the rest. With x_i records in cell i, of which e_i are
 * expected,
 *
 *   log P(k) = C - sum_i (D(x_i, e_i) + s(x_i)),  D(x, e) = x log(x/e) - x + e,  s(x) = log x! - x log x + x,
 *
 * with C = s(n) for the binomial distribution, and for the hypergeometric one the sum of s over good, bad, drawn and
 * not drawn minus s of all records. D is small where x is near e, so no large logarithms cancel, as those of factorials
 * would (Loader 2000, "Fast and accurate computation of binomial probabilities"). s(x) = log(2 pi x) / 2 + r(x),
 * r(x) = 1 / (12 x) - ...; s(0) = 0.
 *
 * Draws. Both distributions are log-concave: with M the most probable k and p = P(M), P(M + i) <= p min(1, exp(1 - p
 * |i|)). Rejection from this bound takes 4 to 5 trials on average, for every distribution (Devroye 1987, "A simple
 * generator for discrete log-concave distributions"). The bound also holds for a smaller p: p is taken slightly below
 * its rounded value. */
#include "core/numeric/counts.h"

#include "core/numeric/math.h"

#include <math.h>
#include <stdbool.h>

enum { CELLS = 4, FEW = 16 };

/* r(x), x > 0 */
static double remainder_of(double x)
{
    static const double few[FEW] = {
        0.0, 0.081061466795327258, 0.041340695955409294, 0.027677925684998339, 0.020790672103765093,
        0.016644691189821192, 0.013876128823070748, 0.01189670994589177, 0.010411265261972096, 0.0092554621827127329,
        0.0083305634333628713, 0.0075736754879518408, 0.0069428401072095299, 0.0064089941880042071,
        0.0059513701127588477, 0.0055547335519628014,
    };
    if (x < FEW)
        return few[(size_t)x];
    const double y = 1.0 / x, z = y * y;
    return y * (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0 - z / 1188.0))));
}

static double stirling(double x)
{
    return x > 0.0 ? 0.5 * sp_log(2.0 * M_PI * x) + remainder_of(x) : 0.0;
}

/* sum_i (D(x_i, e_i) + s(x_i)) */
static double deviance(size_t cells, const double *x, const double *e)
{
    double sum = 0.0, product = 1.0;
    for (size_t i = 0; i < cells; i++) {
        const double far = x[i] - e[i];
        sum += x[i] > 0.0 ? x[i] * sp_log1p(far / e[i]) - far + remainder_of(x[i]) : e[i];
        product *= x[i] > 0.0 ? 2.0 * M_PI * x[i] : 1.0;
    }
    return sum + 0.5 * sp_log(product);
}

/* A law of k. hypergeometric: n good ones, `bad` others, `draws` of them drawn; else binomial: n, p. */
typedef struct law {
    bool hypergeometric;
    size_t n, bad, draws;
    double p;
    size_t low, high, mode; /* of k */
} law;

/* C */
static double constant(const law *l)
{
    const double n = (double)l->n, bad = (double)l->bad, draws = (double)l->draws;
    return l->hypergeometric ? stirling(n) + stirling(bad) + stirling(draws) + stirling(n + bad - draws) -
                                   stirling(n + bad)
                             : stirling(n);
}

/* C - log P(k) */
static double cost(const law *l, size_t k)
{
    const double n = (double)l->n, bad = (double)l->bad, draws = (double)l->draws, in = (double)k;
    if (!l->hypergeometric) {
        const double x[] = { in, n - in }, e[] = { n * l->p, n * (1.0 - l->p) };
        return deviance(2, x, e);
    }
    const double drawn = draws / (n + bad), left = (n + bad - draws) / (n + bad);
    const double x[CELLS] = { in, n - in, draws - in, bad - draws + in };
    const double e[CELLS] = { n * drawn, n * left, bad * drawn, bad * left };
    return deviance(CELLS, x, e);
}

static law binomial(size_t n, double p)
{
    law l = { .n = n, .p = p, .low = p < 1.0 ? 0 : n, .high = p > 0.0 ? n : 0 };
    l.mode = (size_t)fmin(floor(((double)n + 1.0) * p), (double)n);
    return l;
}

static law hypergeometric(size_t good, size_t bad, size_t draws)
{
    const double mode = floor(((double)draws + 1.0) * ((double)good + 1.0) / ((double)(good + bad) + 2.0));
    law l = { .hypergeometric = true, .n = good, .bad = bad, .draws = draws, .low = draws > bad ? draws - bad : 0,
              .high = draws < good ? draws : good };
    l.mode = (size_t)fmax((double)l.low, fmin(mode, (double)l.high));
    return l;
}

double sp_binomial_log(size_t n, double p, size_t k)
{
    const law l = binomial(n, p);
    return constant(&l) - cost(&l, k);
}

double sp_hypergeometric_log(size_t good, size_t bad, size_t draws, size_t k)
{
    const law l = hypergeometric(good, bad, draws);
    return constant(&l) - cost(&l, k);
}

/* --- draws -------------------------------------------------------------------------------------------------------- */

static double exponential(gsl_rng *stream)
{
    return -sp_log(1.0 - gsl_rng_uniform(stream));
}

static size_t draw(const law *l, gsl_rng *stream)
{
    if (l->low >= l->high) /* above it: more are to be drawn than there are */
        return l->high;
    const double least = cost(l, l->mode), p = sp_exp(constant(l) - least) * (1.0 - 1e-9), flat = 1.0 + 0.5 * p;
    for (;;) {
        const bool level = gsl_rng_uniform(stream) * (1.0 + flat) < flat, up = gsl_rng_get(stream) >> 63;
        const double y = (level ? flat * gsl_rng_uniform(stream) : flat + exponential(stream)) / p, far = round(y);
        const double trial = exponential(stream) + fmax(0.0, p * y - flat);
        if (far > (double)(up ? l->high - l->mode : l->mode - l->low))
            continue;
        const size_t k = up ? l->mode + (size_t)far : l->mode - (size_t)far;
        if (cost(l, k) - least <= trial)
            return k;
    }
}

size_t sp_binomial(gsl_rng *stream, size_t n, double p)
{
    const law l = binomial(n, p);
    return draw(&l, stream);
}

size_t sp_hypergeometric(gsl_rng *stream, size_t good, size_t bad, size_t draws)
{
    const law l = hypergeometric(good, bad, draws);
    return draw(&l, stream);
}
