/* open.c -- opens a data set by its name, or a user's file by its path: from the cache, or by reading and then caching
 * it.
 *
 *   fingerprint = SHA-256(the SHA-256 of each file that it is read from, in hexadecimal)
 *   key         = SHA-256(the reader's version, its options, the fingerprint) */
#include "core/data/read/catalogue.h"

#include "core/base/hash.h"
#include "core/data/read/cache.h"
#include "core/data/read/formats.h"
#include "core/data/read/read_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sp_catalogue_fingerprint(const sp_catalogue_entry *entry, char out[SP_HASH_HEX])
{
    sp_hash hash;
    sp_hash_start(&hash);
    for (size_t i = 0; i < sp_part_count(entry); i++)
        sp_hash_text(&hash, entry->part[i].sha256);
    sp_hash_end_hex(&hash, out);
}

static sp_status key_of(const sp_read_options *options, const char *fingerprint, char key[SP_HASH_HEX],
                        sp_error *error)
{
    sp_hash hash;
    sp_read_options o = *options;
    o.labels = NULL; /* the bytes of that file count, not where it is */
    char *text = sp_read_options_text(&o);
    if (!text)
        return sp_fail(error, SP_ENOMEM, "out of memory");
    sp_hash_start(&hash);
    sp_hash_add(&hash, &(uint32_t){ SP_READER_VERSION }, sizeof(uint32_t));
    sp_hash_text(&hash, text);
    sp_hash_text(&hash, fingerprint);
    sp_hash_end_hex(&hash, key);
    free(text);
    return SP_OK;
}

static sp_status key_of_entry(const sp_catalogue_entry *entry, char key[SP_HASH_HEX], sp_error *error)
{
    char fingerprint[SP_HASH_HEX];
    sp_catalogue_fingerprint(entry, fingerprint);
    return key_of(&entry->options, fingerprint, key, error);
}

sp_status sp_catalogue_present(const sp_catalogue_entry *entry, sp_error *error)
{
    char key[SP_HASH_HEX];
    sp_status status = key_of_entry(entry, key, error);
    if (status == SP_OK && sp_cache_has(key))
        return SP_OK;
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
    SP_TRY(key_of_entry(entry, key, error));
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

/* What the files of a user's data set are: their number, with their paths in name[2]. */
static size_t files_of(const char *path, const sp_read_options *options, const char *name[2])
{
    name[0] = path;
    name[1] = options->labels;
    return options->labels ? 2 : 1;
}

sp_status sp_data_file_fingerprint(const char *path, const sp_read_options *options, char out[SP_HASH_HEX],
                                   sp_error *error)
{
    sp_status status = SP_OK;
    const char *name[2];
    const size_t files = files_of(path, options, name);
    char hex[SP_HASH_HEX];
    sp_hash hash;
    sp_hash_start(&hash);
    for (size_t i = 0; i < files; i++) {
        SP_TRY(sp_content_hash(name[i], hex, error));
        sp_hash_text(&hash, hex);
    }
    sp_hash_end_hex(&hash, out);
cleanup:
    return status;
}

/* That of files in memory. */
static void fingerprint_of(const sp_content *content, size_t files, char out[SP_HASH_HEX])
{
    sp_hash whole, one;
    sp_hash_start(&whole);
    for (size_t i = 0; i < files; i++) {
        sp_hash_start(&one);
        sp_hash_add(&one, content[i].bytes, content[i].size);
        sp_hash_end_hex(&one, out);
        sp_hash_text(&whole, out);
    }
    sp_hash_end_hex(&whole, out);
}

/* What is now in memory has to be what was hashed before. */
static sp_status check_fingerprint(const char *path, const sp_content *content, size_t files, const char *fingerprint,
                                   sp_error *error)
{
    char hex[SP_HASH_HEX];
    fingerprint_of(content, files, hex);
    if (strcmp(hex, fingerprint) == 0)
        return SP_OK;
    return sp_fail(error, SP_EHASH, "%s: changed while it was in use (fingerprint %.12s, before %.12s): start again",
                   path, hex, fingerprint);
}

sp_status sp_data_guess_file(const char *path, unsigned open, sp_arena *arena, sp_read_options *options,
                             char out[SP_HASH_HEX], sp_seen *seen, sp_error *error)
{
    sp_status status = SP_OK;
    const char *name[2];
    const size_t files = files_of(path, options, name);
    sp_content content[2] = { { 0 } };
    sp_source source[2];
    for (size_t i = 0; i < files; i++) {
        status = sp_content_load(name[i], options->limit, &content[i], error);
        if (status != SP_OK && i > 0)
            sp_fail_prefix(error, "labels");
        SP_TRY(status);
    }
    fingerprint_of(content, files, out);
    for (size_t i = 0; i < files; i++) {
        SP_TRY(sp_content_unpack(name[i], NULL, options->limit, &content[i], error));
        source[i] = (sp_source){ name[i], content[i].bytes, content[i].size };
    }
    SP_TRY(sp_guess(source, files, open, arena, options, seen, error));
cleanup:
    for (size_t i = 0; i < files; i++)
        sp_content_free(&content[i]);
    return status;
}

sp_status sp_data_open_file(const char *path, const sp_read_options *options, const char *fingerprint, sp_dataset *out,
                            sp_error *error)
{
    sp_status status = SP_OK;
    const char *name[2];
    const size_t files = files_of(path, options, name);
    sp_content content[2] = { { 0 } };
    sp_source source[2];
    char key[SP_HASH_HEX];
    *out = (sp_dataset){ 0 };
    SP_TRY(key_of(options, fingerprint, key, error));
    if (sp_cache_load(key, out) == SP_OK)
        return SP_OK;
    for (size_t i = 0; i < files; i++)
        SP_TRY(sp_content_load(name[i], options->limit, &content[i], error));
    SP_TRY(check_fingerprint(path, content, files, fingerprint, error));
    for (size_t i = 0; i < files; i++) {
        SP_TRY(sp_content_unpack(name[i], NULL, options->limit, &content[i], error));
        source[i] = (sp_source){ name[i], content[i].bytes, content[i].size };
    }
    SP_TRY(sp_read_dataset(source, files, options, out, error));
    sp_cache_keep(key, out);
cleanup:
    for (size_t i = 0; i < files; i++)
        sp_content_free(&content[i]);
    return status;
}
