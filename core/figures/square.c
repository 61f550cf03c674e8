/* square.c -- who beats whom: a square of methods, a field for each pair; see figures_internal.h.
 *
 * The colour of a field is the class of its ratio, from dark blue by grey to light yellow: lighter all the way, so that
 * it can be read in grey, and along blue and yellow, which every colour vision tells apart. */
#include "core/figures/figures_internal.h"

#include "core/figures/figure_text.h"

#include <stdio.h>
#include <string.h>

/* Pixels: from a label to the square, between fields; of a colour of the key, below it, and above the key; of a sample of
 * a mark, and with its words. */
enum { TO_LABELS = 7, BETWEEN = 1, SWATCH_WIDTH = 42, SWATCH_HEIGHT = 14, MARKS = 20, ABOVE = 14, SAMPLE = 16,
       MARK_WORDS = 226 };
/* Pixels of a side: the largest and the smallest that fields have on a page of their own, the least that leaves labels
 * apart; what a square is to fill. */
enum { LARGEST = 26, SMALLEST = 18, LEAST = 14, WIDE = 440 };
enum { NARROWEST = 480 }; /* for the words, without a size of its own */

/* Ratios up to each edge have the class, the last one all beyond. */
enum { CLASSES = 9 };
static const double edge[CLASSES - 1] = { 0.1, 0.2, 0.5, 0.8, 1.25, 2.0, 5.0, 10.0 };
static const unsigned colours[CLASSES] = { 0x0B2A5B, 0x2A4A7F, 0x52688F, 0x788395, 0x9B9B9B, 0xB8AD83, 0xD2C16B,
                                           0xEAD75A, 0xFFF07C };
typedef enum { NO_MARK, DIFFERS, EQUIVALENT } mark;

static size_t class_of(double ratio)
{
    size_t i = 0;
    while (i < CLASSES - 1 && ratio > edge[i])
        i++;
    return i;
}

static unsigned ink_on(size_t class)
{
    return class < 4 ? 0xFFFFFF : 0x000000;
}

static mark mark_of(sp_order order)
{
    return order == SP_BETTER || order == SP_WORSE ? DIFFERS : order == SP_EQUIVALENT ? EQUIVALENT : NO_MARK;
}

/* "dp_gd", "dp_newton (12)": on how many problems, where not on all */
static void append_label(const sp_board *b, size_t label, sp_text *out)
{
    const size_t problems = sp_board_problems(b, label);
    sp_append_plain(out, b->label[label]);
    if (problems < b->problems)
        sp_text_append(out, SP_SPACE "(%zu)", problems);
}

/* The samples of marks below the colours, side by side where there is room: their left ends, and lines. */
static const struct { mark sign; const char *words; } marks[] = {
    { DIFFERS, "they differ at the 5 % level" }, { EQUIVALENT, "they are equivalent, within 5 %" },
};
enum { SAMPLES = sizeof marks / sizeof *marks };

static bool marks_are_stacked(const sp_canvas *c)
{
    return c->width < SP_MARGIN + SAMPLES * MARK_WORDS + SP_MARGIN;
}

static double mark_left(const sp_canvas *c, size_t i)
{
    return SP_MARGIN + (marks_are_stacked(c) ? 0.0 : (double)i * MARK_WORDS);
}

static double mark_top(const sp_canvas *c, size_t i)
{
    return c->scores.key_top + SWATCH_HEIGHT + MARKS + (marks_are_stacked(c) ? (double)i * SP_SMALL_HEIGHT : 0.0);
}

static double widest_label(sp_canvas *c)
{
    double widest = 0.0;
    for (size_t i = 0; i < c->scores.shown; i++) {
        sp_text text = { 0 };
        append_label(&c->scores.board, c->scores.order[i], &text);
        widest = fmax(widest, sp_text_ems(text.data ? text.data : "") * sp_font_size(SP_SMALL));
        c->texts.failed = c->texts.failed || text.failed;
        sp_text_free(&text);
    }
    return ceil(widest);
}

static void write_labels(sp_canvas *c, double side)
{
    const sp_frame *f = &c->frame[0];
    for (size_t i = 0; i < c->scores.shown; i++) {
        const double middle = ((double)i + 0.5) * side;
        sp_text text = { 0 };
        append_label(&c->scores.board, c->scores.order[i], &text);
        c->texts.failed = c->texts.failed || text.failed;
        const char *label = text.data ? text.data : "";
        sp_write_text(c, f->left - TO_LABELS, f->top + middle, SP_DARK, SP_ENDING, label, text.length);
        sp_write_text(c, f->left + middle, f->top - TO_LABELS, SP_DARK, SP_RISING, label, text.length);
        sp_text_free(&text);
    }
}

/* Of the key: words, then its fields with their edges between them. Where the next line would be. */
static double write_key(sp_canvas *c, double top)
{
    const double bar = c->scores.key_top = top + SP_SMALL_HEIGHT + 4.0;
    sp_text words = { 0 };
    sp_append_panel_unit(c, 0, &words);
    sp_text_append(&words, ": the row's method over the column's");
    sp_write_text(c, SP_MARGIN, top + 0.5 * SP_SMALL_HEIGHT, SP_DARK, SP_SMALL, words.data ? words.data : "",
                  words.length);
    c->texts.failed = c->texts.failed || words.failed;
    sp_text_free(&words);
    for (size_t i = 0; i < CLASSES - 1; i++) {
        char number[32];
        const int length = snprintf(number, sizeof number, "%g", edge[i]);
        sp_write_text(c, SP_MARGIN + (double)(i + 1) * SWATCH_WIDTH, bar + SWATCH_HEIGHT + 0.4 * MARKS, SP_DARK, SP_ALONG,
                      number, (size_t)length);
    }
    for (size_t i = 0; i < SAMPLES; i++)
        sp_write_text(c, mark_left(c, i) + SAMPLE + TO_LABELS, mark_top(c, i) + 0.5 * SAMPLE, SP_DARK, SP_SMALL,
                      marks[i].words, strlen(marks[i].words));
    return mark_top(c, SAMPLES - 1) + SAMPLE + 0.5 * ABOVE;
}

