/* name.c -- what names a cell: its axes, and the texts made of them. */
#include "core/plan/parts.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { AXES_MAX = 128 };

/* One value of a part, and where it stands. */
typedef struct given {
    const char *key;
    const sp_node *node;
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

static sp_status flatten(sp_build *b, flat *a, const char *key, const sp_node *node)
{
    sp_status status = SP_OK;
    if (node->kind == SP_NODE_TABLE) {
        if (node->items == 1)
            SP_TRY(flatten(b, a, key, node->item[0]));
        for (size_t i = 0; i < node->fields; i++) {
            char *inner = join(b->arena, key, node->field[i].key);
            SP_NEED(b, inner);
            SP_TRY(flatten(b, a, inner, node->field[i].node));
        }
        return SP_OK;
    }
    if (a->count == AXES_MAX)
        return sp_fail(b->error, SP_EINVAL, "%s: a cell has more than %d values", node->path, AXES_MAX);
    if (strcmp(key, "problem.data.file") == 0) /* the user's own file stands for the name of the data */
        key = "problem.data";
    a->pair[a->count++] = (given){ key, node };
cleanup:
    return status;
}

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(((const given *)a)->key, ((const given *)b)->key);
}

/* Sorted by key. */
static sp_status flatten_part(sp_build *b, sp_part part, const sp_node *tree, flat *out)
{
    static const char *const name[SP_PARTS] = { "algorithm", "privacy", "problem" };
    out->count = 0;
    const sp_status status = flatten(b, out, name[part], tree);
    qsort(out->pair, out->count, sizeof *out->pair, compare_pairs);
    return status;
}

static bool of_records(const char *key)
{
    return strcmp(key, "problem.n") == 0 || strcmp(key, "problem.d") == 0 || strcmp(key, "problem.data") == 0 ||
           strncmp(key, "problem.data.", 13) == 0;
}

/* One copy of equal keys while the plan is made. NULL when out of memory. */
static const sp_axis_keys *keep_keys(sp_build *b, sp_part part, const flat *a)
{
    for (const sp_axis_keys *keys = b->keys[part]; keys; keys = keys->next) {
        size_t same = 0;
        while (keys->count == a->count && same < a->count && strcmp(keys->key[same].name, a->pair[same].key) == 0)
            same++;
        if (keys->count == a->count && same == a->count)
            return keys;
    }
    sp_axis_keys *keys = sp_arena_alloc(b->plan->arena, 1, sizeof *keys + a->count * sizeof *keys->key);
    if (!keys)
        return NULL;
    keys->count = a->count;
    for (size_t i = 0; i < a->count; i++) {
        sp_axis_key *key = &keys->key[i];
        if (!(key->name = sp_keep(b, a->pair[i].key)))
            return NULL;
        key->records = of_records(key->name);
        key->truth = key->records && strcmp(key->name, "problem.n") != 0;
    }
    keys->next = b->keys[part];
    b->keys[part] = keys;
    return keys;
}

static size_t size_of_values(const sp_axes *axes)
{
    const char *value = axes->values;
    for (size_t i = 0; i < axes->keys->count; i++)
        value += strlen(value) + 1;
    return (size_t)(value - axes->values);
}

/* In the arena of the trees. */
static sp_status make_axes(sp_build *b, sp_part part, const flat *a, sp_axes **out)
{
    const char *text[AXES_MAX];
    size_t size = 0;
    for (size_t i = 0; i < a->count; i++) {
        SP_NEED(b, text[i] = sp_node_print(b->arena, a->pair[i].node));
        size += strlen(text[i]) + 1;
    }
    sp_axes *axes = sp_arena_alloc(b->arena, 1, sizeof *axes + size);
    SP_NEED(b, axes);
    SP_NEED(b, axes->keys = keep_keys(b, part, a));
    char *end = axes->values;
    for (size_t i = 0; i < a->count; i++)
        end = stpcpy(end, text[i]) + 1;
    *out = axes;
    return SP_OK;
}

/* In the plan's arena. */
static sp_axes *keep_axes(sp_build *b, const sp_axes *axes)
{
    const size_t size = sizeof *axes + size_of_values(axes);
    sp_axes *kept = sp_arena_alloc(b->plan->arena, 1, size);
    return kept ? memcpy(kept, axes, size) : NULL;
}

