/* unit/wang_xu.c -- dp_tr, dp_str, trust_region, dp_gd_sosp: schedules at the reference point of the specification,
 * ledgers, each step by its optimality conditions from what was released, iterates without noise, the printed noise,
 * what is refused.
 *
 * Reference numbers: an independent NumPy computation (bisection of the accuracy conditions in parts/trust_steps.h;
 * steps by an eigendecomposition and a bisection of the multiplier). n = 1e4 or 1e5, d = 10, epsilon = 1, delta = 1e-8,
 * every constant 1, hf = sqrt 2 (a convex GLM) or 2 sqrt 10 (any loss). */
#include "core/audit/audit_internal.h"
#include "tests/trial.h"

#include "core/numeric/eigen.h"

#include <gsl/gsl_cblas.h>

enum { D = 3, N = 60, PATH = 64 };
static const double rho = 0.0192210480170661, delta_small = 1e-8;
static trial_problem few, many, small; /* 1e4 and 1e5 records, whose constants are declared; cos_saddle */

static trial_run start(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy,
                       size_t fail_at)
{
    trial_run run = { .seed = 3, .fail_at = fail_at };
    const sp_algorithm *a = sp_algorithm_find(name);
    const sp_values values = trial_values(a, settings);
    trial_go(a, &values, t, privacy, &run);
    return run;
}

static trial_run go(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy, size_t fail_at)
{
    trial_run run = start(name, settings, t, privacy, fail_at);
    SP_CHECK_REPORT(run.status == (fail_at ? SP_EINTERRUPTED : SP_OK), "%s %s: %s %s", name, settings,
                    sp_status_name(run.status), run.message);
    return run;
}

static sp_provenance provenance(const trial_run *run, const char *key)
{
    size_t i = 0;
    while (i + 1 < run->resolved_count && strcmp(run->resolved[i].key, key) != 0)
        i++;
    return run->resolved[i].from;
}

static void declare(trial_problem *t, double hf)
{
    sp_constants *c = &t->problem.declared;
    c->L = c->L_data = c->beta = c->beta_data = c->rho_hessian = c->hessian_norm = c->gap = 1.0;
    c->hessian_frobenius = hf;
}

/* --- schedules --------------------------------------------------------------------------------------------------- */

static void test_schedule(void)
{
    static const struct {
        const char *name, *settings;
        double n, square, alpha, theta, steps; /* square: hf^2 */
    } rows[] = {
        { "dp_tr", "", 1e4, 2.0, 0.42055136447, 0.9311080014, 22 },
        { "dp_tr", "theta=0.9", 1e4, 2.0, 0.4253516914, 0.9, 22 },
        { "dp_tr", "", 1e4, 40.0, 0.5684367440, 0.3321199958, 14 },
        { "dp_tr", "", 1e5, 2.0, 0.1150918975, 0.9805378612, 154 },
        { "dp_tr", "", 1e5, 40.0, 0.1267261982, 0.6955616010, 133 },
        { "dp_tr", "hessian_noise=paper", 1e4, 2.0, 0.4331872838, 0.8677356467, 22 },
        { "dp_tr", "hessian_noise=paper", 1e4, 40.0, 0.6675836784, 0.1742854376, 11 },
        { "dp_str", "batch=10000 batch_h=10000", 1e4, 2.0, 0.42055136447, 0.9311080014, 22 }, /* no subsets: dp_tr */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trial_problem *t = rows[i].n > 1e4 ? &many : &few;
        declare(t, sqrt(rows[i].square));
        trial_run run = go(rows[i].name, rows[i].settings, t, trial_private(1.0, delta_small), 1);
        SP_CHECK_REPORT(fabs(trial_resolved(&run, "alpha") / rows[i].alpha - 1.0) <= 1e-8, "%s %s: alpha = %.12g",
                        rows[i].name, rows[i].settings, trial_resolved(&run, "alpha"));
        CHECK_NEAR(trial_resolved(&run, "theta"), rows[i].theta, 1e-7);
        CHECK_EQUAL(trial_resolved(&run, "steps_max"), rows[i].steps);
        CHECK(provenance(&run, "alpha") == SP_FROM_BALANCE);
        /* level (13/6)^2 alpha, and 1 holds at the start */
        if (rows[i].n > 1e4)
            CHECK_TEXT(run.warning, "");
        else
            CHECK_CONTAINS(run.warning, "vacuous parameters: the bound");
        CHECK_NEAR(trial_resolved(&run, "bound"), 169.0 / 36.0 * rows[i].alpha, 1e-6);
        trial_end(&run);
    }
    declare(&many, sqrt(2.0));
    declare(&few, sqrt(2.0));

    /* a step at which the noise is too large at every level: capped at the one that holds at the start */
    trial_run run = go("dp_tr", "", &small, trial_private(0.3, 1e-6), 1);
    const sp_constants *c = &small.problem.declared;
    const double level = fmax(fmin(c->L, sqrt(2.0 * c->beta * c->gap)), c->beta * c->beta / c->rho_hessian);
    CHECK_NEAR(trial_resolved(&run, "alpha"), level, 1e-12);
    CHECK(provenance(&run, "alpha") == SP_FROM_CAP);
    CHECK_CONTAINS(run.warning, "vacuous parameters: by their noise gradients err");
    CHECK(!strstr(strstr(run.warning, "parameters") + 1, "parameters")); /* once */
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);

    /* T counts the step that stops: 6 / alpha^(3/2) = 48 steps may lower F by alpha^(3/2) / 6 each */
    run = go("dp_tr", "alpha=0.25", &many, trial_private(1.0, delta_small), 1);
    CHECK_EQUAL(trial_resolved(&run, "steps_max"), 49);
    trial_end(&run);
    run = go("dp_tr", "alpha=0.25 steps_max=20", &many, trial_private(1.0, delta_small), 1);
    CHECK_CONTAINS(run.warning, "uncertified parameters: alpha = 0.25 may take 49 steps, steps_max is 20");
    CHECK(isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
    run = start("dp_tr", "alpha=1e-9", &many, trial_private(1.0, delta_small), 0);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "alpha = 1e-09 takes up to 1.89737e+14 steps");
    trial_end(&run);
    run = go("dp_tr", "", &small, trial_not_private(), 1); /* without a budget */
    CHECK_NEAR(trial_resolved(&run, "alpha"), 0.01 * level, 1e-14);
    trial_end(&run);
}

