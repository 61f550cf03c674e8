/* forms.c -- the parts of a loss as targets of the search (parts.h), evaluated by the loss's own functions, without an
 * engine:
 *
 *   link         phi(m, y) of one number, |m| <= R sup ||w||
 *   public part  h(w)
 *   tilt         <x, Phi(w)> with ||x|| <= 1: its slope is sup |Phi_j'|, its curvature sup |Phi_j''|, and so on
 *   record       f(w, (x, y))
 */
#include "losses/certify/parts.h"

#include "core/base/memory.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

static const double origin[SP_CERTIFY_MAX] = { 0.0 };

static double link_value(sp_target *t, const double *w)
{
    double out;
    t->search->loss->link->value(t->search->number, 1, w, &t->y, &out);
    return out;
}

static void link_gradient(sp_target *t, const double *w, double *out)
{
    t->search->loss->link->slope(t->search->number, 1, w, &t->y, out);
}

static void link_product(sp_target *t, const double *w, const double *v, double *out)
{
    t->search->loss->link->curvature(t->search->number, 1, w, &t->y, out);
    *out *= *v;
}

static double public_value(sp_target *t, const double *w)
{
    return t->search->loss->public_part->value(t->search->number, t->d, w);
}

static void public_gradient(sp_target *t, const double *w, double *out)
{
    t->search->loss->public_part->gradient(t->search->number, t->d, w, out);
}

static void public_product(sp_target *t, const double *w, const double *v, double *out)
{
    memset(out, 0, t->d * sizeof *out);
    t->search->loss->public_part->product(t->search->number, t->d, w, v, out);
}

static double tilt_value(sp_target *t, const double *w)
{
    double phi[SP_CERTIFY_MAX];
    t->search->loss->tilt->phi(t->search->number, t->d, w, 0, phi);
    return cblas_ddot((int)t->d, t->x, 1, phi, 1);
}

static void tilt_gradient(sp_target *t, const double *w, double *out)
{
    t->search->loss->tilt->phi(t->search->number, t->d, w, 1, out);
    for (size_t j = 0; j < t->d; j++)
        out[j] *= t->x[j];
}

static void tilt_product(sp_target *t, const double *w, const double *v, double *out)
{
    t->search->loss->tilt->phi(t->search->number, t->d, w, 2, out);
    for (size_t j = 0; j < t->d; j++)
        out[j] *= t->x[j] * v[j];
}

static double record_value(sp_target *t, const double *w)
{
    return t->search->loss->record->value(t->search->number, t->features, t->x, t->y, w, t->scratch);
}

static void record_gradient(sp_target *t, const double *w, double *out)
{
    t->search->loss->record->gradient(t->search->number, t->features, t->x, t->y, w, t->scratch, out);
}

static void record_product(sp_target *t, const double *w, const double *v, double *out)
{
    t->search->loss->record->product(t->search->number, t->features, t->x, t->y, w, v, t->scratch, out);
}

static void map_record(sp_target *t)
{
    sp_loss_map(t->search->loss)->apply(t->features, t->x);
}

static void check_matrix(sp_target *t, const char *region)
{
    double w[SP_CERTIFY_MAX], v[SP_CERTIFY_MAX], Hv[SP_CERTIFY_MAX], H[SP_CERTIFY_MAX * SP_CERTIFY_MAX];
    double worst = 0.0, largest = 0.0;
    for (size_t i = 0; i < t->search->samples; i++) {
        memset(H, 0, sizeof H);
        gsl_ran_dir_nd(t->search->stream, t->d, v);
        gsl_ran_dir_nd(t->search->stream, t->d, w);
        cblas_dscal((int)t->d, SP_CERTIFY_BALL * gsl_rng_uniform(t->search->stream), w, 1);
        t->search->loss->public_part->hessian(t->search->number, t->d, w, H);
        public_product(t, w, v, Hv);
        largest = fmax(largest, cblas_dnrm2((int)t->d, Hv, 1));
        for (size_t j = 0; j < t->d; j++)
            Hv[j] -= cblas_ddot((int)t->d, H + j * t->d, 1, v, 1);
        worst = fmax(worst, cblas_dnrm2((int)t->d, Hv, 1));
    }
    sp_judge(t->search, SP_CLAIM_DERIVATIVE, t->part, "Hessian matrix", region, 1e-12,
             largest > 0.0 ? worst / largest : worst, 0.0, 0.0);
}

