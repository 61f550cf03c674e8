/* advice.h -- what is allowed and probably not meant: lines that `plan` prints before anything runs, `run` and `plot` after
 * it, and so do `plan` and `status` where nothing is left to run. */
#ifndef SP_VERBS_ADVICE_H
#define SP_VERBS_ADVICE_H

#include "core/session/session.h"

#include <stdio.h>

/* Of the plan: measures that fit no problem of their sweep, claims that cannot be judged, delta above 1/n, a large
 * epsilon. A line each, after "advice: "; the first cell that it concerns stands for the others. */
sp_status sp_advise_plan(const sp_plan *, FILE *, sp_error *);
/* Of the runs in the session's tables, if there are any: winners at an end of their grid, warnings of methods (a vacuous
 * bound), methods that never leave their start, runs that diverged, tuned winners no better than the start, problems on which no method is more accurate than to name the majority
 * class. */
sp_status sp_advise_runs(const sp_session *, FILE *, sp_error *);
/* " (eta on the edge of its grid)" for a known winner; nothing otherwise. */
void sp_advise_edge(const sp_tuning *, sp_text *);

#endif
