/* cells.c -- one sweep's cells: variants of problem, privacy and methods, resolved, named and checked.
 *
 * For each variant of `problem`, for each variant of `privacy`, for each entry of `algorithms`, for each variant of its
 * parameters, for each member of the family. An entry whose privacy is its own (given, or none because the method has
 * none) takes no part in the privacy loop: it appears once a problem, beside the first variant.
 *
 * The problem is specified once a variant. A variant of privacy or of parameters without a function is resolved where
 * the loops first meet it; all its cells share what it gives. One with a function is called for each cell. */
#include "core/plan/plan_internal.h"

#include "core/base/memory.h"
#include "core/plan/registry.h"

#include <stdlib.h>
#include <string.h>

enum { EPSILON, DELTA, CALIBRATION, NOISE, NEIGHBOURS };
const sp_param sp_privacy_keys[] = {
    [EPSILON]     = { "epsilon",     SP_REAL,   SP_REQUIRED, SP_POSITIVE, "privacy loss" },
    [DELTA]       = { "delta",       SP_REAL,   SP_REQUIRED, { -DBL_MAX, DBL_MAX }, "probability that it is exceeded" },
    [CALIBRATION] = { "calibration", SP_CHOICE, SP_CALIBRATE_TIGHT, { 0, 0 }, "of the noise", "tight|paper" },
    [NOISE]       = { "noise",       SP_CHOICE, 0,           { 0, 0 }, "off: the schedule without noise", "on|off" },
    [NEIGHBOURS]  = { "neighbours",  SP_CHOICE, SP_REPLACE_ONE, { 0, 0 }, "one record replaced, or one more or less",
                      "replace_one|add_remove" },
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
    *out = (sp_privacy){ .private = true, .epsilon = sp_real(&v, EPSILON), .delta = sp_real(&v, DELTA),
                         .calibration = (sp_calibration)sp_choice(&v, CALIBRATION), .noise = sp_choice(&v, NOISE) == 0,
                         .neighbours = (sp_neighbours)sp_choice(&v, NEIGHBOURS) };
    if (!(out->delta > 0.0 && out->delta < 1.0))
        return sp_fail(b->error, SP_EINVAL, "%s.delta = %g: must be in (0, 1)", node->path, out->delta);
cleanup:
    return status;
}

/* What functions after it may read of a cell's privacy. */
static sp_status show_privacy(sp_build *b, sp_scope *scope, const sp_node *node, const sp_privacy *privacy)
{
    static const char *const keys[] = { "epsilon", "delta" };
    const double none[] = { INFINITY, 1.0 }; /* as sp_budget has it */
    sp_status status = SP_OK;
    SP_TRY(sp_scope_set(b, scope, "privacy", node));
    for (size_t i = 0; i < 2; i++)
        SP_TRY(sp_scope_set(b, scope, keys[i], privacy->private ? sp_node_field(node, keys[i])
                                                                : sp_node_number(b->arena, node->path, none[i])));
cleanup:
    return status;
}

/* epsilon first, for delta may depend on it. */
static sp_status resolve_privacy(sp_build *b, sp_scope scope, const sp_node *variant, const sp_node **out,
                                 sp_privacy *privacy)
{
    static const char *const first[] = { "epsilon", "delta" };
    sp_status status = SP_OK;
    const sp_node *node = variant;
    for (size_t i = 0; i < 2 && variant->calls; i++) {
        const sp_node *value = sp_node_field(variant, first[i]);
        if (!value)
            continue;
        SP_TRY(sp_resolve(b, scope, value, &value));
        SP_NEED(b, node = sp_node_with(b->arena, node, first[i], value));
        SP_TRY(sp_scope_set(b, &scope, first[i], value));
    }
    SP_TRY(sp_resolve(b, scope, node, out));
    SP_TRY(read_privacy(b, *out, privacy));
cleanup:
    return status;
}