/* Of a field, as large as the page leaves it. */
static sp_status choose_side(const sp_canvas *c, double labels, double *side, sp_error *error)
{
    const double around = labels + TO_LABELS + 2.0 * SP_MARGIN, count = (double)c->scores.shown;
    *side = fmin(LARGEST, fmax(SMALLEST, floor(WIDE / count)));
    if (c->figure->width <= 0.0)
        return SP_OK;
    *side = fmin(LARGEST, (sp_pixels_of(c->figure->width) - around) / count);
    if (*side >= LEAST)
        return SP_OK;
    return sp_fail(error, SP_EINVAL, "%s: size.width = %g: for %zu methods it needs %.0f mm", c->place, c->figure->width,
                   c->scores.shown, ceil(sp_millimetres_of(around + LEAST * count)));
}

sp_status sp_square_layout(sp_canvas *c, sp_error *error)
{
    sp_status status = SP_OK;
    const double labels = widest_label(c), asked = c->figure->height;
    double side;
    SP_TRY(choose_side(c, labels, &side, error));
    const double wide = side * (double)c->scores.shown, left = SP_MARGIN + labels + TO_LABELS;
    c->across = 1;
    c->scale = c->figure->width > 0.0 ? sp_paper_scale() : 1.0;
    c->width = c->figure->width > 0.0 ? sp_pixels_of(c->figure->width) : ceil(fmax(NARROWEST, left + wide + SP_MARGIN));
    double top = sp_write_lines(c, c->title.data ? c->title.data : "", SP_DARK, SP_TITLE, SP_MARGIN);
    top = sp_write_lines(c, c->subtitle.data ? c->subtitle.data : "", SP_PALE, SP_SMALL, top) + 1.5 * SP_MARGIN;
    c->frame[0] = (sp_frame){ .left = left, .top = top + labels + TO_LABELS, .width = wide, .height = wide };
    write_labels(c, side);
    top = write_key(c, c->frame[0].top + wide + ABOVE);
    top = sp_write_notes(c, SP_PALE, top, true) + SP_MARGIN;
    c->height = asked > 0.0 ? sp_pixels_of(asked) : ceil(top);
    if (asked > 0.0 && c->height < top)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: size.height = %g: with its words it needs %.0f mm", c->place, asked,
                       ceil(sp_millimetres_of(top))));
cleanup:
    return status;
}

/* A row of the block: where, its colours and its mark. */
static void write_field(sp_text *out, double x, double y, double width, double height, size_t class, mark sign)
{
    sp_text_append(out, "%.2f\t%.2f\t%.2f\t%.2f\t%u\t%u\t%d", x, y, width, height, colours[class], ink_on(class),
                   (int)sign);
}

static void write_number(sp_text *out, double value)
{
    char number[SP_NUMBER_SIZE];
    sp_text_append(out, "\t%s", isnan(value) ? "NaN" : isinf(value) ? "inf" : sp_number(value, number));
}

/* Labels, and the numbers of `score`. */
static void write_pair(sp_text *out, const char *row, const char *column, const sp_dominance *d)
{
    sp_text_append(out, "\t");
    sp_append_plain(out, row);
    sp_text_append(out, "\t");
    sp_append_plain(out, column);
    sp_text_append(out, "\t%zu", d->pair.estimate.count);
    write_number(out, d->pair.estimate.estimate);
    write_number(out, d->pair.estimate.low);
    write_number(out, d->pair.estimate.high);
    write_number(out, d->pair.all.p);
    write_number(out, d->pair.p_equivalent);
    sp_text_append(out, "\t%s\n", sp_order_name(d->order));
}

void sp_square_write(const sp_canvas *c, sp_text *out)
{
    const sp_scores *s = &c->scores;
    const sp_frame *f = &c->frame[0];
    const double side = f->width / (double)s->shown;
    sp_text_append(out, "\n\nx\ty\twidth\theight\tcolour\tink\tmark\tlabel\tbase\tproblems\testimate\tlow\thigh\tp\t"
                        "p_equivalent\torder\n");
    for (size_t i = 0; i < s->shown; i++)
        for (size_t k = 0; k < s->shown; k++) {
            const sp_dominance *d = &s->pair[s->order[i] * s->board.labels + s->order[k]];
            if (d->order == SP_TOO_FEW) /* and a method with itself */
                continue;
            write_field(out, f->left + (double)k * side, f->top + (double)i * side, side - BETWEEN, side - BETWEEN,
                        class_of(d->pair.estimate.estimate), mark_of(d->order));
            write_pair(out, s->board.label[s->order[i]], s->board.label[s->order[k]], d);
        }
    sp_text_append(out, "\n\nx\ty\twidth\theight\tcolour\tink\tmark\n");
    for (size_t i = 0; i < CLASSES; i++) {
        write_field(out, SP_MARGIN + (double)i * SWATCH_WIDTH, s->key_top, SWATCH_WIDTH, SWATCH_HEIGHT, i, NO_MARK);
        sp_text_append(out, "\n");
    }
    for (size_t i = 0; i < SAMPLES; i++) {
        write_field(out, mark_left(c, i), mark_top(c, i), SAMPLE, SAMPLE, CLASSES / 2, marks[i].sign);
        sp_text_append(out, "\n");
    }
}
