/* audit.c -- runs the audits of audit.h on a method: chooses its fixtures and settings, and forms the verdicts. */
#include "core/audit/audit_internal.h"

#include "core/plan/registry.h"

#include <stdio.h>

/* The request: mu is about 1, where a ratio of two is seen best. */
#define EPSILON 4.0
#define DELTA 1e-5

/* One size for all: calibrations are what takes time, and transcripts remember them. */
enum { SMALL = 20, BATCH = 5, STEPS = 12 };

static const sp_fixture replay_fixtures[] = {
    { "opposite gradients, others zero, the first", NULL, SMALL, 3, 0.0, SP_PROBE_ZERO, SP_PROBE_FULL,
      -SP_PROBE_FULL, 0 },
    { "opposite gradients, others zero, in the middle", NULL, SMALL, 3, 0.0, SP_PROBE_ZERO, SP_PROBE_FULL,
      -SP_PROBE_FULL, 17 },
    { "opposite gradients, others zero, the last", NULL, SMALL, 5, 0.0, SP_PROBE_ZERO, SP_PROBE_FULL,
      -SP_PROBE_FULL, SMALL - 1 },
    { "opposite to all others", NULL, SMALL, 3, 0.0, SP_PROBE_FULL, SP_PROBE_FULL, -SP_PROBE_FULL, 0 },
    { "two records", NULL, 2, 1, 0.0, SP_PROBE_FULL, SP_PROBE_FULL, -SP_PROBE_FULL, 1 },
    { "opposite curvatures", NULL, SMALL, 1, 0.7, SP_PROBE_ZERO, SP_PROBE_CURVED, -SP_PROBE_CURVED, 5 },
    { "gradients beyond the bound", NULL, SMALL, 3, 0.3, SP_PROBE_CURVED, SP_PROBE_STEEP, -SP_PROBE_STEEP, 0 },
    { "NaN", NULL, SMALL, 3, 0.3, SP_PROBE_CURVED, SP_PROBE_NAN, SP_PROBE_FULL, 3 },
    { "infinite", NULL, SMALL, 3, 0.3, SP_PROBE_CURVED, SP_PROBE_INFINITE, -SP_PROBE_FULL, 3 },
};
enum { REPLAYS = sizeof replay_fixtures / sizeof *replay_fixtures };

/* From the boundary of a domain, which all others push against, or none. */
static const sp_fixture domain_fixtures[] = {
    { "against all others", NULL, SMALL, 3, 2.0, -SP_PROBE_FULL, -SP_PROBE_FULL, SP_PROBE_FULL, 4 },
    { "others zero, from a corner", NULL, SMALL, 3, 2.0, SP_PROBE_ZERO, -SP_PROBE_FULL, SP_PROBE_FULL, 11 },
};
enum { DOMAIN_FIXTURES = sizeof domain_fixtures / sizeof *domain_fixtures };

/* One record more: a gradient of zero is none, where sums are divided by a public number. */
static const sp_fixture more_fixtures[] = {
    { "one record more, opposite to the others", NULL, SMALL, 1, 0.0, SP_PROBE_FULL, -SP_PROBE_FULL, SP_PROBE_ZERO, 0 },
    { "one record more, others zero", NULL, SMALL, 1, 0.0, SP_PROBE_ZERO, SP_PROBE_FULL, SP_PROBE_ZERO, 0 },
};
enum { MORES = sizeof more_fixtures / sizeof *more_fixtures };

/* Of a one-run audit: what a thousand guesses can refute, which pay for 2000 delta. */
#define CANARY_EPSILON 3.0
#define CANARY_DELTA 1e-6

static const sp_fixture noise_fixture = { "opposite to all others", NULL, SMALL, 3, 0.0, SP_PROBE_FULL, SP_PROBE_FULL,
                                          -SP_PROBE_FULL, 0 };

