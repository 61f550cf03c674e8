/* trust_region.c -- the step by brute force and by its optimality conditions; the method where minima are known. */
#include "core/numeric/eigen.h"
#include "core/base/memory.h"
#include "core/numeric/stream.h"
#include "core/numeric/trust_region.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>

enum { D_MAX = 6 };

static double model(size_t d, const double *H, const double *g, const double *p)
{
    double sum = 0.0;
    for (size_t i = 0; i < d; i++)
        sum += p[i] * (g[i] + 0.5 * cblas_ddot((int)d, H + i * d, 1, p, 1));
    return sum;
}

/* Least model value over the ball, d = 2 or 3: a polar grid refined about its best node, level by level. */
static double brute_force(size_t d, const double *H, const double *g, double delta)
{
    enum { NODES = 24, LEVELS = 14 };
    const double pi = acos(-1.0);
    double centre[3] = { delta / 2, pi, pi / 2 }, width[3] = { delta / 2, pi, d == 3 ? pi / 2 : 0.0 }, least = 0.0;
    for (int level = 0; level < LEVELS; level++) {
        double best[3] = { centre[0], centre[1], centre[2] };
        for (int i = 0; i <= NODES; i++)
            for (int j = 0; j <= NODES; j++)
                for (int k = 0; k <= (d == 3 ? NODES : 0); k++) {
                    const double r = centre[0] + width[0] * (2.0 * i / NODES - 1.0);
                    const double longitude = centre[1] + width[1] * (2.0 * j / NODES - 1.0);
                    const double polar = centre[2] + width[2] * (2.0 * k / NODES - 1.0);
                    const double p[3] = { r * sin(polar) * cos(longitude), r * sin(polar) * sin(longitude),
                                          r * cos(polar) };
                    if (r < 0.0 || r > delta)
                        continue;
                    const double value = model(d, H, g, p);
                    if (value < least) {
                        least = value;
                        best[0] = r;
                        best[1] = longitude;
                        best[2] = polar;
                    }
                }
        for (int c = 0; c < 3; c++) {
            centre[c] = best[c];
            width[c] *= level == 0 ? 0.25 : 0.4;
        }
    }
    return least;
}

/* The subproblem's answer against what is necessary and sufficient (Conn, Gould & Toint 2000, theorem 7.2.1):
 * (H + lambda I) p = -g, H + lambda I >= 0, lambda >= 0, lambda (delta - ||p||) = 0, all from H itself. Returns
 * lambda. */
static double check_step(size_t d, const double *H, const double *g, double delta, double *p)
{
    double *vectors = sp_alloc(d + 5, d * sizeof *vectors), *values = vectors + d * d, *scratch = values + d;
    double *again = scratch + d, *shifted = sp_alloc(d, d * sizeof *shifted), lambda = NAN, same = NAN, least = NAN;
    memcpy(vectors, H, d * d * sizeof *H);
    CHECK_EQUAL(sp_trust_region_subproblem(d, vectors, g, delta, values, p, &lambda, scratch), SP_OK);
    const double decrease = sp_trust_region_step(d, values, vectors, g, delta, again, &same, scratch);
    CHECK(same == lambda && memcmp(again, p, d * sizeof *p) == 0);
    CHECK_NEAR(sp_trust_region_step(d, values, vectors, g, delta, again, NULL, scratch), decrease, 0.0);

    const double length = cblas_dnrm2((int)d, p, 1), norm = fmax(fabs(values[0]), fabs(values[d - 1]));
    const double size = cblas_dnrm2((int)d, g, 1) + (norm + lambda) * delta, rounding = 1e-14 * (double)(d + 10);
    CHECK_LESS_EQUAL(length, delta * (1.0 + rounding));
    CHECK_LESS_EQUAL(0.0, decrease);
    CHECK_NEAR(decrease, -model(d, H, g, p), rounding * size * delta);
    CHECK_LESS_EQUAL(0.0, lambda);
    CHECK_NEAR(lambda * (delta - length), 0.0, rounding * size);
    for (size_t i = 0; i < d; i++)
        CHECK_NEAR(cblas_ddot((int)d, H + i * d, 1, p, 1) + g[i] + lambda * p[i], 0.0, rounding * size);
    memcpy(shifted, H, d * d * sizeof *H);
    for (size_t i = 0; i < d; i++)
        shifted[i * d + i] += lambda;
    CHECK_EQUAL(sp_eigen_smallest(d, shifted, &least, NULL), SP_OK);
    CHECK_LESS_EQUAL(-rounding * (norm + lambda), least);
    free(shifted);
    free(vectors);
    return lambda;
}