static void test_subsets(void)
{
    /* n = 1e5: 3 n sqrt(2 theta rho / T) is above 4 ln(200) / alpha^2, and so for the Hessians */
    trial_run run = go("dp_str", "", &many, trial_private(1.0, delta_small), 1);
    CHECK_NEAR(trial_resolved(&run, "alpha"), 0.1925729431, 1e-8);
    CHECK_NEAR(trial_resolved(&run, "theta"), 0.9676263144, 1e-7);
    CHECK_EQUAL(trial_resolved(&run, "batch"), 6867);
    CHECK_EQUAL(trial_resolved(&run, "batch_h"), 1257);
    CHECK_CONTAINS(run.warning, "uncertified parameters: subsets of");
    CHECK(!strstr(strstr(run.warning, "parameters") + 1, "parameters"));
    CHECK_EQUAL(run.ledger.count, 2);
    for (size_t e = 0; e < run.ledger.count; e++) {
        CHECK_EQUAL(run.ledger.entry[e].kind, SP_LEDGER_GAUSS_WOR);
        CHECK_LESS_EQUAL(3.0, run.ledger.entry[e].noise_multiplier); /* what the batches are for */
        CHECK_LESS_EQUAL(run.ledger.entry[e].noise_multiplier, 3.75);
    }
    trial_end(&run);
    /* where alpha is small the printed batches are larger */
    run = go("dp_str", "alpha=0.02 steps_max=3000", &many, trial_private(1e-3, delta_small), 1);
    CHECK_EQUAL(trial_resolved(&run, "batch"), ceil(4.0 * log(200.0) / 0.0004));
    CHECK_EQUAL(trial_resolved(&run, "batch_h"), ceil(4.0 * log(200.0) / 0.02));
    trial_end(&run);

    /* from the proved sizes on a bound is promised; one record less, and it is not */
    sp_constants *c = &many.problem.declared;
    c->L = c->L_data = 0.1;
    const double alpha = 0.2, T = floor(6.0 / (0.2 * sqrt(0.2))) + 1.0, l = log(16.0 * 10.0 * T / 0.05);
    const double batch = ceil(4608.0 * l * 0.01 / (alpha * alpha)), batch_h = ceil(1152.0 * l / alpha);
    for (int less = 0; less < 3; less++) {
        char settings[128];
        snprintf(settings, sizeof settings, "alpha=0.2 batch=%g batch_h=%g", batch - (less == 1),
                 batch_h - (less == 2));
        run = go("dp_str", settings, &many, trial_private(1.0, delta_small), 1);
        CHECK_EQUAL(isfinite(trial_resolved(&run, "bound")), less == 0);
        if (less == 0)
            CHECK_TEXT(run.warning, "");
        else
            CHECK_CONTAINS(run.warning, "the proof asks for");
        trial_end(&run);
    }
    declare(&many, sqrt(2.0));

    /* 74 releases of 235 of 1e4 records */
    run = go("dp_str", "alpha=0.3 theta=0.5 batch=235 batch_h=235", &few, trial_private(1.0, delta_small), 1);
    CHECK_EQUAL(trial_resolved(&run, "steps_max"), 37);
    CHECK_NEAR(run.ledger.entry[0].noise_multiplier, 1.55888, 1e-4);
    CHECK_CONTAINS(run.warning, "by their noise");
    trial_end(&run);
}

/* --- ledgers ----------------------------------------------------------------------------------------------------- */

