/* name.c -- what names a cell: its axes, and the texts made of them. */
#include "core/plan/plan_internal.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { AXES_MAX = 128 };

/* One value of a part, and where it stands. */
typedef struct given {
    const char *key;
    const sp_node *node;
    bool same; /* in all variants of what it is one of */
} given;

typedef struct flat {
    given pair[AXES_MAX];
    size_t count;
} flat;

/* "problem.data" and "n": "problem.data.n". */
static char *join(sp_arena *arena, const char *key, const char *inner)
{
    char *text = sp_arena_text(arena, strlen(key) + strlen(inner) + 2);
    if (text)
        stpcpy(stpcpy(stpcpy(text, key), "."), inner);
    return text;
}

/* `origin`: what the node is a variant of, or NULL; `same`: it is the only one. */
static sp_status flatten(sp_build *b, flat *a, const char *key, const sp_node *node, const sp_node *origin, bool same)
{
    sp_status status = SP_OK;
    same = same || (origin && origin->variants == 1 && !origin->calls);
    if (node->kind == SP_NODE_TABLE) {
        if (node->items == 1)
            SP_TRY(flatten(b, a, key, node->item[0], NULL, same || (origin && sp_node_name(origin))));
        for (size_t i = 0; i < node->fields; i++) {
            char *inner = join(b->arena, key, node->field[i].key);
            SP_NEED(b, inner);
            SP_TRY(flatten(b, a, inner, node->field[i].node, sp_node_field(origin, node->field[i].key), same));
        }
        return SP_OK;
    }
    if (a->count == AXES_MAX)
        return sp_fail(b->error, SP_EINVAL, "%s: a cell has more than %d values", node->path, AXES_MAX);
    if (strcmp(key, "problem.data.file") == 0) /* the user's own file stands for the name of the data */
        key = "problem.data";
    size_t at = a->count++; /* they come in order, but for a few */
    for (; at > 0 && strcmp(a->pair[at - 1].key, key) > 0; at--)
        a->pair[at] = a->pair[at - 1];
    a->pair[at] = (given){ key, node, same };
cleanup:
    return status;
}

/* Sorted by key. */
static sp_status flatten_part(sp_build *b, sp_part part, const sp_node *tree, const sp_node *origin, flat *out)
{
    static const char *const name[SP_PARTS] = { "algorithm", "privacy", "problem" };
    out->count = 0;
    return flatten(b, out, name[part], tree, origin, false);
}

static bool of_records(const char *key)
{
    return strcmp(key, "problem.n") == 0 || strcmp(key, "problem.d") == 0 || strcmp(key, "problem.data") == 0 ||
           strncmp(key, "problem.data.", 13) == 0;
}

/* Are they the keys of what is given, with the values that they have for all? */
static bool are_keys_of(const sp_axis_keys *keys, const flat *a, char *const *text)
{
    size_t i = 0;
    while (keys->count == a->count && i < a->count && strcmp(keys->key[i].name, a->pair[i].key) == 0 &&
           (a->pair[i].same ? keys->key[i].value && strcmp(keys->key[i].value, text[i]) == 0 : !keys->key[i].value))
        i++;
    return keys->count == a->count && i == a->count;
}

/* One copy of equal keys. NULL when out of memory. */
static const sp_axis_keys *keep_keys(sp_build *b, sp_part part, const flat *a, char *const *text)
{
    for (const sp_axis_keys *keys = b->plan->keys[part]; keys; keys = keys->next)
        if (are_keys_of(keys, a, text))
            return keys;
    sp_axis_keys *keys = sp_arena_alloc(b->plan->arena, 1, sizeof *keys + a->count * sizeof *keys->key);
    if (!keys)
        return NULL;
    keys->count = a->count;
    for (size_t i = 0; i < a->count; i++) {
        sp_axis_key *key = &keys->key[i];
        if (!(key->name = sp_keep(b, a->pair[i].key)) || (a->pair[i].same && !(key->value = sp_keep(b, text[i]))))
            return NULL;
        key->records = of_records(key->name);
        key->truth = key->records && strcmp(key->name, "problem.n") != 0;
    }
    keys->next = b->plan->keys[part];
    b->plan->keys[part] = keys;
    return keys;
}

static size_t size_of_values(const sp_axes *axes)
{
    const char *value = axes->values;
    for (size_t i = 0; i < axes->keys->count; i++)
        value += axes->keys->key[i].value ? 0 : strlen(value) + 1;
    return (size_t)(value - axes->values);
}

/* In the arena of the trees. */
static sp_status make_axes(sp_build *b, sp_part part, const flat *a, sp_axes **out)
{
    char *text[AXES_MAX];
    size_t size = 0;
    for (size_t i = 0; i < a->count; i++) {
        SP_NEED(b, text[i] = sp_node_print(b->arena, a->pair[i].node));
        size += a->pair[i].same ? 0 : strlen(text[i]) + 1;
    }
    sp_axes *axes = sp_arena_words(b->arena, sizeof *axes + size);
    SP_NEED(b, axes);
    SP_NEED(b, axes->keys = keep_keys(b, part, a, text));
    char *end = axes->values;
    for (size_t i = 0; i < a->count; i++)
        end = a->pair[i].same ? end : stpcpy(end, text[i]) + 1;
    *out = axes;
    return SP_OK;
}

