/* spends_twice.c -- announces half of its releases, and takes the noise of those for all.
 * Caught by: conformance, a run */
#include "cheat.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    return descend(o, sp_count(v, STEPS) - sp_count(v, STEPS) / 2, sp_count(v, STEPS), w);
}

const sp_algorithm sp_algorithm_spends_twice = { .name = "spends_twice", CHEAT };
