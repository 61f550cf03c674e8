/* manual_limits.c -- docs/reference/limits.md: how much of what there may be, as the sources have it. */
#include "core/cli/manual/manual.h"

#include "algorithms/algorithm.h"
#include "core/data/domain.h"
#include "core/data/read/formats.h"
#include "core/rates/seeds.h"
#include "core/oracle/oracle_host.h"
#include "core/plan/cell.h"
#include "core/plan/plan_internal.h"
#include "core/run/execute.h"
#include "core/store/store.h"
#include "core/cluster/shards.h"
#include "losses/certify/certify.h"
#include "losses/optimum/certificate.h"

#include <ctype.h>

typedef struct limit {
    const char *name, *what, *beyond; /* in the sources; in words; what happens there */
    double most;
} limit;
#define LIMIT(name, what, beyond) { #name, what, beyond, (double)name }

static const limit limits[] = {
    LIMIT(SP_CELLS_MAX, "cells of a sweep, with those of its grids; points of a grid",
          "The plan is refused, by the sweep's name and with how many cells it has; nothing runs. Make several experiments of "
          "it."),
    LIMIT(SP_REPLICATES_MAX, "replicates of a cell", "The experiment is refused at its key."),
    LIMIT(SP_MEASURES_MAX, "measures of a sweep",
          "The experiment is refused at its key, or by the names of two sweeps that share a run and ask for more together."),
    LIMIT(SP_STEPS_MAX, "updates of a run",
          "A larger `steps` is refused at its key. A theorem's schedule that asks for more is refused by the run, or cut, where "
          "the method says so: `theory_capped` in the column `resolved`."),
    LIMIT(SP_PARAM_MAX, "parameters of a method, a loss, a generator",
          "A method in Lua and a program are refused by name; of one in C `stillpoint test` says it."),
    LIMIT(SP_RESOLVED_MAX, "values in the column `resolved` of a run",
          "The rest is not stored, which the column `warning` says."),
    LIMIT(SP_TERMS_MAX, "points in one query of an oracle",
          "The oracle refuses the query; the run fails with that message."),
    LIMIT(SP_GRID_MAX, "points of a grid that a private choice is among",
          "The oracle refuses the choice. The program's own methods take a coarser grid instead."),
    LIMIT(SP_GRID_SEARCH_D, "dimensions of a private choice that searches its grid (`em_reject`)",
          "The method does not fit: `plan` leaves its cells out, with that reason."),
    LIMIT(SP_POLYTOPE_MAX, "vertices of a polytope", "The experiment is refused at `problem.domain.vertices`."),
    LIMIT(SP_INDEX_MAX, "features of a record", "The file of data is refused, with the line."),
    LIMIT(SP_KEPT_DIMENSION, "dimensions of an iterate that is stored without `keep_iterates = true`",
          "The run is stored without its iterate: for a measure that is asked for later it is made again."),
    LIMIT(SP_DENSE_MAX, "dimensions in which a minimum F* is certified by a d x d matrix",
          "F* is sought without that matrix, and another bound has to certify it, or none does: the column "
          "`reference_method` says how it is known."),
    LIMIT(SP_PANELS_MAX, "panels of a figure: measures, or values of a facet",
          "The experiment is refused at the figure's key; `where` chooses among the values."),
    LIMIT(SP_SEEDS_MIN, "seeds of `run --seeds`, at least", "With fewer the command is refused."),
    LIMIT(SP_SEEDS_MAX, "seeds of `run --seeds`, at most", "The command is refused."),
    LIMIT(SP_SHARDS_MAX, "tasks that a sweep is cut into", "The command is refused."),
    LIMIT(SP_STORE_VERSION, "the version of the store ([store.md](store.md))",
          "A store of another version is refused, with both numbers, and left as it is."),
};

/* The name by which pages link to it. */
static void anchor(const char *name, sp_text *out)
{
    for (; *name; name++) {
        const char letter = (char)tolower((unsigned char)*name);
        sp_text_add(out, &letter, 1);
    }
}

void sp_manual_limits_page(sp_text *out)
{
    sp_text_append(out, "# Limits\n\n"
                        "Made by `stillpoint list limits --markdown` from the numbers that the program is compiled with; "
                        "do not edit. A method may have limits of its own ([which_method.md](which_method.md)), a domain or a "
                        "loss too ([losses.md](losses.md)); time and memory of a run are what `--time-limit` and "
                        "`--memory-limit` say, and [large_sweeps.md](../how_to/large_sweeps.md) says what large sweeps take.\n\n"
                        "| how many | of what | beyond it | in the sources |\n|---:|---|---|---|\n");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char digits[SP_NUMBER_SIZE];
        sp_text_append(out, "| <a id=\"");
        anchor(limits[i].name, out);
        sp_text_append(out, "\"></a>%s | %s | %s | `%s` |\n", sp_number(limits[i].most, digits), limits[i].what,
                       limits[i].beyond, limits[i].name);
    }
}
