/* envelope.c -- the Moreau envelope phi_b of a link phi (envelope.h) by bisection, where the loss has no closed form.
 *
 * phi is convex and L0-Lipschitz in the margin m. prox = argmin over u of phi(u) + (b/2) (u - m)^2 is within L0/b of m,
 * and phi'(u) + b (u - m) (phi' any subgradient) increases in u, so its sign halves the bracket [low, high] around
 * prox. The middle u of the last bracket is used: the slope b (m - u) has an error of at most b (high - low)/2, and the
 * value one of at most 2 L0 times the distance of u to prox, because phi + (b/2) (. - m)^2 is 2 L0-Lipschitz there.
 */
#include "losses/engine/envelope.h"

double sp_envelope_lipschitz(const sp_loss *loss, sp_numbers p)
{
    const sp_region all = { .d = 1, .features = 1, .norm = INFINITY, .radius = 1.0, .label_bound = 1.0 };
    sp_link_bounds bounds;
    loss->link_bounds(p, &all, &bounds);
    return bounds.slope;
}

static double prox(const sp_loss *loss, sp_numbers p, double b, double accuracy, double L0, double m, double y)
{
    double low = m - L0 / b, high = m + L0 / b, u = m, slope;
    while (0.5 * b * (high - low) > accuracy) {
        u = 0.5 * low + 0.5 * high;
        if (u <= low || u >= high) /* neighbours in double */
            break;
        loss->link->slope(p, 1, &u, &y, &slope);
        slope += b * (u - m);
        if (slope >= 0.0)
            high = u;
        if (slope <= 0.0)
            low = u;
    }
    return 0.5 * low + 0.5 * high;
}

void sp_envelope_bisect(const sp_loss *loss, sp_numbers p, double b, double accuracy, size_t count, const double *m,
                        const double *y, double *restrict value, double *restrict slope)
{
    const double L0 = sp_envelope_lipschitz(loss, p);
    for (size_t i = 0; i < count; i++) {
        const double u = prox(loss, p, b, accuracy, L0, m[i], y[i]);
        if (value) {
            loss->link->value(p, 1, &u, &y[i], &value[i]);
            value[i] += 0.5 * b * (u - m[i]) * (u - m[i]);
        }
        if (slope) { /* NaN stays: such a record counts nothing */
            const double s = b * (m[i] - u);
            slope[i] = s > L0 ? L0 : s < -L0 ? -L0 : s;
        }
    }
}

void sp_envelope(const sp_loss *loss, sp_numbers p, double b, double accuracy, size_t count, const double *m,
                 const double *y, double *restrict value, double *restrict slope)
{
    if (!loss->envelope) {
        sp_envelope_bisect(loss, p, b, accuracy, count, m, y, value, slope);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        double v, s;
        loss->envelope(p, b, m[i], y[i], &v, &s);
        if (value)
            value[i] = v;
        if (slope)
            slope[i] = s;
    }
}
