/* pld.h -- privacy-loss distributions: (epsilon, delta) of a composition, as an upper bound that stays one in floating point.
 *
 * Each release is replaced by a discrete pair on a grid that dominates it ("connect the dots", Doroshenko, Ghazi, Kamath,
 * Kumar & Manurangsi 2022), the pairs are convolved by one exponentially tilted FFT, and every rounding is added to delta.
 *
 *   gauss        all unsampled Gaussians at once: G_mu, mu^2 = sum 1 / noise_multiplier^2
 *   gauss_wor    replace-one: the symmetric curve C_q(G_mu) (Dong, Roth & Su 2022, Thm 4.2): for epsilon >= 0
 *                delta(epsilon) = q delta_mu(log(1 + (e^epsilon - 1) / q)), delta(-epsilon) = 1 - e^-epsilon (1 - delta(epsilon))
 *   poisson      add/remove: (1 - q) N(0) + q N(1) against N(0) in both orders; replace-one: (1 - q) N(0) + q N(+1) against
 *                (1 - q) N(0) + q N(-1)
 *   laplace      Lap(1 / epsilon) at distance 1
 *   pure kinds   randomised response, which dominates everything epsilon-DP; approx: the same with mass delta at infinity
 */
#ifndef SP_PRIVACY_PLD_H
#define SP_PRIVACY_PLD_H

#include "core/privacy/ledger.h"

/* Smallest epsilon >= 0 at which the composition of the entries (pools are not looked at) is (epsilon, delta)-DP, from above.
 * INFINITY when delta is below the mass at infinity. SP_EPRIVACY for a kind, or neighbours, without a theorem here. */
sp_status sp_pld_epsilon(const sp_entry *, size_t entries, sp_neighbours, double delta, double *epsilon, sp_error *);

/* The other way round. */
sp_status sp_pld_delta(const sp_entry *, size_t entries, sp_neighbours, double epsilon, double *delta, sp_error *);

#endif
