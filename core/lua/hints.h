/* hints.h -- what somebody who knows Python, C or JSON writes in a Lua text, and how Lua spells it: one table for the
 * spelling, one for undefined names, one for keys of an experiment. */
#ifndef SP_LUA_HINTS_H
#define SP_LUA_HINTS_H

#include "core/base/param.h"

#include <stddef.h>

/* The hint for a text that Lua refuses in `line`; NULL: none is known. */
const char *sp_hint_spelling(const char *text, size_t size, size_t line);
/* For a name that is not defined, "None"; NULL. */
const char *sp_hint_name(const char *name);
/* For a key that the table at `path` does not have and other libraries do: what an experiment calls it, which is one of
 * the `known` keys or the path of another place ("privacy.epsilon"); NULL. */
const char *sp_hint_key(const char *path, const char *key, const sp_param *known);

#endif
