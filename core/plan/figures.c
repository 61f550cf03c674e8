/* figures.c -- what an experiment draws: what a figure names exists in its sweep, and what it varies varies. */
#include "core/plan/view.h"

#include "core/base/table.h"
#include "core/plan/registry.h"
#include "measures/measure.h"

#include <string.h>

enum { KIND, NAME, TITLE, FIGURE_X, X_LABEL, X_LOG, FACET, ACROSS };
enum { RATE, RESIDUAL, TRADE_OFF, TRAJECTORY, PROFILE, DOMINANCE, SEARCH, UTILITY }; /* from PROFILE on over problems */
const sp_param sp_figure_keys[] = {
    [KIND]     = { "kind",    SP_CHOICE, SP_REQUIRED, { 0, 0 }, "what it shows",
                   "rate|residual|trade_off|trajectory|profile|dominance|search|utility" },
    [NAME]     = { "name",    SP_TEXT,   SP_REQUIRED, { 0, 0 }, "of the file" },
    [TITLE]    = { "title",   SP_TEXT,   0,           { 0, 0 }, "the line above it; default the question" },
    [FIGURE_X] = { "x",       SP_TEXT,   0,           { 0, 0 }, "an axis that varies, or mu or rho; trajectory: steps, "
                   "oracle_calls (the default), gradients, differences, hessians, losses, releases or seconds; profile, "
                   "dominance, search, utility: none" },
    [X_LABEL]  = { "x_label", SP_TEXT,   0,           { 0, 0 }, "words for x" },
    [X_LOG]    = { "x_log",   SP_FLAG,   SP_DERIVED,  { 0, 0 }, "x is logarithmic; default where its values are a "
                   "geometric list, and along trajectories" },
    [FACET]    = { "facet",   SP_TEXT,   0,           { 0, 0 }, "an axis with 2 to 6 values, a panel each" },
    [ACROSS]   = { "across",  SP_FLAG,   false,       { 0, 0 }, "profile, dominance, search, utility: the problems of all "
                   "sweeps, not of its own" },
    { "format", SP_METHOD, 0, { 0, 0 }, "svg, pdf, png, or a list of them; default svg" },
    { "methods", SP_METHOD, 0, { 0, 0 }, "a label or a list of them: only these, in this order" },
    { "range", SP_METHOD, 0, { 0, 0 }, "{ x = { low, high }, y = { low, high } }, or a measure in the place of y" },
    { "size", SP_METHOD, 0, { 0, 0 }, "\"one_column\" (84 mm), \"two_column\" (174 mm) or { width = mm, height = mm }; "
      "default as its words need" },
    { "where", SP_METHOD, 0, { 0, 0 }, "{ axis = value, ... }: only cells that have these" },
    { "y",     SP_METHOD, 0, { 0, 0 }, "a measure, or a list of at most 6; required" },
    { "y_label", SP_METHOD, 0, { 0, 0 }, "words for y, or { measure = words }" },
    { "y_log", SP_METHOD, 0, { 0, 0 }, "y is logarithmic, or { measure = true or false }; default where all of it is "
      "positive and spans a decade" },
    { 0 }
};

static sp_status read_panels(const sp_view *v, const sp_node *table, sp_figure *out)
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
        const sp_node *node = list ? sp_node_item(b->arena, y, i) : y;
        SP_NEED(b, node);
        SP_TRY(sp_view_measure(v, node));
        SP_NEED(b, out->y[i] = sp_arena_copy(b->arena, node->text));
    }
cleanup:
    return status;
}

/* A panel for each value of an axis. */
static sp_status read_facet(const sp_view *v, const sp_node *table, sp_figure *out)
{
    sp_build *b = v->build;
    sp_status status = SP_OK;
    enum { MANY = 100 };
    const sp_node *node = sp_node_field(table, "facet");
    const char *value[MANY];
    size_t count;
    if (!node)
        return SP_OK;
    if (sp_is_budget(node->text))
        return sp_fail(b->error, SP_EINVAL, "%s = \"%s\": no axis but a budget in other units: take epsilon", node->path,
                       node->text);
    SP_TRY(sp_view_axis(v, node, NULL, out->where, out->wheres, true, &count));
    count = sp_view_list(v, node->text, out->where, out->wheres, value, MANY);
    if (count > SP_PANELS_MAX)
        return sp_fail(b->error, SP_EINVAL, "%s: %s has %zu%s values here (%s, %s, ...), a figure has at most %d panels: "
                       "choose with where", node->path, node->text, count, count == MANY ? " or more" : "", value[0],
                       value[1], SP_PANELS_MAX);
    if (out->panels > 1)
        return sp_fail(b->error, SP_EINVAL, "%s: with a facet a figure shows one measure, here are %zu", node->path,
                       out->panels);
    SP_NEED(b, out->facet = sp_arena_copy(b->arena, node->text));
    out->panels = count;
    for (size_t p = 0; p < count; p++) {
        out->y[p] = out->y[0];
        SP_NEED(b, out->facet_value[p] = sp_arena_copy(b->arena, value[p]));
    }
cleanup:
    return status;
}

