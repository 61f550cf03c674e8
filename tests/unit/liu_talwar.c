/* unit/liu_talwar.c -- adaptive_spider and fixed_spider: schedules, batches, sensitivities, ledgers, escapes, and what
 * happens when the records run out.
 *
 * Schedules: an independent Python computation from the formulas in the heads, at d = 10, epsilon = 1, delta = 1e-8
 * (mu = 0.196066560213954). Batches: by hand, on records that all have f = (w - 1)^2 / 2. */
#include "core/audit/audit_internal.h"
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>

static const double mu = 0.196066560213954;
static trial_problem reference, line; /* line: LINE records of one dimension */
static const char *const names[] = { "adaptive_spider", "fixed_spider" };
enum { LINE = 40 };

static trial_run go(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy, uint64_t seed)
{
    trial_run run = { .seed = seed };
    const sp_algorithm *a = sp_algorithm_find(name);
    const sp_values values = trial_values(a, settings);
    trial_go(a, &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s: %s: %s", name, settings, run.message);
    return run;
}

/* --- the schedule ------------------------------------------------------------------------------------------------ */

static void test_schedule(void)
{
    static const struct {
        size_t method;
        const char *settings;
        double g, kappa, length, batch, rate; /* length: h of a tree, N under square-root noise */
    } rows[] = {
        { 0, "escape=hessian", 0.794694395027, 0.943759015658, 1, 14614, 13792.0942474 },
        { 0, "escape=kick", 1.41421356239, 1.06066017176, 11, 5494, 5826.78610941 },
        { 0, "escape=psgd", 2.18015205905, 0.97301485681, 9, 3510, 3415.28214452 },
        { 1, "escape=hessian", 0.821316815179, 1.29141416829, 1, 14644, 18911.0515953 },
        { 1, "escape=kick", 1.36400361267, 0.777608037054, 9, 6038, 4695.19732278 },
        { 1, "escape=psgd", 3.34126252172, 0.158721466046, 5, 1470, 1174.07891219 },
        { 0, "batch_scale=0.25", 0.506369683617, 1.04731800313, 1, 9632, 10086.8310382 },
        { 0, "selection=em", 0.971157364272, 1.09216097288, 1, 8610, 9403.25776325 }, /* half of the records */
        { 0, "noise=sqrt", 0.794694395027, 0.943759015658, 1, 14614, 13792.0942474 },
        { 0, "noise=sqrt escape=kick", 1.41421356239, 1.06066017176, 8, 5494, 5826.78610941 },
        { 0, "noise=sqrt escape=psgd", 2.16678647154, 0.979016793499, 256, 3554, 3478.87318415 },
        { 1, "noise=sqrt", 0.821316815179, 1.29141416829, 1, 14644, 18911.0515953 },
        { 1, "noise=sqrt escape=kick", 1.3635520303, 0.777865565968, 8, 6042, 4699.86374662 },
        { 1, "noise=sqrt escape=psgd", 2.93201577418, 0.255796713853, 96, 1909, 768.171431444 },
    };
    sp_constants *c = &reference.problem.declared;
    const sp_constants kept = *c;
    c->rho_hessian = 0.02, c->gap = 3.0, c->hessian_norm = c->hessian_frobenius = 0.05;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[64];
        const bool half = strstr(rows[i].settings, "selection") != NULL;
        const bool root = strstr(rows[i].settings, "sqrt") != NULL;
        snprintf(settings, sizeof settings, "%s%s", rows[i].settings, half ? "" : " selection=none");
        trial_run run = go(names[rows[i].method], settings, &reference, trial_private(1.0, 1e-8), 3);
        SP_CHECK_REPORT(fabs(trial_resolved(&run, "accuracy") / rows[i].g - 1.0) <= 1e-7, "%s: g = %.12g", settings,
                        trial_resolved(&run, "accuracy"));
        CHECK_NEAR(trial_resolved(&run, "kappa") / rows[i].kappa, 1.0, 1e-7);
        CHECK_EQUAL(trial_resolved(&run, root ? "segment" : "depth"), rows[i].length);
        CHECK(isnan(trial_resolved(&run, root ? "depth" : "segment")));
        CHECK_NEAR(trial_resolved(&run, "gradient_batch"), rows[i].batch, 1.0); /* rounded up from a bisected g */
        CHECK_NEAR(trial_resolved(&run, "difference_rate") / rows[i].rate, 1.0, 1e-6);
        CHECK(strstr(run.warning, "vacuous") == NULL); /* 50 holds at the start */
        trial_end(&run);
    }
    *c = kept;
}

