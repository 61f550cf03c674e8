/* charge.h -- what is spent, in the terms that the gate and the calibration share. Included inside this folder only.
 * */
#ifndef SP_ORACLE_CHARGE_H
#define SP_ORACLE_CHARGE_H

#include "core/oracle/oracle_internal.h"

bool sp_entry_gaussian(const sp_entry *); /* unsampled */
double sp_entry_mu2(const sp_entry *);    /* of an unsampled Gaussian */
double sp_entry_rho(const sp_entry *);    /* zCDP; INFINITY where there is none that counts (sampling) */
sp_entry sp_gauss_of(double mu2, size_t pool);
bool sp_any_outer(const sp_entry *, size_t entries); /* some entry is all records' */

/* The zCDP of what is spent and `next` together. */
double sp_spent_rho(const sp_oracle *, const sp_entry *next, size_t entries);
/* A short ledger that costs as much as what is spent and `next` together. Free it whatever the status. */
sp_status sp_spent_summary(const sp_oracle *, const sp_entry *next, size_t entries, sp_ledger *out);
/* The part of the budget that releases may use: those on all records leave room for the children beside. */
double sp_share_kept(const sp_oracle *, bool outer);

#endif
