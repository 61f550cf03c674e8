/* charge.h -- the costs of releases, for the two files that decide by them: the gate (charge.c, which defines plan,
 * filter, share and pool) and the calibration. Included inside this folder only. */
#ifndef SP_ORACLE_CHARGE_H
#define SP_ORACLE_CHARGE_H

#include "core/oracle/oracle_internal.h"

bool sp_entry_gaussian(const sp_entry *); /* unsampled */
double sp_entry_mu2(const sp_entry *);    /* of Gaussians, as if unsampled */
/* In the unit of the filter (rho, mu^2, epsilon), sampled releases as those on all records; INFINITY: it has no theorem
 * for such an entry. */
double sp_entry_cost(sp_filter, const sp_entry *);
sp_entry sp_gauss_of(double mu2, size_t pool);
bool sp_any_outer(const sp_entry *, size_t entries); /* some entry is all records' */

/* The whole plan, released or not, all that was released beside it, and `next`: the worst record's cost. */
double sp_spending_total(const sp_oracle *, const sp_entry *next, size_t entries);
/* What was released: on all records, and on the worst pool. */
void sp_spending_made(const sp_oracle *, double *outer, double *worst);
/* What the filter lets releases cost when they may use `share` of the budget. */
double sp_spending_limit(const sp_oracle *, double share);
/* Is the plan, with all that was released beside it, within the filter's limit? If not, the plan alone counts. */
bool sp_filter_holds(const sp_oracle *, double share);
/* The part of the budget that releases may use: those on all records leave room for the children beside. */
double sp_share_kept(const sp_oracle *, bool outer);
/* What was announced and not released may be no more; what was released counts as unannounced. */
void sp_plan_void(sp_oracle *);

#endif
