/* ripple_ramp.c -- the hard family: a long ramp with ripples, whose downhill side only the records reveal, and angles.
 *
 *   f(w, x) = h(w_1) - 0.75 x_0 P(w_1) + 0.6 C(w_2, ..., w_d),  P(t) = s t + (s r/2) sin(t/r),
 *   h(t) = (|t| - 1/s)_+^2 / 2;  with `rise` = q > 0, h(t) = u^3 / (6 q) for 0 <= u = |t| - 1/s <= q and
 *   u^2/2 - q u/2 + q^2/6 beyond, so that h'' grows from 0 to 1 on a length of q
 *
 * x_0 is the first number of a record, clipped to [-1, 1]; the others are pairs, and C is the loss `circular` of m = d
 * - 1 angles. h is public, r = max(s, q). P' = s (1 + cos(t/r)/2) lies within [s/2, 3s/2], |P''| <= s/(2r),
 * |P'''| <= s/(2 r^2). The data part is affine in x.
 *
 * Minimum. With b = 0.75 mean(x_0) > 0, F decreases in w_1 up to 1/s. Beyond, F' < 0 where min(u/q, 1) <= b s/(2r):
 * there h' = u^2/(2q) <= q b^2 s^2/(8 r^2) < b s/2 <= b P', as q <= r, s <= r and b < 1; past that F'' is positive. So
 * F' is 0 once, at a t that increases with b, at most where h' = 1.5 s b. If b = 0, 0 is a minimiser, and so are all
 * |t| <= 1/s. F(0) - F* is largest at mean(x_0) = 1; the angles add 2 * 0.6 to it.
 *
 * The Hessian of f is diagonal. Its first entry is in [-0.375, 1.375] (that of the data part within +-0.375), the
 * others within +-0.6. If q = 0, h'' jumps at |t| = 1/s and rho_H is infinite; otherwise rho_H is at most 1/q more than
 * that of the data part.
 */
#include "core/numeric/root.h"
#include "losses/loss.h"

enum { SLOPE, RISE };

static const sp_param params[] = {
    [SLOPE] = { "slope", SP_REAL, 0.5, { 1e-6, 32.0 / 45.0 }, "s of the ramp of length 1/s; at 32/45 L_data is 1" },
    [RISE]  = { "rise",  SP_REAL, 0.0, { 0.0, 1e3 }, "q: the Hessian of the wall grows on this length; 0: it jumps" },
    { 0 }
};

static const double tilt = 0.75, weight = 0.6;

/* --- the ramp ----------------------------------------------------------------------------------------------------- */

/* r: 2 pi times it is the length of a ripple */
static double ripple(sp_numbers p)
{
    return fmax(p[SLOPE], p[RISE]);
}

/* t/r less whole turns: far out on the ramp the sine of a large number would be none */
static double turned(double r, double t)
{
    const double turns = t / r / (2.0 * M_PI);
    return 2.0 * M_PI * (turns - rint(turns));
}

/* P and its first two derivatives */
static double ramp(sp_numbers p, double t, int order)
{
    const double s = p[SLOPE], r = ripple(p), angle = turned(r, t);
    return order == 0   ? s * t + 0.5 * s * r * sp_sin(angle)
           : order == 1 ? s * (1.0 + 0.5 * sp_cos(angle))
                        : -0.5 * (s / r) * sp_sin(angle);
}

/* sum_k c_k P'(t_k), of what each point adds to the first one's: 2 sin h sin(a + h) is cos a - cos(a + 2 h). So it is
 * known to rounding of its own size where the c_k sum up to 0. */
static double slopes(sp_numbers p, size_t terms, const sp_term *term)
{
    const double s = p[SLOPE], r = ripple(p), first = term[0].point[0], angle = turned(r, first);
    double whole = term[0].coefficient, more = 0.0;
    for (size_t k = 1; k < terms; k++) {
        const double half = turned(2.0 * r, term[k].point[0] - first);
        whole += term[k].coefficient;
        more -= 2.0 * term[k].coefficient * sp_sin(half) * sp_sin(angle + half);
    }
    return whole * ramp(p, first, 1) + 0.5 * s * more;
}

/* P(t) - P(c), known in the same way: sin(a + 2 h) - sin a is 2 sin h cos(a + h) */
static double climb(sp_numbers p, double t, double c)
{
    const double s = p[SLOPE], r = ripple(p), half = turned(2.0 * r, t - c);
    return s * (t - c) + s * r * sp_sin(half) * sp_cos(turned(r, c) + half);
}

/* h and its first two derivatives, u behind the wall; NAN stays NAN */
static double wall(sp_numbers p, double u, int order)
{
    const double q = p[RISE];
    if (u < q)
        return order == 0 ? u * u * u / (6.0 * q) : order == 1 ? 0.5 * u * u / q : u / q;
    return order == 0 ? 0.5 * u * (u - q) + q * q / 6.0 : order == 1 ? u - 0.5 * q : u > 0.0 ? 1.0 : 0.0;
}

typedef struct side {
    sp_numbers p;
    double b;
} side;

static double fall(void *context, double t)
{
    const side *e = context;
    return wall(e->p, fmax(t - 1.0 / e->p[SLOPE], 0.0), 1) - e->b * ramp(e->p, t, 1);
}

