/* spectrum.c -- chooses between the dense eigensolver and Lanczos's method (core/numeric/eigen.h), and bounds the
 * smallest eigenvalue by the diagonal and by Gershgorin's discs. */
#include "losses/optimum/spectrum.h"

#include "core/numeric/eigen.h"
#include "core/numeric/stream.h"
#include "losses/optimum/certificate.h"

#include <gsl/gsl_randist.h>

enum { STEPS = 200 };
static const double tolerance = 1e-8;

/* lambda_min <= H_jj for every j, and >= the least H_jj - sum_{k != j} |H_jk|. False where H is not finite. */
static bool enclose(size_t d, const double *H, double *low, double *high)
{
    double sum = 0.0;
    *low = *high = INFINITY;
    for (size_t j = 0; j < d; j++) {
        double beside = 0.0;
        for (size_t k = 0; k < d; k++)
            beside += k == j ? 0.0 : fabs(H[j * d + k]);
        *high = fmin(*high, H[j * d + j]);
        *low = fmin(*low, H[j * d + j] - beside);
        sum += fabs(H[j * d + j]) + beside;
    }
    return isfinite(sum);
}

typedef struct operand {
    const sp_problem *problem;
    sp_workspace *workspace;
    const double *w;
} operand;

static void product(void *context, const double *v, double *restrict out)
{
    const operand *at = context;
    sp_problem_product(at->problem, at->workspace, at->w, v, out);
}

size_t sp_spectrum_scratch(const sp_problem *p)
{
    const size_t d = sp_problem_d(p);
    return d <= SP_DENSE_MAX ? d * d : d + sp_lanczos_scratch(d, STEPS);
}

sp_status sp_spectrum_smallest(const sp_problem *p, sp_workspace *workspace, const double *w, double *scratch,
                               double *value)
{
    const size_t d = sp_problem_d(p);
    if (d <= SP_DENSE_MAX) {
        sp_problem_hessian(p, workspace, w, scratch);
        return sp_eigen_smallest(d, scratch, value, NULL);
    }
    operand at = { p, workspace, w };
    double *start = scratch, error = 0.0;
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(0, "lanczos", 0, SP_STREAM_MEASURE));
    if (!stream)
        return SP_ENOMEM;
    for (size_t j = 0; j < d; j++)
        start[j] = gsl_ran_gaussian(stream, 1.0);
    gsl_rng_free(stream);
    return sp_lanczos_smallest(d, product, &at, start, STEPS, tolerance, value, &error, NULL, start + d);
}

sp_status sp_spectrum_below(const sp_problem *p, sp_workspace *workspace, const double *w, double bound,
                            double *scratch, bool *below)
{
    const size_t d = sp_problem_d(p);
    double value = NAN, low, high;
    sp_status status = SP_OK;
    if (d > SP_DENSE_MAX) {
        status = sp_spectrum_smallest(p, workspace, w, scratch, &value);
    } else {
        sp_problem_hessian(p, workspace, w, scratch);
        const bool known = enclose(d, scratch, &low, &high) && (high < bound || low >= bound);
        value = high < bound ? high : low;
        if (!known)
            status = sp_eigen_smallest(d, scratch, &value, NULL);
    }
    *below = value < bound;
    return status;
}
