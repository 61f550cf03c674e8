/* Values of a curve by hand: the worst of a family, inversions, resamples. */
#include "core/base/stream.h"
#include "core/evidence/statistics.h"
#include "tests/check.h"

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
    double y[2];
    size_t worst[2];
    sp_curve_values(&samples, NULL, y, worst);
    CHECK_NEAR(y[0], 3.25, 1e-15);
    CHECK_EQUAL(worst[0], 1);
    CHECK_NEAR(y[1], 0.25, 1e-15); /* 0.2 and 0.25 */
    CHECK_EQUAL(worst[1], 2);
    for (size_t i = 6; i < 12; i++)
        value[i] = NAN;
    sp_curve_values(&samples, NULL, y, worst);
    CHECK(isnan(y[1]));
    CHECK_EQUAL(worst[1], 3);
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
    for (size_t i = LEVELS * MEMBERS * RUNS; i < 2 * LEVELS * MEMBERS * RUNS; i++)
        value[i] = 0.81;
    sp_curve_values(&samples, NULL, y, decides);
    CHECK(isnan(y[1]));
    CHECK_EQUAL(decides[1], LEVELS);
}

int main(void)
{
    test_sorted();
    test_sup();
    test_inversion();
    return sp_check_done();
}
