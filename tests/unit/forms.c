/* forms.c -- losses that are more than a link: public parts, tilts and record forms, against their definitions. */
#include "core/numeric/eigen.h"
#include "core/base/memory.h"
#include "core/numeric/stream.h"
#include "core/numeric/trust_region.h"
#include "losses/loss.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>

extern const sp_loss sp_loss_radial, sp_loss_log_tail, sp_loss_sin_pl, sp_loss_power, sp_loss_cos_saddle;
extern const sp_loss sp_loss_pca_quartic, sp_loss_network, sp_loss_linear_dynamical_system;

enum { D = 3, MOST = 64 };

static gsl_rng *stream;

static double uniform(double low, double high)
{
    return low + (high - low) * gsl_rng_uniform(stream);
}

/* a point of the ball; a third of them on its surface, a third near 0; all sizes where it is unbounded */
static void draw_point(size_t d, double ball, double *w)
{
    const size_t kind = gsl_rng_uniform_int(stream, 3);
    const double far = isinf(ball) ? pow(10.0, uniform(-3.0, 2.0)) : ball;
    gsl_ran_dir_nd(stream, d, w);
    cblas_dscal((int)d, kind == 0 ? far : far * pow(gsl_rng_uniform(stream), kind == 1 ? 0.5 : 4.0), w, 1);
}

static double norm_between(size_t d, const double *a, const double *b)
{
    double square = 0.0;
    for (size_t j = 0; j < d; j++)
        square += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(square);
}

/* --- public parts ----------------------------------------------------------------------------------------- */

typedef struct public_case {
    const sp_loss *loss;
    double number[5];
} public_case;

static const public_case public_cases[] = {
    { &sp_loss_radial, { 0.37, 0.271, 1.7, 0.83, 0.6 } }, { &sp_loss_radial, { 1.0, 2.385, 0.31, 0.0, 0.6 } },
    { &sp_loss_radial, { 0.75, 1.0, 1.0, 3.1, 0.0 } },    { &sp_loss_log_tail, { 2.385, 0.7 } },
    { &sp_loss_log_tail, { 0.0, 0.7 } },                  { &sp_loss_log_tail, { 1e4, 1.0 } },
    { &sp_loss_sin_pl, { 0.3 } },                         { &sp_loss_power, { 2.0, 0.3 } },
    { &sp_loss_power, { 2.385, 0.3 } },                   { &sp_loss_power, { 3.0, 0.3 } },
    { &sp_loss_power, { 4.7, 0.3 } },                     { &sp_loss_cos_saddle, { 1.0, 0.5, 1.0, 0.1 } },
    { &sp_loss_cos_saddle, { 2.0, 1.9, 0.83, 0.7 } },     { &sp_loss_cos_saddle, { 9.0, 0.31, 1.0, 0.1 } },
    { &sp_loss_cos_saddle, { 0.0, 0.5, 0.77, 0.1 } },     { &sp_loss_pca_quartic, { 0.0 } },
};
enum { PUBLIC_CASES = sizeof public_cases / sizeof *public_cases };

static void check_public_derivatives(const public_case *c)
{
    const sp_public_part *h = c->loss->public_part;
    sp_public_bounds b;
    h->bounds(c->number, &(sp_region){ .d = D, .norm = 2.9 }, &b);
    for (int i = 0; i < 60; i++) {
        double w[D], g[D], H[D * D], Hv[D] = { 0.271, -0.1, 0.4 }, v[D], up[D], down[D], largest = 1.0;
        do
            draw_point(D, 2.9, w);
        while (isinf(b.third) && cblas_dnrm2(D, w, 1) < 0.3); /* where differences do not converge */
        gsl_ran_dir_nd(stream, D, v);
        for (size_t j = 0; j < D * D; j++)
            H[j] = 0.83; /* is added to */
        h->gradient(c->number, D, w, g);
        h->hessian(c->number, D, w, H);
        h->product(c->number, D, w, v, Hv);
        for (size_t j = 0; j < D * D; j++) {
            H[j] -= 0.83;
            largest = fmax(largest, fabs(H[j]));
        }
        cblas_daxpy(D, -1.0, (double[D]){ 0.271, -0.1, 0.4 }, 1, Hv, 1);
        for (size_t j = 0; j < D; j++) {
            const double step = 1e-5, middle = w[j];
            w[j] = middle + step;
            const double high = h->value(c->number, D, w);
            h->gradient(c->number, D, w, up);
            w[j] = middle - step;
            const double low = h->value(c->number, D, w);
            h->gradient(c->number, D, w, down);
            w[j] = middle;
            CHECK_NEAR(g[j], (high - low) / (2.0 * step), 2e-9 * (largest + cblas_dnrm2(D, g, 1) + fabs(high)));
            CHECK_NEAR(Hv[j], cblas_ddot(D, H + j * D, 1, v, 1), 1e-14 * largest);
            for (size_t k = 0; k < D; k++)
                CHECK_NEAR(H[k * D + j], (up[k] - down[k]) / (2.0 * step), 3e-5 * largest);
        }
    }
}

