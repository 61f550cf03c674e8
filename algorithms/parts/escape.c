/* escape.c -- the three escapes from a saddle (escape.h). */
#include "algorithms/parts/escape.h"

#include "algorithms/parts/fits.h"
#include "algorithms/parts/sosp.h"
#include "core/numeric/eigen.h"
#include "core/numeric/normal.h"

#include <gsl/gsl_cblas.h>

const char *sp_escape_fits(const sp_constants *c)
{
    const char *misfit = sp_sosp_fits(c);
    return misfit ? misfit : sp_positive_gap_fits(c);
}

double sp_escape_pause(const sp_constants *c, const sp_escape_plan *p)
{
    const double kicks = sp_log(fmax(M_E, (double)c->d * c->beta * c->gap / (c->rho_hessian * p->g * p->zeta)));
    return fmax(1.0, ceil(c->beta * kicks / sqrt(c->rho_hessian * p->g)));
}

double sp_escape_round(const sp_constants *c, const sp_escape_plan *p)
{
    return ceil(p->iota / (p->eta * sqrt(c->rho_hessian * 4.0 * p->g)));
}

double sp_step_fall(const sp_constants *c, double norm)
{
    return 13.0 / 30.0 * norm * norm / c->beta;
}

double sp_jump_fall(const sp_constants *c, double g)
{
    return 13.0 / 120.0 * sp_pow(4.0 * g, 1.5) / sqrt(c->rho_hessian);
}

double sp_accuracy_of_fall(const sp_constants *c, double fall)
{
    return fmax(sqrt(fall * c->beta / 3.9), sp_pow(120.0 / 13.0 * fall * sqrt(c->rho_hessian), 2.0 / 3.0) / 4.0);
}

double sp_walk_distance(const sp_walk *a, const double *from)
{
    double norm = 0.0;
    for (size_t j = 0; j < a->d; j++)
        norm = sp_hypot(norm, a->w[j] - from[j]);
    return norm;
}

void sp_walk_move(sp_walk *a, double length, const double *step)
{
    memcpy(a->previous, a->w, a->d * sizeof *a->w);
    cblas_daxpy((int)a->d, length, step, 1, a->w, 1);
    sp_domain_project(sp_domain_of(a->o), a->w);
    const double moved = sp_walk_distance(a, a->previous);
    a->drift += moved * moved;
}

/* After a step of a round: away, at its end, or at the end of the last one. */
static void end_round(sp_walk *a)
{
    const sp_escape_plan *p = a->plan;
    if (sp_walk_distance(a, a->anchor) >= sqrt(p->alpha / sp_public(a->o)->rho_hessian) / p->iota) {
        a->round = 0;
    } else if ((double)++a->inside >= p->round_steps) {
        a->passed = a->done = (double)a->round++ >= p->rounds;
        a->inside = 0;
        memcpy(a->w, a->anchor, a->d * sizeof *a->w);
        memcpy(a->previous, a->anchor, a->d * sizeof *a->w); /* so the next difference is exactly 0 */
        memcpy(a->estimate, a->anchor_estimate, a->d * sizeof *a->w);
        a->drift = a->anchor_drift;
        a->error = a->anchor_error;
    }
}

void sp_walk_step(sp_walk *a)
{
    const double eta = a->plan->eta, longest = a->plan->longest;
    const double norm = longest > 0.0 ? cblas_dnrm2((int)a->d, a->estimate, 1) : 0.0;
    sp_walk_move(a, eta * norm > longest ? -longest / norm : -eta, a->estimate);
    if (a->round > 0)
        end_round(a);
}

bool sp_escape_due(sp_walk *a)
{
    const bool slow = cblas_dnrm2((int)a->d, a->estimate, 1) <= 3.0 * a->plan->g;
    if (a->wait > 0)
        a->wait--;
    return slow && a->wait == 0;
}

void sp_escape_kick(sp_walk *a)
{
    const sp_escape_plan *p = a->plan;
    const double d = (double)a->d;
    sp_stream_key key;
    const uint64_t step = sp_stream_step(sp_coins(a->o), &key);
    memcpy(a->work, a->estimate, a->d * sizeof *a->work);
    sp_normal_add(key, step, 0, a->d, p->g / sqrt(d * sp_log(d / p->zeta)), a->work);
    a->wait = (size_t)p->pause;
    sp_walk_move(a, -p->eta, a->work);
}

void sp_escape_begin(sp_walk *a)
{
    if (a->round > 0)
        return;
    a->round = 1;
    a->inside = 0;
    memcpy(a->anchor, a->w, a->d * sizeof *a->w);
    memcpy(a->anchor_estimate, a->estimate, a->d * sizeof *a->w);
    a->anchor_drift = a->drift;
    a->anchor_error = a->error;
}

sp_status sp_escape_jump(sp_walk *a)
{
    const double alpha = a->plan->alpha, rho = sp_public(a->o)->rho_hessian;
    double *B = a->work, *u = B + a->d * a->d, smallest;
    const sp_status status = sp_eigen_smallest(a->d, B, &smallest, u);
    if (status != SP_OK)
        return sp_refuse(a->o, status, "the released Hessian has no eigenvalue");
    a->passed = a->done = smallest > -0.75 * sqrt(rho * alpha);
    if (a->done)
        return SP_OK;
    sp_walk_move(a, sqrt(alpha / rho) * (cblas_ddot((int)a->d, u, 1, a->estimate, 1) > 0.0 ? -1.0 : 1.0), u);
    a->drift = INFINITY;
    return SP_OK;
}

void sp_escape_tell(const sp_walk *a)
{
    const sp_escape_kind kind = a->plan->kind;
    sp_resolved(a->o, "passed", a->passed, SP_FROM_THEORY);
    if (!a->passed)
        sp_warn_of(a->o, SP_WARNED_UNCERTIFIED,
                   "uncertified: the last iterate is returned; %s",
                   kind == SP_ESCAPE_KICK ? "a kick tells nothing about where it leads, nothing was selected"
                   : "no point passed the escape's own test");
    else if (kind == SP_ESCAPE_PSGD)
        sp_warn_of(a->o, SP_WARNED_UNCERTIFIED,
                   "uncertified: passing psgd's test is no proof, a saddle may do so");
}
