/* mistakes.c -- the mistakes of an experiment: each with its file and line, all in one list. */
#include "core/plan/plan_internal.h"

#include "core/lua/hints.h"

#include <stdio.h>
#include <string.h>

enum { MISTAKES_MAX = 200 }; /* beyond so many nothing more is looked for */

static const char next_line[] = "\n  "; /* between two mistakes */

/* Is it a line of the list? */
static bool is_listed(const char *list, const char *mistake)
{
    const size_t length = strlen(mistake);
    bool yes = false;
    while (list && !yes) {
        yes = strncmp(list, mistake, length) == 0 && (list[length] == '\n' || list[length] == '\0');
        list = strstr(list, next_line);
        list = list ? list + strlen(next_line) : NULL;
    }
    return yes;
}

/* Puts "FILE:LINE: " before the message: the line of `path`, or without one of the path that the message begins with. */
static void add_place(sp_build *b, const char *path)
{
    const char *file = b->plan->path, *in = file, *text = b->error->text;
    char own[256];
    if (strncmp(text, file, strlen(file)) == 0 && text[strlen(file)] == ':') /* Lua has named it */
        return;
    snprintf(own, sizeof own, "%.*s", (int)strcspn(text, ": ="), text);
    const size_t line = sp_places_find(sp_lua_places(b->lua), file, path ? path : own, &in);
    if (line > 0)
        sp_fail_prefix(b->error, "%s:%zu", in, line);
    else
        sp_fail_prefix(b->error, "%s", file);
}

/* The message, with its place, into the list. */
static sp_status list_mistake(sp_build *b)
{
    b->refused++;
    if (is_listed(b->mistakes.data, b->error->text)) /* what several sweeps or cells have in common is one mistake */
        return SP_OK;
    sp_text_append(&b->mistakes, "%s%s", b->mistaken++ ? next_line : "", b->error->text);
    if (b->mistakes.failed)
        return sp_fail(b->error, SP_ENOMEM, "out of memory");
    return b->mistaken < MISTAKES_MAX ? SP_OK : SP_EINVAL;
}

sp_status sp_mistake_at(sp_build *b, const char *path, sp_status status)
{
    if (status != SP_EINVAL)
        return status;
    add_place(b, path);
    return list_mistake(b);
}

sp_status sp_mistake(sp_build *b, sp_status status)
{
    return sp_mistake_at(b, NULL, status);
}

sp_status sp_mistakes_twice(sp_build *b)
{
    sp_status status = SP_OK;
    for (const sp_twice *t = sp_lua_places(b->lua)->twice; t; t = t->next) {
        sp_fail(b->error, SP_EINVAL, "%s:%zu: %s is given twice, also in line %zu", t->file, t->line, t->key, t->before);
        SP_TRY(list_mistake(b));
    }
cleanup:
    return status;
}

sp_status sp_mistakes_say(sp_build *b)
{
    if (b->mistaken == 0)
        return SP_OK;
    const char *list = b->mistakes.data;
    if (b->mistaken == 1)
        return sp_fail(b->error, SP_EINVAL, "%s", list);
    size_t shown = 0, left = b->mistaken;
    for (const char *end = list; end && left > 0; left--) { /* whole lines */
        end = strchr(end + 1, '\n');
        const size_t length = end ? (size_t)(end - list) : strlen(list);
        if (length > sizeof b->error->text - 200)
            break;
        shown = length;
    }
    char more[48] = "";
    if (left > 0)
        snprintf(more, sizeof more, "\n  and %zu more", left);
    return sp_fail(b->error, SP_EINVAL, "%zu mistakes:\n  %.*s%s", b->mistaken, (int)shown, list, more);
}

/* --- keys of a table, each by itself ---------------------------------------------------------------------------- */

static const sp_param *find_key(const sp_param *keys, const char *key)
{
    while (keys->key && strcmp(keys->key, key) != 0)
        keys++;
    return keys->key ? keys : NULL;
}

