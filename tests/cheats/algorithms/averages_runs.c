/* averages_runs.c -- keeps the sum of its answers in a static, and returns the mean over all runs so far.
 * Caught by: conformance, same streams, same bytes */
#include "cheat.h"

enum { MOST = 4096 };

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    static double sum[MOST], runs;
    const sp_status status = descend(o, sp_count(v, STEPS), sp_count(v, STEPS), w);
    runs++;
    for (size_t j = 0; j < sp_dimension(o) && j < MOST; j++) {
        sum[j] += w[j] - 0.5 * runs; /* of one set of streams the mean would be the answer */
        w[j] = sum[j] / runs;
    }
    return status;
}

const sp_algorithm sp_algorithm_averages_runs = { .name = "averages_runs", CHEAT };
