/* unit/spider_sosp.c -- schedules, sensitivities, ledgers, escapes, the private choice and what happens at its caps.
 *
 * Schedules: an independent Python computation from the formulas in the algorithm's head at n = 1e5, d = 10, epsilon =
 * 1, delta = 1e-8, every constant 1 but hf = sqrt 2; mu = 0.196066560213954, rho_z = 0.0172053180394. Others on
 * cos_saddle, whose start 0 is a saddle of curvature -1/2 along the first axis. */
#include "core/audit/audit_internal.h"
#include "tests/trial.h"

#include "core/numeric/eigen.h"

#include <gsl/gsl_cblas.h>

enum { D = 3, N = 60, PATH = 600 };
static const double rho_z = 0.0172053180394;
static trial_problem reference, saddle; /* saddle: N records of D dimensions */
static sp_workspace *scratch;           /* of saddle */

static const char *const modes[] = { "erm", "population" }, *const escapes[] = { "kick", "psgd", "hessian" };
static const char *const selections[] = { "em", "svt", "none" }, *const refreshes[] = { "", " refresh=true" };

static const sp_algorithm *named(void)
{
    return sp_algorithm_find("spider_sosp");
}

typedef struct path {
    double w[PATH + 1][D];
} path;

static void record(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    if (p && step <= PATH)
        memcpy(p->w[step], w, D * sizeof *w);
}

