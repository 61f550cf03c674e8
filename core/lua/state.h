/* state.h -- a lua_State with its limits, for the host and for the libraries that it opens. */
#ifndef SP_LUA_STATE_H
#define SP_LUA_STATE_H

#include "core/base/hash.h"
#include "core/lua/host.h"

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
    const sp_lua_library *library; /* NULL: none */
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
    struct sp_lua_method *method; /* those that the text defines; of core/methods */
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

#endif
