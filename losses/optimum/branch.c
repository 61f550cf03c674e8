/* branch.c -- best-first search over boxes (branch.h). D, e, h and H are those of losses/optimum/sublevel.h; U =
 * F(best).
 *
 * Over a box, let G = f + lambda sum_j hull_j, and let v be nearly its minimiser, with G >= G(v) - gap. A point u of
 * the box with F(u) <= U has G(u) <= U, and G - f is convex, so with z = u - v
 *
 *   D(u) <= G(u) - G(v) - <grad G(v), z> <= e = U - G(v) + gap  and  |z_j| <= h_j.
 *
 * Settle. F is convex over the points of the box whose margins are within their reach, if H + lambda diag(min r'')
 * (minima over the box) is positive definite. {D <= e} is among these points. So with a bound F(w) - gap, from the
 * gradient at one of them, F >= min(U, F(w) - gap) in the whole box.
 *
 * The first box over R^d. Let v be nearly a minimiser of f, g = grad f(v). F(u) <= U implies f(u) <= U. On the boundary
 * of {D <= e}, f >= f(v) + e - sum_j |g_j| h_j = f(v) + e'. So, by convexity along rays from v, f(u) <= U implies
 * |z_j| <= t h_j with t = max(1, (U - f(v)) / e'). */
#include "losses/optimum/branch.h"

#include "core/base/memory.h"
#include "losses/optimum/descent.h"
#include "losses/optimum/hull.h"
#include "losses/optimum/sublevel.h"

#include <stdlib.h>
#include <string.h>

enum { BOXES_MAX = 4000, NEWTON_MAX = 60, PARTS_MAX = 40 };
static const double huge = 1e100;
static const double relaxed_gap = 1e-10;      /* of a box's bound */
static const double progress = 0.8;           /* a round that leaves more of the excess is the last */
static const double counts = 0.02;            /* share of the whole distance of hull and r that makes an entry count */
static const double split = 2.0;              /* boxes are cut here, or nearer 0, first: r is flat beyond */

typedef struct box {
    double bound;            /* inf F over it is at least that, or at least the best value */
    double *low, *high, *at; /* d each, in one block; the relaxed problem's minimiser */
} box;

typedef struct search {
    const sp_problem *problem, *bare;
    sp_workspace *workspace;
    size_t d, boxes;
    sp_hull *hull;            /* of the box at hand */
    bool exact;               /* r itself in its place */
    double tolerance, left;   /* work */
    double value, *best;      /* U = F(best) */
    double floor;             /* inf F over all that was dropped is at least that, or at least the best value */
    sp_sublevel region;
    double *g, *scratch;      /* d; what sp_newton_box needs */
    box part;                 /* of the box at hand */
    size_t open;
    box *heap;                /* the open boxes, in no order */
} search;

/* About the multiplications of a Hessian. */
static double cost_of(const sp_dataset *data)
{
    const double n = (double)data->n;
    const double entries = data->storage == SP_STORE_SPARSE    ? (double)data->start[data->n] / n
                         : data->storage == SP_STORE_ONE_HOT ? (double)(data->numeric + data->listed)
                                                             : (double)data->d;
    return n * entries * (0.5 * entries + 30.0);
}

/* --- F and its relaxation ---------------------------------------------------------------------------------- */

static sp_status value_at(void *context, const double *w, double *out)
{
    search *s = context;
    const sp_regulariser *r = s->problem->regulariser;
    *out = sp_problem_value(s->bare, s->workspace, w);
    for (size_t j = 0; j < s->d; j++)
        *out += s->problem->lambda * (s->exact ? r->value(w[j]) : sp_hull_value(r, &s->hull[j], w[j]));
    return SP_OK;
}

static sp_status gradient_at(void *context, const double *w, double *out)
{
    search *s = context;
    const sp_regulariser *r = s->problem->regulariser;
    sp_problem_gradient(s->bare, s->workspace, w, out);
    for (size_t j = 0; j < s->d; j++)
        out[j] += s->problem->lambda * (s->exact ? r->slope(w[j]) : sp_hull_slope(r, &s->hull[j], w[j]));
    return SP_OK;
}