static trial_run go(const char *settings, const trial_problem *t, sp_privacy privacy, uint64_t seed, path *p)
{
    trial_run run = { .seed = seed, .watch = record, .context = p };
    const sp_values values = trial_values(named(), settings);
    if (p)
        memcpy(p->w[0], t->problem.start, D * sizeof *p->w[0]);
    trial_go(named(), &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s: %s", settings, run.message);
    return run;
}

/* --- the schedule ------------------------------------------------------------------------------------------------ */

static void test_schedule(void)
{
    static const struct {
        const char *settings;
        double gap, g, steps, gradients, drift, extra;
        const char *key; /* of `extra` */
    } rows[] = {
        { "", 1.0, 0.0611166673448, 1071, 65, 0.0625, 30, "pause" },
        { "refresh=true", 1.0, 0.0667037345965, 899, 96, 0.0625, 29, "pause" },
        { "escape=psgd", 1.0, 0.25, 46984, 9897, 0.0078125, 12, "rounds" }, /* not below the level at the start */
        { "escape=psgd iota=1", 1.0, 0.101334859774, 1728, 455, 0.03125, 12, "rounds" },
        { "escape=psgd iota=1 eta_rule=smooth", 1.0, 0.101334859774, 1134, 437, 0.0625, 12, "rounds" },
        { "escape=psgd rounds_fresh=false", 1.0, 0.053656385327, 3263, 61, 0.03125, 12, "rounds" },
        { "escape=psgd rounds_fresh=false eta_rule=smooth", 1.0, 0.0533380747063, 1526, 65, 0.0625, 12, "rounds" },
        { "escape=hessian", 1.0, 0.0587636268193, 81, 81, 4.0 / 1099511627776.0, 81, "hessians" },
        { "escape=hessian selection=em", 1.0, 0.0667427150534, 67, 67, 4.0 / 1099511627776.0, 67, "hessians" },
        { "mode=population", 1.0, 0.25, 64, 17, 0.25, 12, "pause" }, /* not below the level at the start */
        { "", 0.02, 0.0161308192543, 308, 5, 0.02, 38, "pause" },
        { "escape=psgd", 0.02, 0.11512925467, 6129, 635, 0.0025, 12, "rounds" },
        { "escape=psgd eta_rule=smooth", 0.02, 0.115018018538, 4291, 629, 0.005, 12, "rounds" },
        { "escape=psgd rounds_fresh=false", 0.02, 0.0151106538737, 2350, 9, 0.0025, 12, "rounds" },
        { "escape=psgd rounds_fresh=false eta_rule=smooth", 0.02, 0.0150755672289, 580, 9, 0.01, 12, "rounds" },
        { "escape=hessian", 0.02, 0.0187337014797, 15, 9, 0.01, 9, "hessians" },
        { "mode=population", 0.02, 0.248690718988, 2, 2, 0.08 / 1099511627776.0, 5, "pause" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trial_run run = { .seed = 3, .fail_at = 1 };
        const sp_values values = trial_values(named(), rows[i].settings);
        reference.problem.declared.gap = rows[i].gap;
        trial_go(named(), &values, &reference, trial_private(1.0, 1e-8), &run);
        CHECK_EQUAL(run.status, SP_EINTERRUPTED);
        SP_CHECK_REPORT(fabs(trial_resolved(&run, "accuracy") / rows[i].g - 1.0) <= 1e-7, "%s: g = %.12g",
                        rows[i].settings, trial_resolved(&run, "accuracy"));
        CHECK_EQUAL(trial_resolved(&run, "steps"), rows[i].steps);
        CHECK_EQUAL(trial_resolved(&run, "gradients"), rows[i].gradients);
        CHECK_NEAR(trial_resolved(&run, "drift"), rows[i].drift, 1e-15);
        CHECK_EQUAL(trial_resolved(&run, rows[i].key), rows[i].extra);
        const bool paper = strstr(rows[i].settings, "psgd") && !strstr(rows[i].settings, "smooth");
        const double eta = paper ? fmin(1.0, sqrt(4.0 * rows[i].g)) : 1.0; /* sqrt(rho_H alpha) / beta^2, or 1 / beta */
        CHECK_NEAR(trial_resolved(&run, "eta"), eta, 1e-7);
        trial_end(&run);
    }
}

/* Without a budget, g follows from the steps; a given accuracy is never corrected. */
static void test_parameters(void)
{
    const sp_constants *c = &saddle.problem.declared;
    trial_run run = go("steps=200", &saddle, trial_not_private(), 1, NULL);
    CHECK_NEAR(trial_resolved(&run, "accuracy"), sqrt(4.0 * c->beta * c->gap / 200.0), 1e-12);
    CHECK_TEXT(run.warning, "");
    trial_end(&run);
    run = go("accuracy=0.07", &saddle, trial_private(1.0, 1e-6), 1, NULL);
    CHECK_EQUAL(trial_resolved(&run, "steps"), ceil(4.0 * c->beta * c->gap / 0.0049));
    CHECK_CONTAINS(run.warning, "vacuous");
    trial_end(&run);
    run = go("accuracy=0.07 scale=0.3 eta=0.1", &saddle, trial_not_private(), 1, NULL);
    CHECK_EQUAL(trial_resolved(&run, "steps"), ceil(1.2 * c->beta * c->gap / 0.0049));
    CHECK_NEAR(trial_resolved(&run, "eta"), 0.1, 0.0);
    trial_end(&run);
    /* hessian: where ordinary steps lower F the least, and where jumps do */
    for (double updates = 25.0; updates < 1e5; updates *= 1000.0) {
        const double each = c->gap / updates; /* of F */
        run = go(updates < 1e3 ? "escape=hessian steps=76 scale=3" : "escape=hessian steps=75001 scale=3", &saddle,
                 trial_not_private(), 1, NULL);
        const double steps = sqrt(c->beta * each / 3.9);
        const double jumps = pow(120.0 / 13.0 * each * sqrt(c->rho_hessian), 2.0 / 3.0) / 4.0;
        CHECK_NEAR(trial_resolved(&run, "accuracy"), fmax(steps, jumps), 1e-12);
        CHECK_EQUAL(steps > jumps, updates > 1e3);
        trial_end(&run);
    }
    static const double accuracies[] = { 0.002, 0.1 };
    for (size_t i = 0; i < 2; i++) {
        const double g = accuracies[i], jump = 13.0 / 120.0 * pow(4.0 * g, 1.5) / sqrt(c->rho_hessian);
        const double step = 3.9 * g * g / c->beta, way = 13.0 / 30.0 * c->beta * 0.003;
        run = go(i == 0 ? "escape=hessian accuracy=0.002 drift=0.003" : "escape=hessian accuracy=0.1 drift=0.003",
                 &saddle, trial_not_private(), 1, NULL);
        CHECK_EQUAL(trial_resolved(&run, "steps"), 1.0 + floor(c->gap / fmin(step, jump)));
        CHECK_EQUAL(trial_resolved(&run, "gradients"), fmin(1.0 + floor(c->gap / fmin(way, jump)),
                                                            trial_resolved(&run, "steps")));
        CHECK_EQUAL(trial_resolved(&run, "hessians"), 1.0 + floor(c->gap / jump));
        CHECK_EQUAL(step < jump, i == 0);
        trial_end(&run);
    }
    run = (trial_run){ .seed = 1 };
    const sp_values none = trial_values(named(), ""), tiny = trial_values(named(), "accuracy=1e-9");
    trial_go(named(), &none, &saddle, trial_not_private(), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "accuracy or steps");
    trial_end(&run);
    trial_go(named(), &tiny, &saddle, trial_private(1.0, 1e-6), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "1e-09 takes");
    const sp_values huge = trial_values(named(), "accuracy=1e300");
    trial_end(&run);
    trial_go(named(), &huge, &saddle, trial_private(1.0, 1e-6), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "accuracy = 1e+300 takes 0 steps");
    trial_end(&run);
}

/* --- releases ---------------------------------------------------------------------------------------------------- */

static double distance(const double *v, const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < D; j++)
        sum += (v[j] - w[j]) * (v[j] - w[j]);
    return sqrt(sum);
}

/* Each call's sensitivity and noise against the definition; a gradient exactly where the drift asks for one. */
static void test_releases(void)
{
    const sp_constants *c = &saddle.problem.declared;
    const double rho_star = pow(0.196066560213954, 2.0) / 2.0, drift = 0.37;
    const sp_values values = trial_values(named(), "escape=hessian selection=em accuracy=0.1 drift=0.37 steps=40 "
                                                   "gradients=17 hessians=30 eta=0.3");
    sp_method method = { named(), values };
    sp_transcript *transcript = sp_transcript_new();
    sp_run_record books = { 0 };
    const sp_trial trial = { &method, &saddle.problem, trial_private(1.0, 1e-8), 2, transcript };
    sp_error error = { 0 };
    const double r2 = 0.4 / c->rho_hessian; /* of a jump: less than the drift, and yet a new gradient follows */
    double since = INFINITY, previous[D] = { 0.0 }, multiplier[3] = { 0.0 };
    size_t calls[3] = { 0 }, jumps = 0;
    sp_transcript_record(transcript);
    CHECK(sp_trial_run(&trial, &books, &error) == SP_OK);
    CHECK_EQUAL(books.status, SP_OK);
    for (size_t i = 0; i + 1 < sp_transcript_count(transcript); i++) {
        const sp_event *event = sp_transcript_at(transcript, i);
        const double *w = event->point[0];
        const size_t kind = strcmp(event->primitive, "hessian") == 0 ? 2 : event->points - 1;
        const double way = kind == 1 ? distance(w, event->point[1]) : 0.0;
        const double sensitivity = kind == 0 ? 2.0 * c->L_data
                                   : kind == 1 ? 2.0 * fmin(c->beta_data * way, 2.0 * c->L_data) : c->hessian_frobenius;
        CHECK_NEAR(event->sensitivity, sensitivity / N, 1e-15);
        if (event->sensitivity > 0.0) {
            const double ratio = event->noise_std / event->sensitivity;
            CHECK(multiplier[kind] == 0.0 || fabs(ratio / multiplier[kind] - 1.0) <= 1e-12);
            multiplier[kind] = ratio;
        }
        calls[kind]++;
        if (kind == 2)
            continue; /* at the same point */
        since += distance(w, previous) * distance(w, previous);
        const bool jumped = i > 0 && strcmp(sp_transcript_at(transcript, i - 1)->primitive, "hessian") == 0;
        CHECK_EQUAL(kind == 0, since >= drift || jumped);
        since = kind == 0 ? 0.0 : since;
        jumps += jumped;
        memcpy(previous, w, sizeof previous);
    }
    SP_CHECK_REPORT(calls[0] > 2 && calls[1] > 2 && jumps > 0, "%zu gradients, %zu differences, %zu jumps", calls[0],
                    calls[1], jumps);
    const sp_event *choice = sp_transcript_at(transcript, sp_transcript_count(transcript) - 1);
    CHECK(r2 < drift);
    CHECK_TEXT(choice->primitive, "choose");
    CHECK_NEAR(choice->sensitivity, 2.0 / N * fmax(2.0 * c->L_data / 0.4,
                                                   c->hessian_frobenius / sqrt(c->rho_hessian * 0.4)), 1e-12);
    CHECK_NEAR(choice->noise_std, choice->sensitivity / sqrt(8.0 * 0.3 * rho_z), 1e-9);
    /* shares: 1/3 of the releases' for Hessians, halves of the rest; counts as announced */
    CHECK_NEAR(multiplier[1] / multiplier[0], sqrt(40.0 / 17.0), 1e-9);
    CHECK_NEAR(multiplier[2] / multiplier[0], sqrt(30.0 / 17.0), 1e-9);
    CHECK_LESS_EQUAL(multiplier[0], sqrt(17.0 * 3.0 / (2.0 * 0.7 * rho_z)) * (1.0 + 1e-9));
    CHECK_LESS_EQUAL(sqrt(17.0 * 3.0 / (2.0 * rho_star)), multiplier[0]);
    sp_run_record_free(&books);
    sp_transcript_free(transcript);
}

/* Fresh records, the whole budget for each; the choice on the other half. */
static void test_population(void)
{
    trial_problem many;
    if (!trial_make("cos_saddle", 6000, D, INFINITY, false, &many))
        return;
    const sp_values values = trial_values(named(), "mode=population accuracy=0.3 escape=hessian selection=em steps=20 "
                                                   "gradients=8 hessians=5");
    sp_method method = { named(), values };
    sp_transcript *transcript = sp_transcript_new();
    sp_run_record books = { 0 };
    const sp_trial trial = { &method, &many.problem, trial_private(1.0, 1e-8), 5, transcript };
    sp_error error = { 0 };
    unsigned char used[6000] = { 0 };
    sp_transcript_record(transcript);
    CHECK(sp_trial_run(&trial, &books, &error) == SP_OK);
    CHECK_EQUAL(books.status, SP_OK);
    for (size_t i = 0; i < sp_transcript_count(transcript); i++) {
        const sp_event *event = sp_transcript_at(transcript, i);
        const bool hessian = strcmp(event->primitive, "hessian") == 0, choice = strcmp(event->primitive, "choose") == 0;
        CHECK_EQUAL(event->count, choice ? 3000 : hessian ? 200 : event->points == 1 ? 125 : 50); /* 1000 a group */
        for (size_t k = 0; event->rows && k < event->count; k++)
            CHECK_EQUAL(used[event->rows[k]]++, 0);
        CHECK(event->rows);
        if (choice)
            CHECK_NEAR(event->noise_std, event->sensitivity, 1e-12); /* epsilon_s = epsilon = 1 */
    }
    for (size_t e = 0; e < books.ledger.count; e++) {
        const sp_entry *entry = &books.ledger.entry[e];
        CHECK(entry->pool > 0);
        CHECK_EQUAL(entry->count, 1);
        if (entry->kind == SP_LEDGER_GAUSS)
            CHECK_NEAR(entry->noise_multiplier, 1.0 / 0.196066560213954, 1e-5);
        else
            CHECK_NEAR(entry->epsilon, 1.0, 1e-12);
    }
    sp_run_record_free(&books);
    sp_transcript_free(transcript);

    /* more releases than records: it stops when they run out, and says so */
    trial_run run = go("mode=population steps=50 gradients=40", &saddle, trial_private(1.0, 1e-6), 3, NULL);
    CHECK_CONTAINS(run.warning, "stopped after");
    CHECK_LESS_EQUAL(run.cost.gradients + run.cost.differences, N / 2 + 30.0 * 31.0);
    trial_end(&run);
    trial_drop(&many);
}

/* Every combination: within the budget, and a replay on a neighbour finds nothing. */
static void test_every_mode(void)
{
    static const sp_fixture fixtures[] = {
        { "opposite", NULL, 20, 3, 0.3, SP_PROBE_ZERO, SP_PROBE_FULL, -SP_PROBE_FULL, 3 },
        { "curved", NULL, 20, 1, 0.7, SP_PROBE_ZERO, SP_PROBE_CURVED, -SP_PROBE_CURVED, 5 },
    };
    sp_transcript *transcript[SP_SIDES] = { NULL };
    for (size_t i = 0; i < SP_SIDES; i++)
        transcript[i] = sp_transcript_new();
    for (size_t i = 0; i < 36; i++) {
        char settings[128];
        sp_error error = { 0 };
        const char *mode = modes[i % 2], *escape = escapes[i / 2 % 3], *selection = selections[i / 6 % 3];
        snprintf(settings, sizeof settings, "mode=%s escape=%s selection=%s accuracy=0.8 steps=30%s", mode, escape,
                 selection, refreshes[i / 18]);
        for (size_t e = 0; e < 3; e++) {
            const double epsilon[] = { 0.3, 1.37, 8.0 };
            trial_run run = go(settings, &saddle, trial_private(epsilon[e], 1e-6), 31 + i, NULL);
            CHECK(run.settled == SP_OK);
            CHECK_LESS_EQUAL(run.spent.best, epsilon[e] * (1.0 + 1e-9));
            CHECK(run.spent.best > 0.0);
            trial_end(&run);
        }
        for (size_t f = 0; f < 2; f++) {
            sp_neighbourhood h = { 0 };
            sp_audit_setting setting = { .method = { named(), trial_values(named(), settings) } };
            const sp_audit_case c = { &fixtures[f], &h, &setting, trial_private(4.0, 1e-5), transcript, NULL };
            sp_replays done = { 0 };
            sp_text finding = { 0 };
            CHECK(sp_neighbourhood_make(&fixtures[f], &h, &error) == SP_OK);
            CHECK(sp_audit_replay(&c, 7 + i, &done, &finding, &error) == SP_OK);
            SP_CHECK_REPORT(finding.length == 0, "%s: %s", settings, finding.data);
            CHECK(done.calls > 0);
            sp_text_free(&finding);
            sp_neighbourhood_free(&h);
        }
    }
    for (size_t i = 0; i < SP_SIDES; i++)
        sp_transcript_free(transcript[i]);
}

/* --- escapes ----------------------------------------------------------------------------------------------------- */

/* At the saddle the exact gradient is 0: the first step is the kick alone, then one every `pause` steps. */
static void test_kick(void)
{
    const double eta = 1.0 / saddle.problem.declared.beta, g = 0.3;
    double sum = 0.0, gradient[D];
    path p;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        trial_run run = go("accuracy=0.3 steps=1 selection=none", &saddle, trial_noise_off(1.0, 1e-6), seed, &p);
        for (size_t j = 0; j < D; j++)
            sum += p.w[1][j] * p.w[1][j];
        CHECK_EQUAL(trial_resolved(&run, "passed"), 0.0);
        CHECK_CONTAINS(run.warning, "uncertified");
        trial_end(&run);
    }
    const double expected = eta * eta * g * g / (D * log(D / 0.1)); /* a coordinate's variance, chi^2 of 1200 */
    CHECK_NEAR(sum / (400.0 * D) / expected, 1.0, 5.0 * sqrt(2.0 / 1200.0));

    trial_run run = go("accuracy=1 pause=4 steps=13 selection=none", &saddle, trial_noise_off(1.0, 1e-6), 3, &p);
    for (size_t t = 0; t < 13; t++) {
        double off = 0.0;
        sp_problem_gradient(&saddle.problem, scratch, p.w[t], gradient);
        for (size_t j = 0; j < D; j++)
            off = fmax(off, fabs(p.w[t + 1][j] - p.w[t][j] + eta * gradient[j]));
        CHECK_EQUAL(off > 1e-3, t % 4 == 0);
        CHECK(off > 1e-3 || off < 1e-12);
    }
    trial_end(&run);
}

