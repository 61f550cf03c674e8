/* figure_look.c -- how a figure is to look: words, scales and ranges of its axes, its size, the files it becomes. */
#include "core/plan/view.h"

#include <string.h>

/* Do all of its panels show one measure? */
static bool has_one_measure(const sp_figure *figure)
{
    return figure->facet || strcmp(figure->kind, "utility") == 0;
}

/* "grad_norm" of a figure's measures; the number of panels when there is none. */
static size_t panel_of(const sp_figure *figure, const char *measure)
{
    size_t p = 0;
    while (p < figure->panels && strcmp(figure->y[p], measure) != 0)
        p++;
    return p;
}

static sp_status no_such_measure(const sp_view *v, const sp_node *node, const char *measure, const sp_figure *figure,
                                 bool axes)
{
    sp_names known = { 0 };
    for (size_t p = 0; p < figure->panels && (p == 0 || !has_one_measure(figure)); p++)
        sp_names_add(&known, figure->y[p]);
    for (size_t i = 0; i < 2 && axes; i++)
        sp_names_add(&known, i == 0 ? "x" : "y");
    return sp_no_such(v->build, node->path, "measure in this figure", measure, &known);
}

/* Does it say a thing of this panel? `given` is one value for all panels, or { measure = value }. */
static const sp_node *of_panel(const sp_node *given, const sp_figure *figure, size_t p)
{
    return given && given->kind == SP_NODE_TABLE ? sp_node_field(given, figure->y[p]) : given;
}

/* One value, or { measure = value }, each of this kind. */
static sp_status need_each(const sp_view *v, const sp_node *given, const sp_figure *figure, sp_node_kind kind,
                           const char *what)
{
    const bool each = given && given->kind == SP_NODE_TABLE;
    if (!given || given->kind == kind)
        return SP_OK;
    if (!each || given->items > 0 || given->fields == 0)
        return sp_fail(v->build->error, SP_EINVAL, "%s: must be %s, or { %s = %s }", given->path, what, figure->y[0],
                       what);
    for (size_t i = 0; i < given->fields; i++) {
        if (panel_of(figure, given->field[i].key) == figure->panels)
            return no_such_measure(v, given->field[i].node, given->field[i].key, figure, false);
        if (given->field[i].node->kind != kind)
            return sp_fail(v->build->error, SP_EINVAL, "%s: must be %s", given->field[i].node->path, what);
    }
    return SP_OK;
}

sp_status sp_plan_heading(sp_build *b, const sp_node *text)
{
    return sp_table_formula(text->text) ? sp_fail(b->error, SP_EINVAL, "%s = \"%s\": begins like a spreadsheet's "
                                                  "formula", text->path, text->text) : SP_OK;
}

static sp_status read_y_label(const sp_view *v, const sp_node *table, sp_figure *out)
{
    sp_status status = SP_OK;
    const sp_node *given = sp_node_field(table, "y_label");
    SP_TRY(need_each(v, given, out, SP_NODE_TEXT, "a text"));
    if (given && given->kind == SP_NODE_TEXT && out->panels > 1 && !has_one_measure(out))
        return sp_fail(v->build->error, SP_EINVAL, "%s: one text for %zu measures: { %s = \"%s\", ... }", given->path,
                       out->panels, out->y[0], given->text);
    for (size_t p = 0; p < out->panels; p++) {
        const sp_node *label = of_panel(given, out, p);
        if (!label)
            continue;
        SP_TRY(sp_plan_heading(v->build, label));
        SP_NEED(v->build, out->y_axis[p].label = sp_arena_copy(v->build->arena, label->text));
    }
cleanup:
    return status;
}

/* Kinds whose axes are what they are, and of which. */
static const struct { const char *kind, *x, *y; } fixed[] = {
    { "rate", "x is logarithmic: a power is a line there", "y is a logarithm: a power is a line there" },
    { "residual", "x is logarithmic: a power is a line there", "y is a logarithm: a power is a line there" },
    { "profile", "x is logarithmic: it is a ratio", "y is a share, from 0 to 1" },
    { "dominance", "x is a list of methods", "y is a list of methods" },
    { "search", "x is logarithmic: each grid is some three times the one before", "y is a rank, from 0 to 1" },
    { "utility", "x is logarithmic, in both panels", "y is logarithmic: it is a ratio to the start" },
};
enum { FIXED = sizeof fixed / sizeof *fixed };

static sp_status need_free_scale(const sp_view *v, const sp_node *given, const sp_figure *figure, bool x)
{
    for (size_t i = 0; i < FIXED && given; i++)
        if (strcmp(fixed[i].kind, figure->kind) == 0)
            return sp_fail(v->build->error, SP_EINVAL, "%s: of kind %s %s", given->path, figure->kind,
                           x ? fixed[i].x : fixed[i].y);
    return SP_OK;
}

