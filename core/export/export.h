/* export.h -- the store as sorted, fixed-format TSV (core/base/table.h).
 *
 *   cells.tsv, runs.tsv  one table in two: column `cell` joins them, to a run belongs what its cell's row says
 *   traces.tsv           one row per checkpoint of a run that succeeded and was not imported from tables; equal runs give equal bytes in these three
 *   timings.tsv          everything measured on the machine
 *   provenance.tsv       which commit made the runs, when and by what; see sp_export
 *   keys.tsv             by which sources and libraries each run was made (keys.h); written with provenance.tsv
 *   claims.tsv           a row a claim
 *   SEAL                 what belongs there (core/base/seal.h), written last
 *   audits.tsv           what audits found of the methods (audits.h)
 *   skipped.tsv          cells that are not run, with the reason; only when there are any
 *   tuning.tsv           a row a point whose parameters are chosen from a grid; tuning runs stand there alone, and the
 *                        column `tuned` marks the runs that they chose for; only when something is tuned
 *
 * Tables are written beside their places as they are made (core/base/atomic_file.h), and those of runs renamed when all of them
 * are complete: a failure leaves the old ones. Rows in plan order; only runs that the plan asks for, and of
 * a tuned cell whose grid has to be searched those that the tables had before. The status of a run
 * that succeeded is "ok", of another "SP_EBUDGET" and the like; `start.M` is the measure M at the starting point. */
#ifndef SP_EXPORT_EXPORT_H
#define SP_EXPORT_EXPORT_H

#include "core/base/files.h"
#include "core/store/store.h"

/* Where `same` is given, and tables that hold these very bytes are there (traces.tsv may be missing), provenance.tsv
 * stays: who made them first has made them. *same says so. With NULL it is written anew: who made what the store
 * holds. */
sp_status sp_export(const sp_plan *, sp_store *, const char *directory, bool *same, sp_error *);
/* The same, whatever runs the tables hold that the new ones lack; sp_export refuses that (keep.h): SP_EINVAL. */
sp_status sp_export_discarding(const sp_plan *, sp_store *, const char *directory, bool *same, sp_error *);

/* Lines of the SEAL of a folder of tables (core/base/seal.h): of the script and what it includes, and of the runs that the
 * plan asks for. */
sp_status sp_seal_script(const sp_plan *, const char *directory, sp_text *head, sp_error *);
void sp_seal_asked(const sp_plan *, sp_text *head);

#endif
