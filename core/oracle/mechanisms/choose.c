/* choose.c -- private selection: returns a candidate i whose score u_i is nearly the smallest, without releasing any
 * score.
 *
 *   exponential mechanism   P(i) ~ exp(-tau u_i), tau = epsilon / Dr  (argmax of -tau u_i + Gumbel)         ledger em
 *   report-noisy-min        argmin of u_i + Laplace(Dr / epsilon)                                   ledger rnm_laplace
 *   AboveThreshold          the first i with u_i + Laplace(4 Du / epsilon) <= threshold + Laplace(2 Du / epsilon)  svt
 *
 * Dr = sup |(u_i - u_i') - (u_j - u_j')| and Du = sup |u_i - u_i'| over candidates i, j and neighbouring data (primed).
 * The first two mechanisms do not change if all scores are shifted by the same amount, so Dr suffices (Dong, Durfee &
 * Rogers 2020; for Laplace: shift the scores so that u_i is unchanged, then the threshold for i's noise moves by at
 * most Dr). Scores, for a batch of m records and a reference point c:
 *
 *   loss    u_i = mean clip(f(w_i, z) - f(c, z), +-L r_i) + public part, r_i = ||w_i - c||.  One record moves u_i by
 *           at most 2 L r_i / m, whether L is true or not: Dr = 2 L (r_i + r_j) / m for the two largest r.
 *   inner   u_i = <w_i, a>, where a record of weight s moves a by at most s: Dr = s max ||w_i - w_j|| <= 2 s max
 *           ||w_i - mean||; for the vertices of a domain, s times its diameter. The vertices of an l1 ball or a simplex
 *           are never formed. If the weights are in l_inf, distances, norms and diameters are in l1.
 *   sosp    u_i = max(||grad F(w_i)|| / gradient_scale, -lambda_min(hess F(w_i)) / curvature_scale), gradients clipped:
 *           Du = max(2 L / (m gradient_scale), h / (m curvature_scale)), h = min(2 ||hess f||, ||hess f - hess f'||_F),
 *           Dr = 2 Du.  The eigensolver is dense, with rounding errors only.
 *
 * Offsets added to scores are public, so they change no sensitivity.
 *
 * For a grid (choose_grid.c), Dr is that of two points at the score's radius, and the clip +-L r_i stops growing there.
 * With summed data there are no records to clip, and one record moves u_i by up to 2 L r_i / m wherever w_i is; so no
 * point of a grid or of W may be further than that radius from c, which must be in the domain (sp_choosing_project).
 * All scores are computed, even if AboveThreshold stops early: time and cost do not depend on the records, except in a
 * search (choose_grid.c). A choice on a subset, a Poisson sample or a pass is charged to all records, without
 * amplification.
 */
#include "core/oracle/mechanisms/choose.h"

#include "core/numeric/eigen.h"
#include "core/numeric/math.h"
#include "core/base/memory.h"
#include "core/oracle/noise.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_MAX = 200, LISTED_GRID_MAX = 1000000 };

static const sp_ledger_kind kinds[] = { [SP_CHOOSE_EXPONENTIAL] = SP_LEDGER_EM,
                                        [SP_CHOOSE_NOISY_MIN] = SP_LEDGER_RNM_LAPLACE,
                                        [SP_CHOOSE_ABOVE_THRESHOLD] = SP_LEDGER_SVT };
static const sp_law laws[] = { [SP_CHOOSE_EXPONENTIAL] = SP_LAW_GIBBS, [SP_CHOOSE_NOISY_MIN] = SP_LAW_NOISY_MIN,
                               [SP_CHOOSE_ABOVE_THRESHOLD] = SP_LAW_OTHER };

/* Candidate i, in c->point. */
static sp_status candidate(sp_choosing *c, size_t i)
{
    if (c->space->kind == SP_SPACE_LIST)
        memcpy(c->point, c->space->points + i * c->d, c->d * sizeof *c->point);
    else if (c->space->kind == SP_SPACE_VERTICES)
        sp_domain_vertex(&c->o->problem->domain, i, c->point);
    else
        sp_choosing_grid(c, i);
    return sp_point_check(c->o, "sp_choose", c->point);
}

