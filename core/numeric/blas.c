/* blas.c -- prepares OpenBLAS (its work space, one thread) and reports which of its kernels run. */
#include "core/numeric/blas.h"

#include <gsl/gsl_cblas.h>
#include <sys/mman.h>

/* Declared here: OpenBLAS's own header clashes with GSL's. */
char *openblas_get_corename(void);
char *openblas_get_config(void);
void openblas_set_num_threads(int);

/* OpenBLAS's own BUFFER_SIZE is 128 MiB where it is largest. */
static const size_t work_space = (size_t)130 << 20;

sp_status sp_blas_prepare(sp_error *error)
{
    double one = 1.0, out = 0.0;
    void *room = mmap(NULL, work_space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return sp_fail(error, SP_ENOMEM,
                       "out of memory: the linear algebra needs %zu MiB of address space for its work "
                       "(ulimit -v?)",
                       work_space >> 20);
    munmap(room, work_space);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, 1, 1, 1.0, &one, 1, 0.0, &out, 1);
    return SP_OK;
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
