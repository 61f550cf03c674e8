/* diverged.h -- detects runs that end where a measure is small although the method achieved nothing. Far from the start
 * the gradient of a loss that saturates vanishes, so a method without a budget, or with an absurd step, would win the
 * comparison. The harness checks this with full access at the end of a run. A diverged run is in no ranking, and its
 * grid point cannot win.
 *
 * w is the returned point, w0 the start, F the training objective, R the bound on the records' norms, L, beta and the
 * gap of F(w0) over F* the declared public constants.
 *
 *   far          the domain is the whole space and ||w - w0|| > 1000 s, s = max(gap / L, sqrt(2 gap / beta)): at the
 *                largest slope, and on the largest curvature, F falls by the gap within s. If F is convex, F(w) >=
 *                F(w0) is required too, because the minimum of a convex F may be that far away
 *   above_start  F(w) >= F(w0) while ||grad F(w)|| < ||grad F(w0)|| / 10
 *   saturated    of a link loss that is not convex: F fell by less than half of its gap; at one record in twenty the
 *                loss is no smaller than at the start, and the slopes of the link at these records are, together, below
 *                a quarter of what they were at the start. Their pull on w has vanished: the gradient is not small
 *                because the records balance. (Where most records are fitted, as by naming the majority class, that is
 *                a minimum.) */
#ifndef SP_RUN_DIVERGED_H
#define SP_RUN_DIVERGED_H

#include "losses/engine/problem.h"

typedef enum { SP_NOT_DIVERGED, SP_FAR, SP_ABOVE_START, SP_SATURATED, SP_DIVERGENCES } sp_divergence;

const char *sp_divergence_name(sp_divergence); /* "far"; "" for SP_NOT_DIVERGED */
sp_divergence sp_divergence_named(const char *); /* SP_NOT_DIVERGED for what is no name */

/* w is finite. SP_ENOMEM. */
sp_status sp_divergence_of(const sp_problem *, sp_workspace *, const double *w, sp_divergence *);

#endif
