/* plan_limit.h -- plans are made within a time limit that holds whatever runs. */
#ifndef SP_VERBS_PLAN_LIMIT_H
#define SP_VERBS_PLAN_LIMIT_H

#include "core/plan/plan.h"

/* sp_plan_load, which may take as many seconds of processor time as STILLPOINT_PLAN_LIMIT says (default 600; SP_EINVAL
 * when that is no number of seconds). Beyond them the program ends with a message and SP_EXIT_USAGE. */
sp_status sp_plan_load_within(const char *path, const char *scale, sp_plan *out, sp_error *);

#endif
