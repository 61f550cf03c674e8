/* progress.h -- how far a sweep is, on the standard error: a bar on a terminal, plain lines otherwise.
 *
 *   [#####...............] 123/400 done, 2 failed, 35.2 runs/s, 8 s left
 */
#ifndef SP_SWEEP_PROGRESS_H
#define SP_SWEEP_PROGRESS_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sp_progress {
    size_t total, done, failed; /* done counts the failed ones too */
    double started, shown;      /* seconds; when the last bar or line was written */
    size_t shown_done;
    bool quiet, terminal;
    bool unread; /* the reader of the standard error is gone */
} sp_progress;

void sp_progress_start(sp_progress *, size_t total, bool quiet);
/* `count` runs ended; draws at most ten times a second (bar), or every tenth of the sweep or 30 s (lines). */
void sp_progress_add(sp_progress *, size_t count, bool failed);
/* A line of its own, at once, above the bar. */
void sp_progress_say(sp_progress *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sp_progress_end(sp_progress *);

/* The text of a line at `now` seconds, behind a bar of `width` characters (0: no bar). */
void sp_progress_text(const sp_progress *, double now, size_t width, sp_text *out);

#endif
