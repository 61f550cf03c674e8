/* momentum.h -- step length and bound of dp_nsgd and sr_nsgd: normalised steps along a noisy momentum over passes.
 *
 *   M_t = (1 - a) M_{t-1} + a (|S_t| / m) mean_{S_t} grad f(w_t),  M_0 = 0;  w_{t+1} = w_t - eta g_t / ||g_t||,
 *
 * S_t the blocks of m records of a permutation of all n, B = ceil(n / m) per epoch, t = 1..T, and g_t = M_t + noise.
 * With nu the mean over t of E||noise||, and a new permutation for each epoch,
 *
 *   mean_t E||grad F(w_t)|| <= gap / (eta T) + beta eta / 2 + 2 { L_data sqrt(a / ((2 - a) m)) + 2 beta eta B
 *                              + beta eta / a + L / (a T) + nu + L_data a s / (1 - (1 - a)^B) },
 *
 * s = 1 - |last block| / m. The terms in braces are for: records drawn without replacement, steps since the epoch
 * began, steps that the momentum remembers, its start from 0, noise, the short block. The bound is that of Tran &
 * Cutkosky 2022, Theorem 6, with the elementary <grad F, g / ||g||> >= ||grad F|| - 2 ||grad F - g|| in place of their
 * Lemma 5, which gives the constants 1, 1/2 and 2 in place of 3/2, 3/4 and 3. */
#ifndef SP_ALGORITHMS_PARTS_MOMENTUM_H
#define SP_ALGORITHMS_PARTS_MOMENTUM_H

#include "algorithms/algorithm.h"

/* eta = sqrt(gap / (beta B T)): the printed 1 / sqrt(B T), in the units of w. */
double sp_momentum_step(const sp_constants *, size_t blocks, size_t steps);
/* noise: nu */
double sp_momentum_bound(const sp_constants *, size_t batch, size_t steps, double a, double eta, double noise);

#endif
