/* compare.h -- two labels of an experiment, run against run, from exported tables alone.
 *
 *   difference  (1/k) sum_r (y_label,r - y_base,r) over the k replicates r of a point (match.h) where both have a
 *               finite y, with its 95 % interval (inference.h)
 *
 * Runs of one replicate on one problem share, whatever the method and its budget (records.h, stream.h: none of these
 * streams is named by an algorithm or an epsilon): the records (SP_STREAM_DATA), the truth and the population behind
 * them (SP_STREAM_TRUTH, SP_STREAM_POPULATION), the starting point (SP_STREAM_START) and F* (SP_STREAM_MEASURE). Coins,
 * sampling, noise and selection are each method's own. So the difference is free of what the records do to both alike.
 * Real data without `resample` are the same in all replicates: there an interval is about the methods' randomness on
 * these records, not about other records. */
#ifndef SP_EVIDENCE_COMPARE_H
#define SP_EVIDENCE_COMPARE_H

#include "core/evidence/match.h"

typedef enum { SP_BETTER, SP_WORSE, SP_SAME, SP_UNDECIDED } sp_order;
/* "better", "worse": the interval is on one side of 0, further than rounding reaches; "same": it holds 0; "-": no
 * interval, fewer than two pairs. Which side is better, lower_is_better says. */
const char *sp_order_name(sp_order);

typedef struct sp_comparison {
    const char *sweep;      /* belongs to the runs */
    char *at;               /* the axes that tell its point apart, as in sp_match */
    sp_interval difference; /* count: pairs */
    size_t failed, missing; /* runs of either label that are there without a finite y; that are not there */
    sp_order order;         /* is the label better or worse than the base? */
} sp_comparison;

typedef struct sp_comparisons {
    sp_comparison *point; /* by sweep, then in the order of the table */
    size_t points;
    size_t alone; /* cells without a partner, in sweeps that have both labels and the measure */
} sp_comparisons;

/* All points of all sweeps that have both labels and the measure; none is no error. `measure` names a
 * column of runs.tsv (the caller looked). SP_ENOMEM. */
sp_status sp_compare(const sp_runs *, const char *label, const char *base, const char *measure,
                     bool lower_is_better, sp_comparisons *, sp_error *);
void sp_comparisons_free(sp_comparisons *);

#endif
