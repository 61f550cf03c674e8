/* stream.c -- Philox's known answers, the gsl_rng over it, independence of names.
 *
 * The statistical checks have a fixed seed, so they pass always or never; each bound is 5 standard deviations, which a
 * good generator would miss with probability 6e-7, or the chi-squared quantile of the same probability (17 such checks:
 * 1e-5 in all). */
#include "core/numeric/stream.h"
#include "tests/check.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <limits.h>
#include <stdlib.h>

enum { DRAWS = 200000 };

static void check_block(sp_stream_key key, const uint64_t counter[4], const uint64_t expected[4])
{
    uint64_t out[4] = { 0 };
    sp_stream_block(key, counter, out);
    for (size_t i = 0; i < 4; i++)
        CHECK(out[i] == expected[i]);
}

/* philox4x64, 10 rounds, in kat_vectors of Random123. */
static void test_known_answers(void)
{
    check_block((sp_stream_key){ { 0, 0 } }, (uint64_t[4]){ 0, 0, 0, 0 },
                (uint64_t[4]){ 0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b });
    check_block((sp_stream_key){ { UINT64_MAX, UINT64_MAX } },
                (uint64_t[4]){ UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX },
                (uint64_t[4]){ 0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0 });
    check_block((sp_stream_key){ { 0x452821e638d01377, 0xbe5466cf34e90c6c } },
                (uint64_t[4]){ 0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89 },
                (uint64_t[4]){ 0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6 });
}

/* The key is the head of SHA-256 of "stillpoint stream\0" "20240601\0" "n=1000,d=10\0" "3\0" "noise\0", or
 * another purpose's name (by Python's hashlib). A change here changes every result ever stored. */
static void test_key(void)
{
    static const struct {
        sp_purpose purpose;
        uint64_t word[2];
    } known[] = {
        { SP_STREAM_NOISE, { 0x6277fee3ad2c09be, 0x904015d9da2cb33a } },
        { SP_STREAM_TRUTH, { 0xb811e25b70b802b0, 0x1c33bdfd387e2cd1 } },
        { SP_STREAM_POPULATION, { 0x11678457f85d6aa5, 0xa005ec5f872243a3 } },
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const sp_stream_key key = sp_stream_key_of(20240601, "n=1000,d=10", 3, known[k].purpose);
        CHECK(memcmp(&key, known[k].word, sizeof key) == 0);
    }
}

/* Every part of the name matters, and parts cannot run together: all keys differ, in both words. */
static void test_names(void)
{
    static const uint64_t seeds[] = { 0, 1, 20240601, UINT64_MAX };
    static const char *const axes[] = { "", "1", "n=1000", "n=10000", "n=1000,d=10" };
    enum { REPLICATES = 12, PURPOSES = SP_STREAM_BOOTSTRAP + 1, COUNT = 4 * 5 * REPLICATES * PURPOSES };
    static sp_stream_key keys[COUNT];
    size_t count = 0, equal = 0;
    for (size_t s = 0; s < 4; s++)
        for (size_t a = 0; a < 5; a++)
            for (uint64_t r = 0; r < REPLICATES; r++)
                for (int p = 0; p < PURPOSES; p++)
                    keys[count++] = sp_stream_key_of(seeds[s], axes[a], r, (sp_purpose)p);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            equal += keys[i].word[0] == keys[j].word[0] || keys[i].word[1] == keys[j].word[1];
    CHECK_EQUAL(count, COUNT);
    CHECK_EQUAL(equal, 0);
}

/* Word i of the stream is word i mod 4 of block i / 4. */
static void test_sequential_is_random_access(void)
{
    const sp_stream_key key = sp_stream_key_of(7, "axes", 1, SP_STREAM_DATA);
    gsl_rng *rng = sp_stream_open(key);
    CHECK(rng != NULL);
    CHECK_EQUAL(gsl_rng_min(rng), 0);
    CHECK(gsl_rng_max(rng) == ULONG_MAX);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t block[4];
        sp_stream_block(key, (uint64_t[4]){ i / 4, 0, 0, 0 }, block);
        CHECK(gsl_rng_get(rng) == block[i % 4]);
    }
    gsl_rng_free(rng);
}

static void test_uniform(void)
{
    const sp_stream_key key = sp_stream_key_of(7, "axes", 2, SP_STREAM_DATA);
    gsl_rng *words = sp_stream_open(key), *rng = sp_stream_open(key);
    for (int i = 0; i < 1000; i++) {
        const unsigned long word = gsl_rng_get(words);
        const double u = gsl_rng_uniform(rng);
        CHECK_NEAR(u, ldexp((double)(word / 2048), -53), 0.0);
        CHECK(u >= 0.0 && u < 1.0);
    }
    gsl_rng_free(words);
    gsl_rng_free(rng);
}

