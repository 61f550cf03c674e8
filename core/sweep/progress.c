/* progress.c -- how far a sweep is; see progress.h. */
#include "core/sweep/progress.h"

#include "core/base/clock.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_WIDTH = 30, LINES = 10 };
static const double redraw_seconds = 0.1, line_seconds = 30.0;

void sp_progress_text(const sp_progress *p, double now, size_t width, sp_text *out)
{
    char left[SP_DURATION_SIZE];
    const double elapsed = now - p->started, rate = elapsed > 0.0 ? (double)p->done / elapsed : 0.0;
    if (width > 0) {
        const size_t full = p->total > 0 ? width * p->done / p->total : width;
        sp_text_append(out, "[");
        for (size_t i = 0; i < width; i++)
            sp_text_append(out, i < full ? "#" : ".");
        sp_text_append(out, "] ");
    }
    sp_text_append(out, "%zu/%zu done, %zu failed", p->done, p->total, p->failed);
    if (rate > 0.0)
        sp_text_append(out, ", %.3g runs/s, %s left", rate,
                       sp_duration(ceil((double)(p->total - p->done) / rate), left));
}

static void clear(const sp_progress *p)
{
    if (p->terminal)
        fputs("\r\033[K", stderr);
}

/* A line that wraps cannot be cleared again. */
static int columns(void)
{
    struct winsize window = { .ws_col = 0 };
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
}

static void draw(sp_progress *p, double now)
{
    sp_text text = { 0 };
    const int room = p->terminal ? columns() - 1 : INT_MAX;
    sp_progress_text(p, now, p->terminal && room > 2 * BAR_WIDTH ? BAR_WIDTH : 0, &text);
    errno = 0;
    clear(p);
    if (!text.failed)
        fprintf(stderr, p->terminal ? "%.*s" : "%.*s\n", room, text.data);
    fflush(stderr);
    p->unread = p->unread || errno == EPIPE;
    sp_text_free(&text);
    p->shown = now;
    p->shown_done = p->done;
}

void sp_progress_start(sp_progress *p, size_t total, bool quiet)
{
    *p = (sp_progress){ .total = total, .quiet = quiet, .terminal = isatty(STDERR_FILENO) != 0, .started = sp_now() };
    p->shown = p->started;
    if (!quiet && p->terminal && total > 0)
        draw(p, p->started);
}

void sp_progress_add(sp_progress *p, size_t count, bool failed)
{
    const double now = sp_now();
    p->done += count;
    p->failed += failed ? count : 0;
    if (p->quiet)
        return;
    if (p->terminal ? now - p->shown >= redraw_seconds
                    : now - p->shown >= line_seconds || (p->done - p->shown_done) * LINES >= p->total)
        draw(p, now);
}

void sp_progress_say(sp_progress *p, const char *format, ...)
{
    va_list arguments;
    if (p->quiet)
        return;
    errno = 0;
    clear(p);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    p->unread = p->unread || errno == EPIPE;
    if (p->terminal && p->total > 0)
        draw(p, sp_now());
}

void sp_progress_end(sp_progress *p)
{
    if (p->quiet || p->total == 0)
        return;
    if (p->shown_done < p->done)
        draw(p, sp_now());
    if (p->terminal)
        fputc('\n', stderr);
}
