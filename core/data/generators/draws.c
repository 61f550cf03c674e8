/* draws.c -- directions, Gaussians, cut noise, bits, and features with a margin. */
#include "core/data/generators/draws.h"

#include "core/numeric/math.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

double sp_inner(size_t d, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum += a[j] * b[j];
    return sum;
}

void sp_draw_gaussian(gsl_rng *stream, size_t d, double deviation, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = gsl_ran_gaussian_ziggurat(stream, deviation);
}

void sp_draw_direction(gsl_rng *stream, size_t d, double length, double *restrict out)
{
    double norm;
    do {
        sp_draw_gaussian(stream, d, 1.0, out);
        norm = sqrt(sp_inner(d, out, out));
    } while (norm == 0.0);
    cblas_dscal((int)d, length / norm, out, 1);
}

double sp_draw_noise(gsl_rng *stream, double deviation)
{
    double z = 0.0;
    if (deviation > 0.0)
        do
            z = gsl_ran_gaussian_ziggurat(stream, 1.0);
        while (fabs(z) > SP_NOISE_CUT);
    return deviation * z;
}

uint64_t sp_draw_bits(gsl_rng *stream, double p)
{
    uint64_t less = 0;
    for (uint64_t equal = UINT64_MAX; equal && p > 0.0;) {
        const uint64_t digits = gsl_rng_get(stream);
        const bool one = (p *= 2.0) >= 1.0;
        p -= one;
        less |= one ? equal & ~digits : 0;
        equal &= one ? digits : ~digits;
    }
    return less;
}

void sp_shorten(size_t d, double radius, double *x)
{
    const double norm = sqrt(sp_inner(d, x, x));
    if (norm > radius)
        cblas_dscal((int)d, radius / norm, x, 1);
}

double sp_generator_one(const sp_values *v, size_t d)
{
    (void)v, (void)d;
    return 1.0;
}

double sp_generator_zero(const sp_values *v, size_t d)
{
    (void)v, (void)d;
    return 0.0;
}

void sp_generator_centred(const sp_values *v, size_t d, const double *truth, double *restrict out)
{
    (void)v, (void)truth;
    memset(out, 0, d * sizeof *out);
}

enum { SPHERE, GAUSSIAN }; /* the words of "design" */

double sp_design_radius(const sp_values *v, size_t d)
{
    (void)d;
    if (sp_given(v, SP_RADIUS))
        return sp_real(v, SP_RADIUS);
    return sp_choice(v, SP_DESIGN) == GAUSSIAN ? 2.0 : 1.0;
}

const char *sp_design_fits(const sp_values *v, size_t d)
{
    if (sp_real(v, SP_DECAY) > 0.0 && sp_choice(v, SP_DESIGN) == SPHERE)
        return "a decay is for design = \"gaussian\"";
    return sp_real(v, SP_MARGIN) > sp_design_radius(v, d) ? "the margin is above the radius" : NULL;
}

size_t sp_design_truth(const sp_values *v, size_t d)
{
    (void)v;
    return d;
}

void sp_design_draw_truth(const sp_values *v, size_t d, gsl_rng *stream, double *truth)
{
    (void)v;
    sp_draw_direction(stream, d, 1.0, truth);
}

static void move_out(size_t d, double margin, double radius, const double *u, double *restrict x)
{
    const double t = sp_inner(d, u, x), moved = copysign(margin + (1.0 - margin / radius) * fabs(t), t);
    for (size_t j = 0; j < d; j++)
        x[j] -= t * u[j];
    sp_shorten(d, sqrt(fmax(radius * radius - moved * moved, 0.0)), x);
    for (size_t j = 0; j < d; j++)
        x[j] += moved * u[j];
}

/* x_j times (j + 1)^-decay, and all by what makes the trace of their covariance 1 again. */
static void fade(size_t d, double decay, double *restrict x)
{
    double trace = 0.0;
    for (size_t j = 0; j < d; j++)
        trace += sp_pow((double)(j + 1), -2.0 * decay);
    for (size_t j = 0; j < d; j++)
        x[j] *= sp_pow((double)(j + 1), -decay) * sqrt((double)d / trace);
}

void sp_design_draw(const sp_values *v, size_t d, const double *u, gsl_rng *stream, double *restrict x)
{
    const double radius = sp_design_radius(v, d), margin = sp_real(v, SP_MARGIN);
    if (sp_choice(v, SP_DESIGN) == SPHERE) {
        sp_draw_direction(stream, d, radius, x);
    } else {
        sp_draw_gaussian(stream, d, 1.0 / sqrt((double)d), x);
        if (sp_real(v, SP_DECAY) > 0.0)
            fade(d, sp_real(v, SP_DECAY), x);
        sp_shorten(d, radius, x);
    }
    if (margin > 0.0)
        move_out(d, margin, radius, u, x);
}
