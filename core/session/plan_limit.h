/* plan_limit.h -- loads a plan under a limit on processor time. Unlike Lua's own limit
 * on instructions (core/lua/host.h) it also stops one long call of a library function, such as string.find.
 * Beyond the limit, or after 3 s in one such call, THE PROCESS ENDS with a message and SP_EXIT_USAGE: call it only
 * while nothing uncommitted is held. The limit is STILLPOINT_PLAN_LIMIT seconds, by default 600. */
#ifndef SP_SESSION_PLAN_LIMIT_H
#define SP_SESSION_PLAN_LIMIT_H

#include "core/plan/plan.h"

/* sp_plan_load, in which one function of Lua's library may take 3 s of processor time, and all together as many as
 * STILLPOINT_PLAN_LIMIT says (default 600; SP_EINVAL when that is no number of seconds). Beyond them the program
 * ends with a message, which names the line, and SP_EXIT_USAGE. */
sp_status sp_plan_load_within(const char *path, const char *scale, sp_plan *out, sp_error *);

#endif