/* In the plan's arena. */
static const sp_axes *keep_axes(sp_build *b, const sp_axes *axes)
{
    const size_t size = sizeof *axes + size_of_values(axes);
    sp_axes *kept = sp_arena_words(b->plan->arena, size);
    return kept ? memcpy(kept, axes, size) : NULL;
}

/* Where those axes are in the set, or the free slot where they belong. Equal keys are one pointer. */
static sp_shared_axes *slot_of(const sp_axes_set *set, const sp_axes *axes)
{
    const size_t size = size_of_values(axes);
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uintptr_t)axes->keys;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)axes->values[i]) * UINT64_C(0x100000001b3);
    size_t at = (size_t)(hash ^ hash >> 32) & (set->slots - 1);
    for (const sp_axes *there; (there = set->slot[at].axes) != NULL; at = (at + 1) & (set->slots - 1))
        if (there->keys == axes->keys && size_of_values(there) == size &&
            memcmp(there->values, axes->values, size) == 0)
            break;
    return &set->slot[at];
}

static bool reserve(sp_axes_set *set)
{
    sp_axes_set grown = { .slots = set->slots ? 2 * set->slots : 64, .count = set->count };
    if (2 * (set->count + 1) <= set->slots)
        return true;
    if (!(grown.slot = sp_alloc(grown.slots, sizeof *grown.slot)))
        return false;
    for (size_t i = 0; i < set->slots; i++)
        if (set->slot[i].axes)
            *slot_of(&grown, set->slot[i].axes) = set->slot[i];
    free(set->slot);
    *set = grown;
    return true;
}

/* *out is { NULL }, and stays what it points to where nothing is shared. */
static sp_status share_axes(sp_build *b, sp_part part, const sp_node *tree, const sp_node *origin, bool alone,
                            sp_shared_axes **out)
{
    sp_status status = SP_OK;
    flat a;
    sp_axes *axes = NULL;
    SP_TRY(flatten_part(b, part, tree, origin, &a));
    SP_TRY(make_axes(b, part, &a, &axes));
    if (!alone && b->axes) {
        SP_NEED(b, reserve(b->axes));
        *out = slot_of(b->axes, axes);
        b->axes->count += !(*out)->axes;
    }
    if (!(*out)->axes)
        SP_NEED(b, (*out)->axes = keep_axes(b, axes));
cleanup:
    return status;
}

sp_status sp_axes_make(sp_build *b, sp_part part, const sp_node *tree, const sp_node *origin, bool alone,
                       const sp_axes **out)
{
    sp_shared_axes own = { 0 }, *shared = &own;
    const sp_status status = share_axes(b, part, tree, origin, alone, &shared);
    *out = shared->axes;
    return status;
}

sp_status sp_axes_places(sp_build *b, sp_part part, const sp_node *one, const sp_node *other, const char **place,
                         const char **other_place, const char **key)
{
    sp_status status = SP_OK;
    flat x, y;
    SP_TRY(flatten_part(b, part, one, NULL, &x));
    SP_TRY(flatten_part(b, part, other, NULL, &y));
    for (size_t k = 0; k < x.count && k < y.count; k++) {
        *place = x.pair[k].node->path;
        *other_place = y.pair[k].node->path;
        *key = x.pair[k].key;
        if (strcmp(*place, *other_place) != 0)
            break;
    }
cleanup:
    return status;
}

sp_status sp_cell_give_method(sp_build *b, const sp_node *shown, const sp_node *origin, const sp_node *method, bool alone,
                              sp_cell *cell)
{
    sp_status status = SP_OK;
    sp_shared_axes own = { 0 }, *shared = &own;
    SP_TRY(share_axes(b, SP_PART_ALGORITHM, shown, origin, alone, &shared));
    if (method && !shared->method)
        SP_TRY(sp_keep_method(b, method, &shared->method));
    cell->part[SP_PART_ALGORITHM] = shared->axes;
    cell->method = shared->method ? shared->method : cell->method;
cleanup:
    return status;
}

/* --- reading it ------------------------------------------------------------------------------------------------- */

/* The next key of a part, with its value; the first one for k = 0. NULL past the last one. */
static inline const sp_axis_key *next_key(const sp_axes *axes, size_t *k, const char **own, const char **value)
{
    if (!axes || *k == axes->keys->count)
        return NULL;
    const sp_axis_key *key = &axes->keys->key[*k];
    const char *at = (*k)++ == 0 ? axes->values : *own;
    *value = key->value ? key->value : at;
    *own = key->value ? at : at + strlen(at) + 1;
    return key;
}

