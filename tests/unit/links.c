/* links.c -- the scalar links against their definitions: derivatives against differences, bounds against dense grids
 * and printed tables, envelopes against a direct minimisation, quasar-convexity and weak convexity as inequalities, and
 * the certified maximum behind the bounds that have no closed form. */
#include "losses/loss.h"
#include "tests/check.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

extern const sp_loss sp_loss_savage, sp_loss_sigmoid_square, sp_loss_biweight, sp_loss_geman_mcclure, sp_loss_cauchy,
    sp_loss_bi_tempered, sp_loss_absolute, sp_loss_hinge, sp_loss_pinball, sp_loss_epsilon_insensitive,
    sp_loss_overparameterised_least_squares, sp_loss_phase_retrieval, sp_loss_robust_phase_retrieval,
    sp_loss_absolute_sigmoid, sp_loss_versine;

enum { LABEL, MARGIN }; /* of `target` */

typedef struct instance {
    const sp_loss *loss;
    double number[2];
} instance;

static const instance instances[] = {
    { &sp_loss_savage, { 0.0 } },
    { &sp_loss_sigmoid_square, { 0.0, LABEL } },
    { &sp_loss_sigmoid_square, { 0.0, MARGIN } },
    { &sp_loss_sigmoid_square, { 0.1385, LABEL } },
    { &sp_loss_sigmoid_square, { 0.1385, MARGIN } },
    { &sp_loss_sigmoid_square, { 0.62, LABEL } },
    { &sp_loss_biweight, { 1.0 } },
    { &sp_loss_biweight, { 0.2385 } },
    { &sp_loss_geman_mcclure, { 1.0 } },
    { &sp_loss_geman_mcclure, { 1.385 } },
    { &sp_loss_cauchy, { 1.0 } },
    { &sp_loss_cauchy, { 1.385 } },
    { &sp_loss_bi_tempered, { 0.0, 1.0 } },
    { &sp_loss_bi_tempered, { 0.62, 1.0 } },
    { &sp_loss_bi_tempered, { 0.35, 1.7 } },
    { &sp_loss_bi_tempered, { 0.9, 4.0 } },
    { &sp_loss_absolute, { 0.0 } },
    { &sp_loss_hinge, { 0.0 } },
    { &sp_loss_pinball, { 0.2385 } },
    { &sp_loss_pinball, { 0.9 } },
    { &sp_loss_epsilon_insensitive, { 0.1385 } },
    { &sp_loss_overparameterised_least_squares, { 0.0 } },
    { &sp_loss_phase_retrieval, { 0.0 } },
    { &sp_loss_robust_phase_retrieval, { 0.0 } },
    { &sp_loss_absolute_sigmoid, { LABEL } },
    { &sp_loss_absolute_sigmoid, { MARGIN } },
};

enum { INSTANCES = sizeof instances / sizeof *instances };

static const double label_bound = 0.8317;

static double at(const instance *p, int order, double m, double y)
{
    double out;
    const sp_link *l = p->loss->link;
    (order == 0 ? l->value : order == 1 ? l->slope : l->curvature)(p->number, 1, &m, &y, &out);
    return out;
}

static sp_link_bounds bounds(const instance *p, double norm, double labels, bool realisable)
{
    sp_link_bounds out;
    const sp_region region = { 3, 3, norm, 1.31, p->loss->labels_binary ? 1.0 : labels, realisable };
    p->loss->link_bounds(p->number, &region, &out);
    return out;
}

static double label(const instance *p, int k, int count)
{
    return p->loss->labels_binary ? (k % 2 ? 1.0 : -1.0) : label_bound * (2.0 * k / (count - 1) - 1.0);
}

/* --- derivatives ------------------------------------------------------------------------------------------- */

static void check_derivatives(const instance *p, gsl_rng *stream)
{
    const double h = 1e-5;
    for (int i = 0; i < 300; i++) {
        const double m = gsl_ran_gaussian(stream, 2.385), y = label(p, (int)gsl_rng_uniform_int(stream, 10), 10);
        const double up = at(p, 1, m + h, y), down = at(p, 1, m - h, y);
        if (!p->loss->smooth && fabs(up - down) > 1e-2)
            continue; /* a kink within h */
        const double tolerance = 3e-8 * (1.0 + fabs(at(p, 0, m, y)) + fabs(at(p, 2, m, y)));
        CHECK_NEAR(at(p, 1, m, y), (at(p, 0, m + h, y) - at(p, 0, m - h, y)) / (2.0 * h), tolerance);
        CHECK_NEAR(at(p, 2, m, y), (up - down) / (2.0 * h), tolerance);
    }
}

