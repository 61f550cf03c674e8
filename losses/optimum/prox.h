/* prox.h -- the proximal point of a weakly convex F, with a certified bound on the distance to it.
 *
 *   prox(w) = argmin over v in the domain of F(v) + rho ||v - w||^2,   rho_w < 2 rho
 *
 * rho_w is the weak convexity of F: F + (rho_w / 2) ||.||^2 is convex. F + rho ||. - w||^2 is mu-strongly convex with
 * mu = 2 rho - rho_w. At rho = rho_w, 2 rho_w (w - prox(w)) is the gradient at w of the Moreau envelope of F with
 * parameter 1 / (2 rho_w) (Davis & Drusvyatskiy 2019). */
#ifndef SP_LOSSES_OPTIMUM_PROX_H
#define SP_LOSSES_OPTIMUM_PROX_H

#include "losses/engine/problem.h"

/* v[d] = prox(w) and *error >= ||v - prox(w)||. Stops when *error <= max(tolerance, relative ||v - w||), or after a
 * bounded number of passes (2000 gradients of a smooth F, 200 of another), whatever the error is then. rho_w is the
 * certified weak convexity. scratch: sp_prox_scratch doubles. SP_EINVAL unless rho_w < 2 rho < INFINITY; SP_ENUMERIC
 * where F is not finite. */
size_t sp_prox_scratch(const sp_problem *);
sp_status sp_prox(const sp_problem *, sp_workspace *, double rho, const double *w, double tolerance,
                  double relative, double *v, double *error, double *scratch);

/* For measures. *distance = ||w - prox(w)|| at rho = rho_w: certified to 1e-9 where F is smooth, else to the larger of
 * 1e-6 and 1 % of it. *distance is NAN where not even 10 % or 1e-4 could be reached. scratch: sp_prox_distance_scratch
 * doubles. */
size_t sp_prox_distance_scratch(const sp_problem *);
sp_status sp_prox_distance(const sp_problem *, sp_workspace *, const double *w, double *scratch, double *distance);
/* NULL where rho_w is in (0, INFINITY), else why it is not (static text). */
const char *sp_prox_distance_fits(const sp_constants *);

#endif
