/* name.c -- what names a cell: its axes, and the texts made of them. */
#include "core/plan/parts.h"

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

sp_status sp_axes_make(sp_build *b, sp_part part, const sp_node *tree, const sp_axes **out)
{
    static const char *const name[SP_PARTS] = { "algorithm", "privacy", "problem" };
    sp_status status = SP_OK;
    flat a = { .count = 0 };
    SP_TRY(flatten(b, &a, name[part], tree));
    qsort(a.pair, a.count, sizeof *a.pair, compare_pairs);
    sp_axes *axes = sp_arena_alloc(b->plan->arena, 1, sizeof *axes);
    sp_axis_value *axis = sp_arena_alloc(b->plan->arena, a.count, sizeof *axis);
    SP_NEED(b, axes);
    SP_NEED(b, axis);
    memcpy(axis, a.pair, a.count * sizeof *axis);
    *axes = (sp_axes){ axis, a.count, canonical(b, axis, a.count, any) };
    SP_NEED(b, axes->text);
    *out = axes;
cleanup:
    return status;
}

sp_status sp_cell_name_problem(sp_build *b, sp_cell *cell)
{
    const sp_axes *problem = cell->part[SP_PART_PROBLEM];
    SP_NEED(b, cell->problem_text = canonical(b, problem->axis, problem->count, any));
    SP_NEED(b, cell->data_text = canonical(b, problem->axis, problem->count, of_records));
    SP_NEED(b, cell->truth_text = canonical(b, problem->axis, problem->count, of_truth));
    return SP_OK;
}

sp_status sp_cell_name(sp_build *b, sp_cell *cell)
{
    size_t size = 1;
    for (size_t i = 0; i < SP_PARTS; i++)
        size += strlen(cell->part[i]->text);
    char *end = cell->cell_text = sp_arena_text(b->plan->arena, size);
    SP_NEED(b, end);
    for (size_t i = 0; i < SP_PARTS; i++)
        end = stpcpy(end, cell->part[i]->text);
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
