/* unit/dp_2ns.c -- the schedule of dp_2ns.c against an independent computation, its budget, what it promises, its steps
 * along negative curvature and its searches against plain loops.
 *
 * Reference numbers: a Python program of its own (bisection of the accuracy conditions in the head of dp_2ns.c), with
 * n = 1e4 to 1e6, d = 10, epsilon = 1, delta = 1e-8, every constant 1, hf = sqrt 2 or 2 sqrt 10. */
#include "tests/trial.h"

#include "core/numeric/eigen.h"

enum { D = 10, SMALL = 3, N = 40 };
static const double delta_small = 1e-8;

static trial_run go(const char *settings, const trial_problem *t, sp_privacy privacy, size_t fail_at,
                    sp_transcript *transcript)
{
    trial_run run = { .seed = 3, .fail_at = fail_at, .transcript = transcript };
    const sp_algorithm *a = sp_algorithm_find("dp_2ns");
    const sp_values values = trial_values(a, settings);
    if (transcript)
        sp_transcript_record(transcript);
    trial_go(a, &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == (fail_at ? SP_EINTERRUPTED : SP_OK), "%s: %s %s", settings,
                    sp_status_name(run.status), run.message);
    return run;
}

static void declare(trial_problem *t, double n, double hf)
{
    sp_constants *c = &t->problem.declared;
    c->L = c->L_data = c->beta = c->beta_data = c->rho_hessian = c->hessian_norm = c->gap = 1.0;
    c->hessian_frobenius = hf;
    c->n = (size_t)n;
}

/* --- schedules --------------------------------------------------------------------------------------------------- */

