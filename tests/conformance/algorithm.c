/* conformance/algorithm.c NAME -- what every algorithm promises, on every problem here that it fits. Linked with the
 * allocators wrapped. */
#include "core/audit/audit_internal.h"
#include "tests/allocation.h"
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>

/* --- what a test needs ------------------------------------------------------------------------------------- */

static const char *const losses[] = { "pseudo_huber", "logistic", "welsch", "circular" }; /* last: if none else fits */
enum { LOSSES = sizeof losses / sizeof *losses, N = 60, D = 3 };

/* Where problems are: the first of these that the method fits on. */
static const sp_domain_kind grounds[] = { SP_DOMAIN_SPACE, SP_DOMAIN_L2_BALL, SP_DOMAIN_L1_BALL };
enum { GROUNDS = sizeof grounds / sizeof *grounds };

static const sp_algorithm *algorithm;
static sp_domain_kind ground;

/* Declared to be KL where it is not known to be: schedules need something, and nothing here depends on its truth. */
static bool make_on(sp_domain_kind kind, double radius, const char *loss, size_t n, size_t d, bool neighbour,
                    trial_problem *out)
{
    const bool ok = trial_make_on((sp_domain){ kind, d, radius, radius }, loss, n, neighbour, out);
    sp_constants *c = &out->problem.declared;
    if (!(c->kl_gamma > 0.0))
        c->kl_gamma = 10.0, c->kl_kappa = 2.0;
    return ok;
}

static bool make(const char *loss, size_t n, size_t d, bool neighbour, trial_problem *out)
{
    return make_on(ground, ground == SP_DOMAIN_SPACE ? INFINITY : 2.0, loss, n, d, neighbour, out);
}

static bool fits(const trial_problem *t)
{
    return !algorithm->fits || !algorithm->fits(&t->problem.declared);
}

static bool refuses_budgets(void)
{
    return algorithm->non_private_only || algorithm->uncertified;
}

/* One that ignores the data releases nothing and costs nothing; every other one costs something. */
static bool has_its_price(const trial_run *run)
{
    return algorithm->ignores_data ? run->spent.best == 0.0 && run->cost.releases == 0 && run->ledger.count == 0
                                   : run->spent.best > 0.0;
}

/* A budget for a private algorithm, none for a reference method. */
static sp_privacy usual(void)
{
    return refuses_budgets() ? trial_not_private() : trial_private(0.7, 1e-5);
}

static void go(const char *settings, const trial_problem *t, sp_privacy privacy, trial_run *run)
{
    const sp_values values = trial_values(algorithm, settings);
    trial_go(algorithm, &values, t, privacy, run);
}

static void check_success(const trial_run *run, size_t d)
{
    SP_CHECK_REPORT(run->status == SP_OK, "%s: %s", sp_status_name(run->status), run->message);
    CHECK(run->settled == SP_OK);
    CHECK(run->checkpoints > 0);
    CHECK(!run->steps_fell);
    for (size_t j = 0; j < d; j++)
        CHECK(isfinite(run->w[j]));
}

/* --- promises ---------------------------------------------------------------------------------------------- */

static void refuses_number(const sp_param *param, double number)
{
    sp_values values;
    sp_error error = { 0 };
    char place[128];
    snprintf(place, sizeof place, "here.%s", param->key);
    sp_values_start(&values, algorithm->params);
    const sp_status status = sp_values_set_number(&values, "here", param->key, number, &error);
    SP_CHECK_REPORT(status == SP_EINVAL, "%s = %g is accepted", param->key, number);
    CHECK_CONTAINS(error.text, place);
}

static void describes_itself(void)
{
    CHECK(algorithm->name && algorithm->summary && *algorithm->summary && algorithm->when && *algorithm->when);
    CHECK(algorithm->source && *algorithm->source);
    CHECK(algorithm->releases && *algorithm->releases);
    CHECK(algorithm->run);
    for (const sp_param *param = algorithm->params; param && param->key; param++) {
        CHECK(param->meaning && *param->meaning);
        for (const sp_param *other = algorithm->params; other < param; other++)
            CHECK(strcmp(other->key, param->key) != 0);
        CHECK((param->kind == SP_CHOICE) == (param->choices != NULL));
        if (isfinite(param->initial) && (param->kind == SP_REAL || param->kind == SP_COUNT)) {
            sp_values values;
            sp_values_start(&values, algorithm->params);
            CHECK(sp_values_set_number(&values, "here", param->key, param->initial, NULL) == SP_OK);
        }
    }
}

