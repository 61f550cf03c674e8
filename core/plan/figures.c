/* figures.c -- what an experiment draws: what a figure names exists in its sweep, and what it varies varies. */
#include "core/plan/view.h"

#include "core/base/table.h"

#include <string.h>

enum { KIND, NAME, TITLE, FIGURE_X, X_LABEL };
enum { RATE, RESIDUAL, TRADE_OFF, TRAJECTORY };
const sp_param sp_figure_keys[] = {
    [KIND]     = { "kind",    SP_CHOICE, SP_REQUIRED, { 0, 0 }, "what it shows",
                   "rate|residual|trade_off|trajectory" },
    [NAME]     = { "name",    SP_TEXT,   SP_REQUIRED, { 0, 0 }, "of the file" },
    [TITLE]    = { "title",   SP_TEXT,   0,           { 0, 0 }, "the line above it" },
    [FIGURE_X] = { "x",       SP_TEXT,   0,           { 0, 0 }, "an axis that varies, or mu or rho; trajectory: what "
                   "is counted" },
    [X_LABEL]  = { "x_label", SP_TEXT,   0,           { 0, 0 }, "words for x" },
    { "where", SP_METHOD, 0, { 0, 0 }, "{ axis = value, ... }: only cells that have these" },
    { "y",     SP_METHOD, 0, { 0, 0 }, "a measure, or a list of at most 6; required" },
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
        const sp_node *node = list ? y->item[i] : y;
        SP_TRY(sp_view_measure(v, node));
        SP_NEED(b, out->y[i] = sp_arena_copy(b->arena, node->text));
    }
cleanup:
    return status;
}

sp_status sp_plan_heading(sp_build *b, const sp_node *text)
{
    return sp_table_formula(text->text) ? sp_fail(b->error, SP_EINVAL, "%s = \"%s\": begins like a spreadsheet's "
                                                  "formula", text->path, text->text) : SP_OK;
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

/* What a trajectory is drawn against: columns of traces.tsv. */
static sp_status need_counter(const sp_view *v, const sp_node *node)
{
    static const sp_names counters = { { "step", "gradients", "differences", "hessians", "losses", "releases" }, 6 };
    for (size_t i = 0; i < counters.count; i++)
        if (strcmp(counters.name[i], node->text) == 0)
            return SP_OK;
    return sp_no_such(v->build, node->path, "counter", node->text, &counters);
}

/* Exponents are those of one measure. */
static sp_status need_one_panel(const sp_view *v, const sp_node *table, const sp_figure *figure)
{
    return figure->panels == 1 ? SP_OK : sp_fail(v->build->error, SP_EINVAL, "%s.y: kind %s shows one measure, here are "
                                                 "%zu", table->path, figure->kind, figure->panels);
}

/* Residuals are those of a claim. */
static sp_status need_claim(const sp_view *v, const sp_node *table, const sp_figure *figure)
{
    const sp_plan *plan = v->build->plan;
    for (size_t i = 0; i < plan->claims; i++)
        if (strcmp(plan->claim[i].sweep, figure->sweep) == 0 && strcmp(plan->claim[i].y, figure->y[0]) == 0 &&
            figure->x && strcmp(last_of(plan->claim[i].x), last_of(figure->x)) == 0)
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
        if (kind == RATE && is_claimed(v, figure, label))
            continue;
        SP_TRY(sp_view_single(v, &(sp_points_of){ table->path, label, kind == TRAJECTORY ? NULL : figure->x, NULL,
                                                  kind == RATE ? v->sweep->family : NULL, figure->where,
                                                  figure->wheres, kind == TRADE_OFF }));
    }
cleanup:
    return status;
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
    SP_NEED(b, out->sweep = sp_arena_copy(b->arena, v->sweep->name));
    SP_TRY(sp_view_word(v, table, &values, NAME, &out->name));
    SP_TRY(sp_view_word(v, table, &values, KIND, &out->kind));
    SP_TRY(sp_view_word(v, table, &values, TITLE, &out->title));
    SP_TRY(sp_view_word(v, table, &values, FIGURE_X, &out->x));
    SP_TRY(sp_view_word(v, table, &values, X_LABEL, &out->x_axis.label));
    if (out->title)
        SP_TRY(sp_plan_heading(b, sp_node_field(table, "title")));
    if (out->x_axis.label)
        SP_TRY(sp_plan_heading(b, sp_node_field(table, "x_label")));
    SP_TRY(read_panels(v, table, out));
    SP_TRY(sp_view_where(v, table, NULL, &out->where, &out->wheres));
    const sp_node *x = sp_node_field(table, "x");
    size_t values_of_x;
    if (sp_choice(&values, KIND) == RATE || sp_choice(&values, KIND) == RESIDUAL)
        SP_TRY(need_one_panel(v, table, out));
    if (sp_choice(&values, KIND) == RESIDUAL)
        SP_TRY(need_claim(v, table, out));
    if (x && sp_choice(&values, KIND) == TRAJECTORY)
        SP_TRY(need_counter(v, x));
    else if (x)
        SP_TRY(sp_view_axis(v, x, NULL, out->where, out->wheres, false, &values_of_x));
    else if (sp_choice(&values, KIND) != TRAJECTORY)
        return sp_fail(b->error, SP_EINVAL, "%s.x: missing (an axis that varies)", table->path);
    SP_TRY(need_single_cells(v, table, out, sp_choice(&values, KIND)));
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