static sp_status skip_cell(sp_build *b, sp_cell *cell, const char *reason)
{
    SP_NEED(b, reason);
    SP_NEED(b, cell->skip = sp_keep(b, reason));
    return SP_OK;
}

/* Why the cell is not run. */
static sp_status fit_cell(sp_build *b, const sp_read_problem *p, const sp_method *method, sp_cell *cell)
{
    const sp_algorithm *algorithm = method->algorithm;
    const sp_constants *c = &p->declared;
    const bool moments = p->spec.storage == SP_STORE_MOMENTS;
    if (cell->skip)
        return SP_OK;
    if (cell->privacy.private && !isfinite(c->L_data))
        return skip_cell(b, cell, sp_arena_format(b->arena, "L_data is not finite: no noise makes loss %s private here",
                                                  p->spec.loss->name));
    if (cell->privacy.neighbours == SP_ADD_REMOVE && !algorithm->add_remove)
        return skip_cell(b, cell, sp_arena_format(b->arena, "%s: not all of its releases are on Poisson samples, which "
                                                  "privacy.neighbours = \"add_remove\" asks for", algorithm->name));
    if (moments && sp_takes_passes(method))
        return skip_cell(b, cell, sp_arena_format(b->arena, "%s takes records by themselves or in passes, which "
                                                  "storage = \"moments\" has not: take \"dense\"", algorithm->name));
    if (moments && algorithm->sampled && !cell->tuned && algorithm->sampled(c->n, &method->values) < c->n)
        return skip_cell(b, cell, sp_arena_format(b->arena, "%s takes samples of %zu records, which storage = "
                                                  "\"moments\" has not: take all (batch = function (p) return p.n "
                                                  "end), or \"dense\"", algorithm->name,
                                                  algorithm->sampled(c->n, &method->values)));
    const char *misfit = sp_misfit(algorithm, c);
    return misfit ? skip_cell(b, cell, sp_arena_format(b->arena, "%s: %s", algorithm->name, misfit)) : SP_OK;
}

static sp_status add_unfit(sp_build *b, const char *sweep, const sp_measure *measure, const char *reason)
{
    sp_plan *plan = b->plan;
    for (size_t i = 0; i < plan->unfits; i++)
        if (plan->unfit[i].measure == measure && strcmp(plan->unfit[i].sweep, sweep) == 0)
            return SP_OK;
    sp_unfit *grown = realloc(plan->unfit, (plan->unfits + 1) * sizeof *grown);
    SP_NEED(b, grown);
    plan->unfit = grown;
    plan->unfit[plan->unfits++] = (sp_unfit){ sp_arena_copy(plan->arena, sweep), sp_arena_copy(plan->arena, reason),
                                              measure };
    SP_NEED(b, plan->unfit[plan->unfits - 1].sweep && plan->unfit[plan->unfits - 1].reason);
    return SP_OK;
}

/* A list of measures; one that is as `before` is that one. */
static sp_status keep_measures(sp_build *b, const sp_measure **list, size_t count, const sp_measure **before,
                               size_t before_count, const sp_measure ***out)
{
    if (before && count == before_count && memcmp(list, before, count * sizeof *list) == 0) {
        *out = before;
        return SP_OK;
    }
    SP_NEED(b, *out = sp_arena_alloc(b->plan->arena, count, sizeof **out));
    memcpy(*out, list, count * sizeof *list);
    return SP_OK;
}

sp_status sp_cell_reserve(sp_build *b, sp_cell **list, size_t count, size_t more)
{
    sp_cell *grown = realloc(*list, (count + more + 1) * sizeof *grown);
    SP_NEED(b, grown);
    *list = grown;
    return SP_OK;
}

void sp_cell_append(sp_cell *list, size_t *count, const sp_cell *cell)
{
    list[*count] = *cell;
    list[*count].index = (uint32_t)*count;
    ++*count;
}

