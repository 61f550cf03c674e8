/* eigen.c -- LAPACK's dsyevr and dsyevd; a symmetric matrix reads the same by rows and by columns. */
#include "core/base/eigen.h"

#include "core/base/memory.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

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
