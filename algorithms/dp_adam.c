/*
 * dp_adam.c -- Adam on noisy gradients, with the noise's variance subtracted from the second moment.
 *
 *   v = mean_S map(grad f(w)) + N(0, s^2 I)
 *   m <- b1 m + (1 - b1) v,  m' = m / (1 - b1^t);   u <- b2 u + (1 - b2) v^2,  u' = u / (1 - b2^t)
 *   w <- Proj_W( w - eta m' / sqrt(max(u' - s^2, xi^2, floor s^2)) ),   coordinate by coordinate, t = 1..T
 *
 * S is all n records, or b of them; b1, b2 are the decay rates of the moments. s is the deviation of the noise and
 * public, so E[v^2] - s^2 is the second moment of the gradient of S without noise. With correct = false it is not
 * subtracted, and w <- w - eta m' / (sqrt(u') + xi): where noise dominates, u' is mostly s^2 and the method is descent
 * with momentum. xi^2 = 5e-8 is the published floor. Where noise dominates, u' - s^2 is noise of order s^2 and of
 * either sign, and a much lower floor allows steps of any length; therefore the parameter `floor` adds the floor
 * `floor` s^2 (0: only xi).
 *
 * `map` acts on each record's gradient g: it clips g to the norm C, or normalises it to C g / (||g|| + offset), whose
 * norm is below C for every g (automatic clipping). With normalisation no bound on gradients need be known, but L_data
 * must be declared, as large as one likes, because gradients are clipped to it first.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Kingma & Ba 2015; Tang, Shpilevskiy & Lecuyer 2024 (arXiv 2312.14334) for the correction; Bu, Wang, Zha &
 *          Karypis 2023 for the map.
 * Privacy  (epsilon, delta), replace-one: T Gaussian releases of l2 sensitivity 2 C / n; on b < n records of a subset
 *          drawn without replacement 2 C / b, of a Poisson sample a record's part is at most C / b.
 * Differs  floor; the paper tunes xi. No theorem gives T and eta: T is that of dp_gd, eta that of dp_sign, which
 *          minimises the bound for steps of equal length in every coordinate. Projects when the domain is bounded.
 * Output   the last iterate, unless `select` says otherwise.
 * Cost     T b gradients, 4 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/batch.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { ETA, STEPS, BATCH, SAMPLE, FIRST, SECOND, CORRECT, XI, FLOOR, CLIP, MAP, OFFSET, SELECT };

static const sp_param params[] = {
    [ETA]     = { "eta",     SP_REAL,   SP_DERIVED, SP_POSITIVE,         "step size; default that of dp_sign" },
    [STEPS]   = { "steps",   SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default that of dp_gd" },
    [BATCH]   = { "batch",   SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "records b a step; default all" },
    [SAMPLE]  = { "sample",  SP_CHOICE, SP_BATCH_SUBSET, { 0, 0 },       "how b < n records are drawn", SP_BATCHES },
    [FIRST]   = { "b1",      SP_REAL,   0.9,        { 0, 0.999999 },     "part of the first moment that is kept" },
    [SECOND]  = { "b2",      SP_REAL,   0.999,      { 0, 0.999999 },     "part of the second moment that is kept" },
    [CORRECT] = { "correct", SP_FLAG,   true,       { 0, 1 },            "take s^2 off the second moment" },
    [XI]      = { "xi",      SP_REAL,   2.2360679774997898e-4, SP_POSITIVE, "least denominator" },
    [FLOOR]   = { "floor",   SP_REAL,   0.01,       { 0, 1e6 },          "least second moment, in units of s^2" },
    [CLIP]    = { "clip",    SP_REAL,   SP_DERIVED, SP_POSITIVE,         "norm C of a record's part; default and with "
                                                                         "map = clip at most L_data" },
    [MAP]     = { "map",     SP_CHOICE, SP_MAP_CLIP, { 0, 0 },           "how a record's gradient is made to fit C",
                  SP_MAPS },
    [OFFSET]  = { "offset",  SP_REAL,   0.01,       SP_POSITIVE,         "normalise: C g / (||g|| + offset)" },
    [SELECT]  = { "select",  SP_CHOICE, SP_OUTPUT_LAST, { 0, 0 },        "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

static size_t batch_of(size_t n, const sp_values *v)
{
    return sp_given(v, BATCH) ? sp_count(v, BATCH) : n;
}

typedef struct moments {
    double first, second;       /* b1, b2 */
    double kept[2];             /* b1^t, b2^t */
    double noise, least, added; /* s^2, or 0; below which nothing is divided by the root of; added to that root */
    double *m, *u;              /* d each */
} moments;