static void check_public_bounds(const public_case *c, double ball)
{
    const sp_public_part *h = c->loss->public_part;
    const double slack = 1.0 + 1e-9, start[D] = { 0.0 };
    const sp_region region = { .d = D, .features = D, .norm = ball, .radius = 1.31 };
    sp_public_bounds b;
    h->bounds(c->number, &region, &b);
    for (int i = 0; i < 3000; i++) {
        double w[D], w2[D], g[D], H[D * D] = { 0.0 }, other[D * D] = { 0.0 }, values[D];
        draw_point(D, ball, w);
        draw_point(D, ball, w2);
        if (i % 2) { /* two close points, on the way between them */
            const double t = pow(10.0, uniform(-4.0, -0.5));
            for (size_t j = 0; j < D; j++)
                w2[j] = w[j] + t * (w2[j] - w[j]);
        }
        h->gradient(c->number, D, w, g);
        CHECK_LESS_EQUAL(cblas_dnrm2(D, g, 1), b.slope * slack);
        CHECK_LESS_EQUAL(h->value(c->number, D, start) - h->value(c->number, D, w), b.gap * slack + 1e-12);
        h->hessian(c->number, D, w, H);
        h->hessian(c->number, D, w2, other);
        cblas_daxpy(D * D, -1.0, H, 1, other, 1);
        CHECK(sp_eigen_all(D, H, values) == SP_OK);
        CHECK_LESS_EQUAL(values[D - 1], b.curvature_high * slack);
        CHECK_LESS_EQUAL(-values[0], b.curvature_low * slack + 1e-12 * b.curvature_high);
        CHECK(sp_eigen_all(D, other, values) == SP_OK);
        CHECK_LESS_EQUAL(fmax(-values[0], values[D - 1]),
                         b.third * norm_between(D, w, w2) * slack + 1e-12 * b.curvature_high);
    }
}

/* closed forms on chosen regions */
static void check_public_closed_forms(void)
{
    sp_public_bounds b;
    const sp_region wide = { .d = D, .norm = INFINITY }, small = { .d = D, .norm = 0.5 };
    /* losses.md's table for Barron's function: -inf g'' and sup |g'''| for q = 1/4, 1/2, 3/4 */
    const double q[] = { 0.25, 0.5, 0.75 }, low[] = { 0.0245, 0.0332, 0.0232 }, third[] = { 0.3305, 0.5892, 0.7684 };
    for (size_t k = 0; k < 3; k++) {
        const double number[] = { q[k], 0.31, q[k] * 0.31, 0.0, 0.0 }; /* weight/s = q: that table's scaling */
        sp_loss_radial.public_part->bounds(number, &wide, &b);
        CHECK_NEAR(b.curvature_low, low[k], 6e-5);
        CHECK_NEAR(b.third * 0.31, third[k], 6e-5);
        CHECK_NEAR(b.curvature_high, q[k], 1e-15);
        CHECK_NEAR(b.slope, 0.31 * q[k] / sqrt(1.0 - q[k]) * pow(1.0 + 1.0 / (1.0 - q[k]), 0.5 * q[k] - 1.0), 1e-15);
    }
    const double huber[] = { 1.0, 0.31, 1.0, 0.731, 0.0 }; /* q = 1: pseudo-Huber */
    const double w[D] = { 0.9, -0.2, 0.38 };
    sp_loss_radial.public_part->bounds(huber, &wide, &b);
    CHECK_NEAR(b.slope, 1.0, 1e-15);
    CHECK_NEAR(b.third, SP_PSEUDO_HUBER_THIRD / (0.31 * 0.31), 1e-13);
    CHECK(b.curvature_low == 0.0);
    CHECK_NEAR(sp_loss_radial.public_part->value(huber, D, w), sp_pseudo_huber(0.31, 0.731 / sqrt(3.0), D, w), 1e-15);
    const double steep[] = { 0.37, 0.271, 1.7, 0.83, 0.6 };
    const double r = norm_between(D, w, (double[D]){ 0.83 / sqrt(3.0), 0.83 / sqrt(3.0), 0.83 / sqrt(3.0) });
    CHECK_NEAR(sp_loss_radial.public_part->value(steep, D, w),
               1.7 * 0.271 / 0.37 * (pow(1.0 + r * r / (0.271 * 0.271), 0.5 * 0.37) - 1.0), 1e-14);

    const double tail[] = { 7.31, 1.0 };
    double x[D] = { 0.0, 0.4, -0.3 }, g[D];
    for (int i = 0; i <= 20; i++) {
        x[0] = 7.31 * i / 20.0;
        sp_loss_log_tail.public_part->gradient(tail, D, x, g);
        CHECK_NEAR(g[0], -1.0 / (1.0 + x[0]), 1e-15);
        CHECK_NEAR(g[1], 0.4 / sqrt(1.25), 1e-15);
        const double here = sp_loss_log_tail.public_part->value(tail, D, x);
        x[0] = 2.0 * 15.62 - x[0];
        CHECK_NEAR(here, sp_loss_log_tail.public_part->value(tail, D, x), 1e-14);
    }
    sp_loss_log_tail.public_part->bounds(tail, &wide, &b);
    CHECK_NEAR(b.gap, 0.5 + log(8.31), 1e-15);
    CHECK_NEAR(b.slope, hypot(1.25, 1.0), 1e-15);
    sp_loss_log_tail.public_part->bounds(tail, &small, &b);
    CHECK_NEAR(b.gap, log(1.5), 1e-15);

    const double angles[] = { 0.3 }, direct = 0.81 + 0.04 + 0.1444;
    const double sines = sin(0.9) * sin(0.9) + sin(0.2) * sin(0.2) + sin(0.38) * sin(0.38);
    CHECK_NEAR(sp_loss_sin_pl.public_part->value(angles, D, w), direct + 3.0 * sines, 1e-15);
    const double tau[] = { 4.7, 0.3 };
    CHECK_NEAR(sp_loss_power.public_part->value(tau, D, w), pow(direct, 2.35) / 4.7, 1e-15);
    const double saddle[] = { 2.0, 1.9, 0.83, 0.7 };
    CHECK_NEAR(sp_loss_cos_saddle.public_part->value(saddle, D, w),
               -1.9 * (2.0 - cos(0.9) - cos(0.2)) + 0.83 * (1.0 - cos(0.38)), 1e-15);
    CHECK_NEAR(sp_loss_pca_quartic.public_part->value(NULL, D, w), 0.25 * direct * direct, 1e-15);
}

/* --- tilts ------------------------------------------------------------------------------------------------ */

typedef struct tilted {
    const public_case *c;
    const double *mean;
} tilted;

static sp_status tilted_value(void *context, const double *w, double *out)
{
    const tilted *t = context;
    double phi[D];
    t->c->loss->tilt->phi(t->c->number, D, w, 0, phi);
    *out = t->c->loss->public_part->value(t->c->number, D, w) + cblas_ddot(D, t->mean, 1, phi, 1);
    return SP_OK;
}

