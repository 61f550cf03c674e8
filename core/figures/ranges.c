/* ranges.c -- how far the axes of a figure go, and what has no place on them; see figures_internal.h.
 *
 * What was measured sets an axis, with its intervals, unless the figure gives its range. Of the rest only a claim's lines
 * widen it, and those not far. */
#include "core/figures/figures_internal.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

static const double FAR = 1000.0; /* beyond it only a logarithm would show a value */

bool sp_canvas_shows(const sp_canvas *c, const sp_series *series, size_t point)
{
    return isfinite(series->mean[point].estimate) && !(c->x[0].scale == SP_SCALE_LOGARITHMIC && series->x[point] <= 0.0);
}

bool sp_canvas_holds(const sp_canvas *c, size_t panel, const sp_series *series, size_t point)
{
    return sp_canvas_shows(c, series, point) && sp_axis_holds(&c->x[panel], series->x[point]) &&
           sp_axis_holds(&c->y[panel], series->mean[point].estimate);
}

bool sp_is_drawn(const sp_canvas *c, const sp_item *e, size_t panel)
{
    const sp_series *series = &e->in[panel].series;
    bool yes = false;
    if (e->in[panel].hidden)
        return false;
    if (e->guide == SP_HAND_OVER)
        return isfinite(e->in[panel].begins);
    for (size_t i = 0; i < series->points && !yes; i++)
        yes = e->guide ? isfinite(series->mean[i].estimate) : sp_canvas_holds(c, panel, series, i);
    for (size_t i = 0; e->guide && i < sp_guide_points(e, panel) && !yes; i++)
        yes = isfinite(sp_guide_value(e, panel, i));
    return yes;
}

/* By which the claimed law is above all points, unless the claim gives its constant. */
static double above_points(const sp_verdict *v)
{
    double factor = 0.0;
    for (size_t i = 0; i < v->curve.points; i++)
        if (isfinite(v->y[i].estimate) && v->theory[i] > 0.0)
            factor = fmax(factor, v->y[i].estimate / v->theory[i]);
    return isnan(v->claim->constant) ? factor : 1.0;
}

/* Is the value so many times outside of the axis at most? */
static bool within_reach(const sp_axis *curves, double value, double reach)
{
    return value >= curves->low / reach && value <= curves->high * reach;
}

/* With room at both ends, or as far as was asked for. */
static void finish(sp_axis *axis, const sp_figure_axis *asked, double margin)
{
    if (asked->ranged) {
        sp_axis_add(axis, asked->low); /* for the scale */
        sp_axis_add(axis, asked->high);
    }
    sp_axis_finish(axis, margin);
    if (asked->ranged) {
        axis->low = asked->low;
        axis->high = asked->high;
    }
}

/* --- curves ----------------------------------------------------------------------------------------------- */

static void add_y(sp_axis *y, double value, const sp_axis *private)
{
    if (!private || within_reach(private, value, FAR))
        sp_axis_add(y, value);
}

/* What is not private goes no further than FAR from what is, unless `private` is NULL. */
static void add_curve(sp_canvas *c, const sp_item *e, size_t p, const sp_axis *private)
{
    const sp_series *series = &e->in[p].series;
    const sp_figure_axis *asked = &c->figure->x_axis;
    const bool keeps_sign = c->kind != SP_RESIDUAL; /* an interval alone makes no axis linear */
    for (size_t i = 0; i < series->points; i++) {
        if (!sp_canvas_shows(c, series, i) ||
            (asked->ranged && !(series->x[i] >= asked->low && series->x[i] <= asked->high)))
            continue;
        const double most = c->kind == SP_SEARCH ? 1.0 : INFINITY; /* an interval may go beyond what a rank can be */
        sp_axis_add(&c->x[p], series->x[i]);
        add_y(&c->y[p], series->mean[i].estimate, private);
        if (!keeps_sign || series->mean[i].low > 0.0 || !(series->mean[i].estimate > 0.0))
            add_y(&c->y[p], series->mean[i].low, private);
        add_y(&c->y[p], series->mean[i].high > most ? most : series->mean[i].high, private);
    }
}

