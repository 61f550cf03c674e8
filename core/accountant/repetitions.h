/* repetitions.h -- the distribution of K, the number of runs of which only the best output is kept (entry `select` of
 * the ledger).
 *
 * Truncated negative binomial with shape eta > -1 and 0 < gamma < 1 (Papernot & Steinke 2022): for k = 1, 2, ...
 *
 *   P(K = k) ~ (1 - gamma)^k prod_{j < k} (j + eta) / (j + 1);   eta = 0: (1 - gamma)^k / (k ln(1/gamma))
 *
 * Its mean is (1/gamma - 1) / ln(1/gamma) at eta = 0, 1/gamma at eta = 1 (geometric), and in general
 * eta (1 - gamma) / (gamma (1 - gamma^eta)). The shape INFINITY stands for a Poisson distribution of that mean. */
#ifndef SP_ACCOUNTANT_REPETITIONS_H
#define SP_ACCOUNTANT_REPETITIONS_H

#include <stddef.h>

/* ln(1/gamma), from above, of a finite shape and a mean > 1. */
double sp_repetitions_log_gamma(double shape, double mean);
/* At least P(K > cap), and little more; 0 for cap = 0, which means that there is no cap. */
double sp_repetitions_beyond(double shape, double mean, size_t cap);
/* The least cap (> 0) with sp_repetitions_beyond(...) <= chance. */
size_t sp_repetitions_cap(double shape, double mean, double chance);
/* K of a finite shape from u, uniform on [0, 1): the least k with P(K <= k) > u, at most cap (> 0). */
size_t sp_repetitions_draw(double shape, double mean, size_t cap, double u);

#endif
