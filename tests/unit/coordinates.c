/* coordinates.c -- dp_sign and dp_adam: parameters and bound at the reference point of the specification (n = 1e4,
 * d = 10, epsilon = 1, delta = 1e-8, every constant 1), the inequalities that the bound stands on, where signs settle,
 * and Adam's steps from what was released, with noise.
 *
 * Reference numbers: a Python program that shares nothing with the code here. Statistical tests fix their seeds and
 * allow 4.9 standard errors (false alarm 1e-6) unless it is said otherwise. */
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>

static trial_problem reference, small; /* `small`: 40 records, 3 dimensions, true constants */

static trial_run go(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy, trial_run run)
{
    const sp_algorithm *a = sp_algorithm_find(name);
    const sp_values values = trial_values(a, settings);
    run.seed = run.seed ? run.seed : 3;
    trial_go(a, &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == (run.fail_at ? SP_EINTERRUPTED : SP_OK), "%s %s: %s", name, settings, run.message);
    return run;
}

static void parameters(void)
{
    static const struct { const char *settings; double steps, eta, bound; } cases[] = {
        { "", 12890, 0.003939023203967759, 0.07878201098288201 },
        { "steps=438", 438, 0.02136869215853441, 0.2209482518629064 },
        { "steps=6000", 6000, 0.005773502691896258, 0.08461041602728754 },
        { "steps=40000", 40000, 0.00223606797749979, 0.07878201098288201 },
        { "steps=438 eta=0.05", 438, 0.05, 0.30292343073418326 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial_run run = go("dp_sign", cases[i].settings, &reference, trial_private(1.0, 1e-8),
                           (trial_run){ .fail_at = 1 });
        CHECK_EQUAL((size_t)trial_resolved(&run, "steps"), (size_t)cases[i].steps);
        CHECK_NEAR(trial_resolved(&run, "eta"), cases[i].eta, 1e-12);
        CHECK_NEAR(trial_resolved(&run, "bound"), cases[i].bound, 1e-9);
        CHECK_EQUAL(run.ledger.count, 1);
        CHECK_NEAR(run.ledger.entry[0].sensitivity_high, 2e-4, 1e-12);
        trial_end(&run);
    }
    static const char *const without[] = { "steps=500 select=last", "steps=500 batch=100" };
    for (size_t i = 0; i < 2; i++) { /* no theorem */
        trial_run run = go("dp_sign", without[i], &reference, trial_private(1.0, 1e-8), (trial_run){ .fail_at = 1 });
        CHECK(isnan(trial_resolved(&run, "bound")));
        CHECK_EQUAL(run.ledger.entry[0].kind, i == 0 ? SP_LEDGER_GAUSS : SP_LEDGER_GAUSS_WOR);
        trial_end(&run);
    }
    trial_run adam = go("dp_adam", "", &reference, trial_private(1.0, 1e-8), (trial_run){ .fail_at = 1 });
    trial_run descent = go("dp_gd", "", &reference, trial_private(1.0, 1e-8), (trial_run){ .fail_at = 1 });
    const double steps = trial_resolved(&descent, "steps");
    CHECK(steps > 400.0 && trial_resolved(&adam, "steps") == steps);
    CHECK_NEAR(trial_resolved(&adam, "eta"), sqrt(2.0 / (10.0 * steps)), 1e-15);
    CHECK(trial_resolved(&adam, "clip") == 1.0);
    trial_end(&descent);
    trial_end(&adam);
}

/* What is released of whom: the kind of entry, and a sensitivity by C, which no L_data is needed for. */
static void ledgers(void)
{
    static const struct {
        const char *name, *settings;
        sp_ledger_kind kind;
        double sensitivity;
    } cases[] = {
        { "dp_sign", "batch=8", SP_LEDGER_GAUSS_WOR, 2.0 / 8.0 },
        { "dp_sign", "batch=8 sample=poisson", SP_LEDGER_POISSON, 1.0 / 8.0 },
        { "dp_adam", "batch=8", SP_LEDGER_GAUSS_WOR, 2.0 / 8.0 },
        { "dp_adam", "batch=8 sample=poisson clip=0.25", SP_LEDGER_POISSON, 0.25 / 8.0 },
        { "dp_adam", "clip=0.25", SP_LEDGER_GAUSS, 2.0 * 0.25 / 40.0 },
        { "dp_adam", "clip=3", SP_LEDGER_GAUSS, 2.0 / 40.0 }, /* longer than L_data none is */
        { "dp_adam", "clip=3 map=normalise", SP_LEDGER_GAUSS, 6.0 / 40.0 },
        { "dp_sgd_poisson", "clip=3 map=normalise batch=8", SP_LEDGER_POISSON, 3.0 / 8.0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char settings[128];
        snprintf(settings, sizeof settings, "steps=9 %s", cases[i].settings);
        trial_run run = go(cases[i].name, settings, &small, trial_private(1.0, 1e-6), (trial_run){ .seed = 0 });
        CHECK(run.ledger.count == 1 && run.ledger.entry[0].kind == cases[i].kind && run.ledger.entry[0].count == 9);
        CHECK_NEAR(run.ledger.entry[0].sensitivity_high, cases[i].sensitivity, 1e-14);
        trial_end(&run);
    }
    trial_run run = { .seed = 3 };
    for (size_t i = 0; i < 2; i++) {
        const sp_algorithm *a = sp_algorithm_find(i == 0 ? "dp_sign" : "dp_adam");
        const sp_values values = trial_values(a, "batch=41");
        trial_go(a, &values, &small, trial_private(1.0, 1e-6), &run);
        CHECK_EQUAL(run.status, SP_EINVAL);
        CHECK_CONTAINS(run.message, "batch = 41: there are 40 records");
        trial_end(&run);
    }
}

/* h, which the head of dp_sign.c has */
static double convex_part(double s, double x)
{
    const double k = 0.735;
    return x <= s / (2.0 * k) ? k * x * x / s : x - s / (4.0 * k);
}

/* E <g, sign(g + s N)> = sum_i g_i erf(g_i / (s sqrt 2)) >= ||g|| erf(||g|| / (s sqrt 2)) >= h(||g||), on gradients of
 * all sizes and shapes. */
static void inequality(void)
{
    gsl_rng *stream = sp_stream_open(trial_key(7, SP_STREAM_DATA));
    double closest = INFINITY;
    for (size_t t = 0; t < 20000; t++) {
        double sum = 0.0, square = 0.0;
        const double s = exp(4.0 * gsl_rng_uniform(stream) - 2.0), spread = 4.0 * gsl_rng_uniform(stream);
        for (size_t j = 0; j < 1 + t % 7; j++) {
            const double g = gsl_ran_gaussian(stream, 1.0) * exp(spread * gsl_ran_gaussian(stream, 1.0));
            sum += g * erf(g / (s * M_SQRT2));
            square += g * g;
        }
        const double norm = sqrt(square), whole = norm * erf(norm / (s * M_SQRT2));
        CHECK_LESS_EQUAL(whole, sum * (1.0 + 1e-12));
        CHECK_LESS_EQUAL(convex_part(s, norm), whole);
        closest = fmin(closest, sum / convex_part(s, norm));
    }
    CHECK_LESS_EQUAL(closest, 1.001); /* it is no idle bound */
    gsl_rng_free(stream);
}

/* On F = ||w||^2 / 2 the iterates settle where the drift eta sqrt(2 / pi) w / s and the variance eta^2 of a step have
 * F = eta d s sqrt(2 pi) / 8, for eta well below s. They forget in s sqrt(pi / 2) / eta = 32 steps. Of 4e4 steps the
 * first 4e3 are not counted; the rest are some 1000 independent points of each coordinate: the standard error of F is
 * 2.6 %, of which 4.9 are allowed, and 3 % for eta / s. */
static void keep_value(trial_run *run, size_t step, const double *w)
{
    double *sum = run->context;
    if (step > 4000)
        sum[0] += cblas_ddot(3, w, 1, w, 1) / 2.0, sum[1] += 1.0;
}

static void settles(void)
{
    trial_problem t;
    double sum[2] = { 0.0 };
    if (!trial_make("power", 40, 3, 2.0, false, &t))
        return;
    t.problem.number[0] = 2.0; /* tau */
    t.problem.declared.L_data = 0.3;
    t.problem.declared.beta = 1.0;
    t.problem.declared.gap = 1.0;
    const sp_privacy privacy = trial_private(20.0, 1e-6);
    trial_run run = go("dp_sign", "steps=40000 eta=0.03", &t, privacy, (trial_run){ .seed = 5, .watch = keep_value,
                                                                                   .context = sum });
    const double s = run.ledger.entry[0].noise_multiplier * run.ledger.entry[0].sensitivity_high;
    const double expected = 0.03 * 3.0 * s * sqrt(2.0 * M_PI) / 8.0;
    CHECK(s > 0.5 && s < 1.0);
    CHECK_NEAR(sum[0] / sum[1], expected, (4.9 * 0.026 + 0.03) * expected);
    trial_end(&run);
    trial_drop(&t);
}

/* Adam's path follows from what was released and the deviation that the ledger knows. */
typedef struct path {
    size_t points;
    double w[12][3];
} path;

static void keep_path(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    memcpy(p->w[step - 1], w, sizeof *p->w);
    p->points = step;
}

static void follows_releases(const char *settings, double first, double second, bool correct, double xi, double floor)
{
    enum { STEPS = 12 };
    path p = { 0 };
    double w[3], m[3] = { 0.0 }, u[3] = { 0.0 };
    size_t held = 0;
    sp_transcript *transcript = sp_transcript_new();
    sp_transcript_record(transcript);
    trial_run run = go("dp_adam", settings, &small, trial_private(1.0, 1e-6),
                       (trial_run){ .watch = keep_path, .context = &p, .transcript = transcript });
    memcpy(w, small.problem.start, sizeof w);
    CHECK_EQUAL(p.points, STEPS);
    CHECK_EQUAL(sp_transcript_count(transcript), STEPS);
    for (size_t t = 1; t <= STEPS; t++) {
        const sp_event *event = sp_transcript_at(transcript, t - 1);
        const double s = correct ? event->noise_std : 0.0;
        for (size_t j = 0; j < 3; j++) {
            const double v = event->answer[j];
            m[j] = first * m[j] + (1.0 - first) * v;
            u[j] = second * u[j] + (1.0 - second) * v * v;
            const double mean = m[j] / (1.0 - pow(first, (double)t)), square = u[j] / (1.0 - pow(second, (double)t));
            const double least = fmax(xi * xi, floor * s * s);
            held += correct && square - s * s < least;
            w[j] -= 0.07 * mean / (correct ? sqrt(fmax(square - s * s, least)) : sqrt(square) + xi);
        }
        for (size_t j = 0; j < 3; j++)
            CHECK_NEAR(p.w[t - 1][j], w[j], 1e-11);
    }
    CHECK(!correct || (held > 0 && held < 3 * STEPS)); /* the floor decides in some places, and in some it does not */
    trial_end(&run);
    sp_transcript_free(transcript);
}

int main(void)
{
    if (!trial_make("pseudo_huber", 10000, 10, INFINITY, false, &reference) ||
        !trial_make("logistic", 40, 3, INFINITY, false, &small))
        return sp_check_done();
    sp_constants *c = &reference.problem.declared;
    c->L = c->L_data = c->beta = c->beta_data = c->gap = c->distance = 1.0;
    small.problem.start[0] = 0.4;
    parameters();
    ledgers();
    inequality();
    settles();
    follows_releases("steps=12 eta=0.07", 0.9, 0.999, true, 2.2360679774997898e-4, 0.01);
    follows_releases("steps=12 eta=0.07 b1=0.5 b2=0.7 floor=0 xi=0.1", 0.5, 0.7, true, 0.1, 0.0);
    follows_releases("steps=12 eta=0.07 b2=0.4 floor=0.5", 0.9, 0.4, true, 2.2360679774997898e-4, 0.5);
    follows_releases("steps=12 eta=0.07 correct=false xi=0.02", 0.9, 0.999, false, 0.02, 0.0);
    trial_drop(&small);
    trial_drop(&reference);
    return sp_check_done();
}
