/* plan_limit.h -- texts in Lua run, and plans are made, within a time limit that holds whatever runs. */
#ifndef SP_SESSION_PLAN_LIMIT_H
#define SP_SESSION_PLAN_LIMIT_H

#include "core/lua/host.h"
#include "core/plan/plan.h"

/* sp_plan_load, in which one function of Lua's library may take 3 s of processor time, and all together as many as
 * STILLPOINT_PLAN_LIMIT says (default 600; SP_EINVAL when that is no number of seconds). Beyond them the program
 * ends with a message, which names the line, and SP_EXIT_USAGE. */
sp_status sp_plan_load_within(const char *path, const char *scale, sp_plan *out, sp_error *);
/* sp_lua_open, within the same limits. */
sp_status sp_lua_open_within(const char *path, sp_arena *, sp_lua **, const sp_node **root, sp_error *);

#endif
