/* eigen.c -- closed forms and residuals, and what LAPACK must never see. */
#include "core/base/eigen.h"
#include "core/base/memory.h"
#include "core/base/stream.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdbool.h>
#include <stdlib.h>

static double *copy(size_t d, const double *H)
{
    double *other = sp_alloc_doubles(d * d);
    memcpy(other, H, d * d * sizeof *H);
    return other;
}

/* Symmetric Gaussian matrix plus shift on the diagonal. */
static double *random_matrix(size_t d, double shift, uint64_t replicate)
{
    gsl_rng *rng = sp_stream_open(sp_stream_key_of(3, "eigen", replicate, SP_STREAM_DATA));
    double *H = sp_alloc_doubles(d * d);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++)
            H[i * d + j] = H[j * d + i] = gsl_ran_gaussian(rng, 2.385);
        H[i * d + i] += shift;
    }
    gsl_rng_free(rng);
    return H;
}

/* || H v - value v || */
static double residual(size_t d, const double *H, double value, const double *v)
{
    double square = 0.0;
    for (size_t i = 0; i < d; i++)
        square += pow(cblas_ddot((int)d, H + i * d, 1, v, 1) - value * v[i], 2);
    return sqrt(square);
}

/* The second difference has eigenvalues 2 - 2 cos(k pi / (d + 1)), and v_k(i) ~ sin(i k pi / (d + 1)). */
static void test_second_difference(void)
{
    static const size_t sizes[] = { 1, 2, 3, 10, 57 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t d = sizes[s];
        const double angle = acos(-1.0) / (double)(d + 1);
        double *H = sp_alloc_doubles(d * d), *values = sp_alloc_doubles(d), *v = sp_alloc_doubles(d), smallest = 0.0;
        for (size_t i = 0; i < d; i++) {
            H[i * d + i] = 2.0;
            if (i > 0)
                H[i * d + i - 1] = H[(i - 1) * d + i] = -1.0;
        }
        double *other = copy(d, H), *third = copy(d, H);
        CHECK_EQUAL(sp_eigen_all(d, H, values), SP_OK);
        for (size_t k = 0; k < d; k++) {
            CHECK_NEAR(values[k], 2.0 - 2.0 * cos((double)(k + 1) * angle), 1e-13);
            const double scale = sqrt(2.0 / (double)(d + 1)) * (H[k * d] > 0.0 ? 1.0 : -1.0);
            for (size_t i = 0; i < d; i++) /* one a row */
                CHECK_NEAR(H[k * d + i], scale * sin((double)(k + 1) * (double)(i + 1) * angle), 1e-11);
        }
        CHECK_EQUAL(sp_eigen_smallest(d, other, &smallest, v), SP_OK);
        CHECK_NEAR(smallest, 2.0 - 2.0 * cos(angle), 1e-13);
        for (size_t i = 0; i < d; i++)
            CHECK_NEAR(fabs(v[i]), sqrt(2.0 / (double)(d + 1)) * sin((double)(i + 1) * angle), 1e-11);
        CHECK_EQUAL(sp_eigen_smallest(d, third, &smallest, NULL), SP_OK);
        CHECK_NEAR(smallest, 2.0 - 2.0 * cos(angle), 1e-13);
        free(H);
        free(other);
        free(third);
        free(values);
        free(v);
    }
}

static void test_random(void)
{
    static const size_t sizes[] = { 2, 5, 22, 60 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t d = sizes[s];
        double *H = random_matrix(d, -7.25, d), *vectors = copy(d, H), *scratch = copy(d, H);
        double *values = sp_alloc_doubles(d), *v = sp_alloc_doubles(d), smallest = 0.0, trace = 0.0, sum = 0.0;
        const double tolerance = 1e-13 * (double)d * 30.0;
        CHECK_EQUAL(sp_eigen_all(d, vectors, values), SP_OK);
        for (size_t k = 0; k < d; k++) {
            CHECK_NEAR(residual(d, H, values[k], vectors + k * d), 0.0, tolerance);
            for (size_t l = 0; l <= k; l++)
                CHECK_NEAR(cblas_ddot((int)d, vectors + k * d, 1, vectors + l * d, 1), k == l ? 1.0 : 0.0, 1e-13);
            if (k > 0)
                CHECK_LESS_EQUAL(values[k - 1], values[k]);
            trace += H[k * d + k];
            sum += values[k];
        }
        CHECK_NEAR(sum, trace, tolerance);
        CHECK_EQUAL(sp_eigen_smallest(d, scratch, &smallest, v), SP_OK);
        CHECK_NEAR(smallest, values[0], tolerance);
        CHECK_NEAR(residual(d, H, smallest, v), 0.0, tolerance);
        CHECK_NEAR(cblas_dnrm2((int)d, v, 1), 1.0, 1e-13);
        free(H);
        free(vectors);
        free(scratch);
        free(values);
        free(v);
    }
}

static void test_degenerate(void)
{
    double zero[9] = { 0 }, v[3] = { 0 }, value = 1.0;
    CHECK_EQUAL(sp_eigen_smallest(3, zero, &value, v), SP_OK);
    CHECK_NEAR(value, 0.0, 0.0);
    CHECK_NEAR(cblas_dnrm2(3, v, 1), 1.0, 1e-15);
    double one[1] = { -2.385 };
    CHECK_EQUAL(sp_eigen_smallest(1, one, &value, v), SP_OK);
    CHECK_NEAR(value, -2.385, 0.0);
    CHECK_NEAR(fabs(v[0]), 1.0, 0.0);
    CHECK_EQUAL(sp_eigen_smallest(0, one, &value, v), SP_EINVAL);
    CHECK_EQUAL(sp_eigen_all(0, one, &value), SP_EINVAL);
}

/* NaN and infinity anywhere are refused, and nothing is touched. */
static void test_not_finite(void)
{
    const double bad[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
    for (size_t b = 0; b < 3; b++)
        for (size_t i = 0; i < 9; i++) {
            double H[9] = { 2, 1, 0, 1, 2, 1, 0, 1, 2 }, before[9], values[3] = { 0 }, value = 17.5;
            H[i] = bad[b];
            memcpy(before, H, sizeof H);
            CHECK_EQUAL(sp_eigen_smallest(3, H, &value, NULL), SP_ENUMERIC);
            CHECK_EQUAL(sp_eigen_all(3, H, values), SP_ENUMERIC);
            CHECK_NEAR(value, 17.5, 0.0);
            CHECK(memcmp(before, H, sizeof H) == 0);
        }
}

int main(void)
{
    test_second_difference();
    test_random();
    test_degenerate();
    test_not_finite();
    return sp_check_done();
}
