/* problem.c -- tests the sp_constants of a problem with one record, which the adversary writes. Here everything goes
 * through the engine and sp_certify, and the totals include the public part and the regulariser. */
#include "losses/certify/parts.h"

#include "core/base/memory.h"
#include "losses/optimum/reference.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

/* --- the adversary's problem ---------------------------------------------------------------------------------- */

sp_status sp_adversary_open(const sp_search *h, size_t n, size_t features, double norm, bool realisable,
                            double start_norm, sp_adversary *s, sp_error *error)
{
    sp_status status = SP_OK;
    size_t d = 0;
    *s = (sp_adversary){ .search = h };
    SP_TRY(sp_loss_dimension(h->loss, h->number, features, &d, error));
    sp_problem *p = &s->problem;
    s->X = sp_alloc_doubles(n * sp_dense_stride(features));
    s->y = sp_alloc_doubles(n);
    s->norm = sp_alloc_doubles(n);
    s->mean = sp_alloc_doubles(features);
    p->start = sp_alloc_doubles(d);
    if (!s->X || !s->y || !s->norm || !s->mean || !p->start)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", h->loss->name));
    s->data = (sp_dataset){ .storage = SP_STORE_DENSE, .n = n, .d = features, .stride = sp_dense_stride(features),
                            .X = s->X, .y = s->y, .norm = s->norm, .mean = s->mean, .radius = h->radius,
                            .label_bound = h->label_bound, .map = sp_loss_map(h->loss) };
    if (start_norm > 0.0) {
        gsl_ran_dir_nd(h->stream, d, p->start);
        cblas_dscal((int)d, start_norm, p->start, 1);
    }
    p->loss = h->loss;
    memcpy(p->number, h->number, sizeof p->number);
    p->regulariser = h->with->regulariser;
    p->lambda = h->with->lambda;
    p->domain = (sp_domain){ .kind = isfinite(norm) ? SP_DOMAIN_L2_BALL : SP_DOMAIN_SPACE, .d = d, .radius = norm,
                             .norm = norm };
    p->train = &s->data;
    p->realisable = realisable;
    const sp_setting setting = { .loss = p->loss, .number = p->number, .regulariser = p->regulariser,
                                 .lambda = p->lambda, .domain = &p->domain, .n = n, .features = features,
                                 .radius = h->radius, .label_bound = h->label_bound, .realisable = realisable,
                                 .start_norm = start_norm };
    SP_TRY(sp_certify(&setting, &p->certified, error));
    p->declared = p->certified;
    s->workspace = sp_workspace_new(p);
    if (!s->workspace)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", h->loss->name));
cleanup:
    return status;
}

void sp_adversary_close(sp_adversary *s)
{
    sp_workspace_free(s->workspace);
    free(s->problem.start);
    free(s->mean);
    free(s->norm);
    free(s->y);
    free(s->X);
}

void sp_adversary_refresh(sp_adversary *s)
{
    const size_t n = s->data.n, d = s->data.d;
    memset(s->mean, 0, d * sizeof *s->mean);
    for (size_t i = 0; i < n; i++) {
        double *x = s->X + i * s->data.stride;
        if (s->data.map)
            s->data.map->apply(d, x);
        s->norm[i] = cblas_dnrm2((int)d, x, 1);
        cblas_daxpy((int)d, 1.0 / (double)n, x, 1, s->mean, 1);
        x[d] = s->y[i];
        x[d + 1] = s->norm[i];
    }
}

void sp_adversary_draw(sp_adversary *s, const double *planted)
{
    const sp_search *h = s->search;
    const size_t d = s->data.d;
    for (size_t i = 0; i < s->data.n; i++) {
        double *x = s->X + i * s->data.stride;
        gsl_ran_dir_nd(h->stream, d, x);
        cblas_dscal((int)d, h->radius * (i % 2 == 0 ? 1.0 : gsl_rng_uniform(h->stream)), x, 1);
        if (planted)
            s->y[i] = cblas_ddot((int)d, planted, 1, x, 1);
        else if (h->loss->labels_binary || i % 3 == 0)
            s->y[i] = gsl_rng_uniform(h->stream) < 0.5 ? -h->label_bound : h->label_bound;
        else
            s->y[i] = h->label_bound * (2.0 * gsl_rng_uniform(h->stream) - 1.0);
    }
    sp_adversary_refresh(s);
}

