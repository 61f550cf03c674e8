/* Intervals and tests against scipy.stats (t.interval, ttest_1samp, binomtest), closed forms and simulated levels. */
#include "core/numeric/stream.h"
#include "core/stats/inference.h"
#include "tests/check.h"

#include <gsl/gsl_randist.h>

static gsl_rng *stream(const char *name)
{
    return sp_stream_open(sp_stream_key_of(20240601, name, 0, SP_STREAM_DATA));
}

/* GSL's quantile of Student's t is right to some 1e-10. */
static const double seven[] = { 0.8123, 0.7719, 0.9034, 0.4411, 0.5023, 0.3987, 0.2612 };

#define CHECK_INTERVAL(i, middle, from, to, values, tol)                                                            \
    do {                                                                                                            \
        CHECK_NEAR((i).estimate, middle, tol);                                                                      \
        CHECK_NEAR((i).low, from, tol);                                                                             \
        CHECK_NEAR((i).high, to, tol);                                                                              \
        CHECK_EQUAL((i).count, values);                                                                             \
    } while (0)

static void test_mean(void)
{
    const double constant[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
    const double holes[] = { NAN, 1.27, INFINITY, 4.83, -INFINITY, NAN };
    CHECK_INTERVAL(sp_mean_t(seven, 7, 0.95), 0.5844142857142857, 0.35942961704109355, 0.8093989543874778, 7, 1e-9);
    CHECK_INTERVAL(sp_mean_t(seven, 7, 0.9), 0.5844142857142857, 0.4057459075410633, 0.7630826638875079, 7, 1e-9);
    CHECK_INTERVAL(sp_mean_t(holes, 6, 0.95), 3.05, -19.56704443084913, 25.66704443084913, 2, 1e-9);
    const sp_interval same = sp_mean_t(constant, 7, 0.95); /* its mean is not 0.1 in doubles */
    CHECK_NEAR(same.estimate, 0.1, 1e-16);
    CHECK(same.low == same.estimate && same.high == same.estimate);
    for (size_t count = 0; count < 3; count++) { /* none, none, one finite value */
        const sp_interval few = sp_mean_t(holes, count, 0.95);
        CHECK_EQUAL(few.count, count == 2);
        CHECK(isnan(few.low) && isnan(few.high) && isnan(few.estimate) == (count < 2));
    }
}

/* t.ppf(0.975, k - 1). The deviation of 0, 0, ..., 0, sqrt(k) is 1, its error 1/sqrt(k). */
static void test_quantile(void)
{
    static const struct {
        size_t count;
        double quantile;
    } of[] = { { 2, 12.706204736432095 }, { 3, 4.302652729911275 }, { 4, 3.182446305284263 }, { 5, 2.7764451051977987 },
               { 10, 2.2621571627409915 }, { 30, 2.045229642132703 }, { 1001, 1.9623390808264074 } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        double value[1001] = { 0 };
        const double k = (double)of[i].count;
        value[0] = sqrt(k);
        const sp_interval m = sp_mean_t(value, of[i].count, 0.95);
        CHECK_NEAR((m.high - m.low) * sqrt(k) / 2.0, of[i].quantile, 1e-9 * of[i].quantile);
    }
}

/* j is the largest with 2 binom.cdf(j - 1, k, 0.5) <= 1 - level. */
static void test_median(void)
{
    static const struct {
        size_t count, at;
        double level;
    } of[] = { { 5, 0, 0.95 }, { 5, 1, 0.9 }, { 6, 1, 0.95 }, { 8, 2, 0.9 }, { 9, 2, 0.95 }, { 16, 4, 0.95 },
               { 16, 5, 0.9 }, { 16, 7, 0.5 }, { 20, 6, 0.95 }, { 30, 10, 0.95 }, { 30, 11, 0.9 } };
    sp_interval m;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const size_t k = of[i].count, j = of[i].at;
        double value[31];
        for (size_t v = 0; v < k; v++)
            value[v] = (double)(v * 7 % k * (k % 7 != 0) + 1); /* 1..k in another order */
        value[k] = NAN;
        m = sp_median_exact(value, k + 1, of[i].level);
        CHECK_EQUAL(m.count, k);
        CHECK_NEAR(m.estimate, (double)(k + 1) / 2.0, 0);
        CHECK(j == 0 ? isnan(m.low) && isnan(m.high) : m.low == (double)j && m.high == (double)(k - j + 1));
    }
    const double infinite[] = { 3, INFINITY, 1, 2, INFINITY, 4, 5 };
    m = sp_median_exact(infinite, 7, 0.95);
    CHECK(m.estimate == 4 && m.low == 1 && m.high == INFINITY);
    m = sp_median_exact(infinite, 0, 0.95);
    CHECK(m.count == 0 && isnan(m.estimate) && isnan(m.low));
}

