/* math.h -- elementary functions of our own: the same bits on every processor and every libm, and straight-line code
 * that a compiler turns into vector instructions inside a loop (no branches, no calls, no FMA). For whatever leads to a
 * result; the rest may use <math.h>, of which sqrt, fabs, copysign and rounding are exact and stay in use. Special
 * values are those of C99 Annex F where nothing else is said. */
#ifndef SP_BASE_MATH_H
#define SP_BASE_MATH_H

/* At most so many units of the last place away, over the whole range and in subnormal results too (in brackets: the
 * most that was met in millions of hard cases). */
static inline double sp_exp(double x);             /* 1   (0.85) */
static inline double sp_expm1(double x);           /* 2   (1.47) */
static inline double sp_log(double x);             /* 1   (0.84) */
static inline double sp_log1p(double x);           /* 1   (0.82) */
static inline double sp_pow(double x, double y);   /* 1.5 (1.00); x >= 0, NaN below */
static inline double sp_tanh(double x);            /* 2   (1.40) */
static inline double sp_sigmoid(double x);         /* 2.5 (2.32); 1 / (1 + exp(-x)) */
static inline double sp_erfc(double x);            /* 2   (1.89) */
static inline double sp_hypot(double x, double y); /* 2   (1.98) */
static inline double sp_sin(double x);             /* 1   (0.94); |x| <= 2^20 pi, NaN beyond */
static inline double sp_cos(double x);             /* 1   (0.95); as sp_sin */
static inline double sp_atan(double x);            /* 1   (0.75); with a table, so no vectors */
static inline double sp_cosh(double x);            /* 2   (1.27); infinite from |x| > 709.78 on */
static inline double sp_acosh(double x);           /* 4   (2.3);  x <= 1e154, infinite beyond */

#include "core/base/math_bodies.h"

#endif
