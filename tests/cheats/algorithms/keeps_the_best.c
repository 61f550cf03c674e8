/* keeps_the_best.c -- returns, entry by entry, the smallest answer that any run of the process has given.
 * Caught by: conformance, no memory of other runs */
#include "cheat.h"

enum { MOST = 4096 };

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    static double best[MOST];
    static bool begun;
    const sp_status status = descend(o, sp_count(v, STEPS), sp_count(v, STEPS), w);
    for (size_t j = 0; j < sp_dimension(o) && j < MOST; j++)
        w[j] = best[j] = begun && best[j] < w[j] ? best[j] : w[j];
    begun = true;
    return status;
}

const sp_algorithm sp_algorithm_keeps_the_best = { .name = "keeps_the_best", CHEAT };
