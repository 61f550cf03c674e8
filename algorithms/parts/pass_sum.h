/* pass_sum.h -- running sums of clipped gradients over passes, with correlated noise, for dp_nsgd and dp_ftrl.
 *
 * The n records come in B = ceil(n / m) blocks of m, in the order of a permutation, one for all epochs or a new one for
 * each; the last block of an epoch contains the records left over. With S_t the block of step t, w_t any point that
 * depends on released values only and keep >= 0,
 *
 *   G_t = keep G_{t-1} + (|S_t| / m) mean_{S_t} grad f(w_t),   G_0 = 0,
 *
 * so one record moves each term by at most 2 L_data / m, also for a short block. Every G_t is released with the noise
 * of an accumulator (core/oracle/oracle.h), whose node noise has deviation k sqrt(cost) 2 L_data / m per coordinate: k
 * is the calibrated noise multiplier, and cost what the record that pays most pays over all T releases at unit
 * sensitivity. So the whole budget is spent, for every T. */
#ifndef SP_ALGORITHMS_PARTS_PASS_SUM_H
#define SP_ALGORITHMS_PARTS_PASS_SUM_H

#include "algorithms/algorithm.h"

/* The words of a parameter `noise`, what they mean, and the kind of noise that the index of a word stands for. */
#define SP_PASS_NOISES "tree|honaker|sqrt"
#define SP_PASS_NOISES_MEAN "noise of the sums: of a binary tree; of one whose nodes are averaged (less noise); or " \
                            "by a matrix square root (least noise, most memory)"
static inline sp_accumulator_noise sp_pass_noise(size_t word)
{
    return word == 0 ? SP_NOISE_TREE : word == 1 ? SP_NOISE_HONAKER : SP_NOISE_SQRT;
}

typedef struct sp_pass_plan {
    sp_accumulator_noise noise;
    size_t batch, steps; /* records m of a block; releases T, at least 1 */
    bool reshuffle;      /* a new permutation each epoch, its cost taken from those that were drawn; trees alone */
    double keep;
    double paper;        /* node noise of a printed formula, in units of 2 L_data / m; 0: there is none */
} sp_pass_plan;

typedef struct sp_pass_sum {
    sp_oracle *oracle;
    sp_pass_plan plan;
    double cost;         /* of the dearest record, (sensitivity / noise_std)^2 apart */
    double noise_std;    /* of a node, a coordinate; 0 with the noise off */
    double variance;     /* of a coordinate of G_t, mean over t, in units of noise_std^2 */
    sp_accumulator *sum; /* the oracle's */
} sp_pass_sum;

/* B */
size_t sp_pass_epoch(const sp_oracle *, size_t batch);
/* Announces all T releases. SP_EINVAL for a batch of more than n records; SP_EUNSUPPORTED to reshuffle without a tree;
 * SP_ENOMEM. */
sp_status sp_pass_sum_open(sp_oracle *, const sp_pass_plan *, sp_pass_sum *);
/* The next step: g[d] = G_t, released, with w_t = w. */
sp_status sp_pass_sum_next(sp_pass_sum *, const double *w, double *g);

#endif
