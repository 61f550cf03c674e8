/* view.c -- see view.h. */
#include "core/plan/view.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

sp_status sp_view_word(const sp_view *v, const sp_node *table, const sp_values *values, size_t index, char **out)
{
    const sp_node *node = sp_node_field(table, values->params[index].key);
    *out = NULL;
    if (!node)
        return SP_OK;
    SP_NEED(v->build, *out = sp_node_print(v->build->arena, node));
    return SP_OK;
}

bool sp_view_selects(const sp_cell *cell, const char *label, const sp_axis_value *where, size_t wheres)
{
    bool yes = !label || strcmp(cell->label, label) == 0;
    for (size_t i = 0; i < wheres && yes; i++) {
        const char *value = sp_cell_axis(cell, where[i].key);
        yes = value && strcmp(value, where[i].value) == 0;
    }
    return yes;
}

sp_status sp_view_where(const sp_view *v, const sp_node *table, const char *label, sp_axis_value **out, size_t *count)
{
    sp_build *b = v->build;
    const sp_node *where = sp_node_field(table, "where");
    if (!where)
        return SP_OK;
    if (where->kind != SP_NODE_TABLE || where->items > 0)
        return sp_fail(b->error, SP_EINVAL, "%s: must be a table { axis = value }", where->path);
    SP_NEED(b, *out = sp_arena_alloc(b->arena, where->fields, sizeof **out));
    for (size_t i = 0; i < where->fields; i++) {
        const sp_node *value = where->field[i].node;
        if (value->kind == SP_NODE_TABLE || value->kind == SP_NODE_FUNCTION)
            return sp_fail(b->error, SP_EINVAL, "%s: must be a single value", value->path);
        (*out)[i] = (sp_axis_value){ sp_arena_copy(b->arena, where->field[i].key), sp_node_print(b->arena, value),
                                     value->path };
        SP_NEED(b, (*out)[i].key);
        SP_NEED(b, (*out)[i].value);
        *count = i + 1;
        bool found = false;
        for (size_t c = 0; c < v->cells && !found; c++)
            found = sp_view_selects(&v->cell[c], label, *out, *count);
        if (!found)
            return sp_fail(b->error, SP_EINVAL, "%s: no cell has %s = %s", value->path, (*out)[i].key, (*out)[i].value);
    }
    return SP_OK;
}

sp_status sp_view_measures(const sp_view *v, const char *place, const char *name)
{
    const sp_node *measures = v->sweep->measures;
    sp_names known = { 0 };
    for (size_t i = 0; i < measures->items; i++) {
        if (strcmp(measures->item[i]->text, name) == 0)
            return SP_OK;
        sp_names_add(&known, measures->item[i]->text);
    }
    return sp_no_such(v->build, place, "measure in this sweep", name, &known);
}

sp_status sp_view_measure(const sp_view *v, const sp_node *node)
{
    return node->kind == SP_NODE_TEXT
               ? sp_view_measures(v, node->path, node->text)
               : sp_fail(v->build->error, SP_EINVAL, "%s: must be a measure's name", node->path);
}

sp_status sp_view_label(const sp_view *v, const sp_node *node)
{
    sp_names known = { 0 };
    for (size_t i = 0; i < v->sweep->entries; i++) {
        if (strcmp(v->sweep->entry[i].label, node->text) == 0)
            return SP_OK;
        sp_names_add(&known, v->sweep->entry[i].label);
    }
    return sp_no_such(v->build, node->path, "algorithm in this sweep", node->text, &known);
}

/* A name, or each of a list of them. */
static sp_status each_name(const sp_view *v, const sp_node *names, sp_status (*check)(const sp_view *, const sp_node *))
{
    sp_status status = SP_OK;
    const size_t items = names && sp_node_is_list(names) ? names->items : 1;
    for (size_t i = 0; names && i < items; i++) {
        const sp_node *name = sp_node_is_list(names) ? sp_node_item(v->build->arena, names, i) : names;
        SP_NEED(v->build, name);
        if (name->kind == SP_NODE_TEXT)
            SP_TRY(sp_mistake(v->build, check(v, name)));
    }
cleanup:
    return status;
}

sp_status sp_view_names(sp_build *b, const sp_node *table, const sp_sweep *sweep, bool measured)
{
    static const char *const lists[] = { "claims", "figures" }, *const labels[] = { "algorithm", "below", "control",
                                                                                     "methods" };
    sp_status status = SP_OK;
    const sp_view v = { .build = b, .sweep = sweep };
    for (size_t l = 0; l < 2; l++) {
        const sp_node *list = sp_node_field(table, lists[l]);
        for (size_t i = 0; list && list->item && i < list->items; i++) {
            if (measured)
                SP_TRY(each_name(&v, sp_node_field(list->item[i], "y"), sp_view_measure));
            for (size_t k = 0; k < sizeof labels / sizeof *labels && !sweep->partial; k++)
                SP_TRY(each_name(&v, sp_node_field(list->item[i], labels[k]), sp_view_label));
        }
    }
cleanup:
    return status;
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)*(const char *const *)a, y = (uintptr_t)*(const char *const *)b;
    return (x > y) - (x < y);
}

