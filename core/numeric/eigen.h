/* eigen.h -- symmetric eigenproblems: by LAPACK for a matrix H (d x d, both triangles filled, row-major =
 * column-major), by Lanczos's method for an H that is known by its products with vectors. */
#ifndef SP_NUMERIC_EIGEN_H
#define SP_NUMERIC_EIGEN_H

#include "core/base/status.h"

#include <stddef.h>

/* Smallest eigenvalue (dsyevr, range 1..1). H is overwritten; `vector` (d entries) may be NULL. SP_ENUMERIC when H is
 * not finite or LAPACK does not converge. */
sp_status sp_eigen_smallest(size_t d, double *H, double *value, double *vector);

/* All eigenvalues, ascending, in values[d]; H is overwritten by the eigenvectors, one a row (dsyevd). */
sp_status sp_eigen_all(size_t d, double *H, double *values);

/* Matrix-free: out = H v for a symmetric H. */
typedef void (*sp_product)(void *context, const double *v, double *restrict out);

/* Smallest eigenvalue of a symmetric H given by products alone (Lanczos with full reorthogonalisation, at most `steps`
 * of them, from `start`, d entries): *value is a Rayleigh quotient, so lambda_min <= *value; *error = ||H u - value u||
 * of its unit vector u, computed at the end (some eigenvalue lies within it). Stops when the residual is at most
 * tolerance max(1, |value|). A start inside an invariant subspace is noticed, and a second run made orthogonally to it.
 * From a random start k steps find lambda_min to within r of the spectrum's spread,
 *   0 <= value - lambda_min <= r (lambda_max - lambda_min),
 * except with probability 1.648 sqrt(d) exp(-sqrt(r) (2k - 1)) (Kuczynski & Wozniakowski 1992).
 * `vector` (d) may be NULL. scratch: sp_lanczos_scratch(d, steps) doubles. SP_EINVAL when d, steps or the start is 0;
 * SP_ENUMERIC when the start or a product is not finite. */
size_t sp_lanczos_scratch(size_t d, size_t steps);
sp_status sp_lanczos_smallest(size_t d, sp_product, void *context, const double *start, size_t steps, double tolerance,
                              double *value, double *error, double *vector, double *scratch);

#endif
