/* prox.c -- computes prox(w) = argmin over v in the domain of Psi(v) = F(v) + rho ||v - w||^2, with a bound on the
 * error (prox.h). rho_w is the certified weak convexity of F; Psi is mu-strongly convex with mu = 2 rho - rho_w > 0.
 *
 * If F is smooth: accelerated projected gradient descent. Otherwise a bundle method:
 * Phi = F + (rho_w/2) ||. - w||^2 is convex, so subgradients s_i of Phi at points v_1, ..., v_k give linear lower
 * bounds ("cuts") Phi(v) >= c_i + <s_i, v - w>. For weights a >= 0 with sum_i a_i = 1,
 *
 *   min Psi >= D(a) = min over the domain of sum_i a_i (c_i + <s_i, v - w>) + (mu/2) ||v - w||^2,
 *
 * and the minimum is at v(a), the projection of w - sum_i a_i s_i / mu onto the domain; dD/da_i = c_i + <s_i, v(a) -
 * w>. D is maximised over a, and the next cut is made at v(a). The best point v so far satisfies
 * (mu/2) ||v - prox(w)||^2 <= Psi(v) - D(a). Without the projection -D is the quadratic a'SS'a / (2 mu) - <c, a>, where
 * the rows of S are the s_i (simplex.h minimises it); if its v(a) is in the domain, the projection changes nothing. All
 * values are relative to F(w), which avoids cancellation. */
#include "losses/optimum/prox.h"

#include "losses/optimum/descent.h"
#include "losses/optimum/simplex.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <string.h>

enum { GRADIENTS_MAX = 2000, CUTS_MAX = 200, CUTS_DOUBLES = 20000000, DUAL_MAX = 500 };

typedef struct prox {
    const sp_problem *problem;
    sp_workspace *workspace;
    const double *w;
    double rho, mu;
    double base;             /* F(w) */
    size_t cuts;
    double *s, *c, *a, *v;   /* s: a cut a row */
    double *Q, *inner;       /* SS' / mu, one row per cut, cuts_max of them; what the inner solvers need */
} prox;

static size_t cuts_max(size_t d)
{
    const size_t most = CUTS_DOUBLES / d;
    return most < 3 ? 3 : most > CUTS_MAX ? CUTS_MAX : most;
}

size_t sp_prox_scratch(const sp_problem *p)
{
    const size_t d = sp_problem_d(p), cuts = cuts_max(d);
    return p->certified.smooth ? 5 * d : cuts * (d + 2 * cuts + 8) + 2 * d;
}

/* --- smooth ------------------------------------------------------------------------------------------------ */

static double square_distance(size_t d, const double *a, const double *b)
{
    double square = 0.0;
    for (size_t j = 0; j < d; j++)
        square += (a[j] - b[j]) * (a[j] - b[j]);
    return square;
}

static sp_status value_at(void *context, const double *v, double *out)
{
    const prox *x = context;
    *out = sp_problem_value(x->problem, x->workspace, v) - x->base +
           x->rho * square_distance(sp_problem_d(x->problem), v, x->w);
    return SP_OK;
}

static sp_status gradient_at(void *context, const double *v, double *out)
{
    const prox *x = context;
    sp_problem_gradient(x->problem, x->workspace, v, out);
    for (size_t j = 0; j < sp_problem_d(x->problem); j++)
        out[j] += 2.0 * x->rho * (v[j] - x->w[j]);
    return SP_OK;
}

static sp_status by_gradients(prox *x, double tolerance, double *v, double *error, double *scratch)
{
    const sp_smooth_function f = { sp_problem_d(x->problem), x, value_at, gradient_at, NULL };
    sp_descent result;
    const sp_status status =
        sp_descend(&f, &x->problem->domain, tolerance * x->mu, GRADIENTS_MAX, v, scratch, &result);
    *error = result.residual / x->mu;
    return status;
}

/* --- any --------------------------------------------------------------------------------------------------- */

/* v(a); returns D(a). */
static double dual(const prox *x, const double *a, double *v)
{
    const size_t d = sp_problem_d(x->problem);
    double sum = 0.0;
    memcpy(v, x->w, d * sizeof *v);
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)x->cuts, (int)d, -1.0 / x->mu, x->s, (int)d, a, 1, 1.0, v, 1);
    sp_domain_project(&x->problem->domain, v);
    for (size_t i = 0; i < x->cuts; i++) {
        double slope = 0.0;
        for (size_t j = 0; j < d; j++)
            slope += x->s[i * d + j] * (v[j] - x->w[j]);
        sum += a[i] * (x->c[i] + slope);
    }
    return sum + 0.5 * x->mu * square_distance(d, v, x->w);
}

static sp_status dual_value(void *context, const double *a, double *out)
{
    const prox *x = context;
    *out = -dual(x, a, x->v);
    return SP_OK;
}

static sp_status dual_gradient(void *context, const double *a, double *out)
{
    const prox *x = context;
    const size_t d = sp_problem_d(x->problem);
    dual(x, a, x->v);
    for (size_t j = 0; j < d; j++)
        x->v[j] -= x->w[j];
    for (size_t i = 0; i < x->cuts; i++)
        out[i] = -x->c[i] - cblas_ddot((int)d, x->s + i * d, 1, x->v, 1);
    return SP_OK;
}