double sp_distance_of(size_t d, const double *v, const double *w)
{
    double norm = 0.0;
    for (size_t j = 0; j < d; j++)
        norm = sp_hypot(norm, v[j] - w[j]);
    return norm;
}

static double distance_in(sp_norm norm, size_t d, const double *v, const double *w)
{
    double sum = 0.0;
    if (norm == SP_NORM_L2)
        return sp_distance_of(d, v, w);
    for (size_t j = 0; j < d; j++)
        sum += fabs(v[j] - w[j]);
    return sum;
}

/* The two largest distances from `centre`, in l2 or l1. */
static sp_status two_largest(sp_choosing *c, sp_norm norm, const double *centre, double largest[2])
{
    sp_status status = SP_OK;
    largest[0] = largest[1] = 0.0;
    for (size_t i = 0; i < c->space->count; i++) {
        SP_TRY(candidate(c, i));
        const double r = distance_in(norm, c->d, c->point, centre);
        if (c->score->radius > 0.0 && c->score->kind == SP_SCORE_LOSS && !(r <= c->score->radius * (1.0 + 1e-12)))
            return sp_refuse(c->o, SP_EINVAL, "sp_choose: candidate %zu is %g from the reference, radius = %g", i, r,
                             c->score->radius);
        if (r > largest[0]) {
            largest[1] = largest[0];
            largest[0] = r;
        } else {
            largest[1] = fmax(largest[1], r);
        }
    }
cleanup:
    return status;
}

/* --- sensitivities ------------------------------------------------------------------------------------------- */

/* What noise is relative to must not vanish before the scores do: 0 only where no score moves. */
static void at_least(sp_choosing *c, bool moves)
{
    c->single = moves ? fmax(c->single, SP_MAGNITUDE_MIN) : c->single;
    c->range = moves && c->space->count > 1 ? fmax(c->range, SP_MAGNITUDE_MIN) : c->range;
}

static sp_status loss_sensitivity(sp_choosing *c)
{
    const double L = c->o->problem->declared.L_data;
    double r[2] = { c->score->radius, c->score->radius };
    const sp_status status =
        c->space->kind == SP_SPACE_GRID ? SP_OK : two_largest(c, SP_NORM_L2, c->score->reference, r);
    c->single = 2.0 * L * r[0] / c->resolved.m;
    c->range = c->space->count > 1 ? 2.0 * L * (r[0] + r[1]) / c->resolved.m : 0.0;
    at_least(c, r[0] > 0.0);
    return status;
}

static sp_status inner_sensitivity(sp_choosing *c)
{
    sp_status status = SP_OK;
    const sp_secret secret = sp_accumulator_secret(c->score->accumulator);
    const sp_domain *domain = &c->o->problem->domain;
    const sp_norm dual = secret.norm == SP_NORM_LINF ? SP_NORM_L1 : SP_NORM_L2;
    const double weight = secret.worst;
    double r[2];
    if (c->space->kind == SP_SPACE_VERTICES) {
        const bool l1 = dual == SP_NORM_L1;
        const double diameter = l1 ? sp_domain_diameter_l1(domain) : sp_domain_diameter(domain);
        c->single = weight * (l1 ? sp_domain_norm_l1(domain) : domain->norm);
        c->range = c->space->count > 1 ? weight * diameter : 0.0;
        at_least(c, weight > 0.0);
        return SP_OK;
    }
    memset(c->centre, 0, c->d * sizeof *c->centre);
    SP_TRY(two_largest(c, dual, c->centre, r));
    c->single = weight * r[0];
    const bool moves = weight > 0.0 && r[0] > 0.0;
    for (size_t i = 0; i < c->space->count; i++) {
        SP_TRY(candidate(c, i));
        cblas_daxpy((int)c->d, 1.0 / (double)c->space->count, c->point, 1, c->centre, 1);
    }
    SP_TRY(two_largest(c, dual, c->centre, r));
    c->range = weight * (r[0] + r[1]);
    at_least(c, moves);
cleanup:
    return status;
}

