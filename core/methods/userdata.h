/* userdata.h -- the objects of a method in Lua: vectors, the oracle, batches and accumulators. */
#ifndef SP_METHODS_USERDATA_H
#define SP_METHODS_USERDATA_H

#include "core/lua/state.h"
#include "core/oracle/oracle.h"

/* All full userdata of a state are one of these, and begin so. */
typedef enum { SP_THING_VECTOR = 1, SP_THING_ORACLE, SP_THING_BATCH, SP_THING_ACCUMULATOR } sp_thing;

typedef struct sp_lua_vector {
    sp_thing thing;
    size_t n;
    double x[];
} sp_lua_vector;

void *sp_lua_thing(lua_State *, int index, sp_thing); /* or an error that says what is wanted */
/* A new userdata of `size` bytes at the top of the stack, with the methods of its kind. */
void *sp_lua_new(lua_State *, sp_thing, size_t size);
/* The table at the top of the stack, which is popped, becomes the metatable of a kind, with `methods` by name. */
void sp_lua_kind(lua_State *, sp_thing, const luaL_Reg *methods);

sp_lua_vector *sp_lua_vector_new(lua_State *, size_t n); /* zeros */
sp_lua_vector *sp_lua_vector_at(lua_State *, int index, size_t n); /* of n entries; 0: of any number */
void sp_lua_open_vectors(lua_State *);

/* The oracle of a run, at the top of the stack, and its methods; `params` are those that may be told as resolved. */
void sp_lua_open_oracle(lua_State *, sp_oracle *, const sp_param *params);
/* What is public about a problem, as a table at the top of the stack. */
void sp_lua_push_constants(lua_State *, const sp_constants *);

#endif
