/* generator.c -- each generator against its definition: exact relations, and moments with fixed seeds. A moment over N
 * records is allowed five standard errors: false alarm 6e-7 each. */
#include "core/base/stream.h"
#include "core/data/generator.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_randist.h>

enum { N = 20000, D = 7 };

static gsl_rng *stream_of(uint64_t replicate)
{
    return sp_stream_open(sp_stream_key_of(2385, "generator", replicate, SP_STREAM_DATA));
}

static sp_values values_of(const char *name, const char *key, double number)
{
    sp_values values;
    sp_values_start(&values, sp_generator_find(name)->params);
    if (key)
        CHECK_EQUAL(sp_values_set_number(&values, name, key, number, NULL), SP_OK);
    return values;
}

static sp_dataset generated(const char *name, const sp_values *values, size_t n, size_t d, uint64_t replicate)
{
    sp_dataset dataset;
    sp_error error = { 0 };
    gsl_rng *stream = stream_of(replicate);
    const sp_status status = sp_generate(sp_generator_find(name), values, n, d, stream, &dataset, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s: %s", name, error.text);
    gsl_rng_free(stream);
    return dataset;
}

/* What every generator promises. */
static void test_promises(void)
{
    CHECK_EQUAL(sp_generator_count, 4);
    for (size_t k = 0; k < sp_generator_count; k++) {
        const sp_generator *g = &sp_generators[k];
        CHECK(sp_generator_find(g->name) == g);
        const sp_values values = values_of(g->name, NULL, 0.0);
        sp_dataset a = generated(g->name, &values, 500, D, 1), b = generated(g->name, &values, 500, D, 1);
        sp_dataset other = generated(g->name, &values, 500, D, 2), less = generated(g->name, &values, 123, D, 1);
        CHECK_TEXT(a.content, b.content);
        CHECK(strcmp(a.content, other.content) != 0);
        CHECK(memcmp(a.X, less.X, 123 * D * sizeof *a.X) == 0); /* records are drawn in order */
        CHECK_EQUAL(a.y != NULL, g->labels);
        CHECK(!g->labels || memcmp(a.y, less.y, 123 * sizeof *a.y) == 0);
        CHECK_NEAR(a.radius, g->radius(&values, D), 0.0);
        CHECK_NEAR(a.label_bound, g->label_bound(&values, D), 0.0);
        for (size_t i = 0; i < a.n; i++) {
            CHECK_NEAR(a.norm[i], 1.0, 1e-15 * D);
            CHECK(!g->binary || fabs(a.y[i]) == 1.0);
        }
        sp_dataset_free(&a);
        sp_dataset_free(&b);
        sp_dataset_free(&other);
        sp_dataset_free(&less);
    }
    CHECK(sp_generator_find("sign") == NULL);
}

static void test_signs(void)
{
    const double mean = 0.385;
    const sp_values values = values_of("signs", "mean", mean);
    sp_dataset a = generated("signs", &values, N, D, 3);
    const double size = 1.0 / sqrt(D), spread = size * sqrt(1.0 - mean * mean), error = 5.0 * spread / sqrt(N);
    double pair = 0.0;
    for (size_t i = 0; i < N; i++) {
        const double *x = a.X + i * a.stride;
        for (size_t j = 0; j < D; j++)
            CHECK(fabs(x[j]) == size);
        pair += x[1] * x[4] / N;
    }
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(a.mean[j], mean * size, error);
    CHECK_NEAR(pair, mean * mean / D, 5.0 / D / sqrt(N)); /* independent coordinates */
    sp_dataset_free(&a);

    const sp_values certain = values_of("signs", "mean", 1.0);
    a = generated("signs", &certain, 100, D, 3);
    CHECK_NEAR(cblas_dnrm2(D, a.mean, 1), 1.0, 1e-14);
    sp_dataset_free(&a);
}

static void test_sphere(void)
{
    const sp_values values = values_of("sphere", NULL, 0.0);
    sp_dataset a = generated("sphere", &values, N, D, 4);
    double square = 0.0, cross = 0.0, fourth = 0.0;
    for (size_t i = 0; i < N; i++) {
        const double *x = a.X + i * a.stride;
        square += x[2] * x[2] / N;
        cross += x[0] * x[5] / N;
        fourth += pow(x[6], 4) / N;
    }
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(a.mean[j], 0.0, 5.0 / sqrt(D * N));
    CHECK_NEAR(square, 1.0 / D, 5.0 * sqrt(3.0) / D / sqrt(N));
    CHECK_NEAR(cross, 0.0, 5.0 / D / sqrt(N));
    CHECK_NEAR(fourth, 3.0 / (D * (D + 2.0)), 5.0 * sqrt(105.0) / (D * D) / sqrt(N)); /* a Gaussian's is above */
    sp_dataset_free(&a);
}

/* argmin_w sum (y - <w, x>)^2 by QR */
static void least_squares(const sp_dataset *a, double *w)
{
    gsl_matrix *X = gsl_matrix_alloc(a->n, D);
    gsl_vector *y = gsl_vector_alloc(a->n), *tau = gsl_vector_alloc(D), *rest = gsl_vector_alloc(a->n);
    for (size_t i = 0; i < a->n; i++) {
        gsl_vector_set(y, i, a->y[i]);
        for (size_t j = 0; j < D; j++)
            gsl_matrix_set(X, i, j, a->X[i * a->stride + j]);
    }
    gsl_vector_view solution = gsl_vector_view_array(w, D);
    gsl_linalg_QR_decomp(X, tau);
    gsl_linalg_QR_lssolve(X, tau, y, &solution.vector, rest);
    gsl_matrix_free(X);
    gsl_vector_free(y);
    gsl_vector_free(tau);
    gsl_vector_free(rest);
}

static void test_linear(void)
{
    double w[D];
    sp_values values = values_of("linear", "norm", 2.385);
    CHECK(sp_generator_realisable(sp_generator_find("linear"), &values));
    sp_dataset a = generated("linear", &values, 300, D, 5);
    CHECK_NEAR(a.label_bound, 2.385, 0.0);
    least_squares(&a, w);
    CHECK_NEAR(cblas_dnrm2(D, w, 1), 2.385, 1e-13);
    for (size_t i = 0; i < a.n; i++)
        CHECK_NEAR(a.y[i], cblas_ddot(D, w, 1, a.X + i * a.stride, 1), 1e-13);
    sp_dataset_free(&a);

    CHECK_EQUAL(sp_values_set_number(&values, "linear", "noise", 0.71, NULL), SP_OK);
    CHECK(!sp_generator_realisable(sp_generator_find("linear"), &values));
    a = generated("linear", &values, N, D, 5);
    CHECK_NEAR(a.label_bound, 2.385 + 3 * 0.71, 1e-15);
    least_squares(&a, w);
    CHECK_NEAR(cblas_dnrm2(D, w, 1), 2.385, 5.0 * 0.71 * sqrt((double)D / N));
    double square = 0.0, most = 0.0;
    for (size_t i = 0; i < N; i++) {
        const double z = (a.y[i] - cblas_ddot(D, w, 1, a.X + i * a.stride, 1)) / 0.71;
        square += z * z / (N - D);
        most = fmax(most, fabs(z));
    }
    /* of N(0, 1) given |z| <= 3: 1 - 6 phi(3) / (2 Phi(3) - 1) = 0.973337; its square deviates by sqrt(1.733) */
    CHECK_NEAR(square, 0.973337, 5.0 * sqrt(1.74 / N));
    CHECK_LESS_EQUAL(most, 3.0 + 0.1);
    CHECK_LESS_EQUAL(2.8, most);
    sp_dataset_free(&a);
    for (size_t k = 0; k < sp_generator_count; k++) {
        const sp_values defaults = values_of(sp_generators[k].name, NULL, 0.0);
        const bool linear = strcmp(sp_generators[k].name, "linear") == 0;
        CHECK_EQUAL(sp_generator_realisable(&sp_generators[k], &defaults), linear);
    }
}

/* u comes first from the stream; then the labels of records with margin m are +1 as often as the model says. */
static void test_logistic(void)
{
    double u[D];
    gsl_rng *stream = stream_of(6);
    for (size_t j = 0; j < D; j++)
        u[j] = gsl_ran_gaussian_ziggurat(stream, 1.0);
    cblas_dscal(D, 1.0 / cblas_dnrm2(D, u, 1), u, 1);
    gsl_rng_free(stream);

    const sp_values values = values_of("logistic", "scale", 4.5);
    sp_dataset a = generated("logistic", &values, N, D, 6);
    double expected[4] = { 0.0 }, seen[4] = { 0.0 }, variance[4] = { 0.0 };
    for (size_t i = 0; i < N; i++) {
        const double m = cblas_ddot(D, u, 1, a.X + i * a.stride, 1), p = 1.0 / (1.0 + exp(-4.5 * m));
        const size_t bin = m < -0.4 ? 0 : m < 0.0 ? 1 : m < 0.4 ? 2 : 3;
        expected[bin] += p;
        variance[bin] += p * (1.0 - p);
        seen[bin] += a.y[i] > 0.0;
    }
    for (size_t bin = 0; bin < 4; bin++)
        CHECK_NEAR(seen[bin], expected[bin], 5.0 * sqrt(variance[bin]));
    sp_dataset_free(&a);
}

static void test_refuses(void)
{
    sp_dataset dataset;
    sp_error error = { 0 };
    gsl_rng *stream = stream_of(7);
    const sp_values values = values_of("signs", NULL, 0.0);
    CHECK_EQUAL(sp_generate(&sp_generators[0], &values, 0, D, stream, &dataset, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "n = 0");
    CHECK_EQUAL(sp_generate(&sp_generators[0], &values, 1000000, 1000000, stream, &dataset, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "d = 1000000: too large");
    sp_values wild = values;
    CHECK_EQUAL(sp_values_set_number(&wild, "signs", "mean", 1.001, &error), SP_EINVAL);
    gsl_rng_free(stream);
}

int main(void)
{
    test_promises();
    test_signs();
    test_sphere();
    test_linear();
    test_logistic();
    test_refuses();
    return sp_check_done();
}
