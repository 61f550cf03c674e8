/* versine.c -- phi(m, y) = (2 sqrt2/3) (1 - cos r)^(3/2), r = m - y: a GLM whose minimum is degenerate: KL (loss.h)
 * with kappa = 3/2.
 *
 * With v = |sin(r/2)|, c = cos(r/2) signed as sin(r/2):  phi = (8/3) v^3,  phi' = 4 v^2 c,  phi'' = 4 v - 6 v^3, and
 * |phi'''| = |(2 - 9 v^2) c|, of one sign on either side of r = 0. So phi is |r|^3/3 near 0, and
 *
 *   |phi'| <= 8/(3 sqrt3) at v^2 = 2/3,  -2 <= phi'' <= 8 sqrt2/9 at v = 1 and v^2 = 2/9,
 *   |phi'''| <= (14/3) sqrt(7/27) at v^2 = 20/27.
 *
 * If labels are realisable, r phi' / phi = (3/2) r cot(r/2) decreases from 3 for |r| < pi, so the constant q of
 * quasar-convexity is its value at the largest |r|.
 * phi = (1/3) |c|^(-3/2) |phi'|^(3/2), so where |r| <= U < pi for all records, phi <= k |phi'|^(3/2) with k =
 * (2^(3/4)/3) (1 + cos U)^(-3/4). If the records are unit vectors with weights p_j >= p, gradient entry j of F is
 * p_j phi'(r_j), and by Hoelder's inequality F <= k p^(-1/2) d^(1/4) ||grad F||^(3/2). No domain guarantees this for
 * all records: the user must declare it.
 */
#include "losses/loss.h"

static double value(double m, double y, sp_numbers p)
{
    (void)p;
    const double v = fabs(sp_sin(0.5 * (m - y)));
    return 8.0 / 3.0 * v * v * v;
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    const double v = sp_sin(0.5 * (m - y)), c = sp_cos(0.5 * (m - y));
    return 4.0 * v * fabs(v) * c;
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)p;
    const double v = fabs(sp_sin(0.5 * (m - y)));
    return v * (4.0 - 6.0 * v * v);
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    *out = (sp_link_bounds){
        .slope = 8.0 / (3.0 * sqrt(3.0)),
        .curvature_high = 8.0 * M_SQRT2 / 9.0,
        .curvature_low = 2.0,
        .third = 14.0 / 3.0 * sqrt(7.0 / 27.0),
        .gap = value(0.0, fmin(region->label_bound, M_PI), p),
    };
}

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    (void)p;
    const double r = sp_margin_bound(region) + region->label_bound;
    if (region->realisable && r < M_PI)
        out->quasar = r > 0.0 ? fmin(1.0, 1.5 * r * sp_cos(0.5 * r) / sp_sin(0.5 * r)) : 1.0;
}

const sp_loss sp_loss_versine = {
    .name = "versine",
    .family = "KL/PL",
    .formula = "(2 sqrt(2)/3) (1 - cos(<w, x> - y))^(3/2)",
    .source = "ours: a periodic |r|^3/3, KL with kappa = 3/2 where labels are realisable",
    .note = "On records that are unit vectors e_j with labels t_j, a share p or more of each, and |w_j - t_j| <= U < "
            "pi, kappa = 3/2 and gamma^kappa = (2^(3/4)/3) (1 + cos U)^(-3/4) d^(1/4) / sqrt(p): to be declared. Data: "
            "the generator one_hot",
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
    .classes = classes,
};
