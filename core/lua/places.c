/* places.c -- see places.h. */
#include "core/lua/places.h"

#include "core/lua/tokens.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, ALIASES_MAX = 16 };

typedef struct scan {
    sp_places *places;
    sp_arena *arena;
    const char *file;
    sp_tokens rest;
    sp_token now, ahead; /* the token at hand, and the next one */
    bool failed;         /* out of memory */
} scan;

/* Where a table constructor stands. */
typedef struct where {
    const char *variable, *path; /* path NULL: nowhere that has a name */
} where;

static void step(scan *s)
{
    s->now = s->ahead;
    s->ahead = sp_token_next(&s->rest);
}

static bool at(const scan *s, const char *text)
{
    return sp_token_is(&s->now, text);
}

static const char *copy(scan *s, const char *text)
{
    s->failed = s->failed || !text;
    return text ? text : "";
}

static const char *text_of(scan *s, const sp_token *t)
{
    return copy(s, sp_arena_format(s->arena, "%.*s", (int)t->length, t->at));
}

/* Without its quotes. */
static const char *unquoted(scan *s, const sp_token *t)
{
    return copy(s, sp_arena_format(s->arena, "%.*s", t->length > 2 ? (int)t->length - 2 : 0, t->at + 1));
}

static sp_place *add(scan *s, where w, size_t line)
{
    sp_place *place = w.path ? sp_arena_alloc(s->arena, 1, sizeof *place) : NULL;
    s->failed = s->failed || (w.path && !place);
    if (place) {
        *place = (sp_place){ .next = s->places->place, .file = s->file, .variable = w.variable, .path = w.path,
                             .line = line };
        s->places->place = place;
    }
    return place;
}

static where below(scan *s, where w, const char *key)
{
    if (w.path && key)
        w.path = copy(s, sp_arena_format(s->arena, "%s%s%s", w.path, *w.path && *key != '[' ? "." : "", key));
    else
        w.path = NULL;
    return w;
}

static void read_table(scan *s, where w, size_t depth);

static bool opens_block(const scan *s)
{
    return at(s, "function") || at(s, "if") || at(s, "do") || at(s, "repeat");
}

static bool closes_block(const scan *s)
{
    return at(s, "end") || at(s, "until");
}

static bool ends_entry(const sp_token *t)
{
    return t->kind == SP_TOKEN_END || sp_token_is(t, ",") || sp_token_is(t, ";") || sp_token_is(t, "}");
}

/* base.problem, of which both tokens at hand and the rest are; *path gets what follows the name, "problem". False where
 * more than a name and its keys is the value. */
static bool read_name(scan *s, const char **path)
{
    sp_tokens rest = s->rest;
    sp_token t = s->ahead;
    *path = "";
    while (sp_token_is(&t, ".")) {
        t = sp_token_next(&rest);
        if (t.kind != SP_TOKEN_NAME)
            return false;
        *path = copy(s, sp_arena_format(s->arena, "%s%s%.*s", *path, **path ? "." : "", (int)t.length, t.at));
        t = sp_token_next(&rest);
    }
    return ends_entry(&t) || t.line > s->now.line;
}

/* A name that is the whole value, or include "file.lua". */
static void read_alias(scan *s, sp_place *place)
{
    const char *path;
    if (s->now.kind != SP_TOKEN_NAME || !place)
        return;
    if (at(s, "include")) {
        sp_tokens rest = s->rest;
        const sp_token file = sp_token_is(&s->ahead, "(") ? sp_token_next(&rest) : s->ahead;
        if (file.kind != SP_TOKEN_STRING)
            return;
        const char *slash = strrchr(s->file, '/'), *name = unquoted(s, &file);
        place->alias_file = copy(s, sp_arena_format(s->arena, "%.*s%s", slash ? (int)(slash + 1 - s->file) : 0, s->file,
                                                    name));
        place->alias = place->inner = "";
    } else if (read_name(s, &path)) {
        place->alias_file = s->file;
        place->alias = text_of(s, &s->now);
        place->inner = path;
    }
}

