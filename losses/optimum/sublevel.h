/* sublevel.h -- bounds on the set {D <= e} of points u at which a convex smooth link loss f is at most e above its
 * tangent plane at v:
 *
 *   D(u) = f(u) - f(v) - <grad f(v), u - v>
 *
 * D is convex, so {D <= e} is star-shaped about v. If all margins of u are within s_i of those of v, then D(u) >=
 * z'Hz / 2, z = u - v, H = (1/n) sum_i c_i x_i x_i' with c_i <= phi'' on that interval; so D(u) <= e requires
 * |<x_i, z>| <= sqrt(2 e x_i'H^-1 x_i). If these numbers are at most s_i, no margin of a point of {D <= e} leaves its
 * interval: the first to do so would violate its own bound. The s_i are increased until this holds. Then
 *
 *   D(u) <= e  implies  |z_j| <= h_j = sqrt(2 e (H^-1)_jj),
 *   D(u) <= t e, t >= 1,  implies  |z_j| <= t h_j  by convexity along rays from v.
 *
 * H is lowered by 1e-12 of its trace, against rounding. */
#ifndef SP_LOSSES_OPTIMUM_SUBLEVEL_H
#define SP_LOSSES_OPTIMUM_SUBLEVEL_H

#include "losses/engine/problem.h"

typedef struct sp_sublevel {
    double *H;              /* d x d: hess f >= H where all margins are within their reach */
    double *extent;         /* d: h */
    double *margin, *reach; /* n: <x_i, v>, s_i */
    double *L;              /* d x d: scratch */
} sp_sublevel;

/* Whether f is all links and phi'' least at an end of any interval. */
bool sp_sublevel_fits(const sp_problem *);
sp_status sp_sublevel_make(sp_sublevel *, const sp_problem *); /* SP_ENOMEM */
void sp_sublevel_free(sp_sublevel *);                          /* { 0 } is allowed */

/* f: the problem without a regulariser. False where none is found. *work falls by the multiplications, about; below 0
 * nothing is found. */
bool sp_sublevel_find(sp_sublevel *, const sp_problem *f, sp_workspace *, const double *v, double e, double *work);
/* Whether every margin at w is within its reach. */
bool sp_sublevel_holds(const sp_sublevel *, const sp_problem *f, sp_workspace *, const double *w);

/* L L' = A in its place, row by row, the lower triangle; false where A is not positive definite. */
bool sp_factorise(size_t d, double *A);

#endif
