/* forms.h -- one loss of each form, small enough to be differentiated on paper, and its definition in long double.
 *
 *   link    log cosh(<w, x> - y)
 *   tilt    <x, sin(w)>, with h(w) = a ||w||^2 / 2 as public part
 *   record  (v tanh(<u, x>) - y)^2 / 2, w = (u, v): d = features + 1
 *
 * Labels FORMS_NAN and FORMS_INFINITE make a record of link and record form not finite. */
#ifndef SP_TESTS_FORMS_H
#define SP_TESTS_FORMS_H

#include "losses/loss.h"

#include <string.h>

#define FORMS_NAN 0.8125
#define FORMS_INFINITE 0.84375

static inline double forms_broken(double y)
{
    return y == FORMS_NAN ? NAN : y == FORMS_INFINITE ? INFINITY : 0.0;
}

/* --- link ------------------------------------------------------------------------------------------------------ */

static double forms_link_value(double m, double y, sp_numbers p)
{
    (void)p;
    return fabs(m - y) + log1p(exp(-2.0 * fabs(m - y))) - log(2.0) + forms_broken(y);
}

static double forms_link_slope(double m, double y, sp_numbers p)
{
    (void)p;
    return tanh(m - y) + forms_broken(y);
}

static double forms_link_curvature(double m, double y, sp_numbers p)
{
    (void)p;
    return 1.0 - tanh(m - y) * tanh(m - y) + forms_broken(y);
}

SP_LINK(forms_link_value, forms_link_slope, forms_link_curvature)

static void forms_link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p;
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = 1.0, .third = 0.77, .gap = region->label_bound };
}

static const sp_loss forms_link = { .name = "forms_link", .formula = "log cosh(<w, x> - y)", .source = "-",
                                    .link = &link, .link_bounds = forms_link_bounds, .convex = true, .smooth = true };

/* --- tilt and public part -------------------------------------------------------------------------------------- */

enum { FORMS_BOWL }; /* a */

static const sp_param forms_tilt_params[] = { [FORMS_BOWL] = { "bowl", SP_REAL, 1.31, { 0.0, 9.0 }, "a" }, { 0 } };

static void forms_phi(sp_numbers p, size_t d, const double *w, int order, double *restrict out)
{
    (void)p;
    for (size_t j = 0; j < d; j++)
        out[j] = order == 0 ? sin(w[j]) : order == 1 ? cos(w[j]) : -sin(w[j]);
}

static void forms_tilt_bounds(sp_numbers p, sp_tilt_bounds *out)
{
    (void)p;
    *out = (sp_tilt_bounds){ 1.0, 1.0, 1.0 };
}

static void forms_reach(sp_numbers p, size_t d, double radius, double *gap, double *distance)
{
    *gap = sqrt((double)d) * radius; /* ||sin(w)|| <= sqrt d */
    *distance = radius / p[FORMS_BOWL];
}

static const sp_tilt forms_tilt_form = { forms_phi, forms_tilt_bounds, NULL, forms_reach };

static double forms_h(sp_numbers p, size_t d, const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum += 0.5 * p[FORMS_BOWL] * w[j] * w[j];
    return sum;
}

static void forms_h_gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = p[FORMS_BOWL] * w[j];
}

static void forms_h_hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    (void)w;
    for (size_t j = 0; j < d; j++)
        H[j * d + j] += p[FORMS_BOWL];
}

static void forms_h_product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    (void)w;
    for (size_t j = 0; j < d; j++)
        out[j] += p[FORMS_BOWL] * v[j];
}

static void forms_h_bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    *out = (sp_public_bounds){ .slope = p[FORMS_BOWL] * region->norm, .curvature_high = p[FORMS_BOWL] };
}

static const sp_public_part forms_public = { forms_h, forms_h_gradient, forms_h_hessian, forms_h_product,
                                             forms_h_bounds };

static const sp_loss forms_tilt = { .name = "forms_tilt", .formula = "a ||w||^2 / 2 + <x, sin(w)>", .source = "-",
                                    .params = forms_tilt_params, .tilt = &forms_tilt_form,
                                    .public_part = &forms_public, .smooth = true };

/* --- record ------------------------------------------------------------------------------------------------------ */

static size_t forms_dimension(sp_numbers p, size_t features)
{
    (void)p;
    return features == 2 ? 0 : features + 1; /* a number of features that does not fit */
}

static size_t forms_scratch(sp_numbers p, size_t features)
{
    (void)p;
    return features;
}

