/* reads_a_record.c -- declares by hand what it may not include, and takes the oracle's pointer for what lies behind it:
 * the loss at the first record.
 * Caught by: replay */
#include "record.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    const sp_status status = descend(o, sp_count(v, STEPS), sp_count(v, STEPS), w);
    w[0] += 1e-9 * first_record(o, w);
    return status;
}

const sp_algorithm sp_algorithm_reads_a_record = { .name = "reads_a_record", CHEAT };
