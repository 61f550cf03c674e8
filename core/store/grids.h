/* grids.h -- what the store says about the grids of a plan.
 *
 * A point's winner is the grid point with the smallest (for a measure that grows as things get better, largest)
 *
 *   max over members of the median over tuning replicates of the tuning measure,
 *
 * where a run that failed or diverged (core/run/diverged.h), or whose measure does not exist, is worse than any number. */
#ifndef SP_STORE_GRIDS_H
#define SP_STORE_GRIDS_H

#include "core/store/store.h"

/* One tuning as it stands in the store. */
typedef struct sp_tuning_scores {
    double *median;       /* of each grid point, at its worst member; NAN: it failed or diverged */
    size_t *worst;        /* that member */
    bool complete;        /* no run is missing */
    size_t winner;        /* when complete; points: every grid point failed or diverged */
    size_t runs, failed;  /* base runs included */
    sp_cost cost;         /* of all of them */
} sp_tuning_scores;

/* SP_OK with complete = false where runs are missing. Free with sp_tuning_scores_free. */
sp_status sp_tuning_read(const sp_plan *, const sp_tuning *, sp_store *, sp_tuning_scores *, sp_error *);
void sp_tuning_scores_free(sp_tuning_scores *);

/* "eta,steps": parameters whose best value is the smallest or the largest of its list and not the end of what the
 * parameter may be; "" when there is none. A single value, or a word, has no edge. */
void sp_tuning_edge(const sp_tuning *, size_t winner, sp_text *);

#endif