static const sp_fixture trial_fixtures[] = {
    { "opposite to all others", NULL, SMALL, 1, 0.0, SP_PROBE_FULL, SP_PROBE_FULL, -SP_PROBE_FULL, 0 },
    { "opposite gradients, others zero", NULL, SMALL, 1, 0.0, SP_PROBE_ZERO, SP_PROBE_FULL, -SP_PROBE_FULL, 0 },
    { "opposite curvatures", NULL, SMALL, 1, 0.7, SP_PROBE_ZERO, SP_PROBE_CURVED, -SP_PROBE_CURVED, 0 },
};
enum { TRIALS = sizeof trial_fixtures / sizeof *trial_fixtures };

/* Of a method that does not take the whole space: it may be one for vertices. */
static const sp_fixture polytope_fixture = { "others zero", NULL, SMALL, 1, 0.0, SP_PROBE_ZERO, SP_PROBE_FULL,
                                             -SP_PROBE_FULL, 0 };

static const sp_calibration calibrations[] = { SP_CALIBRATE_TIGHT, SP_CALIBRATE_PAPER };
static const char *const calibration_names[] = { "tight", "paper" };
enum { CALIBRATIONS = sizeof calibrations / sizeof *calibrations };

const char *sp_audit_name(sp_audit_kind kind)
{
    static const char *const names[SP_AUDITS] = { "replay", "noise", "statistical", "one-run" };
    return names[kind];
}

typedef struct session {
    const sp_algorithm *algorithm;
    const sp_audit_options *options;
    sp_error *error;
    sp_transcript *transcript[SP_SIDES];
    sp_curve *curves;
    sp_neighbours neighbours;
    double until;
    bool elsewhere; /* it does not take the probe on the whole space, as it is */
    size_t verdicts;
} session;

static sp_audit_case case_of(session *s, const sp_fixture *fixture, const sp_neighbourhood *h,
                             const sp_audit_setting *setting, size_t calibration)
{
    const sp_privacy request = { .private = true, .epsilon = EPSILON, .delta = DELTA, .noise = true,
                                 .calibration = calibrations[calibration], .neighbours = s->neighbours };
    return (sp_audit_case){ fixture, h, setting, request, s->transcript, &s->curves, s->until };
}

/* The method, and the one inside it. */
static bool fits(const sp_audit_setting *setting, const sp_neighbourhood *h)
{
    const sp_algorithm *const of[] = { setting->method.algorithm, setting->inner.algorithm };
    for (size_t i = 0; i < 2; i++)
        if (of[i] && sp_misfit(of[i], &h->problem[SP_HERE].declared))
            return false;
    return true;
}

/* Of the probe's functions one alone is not convex. */
static bool has_concave(const sp_fixture *fixture)
{
    return fixture->others == -SP_PROBE_CURVED || fixture->here == -SP_PROBE_CURVED ||
           fixture->there == -SP_PROBE_CURVED;
}

typedef struct places {
    sp_domain_kind kind[3];
    size_t count;
} places;

/* Of the probe the whole space, an l2 and an l1 ball; of a registered loss a ball first: there all constants are
 * finite. */
static const places usual = { { SP_DOMAIN_SPACE, SP_DOMAIN_L2_BALL, SP_DOMAIN_L1_BALL }, 3 };
static const places bounded_first = { { SP_DOMAIN_L2_BALL, SP_DOMAIN_L1_BALL, SP_DOMAIN_SPACE }, 3 };

/* Makes the fixture on the first domain that the method fits on, then again as one that is known to be convex.
 * *fitting = false: on none of them. What is made is the caller's to free. */
static sp_status settle(session *s, const sp_audit_setting *setting, const places *where, sp_fixture *fixture,
                        sp_neighbourhood *h, bool *fitting)
{
    sp_status status = SP_OK;
    *fitting = false;
    const size_t tries = fixture->loss || has_concave(fixture) ? 1 : 2;
    for (size_t i = 0; i < tries * where->count && !*fitting; i++) {
        sp_neighbourhood_free(h);
        fixture->domain = where->kind[i % where->count];
        fixture->convex = i >= where->count;
        SP_TRY(sp_neighbourhood_make(fixture, h, s->error));
        *fitting = fits(setting, h);
        s->elsewhere = s->elsewhere || !*fitting;
    }
cleanup:
    return status;
}