/* A cut at v; returns Psi(v) - F(w). */
static double cut(prox *x, const double *v)
{
    const size_t d = sp_problem_d(x->problem);
    const double bend = 2.0 * x->rho - x->mu, square = square_distance(d, v, x->w);
    const double value = sp_problem_value(x->problem, x->workspace, v) - x->base;
    double *s = x->s + x->cuts * d, slope = 0.0;
    sp_problem_gradient(x->problem, x->workspace, v, s);
    for (size_t j = 0; j < d; j++) {
        s[j] += bend * (v[j] - x->w[j]);
        slope += s[j] * (v[j] - x->w[j]);
    }
    x->c[x->cuts++] = value + 0.5 * bend * square - slope;
    return value + x->rho * square;
}

/* The a of the largest D(a), and its v(a). */
static sp_status solve_dual(prox *x, double wanted, double *v)
{
    const size_t d = sp_problem_d(x->problem), k = x->cuts;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j <= i; j++)
            x->Q[i * k + j] = x->Q[j * k + i] =
                cblas_ddot((int)d, x->s + i * d, 1, x->s + j * d, 1) / x->mu;
    sp_simplex_minimise(k, x->Q, x->c, x->a, x->inner);
    memcpy(v, x->w, d * sizeof *v);
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)k, (int)d, -1.0 / x->mu, x->s, (int)d, x->a, 1, 1.0, v, 1);
    if (sp_domain_contains(&x->problem->domain, v))
        return SP_OK;
    const sp_smooth_function f = { k, x, dual_value, dual_gradient, NULL };
    const sp_domain simplex = { .kind = SP_DOMAIN_SIMPLEX, .d = k, .radius = 1.0, .norm = 1.0 };
    sp_descent result;
    return sp_descend(&f, &simplex, 0.1 * x->mu * wanted * wanted, DUAL_MAX, x->a, x->inner, &result);
}

static sp_status by_cuts(prox *x, double tolerance, double relative, double *v, double *error, double *scratch)
{
    const size_t d = sp_problem_d(x->problem), most = cuts_max(d);
    double *trial = scratch, best = INFINITY, bound = -INFINITY, wanted = tolerance;
    x->v = trial + d;
    x->s = x->v + d;
    x->c = x->s + most * d;
    x->a = x->c + most;
    x->Q = x->a + most;
    x->inner = x->Q + most * most;
    memcpy(trial, v, d * sizeof *v);
    *error = INFINITY;
    while (x->cuts < most && *error > wanted) {
        const double here = cut(x, trial);
        if (!isfinite(here) || !isfinite(x->c[x->cuts - 1]))
            return SP_ENUMERIC;
        if (here < best) {
            best = here;
            memcpy(v, trial, d * sizeof *v);
        }
        const sp_status status = solve_dual(x, wanted, trial);
        if (status != SP_OK)
            return status;
        bound = fmax(bound, dual(x, x->a, trial));
        *error = sqrt(2.0 * fmax(best - bound, 0.0) / x->mu);
        wanted = fmax(tolerance, relative * sqrt(square_distance(d, v, x->w)));
    }
    return SP_OK;
}

sp_status sp_prox(const sp_problem *p, sp_workspace *workspace, double rho, const double *w, double tolerance,
                  double relative, double *v, double *error, double *scratch)
{
    prox x = { .problem = p, .workspace = workspace, .w = w, .rho = rho };
    x.mu = 2.0 * rho - p->certified.weak_convexity;
    if (!(x.mu > 0.0 && rho < INFINITY))
        return SP_EINVAL;
    x.base = sp_problem_value(p, workspace, w);
    if (!isfinite(x.base))
        return SP_ENUMERIC;
    memcpy(v, w, sp_problem_d(p) * sizeof *v);
    sp_domain_project(&p->domain, v);
    return p->certified.smooth ? by_gradients(&x, tolerance, v, error, scratch)
                               : by_cuts(&x, tolerance, relative, v, error, scratch);
}

size_t sp_prox_distance_scratch(const sp_problem *p)
{
    return sp_problem_d(p) + sp_prox_scratch(p);
}

const char *sp_prox_distance_fits(const sp_constants *c)
{
    if (!isfinite(c->weak_convexity))
        return "F is not weakly convex here";
    return c->weak_convexity > 0.0 ? NULL : "F is convex: excess_risk measures it";
}

sp_status sp_prox_distance(const sp_problem *p, sp_workspace *workspace, const double *w, double *scratch,
                           double *distance)
{
    const bool smooth = p->certified.smooth;
    double *v = scratch, error = INFINITY;
    const sp_status status = sp_prox(p, workspace, p->certified.weak_convexity, w, smooth ? 1e-9 : 1e-6,
                                     smooth ? 0.0 : 0.01, v, &error, v + sp_problem_d(p));
    const double found = sqrt(square_distance(sp_problem_d(p), v, w));
    *distance = status == SP_OK && error <= fmax(1e-4, 0.1 * found) ? found : NAN;
    return status;
}
