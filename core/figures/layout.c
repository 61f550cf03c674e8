/* layout.c -- where everything in a figure stands; see figures_internal.h.
 *
 * Without a size of its own a figure has panels of one width, words beside them, and is as wide and high as these need.
 * One of a given size is laid out in pixels of print (sp_pixels_of), and its panels get what is left of the
 * width; where that is too little, the words stand below (key.c). */
#include "core/figures/figures_internal.h"

#include "core/figures/figure_text.h"

#include <stdlib.h>
#include <string.h>

/* Pixels: for the label of an axis, for the marks below a panel, between panels, for what is above one. */
enum { LABEL = 24, MARKS = 26, BETWEEN = 22, HEAD = 20 };
/* The least of a panel beside its words, above them, and in height. */
enum { BESIDE_WORDS = 180, ABOVE_WORDS = 140, LOWEST = 60 };

typedef struct page {
    double left;              /* from a column's edge to its panel */
    double wide, high;        /* of a panel */
    double words, tall;       /* width and height of the words beside a panel */
    size_t rows, x_lines;     /* of panels; of the label of x */
    bool below;               /* the words are below */
} page;

double sp_pixel_x(const sp_canvas *c, size_t p, double x)
{
    return sp_axis_share(&c->x[p], x) * c->frame[p].width;
}

double sp_pixel_y(const sp_canvas *c, size_t p, double y)
{
    return (1.0 - sp_axis_share(&c->y[p], y)) * c->frame[p].height;
}

double sp_pixels_aside(const sp_canvas *c, const sp_item *e, size_t p)
{
    static const double apart = 6.0, room = 0.09; /* the latter of the panel, for all of them */
    const double place = (double)(e - c->item) - 0.5 * (double)(c->curves - 1);
    return sp_canvas_meets(c, p) ? place * fmin(apart, room * c->frame[p].width / (double)c->curves) : 0.0;
}

/* Of the widest label at an axis. */
static double marks_width(sp_canvas *c, const sp_axis *axis)
{
    sp_text marks = { 0 };
    double widest = 0.0;
    char *rest = NULL;
    sp_axis_marks(axis, INFINITY, true, &marks);
    char *label = marks.data ? strtok_r(marks.data, " ", &rest) : NULL;
    for (; label; label = strtok_r(NULL, " ", &rest)) {
        widest = fmax(widest, sp_text_ems(label) * sp_font_size(SP_SMALL));
        strtok_r(NULL, " ", &rest); /* where it stands */
    }
    c->texts.failed = c->texts.failed || marks.failed;
    sp_text_free(&marks);
    return widest;
}

/* --- labels of axes --------------------------------------------------------------------------------------- */

/* Of residuals "log y - c log x". */
static void append_measure(const sp_canvas *c, const char *unit, const char *symbol, sp_text *text)
{
    const bool residual = c->kind == SP_RESIDUAL, difference = strstr(unit, " - ") != NULL;
    sp_text_append(text, residual && difference ? "log(" : residual ? "log" SP_SPACE : "");
    sp_append_unit(text, unit);
    if (residual)
        sp_text_append(text, "%s" SP_SPACE "\u2212" SP_SPACE "{/:Italic c}" SP_SPACE "log" SP_SPACE "%s",
                       difference ? ")" : "", symbol);
}

static void append_y(const sp_canvas *c, size_t p, sp_text *out)
{
    const sp_measure *measure = sp_canvas_measure(c, p);
    const sp_verdict *v = c->curves > 0 ? c->item->in[p].verdict : NULL;
    const char *symbol, *label;
    sp_name_x(sp_canvas_x(c, p), &symbol, &label);
    if (c->figure->y_axis[p].label) {
        sp_append_plain(out, c->figure->y_axis[p].label);
        return;
    }
    if (c->kind == SP_PROFILE) {
        if (sp_canvas_parts(c) < c->figure->panels) { /* of several measures */
            sp_append_panel_unit(c, p, out);
            sp_text_append(out, ":" SP_SPACE);
        }
        sp_text_append(out, "share of the problems");
        return;
    }
    if (c->kind == SP_SEARCH) {
        sp_text_append(out, "expected rank by ");
        sp_append_panel_unit(c, p, out);
        return;
    }
    if (c->kind == SP_UTILITY) {
        sp_append_panel_unit(c, p, out);
        sp_text_append(out, " over its start");
        return;
    }
    if (v && v->claim->alpha)
        sp_text_append(out, "smallest" SP_SPACE "{/:Italic \u03b1}" SP_SPACE "reached");
    else
        append_measure(c, measure && measure->unit ? measure->unit : c->figure->y[p], symbol, out);
}