/* Of the ranks 0 .. k - 1 that of share (k - 1). */
static void test_rank(void)
{
    const double value[] = { 7, NAN, 1, 3, 2.385, INFINITY };
    double q = 0.0;
    q = sp_quantile(value, 5, 0.9);
    CHECK_NEAR(q, 3.0 + 0.7 * 4.0, 1e-14);
    q = sp_quantile(value, 5, 0.5);
    CHECK_NEAR(q, 0.5 * (2.385 + 3.0), 1e-14);
    q = sp_quantile(value, 6, 0.9);
    CHECK(q == INFINITY);
    q = sp_quantile(value, 1, 0.9);
    CHECK(q == 7.0);
    q = sp_quantile(value + 1, 1, 0.9);
    CHECK(isnan(q));
}

static void test_tests(void)
{
    static const double mean[] = { 0.3, 0.55, 0.8 }, median[] = { 0, 0.25, 1 };
    static const double signs[] = { -0.4, 0.2, 0.7, 1.1, 0.3, 0.9, NAN, -0.1, 0.5, 0.6, 0.25, INFINITY };
    static const double t[3][3] = { { 0.9893505545825737, 0.6394689054057169, 0.028737083814234867 },
                                    { 0.010649445417426354, 0.3605310945942831, 0.9712629161857651 },
                                    { 0.02129889083485271, 0.7210621891885662, 0.057474167628469734 } };
    static const double sign[3][3] = { { 0.994140625, 0.9453125, 0.03271484375 },
                                       { 0.03271484375, 0.171875, 0.994140625 },
                                       { 0.0654296875, 0.34375, 0.0654296875 } };
    for (size_t side = 0; side < 3; side++)
        for (size_t i = 0; i < 3; i++) {
            CHECK_NEAR(sp_t_test(seven, 7, mean[i], (sp_side)side), t[side][i], 1e-13);
            CHECK_NEAR(sp_sign_test(signs, 12, median[i], (sp_side)side), sign[side][i], 1e-13);
        }
    const double constant[] = { 0.1, 0.1, 0.1, INFINITY }, two[] = { 1, 2 };
    CHECK(isnan(sp_t_test(constant, 4, 0.0, SP_LESS)) && isnan(sp_t_test(constant, 1, 0.0, SP_LESS)));
    CHECK_NEAR(sp_sign_test(constant, 4, 0.0, SP_GREATER), 0.0625, 1e-15);
    CHECK_NEAR(sp_sign_test(constant, 3, 0.1, SP_UNEQUAL), 1.0, 0);
    CHECK_NEAR(sp_sign_test(two, 2, 1.5, SP_UNEQUAL), 1.0, 0);
}

static void test_holm(void)
{
    double p[] = { 0.01, NAN, 0.04, 0.03, 0.005, 0.6, NAN, 0.7 }, one[] = { 0.03 }, none[] = { NAN };
    const double adjusted[] = { 0.05, NAN, 0.12, 0.12, 0.03, 1, NAN, 1 }; /* 6, 5, 4 and 3 times; 2 x 0.6, 0.7 */
    sp_holm(p, 8);
    for (size_t i = 0; i < 8; i++)
        CHECK(isnan(adjusted[i]) ? isnan(p[i]) : fabs(p[i] - adjusted[i]) <= 1e-15);
    sp_holm(one, 1);
    CHECK_NEAR(one[0], 0.03, 0);
    sp_holm(none, 1);
    sp_holm(NULL, 0);
}

/* 2000 samples of each size: coverage of the mean has deviation 0.5 %, and 95 % holds for normal values. The logarithm
 * of lognormal values is normal; of the values themselves, with log-deviation 0.3, somewhat less than 95 % are covered.
 * The median's interval covers at least 95 %; its level for 5 values is 0. */
static void test_coverage(void)
{
    static const size_t sizes[] = { 5, 10, 30 };
    enum { TRIALS = 2000, MOST = 30 };
    gsl_rng *noise = stream("coverage");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t normal = 0, skewed = 0, middle = 0;
        for (size_t trial = 0; trial < TRIALS; trial++) {
            double value[MOST], grown[MOST];
            for (size_t i = 0; i < sizes[s]; i++) {
                value[i] = 2.385 + gsl_ran_gaussian(noise, 0.3);
                grown[i] = exp(value[i] - 2.385);
            }
            const sp_interval a = sp_mean_t(value, sizes[s], 0.95), b = sp_mean_t(grown, sizes[s], 0.95);
            sp_interval c;
            c = sp_median_exact(grown, sizes[s], 0.95);
            normal += a.low <= 2.385 && 2.385 <= a.high;
            skewed += b.low <= exp(0.045) && exp(0.045) <= b.high;
            middle += c.low <= 1.0 && 1.0 <= c.high;
        }
        CHECK_LESS_EQUAL(0.93 * TRIALS, (double)normal);
        CHECK_LESS_EQUAL((double)normal, 0.97 * TRIALS);
        CHECK_LESS_EQUAL(0.92 * TRIALS, (double)skewed);
        CHECK_LESS_EQUAL((double)skewed, 0.98 * TRIALS);
        CHECK_LESS_EQUAL((sizes[s] < 6 ? 0.0 : 0.94) * TRIALS, (double)middle);
    }
    gsl_rng_free(noise);
}

int main(void)
{
    test_mean();
    test_quantile();
    test_median();
    test_rank();
    test_tests();
    test_holm();
    test_coverage();
    return sp_check_done();
}