static void check_far(const instance *p)
{
    static const double far[] = { 39.7, 238.5, 812.0, 1e8, 1e120 };
    const bool bounded = isfinite(bounds(p, INFINITY, label_bound, false).slope);
    for (int i = 0; i < 10; i++) {
        const double m = i % 2 ? far[i / 2] : -far[i / 2];
        for (int k = 0; k < 3 && (bounded || i < 8); k++) {
            const double y = label(p, k, 3);
            for (int order = 0; order < 3; order++)
                CHECK(isfinite(at(p, order, m, y)));
            CHECK(at(p, 0, m, y) >= 0.0);
        }
    }
}

/* A margin that is not a number must not look like a minimum. */
static void check_not_a_number(const instance *p)
{
    double value, slope;
    CHECK(isnan(at(p, 0, NAN, label(p, 1, 5))));
    CHECK(isnan(at(p, 1, NAN, label(p, 1, 5))));
    if (p->loss->envelope) {
        p->loss->envelope(p->number, 2.385, NAN, label(p, 1, 5), &value, &slope);
        CHECK(isnan(value) && isnan(slope));
    }
}

/* At a kink the slope has to be a subgradient of a weakly convex function: between the one-sided ones. */
static void check_kinks(void)
{
    static const struct {
        instance p;
        double m, y;
    } kinks[] = {
        { { &sp_loss_absolute, { 0.0 } }, 0.731, 0.731 },
        { { &sp_loss_hinge, { 0.0 } }, -1.0, -1.0 },
        { { &sp_loss_pinball, { 0.2385 } }, -0.731, -0.731 },
        { { &sp_loss_epsilon_insensitive, { 0.25 } }, 0.75, 0.5 },
        { { &sp_loss_epsilon_insensitive, { 0.25 } }, 0.25, 0.5 },
        { { &sp_loss_robust_phase_retrieval, { 0.0 } }, -1.5, 2.25 },
        { { &sp_loss_absolute_sigmoid, { MARGIN } }, 0.731, 0.731 },
        { { &sp_loss_absolute_sigmoid, { LABEL } }, 0.0, 0.0 },
    };
    for (size_t i = 0; i < sizeof kinks / sizeof *kinks; i++) {
        const double m = kinks[i].m, y = kinks[i].y, s = at(&kinks[i].p, 1, m, y), h = 1e-9;
        const double below = at(&kinks[i].p, 1, m - h, y), above = at(&kinks[i].p, 1, m + h, y);
        CHECK(above - below > 0.2);
        CHECK(below <= s && s <= above);
        CHECK_NEAR(at(&kinks[i].p, 0, m, y), 0.0, 1e-16);
        CHECK(at(&kinks[i].p, 2, m, y) == 0.0);
    }
}

/* --- bounds ------------------------------------------------------------------------------------------------- */

enum { MARGINS = 1501, LABELS = 5, SLOPE = 0, HIGH, LOW, THIRD, GAP, BOUNDS };

/* The largest of each over a grid of margins in [-range, range], denser at 0 for `power` > 1 */
static void largest(const instance *p, double range, double power, double labels, double found[BOUNDS])
{
    for (int i = 0; i < BOUNDS; i++)
        found[i] = 0.0;
    for (int k = 0; k < LABELS; k++) {
        const double y = p->loss->labels_binary ? label(p, k, LABELS) : label(p, k, LABELS) / label_bound * labels;
        double last_m = 0.0, last = 0.0;
        for (int i = 0; i < MARGINS; i++) {
            const double v = 2.0 * i / (MARGINS - 1) - 1.0, m = copysign(range * pow(fabs(v), power), v);
            const double bend = at(p, 2, m, y);
            found[SLOPE] = fmax(found[SLOPE], fabs(at(p, 1, m, y)));
            found[HIGH] = fmax(found[HIGH], bend);
            found[LOW] = fmax(found[LOW], -bend);
            if (i > 0 && m - last_m > 1e-4) /* rounding beyond */
                found[THIRD] = fmax(found[THIRD], fabs(bend - last) / (m - last_m));
            found[GAP] = fmax(found[GAP], at(p, 0, 0.0, y) - at(p, 0, m, y));
            last = bend, last_m = m;
        }
    }
}

