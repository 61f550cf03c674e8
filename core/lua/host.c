/* host.c -- one lua_State, everything in it under lua_pcall.
 *
 * A Lua error jumps, so the functions that Lua calls own nothing: what they make lies in the arena or in Lua.
 * Experiments have no pcall, so an error always ends the text, and no setmetatable, so no finalizer runs behind the
 * step limit. */
#include "core/lua/state.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/lua/hints.h"
#include "core/lua/tokens.h"

#include <errno.h>
#include <limits.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MEMORY_MAX = 256 << 20,
    HOOK_EVERY = 100000,
    DEPTH_MAX = 32,    /* tables inside each other */
    NODES_MAX = 1000000,
    FILE_MAX = 16 << 20
};

static void *allocate(void *context, void *block, size_t old, size_t size)
{
    sp_lua *lua = context;
    if (!block)
        old = 0; /* a type tag */
    if (size == 0) {
        free(block);
        lua->memory -= old;
        return NULL;
    }
    if (size > old && size - old > MEMORY_MAX - lua->memory) {
        lua->memory_refused = true;
        return NULL;
    }
    void *moved = realloc(block, size);
    if (moved)
        lua->memory = lua->memory - old + size;
    return moved;
}

sp_lua *sp_lua_of(lua_State *L)
{
    return *(sp_lua **)lua_getextraspace(L);
}

static void count_steps(lua_State *L, lua_Debug *debug)
{
    sp_lua *lua = sp_lua_of(L);
    lua->steps += HOOK_EVERY;
    if (lua->steps < SP_LUA_INSTRUCTIONS)
        return;
    lua->refused = lua->last ? SP_EINVAL : SP_ELIMIT; /* of a run it is the run's matter */
    lua_getinfo(L, "Sl", debug);
    lua_pushfstring(L, "%s:%d: stopped after %d instructions (an endless loop?)", debug->short_src, debug->currentline,
                    SP_LUA_INSTRUCTIONS);
    lua_error(L);
}

void *sp_lua_need(lua_State *L, void *memory)
{
    if (!memory) {
        sp_lua_of(L)->out_of_memory = true;
        luaL_error(L, "out of memory");
    }
    return memory;
}

/* --- the environment ------------------------------------------------------------------------------------- */

static const struct {
    const char *library, *name;
} removed[] = {
    { LUA_GNAME, "collectgarbage" }, { LUA_GNAME, "dofile" },       { LUA_GNAME, "getmetatable" },
    { LUA_GNAME, "load" },           { LUA_GNAME, "loadfile" },     { LUA_GNAME, "next" },
    { LUA_GNAME, "pcall" },          { LUA_GNAME, "print" },        { LUA_GNAME, "setmetatable" },
    { LUA_GNAME, "warn" },           { LUA_GNAME, "xpcall" },       { LUA_MATHLIBNAME, "random" },
    { LUA_MATHLIBNAME, "randomseed" }, { LUA_STRLIBNAME, "dump" },
};

/* next() follows addresses and a random seed, and Lua's table.sort takes a pivot from the clock, which moves values
 * that compare equal: a plan must not. pairs() visits in the order of the keys, table.sort() merges and keeps the order
 * of equal values. */
static const char ordered[] =
    "local next, type, min = next, type, math.min\n"
    "local function less(a, b) return a < b end\n"
    "function table.sort(list, before)\n"
    "  local from, to, size, width = list, {}, #list, 1\n"
    "  before = before or less\n"
    "  while width < size do\n"
    "    for low = 1, size, 2 * width do\n"
    "      local middle, high = min(low + width, size + 1), min(low + 2 * width, size + 1)\n"
    "      local left, right = low, middle\n"
    "      for at = low, high - 1 do\n"
    "        if left < middle and (right >= high or not before(from[right], from[left])) then\n"
    "          to[at], left = from[left], left + 1\n"
    "        else\n"
    "          to[at], right = from[right], right + 1\n"
    "        end\n"
    "      end\n"
    "    end\n"
    "    from, to, width = to, from, 2 * width\n"
    "  end\n"
    "  for i = 1, from ~= list and size or 0 do list[i] = from[i] end\n"
    "end\n"
    "local sort = table.sort\n"
    "local function before(a, b)\n"
    "  if type(a) == type(b) then return a < b end\n"
    "  return type(a) < type(b)\n"
    "end\n"
    "function pairs(t)\n"
    "  local keys, i = {}, 0\n"
    "  for key in next, t do keys[#keys + 1] = key end\n"
    "  sort(keys, before)\n"
    "  return function ()\n"
    "    i = i + 1\n"
    "    if keys[i] ~= nil then return keys[i], t[keys[i]] end\n"
    "  end\n"
    "end\n";

