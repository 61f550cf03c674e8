/* blas.c -- see blas.h. */
#include "core/base/blas.h"

#include <gsl/gsl_cblas.h>

/* Declared here: OpenBLAS's own header clashes with GSL's. */
char *openblas_get_corename(void);
char *openblas_get_config(void);
void openblas_set_num_threads(int);

void sp_blas_prepare(void)
{
    double one = 1.0, out = 0.0;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, 1, 1, 1.0, &one, 1, 0.0, &out, 1);
}

void sp_blas_one_thread(void)
{
    openblas_set_num_threads(1);
}

const char *sp_blas_core(void)
{
    return openblas_get_corename();
}

const char *sp_blas_config(void)
{
    return openblas_get_config();
}