static void check_bounds(const instance *p)
{
    static const unsigned flag[] = { SP_TIGHT_SLOPE, SP_TIGHT_HIGH, SP_TIGHT_LOW, SP_TIGHT_THIRD, SP_TIGHT_GAP };
    static const struct {
        double norm, range, power;
    } regions[] = {
        { 2.385, 2.385 * 1.31, 1.0 }, { INFINITY, 1e3, 3.0 }, { 0.3, 0.3 * 1.31, 1.0 }, { 80.0, 80.0 * 1.31, 2.0 },
    };
    for (size_t r = 0; r < 4; r++) {
        const double labels = r == 3 ? 3.142 : label_bound; /* targets outside [0, 1] too */
        const sp_link_bounds b = bounds(p, regions[r].norm, labels, false);
        const double claimed[] = { b.slope, b.curvature_high, b.curvature_low, b.third, b.gap };
        double found[BOUNDS];
        /* bounds for labels -1 and +1 do not depend on the region, and may be attained outside */
        largest(p, r == 0 && p->loss->labels_binary ? 12.0 : regions[r].range, regions[r].power, labels, found);
        for (int i = 0; i < BOUNDS; i++) {
            const bool tight = r == 0 && (p->loss->tight & flag[i]) && isfinite(claimed[i]);
            const bool good = found[i] <= claimed[i] * (1.0 + (i == THIRD ? 1e-6 : 1e-12)) + 1e-15 &&
                              (!tight || found[i] >= (i == GAP || i == THIRD ? 0.94 : 0.995) * claimed[i]);
            SP_CHECK_REPORT(good, "%s (%g, %g), region %zu, bound %d: claimed %.12g, found %.12g", p->loss->name,
                            p->number[0], p->number[1], r, i, claimed[i], found[i]);
        }
        CHECK(!p->loss->convex || b.curvature_low == 0.0);
        CHECK(p->loss->smooth == isfinite(b.curvature_high) || (p->loss->smooth && regions[r].norm == INFINITY));
    }
}

