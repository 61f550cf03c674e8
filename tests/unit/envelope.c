/* envelope.c -- Moreau envelopes against their definition: the smallest value over a fine grid, the facts at the head
 * of envelope.h, and closed forms against bisection. */
#include "core/numeric/stream.h"
#include "losses/engine/envelope.h"
#include "tests/check.h"

#include <float.h>
#include <gsl/gsl_randist.h>

extern const sp_loss sp_loss_absolute, sp_loss_epsilon_insensitive, sp_loss_hinge, sp_loss_logistic, sp_loss_pinball;

/* Two slopes and a kink: -p on the left of y, 1 on its right. */
static double value(double m, double y, sp_numbers p)
{
    return m < y ? p[0] * (y - m) : m - y;
}

static double slope(double m, double y, sp_numbers p)
{
    return m < y ? -p[0] : 1.0;
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)m, (void)y, (void)p;
    return 0.0;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)region;
    *out = (sp_link_bounds){ .slope = fmax(p[0], 1.0) };
}

/* prox = y where b |m - y| is below the slope, else m less slope / b */
static void closed(sp_numbers p, double b, double m, double y, double *v, double *s)
{
    *s = fmax(-p[0], fmin(1.0, b * (m - y)));
    const double u = m - *s / b;
    *v = value(u, y, p) + 0.5 * b * (u - m) * (u - m);
}

static const sp_loss kink = { .name = "kink", .link = &link, .link_bounds = link_bounds, .convex = true };
static const double number[] = { 0.385 };

/* min over a grid of phi(u) + (b/2)(u - m)^2; within `step` L0 of the truth, from above. */
static double by_grid(const sp_loss *loss, double b, double m, double y, double reach, size_t points)
{
    double least = INFINITY;
    for (size_t k = 0; k <= points; k++) {
        const double u = m + reach * (2.0 * (double)k / (double)points - 1.0);
        double v;
        loss->link->value(number, 1, &u, &y, &v);
        least = fmin(least, v + 0.5 * b * (u - m) * (u - m));
    }
    return least;
}

static void check_definition(const sp_loss *loss, double b)
{
    enum { POINTS = 4000 };
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, loss->name, 0, SP_STREAM_DATA));
    double before = -INFINITY, place = -INFINITY;
    for (int k = 0; k < 60; k++) { /* m ascends */
        const double y = loss == &kink ? 0.31 : 1.0, m = -3.0 + 0.1 * k + 0.1 * gsl_rng_uniform(stream);
        double v, s, at, near[2];
        sp_envelope(loss, number, b, 0.0, 1, &m, &y, &v, &s);
        const double grid = by_grid(loss, b, m, y, 1.0 / b, POINTS);
        CHECK_LESS_EQUAL(v, grid + 1e-14);
        CHECK_LESS_EQUAL(grid, v + 2.0 * (2.0 / b) / POINTS); /* the sum is 2-Lipschitz there */
        loss->link->value(number, 1, &m, &y, &at);
        CHECK_LESS_EQUAL(v, at + 1e-14); /* phi - L0^2/(2b) <= phi_b <= phi */
        CHECK_LESS_EQUAL(at - 1.0 / (2.0 * b), v + 1e-14);
        CHECK_LESS_EQUAL(fabs(s), 1.0);
        const double step = 1e-5 / b, around[] = { m - step, m + step }, labels[] = { y, y };
        sp_envelope(loss, number, b, 0.0, 2, around, labels, near, NULL);
        CHECK_NEAR(s, (near[1] - near[0]) / (2.0 * step), 1e-5 + 1e-15 / step);
        CHECK_LESS_EQUAL(before - 1e-13, s); /* convex and b-smooth */
        CHECK_LESS_EQUAL(s - before, b * (m - place) + 1e-13);
        before = s;
        place = m;
    }
    gsl_rng_free(stream);
}

/* Closed form against bisection, at every accuracy; a wrong kink or slope shows. */
static void check_closed(const sp_loss *loss, sp_numbers p, double b)
{
    static const double accuracies[] = { 0.0, 1e-12, 1e-6, 0.0031, 0.31 };
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "closed", 0, SP_STREAM_DATA));
    double m[64], y[64], v[64], s[64], value_of[64], slope_of[64], worst = 0.0;
    for (size_t k = 0; k < sizeof accuracies / sizeof *accuracies; k++) {
        const double a = accuracies[k];
        for (size_t i = 0; i < 64; i++) { /* around the kinks at y, at y +- width and, of hinge, at y */
            y[i] = loss->labels_binary ? gsl_rng_uniform(stream) < 0.5 ? -1.0 : 1.0 : gsl_ran_gaussian(stream, 1.0);
            m[i] = y[i] + gsl_ran_gaussian(stream, 1.5 / b) + (i % 3 ? 0.0 : (i % 2 ? 0.1 : -0.1));
        }
        sp_envelope(loss, p, b, a, 64, m, y, v, s);
        sp_envelope_bisect(loss, p, b, a, 64, m, y, value_of, slope_of);
        for (size_t i = 0; i < 64; i++) {
            const double rounding = 8.0 * DBL_EPSILON * (1.0 + b * (fabs(m[i]) + 1.0));
            CHECK_NEAR(slope_of[i], s[i], a + rounding);
            CHECK_LESS_EQUAL(v[i], value_of[i] + rounding);
            CHECK_LESS_EQUAL(value_of[i], v[i] + 2.0 * a / b + rounding);
            CHECK_LESS_EQUAL(fabs(slope_of[i]), 1.0);
            worst = k == 4 ? fmax(worst, fabs(slope_of[i] - s[i])) : worst;
        }
        sp_envelope_bisect(loss, p, b, a, 64, m, y, NULL, v); /* either output may be left out */
        CHECK(memcmp(v, slope_of, sizeof v) == 0);
        sp_envelope(loss, p, b, a, 64, m, y, NULL, v);
        CHECK(memcmp(v, s, sizeof v) == 0);
    }
    CHECK_LESS_EQUAL(0.01, worst); /* it stops at the accuracy asked for */
    gsl_rng_free(stream);
}

static void check_registered(const sp_loss *loss, double b)
{
    sp_values values;
    double defaults[SP_PARAM_MAX] = { 0.0 };
    sp_values_start(&values, loss->params);
    for (size_t i = 0; i < values.count; i++)
        defaults[i] = values.value[i].number;
    CHECK(loss->envelope != NULL);
    check_closed(loss, defaults, b);
}

/* A margin that is not a number has no slope, rather than the largest one. */
static void check_not_a_number(void)
{
    const double m = NAN, y = 1.0;
    double value, slope;
    sp_envelope_bisect(&kink, number, 2.385, 0.0, 1, &m, &y, &value, &slope);
    CHECK(isnan(value) && isnan(slope));
    CHECK(sp_envelope_lipschitz(&kink, number) == 1.0);
}

int main(void)
{
    sp_loss known = kink;
    known.envelope = closed;
    check_not_a_number();
    check_definition(&kink, 2.385);
    check_definition(&kink, 0.031);
    check_definition(&known, 2.385);
    check_definition(&sp_loss_logistic, 2.385); /* has no closed form */
    for (double b = 0.31; b < 1e3; b *= 11.3) {
        check_closed(&known, number, b);
        check_registered(&sp_loss_absolute, b);
        check_registered(&sp_loss_epsilon_insensitive, b);
        check_registered(&sp_loss_hinge, b);
        check_registered(&sp_loss_pinball, b);
    }
    return sp_check_done();
}
