/* reseal.h -- brings the tables of a folder to the current format, without a run and without a store: row checksums, the
 * makers of runs in provenance.tsv, and SEAL. No other field changes. */
#ifndef SP_EXPORT_RESEAL_H
#define SP_EXPORT_RESEAL_H

#include "core/store/store.h"

/* SP_EDATA for tables that are broken, or that do not match the SEAL that they have, or of which a row is no run that the
 * plan asks for. What the plan does not know itself, the runs of cells whose grid was not searched here or whose data are
 * not here, is taken from the tables. */
sp_status sp_reseal(const sp_plan *, const char *folder, sp_error *);

#endif