/* A level that no step reaches, so that all T are taken: the announced plan spends the budget exactly. */
static void test_ledger(void)
{
    const sp_constants *c = &small.problem.declared;
    trial_run run = go("dp_tr", "alpha=1e-7 steps_max=7 theta=0.7", &small, trial_private(1.0, delta_small), 0);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    CHECK_EQUAL(run.ledger.count, 2);
    const double share[2] = { 0.7, 0.3 }, sensitivity[2] = { 2.0 * c->L_data / N, c->hessian_frobenius / N };
    for (size_t e = 0; e < run.ledger.count; e++) {
        const sp_entry *entry = &run.ledger.entry[e];
        CHECK_EQUAL(entry->kind, SP_LEDGER_GAUSS);
        CHECK_EQUAL(entry->count, 7);
        CHECK_NEAR(entry->noise_multiplier, sqrt(7.0 / (2.0 * share[e] * rho)), 1e-4);
        CHECK_NEAR(entry->sensitivity_high, sensitivity[e], 1e-15);
        CHECK_EQUAL(entry->pool, 0);
    }
    CHECK_EQUAL(run.cost.releases, 14);
    CHECK(run.cost.gradients == 7.0 * N && run.cost.hessians == 7.0 * N);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 0.0);
    trial_end(&run);
    run = go("dp_str", "alpha=1e-7 steps_max=7 batch=13 batch_h=21", &small, trial_private(1.0, delta_small), 0);
    CHECK_NEAR(run.spent.best, 1.0, 5e-5); /* to the accountant's grid */
    CHECK_EQUAL(run.ledger.count, 2);
    CHECK(run.ledger.entry[0].kind == SP_LEDGER_GAUSS_WOR && run.ledger.entry[1].kind == SP_LEDGER_GAUSS_WOR);
    CHECK_NEAR(run.ledger.entry[0].rate, 13.0 / N, 1e-15);
    CHECK_NEAR(run.ledger.entry[1].rate, 21.0 / N, 1e-15);
    CHECK_NEAR(run.ledger.entry[0].sensitivity_high, 2.0 * c->L_data / 13.0, 1e-15);
    CHECK_NEAR(run.ledger.entry[1].sensitivity_high, c->hessian_frobenius / 21.0, 1e-15);
    CHECK(run.cost.gradients == 7.0 * 13.0 && run.cost.hessians == 7.0 * 21.0);
    trial_end(&run);
}

/* The printed deviations, whatever the loss's hf, and the epsilon that they give. */
static void test_paper(void)
{
    const sp_constants *c = &small.problem.declared;
    sp_privacy paper = trial_private(1.0, delta_small);
    paper.calibration = SP_CALIBRATE_PAPER;
    trial_run run = go("dp_tr", "alpha=1e-7 steps_max=7", &small, paper, 0);
    const double phi = pow(sqrt(1.0 + log(1e8)) - sqrt(log(1e8)), 2.0);
    CHECK_NEAR(run.ledger.entry[0].noise_multiplier, sqrt(7.0 / phi), 1e-9);
    CHECK_NEAR(run.ledger.entry[1].noise_multiplier * c->hessian_frobenius / N,
               sqrt(4.0 * D * c->beta_data * c->beta_data * 7.0 / (N * N * phi)), 1e-9);
    const double square = c->hessian_frobenius * c->hessian_frobenius / (4.0 * D * c->beta_data * c->beta_data);
    const double hf = c->hessian_frobenius;
    CHECK(square < 0.9);
    trial_end(&run);
    small.problem.declared.hessian_frobenius = 2.0 * sqrt(D) * c->beta_data; /* the printed sensitivity */
    run = go("dp_tr", "alpha=1e-7 steps_max=7", &small, paper, 0);
    CHECK_NEAR(run.spent.best, 0.8209412954, 1e-6); /* of mu = sqrt(2 phi) */
    small.problem.declared.hessian_frobenius = hf;
    trial_end(&run);

    run = go("dp_str", "alpha=1e-7 steps_max=7 batch=13 batch_h=21", &small, paper, 0);
    const double logs = sqrt(log(5.0 * 7.0 / delta_small) * log(2.0 / delta_small));
    CHECK_NEAR(run.ledger.entry[0].noise_multiplier, 8.0 * 13.0 * logs / N, 1e-9);
    CHECK_NEAR(run.ledger.entry[1].noise_multiplier,
               8.0 * 21.0 * sqrt(7.0) * logs / N * 2.0 * sqrt(D) * c->beta_data / hf, 1e-9);
    CHECK_LESS_EQUAL(run.spent.best, 1.0); /* the lemmas' constants are large: few steps do not show the missing T */
    trial_end(&run);
    run = go("dp_str", "alpha=1e-9 steps_max=4000 batch=13 batch_h=21", &small, paper, 0); /* many do */
    CHECK_LESS_EQUAL(1.2, run.spent.best);
    CHECK(run.settled == SP_OK);
    trial_end(&run);
}

/* --- steps ------------------------------------------------------------------------------------------------------- */

/* Each step from the released gradient and Hessian alone: (B + lambda I) h = -g with B + lambda I >= 0 and ||h|| = r,
 * or lambda = 0; it goes on while lambda > sqrt(alpha rho_H). Every release is of records drawn for it. */
