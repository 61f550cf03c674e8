/* eigen.h -- symmetric eigenproblems by LAPACK; H is d x d, both triangles filled, row-major = column-major. */
#ifndef SP_BASE_EIGEN_H
#define SP_BASE_EIGEN_H

#include "core/base/status.h"

#include <stddef.h>

/* Smallest eigenvalue (dsyevr, range 1..1). H is overwritten; `vector` (d entries) may be NULL. SP_ENUMERIC when H is
 * not finite or LAPACK does not converge. */
sp_status sp_eigen_smallest(size_t d, double *H, double *value, double *vector);

/* All eigenvalues, ascending, in values[d]; H is overwritten by the eigenvectors, one a row (dsyevd). */
sp_status sp_eigen_all(size_t d, double *H, double *values);

#endif
