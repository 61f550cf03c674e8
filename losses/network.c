/* network.c -- a network with one hidden layer of smooth units and a scalar output: the case that is not a GLM, with
 * derivatives by reverse mode.
 *
 *   z_j = <W_j, x> + b_j, j = 1 .. width,   u = <c, s(z)> + e,   f = l(u, y),   w = (W_1, b_1, c_1, W_2, ..., e)
 *   s = tanh, or softplus minus its value at 0;  l = (u - y)^2/2, or log(1 + exp(-y u)).   s(0) = 0, 0 <= s' <= 1
 *
 * Hessian times v by forward over reverse: with R{.} the derivative along v,
 *   R{z_j} = <RW_j, x> + Rb_j,   R{u} = sum_j Rc_j s(z_j) + c_j s'(z_j) R{z_j} + Re,
 * and likewise for each entry of the gradient l'(u) c_j s'(z_j) (x, 1), l'(u) s(z_j), l'(u).
 *
 * Bounds on ||w|| <= B with t = sqrt(R^2 + 1) >= ||(x, 1)||, V = (W, b), s2 >= |s''|, s3 >= |s'''|. Along a unit vector
 * write A = ||RV||, C = ||Rc||. ||R{z}|| <= t A and ||s(z)|| <= ||z|| <= t ||V||, so
 *   |u|    <= t ||c|| ||V|| + |e| <= t (B^2 - e^2)/2 + |e|; tanh: also ||c|| sqrt width + |e| <= B sqrt(width + 1)
 *   |Du|   <= G1 = sqrt(1 + t^2 (||V||^2 + ||c||^2)) = sqrt(1 + t^2 B^2)
 *   |D2u|  <= s2 t^2 B A^2 + 2 t A C <= G2 = (P + sqrt(P^2 + 4 t^2))/2, P = s2 t^2 B
 *   |D3u|  <= s3 t^3 B A^3 + 3 s2 t^2 A^2 C <= G3 = s3 t^3 B + (2/sqrt 3) s2 t^2     (A^2 C <= 2/(3 sqrt 3))
 * With l1, l2, l3 bounds of |l'|, l'' >= 0, |l'''|:
 *   |Df| <= l1 G1,   -l1 G2 <= D2f <= l2 G1^2 + l1 G2,   |D3f| <= l3 G1^3 + 3 l2 G1 G2 + l1 G3.
 * f(0) - inf f <= f(0) = l(0, y), as l >= 0.
 */
#include "losses/loss.h"

enum { WIDTH, UNIT, OUTPUT };
enum { TANH, SOFTPLUS };
enum { SQUARED, LOGISTIC };

static const sp_param params[] = {
    [WIDTH]  = { "width",  SP_COUNT,  8.0, { 1.0, 4096.0 }, "hidden units" },
    [UNIT]   = { "unit",   SP_CHOICE, TANH, { 0.0, 1.0 },   "s; softplus is log(1 + exp(z)) - log 2", "tanh|softplus" },
    [OUTPUT] = { "output", SP_CHOICE, SQUARED, { 0.0, 1.0 }, "l, a function of the output and the label",
                 "squared|logistic" },
    { 0 }
};

typedef struct jet { /* value, first and second derivative */
    double value, slope, curvature;
} jet;

SP_INLINE jet unit(sp_numbers p, double z)
{
    if (p[UNIT] == TANH) {
        const double t = sp_tanh(z);
        return (jet){ t, (1.0 - t) * (1.0 + t), -2.0 * t * (1.0 - t) * (1.0 + t) };
    }
    const double e = sp_exp(-fabs(z));
    return (jet){ fmax(z, 0.0) + sp_log1p(e) - M_LN2, (z > 0.0 ? 1.0 : e) / (1.0 + e), e / ((1.0 + e) * (1.0 + e)) };
}

SP_INLINE jet output(sp_numbers p, double u, double y)
{
    if (p[OUTPUT] == SQUARED)
        return (jet){ 0.5 * (u - y) * (u - y), u - y, 1.0 };
    const double m = y * u, e = sp_exp(-fabs(m));
    return (jet){ fmax(-m, 0.0) + sp_log1p(e), -y * (m > 0.0 ? e : 1.0) / (1.0 + e),
                  y * y * e / ((1.0 + e) * (1.0 + e)) };
}

static double inner(size_t count, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t j = 0; j < count; j++)
        sum += a[j] * b[j];
    return sum;
}

static size_t hidden(sp_numbers p)
{
    return (size_t)p[WIDTH];
}

static size_t dimension(sp_numbers p, size_t features)
{
    return features == 0 ? 0 : hidden(p) * (features + 2) + 1;
}

static size_t scratch_size(sp_numbers p, size_t features)
{
    (void)features;
    return hidden(p);
}

/* u; z in scratch */
SP_INLINE double forward(sp_numbers p, size_t features, const double *x, const double *w, double *z)
{
    double u = w[dimension(p, features) - 1];
    for (size_t j = 0; j < hidden(p); j++) {
        const double *of = w + j * (features + 2);
        z[j] = inner(features, of, x) + of[features];
        u += of[features + 1] * unit(p, z[j]).value;
    }
    return u;
}

