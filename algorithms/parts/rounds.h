/* rounds.h -- the schedule of the one-pass Frank-Wolfe methods poly_sfw and nsfw: R rounds, round r = 0 .. R-1 of 2^r
 * steps, each step t = 0 .. 2^r - 1 of a round on m_t fresh records.
 *
 *   h_t = 1 / sqrt(t + 1),   m_t = max(1, ceil(b / (t + 1)))
 *   G = mean grad f(w) at t = 0, then  G <- (1 - h_t) G + mean( grad f(w) - (1 - h_t) grad f(w_prev) )
 *   w_prev = w,  w <- (1 - h_t) w + h_t v,   v in W with nearly the smallest <v, G>
 *
 * W has diameter D, so ||w - w_prev|| <= h_(t-1) D. By smoothness and Lipschitz continuity a record's term in G has
 * norm at most
 *
 *   c_t = (1 - h_t) min(beta_data ||w - w_prev||, 2 L_data) + h_t L_data,   c_0 = L_data.                       (move)
 *
 * Bound. Let F be the population's loss and gap(w) = max over u in W of <grad F(w), w - u> its Frank-Wolfe gap. Let E_t
 * bound the expected error of estimate and choice, <G - grad F(w), u - v> + <v - v*, G>, v* the minimiser of <., G>.
 * With Gamma = beta D^2 smoothness gives h_t gap(w_t) <= F(w_t) - F(w_(t+1)) + h_t E_t + h_t^2 Gamma / 2,
 * and summation by parts over a round, with F - F* <= L D, for the mean over all 2^R - 1 points
 *
 *   E gap <= (1 / (2^R - 1)) sum_r ( L D 2^(r/2) + sum_t (Gamma h_t / 2 + E_t) ).                              (bound)
 *
 * L D and Gamma are the smaller ones of the two pairs of norms in parts/geometry.h.
 *
 * For a number R of rounds, b is the largest batch that the n records allow. The parameter `parameters`: "theory" takes
 * R from the paper's formula, "balanced" the R with the smallest bound, at least 3 if the records allow it. */
#ifndef SP_ALGORITHMS_PARTS_ROUNDS_H
#define SP_ALGORITHMS_PARTS_ROUNDS_H

#include "algorithms/algorithm.h"
#include "algorithms/parts/geometry.h"
#include "algorithms/parts/output.h"

enum { SP_ROUNDS_MAX = 12, SP_ROUNDS_LEAST = 3 };

/* The parameters of such a method, the first of its table. */
enum { SP_ROUNDS_PARAMETERS, SP_ROUNDS_ROUNDS, SP_ROUNDS_BATCH, SP_ROUNDS_SELECT, SP_ROUNDS_PARAMS };
#define SP_ROUNDS_TABLE                                                                                               \
    [SP_ROUNDS_PARAMETERS] = { "parameters", SP_CHOICE, 1, { 0, 0 }, "R of the theorem, or of the least bound",       \
                               "theory|balanced" },                                                                   \
    [SP_ROUNDS_ROUNDS] = { "rounds", SP_COUNT, SP_DERIVED, { 1, SP_ROUNDS_MAX },                                      \
                           "rounds R, the r-th of 2^(r-1) steps, as the records allow; default by `parameters`" },    \
    [SP_ROUNDS_BATCH] = { "batch", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX },                                         \
                          "records b of a round's first step; default the most that the records allow" },             \
    [SP_ROUNDS_SELECT] = { "select", SP_CHOICE, 0, { 0, 0 }, "which iterate is returned", "uniform|average|last|mean" }

double sp_rounds_step(size_t t);            /* h_t */
size_t sp_rounds_batch(size_t b, size_t t); /* m_t */
/* (move) with the way ||w - w_prev|| <= way. */
double sp_rounds_move(double L, double beta, double way, size_t t);
/* What step t asks of its batch; the bound on a record's term is `move`. */
sp_query sp_rounds_query(sp_batch, size_t t, double move, const double *w, const double *previous);

typedef struct sp_rounds {
    size_t rounds, batch; /* R, b */
    size_t steps;         /* 2^R - 1 */
} sp_rounds;

/* Sum of E_t over the steps of round r when its first batch has b records; INFINITY: nothing is known. */
typedef double sp_rounds_error(const sp_oracle *, const sp_geometry *, size_t b, size_t r);

/* R and b, told with their provenance, and (bound), which is promised. `theory`: R by the paper's formula, before
 * rounding; `least`: at least so many where the records allow it. */
sp_rounds sp_rounds_resolve(sp_oracle *, const sp_values *, const sp_geometry *, double theory, size_t least,
                            sp_rounds_error *);
sp_output_rule sp_rounds_rule(const sp_values *);

#endif
