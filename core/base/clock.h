/* clock.h -- seconds of a clock that never goes back, seconds of processor time, and durations as text. */
#ifndef SP_BASE_CLOCK_H
#define SP_BASE_CLOCK_H

#include <stdio.h>
#include <time.h>

static inline double sp_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of processor time that this process has taken. */
static inline double sp_processor_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { SP_DURATION_SIZE = 24 };

/* "8 s", "35 min", "2.5 h", "3.1 days". */
static inline const char *sp_duration(double seconds, char out[SP_DURATION_SIZE])
{
    const double hours = seconds / 3600.0;
    if (seconds < 120.0)
        snprintf(out, SP_DURATION_SIZE, seconds < 10.0 ? "%.2g s" : "%.0f s", seconds);
    else if (hours < 2.0)
        snprintf(out, SP_DURATION_SIZE, "%.0f min", seconds / 60.0);
    else if (hours < 48.0)
        snprintf(out, SP_DURATION_SIZE, "%.1f h", hours);
    else
        snprintf(out, SP_DURATION_SIZE, "%.3g days", hours / 24.0);
    return out;
}

#endif
