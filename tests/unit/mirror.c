/* mirror.c -- the p-norm mirror map: its gradient by differences, the inverse, duality, strong convexity, and the
 * Bregman projection by its variational inequality and by D_h itself. */
#include "core/numeric/stream.h"
#include "core/data/domain.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>

enum { D = 8 };
static const double powers[] = { 1.05, 1.2, 1.434, 1.75, 2.0 };

static double norm(double p, size_t d, const double *w, const double *centre)
{
    long double sum = 0.0L;
    for (size_t j = 0; j < d; j++)
        sum += powl(fabsl((long double)w[j] - (centre ? centre[j] : 0.0)), p);
    return (double)powl(sum, 1.0L / p);
}

static double h(double p, const double *centre, const double *w)
{
    const double n = norm(p, D, w, centre);
    return n * n / (2.0 * (p - 1.0));
}

/* D_h(v, w) by its definition. */
static double divergence(double p, const double *centre, const double *v, const double *w)
{
    double g[D], sum = h(p, centre, v) - h(p, centre, w);
    sp_mirror_gradient(p, D, centre, w, g);
    for (size_t j = 0; j < D; j++)
        sum -= g[j] * (v[j] - w[j]);
    return sum;
}

static void gaussian(gsl_rng *stream, double scale, double *w)
{
    for (size_t j = 0; j < D; j++)
        w[j] = scale * gsl_ran_gaussian(stream, 1.0);
}

static sp_domain lp_ball(double p, size_t d, double radius)
{
    sp_domain domain;
    sp_error error = { .text = "" };
    sp_values values;
    sp_values_start(&values, sp_domain_params);
    CHECK_EQUAL(sp_values_set_number(&values, "problem.domain", "radius", radius, &error), SP_OK);
    CHECK_EQUAL(sp_values_set_number(&values, "problem.domain", "p", p, &error), SP_OK);
    CHECK_EQUAL(sp_domain_make("lp_ball", &values, d, &domain, &error), SP_OK);
    return domain;
}

static void maps(gsl_rng *stream)
{
    for (size_t k = 0; k < 5; k++)
        for (int trial = 0; trial < 40; trial++) {
            const double p = powers[k], q = p / (p - 1.0);
            double c[D], w[D], v[D], g[D], back[D], zero[D] = { 0 };
            gaussian(stream, 1.3, c);
            gaussian(stream, 0.7, w);
            gaussian(stream, 0.9, v);
            const double *centre = trial % 4 == 0 ? NULL : c;
            if (trial % 5 == 0)
                w[3] = centre ? c[3] : 0.0;
            sp_mirror_gradient(p, D, centre, w, g);
            for (size_t j = 0; j < D; j++) { /* by central differences, where h is smooth enough for them */
                if (trial % 5 == 0 && j == 3) {
                    CHECK(g[j] == 0.0);
                    continue;
                }
                double up[D], down[D];
                const double from = fabs(w[j] - (centre ? c[j] : 0.0)), step = 1e-4 * from;
                memcpy(up, w, sizeof up);
                memcpy(down, w, sizeof down);
                up[j] += step;
                down[j] -= step;
                CHECK_NEAR((h(p, centre, up) - h(p, centre, down)) / (2.0 * step), g[j],
                           1e-6 * norm(q, D, g, NULL) + 1e-13 * h(p, centre, w) / step);
            }
            /* ||grad h||_q = ||w - c||_p / (p - 1), <grad h, w - c> = 2 h: equality in Hoelder's inequality */
            CHECK_NEAR(norm(q, D, g, NULL) * (p - 1.0) / norm(p, D, w, centre), 1.0, 1e-13);
            const double product = cblas_ddot(D, g, 1, w, 1) - (centre ? cblas_ddot(D, g, 1, c, 1) : 0.0);
            CHECK_NEAR(product / (2.0 * h(p, centre, w)), 1.0, 1e-12);
            sp_mirror_inverse(p, D, centre, g, back);
            for (size_t j = 0; j < D; j++)
                CHECK_NEAR(back[j], w[j], 1e-14 / (p - 1.0));
            /* 1-strongly convex in ||.||_p */
            const double distance = norm(p, D, v, w);
            CHECK_LESS_EQUAL(distance * distance / 2.0, divergence(p, centre, v, w) * (1.0 + 1e-12) + 1e-12);
            sp_mirror_gradient(p, D, centre, centre ? c : zero, g); /* at the centre */
            for (size_t j = 0; j < D; j++)
                CHECK(g[j] == 0.0);
            sp_mirror_inverse(p, D, centre, zero, back);
            CHECK(memcmp(back, centre ? c : zero, sizeof back) == 0);
        }
    /* nothing overflows on the way, NaN stays */
    const double scales[] = { 1e-300, 1e-150, 1e150, 1e300 };
    for (size_t i = 0; i < 4; i++) {
        double w[D], g[D], back[D], unit[D], reference[D];
        gaussian(stream, 1.0, unit);
        for (size_t j = 0; j < D; j++)
            w[j] = scales[i] * unit[j];
        sp_mirror_gradient(1.2, D, NULL, w, g);
        sp_mirror_gradient(1.2, D, NULL, unit, reference);
        sp_mirror_inverse(1.2, D, NULL, g, back);
        for (size_t j = 0; j < D; j++) {
            CHECK_NEAR(g[j] / scales[i], reference[j], 1e-13);
            CHECK_NEAR(back[j] / scales[i], unit[j], 1e-13);
        }
        w[2] = NAN;
        sp_mirror_gradient(1.2, D, NULL, w, g);
        CHECK(isnan(g[2]));
        sp_mirror_inverse(1.2, D, NULL, w, g);
        CHECK(isnan(g[2]));
    }
}

