/* dataset.c -- the block of memory that contains the records: creates it, fills it from another, finishes and frees
 * it. */
#include "core/data/dataset.h"

#include "core/base/hash.h"
#include "core/numeric/math.h"
#include "core/base/memory.h"
#include "core/data/layout.h"
#include "core/data/moments.h"
#include "core/data/rows.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const sp_storage_names[] = { "dense", "sparse", "signs", "indexed", "one_hot", "moments", NULL };

static const size_t block_max = (size_t)1 << 36;
static const double slack = 1e-12; /* a unit vector in floating point is not quite one */
enum { WORD_BITS = 64 };

/* --- the block ------------------------------------------------------------------------------------------------ */

static size_t words_of(size_t d)
{
    return (d + WORD_BITS - 1) / WORD_BITS;
}

/* Doubles from one one-hot row to the next. */
static size_t hot_stride(size_t numeric, size_t listed)
{
    const size_t list = (1 + listed) * sizeof(uint16_t), line = SP_ALIGNMENT / sizeof(double);
    return (numeric + SP_HOT_LIST + (list + sizeof(double) - 1) / sizeof(double) + line - 1) / line * line;
}

static size_t numeric_of(size_t entries)
{
    return entries >> 16;
}

static size_t listed_of(size_t entries)
{
    return entries & UINT16_MAX;
}

/* Rounded up to whole lines; what is beyond any block stays so. */
static size_t lines(size_t count, size_t size)
{
    return count > block_max / size ? block_max + 1 : (count * size + SP_ALIGNMENT - 1) / SP_ALIGNMENT * SP_ALIGNMENT;
}

size_t sp_layout_size(sp_storage storage, size_t n, size_t d, size_t entries, bool labels)
{
    if (n == 0 || d == 0 || n > UINT32_MAX || d > UINT32_MAX)
        return 0;
    size_t size = lines(n, sizeof(double)) * (labels ? 2 : 1) + lines(d, sizeof(double));
    switch (storage) {
    case SP_STORE_DENSE:
        size += lines(n, sp_dense_stride(d) * sizeof(double));
        break;
    case SP_STORE_SPARSE:
        size += lines(n + 1, sizeof(uint64_t)) + lines(entries, sizeof(double)) + lines(entries, sizeof(uint32_t));
        break;
    case SP_STORE_ONE_HOT:
        if (d > UINT16_MAX || numeric_of(entries) > GSL_MIN(SP_NUMERIC_MAX, d) || listed_of(entries) > d)
            return 0;
        size += lines(numeric_of(entries), sizeof(uint32_t)) +
                lines(n, hot_stride(numeric_of(entries), listed_of(entries)) * sizeof(double));
        break;
    case SP_STORE_SIGNS:
        size += lines(n, words_of(d) * sizeof(uint64_t));
        break;
    case SP_STORE_INDEXED:
        break;
    case SP_STORE_MOMENTS: /* its rows lie in another */
        return 0;
    }
    return size <= block_max ? size : 0;
}

static const void *step(const char **next, size_t count, size_t size)
{
    const void *here = *next;
    *next += lines(count, size);
    return here;
}

void sp_layout_point(sp_dataset *dataset, size_t entries, bool labels, const void *block)
{
    const size_t n = dataset->n, d = dataset->d;
    const char *next = block;
    dataset->norm = step(&next, n, sizeof(double));
    dataset->mean = step(&next, d, sizeof(double));
    dataset->y = labels ? step(&next, n, sizeof(double)) : NULL;
    switch (dataset->storage) {
    case SP_STORE_DENSE:
        dataset->stride = sp_dense_stride(d);
        dataset->X = step(&next, n, dataset->stride * sizeof(double));
        break;
    case SP_STORE_SPARSE:
        dataset->start = step(&next, n + 1, sizeof(uint64_t));
        dataset->entry = step(&next, entries, sizeof(double));
        dataset->column = step(&next, entries, sizeof(uint32_t));
        break;
    case SP_STORE_ONE_HOT:
        dataset->numeric = numeric_of(entries);
        dataset->listed = listed_of(entries);
        dataset->stride = hot_stride(dataset->numeric, dataset->listed);
        dataset->column = step(&next, dataset->numeric, sizeof(uint32_t));
        dataset->X = step(&next, n, dataset->stride * sizeof(double));
        break;
    case SP_STORE_SIGNS:
        dataset->words = words_of(d);
        dataset->sign = step(&next, n, dataset->words * sizeof(uint64_t));
        break;
    case SP_STORE_INDEXED:
    case SP_STORE_MOMENTS:
        break;
    }
}

