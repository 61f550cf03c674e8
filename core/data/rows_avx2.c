/* rows_avx2.c -- the kernels of rows_body.h for AVX2 and FMA. */
#include "core/numeric/isa.h"

#ifdef SP_ISA_X86
#define SET avx2
#define WIDTH 4
#include "core/data/rows_body.h"
#endif
