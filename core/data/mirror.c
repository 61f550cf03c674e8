/* mirror.c -- the mirror map h(w) = ||w - c||_p^2 / (2 r) about a centre c, and its Bregman projection.
 *
 * Throughout, 1 < p <= 2 is the exponent of the norm, r = p - 1, q = p / (p - 1) the exponent of the dual norm, u =
 * w - c the vector from the centre to w, phi(s) = sign(s) |s|^r, h* the convex conjugate of h, z a point of the dual
 * space, and v the projection of w onto the ball of the given radius about 0.
 *
 *   gradient     grad h(w)_j = phi(u_j) ||u||_p^(1-r) / r
 *   inverse      grad h*(z) = c + r phi^-1(z) ||z||_q^(1-1/r)
 *   projection   onto ||v||_p <= radius. About c = 0 h is radial: v = w radius / ||w||_p. About another centre, with
 *                theta = r grad h(w) and lambda the multiplier of the ball, v satisfies, coordinate by coordinate,
 *                    N^(1-r) phi(v_j - c_j) + lambda phi(v_j) = theta_j,   N = ||v - c||_p,   ||v||_p = radius.
 *                For given (N, lambda) the left side increases in v_j. With a = N^(1-r), the solution is the saddle
 *                point of
 *                    min over v, max over a, lambda of   a ||v - c||_p^p / p - k(a) - <theta, v>
 *                                                        + lambda (||v||_p^p - radius^p) / p,
 *                k convex (||.||_p^2 / 2 is a convex function of ||.||_p^p): concave in (a, lambda). So for given
 *                lambda, ||v - c||_p - N decreases in N, and for its root N, ||v||_p decreases in lambda: two nested
 *                scalar
 *                roots. Brackets: N <= ||w||_p + ||c||_p;  lambda radius^r <= ||theta||_q + N.
 *
 * The equation of a coordinate with c_j > 0 (otherwise change signs), theta in units of c_j^r, s = 1 / r: with v_j =
 * -c_j y, c_j (1 + y), c_j y or c_j (1 - y), y >= 0, and u = y^r, it reads A u + B (1 +- u^s)^r = T, the sign that of
 * B. Its left side is convex and increasing, and Newton's method decreases to the root from
 *   min((T - B) / A,  |(T / B)^s - 1|^r),   the roots without the growth of the second term, and without the first
 *                     term.
 */
#include "core/data/project.h"

#include "core/numeric/math.h"
#include "core/numeric/root.h"

#include <float.h>

static double at(const double *centre, size_t j)
{
    return centre ? centre[j] : 0.0;
}

/* out = phi_e(u) ||u||_(e+1)^(1-e), e > 0: the gradient of ||u||_(e+1)^2 / 2, at u = w - centre. */
static void dual(double e, size_t d, const double *w, const double *centre, double factor, double *restrict out)
{
    const double most = sp_norm_max(d, w, centre), norm = sp_norm_p(e + 1.0, d, w, centre);
    for (size_t j = 0; j < d; j++) {
        const double u = w[j] - at(centre, j);
        out[j] = most > 0.0 ? factor * most * sp_pow(norm / most, 1.0 - e) * copysign(sp_pow(fabs(u) / most, e), u) : u;
    }
}

void sp_mirror_gradient(double p, size_t d, const double *centre, const double *w, double *restrict out)
{
    dual(p - 1.0, d, w, centre, 1.0 / (p - 1.0), out);
}

void sp_mirror_inverse(double p, size_t d, const double *centre, const double *z, double *restrict out)
{
    dual(1.0 / (p - 1.0), d, z, NULL, p - 1.0, out);
    for (size_t j = 0; j < d; j++)
        out[j] += at(centre, j);
}

/* --- projection about a centre ------------------------------------------------------------------------------------ */

/* A projection under way, in the letters of the head. */
typedef struct bregman {
    double p;
    double unit;        /* the largest of radius, |c_j| and |w_j|; the lengths below are in units of it */
    double radius;      /* of the ball */
    double far;         /* ||w||_p + ||c||_p, the upper end of the bracket of N */
    double pull;        /* ||w - c||_p^(1-r) */
    double lambda, N;   /* where the two nested searches stand */
    size_t d;           /* entries of w and of centre */
    const double *w, *centre;
} bregman;

