/* landscape.h -- a small problem with full access, and a search that tries to break a bound. For tests of losses,
 * engines and measures. */
#ifndef SP_TESTS_LANDSCAPE_H
#define SP_TESTS_LANDSCAPE_H

#include "core/base/eigen.h"
#include "core/base/memory.h"
#include "core/base/stream.h"
#include "core/runner/registry.h"
#include "losses/engine/problem.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

enum { LANDSCAPE_D = 16 }; /* largest d */

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
    size_t n, d;
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
    double *X = NULL, *y = NULL, planted[LANDSCAPE_D];
    const bool ball = o.ball > 0.0;
    *out = (landscape){ 0 };
    gsl_ran_dir_nd(stream, o.d, planted);
    bool ok = sp_dataset_new(o.n, o.d, true, false, &out->data, &X, &y, NULL) == SP_OK;
    for (size_t i = 0; ok && i < o.n; i++) {
        double *x = X + i * out->data.stride;
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
            y[i] = cblas_ddot((int)o.d, x, 1, planted, 1) * o.label_bound / o.radius;
        else if (o.loss->labels_binary || i % 3 == 0)
            y[i] = (gsl_rng_uniform(stream) < 0.5 ? -1.0 : 1.0) * o.label_bound;
        else
            y[i] = o.label_bound * (2.0 * gsl_rng_uniform(stream) - 1.0);
    }
    ok = ok && sp_dataset_seal(&out->data, o.radius, o.label_bound, NULL) == SP_OK;
    if (ok) {
        sp_problem *p = &out->problem;
        *p = (sp_problem){ .loss = o.loss, .regulariser = o.regulariser, .lambda = o.lambda, .train = &out->data,
                           .realisable = o.realisable, .start = sp_alloc_doubles(o.d),
                           .domain = { ball ? SP_DOMAIN_L2_BALL : SP_DOMAIN_SPACE, o.d, ball ? o.ball : INFINITY } };
        if (o.number)
            memcpy(p->number, o.number, sizeof p->number);
        else
            landscape_defaults(o.loss->params, p->number);
        ok = p->start && sp_certify(p->loss, p->number, p->regulariser, p->lambda, &p->domain, o.radius, o.label_bound,
                                    o.realisable, 0.0, o.n, &p->certified, NULL) == SP_OK;
        p->declared = p->certified;
        out->workspace = ok ? sp_workspace_new(p) : NULL;
        ok = out->workspace != NULL;
    }
    SP_CHECK_REPORT(ok, "cannot make a problem of %s, n = %zu, d = %zu", o.loss->name, o.n, o.d);
    return ok;
}

static inline void landscape_drop(landscape *l)
{
    sp_workspace_free(l->workspace);
    free(l->problem.start);
    sp_dataset_free(&l->data);
}

/* The largest score over R^k found by random starts and local steps whose length adapts. */
static inline double attack(double (*score)(void *, const double *), void *context, size_t k, gsl_rng *stream,
                            int starts, int steps)
{
    double best = -INFINITY, v[64], trial[64];
    for (int start = 0; start < starts; start++) {
        double length = pow(10.0, 2.0 * gsl_rng_uniform(stream) - 1.0);
        for (size_t j = 0; j < k; j++)
            v[j] = gsl_ran_gaussian(stream, length);
        double here = score(context, v);
        for (int step = 0; step < steps; step++) {
            const size_t only = gsl_rng_uniform_int(stream, 2 * k); /* one coordinate, or all */
            for (size_t j = 0; j < k; j++)
                trial[j] = v[j] + (only >= k || only == j ? gsl_ran_gaussian(stream, length) : 0.0);
            const double there = score(context, trial);
            if (there > here) {
                memcpy(v, trial, sizeof v);
                here = there;
                length *= 1.6;
            } else
                length *= 0.88;
        }
        best = fmax(best, here);
    }
    return best;
}

/* The bound holds, and is reached within `factor` (0: need not be). */
#define CHECK_BOUND(found, bound, factor)                                                                     \
    do {                                                                                                      \
        const double check_found = (found), check_bound = (bound);                                            \
        CHECK_LESS_EQUAL(check_found, check_bound + 1e-9 * fmax(1.0, fabs(check_bound)));                     \
        SP_CHECK_REPORT(check_found >= (factor) * check_bound - 1e-9, "%s = %.9g, but only %.9g was reached", \
                        #bound, check_bound, check_found);                                                    \
    } while (0)

#endif
