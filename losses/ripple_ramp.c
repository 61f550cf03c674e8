/* ripple_ramp.c -- a long ramp whose side only the records tell, with ripples, and angles beside it: the hard family.
 *
 *   f(w, x) = h(w_1) - 0.75 x_0 P(w_1) + 0.6 C(w_2, ..., w_d),
 *   h(t) = (|t| - 1/s)_+^2 / 2,  P(t) = s t + (s^2/2) sin(t/s)
 *
 * x_0 is the first number of a record, clipped to [-1, 1]; the others are pairs, and C the loss `circular` of m = d - 1
 * angles. h is public. P' = s (1 + cos(t/s)/2) lies within [s/2, 3s/2], |P''| <= 1/2, |P'''| <= 1/(2s). The data
 * part is affine in x.
 *
 * Minimum. With b = 0.75 mean(x_0) > 0, F falls in w_1 up to 1/s; beyond, its second derivative 1 + (b/2) sin(t/s) is
 * positive and its first is 0 once, at a t in [1/s, 1/s + 1.5 s b] that rises with b. Where b = 0 nothing tells the
 * side: 0 is a minimiser, as are all |t| <= 1/s. F(0) - F* is largest at mean(x_0) = 1, and 2 * 0.6 that of the angles.
 *
 * The Hessian of f is diagonal, its first entry within [-0.375, 1.375], that of the data part within 0.375, the others
 * within 0.6. h'' jumps at |t| = 1/s: rho_H is infinite.
 */
#include "core/base/root.h"
#include "losses/loss.h"

enum { SLOPE };

static const sp_param params[] = {
    [SLOPE] = { "slope", SP_REAL, 0.5, { 1e-6, 32.0 / 45.0 }, "s of the ramp of length 1/s; at 32/45 L_data is 1" },
    { 0 }
};

static const double tilt = 0.75, weight = 0.6;

/* --- the ramp ----------------------------------------------------------------------------------------------------- */

/* t/s less whole turns: far out on the ramp the sine of a large number would be none */
static double turned(double s, double t)
{
    const double turns = t / s / (2.0 * M_PI);
    return 2.0 * M_PI * (turns - rint(turns));
}

/* P and its first two derivatives */
static double ramp(double s, double t, int order)
{
    const double angle = turned(s, t);
    return order == 0   ? s * t + 0.5 * s * s * sp_sin(angle)
           : order == 1 ? s * (1.0 + 0.5 * sp_cos(angle))
                        : -0.5 * sp_sin(angle);
}

/* sum_k c_k P'(t_k), of what each point adds to the first one's: 2 sin h sin(a + h) is cos a - cos(a + 2 h). So it is
 * known to rounding of its own size where the c_k sum up to 0. */
static double slopes(double s, size_t terms, const sp_term *term)
{
    const double first = term[0].point[0], angle = turned(s, first);
    double whole = term[0].coefficient, more = 0.0;
    for (size_t k = 1; k < terms; k++) {
        const double half = turned(2.0 * s, term[k].point[0] - first);
        whole += term[k].coefficient;
        more -= 2.0 * term[k].coefficient * sp_sin(half) * sp_sin(angle + half);
    }
    return whole * ramp(s, first, 1) + 0.5 * s * more;
}

/* P(t) - P(c), known in the same way: sin(a + 2 h) - sin a is 2 sin h cos(a + h) */
static double climb(double s, double t, double c)
{
    const double half = turned(2.0 * s, t - c);
    return s * (t - c) + s * s * sp_sin(half) * sp_cos(turned(s, c) + half);
}

typedef struct side {
    double s, b;
} side;

static double rise(void *context, double t)
{
    const side *e = context;
    return t - 1.0 / e->s - e->b * ramp(e->s, t, 1);
}

/* argmin of h - b P */
static double ramp_end(double s, double b)
{
    side e = { s, fabs(b) };
    return b == 0.0 ? 0.0 : copysign(sp_root(rise, &e, 1.0 / s, 1.0 / s + 1.5 * s * fabs(b)), b);
}

/* --- data part ---------------------------------------------------------------------------------------------------- */

static size_t dimension(sp_numbers p, size_t features)
{
    (void)p;
    return features % 2 == 1 && features >= 3 ? (features + 1) / 2 : 0;
}

static size_t scratch_size(sp_numbers p, size_t features)
{
    (void)p, (void)features;
    return 0;
}

static double value(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch)
{
    (void)y, (void)scratch;
    return sp_angles(weight, features / 2, x + 1, w + 1) - tilt * x[0] * ramp(p[SLOPE], w[0], 0);
}

static double change(sp_numbers p, size_t features, const double *x, const double *w, const double *c)
{
    return sp_angles_change(weight, features / 2, x + 1, w + 1, c + 1) - tilt * x[0] * climb(p[SLOPE], w[0], c[0]);
}

static void query(sp_numbers p, size_t features, const double *x, size_t terms, const sp_term *term,
                  double *restrict out)
{
    out[0] = -tilt * x[0] * slopes(p[SLOPE], terms, term);
    sp_angles_query(weight, 1, features / 2, x + 1, terms, term, out + 1);
}

