/* compare.h -- compares two labels of an experiment, replicate by replicate, from exported tables only.
 *
 * At every point (match.h) the values of the label are compared with those of the other one, the base, as in pairs.h.
 * Runs of one replicate on one problem share, for every method and budget: the records (SP_STREAM_DATA), the truth and
 * the population behind them (SP_STREAM_TRUTH, SP_STREAM_POPULATION), the starting point (SP_STREAM_START) and F*
 * (SP_STREAM_MEASURE), because no method or epsilon is in the names of these streams (stream.h). Coins, sampling, noise
 * and selection are each method's own. So an effect of the records on both methods cancels in every pair. Real data
 * without `resample` is the same in all replicates: there the result is about the methods' randomness on these records,
 * not about other records.
 *
 * sp_runs_value (series.h) decides which runs failed and which are missing. The p-values of difference are adjusted
 * over all points of a comparison (Holm), and separately those of equivalence.
 *
 * Over all points together:
 *   ratio        geometric mean of label/base: over the points of a problem first, then over the problems, with a t
 *                interval over the problems. A problem is given by the axes problem.* except problem.n, and by the
 *                family. If there is only one problem, the interval is over the replicates that have a ratio at every
 *                point. Pairs with a failed run are left out
 *   improvement  mean over the points of the probability that a run of the label is better than one of the base
 *
 * With a family, cells that differ only in the family form one point, and the worst member of each label counts: the
 * one with most failed runs, then the one with the worst mean. It is chosen on the even replicates for the odd ones and
 * vice versa: if it were chosen on the replicates that are compared, the worst of several nearly equal members would
 * look worse than it is. */
#ifndef SP_CONTEST_COMPARE_H
#define SP_CONTEST_COMPARE_H

#include "core/contest/match.h"
#include "core/contest/pairs.h"

/* "better", "worse": the adjusted p of no difference is at most 5 %; which side is better, lower_is_better says.
 * "equivalent": not so, and the adjusted p of no equivalence is at most 5 %. "undecided": neither. "-": fewer than two
 * pairs. */
typedef enum { SP_BETTER, SP_WORSE, SP_EQUIVALENT, SP_UNDECIDED, SP_TOO_FEW, SP_ORDERS } sp_order;
const char *sp_order_name(sp_order);

/* The word of a pair whose p-values are adjusted. */
sp_order sp_order_of(const sp_shift *difference, double p_equivalent, bool lower_is_better);
/* Adjusts the p-values of several pairs: those of difference, those in which neither failed, and those of equivalence,
 * each kind by itself (inference.h). */
void sp_paired_adjust(sp_paired *const *pair, size_t count);

typedef struct sp_comparing {
    const char *label, *base;
    const char *measure;  /* a column of runs.tsv (the caller looked) */
    bool lower_is_better;
    double margin;        /* 0.05 */
    const char *family;   /* an axis, "loss.slope"; NULL: every cell is a point */
} sp_comparing;

typedef struct sp_comparison {
    const char *sweep;      /* belongs to the runs */
    sp_match cells;         /* its cells, of a family those of a member; owns `at` */
    sp_paired pair;         /* its p-values are adjusted */
    size_t failed, missing; /* runs of either label */
    sp_order order;         /* is the label better or worse than the base? */
    bool by_failures;       /* the order would be another without the pairs in which one failed */
    bool small;             /* better or worse, and equivalent too */
} sp_comparison;

typedef struct sp_comparisons {
    sp_comparison *point; /* by sweep, then in the order of the table */
    size_t points;
    size_t alone;         /* cells without a partner, in sweeps that have both labels and the measure */
    size_t of[SP_ORDERS]; /* points by order */
    sp_interval ratio;    /* count: problems, or replicates of the only one */
    size_t problems, ratios; /* how many there are, and points, with a ratio */
    double improvement;
} sp_comparisons;

/* All points of all sweeps that have both labels and the measure; none is no error. SP_EINVAL for a family that is no
 * axis. */
sp_status sp_compare(const sp_runs *, const sp_comparing *, sp_comparisons *, sp_error *);
void sp_comparisons_free(sp_comparisons *);

#endif
