/* tune.c -- the key `tune` of a method entry: its grid of parameter values, and the cells of its tuning runs.
 *
 * Grid points are numbered in mixed radix: one digit per tuned parameter, parameters in alphabetical order, the last
 * one fastest. A grid { times = { ... } } holds factors on the value that the algorithm would derive itself. That value
 * is known only after a run of the base cell, in which nothing is tuned. Until then the cells of the grid are pending
 * (they cannot run), and tables show the grid where the value will be. */
#include "core/plan/plan_internal.h"

#include <stdlib.h>
#include <string.h>

/* --- one entry ------------------------------------------------------------------------------------------------- */

static const sp_param *find_param(const sp_algorithm *algorithm, const char *key)
{
    for (const sp_param *p = algorithm->params; p && p->key; p++)
        if (strcmp(p->key, key) == 0)
            return p;
    return NULL;
}

/* { times = { ... } } */
static const sp_node *factors(const sp_node *node)
{
    return sp_node_is_object(node) && node->fields == 1 ? sp_node_field(node, "times") : NULL;
}

static bool equal(const sp_node *a, const sp_node *b)
{
    if (a->kind != b->kind || a->kind == SP_NODE_FUNCTION)
        return false;
    return a->kind == SP_NODE_TEXT ? strcmp(a->text, b->text) == 0 : a->number == b->number;
}

static sp_status check_value(sp_build *b, const sp_node *tune, const sp_field *field, const sp_node *list, size_t i,
                             sp_values *scratch)
{
    const sp_node *node = sp_node_item(b->arena, list, i);
    SP_NEED(b, node);
    for (size_t k = 0; k < i; k++)
        if (list->numbers ? list->numbers[i] == list->numbers[k] : equal(node, list->item[k]))
            return sp_fail(b->error, SP_EINVAL, "%s: the same value as %s[%zu]", node->path, list->path, k + 1);
    if (list != field->node && (node->kind != SP_NODE_NUMBER || !(node->number > 0.0 && isfinite(node->number))))
        return sp_fail(b->error, SP_EINVAL, "%s: a factor is a positive number", node->path);
    if (list != field->node || node->kind == SP_NODE_FUNCTION)
        return SP_OK;
    if (node->kind == SP_NODE_TABLE)
        return sp_fail(b->error, SP_EINVAL, "%s: must be a single value", node->path);
    if (node->kind == SP_NODE_TEXT)
        return sp_values_set_text(scratch, tune->path, field->key, node->text, b->error);
    if (node->kind == SP_NODE_FLAG)
        return sp_values_set_flag(scratch, tune->path, field->key, node->number == 1.0, b->error);
    return sp_values_set_number(scratch, tune->path, field->key, node->number, b->error);
}

static sp_status check_key(sp_build *b, const sp_method_entry *e, const sp_node *tune, const sp_field *field)
{
    sp_status status = SP_OK;
    const sp_param *param = find_param(e->algorithm, field->key);
    const sp_node *given = sp_node_field(e->node, field->key), *times = factors(field->node);
    const sp_node *list = times ? times : field->node;
    sp_values scratch;
    sp_values_start(&scratch, e->algorithm->params);
    if (!param) /* says which one is near */
        return sp_values_set_flag(&scratch, tune->path, field->key, true, b->error);
    if (given)
        return sp_fail(b->error, SP_EINVAL, "%s: given here, and tuned by %s", given->path, field->node->path);
    if (param->kind == SP_METHOD || !sp_node_is_list(list) || list->items == 0)
        return sp_fail(b->error, SP_EINVAL, "%s: must be a list of values, or { times = { factors } }",
                       field->node->path);
    if (times && !isnan(param->initial))
        return sp_fail(b->error, SP_EINVAL, "%s: %s derives nothing here to multiply: list values", times->path,
                       e->algorithm->name);
    for (size_t i = 0; i < list->items; i++)
        SP_TRY(check_value(b, tune, field, list, i, &scratch));
cleanup:
    return status;
}