/* ", on a simplex"; "" where the fixture is usually. */
static void describe(const sp_fixture *fixture, char *out, size_t room)
{
    static const char *const names[] = { "the whole space", "an l2 ball", "an l1 ball", "an lp ball", "a simplex",
                                         "a box", "a polytope" };
    const sp_domain_kind own = fixture->loss ? SP_DOMAIN_L2_BALL : SP_DOMAIN_SPACE;
    snprintf(out, room, "%s%s%s%s", fixture->name, fixture->domain != own ? ", on " : "",
             fixture->domain != own ? names[fixture->domain] : "", fixture->convex ? ", convex" : "");
}

static void say(session *s, const sp_audit_verdict *verdict)
{
    s->verdicts++;
    s->options->report(s->options->context, verdict);
}

/* --- replay ------------------------------------------------------------------------------------------------- */

typedef struct replaying {
    session *session;
    const sp_fixture *fixture;
    const sp_neighbourhood *neighbourhood;
    sp_replays done;
    uint64_t seed;
    size_t left_out; /* settings, when time was up */
    sp_text finding;
} replaying;

/* Under every calibration that the method has. */
static sp_status replay_setting(replaying *r, const sp_audit_setting *setting)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < CALIBRATIONS && r->finding.length == 0; i++) {
        const sp_audit_case c = case_of(r->session, r->fixture, r->neighbourhood, setting, i);
        sp_text finding = { 0 };
        if (sp_audit_late(&c)) {
            r->left_out++;
            continue;
        }
        status = sp_audit_replay(&c, r->seed, &r->done, &finding, r->session->error);
        if (status == SP_OK && finding.length > 0)
            sp_text_append(&r->finding, "%s%s%s: %s", setting->name, *setting->name ? ", " : "", calibration_names[i],
                           finding.data);
        sp_text_free(&finding);
        if (status == SP_EUNSUPPORTED)
            status = SP_OK;
        SP_TRY(status);
    }
cleanup:
    return status;
}

static sp_status replay_words(replaying *r, const sp_audit_setting *base, const sp_param *param)
{
    sp_status status = SP_OK;
    char words[256];
    snprintf(words, sizeof words, "%s", param->kind == SP_CHOICE ? param->choices : "true|false");
    char *rest = words;
    for (char *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
        sp_audit_setting setting = *base;
        if (sp_audit_setting_word(&setting, param->key, word))
            SP_TRY(replay_setting(r, &setting));
    }
cleanup:
    return status;
}

/* The defaults; batches of 1, of 5, of all; every word and flag; small values of the counts that are derived. */
static sp_status replay_settings(replaying *r, const sp_audit_setting *base)
{
    sp_status status = SP_OK;
    const double batch[] = { 1.0, BATCH, (double)r->fixture->n };
    SP_TRY(replay_setting(r, base));
    for (size_t i = 0; i < sizeof batch / sizeof *batch; i++) {
        sp_audit_setting setting = *base;
        if (batch[i] <= (double)r->fixture->n && sp_audit_setting_number(&setting, "batch", batch[i]))
            SP_TRY(replay_setting(r, &setting));
    }
    for (const sp_param *p = base->method.values.params; p && p->key; p++) {
        sp_audit_setting setting = *base;
        if (p->kind == SP_CHOICE || p->kind == SP_FLAG)
            SP_TRY(replay_words(r, base, p));
        else if (p->kind == SP_COUNT && isnan(p->initial) && strcmp(p->key, "batch") != 0 &&
                 strcmp(p->key, "steps") != 0 &&
                 sp_audit_setting_number(&setting, p->key, fmin(3.0, (double)r->fixture->n))) /* it may count records */
            SP_TRY(replay_setting(r, &setting));
    }
cleanup:
    return status;
}

/* On every domain: the defaults, with streams that put the record into other places, if a method takes some alone. */
static sp_status replay_seeds(replaying *r, const sp_audit_setting *base)
{
    enum { SEEDS = 4 };
    sp_status status = SP_OK;
    for (size_t i = 0; i < SEEDS; i++, r->seed++)
        SP_TRY(replay_setting(r, base));
cleanup:
    return status;
}

