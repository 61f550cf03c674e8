/*
 * records.c -- provides the records of a run (records.h), and keeps them for later runs.
 *
 * Real data is read once as it is in its files (raw), then shuffled, split and normalised once per (seed, data,
 * replicate): "shaped". A worker inherits the memory when it is forked, and keeps it when the parent frees its copy. So
 * the pool may drop the records used longest ago: all shaped records together stay below a quarter of the machine's
 * memory (the newest are always kept). The records are in the memory of the process, so later changes of a file affect
 * no run.
 *
 * Fresh records that represent the distribution are also made once per problem and kept. The truth behind generated
 * records (w*, ...) belongs to the problem: replicates and sizes share it, and each has its own records.
 *
 * Generated records are made by the process that needs them, which keeps the last ones: cells that differ only in the
 * loss or the method use the same records, and the queue runs such cells one after the other. Generated records are
 * identified by a hash of what they are made from, not of their content. */
#include "core/run/records.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct raw_data {
    char *key; /* raw_key or population_key */
    sp_dataset records;
} raw_data;

typedef struct shaped_data {
    char *key;              /* shaped_key */
    sp_dataset train, test; /* test is { 0 } when no records are held out */
    size_t used;            /* the pool's tick at the last use */
} shaped_data;

struct sp_data_pool {
    raw_data *raw;        /* raws data sets as read */
    raw_data *population; /* populations sets of fresh records */
    shaped_data *shaped;  /* shapes splits */
    sp_dataset generated; /* what the last run met whose records are generated, or { 0 } */
    size_t raws, populations, shapes;
    size_t additions;     /* so many splits and populations were ever added */
    size_t tick;          /* so many times a split was asked for */
};

size_t sp_records_replicate(const sp_cell *cell, size_t replicate)
{
    return cell->resample ? replicate : 0;
}

/* --- keys -------------------------------------------------------------------------------------------------- */

static char *raw_key(const sp_problem_spec *spec)
{
    if (spec->data == SP_DATA_CATALOGUE)
        return sp_format("catalogue %s\n%s", spec->entry->name, spec->options_text);
    return sp_format("file %s\n%s", spec->path, spec->options_text);
}

/* Cells share records that have been through the same map. */
static const char *map_name(const sp_problem_spec *spec)
{
    const sp_record_map *map = sp_loss_map(spec->loss);
    return map ? map->name : "-";
}

static char *shaped_key(const sp_cell *cell, const sp_problem_spec *spec, size_t replicate)
{
    char *text = sp_cell_problem_text(cell, SP_AXES_RECORDS);
    char *key = text ? sp_format("%s\n%s %d %s %llu %zu", text, sp_storage_names[spec->storage], spec->shape.choose,
                                 map_name(spec), (unsigned long long)cell->seed, sp_records_replicate(cell, replicate))
                     : NULL;
    free(text);
    return key;
}

/* Is the population stored as the training records are? */
static bool stored_alike(const sp_problem_spec *spec)
{
    return spec->population == SP_POPULATION_FRESH && (sp_loss_map(spec->loss) || spec->storage == SP_STORE_MOMENTS);
}

static char *population_key(const sp_cell *cell, const sp_problem_spec *spec)
{
    char *text = sp_cell_problem_text(cell, SP_AXES_TRUTH);
    char *key = text ? sp_format("%s\n%s %s %llu %d %zu", text, map_name(spec),
                                 stored_alike(spec) ? sp_storage_names[spec->storage] : "-",
                                 (unsigned long long)cell->seed, (int)spec->population, spec->population_size)
                     : NULL;
    free(text);
    return key;
}

static sp_dataset *find(raw_data *list, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].key, key) == 0)
            return &list[i].records;
    return NULL;
}

/* Takes *added over. */
static sp_status keep(raw_data **list, size_t *count, raw_data *added, sp_error *error)
{
    raw_data *grown = realloc(*list, (*count + 1) * sizeof *grown);
    if (!grown)
        return sp_fail(error, SP_ENOMEM, "records: out of memory");
    *list = grown;
    grown[(*count)++] = *added;
    *added = (raw_data){ 0 };
    return SP_OK;
}

static void free_list(raw_data *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].key);
        sp_dataset_free(&list[i].records);
    }
    free(list);
}

