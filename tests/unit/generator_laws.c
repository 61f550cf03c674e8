/* generator_laws.c -- each generator against the distribution its head comment states. Seeds are fixed. A moment over N
 * records is allowed five standard errors: false alarm 6e-7 each, below 2e-4 for all that are tested here. */
#include "losses/loss.h"
#include "tests/generated.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>

enum { N = 20000, D = 7 };

extern const sp_loss sp_loss_linear_dynamical_system;

static sp_dataset dense(const char *name, const char *settings, size_t n, size_t d, uint64_t replicate)
{
    const made m = generator_with(name, settings);
    return generated(&m, SP_STORE_DENSE, n, d, 1, replicate);
}

static double *truth_with(const char *name, const char *settings, size_t d)
{
    const made m = generator_with(name, settings);
    return truth_of(&m, d, 1);
}

static double inner(const sp_dataset *a, size_t i, const double *w)
{
    return cblas_ddot((int)a->d, w, 1, a->X + i * a->stride, 1);
}

/* u' S v, S = (1/n) sum x x', and its standard error. */
static double second_moment(const sp_dataset *a, const double *u, const double *v, double *error)
{
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < a->n; i++) {
        const double product = inner(a, i, u) * inner(a, i, v);
        sum += product;
        squares += product * product;
    }
    const double n = (double)a->n, mean = sum / n;
    *error = sqrt((squares / n - mean * mean) / n);
    return mean;
}

static void check_moment(const sp_dataset *a, const double *u, const double *v, double expected)
{
    double error, seen = second_moment(a, u, v, &error);
    CHECK_NEAR(seen, expected, 5.0 * error + 1e-15);
}

/* E x x' over the unit vectors: `diagonal` I */
static void check_isotropic(const sp_dataset *a, double diagonal)
{
    double unit[D][D] = { { 0.0 } };
    for (size_t j = 0; j < D; j++) {
        unit[j][j] = 1.0;
        for (size_t k = 0; k <= j; k++)
            check_moment(a, unit[j], unit[k], j == k ? diagonal : 0.0);
    }
}

/* Two whole words of 64 features and a part of one. */
static void test_signs(void)
{
    enum { FEATURES = 131, FEW = 4000 };
    static const size_t pairs[][2] = { { 0, 1 }, { 0, 63 }, { 62, 63 }, { 63, 64 }, { 0, 64 }, { 2, 130 } };
    static const double means[] = { 0.0, 0.385, 0.75 };
    const double size = 1.0 / sqrt(FEATURES);
    for (size_t k = 0; k < 3; k++) {
        char text[32];
        snprintf(text, sizeof text, "mean=%g", means[k]);
        sp_dataset a = dense("signs", text, FEW, FEATURES, 3);
        for (size_t i = 0; i < FEW * FEATURES; i++)
            CHECK(fabs(a.X[i / FEATURES * a.stride + i % FEATURES]) == size);
        const double deviation = sqrt(1.0 - means[k] * means[k]);
        double all = 0.0;
        for (size_t j = 0; j < FEATURES; j++) {
            CHECK_NEAR(a.mean[j] / size, means[k], 5.0 * deviation / sqrt(FEW));
            all += a.mean[j] / size / FEATURES;
        }
        CHECK_NEAR(all, means[k], 5.0 * deviation / sqrt(FEW * FEATURES));
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) { /* independent */
            double pair = 0.0;
            for (size_t i = 0; i < FEW; i++)
                pair += a.X[i * a.stride + pairs[p][0]] * a.X[i * a.stride + pairs[p][1]] / (size * size) / FEW;
            CHECK_NEAR(pair, means[k] * means[k], 5.0 * sqrt((1.0 - pow(means[k], 4)) / FEW));
        }
        sp_dataset_free(&a);
    }
    sp_dataset a = dense("signs", "mean=1", 100, FEATURES, 3);
    CHECK_NEAR(cblas_dnrm2(FEATURES, a.mean, 1), 1.0, 1e-14);
    sp_dataset_free(&a);

    /* drawn: the same records, about s, whose coins all replicates share */
    const char *const settings = "mean=0.385 drawn=true";
    double *s = truth_with("signs", settings, FEATURES);
    size_t up = 0;
    for (uint64_t replicate = 3; replicate < 5; replicate++) {
        sp_dataset plain = dense("signs", "mean=0.385", 100, FEATURES, replicate);
        sp_dataset drawn = dense("signs", settings, 100, FEATURES, replicate);
        for (size_t i = 0; i < 100 * FEATURES; i++) {
            const size_t at = i / FEATURES * plain.stride + i % FEATURES;
            CHECK(drawn.X[at] == s[i % FEATURES] * plain.X[at]);
        }
        sp_dataset_free(&plain);
        sp_dataset_free(&drawn);
    }
    for (size_t j = 0; j < FEATURES; j++) {
        CHECK(fabs(s[j]) == 1.0);
        up += s[j] > 0.0;
    }
    CHECK(up > 36 && up < 95); /* of 131 coins: five deviations */
    free(s);
}