sp_status sp_tune_read(sp_build *b, sp_method_entry *e)
{
    sp_status status = SP_OK;
    const sp_node *tune = e->tune;
    if (!tune || tune->kind == SP_NODE_TEXT)
        return SP_OK;
    if (!sp_node_is_object(tune))
        return sp_fail(b->error, SP_EINVAL, "%s: must be a table { parameter = { values } }, or the label of a tuned "
                       "algorithm", tune->path);
    e->points = 1;
    for (size_t i = 0; i < tune->fields; i++) {
        const sp_node *node = tune->field[i].node, *times = factors(node);
        SP_TRY(check_key(b, e, tune, &tune->field[i]));
        const size_t values = times ? times->items : node->items;
        if (values > SP_CELLS_MAX / e->points)
            return sp_fail(b->error, SP_EINVAL, "%s: more than %d grid points", tune->path, SP_CELLS_MAX);
        e->points *= values;
    }
cleanup:
    return status;
}

static sp_status find_lender(sp_build *b, sp_method_entry *e, const sp_method_entry *entry, size_t entries)
{
    sp_names known = { 0 };
    for (size_t i = 0; i < entries && !e->lender; i++) {
        if (entry[i].points == 0)
            continue;
        sp_names_add(&known, entry[i].label);
        e->lender = strcmp(entry[i].label, e->tune->text) == 0 ? &entry[i] : NULL;
    }
    if (!e->lender)
        return sp_no_such(b, e->tune->path, "tuned algorithm in this sweep", e->tune->text, &known);
    if (e->lender->algorithm != e->algorithm)
        return sp_fail(b->error, SP_EINVAL, "%s = \"%s\": that is %s, this is %s", e->tune->path, e->tune->text,
                       e->lender->algorithm->name, e->algorithm->name);
    for (size_t i = 0; i < e->lender->tune->fields; i++) {
        const sp_node *given = sp_node_field(e->node, e->lender->tune->field[i].key);
        if (given)
            return sp_fail(b->error, SP_EINVAL, "%s: given here, and tuned by %s", given->path,
                           e->lender->tune->field[i].node->path);
    }
    return SP_OK;
}

sp_status sp_tune_compare(sp_build *b, sp_method_entry *entry, size_t entries)
{
    sp_status status = SP_OK;
    const sp_method_entry *first = NULL;
    for (size_t i = 0; i < entries; i++) {
        if (entry[i].tune && entry[i].points == 0)
            SP_TRY(find_lender(b, &entry[i], entry, entries));
        if (entry[i].points == 0)
            continue;
        if (first && first->points != entry[i].points)
            return sp_fail(b->error, SP_EINVAL, "%s: %zu grid points, %s has %zu: a fair comparison tunes every "
                           "algorithm on equally many", entry[i].tune->path, entry[i].points, first->tune->path,
                           first->points);
        first = first ? first : &entry[i];
    }
cleanup:
    return status;
}

/* --- grid points ----------------------------------------------------------------------------------------------- */

size_t sp_tuning_digit(const sp_tuning *t, size_t point, size_t k)
{
    for (size_t i = t->keys - 1; i > k; i--)
        point /= t->member->key[i].values;
    return point % t->member->key[k].values;
}

static void print_value(const sp_node *node, sp_text *out)
{
    char number[SP_NUMBER_SIZE];
    if (node->kind == SP_NODE_NUMBER)
        sp_text_append(out, "%s", sp_number(node->number + 0.0, number)); /* -0 and 0 are one value */
    else
        sp_text_append(out, "%s", node->kind == SP_NODE_TEXT ? node->text : node->number == 1.0 ? "true" : "false");
}

static void print_key(const sp_tuned_key *key, sp_text *out)
{
    for (size_t i = 0; i < key->values; i++) {
        sp_text_append(out, "%s", i > 0 ? "," : key->times ? "times {" : "{");
        print_value(key->value[i], out);
    }
    sp_text_append(out, "}");
}

void sp_tuning_print_grid(const sp_tuning *t, sp_text *out)
{
    for (size_t k = 0; k < t->keys; k++) {
        sp_text_append(out, "%s%s=", k > 0 ? " " : "", t->member->key[k].key);
        print_key(&t->member->key[k], out);
    }
}

void sp_tuning_print_point(const sp_tuning *t, size_t point, sp_text *out)
{
    for (size_t k = 0; k < t->keys; k++) {
        const sp_tuned_key *key = &t->member->key[k];
        sp_text_append(out, "%s%s=%s", k > 0 ? " " : "", key->key, key->times ? "times " : "");
        print_value(key->value[sp_tuning_digit(t, point, k)], out);
    }
}