static double value(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch)
{
    return output(p, forward(p, features, x, w, scratch), y).value;
}

static void gradient(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch,
                     double *restrict out)
{
    const jet l = output(p, forward(p, features, x, w, scratch), y);
    for (size_t j = 0; j < hidden(p); j++) {
        const jet s = unit(p, scratch[j]);
        double *of = out + j * (features + 2);
        const double back = l.slope * w[j * (features + 2) + features + 1] * s.slope; /* df/dz_j */
        for (size_t i = 0; i < features; i++)
            of[i] = back * x[i];
        of[features] = back;
        of[features + 1] = l.slope * s.value;
    }
    out[dimension(p, features) - 1] = l.slope;
}

static void product(sp_numbers p, size_t features, const double *x, double y, const double *w, const double *v,
                    double *scratch, double *restrict out)
{
    const size_t last = dimension(p, features) - 1;
    const jet l = output(p, forward(p, features, x, w, scratch), y);
    double moved = v[last]; /* R{u} */
    for (size_t j = 0; j < hidden(p); j++) {
        const double *of = w + j * (features + 2), *along = v + j * (features + 2);
        const jet s = unit(p, scratch[j]);
        const double tilt = inner(features, along, x) + along[features]; /* R{z_j} */
        moved += along[features + 1] * s.value + of[features + 1] * s.slope * tilt;
    }
    for (size_t j = 0; j < hidden(p); j++) {
        const double *along = v + j * (features + 2);
        const double c = w[j * (features + 2) + features + 1], rc = along[features + 1];
        const jet s = unit(p, scratch[j]);
        const double tilt = inner(features, along, x) + along[features];
        const double back = l.curvature * moved * c * s.slope + l.slope * (rc * s.slope + c * s.curvature * tilt);
        double *of = out + j * (features + 2);
        for (size_t i = 0; i < features; i++)
            of[i] = back * x[i];
        of[features] = back;
        of[features + 1] = l.curvature * moved * s.value + l.slope * s.slope * tilt;
    }
    out[last] = l.curvature * moved;
}

static void bounds(sp_numbers p, const sp_region *region, sp_record_bounds *out)
{
    const bool squared = p[OUTPUT] == SQUARED, bounded = p[UNIT] == TANH;
    const double B = region->norm, Y = region->label_bound, t = sp_hypot(region->radius, 1.0);
    *out = (sp_record_bounds){ INFINITY, INFINITY, INFINITY, INFINITY, squared ? 0.5 * Y * Y : M_LN2 };
    if (isinf(B))
        return;
    const double e = fmin(B, 1.0 / t), reach = 0.5 * t * (B * B - e * e) + e; /* largest at |e| = 1/t */
    const double u = bounded ? fmin(reach, B * sqrt(p[WIDTH] + 1.0)) : reach;
    const double l1 = squared ? u + Y : Y, l2 = squared ? 1.0 : 0.25 * Y * Y;
    const double l3 = squared ? 0.0 : Y * Y * Y / (6.0 * sqrt(3.0));
    const double s2 = bounded ? 4.0 / (3.0 * sqrt(3.0)) : 0.25, s3 = bounded ? 2.0 : 1.0 / (6.0 * sqrt(3.0));
    const double P = s2 * t * t * B, G1 = sp_hypot(1.0, t * B), G2 = 0.5 * (P + sp_hypot(P, 2.0 * t));
    const double G3 = s3 * t * t * t * B + 2.0 / sqrt(3.0) * s2 * t * t;
    out->slope = l1 * G1;
    out->curvature_high = l2 * G1 * G1 + l1 * G2;
    out->curvature_low = l1 * G2;
    out->third = l3 * G1 * G1 * G1 + 3.0 * l2 * G1 * G2 + l1 * G3;
}

SP_KERNEL_CALL(double, value,
               (sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch),
               (p, features, x, y, w, scratch))
SP_KERNEL_CALL(void, gradient,
               (sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch,
                double *restrict out),
               (p, features, x, y, w, scratch, out))
SP_KERNEL_CALL(void, product,
               (sp_numbers p, size_t features, const double *x, double y, const double *w, const double *v,
                double *scratch, double *restrict out),
               (p, features, x, y, w, v, scratch, out))

static const sp_record_form record = { .dimension = dimension, .wanted = "at least one feature",
                                       .scratch = scratch_size, .value = value_call,
                                       .gradient = gradient_call, .product = product_call, .bounds = bounds };

const sp_loss sp_loss_network = {
    .name = "network",
    .family = "network",
    .formula = "l(<c, s(W x + b)> + e, y), w = (W_1, b_1, c_1, W_2, b_2, c_2, ..., e)",
    .source = "two-layer perceptron; derivatives by reverse mode, Hessian products as in Pearlmutter 1994",
    .note = "d = width (features + 2) + 1. The constants need a bounded domain; they hold but are not tight. At w = 0 "
            "only e has a gradient: start elsewhere. With logistic output labels need not be -1 and 1",
    .params = params,
    .record = &record,
    .smooth = true,
};
