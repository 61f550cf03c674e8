/* reads_a_record.c -- takes the oracle's pointer for what lies behind it, and finds a record's label there.
 * Caught by: replay */
#include "cheat.h"

#include <gsl/gsl_rng.h>
#include "core/oracle/oracle_internal.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    const sp_status status = descend(o, sp_count(v, STEPS), sp_count(v, STEPS), w);
    const sp_dataset *train = ((const struct sp_oracle *)o)->problem->train;
    w[0] += 1e-9 * (train->y ? train->y[0] : train->X[0]);
    return status;
}

CHEAT(reads_a_record)
