/* figure_data.c -- see figure_data.h. */
#include "core/figures/figures_internal.h"

#include "core/base/memory.h"
#include "core/figures/figure_text.h"

#include <stdlib.h>
#include <string.h>

/* Of gnuplot's dashes, as plots/figure.gp sets them: those of curves come first. */
enum { CURVE_DASHES = 4 };

static void free_item(sp_item *e)
{
    for (size_t p = 0; p < SP_PANELS_MAX; p++) {
        sp_series_free(&e->in[p].series);
        sp_text_free(&e->in[p].words);
        free(e->in[p].edge);
    }
}

static void append_numbers(sp_text *out, const double *value, size_t count)
{
    char number[SP_NUMBER_SIZE];
    for (size_t i = 0; i < count; i++)
        sp_text_append(out, "%s%s", i ? "\t" : "", isfinite(value[i]) ? sp_number(value[i], number) : "NaN");
    sp_text_append(out, "\n");
}

static void append_marked(sp_text *out, const sp_axis *axis, const sp_text *marks, const char *separator,
                          const char *const key[4])
{
    sp_text_append(out, "%s%d%s%s%#.10g%s%s%#.10g%s%s%s", key[0], axis->scale == SP_SCALE_LOGARITHMIC, separator,
                   key[1], axis->low, separator, key[2], axis->high, separator, key[3], marks->data ? marks->data : "");
    out->failed = out->failed || marks->failed;
    sp_text_append(out, "\n");
}

/* The least x of the panel's points beyond one; INFINITY: there is none. */
static double next_x(const sp_canvas *c, size_t panel, double beyond)
{
    double next = INFINITY;
    for (const sp_item *e = c->item; e < c->item + c->curves; e++)
        for (size_t i = 0; i < e->in[panel].series.points; i++) {
            const double x = e->in[panel].series.x[i];
            next = x > beyond && x < next ? x : next;
        }
    return next;
}

/* Marks at the x of the curves, which are few; without a label where it would touch the one before. */
static void point_marks(const sp_canvas *c, size_t panel, sp_text *out)
{
    static const double touching = 0.08; /* as a share of the axis */
    double labelled = -INFINITY;
    for (double x = next_x(c, panel, -INFINITY); isfinite(x); x = next_x(c, panel, x)) {
        const double share = sp_axis_share(&c->x[panel], x);
        if (!sp_axis_holds(&c->x[panel], x))
            continue;
        sp_text_append(out, "%s", out->length ? " " : "");
        if (share - labelled < touching) {
            sp_text_append(out, "- %#.10g", x);
        } else {
            sp_text_append(out, "%.4g %#.10g", x, x);
            labelled = share;
        }
    }
}

static void append_axis(sp_text *out, const sp_axis *axis, double length, bool upright, const char *separator,
                        const char *const key[4])
{
    sp_text marks = { 0 };
    sp_axis_marks(axis, length, upright, &marks);
    append_marked(out, axis, &marks, separator, key);
    sp_text_free(&marks);
}

static void append_x(sp_text *out, const sp_canvas *c, size_t panel, const char *separator, const char *const key[4])
{
    sp_text marks = { 0 };
    if (sp_canvas_meets(c, panel))
        point_marks(c, panel, &marks);
    else
        sp_axis_marks(&c->x[panel], c->frame[panel].width, false, &marks);
    append_marked(out, &c->x[panel], &marks, separator, key);
    sp_text_free(&marks);
}

/* Of the line through a curve: fitted where it is a line that was fitted, else from point to point. */
static double line_at(const sp_canvas *c, const sp_item *e, size_t panel, size_t point)
{
    const sp_shown *in = &e->in[panel];
    const double z = log(in->series.x[point]);
    if (!sp_canvas_fits(c) || sp_is_bent(in))
        return in->series.mean[point].estimate;
    if (c->kind == SP_RESIDUAL && isfinite(in->verdict->model[point]))
        return (in->slope.estimate - in->verdict->exponent) * (z - in->middle);
    return in->verdict && isnan(in->verdict->model[point]) ? NAN : exp(in->slope.intercept + in->slope.estimate * z);
}

static const double APART = 0.06; /* points of a profile, as a share of the axes */

