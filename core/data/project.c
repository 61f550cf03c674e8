/* project.c -- tests whether a point is in a domain, and computes Euclidean projections P(w): one scalar equation each,
 * without scratch memory. max |w| is the largest entry by magnitude; powers and quotients of vectors are entry by
 * entry.
 *
 *   l2 ball   radius w / ||w||;   box  by coordinate;   polytope: polytope.c
 *   simplex   P(w)_j = max(w_j - theta, 0), sum_j max(w_j - theta, 0) = radius.  Newton's method on theta from the
 *             left: the sum is convex, decreasing and piecewise linear, so theta increases and ends exactly. With z = w
 *             - max w every entry that matters lies in (-radius, 0]: nothing cancels, however large w is. In each step
 *             the excess times the count of entries above theta decreases fourfold: O(log(d / rounding)) passes.
 *   lp ball   P(w) = radius t, rho t + nu t^(p-1) = |w| / max |w| by coordinate, rho = radius / max |w|, ||t||_p = 1.
 *             With y = |w| / max |w|, q = p / (p - 1):  ||y||_q - rho <= nu <= ||y||_q  by the triangle inequality, as
 *             ||t^(p-1)||_q = 1 and ||t||_q <= 1.  ||t(nu)||_p^(1-p) is nearly linear in nu (exactly when rho = 0).
 *             In u = t^(p-1) each equation is convex and increasing, and Newton's method decreases to its root.
 */
#include "core/data/project.h"

#include "core/numeric/math.h"
#include "core/numeric/root.h"

#include <float.h>
#include <gsl/gsl_cblas.h>

/* A gap of 1e-15 D S leaves a point of a polytope up to sqrt(1e-15 D S) from where it is, D and S <= 2 norm. */
static const double forgiven = 1e-12, forgiven_polytope = 1e-7;

void sp_exact_add(sp_exact_sum *s, double x)
{
    const double head = s->head + x;
    s->tail += fabs(s->head) >= fabs(x) ? s->head - head + x : x - head + s->head;
    s->head = head;
}

double sp_exact_total(const sp_exact_sum *s)
{
    return isfinite(s->head) ? s->head + s->tail : s->head;
}

bool sp_all_finite(size_t d, const double *w)
{
    for (size_t j = 0; j < d; j++)
        if (!isfinite(w[j]))
            return false;
    return true;
}

double sp_norm_max(size_t d, const double *w, const double *centre)
{
    double most = 0.0;
    for (size_t j = 0; j < d; j++)
        most = fmax(most, fabs(w[j] - (centre ? centre[j] : 0.0)));
    return most;
}

double sp_norm_p(double p, size_t d, const double *w, const double *centre)
{
    const double most = sp_norm_max(d, w, centre);
    sp_exact_sum sum = { 0.0, 0.0 };
    if (most == 0.0)
        return 0.0;
    for (size_t j = 0; j < d; j++) {
        const double t = fabs(w[j] - (centre ? centre[j] : 0.0)) / most;
        sp_exact_add(&sum, p == 1.0 ? t : sp_pow(t, p));
    }
    return most * sp_pow(sp_exact_total(&sum), 1.0 / p);
}

/* --- simplex and l1 ball ----------------------------------------------------------------------------------------- */

/* Onto the simplex; with `signs` of the moduli, and the signs put back: onto the l1 ball from outside. */
static void project_simplex(size_t d, double radius, bool signs, double *w)
{
    double top = -INFINITY, theta = -radius, rest = 0.0;
    for (size_t j = 0; j < d; j++)
        top = fmax(top, signs ? fabs(w[j]) : w[j]);
    for (bool exact = false; !exact;) {
        sp_exact_sum excess = { -radius, 0.0 };
        double count = 0.0;
        for (size_t j = 0; j < d; j++) {
            const double above = (signs ? fabs(w[j]) : w[j]) - top - theta;
            if (above > 0.0) {
                sp_exact_add(&excess, above);
                count += 1.0;
            }
        }
        rest = sp_exact_total(&excess) / count; /* the last one is below theta's rounding, and is kept beside it */
        exact = !(theta + rest > theta);
        theta += exact ? 0.0 : rest;
    }
    for (size_t j = 0; j < d; j++) {
        const double above = fmax((signs ? fabs(w[j]) : w[j]) - top - theta - rest, 0.0);
        w[j] = signs ? copysign(above, w[j]) : above;
    }
}

/* --- lp ball ------------------------------------------------------------------------------------------------------ */

typedef struct lp_equation {
    double p;        /* exponent of the norm */
    double rho;      /* radius of the ball / top */
    double top;      /* max |w| */
    size_t d;        /* entries of w */
    const double *w;
} lp_equation;

/* t >= 0 with rho t + nu t^(p-1) = y, 0 <= y <= 1. */
static double coordinate(const lp_equation *e, double nu, double y)
{
    const double r = e->p - 1.0;
    if (y == 0.0)
        return 0.0;
    double u = fmin(nu > 0.0 ? y / nu : INFINITY, e->rho > 0.0 ? sp_pow(y / e->rho, r) : INFINITY);
    for (int step = 0; step < 100; step++) {
        const double power = e->rho * sp_pow(u, 1.0 / r);
        const double down = u * ((power + nu * u - y) / (power / r + nu * u));
        if (!(down > DBL_EPSILON * u))
            break;
        u -= down;
    }
    return sp_pow(u, 1.0 / r);
}

static double length(const lp_equation *e, double nu)
{
    sp_exact_sum sum = { 0.0, 0.0 };
    for (size_t j = 0; j < e->d; j++)
        sp_exact_add(&sum, sp_pow(coordinate(e, nu, fabs(e->w[j]) / e->top), e->p));
    return sp_pow(sp_exact_total(&sum), 1.0 / e->p);
}