/* The least model value within the radius and its multiplier, from H's entries alone (d <= D_MAX): lambda by bisection
 * of ||(H + lambda I)^-1 g|| = delta with Gaussian elimination, above the lambda at which a Cholesky factorisation of
 * H + lambda I first succeeds. Not for the hard case. */
static double slow_multiplier(size_t d, const double *H, const double *g, double delta)
{
    double low = 0.0, high = 0.0;
    for (size_t i = 0; i < d; i++) { /* Gershgorin: H + high I > 0 with ||p|| <= delta */
        double row = 0.0;
        for (size_t j = 0; j < d; j++)
            row += fabs(H[i * d + j]);
        high = fmax(high, row);
    }
    high += cblas_dnrm2((int)d, g, 1) / delta;
    for (int k = 0; k <= 200; k++) {
        const double lambda = k == 0 ? 0.0 : 0.5 * (low + high);
        double C[D_MAX * D_MAX] = { 0.0 }, x[D_MAX];
        bool positive = true;
        for (size_t j = 0; positive && j < d; j++) { /* C C' = H + lambda I */
            double pivot = H[j * d + j] + lambda;
            for (size_t m = 0; m < j; m++)
                pivot -= C[j * d + m] * C[j * d + m];
            positive = pivot > 0.0;
            C[j * d + j] = sqrt(pivot);
            for (size_t i = j + 1; i < d; i++) {
                C[i * d + j] = H[i * d + j];
                for (size_t m = 0; m < j; m++)
                    C[i * d + j] -= C[i * d + m] * C[j * d + m];
                C[i * d + j] /= C[j * d + j];
            }
        }
        memcpy(x, g, d * sizeof *x);
        for (size_t i = 0; positive && i < d; i++) {
            for (size_t m = 0; m < i; m++)
                x[i] -= C[i * d + m] * x[m];
            x[i] /= C[i * d + i];
        }
        for (size_t i = d; positive && i-- > 0;) {
            for (size_t m = i + 1; m < d; m++)
                x[i] -= C[m * d + i] * x[m];
            x[i] /= C[i * d + i];
        }
        const bool inside = positive && cblas_dnrm2((int)d, x, 1) <= delta;
        if (k == 0 && inside)
            return 0.0;
        if (k > 0 && inside)
            high = lambda;
        else if (k > 0)
            low = lambda;
    }
    return high;
}

static void test_random_steps(void)
{
    static const double shifts[] = { -6.0, 0.0, 6.0 };
    gsl_rng *rng = sp_stream_open(sp_stream_key_of(4, "trust region", 0, SP_STREAM_DATA));
    for (size_t d = 1; d <= D_MAX; d++)
        for (int trial = 0; trial < 30; trial++) {
            double H[D_MAX * D_MAX], g[D_MAX], p[D_MAX];
            for (size_t i = 0; i < d; i++) {
                for (size_t j = 0; j <= i; j++)
                    H[i * d + j] = H[j * d + i] = gsl_ran_gaussian(rng, 1.5);
                H[i * d + i] += shifts[trial % 3];
                g[i] = gsl_ran_gaussian(rng, 2.0);
            }
            const double delta = exp(gsl_ran_flat(rng, -4.0, 2.0));
            check_step(d, H, g, delta, p);
            if ((d == 2 || d == 3) && trial < 9) {
                const double least = brute_force(d, H, g, delta), found = model(d, H, g, p);
                CHECK_NEAR(found, least, 1e-5 * fabs(least));
                CHECK_LESS_EQUAL(found, least + 1e-9 * fabs(least)); /* the grid never beats the step */
            }
        }
    gsl_rng_free(rng);
}

