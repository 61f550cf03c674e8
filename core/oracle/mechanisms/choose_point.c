/* choose_point.c -- the exponential mechanism on the domain W itself: one draw from the density ~ exp(-tau u), by
 * rejection or by a random walk. u is a loss relative to the centre as in choose.c, with each record's part clipped to
 * +-L_data times the distance to the centre; Dr = 4 L_data radius / n, tau = epsilon / Dr.
 *
 * Rejection. A uniform proposal is accepted with probability exp(-tau (u - lower)). The distribution of the accepted
 * point does not depend on lower, as long as lower <= u everywhere. A search without noise (choose_grid.c) finds such a
 * bound within 1 / tau of the minimum, on a grid of spacing 2 / (tau L sqrt d); the bound is never released. The
 * rejected proposals are secret too, and so is the time, which depends on the records. The probability that `trials`
 * proposals are not enough would depend on them too: a private run must have so many that it is below 2^-53 for all
 * records.
 *
 * Random walk. Its distribution is not known exactly, so it costs what the caller declares (oracle.h); the number of
 * moves is fixed.
 *
 * An audit sees the scores at witnesses (the centre and points on the axes around it), and which witness is nearest. */
#include "core/oracle/mechanisms/choose.h"

#include "core/numeric/math.h"
#include "core/base/memory.h"
#include "core/numeric/normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MISSES_MAX = 1000000, SILENT_TRIALS = 1024, HALF_AXIS = 16 };

#define ENOUGH 37.0 /* accepted trials expected, at least: (1 - p)^trials <= e^-37 = 2^-53 */

static sp_status check(sp_oracle *o, const sp_continuum *k, double epsilon)
{
    if (!(k->radius > 0.0 && isfinite(k->radius)))
        return sp_refuse(o, SP_EINVAL, "sp_choose_point: radius = %g must be > 0 and finite", k->radius);
    if (o->charged && !(epsilon > 0.0 && isfinite(epsilon)))
        return sp_refuse(o, SP_EPRIVACY, "sp_choose_point: epsilon = %g: a private choice needs it > 0 and finite",
                         epsilon);
    if (o->charged && !isfinite(o->problem->declared.L_data))
        return sp_refuse(o, SP_EPRIVACY, "sp_choose_point: no finite sensitivity (L_data = %g)",
                         o->problem->declared.L_data);
    if (k->moves == 0)
        return sp_search_check(o);
    if (!(k->move_std > 0.0 && isfinite(k->move_std)))
        return sp_refuse(o, SP_EINVAL, "sp_choose_point: move_std = %g must be > 0 and finite", k->move_std);
    if (o->charged && !(k->tv > 0.0))
        return sp_refuse(o, SP_EPRIVACY, "sp_choose_point: a random walk is uncertified: without a bound tv on its "
                         "distance from the exponential mechanism its cost is infinite");
    return SP_OK;
}

double sp_walk_delta(double epsilon, double tv)
{
    return (1.0 + sp_exp(epsilon)) * tv;
}

static sp_entry entry_of(const sp_continuum *k, double epsilon, double range)
{
    if (k->moves == 0)
        return (sp_entry){ .kind = SP_LEDGER_EM, .epsilon = epsilon, .count = 1, .sensitivity_low = range,
                           .sensitivity_high = range };
    return (sp_entry){ .kind = SP_LEDGER_APPROX, .epsilon = epsilon, .delta = sp_walk_delta(epsilon, k->tv),
                       .count = 1, .sensitivity_low = range, .sensitivity_high = range };
}

static bool inside(const sp_choosing *c, const double *w)
{
    return sp_domain_contains(&c->o->problem->domain, w) &&
           sp_distance_of(c->d, w, c->score->reference) <= c->score->radius * (1.0 + 1e-12);
}

/* --- rejection ----------------------------------------------------------------------------------------------- */

/* Points of a side of the grid that lower_bound searches. */
static double side_of(const sp_choosing *c, double unit)
{
    const double wanted = ceil(c->score->radius * sqrt((double)c->d) * c->o->problem->certified.L / unit);
    return fmax(2.0, fmin(wanted + 1.0, floor(sp_pow(SP_GRID_MAX, 1.0 / (double)c->d))));
}