/* A square of methods has no axes that could be called otherwise or end elsewhere, and two axes x are not one. */
static sp_status need_axes(const sp_view *v, const sp_node *table, const sp_figure *figure)
{
    static const char *const keys[] = { "x_label", "y_label", "range" };
    const bool square = strcmp(figure->kind, "dominance") == 0, two = strcmp(figure->kind, "utility") == 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const sp_node *given = sp_node_field(table, keys[i]);
        if (given && square)
            return sp_fail(v->build->error, SP_EINVAL, "%s: of kind dominance x and y are lists of methods", given->path);
        if (given && i == 2)
            given = given->kind == SP_NODE_TABLE ? sp_node_field(given, "x") : NULL;
        if (given && two && i != 1)
            return sp_fail(v->build->error, SP_EINVAL, "%s: of kind utility there are two, epsilon and oracle calls",
                           given->path);
    }
    return SP_OK;
}

static sp_scale scale_of(const sp_node *flag)
{
    return !flag ? SP_SCALE_AUTOMATIC : flag->number > 0.0 ? SP_SCALE_LOGARITHMIC : SP_SCALE_LINEAR;
}

/* A value of the axis has no logarithm. */
static sp_status need_positive(const sp_view *v, const sp_node *given, const sp_figure *figure)
{
    for (size_t i = 0; i < v->cells && figure->x; i++) {
        const char *value = sp_view_selects(&v->cell[i], NULL, figure->where, figure->wheres)
                                ? sp_cell_axis(&v->cell[i], figure->x) : NULL;
        double number;
        if (value && sp_read_number(value, &number) && number <= 0.0)
            return sp_fail(v->build->error, SP_EINVAL, "%s: %s is %s somewhere, which has no logarithm", given->path,
                           figure->x, value);
    }
    return SP_OK;
}

static sp_status read_scales(const sp_view *v, const sp_node *table, sp_figure *out)
{
    sp_status status = SP_OK;
    const sp_node *x = sp_node_field(table, "x_log"), *y = sp_node_field(table, "y_log");
    SP_TRY(need_free_scale(v, x, out, true));
    SP_TRY(need_free_scale(v, y, out, false));
    SP_TRY(need_each(v, y, out, SP_NODE_FLAG, "true or false"));
    out->x_axis.scale = scale_of(x);
    if (out->x_axis.scale == SP_SCALE_LOGARITHMIC)
        SP_TRY(need_positive(v, x, out));
    for (size_t p = 0; p < out->panels; p++)
        out->y_axis[p].scale = scale_of(of_panel(y, out, p));
cleanup:
    return status;
}

/* Is the axis logarithmic whatever the runs give? */
static bool is_logarithmic(const sp_figure *figure, const sp_figure_axis *axis)
{
    const bool x = axis == &figure->x_axis;
    if (axis->scale)
        return axis->scale == SP_SCALE_LOGARITHMIC;
    return strcmp(figure->kind, "rate") == 0 || strcmp(figure->kind, "utility") == 0 ||
           (x && (!strcmp(figure->kind, "residual") || !strcmp(figure->kind, "trajectory") ||
                  !strcmp(figure->kind, "profile") || !strcmp(figure->kind, "search")));
}

static sp_status read_range(const sp_view *v, const sp_node *given, const sp_figure *figure, sp_figure_axis *axis)
{
    const double *pair = given->items == 2 ? given->numbers : NULL;
    if (!pair || !(pair[0] < pair[1]) || !isfinite(pair[0]) || !isfinite(pair[1]))
        return sp_fail(v->build->error, SP_EINVAL, "%s: must be { low, high }, two numbers in this order", given->path);
    axis->ranged = true;
    axis->low = pair[0];
    axis->high = pair[1];
    if (is_logarithmic(figure, axis) && axis->low <= 0.0)
        return sp_fail(v->build->error, SP_EINVAL, "%s[1] = %g: the axis is logarithmic: must be positive",
                       given->path, axis->low);
    return SP_OK;
}

