/* platform.h -- the part of a run's key that is neither its parameters nor the sources: the libraries that computed
 * it. */
#ifndef SP_RUN_PLATFORM_H
#define SP_RUN_PLATFORM_H

#include "core/base/text.h"

/* "OpenBLAS kernels: Haswell; OpenBLAS: 0.3.21; GSL: 2.7.1; FFTW: 3.3.10-sse2-avx; libm: glibc 2.36 without FMA": of
 * this process, fixed at the first call. Compiler, processor and STILLPOINT_ISA change no digit (core/numeric/isa.h)
 * and are not in it. */
const char *sp_platform(void);

/* What differs between two of them, "OpenBLAS kernels changed (Haswell -> Nehalem)", ", " between several. */
void sp_platform_print_changes(const char *then, const char *now, sp_text *out);

#endif
