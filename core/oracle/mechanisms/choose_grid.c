/* choose_grid.c -- the exponential mechanism on a grid whose points are never listed; returns an exact draw.
 *
 * P(i) ~ exp(-u_i / unit) is the distribution of the argmax of G_i - u_i / unit, with G_i independent standard Gumbel
 * variables. These are drawn from the top down (Maddison, Tarlow & Minka 2014): the largest of the m in a cell is
 * Gumbel with location log m, and falls into a part of m' points with probability m' / m; the largest of the other
 * part, given that it is smaller, follows by inversion. So each cell has an upper bound
 *
 *   unit G_max - u(centre) + min(L r, ||grad u(centre)|| r + beta r^2 / 2),   r >= ||w_i - centre|| in the cell.
 *
 * The cell with the largest bound is split, until it is a single point: the argmax. This takes more evaluations the
 * flatter u is; beyond a few hundred the number hardly grows with the number of points. The number and the time depend
 * on the records, but the result must not: if memory for cells runs out, the cell with the largest bound is searched to
 * its end depth first, with its cells on the stack, and is replaced by the best point found. The argmax is the same.
 *
 * L and beta are the certified constants, so the bounds are theorems and no clip of a record's loss is ever active.
 * Points outside the domain W are projected, which does not increase distances. For summed data they are then also
 * projected onto the ball of the score's radius; its centre is in W, so they stay in W. All this is in exact
 * arithmetic: rounding can matter only if two candidates agree to the last digits.
 *
 * unit = 0 gives the minimum. Then r includes half a spacing more in each coordinate, so that cells cover W and the
 * bounds also hold between the points. The search ends once the best cell's slack is L times half the diagonal of a
 * grid cell.
 */
#include "core/oracle/mechanisms/choose.h"

#include "core/numeric/math.h"
#include "core/oracle/noise.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = SP_GRID_SEARCH_D };

#ifndef SP_SEARCH_CELLS
#define SP_SEARCH_CELLS (1 << 22) /* kept; a test has fewer */
#endif

/* --- points --------------------------------------------------------------------------------------------------- */

double sp_grid_points(const sp_space *space, size_t d)
{
    double points = 1.0;
    for (size_t j = 0; j < d; j++)
        points *= (double)space->side;
    return points + (space->points ? 1.0 : 0.0);
}

void sp_choosing_project(sp_choosing *c)
{
    const sp_domain *domain = &c->o->problem->domain;
    sp_domain_project(domain, c->point);
    if (domain->kind != SP_DOMAIN_SPACE && !sp_data_summed(c->o->problem))
        return;
    const double far = sp_distance_of(c->d, c->point, c->score->reference);
    for (size_t j = 0; far > c->score->radius && j < c->d; j++)
        c->point[j] = c->score->reference[j] + (c->point[j] - c->score->reference[j]) * (c->score->radius / far);
}

void sp_choosing_grid(sp_choosing *c, size_t i)
{
    const sp_space *space = c->space;
    if (space->points && i + 1 == space->count) {
        memcpy(c->point, space->points, c->d * sizeof *c->point);
    } else {
        for (size_t j = 0; j < c->d; j++, i /= space->side)
            c->point[j] = space->origin[j] + (double)(i % space->side) * space->spacing;
    }
    sp_choosing_project(c);
}

sp_status sp_search_check(sp_oracle *o)
{
    if (sp_dimension(o) > D)
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_choose: d = %zu: a search is for d <= %d", sp_dimension(o), (int)D);
    if (!isfinite(o->problem->certified.L))
        return sp_refuse(o, SP_EPRIVACY, "sp_choose: the loss has no certified Lipschitz constant: a search may miss "
                         "the choice");
    return SP_OK;
}

/* --- cells ------------------------------------------------------------------------------------------------------ */

typedef struct cell {
    size_t low[D], high[D]; /* points low <= i < high */
    bool extra;             /* the candidate beside the grid, alone */
    double gumbel;          /* the largest of its points' */
    double u, slack;        /* at its middle point; how much less it may be elsewhere */
    double bound;
} cell;

typedef struct search {
    sp_choosing *c;
    double unit, L, beta;
    double enough; /* unit = 0: slack of the best cell, at most */
    cell *heap;    /* the largest bound first */
    size_t count, capacity;
} search;

static size_t middle(const cell *x, size_t j)
{
    return x->low[j] + (x->high[j] - 1 - x->low[j]) / 2;
}

static size_t index_of(const search *s, const cell *x)
{
    size_t index = 0;
    if (x->extra)
        return s->c->space->count - 1;
    for (size_t j = s->c->d; j > 0; j--)
        index = index * s->c->space->side + middle(x, j - 1);
    return index;
}

static double points_of(const search *s, const cell *x)
{
    double points = 1.0;
    for (size_t j = 0; j < s->c->d; j++)
        points *= (double)(x->high[j] - x->low[j]);
    return points;
}

/* How far a point of the cell, or without noise of W, is from its middle point. */
static double reach(const search *s, const cell *x)
{
    const double margin = s->unit > 0.0 ? 0.0 : 0.5;
    double norm = 0.0;
    for (size_t j = 0; !x->extra && j < s->c->d; j++)
        norm = sp_hypot(norm, s->c->space->spacing * ((double)(x->high[j] - 1 - middle(x, j)) + margin));
    return norm;
}