static int checked, skipped;

/* v = argmin of D_h(., w) exactly when <grad h(v) - grad h(w), u - v> >= 0 on the domain, least at the u that the
 * linear minimiser finds; and no u is nearer. */
static void check(double p, const double *centre, const double *w, double radius, double tolerance, gsl_rng *stream)
{
    const sp_domain domain = lp_ball(p, D, radius);
    double v[D], g[D], at_w[D], u[D];
    memcpy(v, w, sizeof v);
    CHECK_EQUAL(sp_mirror_project(p, &domain, centre, v), SP_OK);
    CHECK(sp_domain_contains(&domain, v));
    if (norm(p, D, w, NULL) <= radius) {
        CHECK(memcmp(v, w, sizeof v) == 0);
        return;
    }
    CHECK_NEAR(norm(p, D, v, NULL) / radius, 1.0, 1e-13);
    sp_mirror_gradient(p, D, centre, v, g);
    sp_mirror_gradient(p, D, centre, w, at_w);
    for (size_t j = 0; j < D; j++)
        g[j] -= at_w[j];
    CHECK_EQUAL(sp_domain_linear_minimise(&domain, g, u), SP_OK);
    const double scale = norm(p / (p - 1.0), D, at_w, NULL) + norm(p / (p - 1.0), D, g, NULL);
    const double gap = (cblas_ddot(D, g, 1, v, 1) - cblas_ddot(D, g, 1, u, 1)) / (scale * radius);
    bool kink = false; /* grad h has no digits left where v_j = c_j nearly: (1e-16)^(p - 1) */
    for (size_t j = 0; centre && p < 2.0 && j < D; j++)
        kink = kink || fabs(v[j] - centre[j]) <= 1e-3 * fmax(fabs(v[j]), fabs(w[j]));
    skipped += kink;
    if (!kink)
        SP_CHECK_REPORT(gap <= tolerance, "p = %g, radius = %g: gap %.3g", p, radius, gap);
    checked += !kink;
    const double least = divergence(p, centre, v, w);
    for (int other = 0; other < 20; other++) {
        gaussian(stream, 1.0, u);
        const double mix = other < 10 ? 0.0 : 0.999, length = norm(p, D, u, NULL);
        for (size_t j = 0; j < D; j++)
            u[j] = mix * v[j] + (1.0 - mix) * radius * u[j] / length;
        CHECK_LESS_EQUAL(least, divergence(p, centre, u, w) + 1e-12 * (h(p, centre, w) + h(p, centre, v)));
    }
}

static void projections(gsl_rng *stream)
{
    for (size_t k = 0; k < 5; k++)
        for (int trial = 0; trial < 60; trial++) {
            const double p = powers[k], tolerance = 1e-13 / (p - 1.0);
            double c[D], w[D], zero[D] = { 0 };
            gaussian(stream, pow(10.0, 3.0 * gsl_rng_uniform(stream) - 2.0), w);
            gaussian(stream, pow(10.0, 3.0 * gsl_rng_uniform(stream) - 2.0), c);
            const double radius = norm(p, D, w, NULL) * pow(10.0, 0.3 - 2.0 * gsl_rng_uniform(stream));
            check(p, c, w, radius, tolerance, stream);
            check(p, NULL, w, radius, tolerance, stream);
            if (trial % 4 == 0) { /* a centre in the ball and at its boundary, zeros, coordinates that agree */
                cblas_dscal(D, radius / norm(p, D, c, NULL), c, 1);
                check(p, c, w, radius, tolerance, stream);
                cblas_dscal(D, 0.3, c, 1);
                c[0] = 0.0;
                c[1] = w[1];
                w[2] = 0.0;
                check(p, c, w, radius, tolerance, stream);
                for (size_t j = 0; j < D; j++) /* outward from a centre on the sphere: the centre itself */
                    w[j] = 3.0 * c[j];
                check(p, c, w, norm(p, D, c, NULL), tolerance, stream);
            }
            if (trial % 4 == 1)
                check(p, c, c, norm(p, D, c, NULL) * 0.4, tolerance, stream); /* w = c outside: radial */
            if (p < 2.0) { /* centre 0, given or not */
                double a[D], b[D];
                const sp_domain domain = lp_ball(p, D, radius);
                memcpy(a, w, sizeof a);
                memcpy(b, w, sizeof b);
                CHECK_EQUAL(sp_mirror_project(p, &domain, zero, a), SP_OK);
                CHECK_EQUAL(sp_mirror_project(p, &domain, NULL, b), SP_OK);
                CHECK(memcmp(a, b, sizeof a) == 0);
                if (norm(p, D, w, NULL) > radius)
                    for (size_t j = 0; j < D; j++)
                        CHECK_NEAR(a[j] / radius, w[j] / norm(p, D, w, NULL), 1e-14);
                double tiny[D], near[D]; /* the general equations tend to the radial answer */
                for (size_t j = 0; j < D; j++)
                    tiny[j] = 1e-14 * radius * (j % 2 ? 1.0 : -1.0);
                memcpy(near, w, sizeof near);
                CHECK_EQUAL(sp_mirror_project(p, &domain, tiny, near), SP_OK);
                for (size_t j = 0; j < D; j++)
                    CHECK_NEAR(near[j] / radius, a[j] / radius, 1e-10);
            }
        }
}