static void check_steps(const char *name, const char *settings, sp_privacy privacy, bool mirrored, bool passed)
{
    const sp_constants *c = &small.problem.declared;
    const sp_values values = trial_values(sp_algorithm_find(name), settings);
    const double alpha = sp_real(&values, trial_find(&values, "alpha")), stop = sqrt(alpha * c->rho_hessian);
    const double r = sqrt(alpha / c->rho_hessian);
    trial_run run = { .seed = 2, .transcript = sp_transcript_new() };
    const bool ends = strstr(settings, "select=last") != NULL; /* whatever it took */
    double smallest = INFINITY;
    const double *best = NULL;
    sp_transcript_record(run.transcript);
    trial_go(sp_algorithm_find(name), &values, &small, privacy, &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    const size_t count = sp_transcript_count(run.transcript);
    CHECK(count >= 6 && count % 2 == 0);
    CHECK_EQUAL(run.checkpoints, count / 2 + 1); /* the answer's */
    for (size_t i = 0; i + 1 < count; i += 2) {
        const sp_event *g = sp_transcript_at(run.transcript, i), *B = sp_transcript_at(run.transcript, i + 1);
        const bool last = i + 2 == count;
        const double *w = g->point[0], *next = last ? run.w : sp_transcript_at(run.transcript, i + 2)->point[0];
        double h[D], H[D * D], values_of[D], residual[D];
        CHECK_TEXT(g->primitive, "gradient");
        CHECK_TEXT(B->primitive, "hessian");
        CHECK(g->points == 1 && memcmp(w, B->point[0], sizeof h) == 0);
        CHECK_EQUAL(B->mirrored, mirrored);
        CHECK(!g->rows || g->count != B->count || memcmp(g->rows, B->rows, g->count * sizeof *g->rows) != 0);
        memcpy(H, B->answer, sizeof H);
        CHECK(sp_eigen_all(D, H, values_of) == SP_OK);
        const double score = fmax(cblas_dnrm2(D, g->answer, 1) / alpha, -values_of[0] / stop);
        if (score < smallest) {
            smallest = score;
            best = w;
        }
        if (last && !passed && !ends)
            break;
        for (size_t j = 0; j < D; j++)
            h[j] = next[j] - w[j];
        for (size_t j = 0; j < D; j++)
            residual[j] = cblas_ddot(D, B->answer + j * D, 1, h, 1) + g->answer[j];
        const double lambda = -cblas_ddot(D, residual, 1, h, 1) / cblas_ddot(D, h, 1, h, 1);
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(residual[j] + lambda * h[j], 0.0, 1e-9 * (1.0 + lambda));
        CHECK_LESS_EQUAL(-1e-9, values_of[0] + lambda);
        CHECK(last && passed ? lambda <= stop : lambda > stop);
        if (lambda > 1e-9)
            CHECK_NEAR(cblas_dnrm2(D, h, 1), r, 1e-12);
    }
    CHECK_EQUAL(trial_resolved(&run, "passed"), passed);
    if (!passed) {
        CHECK_CONTAINS(run.warning, "uncertified: none of");
        CHECK(ends != (memcmp(run.w, best, D * sizeof *best) == 0));
    }
    trial_end(&run);
    sp_transcript_free(run.transcript);
}

static void test_steps(void)
{
    small.problem.start[0] = 0.3, small.problem.start[1] = 1.1, small.problem.start[2] = -0.8;
    check_steps("dp_tr", "alpha=0.05", trial_private(400.0, 1e-6), false, true);
    check_steps("dp_tr", "alpha=0.05 hessian_noise=paper", trial_private(400.0, 1e-6), true, true);
    check_steps("dp_tr", "alpha=0.0001 steps_max=9", trial_private(20.0, 1e-6), false, false);
    check_steps("dp_str", "alpha=0.05 batch=40 batch_h=40", trial_private(400.0, 1e-6), false, true);
    check_steps("dp_str", "alpha=0.0001 steps_max=9 batch=20 batch_h=20 hessian_noise=paper",
                trial_private(20.0, 1e-6), true, false);
    check_steps("dp_tr", "alpha=0.0001 steps_max=9 select=last", trial_private(20.0, 1e-6), false, false);
    check_steps("dp_str", "alpha=0.0001 steps_max=9 batch=20 batch_h=20 select=last", trial_private(20.0, 1e-6), false,
                false);
    check_steps("dp_tr", "alpha=0.05 select=last", trial_private(400.0, 1e-6), false, true);
    check_steps("trust_region", "alpha=0.02", trial_not_private(), false, true);
    memset(small.problem.start, 0, D * sizeof(double));
}

typedef struct path {
    double w[PATH + 1][D];
} path;

static void record(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    if (step <= PATH)
        memcpy(p->w[step], w, D * sizeof *w);
}

/* Without noise: the iterates of an independent program (NumPy), h(w) = 0.5 (cos w_1 - 1) + 2 - cos w_2 - cos w_3. */
static void test_path(void)
{
    static const char *const names[] = { "dp_tr", "dp_str", "trust_region" };
    static const struct { size_t step; double w[D]; } expected[] = {
        { 1, { 0.10950421853574745, 0.7770513286922098, -1.0475046475619267 } },
        { 7, { 0.4023154360593923, 0.11861769476284985, -0.1632838835865895 } },
        { 14, { 1.7508528767293123, 0.008402817392593472, -0.011564223353637907 } },
        { 21, { 3.1235652259869013, 1.468999671066899e-05, -2.0216832543998027e-05 } },
    };
    const double rho_H = small.problem.declared.rho_hessian;
    path p;
    small.problem.declared.rho_hessian = 1.3;
    small.problem.start[0] = 0.1, small.problem.start[1] = 0.9, small.problem.start[2] = -1.2;
    for (size_t k = 0; k < 3; k++) {
        trial_run run = { .seed = 3, .watch = record, .context = &p };
        const sp_values values = trial_values(sp_algorithm_find(names[k]), "alpha=0.05 batch=60 batch_h=60");
        trial_go(sp_algorithm_find(names[k]), &values, &small,
                 k < 2 ? trial_noise_off(1.0, 1e-6) : trial_not_private(), &run);
        CHECK_EQUAL(run.status, SP_OK);
        CHECK_EQUAL(run.checkpoints, 22);
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < D; j++)
                CHECK_NEAR(p.w[expected[i].step][j], expected[i].w[j], 1e-9);
        CHECK(memcmp(run.w, p.w[21], sizeof p.w[21]) == 0);
        CHECK_EQUAL(trial_resolved(&run, "passed"), 1.0);
        CHECK_NEAR(trial_resolved(&run, "bound"), 169.0 / 36.0 * 0.05, 1e-12);
        trial_end(&run);
    }
    small.problem.declared.rho_hessian = rho_H;
    memset(small.problem.start, 0, D * sizeof(double));

    /* at a saddle itself, the hard case: along its direction */
    trial_run run = { .seed = 3, .watch = record, .context = &p };
    const sp_values values = trial_values(sp_algorithm_find("dp_tr"), "alpha=0.05");
    trial_go(sp_algorithm_find("dp_tr"), &values, &small, trial_noise_off(1.0, 1e-6), &run);
    CHECK_NEAR(fabs(p.w[1][0]), sqrt(0.05 / rho_H), 1e-12);
    CHECK_NEAR(fabs(run.w[0]), acos(-1.0), 0.1);
    trial_end(&run);
}

