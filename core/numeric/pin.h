/* pin.h -- makes OpenBLAS and glibc use the same variants of their functions on every processor, so that results
 * repeat. */
#ifndef SP_NUMERIC_PIN_H
#define SP_NUMERIC_PIN_H

#include "core/base/status.h"

/* Libraries pick variants by processor when they are loaded, and variants differ in the last digits; so do sums over
 * several threads. So the environment is set as follows, and where that changed it the program is executed again, once:
 *
 *   OPENBLAS_CORETYPE    Haswell on every x86-64 processor with AVX2 (a build older than the processor would fall back
 *                        to a slow set without a word); a user's choice is kept, and makes other runs current
 *                        (core/run/platform.h)
 *   OPENBLAS_NUM_THREADS, OMP_NUM_THREADS   1, whatever is there
 *   GLIBC_TUNABLES       no FMA in glibc's libm, as on a processor without it; joined to what the user has there
 *                        (fma() itself: fma.c)
 *
 * Call first in main. SP_EIO: the program could not be executed again; the message says which variables to set. */
sp_status sp_pin(char **argv, sp_error *);

#endif