size_t sp_layout_entries(const sp_dataset *dataset)
{
    return dataset->storage == SP_STORE_SPARSE    ? dataset->start[dataset->n]
         : dataset->storage == SP_STORE_ONE_HOT ? sp_hot_entries(dataset->numeric, dataset->listed) : 0;
}

void sp_dataset_free(sp_dataset *dataset)
{
    if (dataset->row_free)
        dataset->row_free((void *)dataset->row_context);
    free(dataset->moments);
    if (dataset->mapped)
        sp_unmap(dataset->mapping, dataset->mapping_size);
    else
        free(dataset->mapping);
    *dataset = (sp_dataset){ 0 };
}

sp_status sp_dataset_check(sp_storage storage, size_t n, size_t d, size_t entries, sp_error *error)
{
    if (n == 0 || d == 0)
        return sp_fail(error, SP_EINVAL, "n = %zu, d = %zu: there must be a record and a feature", n, d);
    if (sp_layout_size(storage, n, d, entries, true) == 0)
        return sp_fail(error, SP_EINVAL, "n = %zu, d = %zu, %s: too large (at most 64 GiB, 2^32 - 1 records and "
                       "features)", n, d, sp_storage_names[storage]);
    return SP_OK;
}

sp_status sp_dataset_new(sp_storage storage, size_t n, size_t d, size_t entries, bool labels, bool mapped,
                         sp_dataset *out, sp_error *error)
{
    *out = (sp_dataset){ 0 };
    const sp_status status = sp_dataset_check(storage, n, d, entries, error);
    if (status != SP_OK)
        return status;
    const size_t size = sp_layout_size(storage, n, d, entries, labels);
    void *block = mapped ? sp_map(size) : sp_alloc(size, 1);
    if (!block)
        return sp_fail(error, SP_ENOMEM, "n = %zu, d = %zu: out of memory (%zu bytes)", n, d, size);
    *out = (sp_dataset){ .storage = storage, .n = n, .d = d, .mapping = block, .mapping_size = size, .mapped = mapped };
    sp_layout_point(out, entries, labels, block);
    return SP_OK;
}

double *sp_dataset_X(sp_dataset *dataset)
{
    return (double *)dataset->X;
}

double *sp_dataset_y(sp_dataset *dataset)
{
    return (double *)dataset->y;
}

uint64_t *sp_dataset_start(sp_dataset *dataset)
{
    return (uint64_t *)dataset->start;
}

uint32_t *sp_dataset_column(sp_dataset *dataset)
{
    return (uint32_t *)dataset->column;
}

double *sp_dataset_entry(sp_dataset *dataset)
{
    return (double *)dataset->entry;
}

uint64_t *sp_dataset_sign(sp_dataset *dataset)
{
    return (uint64_t *)dataset->sign;
}

/* --- sealing -------------------------------------------------------------------------------------------------- */

size_t sp_record_numbers(const sp_dataset *dataset, size_t i, double **out)
{
    const bool sparse = dataset->storage == SP_STORE_SPARSE;
    *out = (double *)(sparse ? dataset->entry + dataset->start[i] : dataset->X + i * dataset->stride);
    return sparse ? dataset->start[i + 1] - dataset->start[i]
         : dataset->storage == SP_STORE_ONE_HOT ? dataset->numeric + 1 : dataset->d;
}

/* Of a record, the feature that is stored number j, or the first of those. */
static size_t feature_of(const sp_dataset *s, size_t i, size_t j)
{
    if (s->storage == SP_STORE_SPARSE)
        return s->column[s->start[i] + j];
    if (s->storage == SP_STORE_ONE_HOT)
        return j < s->numeric ? s->column[j] : sp_hot_list(s, s->X + i * s->stride)[1];
    return j;
}

