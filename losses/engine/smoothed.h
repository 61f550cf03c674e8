/* smoothed.h -- F_b: F with the Moreau envelope phi_b (envelope.h) in place of its convex link phi; and a lower bound
 * on F from the gradient of F_b.
 *
 *   F_b(w) = (1/n) sum_i phi_b(m_i, y_i) + public part,  m_i = <w, x_i>,  F - L0^2 / (2b) <= F_b <= F
 *
 * The slope s_i = phi_b'(m_i) is a subgradient of phi at u_i = m_i - s_i / b. So for every v
 *
 *   F(v) >= F(w) - kink + <grad F_b(w), v - w>,  kink = (1/n) sum_i (phi(m_i) - phi_b(m_i) - s_i^2 / (2b)) >= 0,
 *
 * where only records within L0 / b of a kink of phi contribute: about d of n. */
#ifndef SP_LOSSES_SMOOTHED_H
#define SP_LOSSES_SMOOTHED_H

#include "losses/engine/problem.h"

typedef struct sp_smoothed {
    const sp_problem *problem; /* certified.gll */
    sp_workspace *workspace;
    double b;
} sp_smoothed;

double sp_smoothed_value(const sp_smoothed *, const double *w);                /* F_b(w) */
void sp_smoothed_gradient(const sp_smoothed *, const double *w, double *out);
void sp_smoothed_hessian(const sp_smoothed *, const double *w, double *H);     /* phi_b'' by differences */
double sp_smoothed_kink(const sp_smoothed *, const double *w);
/* *reach >= ||v - w|| for every v with F(v) <= F(w); INFINITY when this cannot tell. H: d x d doubles. */
sp_status sp_smoothed_reach(const sp_smoothed *, const double *w, double gradient_norm, double kink, double *H,
                            double *reach);

#endif