/* A trial accepts with at least this probability, whatever the records: of a convex W of diameter D, (r / D)^d lies
 * within r of the minimiser, where u rises by at most L r; lower is at most a cell's slack below the minimum. */
static double acceptance(const sp_choosing *c, double unit)
{
    const double d = (double)c->d, rise = c->o->problem->certified.L * c->score->radius / unit;
    const double part = fmin(1.0, d / (2.0 * rise));
    return sp_pow(part, d) * sp_exp(-2.0 * rise * part - rise * sqrt(d) / (side_of(c, unit) - 1.0));
}

/* At most u, everywhere on W. */
static sp_status lower_bound(sp_choosing *c, double unit, double *lower)
{
    sp_status status = SP_OK;
    const double radius = c->score->radius;
    sp_space grid = { .kind = SP_SPACE_GRID, .side = (size_t)side_of(c, unit) };
    double *origin = sp_alloc_doubles(c->d);
    size_t index;
    if (!origin)
        return sp_refuse(c->o, SP_ENOMEM, "sp_choose_point: out of memory at d = %zu", c->d);
    for (size_t j = 0; j < c->d; j++)
        origin[j] = c->score->reference[j] - radius;
    grid.origin = origin;
    grid.spacing = 2.0 * radius / (double)(grid.side - 1);
    c->space = &grid;
    SP_TRY(sp_choosing_search(c, 0.0, &index, lower));
cleanup:
    c->space = NULL;
    free(origin);
    return status;
}

/* c->point, uniform on W. */
static sp_status propose(sp_choosing *c)
{
    for (size_t misses = 0; misses < MISSES_MAX; misses++) {
        sp_ball_uniform(c->o->selection, c->d, c->score->radius, c->point);
        for (size_t j = 0; j < c->d; j++)
            c->point[j] += c->score->reference[j];
        if (sp_domain_contains(&c->o->problem->domain, c->point))
            return SP_OK;
    }
    return sp_refuse(c->o, SP_EUNSUPPORTED, "sp_choose_point: domain %s: not one of %d points of a ball around it is "
                     "inside", sp_domain_names[c->o->problem->domain.kind], (int)MISSES_MAX);
}

static sp_status reject(sp_choosing *c, const sp_continuum *k, double unit, double *out)
{
    sp_status status = SP_OK;
    double lower = -INFINITY, best = INFINITY;
    if (unit > 0.0)
        SP_TRY(lower_bound(c, unit, &lower));
    const double trials = unit > 0.0 ? k->trials : SILENT_TRIALS;
    for (double trial = 0.0; trial < trials; trial += 1.0) {
        SP_TRY(propose(c));
        const double u = sp_choosing_loss(c);
        if (unit > 0.0 ? gsl_rng_uniform(c->o->selection) < sp_exp((lower - u) / unit) : u < best) {
            best = u;
            memcpy(out, c->point, c->d * sizeof *out);
            if (unit > 0.0)
                return SP_OK;
        }
    }
    if (unit > 0.0)
        status = sp_refuse(c->o, SP_ELIMIT, "sp_choose_point: nothing was accepted in %g trials", k->trials);
cleanup:
    return status;
}

/* --- random walk --------------------------------------------------------------------------------------------- */

/* From `from`, to `at`. */
static void walk(sp_choosing *c, const sp_continuum *k, double unit, const double *from, double *at)
{
    gsl_rng *r = c->o->selection;
    sp_stream_key key;
    memcpy(c->point, from, c->d * sizeof *at);
    sp_choosing_project(c);
    memcpy(at, c->point, c->d * sizeof *at);
    double now = sp_choosing_loss(c);
    for (size_t i = 0; i < k->moves; i++) {
        const uint64_t step = sp_stream_step(r, &key);
        const double coin = gsl_rng_uniform(r);
        memcpy(c->point, at, c->d * sizeof *at);
        sp_normal_add(key, step, 0, c->d, k->move_std, c->point);
        if (!inside(c, c->point))
            continue;
        const double u = sp_choosing_loss(c);
        if (unit > 0.0 ? coin < sp_exp((now - u) / unit) : u < now) {
            now = u;
            memcpy(at, c->point, c->d * sizeof *at);
        }
    }
    c->o->cost.losses += (double)(k->moves + 1) * c->resolved.m;
}

