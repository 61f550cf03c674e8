/* sublevel.c -- finds the intervals of sublevel.h: s_i = 0 at first, then 1.1 times what H requires, with H computed
 * again each time. */
#include "losses/optimum/sublevel.h"

#include "core/base/memory.h"
#include "losses/engine/engine.h"

#include <gsl/gsl_cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

enum { RAISES_MAX = 12 };
static const double rounding = 1e-12, raise = 1.1;
static const double wide = 10.0; /* the largest s_i: phi'' is next to nothing so far out */

bool sp_sublevel_fits(const sp_problem *p)
{
    return p->loss->link && p->loss->peaked && !p->loss->public_part;
}

sp_status sp_sublevel_make(sp_sublevel *r, const sp_problem *p)
{
    const size_t d = sp_problem_d(p), n = p->train->n;
    r->H = sp_alloc_doubles(2 * d * d + d + 2 * n);
    if (!r->H)
        return SP_ENOMEM;
    r->L = r->H + d * d;
    r->extent = r->L + d * d;
    r->margin = r->extent + d;
    r->reach = r->margin + n;
    return SP_OK;
}

void sp_sublevel_free(sp_sublevel *r)
{
    free(r->H);
    *r = (sp_sublevel){ 0 };
}

bool sp_factorise(size_t d, double *A)
{
    return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (int)d, A, (int)d) == 0; /* its upper triangle by columns */
}

static size_t next_block(const sp_problem *p, sp_workspace *s, size_t first)
{
    return sp_block_gather(p, s, (sp_rows){ NULL, p->train->n }, first, s->pack);
}

/* H, from the least phi'' within reach[i] of margin[i]. */
static void least_hessian(const sp_sublevel *r, const sp_problem *p, sp_workspace *s)
{
    const size_t n = p->train->n, d = sp_problem_d(p);
    double trace = 0.0;
    memset(r->H, 0, d * d * sizeof *r->H);
    for (size_t first = 0, count; first < n; first += count) {
        count = next_block(p, s, first);
        for (size_t i = 0; i < count; i++) {
            s->margin[0][i] = r->margin[first + i] - r->reach[first + i];
            s->margin[1][i] = r->margin[first + i] + r->reach[first + i];
        }
        p->loss->link->curvature(p->number, count, s->margin[0], s->label, s->scale);
        p->loss->link->curvature(p->number, count, s->margin[1], s->label, s->slope);
        for (size_t i = 0; i < count; i++)
            s->scale[i] = fmax(fmin(s->scale[i], s->slope[i]), 0.0) / (double)n;
        sp_rows_square(&s->block, s->scale, s->packed, r->H);
    }
    for (size_t j = 0; j < d; j++) {
        trace += r->H[j * d + j];
        for (size_t k = 0; k < j; k++)
            r->H[j * d + k] = r->H[k * d + j];
    }
    for (size_t j = 0; j < d; j++)
        r->H[j * d + j] -= rounding * trace;
}

/* Raises the reaches to what L L' = H asks for; *raised: some were too small. False where one becomes too wide. */
static bool raise_reaches(const sp_sublevel *r, const sp_problem *p, sp_workspace *s, double e, bool *raised)
{
    const size_t n = p->train->n, d = sp_problem_d(p);
    bool narrow = true;
    *raised = false;
    for (size_t first = 0, count; first < n && narrow; first += count) {
        count = next_block(p, s, first);
        for (size_t i = 0; i < count; i++)
            sp_rows_copy(&s->block, i, 1.0, s->packed + i * d);
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)count, (int)d, 1.0, r->L,
                    (int)d, s->packed, (int)d);
        for (size_t i = 0; i < count; i++) {
            const double asked = sqrt(2.0 * e) * cblas_dnrm2((int)d, s->packed + i * d, 1);
            double *reach = &r->reach[first + i];
            if (asked <= *reach)
                continue;
            *raised = true;
            *reach = raise * asked;
            narrow = narrow && *reach < wide;
        }
    }
    return narrow;
}

bool sp_sublevel_find(sp_sublevel *r, const sp_problem *f, sp_workspace *s, const double *v, double e, double *work)
{
    const size_t n = f->train->n, d = sp_problem_d(f);
    bool raised = true;
    memset(r->reach, 0, n * sizeof *r->reach);
    for (size_t first = 0, count; first < n; first += count) {
        count = next_block(f, s, first);
        sp_rows_dot(&s->block, v, r->margin + first);
    }
    for (int k = 0; raised; k++) {
        if (k == RAISES_MAX || *work < 0.0)
            return false;
        *work -= (double)(n * d * (d + 60));
        least_hessian(r, f, s);
        memcpy(r->L, r->H, d * d * sizeof *r->L);
        if (!sp_factorise(d, r->L) || !raise_reaches(r, f, s, e, &raised))
            return false;
    }
    if (LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', (int)d, r->L, (int)d) != 0)
        return false;
    for (size_t j = 0; j < d; j++)
        r->extent[j] = (1.0 + 1e-9) * sqrt(2.0 * e * r->L[j * d + j]);
    return true;
}

bool sp_sublevel_holds(const sp_sublevel *r, const sp_problem *f, sp_workspace *s, const double *w)
{
    const size_t n = f->train->n;
    bool within = true;
    for (size_t first = 0, count; first < n && within; first += count) {
        count = next_block(f, s, first);
        sp_rows_dot(&s->block, w, s->margin[0]);
        for (size_t i = 0; i < count; i++)
            within = within && fabs(s->margin[0][i] - r->margin[first + i]) <= r->reach[first + i];
    }
    return within;
}
