/* descent.c -- accelerated projected gradient descent; Newton's method by conjugate gradients; Newton's method in a
 * box.
 *
 * Certificate of the accelerated method. Let G = l (y - w), w = P(y - grad F(y) / l) with P the projection, and
 * F(w) <= F(y) + <grad F(y), w - y> + (l/2) ||w - y||^2 (the condition of the backtracking). For a mu-strongly convex F
 * and v in the domain (Nesterov 2004, Theorem 2.2.7)
 *
 *   F(v) >= F(w) + <G, v - y> + ||G||^2 / (2 l) + (mu/2) ||v - y||^2,
 *
 * so F(w) - F* <= ||G||^2 / (2 mu) and, with (mu/2) ||w - w*||^2 <= F(w) - F*, ||w - w*|| <= ||G|| / mu. */
#include "losses/optimum/descent.h"

#include <float.h>
#include <gsl/gsl_cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double steepest = 1e18; /* no curvature is above it */
enum { CONJUGATE_MAX = 500, IDLE_MAX = 3 };

static double rounding_of(double value)
{
    return 10.0 * DBL_EPSILON * fmax(1.0, fabs(value));
}

/* Where F's rounding hides the model's error, the change of the gradient along the step tells it, to first order:
 * F(next) - F(y) - <g, next - y> = <grad F(next) - g, next - y> / 2. */
static sp_status fits_model(const sp_smooth_function *f, const double *y, const double *g, double l, const double *next,
                            double square, double excess, double rounding, double *change, bool *fits)
{
    sp_status status = SP_OK;
    *fits = excess <= 0.5 * l * square;
    if (l * square <= rounding) {
        double bend = 0.0;
        status = f->gradient(f->context, next, change);
        for (size_t j = 0; j < f->d; j++)
            bend += (change[j] - g[j]) * (next[j] - y[j]);
        *fits = bend <= l * square;
    }
    return status;
}

/* next = P(y - g / l), its value, and ||next - y||; l is doubled until the quadratic model holds. */
static sp_status backtrack(const sp_smooth_function *f, const sp_domain *domain, const double *y, double value,
                           const double *g, double *l, double *next, double *change, double *next_value,
                           double *length)
{
    for (;; *l *= 2.0) {
        double slope = 0.0, square = 0.0;
        bool fits = false;
        for (size_t j = 0; j < f->d; j++)
            next[j] = y[j] - g[j] / *l;
        sp_domain_project(domain, next);
        for (size_t j = 0; j < f->d; j++) {
            slope += g[j] * (next[j] - y[j]);
            square += (next[j] - y[j]) * (next[j] - y[j]);
        }
        sp_status status = f->value(f->context, next, next_value);
        const double excess = *next_value - value - slope, rounding = 1e3 * rounding_of(value);
        if (status == SP_OK)
            status = fits_model(f, y, g, *l, next, square, excess, rounding, change, &fits);
        *length = sqrt(square);
        if (status != SP_OK || fits)
            return status;
        if (!(*l < steepest))
            return SP_ENUMERIC;
    }
}

sp_status sp_descend(const sp_smooth_function *f, const sp_domain *domain, double tolerance, size_t max_iterations,
                     double *w, double *scratch, sp_descent *result)
{
    sp_status status = SP_OK;
    const size_t d = f->d, bytes = d * sizeof *w;
    double *y = scratch, *g = y + d, *next = g + d, *back = next + d, *change = back + d, l = 1.0, t = 1.0;
    *result = (sp_descent){ .residual = INFINITY };
    sp_domain_project(domain, w);
    SP_TRY(f->value(f->context, w, &result->value));
    SP_TRY(isfinite(result->value) ? SP_OK : SP_ENUMERIC);
    memcpy(y, w, bytes);
    while (result->iterations < max_iterations && !result->converged) {
        double here = 0.0, there = 0.0, length = 0.0, turn = 0.0;
        result->iterations++;
        SP_TRY(f->value(f->context, y, &here));
        SP_TRY(f->gradient(f->context, y, g));
        SP_TRY(isfinite(here) ? SP_OK : SP_ENUMERIC);
        SP_TRY(backtrack(f, domain, y, here, g, &l, next, change, &there, &length));
        const bool level = there <= result->value + rounding_of(there);
        if (!level && t > 1.0) { /* the momentum overshot: again from w without it */
            t = 1.0;
            memcpy(y, w, bytes);
            continue;
        }
        if (!level)
            break;
        result->residual = l * length;
        result->converged = result->residual <= tolerance;
        result->value = there;
        memcpy(back, w, bytes);
        memcpy(w, next, bytes);
        for (size_t j = 0; j < d; j++)
            turn += (y[j] - w[j]) * (w[j] - back[j]);
        if (turn > 0.0)
            t = 1.0;
        const double longer = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t));
        for (size_t j = 0; j < d; j++)
            y[j] = w[j] + (t - 1.0) / longer * (w[j] - back[j]);
        sp_domain_project(domain, y); /* F need not be convex outside */
        t = longer;
        l *= 0.9;
    }