/* The multiplier against a slow one. Far from the hard case: where g's part along the lowest eigenvector is small, a
 * Cholesky factorisation loses the digits that the eigenbasis keeps. */
static void test_random_multipliers(void)
{
    gsl_rng *rng = sp_stream_open(sp_stream_key_of(9, "trust region", 0, SP_STREAM_DATA));
    size_t inner = 0, outer = 0;
    for (size_t trial = 0; trial < 6000; trial++) {
        const size_t d = 1 + trial % D_MAX;
        double H[D_MAX * D_MAX], vectors[D_MAX * D_MAX], values[D_MAX], g[D_MAX], p[D_MAX];
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j <= i; j++)
                H[i * d + j] = H[j * d + i] = gsl_ran_gaussian(rng, 1.5);
            H[i * d + i] += (double)(trial % 3) * 4.385 - 2.0;
            g[i] = gsl_ran_gaussian(rng, 2.0);
        }
        const double delta = exp(gsl_ran_flat(rng, -4.0, 2.0));
        memcpy(vectors, H, d * d * sizeof *H);
        CHECK_EQUAL(sp_eigen_all(d, vectors, values), SP_OK);
        if (fabs(cblas_ddot((int)d, vectors, 1, g, 1)) < 0.05)
            continue;
        const double lambda = check_step(d, H, g, delta, p);
        CHECK_NEAR(lambda, slow_multiplier(d, H, g, delta), 1e-9 * (1.0 + lambda));
        inner += lambda == 0.0;
        outer += lambda > 0.0;
    }
    SP_CHECK_REPORT(inner > 300 && outer > 2000, "%zu inside, %zu on the sphere", inner, outer);
    gsl_rng_free(rng);
}

/* H = Q diag(values) Q', Q the product of `d` random reflections; Q's rows are the eigenvectors. */
static void turned(gsl_rng *rng, size_t d, const double *values, double *Q, double *H)
{
    double *u = sp_alloc_doubles(d);
    for (size_t i = 0; i < d * d; i++)
        Q[i] = i % (d + 1) == 0 ? 1.0 : 0.0;
    for (size_t k = 0; k < d; k++) {
        for (size_t i = 0; i < d; i++)
            u[i] = gsl_ran_gaussian(rng, 1.0);
        cblas_dscal((int)d, 1.0 / cblas_dnrm2((int)d, u, 1), u, 1);
        for (size_t i = 0; i < d; i++) /* row i less its part along u, twice */
            cblas_daxpy((int)d, -2.0 * cblas_ddot((int)d, Q + i * d, 1, u, 1), u, 1, Q + i * d, 1);
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            H[i * d + j] = 0.0;
            for (size_t m = 0; m < d; m++)
                H[i * d + j] += values[m] * Q[m * d + i] * Q[m * d + j];
            H[j * d + i] = H[i * d + j];
        }
    free(u);
}

/* Hard and nearly hard: g's part along the lowest eigenvectors is 10^-k of its length, down to nothing; spectra with
 * clusters, of one value, singular, indefinite, semidefinite. */
static void test_nearly_hard_steps(void)
{
    enum { SPECTRA = 6, TINY = 22 };
    static const size_t sizes[] = { 1, 2, 3, 5, 8, 17 };
    gsl_rng *rng = sp_stream_open(sp_stream_key_of(8, "trust region", 0, SP_STREAM_DATA));
    size_t on_edge = 0;
    for (size_t trial = 0; trial < 6 * SPECTRA * TINY * 6; trial++) {
        const size_t d = sizes[trial % 6], spectrum = trial / 6 % SPECTRA, tiny = trial / (6 * SPECTRA) % TINY;
        double values[17], Q[17 * 17], H[17 * 17], g[17] = { 0.0 }, p[17];
        for (size_t i = 0; i < d; i++) {
            const double step = (double)i;
            values[i] = spectrum == 0   ? -1.3 + 0.7 * step
                        : spectrum == 1 ? (i < d / 2 + 1 ? -2.1 : 1.7 + step)
                        : spectrum == 2 ? -0.9 + 1e-9 * step
                        : spectrum == 3 ? step
                        : spectrum == 4 ? (i == 0 ? -1e-8 : 3.0 + step)
                                        : 0.4 + pow(10.0, step / 3.0);
        }
        turned(rng, d, values, Q, H);
        for (size_t m = 0; m < d; m++) {
            const double part = m == 0 && tiny > 0 ? pow(10.0, -(double)tiny) : 1.0;
            cblas_daxpy((int)d, (m == 0 && tiny + 1 == TINY ? 0.0 : part) * gsl_ran_gaussian(rng, 1.0), Q + m * d, 1,
                        g, 1);
        }
        const double lambda = check_step(d, H, g, exp(gsl_ran_flat(rng, -3.0, 3.0)), p);
        on_edge += fabs(lambda + values[0]) <= 1e-8;
    }
    CHECK(on_edge > 200);
    gsl_rng_free(rng);
}