static sp_status sosp_sensitivity(sp_choosing *c)
{
    const sp_constants *k = &c->o->problem->declared;
    const double hessian = fmin(2.0 * k->hessian_norm, k->hessian_frobenius);
    double r[2];
    /* reads each candidate: all must be finite */
    const sp_status status = two_largest(c, SP_NORM_L2, c->o->problem->start, r);
    c->single = fmax(2.0 * k->L_data / c->score->gradient_scale, hessian / c->score->curvature_scale) / c->resolved.m;
    c->range = c->space->count > 1 ? 2.0 * c->single : 0.0;
    at_least(c, true);
    return status;
}

/* --- scores ---------------------------------------------------------------------------------------------------- */

/* How many losses a score is made of, and how many records each stands for (NULL: one). Summed data have one, the mean:
 * L_data bounds the slope of every record's f, so that no record's f(w_i, z) - f(c, z) would be cut at +-L_data r_i. */
static size_t records(const sp_choosing *c, const double **weight)
{
    return sp_data_value_count(c->resolved.problem, c->resolved.rows, weight);
}

double sp_choosing_loss(sp_choosing *c)
{
    sp_oracle *o = c->o;
    const double reach = sp_distance_of(c->d, c->point, c->score->reference);
    const double limit = o->problem->declared.L_data * (c->score->radius > 0.0 ? fmin(reach, c->score->radius) : reach);
    const double *weight;
    const size_t count = records(c, &weight);
    double sum = 0.0;
    sp_data_changes(c->resolved.problem, o->scratch.workspace, c->resolved.rows, c->point, c->score->reference, c->base,
                    c->change);
    for (size_t i = 0; i < count; i++) {
        const double change = c->change[i], cut = isfinite(change) ? fmax(-limit, fmin(limit, change)) : 0.0;
        sum += weight ? weight[i] * cut : cut;
    }
    const double here = sp_public_value(o->problem, c->point);
    const double there = sp_public_value(o->problem, c->score->reference);
    /* what one of very many records adds may be below the rounding of either */
    return o->problem->train->moments ? sum / c->resolved.m + (here - there) : sum / c->resolved.m + here - there;
}

static sp_status inner_score(sp_choosing *c, size_t i, double *score)
{
    sp_status status = SP_OK;
    const sp_secret a = sp_accumulator_secret(c->score->accumulator);
    const sp_domain *domain = &c->o->problem->domain;
    if (c->space->kind == SP_SPACE_VERTICES) {
        *score = sp_domain_vertex_dot(domain, i, a.data) + sp_domain_vertex_dot(domain, i, a.exact);
    } else {
        SP_TRY(candidate(c, i));
        *score = cblas_ddot((int)c->d, c->point, 1, a.data, 1) + cblas_ddot((int)c->d, c->point, 1, a.exact, 1);
    }
cleanup:
    return status;
}

static sp_status sosp_score(sp_choosing *c, double *score)
{
    sp_oracle *o = c->o;
    const int d = (int)c->d;
    const sp_term term = { 1.0, c->point };
    const double L = o->problem->declared.L_data;
    double *H = o->scratch.hessian, smallest;
    sp_status status = SP_OK;
    sp_data_query(c->resolved.problem, o->scratch.workspace, c->resolved.rows, 1, &term, L, L, c->resolved.m,
                  o->scratch.data);
    sp_public_query(o->problem, o->scratch.workspace, 1, &term, o->scratch.exact);
    cblas_daxpy(d, 1.0, o->scratch.exact, 1, o->scratch.data, 1);
    sp_data_hessian(c->resolved.problem, o->scratch.workspace, c->resolved.rows, c->point, c->resolved.m, H);
    sp_public_hessian(o->problem, o->scratch.workspace, c->point, H + c->d * c->d);
    cblas_daxpy(d * d, 1.0, H + c->d * c->d, 1, H, 1);
    status = sp_eigen_smallest(c->d, H, &smallest, NULL);
    if (status == SP_ENUMERIC)
        SP_TRY(sp_refuse(o, status, "sp_choose: the Hessian at a candidate has no finite eigenvalue"));
    SP_TRY(status);
    *score = fmax(cblas_dnrm2(d, o->scratch.data, 1) / c->score->gradient_scale, -smallest / c->score->curvature_scale);
cleanup:
    return status;
}

