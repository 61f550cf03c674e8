/* normal.c -- normal numbers by random access: against Random123's Philox and long double mathematics, at the ends of
 * the uniform numbers, the same bits on every instruction set; their law.
 *
 * Statistical tests fix their streams; each allows the 1e-6 quantile (z = 4.9 for sums). There are some 40 of them, so
 * that a fresh stream of true normals would fail with probability 4e-5. */
#include "core/numeric/normal.c" /* the kernels of each set, and box_muller */

#include "core/base/memory.h"
#include "tests/check.h"

#include <Random123/philox.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <stdlib.h>

enum { COUNT = 2000000 };

static const long double TWO_PI = 6.283185307179586476925286766559005768L;

static sp_stream_key key_of(uint64_t replicate)
{
    return sp_stream_key_of(2385, "normal test", replicate, SP_STREAM_NOISE);
}

/* The uniform numbers of a pair by the definition in normal.h. */
static void uniforms(sp_stream_key key, uint64_t step, uint64_t pair, double *u1, double *u2)
{
    const uint64_t rest = key.word[1] + (step >> 32);
    const philox4x32_ctr_t counter = { { (uint32_t)pair, (uint32_t)step, (uint32_t)rest, (uint32_t)(rest >> 32) } };
    const philox4x32_key_t k = { { (uint32_t)key.word[0], (uint32_t)(key.word[0] >> 32) } };
    const philox4x32_ctr_t out = philox4x32_R(10, counter, k);
    *u1 = ldexp((double)(((uint64_t)out.v[0] << 32 | out.v[1]) >> 11) + 1.0, -53);
    *u2 = ldexp((double)(((uint64_t)out.v[2] << 32 | out.v[3]) >> 11), -53);
}

/* cos(2 pi u) or, by a quarter turn back, the sine; u in [0, 1) reduced without rounding. */
static long double turned(double u, int sine)
{
    const int quarter = (int)(4.0 * u + 0.5);
    const long double angle = TWO_PI * ((long double)u - 0.25L * quarter);
    const int k = (quarter + (sine ? 3 : 0)) % 4;
    return k == 0 ? cosl(angle) : k == 1 ? -sinl(angle) : k == 2 ? -cosl(angle) : sinl(angle);
}

static void check_number(double z, double u1, double u2, int sine)
{
    const long double exact = sqrtl(-2.0L * logl((long double)u1)) * turned(u2, sine);
    const double ulp = nextafter(fabs((double)exact), INFINITY) - fabs((double)exact);
    SP_CHECK_REPORT(fabsl((long double)z - exact) <= 4.0L * ulp, "u1 = %a, u2 = %a: %.17g, not %.20Lg", u1, u2, z,
                    exact);
}

static void test_definition(void)
{
    static const uint64_t steps[] = { 0, 1, 2385, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX };
    static const uint64_t pairs[] = { 0, 3, 70001, UINT32_MAX - 200 };
    static const size_t counts[] = { 1, 2, 15, 16, 17, 127, 128, 129, 400 };
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                double v[402] = { 0 };
                v[counts[c]] = 2.385;
                sp_normal_add(key_of(s), steps[s], pairs[p], counts[c], 1.0, v);
                CHECK(v[counts[c]] == 2.385 && v[counts[c] + 1] == 0.0); /* writes no further */
                for (size_t i = 0; i < counts[c]; i++) {
                    double u1, u2;
                    uniforms(key_of(s), steps[s], pairs[p] + i / 2, &u1, &u2);
                    check_number(v[i], u1, u2, i % 2);
                }
            }
}

