/* noise.c -- the law of the privacy noise: moments, Kolmogorov-Smirnov, tails, covariance, independent streams.
 *
 * Seeds are fixed. Each test allows z = 4.9 standard errors (two-sided 1e-6); with the 40 or so comparisons below the
 * false-alarm rate of a fresh seed would be under 1e-4. */
#include "core/base/memory.h"
#include "core/numeric/normal.h"
#include "core/numeric/stream.h"
#include "core/oracle/noise.h"
#include "tests/check.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <stdlib.h>

enum { COUNT = 400001 }; /* odd: the last pair is used by half */

static gsl_rng *stream(uint64_t seed, sp_purpose purpose)
{
    return sp_stream_open(sp_stream_key_of(seed, "noise test", 0, purpose));
}

static double *draws(uint64_t seed, double noise_std, size_t count)
{
    gsl_rng *r = stream(seed, SP_STREAM_NOISE);
    double *v = sp_alloc_doubles(count);
    sp_noise_gaussian(r, noise_std, count, v);
    gsl_rng_free(r);
    return v;
}

static void moments(void)
{
    const double noise_std = 2.385, n = COUNT, limit = 4.9 / sqrt(n);
    double *v = draws(20240601, noise_std, COUNT), sum[5] = { 0 }, lag = 0.0, lag2 = 0.0;
    for (size_t i = 0; i < COUNT; i++) {
        const double z = v[i] / noise_std;
        for (int k = 1; k <= 4; k++)
            sum[k] += gsl_pow_int(z, k) / n;
        lag += i > 0 ? z * v[i - 1] / noise_std / n : 0.0;
        lag2 += i > 0 ? (z * z - 1.0) * (gsl_pow_2(v[i - 1] / noise_std) - 1.0) / n : 0.0;
    }
    CHECK_NEAR(sum[1], 0.0, limit);
    CHECK_NEAR(sum[2], 1.0, sqrt(2.0) * limit);
    CHECK_NEAR(sum[3], 0.0, sqrt(15.0) * limit);
    CHECK_NEAR(sum[4], 3.0, sqrt(96.0) * limit);
    CHECK_NEAR(lag, 0.0, limit);        /* cosine and sine of one pair do not correlate, */
    CHECK_NEAR(lag2, 0.0, 2.0 * limit); /* nor do their squares */
    free(v);
}

static void distribution(void)
{
    double *v = draws(7, 1.0, COUNT), gap = 0.0;
    size_t beyond[5] = { 0 };
    gsl_sort(v, 1, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const double p = gsl_cdf_ugaussian_P(v[i]);
        gap = fmax(gap, fmax(fabs(p - (double)i / COUNT), fabs((double)(i + 1) / COUNT - p)));
        for (size_t k = 1; k < 5; k++)
            beyond[k] += fabs(v[i]) > (double)k;
    }
    CHECK_LESS_EQUAL(gap * sqrt(COUNT), 2.69); /* 2 exp(-2 t^2) = 1e-6 */
    for (size_t k = 1; k < 5; k++) {
        const double expected = 2.0 * COUNT * gsl_cdf_ugaussian_Q((double)k);
        CHECK_NEAR((double)beyond[k], expected, 4.9 * sqrt(expected) + 1.0);
    }
    free(v);
}

/* Mirrored: the same deviation in every entry, so at least as much in every direction. */
static void symmetric(bool mirrored)
{
    enum { D = 3, RUNS = 60000 };
    const double noise_std = 1.7, off = mirrored ? 1.0 : M_SQRT1_2, limit = 4.9 / sqrt(RUNS);
    const double direction[D][D] = { { 0.5, -0.3, 0.1 }, { -0.3, -0.2, 0.45 }, { 0.1, 0.45, 0.7 } };
    double cov[6][6] = { { 0 } }, frobenius = 0.0, variance = 0.0, along = 0.0;
    gsl_rng *r = stream(11, SP_STREAM_NOISE);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            frobenius += gsl_pow_2(direction[i][j]);
            variance += gsl_pow_2(noise_std * direction[i][j]) * (i == j ? 1.0 : 2.0 * gsl_pow_2(off));
        }
    for (size_t run = 0; run < RUNS; run++) {
        double H[D * D] = { 0 }, product = 0.0;
        sp_noise_symmetric(r, noise_std, mirrored, D, H);
        const double entry[6] = { H[0], H[4], H[8], H[1], H[2], H[5] };
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++) {
                CHECK(H[i * D + j] == H[j * D + i]);
                product += direction[i][j] * H[i * D + j];
            }
        along += product * product / RUNS;
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < 6; j++)
                cov[i][j] += entry[i] * entry[j] / RUNS;
    }
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) {
            const double si = noise_std * (i < 3 ? 1.0 : off), sj = noise_std * (j < 3 ? 1.0 : off);
            CHECK_NEAR(cov[i][j] / (si * sj), i == j ? 1.0 : 0.0, sqrt(2.0) * limit);
        }
    }
    CHECK_NEAR(along / variance, 1.0, sqrt(2.0) * limit);
    /* the same deviation in every direction of the Frobenius norm */
    CHECK_NEAR(variance / (noise_std * noise_std * frobenius), mirrored ? 1.436823 : 1.0, 1e-6);
    gsl_rng_free(r);
}

