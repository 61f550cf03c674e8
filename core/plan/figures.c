/* figures.c -- claims and figures: what they name exists in their sweep, and what they vary varies. */
#include "core/plan/parts.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALGORITHM, ALPHA, BELOW, CLOSED, CONSTANT, EXPONENT, FAMILY, FLOOR, FROM, MODE, REACH, SCATTER, SHARE, START, TO,
       TOLERANCE, TOWARD, CLAIM_X, CLAIM_Y };
enum { THEORY, SUP, BOUND, INVERSION };
const sp_param sp_claim_keys[] = {
    [ALGORITHM] = { "algorithm", SP_TEXT,   SP_REQUIRED, { 0, 0 }, "a label" },
    [ALPHA]     = { "alpha",     SP_TEXT,   0,           { 0, 0 }, "inversion: an axis that varies" },
    [BELOW]     = { "below",     SP_TEXT,   0,           { 0, 0 }, "a label whose exponent is worse" },
    [CLOSED]    = { "closed",    SP_CHOICE, 0,           { 0, 0 }, "true ends of the family", "neither|low|high|both" },
    [CONSTANT]  = { "constant",  SP_REAL,   SP_DERIVED,  SP_POSITIVE, "bound: y <= constant x^exponent" },
    [EXPONENT]  = { "exponent",  SP_REAL,   SP_REQUIRED, { -100, 100 }, "of y in x" },
    [FAMILY]    = { "family",    SP_TEXT,   0,           { 0, 0 }, "an axis that varies; default problem.family" },
    [FLOOR]     = { "floor",     SP_REAL,   SP_DERIVED,  { 0, 1e9 }, "noise-free floors in the private term" },
    [FROM]      = { "from",      SP_REAL,   SP_DERIVED,  SP_POSITIVE, "smallest x that counts" },
    [MODE]      = { "mode",      SP_CHOICE, SP_REQUIRED, { 0, 0 }, "what the exponent means",
                    "theory|sup|bound|inversion" },
    [REACH]     = { "reach",     SP_REAL,   1,           SP_POSITIVE, "inversion: success is y <= reach alpha" },
    [SCATTER]   = { "scatter",   SP_REAL,   SP_DERIVED,  SP_POSITIVE, "of local slopes about the fitted one" },
    [SHARE]     = { "share",     SP_REAL,   0.9,         { DBL_MIN, 1 }, "inversion: of the runs" },
    [START]     = { "start",     SP_REAL,   0.5,         SP_POSITIVE, "largest share of its value at the start" },
    [TO]        = { "to",        SP_REAL,   SP_DERIVED,  SP_POSITIVE, "largest x that counts" },
    [TOLERANCE] = { "tolerance", SP_REAL,   0.05,        { DBL_MIN, 10 }, "of the exponent" },
    [TOWARD]    = { "toward",    SP_CHOICE, 0,           { 0, 0 }, "where x goes in the theorem", "infinity|zero" },
    [CLAIM_X]   = { "x",         SP_TEXT,   SP_REQUIRED, { 0, 0 }, "an axis that varies" },
    [CLAIM_Y]   = { "y",         SP_TEXT,   SP_REQUIRED, { 0, 0 }, "a measure" },
    { "where", SP_METHOD, 0, { 0, 0 }, "{ axis = value, ... }: only cells that have these" },
    { 0 }
};

enum { KIND, NAME, TITLE, FIGURE_X, X_LABEL };
enum { RATE, TRADE_OFF, TRAJECTORY };
const sp_param sp_figure_keys[] = {
    [KIND]     = { "kind",    SP_CHOICE, SP_REQUIRED, { 0, 0 }, "what it shows", "rate|trade_off|trajectory" },
    [NAME]     = { "name",    SP_TEXT,   SP_REQUIRED, { 0, 0 }, "of the file" },
    [TITLE]    = { "title",   SP_TEXT,   0,           { 0, 0 }, "the line above it" },
    [FIGURE_X] = { "x",       SP_TEXT,   0,           { 0, 0 }, "an axis that varies; trajectory: what is counted" },
    [X_LABEL]  = { "x_label", SP_TEXT,   0,           { 0, 0 }, "words for x" },
    { "where", SP_METHOD, 0, { 0, 0 }, "{ axis = value, ... }: only cells that have these" },
    { "y",     SP_METHOD, 0, { 0, 0 }, "a measure, or a list of at most 6; required" },
    { 0 }
};

