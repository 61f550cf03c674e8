/* layout.c -- axes, panels and the places of the words; see parts.h.
 *
 * Words stand to the right of their panel, each as near to the end of its curve as the others allow: of all places in
 * order without an overlap those with the smallest sum of squared distances (isotonic regression). A panel is as high
 * as its words need. */
#include "core/figures/parts.h"

#include "core/base/memory.h"
#include "core/figures/figure_text.h"

#include <stdlib.h>
#include <string.h>

/* Pixels: for the label of an axis, for the marks below a panel, from a panel to its words, between panels, around all,
 * around a point; of lines. */
enum { LABEL = 24, MARKS = 26, TO_WORDS = 14, BETWEEN = 22, MARGIN = 10, AROUND_POINT = 8 };
enum { TITLE_HEIGHT = 20, NAME_HEIGHT = 22, SMALL_HEIGHT = 19 };
enum { DARK = 0x222222, PALE = 0x555555 };
/* Of texts, as in plots/figure.gp; bold is wider. */
static const double font_size[] = { [SP_TITLE] = 14.0 * 1.12, [SP_NAME] = 15.0, [SP_SMALL] = 13.5 }, mark_size = 13.5;

/* --- axes ------------------------------------------------------------------------------------------------- */

/* By which the claimed law is above all points, unless the claim gives its constant. */
static double above_points(const sp_verdict *v)
{
    double factor = 0.0;
    for (size_t i = 0; i < v->curve.points; i++)
        if (isfinite(v->y[i].estimate) && v->theory[i] > 0.0)
            factor = fmax(factor, v->y[i].estimate / v->theory[i]);
    return isnan(v->claim->constant) ? factor : 1.0;
}

static const double FAR = 1000.0; /* beyond it only a logarithm would show a value */

/* Whether the axis goes as far as a value that is no part of a curve. */
static bool within_reach(const sp_axis *curves, double value, double reach)
{
    return value >= curves->low / reach && value <= curves->high * reach;
}

/* A claim's line far from the curves would squeeze them: a note tells instead. So it does of a level outside of the
 * axis that they set, which no level widens but the start of a trajectory, that a logarithm can show beside it. */
static void add_guide(sp_canvas *c, sp_item *e, size_t p, const sp_axis *curves, double margin)
{
    const bool level = e->guide == SP_LEVEL, start = level && c->kind == SP_TRAJECTORY;
    const size_t points = level ? e->series[p].points : e->verdict->curve.points;
    sp_axis frame = *curves;
    sp_axis_finish(&frame, margin);
    e->constant = e->guide == SP_BOUND ? above_points(e->verdict) : NAN;
    for (size_t i = 0; i < points; i++) {
        const double value = level ? e->series[p].mean[i].estimate : sp_guide_value(e, i);
        if (start ? curves->positive && value > 0.0 && !within_reach(curves, value, FAR)
                  : level ? isfinite(value) && !sp_axis_holds(&frame, value)
                          : e->guide != SP_RIVAL && !within_reach(curves, value, 30.0))
            e->hidden[p] = true;
    }
    for (size_t i = 0; i < points && !e->hidden[p] && (start || !level); i++)
        sp_axis_add(&c->y[p], level ? e->series[p].mean[i].estimate : sp_guide_value(e, i));
}

static void add_y(sp_axis *y, double value, const sp_axis *private)
{
    if (!private || within_reach(private, value, FAR))
        sp_axis_add(y, value);
}

/* What is not private goes no further than FAR from what is, unless `private` is NULL. */
static void add_curve(sp_canvas *c, const sp_item *e, size_t p, const sp_axis *private)
{
    const sp_series *series = &e->series[p];
    const bool keeps_sign = c->kind != SP_RESIDUAL; /* an interval alone makes no axis linear */
    for (size_t i = 0; i < series->points; i++) {
        if (!sp_canvas_shows(c, series, i))
            continue;
        sp_axis_add(&c->x, series->x[i]);
        add_y(&c->y[p], series->mean[i].estimate, private);
        if (!keeps_sign || series->mean[i].low > 0.0 || !(series->mean[i].estimate > 0.0))
            add_y(&c->y[p], series->mean[i].low, private);
        add_y(&c->y[p], series->mean[i].high, private);
    }
}

