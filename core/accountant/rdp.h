/* rdp.h -- Renyi curves R(a) of single releases (a > 1 is the order), and (epsilon, delta) from a curve. Included
 * inside this folder only.
 *
 *   eps(a)      = R(a) + ln((a-1)/a) - (ln delta + ln a)/(a-1)          Canonne, Kamath & Steinke 2020, Prop. 12
 *   ln delta(a) = (a-1) (R(a) + ln((a-1)/a) - eps) - ln a
 *
 * Every order gives a valid bound; the search over orders only makes it smaller. */
#ifndef SP_ACCOUNTANT_RDP_H
#define SP_ACCOUNTANT_RDP_H

#include "core/accountant/ledger.h"

#include <stdbool.h>

/* R(order), order > 1. */
typedef double (*sp_rdp_curve)(const void *context, double order);

/* The smallest epsilon (>= 0) at delta, with its order; the smallest delta (<= 1) at epsilon. `rising`: R does not
 * decrease with the order, as no Renyi divergence does; the bound of a `select` does. */
double sp_rdp_epsilon(sp_rdp_curve, const void *context, bool rising, double delta, double *order);
double sp_rdp_delta(sp_rdp_curve, const void *context, bool rising, double epsilon);

/* R(order) of one release of the entry with its noise multiplied by `factor` (INFINITY where the noise can be scaled:
 * no information). Exact for gauss, tree, poisson, laplace, em and the pure kinds (with mass delta at infinity left
 * out for approx); sp_rdp_without_replacement for gauss_wor. select: Papernot & Steinke 2022, Thm 2 (truncated negative
 * binomial number of runs, with shape eta > -1 and gamma such that the mean is `mean`) and Thm 6 (Poisson, shape
 * INFINITY) over Gaussian runs. */
double sp_rdp_release(const sp_entry *, double factor, sp_neighbours, double order);

/* Nodes of one tree that a record is in, at most: floor(log2 steps) + 1. */
double sp_tree_levels(size_t steps);

#endif
