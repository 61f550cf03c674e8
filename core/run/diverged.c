/* diverged.c -- the three tests of diverged.h. */
#include "core/run/diverged.h"

#include "core/base/memory.h"
#include "core/data/rows.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[SP_DIVERGENCES] = {
    [SP_NOT_DIVERGED] = "", [SP_FAR] = "far", [SP_ABOVE_START] = "above_start", [SP_SATURATED] = "saturated"
};

const char *sp_divergence_name(sp_divergence kind)
{
    return names[kind];
}

sp_divergence sp_divergence_named(const char *name)
{
    int kind = SP_DIVERGENCES;
    while (--kind > 0 && strcmp(names[kind], name) != 0)
        ;
    return (sp_divergence)kind;
}

/* s of diverged.h, the distance within which F can fall by its gap; 0: no public constant gives one. */
static double scale_of(const sp_constants *c)
{
    const double by_slope = c->gap / c->L, by_curvature = sqrt(2.0 * c->gap / c->beta);
    return fmax(isfinite(by_slope) ? by_slope : 0.0, isfinite(by_curvature) ? by_curvature : 0.0);
}

static double distance(size_t d, const double *v, const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum = hypot(sum, v[j] - w[j]);
    return sum;
}

static bool is_far(const sp_problem *p, const double *w, bool falls)
{
    static const double too_far = 1000.0;
    const double scale = scale_of(&p->declared);
    return p->domain.kind == SP_DOMAIN_SPACE && scale > 0.0 && !(p->declared.convex && falls) &&
           distance(sp_problem_d(p), w, p->start) > too_far * scale;
}

/* The records with a loss that is not smaller than at the start: their number, and the sums of their |phi'|, the link's
 * slopes, at the returned point [0] and at the start [1]. */
typedef struct worse {
    size_t records;
    double slope[2];
} worse;

/* Room of one block: at the returned point and at the start. */
typedef struct links {
    double *margin, *slope[2], *value[2], *buffer;
} links;

static void add_block(const sp_problem *p, const sp_row_block *block, size_t first, size_t count, const double *w,
                      const links *l, worse *sum)
{
    const double *const point[2] = { w, p->start }, *y = p->train->y + first;
    for (int k = 0; k < 2; k++) {
        sp_rows_dot(block, point[k], l->margin);
        p->loss->link->slope(p->number, count, l->margin, y, l->slope[k]);
        p->loss->link->value(p->number, count, l->margin, y, l->value[k]);
    }
    for (size_t i = 0; i < count; i++)
        if (l->value[0][i] >= l->value[1][i]) {
            sum->records++;
            sum->slope[0] += fabs(l->slope[0][i]);
            sum->slope[1] += fabs(l->slope[1][i]);
        }
}

static sp_status is_saturated(const sp_problem *p, const double *w, bool *out)
{
    const sp_dataset *data = p->train;
    worse sum = { 0 };
    *out = false;
    if (!p->loss->link || p->declared.convex || !data->y || sp_data_summed(p))
        return SP_OK;
    double *room = sp_alloc_doubles(5 * SP_ROWS + sp_rows_buffer(data));
    if (!room)
        return SP_ENOMEM;
    const links l = { room, { room + SP_ROWS, room + 2 * SP_ROWS }, { room + 3 * SP_ROWS, room + 4 * SP_ROWS },
                      room + 5 * SP_ROWS };
    const size_t most = sp_rows_per_block(data);
    sp_row_block block;
    for (size_t first = 0, count; first < data->n; first += count) {
        count = data->n - first < most ? data->n - first : most;
        sp_rows_gather(data, NULL, first, count, l.buffer, &block);
        add_block(p, &block, first, count, w, &l, &sum);
    }
    *out = (double)sum.records >= 0.05 * (double)data->n && sum.slope[0] < 0.25 * sum.slope[1];
    free(room);
    return SP_OK;
}

sp_status sp_divergence_of(const sp_problem *p, sp_workspace *workspace, const double *w, sp_divergence *out)
{
    const size_t d = sp_problem_d(p);
    const double *const point[2] = { w, p->start };
    double value[2], norm[2] = { 0.0, 0.0 };
    bool saturated = false;
    *out = SP_NOT_DIVERGED;
    if (memcmp(w, p->start, d * sizeof *w) == 0) /* the start itself */
        return SP_OK;
    double *gradient = sp_alloc_doubles(d);
    if (!gradient)
        return SP_ENOMEM;
    sp_problem_values(p, workspace, 2, point, value);
    const bool falls = value[0] < value[1];
    for (int k = 0; k < 2 && !falls; k++) {
        sp_problem_gradient(p, workspace, point[k], gradient);
        norm[k] = cblas_dnrm2((int)d, gradient, 1);
    }
    free(gradient);
    const double half = isfinite(p->declared.gap) ? 0.5 * p->declared.gap : 0.0;
    const sp_status status = value[0] > value[1] - half ? is_saturated(p, w, &saturated) : SP_OK;
    if (is_far(p, w, falls))
        *out = SP_FAR;
    else if (!falls && norm[0] < 0.1 * norm[1])
        *out = SP_ABOVE_START;
    else if (saturated)
        *out = SP_SATURATED;
    return status;
}