/* The private curves first: where they are positive, a logarithm shows them, and they bound what the others add. An accuracy
 * is read beside that of the majority class. */
static void add_curves(sp_canvas *c, size_t p)
{
    for (const sp_item *e = c->item; e < c->item + c->curves; e++)
        if (sp_is_private(c, e))
            add_curve(c, e, p, NULL);
    const sp_axis private = c->y[p];
    const bool bounds = private.scale != SP_SCALE_LINEAR && private.positive && private.low <= private.high;
    for (const sp_item *e = c->item; e < c->item + c->curves; e++)
        if (!sp_is_private(c, e))
            add_curve(c, e, p, bounds ? &private : NULL);
    for (const sp_item *e = c->item + c->curves; e < c->item + c->curves + c->guides; e++)
        for (size_t i = 0; i < e->in[p].series.points && sp_is_chance(c, e); i++)
            sp_axis_add(&c->y[p], e->in[p].series.mean[i].estimate);
}

/* Without a point in the frame a curve is a note. */
static void hide_curves(sp_canvas *c, size_t p)
{
    for (sp_item *e = c->item; e < c->item + c->curves; e++) {
        size_t points = 0, inside = 0;
        for (size_t i = 0; i < e->in[p].series.points; i++) {
            points += sp_canvas_shows(c, &e->in[p].series, i);
            inside += sp_canvas_holds(c, p, &e->in[p].series, i);
        }
        e->in[p].hidden = points > 0 && inside == 0;
    }
}

/* --- guides ----------------------------------------------------------------------------------------------- */

static size_t guide_points(const sp_item *e, size_t p)
{
    return e->guide == SP_LEVEL ? e->in[p].series.points : sp_guide_points(e, p);
}

static double guide_value(const sp_item *e, size_t p, size_t point)
{
    return e->guide == SP_LEVEL ? e->in[p].series.mean[point].estimate : sp_guide_value(e, p, point);
}

/* A claim's line far from the curves would squeeze them: a note tells instead. So it does of a level outside of the
 * axis that they set, which no level widens but the start of a trajectory, that a logarithm can show beside it. */
static void add_guide(sp_canvas *c, sp_item *e, size_t p, const sp_axis *curves, double margin)
{
    const bool level = e->guide == SP_LEVEL, start = level && c->kind == SP_TRAJECTORY;
    sp_axis frame = *curves;
    finish(&frame, &c->figure->y_axis[p], margin);
    if (e->guide == SP_BOUND && e->in[p].verdict)
        e->constant = above_points(e->in[p].verdict);
    for (size_t i = 0; i < guide_points(e, p); i++) {
        const double value = guide_value(e, p, i);
        if (start ? curves->positive && value > 0.0 && !within_reach(curves, value, FAR)
                  : level ? isfinite(value) && !sp_axis_holds(&frame, value)
                          : e->guide != SP_RIVAL && !within_reach(curves, value, 30.0))
            e->in[p].hidden = true;
    }
    for (size_t i = 0; i < guide_points(e, p) && !e->in[p].hidden && (start || !level); i++)
        sp_axis_add(&c->y[p], guide_value(e, p, i));
}

/* Where the figure gives a range, a guide without a point in it is a note. */
static void hide_guides(sp_canvas *c, size_t p)
{
    for (sp_item *e = c->item + c->curves; e < c->item + c->curves + c->guides; e++) {
        size_t inside = 0;
        for (size_t i = 0; i < guide_points(e, p); i++)
            inside += sp_axis_holds(&c->y[p], guide_value(e, p, i));
        if (e->guide != SP_POWER && guide_points(e, p) > 0 && inside == 0)
            e->in[p].hidden = true;
    }
}

/* --- axes ------------------------------------------------------------------------------------------------- */

