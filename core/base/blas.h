/* blas.h -- which OpenBLAS kernels run (pin.h chooses them). */
#ifndef SP_BASE_BLAS_H
#define SP_BASE_BLAS_H

/* Makes OpenBLAS get its work space now. It asks again for ever when the system refuses, so this stands before any
 * limit on memory. */
void sp_blas_prepare(void);

/* From here on, whatever the environment says. */
void sp_blas_one_thread(void);

const char *sp_blas_core(void);   /* "Haswell" */
const char *sp_blas_config(void); /* version and build options */

#endif