/* The value of a key, up to the comma or bracket after it. Tables within other expressions have no place. */
static void read_value(scan *s, where w, sp_place *place, size_t depth)
{
    size_t brackets = 0, blocks = 0;
    read_alias(s, place);
    if (at(s, "{")) {
        read_table(s, w, depth + 1);
        if (ends_entry(&s->now))
            return;
    }
    while (s->now.kind != SP_TOKEN_END && (brackets > 0 || blocks > 0 || !ends_entry(&s->now))) {
        if (at(s, "{")) {
            read_table(s, (where){ NULL, NULL }, depth + 1);
            continue;
        }
        if (at(s, "}")) /* brackets that do not match: Lua has refused it */
            return;
        brackets += at(s, "(") || at(s, "[");
        brackets -= brackets > 0 && (at(s, ")") || at(s, "]"));
        blocks += opens_block(s);
        blocks -= blocks > 0 && closes_block(s);
        step(s);
    }
}

/* name =, ["name"] = or [1] =, which is passed; NULL: a value without a key, or one that is computed. *computed: the
 * latter. */
static const char *read_key(scan *s, bool *computed)
{
    const char *key = NULL;
    *computed = false;
    if (s->now.kind == SP_TOKEN_NAME && sp_token_is(&s->ahead, "=")) {
        key = text_of(s, &s->now);
        step(s);
        step(s);
    } else if (at(s, "[")) {
        step(s);
        const bool plain = sp_token_is(&s->ahead, "]");
        if (plain && s->now.kind == SP_TOKEN_STRING)
            key = unquoted(s, &s->now);
        else if (plain && s->now.kind == SP_TOKEN_NUMBER)
            key = copy(s, sp_arena_format(s->arena, "[%.*s]", (int)s->now.length, s->now.at));
        else
            *computed = true;
        for (size_t brackets = 1; s->now.kind != SP_TOKEN_END && brackets > 0; step(s)) {
            brackets += at(s, "[");
            brackets -= at(s, "]");
        }
        if (at(s, "="))
            step(s);
    }
    return key;
}

/* Keys of a constructor, for what is given twice. */
typedef struct key_line {
    const char *key;
    size_t line;
} key_line;

