/* unit/repeat.c -- the best of a random number of runs (sp_repeat): how many there are, what each may spend, which one
 * is kept and what is told of the others, what is charged and what is refused. */
#include "core/accountant/repetitions.h"
#include "core/oracle/replay.h"
#include "tests/private_problem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>

enum { N = 30, D = 3 };

/* What a run does here: a gradient, a random step, and what the test asks for. */
typedef struct errand {
    size_t runs;
    double rho, multiplier;      /* of the last run's child, and of its gradient */
    sp_status fail;              /* the status of failing runs; SP_OK: none */
    size_t failing;              /* runs below this number fail; 0: by coin, every other one */
    bool by_coin, beyond, subset, loud;
    sp_status second, sampled;   /* of a release beyond the budget, and of a plan of subsets */
} errand;

static sp_status attempt(void *context, sp_oracle *run, double *answer)
{
    errand *e = context;
    sp_status status = SP_OK;
    double g[D];
    sp_batch all;
    const size_t number = e->runs++;
    const double u = gsl_rng_uniform(sp_coins(run));
    e->rho = sp_budget_of(run)->rho;
    if (e->loud) {
        sp_warn(run, "warned by a run");
        SP_TRY(sp_checkpoint(run, 5, sp_start(run)));
        SP_TRY(sp_candidate(run, sp_start(run)));
        SP_TRY(sp_hand_over(run, sp_start(run)));
    }
    sp_resolved(run, "eta", u, SP_FROM_USER);
    if (e->subset)
        e->sampled = sp_calibrate(run, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_subset(5), .count = 1 }, 1,
                                  &e->multiplier);
    SP_TRY(sp_calibrate(run, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = 1 }, 1,
                        &e->multiplier));
    SP_TRY(sp_draw(run, sp_full(), &all));
    SP_TRY(sp_gradient(run, &SP_AT(all, sp_start(run)), e->multiplier, g));
    if (e->beyond)
        e->second = sp_gradient(run, &SP_AT(all, sp_start(run)), 1e4, g);
    for (size_t j = 0; j < D; j++)
        answer[j] = sp_start(run)[j] - 4.0 * (u - 0.3) * g[j];
    answer[D] = u;
    if (e->fail != SP_OK && (e->by_coin ? u < 0.5 : number < e->failing))
        SP_TRY(sp_refuse(run, e->fail, "run %zu failed as it was told", number));
cleanup:
    return status;
}

static sp_repeats ten(errand *e)
{
    return (sp_repeats){ .mean = 10.0, .score = 0.2, .stage = "method", .size = D + 1, .attempt = attempt,
                         .context = e };
}

static size_t checkpoints;

static sp_status on_checkpoint(void *context, size_t step, const double *w)
{
    (void)context, (void)step, (void)w;
    checkpoints++;
    return SP_OK;
}

static sp_status on_candidate(void *context, const double *w)
{
    (void)context, (void)w;
    checkpoints++;
    return SP_OK;
}

static sp_status on_hand_over(void *context, size_t depth, const double *w)
{
    (void)context, (void)depth, (void)w;
    checkpoints++;
    return SP_OK;
}

static sp_oracle *oracle(const private_problem *p, sp_privacy privacy, uint64_t seed, sp_transcript *transcript)
{
    sp_oracle *o = NULL;
    sp_error error = { .text = "" };
    sp_oracle_options options = private_options(p, privacy, seed);
    options.transcript = transcript;
    options.checkpoint = on_checkpoint;
    options.candidate = on_candidate;
    options.hand_over = on_hand_over;
    if (transcript)
        sp_transcript_record(transcript);
    SP_CHECK_REPORT(sp_oracle_new(&options, &o, &error) == SP_OK, "%s", error.text);
    return o;
}

/* --- what is chosen and what is charged --------------------------------------------------------------------------- */

