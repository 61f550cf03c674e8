/* Pairs of values against scipy.stats (ttest_rel, ttest_1samp, t.interval, mannwhitneyu), closed forms, and simulated
 * levels of what is said of them. With 6 degrees of freedom and tan u = |t| / sqrt(6) the p of a one-sided t test is
 * (1 - sin u (1 + cos^2 u / 2 + 3 cos^4 u / 8)) / 2, by which those of equivalence were computed. */
#include "core/numeric/stream.h"
#include "core/contest/pairs.h"
#include "tests/check.h"

#include <gsl/gsl_randist.h>

enum { SEVEN = 7, MOST = 40 };
static const double a7[SEVEN] = { 0.8123, 0.7719, 0.9034, 0.4411, 0.5023, 0.3987, 0.2612 };
static const double b7[SEVEN] = { 0.8511, 0.7893, 0.8745, 0.4702, 0.5317, 0.4111, 0.2699 };

static sp_paired pair(const double *label, const double *base, size_t count, double margin)
{
    double x[2 * MOST];
    sp_paired p;
    p = sp_pair(label, base, count, true, margin, x);
    return p;
}

#define CHECK_INTERVAL(i, middle, from, to, pairs)                                                                   \
    do {                                                                                                            \
        CHECK_NEAR((i).estimate, middle, 1e-12);                                                                     \
        CHECK_NEAR((i).low, from, 1e-9);                                                                             \
        CHECK_NEAR((i).high, to, 1e-9);                                                                              \
        CHECK_EQUAL((i).count, pairs);                                                                              \
    } while (0)

static void test_ratio(void)
{
    const sp_paired p = pair(a7, b7, SEVEN, 0.05), swapped = pair(b7, a7, SEVEN, 0.1);
    CHECK(p.ratio && !p.signs && p.all.side < 0.0);
    CHECK_INTERVAL(p.estimate, 0.968977252068602, 0.9408026712807537, 0.9979955879039251, 7);
    CHECK_NEAR(p.log_ratio, log(0.968977252068602), 1e-12);
    CHECK_NEAR(p.all.p, 0.03994364616777417, 1e-12);
    CHECK_NEAR(p.p_equivalent, 0.10097302393329488, 1e-12);
    CHECK_NEAR(pair(a7, b7, SEVEN, 0.1).p_equivalent, 0.0009234895444382163, 1e-12);
    CHECK_NEAR(swapped.p_equivalent, 0.0009234895444382163, 1e-12); /* in either order */
    CHECK(p.finite.p == p.all.p && p.finite.side == p.all.side);
    CHECK_NEAR(p.improvement, 27.0 / 49.0, 1e-15);
    CHECK_NEAR(swapped.improvement, 22.0 / 49.0, 1e-15);
    CHECK_NEAR(swapped.estimate.estimate, 1.0 / p.estimate.estimate, 1e-15);
    CHECK_NEAR(swapped.all.p, p.all.p, 1e-12);
    CHECK(swapped.all.side > 0.0);
}

static void test_difference(void)
{
    double a[SEVEN], b[SEVEN];
    memcpy(a, a7, sizeof a);
    a[3] = -0.01; /* has no logarithm */
    const sp_paired p = pair(a, b7, SEVEN, 0.05);
    CHECK(!p.ratio && !p.signs && p.all.side < 0.0 && isnan(p.log_ratio));
    CHECK_INTERVAL(p.estimate, -0.07971428571428572, -0.24422624681774396, 0.08479767538917253, 7);
    CHECK_NEAR(p.all.p, 0.2805824041060963, 1e-12);
    CHECK_NEAR(p.p_equivalent, 0.758480133209338, 1e-12);
    CHECK_NEAR(pair(a, b7, SEVEN, 0.4).p_equivalent, 0.14181765531689672, 1e-12);
    CHECK_NEAR(pair(b7, a, SEVEN, 0.4).p_equivalent, 0.14181765531689672, 1e-12);
    for (size_t r = 0; r < SEVEN; r++) {
        a[r] = -a7[r];
        b[r] = -b7[r];
    }
    const sp_paired negative = pair(a, b, SEVEN, 0.1); /* a share of what is nearer to 0 all the same */
    CHECK_NEAR(negative.estimate.estimate, 0.015271428571428571, 1e-12);
    CHECK_NEAR(negative.all.p, 0.1183378275714268, 1e-12);
    CHECK_NEAR(negative.p_equivalent, 0.010867548525596016, 1e-12);
    CHECK_NEAR(pair(b, a, SEVEN, 0.1).p_equivalent, 0.010867548525596016, 1e-12);
}

