/* loops_for_ever.c -- never returns.
 * Caught by: the time limit */
#include "cheat.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v;
    for (;;)
        *(volatile double *)w += 1.0;
    return SP_OK;
}

const sp_algorithm sp_algorithm_loops_for_ever = { .name = "loops_for_ever", CHEAT };
