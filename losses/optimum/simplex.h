/* simplex.h -- the quadratic programme of a bundle method: minimises a'Qa/2 - <c, a> over the probability simplex. */
#ifndef SP_LOSSES_OPTIMUM_SIMPLEX_H
#define SP_LOSSES_OPTIMUM_SIMPLEX_H

#include <stddef.h>

/* a[k] = argmin over a >= 0, sum a = 1, of a'Qa/2 - <c, a>, Q positive semidefinite (k x k, full), by a primal-dual
 * interior-point method: accurate to about 1e-14 of the spread of the gradient Qa - c. Whatever happens, a is in the
 * simplex. scratch: k (k + 6) doubles. */
void sp_simplex_minimise(size_t k, const double *Q, const double *c, double *a, double *scratch);

#endif
