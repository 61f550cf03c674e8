/* state.h -- what the files of this folder share: a lua_State with its limits, and the userdata that live in it. */
#ifndef SP_LUA_STATE_H
#define SP_LUA_STATE_H

#include "core/base/hash.h"
#include "core/lua/host.h"
#include "core/oracle/oracle.h"

#include <lauxlib.h>
#include <lua.h>

enum {
    SP_LUA_INCLUDES = 16, /* files inside each other */
    SP_LUA_INSTRUCTIONS = 100000000
};

/* A file as it was read, to be run again in other states. */
typedef struct sp_lua_text {
    struct sp_lua_text *next; /* the one that was run after it */
    const char *chunk;        /* its name in messages, after '@' */
    const char *bytes;
    size_t size;
} sp_lua_text;

struct sp_lua {
    lua_State *L;
    sp_arena *arena;          /* of the nodes and texts being made */
    size_t memory;            /* bytes that the state holds */
    volatile size_t steps;    /* instructions since the text or the function was called */
    size_t nodes;             /* values since then */
    volatile size_t calls;    /* protected ones that have begun; for signal handlers, like `running` and `steps` */
    volatile bool running;    /* is one under way? */
    size_t guards;            /* metatables that are kept for cells' tables */
    bool memory_refused;      /* the limit, not the machine, said no */
    bool out_of_memory, unreadable; /* what an error was about, where it was not the text */
    sp_hash hash;
    const char *prefix;       /* of names in messages: the experiment's folder as the user wrote it */
    const char *folder;       /* the same, resolved; ends with '/' */
    const char *file[SP_LUA_INCLUDES]; /* resolved, being run, the innermost last */
    size_t files;
    sp_lua_text *text, *last; /* all files, in the order in which they were run */
    sp_places places;         /* of what they write */
    const sp_lua_text *again; /* the next of them; of a state that runs the texts of another one */
    struct sp_lua_method *method; /* those that the text defines */
    sp_status refused;        /* what the oracle said, where an error comes from it */
    char reason[256];         /* what the last sp_foreign.fits returned */
};

sp_lua *sp_lua_of(lua_State *);
/* Raises an error where there is no memory. */
void *sp_lua_need(lua_State *, void *memory);
/* A new state with its limits, and nothing in it; `lua` is otherwise set. SP_ENOMEM. */
sp_status sp_lua_start(sp_lua *, sp_error *);
/* In protected calls: the closed environment, and the texts. */
void sp_lua_environment(lua_State *);
void sp_lua_run_again(lua_State *); /* the first of `again`, which includes the others */
/* function(L) with `request` as a light userdata, protected. An error is SP_EINVAL, SP_EIO, SP_ENOMEM, or `refused`. */
sp_status sp_lua_protect(sp_lua *, lua_CFunction function, void *request, sp_error *);

/* --- userdata ------------------------------------------------------------------------------------------------ */

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

/* `algorithm`, and what hashes functions. */
void sp_lua_open_methods(lua_State *);
void sp_lua_close_methods(lua_State *); /* all texts are read: what the methods are made of is known */
/* The oracle of a run, at the top of the stack, and its methods; `params` are those that may be told as resolved. */
void sp_lua_open_oracle(lua_State *, sp_oracle *, const sp_param *params);
/* What is public about a problem, as a table at the top of the stack. */
void sp_lua_push_constants(lua_State *, const sp_constants *);

#endif