static sp_status hessian_at(void *context, const double *w, double *out)
{
    search *s = context;
    const sp_regulariser *r = s->problem->regulariser;
    s->left -= cost_of(s->bare->train);
    sp_problem_hessian(s->bare, s->workspace, w, out);
    for (size_t j = 0; j < s->d; j++)
        out[j * s->d + j] +=
            s->problem->lambda * (s->exact ? r->curvature(w[j]) : sp_hull_curvature(r, &s->hull[j], w[j]));
    return SP_OK;
}

/* A box whose bound is that much needs no more work. */
static double target(const search *s)
{
    return s->value - s->tolerance;
}

static void make_hulls(search *s, const box *x)
{
    for (size_t j = 0; j < s->d; j++)
        s->hull[j] = sp_hull_of(s->problem->regulariser, x->low[j], x->high[j]);
}

/* lambda (r - hull) of one entry of x->at */
static double apart(const search *s, const box *x, size_t j)
{
    const sp_regulariser *r = s->problem->regulariser;
    return s->problem->lambda * (r->value(x->at[j]) - sp_hull_value(r, &s->hull[j], x->at[j]));
}

/* The relaxed problem, or F itself, over the box from x->at; raises no bound. */
static sp_status minimise(search *s, box *x, bool exact, double hopeless, sp_boxed *out)
{
    const sp_smooth_function f = { s->d, s, value_at, gradient_at, hessian_at };
    const sp_box_goal goal = { relaxed_gap, exact ? INFINITY : target(s), hopeless };
    s->boxes++;
    s->exact = exact;
    make_hulls(s, x);
    const sp_status status = sp_newton_box(&f, x->low, x->high, &goal, NEWTON_MAX, x->at, s->scratch, out);
    if (status != SP_OK)
        return status;
    const double value = sp_problem_value(s->problem, s->workspace, x->at);
    if (value < s->value) {
        s->value = value;
        memcpy(s->best, x->at, s->d * sizeof *x->at);
    }
    return SP_OK;
}

static sp_status relax(search *s, box *x, sp_boxed *out)
{
    const sp_status status = minimise(s, x, false, -INFINITY, out);
    x->bound = fmax(x->bound, out->lower);
    return status;
}

static void copy(const search *s, const box *x, box *out)
{
    memcpy(out->low, x->low, 3 * s->d * sizeof *x->low);
    out->bound = x->bound;
}

/* --- the region -------------------------------------------------------------------------------------------- */

static bool find_region(search *s, const double *v, double e)
{
    return sp_sublevel_find(&s->region, s->bare, s->workspace, v, e, &s->left);
}

static void cut_down(const search *s, box *x, double t)
{
    for (size_t j = 0; j < s->d; j++) {
        x->low[j] = fmax(x->low[j], x->at[j] - t * s->region.extent[j]);
        x->high[j] = fmin(x->high[j], x->at[j] + t * s->region.extent[j]);
    }
}

/* Whether H makes up for r over the box. */
static bool is_convex(search *s, const box *x)
{
    const size_t d = s->d;
    double *A = s->region.L;
    memcpy(A, s->region.H, d * d * sizeof *A);
    for (size_t j = 0; j < d; j++)
        A[j * d + j] += s->problem->lambda * sp_least_curvature(s->problem->regulariser, x->low[j], x->high[j]);
    return sp_factorise(d, A);
}

/* Where F is convex over the region in the box: its minimum there. */
static sp_status settle(search *s, box *x)
{
    sp_boxed local;
    const double best = s->value; /* F is above it elsewhere in the box */
    if (!is_convex(s, x))
        return SP_OK;
    copy(s, x, &s->part);
    const sp_status status = minimise(s, &s->part, true, -INFINITY, &local);
    if (status == SP_OK && sp_sublevel_holds(&s->region, s->bare, s->workspace, s->part.at))
        x->bound = fmax(x->bound, fmin(best, local.value - local.gap));
    return status;
}