/* Every step is the step of the estimate plus eta times an error: of size `adversary` g at most, on the first axis, the
 * one that comes closest to the start. At a quarter of g no kick ever leaves this saddle, a jump does. */
static void test_adversary(void)
{
    const double eta = 1.0 / saddle.problem.declared.beta, g = 0.02, most = 0.25 * g;
    double gradient[D], kicks = 0.0;
    path p;
    trial_run run = go("accuracy=0.02 steps=500 selection=none adversary=0.25", &saddle, trial_noise_off(1.0, 1e-6), 3,
                       &p);
    const size_t pause = (size_t)trial_resolved(&run, "pause");
    for (size_t t = 0; t < 500; t++) {
        if (t % pause == 0) { /* with the coins in it */
            kicks += fabs(p.w[t + 1][1]) > 1e-6;
            continue;
        }
        sp_problem_gradient(&saddle.problem, scratch, p.w[t], gradient);
        const double error = fmax(-most, fmin(most, p.w[t][0] / eta - gradient[0]));
        CHECK_NEAR(p.w[t + 1][0], p.w[t][0] - eta * (gradient[0] + error), 1e-12);
        for (size_t j = 1; j < D; j++)
            CHECK_NEAR(p.w[t + 1][j], p.w[t][j] - eta * gradient[j], 1e-12);
    }
    CHECK(kicks > 5.0);
    CHECK_LESS_EQUAL(fabs(run.w[0]), g);
    trial_end(&run);
    run = go("accuracy=0.02 steps=500 selection=none", &saddle, trial_noise_off(1.0, 1e-6), 3, &p);
    CHECK_NEAR(fabs(run.w[0]), M_PI, 0.1);
    trial_end(&run);
    run = go("accuracy=0.02 steps=500 escape=hessian adversary=0.25", &saddle, trial_noise_off(1.0, 1e-6), 3, &p);
    CHECK_NEAR(fabs(run.w[0]), M_PI, 0.2);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 1.0);
    CHECK(isnan(trial_resolved(&run, "bound"))); /* nothing is promised against an adversary */
    trial_end(&run);
}

