/* blas.c -- see blas.h. */
#include "core/runner/blas.h"

#include <gsl/gsl_cblas.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* Declared here: OpenBLAS's own header clashes with GSL's. */
char *openblas_get_corename(void);
char *openblas_get_config(void);

void sp_blas_pin(char **argv)
{
    bool again = false;
#if defined(__x86_64__)
    if (!getenv("OPENBLAS_CORETYPE") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        again = setenv("OPENBLAS_CORETYPE", "Haswell", 1) == 0;
#endif
    if (!getenv("OPENBLAS_NUM_THREADS"))
        again = setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0 || again;
    if (again)
        execv("/proc/self/exe", argv); /* on failure: go on with the kernels that were chosen; they are recorded */
}

void sp_blas_prepare(void)
{
    double one = 1.0, out = 0.0;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, 1, 1, 1.0, &one, 1, 0.0, &out, 1);
}

const char *sp_blas_core(void)
{
    return openblas_get_corename();
}

const char *sp_blas_config(void)
{
    return openblas_get_config();
}