static void test_large(void)
{
    enum { D = 300 };
    gsl_rng *rng = sp_stream_open(sp_stream_key_of(7, "trust region", 0, SP_STREAM_DATA));
    double *H = sp_alloc(D, D * sizeof *H), *g = sp_alloc_doubles(D), *p = sp_alloc_doubles(D);
    for (size_t trial = 0; trial < 3; trial++) {
        for (size_t i = 0; i < D; i++) {
            for (size_t j = 0; j <= i; j++)
                H[i * D + j] = H[j * D + i] = gsl_ran_gaussian(rng, 0.1);
            H[i * D + i] += trial == 1 ? 5.0 : 0.0;
            g[i] = gsl_ran_gaussian(rng, trial == 2 ? 1e-6 : 1.0);
        }
        const double lambda = check_step(D, H, g, trial == 1 ? 100.0 : 0.5, p);
        CHECK_EQUAL(lambda > 0.0, trial != 1);
    }
    free(p);
    free(g);
    free(H);
    gsl_rng_free(rng);
}

/* What is known in closed form: the multiplier as well as the step. */
static void test_multipliers(void)
{
    const double saddle[4] = { -1, 0, 0, 1 }, bowl[4] = { 2, 0, 0, 4 };
    double p[2];
    CHECK_NEAR(check_step(2, saddle, (const double[]){ 0, 1 }, 1.0, p), 1.0, 1e-15); /* hard: p_2 = -1 / (1 + 1) */
    CHECK_NEAR(fabs(p[0]), sqrt(0.75), 1e-15);
    CHECK_NEAR(p[1], -0.5, 1e-15);
    CHECK_NEAR(check_step(2, saddle, (const double[]){ 1, 0 }, 2.0, p), 1.5, 1e-14); /* 1 / (lambda - 1) = 2 */
    CHECK_NEAR(p[0], -2.0, 1e-14);
    CHECK_NEAR(p[1], 0.0, 1e-15);
    CHECK_NEAR(check_step(2, bowl, (const double[]){ 2, 4 }, 2.0, p), 0.0, 0.0);
    CHECK_NEAR(p[0], -1.0, 1e-15);
    CHECK_NEAR(p[1], -1.0, 1e-15);
    CHECK_NEAR(check_step(2, bowl, (const double[]){ 2, 0 }, 0.25, p), 6.0, 1e-14); /* 2 / (2 + lambda) = 1/4 */
    CHECK_NEAR(check_step(2, saddle, (const double[]){ 0, 0 }, 0.75, p), 1.0, 1e-15);
    CHECK_NEAR(check_step(2, bowl, (const double[]){ 0, 0 }, 0.75, p), 0.0, 0.0);
    CHECK(p[0] == 0.0 && p[1] == 0.0);

    double H[4] = { 1, 0, 0, 1 }, values[2], scratch[2], lambda, wrong[4] = { 1, 0, (double)NAN, 1 };
    const double g[2] = { 1, 1 }, infinite[2] = { 1, HUGE_VAL };
    CHECK_EQUAL(sp_trust_region_subproblem(0, H, g, 1.0, values, p, &lambda, scratch), SP_EINVAL);
    CHECK_EQUAL(sp_trust_region_subproblem(2, H, g, 0.0, values, p, &lambda, scratch), SP_EINVAL);
    CHECK_EQUAL(sp_trust_region_subproblem(2, H, g, (double)NAN, values, p, &lambda, scratch), SP_EINVAL);
    CHECK_EQUAL(sp_trust_region_subproblem(2, H, g, HUGE_VAL, values, p, &lambda, scratch), SP_EINVAL);
    CHECK_EQUAL(sp_trust_region_subproblem(2, H, infinite, 1.0, values, p, &lambda, scratch), SP_ENUMERIC);
    CHECK_EQUAL(sp_trust_region_subproblem(2, wrong, g, 1.0, values, p, &lambda, scratch), SP_ENUMERIC);
}