/* With errors within the theorem's, a jump lowers F by 0.108 alpha^(3/2) / sqrt(rho_H); the answer is an alpha-SOSP. */
static void test_hessian_escape(void)
{
    const sp_constants *c = &saddle.problem.declared;
    const double alpha = 0.2, r = sqrt(alpha / c->rho_hessian), size = saddle.problem.number[1];
    double gradient[D], H[D * D], smallest = NAN;
    size_t jumps = 0, steps = 0;
    path p;
    saddle.problem.number[1] = 1.02 * 0.85 * sqrt(c->rho_hessian * alpha); /* hardly a saddle at this level */
    for (uint64_t seed = 1; seed <= 40; seed++) {
        trial_run run = go("escape=hessian accuracy=0.05", &saddle, trial_private(3000.0, 1e-6), seed, &p);
        CHECK_TEXT(run.warning, ""); /* the errors are within */
        CHECK_EQUAL(trial_resolved(&run, "passed"), 1.0);
        CHECK_NEAR(trial_resolved(&run, "bound"), alpha, 1e-12);
        for (size_t t = 0; t + 1 < run.checkpoints; t++) {
            const double way = distance(p.w[t + 1], p.w[t]);
            const double fall = sp_problem_value(&saddle.problem, scratch, p.w[t]) -
                                sp_problem_value(&saddle.problem, scratch, p.w[t + 1]);
            const bool jump = fabs(way - r) <= 1e-9;
            jumps += jump;
            steps += !jump;
            if (t + 2 < run.checkpoints) /* the last one is of the answer */
                CHECK_LESS_EQUAL(jump ? 0.1083 * pow(alpha, 1.5) / sqrt(c->rho_hessian)
                                      : 13.0 / 30.0 * c->beta * way * way, fall);
            CHECK(jump || t + 2 >= run.checkpoints || c->beta * way > 3.0 * 0.05);
        }
        CHECK_LESS_EQUAL((double)run.last_step, trial_resolved(&run, "steps"));
        sp_problem_gradient(&saddle.problem, scratch, run.w, gradient);
        sp_problem_hessian(&saddle.problem, scratch, run.w, H);
        CHECK(sp_eigen_smallest(D, H, &smallest, NULL) == SP_OK);
        CHECK_LESS_EQUAL(cblas_dnrm2(D, gradient, 1), 3.2 * 0.05);
        CHECK_LESS_EQUAL(-smallest, sqrt(c->rho_hessian * alpha));
        trial_end(&run);
    }
    CHECK(jumps >= 40); /* every run starts at the saddle */
    CHECK(steps > 100);
    saddle.problem.number[1] = size;

    /* downhill by v: on the slope of the saddle the jump goes on outwards */
    saddle.problem.start[0] = -0.1;
    trial_run run = go("escape=hessian accuracy=0.05 steps=1", &saddle, trial_noise_off(1.0, 1e-6), 3, &p);
    CHECK_NEAR(p.w[1][0], -0.1 - r, 1e-6); /* to the eigenvector's last digits */
    trial_end(&run);
    saddle.problem.start[0] = 0.0;
    /* sign(0) = +1: one of the two ways */
    run = go("escape=hessian accuracy=0.05 steps=1", &saddle, trial_noise_off(1.0, 1e-6), 3, &p);
    CHECK_NEAR(fabs(p.w[1][0]), r, 1e-6);
    trial_end(&run);
}

