/* export.h -- the store as sorted, fixed-format TSV: runs.tsv, traces.tsv of the runs that succeeded (equal runs give
 * equal bytes), timings.tsv (everything measured on the machine), provenance.tsv (which commit made the runs, when and
 * by what) and, when there are any, skipped.tsv and tuning.tsv (a
 * row a point whose parameters are chosen from a grid; tuning runs stand there alone, `tuned` marks the runs that they
 * chose for). Written beside and renamed, so a failure leaves the old file. Rows in plan order; only runs that the plan
 * asks for. "-" stands for a text or an axis that a row does not have; the status of a run that succeeded is "ok", of
 * another "SP_EBUDGET" and the like. */
#ifndef SP_STORE_EXPORT_H
#define SP_STORE_EXPORT_H

#include "core/base/files.h"
#include "core/store/store.h"

sp_status sp_export(const sp_plan *, sp_store *, const char *directory, sp_error *);

#endif