/* With `inner` where the method takes another (NULL: the usual one). With it, or under add-remove neighbours, some
 * settings are refused. */
static sp_status replay_fixture(session *s, sp_fixture fixture, const places *where, const sp_algorithm *inner)
{
    sp_status status = SP_OK;
    sp_neighbourhood h = { 0 };
    sp_audit_setting base;
    bool fitting;
    replaying r = { .session = s, .fixture = &fixture, .neighbourhood = &h, .seed = s->options->seed,
                    .done.may_refuse = inner || s->neighbours != SP_REPLACE_ONE };
    sp_audit_verdict verdict = { .audit = SP_AUDIT_REPLAY, .rejected = NAN };
    char place[80];
    SP_TRY(sp_audit_setting_start(s->algorithm, inner, STEPS, &base, s->error));
    SP_TRY(settle(s, &base, where, &fixture, &h, &fitting));
    if (!fitting)
        goto cleanup;
    SP_TRY((where->count == 1 ? replay_seeds : replay_settings)(&r, &base));
    if (r.finding.failed)
        SP_TRY(sp_fail(s->error, SP_ENOMEM, "audit: out of memory"));
    describe(&fixture, place, sizeof place);
    snprintf(verdict.fixture, sizeof verdict.fixture, "%s%s%s", place, inner ? "; with " : "",
             inner ? inner->name : "");
    verdict.passed = r.finding.length == 0;
    verdict.left_out = verdict.passed && r.left_out > 0;
    if (!verdict.passed)
        snprintf(verdict.detail, sizeof verdict.detail, "%.*s", (int)sizeof verdict.detail - 1, r.finding.data);
    else if (r.done.runs == 0 && r.left_out == 0) { /* nothing to say */
        verdict.left_out = true;
        snprintf(verdict.detail, sizeof verdict.detail, "it refuses: %.512s", s->error ? s->error->text : "");
    } else if (verdict.left_out)
        snprintf(verdict.detail, sizeof verdict.detail, "%zu settings; of the others %zu runs, in which nothing was "
                 "found", r.left_out, r.done.runs);
    else if (r.done.refused > 0 && r.done.refused == r.done.runs)
        snprintf(verdict.detail, sizeof verdict.detail, "it refuses: %s", r.done.refusal);
    else if (r.done.refused > 0)
        snprintf(verdict.detail, sizeof verdict.detail, "%zu runs, %zu of them refused, %zu calls; moved by %.4f of "
                 "the sensitivity at most", r.done.runs, r.done.refused, r.done.calls, r.done.move);
    else
        snprintf(verdict.detail, sizeof verdict.detail, "%zu runs, %zu calls; moved by %.4f of the sensitivity at most",
                 r.done.runs, r.done.calls, r.done.move);
    say(s, &verdict);
cleanup:
    sp_text_free(&r.finding);
    sp_neighbourhood_free(&h);
    return status;
}

static sp_status replay_all(session *s)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < REPLAYS; i++)
        SP_TRY(replay_fixture(s, replay_fixtures[i], &usual, NULL));
    for (size_t i = 0; i < sp_loss_count; i++) {
        if (!sp_audit_takes(s->options->plan, sp_losses[i]))
            continue;
        const sp_fixture fixture = { sp_losses[i]->name, .loss = sp_losses[i], .n = SMALL, .d = 5, .place = 13 };
        SP_TRY(replay_fixture(s, fixture, &bounded_first, NULL));
    }
    for (int kind = SP_DOMAIN_L2_BALL; kind <= SP_DOMAIN_POLYTOPE; kind++)
        for (size_t i = 0; i < DOMAIN_FIXTURES; i++)
            SP_TRY(replay_fixture(s, domain_fixtures[i], &(places){ { (sp_domain_kind)kind }, 1 }, NULL));
cleanup:
    return status;
}

