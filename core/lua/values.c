/* values.c -- values as they stand in an experiment: looking up, laying over, counting and picking variants. */
#include "core/lua/values.h"

#include "core/lua/hints.h"

#include <stdint.h>
#include <string.h>

bool sp_node_is_list(const sp_node *node)
{
    return node->kind == SP_NODE_TABLE && node->fields == 0;
}

bool sp_node_is_object(const sp_node *node)
{
    return node->kind == SP_NODE_TABLE && node->items == 0 && node->fields > 0;
}

const char *sp_node_name(const sp_node *node)
{
    if (node->kind == SP_NODE_TABLE && node->items == 1 && node->item)
        node = node->item[0];
    return node->kind == SP_NODE_TEXT ? node->text : NULL;
}

const sp_node *sp_node_field(const sp_node *node, const char *key)
{
    for (size_t i = 0; node && i < node->fields; i++)
        if (strcmp(node->field[i].key, key) == 0)
            return node->field[i].node;
    return NULL;
}

char *sp_node_print(sp_arena *arena, const sp_node *node)
{
    char number[SP_NUMBER_SIZE];
    switch (node->kind) {
    case SP_NODE_NUMBER:
        return sp_arena_copy(arena, sp_number(node->number + 0.0, number)); /* -0 and 0 are one value */
    case SP_NODE_FLAG:
        return sp_arena_copy(arena, node->number == 1.0 ? "true" : "false");
    case SP_NODE_TEXT:
        return sp_arena_copy(arena, node->text);
    case SP_NODE_FUNCTION:
    case SP_NODE_TABLE:
        break;
    }
    return NULL;
}

static sp_node *new_node(sp_arena *arena, sp_node_kind kind, const char *path)
{
    sp_node *node = sp_arena_alloc(arena, 1, sizeof *node);
    if (node) {
        node->kind = kind;
        node->path = path;
        node->variants = 1;
    }
    return node;
}

sp_node *sp_node_number(sp_arena *arena, const char *path, double number)
{
    sp_node *node = new_node(arena, SP_NODE_NUMBER, path);
    if (node)
        node->number = number;
    return node;
}

sp_node *sp_node_text(sp_arena *arena, const char *path, const char *text)
{
    sp_node *node = new_node(arena, SP_NODE_TEXT, path);
    if (node)
        node->text = text;
    return node;
}

sp_node *sp_node_object(sp_arena *arena, const char *path)
{
    return new_node(arena, SP_NODE_TABLE, path);
}

/* "problem.n[17]", without a printf: every cell of a long list has one. */
static const char *path_of_item(sp_arena *arena, const char *path, size_t number)
{
    const size_t length = strlen(path);
    size_t digits = 1;
    for (size_t rest = number; rest >= 10; rest /= 10)
        digits++;
    char *text = sp_arena_text(arena, length + digits + 3);
    if (!text)
        return NULL;
    memcpy(text, path, length);
    text[length] = '[';
    for (size_t k = digits; k > 0; k--, number /= 10)
        text[length + k] = (char)('0' + number % 10);
    text[length + digits + 1] = ']';
    return text;
}

const sp_node *sp_node_item(sp_arena *arena, const sp_node *table, size_t i)
{
    if (!table->numbers)
        return table->item[i];
    const char *path = path_of_item(arena, table->path, i + 1);
    return path ? sp_node_number(arena, path, table->numbers[i]) : NULL;
}

