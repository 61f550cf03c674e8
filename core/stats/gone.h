/* gone.h -- small measures that are no success: runs that diverged (core/run/diverged.h), and winners of tunings that
 * end no better than they started. */
#ifndef SP_STATS_GONE_H
#define SP_STATS_GONE_H

#include "core/stats/labels.h"
#include "core/stats/series.h"

/* Start from { 0 }. */
typedef struct sp_gone {
    sp_labels diverged; /* by label: its runs, and how many diverged; the first one's code */
    sp_labels tuned; /* by label: its tuned cells, those whose risk is known at the start and at the end, and how many
                         * have a mean risk no lower than at the start; the name of the risk */
} sp_gone;

/* Counts the runs of the cell at hand. */
void sp_gone_add(sp_gone *, const sp_runs *);
/* A line per label that is concerned, behind `prefix`. */
void sp_gone_tell(const sp_gone *, const char *prefix, sp_text *);
void sp_gone_free(sp_gone *);

#endif