/* A factor times what is derived, within the parameter's range; "times 0.3" while that is not known. */
static const sp_node *value_at(sp_arena *arena, const sp_tuning *t, size_t m, size_t point, size_t k)
{
    const sp_tuned_key *key = &t->member[m].key[k];
    const sp_node *node = key->value[sp_tuning_digit(t, point, k)];
    char digits[SP_NUMBER_SIZE];
    if (!key->times)
        return node;
    if (isnan(key->derived)) {
        const char *text = sp_arena_format(arena, "times %s", sp_number(node->number, digits));
        return text ? sp_node_text(arena, node->path, text) : NULL;
    }
    double value = node->number * key->derived;
    if (key->param->kind == SP_COUNT)
        value = round(value);
    return sp_node_number(arena, node->path, fmin(fmax(value, key->param->range.low), key->param->range.high));
}

/* The cell of `member` with the values of grid point `point` of `grid`, on its member m. */
static sp_status resolve_point(sp_build *b, const sp_tuned_member *member, const sp_tuning *grid, size_t m,
                               size_t point, sp_cell *cell)
{
    sp_status status = SP_OK;
    const sp_node *method = member->method;
    bool open = false;
    for (size_t k = 0; k < grid->keys; k++) {
        const sp_tuned_key *key = &grid->member[m].key[k];
        open = open || (key->times && isnan(key->derived));
        SP_NEED(b, method = sp_node_with(b->arena, method, key->key, value_at(b->arena, grid, m, point, k)));
    }
    cell->pending = open;
    SP_TRY(sp_cell_give_method(b, method, open ? NULL : method, cell));
cleanup:
    return status;
}

static sp_build build_of(sp_plan *plan, sp_error *error)
{
    return (sp_build){ .plan = plan, .arena = plan->arena, .error = error };
}

sp_status sp_tuning_resolve_trial(sp_plan *plan, const sp_tuning *t, size_t m, size_t point, sp_error *error)
{
    sp_build b = build_of(plan, error);
    return resolve_point(&b, &t->member[m], t, m, point, &plan->trial[t->trial + m * t->points + point]);
}

sp_status sp_tuning_resolve_cell(sp_plan *plan, const sp_tuning *t, size_t m, sp_error *error)
{
    sp_build b = build_of(plan, error);
    const sp_tuning *grid = &plan->tuning[t->from];
    return resolve_point(&b, &t->member[m], grid, m, grid->winner, &plan->cell[t->cell + m]);
}

/* --- cells ----------------------------------------------------------------------------------------------------- */

static sp_status read_member_key(sp_build *b, const sp_method_entry *e, const sp_field *field, sp_scope scope,
                                 sp_tuned_key *out)
{
    sp_status status = SP_OK;
    const sp_node *times = factors(field->node), *list = times ? times : field->node;
    *out = (sp_tuned_key){ .key = field->key, .param = find_param(e->algorithm, field->key), .values = list->items,
                           .times = times != NULL, .derived = NAN };
    SP_NEED(b, out->value = sp_arena_alloc(b->arena, list->items, sizeof *out->value));
    for (size_t i = 0; i < list->items; i++) {
        const sp_node *item = sp_node_item(b->arena, list, i);
        SP_NEED(b, item);
        SP_TRY(sp_resolve(b, scope, item, &out->value[i]));
    }
cleanup:
    return status;
}

/* A variant without keys is the bare name: { "name" } again, which can take keys. */
static const sp_node *as_table(sp_arena *arena, const sp_node *method)
{
    if (method->kind == SP_NODE_TABLE)
        return method;
    sp_node *table = sp_node_object(arena, method->path);
    const sp_node **item = sp_arena_alloc(arena, 1, sizeof *item);
    if (!table || !item)
        return NULL;
    item[0] = method;
    table->item = item;
    table->items = 1;
    sp_node_close(table);
    return table;
}

/* The key's whole grid, as text; NULL when out of memory. */
static const sp_node *shown_key(sp_arena *arena, const sp_tuned_key *key, const char *path)
{
    sp_text text = { 0 };
    print_key(key, &text);
    const char *grid = text.failed ? NULL : sp_arena_copy(arena, text.data);
    sp_text_free(&text);
    return grid ? sp_node_text(arena, path, grid) : NULL;
}