/* __index of the globals and of a library; upvalue: "" or "math.". */
static int undefined_name(lua_State *L)
{
    enum { NAMES = 64 };
    static const char *const libraries[] = { LUA_MATHLIBNAME, LUA_STRLIBNAME, LUA_TABLIBNAME };
    const char *prefix = lua_tostring(L, lua_upvalueindex(1)), *name = luaL_tolstring(L, 2, NULL), *names[NAMES];
    size_t count = 0;
    if (strncmp(name, "random", 6) == 0)
        return luaL_error(L, "undefined name '%s%s' (an experiment is the same every time: seed and replicates vary "
                             "it)", prefix, name);
    const char *hint = *prefix ? NULL : sp_hint_name(name);
    if (hint)
        return luaL_error(L, "undefined name '%s' (%s)", name, hint);
    for (size_t i = 0; !*prefix && i < sizeof libraries / sizeof *libraries; i++) {
        lua_pushstring(L, libraries[i]);
        if (lua_rawget(L, 1) == LUA_TTABLE && (lua_pushstring(L, name), lua_rawget(L, -2)) != LUA_TNIL)
            return luaL_error(L, "undefined name '%s'; did you mean %s.%s?", name, libraries[i], name);
        lua_settop(L, 3);
    }
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING && count < NAMES)
            names[count++] = lua_tostring(L, -2);
    const char *nearest = sp_nearest(name, names, count);
    if (nearest)
        return luaL_error(L, "undefined name '%s%s'; did you mean %s%s?", prefix, name, prefix, nearest);
    return luaL_error(L, "undefined name '%s%s' (an experiment has base, math, string, table, include and "
                         "algorithm)", prefix,
                      name);
}

/* The bytes of a file; NULL with errno set, and *why. The caller frees. */
static char *read_all(const char *path, size_t *size, const char **why)
{
    size_t length = 0;
    int file, failure = 0;
    if ((*why = sp_open_file(path, &file, size)) != NULL)
        return NULL;
    char *bytes = *size <= FILE_MAX ? malloc(*size + 1) : NULL;
    if (!bytes)
        failure = *size <= FILE_MAX ? ENOMEM : EFBIG;
    while (failure == 0 && length < *size) {
        const ssize_t got = read(file, bytes + length, *size - length);
        if (got == 0 || (got < 0 && errno != EINTR))
            failure = got == 0 ? EIO : errno; /* cut short meanwhile */
        length += got > 0 ? (size_t)got : 0;
    }
    close(file);
    if (failure == 0)
        return bytes;
    free(bytes);
    errno = failure;
    *why = strerror(failure);
    return NULL;
}

/* What is read now is kept, to be run again. */
static const sp_lua_text *read_text(lua_State *L, const char *path, const char *shown)
{
    sp_lua *lua = sp_lua_of(L);
    char length[32];
    sp_lua_text *text = sp_lua_need(L, sp_arena_alloc(lua->arena, 1, sizeof *text));
    const char *why;
    text->chunk = sp_lua_need(L, sp_arena_format(lua->arena, "@%s", shown));
    char *bytes = read_all(path, &text->size, &why);
    if (!bytes) {
        *(errno == ENOMEM ? &lua->out_of_memory : &lua->unreadable) = true;
        luaL_error(L, "%s: %s", shown, why);
    }
    snprintf(length, sizeof length, "%zu", text->size);
    sp_hash_text(&lua->hash, length);
    sp_hash_add(&lua->hash, bytes, text->size);
    char *kept = sp_arena_text(lua->arena, text->size + 1);
    if (kept)
        text->bytes = memcpy(kept, bytes, text->size);
    free(bytes);
    sp_lua_need(L, kept);
    *(lua->last ? &lua->last->next : &lua->text) = text;
    return lua->last = text;
}