size_t sp_data_pool_additions(const sp_data_pool *pool)
{
    return pool->additions;
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
    free(pool->shaped);
    free_list(pool->raw, pool->raws);
    free_list(pool->population, pool->populations);
    sp_dataset_free(&pool->generated);
    free(pool);
}

static sp_status open_raw(sp_data_pool *pool, const sp_problem_spec *spec, sp_error *error)
{
    sp_status status = SP_OK;
    raw_data added = { .key = raw_key(spec) };
    if (!added.key)
        return sp_fail(error, SP_ENOMEM, "records: out of memory");
    if (find(pool->raw, pool->raws, added.key))
        goto cleanup;
    if (spec->data == SP_DATA_CATALOGUE)
        SP_TRY(sp_catalogue_open(spec->entry, &added.records, error));
    else
        SP_TRY(sp_data_open_file(spec->path, &spec->options, spec->fingerprint, &added.records, error));
    SP_TRY(keep(&pool->raw, &pool->raws, &added, error));

cleanup:
    free(added.key);
    sp_dataset_free(&added.records);
    return status;
}

sp_status sp_data_pool_open(sp_data_pool *pool, const sp_cell *cell, sp_error *error)
{
    const sp_problem_spec *spec = cell->problem;
    return spec->data == SP_DATA_GENERATED ? SP_OK : open_raw(pool, spec, error);
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

static sp_status make_population(const sp_cell *cell, const sp_problem_spec *spec, sp_dataset *out, sp_error *error)
{
    sp_stream_key truth, records;
    if (sp_cell_stream(cell, SP_AXES_TRUTH, 0, SP_STREAM_TRUTH, &truth) != SP_OK ||
        sp_cell_stream(cell, SP_AXES_TRUTH, 0, SP_STREAM_POPULATION, &records) != SP_OK)
        return sp_fail(error, SP_ENOMEM, "records: out of memory");
    const sp_record_map *map = sp_loss_map(spec->loss);
    const sp_status status =
        stored_alike(spec)
            ? sp_generate(spec->generator, spec->generator_values, spec->storage, spec->population_size,
                          spec->features, truth, records, out, error)
            : sp_generate_population(spec->generator, spec->generator_values, spec->population == SP_POPULATION_EXACT,
                                     spec->population_size, spec->features, truth, records, out, error);
    return status == SP_OK ? sp_dataset_map(out, map, error) : status;
}

static sp_status prepare_population(sp_data_pool *pool, const sp_cell *cell, const sp_problem_spec *spec,
                                    sp_error *error)
{
    sp_status status = SP_OK;
    raw_data added = { .key = population_key(cell, spec) };
    if (!added.key)
        return sp_fail(error, SP_ENOMEM, "records: out of memory");
    if (find(pool->population, pool->populations, added.key))
        goto cleanup;
    SP_TRY(make_population(cell, spec, &added.records, error));
    SP_TRY(keep(&pool->population, &pool->populations, &added, error));
    pool->additions++;

cleanup:
    free(added.key);
    sp_dataset_free(&added.records);
    return status;
}

static sp_status prepare_split(sp_data_pool *pool, const sp_cell *cell, const sp_problem_spec *spec, size_t replicate,
                               sp_error *error)
{
    sp_status status = SP_OK;
    gsl_rng *stream = NULL;
    sp_stream_key key;
    shaped_data *grown = NULL, *found = NULL;
    char *raw = raw_key(spec);
    shaped_data added = { .key = shaped_key(cell, spec, replicate), .used = ++pool->tick };
    if (!raw || !added.key) {
        status = sp_fail(error, SP_ENOMEM, "records: out of memory");
        goto cleanup;
    }
    if ((found = find_shaped(pool, added.key))) {
        found->used = pool->tick;
        goto cleanup;
    }
    SP_TRY(open_raw(pool, spec, error));
    if (sp_cell_stream(cell, SP_AXES_RECORDS, sp_records_replicate(cell, replicate), SP_STREAM_DATA, &key) == SP_OK)
        stream = sp_stream_open(key);
    grown = realloc(pool->shaped, (pool->shapes + 1) * sizeof *grown);
    if (grown)
        pool->shaped = grown;
    if (!stream || !grown) {
        status = sp_fail(error, SP_ENOMEM, "records: out of memory");
        goto cleanup;
    }
    SP_TRY(sp_dataset_shape(find(pool->raw, pool->raws, raw), &spec->shape, stream, &added.train, &added.test, error));
    SP_TRY(sp_dataset_map(&added.train, sp_loss_map(spec->loss), error));
    if (added.test.n > 0)
        SP_TRY(sp_dataset_map(&added.test, sp_loss_map(spec->loss), error));
    pool->shaped[pool->shapes++] = added;
    pool->additions++;
    added = (shaped_data){ 0 };
    shrink(pool);

cleanup:
    free_shaped(&added);
    free(raw);
    if (stream)
        gsl_rng_free(stream);
    return status;
}

sp_status sp_data_pool_prepare(sp_data_pool *pool, const sp_cell *cell, size_t replicate, sp_error *error)
{
    const sp_problem_spec *spec = cell->problem;
    if (spec->data != SP_DATA_GENERATED)
        return prepare_split(pool, cell, spec, replicate, error);
    return spec->population != SP_POPULATION_NONE ? prepare_population(pool, cell, spec, error) : SP_OK;
}

/* --- the records of a run ---------------------------------------------------------------------------------- */

/* *kept is what it was, or { 0 }, and becomes what the replicate meets. */
static sp_status generate(const sp_cell *cell, const sp_problem_spec *spec, size_t replicate, sp_dataset *kept,
                          sp_error *error)
{
    sp_stream_key truth, records;
    if (sp_cell_stream(cell, SP_AXES_TRUTH, 0, SP_STREAM_TRUTH, &truth) != SP_OK ||
        sp_cell_stream(cell, SP_AXES_RECORDS, replicate, SP_STREAM_DATA, &records) != SP_OK)
        return sp_fail(error, SP_ENOMEM, "records: out of memory");
    const sp_record_map *map = sp_loss_map(spec->loss);
    char content[SP_HASH_HEX];
    sp_generated_content(spec->generator, spec->generator_values, spec->storage, spec->n, spec->features,
                         truth, records, content);
    sp_mapped_content(map, content);
    if (strcmp(kept->content, content) == 0)
        return SP_OK;
    sp_dataset_free(kept); /* never both */
    const sp_status status = sp_generate(spec->generator, spec->generator_values, spec->storage, spec->n,
                                         spec->features, truth, records, kept, error);
    return status == SP_OK ? sp_dataset_map(kept, map, error) : status;
}

static sp_status take_population(const sp_data_pool *pool, const sp_cell *cell, const sp_problem_spec *spec,
                                 sp_record_set *out, sp_error *error)
{
    if (spec->population == SP_POPULATION_NONE)
        return SP_OK;
    char *key = population_key(cell, spec);
    if (!key)
        return sp_fail(error, SP_ENOMEM, "records: out of memory");
    out->population = pool ? find(pool->population, pool->populations, key) : NULL;
    free(key);
    return out->population ? SP_OK : sp_fail(error, SP_EINVAL, "records: the population was not prepared");
}

sp_status sp_record_set_make(sp_data_pool *pool, const sp_cell *cell, size_t replicate, sp_record_set *out,
                             sp_error *error)
{
    sp_status status = SP_OK;
    const sp_problem_spec *spec = cell->problem;
    *out = (sp_record_set){ 0 };
    if (spec->data == SP_DATA_GENERATED) {
        sp_dataset *kept = pool ? &pool->generated : &out->own;
        out->train = kept;
        SP_TRY(take_population(pool, cell, spec, out, error));
        return generate(cell, spec, replicate, kept, error);
    }
    char *key = shaped_key(cell, spec, replicate);
    if (!key)
        return sp_fail(error, SP_ENOMEM, "records: out of memory");
    const shaped_data *found = pool ? find_shaped(pool, key) : NULL;
    free(key);
    if (!found)
        return sp_fail(error, SP_EINVAL, "records: the data of replicate %zu were not prepared", replicate);
    out->train = &found->train;
    out->test = found->test.n > 0 ? &found->test : NULL;
    if (spec->population == SP_POPULATION_TEST)
        out->population = out->test;
cleanup:
    return status;
}

void sp_record_set_free(sp_record_set *set)
{
    sp_dataset_free(&set->own);
    *set = (sp_record_set){ 0 };
}
