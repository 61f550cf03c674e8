/*
 * statistics.c -- means, bootstrap intervals, fitted exponents.
 *
 *   mean       m = (1/k) sum v_i;  interval: quantiles (1 -+ level)/2 of the means of SP_RESAMPLES resamples of v
 *   exponent   slope b of the least-squares line  log m_p = a + b log x_p,  m_p the mean over replicates at x_p
 *
 * Source   Efron 1979 (percentile bootstrap). A resample of an exponent draws replicates, not values: replicate r met
 *          the same records at every x, so its values move together.
 */
#include "core/runner/statistics.h"

#include "core/base/memory.h"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static size_t draw(gsl_rng *stream, size_t count)
{
    return (size_t)(gsl_rng_uniform(stream) * (double)count);
}

/* Sorts what it is given. */
static void set_interval(sp_interval *interval, double *resampled, size_t count, double level)
{
    gsl_sort(resampled, 1, count);
    interval->low = gsl_stats_quantile_from_sorted_data(resampled, 1, count, 0.5 * (1.0 - level));
    interval->high = gsl_stats_quantile_from_sorted_data(resampled, 1, count, 0.5 * (1.0 + level));
}

/* Mean of the finite ones among value[pick[i]]; NAN when there are none. */
static double mean_of(const double *value, const size_t *pick, size_t count)
{
    double sum = 0.0;
    size_t finite = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(value[pick[i]])) {
            sum += value[pick[i]];
            finite++;
        }
    return finite ? sum / (double)finite : NAN;
}

sp_interval sp_bootstrap_mean(const double *value, size_t count, double level, gsl_rng *stream)
{
    sp_interval interval = { .estimate = NAN, .low = NAN, .high = NAN };
    double resampled[SP_RESAMPLES], total = 0.0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(value[i])) {
            total += value[i];
            interval.count++;
        }
    if (interval.count > 0)
        interval.estimate = total / (double)interval.count;
    if (interval.count < 2)
        return interval;
    for (size_t b = 0; b < SP_RESAMPLES; b++) {
        double sum = 0.0;
        for (size_t i = 0; i < interval.count; i++) {
            double v;
            do /* uniform over the finite ones, by rejection */
                v = value[draw(stream, count)];
            while (!isfinite(v));
            sum += v;
        }
        resampled[b] = sum / (double)interval.count;
    }
    set_interval(&interval, resampled, SP_RESAMPLES, level);
    return interval;
}

/* The line through (log x, log mean) over the picked replicates; false when a mean has no logarithm. */
static bool fit(const double *log_x, const double *const *row, size_t points, const size_t *pick, size_t replicates,
                double *log_mean, double *intercept, double *slope)
{
    double c00, c01, c11, squares;
    for (size_t p = 0; p < points; p++) {
        const double mean = mean_of(row[p], pick, replicates);
        if (!(mean > 0.0))
            return false;
        log_mean[p] = log(mean);
    }
    gsl_fit_linear(log_x, 1, log_mean, 1, points, intercept, slope, &c00, &c01, &c11, &squares);
    return true;
}

sp_status sp_fit_exponent(const double *x, const double *value, size_t points, size_t replicates, double level,
                          gsl_rng *stream, sp_interval *slope, double *intercept)
{
    sp_status status = SP_OK;
    double *log_x = sp_alloc_doubles(points + 1), *log_mean = sp_alloc_doubles(points + 1);
    const double **row = sp_alloc(points + 1, sizeof *row);
    size_t *pick = sp_alloc(replicates + 1, sizeof *pick), used = 0, resamples = 0;
    double resampled[SP_RESAMPLES], lowest = INFINITY, highest = -INFINITY, origin, unused;
    sp_interval result = { .estimate = NAN, .low = NAN, .high = NAN };
    if (!log_x || !log_mean || !row || !pick)
        SP_TRY(SP_ENOMEM);
    for (size_t r = 0; r < replicates; r++)
        pick[r] = r;
    for (size_t p = 0; p < points; p++) {
        if (isnan(mean_of(value + p * replicates, pick, replicates)))
            continue; /* every replicate failed here */
        if (!(x[p] > 0.0 && isfinite(x[p])))
            SP_TRY(SP_EINVAL);
        lowest = fmin(lowest, x[p]);
        highest = fmax(highest, x[p]);
        log_x[used] = log(x[p]);
        row[used++] = value + p * replicates;
    }
    if (!(lowest < highest) || !fit(log_x, row, used, pick, replicates, log_mean, &origin, &result.estimate))
        SP_TRY(SP_EINVAL);
    result.count = used;
    for (size_t b = 0; replicates > 1 && b < SP_RESAMPLES; b++) {
        for (size_t r = 0; r < replicates; r++)
            pick[r] = draw(stream, replicates);
        resamples += fit(log_x, row, used, pick, replicates, log_mean, &unused, &resampled[resamples]);
    }
    if (resamples > 0)
        set_interval(&result, resampled, resamples, level);
    *slope = result;
    if (intercept)
        *intercept = origin;
cleanup:
    free(log_x);
    free(log_mean);
    free(row);
    free(pick);
    return status;
}