static void append_x(const sp_canvas *c, size_t p, sp_text *out)
{
    const char *symbol, *label;
    sp_name_x(sp_canvas_x(c, p), &symbol, &label);
    if (c->figure->x_axis.label)
        sp_append_plain(out, c->figure->x_axis.label);
    else
        sp_text_append(out, "%s", label);
    if (c->kind == SP_PROFILE && !c->figure->x_axis.label && sp_canvas_parts(c) == c->figure->panels) {
        sp_text_append(out, SP_SPACE);
        sp_append_panel_unit(c, 0, out);
    }
}

/* How many lines the label of y has beside a panel of this height; it is written when `draw`. */
static size_t label_y(sp_canvas *c, size_t p, double left, double height, bool draw)
{
    const sp_frame *f = &c->frame[p];
    sp_text text = { 0 };
    append_y(c, p, &text);
    const size_t lines = sp_write_centred(c, f->left - left + SP_MARGIN + 0.5 * LABEL - 4.0, f->top + 0.5 * f->height,
                                          SP_UPRIGHT, text.data ? text.data : "", height, draw);
    c->texts.failed = c->texts.failed || text.failed;
    sp_text_free(&text);
    return lines;
}

static size_t label_x(sp_canvas *c, size_t p, double room, bool draw)
{
    const sp_frame *f = &c->frame[p];
    sp_text text = { 0 };
    append_x(c, p, &text);
    const size_t lines = sp_write_centred(c, f->left + 0.5 * f->width, f->top + f->height + MARKS + 0.5 * LABEL,
                                          SP_ALONG, text.data ? text.data : "", room, draw);
    c->texts.failed = c->texts.failed || text.failed;
    sp_text_free(&text);
    return lines;
}

static void write_facet(sp_canvas *c, size_t p)
{
    sp_text text = { 0 };
    sp_append_facet(c, p, &text);
    sp_write_text(c, c->frame[p].left, c->frame[p].top - 0.5 * HEAD, SP_DARK, SP_SMALL, text.data ? text.data : "",
                  text.length);
    c->texts.failed = c->texts.failed || text.failed;
    sp_text_free(&text);
}

/* --- the page --------------------------------------------------------------------------------------------- */

static void measure(sp_canvas *c, page *at)
{
    at->left = at->words = at->tall = 0.0;
    for (size_t p = 0; p < c->figure->panels; p++) {
        double sum = 0.0;
        for (const sp_item *e = c->item; e < c->item + c->curves + c->guides; e++) {
            double width, height;
            sp_lines_size(e, e->in[p].words.data, &width, &height);
            at->words = fmax(at->words, width);
            sum += height;
        }
        at->tall = fmax(at->tall, sum);
        at->left = fmax(at->left, SP_MARGIN + LABEL + SP_AROUND_POINT + marks_width(c, &c->y[p]));
    }
}

static double panel_width(const sp_canvas *c, const page *at)
{
    const double beside = at->below ? 0.0 : SP_TO_WORDS + at->words;
    return c->width / (double)c->across - at->left - beside - SP_MARGIN;
}

/* Of the label of x, whose middle is that of the panel. */
static double label_room(const sp_canvas *c, const page *at)
{
    const double right = c->width / (double)c->across - at->left - at->wide;
    return at->wide + 2.0 * fmin(at->left, right) - SP_MARGIN;
}

/* Panels in a row, and their width. */
static void choose_width(sp_canvas *c, page *at)
{
    const size_t panels = c->figure->panels;
    at->below = false;
    const bool pair = c->figure->facet || (c->kind == SP_UTILITY && c->figure->width > 0.0);
    c->across = panels > 3 || (pair && panels > 1) ? 2 : 1;
    at->wide = panels == 1 || c->kind == SP_UTILITY ? 320.0 : 270.0;
    c->width = ceil((double)c->across * (at->left + at->wide + SP_TO_WORDS + at->words + SP_MARGIN));
    if (c->figure->width > 0.0) {
        c->scale = sp_paper_scale();
        c->width = sp_pixels_of(c->figure->width);
        at->below = panel_width(c, at) < BESIDE_WORDS;
        if (at->below && panel_width(c, at) < ABOVE_WORDS)
            c->across = 1;
        at->wide = panel_width(c, at);
    }
    at->rows = (panels + c->across - 1) / c->across;
}

/* Below a panel: the marks and the label of x. */
static double below_panel(const page *at)
{
    return MARKS + LABEL + (double)(at->x_lines - 1) * SP_SMALL_HEIGHT;
}

