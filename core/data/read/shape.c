/* shape.c -- shapes real records: shuffles, splits and normalises them. The held-out records come first in the
 * permutation, so one stream holds out the same records whatever number is kept for training. */
#include "core/data/dataset.h"

#include "core/base/memory.h"
#include "core/data/layout.h"
#include "core/data/rows.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* What a feature is subtracted by, then divided by (0: it becomes 0). */
typedef struct scaling {
    double *shift, *size; /* d of each */
    bool *kept;           /* d: the feature is 0 or 1 in all records */
} scaling;

/* From the records train[0 .. count-1]. */
static void measure_standard(const sp_dataset *s, const uint32_t *train, size_t count, scaling *out)
{
    for (size_t i = 0; i < count; i++)
        cblas_daxpy((int)s->d, 1.0 / (double)count, s->X + train[i] * s->stride, 1, out->shift, 1);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < s->d; j++) {
            const double distance = s->X[train[i] * s->stride + j] - out->shift[j];
            out->size[j] += distance * distance / (double)count;
        }
    for (size_t j = 0; j < s->d; j++) /* of one value alone the mean is off by its rounding */
        out->size[j] = sqrt(out->size[j]) > 1e-12 * fabs(out->shift[j]) ? sqrt(out->size[j]) : 0.0;
}

static void measure_range(const sp_dataset *s, const uint32_t *train, size_t count, scaling *out)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < s->d; j++) {
            const double x = s->X[train[i] * s->stride + j];
            out->shift[j] = i == 0 ? x : fmin(out->shift[j], x);
            out->size[j] = i == 0 ? x : fmax(out->size[j], x);
        }
    cblas_daxpy((int)s->d, -1.0, out->shift, 1, out->size, 1);
}

/* All records of `raw` as dense ones, scaled by what the training records say; not sealed. */
static sp_status scale(const sp_dataset *raw, sp_scaling how, const uint32_t *train, size_t count, sp_dataset *out,
                       sp_error *error)
{
    sp_status status = SP_OK;
    scaling by = { sp_alloc_doubles(raw->d), sp_alloc_doubles(raw->d), sp_alloc(raw->d, sizeof *by.kept) };
    if (!by.shift || !by.size || !by.kept)
        SP_TRY(sp_fail(error, SP_ENOMEM, "d = %zu: out of memory", raw->d));
    SP_TRY(sp_dataset_new(SP_STORE_DENSE, raw->n, raw->d, 0, raw->y != NULL, true, out, error));
    out->label_bound = raw->label_bound;
    if (raw->y)
        memcpy(sp_dataset_y(out), raw->y, raw->n * sizeof *raw->y);
    memset(by.kept, true, raw->d * sizeof *by.kept);
    for (size_t i = 0; i < raw->n; i++) {
        double *x = sp_dataset_X(out) + i * out->stride;
        sp_row_of(raw, i, x);
        for (size_t j = 0; j < raw->d; j++)
            by.kept[j] = by.kept[j] && (x[j] == 0.0 || x[j] == 1.0);
    }
    if (how == SP_SCALE_STANDARD)
        measure_standard(out, train, count, &by);
    else
        measure_range(out, train, count, &by);
    for (size_t i = 0; i < raw->n; i++) {
        double *x = sp_dataset_X(out) + i * out->stride;
        for (size_t j = 0; j < raw->d; j++)
            if (!by.kept[j])
                x[j] = by.size[j] > 0.0 ? (x[j] - by.shift[j]) / by.size[j] : 0.0;
    }
cleanup:
    free(by.shift);
    free(by.size);
    free(by.kept);
    return status;
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
    sp_dataset scaled = { 0 };
    const size_t kept = shape->n ? shape->n : rest;
    if (!order || !numeric)
        SP_TRY(sp_fail(error, SP_ENOMEM, "n = %zu: out of memory", raw->n));
    for (size_t i = 0; i < raw->n; i++)
        order[i] = (uint32_t)i;
    gsl_ran_shuffle(stream, order, raw->n, sizeof *order);
    if (shape->scale != SP_SCALE_NONE) {
        SP_TRY(scale(raw, shape->scale, order + held, kept, &scaled, error));
        raw = &scaled;
    }
    if (shape->choose)
        entries = sp_hot_form(raw, shape->intercept, numeric);
    if (held > 0)
        SP_TRY(gather(raw, shape, order, held, entries, numeric, test, error));
    SP_TRY(gather(raw, shape, order + held, kept, entries, numeric, train, error));

cleanup:
    if (status != SP_OK) {
        sp_dataset_free(train);
        sp_dataset_free(test);
    }
    sp_dataset_free(&scaled);
    free(numeric);
    free(order);
    return status;
}