/* Logarithmic for rates and trajectories, and for a list of epsilons or the like that is geometric. */
static sp_status choose_x(sp_canvas *c)
{
    const sp_scale asked = c->figure->x_axis.scale;
    size_t count = 0, room = 1;
    for (const sp_item *e = c->item; e < c->item + c->curves; e++)
        for (size_t p = 0; p < c->figure->panels; p++)
            room += e->in[p].series.points;
    double *x = sp_alloc_doubles(room);
    if (!x)
        return SP_ENOMEM;
    for (const sp_item *e = c->item; e < c->item + c->curves; e++)
        for (size_t p = 0; p < c->figure->panels; p++)
            for (size_t i = 0; i < e->in[p].series.points; i++)
                x[count++] = e->in[p].series.x[i];
    count = sp_distinct(x, count);
    const bool logarithmic = c->kind != SP_TRADE_OFF || sp_is_geometric(x, count);
    for (size_t p = 0; p < c->figure->panels; p++)
        c->x[p] = sp_axis_start(asked ? asked : logarithmic ? SP_SCALE_LOGARITHMIC : SP_SCALE_AUTOMATIC);
    free(x);
    return SP_OK;
}

static sp_scale scale_of(const sp_canvas *c, size_t p)
{
    const sp_measure *measure = sp_canvas_measure(c, p);
    if (c->figure->y_axis[p].scale)
        return c->figure->y_axis[p].scale;
    if (c->kind == SP_RATE || c->kind == SP_UTILITY)
        return SP_SCALE_LOGARITHMIC;
    if (c->kind == SP_RESIDUAL || c->kind == SP_PROFILE || c->kind == SP_SEARCH)
        return SP_SCALE_LINEAR;
    return measure && !measure->lower_is_better ? SP_SCALE_LINEAR : SP_SCALE_AUTOMATIC;
}

static void unite(sp_axis *axis, size_t count)
{
    for (size_t p = 1; p < count; p++) {
        axis[0].low = fmin(axis[0].low, axis[p].low);
        axis[0].high = fmax(axis[0].high, axis[p].high);
        axis[0].positive = axis[0].positive && axis[p].positive;
    }
    for (size_t p = 1; p < count; p++)
        axis[p] = axis[0];
}

/* The panels of a facet have one axis y, so that they can be compared, and so have those of what is left against epsilon
 * and against calls. */
static void share(sp_canvas *c)
{
    unite(c->y, c->figure->facet || c->kind == SP_UTILITY ? c->figure->panels : 0);
}

sp_status sp_figure_axes(sp_canvas *c)
{
    sp_status status = SP_OK;
    const sp_figure *f = c->figure;
    const double margin = sp_canvas_fits(c) ? 0.13 : 0.06; /* room for the powers */
    sp_axis curves[SP_PANELS_MAX];
    SP_TRY(choose_x(c));
    for (size_t p = 0; p < f->panels; p++) {
        c->y[p] = sp_axis_start(scale_of(c, p));
        add_curves(c, p);
        if (c->kind == SP_PROFILE) {
            sp_axis_add(&c->y[p], 0.0);
            sp_axis_add(&c->y[p], 1.0);
        }
    }
    share(c);
    memcpy(curves, c->y, sizeof curves);
    for (size_t p = 0; p < f->panels; p++)
        for (sp_item *e = c->item + c->curves; e < c->item + c->curves + c->guides; e++)
            if (e->guide == SP_POWER)
                e->in[p].hidden = e->in[p].verdict && isnan(e->in[p].verdict->exponent);
            else if (e->guide != SP_HAND_OVER)
                add_guide(c, e, p, &curves[p], margin);
    share(c);
    unite(c->x, c->kind == SP_UTILITY ? 0 : f->panels);
    for (size_t p = 0; p < f->panels; p++) {
        finish(&c->x[p], &f->x_axis, sp_canvas_meets(c, p) ? 0.09 : 0.05);
        finish(&c->y[p], &f->y_axis[p], margin);
        hide_curves(c, p);
        if (f->y_axis[p].ranged)
            hide_guides(c, p);
    }
cleanup:
    return status;
}
