/* manual_limits.c -- docs/limits.md: how much of what there may be, as the sources have it. */
#include "core/cli/manual.h"

#include "algorithms/algorithm.h"
#include "core/data/domain.h"
#include "core/data/formats.h"
#include "core/evidence/seeds.h"
#include "core/plan/parts.h"
#include "core/plugin/plugin.h"
#include "core/run/execute.h"
#include "core/store/store.h"
#include "core/sweep/shards.h"
#include "losses/certify/certify.h"
#include "losses/optimum/certificate.h"

typedef struct limit {
    const char *name, *what; /* in the sources; in words */
    double most;
} limit;
#define LIMIT(name, what) { #name, what, (double)name }

static const limit limits[] = {
    LIMIT(SP_CELLS_MAX, "cells of a sweep, with those of its grids; points of a grid"),
    LIMIT(SP_STEPS_MAX, "updates of a run"),
    LIMIT(SP_PARAM_MAX, "parameters of a method, a loss, a generator"),
    LIMIT(SP_TERMS_MAX, "points in one query of an oracle"),
    LIMIT(SP_GRID_MAX, "points of a grid that a private choice is among"),
    LIMIT(SP_GRID_SEARCH_D, "dimensions of a private choice that searches its grid (`em_reject`)"),
    LIMIT(SP_POLYTOPE_MAX, "vertices of a polytope"),
    LIMIT(SP_INDEX_MAX, "features of a record"),
    LIMIT(SP_KEPT_DIMENSION, "dimensions of an iterate that is stored without `keep_iterates = true`"),
    LIMIT(SP_DENSE_MAX, "dimensions in which a minimum F* is certified by a d x d matrix"),
    LIMIT(SP_PANELS_MAX, "panels of a figure: measures, or values of a facet"),
    LIMIT(SP_SEEDS_MIN, "seeds of `run --seeds`, at least"),
    LIMIT(SP_SEEDS_MAX, "seeds of `run --seeds`, at most"),
    LIMIT(SP_SHARDS_MAX, "tasks that a sweep is cut into"),
    LIMIT(SP_STORE_VERSION, "the version of the store ([files.md](files.md#the-store))"),
    LIMIT(SP_PLUGIN_ABI_OLDEST, "the oldest interface of plugins that is taken ([files.md](files.md#plugins))"),
    LIMIT(SP_PLUGIN_ABI, "the interface of plugins"),
};

void sp_manual_limits_page(sp_text *out)
{
    sp_text_append(out, "# Limits\n\n"
                        "Made by `stillpoint list limits --markdown` from the numbers that the program is compiled with; "
                        "do not edit. Beyond a limit there is an error that names it. A method may have limits of its "
                        "own ([which_method.md](which_method.md)), a domain or a loss too ([losses.md](losses.md)); time and memory "
                        "of a run are what `--time-limit` and `--memory-limit` say, and [scaling.md](scaling.md) says what large "
                        "sweeps take.\n\n"
                        "| how many | | in the sources |\n|---:|---|---|\n");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char digits[SP_NUMBER_SIZE];
        sp_text_append(out, "| %s | %s | `%s` |\n", sp_number(limits[i].most, digits), limits[i].what, limits[i].name);
    }
}