/* y is a fair coin; y x has independent signs, of mean 0.385 times the truth's: everywhere, or in one place. */
static void test_classes(void)
{
    enum { FEATURES = 131, FEW = 4000 };
    static const size_t pairs[][2] = { { 0, 1 }, { 0, 63 }, { 63, 64 }, { 2, 130 } };
    static const char *const settings[] = { "mean=0.385", "mean=0.385 sparse=true" };
    const double size = 1.0 / sqrt(FEATURES);
    for (size_t k = 0; k < 2; k++) {
        double *s = truth_with("classes", settings[k], FEATURES), told = 0.0, up = 0.0;
        sp_dataset a = dense("classes", settings[k], FEW, FEATURES, 3);
        for (size_t i = 0; i < FEW; i++)
            up += a.y[i] > 0.0;
        CHECK_NEAR(up / FEW, 0.5, 2.5 / sqrt(FEW));
        for (size_t j = 0; j < FEATURES; j++) {
            double mean = 0.0;
            CHECK(fabs(s[j]) == 1.0 || (k == 1 && s[j] == 0.0));
            told += fabs(s[j]);
            for (size_t i = 0; i < FEW; i++) {
                CHECK(fabs(a.X[i * a.stride + j]) == size);
                mean += a.y[i] * a.X[i * a.stride + j] / size / FEW;
            }
            CHECK_NEAR(mean, 0.385 * s[j], 5.0 / sqrt(FEW));
            CHECK_NEAR(a.mean[j] / size, 0.0, 5.0 / sqrt(FEW)); /* the label is no feature's */
        }
        CHECK(told == (k == 0 ? FEATURES : 1.0));
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
            const size_t first = pairs[p][0], second = pairs[p][1];
            double pair = 0.0;
            for (size_t i = 0; i < FEW; i++)
                pair += a.X[i * a.stride + first] * a.X[i * a.stride + second] / (size * size) / FEW;
            CHECK_NEAR(pair, 0.385 * 0.385 * s[first] * s[second], 5.0 / sqrt(FEW));
        }
        sp_dataset_free(&a);
        free(s);
    }
}

/* mean(x) is 0 to the last bit for every even n, in each storage that there is. */
static void test_pairs(void)
{
    for (size_t n = 2; n < 3000; n = 2 * (n / 2 + 1) + n / 3 / 2 * 2)
        for (size_t d = 1; d < 40; d += 7) {
            const made m = generator_with("pairs", "");
            for (int indexed = 0; indexed < 2; indexed++) {
                sp_dataset a = generated(&m, indexed ? SP_STORE_INDEXED : SP_STORE_DENSE, n, d, 1, n);
                for (size_t j = 0; j < d; j++)
                    CHECK(a.mean[j] == 0.0);
                CHECK_NEAR(a.norm[n - 1], 1.0, 1e-14);
                sp_dataset_free(&a);
            }
        }
}

