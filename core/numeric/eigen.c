/* eigen.c -- eigenpairs of symmetric matrices by LAPACK's dsyevr and dsyevd, for which row-major and column-major are
 * the same; and by Lanczos's method, which takes products H v alone:
 *
 *   beta_j q_{j+1} = H q_j - alpha_j q_j - beta_{j-1} q_{j-1},   q_i orthonormal, T = tridiag(beta, alpha, beta)
 *
 * An eigenpair T s = theta s gives the vector u = sum_j s_j q_j with ||H u - theta u|| = beta_k |s_k| after k steps.
 * Each new vector is orthogonalised against all the others, twice, which keeps them orthogonal to rounding (Parlett
 * 1998, section 6.9). */
#include "core/numeric/eigen.h"

#include "core/base/memory.h"

#include <float.h>
#include <gsl/gsl_cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* LAPACK may loop or read out of bounds on NaN, so it never sees one. */
static sp_status check(size_t d, const double *H)
{
    if (d == 0 || d > INT_MAX)
        return SP_EINVAL;
    for (size_t i = 0; i < d * d; i++)
        if (!isfinite(H[i]))
            return SP_ENUMERIC;
    return SP_OK;
}

static sp_status status_of(lapack_int info)
{
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return SP_ENOMEM;
    return info == 0 ? SP_OK : SP_ENUMERIC;
}

sp_status sp_eigen_smallest(size_t d, double *H, double *value, double *vector)
{
    sp_status status = SP_OK;
    const lapack_int n = (lapack_int)d;
    lapack_int found = 0, support[2] = { 0, 0 };
    double *values = NULL; /* dsyevr wants room for d */
    SP_TRY(check(d, H));
    values = sp_alloc_doubles(d);
    SP_TRY(values ? SP_OK : SP_ENOMEM);
    SP_TRY(status_of(LAPACKE_dsyevr(LAPACK_COL_MAJOR, vector ? 'V' : 'N', 'I', 'U', n, H, n, 0.0, 0.0, 1, 1, 0.0,
                                    &found, values, vector, n, support)));
    SP_TRY(found == 1 ? SP_OK : SP_ENUMERIC);
    *value = values[0];
cleanup:
    free(values);
    return status;
}

sp_status sp_eigen_all(size_t d, double *H, double *values)
{
    sp_status status = SP_OK;
    const lapack_int n = (lapack_int)d;
    SP_TRY(check(d, H));
    SP_TRY(status_of(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', n, H, n, values)));
cleanup:
    return status;
}

/* --- Lanczos ----------------------------------------------------------------------------------------------- */

/* A new direction shorter than this times ||H|| is rounding: the subspace is invariant. */
static const double vanished = 1e-12;

typedef struct lanczos {
    size_t d, first, count;      /* basis vectors first .. count - 1 belong to the run under way */
    double *basis, *r, *u;       /* rows of d; d; the best Ritz vector so far */
    double *alpha, *beta;
    double *diagonal, *side;     /* what LAPACK overwrites */
    double *s, *values;          /* the eigenvector of T; its eigenvalues, of which LAPACK may fill more than one */
} lanczos;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t sp_lanczos_scratch(size_t d, size_t steps)
{
    const size_t rows = least(d, steps);
    return (rows + 2) * d + 6 * rows;
}

static lanczos lanczos_in(size_t d, size_t rows, double *scratch)
{
    lanczos l = { .d = d, .basis = scratch };
    l.r = l.basis + rows * d;
    l.u = l.r + d;
    l.alpha = l.u + d;
    l.beta = l.alpha + rows;
    l.diagonal = l.beta + rows;
    l.side = l.diagonal + rows;
    l.s = l.side + rows;
    l.values = l.s + rows;
    return l;
}

/* r made orthogonal to all of the basis; returns its length. */
static double orthogonalise(lanczos *l)
{
    const int d = (int)l->d, rows = (int)l->count;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < rows; i++)
            l->diagonal[i] = cblas_ddot(d, l->basis + (size_t)i * l->d, 1, l->r, 1);
        for (int i = 0; i < rows; i++)
            cblas_daxpy(d, -l->diagonal[i], l->basis + (size_t)i * l->d, 1, l->r, 1);
    }
    return cblas_dnrm2(d, l->r, 1);
}