typedef struct view {
    sp_build *build;
    const sp_sweep *sweep;
    const sp_cell *cell;
    size_t cells;
} view;

static sp_status choose_word(const view *v, const sp_node *table, const sp_values *values, size_t index, char **out)
{
    const sp_node *node = sp_node_field(table, values->params[index].key);
    *out = NULL;
    if (!node)
        return SP_OK;
    SP_NEED(v->build, *out = sp_node_print(v->build->arena, node));
    return SP_OK;
}

static bool selected(const sp_cell *cell, const char *label, const sp_axis_value *where, size_t wheres)
{
    bool yes = !label || strcmp(cell->label, label) == 0;
    for (size_t i = 0; i < wheres && yes; i++) {
        const char *value = sp_cell_axis(cell, where[i].key);
        yes = value && strcmp(value, where[i].value) == 0;
    }
    return yes;
}

static sp_status read_where(const view *v, const sp_node *table, const char *label, sp_axis_value **out, size_t *count)
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
            found = selected(&v->cell[c], label, *out, *count);
        if (!found)
            return sp_fail(b->error, SP_EINVAL, "%s: no cell has %s = %s", value->path, (*out)[i].key, (*out)[i].value);
    }
    return SP_OK;
}

static sp_status need_measure(const view *v, const sp_node *node)
{
    const sp_node *measures = v->sweep->measures;
    sp_names known = { 0 };
    if (node->kind != SP_NODE_TEXT)
        return sp_fail(v->build->error, SP_EINVAL, "%s: must be a measure's name", node->path);
    for (size_t i = 0; i < measures->items; i++) {
        if (strcmp(measures->item[i]->text, node->text) == 0)
            return SP_OK;
        sp_names_add(&known, measures->item[i]->text);
    }
    return sp_no_such(v->build, node->path, "measure in this sweep", node->text, &known);
}

static sp_status need_label(const view *v, const sp_node *node)
{
    sp_names known = { 0 };
    for (size_t i = 0; i < v->sweep->entries; i++) {
        if (strcmp(v->sweep->entry[i].label, node->text) == 0)
            return SP_OK;
        sp_names_add(&known, v->sweep->entry[i].label);
    }
    return sp_no_such(v->build, node->path, "algorithm in this sweep", node->text, &known);
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)*(const char *const *)a, y = (uintptr_t)*(const char *const *)b;
    return (x > y) - (x < y);
}

/* The different values of an axis among the cells that are selected; without `texts` only numbers count. */
static sp_status count_values(const view *v, const char *axis, const char *label, const sp_axis_value *where,
                              size_t wheres, bool texts, size_t *count, const char **first)
{
    size_t found = 0;
    const char **seen = sp_alloc(v->cells + 1, sizeof *seen); /* equal texts are one pointer: sp_keep */
    SP_NEED(v->build, seen);
    for (size_t i = 0; i < v->cells; i++) {
        double number;
        const char *value = sp_cell_axis(&v->cell[i], axis);
        if (!value || !selected(&v->cell[i], label, where, wheres) || (!texts && !sp_read_number(value, &number)))
            continue;
        seen[found++] = value;
    }
    *first = found ? seen[0] : NULL;
    qsort(seen, found, sizeof *seen, by_address);
    *count = found > 0;
    for (size_t i = 1; i < found; i++)
        *count += seen[i] != seen[i - 1];
    free(seen);
    return SP_OK;
}

/* At least two different values, numbers unless `texts`, among the cells that are selected. */
static sp_status need_axis(const view *v, const sp_node *node, const char *label, const sp_axis_value *where,
                           size_t wheres, bool texts, size_t *count)
{
    sp_status status = SP_OK;
    const char *first;
    SP_TRY(count_values(v, node->text, label, where, wheres, texts, count, &first));
    if (*count > 1)
        return SP_OK;
    if (first)
        return sp_fail(v->build->error, SP_EINVAL, "%s: %s does not vary here (it is %s)", node->path, node->text,
                       first);
    sp_names known = { 0 };
    for (size_t i = 0; v->cells > 0 && i < sp_cell_axes(v->cell); i++) {
        const char *key = sp_cell_axis_at(v->cell, i)->key, *dot = strrchr(key, '.');
        sp_names_add(&known, dot ? dot + 1 : key);
    }
    return sp_no_such(v->build, node->path, texts ? "axis" : "axis of numbers", node->text, &known);
cleanup:
    return status;
}

