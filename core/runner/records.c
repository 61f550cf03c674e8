/*
 * records.c -- the records that a run meets.
 *
 * Real data are mapped once (raw), then shuffled, split and normalised once a (seed, data, replicate) into shared
 * mappings. A worker inherits the mapping at its fork and keeps it when the parent lets go, so the pool may drop
 * what was used longest ago: shaped records together stay below a quarter of the machine's memory (the newest
 * always stays). */
#include "core/runner/records.h"

#include "core/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct raw_data {
    char *key;
    sp_dataset records;
} raw_data;

typedef struct shaped_data {
    char *key;
    sp_dataset train, test;
    size_t used; /* tick of the last use */
} shaped_data;

struct sp_data_pool {
    raw_data *raw;
    shaped_data *shaped;
    size_t raws, shapes, tick;
};

size_t sp_records_replicate(const sp_problem_spec *spec, size_t replicate)
{
    return spec->data == SP_DATA_GENERATED || spec->resample ? replicate : 0;
}

/* --- keys -------------------------------------------------------------------------------------------------- */

static char *raw_key(const sp_problem_spec *spec)
{
    if (spec->data == SP_DATA_CATALOGUE)
        return sp_format("catalogue %s", spec->entry->name);
    const sp_read_options *o = &spec->options;
    return sp_format("file %s\n%d %zu %d %d %ld %d %s", spec->path, (int)o->format, o->d, o->delimiter, o->header,
                     o->label_column, o->regression, o->positive ? o->positive : "");
}

static char *shaped_key(const sp_cell *cell, size_t replicate)
{
    return sp_format("%s\n%llu %zu", cell->data_text, (unsigned long long)cell->seed,
                     sp_records_replicate(&cell->problem, replicate));
}

static sp_dataset *find_raw(const sp_data_pool *pool, const char *key)
{
    for (size_t i = 0; i < pool->raws; i++)
        if (strcmp(pool->raw[i].key, key) == 0)
            return &pool->raw[i].records;
    return NULL;
}

static shaped_data *find_shaped(const sp_data_pool *pool, const char *key)
{
    for (size_t i = 0; i < pool->shapes; i++)
        if (strcmp(pool->shaped[i].key, key) == 0)
            return &pool->shaped[i];
    return NULL;
}

/* --- pool -------------------------------------------------------------------------------------------------- */

sp_status sp_data_pool_new(sp_data_pool **out)
{
    *out = sp_alloc(1, sizeof **out);
    return *out ? SP_OK : SP_ENOMEM;
}

static void free_shaped(shaped_data *shaped)
{
    free(shaped->key);
    sp_dataset_free(&shaped->train);
    sp_dataset_free(&shaped->test);
}

void sp_data_pool_free(sp_data_pool *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < pool->shapes; i++)
        free_shaped(&pool->shaped[i]);
    for (size_t i = 0; i < pool->raws; i++) {
        free(pool->raw[i].key);
        sp_dataset_free(&pool->raw[i].records);
    }
    free(pool->shaped);
    free(pool->raw);
    free(pool);
}

sp_status sp_data_pool_open(sp_data_pool *pool, const sp_cell *cell, sp_error *error)
{
    const sp_problem_spec *spec = &cell->problem;
    if (spec->data == SP_DATA_GENERATED)
        return SP_OK;

    sp_status status = SP_OK;
    raw_data added = { .key = raw_key(spec) };
    raw_data *grown = NULL;
    if (!added.key)
        return sp_fail(error, SP_ENOMEM, "records: out of memory");
    if (find_raw(pool, added.key))
        goto cleanup;
    if (spec->data == SP_DATA_CATALOGUE)
        SP_TRY(sp_catalogue_open(spec->entry, &added.records, error));
    else
        SP_TRY(sp_data_open_file(spec->path, &spec->options, &added.records, error));
    grown = realloc(pool->raw, (pool->raws + 1) * sizeof *grown);
    if (!grown) {
        status = sp_fail(error, SP_ENOMEM, "records: out of memory");
        goto cleanup;
    }
    pool->raw = grown;
    pool->raw[pool->raws++] = added;
    return SP_OK;

cleanup:
    free(added.key);
    sp_dataset_free(&added.records);
    return status;
}

static size_t size_of(const shaped_data *shaped)
{
    return shaped->train.mapping_size + shaped->test.mapping_size;
}

/* Lets go of what was used longest ago until the rest fits; never of the newest. */
static void shrink(sp_data_pool *pool)
{
    const size_t allowed = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 4;
    for (;;) {
        size_t total = 0, oldest = 0;
        for (size_t i = 0; i < pool->shapes; i++) {
            total += size_of(&pool->shaped[i]);
            if (pool->shaped[i].used < pool->shaped[oldest].used)
                oldest = i;
        }
        if (total <= allowed || pool->shapes <= 1)
            return;
        free_shaped(&pool->shaped[oldest]);
        pool->shaped[oldest] = pool->shaped[--pool->shapes];
    }
}