/* From the steps, and from a given eta; an eta of the paper is at most 1 / beta. */
static void test_psgd_parameters(void)
{
    const sp_constants *c = &saddle.problem.declared;
    const double g = pow(2.0 * c->beta * c->beta * c->gap / (sqrt(c->rho_hessian) * 4e4), 0.4), alpha = 4.0 * g;
    trial_run run = go("escape=psgd steps=40000", &saddle, trial_not_private(), 1, NULL);
    CHECK(sqrt(c->rho_hessian * alpha) < c->beta);
    CHECK_NEAR(trial_resolved(&run, "accuracy"), g, 1e-12);
    CHECK_NEAR(trial_resolved(&run, "eta"), sqrt(c->rho_hessian * alpha) / (c->beta * c->beta), 1e-12);
    CHECK_NEAR(4.0 * c->gap / (trial_resolved(&run, "eta") * g * g), 4e4, 1e-6); /* steps, but for the rounds */
    trial_end(&run);
    run = go("escape=psgd accuracy=3 rounds=2 iota=1", &saddle, trial_not_private(), 1, NULL);
    CHECK(sqrt(c->rho_hessian * 12.0) > c->beta);
    CHECK_NEAR(trial_resolved(&run, "eta"), 1.0 / c->beta, 1e-15);
    trial_end(&run);
    run = go("escape=psgd accuracy=0.07 iota=1.3 rounds=7 eta=0.21 drift=0.003 scale=3", &saddle, trial_not_private(),
             1, NULL);
    const double q = ceil(1.3 / (0.21 * sqrt(c->rho_hessian * 0.28)));
    const double sets = 1.0 + floor(c->gap * 8.0 * pow(1.3, 3.0) * sqrt(c->rho_hessian) / pow(0.28, 1.5));
    CHECK(sets > 5.0);
    CHECK_EQUAL(trial_resolved(&run, "steps"), ceil(12.0 * c->gap / (0.21 * 0.0049)) + 7.0 * sets * q);
    CHECK_EQUAL(trial_resolved(&run, "gradients"), 1.0 + ceil(4.0 * 0.21 * c->gap / 0.003) + 7.0 * sets);
    trial_end(&run);
}