static void refuses_bad_parameters(void)
{
    sp_values values;
    sp_error error = { 0 };
    sp_values_start(&values, algorithm->params);
    CHECK(sp_values_set_number(&values, "here", "no_such_key", 2.385, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "here.no_such_key");
    for (const sp_param *param = algorithm->params; param && param->key; param++) {
        refuses_number(param, NAN);
        refuses_number(param, INFINITY);
        if (param->kind != SP_REAL && param->kind != SP_COUNT) {
            refuses_number(param, 2.385);
            CHECK(sp_values_set_text(&values, "here", param->key, "no such word", NULL) != SP_OK
                  || param->kind == SP_TEXT);
            continue;
        }
        CHECK(sp_values_set_text(&values, "here", param->key, "many", NULL) == SP_EINVAL);
        if (param->kind == SP_COUNT)
            refuses_number(param, 2.385);
        if (param->range.low > -DBL_MAX)
            refuses_number(param, param->range.low == DBL_MIN ? 0.0 : param->range.low - 1.0);
        if (param->range.high < DBL_MAX)
            refuses_number(param, param->range.high * 2.0 + 1.0);
    }
}

static bool by_pool(const sp_event *event)
{
    const bool choice_of_some = strcmp(event->primitive, "choose") == 0 && event->rows && event->points == 0;
    return strcmp(event->primitive, "accumulator") == 0 || choice_of_some;
}

static bool of_a_batch(const sp_event *event)
{
    return event->rows != NULL;
}

static bool has_event(const trial_problem *t, bool (*like)(const sp_event *))
{
    trial_run run = { .seed = 31, .transcript = sp_transcript_new() };
    bool found = false;
    CHECK(run.transcript);
    sp_transcript_record(run.transcript);
    go("steps=25", t, usual(), &run);
    for (size_t i = 0; i < sp_transcript_count(run.transcript); i++)
        found |= like(sp_transcript_at(run.transcript, i));
    sp_transcript_free(run.transcript);
    trial_end(&run);
    return found;
}

static void repeats(const trial_problem *t)
{
    trial_run first = { .seed = 4711 }, again = { .seed = 4711 };
    const sp_privacy privacy = usual();
    bool differs = false;
    go("", t, privacy, &first);
    go("", t, privacy, &again);
    check_success(&first, t->problem.domain.d);
    CHECK(memcmp(first.w, again.w, sizeof *first.w * t->problem.domain.d) == 0);
    CHECK_EQUAL(first.cost.releases, again.cost.releases);
    CHECK(memcmp(&first.spent.best, &again.spent.best, sizeof first.spent.best) == 0);
    /* The seed of a reference method is that of its batches, and matters where it draws some. */
    const bool batches = algorithm->non_private_only && has_event(t, of_a_batch);
    for (uint64_t seed = 4712; seed < 4720; seed++) { /* several: a method may return the start */
        trial_run other = { .seed = batches ? first.seed : seed, .noise_seed = seed };
        go("", t, privacy, &other);
        differs |= memcmp(first.w, other.w, sizeof *first.w * t->problem.domain.d) != 0;
        trial_end(&other);
    }
    /* The noise is drawn from the run's own stream; a reference method has none, whatever batches it draws. */
    CHECK_EQUAL(differs, (privacy.private || algorithm->uncertified) && !algorithm->ignores_data);
    for (size_t i = 0; i < first.resolved_count; i++) {
        const char *key = first.resolved[i].key;
        const sp_values values = trial_values(algorithm, "");
        CHECK(strcmp(key, "bound") == 0 || strcmp(key, "passed") == 0 || trial_find(&values, key) < values.count);
        CHECK(isfinite(first.resolved[i].value));
    }
    trial_end(&first);
    trial_end(&again);
}

/* Every word of every choice and every flag: runs, repeats, within budget. */
static void runs_in_every_mode(const trial_problem *t)
{
    for (const sp_param *param = algorithm->params; param && param->key; param++) {
        const char *words = param->kind == SP_CHOICE ? param->choices : param->kind == SP_FLAG ? "true" : "";
        while (*words) {
            const size_t length = strcspn(words, "|");
            char setting[128];
            snprintf(setting, sizeof setting, "%s=%.*s", param->key, (int)length, words);
            words += length + (words[length] == '|');
            trial_run run = { .seed = 17 };
            go(setting, t, usual(), &run);
            check_success(&run, t->problem.domain.d);
            trial_end(&run);
        }
    }
}

/* The candidates that a run tells, and whether a point is among them. */
typedef struct told {
    const double *point;
    size_t candidates;
    bool among;
} told;

static void look_for_point(trial_run *run, const double *w)
{
    told *seen = run->context;
    seen->candidates++;
    seen->among |= memcmp(w, seen->point, D * sizeof *w) == 0;
}

static bool has_word(const char *key, const char *word)
{
    bool has = false;
    for (const sp_param *param = algorithm->params; param && param->key; param++)
        has |= strcmp(param->key, key) == 0 && param->choices && strstr(param->choices, word);
    return has;
}

static bool nests_the_answer(void)
{
    bool nests = false;
    for (const sp_param *param = algorithm->params; param && param->key; param++)
        nests |= param->kind == SP_METHOD;
    return nests && !algorithm->hands_over && !algorithm->repeats;
}

/* select = "mean" is the run of "uniform", whatever the seed, and tells the points that this draws from. */
static void tells_its_candidates(const trial_problem *t)
{
    if (!has_word("select", "mean") && !nests_the_answer())
        return;
    size_t candidates = 0;
    for (uint64_t seed = 40; seed < 44; seed++) {
        told none = { .point = t->problem.start }, all = { 0 };
        trial_run uniform = { .seed = seed, .candidate = look_for_point, .context = &none };
        trial_run mean = { .seed = seed, .candidate = look_for_point, .context = &all };
        go("steps=25 rounds=3 select=uniform", t, usual(), &uniform);
        check_success(&uniform, t->problem.domain.d);
        CHECK_EQUAL(none.candidates, 0);
        all.point = uniform.w;
        go("steps=25 rounds=3 select=mean", t, usual(), &mean);
        CHECK(memcmp(mean.w, uniform.w, sizeof *mean.w * t->problem.domain.d) == 0);
        CHECK_EQUAL(mean.cost.releases, uniform.cost.releases);
        CHECK(all.among);
        CHECK(all.candidates > 1 && (seed == 40 || all.candidates == candidates));
        candidates = all.candidates;
        trial_end(&mean);
        trial_end(&uniform);
    }
}

/* An accumulator's release, and a choice by one, is charged by pool, and passes by how far the dearest record's payment
 * rises: one release may make several entries, or none (tests/unit/tree.c, banded.c and choose.c have what it is). */
static bool accumulates(const trial_problem *t)
{
    return has_event(t, by_pool);
}

static bool chooses(const sp_ledger *ledger)
{
    for (size_t e = 0; e < ledger->count; e++)
        if (ledger->entry[e].kind == SP_LEDGER_EM || ledger->entry[e].kind == SP_LEDGER_RNM_LAPLACE)
            return true;
    return false;
}

static void stays_within_budget(const trial_problem *t)
{
    static const double epsilon[] = { 0.1, 1.37, 8.0 }, delta[] = { 1e-8, 1e-6, 1e-3 };
    const bool entry_each = !accumulates(t);
    for (size_t i = 0; i < sizeof epsilon / sizeof *epsilon; i++) {
        trial_run run = { .seed = 31 + i };
        go("", t, trial_private(epsilon[i], delta[i]), &run);
        check_success(&run, t->problem.domain.d);
        CHECK_LESS_EQUAL(run.spent.best, epsilon[i] * (1.0 + 1e-9));
        CHECK(has_its_price(&run));
        size_t releases = 0;
        for (size_t e = 0; e < run.ledger.count; e++)
            releases += run.ledger.entry[e].count;
        CHECK(releases > 0 || algorithm->ignores_data);
        if (entry_each && !algorithm->repeats) /* of which the ledger has one entry for all runs */
            CHECK_EQUAL(releases, run.cost.releases);
        /* all was announced, or the method has named its filter: none leaves it to the default, which is for ledgers
         * with choices; Gaussian releases alone have a better one */
        const sp_filter filter = sp_ledger_filter(&run.ledger);
        CHECK(filter == SP_FILTER_NONE || filter == SP_FILTER_GAUSS ||
              (filter == SP_FILTER_ZCDP && chooses(&run.ledger)));
        trial_end(&run);
    }
}

static void prints_paper_or_refuses(const trial_problem *t)
{
    trial_run run = { .seed = 5 };
    sp_privacy privacy = trial_private(0.7, 1e-5);
    privacy.calibration = SP_CALIBRATE_PAPER;
    go("", t, privacy, &run);
    CHECK(run.status == SP_OK || run.status == SP_EUNSUPPORTED);
    if (run.status == SP_OK)
        CHECK(run.settled == SP_OK && has_its_price(&run)); /* reported, whatever it is */
    trial_end(&run);
}

/* The norm of the gradient; on a bounded domain the Frank-Wolfe gap, which is 0 where no direction leads down. */
static double slope_left(const trial_problem *t, const double *w)
{
    if (t->problem.domain.kind == SP_DOMAIN_SPACE)
        return trial_gradient_norm(t, w);
    sp_workspace *scratch = sp_workspace_new(&t->problem);
    double g[D] = { NAN }, v[D], gap = NAN;
    if (scratch) {
        sp_problem_gradient(&t->problem, scratch, w, g);
        CHECK(sp_domain_linear_minimise(&t->problem.domain, g, v) == SP_OK);
        gap = cblas_ddot(D, g, 1, w, 1) - cblas_ddot(D, g, 1, v, 1);
    }
    sp_workspace_free(scratch);
    return gap;
}

/* A step of these is about eta in every coordinate, however small the gradient: with a short one they come as near as
 * that to the minimum, no nearer. */
static bool has_strides(void)
{
    return strcmp(algorithm->name, "dp_sign") == 0 || strcmp(algorithm->name, "dp_adam") == 0;
}

/* Noise off, given enough updates, a step below 1/beta (beta beside what a matrix has) and all records; steps to
 * vertices leave a gap of beta D^2 / T, here 16 / 3000, in the order of magnitude, where others converge geometrically.
 * A method that takes no number of updates, nor another method that does, is compared with its own theorem in its unit
 * test. */
static void reaches_the_minimum(const trial_problem *t)
{
    trial_run run = { .seed = 6 };
    bool takes = false;
    for (const sp_param *param = algorithm->params; param && param->key; param++)
        takes |= strcmp(param->key, "steps") == 0 || param->kind == SP_METHOD;
    if (!takes)
        return;
    char settings[128];
    const double beta = t->problem.declared.beta, stride = 2e-3;
    snprintf(settings, sizeof settings, "steps=3000 batch=%zu select=last eta=%.17g ridge=%.17g", t->data.n,
             has_strides() ? stride : 0.5 / beta, beta);
    const double start = slope_left(t, t->problem.start);
    go(settings, t, algorithm->non_private_only ? trial_not_private() : trial_noise_off(1.0, 1e-6), &run);
    check_success(&run, t->problem.domain.d);
    if (has_strides())
        CHECK_LESS_EQUAL(slope_left(t, run.w), beta * stride * sqrt(D));
    else if (start > 1e-3) /* else the start is the minimum */
        CHECK_LESS_EQUAL(slope_left(t, run.w), (ground == SP_DOMAIN_SPACE ? 1e-3 : 1e-2) * start);
    trial_end(&run);
}

static void keep_last(trial_run *run, size_t step, const double *w)
{
    (void)step;
    memcpy(run->context, w, D * sizeof *w);
}

/* Of a private method the data may change what is released, never what is done: with one record replaced and the noise
 * off, the same releases of the same kinds at the same places, the same checkpoints. */
static bool same_releases(const trial_problem *t, const trial_problem *neighbour, const char *settings, uint64_t seed)
{
    double last[2][D] = { { 0.0 } };
    trial_run a = { .seed = seed, .watch = keep_last, .context = last[0] };
    trial_run b = { .seed = seed, .watch = keep_last, .context = last[1] };
    const sp_privacy privacy = algorithm->non_private_only ? trial_not_private() : trial_noise_off(1.0, 1e-6);
    go(settings, t, privacy, &a);
    go(settings, neighbour, privacy, &b);
    CHECK_EQUAL(a.cost.releases, b.cost.releases);
    CHECK(a.cost.gradients == b.cost.gradients && a.cost.differences == b.cost.differences);
    CHECK(a.cost.hessians == b.cost.hessians && a.cost.losses == b.cost.losses);
    CHECK_EQUAL(a.checkpoints, b.checkpoints);
    CHECK_EQUAL(a.last_step, b.last_step);
    sp_text ledger_a = { 0 }, ledger_b = { 0 };
    sp_ledger_print(&a.ledger, &ledger_a);
    sp_ledger_print(&b.ledger, &ledger_b);
    CHECK_TEXT(ledger_a.data ? ledger_a.data : "", ledger_b.data ? ledger_b.data : "");
    sp_text_free(&ledger_a);
    sp_text_free(&ledger_b);
    trial_end(&a);
    trial_end(&b);
    return memcmp(last[0], last[1], sizeof last[0]) == 0;
}

/* A reference method that looks for a point that passes: its answers are exact, so is what it does by them. */
static bool stops_by_exact_answers(const trial_problem *t)
{
    trial_run run = { .seed = 7 };
    if (!algorithm->non_private_only)
        return false;
    go("", t, usual(), &run);
    trial_end(&run);
    return isfinite(trial_resolved(&run, "passed"));
}

static void control_flow_is_public(const char *loss)
{
    trial_problem t = { 0 }, neighbour = { 0 };
    if (make(loss, N, D, false, &t) && make(loss, N, D, true, &neighbour)) {
        uint64_t seed = 7;
        const uint64_t last = ground == SP_DOMAIN_L1_BALL ? 71 : 15; /* the least of some vertices seldom changes */
        while (seed < last && same_releases(&t, &neighbour, "steps=25", seed))
            seed++;
        bool matters = seed < last; /* the record, to a run that meets it; for signs of gradients a record is too few */
        for (seed = 7; !matters && seed < last; seed++)
            matters = !same_releases(&t, &neighbour, "steps=25 batch=1", seed);
        CHECK_EQUAL(matters, !algorithm->ignores_data);
    }
    trial_drop(&t);
    trial_drop(&neighbour);
}

/* Of a method that follows answers: with the noise off it does other things on other data, and should. What it does may
 * still depend on nothing but the answers: held fixed, they lead to the same releases at the same places on a
 * neighbour. */
static void follows_nothing_but_answers(void)
{
    static const sp_fixture fixtures[] = {
        { "opposite", NULL, N, D, 0.3, SP_PROBE_ZERO, SP_PROBE_FULL, -SP_PROBE_FULL, 3 },
        { "curved", NULL, N, D, 0.7, SP_PROBE_ZERO, SP_PROBE_CURVED, -SP_PROBE_CURVED, 5 },
        { "full", NULL, N, D, 0.7, SP_PROBE_FULL, SP_PROBE_FULL, -SP_PROBE_FULL, 40 },
    };
    sp_transcript *transcript[SP_SIDES] = { NULL };
    for (size_t i = 0; i < SP_SIDES; i++)
        CHECK((transcript[i] = sp_transcript_new()));
    for (size_t f = 0; f < sizeof fixtures / sizeof *fixtures; f++) {
        sp_neighbourhood h = { 0 };
        sp_audit_setting setting = { .method = { algorithm, trial_values(algorithm, "steps=25") } };
        const sp_audit_case c = { &fixtures[f], &h, &setting, usual(), transcript, NULL };
        sp_replays done = { 0 };
        sp_text finding = { 0 };
        sp_error error = { 0 };
        CHECK(sp_neighbourhood_make(&fixtures[f], &h, &error) == SP_OK);
        for (uint64_t seed = 7; seed < 15; seed++)
            CHECK(sp_audit_replay(&c, seed, &done, &finding, &error) == SP_OK);
        SP_CHECK_REPORT(finding.length == 0, "%s: %s", fixtures[f].name, finding.data);
        CHECK(done.calls > 0);
        CHECK(done.move > 0.0); /* the record matters, to a run that meets it */
        sp_text_free(&finding);
        sp_neighbourhood_free(&h);
    }
    for (size_t i = 0; i < SP_SIDES; i++)
        sp_transcript_free(transcript[i]);
}

static size_t next_failing;

static void arm_next(void)
{
    arm(next_failing);
}

/* Every failed allocation stops the run, except that of a warning's text: then nothing but the warning is lost, or a
 * child's copy of it. */
static void survives_each_failed_allocation(const trial_problem *t, const char *settings)
{
    trial_run whole = { .seed = 8 };
    go(settings, t, usual(), &whole);
    check_success(&whole, t->problem.domain.d);
    for (next_failing = 1; next_failing < 10000; next_failing++) {
        trial_run run = { .seed = 8, .before = arm_next, .after = disarm };
        go(settings, t, usual(), &run);
        trial_end(&run);
        const bool same = run.status == SP_OK && memcmp(run.w, whole.w, t->problem.domain.d * sizeof *run.w) == 0;
        if (allocations < next_failing) {
            CHECK(same);
            break;
        }
        const bool warning_lost = same && *whole.warning && strlen(run.warning) <= strlen(whole.warning);
        SP_CHECK_REPORT(run.status == SP_ENOMEM || warning_lost, "allocation %zu failed, status %s: %s", next_failing,
                        sp_status_name(run.status), run.message);
    }
    SP_CHECK_REPORT((next_failing > 1 || algorithm->ignores_data) && next_failing < 10000, "%zu allocations",
                    next_failing);
    trial_end(&whole);
}

static void passes_on_a_failed_checkpoint(const trial_problem *t)
{
    trial_run run = { .seed = 9, .fail_at = algorithm->ignores_data ? 1 : 2 };
    go("steps=25", t, usual(), &run);
    CHECK_EQUAL(run.status, SP_EINTERRUPTED);
    CHECK_EQUAL(run.checkpoints, run.fail_at);
    trial_end(&run);
}

static void runs_without_privacy(const trial_problem *t)
{
    trial_run run = { .seed = 10 };
    go("steps=25", t, trial_not_private(), &run);
    check_success(&run, t->problem.domain.d);
    CHECK(run.spent.best == (algorithm->ignores_data ? 0.0 : INFINITY));
    trial_end(&run);
    if (refuses_budgets()) {
        trial_run refused = { .seed = 10 };
        go("steps=25", t, trial_private(1.0, 1e-6), &refused);
        CHECK(refused.status != SP_OK);
        CHECK_EQUAL(refused.cost.releases, 0);
        trial_end(&refused);
    }
}

static void runs_on_the_smallest_problem(const char *loss)
{
    trial_problem t = { 0 };
    trial_run run = { .seed = 11 };
    if (make(loss, 2, 1, false, &t)) {
        go(refuses_budgets() ? "steps=25" : "", &t, usual(), &run);
        check_success(&run, 1);
    }
    trial_end(&run);
    trial_drop(&t);
}

static void watch_domain(trial_run *run, size_t step, const double *w)
{
    (void)step;
    const sp_domain *domain = run->context;
    CHECK_LESS_EQUAL(cblas_dnrm2(D, w, 1), domain->radius * (1.0 + 1e-12));
    CHECK(sp_domain_contains(domain, w));
}

static void stays_in_the_domain(sp_domain_kind kind, const char *loss)
{
    trial_problem t = { 0 };
    trial_run run = { .seed = 12, .watch = watch_domain, .context = &t.problem.domain };
    if (make_on(kind, 0.2385, loss, N, D, false, &t) && fits(&t)) {
        go("steps=25 eta=0.9", &t, usual(), &run);
        check_success(&run, D);
        watch_domain(&run, 0, run.w);
    }
    trial_end(&run);
    trial_drop(&t);
}

int main(int argc, char **argv)
{
    algorithm = argc > 1 ? sp_algorithm_find(argv[1]) : NULL;
    if (!algorithm) {
        fprintf(stderr, "no algorithm %s\n", argc > 1 ? argv[1] : "given");
        return 1;
    }
    CHECK_TEXT(algorithm->name, argv[1]);
    describes_itself();
    refuses_bad_parameters();

    size_t fitting = 0;
    for (size_t i = 0; i < LOSSES && (i + 1 < LOSSES || fitting == 0); i++) {
        trial_problem t = { 0 };
        bool found = false;
        for (size_t k = 0; k < GROUNDS && !found; k++) {
            trial_drop(&t);
            ground = grounds[k];
            found = make(losses[i], N, D, false, &t) && fits(&t);
        }
        if (found) {
            if (fitting++ == 0 && algorithm->follows_answers)
                follows_nothing_but_answers();
            repeats(&t);
            runs_in_every_mode(&t);
            tells_its_candidates(&t);
            if (!refuses_budgets()) {
                stays_within_budget(&t);
                prints_paper_or_refuses(&t);
            }
            reaches_the_minimum(&t);
            if (!stops_by_exact_answers(&t) && !algorithm->follows_answers)
                control_flow_is_public(losses[i]);
            survives_each_failed_allocation(&t, "steps=3");
            survives_each_failed_allocation(&t, "steps=3 batch=7");
            passes_on_a_failed_checkpoint(&t);
            runs_without_privacy(&t);
            runs_on_the_smallest_problem(losses[i]);
            for (size_t k = 1; k < GROUNDS; k++)
                stays_in_the_domain(grounds[k], losses[i]);
        }
        trial_drop(&t);
    }
    SP_CHECK_REPORT(fitting > 0, "%s fits no problem here", algorithm->name);
    return sp_check_done();
}
