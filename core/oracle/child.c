/* child.c -- children: oracles inside an oracle, with a share of its budget, and possibly with records of their own,
 * projected features or smoothed losses. Kinds of child:
 *
 *   basic     (share epsilon, share delta); shares add up by basic composition
 *   zcdp      share rho_z, kept as zCDP; shares of rho add up, and the whole rho_z is (epsilon, delta)
 *   disjoint  on records that no other batch contains: in parallel to the parent's other pools. Each of these records
 *             also pays what the parent spends on all records
 *   repeat    one of several runs, for all of which the parent has paid (repeat.c): rho-zCDP, with a ledger of its own
 *
 * The share leaves the parent's budget when the child is made, and the child's own gate (charge.c) enforces it. All the
 * child's entries are also in the parent's ledger, where the accountant composes them (usually to less than the
 * shares).
 *
 * Projection (Arora et al. 2023, Alg. 4, for GLM): z_i = Phi x_i, Phi public, k x d; ||z_i|| is clipped to 2 R record
 * by record, so neighbouring records give neighbouring projected records, whatever Phi is. A point v of the child is
 * lifted to w = Phi' v, for which <w, x> = <v, Phi x>, and projected onto the parent's domain. The child's constants
 * and classes are certified again for radius 2 R in R^k, over the whole space or the l2 ball of the parent's radius. If
 * the user declared the parent's L or beta, the child has 2 L or 4 beta.
 *
 * Envelope (Bassily, Guzman & Menart 2021, section 3.1): a link phi, convex and L0-Lipschitz, becomes phi_b
 * (losses/engine/envelope.h), smooth with curvature b. This is a public map of each record's loss, with slopes still at
 * most L0, so no sensitivity changes. The child's constants are certified again: the same L, beta = b R^2, convex. A
 * declared L of the parent remains valid; its declared beta, distance to a minimiser and classes do not, because F_b
 * has others. */
#include "core/oracle/oracle_internal.h"

#include "core/numeric/math.h"
#include "core/base/memory.h"
#include "core/data/rows.h"
#include "losses/engine/envelope.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the share ----------------------------------------------------------------------------------------------- */

static sp_status check_envelope(sp_oracle *o, double b)
{
    const sp_problem *p = o->problem;
    if (!(b >= 0.0 && isfinite(b)))
        return sp_refuse(o, SP_EINVAL, "sp_child: envelope = %g must be > 0 and finite (0: none)", b);
    if (b > 0.0 && p->envelope > 0.0)
        return sp_refuse(o, SP_EMISFIT, "sp_child: envelope = %g of a loss that is an envelope, of %g, already", b,
                         p->envelope);
    if (b > 0.0 && !p->certified.glm)
        return sp_refuse(o, SP_EMISFIT, "sp_child: envelope = %g: the loss %s is no GLM", b, p->loss->name);
    if (b > 0.0 && !p->loss->convex)
        return sp_refuse(o, SP_EMISFIT, "sp_child: envelope = %g: the loss %s is not convex", b, p->loss->name);
    if (b > 0.0 && !isfinite(sp_envelope_lipschitz(p->loss, p->number)))
        return sp_refuse(o, SP_EMISFIT, "sp_child: envelope = %g: the slope of %s is not bounded", b, p->loss->name);
    return SP_OK;
}

