/* blas.h -- which OpenBLAS kernels run. */
#ifndef SP_RUNNER_BLAS_H
#define SP_RUNNER_BLAS_H

/* OpenBLAS picks its kernels when it is loaded; a build older than the processor falls back to a slow set without a word,
 * and different sets differ in the last digits. So every x86-64 processor with AVX2 gets the same one (Haswell) and one
 * thread: when the environment does not say so yet, it is set and the program executed again, once. A value of
 * OPENBLAS_CORETYPE that the user chose is kept. Call first in main. */
void sp_blas_pin(char **argv);

/* Makes OpenBLAS get its work space now. It asks again for ever when the system refuses, so this stands before any limit
 * on memory. */
void sp_blas_prepare(void);

const char *sp_blas_core(void);   /* "Haswell" */
const char *sp_blas_config(void); /* version and build options */

#endif