/* Values that tie, or differ all by the same, say something by their signs alone. */
static void test_signs(void)
{
    double a[MOST], b[MOST];
    for (size_t r = 0; r < 8; r++) {
        b[r] = 0.1 * (double)(r + 1);
        a[r] = 3.0 * b[r]; /* the same ratio, but for rounding */
    }
    sp_paired p = pair(a, b, 8, 0.05);
    CHECK(p.signs && p.ratio && p.all.side == 8.0);
    CHECK_NEAR(p.all.p, 2.0 / 256.0, 1e-15);
    CHECK_NEAR(p.p_equivalent, 1.0, 0);
    CHECK_INTERVAL(p.estimate, 3.0, 3.0, 3.0, 8);

    for (size_t r = 0; r < 8; r++)
        a[r] = b[r] * (0.1 + 0.2) / 0.3; /* equal but for rounding */
    p = pair(a, b, 8, 0.05);
    CHECK(p.signs && p.all.side == 0.0 && p.estimate.estimate == 1.0);
    CHECK_NEAR(p.all.p, 1.0, 0);
    CHECK_NEAR(p.p_equivalent, 1.0 / 256.0, 1e-15);
    CHECK_NEAR(p.improvement, 0.5, 1e-15);

    for (size_t r = 0; r < 8; r++)
        a[r] = b[r] = 0.0; /* a logarithm has none of them, and a share of 0 is 0 */
    p = pair(a, b, 8, 0.05);
    CHECK(p.signs && !p.ratio && p.all.p == 1.0);
    CHECK_NEAR(p.p_equivalent, 1.0 / 256.0, 1e-15);

    for (size_t r = 0; r < 8; r++) { /* four ties, four steps */
        b[r] = 1.0;
        a[r] = r < 4 ? 1.0 : 1.25 + 0.01 * (double)r;
    }
    p = pair(a, b, 8, 0.05);
    CHECK(p.signs);
    CHECK_NEAR(p.all.p, 2.0 / 16.0, 1e-15);
    CHECK_NEAR(p.p_equivalent, 163.0 / 256.0, 1e-15); /* 4 of 8 or more within: 1 - (1 + 8 + 28 + 56) / 256 */
    a[3] = 1.3;
    CHECK(!pair(a, b, 8, 0.05).signs);
}

/* A failed run is worse than any other; both failed is a tie; one that is not there is no pair. */
static void test_failed(void)
{
    double a[MOST], b[MOST];
    for (size_t r = 0; r < 9; r++) {
        b[r] = 1.0 + 0.1 * (double)r;
        a[r] = b[r] * (0.5 + 0.01 * (double)(r * 3 % 7));
    }
    a[7] = b[7] = INFINITY;
    b[8] = NAN;
    sp_paired p = pair(a, b, 9, 0.05);
    CHECK(!p.signs && p.estimate.count == 7 && p.p_equivalent < 1.0); /* those that are left */
    a[2] = INFINITY;
    p = pair(a, b, 9, 0.05);
    CHECK(p.signs && p.ratio && p.estimate.count == 7 && p.all.side == -5.0);
    CHECK_NEAR(p.all.p, 16.0 / 128.0, 1e-15); /* 6 of 7, two-sided */
    CHECK(p.finite.p < 1e-6 && p.finite.side < 0.0);
    CHECK_NEAR(p.p_equivalent, 1.0, 0);
    CHECK(p.estimate.high == INFINITY);
    /* 8 runs of a, two of them failed, against 8 of b, one of them failed */
    CHECK(p.improvement > 0.7 && p.improvement < 0.8);
    b[1] = INFINITY;
    CHECK_NEAR(pair(a, b, 9, 0.05).all.p, 16.0 / 128.0, 1e-15); /* another way round in a pair that said so */

    double x[2 * MOST];
    for (size_t r = 0; r < 6; r++) { /* more is better: failed is -infinity */
        b[r] = 0.5;
        a[r] = r == 0 ? 0.6 : -INFINITY;
    }
    p = sp_pair(a, b, 6, false, 0.05, x);
    CHECK(p.all.side == -4.0 && p.estimate.estimate == 0.0);
    CHECK_NEAR(p.improvement, 1.0 / 6.0, 1e-15);
    CHECK(x[0] > 0.0 && isnan(x[1]) && isnan(p.finite.p));
    for (size_t r = 0; r < 6; r++)
        b[r] = r == 1 ? 0.5 : NAN;
    p = sp_pair(a, b, 6, false, 0.05, x);
    CHECK(p.estimate.count == 1 && isnan(p.all.p) && isnan(p.p_equivalent));
    p = sp_pair(a, b, 1, false, 0.05, x);
    CHECK(p.estimate.count == 0 && isnan(p.all.p) && isnan(p.improvement));
}

/* --- simulated levels ------------------------------------------------------------------------------------------- */

/* 2000 experiments each, R replicates of which the records move both values of a pair by a log-deviation of 1: the
 * ratio (logarithms of normal deviation 0.4) and the difference (normal) are covered in 92 to 98 %, which is six
 * deviations around 95 %. */
