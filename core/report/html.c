/* html.c -- texts, and figures with their numbers; see html.h. */
#include "core/report/html.h"

#include "core/base/packed.h"
#include "core/base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- texts -------------------------------------------------------------------------------------------------------- */

void sp_html_text(sp_text *out, const char *text)
{
    for (const char *from = text;; text++) {
        const char *as = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                         : (unsigned char)*text < ' ' && *text != '\n' && *text != '\t' ? "\xef\xbf\xbd" : NULL;
        if (!as)
            continue;
        sp_text_add(out, from, (size_t)(text - from));
        if (*text == '\0')
            return;
        sp_text_add_text(out, as);
        from = text + 1;
    }
}

void sp_html_id(sp_text *out, const char *name)
{
    for (; *name; name++) {
        const char c = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                               (*name >= '0' && *name <= '9') || *name == '_' ? *name : '-';
        sp_text_add(out, &c, 1);
    }
}

sp_status sp_html_read(const char *path, char **bytes, size_t *size, sp_error *error)
{
    sp_text text = { 0 };
    const sp_status status = sp_packed_text(path, &text, error);
    if (status != SP_OK)
        sp_text_free(&text);
    *bytes = text.data;
    *size = text.length;
    return status;
}

/* --- what gnuplot has drawn --------------------------------------------------------------------------------------- */

