/* includes_the_records.c -- includes what lies behind the oracle's pointer.
 * Caught by: the configuration */
#include "algorithms/algorithm.h"
#include "core/oracle/oracle_internal.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    (void)v;
    w[0] += ((const struct sp_oracle *)o)->problem->train->y[0];
    return SP_OK;
}

const sp_algorithm sp_algorithm_includes_the_records = {
    .name = "includes_the_records", .summary = "a cheat", .when = "never", .source = "ours", .releases = "nothing",
    .run = run,
};