static void best(const private_problem *p)
{
    sp_transcript *transcript = sp_transcript_new();
    size_t later = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        errand e = { .beyond = true, .subset = seed % 2 == 0 };
        double answer[D + 1], score = NAN, least = INFINITY, chosen = NAN;
        size_t runs = 0, kept = 0, kept_run = 0;
        sp_oracle *o = oracle(p, private_tight, seed, transcript);
        const sp_repeats r = ten(&e);
        OK(o, sp_repeat(o, &r, answer, &score));
        /* of the ledger, alone: one run's rho, solved for */
        const sp_ledger *ledger = sp_oracle_ledger(o);
        const sp_entry *entry = &ledger->entry[0];
        CHECK(ledger->count == 1 && entry->kind == SP_LEDGER_SELECT && entry->count == 1 && entry->mean == 10.0 &&
              entry->shape == 0.0 && entry->filter == SP_FILTER_NONE);
        CHECK_EQUAL(entry->cap, sp_repetitions_cap(0.0, 10.0, 1e-3 * 1e-6 / (1.0 + M_E)));
        sp_bounds spent;
        CHECK(sp_oracle_spent(o, &spent, NULL) == SP_OK && spent.best <= 1.0 && spent.best > 1.0 - 1e-6 &&
              spent.bound == SP_BOUND_RDP);
        const double rho = 0.5 / gsl_pow_2(entry->noise_multiplier);
        CHECK_NEAR(e.rho / rho, 0.8, 1e-12);
        CHECK_NEAR(e.multiplier * sqrt(2.0 * 0.8 * rho), 1.0, 1e-9);
        CHECK_EQUAL(e.second, SP_EBUDGET);
        CHECK(!e.subset || e.sampled == SP_EPRIVACY);
        for (size_t i = 0; i < sp_transcript_count(transcript); i++) {
            const sp_event *event = sp_transcript_at(transcript, i);
            kept += !event->forgotten;
            if (strcmp(event->primitive, "mean_loss") != 0)
                continue;
            runs++;
            /* 2 L r / n, and noise of a fifth of rho */
            double r2 = 0.0;
            for (size_t j = 0; j < D; j++)
                r2 += gsl_pow_2(event->point[0][j] - p->problem.start[j]);
            CHECK_NEAR(event->sensitivity, 2.0 * sqrt(r2) / N, 1e-14);
            CHECK_NEAR(event->noise_std / event->sensitivity * sqrt(2.0 * 0.2 * rho), 1.0, 1e-9);
            if (event->answer[0] < least) {
                least = event->answer[0];
                chosen = event->point[0][0];
                kept_run = runs;
            }
        }
        CHECK_EQUAL(runs, e.runs);
        CHECK(score == least && answer[0] == chosen);
        CHECK_EQUAL(kept, 2); /* a gradient and a score; what is beyond the budget was refused */
        CHECK_EQUAL(sp_oracle_cost(o).releases, 2 * runs);
        CHECK_NEAR(sp_oracle_cost(o).gradients, (double)(runs * N), 0.0);
        const char *name = NULL;
        const sp_oracle *stage = sp_oracle_stage(o, 0, &name);
        CHECK_TEXT(name, "method");
        CHECK(stage && sp_told(stage, "eta") == answer[D] && !sp_oracle_stage(o, 1, &name));
        later += kept_run > 1;
        sp_oracle_free(o);
    }
    CHECK(later > 10);
    sp_transcript_free(transcript);
}

