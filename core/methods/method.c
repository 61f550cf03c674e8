/* method.c -- methods that an experiment defines by algorithm{ name = ..., params = ..., fits = ..., run = ... }.
 *
 * Each run has a lua_State of its own, in which the texts that the plan was read from are run again, in the same order;
 * the method is then found by its name. What a method is made of, for the hash that says whether a stored run is
 * current, is the table given to algorithm{ }: the texts of its functions, line by line, and all that they reach, be it
 * a local of the file, a table, or a global name. */
#include "core/methods/lua_methods.h"

#include "algorithms/algorithm.h"
#include "core/base/hash.h"
#include "core/methods/userdata.h"

#include <lualib.h>
#include <stdint.h>
#include <stdio.h>

/* Keys of the registry. */
static const char methods_key[] = "methods", walker_key[] = "walker";

/* Calls feed() with all that a value reaches, in an order that no address and no seed decides. Functions of the
 * environment count with their names. */
static const char walker[] =
    "local getinfo, getupvalue = ...\n"
    "local type, pairs = type, pairs\n"
    "local standard = {}\n"
    "local function name(prefix, library)\n"
    "  for key, value in pairs(library) do\n"
    "    if type(value) == 'function' then standard[value] = prefix .. key end\n"
    "  end\n"
    "end\n"
    "name('', _G) name('math.', math) name('string.', string) name('table.', table)\n"
    "return function (value, feed, lines)\n"
    "  local seen, count = {}, 0\n"
    "  local function walk(x)\n"
    "    local kind = type(x)\n"
    "    if standard[x] then\n"
    "      feed('standard', standard[x])\n"
    "    elseif seen[x] then\n"
    "      feed('seen', seen[x])\n"
    "    elseif kind == 'function' then\n"
    "      local info, i = getinfo(x, 'S'), 1\n"
    "      count = count + 1\n"
    "      seen[x] = count\n"
    "      feed(kind, lines(info.source, info.linedefined, info.lastlinedefined))\n"
    "      while true do\n"
    "        local upvalue, held = getupvalue(x, i)\n"
    "        if not upvalue then break end\n"
    "        feed('upvalue', upvalue)\n"
    "        walk(held)\n"
    "        i = i + 1\n"
    "      end\n"
    "    elseif kind == 'table' then\n"
    "      count = count + 1\n"
    "      seen[x] = count\n"
    "      feed(kind, 0)\n"
    "      for key, held in pairs(x) do walk(key) walk(held) end\n"
    "      feed('end', 0)\n"
    "    else\n"
    "      feed(kind, x)\n"
    "    end\n"
    "  end\n"
    "  walk(value)\n"
    "end\n";

struct sp_lua_method {
    struct sp_lua_method *next;
    sp_lua *lua;           /* in which it was defined */
    const char *name, *summary, *source;
    sp_param *params;
    char content[SP_HASH_HEX];
    bool fits;             /* there is such a function */
};

/* --- definition ---------------------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    return *text >= 'a' && *text <= 'z' && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static void check_keys(lua_State *L, int table)
{
    static const char *const known[] = { "name", "params", "fits", "run", "summary", "source" };
    enum { KNOWN = sizeof known / sizeof *known };
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 2)) {
        const char *key = luaL_tolstring(L, -2, NULL);
        bool found = false;
        for (size_t i = 0; i < KNOWN && !found; i++)
            found = strcmp(known[i], key) == 0;
        const char *nearest = found ? NULL : sp_nearest(key, known, KNOWN);
        if (!found)
            luaL_error(L, nearest ? "algorithm: unknown key '%s'; did you mean %s?" : "algorithm: unknown key '%s'",
                       key, nearest);
    }
}

/* A text of one line, copied; NULL: not given. */
static const char *line_of(lua_State *L, int table, const char *key)
{
    const char *out = NULL;
    const int type = lua_getfield(L, table, key);
    if (type != LUA_TNIL) {
        if (type != LUA_TSTRING || lua_tostring(L, -1)[strcspn(lua_tostring(L, -1), "\t\r\n")] != '\0')
            luaL_error(L, "algorithm: %s must be a text of one line", key);
        out = sp_lua_need(L, sp_arena_copy(sp_lua_of(L)->arena, lua_tostring(L, -1)));
    }
    lua_pop(L, 1);
    return out;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const sp_param *)a)->key, ((const sp_param *)b)->key);
}

/* The schema of params = { eta = 0.1, steps = 100, adaptive = false }: the values are the defaults, and a function is
 * one of the problem's constants. */