static void test_sphere(void)
{
    sp_dataset a = dense("sphere", "", N, D, 4);
    double fourth = 0.0;
    for (size_t i = 0; i < N; i++) {
        fourth += pow(a.X[i * a.stride + 6], 4) / N;
        CHECK_NEAR(a.norm[i], 1.0, 1e-15 * D);
    }
    check_isotropic(&a, 1.0 / D);
    CHECK_NEAR(fourth, 3.0 / (D * (D + 2.0)), 5.0 * sqrt(105.0) / (D * D) / sqrt(N)); /* a Gaussian's is above */
    sp_dataset_free(&a);
}

/* Uncut: the norm's square is chi-squared over d. Cut: as many records are at the radius as were beyond it. */
static void test_gaussian(void)
{
    sp_dataset a = dense("gaussian", "radius=1000", N, D, 4);
    double fourth = 0.0;
    for (size_t i = 0; i < N; i++)
        fourth += pow(a.X[i * a.stride + 6], 4) / N;
    check_isotropic(&a, 1.0 / D);
    CHECK_NEAR(fourth, 3.0 / (D * D), 5.0 * sqrt(105.0 - 9.0) / (D * D) / sqrt(N));

    sp_dataset b = dense("gaussian", "radius=0.913", N, D, 4);
    double cut = 0.0;
    for (size_t i = 0; i < N; i++) {
        const double factor = fmin(1.0, 0.913 / a.norm[i]);
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(b.X[i * b.stride + j], factor * a.X[i * a.stride + j], 1e-15);
        cut += factor < 1.0;
    }
    const double p = gsl_cdf_chisq_Q(D * 0.913 * 0.913, D);
    CHECK_NEAR(cut / N, p, 5.0 * sqrt(p * (1.0 - p) / N));
    sp_dataset_free(&a);
    sp_dataset_free(&b);
}

/* argmin_w sum (y - <w, x>)^2 by QR */
static void least_squares(const sp_dataset *a, double *w)
{
    gsl_matrix *X = gsl_matrix_alloc(a->n, a->d);
    gsl_vector *y = gsl_vector_alloc(a->n), *tau = gsl_vector_alloc(a->d), *rest = gsl_vector_alloc(a->n);
    for (size_t i = 0; i < a->n; i++) {
        gsl_vector_set(y, i, a->y[i]);
        for (size_t j = 0; j < a->d; j++)
            gsl_matrix_set(X, i, j, a->X[i * a->stride + j]);
    }
    gsl_vector_view solution = gsl_vector_view_array(w, a->d);
    gsl_linalg_QR_decomp(X, tau);
    gsl_linalg_QR_lssolve(X, tau, y, &solution.vector, rest);
    gsl_matrix_free(X);
    gsl_vector_free(y);
    gsl_vector_free(tau);
    gsl_vector_free(rest);
}

/* Record i is e_j, j = i mod d, with label <w*, x>; the signs of w* are coins that all replicates share. */
static void test_one_hot(void)
{
    enum { RECORDS = 2 * D + 3, FEATURES = 70 };
    const made m = generator_with("one_hot", "");
    double *t = truth_with("one_hot", "", D), square = 0.0;
    for (uint64_t replicate = 0; replicate < 2; replicate++) {
        sp_dataset a = generated(&m, SP_STORE_DENSE, RECORDS, D, 1, replicate);
        for (size_t i = 0; i < RECORDS; i++) {
            CHECK(a.y[i] == t[i % D] && fabs(a.y[i]) == 2.2);
            CHECK_NEAR(inner(&a, i, t), a.y[i], 0.0);
            for (size_t j = 0; j < D; j++)
                CHECK(a.X[i * a.stride + j] == (j == i % D ? 1.0 : 0.0));
        }
        sp_dataset_free(&a);
    }
    for (size_t j = 0; j < D; j++)
        square += t[j] * t[j];
    CHECK_NEAR(m.generator->truth_norm(&m.values, D), sqrt(square), 1e-14);
    free(t);
    double *many = truth_with("one_hot", "", FEATURES);
    size_t up = 0;
    for (size_t j = 0; j < FEATURES; j++)
        up += many[j] > 0.0;
    CHECK(up > 14 && up < 56); /* of 70 coins: five deviations */
    free(many);
}

