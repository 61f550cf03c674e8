/* radial.c -- the scale family: nearly a norm to the power q, quasar-convex (loss.h) with a tunable q, flat or steep.
 *
 *   h(w) = weight (s/q) (T^(q/2) - 1), T = 1 + u^2, u = ||v||/s, v = w - c, c = distance (1, ..., 1)/sqrt d
 *   Phi_j(w) = tilt tanh(v_j)
 *
 * Bounds. With g the function of r = ||v||, u is in [(distance - B)^+, distance + B] / s on the ball of radius B:
 *   g'    = weight u T^(q/2-1), increases until u^2 = 1/(1-q)
 *   g'/r  = (weight/s) T^(q/2-1), decreases, and is at least g''
 *   g''   = (g'/r) (q - 1 + (2-q)/T), decreases until u^2 = 3/(1-q)
 *   third derivative along a unit vector, b = its product with v/s:
 *     -(weight/s^2) (2-q) b (3 T - (4-q) b^2) T^(q/2-3).
 *     For u^2 <= 1/(3-q) it is largest at b = u; beyond at b^2 = T/(4-q), where it decreases in u, or at b = u. At b =
 *     u, u (3 - (1-q) u^2) T^(q/2-3) increases until the smaller root of (1-q)(3-q) t^2 - 6 (3-q) t + 3 = 0, t = u^2,
 *     which is below 1/(3-q), and exceeds 0.7 there; where negative it is at least -(1-q) T^((q-3)/2) with
 *     T >= (4-q)/(1-q), so above -1/3.
 *
 * Quasar-convexity, without tilt. On a convex domain the minimiser is its point nearest to c, at radius r0, and
 * <grad h, w - w*> >= g'(r) (r - r0). g'(r) (r - r0) - q (g(r) - g(r0)) is 0 at r0 and has the derivative
 * g'' (r - r0) + (1-q) g' >= (1-q) g' r0/r >= 0, as g'' >= -(1-q) g'/r. As u grows no constant above q holds.
 *
 * Distance to a minimiser and gap, with a = tilt R. As in losses/engine/shapes.c a stationary v has
 * r (g'/r) cosh^2(r/sqrt d) <= a, and -F(v) <= a sqrt d tanh(r/sqrt d) - h. For q < 1 the left side need not increase,
 * but it does for r >= sqrt d: its logarithm has the derivative 1/r + 2 tanh(r/sqrt d)/sqrt d - (2-q) r/(s^2 + r^2) >
 * (2 tanh 1 - 1)/sqrt d. For smaller r the shells [0.99 r, r] are examined one by one: either a shell has no stationary
 * point, or its outer radius and its bound on -F(v) are taken into account.
 */
#include "losses/loss.h"

enum { Q, SCALE, WEIGHT, DISTANCE, TILT };

static const sp_param params[] = {
    [Q]        = { "q",        SP_REAL, 0.5, { 1e-3, 1.0 }, "growth ||w - c||^q far away; the quasar parameter" },
    [SCALE]    = { "scale",    SP_REAL, 1.0, { 1e-9, 1e9 }, "s: quadratic within s of the minimiser" },
    [WEIGHT]   = { "weight",   SP_REAL, 1.0, { 1e-9, 1e9 }, "of h; 2^-k, k = 0, 1, ... makes the scale family" },
    [DISTANCE] = { "distance", SP_REAL, 1.0, { 0.0, 1e9 },  "||c||, from the start 0" },
    [TILT]     = { "tilt",     SP_REAL, 1.0, { 0.0, 1e9 },  "weight of the data" },
    { 0 }
};

static double centre(sp_numbers p, size_t d)
{
    return p[DISTANCE] / sqrt((double)d);
}

static double height(sp_numbers p, double r)
{
    const double u = r / p[SCALE];
    return p[WEIGHT] * p[SCALE] / p[Q] * sp_expm1(0.5 * p[Q] * sp_log1p(u * u));
}

static double tangential(sp_numbers p, double r)
{
    const double u = r / p[SCALE];
    return p[WEIGHT] / p[SCALE] * sp_pow(1.0 + u * u, 0.5 * p[Q] - 1.0);
}

static double radial(sp_numbers p, double r)
{
    const double u = r / p[SCALE];
    return tangential(p, r) * (p[Q] - 1.0 + (2.0 - p[Q]) / (1.0 + u * u));
}

static double value(sp_numbers p, size_t d, const double *w)
{
    return height(p, sp_spherical_radius(centre(p, d), d, w));
}