/* "x" and "y", or a measure: what is said of one goes before what is said of all. */
static sp_status read_ranges(const sp_view *v, const sp_node *table, sp_figure *out)
{
    sp_status status = SP_OK;
    const sp_node *given = sp_node_field(table, "range");
    if (given && (given->kind != SP_NODE_TABLE || given->items > 0 || given->fields == 0))
        return sp_fail(v->build->error, SP_EINVAL, "%s: must be { x = { low, high }, y = { low, high } }", given->path);
    for (size_t i = 0; given && i < given->fields; i++) {
        const sp_field *field = &given->field[i];
        const size_t p = panel_of(out, field->key);
        if (strcmp(field->key, "x") == 0)
            SP_TRY(read_range(v, field->node, out, &out->x_axis));
        else if (strcmp(field->key, "y") != 0 && p == out->panels)
            return no_such_measure(v, field->node, field->key, out, true);
    }
    for (size_t p = 0; p < out->panels && given; p++) {
        const sp_node *one = sp_node_field(given, out->y[p]), *all = sp_node_field(given, "y");
        if (one || all)
            SP_TRY(read_range(v, one ? one : all, out, &out->y_axis[p]));
    }
cleanup:
    return status;
}

/* --- size and files ----------------------------------------------------------------------------------------- */

static sp_status read_length(const sp_view *v, const sp_node *given, const char *place, const char *key, double *out)
{
    enum { LEAST = 30, MOST = 1000 }; /* mm */
    if (!given)
        return SP_OK;
    if (given->kind != SP_NODE_NUMBER || !(given->number >= LEAST && given->number <= MOST))
        return sp_fail(v->build->error, SP_EINVAL, "%s.%s: must be a number of millimetres, %d to %d", place, key, LEAST,
                       MOST);
    *out = given->number;
    return SP_OK;
}

static sp_status read_size(const sp_view *v, const sp_node *table, sp_figure *out)
{
    static const sp_names names = { { "one_column", "two_column" }, 2 };
    static const double widths[] = { 84.0, 174.0 }; /* mm, of a journal's columns */
    sp_status status = SP_OK;
    const sp_node *given = sp_node_field(table, "size");
    if (!given)
        return SP_OK;
    for (size_t i = 0; i < names.count && given->kind == SP_NODE_TEXT; i++)
        if (strcmp(given->text, names.name[i]) == 0)
            out->width = widths[i];
    if (given->kind == SP_NODE_TEXT && out->width <= 0.0)
        return sp_no_such(v->build, given->path, "size", given->text, &names);
    if (given->kind != SP_NODE_TEXT && !sp_node_is_object(given))
        return sp_fail(v->build->error, SP_EINVAL, "%s: must be \"one_column\", \"two_column\" or { width = ..., "
                       "height = ... } in millimetres", given->path);
    for (size_t i = 0; i < given->fields; i++) {
        const char *key = given->field[i].key;
        if (strcmp(key, "width") != 0 && strcmp(key, "height") != 0)
            return sp_fail(v->build->error, SP_EINVAL, "%s: unknown key; known keys: width, height",
                           given->field[i].node->path);
    }
    SP_TRY(read_length(v, sp_node_field(given, "width"), given->path, "width", &out->width));
    SP_TRY(read_length(v, sp_node_field(given, "height"), given->path, "height", &out->height));
    if (out->width <= 0.0)
        return sp_fail(v->build->error, SP_EINVAL, "%s.width: missing (millimetres)", given->path);
cleanup:
    return status;
}

static sp_status read_formats(const sp_view *v, const sp_node *table, sp_figure *out)
{
    static const sp_names names = { { "svg", "pdf", "png" }, 3 };
    const sp_node *given = sp_node_field(table, "format");
    const bool list = given && sp_node_is_list(given);
    const size_t count = !given ? 0 : list ? given->items : 1;
    if (list && count == 0)
        return sp_fail(v->build->error, SP_EINVAL, "%s: must be svg, pdf, png, or a list of them", given->path);
    for (size_t i = 0; i < count; i++) {
        const sp_node *node = list ? sp_node_item(v->build->arena, given, i) : given;
        SP_NEED(v->build, node);
        unsigned format = 0;
        if (node->kind != SP_NODE_TEXT)
            return sp_fail(v->build->error, SP_EINVAL, "%s: must be svg, pdf, png, or a list of them", node->path);
        for (size_t k = 0; k < names.count; k++)
            format |= strcmp(node->text, names.name[k]) == 0 ? 1u << k : 0u;
        if (!format)
            return sp_no_such(v->build, node->path, "format", node->text, &names);
        out->formats |= format;
    }
    return SP_OK;
}

sp_status sp_figure_read_look(const sp_view *v, const sp_node *table, sp_figure *out)
{
    sp_status status = SP_OK;
    SP_TRY(need_axes(v, table, out));
    SP_TRY(read_y_label(v, table, out));
    SP_TRY(read_scales(v, table, out));
    SP_TRY(read_ranges(v, table, out));
    SP_TRY(read_size(v, table, out));
    SP_TRY(read_formats(v, table, out));
cleanup:
    return status;
}