/* z of N(0, 1) given |z| <= 3: variance 1 - 6 phi(3) / (2 Phi(3) - 1) = 0.973337; z^2 deviates by sqrt(1.733). */
static void check_noise(size_t n, const double *z)
{
    double square = 0.0, sum = 0.0, most = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += z[i] / (double)n;
        square += z[i] * z[i] / (double)n;
        most = fmax(most, fabs(z[i]));
    }
    CHECK_NEAR(sum, 0.0, 5.0 / sqrt((double)n));
    CHECK_NEAR(square, 0.973337, 5.0 * sqrt(1.74 / (double)n));
    CHECK_LESS_EQUAL(most, 3.0 + 1e-12);
    CHECK_LESS_EQUAL(2.9, most);
}

/* w* is norm times a unit vector that all replicates share. */
static void test_linear(void)
{
    static const char *const designs[] = { "norm=2.385", "norm=2.385 design=gaussian radius=1.3",
                                           "norm=2.385 radius=3.7 margin=0.4" };
    static double z[N];
    for (size_t k = 0; k < 3; k++) {
        double w[2][D];
        for (size_t replicate = 0; replicate < 2; replicate++) {
            sp_dataset a = dense("linear", designs[k], 300, D, replicate);
            least_squares(&a, w[replicate]);
            CHECK_NEAR(cblas_dnrm2(D, w[replicate], 1), 2.385, 1e-12);
            for (size_t i = 0; i < a.n; i++)
                CHECK_NEAR(a.y[i], inner(&a, i, w[replicate]), 1e-12);
            sp_dataset_free(&a);
        }
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(w[0][j], w[1][j], 1e-12);
    }
    const made m = generator_with("linear", "norm=2.385");
    double w[2][D];
    for (size_t k = 0; k < 2; k++) {
        sp_dataset a = generated(&m, SP_STORE_DENSE, 300, D, 1 + k, 1);
        least_squares(&a, w[k]);
        sp_dataset_free(&a);
    }
    CHECK(fabs(cblas_ddot(D, w[0], 1, w[1], 1)) < 0.9 * 2.385 * 2.385); /* another truth is another vector */

    double *u = truth_with("linear", "", D);
    sp_dataset a = dense("linear", "norm=2.385 noise=0.71", N, D, 5);
    CHECK_NEAR(a.label_bound, 2.385 + 3 * 0.71, 1e-15);
    for (size_t i = 0; i < N; i++)
        z[i] = (a.y[i] - 2.385 * inner(&a, i, u)) / 0.71;
    check_noise(N, z);
    sp_dataset_free(&a);
    a = dense("linear", "norm=2.385 noise=0.71 design=gaussian radius=1.5", 10, D, 5);
    CHECK_NEAR(a.label_bound, 1.5 * 2.385 + 3 * 0.71, 1e-15);
    sp_dataset_free(&a);
    free(u);
}

/* A decay scales feature j by j^-decay, all of them so that E||x||^2 is 1 again, before anything is shortened or moved:
 * of records without it, which come of the same numbers. */