sp_status sp_adversary_least(sp_adversary *s, double *w, double *value, sp_error *error)
{
    sp_reference reference;
    const sp_status status = sp_reference_compute(&s->problem, 6, s->search->stream, &reference, error);
    if (status != SP_OK)
        return status;
    if (!reference.minimiser)
        return sp_fail(error, SP_ENUMERIC, "%s: F* = %g (%s), but where is not known", s->search->loss->name,
                       reference.value, reference.method);
    memcpy(w, reference.minimiser, s->problem.domain.d * sizeof *w);
    *value = reference.value;
    sp_reference_free(&reference);
    return SP_OK;
}

/* --- its one record as a target ------------------------------------------------------------------------------ */

static sp_adversary *adversary(const sp_target *t)
{
    return (sp_adversary *)t->subject;
}

static void aimed(sp_target *t)
{
    adversary(t)->y[0] = t->y;
    sp_adversary_refresh(adversary(t));
}

static double data_value(sp_target *t, const double *w)
{
    return sp_record_value(&adversary(t)->problem, adversary(t)->workspace, 0, w);
}

static void data_gradient(sp_target *t, const double *w, double *out)
{
    sp_record_gradient(&adversary(t)->problem, adversary(t)->workspace, 0, w, out);
}

static void apply(size_t d, const double *H, const double *v, double *out)
{
    cblas_dsymv(CblasRowMajor, CblasUpper, (int)d, 1.0, H, (int)d, v, 1, 0.0, out, 1);
}

static void data_product(sp_target *t, const double *w, const double *v, double *out)
{
    double H[SP_CERTIFY_MAX * SP_CERTIFY_MAX];
    sp_record_hessian(&adversary(t)->problem, adversary(t)->workspace, 0, w, H);
    apply(t->d, H, v, out);
}

static double total_value(sp_target *t, const double *w)
{
    return sp_problem_value(&adversary(t)->problem, adversary(t)->workspace, w);
}

static void total_gradient(sp_target *t, const double *w, double *out)
{
    sp_problem_gradient(&adversary(t)->problem, adversary(t)->workspace, w, out);
}

static void total_product(sp_target *t, const double *w, const double *v, double *out)
{
    sp_problem_product(&adversary(t)->problem, adversary(t)->workspace, w, v, out);
}

/* ||hess f(w, z) - hess f(w, z')||_F, the adversary's numbers being w, z, z' */
static double frobenius(void *context, const double *v)
{
    sp_target *t = context;
    double w[SP_CERTIFY_MAX], H[2][SP_CERTIFY_MAX * SP_CERTIFY_MAX];
    const size_t square = t->d * t->d;
    sp_target_place(t, v, w);
    for (size_t k = 0; k < 2; k++) {
        sp_target_aim(t, v + t->d + k * sp_target_record(t));
        sp_record_hessian(&adversary(t)->problem, adversary(t)->workspace, 0, w, H[k]);
    }
    cblas_daxpy((int)square, -1.0, H[1], 1, H[0], 1);
    return cblas_dnrm2((int)square, H[0], 1);
}

