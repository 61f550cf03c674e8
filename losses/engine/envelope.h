/* envelope.h -- Moreau envelopes phi_b of convex L0-Lipschitz links phi (losses/loss.h), and their gradients. b > 0 is
 * the curvature of the envelope.
 *
 *   phi_b(m, y) = min_u phi(u, y) + (b/2) (u - m)^2 = phi(prox, y) + (b/2) (prox - m)^2,  phi_b' = b (m - prox)
 *
 * where prox is the minimising u. phi_b is convex in m, L0-Lipschitz and b-smooth, and phi - L0^2/(2b) <= phi_b <= phi.
 * So for ||x|| <= R the smoothed f_b(w, (x, y)) = phi_b(<w, x>, y) is convex, L0 R-Lipschitz and b R^2-smooth. Source:
 * Bassily et al. 2021, Algorithm 3, with sharper constants. */
#ifndef SP_LOSSES_ENVELOPE_H
#define SP_LOSSES_ENVELOPE_H

#include "losses/loss.h"

/* L0 = sup |phi'| over all margins, and labels -1 and 1. INFINITY: there is no such bound, and no envelope here. */
double sp_envelope_lipschitz(const sp_loss *, sp_numbers);

/* value[i] = phi_b(m[i], y[i]) and slope[i] = its derivative in m, for count records (either may be NULL), b > 0: by
 * the loss's closed form, or by bisection to `accuracy`. |slope| <= L0 whatever the accuracy. For a link loss whose
 * slope is bounded over all margins and labels. */
void sp_envelope(const sp_loss *, sp_numbers, double b, double accuracy, size_t count, const double *m,
                 const double *y, double *restrict value, double *restrict slope);

/* The same by bisection: |slope - phi_b'| <= accuracy (or the rounding of b m, where that is more), phi_b <= value <=
 * phi_b + 2 L0 accuracy / b. ceil(log2(L0 / accuracy)) slopes of phi a record. */
void sp_envelope_bisect(const sp_loss *, sp_numbers, double b, double accuracy, size_t count, const double *m,
                        const double *y, double *restrict value, double *restrict slope);

#endif
