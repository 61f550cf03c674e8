/* blas.h -- prepares OpenBLAS before the first call, and names the kernels that it runs (pin.h chooses them). */
#ifndef SP_NUMERIC_BLAS_H
#define SP_NUMERIC_BLAS_H

#include "core/base/status.h"

/* Makes OpenBLAS get its work space now, once in a program and before it calls anything else of it; a process that is
 * forked afterwards has it, too, before any limit on its memory. SP_ENOMEM: the system would refuse it, and OpenBLAS
 * would ask again for ever. */
sp_status sp_blas_prepare(sp_error *);

/* From here on, whatever the environment says. */
void sp_blas_one_thread(void);

const char *sp_blas_core(void);   /* "Haswell" */
const char *sp_blas_config(void); /* version and build options */

#endif