static sp_status check(sp_oracle *o, const sp_child_options *options)
{
    const bool disjoint = options->mode == SP_SHARE_DISJOINT;
    if (options->mode == SP_SHARE_REPEAT)
        return sp_refuse(o, SP_EINVAL, "sp_child: a child for one of several runs is sp_repeat's to make");
    if ((unsigned)options->mode > SP_SHARE_DISJOINT)
        return sp_refuse(o, SP_EINVAL, "sp_child: there is no mode %d", (int)options->mode);
    if (o->options.privacy.neighbours != SP_REPLACE_ONE)
        return sp_refuse(o, SP_EPRIVACY, "sp_child: privacy.neighbours = \"add_remove\": which records a child has is "
                         "not counted");
    if (!(options->share > 0.0 && options->share <= 1.0))
        return sp_refuse(o, SP_EINVAL, "sp_child: share = %g must be in (0, 1]", options->share);
    if (disjoint ? options->pool == 0 || options->pool > sp_records(o) : options->pool > 0)
        return sp_refuse(o, SP_EINVAL, "sp_child: pool = %zu: a disjoint child takes 1 to %zu records, others "
                         "none", options->pool, sp_records(o));
    if (!(options->gap >= 0.0 && isfinite(options->gap)))
        return sp_refuse(o, SP_EINVAL, "sp_child: gap = %g must be >= 0 and finite", options->gap);
    if (!(options->distance >= 0.0 && isfinite(options->distance)))
        return sp_refuse(o, SP_EINVAL, "sp_child: distance = %g must be >= 0 and finite", options->distance);
    if (!options->projection != (options->projected == 0))
        return sp_refuse(o, SP_EINVAL, "sp_child: projected = %zu and the projection belong together",
                         options->projected);
    const sp_problem *p = o->problem;
    if (options->projection) {
        const sp_status status = sp_records_check_single(o, "a projection of records");
        if (status != SP_OK)
            return status;
    }
    if (options->projection && (!p->certified.glm || (p->regulariser && p->lambda > 0.0)))
        return sp_refuse(o, SP_EMISFIT, "sp_child: only a GLM without a regulariser depends on <w, x> alone");
    if (options->projection && p->domain.kind != SP_DOMAIN_SPACE && p->domain.kind != SP_DOMAIN_L2_BALL)
        return sp_refuse(o, SP_EMISFIT, "sp_child: the domain %s has no projection", sp_domain_names[p->domain.kind]);
    for (size_t i = 0; i < options->projected * sp_dimension(o); i++)
        if (!isfinite(options->projection[i]))
            return sp_refuse(o, SP_EINVAL, "sp_child: entry %zu of the projection is %g", i, options->projection[i]);
    return check_envelope(o, options->envelope);
}

/* The parent's side of the share: nothing else may ever need what is given away. */
static sp_status give(sp_oracle *o, const sp_child_options *options)
{
    const sp_shares before = o->shares;
    const double given = before.given, beside = before.beside, share = options->share;
    const bool basic = options->mode == SP_SHARE_BASIC || (options->mode == SP_SHARE_DISJOINT && share < 1.0);
    if (options->mode == SP_SHARE_ZCDP && o->shares.basic)
        return sp_refuse(o, SP_EPRIVACY, "sp_child: zCDP shares do not add to (epsilon, delta)-shares of one oracle");
    if (options->mode == SP_SHARE_BASIC && o->shares.zcdp)
        return sp_refuse(o, SP_EPRIVACY, "sp_child: (epsilon, delta)-shares do not add to zCDP shares of one oracle");
    if (options->mode == SP_SHARE_ZCDP && o->spending.filter != SP_FILTER_ZCDP)
        return sp_refuse(o, SP_EPRIVACY, "sp_child: a zCDP share, but the oracle's own releases pass another filter");
    const double wanted = options->mode == SP_SHARE_DISJOINT ? given + share : given + beside + share;
    if (wanted > 1.0 + 1e-12)
        return sp_refuse(o, SP_EBUDGET, "sp_child: share = %g, but %g of the budget is given to children already",
                         share, wanted - share);
    if (options->mode == SP_SHARE_ZCDP)
        o->shares.zcdp = true;
    if (options->mode == SP_SHARE_DISJOINT)
        o->shares.beside = fmax(beside, share);
    else
        o->shares.given = given + share;
    o->shares.basic = o->shares.basic || (basic && !o->shares.zcdp);
    return sp_charge_keep(o, &before);
}

static sp_budget in_zcdp(sp_budget b, double rho)
{
    b.rho = b.rho_z = rho;
    b.mu = sqrt(2.0 * rho);
    b.epsilon = sp_zcdp_epsilon(rho, b.delta);
    b.pure = 0.0;
    return b;
}

