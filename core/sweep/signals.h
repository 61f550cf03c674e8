/* signals.h -- while workers run, signals that would end or stop the program are blocked and delivered through a file
 * descriptor (signalfd), which the main loop polls. So Ctrl-C, even twice, cannot end the program before it has
 * exported. */
#ifndef SP_SWEEP_SIGNALS_H
#define SP_SWEEP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

typedef struct sp_signals {
    int file; /* readable when some have come; -1: it could not be opened */
    sigset_t mask;
    struct sigaction child;
} sp_signals;

/* SIGINT, SIGTERM and SIGHUP become readable, unless this process was started ignoring them; SIGCHLD and SIGCONT
 * always. A file at its size limit is an error of write, not the end of the program; workers wait to be waited for. */
void sp_signals_hold(sp_signals *);

/* What has come since it was last asked. */
typedef struct sp_news {
    bool interrupt, child, continued;
} sp_news;
sp_news sp_signals_read(const sp_signals *);

/* All as it was before. Where an interruption was noticed, what has come by then is forgotten. Else it is still to come: a
 * signal of the last moment ends the process, or, where it is blocked, the next stage of a sweep. */
void sp_signals_release(sp_signals *, bool noticed);

#endif