/* Refuses a text whose message is at the top of the stack, with how Lua spells what was probably meant. */
static void refuse_text(lua_State *L, const sp_lua_text *text)
{
    const char *message = lua_tostring(L, -1), *place = message;
    size_t line = 0;
    while ((place = strchr(place, ':')) != NULL && line == 0) /* "FILE:LINE: ..." */
        line = strtoul(++place, NULL, 10);
    const char *hint = line > 0 ? sp_hint_spelling(text->bytes, text->size, line) : NULL;
    if (hint)
        lua_pushfstring(L, "%s (%s)", message, hint);
    lua_error(L);
}

/* Runs a text and leaves its first value on the stack. `path` is the resolved one. */
static void run_text(lua_State *L, const sp_lua_text *text, const char *path)
{
    sp_lua *lua = sp_lua_of(L);
    const size_t mark = sp_token_mark(text->bytes, text->size);
    if (text->size >= 2 && (memcmp(text->bytes, "\xff\xfe", 2) == 0 || memcmp(text->bytes, "\xfe\xff", 2) == 0))
        luaL_error(L, "%s:1: a text in UTF-16: save it as UTF-8", text->chunk + 1);
    const int failed = luaL_loadbufferx(L, text->bytes + mark, text->size - mark, text->chunk, "t");
    if (failed == LUA_ERRSYNTAX)
        refuse_text(L, text);
    if (failed != LUA_OK)
        lua_error(L);
    if (lua->last && !sp_places_add(&lua->places, lua->arena, text->chunk + 1, text->bytes, text->size))
        sp_lua_need(L, NULL);
    lua->file[lua->files++] = path;
    lua_call(L, 0, 1);
    lua->files--;
}

void sp_lua_run_again(lua_State *L)
{
    sp_lua *lua = sp_lua_of(L);
    const sp_lua_text *text = lua->again;
    if (!text)
        luaL_error(L, "the texts include another one than when they were read");
    lua->again = text->next;
    run_text(L, text, text->chunk);
}

/* The resolved path, in the arena; NULL (errno) when there is no such file. */
static const char *resolve(lua_State *L, const char *path)
{
    char buffer[PATH_MAX];
    return realpath(path, buffer) ? sp_lua_need(L, sp_arena_copy(sp_lua_of(L)->arena, buffer)) : NULL;
}

static int include(lua_State *L)
{
    sp_lua *lua = sp_lua_of(L);
    const char *name = luaL_checkstring(L, 1);
    if (lua->files == 0)
        return luaL_error(L, "include works only while the experiment is read");
    if (lua->last == NULL) { /* texts that were read before */
        sp_lua_run_again(L);
        return 1;
    }
    if (lua->files == SP_LUA_INCLUDES)
        return luaL_error(L, "include \"%s\": more than %d files inside each other", name, SP_LUA_INCLUDES);
    const char *from = lua->file[lua->files - 1], *slash = strrchr(from, '/');
    const char *asked =
        sp_lua_need(L, *name == '/' ? sp_arena_copy(lua->arena, name)
                             : sp_arena_format(lua->arena, "%.*s%s", (int)(slash + 1 - from), from, name));
    const char *path = resolve(L, asked);
    if (!path)
        return luaL_error(L, "include \"%s\": %s", name, strerror(errno));
    if (strncmp(path, lua->folder, strlen(lua->folder)) != 0)
        return luaL_error(L, "include \"%s\": outside the experiment's folder", name);
    for (size_t i = 0; i < lua->files; i++)
        if (strcmp(lua->file[i], path) == 0)
            return luaL_error(L, "include \"%s\": includes itself", name);
    const char *shown = sp_lua_need(L, sp_arena_format(lua->arena, "%s%s", lua->prefix, path + strlen(lua->folder)));
    run_text(L, read_text(L, path, shown), path);
    return 1;
}

/* As text a table or a function is its address, which another run has elsewhere. */
static void refuse_address(lua_State *L, const char *function, int index)
{
    const int type = lua_type(L, index);
    if (type == LUA_TTABLE || type == LUA_TFUNCTION)
        luaL_error(L, "%s: a %s as text is its address, another one each time", function, lua_typename(L, type));
}