/* ||grad u|| at c->point */
static double slope(sp_choosing *c)
{
    sp_oracle *o = c->o;
    const sp_term term = { 1.0, c->point };
    const double L = o->problem->declared.L_data;
    sp_data_query(c->resolved.problem, o->scratch.workspace, c->resolved.rows, 1, &term, L, L, c->resolved.m,
                  o->scratch.data);
    sp_public_query(o->problem, o->scratch.workspace, 1, &term, o->scratch.exact);
    cblas_daxpy((int)c->d, 1.0, o->scratch.exact, 1, o->scratch.data, 1);
    return cblas_dnrm2((int)c->d, o->scratch.data, 1);
}

static void judge(search *s, cell *x)
{
    const double r = reach(s, x);
    sp_choosing_grid(s->c, index_of(s, x));
    x->u = sp_choosing_loss(s->c);
    x->slack = s->L * r;
    if (r > 0.0 && isfinite(s->beta))
        x->slack = fmin(x->slack, r * (slope(s->c) + s->beta * r / 2.0));
    x->bound = s->unit * x->gumbel - x->u + x->slack;
}

static sp_status push(search *s, const cell *x)
{
    if (s->count == s->capacity) {
        const size_t capacity = 2 * s->capacity + 64;
        cell *heap = realloc(s->heap, capacity * sizeof *heap);
        if (!heap)
            return sp_refuse(s->c->o, SP_ENOMEM, "sp_choose: out of memory for %zu cells", capacity);
        s->heap = heap;
        s->capacity = capacity;
    }
    size_t i = s->count++;
    for (; i > 0 && s->heap[(i - 1) / 2].bound < x->bound; i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = *x;
    return SP_OK;
}

static cell pop(search *s)
{
    const cell top = s->heap[0], last = s->heap[--s->count];
    size_t i = 0;
    for (size_t child = 1; child < s->count; child = 2 * i + 1) {
        child += child + 1 < s->count && s->heap[child + 1].bound > s->heap[child].bound;
        if (s->heap[child].bound <= last.bound)
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = last;
    return top;
}

/* Two halves across the longest side. One of them inherits the largest Gumbel variable. */
static void split(search *s, const cell *x, cell half[2])
{
    gsl_rng *r = s->c->o->selection;
    size_t axis = 0;
    half[0] = half[1] = *x;
    for (size_t j = 1; j < s->c->d; j++)
        if (x->high[j] - x->low[j] > x->high[axis] - x->low[axis])
            axis = j;
    half[0].high[axis] = half[1].low[axis] = x->low[axis] + (x->high[axis] - x->low[axis]) / 2;
    if (s->unit > 0.0) {
        const size_t other = gsl_rng_uniform(r) * points_of(s, x) < points_of(s, &half[0]);
        half[other].gumbel = sp_noise_gumbel_below(r, sp_log(points_of(s, &half[other])), x->gumbel);
    }
    for (size_t k = 0; k < 2; k++)
        judge(s, &half[k]);
}

/* Is it one candidate, or without noise as good as one? A cell without slack (u may be constant there) has the argmax,
 * but not in its middle. */
static bool ends(const search *s, const cell *x)
{
    return s->unit > 0.0 ? points_of(s, x) == 1.0 : x->slack <= s->enough * (1.0 + 1e-12);
}

/* The cell of the largest bound that is an end and lies in x, unless *best is as good. */
static void dive(search *s, const cell *x, cell *best)
{
    cell half[2];
    if (x->bound <= best->bound)
        return;
    if (ends(s, x)) {
        *best = *x;
        return;
    }
    split(s, x, half);
    const size_t first = half[1].bound > half[0].bound;
    dive(s, &half[first], best);
    dive(s, &half[1 - first], best);
}

static sp_status plant(search *s, bool extra)
{
    gsl_rng *r = s->c->o->selection;
    cell x = { .extra = extra };
    for (size_t j = 0; j < s->c->d; j++)
        x.high[j] = extra ? 1 : s->c->space->side;
    if (s->unit > 0.0)
        x.gumbel = sp_noise_gumbel_below(r, sp_log(points_of(s, &x)), INFINITY);
    judge(s, &x);
    return push(s, &x);
}

sp_status sp_choosing_search(sp_choosing *c, double unit, size_t *index, double *below)
{
    sp_status status = SP_OK;
    const sp_constants *known = &c->o->problem->certified;
    /* a Poisson sample may hold more records than u divides by */
    const double held = c->resolved.rows.index ? fmax((double)c->resolved.rows.count / c->resolved.m, 1.0) : 1.0;
    search s = { .c = c, .unit = unit, .L = held * known->L, .beta = held * known->beta };
    s.enough = s.L * 0.5 * c->space->spacing * sqrt((double)c->d);
    cell best;
    SP_TRY(plant(&s, false));
    if (c->space->points)
        SP_TRY(plant(&s, true));
    for (best = pop(&s); !ends(&s, &best); best = pop(&s)) {
        cell next[2] = { { .bound = -INFINITY } };
        if (s.count + 2 > SP_SEARCH_CELLS) {
            dive(&s, &best, &next[0]);
            SP_TRY(push(&s, &next[0]));
            continue;
        }
        split(&s, &best, next);
        SP_TRY(push(&s, &next[0]));
        SP_TRY(push(&s, &next[1]));
    }
    *index = index_of(&s, &best);
    *below = best.u - best.slack;
cleanup:
    free(s.heap);
    return status;
}
