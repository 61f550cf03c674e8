/*
 * private_tuning.c -- private tuning: makes a random number of runs with random parameters and returns the best one, at
 * its full privacy cost.
 *
 *   K ~ truncated negative binomial of mean `tries` and shape eta (core/accountant/repetitions.h), at most `cap`
 *   K times:  theta uniform on the grid;  x = method(theta);  score = F(x) - F(w0), each record's part clipped to
 *             +-L_data ||x - w0||, + N(0, s^2)
 *   the output is the x of the smallest score, with its theta; nothing else is released
 *
 * One run with its score has rho in zCDP, of which the share `score` is for the score: s = (2 L_data ||x - w0|| / n) /
 * sqrt(2 score rho). With l = ln(1/gamma), gamma the parameter of the distribution of K, the best run has the Renyi
 * curve
 *
 *   R(a) = rho a + (1 + eta) (2 sqrt(rho l) - rho) + ln(tries) / (a - 1),      l > rho
 *
 * (core/oracle/mechanisms/repeat.c), from which rho is solved for. At epsilon = 1, delta = 1e-8 one run alone has rho =
 * .0192; the best of 10 on average has .00722 a run at eta = 0 and .00516 at eta = 1, of 100 .00544 and .00348: ten
 * tries cost 1.6 times the noise, where paying for each would cost sqrt 10 = 3.2 times. The price of eta = 0 is that K
 * is often small: K = 1 has probability (1 - gamma) / l, .27 at 10 tries. If the grid has more points than tries, most
 * of it is not tried.
 *
 * No theorem bounds the error of the best run, so there is no bound.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Papernot & Steinke 2022, Theorem 2; Liu & Talwar 2019 for eta = 1.
 * Privacy  (epsilon, delta), replace-one: the best of K runs that are each rho-zCDP; the cap takes (1 + e^epsilon) P(K
 *          > cap) of delta, a thousandth of it. Only the Renyi accountant has the theorem. K and which run was the best
 *          are secret; the run's time and its oracle calls, which the harness measures, reveal K.
 * Differs  Scores are noisy clipped losses on the training records, because a score must be private itself; the paper
 *          leaves this open. Runs keep their budget in zCDP, so methods on subsets are refused.
 * Output   the best run's output. `grid` is the number of its theta, counted from 0 with the last key changing fastest,
 *          and method.* are its resolved parameters. If the best run failed, so does this one.
 * Cost     K runs of the method and 2 K n losses.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "core/base/grid.h"

enum { METHOD, GRID, TRIES, SHAPE, SCORE };

static const sp_param params[] = {
    [METHOD] = { "method", SP_METHOD, SP_REQUIRED, { 0, 0 }, "the method to be tuned" },
    [GRID]   = { "grid",   SP_TEXT,  0,   { 0, 0 },       "parameters of the method, as \"steps=5,10,20 eta=0.1,1\": "
                 "every combination; default none, which tries the same again" },
    [TRIES]  = { "tries",  SP_REAL,  10,  { 1.001, 1e6 }, "runs on average" },
    [SHAPE]  = { "shape",  SP_REAL,  0,   { -0.99, 100 }, "eta of the law of K; 0: logarithmic, 1: geometric" },
    [SCORE]  = { "score",  SP_REAL,  0.1, { 0.001, 0.9 }, "part of a run's budget for its score" },
    { 0 }
};

typedef struct tuned {
    const sp_method *method;
    const char *grid;
    size_t points, d;
} tuned;

/* One run, on a point of the grid that is told behind its answer. */
static sp_status attempt(void *context, sp_oracle *run, double *answer)
{
    const tuned *t = context;
    sp_status status = SP_OK;
    sp_error error = { .text = "" };
    sp_method method = { .algorithm = t->method->algorithm };
    const size_t point = t->points > 1 ? gsl_rng_uniform_int(sp_coins(run), t->points) : 0;
    sp_values_copy(&method.values, &t->method->values);
    status = sp_grid_set(&method.values, "grid", t->grid, point, &error);
    if (status != SP_OK)
        SP_TRY(sp_refuse(run, status, "%s", error.text));
    answer[t->d] = (double)point;
    SP_TRY(sp_run(run, &method, answer));
cleanup:
    return status;
}

static sp_status check(const sp_values *v, const char *path, sp_error *error)
{
    const sp_method *method = sp_submethod(v, METHOD);
    char place[256];
    size_t shown = 0;
    for (const char *part = path; part && *part && shown + 6 < sizeof place; part++)
        place[shown++] = *part;
    memcpy(place + shown, shown > 0 ? ".grid" : "grid", shown > 0 ? 6 : 5);
    return method ? sp_grid_check(&method->values, place, sp_word(v, GRID), NULL, error) : SP_OK;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    sp_error error = { .text = "" };
    tuned t = { .method = sp_submethod(v, METHOD), .grid = sp_word(v, GRID), .d = sp_dimension(o) };
    const sp_repeats repeats = { .mean = sp_real(v, TRIES), .shape = sp_real(v, SHAPE),
                                 .score = sp_real(v, SCORE), .stage = "method", .size = t.d + 1, .attempt = attempt,
                                 .context = &t };
    double score, *answer = sp_alloc_doubles(t.d + 1);
    if (!answer)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for an answer"));
    if (!t.method)
        SP_TRY(sp_refuse(o, SP_EINVAL, "private_tuning: method must be given"));
    status = sp_grid_check(&t.method->values, "grid", t.grid, &t.points, &error);
    if (status != SP_OK)
        SP_TRY(sp_refuse(o, status, "%s", error.text));
    SP_TRY(sp_checkpoint(o, 0, w));
    SP_TRY(sp_repeat(o, &repeats, answer, &score));
    memcpy(w, answer, t.d * sizeof *w);
    sp_resolved(o, "grid", answer[t.d], SP_FROM_BALANCE);
    SP_TRY(sp_checkpoint(o, 1, w));
cleanup:
    free(answer);
    return status;
}

const sp_algorithm sp_algorithm_private_tuning = {
    .name = "private_tuning",
    .summary = "the best of a random number of runs at random parameters, by a noisy score: tuning that is paid for",
    .when = "a method has to be tuned on the records that it is for, and its parameters are not known within a factor "
            "of some; else a run at the parameters that theory gives",
    .source = "Papernot & Steinke 2022; Liu & Talwar 2019",
    .releases = "the answer of the best of K runs, K random, each with all its releases in zCDP, and its score, a mean "
                "of loss differences of sensitivity 2 L_data ||w - w0|| / n",
    .uses = "parts/fits",
    .params = params,
    .repeats = "method",
    .check = check,
    .fits = sp_lipschitz_fits,
    .run = run,
};