/* The family: the claim's own, else the one that the problem declares, unless `where` chose a member. */
static sp_status read_family(const view *v, const sp_node *table, const sp_values *values, sp_claim *out)
{
    sp_build *b = v->build;
    sp_status status = SP_OK;
    const char *first;
    SP_TRY(choose_word(v, table, values, FAMILY, &out->family));
    if (out->family)
        return need_axis(v, sp_node_field(table, "family"), out->algorithm, out->where, out->wheres, true,
                         &out->members);
    for (size_t i = 0; i < v->cells && !out->family; i++)
        if (v->cell[i].family && selected(&v->cell[i], out->algorithm, out->where, out->wheres))
            SP_NEED(b, out->family = sp_arena_copy(b->arena, v->cell[i].family));
    if (out->family)
        SP_TRY(count_values(v, out->family, out->algorithm, out->where, out->wheres, true, &out->members, &first));
    if (out->members < 2) {
        out->family = NULL;
        out->members = 1;
    }
    if (sp_choice(values, MODE) == SUP && !out->family)
        return sp_fail(b->error, SP_EINVAL, "%s.family: missing: mode sup is about the worst of a family", table->path);
cleanup:
    return status;
}

/* The label to be compared with has the same points, or slopes of different things would be compared. */
static sp_status read_below(const view *v, const sp_node *table, const sp_values *values, sp_claim *out)
{
    sp_status status = SP_OK;
    const sp_node *node = sp_node_field(table, "below");
    size_t points, levels = 1, members = 1;
    const char *first;
    if (!node)
        return SP_OK;
    SP_TRY(choose_word(v, table, values, BELOW, &out->below));
    SP_TRY(need_label(v, node));
    SP_TRY(count_values(v, out->x, out->below, out->where, out->wheres, false, &points, &first));
    if (out->alpha)
        SP_TRY(count_values(v, out->alpha, out->below, out->where, out->wheres, false, &levels, &first));
    if (out->family)
        SP_TRY(count_values(v, out->family, out->below, out->where, out->wheres, true, &members, &first));
    if (points != out->points || levels != out->levels || members != out->members)
        return sp_fail(v->build->error, SP_EINVAL, "%s = \"%s\": has %zu points here, %s has %zu", node->path,
                       out->below, points * levels * members, out->algorithm,
                       out->points * out->levels * out->members);
    if (strcmp(out->below, out->algorithm) == 0)
        return sp_fail(v->build->error, SP_EINVAL, "%s = \"%s\": is this label itself", node->path, out->below);
cleanup:
    return status;
}

/* What only one mode has. */
static sp_status check_mode(const view *v, const sp_node *table, const sp_values *values)
{
    static const struct { size_t key, mode; const char *name; } only[] = {
        { ALPHA, INVERSION, "inversion" }, { REACH, INVERSION, "inversion" },
        { SHARE, INVERSION, "inversion" }, { CONSTANT, BOUND, "bound" },
    };
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (sp_given(values, only[i].key) && sp_choice(values, MODE) != only[i].mode)
            return sp_fail(v->build->error, SP_EINVAL, "%s.%s: belongs to mode %s", table->path,
                           sp_claim_keys[only[i].key].key, only[i].name);
    if (sp_choice(values, MODE) == INVERSION && !sp_given(values, ALPHA))
        return sp_fail(v->build->error, SP_EINVAL, "%s.alpha: missing (an axis that varies)", table->path);
    if (sp_given(values, FROM) && sp_given(values, TO) && !(sp_real(values, FROM) < sp_real(values, TO)))
        return sp_fail(v->build->error, SP_EINVAL, "%s.to = %g: must be above from = %g", table->path,
                       sp_real(values, TO), sp_real(values, FROM));
    return SP_OK;
}

static double given_or(const sp_values *values, size_t key, double otherwise)
{
    return sp_given(values, key) ? sp_real(values, key) : otherwise;
}