/* --- the call ------------------------------------------------------------------------------------------------ */

static size_t witnesses(size_t d)
{
    return 1 + 2 * HALF_AXIS * d;
}

static void witness(sp_choosing *c, size_t i, double *out)
{
    memcpy(c->point, c->score->reference, c->d * sizeof *out);
    if (i > 0) {
        const double length = c->score->radius * (double)((i - 1) / 2 % HALF_AXIS + 1) / HALF_AXIS;
        c->point[(i - 1) / 2 / HALF_AXIS] += i % 2 ? length : -length;
    }
    sp_choosing_project(c);
    memcpy(out, c->point, c->d * sizeof *out);
}

static sp_status show(sp_choosing *c, double unit, double *out)
{
    sp_status status = SP_OK;
    sp_oracle *o = c->o;
    const size_t d = c->d, count = witnesses(d);
    double *points = sp_alloc_doubles(count * d + d + 1), *answer = points + count * d;
    const sp_space listed = { .kind = SP_SPACE_LIST, .count = count, .points = points };
    if (!points)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "transcript: out of memory at d = %zu", d));
    size_t nearest = 0;
    for (size_t i = 0; i < count; i++) {
        witness(c, i, points + i * d);
        if (sp_distance_of(d, points + i * d, out) < sp_distance_of(d, points + nearest * d, out))
            nearest = i;
    }
    answer[0] = (double)nearest;
    memcpy(answer + 1, out, d * sizeof *out);
    c->space = &listed;
    SP_TRY(sp_choosing_scores(c));
    SP_TRY(sp_transcript_event(o, &(sp_event){ .primitive = "choose_point", .dimension = d,
                                               .m = c->resolved.m, .points = 1,
                                         .point = (const double *const[]){ c->score->reference }, .raw = c->u,
                                         .size = count, .move = SP_MOVE_RANGE, .sensitivity = c->range,
                                         .noise_std = unit, .answer = answer, .answers = d + 1 }));
    memcpy(out, answer + 1, d * sizeof *out);
cleanup:
    free(points);
    return status;
}

sp_status sp_choose_point(sp_oracle *o, const sp_continuum *k, double epsilon, double *out)
{
    sp_status status = SP_OK;
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = k->centre, .radius = k->radius };
    sp_choosing c = { .o = o, .score = &score, .d = sp_dimension(o) };
    double *chosen;
    SP_TRY(sp_not_reentered(o));
    SP_TRY(sp_reference_check(o, "sp_choose_point: centre", k->centre));
    SP_TRY(check(o, k, epsilon));
    if (k->moves > 0)
        SP_TRY(sp_point_check(o, "sp_choose_point: start", out));
    SP_TRY(sp_batch_resolve(o, (sp_batch){ 0 }, &c.resolved));
    SP_TRY(sp_choosing_open(&c, witnesses(c.d)));
    c.range = fmax(4.0 * o->problem->declared.L_data * k->radius / c.resolved.m, SP_MAGNITUDE_MIN);
    if (o->charged && !(c.range <= SP_MAGNITUDE_MAX))
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_choose_point: radius = %g: a sensitivity above %g", k->radius,
                         SP_MAGNITUDE_MAX));
    const double unit = o->charged ? c.range / epsilon : 0.0;
    if (k->moves == 0 && unit > 0.0 && !(k->trials * acceptance(&c, unit) >= ENOUGH))
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_choose_point: trials = %g: that none is accepted would tell about "
                         "records; at least %.3g", k->trials, ENOUGH / acceptance(&c, unit)));
    const sp_entry entry = entry_of(k, epsilon, c.range);
    SP_TRY(sp_charge(o, &entry, 1));
    o->cost.releases++;
    sp_choosing_start(&c);
    chosen = c.centre;
    if (k->moves == 0)
        SP_TRY(reject(&c, k, unit, chosen));
    else
        walk(&c, k, unit, out, chosen);
    if (o->transcript)
        SP_TRY(show(&c, unit, chosen));
    memcpy(out, chosen, c.d * sizeof *out);
cleanup:
    return status;
}
