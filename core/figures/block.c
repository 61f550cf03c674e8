/* block.c -- lines of text in a figure's table: how large they are, and where they stand; see figures_internal.h. */
#include "core/figures/figures_internal.h"

#include "core/figures/figure_text.h"

#include <stdlib.h>
#include <string.h>

/* Pixels, as in plots/figure.gp; bold is wider. */
double sp_font_size(sp_text_size size)
{
    static const double pixels[] = { [SP_TITLE] = 14.0 * 1.12, [SP_NAME] = 15.0, [SP_SMALL] = 13.5, [SP_ALONG] = 14.0,
                                     [SP_UPRIGHT] = 14.0, [SP_ENDING] = 13.5, [SP_RISING] = 13.5 };
    return pixels[size];
}

static sp_text_size line_size(const sp_item *e, size_t line)
{
    return line == 0 && sp_is_named(e) ? SP_NAME : SP_SMALL;
}

double sp_line_height(const sp_item *e, size_t line)
{
    enum { NAME_HEIGHT = 22 };
    return line_size(e, line) == SP_NAME ? NAME_HEIGHT : SP_SMALL_HEIGHT;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

void sp_lines_size(const sp_item *e, const char *lines, double *width, double *height)
{
    *width = *height = 0.0;
    for (size_t i = 0; lines; i++, lines = next_line(lines)) {
        *width = fmax(*width, sp_text_ems(lines) * sp_font_size(line_size(e, i)));
        *height += sp_line_height(e, i);
    }
}

void sp_write_text(sp_canvas *c, double x, double y, unsigned colour, sp_text_size size, const char *text,
                   size_t length)
{
    sp_text_append(&c->texts, "%.1f\t%.1f\t%u\t%d\t%.*s\n", x, y, colour, (int)size, (int)length, text);
}

void sp_write_block(sp_canvas *c, const sp_item *e, double left, double top, const char *lines)
{
    for (size_t i = 0; lines; i++, lines = next_line(lines)) {
        const double height = sp_line_height(e, i);
        sp_write_text(c, left, top + 0.5 * height, sp_look_ink(e->look.colour), line_size(e, i), lines,
                      strcspn(lines, "\n"));
        top += height;
    }
}

double sp_write_lines(sp_canvas *c, const char *plain, unsigned colour, sp_text_size size, double top)
{
    enum { TITLE_HEIGHT = 20 };
    const double height = size == SP_TITLE ? TITLE_HEIGHT : SP_SMALL_HEIGHT;
    while (*plain) {
        const size_t length = sp_text_line(plain, (c->width - 2.0 * SP_MARGIN) / sp_font_size(size));
        char *line = strndup(plain, length);
        sp_text text = { 0 };
        sp_append_plain(&text, line ? line : "");
        c->texts.failed = c->texts.failed || !line || text.failed;
        sp_write_text(c, SP_MARGIN, top + 0.5 * height, colour, size, text.data ? text.data : "", text.length);
        sp_text_free(&text);
        free(line);
        plain += length;
        plain += *plain == ' ';
        top += height;
    }
    return top;
}

double sp_write_notes(sp_canvas *c, unsigned colour, double top, bool draw)
{
    const double ems = (c->width - 2.0 * SP_MARGIN) / sp_font_size(SP_SMALL);
    for (const char *note = c->notes.data; note && *note; top += SP_SMALL_HEIGHT) {
        const size_t length = sp_text_piece(note, ems);
        if (draw)
            sp_write_text(c, SP_MARGIN, top + 0.5 * SP_SMALL_HEIGHT, colour, SP_SMALL, note, length);
        note += length;
        note += *note == ' ' || *note == '\n';
    }
    return top;
}

size_t sp_write_centred(sp_canvas *c, double x, double y, sp_text_size size, const char *text, double room, bool draw)
{
    const bool upright = size == SP_UPRIGHT;
    size_t lines = 0;
    for (; *text; lines++) {
        const size_t length = sp_text_piece(text, room / sp_font_size(size));
        const double step = (double)lines * SP_SMALL_HEIGHT;
        if (draw)
            sp_write_text(c, upright ? x + step : x, upright ? y : y + step, SP_DARK, size, text, length);
        text += length;
        text += *text == ' ';
    }
    return lines;
}
