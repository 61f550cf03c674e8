/* dataset.c -- the block that holds the records: made, sealed, freed. */
#include "core/data/dataset.h"

#include "core/base/memory.h"
#include "core/data/layout.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const size_t block_max = (size_t)1 << 36;
static const double slack = 1e-12; /* a unit vector in floating point is not quite one */

static size_t doubles(size_t count)
{
    const size_t line = SP_ALIGNMENT / sizeof(double);
    return (count + line - 1) / line * line;
}

size_t sp_layout_size(size_t n, size_t d, bool labels)
{
    if (n == 0 || d == 0 || n > UINT32_MAX || d > block_max / sizeof(double) / n)
        return 0;
    const size_t size = (doubles(n) * (labels ? 2 : 1) + doubles(d) + doubles(n * d)) * sizeof(double);
    return size <= block_max ? size : 0;
}

void sp_layout_point(sp_dataset *dataset, bool labels, const void *block)
{
    const double *next = block;
    dataset->norm = next;
    next += doubles(dataset->n);
    dataset->mean = next;
    next += doubles(dataset->d);
    dataset->y = labels ? next : NULL;
    next += labels ? doubles(dataset->n) : 0;
    dataset->X = next;
    dataset->stride = dataset->d;
}

void sp_dataset_free(sp_dataset *dataset)
{
    if (dataset->mapped)
        munmap(dataset->mapping, dataset->mapping_size);
    else
        free(dataset->mapping);
    *dataset = (sp_dataset){ 0 };
}

sp_status sp_dataset_check(size_t n, size_t d, sp_error *error)
{
    if (n == 0 || d == 0)
        return sp_fail(error, SP_EINVAL, "n = %zu, d = %zu: there must be a record and a feature", n, d);
    if (sp_layout_size(n, d, true) == 0)
        return sp_fail(error, SP_EINVAL, "n = %zu, d = %zu: too large (at most 64 GiB and 2^32 - 1 records)", n, d);
    return SP_OK;
}

sp_status sp_dataset_new(size_t n, size_t d, bool labels, bool shared, sp_dataset *out, double **X, double **y,
                         sp_error *error)
{
    *out = (sp_dataset){ 0 };
    const sp_status status = sp_dataset_check(n, d, error);
    if (status != SP_OK)
        return status;
    const size_t size = sp_layout_size(n, d, labels);
    void *block = shared ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                         : sp_alloc(size, 1);
    if (!block || block == MAP_FAILED)
        return sp_fail(error, SP_ENOMEM, "n = %zu, d = %zu: out of memory (%zu bytes)", n, d, size);
    *out = (sp_dataset){ .n = n, .d = d, .mapping = block, .mapping_size = size, .mapped = shared };
    sp_layout_point(out, labels, block);
    *X = (double *)out->X;
    *y = (double *)out->y;
    return SP_OK;
}

/* Squares that leave the range of a double are left to the slower, scaled norm. */
static double norm_of(size_t d, const double *x)
{
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum += x[j] * x[j];
    return sum > 1e-280 && sum < 1e280 ? sqrt(sum) : cblas_dnrm2((int)d, x, 1);
}

static sp_status check_record(const sp_dataset *dataset, size_t i, double norm, double radius, double label_bound,
                              sp_error *error)
{
    const double *x = dataset->X + i * dataset->stride;
    for (size_t j = 0; !gsl_finite(norm) && j < dataset->d; j++)
        if (!gsl_finite(x[j]))
            return sp_fail(error, SP_EDATA, "record %zu, feature %zu: %g is not finite", i + 1, j + 1, x[j]);
    if (!(norm <= radius * (1.0 + slack)))
        return sp_fail(error, SP_EDATA, "record %zu: norm %.17g is above the radius %.17g", i + 1, norm, radius);
    if (dataset->y && !gsl_finite(dataset->y[i]))
        return sp_fail(error, SP_EDATA, "record %zu: label %g is not finite", i + 1, dataset->y[i]);
    if (dataset->y && fabs(dataset->y[i]) > label_bound * (1.0 + slack))
        return sp_fail(error, SP_EDATA, "record %zu: label %.17g is beyond the bound %.17g", i + 1, dataset->y[i],
                       label_bound);
    return SP_OK;
}

static void hash_content(sp_dataset *dataset)
{
    const uint64_t shape[3] = { dataset->n, dataset->d, dataset->y != NULL };
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_add(&hash, shape, sizeof shape);
    sp_hash_add(&hash, dataset->X, dataset->n * dataset->d * sizeof(double));
    if (dataset->y)
        sp_hash_add(&hash, dataset->y, dataset->n * sizeof(double));
    sp_hash_end_hex(&hash, dataset->content);
}

sp_status sp_dataset_seal(sp_dataset *dataset, double radius, double label_bound, sp_error *error)
{
    if (!(radius >= 0.0 && gsl_finite(radius)))
        return sp_fail(error, SP_EINVAL, "radius = %g: must be finite and not negative", radius);
    if (!(label_bound >= 0.0 && gsl_finite(label_bound)))
        return sp_fail(error, SP_EINVAL, "label bound = %g: must be finite and not negative", label_bound);
    double *norm = (double *)dataset->norm, *mean = (double *)dataset->mean;
    memset(mean, 0, dataset->d * sizeof *mean);
    for (size_t i = 0; i < dataset->n; i++) {
        const double *x = dataset->X + i * dataset->stride;
        norm[i] = norm_of(dataset->d, x);
        const sp_status status = check_record(dataset, i, norm[i], radius, label_bound, error);
        if (status != SP_OK)
            return status;
        for (size_t j = 0; j < dataset->d; j++)
            mean[j] += x[j];
    }
    for (size_t j = 0; j < dataset->d; j++)
        mean[j] /= (double)dataset->n;
    dataset->radius = radius;
    dataset->label_bound = label_bound;
    hash_content(dataset);
    return SP_OK;
}
