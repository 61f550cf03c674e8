/* counts.c -- binomial and hypergeometric counts: log P against 60 digits, frequencies against P, moments at 10^9.
 *
 * Statistical tests fix their seed; each allows the 1e-6 quantile. */
#include "core/numeric/counts.h"

#include "core/numeric/stream.h"
#include "tests/check.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>

enum { DRAWS = 100000 };
static const double most = 4.891638; /* deviations: 1e-6 on both sides */

/* Expected values from Python's mpmath. */
static void check_logs(void)
{
    static const struct {
        size_t n;
        double p;
        size_t k;
        double log;
    } binomial[] = {
        { 20, 0.3, 7, -1.8062926549204251 },
        { 20, 0.3, 0, -7.1334988787746473 },
        { 1000, 0.95, 960, -3.8717598451968829 },
        { 1000000000, 0.5, 500031250, -12.540549270686374 },
        { 1000000000, 0.95, 949930000, -61.313881376193285 },
        { 4294967295, 0.5, 2147483647, -11.31614624166206 },
        { 4294967295, 0.5, 2147283647, -29.942690893155813 },
        { 4294967295, 0.95, 4080268931, -16.613426925354402 },
    };
    static const struct {
        size_t good, bad, draws, k;
        double log;
    } hypergeometric[] = {
        { 12, 9, 7, 3, -1.4338469013689727 },
        { 12, 9, 7, 0, -8.0802374162167022 },
        { 5, 1000, 400, 5, -4.6215205084428627 },
        { 500000011, 499999989, 1000000, 500800, -8.414291943880472 },
        { 2147483650, 2147483645, 2147483647, 1073681824, -17.328689239373216 },
        { 4080218931, 214748364, 1000000000, 950020000, -15.113182155661924 },
        { 3, 4294967292, 4294967000, 3, -2.060551268060789e-7 },
    };
    for (size_t i = 0; i < sizeof binomial / sizeof *binomial; i++)
        CHECK_NEAR(sp_binomial_log(binomial[i].n, binomial[i].p, binomial[i].k), binomial[i].log, 1e-10);
    for (size_t i = 0; i < sizeof hypergeometric / sizeof *hypergeometric; i++)
        CHECK_NEAR(sp_hypergeometric_log(hypergeometric[i].good, hypergeometric[i].bad, hypergeometric[i].draws,
                                         hypergeometric[i].k),
                   hypergeometric[i].log, 1e-10);
}

/* A law by its parameters: good = 0 is binomial. */
typedef struct law {
    size_t n;
    double p;
    size_t good, bad, draws;
} law;

static size_t draw(const law *l, gsl_rng *stream)
{
    return l->n > 0 ? sp_binomial(stream, l->n, l->p) : sp_hypergeometric(stream, l->good, l->bad, l->draws);
}

static double probability(const law *l, size_t k)
{
    return exp(l->n > 0 ? sp_binomial_log(l->n, l->p, k) : sp_hypergeometric_log(l->good, l->bad, l->draws, k));
}

/* Chi-square over cells of consecutive k, each expected 20 times at least; `low` to `high` hold all but 1e-9. */
static void check_frequencies(const law *l, size_t low, size_t high)
{
    enum { FEWEST = 20 };
    double *expected = calloc(high - low + 1, sizeof *expected), chi = 0.0, sum = 0.0;
    double *seen = calloc(high - low + 1, sizeof *seen);
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "counts", l->n + l->good, SP_STREAM_DATA));
    for (size_t k = low; k <= high; k++)
        sum += expected[k - low] = probability(l, k);
    CHECK_NEAR(sum, 1.0, 1e-9);
    for (size_t i = 0; i < DRAWS; i++) {
        const size_t k = draw(l, stream);
        if (k < low || k > high)
            CHECK(k >= low && k <= high);
        else
            seen[k - low] += 1.0;
    }
    size_t cells = 0;
    for (size_t k = 0; k <= high - low;) {
        double wanted = 0.0, got = 0.0;
        for (; k <= high - low && wanted * DRAWS < FEWEST; k++) {
            wanted += expected[k];
            got += seen[k];
        }
        if (wanted * DRAWS < FEWEST)
            break; /* the tail is left out */
        chi += (got - wanted * DRAWS) * (got - wanted * DRAWS) / (wanted * DRAWS);
        cells++;
    }
    CHECK(cells > 1);
    CHECK_LESS_EQUAL(gsl_cdf_chisq_P(chi, (double)cells), 1.0 - 1e-6);
    gsl_rng_free(stream);
    free(expected);
    free(seen);
}

