/* dataset.c -- the block, the seal, what is taken from it, the cache, and the shaping of real records. */
#include "core/numeric/stream.h"
#include "core/data/read/cache.h"
#include "core/data/rows.h"
#include "tests/storages.h"

#include <float.h>
#include <gsl/gsl_randist.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static gsl_rng *stream_of(uint64_t replicate)
{
    return sp_stream_open(sp_stream_key_of(2385, "dataset", replicate, SP_STREAM_DATA));
}

static sp_dataset fresh(size_t n, size_t d, bool labels, bool mapped, double **X, double **y)
{
    sp_dataset dataset;
    CHECK_EQUAL(sp_dataset_new(SP_STORE_DENSE, n, d, 0, labels, mapped, &dataset, NULL), SP_OK);
    *X = sp_dataset_X(&dataset);
    *y = sp_dataset_y(&dataset);
    return dataset;
}

/* --- the block ----------------------------------------------------------------------------------------------- */

static void test_new(void)
{
    double *X, *y;
    for (int mapped = 0; mapped < 2; mapped++) {
        sp_dataset dataset = fresh(11, 5, true, mapped, &X, &y);
        CHECK(dataset.n == 11 && dataset.d == 5 && dataset.stride >= 5 && X == dataset.X && y == dataset.y);
        CHECK_EQUAL(dataset.mapped, mapped);
        for (size_t i = 0; i < 11; i++) {
            CHECK(y[i] == 0.0 && X[i * dataset.stride] == 0.0 && X[i * dataset.stride + 4] == 0.0);
            y[i] = 1.0;
            for (size_t j = 0; j < 5; j++)
                X[i * dataset.stride + j] = 0.25;
        }
        CHECK_EQUAL(sp_dataset_seal(&dataset, 1.0, 1.0, NULL), SP_OK); /* writes norms and means between them */
        for (size_t i = 0; i < 11; i++)
            CHECK(y[i] == 1.0 && X[i * dataset.stride] == 0.25 && X[i * dataset.stride + 4] == 0.25);
        sp_dataset_free(&dataset);
        CHECK(dataset.X == NULL && dataset.mapping == NULL && dataset.n == 0);
        sp_dataset_free(&dataset); /* { 0 } is allowed */
    }
    sp_dataset bare = fresh(3, 2, false, false, &X, &y);
    CHECK(y == NULL && bare.y == NULL);
    CHECK_EQUAL((uintptr_t)bare.X % 64, 0);
    sp_dataset_free(&bare);
}

static void test_sizes_refused(void)
{
    const struct { sp_storage storage; size_t n, d, entries; const char *message; } bad[] = {
        { SP_STORE_DENSE, 0, 3, 0, "n = 0, d = 3" },
        { SP_STORE_DENSE, 3, 0, 0, "n = 3, d = 0" },
        { SP_STORE_DENSE, 100000, 10000000, 0, "n = 100000, d = 10000000, dense: too large" },
        { SP_STORE_DENSE, SIZE_MAX / 4, 8, 0, "too large" },
        { SP_STORE_DENSE, 8, SIZE_MAX / 4, 0, "too large" },
        { SP_STORE_DENSE, (size_t)1 << 32, 1, 0, "too large" },
        { SP_STORE_SIGNS, 10000000, 1000000, 0, "signs: too large" },
        { SP_STORE_SPARSE, 8, 8, (size_t)1 << 33, "sparse: too large" },
        { SP_STORE_SPARSE, 8, 8, SIZE_MAX / 2, "sparse: too large" },
        { SP_STORE_SPARSE, 8, (size_t)1 << 32, 8, "sparse: too large" },
        { SP_STORE_INDEXED, (size_t)1 << 32, 8, 0, "indexed: too large" },
        { SP_STORE_INDEXED, 0, 8, 0, "n = 0, d = 8" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_dataset dataset;
        sp_error error = { 0 };
        CHECK_EQUAL(sp_dataset_new(bad[i].storage, bad[i].n, bad[i].d, bad[i].entries, true, true, &dataset, &error),
                    SP_EINVAL);
        CHECK_CONTAINS(error.text, bad[i].message);
        CHECK(dataset.mapping == NULL);
    }
    CHECK_EQUAL(sp_dataset_check(SP_STORE_SIGNS, 100000, 1000000, 0, NULL), SP_OK); /* dense, 800 GB */
    CHECK_EQUAL(sp_dataset_check(SP_STORE_INDEXED, 4000000000, 1000000, 0, NULL), SP_OK);
    CHECK_EQUAL(sp_dataset_check(SP_STORE_SPARSE, 1000, 4000000000, 5000, NULL), SP_OK);
}

/* A worker keeps what it has inherited, also when its parent lets go of it and takes memory for something else. */
static void test_inherited(void)
{
    enum { N = 70001, D = 6 }; /* more than one huge page */
    double *X, *y;
    int told[2] = { -1, -1 };
    char go = 0;
    sp_dataset dataset = fresh(N, D, false, true, &X, &y);
    for (size_t i = 0; i < N; i++)
        X[i * dataset.stride + i % D] = 2.385 + (double)i;
    CHECK_EQUAL(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
        bool same = read(told[0], &go, 1) == 1;
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < D; j++)
                same = same && X[i * dataset.stride + j] == (j == i % D ? 2.385 + (double)i : 0.0);
        _exit(!same);
    }
    sp_dataset_free(&dataset);
    dataset = fresh(N, D, false, true, &X, &y);
    memset(X, 0x55, N * dataset.stride * sizeof *X);
    int code = -1;
    CHECK_EQUAL(write(told[1], &go, 1), 1);
    CHECK(waitpid(child, &code, 0) == child && WIFEXITED(code) && WEXITSTATUS(code) == 0);
    sp_dataset_free(&dataset);
    close(told[0]);
    close(told[1]);
}

/* --- the seal ------------------------------------------------------------------------------------------------ */