static sp_status tilted_gradient(void *context, const double *w, double *out)
{
    const tilted *t = context;
    double phi[D];
    t->c->loss->public_part->gradient(t->c->number, D, w, out);
    t->c->loss->tilt->phi(t->c->number, D, w, 1, phi);
    for (size_t j = 0; j < D; j++)
        out[j] += t->mean[j] * phi[j];
    return SP_OK;
}

static sp_status tilted_hessian(void *context, const double *w, double *out)
{
    const tilted *t = context;
    double phi[D];
    memset(out, 0, D * D * sizeof *out);
    t->c->loss->public_part->hessian(t->c->number, D, w, out);
    t->c->loss->tilt->phi(t->c->number, D, w, 2, phi);
    for (size_t j = 0; j < D; j++)
        out[j * D + j] += t->mean[j] * phi[j];
    return SP_OK;
}

/* The best of several starts; w is where. */
static double least(const public_case *c, const double *mean, double *w)
{
    tilted t = { c, mean };
    const sp_smooth_function f = { D, &t, tilted_value, tilted_gradient, tilted_hessian };
    double best = INFINITY;
    for (int i = 0; i < 8; i++) {
        double at[D] = { 0.0 };
        sp_trust_region_result result;
        if (i > 0)
            draw_point(D, 4.0, at);
        CHECK(sp_trust_region(&f, 1e-10, 500, at, &result) == SP_OK);
        if (result.value < best - 1e-13) {
            best = result.value;
            memcpy(w, at, sizeof at);
        }
    }
    return best;
}

static void check_phi(const public_case *c)
{
    const sp_tilt *t = c->loss->tilt;
    const double step = 1e-5;
    sp_tilt_bounds b;
    t->bounds(c->number, &b);
    for (int i = 0; i < 200; i++) {
        double w[D], up[D], down[D], phi[3][D];
        draw_point(D, 4.0, w);
        for (int order = 0; order < 3; order++)
            t->phi(c->number, D, w, order, phi[order]);
        for (int order = 0; order < 3; order++) {
            double high[D], low[D];
            for (size_t j = 0; j < D; j++) {
                high[j] = w[j] + step;
                low[j] = w[j] - step;
            }
            t->phi(c->number, D, high, order, up);
            t->phi(c->number, D, low, order, down);
            for (size_t j = 0; j < D; j++) {
                const double slope = (up[j] - down[j]) / (2.0 * step);
                CHECK_LESS_EQUAL(fabs(slope), (order == 0 ? b.slope : order == 1 ? b.curvature : b.third) + 1e-9);
                if (order < 2)
                    CHECK_NEAR(phi[order + 1][j], slope, 1e-8);
            }
        }
    }
}

/* x of norm R that makes F(0) - min F large: random, then uphill */
static void check_reach(const public_case *c)
{
    const double R = 1.31, exactly = c->loss->tight & SP_TIGHT_GAP ? 0.99 : 0.0;
    double gap, distance, found = 0.0, worst[D] = { 0.0 }, zero[D] = { 0.0 }, phi[D];
    c->loss->tilt->reach(c->number, D, R, &gap, &distance);
    c->loss->tilt->phi(c->number, D, zero, 0, phi);
    for (int i = 0; i < 40; i++) {
        double x[D], w[D] = { 0.0 }, closed[D];
        gsl_ran_dir_nd(stream, D, x);
        for (size_t j = 0; i < 8 && j < D; j++) /* corners */
            x[j] = i >> j & 1 ? 1.0 : -1.0;
        for (size_t j = 0; i >= 20 && j < D; j++)
            x[j] = worst[j] + 0.3 * pow(0.8, i - 20) * x[j];
        cblas_dscal(D, R / cblas_dnrm2(D, x, 1), x, 1);
        const double start = c->loss->public_part->value(c->number, D, zero) + cblas_ddot(D, x, 1, phi, 1);
        const double drop = start - least(c, x, w);
        if (drop > found) {
            found = drop;
            memcpy(worst, x, sizeof x);
        }
        CHECK_LESS_EQUAL(drop, gap * (1.0 + 1e-9) + 1e-9);
        if (c->loss->tilt->minimiser(c->number, D, x, closed)) {
            double here, g[D];
            CHECK(tilted_value(&(tilted){ c, x }, closed, &here) == SP_OK);
            CHECK(tilted_gradient(&(tilted){ c, x }, closed, g) == SP_OK);
            CHECK_LESS_EQUAL(here, start - drop + 1e-13);
            CHECK_NEAR(cblas_dnrm2(D, g, 1), 0.0, 1e-13);
            memcpy(w, closed, sizeof w);
        } else
            CHECK(c->loss == &sp_loss_radial || c->loss == &sp_loss_log_tail);
        CHECK_LESS_EQUAL(cblas_dnrm2(D, w, 1), distance * (1.0 + 1e-9) + 1e-9);
    }
    CHECK_LESS_EQUAL(exactly * gap, found);

    double w[D], g[D]; /* mean 0: known to every tilt loss, and exact */
    CHECK(c->loss->tilt->minimiser(c->number, D, zero, w));
    CHECK(tilted_gradient(&(tilted){ c, zero }, w, g) == SP_OK);
    CHECK_NEAR(cblas_dnrm2(D, g, 1), 0.0, 1e-12);
    c->loss->tilt->reach(c->number, D, 0.0, &gap, &distance);
    const double drop = c->loss->public_part->value(c->number, D, zero) - c->loss->public_part->value(c->number, D, w);
    CHECK_NEAR(gap, drop, 1e-14 * (1.0 + drop));
    CHECK_NEAR(distance, cblas_dnrm2(D, w, 1), 1e-14 * (1.0 + distance));
}

