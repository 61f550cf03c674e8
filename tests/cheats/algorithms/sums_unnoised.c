/* sums_unnoised.c -- sums gradients in an accumulator and asks for the sum without noise.
 * Caught by: conformance, a run */
#include "cheat.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    double *sum = sp_alloc_doubles(d);
    sp_accumulator *a = NULL;
    sp_batch all;
    if (!sum)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the sum"));
    SP_TRY(sp_draw(o, sp_full(), &all));
    SP_TRY(sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    for (size_t t = 0; t < sp_count(v, STEPS); t++)
        SP_TRY(sp_accumulator_add(a, 1.0, &SP_AT(all, w)));
    SP_TRY(sp_accumulator_release(a, 0.0, sum));
    for (size_t j = 0; j < d; j++)
        w[j] -= 0.05 * sum[j];
cleanup:
    free(sum);
    return status;
}

const sp_algorithm sp_algorithm_sums_unnoised = { .name = "sums_unnoised", CHEAT };
