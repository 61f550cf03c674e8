/* eigen.c -- closed forms and residuals, and what LAPACK must never see. */
#include "core/numeric/eigen.h"
#include "core/base/memory.h"
#include "core/numeric/stream.h"
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

/* --- Lanczos ----------------------------------------------------------------------------------------------- */

typedef struct matrix {
    size_t d, products;
    const double *H; /* NULL: diagonal */
    const double *diagonal;
} matrix;

static void product(void *context, const double *v, double *restrict out)
{
    matrix *m = context;
    m->products++;
    for (size_t i = 0; i < m->d; i++)
        out[i] = m->H ? cblas_ddot((int)m->d, m->H + i * m->d, 1, v, 1) : m->diagonal[i] * v[i];
}

typedef struct found {
    sp_status status;
    double value, error;
    size_t products;
} found;

/* Also that the error is the residual of the vector, that the vector is a unit one, and that no byte outside the
 * scratch asked for is written. */
static found lanczos_from(matrix m, const double *start, size_t steps, double tolerance)
{
    const size_t room = sp_lanczos_scratch(m.d, steps);
    double *scratch = sp_alloc_doubles(room), *v = sp_alloc_doubles(m.d), *Hv = sp_alloc_doubles(m.d);
    found f = { .value = NAN, .error = NAN }, again = f;
    for (size_t i = 0; i < room; i++)
        scratch[i] = NAN; /* nothing is read before it is written */
    f.status = sp_lanczos_smallest(m.d, product, &m, start, steps, tolerance, &f.value, &f.error, v, scratch);
    f.products = m.products;
    if (f.status == SP_OK) {
        product(&m, v, Hv);
        CHECK_NEAR(cblas_dnrm2((int)m.d, v, 1), 1.0, 1e-13);
        const double size = cblas_dnrm2((int)m.d, Hv, 1);
        CHECK_NEAR(cblas_ddot((int)m.d, v, 1, Hv, 1), f.value, 1e-13 * fmax(1.0, size));
        cblas_daxpy((int)m.d, -f.value, v, 1, Hv, 1);
        CHECK_NEAR(cblas_dnrm2((int)m.d, Hv, 1), f.error, 1e-13 * fmax(1.0, size));
        CHECK_EQUAL(sp_lanczos_smallest(m.d, product, &m, start, steps, tolerance, &again.value, &again.error, NULL,
                                        scratch), SP_OK);
        CHECK(memcmp(&again.value, &f.value, sizeof f.value) == 0);
    }
    free(scratch);
    free(v);
    free(Hv);
    return f;
}

static found lanczos(matrix m, size_t steps, double tolerance)
{
    gsl_rng *rng = sp_stream_open(sp_stream_key_of(5, "start", m.d, SP_STREAM_MEASURE));
    double *start = sp_alloc_doubles(m.d);
    for (size_t j = 0; j < m.d; j++)
        start[j] = gsl_ran_gaussian(rng, 2.385);
    const found f = lanczos_from(m, start, steps, tolerance);
    gsl_rng_free(rng);
    free(start);
    return f;
}

/* All d steps: LAPACK's value. Fewer: an upper bound of it. */
static void test_lanczos_random(void)
{
    static const size_t sizes[] = { 1, 2, 3, 7, 40, 90 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t d = sizes[s];
        double *H = random_matrix(d, 3.1, 100 + d), *other = copy(d, H), smallest = 0.0;
        CHECK_EQUAL(sp_eigen_smallest(d, other, &smallest, NULL), SP_OK);
        found f = lanczos((matrix){ .d = d, .H = H }, d + 5, 1e-12);
        CHECK_EQUAL(f.status, SP_OK);
        CHECK_NEAR(f.value, smallest, 1e-11);
        CHECK_LESS_EQUAL(f.error, 1e-9);
        CHECK(f.products <= d + 1); /* d steps and the residual */
        f = lanczos((matrix){ .d = d, .H = H }, 1 + d / 3, 1e-12);
        CHECK_LESS_EQUAL(smallest - 1e-12, f.value);
        free(H);
        free(other);
    }
}

/* Well inside d steps where the end of the spectrum stands apart; and the promise for a spectrum that does not. */
static void test_lanczos_large(void)
{
    enum { LARGE = 5000 };
    double *h = sp_alloc_doubles(LARGE);
    for (size_t j = 0; j < LARGE; j++)
        h[j] = 1.0 + 2.385 * (double)j / LARGE;
    found f = lanczos((matrix){ .d = LARGE, .diagonal = h }, 60, 1e-12);
    CHECK(f.status == SP_OK && f.value >= 1.0 && f.products == 61);
    /* failure probability 1e-6: sqrt(r) = ln(1.648 sqrt(5000) / 1e-6) / (2 * 60 - 1) */
    CHECK_LESS_EQUAL(f.value - 1.0, 2.385 * pow(log(1.648 * sqrt(5000.0) / 1e-6) / 119.0, 2.0));
    h[1234] = h[4321] = h[17] = -0.385; /* threefold */
    h[99] = -0.385 + 1e-7;              /* and a neighbour */
    f = lanczos((matrix){ .d = LARGE, .diagonal = h }, 100, 1e-10);
    CHECK_NEAR(f.value, -0.385, 1e-7); /* which of the cluster's two values is open at this tolerance */
    CHECK_LESS_EQUAL(f.error, 1e-9);
    CHECK(f.products < 60); /* it stops when it is there */
    free(h);
}

