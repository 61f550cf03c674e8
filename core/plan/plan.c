/* plan.c -- the experiment's keys, its scales and its sweeps. */
#include "core/plan/plan_internal.h"

#include "core/base/memory.h"
#include "core/methods/lua_methods.h"
#include "core/problem/problems.h"
#include "core/plan/registry.h"

#include <stdlib.h>
#include <string.h>

enum { QUESTION, SOURCE, SEED, REPLICATES, CHECKPOINTS, KEEP_ITERATES, TUNING_REPLICATES, TUNING_MEASURE };
const sp_param sp_experiment_keys[] = { /* SP_METHOD: a table, read by its own function */
    [QUESTION]    = { "question",    SP_TEXT,  0,           { 0, 0 },   "what the experiment asks" },
    [SOURCE]      = { "source",      SP_TEXT,  0,           { 0, 0 },   "where the claim stands" },
    [SEED]        = { "seed",        SP_COUNT, SP_REQUIRED, { 0, 9e15 }, "root of every random stream" },
    [REPLICATES]  = { "replicates",  SP_COUNT, 1,           { 1, SP_REPLICATES_MAX }, "runs of a cell" },
    [CHECKPOINTS] = { "checkpoints", SP_REAL,  4,           { 0, 1000 }, "trace points a decade of steps" },
    [KEEP_ITERATES] = { "keep_iterates", SP_FLAG, false, { 0, 0 }, "the store keeps the iterate that a run returns, on "
                        "which further measures are taken, also beyond 128 dimensions" },
    [TUNING_REPLICATES] = { "tuning_replicates", SP_COUNT, 5, { 1, SP_REPLICATES_MAX }, "runs of a grid point" },
    [TUNING_MEASURE] = { "tuning_measure", SP_TEXT, 0, { 0, 0 }, "what chooses; default the first of measures" },
    { "algorithms", SP_METHOD, 0, { 0, 0 }, "a list of { \"name\", parameter = value, ... }; required" },
    { "claims",     SP_METHOD, 0, { 0, 0 }, "a list of tables" },
    { "figures",    SP_METHOD, 0, { 0, 0 }, "a list of tables" },
    { "measures",   SP_METHOD, 0, { 0, 0 }, "a list of names; required" },
    { "privacy",    SP_METHOD, 0, { 0, 0 }, "\"none\" or a table; required where an algorithm is private" },
    { "problem",    SP_METHOD, 0, { 0, 0 }, "a table, or a problem's name; required" },
    { "scales",     SP_METHOD, 0, { 0, 0 }, "{ name = { overrides }, ... }: what --scale lays over the table" },
    { "sweeps",     SP_METHOD, 0, { 0, 0 }, "{ name = { any key but seed, scales, sweeps }, ... }: several sweeps, "
                                            "each laid over the table; claims and figures then stand in them" },
    { 0 }
};

const sp_param sp_entry_keys[] = { /* read by read_entry */
    { "label",   SP_TEXT,   0, { 0, 0 }, "one line, not \"-\": what claims and tables call it; default the name" },
    { "privacy", SP_METHOD, 0, { 0, 0 }, "its own, laid over the sweep's key by key" },
    { "tune",    SP_METHOD, 0, { 0, 0 }, "a grid, { eta = { 0.1, 1 }, steps = { times = { 0.3, 1 } } }, or the label "
                                         "whose winners it takes" },
    { 0 }
};

/* --- keys ---------------------------------------------------------------------------------------------------- */

/* A problem's name gives way to its keys, under those that stand beside it; so do the names in a list. Lists within
 * `data` that are no sweeps become texts. */