static void record_line(trial_run *run, size_t step, const double *w)
{
    ((double *)run->context)[step] = w[0];
}

/* F = w^2/2 from 1: r = .3, lambda = 7/3, 4/3, 1/3 and 0, the first that is at most sqrt(alpha rho_H) = .3 */
static void test_bowl(void)
{
    static const double way[6] = { 1.0, 0.7, 0.4, 0.1, 0.0, 0.0 };
    double seen[120] = { 1.0 };
    trial_problem bowl;
    if (!trial_make("power", 10, 1, 2.0, false, &bowl))
        return;
    bowl.problem.number[0] = 2.0; /* tau */
    bowl.problem.number[1] = 0.0; /* tilt */
    bowl.problem.declared.rho_hessian = 1.0;
    bowl.problem.start[0] = 1.0;
    trial_run run = { .seed = 3, .watch = record_line, .context = seen };
    const sp_values values = trial_values(sp_algorithm_find("dp_tr"), "alpha=0.09");
    trial_go(sp_algorithm_find("dp_tr"), &values, &bowl, trial_noise_off(1.0, 1e-6), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    CHECK_EQUAL(run.checkpoints, 5);
    for (size_t t = 0; t < 6; t++)
        CHECK_NEAR(seen[t], way[t], 1e-15);
    CHECK(isnan(trial_resolved(&run, "bound"))); /* on a ball steps may be projected: no theorem */
    trial_end(&run);
    trial_drop(&bowl);
}

/* With errors within the theorem's: every step but the last lowers F by alpha^(3/2) / (6 sqrt(rho_H)), and the answer
 * is as the theorem says. */
static void test_theorem(void)
{
    const sp_constants *c = &small.problem.declared;
    const double alpha = 0.2;
    double gradient[D], H[D * D], smallest = NAN;
    sp_workspace *scratch = sp_workspace_new(&small.problem);
    size_t steps = 0;
    small.problem.start[1] = 1.7;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        path p;
        trial_run run = { .seed = seed, .watch = record, .context = &p };
        const sp_values values = trial_values(sp_algorithm_find("dp_tr"), "alpha=0.2");
        memcpy(p.w[0], small.problem.start, sizeof p.w[0]);
        trial_go(sp_algorithm_find("dp_tr"), &values, &small, trial_private(3000.0, 1e-6), &run);
        CHECK_TEXT(run.warning, "");
        CHECK_EQUAL(trial_resolved(&run, "passed"), 1.0);
        CHECK_LESS_EQUAL((double)run.checkpoints - 1.0, trial_resolved(&run, "steps_max"));
        for (size_t t = 0; t + 2 < run.checkpoints; t++, steps++)
            CHECK_LESS_EQUAL(alpha * sqrt(alpha / c->rho_hessian) / 6.0,
                             sp_problem_value(&small.problem, scratch, p.w[t]) -
                             sp_problem_value(&small.problem, scratch, p.w[t + 1]));
        sp_problem_gradient(&small.problem, scratch, run.w, gradient);
        sp_problem_hessian(&small.problem, scratch, run.w, H);
        CHECK(sp_eigen_smallest(D, H, &smallest, NULL) == SP_OK);
        CHECK_LESS_EQUAL(cblas_dnrm2(D, gradient, 1), 1.75 * alpha);
        CHECK_LESS_EQUAL(-smallest, 13.0 / 6.0 * sqrt(c->rho_hessian * alpha));
        trial_end(&run);
    }
    CHECK(steps > 100);
    small.problem.start[1] = 0.0;
    sp_workspace_free(scratch);
}

/* --- dp_gd_sosp -------------------------------------------------------------------------------------------------- */

static double score_at(sp_workspace *scratch, const double *w, double alpha)
{
    double gradient[D], H[D * D], smallest = NAN;
    sp_problem_gradient(&small.problem, scratch, w, gradient);
    sp_problem_hessian(&small.problem, scratch, w, H);
    CHECK(sp_eigen_smallest(D, H, &smallest, NULL) == SP_OK);
    return fmax(cblas_dnrm2(D, gradient, 1) / alpha, -smallest / sqrt(small.problem.declared.rho_hessian * alpha));
}

