/* vector.c -- vectors of doubles in Lua, changed in place: w:add(-0.5, g) is w <- w - 0.5 g by the BLAS that methods in C
 * call, to the same bit. Entries count from 1. */
#include "core/methods/userdata.h"

#include "core/numeric/math.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const char *const names[] = { [SP_THING_VECTOR] = "vector", [SP_THING_ORACLE] = "oracle",
                                     [SP_THING_BATCH] = "batch", [SP_THING_ACCUMULATOR] = "accumulator" };

void *sp_lua_thing(lua_State *L, int index, sp_thing wanted)
{
    sp_thing *found = lua_touserdata(L, index);
    if (!found || *found != wanted) {
        const char *what = found ? names[*found] : luaL_typename(L, index);
        luaL_argerror(L, index, lua_pushfstring(L, "%s expected, got %s", names[wanted], what));
    }
    return found;
}

void *sp_lua_new(lua_State *L, sp_thing thing, size_t size)
{
    sp_thing *out = lua_newuserdatauv(L, size, 0);
    *out = thing;
    lua_rawgetp(L, LUA_REGISTRYINDEX, names[thing]);
    lua_setmetatable(L, -2);
    return out;
}

/* __index of a kind's methods; upvalue: the kind. */
static int no_method(lua_State *L)
{
    const sp_thing thing = (sp_thing)lua_tointeger(L, lua_upvalueindex(1));
    const char *known[64];
    size_t count = 0;
    if (thing == SP_THING_VECTOR && lua_type(L, 2) == LUA_TNUMBER)
        return luaL_error(L, "an entry of a vector is v:get(i)");
    const char *name = luaL_tolstring(L, 2, NULL);
    for (lua_pushnil(L); lua_next(L, 1) && count < sizeof known / sizeof *known; lua_pop(L, 1))
        known[count++] = lua_tostring(L, -2);
    const char *nearest = sp_nearest(name, known, count);
    return nearest ? luaL_error(L, "%s has no method '%s'; did you mean %s?", names[thing], name, nearest)
                   : luaL_error(L, "%s has no method '%s'", names[thing], name);
}

static int no_key(lua_State *L)
{
    const sp_thing thing = (sp_thing)lua_tointeger(L, lua_upvalueindex(1));
    return luaL_error(L, "%s", thing == SP_THING_VECTOR ? "an entry of a vector is set by v:put(i, x)"
                                                        : "only vectors can be changed");
}