/* The private curves first: where they are positive, a logarithm shows them, and they bound what the others add. */
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
}

/* Without a point on the axis a curve is a note. */
static void hide_curves(sp_canvas *c, size_t p)
{
    for (sp_item *e = c->item; e < c->item + c->curves; e++) {
        size_t points = 0, inside = 0;
        for (size_t i = 0; i < e->series[p].points; i++)
            if (sp_canvas_shows(c, &e->series[p], i)) {
                points++;
                inside += sp_axis_holds(&c->y[p], e->series[p].mean[i].estimate);
            }
        e->hidden[p] = points > 0 && inside == 0;
    }
}

/* Logarithmic for rates and trajectories, and for a list of epsilons or the like that is geometric. */
static sp_status choose_x(sp_canvas *c)
{
    size_t count = 0, room = 1;
    for (const sp_item *e = c->item; e < c->item + c->curves; e++)
        room += e->series[0].points;
    double *x = sp_alloc_doubles(room);
    if (!x)
        return SP_ENOMEM;
    for (const sp_item *e = c->item; e < c->item + c->curves; e++)
        for (size_t i = 0; i < e->series[0].points; i++)
            x[count++] = e->series[0].x[i];
    count = sp_distinct(x, count);
    c->x = sp_axis_start(c->kind != SP_TRADE_OFF || sp_is_geometric(x, count) ? SP_SCALE_LOGARITHMIC
                                                                              : SP_SCALE_AUTOMATIC);
    free(x);
    return SP_OK;
}

sp_status sp_figure_axes(sp_canvas *c)
{
    sp_status status = SP_OK;
    const double margin = sp_canvas_fits(c) ? 0.13 : 0.06; /* room for the powers */
    SP_TRY(choose_x(c));
    for (size_t p = 0; p < c->figure->panels; p++) {
        const sp_measure *measure = sp_canvas_measure(c, p);
        const bool linear = c->kind == SP_RESIDUAL || (c->kind != SP_RATE && measure && !measure->lower_is_better);
        c->y[p] = sp_axis_start(c->kind == SP_RATE ? SP_SCALE_LOGARITHMIC : linear ? SP_SCALE_LINEAR
                                                                                   : SP_SCALE_AUTOMATIC);
        add_curves(c, p);
        const sp_axis curves = c->y[p];
        for (sp_item *e = c->item + c->curves; e < c->item + c->curves + c->guides; e++)
            if (e->guide == SP_POWER)
                e->hidden[p] = isnan(e->verdict->exponent);
            else if (e->guide != SP_HAND_OVER)
                add_guide(c, e, p, &curves, margin);
        sp_axis_finish(&c->y[p], margin);
        hide_curves(c, p);
    }
    sp_axis_finish(&c->x, 0.05);
cleanup:
    return status;
}

/* --- panels ----------------------------------------------------------------------------------------------- */

/* Of a line of an item's words: the name of a curve is larger than what is said of it. */
static sp_text_size line_size(const sp_item *e, size_t line)
{
    return line == 0 && sp_is_named(e) ? SP_NAME : SP_SMALL;
}