/* Squares that leave the range of a double are left to the slower, scaled norm. What lies AHEAD is asked for: the
 * records follow one another. */
static double norm_of(size_t count, const double *x)
{
    enum { LINE = 8, AHEAD = 1024 };
    double sum = 0.0;
    for (size_t j = 0; j < count; j += LINE)
        __builtin_prefetch(x + AHEAD + j);
    for (size_t j = 0; j < count; j++)
        sum += x[j] * x[j];
    return sum > 1e-280 && sum < 1e280 ? sqrt(sum) : cblas_dnrm2((int)count, x, 1);
}

static double hot_norm(size_t numeric, const double *x, size_t listed)
{
    const double value = x[numeric], same = (double)listed * (value * value);
    double sum = same;
    for (size_t j = 0; j < numeric; j++)
        sum += x[j] * x[j];
    return sum > 1e-280 && sum < 1e280 ? sqrt(sum)
                                       : sp_hypot(norm_of(numeric, x), sqrt((double)listed) * fabs(value));
}

static sp_status check_hot(const sp_dataset *s, sp_error *error)
{
    for (size_t j = 0; j < s->numeric; j++)
        if (s->column[j] >= s->d || (j > 0 && s->column[j] <= s->column[j - 1]))
            return sp_fail(error, SP_EDATA, "one-hot records: feature %zu of %zu is out of order",
                           (size_t)s->column[j] + 1, s->d);
    for (size_t i = 0; i < s->n; i++) {
        const uint16_t *list = sp_hot_list(s, s->X + i * s->stride);
        if (list[0] > s->listed)
            return sp_fail(error, SP_EDATA, "record %zu: a list of %zu features, there is room for %zu", i + 1,
                           (size_t)list[0], s->listed);
        for (size_t k = 1, j = 0; k <= list[0]; k++) {
            for (; j < s->numeric && s->column[j] < list[k]; j++)
                ;
            if (list[k] >= s->d || (k > 1 && list[k] <= list[k - 1]) || (j < s->numeric && s->column[j] == list[k]))
                return sp_fail(error, SP_EDATA, "record %zu: feature %zu of %zu is out of order", i + 1,
                               (size_t)list[k] + 1, s->d);
        }
    }
    return SP_OK;
}

sp_status sp_records_check(const sp_dataset *s, sp_error *error)
{
    if (s->storage == SP_STORE_INDEXED && !s->row_maker)
        return sp_fail(error, SP_EINVAL, "indexed records need something that makes them");
    if (s->storage == SP_STORE_SIGNS && !(s->unit > 0.0 && isfinite(s->unit)))
        return sp_fail(error, SP_EINVAL, "unit = %g: must be positive and finite", s->unit);
    if (s->storage == SP_STORE_SIGNS && s->d % WORD_BITS > 0)
        for (size_t i = 0; i < s->n; i++)
            if (s->sign[(i + 1) * s->words - 1] >> s->d % WORD_BITS)
                return sp_fail(error, SP_EDATA, "record %zu: bits beyond feature %zu", i + 1, s->d);
    if (s->storage == SP_STORE_ONE_HOT)
        return check_hot(s, error);
    if (s->storage != SP_STORE_SPARSE)
        return SP_OK;
    /* room for exactly as many entries was asked for, so that the cache lays them out alike */
    if (s->start[0] != 0 || sp_layout_size(s->storage, s->n, s->d, s->start[s->n], s->y != NULL) != s->mapping_size)
        return sp_fail(error, SP_EDATA, "sparse records: entries %zu to %zu, but another number was announced",
                       (size_t)s->start[0], (size_t)s->start[s->n]);
    for (size_t i = 0; i < s->n; i++) {
        if (s->start[i] > s->start[i + 1] || s->start[i + 1] > s->start[s->n])
            return sp_fail(error, SP_EDATA, "record %zu: entries %zu to %zu", i + 1, (size_t)s->start[i],
                           (size_t)s->start[i + 1]);
        for (uint64_t k = s->start[i]; k < s->start[i + 1]; k++)
            if (s->column[k] >= s->d || (k > s->start[i] && s->column[k] <= s->column[k - 1]))
                return sp_fail(error, SP_EDATA, "record %zu: feature %zu of %zu is out of order", i + 1,
                               (size_t)s->column[k] + 1, s->d);
    }
    return SP_OK;
}

