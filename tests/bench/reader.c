/* reader.c -- how fast a libsvm text becomes records: `bench_reader FILE` (covertype: bunzip2 of
 * covtype.libsvm.binary.scale.bz2). Page faults are counted, but a run that is not counted goes before: where a
 * hypervisor takes free memory back, what was freed seconds ago costs ten times as much to touch. */
#include "core/data/read/catalogue.h"
#include "core/data/read/collect.h"
#include "core/data/read/formats.h"
#include "core/data/read/reader.h"
#include "tests/bench/bench.h"

enum { ROUNDS = 11 };
static volatile double sink;

/* A time of a reading that failed is no figure. */
static void give_up(const sp_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

static void count_lines(void *context)
{
    const sp_content *c = context;
    volatile size_t lines = 0;
    const char *at = c->bytes, *stop = c->bytes + c->size;
    while ((at = memchr(at, '\n', (size_t)(stop - at)))) {
        lines++;
        if (++at == stop)
            break;
    }
}

/* What the C library alone would take: every number of the text by strtod. The content ends in a NUL. */
static void by_strtod(void *context)
{
    const sp_content *c = context;
    for (char *at = (char *)c->bytes, *stop = at + c->size, *end; at < stop; at = end + 1) {
        sink = strtod(at, &end);
        if (end == at)
            end++;
    }
}

/* The numbers, and records of them, without a dataset around. */
static void parse(void *context)
{
    const sp_content *c = context;
    const sp_read_options options = { .format = SP_FORMAT_LIBSVM };
    const sp_source source = { "text", c->bytes, c->size };
    sp_error error = { 0 };
    sp_reading r = { .options = &options, .error = &error, .limit = sp_content_limit(0) };
    if (sp_collect_start(&r.records, c->size / 2 + 1, c->size / 4 + 1, &error) != SP_OK ||
        sp_read_libsvm.read(&r, &source) != SP_OK)
        give_up(&error);
    sp_collect_free(&r.records);
}

static void whole(const sp_content *c, sp_storage storage)
{
    const sp_source source = { "text", c->bytes, c->size };
    sp_dataset dataset;
    sp_error error = { 0 };
    if (sp_read_dataset(&source, 1, &(sp_read_options){ .storage = storage }, &dataset, &error) != SP_OK)
        give_up(&error);
    sp_dataset_free(&dataset);
}

static void sparse(void *context)
{
    whole(context, SP_STORE_SPARSE);
}

static void dense(void *context)
{
    whole(context, SP_STORE_DENSE);
}

static double second(void (*run)(void *), void *context, size_t runs)
{
    run(context);
    const double start = bench_processor();
    for (size_t i = 0; i < runs; i++)
        run(context);
    return bench_processor() - start;
}

static double parse_again(void *context, size_t runs)
{
    return second(parse, context, runs);
}

static double sparse_again(void *context, size_t runs)
{
    return second(sparse, context, runs);
}

static double dense_again(void *context, size_t runs)
{
    return second(dense, context, runs);
}

/* From the cache that a first opening leaves, if it was not there. */
static void open_file(void *context)
{
    const sp_read_options options = { .storage = SP_STORE_SPARSE };
    char fingerprint[SP_HASH_HEX];
    sp_dataset dataset = { 0 };
    sp_error error = { 0 };
    if (sp_data_file_fingerprint(context, &options, fingerprint, &error) != SP_OK ||
        sp_data_open_file(context, &options, fingerprint, &dataset, &error) != SP_OK)
        give_up(&error);
    sp_dataset_free(&dataset);
}

static void open_covtype(void *context)
{
    sp_dataset dataset = { 0 };
    sp_error error = { 0 };
    if (sp_catalogue_open(context, &dataset, &error) != SP_OK)
        give_up(&error);
    sp_dataset_free(&dataset);
}

int main(int count, char **words)
{
    sp_content c;
    sp_error error = { 0 };
    const sp_catalogue_entry *covtype = sp_catalogue_find("covtype");
    bench_start(words);
    if (count != 2 || sp_content_read(words[1], NULL, 0, &c, &error) != SP_OK) {
        fprintf(stderr, "%s\n", count == 2 ? error.text : "bench_reader FILE (libsvm text)");
        return 1;
    }
    char *text = malloc(c.size + 1); /* strtod wants an end */
    if (!text)
        return 1;
    memcpy(text, c.bytes, c.size);
    text[c.size] = '\0';
    sp_content copy = { text, c.size, text };
    const double size = (double)c.size;
    bench_lap lap[] = { { .timed = parse_again, .context = &c, .work = size },
                        { .timed = sparse_again, .context = &c, .work = size },
                        { .timed = dense_again, .context = &c, .work = size } };
    bench_race(lap, 3, ROUNDS);
    bench_rate("libsvm text into records", 700.0, "MB/s", 1e-6, &lap[0]);
    bench_rate("  into a sparse dataset: checks, norms, mean", 500.0, "MB/s", 1e-6, &lap[1]);
    bench_rate("  into a dense dataset", 400.0, "MB/s", 1e-6, &lap[2]);
    bench_lap plain[] = { { .run = count_lines, .context = &c, .work = size },
                          { .run = by_strtod, .context = &copy, .work = size } };
    bench_race(plain, 2, ROUNDS / 2);
    bench_rate("  its lines found by memchr", 0.0, "MB/s", 1e-6, &plain[0]);
    bench_rate("  its numbers by strtod", 0.0, "MB/s", 1e-6, &plain[1]);

    bench_lap cached[] = { { .run = open_file, .context = words[1] },
                           { .run = open_covtype, .context = (void *)covtype } };
    const bool present = sp_catalogue_present(covtype, NULL) == SP_OK;
    bench_race(cached, present ? 2 : 1, ROUNDS / 2);
    bench_time("own file, cached (its bytes are hashed)", 0.0, "ms", 1e3, &cached[0]);
    if (present)
        bench_time("covtype by name, cached", 0.0, "ms", 1e3, &cached[1]);
    sp_content_free(&c);
    free(text);
    return 0;
}