static int plain_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    refuse_address(L, "tostring", 1);
    luaL_tolstring(L, 1, NULL);
    return 1;
}

/* string.format without addresses; upvalue: Lua's own. */
static int plain_format(lua_State *L)
{
    const int top = lua_gettop(L);
    int index = 1;
    for (const char *c = luaL_checkstring(L, 1); (c = strchr(c, '%')) != NULL; c++) {
        c += 1 + strspn(c + 1, "-+ #0123456789.");
        if (*c == 'p')
            return luaL_error(L, "string.format: %%p is an address, another one each time");
        if (*c == '\0')
            break;
        if (*c != '%' && ++index <= top && *c == 's')
            refuse_address(L, "string.format", index);
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, top, 1);
    return 1;
}

/* The table at the top of the stack, which is popped, names what it lacks. */
static void guard(lua_State *L, const char *prefix)
{
    lua_newtable(L);
    lua_pushstring(L, prefix);
    lua_pushcclosure(L, undefined_name, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

void sp_lua_environment(lua_State *L)
{
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    if (luaL_loadbufferx(L, ordered, sizeof ordered - 1, "=pairs", "t") != LUA_OK)
        lua_error(L);
    lua_call(L, 0, 0);
    lua_register(L, "include", include);
    lua_register(L, "tostring", plain_tostring);
    lua_getglobal(L, LUA_STRLIBNAME);
    lua_getfield(L, -1, "format");
    lua_pushcclosure(L, plain_format, 1);
    lua_setfield(L, -2, "format");
    lua_pop(L, 1);
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++) {
        lua_getglobal(L, removed[i].library);
        lua_pushnil(L);
        lua_setfield(L, -2, removed[i].name);
    }
    const sp_lua_library *library = sp_lua_of(L)->library;
    if (library)
        library->open(L);
    lua_pushglobaltable(L);
    guard(L, "");
    lua_getglobal(L, LUA_MATHLIBNAME);
    guard(L, "math.");
    lua_getglobal(L, LUA_STRLIBNAME);
    guard(L, "string.");
    lua_getglobal(L, LUA_TABLIBNAME);
    guard(L, "table.");
    lua_settop(L, 0);
}

/* --- Lua values to nodes and back -------------------------------------------------------------------------- */

static const char *checked_text(lua_State *L, int index, const char *path)
{
    size_t length = 0;
    const char *text = lua_tolstring(L, index, &length);
    if (strlen(text) != length)
        luaL_error(L, "%s: a text with a NUL byte", path);
    return sp_lua_need(L, sp_arena_copy(sp_lua_of(L)->arena, text));
}

static int compare_fields(const void *a, const void *b)
{
    return strcmp(((const sp_field *)a)->key, ((const sp_field *)b)->key);
}

static sp_node *convert(lua_State *L, int index, const char *path, int depth);

/* What stands at the top of the stack, which is popped. */
static sp_node *convert_top(lua_State *L, const char *path, int depth)
{
    sp_node *node = convert(L, lua_gettop(L), path, depth);
    lua_pop(L, 1);
    return node;
}

/* A list of numbers and of nothing else: 8 bytes each in place of a node. */
static bool convert_numbers(lua_State *L, int index, sp_node *node)
{
    sp_lua *lua = sp_lua_of(L);
    bool all = node->items > 0;
    for (size_t i = 0; i < node->items && all; i++, lua_pop(L, 1))
        all = lua_rawgeti(L, index, (lua_Integer)i + 1) == LUA_TNUMBER;
    if (!all)
        return false;
    if (node->items > NODES_MAX - lua->nodes)
        luaL_error(L, "%s: more than %d values", node->path, NODES_MAX);
    lua->nodes += node->items;
    double *number = sp_lua_need(L, sp_arena_alloc(lua->arena, node->items, sizeof *number));
    for (size_t i = 0; i < node->items; i++, lua_pop(L, 1)) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        number[i] = lua_tonumber(L, -1);
    }
    node->numbers = number;
    sp_node_close(node);
    return true;
}