/* a small scale in many dimensions: the left side of radial's stationarity condition is not monotone */
static void check_radial_reach(void)
{
    const double number[] = { 0.2, 0.011, 0.9, 0.0, 1.0 };
    const size_t d = 400;
    const double R = 1.0;
    double gap, distance, found = 0.0;
    sp_loss_radial.tilt->reach(number, d, R, &gap, &distance);
    for (int i = 0; i < 4000; i++) { /* x = -R 1/sqrt d: F along w = t (1, ..., 1)/sqrt d */
        const double t = pow(10.0, -4.0 + 6.0 * i / 4000.0);
        const double u = t / number[1];
        const double F = number[2] * number[1] / number[0] * expm1(0.5 * number[0] * log1p(u * u)) -
                         R * sqrt((double)d) * tanh(t / sqrt((double)d));
        found = fmax(found, -F);
        if (-F >= found && F < 0.0)
            CHECK_LESS_EQUAL(t, distance);
    }
    CHECK_LESS_EQUAL(found, gap);
    CHECK_LESS_EQUAL(0.97 * gap, found); /* the shells are 1 % thick */
}

/* --- classes ---------------------------------------------------------------------------------------------- */

static sp_classes classes_of(const sp_loss *loss, const double *number, double norm, double radius)
{
    const sp_region region = { .d = D, .features = D, .norm = norm, .radius = radius };
    sp_classes out = { 0 };
    if (loss->classes)
        loss->classes(number, &region, &out);
    return out;
}

/* ratio of the PL inequality over all tilts |b| <= a, each named by its minimiser, and all w: brute force */
static double pl_constant(double a)
{
    double inf = INFINITY, low = 0.0, high = 0.95;
    for (int k = 0; k < 60; k++) { /* 2 s + 3 sin 2s = a */
        const double s = 0.5 * (low + high);
        *(2.0 * s + 3.0 * sin(2.0 * s) <= a ? &low : &high) = s;
    }
    for (int k = 0; k <= 100; k++)
        for (double w = -9.0; w < 9.0; w += 0.0031) {
            const double s = low * k / 100.0, slope = 2.0 * s + 3.0 * sin(2.0 * s);
            const double G = 2.0 * w + 3.0 * sin(2.0 * w) - slope;
            const double B = w * w + 3.0 * sin(w) * sin(w) - s * s - 3.0 * sin(s) * sin(s) - slope * (w - s);
            if (fabs(w - s) > 1e-3)
                inf = fmin(inf, G * G / (2.0 * B));
        }
    return inf;
}

static void check_sin_pl(void)
{
    const double a[] = { 0.0, 0.1, 0.3, 0.5, 1.0, 1.4 }, table[] = { 0.1755, 0.159, 0.126, 0.096, 0.032 };
    for (size_t k = 0; k < 6; k++) {
        const double number[] = { a[k] / 1.31 };
        const sp_classes c = classes_of(&sp_loss_sin_pl, number, INFINITY, 1.31);
        const double mu = 0.5 / (c.kl_gamma * c.kl_gamma), found = pl_constant(a[k]);
        CHECK(c.kl_kappa == 2.0 && c.strict_saddle && c.quasar == 0.0);
        CHECK_LESS_EQUAL(mu, found);
        CHECK_LESS_EQUAL(found, mu * 1.001);
        if (k < 5)
            CHECK_NEAR(mu, table[k], 6e-4);
    }
    const double edge[] = { 1.5441, 1.5443 }; /* g'(pi - acos(-1/3)/2) = 1.54420 */
    CHECK(classes_of(&sp_loss_sin_pl, edge, INFINITY, 1.0).strict_saddle);
    CHECK(!classes_of(&sp_loss_sin_pl, edge + 1, INFINITY, 1.0).strict_saddle);
    CHECK(classes_of(&sp_loss_sin_pl, edge + 1, INFINITY, 1.0).kl_gamma == 0.0);
    for (int i = 0; i < 400; i++) { /* far tilts: several stationary points, the least of them */
        const double mean[D] = { uniform(-9.0, 9.0), uniform(-2.0, 2.0), M_PI * 2.0 }, number[] = { 1.0 };
        double w[D];
        CHECK(sp_loss_sin_pl.tilt->minimiser(number, D, mean, w));
        for (size_t j = 0; j < D; j++) {
            const double F = w[j] * w[j] + 3.0 * sin(w[j]) * sin(w[j]) + mean[j] * w[j], v = uniform(-6.0, 6.0);
            CHECK_LESS_EQUAL(F, v * v + 3.0 * sin(v) * sin(v) + mean[j] * v + 1e-14);
            CHECK_NEAR(2.0 * w[j] + 3.0 * sin(2.0 * w[j]) + mean[j], 0.0, 1e-13);
        }
    }
}