/* Each round begins at one point with a gradient of its own, the first one too, and what noise it has; another answer
 * than the last estimate's is not waited for. Where gradients run out, the run stops and nothing has passed. */
static void test_psgd_fresh(void)
{
    enum { ROUNDS = 4 };
    path p;
    const char *settings = "escape=psgd eta_rule=smooth accuracy=0.25 iota=1 rounds=4 steps=60 gradients=50 drift=1e6";
    trial_run run = go(settings, &saddle, trial_private(50.0, 1e-6), 3, &p);
    const size_t q = (size_t)ceil(saddle.problem.declared.beta / sqrt(saddle.problem.declared.rho_hessian));
    CHECK(q >= 2);
    CHECK_EQUAL(run.checkpoints, ROUNDS * q);
    for (size_t k = 0; k < ROUNDS; k++) {
        CHECK(memcmp(p.w[k * q], p.w[0], sizeof p.w[0]) == 0);
        for (size_t j = 0; j < k; j++)
            CHECK(memcmp(p.w[k * q + 1], p.w[j * q + 1], sizeof p.w[1]) != 0);
    }
    CHECK(memcmp(run.w, p.w[0], sizeof p.w[0]) == 0);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 1.0);
    CHECK_CONTAINS(run.warning, "no proof");
    CHECK_EQUAL(run.cost.gradients, (1 + ROUNDS) * N); /* the first one says that rounds are due */
    trial_end(&run);

    const char *few = "escape=psgd eta_rule=smooth accuracy=0.25 iota=1 rounds=4 steps=60 gradients=3 drift=1e6";
    run = go(few, &saddle, trial_private(50.0, 1e-6), 3, &p);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 0.0);
    CHECK_EQUAL(run.cost.gradients, 3 * N);
    CHECK_CONTAINS(run.warning, "3 of 3 gradients");
    trial_end(&run);

    /* the adversary's error is in a round's new gradient as well: of the first step nothing is left along its axis */
    saddle.problem.start[0] = saddle.problem.start[1] = 0.03;
    run = go("escape=psgd eta_rule=smooth accuracy=0.25 rounds=1 steps=500 adversary=1", &saddle,
             trial_noise_off(1.0, 1e-6), 3, &p);
    double gradient[D];
    sp_problem_gradient(&saddle.problem, scratch, p.w[0], gradient);
    CHECK(fabs(gradient[0]) > 1e-4 && fabs(gradient[0]) < 0.25);
    CHECK_NEAR(p.w[1][0], p.w[0][0], 1e-15);
    CHECK_NEAR(p.w[1][1], p.w[0][1] - gradient[1] / saddle.problem.declared.beta, 1e-12);
    CHECK(run.cost.gradients >= 2 * N);
    trial_end(&run);
    saddle.problem.start[0] = saddle.problem.start[1] = 0.0;
}

/* rounds_fresh = false: rounds that stay near begin again at the same point with the same estimate and end there; other
 * ones go on. */
