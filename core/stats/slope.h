/* slope.h -- the exponent of a curve: a line through the logarithms of means, with its interval, a test of the fit, and
 * the slope at the end. The functions take numbers only, no tables.
 *
 * Points p have an x_p and replicates y_pr, r = 1..R_p, with mean m_p and standard deviation s_p. P is the number of
 * points. Let z_p = log x_p minus its mean.
 *
 *   slope  b = sum_p a_p log m_p,  a_p = z_p / sum z^2  (least squares)
 *   se^2   sum_p V_p,  V_p = a_p^2 s_p^2 / (R_p m_p^2); Student's t with (sum V)^2 / sum (V_p^2 / (R_p - 1)) degrees
 *          of freedom. If replicate r had the same records at every x: a' C a with the covariances
 *          C_pq = s_pq / (R m_p m_q) between points, and R - 1 degrees of freedom
 *   fit    is it a line? chi^2 of the residuals of the weighted line, against F: Johansen's form of Welch's test, or
 *          Hotelling's T^2 of the second differences if replicates are paired. If p < 0.05 the standard error is at
 *          least that of the residuals, with P - 2 degrees of freedom
 *   tail   slope at the last x (for a theorem about small x, at the first one) of the quadratic of least squares, with
 *          its interval in the same way. Not of the weighted quadratic: with estimated weights the interval from 5
 *          replicates covers 83 %, not 90 %
 *
 * Where two lines meet. Line i is l_i + b_i (z - c_i), z = log x, l_i its level at the mean c_i of the log x that were
 * fitted. Let D(z) be the difference of two lines, of labels with independent coins, and V(z) its variance, from those
 * of l_i and b_i and their covariance. They meet where D is 0. The 90 % interval is all z with D(z)^2 <= t^2 V(z), by
 * Fieller's theorem: a quadratic inequality, whose roots enclose an interval if the slopes differ at 5 % on each side.
 * Otherwise the data are compatible with parallel lines, and the interval is unbounded. t is Student's, with the
 * degrees of freedom of the difference of the slopes, which far from the points is most of the error.
 *
 * Source   Welch 1947; Johansen 1980 (Biometrika 67); Hotelling 1931; Jaeckel 1972 (infinitesimal jackknife);
 *          Fieller 1954. */
#ifndef SP_STATS_SLOPE_H
#define SP_STATS_SLOPE_H

#include "core/stats/statistics.h"

typedef struct sp_slope {
    double estimate, se, df;           /* b, its standard error, its degrees of freedom; NAN: no line, no interval */
    double noise_se, noise_df;         /* the same by what the replicates scatter, however the line fits */
    double low, high;                  /* 90 % */
    double intercept;                  /* log C of C x^b */
    double middle, level, level_se;    /* mean of log x over the points that were fitted, the line's log y there, and
                                        * its standard error */
    double covariance;                 /* of the level and b */
    double fit_p;                      /* p of the test of the line; NAN: two points, or too few replicates */
    double tail, tail_low, tail_high;  /* 90 %; NAN with two points */
    double tail_se, tail_df;
    size_t points;                     /* that were fitted */
} sp_slope;

extern const sp_slope sp_no_slope;

/* Ends of the 90 % interval: two one-sided tests at 5 %. NAN where se or df is. */
void sp_slope_interval(double estimate, double se, double df, double *low, double *high);

/* The x at which two fitted lines meet, 90 %. All NAN where a line has no error or both have one slope; low and high
 * are where the slopes do not differ (above). `count` is 2. */
sp_interval sp_slope_crossing(const sp_slope *, const sp_slope *);

typedef struct sp_points {
    size_t points, replicates;
    const double *x;     /* by point, ascending */
    const double *value; /* points x replicates; NAN: none */
    bool joint;          /* replicates go together: r met the same records at every x */
    bool toward_zero;    /* the curve ends at its first x */
} sp_points;

/* Fitted are the points that `use` marks (NULL: all) and that have a value. local[points] may be NULL: slopes from the
 * fitted point before, 90 %; all NAN at the first and at those not fitted. SP_EINVAL, with the outputs untouched, when
 * an x or a mean to be fitted is not positive, two have the same x, or fewer than two points are left. */
sp_status sp_slope_fit(const sp_points *, const bool *use, sp_slope *, sp_interval *local);

/* The same for an inversion (statistics.h). Its covariances are those of SP_RESAMPLES bootstrap samples of replicates,
 * and of a uniform law over the step of the grid of levels below y. y[points], by these, 95 %. */
sp_status sp_slope_of_inversion(const sp_samples *, const bool *use, gsl_rng *stream, sp_slope *, sp_interval *local,
                                sp_interval *y);

#endif
