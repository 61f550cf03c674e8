/* open.c -- a data set by its name, or a user's file by its path: mapped from the cache, or read and then cached.
 *
 * key = SHA-256(the reader's version, its options, the SHA-256 of each part; or the bytes of the user's file) */
#include "core/data/catalogue.h"

#include "core/data/cache.h"
#include "core/data/formats.h"
#include "core/data/parts.h"

#include <stdint.h>
#include <stdlib.h>

static sp_status key_start(sp_hash *hash, const sp_read_options *options, sp_error *error)
{
    sp_read_options o = *options;
    o.labels = NULL; /* the bytes of that file count, not where it is */
    char *text = sp_read_options_text(&o);
    if (!text)
        return sp_fail(error, SP_ENOMEM, "out of memory");
    sp_hash_start(hash);
    sp_hash_add(hash, &(uint32_t){ SP_READER_VERSION }, sizeof(uint32_t));
    sp_hash_text(hash, text);
    free(text);
    return SP_OK;
}

static sp_status key_of(const sp_catalogue_entry *entry, char key[SP_HASH_HEX], sp_error *error)
{
    sp_hash hash;
    const sp_status status = key_start(&hash, &entry->options, error);
    if (status != SP_OK)
        return status;
    for (size_t i = 0; i < sp_part_count(entry); i++)
        sp_hash_text(&hash, entry->part[i].sha256);
    sp_hash_end_hex(&hash, key);
    return SP_OK;
}

sp_status sp_catalogue_present(const sp_catalogue_entry *entry, sp_error *error)
{
    char key[SP_HASH_HEX];
    sp_dataset cached;
    sp_status status = key_of(entry, key, error);
    if (status == SP_OK && sp_cache_load(key, &cached) == SP_OK) {
        sp_dataset_free(&cached);
        return SP_OK;
    }
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

static sp_status open_part(const sp_catalogue_entry *entry, const sp_catalogue_part *part, sp_content *content,
                           sp_error *error)
{
    sp_status status = SP_OK;
    char *path = NULL;
    bool own;
    SP_TRY(sp_part_locate(part, &path, &own, error));
    if (!path) {
        status = sp_part_absent(entry, part, error);
        goto cleanup;
    }
    SP_TRY(sp_part_read(part, path, NULL, content, error));
cleanup:
    free(path);
    return status;
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
    sp_content content[SP_PARTS_MAX] = { { 0 } };
    sp_source source[SP_PARTS_MAX];
    const size_t parts = sp_part_count(entry);
    *out = (sp_dataset){ 0 };
    SP_TRY(key_of(entry, key, error));
    if (sp_cache_load(key, out) == SP_OK)
        return SP_OK;
    for (size_t i = 0; i < parts; i++) {
        SP_TRY(open_part(entry, &entry->part[i], &content[i], error));
        source[i] = (sp_source){ entry->part[i].file, content[i].bytes, content[i].size };
    }
    SP_TRY(sp_read_dataset(source, parts, &entry->options, out, error));
    SP_TRY(check_counts(entry, out, error));
    sp_cache_keep(key, out);

cleanup:
    if (status != SP_OK) {
        sp_dataset_free(out);
        sp_fail_prefix(error, "%s", entry->name);
    }
    for (size_t i = 0; i < parts; i++)
        sp_content_free(&content[i]);
    return status;
}

sp_status sp_data_open_file(const char *path, const sp_read_options *options, sp_dataset *out, sp_error *error)
{
    sp_status status = SP_OK;
    const char *const name[] = { path, options->labels };
    const size_t files = options->labels ? 2 : 1;
    sp_content content[2] = { { 0 } };
    sp_source source[2];
    char key[SP_HASH_HEX];
    sp_hash hash;
    *out = (sp_dataset){ 0 };
    SP_TRY(key_start(&hash, options, error));
    for (size_t i = 0; i < files; i++) {
        SP_TRY(sp_content_map(name[i], &content[i], error));
        sp_hash_add(&hash, &content[i].size, sizeof content[i].size);
        sp_hash_add(&hash, content[i].bytes, content[i].size);
    }
    sp_hash_end_hex(&hash, key);
    if (sp_cache_load(key, out) == SP_OK)
        goto cleanup;
    for (size_t i = 0; i < files; i++) {
        SP_TRY(sp_content_unpack(name[i], NULL, &content[i], error));
        source[i] = (sp_source){ name[i], content[i].bytes, content[i].size };
    }
    SP_TRY(sp_read_dataset(source, files, options, out, error));
    sp_cache_keep(key, out);
cleanup:
    for (size_t i = 0; i < files; i++)
        sp_content_free(&content[i]);
    return status;
}
