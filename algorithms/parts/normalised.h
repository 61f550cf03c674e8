/* normalised.h -- steps of fixed length eta along an estimate v_t of the gradient of F at w_t:
 *
 *   w_{t+1} = Proj_W( w_t - min(eta / ||v_t||, 1/beta) v_t )
 *
 * If ||v_t|| < beta eta the second term shortens the step, which otherwise would circle a minimum for ever. With
 * e_t = v_t - grad F(w_t), and gap a bound on F(w_0) - F*, both cases satisfy
 *
 *   F(w_{t+1}) <= F(w_t) - eta ||grad F(w_t)|| + 2 eta ||e_t|| + beta eta^2 / 2:
 *
 * the first because <grad F, v> / ||v|| >= ||v|| - ||e|| >= ||grad F|| - 2 ||e||; the second, where ||v|| <= beta eta,
 * because F decreases by at least ||v||^2 / (2 beta) - ||e|| ||v|| / beta, and
 * eta ||v|| - ||v||^2 / (2 beta) <= beta eta^2 / 2. So for J uniform in 0..T-1
 *
 *   E||grad F(w_J)|| <= gap / (eta T) + beta eta / 2 + 2 mean_t E||e_t||.                                         (1)
 *
 * The functions below are for full-batch methods with one release per step and gamma in (0, 1]:
 *
 *   v_0 = grad F(w_0) + noise,   v_t = (1 - gamma) v_{t-1} + mean[grad f(w_t) - (1 - gamma) grad f(w_{t-1})] + noise
 *
 * with means over all n records, so e_t = (1 - gamma) e_{t-1} + noise. A record's part of release t has norm at most
 * c = (1 - gamma) min(beta_data eta, 2 L_data) + gamma L_data; the sensitivity of release t is 2 c / n, that of v_0 is
 * 2 L_data / n. With a share theta of the budget for v_0, and A = 2 sqrt(d) / (n mu),
 *
 *   E||e_t|| <= s_t,   s_0^2 = (A L_data)^2 / theta,   s_t^2 = (1 - gamma)^2 s_{t-1}^2 + (A c)^2 (T - 1) / (1 - theta);
 *
 * gamma = 1 releases T gradients with equal noise: s_t = A L_data sqrt(T). */
#ifndef SP_ALGORITHMS_PARTS_NORMALISED_H
#define SP_ALGORITHMS_PARTS_NORMALISED_H

#include "algorithms/algorithm.h"
#include "algorithms/parts/output.h"

typedef struct sp_normalised {
    double eta;   /* length of a step */
    double gamma; /* (0, 1] */
    double split; /* theta; gamma = 1: not used */
    size_t steps; /* T */
} sp_normalised;

/* A; 0 when the run is not private. */
double sp_normalised_noise(const sp_oracle *);
/* (1) with the s_t above, at the noise that spends the budget. */
double sp_normalised_bound(const sp_oracle *, const sp_normalised *);
/* w <- Proj_W( w - min(eta / ||v||, 1/beta) v ). */
void sp_normalised_step(const sp_oracle *, double eta, const double *v, double *w);
/* All T steps from w[d], which takes the returned iterate. Announces, releases and leaves checkpoints. */
sp_status sp_normalised_run(sp_oracle *, const sp_normalised *, sp_output_rule, double *w);

#endif
