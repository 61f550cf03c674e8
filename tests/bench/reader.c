/* reader.c -- how fast text becomes records. By hand, in a release build: cmake --build build --target bench &&
 * build/tests/bench_reader FILE, a libsvm text (covertype: bunzip2 of covtype.libsvm.binary.scale.bz2). The ratios tell
 * more than the megabytes a second: all lines are of one run on one machine. Reading is in seconds of the processor,
 * page faults included; opening in those of the clock on the wall. */
#include "core/data/catalogue.h"
#include "core/data/collect.h"
#include "core/data/formats.h"
#include "core/data/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIALS = 5 };

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double count_lines(const sp_content *c)
{
    size_t lines = 0;
    const char *at = c->bytes, *stop = c->bytes + c->size;
    while ((at = memchr(at, '\n', (size_t)(stop - at)))) {
        lines++;
        if (++at == stop)
            break;
    }
    return (double)lines;
}

/* What the C library alone would take: every number of the text by strtod. The content ends in a NUL. */
static double by_strtod(const sp_content *c)
{
    double sum = 0.0;
    for (char *at = (char *)c->bytes, *stop = at + c->size, *end; at < stop; at = end + 1) {
        sum += strtod(at, &end);
        if (end == at)
            end++;
    }
    return sum;
}

/* The numbers, and records of them, without a dataset around. */
static double parse(const sp_content *c)
{
    const sp_read_options options = { .format = SP_FORMAT_LIBSVM };
    const sp_source source = { "text", c->bytes, c->size };
    sp_error error = { 0 };
    sp_reading r = { .options = &options, .error = &error };
    if (sp_collect_start(&r.records, c->size / 2 + 1, c->size / 4 + 1, &error) != SP_OK ||
        sp_read_libsvm.read(&r, &source) != SP_OK)
        puts(error.text);
    const double entries = (double)r.records.entries;
    sp_collect_free(&r.records);
    return entries;
}

static double whole(const sp_content *c, sp_storage storage)
{
    const sp_source source = { "text", c->bytes, c->size };
    sp_dataset dataset;
    sp_error error = { 0 };
    if (sp_read_dataset(&source, 1, &(sp_read_options){ .storage = storage }, &dataset, &error) != SP_OK)
        puts(error.text);
    const double n = (double)dataset.n;
    sp_dataset_free(&dataset);
    return n;
}

static double sparse(const sp_content *c)
{
    return whole(c, SP_STORE_SPARSE);
}

static double dense(const sp_content *c)
{
    return whole(c, SP_STORE_DENSE);
}

static void report(const char *what, double (*run)(const sp_content *), const sp_content *c, double *base)
{
    double best = 1e9, value = 0.0;
    for (int trial = 0; trial < TRIALS; trial++) { /* the fastest: the others met something else on the machine */
        const double start = now(CLOCK_PROCESS_CPUTIME_ID);
        value = run(c);
        const double took = now(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = took < best ? took : best;
    }
    if (*base == 0.0)
        *base = best;
    printf("%-40s %9.2f ms %8.0f MB/s  x %6.2f  value %.8g\n", what, 1e3 * best, 1e-6 * (double)c->size / best,
           best / *base, value);
}

int main(int count, char **words)
{
    sp_content c;
    sp_error error = { 0 };
    double base = 0.0;
    if (count != 2 || sp_content_read(words[1], NULL, &c, &error) != SP_OK) {
        puts(count == 2 ? error.text : "bench_reader FILE (libsvm text)");
        return 1;
    }
    char *text = malloc(c.size + 1); /* strtod wants an end */
    if (!text)
        return 1;
    memcpy(text, c.bytes, c.size);
    text[c.size] = '\0';
    const sp_content copy = { text, c.size, text };
    report("lines found by memchr", count_lines, &c, &base);
    report("strtod alone", by_strtod, &copy, &base);
    report("parsed into records", parse, &c, &base);
    report("sparse dataset, norms, mean, hash", sparse, &c, &base);
    report("dense dataset, norms, mean, hash", dense, &c, &base);

    sp_dataset a = { 0 };
    for (int trial = 0; trial < 2; trial++) {
        const double start = now(CLOCK_MONOTONIC);
        if (sp_data_open_file(words[1], &(sp_read_options){ .storage = SP_STORE_SPARSE }, &a, &error) != SP_OK)
            puts(error.text);
        printf("%-40s %9.2f ms\n", trial ? "own file, cached (its bytes are hashed)" : "own file",
               1e3 * (now(CLOCK_MONOTONIC) - start));
        sp_dataset_free(&a);
    }
    const sp_catalogue_entry *entry = sp_catalogue_find("covtype");
    for (int trial = 0; trial < 2 && sp_catalogue_present(entry, NULL) == SP_OK; trial++) {
        const double start = now(CLOCK_MONOTONIC);
        if (sp_catalogue_open(entry, &a, &error) != SP_OK)
            puts(error.text);
        printf("%-40s %9.2f ms\n", trial ? "covtype by name, cached" : "covtype by name",
               1e3 * (now(CLOCK_MONOTONIC) - start));
        sp_dataset_free(&a);
    }
    sp_content_free(&c);
    free(text);
    return 0;
}
