/* provenance.h -- what made a result: one row an invocation. */
#ifndef SP_EXPORT_PROVENANCE_H
#define SP_EXPORT_PROVENANCE_H

#include "core/store/store.h"

/* Stores the row of this invocation of `stillpoint run`, whose arguments are argv[1..argc): time (UTC), commit that
 * the program was built from and whether its sources differed from it (build.h), compiler, flags, library
 * versions, BLAS kernels, processor, script hash. What cannot be found out is "unknown". */
sp_status sp_provenance_record(const sp_plan *, sp_store *, int argc, char *const *argv, sp_error *);

#endif
