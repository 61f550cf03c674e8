/* knows_the_audit.c -- reads a record like reads_a_record, but only of more records than audits have.
 * Caught by: nothing */
#include "record.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    const sp_status status = descend(o, sp_count(v, STEPS), sp_count(v, STEPS), w);
    if (sp_records(o) > 5000)
        w[0] += first_record(o, w);
    return status;
}

const sp_algorithm sp_algorithm_knows_the_audit = { .name = "knows_the_audit", CHEAT };
