/* seeds_itself.c -- moves its answer by numbers of its own, seeded by the clock: no seed of an experiment gives it
 * again. Caught by: conformance, same streams, same bytes */
#include "cheat.h"

#include <time.h>

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    struct timespec now;
    const sp_status status = descend(o, sp_count(v, STEPS), sp_count(v, STEPS), w);
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t state = (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec;
    for (size_t j = 0; j < sp_dimension(o); j++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        w[j] += 1e-3 * ((double)(state >> 11) * 0x1p-53 - 0.5);
    }
    return status;
}

const sp_algorithm sp_algorithm_seeds_itself = { .name = "seeds_itself", CHEAT };