static void read_numbers(const sp_values *values, sp_claim *out)
{
    out->exponent = sp_real(values, EXPONENT);
    out->tolerance = sp_real(values, TOLERANCE);
    out->scatter = given_or(values, SCATTER, fmax(0.25 * fabs(out->exponent), 3.0 * out->tolerance));
    out->from = given_or(values, FROM, 0.0);
    out->to = given_or(values, TO, INFINITY);
    out->floor = given_or(values, FLOOR, sp_choice(values, MODE) == THEORY ? 3.0 : 0.0);
    out->start = sp_real(values, START);
    out->reach = sp_real(values, REACH);
    out->share = sp_real(values, SHARE);
    out->constant = sp_real(values, CONSTANT);
}

/* A choice as its word, given or not. */
static sp_status copy_choice(const view *v, const sp_values *values, size_t key, char **out)
{
    const char *word = sp_claim_keys[key].choices;
    for (size_t i = 0; i < sp_choice(values, key); i++)
        word = strchr(word, '|') + 1;
    SP_NEED(v->build, *out = sp_arena_format(v->build->arena, "%.*s", (int)strcspn(word, "|"), word));
    return SP_OK;
}

static sp_status read_claim(const view *v, const sp_node *table, sp_claim *out)
{
    sp_build *b = v->build;
    sp_status status = SP_OK;
    sp_values values;
    sp_values_start(&values, sp_claim_keys);
    SP_TRY(sp_tree_read(table, &values, b->error));
    SP_TRY(sp_values_check(&values, table->path, b->error));
    SP_TRY(check_mode(v, table, &values));
    SP_NEED(b, out->sweep = sp_arena_copy(b->arena, v->sweep->name));
    read_numbers(&values, out);
    SP_TRY(choose_word(v, table, &values, ALGORITHM, &out->algorithm));
    SP_TRY(choose_word(v, table, &values, ALPHA, &out->alpha));
    SP_TRY(choose_word(v, table, &values, CLAIM_X, &out->x));
    SP_TRY(choose_word(v, table, &values, CLAIM_Y, &out->y));
    SP_TRY(copy_choice(v, &values, MODE, &out->mode));
    SP_TRY(copy_choice(v, &values, CLOSED, &out->closed));
    SP_TRY(copy_choice(v, &values, TOWARD, &out->toward));
    SP_TRY(need_label(v, sp_node_field(table, "algorithm")));
    SP_TRY(need_measure(v, sp_node_field(table, "y")));
    SP_TRY(read_where(v, table, out->algorithm, &out->where, &out->wheres));
    SP_TRY(need_axis(v, sp_node_field(table, "x"), out->algorithm, out->where, out->wheres, false, &out->points));
    out->levels = 1;
    if (out->alpha)
        SP_TRY(need_axis(v, sp_node_field(table, "alpha"), out->algorithm, out->where, out->wheres, false,
                         &out->levels));
    SP_TRY(read_family(v, table, &values, out));
    SP_TRY(read_below(v, table, &values, out));
    out->replicates = v->sweep->replicates;
cleanup:
    return status;
}

static sp_status read_panels(const view *v, const sp_node *table, sp_figure *out)
{
    sp_build *b = v->build;
    sp_status status = SP_OK;
    const sp_node *y = sp_node_field(table, "y");
    if (!y)
        return sp_fail(b->error, SP_EINVAL, "%s.y: missing (a measure, or a list of them)", table->path);
    const bool list = sp_node_is_list(y);
    out->panels = list ? y->items : 1;
    if (out->panels == 0 || out->panels > SP_PANELS_MAX)
        return sp_fail(b->error, SP_EINVAL, "%s: must be 1 to %d measures", y->path, SP_PANELS_MAX);
    for (size_t i = 0; i < out->panels; i++) {
        const sp_node *node = list ? y->item[i] : y;
        SP_TRY(need_measure(v, node));
        SP_NEED(b, out->y[i] = sp_arena_copy(b->arena, node->text));
    }
cleanup:
    return status;
}

