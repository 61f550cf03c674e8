/* cos_saddle.c -- separable cosines: saddles of known curvature; every local minimum and all constants are global.
 *
 *   h(w) = sum_j a_j (1 - cos w_j),  Phi_j(w) = tilt sin w_j;  a_j = -saddle for the first `saddles` j, else curvature
 *
 * (h and Phi are the public part and the data part <x, Phi(w)>, loss.h.) With b = tilt mean(x) and
 * A_j = hypot(a_j, b_j) >= |a_j| > 0: F(w) = sum_j a_j - A_j cos(w_j + atan2(b_j, a_j)).
 * Stationary points have w_j + atan2(b_j, a_j) = k_j pi and the eigenvalues (-1)^k_j A_j: negative for an odd k_j,
 * otherwise a global minimum, F* = sum_j (a_j - A_j). This holds for all records and tilts.
 *
 * Gap: the supremum of sum_j (A_j - a_j) over sum_j b_j^2 <= (tilt R)^2. A_j is concave in b_j^2 with derivative 1/(2
 * A_j). So the optimum raises the smaller of the |a_j| first, to one level, and all of them once that level is the
 * larger one. Distance: |w_j| <= pi where a_j < 0; elsewhere atan(|b_j|/curvature), whose square is concave in b_j^2.
 */
#include "losses/loss.h"

enum { SADDLES, SADDLE, CURVATURE, TILT };

static const sp_param params[] = {
    [SADDLES]   = { "saddles",   SP_COUNT, 1.0, { 0.0, 1e9 },  "directions of negative curvature at 0 (at most d)" },
    [SADDLE]    = { "saddle",    SP_REAL,  0.5, { 1e-9, 1e9 }, "size of the curvature in these" },
    [CURVATURE] = { "curvature", SP_REAL,  1.0, { 1e-9, 1e9 }, "curvature in the others" },
    [TILT]      = { "tilt",      SP_REAL,  0.1, { 0.0, 1e9 },  "weight of the data" },
    { 0 }
};


static double coefficient(sp_numbers p, size_t j)
{
    return (double)j < p[SADDLES] ? -p[SADDLE] : p[CURVATURE];
}

static double saddles(sp_numbers p, size_t d)
{
    return fmin(p[SADDLES], (double)d);
}

static double value(sp_numbers p, size_t d, const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < d; j++) {
        const double s = sp_sin(0.5 * w[j]);
        sum += 2.0 * coefficient(p, j) * s * s;
    }
    return sum;
}

static void gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = coefficient(p, j) * sp_sin(w[j]);
}

static void hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    for (size_t j = 0; j < d; j++)
        H[j * d + j] += coefficient(p, j) * sp_cos(w[j]);
}

static void product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] += coefficient(p, j) * sp_cos(w[j]) * v[j];
}

static void bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    const double B = region->norm, turned = -sp_cos(fmin(B, M_PI)), down = saddles(p, region->d);
    const double up = (double)region->d - down;
    const double s = down > 0.0 ? p[SADDLE] : 0.0, c = up > 0.0 ? p[CURVATURE] : 0.0, largest = fmax(s, c);
    *out = (sp_public_bounds){
        .slope = fmin(sqrt(down * s * s + up * c * c), largest * B),
        .curvature_high = fmax(c, s * turned),
        .curvature_low = fmax(s, c * turned),
        .third = largest * sp_sin(fmin(B, 0.5 * M_PI)),
        .gap = s * fmin(2.0 * down, 0.5 * B * B),
    };
}

SP_PUBLIC_PART(value, gradient, hessian, product, bounds)

static void phi(sp_numbers p, size_t d, const double *w, int order, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = p[TILT] * (order == 0 ? sp_sin(w[j]) : order == 1 ? sp_cos(w[j]) : -sp_sin(w[j]));
}
SP_KERNEL_CALL(void, phi, (sp_numbers p, size_t d, const double *w, int order, double *restrict out),
               (p, d, w, order, out))

static void tilt_bounds(sp_numbers p, sp_tilt_bounds *out)
{
    *out = (sp_tilt_bounds){ .slope = p[TILT], .curvature = p[TILT], .third = p[TILT] };
}

/* atan2(b, a), a != 0 */
static double angle(double b, double a)
{
    return sp_atan(b / a) + (a < 0.0 ? copysign(M_PI, b) : 0.0);
}

static bool minimiser(sp_numbers p, size_t d, const double *mean, double *restrict w)
{
    for (size_t j = 0; j < d; j++)
        w[j] = -angle(p[TILT] * mean[j], coefficient(p, j));
    return true;
}

static void reach(sp_numbers p, size_t d, double radius, double *gap, double *distance)
{
    const double down = saddles(p, d), up = (double)d - down, s = p[SADDLE], c = p[CURVATURE], a = p[TILT] * radius;
    const double low = s < c ? s : c, many = s < c ? down : up, high = s < c ? c : s; /* `many` at the low level */
    const double raised = many > 0.0 ? sp_hypot(low, a / sqrt(many)) : INFINITY;
    const double level = raised <= high ? many * raised + ((double)d - many) * high
                                        : sqrt((double)d * (a * a + down * s * s + up * c * c));
    *gap = level + down * s - up * c;
    *distance = sp_hypot(M_PI * sqrt(down), up > 0.0 ? sqrt(up) * sp_atan(a / (c * sqrt(up))) : 0.0);
}

static const sp_tilt tilt = { phi_call, tilt_bounds, minimiser, reach };

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    (void)p, (void)region;
    out->strict_saddle = true;
}

const sp_loss sp_loss_cos_saddle = {
    .name = "cos_saddle",
    .family = "strict saddle",
    .formula = "sum_j a_j (1 - cos w_j) + tilt <x, sin(w)>, a_j = -saddle for the first `saddles` j, else curvature",
    .source = "ours: a separable strict-saddle function; F* = sum_j (a_j - sqrt(a_j^2 + tilt^2 mean(x_j)^2))",
    .params = params,
    .tilt = &tilt,
    .public_part = &public_part,
    .tight = SP_TIGHT_ALL,
    .public_tight = SP_TIGHT_ALL,
    .smooth = true,
    .classes = classes,
};
