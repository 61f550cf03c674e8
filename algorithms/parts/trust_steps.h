/* trust_steps.h -- trust-region steps from released gradients and Hessians, shared by dp_tr, dp_str and trust_region.
 *
 * A step at w, with g a released gradient and B a released Hessian there, minimises the model of F in a ball,
 *
 *   h = argmin over ||h|| <= r of <g, h> + h'Bh/2,   r = sqrt(alpha / rho_H),   w <- Proj_W( w + h ).
 *
 * The run stops when the multiplier lambda of ||h|| <= r, defined by (B + lambda I) h = -g, is at most sqrt(alpha
 * rho_H). alpha is the wanted level, rho_H the Lipschitz constant of the Hessian, `gap` a bound on F(w0) - F*.
 *
 * If ||g - grad F|| <= e_g = alpha / 12 and ||B - hess F|| <= e_h = sqrt(rho_H alpha) / 6, on R^d, Taylor's theorem
 * gives F(w + h) <= F(w) - lambda r^2 / 2 + e_g r + e_h r^2 / 2 + rho_H r^3 / 6. So a step with a larger multiplier
 * lowers F by alpha^(3/2) / (6 sqrt(rho_H)), and one of
 *
 *   T = floor( 6 sqrt(rho_H) gap / alpha^(3/2) ) + 1
 *
 * steps has a smaller multiplier. After it ||grad F|| <= lambda r + e_g + e_h r + rho_H r^2 / 2 <= 1.75 alpha and
 * lambda_min(hess F) >= -lambda - e_h - rho_H r >= -(13/6) sqrt(rho_H alpha): w has level (13/6)^2 alpha.
 *
 * Errors. With s_g and s_h the deviations of the noises, t = sqrt(2 ln(4 T / zeta)), and probability 1 - zeta in all,
 *
 *   e_g = s_g (sqrt d + t),   e_h = s_h (sqrt(2 d) + t), for mirrored noise sqrt 2 times that.
 *
 * With releases on b and b_h of the n records, the noise may use half of e_g and e_h; the other half is for the
 * sampling error. By Hoeffding's inequality for vectors (Pinelis 1994) and for matrices (Tropp 2012) it suffices if,
 * with l = ln(16 d T / zeta),
 *
 *   b >= 4608 l L_data^2 / alpha^2,   b_h >= 1152 l beta_data^2 / (rho_H alpha).
 *
 * Budget. With theta of the budget rho = mu^2 / 2 for T gradients, the rest for T Hessians, all on all records,
 *
 *   s_g = (2 L_data / n) sqrt(T / (2 theta rho)),   s_h = (hf / n) sqrt(T / (2 (1 - theta) rho)),
 *
 * hf the largest Frobenius distance of two records' Hessians. If e_g needs theta >= A_g and e_h needs
 * 1 - theta >= A_h, then alpha can be reached if A_g + A_h <= 1, with theta = A_g / (A_g + A_h). The default alpha is
 * the smallest such alpha, by bisection. */
#ifndef SP_ALGORITHMS_PARTS_TRUST_STEPS_H
#define SP_ALGORITHMS_PARTS_TRUST_STEPS_H

#include "algorithms/algorithm.h"

typedef struct sp_trust_options {
    double alpha, theta; /* NAN: the default, by the formulas above */
    double zeta;
    size_t steps;        /* T; 0: the default */
    bool subsets;        /* releases are on subsets of batch[0] records (gradients) and batch[1] (Hessians), 0: the */
    size_t batch[2];     /* default of dp_str.c; else on all records */
    bool mirrored;       /* the Hessians' noise is sp_hessian_mirrored's */
    bool last;           /* the answer of a run without a stop is the last iterate */
    /* the printed deviations s_g and s_h, for calibration = "paper"; NULL: no noise at all, which is not private */
    void (*printed)(const sp_oracle *, double steps, double *gradient, double *hessian);
} sp_trust_options;

/* NULL, or what is missing for a step: rho_H, beta, the gap, or a d for which Hessians can be dense. */
const char *sp_trust_fits(const sp_constants *);
/* The same for noisy steps, which need L_data and hf as well. */
const char *sp_noisy_trust_fits(const sp_constants *);

/* w[d] holds the start and takes the answer: where the run stopped, or after T steps without a stop the point at which
 * max{ ||g|| / alpha, -lambda_min(B) / sqrt(rho_H alpha) } was the smallest, or the last one. Stores alpha, theta,
 * batch, batch_h, steps_max (T), "bound" where the theorem covers the run, "passed" (1: it stopped by itself). Warns
 * once where the parameters promise nothing, and where nothing passed. */
sp_status sp_trust_run(sp_oracle *, const sp_trust_options *, double *w);

#endif
