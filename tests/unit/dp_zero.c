/* dp_zero.c -- dp_zero: parameters and bound at the reference point of the specification (n = 1e4, d = 10, epsilon = 1,
 * delta = 1e-8, every constant 1), the moment that its lemma needs, what is cut and charged, with noise.
 *
 * Reference numbers: a Python program that shares nothing with the code here. */
#include "core/numeric/normal.h"
#include "tests/trial.h"

#include <gsl/gsl_math.h>

static trial_problem reference;

static trial_run go(const char *settings, const trial_problem *t, sp_privacy privacy, trial_run run)
{
    const sp_algorithm *a = sp_algorithm_find("dp_zero");
    const sp_values values = trial_values(a, settings);
    run.seed = 3;
    trial_go(a, &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == (run.fail_at ? SP_EINTERRUPTED : SP_OK), "%s: %s", settings, run.message);
    return run;
}

static void parameters(void)
{
    static const struct { const char *settings; double rank, steps, eta, clip, bound; } cases[] = {
        { "", 10, 850, 0.08333333333333333, 5.889290463643381, 0.23194519430914523 },
        { "rank=1", 1, 676, 0.3333333333333333, 5.850269704746789, 0.13000178643763025 },
        { "steps=200", 10, 200, 0.08333333333333333, 5.638253648009126, 0.3542781914238188 },
        { "steps=5000", 10, 5000, 0.014181745705181187, 6.182851756998919, 0.23750904129770647 },
        { "clip=2.5", 10, 2105, 0.0833098635160013, 2.5, 0.15102739589330477 },
        { "steps=200 eta=0.05", 10, 200, 0.05, 5.638253648009126, 0.4508966867821488 },
        { "steps=200 eta=0.1", 10, 200, 0.1, 5.638253648009126, NAN }, /* too long for the lemma */
        { "steps=200 select=last", 10, 200, 0.08333333333333333, 5.638253648009126, NAN },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial_run run = go(cases[i].settings, &reference, trial_private(1.0, 1e-8), (trial_run){ .fail_at = 1 });
        CHECK_NEAR(trial_resolved(&run, "rank"), cases[i].rank, 0.0);
        CHECK_NEAR(trial_resolved(&run, "steps"), cases[i].steps, 0.0);
        CHECK_NEAR(trial_resolved(&run, "eta"), cases[i].eta, 1e-12);
        CHECK_NEAR(trial_resolved(&run, "clip"), cases[i].clip, 1e-12);
        if (isnan(cases[i].bound))
            CHECK(isnan(trial_resolved(&run, "bound")));
        else
            CHECK_NEAR(trial_resolved(&run, "bound"), cases[i].bound, 1e-9);
        trial_end(&run);
    }
}

/* Of a GLM r is 1, and no parameter depends on d. */
static void without_dimension(void)
{
    static const char *const keys[] = { "steps", "eta", "clip", "bound" };
    double seen[2][4];
    for (size_t k = 0; k < 2; k++) {
        trial_problem t;
        if (!trial_make("welsch", 60, k ? 12 : 3, INFINITY, false, &t))
            return;
        trial_run run = go("", &t, trial_private(1.0, 1e-6), (trial_run){ .fail_at = 1 });
        CHECK_NEAR(trial_resolved(&run, "rank"), 1.0, 0.0);
        for (size_t i = 0; i < 4; i++)
            seen[k][i] = trial_resolved(&run, keys[i]);
        trial_end(&run);
        trial_drop(&t);
    }
    for (size_t i = 0; i < 4; i++)
        CHECK(seen[0][i] > 0.0 && seen[0][i] == seen[1][i]);
}

