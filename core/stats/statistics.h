/* statistics.h -- the values of a curve, computed from all replicates or from a resample of them. The functions take
 * numbers and a random stream only, no tables. */
#ifndef SP_STATS_STATISTICS_H
#define SP_STATS_STATISTICS_H

#include "core/base/status.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sp_interval {
    double estimate, low, high; /* NAN where there is none: no value at all, no interval from a single replicate */
    size_t count;               /* finite values that entered; of a local slope: 2 points */
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
    bool toward_zero;    /* the curve ends at its first x */
} sp_samples;

/* Mean of the finite ones among value[pick[i]] (pick NULL: value[i]), i < count; NAN when there are none. *finite, how
 * many they are, may be NULL. */
double sp_finite_mean(const double *value, const size_t *pick, size_t count, size_t *finite);
/* y of all replicates, or of those that are picked (pick[replicates], NULL: all); and which decides, the member with
 * the worst mean, of an inversion the level (`members` or `levels`: none; may be NULL). */
void sp_curve_values(const sp_samples *, const size_t *pick, double *y, size_t *decides);
/* Draws pick[count] of 0..count-1 with replacement. */
void sp_resample(size_t count, gsl_rng *stream, size_t *pick);

#endif