static void test_norms_and_mean(void)
{
    enum { N = 257, D = 6 };
    gsl_rng *stream = stream_of(0);
    double *X, *y;
    long double mean[D] = { 0.0L };
    sp_dataset dataset = fresh(N, D, true, false, &X, &y);
    for (size_t i = 0; i < N; i++) {
        y[i] = gsl_ran_flat(stream, -3.5, 3.5);
        for (size_t j = 0; j < D; j++) {
            X[i * dataset.stride + j] = gsl_ran_gaussian(stream, 0.5);
            mean[j] += X[i * dataset.stride + j];
        }
    }
    CHECK_EQUAL(sp_dataset_seal(&dataset, 7.25, 3.5, NULL), SP_OK);
    CHECK(dataset.radius == 7.25 && dataset.label_bound == 3.5);
    for (size_t i = 0; i < N; i++) {
        long double sum = 0.0L;
        for (size_t j = 0; j < D; j++)
            sum += (long double)X[i * dataset.stride + j] * X[i * dataset.stride + j];
        CHECK_NEAR(dataset.norm[i], (double)sqrtl(sum), 1e-15 * D);
    }
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(dataset.mean[j], (double)(mean[j] / N), 1e-15);
    sp_dataset_free(&dataset);
    gsl_rng_free(stream);
}

static void test_extreme_norms(void)
{
    double *X, *y;
    sp_dataset dataset = fresh(3, 2, false, false, &X, &y);
    const double row[3][2] = { { 3e200, 4e200 }, { 3e-200, -4e-200 }, { 0.0, 0.0 } };
    for (size_t i = 0; i < 3; i++)
        memcpy(X + i * dataset.stride, row[i], sizeof row[i]);
    CHECK_EQUAL(sp_dataset_seal(&dataset, 1e201, 0.0, NULL), SP_OK);
    CHECK_NEAR(dataset.norm[0], 5e200, 1e186);
    CHECK_NEAR(dataset.norm[1], 5e-200, 1e-214);
    CHECK_NEAR(dataset.norm[2], 0.0, 0.0);
    sp_dataset_free(&dataset);
}

/* 20 x 4 of halves (norm 1) with one number changed. */
static sp_status sealed_with(size_t i, size_t j, double x, double y_i, double radius, double label_bound,
                             sp_error *error)
{
    double *X, *y;
    sp_dataset dataset = fresh(20, 4, true, false, &X, &y);
    for (size_t k = 0; k < 20 * dataset.stride; k++)
        X[k] = 0.5;
    X[i * dataset.stride + j] = x;
    y[i] = y_i;
    const sp_status status = sp_dataset_seal(&dataset, radius, label_bound, error);
    sp_dataset_free(&dataset);
    return status;
}