static void gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    const double c = centre(p, d);
    sp_spherical_gradient(tangential(p, sp_spherical_radius(c, d, w)), c, d, w, out);
}

static void hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    const double c = centre(p, d), r = sp_spherical_radius(c, d, w);
    sp_spherical_hessian(tangential(p, r), radial(p, r), c, d, w, H);
}

static void product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    const double c = centre(p, d), r = sp_spherical_radius(c, d, w);
    sp_spherical_product(tangential(p, r), radial(p, r), c, d, w, v, out);
}

static void bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    const double q = p[Q], s = p[SCALE], e = fmax(1.0 - q, DBL_EPSILON / 4.0); /* q = 1: a peak beyond rounding */
    const double near = fmax(0.0, p[DISTANCE] - region->norm), far = p[DISTANCE] + region->norm;
    const double steepest = fmin(far, s / sqrt(e)), flattest = fmin(far, s * sqrt(3.0 / e));
    const double root = 3.0 / (3.0 * (3.0 - q) + sqrt(9.0 * (3.0 - q) * (3.0 - q) - 3.0 * (1.0 - q) * (3.0 - q)));
    const double t = fmin(root, far / s * (far / s));
    *out = (sp_public_bounds){
        .slope = steepest * tangential(p, steepest),
        .curvature_high = tangential(p, near),
        .curvature_low = fmax(0.0, -radial(p, flattest)),
        .third = p[WEIGHT] / (s * s) * (2.0 - q) * sqrt(t) * (3.0 - (1.0 - q) * t) * sp_pow(1.0 + t, 0.5 * q - 3.0),
        .gap = height(p, p[DISTANCE]),
    };
}

static const sp_public_part public_part = { value, gradient, hessian, product, bounds };

static void phi(sp_numbers p, size_t d, const double *w, int order, double *restrict out)
{
    sp_tanh_tilt(p[TILT], centre(p, d), d, w, order, out);
}

static void tilt_bounds(sp_numbers p, sp_tilt_bounds *out)
{
    sp_tanh_bounds(p[TILT], out);
}

static bool minimiser(sp_numbers p, size_t d, const double *mean, double *restrict w)
{
    for (size_t j = 0; j < d; j++) {
        if (p[TILT] * mean[j] != 0.0)
            return false;
        w[j] = centre(p, d);
    }
    return true;
}

/* g'(r) cosh^2(r / root) is at least this for low <= r <= high */
static double least_pull(sp_numbers p, double root, double low, double high)
{
    const double c = sp_cosh(low / root);
    return low * tangential(p, high) * c * c;
}

static void reach(sp_numbers p, size_t d, double radius, double *gap, double *distance)
{
    const double a = p[TILT] * radius, root = sqrt((double)d);
    double far = root, furthest = 0.0, drop = 0.0;
    while (least_pull(p, root, far, far) <= a)
        far *= 2.0;
    double r = far;
    for (; a > 0.0 && r > 1e-9 * far; r *= 0.99)
        if (least_pull(p, root, 0.99 * r, r) <= a) {
            furthest = fmax(furthest, r);
            drop = fmax(drop, a * root * sp_tanh(r / root) - height(p, 0.99 * r));
        }
    if (a > 0.0) { /* what is left: |F(v)| <= a ||v|| */
        furthest = fmax(furthest, r);
        drop = fmax(drop, a * r);
    }
    *distance = p[DISTANCE] + furthest;
    *gap = height(p, p[DISTANCE]) + a * root * sp_tanh(p[DISTANCE] / root) + drop;
}

static const sp_tilt tilt = { phi, tilt_bounds, minimiser, reach };

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    if (p[TILT] * region->radius == 0.0)
        out->quasar = p[Q];
}

const sp_loss sp_loss_radial = {
    .name = "radial",
    .family = "quasar-convex",
    .formula = "weight (scale/q) ((1 + ||w - c||^2/scale^2)^(q/2) - 1) + tilt <x, tanh(w - c)>, ||c|| = distance",
    .source = "after Hinder, Sidford & Sohoni 2020; the loss of Barron 2019 as a function of the distance",
    .note = "q-quasar-convex without a tilt only; then no record enters, and L_data is what is declared (1, say)",
    .params = params,
    .tilt = &tilt,
    .public_part = &public_part,
    .tight = SP_TIGHT_ALL & ~SP_TIGHT_GAP,
    .public_tight = SP_TIGHT_ALL,
    .smooth = true,
    .classes = classes,
};
