/* pseudo_huber.c -- F(w) = h(w) + <mean(x), Phi(w)>: smooth, with a convex h; the tilt Phi makes the records matter.
 *
 *   h(w) = s (sqrt(1 + ||w - c||^2/s^2) - 1), c = distance (1, ..., 1)/sqrt d;  Phi_j(w) = tilt tanh(w_j - c_j)
 *
 *   F(0) - F* <= h(0) + a ||tanh(c)|| + (-inf over v = w - c of F), ||tanh(c)|| = sqrt d tanh(distance / sqrt d),
 *   a = tilt R; ||w*|| <= distance + ||v*||: losses/engine/shapes.c bounds what depends on v.
 */
#include "losses/loss.h"

enum { SCALE, DISTANCE, TILT };

static const sp_param params[] = {
    [SCALE]    = { "scale",    SP_REAL, 1.0, { 1e-9, 1e9 }, "s: quadratic within s of the minimiser, slope 1 beyond" },
    [DISTANCE] = { "distance", SP_REAL, 1.0, { 0.0, 1e9 },  "||c||, from the start 0" },
    [TILT]     = { "tilt",     SP_REAL, 1.0, { 0.0, 1e9 },  "weight of the data" },
    { 0 }
};

static double centre(sp_numbers p, size_t d)
{
    return p[DISTANCE] / sqrt((double)d);
}

static double value(sp_numbers p, size_t d, const double *w)
{
    return sp_pseudo_huber(p[SCALE], centre(p, d), d, w);
}

static void gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    sp_pseudo_huber_gradient(p[SCALE], centre(p, d), d, w, out);
}

static void hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    sp_pseudo_huber_hessian(p[SCALE], centre(p, d), d, w, d, H);
}

static void product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    sp_pseudo_huber_product(p[SCALE], centre(p, d), d, w, v, out);
}

static void bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    (void)region;
    *out = (sp_public_bounds){ .slope = 1.0, .curvature_high = 1.0 / p[SCALE],
                               .third = SP_PSEUDO_HUBER_THIRD / (p[SCALE] * p[SCALE]),
                               .gap = sp_hypot(p[SCALE], p[DISTANCE]) - p[SCALE] };
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

static void reach(sp_numbers p, size_t d, double radius, double *gap, double *distance)
{
    const double a = p[TILT] * radius, root = sqrt((double)d);
    double drop = 0.0;
    sp_tanh_reach(a, p[SCALE], d, distance, &drop);
    *distance += p[DISTANCE];
    *gap = sp_hypot(p[SCALE], p[DISTANCE]) - p[SCALE] + a * root * sp_tanh(p[DISTANCE] / root) + drop;
}

static const sp_tilt tilt = { phi, tilt_bounds, minimiser, reach };

const sp_loss sp_loss_pseudo_huber = {
    .name = "pseudo_huber",
    .family = "hard family",
    .formula = "scale (sqrt(1 + ||w - c||^2 / scale^2) - 1) + tilt <x, tanh(w - c)>, ||c|| = distance",
    .source = "Charbonnier et al. 1994, with a tilt by sufficient statistics",
    .params = params,
    .tilt = &tilt,
    .public_part = &public_part,
    .tight = SP_TIGHT_ALL & ~SP_TIGHT_GAP,
    .public_tight = SP_TIGHT_ALL,
    .smooth = true,
};
