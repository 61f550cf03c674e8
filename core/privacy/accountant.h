/* accountant.h -- (epsilon, delta) from a ledger alone: several valid upper bounds, the smallest reported.
 *
 *   gauss  exact: delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), mu^2 = sum 1/noise_multiplier^2
 *          (Balle & Wang 2018); ledgers of unsampled Gaussians only
 *   zcdp   sum of rho, converted by Canonne, Kamath & Steinke 2020, Prop. 12; unsampled Gaussians (and pure entries)
 *   rdp    Renyi curves summed order by order; subsets without replacement by the integral of spec/conventions.md
 *
 * An accountant without a theorem for an entry refuses (its bound is absent); when none is left: SP_EPRIVACY. */
#ifndef SP_PRIVACY_ACCOUNTANT_H
#define SP_PRIVACY_ACCOUNTANT_H

#include "core/privacy/ledger.h"

#include <stdbool.h>

typedef enum { SP_BOUND_GAUSS, SP_BOUND_ZCDP, SP_BOUND_RDP, SP_BOUNDS } sp_bound_kind;

typedef struct sp_bounds {
    double epsilon[SP_BOUNDS]; /* NAN where the accountant refuses; INFINITY is a valid bound */
    double best;               /* the smallest */
    sp_bound_kind bound;       /* its name */
    double order;              /* the Renyi order of the rdp bound */
} sp_bounds;

const char *sp_bound_name(sp_bound_kind); /* "gauss", "zcdp", "rdp" */

/* An empty ledger costs 0. */
sp_status sp_account(const sp_ledger *, sp_neighbours, double delta, sp_bounds *out, sp_error *);
/* Smallest valid delta at epsilon. */
sp_status sp_account_delta(const sp_ledger *, sp_neighbours, double epsilon, double *delta, sp_error *);

/* The Gaussian budget: the largest mu with (epsilon, delta), the exact solution rounded down. rho = mu^2/2. */
double sp_gaussian_mu(double epsilon, double delta);
double sp_gaussian_epsilon(double mu, double delta); /* exact, log space */
double sp_gaussian_delta(double mu, double epsilon);
/* The largest rho of which every rho-zCDP mechanism is (epsilon, delta)-DP (rho_z of conventions.md), and back. */
double sp_zcdp_rho(double epsilon, double delta);
double sp_zcdp_epsilon(double rho, double delta);
/* Bun & Steinke 2016, as Wang & Xu use it. */
double sp_zcdp_rho_bun_steinke(double epsilon, double delta);

/* Renyi divergence of one GAUSS_WOR release at order > 1 (an upper bound). */
double sp_rdp_without_replacement(double noise_multiplier, double rate, double order);

/* Smallest common factor c such that the ledger whose Gaussian entries have noise_multiplier * c is within (epsilon,
 * delta); rounded up. SP_EBUDGET when no factor does it (other entries alone exceed the budget). */
sp_status sp_calibrate_factor(const sp_ledger *, double epsilon, double delta, double *factor, sp_error *);

#endif
