/* curvature.c -- releases from the secret curvature matrix of a GLM: its trace, and solves M^-1 v with it.
 *
 *   H = (1/m) sum_i h_i x_i x_i',   0 <= h_i ||x_i||^2 <= b,   M = E + ridge I + H,   E diagonal, public, >= 0
 *
 * Trace. Each record's part of m trace H lies in [0, b], so replacing a record moves the trace by at most b / m.
 *
 * Solve. Neighbours differ in one record: M = A + c x x' and M' = A + c' y y' with the same A, which is E + ridge I and
 * the other records' part, so A >= k I with k = ridge + the smallest entry of E; c ||x||^2 and c' ||y||^2 are at most
 * b / m. By Sherman & Morrison
 *
 *   P = A^-1 - M^-1 = c A^-1 x x' A^-1 / (1 + c x'A^-1 x)
 *
 * is positive semidefinite of rank one. As A^-1 <= I / k, ||A^-1 x||^2 <= (1/k) x'A^-1 x, so its norm is at most
 * (1/k) s / (1 + s) with s = c x'A^-1 x <= b / (m k); this increases in s, hence
 *
 *   ||P|| <= k0 = b / (m k^2 + b k),   and likewise ||P'|| <= k0 for P' = A^-1 - M'^-1.
 *
 * Now M'^-1 - M^-1 = P - P' with 0 <= P, P' <= k0 I, whose norm is at most k0. So replacing a record moves the solution
 * M^-1 v by at most k0 ||v||, no more than adding or removing one. The bound is attained: A = k I, x along v, y
 * orthogonal to it. v and the ridge may depend on records only through released values.
 *
 * Ganesh, Haghifam, Steinke & Thakurta 2023 have k0 for records added or removed. */
#include "core/oracle/oracle_internal.h"

#include "core/oracle/noise.h"

#include <gsl/gsl_cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Least k / b of a private solve: M^-1 v is then exact to 1e-6 of its sensitivity up to d = 1000 and 10^6 records. */
static const double least_ridge = 1e-9;

/* One call: its batch, and b. */
typedef struct asked {
    sp_resolved_batch resolved;
    double b;
} asked;

static sp_status check(sp_oracle *o, const char *what, const sp_curvature *c, asked *a)
{
    sp_status status = SP_OK;
    const sp_constants *k = &o->problem->declared;
    SP_TRY(sp_not_reentered(o));
    if (!o->problem->loss->link || o->problem->loss->public_part)
        return sp_refuse(o, SP_EUNSUPPORTED, "%s: the loss %s is no GLM, or has a part without records", what,
                         o->problem->loss->name);
    if ((unsigned)c->weights > SP_WEIGHTS_HESSIAN)
        return sp_refuse(o, SP_EINVAL, "%s: there are no weights %d", what, (int)c->weights);
    SP_TRY(sp_point_check(o, what, c->point));
    SP_TRY(sp_batch_resolve(o, c->batch, &a->resolved));
    if (o->charged && a->resolved.kind == SP_SAMPLE_POISSON)
        return sp_refuse(o, SP_EPRIVACY, "%s: no theorem covers it on a Poisson sample", what);
    SP_TRY(sp_batch_check(o, &a->resolved));
    a->b = k->hessian_norm;
    if (o->charged && !(a->b <= SP_MAGNITUDE_MAX))
        return sp_refuse(o, SP_EPRIVACY, "%s: hessian_norm = %g is above %g", what, a->b, SP_MAGNITUDE_MAX);
    return sp_oracle_hessian_scratch(o, what);
cleanup:
    return status;
}

sp_status sp_curvature_trace(sp_oracle *o, const sp_curvature *c, double noise_multiplier, double *out)
{
    sp_status status = SP_OK;
    asked a;
    SP_TRY(check(o, "sp_curvature_trace", c, &a));
    SP_TRY(sp_noise_check(o, "sp_curvature_trace: noise_multiplier", noise_multiplier));
    const double sensitivity = a.b > 0.0 ? fmax(a.b, SP_MAGNITUDE_MIN) / a.resolved.m : 0.0;
    const double noise_std = o->charged ? noise_multiplier * sensitivity : 0.0;
    SP_TRY(sp_release_charge(o, &a.resolved, noise_multiplier, sensitivity));
    o->cost.releases++;
    o->cost.gradients += a.resolved.m;
    const double raw = sp_data_curvature_trace(a.resolved.problem, o->scratch.workspace, a.resolved.rows, c->point,
                                               c->weights, a.resolved.m);
    double answer = raw;
    sp_noise_gaussian(o->noise, noise_std, 1, &answer);
    SP_TRY(sp_transcript_event(o, &(sp_event){ .primitive = "trace", .point = &c->point, .points = 1,
                                               .dimension = sp_dimension(o), .rows = a.resolved.listed.index,
                                               .count = a.resolved.listed.count, .m = a.resolved.m,
                                               .rate = a.resolved.entry.rate, .raw = &raw, .size = 1,
                                               .move = SP_MOVE_L2, .sensitivity = sensitivity,
                                               .noise_std = noise_std, .answer = &answer, .answers = 1 }));
    *out = answer;
cleanup:
    return status;
}

