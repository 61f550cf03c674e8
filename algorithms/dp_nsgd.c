/*
 * dp_nsgd.c -- passes over the records with momentum and normalised steps; the momentum's noise comes from a tree.
 *
 * The n records come in B = ceil(n / m) blocks of m, in the order of one secret permutation, epoch after epoch. Step t
 * takes block S_t, t = 1..T:
 *
 *   M_t = (1 - a) M_{t-1} + a mean_{S_t} grad f(w_t),  M_0 = 0;   w_{t+1} = w_t - eta g_t / ||g_t||,
 *
 * where g_t is M_t with the noise of a tree over steps: a sum of at most log2 T + 1 Gaussian vectors, each multiplied
 * by (1 - a)^(steps since its block of steps ended). A normalised step does not depend on a factor of g_t, so M_t / a
 * is released (parts/pass_sum.h); a / (1 - (1 - a)^t) times that, with weights that add up to 1, is the estimate of the
 * gradient.
 *
 * parts/momentum.h bounds the mean of ||grad F(w_t)||. At the defaults a = 1/B and eta, m = 1, it is O~( (d
 * ln(1/delta))^(1/4) / sqrt(epsilon n) + n^(-1/2) ) when T log2 T = epsilon n^2 / sqrt(d ln(1/delta)).
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Tran & Cutkosky 2022, Alg. 1 and Theorem 6.
 * Privacy  (epsilon, delta), replace-one: each add has l2 sensitivity 2 L_data / m; a record pays for every node of the
 *          tree that it is in, by the square of its weight there. The steps are post-processing. noise = "honaker"
 *          weighs all nodes, "sqrt" is square-root noise (core/oracle/mechanisms/banded.c): at n = 1e4, m = 1 and 20
 *          epochs its deviation is half of the tree's.
 * Differs  One permutation for all epochs; the paper draws one an epoch (`reshuffle`). Its cost is known before the
 *          run, to the last node: at n = 1e4, m = 1 it is 51.3, 95.5 and 184.0 for 5, 10 and 20 epochs, where a bound
 *          for all permutations has 167, 347 and 707. With `reshuffle` it is the cost of the record that pays most
 *          under the permutations drawn (sp_pass_cost). The bound requires a new permutation per epoch, so it is
 *          recorded with `reshuffle` only. T is capped at `max_epochs` epochs. Blocks of m records, the paper has m =
 *          1. Projects when the domain is bounded. calibration = "paper" takes the printed node noise, 2 s sqrt(V)
 *          times a record's sensitivity, s = 2 sqrt(ln(1/delta)) / epsilon, with V = (min{r, log2 B} + 1) T/B +
 *          sum_{log2 B < l <= r} T / 2^l, r = log2 T, all rounded down (B for its N; T/B up).
 * Output   w_J, J uniform in 1..T, unless `select` says otherwise.
 * Cost     T m gradients, O(d) a step on average, 2 d log2 T doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/momentum.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/pass_sum.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>

enum { EPOCHS, MAX_EPOCHS, BATCH, MOMENTUM, ETA, NOISE, RESHUFFLE, SELECT };

static const sp_param params[] = {
    [EPOCHS]     = { "epochs", SP_REAL, SP_DERIVED, SP_POSITIVE, "passes over the records; default by theory" },
    [MAX_EPOCHS] = { "max_epochs", SP_REAL, 20, SP_POSITIVE, "a default of `epochs` is at most this" },
    [BATCH]    = { "batch",    SP_COUNT,  1,          { 1, SP_STEPS_MAX }, "records m of a step" },
    [MOMENTUM] = { "momentum", SP_REAL,   SP_DERIVED, { 1e-9, 1 }, "weight a of a new gradient; default "
                                                                   "1 / ceil(n / m)" },
    [ETA]      = { "eta",      SP_REAL,   SP_DERIVED, SP_POSITIVE, "length of a step; default by theory" },
    [NOISE]    = { "noise",    SP_CHOICE, 0, { 0, 0 }, SP_PASS_NOISES_MEAN, SP_PASS_NOISES },
    [RESHUFFLE] = { "reshuffle", SP_FLAG, false, { 0, 1 }, "a new permutation each epoch, as printed; not with sqrt" },
    [SELECT]   = { "select",   SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 }, "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

typedef struct schedule {
    size_t batch, blocks, steps; /* m, B, T */
    double a, eta;
} schedule;

