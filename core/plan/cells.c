/* cells.c -- one sweep's cells: variants of problem, privacy and methods, resolved, named and checked.
 *
 * For each variant of `problem`, for each variant of `privacy`, for each entry of `algorithms`, for each variant of its
 * parameters, for each member of the family. An entry whose privacy is its own (given, or none because the method has
 * none) takes no part in the privacy loop: it appears once a problem, beside the first variant. */
#include "core/plan/parts.h"

#include "core/plan/registry.h"

#include <stdlib.h>
#include <string.h>

enum { AXES_MAX = 128 };

enum { EPSILON, DELTA, CALIBRATION, NOISE };
const sp_param sp_privacy_keys[] = {
    [EPSILON]     = { "epsilon",     SP_REAL,   SP_REQUIRED, SP_POSITIVE, "privacy loss" },
    [DELTA]       = { "delta",       SP_REAL,   SP_REQUIRED, { -DBL_MAX, DBL_MAX }, "probability that it is exceeded" },
    [CALIBRATION] = { "calibration", SP_CHOICE, SP_CALIBRATE_TIGHT, { 0, 0 }, "of the noise", "tight|paper" },
    [NOISE]       = { "noise",       SP_CHOICE, 0,           { 0, 0 }, "off: the schedule without noise", "on|off" },
    { 0 }
};

static sp_status read_privacy(sp_build *b, const sp_node *node, sp_privacy *out)
{
    sp_status status = SP_OK;
    const char *name = sp_node_name(node);
    sp_values v;
    *out = (sp_privacy){ .epsilon = INFINITY, .delta = 1.0, .noise = true };
    if (name && strcmp(name, "none") == 0)
        return sp_read_params(b, node, NULL, &v);
    if (node->kind != SP_NODE_TABLE || node->items > 0)
        return sp_fail(b->error, SP_EINVAL, "%s: must be \"none\" or { epsilon = ..., delta = ... }", node->path);
    SP_TRY(sp_read_params(b, node, sp_privacy_keys, &v));
    *out = (sp_privacy){ true, sp_real(&v, EPSILON), sp_real(&v, DELTA), (sp_calibration)sp_choice(&v, CALIBRATION),
                         sp_choice(&v, NOISE) == 0 };
    if (!(out->delta > 0.0 && out->delta < 1.0))
        return sp_fail(b->error, SP_EINVAL, "%s.delta = %g: must be in (0, 1)", node->path, out->delta);
cleanup:
    return status;
}

/* epsilon first, for delta may depend on it. */
static sp_status resolve_privacy(sp_build *b, sp_scope *scope, const sp_node *variant, const sp_node **out,
                                 sp_privacy *privacy)
{
    static const char *const first[] = { "epsilon", "delta" };
    sp_status status = SP_OK;
    const sp_node *node = variant;
    for (size_t i = 0; i < 2; i++) {
        const sp_node *value = sp_node_field(variant, first[i]);
        if (!value)
            continue;
        SP_TRY(sp_resolve(b, *scope, value, &value));
        SP_NEED(b, node = sp_node_with(b->arena, node, first[i], value));
        SP_TRY(sp_scope_set(b, scope, first[i], value));
    }
    SP_TRY(sp_resolve(b, *scope, node, out));
    SP_TRY(read_privacy(b, *out, privacy));
    SP_TRY(sp_scope_set(b, scope, "privacy", *out));
    if (!privacy->private) { /* as sp_budget has it */
        SP_TRY(sp_scope_set(b, scope, "epsilon", sp_node_number(b->arena, variant->path, INFINITY)));
        SP_TRY(sp_scope_set(b, scope, "delta", sp_node_number(b->arena, variant->path, 1.0)));
    }
cleanup:
    return status;
}

typedef struct axes {
    sp_axis_value pair[AXES_MAX];
    size_t count;
} axes;