static void check_power(void)
{
    const double tau[] = { 2.0, 2.385, 3.0, 6.0 };
    for (size_t k = 0; k < 4; k++) {
        const double number[] = { tau[k], 0.731 };
        const public_case c = { &sp_loss_power, { tau[k], 0.731 } };
        const sp_classes class = classes_of(&sp_loss_power, number, 2.0, 1.0);
        double largest = 0.0;
        CHECK_NEAR(class.kl_kappa, tau[k] / (tau[k] - 1.0), 1e-15);
        CHECK_NEAR(pow(class.kl_gamma, class.kl_kappa),
                   (tau[k] - 1.0) / tau[k] * pow(2.0, (tau[k] - 2.0) / (tau[k] - 1.0)), 1e-14);
        for (int i = 0; i < 4000; i++) {
            double w[D], best[D], g[D], mean[D], here = NAN, lowest = NAN;
            draw_point(D, 1.0, mean);
            tilted t = { &c, mean };
            CHECK(sp_loss_power.tilt->minimiser(number, D, mean, best));
            draw_point(D, 3.0, w);
            for (size_t j = 0; i % 2 && j < D; j++) /* across 0: the ratio's extreme */
                w[j] = -best[j] * uniform(0.9, 1.1) + 0.01 * w[j];
            CHECK(tilted_value(&t, w, &here) == SP_OK && tilted_value(&t, best, &lowest) == SP_OK);
            CHECK(tilted_gradient(&t, w, g) == SP_OK);
            largest = fmax(largest, (here - lowest - 1e-15) / pow(cblas_dnrm2(D, g, 1), class.kl_kappa));
        }
        CHECK_LESS_EQUAL(largest, pow(class.kl_gamma, class.kl_kappa));
        CHECK_LESS_EQUAL(0.6 * pow(class.kl_gamma, class.kl_kappa), largest);
    }

    const double sharp[] = { 1.1, 1.5, 1.9 }, zero[D] = { 0.0 };
    for (size_t k = 0; k < 3; k++) { /* below 2: nothing is certified; about mean 0 it is an equation */
        const double number[] = { sharp[k], 0.731 }, kappa = sharp[k] / (sharp[k] - 1.0);
        const public_case c = { &sp_loss_power, { sharp[k], 0.731 } };
        const sp_classes class = classes_of(&sp_loss_power, number, 2.0, 1.0);
        tilted level = { &c, zero };
        CHECK(class.kl_kappa == 0.0 && class.kl_gamma == 0.0 && !class.strict_saddle);
        for (int i = 0; i < 400; i++) {
            double w[D], best[D], g[D], mean[D], here = NAN, lowest = NAN;
            draw_point(D, 2.0, w);
            CHECK(tilted_value(&level, w, &here) == SP_OK && tilted_gradient(&level, w, g) == SP_OK);
            CHECK_NEAR(here, pow(cblas_dnrm2(D, g, 1), kappa) / sharp[k], 1e-12);
            draw_point(D, 1.0, mean);
            tilted t = { &c, mean };
            CHECK(sp_loss_power.tilt->minimiser(number, D, mean, best));
            CHECK(tilted_value(&t, w, &here) == SP_OK && tilted_value(&t, best, &lowest) == SP_OK);
            CHECK_LESS_EQUAL(lowest, here);
            CHECK(tilted_gradient(&t, best, g) == SP_OK);
            CHECK_NEAR(cblas_dnrm2(D, g, 1), 0.0, 1e-9);
        }
        double g[D] = { NAN };
        CHECK(tilted_gradient(&level, zero, g) == SP_OK);
        CHECK(g[0] == 0.0 && g[D - 1] == 0.0);
        CHECK(sp_loss_power.tilt->minimiser(number, D, zero, g) && g[0] == 0.0);
    }
}

/* any ball about 0, c inside it or not; the minimiser over the ball is its point nearest to c */
static void check_radial_quasar(void)
{
    for (int i = 0; i < 6000; i++) {
        const double q = uniform(0.05, 1.0), s = pow(10.0, uniform(-2.0, 1.0)), distance = uniform(0.0, 3.0);
        const double ball = pow(10.0, uniform(-0.5, 2.5)), number[] = { q, s, 1.7, distance, 0.0 };
        double w[D], g[D], nearest[D];
        draw_point(D, ball, w);
        for (size_t j = 0; j < D; j++)
            nearest[j] = fmin(distance, ball) / sqrt(3.0);
        sp_loss_radial.public_part->gradient(number, D, w, g);
        const double rise = sp_loss_radial.public_part->value(number, D, w) -
                            sp_loss_radial.public_part->value(number, D, nearest);
        CHECK(classes_of(&sp_loss_radial, number, ball, 1.0).quasar == q);
        CHECK_LESS_EQUAL(q * rise, cblas_ddot(D, g, 1, w, 1) - cblas_ddot(D, g, 1, nearest, 1) + 1e-9 * (1.0 + rise));
    }
    const double plain[] = { 0.5, 1.0, 1.0, 0.0, 0.0 }, tilted_too[] = { 0.5, 1.0, 1.0, 0.0, 0.1 };
    double far[D] = { 1e6, 0.0, 0.0 }, g[D];
    sp_loss_radial.public_part->gradient(plain, D, far, g);
    CHECK_NEAR(g[0] * 1e6 / sp_loss_radial.public_part->value(plain, D, far), 0.5, 1e-3); /* no larger q holds */
    CHECK(classes_of(&sp_loss_radial, tilted_too, INFINITY, 1.0).quasar == 0.0);
    CHECK(classes_of(&sp_loss_radial, tilted_too, INFINITY, 0.0).quasar == 0.5);
}

