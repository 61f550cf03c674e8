/* counts.h -- draws binomial and hypergeometric counts, up to 2^32 - 1 records, in a time that does not grow with
 * them. */
#ifndef SP_NUMERIC_COUNTS_H
#define SP_NUMERIC_COUNTS_H

#include <gsl/gsl_rng.h>
#include <stddef.h>

/* Of n records, each marked with probability p: how many are. */
size_t sp_binomial(gsl_rng *, size_t n, double p);
double sp_binomial_log(size_t n, double p, size_t k); /* log P(k), 0 < p < 1, k <= n */

/* Of `draws` records out of good + bad, all such choices being alike: how many are good. More draws than records draw
 * them all. */
size_t sp_hypergeometric(gsl_rng *, size_t good, size_t bad, size_t draws);
/* log P(k), 0 < draws < good + bad, max(0, draws - bad) <= k <= min(draws, good) */
double sp_hypergeometric_log(size_t good, size_t bad, size_t draws, size_t k);

#endif
