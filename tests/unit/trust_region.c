/* trust_region.c -- the step by brute force and by its optimality conditions; the method where minima are known. */
#include "core/base/eigen.h"
#include "core/base/memory.h"
#include "core/base/stream.h"
#include "core/base/trust_region.h"
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

/* One step, checked against what is necessary and sufficient (Conn, Gould & Toint 2000, theorem 7.2.1):
 * (H + s I) p = -g, H + s I >= 0, s >= 0, s (delta - ||p||) = 0. */
static void check_step(size_t d, const double *H, const double *g, double delta, double *p)
{
    double vectors[D_MAX * D_MAX], values[D_MAX], scratch[D_MAX], Hp[D_MAX];
    memcpy(vectors, H, d * d * sizeof *H);
    CHECK_EQUAL(sp_eigen_all(d, vectors, values), SP_OK);
    const double decrease = sp_trust_region_step(d, values, vectors, g, delta, p, scratch);
    const double length = cblas_dnrm2((int)d, p, 1), scale = fabs(values[0]) + fabs(values[d - 1]);
    const double size = cblas_dnrm2((int)d, g, 1) + scale * delta;
    CHECK_LESS_EQUAL(length, delta * (1.0 + 1e-12));
    CHECK_LESS_EQUAL(0.0, decrease);
    CHECK_NEAR(decrease, -model(d, H, g, p), 1e-13 * size * delta);
    for (size_t i = 0; i < d; i++)
        Hp[i] = cblas_ddot((int)d, H + i * d, 1, p, 1) + g[i];
    double s = 0.0;
    if (length > 0.0)
        s = -cblas_ddot((int)d, Hp, 1, p, 1) / (length * length);
    CHECK_LESS_EQUAL(-1e-11 * scale, s);
    CHECK_LESS_EQUAL(-1e-9 * scale, values[0] + s);
    CHECK_NEAR(s * (delta - length), 0.0, 1e-11 * size);
    for (size_t i = 0; i < d; i++)
        CHECK_NEAR(Hp[i] + s * p[i], 0.0, 1e-10 * size);
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
    test_hard_case();
    test_inner_and_flat_steps();
    test_minima();
    test_limits();
    test_failures();
    return sp_check_done();
}
