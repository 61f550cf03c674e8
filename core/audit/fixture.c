/* fixture.c -- builds fixtures: small problems with the worst neighbours. A registered loss gets as many features as it
 * needs.
 *
 * The probe is a GLM in which the label determines a record's gradient. All its records are the first axis, so margins
 * are w_1. It claims |phi'| <= 1 and |phi''| <= 1; steep, NaN and infinite labels violate the claim, as a wrong
 * declaration would. For methods that are private on convex losses only it also claims phi'' >= 0, which is never
 * violated.
 *
 * Canaries (one_run.c) are such records too, each on an axis of its own.
 *
 * Domains about 0 of radius 2: balls (lp: p = 3/2), the simplex of that sum, the box [-1, 2]^d, and the polytope with
 * the vertices -e_1 / 2, 2 e_1, ..., 2 e_d, which has 0 on an edge. */
#include "core/audit/audit_internal.h"

#include "losses/certify/certify.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>

enum { FEATURES_MORE = 16 };
static const double width = 2.0;

static double cut(double m)
{
    return fmax(-1.0, fmin(1.0, m));
}

static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    if (fabs(y) == SP_PROBE_CURVED)
        return copysign(cut(m), y * m);
    if (fabs(y) == SP_PROBE_STEEP)
        return copysign(1e6, y);
    if (y == SP_PROBE_NAN)
        return NAN;
    if (y == SP_PROBE_INFINITE)
        return INFINITY;
    return y;
}

static double value(double m, double y, sp_numbers p)
{
    if (fabs(y) == SP_PROBE_CURVED)
        return copysign(0.5 * cut(m) * cut(m) + fabs(m - cut(m)), y);
    return m * slope(m, y, p);
}

static double curvature(double m, double y, sp_numbers p)
{
    (void)p;
    if (fabs(y) == SP_PROBE_CURVED)
        return fabs(m) < 1.0 ? copysign(1.0, y) : 0.0;
    if (fabs(y) == SP_PROBE_STEEP)
        return copysign(1e6, y);
    return y == SP_PROBE_NAN ? NAN : y == SP_PROBE_INFINITE ? INFINITY : 0.0;
}

SP_LINK(value, slope, curvature)

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p, (void)region;
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = 1.0, .curvature_low = 1.0, .third = 1.0, .gap = 1.0 };
}

static void convex_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    link_bounds(p, region, out);
    out->curvature_low = 0.0;
}

static const sp_loss probe = { .name = "probe", .formula = "by label", .source = "-", .link = &link,
                               .link_bounds = link_bounds, .smooth = true };

static const sp_loss convex_probe = { .name = "probe", .formula = "by label", .source = "-", .link = &link,
                                      .link_bounds = convex_bounds, .convex = true, .smooth = true };

static double label_on(const sp_fixture *f, sp_side side, size_t i)
{
    if (side == SP_ALL_HERE || (side == SP_HERE && (f->coin ? f->coin[i] : i == f->place)))
        return f->here;
    if (side == SP_ALL_THERE || (side == SP_THERE && i == f->place))
        return f->there;
    return f->others;
}

static void fill_probe(const sp_fixture *f, sp_side side, sp_dataset *data)
{
    for (size_t i = 0; i < f->n; i++) {
        sp_dataset_X(data)[i * data->stride + (f->coin ? i : 0)] = 1.0;
        sp_dataset_y(data)[i] = label_on(f, side, i);
    }
}

/* Unit vectors in all directions, and labels -1 and 1; the neighbour has the opposite of one record, canaries have it
 * by their coins. */
static sp_status fill_sphere(const sp_fixture *f, sp_side side, sp_dataset *data, sp_error *error)
{
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(1, "audit", 0, SP_STREAM_DATA));
    if (!stream)
        return sp_fail(error, SP_ENOMEM, "audit: out of memory");
    for (size_t i = 0; i < f->n; i++) {
        double *x = sp_dataset_X(data) + i * data->stride;
        gsl_ran_dir_nd(stream, data->d, x);
        sp_dataset_y(data)[i] = i % 2 == 0 ? 1.0 : -1.0;
        if (f->coin ? side == SP_ALL_THERE || (side == SP_HERE && !f->coin[i]) : i == f->place && side == SP_THERE)
            cblas_dscal((int)data->d, -1.0, x, 1);
    }
    gsl_rng_free(stream);
    return SP_OK;
}

