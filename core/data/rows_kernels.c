/* rows_kernels.c -- rows_body.h, compiled once an instruction set; WIDTH doubles are what its registers hold. */
#include "core/data/rows_kernels.h"

#include <stdbool.h>
#include <string.h>

typedef double pair __attribute__((vector_size(16)));
typedef double four __attribute__((vector_size(32)));

enum { SHORT = 8 };

#define SET baseline
#define WIDTH 2
#include "core/data/rows_body.h"

#define SET avx2
#define WIDTH 4
#include "core/data/rows_body.h"

#define SET avx512
#define WIDTH 8
#include "core/data/rows_body.h"

const sp_rows_kernels *const sp_rows_kernels_of[SP_ISAS] = { &kernels_baseline, &kernels_avx2, &kernels_avx512 };
