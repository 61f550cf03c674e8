/* room.h -- does something get by with so much memory? Tried by a process of its own. */
#ifndef SP_TESTS_ROOM_H
#define SP_TESTS_ROOM_H

#include "tests/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* From now on the process may take so many bytes more than it has. An address sanitizer's shadow fits no limit. */
static inline bool room_limit(size_t bytes)
{
#if defined __SANITIZE_ADDRESS__
    return bytes > 0;
#else
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    const bool known = file && fscanf(file, "%zu", &pages) == 1;
    const rlim_t most = pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
    if (file)
        fclose(file);
    return known && setrlimit(RLIMIT_AS, &(struct rlimit){ most, most }) == 0;
#endif
}

/* `work` is called by a process that ends with it: what it answers. */
static inline bool room_try(bool (*work)(void *), void *context)
{
    int state = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(work(context) ? 0 : 1);
    return child > 0 && waitpid(child, &state, 0) == child && state == 0;
}

#endif