sp_status sp_tune_member(sp_build *b, const sp_method_entry *e, sp_scope scope, const sp_node **method,
                         const sp_node **shown, sp_tuned_member *member)
{
    sp_status status = SP_OK;
    const sp_node *tune = e->lender ? e->lender->tune : e->tune;
    SP_NEED(b, member->key = sp_arena_alloc(b->arena, tune->fields, sizeof *member->key));
    SP_NEED(b, member->method = *method = *shown = as_table(b->arena, *method));
    for (size_t k = 0; k < tune->fields; k++) {
        sp_tuned_key *key = &member->key[k];
        const sp_field *field = &tune->field[k];
        SP_TRY(read_member_key(b, e, field, scope, key));
        if (key->param->initial == SP_REQUIRED)
            SP_NEED(b, *method = sp_node_with(b->arena, *method, key->key, key->value[0]));
        SP_NEED(b, *shown = sp_node_with(b->arena, *shown, key->key, shown_key(b->arena, key, field->node->path)));
    }
cleanup:
    return status;
}

/* Of the cells of a tuning and of its trials, those whose reason is `from` get the reason `to`. */
static void change_skip(sp_plan *plan, const sp_tuning *t, const char *from, char *to)
{
    const struct { sp_cell *cell; size_t count, *runs; } part[] = {
        { plan->cell + t->cell, t->members, &plan->runs },
        { plan->trial + t->trial, t->members * t->points, &plan->tuning_runs },
    };
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < part[i].count; k++) {
            sp_cell *cell = &part[i].cell[k];
            if (cell->skip != from)
                continue;
            *part[i].runs -= from ? 0 : cell->replicates;
            *part[i].runs += from ? cell->replicates : 0;
            cell->skip = to;
        }
}

sp_status sp_tuning_skip(sp_plan *plan, sp_tuning *t, const char *reason, sp_error *error)
{
    sp_build b = build_of(plan, error);
    char *text = sp_arena_copy(plan->arena, reason);
    SP_NEED(&b, text);
    change_skip(plan, t, NULL, text);
    t->skipped = text;
    return SP_OK;
}

void sp_tuning_unskip(sp_plan *plan, sp_tuning *t)
{
    if (t->skipped)
        change_skip(plan, t, t->skipped, NULL);
    t->skipped = NULL;
}

/* Where one member is skipped the worst of all is not known: none of them runs. */
static sp_status skip_with_member(sp_build *b, const sp_tuning *t, bool *skipped)
{
    const sp_cell *missing = NULL;
    sp_cell *cell = b->plan->cell + t->cell;
    for (size_t m = 0; m < t->members && !missing; m++)
        missing = cell[m].skip ? &cell[m] : NULL;
    *skipped = missing != NULL;
    for (size_t m = 0; m < t->members && missing; m++)
        if (!cell[m].skip)
            SP_NEED(b, cell[m].skip = sp_arena_format(b->plan->arena, "the member %s of its family is skipped: %s",
                                                      sp_cell_axis(missing, missing->problem->family), missing->skip));
    return SP_OK;
}

static sp_status start_trial(sp_build *b, const sp_sweep *s, const sp_cell *cell, size_t replicates, sp_cell *out)
{
    bool measured = false;
    for (size_t i = 0; i < cell->measures; i++)
        measured = measured || cell->measure[i] == s->tuning_measure;
    if (!measured && s->tuning_measure)
        return sp_fail(b->error, SP_EINVAL, "tuning_measure = \"%s\": cannot be computed on %s",
                       s->tuning_measure->name, cell->problem->loss->name);
    *out = *cell;
    out->first = SP_TUNING_FIRST;
    out->replicates = (uint32_t)replicates;
    out->checkpoints = 0.0;
    out->shown = 0;
    out->tuned = out->pending = false;
    out->measure = s->tuning_measures;
    out->measures = 1;
    return SP_OK;
}

static sp_status add_base(sp_build *b, const sp_sweep *s, const sp_tuning *t, size_t m)
{
    sp_status status = SP_OK;
    const sp_tuned_member *member = &t->member[m];
    const sp_node *method = member->method;
    sp_cell cell;
    SP_TRY(start_trial(b, s, &b->plan->cell[t->cell + m], 1, &cell));
    for (size_t k = 0; k < t->keys; k++)
        if (member->key[k].param->initial == SP_REQUIRED)
            SP_NEED(b, method = sp_node_with(b->arena, method, member->key[k].key, member->key[k].value[0]));
    SP_TRY(sp_cell_give_method(b, method, method, &cell));
    sp_cell_append(b->plan->base, &b->plan->bases, &cell);
    b->plan->tuning_runs += cell.replicates;
cleanup:
    return status;
}