static sp_budget share_of(const sp_oracle *o, const sp_child_options *options)
{
    const double share = options->share;
    sp_budget b = o->budget;
    if (!o->options.privacy.private)
        return b;
    if (o->shares.zcdp) {
        b = in_zcdp(b, share * o->budget.rho_z);
    } else if (share < 1.0) {
        b.epsilon *= share;
        b.delta *= share;
        b.pure = b.epsilon;
        b.mu = sp_gaussian_mu(b.epsilon, b.delta);
        b.rho = b.mu * b.mu / 2.0;
        b.rho_z = sp_transcript_rho(o->transcript, b.epsilon, b.delta);
    }
    return b;
}

/* --- the records ----------------------------------------------------------------------------------------------- */

/* The child's records: rows of the parent's (all, or the pool), projected. */
static sp_status project_records(sp_oracle *child, const sp_dataset *from, sp_rows rows, double radius)
{
    sp_status status = SP_OK;
    sp_oracle *o = child->parent;
    const size_t n = rows.index ? rows.count : from->n, d = from->d, k = child->child_problem.domain.d;
    sp_dataset *to = &child->child_data;
    double *x = sp_alloc_doubles(d);
    if (!x)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_child: out of memory at d = %zu", d));
    SP_TRY(sp_dataset_new(SP_STORE_DENSE, n, k, 0, from->y != NULL, false, to, &o->error));
    for (size_t i = 0; i < n; i++) {
        const size_t record = rows.index ? rows.index[i] : i;
        double *z = sp_dataset_X(to) + i * to->stride;
        sp_row_of(from, record, x);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)k, (int)d, 1.0, child->projection, (int)d, x, 1, 0.0, z, 1);
        const double norm = cblas_dnrm2((int)k, z, 1);
        if (!(norm <= SP_MAGNITUDE_MAX)) /* that one did not fit would be told */
            memset(z, 0, k * sizeof *z);
        else if (norm > radius)
            cblas_dscal((int)k, radius / norm, z, 1);
        if (from->y)
            sp_dataset_y(to)[i] = from->y[record];
    }
    SP_TRY(sp_dataset_seal(to, radius, from->label_bound, &o->error));
cleanup:
    free(x);
    return status;
}

/* --- the problem ------------------------------------------------------------------------------------------------- */

/* w0 of the child: given, or the parent's (projected with the records, and into the domain). */
static sp_status make_start(sp_oracle *child, const sp_child_options *options)
{
    sp_oracle *o = child->parent;
    const size_t d = sp_dimension(o), k = child->child_problem.domain.d;
    child->child_start = sp_alloc_doubles(k);
    if (!child->child_start)
        return sp_refuse(o, SP_ENOMEM, "sp_child: out of memory at d = %zu", k);
    child->child_problem.start = child->child_start;
    if (options->start)
        memcpy(child->child_start, options->start, k * sizeof *child->child_start);
    else if (child->projection)
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)k, (int)d, 1.0, child->projection, (int)d, o->problem->start, 1,
                    0.0, child->child_start, 1);
    else
        memcpy(child->child_start, o->problem->start, k * sizeof *child->child_start);
    for (size_t j = 0; j < k; j++)
        if (!isfinite(child->child_start[j]))
            return sp_refuse(o, SP_ENUMERIC, "sp_child: coordinate %zu of the start is %g", j, child->child_start[j]);
    sp_domain_project(&child->child_problem.domain, child->child_start);
    return SP_OK;
}

static void carry(double *to, double declared)
{
    *to = isfinite(*to) ? fmax(*to, declared) : declared;
}

/* What is declared of the parent, for a child that was certified anew. Records are `stretch` times as long, and so f is
 * as many times as steep, and the square of it as curved. */
