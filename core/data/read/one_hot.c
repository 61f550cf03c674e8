/* one_hot.c -- converts dense or sparse records to one-hot rows (dataset.h), if that saves memory. A feature that is 0
 * or 1 in all records as read is stored in the list of a row. After a record is scaled, its ones are still one shared
 * number. */
#include "core/data/layout.h"

#include <string.h>

/* Most products of numeric features with all: the sums of so many are in the workspace of every problem, for Hessians
 * (sp_hot_packing). 8 MB. */
enum { PRODUCTS_MAX = 1 << 20 };

/* The entry k of record i, dense or sparse: its feature and its number. */
static size_t entry_of(const sp_dataset *data, size_t i, size_t k, double *x)
{
    const bool sparse = data->storage == SP_STORE_SPARSE;
    *x = sparse ? data->entry[data->start[i] + k] : data->X[i * data->stride + k];
    return sparse ? data->column[data->start[i] + k] : k;
}

static size_t entries_of(const sp_dataset *data, size_t i)
{
    double *first;
    return sp_record_numbers(data, i, &first);
}

size_t sp_hot_form(const sp_dataset *raw, bool intercept, bool *numeric)
{
    size_t numbers = 0, listed = 0;
    double x;
    memset(numeric, 0, (raw->d + intercept) * sizeof *numeric);
    for (size_t i = 0; i < raw->n; i++)
        for (size_t k = 0, count = entries_of(raw, i); k < count; k++) {
            const size_t j = entry_of(raw, i, k, &x);
            numbers += x != 0.0 && x != 1.0 && !numeric[j];
            numeric[j] |= x != 0.0 && x != 1.0;
        }
    for (size_t i = 0; i < raw->n && numbers <= SP_NUMERIC_MAX; i++) {
        size_t ones = intercept;
        for (size_t k = 0, count = entries_of(raw, i); k < count; k++)
            ones += !numeric[entry_of(raw, i, k, &x)] && x == 1.0;
        listed = ones > listed ? ones : listed;
    }
    const size_t entries = sp_hot_entries(numbers, listed), d = raw->d + intercept;
    if (numbers > SP_NUMERIC_MAX || listed > UINT16_MAX || numbers * d > PRODUCTS_MAX)
        return 0;
    const size_t stored = sp_layout_entries(raw) + intercept * raw->n;
    const size_t size = sp_layout_size(SP_STORE_ONE_HOT, raw->n, d, entries, raw->y != NULL);
    const size_t worth = raw->storage == SP_STORE_DENSE ? 2 * size : size; /* dense rows take less time a byte */
    return size > 0 && worth < sp_layout_size(raw->storage, raw->n, d, stored, raw->y != NULL) ? entries : 0;
}

sp_status sp_hot_records(const sp_dataset *from, size_t entries, const bool *numeric, sp_dataset *out, sp_error *error)
{
    const size_t d = from->d;
    const sp_status status = sp_dataset_new(SP_STORE_ONE_HOT, from->n, d, entries, from->y != NULL, true, out, error);
    if (status != SP_OK)
        return status;
    uint8_t place[UINT16_MAX], numbers = 0; /* of a numeric feature: which of them it is */
    for (size_t j = 0; j < d; j++)
        if (numeric[j]) {
            sp_dataset_column(out)[numbers] = (uint32_t)j;
            place[j] = numbers++;
        }
    if (from->y)
        memcpy(sp_dataset_y(out), from->y, from->n * sizeof *from->y);
    for (size_t i = 0; i < from->n; i++) {
        double *row = sp_dataset_X(out) + i * out->stride, x;
        uint16_t *list = (uint16_t *)sp_hot_list(out, row);
        for (size_t k = 0, count = entries_of(from, i); k < count; k++) {
            const size_t j = entry_of(from, i, k, &x);
            if (numeric[j])
                row[place[j]] = x;
            if (numeric[j] || x == 0.0)
                continue;
            row[out->numeric + SP_HOT_VALUE] = x;
            list[++list[0]] = (uint16_t)j;
        }
    }
    return SP_OK;
}