/* alpha = (64 d L^2 beta gap / (n^2 rho_A))^(1/4), T = ceil(8 beta gap / alpha^2); with all of rho .1351 and 439. */
static void test_gd_schedule(void)
{
    static const struct { const char *settings; double alpha, steps; } rows[] = {
        { "", 0.1518290264, 348 },
        { "selection=svt", 0.1518290264, 348 },
        { "selection=gauss", 0.1476815417, 367 },
        { "selection=gauss selection_share=0.001", 0.1351168013, 439 },
        { "alpha=0.2", 0.2, 200 },
        { "steps=50", 0.4, 50 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trial_run run = go("dp_gd_sosp", rows[i].settings, &few, trial_private(1.0, delta_small), 1);
        SP_CHECK_REPORT(fabs(trial_resolved(&run, "alpha") - rows[i].alpha) <= 1e-9, "%s: alpha = %.10g",
                        rows[i].settings, trial_resolved(&run, "alpha"));
        CHECK_EQUAL(trial_resolved(&run, "steps"), rows[i].steps);
        CHECK_EQUAL(trial_resolved(&run, "stride"), 1.0);
        CHECK(isnan(trial_resolved(&run, "bound"))); /* nothing is proved of saddles */
        trial_end(&run);
    }
    trial_run run = start("dp_gd_sosp", "", &small, trial_not_private(), 0);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "steps must be given");
    trial_end(&run);
    run = start("dp_gd_sosp", "alpha=1e-300", &small, trial_private(1.0, 1e-6), 0);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "alpha = 1e-300 takes inf steps");
    trial_end(&run);
    run = start("dp_gd_sosp", "steps=2 eta=1e300", &small, trial_private(1.0, 1e-6), 0);
    CHECK_EQUAL(run.status, SP_ENUMERIC);
    CHECK_CONTAINS(run.message, "the Hessian at a candidate has no finite eigenvalue");
    trial_end(&run);
    sp_privacy paper = trial_private(1.0, 1e-6);
    paper.calibration = SP_CALIBRATE_PAPER;
    run = start("dp_gd_sosp", "steps=4", &small, paper, 0);
    CHECK_EQUAL(run.status, SP_EUNSUPPORTED);
    trial_end(&run);
}

static void test_gd_ledger(void)
{
    static const double rho_z = 0.0172053180394;
    const sp_constants *c = &small.problem.declared;
    static const struct { const char *settings; sp_ledger_kind kind; double cost; } rows[] = {
        { "alpha=0.3 steps=10 selection=em", SP_LEDGER_EM, 8.0 },
        { "alpha=0.3 steps=10 selection=svt", SP_LEDGER_SVT, 2.0 },
    };
    for (size_t i = 0; i < 2; i++) {
        trial_run run = go("dp_gd_sosp", rows[i].settings, &small, trial_private(1.0, delta_small), 0);
        CHECK_EQUAL(run.ledger.count, 2);
        CHECK_EQUAL(run.ledger.entry[0].kind, SP_LEDGER_GAUSS);
        CHECK_EQUAL(run.ledger.entry[0].count, 10);
        CHECK_LESS_EQUAL(run.ledger.entry[0].noise_multiplier, sqrt(10.0 / (2.0 * 0.7 * rho_z)) * (1.0 + 1e-9));
        CHECK_LESS_EQUAL(sqrt(10.0 / (2.0 * rho)), run.ledger.entry[0].noise_multiplier);
        CHECK_EQUAL(run.ledger.entry[1].kind, rows[i].kind);
        CHECK_EQUAL(run.ledger.entry[1].count, 1);
        CHECK_NEAR(run.ledger.entry[1].epsilon, sqrt(rows[i].cost * 0.3 * rho_z), 1e-9);
        CHECK_NEAR(run.spent.best, 1.0, 5e-5); /* to the accountant's grid */
        trial_end(&run);
    }
    /* no second set of gradients; a Hessian at every third of w_0 .. w_9 */
    trial_run run = go("dp_gd_sosp", "alpha=1e-6 zeta=0.5 steps=10 stride=3 selection=gauss selection_share=0.4",
                       &small, trial_private(1.0, delta_small), 0);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    CHECK_EQUAL(run.ledger.count, 2);
    const size_t hessians = run.ledger.entry[0].count == 4 ? 0 : 1; /* which comes first does not matter */
    const sp_entry *g = &run.ledger.entry[1 - hessians], *B = &run.ledger.entry[hessians];
    CHECK_EQUAL(g->count, 10);
    CHECK_EQUAL(B->count, 4);
    CHECK_NEAR(g->noise_multiplier, sqrt(10.0 / (2.0 * 0.6 * rho)), 1e-4);
    CHECK_NEAR(B->noise_multiplier, sqrt(4.0 / (2.0 * 0.4 * rho)), 1e-4);
    CHECK_NEAR(g->sensitivity_high, 2.0 * c->L_data / N, 1e-15);
    CHECK_NEAR(B->sensitivity_high, c->hessian_frobenius / N, 1e-15);
    trial_end(&run);
}

/* Without noise: descent of an independent loop; em takes the smallest score of w_0, w_stride, .., the others the first
 * of score 1 or less. */