static sp_status spell_problem(sp_build *b, const sp_node **problem)
{
    sp_status status = SP_OK;
    const sp_node *given = *problem, *keys = NULL;
    const char *name = sp_node_name(given);
    if (name) {
        const sp_named_problem *found = sp_named_problem_find(name);
        sp_names known = { 0 };
        for (size_t i = 0; i < sp_named_problem_count; i++)
            sp_names_add(&known, sp_named_problems[i].name);
        if (!found)
            return sp_no_such(b, given->path, "problem", name, &known);
        SP_NEED(b, keys = sp_named_problem_tree(b->arena, found, given->path));
        for (size_t i = 0; i < given->fields; i++)
            SP_NEED(b, keys = sp_node_with(b->arena, keys, given->field[i].key, given->field[i].node));
        *problem = keys;
    } else if (sp_node_is_list(given)) {
        sp_node *list = sp_node_object(b->arena, given->path);
        const sp_node **item = sp_arena_alloc(b->arena, given->items, sizeof *item);
        SP_NEED(b, list);
        SP_NEED(b, item);
        for (size_t i = 0; i < given->items; i++) {
            SP_NEED(b, item[i] = sp_node_item(b->arena, given, i));
            SP_TRY(spell_problem(b, &item[i]));
        }
        list->item = item;
        list->items = given->items;
        sp_node_close(list);
        *problem = list;
        return SP_OK;
    }
    const sp_node *data = sp_node_field(*problem, "data");
    if (data) {
        SP_TRY(sp_data_spell(b->arena, &data, b->error));
        SP_NEED(b, *problem = sp_node_with(b->arena, *problem, "data", data));
    }
cleanup:
    return status;
}

/* The same at every place where a problem may stand. */
static sp_status spell_out(sp_build *b, const sp_node **root)
{
    static const char *const nested[] = { "sweeps", "scales" };
    sp_status status = SP_OK;
    const sp_node *problem = sp_node_field(*root, "problem");
    if (problem) {
        SP_TRY(spell_problem(b, &problem));
        SP_NEED(b, *root = sp_node_with(b->arena, *root, "problem", problem));
    }
    for (size_t i = 0; i < 2; i++) {
        const sp_node *table = sp_node_field(*root, nested[i]), *spelled = table;
        for (size_t k = 0; table && k < table->fields; k++) {
            const sp_node *inner = table->field[k].node;
            SP_TRY(spell_out(b, &inner));
            SP_NEED(b, spelled = sp_node_with(b->arena, spelled, table->field[k].key, inner));
        }
        if (table)
            SP_NEED(b, *root = sp_node_with(b->arena, *root, nested[i], spelled));
    }
cleanup:
    return status;
}

/* A table, or each table of a list; *node becomes what can be read of it. */
static sp_status check_each(sp_build *b, const sp_node **node, const sp_param *keys, bool lists)
{
    sp_status status = SP_OK;
    if (!sp_node_is_list(*node))
        return sp_check_keys(b, node, keys, lists);
    sp_node *list = sp_node_object(b->arena, (*node)->path);
    const sp_node **item = sp_arena_alloc(b->arena, (*node)->items, sizeof *item);
    SP_NEED(b, list);
    SP_NEED(b, item);
    for (size_t i = 0; i < (*node)->items; i++) {
        SP_NEED(b, item[i] = sp_node_item(b->arena, *node, i));
        if (!lists || item[i]->kind == SP_NODE_TABLE)
            SP_TRY(sp_mistake(b, check_each(b, &item[i], keys, lists)));
    }
    list->item = item;
    list->items = (*node)->items;
    sp_node_close(list);
    *node = list;
cleanup:
    return status;
}

/* A key that belongs to the whole experiment, in one of its parts. */
static sp_status forbid(sp_build *b, const sp_node **node, const char *const *forbidden)
{
    sp_status status = SP_OK;
    for (; forbidden && *forbidden; forbidden++) {
        const sp_node *found = sp_node_field(*node, *forbidden);
        if (!found)
            continue;
        SP_TRY(sp_mistake(b, sp_fail(b->error, SP_EINVAL, "%s: belongs to the whole experiment", found->path)));
        SP_NEED(b, *node = sp_node_without(b->arena, *node, *forbidden));
    }
cleanup:
    return status;
}

static sp_status check_experiment(sp_build *b, const sp_node **node, const char *const *forbidden);

/* The sweeps, or the scales. */
static sp_status check_nested(sp_build *b, const sp_node **node, const char *key, const char *const *forbidden)
{
    sp_status status = SP_OK;
    const sp_node *table = sp_node_field(*node, key);
    if (!table)
        return SP_OK;
    if (table->kind != SP_NODE_TABLE || table->items > 0) {
        b->unreadable = true;
        return sp_fail(b->error, SP_EINVAL, "%s: must be a table { name = { ... } }", table->path);
    }
    const sp_node *checked = table;
    for (size_t k = 0; k < table->fields; k++) {
        const sp_node *inner = table->field[k].node;
        SP_TRY(check_experiment(b, &inner, forbidden));
        SP_NEED(b, checked = sp_node_with(b->arena, checked, table->field[k].key, inner));
    }
    SP_NEED(b, *node = sp_node_with(b->arena, *node, key, checked));
cleanup:
    return status;
}