cleanup:
    return status;
}

/* --- Newton ------------------------------------------------------------------------------------------------ */

/* The tau >= 0 with ||p + tau v|| = delta. */
static double to_the_edge(size_t d, const double *p, const double *v, double delta)
{
    const double pp = cblas_ddot((int)d, p, 1, p, 1), pv = cblas_ddot((int)d, p, 1, v, 1);
    const double vv = cblas_ddot((int)d, v, 1, v, 1), room = fmax(delta * delta - pp, 0.0);
    return room / (pv + sqrt(pv * pv + vv * room)); /* of the two forms the one that loses no digits for pv >= 0 */
}

typedef struct steihaug {
    const sp_smooth_function *f;
    sp_product_at product;
    const double *w, *g;
    double *p, *r, *v, *Hv; /* step, residual of H p = -g, direction, H v */
} steihaug;

/* p approximates argmin <g, p> + p'Hp/2 over ||p|| <= delta; *decrease of that model. */
static sp_status step(steihaug *s, double gradient_norm, double delta, double *decrease)
{
    const size_t d = s->f->d;
    const double wanted = fmin(0.1, sqrt(gradient_norm)) * gradient_norm;
    double square = gradient_norm * gradient_norm;
    *decrease = 0.0;
    for (size_t j = 0; j < d; j++) {
        s->p[j] = 0.0;
        s->r[j] = s->g[j];
        s->v[j] = -s->g[j];
    }
    for (int k = 0; k < CONJUGATE_MAX && sqrt(square) > wanted; k++) {
        const sp_status status = s->product(s->f->context, s->w, s->v, s->Hv);
        if (status != SP_OK)
            return status;
        const double bend = cblas_ddot((int)d, s->v, 1, s->Hv, 1), edge = to_the_edge(d, s->p, s->v, delta);
        if (!isfinite(bend))
            return SP_ENUMERIC;
        const double newton = bend > 0.0 ? square / bend : INFINITY, tau = fmin(newton, edge);
        cblas_daxpy((int)d, tau, s->v, 1, s->p, 1);
        *decrease += tau * square - 0.5 * tau * tau * bend; /* <r, v> = -square all along */
        if (newton >= edge)
            break;
        cblas_daxpy((int)d, tau, s->Hv, 1, s->r, 1);
        const double next = cblas_ddot((int)d, s->r, 1, s->r, 1);
        for (size_t j = 0; j < d; j++)
            s->v[j] = next / square * s->v[j] - s->r[j];
        square = next;
    }
    return SP_OK;
}

sp_status sp_newton_cg(const sp_smooth_function *f, sp_product_at product, double tolerance, size_t max_iterations,
                       double *w, double *scratch, sp_descent *result)
{
    sp_status status = SP_OK;
    const size_t d = f->d;
    double *g = scratch, *trial = g + d, radius = 1.0;
    steihaug s = { f, product, w, g, trial + d, trial + 2 * d, trial + 3 * d, trial + 4 * d };
    bool moved = true;
    int idle = 0; /* steps that promised less than rounding: Newton's method is there after one */
    *result = (sp_descent){ 0 };
    SP_TRY(f->value(f->context, w, &result->value));
    for (;; result->iterations++) {
        double predicted = 0.0, value = 0.0;
        if (moved) {
            SP_TRY(f->gradient(f->context, w, g));
            result->residual = cblas_dnrm2((int)d, g, 1);
            SP_TRY(isfinite(result->value) && isfinite(result->residual) ? SP_OK : SP_ENUMERIC);
        }
        result->converged = result->residual <= tolerance;
        if (result->converged || result->iterations == max_iterations || idle == IDLE_MAX)
            break;
        SP_TRY(step(&s, result->residual, radius, &predicted));
        memcpy(trial, w, d * sizeof *w);
        cblas_daxpy((int)d, 1.0, s.p, 1, trial, 1);
        SP_TRY(f->value(f->context, trial, &value));
        const double length = cblas_dnrm2((int)d, s.p, 1), rounding = rounding_of(result->value);
        const double ratio = (result->value - value + rounding) / (predicted + rounding);
        idle = predicted < rounding ? idle + 1 : 0;
        moved = ratio >= 0.1; /* false for NaN */
        if (moved) {
            memcpy(w, trial, d * sizeof *w);
            result->value = value;
        }
        if (!(ratio >= 0.25))
            radius = 0.25 * length;
        else if (ratio > 0.75 && length > 0.99 * radius)
            radius *= 2.0;
    }
cleanup:
    return status;
}

/* --- Newton over a box -------------------------------------------------------------------------------------- */