void sp_choosing_start(sp_choosing *c)
{
    sp_data_values(c->resolved.problem, c->o->scratch.workspace, c->resolved.rows, c->score->reference, c->base);
    c->o->cost.losses += c->resolved.m;
}

sp_status sp_choosing_scores(sp_choosing *c)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < c->space->count; i++) {
        if (c->score->kind == SP_SCORE_INNER_PRODUCT) {
            SP_TRY(inner_score(c, i, &c->u[i]));
            continue;
        }
        SP_TRY(candidate(c, i));
        if (c->score->kind == SP_SCORE_LOSS)
            c->u[i] = sp_choosing_loss(c);
        else
            SP_TRY(sosp_score(c, &c->u[i]));
    }
    for (size_t i = 0; c->score->offset && i < c->space->count; i++) /* public: moves no score from D to D' */
        c->u[i] += c->score->offset[i];
cleanup:
    return status;
}

static sp_status check_offset(sp_oracle *o, const sp_space *space, const double *offset)
{
    if (space->kind != SP_SPACE_LIST)
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_choose: offsets are for candidates of a list");
    for (size_t i = 0; i < space->count; i++)
        if (!(fabs(offset[i]) <= SP_MAGNITUDE_MAX))
            return sp_refuse(o, SP_ENUMERIC, "sp_choose: offset %zu is %g", i, offset[i]);
    return SP_OK;
}

static void count_scores(sp_choosing *c)
{
    const double count = (double)c->space->count * c->resolved.m;
    if (c->score->kind == SP_SCORE_LOSS)
        c->o->cost.losses += count;
    if (c->score->kind == SP_SCORE_SOSP) {
        c->o->cost.gradients += count;
        c->o->cost.hessians += count;
    }
}

/* --- choosing -------------------------------------------------------------------------------------------------- */

/* epsilon = INFINITY: without noise. */
static size_t smallest(const sp_choosing *c, sp_chooser chooser, double epsilon)
{
    gsl_rng *r = c->o->selection;
    const bool noisy = isfinite(epsilon);
    double best = INFINITY;
    size_t index = 0;
    for (size_t i = 0; i < c->space->count; i++) { /* in units of Dr / epsilon, so that Dr = 0 is exact */
        double noise = 0.0;
        if (noisy)
            noise = chooser == SP_CHOOSE_EXPONENTIAL ? -sp_noise_gumbel(r) : sp_noise_laplace(r);
        const double u = c->u[i] + (noisy ? noise * c->range / epsilon : 0.0);
        if (u < best) {
            best = u;
            index = i;
        }
    }
    return index;
}

static size_t below_threshold(const sp_choosing *c, double epsilon)
{
    gsl_rng *r = c->o->selection;
    const double unit = isfinite(epsilon) ? c->single / epsilon : 0.0;
    const double threshold = c->score->threshold + (unit > 0.0 ? 2.0 * unit * sp_noise_laplace(r) : 0.0);
    size_t index = 0;
    for (; index < c->space->count; index++) {
        const double noise = unit > 0.0 ? 4.0 * unit * sp_noise_laplace(r) : 0.0;
        if (c->u[index] + noise <= threshold)
            break;
    }
    return index;
}

/* --- the call ---------------------------------------------------------------------------------------------------- */

sp_status sp_reentered(sp_oracle *o)
{
    return sp_refuse(o, SP_EPRIVACY, "the oracle was called by a generator of candidates, which sp_choose was asking");
}