/* Stands in for a number that was refused, so that what depends on it can be read. */
static const sp_node *stand_in(sp_build *b, const char *path, const sp_param *key)
{
    const double usual = isfinite(key->initial) ? key->initial : 1.0;
    return sp_node_number(b->arena, path, fmin(fmax(usual, key->range.low), key->range.high));
}

/* The value of a key, which becomes what can be read of it; NULL: nothing. */
static sp_status check_value(sp_build *b, const char *path, const char *key, const sp_node **value, const sp_param *keys)
{
    sp_status status = SP_OK;
    sp_field field = { key, *value };
    const sp_node one = { .kind = SP_NODE_TABLE, .path = path, .field = &field, .fields = 1 };
    const size_t before = b->refused;
    const sp_param *known = find_key(keys, key);
    sp_values values;
    sp_values_start(&values, keys);
    SP_TRY(sp_mistake(b, sp_tree_read(&one, &values, b->error)));
    const bool number = known && (known->kind == SP_REAL || known->kind == SP_COUNT);
    if (b->refused > before && !(known && isinf(known->initial) && !number)) /* such a word is refused again */
        *value = number ? stand_in(b, (*value)->path, known) : NULL;
cleanup:
    return status;
}

/* The same of a sweep: each value of a list, but no table and no function. */
static sp_status check_values(sp_build *b, const char *path, const char *key, const sp_node **value, const sp_param *keys)
{
    sp_status status = SP_OK;
    const sp_node *given = *value;
    if (!find_key(keys, key) || (given->kind != SP_NODE_TABLE && given->kind != SP_NODE_FUNCTION))
        return check_value(b, path, key, value, keys);
    if (!sp_node_is_list(given))
        return SP_OK;
    const size_t before = b->refused;
    const sp_arena_mark mark = sp_arena_now(b->arena); /* a list may have a million */
    sp_node *list = sp_node_object(b->arena, given->path);
    const sp_node **item = sp_arena_alloc(b->arena, given->items, sizeof *item);
    SP_NEED(b, list);
    SP_NEED(b, item);
    list->item = item;
    for (size_t i = 0; i < given->items; i++) {
        SP_NEED(b, item[list->items] = sp_node_item(b->arena, given, i));
        SP_TRY(check_values(b, path, key, &item[list->items], keys));
        list->items += item[list->items] != NULL;
    }
    sp_node_close(list);
    if (b->refused > before)
        *value = list->items > 0 ? list : NULL;
    else
        sp_arena_release(b->arena, mark);
cleanup:
    return status;
}

/* One that is misspelled gets the name that was meant, where that is free. */
static sp_status rename_key(sp_build *b, const sp_node **table, const sp_field *field, const sp_param *keys)
{
    const char *known[SP_PARAM_MAX], *meant = sp_hint_key((*table)->path, field->key, keys);
    size_t count = 0;
    for (const sp_param *p = keys; p->key; p++)
        known[count++] = p->key;
    if (!meant || !find_key(keys, meant))
        meant = sp_nearest(field->key, known, count);
    if (meant && !sp_node_field(*table, meant))
        SP_NEED(b, *table = sp_node_with(b->arena, *table, meant, field->node));
    return SP_OK;
}

sp_status sp_check_keys(sp_build *b, const sp_node **table, const sp_param *keys, bool lists)
{
    sp_status status = SP_OK;
    const sp_node *given = *table;
    if (given->kind != SP_NODE_TABLE || given->items > 0)
        return sp_fail(b->error, SP_EINVAL, "%s: must be a table { key = value }", given->path);
    for (size_t i = 0; i < given->fields; i++) {
        const sp_field *field = &given->field[i];
        const sp_node *value = field->node;
        SP_TRY((lists ? check_values : check_value)(b, given->path, field->key, &value, keys));
        if (value == field->node)
            continue;
        SP_NEED(b, *table = value ? sp_node_with(b->arena, *table, field->key, value)
                                  : sp_node_without(b->arena, *table, field->key));
        if (!find_key(keys, field->key))
            SP_TRY(rename_key(b, table, field, keys));
    }
cleanup:
    return status;
}
