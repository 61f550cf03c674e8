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
    size_t at = a->count++; /* they come in order, but for a few */
    for (; at > 0 && strcmp(a->pair[at - 1].key, key) > 0; at--)
        a->pair[at] = a->pair[at - 1];
    a->pair[at] = (given){ key, node };
cleanup:
    return status;
}

/* Sorted by key. */
static sp_status flatten_part(sp_build *b, sp_part part, const sp_node *tree, flat *out)
{
    static const char *const name[SP_PARTS] = { "algorithm", "privacy", "problem" };
    out->count = 0;
    return flatten(b, out, name[part], tree);
}

sp_status sp_axes_make(sp_build *b, sp_part part, const sp_node *tree, const sp_axes **out)
{
    sp_status status = SP_OK;
    flat a;
    SP_TRY(flatten_part(b, part, tree, &a));
    sp_axes *axes = sp_arena_words(b->plan->arena, sizeof *axes + a.count * sizeof *axes->axis);
    SP_NEED(b, axes);
    axes->count = a.count;
    for (size_t i = 0; i < a.count; i++) {
        const char *value = sp_node_print(b->arena, a.pair[i].node);
        SP_NEED(b, value);
        SP_NEED(b, axes->axis[i].key = sp_keep(b, a.pair[i].key));
        SP_NEED(b, axes->axis[i].value = sp_keep(b, value));
    }
    *out = axes;
cleanup:
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

sp_status sp_cell_give_method(sp_build *b, const sp_node *shown, const sp_node *method, sp_cell *cell)
{
    const sp_status status = sp_axes_make(b, SP_PART_ALGORITHM, shown, &cell->part[SP_PART_ALGORITHM]);
    return status == SP_OK && method ? sp_keep_method(b, method, &cell->method) : status;
}

/* --- reading it ------------------------------------------------------------------------------------------------- */

bool sp_cell_next_axis(const sp_cell *cell, sp_axis_at *at)
{
    for (; at->part < SP_PARTS; at->part++, at->k = 0) {
        const sp_axes *axes = cell->part[at->part];
        if (!axes || at->k == axes->count)
            continue;
        at->key = axes->axis[at->k].key;
        at->value = axes->axis[at->k++].value;
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

static bool is_of(const char *key, sp_axes_of of)
{
    if (of == SP_AXES_PROBLEM)
        return true;
    if (strcmp(key, "problem.n") == 0)
        return of == SP_AXES_RECORDS;
    return strcmp(key, "problem.d") == 0 || strcmp(key, "problem.data") == 0 || strncmp(key, "problem.data.", 13) == 0;
}

char *sp_cell_problem_text(const sp_cell *cell, sp_axes_of of)
{
    const sp_axes *axes = cell->part[SP_PART_PROBLEM];
    const size_t count = axes ? axes->count : 0;
    size_t size = 1;
    for (size_t k = 0; k < count; k++)
        size += is_of(axes->axis[k].key, of) ? strlen(axes->axis[k].key) + strlen(axes->axis[k].value) + 2 : 0;
    char *text = sp_alloc(size, 1), *end = text;
    for (size_t k = 0; text && k < count; k++)
        if (is_of(axes->axis[k].key, of))
            end = stpcpy(stpcpy(stpcpy(stpcpy(end, axes->axis[k].key), "="), axes->axis[k].value), "\n");
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

/* The next one of these axes from *k on; NULL past the last one. */
static const sp_axis_text *next_of(const sp_axes *axes, sp_axes_of of, size_t *k)
{
    while (axes && *k < axes->count && !is_of(axes->axis[*k].key, of))
        ++*k;
    return axes && *k < axes->count ? &axes->axis[(*k)++] : NULL;
}

/* By "key=value" a line. Equal texts of one plan are one pointer. */
static int compare_axes(const sp_axes *a, const sp_axes *b, sp_axes_of of)
{
    size_t i = 0, k = 0;
    for (;;) {
        const sp_axis_text *one = next_of(a, of, &i), *other = next_of(b, of, &k);
        if (!one || !other)
            return !other - !one;
        int order = one->key == other->key ? 0 : compare_ended(one->key, other->key, '=');
        order = order || one->value == other->value ? order : compare_ended(one->value, other->value, '\n');
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
        for (sp_axis_at axis = { 0 }; sp_cell_next_axis(cell, &axis);)
            if (strncmp(axis.key, prefix[p], length) == 0 && strcmp(axis.key + length, name) == 0)
                return axis.value;
    }
    return NULL;
}