/* E[<u, g>^2 u'H u] = ||g||^2 tr H + 2 g'H g for diagonal H: mean of 4e5 draws, to 4.9 standard errors. */
static void moment(void)
{
    enum { D = 4, DRAWS = 400000 };
    static const double g[D] = { 0.7, -1.1, 0.2, 0.4 }, H[D] = { 2.0, 0.1, 0.5, 1.3 };
    double sum = 0.0, squares = 0.0, norm = 0.0, trace = 0.0, bent = 0.0;
    for (size_t j = 0; j < D; j++) {
        norm += g[j] * g[j];
        trace += H[j];
        bent += g[j] * H[j] * g[j];
    }
    for (uint64_t t = 0; t < DRAWS; t++) {
        double u[D] = { 0.0 }, along = 0.0, curved = 0.0;
        sp_normal_add(trial_key(9, SP_STREAM_COINS), t, 0, D, 1.0, u);
        for (size_t j = 0; j < D; j++) {
            along += u[j] * g[j];
            curved += u[j] * H[j] * u[j];
        }
        sum += along * along * curved / DRAWS;
        squares += gsl_pow_2(along * along * curved) / DRAWS;
    }
    CHECK_NEAR(sum, norm * trace + 2.0 * bent, 4.9 * sqrt((squares - sum * sum) / DRAWS));
}

/* What was released, the points that it was asked at, and min(C, L_data ||u||): the path follows from these. */
typedef struct path {
    double w[9][3];
} path;

static void keep_path(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    memcpy(p->w[step - 1], w, sizeof *p->w);
}

static void follows_releases(void)
{
    enum { STEPS = 9, N = 40 };
    trial_problem t;
    path p;
    size_t cut = 0;
    double w[3], norm[STEPS];
    if (!trial_make("logistic", N, 3, INFINITY, false, &t))
        return;
    t.problem.start[1] = -0.3;
    sp_transcript *transcript = sp_transcript_new();
    sp_transcript_record(transcript);
    trial_run run = go("steps=9 eta=0.2 clip=1.6 h=0.01", &t, trial_private(1.0, 1e-6),
                       (trial_run){ .watch = keep_path, .context = &p, .transcript = transcript });
    memcpy(w, t.problem.start, sizeof w);
    CHECK_EQUAL(sp_transcript_count(transcript), STEPS);
    for (size_t s = 0; s < STEPS; s++) {
        const sp_event *event = sp_transcript_at(transcript, s);
        double u[3];
        norm[s] = 0.0;
        CHECK_TEXT(event->primitive, "mean_loss");
        for (size_t j = 0; j < 3; j++) {
            CHECK_NEAR((event->point[0][j] + event->point[1][j]) / 2.0, w[j], 1e-14);
            u[j] = (event->point[0][j] - event->point[1][j]) / 0.02;
            norm[s] = hypot(norm[s], u[j]);
        }
        const double bound = fmin(1.6, t.problem.declared.L_data * norm[s]);
        cut += bound < 1.6;
        CHECK_NEAR(event->sensitivity, 2.0 * bound / N, 1e-12);
        CHECK_NEAR(event->noise_std, run.ledger.entry[0].noise_multiplier * 2.0 * bound / N, 1e-12);
        for (size_t j = 0; j < 3; j++) {
            w[j] -= 0.2 * event->answer[0] * u[j];
            CHECK_NEAR(p.w[s][j], w[j], 1e-11);
        }
    }
    CHECK(cut > 0 && cut < STEPS); /* either is the bound somewhere */
    for (size_t s = 1; s < STEPS; s++)
        CHECK(norm[s] != norm[s - 1]);
    CHECK(run.ledger.count == 1 && run.ledger.entry[0].kind == SP_LEDGER_GAUSS && run.ledger.entry[0].count == STEPS);
    CHECK(run.cost.losses == 2.0 * STEPS * N && run.cost.gradients == 0.0);
    CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
    trial_end(&run);
    sp_transcript_free(transcript);
    trial_drop(&t);
}

int main(void)
{
    if (!trial_make("pseudo_huber", 10000, 10, INFINITY, false, &reference))
        return sp_check_done();
    sp_constants *c = &reference.problem.declared;
    c->L = c->L_data = c->beta = c->beta_data = c->gap = c->distance = 1.0;
    parameters();
    without_dimension();
    moment();
    follows_releases();
    trial_drop(&reference);
    return sp_check_done();
}
