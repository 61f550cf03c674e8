/* cheat.h -- what the cheats share: a sound descent, and a plugin of one method. Each file here is a plugin that breaks a
 * promise; its head says how, and what of `stillpoint test` tells. tests/end_to_end/cheats.sh tries them all, and
 * docs/how_to/plugins.md lists them. */
#ifndef CHEAT_H
#define CHEAT_H

#include "core/plugin/plugin.h"

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

/* The plugin of the method `run`, called so. */
#define CHEAT(called)                                                                                                 \
    static const sp_algorithm cheat = { .name = #called, .summary = "a cheat", .when = "never", .source = "ours",     \
                                        .releases = "more than it says", .params = params, .run = run };              \
    static const sp_algorithm *const algorithms[] = { &cheat, NULL };                                                 \
    SP_PLUGIN(.algorithms = algorithms)

#endif