/* v becomes the direction of the next step. */
static void direct(moments *a, size_t d, double *v)
{
    a->kept[0] *= a->first;
    a->kept[1] *= a->second;
    for (size_t j = 0; j < d; j++) {
        a->m[j] = a->first * a->m[j] + (1.0 - a->first) * v[j];
        a->u[j] = a->second * a->u[j] + (1.0 - a->second) * v[j] * v[j];
        v[j] = a->m[j] / (1.0 - a->kept[0]) /
               (sqrt(fmax(a->u[j] / (1.0 - a->kept[1]) - a->noise, a->least)) + a->added);
    }
}

static sp_status run(sp_oracle *o, const sp_values *values, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const size_t b = batch_of(c->n, values);
    const sp_sample sample = sp_sample_of(c->n, b, (sp_batch_kind)sp_choice(values, SAMPLE));
    const double xi = sp_real(values, XI);
    const bool normalise = sp_choice(values, MAP) == SP_MAP_NORMALISE;
    const double clip = sp_given(values, CLIP) ? fmin(sp_real(values, CLIP), normalise ? HUGE_VAL : c->L_data)
                                               : c->L_data;
    size_t steps = sp_count(values, STEPS);
    double multiplier = 0.0, *v = sp_alloc_doubles(c->d);
    moments a = { .first = sp_real(values, FIRST), .second = sp_real(values, SECOND), .kept = { 1.0, 1.0 },
                  .m = sp_alloc_doubles(c->d), .u = sp_alloc_doubles(c->d) };
    sp_output output = { 0 };
    sp_query query = { .terms = 1, .term = { { 1.0, w } }, .bound = clip,
                       .normalise = normalise ? sp_real(values, OFFSET) : 0.0 };

    if (!v || !a.m || !a.u)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %zu dimensions", c->d));
    if (b > c->n)
        SP_TRY(sp_refuse(o, SP_EINVAL, "batch = %zu: there are %zu records", b, c->n));
    if (!sp_given(values, STEPS))
        SP_TRY(sp_derive_steps(o, sp_descent_steps(c, sp_budget_of(o)->rho), &steps));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sample, .count = steps }, 1,
                        &multiplier));
    SP_TRY(sp_draw(o, sample, &query.batch));
    const double T = (double)steps, s = multiplier * sp_sensitivity(o, &query);
    const double eta = sp_given(values, ETA) ? sp_real(values, ETA)
                                             : sqrt(2.0 * c->gap / (c->beta * (double)c->d * T));
    if (sp_flag(values, CORRECT)) {
        a.noise = s * s;
        a.least = fmax(xi * xi, sp_real(values, FLOOR) * s * s);
    } else {
        a.added = xi;
    }
    sp_resolved(o, "eta", eta, sp_given(values, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", T, sp_given(values, STEPS) ? SP_FROM_USER : SP_FROM_BALANCE);
    sp_resolved(o, "clip", clip, sp_given(values, CLIP) ? SP_FROM_USER : SP_FROM_THEORY);
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(values, SELECT), steps));

    for (size_t t = 1; t <= steps; t++) {
        if (t > 1)
            SP_TRY(sp_draw(o, sample, &query.batch));
        SP_TRY(sp_gradient(o, &query, multiplier, v));
        SP_TRY(sp_output_offer(&output, w, v));
        direct(&a, c->d, v);
        cblas_daxpy((int)c->d, -eta, v, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(a.u);
    free(a.m);
    free(v);
    return status;
}

const sp_algorithm sp_algorithm_dp_adam = {
    .name = "dp_adam",
    .summary = "Adam on noisy gradients, the noise's share of the second moment taken off",
    .when = "coordinates have different scales, and there is a budget for choosing eta and the floor; no theorem gives "
            "them",
    .source = "Kingma & Ba 2015; Tang, Shpilevskiy & Lecuyer 2024; Bu, Wang, Zha & Karypis 2023",
    .releases = "T gradients of all records, each record's cut or normalised to C, sensitivity 2 C / n, or of b of "
                "them, 2 C / b",
    .uses = "parts/batch parts/fits parts/output parts/theory",
    .params = params,
    .sampled = batch_of,
    .fits = sp_positive_gap_fits,
    .run = run,
};
