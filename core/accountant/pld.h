/* pld.h -- privacy-loss distributions: upper bounds on (epsilon, delta) of a composition of dominating pairs
 * (dominating_pairs.h), which stay upper bounds in floating point. Included inside this folder only.
 *
 * The pairs are put on a grid that dominates them and are convolved by one exponentially tilted FFT. Every rounding and
 * every truncation is added to delta. */
#ifndef SP_ACCOUNTANT_PLD_H
#define SP_ACCOUNTANT_PLD_H

#include "core/accountant/dominating_pairs.h"

/* Smallest epsilon >= 0 at which the composition is (epsilon, delta)-DP, from above. INFINITY when none is found (delta
 * is below what the grid gives away). Counts may be up to 1e15. SP_ENOMEM. */
sp_status sp_pld_epsilon(const sp_dominating_pair *, size_t count, double delta, double *epsilon);
/* Smallest delta at epsilon >= 0, from above. */
sp_status sp_pld_delta(const sp_dominating_pair *, size_t count, double epsilon, double *delta);

#endif