/* Fewer records than any level below the start's takes: half of that level, batches cut in proportion, and one warning
 * with the numbers; 3.2 is the level with the choice's part, of the g that the records allow. */
static void test_vacuous(void)
{
    trial_run run = go("adaptive_spider", "", &reference, trial_private(1.0, 1e-8), 3);
    CHECK_NEAR(trial_resolved(&run, "accuracy"), 0.125, 1e-12);
    CHECK_NEAR(trial_resolved(&run, "kappa"), 4.0, 1e-12);
    CHECK_EQUAL(trial_resolved(&run, "depth"), 3);
    CHECK_EQUAL(trial_resolved(&run, "gradient_batch"), 1770);
    CHECK_NEAR(trial_resolved(&run, "difference_rate"), 7081.5936893, 1e-3);
    CHECK_CONTAINS(run.warning, "accuracy g = 0.125 takes up to 2.421e+07 records, of which there are 5e+04; these "
                                "allow level 3.2, and 1 holds at the start");
    const char *first = strstr(run.warning, "vacuous");
    CHECK(first && strstr(first + 1, "vacuous") == NULL);
    trial_end(&run);
    run = go("adaptive_spider", "gradient_batch=730", &reference, trial_private(1.0, 1e-8), 3); /* m with b, uncut */
    CHECK_EQUAL(trial_resolved(&run, "gradient_batch"), 730);
    CHECK_NEAR(trial_resolved(&run, "difference_rate"), 730.0 / reference.problem.declared.L_data, 1e-9);
    trial_end(&run);
    run = go("adaptive_spider", "accuracy=0.3", &reference, trial_private(1.0, 1e-8), 3); /* is never corrected */
    CHECK_NEAR(trial_resolved(&run, "accuracy"), 0.3, 0.0);
    CHECK_CONTAINS(run.warning, "vacuous");
    CHECK_CONTAINS(run.warning, "records ran out after 0 of");
    for (size_t j = 0; j < 10; j++)
        CHECK_NEAR(run.w[j], reference.problem.start[j], 0.0);
    trial_end(&run);
    run = go("adaptive_spider", "", &reference, trial_not_private(), 3); /* a default without a budget */
    CHECK(trial_resolved(&run, "accuracy") > 0.0);
    trial_end(&run);

    const sp_algorithm *a = sp_algorithm_find("adaptive_spider");
    const sp_values tiny = trial_values(a, "accuracy=1e-3");
    run = (trial_run){ .seed = 1 };
    trial_go(a, &tiny, &reference, trial_private(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "accuracy = 0.001 takes 256411 steps, above 100000");
    trial_end(&run);
}

/* Square-root noise never takes a worse level than the tree, whatever the budget. */
static void test_no_worse(void)
{
    static const char *const escapes[] = { "hessian", "kick", "psgd" };
    static const double epsilon[] = { 0.01, 0.1, 1.0 };
    double best = 1.0;
    for (size_t i = 0; i < 18; i++) {
        char settings[64];
        sp_constants *c = &reference.problem.declared;
        const sp_constants kept = *c;
        double level[2];
        c->gap = 3.0, c->rho_hessian = 1e-4, c->hessian_norm = c->hessian_frobenius = 0.05;
        for (size_t k = 0; k < 2; k++) {
            snprintf(settings, sizeof settings, "selection=none escape=%s%s", escapes[i / 2 % 3],
                     k > 0 ? " noise=sqrt" : "");
            trial_run run = go(names[i % 2], settings, &reference, trial_private(epsilon[i / 6], 1e-8), 3);
            level[k] = trial_resolved(&run, "accuracy");
            CHECK(strstr(run.warning, "vacuous") == NULL);
            trial_end(&run);
        }
        SP_CHECK_REPORT(level[1] <= level[0] * (1.0 + 1e-8), "%s: g = %g, the tree's %g", settings, level[1], level[0]);
        best = fmin(best, level[1] / level[0]);
        *c = kept;
    }
    CHECK_LESS_EQUAL(best, 0.75); /* psgd, many short steps */
}

static void test_noise_word(void)
{
    for (size_t m = 0; m < 2; m++) {
        const sp_algorithm *a = sp_algorithm_find(names[m]);
        sp_values values = trial_values(a, "");
        sp_error error = { 0 };
        CHECK_EQUAL(sp_values_set_text(&values, a->name, "noise", "honaker", &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, "honaker");
        CHECK_CONTAINS(error.text, "noise");
        CHECK_EQUAL(sp_values_set_number(&values, a->name, "segment", 0.0, &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, "segment");
        trial_run run = go(names[m], "noise=sqrt depth=3", &reference, trial_noise_off(1.0, 1e-8), 3);
        CHECK_CONTAINS(run.warning, "depth = 3 is not used");
        trial_end(&run);
        run = go(names[m], "segment=3", &reference, trial_noise_off(1.0, 1e-8), 3);
        CHECK_CONTAINS(run.warning, "segment = 3 is not used");
        trial_end(&run);
    }
}

static void test_misfits(void)
{
    static const struct { size_t offset; double value; const char *message; } rows[] = {
        { offsetof(sp_constants, rho_hessian), INFINITY, "rho_hessian" },
        { offsetof(sp_constants, rho_hessian), 0.0, "rho_hessian" },
        { offsetof(sp_constants, beta), INFINITY, "beta" },
        { offsetof(sp_constants, L_data), INFINITY, "L_data" },
        { offsetof(sp_constants, gap), INFINITY, "gap" },
        { offsetof(sp_constants, gap), 0.0, "gap" },
    };
    for (size_t m = 0; m < 2; m++) {
        const sp_algorithm *a = sp_algorithm_find(names[m]);
        CHECK(!a->fits(&reference.problem.declared));
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            sp_constants c = reference.problem.declared;
            memcpy((char *)&c + rows[i].offset, &rows[i].value, sizeof rows[i].value);
            CHECK_CONTAINS(a->fits(&c), rows[i].message);
        }
        sp_constants c = reference.problem.declared;
        c.d = 201;
        CHECK_CONTAINS(a->fits(&c), "d > 200");
    }
}

/* --- batches ----------------------------------------------------------------------------------------------------- */

/* f = (w - 1)^2 / 2 of every record, so an estimate from any batch is w - 1 and step 1/2 halves it. With so many
 * records in all, the run ends where they do: that no more and no fewer are taken is seen from where it ends. */
static void test_batches(void)
{
    static const struct {
        size_t method, records;
        const char *settings;
        double w;
    } rows[] = {
#define GIVEN "accuracy=0.005 selection=none eta=0.5 "
#define LINEAR GIVEN "kappa=0.8 gradient_batch=4 difference_rate=4 depth="
        /* adaptive: 4, 2, 1, then 4 for the way is .875, 1 */
        { 0, 3, LINEAR "3", 0.0 }, { 0, 4, LINEAR "3", 0.5 }, { 0, 5, LINEAR "3", 0.5 }, { 0, 6, LINEAR "3", 0.75 },
        { 0, 7, LINEAR "3", 0.875 }, { 0, 10, LINEAR "3", 0.875 }, { 0, 11, LINEAR "3", 0.9375 },
        { 0, 12, LINEAR "3", 0.96875 }, { 0, 12, LINEAR "2", 0.96875 },
        /* of b alone, m = b / L_data: 8, 2, 1, then 8 */
        { 0, 8, GIVEN "kappa=0.8 gradient_batch=8 depth=3", 0.5 },
        { 0, 9, GIVEN "kappa=0.8 gradient_batch=8 depth=3", 0.5 },
        { 0, 10, GIVEN "kappa=0.8 gradient_batch=8 depth=3", 0.75 },
        { 0, 11, GIVEN "kappa=0.8 gradient_batch=8 depth=3", 0.875 },
        { 0, 18, GIVEN "kappa=0.8 gradient_batch=8 depth=3", 0.875 },
        { 0, 19, GIVEN "kappa=0.8 gradient_batch=8 depth=3", 0.9375 },
        /* fixed: 4 always */
        { 1, 7, LINEAR "3", 0.5 }, { 1, 8, LINEAR "3", 0.75 }, { 1, 19, LINEAR "3", 0.9375 },
        { 1, 20, LINEAR "3", 0.96875 },
        /* fixed, no step above kap: .3, .6, .8, .9, of 4 (the first), 4 and 4 (a way of kap), 2, 2 records */
        { 1, 4, GIVEN "kappa=0.3 gradient_batch=4 difference_rate=6 depth=4", 0.3 },
        { 1, 8, GIVEN "kappa=0.3 gradient_batch=4 difference_rate=6 depth=4", 0.6 },
        { 1, 12, GIVEN "kappa=0.3 gradient_batch=4 difference_rate=6 depth=4", 0.8 },
        { 1, 14, GIVEN "kappa=0.3 gradient_batch=4 difference_rate=6 depth=4", 0.9 },
        /* 2^h - 1 estimates a tree: 4, 1, 1, 4 at h = 2 (with four of them 7 records would be four steps) */
        { 0, 7, GIVEN "kappa=100 gradient_batch=4 difference_rate=0.1 depth=2", 0.875 },
        { 0, 9, GIVEN "kappa=100 gradient_batch=4 difference_rate=0.1 depth=2", 0.875 },
        { 0, 10, GIVEN "kappa=100 gradient_batch=4 difference_rate=0.1 depth=2", 0.9375 },
        { 0, 11, GIVEN "kappa=100 gradient_batch=4 difference_rate=0.1 depth=1", 0.75 }, /* a gradient each time */
        { 0, 12, GIVEN "kappa=100 gradient_batch=4 difference_rate=0.1 depth=1", 0.875 },
    };
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        const size_t r = i / 2, h = strlen(rows[r].settings) - strlen("depth=3");
        char settings[128]; /* the same with a tree of depth h and square-root noise over its 2^h - 1 estimates */
        trial_problem t = line;
        snprintf(settings, sizeof settings, "%s", rows[r].settings);
        if (i % 2 > 0)
            snprintf(settings + h, sizeof settings - h, "noise=sqrt segment=%d",
                     (1 << (rows[r].settings[h + 6] - '0')) - 1);
        t.data.n = rows[r].records;
        t.problem.train = &t.data;
        t.problem.declared.n = rows[r].records;
        trial_run run = go(names[rows[r].method], settings, &t, trial_noise_off(1.0, 1e-8), 3);
        SP_CHECK_REPORT(fabs(run.w[0] - rows[r].w) <= 1e-15, "%s, %zu records: w = %.17g", settings, rows[r].records,
                        run.w[0]);
        CHECK_CONTAINS(run.warning, "records ran out");
        CHECK_EQUAL(trial_resolved(&run, "passed"), 0);
        trial_end(&run);
    }
}

/* --- releases ---------------------------------------------------------------------------------------------------- */

/* Releases against the definition: a difference's weight is within that of all, and one pool's releases pay mu^2 at
 * most, the first gradient's in a whole tree exactly; under square-root noise at once, at the one release it is in. */
static void test_ledger(void)
{
    for (size_t m = 0; m < 4; m++) {
        const sp_algorithm *a = sp_algorithm_find(names[m % 2]);
        const bool root = m / 2 > 0;
        char settings[160];
        snprintf(settings, sizeof settings, "accuracy=0.005 selection=none eta=0.005 escape=kick kappa=0.8 "
                 "gradient_batch=8 difference_rate=7 %s", root ? "noise=sqrt segment=7" : "depth=3");
        sp_method method = { a, trial_values(a, settings) };
        sp_transcript *transcript = sp_transcript_new();
        sp_run_record books = { 0 };
        sp_error error = { 0 };
        const sp_trial trial = { &method, &line.problem, trial_private(1.0, 1e-8), 2, transcript };
        /* 2 L / b = .5 each; 2 / m = .286, and B = 6 records for .8: .267 */
        const double L = line.problem.declared.L_data, s = 2.0 * L / 8.0;
        const double noise_std = s * sqrt(root ? 1.5947303771972656 : 3.0) / mu; /* band 4 of 7 releases, by NumPy */
        size_t blocks = 0;
        sp_transcript_record(transcript);
        CHECK(sp_trial_run(&trial, &books, &error) == SP_OK);
        CHECK_EQUAL(books.status, SP_OK);
        for (size_t i = 0; i < sp_transcript_count(transcript); i++) {
            const sp_event *event = sp_transcript_at(transcript, i);
            if (strcmp(event->primitive, "accumulator") != 0)
                continue;
            blocks++;
            CHECK_NEAR(event->noise_std / noise_std, 1.0, 1e-5);
            CHECK_LESS_EQUAL(event->sensitivity, s * (1.0 + 1e-12));
        }
        CHECK(blocks >= 4);
        double paid[LINE + 1] = { 0.0 }, most = 0.0;
        for (size_t e = 0; e < books.ledger.count; e++) {
            const sp_entry *entry = &books.ledger.entry[e];
            CHECK_EQUAL(entry->kind, SP_LEDGER_GAUSS);
            CHECK(entry->pool > 0 && entry->pool <= LINE);
            CHECK(!root || paid[entry->pool] == 0.0);
            paid[entry->pool] += (double)entry->count / (entry->noise_multiplier * entry->noise_multiplier);
        }
        for (size_t g = 1; g <= LINE; g++)
            most = fmax(most, paid[g]);
        CHECK_LESS_EQUAL(most, mu * mu * (1.0 + 1e-6));
        CHECK_NEAR(most / (mu * mu), 1.0, 1e-4); /* 3 blocks of the first gradient; its one release */
        sp_run_record_free(&books);
        sp_transcript_free(transcript);
        trial_run run = go(names[m % 2], settings, &line, trial_private(1.0, 1e-8), 2);
        if (root) /* a tree of which the run fills a part leaves a part */
            CHECK_NEAR(run.spent.best, 1.0, 1e-6);
        CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
        trial_end(&run);
    }
}

/* Hessians of fresh records and the choice on the other half, each with the whole budget. */
static void test_parallel(void)
{
    trial_problem many;
    if (!trial_make("cos_saddle", 600, 3, INFINITY, false, &many))
        return;
    for (size_t i = 0; i < 8; i++) {
        static const char *const selections[] = { "em", "svt" };
        char settings[128];
        snprintf(settings, sizeof settings, "escape=hessian selection=%s noise=%s", selections[i % 2],
                 i / 4 > 0 ? "sqrt" : "tree");
        const sp_algorithm *a = sp_algorithm_find(names[i / 2 % 2]);
        sp_method method = { a, trial_values(a, settings) };
        sp_transcript *transcript = sp_transcript_new();
        sp_run_record books = { 0 };
        sp_error error = { 0 };
        const sp_trial trial = { &method, &many.problem, trial_private(1.0, 1e-8), 5 + i, transcript };
        size_t hessians = 0, choices = 0;
        sp_transcript_record(transcript);
        CHECK(sp_trial_run(&trial, &books, &error) == SP_OK);
        CHECK_EQUAL(books.status, SP_OK);
        for (size_t k = 0; k < sp_transcript_count(transcript); k++) {
            const sp_event *event = sp_transcript_at(transcript, k);
            if (strcmp(event->primitive, "choose") == 0)
                CHECK_EQUAL(event->count, 300);
        }
        for (size_t e = 0; e < books.ledger.count; e++) {
            const sp_entry *entry = &books.ledger.entry[e];
            const bool gauss = entry->kind == SP_LEDGER_GAUSS;
            CHECK(entry->pool > 0);
            CHECK_EQUAL(entry->count, 1);
            choices += !gauss;
            if (!gauss)
                CHECK_NEAR(entry->epsilon, 1.0, 1e-12);
            hessians += gauss && fabs(entry->noise_multiplier * mu - 1.0) <= 1e-5;
            if (gauss)
                CHECK(entry->noise_multiplier >= (1.0 - 1e-6) / mu);
        }
        CHECK_EQUAL(choices, 1);
        CHECK(hessians > 0);
        sp_run_record_free(&books);
        sp_transcript_free(transcript);
        trial_run run = go(names[i / 2 % 2], settings, &many, trial_private(1.0, 1e-8), 5 + i);
        CHECK_NEAR(run.spent.best, 1.0, 1e-6);
        trial_end(&run);
    }
    trial_drop(&many);
}

/* Every combination: within the budget, and a replay on a neighbour finds nothing. */
static void test_every_mode(void)
{
    static const sp_fixture fixtures[] = {
        { "opposite", NULL, 40, 3, 0.3, SP_PROBE_ZERO, SP_PROBE_FULL, -SP_PROBE_FULL, 3 },
        { "curved", NULL, 40, 1, 0.7, SP_PROBE_ZERO, SP_PROBE_CURVED, -SP_PROBE_CURVED, 5 },
    };
    static const char *const escapes[] = { "kick", "psgd", "hessian" }, *const selections[] = { "em", "svt", "none" };
    static const char *const others[] = {
        "", " depth=1", " accuracy=0.05 gradient_batch=3 difference_rate=1.7", " noise=sqrt",
        " noise=sqrt segment=3 accuracy=0.05 gradient_batch=3 difference_rate=1.7",
    };
    trial_problem saddle;
    sp_transcript *transcript[SP_SIDES] = { NULL };
    for (size_t i = 0; i < SP_SIDES; i++)
        transcript[i] = sp_transcript_new();
    if (!trial_make("cos_saddle", 60, 3, INFINITY, false, &saddle))
        return;
    for (size_t i = 0; i < 90; i++) {
        char settings[128];
        const char *name = names[i % 2];
        snprintf(settings, sizeof settings, "escape=%s selection=%s%s", escapes[i / 2 % 3], selections[i / 6 % 3],
                 others[i / 18]);
        for (size_t e = 0; e < 3; e++) {
            static const double epsilon[] = { 0.3, 1.37, 8.0 };
            trial_run run = go(name, settings, &saddle, trial_private(epsilon[e], 1e-6), 31 + i);
            CHECK(run.settled == SP_OK);
            CHECK_LESS_EQUAL(run.spent.best, epsilon[e] * (1.0 + 1e-9));
            CHECK(run.spent.best > 0.0);
            CHECK_LESS_EQUAL(run.cost.gradients, (i / 6 % 3 < 2 ? 30.0 + 30.0 * 1001.0 : 60.0));
            trial_end(&run);
        }
        for (size_t f = 0; f < 2; f++) {
            sp_neighbourhood h = { 0 };
            sp_error error = { 0 };
            const sp_algorithm *a = sp_algorithm_find(name);
            sp_audit_setting setting = { .method = { a, trial_values(a, settings) } };
            const sp_audit_case c = { &fixtures[f], &h, &setting, trial_private(4.0, 1e-5), transcript, NULL };
            sp_replays done = { 0 };
            sp_text finding = { 0 };
            CHECK(sp_neighbourhood_make(&fixtures[f], &h, &error) == SP_OK);
            CHECK(sp_audit_replay(&c, 7 + i, &done, &finding, &error) == SP_OK);
            SP_CHECK_REPORT(finding.length == 0, "%s %s: %s", name, settings, finding.data);
            CHECK(done.calls > 0);
            sp_text_free(&finding);
            sp_neighbourhood_free(&h);
        }
    }
    for (size_t i = 0; i < SP_SIDES; i++)
        sp_transcript_free(transcript[i]);
    trial_drop(&saddle);
}

/* --- escapes ----------------------------------------------------------------------------------------------------- */

typedef struct path {
    double w[200][3];
} path;

static void record(trial_run *run, size_t step, const double *w)
{
    if (step < 200)
        memcpy(((path *)run->context)->w[step], w, 3 * sizeof *w);
}

/* Started on cos_saddle's saddle, noise off: a jump of sqrt(alpha / rho_H), then down to a minimum, which passes; a
 * kick moves; psgd goes back to where its rounds began, each with a gradient of its own. */
static void test_escapes(void)
{
    trial_problem saddle;
    path p = { .w = { { 0.0 } } };
    if (!trial_make("cos_saddle", 20000, 3, INFINITY, false, &saddle))
        return;
    const sp_constants *c = &saddle.problem.declared;
    const sp_algorithm *a = sp_algorithm_find("adaptive_spider");
    const double r = sqrt(0.2 / c->rho_hessian);
    saddle.problem.declared.hessian_norm = saddle.problem.declared.hessian_frobenius = 1e-9; /* so b_h = 1 */
    sp_values values = trial_values(a, "accuracy=0.05 selection=none gradient_batch=300 difference_rate=100 kappa=2 "
                                       "escape=hessian");
    trial_run run = { .seed = 3, .watch = record, .context = &p };
    trial_go(a, &values, &saddle, trial_noise_off(1.0, 1e-6), &run);
    CHECK_NEAR(cblas_dnrm2(3, p.w[1], 1), r, 1e-9);
    CHECK_NEAR(fabs(run.w[0]), M_PI, 0.35); /* where the slope is 3.2 g */
    CHECK_EQUAL(trial_resolved(&run, "passed"), 1);
    CHECK(run.cost.hessians >= 2.0);
    trial_end(&run);

    values = trial_values(a, "accuracy=0.05 selection=none gradient_batch=300 difference_rate=20 kappa=2 escape=kick");
    run = (trial_run){ .seed = 3, .watch = record, .context = &p };
    trial_go(a, &values, &saddle, trial_noise_off(1.0, 1e-6), &run);
    const double kicked = cblas_dnrm2(3, p.w[1], 1) * c->beta; /* g / sqrt(ln(d/zeta)) or so, and a small gradient */
    CHECK(run.checkpoints > 5);
    CHECK(kicked > 0.002 && kicked < 0.15);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 0);
    CHECK_CONTAINS(run.warning, "a kick tells nothing");
    trial_end(&run);

    values = trial_values(a, "accuracy=0.25 selection=none gradient_batch=600 difference_rate=4 escape=psgd kappa=50");
    run = (trial_run){ .seed = 3, .watch = record, .context = &p };
    trial_go(a, &values, &saddle, trial_noise_off(1.0, 1e-6), &run);
    const size_t q = (size_t)ceil(log(3.0 / 0.05) * c->beta / sqrt(c->rho_hessian)), rounds = 16; /* 5.2 ln 20 */
    CHECK(q >= 2);
    CHECK_EQUAL(trial_resolved(&run, "passed"), 1);
    CHECK_CONTAINS(run.warning, "no proof"); /* a saddle has passed */
    CHECK_EQUAL(run.checkpoints, rounds * q);
    for (size_t k = 1; k < rounds && (k + 1) * q < 200; k++) {
        CHECK(memcmp(p.w[k * q], saddle.problem.start, 3 * sizeof(double)) == 0);
        CHECK(memcmp(p.w[1], p.w[k * q + 1], sizeof p.w[1]) != 0); /* other records: a new estimate */
    }
    trial_end(&run);
    trial_drop(&saddle);
}

