/* spectrum.h -- the smallest eigenvalue of hess F(w): by a dense solver up to d = SP_DENSE_MAX; for larger d an upper
 * bound by Lanczos's method, which takes Hessian-vector products alone. */
#ifndef SP_LOSSES_OPTIMUM_SPECTRUM_H
#define SP_LOSSES_OPTIMUM_SPECTRUM_H

#include "losses/engine/problem.h"

/* By LAPACK to d = SP_DENSE_MAX (certificate.h), to rounding; beyond, by Lanczos from a fixed random start: an upper
 * bound of lambda_min whose residual is at most 1e-8 max(1, |value|), or that of 200 steps (core/numeric/eigen.h).
 * scratch: sp_spectrum_scratch doubles. SP_ENUMERIC where the Hessian is not finite. */
size_t sp_spectrum_scratch(const sp_problem *);
sp_status sp_spectrum_smallest(const sp_problem *, sp_workspace *, const double *w, double *scratch, double *value);
/* Is it below the bound? To d = SP_DENSE_MAX without an eigenvalue where the diagonal or Gershgorin's discs tell. */
sp_status sp_spectrum_below(const sp_problem *, sp_workspace *, const double *w, double bound, double *scratch,
                            bool *below);

#endif