/* all stationary points of cos_saddle and of pca_quartic on drawn records */
static void check_saddles(void)
{
    const public_case c = { &sp_loss_cos_saddle, { 2.0, 0.5, 0.83, 0.7 } };
    for (int i = 0; i < 100; i++) {
        double mean[D], w[D], at[D], H[D * D], lowest, here, smallest;
        draw_point(D, 1.31, mean);
        tilted t = { &c, mean };
        CHECK(sp_loss_cos_saddle.tilt->minimiser(c.number, D, mean, w));
        CHECK(tilted_value(&t, w, &lowest) == SP_OK);
        double sum = 0.0;
        for (size_t j = 0; j < D; j++) {
            const double a = j < 2 ? -0.5 : 0.83;
            sum += a - hypot(a, 0.7 * mean[j]);
        }
        CHECK_NEAR(lowest, sum, 1e-14);
        for (int k = 0; k < 27; k++) { /* w + pi times -1, 0, 1 in each entry */
            const int turn[D] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
            for (size_t j = 0; j < D; j++)
                at[j] = w[j] + M_PI * turn[j];
            CHECK(tilted_gradient(&t, at, H) == SP_OK);
            CHECK_NEAR(cblas_dnrm2(D, H, 1), 0.0, 1e-14);
            CHECK(tilted_value(&t, at, &here) == SP_OK && tilted_hessian(&t, at, H) == SP_OK);
            CHECK(sp_eigen_smallest(D, H, &smallest, NULL) == SP_OK);
            CHECK(turn[0] || turn[1] || turn[2] ? smallest <= -0.49999 : here <= lowest);
        }
    }
    CHECK(classes_of(&sp_loss_cos_saddle, c.number, INFINITY, 1.31).strict_saddle);

    CHECK(classes_of(&sp_loss_pca_quartic, NULL, 2.0, 1.31).strict_saddle);
    const double m = 0.731, y = 1.0;
    double out;
    sp_loss_pca_quartic.link->value(NULL, 1, &m, &y, &out);
    CHECK_NEAR(out, -0.5 * 0.731 * 0.731, 1e-16);
    sp_loss_pca_quartic.link->slope(NULL, 1, &m, &y, &out);
    CHECK_NEAR(out, -0.731, 1e-16);
    sp_loss_pca_quartic.link->curvature(NULL, 1, &m, &y, &out);
    CHECK(out == -1.0);
    /* one record x: F = -<w, x>^2/2 + ||w||^4/4 has its minimum -||x||^4/4 at w = +-||x|| x/||x|| */
    const double x[D] = { 0.3, -1.1, 0.4 }, square = 0.09 + 1.21 + 0.16;
    sp_link_bounds b;
    sp_loss_pca_quartic.link_bounds(NULL, &(sp_region){ .d = D, .norm = 2.0, .radius = 1.31 }, &b);
    CHECK_NEAR(sp_loss_pca_quartic.public_part->value(NULL, D, x) - 0.5 * square * square, -0.25 * square * square,
               1e-15);
    CHECK(b.slope == 2.62 && b.curvature_high == 0.0 && b.curvature_low == 1.0 && b.third == 0.0);
    CHECK_NEAR(b.gap, 0.5 * 2.62 * 2.62, 1e-15);
}

/* --- record forms ----------------------------------------------------------------------------------------- */

typedef struct record_case {
    const sp_loss *loss;
    size_t features;
    double number[3];
    double balls[3];
} record_case;

static const record_case record_cases[] = {
    { &sp_loss_network, 3, { 1.0, 0.0, 0.0 }, { 0.3, 1.0, 2.385 } },
    { &sp_loss_network, 2, { 4.0, 1.0, 0.0 }, { 0.3, 1.0, 2.385 } },
    { &sp_loss_network, 5, { 7.0, 0.0, 1.0 }, { 0.3, 1.0, 2.385 } },
    { &sp_loss_network, 1, { 2.0, 1.0, 1.0 }, { 0.3, 1.0, 7.31 } },
    { &sp_loss_linear_dynamical_system, 14, { 2.0, 0.0 }, { 0.2, 0.7, 1.7 } },
    { &sp_loss_linear_dynamical_system, 24, { 3.0, 0.25 }, { 0.2, 0.5, 1.1 } },
    { &sp_loss_linear_dynamical_system, 4, { 1.0, 0.0 }, { 0.2, 1.0, 3.1 } },
    { &sp_loss_linear_dynamical_system, 14, { 5.0, 0.5 }, { 0.2, 1.0, 3.1 } },
};
enum { RECORD_CASES = sizeof record_cases / sizeof *record_cases };

/* The largest of |gradient|, curvatures, third derivative and drop met, as a share of the bound. */
static void check_record(const record_case *c, double ball, double *scratch)
{
    const sp_record_form *f = c->loss->record;
    const double *p = c->number, Y = 0.83, R = 1.31, slack = 1.0 + 1e-7;
    const size_t d = f->dimension(p, c->features);
    const sp_region region = { .d = d, .features = c->features, .norm = ball, .radius = R, .label_bound = Y };
    sp_record_bounds b;
    double x[MOST], w[MOST], v[MOST], g[MOST], up[MOST], down[MOST], Hv[MOST], there[MOST], zero[MOST] = { 0.0 };
    f->bounds(p, &region, &b);
    CHECK(isfinite(b.slope) && isfinite(b.curvature_high) && isfinite(b.curvature_low) && isfinite(b.third));
    for (int i = 0; i < 150; i++) {
        const double y = i % 2 ? Y : uniform(-Y, Y), step = 1e-5;
        draw_point(c->features, R, x);
        draw_point(d, ball, w);
        gsl_ran_dir_nd(stream, d, v);
        const double value = f->value(p, c->features, x, y, w, scratch);
        f->gradient(p, c->features, x, y, w, scratch, g);
        f->product(p, c->features, x, y, w, v, scratch, Hv);
        const double size = 1.0 + cblas_dnrm2((int)d, g, 1) + cblas_dnrm2((int)d, Hv, 1) + value;
        double bend = cblas_ddot((int)d, v, 1, Hv, 1);
        for (size_t j = 0; j < d; j++) {
            const double middle = w[j];
            w[j] = middle + step;
            const double high = f->value(p, c->features, x, y, w, scratch);
            w[j] = middle - step;
            CHECK_NEAR(g[j], (high - f->value(p, c->features, x, y, w, scratch)) / (2.0 * step), 1e-7 * size);
            w[j] = middle;
        }
        cblas_daxpy((int)d, step, v, 1, w, 1);
        f->gradient(p, c->features, x, y, w, scratch, up);
        f->product(p, c->features, x, y, w, v, scratch, there);
        cblas_daxpy((int)d, -2.0 * step, v, 1, w, 1);
        f->gradient(p, c->features, x, y, w, scratch, down);
        cblas_daxpy((int)d, step, v, 1, w, 1);
        for (size_t j = 0; j < d; j++)
            CHECK_NEAR(Hv[j], (up[j] - down[j]) / (2.0 * step), 1e-6 * size);
        CHECK_LESS_EQUAL(cblas_dnrm2((int)d, g, 1), b.slope * slack);
        CHECK_LESS_EQUAL(fabs(cblas_ddot((int)d, v, 1, there, 1) - bend) / step, b.third * slack + 1e-4 * size);
        for (int k = 0; k < 6; k++) { /* power steps on H +- shift: both ends of the spectrum */
            CHECK_LESS_EQUAL(bend, b.curvature_high * slack + 1e-12);
            CHECK_LESS_EQUAL(-bend, b.curvature_low * slack + 1e-12);
            const double shift = (i % 2 ? 1.0 : -1.0) * cblas_dnrm2((int)d, Hv, 1);
            cblas_daxpy((int)d, shift, v, 1, Hv, 1);
            const double length = cblas_dnrm2((int)d, Hv, 1);
            for (size_t j = 0; length > 0.0 && j < d; j++)
                v[j] = Hv[j] / length;
            f->product(p, c->features, x, y, w, v, scratch, Hv);
            bend = cblas_ddot((int)d, v, 1, Hv, 1);
        }
        CHECK_LESS_EQUAL(f->value(p, c->features, x, y, zero, scratch) - value, b.gap * slack);
    }
}

