/* descent.h -- step size and risk bound of stochastic descent w <- Proj(w - eta g), where g is the mean gradient of a
 * random batch plus noise of deviation noise_std in every coordinate. The formulas are in the head of dp_sgd.c. */
#ifndef SP_ALGORITHMS_PARTS_DESCENT_H
#define SP_ALGORITHMS_PARTS_DESCENT_H

#include "algorithms/algorithm.h"

/* D >= ||w0 - w*||; INFINITY when nothing is known. */
double sp_distance(const sp_constants *);

/* The step size eta for so many steps; NAN when nothing that is known about the loss gives one. */
double sp_descent_step(const sp_constants *, double steps, double batch, double noise_std);

/* On E[F(w_J) - F*], J uniform; INFINITY where the theorem does not apply. */
double sp_descent_bound(const sp_constants *, double steps, double eta, double noise_std);

#endif