/* T with T log2 T = y >= 0, by Newton's method from above; INFINITY for y = INFINITY. */
static double theory_steps(double y)
{
    const double z = y * M_LN2;
    double T = fmax(y, 2.0);
    for (int i = 0; i < 60 && isfinite(T); i++)
        T = (T + z) / (sp_log(T) + 1.0);
    return T;
}

static size_t log2_of(size_t x)
{
    size_t l = 0;
    while (x >> l > 1)
        l++;
    return l;
}

/* The printed noise of a node, in units of 2 L_data / m. */
static double printed_noise(const sp_budget *budget, size_t blocks, size_t steps)
{
    const size_t r = log2_of(steps), low = log2_of(blocks);
    double V = (double)(GSL_MIN(r, low) + 1) * ceil((double)steps / (double)blocks);
    for (size_t l = low + 1; l <= r; l++)
        V += (double)(steps >> l);
    return 4.0 * sqrt(V * sp_log(1.0 / budget->delta)) / budget->epsilon;
}

static sp_status resolve(sp_oracle *o, const sp_values *v, schedule *s)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const sp_budget *budget = sp_budget_of(o);
    const double n = (double)c->n, cap = sp_real(v, MAX_EPOCHS);
    const double theory = theory_steps(budget->epsilon * n * n / sqrt((double)c->d * sp_log(1.0 / budget->delta))) / n;
    const double epochs = sp_given(v, EPOCHS) ? sp_real(v, EPOCHS) : fmin(theory, cap);
    s->batch = sp_count(v, BATCH);
    s->blocks = sp_pass_epoch(o, s->batch);
    SP_TRY(sp_derive_steps(o, epochs * (double)s->blocks * (1.0 - 1e-12), &s->steps));
    s->a = sp_given(v, MOMENTUM) ? sp_real(v, MOMENTUM) : 1.0 / (double)s->blocks;
    s->eta = sp_given(v, ETA) ? sp_real(v, ETA)
                              : sp_momentum_step(c, s->blocks, s->steps);
    sp_capped(o, "epochs", epochs, sp_given(v, EPOCHS) ? epochs : theory,
              sp_given(v, EPOCHS) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "momentum", s->a, sp_given(v, MOMENTUM) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", s->eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
cleanup:
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    double *g = sp_alloc_doubles(c->d), kept = 1.0;
    sp_output output = { 0 };
    sp_pass_sum sum;
    schedule s;

    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the momentum"));
    SP_TRY(resolve(o, v, &s));
    const sp_pass_plan plan = { .noise = sp_pass_noise(sp_choice(v, NOISE)), .batch = s.batch, .steps = s.steps,
                                .reshuffle = sp_flag(v, RESHUFFLE), .keep = 1.0 - s.a,
                                .paper = printed_noise(sp_budget_of(o), s.blocks, s.steps) };
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), s.steps));
    SP_TRY(sp_pass_sum_open(o, &plan, &sum));
    const double noise = s.a * sum.noise_std * sqrt((double)c->d * sum.variance);
    const bool covered = plan.reshuffle && !isfinite(c->diameter) &&
                         sp_output_is_uniform((sp_output_rule)sp_choice(v, SELECT));
    sp_promise(o, covered, sp_momentum_bound(c, s.batch, s.steps, s.a, s.eta, noise), sp_gradient_at_start(c));

    for (size_t t = 1; t <= s.steps; t++) {
        SP_TRY(sp_pass_sum_next(&sum, w, g));
        kept *= 1.0 - s.a;
        cblas_dscal((int)c->d, s.a / (1.0 - kept), g, 1);
        SP_TRY(sp_output_offer(&output, w, g));
        const double norm = cblas_dnrm2((int)c->d, g, 1);
        cblas_daxpy((int)c->d, norm > 0.0 ? -s.eta / norm : 0.0, g, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_dp_nsgd = {
    .name = "dp_nsgd",
    .summary = "normalised steps along a momentum of gradients over passes in a fixed order, private by tree noise",
    .when = "a small mean gradient of a smooth loss from a few passes at one record a step, where records cannot be "
            "sampled at random; where full gradients are affordable, dp_gd or dp_spider",
    .source = "Tran & Cutkosky 2022, Alg. 1",
    .releases = "T running sums of discounted gradients over blocks of m records in a fixed order; a block's part has "
                "sensitivity 2 L_data / m",
    .uses = "parts/fits parts/momentum parts/output parts/pass_sum parts/theory",
    .params = params,
    .passes = true,
    .fits = sp_positive_gap_fits,
    .run = run,
};
