/* simplex.c -- minimises a'Qa/2 - <c, a> over the simplex {a >= 0, sum_i a_i = 1} by primal-dual path following with
 * fixed centring (Nocedal & Wright 2006, section 16.6, without predictor and corrector).
 *
 * z >= 0 are the multipliers of a >= 0, lambda that of sum_i a_i = 1. The optimality conditions are
 * Qa - c - lambda 1 - z = 0 and a_i z_i = 0; the second is relaxed to a_i z_i = t, with t a tenth of the mean of the
 * a_i z_i. One Newton step (da, dlambda, dz) solves
 *
 *   (Q + diag(z/a)) da = dlambda 1 - (Qa - c - lambda 1) + t/a,   <1, da> = 1 - <1, a>,   dz = t/a - z - (z/a) da. */
#include "losses/optimum/simplex.h"

#include <float.h>
#include <gsl/gsl_cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { STEPS_MAX = 60 };

typedef struct iterate {
    size_t k;
    const double *Q, *c;
    double *a, *z, lambda;
    double *gradient, *M, *solution, *step_z; /* Qa - c; k x k; two columns: right-hand side and 1; dz */
} iterate;

static void gradient(iterate *s)
{
    memcpy(s->gradient, s->c, s->k * sizeof *s->c);
    cblas_dsymv(CblasRowMajor, CblasLower, (int)s->k, 1.0, s->Q, (int)s->k, s->a, 1, -1.0, s->gradient, 1);
}

/* The largest step <= 1 that keeps v + step dv >= 0. */
static double room(size_t k, const double *v, const double *dv)
{
    double step = 1.0;
    for (size_t i = 0; i < k; i++)
        if (dv[i] < 0.0)
            step = fmin(step, -v[i] / dv[i]);
    return step;
}

/* da in solution[0 .. k-1], dz; *turn = dlambda. False when the system is singular to rounding. */
static int direction(iterate *s, double t, double *turn)
{
    const size_t k = s->k;
    double *u = s->solution, *ones = u + k, sum_a = 0.0, sum_u = 0.0, sum_ones = 0.0;
    memcpy(s->M, s->Q, k * k * sizeof *s->M);
    for (size_t i = 0; i < k; i++) {
        s->M[i * k + i] += s->z[i] / s->a[i];
        u[i] = t / s->a[i] + s->lambda - s->gradient[i];
        ones[i] = 1.0;
        sum_a += s->a[i];
    }
    if (LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', (lapack_int)k, 2, s->M, (lapack_int)k, u, (lapack_int)k) != 0)
        return 0;
    for (size_t i = 0; i < k; i++) {
        sum_u += u[i];
        sum_ones += ones[i];
    }
    *turn = (1.0 - sum_a - sum_u) / sum_ones;
    cblas_daxpy((int)k, *turn, ones, 1, u, 1);
    for (size_t i = 0; i < k; i++)
        s->step_z[i] = t / s->a[i] - s->z[i] - s->z[i] / s->a[i] * u[i];
    return isfinite(*turn);
}

void sp_simplex_minimise(size_t k, const double *Q, const double *c, double *a, double *scratch)
{
    iterate s = { .k = k, .Q = Q, .c = c, .a = a };
    double low = INFINITY, high = -INFINITY, turn = 0.0, sum = 0.0;
    s.M = scratch;
    s.z = s.M + k * k;
    s.gradient = s.z + k;
    s.solution = s.gradient + k;
    s.step_z = s.solution + 2 * k;
    for (size_t i = 0; i < k; i++)
        a[i] = 1.0 / (double)k;
    gradient(&s);
    for (size_t i = 0; i < k; i++) {
        low = fmin(low, s.gradient[i]);
        high = fmax(high, s.gradient[i]);
    }
    const double spread = high - low;
    s.lambda = low - spread;
    for (size_t i = 0; i < k; i++)
        s.z[i] = s.gradient[i] - s.lambda;
    for (int step = 0; step < STEPS_MAX && spread > 0.0; step++) {
        const double complementarity = cblas_ddot((int)k, a, 1, s.z, 1);
        if (complementarity <= 1e-15 * spread || !direction(&s, 0.1 * complementarity / (double)k, &turn))
            break;
        const double length = 0.995 * fmin(room(k, a, s.solution), room(k, s.z, s.step_z));
        cblas_daxpy((int)k, length, s.solution, 1, a, 1);
        cblas_daxpy((int)k, length, s.step_z, 1, s.z, 1);
        s.lambda += length * turn;
        gradient(&s);
    }
    for (size_t i = 0; i < k; i++)
        sum += a[i] = fmax(a[i], 0.0);
    cblas_dscal((int)k, 1.0 / sum, a, 1);
}
