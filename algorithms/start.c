/*
 * start.c -- returns the start and ignores the data: a control for all other methods.
 *
 *   w = w0
 *
 * If the error of a method is not below that of the start, the method has learned nothing from its records, whatever
 * its rate.
 *
 * Source   none.
 * Privacy  epsilon = 0, delta = 0: nothing is released, which is within every budget, for neighbours of either kind.
 * Differs  not at all.
 * Output   w0, which is public.
 * Cost     none.
 */
#include "algorithms/algorithm.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    (void)v;
    return sp_checkpoint(o, 0, w);
}

const sp_algorithm sp_algorithm_start = {
    .name = "start",
    .summary = "the starting point: the answer at epsilon = 0",
    .when = "as a control: what has to be beaten before a rate says anything",
    .source = "none",
    .releases = "nothing",
    .add_remove = true,
    .ignores_data = true,
    .run = run,
};
