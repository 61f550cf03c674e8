/* circular.c -- f(w, x) = mean of 1 - cos(u_j - theta_j) over the d angles theta_j of a record: the location of angles.
 *
 *   f(w, x) = (1/d) sum_j (1 - cos(u_j - theta_j)),  u_j = sqrt d w_j
 *
 * A record contains the 2 d numbers x = (cos theta_j, sin theta_j)_j / sqrt d. Each pair is clipped to the disc of
 * radius 1 / sqrt d when the record is stored. f is affine in x, so F is f at the mean record. With A_j and phi_j the
 * modulus (times sqrt d) and the angle of its pair j,
 *
 *   F(w) = 1 - (1/d) sum_j A_j cos(u_j - phi_j),  0 <= A_j <= 1,
 *
 * with Hessian diag(A_j cos(u_j - phi_j)) and a minimiser at u_j = phi_j. A stationary point has u_j - phi_j = k_j pi
 * where A_j > 0; it is a minimum, or has the eigenvalue -A_j < 0 for an odd k_j. All constants are global and attained
 * by one record. Gap on a ball of radius B: cos(v - a) - cos v <= 2 sin(a/2) for 0 <= a <= pi, which is concave in a,
 * so the mean of these over a_j = sqrt d |w_j| is largest if all |w_j| are B / sqrt d.
 *
 * On |u_j - phi_j| <= U < pi for all j, and with A_j >= A, F is q-quasar-convex with q = min(1, U cot(U/2)), since
 * v sin v / (1 - cos v) = v cot(v/2) decreases; and KL with kappa = 2 and gamma^2 = 1/(A (1 + cos U)), since
 * (1 - cos v) / sin^2 v = 1/(1 + cos v). No domain guarantees this for all records: the user must declare it.
 */
#include "losses/loss.h"

static size_t dimension(sp_numbers p, size_t features)
{
    (void)p;
    return features % 2 == 0 ? features / 2 : 0;
}

static size_t scratch_size(sp_numbers p, size_t features)
{
    (void)p, (void)features;
    return 0;
}

static double value(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch)
{
    (void)p, (void)y, (void)scratch;
    return sp_angles(1.0, features / 2, x, w);
}

static void gradient(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch,
                     double *restrict out)
{
    (void)p, (void)y, (void)scratch;
    sp_angles_query(1.0, 0, features / 2, x, 1, &(sp_term){ 1.0, w }, out);
}

static void product(sp_numbers p, size_t features, const double *x, double y, const double *w, const double *v,
                    double *scratch, double *restrict out)
{
    (void)p, (void)y, (void)scratch;
    sp_angles_product(1.0, features / 2, x, w, v, out);
}

static void bounds(sp_numbers p, const sp_region *region, sp_record_bounds *out)
{
    (void)p;
    *out = (sp_record_bounds){ .slope = 1.0, .curvature_high = 1.0, .curvature_low = 1.0,
                               .third = sqrt((double)region->d), .gap = 2.0 * sp_sin(0.5 * fmin(region->norm, M_PI)) };
}

static void clip(size_t features, double *restrict x)
{
    sp_angles_clip(features / 2, x);
}

static double change(sp_numbers p, size_t features, const double *x, const double *w, const double *c)
{
    (void)p;
    return sp_angles_change(1.0, features / 2, x, w, c);
}

static void query(sp_numbers p, size_t features, const double *x, size_t terms, const sp_term *term,
                  double *restrict out)
{
    (void)p;
    sp_angles_query(1.0, 0, features / 2, x, terms, term, out);
}

static double largest(sp_numbers p, size_t d, size_t terms, const sp_term *term, sp_norm norm)
{
    (void)p;
    return sp_angles_largest(1.0, 0, d, terms, term, norm);
}

static bool minimiser(sp_numbers p, size_t d, const double *mean, double *restrict w)
{
    (void)p;
    sp_angles_minimiser(d, mean, w);
    return true;
}

static void whole(sp_numbers p, size_t d, double *up, double *gap, double *distance)
{
    (void)p, (void)d;
    *up = 1.0;
    *gap = 2.0;
    *distance = M_PI; /* |u_j| <= pi */
}

static const sp_record_map map = { "circular", clip };
static const sp_affine affine = { &map, change, query, largest, minimiser, whole, .cosines = 1.0 };
static const sp_record_form record = { .dimension = dimension, .wanted = "an even number, a pair for each angle",
                                       .scratch = scratch_size, .value = value, .gradient = gradient,
                                       .product = product, .bounds = bounds, .affine = &affine };

static void classes(sp_numbers p, const sp_region *region, sp_classes *out)
{
    (void)p, (void)region;
    out->strict_saddle = true;
}

const sp_loss sp_loss_circular = {
    .name = "circular",
    .family = "strict saddle",
    .formula = "(1/d) sum_j (1 - cos(sqrt(d) w_j - theta_j)), x = (cos theta_j, sin theta_j)_j / sqrt(d)",
    .source = "ours: location of angles; F* = 1 - (1/sqrt(d)) sum_j |mean pair j|",
    .note = "2 d features, each pair clipped to the disc 1/sqrt(d) first. On |sqrt(d) w_j - phi_j| <= U < pi, phi_j "
            "the angle of mean pair j, q = min(1, U cot(U/2)) and gamma^2 = 1/(A (1 + cos U)), A <= sqrt(d) |mean "
            "pair j| for all j: to be declared. Data: the generator angles",
    .record = &record,
    .tight = SP_TIGHT_ALL,
    .smooth = true,
    .labels_unused = true,
    .classes = classes,
};