static sp_status add_axis(sp_build *b, axes *a, const char *key, const sp_node *node)
{
    sp_status status = SP_OK;
    if (node->kind == SP_NODE_TABLE) {
        if (node->items == 1)
            SP_TRY(add_axis(b, a, key, node->item[0]));
        for (size_t i = 0; i < node->fields; i++) {
            char *inner = sp_arena_format(b->arena, "%s.%s", key, node->field[i].key);
            SP_NEED(b, inner);
            SP_TRY(add_axis(b, a, inner, node->field[i].node));
        }
        return SP_OK;
    }
    if (a->count == AXES_MAX)
        return sp_fail(b->error, SP_EINVAL, "%s: a cell has more than %d values", node->path, AXES_MAX);
    sp_axis_value pair = { sp_arena_copy(b->arena, key), sp_node_print(b->arena, node), node->path };
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

static bool of_problem(const char *key)
{
    return strncmp(key, "problem.", 8) == 0;
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

/* "key=value" a line. */
static char *canonical(sp_build *b, const sp_cell *cell, bool (*wanted)(const char *key))
{
    size_t size = 1;
    for (size_t i = 0; i < cell->axes; i++)
        size += wanted(cell->axis[i].key) ? strlen(cell->axis[i].key) + strlen(cell->axis[i].value) + 2 : 0;
    char *text = sp_arena_alloc(b->arena, size, 1), *end = text;
    for (size_t i = 0; text && i < cell->axes; i++)
        if (wanted(cell->axis[i].key))
            end = stpcpy(stpcpy(stpcpy(stpcpy(end, cell->axis[i].key), "="), cell->axis[i].value), "\n");
    return text;
}

sp_status sp_cell_name(sp_build *b, sp_cell *cell, const sp_node *problem, const sp_node *privacy,
                       const sp_node *method)
{
    sp_status status = SP_OK;
    axes a = { .count = 0 };
    SP_TRY(add_axis(b, &a, "problem", problem));
    SP_TRY(add_axis(b, &a, "privacy", privacy));
    SP_TRY(add_axis(b, &a, "algorithm", method));
    for (size_t i = 0; i < a.count; i++) /* the user's own file stands for the name of the data */
        if (strcmp(a.pair[i].key, "problem.data.file") == 0)
            a.pair[i].key[strlen("problem.data")] = '\0';
    qsort(a.pair, a.count, sizeof *a.pair, compare_pairs);
    SP_NEED(b, cell->axis = sp_arena_alloc(b->arena, a.count, sizeof *cell->axis));
    memcpy(cell->axis, a.pair, a.count * sizeof *cell->axis);
    cell->axes = a.count;
    SP_NEED(b, cell->problem_text = canonical(b, cell, of_problem));
    SP_NEED(b, cell->data_text = canonical(b, cell, of_records));
    SP_NEED(b, cell->truth_text = canonical(b, cell, of_truth));
    SP_NEED(b, cell->cell_text = canonical(b, cell, any));
cleanup:
    return status;
}

/* Why the cell is not run; drops the measures that do not fit it. */
static sp_status fit_cell(sp_build *b, sp_cell *cell, const sp_node *measures)
{
    const sp_algorithm *algorithm = cell->method->algorithm;
    const sp_constants *c = &cell->problem->declared;
    const bool labels = cell->problem->data != SP_DATA_GENERATED || cell->problem->generator->labels;
    const char *misfit = algorithm->fits ? algorithm->fits(c) : NULL;
    if (!cell->skip && cell->privacy.private && !isfinite(c->L_data))
        SP_NEED(b, cell->skip = sp_arena_format(b->arena, "L_data is not finite: no noise makes loss %s private here",
                                                cell->problem->loss->name));
    if (!cell->skip && misfit)
        SP_NEED(b, cell->skip = sp_arena_format(b->arena, "%s: %s", algorithm->name, misfit));
    for (size_t i = 0; i < measures->items; i++) {
        const sp_measure *m = sp_measure_find(measures->item[i]->text);
        if (m->population && cell->problem->population == SP_POPULATION_NONE)
            return sp_fail(b->error, SP_EINVAL, "%s = \"%s\": needs problem.population", measures->item[i]->path,
                           m->name);
        if (!m->fits || !m->fits(cell->problem->loss, c, labels))
            cell->measure[cell->measures++] = m;
    }
    return SP_OK;
}

sp_status sp_cell_append(sp_build *b, sp_cell **list, size_t *count, const sp_cell *cell)
{
    if (*count == SP_CELLS_MAX)
        return sp_fail(b->error, SP_EINVAL, "more than %d cells", SP_CELLS_MAX);
    if ((*count & (*count - 1)) == 0) { /* full at every power of two */
        sp_cell *grown = realloc(*list, (*count ? 2 * *count : 1) * sizeof *grown);
        SP_NEED(b, grown);
        *list = grown;
    }
    (*list)[*count] = *cell;
    (*list)[*count].index = *count;
    ++*count;
    return SP_OK;
}

/* A member of the family on one variant of the problem; without a family the variant itself. */
typedef struct instance {
    sp_cell cell;
    sp_scope scope;
    const sp_node *problem;
} instance;

/* Where the loops stand. */
typedef struct place {
    const sp_sweep *sweep;
    const sp_method_entry *entry;
    const instance *on;     /* every member */
    size_t instances;
    size_t problem, budget, parameters; /* ordinals of the variants */
} place;

static sp_status make_cell(sp_build *b, const place *at, const instance *on, const sp_node *privacy_variant,
                           sp_cell *cell, sp_tuned_member *member)
{
    sp_status status = SP_OK;
    const sp_method_entry *e = at->entry;
    const sp_node *method = NULL, *shown = NULL;
    sp_scope scope = on->scope;
    *cell = on->cell;
    SP_TRY(sp_scope_set(b, &scope, "algorithm", sp_node_text(b->arena, e->node->path, e->algorithm->name)));
    SP_TRY(resolve_privacy(b, &scope, privacy_variant, &member->privacy, &cell->privacy));
    SP_NEED(b, method = sp_tree_variant(b->arena, e->node, at->parameters));
    SP_TRY(sp_resolve(b, scope, method, &method));
    member->problem = on->problem;
    member->method = shown = method;
    cell->tuned = cell->pending = e->tune != NULL;
    if (e->tune)
        SP_TRY(sp_tune_member(b, e, scope, &method, &shown, member));
    SP_TRY(sp_share_method(b, method, &cell->method));
    SP_NEED(b, cell->label = sp_arena_copy(b->arena, e->label));
    SP_TRY(sp_cell_name(b, cell, on->problem, member->privacy, shown));
    SP_TRY(fit_cell(b, cell, at->sweep->measures));
cleanup:
    return status;
}

/* The cells of one point: all members of the family. */
static sp_status add_cells(sp_build *b, const place *at, const sp_node *privacy_variant)
{
    sp_status status = SP_OK;
    sp_tuning point = { .cell = b->plan->cells, .members = at->instances, .variant = { at->problem, at->budget,
                        at->parameters } };
    SP_NEED(b, point.member = sp_arena_alloc(b->arena, at->instances, sizeof *point.member));
    for (size_t m = 0; m < at->instances; m++) {
        sp_cell cell;
        SP_TRY(make_cell(b, at, &at->on[m], privacy_variant, &cell, &point.member[m]));
        SP_TRY(sp_cell_append(b, &b->plan->cell, &b->plan->cells, &cell));
    }
    if (at->entry->tune)
        SP_TRY(sp_tune_point(b, at->sweep, at->entry, &point));
cleanup:
    return status;
}

static sp_status count(sp_build *b, const sp_node *node, size_t *out)
{
    return sp_tree_count(node, SP_CELLS_MAX, out, b->error);
}

/* `at` stands on the entry; `privacy` is its own, or one variant of the sweep's. */
static sp_status add_entry(sp_build *b, place at, const sp_node *privacy)
{
    sp_status status = SP_OK;
    size_t budgets = 0, parameters = 0;
    const size_t first = at.budget;
    SP_TRY(count(b, privacy, &budgets));
    SP_TRY(count(b, at.entry->node, &parameters));
    for (size_t q = 0; q < budgets; q++) {
        const sp_node *variant = sp_tree_variant(b->arena, privacy, q);
        SP_NEED(b, variant);
        at.budget = first + q;
        for (at.parameters = 0; at.parameters < parameters; at.parameters++)
            SP_TRY(add_cells(b, &at, variant));
    }
cleanup:
    return status;
}

/* `object` with the value at a path of keys, "loss.slope", replaced. */
static const sp_node *replace(sp_arena *arena, const sp_node *object, const char *path, const sp_node *value)
{
    const char *dot = strchr(path, '.');
    char *key = sp_arena_format(arena, "%.*s", (int)(dot ? dot - path : (long)strlen(path)), path);
    if (!key)
        return NULL;
    if (dot && !(value = replace(arena, sp_node_field(object, key), dot + 1, value)))
        return NULL;
    return sp_node_with(arena, object, key, value);
}

static const sp_node *member_problem(sp_build *b, const sp_sweep *s, size_t m)
{
    return s->family ? replace(b->arena, s->problem, strchr(s->family, '.') + 1, s->members->item[m]) : s->problem;
}

/* An algorithm may use whatever is declared: it must not tell it which member it is on. */
static sp_status compare_members(sp_build *b, const sp_sweep *s, const instance *on, size_t members)
{
    static const struct { const char *key; size_t at; } shared[] = {
        { "L", offsetof(sp_constants, L) }, { "L_data", offsetof(sp_constants, L_data) },
        { "beta", offsetof(sp_constants, beta) }, { "beta_data", offsetof(sp_constants, beta_data) },
        { "rho_hessian", offsetof(sp_constants, rho_hessian) }, { "gap", offsetof(sp_constants, gap) },
        { "distance", offsetof(sp_constants, distance) }, { "quasar", offsetof(sp_constants, quasar) },
        { "kl_gamma", offsetof(sp_constants, kl_gamma) }, { "kl_kappa", offsetof(sp_constants, kl_kappa) },
    };
    char one[SP_NUMBER_SIZE], two[SP_NUMBER_SIZE];
    for (size_t m = 1; m < members; m++)
        for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
            const double x = *(const double *)((const char *)&on[0].cell.problem->declared + shared[i].at);
            const double y = *(const double *)((const char *)&on[m].cell.problem->declared + shared[i].at);
            if (x == y)
                continue;
            const char *first = sp_node_print(b->arena, s->members->item[0]);
            const char *other = sp_node_print(b->arena, s->members->item[m]);
            SP_NEED(b, first);
            SP_NEED(b, other);
            return sp_fail(b->error, SP_EINVAL, "problem.declared.%s: the members %s and %s of the family %s have "
                           "%s and %s: declare one that holds for all", shared[i].key, first, other, s->family,
                           sp_number(x, one), sp_number(y, two));
        }
    return SP_OK;
}

static sp_status make_instances(sp_build *b, const sp_sweep *s, size_t p, instance *out, size_t members)
{
    sp_status status = SP_OK;
    for (size_t m = 0; m < members; m++) {
        const sp_node *problem = member_problem(b, s, m), *variant = NULL;
        SP_NEED(b, problem);
        SP_NEED(b, variant = sp_tree_variant(b->arena, problem, p));
        out[m].cell = (sp_cell){ .sweep = s->name, .seed = b->plan->seed, .replicates = s->replicates,
                                 .checkpoints = s->checkpoints, .family = s->family };
        SP_NEED(b, out[m].scope = sp_node_object(b->arena, "cell"));
        sp_problem_spec *spec = sp_arena_alloc(b->arena, 1, sizeof *spec);
        SP_NEED(b, spec);
        SP_TRY(sp_plan_problem(b, variant, &out[m].scope, spec, &out[m].problem, &out[m].cell.skip));
        out[m].cell.problem = spec;
    }
    SP_TRY(compare_members(b, s, out, members));
cleanup:
    return status;
}

static sp_status add_problem(sp_build *b, const sp_sweep *s, size_t p)
{
    sp_status status = SP_OK;
    const sp_node *none = sp_node_text(b->arena, "privacy", "none");
    const size_t members = s->family ? s->members->items : 1;
    size_t budgets = 1;
    instance *instances = sp_arena_alloc(b->arena, members, sizeof *instances);
    SP_NEED(b, none);
    SP_NEED(b, instances);
    SP_TRY(make_instances(b, s, p, instances, members));
    if (s->privacy)
        SP_TRY(count(b, s->privacy, &budgets));
    for (size_t q = 0; q < budgets; q++) {
        const sp_node *budget = s->privacy ? sp_tree_variant(b->arena, s->privacy, q) : NULL;
        for (size_t i = 0; i < s->entries; i++) {
            const sp_method_entry *e = &s->entry[i];
            const sp_node *privacy = e->algorithm->non_private_only ? none : e->privacy ? e->privacy : budget;
            if (!privacy)
                return sp_fail(b->error, SP_EINVAL, "privacy: missing (\"none\" or { epsilon = ..., delta = ... })");
            if (q == 0 || privacy == budget)
                SP_TRY(add_entry(b, (place){ s, e, instances, members, p, q, 0 }, privacy));
        }
    }
cleanup:
    return status;
}

static int compare_cells(const void *a, const void *b)
{
    const sp_cell *x = *(const sp_cell *const *)a, *y = *(const sp_cell *const *)b;
    const int order = strcmp(x->cell_text, y->cell_text);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static sp_status refuse_twins(sp_build *b, size_t first)
{
    sp_status status = SP_OK;
    const size_t cells = b->plan->cells - first;
    const sp_cell **sorted = sp_arena_alloc(b->arena, cells, sizeof *sorted);
    SP_NEED(b, sorted);
    for (size_t i = 0; i < cells; i++)
        sorted[i] = &b->plan->cell[first + i];
    qsort(sorted, cells, sizeof *sorted, compare_cells);
    for (size_t i = 1; i < cells; i++) {
        const sp_cell *x = sorted[i - 1], *y = sorted[i];
        if (strcmp(x->cell_text, y->cell_text) != 0)
            continue;
        size_t k = 0;
        while (k + 1 < x->axes && strcmp(x->axis[k].place, y->axis[k].place) == 0)
            k++;
        return sp_fail(b->error, SP_EINVAL, "%s and %s give the same cell (%s = %s)", x->axis[k].place,
                       y->axis[k].place, x->axis[k].key, x->axis[k].value);
    }
    return status;
}

sp_status sp_plan_cells(sp_build *b, const sp_sweep *s)
{
    sp_status status = SP_OK;
    const size_t first = b->plan->cells, tuning = b->plan->tunings;
    size_t problems = 0;
    const sp_node *problem = member_problem(b, s, 0);
    SP_NEED(b, problem);
    SP_TRY(count(b, problem, &problems));
    for (size_t p = 0; p < problems; p++)
        SP_TRY(add_problem(b, s, p));
    SP_TRY(refuse_twins(b, first));
    SP_TRY(sp_tune_lend(b, tuning));
    for (size_t i = first; i < b->plan->cells; i++)
        b->plan->runs += b->plan->cell[i].skip ? 0 : b->plan->cell[i].replicates;
cleanup:
    return status;
}
