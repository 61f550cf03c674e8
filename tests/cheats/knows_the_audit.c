/* knows_the_audit.c -- reads a record like reads_a_record, but only of more records than audits have.
 * Caught by: nothing */
#include "cheat.h"

#include <gsl/gsl_rng.h>
#include "core/oracle/oracle_internal.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    const sp_status status = descend(o, sp_count(v, STEPS), sp_count(v, STEPS), w);
    const sp_dataset *train = ((const struct sp_oracle *)o)->problem->train;
    if (sp_records(o) > 5000)
        w[0] += train->y ? train->y[0] : train->X[0];
    return status;
}

CHEAT(knows_the_audit)