double sp_largest_feature(const sp_dataset *s)
{
    const double known = s->storage == SP_STORE_SIGNS ? s->unit : s->largest;
    return known > 0.0 ? fmin(known, s->radius) : s->radius;
}

static sp_status check_record(const sp_dataset *s, size_t i, const double *x, size_t count, sp_error *error)
{
    const double norm = s->norm[i];
    for (size_t j = 0; !isfinite(norm) && j < count; j++)
        if (!isfinite(x[j]))
            return sp_fail(error, SP_EDATA, "record %zu, feature %zu: %g is not finite", i + 1,
                           feature_of(s, i, j) + 1, x[j]);
    if (!(norm <= s->radius * (1.0 + slack)))
        return sp_fail(error, SP_EDATA, "record %zu: norm %.17g is above the radius %.17g", i + 1, norm, s->radius);
    for (size_t j = 0; s->largest < s->radius && j < count; j++)
        if (!(fabs(x[j]) <= s->largest))
            return sp_fail(error, SP_EDATA, "record %zu, feature %zu: |%.17g| is above the largest allowed, %.17g",
                           i + 1, feature_of(s, i, j) + 1, x[j], s->largest);
    if (s->y && !isfinite(s->y[i]))
        return sp_fail(error, SP_EDATA, "record %zu: label %g is not finite", i + 1, s->y[i]);
    if (s->y && fabs(s->y[i]) > s->label_bound * (1.0 + slack))
        return sp_fail(error, SP_EDATA, "record %zu: label %.17g is beyond the bound %.17g", i + 1, s->y[i],
                       s->label_bound);
    return SP_OK;
}

/* Norm of a record of the block, checked. */
static sp_status seal_record(sp_dataset *s, const sp_row_block *block, size_t row, sp_error *error)
{
    const size_t i = block->index[row];
    double *norm = (double *)s->norm, *x = (double *)block->row[row];
    size_t count = s->d;
    if (s->storage == SP_STORE_SIGNS) {
        count = 0;
        norm[i] = s->unit * sqrt((double)s->d);
    } else if (s->storage == SP_STORE_ONE_HOT) {
        count = sp_record_numbers(s, i, &x);
        norm[i] = hot_norm(s->numeric, x, sp_hot_list(s, x)[0]);
        x[s->numeric + SP_HOT_LABEL] = s->y ? s->y[i] : 0.0;
        x[s->numeric + SP_HOT_NORM] = norm[i];
    } else {
        if (s->storage == SP_STORE_SPARSE)
            count = sp_record_numbers(s, i, &x);
        norm[i] = norm_of(count, x);
    }
    if (s->storage == SP_STORE_DENSE) {
        x[s->d] = s->y ? s->y[i] : 0.0;
        x[s->d + 1] = norm[i];
    }
    return check_record(s, i, x, count, error);
}

static void hash_record(const sp_dataset *s, const sp_row_block *block, size_t row, sp_hash *hash)
{
    const size_t i = block->index[row];
    double *x = (double *)block->row[row];
    size_t count = s->d;
    if (s->storage == SP_STORE_SIGNS) {
        sp_hash_add(hash, s->sign + i * s->words, s->words * sizeof *s->sign);
        return;
    }
    if (s->storage == SP_STORE_SPARSE) {
        count = sp_record_numbers(s, i, &x);
        sp_hash_add(hash, &(uint64_t){ count }, sizeof(uint64_t));
        sp_hash_add(hash, s->column + s->start[i], count * sizeof *s->column);
    }
    if (s->storage == SP_STORE_ONE_HOT) {
        count = sp_record_numbers(s, i, &x);
        sp_hash_add(hash, sp_hot_list(s, x), (1 + (size_t)sp_hot_list(s, x)[0]) * sizeof(uint16_t));
    }
    sp_hash_add(hash, x, count * sizeof *x);
}