/* --- the loops ------------------------------------------------------------------------------------------------- */

/* A variant of privacy without a function, once it is resolved. */
typedef struct budget {
    sp_privacy privacy;
    const sp_axes *axes; /* NULL: not resolved yet */
} budget;

/* A variant of an entry without a function, once it is resolved. */
typedef struct parameters {
    const sp_axes *axes; /* NULL: not resolved yet */
    const sp_method *method;
} parameters;

/* An entry of `algorithms` and its variants. */
typedef struct candidate {
    const sp_method_entry *entry;
    bool own;                /* its privacy is its own */
    const sp_node *privacy;  /* with its variants */
    budget *budget;          /* one a variant */
    size_t budgets;
    parameters *parameters; /* one a variant of the entry's node, without a function and once it is resolved */
    size_t variants;
} candidate;

/* A member of the family on one variant of the problem; without a family the variant itself. */
typedef struct instance {
    bool read;      /* there is one */
    sp_cell cell;   /* the problem, and what all cells of the sweep have */
    sp_read_problem problem;
    const sp_measure **plain; /* its measures without those of what is handed over */
    uint8_t plains;
    sp_scope scope;
} instance;

/* Where the loops stand. */
typedef struct place {
    const sp_sweep *sweep;
    const candidate *candidate;
    const instance *on;     /* every member */
    size_t instances;
    const budget *found;    /* the privacy that each has */
    const sp_node **shown;  /* and its tree, which functions read */
    size_t problem, budget, parameters; /* ordinals of the variants */
} place;

/* The privacy of a cell, known from the first time on when no function is in it, and the tree that gives it. */
static sp_status find_budget(sp_build *b, const place *at, sp_scope scope, budget *out, const sp_node **shown)
{
    sp_status status = SP_OK;
    const bool calls = at->candidate->privacy->calls;
    budget *known = &at->candidate->budget[at->budget];
    SP_NEED(b, *shown = sp_tree_variant(b->arena, at->candidate->privacy, at->budget));
    if (known->axes) {
        *out = *known;
        return SP_OK;
    }
    SP_TRY(resolve_privacy(b, scope, *shown, shown, &out->privacy));
    SP_TRY(sp_axes_make(b, SP_PART_PRIVACY, *shown, &out->axes));
    if (!calls)
        *known = *out;
cleanup:
    return status;
}

static sp_status find_method(sp_build *b, const place *at, sp_scope scope, sp_cell *cell, sp_tuned_member *member)
{
    sp_status status = SP_OK;
    const sp_method_entry *e = at->candidate->entry;
    parameters *known = &at->candidate->parameters[at->parameters];
    const sp_node *method = NULL, *shown = NULL;
    if (known->axes) {
        cell->part[SP_PART_ALGORITHM] = known->axes;
        cell->method = known->method;
        return SP_OK;
    }
    SP_NEED(b, method = sp_tree_variant(b->arena, e->node, at->parameters));
    SP_TRY(sp_resolve(b, scope, method, &method));
    member->method = shown = method;
    if (e->tune)
        SP_TRY(sp_tune_member(b, e, scope, &method, &shown, member));
    SP_TRY(sp_cell_give_method(b, shown, method, cell));
    if (!e->node->calls && !e->tune)
        *known = (parameters){ cell->part[SP_PART_ALGORITHM], cell->method };
cleanup:
    return status;
}

/* What the functions of an entry read of a cell before its privacy is known. */
static sp_status show_algorithm(sp_build *b, const place *at, sp_scope *scope)
{
    const sp_method_entry *e = at->candidate->entry;
    return sp_scope_set(b, scope, "algorithm", sp_node_text(b->arena, e->node->path, e->algorithm->name));
}

