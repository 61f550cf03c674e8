/* rows_baseline.c -- the kernels of rows_body.h for what every processor has: SSE2 on x86-64, NEON on aarch64. */
#define SET baseline
#define WIDTH 2
#include "core/data/rows_body.h"