static void test_decay(void)
{
    static const char *const names[] = { "linear", "logistic", "phase" };
    double factor[D], trace = 0.0;
    for (size_t j = 0; j < D; j++) {
        factor[j] = pow((double)j + 1.0, -0.8);
        trace += factor[j] * factor[j] / D;
    }
    for (size_t k = 0; k < 3; k++) {
        sp_dataset plain = dense(names[k], "design=gaussian radius=1000", N, D, 5);
        sp_dataset faded = dense(names[k], "design=gaussian radius=1000 decay=0.8", N, D, 5);
        sp_dataset cut = dense(names[k], "design=gaussian radius=0.913 decay=0.8", N, D, 5);
        double length = 0.0, beyond = 0.0;
        for (size_t i = 0; i < N; i++) {
            const double shorter = fmin(1.0, 0.913 / faded.norm[i]);
            for (size_t j = 0; j < D; j++) {
                const double x = plain.X[i * plain.stride + j] * factor[j] / sqrt(trace);
                CHECK_NEAR(faded.X[i * faded.stride + j], x, 1e-13);
                CHECK_NEAR(cut.X[i * cut.stride + j], shorter * x, 1e-13);
            }
            length += faded.norm[i] * faded.norm[i] / N;
            beyond += shorter < 1.0;
        }
        CHECK_NEAR(length, 1.0, 5.0 * sqrt(2.0 / N)); /* the variance of ||x||^2 is 2 sum_j D_jj^2 <= 2 */
        CHECK(beyond > 0.2 * N && beyond < 0.8 * N);
        sp_dataset_free(&plain);
        sp_dataset_free(&faded);
        sp_dataset_free(&cut);
    }
    double unit[D][D] = { { 0.0 } };
    sp_dataset a = dense("linear", "design=gaussian radius=1000 decay=1.5", N, D, 6);
    for (size_t j = 0; j < D; j++) {
        double all = 0.0;
        for (size_t k = 0; k < D; k++)
            all += pow((double)k + 1.0, -3.0);
        unit[j][j] = 1.0;
        for (size_t k = 0; k <= j; k++)
            check_moment(&a, unit[j], unit[k], j == k ? pow((double)j + 1.0, -3.0) / all : 0.0);
    }
    sp_dataset_free(&a);
}

/* On the sphere in 3 dimensions <u, x> is uniform, so (|t'| - margin)/(radius - margin) is uniform on [0, 1]; records
 * stay on the sphere, both sides are as frequent, and the part across u points anywhere. */
static void test_margin(void)
{
    enum { DIMENSION = 3 };
    double *u = truth_with("linear", "", DIMENSION), across[DIMENSION] = { 0.0 }, first = 0.0, second = 0.0, side = 0.0;
    sp_dataset a = dense("linear", "radius=1.7 margin=0.6", N, DIMENSION, 8);
    for (size_t i = 0; i < N; i++) {
        const double t = inner(&a, i, u), v = (fabs(t) - 0.6) / 1.1;
        CHECK_LESS_EQUAL(0.6 - 1e-14, fabs(t));
        CHECK_NEAR(a.norm[i], 1.7, 1e-14);
        first += v / N;
        second += v * v / N;
        side += (t > 0.0 ? 1.0 : -1.0) / N;
        for (size_t j = 0; j < DIMENSION; j++)
            across[j] += (a.X[i * a.stride + j] - t * u[j]) / N;
    }
    CHECK_NEAR(first, 0.5, 5.0 / sqrt(12.0 * N));
    CHECK_NEAR(second, 1.0 / 3.0, 5.0 * sqrt(4.0 / 45.0 / N));
    CHECK_NEAR(side, 0.0, 5.0 / sqrt(N));
    CHECK_LESS_EQUAL(cblas_dnrm2(DIMENSION, across, 1), 5.0 * 1.7 / sqrt(N));
    sp_dataset_free(&a);

    a = dense("linear", "design=gaussian radius=1.7 margin=0.6", N, DIMENSION, 8);
    for (size_t i = 0; i < N; i++)
        CHECK_LESS_EQUAL(0.6 - 1e-14, fabs(inner(&a, i, u)));
    sp_dataset b = dense("linear", "design=gaussian radius=1.7", N, DIMENSION, 8);
    for (size_t i = 0; i < N; i++) { /* moved along u, shortened across it where there is no room */
        const double t = inner(&b, i, u), moved = copysign(0.6 + (1.0 - 0.6 / 1.7) * fabs(t), t);
        const double rest = sqrt(b.norm[i] * b.norm[i] - t * t), room = sqrt(1.7 * 1.7 - moved * moved);
        CHECK_NEAR(inner(&a, i, u), moved, 1e-14);
        CHECK_NEAR(a.norm[i], hypot(moved, fmin(rest, room)), 1e-12);
    }
    sp_dataset_free(&a);
    sp_dataset_free(&b);
    free(u);
}

