/* reference.c -- F*: closed form, trust-region Newton with a certificate, or the best of several starts.
 *
 * Certificates for a convex F at w, g = grad F(w); the smallest counts.
 *   curvature  mu = lambda_min(hess F(w)) > 0 and 8 rho_H ||g|| < mu^2: within ||v|| <= mu/(2 rho_H) the Hessian stays
 *              above mu/2, so F(w + v) >= F(w) - ||g|| ||v|| + mu ||v||^2/4, which exceeds F(w) on the boundary: the
 *              minimiser is inside and F(w) - F* <= ||g||^2 / mu.
 *   distance   F(w) - F* <= <g, w - w*> <= ||g|| (||w - w0|| + D) for a known D >= ||w0 - w*||
 *   ball       F(w) - F* <= max over the ball of <g, w - v> = <g, w> + B ||g||
 *   gap        F(w) - F* <= F(w) - F(w0) + gap, the certified gap
 *
 * On a ball a start whose free minimiser lies outside goes on by projected gradient steps from its projection.
 */
#include "losses/engine/reference.h"

#include "core/base/eigen.h"
#include "core/base/memory.h"
#include "core/base/trust_region.h"
#include "losses/engine/engine.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double gradient_tolerance = 1e-12; /* times max(1, L_data): rounding of the gradient */
static const double agreement = 1e-9, certain = 1e-6;
enum { NEWTON_MAX = 300, PROJECTED_MAX = 20000 };

typedef struct solver {
    const sp_problem *problem;
    sp_workspace *workspace;
    double *w, *trial, *g; /* d each; after g room for d x d more */
} solver;

static sp_status value_at(void *context, const double *w, double *out)
{
    solver *s = context;
    *out = sp_problem_value(s->problem, s->workspace, w);
    return SP_OK;
}

static sp_status gradient_at(void *context, const double *w, double *out)
{
    solver *s = context;
    sp_problem_gradient(s->problem, s->workspace, w, out);
    return SP_OK;
}

static sp_status hessian_at(void *context, const double *w, double *out)
{
    solver *s = context;
    sp_problem_hessian(s->problem, s->workspace, w, out);
    return SP_OK;
}

/* w <- P(w - eta g) with eta halved until F falls by <g, w - w+> / 2, doubled after. */
static double projected_gradient(solver *s, double value)
{
    const size_t d = s->problem->train->d;
    double eta = 1.0;
    for (int k = 0; k < PROJECTED_MAX; k++) {
        double next = NAN, progress = 0.0;
        sp_problem_gradient(s->problem, s->workspace, s->w, s->g);
        do {
            for (size_t j = 0; j < d; j++)
                s->trial[j] = s->w[j] - eta * s->g[j];
            sp_domain_project(&s->problem->domain, s->trial);
            progress = 0.0;
            for (size_t j = 0; j < d; j++)
                progress += s->g[j] * (s->w[j] - s->trial[j]);
            next = sp_problem_value(s->problem, s->workspace, s->trial);
            eta *= 0.5;
        } while (!(next <= value - 0.5 * progress) && eta > 1e-18);
        if (!(next < value))
            break;
        memcpy(s->w, s->trial, d * sizeof *s->w);
        value = next;
        eta *= 4.0;
    }
    return value;
}

/* A local minimum over the domain from s->w; its place in s->w, its value in *out. */
static sp_status minimise(solver *s, double *out)
{
    const sp_domain *domain = &s->problem->domain;
    const sp_smooth_function f = { s->problem->train->d, s, value_at, gradient_at, hessian_at };
    const double tolerance = gradient_tolerance * fmax(1.0, s->problem->certified.L_data);
    sp_trust_region_result result;
    const sp_status status = sp_trust_region(&f, tolerance, NEWTON_MAX, s->w, &result);
    if (status != SP_OK)
        return status;
    *out = result.value;
    if (!sp_domain_contains(domain, s->w)) {
        sp_domain_project(domain, s->w);
        *out = projected_gradient(s, sp_problem_value(s->problem, s->workspace, s->w));
    }
    return SP_OK;
}

static bool known(const sp_problem *p, double *w)
{
    const sp_tilt *tilt = p->loss->tilt;
    if (p->regulariser && p->lambda != 0.0)
        return false;
    if (!tilt || !tilt->minimiser)
        return false;
    bool level = true, flat = p->certified.L_data == 0.0;
    for (size_t j = 0; j < p->train->d; j++)
        level = level && p->train->mean[j] == 0.0;
    tilt->minimiser(p->number, p->train->d, w);
    return (level || flat) && sp_domain_contains(&p->domain, w);
}