static size_t product(size_t a, size_t b)
{
    return b > 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

void sp_node_close(sp_node *table)
{
    const bool list = sp_node_is_list(table);
    bool empty = list && table->items == 0;
    table->variants = table->numbers ? table->items : list ? 0 : 1;
    table->calls = false;
    for (size_t i = 0; !table->numbers && i < table->items; i++) {
        const sp_node *item = table->item[i];
        table->calls = table->calls || item->calls;
        empty = empty || item->variants == 0;
        if (list)
            table->variants = item->variants > SIZE_MAX - table->variants ? SIZE_MAX
                                                                         : table->variants + item->variants;
    }
    for (size_t i = 0; i < table->fields; i++) {
        table->calls = table->calls || table->field[i].node->calls;
        table->variants = product(table->variants, table->field[i].node->variants);
    }
    table->variants = empty ? 0 : table->variants;
}

/* With room for `more` keys. */
static sp_node *copy_table(sp_arena *arena, const sp_node *table, size_t more)
{
    sp_node *node = sp_node_object(arena, table->path);
    sp_field *field = sp_arena_alloc(arena, table->fields + more, sizeof *field);
    if (!node || !field)
        return NULL;
    *node = *table;
    node->field = field;
    for (size_t i = 0; i < table->fields; i++)
        field[i] = table->field[i];
    return node;
}

/* Needs room for one key more. */
static void set_field(sp_node *node, const char *key, const sp_node *value)
{
    size_t at = 0;
    while (at < node->fields && strcmp(node->field[at].key, key) < 0)
        at++;
    if (at == node->fields || strcmp(node->field[at].key, key) != 0) {
        memmove(node->field + at + 1, node->field + at, (node->fields - at) * sizeof *node->field);
        node->fields++;
    }
    node->field[at] = (sp_field){ key, value };
}

sp_node *sp_node_with(sp_arena *arena, const sp_node *object, const char *key, const sp_node *value)
{
    sp_node *node = value ? copy_table(arena, object, 1) : NULL;
    if (node) {
        set_field(node, key, value);
        sp_node_close(node);
    }
    return node;
}

sp_node *sp_node_without(sp_arena *arena, const sp_node *table, const char *key)
{
    sp_node *node = copy_table(arena, table, 0);
    if (!node)
        return NULL;
    node->fields = 0;
    for (size_t i = 0; i < table->fields; i++)
        if (strcmp(table->field[i].key, key) != 0)
            node->field[node->fields++] = table->field[i];
    sp_node_close(node);
    return node;
}

const sp_node *sp_tree_merge(sp_arena *arena, const sp_node *base, const sp_node *over)
{
    if (!base || !sp_node_is_object(base) || !sp_node_is_object(over))
        return over;
    sp_node *node = copy_table(arena, base, over->fields);
    for (size_t i = 0; node && i < over->fields; i++) {
        const char *key = over->field[i].key;
        const sp_node *value = sp_tree_merge(arena, sp_node_field(base, key), over->field[i].node);
        if (!value)
            return NULL;
        set_field(node, key, value);
    }
    if (node)
        sp_node_close(node);
    return node;
}

sp_status sp_tree_count(const sp_node *node, size_t limit, size_t *count, sp_error *error)
{
    sp_status status = SP_OK;
    const bool list = sp_node_is_list(node);
    const size_t parts = list ? node->items : node->fields;
    if (list && parts == 0)
        return sp_fail(error, SP_EINVAL, "%s: an empty list", node->path);
    size_t total = list ? 0 : 1, part = 0;
    if (node->variants > 0 && node->variants <= limit) {
        *count = node->variants;
        return SP_OK;
    }
    if (node->numbers)
        return sp_fail(error, SP_EINVAL, "%s: more than %zu combinations", node->path, limit);
    for (size_t i = 0; i < parts; i++) {
        SP_TRY(sp_tree_count(list ? node->item[i] : node->field[i].node, limit, &part, error));
        if (list ? part > limit - total : part > limit / total)
            return sp_fail(error, SP_EINVAL, "%s: more than %zu combinations", node->path, limit);
        total = list ? total + part : total * part;
    }
    *count = total;
cleanup:
    return status;
}

const sp_node *sp_tree_variant(sp_arena *arena, const sp_node *node, size_t k)
{
    if (node->kind != SP_NODE_TABLE)
        return node;
    if (sp_node_is_list(node)) {
        if (node->numbers)
            return sp_node_item(arena, node, k);
        size_t i = node->variants == node->items ? k : 0; /* each item is one */
        for (k -= i; k >= node->item[i]->variants; i++)
            k -= node->item[i]->variants;
        return sp_tree_variant(arena, node->item[i], k);
    }
    sp_node *variant = NULL; /* a copy once something differs */
    for (size_t i = node->fields; i-- > 0;) {
        const sp_node *value = node->field[i].node, *chosen = sp_tree_variant(arena, value, k % value->variants);
        k /= value->variants;
        if (chosen && !variant && chosen != value)
            variant = copy_table(arena, node, 0);
        if (!chosen || (chosen != value && !variant))
            return NULL;
        if (variant)
            variant->field[i].node = chosen;
    }
    if (variant)
        sp_node_close(variant);
    return variant ? variant : node;
}

static const sp_param *find_param(const sp_values *values, const char *key)
{
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->params[i].key, key) == 0)
            return &values->params[i];
    return NULL;
}

sp_status sp_tree_read(const sp_node *table, sp_values *values, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < table->fields; i++) {
        const char *key = table->field[i].key;
        const sp_node *node = table->field[i].node;
        const sp_param *param = find_param(values, key);
        if (param && param->kind == SP_METHOD)
            continue;
        const char *hint = param ? NULL : sp_hint_key(table->path, key, values->params);
        if (hint)
            return sp_fail(error, SP_EINVAL, "%s%s%s: unknown key; write %s", table->path, *table->path ? "." : "", key,
                           hint);
        if (!param || node->kind == SP_NODE_FLAG) /* an unknown key is refused whatever its value */
            SP_TRY(sp_values_set_flag(values, table->path, key, node->number == 1.0, error));
        else if (node->kind == SP_NODE_NUMBER)
            SP_TRY(sp_values_set_number(values, table->path, key, node->number, error));
        else if (node->kind == SP_NODE_TEXT)
            SP_TRY(sp_values_set_text(values, table->path, key, node->text, error));
        else
            return sp_fail(error, SP_EINVAL, "%s: must be a single value, not a %s", node->path,
                           node->kind == SP_NODE_TABLE ? "table" : "function");
    }
cleanup:
    return status;
}
