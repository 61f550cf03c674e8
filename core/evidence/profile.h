/* profile.h -- how often each method is near the best: performance profiles (Dolan & More 2002, Math. Programming 91).
 *
 * A problem p is a sweep and all that its cell's problem and budget are (sp_is_problem_axis). Of label s, m_ps is the mean of the
 * measure over the replicates, r_ps = m_ps / min_s m_ps its ratio to the best there, and
 *
 *   rho_s(tau) = share of the problems with r_ps <= tau,
 *
 * so that rho_s(1) is the share on which s is best, ties included. A cell that is not there, one of whose runs failed or
 * whose mean is not finite has r = infinity. Where the best mean is zero or less, the labels that reach it have r = 1 and
 * the others infinity.
 *
 * The band is pointwise, of replicates drawn again: SP_RESAMPLES times, for every problem, as many replicates as it has are drawn
 * with replacement, the same ones for all labels (they met the same records), and the profiles are computed anew; it goes
 * from the 2.5 % to the 97.5 % quantile of their rho_s(tau), and holds that of all replicates. A problem with a single replicate does not vary. */
#ifndef SP_EVIDENCE_PROFILE_H
#define SP_EVIDENCE_PROFILE_H

#include "core/evidence/series.h"

typedef struct sp_profile {
    size_t labels, problems;
    size_t points;      /* different finite ratios, and 1 */
    double *tau;        /* ascending, the first is 1 */
    double *ratio;      /* r_ps, labels x problems; INFINITY: no result */
    size_t *row;        /* first row of runs.tsv of each cell, labels x problems; rows of that table: it is not there */
    sp_interval *share; /* rho_s at each tau, labels x points; count: the problems */
    size_t fewest, most; /* replicates of a cell with a result; 0: there is none */
} sp_profile;

/* The labels' cells under the conditions of the selection, whose label is not read. problems = 0: there are none.
 * SP_EINVAL when a label has several cells for one problem (the message names what differs). */
sp_status sp_profile_of(const sp_runs *, const sp_selection *, const char *const *label, size_t labels, sp_profile *,
                        sp_error *);
void sp_profile_free(sp_profile *);

#endif