/* The keys of the experiment, of a sweep or of a scale, at every place, so that a typo is found at any scale. */
static sp_status check_experiment(sp_build *b, const sp_node **node, const char *const *forbidden)
{
    static const char *const in_sweep[] = { "seed", "scales", "sweeps", NULL };
    static const char *const in_scale[] = { "seed", "scales", NULL };
    static const struct { const char *key; const sp_param *keys; bool lists; } part[] = {
        { "problem", sp_problem_keys, true }, { "privacy", sp_privacy_keys, true },
        { "claims", sp_claim_keys, false },   { "figures", sp_figure_keys, false },
    };
    sp_status status = SP_OK;
    SP_TRY(sp_mistake(b, sp_check_keys(b, node, sp_experiment_keys, false)));
    if ((*node)->kind != SP_NODE_TABLE || (*node)->items > 0) {
        b->unreadable = true;
        return SP_OK;
    }
    SP_TRY(forbid(b, node, forbidden));
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const sp_node *table = sp_node_field(*node, part[i].key);
        if (table && table->kind == SP_NODE_TABLE) {
            SP_TRY(sp_mistake(b, check_each(b, &table, part[i].keys, part[i].lists)));
            SP_NEED(b, *node = sp_node_with(b->arena, *node, part[i].key, table));
        } else if (table && !(i == 1 && sp_node_name(table))) {
            b->unreadable = true;
            SP_TRY(sp_mistake(b, sp_fail(b->error, SP_EINVAL, "%s: must be a table", table->path)));
        }
    }
    SP_TRY(sp_mistake(b, check_nested(b, node, "sweeps", in_sweep)));
    SP_TRY(sp_mistake(b, check_nested(b, node, "scales", in_scale)));
cleanup:
    return status;
}

static bool is_word(const char *text, const char *allowed)
{
    return *text && text[strspn(text, allowed)] == '\0';
}

/* Not empty, and without control characters. */
static bool is_line(const char *text)
{
    const char *c = text;
    while ((unsigned char)*c >= ' ' && *c != '\x7f')
        c++;
    return *text && *c == '\0';
}

