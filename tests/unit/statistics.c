/* Values of a curve, of all replicates and of resamples, against counts by hand; the resampling against its law. */
#include "core/numeric/stream.h"
#include "core/stats/statistics.h"
#include "tests/check.h"

static gsl_rng *stream(const char *name)
{
    return sp_stream_open(sp_stream_key_of(20240601, name, 0, SP_STREAM_BOOTSTRAP));
}

static void test_sorted(void)
{
    double value[] = { 4.83, 1.27, 4.83, -0.5, 1.27, 1.27 };
    CHECK_EQUAL(sp_distinct(value, 6), 3);
    CHECK(value[0] == -0.5 && value[1] == 1.27 && value[2] == 4.83);
    CHECK_EQUAL(sp_distinct(value, 0), 0);
    for (size_t i = 0; i < 3; i++)
        CHECK_EQUAL(sp_find_sorted(value, 3, value[i]), i);
    CHECK_EQUAL(sp_find_sorted(value, 3, 2.0), 3);
    CHECK_EQUAL(sp_find_sorted(value, 3, 9.0), 3);
    CHECK_EQUAL(sp_find_sorted(value, 3, NAN), 3);
    CHECK_EQUAL(sp_find_sorted(value, 0, 1.0), 0);
}

/* Two points, three members, two replicates. */
static void test_sup(void)
{
    const double x[] = { 10.0, 100.0 };
    double value[] = { 1.0, 3.0, /**/ 4.0, 2.5, /**/ 3.0, 3.0, /* */ 0.1, 0.3, /**/ NAN, NAN, /**/ NAN, 0.25 };
    const sp_samples samples = { .points = 2, .levels = 1, .members = 3, .replicates = 2, .x = x, .value = value };
    const size_t first[] = { 0, 0 }, second[] = { 1, 1 };
    double y[2];
    size_t worst[2];
    sp_curve_values(&samples, NULL, y, worst);
    CHECK_NEAR(y[0], 3.25, 1e-15);
    CHECK_EQUAL(worst[0], 1);
    CHECK_NEAR(y[1], 0.25, 1e-15); /* 0.2 and 0.25 */
    CHECK_EQUAL(worst[1], 2);
    sp_curve_values(&samples, first, y, worst);
    CHECK_NEAR(y[0], 4.0, 0);
    CHECK_EQUAL(worst[0], 1);
    CHECK_NEAR(y[1], 0.1, 0); /* of the last member only the second replicate is there */
    CHECK_EQUAL(worst[1], 0);
    sp_curve_values(&samples, second, y, worst);
    CHECK_NEAR(y[0], 3.0, 0);
    CHECK_EQUAL(worst[0], 0); /* a tie with member 2 goes to the first */
    CHECK_NEAR(y[1], 0.3, 0);
    for (size_t i = 6; i < 12; i++)
        value[i] = NAN;
    sp_curve_values(&samples, NULL, y, worst);
    CHECK(isnan(y[1]));
    CHECK_EQUAL(worst[1], 3);
    sp_curve_values(&samples, NULL, y, NULL);
    CHECK_NEAR(y[0], 3.25, 1e-15);
}

/* reach = 2, share = 0.9 of ten runs: nine must be at most 2 alpha at both members. */
static void test_inversion(void)
{
    enum { LEVELS = 3, MEMBERS = 2, RUNS = 10 };
    const double x[] = { 5.0, 50.0 }, level[LEVELS] = { 0.1, 0.2, 0.4 };
    double value[2 * LEVELS * MEMBERS * RUNS], y[2];
    size_t decides[2];
    const sp_samples samples = { .points = 2, .levels = LEVELS, .members = MEMBERS, .replicates = RUNS, .x = x,
                                 .level = level, .value = value, .reach = 2.0, .share = 0.9 };
    for (size_t i = 0; i < 2 * LEVELS * MEMBERS * RUNS; i++)
        value[i] = 0.15;
    value[7] = 0.21; /* one of ten may fail, and a run without a value does */
    value[RUNS + 3] = NAN;
    sp_curve_values(&samples, NULL, y, decides);
    CHECK_NEAR(y[0], 0.1, 0);
    CHECK_EQUAL(decides[0], 0);
    value[RUNS + 4] = 0.3; /* two of the second member: the next level */
    sp_curve_values(&samples, NULL, y, decides);
    CHECK_NEAR(y[0], 0.2, 0);
    CHECK_EQUAL(decides[0], 1);
    CHECK_NEAR(y[1], 0.1, 0);
    const size_t well[RUNS] = { 0, 1, 2, 2, 5, 5, 6, 8, 9, 9 }, badly[RUNS] = { 3, 1, 2, 3, 5, 5, 6, 8, 9, 9 };
    sp_curve_values(&samples, well, y, NULL); /* a resample without the runs that miss, and one that has them twice */
    CHECK_NEAR(y[0], 0.1, 0);
    sp_curve_values(&samples, badly, y, NULL);
    CHECK_NEAR(y[0], 0.2, 0);
    for (size_t i = LEVELS * MEMBERS * RUNS; i < 2 * LEVELS * MEMBERS * RUNS; i++)
        value[i] = 0.81;
    sp_curve_values(&samples, NULL, y, decides);
    CHECK(isnan(y[1]));
    CHECK_EQUAL(decides[1], LEVELS);
}

/* How often each of seven values is drawn in 3500 samples of seven: 3500 times, standard deviation 55; the seed is
 * fixed. */
static void test_resample(void)
{
    enum { COUNT = 7, SAMPLES = 3500 };
    size_t pick[COUNT], drawn[COUNT] = { 0 }, whole = 0;
    bool inside = true;
    gsl_rng *r = stream("resample");
    for (size_t b = 0; b < SAMPLES; b++) {
        size_t seen = 0;
        sp_resample(COUNT, r, pick);
        for (size_t i = 0; i < COUNT; i++) {
            inside = inside && pick[i] < COUNT;
            drawn[pick[i] % COUNT]++;
            seen |= (size_t)1 << pick[i];
        }
        whole += seen == ((size_t)1 << COUNT) - 1;
    }
    CHECK(inside);
    for (size_t i = 0; i < COUNT; i++)
        CHECK_NEAR((double)drawn[i], SAMPLES, 4.0 * 55.0);
    CHECK_LESS_EQUAL((double)whole, 45.0); /* with replacement: all seven in 7!/7^7 = 0.61 %, 21 samples, deviation 5 */
    CHECK_LESS_EQUAL(3.0, (double)whole);
    gsl_rng_free(r);
}

int main(void)
{
    test_sorted();
    test_sup();
    test_inversion();
    test_resample();
    return sp_check_done();
}