/* A step function: at each ratio that changes its share from the share before it upright to its own. */
static void write_profile(const sp_canvas *c, const sp_item *e, size_t panel, sp_text *out)
{
    const sp_series *s = &e->in[panel].series;
    double marked[2] = { -INFINITY, 0.0 }; /* where the last point was, as a share of the axes */
    for (size_t k = 0; k <= s->points && s->points > 0; k++) {
        const bool end = k == s->points; /* as far as the axis goes */
        const double x = end ? fmax(c->x[panel].high, s->x[k - 1]) : s->x[k];
        const sp_interval *before = k > 0 ? &s->mean[k - 1] : NULL, *here = &s->mean[k];
        if (before)
            append_numbers(out, (double[]){ x, NAN, before->low, before->high, before->estimate, 1 }, 6);
        if (end)
            break;
        const double at[2] = { sp_axis_share(&c->x[panel], x), sp_axis_share(&c->y[panel], here->estimate) };
        const bool marks = !before || (here->estimate > before->estimate && hypot(at[0] - marked[0], at[1] - marked[1]) >
                                                                                APART);
        append_numbers(out, (double[]){ x, marks ? here->estimate : NAN, here->low, here->high, here->estimate, 1 }, 6);
        if (marks)
            memcpy(marked, at, sizeof marked);
    }
    if (s->points == 0)
        append_numbers(out, (double[]){ NAN, NAN, NAN, NAN, NAN, NAN }, 6);
}

static void write_curve(const sp_canvas *c, const sp_item *e, size_t panel, sp_text *out)
{
    const sp_series *series = &e->in[panel].series;
    const size_t columns = c->ringed ? 7 : 6;
    size_t rows = 0;
    for (size_t i = 0; i < series->points; i++)
        if (sp_canvas_shows(c, series, i)) {
            const bool edge = e->in[panel].edge && e->in[panel].edge[i];
            const sp_interval *mean = &series->mean[i];
            const bool counted = !e->in[panel].verdict || e->in[panel].verdict->counted[i];
            const bool inside = sp_axis_holds(&c->y[panel], mean->estimate);
            const double low = mean->low < c->y[panel].low ? c->y[panel].low : mean->low;
            append_numbers(out, (double[]){ series->x[i], mean->estimate, inside ? low : NAN,
                                            inside ? mean->high : NAN, line_at(c, e, panel, i), counted, edge }, columns);
            rows++;
        }
    if (rows == 0) /* a block must have a row */
        append_numbers(out, (double[]){ NAN, NAN, NAN, NAN, NAN, NAN }, 6);
}

static void write_guide(const sp_canvas *c, const sp_item *e, size_t panel, sp_text *out)
{
    const sp_shown *in = &e->in[panel];
    if (e->guide == SP_LEVEL) {
        const double level = in->series.points && !in->hidden ? in->series.mean[0].estimate : NAN;
        append_numbers(out, (double[]){ c->x[panel].low, level }, 2);
        append_numbers(out, (double[]){ c->x[panel].high, level }, 2);
    } else if (e->guide == SP_HAND_OVER) {
        append_numbers(out, (double[]){ in->begins, c->y[panel].low }, 2);
        append_numbers(out, (double[]){ in->begins, c->y[panel].high }, 2);
    } else {
        for (size_t i = 0; i < sp_guide_points(e, panel); i++)
            append_numbers(out, (double[]){ in->verdict->curve.x[i], sp_guide_value(e, panel, i) }, 2);
        if (sp_guide_points(e, panel) == 0)
            append_numbers(out, (double[]){ NAN, NAN }, 2);
    }
}

/* What a note stands for is drawn in no panel. */
static void drop_hidden(sp_canvas *c)
{
    const size_t guides = c->guides;
    c->guides = 0;
    for (sp_item *e = c->item + c->curves; e < c->item + c->curves + guides; e++) {
        bool hidden = false, shown = false;
        for (size_t p = 0; p < c->figure->panels; p++) {
            hidden = hidden || e->in[p].hidden;
            shown = shown || (!e->in[p].hidden && (e->guide == SP_LEVEL || e->guide == SP_HAND_OVER || e->in[p].verdict));
        }
        hidden = hidden && !shown;
        if (hidden)
            free_item(e);
        else
            c->item[c->curves + c->guides++] = *e;
    }
}

static void write_looks(const sp_canvas *c, sp_text *out)
{
    const sp_item *end = c->item + c->curves + c->guides;
    sp_text_append(out, "\ncolours\t");
    for (const sp_item *e = c->item; e < end; e++)
        sp_text_append(out, "%s%u", e > c->item ? " " : "", e->look.colour);
    sp_text_append(out, "\nshapes\t");
    for (const sp_item *e = c->item; e < c->item + c->curves; e++)
        sp_text_append(out, "%s%u", e > c->item ? " " : "", e->look.shape);
    sp_text_append(out, "\ndashes\t");
    for (const sp_item *e = c->item; e < end; e++)
        sp_text_append(out, "%s%u", e > c->item ? " " : "",
                       e->guide ? CURVE_DASHES + (unsigned)e->guide : 1 + e->look.dash % CURVE_DASHES);
    sp_text_append(out, "\n");
}

