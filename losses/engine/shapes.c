/* shapes.c -- functions that several tilt losses share: the pseudo-Huber bowl h, the tanh and the linear tilt; and
 * bounds on where a function tilted by tanh has its minimum.
 *
 * Third derivative of g = sqrt(1 + r^2), r = ||z||, along a unit v with b = <z, v>: 3 (b/g^3) (1 - b^2/g^2). For
 * r^2 >= 1/2 its maximum over b is 2/(sqrt 3 g^2) <= 0.77; for smaller r it is at b = r, and 3 r/g^5 is largest at r =
 * 1/2.
 *
 * Reach. Let F(v) = h(v) + <x, tilt tanh(v)>, tilt ||x|| <= a, s the scale of h, r = ||v||, rho = sqrt(s^2 + r^2).
 *   A stationary v has v_j = -rho tilt x_j sech^2(v_j), so sum_j v_j^2 cosh^4(v_j) <= a^2 rho^2. t cosh^4(sqrt t) is
 *   convex in t, so the sum is at least r^2 cosh^4(r / sqrt d) (Jensen), and r is at most the root of
 *     r cosh^2(r / sqrt d) = a rho.                                                                               (1)
 *   ||tanh(v)|| <= sqrt d tanh(r / sqrt d), as tanh^2(sqrt t) is concave in t. So
 *     -F(v) <= a sqrt d tanh(r / sqrt d) - (rho - s),
 *   which is concave in r, with its maximum at the root of (1).
 */
#include "losses/loss.h"

static double length(double centre, size_t count, const double *w)
{
    double square = 0.0;
    for (size_t j = 0; j < count; j++)
        square += (w[j] - centre) * (w[j] - centre);
    return sqrt(square);
}

double sp_pseudo_huber(double s, double centre, size_t count, const double *w)
{
    const double r = length(centre, count, w);
    return r * (r / (sp_hypot(s, r) + s)); /* = rho - s without cancellation */
}

void sp_pseudo_huber_gradient(double s, double centre, size_t count, const double *w, double *restrict out)
{
    const double rho = sp_hypot(s, length(centre, count, w));
    for (size_t j = 0; j < count; j++)
        out[j] = (w[j] - centre) / rho;
}

void sp_pseudo_huber_hessian(double s, double centre, size_t count, const double *w, size_t stride, double *restrict H)
{
    const double rho = sp_hypot(s, length(centre, count, w));
    for (size_t j = 0; j < count; j++) {
        for (size_t k = 0; k < count; k++)
            H[j * stride + k] -= (w[j] - centre) / rho * ((w[k] - centre) / rho) / rho;
        H[j * stride + j] += 1.0 / rho;
    }
}

void sp_pseudo_huber_product(double s, double centre, size_t count, const double *w, const double *v,
                             double *restrict out)
{
    const double rho = sp_hypot(s, length(centre, count, w));
    double along = 0.0;
    for (size_t j = 0; j < count; j++)
        along += (w[j] - centre) / rho * v[j];
    for (size_t j = 0; j < count; j++)
        out[j] += (v[j] - along * ((w[j] - centre) / rho)) / rho;
}

static inline void tanh_of(double tilt, double centre, size_t d, const double *w, int order, double *restrict out)
{
    for (size_t j = 0; j < d; j++) {
        const double t = sp_tanh(w[j] - centre), slope = 1.0 - t * t;
        out[j] = tilt * (order == 0 ? t : order == 1 ? slope : -2.0 * t * slope);
    }
}

/* a loop each: one whose body asks for the order does not become vectors */
static inline void tanh_tilt(double tilt, double centre, size_t d, const double *w, int order, double *restrict out)
{
    if (order == 0)
        tanh_of(tilt, centre, d, w, 0, out);
    else if (order == 1)
        tanh_of(tilt, centre, d, w, 1, out);
    else
        tanh_of(tilt, centre, d, w, 2, out);
}

SP_KERNEL_CALL(void, tanh_tilt,
               (double tilt, double centre, size_t d, const double *w, int order, double *restrict out),
               (tilt, centre, d, w, order, out))

void sp_tanh_tilt(double tilt, double centre, size_t d, const double *w, int order, double *restrict out)
{
    tanh_tilt_call(tilt, centre, d, w, order, out);
}

void sp_linear(double tilt, size_t d, const double *w, int order, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = order == 0 ? tilt * w[j] : order == 1 ? tilt : 0.0;
}

void sp_tanh_bounds(double tilt, sp_tilt_bounds *out)
{
    *out = (sp_tilt_bounds){
        .slope = tilt,
        .curvature = 0.7698003589195011 * tilt, /* 4 / (3 sqrt 3), at tanh^2 = 1/3 */
        .third = 2.0 * tilt,
    };
}

void sp_tanh_reach(double a, double s, size_t d, double *distance, double *drop)
{
    const double root = sqrt((double)d);
    /* F(v) <= F(0) = 0 and tanh <= 1 give rho - s <= a sqrt d */
    double low = 0.0, high = sqrt(a * root * (2.0 * s + a * root));
    for (bool last = d == 0; !last;) { /* bisection on (1), until there is no number between the two */
        const double r = 0.5 * (low + high), c = sp_cosh(r / root);
        last = !(low < r && r < high);
        if (r * c * c > a * sp_hypot(s, r))
            high = r;
        else
            low = r;
    }
    *distance = high;
    *drop = d > 0 ? a * root * sp_tanh(high / root) - (sp_hypot(s, high) - s) : 0.0;
}
