/* key.c -- draws the legend of a figure below its panels. It is used where the page is too narrow for labels beside the
 * curves. All entries have one width; there are as many columns as fit. See figures_internal.h. */
#include "core/figures/figures_internal.h"

#include "core/figures/figure_text.h"

#include <string.h>

enum { SAMPLE = 34, GAP = 18, ABOVE = 8 }; /* pixels: of a line in front of the words, between columns, above all */

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

static bool has_words(const sp_canvas *c, const sp_item *e, size_t p)
{
    return e->in[p].words.length > 0 && sp_is_drawn(c, e, p);
}

/* Is the same said in all panels that the item is drawn in, and in a facet in no fewer than all? */
static bool is_common(const sp_canvas *c, const sp_item *e)
{
    size_t first = c->figure->panels, drawn = 0;
    bool same = true;
    for (size_t p = 0; p < c->figure->panels; p++)
        if (has_words(c, e, p)) {
            first = first < c->figure->panels ? first : p;
            same = same && same_words(e, p, first);
            drawn++;
        }
    return same && (!c->figure->facet || drawn == c->figure->panels || (drawn > 0 && sp_is_named(e)));
}

/* "n = 100, n = 400: " of the panels that say what panel p does. */
static void append_heads(const sp_canvas *c, const sp_item *e, size_t p, sp_text *out)
{
    bool first = true;
    for (size_t q = p; q < c->figure->panels; q++)
        if (has_words(c, e, q) && same_words(e, p, q)) {
            sp_text_append(out, "%s", first ? "" : "," SP_SPACE);
            sp_append_facet(c, q, out);
            first = false;
        }
    sp_text_append(out, ": ");
}

static bool is_said(const sp_canvas *c, const sp_item *e, size_t p)
{
    bool yes = false;
    for (size_t q = 0; q < p && !yes; q++)
        yes = has_words(c, e, q) && same_words(e, p, q);
    return yes;
}

/* The words of an item: its name once, and in a facet whose panels say different things a line for each. */
static void append_words(const sp_canvas *c, const sp_item *e, sp_text *out)
{
    const bool common = is_common(c, e);
    for (size_t p = 0; p < c->figure->panels; p++) {
        if (!has_words(c, e, p) || is_said(c, e, p))
            continue;
        const char *words = e->in[p].words.data;
        const size_t name = !common && sp_is_named(e) ? strcspn(words, "\n") : 0;
        if (name > 0 && out->length == 0)
            sp_text_append(out, "%.*s", (int)name, words);
        if (name > 0 && words[name] == '\0')
            continue;
        sp_text_append(out, "%s", out->length ? "\n" : "");
        if (!common)
            append_heads(c, e, p, out);
        for (const char *w = words + name + (name > 0); *w; w++)
            sp_text_append(out, "%s%c", *w == '\n' && !common ? "," : "", *w == '\n' && !common ? ' ' : *w);
    }
}

/* The same, in lines that fit. */
static void write_entry(const sp_canvas *c, const sp_item *e, double width, sp_text *out)
{
    sp_text text = { 0 };
    append_words(c, e, &text);
    for (const char *line = text.data; line && *line;) {
        const sp_text_size size = line == text.data && sp_is_named(e) ? SP_NAME : SP_SMALL;
        const size_t length = sp_text_piece(line, width / sp_font_size(size));
        sp_text_append(out, "%s%.*s", out->length ? "\n" : "", (int)length, line);
        line += length;
        line += *line == ' ' || *line == '\n';
    }
    out->failed = out->failed || text.failed;
    sp_text_free(&text);
}

static void place_entry(sp_canvas *c, const sp_item *e, page *at, bool draw)
{
    sp_text text = { 0 };
    double width, height;
    write_entry(c, e, at->width - SAMPLE + 0.01, &text);
    c->texts.failed = c->texts.failed || text.failed;
    if (text.length == 0)
        return;
    sp_lines_size(e, text.data, &width, &height);
    if (at->column == at->columns) {
        at->column = 0;
        at->top += at->row;
        at->row = 0.0;
    }
    const double x = SP_MARGIN + (double)at->column++ * (at->width + GAP);
    if (draw) {
        sp_write_block(c, e, x + SAMPLE, at->top, text.data);
        c->key[e - c->item][0] = x;
        c->key[e - c->item][1] = at->top + 0.5 * sp_line_height(e, 0);
    }
    at->row = fmax(at->row, height);
    sp_text_free(&text);
}

double sp_place_key(sp_canvas *c, double top, bool draw)
{
    const double room = c->width - 2.0 * SP_MARGIN;
    double widest = 0.0;
    for (const sp_item *e = c->item; e < c->item + c->curves + c->guides; e++) {
        sp_text text = { 0 };
        double width, height;
        write_entry(c, e, INFINITY, &text);
        sp_lines_size(e, text.data, &width, &height);
        widest = fmax(widest, width + SAMPLE);
        sp_text_free(&text);
    }
    page at = { .width = fmin(widest, room), .top = top + ABOVE };
    at.columns = (size_t)fmax(1.0, floor((room + GAP) / (at.width + GAP)));
    for (const sp_item *e = c->item; e < c->item + c->curves + c->guides; e++)
        place_entry(c, e, &at, draw);
    return at.top + at.row + ABOVE;
}