/* A release is a step of the stream, its numbers those of normal.h in their order, whatever the deviation; a release
 * without noise has a step, too. */
static void steps(void)
{
    static const double offset[5] = { 10.0, 20.0, 30.0, 40.0, 50.0 };
    const sp_stream_key key = sp_stream_key_of(3, "noise test", 0, SP_STREAM_NOISE);
    gsl_rng *r = stream(3, SP_STREAM_NOISE);
    for (uint64_t step = 0; step < 6; step++) {
        const double noise_std = 0.5 * (double)(step % 3);
        double v[5], expected[5], H[25], upper[15] = { 0 };
        memcpy(v, offset, sizeof v);
        memcpy(expected, offset, sizeof v);
        sp_noise_gaussian(r, noise_std, 5, v);
        sp_normal_add(key, 2 * step, 0, 5, noise_std, expected);
        CHECK(memcmp(v, expected, sizeof v) == 0);
        for (size_t i = 0; i < 25; i++)
            H[i] = 3.0;
        sp_noise_symmetric(r, noise_std, step >= 3, 5, H);
        sp_normal_add(key, 2 * step + 1, 0, 15, 1.0, upper);
        for (size_t i = 0, next = 0; i < 5; i++)
            for (size_t j = i; j < 5; j++, next++) {
                const double part = i == j || step >= 3 ? 1.0 : M_SQRT1_2;
                CHECK_NEAR(H[i * 5 + j], 3.0 + noise_std * part * upper[next], 1e-15);
                CHECK(H[i * 5 + j] == H[j * 5 + i]);
            }
    }
    gsl_rng_free(r);
}

/* More numbers than a Hessian's noise is made of at a time. */
static void large_symmetric(void)
{
    enum { D = 41, NUMBERS = D * (D + 1) / 2 };
    double *H = sp_alloc_doubles(D * D), upper[NUMBERS] = { 0 };
    gsl_rng *r = stream(4, SP_STREAM_NOISE);
    sp_noise_symmetric(r, 1.0, false, D, H);
    sp_normal_add(sp_stream_key_of(4, "noise test", 0, SP_STREAM_NOISE), 0, 0, NUMBERS, 1.0, upper);
    for (size_t i = 0, next = 0; i < D; i++)
        for (size_t j = i; j < D; j++, next++) {
            CHECK_NEAR(H[i * D + j], (i == j ? 1.0 : M_SQRT1_2) * upper[next], 1e-15);
            CHECK(H[i * D + j] == H[j * D + i]);
        }
    free(H);
    gsl_rng_free(r);
}

/* A deviation that is no number must not pass for none. */
static void not_a_number(void)
{
    gsl_rng *r = stream(6, SP_STREAM_NOISE);
    double v[1] = { 1.0 }, H[1] = { 1.0 };
    sp_noise_gaussian(r, NAN, 1, v);
    sp_noise_symmetric(r, NAN, false, 1, H);
    CHECK(isnan(v[0]) && isnan(H[0]));
    gsl_rng_free(r);
}

static void streams_are_independent(void)
{
    gsl_rng *noise = stream(5, SP_STREAM_NOISE), *sampling = stream(5, SP_STREAM_SAMPLING);
    double *v = sp_alloc_doubles(COUNT), correlation = 0.0;
    sp_noise_gaussian(noise, 1.0, COUNT, v);
    for (size_t i = 0; i < COUNT; i++)
        correlation += v[i] * gsl_cdf_ugaussian_Pinv(gsl_rng_uniform(sampling) + 0x1p-54) / COUNT;
    CHECK_NEAR(correlation, 0.0, 4.9 / sqrt(COUNT));
    free(v);
    gsl_rng_free(noise);
    gsl_rng_free(sampling);
}

/* Kolmogorov-Smirnov distance to a law; 2.7 / sqrt(n) has a false-alarm rate of 1e-6. */
static void selection_noise(void)
{
    enum { DRAWS = 100000 };
    double *v = sp_alloc_doubles(DRAWS);
    for (int laplace = 0; laplace < 2; laplace++) {
        gsl_rng *r = stream(31 + (uint64_t)laplace, SP_STREAM_SELECTION);
        double gap = 0.0;
        for (size_t i = 0; i < DRAWS; i++)
            v[i] = laplace ? sp_noise_laplace(r) : sp_noise_gumbel(r);
        gsl_sort(v, 1, DRAWS);
        for (size_t i = 0; i < DRAWS; i++) {
            const double p = laplace ? gsl_cdf_laplace_P(v[i], 1.0) : exp(-exp(-v[i]));
            gap = fmax(gap, fmax(fabs(p - (double)i / DRAWS), fabs((double)(i + 1) / DRAWS - p)));
        }
        CHECK_LESS_EQUAL(gap, 2.7 / sqrt(DRAWS));
        CHECK(isfinite(v[0]) && isfinite(v[DRAWS - 1]));
        gsl_rng_free(r);
    }
    free(v);
}

int main(void)
{
    moments();
    distribution();
    symmetric(false);
    symmetric(true);
    steps();
    large_symmetric();
    not_a_number();
    streams_are_independent();
    selection_noise();
    return sp_check_done();
}