sp_status sp_not_reentered(sp_oracle *o)
{
    sp_oracle *root = sp_oracle_root(o);
    if (!root->asking)
        return SP_OK;
    root->reentered = true;
    return sp_reentered(o);
}

/* A generator's points become a list before anything is looked at: sensitivity, scores and answer are of one list,
 * whatever it would answer the next time. */
static sp_status list_generated(sp_oracle *o, sp_space *space)
{
    sp_oracle *root = sp_oracle_root(o);
    sp_scratch *s = &o->scratch;
    const size_t d = sp_dimension(o), count = space->count;
    if (count > 0 && !space->generate)
        return sp_refuse(o, SP_EINVAL, "sp_choose: no candidates");
    if (count > s->listed_size / d) {
        free(s->listed);
        s->listed_size = 0;
        s->listed = sp_alloc(count, d * sizeof *s->listed);
        if (!s->listed)
            return sp_refuse(o, SP_ENOMEM, "sp_choose: out of memory for %zu candidates", count);
        s->listed_size = count * d;
    }
    root->asking = true;
    root->reentered = false;
    for (size_t i = 0; i < count; i++)
        space->generate(space->context, i, s->listed + i * d);
    root->asking = false;
    space->kind = SP_SPACE_LIST;
    space->points = s->listed;
    return root->reentered ? sp_reentered(o) : SP_OK;
}

sp_status sp_reference_check(sp_oracle *o, const char *what, const double *reference)
{
    const sp_status status = sp_point_check(o, what, reference);
    if (status == SP_OK && sp_data_summed(o->problem) && !sp_domain_contains(&o->problem->domain, reference))
        return sp_refuse(o, SP_EUNSUPPORTED, "%s: not in domain %s, and storage = \"moments\" has no records whose "
                         "losses could be cut", what, sp_domain_names[o->problem->domain.kind]);
    return status;
}

static sp_status check_grid(sp_oracle *o, const sp_space *space, const sp_score *score, sp_chooser chooser)
{
    if (chooser != SP_CHOOSE_EXPONENTIAL || score->kind != SP_SCORE_LOSS)
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_choose: a grid is for the exponential mechanism of losses");
    if (!(score->radius > 0.0 && isfinite(score->radius)))
        return sp_refuse(o, SP_EINVAL, "sp_choose: radius = %g: a grid needs it > 0 and finite", score->radius);
    if (!(space->side > 0 && space->spacing > 0.0 && isfinite(space->spacing)))
        return sp_refuse(o, SP_EINVAL, "sp_choose: side = %zu and spacing = %g of a grid must be > 0", space->side,
                         space->spacing);
    if (!(sp_grid_points(space, sp_dimension(o)) <= SP_GRID_MAX))
        return sp_refuse(o, SP_EINVAL, "sp_choose: %zu^%zu points are more than %g", space->side, sp_dimension(o),
                         SP_GRID_MAX);
    return space->search ? sp_search_check(o) : SP_OK;
}