static void test_seal_refuses(void)
{
    sp_error error;
    CHECK_EQUAL(sealed_with(16, 2, NAN, 0.0, 1.0, 1.0, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "record 17, feature 3");
    CHECK_EQUAL(sealed_with(0, 3, -INFINITY, 0.0, 1.0, 1.0, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "record 1, feature 4: -inf");
    CHECK_EQUAL(sealed_with(16, 2, 0.5, NAN, 1.0, 1.0, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "record 17: label");
    CHECK_EQUAL(sealed_with(4, 2, 0.5, -1.001, 1.0, 1.0, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "record 5: label");
    CHECK_EQUAL(sealed_with(4, 2, 0.75, 0.0, 1.0, 1.0, &error), SP_EDATA); /* sqrt(1.3125) */
    CHECK_CONTAINS(error.text, "record 5: norm 1.14564");
    CHECK_EQUAL(sealed_with(4, 2, 0.5 + 4e-12, 0.0, 1.0, 1.0, &error), SP_EDATA); /* norm 1 + 2e-12 */
    CHECK_EQUAL(sealed_with(4, 2, 0.5 + 4e-13, 0.0, 1.0, 1.0, &error), SP_OK);    /* norm 1 + 2e-13: rounding */
    CHECK_EQUAL(sealed_with(4, 2, DBL_MAX, 0.0, DBL_MAX, 1.0, &error), SP_OK);
    CHECK_EQUAL(sealed_with(4, 2, 0.5, 0.0, NAN, 1.0, &error), SP_EINVAL);
    CHECK_EQUAL(sealed_with(4, 2, 0.5, 0.0, INFINITY, 1.0, &error), SP_EINVAL);
    CHECK_EQUAL(sealed_with(4, 2, 0.5, 0.0, 1.0, -1.0, &error), SP_EINVAL);
}

static void content_of(size_t n, size_t d, bool labels, size_t change, double radius, char out[SP_HASH_HEX])
{
    double *X, *y;
    sp_dataset dataset = fresh(n, d, labels, false, &X, &y);
    for (size_t k = 0; k < n * d; k++)
        X[k / d * dataset.stride + k % d] = k == change ? nextafter(0.01 * (double)k, 1.0) : 0.01 * (double)k;
    if (change < n * d)
        CHECK(X[change / d * dataset.stride + change % d] != 0.01 * (double)change);
    else if (change < n * d + n)
        y[change - n * d] = 0.5;
    CHECK_EQUAL(sp_dataset_seal(&dataset, radius, 1.0, NULL), SP_OK);
    memcpy(out, dataset.content, SP_HASH_HEX);
    sp_dataset_free(&dataset);
}

static void test_content(void)
{
    const size_t none = SIZE_MAX;
    char first[SP_HASH_HEX], other[SP_HASH_HEX];
    content_of(6, 4, true, none, 3.0, first);
    CHECK_EQUAL(strlen(first), SP_HASH_HEX - 1);
    content_of(6, 4, true, none, 9.0, other); /* the bound is not content */
    CHECK_TEXT(first, other);
    for (size_t change = 0; change < 30; change++) {
        content_of(6, 4, true, change, 3.0, other);
        CHECK(strcmp(first, other) != 0);
    }
    content_of(4, 6, true, none, 3.0, other);
    CHECK(strcmp(first, other) != 0);
    content_of(6, 4, false, none, 3.0, other);
    CHECK(strcmp(first, other) != 0);
}

/* --- storages ------------------------------------------------------------------------------------------------ */

enum { ROWS = 41, WIDTH = 69 };

/* +-unit in two of three entries, 0 in the others; without zeros when `full`. */
typedef enum { HOLES, FULL, HOT, PATTERNS } pattern;

/* HOT: nine numeric features, and of each ten others at most one that is the record's own number. */
static double *entries_of(pattern p, double unit)
{
    const bool full = p == FULL;
    gsl_rng *stream = stream_of(7);
    double *X = sp_alloc_doubles(ROWS * WIDTH);
    for (size_t k = 0; k < ROWS * WIDTH; k++) {
        const double u = gsl_rng_uniform(stream);
        X[k] = u < 0.31 ? unit : u < 0.67 || full ? -unit : 0.0;
    }
    for (size_t i = 0; p == HOT && i < ROWS; i++)
        for (size_t j = 0; j < WIDTH; j++)
            X[i * WIDTH + j] = j < 9 ? X[i * WIDTH + j] * (double)(j + 1)
                             : j % 11 != 3 && (j + 7 * i) % 10 == j / 10 ? 0.0173 * (double)(i + 1) : 0.0;
    for (size_t j = 0; !full && j < WIDTH; j++)
        X[5 * WIDTH + j] = 0.0;
    gsl_rng_free(stream);
    return X;
}

static void check_row(const sp_dataset *data, size_t i, const double *expected)
{
    double row[WIDTH + 1];
    sp_row_of(data, i, row);
    for (size_t j = 0; j < data->d; j++)
        CHECK(row[j] == expected[j]);
}

/* Norms, means and contents of the same records in every storage; a fork and a copy of each. */
static void test_storages(void)
{
    const double unit = 0.0731;
    double y[ROWS];
    char content[STORAGES][SP_HASH_HEX] = { "" };
    for (size_t i = 0; i < ROWS; i++)
        y[i] = i % 3 ? 0.385 : -2.385;
    for (int p = HOLES; p < PATTERNS; p++) {
        double *X = entries_of((pattern)p, unit);
        const records r = { .n = ROWS, .d = WIDTH, .X = X, .y = y, .unit = p == FULL ? unit : 0.0, .radius = 3.0,
                            .label_bound = 2.5 };
        for (int storage = 0; storage < STORAGES; storage++) {
            sp_dataset data;
            if (!records_fit(&r, (sp_storage)storage) || !records_stored(&r, (sp_storage)storage, &data))
                continue;
            for (size_t i = 0; i < ROWS; i++) {
                long double sum = 0.0L;
                for (size_t j = 0; j < WIDTH; j++)
                    sum += (long double)X[i * WIDTH + j] * X[i * WIDTH + j];
                CHECK_NEAR(data.norm[i], (double)sqrtl(sum), 1e-15);
                CHECK(data.y[i] == y[i]);
                check_row(&data, i, X + i * WIDTH);
            }
            for (size_t j = 0; j < WIDTH; j++) {
                long double sum = 0.0L;
                for (size_t i = 0; i < ROWS; i++)
                    sum += X[i * WIDTH + j];
                CHECK_NEAR(data.mean[j], (double)(sum / ROWS), 1e-16);
            }
            memcpy(content[storage], data.content, SP_HASH_HEX);
            for (int other = 0; other < storage; other++) /* signs were not filled with holes */
                CHECK(strcmp(content[storage], content[other]) != 0);

            const uint32_t index[] = { 40, 3, 5, 3, 17 };
            sp_dataset taken;
            CHECK_EQUAL(sp_dataset_take(&data, index, 5, &taken, NULL), SP_OK);
            CHECK(taken.storage == (sp_storage)storage && taken.n == 5 && taken.d == WIDTH && taken.radius == 3.0);
            for (size_t i = 0; i < 5; i++) {
                check_row(&taken, i, X + index[i] * WIDTH);
                CHECK(taken.y[i] == y[index[i]] && taken.norm[i] == data.norm[index[i]]);
            }
            sp_dataset_free(&taken);
            sp_dataset_free(&data);
        }
        free(X);
    }
}

/* A dataset comes back from the cache as it went in, but for an indexed one, which is not kept. */
static void test_cache(void)
{
    char folder[] = "dataset-test-XXXXXX", command[64];
    CHECK(mkdtemp(folder) != NULL && setenv("STILLPOINT_CACHE", folder, 1) == 0);
    for (int storage = 0; storage < STORAGES; storage++) {
        sp_dataset data, again;
        char key[SP_HASH_HEX];
        double *X = entries_of(storage == SP_STORE_ONE_HOT ? HOT : FULL, 0.0731);
        const records r = { .n = ROWS, .d = WIDTH, .X = X, .unit = 0.0731, .radius = 3.0 };
        if (!records_stored(&r, (sp_storage)storage, &data))
            continue;
        memcpy(key, data.content, sizeof key);
        CHECK_EQUAL(sp_cache_load(key, &again), SP_EABSENT);
        CHECK(!sp_cache_has(key));
        sp_cache_keep(key, &data);
        CHECK_EQUAL(sp_cache_has(key), storage != SP_STORE_INDEXED);
        CHECK_EQUAL(sp_cache_load(key, &again), storage == SP_STORE_INDEXED ? SP_EABSENT : SP_OK);
        const sp_dataset *both[] = { &data, &again };
        for (size_t k = 0; k < (storage == SP_STORE_INDEXED ? 1U : 2U); k++) {
            CHECK(both[k]->storage == (sp_storage)storage && both[k]->n == ROWS && both[k]->d == WIDTH);
            CHECK(both[k]->radius == 3.0 && both[k]->y == NULL && strlen(both[k]->content) == SP_HASH_HEX - 1);
            for (size_t i = 0; i < ROWS; i++)
                check_row(both[k], i, X + i * WIDTH);
            for (size_t j = 0; j < WIDTH; j++)
                CHECK(both[k]->mean[j] == data.mean[j]);
        }
        CHECK(storage == SP_STORE_INDEXED || strcmp(data.content, again.content) == 0);
        sp_dataset_free(&data);
        sp_dataset_free(&again);
        free(X);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
}

static bool same_dataset(const sp_dataset *a, const sp_dataset *b)
{
    return a->storage == b->storage && a->n == b->n && a->d == b->d && a->unit == b->unit && a->radius == b->radius &&
           a->label_bound == b->label_bound && a->mapping_size == b->mapping_size &&
           strcmp(a->content, b->content) == 0 && memcmp(a->mapping, b->mapping, a->mapping_size) == 0;
}

static void change_bit(const char *path, size_t bit)
{
    FILE *file = fopen(path, "r+b");
    CHECK(file && fseek(file, (long)(bit / 8), SEEK_SET) == 0);
    const int byte = fgetc(file);
    CHECK(byte != EOF && fseek(file, (long)(bit / 8), SEEK_SET) == 0);
    fputc(byte ^ 1 << bit % 8, file);
    CHECK_EQUAL(fclose(file), 0);
}

/* A file of the cache with one bit changed, or cut short, is absent or gives the same records; what was loaded from it
 * before stays as it was. */
static void test_damaged_cache(void)
{
    char folder[] = "dataset-test-XXXXXX", command[64], path[160];
    const char key[SP_HASH_HEX] = "2385";
    CHECK(mkdtemp(folder) != NULL && setenv("STILLPOINT_CACHE", folder, 1) == 0);
    snprintf(path, sizeof path, "%s/binary/%s.spd", folder, key);
    for (int storage = 0; storage < STORAGES; storage++) {
        if (storage == SP_STORE_INDEXED)
            continue;
        sp_dataset data, before, after;
        struct stat found;
        double *X = entries_of(storage == SP_STORE_ONE_HOT ? HOT : FULL, 0.0731);
        const records r = { .n = ROWS, .d = WIDTH, .X = X, .unit = 0.0731, .radius = 3.0 };
        CHECK(records_stored(&r, (sp_storage)storage, &data));
        sp_cache_keep(key, &data);
        CHECK(stat(path, &found) == 0 && (size_t)found.st_size == 256 + data.mapping_size);
        const size_t size = (size_t)found.st_size;
        for (size_t bit = 0; bit < 8 * size; bit += 8 * size > 40000 ? 37 : 1) {
            change_bit(path, bit);
            const sp_status status = sp_cache_load(key, &after);
            SP_CHECK_REPORT(status == SP_EABSENT || (status == SP_OK && bit < 8 * 256 && same_dataset(&after, &data)),
                            "%s, bit %zu: status %d", sp_storage_names[storage], bit, (int)status);
            sp_dataset_free(&after);
            change_bit(path, bit);
        }
        CHECK_EQUAL(sp_cache_load(key, &before), SP_OK);
        for (size_t left = size; left > 0; left = left * 7 / 8) {
            CHECK_EQUAL(truncate(path, (off_t)left - 1), 0);
            CHECK_EQUAL(sp_cache_load(key, &after), SP_EABSENT);
        }
        CHECK(same_dataset(&before, &data));
        sp_dataset_free(&before);
        sp_dataset_free(&data);
        free(X);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
}

/* Nor are offsets and columns believed because their checksum is right. */
static void test_wrong_cache(void)
{
    char folder[] = "dataset-test-XXXXXX", command[64];
    const char key[SP_HASH_HEX] = "2386";
    double *X = entries_of(FULL, 0.0731);
    const records r = { .n = ROWS, .d = WIDTH, .X = X, .unit = 0.0731, .radius = 3.0 };
    CHECK(mkdtemp(folder) != NULL && setenv("STILLPOINT_CACHE", folder, 1) == 0);
    sp_dataset data, again;
    CHECK(records_stored(&r, SP_STORE_SPARSE, &data));
    uint32_t *column = sp_dataset_column(&data);
    uint64_t *start = sp_dataset_start(&data);
    for (int wrong = 0; wrong < 5; wrong++) {
        const uint32_t old_column = column[1];
        const uint64_t old_start = start[2];
        column[1] = wrong == 1 ? WIDTH : wrong == 2 ? UINT32_MAX : wrong == 3 ? column[0] : column[1];
        start[2] = wrong == 4 ? start[3] + 1 : start[2];
        sp_cache_keep(key, &data);
        CHECK(sp_cache_has(key));
        CHECK_EQUAL(sp_cache_load(key, &again), wrong == 0 ? SP_OK : SP_EABSENT);
        sp_dataset_free(&again);
        column[1] = old_column;
        start[2] = old_start;
    }
    sp_dataset_free(&data);
    free(X);
    X = entries_of(HOT, 0.0731);
    const records hot = { .n = ROWS, .d = WIDTH, .X = X, .radius = 3.0 };
    CHECK(records_stored(&hot, SP_STORE_ONE_HOT, &data));
    column = sp_dataset_column(&data);
    uint16_t *list = (uint16_t *)sp_hot_list(&data, data.X + 2 * data.stride);
    CHECK(data.numeric == 9 && list[0] > 1);
    for (int wrong = 0; wrong < 8; wrong++) {
        const uint32_t old_column = column[1];
        const uint16_t old[] = { list[0], list[1], list[2] };
        column[1] = wrong == 1 ? WIDTH : wrong == 2 ? column[0] : column[1];
        list[0] = wrong == 3 ? (uint16_t)(data.listed + 1) : wrong == 4 ? UINT16_MAX : list[0];
        list[1] = wrong == 5 ? 8 : list[1]; /* a numeric feature */
        list[2] = wrong == 6 ? WIDTH : wrong == 7 ? list[1] : list[2];
        sp_cache_keep(key, &data);
        CHECK(sp_cache_has(key));
        CHECK_EQUAL(sp_cache_load(key, &again), wrong == 0 ? SP_OK : SP_EABSENT);
        sp_dataset_free(&again);
        column[1] = old_column;
        memcpy(list, old, sizeof old);
    }
    sp_dataset_free(&data);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
    free(X);
}

/* Two rows, (0, 2, 0, 3) and (1, 0, 0, 0), with one thing wrong. */
static sp_status sparse_with(void (*spoil)(sp_dataset *), size_t entries, sp_error *error)
{
    sp_dataset data;
    CHECK_EQUAL(sp_dataset_new(SP_STORE_SPARSE, 2, 4, entries, false, false, &data, NULL), SP_OK);
    const double entry[] = { 2.0, 3.0, 1.0 };
    const uint32_t column[] = { 1, 3, 0 };
    memcpy(sp_dataset_entry(&data), entry, sizeof entry);
    memcpy(sp_dataset_column(&data), column, sizeof column);
    sp_dataset_start(&data)[1] = 2;
    sp_dataset_start(&data)[2] = 3;
    if (spoil)
        spoil(&data);
    const sp_status status = sp_dataset_seal(&data, 4.0, 0.0, error);
    sp_dataset_free(&data);
    return status;
}

static void column_twice(sp_dataset *data) { sp_dataset_column(data)[1] = 1; }
static void column_down(sp_dataset *data) { sp_dataset_column(data)[1] = 0; }
static void column_beyond(sp_dataset *data) { sp_dataset_column(data)[2] = 4; }
static void start_late(sp_dataset *data) { sp_dataset_start(data)[0] = 1; }
static void start_down(sp_dataset *data) { sp_dataset_start(data)[1] = 7; }
static void end_beyond(sp_dataset *data) { sp_dataset_start(data)[2] = 30; }
static void not_finite(sp_dataset *data) { sp_dataset_entry(data)[1] = NAN; }

static void test_structure_refused(void)
{
    const struct { void (*spoil)(sp_dataset *); const char *message; } bad[] = {
        { column_twice, "record 1: feature 2 of 4 is out of order" },
        { column_down, "record 1: feature 1 of 4 is out of order" },
        { column_beyond, "record 2: feature 5 of 4 is out of order" },
        { start_late, "entries 1 to 3" },
        { start_down, "record 1: entries 0 to 7" },
        { end_beyond, "entries 0 to 30" },
        { not_finite, "record 1, feature 4: nan" },
    };
    sp_error error = { 0 };
    CHECK_EQUAL(sparse_with(NULL, 3, &error), SP_OK);
    CHECK_EQUAL(sparse_with(NULL, 30, &error), SP_EDATA); /* room for entries that are not there */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQUAL(sparse_with(bad[i].spoil, 3, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, bad[i].message);
    }
    sp_dataset data;
    CHECK_EQUAL(sp_dataset_new(SP_STORE_SIGNS, 3, 70, 0, false, false, &data, NULL), SP_OK);
    CHECK_EQUAL(sp_dataset_seal(&data, 1.0, 0.0, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "unit = 0");
    data.unit = 0.1;
    CHECK_EQUAL(sp_dataset_seal(&data, 0.8, 0.0, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "record 1: norm 0.83666");
    CHECK_EQUAL(sp_dataset_seal(&data, 0.84, 0.0, &error), SP_OK);
    sp_dataset_sign(&data)[3] = 64; /* the last word of record 2, bit 6: feature 71 */
    CHECK_EQUAL(sp_dataset_seal(&data, 1.0, 0.0, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "record 2: bits beyond feature 70");
    sp_dataset_free(&data);
    CHECK_EQUAL(sp_dataset_new(SP_STORE_ONE_HOT, 2, 70, sp_hot_entries(65, 1), false, false, &data, &error), SP_EINVAL);
    CHECK_EQUAL(sp_dataset_new(SP_STORE_ONE_HOT, 2, 65536, sp_hot_entries(1, 1), false, false, &data, &error),
                SP_EINVAL);
    CHECK_EQUAL(sp_dataset_new(SP_STORE_ONE_HOT, 2, 70, sp_hot_entries(1, 2), false, false, &data, NULL), SP_OK);
    double *row = sp_dataset_X(&data) + data.stride;
    uint16_t *list = (uint16_t *)sp_hot_list(&data, row);
    CHECK_EQUAL(sp_dataset_seal(&data, 4.0, 0.0, &error), SP_OK);
    row[SP_HOT_VALUE + 1] = NAN;
    list[0] = 1, list[1] = 69;
    CHECK_EQUAL(sp_dataset_seal(&data, 4.0, 0.0, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "record 2, feature 70: nan is not finite");
    row[SP_HOT_VALUE + 1] = 2.5;
    list[1] = 0;
    CHECK_EQUAL(sp_dataset_seal(&data, 4.0, 0.0, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "record 2: feature 1 of 70 is out of order");
    list[0] = 3;
    CHECK_EQUAL(sp_dataset_seal(&data, 4.0, 0.0, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "record 2: a list of 3 features, there is room for 2");
    sp_dataset_free(&data);
    CHECK_EQUAL(sp_dataset_new(SP_STORE_INDEXED, 3, 70, 0, false, false, &data, NULL), SP_OK);
    CHECK_EQUAL(sp_dataset_seal(&data, 1.0, 0.0, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "something that makes them");
    sp_dataset_free(&data);
}

static int freed;

static void count_freed(void *context)
{
    freed += context != NULL;
}

static void test_context_freed(void)
{
    sp_dataset data;
    double X[2] = { 0.3, 0.4 };
    const records r = { .n = 2, .d = 1, .X = X, .radius = 1.0 };
    if (records_stored(&r, SP_STORE_INDEXED, &data)) {
        data.row_free = count_freed;
        sp_dataset_free(&data);
        sp_dataset_free(&data);
    }
    CHECK_EQUAL(freed, 1);
}

/* --- shaping ------------------------------------------------------------------------------------------------- */

enum { N = 103, D = 3 };

/* Record i is (i + 1, -2.385, 0.5 i) with label +-1 by parity: it can be recognised whatever was done to its length. */
static sp_dataset raw_records(void)
{
    double *X, *y;
    sp_dataset raw = fresh(N, D, true, false, &X, &y);
    for (size_t i = 0; i < N; i++) {
        const double x[D] = { (double)i + 1.0, -2.385, 0.5 * (double)i };
        memcpy(X + i * raw.stride, x, sizeof x);
        y[i] = i % 2 ? 1.0 : -1.0;
    }
    CHECK_EQUAL(sp_dataset_seal(&raw, 1000.0, 1.0, NULL), SP_OK);
    return raw;
}

static size_t identity(const sp_dataset *dataset, size_t i)
{
    const double *x = dataset->X + i * dataset->stride;
    return (size_t)lround(x[0] / x[1] * -2.385 - 1.0);
}

static sp_status shape(sp_shape options, uint64_t replicate, sp_dataset *train, sp_dataset *test, sp_error *error)
{
    gsl_rng *stream = stream_of(replicate);
    sp_dataset raw = raw_records();
    const sp_status status = sp_dataset_shape(&raw, &options, stream, train, test, error);
    sp_dataset_free(&raw);
    gsl_rng_free(stream);
    return status;
}

static void drop(sp_dataset *train, sp_dataset *test)
{
    sp_dataset_free(train);
    sp_dataset_free(test);
}

static void test_split(void)
{
    sp_dataset train, test, fewer, same;
    CHECK_EQUAL(shape((sp_shape){ .radius = 1000.0, .test = 0.21 }, 1, &train, &test, NULL), SP_OK);
    CHECK_EQUAL(test.n, 21); /* floor(21.63) */
    CHECK_EQUAL(train.n, N - 21);
    CHECK(train.mapped && test.mapped && train.d == D && train.radius == 1000.0 && train.label_bound == 1.0);
    int seen[N] = { 0 };
    for (size_t i = 0; i < N; i++) {
        const sp_dataset *part = i < test.n ? &test : &train;
        const size_t k = i < test.n ? i : i - test.n, id = identity(part, k);
        CHECK(id < N && seen[id]++ == 0); /* each once: a partition */
        CHECK_NEAR(part->y[k], id % 2 ? 1.0 : -1.0, 0.0);
        CHECK_NEAR(part->X[k * part->stride + 2], 0.5 * (double)id, 0.0);
    }
    CHECK_EQUAL(shape((sp_shape){ .radius = 1000.0, .test = 0.21, .n = 40 }, 1, &fewer, &same, NULL), SP_OK);
    CHECK_EQUAL(fewer.n, 40);
    CHECK_TEXT(same.content, test.content); /* the held-out records do not depend on n */
    for (size_t i = 0; i < 40; i++)
        CHECK_EQUAL(identity(&fewer, i), identity(&train, i));
    drop(&fewer, &same);
    CHECK_EQUAL(shape((sp_shape){ .radius = 1000.0, .test = 0.21 }, 1, &fewer, &same, NULL), SP_OK);
    CHECK_TEXT(fewer.content, train.content); /* same stream, same bytes */
    drop(&fewer, &same);
    CHECK_EQUAL(shape((sp_shape){ .radius = 1000.0, .test = 0.21 }, 2, &fewer, &same, NULL), SP_OK);
    CHECK(strcmp(fewer.content, train.content) != 0);
    drop(&fewer, &same);
    drop(&train, &test);
    CHECK_EQUAL(shape((sp_shape){ .radius = 1000.0 }, 1, &train, &test, NULL), SP_OK);
    CHECK(train.n == N && test.mapping == NULL && test.n == 0);
    drop(&train, &test);
}

/* Each place of the permutation is uniform: chi-square of who comes first over 40 N shuffles, N - 1 = 102 degrees of
 * freedom. False alarm below 1e-6 at 182; the seed is fixed. */
static void test_uniform(void)
{
    size_t first[N] = { 0 };
    gsl_rng *stream = stream_of(3);
    sp_dataset raw = raw_records(), train, test;
    const sp_shape options = { .radius = 1000.0, .n = 1 };
    for (size_t k = 0; k < 40 * N; k++) {
        CHECK_EQUAL(sp_dataset_shape(&raw, &options, stream, &train, &test, NULL), SP_OK);
        first[identity(&train, 0)]++;
        drop(&train, &test);
    }
    double chi2 = 0.0;
    for (size_t i = 0; i < N; i++)
        chi2 += ((double)first[i] - 40.0) * ((double)first[i] - 40.0) / 40.0;
    CHECK_LESS_EQUAL(chi2, 182.0);
    sp_dataset_free(&raw);
    gsl_rng_free(stream);
}

static void test_normalise(void)
{
    sp_dataset train, test;
    CHECK_EQUAL(shape((sp_shape){ .normalise = SP_NORMALISE_L2 }, 4, &train, &test, NULL), SP_OK);
    CHECK_NEAR(train.radius, 1.0, 0.0);
    for (size_t i = 0; i < N; i++) {
        const double id = (double)identity(&train, i);
        const double norm = sqrt((id + 1) * (id + 1) + 2.385 * 2.385 + 0.25 * id * id);
        CHECK_NEAR(train.norm[i], 1.0, 1e-15 * 4);
        CHECK_NEAR(train.X[i * train.stride + 1], -2.385 / norm, 1e-15);
    }
    drop(&train, &test);

    CHECK_EQUAL(shape((sp_shape){ .radius = 20.5 }, 4, &train, &test, NULL), SP_OK); /* longer rows are cut to 20.5 */
    for (size_t i = 0; i < N; i++) {
        const double id = (double)identity(&train, i);
        const double norm = sqrt((id + 1) * (id + 1) + 2.385 * 2.385 + 0.25 * id * id);
        CHECK_NEAR(train.norm[i], fmin(norm, 20.5), 1e-13);
        if (norm < 20.5)
            CHECK_NEAR(train.X[i * train.stride], id + 1, 0.0);
    }
    drop(&train, &test);

    CHECK_EQUAL(shape((sp_shape){ .normalise = SP_NORMALISE_L2, .intercept = true }, 4, &train, &test, NULL), SP_OK);
    CHECK_EQUAL(train.d, D + 1);
    for (size_t i = 0; i < N; i++) { /* the constant came before the division */
        const double *x = train.X + i * train.stride;
        CHECK_NEAR(train.norm[i], 1.0, 1e-15 * 4);
        CHECK_NEAR(x[D] * -2.385, x[1], 1e-15);
    }
    drop(&train, &test);
}

static void test_zero_row(void)
{
    double *X, *y;
    gsl_rng *stream = stream_of(5);
    sp_dataset raw = fresh(1, 2, false, false, &X, &y), train, test;
    CHECK_EQUAL(sp_dataset_seal(&raw, 1.0, 0.0, NULL), SP_OK);
    const sp_shape options = { .normalise = SP_NORMALISE_L2 };
    CHECK_EQUAL(sp_dataset_shape(&raw, &options, stream, &train, &test, NULL), SP_OK);
    CHECK(train.X[0] == 0.0 && train.X[1] == 0.0 && train.y == NULL);
    drop(&train, &test);
    sp_dataset_free(&raw);
    gsl_rng_free(stream);
}

/* Sparse records are shaped like dense ones: same order, same lengths, the constant last. */
static void test_shape_sparse(void)
{
    const double unit = 0.731;
    double *X = entries_of(HOLES, unit), y[ROWS], same[WIDTH + 1], other[WIDTH + 1];
    for (size_t i = 0; i < ROWS; i++)
        y[i] = (double)i;
    const records r = { .n = ROWS, .d = WIDTH, .X = X, .y = y, .radius = 10.0, .label_bound = 50.0 };
    const sp_shape shapes[] = { { .normalise = SP_NORMALISE_L2, .test = 0.3 },
                                { .radius = 4.9, .test = 0.3, .intercept = true, .n = 20 },
                                { .normalise = SP_NORMALISE_L2, .intercept = true } };
    sp_dataset raw[2];
    if (records_stored(&r, SP_STORE_DENSE, &raw[0]) && records_stored(&r, SP_STORE_SPARSE, &raw[1]))
        for (size_t k = 0; k < 3; k++) {
            sp_dataset train[2], test[2];
            for (size_t s = 0; s < 2; s++) {
                gsl_rng *stream = stream_of(9);
                CHECK_EQUAL(sp_dataset_shape(&raw[s], &shapes[k], stream, &train[s], &test[s], NULL), SP_OK);
                gsl_rng_free(stream);
            }
            CHECK(train[1].storage == SP_STORE_SPARSE && train[0].n == train[1].n && test[0].n == test[1].n);
            CHECK(train[1].d == (size_t)WIDTH + shapes[k].intercept && train[1].mapped);
            for (size_t i = 0; i < train[0].n; i++) {
                sp_row_of(&train[0], i, same);
                sp_row_of(&train[1], i, other);
                for (size_t j = 0; j < train[0].d; j++)
                    CHECK_NEAR(same[j], other[j], 1e-15);
                CHECK(train[0].y[i] == train[1].y[i]);
            }
            drop(&train[0], &test[0]);
            drop(&train[1], &test[1]);
        }
    sp_dataset_free(&raw[0]);
    sp_dataset_free(&raw[1]);
    free(X);
}

/* One-hot rows hold the very numbers that the storage holds from which they were chosen, and are chosen only where they
 * are smaller and all other features than some are 0 or 1. */
static void test_shape_chooses(void)
{
    double *X = entries_of(HOT, 0.0731), y[ROWS], same[WIDTH + 1], other[WIDTH + 1];
    for (size_t k = 0; k < ROWS * WIDTH; k++)
        X[k] = k % WIDTH >= 9 && X[k] != 0.0 ? 1.0 : X[k];
    for (size_t i = 0; i < ROWS; i++)
        y[i] = (double)i;
    const records r = { .n = ROWS, .d = WIDTH, .X = X, .y = y, .radius = 10.0, .label_bound = 50.0 };
    const sp_shape shapes[] = { { .normalise = SP_NORMALISE_L2, .test = 0.3 },
                                { .radius = 1.9, .test = 0.3, .intercept = true, .n = 20 },
                                { .normalise = SP_NORMALISE_L2, .intercept = true } };
    sp_dataset raw;
    for (sp_storage storage = SP_STORE_DENSE; storage <= SP_STORE_SPARSE; storage++)
        for (size_t k = 0; k < 3 && records_stored(&r, storage, &raw); k++, sp_dataset_free(&raw)) {
            sp_dataset train[2], test[2];
            for (size_t s = 0; s < 2; s++) {
                sp_shape shape = shapes[k];
                gsl_rng *stream = stream_of(9);
                shape.choose = s == 1;
                CHECK_EQUAL(sp_dataset_shape(&raw, &shape, stream, &train[s], &test[s], NULL), SP_OK);
                gsl_rng_free(stream);
            }
            CHECK(train[0].storage == storage && train[1].storage == SP_STORE_ONE_HOT);
            CHECK(test[1].n == test[0].n && (test[1].n == 0 || test[1].storage == SP_STORE_ONE_HOT));
            CHECK(train[1].numeric == 9 && train[1].mapped && train[1].mapping_size < train[0].mapping_size);
            for (size_t t = 0; t < 2; t++) {
                const sp_dataset *a = t ? &test[0] : &train[0], *b = t ? &test[1] : &train[1];
                for (size_t i = 0; i < a->n; i++) {
                    sp_row_of(a, i, same);
                    sp_row_of(b, i, other);
                    CHECK(memcmp(same, other, a->d * sizeof *same) == 0);
                    CHECK_NEAR(a->norm[i], b->norm[i], 1e-15 * b->radius);
                    CHECK(a->y[i] == b->y[i]);
                }
            }
            drop(&train[0], &test[0]);
            drop(&train[1], &test[1]);
        }
    for (int spoilt = 0; spoilt < 2; spoilt++) { /* other numbers, and none that are listed */
        sp_dataset train, test;
        const sp_shape shape = { .radius = 9.0, .choose = true };
        gsl_rng *stream = stream_of(9);
        for (size_t k = 0; k < ROWS * WIDTH; k++)
            X[k] = spoilt ? 2.385 + (double)k : X[k] == 1.0 && k % 2 ? 1.5 : X[k];
        for (size_t k = 0; k < ROWS * WIDTH && spoilt; k++)
            X[k] /= 1e5;
        if (records_stored(&r, SP_STORE_SPARSE, &raw)) {
            CHECK_EQUAL(sp_dataset_shape(&raw, &shape, stream, &train, &test, NULL), SP_OK);
            CHECK_EQUAL(train.storage, SP_STORE_SPARSE);
            drop(&train, &test);
            sp_dataset_free(&raw);
        }
        gsl_rng_free(stream);
    }
    free(X);
}

/* Few records of many features, some dozens of them numbers: a Hessian's workspace would be larger than they are. */
static void test_shape_keeps_wide(void)
{
    for (size_t d = 26214; d <= 26215; d++) { /* times 40 numbers: at most 2^20 products, and more */
        double *X = sp_alloc_doubles(8 * d);
        for (size_t i = 0; i < 8; i++)
            for (size_t j = 0; j < 1040; j++)
                X[i * d + j] = j < 40 ? 0.31 : 1.0;
        const records r = { .n = 8, .d = d, .X = X, .radius = 40.0 };
        const sp_shape shape = { .radius = 40.0, .choose = true };
        gsl_rng *stream = stream_of(9);
        sp_dataset raw, train, test;
        if (records_stored(&r, SP_STORE_SPARSE, &raw)) {
            CHECK_EQUAL(sp_dataset_shape(&raw, &shape, stream, &train, &test, NULL), SP_OK);
            CHECK_EQUAL(train.storage, d == 26214 ? SP_STORE_ONE_HOT : SP_STORE_SPARSE);
            drop(&train, &test);
            sp_dataset_free(&raw);
        }
        gsl_rng_free(stream);
        free(X);
    }
}

static void test_shape_refuses(void)
{
    const struct { sp_shape options; const char *message; } bad[] = {
        { { .radius = 1.0, .n = 104 }, "n = 104: only 103 of the 103" },
        { { .radius = 1.0, .n = 83, .test = 0.21 }, "n = 83: only 82 of the 103" },
        { { .radius = 1.0, .test = 1.0 }, "test = 1:" },
        { { .radius = 1.0, .test = -0.25 }, "test = -0.25" },
        { { .radius = 1.0, .test = NAN }, "test = nan" },
        { { .radius = 0.0 }, "radius = 0:" },
        { { .radius = INFINITY }, "radius = inf" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_dataset train, test;
        sp_error error = { 0 };
        CHECK_EQUAL(shape(bad[i].options, 0, &train, &test, &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, bad[i].message);
        CHECK(train.mapping == NULL && test.mapping == NULL);
    }
    double X[2] = { 0.3, -0.3 };
    const records r = { .n = 2, .d = 1, .X = X, .unit = 0.3, .radius = 1.0 };
    sp_dataset raw, train, test;
    sp_error error = { 0 };
    if (records_stored(&r, SP_STORE_SIGNS, &raw)) {
        gsl_rng *stream = stream_of(0);
        CHECK_EQUAL(sp_dataset_shape(&raw, &bad[0].options, stream, &train, &test, &error), SP_EUNSUPPORTED);
        CHECK_CONTAINS(error.text, "these are signs");
        gsl_rng_free(stream);
    }
    sp_dataset_free(&raw);
}

/* Columns by the statistics of the training records alone: against plain loops over them; what is 0 or 1 stays, what
 * does not vary becomes 0; the held-out records go through the same numbers; dense, whatever the records were. */
static void test_scale(void)
{
    enum { COUNT = 37, FEATURES = 5, HELD = 9 };
    double X[COUNT * FEATURES], y[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        const double row[FEATURES] = { 2.385 + 0.31 * (double)(i * i % 17), -4e4 + 997.0 * (double)i,
                                       (double)(i % 2), 7.25, i % 3 == 0 ? 0.0 : 0.125 * (double)i };
        memcpy(X + i * FEATURES, row, sizeof row);
        y[i] = (double)i;
    }
    const records r = { .n = COUNT, .d = FEATURES, .X = X, .y = y, .radius = 1e6, .label_bound = 50.0 };
    for (size_t k = 0; k < 4; k++) {
        const sp_scaling how = k % 2 ? SP_SCALE_MINMAX : SP_SCALE_STANDARD;
        const sp_shape options = { .scale = how, .radius = 100.0, .test = 0.25, .n = k < 2 ? 0 : 20 };
        sp_dataset raw, train, test;
        gsl_rng *stream = stream_of(5 + k);
        if (!records_stored(&r, k % 2 ? SP_STORE_SPARSE : SP_STORE_DENSE, &raw))
            return;
        CHECK_EQUAL(sp_dataset_shape(&raw, &options, stream, &train, &test, NULL), SP_OK);
        CHECK(train.storage == SP_STORE_DENSE && test.n == HELD && train.n == (k < 2 ? COUNT - HELD : 20));
        for (size_t j = 0; j < FEATURES; j++) {
            double mean = 0.0, square = 0.0, low = INFINITY, high = -INFINITY;
            for (size_t i = 0; i < train.n; i++) {
                const double x = X[(size_t)train.y[i] * FEATURES + j];
                mean += x / (double)train.n;
                low = fmin(low, x);
                high = fmax(high, x);
            }
            for (size_t i = 0; i < train.n; i++) {
                const double distance = X[(size_t)train.y[i] * FEATURES + j] - mean;
                square += distance * distance / (double)train.n;
            }
            const double shift = how == SP_SCALE_STANDARD ? mean : low;
            const double size = how == SP_SCALE_STANDARD ? sqrt(square) : high - low;
            for (size_t i = 0; i < train.n + test.n; i++) {
                const sp_dataset *s = i < train.n ? &train : &test;
                const size_t at = i < train.n ? i : i - train.n;
                const double x = X[(size_t)s->y[at] * FEATURES + j];
                const double expected = j == 2 ? x : j == 3 ? 0.0 : (x - shift) / size;
                CHECK_NEAR(s->X[at * s->stride + j], expected, 1e-12);
            }
        }
        sp_dataset_free(&raw);
        drop(&train, &test);
        gsl_rng_free(stream);
    }
}

int main(void)
{
    test_new();
    test_sizes_refused();
    test_inherited();
    test_norms_and_mean();
    test_extreme_norms();
    test_seal_refuses();
    test_content();
    test_storages();
    test_cache();
    test_damaged_cache();
    test_wrong_cache();
    test_structure_refused();
    test_context_freed();
    test_split();
    test_uniform();
    test_normalise();
    test_zero_row();
    test_shape_sparse();
    test_shape_chooses();
    test_shape_keeps_wide();
    test_shape_refuses();
    test_scale();
    return sp_check_done();
}