static sp_status read_methods(const sp_view *v, const sp_node *table, sp_figure *out)
{
    sp_build *b = v->build;
    sp_status status = SP_OK;
    const sp_node *given = sp_node_field(table, "methods");
    if (!given)
        return SP_OK;
    const bool list = sp_node_is_list(given);
    const size_t count = list ? given->items : 1;
    if (count == 0)
        return sp_fail(b->error, SP_EINVAL, "%s: must be a label, or a list of them", given->path);
    SP_NEED(b, out->label = sp_arena_alloc(b->arena, count, sizeof *out->label));
    for (size_t i = 0; i < count; i++) {
        const sp_node *node = list ? sp_node_item(b->arena, given, i) : given;
        SP_NEED(b, node);
        if (node->kind != SP_NODE_TEXT)
            return sp_fail(b->error, SP_EINVAL, "%s: must be a label", node->path);
        SP_TRY(sp_view_label(v, node));
        for (size_t k = 0; k < i; k++)
            if (strcmp(out->label[k], node->text) == 0)
                return sp_fail(b->error, SP_EINVAL, "%s: %s stands in %s already", node->path, node->text,
                               given->item[k]->path);
        SP_NEED(b, out->label[i] = sp_arena_copy(b->arena, node->text));
        out->labels = i + 1;
    }
cleanup:
    return status;
}

/* Does the figure show the label? */
static bool shows(const sp_figure *figure, const char *label)
{
    bool yes = figure->labels == 0;
    for (size_t i = 0; i < figure->labels && !yes; i++)
        yes = strcmp(figure->label[i], label) == 0;
    return yes;
}

static sp_status need_name(const sp_view *v, const sp_node *node)
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

/* "n" of "problem.n" */
static const char *last_of(const char *axis)
{
    const char *dot = strrchr(axis, '.');
    return dot ? dot + 1 : axis;
}

/* What a trajectory is drawn against: columns of traces.tsv, and what is made of them. */
static sp_status read_counter(const sp_view *v, const sp_node *node, sp_figure *out)
{
    static const sp_names counters = { { "steps", "oracle_calls", "gradients", "differences", "hessians", "losses",
                                         "releases", "seconds" }, 8 };
    for (size_t i = 0; i < counters.count; i++)
        if (strcmp(counters.name[i], node->text) == 0) {
            SP_NEED(v->build, out->x = sp_arena_copy(v->build->arena, i == 0 ? "step" : node->text));
            return SP_OK;
        }
    return sp_no_such(v->build, node->path, "counter", node->text, &counters);
}

/* Exponents are those of one measure. */
static sp_status need_one_panel(const sp_view *v, const sp_node *table, const sp_figure *figure)
{
    return figure->panels == 1 || figure->facet ? SP_OK : sp_fail(v->build->error, SP_EINVAL, "%s.y: kind %s shows one measure, here are "
                                                 "%zu", table->path, figure->kind, figure->panels);
}

/* A ratio to the best says something where 0 is the best there could be. */
static sp_status need_ratios(const sp_view *v, const sp_node *table, const sp_figure *figure)
{
    const sp_node *y = sp_node_field(table, "y");
    for (size_t p = 0; p < figure->panels; p++)
        if (!sp_measure_find(figure->y[p])->lower_is_better)
            return sp_fail(v->build->error, SP_EINVAL, "%s = \"%s\": kind %s needs a measure of which less is better",
                           sp_node_is_list(y) ? y->item[figure->facet ? 0 : p]->path : y->path, figure->y[p],
                           figure->kind);
    return SP_OK;
}

/* Those that answer to the same budget: the private ones, or without any all. What a profile compares are those that
 * it shows, other kinds compare all of the sweep and show some. */
