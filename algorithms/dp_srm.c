/*
 * dp_srm.c -- private stochastic recursive momentum on random subsets.
 *
 *   v_0 = mean_S[grad f(w_0)] + N(0, (m_0 2 L_data / b_0)^2 I),  |S| = b_0
 *   v_t = (1 - a) v_{t-1} + mean_S[grad f(w_t) - (1 - a) grad f(w_{t-1})] + N(0, (m 2 c_t / b)^2 I),  |S| = b, t > 0
 *   c_t = a L_data + (1 - a) min(beta_data ||w_t - w_{t-1}||, 2 L_data)
 *   w_{t+1} = Proj_W( w_t - eta v_t ),  0 <= t < T
 *
 * S is a fresh uniform subset each time, m_0 and m are noise multipliers, a in (0, 1] is the momentum.
 *
 * The error e_t = v_t - grad F(w_t) obeys E||e_t||^2 <= (1 - a)^2 E||e_{t-1}||^2 + K c_t^2 with K = [b < n] / b +
 * 4 d m^2 / b^2, and c_t^2 <= 2 a^2 L_data^2 + 2 (1 - a)^2 beta_data^2 eta^2 ||v_{t-1}||^2. Put r = 1 - (1 - a)^2,
 * E_0 = L_data^2 ([b_0 < n] / b_0 + 4 d m_0^2 / b_0^2). Together with the descent lemma, F(w_{t+1}) <= F(w_t) -
 * eta ||grad F(w_t)||^2 / 2 - eta (1 - beta eta) ||v_t||^2 / 2 + eta ||e_t||^2 / 2, for J uniform in 0..T-1
 *
 *   E||grad F(w_J)||^2 <= 2 gap / (eta T) + E_0 / (r T) + 2 K a^2 L_data^2 / r                                    (1)
 *   wherever  2 K (1 - a)^2 beta_data^2 eta^2 <= r (1 - beta eta).                                                (2)
 *
 * Theory takes T = n epsilon / sqrt(d) and b = b_0 = sqrt(n epsilon) / d^(1/4). The first release has the share of the
 * budget with which m_0 = m, b_0^2 / (b_0^2 + b^2 (T - 1)), but no more than 1/10. (Shares are computed as for
 * unsampled releases. If a single release on b_0 = b records had 1/10 of the budget, m_0 would be far below 1, where
 * sampling does not amplify privacy, and all noise would have to grow.)
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Wang, Jayaraman, Evans & Gu 2019; the estimator: Cutkosky & Orabona 2019.
 * Privacy  (epsilon, delta), replace-one: Gaussian releases on subsets drawn without replacement, one of l2 sensitivity
 *          2 L_data / b_0 and T - 1 of 2 c_t / b. c_t adapts, the ratio noise_std / sensitivity is fixed.
 * Differs  The printed proof uses amplification by subsampling under a condition that its own parameters violate (Arora
 *          et al. 2023), so there is no printed formula for the noise here: it comes from the accountant. a = T^(-2/3)
 *          is raised to the smallest a that satisfies (2) at the calibrated noise. The paper leaves the constants of T
 *          and b open; here they are 1, times `scale` for T. With the noise off, a is that of a private run with the
 *          noise of full batches. Projects when the domain is bounded.
 * Output   w_J, J uniform over the iterates at which v was released, unless `select` says otherwise.
 * Cost     b_0 + 2 b (T - 1) gradients, 4 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { STEPS, BATCH, FIRST, ETA, MOMENTUM, SPLIT, SCALE, SELECT };

static const sp_param params[] = {
    [STEPS]    = { "steps",    SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default by theory" },
    [BATCH]    = { "batch",    SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "records b a step; default by theory" },
    [FIRST]    = { "first",    SP_REAL,   1,          SP_POSITIVE,         "records b_0 of the first release, as a "
                                                                           "multiple of b; n at most" },
    [ETA]      = { "eta",      SP_REAL,   SP_DERIVED, SP_POSITIVE,         "step size; default 1 / (2 beta)" },
    [MOMENTUM] = { "momentum", SP_REAL,   SP_DERIVED, { DBL_MIN, 1 },      "a, weight of a new gradient in the "
                                                                           "estimate; default T^(-2/3) or more, by the "
                                                                           "bound" },
    [SPLIT]    = { "split",    SP_REAL,   SP_DERIVED, { 1e-9, 0.99 },      "share of the budget for the first "
                                                                           "release; default by theory" },
    [SCALE]    = { "scale",    SP_REAL,   1,          SP_POSITIVE,         "multiplies a default T" },
    [SELECT]   = { "select",   SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 },     "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

typedef struct schedule {
    size_t steps, batch, first;
    double eta, momentum;
} schedule;

static sp_sample sample_of(size_t m, size_t n)
{
    return m == n ? sp_full() : sp_subset(m);
}

/* Mean square error of a mean over m records of norm 1, with noise of this multiplier: K, and E_0 / L_data^2. */
static double mean_error(const sp_constants *c, size_t m, double multiplier)
{
    const double b = (double)m;
    return (m < c->n ? 1.0 / b : 0.0) + 4.0 * (double)c->d * multiplier * multiplier / (b * b);
}

