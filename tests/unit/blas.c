/* The calls bind to OpenBLAS, not to GSL's slow CBLAS nor to the reference LAPACK: a wrong link order is silent. */
#include "tests/check.h"

#include <dlfcn.h>
#include <gsl/gsl_cblas.h>
#include <lapacke.h>
#include <stdint.h>

static const char *library_of(const char *symbol)
{
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, symbol);
    return address && dladdr(address, &info) ? info.dli_fname : "(nowhere)";
}

int main(void)
{
    /* Both are called, so that a linker that drops unneeded libraries keeps them. */
    const double x[3] = { 2.385, -1.25, 0.5 };
    CHECK_NEAR(cblas_ddot(3, x, 1, x, 1), 2.385 * 2.385 + 1.25 * 1.25 + 0.25, 1e-14);
    double H[4] = { 1.0, 2.0, 2.0, 1.0 }, values[2];
    CHECK_EQUAL(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', 2, H, 2, values), 0);
    CHECK_NEAR(values[0], -1.0, 1e-14);

    CHECK_CONTAINS(library_of("cblas_dgemm"), "openblas");
    CHECK_CONTAINS(library_of("dgemm_"), "openblas");
    CHECK_CONTAINS(library_of("dsyevr_"), "openblas");
    return sp_check_done();
}
