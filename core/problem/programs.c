/* programs.c -- { "external", command = { "python3", "mine.py" }, eta = 0.1 }: a method that is a program of the
 * experiment's own. What stands beside the keys below are its parameters, numbers and flags. */
#include "core/plan/plan_internal.h"

#include "core/methods/external.h"

#include <string.h>

enum { COMMAND, FILES, ENVIRONMENT, PATIENCE, KEYS };
const sp_param sp_program_keys[] = { /* SP_METHOD: a list of words, which becomes a text */
    [COMMAND] = { "command", SP_METHOD, 0, { 0, 0 }, "the program and its arguments, a list of words; required" },
    [FILES] = { "files", SP_METHOD, 0, { 0, 0 }, "further files that say whether a run is current, a list of paths" },
    [ENVIRONMENT] = { "environment", SP_METHOD, 0, { 0, 0 }, "names of further variables of the environment that it gets, "
                                                             "a list; their values say whether a run is current" },
    [PATIENCE] = { "patience", SP_REAL,  60, SP_POSITIVE, "seconds without a byte after which it is given up" },
    { 0 }
};

static bool is_program(const sp_node *node)
{
    const char *name = sp_node_name(node);
    return name && strcmp(name, "external") == 0;
}

/* Is the key's value a list of words? */
static bool is_words(const char *key)
{
    return strcmp(key, sp_program_keys[COMMAND].key) == 0 || strcmp(key, sp_program_keys[FILES].key) == 0 ||
           strcmp(key, sp_program_keys[ENVIRONMENT].key) == 0;
}

/* { "python3", "mine.py" } as one text. */
static sp_status join(sp_build *b, const sp_node **node)
{
    const sp_node *list = *node;
    if (list->kind == SP_NODE_TEXT)
        return SP_OK;
    if (!sp_node_is_list(list) || list->items == 0)
        return sp_fail(b->error, SP_EINVAL, "%s: must be a list of words, { \"python3\", \"mine.py\" }", list->path);
    char *text = sp_arena_copy(b->arena, "");
    for (size_t i = 0; i < list->items; i++) {
        const sp_node *item = sp_node_item(b->arena, list, i);
        SP_NEED(b, item);
        if (item->kind != SP_NODE_TEXT && item->kind != SP_NODE_NUMBER)
            return sp_fail(b->error, SP_EINVAL, "%s: must be a word", item->path);
        const char *printed = sp_node_print(b->arena, item);
        SP_NEED(b, printed);
        const char *word = sp_external_word(b->arena, printed);
        SP_NEED(b, word);
        SP_NEED(b, text = sp_arena_format(b->arena, "%s%s%s", text, i > 0 ? " " : "", word));
    }
    SP_NEED(b, *node = sp_node_text(b->arena, list->path, text));
    return SP_OK;
}

sp_status sp_spell_programs(sp_build *b, const sp_node **node)
{
    sp_status status = SP_OK;
    const sp_node *given = *node;
    for (size_t i = 0; i < given->fields; i++) {
        const char *key = given->field[i].key;
        const sp_node *value = given->field[i].node;
        if (is_program(given) && is_words(key))
            SP_TRY(join(b, &value));
        else if (value->kind == SP_NODE_TABLE)
            SP_TRY(sp_spell_programs(b, &value));
        if (value != given->field[i].node)
            SP_NEED(b, *node = sp_node_with(b->arena, *node, key, value));
    }
cleanup:
    return status;
}

/* The first number of a value that may be a list, or a table of them; 1 where only a run knows. */
static double first_number(const sp_node *node)
{
    while (node->kind == SP_NODE_TABLE && node->items > 0 && !node->numbers)
        node = node->item[0];
    const double number = node->numbers ? node->numbers[0] : node->kind == SP_NODE_NUMBER ? node->number : 1.0;
    return isfinite(number) ? number : 1.0;
}