/* A method that takes others: with each method of the checkout in it. */
static sp_status replay_inside(session *s)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < sp_algorithm_count && sp_audit_nests(s->algorithm); i++)
        if (sp_audit_private(sp_algorithms[i]) && !sp_audit_nests(sp_algorithms[i]) && !sp_is_extra(sp_algorithms[i]) &&
            !sp_algorithms[i]->ignores_data)
            SP_TRY(replay_fixture(s, noise_fixture, &usual, sp_algorithms[i]));
cleanup:
    return status;
}

/* --- noise and statistics ------------------------------------------------------------------------------------ */

typedef sp_status audit(const sp_audit_case *, const sp_audit_options *, sp_audit_verdict *, sp_error *);

static sp_status distribution(session *s, sp_audit_kind kind, const sp_neighbourhood *h, const sp_fixture *fixture,
                              const sp_audit_setting *setting, size_t calibration)
{
    static audit *const audits[] = { [SP_AUDIT_NOISE] = sp_audit_noise, [SP_AUDIT_STATISTICAL] = sp_audit_statistical };
    const sp_audit_case c = case_of(s, fixture, h, setting, calibration);
    sp_audit_verdict verdict = { .audit = kind, .rejected = NAN };
    char place[80];
    describe(fixture, place, sizeof place);
    snprintf(verdict.fixture, sizeof verdict.fixture, "%s; %s%s%s", place, setting->name, *setting->name ? ", " : "",
             calibration_names[calibration]);
    sp_audit_options options = *s->options;
    options.seed += (uint64_t)s->verdicts << 32; /* streams of its own */
    const sp_status status = audits[kind](&c, &options, &verdict, s->error);
    if (status == SP_OK)
        say(s, &verdict);
    return status == SP_EUNSUPPORTED && calibrations[calibration] == SP_CALIBRATE_PAPER ? SP_OK : status;
}

/* On all records, and where there are batches on those of a quarter; the printed formula on one of the two. */
static sp_status distributions(session *s, sp_audit_kind kind, sp_fixture fixture, const places *where, bool paper)
{
    sp_status status = SP_OK;
    sp_neighbourhood h = { 0 };
    sp_audit_setting base, quarter, all;
    bool fitting;
    SP_TRY(sp_audit_setting_start(s->algorithm, NULL, STEPS, &base, s->error));
    SP_TRY(settle(s, &base, where, &fixture, &h, &fitting));
    if (!fitting)
        goto cleanup;
    quarter = all = base;
    if (sp_audit_setting_number(&quarter, "batch", BATCH)) {
        sp_audit_setting_number(&all, "batch", (double)fixture.n);
        SP_TRY(distribution(s, kind, &h, &fixture, &quarter, 0));
    }
    if (s->neighbours == SP_REPLACE_ONE) /* else all records are no sample */
        SP_TRY(distribution(s, kind, &h, &fixture, &all, 0));
    if (paper)
        SP_TRY(distribution(s, kind, &h, &fixture, &quarter, 1));
cleanup:
    sp_neighbourhood_free(&h);
    return status;
}

/* A method that fits no probe: on two records of the losses that it fits, of which one is turned to its opposite. */
static sp_status distributions_all(session *s)
{
    sp_status status = SP_OK;
    const size_t before = s->verdicts;
    s->elsewhere = false;
    SP_TRY(distributions(s, SP_AUDIT_NOISE, noise_fixture, &usual, true));
    for (size_t i = 0; i < TRIALS; i++)
        SP_TRY(distributions(s, SP_AUDIT_STATISTICAL, trial_fixtures[i], &usual, i == 0));
    if (s->elsewhere)
        SP_TRY(distributions(s, SP_AUDIT_STATISTICAL, polytope_fixture, &(places){ { SP_DOMAIN_POLYTOPE }, 1 }, false));
    for (size_t i = 0; i < sp_loss_count && s->verdicts == before; i++) {
        if (!sp_audit_takes(s->options->plan, sp_losses[i]))
            continue;
        const sp_fixture pair = { sp_losses[i]->name, .loss = sp_losses[i], .n = 2, .d = 1, .place = 1 };
        SP_TRY(distributions(s, SP_AUDIT_NOISE, pair, &bounded_first, true));
        SP_TRY(distributions(s, SP_AUDIT_STATISTICAL, pair, &bounded_first, true));
    }
cleanup:
    return status;
}