/* `hash` gets the features, if it is not NULL. */
static sp_status seal(sp_dataset *s, double radius, double label_bound, sp_hash *hash, sp_error *error)
{
    if (!(radius >= 0.0 && isfinite(radius)))
        return sp_fail(error, SP_EINVAL, "radius = %g: must be finite and not negative", radius);
    if (!(label_bound >= 0.0 && isfinite(label_bound)))
        return sp_fail(error, SP_EINVAL, "label bound = %g: must be finite and not negative", label_bound);
    sp_status status = SP_OK;
    const size_t rows = sp_dataset_rows(s);
    double *mean = (double *)s->mean, *buffer = NULL, ones[SP_ROWS];
    sp_row_block block;
    SP_TRY(sp_records_check(s, error));
    buffer = sp_alloc_doubles(sp_rows_buffer(s));
    if (!buffer)
        SP_TRY(sp_fail(error, SP_ENOMEM, "d = %zu: out of memory", s->d));
    s->radius = radius;
    s->largest = sp_largest_feature(s);
    s->label_bound = label_bound;
    memset(mean, 0, s->d * sizeof *mean);
    for (size_t i = 0; i < SP_ROWS; i++)
        ones[i] = 1.0;
    for (size_t first = 0; first < rows; first += block.count) {
        sp_rows_gather(s, NULL, first, GSL_MIN(sp_rows_per_block(s), rows - first), buffer, &block);
        for (size_t i = 0; i < block.count; i++)
            SP_TRY(seal_record(s, &block, i, error));
        for (size_t i = 0; i < block.count && hash; i++)
            hash_record(s, &block, i, hash);
        sp_rows_add(&block, ones, mean);
    }
    for (size_t j = 0; j < s->d; j++)
        mean[j] /= (double)s->n;
    if (s->moments)
        sp_moments_mean(s);
cleanup:
    free(buffer);
    return status;
}

sp_status sp_dataset_seal(sp_dataset *s, double radius, double label_bound, sp_error *error)
{
    sp_status status = SP_OK;
    const uint64_t shape[4] = { s->storage, s->n, s->d, s->y != NULL };
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_add(&hash, shape, sizeof shape);
    sp_hash_add(&hash, &s->unit, sizeof s->unit);
    if (s->storage == SP_STORE_ONE_HOT)
        sp_hash_add(&hash, s->column, s->numeric * sizeof *s->column);
    SP_TRY(seal(s, radius, label_bound, &hash, error));
    if (s->y)
        sp_hash_add(&hash, s->y, s->n * sizeof *s->y);
    sp_hash_end_hex(&hash, s->content);
cleanup:
    return status;
}

sp_status sp_records_seal(sp_dataset *s, double radius, double label_bound, sp_error *error)
{
    return seal(s, radius, label_bound, NULL, error);
}

/* --- a map of every record ---------------------------------------------------------------------------------------- */

void sp_mapped_content(const sp_record_map *map, char content[SP_HASH_HEX])
{
    sp_hash hash;
    if (!map)
        return;
    sp_hash_start(&hash);
    sp_hash_text(&hash, content);
    sp_hash_text(&hash, map->name);
    sp_hash_end_hex(&hash, content);
}

sp_status sp_dataset_map(sp_dataset *s, const sp_record_map *map, sp_error *error)
{
    sp_status status = SP_OK;
    if (!map || s->map == map)
        return SP_OK;
    if (s->storage != SP_STORE_DENSE || s->map)
        SP_TRY(sp_fail(error, SP_EUNSUPPORTED, "%s: wanted dense records as they were made; these are %s%s", map->name,
                       sp_storage_names[s->storage], s->map ? ", mapped" : ""));
    for (size_t i = 0; i < sp_dataset_rows(s); i++)
        map->apply(s->d, sp_dataset_X(s) + i * s->stride);
    SP_TRY(sp_records_seal(s, s->radius, s->label_bound, error));
    sp_mapped_content(map, s->content);
    s->map = map;
cleanup:
    if (status != SP_OK)
        sp_dataset_free(s);
    return status;
}