static void convert_table(lua_State *L, int index, sp_node *node, int depth)
{
    sp_lua *lua = sp_lua_of(L);
    const char *path = node->path, *place = *path ? path : "the experiment";
    size_t numbered = 0;
    node->items = lua_rawlen(L, index);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TSTRING)
            node->fields++;
        else if (lua_isinteger(L, -2) && (lua_Unsigned)lua_tointeger(L, -2) - 1 < node->items)
            numbered++;
        else if (lua_isinteger(L, -2) && lua_tointeger(L, -2) == 0)
            luaL_error(L, "%s[0]: a list begins with entry [1]", path);
        else
            luaL_error(L, "%s: a list with a hole, or a key that is no text", place);
    }
    if (numbered != node->items)
        luaL_error(L, "%s: a list with a hole", place);
    if (node->items + node->fields > NODES_MAX)
        luaL_error(L, "%s: more than %d values", place, NODES_MAX);
    if (node->fields == 0 && convert_numbers(L, index, node))
        return;
    node->item = sp_lua_need(L, sp_arena_alloc(lua->arena, node->items, sizeof *node->item));
    node->field = sp_lua_need(L, sp_arena_alloc(lua->arena, node->fields, sizeof *node->field));

    size_t i = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING)
            node->field[i++].key = checked_text(L, -2, place);
    qsort(node->field, node->fields, sizeof *node->field, compare_fields);
    for (i = 0; i < node->fields; i++) {
        const char *key = node->field[i].key;
        lua_pushstring(L, key);
        lua_rawget(L, index);
        node->field[i].node =
            convert_top(L, sp_lua_need(L, sp_arena_format(lua->arena, "%s%s%s", path, *path ? "." : "", key)), depth + 1);
    }
    for (i = 0; i < node->items; i++) {
        const bool name = lua_rawgeti(L, index, (lua_Integer)i + 1) == LUA_TSTRING && node->items == 1;
        const char *inner = name ? path : sp_lua_need(L, sp_arena_format(lua->arena, "%s[%zu]", path, i + 1));
        node->item[i] = convert_top(L, inner, depth + 1);
    }
    if (node->fields > 0 && (node->items > 1 || (node->items == 1 && node->item[0]->kind != SP_NODE_TEXT)))
        luaL_error(L, "%s: a table with keys holds at most one value without a key, a name: { \"name\", key = value }",
                   place);
    sp_node_close(node);
}

static sp_node *convert(lua_State *L, int index, const char *path, int depth)
{
    sp_lua *lua = sp_lua_of(L);
    sp_node *node = sp_lua_need(L, sp_arena_alloc(lua->arena, 1, sizeof *node));
    node->path = path;
    node->variants = 1;
    if (depth > DEPTH_MAX)
        luaL_error(L, "%s: more than %d tables inside each other", path, DEPTH_MAX);
    if (++lua->nodes > NODES_MAX)
        luaL_error(L, "%s: more than %d values", path, NODES_MAX);
    luaL_checkstack(L, 8, path);
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        node->kind = SP_NODE_NUMBER;
        node->number = lua_tonumber(L, index);
        break;
    case LUA_TBOOLEAN:
        node->kind = SP_NODE_FLAG;
        node->number = lua_toboolean(L, index);
        break;
    case LUA_TSTRING:
        node->kind = SP_NODE_TEXT;
        node->text = checked_text(L, index, path);
        break;
    case LUA_TFUNCTION:
        node->kind = SP_NODE_FUNCTION;
        node->calls = true;
        lua_pushvalue(L, index);
        node->function = luaL_ref(L, LUA_REGISTRYINDEX);
        break;
    case LUA_TTABLE:
        node->kind = SP_NODE_TABLE;
        convert_table(L, index, node, depth);
        break;
    default:
        luaL_error(L, "%s: a %s cannot stand here", path, luaL_typename(L, index));
    }
    return node;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* __index of a cell's table; upvalue: its name. */
static int unknown_yet(lua_State *L)
{
    enum { NAMES = 64 };
    const char *name[NAMES];
    int count = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING && count < NAMES)
            name[count++] = lua_tostring(L, -2);
    qsort(name, (size_t)count, sizeof *name, compare_names);
    lua_pushstring(L, count == 0 ? "nothing" : name[0]);
    for (int i = 1; i < count; i++) {
        lua_pushfstring(L, "%s, %s", lua_tostring(L, -1), name[i]);
        lua_remove(L, -2);
    }
    const char *known = lua_tostring(L, -1), *wanted = luaL_tolstring(L, 2, NULL);
    return luaL_error(L, "%s.%s is not known here (known: %s)", lua_tostring(L, lua_upvalueindex(1)), wanted, known);
}