/* Labels of records with margin m are +1 as often as the model says. */
static void test_logistic(void)
{
    static const double noises[] = { 0.0, 0.13 };
    double *u = truth_with("logistic", "", D);
    for (size_t k = 0; k < 2; k++) {
        double expected[4] = { 0.0 }, seen[4] = { 0.0 }, variance[4] = { 0.0 };
        sp_dataset a = dense("logistic", k ? "scale=4.5 noise=0.13" : "scale=4.5", N, D, 6);
        for (size_t i = 0; i < N; i++) {
            const double m = inner(&a, i, u), plus = 1.0 / (1.0 + exp(-4.5 * m));
            const double p = (1.0 - noises[k]) * plus + noises[k] * (1.0 - plus);
            const size_t bin = m < -0.4 ? 0 : m < 0.0 ? 1 : m < 0.4 ? 2 : 3;
            expected[bin] += p;
            variance[bin] += p * (1.0 - p);
            seen[bin] += a.y[i] > 0.0;
        }
        for (size_t bin = 0; bin < 4; bin++)
            CHECK_NEAR(seen[bin], expected[bin], 5.0 * sqrt(variance[bin]));
        sp_dataset_free(&a);

        /* separable but for the flips */
        a = dense("logistic", k ? "scale=1000 margin=0.2 noise=0.13" : "scale=1000 margin=0.2", N, D, 6);
        double wrong = 0.0;
        for (size_t i = 0; i < N; i++)
            wrong += a.y[i] * inner(&a, i, u) < 0.0;
        CHECK_NEAR(wrong / N, noises[k], 5.0 * sqrt(noises[k] * (1.0 - noises[k]) / N));
        sp_dataset_free(&a);
    }
    free(u);
}

/* The design has exactly `rank` singular values, alike by symmetry; w* lies among the rows. */
static void test_low_rank(void)
{
    enum { FEATURES = 12, RANK = 3, FEW = 5000 };
    double w[FEATURES], s[FEATURES], *truth = truth_with("low_rank", "rank=3", FEATURES);
    sp_dataset a = dense("low_rank", "rank=3 norm=2.385", FEW, FEATURES, 7);
    gsl_matrix *X = gsl_matrix_alloc(FEW, FEATURES), *V = gsl_matrix_alloc(FEATURES, FEATURES);
    gsl_vector *work = gsl_vector_alloc(FEATURES);
    gsl_vector_view values = gsl_vector_view_array(s, FEATURES);
    for (size_t i = 0; i < FEW; i++)
        memcpy(X->data + i * FEATURES, a.X + i * a.stride, FEATURES * sizeof *a.X);
    gsl_linalg_SV_decomp(X, V, &values.vector, work);
    for (size_t k = 0; k < FEATURES; k++)
        if (k < RANK) /* entries of X'X/n deviate from I/3 by at most .3/sqrt(n), its spectrum by 3 times that */
            CHECK_NEAR(s[k] * s[k] / FEW, 1.0 / RANK, 5.0 * RANK * sqrt(4.0 / 45.0 / FEW));
        else
            CHECK_LESS_EQUAL(s[k], 1e-13 * s[0]);
    for (size_t j = 0; j < FEATURES; j++)
        w[j] = 2.385 * truth[j];
    CHECK_NEAR(cblas_dnrm2(FEATURES, w, 1), 2.385, 1e-14);
    double outside = 1.0; /* of w* to the row space */
    for (size_t k = 0; k < RANK; k++) {
        double along = 0.0;
        for (size_t j = 0; j < FEATURES; j++)
            along += gsl_matrix_get(V, j, k) * truth[j];
        outside -= along * along;
    }
    CHECK_NEAR(outside, 0.0, 1e-13);
    for (size_t i = 0; i < FEW; i++) {
        CHECK_NEAR(a.norm[i], 1.0, 1e-14);
        CHECK_NEAR(a.y[i], inner(&a, i, w), 1e-14);
    }
    sp_dataset_free(&a);
    gsl_matrix_free(X);
    gsl_matrix_free(V);
    gsl_vector_free(work);
    free(truth);

    enum { WHOLE = 64 };
    truth = truth_with("low_rank", "rank=64", WHOLE); /* an orthonormal basis of the whole space */
    for (size_t k = 0; k < WHOLE; k++)
        for (size_t l = 0; l <= k; l++)
            CHECK_NEAR(cblas_ddot(WHOLE, truth + (1 + k) * WHOLE, 1, truth + (1 + l) * WHOLE, 1), k == l, 2e-15);
    free(truth);

    static double z[N];
    truth = truth_with("low_rank", "rank=3", FEATURES);
    a = dense("low_rank", "rank=3 norm=2.385 noise=0.71", N, FEATURES, 7);
    for (size_t i = 0; i < N; i++)
        z[i] = (a.y[i] - inner(&a, i, truth) * 2.385) / 0.71;
    check_noise(N, z);
    sp_dataset_free(&a);
    free(truth);
}

