/* key.c -- what the curves are called, below the panels: where the page is too narrow for words beside them. Entries
 * of one width stand in as many columns as there is room for; see parts.h. */
#include "core/figures/parts.h"

#include "core/figures/figure_text.h"

#include <string.h>

enum { SAMPLE = 34, GAP = 18 }; /* pixels: of a line in front of the words, between columns */

typedef struct page {
    double width, top; /* of a column; of the row */
    size_t columns, column;
    double row;        /* height of the row so far */
} page;

static bool same_words(const sp_item *e, size_t p, size_t q)
{
    const char *a = e->in[p].words.data, *b = e->in[q].words.data;
    return a && b && strcmp(a, b) == 0;
}

/* Are these words not said yet? */
static bool is_new(const sp_canvas *c, const sp_item *e, size_t p)
{
    bool yes = e->in[p].words.length > 0 && sp_is_drawn(c, e, p);
    for (size_t q = 0; q < p && yes; q++)
        yes = !(sp_is_drawn(c, e, q) && same_words(e, q, p));
    return yes;
}

/* What is said of one panel of a facet alone begins with its value. */
static void write_head(const sp_canvas *c, const sp_item *e, size_t p, sp_text *out)
{
    bool alone = c->figure->facet != NULL;
    for (size_t q = 0; q < c->figure->panels && alone; q++)
        alone = q == p || !same_words(e, p, q);
    if (alone) {
        sp_append_facet(c, p, out);
        sp_text_append(out, ", ");
    }
}

/* The words of an entry with what stands before them, broken into lines that fit. */
static void write_entry(const sp_canvas *c, const sp_item *e, size_t p, double ems, sp_text *out)
{
    sp_text text = { 0 };
    write_head(c, e, p, &text);
    sp_text_append(&text, "%s", e->in[p].words.data);
    for (const char *line = text.data; line && *line;) {
        const size_t length = sp_text_piece(line, ems);
        sp_text_append(out, "%s%.*s", out->length ? "\n" : "", (int)length, line);
        line += length;
        line += *line == ' ' || *line == '\n';
    }
    out->failed = out->failed || text.failed;
    sp_text_free(&text);
}

static void place_entry(sp_canvas *c, const sp_item *e, size_t p, page *at, bool draw)
{
    sp_text text = { 0 };
    double width, height, y = at->top;
    write_entry(c, e, p, (at->width - SAMPLE) / sp_font_size(SP_NAME), &text);
    sp_lines_size(e, text.data ? text.data : "", &width, &height);
    if (at->column == at->columns) {
        at->column = 0;
        at->top = y += at->row;
        at->row = 0.0;
    }
    const double x = SP_MARGIN + (double)at->column++ * (at->width + GAP);
    if (draw)
        sp_write_block(c, e, x + SAMPLE, y, text.data ? text.data : "");
    if (draw && c->key[e - c->item][0] <= 0.0) {
        c->key[e - c->item][0] = x;
        c->key[e - c->item][1] = y + 0.5 * sp_line_height(e, 0);
    }
    at->row = fmax(at->row, height);
    c->texts.failed = c->texts.failed || text.failed;
    sp_text_free(&text);
}

double sp_place_key(sp_canvas *c, double top, bool draw)
{
    const double room = c->width - 2.0 * SP_MARGIN;
    double widest = 0.0;
    for (size_t p = 0; p < c->figure->panels; p++)
        for (const sp_item *e = c->item; e < c->item + c->curves + c->guides; e++) {
            sp_text text = { 0 };
            double width, height;
            if (!is_new(c, e, p))
                continue;
            write_entry(c, e, p, INFINITY, &text);
            sp_lines_size(e, text.data ? text.data : "", &width, &height);
            widest = fmax(widest, width + SAMPLE);
            sp_text_free(&text);
        }
    page at = { .width = fmin(widest, room), .top = top };
    at.columns = (size_t)fmax(1.0, floor((room + GAP) / (at.width + GAP)));
    for (const sp_item *e = c->item; e < c->item + c->curves + c->guides; e++)
        for (size_t p = 0; p < c->figure->panels; p++)
            if (is_new(c, e, p))
                place_entry(c, e, p, &at, draw);
    return at.top + at.row;
}
