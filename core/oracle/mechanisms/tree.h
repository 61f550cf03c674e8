/* tree.h -- prefix sums from noisy sums over dyadic blocks of steps. Post-processing only: it draws no noise and
 * charges nothing. Included inside this folder only. */
#ifndef SP_ORACLE_MECHANISMS_TREE_H
#define SP_ORACLE_MECHANISMS_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* The block that ends at step t has 2^l steps, 2^l the largest power of two that divides t; so one new block a step. */
typedef struct sp_tree sp_tree;

/* Blocks for up to `steps` steps; NULL when out of memory. */
sp_tree *sp_tree_new(size_t d, size_t steps, bool honaker);
void sp_tree_free(sp_tree *);
void sp_tree_clear(sp_tree *);
size_t sp_tree_steps(const sp_tree *); /* so far */
/* How many earlier blocks the next step's block swallows (l). */
size_t sp_tree_merges(const sp_tree *);
/* All that was summed is multiplied by keep. */
void sp_tree_keep(sp_tree *, double keep);
/* The next step. value: the noisy sum over its block; honaker: l + 1 of them (d each), over the last 1, 2, ..., 2^l
 * steps; noise_std: of each coordinate, the same for all. out[d]: the estimate of the prefix sum. */
void sp_tree_step(sp_tree *, const double *value, double noise_std, double *out);
/* Variance of a coordinate of the last prefix. */
double sp_tree_variance(const sp_tree *);

#endif
