/* sigmoid_square.c -- phi(m, y) = (s(m) - t)^2, s(m) = leak m + (1 - leak) sig(m), sig(m) = 1 / (1 + e^-m). The target
 * is t = (1 + y)/2 for labels +-1, or t = s(y) if the label is a margin.
 *
 *   phi' = 2 g s',  phi'' = 2 s'^2 + 2 g s'',  phi''' = 6 s' s'' + 2 g s''',  g = s(m) - t
 *
 * are linear in t, so their bounds are those at the two extreme targets, each a supremum over m (engine/extremum.h).
 * |sig^(k)(m)| <= sig(m) sig(-m) <= 1/4 for k = 1, ..., 5, and |m| sig(m) sig(-m) < 1/4, so |s'| <= 1 and
 * |g s^(k)| <= (2 + |t|)/4 for k = 2, ..., 5: no derivative of order 3, 4, 5 exceeds 5 + |t|/2. Where |m| > 60, all but
 * leak m is constant to double precision.
 *
 * If the labels are realisable margins (loss.h), |m|, |y| <= M: (m - y) phi' = 2 (m - y) g s'(m), and g = s'(xi) (m -
 * y) with xi between m and y. So F is quasar-convex with q = min(1, 2 s'(M) / s'(0)), which a leak keeps positive on
 * every domain.
 */
#include "losses/loss.h"

enum { LEAK, TARGET };

static const sp_param params[] = {
    [LEAK]   = { "leak", SP_REAL, 0.0, { 0.0, 0.99 }, "slope of the link far away" },
    [TARGET] = { "target", SP_CHOICE, SP_TARGET_LABEL, { 0, 0 }, "t = (1 + y)/2, or the label is a margin: t = s(y)",
                 SP_TARGETS },
    { 0 }
};

static double residual(double m, double y, sp_numbers p)
{
    const int target = (int)p[TARGET];
    const double zero = target == SP_TARGET_MARGIN ? y : 0.5 * (1.0 + y); /* of the leak's part */
    return p[LEAK] * (m - zero) + (1.0 - p[LEAK]) * sp_sigmoid_minus(m, y, target);
}

static double link_slope(double m, double leak)
{
    return leak + (1.0 - leak) * sp_sigmoid_slope(m);
}

static double value(double m, double y, sp_numbers p)
{
    const double g = residual(m, y, p);
    return g * g;
}

static double slope(double m, double y, sp_numbers p)
{
    return 2.0 * residual(m, y, p) * link_slope(m, p[LEAK]);
}

static double curvature(double m, double y, sp_numbers p)
{
    const double s = link_slope(m, p[LEAK]);
    return 2.0 * s * s + 2.0 * residual(m, y, p) * (1.0 - p[LEAK]) * sp_sigmoid_curvature(m);
}

SP_LINK(value, slope, curvature)

/* --- bounds ----------------------------------------------------------------------------------------------- */

static const double tail = 60.0;

typedef enum { SLOPE, HIGH, LOW, THIRD } quantity;

typedef struct probe {
    double leak, target;
    quantity what;
} probe;

static double at(const void *context, double m)
{
    const probe *p = context;
    const double bent = 1.0 - p->leak, g = p->leak * m + bent * sp_sigmoid(m) - p->target;
    const double v = sp_sigmoid_slope(m), s1 = link_slope(m, p->leak), s2 = bent * sp_sigmoid_curvature(m);
    switch (p->what) {
    case SLOPE: return fabs(2.0 * g * s1);
    case HIGH: return 2.0 * s1 * s1 + 2.0 * g * s2;
    case LOW: return -2.0 * s1 * s1 - 2.0 * g * s2;
    default: return fabs(6.0 * s1 * s2 + 2.0 * g * bent * v * (1.0 - 6.0 * v));
    }
}

static double bound(double leak, double centre, double spread, double range, quantity what)
{
    double out = 0.0;
    for (int end = -1; end <= 1; end += 2) {
        const probe p = { leak, centre + end * spread, what };
        out = fmax(out, sp_supremum(at, &p, -range, range, 5.0 + 0.5 * fabs(p.target)));
    }
    return out;
}

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    const double leak = p[LEAK], M = sp_margin_bound(region), range = fmin(M, tail), half = 0.5 * (1.0 - leak);
    const bool margin = (int)p[TARGET] == SP_TARGET_MARGIN;
    /* targets: centre +- spread; s(0) = half */
    const double centre = margin ? half : 0.5;
    const double spread = (margin ? leak * region->label_bound : 0.0) +
                          (margin ? 1.0 - leak : 1.0) * sp_target_spread(region->label_bound, (int)p[TARGET]);
    const double farthest = fabs(half - centre) + spread; /* sup |s(0) - t| */
    const double missed = leak > 0.0 ? 0.0 : fmax(0.0, farthest - half); /* no m gets closer to that t */
    *out = (sp_link_bounds){
        .slope = bound(leak, centre, spread, range, SLOPE),
        .curvature_high = bound(leak, centre, spread, range, HIGH),
        .curvature_low = bound(leak, centre, spread, range, LOW),
        .third = bound(leak, centre, spread, range, THIRD),
        .gap = farthest * farthest - missed * missed,
    };
    if (leak > 0.0 && M > tail) /* |g| grows with |m|, s' falls */
        out->slope = fmax(out->slope, 2.0 * (leak * M + half + farthest) * link_slope(tail, leak));
}

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    if (region->realisable && (int)p[TARGET] == SP_TARGET_MARGIN)
        out->quasar = fmin(1.0, 2.0 * link_slope(sp_margin_bound(region), p[LEAK]) / link_slope(0.0, p[LEAK]));
}

const sp_loss sp_loss_sigmoid_square = {
    .name = "sigmoid_square",
    .family = "quasar-convex",
    .formula = "(s(<w, x>) - t)^2, s(m) = leak m + (1 - leak) / (1 + exp(-m)); t = (1 + y)/2 (target = label) or s(y) "
               "(margin)",
    .source = "Hazan, Levy & Shalev-Shwartz 2015; Mei, Bai & Montanari 2018",
    .note = "quasar-convex with target = margin and realisable labels, on a bounded domain or with a leak. With a leak "
            "L is finite on a bounded domain alone",
    .params = params,
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
    .classes = classes,
};