/* gsl_rng_set starts again, with Philox key (seed, 0). */
static void test_set(void)
{
    gsl_rng *rng = gsl_rng_alloc(sp_stream_rng);
    uint64_t block[4];
    gsl_rng_get(rng);
    gsl_rng_set(rng, 2385);
    sp_stream_block((sp_stream_key){ { 2385, 0 } }, (uint64_t[4]){ 0 }, block);
    for (size_t i = 0; i < 4; i++)
        CHECK(gsl_rng_get(rng) == block[i]);
    gsl_rng_set(rng, 0);
    CHECK(gsl_rng_get(rng) == 0x16554d9eca36314c);
    gsl_rng_free(rng);
}

static void test_clone(void)
{
    gsl_rng *rng = sp_stream_open(sp_stream_key_of(7, "axes", 3, SP_STREAM_DATA));
    gsl_rng *other = sp_stream_open(sp_stream_key_of(8, "axes", 3, SP_STREAM_DATA));
    for (int i = 0; i < 6; i++) /* into the middle of a block */
        gsl_rng_get(rng);
    gsl_rng *clone = gsl_rng_clone(rng);
    gsl_rng_memcpy(other, rng);
    for (int i = 0; i < 20; i++) {
        const unsigned long word = gsl_rng_get(rng);
        CHECK(gsl_rng_get(clone) == word);
        CHECK(gsl_rng_get(other) == word);
    }
    gsl_rng_free(rng);
    gsl_rng_free(clone);
    gsl_rng_free(other);
}

/* A stream in the caller's memory is the stream. */
static void test_place(void)
{
    const sp_stream_key key = sp_stream_key_of(7, "axes", 4, SP_STREAM_TRUTH);
    gsl_rng *rng = sp_stream_open(key);
    sp_stream memory;
    memset(&memory, 0xa5, sizeof memory);
    gsl_rng *placed = sp_stream_place(&memory, key);
    CHECK_TEXT(gsl_rng_name(placed), gsl_rng_name(rng));
    for (int i = 0; i < 50; i++)
        CHECK(gsl_rng_get(placed) == gsl_rng_get(rng));
    CHECK_NEAR(gsl_ran_gaussian_ziggurat(placed, 2.385), gsl_ran_gaussian_ziggurat(rng, 2.385), 0.0);
    gsl_rng_free(rng);
}

/* Word i of substream k is word i mod 4 of block (i / 4, k, 0, 0), from wherever the stream is moved there: no block is
 * in two substreams, and a stream opens in substream 0. */
static void test_substreams(void)
{
    static const uint64_t index[] = { 0, 1, 2385, 1, UINT32_MAX, UINT64_MAX, 0 };
    const sp_stream_key key = sp_stream_key_of(7, "axes", 5, SP_STREAM_POPULATION);
    sp_stream memory;
    gsl_rng *opened = sp_stream_open(key), *placed = sp_stream_place(&memory, key);
    for (size_t k = 0; k < sizeof index / sizeof *index; k++) {
        gsl_rng *rng = k % 2 ? opened : placed;
        if (k > 0)
            sp_stream_at(rng, index[k]);
        for (uint64_t i = 0; i < 37 + k; i++) { /* ends anywhere in a block */
            uint64_t block[4];
            sp_stream_block(key, (uint64_t[4]){ i / 4, index[k], 0, 0 }, block);
            CHECK(gsl_rng_get(rng) == block[i % 4]);
        }
    }
    gsl_rng_free(opened);
}

/* A step is the substream that the stream is in, whatever of it was drawn; the next one is then at its start. */
static void test_steps(void)
{
    const sp_stream_key key = sp_stream_key_of(7, "axes", 6, SP_STREAM_NOISE);
    gsl_rng *rng = sp_stream_open(key);
    sp_stream_key told = { { 0, 0 } };
    uint64_t block[4];
    CHECK(sp_stream_step(rng, &told) == 0);
    CHECK(memcmp(&told, &key, sizeof key) == 0);
    gsl_rng_get(rng);
    CHECK(sp_stream_step(rng, &told) == 1);
    sp_stream_block(key, (uint64_t[4]){ 0, 2, 0, 0 }, block);
    CHECK(gsl_rng_get(rng) == block[0]);
    sp_stream_at(rng, UINT64_MAX);
    CHECK(sp_stream_step(rng, &told) == UINT64_MAX);
    gsl_rng_free(rng);
}

/* Neither too large nor too small to be a draw. */
static void check_chi2(double chi2, double freedom)
{
    CHECK_LESS_EQUAL(3e-7, gsl_cdf_chisq_Q(chi2, freedom));
    CHECK_LESS_EQUAL(3e-7, gsl_cdf_chisq_P(chi2, freedom));
}

