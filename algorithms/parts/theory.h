/* theory.h -- turns a theorem into a run: how many updates to make, and which bound on the result to record. */
#ifndef SP_ALGORITHMS_PARTS_THEORY_H
#define SP_ALGORITHMS_PARTS_THEORY_H

#include "algorithms/algorithm.h"

/* A derived number of updates: rounded up, at least 1. Refused when it is not finite (without a privacy budget, or
 * without a gap, no formula says when to stop), and above SP_STEPS_MAX. */
sp_status sp_derive_steps(sp_oracle *, double exact, size_t *steps);

/* T of noisy gradient descent at step size 1/beta, before rounding: it minimises 2 beta gap / T + d noise_std^2, the
 * bound of dp_gd.c. Each of them costs n gradients. */
double sp_descent_steps(const sp_constants *, double rho);

/* The smallest level up to `top` that is reached, to 1e-9, where each above one that is reached is reached too; or
 * `top`. */
double sp_smallest_level(double top, bool (*reached)(void *context, double level), void *context);

/* What already holds at the start of a smooth problem: ||grad F(w0)|| <= min(L, sqrt(2 beta gap)). */
double sp_gradient_at_start(const sp_constants *);

/* Stores a bound on what is measured (E||grad F||, a Frank-Wolfe gap or E[F - F*]) as "bound" where it covers the
 * returned iterate, and warns when it promises no more than `known`, which holds at the start. An infinite one (no
 * theorem covers these parameters) is passed over. */
void sp_promise(sp_oracle *, bool covered, double bound, double known);

#endif
