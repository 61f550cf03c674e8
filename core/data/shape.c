/* shape.c -- real records made ready: shuffled, split, normalised. The held-out records come first in the permutation,
 * so that one stream holds out the same ones whatever number is kept to train on. */
#include "core/data/dataset.h"

#include "core/base/memory.h"
#include "core/data/layout.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

static void normalise(const sp_shape *shape, size_t count, double *x)
{
    const double norm = cblas_dnrm2((int)count, x, 1);
    const double radius = shape->normalise == SP_NORMALISE_L2 ? 1.0 : shape->radius;
    if (norm > radius || (shape->normalise == SP_NORMALISE_L2 && norm > 0.0))
        for (size_t j = 0; j < count; j++)
            x[j] = x[j] / norm * radius;
}

/* `entries` and `numeric`: of one-hot rows (sp_hot_form); 0: the storage of `raw`. */
static sp_status gather(const sp_dataset *raw, const sp_shape *shape, const uint32_t *index, size_t count,
                        size_t entries, const bool *numeric, sp_dataset *out, sp_error *error)
{
    double *x = NULL;
    sp_status status = sp_records_take(raw, index, count, shape->intercept, true, out, error);
    if (status != SP_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const size_t numbers = sp_record_numbers(out, i, &x);
        normalise(shape, numbers, x);
    }
    if (entries > 0) {
        sp_dataset taken = *out;
        status = sp_hot_records(&taken, entries, numeric, out, error);
        sp_dataset_free(&taken);
        if (status != SP_OK)
            return status;
    }
    return sp_dataset_seal(out, shape->normalise == SP_NORMALISE_L2 ? 1.0 : shape->radius, raw->label_bound, error);
}

sp_status sp_dataset_shape(const sp_dataset *raw, const sp_shape *shape, gsl_rng *stream, sp_dataset *train,
                           sp_dataset *test, sp_error *error)
{
    *train = *test = (sp_dataset){ 0 };
    if (raw->storage != SP_STORE_DENSE && raw->storage != SP_STORE_SPARSE)
        return sp_fail(error, SP_EUNSUPPORTED, "only dense and sparse records are shaped; these are %s",
                       sp_storage_names[raw->storage]);
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
    bool *numeric = sp_alloc(raw->d + 1, sizeof *numeric);
    size_t entries = 0;
    if (!order || !numeric)
        SP_TRY(sp_fail(error, SP_ENOMEM, "n = %zu: out of memory", raw->n));
    if (shape->choose)
        entries = sp_hot_form(raw, shape->intercept, numeric);
    for (size_t i = 0; i < raw->n; i++)
        order[i] = (uint32_t)i;
    gsl_ran_shuffle(stream, order, raw->n, sizeof *order);
    if (held > 0)
        SP_TRY(gather(raw, shape, order, held, entries, numeric, test, error));
    SP_TRY(gather(raw, shape, order + held, shape->n ? shape->n : rest, entries, numeric, train, error));

cleanup:
    if (status != SP_OK) {
        sp_dataset_free(train);
        sp_dataset_free(test);
    }
    free(numeric);
    free(order);
    return status;
}
