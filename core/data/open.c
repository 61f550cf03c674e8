/* open.c -- a data set by its name, or a user's file by its path: mapped from the cache, or read and then cached.
 *
 * key = SHA-256(the reader's version, its options, the SHA-256 of each part) */
#include "core/data/catalogue.h"

#include "core/data/cache.h"
#include "core/data/formats.h"
#include "core/data/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void key_start(sp_hash *hash, const sp_read_options *o)
{
    char text[160];
    snprintf(text, sizeof text, "reader %d format %d d %zu delimiter %d header %d label %ld regression %d",
             SP_READER_VERSION, (int)o->format, o->d, o->delimiter, o->header, o->label_column, o->regression);
    sp_hash_start(hash);
    sp_hash_text(hash, text);
    sp_hash_text(hash, o->positive ? o->positive : "");
}

static void key_of(const sp_catalogue_entry *entry, char key[SP_HASH_HEX])
{
    sp_hash hash;
    key_start(&hash, &entry->options);
    for (size_t i = 0; i < sp_part_count(entry); i++)
        sp_hash_text(&hash, entry->part[i].sha256);
    sp_hash_end_hex(&hash, key);
}

sp_status sp_catalogue_present(const sp_catalogue_entry *entry, sp_error *error)
{
    char key[SP_HASH_HEX];
    sp_dataset cached;
    key_of(entry, key);
    if (sp_cache_load(key, &cached) == SP_OK) {
        sp_dataset_free(&cached);
        return SP_OK;
    }
    sp_status status = SP_OK;
    for (size_t i = 0; status == SP_OK && i < sp_part_count(entry); i++) {
        char *path = NULL;
        bool own;
        status = sp_part_locate(&entry->part[i], &path, &own, error);
        if (status == SP_OK && !path)
            status = sp_part_absent(entry, &entry->part[i], error);
        free(path);
    }
    if (status != SP_OK)
        sp_fail_prefix(error, "%s", entry->name);
    return status;
}

static sp_status read_part(const sp_catalogue_entry *entry, const sp_catalogue_part *part, sp_dataset *out,
                           sp_error *error)
{
    sp_status status = SP_OK;
    char *path = NULL, *bytes = NULL;
    size_t size;
    bool own;
    SP_TRY(sp_part_locate(part, &path, &own, error));
    if (!path) {
        status = sp_part_absent(entry, part, error);
        goto cleanup;
    }
    SP_TRY(sp_part_read(part, path, NULL, &bytes, &size, error));
    SP_TRY(sp_read_dataset(path, bytes, size, &entry->options, out, error));
cleanup:
    free(bytes);
    free(path);
    return status;
}

/* The records of all parts, one after the other. */
static sp_status join(const sp_dataset *parts, size_t count, sp_dataset *out, sp_error *error)
{
    double *X = NULL, *y = NULL, radius = 0.0, label_bound = 0.0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].d != parts[0].d)
            return sp_fail(error, SP_EDATA, "part %zu has %zu features, part 1 has %zu", i + 1, parts[i].d, parts[0].d);
        n += parts[i].n;
        radius = fmax(radius, parts[i].radius);
        label_bound = fmax(label_bound, parts[i].label_bound);
    }
    const sp_status status = sp_dataset_new(n, parts[0].d, true, true, out, &X, &y, error);
    if (status != SP_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        memcpy(X, parts[i].X, parts[i].n * parts[i].d * sizeof *X);
        memcpy(y, parts[i].y, parts[i].n * sizeof *y);
        X += parts[i].n * parts[i].d;
        y += parts[i].n;
    }
    return sp_dataset_seal(out, radius, label_bound, error);
}

static sp_status check_counts(const sp_catalogue_entry *entry, const sp_dataset *dataset, sp_error *error)
{
    size_t positive = 0, negative = 0;
    for (size_t i = 0; i < dataset->n; i++) {
        positive += dataset->y[i] == 1.0;
        negative += dataset->y[i] == -1.0;
    }
    if (dataset->n == entry->n && dataset->d == entry->d && positive == entry->positive && negative == entry->negative)
        return SP_OK;
    return sp_fail(error, SP_EDATA,
                   "%zu records, %zu features, %zu positive and %zu negative labels; "
                   "the catalogue says %zu, %zu, %zu and %zu",
                   dataset->n, dataset->d, positive, negative, entry->n, entry->d, entry->positive, entry->negative);
}

sp_status sp_catalogue_open(const sp_catalogue_entry *entry, sp_dataset *out, sp_error *error)
{
    sp_status status = SP_OK;
    char key[SP_HASH_HEX];
    sp_dataset part[SP_PARTS_MAX] = { { 0 } };
    const size_t parts = sp_part_count(entry);
    *out = (sp_dataset){ 0 };
    key_of(entry, key);
    if (sp_cache_load(key, out) == SP_OK)
        return SP_OK;
    for (size_t i = 0; i < parts; i++)
        SP_TRY(read_part(entry, &entry->part[i], &part[i], error));
    if (parts > 1) {
        SP_TRY(join(part, parts, out, error));
    } else {
        *out = part[0];
        part[0] = (sp_dataset){ 0 };
    }
    SP_TRY(check_counts(entry, out, error));
    sp_cache_keep(key, out);

cleanup:
    if (status != SP_OK) {
        sp_dataset_free(out);
        sp_fail_prefix(error, "%s", entry->name);
    }
    for (size_t i = 0; i < parts; i++)
        sp_dataset_free(&part[i]);
    return status;
}

sp_status sp_data_open_file(const char *path, const sp_read_options *options, sp_dataset *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *bytes = NULL, key[SP_HASH_HEX];
    size_t size;
    sp_hash hash;
    *out = (sp_dataset){ 0 };
    SP_TRY(sp_read_file(path, NULL, &bytes, &size, error));
    key_start(&hash, options);
    sp_hash_add(&hash, bytes, size);
    sp_hash_end_hex(&hash, key);
    if (sp_cache_load(key, out) == SP_OK)
        goto cleanup;
    SP_TRY(sp_read_dataset(path, bytes, size, options, out, error));
    sp_cache_keep(key, out);
cleanup:
    free(bytes);
    return status;
}