/* The privacy of all members: it does not depend on the entry's parameters. */
static sp_status find_budgets(sp_build *b, const place *at, budget *out, const sp_node **shown)
{
    sp_status status = SP_OK;
    for (size_t m = 0; m < at->instances; m++) {
        sp_scope scope = at->on[m].scope;
        if (at->candidate->privacy->calls)
            SP_TRY(show_algorithm(b, at, &scope));
        SP_TRY(find_budget(b, at, scope, &out[m], &shown[m]));
    }
cleanup:
    return status;
}

static sp_status make_cell(sp_build *b, const place *at, size_t m, sp_cell *cell, sp_tuned_member *member)
{
    sp_status status = SP_OK;
    const sp_method_entry *e = at->candidate->entry;
    const instance *on = &at->on[m];
    const budget *found = &at->found[m];
    sp_scope scope = on->scope;
    *cell = on->cell;
    cell->label = e->label;
    cell->tuned = cell->pending = e->tune != NULL;
    cell->privacy = found->privacy;
    cell->part[SP_PART_PRIVACY] = found->axes;
    if (e->node->calls || e->tune) { /* something reads the scope */
        SP_TRY(show_algorithm(b, at, &scope));
        SP_TRY(show_privacy(b, &scope, at->shown[m], &found->privacy));
    }
    SP_TRY(find_method(b, at, scope, cell, member));
    if (!sp_hands_over(cell->method)) {
        cell->measure = on->plain;
        cell->measures = on->plains;
    }
    SP_TRY(fit_cell(b, &on->problem, cell->method, cell));
cleanup:
    return status;
}

/* The cells of one point: all members of the family. */
static sp_status add_cells(sp_build *b, const place *at)
{
    sp_status status = SP_OK;
    const sp_method_entry *e = at->candidate->entry;
    const sp_arena_mark mark = sp_arena_now(b->scratch);
    sp_tuning point = { .cell = b->plan->cells, .members = at->instances, .variant = { at->problem, at->budget,
                        at->parameters } };
    b->arena = e->tune ? b->plan->arena : b->scratch; /* the grid is read again when its runs are made */
    SP_NEED(b, point.member = sp_arena_alloc(b->arena, at->instances, sizeof *point.member));
    for (size_t m = 0; m < at->instances; m++) {
        sp_cell cell;
        SP_TRY(make_cell(b, at, m, &cell, &point.member[m]));
        sp_cell_append(b->plan->cell, &b->plan->cells, &cell);
    }
    if (e->tune)
        SP_TRY(sp_tune_point(b, at->sweep, e, &point));
cleanup:
    b->arena = b->scratch;
    sp_arena_release(b->scratch, mark);
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
    const sp_node *member = s->family ? sp_node_item(b->arena, s->members, m) : NULL;
    if (!s->family)
        return s->problem;
    return member ? replace(b->arena, s->problem, strchr(s->family, '.') + 1, member) : NULL;
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
            const double x = *(const double *)((const char *)&on[0].problem.declared + shared[i].at);
            const double y = *(const double *)((const char *)&on[m].problem.declared + shared[i].at);
            if (x == y)
                continue;
            const sp_node *first_member = sp_node_item(b->arena, s->members, 0);
            const sp_node *other_member = sp_node_item(b->arena, s->members, m);
            SP_NEED(b, first_member);
            SP_NEED(b, other_member);
            const char *first = sp_node_print(b->arena, first_member);
            const char *other = sp_node_print(b->arena, other_member);
            SP_NEED(b, first);
            SP_NEED(b, other);
            return sp_fail(b->error, SP_EINVAL, "problem.declared.%s: the members %s and %s of the family %s have "
                           "%s and %s: declare one that holds for all", shared[i].key, first, other, s->family,
                           sp_number(x, one), sp_number(y, two));
        }
    return SP_OK;
}