/* K has its law: 4,000 oracles, chi^2 at 1e-6. */
static void numbers_of_runs(const private_problem *p)
{
    enum { TRIALS = 4000, CELLS = 12 };
    const double shapes[] = { 0.0, 1.0 };
    for (size_t s = 0; s < 2; s++) {
        double seen[CELLS] = { 0.0 }, chi2 = 0.0, below = 0.0;
        for (uint64_t seed = 0; seed < TRIALS; seed++) {
            errand e = { .runs = 0 };
            double answer[D + 1], score;
            sp_oracle *o = oracle(p, private_none, 100 + seed, NULL);
            sp_repeats r = ten(&e);
            r.mean = 4.0;
            r.shape = shapes[s];
            OK(o, sp_repeat(o, &r, answer, &score));
            seen[e.runs < CELLS ? e.runs - 1 : CELLS - 1]++;
            sp_oracle_free(o);
        }
        for (size_t k = 1; k <= CELLS; k++) { /* by the tails, for the law is tested where it is */
            const double beyond = k < CELLS ? 1.0 : 0.0;
            double sum = 0.0, term, q = -expm1(-sp_repetitions_log_gamma(shapes[s], 4.0)), all = 0.0;
            term = q;
            for (size_t i = 1; i < 4000; i++) {
                all += term;
                if (i <= k)
                    sum += term;
                term *= q * ((double)i + shapes[s]) / ((double)i + 1.0);
            }
            const double expected = TRIALS * ((beyond > 0.0 ? sum / all : 1.0) - below);
            below += expected / TRIALS;
            chi2 += gsl_pow_2(seen[k - 1] - expected) / expected;
        }
        CHECK_LESS_EQUAL(chi2, gsl_cdf_chisq_Qinv(1e-6, CELLS - 1.0));
    }
}

/* --- what is told ------------------------------------------------------------------------------------------------- */

static void silence(const private_problem *p)
{
    errand e = { .loud = true };
    double answer[D + 1], score;
    sp_oracle *o = oracle(p, private_tight, 3, NULL);
    const sp_repeats r = ten(&e);
    checkpoints = 0;
    OK(o, sp_repeat(o, &r, answer, &score));
    CHECK(e.runs > 1);
    CHECK_EQUAL(checkpoints, 0);
    CHECK_TEXT(sp_oracle_warning(o), "warned by a run"); /* the best one's, once */
    OK(o, sp_checkpoint(o, 1, answer));
    CHECK_EQUAL(checkpoints, 1);
    sp_oracle_free(o);
}

/* Runs that fail have the score INFINITY; where all do, the answer is a failure. What stops a program stops all. */
static void failures(const private_problem *p)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        errand e = { .fail = SP_ENUMERIC, .by_coin = true };
        double answer[D + 1], score = NAN;
        sp_oracle *o = oracle(p, private_tight, seed, NULL);
        const sp_repeats r = ten(&e);
        const sp_status status = sp_repeat(o, &r, answer, &score);
        if (status == SP_OK) {
            CHECK(isfinite(score) && answer[D] >= 0.5);
        } else {
            CHECK_EQUAL(status, SP_ENUMERIC);
            CHECK(isinf(score) && score > 0.0 && answer[D] < 0.5);
            CHECK_CONTAINS(sp_oracle_error(o)->text, "failed as it was told");
        }
        CHECK_EQUAL(sp_oracle_ledger(o)->count, 1);
        sp_oracle_free(o);
    }
    const sp_status fatal[] = { SP_ENOMEM, SP_ELIMIT, SP_EINTERRUPTED };
    for (size_t i = 0; i < 3; i++) {
        errand e = { .fail = fatal[i], .failing = 1 };
        double answer[D + 1], score;
        sp_oracle *o = oracle(p, private_tight, 3, NULL);
        const sp_repeats r = ten(&e);
        CHECK_EQUAL(sp_repeat(o, &r, answer, &score), fatal[i]);
        CHECK_EQUAL(e.runs, 1);
        sp_oracle_free(o);
    }
}

