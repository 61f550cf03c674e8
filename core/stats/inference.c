/*
 * inference.c -- intervals and tests of a mean or a median (inference.h has the formulas).
 *
 * Source   Student 1908; Dixon & Mood 1946 (sign test; without the values equal to the median); Thompson 1936 (the
 *          median's interval); Holm 1979: of m p-values p_1 <= ... <= p_m the i-th becomes the largest of
 *          min(1, (m - j + 1) p_j) over j <= i.
 */
#include "core/stats/inference.h"

#include "core/base/memory.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

typedef struct moments {
    size_t count;       /* finite values */
    double mean, error; /* error: s / sqrt(k); NAN for fewer than two values */
} moments;

static moments moments_of(const double *value, size_t count)
{
    moments m = { .mean = NAN, .error = NAN };
    double total = 0.0, rest = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(value[i])) {
            total += value[i];
            m.count++;
        }
    const double k = (double)m.count;
    if (m.count > 0)
        m.mean = total / k;
    if (m.count < 2)
        return m;
    for (size_t i = 0; i < count; i++)
        if (isfinite(value[i]))
            rest += value[i] - m.mean;
    const double centre = m.mean + rest / k; /* equal values are at no distance from it, whatever the mean rounds to */
    for (size_t i = 0; i < count; i++)
        if (isfinite(value[i]))
            squares += (value[i] - centre) * (value[i] - centre);
    m.error = sqrt(squares / ((k - 1.0) * k));
    return m;
}

sp_interval sp_mean_t(const double *value, size_t count, double level)
{
    const moments m = moments_of(value, count);
    sp_interval interval = { m.mean, NAN, NAN, m.count };
    if (m.count > 1) {
        const double half = gsl_cdf_tdist_Pinv(0.5 * (1.0 + level), (double)(m.count - 1)) * m.error;
        interval.low = m.mean - half;
        interval.high = m.mean + half;
    }
    return interval;
}

/* The values that are numbers, ascending. The caller frees them. */
static double *sorted_values(const double *value, size_t count, size_t *numbers)
{
    double *sorted = sp_need(sp_alloc_doubles(count + 1));
    *numbers = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(value[i]))
            sorted[(*numbers)++] = value[i];
    gsl_sort(sorted, 1, *numbers);
    return sorted;
}

double sp_quantile(const double *value, size_t count, double share)
{
    size_t k;
    double *sorted = sorted_values(value, count, &k);
    const double quantile = k > 0 ? gsl_stats_quantile_from_sorted_data(sorted, 1, k, share) : NAN;
    free(sorted);
    return quantile;
}

sp_interval sp_median_exact(const double *value, size_t count, double level)
{
    size_t k, j = 0;
    double *sorted = sorted_values(value, count, &k);
    sp_interval out = { NAN, NAN, NAN, k };
    if (k > 0)
        out.estimate = gsl_stats_median_from_sorted_data(sorted, 1, k);
    while (j < k / 2 && 2.0 * gsl_cdf_binomial_P((unsigned)j, 0.5, (unsigned)k) <= 1.0 - level)
        j++;
    if (j > 0) {
        out.low = sorted[j - 1];
        out.high = sorted[k - j];
    }
    free(sorted);
    return out;
}

double sp_t_test(const double *value, size_t count, double mean, sp_side side)
{
    const moments m = moments_of(value, count);
    if (!(m.error > 0.0))
        return NAN;
    const double t = (m.mean - mean) / m.error, df = (double)(m.count - 1);
    if (side == SP_UNEQUAL)
        return 2.0 * gsl_cdf_tdist_Q(fabs(t), df);
    return side == SP_LESS ? gsl_cdf_tdist_P(t, df) : gsl_cdf_tdist_Q(t, df);
}

/* P(B >= count), B of Binomial(tests, 1/2) */
static double at_least(size_t count, size_t tests)
{
    return count == 0 ? 1.0 : gsl_cdf_binomial_Q((unsigned)(count - 1), 0.5, (unsigned)tests);
}

double sp_sign_test(const double *value, size_t count, double median, sp_side side)
{
    size_t below = 0, above = 0;
    for (size_t i = 0; i < count; i++) {
        below += value[i] < median;
        above += value[i] > median;
    }
    if (side == SP_UNEQUAL)
        return fmin(1.0, 2.0 * at_least(below > above ? below : above, below + above));
    return at_least(side == SP_LESS ? below : above, below + above);
}

static int ascending(const void *a, const void *b)
{
    const double x = **(double *const *)a, y = **(double *const *)b;
    return (x > y) - (x < y);
}

void sp_holm(double *p, size_t count)
{
    double **sorted = sp_need(sp_alloc(count + 1, sizeof *sorted)), largest = 0.0;
    size_t tests = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]))
            sorted[tests++] = &p[i];
    qsort(sorted, tests, sizeof *sorted, ascending);
    for (size_t i = 0; i < tests; i++) {
        largest = fmax(largest, fmin(1.0, (double)(tests - i) * *sorted[i]));
        *sorted[i] = largest;
    }
    free(sorted);
}
