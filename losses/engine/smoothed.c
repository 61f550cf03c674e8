/* smoothed.c -- F_b and its gradient (smoothed.h) by passes over the records with phi_b in place of phi, and a bound on
 * the distance of other minimisers.
 *
 * Reach. Let A be the set of records whose slope could be any number in [s_i - tau, s_i + tau] at the same u_i (a kink
 * of phi there). For them phi(m) >= phi(u_i) + s_i (m - u_i) + tau |m - u_i|, which adds to the lower bound on F(v)
 *
 *   (tau/n) sum_A |<v, x_i> - u_i| >= (tau/n) (sqrt(sum_A <v - w, x_i>^2) - sum_A |s_i| / b)
 *                                  >= (tau/n) (sqrt(lambda_min(sum_A x_i x_i')) ||v - w|| - sum_A |s_i| / b),
 *
 * so F(v) <= F(w) bounds ||v - w|| if lambda_min > 0. */
#include "losses/engine/smoothed.h"

#include "core/numeric/eigen.h"
#include "losses/engine/engine.h"
#include "losses/engine/envelope.h"

#include <gsl/gsl_cblas.h>
#include <string.h>

/* What is needed of each record, in the workspace's arrays: margin[0] m, margin[1] phi_b, slope s. */
static size_t block_at(const sp_smoothed *f, size_t first, const double *w)
{
    const sp_problem *p = f->problem;
    sp_workspace *s = f->workspace;
    const size_t count = sp_block_open(p, s, (sp_rows){ NULL, p->train->n }, first, sp_block_packed(p, s));
    sp_rows_dot(&s->block, w, s->margin[0]);
    sp_rows_labels(&s->block, s->label, s->norm);
    sp_envelope(p->loss, p->number, f->b, 1e-13 * s->link.slope, count, s->margin[0], s->label, s->margin[1], s->slope);
    return count;
}

/* out[i] = phi_b'(m_i + shift) */
static void slopes_at(const sp_smoothed *f, size_t count, double shift, double *out)
{
    sp_workspace *s = f->workspace;
    double *shifted = s->margin[2];
    for (size_t i = 0; i < count; i++)
        shifted[i] = s->margin[0][i] + shift;
    sp_envelope(f->problem->loss, f->problem->number, f->b, 1e-13 * s->link.slope, count, shifted, s->label, NULL, out);
}

static void mirror(size_t d, double *H)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            H[i * d + j] = H[j * d + i];
}

double sp_smoothed_value(const sp_smoothed *f, const double *w)
{
    const size_t n = f->problem->train->n;
    double sum = 0.0;
    for (size_t first = 0, count; first < n; first += count) {
        count = block_at(f, first, w);
        for (size_t i = 0; i < count; i++)
            sum += f->workspace->margin[1][i];
    }
    return sum / (double)n + sp_public_value(f->problem, w);
}

void sp_smoothed_gradient(const sp_smoothed *f, const double *w, double *out)
{
    const size_t n = f->problem->train->n, d = f->problem->train->d;
    sp_workspace *s = f->workspace;
    double *sum = s->vector[1];
    memset(sum, 0, d * sizeof *sum);
    for (size_t first = 0, count; first < n; first += count) {
        count = block_at(f, first, w);
        sp_rows_add(&s->block, s->slope, sum);
    }
    sp_public_query(f->problem, s, 1, &(sp_term){ 1.0, w }, out);
    cblas_daxpy((int)d, 1.0 / (double)n, sum, 1, out, 1);
}

void sp_smoothed_hessian(const sp_smoothed *f, const double *w, double *H)
{
    const size_t n = f->problem->train->n, d = f->problem->train->d;
    sp_workspace *s = f->workspace;
    const double step = 1e-4 * s->link.slope / f->b;
    sp_public_hessian(f->problem, s, w, H);
    for (size_t first = 0, count; first < n; first += count) {
        count = block_at(f, first, w);
        slopes_at(f, count, step, s->margin[3]);
        slopes_at(f, count, -step, s->scale);
        for (size_t i = 0; i < count; i++)
            s->scale[i] = fmax(0.0, (s->margin[3][i] - s->scale[i]) / (2.0 * step * (double)n));
        sp_rows_square(&s->block, s->scale, s->packed, H);
    }
    mirror(d, H);
}

double sp_smoothed_kink(const sp_smoothed *f, const double *w)
{
    const sp_problem *p = f->problem;
    sp_workspace *s = f->workspace;
    double sum = 0.0;
    for (size_t first = 0, count; first < p->train->n; first += count) {
        count = block_at(f, first, w);
        p->loss->link->value(p->number, count, s->margin[0], s->label, s->scale);
        for (size_t i = 0; i < count; i++)
            sum += s->scale[i] - s->margin[1][i] - 0.5 * s->slope[i] * s->slope[i] / f->b;
    }
    return fmax(sum / (double)p->train->n, 0.0);
}

/* sum_A x_i x_i' into H, and sum_A |s_i| / b. */
static double kinked(const sp_smoothed *f, const double *w, double tau, double *H)
{
    const size_t n = f->problem->train->n, d = f->problem->train->d;
    sp_workspace *s = f->workspace;
    double sum = 0.0;
    memset(H, 0, d * d * sizeof *H);
    for (size_t first = 0, count; first < n; first += count) {
        count = block_at(f, first, w);
        slopes_at(f, count, tau / f->b, s->margin[3]);
        slopes_at(f, count, -tau / f->b, s->scale);
        for (size_t i = 0; i < count; i++) {
            /* the slope grows by all of tau on both sides exactly when the prox does not move */
            const double slack = 1e-6 * tau;
            const double up = s->margin[3][i] - s->slope[i], down = s->slope[i] - s->scale[i];
            const bool inside = fmin(up, down) >= tau - slack;
            s->scale[i] = inside;
            sum += inside ? fabs(s->slope[i]) / f->b : 0.0;
        }
        sp_rows_square(&s->block, s->scale, s->packed, H);
    }
    mirror(d, H);
    return sum;
}

sp_status sp_smoothed_reach(const sp_smoothed *f, const double *w, double gradient_norm, double kink, double *H,
                            double *reach)
{
    const double n = (double)f->problem->train->n;
    *reach = INFINITY;
    for (double share = 0.3; share > 1e-4; share *= 0.3) {
        const double tau = share * f->workspace->link.slope;
        double least = 0.0;
        const double moved = kinked(f, w, tau, H);
        const sp_status status = sp_eigen_smallest(f->problem->train->d, H, &least, NULL);
        if (status != SP_OK)
            return status;
        const double rise = tau / n * sqrt(fmax(least, 0.0)) - gradient_norm;
        if (rise > 0.0)
            *reach = fmin(*reach, (kink + tau / n * moved) / rise);
    }
    return SP_OK;
}