/* (1); INFINITY where (2) does not hold. */
static double bound(const sp_constants *c, const schedule *s, const double *multiplier)
{
    const double T = (double)s->steps, keep = (1.0 - s->momentum) * (1.0 - s->momentum), r = 1.0 - keep;
    const double K = s->steps > 1 ? mean_error(c, s->batch, multiplier[1]) : 0.0, square = c->L_data * c->L_data;
    const double drift = c->beta_data * s->eta;
    if (2.0 * K * keep * drift * drift > r * (1.0 - c->beta * s->eta) * (1.0 + 1e-12))
        return INFINITY;
    return sqrt(2.0 * c->gap / (s->eta * T) + mean_error(c, s->first, multiplier[0]) * square / (r * T)
                + 2.0 * K * s->momentum * s->momentum * square / r);
}

/* The calibrated multiplier, or, with the noise off, the one that a mean over m records would need for the noise of the
 * full batch; subsets need no less. */
static double private_multiplier(const sp_oracle *o, double calibrated, size_t m, size_t count, double share)
{
    const double full = (double)m / (double)sp_records(o) * sqrt((double)count / (2.0 * share * sp_budget_of(o)->rho));
    return fmax(calibrated, full);
}

static sp_status resolve(sp_oracle *o, const sp_values *v, schedule *s, double *multiplier)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double theory = (double)c->n * sp_budget_of(o)->epsilon / sqrt((double)c->d); /* b^2 too */

    s->steps = sp_count(v, STEPS);
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, sp_real(v, SCALE) * theory, &s->steps));
    s->batch = sp_given(v, BATCH) ? sp_count(v, BATCH) : (size_t)fmin(ceil(sqrt(theory)), (double)c->n);
    s->first = (size_t)fmin(ceil(sp_real(v, FIRST) * (double)s->batch), (double)c->n);
    const double first = sp_pow((double)s->first, 2.0), later = sp_pow((double)s->batch, 2.0) * (double)(s->steps - 1);
    const double split = sp_given(v, SPLIT) ? sp_real(v, SPLIT) : fmin(0.1, first / (first + later));
    s->eta = sp_given(v, ETA) ? sp_real(v, ETA) : 1.0 / (2.0 * c->beta);
    const sp_release_plan plan[] = {
        { .kind = SP_GRADIENT, .sample = sample_of(s->first, c->n), .count = 1, .share = split },
        { .kind = SP_GRADIENT, .sample = sample_of(s->batch, c->n), .count = s->steps - 1,
          .share = 1.0 - split },
    };
    SP_TRY(sp_calibrate(o, plan, 2, multiplier));
    const double slack = 1.0 - c->beta * s->eta, drift = c->beta_data * s->eta, noise[2] = {
        private_multiplier(o, multiplier[0], s->first, 1, s->steps > 1 ? split : 1.0),
        private_multiplier(o, multiplier[1], s->batch, s->steps - 1, 1.0 - split),
    };
    const double least = slack > 0.0 /* (1 - a)^2 (1 + 2 K drift^2 / slack) = 1 */
        ? 1.0 - 1.0 / sqrt(1.0 + 2.0 * mean_error(c, s->batch, noise[1]) * drift * drift / slack) : 0.0;
    s->momentum = sp_given(v, MOMENTUM) ? sp_real(v, MOMENTUM) : fmax(sp_pow((double)s->steps, -2.0 / 3.0), least);
    sp_resolved(o, "steps", (double)s->steps, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_capped(o, "batch", (double)s->batch, sp_given(v, BATCH) ? (double)s->batch : ceil(sqrt(theory)),
              sp_given(v, BATCH) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "split", split, sp_given(v, SPLIT) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", s->eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "momentum", s->momentum, sp_given(v, MOMENTUM) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_predict(o, (sp_output_rule)sp_choice(v, SELECT), bound(c, s, noise), sp_gradient_at_start(c));
cleanup:
    return status;
}

/* v_t for t > 0, on a fresh subset. */
static sp_status renew(sp_oracle *o, const schedule *s, double multiplier, const double *w, const double *previous,
                       double *estimate, double *change)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double keep = 1.0 - s->momentum;
    double moved = 0.0;
    sp_batch batch;
    for (size_t j = 0; j < c->d; j++)
        moved = sp_hypot(moved, w[j] - previous[j]);
    SP_TRY(sp_draw(o, sample_of(s->batch, c->n), &batch));
    SP_TRY(sp_gradient(o, &(sp_query){
        .batch = batch, .terms = 2, .term = { { 1.0, w }, { -keep, previous } },
        .bound = s->momentum * c->L_data + keep * fmin(c->beta_data * moved, 2.0 * c->L_data) }, multiplier, change));
    for (size_t j = 0; j < c->d; j++)
        estimate[j] = keep * estimate[j] + change[j];
cleanup:
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    double *estimate = sp_alloc_doubles(d), *change = sp_alloc_doubles(d), *previous = sp_alloc_doubles(d);
    double multiplier[2] = { 0.0, 0.0 };
    sp_output output = { 0 };
    sp_batch batch;
    schedule s;

    if (!estimate || !change || !previous)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient estimate"));
    SP_TRY(resolve(o, v, &s, multiplier));
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), s.steps));
    SP_TRY(sp_draw(o, sample_of(s.first, sp_records(o)), &batch));
    for (size_t t = 0; t < s.steps; t++) {
        SP_TRY(t == 0 ? sp_gradient(o, &SP_AT(batch, w), multiplier[0], estimate)
                      : renew(o, &s, multiplier[1], w, previous, estimate, change));
        SP_TRY(sp_output_offer(&output, w, estimate));
        cblas_dcopy((int)d, w, 1, previous, 1);
        cblas_daxpy((int)d, -s.eta, estimate, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t + 1, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(previous);
    free(change);
    free(estimate);
    return status;
}

const sp_algorithm sp_algorithm_dp_srm = {
    .name = "dp_srm",
    .summary = "private stochastic recursive momentum on random subsets",
    .when = "a small mean gradient where full passes are slow: a step reads 2 b records; else dp_spider",
    .source = "Wang, Jayaraman, Evans & Gu 2019",
    .releases = "a gradient of b_0 records, sensitivity 2 L_data / b_0; then T - 1 changes of the estimate on b "
                "records, sensitivity 2 (a L_data + (1 - a) min(beta_data ||w - w'||, 2 L_data)) / b",
    .uses = "parts/fits parts/output parts/theory",
    .params = params,
    .fits = sp_gap_fits,
    .run = run,
};
