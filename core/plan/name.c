/* name.c -- what names a cell: its axes, and the texts made of them. */
#include "core/plan/parts.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { AXES_MAX = 128 };

typedef struct flat {
    sp_axis_value pair[AXES_MAX];
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
    const char *value = sp_node_print(b->arena, node);
    SP_NEED(b, value);
    if (strcmp(key, "problem.data.file") == 0) /* the user's own file stands for the name of the data */
        key = "problem.data";
    sp_axis_value pair = { sp_keep(b, key), sp_keep(b, value), node->path };
    SP_NEED(b, pair.key);
    SP_NEED(b, pair.value);
    a->pair[a->count++] = pair;
cleanup:
    return status;
}

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(((const sp_axis_value *)a)->key, ((const sp_axis_value *)b)->key);
}

static bool any(const char *key)
{
    (void)key;
    return true;
}

static bool of_records(const char *key)
{
    return strcmp(key, "problem.n") == 0 || strcmp(key, "problem.d") == 0 || strcmp(key, "problem.data") == 0 ||
           strncmp(key, "problem.data.", 13) == 0;
}

static bool of_truth(const char *key)
{
    return of_records(key) && strcmp(key, "problem.n") != 0;
}

/* "key=value" a line, in the plan's arena. */
static char *canonical(sp_build *b, const sp_axis_value *axis, size_t axes, bool (*wanted)(const char *key))
{
    size_t size = 1;
    for (size_t i = 0; i < axes; i++)
        size += wanted(axis[i].key) ? strlen(axis[i].key) + strlen(axis[i].value) + 2 : 0;
    char *text = sp_arena_text(b->plan->arena, size), *end = text;
    for (size_t i = 0; text && i < axes; i++)
        if (wanted(axis[i].key))
            end = stpcpy(stpcpy(stpcpy(stpcpy(end, axis[i].key), "="), axis[i].value), "\n");
    return text;
}

static sp_axes *make_axes(sp_build *b, const flat *a)
{
    sp_axes *axes = sp_arena_alloc(b->plan->arena, 1, sizeof *axes);
    sp_axis_value *axis = sp_arena_alloc(b->plan->arena, a->count, sizeof *axis);
    if (!axes || !axis)
        return NULL;
    memcpy(axis, a->pair, a->count * sizeof *axis);
    *axes = (sp_axes){ .axis = axis, .count = a->count, .text = canonical(b, axis, a->count, any) };
    return axes->text ? axes : NULL;
}

/* Where those axes are in the set, or the free slot where they belong. Equal texts are one pointer: sp_keep. */
static sp_axes **slot_of(const sp_axes_set *set, const sp_axis_value *axis, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (uintptr_t)axis[i].key ^ (uintptr_t)axis[i].value << 17) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 16) & (set->slots - 1);
    while (set->slot[at] && !(set->slot[at]->count == count &&
                              memcmp(set->slot[at]->axis, axis, count * sizeof *axis) == 0))
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
            *slot_of(&grown, set->slot[i]->axis, set->slot[i]->count) = set->slot[i];
    free(set->slot);
    *set = grown;
    return true;
}

static sp_status share_axes(sp_build *b, sp_part part, const sp_node *tree, sp_axes **out)
{
    static const char *const name[SP_PARTS] = { "algorithm", "privacy", "problem" };
    sp_status status = SP_OK;
    flat a = { .count = 0 };
    SP_TRY(flatten(b, &a, name[part], tree));
    qsort(a.pair, a.count, sizeof *a.pair, compare_pairs);
    if (!b->axes) {
        SP_NEED(b, *out = make_axes(b, &a));
        return SP_OK;
    }
    SP_NEED(b, reserve(b->axes));
    sp_axes **slot = slot_of(b->axes, a.pair, a.count);
    if (!*slot) {
        SP_NEED(b, *slot = make_axes(b, &a));
        b->axes->count++;
    }
    *out = *slot;
cleanup:
    return status;
}

sp_status sp_axes_make(sp_build *b, sp_part part, const sp_node *tree, const sp_axes **out)
{
    sp_axes *axes = NULL;
    const sp_status status = share_axes(b, part, tree, &axes);
    *out = axes;
    return status;
}

sp_status sp_cell_method(sp_build *b, const sp_node *shown, const sp_node *method, sp_cell *cell)
{
    sp_status status = SP_OK;
    sp_axes *axes = NULL;
    SP_TRY(share_axes(b, SP_PART_ALGORITHM, shown, &axes));
    if (method && !axes->method)
        SP_TRY(sp_share_method(b, method, &axes->method));
    cell->part[SP_PART_ALGORITHM] = axes;
    cell->method = axes->method ? axes->method : cell->method;
cleanup:
    return status;
}

sp_status sp_problem_name(sp_build *b, const sp_axes *axes, sp_problem_spec *out)
{
    SP_NEED(b, out->text = canonical(b, axes->axis, axes->count, any));
    SP_NEED(b, out->data_text = canonical(b, axes->axis, axes->count, of_records));
    SP_NEED(b, out->truth_text = canonical(b, axes->axis, axes->count, of_truth));
    return SP_OK;
}

/* --- reading it ------------------------------------------------------------------------------------------------- */

const sp_axis_value *sp_cell_axis_at(const sp_cell *cell, size_t k)
{
    for (size_t i = 0; i < SP_PARTS; i++) {
        const sp_axes *part = cell->part[i];
        if (part && k < part->count)
            return &part->axis[k];
        k -= part ? part->count : 0;
    }
    return NULL;
}

/* "" where the cell has no such part. */
static const char *text_of(const sp_cell *cell, size_t part)
{
    return cell->part[part] ? cell->part[part]->text : "";
}

char *sp_cell_text(const sp_cell *cell)
{
    return sp_format("%s%s%s", text_of(cell, 0), text_of(cell, 1), text_of(cell, 2));
}

int sp_cell_compare(const sp_cell *a, const sp_cell *b)
{
    int order = 0;
    for (size_t i = 0; i < SP_PARTS && order == 0; i++)
        order = a->part[i] == b->part[i] ? 0 : strcmp(text_of(a, i), text_of(b, i));
    return order;
}

size_t sp_cell_axes(const sp_cell *cell)
{
    size_t axes = 0;
    for (size_t i = 0; i < SP_PARTS; i++)
        axes += cell->part[i] ? cell->part[i]->count : 0;
    return axes;
}

const char *sp_cell_axis(const sp_cell *cell, const char *name)
{
    static const char *const prefix[] = { "", "problem.", "privacy.", "algorithm." };
    if (strcmp(name, "label") == 0)
        return cell->label;
    for (size_t p = 0; p < sizeof prefix / sizeof *prefix; p++) {
        const size_t length = strlen(prefix[p]);
        const sp_axis_value *axis;
        for (size_t k = 0; (axis = sp_cell_axis_at(cell, k)) != NULL; k++)
            if (strncmp(axis->key, prefix[p], length) == 0 && strcmp(axis->key + length, name) == 0)
                return axis->value;
    }
    return NULL;
}
