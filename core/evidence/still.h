/* still.h -- which methods never leave their start?
 *
 * A label of a sweep of which, in every run that succeeded, each measure that is known at the start (`start.M`) and at
 * the returned iterate has the same value at both. Accuracy does not count, since many iterates share it; the method
 * `start` does not either, as it is there to stay. */
#ifndef SP_EVIDENCE_STILL_H
#define SP_EVIDENCE_STILL_H

#include "core/evidence/series.h"

/* "main/dp_tr: never leaves its start: all measures of its 12 runs are as they were there" and a line end, behind
 * `prefix`, for each of them. SP_ENOMEM. */
sp_status sp_still_tell(const sp_runs *, const char *prefix, sp_text *, sp_error *);

#endif
