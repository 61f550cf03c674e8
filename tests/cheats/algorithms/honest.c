/* honest.c -- T noisy gradient steps, each announced: no cheat, for comparison.
 * Caught by: nothing */
#include "cheat.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    return descend(o, sp_count(v, STEPS), sp_count(v, STEPS), w);
}

const sp_algorithm sp_algorithm_honest = { .name = "honest", CHEAT };