/* Of an axis, or of a budget in other units; equal ones are one pointer. NULL: the cell has none. */
static sp_status value_of(const sp_view *v, const sp_cell *cell, const char *axis, const char **out)
{
    const sp_privacy *privacy = &cell->privacy;
    char digits[SP_NUMBER_SIZE];
    const char *value = sp_cell_axis(cell, axis);
    *out = NULL;
    if (!value && sp_is_budget(axis) && privacy->private)
        value = sp_number(sp_budget_as(axis, privacy->epsilon, privacy->delta), digits);
    if (value)
        SP_NEED(v->build, *out = sp_keep(v->build, value));
    return SP_OK;
}

sp_status sp_view_values(const sp_view *v, const char *axis, const char *label, const sp_axis_value *where,
                         size_t wheres, bool texts, size_t *count, const char **first)
{
    sp_status status = SP_OK;
    size_t found = 0;
    const char **seen = sp_alloc(v->cells + 1, sizeof *seen); /* equal texts are one pointer: sp_keep */
    SP_NEED(v->build, seen);
    for (size_t i = 0; i < v->cells; i++) {
        double number;
        if (!sp_view_selects(&v->cell[i], label, where, wheres))
            continue;
        const char *value = NULL;
        SP_TRY(value_of(v, &v->cell[i], axis, &value));
        if (!value || (!texts && !sp_read_number(value, &number)))
            continue;
        seen[found++] = value;
    }
    *first = found ? seen[0] : NULL;
    qsort(seen, found, sizeof *seen, by_address);
    *count = found > 0;
    for (size_t i = 1; i < found; i++)
        *count += seen[i] != seen[i - 1];
cleanup:
    free(seen);
    return status;
}

static int by_number(const void *a, const void *b)
{
    const char *const *p = a, *const *q = b;
    double x = 0.0, y = 0.0;
    const bool first = sp_read_number(*p, &x), second = sp_read_number(*q, &y);
    if (first && second)
        return (x > y) - (x < y);
    return first ? -1 : second ? 1 : 0;
}

size_t sp_view_list(const sp_view *v, const char *axis, const sp_axis_value *where, size_t wheres, const char **value,
                    size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < v->cells && count < most; i++) {
        const char *found = sp_view_selects(&v->cell[i], NULL, where, wheres) ? sp_cell_axis(&v->cell[i], axis) : NULL;
        bool seen = !found;
        for (size_t k = 0; k < count && !seen; k++)
            seen = strcmp(value[k], found) == 0;
        if (!seen)
            value[count++] = found;
    }
    for (size_t i = 1; i < count; i++) /* stable, unlike qsort */
        for (size_t k = i; k > 0 && by_number(&value[k - 1], &value[k]) > 0; k--) {
            const char *other = value[k];
            value[k] = value[k - 1];
            value[k - 1] = other;
        }
    return count;
}

sp_status sp_view_axis(const sp_view *v, const sp_node *node, const char *label, const sp_axis_value *where,
                       size_t wheres, bool texts, size_t *count)
{
    sp_status status = SP_OK;
    const char *first;
    SP_TRY(sp_view_values(v, node->text, label, where, wheres, texts, count, &first));
    if (*count > 1)
        return SP_OK;
    if (first)
        return sp_fail(v->build->error, SP_EINVAL, "%s: %s does not vary here (it is %s)", node->path, node->text,
                       first);
    sp_names known = { 0 };
    for (sp_axis_at at = { 0 }; v->cells > 0 && sp_cell_next_axis(v->cell, &at);) {
        const char *dot = strchr(at.key, '.');
        sp_names_add(&known, dot ? dot + 1 : at.key);
    }
    return sp_no_such(v->build, node->path, texts ? "axis" : "axis of numbers", node->text, &known);
cleanup:
    return status;
}

/* --- one cell a point ------------------------------------------------------------------------------------------ */

enum { KEYS = 3 }; /* x, alpha, member */

typedef struct placed {
    const char *key[KEYS]; /* equal texts are one pointer; NULL: none */
    size_t cell;
} placed;

static int by_point(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    for (size_t k = 0; k < KEYS; k++)
        if (p->key[k] != q->key[k])
            return (uintptr_t)p->key[k] > (uintptr_t)q->key[k] ? 1 : -1;
    return (p->cell > q->cell) - (p->cell < q->cell);
}