/* H = diag(-2, 1, 3) turned in a plane, g without a part along the lowest eigenvector: p = p_rest + tau v_1. */
static void test_hard_case(void)
{
    const double c = 0.6, s = 0.8; /* v_1 = (c, s, 0), v_2 = (-s, c, 0), v_3 = e_3 */
    const double H[9] = { -2 * c * c + s * s, -3 * c * s, 0, -3 * c * s, -2 * s * s + c * c, 0, 0, 0, 3 };
    const double g[3] = { -1.5 * s, 1.5 * c, 2.5 }, delta = 1.7;
    double p[3];
    check_step(3, H, g, delta, p);
    /* along v_2: -1.5 / (1 + 2), along v_3: -2.5 / (3 + 2); what is left of delta lies along v_1 */
    CHECK_NEAR(-s * p[0] + c * p[1], -0.5, 1e-12);
    CHECK_NEAR(p[2], -0.5, 1e-12);
    CHECK_NEAR(fabs(c * p[0] + s * p[1]), sqrt(1.7 * 1.7 - 0.5), 1e-12);
    CHECK_NEAR(model(3, H, g, p), brute_force(3, H, g, delta), 1e-5);

    const double saddle[4] = { 1, 0, 0, -1 }, zero[2] = { 0, 0 }; /* exactly: no gradient at all */
    check_step(2, saddle, zero, 0.75, p);
    CHECK_NEAR(p[0], 0.0, 1e-15);
    CHECK_NEAR(fabs(p[1]), 0.75, 1e-15);
    CHECK_NEAR(model(2, saddle, zero, p), brute_force(2, saddle, zero, 0.75), 1e-9);

    for (double tiny = 1e-3; tiny > 1e-300; tiny *= 1e-30) { /* nearly hard: the multiplier differs from 2 by tiny */
        const double diagonal[4] = { -2, 0, 0, 5 }, almost[2] = { tiny, 3.5 };
        check_step(2, diagonal, almost, 1.7, p);
        CHECK(p[0] < 0.0 || tiny < 1e-15);
        CHECK_NEAR(hypot(p[0], p[1]), 1.7, 1e-12);
    }
}

static void test_inner_and_flat_steps(void)
{
    double p[2];
    const double H[4] = { 2, 0, 0, 4 }, g[2] = { 1, -2 };
    check_step(2, H, g, 10.0, p);
    CHECK_NEAR(p[0], -0.5, 1e-15);
    CHECK_NEAR(p[1], 0.5, 1e-15);
    const double flat[4] = { 3, 0, 0, 0 }, along[2] = { 6, 0 };
    check_step(2, flat, along, 10.0, p);
    CHECK_NEAR(p[0], -2.0, 1e-15);
    CHECK_NEAR(p[1], 0.0, 0.0);
    const double nothing[4] = { 0 }, downhill[2] = { 3, 4 };
    check_step(2, nothing, downhill, 2.0, p); /* linear: straight down to the sphere */
    CHECK_NEAR(p[0], -1.2, 1e-14);
    CHECK_NEAR(p[1], -1.6, 1e-14);
}

/* The functions below have known minima; evaluation number `fail_at` fails. */

typedef struct counter {
    size_t calls, fail_at;
} counter;

static sp_status count(void *context)
{
    counter *c = context;
    return ++c->calls == c->fail_at ? SP_EBUDGET : SP_OK;
}