static void gradient(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch,
                     double *restrict out)
{
    (void)y, (void)scratch;
    query(p, features, x, 1, &(sp_term){ 1.0, w }, out);
}

static void product(sp_numbers p, size_t features, const double *x, double y, const double *w, const double *v,
                    double *scratch, double *restrict out)
{
    (void)y, (void)scratch;
    out[0] = -tilt * x[0] * ramp(p[SLOPE], w[0], 2) * v[0];
    sp_angles_product(weight, features / 2, x + 1, w + 1, v + 1, out + 1);
}

static void bounds(sp_numbers p, const sp_region *region, sp_record_bounds *out)
{
    const double s = p[SLOPE], B = region->norm, m = (double)region->d - 1.0;
    *out = (sp_record_bounds){
        .slope = sp_hypot(1.5 * tilt * s, weight),
        .curvature_high = weight,
        .curvature_low = weight,
        .third = fmax(0.5 * tilt / s, weight * sqrt(m)),
        .gap = tilt * (s * B + 0.5 * s * s) + 2.0 * weight * sp_sin(0.5 * fmin(B, M_PI)),
        .frobenius = sp_hypot(0.5 * tilt, weight * sqrt(m)),
    };
}

static void clip(size_t features, double *restrict x)
{
    x[0] = fmax(-sp_disc(1), fmin(sp_disc(1), x[0]));
    sp_angles_clip(features / 2, x + 1);
}

static double largest(sp_numbers p, size_t d, size_t terms, const sp_term *term, sp_norm norm)
{
    const double first = tilt * sp_disc(1) * fabs(slopes(p[SLOPE], terms, term));
    const double rest = sp_angles_largest(weight, 1, d - 1, terms, term, norm);
    return norm == SP_NORM_L2 ? sqrt(first * first + rest * rest) : first > rest || isnan(first) ? first : rest;
}

static bool minimiser(sp_numbers p, size_t d, const double *mean, double *restrict w)
{
    w[0] = ramp_end(p[SLOPE], tilt * mean[0]);
    sp_angles_minimiser(d - 1, mean + 1, w + 1);
    return true;
}

static void whole(sp_numbers p, size_t d, double *up, double *gap, double *distance)
{
    (void)d;
    const double s = p[SLOPE], end = ramp_end(s, tilt), wall = end - 1.0 / s;
    *up = 1.0 + 0.5 * tilt;
    *gap = tilt * ramp(s, end, 0) - 0.5 * wall * wall + 2.0 * weight;
    *distance = sp_hypot(end, M_PI);
}

static const sp_record_map map = { "ripple_ramp", clip };
static const sp_affine affine = { &map, change, query, largest, minimiser, whole };
static const sp_record_form record = { .dimension = dimension,
                                       .wanted = "an odd number from 3 on, x_0 and a pair for each angle",
                                       .scratch = scratch_size, .value = value, .gradient = gradient,
                                       .product = product, .bounds = bounds, .affine = &affine };

/* --- the walls ---------------------------------------------------------------------------------------------------- */

static double beyond(sp_numbers p, double t)
{
    return fmax(fabs(t) - 1.0 / p[SLOPE], 0.0);
}

static double wall_value(sp_numbers p, size_t d, const double *w)
{
    (void)d;
    const double far = isnan(w[0]) ? w[0] : beyond(p, w[0]);
    return 0.5 * far * far;
}

static void wall_gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = 0.0;
    out[0] = isnan(w[0]) ? w[0] : copysign(beyond(p, w[0]), w[0]);
}

static void wall_hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    (void)d;
    H[0] += beyond(p, w[0]) > 0.0 ? 1.0 : 0.0;
}

static void wall_product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    (void)d;
    out[0] += beyond(p, w[0]) > 0.0 ? v[0] : 0.0;
}

static void wall_bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    const double far = beyond(p, region->norm);
    *out = (sp_public_bounds){ .slope = far, .curvature_high = far > 0.0 ? 1.0 : 0.0,
                               .third = far > 0.0 ? INFINITY : 0.0 };
}

static const sp_public_part public_part = { wall_value, wall_gradient, wall_hessian, wall_product, wall_bounds };

const sp_loss sp_loss_ripple_ramp = {
    .name = "ripple_ramp",
    .family = "hard family",
    .formula = "(|w_1| - 1/s)_+^2 / 2 - 0.75 x_0 (s w_1 + (s^2/2) sin(w_1/s)) + 0.6 circular(w_2, ..., w_d), s = slope",
    .source = "after the ramps of Carmon et al. 2020; slopes 2^(-k/4), k = 2, 3, ..., make the family",
    .note = "2 d - 1 features: x_0, clipped to [-1, 1], and a pair for each angle, clipped to the disc 1/sqrt(d - 1). "
            "L_data <= 1 for all slopes. Data: the generator angles with an odd number of features",
    .params = params,
    .record = &record,
    .public_part = &public_part,
    .tight = SP_TIGHT_HIGH | SP_TIGHT_LOW | SP_TIGHT_THIRD,
    .public_tight = SP_TIGHT_SLOPE | SP_TIGHT_HIGH,
    .smooth = true,
    .labels_unused = true,
};