/* How many are further than `far` from the middle; none is than `end`. */
static void check_tails(const law *l, size_t middle, size_t far, size_t end)
{
    double p = 0.0, seen = 0.0;
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(3, "counts", 0, SP_STREAM_DATA));
    for (size_t i = far + 1; i <= end; i++)
        p += probability(l, middle + i) + probability(l, middle - i);
    for (size_t i = 0; i < 10 * DRAWS; i++) {
        const size_t k = draw(l, stream);
        seen += k > middle + far || k < middle - far;
    }
    CHECK_LESS_EQUAL(fabs(seen - 10.0 * DRAWS * p) / sqrt(10.0 * DRAWS * p * (1.0 - p)), most);
    gsl_rng_free(stream);
}

static void check_moments(const law *l, double mean, double variance)
{
    double sum = 0.0, squares = 0.0;
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(7, "counts", l->n + l->draws, SP_STREAM_DATA));
    for (size_t i = 0; i < DRAWS; i++) {
        const double far = (double)draw(l, stream) - mean;
        sum += far;
        squares += far * far;
    }
    CHECK_LESS_EQUAL(fabs(sum) / sqrt(DRAWS * variance), most);
    CHECK_LESS_EQUAL(fabs(squares / DRAWS / variance - 1.0), most * sqrt(2.0 / DRAWS));
    gsl_rng_free(stream);
}

static void check_ends(void)
{
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(1, "counts", 0, SP_STREAM_DATA));
    CHECK_EQUAL(sp_binomial(stream, 23, 0.0), 0);
    CHECK_EQUAL(sp_binomial(stream, 23, 1.0), 23);
    CHECK_EQUAL(sp_binomial(stream, 0, 0.3), 0);
    CHECK_EQUAL(sp_hypergeometric(stream, 0, 23, 7), 0);
    CHECK_EQUAL(sp_hypergeometric(stream, 23, 0, 7), 7);
    CHECK_EQUAL(sp_hypergeometric(stream, 23, 11, 0), 0);
    CHECK_EQUAL(sp_hypergeometric(stream, 23, 11, 34), 23);
    CHECK_EQUAL(sp_hypergeometric(stream, 0, 0, 0), 0);
    CHECK_EQUAL(sp_hypergeometric(stream, 23, 11, 35), 23); /* more than there are */
    CHECK_EQUAL(sp_hypergeometric(stream, 0, 11, 35), 0);
    for (size_t i = 0; i < 200; i++) {
        const size_t k = sp_hypergeometric(stream, 23, 4, 25);
        CHECK(k >= 21 && k <= 23);
    }
    gsl_rng_free(stream);
}

int main(void)
{
    static const law laws[] = {
        { 7, 0.3, 0, 0, 0 }, { 40, 0.95, 0, 0, 0 }, { 1, 0.5, 0, 0, 0 }, { 0, 0.0, 12, 9, 7 }, { 0, 0.0, 30, 1, 15 },
        { 0, 0.0, 200, 300, 450 }, { 0, 0.0, 5, 4294967290, 2147483647 }, { 300, 0.002, 0, 0, 0 },
    };
    static const size_t high[] = { 7, 40, 1, 7, 15, 200, 5, 30 }, low[] = { 0, 0, 0, 0, 14, 150, 0, 0 };
    check_logs();
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        check_frequencies(&laws[i], low[i], high[i]);
    const size_t n = 1000000000, half = 500000000, m = 300000000;
    check_frequencies(&(law){ .n = n, .p = 0.5 }, half - 130000, half + 130000);
    check_tails(&(law){ .n = n, .p = 0.5 }, half, 41000, 130000); /* 2.6 deviations */
    check_frequencies(&(law){ .good = half, .bad = half, .draws = 2 * m }, m - 90000, m + 90000);
    check_moments(&(law){ .n = n, .p = 0.95 }, 0.95e9, 0.95e9 * 0.05);
    check_moments(&(law){ .n = 4294967295, .p = 0.5 }, 2147483647.5, 1073741823.75);
    check_moments(&(law){ .good = half, .bad = half, .draws = m }, 0.5 * (double)m,
                  (double)m * 0.25 * (double)(n - m) / (double)(n - 1));
    check_ends();
    return sp_check_done();
}