static int by_key(const void *a, const void *b)
{
    const key_line *x = a, *y = b;
    const int order = strcmp(x->key, y->key);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void compare_keys(scan *s, key_line *keys, size_t count)
{
    if (count > 1)
        qsort(keys, count, sizeof *keys, by_key);
    for (size_t i = 1; i < count; i++)
        if (strcmp(keys[i].key, keys[i - 1].key) == 0) {
            sp_twice *twice = sp_arena_alloc(s->arena, 1, sizeof *twice);
            s->failed = s->failed || !twice;
            if (!twice)
                return;
            *twice = (sp_twice){ NULL, s->file, keys[i].key, keys[i].line, keys[i - 1].line };
            *(s->places->twice ? s->places->twice_end : &s->places->twice) = twice;
            s->places->twice_end = &twice->next;
        }
}

/* From { to the token after }. */
static void read_table(scan *s, where w, size_t depth)
{
    key_line *keys = NULL;
    size_t count = 0, room = 0, items = 0;
    step(s);
    while (s->now.kind != SP_TOKEN_END && !at(s, "}")) {
        const size_t line = s->now.line;
        bool computed = false;
        const char *key = depth < DEPTH_MAX ? read_key(s, &computed) : NULL;
        if (key && count == room) {
            key_line *grown = realloc(keys, (room = 2 * room + 8) * sizeof *grown);
            if (!grown) {
                s->failed = true;
                break;
            }
            keys = grown;
        }
        if (key)
            keys[count++] = (key_line){ key, line };
        items += !key && !computed;
        const bool number = !key && s->now.kind == SP_TOKEN_NUMBER && ends_entry(&s->ahead); /* a list may have a million */
        const char *item = key || computed || number || !w.path ? key : copy(s, sp_arena_format(s->arena, "[%zu]", items));
        const where inner = number ? (where){ NULL, NULL } : below(s, w, item);
        read_value(s, inner, add(s, inner, line), depth);
        if (!at(s, "}"))
            step(s);
    }
    step(s);
    compare_keys(s, keys, count);
    free(keys);
}

/* A variable and its keys, `e.problem["n"]`, up to the = that assigns to it, which is passed; path NULL: it is none. */
static where read_target(scan *s)
{
    where w = { text_of(s, &s->now), "" };
    step(s);
    while (at(s, ".") || at(s, "[")) {
        const bool dot = at(s, ".");
        step(s);
        const bool plain = dot ? s->now.kind == SP_TOKEN_NAME : sp_token_is(&s->ahead, "]");
        const char *key = !plain ? NULL
            : s->now.kind == SP_TOKEN_STRING ? unquoted(s, &s->now)
            : s->now.kind == SP_TOKEN_NUMBER ? copy(s, sp_arena_format(s->arena, "[%.*s]", (int)s->now.length, s->now.at))
            : dot ? text_of(s, &s->now) : NULL;
        w = below(s, w, key);
        if (!w.path)
            return w;
        step(s);
        if (!dot)
            step(s);
    }
    if (!at(s, "="))
        w.path = NULL;
    return w;
}

/* A value that is assigned or returned: a table, a variable, or what a file returns. */
static void read_assigned(scan *s, where w, size_t line)
{
    sp_place *place = add(s, w, line);
    if (at(s, "{"))
        read_table(s, w, 0);
    else
        read_alias(s, place);
}

bool sp_places_add(sp_places *places, sp_arena *arena, const char *file, const char *text, size_t size)
{
    const size_t mark = sp_token_mark(text, size);
    scan s = { .places = places, .arena = arena, .file = file, .rest = { text + mark, text + size, 1 } };
    step(&s);
    step(&s);
    while (s.now.kind != SP_TOKEN_END && !s.failed) {
        const size_t line = s.now.line;
        if (at(&s, "return")) {
            step(&s);
            read_assigned(&s, (where){ "", "" }, line);
        } else if (at(&s, "{")) {
            read_table(&s, (where){ NULL, NULL }, 0);
        } else if (s.now.kind == SP_TOKEN_NAME) {
            const where w = read_target(&s);
            if (w.path) {
                step(&s);
                read_assigned(&s, w, line);
            }
        } else {
            step(&s);
        }
    }
    return !s.failed;
}

/* How many bytes of a path a place covers, which is this path or holds it; SIZE_MAX: neither. */
static size_t covered(const char *place, const char *path)
{
    const size_t length = strlen(place);
    if (strncmp(place, path, length) != 0)
        return SIZE_MAX;
    return length == 0 || path[length] == '\0' || path[length] == '.' || path[length] == '[' ? length : SIZE_MAX;
}

static size_t find(const sp_places *places, const char *file, const char *variable, const char *path, size_t aliases,
                   const char **in)
{
    const sp_place *best = NULL;
    char whole[512];
    size_t most = 0;
    for (const sp_place *p = places->place; p; p = p->next) {
        const size_t covers = strcmp(p->file, file) == 0 && strcmp(p->variable, variable) == 0 ? covered(p->path, path)
                                                                                               : SIZE_MAX;
        if (covers == SIZE_MAX || (best && covers <= most))
            continue;
        best = p;
        most = covers;
    }
    if (!best)
        return 0;
    size_t line = 0;
    const char *rest = path + most + (path[most] == '.');
    if (best->alias && aliases < ALIASES_MAX && *rest) {
        snprintf(whole, sizeof whole, "%s%s%s", best->inner, *best->inner && *rest != '[' ? "." : "", rest);
        line = find(places, best->alias_file, best->alias, whole, aliases + 1, in);
    }
    if (line > 0 || (most == 0 && *path && aliases == 0))
        return line;
    *in = best->file;
    return most == 0 && *path ? 0 : best->line;
}

size_t sp_places_find(const sp_places *places, const char *file, const char *path, const char **in)
{
    return find(places, file, "", path, 0, in);
}