static sp_status rosenbrock(void *context, const double *w, double *out)
{
    *out = pow(1.0 - w[0], 2) + 100.0 * pow(w[1] - w[0] * w[0], 2);
    return count(context);
}

static sp_status rosenbrock_gradient(void *context, const double *w, double *out)
{
    const double u = w[1] - w[0] * w[0];
    out[0] = -2.0 * (1.0 - w[0]) - 400.0 * w[0] * u;
    out[1] = 200.0 * u;
    return count(context);
}

static sp_status rosenbrock_hessian(void *context, const double *w, double *out)
{
    out[0] = 2.0 - 400.0 * (w[1] - 3.0 * w[0] * w[0]);
    out[1] = out[2] = -400.0 * w[0];
    out[3] = 200.0;
    return count(context);
}

/* x^2/2 + y^4/4 - y^2/2 + 2: a saddle at 0, minima 7/4 at (0, +-1) */
static sp_status quartic(void *context, const double *w, double *out)
{
    *out = 0.5 * w[0] * w[0] + 0.25 * pow(w[1], 4) - 0.5 * w[1] * w[1] + 2.0;
    return count(context);
}

static sp_status quartic_gradient(void *context, const double *w, double *out)
{
    out[0] = w[0];
    out[1] = pow(w[1], 3) - w[1];
    return count(context);
}

static sp_status quartic_hessian(void *context, const double *w, double *out)
{
    out[0] = 1.0;
    out[1] = out[2] = 0.0;
    out[3] = 3.0 * w[1] * w[1] - 1.0;
    return count(context);
}

/* (x + y - 3)^2/2: every point of a line is a minimum, the Hessian is singular everywhere */
static sp_status valley(void *context, const double *w, double *out)
{
    *out = 0.5 * pow(w[0] + w[1] - 3.0, 2);
    return count(context);
}

static sp_status valley_gradient(void *context, const double *w, double *out)
{
    out[0] = out[1] = w[0] + w[1] - 3.0;
    return count(context);
}

static sp_status valley_hessian(void *context, const double *w, double *out)
{
    (void)w;
    out[0] = out[1] = out[2] = out[3] = 1.0;
    return count(context);
}

/* -log(1 - w) - 3w, not a number beyond w = 1: minimum log 3 - 2 at 2/3 */
static sp_status barrier(void *context, const double *w, double *out)
{
    *out = -log(1.0 - w[0]) - 3.0 * w[0];
    return count(context);
}

static sp_status barrier_gradient(void *context, const double *w, double *out)
{
    out[0] = 1.0 / (1.0 - w[0]) - 3.0;
    return count(context);
}

static sp_status barrier_hessian(void *context, const double *w, double *out)
{
    out[0] = pow(1.0 - w[0], -2);
    return count(context);
}

static sp_smooth_function function_of(counter *c, const char *name)
{
    *c = (counter){ 0 };
    if (strcmp(name, "rosenbrock") == 0)
        return (sp_smooth_function){ 2, c, rosenbrock, rosenbrock_gradient, rosenbrock_hessian };
    if (strcmp(name, "quartic") == 0)
        return (sp_smooth_function){ 2, c, quartic, quartic_gradient, quartic_hessian };
    if (strcmp(name, "valley") == 0)
        return (sp_smooth_function){ 2, c, valley, valley_gradient, valley_hessian };
    return (sp_smooth_function){ 1, c, barrier, barrier_gradient, barrier_hessian };
}

