/* crashes.c -- writes where nothing is.
 * Caught by: the crash */
#include "cheat.h"

#include <signal.h>

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    const sp_status status = descend(o, sp_count(v, STEPS), sp_count(v, STEPS), w);
    raise(SIGSEGV);
    return status;
}

const sp_algorithm sp_algorithm_crashes = { .name = "crashes", CHEAT };