/* *corners: the vertices, made by the first side that needs them. */
static sp_status place(sp_domain_kind kind, size_t d, double **corners, sp_domain *out, sp_error *error)
{
    const double norm = kind == SP_DOMAIN_SPACE ? INFINITY : kind == SP_DOMAIN_BOX ? width * sqrt((double)d) : width;
    *out = (sp_domain){ .kind = kind, .d = d, .radius = norm, .norm = norm };
    if (kind == SP_DOMAIN_LP_BALL)
        out->p = 1.5;
    if (kind == SP_DOMAIN_BOX)
        out->low = -0.5 * width, out->high = width;
    if (kind != SP_DOMAIN_POLYTOPE)
        return SP_OK;
    if (!*corners) {
        *corners = sp_alloc(d + 1, d * sizeof **corners);
        if (!*corners)
            return sp_fail(error, SP_ENOMEM, "audit: out of memory");
        (*corners)[0] = -0.25 * width;
        for (size_t j = 0; j < d; j++)
            (*corners)[(j + 1) * d + j] = width;
    }
    out->vertices = d + 1;
    out->vertex = *corners;
    return SP_OK;
}

static sp_status make(const sp_fixture *f, sp_side side, sp_dataset *data, double **corners, sp_problem *p,
                      sp_error *error)
{
    sp_status status = SP_OK;
    sp_values values;
    size_t d;
    *p = (sp_problem){ .loss = f->loss ? f->loss : f->convex ? &convex_probe : &probe, .train = data };
    sp_values_start(&values, p->loss->params);
    for (size_t i = 0; i < values.count; i++)
        p->number[i] = values.value[i].number;
    const size_t features = sp_certify_features(p->loss, p->number, f->d, f->d + FEATURES_MORE);
    SP_TRY(sp_loss_dimension(p->loss, p->number, features, &d, error));
    SP_TRY(sp_dataset_new(SP_STORE_DENSE, f->n, features, 0, true, false, data, error));
    if (f->loss)
        SP_TRY(fill_sphere(f, side, data, error));
    else
        fill_probe(f, side, data);
    SP_TRY(sp_dataset_seal(data, 1.0, 1.0, error));
    SP_TRY(sp_dataset_map(data, sp_loss_map(p->loss), error));
    SP_TRY(place(f->domain, d, corners, &p->domain, error));
    p->start = sp_alloc_doubles(d);
    if (!p->start)
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    p->start[0] = f->start;
    sp_domain_project(&p->domain, p->start);
    const sp_setting setting = { .loss = p->loss, .number = p->number, .domain = &p->domain, .n = f->n,
                                 .features = features, .radius = 1.0, .label_bound = 1.0,
                                 .start_norm = cblas_dnrm2((int)d, p->start, 1) };
    SP_TRY(sp_certify(&setting, &p->certified, error));
    p->declared = p->certified;
    p->declared.distance = fmin(p->declared.distance, 1.0); /* step sizes and schedules need something */
    p->declared.gap = fmin(p->declared.gap, 1.0);
    if (!(p->declared.kl_gamma > 0.0))
        p->declared.kl_gamma = 10.0, p->declared.kl_kappa = 2.0;
cleanup:
    return status;
}

sp_status sp_neighbourhood_make(const sp_fixture *f, sp_neighbourhood *out, sp_error *error)
{
    sp_status status = SP_OK;
    *out = (sp_neighbourhood){ .sides = f->loss && !f->coin ? SP_ALL_OTHERS : SP_SIDES };
    for (size_t side = 0; side < out->sides; side++)
        if (!f->coin || (side != SP_THERE && side != SP_ALL_OTHERS))
            SP_TRY(make(f, (sp_side)side, &out->data[side], &out->corners, &out->problem[side], error));
cleanup:
    if (status != SP_OK)
        sp_neighbourhood_free(out);
    return status;
}

void sp_neighbourhood_free(sp_neighbourhood *h)
{
    for (size_t side = 0; side < SP_SIDES; side++) {
        free(h->problem[side].start);
        sp_dataset_free(&h->data[side]);
    }
    free(h->corners);
    *h = (sp_neighbourhood){ 0 };
}