static const char lower_word[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

/* `over` laid on `base`, both experiments; an empty table changes nothing. */
static const sp_node *lay_over(sp_build *b, const sp_node *base, const sp_node *over)
{
    return over->fields == 0 ? base : sp_tree_merge(b->arena, base, over);
}

static sp_status apply_scale(sp_build *b, const sp_node **root)
{
    const sp_node *scales = sp_node_field(*root, "scales"), *scale = sp_node_field(scales, b->plan->scale);
    for (size_t i = 0; scales && i < scales->fields; i++)
        if (!is_word(scales->field[i].key, lower_word) || strcmp(scales->field[i].key, "default") == 0)
            return sp_fail(b->error, SP_EINVAL, "%s: a scale's name is of a-z 0-9 _ and not default",
                           scales->field[i].node->path);
    if (strcmp(b->plan->scale, "default") == 0)
        return SP_OK;
    if (!scale) {
        char *known = sp_arena_copy(b->arena, "default");
        for (size_t i = 0; known && scales && i < scales->fields; i++)
            known = sp_arena_format(b->arena, "%s, %s", known, scales->field[i].key);
        SP_NEED(b, known);
        return sp_fail(b->error, SP_EINVAL, "this experiment has no scale %s (it has: %s)", b->plan->scale, known);
    }
    SP_NEED(b, *root = lay_over(b, *root, scale));
    return SP_OK;
}

/* --- one sweep ------------------------------------------------------------------------------------------------- */

static sp_status read_entry(sp_build *b, const sp_node *node, const sp_node *privacy, sp_method_entry *out)
{
    sp_status status = SP_OK;
    const char *name = sp_node_name(node);
    const sp_node *label = sp_node_field(node, "label"), *own = sp_node_field(node, "privacy");
    if (!name)
        return sp_fail(b->error, SP_EINVAL, "%s: must be { \"name\", parameter = value }", node->path);
    SP_TRY(sp_spell_programs(b, &node));
    SP_TRY(sp_find_algorithm(b, node, &out->algorithm));
    if (label && (label->kind != SP_NODE_TEXT || !is_line(label->text)))
        return sp_fail(b->error, SP_EINVAL, "%s: must be a text of one line", label->path);
    if (label && strcmp(label->text, "-") == 0)
        return sp_fail(b->error, SP_EINVAL, "%s = \"-\": stands for no label in the tables", label->path);
    if (label)
        SP_TRY(sp_plan_heading(b, label));
    SP_NEED(b, out->label = sp_keep(b, label ? label->text : name));
    if (own && out->algorithm->non_private_only)
        return sp_fail(b->error, SP_EINVAL, "%s: %s is a reference without privacy", own->path, name);
    if (own && own->kind == SP_NODE_TABLE)
        SP_TRY(check_each(b, &own, sp_privacy_keys, true));
    if (own)
        SP_NEED(b, out->privacy = sp_tree_merge(b->arena, privacy, own));
    out->node = node;
    for (const sp_param *key = sp_entry_keys; key->key; key++)
        SP_NEED(b, out->node = sp_node_without(b->arena, out->node, key->key));
    if (out->algorithm->params && out->node->kind == SP_NODE_TABLE) {
        sp_node named = *out->node; /* without the name */
        const sp_node *keys = &named;
        named.items = 0;
        SP_TRY(sp_check_keys(b, &keys, out->algorithm->params, true));
        for (size_t i = 0; i < named.fields; i++)
            SP_NEED(b, out->node = sp_node_without(b->arena, out->node, named.field[i].key));
        for (size_t i = 0; i < keys->fields; i++)
            SP_NEED(b, out->node = sp_node_with(b->arena, out->node, keys->field[i].key, keys->field[i].node));
    }
    out->tune = sp_node_field(node, "tune");
    SP_TRY(sp_tune_read(b, out));
cleanup:
    return status;
}

static sp_status check_measures(sp_build *b, const sp_node *measures)
{
    sp_names known = { 0 };
    if (!sp_node_is_list(measures) || measures->items == 0 || measures->items > SP_MEASURES_MAX)
        return sp_fail(b->error, SP_EINVAL, "%s: must be a list of 1 to %d names", measures->path, SP_MEASURES_MAX);
    for (size_t i = 0; i < sp_measure_count; i++)
        sp_names_add(&known, sp_measures[i]->name);
    for (size_t i = 0; i < measures->items; i++) {
        const sp_node *node = sp_node_item(b->arena, measures, i);
        SP_NEED(b, node);
        if (node->kind != SP_NODE_TEXT)
            return sp_fail(b->error, SP_EINVAL, "%s: must be a name", node->path);
        if (!sp_measure_find(node->text))
            return sp_no_such(b, node->path, "measure", node->text, &known);
        for (size_t k = 0; k < i; k++)
            if (strcmp(measures->item[k]->text, node->text) == 0)
                return sp_fail(b->error, SP_EINVAL, "%s: %s stands in %s already", node->path, node->text,
                               measures->item[k]->path);
    }
    return SP_OK;
}

static sp_status find_tuning_measure(sp_build *b, const sp_node *table, sp_sweep *s)
{
    const sp_node *node = sp_node_field(table, "tuning_measure");
    const char *name = node ? node->text : s->measures->item[0]->text;
    sp_names known = { 0 };
    for (size_t i = 0; i < s->measures->items; i++) {
        sp_names_add(&known, s->measures->item[i]->text);
        if (strcmp(s->measures->item[i]->text, name) == 0)
            s->tuning_measure = sp_measure_find(name);
    }
    *s->tuning_measures = s->tuning_measure;
    return s->tuning_measure ? SP_OK : sp_no_such(b, node->path, "measure in this sweep", name, &known);
}

/* problem.family: the list it names, and the problem without the word. */
static sp_status find_family(sp_build *b, sp_sweep *s)
{
    const sp_node *family = sp_node_field(s->problem, "family"), *list = s->problem;
    if (!family)
        return SP_OK;
    if (family->kind != SP_NODE_TEXT)
        return sp_fail(b->error, SP_EINVAL, "%s: must be the name of a list, as \"loss.slope\"", family->path);
    char *rest = sp_arena_copy(b->arena, family->text);
    SP_NEED(b, rest);
    for (const char *key; list && (key = strsep(&rest, "."));)
        list = sp_node_field(list, key);
    bool plain = list && sp_node_is_list(list) && list->items > 1 && list != sp_node_field(s->problem, "n") &&
                 list != sp_node_field(s->problem, "d");
    for (size_t i = 0; plain && !list->numbers && i < list->items; i++)
        plain = list->item[i]->kind == SP_NODE_NUMBER || list->item[i]->kind == SP_NODE_TEXT;
    if (!plain)
        return sp_fail(b->error, SP_EINVAL, "%s = \"%s\": problem.%s is no list of several numbers or names (of "
                       "losses, say; n and d make no family)", family->path, family->text, family->text);
    SP_NEED(b, s->family = sp_arena_format(b->arena, "problem.%s", family->text));
    SP_NEED(b, s->problem = sp_node_without(b->arena, s->problem, "family"));
    s->members = list;
    return SP_OK;
}

/* Two curves of one name would be one. */
static sp_status check_labels(sp_build *b, const sp_sweep *s)
{
    for (size_t i = 0; i < s->entries; i++)
        for (size_t k = 0; k < i; k++)
            if (s->entry[k].label == s->entry[i].label) /* equal texts are one pointer: sp_keep */
                return sp_fail(b->error, SP_EINVAL, "%s: is called \"%s\", as %s is: give it a label",
                               s->entry[i].node->path, s->entry[i].label, s->entry[k].node->path);
    return SP_OK;
}

static sp_status expand_sweep(sp_build *b, const char *name, const sp_node *table)
{
    sp_status status = SP_OK;
    const size_t first = b->plan->cells;
    sp_values v;
    sp_values_start(&v, sp_experiment_keys);
    SP_TRY(sp_tree_read(table, &v, b->error));
    const sp_node *algorithms = sp_node_field(table, "algorithms");
    sp_sweep s = {
        .name = name, .problem = sp_node_field(table, "problem"), .privacy = sp_node_field(table, "privacy"),
        .measures = sp_node_field(table, "measures"),
        .replicates = sp_count(&v, REPLICATES), .checkpoints = sp_real(&v, CHECKPOINTS),
        .keep_iterates = sp_flag(&v, KEEP_ITERATES),
        .tuning_replicates = sp_count(&v, TUNING_REPLICATES),
    };
    if (!s.problem || !algorithms || !s.measures)
        return sp_fail(b->error, SP_EINVAL, "%s%s%s: missing", table->path, *table->path ? "." : "",
                       !s.problem ? "problem" : !algorithms ? "algorithms" : "measures");
    if (!sp_node_is_list(algorithms) || algorithms->items == 0)
        return sp_fail(b->error, SP_EINVAL, "%s: must be a list of { \"name\", parameter = value }", algorithms->path);
    const size_t before = b->refused;
    SP_TRY(sp_mistake(b, check_measures(b, s.measures)));
    const bool measured = b->refused == before;
    if (!measured)
        SP_NEED(b, s.measures = sp_node_object(b->arena, s.measures->path));
    SP_NEED(b, s.tuning_measures = sp_arena_alloc(b->plan->arena, 1, sizeof *s.tuning_measures));
    if (measured)
        SP_TRY(sp_mistake(b, find_tuning_measure(b, table, &s)));
    const size_t familiar = b->refused;
    SP_TRY(sp_mistake(b, find_family(b, &s)));
    const bool sound = b->refused == familiar; /* what the cells need */
    sp_method_entry *entries = sp_arena_alloc(b->arena, algorithms->items, sizeof *entries);
    SP_NEED(b, entries);
    s.entry = entries;
    for (size_t i = 0; i < algorithms->items; i++) {
        const sp_node *item = sp_node_item(b->arena, algorithms, i);
        SP_NEED(b, item);
        entries[s.entries] = (sp_method_entry){ 0 };
        const sp_status read = read_entry(b, item, s.privacy, &entries[s.entries]);
        SP_TRY(sp_mistake(b, read));
        s.partial = s.partial || read != SP_OK;
        s.entries += read == SP_OK;
    }
    SP_TRY(sp_mistake(b, check_labels(b, &s)));
    if (!s.partial)
        SP_TRY(sp_mistake(b, sp_tune_compare(b, entries, s.entries)));
    if (sound)
        SP_TRY(sp_mistake(b, sp_plan_cells(b, &s)));
    if (b->refused > before) /* other mistakes of claims and figures may follow from these */
        return sp_view_names(b, table, &s, measured);
    SP_TRY(sp_plan_claims(b, sp_node_field(table, "claims"), &s, first));
    SP_TRY(sp_plan_figures(b, sp_node_field(table, "figures"), &s, first));
cleanup:
    return status;
}

static sp_status expand(sp_build *b, const sp_node *root)
{
    sp_status status = SP_OK;
    const sp_node *sweeps = sp_node_field(root, "sweeps");
    const size_t before = b->refused;
    if (!sweeps)
        return expand_sweep(b, "main", root);
    static const char *const own[] = { "claims", "figures" };
    for (size_t i = 0; i < 2; i++)
        if (sp_node_field(root, own[i]))
            SP_TRY(sp_mistake(b, sp_fail(b->error, SP_EINVAL, "%s: belongs into a sweep here (sweeps.%s.%s)",
                                         sp_node_field(root, own[i])->path,
                                         sweeps->fields > 0 ? sweeps->field[0].key : "name", own[i])));
    if (b->refused > before)
        return SP_OK;
    const sp_node *shared = sp_node_without(b->arena, root, "sweeps");
    SP_NEED(b, shared);
    if (sweeps->fields == 0)
        return sp_fail(b->error, SP_EINVAL, "%s: no sweep", sweeps->path);
    for (size_t i = 0; i < sweeps->fields; i++) {
        if (!is_word(sweeps->field[i].key, lower_word))
            SP_TRY(sp_mistake(b, sp_fail(b->error, SP_EINVAL, "%s: a sweep's name is of a-z 0-9 _",
                                         sweeps->field[i].node->path)));
        const sp_node *table = lay_over(b, shared, sweeps->field[i].node);
        SP_NEED(b, table);
        SP_TRY(sp_mistake(b, expand_sweep(b, sweeps->field[i].key, table)));
    }
cleanup:
    return status;
}

/* --- the whole ------------------------------------------------------------------------------------------------- */

static sp_status name_plan(sp_build *b, const char *path, const char *scale)
{
    sp_plan *plan = b->plan;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    SP_NEED(b, plan->path = sp_arena_copy(b->arena, path));
    SP_NEED(b, plan->scale = sp_arena_copy(b->arena, scale));
    SP_NEED(b, plan->name = sp_arena_copy(b->arena, base));
    const size_t length = strlen(base);
    if (length > 4 && strcmp(base + length - 4, ".lua") == 0)
        plan->name[length - 4] = '\0';
    if (!is_word(plan->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"))
        return sp_fail(b->error, SP_EINVAL, "an experiment's file name is of A-Z a-z 0-9 _ - and ends in .lua");
    return SP_OK;
}

/* Its keys and plain values, then its cells, then what methods say; what has mistakes ends with the first two. */
static sp_status read_stages(sp_build *b, const sp_node *root)
{
    sp_status status = SP_OK;
    sp_values v;
    if (sp_node_field(root, "plugins"))
        return sp_fail(b->error, SP_EINVAL, "plugins: " SP_PLUGINS_REFUSED);
    SP_TRY(spell_out(b, &root));
    SP_TRY(sp_mistakes_twice(b));
    SP_TRY(check_experiment(b, &root, NULL));
    if (b->unreadable)
        return SP_OK;
    SP_TRY(apply_scale(b, &root));
    b->root = root;
    sp_values_start(&v, sp_experiment_keys);
    SP_TRY(sp_tree_read(root, &v, b->error));
    SP_TRY(sp_mistake(b, sp_values_check(&v, "", b->error)));
    const double seed = sp_real(&v, SEED);
    b->plan->seed = seed >= 0.0 && seed < 0x1p64 ? (uint64_t)seed : 0; /* beyond its range it is a mistake by now */
    SP_NEED(b, b->plan->question = sp_arena_copy(b->arena, sp_word(&v, QUESTION)));
    SP_NEED(b, b->plan->source = sp_arena_copy(b->arena, sp_word(&v, SOURCE)));
    SP_TRY(expand(b, root));
    if (b->refused == 0)
        SP_TRY(sp_plan_rehearse(b));
cleanup:
    return status;
}

static sp_status read_experiment(sp_build *b, const sp_node *root)
{
    sp_status status = SP_OK;
    SP_TRY(sp_mistake(b, read_stages(b, root)));
    SP_TRY(sp_mistakes_say(b));
    sp_plan_mark_shown(b->plan);
cleanup:
    return b->mistaken > 0 && status == SP_EINVAL ? sp_mistakes_say(b) : status;
}

/* Those that the experiment defines itself; its Lua stays open for them. */
static sp_status find_methods(sp_build *b)
{
    sp_status status = SP_OK;
    SP_TRY(sp_lua_methods(b->lua, b->arena, &b->plan->own, &b->plan->owned, b->error));
    for (size_t i = 0; i < b->plan->owned; i++)
        if (sp_algorithm_find(b->plan->own[i].name) || strcmp(b->plan->own[i].name, "external") == 0)
            return sp_fail(b->error, SP_EINVAL, "algorithm %s: the program has a method of that name: take another one",
                           b->plan->own[i].name);
cleanup:
    return status;
}

sp_status sp_plan_load(const char *path, const char *scale, sp_plan *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_node *root = NULL;
    sp_error own = { .status = SP_OK };
    *out = (sp_plan){ .arena = sp_alloc(1, sizeof(sp_arena)) };
    sp_arena scratch = { 0 };
    sp_texts texts = { .arena = out->arena };
    sp_build b = { .plan = out, .arena = out->arena, .scratch = &scratch, .texts = &texts,
                   .error = error ? error : &own };
    if (!b.arena)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    SP_TRY(name_plan(&b, path, scale));
    SP_TRY(sp_lua_open(path, &sp_lua_method_library, b.arena, &out->lua, &root, out->script, b.error));
    b.lua = out->lua;
    SP_TRY(find_methods(&b));
    SP_TRY(read_experiment(&b, root));
cleanup:
    sp_text_free(&b.mistakes);
    sp_texts_free(&texts);
    sp_arena_free(&scratch);
    if (status != SP_OK) {
        if (error && strncmp(error->text, path, strlen(path)) != 0)
            sp_fail_prefix(error, "%s", path);
        sp_plan_free(out);
    }
    return status;
}

static size_t add_method(const sp_algorithm *method, const sp_algorithm **out, size_t count, size_t room)
{
    for (size_t i = 0; i < count; i++)
        if (out[i] == method)
            return count;
    if (count < room)
        out[count++] = method;
    return count;
}

size_t sp_plan_methods(const sp_plan *plan, const char *name, const sp_algorithm **out, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->owned; i++)
        if (strcmp(plan->own[i].name, name) == 0)
            count = add_method(&plan->own[i], out, count, room);
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_algorithm *algorithm = plan->cell[i].method->algorithm;
        if (strcmp(plan->cell[i].label, name) == 0 || strcmp(algorithm->name, name) == 0)
            count = add_method(algorithm, out, count, room);
    }
    return count;
}

bool sp_plan_names(const sp_plan *plan, const void *entry)
{
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_problem_spec *spec = plan->cell[i].problem;
        if (spec->loss == entry || spec->generator == entry)
            return true;
        for (size_t m = 0; m < plan->cell[i].measures; m++)
            if (plan->cell[i].measure[m] == entry)
                return true;
    }
    return false;
}

void sp_plan_free(sp_plan *plan)
{
    sp_lua_close(plan->lua);
    if (plan->arena)
        sp_arena_free(plan->arena);
    free(plan->arena);
    free(plan->cell);
    free(plan->cost);
    free(plan->base);
    free(plan->trial);
    free(plan->tuning);
    free(plan->unfit);
    *plan = (sp_plan){ 0 };
}

void sp_plan_seed(sp_plan *plan, size_t number)
{
    const struct { sp_cell *cell; size_t cells; } list[] = { { plan->cell, plan->cells }, { plan->base, plan->bases },
                                                             { plan->trial, plan->trials } };
    if (number > 1)
        plan->seed = sp_stream_key_of(plan->seed, "seeds of an experiment", number, SP_STREAM_COINS).word[0] >> 12;
    for (size_t l = 0; l < sizeof list / sizeof *list; l++)
        for (size_t i = 0; i < list[l].cells; i++)
            list[l].cell[i].seed = plan->seed;
}

char *sp_plan_directory(const sp_plan *plan, const char *root, const char *top)
{
    const bool scaled = strcmp(plan->scale, "default") != 0;
    return sp_format("%s/%s/%s%s%s", root, top, plan->name, scaled ? "." : "", scaled ? plan->scale : "");
}
