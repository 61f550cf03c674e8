/* clock.h -- seconds on a clock that never steps back. */
#ifndef SP_RUNNER_CLOCK_H
#define SP_RUNNER_CLOCK_H

#include <time.h>

static inline double sp_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
