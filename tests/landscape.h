/* landscape.h -- a small problem with full access. For tests of losses, engines and measures. */
#ifndef SP_TESTS_LANDSCAPE_H
#define SP_TESTS_LANDSCAPE_H

#include "core/numeric/eigen.h"
#include "core/base/memory.h"
#include "core/numeric/stream.h"
#include "core/plan/registry.h"
#include "losses/certify/certify.h"
#include "losses/engine/problem.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

enum { LANDSCAPE_D = 16 }; /* most features */

typedef struct landscape {
    sp_dataset data;
    sp_problem problem;
    sp_workspace *workspace;
} landscape;

typedef struct landscape_options {
    const sp_loss *loss;
    const double *number; /* NULL: the defaults */
    const sp_regulariser *regulariser;
    double lambda, ball; /* ball <= 0: the whole space */
    size_t n;
    size_t d;            /* features wanted; more where the loss needs them (sp_certify_features) */
    double radius, label_bound;
    bool realisable; /* y = <w*, x>, ||w*|| = label_bound / radius */
    bool short_rows; /* norms below the radius too */
} landscape_options;

static inline gsl_rng *landscape_stream(const char *axes)
{
    return sp_stream_open(sp_stream_key_of(2385, axes, 0, SP_STREAM_DATA));
}

/* The default parameters as plain numbers. */
static inline void landscape_defaults(const sp_param *params, double *number)
{
    sp_values values;
    sp_values_start(&values, params);
    for (size_t i = 0; i < values.count; i++)
        number[i] = values.value[i].number;
}

/* Rows in pairs x, -x with the first ones along the axes; labels -1 and 1, or in [-label_bound, label_bound] with every
 * third at an end. */
static inline bool landscape_make(landscape_options o, gsl_rng *stream, landscape *out)
{
    double planted[LANDSCAPE_D], number[SP_PARAM_MAX] = { 0.0 };
    const bool ball = o.ball > 0.0;
    size_t d = 0;
    *out = (landscape){ 0 };
    if (o.number)
        memcpy(number, o.number, sizeof number);
    else
        landscape_defaults(o.loss->params, number);
    o.d = sp_certify_features(o.loss, number, o.d, LANDSCAPE_D);
    bool ok = o.d > 0 && sp_loss_dimension(o.loss, number, o.d, &d, NULL) == SP_OK;
    ok = ok && sp_dataset_new(SP_STORE_DENSE, o.n, o.d, 0, true, false, &out->data, NULL) == SP_OK;
    if (ok)
        gsl_ran_dir_nd(stream, o.d, planted);
    for (size_t i = 0; ok && i < o.n; i++) {
        double *x = sp_dataset_X(&out->data) + i * out->data.stride, *y = sp_dataset_y(&out->data) + i;
        if (i % 2 == 1)
            for (size_t j = 0; j < o.d; j++)
                x[j] = -x[j - out->data.stride];
        else if (i / 2 < o.d)
            x[i / 2] = o.radius;
        else {
            gsl_ran_dir_nd(stream, o.d, x);
            cblas_dscal((int)o.d, o.radius * (o.short_rows ? gsl_rng_uniform(stream) : 1.0), x, 1);
        }
        if (o.realisable)
            *y = cblas_ddot((int)o.d, x, 1, planted, 1) * o.label_bound / o.radius;
        else if (o.loss->labels_binary || i % 3 == 0)
            *y = (gsl_rng_uniform(stream) < 0.5 ? -1.0 : 1.0) * o.label_bound;
        else
            *y = o.label_bound * (2.0 * gsl_rng_uniform(stream) - 1.0);
    }
    ok = ok && sp_dataset_seal(&out->data, o.radius, o.label_bound, NULL) == SP_OK &&
         sp_dataset_map(&out->data, sp_loss_map(o.loss), NULL) == SP_OK;
    if (ok) {
        const double norm = ball ? o.ball : INFINITY;
        sp_problem *p = &out->problem;
        *p = (sp_problem){ .loss = o.loss, .regulariser = o.regulariser, .lambda = o.lambda, .train = &out->data,
                           .realisable = o.realisable, .start = sp_alloc_doubles(d),
                           .domain = { .kind = ball ? SP_DOMAIN_L2_BALL : SP_DOMAIN_SPACE, .d = d, .radius = norm,
                                       .norm = norm } };
        memcpy(p->number, number, sizeof p->number);
        const sp_setting setting = { .loss = p->loss, .number = p->number, .regulariser = p->regulariser,
                                     .lambda = p->lambda, .domain = &p->domain, .n = o.n, .features = o.d,
                                     .radius = o.radius, .label_bound = o.label_bound, .realisable = o.realisable };
        ok = p->start && sp_certify(&setting, &p->certified, NULL) == SP_OK;
        p->declared = p->certified;
        out->workspace = ok ? sp_workspace_new(p) : NULL;
        ok = out->workspace != NULL;
    }
    SP_CHECK_REPORT(ok, "cannot make a problem of %s, n = %zu, %zu features", o.loss->name, o.n, o.d);
    return ok;
}

static inline void landscape_drop(landscape *l)
{
    sp_workspace_free(l->workspace);
    free(l->problem.start);
    sp_dataset_free(&l->data);
}

#endif