/* --- what the loss claims for each --------------------------------------------------------------------------- */

static sp_part_bounds link_claims(const sp_search *h, const sp_region *region)
{
    sp_link_bounds b = { 0 };
    h->loss->link_bounds(h->number, region, &b);
    return (sp_part_bounds){ b.slope, b.curvature_high, b.curvature_low, b.third, b.gap };
}

static sp_part_bounds public_claims(const sp_search *h, const sp_region *region)
{
    sp_public_bounds b = { 0 };
    h->loss->public_part->bounds(h->number, region, &b);
    return (sp_part_bounds){ b.slope, b.curvature_high, b.curvature_low, b.third, b.gap };
}

static sp_part_bounds tilt_claims(const sp_search *h, const sp_region *region)
{
    sp_tilt_bounds b = { 0 };
    (void)region;
    h->loss->tilt->bounds(h->number, &b);
    return (sp_part_bounds){ b.slope, b.curvature, b.curvature, b.third, INFINITY };
}

static sp_part_bounds record_claims(const sp_search *h, const sp_region *region)
{
    sp_record_bounds b = { 0 };
    h->loss->record->bounds(h->number, region, &b);
    return (sp_part_bounds){ b.slope, b.curvature_high, b.curvature_low, b.third, b.gap };
}

/* `stretch`: sup ||w|| of the target over that of the region. */
static void search_bounds(sp_target *t, sp_part_bounds (*claims)(const sp_search *, const sp_region *), double stretch,
                          unsigned tight)
{
    const sp_search *h = t->search;
    for (size_t i = 0; i < SP_CERTIFY_REGIONS; i++) {
        const sp_certify_region *region = &sp_certify_regions[i];
        const sp_region where = { h->d, h->features, region->norm, h->radius, h->label_bound, false };
        const sp_part_bounds claimed = claims(h, &where);
        t->norm = stretch * region->norm;
        t->unit = sp_part_unit(&claimed);
        if (i == 0 && sp_search_wants(h, SP_CLAIM_DERIVATIVE))
            sp_target_derivatives(t, region->name);
        if (sp_search_wants(h, SP_CLAIM_BOUND))
            tight &= ~sp_target_bounds(t, &claimed, tight, region->name);
    }
}

sp_status sp_certify_forms(const sp_search *h, sp_error *error)
{
    const sp_loss *loss = h->loss;
    double x[SP_CERTIFY_MAX], *scratch = NULL;
    const sp_target blank = { .search = h, .d = h->d, .label_bound = h->label_bound, .radius = h->radius, .x = x,
                              .start = origin };
    if (loss->link) {
        sp_target t = blank;
        t.part = "link", t.d = 1, t.labels = !loss->labels_unused;
        t.value = link_value, t.gradient = link_gradient, t.product = link_product;
        search_bounds(&t, link_claims, h->radius, loss->tight);
    }
    if (loss->tilt) {
        sp_target t = blank;
        t.part = "tilt", t.features = h->d, t.radius = 1.0;
        t.value = tilt_value, t.gradient = tilt_gradient, t.product = tilt_product;
        search_bounds(&t, tilt_claims, 1.0, loss->tight);
    }
    if (loss->record) {
        sp_target t = blank;
        scratch = sp_alloc_doubles(loss->record->scratch(h->number, h->features) + 1);
        if (!scratch)
            return sp_fail(error, SP_ENOMEM, "%s: out of memory", loss->name);
        t.part = "record", t.features = h->features, t.labels = !loss->labels_unused, t.scratch = scratch;
        t.aimed = sp_loss_map(loss) ? map_record : NULL;
        t.value = record_value, t.gradient = record_gradient, t.product = record_product;
        search_bounds(&t, record_claims, 1.0, loss->tight);
        free(scratch);
    }
    if (loss->public_part) {
        sp_target t = blank;
        t.part = "public part";
        t.value = public_value, t.gradient = public_gradient, t.product = public_product;
        search_bounds(&t, public_claims, 1.0, loss->public_tight);
        if (sp_search_wants(h, SP_CLAIM_DERIVATIVE))
            check_matrix(&t, sp_certify_regions[0].name);
    }
    return SP_OK;
}