/* auto: hessian up to d = 64, else kick. */
static void test_auto(void)
{
    for (size_t d = 64; d <= 65; d++) {
        trial_problem t;
        if (!trial_make("cos_saddle", 400, d, INFINITY, false, &t))
            return;
        const sp_algorithm *a = sp_algorithm_find("adaptive_spider");
        sp_method method = { a, trial_values(a, "selection=none") };
        sp_transcript *transcript = sp_transcript_new();
        sp_run_record books = { 0 };
        sp_error error = { 0 };
        const sp_trial trial = { &method, &t.problem, trial_noise_off(1.0, 1e-8), 2, transcript };
        bool hessian = false;
        sp_transcript_record(transcript);
        CHECK(sp_trial_run(&trial, &books, &error) == SP_OK);
        for (size_t k = 0; k < sp_transcript_count(transcript); k++)
            hessian |= strcmp(sp_transcript_at(transcript, k)->primitive, "hessian") == 0;
        CHECK_EQUAL(hessian, d == 64);
        sp_run_record_free(&books);
        sp_transcript_free(transcript);
        trial_drop(&t);
    }
}

int main(void)
{
    if (trial_make("pseudo_huber", 100000, 10, INFINITY, false, &reference)
        && trial_make("overparameterised_least_squares", LINE, 1, 2.0, false, &line)) {
        sp_constants *c = &reference.problem.declared;
        c->L = c->L_data = c->beta = c->beta_data = c->rho_hessian = c->hessian_norm = c->gap = 1.0;
        c->hessian_frobenius = sqrt(2.0);
        c = &line.problem.declared;
        c->L = c->L_data = 2.0, c->beta = c->beta_data = c->rho_hessian = c->hessian_norm = 1.0, c->gap = 0.5;
        c->hessian_frobenius = 1.0;
        for (size_t i = 0; i < LINE; i++)
            sp_dataset_X(&line.data)[i * line.data.stride] = sp_dataset_y(&line.data)[i];
        test_schedule();
        test_vacuous();
        test_no_worse();
        test_noise_word();
        test_misfits();
        test_batches();
        test_ledger();
        test_parallel();
        test_every_mode();
        test_escapes();
        test_auto();
    }
    trial_drop(&reference);
    trial_drop(&line);
    return sp_check_done();
}