/* Without noise, and without a budget: the same runs. */
static void without_noise(const private_problem *p)
{
    errand e[2] = { { .runs = 0 }, { .runs = 0 } };
    const sp_privacy privacies[] = { private_silent, private_none };
    double answer[D + 1], score;
    for (size_t i = 0; i < 2; i++) {
        sp_oracle *o = oracle(p, privacies[i], 3, NULL);
        const sp_repeats r = ten(&e[i]);
        OK(o, sp_repeat(o, &r, answer, &score));
        CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
        sp_workspace *space = sp_workspace_new(&p->problem);
        CHECK_NEAR(score, sp_problem_value(&p->problem, space, answer) -
                              sp_problem_value(&p->problem, space, p->problem.start), 1e-14);
        sp_workspace_free(space);
        sp_oracle_free(o);
    }
    CHECK_EQUAL(e[0].runs, e[1].runs);
    CHECK(e[0].rho > 0.0 && e[0].rho < 0.0192 && isinf(e[1].rho)); /* the schedule's budget with the noise off */
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void refusals(const private_problem *p)
{
    errand e = { .runs = 0 };
    double answer[D + 1], score, g[D];
    sp_batch all;
    sp_oracle *o = oracle(p, private_tight, 3, NULL), *child = NULL;
    sp_repeats r = ten(&e);
    const double means[] = { 1.0, 0.0, NAN, INFINITY }, bad_shapes[] = { -1.0, NAN, INFINITY },
                 scores[] = { 0.0, 1.0, NAN };
    for (size_t i = 0; i < 4; i++) {
        r.mean = means[i];
        REFUSED(o, sp_repeat(o, &r, answer, &score), SP_EINVAL, "must be > 1");
    }
    r = ten(&e);
    for (size_t i = 0; i < 3; i++) {
        r.shape = bad_shapes[i];
        REFUSED(o, sp_repeat(o, &r, answer, &score), SP_EINVAL, "shape =");
    }
    r = ten(&e);
    for (size_t i = 0; i < 3; i++) {
        r.score = scores[i];
        REFUSED(o, sp_repeat(o, &r, answer, &score), SP_EINVAL, "must be in (0, 1)");
    }
    r = ten(&e);
    r.size = D - 1;
    REFUSED(o, sp_repeat(o, &r, answer, &score), SP_EINVAL, "size = 2");
    CHECK_EQUAL(e.runs, 0);
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_REPEAT, .share = 1.0 }, &child), SP_EINVAL,
            "sp_repeat's to make");

    r = ten(&e);
    OK(o, sp_repeat(o, &r, answer, &score)); /* after which there is nothing left */
    CHECK(sp_remaining(o) == 0.0);
    OK(o, sp_draw(o, sp_full(), &all));
    CHECK_EQUAL(sp_gradient(o, &SP_AT(all, answer), 1e6, g), SP_EBUDGET);
    const size_t runs = e.runs;
    CHECK(sp_repeat(o, &r, answer, &score) != SP_OK);
    CHECK_EQUAL(e.runs, runs);
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 1);
    sp_oracle_free(o);

    o = oracle(p, private_tight, 3, NULL); /* after another release */
    OK(o, sp_gradient(o, &SP_AT(all, answer), 1e3, g));
    CHECK_EQUAL(sp_repeat(o, &r, answer, &score), SP_EPRIVACY);
    CHECK_EQUAL(e.runs, runs);
    sp_oracle_free(o);

    for (int silent = 0; silent < 2; silent++) { /* a budget in zCDP */
        o = oracle(p, silent ? private_silent : private_tight, 3, NULL);
        OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.5 }, &child));
        REFUSED(child, sp_repeat(child, &r, answer, &score), SP_EPRIVACY, "sp_repeat: this oracle's budget is kept in");
        sp_oracle_free(o);
    }
    o = oracle(p, private_tight, 3, NULL); /* of a share of epsilon and delta it is made */
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.5 }, &child));
    OK(child, sp_repeat(child, &r, answer, &score));
    sp_bounds spent;
    CHECK(sp_oracle_spent(o, &spent, NULL) == SP_OK && spent.best < 0.5);
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 1);
    sp_oracle_free(o);

    sp_privacy add_remove = private_tight;
    add_remove.neighbours = SP_ADD_REMOVE;
    o = oracle(p, add_remove, 3, NULL);
    REFUSED(o, sp_repeat(o, &r, answer, &score), SP_EPRIVACY, "sp_repeat: privacy.neighbours");
    sp_oracle_free(o);
    o = oracle(p, private_paper, 3, NULL);
    REFUSED(o, sp_repeat(o, &r, answer, &score), SP_EUNSUPPORTED, "no printed formula");
    sp_oracle_free(o);
}

int main(void)
{
    private_problem p;
    gsl_set_error_handler_off();
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    best(&p);
    numbers_of_runs(&p);
    silence(&p);
    failures(&p);
    without_noise(&p);
    refusals(&p);
    private_problem_free(&p);
    return sp_check_done();
}