/* The metatable of a cell's table that is called so: one copy, as long as there are not too many. */
static void push_guard(lua_State *L, const char *name)
{
    enum { GUARDS = 256 };
    sp_lua *lua = sp_lua_of(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, "cells");
    if (lua_getfield(L, -1, name) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_createtable(L, 0, 1);
        lua_pushstring(L, name);
        lua_pushcclosure(L, unknown_yet, 1);
        lua_setfield(L, -2, "__index");
        if (lua->guards < GUARDS) {
            lua_pushvalue(L, -1);
            lua_setfield(L, -3, name);
            lua->guards++;
        }
    }
    lua_remove(L, -2);
}

static void push(lua_State *L, const sp_node *node)
{
    enum { SMALL = 1 << 10 }; /* what is more a table makes room for itself */
    luaL_checkstack(L, 8, "cell");
    switch (node->kind) {
    case SP_NODE_NUMBER:
        lua_pushnumber(L, node->number);
        return;
    case SP_NODE_FLAG:
        lua_pushboolean(L, node->number == 1.0);
        return;
    case SP_NODE_TEXT:
        lua_pushstring(L, node->text);
        return;
    case SP_NODE_FUNCTION:
        lua_rawgeti(L, LUA_REGISTRYINDEX, node->function);
        return;
    case SP_NODE_TABLE:
        break;
    }
    lua_createtable(L, node->items < SMALL ? (int)node->items : SMALL,
                    node->fields < SMALL ? (int)node->fields : SMALL);
    for (size_t i = 0; i < node->items; i++) {
        node->numbers ? lua_pushnumber(L, node->numbers[i]) : push(L, node->item[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    for (size_t i = 0; i < node->fields; i++) {
        push(L, node->field[i].node);
        lua_setfield(L, -2, node->field[i].key);
    }
    push_guard(L, node->path);
    lua_setmetatable(L, -2);
}

/* --- under lua_pcall ----------------------------------------------------------------------------------------- */

typedef struct request {
    const char *path, *shown;
    const sp_node *function, *argument;
    const sp_node *result;
} request;

static int protected_open(lua_State *L)
{
    request *r = lua_touserdata(L, 1);
    sp_lua_environment(L);
    run_text(L, read_text(L, r->path, r->shown), r->path);
    if (sp_lua_of(L)->library)
        sp_lua_of(L)->library->close(L);
    if (!lua_istable(L, -1))
        return luaL_error(L, "an experiment returns one table, this one returned %s: its last statement is return { ... }",
                          lua_isnil(L, -1) ? "nothing" : luaL_typename(L, -1));
    r->result = convert_top(L, "", 0);
    lua_settop(L, 0);
    lua_gc(L, LUA_GCCOLLECT); /* a long list is there once from now on, as nodes */
    return 0;
}

static int protected_call(lua_State *L)
{
    request *r = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->function->function);
    push(L, r->argument);
    lua_call(L, 1, 1);
    const int type = lua_type(L, -1);
    if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TBOOLEAN)
        return luaL_error(L, "the function must return a number, a text or a flag, it returned %s",
                          type == LUA_TNIL ? "nothing" : "a table or a function");
    r->result = convert_top(L, r->function->path, 0);
    return 0;
}

sp_status sp_lua_protect(sp_lua *lua, lua_CFunction function, void *r, sp_error *error)
{
    lua_State *L = lua->L;
    lua->steps = lua->nodes = 0;
    lua->refused = SP_EINVAL;
    lua_pushcfunction(L, function);
    lua_pushlightuserdata(L, r);
    lua->calls++;
    lua->running = true;
    const int failed = lua_pcall(L, 1, 0, 0);
    lua->running = false;
    if (failed == LUA_OK)
        return SP_OK;
    sp_status status;
    if (lua->out_of_memory || (failed == LUA_ERRMEM && !lua->memory_refused))
        status = sp_fail(error, SP_ENOMEM, "out of memory");
    else if (failed == LUA_ERRMEM)
        status = sp_fail(error, SP_EINVAL, "the text uses more than %d MiB", MEMORY_MAX >> 20);
    else
        status = sp_fail(error, lua->unreadable ? SP_EIO : lua->refused, "%s",
                         lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "error without a text");
    lua_settop(L, 0);
    return status;
}

size_t sp_lua_progress(const sp_lua *lua)
{
    return lua->running ? lua->calls * (2 + SP_LUA_INSTRUCTIONS / HOOK_EVERY) + lua->steps / HOOK_EVERY : 0;
}

void sp_lua_call_place(const sp_lua *lua, char *out, size_t room)
{
    lua_Debug debug;
    for (int level = 0; lua_getstack(lua->L, level, &debug) && lua_getinfo(lua->L, "Sl", &debug); level++)
        if (debug.currentline > 0) {
            snprintf(out, room, "%s:%d", debug.short_src, debug.currentline);
            return;
        }
}

sp_status sp_lua_start(sp_lua *lua, sp_error *error)
{
    lua->L = lua_newstate(allocate, lua);
    if (!lua->L)
        return sp_fail(error, SP_ENOMEM, "out of memory");
    *(sp_lua **)lua_getextraspace(lua->L) = lua;
    lua_sethook(lua->L, count_steps, LUA_MASKCOUNT, HOOK_EVERY);
    return SP_OK;
}

static sp_status start(sp_lua *lua, const char *path, const char *real, sp_error *error)
{
    sp_arena *arena = lua->arena;
    const char *slash = strrchr(path, '/');
    lua->prefix = sp_arena_format(arena, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
    lua->folder = sp_arena_format(arena, "%.*s", (int)(strrchr(real, '/') + 1 - real), real);
    sp_hash_start(&lua->hash);
    return lua->prefix && lua->folder ? sp_lua_start(lua, error) : sp_fail(error, SP_ENOMEM, "out of memory");
}

sp_status sp_lua_open(const char *path, const sp_lua_library *library, sp_arena *arena, sp_lua **out,
                      const sp_node **root, char script[SP_HASH_HEX], sp_error *error)
{
    sp_status status = SP_OK;
    char real[PATH_MAX];
    sp_lua *lua = *out = sp_alloc(1, sizeof *lua);
    if (!lua)
        return sp_fail(error, SP_ENOMEM, "out of memory");
    lua->library = library;
    lua->arena = arena;
    if (!realpath(path, real)) {
        status = sp_fail(error, SP_EIO, "%s", strerror(errno));
        goto cleanup;
    }
    SP_TRY(start(lua, path, real, error));
    request r = { .path = real, .shown = path };
    SP_TRY(sp_lua_protect(lua, protected_open, &r, error));
    sp_hash_end_hex(&lua->hash, script);
    *root = r.result;
cleanup:
    if (status != SP_OK) {
        *out = NULL;
        sp_lua_close(lua);
    }
    if (status != SP_OK && error && strncmp(error->text, path, strlen(path)) != 0)
        sp_fail_prefix(error, "%s", path);
    return status;
}

bool sp_lua_file(const sp_lua *lua, size_t i, const char **path, const char **bytes, size_t *size)
{
    const sp_lua_text *text = lua->text;
    while (text && i-- > 0)
        text = text->next;
    if (!text)
        return false;
    *path = text->chunk + 1 + strlen(lua->prefix);
    *bytes = text->bytes;
    *size = text->size;
    return true;
}

const sp_places *sp_lua_places(const sp_lua *lua)
{
    return &lua->places;
}

void sp_lua_close(sp_lua *lua)
{
    if (lua && lua->L)
        lua_close(lua->L);
    free(lua);
}

sp_status sp_lua_call(sp_lua *lua, const sp_node *function, const sp_node *argument, sp_arena *arena,
                      const sp_node **out, sp_error *error)
{
    request r = { .function = function, .argument = argument };
    lua->arena = arena;
    const sp_status status = sp_lua_protect(lua, protected_call, &r, error);
    if (status == SP_OK)
        *out = r.result;
    else if (error)
        sp_fail_prefix(error, "%s", function->path);
    return status;
}