/* Covariance (I + spike v v') / (d + spike); a cut shrinks it but leaves v an eigenvector, and the leading one. */
static void test_spiked(void)
{
    static const char *const cuts[] = { "spike=4.7 radius=1000", "spike=4.7 radius=0.8" };
    double *v = truth_with("spiked", "", D);
    CHECK_NEAR(cblas_dnrm2(D, v, 1), 1.0, 1e-14);
    for (size_t k = 0; k < 2; k++) {
        sp_dataset a = dense("spiked", cuts[k], N, D, 9);
        double error, along = second_moment(&a, v, v, &error), most = 0.0;
        for (size_t j = 0; j < D; j++) { /* e_j without its part along v */
            double e[D];
            for (size_t l = 0; l < D; l++)
                e[l] = (l == j) - v[j] * v[l];
            const double square = cblas_ddot(D, e, 1, e, 1);
            check_moment(&a, e, v, 0.0);
            if (k == 0)
                check_moment(&a, e, e, square / (D + 4.7));
            most = fmax(most, second_moment(&a, e, e, &error) / square);
        }
        if (k == 0)
            check_moment(&a, v, v, (1.0 + 4.7) / (D + 4.7));
        CHECK_LESS_EQUAL(2.0 * most, along);
        sp_dataset_free(&a);
    }
    free(v);
}

/* The companion matrix of a: A h = (h_2, ..., h_K, -a_K h_1 - ... - a_1 h_K). */
enum { ORDER = 4, STEPS = 23, TRUTH = 2 * ORDER + 1 };

static void companion(const double *a, double A[ORDER][ORDER])
{
    memset(A, 0, sizeof(double[ORDER][ORDER]));
    for (size_t k = 0; k < ORDER; k++) {
        if (k + 1 < ORDER)
            A[k][k + 1] = 1.0;
        A[ORDER - 1][k] = -a[ORDER - 1 - k];
    }
}

/* Outputs by the impulse response D, c' A^s e_K, from matrix products; stability and acquiescence on the unit circle;
 * the truth is the loss's minimiser. */