/* Few distinct eigenvalues: the Krylov space ends early, whatever d. A start inside an invariant subspace that misses
 * the smallest eigenvalue is noticed. */
static void test_lanczos_invariant(void)
{
    enum { D = 50 };
    double h[D], start[D] = { 0.0 }, block[D * D] = { 0.0 };
    for (size_t j = 0; j < D; j++)
        h[j] = 2.385;
    found f = lanczos((matrix){ .d = D, .diagonal = h }, D, 0.0);
    CHECK_EQUAL(f.status, SP_OK);
    CHECK_NEAR(f.value, 2.385, 1e-14);
    CHECK_NEAR(f.error, 0.0, 1e-13);
    for (size_t j = 0; j < D; j++)
        h[j] = j % 3 == 0 ? 0.118 : j % 3 == 1 ? -1.731 : 6.02;
    f = lanczos((matrix){ .d = D, .diagonal = h }, D, 0.0);
    CHECK_NEAR(f.value, -1.731, 1e-13);
    start[0] = -3.3; /* an eigenvector of another eigenvalue */
    f = lanczos_from((matrix){ .d = D, .diagonal = h }, start, D, 1e-12);
    CHECK_NEAR(f.value, -1.731, 1e-12);
    start[2] = 0.7; /* a sum of two */
    f = lanczos_from((matrix){ .d = D, .diagonal = h }, start, D, 1e-12);
    CHECK_NEAR(f.value, -1.731, 1e-12);
    double *A = random_matrix(20, 40.0, 1), *B = random_matrix(30, -9.0, 2), smallest = 0.0; /* two blocks */
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++)
            block[i * D + j] = i < 20 && j < 20 ? A[i * 20 + j] : i >= 20 && j >= 20 ? B[(i - 20) * 30 + j - 20] : 0.0;
    CHECK_EQUAL(sp_eigen_smallest(30, B, &smallest, NULL), SP_OK);
    f = lanczos_from((matrix){ .d = D, .H = block }, start, D, 1e-13); /* the start lies in the first */
    CHECK_NEAR(f.value, smallest, 1e-10);
    free(A);
    free(B);
    /* a start that is an eigenvector, and a rest of which (1, ..., 1) is one too: -(Laplacian of a path) */
    memset(block, 0, sizeof block);
    memset(start, 0, sizeof start);
    block[0] = 5.0;
    start[0] = 1.0;
    for (size_t i = 1; i + 1 < D; i++) {
        block[i * D + i] -= 1.0;
        block[(i + 1) * D + i + 1] -= 1.0;
        block[i * D + i + 1] = block[(i + 1) * D + i] = 1.0;
    }
    f = lanczos_from((matrix){ .d = D, .H = block }, start, D, 1e-13);
    CHECK_NEAR(f.value, -2.0 - 2.0 * cos(acos(-1.0) / (D - 1)), 1e-10);
    const double zero[3] = { 0.0 };
    f = lanczos((matrix){ .d = 3, .diagonal = zero }, 3, 0.0);
    CHECK(f.status == SP_OK && f.value == 0.0 && f.error == 0.0);
}

static void test_lanczos_refused(void)
{
    double h[3] = { 1.5, NAN, 2.5 }, start[3] = { 1.0, 1.0, 1.0 }, none[3] = { 0.0 };
    CHECK_EQUAL(lanczos_from((matrix){ .d = 3, .diagonal = h }, start, 3, 0.0).status, SP_ENUMERIC);
    h[1] = INFINITY;
    CHECK_EQUAL(lanczos_from((matrix){ .d = 3, .diagonal = h }, start, 3, 0.0).status, SP_ENUMERIC);
    h[1] = 0.7;
    CHECK_EQUAL(lanczos_from((matrix){ .d = 3, .diagonal = h }, none, 3, 0.0).status, SP_EINVAL);
    CHECK_EQUAL(lanczos_from((matrix){ .d = 3, .diagonal = h }, start, 0, 0.0).status, SP_EINVAL);
    start[2] = NAN;
    CHECK_EQUAL(lanczos_from((matrix){ .d = 3, .diagonal = h }, start, 3, 0.0).status, SP_ENUMERIC);
}

int main(void)
{
    test_second_difference();
    test_random();
    test_degenerate();
    test_not_finite();
    test_lanczos_random();
    test_lanczos_large();
    test_lanczos_invariant();
    test_lanczos_refused();
    return sp_check_done();
}
