/* values.c -- values of a cell: names looked up, functions called, parameters set. */
#include "core/plan/plan_internal.h"

#include "core/plan/registry.h"

#include <string.h>

void sp_names_add(sp_names *names, const char *name)
{
    if (names->count < sizeof names->name / sizeof *names->name)
        names->name[names->count++] = name;
}

sp_status sp_no_such(sp_build *b, const char *path, const char *what, const char *name, const sp_names *known)
{
    const char *nearest = sp_nearest(name, known->name, known->count);
    if (nearest)
        return sp_fail(b->error, SP_EINVAL, "%s = \"%s\": no such %s; did you mean %s?", path, name, what, nearest);
    if (known->count == 0)
        return sp_fail(b->error, SP_EINVAL, "%s = \"%s\": no such %s (there is none)", path, name, what);
    char *list = sp_arena_copy(b->arena, "");
    for (size_t i = 0; list && i < known->count; i++)
        list = sp_arena_format(b->arena, "%s%s%s", list, i > 0 ? ", " : "", known->name[i]);
    SP_NEED(b, list);
    return sp_fail(b->error, SP_EINVAL, "%s = \"%s\": no such %s; known: %s", path, name, what, list);
}

sp_status sp_scope_set(sp_build *b, sp_scope *scope, const char *key, const sp_node *value)
{
    SP_NEED(b, *scope = sp_node_with(b->arena, *scope, key, value));
    return SP_OK;
}

sp_status sp_resolve(sp_build *b, sp_scope scope, const sp_node *node, const sp_node **out)
{
    sp_status status = SP_OK;
    if (node->kind == SP_NODE_FUNCTION) {
        sp_node *result = NULL;
        SP_TRY(sp_lua_call(b->lua, node, scope, b->arena, &node, b->error));
        if (node->kind == SP_NODE_TEXT) { /* parameters point to it */
            SP_NEED(b, result = sp_node_text(b->arena, node->path, node->text));
            SP_NEED(b, result->text = sp_keep(b, node->text));
            node = result;
        }
    }
    if (node->kind == SP_NODE_TEXT && node->text[strcspn(node->text, "\t\r\n")] != '\0') /* canonical texts hold it */
        return sp_fail(b->error, SP_EINVAL, "%s: must be a text of one line", node->path);
    *out = node;
    for (size_t i = 0; i < node->fields; i++) {
        const sp_node *value = NULL;
        SP_TRY(sp_resolve(b, scope, node->field[i].node, &value));
        if (value != node->field[i].node)
            SP_NEED(b, *out = sp_node_with(b->arena, *out, node->field[i].key, value));
    }
cleanup:
    return status;
}

char *sp_keep(sp_build *b, const char *text)
{
    return b->texts ? (char *)sp_texts_keep(b->texts, text) : sp_arena_copy(b->plan->arena, text);
}

/* A parameter that is a method: it holds the values of its algorithm's own parameters and ends there, to be read in
 * place. */
static sp_status read_inner(sp_build *b, const sp_node *node, const sp_method **out)
{
    sp_status status = SP_OK;
    sp_method read;
    SP_TRY(sp_read_method(b, node, &read));
    const size_t size = offsetof(sp_method, values.value) + read.values.count * sizeof *read.values.value;
    sp_method *method = sp_arena_alloc(b->plan->arena, size, 1);
    SP_NEED(b, method);
    memcpy(method, &read, size);
    *out = method;
cleanup:
    return status;
}

sp_status sp_read_params(sp_build *b, const sp_node *node, const sp_param *params, sp_values *values)
{
    sp_status status = SP_OK;
    sp_values_start(values, params);
    SP_TRY(sp_tree_read(node, values, b->error));
    for (size_t i = 0; i < values->count; i++) {
        const sp_node *inner = params[i].kind == SP_METHOD ? sp_node_field(node, params[i].key) : NULL;
        if (!inner)
            continue;
        const sp_method *method = NULL;
        SP_TRY(read_inner(b, inner, &method));
        SP_TRY(sp_values_set_method(values, node->path, params[i].key, method, b->error));
    }
    SP_TRY(sp_values_check(values, node->path, b->error));
cleanup:
    return status;
}

/* What is handed over, or chosen, is one point: means over others would be of another method. */
static sp_status check_points(sp_build *b, const sp_node *node, const sp_method *method)
{
    for (size_t i = 0; i < method->values.count; i++) {
        const sp_method *inner = sp_submethod(&method->values, i);
        const char *key = method->values.params[i].key;
        if (inner && sp_keeps_one(method->algorithm, key) && sp_measures_mean(inner))
            return sp_fail(b->error, SP_EINVAL, "%s.%s: select = \"mean\" is no answer to go on from: choose one point "
                           "(\"uniform\" draws it)", node->path, key);
    }
    return method->algorithm->check ? method->algorithm->check(&method->values, node->path, b->error) : SP_OK;
}

sp_status sp_find_algorithm(sp_build *b, const sp_node *node, const sp_algorithm **out)
{
    const char *name = sp_node_name(node);
    sp_names known = { 0 };
    if (strcmp(name, "external") == 0)
        return sp_find_program(b, node, out);
    sp_names_add(&known, "external");
    for (size_t i = 0; i < b->plan->owned; i++) {
        sp_names_add(&known, b->plan->own[i].name);
        if (strcmp(b->plan->own[i].name, name) == 0) {
            *out = &b->plan->own[i];
            return SP_OK;
        }
    }
    if ((*out = sp_algorithm_find(name)))
        return SP_OK;
    for (size_t i = 0; i < sp_algorithm_count; i++)
        sp_names_add(&known, sp_algorithms[i]->name);
    return sp_no_such(b, node->path, "algorithm", name, &known);
}

sp_status sp_read_method(sp_build *b, const sp_node *node, sp_method *out)
{
    const char *name = sp_node_name(node);
    if (!name)
        return sp_fail(b->error, SP_EINVAL, "%s: must be an algorithm: \"name\" or { \"name\", key = value }",
                       node->path);
    sp_status status = sp_find_algorithm(b, node, &out->algorithm);
    if (status == SP_OK)
        status = sp_read_params(b, node, out->algorithm->params, &out->values);
    return status == SP_OK ? check_points(b, node, out) : status;
}

sp_status sp_keep_method(sp_build *b, const sp_node *node, const sp_method **out)
{
    sp_status status = SP_OK;
    sp_method *method = sp_arena_alloc(b->plan->arena, 1, sizeof *method);
    SP_NEED(b, method);
    SP_TRY(sp_read_method(b, node, method));
    *out = method;
cleanup:
    return status;
}