/* y >= 0 with A y^r + B (1 +- y)^r = T; y <= 1/2 where B < 0. */
static double newton(double A, double B, double T, double r)
{
    const double side = B < 0.0 ? -1.0 : 1.0, s = 1.0 / r;
    double u = B < 0.0 ? 1.0 : INFINITY;
    if (B != 0.0 && T / B > 0.0)
        u = sp_pow(fmax(side * sp_expm1(s * sp_log(T / B)), 0.0), r);
    if (A > 0.0)
        u = fmin(u, fmax((T - B) / A, 0.0));
    if (B < 0.0)
        u = fmin(u, sp_pow(0.5, r));
    for (int step = 0; step < 100 && u > 0.0; step++) {
        const double inner = u > 1.0 ? u * sp_pow(1.0 + sp_pow(u, -s), r) : sp_pow(1.0 + side * sp_pow(u, s), r);
        const double down = (A * u + B * inner - T) / (A + fabs(B) * sp_pow(u / inner, s - 1.0));
        if (!(down > DBL_EPSILON * u))
            break;
        u -= fmin(down, u);
    }
    return sp_pow(u, s);
}

/* v with a phi(v - c) + lambda phi(v) = theta. */
static double coordinate(double a, double lambda, double c, double theta, double r)
{
    if (c < 0.0)
        return -coordinate(a, lambda, -c, -theta, r);
    if (c < DBL_MIN)
        return copysign(sp_pow(fabs(theta) / (a + lambda), 1.0 / r), theta);
    const double T = theta / sp_pow(c, r);
    if (T <= -a)
        return -c * newton(lambda, a, -T, r);
    if (T >= lambda)
        return c + c * newton(a, lambda, T, r);
    if ((lambda - a) * sp_pow(0.5, r) >= T)
        return c * newton(lambda, -a, T, r);
    return c - c * newton(a, -lambda, -T, r);
}

static double solved(const bregman *b, size_t j)
{
    const double r = b->p - 1.0, c = b->centre[j] / b->unit, u = b->w[j] / b->unit - c;
    return coordinate(sp_pow(b->N, 1.0 - r), b->lambda, c, b->pull * copysign(sp_pow(fabs(u), r), u), r);
}

/* ||v||_p, or ||v - c||_p. */
static double length(const bregman *b, bool from_centre)
{
    sp_exact_sum sum = { 0.0, 0.0 };
    for (size_t j = 0; j < b->d; j++)
        sp_exact_add(&sum, sp_pow(fabs(solved(b, j) - (from_centre ? b->centre[j] / b->unit : 0.0)), b->p));
    return sp_pow(sp_exact_total(&sum), 1.0 / b->p);
}

static double distance_excess(void *context, double N)
{
    bregman *b = context;
    b->N = N;
    return length(b, true) - N;
}

static double norm_excess(void *context, double lambda)
{
    bregman *b = context;
    b->lambda = lambda;
    b->N = sp_root(distance_excess, b, 0.0, b->far);
    return length(b, false) - b->radius;
}

static void project(double p, const sp_domain *domain, const double *centre, double *w)
{
    const size_t d = domain->d;
    const double r = p - 1.0;
    bregman b = { .p = p, .d = d, .w = w, .centre = centre };
    b.unit = fmax(domain->radius, fmax(sp_norm_max(d, w, NULL), sp_norm_max(d, centre, NULL)));
    b.radius = fmax(domain->radius / b.unit, 1e-150); /* below, the direction of v no longer depends on it */
    b.far = (sp_norm_p(p, d, w, NULL) + sp_norm_p(p, d, centre, NULL)) / b.unit;
    const double away = sp_norm_p(p, d, w, centre) / b.unit;
    b.pull = away > 0.0 ? sp_pow(away, 1.0 - r) : 0.0;
    norm_excess(&b, sp_root(norm_excess, &b, 0.0, (away + b.far) / sp_pow(b.radius, r)));
    const double norm = length(&b, false);
    for (size_t j = 0; j < d; j++)
        w[j] = domain->radius * (solved(&b, j) / norm);
}

sp_status sp_mirror_project(double p, const sp_domain *domain, const double *centre, double *w)
{
    const size_t d = domain->d;
    if (!sp_all_finite(d, w) || (centre && !sp_all_finite(d, centre)))
        return SP_ENUMERIC;
    if (p == 2.0)
        sp_domain_project(domain, w);
    else if (domain->kind == SP_DOMAIN_LP_BALL && domain->p == p) {
        if (sp_domain_contains(domain, w))
            return SP_OK;
        if (!centre || sp_norm_max(d, centre, NULL) == 0.0) {
            const double norm = sp_norm_p(p, d, w, NULL);
            for (size_t j = 0; j < d; j++)
                w[j] = domain->radius * (w[j] / norm);
        } else {
            project(p, domain, centre, w);
        }
    } else if (domain->kind != SP_DOMAIN_SPACE) {
        return SP_EUNSUPPORTED;
    }
    return SP_OK;
}