static void schedules(void)
{
    static const struct {
        double n, square, alpha, theta, steps; /* square: hf^2 */
    } rows[] = {
        { 1e4, 2.0, 0.4986889132, 0.868977162488, 22 },
        { 1e5, 2.0, 0.1489446000, 0.970637480915, 191 },
        { 1e5, 40.0, 0.1696931272, 0.580134708994, 150 },
        { 1e6, 2.0, 0.0462658589, 0.994063233501, 1662 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trial_problem t;
        CHECK(trial_make("logistic", (size_t)rows[i].n, D, INFINITY, false, &t));
        declare(&t, rows[i].n, sqrt(rows[i].square));
        trial_run run = go("search=none", &t, trial_private(1.0, delta_small), 1, NULL);
        CHECK_NEAR(trial_resolved(&run, "alpha") / rows[i].alpha, 1.0, 1e-8);
        CHECK_NEAR(trial_resolved(&run, "theta"), rows[i].theta, 1e-7);
        CHECK_EQUAL(trial_resolved(&run, "steps_max"), rows[i].steps);
        CHECK_NEAR(trial_resolved(&run, "bound"), rows[i].alpha, 1e-8);
        CHECK_TEXT(run.warning, "");
        trial_end(&run);
        /* a search promises nothing, and has less for the rest */
        run = go("search=em", &t, trial_private(1.0, delta_small), 1, NULL);
        CHECK(isnan(trial_resolved(&run, "bound")) && trial_resolved(&run, "alpha") > rows[i].alpha);
        trial_end(&run);
        trial_drop(&t);
    }
}

/* alpha = .1, gap = .5: e_H = .2919 and n_H = 61 as in the specification; e_g = .0929 for its .0769, whose a_g / e_g is
 * .3, so T = 198 for its 484. */
static void given_level(void)
{
    trial_problem t;
    CHECK(trial_make("logistic", 1000, D, INFINITY, false, &t));
    declare(&t, 1e3, 1.0);
    t.problem.declared.gap = 0.5;
    trial_run run = go("search=none alpha=0.1", &t, trial_private(1.0, delta_small), 1, NULL);
    CHECK_EQUAL(trial_resolved(&run, "steps_max"), 61 + ceil(0.5 / ((0.5 - 0.0071005917 / 0.0928994083) *
                                                                    0.0928994083 * 0.0928994083)));
    CHECK_EQUAL(trial_resolved(&run, "steps_max"), 198);
    CHECK_CONTAINS(run.warning, "vacuous parameters: by their noise gradients err");
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    run = go("search=none alpha=0.1 steps_max=100", &t, trial_private(1e4, 0.5), 1, NULL);
    CHECK_CONTAINS(run.warning, "uncertified parameters: alpha = 0.1 may take 198 steps, steps_max is 100");
    trial_end(&run);
    trial_drop(&t);
}

/* With a share for the search a choice has epsilon = sqrt(8 share rho_z / T), of which AboveThreshold's is half; the
 * rest goes to T gradients and n_H Hessians. */
static void budget(void)
{
    static const char *const searches[] = { "none", "em", "svt" };
    sp_transcript *transcript = sp_transcript_new();
    trial_problem t;
    CHECK(trial_make("cos_saddle", N, SMALL, INFINITY, false, &t));
    const sp_constants *c = &t.problem.declared;
    for (size_t i = 0; i < 3; i++) {
        char settings[96];
        const double theta = 0.6, alpha = 0.3, share = i == 0 ? 0.0 : 0.35, zeta_z = sp_zcdp_rho(2.0, 1e-6);
        const double e_H = sqrt(c->rho_hessian * alpha) / (13.0 / 12.0);
        const double hessians = 1.0 + floor(3.0 * c->gap * pow(c->rho_hessian, 2.0) / pow(e_H, 3.0));
        snprintf(settings, sizeof settings, "alpha=%g theta=%g search=%s search_share=0.35", alpha, theta, searches[i]);
        trial_run run = go(settings, &t, trial_private(2.0, 1e-6), 0, transcript);
        const double T = trial_resolved(&run, "steps_max"), mu = sp_gaussian_mu(2.0, 1e-6);
        const double rho = i == 0 ? mu * mu / 2.0 : (1.0 - share) * zeta_z;
        double multiplier[2] = { NAN, NAN };
        bool chose = false;
        for (size_t k = 0; k < sp_transcript_count(transcript); k++) {
            const sp_event *event = sp_transcript_at(transcript, k);
            const bool hessian = strcmp(event->primitive, "hessian") == 0;
            if (strcmp(event->primitive, "choose") == 0)
                chose = true;
            else
                multiplier[hessian] = event->noise_std / event->sensitivity;
        }
        CHECK(chose == (i > 0));
        /* exact for Gaussians alone; with choices the best accountant leaves a little more than zCDP does */
        const double least[2] = { sqrt(T / (2.0 * theta * rho)), sqrt(hessians / (2.0 * (1.0 - theta) * rho)) };
        for (size_t k = 0; k < 2; k++) {
            CHECK_LESS_EQUAL(multiplier[k], least[k] * (1.0 + 1e-6));
            CHECK_LESS_EQUAL((i == 0 ? 1.0 - 1e-6 : 0.9) * least[k], multiplier[k]);
        }
        for (size_t e = 0; e < run.ledger.count; e++) {
            const sp_entry *entry = &run.ledger.entry[e];
            if (entry->kind == SP_LEDGER_EM)
                CHECK_NEAR(entry->epsilon, sqrt(8.0 * share * zeta_z / T), 1e-9);
            if (entry->kind == SP_LEDGER_SVT)
                CHECK_NEAR(entry->epsilon, sqrt(2.0 * share * zeta_z / T), 1e-9);
            CHECK(entry->kind != (i == 1 ? SP_LEDGER_SVT : SP_LEDGER_EM));
        }
        CHECK(run.settled == SP_OK);
        trial_end(&run);
    }
    sp_transcript_free(transcript);
    trial_drop(&t);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static double value_of(const trial_problem *t, const double *w)
{
    sp_workspace *space = sp_workspace_new(&t->problem);
    const double value = sp_problem_value(&t->problem, space, w);
    sp_workspace_free(space);
    return value;
}

static double smallest(const trial_problem *t, const double *w, double *u, double *g)
{
    double H[SMALL * SMALL], lambda = NAN;
    sp_workspace *space = sp_workspace_new(&t->problem);
    sp_problem_hessian(&t->problem, space, w, H);
    sp_problem_gradient(&t->problem, space, w, g);
    CHECK(sp_eigen_smallest(SMALL, H, &lambda, u) == SP_OK);
    sp_workspace_free(space);
    return lambda;
}

typedef struct path {
    double w[8][SMALL];
    size_t count;
} path;

static void keep(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    (void)step;
    if (p->count < 8)
        memcpy(p->w[p->count++], w, sizeof *p->w);
}

/* The first step from a point near a saddle, noise off: of the candidates the best, the first that passes, or the one
 * of no search; and their lengths. */
static void first_step(const char *search, const double *from, double alpha, bool bends)
{
    trial_problem t;
    path seen = { .count = 0 };
    trial_run run = { .seed = 3, .watch = keep, .context = &seen };
    char settings[64];
    double g[SMALL], u[SMALL], expected[SMALL], best = INFINITY, list[16];
    size_t count = 0;
    CHECK(trial_make("cos_saddle", N, SMALL, INFINITY, false, &t));
    memcpy(t.problem.start, from, SMALL * sizeof *from);
    const sp_constants *c = &t.problem.declared;
    snprintf(settings, sizeof settings, "alpha=%g steps_max=1 search=%s", alpha, search);
    const sp_algorithm *a = sp_algorithm_find("dp_2ns");
    const sp_values values = trial_values(a, settings);
    trial_go(a, &values, &t, trial_noise_off(1.0, 1e-6), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);

    const double lambda = smallest(&t, from, u, g), along = u[0] * g[0] + u[1] * g[1] + u[2] * g[2];
    const double norm = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double plain = bends ? -2.0 * lambda / c->rho_hessian : 1.0 / c->beta;
    /* q = 2/3, (2 + sqrt(4 - 2)) / 2 = 1.7071 */
    const double base = bends ? -lambda / c->rho_hessian * (2.0 + M_SQRT2) / 2.0 : 2.0 * (0.4 - 12.0 / 157.0) / c->beta;
    CHECK(run.cost.hessians == (bends ? N : 0.0));
    for (double s = 10.0; s > 1.0; s *= bends ? 0.2 : 0.6)
        list[count++] = s * base;
    list[count++] = base;
    const bool em = strcmp(search, "em") == 0, svt = strcmp(search, "svt") == 0;
    if (em)
        list[count++] = plain;
    double step = plain;
    bool passed = false;
    for (size_t i = 0; (em || svt) && i < count; i++) {
        double w[SMALL];
        for (size_t j = 0; j < SMALL; j++)
            w[j] = from[j] + list[i] * (bends ? (along > 0.0 ? -u[j] : u[j]) : -g[j]);
        const double fall = value_of(&t, from) - value_of(&t, w);
        const double asked = bends ? 0.125 * list[i] * list[i] * -lambda : 0.6 * list[i] * norm * norm;
        if (em && -fall < best) {
            best = -fall;
            step = list[i];
        }
        if (svt && !passed && fall >= asked) {
            passed = true;
            step = list[i];
        }
    }
    for (size_t j = 0; j < SMALL; j++) {
        expected[j] = from[j] + step * (bends ? (along > 0.0 ? -u[j] : u[j]) : -g[j]);
        CHECK_NEAR(seen.w[0][j], expected[j], 1e-7);
    }
    CHECK(svt ? passed : true);
    CHECK_CONTAINS(run.warning, "no point passed in 1 steps");
    CHECK_NEAR(trial_resolved(&run, "passed"), 0.0, 0.0);
    trial_end(&run);
    trial_drop(&t);
}

/* Noise off, it stops by itself at a point of level alpha, from a saddle as from elsewhere. */
static void keeps_its_promise(void)
{
    static const char *const searches[] = { "none", "em", "svt" };
    const double starts[][SMALL] = { { 0.0, 0.0, 0.0 }, { 1e-6, 0.7, -0.3 }, { 0.01, 2.9, 2.8 } };
    for (size_t s = 0; s < 3; s++)
        for (size_t k = 0; k < 3; k++) {
            trial_problem t;
            char settings[64];
            double g[SMALL], u[SMALL];
            CHECK(trial_make("cos_saddle", N, SMALL, INFINITY, false, &t));
            memcpy(t.problem.start, starts[k], sizeof starts[k]);
            snprintf(settings, sizeof settings, "alpha=0.02 search=%s", searches[s]);
            trial_run run = go(settings, &t, trial_noise_off(1.0, 1e-6), 0, NULL);
            const double lambda = smallest(&t, run.w, u, g), rho_H = t.problem.declared.rho_hessian;
            CHECK_NEAR(trial_resolved(&run, "passed"), 1.0, 0.0);
            CHECK_LESS_EQUAL(sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), 0.02);
            CHECK_LESS_EQUAL(-lambda, sqrt(rho_H * 0.02));
            CHECK(run.cost.releases >= 3);
            trial_end(&run);
            trial_drop(&t);
        }
}

int main(void)
{
    static const char *const searches[] = { "none", "em", "svt" };
    const double near_saddle[SMALL] = { 0.003, 0.002, -0.001 }, other_side[SMALL] = { -0.003, 0.002, -0.001 };
    const double slope[SMALL] = { 0.3, 1.1, -0.7 };
    gsl_set_error_handler_off();
    schedules();
    given_level();
    budget();
    for (size_t i = 0; i < 3; i++) {
        first_step(searches[i], near_saddle, 0.1, true);
        first_step(searches[i], other_side, 0.1, true);
        first_step(searches[i], slope, 0.1, false);
    }
    keeps_its_promise();
    return sp_check_done();
}
