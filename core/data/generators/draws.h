/* draws.h -- draws that several generators share. For core/data/generators/ alone.
 *
 * Inner products are plain loops: a record has the same bits whatever BLAS there is. */
#ifndef SP_DATA_GENERATORS_DRAWS_H
#define SP_DATA_GENERATORS_DRAWS_H

#include "core/data/generator.h"

#include <stdint.h>

#define SP_NOISE_CUT 3.0 /* deviations */

double sp_inner(size_t d, const double *a, const double *b);
void sp_draw_gaussian(gsl_rng *, size_t d, double deviation, double *restrict out); /* independent entries */
void sp_draw_direction(gsl_rng *, size_t d, double length, double *restrict out);   /* uniform on the sphere */
/* deviation * z, z ~ N(0, 1) given |z| <= SP_NOISE_CUT; 0 without a draw where deviation = 0. */
double sp_draw_noise(gsl_rng *, double deviation);
/* 64 independent draws of u < p at once, u uniform on [0, 1): the binary digits of u and p are compared from the first
 * on, until each u has shown a digit that differs. */
uint64_t sp_draw_bits(gsl_rng *, double p);
/* Scales x down to norm `radius` when it is longer. */
void sp_shorten(size_t d, double radius, double *x);

/* The bounds, and the mean of what is symmetric about 0. */
double sp_generator_one(const sp_values *, size_t d);
double sp_generator_zero(const sp_values *, size_t d);
void sp_generator_centred(const sp_values *, size_t d, const double *truth, double *restrict out);

/* --- the features of linear, logistic and phase ----------------------------------------------------------------
 *
 * x is uniform on the sphere of `radius`, or N(0, I/d) shortened to it; with a decay N(0, D), D diagonal of trace 1
 * with entries ~ j^(-2 decay). The truth is one uniform unit vector u. A
 * margin moves x away from the hyperplane <u, x> = 0: t = <u, x> becomes
 *
 *   t' = sign(t) (margin + (1 - margin/radius) |t|),   margin <= |t'| <= radius,
 *
 * and the part of x across u is scaled down to what the radius leaves (on the sphere x stays on the sphere). The
 * distribution stays symmetric about 0, so E x = 0. */
enum { SP_DESIGN, SP_RADIUS, SP_MARGIN, SP_DECAY, SP_AFTER_DESIGN }; /* rows of the schema */

#define SP_DESIGN_PARAMS                                                                                              \
    [SP_DESIGN] = { "design", SP_CHOICE, 0, { 0, 0 }, "features uniform on the sphere, or N(0, I/d) shortened",      \
                    "sphere|gaussian" },                                                                              \
    [SP_RADIUS] = { "radius", SP_REAL, SP_DERIVED, { 1e-6, 1e6 }, "of the sphere, default 1; longest, default 2" },   \
    [SP_MARGIN] = { "margin", SP_REAL, 0.0, { 0.0, 1e6 }, "records are moved to |<u, x>| >= margin, u = w*/||w*||" }, \
    [SP_DECAY]  = { "decay",  SP_REAL, 0.0, { 0.0, 10.0 }, "gaussian: x_j has deviation ~ j^-decay, j = 1, ..., d, "   \
                    "E||x||^2 = 1 before it is shortened" }

double sp_design_radius(const sp_values *, size_t d);
const char *sp_design_fits(const sp_values *, size_t d);
size_t sp_design_truth(const sp_values *, size_t d);
void sp_design_draw_truth(const sp_values *, size_t d, gsl_rng *, double *truth);
void sp_design_draw(const sp_values *, size_t d, const double *u, gsl_rng *, double *restrict x);

#endif
