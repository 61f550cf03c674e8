/* fragile.c -- one noisy gradient step. What goes wrong in the phase that the variable FRAGILE names: `method` and
 * `trial` (at eta = 0.5) crash, `loop` never ends, `leak` takes 4 GiB, `nan` returns no number. */
#include "algorithms/algorithm.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool is_phase(const char *phase)
{
    const char *wanted = getenv("FRAGILE");
    return wanted && strcmp(wanted, phase) == 0;
}

static sp_status leak(sp_oracle *o)
{
    enum { BLOCKS = 4096, DOUBLES = 1 << 17 };
    for (size_t i = 0; i < BLOCKS; i++) {
        double *block = sp_alloc_doubles(DOUBLES);
        if (!block)
            return sp_refuse(o, SP_ENOMEM, "block %zu", i);
        block[i] = 1.0;
    }
    return SP_OK;
}

static const sp_param params[] = { { "eta", SP_REAL, 0.1, { 0, 100 }, "step" }, { 0 } };

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    double multiplier = 0.0, *g = sp_alloc_doubles(sp_dimension(o));
    sp_batch all;
    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ SP_GRADIENT, sp_full(), 1 }, 1, &multiplier));
    SP_TRY(sp_draw(o, sp_full(), &all));
    SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier, g));
    if (is_phase("method") || (is_phase("trial") && sp_real(v, 0) >= 0.5))
        raise(SIGSEGV);
    while (is_phase("loop"))
        *(volatile double *)w += 1.0;
    if (is_phase("leak"))
        SP_TRY(leak(o));
    for (size_t j = 0; j < sp_dimension(o); j++)
        w[j] -= sp_real(v, 0) * g[j];
    if (is_phase("nan"))
        w[0] = NAN;
cleanup:
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_fragile = { .name = "fragile", .summary = "one step", .when = "never", .source = "ours",
                                            .releases = "one gradient", .params = params, .run = run };