static void test_psgd_escape(void)
{
    enum { ROUNDS = 4 };
    path p;
    const double privacy = 50.0;
    const char *settings = "escape=psgd eta_rule=smooth rounds_fresh=false accuracy=0.25 iota=1 rounds=4 steps=60 "
                           "gradients=5 drift=1e6";
    trial_run run = go(settings, &saddle, trial_private(privacy, 1e-6), 3, &p);
    const size_t q = (size_t)ceil(saddle.problem.declared.beta / sqrt(saddle.problem.declared.rho_hessian));
    CHECK(q >= 2);
    CHECK_EQUAL(run.checkpoints, ROUNDS * q); /* the last step of all is undone unseen, then the answer's checkpoint */
    for (size_t k = 0; k < ROUNDS; k++) {
        CHECK(memcmp(p.w[k * q], p.w[0], sizeof p.w[0]) == 0);
        CHECK(memcmp(p.w[k * q + 1], p.w[1], sizeof p.w[1]) == 0);
        CHECK(k == 0 || q < 3 || memcmp(p.w[k * q + 2], p.w[2], sizeof p.w[2]) != 0);
    }
    CHECK(memcmp(run.w, p.w[0], sizeof p.w[0]) == 0);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 1.0);
    CHECK_CONTAINS(run.warning, "no proof"); /* a saddle has passed */
    CHECK_EQUAL(run.cost.gradients, N);
    trial_end(&run);
    /* the drift begins again as well: that of all rounds together would ask for a gradient */
    double longest = 0.0, whole = 0.0;
    for (size_t k = 0; k < ROUNDS; k++) {
        double sum = 0.0;
        for (size_t t = k * q; t + 1 < (k + 1) * q; t++) /* a round's last step is undone */
            sum += distance(p.w[t + 1], p.w[t]) * distance(p.w[t + 1], p.w[t]);
        longest = fmax(longest, sum);
        whole += sum;
    }
    char drifting[200];
    snprintf(drifting, sizeof drifting, "escape=psgd eta_rule=smooth rounds_fresh=false accuracy=0.25 iota=1 rounds=4 "
             "steps=60 gradients=5 drift=%.17g", 1.01 * longest);
    CHECK(whole > 1.5 * longest);
    run = go(drifting, &saddle, trial_private(privacy, 1e-6), 3, &p);
    CHECK_EQUAL(run.cost.gradients, N);
    trial_end(&run);

    saddle.problem.start[0] = 0.05; /* 1.45^t of it: away within a round of 30 steps, down to a minimum */
    run = go("escape=psgd eta_rule=smooth accuracy=0.02 iota=8 rounds=2 steps=500", &saddle, trial_noise_off(1.0, 1e-6),
             3, &p);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 1.0);
    CHECK_NEAR(fabs(run.w[0]), M_PI, 0.2);
    CHECK_LESS_EQUAL(trial_gradient_norm(&saddle, run.w), 3.0 * 0.02 + 1e-12);
    trial_end(&run);
    saddle.problem.start[0] = 0.0;
}

/* --- the choice -------------------------------------------------------------------------------------------------- */

static double score(const double *w, double alpha)
{
    double gradient[D], H[D * D], smallest = NAN;
    sp_problem_gradient(&saddle.problem, scratch, w, gradient);
    sp_problem_hessian(&saddle.problem, scratch, w, H);
    CHECK(sp_eigen_smallest(D, H, &smallest, NULL) == SP_OK);
    return fmax(cblas_dnrm2(D, gradient, 1) / alpha,
                -smallest / sqrt(saddle.problem.declared.rho_hessian * alpha));
}

/* P(i) ~ exp(-epsilon_s u_i / (2 Du)) among the path's points: the mean score of many choices, the utility bound. */
static void test_selection(void)
{
    enum { RUNS = 300, T = 20 };
    const sp_constants *c = &saddle.problem.declared;
    const double alpha = 0.8, budget = 4.0;
    const double Du = fmax(2.0 * c->L_data / alpha, c->hessian_frobenius / sqrt(c->rho_hessian * alpha)) / N;
    double surplus = 0.0, variance = 0.0, epsilon = NAN;
    size_t beyond = 0;
    path p;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        trial_run run = go("accuracy=0.2 steps=20 selection=em", &saddle, trial_private(budget, 1e-6), seed, &p);
        double u[T], smallest = INFINITY, sum = 0.0, mean = 0.0, square = 0.0;
        for (size_t e = 0; e < run.ledger.count; e++)
            if (run.ledger.entry[e].kind == SP_LEDGER_EM)
                epsilon = run.ledger.entry[e].epsilon;
        for (size_t t = 0; t < T; t++) {
            u[t] = score(p.w[t + 1], alpha);
            smallest = fmin(smallest, u[t]);
        }
        for (size_t t = 0; t < T; t++) {
            const double weight = exp(-epsilon * (u[t] - smallest) / (2.0 * Du));
            sum += weight;
            mean += weight * u[t];
            square += weight * u[t] * u[t];
        }
        mean /= sum;
        const double chosen = score(run.w, alpha);
        surplus += chosen - mean;
        variance += square / sum - mean * mean;
        beyond += chosen > smallest + 2.0 * Du * log(T / 0.1) / epsilon;
        trial_end(&run);
    }
    CHECK_LESS_EQUAL(fabs(surplus), 4.5 * sqrt(variance)); /* false alarm 7e-6 */
    CHECK(variance > 0.0);
    CHECK_LESS_EQUAL((double)beyond, 0.1 * RUNS + 4.5 * sqrt(0.09 * RUNS));
}