static sp_audit_case canary_case(session *s, const sp_fixture *fixture, const sp_audit_setting *setting)
{
    sp_audit_case c = case_of(s, fixture, NULL, setting, 0);
    c.privacy.epsilon = CANARY_EPSILON;
    c.privacy.delta = CANARY_DELTA;
    return c;
}

static bool squares(const sp_transcript *transcript, size_t d)
{
    bool any = false;
    for (size_t i = 0; i < sp_transcript_count(transcript); i++)
        any |= sp_transcript_at(transcript, i)->size > d;
    return any;
}

/* One run with `d` canaries, whose coins are all the same. *fitting = false: it misfits or refuses. */
static sp_status pilot(session *s, const sp_loss *loss, size_t d, sp_audit_setting *setting, sp_fixture *fixture,
                       bool *fitting)
{
    sp_status status = SP_OK;
    sp_neighbourhood h = { 0 };
    sp_run_record record = { 0 };
    bool *coin = sp_alloc(d, sizeof *coin);
    *fixture = (sp_fixture){ "canaries", loss, d, d, 0.0, -SP_PROBE_FULL, SP_PROBE_FULL, -SP_PROBE_FULL, 0,
                             .coin = coin };
    if (!coin)
        SP_TRY(sp_fail(s->error, SP_ENOMEM, "audit: out of memory"));
    SP_TRY(sp_audit_setting_start(s->algorithm, NULL, STEPS, setting, s->error));
    sp_audit_setting_number(setting, "batch", (double)d);
    SP_TRY(settle(s, setting, loss ? &bounded_first : &usual, fixture, &h, fitting));
    if (*fitting) {
        const sp_trial trial = { &setting->method, &h.problem[SP_HERE], canary_case(s, fixture, setting).privacy,
                                 s->options->seed, s->transcript[SP_HERE], NULL, NULL };
        sp_transcript_record(s->transcript[SP_HERE]);
        SP_TRY(sp_trial_run(&trial, &record, s->error));
        if (record.status == SP_ENOMEM) /* no refusal */
            SP_TRY(sp_fail(s->error, SP_ENOMEM, "%s: out of memory", s->algorithm->name));
        *fitting = record.status == SP_OK;
    }
cleanup:
    sp_run_record_free(&record);
    sp_neighbourhood_free(&h);
    free(coin);
    fixture->coin = NULL;
    return status;
}

/* In one run if a thousand dimensions are no hardship: then no Hessian is released. A method that fits no probe: on
 * records of the first loss that it fits. */
static sp_status canaries(session *s)
{
    enum { SIZES = 3 };
    static const size_t few[SIZES] = { 64, 8, 2 };
    sp_status status = SP_OK;
    sp_audit_verdict verdict = { .audit = SP_AUDIT_ONE_RUN, .rejected = NAN };
    sp_audit_setting setting, large;
    sp_fixture fixture, wide;
    sp_audit_options options = *s->options;
    bool fitting = false, fits_wide = false;
    for (size_t i = 0; i < SIZES && !fitting; i++)
        SP_TRY(pilot(s, NULL, few[i], &setting, &fixture, &fitting));
    for (size_t i = 0; i < SIZES * sp_loss_count && !fitting; i++)
        if (sp_audit_takes(s->options->plan, sp_losses[i / SIZES]))
            SP_TRY(pilot(s, sp_losses[i / SIZES], few[i % SIZES], &setting, &fixture, &fitting));
    if (fitting && !fixture.loss && fixture.d == few[0] && !squares(s->transcript[SP_HERE], fixture.d))
        SP_TRY(pilot(s, NULL, SP_CANARIES, &large, &wide, &fits_wide));
    const sp_audit_case c = canary_case(s, fits_wide ? &wide : &fixture, fits_wide ? &large : &setting);
    char place[80];
    describe(&fixture, place, sizeof place);
    snprintf(verdict.fixture, sizeof verdict.fixture, "%s%s%s", fitting ? place : "canaries",
             fitting && fixture.loss ? "; " : "", fitting && fixture.loss ? fixture.loss->name : "");
    if (fitting) {
        options.seed += (uint64_t)s->verdicts << 32;
        SP_TRY(sp_audit_one_run(&c, &options, &verdict, s->error));
    } else {
        verdict.left_out = true;
        snprintf(verdict.detail, sizeof verdict.detail, "the method takes none of the problems");
    }
    say(s, &verdict);
cleanup:
    return status;
}

