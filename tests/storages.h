/* storages.h -- the same records in every storage that can hold them, for tests of what reads records. */
#ifndef SP_TESTS_STORAGES_H
#define SP_TESTS_STORAGES_H

#include "core/base/memory.h"
#include "core/data/dataset.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { STORAGES = SP_STORE_ONE_HOT + 1 };

/* X: n x d without gaps, kept by the caller while an indexed dataset lives; y may be NULL. */
typedef struct records {
    size_t n, d;
    const double *X, *y;
    double unit; /* > 0: all entries are +-unit, so that signs hold them */
    double radius, label_bound;
} records;

static inline void records_row(const void *context, size_t i, size_t d, double *restrict x)
{
    memcpy(x, (const double *)context + i * d, d * sizeof *x);
}

/* The content hash of all the records of `data`, sealed anew: one read from a file has none of its own. */
static inline void records_content(const sp_dataset *data, char out[SP_HASH_HEX])
{
    uint32_t *index = sp_alloc(data->n, sizeof *index);
    sp_dataset all = { 0 };
    for (size_t i = 0; index && i < data->n; i++)
        index[i] = (uint32_t)i;
    CHECK(index && sp_dataset_take(data, index, data->n, &all, NULL) == SP_OK);
    CHECK_EQUAL(strlen(all.content), SP_HASH_HEX - 1);
    memcpy(out, all.content, SP_HASH_HEX);
    sp_dataset_free(&all);
    free(index);
}

/* One-hot rows: what the features of record i share that are not numeric is the last of its numbers that are not 0.
 * Returns the entries of such a dataset, and which features are numeric. */
static inline double records_last(const records *r, size_t i)
{
    size_t j = r->d;
    while (j > 0 && r->X[i * r->d + j - 1] == 0.0)
        j--;
    return j > 0 ? r->X[i * r->d + j - 1] : 0.0;
}

static inline size_t records_hot(const records *r, bool *numeric)
{
    size_t numbers = 0, listed = 0;
    for (size_t j = 0; j < r->d; j++) {
        numeric[j] = false;
        for (size_t i = 0; i < r->n; i++)
            numeric[j] |= r->X[i * r->d + j] != 0.0 && r->X[i * r->d + j] != records_last(r, i);
        numbers += numeric[j];
    }
    for (size_t i = 0; i < r->n; i++) {
        size_t here = 0;
        for (size_t j = 0; j < r->d; j++)
            here += !numeric[j] && r->X[i * r->d + j] != 0.0;
        listed = here > listed ? here : listed;
    }
    return sp_hot_entries(numbers, listed);
}

/* Whether this storage can hold them. */
static inline bool records_fit(const records *r, sp_storage storage)
{
    bool *numeric = sp_alloc(r->d, sizeof *numeric);
    const size_t entries = storage == SP_STORE_ONE_HOT ? records_hot(r, numeric) : 0;
    free(numeric);
    return storage == SP_STORE_ONE_HOT ? entries < sp_hot_entries(SP_NUMERIC_MAX + 1, 0)
                                       : storage != SP_STORE_SIGNS || r->unit > 0.0;
}

static inline void records_fill_hot(const records *r, sp_dataset *out)
{
    bool *numeric = sp_alloc(r->d, sizeof *numeric);
    records_hot(r, numeric);
    for (size_t i = 0; i < r->n; i++) {
        double *row = sp_dataset_X(out) + i * out->stride;
        uint16_t *list = (uint16_t *)sp_hot_list(out, row);
        for (size_t j = 0, place = 0; j < r->d; j++) {
            const double x = r->X[i * r->d + j];
            if (numeric[j]) {
                sp_dataset_column(out)[place] = (uint32_t)j;
                row[place++] = x;
            } else if (x != 0.0) {
                list[++list[0]] = (uint16_t)j;
                row[out->numeric + SP_HOT_VALUE] = x;
            }
        }
    }
    free(numeric);
}

static inline void records_fill(const records *r, sp_dataset *out)
{
    size_t at = 0;
    if (out->storage == SP_STORE_ONE_HOT)
        records_fill_hot(r, out);
    for (size_t k = 0; k < r->n * r->d; k++) {
        const size_t i = k / r->d, j = k % r->d;
        if (out->storage == SP_STORE_DENSE)
            sp_dataset_X(out)[i * out->stride + j] = r->X[k];
        if (out->storage == SP_STORE_SIGNS && r->X[k] > 0.0)
            sp_dataset_sign(out)[i * out->words + j / 64] |= UINT64_C(1) << j % 64;
        if (out->storage == SP_STORE_SPARSE && r->X[k] != 0.0) {
            sp_dataset_column(out)[at] = (uint32_t)j;
            sp_dataset_entry(out)[at++] = r->X[k];
        }
        if (out->storage == SP_STORE_SPARSE)
            sp_dataset_start(out)[i + 1] = at;
    }
    if (r->y)
        memcpy(sp_dataset_y(out), r->y, r->n * sizeof *r->y);
    out->unit = out->storage == SP_STORE_SIGNS ? r->unit : 0.0;
    if (out->storage == SP_STORE_INDEXED) {
        out->row_maker = records_row;
        out->row_context = r->X;
    }
}

static inline bool records_stored(const records *r, sp_storage storage, sp_dataset *out)
{
    sp_error error = { 0 };
    size_t entries = 0;
    for (size_t k = 0; k < r->n * r->d; k++)
        entries += r->X[k] != 0.0;
    if (storage == SP_STORE_ONE_HOT) {
        bool *numeric = sp_alloc(r->d, sizeof *numeric);
        entries = records_hot(r, numeric);
        free(numeric);
    }
    sp_status status = sp_dataset_new(storage, r->n, r->d, entries, r->y != NULL, false, out, &error);
    if (status == SP_OK) {
        records_fill(r, out);
        status = sp_dataset_seal(out, r->radius, r->label_bound, &error);
    }
    SP_CHECK_REPORT(status == SP_OK, "%s: %s", sp_storage_names[storage], error.text);
    return status == SP_OK;
}

#endif