bool sp_cell_next_axis(const sp_cell *cell, sp_axis_at *at)
{
    for (; at->part < SP_PARTS; at->part++, at->k = 0) {
        const sp_axis_key *key = next_key(cell->part[at->part], &at->k, &at->own, &at->value);
        if (!key)
            continue;
        at->key = key->name;
        return true;
    }
    return false;
}

char *sp_cell_text(const sp_cell *cell)
{
    size_t size = 1;
    for (sp_axis_at at = { 0 }; sp_cell_next_axis(cell, &at);)
        size += strlen(at.key) + strlen(at.value) + 2;
    char *text = sp_alloc(size, 1), *end = text;
    for (sp_axis_at at = { 0 }; text && sp_cell_next_axis(cell, &at);)
        end = stpcpy(stpcpy(stpcpy(stpcpy(end, at.key), "="), at.value), "\n");
    return text;
}

static bool is_of(const sp_axis_key *key, sp_axes_of of)
{
    return of == SP_AXES_PROBLEM || (of == SP_AXES_RECORDS ? key->records : key->truth);
}

char *sp_cell_problem_text(const sp_cell *cell, sp_axes_of of)
{
    const sp_axes *axes = cell->part[SP_PART_PROBLEM];
    const sp_axis_key *key;
    const char *own, *value;
    size_t size = 1;
    for (size_t k = 0; (key = next_key(axes, &k, &own, &value)) != NULL;)
        size += is_of(key, of) ? strlen(key->name) + strlen(value) + 2 : 0;
    char *text = sp_alloc(size, 1), *end = text;
    for (size_t k = 0; text && (key = next_key(axes, &k, &own, &value)) != NULL;)
        if (is_of(key, of))
            end = stpcpy(stpcpy(stpcpy(stpcpy(end, key->name), "="), value), "\n");
    return text;
}

sp_status sp_cell_stream(const sp_cell *cell, sp_axes_of of, size_t replicate, sp_purpose purpose, sp_stream_key *out)
{
    char *text = sp_cell_problem_text(cell, of);
    if (!text)
        return SP_ENOMEM;
    *out = sp_stream_key_of(cell->seed, text, replicate, purpose);
    free(text);
    return SP_OK;
}

void sp_cell_hash(const sp_cell *cell, sp_hash *hash)
{
    for (sp_axis_at at = { 0 }; sp_cell_next_axis(cell, &at);) {
        sp_hash_add(hash, at.key, strlen(at.key));
        sp_hash_add(hash, "=", 1);
        sp_hash_add(hash, at.value, strlen(at.value));
        sp_hash_add(hash, "\n", 1);
    }
}

/* As strcmp would order one text followed by `end` and another. */
static int compare_ended(const char *a, const char *b, char end)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    const unsigned char x = (unsigned char)(*a ? *a : end), y = (unsigned char)(*b ? *b : end);
    return *a == *b ? 0 : x < y ? -1 : 1;
}

/* By "key=value" a line. */
static int compare_axes(const sp_axes *a, const sp_axes *b, sp_axes_of of)
{
    const char *own[2], *x = NULL, *y = NULL;
    size_t i = 0, k = 0;
    for (;;) {
        const sp_axis_key *one, *other;
        while ((one = next_key(a, &i, &own[0], &x)) != NULL && !is_of(one, of)) {}
        while ((other = next_key(b, &k, &own[1], &y)) != NULL && !is_of(other, of)) {}
        if (!one || !other)
            return !other - !one;
        int order = one == other ? 0 : compare_ended(one->name, other->name, '=');
        order = order || x == y ? order : compare_ended(x, y, '\n');
        if (order)
            return order;
    }
}

int sp_cell_compare(const sp_cell *a, const sp_cell *b)
{
    int order = 0;
    for (size_t i = 0; i < SP_PARTS && order == 0; i++)
        order = a->part[i] == b->part[i] ? 0 : compare_axes(a->part[i], b->part[i], SP_AXES_PROBLEM);
    return order;
}

int sp_cell_compare_records(const sp_cell *a, const sp_cell *b)
{
    const sp_axes *x = a->part[SP_PART_PROBLEM], *y = b->part[SP_PART_PROBLEM];
    return x == y ? 0 : compare_axes(x, y, SP_AXES_RECORDS);
}

size_t sp_cell_axes(const sp_cell *cell)
{
    size_t axes = 0;
    for (size_t i = 0; i < SP_PARTS; i++)
        axes += cell->part[i] ? cell->part[i]->keys->count : 0;
    return axes;
}

const char *sp_cell_axis(const sp_cell *cell, const char *name)
{
    static const char *const prefix[] = { "", "problem.", "privacy.", "algorithm." };
    if (strcmp(name, "label") == 0)
        return cell->label;
    for (size_t p = 0; p < sizeof prefix / sizeof *prefix; p++) {
        const size_t length = strlen(prefix[p]);
        for (sp_axis_at axis = { 0 }; sp_cell_next_axis(cell, &axis);)
            if (strncmp(axis.key, prefix[p], length) == 0 && strcmp(axis.key + length, name) == 0)
                return axis.value;
    }
    return NULL;
}