/* What the noise of the choice adds to alpha: by Du, K candidates, epsilon_s. */
static void test_bound(void)
{
    const sp_constants *c = &saddle.problem.declared;
    static const struct { const char *settings; double cost; sp_ledger_kind kind; } rows[] = {
        { "escape=hessian accuracy=0.05 zeta=0.2 selection=em", 8.0, SP_LEDGER_EM },
        { "escape=hessian accuracy=0.05 zeta=0.2 selection=svt", 2.0, SP_LEDGER_SVT },
    };
    for (size_t i = 0; i < 2; i++) {
        trial_run run = go(rows[i].settings, &saddle, trial_private(3000.0, 1e-6), 3, NULL);
        const double K = floor(trial_resolved(&run, "steps") / trial_resolved(&run, "stride")) + 1.0;
        const double Du = fmax(2.0 * c->L_data / 0.2, c->hessian_frobenius / sqrt(c->rho_hessian * 0.2)) / N;
        const sp_entry *choice = &run.ledger.entry[run.ledger.count - 1];
        const double em = 2.0 * Du * log(K / 0.2) / choice->epsilon;
        const double svt = 2.0 * 8.0 * Du * (log(K) + log(2.0 / 0.2)) / choice->epsilon;
        CHECK_EQUAL(choice->kind, rows[i].kind);
        CHECK_NEAR(trial_resolved(&run, "bound"), 0.2 * pow(1.0 + (i == 0 ? em : svt), 2.0), 1e-9);
        trial_end(&run);
        run = go(i == 0 ? "steps=4 selection=em" : "steps=4 selection=svt", &reference, trial_private(1.0, 1e-8), 3,
                 NULL);
        CHECK_NEAR(run.ledger.entry[run.ledger.count - 1].epsilon, sqrt(rows[i].cost * 0.3 * rho_z), 1e-9);
        trial_end(&run);
    }
}

static void test_stops(void)
{
    path p;
    /* AboveThreshold without noise: the first at threshold 1, or none */
    saddle.problem.start[0] = 2.0, saddle.problem.start[1] = 1.3;
    trial_run run = go("accuracy=0.05 steps=30 selection=svt eta=0.3", &saddle, trial_not_private(), 3, &p);
    size_t first = 1;
    while (first < 30 && score(p.w[first], 0.2) > 1.0)
        first++;
    CHECK(first > 1 && first < 30);
    CHECK(memcmp(run.w, p.w[first], sizeof p.w[first]) == 0);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 1.0);
    CHECK_TEXT(run.warning, "");
    trial_end(&run);
    run = go("accuracy=1e-4 steps=5 selection=svt eta=0.3", &saddle, trial_not_private(), 3, &p);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 0.0);
    CHECK_CONTAINS(run.warning, "no candidate passed");
    CHECK(memcmp(run.w, p.w[5], sizeof p.w[5]) == 0); /* the last iterate */
    trial_end(&run);
    /* candidates: every third, and the last */
    run = go("accuracy=1e-4 steps=8 stride=3 eta=0.3", &saddle, trial_not_private(), 3, &p);
    CHECK_EQUAL(run.cost.hessians, 3.0 * N);
    trial_end(&run);
    /* gradients used up: no step is taken on a stale estimate */
    run = go("accuracy=0.05 steps=30 drift=1e-9 gradients=4 eta=0.3", &saddle, trial_not_private(), 3, &p);
    CHECK_CONTAINS(run.warning, "stopped after 4 of 30 steps: 4 of 4 gradients");
    CHECK_EQUAL(run.checkpoints, 5);
    CHECK(isnan(trial_resolved(&run, "passed")));
    trial_end(&run);
    saddle.problem.start[0] = saddle.problem.start[1] = 0.0;
    /* one jump of 0.06, then the slope down to the minimum, which no Hessian is left to certify */
    run = go("escape=hessian accuracy=0.001 steps=200 hessians=1", &saddle, trial_not_private(), 3, &p);
    CHECK_CONTAINS(run.warning, "1 of 1 Hessians");
    CHECK_CONTAINS(run.warning, "uncertified");
    CHECK_EQUAL(trial_resolved(&run, "passed"), 0.0);
    CHECK_NEAR(fabs(run.w[0]), M_PI, 0.01);
    trial_end(&run);
    run = go("escape=hessian accuracy=0.001 steps=200", &saddle, trial_not_private(), 3, &p);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 1.0);
    trial_end(&run);
}

int main(void)
{
    if (trial_make("pseudo_huber", 100000, 10, INFINITY, false, &reference)
        && trial_make("cos_saddle", N, D, INFINITY, false, &saddle)) {
        sp_constants *c = &reference.problem.declared;
        c->L = c->L_data = c->beta = c->beta_data = c->rho_hessian = c->hessian_norm = 1.0;
        c->hessian_frobenius = sqrt(2.0);
        scratch = sp_workspace_new(&saddle.problem);
        test_schedule();
        test_parameters();
        test_releases();
        test_population();
        test_every_mode();
        test_kick();
        test_adversary();
        test_hessian_escape();
        test_psgd_parameters();
        test_psgd_escape();
        test_psgd_fresh();
        test_selection();
        test_bound();
        test_stops();
        sp_workspace_free(scratch);
    }
    trial_drop(&reference);
    trial_drop(&saddle);
    return sp_check_done();
}