/* Where those axes are in the set, or the free slot where they belong. Equal keys are one pointer. */
static sp_axes **slot_of(const sp_axes_set *set, const sp_axes *axes)
{
    const size_t size = size_of_values(axes);
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uintptr_t)axes->keys;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)axes->values[i]) * UINT64_C(0x100000001b3);
    size_t at = (size_t)(hash ^ hash >> 32) & (set->slots - 1);
    while (set->slot[at] && !(set->slot[at]->keys == axes->keys && size_of_values(set->slot[at]) == size &&
                              memcmp(set->slot[at]->values, axes->values, size) == 0))
        at = (at + 1) & (set->slots - 1);
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
        if (set->slot[i])
            *slot_of(&grown, set->slot[i]) = set->slot[i];
    free(set->slot);
    *set = grown;
    return true;
}

static sp_status share_axes(sp_build *b, sp_part part, const sp_node *tree, bool alone, sp_axes **out)
{
    sp_status status = SP_OK;
    flat a;
    sp_axes *axes = NULL;
    SP_TRY(flatten_part(b, part, tree, &a));
    SP_TRY(make_axes(b, part, &a, &axes));
    if (alone || !b->axes) {
        SP_NEED(b, *out = keep_axes(b, axes));
        return SP_OK;
    }
    SP_NEED(b, reserve(b->axes));
    sp_axes **slot = slot_of(b->axes, axes);
    if (!*slot) {
        SP_NEED(b, *slot = keep_axes(b, axes));
        b->axes->count++;
    }
    *out = *slot;
cleanup:
    return status;
}

sp_status sp_axes_make(sp_build *b, sp_part part, const sp_node *tree, bool alone, const sp_axes **out)
{
    sp_axes *axes = NULL;
    const sp_status status = share_axes(b, part, tree, alone, &axes);
    *out = axes;
    return status;
}

sp_status sp_axes_places(sp_build *b, sp_part part, const sp_node *one, const sp_node *other, const char **place,
                         const char **other_place, const char **key)
{
    sp_status status = SP_OK;
    flat x, y;
    SP_TRY(flatten_part(b, part, one, &x));
    SP_TRY(flatten_part(b, part, other, &y));
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

sp_status sp_cell_method(sp_build *b, const sp_node *shown, const sp_node *method, bool alone, sp_cell *cell)
{
    sp_status status = SP_OK;
    sp_axes *axes = NULL;
    SP_TRY(share_axes(b, SP_PART_ALGORITHM, shown, alone, &axes));
    if (method && !axes->method)
        SP_TRY(sp_share_method(b, method, &axes->method));
    cell->part[SP_PART_ALGORITHM] = axes;
    cell->method = axes->method ? axes->method : cell->method;
cleanup:
    return status;
}

/* --- reading it ------------------------------------------------------------------------------------------------- */

bool sp_cell_next_axis(const sp_cell *cell, sp_axis_at *at)
{
    for (; at->part < SP_PARTS; at->part++, at->k = 0) {
        const sp_axes *part = cell->part[at->part];
        if (!part || at->k == part->keys->count)
            continue;
        at->key = part->keys->key[at->k].name;
        at->value = at->k == 0 ? part->values : at->value + strlen(at->value) + 1;
        at->k++;
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
    const char *value = axes->values;
    size_t size = 1;
    for (size_t k = 0; k < axes->keys->count; value += strlen(value) + 1, k++)
        size += is_of(&axes->keys->key[k], of) ? strlen(axes->keys->key[k].name) + strlen(value) + 2 : 0;
    char *text = sp_alloc(size, 1), *end = text;
    value = axes->values;
    for (size_t k = 0; text && k < axes->keys->count; value += strlen(value) + 1, k++)
        if (is_of(&axes->keys->key[k], of))
            end = stpcpy(stpcpy(stpcpy(stpcpy(end, axes->keys->key[k].name), "="), value), "\n");
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

/* The next one that is of `of`, *value with it. NULL past the last one. */
static const sp_axis_key *next_of(const sp_axes *axes, sp_axes_of of, size_t *k, const char **value)
{
    for (; axes && *k < axes->keys->count; ++*k) {
        *value = *value ? *value + strlen(*value) + 1 : axes->values;
        if (is_of(&axes->keys->key[*k], of))
            return &axes->keys->key[(*k)++];
    }
    return NULL;
}

/* By "key=value" a line. */
static int compare_axes(const sp_axes *a, const sp_axes *b, sp_axes_of of)
{
    const char *x = NULL, *y = NULL;
    size_t i = 0, k = 0;
    for (;;) {
        const sp_axis_key *one = next_of(a, of, &i, &x), *other = next_of(b, of, &k, &y);
        if (!one || !other)
            return !other - !one;
        int order = one == other ? 0 : compare_ended(one->name, other->name, '=');
        order = order ? order : compare_ended(x, y, '\n');
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
