/* accountant.h -- computes (epsilon, delta) from a ledger (ledger.h) alone. Several upper bounds are computed, all of
 * them valid; the smallest is reported. mu and rho are the parameters of Gaussian DP and of zCDP.
 *
 *   gauss  exact: delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), mu^2 = sum 1/noise_multiplier^2, Phi the
 *          normal distribution function (Balle & Wang 2018); only for ledgers of unsampled Gaussians
 *   zcdp   sum of rho, converted by Canonne, Kamath & Steinke 2020, Prop. 12; for unsampled Gaussians and pure entries
 *   rdp    Renyi curves summed at every order (rdp.h)
 *   basic  the sum of the pure epsilons plus the best bound of the other entries; only for ledgers with a pure entry.
 *          With sampled entries also the bound of the others at delta - tau, tau the chance that any sample contains
 *          the record
 *   pld    privacy-loss distributions, composed numerically and rounded up (pld.h; contour.h from 10^7 samples on); for
 *          ledgers with a sampled or a pure entry
 *
 * If the number of runs of a selection has a cap, (1 + e^epsilon) times the chance that the cap cuts it is subtracted
 * from delta. A tree's release counts as floor(log2 steps) + 1 Gaussians. A pure entry costs rho = epsilon^2 / 2, the
 * exponential mechanism epsilon^2 / 8 (bounded range). The deltas of `approx` entries add up, to at most delta; these
 * entries count as pure at what remains of delta. Entries of one pool (a set of records that no other pool shares)
 * compose with the entries that all records pay; different pools do not compose with each other.
 *
 * If a ledger has entries that passed a filter (filter.h), only the bound of that filter is valid, over all entries;
 * sampled ones then count as releases on all records. If the filter cannot count an entry, the bound is INFINITY.
 *
 * A bound that has no theorem for some entry is absent. If none is left: SP_EPRIVACY, with the entry and the
 * neighbours. Under SP_ADD_REMOVE the noise multipliers of unsampled entries are read as relative to the add-remove
 * sensitivity. If there are more than 31 different sampled or pure entries, similar ones are joined first, and each
 * counts as the worst of those it was joined with (composition.h). */
#ifndef SP_ACCOUNTANT_ACCOUNTANT_H
#define SP_ACCOUNTANT_ACCOUNTANT_H

#include "core/accountant/ledger.h"

#include <stdbool.h>

typedef enum { SP_BOUND_GAUSS, SP_BOUND_ZCDP, SP_BOUND_RDP, SP_BOUND_BASIC, SP_BOUND_PLD, SP_BOUNDS } sp_bound_kind;

typedef struct sp_bounds {
    /* the worst pool's; NAN where the accountant refuses; INFINITY is a valid bound. A pool that cannot be the worst by
     * its other bounds counts with the smallest of these under pld, too */
    double epsilon[SP_BOUNDS];
    double best;               /* the smallest; with pools: of each pool's smallest, the worst */
    sp_bound_kind bound;       /* its name */
    double order;              /* the Renyi order of the rdp bound; 0 without releases */
} sp_bounds;

const char *sp_bound_name(sp_bound_kind); /* "gauss", "zcdp", "rdp", "basic", "pld" */
const char *sp_neighbours_name(sp_neighbours); /* "replace_one", "add_remove" */

/* An empty ledger costs 0. */
sp_status sp_account(const sp_ledger *, sp_neighbours, double delta, sp_bounds *out, sp_error *);
/* Smallest valid delta at epsilon. */
sp_status sp_account_delta(const sp_ledger *, sp_neighbours, double epsilon, double *delta, sp_error *);
/* The same of every bound (the worst pool's; NAN where there is none), and the name of the smallest. */
sp_status sp_account_deltas(const sp_ledger *, sp_neighbours, double epsilon, double delta[SP_BOUNDS],
                            sp_bound_kind *best, sp_error *);

/* The Gaussian budget: the largest mu with (epsilon, delta), the exact solution rounded down. rho = mu^2/2. */
double sp_gaussian_mu(double epsilon, double delta);
double sp_gaussian_epsilon(double mu, double delta); /* exact, log space */
double sp_gaussian_delta(double mu, double epsilon);
/* The largest rho of which every rho-zCDP mechanism is (epsilon, delta)-DP (rho_z of conventions.md), and back. */
double sp_zcdp_rho(double epsilon, double delta);
double sp_zcdp_epsilon(double rho, double delta);
/* Bun & Steinke 2016, as Wang & Xu use it. */
double sp_zcdp_rho_bun_steinke(double epsilon, double delta);

/* Renyi divergence of one GAUSS_WOR release at order > 1 (an upper bound, never above the unsampled one). */
double sp_rdp_without_replacement(double noise_multiplier, double rate, double order);

/* Smallest common factor c such that `spent` (NULL: nothing) followed by `planned`, whose noise multipliers are
 * multiplied by c, is within (epsilon, delta); rounded up to 12 digits, by less than 1e-7 in epsilon, or 2e-5 where
 * distributions decide (1e-6 in the factor, where epsilon jumps; more below epsilon = 1e-6, where they round). Above
 * epsilon = 1e6 distributions are not asked.
 * 1e-6 where less noise would do, too.
 * SP_EBUDGET when no factor does it (the other entries alone reach the budget). 1 when nothing that is planned has
 * noise to scale. Depends on the ledgers alone. */
sp_status sp_calibrate_under(const sp_ledger *spent, const sp_ledger *planned, sp_neighbours, double epsilon,
                             double delta, double *factor, sp_error *);
/* Under SP_REPLACE_ONE. */
sp_status sp_calibrate_factor(const sp_ledger *spent, const sp_ledger *planned, double epsilon, double delta,
                              double *factor, sp_error *);

/* x > 0 rounded up to 12 significant digits. */
double sp_round_up(double x);

#endif