static void carry_declared(const sp_constants *from, double stretch, bool smoothed, sp_constants *to)
{
    carry(&to->L_data, stretch * from->L_data);
    carry(&to->L, stretch * from->L);
    if (!smoothed) {
        carry(&to->beta_data, stretch * stretch * from->beta_data);
        carry(&to->beta, stretch * stretch * from->beta);
        carry(&to->rho_hessian, stretch * stretch * stretch * from->rho_hessian);
    }
    if (isfinite(from->gap))
        to->gap = fmax(to->gap, from->gap); /* no bound by itself: the minimum is another */
}

/* Constants at the new start. The gap of another start is known up to L times the way to it. */
static sp_status certify(sp_oracle *child, const sp_child_options *options)
{
    sp_oracle *o = child->parent;
    sp_problem *p = &child->child_problem;
    const sp_dataset *data = o->problem->train;
    const double stretch = child->projection ? 2.0 : 1.0;
    if (child->projection || options->envelope > 0.0) {
        const sp_setting setting = { .loss = p->loss, .number = p->number, .regulariser = p->regulariser,
                                     .lambda = p->lambda, .domain = &p->domain, .n = p->train->n,
                                     .features = p->domain.d, .radius = stretch * data->radius,
                                     .largest = child->projection ? 0.0 : data->largest,
                                     .label_bound = data->label_bound, .realisable = p->realisable,
                                     .start_norm = cblas_dnrm2((int)p->domain.d, child->child_start, 1),
                                     .envelope = p->envelope };
        const sp_status status = sp_certify(&setting, &p->certified, &o->error);
        if (status != SP_OK)
            return status;
        p->declared = p->certified;
        carry_declared(&o->problem->declared, stretch, options->envelope > 0.0, &p->declared);
    } else {
        double way = 0.0;
        for (size_t j = 0; j < p->domain.d; j++)
            way = sp_hypot(way, child->child_start[j] - o->problem->start[j]);
        p->certified.n = p->declared.n = p->train->n;
        p->declared.gap += way > 0.0 ? p->declared.L * way : 0.0;
        p->declared.distance += way;
    }
    if (options->gap > 0.0)
        p->declared.gap = options->gap;
    if (options->distance > 0.0)
        p->declared.distance = options->distance;
    return SP_OK;
}

static sp_status make_problem(sp_oracle *child, const sp_child_options *options, sp_rows rows)
{
    sp_status status = SP_OK;
    sp_oracle *o = child->parent;
    sp_problem *p = &child->child_problem;
    const sp_dataset *data = o->problem->train;
    const size_t k = options->projected;
    *p = *o->problem;
    if (options->envelope > 0.0)
        p->envelope = options->envelope;
    if (options->projection) {
        child->projection = sp_alloc(k, data->d * sizeof *child->projection);
        if (!child->projection)
            SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_child: out of memory for a projection to %zu dimensions", k));
        memcpy(child->projection, options->projection, k * data->d * sizeof *child->projection);
        p->domain.d = k;
        p->realisable = false;
        p->test = p->population = NULL;
        SP_TRY(project_records(child, data, rows, 2.0 * data->radius));
    } else if (rows.index && !data->moments) {
        SP_TRY(sp_dataset_take(data, rows.index, rows.count, &child->child_data, &o->error));
    }
    if (child->child_data.n > 0)
        p->train = &child->child_data;
    SP_TRY(make_start(child, options));
    SP_TRY(certify(child, options));
    child->problem = p;
cleanup:
    return status;
}

/* --- the calls --------------------------------------------------------------------------------------------------- */

/* A child without a budget and a problem yet. */
static sp_oracle *born(sp_oracle *o, const char *stage)
{
    sp_oracle *child = sp_alloc(1, sizeof *child);
    if (!child)
        return NULL;
    child->parent = o;
    child->promise = child->promise_at_start = NAN;
    child->coins = o->coins;
    child->sampling = o->sampling;
    child->noise = o->noise;
    child->selection = o->selection;
    child->transcript = o->transcript;
    child->charged = o->charged;
    child->stage = stage;
    child->options = o->options;
    child->shares.zcdp = o->shares.zcdp;
    child->spending.filter = SP_FILTER_ZCDP;
    return child;
}