static void check_records(void)
{
    for (size_t i = 0; i < RECORD_CASES; i++) {
        const record_case *c = &record_cases[i];
        const size_t d = c->loss->record->dimension(c->number, c->features);
        double *scratch = sp_alloc_doubles(c->loss->record->scratch(c->number, c->features)); /* ASan guards its size */
        CHECK(scratch != NULL && d > 0 && d <= MOST);
        for (size_t k = 0; scratch && k < 3; k++)
            check_record(c, c->balls[k], scratch);
        sp_record_bounds b;
        c->loss->record->bounds(c->number, &(sp_region){ .d = d, .features = c->features, .norm = INFINITY,
                                                         .radius = 1.31, .label_bound = 0.83 }, &b);
        CHECK(isinf(b.slope) && isinf(b.curvature_high) && isinf(b.curvature_low) && isinf(b.third) && isfinite(b.gap));
        free(scratch);
    }
}

static void check_network(void)
{
    const sp_record_form *f = sp_loss_network.record;
    const double x[2] = { 0.731, -1.1 }, w[9] = { 0.4, -0.2, 0.1, 1.3, -0.7, 0.25, -0.3, 0.6, 0.15 }, y = -0.83;
    const double z[2] = { 0.4 * 0.731 + 0.2 * 1.1 + 0.1, -0.7 * 0.731 - 0.25 * 1.1 - 0.3 };
    double scratch[2];
    for (int unit = 0; unit < 2; unit++)
        for (int output = 0; output < 2; output++) {
            const double p[] = { 2.0, unit, output };
            const double s0 = unit == 0 ? tanh(z[0]) : log(0.5 + 0.5 * exp(z[0]));
            const double s1 = unit == 0 ? tanh(z[1]) : log(0.5 + 0.5 * exp(z[1])), u = 1.3 * s0 + 0.6 * s1 + 0.15;
            CHECK(f->dimension(p, 2) == 9 && f->scratch(p, 2) == 2);
            CHECK_NEAR(f->value(p, 2, x, y, w, scratch), output == 0 ? 0.5 * (u - y) * (u - y) : log(1.0 + exp(-y * u)),
                       1e-15);
        }
    const double p[] = { 2.0, 1.0, 1.0 }, far[9] = { 800.0, 0.0, 0.0, 900.0, 0.0, 0.0, 0.0, 0.0, 0.0 };
    double g[9];
    CHECK_NEAR(f->value(p, 2, x, 1.0, far, scratch), 0.0, 0.0); /* neither exponential overflows */
    CHECK_NEAR(f->value(p, 2, x, -1.0, far, scratch), 900.0 * (800.0 * 0.731 - log(2.0)), 1e-6);
    f->gradient(p, 2, x, -1.0, far, scratch, g);
    CHECK_NEAR(g[0], 900.0 * 0.731, 1e-12);
    CHECK(f->dimension(p, 0) == 0);
}

/* v'Hv */
static double bend_along(const sp_loss *loss, const double *p, size_t features, const double *x, const double *w,
                         const double *v, double *scratch)
{
    double Hv[MOST];
    loss->record->product(p, features, x, 0.0, w, v, scratch, Hv);
    return cblas_ddot((int)loss->record->dimension(p, features), v, 1, Hv, 1);
}

/* On a tiny ball what chosen records x and directions show is close to the bounds, to a factor each: -curvature at
 * w along `low`, the third derivative at 0 along `third`. */
static void check_near_zero(const sp_loss *loss, const double *p, size_t features, const double *x, const double *w,
                            const double *low, const double *x3, const double *third, const double factor[2])
{
    const double B = 1e-3, step = 1e-4;
    const size_t d = loss->record->dimension(p, features);
    double scratch[MOST], at[MOST], there[2];
    sp_record_bounds b;
    loss->record->bounds(p, &(sp_region){ .d = d, .features = features, .norm = B, .radius = 1.31 }, &b);
    CHECK_LESS_EQUAL(-bend_along(loss, p, features, x, w, low, scratch), b.curvature_low);
    CHECK_LESS_EQUAL(b.curvature_low, -factor[0] * bend_along(loss, p, features, x, w, low, scratch));
    for (int side = 0; side < 2; side++) {
        memset(at, 0, sizeof at);
        cblas_daxpy((int)d, side ? step : -step, third, 1, at, 1);
        there[side] = bend_along(loss, p, features, x3, at, third, scratch);
    }
    CHECK_LESS_EQUAL((there[1] - there[0]) / (2.0 * step), b.third);
    CHECK_LESS_EQUAL(b.third, factor[1] * (there[1] - there[0]) / (2.0 * step));
}