static void test_lds(void)
{
    const char *const settings = "order=4 memory=0.66 gain=2.385";
    double *truth = truth_with("lds", settings, 2 * STEPS), A[ORDER][ORDER], response[STEPS], size = 0.0, gain = 0.0;
    companion(truth, A);
    double power[ORDER] = { [ORDER - 1] = 1.0 };
    for (size_t s = 0; s < STEPS; s++) {
        double next[ORDER];
        response[s] = cblas_ddot(ORDER, truth + ORDER, 1, power, 1);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, ORDER, ORDER, 1.0, A[0], ORDER, power, 1, 0.0, next, 1);
        memcpy(power, next, sizeof next);
    }
    for (size_t k = 0; k < ORDER; k++) {
        size += fabs(truth[k]);
        gain += fabs(truth[ORDER + k]);
    }
    const double direct = truth[2 * ORDER];
    CHECK_NEAR(size, 0.66, 1e-15);
    CHECK_NEAR(gain / (1.0 - 0.66) + fabs(direct), 2.385, 1e-14);
    CHECK(direct != 0.0);
    for (int k = 0; k < 720; k++) { /* q(z) = 1 + sum a_j z^-j */
        double real = 1.0, imaginary = 0.0;
        for (int j = 1; j <= ORDER; j++) {
            real += truth[j - 1] * cos(k * j * M_PI / 360.0);
            imaginary -= truth[j - 1] * sin(k * j * M_PI / 360.0);
        }
        CHECK_LESS_EQUAL(fabs(imaginary), real);
    }
    enum { FEW = 2000 };
    sp_dataset a = dense("lds", settings, FEW, 2 * STEPS, 10), b = dense("lds", "order=4 memory=0.66 gain=2.385 "
                         "noise=0.37", FEW, 2 * STEPS, 10);
    CHECK_NEAR(a.radius, hypot(1.0, 2.385), 1e-15);
    CHECK_NEAR(b.radius, hypot(1.0, 2.385 + 3.0 * 0.37), 1e-15);
    const sp_record_form *record = sp_loss_linear_dynamical_system.record;
    const double order[SP_PARAM_MAX] = { ORDER };
    CHECK_EQUAL(record->dimension(order, a.d), TRUTH);
    double square = 0.0, *scratch = sp_alloc_doubles(record->scratch(order, a.d));
    for (size_t i = 0; i < FEW; i++) {
        const double *u = a.X + i * a.stride, *y = u + STEPS;
        CHECK_NEAR(cblas_dnrm2(STEPS, u, 1), 1.0, 1e-14);
        for (size_t t = 0; t < STEPS; t++) {
            double expected = direct * u[t];
            for (size_t s = 0; s < t; s++)
                expected += response[t - 1 - s] * u[s];
            CHECK_NEAR(y[t], expected, 1e-14);
        }
        CHECK_LESS_EQUAL(record->value(order, a.d, u, 0.0, truth, scratch), 1e-28);
        CHECK(memcmp(u, b.X + i * b.stride, STEPS * sizeof *u) == 0);
        double noise = 0.0;
        for (size_t t = 0; t < STEPS; t++)
            noise += pow(b.X[i * b.stride + STEPS + t] - y[t], 2);
        CHECK_LESS_EQUAL(noise, pow(3.0 * 0.37, 2) * (1.0 + 1e-12));
        square += noise / FEW;
    }
    CHECK_NEAR(square, 0.37 * 0.37, 5.0 * 0.37 * 0.37 * sqrt(2.0 / STEPS / FEW)); /* the cut hardly ever acts */
    sp_dataset_free(&a);
    sp_dataset_free(&b);
    free(scratch);
    free(truth);

    /* of 200,000 errors in two steps about 25 are cut: none with probability 2e-11 */
    double most = 0.0;
    a = dense("lds", "order=1 gain=0 noise=0.37", 200000, 4, 10);
    for (size_t i = 0; i < a.n; i++)
        most = fmax(most, hypot(a.X[i * a.stride + 2], a.X[i * a.stride + 3]));
    CHECK_NEAR(most, 3.0 * 0.37, 1e-15);
    sp_dataset_free(&a);
}

static void test_phase(void)
{
    static double z[N];
    double *u = truth_with("phase", "", D);
    sp_dataset a = dense("phase", "norm=2.385", 500, D, 11);
    sp_dataset b = dense("phase", "norm=2.385 noise=0.71 radius=1.9", N, D, 11);
    CHECK_NEAR(a.label_bound, 2.385 * 2.385, 1e-15);
    CHECK_NEAR(b.label_bound, pow(1.9 * 2.385, 2) + 3.0 * 0.71, 1e-14);
    for (size_t i = 0; i < a.n; i++)
        CHECK_NEAR(a.y[i], pow(2.385 * inner(&a, i, u), 2), 1e-14);
    for (size_t i = 0; i < N; i++)
        z[i] = (b.y[i] - pow(2.385 * inner(&b, i, u), 2)) / 0.71;
    check_noise(N, z);
    check_isotropic(&b, 1.9 * 1.9 / D);
    sp_dataset_free(&a);
    sp_dataset_free(&b);
    free(u);
}

int main(void)
{
    test_signs();
    test_classes();
    test_sphere();
    test_pairs();
    test_one_hot();
    test_gaussian();
    test_linear();
    test_decay();
    test_margin();
    test_logistic();
    test_low_rank();
    test_spiked();
    test_lds();
    test_phase();
    return sp_check_done();
}
