/* contour.h -- upper bounds on (epsilon, delta) of a composition of dominating pairs (dominating_pairs.h), by a contour
 * integral. Included inside this folder only.
 *
 * It serves where a grid (pld.h) cannot: a grid rounds every release, and from about 10^7 releases on the sum of these
 * roundings exceeds delta. Here the moment of one release is computed to full relative accuracy and raised to the
 * number of releases at once. */
#ifndef SP_ACCOUNTANT_CONTOUR_H
#define SP_ACCOUNTANT_CONTOUR_H

#include "core/accountant/dominating_pairs.h"

/* As many equal sampled releases make the contour integral worth its time, some 50 ms. */
extern const double sp_contour_least;

/* Smallest epsilon >= 0 at which the composition is (epsilon, delta)-DP, from above; INFINITY where the integral gives
 * no bound. SP_ENOMEM. */
sp_status sp_contour_epsilon(const sp_dominating_pair *, size_t count, double delta, double *epsilon);
/* Smallest delta at epsilon >= 0, from above, at most 1. SP_ENOMEM. */
sp_status sp_contour_delta(const sp_dominating_pair *, size_t count, double epsilon, double *delta);

#endif