/* Both triangles of the matrices, and the product, agree. */
static void check_matrix(sp_target *t, const char *region)
{
    double w[SP_CERTIFY_MAX], v[SP_CERTIFY_MAX], Hv[SP_CERTIFY_MAX], product[SP_CERTIFY_MAX];
    double record[SP_CERTIFY_MAX + 1];
    double H[SP_CERTIFY_MAX * SP_CERTIFY_MAX], worst = 0.0, largest = 0.0;
    for (size_t i = 0; i < t->search->samples; i++) {
        gsl_ran_dir_nd(t->search->stream, t->d, v);
        gsl_ran_dir_nd(t->search->stream, t->d, w);
        cblas_dscal((int)t->d, SP_CERTIFY_BALL * gsl_rng_uniform(t->search->stream), w, 1);
        for (size_t j = 0; j < sp_target_record(t); j++)
            record[j] = gsl_ran_gaussian(t->search->stream, 1.0);
        sp_target_aim(t, record);
        sp_problem_hessian(&adversary(t)->problem, adversary(t)->workspace, w, H);
        total_product(t, w, v, product);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)t->d, (int)t->d, 1.0, H, (int)t->d, v, 1, 0.0, Hv, 1);
        cblas_daxpy((int)t->d, -1.0, product, 1, Hv, 1);
        worst = fmax(worst, cblas_dnrm2((int)t->d, Hv, 1));
        apply(t->d, H, v, Hv);
        cblas_daxpy((int)t->d, -1.0, product, 1, Hv, 1);
        worst = fmax(worst, cblas_dnrm2((int)t->d, Hv, 1));
        largest = fmax(largest, cblas_dnrm2((int)t->d, product, 1));
    }
    sp_judge(t->search, SP_CLAIM_DERIVATIVE, t->part, "Hessian matrix", region, 1e-12, worst / fmax(largest, 1e-3), 0.0,
             0.0);
}

/* --- constants -------------------------------------------------------------------------------------------- */

enum { TIGHT_CURVATURE = SP_TIGHT_HIGH | SP_TIGHT_LOW };

/* F(least) - F(w) */
static double below(void *context, const double *v)
{
    sp_target *t = context;
    double w[SP_CERTIFY_MAX];
    sp_target_place(t, v, w);
    return t->value(t, t->start) - t->value(t, w);
}

/* For a few records: the distance of the minimiser, and its closed form where the loss has one. */
static sp_status check_minimiser(sp_adversary *s, sp_target total, const char *region, sp_error *error)
{
    const sp_search *h = s->search;
    const sp_problem *p = &s->problem;
    double w[SP_CERTIFY_MAX], g[SP_CERTIFY_MAX], apart[SP_CERTIFY_MAX], value;
    double farthest = 0.0, steepest = 0.0, lower = 0.0;
    bool closed = false;
    for (int k = 0; k < 4; k++) {
        sp_adversary_draw(s, NULL);
        if (!p->regulariser && sp_problem_minimiser(p, w)) {
            closed = true;
            sp_problem_gradient(p, s->workspace, w, g);
            steepest = fmax(steepest, cblas_dnrm2((int)total.d, g, 1));
            total.start = w;
            lower = fmax(lower, sp_certify_search(below, &total, total.d, h->stream, h->starts / 4, h->steps));
        } else {
            const sp_status status = sp_adversary_least(s, w, &value, error);
            if (status != SP_OK)
                return status;
        }
        for (size_t j = 0; j < total.d; j++)
            apart[j] = w[j] - p->start[j];
        farthest = fmax(farthest, cblas_dnrm2((int)total.d, apart, 1));
    }
    sp_judge(h, SP_CLAIM_CONSTANT, "problem", "distance", region, p->certified.distance, farthest, 0.0, 1.0);
    if (closed) {
        sp_judge(h, SP_CLAIM_CONSTANT, "problem", "gradient at the minimiser", region, 1e-9, steepest, 0.0, 1.0);
        sp_judge(h, SP_CLAIM_CONSTANT, "problem", "F(minimiser) - F(w)", region, 0.0, lower, 0.0, 1.0);
    }
    return SP_OK;
}