/* Its problem and its memory, once its budget is set; then it is the parent's, the newest. */
static sp_status settle(sp_oracle *child, const sp_child_options *options, sp_rows rows)
{
    sp_status status = SP_OK;
    sp_oracle *o = child->parent;
    child->options.privacy.epsilon = child->budget.epsilon;
    child->options.privacy.delta = child->budget.delta;
    SP_TRY(make_problem(child, options, rows));
    child->options.problem = child->problem;
    if (!sp_oracle_scratch(child))
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_child: out of memory at d = %zu", sp_dimension(child)));
    child->next = o->children;
    o->children = child;
cleanup:
    return status;
}

sp_status sp_child(sp_oracle *o, const sp_child_options *options, sp_oracle **out)
{
    sp_status status = SP_OK;
    sp_oracle *child = NULL;
    sp_batch pool;
    sp_rows rows = { NULL, 0 };
    const sp_shares before = o->shares;
    SP_TRY(sp_not_reentered(o));
    SP_TRY(check(o, options));
    if (options->pool > sp_records(o) - o->drained)
        SP_TRY(sp_refuse(o, SP_EDRAINED, "sp_child: a pool of %zu records asked for, %zu of %zu are unused",
                         options->pool, sp_records(o) - o->drained, sp_records(o)));
    SP_TRY(give(o, options));
    child = born(o, options->stage);
    if (!child)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_child: out of memory"));
    if (options->mode == SP_SHARE_DISJOINT) {
        SP_TRY(sp_draw(o, sp_fresh(options->pool), &pool));
        const sp_drawn *drawn = &o->drawn[SP_SAMPLE_FRESH];
        if (o->problem->train->moments)
            SP_TRY(sp_moments_like(&o->moments.batch, &child->child_data, &o->error));
        if (drawn->index)
            rows = (sp_rows){ drawn->index + drawn->first, drawn->count };
        o->drawn[SP_SAMPLE_FRESH].m = 0.0; /* the batch is the child's alone */
        child->nesting.pool = drawn->pool;
        child->nesting.records = rows.index;
    }
    if (options->projection) /* of records */
        SP_TRY(sp_not_rehearsed(o));
    child->budget = share_of(o, options);
    SP_TRY(settle(child, options, rows));
    *out = child;
    child = NULL;
cleanup:
    if (status != SP_OK)
        o->shares = before;
    sp_oracle_free(child);
    return status;
}

sp_status sp_child_repeated(sp_oracle *o, double rho, sp_oracle **out)
{
    sp_status status = SP_OK;
    sp_oracle *child = born(o, NULL);
    if (!child)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_repeat: out of memory"));
    child->nesting.repeated = true;
    child->budget = o->budget;
    if (o->options.privacy.private) {
        child->shares.zcdp = true;
        child->budget = in_zcdp(o->budget, rho);
    }
    SP_TRY(settle(child, &(sp_child_options){ .mode = SP_SHARE_REPEAT }, (sp_rows){ NULL, 0 }));
    *out = child;
    child = NULL;
cleanup:
    sp_oracle_free(child);
    return status;
}

void sp_child_drop(sp_oracle *o, sp_oracle *child)
{
    sp_oracle **place = &o->children;
    if (!child)
        return;
    while (*place != child)
        place = &(*place)->next;
    *place = child->next;
    sp_cost_add(&o->cost, sp_oracle_cost(child));
    sp_oracle_free(child);
}

sp_status sp_lift(const sp_oracle *child, const double *in, double *out)
{
    const size_t k = sp_dimension(child);
    if (!child->projection) {
        memmove(out, in, k * sizeof *out);
        return SP_OK;
    }
    const int d = (int)sp_dimension(child->parent);
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)k, d, 1.0, child->projection, d, in, 1, 0.0, out, 1);
    sp_domain_project(&child->parent->problem->domain, out);
    return SP_OK;
}
