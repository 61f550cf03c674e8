/* power.c -- f(w, x) = ||w||^tau / tau + tilt <w, x>: a test problem whose Kurdyka-Lojasiewicz (KL) constants are
 * known.
 *
 *   public part h(w) = ||w||^tau / tau,  data part <x, Phi(w)> with Phi_j(w) = tilt w_j (a tilt loss, losses/loss.h)
 *
 * tau >= 2: h is uniformly convex, and the certified KL inequality is F - F* <= gamma^kappa ||grad F||^kappa with
 * kappa = tau/(tau-1) in (1, 2] and gamma^kappa = ((tau-1)/tau) 2^((tau-2)/(tau-1)). It follows by minimising over v
 * h(v) >= h(w) + <grad h(w), v - w> + (2^(2-tau)/tau) ||v - w||^tau (Nesterov 2018, Lemma 4.2.3), which a linear term
 * does not change.
 * 1 < tau < 2: the gradient is not Lipschitz at 0, so beta is infinite, and nothing is certified: a tilt moves the
 * minimiser to where kappa is 2. Only if mean(x) = 0 exactly (generator `pairs`) is F - F* = ||grad F||^kappa / tau
 * everywhere, with kappa > 2; the user may then declare kl_gamma and kl_kappa (problem.declared).
 *
 * Derivatives of g(r) = r^tau / tau at r = ||w|| <= B: g' = r^(tau-1), g'/r = r^(tau-2), g'' = (tau-1) r^(tau-2). The
 * third derivative of h along a unit vector with cosine b to w is (tau-2) b (3 - (4-tau) b^2) r^(tau-3): for tau >= 3
 * it is largest at b = 1; for 2 < tau < 3 the Hessian is not Lipschitz at 0 (rho_H infinite).
 *
 * With b = tilt mean(x): argmin F = -b ||b||^(1/(tau-1) - 1), F* = -((tau-1)/tau) ||b||^kappa.
 */
#include "losses/loss.h"

enum { TAU, TILT };

static const sp_param params[] = {
    [TAU]  = { "tau",  SP_REAL, 3.0, { 1.0625, 64.0 }, "degree; kappa = tau/(tau - 1)" },
    [TILT] = { "tilt", SP_REAL, 0.3, { 0.0, 1e9 },  "weight of the data" },
    { 0 }
};

static double value(sp_numbers p, size_t d, const double *w)
{
    return sp_pow(sp_spherical_radius(0.0, d, w), p[TAU]) / p[TAU];
}

static double tangential(sp_numbers p, size_t d, const double *w)
{
    return sp_pow(sp_spherical_radius(0.0, d, w), p[TAU] - 2.0);
}

static void gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    const double t = tangential(p, d, w);
    sp_spherical_gradient(t <= DBL_MAX ? t : 0.0, 0.0, d, w, out); /* tau < 2: 0 at 0 */
}

static void hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    const double t = tangential(p, d, w);
    sp_spherical_hessian(t, (p[TAU] - 1.0) * t, 0.0, d, w, H);
}

static void product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    const double t = tangential(p, d, w);
    sp_spherical_product(t, (p[TAU] - 1.0) * t, 0.0, d, w, v, out);
}

static void bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    const double tau = p[TAU], B = region->norm;
    *out = (sp_public_bounds){
        .slope = sp_pow(B, tau - 1.0),
        .curvature_high = tau < 2.0 ? INFINITY : (tau - 1.0) * sp_pow(B, tau - 2.0),
        .third = tau == 2.0 ? 0.0 : tau < 3.0 ? INFINITY : (tau - 1.0) * (tau - 2.0) * sp_pow(B, tau - 3.0),
    };
}

static const sp_public_part public_part = { value, gradient, hessian, product, bounds };

static void phi(sp_numbers p, size_t d, const double *w, int order, double *restrict out)
{
    sp_linear(p[TILT], d, w, order, out);
}

static void tilt_bounds(sp_numbers p, sp_tilt_bounds *out)
{
    *out = (sp_tilt_bounds){ .slope = p[TILT] };
}

static bool minimiser(sp_numbers p, size_t d, const double *mean, double *restrict w)
{
    const double b = p[TILT] * sp_spherical_radius(0.0, d, mean), r = sp_pow(b, 1.0 / (p[TAU] - 1.0));
    for (size_t j = 0; j < d; j++)
        w[j] = b > 0.0 ? -r * (p[TILT] * mean[j] / b) : 0.0;
    return true;
}

static void reach(sp_numbers p, size_t d, double radius, double *gap, double *distance)
{
    (void)d;
    const double kappa = p[TAU] / (p[TAU] - 1.0), a = p[TILT] * radius;
    *gap = sp_pow(a, kappa) / kappa;
    *distance = sp_pow(a, 1.0 / (p[TAU] - 1.0));
}

static const sp_tilt tilt = { phi, tilt_bounds, minimiser, reach };

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    (void)region;
    if (p[TAU] < 2.0)
        return;
    out->kl_kappa = p[TAU] / (p[TAU] - 1.0);
    out->kl_gamma = sp_pow(sp_pow(2.0, (p[TAU] - 2.0) / (p[TAU] - 1.0)) / out->kl_kappa, 1.0 / out->kl_kappa) *
                    (1.0 + 8.0 * DBL_EPSILON);
    out->strict_saddle = true;
}

const sp_loss sp_loss_power = {
    .name = "power",
    .family = "KL/PL",
    .formula = "||w||^tau / tau + tilt <x, w>",
    .source = "uniformly convex: Nesterov 2018, Lemma 4.2.3",
    .note = "L and (tau > 2) beta are finite on a bounded domain; rho_H is infinite for 2 < tau < 3, beta for tau < 2. "
            "Where records are opposite in pairs, tau < 2 has F - F* = ||grad F||^kappa / tau: to be declared. Data: "
            "the generator pairs.",
    .params = params,
    .tilt = &tilt,
    .public_part = &public_part,
    .tight = SP_TIGHT_ALL,
    .public_tight = SP_TIGHT_ALL,
    .smooth = true,
    .classes = classes,
};
