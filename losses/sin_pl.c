/* sin_pl.c -- not convex, but every stationary point is a global minimum: PL (loss.h) with a certified constant mu,
 * ||grad F||^2 >= 2 mu (F - F*).
 *
 *   h(w) = sum_j g(w_j), g(w) = w^2 + 3 sin^2 w;  Phi_j(w) = tilt w_j          (data part <x, Phi(w)>)
 *
 * g' = 2 w + 3 sin 2w, g'' = 2 + 6 cos 2w in [-4, 8], |g'''| <= 12; ||grad h|| <= 2 B + 3 min(sqrt d, 2 B) on
 * ||w|| <= B.
 *
 * PL. F is separable, so mu is the smallest of the constants of g(w) + b w, |b| <= a = tilt R. g' increases up to
 * acos(-1/3)/2, then decreases to 1.5442 at v = pi - acos(-1/3)/2, its lowest value beyond: for a < g'(v) there is one
 * stationary point w*, |w*| <= omega where g'(omega) = a, omega < acos(-1/3)/2. With G = g'(w) + b, B the gap of
 * g + b w at w, D = w - w* > 0 and r = G^2/(2B), mu = inf r over w and b:
 *   (i)   dB/db = D, so r increases with b where r <= G/D. Let m be the least G/D over w and b. At a w that attains it
 *         for its b, g' + b is larger than m times the distance at all points before, so B > D G/2, r < m. And from any
 *         r < m, b may decrease to -a while r decreases (w* stays below w: as D -> 0, r and G/D meet at g'' >= m). So
 *         mu = inf r over w > omega at b = -a, or its mirror image.
 *   (ii)  There dr/dw = (G/B)(g'' - r), r = g'' at omega. r > g'' while g'' decreases, and up to v; from v to pi g''
 *         increases from 0 to 8 and meets r once: the least r up to pi is that g''. Beyond pi, G > 2 pi - 1.545 up to
 *         5.34 and G > 2 w - 4.545 after that, B <= w^2 + 3: r > 0.34, while mu is at most r(v) < 0.18 of a = 0.
 *
 * Minimiser of (w - beta)^2 + 3 sin^2 w, beta = -b/2. With k pi the multiple of pi nearest to beta, reflections at k pi
 * and at k pi +- pi/2 show that it is between k pi and beta. With t and delta the distances of w* and beta from k pi,
 * 2 (t - delta) + 3 sin 2t = 0; the left side increases up to acos(-1/3)/2 and is positive from its root to
 * delta <= pi/2. So ||argmin F|| <= ||b||/2, and F(0) - F* <= sup of -sum_j (w_j^2 + b_j w_j) <= a^2/4.
 */
#include "core/numeric/root.h"
#include "losses/loss.h"

enum { TILT };

static const sp_param params[] = {
    [TILT] = { "tilt", SP_REAL, 0.3, { 0.0, 1e9 }, "weight of the data; PL while tilt R < 1.544" },
    { 0 }
};

static const double turn = 0.95531661812450928; /* acos(-1/3)/2: g'' = 0 */

SP_INLINE double shape(double w)
{
    return w * w + 3.0 * sp_sin(w) * sp_sin(w);
}

SP_INLINE double slope(double w)
{
    return 2.0 * w + 3.0 * sp_sin(2.0 * w);
}

SP_INLINE double curvature(double w)
{
    return 2.0 + 6.0 * sp_cos(2.0 * w);
}

static double value(sp_numbers p, size_t d, const double *w)
{
    (void)p;
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum += shape(w[j]);
    return sum;
}

static void gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    (void)p;
    for (size_t j = 0; j < d; j++)
        out[j] = slope(w[j]);
}

static void hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    (void)p;
    for (size_t j = 0; j < d; j++)
        H[j * d + j] += curvature(w[j]);
}

static void product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    (void)p;
    for (size_t j = 0; j < d; j++)
        out[j] += curvature(w[j]) * v[j];
}

static void bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    (void)p;
    const double B = region->norm;
    *out = (sp_public_bounds){
        .slope = 2.0 * B + 3.0 * fmin(sqrt((double)region->d), 2.0 * B),
        .curvature_high = 8.0,
        .curvature_low = fmax(0.0, -curvature(fmin(B, 0.5 * M_PI))),
        .third = 12.0 * sp_sin(2.0 * fmin(B, 0.25 * M_PI)),
    };
}

SP_PUBLIC_PART(value, gradient, hessian, product, bounds)

static void phi(sp_numbers p, size_t d, const double *w, int order, double *restrict out)
{
    sp_linear(p[TILT], d, w, order, out);
}

static void tilt_bounds(sp_numbers p, sp_tilt_bounds *out)
{
    *out = (sp_tilt_bounds){ .slope = p[TILT] };
}

static double stationarity(void *delta, double t)
{
    return slope(t) - 2.0 * *(double *)delta;
}

static bool minimiser(sp_numbers p, size_t d, const double *mean, double *restrict w)
{
    for (size_t j = 0; j < d; j++) {
        const double beta = -0.5 * p[TILT] * mean[j], nearest = M_PI * round(beta / M_PI);
        double delta = fabs(beta - nearest);
        w[j] = nearest + copysign(sp_root(stationarity, &delta, 0.0, fmin(delta, turn)), beta - nearest);
    }
    return true;
}

static void reach(sp_numbers p, size_t d, double radius, double *gap, double *distance)
{
    (void)d;
    const double a = p[TILT] * radius;
    *gap = 0.25 * a * a;
    *distance = 0.5 * a;
}

static const sp_tilt tilt = { phi, tilt_bounds, minimiser, reach };

typedef struct steepest_tilt {
    double a, omega;
} steepest_tilt;

static double excess(void *context, double w) /* g'' - r at b = -a */
{
    const steepest_tilt *s = context;
    const double G = slope(w) - s->a, B = shape(w) - shape(s->omega) - s->a * (w - s->omega);
    return curvature(w) - G * G / (2.0 * B);
}

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    steepest_tilt s = { p[TILT] * region->radius, 0.0 };
    double half = 0.5 * s.a;
    if (!(s.a < slope(M_PI - turn)))
        return;
    s.omega = sp_root(stationarity, &half, 0.0, turn);
    const double mu = curvature(sp_root(excess, &s, M_PI - turn, M_PI)) - 1e-12; /* rounding is far smaller */
    if (mu > 0.0)
        *out = (sp_classes){ .kl_kappa = 2.0, .kl_gamma = sqrt(0.5 / mu) * (1.0 + 4.0 * DBL_EPSILON),
                             .strict_saddle = true };
}

const sp_loss sp_loss_sin_pl = {
    .name = "sin_pl",
    .family = "KL/PL",
    .formula = "sum_j (w_j^2 + 3 sin^2 w_j) + tilt <x, w>",
    .source = "Karimi, Nutini & Schmidt 2016, with a linear tilt",
    .note = "PL for every set of records while tilt R < 1.544: mu = 0.1755, 0.159, 0.126, 0.096, 0.032 for tilt R = 0, "
            "0.1, 0.3, 0.5, 1; L is finite on a bounded domain",
    .params = params,
    .tilt = &tilt,
    .public_part = &public_part,
    .tight = SP_TIGHT_ALL & ~SP_TIGHT_GAP,
    .public_tight = SP_TIGHT_ALL & ~SP_TIGHT_SLOPE,
    .smooth = true,
    .classes = classes,
};