void sp_lua_kind(lua_State *L, sp_thing thing, const luaL_Reg *methods)
{
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    lua_newtable(L);
    lua_pushinteger(L, thing);
    lua_pushcclosure(L, no_method, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_setfield(L, -2, "__index");
    lua_pushinteger(L, thing);
    lua_pushcclosure(L, no_key, 1);
    lua_setfield(L, -2, "__newindex");
    lua_pushstring(L, names[thing]);
    lua_setfield(L, -2, "__name");
    lua_rawsetp(L, LUA_REGISTRYINDEX, names[thing]);
}

sp_lua_vector *sp_lua_vector_new(lua_State *L, size_t n)
{
    if (n > (SIZE_MAX - sizeof(sp_lua_vector)) / sizeof(double))
        luaL_error(L, "a vector of that many entries does not fit into memory");
    sp_lua_vector *v = sp_lua_new(L, SP_THING_VECTOR, sizeof *v + n * sizeof *v->x);
    v->n = n;
    memset(v->x, 0, n * sizeof *v->x);
    return v;
}

sp_lua_vector *sp_lua_vector_at(lua_State *L, int index, size_t n)
{
    sp_lua_vector *v = sp_lua_thing(L, index, SP_THING_VECTOR);
    if (n > 0 && v->n != n) {
        char text[96];
        snprintf(text, sizeof text, "a vector of %zu entries expected, got one of %zu", n, v->n);
        luaL_argerror(L, index, text);
    }
    return v;
}

static sp_lua_vector *self(lua_State *L)
{
    return sp_lua_thing(L, 1, SP_THING_VECTOR);
}

static size_t entry(lua_State *L, const sp_lua_vector *v)
{
    const lua_Integer i = luaL_checkinteger(L, 2);
    if (i < 1 || (size_t)i > v->n) {
        char text[96];
        snprintf(text, sizeof text, "entries are 1 to %zu", v->n);
        luaL_argerror(L, 2, text);
    }
    return (size_t)i - 1;
}

/* All that change a vector return it, so that calls can follow each other: w:copy():scale(2). */
static int same(lua_State *L)
{
    lua_settop(L, 1);
    return 1;
}

static int add(lua_State *L)
{
    sp_lua_vector *v = self(L);
    const double a = luaL_checknumber(L, 2);
    const sp_lua_vector *u = sp_lua_vector_at(L, 3, v->n);
    cblas_daxpy((int)v->n, a, u->x, 1, v->x, 1);
    return same(L);
}

static int scale(lua_State *L)
{
    sp_lua_vector *v = self(L);
    cblas_dscal((int)v->n, luaL_checknumber(L, 2), v->x, 1);
    return same(L);
}

static int assign(lua_State *L)
{
    sp_lua_vector *v = self(L);
    memmove(v->x, sp_lua_vector_at(L, 2, v->n)->x, v->n * sizeof *v->x);
    return same(L);
}

static int fill(lua_State *L)
{
    sp_lua_vector *v = self(L);
    const double value = luaL_checknumber(L, 2);
    for (size_t i = 0; i < v->n; i++)
        v->x[i] = value;
    return same(L);
}

static int multiply(lua_State *L)
{
    sp_lua_vector *v = self(L);
    const sp_lua_vector *u = sp_lua_vector_at(L, 2, v->n);
    for (size_t i = 0; i < v->n; i++)
        v->x[i] *= u->x[i];
    return same(L);
}

static int divide(lua_State *L)
{
    sp_lua_vector *v = self(L);
    const sp_lua_vector *u = sp_lua_vector_at(L, 2, v->n);
    for (size_t i = 0; i < v->n; i++)
        v->x[i] /= u->x[i];
    return same(L);
}

static int root(lua_State *L)
{
    sp_lua_vector *v = self(L);
    for (size_t i = 0; i < v->n; i++)
        v->x[i] = sqrt(v->x[i]);
    return same(L);
}

static int copy(lua_State *L)
{
    const sp_lua_vector *v = self(L);
    sp_lua_vector *u = sp_lua_vector_new(L, v->n);
    memcpy(u->x, v->x, v->n * sizeof *v->x);
    return 1;
}

static int get(lua_State *L)
{
    const sp_lua_vector *v = self(L);
    lua_pushnumber(L, v->x[entry(L, v)]);
    return 1;
}

static int put(lua_State *L)
{
    sp_lua_vector *v = self(L);
    v->x[entry(L, v)] = luaL_checknumber(L, 3);
    return same(L);
}

static int dot(lua_State *L)
{
    const sp_lua_vector *v = self(L), *u = sp_lua_vector_at(L, 2, v->n);
    lua_pushnumber(L, cblas_ddot((int)v->n, v->x, 1, u->x, 1));
    return 1;
}

static int norm(lua_State *L)
{
    const sp_lua_vector *v = self(L);
    lua_pushnumber(L, cblas_dnrm2((int)v->n, v->x, 1));
    return 1;
}

static int length(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)self(L)->n);
    return 1;
}

void sp_lua_open_vectors(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "add", add },   { "assign", assign }, { "copy", copy }, { "divide", divide },     { "dot", dot },
        { "fill", fill }, { "get", get },       { "norm", norm }, { "multiply", multiply }, { "put", put },
        { "root", root }, { "scale", scale },   { NULL, NULL },
    };
    lua_newtable(L);
    lua_pushcfunction(L, length);
    lua_setfield(L, -2, "__len");
    sp_lua_kind(L, SP_THING_VECTOR, methods);
}
