/*
 * normalised_sgd.c -- stochastic gradient descent with momentum and normalised steps, without noise: the reference for
 * dp_ngd, fb_sr_ngd and dp_nsgd.
 *
 *   m_0 = mean_S grad f(w_0),   m_t = (1 - a) m_{t-1} + a mean_S grad f(w_t),   S a fresh uniform b-subset
 *   w_{t+1} = Proj_W( w_t - min(eta / ||m_t||, 1/beta) m_t ),   0 <= t < T
 *
 * With s = [b < n] L_data / sqrt(b) the error m_t - grad F(w_t) is on average over t at most s / (a T) + beta eta (1 -
 * a) / a + s sqrt(a / (2 - a)), and bound (1) of parts/normalised.h becomes
 *
 *   E||grad F(w_J)|| <= gap / (eta T) + beta eta / 2 + 2 ( s / (a T) + beta eta (1 - a) / a + s sqrt(a / (2 - a)) ).
 *
 * Defaults: a = min(1, sqrt(beta gap b / (L_data^2 T))), eta = sqrt(gap a / (beta T)), for a bound of order T^(-1/4).
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Cutkosky & Mehta 2020, Theorem 1.
 * Privacy  none: its releases carry no noise, which an oracle with a budget refuses.
 * Differs  Steps have length at most ||m|| / beta, which does not change the bound. Projects when the domain is
 *          bounded.
 * Output   w_J, J uniform over the iterates at which m was computed, unless `select` says otherwise.
 * Cost     T b gradients, 3 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/normalised.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

enum { STEPS, EPOCHS, BATCH, ETA, MOMENTUM, SELECT };

static const sp_param params[] = {
    [STEPS]    = { "steps",    SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default epochs * n / b" },
    [EPOCHS]   = { "epochs",   SP_REAL,   20,         SP_POSITIVE,         "passes over the records" },
    [BATCH]    = { "batch",    SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "records b a step; default sqrt(n)" },
    [ETA]      = { "eta",      SP_REAL,   SP_DERIVED, SP_POSITIVE,         "length of a step; default by theory" },
    [MOMENTUM] = { "momentum", SP_REAL,   SP_DERIVED, { DBL_MIN, 1 },      "weight a of a new gradient; default by "
                                                                           "theory" },
    [SELECT]   = { "select",   SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 },     "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

static size_t batch_of(size_t n, const sp_values *v)
{
    return sp_given(v, BATCH) ? sp_count(v, BATCH) : (size_t)ceil(sqrt((double)n));
}

static double bound(const sp_constants *c, double steps, double batch, double eta, double a)
{
    const double s = batch < (double)c->n ? c->L_data / sqrt(batch) : 0.0;
    return c->gap / (eta * steps) + c->beta * eta / 2.0
           + 2.0 * (s / (a * steps) + c->beta * eta * (1.0 - a) / a + s * sqrt(a / (2.0 - a)));
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, b = (double)batch_of(c->n, v);
    const sp_sample sample = sp_subset((size_t)b);
    sp_output output = { 0 };
    sp_batch batch;
    size_t steps = sp_count(v, STEPS);
    double *g = sp_alloc_doubles(c->d), *m = sp_alloc_doubles(c->d);

    if (!g || !m)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient"));
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, sp_real(v, EPOCHS) * n / b, &steps));
    const double T = (double)steps, theory = sqrt(c->beta * c->gap * b / T) / c->L_data;
    const double a = sp_given(v, MOMENTUM) ? sp_real(v, MOMENTUM) : fmax(fmin(theory, 1.0), DBL_MIN);
    const double eta = sp_given(v, ETA) ? sp_real(v, ETA) : sqrt(c->gap * a / (c->beta * T));
    sp_resolved(o, "batch", b, sp_given(v, BATCH) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "momentum", a, sp_given(v, MOMENTUM) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", T, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_CAP);
    sp_predict(o, (sp_output_rule)sp_choice(v, SELECT), bound(c, T, b, eta, a), sp_gradient_at_start(c));
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));
    for (size_t t = 0; t < steps; t++) {
        SP_TRY(sp_draw(o, sample, &batch));
        SP_TRY(sp_gradient(o, &SP_AT(batch, w), 0.0, g));
        for (size_t j = 0; j < c->d; j++)
            m[j] = t == 0 ? g[j] : (1.0 - a) * m[j] + a * g[j];
        SP_TRY(sp_output_offer(&output, w, m));
        sp_normalised_step(o, eta, m, w);
        SP_TRY(sp_checkpoint(o, t + 1, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(m);
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_normalised_sgd = {
    .name = "normalised_sgd",
    .summary = "stochastic gradient descent with momentum and normalised steps (non-private reference)",
    .when = "what the normalised private methods could reach without privacy, as a yardstick",
    .source = "Cutkosky & Mehta 2020",
    .releases = "T exact gradients of uniform subsets of b records: nothing is private",
    .uses = "parts/fits parts/normalised parts/output parts/theory",
    .params = params,
    .non_private_only = true,
    .sampled = batch_of,
    .fits = sp_gap_fits,
    .run = run,
};