static void check_constants(sp_adversary *s, sp_target *data, sp_target *total, const char *region, unsigned *open)
{
    const sp_search *h = s->search;
    const sp_constants *c = &s->problem.certified;
    const unsigned tight = h->loss->tight;
    const bool plain = !h->with->regulariser && !h->loss->public_part; /* nothing else hides the extremes */
    const unsigned both = (tight & TIGHT_CURVATURE) == TIGHT_CURVATURE;
    const struct {
        const char *what;
        double claimed;
        sp_target *target;
        sp_seek seek;
        bool tight;
    } claims[] = {
        { "L_data", c->L_data, data, SP_SEEK_SLOPE, tight & SP_TIGHT_SLOPE },
        { "beta_data", c->beta_data, data, SP_SEEK_QUOTIENT, both },
        { "hessian_norm", c->hessian_norm, data, SP_SEEK_BEND, both && !h->loss->record }, /* there it is ||.||_F */
        { "L", c->L, total, SP_SEEK_SLOPE, plain && (tight & SP_TIGHT_SLOPE) },
        { "beta", c->beta, total, SP_SEEK_QUOTIENT, plain && both },
        { "rho_hessian", c->rho_hessian, total, SP_SEEK_THIRD, plain && (tight & SP_TIGHT_THIRD) },
        { "weak_convexity", c->weak_convexity, total, SP_SEEK_LOW, plain && (tight & SP_TIGHT_LOW) },
        { "weak_convexity, midpoints", c->weak_convexity, total, SP_SEEK_MIDPOINT, false },
        { "gap", c->gap, total, SP_SEEK_GAP, false },
    };
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        if (claims[i].claimed != INFINITY) {
            sp_judge(h, SP_CLAIM_CONSTANT, "problem", claims[i].what, region, claims[i].claimed,
                     sp_target_seek(claims[i].target, claims[i].seek),
                     claims[i].tight && (*open & 1u << i) ? 0.9 : 0.0, 1.0);
            *open &= ~(1u << i);
        }
    if (c->hessian_frobenius != INFINITY) {
        const size_t starts = h->loss->record ? h->starts / 2 : 2 * h->starts; /* d products a Hessian, or cheap */
        const double found = sp_certify_search(frobenius, data, data->d + 2 * sp_target_record(data), h->stream, starts,
                                              h->steps);
        sp_judge(h, SP_CLAIM_CONSTANT, "problem", "hessian_frobenius", region, c->hessian_frobenius, found,
                 (!h->loss->record || h->loss->record->affine) && both && data->norm == INFINITY ? 0.9 : 0.0, 1.0);
    }
    if (c->convex)
        sp_judge(h, SP_CLAIM_CONSTANT, "problem", "weak_convexity of a convex F", region, 0.0, c->weak_convexity, 0.0,
                 0.0);
}

sp_status sp_certify_constants(const sp_search *h, sp_error *error)
{
    sp_status status = SP_OK;
    sp_adversary s = { 0 };
    unsigned open = ~0u; /* a bit a claim: it was finite in no larger region */
    for (size_t i = 0; i < SP_CERTIFY_REGIONS && status == SP_OK; i++) {
        const sp_certify_region *region = &sp_certify_regions[i];
        SP_TRY(sp_adversary_open(h, 1, h->features, region->norm, false, 0.63, &s, error));
        const sp_constants *c = &s.problem.certified;
        const double bend = fmax(c->beta, c->weak_convexity);
        sp_target data = { .search = h, .part = "problem, data part", .d = h->d, .features = h->features,
                           .labels = true, .norm = region->norm, .radius = h->radius, .label_bound = h->label_bound,
                           .unit = sp_part_unit(&(sp_part_bounds){ c->L, bend, bend, c->rho_hessian, 0.0 }), .x = s.X,
                           .start = s.problem.start, .aimed = aimed, .value = data_value, .gradient = data_gradient,
                           .product = data_product, .subject = &s };
        sp_target total = data;
        total.part = "problem", total.value = total_value, total.gradient = total_gradient;
        total.product = total_product;
        if (i == 1 && sp_search_wants(h, SP_CLAIM_DERIVATIVE)) {
            sp_target_derivatives(&data, region->name);
            sp_target_derivatives(&total, region->name);
            check_matrix(&total, region->name);
        }
        if (sp_search_wants(h, SP_CLAIM_CONSTANT)) {
            check_constants(&s, &data, &total, region->name, &open);
            if (region->norm == INFINITY && c->distance != INFINITY)
                SP_TRY(check_minimiser(&s, total, region->name, error));
        }
        sp_adversary_close(&s);
        s = (sp_adversary){ 0 };
    }
cleanup:
    sp_adversary_close(&s);
    return status;
}