static sp_status need_name(const view *v, const sp_node *node)
{
    const sp_plan *plan = v->build->plan;
    if (*node->text == '\0' || node->text[strspn(node->text, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0')
        return sp_fail(v->build->error, SP_EINVAL, "%s = \"%s\": a figure's name is of a-z 0-9 _", node->path,
                       node->text);
    for (size_t i = 0; i < plan->figures; i++)
        if (strcmp(plan->figure[i].name, node->text) == 0)
            return sp_fail(v->build->error, SP_EINVAL, "%s: there is a figure %s already", node->path, node->text);
    return SP_OK;
}

/* What a trajectory is drawn against: columns of traces.tsv. */
static sp_status need_counter(const view *v, const sp_node *node)
{
    static const sp_names counters = { { "step", "gradients", "differences", "hessians", "losses", "releases" }, 6 };
    for (size_t i = 0; i < counters.count; i++)
        if (strcmp(counters.name[i], node->text) == 0)
            return SP_OK;
    return sp_no_such(v->build, node->path, "counter", node->text, &counters);
}

static sp_status read_figure(const view *v, const sp_node *table, sp_figure *out)
{
    sp_build *b = v->build;
    sp_status status = SP_OK;
    sp_values values;
    sp_values_start(&values, sp_figure_keys);
    SP_TRY(sp_tree_read(table, &values, b->error));
    SP_TRY(sp_values_check(&values, table->path, b->error));
    SP_TRY(need_name(v, sp_node_field(table, "name")));
    SP_NEED(b, out->sweep = sp_arena_copy(b->arena, v->sweep->name));
    SP_TRY(choose_word(v, table, &values, NAME, &out->name));
    SP_TRY(choose_word(v, table, &values, KIND, &out->kind));
    SP_TRY(choose_word(v, table, &values, TITLE, &out->title));
    SP_TRY(choose_word(v, table, &values, FIGURE_X, &out->x));
    SP_TRY(choose_word(v, table, &values, X_LABEL, &out->x_label));
    SP_TRY(read_panels(v, table, out));
    SP_TRY(read_where(v, table, NULL, &out->where, &out->wheres));
    const sp_node *x = sp_node_field(table, "x");
    size_t values_of_x;
    if (x && sp_choice(&values, KIND) == TRAJECTORY)
        SP_TRY(need_counter(v, x));
    else if (x)
        SP_TRY(need_axis(v, x, NULL, out->where, out->wheres, false, &values_of_x));
    else if (sp_choice(&values, KIND) != TRAJECTORY)
        return sp_fail(b->error, SP_EINVAL, "%s.x: missing (an axis that varies)", table->path);
cleanup:
    return status;
}

static view view_of(sp_build *b, const sp_sweep *sweep, size_t first)
{
    return (view){ b, sweep, b->plan->cell + first, b->plan->cells - first };
}

/* A list of tables, or NULL. */
static sp_status check_list(sp_build *b, const sp_node *list)
{
    if (list && !sp_node_is_list(list))
        return sp_fail(b->error, SP_EINVAL, "%s: must be a list of tables", list->path);
    for (size_t i = 0; list && i < list->items; i++)
        if (!sp_node_is_object(list->item[i]))
            return sp_fail(b->error, SP_EINVAL, "%s: must be a table { key = value }", list->item[i]->path);
    return SP_OK;
}

/* `count` entries and room for `more`. */
static void *extend(sp_arena *arena, const void *array, size_t count, size_t more, size_t size)
{
    void *grown = sp_arena_alloc(arena, count + more, size);
    if (grown && count > 0)
        memcpy(grown, array, count * size);
    return grown;
}

sp_status sp_plan_claims(sp_build *b, const sp_node *list, const sp_sweep *sweep, size_t first)
{
    sp_status status = SP_OK;
    sp_plan *plan = b->plan;
    const view v = view_of(b, sweep, first);
    SP_TRY(check_list(b, list));
    const size_t more = list ? list->items : 0;
    SP_NEED(b, plan->claim = extend(b->arena, plan->claim, plan->claims, more, sizeof *plan->claim));
    for (size_t i = 0; i < more; i++) {
        SP_TRY(read_claim(&v, list->item[i], &plan->claim[plan->claims]));
        plan->claims++;
    }
cleanup:
    return status;
}

sp_status sp_plan_figures(sp_build *b, const sp_node *list, const sp_sweep *sweep, size_t first)
{
    sp_status status = SP_OK;
    sp_plan *plan = b->plan;
    const view v = view_of(b, sweep, first);
    SP_TRY(check_list(b, list));
    const size_t more = list ? list->items : 0;
    SP_NEED(b, plan->figure = extend(b->arena, plan->figure, plan->figures, more, sizeof *plan->figure));
    for (size_t i = 0; i < more; i++) {
        SP_TRY(read_figure(&v, list->item[i], &plan->figure[plan->figures]));
        plan->figures++;
    }
cleanup:
    return status;
}
