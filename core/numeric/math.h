/* math.h -- our own elementary functions. They give the same bits on every processor and with every libm, and are
 * straight-line code (no branches, no calls) that a compiler turns into vector instructions inside a loop. Use them for
 * everything that a result depends on. Of <math.h> only sqrt, fma, fabs, copysign and rounding are allowed there, which
 * are exact or correctly rounded. Special values are those of C99 Annex F unless something else is said.
 *
 * Their FMAs are instructions in a kernel (isa.h) and calls of fma.c in other code, where sp_exp takes some 30 ns
 * instead of 1 to 2: write a kernel for what is evaluated often. */
#ifndef SP_NUMERIC_MATH_H
#define SP_NUMERIC_MATH_H

#include "core/numeric/isa.h"

/* At most so many units of the last place away, over the whole range and in subnormal results too (in brackets: the
 * most that was met in millions of hard cases). */
SP_INLINE double sp_exp(double x);             /* 1   (0.84) */
SP_INLINE double sp_expm1(double x);           /* 2   (1.58) */
SP_INLINE double sp_log(double x);             /* 1   (0.79) */
SP_INLINE double sp_log1p(double x);           /* 1   (0.81) */
double sp_pow(double x, double y);             /* 1.5 (1.05); x >= 0, NaN below; a call, 25 ns wherever it is made */
SP_INLINE double sp_tanh(double x);            /* 2   (1.41) */
SP_INLINE double sp_sigmoid(double x);         /* 2.5 (2.38); 1 / (1 + exp(-x)) */
SP_INLINE double sp_erfc(double x);            /* 2   (1.82) */
SP_INLINE double sp_hypot(double x, double y); /* 2   (1.98) */
SP_INLINE double sp_sin(double x);             /* 1   (0.81); |x| <= 2^20 pi, NaN beyond */
SP_INLINE double sp_cos(double x);             /* 1   (0.82); as sp_sin */
SP_INLINE double sp_atan(double x);            /* 1   (0.84); with a table, so no vectors */
SP_INLINE double sp_cosh(double x);            /* 2   (1.28); infinite from |x| > 709.78 on */
SP_INLINE double sp_acosh(double x);           /* 4   (2.1);  x <= 1e154, infinite beyond */

#include "core/numeric/math_bodies.h"

#endif