static void test_gd_path(void)
{
    enum { T = 40 };
    static const char *const rules[] = { "em", "svt", "gauss" };
    const double alpha = 0.1, eta = 0.23;
    sp_workspace *scratch = sp_workspace_new(&small.problem);
    path p;
    small.problem.start[0] = 0.4, small.problem.start[1] = 1.3, small.problem.start[2] = -0.6;
    for (size_t k = 0; k < 3; k++)
        for (size_t stride = 1; stride <= 3; stride += 2) {
            char settings[96];
            double way[T + 1][D], gradient[D];
            size_t smallest = 0, first = T;
            memcpy(way[0], small.problem.start, sizeof way[0]);
            for (size_t t = 0; t < T; t++) {
                sp_problem_gradient(&small.problem, scratch, way[t], gradient);
                for (size_t j = 0; j < D; j++)
                    way[t + 1][j] = way[t][j] - eta * gradient[j];
                if (t % stride == 0 && score_at(scratch, way[t], alpha) < score_at(scratch, way[smallest], alpha))
                    smallest = t;
                if (t % stride == 0 && first == T && score_at(scratch, way[t], alpha) <= 1.0)
                    first = t;
            }
            CHECK(smallest > 2 && first > 2 && first < smallest);
            snprintf(settings, sizeof settings, "alpha=0.1 steps=40 eta=0.23 stride=%zu selection=%s", stride,
                     rules[k]);
            trial_run run = { .seed = 3, .watch = record, .context = &p };
            const sp_values values = trial_values(sp_algorithm_find("dp_gd_sosp"), settings);
            trial_go(sp_algorithm_find("dp_gd_sosp"), &values, &small, /* svt has a threshold of 1 without a budget */
                     k == 1 ? trial_not_private() : trial_noise_off(1.0, 1e-6), &run);
            CHECK_EQUAL(run.status, SP_OK);
            CHECK_EQUAL(run.checkpoints, k < 2 ? T + 1 : first + 1); /* gauss ends there */
            for (size_t t = 1; t <= (k < 2 ? T : first); t++)
                for (size_t j = 0; j < D; j++)
                    CHECK_NEAR(p.w[t][j], way[t][j], 1e-12);
            for (size_t j = 0; j < D; j++)
                CHECK_NEAR(run.w[j], way[k == 0 ? smallest : first][j], 1e-12);
            if (k > 0)
                CHECK_EQUAL(trial_resolved(&run, "passed"), 1.0);
            trial_end(&run);
        }
    /* no step at all: w_0 is a candidate, and the best one where all others are worse */
    small.problem.start[0] = acos(-1.0), small.problem.start[1] = small.problem.start[2] = 0.0;
    trial_run run = go("dp_gd_sosp", "alpha=0.1 steps=5 selection=gauss", &small, trial_noise_off(1.0, 1e-6), 0);
    CHECK_EQUAL(run.checkpoints, 1);
    CHECK(memcmp(run.w, small.problem.start, D * sizeof *run.w) == 0);
    trial_end(&run);
    memset(small.problem.start, 0, D * sizeof(double));
    run = go("dp_gd_sosp", "alpha=1e-4 steps=5 selection=gauss", &small, trial_noise_off(1.0, 1e-6), 0); /* a saddle */
    CHECK_CONTAINS(run.warning, "uncertified: no candidate passed");
    CHECK_EQUAL(trial_resolved(&run, "passed"), 0.0);
    trial_end(&run);
    sp_workspace_free(scratch);
}

