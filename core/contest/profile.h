/* profile.h -- performance profiles (Dolan & More 2002, Math. Programming 91): on which share of the test problems is a
 * label (an entry of `algorithms`) within a factor tau of the best one?
 *
 * A problem p of this header is a "task" of board.h: sweep, problem, number of records and privacy budget are all
 * fixed. r_ps is the mean of label s at p divided by the smallest mean at p, and INFINITY if a run of s failed there or
 * s has no run there. Then
 *
 *   rho_s(tau) = share of the problems with r_ps <= tau,
 *
 * so rho_s(1) is the share on which s is best (ties count).
 *
 * Confidence band: at each tau separately, the 2.5 % and 97.5 % quantiles of rho_s(tau) over SP_RESAMPLES resamplings
 * of the runs (board.h), widened where needed to contain the profile of the runs themselves. A problem with one
 * replicate contributes no width. */
#ifndef SP_CONTEST_PROFILE_H
#define SP_CONTEST_PROFILE_H

#include "core/contest/board.h"

typedef struct sp_profile {
    size_t labels, problems;
    size_t points;      /* different finite ratios, and 1 */
    double *tau;        /* ascending, the first is 1 */
    double *ratio;      /* r_ps, labels x problems; INFINITY: no result */
    size_t *row;        /* first row of runs.tsv of each cell, labels x problems; rows of that table: it is not there */
    sp_interval *share; /* rho_s at each tau, labels x points; count: the problems */
    size_t fewest, most; /* runs of a cell with a finite ratio or mean; 0: there is none */
} sp_profile;

/* The labels' cells under the conditions of the selection, whose label is not read. problems = 0: there are none.
 * SP_EINVAL when a label has several cells for one problem (the message names what differs). */
sp_status sp_profile_of(const sp_runs *, const sp_selection *, const char *const *label, size_t labels, sp_profile *,
                        sp_error *);
void sp_profile_free(sp_profile *);

#endif
