/* certificate.c -- computes the bounds of certificate.h that apply to a point, and returns the smallest. */
#include "losses/optimum/certificate.h"

#include "core/numeric/eigen.h"
#include "losses/engine/engine.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <string.h>

/* |<x, u>| up to this times R, ||u|| = 1, is the rounding of an eigenvector that is orthogonal to x. */
static const double orthogonal = 1e-9;

static bool regularised(const sp_problem *p)
{
    return p->regulariser && p->lambda != 0.0;
}

size_t sp_certificate_scratch(const sp_problem *p)
{
    const size_t d = sp_problem_d(p);
    return (d <= SP_DENSE_MAX ? d * d : 0) + 2 * d;
}

static double distance_between(size_t d, const double *a, const double *b)
{
    double square = 0.0;
    for (size_t j = 0; j < d; j++)
        square += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(square);
}

/* mu of a regulariser with a constant second derivative: all else in a convex F is convex. */
static double modulus(const sp_problem *p)
{
    const bool quadratic = regularised(p) && p->regulariser->third == 0.0;
    return quadratic ? p->lambda * p->regulariser->curvature(0.0) : 0.0;
}

static double largest_margin(const sp_problem *p, sp_workspace *s, const double *u)
{
    double largest = 0.0;
    for (size_t first = 0, count; first < p->train->n; first += count) {
        count = sp_block_gather(p, s, (sp_rows){ NULL, p->train->n }, first, SP_ROWS);
        sp_rows_dot(&s->block, u, s->margin[0]);
        for (size_t i = 0; i < count; i++)
            largest = fmax(largest, fabs(s->margin[0][i]));
    }
    return largest;
}

/* The smallest eigenvalue of hess F(w) in the directions that F depends on. */
static sp_status curvature(const sp_problem *p, sp_workspace *s, const double *w, double *H, double *values, double *mu)
{
    const size_t d = sp_problem_d(p);
    const bool by_margin = p->loss->link && !p->loss->public_part && !regularised(p);
    size_t k = 0;
    sp_problem_hessian(p, s, w, H);
    const sp_status status = sp_eigen_all(d, H, values);
    if (status != SP_OK)
        return status;
    while (by_margin && k < d && values[k] <= orthogonal * values[d - 1] &&
           largest_margin(p, s, H + k * d) <= orthogonal * p->certified.radius)
        k++;
    *mu = k < d ? values[k] : INFINITY;
    return SP_OK;
}

sp_status sp_certificate(const sp_problem *p, sp_workspace *s, const double *w, const sp_minorant *f, double *scratch,
                         double *gap)
{
    const size_t d = sp_problem_d(p);
    const double norm = cblas_dnrm2((int)d, f->gradient, 1), strong = modulus(p);
    double *vertex = scratch, *values = vertex + d, *H = values + d;
    double least = norm * fmin(f->distance, distance_between(d, w, p->start) + p->certified.distance), mu = 0.0;
    if (norm == 0.0)
        least = 0.0;
    if (strong > 0.0)
        least = fmin(least, norm * norm / (2.0 * strong));
    if (isfinite(p->domain.norm) && sp_domain_linear_minimise(&p->domain, f->gradient, vertex) == SP_OK)
        least = fmin(least, cblas_ddot((int)d, f->gradient, 1, w, 1) - cblas_ddot((int)d, f->gradient, 1, vertex, 1));
    if (p->certified.smooth && d <= SP_DENSE_MAX) {
        const sp_status status = curvature(p, s, w, H, values, &mu);
        if (status != SP_OK)
            return status;
        if (mu > 0.0 && 8.0 * p->certified.rho_hessian * norm < mu * mu)
            least = fmin(least, norm * norm / mu);
    }
    least = fmax(least, 0.0) + f->kink;
    const double whole = sp_problem_value(p, s, w) - sp_problem_value(p, s, p->start) + p->certified.gap;
    *gap = fmax(fmin(least, whole), 0.0);
    return SP_OK;
}