static sp_param *read_params(lua_State *L, int table, const char *method)
{
    sp_lua *lua = sp_lua_of(L);
    sp_param *params = sp_lua_need(L, sp_arena_alloc(lua->arena, SP_PARAM_MAX + 1, sizeof *params));
    size_t count = 0;
    const int type = lua_getfield(L, table, "params");
    if (type != LUA_TNIL && type != LUA_TTABLE)
        luaL_error(L, "algorithm %s: params must be a table { key = default }", method);
    for (lua_pushnil(L); type == LUA_TTABLE && lua_next(L, -2); lua_pop(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        if (!is_name(key) || strcmp(key, "label") == 0 || strcmp(key, "privacy") == 0 || strcmp(key, "tune") == 0)
            luaL_error(L, "algorithm %s: a key of params is of a-z 0-9 _, and not label, privacy or tune", method);
        if (count == SP_PARAM_MAX)
            luaL_error(L, "algorithm %s: more than %d params", method, SP_PARAM_MAX);
        sp_param *p = &params[count++];
        *p = (sp_param){ .key = sp_lua_need(L, sp_arena_copy(lua->arena, key)), .kind = SP_REAL,
                         .range = { -DBL_MAX, DBL_MAX }, .meaning = "of the method in Lua" };
        switch (lua_type(L, -1)) {
        case LUA_TNUMBER:
            p->initial = lua_tonumber(L, -1);
            if (!isfinite(p->initial))
                luaL_error(L, "algorithm %s: params.%s must be finite", method, key);
            break;
        case LUA_TFUNCTION:
            p->initial = SP_DERIVED;
            break;
        case LUA_TBOOLEAN:
            p->kind = SP_FLAG;
            p->initial = lua_toboolean(L, -1);
            break;
        case LUA_TSTRING:
            p->kind = SP_TEXT;
            p->choices = sp_lua_need(L, sp_arena_copy(lua->arena, lua_tostring(L, -1)));
            break;
        default:
            luaL_error(L, "algorithm %s: params.%s must be a number, a flag, a text or a function of the constants",
                       method, key);
        }
    }
    lua_pop(L, 1);
    qsort(params, count, sizeof *params, by_key);
    return params;
}

static int define(lua_State *L)
{
    sp_lua *lua = sp_lua_of(L);
    if (lua->files == 0)
        return luaL_error(L, "algorithm works only while the experiment is read");
    luaL_checktype(L, 1, LUA_TTABLE);
    check_keys(L, 1);
    const char *name = line_of(L, 1, "name");
    if (!name || !is_name(name))
        return luaL_error(L, "algorithm: name must be of a-z 0-9 _ and begin with a letter");
    if (lua_getfield(L, 1, "run") != LUA_TFUNCTION)
        return luaL_error(L, "algorithm %s: run must be a function (o, p, w)", name);
    const int fits = lua_getfield(L, 1, "fits");
    if (fits != LUA_TNIL && fits != LUA_TFUNCTION)
        return luaL_error(L, "algorithm %s: fits must be a function (c)", name);
    struct sp_lua_method *m = sp_lua_need(L, sp_arena_alloc(lua->arena, 1, sizeof *m));
    m->lua = lua;
    m->name = name;
    m->fits = fits == LUA_TFUNCTION;
    m->summary = line_of(L, 1, "summary");
    m->source = line_of(L, 1, "source");
    m->params = read_params(L, 1, name);
    lua_rawgetp(L, LUA_REGISTRYINDEX, methods_key);
    if (lua_getfield(L, -1, name) != LUA_TNIL)
        return luaL_error(L, "algorithm %s: there is one of that name already", name);
    lua_pop(L, 1);
    lua_pushvalue(L, 1);
    lua_setfield(L, -2, name);
    struct sp_lua_method **end = &lua->method;
    while (*end)
        end = &(*end)->next;
    *end = m;
    lua_pushstring(L, name);
    return 1;
}

/* --- what a method is made of -------------------------------------------------------------------------------- */

/* feed(kind, value); upvalue: the hash. */
static int feed(lua_State *L)
{
    sp_hash *hash = lua_touserdata(L, lua_upvalueindex(1));
    sp_hash_text(hash, lua_tostring(L, 1));
    if (lua_type(L, 2) == LUA_TNUMBER) {
        const double number = lua_tonumber(L, 2);
        sp_hash_add(hash, &number, sizeof number);
    } else {
        size_t size;
        const char *text = luaL_tolstring(L, 2, &size);
        const uint64_t length = size;
        sp_hash_add(hash, &length, sizeof length);
        sp_hash_add(hash, text, size);
    }
    return 0;
}

/* lines(source, first, last): of the file "@source" that was read. */
static int lines(lua_State *L)
{
    const char *source = luaL_checkstring(L, 1);
    const lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
    const sp_lua_text *t = sp_lua_of(L)->text;
    while (t && strcmp(t->chunk, source) != 0)
        t = t->next;
    if (!t)
        return luaL_error(L, "a function of no file: %s", source);
    const char *at = t->bytes, *const end = t->bytes + t->size, *from = at;
    for (lua_Integer line = 1; at < end && line <= last; line++) {
        if (line == first)
            from = at;
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    lua_pushlstring(L, from, (size_t)(at - from));
    return 1;
}

static void open_library(lua_State *L)
{
    sp_lua_open_vectors(L);
    lua_register(L, "algorithm", define);
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, methods_key);
    if (sp_lua_of(L)->again) /* a run: what it is made of is known */
        return;
    if (luaL_loadbufferx(L, walker, sizeof walker - 1, "=walker", "t") != LUA_OK)
        lua_error(L);
    luaL_requiref(L, LUA_DBLIBNAME, luaopen_debug, 0);
    lua_getfield(L, -1, "getinfo");
    lua_getfield(L, -2, "getupvalue");
    lua_remove(L, -3);
    lua_call(L, 2, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, walker_key);
}

/* All texts are read: hashes what each method is made of. */
static void close_library(lua_State *L)
{
    for (struct sp_lua_method *m = sp_lua_of(L)->method; m; m = m->next) {
        sp_hash hash;
        sp_hash_start(&hash);
        lua_rawgetp(L, LUA_REGISTRYINDEX, walker_key);
        lua_rawgetp(L, LUA_REGISTRYINDEX, methods_key);
        lua_getfield(L, -1, m->name);
        lua_remove(L, -2);
        lua_pushlightuserdata(L, &hash);
        lua_pushcclosure(L, feed, 1);
        lua_pushcfunction(L, lines);
        lua_call(L, 3, 0);
        sp_hash_end_hex(&hash, m->content);
    }
}

const sp_lua_library sp_lua_method_library = { open_library, close_library };

/* --- a run --------------------------------------------------------------------------------------------------- */

typedef struct request {
    const struct sp_lua_method *method;
    sp_oracle *o;
    const sp_values *values;
    const sp_constants *constants;
    double *w;
    size_t d;
} request;

/* A function of the method's table, or its params. */
static int push_member(lua_State *L, const struct sp_lua_method *m, const char *key)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, methods_key);
    lua_getfield(L, -1, m->name);
    const int type = lua_getfield(L, -1, key);
    lua_insert(L, -3);
    lua_pop(L, 2);
    return type;
}