typedef struct boxed {
    size_t d;
    const double *low, *high;
    double *w, *g, *H, *q, *next;
    double *settled, *M; /* 1 for an entry of q that stays as it is; the system */
} boxed;

/* Where only the entries that are not settled count, H q = -g; false where H + shift I is not positive definite. */
static bool solve(const boxed *b, double shift)
{
    const size_t d = b->d;
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++)
            b->M[j * d + k] = b->settled[j] + b->settled[k] > 0.0 ? 0.0 : b->H[j * d + k];
    for (size_t j = 0; j < d; j++) {
        b->M[j * d + j] = b->settled[j] > 0.0 ? 1.0 : b->M[j * d + j] + shift;
        b->next[j] = b->settled[j] > 0.0 ? b->q[j] : -b->g[j];
        for (size_t k = 0; k < d && b->settled[j] == 0.0; k++)
            b->next[j] -= b->settled[k] * b->H[j * d + k] * b->q[k];
    }
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)d, b->M, (int)d) != 0)
        return false;
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)d, b->M, (int)d, b->next, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)d, b->M, (int)d, b->next, 1);
    memcpy(b->q, b->next, d * sizeof *b->q);
    return true;
}

/* q about minimises <g, q> + q'(H + shift I) q / 2 over the box: an entry that leaves it settles at its bound. */
static bool boxed_step(const boxed *b, double shift)
{
    bool inside = false;
    for (size_t j = 0; j < b->d; j++) {
        b->q[j] = 0.0;
        b->settled[j] = (b->w[j] <= b->low[j] && b->g[j] > 0.0) || (b->w[j] >= b->high[j] && b->g[j] < 0.0);
    }
    while (!inside) {
        if (!solve(b, shift))
            return false;
        inside = true;
        for (size_t j = 0; j < b->d; j++) {
            const double least = b->low[j] - b->w[j], most = b->high[j] - b->w[j];
            if (b->settled[j] > 0.0 || (b->q[j] >= least && b->q[j] <= most))
                continue;
            b->q[j] = b->q[j] < least ? least : most;
            b->settled[j] = 1.0;
            inside = false;
        }
    }
    return true;
}

/* What the quadratic model of F falls by along q. */
static double promised(const boxed *b)
{
    double fall = 0.0;
    for (size_t j = 0; j < b->d; j++)
        fall -= b->q[j] * (b->g[j] + 0.5 * cblas_ddot((int)b->d, b->H + j * b->d, 1, b->q, 1));
    return fall;
}

sp_status sp_newton_box(const sp_smooth_function *f, const double *low, const double *high, const sp_box_goal *goal,
                        size_t max_iterations, double *w, double *scratch, sp_boxed *result)
{
    sp_status status = SP_OK;
    const size_t d = f->d;
    boxed b = { d, low, high, w, scratch, scratch + 4 * d, scratch + d, scratch + 2 * d, scratch + 3 * d, NULL };
    double shift = 0.0, value = 0.0;
    int idle = 0; /* steps that promised less than rounding */
    b.M = b.H + d * d;
    *result = (sp_boxed){ .lower = -INFINITY };
    for (size_t j = 0; j < d; j++)
        w[j] = fmax(low[j], fmin(high[j], w[j]));
    SP_TRY(f->value(f->context, w, &result->value));
    for (size_t k = 0;; k++) {
        SP_TRY(f->gradient(f->context, w, b.g));
        result->gap = 0.0;
        for (size_t j = 0; j < d; j++)
            result->gap += fmax(b.g[j] * (w[j] - low[j]), b.g[j] * (w[j] - high[j]));
        SP_TRY(isfinite(result->value) && isfinite(result->gap) ? SP_OK : SP_ENUMERIC);
        result->lower = fmax(result->lower, result->value - result->gap);
        if (k == max_iterations || idle == IDLE_MAX || result->value < goal->hopeless ||
            result->value - result->lower <= goal->gap || result->lower >= goal->enough)
            break;
        SP_TRY(f->hessian(f->context, w, b.H));
        for (bool falls = false; !falls;) {
            const double rounding = rounding_of(result->value);
            const bool solved = boxed_step(&b, shift);
            const double fall = solved ? promised(&b) : INFINITY;
            for (size_t j = 0; j < d && solved; j++)
                b.next[j] = fmax(low[j], fmin(high[j], w[j] + b.q[j]));
            if (solved)
                SP_TRY(f->value(f->context, b.next, &value));
            falls = solved && fall >= 0.0 && value <= result->value - 1e-4 * fall + rounding;
            idle = fabs(fall) < rounding ? idle + 1 : 0;
            if (!falls && (idle > 0 || !(shift < steepest)))
                goto cleanup; /* rounding leaves no progress */
            shift = falls ? 0.1 * shift : fmax(10.0 * shift, 1e-12);
        }
        memcpy(w, b.next, d * sizeof *w);
        result->value = value;
    }
cleanup:
    return status;
}