/* spec/losses.md, tables A, D, F and G with the corrections: to the printed digits, the third one in units of 1/c */
static void check_table(void)
{
    static const struct {
        instance p;
        double slope, high, low, third, digit;
    } rows[] = {
        { { &sp_loss_savage, { 0.0 } }, 0.29630, 0.15406, 0.12021, 0.20203, 1e-5 },
        { { &sp_loss_sigmoid_square, { 0.0, LABEL } }, 0.29630, 0.15406, 0.12021, 0.20203, 1e-5 },
        { { &sp_loss_biweight, { 2.385 } }, 0.28622, 1.0, 0.8, 8.0, 1e-5 },
        { { &sp_loss_geman_mcclure, { 2.385 } }, 0.32476, 1.0, 0.25, 2.33428, 1e-5 },
        { { &sp_loss_cauchy, { 2.385 } }, 0.5, 1.0, 0.125, 1.45711, 1e-5 },
        { { &sp_loss_bi_tempered, { 0.2, 1.0 } }, 0.3457, 0.1723, 0.1292, 0.2130, 1e-4 },
        { { &sp_loss_bi_tempered, { 0.5, 1.0 } }, 0.4454, 0.1999, 0.1289, 0.2098, 1e-4 },
        { { &sp_loss_bi_tempered, { 0.7, 1.0 } }, 0.5456, 0.2178, 0.1095, 0.1861, 1e-4 },
        { { &sp_loss_bi_tempered, { 0.9, 1.0 } }, 0.7325, 0.2367, 0.0585, 0.1351, 1e-4 },
        { { &sp_loss_absolute, { 0.0 } }, 1.0, INFINITY, 0.0, INFINITY, 1e-15 },
        { { &sp_loss_hinge, { 0.0 } }, 1.0, INFINITY, 0.0, INFINITY, 1e-15 },
        { { &sp_loss_pinball, { 0.2385 } }, 0.7615, INFINITY, 0.0, INFINITY, 1e-15 },
        { { &sp_loss_pinball, { 0.9 } }, 0.9, INFINITY, 0.0, INFINITY, 1e-15 },
        { { &sp_loss_epsilon_insensitive, { 0.1 } }, 1.0, INFINITY, 0.0, INFINITY, 1e-15 },
        { { &sp_loss_absolute_sigmoid, { LABEL } }, 0.25, INFINITY, 0.09623, INFINITY, 1e-5 },
        { { &sp_loss_robust_phase_retrieval, { 0.0 } }, INFINITY, INFINITY, 2.0, INFINITY, 1e-15 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sp_link_bounds b = bounds(&rows[i].p, INFINITY, 1.0, false);
        const double c = rows[i].slope < 1.0 && rows[i].p.number[0] == 2.385 ? 2.385 : 1.0;
        const double got[] = { b.slope / c, b.curvature_high, b.curvature_low, b.third * c };
        const double printed[] = { rows[i].slope, rows[i].high, rows[i].low, rows[i].third };
        for (int k = 0; k < 4; k++)
            SP_CHECK_REPORT(got[k] == printed[k] || fabs(got[k] - printed[k]) <= rows[i].digit,
                            "%s, row %zu, constant %d: %.12g, printed %.12g", rows[i].p.loss->name, i, k, got[k],
                            printed[k]);
    }
    /* F.3, G on the ball of radius B0 = 2.385, R = 1.31: L, beta, rho_H over R, R^2, R^3 */
    const double B0 = 2.385, R = 1.31, y = label_bound;
    const sp_link_bounds phase = bounds(&(instance){ &sp_loss_phase_retrieval, { 0.0 } }, B0, y, false);
    CHECK_NEAR(R * phase.slope, R * R * B0 * (R * R * B0 * B0 + y), 1e-12);
    CHECK_NEAR(R * R * phase.curvature_high, R * R * (3.0 * R * R * B0 * B0 + y), 1e-12);
    CHECK_NEAR(R * R * R * phase.third, 6.0 * R * R * R * R * B0, 1e-12);
    const sp_link_bounds robust = bounds(&(instance){ &sp_loss_robust_phase_retrieval, { 0.0 } }, B0, y, false);
    CHECK_NEAR(R * robust.slope, 2.0 * R * R * B0, 1e-12);
    const instance squares = { &sp_loss_overparameterised_least_squares, { 0.0 } };
    CHECK_NEAR(R * bounds(&squares, B0, y, false).slope, R * (R * B0 + y), 1e-12);
    CHECK(isinf(bounds(&squares, INFINITY, y, false).slope));
    CHECK(isinf(bounds(&(instance){ &sp_loss_sigmoid_square, { 0.1, LABEL } }, INFINITY, y, false).slope));
    /* labels of 2.385 are targets outside (0, 1), which no margin meets: t = -0.6925, 1.6925 */
    const double at_0 = 0.5 * 2.385, far = at_0 - 0.5;
    const instance squared = { &sp_loss_sigmoid_square, { 0.0, LABEL } };
    const instance plain = { &sp_loss_absolute_sigmoid, { LABEL } };
    CHECK_NEAR(bounds(&squared, INFINITY, 2.385, false).gap, at_0 * at_0 - far * far, 1e-15);
    CHECK_NEAR(bounds(&plain, INFINITY, 2.385, false).gap, at_0 - far, 1e-15);
}

/* --- identities ---------------------------------------------------------------------------------------------- */

/* phi and its derivatives in the margin, at y = +1 and mirrored at -1: the probability from the normaliser lambda of
 * Amid et al., exp_t2(z/2 - lambda) + exp_t2(-z/2 - lambda) = 1, by bisection in 50 digits, the derivatives by
 * differences of step 1e-8. */
static void check_bi_tempered(void)
{
    static const struct {
        double z, t1, t2, value, slope, curvature;
    } rows[] = {
        { 2.385, 0.35, 1.7, 0.0770494526730138, -0.04306332565273948, 0.03082710236269038 },
        { -3.142, 0.35, 1.7, 0.9049391034838776, -0.1180778423077108, -0.03769340302852835 },
        { -41.3, 0.62, 3.1, 1.383578895279529, -0.005725387547682615, -0.0001620017974263964 },
        { 57.9, 0.2, 4.0, 0.0413770109388753, -0.0004446008135677089, 1.236626238808387e-05 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (double y = -1.0; y <= 1.0; y += 2.0) {
            const instance p = { &sp_loss_bi_tempered, { rows[i].t1, rows[i].t2 } };
            CHECK_NEAR(at(&p, 0, y * rows[i].z, y), rows[i].value, 1e-14);
            CHECK_NEAR(at(&p, 1, y * rows[i].z, y), y * rows[i].slope, 1e-14);
            CHECK_NEAR(at(&p, 2, y * rows[i].z, y), rows[i].curvature, 1e-14);
        }
}

/* t1 = 0, t2 = 1 and a target of 0 or 1 both give the savage loss; t2 = 1 is the limit of t2 -> 1. */
static void check_savage(gsl_rng *stream)
{
    const instance savage = { &sp_loss_savage, { 0.0 } }, square = { &sp_loss_sigmoid_square, { 0.0, LABEL } };
    const instance tempered = { &sp_loss_bi_tempered, { 0.0, 1.0 } };
    const instance near = { &sp_loss_bi_tempered, { 0.0, 1.0 + 1e-9 } };
    for (int i = 0; i < 200; i++) {
        const double m = gsl_ran_gaussian(stream, 10.0), y = i % 2 ? 1.0 : -1.0;
        for (int order = 0; order < 3; order++) {
            const double expected = at(&savage, order, m, y);
            CHECK_NEAR(at(&square, order, m, y), expected, 1e-14 * fabs(expected));
            CHECK_NEAR(at(&tempered, order, m, y), expected, 1e-14);
            CHECK_NEAR(at(&near, order, m, y), expected, 1e-7);
        }
    }
    const sp_link_bounds b = bounds(&savage, INFINITY, 1.0, false), s = bounds(&square, INFINITY, 1.0, false);
    const sp_link_bounds t = bounds(&tempered, INFINITY, 1.0, false);
    const double closed[] = { b.slope, b.curvature_high, b.curvature_low, b.third, b.gap };
    const double searched[] = { s.slope, s.curvature_high, s.curvature_low, s.third, s.gap };
    const double symbolic[] = { t.slope, t.curvature_high, t.curvature_low, t.third, t.gap };
    for (int i = 0; i < BOUNDS; i++) {
        CHECK_LESS_EQUAL(closed[i], searched[i] * (1.0 + 1e-15));
        CHECK_LESS_EQUAL(searched[i], closed[i] * (1.0 + 3e-9));
        CHECK_LESS_EQUAL(closed[i], symbolic[i] * (1.0 + 1e-15));
        CHECK_LESS_EQUAL(symbolic[i], closed[i] * (1.0 + 3e-9));
    }
}

/* The link itself, written out */
static void check_targets(gsl_rng *stream)
{
    for (int i = 0; i < 200; i++) {
        const double leak = gsl_rng_uniform(stream);
        const double m = gsl_ran_gaussian(stream, 2.0), y = gsl_ran_gaussian(stream, 1.0), t = 0.5 * (1.0 + y);
        const double sig_m = 1.0 / (1.0 + exp(-m)), s_m = leak * m + (1.0 - leak) * sig_m;
        const double sig_y = 1.0 / (1.0 + exp(-y)), s_y = leak * y + (1.0 - leak) * sig_y;
        const instance square[] = { { &sp_loss_sigmoid_square, { leak, LABEL } },
                                    { &sp_loss_sigmoid_square, { leak, MARGIN } } };
        const instance distance[] = { { &sp_loss_absolute_sigmoid, { LABEL } },
                                      { &sp_loss_absolute_sigmoid, { MARGIN } } };
        CHECK_NEAR(at(&square[0], 0, m, y), (s_m - t) * (s_m - t), 1e-13);
        CHECK_NEAR(at(&square[1], 0, m, y), (s_m - s_y) * (s_m - s_y), 1e-13);
        CHECK_NEAR(at(&distance[0], 0, m, y), fabs(sig_m - t), 1e-15);
        CHECK_NEAR(at(&distance[1], 0, m, y), fabs(sig_m - sig_y), 1e-15);
    }
    /* a saturated target keeps its digits: sig(-41) - sig(-40) */
    const double tiny = exp(-41.0) / (1.0 + exp(-41.0)) - exp(-40.0) / (1.0 + exp(-40.0));
    CHECK_NEAR(at(&(instance){ &sp_loss_absolute_sigmoid, { MARGIN } }, 0, 41.0, 40.0), -tiny, -1e-14 * tiny);
}

/* --- envelopes ---------------------------------------------------------------------------------------------- */

static double moreau(const instance *p, double b, double m, double y, double u)
{
    return at(p, 0, u, y) + 0.5 * b * (u - m) * (u - m);
}

static void check_envelope(const instance *p, gsl_rng *stream)
{
    const double L = bounds(p, INFINITY, label_bound, false).slope;
    double all[2] = { INFINITY, -INFINITY };
    for (int i = 0; i < 400; i++) {
        const double b = 0.1 * pow(1e3, gsl_rng_uniform(stream)), m = gsl_ran_gaussian(stream, 1.5);
        const double y = label(p, (int)gsl_rng_uniform_int(stream, 10), 10), h = 1e-6;
        double value, slope, up, down, low = m - L / b, high = m + L / b, unused;
        p->loss->envelope(p->number, b, m, y, &value, &slope);
        for (int k = 0; k < 200; k++) { /* ternary search: u -> moreau is convex, its minimum within L/b of m */
            const double third = (high - low) / 3.0;
            if (moreau(p, b, m, y, low + third) < moreau(p, b, m, y, high - third))
                high -= third;
            else
                low += third;
        }
        CHECK_NEAR(value, moreau(p, b, m, y, 0.5 * (low + high)), 1e-13);
        CHECK_NEAR(slope, b * (m - 0.5 * (low + high)), 1e-6 * (1.0 + b));
        p->loss->envelope(p->number, b, m + h, y, &up, &unused);
        p->loss->envelope(p->number, b, m - h, y, &down, &unused);
        CHECK_NEAR(slope, (up - down) / (2.0 * h), b * h + 1e-8);
        CHECK_LESS_EQUAL(value, at(p, 0, m, y) + 1e-15);
        CHECK_LESS_EQUAL(at(p, 0, m, y) - 0.5 * L * L / b, value + 1e-13);
        all[0] = fmin(all[0], slope), all[1] = fmax(all[1], slope);
    }
    CHECK_NEAR(fmax(-all[0], all[1]), L, 1e-15);
}

/* --- classes ------------------------------------------------------------------------------------------------- */

static double quasar(const instance *p, double norm, double labels, bool realisable)
{
    sp_classes out = { 0 };
    const sp_region region = { 3, 3, norm, 1.31, labels, realisable };
    if (p->loss->classes)
        p->loss->classes(p->number, &region, &out);
    CHECK(out.kl_gamma == 0.0 && out.kl_kappa == 0.0 && !out.strict_saddle);
    return out.quasar;
}

/* F(w) = mean phi(<w, x_i>, <w*, x_i>) in R^3, ||w||, ||w*|| <= norm: the smallest <grad F, w - w*> / F that is met, by
 * chance and at the extreme margins. */
static double steepest(const instance *p, double norm, gsl_rng *stream)
{
    double least = INFINITY;
    for (int i = 0; i < 6000; i++) {
        double w[3], star[3], F = 0.0, inner = 0.0;
        gsl_ran_dir_nd(stream, 3, w);
        gsl_ran_dir_nd(stream, 3, star);
        const double size = norm * (i % 3 ? 1.0 : gsl_rng_uniform(stream)), size_star = norm * (i % 5 ? 1.0 : 0.6);
        const int records = 1 + i % 4;
        for (int j = 0; j < 3; j++) {
            w[j] *= size;
            star[j] = i % 2 ? -w[j] / size * size_star : star[j] * size_star;
        }
        for (int k = 0; k < records; k++) {
            double x[3], m = 0.0, y = 0.0;
            gsl_ran_dir_nd(stream, 3, x);
            for (int j = 0; j < 3; j++) {
                x[j] = k ? 1.31 * x[j] : 1.31 * w[j] / size;
                m += w[j] * x[j];
                y += star[j] * x[j];
            }
            F += at(p, 0, m, y) / records;
            inner += at(p, 1, m, y) * (m - y) / records;
        }
        if (F > 1e-12)
            least = fmin(least, inner / F);
    }
    return least;
}

static void check_quasar(gsl_rng *stream)
{
    static const struct {
        instance p;
        double norm;
        bool attained;
    } rows[] = {
        { { &sp_loss_biweight, { 5.5 } }, 1.7, true },
        { { &sp_loss_geman_mcclure, { 1.385 } }, 1.385, true },
        { { &sp_loss_cauchy, { 0.731 } }, 2.385, true },
        { { &sp_loss_versine, { 0.0 } }, 1.1, true },
        { { &sp_loss_sigmoid_square, { 0.0, MARGIN } }, 2.385, false },
        { { &sp_loss_sigmoid_square, { 0.05, MARGIN } }, 6.2, false },
        { { &sp_loss_absolute_sigmoid, { MARGIN } }, 2.385, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const instance *p = &rows[i].p;
        const double labels = rows[i].norm * 1.31, q = quasar(p, rows[i].norm, labels, true);
        const double found = steepest(p, rows[i].norm, stream);
        SP_CHECK_REPORT(q > 0.0 && q < 1.0 && found >= q * (1.0 - 1e-9) && (!rows[i].attained || found <= q * 1.01),
                        "%s (%g): q = %.9g, found %.9g", p->loss->name, p->number[0], q, found);
        CHECK(quasar(p, rows[i].norm, labels, false) == 0.0);
        CHECK(quasar(p, 1e-3, 1e-3, true) > 0.99);
    }
    /* 2. of B: 8 sig'(M), and with a leak on the whole space */
    const double M = 1.31 * 2.385, e = exp(-M), slope = e / ((1.0 + e) * (1.0 + e));
    CHECK_NEAR(quasar(&(instance){ &sp_loss_sigmoid_square, { 0.0, MARGIN } }, 2.385, M, true), 8.0 * slope, 1e-15);
    CHECK_NEAR(quasar(&(instance){ &sp_loss_absolute_sigmoid, { MARGIN } }, 2.385, M, true), 4.0 * slope, 1e-15);
    CHECK(quasar(&(instance){ &sp_loss_sigmoid_square, { 0.0, LABEL } }, 2.385, M, true) == 0.0);
    CHECK(quasar(&(instance){ &sp_loss_absolute_sigmoid, { LABEL } }, 2.385, M, true) == 0.0);
    CHECK(quasar(&(instance){ &sp_loss_sigmoid_square, { 0.0, MARGIN } }, INFINITY, M, true) == 0.0);
    const instance leaky = { &sp_loss_sigmoid_square, { 0.08, MARGIN } };
    CHECK_NEAR(quasar(&leaky, INFINITY, M, true), 2.0 * 0.08 / 0.31, 1e-15);
    CHECK(quasar(&(instance){ &sp_loss_biweight, { 1.0 } }, INFINITY, 1.0, true) == 0.0);
    CHECK(quasar(&(instance){ &sp_loss_geman_mcclure, { 1.0 } }, INFINITY, 1.0, true) == 0.0);
    CHECK(quasar(&(instance){ &sp_loss_cauchy, { 1.0 } }, INFINITY, 1.0, true) == 0.0);
}

/* phi + (low/2) m^2 is convex, across kinks too: the slope of it is monotone. */
static void check_weakly_convex(const instance *p, gsl_rng *stream)
{
    const double low = bounds(p, 2.385, label_bound, false).curvature_low, range = 2.385 * 1.31;
    for (int i = 0; i < 2000; i++) {
        const double y = label(p, (int)gsl_rng_uniform_int(stream, LABELS), LABELS);
        double a = range * (2.0 * gsl_rng_uniform(stream) - 1.0), b = range * (2.0 * gsl_rng_uniform(stream) - 1.0);
        if (i % 2)
            b = a + 1e-3 * b;
        CHECK((at(p, 1, a, y) - at(p, 1, b, y)) * (a - b) >= -low * (a - b) * (a - b) * (1.0 + 1e-9) - 1e-15);
    }
}

/* --- the certified maximum ------------------------------------------------------------------------------------ */

static double wave(const void *context, double x)
{
    const double *c = context; /* frequency, shift */
    return sin(c[0] * x) + c[1];
}

static double peak(const void *context, double x)
{
    const double *c = context; /* sharpness, place */
    return exp(-0.5 * c[0] * (x - c[1]) * (x - c[1]));
}

static double ramp(const void *context, double x)
{
    (void)context;
    return fabs(x - 0.2385);
}

static void check_supremum(void)
{
    const double wide[] = { 3.7, -0.25 }, below[] = { 3.7, -1.5 }, narrow[] = { 1e8, 0.7310585 };
    double found = sp_supremum(wave, wide, -2.385, 2.385, 3.7 * 3.7);
    CHECK(found >= 0.75 && found <= 0.75 * (1.0 + 3e-9));
    found = sp_supremum(wave, wide, 0.0, 0.2385, 3.7 * 3.7); /* at the end */
    CHECK(found >= wave(wide, 0.2385) && found <= wave(wide, 0.2385) * (1.0 + 3e-9));
    found = sp_supremum(peak, narrow, -2.385, 2.385, 1e8); /* no point of the first grid sees it */
    CHECK(found >= 1.0 && found <= 1.0 + 3e-9);
    found = sp_supremum(wave, below, -2.385, 2.385, 3.7 * 3.7);
    CHECK(found == 0.0);
    found = sp_supremum(ramp, NULL, -1.0, 2.0, 1e-3);
    CHECK(found >= 2.0 - 0.2385 && found <= (2.0 - 0.2385) * (1.0 + 3e-9));
    found = sp_supremum(ramp, NULL, 1.0, 1.0, 1.0);
    CHECK_NEAR(found, 1.0 - 0.2385, 1e-8);
}

/* Numbers of a NumPy program from (2 sqrt2/3) (1 - cos r)^(3/2) as it stands, and bounds from its grid. */
static void check_versine(void)
{
    static const double r[][4] = {
        { 0.731, 0.12175641127990502, 0.4772326072154337, 1.1557133214977013 },
        { -2.2, 1.8875785162183703, -1.4410758913344424, -0.6822222212455903 },
        { 3.0, 2.646676718318174, 0.2815330010984826, -1.965042669799673 },
        { 4.1, 1.863252676501763, -1.4522166309451818, -0.6428690475954639 },
    };
    const instance p = { &sp_loss_versine, { 0.0 } };
    for (size_t i = 0; i < sizeof r / sizeof *r; i++)
        for (int order = 0; order < 3; order++)
            CHECK_NEAR(at(&p, order, r[i][0] + 0.83, 0.83), r[i][1 + order], 1e-14);
    CHECK_NEAR(at(&p, 0, 1e-3, 0.0), 3.333332916666e-10, 1e-21); /* (1/3) |r|^3 (1 - r^2/8): nothing cancels */
    const sp_link_bounds b = bounds(&p, INFINITY, 2.2, false);
    CHECK_NEAR(b.slope, 1.5396007178389715, 1e-9);
    CHECK_NEAR(b.curvature_high, 1.2570787221484352, 1e-9);
    CHECK_NEAR(b.curvature_low, 2.0, 1e-9);
    CHECK_NEAR(b.third, 2.37615036, 1e-7);
    CHECK_NEAR(b.gap, 1.8875785162183703, 1e-14);
    CHECK_NEAR(bounds(&p, INFINITY, 5.0, false).gap, 8.0 / 3.0, 1e-14);
    /* KL: phi = (2^(3/4)/3) (1 + cos r)^(-3/4) |phi'|^(3/2); in d = 4 with equal shares, U = 2.2: gamma^kappa 3.0862 */
    const double k = pow(2.0, 0.75) / 3.0;
    for (size_t i = 0; i < 3; i++)
        CHECK_NEAR(r[i][1], k * pow(1.0 + cos(r[i][0]), -0.75) * pow(fabs(r[i][2]), 1.5), 1e-12);
    const double gamma = k * pow(1.0 + cos(2.2), -0.75) * sqrt(2.0) * 2.0;
    double worst = 0.0;
    CHECK_NEAR(gamma, 3.086169253571446, 1e-12);
    for (int i = 0; i < 20000; i++) { /* F on residuals within U, all at U last */
        double value = 0.0, square = 0.0;
        for (int j = 0; j < 4; j++) {
            const double u = i == 19999 ? 1.0 : sin(1.7 * i + 2.3 * j * i);
            value += at(&p, 0, 2.2 * u, 0.0) / 4.0;
            square += pow(at(&p, 1, 2.2 * u, 0.0) / 4.0, 2);
        }
        worst = fmax(worst, value / pow(square, 0.75));
    }
    CHECK(worst <= gamma * (1.0 + 1e-12) && worst >= gamma * (1.0 - 1e-9));
}

int main(void)
{
    gsl_rng *stream = gsl_rng_alloc(gsl_rng_mt19937); /* seeded: the same numbers each time */
    if (!stream)
        return EXIT_FAILURE;
    for (size_t i = 0; i < INSTANCES; i++) {
        check_derivatives(&instances[i], stream);
        check_far(&instances[i]);
        check_not_a_number(&instances[i]);
        check_bounds(&instances[i]);
        check_weakly_convex(&instances[i], stream);
        CHECK((instances[i].loss->envelope != NULL) == (instances[i].loss->convex && !instances[i].loss->smooth));
        if (instances[i].loss->envelope)
            check_envelope(&instances[i], stream);
    }
    check_kinks();
    check_table();
    check_bi_tempered();
    check_versine();
    check_savage(stream);
    check_targets(stream);
    check_quasar(stream);
    check_supremum();
    gsl_rng_free(stream);
    return sp_check_done();
}