static double line_height(const sp_item *e, size_t line)
{
    return line_size(e, line) == SP_NAME ? NAME_HEIGHT : SMALL_HEIGHT;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

static void measure_words(const sp_item *e, double *width, double *height)
{
    const char *line = e->words.data;
    *width = *height = 0.0;
    for (size_t i = 0; line; i++, line = next_line(line)) {
        *width = fmax(*width, sp_text_ems(line) * font_size[line_size(e, i)]);
        *height += line_height(e, i);
    }
}

static void write_text(sp_canvas *c, double x, double y, unsigned colour, sp_text_size size, const char *text,
                       size_t length)
{
    sp_text_append(&c->texts, "%.1f\t%.1f\t%u\t%d\t%.*s\n", x, y, colour, (int)size, (int)length, text);
}

/* Lines across the figure from `top` on; where the next one would be. */
static double write_lines(sp_canvas *c, const char *plain, unsigned colour, sp_text_size size, double top)
{
    const double height = size == SP_TITLE ? TITLE_HEIGHT : SMALL_HEIGHT;
    while (*plain) {
        const size_t length = sp_text_line(plain, (c->width - 2.0 * MARGIN) / font_size[size]);
        char *line = strndup(plain, length);
        sp_text text = { 0 };
        sp_append_plain(&text, line ? line : "");
        c->texts.failed = c->texts.failed || !line || text.failed;
        write_text(c, MARGIN, top + 0.5 * height, colour, size, text.data ? text.data : "", text.length);
        sp_text_free(&text);
        free(line);
        plain += length;
        plain += *plain == ' ';
        top += height;
    }
    return top;
}

/* Of the widest label at an axis. */
static double marks_width(sp_canvas *c, const sp_axis *axis)
{
    sp_text marks = { 0 };
    double widest = 0.0;
    char *rest = NULL;
    sp_axis_marks(axis, &marks);
    char *label = marks.data ? strtok_r(marks.data, " ", &rest) : NULL;
    for (; label; label = strtok_r(NULL, " ", &rest)) {
        widest = fmax(widest, sp_text_ems(label) * mark_size);
        strtok_r(NULL, " ", &rest); /* where it stands */
    }
    c->texts.failed = c->texts.failed || marks.failed;
    sp_text_free(&marks);
    return widest;
}

/* Panels of one size below `top`, `left` to the right of where their column begins. */
static double place_frames(sp_canvas *c, double left, double width, double height, double top)
{
    const size_t panels = c->figure->panels;
    for (size_t p = 0; p < panels; p++)
        c->frame[p] = (sp_frame){ .left = left + (double)(p % c->across) * c->width / (double)c->across,
                                  .top = top + (double)(p / c->across) * (height + BETWEEN), .width = width,
                                  .height = height };
    return c->frame[panels - 1].top + height + MARKS + LABEL;
}

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

static void write_labels(sp_canvas *c, size_t p, double left)
{
    const sp_frame *f = &c->frame[p];
    const sp_measure *measure = sp_canvas_measure(c, p);
    const char *symbol, *x_label;
    sp_text x = { 0 }, y = { 0 };
    sp_name_x(c->figure->x ? c->figure->x : "gradients", &symbol, &x_label);
    if (c->figure->x_label)
        sp_append_plain(&x, c->figure->x_label);
    else
        sp_text_append(&x, "%s", x_label);
    if (c->curves > 0 && c->item->verdict && c->item->verdict->claim->alpha)
        sp_text_append(&y, "smallest" SP_SPACE "{/:Italic \u03b1}" SP_SPACE "reached");
    else
        append_measure(c, measure && measure->unit ? measure->unit : c->figure->y[p], symbol, &y);
    c->texts.failed = c->texts.failed || x.failed || y.failed;
    if (p + c->across >= c->figure->panels)
        write_text(c, f->left + 0.5 * f->width, f->top + f->height + MARKS + 0.5 * LABEL, DARK, SP_ALONG,
                   x.data ? x.data : "", x.length);
    write_text(c, f->left - left + MARGIN + 0.5 * LABEL - 4.0, f->top + 0.5 * f->height, DARK, SP_UPRIGHT,
               y.data ? y.data : "", y.length);
    sp_text_free(&x);
    sp_text_free(&y);
}

/* --- powers ----------------------------------------------------------------------------------------------- */

static double x_pixel(const sp_canvas *c, size_t p, double x)
{
    return sp_axis_share(&c->x, x) * c->frame[p].width;
}

static double y_pixel(const sp_canvas *c, size_t p, double y)
{
    return (1.0 - sp_axis_share(&c->y[p], y)) * c->frame[p].height;
}

/* Height of an item at the pixel x by straight lines between its points; NAN beside them. */
static double height_at(const sp_canvas *c, const sp_item *e, double x)
{
    const bool curve = !e->guide;
    const size_t points = curve ? e->series[0].points : e->verdict->curve.points;
    double before[2] = { NAN, NAN };
    for (size_t i = 0; i < points; i++) {
        const double at = curve ? e->series[0].x[i] : e->verdict->curve.x[i];
        const double y = curve ? e->series[0].mean[i].estimate : sp_guide_value(e, i);
        const double pixel[2] = { x_pixel(c, 0, at), y_pixel(c, 0, y) };
        if (pixel[0] == x)
            return pixel[1];
        if (before[0] < x && x < pixel[0])
            return before[1] + (x - before[0]) / (pixel[0] - before[0]) * (pixel[1] - before[1]);
        before[0] = pixel[0];
        before[1] = pixel[1];
    }
    return NAN;
}

/* How far the line, moved down by `shift`, is from the curves and from the guides before it; to the frame it may come
 * nearer by EDGE. */
static double clearance(const sp_canvas *c, const sp_item *line, double shift)
{
    enum { EDGE = 6 };
    double least = INFINITY;
    for (size_t i = 0; i < line->verdict->curve.points; i++) {
        const double x = x_pixel(c, 0, line->verdict->curve.x[i]);
        const double y = y_pixel(c, 0, sp_guide_value(line, i)) + shift;
        least = fmin(least, EDGE + fmin(y, c->frame[0].height - y));
        for (const sp_item *e = c->item; e < line; e++)
            least = fmin(least, fabs(height_at(c, e, x) - y)); /* not a number: none there */
    }
    return least;
}

/* Beside its curve: as near as leaves it clear of the others, or else where it is least near to any. */
static void place_powers(sp_canvas *c)
{
    enum { BESIDE = 13, STEP = 5, FARTHEST = 38, CLEAR = 8 };
    const double length = log(c->y[0].high / c->y[0].low);
    for (sp_item *e = c->item + c->curves; e < c->item + c->curves + c->guides; e++) {
        double best = 0.0, found = -INFINITY;
        if (e->guide != SP_POWER || c->kind != SP_RATE)
            continue;
        e->constant = 1.0;
        for (double shift = BESIDE; shift <= FARTHEST; shift += STEP)
            for (double sign = -1.0; sign < 2.0; sign += 2.0) {
                const double clear = fmin(CLEAR, clearance(c, e, sign * shift));
                if (clear > found) {
                    found = clear;
                    best = sign * shift;
                }
            }
        e->constant *= exp(-best / c->frame[0].height * length);
    }
}

/* --- words ------------------------------------------------------------------------------------------------ */

typedef struct words {
    const sp_item *item;
    double x, y;                /* where the curve ends, in pixels from the panel's left and top */
    double wanted, top, height; /* of the words: their top as it were without the others, and as it is */
} words;

static int by_top(const void *a, const void *b)
{
    const words *p = a, *q = b;
    return p->wanted != q->wanted ? (p->wanted > q->wanted) - (p->wanted < q->wanted)
                                  : (p->item > q->item) - (p->item < q->item);
}

/* Moves the words, in their order, so that none overlap and all are within `height`: less what stands above each, the
 * tops have to ascend, and the nearest that do are max over a <= i of min over b >= i of the mean from a to b. */
static void spread(words *word, size_t count, double height)
{
    double total = 0.0, above = 0.0;
    qsort(word, count, sizeof *word, by_top);
    for (size_t i = 0; i < count; i++) {
        word[i].wanted -= total;
        total += word[i].height;
    }
    for (size_t i = 0; i < count; i++) {
        double most = -INFINITY;
        for (size_t a = 0; a <= i; a++) {
            double sum = 0.0, least = INFINITY;
            for (size_t b = a; b < count; b++) {
                sum += word[b].wanted;
                least = b >= i ? fmin(least, sum / (double)(b - a + 1)) : least;
            }
            most = fmax(most, least);
        }
        word[i].top = fmax(0.0, fmin(most, height - total)) + above;
        above += word[i].height;
    }
}

/* Where an item ends in panel p; false when nothing of it is drawn there, or a note tells what it is. */
static bool find_end(const sp_canvas *c, const sp_item *e, size_t p, words *out)
{
    const sp_series *series = &e->series[p];
    bool found = false;
    *out = (words){ .item = e };
    if (e->guide == SP_LEVEL) {
        found = series->points > 0 && !e->hidden[p];
        out->x = c->frame[p].width - AROUND_POINT;
        out->y = found ? y_pixel(c, p, series->mean[0].estimate) : 0.0;
    } else if (e->guide && e->guide != SP_HAND_OVER) {
        for (size_t i = 0; i < e->verdict->curve.points; i++)
            if (isfinite(sp_guide_value(e, i))) {
                found = true;
                out->x = x_pixel(c, p, e->verdict->curve.x[i]);
                out->y = y_pixel(c, p, sp_guide_value(e, i));
            }
    } else {
        for (size_t i = 0; i < series->points; i++)
            if (sp_canvas_shows(c, series, i) && sp_axis_holds(&c->y[p], series->mean[i].estimate)) {
                found = true;
                out->x = x_pixel(c, p, series->x[i]);
                out->y = y_pixel(c, p, series->mean[i].estimate);
            }
    }
    return found;
}

static void write_words(sp_canvas *c, size_t p, const words *word)
{
    const sp_frame *f = &c->frame[p];
    const sp_item *e = word->item;
    const double left = f->left + f->width + TO_WORDS, middle = word->top + 0.5 * line_height(e, 0);
    double top = f->top + word->top;
    const char *line = e->words.data;
    for (size_t i = 0; line; i++, line = next_line(line)) {
        const double height = line_height(e, i);
        write_text(c, left, top + 0.5 * height, sp_look_ink(e->look.colour), line_size(e, i), line,
                   strcspn(line, "\n"));
        top += height;
    }
    if (fabs(middle - word->y) > 4.0 || word->x < 0.9 * f->width) {
        const double from[2] = { f->left + word->x + AROUND_POINT, f->top + word->y };
        sp_text_append(&c->leaders, "%.1f\t%.1f\t%.1f\t%.1f\t%u\n", from[0], from[1], left - 3.0 - from[0],
                       f->top + middle - from[1], e->look.colour);
    }
}

static void place_words(sp_canvas *c, size_t p, words *word)
{
    size_t count = 0;
    for (const sp_item *e = c->item; e < c->item + c->curves + c->guides; e++)
        if (find_end(c, e, p, &word[count])) {
            double width;
            measure_words(e, &width, &word[count].height);
            word[count].wanted = word[count].y - 0.5 * line_height(e, 0);
            count++;
        }
    spread(word, count, c->frame[p].height);
    for (size_t i = 0; i < count; i++)
        write_words(c, p, &word[i]);
}

sp_status sp_figure_layout(sp_canvas *c)
{
    const size_t panels = c->figure->panels;
    const double wide = panels == 1 ? 320.0 : 270.0;
    double width, height, widest = 0.0, needed = panels == 1 ? 280.0 : 170.0, left = 0.0, sum = 0.0;
    words *word = sp_alloc(c->curves + c->guides + 1, sizeof *word);
    if (!word)
        return SP_ENOMEM;
    for (const sp_item *e = c->item; e < c->item + c->curves + c->guides; e++) {
        measure_words(e, &width, &height);
        widest = fmax(widest, width);
        sum += height;
    }
    for (size_t p = 0; p < panels; p++)
        left = fmax(left, MARGIN + LABEL + AROUND_POINT + marks_width(c, &c->y[p]));
    c->across = panels > 3 ? 2 : 1;
    c->width = ceil((double)c->across * (left + wide + TO_WORDS + widest + MARGIN));
    double top = write_lines(c, c->title.data ? c->title.data : "", DARK, SP_TITLE, MARGIN);
    top = write_lines(c, c->subtitle.data ? c->subtitle.data : "", PALE, SP_SMALL, top);
    top = place_frames(c, left, wide, fmax(needed, sum), top + 1.5 * MARGIN);
    for (const char *note = c->notes.data; note && *note; note = strchr(note, '\n') + 1) {
        write_text(c, MARGIN, top + 0.5 * SMALL_HEIGHT, PALE, SP_SMALL, note, strcspn(note, "\n"));
        top += SMALL_HEIGHT;
    }
    c->height = ceil(top + MARGIN);
    place_powers(c);
    for (size_t p = 0; p < panels; p++) {
        write_labels(c, p, left);
        place_words(c, p, word);
    }
    free(word);
    return SP_OK;
}
