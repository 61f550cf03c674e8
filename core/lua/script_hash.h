/* script_hash.h -- the hash of a Lua text that a comment, white space and a line end leave as it is. */
#ifndef SP_LUA_SCRIPT_HASH_H
#define SP_LUA_SCRIPT_HASH_H

#include "core/base/digest.h"

#include <stddef.h>

/* SHA-256 of its tokens (tokens.h), each with a zero byte behind it. */
void sp_script_hash(const char *text, size_t size, char out[SP_HASH_HEX]);

#endif