/* The first box, which holds every point with F <= U. False where none is found. */
static bool enclose(search *s, const double *least, box *x)
{
    const sp_domain *domain = &s->problem->domain;
    const bool space = domain->kind == SP_DOMAIN_SPACE;
    for (size_t j = 0; j < s->d; j++) {
        x->low[j] = space ? -huge : domain->low;
        x->high[j] = space ? huge : domain->high;
    }
    memcpy(x->at, least, s->d * sizeof *least);
    if (!space)
        return true;
    const double excess = s->value - sp_problem_value(s->bare, s->workspace, least);
    double e = excess, sure = 0.0;
    sp_problem_gradient(s->bare, s->workspace, least, s->g);
    for (int k = 0; k < PARTS_MAX && e > 0.0; k++, e *= 0.5) {
        sure = find_region(s, least, e) ? e : 0.0;
        for (size_t j = 0; j < s->d && sure > 0.0; j++)
            sure -= fabs(s->g[j]) * s->region.extent[j];
        if (!(sure > 0.0))
            continue;
        cut_down(s, x, fmax(1.0, excess / sure));
        return true;
    }
    return false;
}

/* --- boxes ------------------------------------------------------------------------------------------------- */

/* Cuts off the outer half of the box on either side of its minimiser where the bound says that it needs no work. */
static sp_status cut_ends(search *s, box *x, size_t j, bool *cut)
{
    sp_status status = SP_OK;
    for (int side = 0; side < 2; side++) {
        sp_boxed half;
        double *end = (side ? x->high : x->low) + j;
        const double t = 0.5 * (x->at[j] + *end);
        copy(s, x, &s->part);
        (side ? s->part.low : s->part.high)[j] = t;
        SP_TRY(minimise(s, &s->part, false, target(s), &half));
        if (half.lower < target(s))
            continue;
        s->floor = fmin(s->floor, half.lower);
        *end = t;
        *cut = true;
    }
cleanup:
    return status;
}

/* The same for all entries that count. */
static sp_status cut_all_ends(search *s, box *x, bool *cut)
{
    sp_status status = SP_OK;
    double whole = 0.0;
    make_hulls(s, x);
    for (size_t j = 0; j < s->d; j++)
        whole += s->g[j] = apart(s, x, j);
    for (size_t j = 0; j < s->d && s->left > 0.0; j++)
        if (s->g[j] > counts * whole)
            SP_TRY(cut_ends(s, x, j, cut));
cleanup:
    return status;
}

/* Makes a box smaller, and raises its bound, as long as that goes well. */
static sp_status contract(search *s, box *x)
{
    sp_status status = SP_OK;
    bool smaller = true;
    for (double last = INFINITY, excess = 0.0; smaller && s->left > 0.0; last = excess) {
        sp_boxed relaxed;
        SP_TRY(relax(s, x, &relaxed));
        excess = s->value - relaxed.value + relaxed.gap;
        if (x->bound >= target(s) || excess > progress * last)
            break;
        smaller = find_region(s, x->at, excess);
        if (smaller) {
            cut_down(s, x, 1.0);
            SP_TRY(settle(s, x));
        }
        if (x->bound < target(s))
            SP_TRY(cut_all_ends(s, x, &smaller));
    }
cleanup:
    return status;
}

