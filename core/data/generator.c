/* generator.c -- synthetic records. Directions are uniform on the unit sphere: a Gaussian vector over its norm.
 *
 *   signs     x_j = +-1/sqrt(d) independent, P(+) = (1 + mean)/2, so that E x = (mean/sqrt(d)) (1, ..., 1)
 *   sphere    x uniform on the sphere
 *   linear    x uniform on the sphere, y = <w*, x> + noise z, w* = norm u, z ~ N(0, 1) given |z| <= 3
 *   logistic  x uniform on the sphere, P(y = 1) = 1/(1 + exp(-scale <u, x>)), else y = -1
 *
 * u is one uniform direction, drawn before the records; a record draws its features, then its label.
 */
#include "core/data/generator.h"

#include "core/base/memory.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEAN = 0, NORM = 0, NOISE = 1, SCALE = 0 };

static const double noise_cut = 3.0;

static double one(const sp_values *v, size_t d)
{
    (void)v;
    (void)d;
    return 1.0;
}

static double zero(const sp_values *v, size_t d)
{
    (void)v;
    (void)d;
    return 0.0;
}

static void direction(gsl_rng *stream, size_t d, double *restrict out)
{
    double sum;
    do {
        sum = 0.0;
        for (size_t j = 0; j < d; j++) {
            out[j] = gsl_ran_gaussian_ziggurat(stream, 1.0);
            sum += out[j] * out[j];
        }
    } while (sum == 0.0);
    const double norm = sqrt(sum);
    for (size_t j = 0; j < d; j++)
        out[j] /= norm;
}

static double inner(size_t d, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum += a[j] * b[j];
    return sum;
}

/* --- the generators ------------------------------------------------------------------------------------------ */

static const sp_param signs_params[] = {
    [MEAN] = { "mean", SP_REAL, 0.0, { 0.0, 1.0 }, "||E x||" },
    { 0 },
};

static void signs(const sp_values *v, size_t n, size_t d, gsl_rng *stream, const double *u, double *X, double *y)
{
    (void)u;
    (void)y;
    const double plus = 0.5 * (1.0 + sp_real(v, MEAN)), size = 1.0 / sqrt((double)d);
    for (size_t k = 0; k < n * d; k++)
        X[k] = gsl_rng_uniform(stream) < plus ? size : -size;
}

static void sphere(const sp_values *v, size_t n, size_t d, gsl_rng *stream, const double *u, double *X, double *y)
{
    (void)v;
    (void)u;
    (void)y;
    for (size_t i = 0; i < n; i++)
        direction(stream, d, X + i * d);
}

static const sp_param linear_params[] = {
    [NORM] = { "norm", SP_REAL, 1.0, { 0.0, 1e6 }, "||w*||" },
    [NOISE] = { "noise", SP_REAL, 0.0, { 0.0, 1e6 }, "deviation of the label noise before it is cut at 3 deviations" },
    { 0 },
};

static void linear(const sp_values *v, size_t n, size_t d, gsl_rng *stream, const double *u, double *X, double *y)
{
    const double norm = sp_real(v, NORM), noise = sp_real(v, NOISE);
    for (size_t i = 0; i < n; i++) {
        direction(stream, d, X + i * d);
        y[i] = norm * inner(d, u, X + i * d);
        double z = 0.0;
        if (noise > 0.0)
            do
                z = gsl_ran_gaussian_ziggurat(stream, 1.0);
            while (fabs(z) > noise_cut);
        y[i] += noise * z;
    }
}

static double linear_label_bound(const sp_values *v, size_t d)
{
    (void)d;
    return sp_real(v, NORM) + noise_cut * sp_real(v, NOISE);
}

static bool linear_realisable(const sp_values *v)
{
    return sp_real(v, NOISE) == 0.0;
}

static const sp_param logistic_params[] = {
    [SCALE] = { "scale", SP_REAL, 10.0, { 0.0, 1e6 }, "steepness of the label probability" },
    { 0 },
};

static void logistic(const sp_values *v, size_t n, size_t d, gsl_rng *stream, const double *u, double *X, double *y)
{
    const double scale = sp_real(v, SCALE);
    for (size_t i = 0; i < n; i++) {
        direction(stream, d, X + i * d);
        y[i] = gsl_rng_uniform(stream) < 1.0 / (1.0 + exp(-scale * inner(d, u, X + i * d))) ? 1.0 : -1.0;
    }
}

const sp_generator sp_generators[] = {
    { .name = "signs", .summary = "signs over sqrt(d), independent, with a chosen mean; no labels",
      .params = signs_params, .radius = one, .label_bound = zero, .fill = signs },
    { .name = "sphere", .summary = "uniform on the unit sphere; no labels",
      .radius = one, .label_bound = zero, .fill = sphere },
    { .name = "linear", .summary = "uniform on the unit sphere; labels <w*, x> + noise",
      .params = linear_params, .radius = one, .label_bound = linear_label_bound, .labels = true,
      .realisable = linear_realisable, .fill = linear },
    { .name = "logistic", .summary = "uniform on the unit sphere; labels -1 and +1 from a logistic model",
      .params = logistic_params, .radius = one, .label_bound = one, .labels = true, .binary = true, .fill = logistic },
};

const size_t sp_generator_count = sizeof sp_generators / sizeof *sp_generators;

const sp_generator *sp_generator_find(const char *name)
{
    for (size_t i = 0; i < sp_generator_count; i++)
        if (strcmp(sp_generators[i].name, name) == 0)
            return &sp_generators[i];
    return NULL;
}

bool sp_generator_realisable(const sp_generator *generator, const sp_values *values)
{
    return generator->realisable && generator->realisable(values);
}

sp_status sp_generate(const sp_generator *generator, const sp_values *values, size_t n, size_t d, gsl_rng *stream,
                      sp_dataset *out, sp_error *error)
{
    double *X = NULL, *y = NULL, *u = NULL;
    sp_status status = SP_OK;
    SP_TRY(sp_dataset_new(n, d, generator->labels, false, out, &X, &y, error));
    if (generator->labels) {
        if (!(u = sp_alloc_doubles(d))) {
            status = sp_fail(error, SP_ENOMEM, "d = %zu: out of memory", d);
            goto cleanup;
        }
        direction(stream, d, u);
    }
    generator->fill(values, n, d, stream, u, X, y);
    SP_TRY(sp_dataset_seal(out, generator->radius(values, d), generator->label_bound(values, d), error));

cleanup:
    if (status != SP_OK)
        sp_dataset_free(out);
    free(u);
    return status;
}
