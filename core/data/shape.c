/* shape.c -- real records made ready: shuffled, split, normalised. The held-out records come first in the permutation,
 * so that one stream holds out the same ones whatever number is kept to train on. */
#include "core/data/dataset.h"

#include "core/base/memory.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void normalise(const sp_shape *shape, size_t d, double *x)
{
    const double norm = cblas_dnrm2((int)d, x, 1), radius = shape->normalise == SP_NORMALISE_L2 ? 1.0 : shape->radius;
    if (norm > radius || (shape->normalise == SP_NORMALISE_L2 && norm > 0.0))
        for (size_t j = 0; j < d; j++)
            x[j] = x[j] / norm * radius;
}

static sp_status gather(const sp_dataset *raw, const sp_shape *shape, const uint32_t *index, size_t count,
                        sp_dataset *out, sp_error *error)
{
    double *X = NULL, *y = NULL;
    const size_t d = raw->d + shape->intercept;
    const sp_status status = sp_dataset_new(count, d, raw->y != NULL, true, out, &X, &y, error);
    if (status != SP_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        double *x = X + i * out->stride;
        memcpy(x, raw->X + index[i] * raw->stride, raw->d * sizeof *x);
        if (shape->intercept)
            x[raw->d] = 1.0;
        normalise(shape, d, x);
        if (y)
            y[i] = raw->y[index[i]];
    }
    return sp_dataset_seal(out, shape->normalise == SP_NORMALISE_L2 ? 1.0 : shape->radius, raw->label_bound, error);
}

sp_status sp_dataset_shape(const sp_dataset *raw, const sp_shape *shape, gsl_rng *stream, sp_dataset *train,
                           sp_dataset *test, sp_error *error)
{
    *train = *test = (sp_dataset){ 0 };
    if (!(shape->test >= 0.0 && shape->test < 1.0))
        return sp_fail(error, SP_EINVAL, "test = %g: must be in [0, 1)", shape->test);
    if (shape->normalise == SP_NORMALISE_NONE && !(shape->radius > 0.0 && gsl_finite(shape->radius)))
        return sp_fail(error, SP_EINVAL, "radius = %g: must be positive and finite", shape->radius);
    const size_t held = (size_t)floor(shape->test * (double)raw->n), rest = raw->n - held;
    if (shape->n > rest)
        return sp_fail(error, SP_EINVAL, "n = %zu: only %zu of the %zu records are left to train on", shape->n, rest,
                       raw->n);

    sp_status status = SP_OK;
    uint32_t *order = sp_alloc(raw->n, sizeof *order);
    if (!order)
        return sp_fail(error, SP_ENOMEM, "n = %zu: out of memory", raw->n);
    for (size_t i = 0; i < raw->n; i++)
        order[i] = (uint32_t)i;
    gsl_ran_shuffle(stream, order, raw->n, sizeof *order);
    if (held > 0)
        SP_TRY(gather(raw, shape, order, held, test, error));
    SP_TRY(gather(raw, shape, order + held, shape->n ? shape->n : rest, train, error));

cleanup:
    if (status != SP_OK) {
        sp_dataset_free(train);
        sp_dataset_free(test);
    }
    free(order);
    return status;
}
