/* absolute_sigmoid.c -- phi(m, y) = |sig(m) - t|, m = <w, x>, sig(m) = 1 / (1 + e^-m): weakly convex and not smooth.
 * t = (1 + y)/2 with target = label, t = sig(y) with target = margin.
 *
 *   |phi'| = sig'(m) <= 1/4;  phi'' = +-sig''(m) >= -1/(6 sqrt 3) away from the kink
 *
 * The kink at sig(m) = t, 0 < t < 1, is convex (sig' > 0), so the weak convexity is sup(-phi'') = 1/(6 sqrt 3).
 *
 * Target = margin and realisable (y = <w*, x> for a w* in the domain), |m|, |y| <= M: then (m - y) phi' = |m - y|
 * sig'(m) and phi = |m - y| sig'(xi) for some xi between m and y, so F is quasar-convex, <grad F(w), w - w*> >= q (F(w)
 * - F*), with q = sig'(M) / sig'(0).
 */
#include "losses/loss.h"

enum { TARGET };

static const sp_param params[] = {
    [TARGET] = { "target", SP_CHOICE, SP_TARGET_LABEL, { 0, 0 }, "t = (1 + y)/2, or the label is a margin: t = sig(y)",
                 SP_TARGETS },
    { 0 }
};

static double side(double m, double y, sp_numbers p)
{
    const double r = sp_sigmoid_minus(m, y, (int)p[TARGET]);
    return r != 0.0 ? r / fabs(r) : 0.0; /* what is not a number stays so */
}

static double value(double m, double y, sp_numbers p)
{
    return fabs(sp_sigmoid_minus(m, y, (int)p[TARGET]));
}

static double slope(double m, double y, sp_numbers p)
{
    return side(m, y, p) * sp_sigmoid_slope(m);
}

static double curvature(double m, double y, sp_numbers p)
{
    return side(m, y, p) * sp_sigmoid_curvature(m);
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    const double spread = sp_target_spread(region->label_bound, (int)p[TARGET]);
    *out = (sp_link_bounds){ .slope = 0.25, .curvature_high = INFINITY, .curvature_low = SP_SIGMOID_CURVATURE,
                             .third = INFINITY, .gap = fmin(0.5, spread) };
}

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    if (region->realisable && (int)p[TARGET] == SP_TARGET_MARGIN)
        out->quasar = 4.0 * sp_sigmoid_slope(sp_margin_bound(region));
}

const sp_loss sp_loss_absolute_sigmoid = {
    .name = "absolute_sigmoid",
    .family = "weakly convex",
    .formula = "|sig(<w, x>) - t|, sig(m) = 1 / (1 + exp(-m)); t = (1 + y)/2 (target = label) or sig(y) (margin)",
    .source = "a neuron with absolute residual, after Bassily, Guzman & Menart 2021, section 6",
    .note = "labels -1 and +1 with target = label give the smooth sigmoid loss: the kink needs 0 < t < 1. Quasar-"
            "convex with target = margin and realisable labels on a bounded domain",
    .params = params,
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_SLOPE | SP_TIGHT_LOW | SP_TIGHT_GAP,
    .classes = classes,
};