static sp_status check(sp_oracle *o, const sp_space *space, const sp_score *score, sp_chooser chooser, double epsilon)
{
    if (space->kind == SP_SPACE_VERTICES && space->count == 0)
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_choose: domain %s, d = %zu: no vertices to list; give a list or a "
                         "generator", sp_domain_names[o->problem->domain.kind], sp_dimension(o));
    const bool given = space->kind == SP_SPACE_LIST   ? space->points != NULL
                       : space->kind == SP_SPACE_GRID ? space->origin != NULL
                                                      : true;
    if (space->count == 0 || !given)
        return sp_refuse(o, SP_EINVAL, "sp_choose: no candidates");
    if (space->kind == SP_SPACE_GRID) {
        const sp_status status = check_grid(o, space, score, chooser);
        if (status != SP_OK)
            return status;
    }
    if (score->offset) {
        const sp_status status = check_offset(o, space, score->offset);
        if (status != SP_OK)
            return status;
    }
    if ((unsigned)chooser > SP_CHOOSE_ABOVE_THRESHOLD)
        return sp_refuse(o, SP_EINVAL, "sp_choose: there is no chooser %d", (int)chooser);
    if (o->charged && !(epsilon > 0.0 && isfinite(epsilon)))
        return sp_refuse(o, SP_EPRIVACY, "sp_choose: epsilon = %g: a private choice needs it > 0 and finite", epsilon);
    switch (score->kind) {
    case SP_SCORE_LOSS:
        return score->reference ? sp_reference_check(o, "sp_choose: reference", score->reference)
                                : sp_refuse(o, SP_EINVAL, "sp_choose: a loss is scored relative to a reference point");
    case SP_SCORE_INNER_PRODUCT:
        if (!score->accumulator || sp_accumulator_oracle(score->accumulator) != o)
            return sp_refuse(o, SP_EINVAL, "sp_choose: an inner product needs an accumulator of the same oracle");
        if (!sp_accumulator_secret(score->accumulator).data)
            return sp_refuse(o, SP_EUNSUPPORTED, "sp_choose: an accumulator with tree noise is not scored");
        return SP_OK;
    case SP_SCORE_SOSP:
        if (sp_dimension(o) > DENSE_MAX)
            return sp_refuse(o, SP_EUNSUPPORTED, "sp_choose: d = %zu; the SOSP level is dense, d <= %d",
                             sp_dimension(o), DENSE_MAX);
        if (!(score->gradient_scale > 0.0 && score->curvature_scale > 0.0))
            return sp_refuse(o, SP_EINVAL, "sp_choose: gradient_scale = %g and curvature_scale = %g must be > 0",
                             score->gradient_scale, score->curvature_scale);
        return SP_OK;
    }
    return sp_refuse(o, SP_EINVAL, "sp_choose: there is no score %d", (int)score->kind);
}

sp_status sp_choosing_open(sp_choosing *c, size_t count)
{
    sp_oracle *o = c->o;
    const double *weight;
    const size_t losses = c->score->kind == SP_SCORE_LOSS ? 2 * records(c, &weight) : 0;
    const sp_status status = sp_oracle_losses_scratch(o, count + 2 * c->d + losses, "sp_choose");
    if (status != SP_OK)
        return status;
    c->u = o->scratch.losses;
    c->point = c->u + count;
    c->centre = c->point + c->d;
    c->change = c->centre + c->d;
    c->base = c->change + losses / 2;
    return c->score->kind == SP_SCORE_SOSP ? sp_oracle_hessian_scratch(o, "sp_choose") : SP_OK;
}

/* The records that are scored: those of the batch; of an accumulator, those of its batches, each by its weight. */
static sp_status charge(sp_choosing *c, sp_entry entry)
{
    sp_status status = SP_OK;
    const sp_accumulator *a = c->score->accumulator;
    sp_entry *entries = NULL;
    if (c->score->kind != SP_SCORE_INNER_PRODUCT) {
        entry.pool = c->resolved.entry.pool;
        return sp_charge_batch(c->o, &c->resolved, &entry);
    }
    const sp_secret secret = sp_accumulator_secret(a);
    const size_t pools = sp_accumulator_pools(a);
    const double epsilon = entry.epsilon;
    if (secret.shared || pools == 0)
        return sp_charge(c->o, &entry, 1);
    entries = sp_alloc(pools, sizeof *entries);
    if (!entries)
        return sp_refuse(c->o, SP_ENOMEM, "sp_choose: out of memory for %zu batches", pools);
    size_t count = 0;
    for (size_t i = 0; i < pools; i++) {
        entry.epsilon = epsilon * sp_accumulator_pool(a, i, &entry.pool) / secret.worst;
        if (entry.epsilon > 0.0)
            entries[count++] = entry;
    }
    SP_TRY(sp_charge(c->o, entries, count));
cleanup:
    free(entries);
    return status;
}