/* gauss, with its noise: the first candidate within the thresholds, from what was released; else the smallest score. */
static void check_gauss(const char *settings, bool mirrored, bool passed)
{
    const sp_constants *c = &small.problem.declared;
    const sp_algorithm *a = sp_algorithm_find("dp_gd_sosp");
    const sp_values values = trial_values(a, settings);
    const double alpha = sp_real(&values, trial_find(&values, "alpha")), curvature = sqrt(c->rho_hessian * alpha);
    const double K = 14.0, zeta = 0.05; /* of 40 steps, every third */
    trial_run run = { .seed = 4, .transcript = sp_transcript_new() };
    double smallest = INFINITY;
    const double *best = NULL;
    sp_transcript_record(run.transcript);
    trial_go(a, &values, &small, trial_private(60.0, 1e-6), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    const size_t count = sp_transcript_count(run.transcript);
    size_t candidates = 0;
    for (size_t i = 0; i < count; i++) {
        const sp_event *B = sp_transcript_at(run.transcript, i);
        const sp_event *g = i > 0 ? sp_transcript_at(run.transcript, i - 1) : B;
        double H[D * D], least = NAN;
        if (strcmp(B->primitive, "hessian") != 0)
            continue;
        CHECK_EQUAL(B->mirrored, mirrored);
        CHECK_TEXT(g->primitive, "gradient");
        CHECK(memcmp(g->point[0], B->point[0], D * sizeof *g->point[0]) == 0);
        memcpy(H, B->answer, sizeof H);
        CHECK(sp_eigen_smallest(D, H, &least, NULL) == SP_OK);
        const double norm = cblas_dnrm2(D, g->answer, 1), s_h = (mirrored ? M_SQRT2 : 1.0) * B->noise_std;
        const double c_g = g->noise_std * (sqrt(D) + sqrt(2.0 * log(2.0 * K / zeta)));
        const double c_h = s_h * (sqrt(2.0 * D) + sqrt(2.0 * log(4.0 * K / zeta)));
        const bool within = norm <= alpha + c_g && least >= -curvature - c_h;
        CHECK_EQUAL(within, passed && i + 1 == count);
        const double score = fmax(norm / alpha, -least / curvature);
        if (passed || score < smallest)
            best = B->point[0];
        smallest = fmin(smallest, score);
        candidates++;
    }
    CHECK(passed ? candidates > 1 && candidates < 14 : candidates == 14);
    CHECK(best && memcmp(run.w, best, D * sizeof *best) == 0);
    CHECK_EQUAL(trial_resolved(&run, "passed"), passed);
    trial_end(&run);
    sp_transcript_free(run.transcript);
}

/* The level of a candidate that passes, alpha + 2 c_g or (sqrt(rho_H alpha) + 2 c_h)^2 / rho_H, in a warning. */
static void check_gauss_level(const char *law, double hf)
{
    const double T = 5000.0, K = 1000.0, zeta = 0.05, alpha = 0.9;
    const double c_g = 2e-4 * sqrt(T / (1.4 * rho)) * (sqrt(10.0) + sqrt(2.0 * log(2.0 * K / zeta)));
    const double c_h = hf / 1e4 * sqrt(K / (0.6 * rho)) * (sqrt(20.0) + sqrt(2.0 * log(4.0 * K / zeta))) *
                       (strcmp(law, "paper") == 0 ? M_SQRT2 : 1.0);
    char settings[128];
    snprintf(settings, sizeof settings, "alpha=0.9 steps=5000 stride=5 selection=gauss hessian_noise=%s", law);
    declare(&few, hf);
    trial_run run = go("dp_gd_sosp", settings, &few, trial_private(1.0, delta_small), 1);
    const char *bound = strstr(run.warning, "the bound ");
    const double told = bound ? strtod(bound + strlen("the bound "), NULL) : NAN;
    CHECK_NEAR(told, fmax(alpha + 2.0 * c_g, pow(sqrt(alpha) + 2.0 * c_h, 2.0)), 0.0051 * told / 2.0); /* 3 digits */
    declare(&few, sqrt(2.0));
    trial_end(&run);
}

static void test_gauss(void)
{
    check_gauss_level("goe", 1e-3);
    check_gauss_level("goe", 1.7);
    check_gauss_level("paper", 1.7);
    small.problem.start[0] = 1.5, small.problem.start[1] = 1.3;
    check_gauss("alpha=0.1 steps=40 stride=3 eta=0.2 selection=gauss", false, true);
    check_gauss("alpha=0.1 steps=40 stride=3 eta=0.2 selection=gauss hessian_noise=paper", true, true);
    check_gauss("alpha=0.001 steps=40 stride=3 eta=0.001 selection=gauss", false, false);
    memset(small.problem.start, 0, D * sizeof(double));
}

/* --- what does not fit ------------------------------------------------------------------------------------------- */

static void test_fits(void)
{
    static const char *const names[] = { "dp_tr", "dp_str", "dp_gd_sosp", "trust_region" };
    for (size_t k = 0; k < 4; k++) {
        const sp_algorithm *a = sp_algorithm_find(names[k]);
        const bool exact = a->non_private_only;
        sp_constants c = few.problem.declared;
        CHECK(!a->fits(&c));
        c.d = 201;
        CHECK_CONTAINS(a->fits(&c), "d > 200: Hessians are dense");
        c = few.problem.declared, c.rho_hessian = INFINITY;
        CHECK_CONTAINS(a->fits(&c), "Lipschitz constant of the Hessian");
        c.rho_hessian = 0.0;
        CHECK_CONTAINS(a->fits(&c), "Lipschitz constant of the Hessian");
        c = few.problem.declared, c.gap = INFINITY;
        CHECK_CONTAINS(a->fits(&c), "gap");
        c = few.problem.declared, c.gap = 0.0;
        CHECK_CONTAINS(a->fits(&c), "gap");
        c = few.problem.declared, c.beta = INFINITY;
        CHECK_CONTAINS(a->fits(&c), "not smooth");
        c = few.problem.declared, c.L_data = INFINITY;
        CHECK_EQUAL(a->fits(&c) == NULL, exact); /* without noise nothing has to be bounded */
        CHECK(exact || strstr(a->fits(&c), "L_data"));
        c = few.problem.declared, c.hessian_frobenius = INFINITY;
        CHECK_EQUAL(a->fits(&c) == NULL, exact);
        CHECK(exact || strstr(a->fits(&c), "hessian_frobenius"));
    }
    trial_run run = start("trust_region", "", &small, trial_private(1.0, 1e-6), 0);
    CHECK(run.status == SP_EPRIVACY && run.cost.releases == 0);
    trial_end(&run);
    run = start("dp_str", "batch=61", &small, trial_private(1.0, 1e-6), 0);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "batch = 61 is more than the 60 records");
    trial_end(&run);
    run = start("dp_str", "batch_h=61", &small, trial_private(1.0, 1e-6), 0);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "batch_h = 61 is more than the 60 records");
    trial_end(&run);
}

int main(void)
{
    if (trial_make("pseudo_huber", 10000, 10, INFINITY, false, &few)
        && trial_make("pseudo_huber", 100000, 10, INFINITY, false, &many)
        && trial_make("cos_saddle", N, D, INFINITY, false, &small)) {
        declare(&few, sqrt(2.0));
        declare(&many, sqrt(2.0));
        test_schedule();
        test_subsets();
        test_ledger();
        test_paper();
        test_steps();
        test_path();
        test_bowl();
        test_theorem();
        test_gd_schedule();
        test_gd_ledger();
        test_gd_path();
        test_gauss();
        test_fits();
    }
    trial_drop(&few);
    trial_drop(&many);
    trial_drop(&small);
    return sp_check_done();
}