/* Scaling w, the centre and the radius alike scales the answer. */
static void scales(gsl_rng *stream)
{
    static const int exponents[] = { -990, -300, 300, 990 };
    for (int i = 0; i < 4; i++) {
        double w[D], c[D], unit[D];
        const double t = ldexp(1.0, exponents[i]);
        const sp_domain base = lp_ball(1.25, D, 0.8), large = lp_ball(1.25, D, 0.8 * t);
        gaussian(stream, 2.0, unit);
        gaussian(stream, 1.0, c);
        for (size_t j = 0; j < D; j++)
            w[j] = t * unit[j];
        CHECK_EQUAL(sp_mirror_project(1.25, &base, c, unit), SP_OK);
        for (size_t j = 0; j < D; j++)
            c[j] *= t;
        CHECK_EQUAL(sp_mirror_project(1.25, &large, c, w), SP_OK);
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(w[j] / t, unit[j], 1e-13);
    }
    const sp_domain small = lp_ball(1.25, D, 1e-280); /* a ball that is a point beside w and c */
    double w[D], c[D];
    gaussian(stream, 1e20, w);
    gaussian(stream, 1e20, c);
    CHECK_EQUAL(sp_mirror_project(1.25, &small, c, w), SP_OK);
    CHECK_NEAR(norm(1.25, D, w, NULL) / 1e-280, 1.0, 1e-13);
}

static void support(void)
{
    sp_domain space, two, one, p = lp_ball(1.5, D, 1.0);
    sp_values values;
    sp_values_start(&values, sp_domain_params);
    CHECK_EQUAL(sp_domain_make("space", &values, D, &space, NULL), SP_OK);
    CHECK_EQUAL(sp_values_set_number(&values, "problem.domain", "radius", 0.8, NULL), SP_OK);
    CHECK_EQUAL(sp_domain_make("l2_ball", &values, D, &two, NULL), SP_OK);
    CHECK_EQUAL(sp_domain_make("l1_ball", &values, D, &one, NULL), SP_OK);
    const double start[D] = { 0.5, -1.25, 0.75, 2.0, 0.0, 0.1, -0.3, 0.9 }, c[D] = { 0.2, 0.4, -0.6, 0.8, 1.0 };
    double w[D], expected[D];
    memcpy(w, start, sizeof w);
    CHECK_EQUAL(sp_mirror_project(1.5, &space, c, w), SP_OK);
    CHECK(memcmp(w, start, sizeof w) == 0);
    CHECK_EQUAL(sp_mirror_project(1.5, &two, c, w), SP_EUNSUPPORTED);
    CHECK_EQUAL(sp_mirror_project(1.5, &one, c, w), SP_EUNSUPPORTED);
    CHECK_EQUAL(sp_mirror_project(1.25, &p, c, w), SP_EUNSUPPORTED);
    CHECK(memcmp(w, start, sizeof w) == 0);
    const sp_domain *const domains[] = { &two, &one, &p };
    for (size_t i = 0; i < 3; i++) { /* p = 2: Euclidean, about any centre */
        memcpy(w, start, sizeof w);
        memcpy(expected, start, sizeof w);
        sp_domain_project(domains[i], expected);
        CHECK_EQUAL(sp_mirror_project(2.0, domains[i], c, w), SP_OK);
        CHECK(memcmp(w, expected, sizeof w) == 0);
    }
    w[3] = NAN;
    CHECK_EQUAL(sp_mirror_project(1.5, &p, c, w), SP_ENUMERIC);
    CHECK(isnan(w[3]));
    double broken[D] = { INFINITY };
    CHECK_EQUAL(sp_mirror_project(1.5, &p, broken, expected), SP_ENUMERIC);
}

int main(void)
{
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "mirror", 0, SP_STREAM_DATA));
    maps(stream);
    projections(stream);
    CHECK_LESS_EQUAL(skipped, checked / 3);
    scales(stream);
    support();
    gsl_rng_free(stream);
    return sp_check_done();
}