/* __index of p; upvalue: the method's name. */
static int no_param(lua_State *L)
{
    return luaL_error(L, "algorithm %s has no parameter '%s'", lua_tostring(L, lua_upvalueindex(1)),
                      luaL_tolstring(L, 2, NULL));
}

static void push_number(lua_State *L, double x)
{
    if (x == floor(x) && fabs(x) < 0x1p53)
        lua_pushinteger(L, (lua_Integer)x);
    else
        lua_pushnumber(L, x);
}

/* p: what is given, and the defaults. */
static void push_params(lua_State *L, const request *r)
{
    lua_newtable(L);
    push_member(L, r->method, "params");
    for (size_t i = 0; i < r->values->count; i++) {
        const sp_param *param = &r->values->params[i];
        if (!sp_given(r->values, i)) {
            if (lua_getfield(L, -1, param->key) == LUA_TFUNCTION) {
                sp_lua_push_constants(L, r->constants);
                lua_call(L, 1, 1);
                if (lua_type(L, -1) != LUA_TNUMBER)
                    luaL_error(L, "algorithm %s: params.%s: its function must return a number", r->method->name,
                               param->key);
                sp_resolved(r->o, param->key, lua_tonumber(L, -1), SP_FROM_THEORY);
            }
            if (lua_type(L, -1) == LUA_TNUMBER)
                push_number(L, lua_tonumber(L, -1));
            else
                lua_pushvalue(L, -1);
            lua_remove(L, -2);
        } else if (param->kind == SP_FLAG)
            lua_pushboolean(L, sp_flag(r->values, i));
        else if (param->kind == SP_TEXT)
            lua_pushstring(L, sp_word(r->values, i));
        else
            push_number(L, sp_real(r->values, i));
        lua_setfield(L, -3, param->key);
    }
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushstring(L, r->method->name);
    lua_pushcclosure(L, no_param, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

static int protected_run(lua_State *L)
{
    const request *r = lua_touserdata(L, 1);
    sp_lua_environment(L);
    sp_lua_run_again(L);
    lua_settop(L, 0);
    sp_lua_vector *w = sp_lua_vector_new(L, r->d);
    memcpy(w->x, r->w, r->d * sizeof *r->w);
    push_member(L, r->method, "run");
    sp_lua_open_oracle(L, r->o, r->method->params);
    push_params(L, r);
    lua_pushvalue(L, 1);
    sp_lua_of(L)->steps = 0;
    lua_call(L, 3, 1);
    if (!lua_isnil(L, -1)) {
        const sp_lua_vector *answer = lua_touserdata(L, -1);
        if (!answer || answer->thing != SP_THING_VECTOR || answer->n != r->d)
            return luaL_error(L, "algorithm %s: run must return nothing (the answer is w) or a vector of %d entries",
                              r->method->name, (int)r->d);
        w = (sp_lua_vector *)answer;
    }
    memcpy(r->w, w->x, r->d * sizeof *r->w);
    return 0;
}

static sp_status run(const sp_foreign *foreign, sp_oracle *o, const sp_values *values, double *w)
{
    sp_status status = SP_OK;
    const struct sp_lua_method *m = foreign->context;
    request r = { m, o, values, sp_public(o), w, sp_dimension(o) };
    sp_arena arena = { 0 };
    sp_error error = { .text = "" };
    sp_lua lua = { .arena = &arena, .again = m->lua->text, .library = m->lua->library };
    SP_TRY(sp_lua_start(&lua, &error));
    SP_TRY(sp_lua_protect(&lua, protected_run, &r, &error));
cleanup:
    if (lua.L)
        lua_close(lua.L);
    sp_arena_free(&arena);
    return status == SP_OK ? SP_OK : sp_refuse(o, status, "%s", error.text);
}

static int protected_fits(lua_State *L)
{
    const request *r = lua_touserdata(L, 1);
    sp_lua *lua = sp_lua_of(L);
    push_member(L, r->method, "fits");
    sp_lua_push_constants(L, r->constants);
    lua_call(L, 1, 1);
    const bool misfit = lua_type(L, -1) == LUA_TSTRING || (lua_type(L, -1) == LUA_TBOOLEAN && !lua_toboolean(L, -1));
    if (!misfit && !lua_isnil(L, -1) && !lua_isboolean(L, -1))
        return luaL_error(L, "algorithm %s: fits must return nothing, or a text that says why not", r->method->name);
    snprintf(lua->reason, sizeof lua->reason, "%s",
             !misfit ? "" : lua_isboolean(L, -1) ? "it says that it does not fit" : lua_tostring(L, -1));
    for (char *c = lua->reason; *c; c++)
        if (*c == '\n' || *c == '\t' || *c == '\r')
            *c = ' ';
    return 0;
}

static const char *fits(const sp_foreign *foreign, const sp_constants *constants)
{
    const struct sp_lua_method *m = foreign->context;
    request r = { .method = m, .constants = constants };
    sp_error error = { .text = "" };
    if (sp_lua_protect(m->lua, protected_fits, &r, &error) != SP_OK)
        snprintf(m->lua->reason, sizeof m->lua->reason, "%.*s", (int)sizeof m->lua->reason - 1, error.text);
    return m->lua->reason[0] ? m->lua->reason : NULL;
}

sp_status sp_lua_methods(sp_lua *lua, sp_arena *arena, const sp_algorithm **out, size_t *count, sp_error *error)
{
    size_t methods = 0;
    for (const struct sp_lua_method *m = lua->method; m; m = m->next)
        methods++;
    sp_algorithm *algorithm = sp_arena_alloc(arena, methods + 1, sizeof *algorithm);
    sp_foreign *foreign = sp_arena_alloc(arena, methods + 1, sizeof *foreign);
    if (!algorithm || !foreign)
        return sp_fail(error, SP_ENOMEM, "out of memory");
    *out = algorithm;
    *count = methods;
    for (struct sp_lua_method *m = lua->method; m; m = m->next, algorithm++, foreign++) {
        *foreign = (sp_foreign){ .run = run, .fits = m->fits ? fits : NULL, .context = m, .content = m->content };
        *algorithm = (sp_algorithm){
            .name = m->name, .summary = m->summary ? m->summary : "a method of the experiment, in Lua",
            .when = "where its author says", .source = m->source ? m->source : "ours",
            .releases = "what its text asks for", .params = m->params, .foreign = foreign,
        };
    }
    return SP_OK;
}
