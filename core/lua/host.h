/* host.h -- runs an experiment's text in a closed Lua 5.4 environment and reads the table it returns.
 *
 * The environment: assert, error, ipairs, pairs, raw access, select, tonumber, tostring, type; math without random;
 * string; table; what the caller's library adds; and include "file.lua", which runs another text in the same environment
 * and returns its value. The path of an included file is relative to the including one and
 * stays below the experiment's folder. Nothing loads code, reads files, prints, or sets a metatable. Reading a name
 * that is not defined is an error. A text may take SP_LUA_INSTRUCTIONS (1e8) steps and 256 MiB; what Lua's own functions in C
 * take is no step: core/session/plan_limit.h limits their time.
 *
 * The same text gives the same table each time: pairs() visits in the order of the keys, table.sort() keeps equal
 * values in order, and what would show an address (tostring and %s of a table or a function, %p) is refused. */
#ifndef SP_LUA_HOST_H
#define SP_LUA_HOST_H

#include "core/base/hash.h"
#include "core/lua/places.h"
#include "core/lua/values.h"

typedef struct sp_lua sp_lua;

/* What a caller adds to the environment. Lua calls both functions, so they may raise errors. */
struct lua_State;
typedef struct sp_lua_library {
    void (*open)(struct lua_State *);  /* before the text runs */
    void (*close)(struct lua_State *); /* after the text and all that it includes have run */
} sp_lua_library;

/* Runs the file, with the library (NULL: none), which outlives the sp_lua. *out is set before the file runs, for signal handlers. *root is the table that the file returns, owned by the
 * arena; its functions live until sp_lua_close. `script` is the hash of the bytes of the file and of everything it includes.
 * SP_EIO for a file that cannot be read. SP_EINVAL for a mistake in it: the message names the file, and the line if Lua knows
 * it. */
sp_status sp_lua_open(const char *path, const sp_lua_library *, sp_arena *, sp_lua **, const sp_node **root,
                      char script[SP_HASH_HEX], sp_error *);
void sp_lua_close(sp_lua *); /* NULL is allowed */

/* Calls a function of the tree with an object; reading a key that the object does not have is an error that names what
 * it has. The result is a number, a flag or a text, at the function's path, and belongs to the arena. */
sp_status sp_lua_call(sp_lua *, const sp_node *function, const sp_node *argument, sp_arena *, const sp_node **out,
                      sp_error *);

/* File i of those that were read, the experiment's first, each as often as it was: its path from the experiment's folder
 * on, and its bytes as `script` has them. False past the last one. */
bool sp_lua_file(const sp_lua *, size_t i, const char **path, const char **bytes, size_t *size);

/* For a signal handler: a number that grows with each call of Lua and every 1e5 instructions; 0: no call is under way. */
size_t sp_lua_progress(const sp_lua *);
/* For one that ends the process: the line of the text in which it runs, "FILE:LINE", as far as that can be told. */
void sp_lua_call_place(const sp_lua *, char *out, size_t room);

/* Where its texts write what, as long as its arena lives. */
const sp_places *sp_lua_places(const sp_lua *);

#endif