static void check_crude_bounds(void)
{
    /* one unit, u = c tanh(W x + b) + e: -u c W x at e = B; then 3 (e) (2 c W x) */
    const double one[] = { 1.0, 0.0, 0.0 }, x[1] = { 1.31 }, t = hypot(1.31, 1.0), r = sqrt(0.5), s = sqrt(1.0 / 3.0);
    const double low[4] = { r * 1.31 / t, r / t, -r, 0.0 }, third[4] = { s * 1.31 / t, s / t, s, s };
    const double top[4] = { 0.0, 0.0, 0.0, 1e-3 }, peak[4] = { 0.0, 0.0, 1e-3, 0.0 };
    double steepest[4] = { 1.31 * 1e-3, 1e-3, 0.0, 1.0 };
    double scratch[1];
    sp_record_bounds b;
    check_near_zero(&sp_loss_network, one, 1, x, top, low, x, third, (double[]){ 1.01, 2.7 });
    sp_loss_network.record->bounds(one, &(sp_region){ .d = 4, .features = 1, .norm = 1e-3, .radius = 1.31 }, &b);
    cblas_dscal(4, 1.0 / cblas_dnrm2(4, steepest, 1), steepest, 1);
    CHECK_LESS_EQUAL(bend_along(&sp_loss_network, one, 1, x, peak, steepest, scratch), b.curvature_high);
    CHECK_LESS_EQUAL(0.99 * b.curvature_high, bend_along(&sp_loss_network, one, 1, x, peak, steepest, scratch));

    /* order 1, 3 steps, v_3 = c (u_2 - a u_1) + D u_3: along (alpha, gamma, 0), v_3' = gamma u_2 at 0 and
     * v_3'' = -2 alpha gamma u_1 */
    const double plain[] = { 1.0, 0.0 }, R = 1.31, zero[3] = { 0.0 };
    const double trajectory[6] = { R * r, 0.0, 0.0, 0.0, 0.0, -R * r }, pulse[6] = { R * r, R * r, 0.0, 0.0, 0.0, 0.0 };
    const double across[3] = { r, r, 0.0 }, cubic[3] = { -s, sqrt(2.0) * s, 0.0 };
    check_near_zero(&sp_loss_linear_dynamical_system, plain, 6, trajectory, zero, across, pulse, cubic,
                    (double[]){ 2.1, 4.8 });
}

/* h_{t+1} = A h_t + e_k u_t by matrices, and the generating system's own loss */
static void check_system(void)
{
    enum { K = 3, T = 11 };
    const sp_record_form *f = sp_loss_linear_dynamical_system.record;
    const double w[2 * K + 1] = { 0.31, -0.2, 0.11, 0.5, -0.7, 1.3, 0.26 }, p[] = { K, 0.3 }; /* 3 steps skipped */
    double x[2 * T], scratch[4 * (K + T) + 2 * T], h[K] = { 0.0 }, v[T], sum = 0.0;
    draw_point(2 * T, 1.31, x);
    for (size_t t = 0; t < T; t++) {
        const double A[K][K] = { { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 }, { -w[2], -w[1], -w[0] } };
        double next[K] = { 0.0 };
        v[t] = w[2 * K] * x[t];
        for (size_t i = 0; i < K; i++) {
            v[t] += w[K + i] * h[i];
            for (size_t j = 0; j < K; j++)
                next[i] += A[i][j] * h[j];
        }
        next[K - 1] += x[t];
        memcpy(h, next, sizeof h);
        if (t >= 3)
            sum += (v[t] - x[T + t]) * (v[t] - x[T + t]);
    }
    CHECK(f->scratch(p, 2 * T) == sizeof scratch / sizeof *scratch);
    CHECK_NEAR(f->value(p, 2 * T, x, 0.0, w, scratch), sum / 8.0, 1e-15);
    memcpy(x + T, v, sizeof v);
    double g[2 * K + 1];
    f->gradient(p, 2 * T, x, 0.0, w, scratch, g);
    CHECK(f->value(p, 2 * T, x, 0.0, w, scratch) < 1e-30 && cblas_dnrm2(2 * K + 1, g, 1) < 1e-14);
    CHECK(f->dimension(p, 2 * T) == 2 * K + 1 && f->dimension(p, 2 * T + 1) == 0 && f->dimension(p, 0) == 0);
    CHECK(f->dimension(p, 2 * K) == 0 && f->dimension(p, 2 * K + 2) == 2 * K + 1);
    /* one step would be (D u - y)^2: the bounds are attained */
    sp_record_bounds one;
    f->bounds(p, &(sp_region){ .d = 2 * K + 1, .features = 2, .norm = 0.83, .radius = 1.31 }, &one);
    CHECK_NEAR(one.slope, 1.31 * 1.31 * (0.83 + hypot(0.83, 1.0)), 1e-14); /* max of 2 |u| |D u - y| */
    CHECK_NEAR(one.curvature_high, 2.0 * 1.31 * 1.31, 1e-14);
    CHECK(one.curvature_low == 0.0 && one.third == 0.0);
    CHECK_NEAR(one.gap, 1.31 * 1.31, 1e-14);
    /* nu < 1: bounded whatever the length of the trajectory, but for the number of scored steps */
    sp_record_bounds near, far;
    const double plain[] = { 1.0, 0.0 };
    f->bounds(plain, &(sp_region){ .d = 3, .features = 40, .norm = 0.6, .radius = 1.0 }, &near);
    f->bounds(plain, &(sp_region){ .d = 3, .features = 4000, .norm = 0.6, .radius = 1.0 }, &far);
    CHECK_NEAR(far.third * 100.0 / near.third, 1.0, 1e-3);
}

int main(void)
{
    stream = sp_stream_open(sp_stream_key_of(2385, "forms", 0, SP_STREAM_DATA));
    CHECK(stream != NULL);
    if (!stream)
        return sp_check_done();
    for (size_t i = 0; i < PUBLIC_CASES; i++) {
        const public_case *c = &public_cases[i];
        check_public_derivatives(c);
        check_public_bounds(c, 0.5);
        check_public_bounds(c, 2.385);
        check_public_bounds(c, INFINITY);
        if (c->loss->tilt) {
            check_phi(c);
            check_reach(c);
        }
    }
    check_public_closed_forms();
    check_radial_reach();
    check_sin_pl();
    check_power();
    check_radial_quasar();
    check_saddles();
    check_records();
    check_network();
    check_crude_bounds();
    check_system();
    gsl_rng_free(stream);
    return sp_check_done();
}