/* Under add-remove neighbours, where the method runs under them. */
static sp_status one_more(session *s)
{
    sp_status status = SP_OK;
    if (!s->algorithm->add_remove)
        return SP_OK;
    s->neighbours = SP_ADD_REMOVE;
    for (size_t i = 0; i < MORES; i++) {
        SP_TRY(replay_fixture(s, more_fixtures[i], &usual, NULL));
        SP_TRY(distributions(s, SP_AUDIT_STATISTICAL, more_fixtures[i], &usual, false));
    }
cleanup:
    s->neighbours = SP_REPLACE_ONE;
    return status;
}

/* A method without noise, or without a theorem, has to refuse a budget before it touches a record. */
static sp_status refuses(session *s)
{
    sp_status status = SP_OK;
    sp_neighbourhood h = { 0 };
    sp_audit_setting base;
    sp_run_record record = { 0 };
    sp_audit_verdict verdict = { .audit = SP_AUDIT_REPLAY, .fixture = "a budget", .rejected = NAN };
    SP_TRY(sp_neighbourhood_make(&replay_fixtures[0], &h, s->error));
    SP_TRY(sp_audit_setting_start(s->algorithm, NULL, STEPS, &base, s->error));
    const sp_trial trial = { &base.method, &h.problem[SP_HERE], case_of(s, NULL, &h, &base, 0).privacy,
                             s->options->seed, s->transcript[SP_HERE], NULL, NULL };
    sp_transcript_record(s->transcript[SP_HERE]);
    SP_TRY(sp_trial_run(&trial, &record, s->error));
    if (record.status == SP_ENOMEM) /* no refusal */
        SP_TRY(sp_fail(s->error, SP_ENOMEM, "%s: out of memory", s->algorithm->name));
    verdict.passed = record.status != SP_OK && sp_transcript_count(s->transcript[SP_HERE]) == 0;
    snprintf(verdict.detail, sizeof verdict.detail, "%s: %s%.512s",
             s->algorithm->uncertified ? "uncertified" : "not private", verdict.passed ? "it refuses, " : "it runs",
             record.message);
    say(s, &verdict);
cleanup:
    sp_run_record_free(&record);
    sp_neighbourhood_free(&h);
    return status;
}

sp_status sp_audit(const sp_algorithm *algorithm, const sp_audit_options *options, sp_error *error)
{
    sp_status status = SP_OK;
    session s = { .algorithm = algorithm, .options = options, .error = error,
                  .until = options->seconds > 0.0 ? sp_now() + options->seconds : INFINITY };
    for (size_t i = 0; i < SP_SIDES; i++)
        if (!(s.transcript[i] = sp_transcript_new()))
            SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    if (algorithm->non_private_only || algorithm->uncertified) {
        status = refuses(&s);
        goto cleanup;
    }
    SP_TRY(replay_all(&s));
    SP_TRY(replay_inside(&s));
    if (!algorithm->ignores_data) { /* it has no noise, and no releases to tell neighbours apart by */
        SP_TRY(distributions_all(&s));
        SP_TRY(one_more(&s));
        SP_TRY(canaries(&s));
    }
    if (s.verdicts == 0)
        SP_TRY(sp_fail(error, SP_EMISFIT, "%s fits no fixture of the audits", algorithm->name));
cleanup:
    for (size_t i = SP_SIDES; i > 0; i--)
        sp_transcript_free(s.transcript[i - 1]);
    sp_curves_free(s.curves);
    return status;
}