static sp_status need_rivals(const sp_view *v, const sp_node *table, const sp_figure *figure)
{
    const bool all = strcmp(figure->kind, "profile") != 0;
    size_t labels[2] = { 0, 0 }, private = 0;
    for (size_t i = 0; i < v->sweep->entries; i++) {
        const char *label = v->sweep->entry[i].label;
        const sp_cell *cell = NULL;
        for (size_t k = 0; k < v->cells && !cell; k++)
            cell = strcmp(v->cell[k].label, label) == 0 ? &v->cell[k] : NULL;
        const bool kept = cell && cell->privacy.private && cell->privacy.noise;
        private += kept && (all || shows(figure, label));
        if (cell && shows(figure, label))
            labels[kept]++;
    }
    if (labels[1] > 1 || (private == 0 && labels[0] > 1))
        return SP_OK;
    return sp_fail(v->build->error, SP_EINVAL, "%s: kind %s compares private methods (or, without any, all): here "
                   "%s", table->path, figure->kind,
                   labels[1] == 1 ? "is one" : labels[0] == 1 ? "is one method" : "is none");
}

/* A rank against the size of a grid takes two that searched one, by what is shown. */
static sp_status need_searches(const sp_view *v, const sp_node *table, const sp_figure *figure)
{
    const sp_sweep *s = v->sweep;
    size_t grids = 0;
    for (size_t i = 0; i < s->entries; i++)
        grids += s->entry[i].points > 0 && shows(figure, s->entry[i].label);
    if (grids > 1 && strcmp(s->tuning_measure->name, figure->y[0]) == 0)
        return SP_OK;
    return sp_fail(v->build->error, SP_EINVAL, "%s: kind search needs two methods that are tuned by %s: here %s%s",
                   table->path, figure->y[0], grids > 1 ? "it is " : grids == 1 ? "is one" : "is none",
                   grids > 1 ? s->tuning_measure->name : "");
}

/* Residuals are those of a claim. */
static sp_status need_claim(const sp_view *v, const sp_node *table, const sp_figure *figure)
{
    const sp_plan *plan = v->build->plan;
    for (size_t i = 0; i < plan->claims; i++)
        if (strcmp(plan->claim[i].sweep, figure->sweep) == 0 && strcmp(plan->claim[i].y, figure->y[0]) == 0 &&
            shows(figure, plan->claim[i].algorithm) && figure->x && strcmp(last_of(plan->claim[i].x), last_of(figure->x)) == 0)
            return SP_OK;
    return sp_fail(v->build->error, SP_EINVAL, "%s: kind residual needs a claim about %s against %s in this sweep",
                   table->path, figure->y[0], figure->x ? figure->x : "x");
}

/* Has the label a claim in the figure? Its curve is the claim's, which has been checked. */
static bool is_claimed(const sp_view *v, const sp_figure *figure, const char *label)
{
    const sp_plan *plan = v->build->plan;
    for (size_t i = 0; i < plan->claims; i++)
        if (strcmp(plan->claim[i].sweep, figure->sweep) == 0 && strcmp(plan->claim[i].y, figure->y[0]) == 0 &&
            strcmp(plan->claim[i].algorithm, label) == 0 &&
            strcmp(last_of(plan->claim[i].x), last_of(figure->x)) == 0)
            return true;
    return false;
}

/* A curve has one cell at a point; one of a rate's without a claim, the worst member of the problem's family; of a
 * trajectory, the whole curve is one cell's. */
static sp_status need_single_cells(const sp_view *v, const sp_node *table, const sp_figure *figure, size_t kind)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < v->sweep->entries && kind != RESIDUAL; i++) {
        const char *label = v->sweep->entry[i].label;
        const char *x = kind >= TRAJECTORY ? NULL : figure->x;
        if (!shows(figure, label) || (kind == RATE && is_claimed(v, figure, label)))
            continue;
        SP_TRY(sp_view_single(v, &(sp_points_of){ .place = table->path, .label = label, .x = x, .alpha = figure->facet,
                                                  .family = kind == RATE ? v->sweep->family : NULL,
                                                  .where = figure->where, .wheres = figure->wheres,
                                                  .levels = kind == TRADE_OFF, .problems = kind >= PROFILE }));
    }
cleanup:
    return status;
}