static void test_minima(void)
{
    static const struct {
        const char *name;
        double start[2], end[2], value;
        size_t most; /* iterations */
    } cases[] = {
        { "rosenbrock", { -1.2, 1.0 }, { 1.0, 1.0 }, 0.0, 60 },
        { "rosenbrock", { 23.85, -17.5 }, { 1.0, 1.0 }, 0.0, 150 },
        { "quartic", { 0.0, 0.0 }, { 0.0, 1.0 }, 1.75, 20 }, /* starts on the saddle, gradient exactly 0 */
        { "quartic", { 2.385, 0.0 }, { 0.0, 1.0 }, 1.75, 20 }, /* on the way into it: hard case */
        { "quartic", { 0.5, -1e-9 }, { 0.0, -1.0 }, 1.75, 20 },
        { "valley", { 0.0, 0.5 }, { 1.25, 1.75 }, 0.0, 10 }, /* the nearest point of the line */
        { "valley", { -1e5, -1e5 }, { 1.5, 1.5 }, 0.0, 25 }, /* far away: the radius doubles */
        { "barrier", { -5.0, 0.0 }, { 2.0 / 3.0, 0.0 }, 0.0, 30 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        counter c;
        const sp_smooth_function f = function_of(&c, cases[i].name);
        double w[2] = { cases[i].start[0], cases[i].start[1] }, value = 0.0, gradient[2] = { 0.0, 0.0 };
        sp_trust_region_result result;
        CHECK_EQUAL(sp_trust_region(&f, 1e-12, 200, w, &result), SP_OK);
        CHECK(result.converged);
        CHECK_LESS_EQUAL((double)result.iterations, (double)cases[i].most);
        CHECK_NEAR(w[0], cases[i].end[0], 1e-9);
        if (strcmp(cases[i].name, "quartic") == 0 && cases[i].start[1] == 0.0)
            CHECK_NEAR(fabs(w[1]), 1.0, 1e-9); /* either minimum */
        else if (f.d == 2)
            CHECK_NEAR(w[1], cases[i].end[1], 1e-9);
        f.value(&c, w, &value);
        f.gradient(&c, w, gradient);
        CHECK_NEAR(result.value, value, 0.0);
        CHECK_NEAR(result.gradient_norm, hypot(gradient[0], gradient[1]), 0.0);
        CHECK_NEAR(result.value, f.d == 1 ? log(3.0) - 2.0 : cases[i].value, 1e-13);
    }
}

static void test_limits(void)
{
    counter c;
    sp_smooth_function f = function_of(&c, "rosenbrock");
    sp_trust_region_result result;
    double w[2] = { -1.2, 1.0 };
    CHECK_EQUAL(sp_trust_region(&f, 1e-12, 3, w, &result), SP_OK);
    CHECK(!result.converged);
    CHECK_EQUAL(result.iterations, 3);
    CHECK_LESS_EQUAL(result.value, 24.2); /* never above the start: F(-1.2, 1) = 24.2 */
    double still[2] = { -1.2, 1.0 };
    CHECK_EQUAL(sp_trust_region(&f, 1e-12, 0, still, &result), SP_OK);
    CHECK_NEAR(still[0], -1.2, 0.0);
    CHECK_NEAR(result.value, 24.2, 1e-13);
    double saddle[2] = { 0.0, 0.0 };
    f = function_of(&c, "quartic");
    CHECK_EQUAL(sp_trust_region(&f, 1e-12, 0, saddle, &result), SP_OK);
    CHECK(!result.converged); /* no gradient, but a way down */
}

static void test_failures(void)
{
    counter c;
    sp_trust_region_result result;
    for (size_t call = 1; call <= 12; call++) { /* value, gradient or Hessian, at the start and later */
        const sp_smooth_function f = function_of(&c, "rosenbrock");
        double w[2] = { -1.2, 1.0 }, value = 0.0;
        c.fail_at = call;
        CHECK_EQUAL(sp_trust_region(&f, 1e-12, 100, w, &result), SP_EBUDGET);
        f.value(&c, w, &value);
        CHECK_LESS_EQUAL(value, 24.2 + 1e-12); /* w is a point reached on the way */
    }
    const sp_smooth_function f = function_of(&c, "barrier");
    double outside[1] = { 1.5 }, nowhere[1] = { (double)NAN };
    CHECK_EQUAL(sp_trust_region(&f, 1e-12, 100, outside, &result), SP_ENUMERIC);
    CHECK_EQUAL(sp_trust_region(&f, 1e-12, 100, nowhere, &result), SP_ENUMERIC);
}

int main(void)
{
    test_random_steps();
    test_random_multipliers();
    test_nearly_hard_steps();
    test_large();
    test_multipliers();
    test_hard_case();
    test_inner_and_flat_steps();
    test_minima();
    test_limits();
    test_failures();
    return sp_check_done();
}