/* "problem.d (5, 6)", of every axis in which they differ; *first is the first of them, of `a`. */
static void append_differences(const sp_cell *a, const sp_cell *b, sp_axis_at *first, sp_text *out)
{
    *first = (sp_axis_at){ 0 };
    for (sp_axis_at axis = { 0 }; sp_cell_next_axis(a, &axis);) {
        const char *other = sp_cell_axis(b, axis.key);
        if (other && strcmp(other, axis.value) == 0)
            continue;
        sp_text_append(out, "%s%s (%s, %s)", first->key ? ", " : "", axis.key, axis.value, other ? other : "-");
        *first = first->key ? *first : axis;
    }
}

static sp_status say_ambiguous(const sp_view *v, const sp_points_of *of, const placed *a, const placed *b)
{
    sp_text text = { 0 };
    sp_axis_at first;
    append_differences(&v->cell[a->cell], &v->cell[b->cell], &first, &text);
    if (!first.key) /* in what the one does not have */
        append_differences(&v->cell[b->cell], &v->cell[a->cell], &first, &text);
    double number;
    const bool at = a->key[0] && of->x;
    const char *quote = first.key && sp_read_number(first.value, &number) ? "" : "\"";
    const sp_status status =
        text.failed || !first.key
            ? sp_fail(v->build->error, SP_ENOMEM, "out of memory")
            : sp_fail(v->build->error, SP_EINVAL, "%s: several cells of %s%s%s%s%s differ in %s: choose one with where = "
                      "{ [\"%s\"] = %s%s%s }", of->place, of->label, at ? " at " : "", at ? of->x : "",
                      at ? " = " : "", at ? a->key[0] : "", text.data, first.key, quote, first.value, quote);
    sp_text_free(&text);
    return status;
}

/* The problem of a cell and its budget, as one text. */
static sp_status problem_of(const sp_view *v, const sp_cell *cell, const char **out)
{
    sp_text text = { 0 };
    for (sp_axis_at axis = { 0 }; sp_cell_next_axis(cell, &axis);)
        if (sp_is_problem_axis(axis.key))
            sp_text_append(&text, "%s=%s\n", axis.key, axis.value);
    *out = text.failed ? NULL : sp_keep(v->build, text.data ? text.data : "");
    sp_text_free(&text);
    SP_NEED(v->build, *out);
    return SP_OK;
}

sp_status sp_view_single(const sp_view *v, const sp_points_of *of)
{
    sp_status status = SP_OK;
    size_t count = 0;
    const char *const axis[KEYS] = { of->x, of->alpha, of->family };
    placed *list = sp_alloc(v->cells + 1, sizeof *list);
    SP_NEED(v->build, list);
    for (size_t i = 0; i < v->cells; i++) {
        placed at = { .cell = i };
        if (v->cell[i].skip || !sp_view_selects(&v->cell[i], of->label, of->where, of->wheres))
            continue;
        for (size_t k = 0; k < KEYS; k++)
            if (axis[k])
                SP_TRY(value_of(v, &v->cell[i], axis[k], &at.key[k]));
        if (of->problems)
            SP_TRY(problem_of(v, &v->cell[i], &at.key[0]));
        if (at.key[0] || !of->x || of->levels)
            list[count++] = at;
    }
    qsort(list, count, sizeof *list, by_point);
    for (size_t i = 1; i < count; i++)
        if (memcmp(list[i].key, list[i - 1].key, sizeof list[i].key) == 0)
            SP_TRY(say_ambiguous(v, of, &list[i - 1], &list[i]));
cleanup:
    free(list);
    return status;
}

sp_view sp_view_of(sp_build *b, const sp_sweep *sweep, size_t first)
{
    return (sp_view){ b, sweep, b->plan->cell + first, b->plan->cells - first };
}

sp_status sp_view_check_list(sp_build *b, const sp_node *list)
{
    if (list && !sp_node_is_list(list))
        return sp_fail(b->error, SP_EINVAL, "%s: must be a list of tables", list->path);
    for (size_t i = 0; list && i < list->items; i++) {
        const sp_node *item = sp_node_item(b->arena, list, i);
        SP_NEED(b, item);
        if (!sp_node_is_object(item))
            return sp_fail(b->error, SP_EINVAL, "%s: must be a table { key = value }", item->path);
    }
    return SP_OK;
}

void *sp_view_extend(sp_arena *arena, const void *array, size_t count, size_t more, size_t size)
{
    void *grown = sp_arena_alloc(arena, count + more, size);
    if (grown && count > 0)
        memcpy(grown, array, count * size);
    return grown;
}