/* The measures that fit the problem, and what a cell is asked whose method hands nothing over. */
static sp_status fit_measures(sp_build *b, const sp_sweep *s, const instance *before, instance *on)
{
    sp_status status = SP_OK;
    const sp_problem_spec *p = &on->problem.spec;
    const sp_measure *fit[SP_MEASURES_MAX], *plain[SP_MEASURES_MAX];
    size_t fits = 0, plains = 0;
    const bool labels = p->data != SP_DATA_GENERATED || p->generator->labels;
    for (size_t i = 0; i < s->measures->items; i++) {
        const sp_measure *m = sp_measure_find(s->measures->item[i]->text);
        if (m->population && p->population == SP_POPULATION_NONE)
            return sp_fail(b->error, SP_EINVAL, "%s = \"%s\": needs problem.population", s->measures->item[i]->path,
                           m->name);
        const char *reason = m->fits ? m->fits(p->loss, &on->problem.declared, labels) : NULL;
        if (reason)
            SP_TRY(add_unfit(b, s->name, m, reason));
        else
            fit[fits++] = m;
    }
    for (size_t i = 0; i < fits; i++)
        if (fit[i]->measured != SP_AT_HAND_OVER)
            plain[plains++] = fit[i];
    SP_TRY(keep_measures(b, fit, fits, before->cell.measure, before->cell.measures, &on->cell.measure));
    SP_TRY(keep_measures(b, plain, plains, before->plain, before->plains, &on->plain));
    on->cell.measures = (uint8_t)fits;
    on->plains = (uint8_t)plains;
cleanup:
    return status;
}

/* *on is the one on the variant before, and becomes that on variant p. */
static sp_status make_instance(sp_build *b, const sp_sweep *s, size_t p, size_t m, instance *on)
{
    sp_status status = SP_OK;
    const instance before = *on;
    const sp_node *problem = member_problem(b, s, m), *variant = NULL;
    sp_cell *cell = &on->cell;
    SP_NEED(b, problem);
    SP_NEED(b, variant = sp_tree_variant(b->arena, problem, p));
    SP_NEED(b, on->scope = sp_node_object(b->arena, "cell"));
    SP_TRY(sp_plan_problem(b, variant, before.read ? &before.problem : NULL, &on->scope, &on->problem));
    *cell = (sp_cell){ .sweep = s->name, .seed = b->plan->seed, .replicates = (uint32_t)s->replicates,
                       .checkpoints = s->checkpoints, .keep_iterate = s->keep_iterates,
                       .resample = on->problem.resample, .skip = on->problem.skip };
    on->problem.spec.family = s->family;
    sp_problem_spec *kept = sp_arena_alloc(b->plan->arena, 1, sizeof *kept);
    SP_NEED(b, kept);
    *kept = on->problem.spec;
    cell->problem = kept;
    SP_TRY(sp_axes_make(b, SP_PART_PROBLEM, on->problem.tree, &cell->part[SP_PART_PROBLEM]));
    SP_TRY(fit_measures(b, s, &before, on));
    on->read = true;
cleanup:
    return status;
}

/* The candidates on one variant of the problem, whose instances are made; `budgets` variants of the sweep's privacy. */
static sp_status add_problem(sp_build *b, const sp_sweep *s, const candidate *candidates, size_t budgets, size_t p,
                             instance *instances)
{
    sp_status status = SP_OK;
    const sp_arena_mark mark = sp_arena_now(b->scratch);
    const size_t members = s->family ? s->members->items : 1;
    budget *found = sp_arena_alloc(b->arena, members, sizeof *found);
    const sp_node **shown = sp_arena_alloc(b->arena, members, sizeof *shown);
    SP_NEED(b, found);
    SP_NEED(b, shown);
    const size_t refused = b->refused;
    for (size_t m = 0; m < members; m++)
        SP_TRY(sp_mistake(b, make_instance(b, s, p, m, &instances[m])));
    if (b->refused == refused)
        SP_TRY(sp_mistake(b, compare_members(b, s, instances, members)));
    if (b->refused > refused) { /* there is none for the next variant to share with */
        memset(instances, 0, members * sizeof *instances);
        goto cleanup;
    }
    for (size_t q = 0; q < budgets; q++)
        for (size_t i = 0; i < s->entries; i++) {
            const candidate *c = &candidates[i];
            place at = { s, c, instances, members, found, shown, p, c->own ? 0 : q, 0 };
            const size_t end = c->own ? (q == 0 ? c->budgets : 0) : q + 1;
            for (; at.budget < end; at.budget++) {
                const sp_arena_mark before = sp_arena_now(b->scratch);
                const size_t known = b->refused;
                SP_TRY(sp_mistake(b, find_budgets(b, &at, found, shown)));
                for (at.parameters = 0; at.parameters < c->variants && b->refused == known; at.parameters++)
                    SP_TRY(sp_mistake(b, add_cells(b, &at)));
                sp_arena_release(b->scratch, before);
            }
        }
cleanup:
    sp_arena_release(b->scratch, mark);
    return status;
}