static double forms_inner(size_t features, const double *x, const double *u, double *scratch)
{
    double sum = 0.0;
    memcpy(scratch, x, features * sizeof *x); /* the scratch is really there */
    for (size_t j = 0; j < features; j++)
        sum += scratch[j] * u[j];
    return sum;
}

static double forms_value(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch)
{
    (void)p;
    const double r = w[features] * tanh(forms_inner(features, x, w, scratch)) - y;
    return 0.5 * r * r + forms_broken(y);
}

static void forms_gradient(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch,
                           double *restrict out)
{
    (void)p;
    const double t = tanh(forms_inner(features, x, w, scratch)), v = w[features], r = v * t - y;
    for (size_t j = 0; j < features; j++)
        out[j] = r * v * (1.0 - t * t) * x[j];
    out[features] = r * t + forms_broken(y);
}

static void forms_product(sp_numbers p, size_t features, const double *x, double y, const double *w, const double *q,
                          double *scratch, double *restrict out)
{
    (void)p;
    const double t = tanh(forms_inner(features, x, w, scratch)), s = 1.0 - t * t, v = w[features], r = v * t - y;
    const double c = forms_inner(features, x, q, scratch), along = v * s * c + t * q[features];
    for (size_t j = 0; j < features; j++)
        out[j] = (along * v * s + r * (-2.0 * v * t * s * c + s * q[features])) * x[j];
    out[features] = along * t + r * s * c + forms_broken(y);
}

/* Over |v| <= B, ||x|| <= R, |y| <= Y: |r| <= B + Y; ||grad g|| <= hypot(B R, 1); ||hess g|| <= 2 (.77 B R^2 + R). */
static void forms_record_bounds(sp_numbers p, const sp_region *g, sp_record_bounds *out)
{
    (void)p;
    const double r = g->norm + g->label_bound, slope = hypot(g->norm * g->radius, 1.0);
    const double bend = 0.77 * g->norm * g->radius * g->radius + g->radius;
    *out = (sp_record_bounds){ .slope = r * slope, .curvature_high = slope * slope + r * bend,
                               .curvature_low = r * bend, .third = INFINITY,
                               .gap = 0.5 * g->label_bound * g->label_bound };
}

static const sp_record_form forms_record_form = { forms_dimension, "any number but 2", forms_scratch, forms_value,
                                                  forms_gradient, forms_product, forms_record_bounds };

static const sp_loss forms_record = { .name = "forms_record", .formula = "(v tanh(<u, x>) - y)^2 / 2", .source = "-",
                                      .record = &forms_record_form, .smooth = true };

/* --- the definitions --------------------------------------------------------------------------------------------- */

enum { FORMS_D = 16 }; /* most entries of w */

/* Of the data part of one record: value, gradient[d], Hessian[d * d], as the formulas say. */
static inline void forms_define(const sp_loss *loss, size_t features, const double *x, double y, const double *w,
                                long double *value, long double *gradient, long double *H)
{
    const size_t d = loss == &forms_record ? features + 1 : features;
    long double m = 0.0L;
    memset(H, 0, d * d * sizeof *H);
    for (size_t j = 0; j < features; j++)
        m += (long double)x[j] * w[j];
    if (loss == &forms_tilt) {
        *value = 0.0L;
        for (size_t j = 0; j < d; j++) {
            *value += x[j] * sinl(w[j]);
            gradient[j] = x[j] * cosl(w[j]);
            H[j * d + j] = -x[j] * sinl(w[j]);
        }
        return;
    }
    if (loss == &forms_link) {
        const long double t = tanhl(m - y);
        *value = logl(coshl(m - y));
        for (size_t j = 0; j < d; j++) {
            gradient[j] = t * x[j];
            for (size_t k = 0; k < d; k++)
                H[j * d + k] = (1.0L - t * t) * x[j] * x[k];
        }
        return;
    }
    const long double v = w[features], t = tanhl(m), s = 1.0L - t * t, r = v * t - y;
    *value = r * r / 2.0L;
    for (size_t j = 0; j < d; j++) {
        const long double gj = j < features ? v * s * x[j] : t;
        gradient[j] = r * gj;
        for (size_t k = 0; k < d; k++) {
            const long double gk = k < features ? v * s * x[k] : t;
            long double bend = 0.0L;
            if (j < features && k < features)
                bend = -2.0L * v * t * s * x[j] * x[k];
            else if (j < features || k < features)
                bend = s * x[j < features ? j : k];
            H[j * d + k] = gj * gk + r * bend;
        }
    }
}

#endif
