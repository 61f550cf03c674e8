/* log_tail.c -- a function whose slope decreases as 1 / (1 + x) along the first coordinate, up to x = `length`: hard at
 * every scale up to that.
 *
 *   h(w) = g(w_1) + sqrt(1 + ||w_rest||^2) - 1,  Phi_j(w) = tilt tanh(w_j)          (data part <x, Phi(w)>, loss.h)
 *
 * Gradient flow has (1 + x)^2 = 1 + 2 t: after a time t the gradient is (1 + 2 t)^(-1/2). With l = length, m = 2 l + 1,
 * g is symmetric about its minimum m, g(m) = 0, twice continuously differentiable, convex, and for x <= m
 *
 *   l <= x:          g = (x - m)^2 / (2 (1+l)^2)                            slope (x - m)/(1+l)^2
 *   0 <= x <= l:     g = 1/2 + log((1+l)/(1+x))                             slope -1/(1+x)
 *   -1/2 <= x <= 0:  g = 1/2 + log(1+l) + z + z^2/2 - z^3/3, z = -x         slope -(1 + z - z^2)
 *   x <= -1/2:       linear                                                 slope -5/4
 *
 * |g'| <= 5/4, 0 <= g'' <= 1 and |g'''| <= 2, reached at 0; g(0) - inf g = 1/2 + log(1+l), unbounded as l grows.
 *
 * Gap, with a = tilt R: as in huber_ramp.c, g(0) + a, and for a > 1 also the drop of the tilted pseudo-Huber.
 * Distance. A stationary w has |g'(w_1)| <= a sech^2(w_1). Beyond m, either w_1 - m <= 1 + l and w_1 - m <=
 * a (1+l)^2 sech^2(m), or |g'| >= 1/(1+l) (which also holds for w_1 < 0) and |w_1| <= acosh(sqrt(a (1+l))).
 */
#include "losses/loss.h"

enum { LENGTH, TILT };

static const sp_param params[] = {
    [LENGTH] = { "length", SP_REAL, 1e4, { 0.0, 1e9 }, "l: the tail ends here, the minimum is at 2 l + 1" },
    [TILT]   = { "tilt",   SP_REAL, 1.0, { 0.0, 1e9 }, "weight of the data" },
    { 0 }
};

static double lowest(sp_numbers p)
{
    return 2.0 * p[LENGTH] + 1.0;
}

/* g, |g'| and g'' (order 0, 1, 2) at x <= m */
static double tail(sp_numbers p, double x, int order)
{
    const double end = 1.0 + p[LENGTH], z = fmin(-x, 0.5);
    if (x >= p[LENGTH]) {
        const double t = (lowest(p) - x) / end;
        return order == 0 ? 0.5 * t * t : order == 1 ? t / end : 1.0 / (end * end);
    }
    if (x >= 0.0)
        return order == 0 ? 0.5 + sp_log(end / (1.0 + x)) : 1.0 / (order == 1 ? 1.0 + x : (1.0 + x) * (1.0 + x));
    if (order == 0)
        return 0.5 + sp_log(end) + z + z * z * (0.5 - z / 3.0) + 1.25 * (-x - z);
    return order == 1 ? 1.0 + z - z * z : 1.0 - 2.0 * z;
}

/* x or its mirror image, whichever is left of the minimum */
static double folded(sp_numbers p, double x)
{
    return fmin(x, 2.0 * lowest(p) - x);
}

static double value(sp_numbers p, size_t d, const double *w)
{
    return tail(p, folded(p, w[0]), 0) + sp_pseudo_huber(1.0, 0.0, d - 1, w + 1);
}

static void gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    out[0] = copysign(tail(p, folded(p, w[0]), 1), w[0] - lowest(p));
    sp_pseudo_huber_gradient(1.0, 0.0, d - 1, w + 1, out + 1);
}

static void hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    H[0] += tail(p, folded(p, w[0]), 2);
    if (d > 1)
        sp_pseudo_huber_hessian(1.0, 0.0, d - 1, w + 1, d, H + d + 1);
}

static void product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    out[0] += tail(p, folded(p, w[0]), 2) * v[0];
    sp_pseudo_huber_product(1.0, 0.0, d - 1, w + 1, v + 1, out + 1);
}

static void bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    const double B = region->norm, slope = tail(p, -B, 1);
    const double rest = region->d == 1 ? 0.0 : B < INFINITY ? B / sp_hypot(1.0, B) : 1.0;
    *out = (sp_public_bounds){ .slope = sp_hypot(slope, rest), .curvature_high = 1.0, .third = 2.0,
                               .gap = tail(p, 0.0, 0) - tail(p, fmin(B, lowest(p)), 0) };
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
    w[0] = lowest(p);
    return true;
}

static void reach(sp_numbers p, size_t d, double radius, double *gap, double *distance)
{
    const double a = p[TILT] * radius, m = lowest(p), end = 1.0 + p[LENGTH], c = end / sp_cosh(m);
    double rest = 0.0, drop = 0.0;
    sp_tanh_reach(a, 1.0, d - 1, &rest, &drop);
    *gap = tail(p, 0.0, 0) + a + (a > 1.0 ? drop : 0.0);
    *distance = sp_hypot(fmax(m + fmin(end, a * c * c), sp_acosh(sqrt(fmax(1.0, a * end)))), rest);
}

static const sp_tilt tilt = { phi, tilt_bounds, minimiser, reach };

const sp_loss sp_loss_log_tail = {
    .name = "log_tail",
    .family = "hard family",
    .formula = "g(w_1) + sqrt(1 + ||w_rest||^2) - 1 + tilt <x, tanh(w)>, g'(x) = -1/(1 + x) for 0 <= x <= length",
    .source = "after Carmon et al. 2020: a slope that falls as (1 + 2 path)^(-1/2)",
    .note = "beyond length a parabola leads to the minimum at 2 length + 1; F(0) - F* grows with log(1 + length)",
    .params = params,
    .tilt = &tilt,
    .public_part = &public_part,
    .tight = SP_TIGHT_ALL & ~SP_TIGHT_GAP,
    .public_tight = SP_TIGHT_ALL,
    .smooth = true,
};