/* --- cells that are equal -------------------------------------------------------------------------------------- */

/* Where the loops stood when they made cell i of the sweep; *member gets which one of the family it is. */
static place place_of(const sp_sweep *s, const candidate *candidates, size_t budgets, size_t problems, size_t cells,
                      size_t i, size_t *member)
{
    const size_t members = s->family ? s->members->items : 1, each = cells / problems;
    place at = { .sweep = s, .candidate = candidates, .problem = i / each };
    i %= each;
    for (size_t q = 0; q < budgets; q++)
        for (size_t c = 0; c < s->entries; c++) {
            at.candidate = &candidates[c];
            const size_t first = at.candidate->own ? 0 : q, one = at.candidate->variants * members;
            const size_t size = one * (!at.candidate->own ? 1 : q == 0 ? at.candidate->budgets : 0);
            if (i < size) {
                at.budget = first + i / one;
                at.parameters = i % one / members;
                *member = i % members;
                return at;
            }
            i -= size;
        }
    return at;
}

/* The trees that give a cell its parts, functions not called. */
static sp_status trees_of(sp_build *b, const place *at, size_t member, const sp_node *tree[SP_PARTS])
{
    const sp_node *problem = member_problem(b, at->sweep, member);
    SP_NEED(b, problem);
    SP_NEED(b, tree[SP_PART_ALGORITHM] = sp_tree_variant(b->arena, at->candidate->entry->node, at->parameters));
    SP_NEED(b, tree[SP_PART_PRIVACY] = sp_tree_variant(b->arena, at->candidate->privacy, at->budget));
    SP_NEED(b, tree[SP_PART_PROBLEM] = sp_tree_variant(b->arena, problem, at->problem));
    return SP_OK;
}

static sp_status refuse_twin(sp_build *b, const place at[2], const size_t member[2], const sp_cell *cell)
{
    sp_status status = SP_OK;
    const sp_node *one[SP_PARTS], *other[SP_PARTS];
    const char *where[2] = { "", "" }, *key = "", *value = NULL;
    SP_TRY(trees_of(b, &at[0], member[0], one));
    SP_TRY(trees_of(b, &at[1], member[1], other));
    for (size_t p = 0; p < SP_PARTS && strcmp(where[0], where[1]) == 0; p++)
        SP_TRY(sp_axes_places(b, (sp_part)p, one[p], other[p], &where[0], &where[1], &key));
    value = sp_cell_axis(cell, key);
    return sp_fail(b->error, SP_EINVAL, "%s and %s give the same cell (%s = %s)", where[0], where[1], key,
                   value ? value : "");
cleanup:
    return status;
}

/* The same for cells that sp_cell_compare finds equal. */
static size_t hash_of(const sp_cell *cell)
{
    size_t hash = 0;
    for (sp_axis_at at = { 0 }; sp_cell_next_axis(cell, &at);)
        hash = hash * 31 + sp_text_hash(at.value);
    return hash;
}