/* Between two rows of panels, of which only the last has words below it unless each has an x of its own. */
static double between(const sp_canvas *c, const page *at)
{
    return c->kind == SP_UTILITY ? below_panel(at) + 0.5 * BETWEEN : BETWEEN;
}

/* Of the panels and what is between and below them, from the first panel's top on. */
static double panels_height(const sp_canvas *c, const page *at, double high)
{
    const double head = c->figure->facet ? HEAD : 0.0, rows = (double)at->rows;
    return rows * (high + head) + (rows - 1.0) * between(c, at) + below_panel(at);
}

/* As high as a panel is that nobody gave a height. */
static double natural_height(const sp_canvas *c, const page *at)
{
    const double least = c->figure->width > 0.0       ? 170.0
                         : c->figure->panels == 1 ? 280.0
                         : c->kind == SP_UTILITY  ? 240.0
                                                  : 170.0;
    return at->below ? least : fmax(least, at->tall);
}

/* Height of the panels; `around` is all else. */
static sp_status choose_height(sp_canvas *c, page *at, double around, sp_error *error)
{
    const double given = sp_pixels_of(c->figure->height);
    at->high = natural_height(c, at);
    if (c->figure->height <= 0.0)
        return SP_OK;
    at->high = (given - around - panels_height(c, at, 0.0)) / (double)at->rows;
    if (at->high >= LOWEST)
        return SP_OK;
    return sp_fail(error, SP_EINVAL, "%s: size.height = %g: with its words and %zu rows of panels it needs %.0f mm",
                   c->place, c->figure->height, at->rows,
                   ceil(sp_millimetres_of(around + panels_height(c, at, LOWEST))));
}

/* Panels of one size below `top`; where what is below them begins. */
static double place_frames(sp_canvas *c, const page *at, double top)
{
    const size_t panels = c->figure->panels;
    const double head = c->figure->facet ? HEAD : 0.0;
    for (size_t p = 0; p < panels; p++)
        c->frame[p] = (sp_frame){ .left = at->left + (double)(p % c->across) * c->width / (double)c->across,
                                  .top = top + head + (double)(p / c->across) * (at->high + head + between(c, at)),
                                  .width = at->wide, .height = at->high };
    return top + panels_height(c, at, at->high);
}

sp_status sp_figure_layout(sp_canvas *c, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t panels = c->figure->panels;
    page at = { .x_lines = 1 };
    if (c->kind == SP_DOMINANCE)
        return sp_square_layout(c, error);
    c->scale = 1.0;
    measure(c, &at);
    choose_width(c, &at);
    size_t y_lines = 1;
    for (size_t p = 0; p < panels; p++)
        y_lines = (size_t)fmax((double)y_lines, (double)label_y(c, p, 0.0, natural_height(c, &at), false));
    at.left += (double)(y_lines - 1) * SP_SMALL_HEIGHT;
    choose_width(c, &at);
    for (size_t p = 0; p < panels; p++)
        at.x_lines = (size_t)fmax((double)at.x_lines, (double)label_x(c, p, label_room(c, &at), false));
    double top = sp_write_lines(c, c->title.data ? c->title.data : "", SP_DARK, SP_TITLE, SP_MARGIN);
    top = sp_write_lines(c, c->subtitle.data ? c->subtitle.data : "", SP_PALE, SP_SMALL, top) + 1.5 * SP_MARGIN;
    double around = top + sp_write_notes(c, SP_PALE, 0.0, false) + SP_MARGIN;
    if (c->figure->height > 0.0 && !at.below) { /* words that are higher than their panel go below it */
        SP_TRY(choose_height(c, &at, around, error));
        at.below = at.high < at.tall;
        at.wide = panel_width(c, &at);
    }
    around += at.below ? sp_place_key(c, 0.0, false) : 0.0;
    SP_TRY(choose_height(c, &at, around, error));
    top = place_frames(c, &at, top);
    c->keyed = at.below;
    top = at.below ? sp_place_key(c, top, true) : top;
    top = sp_write_notes(c, SP_PALE, top, true);
    c->height = c->figure->height > 0.0 ? sp_pixels_of(c->figure->height) : ceil(top + SP_MARGIN);
    for (size_t p = 0; p < panels; p++) {
        if (c->kind == SP_RATE)
            sp_place_powers(c, p);
        if (p + c->across >= panels || c->kind == SP_UTILITY)
            label_x(c, p, label_room(c, &at), true);
        label_y(c, p, at.left, natural_height(c, &at), true);
        if (c->figure->facet)
            write_facet(c, p);
        if (!at.below && sp_place_curve_labels(c, p) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c->place));
    }
cleanup:
    return status;
}