static sp_status add_trials(sp_build *b, const sp_sweep *s, const sp_tuning *t, size_t m)
{
    sp_status status = SP_OK;
    for (size_t g = 0; g < t->points; g++) {
        const sp_arena_mark mark = sp_arena_now(b->scratch);
        sp_cell cell;
        b->arena = b->scratch;
        SP_TRY(start_trial(b, s, &b->plan->cell[t->cell + m], s->tuning_replicates, &cell));
        SP_TRY(resolve_point(b, &t->member[m], t, m, g, &cell));
        sp_cell_append(b->plan->trial, &b->plan->trials, &cell);
        b->plan->tuning_runs += cell.replicates;
        sp_arena_release(b->scratch, mark);
    }
cleanup:
    b->arena = b->plan->arena;
    return status;
}

sp_status sp_tune_point(sp_build *b, const sp_sweep *s, const sp_method_entry *e, const sp_tuning *point)
{
    sp_status status = SP_OK;
    sp_plan *plan = b->plan;
    sp_tuning t = *point;
    bool skipped = false;
    SP_TRY(skip_with_member(b, &t, &skipped));
    if (skipped)
        return SP_OK;
    t.base = plan->bases;
    t.trial = plan->trials;
    t.points = e->points;
    t.keys = (e->lender ? e->lender->tune : e->tune)->fields;
    t.measure = s->tuning_measure;
    t.lender = e->lender ? e->lender->label : NULL;
    t.from = plan->tunings;
    for (size_t k = 0; k < t.keys && !t.lender; k++)
        t.derives = t.derives || t.member->key[k].times;
    for (size_t m = 0; m < t.members && !t.lender; m++) {
        if (t.derives)
            SP_TRY(add_base(b, s, &t, m));
        SP_TRY(add_trials(b, s, &t, m));
    }
    if ((plan->tunings & (plan->tunings - 1)) == 0) { /* full at every power of two */
        sp_tuning *grown = realloc(plan->tuning, (plan->tunings ? 2 * plan->tunings : 1) * sizeof *grown);
        SP_NEED(b, grown);
        plan->tuning = grown;
    }
    plan->tuning[plan->tunings++] = t;
cleanup:
    return status;
}

/* Where a grid was made, and by which label: what a lender and its borrower have in common. */
static int compare_grids(const void *a, const void *b, void *context)
{
    const sp_plan *plan = context;
    const sp_tuning *x = &plan->tuning[*(const size_t *)a], *y = &plan->tuning[*(const size_t *)b];
    for (size_t i = 0; i < sizeof x->variant / sizeof *x->variant; i++)
        if (x->variant[i] != y->variant[i])
            return x->variant[i] < y->variant[i] ? -1 : 1;
    return strcmp(x->lender ? x->lender : plan->cell[x->cell].label, y->lender ? y->lender : plan->cell[y->cell].label);
}

static int order_grids(const void *a, const void *b, void *context)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int order = compare_grids(a, b, context);
    return order ? order : (x > y) - (x < y);
}

/* The first of `grids` sorted ones that is not before tuning i. */
static size_t find_grid(const sp_plan *plan, const size_t *grid, size_t grids, size_t i)
{
    size_t low = 0, high = grids;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_grids(&grid[middle], &i, (void *)plan) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

sp_status sp_tune_lend(sp_build *b, size_t first)
{
    sp_status status = SP_OK;
    sp_plan *plan = b->plan;
    size_t grids = 0, *grid = sp_arena_alloc(b->arena, plan->tunings - first, sizeof *grid);
    SP_NEED(b, grid);
    for (size_t i = first; i < plan->tunings; i++)
        if (!plan->tuning[i].lender)
            grid[grids++] = i;
    qsort_r(grid, grids, sizeof *grid, order_grids, plan);
    for (size_t i = first; i < plan->tunings; i++) {
        sp_tuning *t = &plan->tuning[i];
        if (!t->lender)
            continue;
        const size_t at = find_grid(plan, grid, grids, i);
        if (at < grids && compare_grids(&grid[at], &i, plan) == 0)
            t->from = grid[at];
        else
            for (size_t m = 0; m < t->members; m++)
                SP_NEED(b, plan->cell[t->cell + m].skip = sp_arena_format(plan->arena, "%s is not tuned at this point",
                                                                         t->lender));
    }
    return status;
}