static sp_status refuse_twins(sp_build *b, const sp_sweep *s, const candidate *candidates, size_t budgets,
                              size_t problems, size_t first)
{
    sp_status status = SP_OK;
    const sp_cell *cell = b->plan->cell + first;
    const size_t cells = b->plan->cells - first;
    size_t slots = 2;
    while (slots < 2 * cells)
        slots *= 2;
    uint32_t *slot = sp_alloc(slots, sizeof *slot); /* 1 + the index of a cell; 0: free */
    SP_NEED(b, slot);
    for (size_t i = 0; i < cells; i++) {
        size_t at = hash_of(&cell[i]) & (slots - 1);
        while (slot[at] && sp_cell_compare(&cell[slot[at] - 1], &cell[i]) != 0)
            at = (at + 1) & (slots - 1);
        if (slot[at]) {
            size_t member[2] = { 0, 0 };
            const place twin[] = { place_of(s, candidates, budgets, problems, cells, slot[at] - 1, &member[0]),
                                   place_of(s, candidates, budgets, problems, cells, i, &member[1]) };
            SP_TRY(refuse_twin(b, twin, member, &cell[i]));
        }
        slot[at] = (uint32_t)(i + 1); /* SP_CELLS_MAX at most */
    }
cleanup:
    free(slot);
    return status;
}

/* --- the whole ------------------------------------------------------------------------------------------------- */

static sp_status count(sp_build *b, const sp_node *node, size_t *out)
{
    return sp_tree_count(node, SP_CELLS_MAX, out, b->error);
}

/* An entry's variants, none of them resolved. */
static sp_status make_candidate(sp_build *b, const sp_sweep *s, const sp_method_entry *e, budget *shared,
                                size_t budgets, candidate *out)
{
    sp_status status = SP_OK;
    *out = (candidate){ .entry = e, .own = e->algorithm->non_private_only || e->privacy, .privacy = s->privacy,
                        .budget = shared, .budgets = budgets };
    if (e->algorithm->non_private_only)
        SP_NEED(b, out->privacy = sp_node_text(b->arena, "privacy", "none"));
    else if (e->privacy)
        out->privacy = e->privacy;
    if (!out->privacy)
        return sp_fail(b->error, SP_EINVAL, "privacy: missing (\"none\" or { epsilon = ..., delta = ... })");
    if (out->own) {
        SP_TRY(count(b, out->privacy, &out->budgets));
        SP_NEED(b, out->budget = sp_arena_alloc(b->arena, out->budgets, sizeof *out->budget));
    }
    SP_TRY(count(b, e->node, &out->variants));
    SP_NEED(b, out->parameters = sp_arena_alloc(b->arena, out->variants, sizeof *out->parameters));
cleanup:
    return status;
}

/* Every variant of privacy that no function decides, also where no problem can be made. */
static sp_status check_budgets(sp_build *b, const candidate *c)
{
    sp_status status = SP_OK;
    place at = { .candidate = c };
    for (; at.budget < c->budgets && !c->privacy->calls; at.budget++) {
        const sp_arena_mark mark = sp_arena_now(b->scratch);
        const sp_node *shown = NULL;
        budget found;
        SP_TRY(sp_mistake(b, find_budget(b, &at, NULL, &found, &shown)));
        sp_arena_release(b->scratch, mark);
    }
cleanup:
    return status;
}

