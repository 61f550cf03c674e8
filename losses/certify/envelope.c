/* envelope.c -- compares the Moreau envelope of a convex Lipschitz link with its definition:
 *
 *   phi_b(m) = min_u phi(u) + (b/2) (u - m)^2,   phi_b' = b (m - prox),   |phi_b'(m) - phi_b'(m')| <= b |m - m'|,
 *   phi - L0^2/(2b) <= phi_b <= phi
 *
 * for the closed form, if the loss has one, and for the bisection. It checks that no u has a lower value, and that prox
 * attains the value. */
#include "losses/certify/parts.h"

#include "losses/engine/envelope.h"

#include <gsl/gsl_randist.h>

typedef enum { BELOW, ATTAINED, SMOOTH, SANDWICH, ABOVE } claim;

typedef struct probe {
    const sp_search *search;
    bool bisect;
    double b;
    claim what;
} probe;

static const double accuracy = 1e-12, farthest = 1e3; /* rounding grows with |m| */

static double phi(const probe *p, double m, double y)
{
    double out;
    p->search->loss->link->value(p->search->number, 1, &m, &y, &out);
    return out;
}

static double envelope(const probe *p, double m, double y, double *slope)
{
    double value;
    (p->bisect ? sp_envelope_bisect : sp_envelope)(p->search->loss, p->search->number, p->b, accuracy, 1, &m, &y,
                                                   &value, slope);
    return value;
}

/* The adversary's numbers: m, y, and another point */
static double score(void *context, const double *v)
{
    const probe *p = context;
    const sp_search *h = p->search;
    const double m = fmax(-farthest, fmin(farthest, v[0] * (1.0 + v[0] * v[0]))), other = m + v[2] * v[2] * v[2];
    const double y = h->loss->labels_binary ? copysign(1.0, v[1]) : h->label_bound * fmax(-1.0, fmin(1.0, v[1]));
    double slope, slope2;
    const double value = envelope(p, m, y, &slope), prox = m - slope / p->b;
    switch (p->what) {
    case BELOW:
        return value - phi(p, other, y) - 0.5 * p->b * (other - m) * (other - m);
    case ATTAINED:
        return fabs(phi(p, prox, y) + 0.5 * p->b * (prox - m) * (prox - m) - value) / (1.0 + fabs(value));
    case SMOOTH:
        envelope(p, other, y, &slope2);
        return fabs(other - m) > 3e-2 / p->b ? fabs(slope2 - slope) / fabs(other - m) : -INFINITY;
    case SANDWICH:
        return phi(p, m, y) - value;
    default:
        return value - phi(p, m, y);
    }
}

void sp_certify_envelope(const sp_search *h)
{
    static const double curvatures[] = { 0.31, 2.385, 17.0 };
    static const char *const names[] = { "b = 0.31", "b = 2.385", "b = 17" };
    const sp_loss *loss = h->loss;
    sp_link_bounds bounds = { 0 };
    if (!sp_search_wants(h, SP_CLAIM_ENVELOPE) || !loss->link || !loss->convex || loss->smooth)
        return;
    const sp_region everywhere = { h->d, h->features, INFINITY, h->radius, h->label_bound, false };
    loss->link_bounds(h->number, &everywhere, &bounds);
    if (bounds.slope == INFINITY)
        return;
    for (size_t i = 0; i < 3; i++)
        for (int bisect = loss->envelope ? 0 : 1; bisect < 2; bisect++) {
            probe p = { h, bisect, curvatures[i], BELOW };
            const double depth = 0.5 * bounds.slope * bounds.slope / p.b;
            const struct {
                const char *what;
                double claimed, required, scale;
            } claims[] = {
                [BELOW] = { "phi_b(m) - phi(u) - (b/2)(u - m)^2", 0.0, 0.0, 1.0 },
                [ATTAINED] = { "phi(prox) + (b/2)(prox - m)^2 - phi_b(m)", 1e-9, 0.0, 1.0 },
                [SMOOTH] = { "smoothness", p.b, 0.97, 1.0 },
                [SANDWICH] = { "phi - phi_b", depth, loss->tight & SP_TIGHT_SLOPE ? 0.97 : 0.0, 1.0 },
                [ABOVE] = { "phi_b - phi", 0.0, 0.0, 1.0 },
            };
            for (p.what = BELOW; p.what <= ABOVE; p.what++)
                sp_judge(h, SP_CLAIM_ENVELOPE, bisect ? "envelope, bisection" : "envelope", claims[p.what].what,
                         names[i], claims[p.what].claimed,
                         fmax(0.0, sp_certify_search(score, &p, 3, h->stream, h->starts, h->steps)),
                         claims[p.what].required, claims[p.what].scale);
        }
}
