/* huber_ramp.c -- a long ramp of slope s, with the same initial gap for every s: a family whose worst member shows a
 * rate.
 *
 *   h(w) = H(w_1 - 1/s) + sqrt(1 + ||w_rest||^2) - 1,  H(t) = t^2/2 for |t| <= s, s |t| - s^2/2 beyond
 *   Phi_j(w) = tilt tanh(w_j)          (data part <x, Phi(w)>, loss.h)
 *
 * h(0) - inf h = 1 - s^2/2 <= 1. The Hessian of H jumps at |t| = s, so rho_H is infinite. With a = tilt R:
 *
 * Gap. F(0) = h(0). With r = ||w_rest||, -F(w) <= a ||(1, tanh(w_rest))|| - sqrt(1 + r^2) + 1. For a <= 1 this is at
 * most (a - 1) sqrt(1 + r^2) + 1 <= a; always at most a + (a ||tanh(w_rest)|| - sqrt(1 + r^2) + 1), which
 * losses/engine/shapes.c bounds.
 *
 * Distance. At a minimiser |H'(w_1 - 1/s)| <= a sech^2(w_1). Where |H'| = s this gives |w_1| <= acosh(sqrt(a/s)); where
 * |H'| = |w_1 - 1/s| and w_1 > 1/s, it gives w_1 - 1/s <= a sech^2(1/s). The other coordinates are a pseudo-Huber of
 * scale 1.
 */
#include "losses/loss.h"

enum { SLOPE, TILT };

static const sp_param params[] = {
    [SLOPE] = { "slope", SP_REAL, 0.25, { 1e-9, 1.0 }, "s: slope of the ramp, 1/s away from its minimum" },
    [TILT]  = { "tilt",  SP_REAL, 1.0,  { 0.0, 1e9 },  "weight of the data" },
    { 0 }
};

static double value(sp_numbers p, size_t d, const double *w)
{
    const double s = p[SLOPE], t = fabs(w[0] - 1.0 / s);
    return (t <= s ? 0.5 * t * t : s * t - 0.5 * s * s) + sp_pseudo_huber(1.0, 0.0, d - 1, w + 1);
}

static void gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    const double s = p[SLOPE], t = w[0] - 1.0 / s;
    out[0] = fabs(t) > s ? copysign(s, t) : t;
    sp_pseudo_huber_gradient(1.0, 0.0, d - 1, w + 1, out + 1);
}

static void hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    H[0] += fabs(w[0] - 1.0 / p[SLOPE]) <= p[SLOPE] ? 1.0 : 0.0;
    if (d > 1)
        sp_pseudo_huber_hessian(1.0, 0.0, d - 1, w + 1, d, H + d + 1);
}

static void product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    out[0] += fabs(w[0] - 1.0 / p[SLOPE]) <= p[SLOPE] ? v[0] : 0.0;
    sp_pseudo_huber_product(1.0, 0.0, d - 1, w + 1, v + 1, out + 1);
}

static void bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    *out = (sp_public_bounds){ .slope = region->d > 1 ? sp_hypot(1.0, p[SLOPE]) : p[SLOPE], .curvature_high = 1.0,
                               .third = INFINITY, .gap = 1.0 - 0.5 * p[SLOPE] * p[SLOPE] };
}

static const sp_public_part public_part = { value, gradient, hessian, product, bounds };

static void phi(sp_numbers p, size_t d, const double *w, int order, double *restrict out)
{
    sp_tanh_tilt(p[TILT], 0.0, d, w, order, out);
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
        w[j] = 0.0;
    }
    w[0] = 1.0 / p[SLOPE];
    return true;
}

static void reach(sp_numbers p, size_t d, double radius, double *gap, double *distance)
{
    const double s = p[SLOPE], a = p[TILT] * radius;
    double rest = 0.0, drop = 0.0;
    sp_tanh_reach(a, 1.0, d - 1, &rest, &drop);
    *gap = 1.0 - 0.5 * s * s + a + (a > 1.0 ? drop : 0.0);
    const double ramp = 1.0 / s + a / (sp_cosh(1.0 / s) * sp_cosh(1.0 / s));
    *distance = sp_hypot(fmax(ramp, sp_acosh(sqrt(fmax(1.0, a / s)))), rest);
}

static const sp_tilt tilt = { phi, tilt_bounds, minimiser, reach };

const sp_loss sp_loss_huber_ramp = {
    .name = "huber_ramp",
    .family = "hard family",
    .formula = "Huber(w_1 - 1/slope) + sqrt(1 + ||w_rest||^2) - 1 + tilt <x, tanh(w)>",
    .source = "after the ramps of Carmon et al. 2020; slopes 2^(-k/2) make the family",
    .params = params,
    .tilt = &tilt,
    .public_part = &public_part,
    .tight = SP_TIGHT_ALL & ~SP_TIGHT_GAP,
    .public_tight = SP_TIGHT_ALL & ~SP_TIGHT_THIRD,
    .smooth = true,
};