/* --- some of the records of another ------------------------------------------------------------------------------ */

typedef struct chosen {
    sp_row_maker maker;
    const void *context;
    uint32_t index[];
} chosen;

static void make_chosen(const void *context, size_t i, size_t d, double *restrict x)
{
    const chosen *c = context;
    c->maker(c->context, c->index[i], d, x);
}

static sp_status take_indexed(const sp_dataset *from, const uint32_t *index, size_t count, sp_dataset *out,
                              sp_error *error)
{
    chosen *c = sp_alloc(1, sizeof *c + count * sizeof *c->index);
    if (!c)
        return sp_fail(error, SP_ENOMEM, "n = %zu: out of memory", count);
    c->maker = from->row_maker;
    c->context = from->row_context;
    memcpy(c->index, index, count * sizeof *index);
    out->row_maker = make_chosen;
    out->row_context = c;
    out->row_free = free;
    return SP_OK;
}

sp_status sp_records_take(const sp_dataset *from, const uint32_t *index, size_t count, bool intercept, bool mapped,
                          sp_dataset *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_storage storage = from->storage;
    size_t entries = storage == SP_STORE_ONE_HOT ? sp_layout_entries(from) : 0, at = 0;
    if (intercept && storage != SP_STORE_DENSE && storage != SP_STORE_SPARSE)
        return sp_fail(error, SP_EUNSUPPORTED, "an intercept needs dense or sparse records; these are %s",
                       sp_storage_names[storage]);
    for (size_t i = 0; i < count && storage == SP_STORE_SPARSE; i++)
        entries += from->start[index[i] + 1] - from->start[index[i]] + intercept;
    SP_TRY(sp_dataset_new(storage, count, from->d + intercept, entries, from->y != NULL, mapped, out, error));
    out->unit = from->unit;
    if (storage == SP_STORE_INDEXED)
        SP_TRY(take_indexed(from, index, count, out, error));
    if (storage == SP_STORE_ONE_HOT)
        memcpy(sp_dataset_column(out), from->column, from->numeric * sizeof *out->column);
    for (size_t i = 0; i < count; i++) {
        const size_t k = index[i];
        double *to, *x;
        if (from->y)
            sp_dataset_y(out)[i] = from->y[k];
        if (storage == SP_STORE_SIGNS)
            memcpy(sp_dataset_sign(out) + i * out->words, from->sign + k * from->words, out->words * sizeof *out->sign);
        if (storage == SP_STORE_ONE_HOT)
            memcpy(sp_dataset_X(out) + i * out->stride, from->X + k * from->stride, out->stride * sizeof *out->X);
        if (storage != SP_STORE_DENSE && storage != SP_STORE_SPARSE)
            continue;
        const size_t numbers = sp_record_numbers(from, k, &x);
        if (storage == SP_STORE_SPARSE) {
            memcpy(sp_dataset_column(out) + at, from->column + from->start[k], numbers * sizeof *out->column);
            if (intercept)
                sp_dataset_column(out)[at + numbers] = (uint32_t)from->d;
            at += numbers + intercept;
            sp_dataset_start(out)[i + 1] = at;
        }
        sp_record_numbers(out, i, &to);
        memcpy(to, x, numbers * sizeof *to);
        if (intercept)
            to[numbers] = 1.0;
    }
cleanup:
    if (status != SP_OK)
        sp_dataset_free(out);
    return status;
}

sp_status sp_dataset_take(const sp_dataset *from, const uint32_t *index, size_t count, sp_dataset *out, sp_error *error)
{
    sp_status status = SP_OK;
    SP_TRY(sp_records_take(from, index, count, false, false, out, error));
    out->largest = from->largest;
    out->map = from->map;
    SP_TRY(sp_dataset_seal(out, from->radius, from->label_bound, error));
cleanup:
    if (status != SP_OK)
        sp_dataset_free(out);
    return status;
}
