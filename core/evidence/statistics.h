/* statistics.h -- curves, fitted exponents, bootstrap intervals of both: functions of numbers and a stream. */
#ifndef SP_EVIDENCE_STATISTICS_H
#define SP_EVIDENCE_STATISTICS_H

#include "core/base/status.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sp_interval {
    double estimate, low, high; /* NAN where there is none: no value at all, no interval from a single replicate */
    size_t count;               /* finite values that entered; of a slope: points that it is fitted to */
} sp_interval;

enum { SP_RESAMPLES = 2000 };

/* Sorts and drops repetitions; returns how many are left. */
size_t sp_distinct(double *value, size_t count);
/* Where a value stands among ascending ones; `count` when it does not. */
size_t sp_find_sorted(const double *sorted, size_t count, double value);

/* What a curve y(x) is made of. Without `level` y is the worst mean, max over members of the mean over replicates. With
 * it (ascending) y is an inversion: the smallest level[l] that is reached, at every member, by at least `share` of the
 * replicates, where a run reaches it when its value is at most reach * level[l]; NAN when none is. */
typedef struct sp_samples {
    size_t points, levels, members, replicates; /* levels = 1 without `level` */
    const double *x, *level; /* by point; by level */
    const double *value; /* points x levels x members x replicates; NAN: no value (which reaches nothing) */
    double reach, share; /* of an inversion, as above */
} sp_samples;

/* Arrays of `points`, the caller's; each may be NULL. */
typedef struct sp_curve_fit {
    sp_interval *y;      /* the curve itself */
    size_t *decides;     /* the member with the worst mean; of an inversion: the level. `members` or `levels`: none */
    double *agreement;   /* share of the resamples in which the same one decides */
    sp_interval *local;  /* slope from the point before among those fitted; all NAN at the first and at the others */
    sp_interval slope;   /* of log y against log x; count: points */
    double intercept;    /* log C of C x^slope */
} sp_curve_fit;

/* y, and which member or level decides, without any resampling. */
void sp_curve_values(const sp_samples *, double *y, size_t *decides);
/* Slope of log y against log x by least squares over the points that `use` marks (NULL: all) and that have a y.
 * Replicates share their streams across points, so they are resampled together (seed-level bootstrap), as many times as
 * SP_RESAMPLES; a resample in which a fitted point has no positive y is left out. SP_EINVAL, with the outputs
 * untouched, when an x or a y to be fitted is not positive or fewer than two distinct x are left. */
sp_status sp_fit_curve(const sp_samples *, const bool *use, double level, gsl_rng *stream, sp_curve_fit *);

/* The same for a plain mean: value[p * replicates + r] is replicate r at x[p]. `intercept` may be NULL. */
sp_status sp_fit_exponent(const double *x, const double *value, size_t points, size_t replicates, double level,
                          gsl_rng *stream, sp_interval *slope, double *intercept);

#endif