/* Room for the sweep's cells and for those of its tuning runs. */
static sp_status make_room(sp_build *b, const sp_sweep *s, const candidate *candidates, size_t problems)
{
    sp_status status = SP_OK;
    sp_plan *plan = b->plan;
    const double instances = (double)problems * (double)(s->family ? s->members->items : 1);
    double cells = 0.0, bases = 0.0, trials = 0.0; /* exact below 2^53, far above the limit */
    for (size_t i = 0; i < s->entries; i++) {
        const candidate *c = &candidates[i];
        const double own = instances * (double)c->budgets * (double)c->variants;
        cells += own;
        bases += c->entry->points > 0 ? own : 0.0;
        trials += own * (double)c->entry->points;
    }
    const double made = (double)(plan->cells + plan->bases + plan->trials);
    if (made + cells + bases + trials > SP_CELLS_MAX)
        return sp_fail(b->error, SP_EINVAL, "sweep %s: %.0f cells%s%s, more than %d: split it into several experiments",
                       s->name, made + cells + bases + trials, trials > 0.0 ? " with those of its grids" : "",
                       made > 0.0 ? " and of the sweeps before it" : "", SP_CELLS_MAX);
    SP_TRY(sp_cell_reserve(b, &plan->cell, plan->cells, (size_t)cells));
    SP_TRY(sp_cell_reserve(b, &plan->base, plan->bases, (size_t)bases));
    SP_TRY(sp_cell_reserve(b, &plan->trial, plan->trials, (size_t)trials));
cleanup:
    return status;
}

/* A measure of what is handed over needs a cell in which something is. */
static sp_status check_hand_over(sp_build *b, const sp_sweep *s, size_t first)
{
    for (size_t i = 0; i < s->measures->items; i++) {
        const sp_node *node = s->measures->item[i];
        bool found = sp_measure_find(node->text)->measured != SP_AT_HAND_OVER;
        for (size_t c = first; c < b->plan->cells && !found; c++)
            found = sp_hands_over(b->plan->cell[c].method);
        if (!found)
            return sp_fail(b->error, SP_EINVAL, "%s = \"%s\": no algorithm of this sweep hands a point over to another",
                           node->path, node->text);
    }
    return SP_OK;
}

static sp_status expand(sp_build *b, const sp_sweep *s)
{
    sp_status status = SP_OK;
    const size_t first = b->plan->cells, tuning = b->plan->tunings;
    size_t problems = 0, budgets = 1;
    const sp_node *problem = member_problem(b, s, 0);
    candidate *candidates = sp_arena_alloc(b->arena, s->entries, sizeof *candidates);
    SP_NEED(b, problem);
    SP_NEED(b, candidates);
    SP_TRY(count(b, problem, &problems));
    if (s->privacy)
        SP_TRY(count(b, s->privacy, &budgets));
    budget *shared = sp_arena_alloc(b->arena, budgets, sizeof *shared);
    instance *instances = sp_arena_alloc(b->arena, s->family ? s->members->items : 1, sizeof *instances);
    SP_NEED(b, shared);
    SP_NEED(b, instances);
    const size_t before = b->refused;
    for (size_t i = 0; i < s->entries; i++)
        SP_TRY(make_candidate(b, s, &s->entry[i], shared, budgets, &candidates[i]));
    for (size_t i = 0; i < s->entries; i++)
        SP_TRY(check_budgets(b, &candidates[i]));
    SP_TRY(make_room(b, s, candidates, problems));
    for (size_t p = 0; p < problems; p++)
        SP_TRY(add_problem(b, s, candidates, budgets, p, instances));
    if (b->refused > before || s->partial)
        return SP_OK;
    SP_TRY(refuse_twins(b, s, candidates, budgets, problems, first));
    SP_TRY(check_hand_over(b, s, first));
    SP_TRY(sp_tune_lend(b, tuning));
    for (size_t i = first; i < b->plan->cells; i++)
        b->plan->runs += b->plan->cell[i].skip ? 0 : b->plan->cell[i].replicates;
cleanup:
    return status;
}

sp_status sp_plan_cells(sp_build *b, const sp_sweep *s)
{
    const sp_arena_mark mark = sp_arena_now(b->scratch);
    b->arena = b->scratch;
    const sp_status status = expand(b, s);
    b->arena = b->plan->arena;
    sp_arena_release(b->scratch, mark);
    return status;
}
