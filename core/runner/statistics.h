/* statistics.h -- means, bootstrap intervals, fitted exponents. Pure functions of numbers and a stream. */
#ifndef SP_RUNNER_STATISTICS_H
#define SP_RUNNER_STATISTICS_H

#include "core/base/status.h"

#include <gsl/gsl_rng.h>
#include <stddef.h>

typedef struct sp_interval {
    double estimate, low, high; /* NAN where there is none: no value at all, no interval from a single replicate */
    size_t count;               /* finite values that entered; of a slope: points */
} sp_interval;

enum { SP_RESAMPLES = 2000 };

/* Mean with a percentile bootstrap interval at `level` (0.95); non-finite values are left out and not counted. */
sp_interval sp_bootstrap_mean(const double *value, size_t count, double level, gsl_rng *stream);

/* Slope of log(mean y) against log x by least squares over `points` groups; value[p * replicates + r] is replicate r at
 * x[p]. Replicates share their streams across points, so they are resampled together (seed-level bootstrap); a resample
 * in which some point has no positive mean is left out. A point without a finite value is left out. SP_EINVAL, with the
 * outputs untouched, when x or a mean is not positive or fewer than two distinct x are left. `intercept` (may be NULL):
 * log C of C x^slope. */
sp_status sp_fit_exponent(const double *x, const double *value, size_t points, size_t replicates, double level,
                          gsl_rng *stream, sp_interval *slope, double *intercept);

#endif
