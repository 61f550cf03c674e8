/*
 * dp_sgd_poisson.c -- DP-SGD as it is mostly run: Poisson samples, per-record clipping, momentum.
 *
 *   S contains each record with probability q = b / n;   g = sum_S map(grad f(w)) / b + N(0, noise_std^2 I)
 *   v <- momentum v + g,   w <- Proj_W( w - eta v ),   T times;      noise_std = noise_multiplier * C / b
 *
 * map(x) = x min(1, C / ||x||), C <= L_data, or with map = normalise C x / (||x|| + offset), for any C; b is the
 * expected number of records in S. Sums are divided by b, because the real number is secret; an empty sample gives only
 * noise. With x clipped to C = L_data and no momentum, g is unbiased,
 *
 *   E||g||^2 <= ||grad F(w)||^2 + d s^2,   d s^2 = d noise_std^2 + C^2 (1 - q) / b,
 *
 * and step size and risk bound are those of dp_sgd.c with s in place of noise_std: for a quasar-convex F of constant k,
 * D >= ||w_0 - w*|| and G = L^2 + d s^2, eta = D / sqrt(T G) and E[F(w_J) - F*] <= (D^2 / (eta T) + eta G) / (2 k);
 * otherwise eta = min(1/beta, sqrt(2 gap / (beta T d s^2))). Both are multiplied by 1 - momentum, because v is a sum of
 * about 1 / (1 - momentum) gradients.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar & Zhang 2016; map = normalise: Bu, Wang, Zha & Karypis
 *          2023.
 * Privacy  (epsilon, delta), replace-one: T Gaussian releases on Poisson samples, each record's part of norm at most C
 *          / b. A replaced record moves the sum by two such parts; under add-remove neighbours (privacy.neighbours, b <
 *          n) a record moves it by one.
 * Differs  The paper and other libraries count add-remove neighbours, for which the same noise has a smaller epsilon.
 *          The paper has no formula for the noise: it comes from the accountant. T is a number of epochs. With the
 *          noise off, eta is that of a replace-one run with the noise of full batches. Projects when the domain is
 *          bounded.
 * Output   w_J, J uniform over the iterates at which a gradient was released, unless `select` says otherwise.
 * Cost     T b gradients on average, 3 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/batch.h"
#include "algorithms/parts/descent.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { STEPS, EPOCHS, BATCH, CLIP, MAP, OFFSET, MOMENTUM, ETA, SELECT };

static const sp_param params[] = {
    [STEPS]    = { "steps",    SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default epochs * n / b" },
    [EPOCHS]   = { "epochs",   SP_REAL,   20,         SP_POSITIVE,         "how often a record is met on average" },
    [BATCH]    = { "batch",    SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "expected records b a step; default "
                                                                           "sqrt(n)" },
    [CLIP]     = { "clip",     SP_REAL,   SP_DERIVED, SP_POSITIVE,         "norm C of a record's part; default and "
                                                                           "with map = clip at most L_data" },
    [MAP]      = { "map",      SP_CHOICE, SP_MAP_CLIP, { 0, 0 },           "how a record's gradient is made to fit C",
                   SP_MAPS },
    [OFFSET]   = { "offset",   SP_REAL,   0.01,       SP_POSITIVE,         "normalise: C g / (||g|| + offset)" },
    [MOMENTUM] = { "momentum", SP_REAL,   0,          { 0, 0.9999 },       "part of the last direction that is kept" },
    [ETA]      = { "eta",      SP_REAL,   SP_DERIVED, SP_POSITIVE,         "step size; default by theory" },
    [SELECT]   = { "select",   SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 },     "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

static size_t batch_of(size_t n, const sp_values *v)
{
    return sp_given(v, BATCH) ? sp_count(v, BATCH) : (size_t)ceil(sqrt((double)n));
}

static sp_status run(sp_oracle *o, const sp_values *values, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, batch = (double)batch_of(c->n, values);
    const bool normalise = sp_choice(values, MAP) == SP_MAP_NORMALISE;
    const double clip = sp_given(values, CLIP) ? fmin(sp_real(values, CLIP), normalise ? HUGE_VAL : c->L_data)
                                               : c->L_data;
    const double momentum = sp_real(values, MOMENTUM);
    const sp_sample sample = sp_poisson(batch / n);
    size_t steps = sp_count(values, STEPS);
    double multiplier = 0.0, *g = sp_alloc_doubles(c->d), *v = sp_alloc_doubles(c->d);
    sp_output output = { 0 };
    sp_query query = { .terms = 1, .term = { { 1.0, w } }, .bound = clip,
                       .normalise = normalise ? sp_real(values, OFFSET) : 0.0 };

    if (!g || !v)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    if (batch > n)
        SP_TRY(sp_refuse(o, SP_EINVAL, "batch = %g: there are %g records", batch, n));
    if (!sp_given(values, STEPS))
        SP_TRY(sp_derive_steps(o, sp_real(values, EPOCHS) * n / batch, &steps));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sample, .count = steps }, 1,
                        &multiplier));
    SP_TRY(sp_draw(o, sample, &query.batch));
    const double T = (double)steps, noise_std = multiplier > 0.0 ? multiplier * sp_sensitivity(o, &query)
                                                                 : clip * sqrt(2.0 * T / sp_budget_of(o)->rho) / n;
    const double s = sqrt(noise_std * noise_std + clip * clip * (1.0 - batch / n) / (batch * (double)c->d));
    const double eta = sp_given(values, ETA) ? sp_real(values, ETA)
                                             : (1.0 - momentum) * sp_descent_step(c, T, HUGE_VAL, s);
    if (!(eta > 0.0))
        SP_TRY(sp_refuse(o, SP_EINVAL, "eta must be given: its default needs a smooth loss, or a (quasar-)convex one "
                                       "with a finite L and distance"));
    sp_resolved(o, "batch", batch, sp_given(values, BATCH) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "clip", clip, sp_given(values, CLIP) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", eta, sp_given(values, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", T, sp_given(values, STEPS) ? SP_FROM_USER : SP_FROM_CAP);
    if (momentum == 0.0 && clip == c->L_data && !normalise)
        sp_predict(o, (sp_output_rule)sp_choice(values, SELECT), sp_descent_bound(c, T, eta, s), c->gap);
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(values, SELECT), steps));

    for (size_t t = 1; t <= steps; t++) {
        if (t > 1)
            SP_TRY(sp_draw(o, sample, &query.batch));
        SP_TRY(sp_gradient(o, &query, multiplier, g));
        SP_TRY(sp_output_offer(&output, w, g));
        for (size_t j = 0; j < c->d; j++)
            v[j] = momentum * v[j] + g[j];
        cblas_daxpy((int)c->d, -eta, v, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(v);
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_dp_sgd_poisson = {
    .name = "dp_sgd_poisson",
    .summary = "DP-SGD on Poisson samples, with per-record clipping and momentum",
    .when = "to compare with DP-SGD of other libraries, whose privacy.neighbours is \"add_remove\"; where that is not "
            "the point, dp_sgd on subsets of a fixed size needs as little noise and more is known of it",
    .source = "Abadi et al. 2016",
    .releases = "T sums of clipped gradients of Poisson samples, each record with probability b / n, divided by b; a "
                "record's part is at most C / b",
    .uses = "parts/batch parts/descent parts/fits parts/output parts/theory",
    .params = params,
    .add_remove = true,
    .sampled = batch_of,
    .fits = sp_lipschitz_fits,
    .run = run,
};