static void test_coverage(void)
{
    static const size_t sizes[] = { 5, 10, 30 };
    enum { TRIALS = 2000 };
    gsl_rng *noise = sp_stream_open(sp_stream_key_of(20240601, "pairs", 0, SP_STREAM_DATA));
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t ratios = 0, differences = 0;
        for (size_t trial = 0; trial < TRIALS; trial++) {
            double a[MOST], b[MOST];
            for (size_t r = 0; r < sizes[s]; r++) {
                const double records = gsl_ran_gaussian(noise, 1.0);
                a[r] = 1.7 * exp(records + gsl_ran_gaussian(noise, 0.4));
                b[r] = exp(records + gsl_ran_gaussian(noise, 0.4));
            }
            const sp_interval ratio = pair(a, b, sizes[s], 0.05).estimate;
            ratios += ratio.low <= 1.7 && 1.7 <= ratio.high;
            for (size_t r = 0; r < sizes[s]; r++) {
                a[r] = -2.0 + gsl_ran_gaussian(noise, 0.4);
                b[r] = -3.1 + gsl_ran_gaussian(noise, 0.4);
            }
            const sp_interval difference = pair(a, b, sizes[s], 0.05).estimate;
            differences += difference.low <= 1.1 && 1.1 <= difference.high;
        }
        CHECK_LESS_EQUAL(0.92 * TRIALS, (double)ratios);
        CHECK_LESS_EQUAL((double)ratios, 0.98 * TRIALS);
        CHECK_LESS_EQUAL(0.92 * TRIALS, (double)differences);
        CHECK_LESS_EQUAL((double)differences, 0.98 * TRIALS);
    }
    gsl_rng_free(noise);
}

/* 4000 experiments of ten replicates each, as a ratio and as a difference of negative values: at either end of the
 * margin equivalence is said in 5 % of them (deviation .35 %), where there is no difference in more than 90 %. */
static void test_equivalence(void)
{
    enum { TRIALS = 4000, R = 10 };
    static const double factor[] = { 1.0 / 1.05, 1.0, 1.05 };
    gsl_rng *noise = sp_stream_open(sp_stream_key_of(20240601, "equivalence", 0, SP_STREAM_DATA));
    for (size_t scale = 0; scale < 2; scale++)
        for (size_t f = 0; f < 3; f++) {
            size_t said = 0;
            for (size_t trial = 0; trial < TRIALS; trial++) {
                double a[R], b[R];
                for (size_t r = 0; r < R; r++) {
                    const double u = gsl_ran_gaussian(noise, 0.03), v = gsl_ran_gaussian(noise, 0.03);
                    a[r] = factor[f] * (scale ? -1.0 - u : exp(u));
                    b[r] = scale ? -1.0 - v : exp(v);
                }
                const sp_paired p = pair(a, b, R, 0.05);
                said += p.p_equivalent <= 0.05;
                CHECK(p.ratio == (scale == 0));
            }
            CHECK_LESS_EQUAL((f == 1 ? 0.9 : 0.036) * TRIALS, (double)said);
            CHECK_LESS_EQUAL((double)said, (f == 1 ? 1.0 : 0.064) * TRIALS);
        }
    gsl_rng_free(noise);
}

/* Two methods with one law, of which the label fails where it is bad: in the worst fifth or half of its runs. Its
 * survivors look better in more than 15 or 40 % of 1000 experiments of 20 replicates; the pairs do in at most 5 %. */
static void test_survivors(void)
{
    enum { TRIALS = 1000, R = 20 };
    static const double most[] = { 0.8416212335729143, 0.0 }; /* normal quantiles of 0.8 and 0.5 */
    gsl_rng *noise = sp_stream_open(sp_stream_key_of(20240601, "survivors", 0, SP_STREAM_DATA));
    for (size_t q = 0; q < 2; q++) {
        size_t said = 0, survivors = 0;
        for (size_t trial = 0; trial < TRIALS; trial++) {
            double a[R], b[R];
            for (size_t r = 0; r < R; r++) {
                const double u = gsl_ran_gaussian(noise, 1.0);
                a[r] = u > most[q] ? INFINITY : exp(u);
                b[r] = exp(gsl_ran_gaussian(noise, 1.0));
            }
            const sp_paired p = pair(a, b, R, 0.05);
            said += p.all.p <= 0.05 && p.all.side < 0.0;
            survivors += p.finite.p <= 0.05 && p.finite.side < 0.0;
        }
        CHECK_LESS_EQUAL((double)said, 0.05 * TRIALS);
        CHECK_LESS_EQUAL((q ? 0.4 : 0.15) * TRIALS, (double)survivors);
    }
    gsl_rng_free(noise);
}

int main(void)
{
    test_ratio();
    test_difference();
    test_signs();
    test_failed();
    test_coverage();
    test_equivalence();
    test_survivors();
    return sp_check_done();
}