/* What is along x, and whether it is there. */
static sp_status read_x(const sp_view *v, const sp_node *table, size_t kind, sp_figure *out)
{
    sp_build *b = v->build;
    const sp_node *x = sp_node_field(table, "x");
    size_t values;
    static const char *const along[] = {
        [PROFILE] = "along it runs the ratio to the best", [DOMINANCE] = "along it stand the methods",
        [SEARCH] = "along it grow the grids", [UTILITY] = "along it run epsilon and, in the second panel, oracle calls",
    };
    if (kind >= PROFILE)
        return x ? sp_fail(b->error, SP_EINVAL, "%s: kind %s has none: %s", x->path, out->kind, along[kind]) : SP_OK;
    if (kind == TRAJECTORY)
        return x ? read_counter(v, x, out) : SP_OK;
    if (!x)
        return sp_fail(b->error, SP_EINVAL, "%s.x: missing (an axis that varies)", table->path);
    if (out->facet && strcmp(last_of(out->facet), last_of(x->text)) == 0)
        return sp_fail(b->error, SP_EINVAL, "%s.facet = \"%s\": is x itself", table->path, out->facet);
    SP_NEED(b, out->x = sp_arena_copy(b->arena, x->text));
    return sp_view_axis(v, x, NULL, out->where, out->wheres, false, &values);
}

static sp_status read_figure(const sp_view *v, const sp_node *table, sp_figure *out)
{
    sp_build *b = v->build;
    sp_status status = SP_OK;
    sp_values values;
    sp_values_start(&values, sp_figure_keys);
    SP_TRY(sp_tree_read(table, &values, b->error));
    SP_TRY(sp_values_check(&values, table->path, b->error));
    SP_TRY(need_name(v, sp_node_field(table, "name")));
    *out = (sp_figure){ 0 };
    const size_t kind = sp_choice(&values, KIND);
    SP_NEED(b, out->sweep = sp_arena_copy(b->arena, v->sweep->name));
    SP_TRY(sp_view_word(v, table, &values, NAME, &out->name));
    SP_TRY(sp_view_word(v, table, &values, KIND, &out->kind));
    SP_TRY(sp_view_word(v, table, &values, TITLE, &out->title));
    SP_TRY(sp_view_word(v, table, &values, X_LABEL, &out->x_axis.label));
    if (out->title)
        SP_TRY(sp_plan_heading(b, sp_node_field(table, "title")));
    if (out->x_axis.label)
        SP_TRY(sp_plan_heading(b, sp_node_field(table, "x_label")));
    out->across = sp_flag(&values, ACROSS);
    if (out->across && kind < PROFILE)
        SP_TRY(sp_fail(b->error, SP_EINVAL, "%s.across: kind %s shows one sweep", table->path, out->kind));
    SP_TRY(read_panels(v, table, out));
    SP_TRY(sp_view_where(v, table, NULL, &out->where, &out->wheres));
    SP_TRY(read_methods(v, table, out));
    if (kind > PROFILE && sp_node_field(table, "facet"))
        SP_TRY(sp_fail(b->error, SP_EINVAL, "%s.facet: kind %s has none: choose with where", table->path, out->kind));
    SP_TRY(read_facet(v, table, out));
    if (kind == RATE || kind == RESIDUAL || kind > PROFILE)
        SP_TRY(need_one_panel(v, table, out));
    if (kind == UTILITY) { /* against epsilon and against calls */
        out->panels = 2;
        out->y[1] = out->y[0];
    }
    SP_TRY(read_x(v, table, kind, out));
    if (kind == RESIDUAL)
        SP_TRY(need_claim(v, table, out));
    if (kind >= PROFILE) {
        SP_TRY(need_ratios(v, table, out));
        SP_TRY(need_rivals(v, table, out));
    }
    if (kind == SEARCH)
        SP_TRY(need_searches(v, table, out));
    SP_TRY(sp_figure_read_look(v, table, out));
    SP_TRY(need_single_cells(v, table, out, kind));
cleanup:
    return status;
}

sp_status sp_plan_figures(sp_build *b, const sp_node *list, const sp_sweep *sweep, size_t first)
{
    sp_status status = SP_OK;
    sp_plan *plan = b->plan;
    const sp_view v = sp_view_of(b, sweep, first);
    SP_TRY(sp_view_check_list(b, list));
    const size_t more = list ? list->items : 0;
    SP_NEED(b, plan->figure = sp_view_extend(b->arena, plan->figure, plan->figures, more, sizeof *plan->figure));
    for (size_t i = 0; i < more; i++) {
        const size_t before = b->refused;
        SP_TRY(sp_mistake(b, read_figure(&v, list->item[i], &plan->figure[plan->figures])));
        plan->figures += b->refused == before;
    }
cleanup:
    return status;
}
