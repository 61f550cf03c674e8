/* pca_quartic.c -- the leading eigenvector as a strict-saddle problem: phi(m) = -m^2/2, m = <w, x>, and h(w) =
 * ||w||^4/4.
 *
 * F(w) = -<w, S w>/2 + ||w||^4/4, S = mean(x x'), with eigenvalues lambda_1 >= lambda_2 ... Stationary points are 0 and
 * the eigenvectors w with ||w||^2 = lambda > 0. At 0 the smallest eigenvalue of the Hessian is -lambda_1; at an
 * eigenvector the direction v_1 has curvature lambda - lambda_1. So a stationary point is a strict saddle, or has
 * F = -lambda_1^2/4 = F*.
 *
 * On ||w|| <= B: |phi'| = |m| <= R B; grad h = ||w||^2 w, hess h = ||w||^2 I + 2 w w', and the third derivative along a
 * unit vector v is 6 <w, v> <= 6 B.
 */
#include "losses/loss.h"

static double link_value(double m, double y, sp_numbers p)
{
    (void)y, (void)p;
    return -0.5 * m * m;
}

static double link_slope(double m, double y, sp_numbers p)
{
    (void)y, (void)p;
    return -m;
}

static double link_curvature(double m, double y, sp_numbers p)
{
    (void)m, (void)y, (void)p;
    return -1.0;
}

SP_LINK(link_value, link_slope, link_curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p;
    const double M = sp_margin_bound(region);
    *out = (sp_link_bounds){ .slope = M, .curvature_low = 1.0, .gap = 0.5 * M * M };
}

static double square(size_t d, const double *w)
{
    const double r = sp_spherical_radius(0.0, d, w);
    return r * r;
}

static double value(sp_numbers p, size_t d, const double *w)
{
    (void)p;
    return 0.25 * square(d, w) * square(d, w);
}

static void gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    (void)p;
    sp_spherical_gradient(square(d, w), 0.0, d, w, out);
}

static void hessian(sp_numbers p, size_t d, const double *w, double *restrict H)
{
    (void)p;
    sp_spherical_hessian(square(d, w), 3.0 * square(d, w), 0.0, d, w, H);
}

static void product(sp_numbers p, size_t d, const double *w, const double *v, double *restrict out)
{
    (void)p;
    sp_spherical_product(square(d, w), 3.0 * square(d, w), 0.0, d, w, v, out);
}

static void bounds(sp_numbers p, const sp_region *region, sp_public_bounds *out)
{
    (void)p;
    const double B = region->norm;
    *out = (sp_public_bounds){ .slope = B * B * B, .curvature_high = 3.0 * B * B, .third = 6.0 * B };
}

static const sp_public_part public_part = { value, gradient, hessian, product, bounds };

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    (void)p, (void)region;
    out->strict_saddle = true;
}

const sp_loss sp_loss_pca_quartic = {
    .name = "pca_quartic",
    .family = "strict saddle",
    .formula = "-<w, x>^2 / 2 + ||w||^4 / 4",
    .source =
        "after Ge, Jin & Zheng 2017: symmetric rank-one factorisation of mean(x x'); minima +-sqrt(lambda_1) v_1, "
        "F* = -lambda_1^2 / 4",
    .note = "needs a bounded domain; the minima are within R of 0, so let it contain the ball of radius R",
    .link = &link,
    .link_bounds = link_bounds,
    .public_part = &public_part,
    .tight = SP_TIGHT_ALL,
    .public_tight = SP_TIGHT_ALL,
    .smooth = true,
    .labels_unused = true,
    .classes = classes,
};
