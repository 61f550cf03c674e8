/* audit_fixture.c -- small problems with the worst neighbours.
 *
 * The probe is a GLM whose label says what a record's gradient does. All its records are the first axis, so margins are
 * w_1. It claims |phi'| <= 1 and |phi''| <= 1; steep, NaN and infinite labels break the claim, as a wrong declaration
 * would. */
#include "core/runner/audit_parts.h"

#include <gsl/gsl_randist.h>

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

static void link_bounds(sp_numbers p, double label_bound, sp_link_bounds *out)
{
    (void)p, (void)label_bound;
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = 1.0, .curvature_low = 1.0, .third = 1.0, .gap = 1.0 };
}

static const sp_loss probe = { .name = "probe", .formula = "by label", .source = "-", .link = &link,
                               .link_bounds = link_bounds };

static double label_on(const sp_fixture *f, sp_side side, size_t i)
{
    if (side == SP_ALL_HERE || (side == SP_HERE && i == f->place))
        return f->here;
    if (side == SP_ALL_THERE || (side == SP_THERE && i == f->place))
        return f->there;
    return f->others;
}

static void fill_probe(const sp_fixture *f, sp_side side, size_t stride, double *X, double *y)
{
    for (size_t i = 0; i < f->n; i++) {
        X[i * stride] = 1.0;
        y[i] = label_on(f, side, i);
    }
}

/* Unit vectors in all directions, and labels -1 and 1; the neighbour has the opposite of one record. */
static sp_status fill_sphere(const sp_fixture *f, sp_side side, size_t stride, double *X, double *y, sp_error *error)
{
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(1, "audit", 0, SP_STREAM_DATA));
    if (!stream)
        return sp_fail(error, SP_ENOMEM, "audit: out of memory");
    for (size_t i = 0; i < f->n; i++) {
        gsl_ran_dir_nd(stream, f->d, X + i * stride);
        y[i] = i % 2 == 0 ? 1.0 : -1.0;
        if (i == f->place && side == SP_THERE)
            cblas_dscal((int)f->d, -1.0, X + i * stride, 1);
    }
    gsl_rng_free(stream);
    return SP_OK;
}

static sp_status make(const sp_fixture *f, sp_side side, sp_dataset *data, sp_problem *p, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_loss *loss = f->loss ? f->loss : &probe;
    sp_values values;
    double *X = NULL, *y = NULL;
    SP_TRY(sp_dataset_new(f->n, f->d, true, false, data, &X, &y, error));
    if (f->loss)
        SP_TRY(fill_sphere(f, side, data->stride, X, y, error));
    else
        fill_probe(f, side, data->stride, X, y);
    SP_TRY(sp_dataset_seal(data, 1.0, 1.0, error));
    *p = (sp_problem){ .loss = loss, .train = data, .domain = { SP_DOMAIN_SPACE, f->d, INFINITY },
                       .start = sp_alloc_doubles(f->d) };
    if (!p->start)
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    p->start[0] = f->start;
    sp_values_start(&values, loss->params);
    for (size_t i = 0; i < values.count; i++)
        p->number[i] = values.value[i].number;
    SP_TRY(sp_certify(loss, p->number, NULL, 0.0, &p->domain, 1.0, 1.0, false, fabs(f->start), f->n, &p->certified,
                      error));
    p->declared = p->certified;
    p->declared.distance = fmin(p->declared.distance, 1.0); /* step sizes and schedules need something */
    p->declared.gap = fmin(p->declared.gap, 1.0);
cleanup:
    return status;
}

sp_status sp_neighbourhood_make(const sp_fixture *f, sp_neighbourhood *out, sp_error *error)
{
    sp_status status = SP_OK;
    *out = (sp_neighbourhood){ .sides = f->loss ? SP_ALL_OTHERS : SP_SIDES };
    for (size_t side = 0; side < out->sides; side++)
        SP_TRY(make(f, (sp_side)side, &out->data[side], &out->problem[side], error));
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
    *h = (sp_neighbourhood){ 0 };
}