sp_status sp_data_pool_prepare(sp_data_pool *pool, const sp_cell *cell, size_t replicate, sp_error *error)
{
    const sp_problem_spec *spec = &cell->problem;
    if (spec->data == SP_DATA_GENERATED)
        return SP_OK;

    sp_status status = SP_OK;
    gsl_rng *stream = NULL;
    shaped_data *grown = NULL, *found = NULL;
    char *raw = raw_key(spec);
    shaped_data added = { .key = shaped_key(cell, replicate), .used = ++pool->tick };
    if (!raw || !added.key) {
        status = sp_fail(error, SP_ENOMEM, "records: out of memory");
        goto cleanup;
    }
    if ((found = find_shaped(pool, added.key))) {
        found->used = pool->tick;
        goto cleanup;
    }
    SP_TRY(sp_data_pool_open(pool, cell, error));
    stream = sp_stream_open(sp_stream_key_of(cell->seed, cell->data_text, sp_records_replicate(spec, replicate),
                                             SP_STREAM_DATA));
    grown = realloc(pool->shaped, (pool->shapes + 1) * sizeof *grown);
    if (grown)
        pool->shaped = grown;
    if (!stream || !grown) {
        status = sp_fail(error, SP_ENOMEM, "records: out of memory");
        goto cleanup;
    }
    SP_TRY(sp_dataset_shape(find_raw(pool, raw), &spec->shape, stream, &added.train, &added.test, error));
    pool->shaped[pool->shapes++] = added;
    added = (shaped_data){ 0 };
    shrink(pool);

cleanup:
    free_shaped(&added);
    free(raw);
    if (stream)
        gsl_rng_free(stream);
    return status;
}

/* --- the records of a run ---------------------------------------------------------------------------------- */

static sp_status generate(const sp_cell *cell, size_t replicate, sp_dataset *out, sp_error *error)
{
    const sp_problem_spec *spec = &cell->problem;
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(cell->seed, cell->data_text, replicate, SP_STREAM_DATA));
    if (!stream)
        return sp_fail(error, SP_ENOMEM, "records: out of memory");
    const sp_status status = sp_generate(spec->generator, &spec->generator_values, spec->certified.n, spec->certified.d,
                                         stream, out, error);
    gsl_rng_free(stream);
    return status;
}

sp_status sp_record_set_make(const sp_data_pool *pool, const sp_cell *cell, size_t replicate, sp_record_set *out,
                             sp_error *error)
{
    *out = (sp_record_set){ 0 };
    if (cell->problem.data == SP_DATA_GENERATED) {
        out->train = &out->own;
        return generate(cell, replicate, &out->own, error);
    }
    char *key = shaped_key(cell, replicate);
    if (!key)
        return sp_fail(error, SP_ENOMEM, "records: out of memory");
    const shaped_data *found = pool ? find_shaped(pool, key) : NULL;
    free(key);
    if (!found)
        return sp_fail(error, SP_EINVAL, "records: the data of replicate %zu were not prepared", replicate);
    out->train = &found->train;
    out->test = found->test.n > 0 ? &found->test : NULL;
    return SP_OK;
}

void sp_record_set_free(sp_record_set *set)
{
    sp_dataset_free(&set->own);
    *set = (sp_record_set){ 0 };
}

/* --- where they come from ---------------------------------------------------------------------------------- */

static sp_status hash_file(sp_hash *hash, const char *path, sp_error *error)
{
    enum { BLOCK = 1 << 16 };
    sp_status status = SP_OK;
    char *block = malloc(BLOCK);
    FILE *file = fopen(path, "rb");
    if (!block || !file) {
        status = file ? sp_fail(error, SP_ENOMEM, "records: out of memory")
                      : sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
        goto cleanup;
    }
    size_t got;
    while ((got = fread(block, 1, BLOCK, file)) > 0)
        sp_hash_add(hash, block, got);
    if (ferror(file))
        status = sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));

cleanup:
    if (file)
        fclose(file);
    free(block);
    return status;
}

sp_status sp_data_fingerprint(const sp_problem_spec *spec, char out[SP_HASH_HEX], sp_error *error)
{
    sp_hash hash;
    sp_hash_start(&hash);
    out[0] = '\0';
    switch (spec->data) {
    case SP_DATA_GENERATED:
        return SP_OK;
    case SP_DATA_CATALOGUE:
        for (size_t i = 0; i < SP_PARTS_MAX && spec->entry->part[i].sha256; i++)
            sp_hash_text(&hash, spec->entry->part[i].sha256);
        break;
    case SP_DATA_FILE: {
        const sp_status status = hash_file(&hash, spec->path, error);
        if (status != SP_OK)
            return status;
        break;
    }
    }
    sp_hash_end_hex(&hash, out);
    return SP_OK;
}