static void test_bits(void)
{
    gsl_rng *rng = sp_stream_open(sp_stream_key_of(11, "bits", 0, SP_STREAM_NOISE));
    unsigned long ones[64] = { 0 };
    for (int i = 0; i < DRAWS; i++) {
        const unsigned long word = gsl_rng_get(rng);
        for (int bit = 0; bit < 64; bit++)
            ones[bit] += (word >> bit) & 1;
    }
    double chi2 = 0.0;
    for (int bit = 0; bit < 64; bit++)
        chi2 += pow((double)ones[bit] - 0.5 * DRAWS, 2) / (0.25 * DRAWS);
    check_chi2(chi2, 64.0);
    gsl_rng_free(rng);
}

static void test_moments(void)
{
    gsl_rng *rng = sp_stream_open(sp_stream_key_of(11, "moments", 0, SP_STREAM_NOISE));
    double u1 = 0.0, u2 = 0.0, lag = 0.0, g1 = 0.0, g2 = 0.0, before = 0.5;
    for (int i = 0; i < DRAWS; i++) {
        const double u = gsl_rng_uniform(rng);
        u1 += u / DRAWS;
        u2 += u * u / DRAWS;
        lag += (u - 0.5) * (before - 0.5) / DRAWS;
        before = u;
    }
    for (int i = 0; i < DRAWS; i++) {
        const double g = gsl_ran_gaussian(rng, 1.0);
        g1 += g / DRAWS;
        g2 += g * g / DRAWS;
    }
    CHECK_NEAR(u1, 1.0 / 2.0, 5.0 * sqrt(1.0 / 12.0 / DRAWS));
    CHECK_NEAR(u2, 1.0 / 3.0, 5.0 * sqrt(4.0 / 45.0 / DRAWS));
    CHECK_NEAR(lag, 0.0, 5.0 / 12.0 / sqrt(DRAWS));
    CHECK_NEAR(g1, 0.0, 5.0 / sqrt(DRAWS));
    CHECK_NEAR(g2, 1.0, 5.0 * sqrt(2.0 / DRAWS));
    gsl_rng_free(rng);
}

static void test_uniform_int(void)
{
    static const unsigned long sizes[] = { 2, 7, 1000 };
    gsl_rng *rng = sp_stream_open(sp_stream_key_of(11, "integers", 0, SP_STREAM_SAMPLING));
    for (size_t k = 0; k < 3; k++) {
        static long seen[1000];
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < DRAWS; i++) {
            const unsigned long drawn = gsl_rng_uniform_int(rng, sizes[k]);
            if (drawn < sizes[k])
                seen[drawn]++;
            else
                CHECK(drawn < sizes[k]);
        }
        const double expected = (double)DRAWS / (double)sizes[k];
        double chi2 = 0.0;
        for (size_t i = 0; i < sizes[k]; i++)
            chi2 += pow((double)seen[i] - expected, 2) / expected;
        check_chi2(chi2, (double)(sizes[k] - 1));
    }
    for (int i = 0; i < 100; i++) /* ranges beyond 32 bits are real */
        CHECK(gsl_rng_uniform_int(rng, 1UL << 62) < 1UL << 62);
    gsl_rng_free(rng);
}

/* Streams that differ in one part of the name are uncorrelated. */
static void test_independence(void)
{
    const sp_stream_key base = sp_stream_key_of(5, "n=1000", 0, SP_STREAM_NOISE);
    const sp_stream_key others[] = {
        sp_stream_key_of(6, "n=1000", 0, SP_STREAM_NOISE),    sp_stream_key_of(5, "n=1001", 0, SP_STREAM_NOISE),
        sp_stream_key_of(5, "n=1000", 1, SP_STREAM_NOISE),    sp_stream_key_of(5, "n=1000", 0, SP_STREAM_SAMPLING),
        sp_stream_key_of(5, "n=1000", 0, SP_STREAM_DATA),     sp_stream_key_of(5, "n=1000", 0, SP_STREAM_COINS),
        sp_stream_key_of(5, "n=1000", 0, SP_STREAM_SELECTION), sp_stream_key_of(5, "n=1000", 0, SP_STREAM_MEASURE),
    };
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        gsl_rng *a = sp_stream_open(base), *b = sp_stream_open(others[k]);
        double correlation = 0.0;
        for (int i = 0; i < DRAWS; i++)
            correlation += 12.0 * (gsl_rng_uniform(a) - 0.5) * (gsl_rng_uniform(b) - 0.5) / DRAWS;
        CHECK_NEAR(correlation, 0.0, 5.0 / sqrt(DRAWS));
        gsl_rng_free(a);
        gsl_rng_free(b);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    test_known_answers();
    test_key();
    test_names();
    test_sequential_is_random_access();
    test_uniform();
    test_set();
    test_clone();
    test_place();
    test_substreams();
    test_steps();
    test_bits();
    test_moments();
    test_uniform_int();
    test_independence();
    return sp_check_done();
}