/* Ten rounds, in kat_vectors of Random123: the output (a, b, c, e) of one block. */
static void test_known_answers(void)
{
    static const struct {
        sp_philox_place at;
        uint32_t out[4];
    } known[] = {
        { { { 0, 0 }, { 0, 0, 0, 0 } }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { { 0xffffffff, 0xffffffff }, { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff } },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { { 0xa4093822, 0x299f31d0 }, { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 } },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        uint64_t word[SP_PHILOX_WORDS];
        sp_philox_baseline(&known[k].at, word);
        for (size_t i = 0; i < 4; i++)
            CHECK(word[i * SP_PHILOX_LANES] == known[k].out[i]);
    }
}

/* Where the formula has its ends: the shortest and longest vectors, the axes and diagonals and what is beside them. */
static void test_ends(void)
{
    static const uint64_t first[] = { 0, 1, 2, (UINT64_C(1) << 27) - 1, (UINT64_C(1) << 52) - 1, 0x16a09e667f3bcb,
                                      0x16a09e667f3bcd, (UINT64_C(1) << 53) - 3, (UINT64_C(1) << 53) - 2,
                                      (UINT64_C(1) << 53) - 1 }; /* 2^53 u1 - 1 */
    uint64_t word[SP_PHILOX_WORDS];
    double z[GROUP];
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        for (uint64_t eighth = 0; eighth < 8; eighth++)
            for (uint64_t beside = 0; beside < 3; beside++) {
                const uint64_t second = ((eighth << 50) + beside - 1) & ((UINT64_C(1) << 53) - 1);
                const double u1 = ldexp((double)first[i] + 1.0, -53), u2 = ldexp((double)second, -53);
                for (size_t k = 0; k < SP_PHILOX_LANES; k++) {
                    word[k] = first[i] >> 21;
                    word[SP_PHILOX_LANES + k] = (first[i] << 11 | k) & UINT32_MAX; /* 11 bits count for nothing */
                    word[2 * SP_PHILOX_LANES + k] = second >> 21;
                    word[3 * SP_PHILOX_LANES + k] = (second << 11 | k) & UINT32_MAX;
                }
                box_muller(word, z);
                check_number(z[0], u1, u2, 0);
                check_number(z[1], u1, u2, 1);
                for (size_t k = 1; k < SP_PHILOX_LANES; k++)
                    CHECK(memcmp(z, z + 2 * k, 2 * sizeof *z) == 0);
            }
    memset(word, 0, sizeof word);
    box_muller(word, z);
    CHECK(z[0] > 8.57 && z[0] < 8.58 && z[1] == 0.0); /* how far they reach */
}

/* A number depends on where it is alone; what was there stays below it. */
static void test_random_access(void)
{
    enum { ALL = 1000 };
    double whole[ALL] = { 0 }, part[ALL];
    sp_normal_add(key_of(7), 3, 0, ALL, 1.0, whole);
    for (size_t first = 0; first < ALL; first += 58)
        for (size_t count = 0; count <= ALL - first; count += 37) {
            for (size_t i = 0; i < count; i++)
                part[i] = 10.0 + (double)i;
            sp_normal_add(key_of(7), 3, first / 2, count, 0.73, part);
            for (size_t i = 0; i < count; i++)
                CHECK(part[i] == 10.0 + (double)i + 0.73 * whole[first + i]);
        }
}

/* Every instruction set of this processor gives the same bits. */
static void test_sets(void)
{
    enum { ALL = 100003 };
    const sp_philox_place at = { { 0x9e3779b9, 7 }, { UINT32_MAX - 60000, 5, 6, 7 } };
    double *a = sp_alloc_doubles(ALL), *b = sp_alloc_doubles(ALL);
    add_on[SP_ISA_BASELINE](at, ALL, 2.385, a);
    for (sp_isa isa = SP_ISA_AVX2; isa < SP_ISAS; isa++) {
        if (!sp_isa_known(sp_isa_name(isa)))
            continue;
        for (size_t count = ALL - 40; count <= ALL; count++) {
            memset(b, 0, ALL * sizeof *b);
            add_on[isa](at, count, 2.385, b);
            SP_CHECK_REPORT(memcmp(a, b, count * sizeof *a) == 0, "%s: other numbers", sp_isa_name(isa));
        }
    }
    free(a);
    free(b);
}

static void test_moments(const double *z)
{
    const double n = COUNT, limit = 4.9 / sqrt(n);
    double sum[7] = { 0 };
    for (size_t i = 0; i < COUNT; i++)
        for (int k = 1; k <= 6; k++)
            sum[k] += gsl_pow_int(z[i], k) / n;
    CHECK_NEAR(sum[1], 0.0, limit);
    CHECK_NEAR(sum[2], 1.0, sqrt(2.0) * limit);
    CHECK_NEAR(sum[3], 0.0, sqrt(15.0) * limit);
    CHECK_NEAR(sum[4], 3.0, sqrt(96.0) * limit);
    CHECK_NEAR(sum[5], 0.0, sqrt(945.0) * limit);
    CHECK_NEAR(sum[6], 15.0, sqrt(10395.0 - 225.0) * limit);
}

/* Neither too large nor too small to be a draw. */
static void check_chi2(double chi2, double freedom)
{
    CHECK_LESS_EQUAL(5e-7, gsl_cdf_chisq_Q(chi2, freedom));
    CHECK_LESS_EQUAL(5e-7, gsl_cdf_chisq_P(chi2, freedom));
}

/* Cells of equal probability: 1000 of the numbers, 40 x 40 of the pairs. */
static void test_cells(const double *z)
{
    enum { CELLS = 1000, SIDE = 40 };
    static double one[CELLS], two[SIDE][SIDE];
    double chi2 = 0.0, square = 0.0;
    for (size_t i = 0; i < COUNT; i += 2) {
        const double p = gsl_cdf_ugaussian_P(z[i]), q = gsl_cdf_ugaussian_P(z[i + 1]);
        one[(size_t)(p * CELLS)] += 1.0;
        one[(size_t)(q * CELLS)] += 1.0;
        two[(size_t)(p * SIDE)][(size_t)(q * SIDE)] += 1.0;
    }
    for (size_t i = 0; i < CELLS; i++)
        chi2 += gsl_pow_2(one[i] - (double)COUNT / CELLS) / ((double)COUNT / CELLS);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        square += gsl_pow_2(two[i / SIDE][i % SIDE] - 0.5 * COUNT / (SIDE * SIDE)) / (0.5 * COUNT / (SIDE * SIDE));
    check_chi2(chi2, CELLS - 1.0);
    check_chi2(square, SIDE * SIDE - 1.0);
}

/* Sorts. 2 exp(-2 t^2) = 1e-6; counts beyond whole deviations. */
static void test_distribution(double *z)
{
    double gap = 0.0;
    gsl_sort(z, 1, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const double p = gsl_cdf_ugaussian_P(z[i]);
        gap = fmax(gap, fmax(fabs(p - (double)i / COUNT), fabs((double)(i + 1) / COUNT - p)));
    }
    CHECK_LESS_EQUAL(gap * sqrt(COUNT), 2.69);
    for (int side = -1; side <= 1; side += 2)
        for (int k = 1; k <= 4; k++) {
            const double expected = COUNT * gsl_cdf_ugaussian_Q(k);
            double beyond = 0.0;
            for (size_t i = 0; i < COUNT; i++)
                beyond += side * z[i] > (double)k;
            CHECK_NEAR(beyond, expected, 4.9 * sqrt(expected));
        }
}

/* Products of two, of their squares, and of one with the other's square: all without correlation. */
static void check_independent(const double *a, const double *b, size_t count, size_t stride)
{
    double plain = 0.0, squares = 0.0, mixed = 0.0, terms = 0.0;
    for (size_t i = 0; i < count; i += stride) {
        plain += a[i] * b[i];
        squares += (a[i] * a[i] - 1.0) * (b[i] * b[i] - 1.0);
        mixed += a[i] * (b[i] * b[i] - 1.0);
        terms += 1.0;
    }
    CHECK_NEAR(plain / sqrt(terms), 0.0, 4.9);
    CHECK_NEAR(squares / (2.0 * sqrt(terms)), 0.0, 4.9);
    CHECK_NEAR(mixed / sqrt(2.0 * terms), 0.0, 4.9);
}

static void test_independence(const double *z)
{
    double *other = sp_alloc_doubles(COUNT);
    check_independent(z, z + 1, COUNT - 1, 2);  /* cosine and sine of a pair */
    check_independent(z, z + 2, COUNT - 2, 1);  /* the next pair */
    check_independent(z, z + 16, COUNT - 16, 1); /* the next eight blocks */
    sp_normal_add(key_of(11), 1, 0, COUNT, 1.0, other);
    check_independent(z, other, COUNT, 1); /* the next step */
    memset(other, 0, COUNT * sizeof *other);
    sp_normal_add(key_of(12), 0, 0, COUNT, 1.0, other);
    check_independent(z, other, COUNT, 1); /* another stream */
    gsl_rng *words = sp_stream_open(key_of(11));
    for (size_t i = 0; i < COUNT; i++)
        other[i] = gsl_cdf_ugaussian_Pinv(gsl_rng_uniform(words) + 0x1p-54);
    check_independent(z, other, COUNT, 1); /* the gsl_rng of the same key */
    gsl_rng_free(words);
    free(other);
}

/* Short steps, as releases are: the first numbers of many steps are as good as many numbers of one. */
static void test_short_steps(void)
{
    enum { STEPS = 200000 };
    double *first = sp_alloc_doubles(STEPS), squares = 0.0;
    for (uint64_t step = 0; step < STEPS; step++) {
        sp_normal_add(key_of(13), step, 0, 1, 1.0, first + step);
        squares += first[step] * first[step];
    }
    check_chi2(squares, STEPS);
    check_independent(first, first + 1, STEPS - 1, 1);
    free(first);
}

int main(void)
{
    double *z = sp_alloc_doubles(COUNT);
    sp_normal_add(key_of(11), 0, 0, COUNT, 1.0, z);
    test_definition();
    test_known_answers();
    test_ends();
    test_random_access();
    test_sets();
    test_moments(z);
    test_cells(z);
    test_independence(z);
    test_short_steps();
    test_distribution(z);
    free(z);
    return sp_check_done();
}
