/* rows_avx512.c -- the kernels of rows_body.h for AVX-512. */
#include "core/numeric/isa.h"

#ifdef SP_ISA_X86
#define SET avx512
#define WIDTH 8
#include "core/data/rows_body.h"
#endif