/* The smallest eigenvalue of E + ridge I, E into scratch.exact. */
static double floor_of(const sp_oracle *o, const sp_curvature *c, double ridge)
{
    double least = INFINITY;
    sp_public_curvature(o->problem, c->point, c->weights, o->scratch.exact);
    for (size_t j = 0; j < sp_dimension(o); j++)
        least = fmin(least, o->scratch.exact[j]);
    return ridge + least;
}

static double moves(double b, double m, double k, double norm)
{
    const double sensitivity = norm * (b / (m * k + b)) / k;
    return b > 0.0 && norm > 0.0 ? fmax(sensitivity, SP_MAGNITUDE_MIN) : 0.0;
}

double sp_curvature_sensitivity(const sp_oracle *o, const sp_curvature *c, double ridge, const double *v)
{
    const double m = (double)sp_batch_size(o, c->batch), k = floor_of(o, c, ridge);
    return m > 0.0 && k > 0.0 ? moves(o->problem->declared.hessian_norm, m, k, cblas_dnrm2((int)sp_dimension(o), v, 1))
                              : NAN;
}

static sp_status check_system(sp_oracle *o, const asked *a, double ridge, const double *v, double k, double sensitivity)
{
    if (!(ridge >= 0.0 && isfinite(ridge)))
        return sp_refuse(o, SP_EINVAL, "sp_curvature_solve: ridge = %g must be >= 0 and finite", ridge);
    if (!(k > 0.0 && isfinite(k)))
        return sp_refuse(o, SP_EINVAL, "sp_curvature_solve: ridge = %g: nothing holds the matrix above 0, or its "
                         "regulariser has no largest curvature", ridge);
    if (o->charged && !(k > least_ridge * a->b))
        return sp_refuse(o, SP_EPRIVACY, "sp_curvature_solve: ridge = %g leaves the matrix at %g, where rounding may "
                         "tell what noise hides: it has to be above %g", ridge, k, least_ridge * a->b);
    if (o->charged && !(sensitivity <= SP_MAGNITUDE_MAX))
        return sp_refuse(o, SP_EPRIVACY, "sp_curvature_solve: a sensitivity of %g is above %g", sensitivity,
                         SP_MAGNITUDE_MAX);
    return sp_point_check(o, "sp_curvature_solve: v", v);
}

sp_status sp_curvature_solve(sp_oracle *o, const sp_curvature *c, double ridge, const double *v,
                             double noise_multiplier, double *out)
{
    sp_status status = SP_OK;
    asked a;
    const size_t d = sp_dimension(o);
    double *H, *raw = o->scratch.raw, *answer = o->scratch.data;
    SP_TRY(check(o, "sp_curvature_solve", c, &a));
    SP_TRY(sp_noise_check(o, "sp_curvature_solve: noise_multiplier", noise_multiplier));
    const double k = floor_of(o, c, ridge);
    const double sensitivity = moves(a.b, a.resolved.m, k, cblas_dnrm2((int)d, v, 1));
    const double noise_std = o->charged ? noise_multiplier * sensitivity : 0.0;
    SP_TRY(check_system(o, &a, ridge, v, k, sensitivity));
    SP_TRY(sp_release_charge(o, &a.resolved, noise_multiplier, sensitivity));
    o->cost.releases++;
    o->cost.hessians += a.resolved.m;
    H = o->scratch.hessian;
    sp_data_curvature(a.resolved.problem, o->scratch.workspace, a.resolved.rows, c->point, c->weights, a.resolved.m, H);
    for (size_t j = 0; j < d; j++)
        H[j * d + j] += o->scratch.exact[j] + ridge;
    memcpy(raw, v, d * sizeof *raw);
    if (LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'U', (lapack_int)d, 1, H, (lapack_int)d, raw, (lapack_int)d) != 0)
        memset(raw, 0, d * sizeof *raw); /* k > 0: rounding alone; that it failed would tell about records */
    memcpy(answer, raw, d * sizeof *answer);
    sp_noise_gaussian(o->noise, noise_std, d, answer);
    SP_TRY(sp_transcript_event(o, &(sp_event){ .primitive = "solve", .point = (const double *const[]){ c->point, v },
                                               .points = 2, .dimension = d, .rows = a.resolved.listed.index,
                                               .count = a.resolved.listed.count, .m = a.resolved.m,
                                               .rate = a.resolved.entry.rate, .raw = raw, .size = d,
                                               .move = SP_MOVE_L2, .sensitivity = sensitivity,
                                               .noise_std = noise_std, .answer = answer, .answers = d }));
    memcpy(out, answer, d * sizeof *out);
cleanup:
    return status;
}
