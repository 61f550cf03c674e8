/* repetitions.c -- the distribution of the number of runs of a selection: its parameter, tail, cap and draws
 * (repetitions.h has the formulas). */
#include "core/accountant/repetitions.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

static double mean_runs(double shape, double log_gamma)
{
    return expm1(log_gamma) * (shape == 0.0 ? 1.0 / log_gamma : shape / -expm1(-shape * log_gamma));
}

double sp_repetitions_log_gamma(double shape, double mean)
{
    double below = 0.0, above = 1.0;
    while (mean_runs(shape, above) < mean)
        above *= 2.0;
    for (double middle; (middle = (below + above) / 2.0) > below && middle < above;)
        *(mean_runs(shape, middle) < mean ? &below : &above) = middle;
    return above;
}

/* P(K = 1) */
static double first(double shape, double log_gamma)
{
    return -expm1(-log_gamma) * (shape == 0.0 ? 1.0 / log_gamma : shape / expm1(shape * log_gamma));
}

/* From k on P(K = k + 1) / P(K = k) is at most this. */
static double falls_by(double shape, double log_gamma, double k)
{
    const double q = -expm1(-log_gamma);
    return shape > 1.0 ? q * (k + shape) / (k + 1.0) : q;
}

double sp_repetitions_beyond(double shape, double mean, size_t cap)
{
    const double m = (double)cap;
    if (cap == 0)
        return 0.0;
    if (isinf(shape))
        return fmin(1.0, gsl_cdf_poisson_Q((unsigned)fmin(m, 4e9), mean) * (1.0 + 1e-9));
    const double l = sp_repetitions_log_gamma(shape, mean), ratio = falls_by(shape, l, m + 1.0);
    const double next = log(first(shape, l)) + m * log(-expm1(-l)) + gsl_sf_lngamma(m + 1.0 + shape) -
                        gsl_sf_lngamma(1.0 + shape) - gsl_sf_lngamma(m + 2.0); /* ln P(K = cap + 1) */
    /* ratio 1 - gamma, gamma small: 1 - ratio without cancellation */
    const double rest = shape > 1.0 ? 1.0 - ratio : exp(-l);
    return rest > 0.0 ? fmin(1.0, exp(next) / rest * (1.0 + 1e-9)) : 1.0;
}

size_t sp_repetitions_cap(double shape, double mean, double chance)
{
    size_t below = 0, above = 1;
    while (sp_repetitions_beyond(shape, mean, above) > chance && above < (size_t)1 << 50) {
        below = above;
        above *= 2;
    }
    while (above - below > 1) {
        const size_t middle = below + (above - below) / 2;
        *(sp_repetitions_beyond(shape, mean, middle) > chance ? &below : &above) = middle;
    }
    return above;
}

size_t sp_repetitions_draw(double shape, double mean, size_t cap, double u)
{
    const double l = sp_repetitions_log_gamma(shape, mean), q = -expm1(-l);
    double chance = first(shape, l), sum = chance;
    size_t k = 1;
    for (; k < cap && !(sum > u); k++) {
        chance *= q * ((double)k + shape) / ((double)k + 1.0);
        sum += chance;
    }
    return k;
}
