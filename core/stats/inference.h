/* inference.h -- intervals and tests of a mean or a median; the functions take numbers only, no tables.
 *
 *   mean       m = (1/k) sum_i v_i of k values, s^2 = (1/(k - 1)) sum_i (v_i - m)^2; m -+ t s / sqrt(k), t the quantile
 *              (1 + level)/2 of Student's t with k - 1 degrees of freedom
 *   median     from the j-th smallest to the j-th largest of the k values, j the largest with
 *              2 P(B < j) <= 1 - level, B of Binomial(k, 1/2): exact for every continuous distribution
 *   t test     (m - mean) sqrt(k) / s against Student's t with k - 1 degrees of freedom
 *   sign test  how many of the values that differ from the median are above it, against Binomial(., 1/2)
 *
 * Equivalence within low .. high is shown by two one-sided tests (Schuirmann 1987), SP_GREATER at low and SP_LESS at
 * high; its p-value is the larger of the two. */
#ifndef SP_STATS_INFERENCE_H
#define SP_STATS_INFERENCE_H

#include "core/stats/statistics.h"

/* What a test is to show of the mean or the median, against "it is the number that is named". */
typedef enum { SP_LESS, SP_GREATER, SP_UNEQUAL } sp_side;

/* Values that are not finite are left out. No interval of fewer than two. */
sp_interval sp_mean_t(const double *value, size_t count, double level);
/* NAN is left out, an infinity has its rank. No interval where no j is 1 or more: of fewer than 6 at level 0.95. */
sp_interval sp_median_exact(const double *value, size_t count, double level);

/* The quantile of the values, between two of them by their ranks (Hyndman & Fan 1996, type 7); NAN is left out, and is
 * that of none. */
double sp_quantile(const double *value, size_t count, double share);

/* p; values that are not finite are left out. NAN for fewer than two and for values that are all the same. */
double sp_t_test(const double *value, size_t count, double mean, sp_side);
/* p; NAN is left out, an infinity has its sign. 1 where no value differs from the median. */
double sp_sign_test(const double *value, size_t count, double median, sp_side);

/* Adjusts p-values in place so that those at most alpha are wrong with probability alpha, be it one or more of them
 * (Holm 1979). NAN is no test: it stays and is not counted. */
void sp_holm(double *p, size_t count);

#endif