/* Factors on x in the first panel, one a curve. */
static void write_asides(const sp_canvas *c, sp_text *out)
{
    const double length = log(c->x[0].high / c->x[0].low) / c->frame[0].width;
    sp_text_append(out, "asides\t");
    for (const sp_item *e = c->item; e < c->item + c->curves; e++)
        sp_text_append(out, "%s%.6f", e > c->item ? " " : "", exp(sp_pixels_aside(c, e, 0) * length));
    sp_text_append(out, "\n");
}

static void write_head(const sp_canvas *c, const sp_item *e, size_t panel, const char *columns, sp_text *out)
{
    sp_text_append(out, "\n\n");
    sp_append_plain(out, sp_canvas_x(c, panel));
    sp_text_append(out, "\t");
    sp_append_plain(out, e->label);
    sp_text_append(out, "%s\n", columns);
}

static void write_panel(const sp_canvas *c, size_t p, sp_text *out)
{
    const sp_frame *f = &c->frame[p];
    sp_text_append(out, "%.1f\t%.1f\t%.1f\t%.1f\t", f->left, f->top, f->width, f->height);
    append_axis(out, &c->y[p], f->height, true, "\t", (const char *const[]){ "", "", "", "" });
    if (c->kind == SP_UTILITY) {
        out->length--; /* the end of the row */
        sp_text_append(out, "\t");
        append_x(out, c, p, "\t", (const char *const[]){ "", "", "", "" });
    }
}

/* Where each curve and guide has its sample in the key. */
static void write_key(const sp_canvas *c, sp_text *out)
{
    sp_text_append(out, "\n\nx\ty\n");
    for (size_t i = 0; i < c->curves + c->guides; i++) {
        const bool there = c->key[i][1] > 0.0;
        append_numbers(out, (double[]){ there ? c->key[i][0] : NAN, there ? c->key[i][1] : NAN }, 2);
    }
}

static void write_data(const sp_canvas *c, sp_text *out)
{
    const size_t panels = c->kind == SP_DOMINANCE ? 0 : c->figure->panels;
    sp_text_append(out, "key\tvalue\nwidth\t%.0f\nheight\t%.0f\n", c->width, c->height);
    append_x(out, c, 0, "\n", (const char *const[]){ "x_log\t", "x_low\t", "x_high\t", "x_marks\t" });
    sp_text_append(out, "across\t%zu\npanels\t%zu\ncurves\t%zu\nguides\t%zu\npoint_size\t%g", c->across, panels,
                   c->curves, c->guides, c->kind == SP_TRAJECTORY || c->kind == SP_PROFILE ? 0.6 : 1.0);
    write_looks(c, out);
    if (c->figure->width > 0.0)
        sp_text_append(out, "scale\t%.4f\n", c->scale);
    if (c->kind == SP_UTILITY)
        sp_text_append(out, "x_each\t1\n");
    if (sp_canvas_meets(c, 0))
        write_asides(c, out);
    if (c->kind == SP_DOMINANCE)
        sp_text_append(out, "fields\t%zu\n", c->scores.shown);
    if (c->ringed)
        sp_text_append(out, "ringed\t1\n");
    if (c->keyed)
        sp_text_append(out, "keyed\t1\n");
    sp_text_append(out, "\n\nleft\ttop\twidth\theight\ty_log\ty_low\ty_high\ty_marks%s\n",
                   c->kind == SP_UTILITY ? "\tx_log\tx_low\tx_high\tx_marks" : "");
    for (size_t p = 0; p < panels; p++)
        write_panel(c, p, out);
    sp_text_append(out, "\n\nx\ty\tcolour\tsize\ttext\n%s", c->texts.data ? c->texts.data : "");
    sp_text_append(out, "\n\nx\ty\tright\tdown\tcolour\n%s",
                   c->leaders.data ? c->leaders.data : "NaN\tNaN\tNaN\tNaN\t0\n");
    if (c->kind == SP_DOMINANCE)
        sp_square_write(c, out);
    for (size_t p = 0; p < panels; p++) {
        for (const sp_item *e = c->item; e < c->item + c->curves; e++) {
            write_head(c, e, p, c->ringed ? "\tlow\thigh\tline\tcounted\tedge" : "\tlow\thigh\tline\tcounted", out);
            if (c->kind == SP_PROFILE)
                write_profile(c, e, p, out);
            else
                write_curve(c, e, p, out);
        }
        for (const sp_item *e = c->item + c->curves; e < c->item + c->curves + c->guides; e++) {
            write_head(c, e, p, "", out);
            write_guide(c, e, p, out);
        }
    }
    if (c->keyed)
        write_key(c, out);
}

/* Did memory run out in some text? */
static bool failed(const sp_canvas *c)
{
    bool yes = c->title.failed || c->subtitle.failed || c->notes.failed || c->left_out.failed || c->no_grid.failed ||
               c->texts.failed || c->leaders.failed;
    for (const sp_item *e = c->item; e < c->item + c->curves + c->guides; e++)
        for (size_t p = 0; p < SP_PANELS_MAX; p++)
            yes = yes || e->in[p].words.failed;
    return yes;
}

