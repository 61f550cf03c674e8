/*
 * spider.c -- SpiderBoost without noise: the reference for dp_spider.
 *
 *   t = 0 mod q:  v = grad F(w_t)
 *   otherwise:    v <- v + mean_S[grad f(w_t) - grad f(w_{t-1})],   S a fresh uniform b-subset
 *   w_{t+1} = Proj_W( w_t - eta v ),   0 <= t < T
 *
 * The error e_t = v - grad F(w_t) is a martingale within a period, so that sum_t E||e_t||^2 <= h sum_t E||v_t||^2 with
 * h = [b < n] q beta_data^2 eta^2 / b. Together with the descent lemma, F(w_{t+1}) <= F(w_t) -
 * eta ||grad F(w_t)||^2 / 2 - eta (1 - beta eta) ||v_t||^2 / 2 + eta ||e_t||^2 / 2, for J uniform in 0..T-1
 *
 *   E||grad F(w_J)||^2 <= 2 gap / (eta T)   wherever h <= 1 - beta eta:
 *
 * h = 1/4 at q = b = sqrt(n) and eta = 1 / (2 beta), where a period costs 3 n gradients.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Fang, Li, Lin & Zhang 2018; in this form Wang, Ji, Zhou, Liang & Tarokh 2019.
 * Privacy  none: its releases carry no noise, which an oracle with a budget refuses.
 * Differs  Subsets are drawn without replacement. Projects when the domain is bounded. w_T has no estimate and is no
 *          candidate.
 * Output   w_J, J uniform in 0..T-1, unless `select` says otherwise.
 * Cost     ceil(T/q) n + 2 b (T - ceil(T/q)) gradients, 4 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { STEPS, EPOCHS, PERIOD, BATCH, ETA, SELECT };

static const sp_param params[] = {
    [STEPS]  = { "steps",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default epochs * n / (n/q + 2 b)" },
    [EPOCHS] = { "epochs", SP_REAL,   20,         SP_POSITIVE,         "what a default T costs, in passes over the "
                                                                       "records" },
    [PERIOD] = { "period", SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "steps q between gradients; default sqrt(n)" },
    [BATCH]  = { "batch",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "records b of a difference; default q" },
    [ETA]    = { "eta",    SP_REAL,   SP_DERIVED, SP_POSITIVE,         "step size; default 1 / (2 beta)" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 },     "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

static double bound(const sp_constants *c, double steps, double period, double batch, double eta)
{
    const double drift = c->beta_data * eta, h = batch < (double)c->n ? period * drift * drift / batch : 0.0;
    return h <= 1.0 - c->beta * eta ? sqrt(2.0 * c->gap / (eta * steps)) : INFINITY;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const int d = (int)c->d;
    const double n = (double)c->n, eta = sp_given(v, ETA) ? sp_real(v, ETA) : 1.0 / (2.0 * c->beta);
    const size_t period = sp_given(v, PERIOD) ? sp_count(v, PERIOD) : (size_t)ceil(sqrt(n));
    const double q = (double)period, b = sp_given(v, BATCH) ? (double)sp_count(v, BATCH) : fmin(q, n);
    double *estimate = sp_alloc_doubles(c->d), *change = sp_alloc_doubles(c->d), *previous = sp_alloc_doubles(c->d);
    sp_output output = { 0 };
    sp_batch all, part;
    size_t steps = sp_count(v, STEPS);

    if (!estimate || !change || !previous)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient estimate"));
    if (b > n)
        SP_TRY(sp_refuse(o, SP_EINVAL, "batch = %g: there are %g records", b, n));
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, sp_real(v, EPOCHS) * n / (n / q + 2.0 * b), &steps));
    sp_resolved(o, "batch", b, sp_given(v, BATCH) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "period", q, sp_given(v, PERIOD) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", (double)steps, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_CAP);
    sp_predict(o, (sp_output_rule)sp_choice(v, SELECT), bound(c, (double)steps, q, b, eta), sp_gradient_at_start(c));
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t t = 0; t < steps; t++) {
        if (t % period == 0) {
            SP_TRY(sp_gradient(o, &SP_AT(all, w), 0.0, estimate));
        } else {
            SP_TRY(sp_draw(o, sp_subset((size_t)b), &part));
            SP_TRY(sp_gradient(o, &SP_BETWEEN(part, w, previous), 0.0, change));
            cblas_daxpy(d, 1.0, change, 1, estimate, 1);
        }
        SP_TRY(sp_output_offer(&output, w, estimate));
        cblas_dcopy(d, w, 1, previous, 1);
        cblas_daxpy(d, -eta, estimate, 1, w, 1);
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

const sp_algorithm sp_algorithm_spider = {
    .name = "spider",
    .summary = "SpiderBoost: gradients now and then, gradient differences in between (non-private reference)",
    .when = "what dp_spider's steps could reach without privacy, as a yardstick",
    .source = "Fang, Li, Lin & Zhang 2018; Wang, Ji, Zhou, Liang & Tarokh 2019",
    .releases = "ceil(T/q) exact gradients of all records, exact differences on b records in the other steps: nothing "
                "is private",
    .uses = "parts/fits parts/output parts/theory",
    .params = params,
    .non_private_only = true,
    .fits = sp_gap_fits,
    .run = run,
};