/* argmin of h - b P */
static double ramp_end(sp_numbers p, double b)
{
    const double s = p[SLOPE], q = p[RISE], steepest = 1.5 * s * fabs(b); /* h' there at most */
    const double far = steepest < 0.5 * q ? sqrt(2.0 * q * steepest) : steepest + 0.5 * q;
    side e = { p, fabs(b) };
    return b == 0.0 ? 0.0 : copysign(sp_root(fall, &e, 1.0 / s, 1.0 / s + far), b);
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
    return sp_angles(weight, features / 2, x + 1, w + 1) - tilt * x[0] * ramp(p, w[0], 0);
}

static double change(sp_numbers p, size_t features, const double *x, const double *w, const double *c)
{
    return sp_angles_change(weight, features / 2, x + 1, w + 1, c + 1) - tilt * x[0] * climb(p, w[0], c[0]);
}

static void query(sp_numbers p, size_t features, const double *x, size_t terms, const sp_term *term,
                  double *restrict out)
{
    out[0] = -tilt * x[0] * slopes(p, terms, term);
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
    out[0] = -tilt * x[0] * ramp(p, w[0], 2) * v[0];
    sp_angles_product(weight, features / 2, x + 1, w + 1, v + 1, out + 1);
}

static void bounds(sp_numbers p, const sp_region *region, sp_record_bounds *out)
{
    const double s = p[SLOPE], r = ripple(p), B = region->norm, m = (double)region->d - 1.0;
    *out = (sp_record_bounds){
        .slope = sp_hypot(1.5 * tilt * s, weight),
        .curvature_high = weight,
        .curvature_low = weight,
        .third = fmax(0.5 * tilt * (s / r) / r, weight * sqrt(m)),
        .gap = tilt * (s * B + 0.5 * s * r) + 2.0 * weight * sp_sin(0.5 * fmin(B, M_PI)),
        .frobenius = sp_hypot(0.5 * tilt * (s / r), weight * sqrt(m)),
    };
}

static void clip(size_t features, double *restrict x)
{
    x[0] = fmax(-sp_disc(1), fmin(sp_disc(1), x[0]));
    sp_angles_clip(features / 2, x + 1);
}

static double largest(sp_numbers p, size_t d, size_t terms, const sp_term *term, sp_norm norm)
{
    const double first = tilt * sp_disc(1) * fabs(slopes(p, terms, term));
    const double rest = sp_angles_largest(weight, 1, d - 1, terms, term, norm);
    return norm == SP_NORM_L2 ? sqrt(first * first + rest * rest) : first > rest || isnan(first) ? first : rest;
}

static bool minimiser(sp_numbers p, size_t d, const double *mean, double *restrict w)
{
    w[0] = ramp_end(p, tilt * mean[0]);
    sp_angles_minimiser(d - 1, mean + 1, w + 1);
    return true;
}

static void whole(sp_numbers p, size_t d, double *up, double *gap, double *distance)
{
    (void)d;
    const double s = p[SLOPE], end = ramp_end(p, tilt);
    *up = 1.0 + 0.5 * tilt * (s / ripple(p));
    *gap = tilt * ramp(p, end, 0) - wall(p, end - 1.0 / s, 0) + 2.0 * weight;
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
    return isnan(w[0]) ? w[0] : wall(p, beyond(p, w[0]), 0);
}

static void wall_gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = 0.0;
    out[0] = isnan(w[0]) ? w[0] : copysign(wall(p, beyond(p, w[0]), 1), w[0]);
}

static void wall_hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    (void)d;
    H[0] += wall(p, beyond(p, w[0]), 2);
}

static void wall_product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    (void)d;
    out[0] += wall(p, beyond(p, w[0]), 2) * v[0];
}

static void wall_bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    const double far = beyond(p, region->norm);
    *out = (sp_public_bounds){ .slope = wall(p, far, 1), .curvature_high = wall(p, far, 2),
                               .third = far > 0.0 ? 1.0 / p[RISE] : 0.0 };
}

static const sp_public_part public_part = { wall_value, wall_gradient, wall_hessian, wall_product, wall_bounds };

const sp_loss sp_loss_ripple_ramp = {
    .name = "ripple_ramp",
    .family = "hard family",
    .formula = "(|w_1| - 1/s)_+^2 / 2 - 0.75 x_0 (s w_1 + (s r/2) sin(w_1/r)) + 0.6 circular(w_2, ..., w_d), "
               "s = slope, r = max(s, rise)",
    .source = "after the ramps of Carmon et al. 2020; slopes 2^(-k/4), k = 2, 3, ..., make the family",
    .note = "2 d - 1 features: x_0, clipped to [-1, 1], and a pair for each angle, clipped to the disc 1/sqrt(d - 1). "
            "L_data <= 1 for all slopes. rise = q > 0: the wall's Hessian grows from 0 to 1 on a length of q, so that "
            "rho_H is finite. Data: the generator angles with an odd number of features",
    .params = params,
    .record = &record,
    .public_part = &public_part,
    .tight = SP_TIGHT_HIGH | SP_TIGHT_LOW | SP_TIGHT_THIRD,
    .public_tight = SP_TIGHT_SLOPE | SP_TIGHT_HIGH,
    .smooth = true,
    .labels_unused = true,
};