/* The drawing behind the shapes of points, up to the end; NULL: gnuplot did not write this. */
static const char *drawing(const char *svg)
{
    const char *defs = strstr(svg, "</defs>"), *end = defs ? strstr(defs, "</svg>") : NULL;
    return end ? defs + strlen("</defs>") : NULL;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* What most groups of a drawing have, which one around them all has here. */
#define STROKE " stroke=\"currentColor\" stroke-width=\"1.00\" stroke-linecap=\"butt\" stroke-linejoin=\"miter\""

/* "rgb(  0, 114, 178)" as "#0072b2"; how long it was, 0: something else. */
static size_t copy_colour(const char *from, sp_text *out)
{
    unsigned red, green, blue;
    int length = 0;
    if (sscanf(from, "rgb(%3u,%3u,%3u)%n", &red, &green, &blue, &length) != 3 || length == 0)
        return 0;
    sp_text_append(out, "#%02x%02x%02x", red & 255u, green & 255u, blue & 255u);
    return (size_t)length;
}

/* What stands between the parts of a drawing and says nothing: how long it is. */
static size_t blanks(const char *from)
{
    if (*from == '\t' || starts(from, "\n\n"))
        return 1;
    const size_t length = strspn(from, " ");
    return length > 0 && starts(from + length, "'/>") ? length : 0; /* of a path */
}

/* The word of a small tick that has none, "<g transform=...>" around an empty text: how long it is. */
static size_t empty_word(const char *from)
{
    static const char text[] = "<text></text>", close[] = "</g>";
    if (!starts(from, "<g transform="))
        return 0;
    const char *at = from + strcspn(from, ">");
    if (*at == '>')
        at++;
    at += strspn(at, "\t\n ");
    if (!starts(at, text))
        return 0;
    at += strlen(text);
    at += strspn(at, "\t\n ");
    return starts(at, close) ? (size_t)(at - from) + strlen(close) : 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "63.59" within a tag as "63.6", which nobody sees; how long it was, 0: no such number begins here. */
static size_t copy_number(const char *from, char before, sp_text *out)
{
    const size_t whole = strspn(from, "0123456789");
    if (whole == 0 || is_digit(before) || before == '.' || before == '#' || (before >= 'a' && before <= 'z') ||
        from[whole] != '.' || !is_digit(from[whole + 1]))
        return 0;
    const size_t length = whole + 1 + strspn(from + whole + 1, "0123456789");
    char digits[32];
    const int written = snprintf(digits, sizeof digits, "%.1f", strtod(from, NULL));
    const size_t keep = written > 2 && digits[written - 1] == '0' ? (size_t)written - 2 : (size_t)written;
    sp_text_add(out, digits, keep);
    return length;
}

/* How long what is left out here is: names, the font, titles of gnuplot's own, words of nothing. */
static size_t left_out(const char *from, const char *next, const char *end)
{
    static const char *const said[] = { "font-family=\"DejaVu Sans\" ", STROKE };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (starts(from, said[i]))
            return strlen(said[i]);
    if (starts(from, " id=\"")) {
        const size_t begin = strlen(" id=\"");
        return begin + strcspn(from + begin, "\"") + 1;
    }
    if (starts(from, "<title>")) {
        const char *close = strstr(from, "</title>");
        return (size_t)((close && close < end ? close + strlen("</title>") : next) - from);
    }
    const size_t length = empty_word(from);
    return length > 0 ? length : blanks(from);
}

/* Copies the drawing without what says nothing here, and groups of nothing; numbers to a tenth of a pixel. */
static void copy_drawing(const char *from, sp_text *out)
{
    static const char empty[] = "</g>\n", link[] = " xlink:href";
    const char *end = strstr(from, "</svg>");
    bool tag = false;
    while (from < end) {
        const size_t line = strcspn(from, "\n") + 1;
        const char *next = from + line < end ? from + line : end;
        if (starts(from, "<g ") && starts(next, empty)) {
            from = next + strlen(empty);
            continue;
        }
        while (from < next) {
            size_t length = left_out(from, next, end);
            if (length == 0 && starts(from, "rgb("))
                length = copy_colour(from, out);
            if (length == 0 && tag)
                length = copy_number(from, from[-1], out);
            if (length > 0) {
                from += length;
                continue;
            }
            if (starts(from, link)) {
                sp_text_add_text(out, " ");
                from += strlen(" xlink:");
                continue;
            }
            tag = *from == '<' || (tag && *from != '>');
            sp_text_add(out, from++, 1);
        }
    }
}

sp_status sp_html_shapes(const char *svg, sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *bytes;
    size_t size;
    SP_TRY(sp_html_read(svg, &bytes, &size, error));
    const char *begin = strstr(bytes, "<defs>"), *end = drawing(bytes);
    if (!begin || !end)
        SP_TRY(sp_fail(error, SP_EDATA, "%s: not drawn by gnuplot", svg));
    sp_text_add_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
                          "width=\"0\" height=\"0\" aria-hidden=\"true\" style=\"position:absolute\">\n");
    sp_text_add(out, begin, (size_t)(end - begin));
    sp_text_add_text(out, "\n</svg>\n");
cleanup:
    free(bytes);
    return status;
}

/* --- the numbers over the points ---------------------------------------------------------------------------------- */

enum { PANELS_MAX = 16, BROAD = 760 }; /* pixels above which a figure has a line to itself */

typedef struct panel {
    double left, top, width, height, x_low, x_high, low, high;
    bool x_log, log;
} panel;

typedef struct drawn {
    double width, x_low, x_high; /* of all panels, unless each has an x of its own */
    bool x_log, x_each;
    size_t panels, curves, guides;
    bool fields;                 /* of a square of methods */
    const char *asides;          /* factors on x in the first panel, one a curve; NULL: none */
    panel panel[PANELS_MAX];
} drawn;

/* The next line of a table, or NULL at its end; *rest goes on. Lines end as texts do. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (*line == '\0')
        return NULL;
    const size_t length = strcspn(line, "\n");
    *rest = line + length + (line[length] == '\n');
    line[length] = '\0';
    return line;
}

/* Field i of a line as a number. */
static double number(const char *line, size_t i)
{
    char field[64];
    double value;
    for (; i > 0 && line; i--)
        line = (line = strchr(line, '\t')) ? line + 1 : NULL;
    if (!line)
        return NAN;
    snprintf(field, sizeof field, "%.*s", (int)strcspn(line, "\t"), line);
    return sp_read_number(field, &value) ? value : NAN;
}

static void read_key(const char *line, drawn *d)
{
    const double value = number(line, 1);
    if (starts(line, "width\t"))
        d->width = value;
    else if (starts(line, "x_log\t"))
        d->x_log = value == 1.0;
    else if (starts(line, "x_low\t"))
        d->x_low = value;
    else if (starts(line, "x_high\t"))
        d->x_high = value;
    else if (starts(line, "panels\t"))
        d->panels = (size_t)value;
    else if (starts(line, "curves\t"))
        d->curves = (size_t)value;
    else if (starts(line, "guides\t"))
        d->guides = (size_t)value;
    else if (starts(line, "x_each\t"))
        d->x_each = value == 1.0;
    else if (starts(line, "fields\t"))
        d->fields = value > 0.0;
    else if (starts(line, "asides\t"))
        d->asides = line + strlen("asides\t");
}

static void read_panel(const char *line, drawn *d, size_t p)
{
    d->panel[p] = (panel){ number(line, 0), number(line, 1), number(line, 2), number(line, 3), d->x_low, d->x_high,
                           number(line, 5), number(line, 6), d->x_log, number(line, 4) == 1.0 };
    if (!d->x_each)
        return;
    d->panel[p].x_log = number(line, 8) == 1.0;
    d->panel[p].x_low = number(line, 9);
    d->panel[p].x_high = number(line, 10);
}

/* By which the curve's points stand beside their x. */
static double aside_of(const drawn *d, size_t p, size_t curve)
{
    double value;
    const char *at = p == 0 ? d->asides : NULL;
    for (; curve > 0 && at; curve--)
        at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    return at && sscanf(at, "%lf", &value) == 1 ? value : 1.0;
}

static double share(double value, bool log_scale, double low, double high)
{
    return log_scale ? log(value / low) / log(high / low) : (value - low) / (high - low);
}

/* "dp\\_gd tuned", as gnuplot reads it, without its marks */
static void plain(sp_text *out, const char *text, size_t length)
{
    char name[256];
    size_t count = 0;
    for (size_t i = 0; i < length && count + 1 < sizeof name; i++)
        if (!strchr("\\{}", text[i]))
            name[count++] = text[i];
    name[count] = '\0';
    sp_html_text(out, name);
}

static void add_number(sp_text *out, double value)
{
    sp_text_append(out, "%.4g", value);
}

static void add_interval(sp_text *out, double low, double high)
{
    if (!isfinite(low) || !isfinite(high))
        return;
    sp_text_add_text(out, " [");
    add_number(out, low);
    sp_text_add_text(out, ", ");
    add_number(out, high);
    sp_text_add_text(out, "]");
}

/* A field of a square: "dp_gd / dp_sgd: 0.81 [0.62, 1.07], 13 problems, p = 0.4: undecided". */
static void add_field(const char *line, double scale, sp_text *out)
{
    enum { LABEL = 7, BASE, PROBLEMS, ESTIMATE, LOW, HIGH, P, ORDER = 15 };
    const char *field[ORDER + 1];
    field[0] = line;
    for (size_t i = 1; i <= ORDER; i++) {
        const char *tab = strchr(field[i - 1], '\t');
        if (!tab)
            return;
        field[i] = tab + 1;
    }
    sp_text_append(out, "<rect class=\"hit\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
                   scale * number(line, 0), scale * number(line, 1), scale * number(line, 2), scale * number(line, 3));
    plain(out, field[LABEL], strcspn(field[LABEL], "\t"));
    sp_text_add_text(out, " / ");
    plain(out, field[BASE], strcspn(field[BASE], "\t"));
    sp_text_add_text(out, ": ");
    add_number(out, number(line, ESTIMATE));
    add_interval(out, number(line, LOW), number(line, HIGH));
    sp_text_append(out, ", %.0f problems, p = ", number(line, PROBLEMS));
    add_number(out, number(line, P));
    sp_text_add_text(out, ": ");
    plain(out, field[ORDER], strcspn(field[ORDER], "\t"));
    sp_text_add_text(out, "</title></rect>\n");
}

/* A point of a curve: "dp_gd: n = 1000, 0.0123 [0.0119, 0.0127]". `head` names x and the label; the point stands at
 * `aside` times its x. */
static void add_hit(const panel *p, const char *head, const char *line, double aside, double scale, sp_text *out)
{
    const double x = number(line, 0), y = number(line, 1);
    const double across = share(aside * x, p->x_log, p->x_low, p->x_high), up = share(y, p->log, p->low, p->high);
    if (!(across >= 0.0 && across <= 1.0 && up >= 0.0 && up <= 1.0))
        return;
    const size_t name = strcspn(head, "\t");
    const char *label = head + name + (head[name] == '\t');
    sp_text_append(out, "<circle class=\"hit\" cx=\"%.1f\" cy=\"%.1f\"><title>",
                   scale * (p->left + across * p->width), scale * (p->top + (1.0 - up) * p->height));
    plain(out, label, strcspn(label, "\t"));
    sp_text_add_text(out, ": ");
    plain(out, head, name);
    sp_text_add_text(out, " = ");
    add_number(out, x);
    sp_text_add_text(out, ", ");
    add_number(out, y);
    add_interval(out, number(line, 2), number(line, 3));
    sp_text_add_text(out, "</title></circle>\n");
}

/* Blocks of a table: 0 keys, 1 panels, 2 and 3 words, then the curves and guides of panel after panel, or fields. */
static void add_hits(char *table, double drawn_width, sp_text *out)
{
    enum { KEYS, PANELS, FIRST = 4 };
    drawn d = { .width = 0.0 };
    size_t block = 0, blanks = 0, row = 0, panels = 0;
    const char *head = NULL;
    for (char *line; (line = next_line(&table)) != NULL;) {
        if (*line == '\0') {
            if (++blanks == 2) {
                block++;
                row = 0;
            }
            continue;
        }
        blanks = 0;
        if (row++ == 0) {
            head = line;
            continue;
        }
        const size_t items = d.curves + d.guides;
        if (block == KEYS) {
            read_key(line, &d);
        } else if (block == PANELS && panels < PANELS_MAX) {
            read_panel(line, &d, panels++);
        } else if (block == FIRST && d.fields && d.width > 0.0) {
            add_field(line, drawn_width / d.width, out);
        } else if (block >= FIRST && items > 0 && d.width > 0.0) {
            const size_t p = (block - FIRST) / items, item = (block - FIRST) % items;
            if (p < panels && p < d.panels && item < d.curves)
                add_hit(&d.panel[p], head, line, aside_of(&d, p, item), drawn_width / d.width, out);
        }
    }
}

sp_status sp_html_figure(const char *svg, const char *table, const char *title, sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *bytes = NULL, *numbers = NULL;
    size_t size;
    double width, height;
    SP_TRY(sp_html_read(svg, &bytes, &size, error));
    SP_TRY(sp_html_read(table, &numbers, &size, error));
    const char *box = strstr(bytes, "viewBox=\"0 0 "), *from = drawing(bytes);
    if (!box || !from || sscanf(box, "viewBox=\"0 0 %lf %lf\"", &width, &height) != 2)
        SP_TRY(sp_fail(error, SP_EDATA, "%s: not drawn by gnuplot", svg));
    sp_text_append(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
                        "role=\"img\"%s width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" style=\"--w:%gpx\" aria-label=\"",
                   width > BROAD ? " class=\"broad\"" : "", width, height, width, height, width);
    sp_html_text(out, title);
    sp_text_add_text(out, "\">\n<g" STROKE ">\n"); /* gnuplot's own, which ends before the drawing does */
    copy_drawing(from, out);
    add_hits(numbers, width, out);
    sp_text_add_text(out, "</svg>\n");
cleanup:
    free(bytes);
    free(numbers);
    return status;
}
