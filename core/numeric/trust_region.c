/* trust_region.c -- solves the trust-region subproblem (trust_region.h) in the eigenbasis of H (More & Sorensen 1983),
 * and minimises by such steps.
 *
 * With H = V' diag(v) V, v_1 the smallest eigenvalue, and a = V g, the solution is V'y, where for a shift s >= max(0,
 * v_1)
 *
 *   y_i = -a_i / (v_i - v_1 + s),   ||y|| = Delta,  or  s = v_1 > 0 and ||y|| <= Delta.
 *
 * The multiplier of ||p|| <= Delta is lambda = s - v_1.
 *
 * 1/||y(s)|| is concave, so Newton's method on 1/||y|| = 1/Delta increases monotonically from any s with ||y|| >=
 * Delta. Hard case: a is orthogonal to the lowest eigenspace and ||y(0)|| < Delta; then the missing length is added
 * along the first vector of that space. Because s, not lambda, is the unknown, a nearly hard case loses no digits. An
 * a_i or v_1 of the size of rounding errors counts as 0; otherwise the step would wander along the null space of a
 * singular H.
 *
 * The ratio of actual to predicted decrease has a multiple of the rounding error of F added to numerator and
 * denominator (Conn, Gould & Toint 2000, section 17.4.2): near a minimum it tends to 1 instead of to noise. */
#include "core/numeric/trust_region.h"

#include "core/numeric/eigen.h"
#include "core/base/memory.h"

#include <float.h>
#include <gsl/gsl_cblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NEWTON_MAX = 100 };

/* A lowest eigenvalue above -this * ||H|| is one of a semidefinite matrix with rounding. */
#define CURVATURE_TOLERANCE 1e-10

static double norm(size_t d, const double *x)
{
    return cblas_dnrm2((int)d, x, 1);
}

/* ||y(s)||, and the sum of y_i^2 / (v_i - v_1 + s). */
static double length_at(size_t d, const double *values, const double *a, double s, double *slope)
{
    double square = 0.0;
    *slope = 0.0;
    for (size_t i = 0; i < d; i++) {
        const double gap = values[i] - values[0] + s;
        const double y = a[i] != 0.0 ? a[i] / gap : 0.0; /* 0/0 is the hard case */
        square += y * y;
        *slope += y != 0.0 ? y * y / gap : 0.0;
    }
    return sqrt(square);
}

static double solve_shift(size_t d, const double *values, const double *a, double delta)
{
    double s = fmax(values[0], 0.0), slope = 0.0;
    if (length_at(d, values, a, s, &slope) <= delta)
        return s;
    for (size_t i = 0; i < d; i++) /* |y_i| = delta here or further right: the root is not left of it */
        s = fmax(s, fabs(a[i]) / delta - (values[i] - values[0]));
    for (int k = 0; k < NEWTON_MAX; k++) {
        const double length = length_at(d, values, a, s, &slope);
        const double next = s + (length - delta) / delta * length * length / slope;
        if (!(next > s))
            break;
        s = next;
    }
    return s;
}

double sp_trust_region_step(size_t d, const double *values, const double *vectors, const double *g, double delta,
                            double *p, double *lambda, double *scratch)
{
    const int n = (int)d;
    double *a = scratch, *y = p, decrease = 0.0;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0, vectors, n, g, 1, 0.0, a, 1);
    const double noise = (double)d * DBL_EPSILON, length_g = norm(d, g);
    for (size_t i = 0; i < d; i++)
        if (fabs(a[i]) <= noise * length_g)
            a[i] = 0.0;
    const double s = solve_shift(d, values, a, delta);
    for (size_t i = 0; i < d; i++)
        y[i] = a[i] != 0.0 ? -a[i] / (values[i] - values[0] + s) : 0.0;
    if (values[0] < -noise * values[d - 1] && s == 0.0) { /* hard case: y_1 is 0 so far, and free */
        const double length = norm(d, y);
        y[0] = sqrt(fmax((delta - length) * (delta + length), 0.0));
    }
    for (size_t i = 0; i < d; i++)
        decrease -= (a[i] + 0.5 * values[i] * y[i]) * y[i];
    if (lambda)
        *lambda = fmax(s - values[0], 0.0);
    memcpy(scratch, y, d * sizeof *y);
    cblas_dgemv(CblasRowMajor, CblasTrans, n, n, 1.0, vectors, n, scratch, 1, 0.0, p, 1);
    return fmax(decrease, 0.0);
}

sp_status sp_trust_region_subproblem(size_t d, double *H, const double *g, double delta, double *values, double *p,
                                     double *lambda, double *scratch)
{
    sp_status status = SP_OK;
    SP_TRY(d > 0 && delta > 0.0 && isfinite(delta) ? SP_OK : SP_EINVAL);
    SP_TRY(isfinite(norm(d, g)) ? SP_OK : SP_ENUMERIC);
    SP_TRY(sp_eigen_all(d, H, values));
    sp_trust_region_step(d, values, H, g, delta, p, lambda, scratch);
cleanup:
    return status;
}

sp_status sp_trust_region(const sp_smooth_function *f, double tolerance, size_t max_iterations, double *w,
                          sp_trust_region_result *result)
{
    sp_status status = SP_OK;
    const size_t d = f->d;
    double *memory = sp_alloc(d, (d + 5) * sizeof *memory);
    if (!memory)
        return SP_ENOMEM;
    double *H = memory, *values = H + d * d, *g = values + d, *p = g + d, *scratch = p + d, *trial = scratch + d;
    double radius = 1.0;
    bool moved = true;
    *result = (sp_trust_region_result){ 0 };
    SP_TRY(f->value(f->context, w, &result->value));
    for (;; result->iterations++) {
        if (moved) {
            SP_TRY(f->gradient(f->context, w, g));
            SP_TRY(f->hessian(f->context, w, H));
            SP_TRY(sp_eigen_all(d, H, values));
            result->gradient_norm = norm(d, g);
            SP_TRY(isfinite(result->value) && isfinite(result->gradient_norm) ? SP_OK : SP_ENUMERIC);
        }
        const double size = fmax(fabs(values[0]), fabs(values[d - 1]));
        result->converged = result->gradient_norm <= tolerance && values[0] >= -CURVATURE_TOLERANCE * size;
        if (result->converged || result->iterations == max_iterations)
            break;

        double value = 0.0;
        const double predicted = sp_trust_region_step(d, values, H, g, radius, p, NULL, scratch), length = norm(d, p);
        memcpy(trial, w, d * sizeof *w);
        cblas_daxpy((int)d, 1.0, p, 1, trial, 1);
        SP_TRY(f->value(f->context, trial, &value));
        const double rounding = 10.0 * DBL_EPSILON * fmax(1.0, fabs(result->value));
        const double ratio = (result->value - value + rounding) / (predicted + rounding);
        moved = ratio >= 0.1; /* false for NaN */
        if (moved) {
            memcpy(w, trial, d * sizeof *w);
            result->value = value;
        }
        if (!(ratio >= 0.25))
            radius = 0.25 * length;
        else if (ratio > 0.75 && length > 0.99 * radius)
            radius *= 2.0;
    }
cleanup:
    free(memory);
    return status;
}
