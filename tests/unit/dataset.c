/* dataset.c -- the block, the seal, and the shaping of real records. */
#include "core/base/stream.h"
#include "core/data/dataset.h"
#include "tests/check.h"

#include <float.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static gsl_rng *stream_of(uint64_t replicate)
{
    return sp_stream_open(sp_stream_key_of(2385, "dataset", replicate, SP_STREAM_DATA));
}

static sp_dataset fresh(size_t n, size_t d, bool labels, bool shared, double **X, double **y)
{
    sp_dataset dataset;
    CHECK_EQUAL(sp_dataset_new(n, d, labels, shared, &dataset, X, y, NULL), SP_OK);
    return dataset;
}

/* --- the block ----------------------------------------------------------------------------------------------- */

static void test_new(void)
{
    double *X, *y;
    for (int shared = 0; shared < 2; shared++) {
        sp_dataset dataset = fresh(11, 5, true, shared, &X, &y);
        CHECK(dataset.n == 11 && dataset.d == 5 && dataset.stride >= 5 && X == dataset.X && y == dataset.y);
        CHECK_EQUAL(dataset.mapped, shared);
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
    const struct { size_t n, d; const char *message; } bad[] = {
        { 0, 3, "n = 0, d = 3" }, { 3, 0, "n = 3, d = 0" }, { 100000, 10000000, "n = 100000, d = 10000000: too large" },
        { SIZE_MAX / 4, 8, "too large" }, { 8, SIZE_MAX / 4, "too large" }, { (size_t)1 << 32, 1, "too large" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_dataset dataset;
        sp_error error = { 0 };
        double *X, *y;
        CHECK_EQUAL(sp_dataset_new(bad[i].n, bad[i].d, true, true, &dataset, &X, &y, &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, bad[i].message);
        CHECK(dataset.mapping == NULL);
    }
}

/* What a child writes into a shared block its parent sees. */
static void test_shared(void)
{
    double *X, *y;
    sp_dataset dataset = fresh(2, 1, false, true, &X, &y);
    const pid_t child = fork();
    if (child == 0) {
        X[1] = 2.385;
        _exit(0);
    }
    waitpid(child, NULL, 0);
    CHECK_NEAR(X[1], 2.385, 0.0);
    sp_dataset_free(&dataset);
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
    const double row[6] = { 3e200, 4e200, 3e-200, -4e-200, 0.0, 0.0 };
    memcpy(X, row, sizeof row);
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
        X[k] = 0.01 * (double)k;
    if (change < n * d)
        X[change] = nextafter(X[change], 1.0);
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
}

int main(void)
{
    test_new();
    test_sizes_refused();
    test_shared();
    test_norms_and_mean();
    test_extreme_norms();
    test_seal_refuses();
    test_content();
    test_split();
    test_uniform();
    test_normalise();
    test_zero_row();
    test_shape_refuses();
    return sp_check_done();
}
