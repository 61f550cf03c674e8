/* profile.h -- how often each method is near the best: performance profiles (Dolan & More 2002, Math. Programming 91).
 *
 * A problem p is what a board (board.h) calls a task: a sweep and all that its cell's problem and budget are. Of label s, r_ps
 * is its ratio to the best there, with infinity where it has none, be it that a run failed or that all are missing, and
 *
 *   rho_s(tau) = share of the problems with r_ps <= tau,
 *
 * so that rho_s(1) is the share on which s is best, ties included.
 *
 * The band is pointwise, of SP_RESAMPLES profiles of runs that are drawn again as board.h says; it goes from the 2.5 % to the
 * 97.5 % quantile of their rho_s(tau), and holds that of all runs. A problem with a single replicate does not vary. */
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
