/* audit.c -- which fixtures and settings an algorithm is audited on, and the verdicts. */
#include "core/audit/parts.h"

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

static const sp_fixture noise_fixture = { "opposite to all others", NULL, SMALL, 3, 0.0, SP_PROBE_FULL, SP_PROBE_FULL,
                                          -SP_PROBE_FULL, 0 };

static const sp_fixture trial_fixtures[] = {
    { "opposite to all others", NULL, SMALL, 1, 0.0, SP_PROBE_FULL, SP_PROBE_FULL, -SP_PROBE_FULL, 0 },
    { "opposite gradients, others zero", NULL, SMALL, 1, 0.0, SP_PROBE_ZERO, SP_PROBE_FULL, -SP_PROBE_FULL, 0 },
    { "opposite curvatures", NULL, SMALL, 1, 0.7, SP_PROBE_ZERO, SP_PROBE_CURVED, -SP_PROBE_CURVED, 0 },
};
enum { TRIALS = sizeof trial_fixtures / sizeof *trial_fixtures };

static const sp_calibration calibrations[] = { SP_CALIBRATE_TIGHT, SP_CALIBRATE_PAPER };
static const char *const calibration_names[] = { "tight", "paper" };
enum { CALIBRATIONS = sizeof calibrations / sizeof *calibrations };

const char *sp_audit_name(sp_audit_kind kind)
{
    static const char *const names[SP_AUDITS] = { "replay", "noise", "statistical" };
    return names[kind];
}

static sp_privacy request(size_t calibration)
{
    return (sp_privacy){ .private = true, .epsilon = EPSILON, .delta = DELTA, .calibration = calibrations[calibration],
                         .noise = true };
}

typedef struct session {
    const sp_algorithm *algorithm;
    const sp_audit_options *options;
    sp_error *error;
    sp_transcript *transcript[SP_SIDES];
    sp_curve *curves;
    size_t verdicts;
} session;

/* The method, and the one inside it. */
static bool fits(const sp_audit_setting *setting, const sp_neighbourhood *h)
{
    const sp_algorithm *const of[] = { setting->method.algorithm, setting->inner.algorithm };
    for (size_t i = 0; i < 2; i++)
        if (of[i] && of[i]->fits && of[i]->fits(&h->problem[SP_HERE].declared))
            return false;
    return true;
}

/* Of the probe's functions one alone is not convex. */
static bool has_concave(const sp_fixture *fixture)
{
    return fixture->others == -SP_PROBE_CURVED || fixture->here == -SP_PROBE_CURVED ||
           fixture->there == -SP_PROBE_CURVED;
}

/* Makes the fixture on the first domain that the method fits on: of the probe the whole space, an l2 and an l1 ball,
 * then again as one that is known to be convex; of a registered loss a ball, where all constants are finite, and else
 * the whole space. *fitting = false: on none of them. What is made is the caller's to free. */
static sp_status settle(session *s, const sp_audit_setting *setting, sp_fixture *fixture, sp_neighbourhood *h,
                        bool *fitting)
{
    enum { KINDS = 3 };
    static const sp_domain_kind kinds[2][KINDS] = { { SP_DOMAIN_SPACE, SP_DOMAIN_L2_BALL, SP_DOMAIN_L1_BALL },
                                                    { SP_DOMAIN_L2_BALL, SP_DOMAIN_L1_BALL, SP_DOMAIN_SPACE } };
    sp_status status = SP_OK;
    *fitting = false;
    const size_t tries = fixture->loss || has_concave(fixture) ? 1 : 2;
    for (size_t i = 0; i < tries * KINDS && !*fitting; i++) {
        sp_neighbourhood_free(h);
        fixture->domain = kinds[fixture->loss != NULL][i % KINDS];
        fixture->convex = i >= KINDS;
        SP_TRY(sp_neighbourhood_make(fixture, h, s->error));
        *fitting = fits(setting, h);
    }
cleanup:
    return status;
}

/* "", or what a fixture is made as when that is not its own. */
static const char *place_of(const sp_fixture *fixture)
{
    return fixture->convex                                         ? ", convex"
           : fixture->domain == SP_DOMAIN_L1_BALL                  ? ", on an l1 ball"
           : fixture->domain == SP_DOMAIN_L2_BALL && !fixture->loss ? ", on an l2 ball"
           : fixture->domain == SP_DOMAIN_SPACE && fixture->loss    ? ", on the whole space"
                                                                    : "";
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
    sp_text finding;
} replaying;