/* Cuts x in two, the second half in `other`, and bounds both. Not where hull and r are one. */
static sp_status divide(search *s, box *x, box *other, bool *divided)
{
    sp_status status = SP_OK;
    size_t j = 0;
    sp_boxed relaxed;
    make_hulls(s, x);
    for (size_t k = 1; k < s->d; k++)
        j = apart(s, x, k) > apart(s, x, j) ? k : j;
    *divided = apart(s, x, j) > relaxed_gap;
    if (!*divided)
        return SP_OK;
    const double low = x->low[j], high = x->high[j], edge = 0.1 * fmin(high - low, 2.0 * split);
    const double near = fmax(-split, fmin(split, x->at[j])), at = near > low && near < high ? near : x->at[j];
    const double t = fmax(low + edge, fmin(high - edge, at));
    copy(s, x, other);
    x->high[j] = t;
    other->low[j] = t;
    SP_TRY(relax(s, x, &relaxed));
    SP_TRY(relax(s, other, &relaxed));
cleanup:
    return status;
}

static size_t lowest(const search *s)
{
    size_t k = 0;
    for (size_t i = 1; i < s->open; i++)
        k = s->heap[i].bound < s->heap[k].bound ? i : k;
    return k;
}

/* Box k needs no more work; its memory goes to the end. */
static void drop(search *s, size_t k)
{
    const box done = s->heap[k];
    s->floor = fmin(s->floor, done.bound);
    s->heap[k] = s->heap[--s->open];
    s->heap[s->open] = done;
}

static sp_status run(search *s)
{
    sp_status status = SP_OK;
    while (s->open > 0 && s->open < BOXES_MAX && s->left > 0.0) {
        const size_t k = lowest(s);
        bool divided = false;
        if (s->heap[k].bound < target(s))
            SP_TRY(contract(s, &s->heap[k]));
        if (s->heap[k].bound < target(s) && s->left > 0.0) {
            SP_TRY(divide(s, &s->heap[k], &s->heap[s->open], &divided));
            s->open += divided;
        }
        if (!divided && (s->left > 0.0 || s->heap[k].bound >= target(s)))
            drop(s, k);
    }
cleanup:
    return status;
}

bool sp_branch_fits(const sp_problem *p, const sp_problem *bare)
{
    const bool square = p->domain.kind == SP_DOMAIN_SPACE || p->domain.kind == SP_DOMAIN_BOX;
    return square && sp_problem_d(p) <= SP_BRANCH_D && p->regulariser && p->regulariser->tangent && p->lambda > 0.0 &&
           bare->certified.convex && bare->certified.smooth && sp_sublevel_fits(bare);
}

static sp_status search_make(search *s)
{
    const size_t d = s->d, boxes = BOXES_MAX + 2;
    double *at = sp_alloc_doubles(d + 2 * d * (d + 2) + 3 * d * boxes);
    s->g = at;
    s->hull = sp_alloc(d, sizeof *s->hull);
    s->heap = sp_alloc(boxes, sizeof *s->heap);
    if (!at || !s->hull || !s->heap)
        return SP_ENOMEM;
    s->scratch = at + d;
    at = s->scratch + 2 * d * (d + 2);
    for (size_t k = 0; k < boxes; k++, at += 3 * d)
        s->heap[k] = (box){ -INFINITY, at, at + d, at + 2 * d };
    s->part = s->heap[boxes - 1];
    return sp_sublevel_make(&s->region, s->bare);
}

sp_status sp_branch(const sp_problem *p, const sp_problem *bare, sp_workspace *workspace, double tolerance, double work,
                    const double *least, double *w, sp_branch_result *result)
{
    sp_status status = SP_OK;
    search s = { .problem = p, .bare = bare, .workspace = workspace, .d = sp_problem_d(p), .tolerance = tolerance,
                 .left = work, .best = w, .floor = INFINITY, .open = 1 };
    s.value = sp_problem_value(p, workspace, w);
    SP_TRY(search_make(&s));
    if (enclose(&s, least, s.heap))
        SP_TRY(run(&s));
    for (size_t k = 0; k < s.open; k++)
        s.floor = fmin(s.floor, s.heap[k].bound);
    *result = (sp_branch_result){ s.value, fmin(s.value, s.floor), s.boxes };
cleanup:
    sp_sublevel_free(&s.region);
    free(s.g);
    free(s.hull);
    free(s.heap);
    return status;
}
