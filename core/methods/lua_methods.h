/* lua_methods.h -- methods that an experiment defines in Lua by algorithm{ ... }. */
#ifndef SP_METHODS_LUA_METHODS_H
#define SP_METHODS_LUA_METHODS_H

#include "core/lua/host.h"

/* Adds `algorithm` and vectors to the environment. */
extern const sp_lua_library sp_lua_method_library;

struct sp_algorithm;
/* The methods that the text, opened with that library, defines, in its order, in the arena; they live as long as the sp_lua and its arena, and each
 * run of one has a state of its own. SP_ENOMEM. */
sp_status sp_lua_methods(sp_lua *, sp_arena *, const struct sp_algorithm **out, size_t *count, sp_error *);

#endif