static sp_status find_labels(sp_canvas *c)
{
    const sp_table *t = &c->runs->table;
    if (!(c->label = sp_alloc(t->rows + 1, sizeof *c->label)))
        return SP_ENOMEM;
    for (size_t row = 0; row < t->rows; row++) {
        const char *label = sp_table_text(t, row, c->runs->label);
        size_t i = 0;
        while (i < c->labels && strcmp(c->label[i], label) != 0)
            i++;
        if (i == c->labels &&
            (c->figure->across || strcmp(sp_table_text(t, row, c->runs->sweep), c->figure->sweep) == 0))
            c->label[c->labels++] = label;
    }
    return SP_OK;
}

/* For the curves, their levels or hand-overs, of each panel the guides of the claims and of the curves; the majority
 * class; and one more. */
static sp_status find_room(sp_canvas *c)
{
    const size_t items = 2 * c->labels + (c->plan->claims + c->labels) * c->figure->panels + 2;
    c->item = sp_alloc(items, sizeof *c->item);
    c->key = sp_alloc(items, sizeof *c->key);
    return c->item && c->key ? SP_OK : SP_ENOMEM;
}

/* What the cells of each panel have: the figure's conditions, and its own value of the facet. */
static sp_status find_panels(sp_canvas *c)
{
    const sp_figure *f = c->figure;
    c->wheres = f->wheres + (f->facet != NULL);
    for (size_t p = 0; p < f->panels; p++) {
        c->where[p] = sp_alloc(c->wheres + 1, sizeof *c->where[p]);
        if (!c->where[p])
            return SP_ENOMEM;
        if (f->wheres > 0)
            memcpy(c->where[p], f->where, f->wheres * sizeof *f->where);
        if (f->facet)
            c->where[p][f->wheres] = (sp_axis_value){ .key = f->facet, .value = f->facet_value[p] };
    }
    return SP_OK;
}

static const char *const kinds[] = { [SP_RATE] = "rate", [SP_RESIDUAL] = "residual", [SP_TRADE_OFF] = "trade_off",
                                     [SP_TRAJECTORY] = "trajectory", [SP_PROFILE] = "profile",
                                     [SP_DOMINANCE] = "dominance", [SP_SEARCH] = "search", [SP_UTILITY] = "utility" };

sp_status sp_figure_data(const sp_evidence *evidence, const sp_figure *figure, sp_text *out, size_t *points,
                         sp_error *error)
{
    sp_status status = SP_OK;
    sp_canvas c = { .evidence = evidence, .plan = evidence->plan, .runs = evidence->runs, .figure = figure };
    *points = 0;
    while (c.kind < SP_FIGURE_KINDS && strcmp(kinds[c.kind], figure->kind) != 0)
        c.kind++;
    if (c.kind == SP_FIGURE_KINDS)
        SP_TRY(sp_fail(error, SP_EINVAL, "figure %s: there is no kind %s", figure->name, figure->kind));
    if (!figure->x && c.kind < SP_TRAJECTORY)
        SP_TRY(sp_fail(error, SP_EINVAL, "figure %s: %s needs x", figure->name, figure->kind));
    if (figure->panels < 1 || (sp_canvas_fits(&c) && !figure->facet && figure->panels > 1)) /* exponents are of one y */
        SP_TRY(sp_fail(error, SP_EINVAL, "figure %s: %zu measures in y; a %s shows one", figure->name,
                       figure->panels, figure->kind));
    c.place = sp_format("figure %s", figure->name);
    if (!c.place || find_labels(&c) != SP_OK || find_room(&c) != SP_OK || find_panels(&c) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "figure %s: out of memory", figure->name));
    SP_TRY(sp_figure_gather(&c, points, error));
    if (*points == 0)
        goto cleanup;
    status = sp_figure_axes(&c);
    sp_figure_captions(&c);
    drop_hidden(&c);
    if (status == SP_OK)
        SP_TRY(sp_figure_layout(&c, error));
    if (status == SP_OK)
        write_data(&c, out);
    if (status != SP_OK || out->failed || failed(&c))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c.place));
cleanup:
    for (sp_item *e = c.item; e < c.item + c.curves + c.guides; e++)
        free_item(e);
    for (size_t p = 0; p < figure->panels; p++) {
        sp_profile_free(&c.profile[p]);
        free(c.where[p]);
    }
    sp_scores_free(&c.scores);
    for (sp_text *const *t = (sp_text *const[]){ &c.title, &c.subtitle, &c.notes, &c.left_out, &c.no_grid, &c.texts,
                                                &c.leaders, NULL }; *t; t++)
        sp_text_free(*t);
    free(c.label);
    free(c.item);
    free(c.key);
    free(c.place);
    return status;
}