sp_status sp_convex_gap(const sp_problem *p, sp_workspace *workspace, const double *w, double *scratch, double *gap,
                        double *gradient_norm)
{
    const size_t d = p->train->d;
    double *g = scratch, *H = scratch + d, mu = 0.0, moved = 0.0;
    sp_problem_gradient(p, workspace, w, g);
    sp_problem_hessian(p, workspace, w, H);
    const sp_status status = sp_eigen_smallest(d, H, &mu, NULL);
    if (status != SP_OK)
        return status;
    const double norm = cblas_dnrm2((int)d, g, 1);
    for (size_t j = 0; j < d; j++)
        moved += (w[j] - p->start[j]) * (w[j] - p->start[j]);
    double least = sp_problem_value(p, workspace, w) - sp_problem_value(p, workspace, p->start) + p->certified.gap;
    least = fmin(least, norm * (sqrt(moved) + p->certified.distance));
    if (mu > 0.0 && 8.0 * p->certified.rho_hessian * norm < mu * mu)
        least = fmin(least, norm * norm / mu);
    if (isfinite(p->domain.radius))
        least = fmin(least, cblas_ddot((int)d, g, 1, w, 1) + p->domain.radius * norm);
    *gap = fmax(least, 0.0);
    *gradient_norm = norm;
    return SP_OK;
}

static sp_status convex(solver *s, sp_reference *out)
{
    sp_status status = SP_OK;
    double norm = 0.0;
    memcpy(s->w, s->problem->start, s->problem->train->d * sizeof *s->w);
    SP_TRY(minimise(s, &out->value));
    SP_TRY(sp_convex_gap(s->problem, s->workspace, s->w, s->g, &out->error, &norm));
    out->error = fmax(out->error, DBL_EPSILON * fmax(1.0, fabs(out->value))); /* F itself is rounded */
    if (out->error <= certain * fmax(1.0, fabs(out->value)))
        snprintf(out->method, sizeof out->method, "convex, gap %.1g", out->error);
    else
        snprintf(out->method, sizeof out->method, "convex, grad %.1g", norm);
cleanup:
    return status;
}

/* Start k: the problem's own, 0, then Gaussian ones of deviation 1/2, 1, 2, 4, 1/2, ... in the domain. */
static void start(solver *s, size_t k, gsl_rng *stream)
{
    const size_t d = s->problem->train->d;
    if (k == 0)
        memcpy(s->w, s->problem->start, d * sizeof *s->w);
    else
        for (size_t j = 0; j < d; j++)
            s->w[j] = k == 1 ? 0.0 : gsl_ran_gaussian(stream, ldexp(0.5, (int)((k - 2) % 4)));
    sp_domain_project(&s->problem->domain, s->w);
}

static sp_status multistart(solver *s, size_t starts, gsl_rng *stream, double *values, sp_reference *out)
{
    sp_status status = SP_OK;
    size_t agree = 0;
    out->value = INFINITY;
    for (size_t k = 0; k < starts; k++) {
        start(s, k, stream);
        SP_TRY(minimise(s, &values[k]));
        out->value = fmin(out->value, values[k]);
    }
    for (size_t k = 0; k < starts; k++)
        agree += values[k] - out->value <= agreement * fmax(1.0, fabs(out->value));
    out->error = INFINITY;
    snprintf(out->method, sizeof out->method, "multistart %zu, %zu agree", starts, agree);
cleanup:
    return status;
}

sp_status sp_reference_compute(const sp_problem *p, size_t starts, gsl_rng *stream, sp_reference *out, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t d = p->train->d;
    double *memory = NULL, *values = NULL;
    solver s = { p, NULL, NULL, NULL, NULL };
    *out = (sp_reference){ 0.0, 0.0, "closed" };
    /* real labels y = <w*, x>: every record is at its minimum 0 */
    if (p->loss->link && p->realisable && !p->loss->labels_binary && p->domain.kind == SP_DOMAIN_SPACE &&
        (!p->regulariser || p->lambda == 0.0))
        return SP_OK;
    if (starts == 0)
        return sp_fail(error, SP_EINVAL, "starts = 0: a reference needs at least one");
    memory = sp_alloc(d, (d + 3) * sizeof *memory);
    values = sp_alloc_doubles(starts);
    s.workspace = sp_workspace_new(p);
    SP_TRY(memory && values && s.workspace ? SP_OK : SP_ENOMEM);
    s.w = memory, s.trial = s.w + d, s.g = s.trial + d;
    if (known(p, s.w))
        out->value = sp_problem_value(p, s.workspace, s.w);
    else if (p->certified.convex)
        SP_TRY(convex(&s, out));
    else
        SP_TRY(multistart(&s, starts, stream, values, out));
cleanup:
    if (status != SP_OK)
        sp_fail(error, status, "reference F* of %s: %s", p->loss->name, sp_status_text(status));
    sp_workspace_free(s.workspace);
    free(values);
    free(memory);
    return status;
}
