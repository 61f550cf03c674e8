/* curve_labels.c -- words to the right of their panel; see figures_internal.h.
 *
 * Each stands as near to the end of its curve as the others allow: of all places in order without an overlap those with
 * the smallest sum of squared distances (isotonic regression). */
#include "core/figures/figures_internal.h"

#include "core/base/memory.h"

#include <stdlib.h>

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

/* Where an item ends in panel p, on its last point in the frame, or at the frame's edge when none is. */
static void find_end(const sp_canvas *c, const sp_item *e, size_t p, words *out)
{
    const sp_series *series = &e->in[p].series;
    const size_t points = e->guide == SP_LEVEL || !e->guide ? series->points : sp_guide_points(e, p);
    bool inside = false;
    *out = (words){ .item = e };
    for (size_t i = 0; i < points; i++) {
        const bool curve = !e->guide, level = e->guide == SP_LEVEL;
        const double x = curve ? series->x[i] : level ? NAN : e->in[p].verdict->curve.x[i];
        const double y = curve || level ? series->mean[i].estimate : sp_guide_value(e, p, i);
        const bool holds = curve ? sp_canvas_holds(c, p, series, i)
                                 : sp_axis_holds(&c->y[p], y) && (level || sp_axis_holds(&c->x[p], x));
        if (!isfinite(y) || (inside && !holds))
            continue;
        inside = holds;
        out->x = level ? c->frame[p].width - SP_AROUND_POINT
                       : fmin(c->frame[p].width, sp_pixel_x(c, p, x) + (curve ? sp_pixels_aside(c, e, p) : 0.0));
        out->y = fmax(0.0, fmin(c->frame[p].height, sp_pixel_y(c, p, y)));
    }
}

static void write_words(sp_canvas *c, size_t p, const words *word)
{
    const sp_frame *f = &c->frame[p];
    const sp_item *e = word->item;
    const double left = f->left + f->width + SP_TO_WORDS, middle = word->top + 0.5 * sp_line_height(e, 0);
    sp_write_block(c, e, left, f->top + word->top, e->in[p].words.data);
    if (fabs(middle - word->y) > 4.0 || word->x < 0.9 * f->width) {
        const double from[2] = { f->left + word->x + SP_AROUND_POINT, f->top + word->y };
        sp_text_append(&c->leaders, "%.1f\t%.1f\t%.1f\t%.1f\t%u\n", from[0], from[1], left - 3.0 - from[0],
                       f->top + middle - from[1], e->look.colour);
    }
}

sp_status sp_place_curve_labels(sp_canvas *c, size_t p)
{
    size_t count = 0;
    words *word = sp_alloc(c->curves + c->guides + 1, sizeof *word);
    if (!word)
        return SP_ENOMEM;
    for (const sp_item *e = c->item; e < c->item + c->curves + c->guides; e++)
        if (sp_is_drawn(c, e, p) && e->guide != SP_HAND_OVER) {
            double width;
            find_end(c, e, p, &word[count]);
            sp_lines_size(e, e->in[p].words.data, &width, &word[count].height);
            word[count].wanted = word[count].y - 0.5 * sp_line_height(e, 0);
            count++;
        }
    spread(word, count, c->frame[p].height);
    for (size_t i = 0; i < count; i++)
        write_words(c, p, &word[i]);
    free(word);
    return SP_OK;
}