/* r / length becomes the next basis vector. */
static void extend(lanczos *l, double length)
{
    double *q = l->basis + l->count++ * l->d;
    for (size_t j = 0; j < l->d; j++)
        q[j] = l->r[j] / length;
}

/* Any direction will do, as long as it is in no special position: splitmix64 of j. */
static void fresh_direction(lanczos *l)
{
    for (size_t j = 0; j < l->d; j++) {
        uint64_t z = (j + 1) * UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        l->r[j] = ldexp((double)((z ^ (z >> 31)) >> 11), -52) - 1.0;
    }
}

/* Smallest eigenvalue of the T of this run, its eigenvector in s. */
static sp_status ritz(lanczos *l, double *theta)
{
    const size_t n = l->count - l->first;
    lapack_int found = 0, support[2] = { 0, 0 };
    memcpy(l->diagonal, l->alpha + l->first, n * sizeof *l->alpha);
    memcpy(l->side, l->beta + l->first, n * sizeof *l->beta);
    const lapack_int info = LAPACKE_dstevr(LAPACK_COL_MAJOR, 'V', 'I', (lapack_int)n, l->diagonal, l->side, 0.0, 0.0, 1,
                                           1, 0.0, &found, l->values, l->s, (lapack_int)n, support);
    *theta = l->values[0];
    return info == 0 && found != 1 ? SP_ENUMERIC : status_of(info);
}

sp_status sp_lanczos_smallest(size_t d, sp_product product, void *context, const double *start, size_t steps,
                              double tolerance, double *value, double *error, double *vector, double *scratch)
{
    sp_status status = SP_OK;
    const size_t rows = least(d, steps);
    lanczos l = lanczos_in(d, rows, scratch);
    double lowest = INFINITY, size = 0.0, length = 0.0;
    if (rows == 0 || d > INT_MAX)
        return SP_EINVAL;
    memcpy(l.r, start, d * sizeof *start);
    length = cblas_dnrm2((int)d, l.r, 1);
    if (length == 0.0)
        return SP_EINVAL;
    SP_TRY(isfinite(length) ? SP_OK : SP_ENUMERIC);
    extend(&l, length);
    for (;;) {
        double theta = 0.0;
        const size_t last = l.count - 1;
        const double *q = l.basis + last * d;
        product(context, q, l.r);
        size = fmax(size, cblas_dnrm2((int)d, l.r, 1));
        l.alpha[last] = cblas_ddot((int)d, q, 1, l.r, 1);
        SP_TRY(isfinite(size) && isfinite(l.alpha[last]) ? SP_OK : SP_ENUMERIC);
        length = l.beta[last] = orthogonalise(&l);
        SP_TRY(ritz(&l, &theta));
        const bool invariant = length <= vanished * size, full = l.count == rows;
        const double residual = length * fabs(l.s[last - l.first]);
        if (!full && !invariant && residual > tolerance * fmax(1.0, fabs(theta))) {
            extend(&l, length);
            continue;
        }
        if (theta < lowest) {
            lowest = theta;
            cblas_dgemv(CblasRowMajor, CblasTrans, (int)(l.count - l.first), (int)d, 1.0, l.basis + l.first * d, (int)d,
                        l.s, 1, 0.0, l.u, 1);
        }
        if (full || !invariant || l.first > 0)
            break;
        l.first = l.count;
        fresh_direction(&l);
        extend(&l, orthogonalise(&l));
    }
    cblas_dscal((int)d, 1.0 / cblas_dnrm2((int)d, l.u, 1), l.u, 1);
    product(context, l.u, l.r);
    *value = cblas_ddot((int)d, l.u, 1, l.r, 1);
    cblas_daxpy((int)d, -*value, l.u, 1, l.r, 1);
    *error = cblas_dnrm2((int)d, l.r, 1);
    SP_TRY(isfinite(*value) && isfinite(*error) ? SP_OK : SP_ENUMERIC);
    if (vector)
        memcpy(vector, l.u, d * sizeof *vector);
cleanup:
    return status;
}
