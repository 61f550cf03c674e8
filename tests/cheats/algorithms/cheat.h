/* cheat.h -- what the methods among the cheats share: a sound descent. Each file of this folder that is built in breaks
 * a promise; its head says how, and which part of `stillpoint audit` finds it. tests/end_to_end/cheats.sh tries them
 * all, and docs/how_to/built_in.md lists them. */
#ifndef CHEAT_H
#define CHEAT_H

#include "algorithms/algorithm.h"

enum { STEPS };

static const sp_param params[] = {
    [STEPS] = { "steps", SP_COUNT, 4, { 1, SP_STEPS_MAX }, "updates T" },
    { 0 }
};

/* T noisy gradient steps, with the noise of so many announced releases: sound where those are T. */
static inline sp_status descend(sp_oracle *o, size_t announced, size_t steps, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    double multiplier = 0.0, *g = sp_alloc_doubles(d);
    sp_batch all;
    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ SP_GRADIENT, sp_full(), announced }, 1, &multiplier));
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier, g));
        for (size_t j = 0; j < d; j++)
            w[j] -= 0.05 * g[j];
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
cleanup:
    free(g);
    return status;
}

/* The fields of a method besides its name. */
#define CHEAT                                                                                                          \
    .summary = "a cheat", .when = "never", .source = "ours", .releases = "more than it says", .params = params,        \
    .run = run

#endif