/* Under every calibration that the method has. */
static sp_status replay_setting(replaying *r, const sp_audit_setting *setting)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < CALIBRATIONS && r->finding.length == 0; i++) {
        const sp_audit_case c = { r->fixture, r->neighbourhood, setting, request(i), r->session->transcript, NULL };
        sp_text finding = { 0 };
        status = sp_audit_replay(&c, r->session->options->seed, &r->done, &finding, r->session->error);
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

static sp_status replay_fixture(session *s, sp_fixture fixture)
{
    sp_status status = SP_OK;
    sp_neighbourhood h = { 0 };
    sp_audit_setting base;
    bool fitting;
    replaying r = { .session = s, .fixture = &fixture, .neighbourhood = &h };
    sp_audit_verdict verdict = { .audit = SP_AUDIT_REPLAY, .rejected = NAN };
    SP_TRY(sp_audit_setting_start(s->algorithm, STEPS, &base, s->error));
    SP_TRY(settle(s, &base, &fixture, &h, &fitting));
    if (!fitting)
        goto cleanup;
    SP_TRY(replay_settings(&r, &base));
    if (r.finding.failed)
        SP_TRY(sp_fail(s->error, SP_ENOMEM, "audit: out of memory"));
    snprintf(verdict.fixture, sizeof verdict.fixture, "%s%s", fixture.name, place_of(&fixture));
    verdict.passed = r.finding.length == 0;
    if (verdict.passed)
        snprintf(verdict.detail, sizeof verdict.detail, "%zu runs, %zu calls; moved by %.4f of the sensitivity at most",
                 r.done.runs, r.done.calls, r.done.move);
    else
        snprintf(verdict.detail, sizeof verdict.detail, "%.*s", (int)sizeof verdict.detail - 1, r.finding.data);
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
        SP_TRY(replay_fixture(s, replay_fixtures[i]));
    for (size_t i = 0; i < sp_loss_count; i++) {
        const sp_fixture fixture = { sp_losses[i]->name, .loss = sp_losses[i], .n = SMALL, .d = 5, .place = 13 };
        SP_TRY(replay_fixture(s, fixture));
    }
cleanup:
    return status;
}

/* --- noise and statistics ------------------------------------------------------------------------------------ */

typedef sp_status audit(const sp_audit_case *, const sp_audit_options *, sp_audit_verdict *, sp_error *);

static sp_status distribution(session *s, sp_audit_kind kind, const sp_neighbourhood *h, const sp_fixture *fixture,
                              const sp_audit_setting *setting, size_t calibration)
{
    static audit *const audits[] = { [SP_AUDIT_NOISE] = sp_audit_noise, [SP_AUDIT_STATISTICAL] = sp_audit_statistical };
    const sp_audit_case c = { fixture, h, setting, request(calibration), s->transcript, &s->curves };
    sp_audit_verdict verdict = { .audit = kind, .rejected = NAN };
    snprintf(verdict.fixture, sizeof verdict.fixture, "%s%s; %s%s%s", fixture->name, place_of(fixture),
             setting->name, *setting->name ? ", " : "", calibration_names[calibration]);
    sp_audit_options options = *s->options;
    options.seed += (uint64_t)s->verdicts << 32; /* streams of its own */
    const sp_status status = audits[kind](&c, &options, &verdict, s->error);
    if (status == SP_OK)
        say(s, &verdict);
    return status == SP_EUNSUPPORTED && calibrations[calibration] == SP_CALIBRATE_PAPER ? SP_OK : status;
}

/* On all records, and where there are batches on those of a quarter; the printed formula on one of the two. */
static sp_status distributions(session *s, sp_audit_kind kind, sp_fixture fixture, bool paper)
{
    sp_status status = SP_OK;
    sp_neighbourhood h = { 0 };
    sp_audit_setting base, quarter, all;
    bool fitting;
    SP_TRY(sp_audit_setting_start(s->algorithm, STEPS, &base, s->error));
    SP_TRY(settle(s, &base, &fixture, &h, &fitting));
    if (!fitting)
        goto cleanup;
    quarter = all = base;
    if (sp_audit_setting_number(&quarter, "batch", BATCH)) {
        sp_audit_setting_number(&all, "batch", (double)fixture.n);
        SP_TRY(distribution(s, kind, &h, &fixture, &quarter, 0));
    }
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
    SP_TRY(distributions(s, SP_AUDIT_NOISE, noise_fixture, true));
    for (size_t i = 0; i < TRIALS; i++)
        SP_TRY(distributions(s, SP_AUDIT_STATISTICAL, trial_fixtures[i], i == 0));
    for (size_t i = 0; i < sp_loss_count && s->verdicts == before; i++) {
        const sp_fixture pair = { sp_losses[i]->name, .loss = sp_losses[i], .n = 2, .d = 1, .place = 1 };
        SP_TRY(distributions(s, SP_AUDIT_NOISE, pair, true));
        SP_TRY(distributions(s, SP_AUDIT_STATISTICAL, pair, true));
    }
cleanup:
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
    SP_TRY(sp_audit_setting_start(s->algorithm, STEPS, &base, s->error));
    const sp_trial trial = { &base.method, &h.problem[SP_HERE], request(0), s->options->seed, s->transcript[SP_HERE] };
    sp_transcript_record(s->transcript[SP_HERE]);
    SP_TRY(sp_trial_run(&trial, &record, s->error));
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
    session s = { .algorithm = algorithm, .options = options, .error = error };
    for (size_t i = 0; i < SP_SIDES; i++)
        if (!(s.transcript[i] = sp_transcript_new()))
            SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    if (algorithm->non_private_only || algorithm->uncertified) {
        status = refuses(&s);
        goto cleanup;
    }
    SP_TRY(replay_all(&s));
    if (!algorithm->ignores_data) /* it has no noise, and no releases to tell neighbours apart by */
        SP_TRY(distributions_all(&s));
    if (s.verdicts == 0)
        SP_TRY(sp_fail(error, SP_EMISFIT, "%s fits no fixture of the audits", algorithm->name));
cleanup:
    for (size_t i = SP_SIDES; i > 0; i--)
        sp_transcript_free(s.transcript[i - 1]);
    sp_curves_free(s.curves);
    return status;
}