static double lp_excess(void *context, double nu)
{
    const lp_equation *e = context;
    return 1.0 - sp_pow(length(e, nu), 1.0 - e->p);
}

/* From outside. */
static void project_lp_ball(double p, size_t d, double radius, double *w)
{
    const double top = sp_norm_max(d, w, NULL);
    lp_equation e = { .p = p, .rho = radius / top, .top = top, .d = d, .w = w };
    sp_exact_sum sum = { 0.0, 0.0 };
    for (size_t j = 0; j < d; j++)
        sp_exact_add(&sum, sp_pow(fabs(w[j]) / top, p / (p - 1.0)));
    const double high = sp_pow(sp_exact_total(&sum), (p - 1.0) / p);
    const double nu = sp_root(lp_excess, &e, fmax(0.0, high - e.rho), high);
    const double norm = length(&e, nu);
    for (size_t j = 0; j < d; j++)
        w[j] = copysign(radius * (coordinate(&e, nu, fabs(w[j]) / top) / norm), w[j]);
}

/* --- any domain --------------------------------------------------------------------------------------------------- */

static bool in_simplex(const sp_domain *domain, const double *w)
{
    sp_exact_sum excess = { -domain->radius, 0.0 };
    for (size_t j = 0; j < domain->d; j++) {
        if (w[j] < -forgiven * domain->radius)
            return false;
        sp_exact_add(&excess, w[j]);
    }
    return fabs(sp_exact_total(&excess)) <= forgiven * domain->radius;
}

static bool in_box(const sp_domain *domain, const double *w)
{
    const double slack = forgiven * fmax(fabs(domain->low), fabs(domain->high));
    for (size_t j = 0; j < domain->d; j++)
        if (w[j] < domain->low - slack || w[j] > domain->high + slack)
            return false;
    return true;
}

/* Coordinate j of the mean of the vertices. */
static double mean(const sp_domain *domain, const double *weight, size_t j)
{
    double sum = 0.0;
    for (size_t k = 0; k < domain->vertices; k++)
        sum += weight[k] * domain->vertex[k * domain->d + j];
    return sum;
}

/* ||w - P(w)||, and the weights of P(w). */
static double outside(const sp_domain *domain, const double *w, double *weight)
{
    double distance = 0.0;
    sp_project_polytope(domain, w, weight);
    for (size_t j = 0; j < domain->d; j++)
        distance = sp_hypot(distance, mean(domain, weight, j) - w[j]);
    return distance;
}

bool sp_domain_contains(const sp_domain *domain, const double *w)
{
    const double most = domain->radius * (1.0 + forgiven);
    double weight[SP_POLYTOPE_MAX];
    if (!sp_all_finite(domain->d, w))
        return false;
    switch (domain->kind) {
    case SP_DOMAIN_SPACE:
        return true;
    case SP_DOMAIN_L2_BALL:
        return cblas_dnrm2((int)domain->d, w, 1) <= most;
    case SP_DOMAIN_L1_BALL:
        return sp_norm_p(1.0, domain->d, w, NULL) <= most;
    case SP_DOMAIN_LP_BALL:
        return sp_norm_p(domain->p, domain->d, w, NULL) <= most;
    case SP_DOMAIN_SIMPLEX:
        return in_simplex(domain, w);
    case SP_DOMAIN_BOX:
        return in_box(domain, w);
    case SP_DOMAIN_POLYTOPE:
        return outside(domain, w, weight) <= forgiven_polytope * domain->norm;
    }
    return false;
}

void sp_domain_project(const sp_domain *domain, double *w)
{
    const size_t d = domain->d;
    double length, weight[SP_POLYTOPE_MAX];
    if (!sp_all_finite(d, w))
        return;
    if (domain->kind == SP_DOMAIN_POLYTOPE) {
        if (outside(domain, w, weight) > forgiven * domain->norm)
            for (size_t j = 0; j < d; j++)
                w[j] = mean(domain, weight, j);
        return;
    }
    if (sp_domain_contains(domain, w))
        return;
    switch (domain->kind) {
    case SP_DOMAIN_L2_BALL:
        length = cblas_dnrm2((int)d, w, 1);
        for (size_t j = 0; j < d; j++)
            w[j] = domain->radius * (w[j] / length);
        break;
    case SP_DOMAIN_LP_BALL:
        project_lp_ball(domain->p, d, domain->radius, w);
        break;
    case SP_DOMAIN_BOX:
        for (size_t j = 0; j < d; j++)
            w[j] = fmin(fmax(w[j], domain->low), domain->high);
        break;
    default:
        project_simplex(d, domain->radius, domain->kind == SP_DOMAIN_L1_BALL, w);
    }
}

/* A simplex forgives 1e-12 of the radius in each entry below 0, and in the sum, which has to be brought back: in l2
 * less than sqrt d and d + 1 of these. On a polytope the root of the gap (domain.h), D being at most twice the norm. */
double sp_domain_slack(const sp_domain *domain, double far)
{
    const double norm = domain->norm, d = (double)domain->d;
    switch (domain->kind) {
    case SP_DOMAIN_SPACE:
        return 0.0;
    case SP_DOMAIN_LP_BALL:
        return (forgiven + 1e-14 / (domain->p - 1.0)) * (norm + far);
    case SP_DOMAIN_SIMPLEX:
        return 3.0 * d * forgiven * (norm + far);
    case SP_DOMAIN_POLYTOPE:
        return sqrt(forgiven * 2.0 * norm * (2.0 * norm + far));
    default:
        return forgiven * (norm + far);
    }
}