sp_status sp_choose(sp_oracle *o, sp_batch batch, const sp_space *space, const sp_score *score, sp_chooser chooser,
                    double epsilon, double *out, size_t *index)
{
    sp_status status = SP_OK;
    sp_space listed = *space;
    sp_choosing c = { .o = o, .space = &listed, .score = score, .d = sp_dimension(o) };
    double chosen, moved, below;
    const bool search = space->kind == SP_SPACE_GRID && space->search;
    if (space->kind == SP_SPACE_VERTICES)
        listed.count = sp_domain_vertices(&o->problem->domain);
    if (space->kind == SP_SPACE_GRID)
        listed.count = (size_t)fmin(sp_grid_points(space, c.d), SP_GRID_MAX + 1.0);
    SP_TRY(sp_not_reentered(o));
    if (space->kind == SP_SPACE_GENERATOR)
        SP_TRY(list_generated(o, &listed));
    SP_TRY(check(o, &listed, score, chooser, epsilon));
    SP_TRY(sp_batch_resolve(o, batch, &c.resolved));
    SP_TRY(sp_batch_check(o, &c.resolved));
    if (search && o->transcript && listed.count > LISTED_GRID_MAX)
        SP_TRY(sp_refuse(o, SP_ELIMIT, "transcript: %zu points of a grid, at most %d", listed.count,
                         (int)LISTED_GRID_MAX));
    SP_TRY(sp_choosing_open(&c, search && !o->transcript ? 0 : listed.count));
    SP_TRY(score->kind == SP_SCORE_LOSS            ? loss_sensitivity(&c)
           : score->kind == SP_SCORE_INNER_PRODUCT ? inner_sensitivity(&c)
                                                   : sosp_sensitivity(&c));
    if (o->charged && !isfinite(c.range + c.single))
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_choose: no finite sensitivity (L_data = %g)",
                         o->problem->declared.L_data));
    if (o->charged && c.range + c.single > SP_MAGNITUDE_MAX)
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_choose: a sensitivity of %g is above %g", c.range + c.single,
                         SP_MAGNITUDE_MAX));
    moved = chooser == SP_CHOOSE_ABOVE_THRESHOLD ? 2.0 * c.single : c.range;
    SP_TRY(charge(&c, (sp_entry){ .kind = kinds[chooser], .epsilon = epsilon, .count = 1, .sensitivity_low = moved,
                                  .sensitivity_high = moved }));
    o->cost.releases++;
    if (!o->charged)
        epsilon = INFINITY;
    if (score->kind == SP_SCORE_LOSS)
        sp_choosing_start(&c);
    if (!search || o->transcript) /* an audit wants to see what moves */
        SP_TRY(sp_choosing_scores(&c));
    if (!search)
        count_scores(&c);
    size_t found;
    if (search)
        SP_TRY(sp_choosing_search(&c, o->charged ? c.range / epsilon : 0.0, &found, &below));
    else
        found = chooser == SP_CHOOSE_ABOVE_THRESHOLD ? below_threshold(&c, epsilon) : smallest(&c, chooser, epsilon);
    chosen = (double)found;
    SP_TRY(sp_transcript_event(o, &(sp_event){ .primitive = "choose",
                                               .point = (const double *const[]){ score->reference },
                                         .points = score->kind == SP_SCORE_LOSS ? 1 : 0, .dimension = c.d,
                                         .rows = c.resolved.listed.index, .count = c.resolved.listed.count,
                                         .m = c.resolved.m,
                                         .raw = c.u, .size = listed.count, .move = SP_MOVE_RANGE,
                                         .sensitivity = moved, .noise_std = o->charged ? moved / epsilon : 0.0,
                                         .answer = &chosen, .answers = 1,
                                         .law = laws[chooser] }));
    if ((size_t)chosen < listed.count) {
        SP_TRY(candidate(&c, (size_t)chosen));
        memcpy(out, c.point, c.d * sizeof *out);
    }
    if (index)
        *index = (size_t)chosen;
cleanup:
    return status;
}