static sp_status add_param(sp_build *b, sp_param *params, size_t *count, const sp_field *field)
{
    static const char *const own[] = { "label", "privacy", "tune" };
    const sp_node *value = field->node;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(field->key, own[i]) == 0)
            return SP_OK;
    for (size_t i = 0; i < *count; i++)
        if (strcmp(field->key, params[i].key) == 0)
            return SP_OK;
    while (sp_node_is_list(value) && value->items > 0)
        SP_NEED(b, value = sp_node_item(b->arena, value, 0));
    if (value->kind == SP_NODE_TEXT)
        return sp_fail(b->error, SP_EINVAL, "%s: a parameter of a program is a number or a flag; a text goes into its "
                       "command", value->path);
    if (*count == SP_PARAM_MAX)
        return sp_fail(b->error, SP_EINVAL, "%s: more than %d keys", value->path, SP_PARAM_MAX);
    const bool flag = value->kind == SP_NODE_FLAG;
    sp_param *p = &params[(*count)++];
    *p = (sp_param){ .kind = flag ? SP_FLAG : SP_REAL, .initial = flag ? value->number : first_number(field->node),
                     .range = { -DBL_MAX, DBL_MAX }, .meaning = "of the program" };
    SP_NEED(b, p->key = sp_keep(b, field->key));
    return SP_OK;
}

/* The keys above, then what else is given or tuned. */
static sp_status make_params(sp_build *b, const sp_node *node, sp_param **out)
{
    sp_status status = SP_OK;
    const sp_node *tune = sp_node_field(node, "tune");
    size_t count = KEYS;
    sp_param *params = sp_arena_alloc(b->plan->arena, SP_PARAM_MAX + 1, sizeof *params);
    SP_NEED(b, params);
    memcpy(params, sp_program_keys, KEYS * sizeof *params);
    params[COMMAND].kind = params[FILES].kind = params[ENVIRONMENT].kind = SP_TEXT;
    for (size_t i = 0; i < node->fields; i++)
        SP_TRY(add_param(b, params, &count, &node->field[i]));
    for (size_t i = 0; tune && i < tune->fields; i++)
        SP_TRY(add_param(b, params, &count, &tune->field[i]));
    *out = params;
cleanup:
    return status;
}

sp_status sp_find_program(sp_build *b, const sp_node *node, const sp_algorithm **out)
{
    sp_status status = SP_OK;
    const sp_node *given[KEYS];
    for (size_t i = 0; i < KEYS; i++)
        given[i] = sp_node_field(node, sp_program_keys[i].key);
    if (!given[COMMAND])
        return sp_fail(b->error, SP_EINVAL, "%s.command: missing (%s)", node->path, sp_program_keys[COMMAND].meaning);
    for (size_t i = 0; i < KEYS; i++)
        if (given[i] && given[i]->kind != (i == PATIENCE ? SP_NODE_NUMBER : SP_NODE_TEXT))
            return sp_fail(b->error, SP_EINVAL, "%s: must be %s", given[i]->path, sp_program_keys[i].meaning);
    const char *command = given[COMMAND]->text;
    for (const sp_program_found *p = b->programs; p; p = p->next)
        if (strcmp(p->path, node->path) == 0 && strcmp(p->command, command) == 0) {
            *out = &p->algorithm;
            return SP_OK;
        }
    const char *slash = strrchr(b->plan->path, '/');
    sp_program_found *found = sp_arena_alloc(b->plan->arena, 1, sizeof *found);
    sp_param *params = NULL;
    SP_NEED(b, found);
    SP_NEED(b, found->path = sp_keep(b, node->path));
    SP_NEED(b, found->command = sp_keep(b, command));
    SP_TRY(make_params(b, node, &params));
    const sp_external external = {
        .command = found->command, .files = given[FILES] ? given[FILES]->text : "",
        .environment = given[ENVIRONMENT] ? given[ENVIRONMENT]->text : "",
        .folder = sp_arena_format(b->plan->arena, "%.*s", slash ? (int)(slash + 1 - b->plan->path) : 0, b->plan->path),
        .patience = given[PATIENCE] ? given[PATIENCE]->number : sp_program_keys[PATIENCE].initial,
        .params = params + KEYS,
    };
    SP_NEED(b, external.folder);
    if (!(external.patience > 0.0))
        return sp_fail(b->error, SP_EINVAL, "%s = %g: must be positive", given[PATIENCE]->path, external.patience);
    SP_TRY(sp_external_new(b->plan->arena, &external, node->path, &found->algorithm, b->error));
    found->algorithm.params = params;
    found->next = b->programs;
    b->programs = found;
    b->plan->program = found;
    b->plan->apart = true;
    *out = &found->algorithm;
cleanup:
    return status;
}

const sp_algorithm *sp_plan_program(const sp_plan *plan, size_t i)
{
    const sp_program_found *p = plan->program;
    while (p && i-- > 0)
        p = p->next;
    return p ? &p->algorithm : NULL;
}
