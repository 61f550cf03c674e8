/* replay.c -- the replay audit: a run on D and a replay on D' must have the same calls, public values, and output.
 *
 * It also checks that all was paid for. For each recorded Gaussian access whose batch may contain it, a record must pay
 * (sensitivity / noise_std)^2. The ledger must contain at least that: the sum of count / noise_multiplier^2 over the
 * entries that all records pay, plus the largest such sum of one pool (times 4 for Poisson entries, whose multiplier is
 * relative to half the sensitivity).
 *
 * By its coins a method may make no release at all; then it is run with other coins. A method that never makes a
 * release, although it does not declare that it ignores the data, is a finding. */
#include "core/audit/audit_internal.h"
#include "core/base/hash.h"

#include <gsl/gsl_math.h>
#include <stdio.h>

/* Rounding in sums of some hundred terms. */
#define PAID_SLACK (1.0 + 1e-9)

static sp_status in_ledger(const sp_ledger *ledger, double *out)
{
    double *sum = sp_alloc_doubles(ledger->pools + 1), worst = 0.0;
    if (!sum)
        return SP_ENOMEM;
    for (size_t e = 0; e < ledger->count; e++) {
        const sp_entry *entry = &ledger->entry[e];
        const double once = 1.0 / gsl_pow_2(entry->noise_multiplier);
        if (entry->kind == SP_LEDGER_GAUSS || entry->kind == SP_LEDGER_GAUSS_WOR)
            sum[entry->pool] += once * (double)entry->count;
        else if (entry->kind == SP_LEDGER_POISSON)
            sum[entry->pool] += 4.0 * once * (double)entry->count;
        else if (entry->kind == SP_LEDGER_TREE || entry->kind == SP_LEDGER_SELECT)
            sum[entry->pool] = INFINITY; /* these stand for more than can be counted here */
    }
    for (size_t pool = 1; pool <= ledger->pools; pool++)
        worst = fmax(worst, sum[pool]);
    *out = sum[0] + worst;
    free(sum);
    return SP_OK;
}

/* An accumulator's release covers several batches, each with a weight of its own: the oracle alone knows them. */
static sp_status in_transcript(const sp_transcript *transcript, double *out)
{
    size_t n = 1; /* beyond the last record that is named: summed data have more than memory holds */
    for (size_t i = 0; i < sp_transcript_count(transcript); i++) {
        const sp_event *event = sp_transcript_at(transcript, i);
        for (size_t k = 0; event->rows && k < event->count; k++)
            n = event->rows[k] < n ? n : (size_t)event->rows[k] + 1;
        for (size_t k = 0; event->pool && k < event->pooled; k++)
            n = event->pool[k] < n ? n : (size_t)event->pool[k] + 1;
    }
    double *sum = sp_alloc_doubles(n), all = 0.0, worst = 0.0;
    if (!sum)
        return SP_ENOMEM;
    for (size_t i = 0; i < sp_transcript_count(transcript); i++) {
        const sp_event *event = sp_transcript_at(transcript, i);
        const double once = sp_event_gaussian(event) ? gsl_pow_2(event->sensitivity / event->noise_std) : 0.0;
        if (strcmp(event->primitive, "accumulator") == 0)
            continue;
        const bool secret = event->rate > 0.0; /* any of those that it is drawn from */
        const uint32_t *payers = secret ? event->pool : event->rows;
        for (size_t k = 0; payers && k < (secret ? event->pooled : event->count); k++)
            sum[payers[k]] += once;
        all += payers ? 0.0 : once;
    }
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, sum[i]);
    *out = all + worst;
    free(sum);
    return SP_OK;
}

/* Choices cost no mu^2: that each is in the ledger is counted. */
static bool choices_paid(const sp_transcript *transcript, const sp_ledger *ledger)
{
    size_t made = 0, paid = 0;
    for (size_t i = 0; i < sp_transcript_count(transcript); i++) {
        const sp_event *event = sp_transcript_at(transcript, i);
        made += event->move == SP_MOVE_RANGE && event->sensitivity > 0.0;
    }
    for (size_t e = 0; e < ledger->count; e++) {
        const sp_ledger_kind kind = ledger->entry[e].kind;
        if (kind == SP_LEDGER_EM || kind == SP_LEDGER_RNM_LAPLACE || kind == SP_LEDGER_SVT ||
            kind == SP_LEDGER_APPROX)
            paid += ledger->entry[e].count;
        if (kind == SP_LEDGER_SELECT) /* its runs' choices are not there one by one */
            paid = made;
    }
    return made <= paid;
}

/* The first line in which two texts differ, of each. */
static void first_difference(const char *a, const char *b, sp_text *finding)
{
    size_t line = 0, i = 0;
    for (; a[i] != '\0' && a[i] == b[i]; i++)
        if (a[i] == '\n')
            line = i + 1;
    if (a[i] != b[i])
        sp_text_append(finding, "the oracle reports \"%.*s\", on the neighbour \"%.*s\"", (int)strcspn(a + line, "\n"),
                       a + line, (int)strcspn(b + line, "\n"), b + line);
}

static void compare(sp_run_record *a, sp_run_record *b, sp_text *finding)
{
    char iterates[2][SP_HASH_HEX];
    sp_hash_end_hex(&a->iterates, iterates[0]);
    sp_hash_end_hex(&b->iterates, iterates[1]);
    first_difference(a->account.data, b->account.data, finding);
    if (finding->length == 0 && strcmp(iterates[0], iterates[1]) != 0)
        sp_text_append(finding, "the iterates differ although the releases do not");
}

/* *silent: nothing was recorded. */
static sp_status replay(const sp_audit_case *c, uint64_t seed, sp_replays *replays, bool *silent, sp_text *finding,
                        sp_error *error)
{
    sp_status status = SP_OK;
    sp_run_record here = { 0 }, there = { 0 };
    sp_transcript *recorded = c->transcript[SP_HERE], *replayed = c->transcript[SP_THERE];
    const sp_problem *problem = c->neighbourhood->problem;
    sp_trial trial = { &c->setting->method, &problem[SP_HERE], c->privacy, seed, recorded };
    double paid = NAN, owed = NAN;
    sp_transcript_record(recorded);
    SP_TRY(sp_trial_run(&trial, &here, error));
    if (here.status == SP_EUNSUPPORTED || here.status == SP_ENOMEM)
        SP_TRY(sp_fail(error, here.status, "%s", here.message));
    if (here.status != SP_OK && !replays->may_refuse) {
        sp_text_append(finding, "the run failed: %s", here.message);
        goto cleanup;
    }
    if (here.status != SP_OK && replays->refused++ == 0)
        snprintf(replays->refusal, sizeof replays->refusal, "%s", here.message);
    trial.problem = &problem[SP_THERE];
    trial.transcript = replayed;
    sp_transcript_replay(replayed, recorded);
    SP_TRY(sp_trial_run(&trial, &there, error));
    if (there.status == SP_ENOMEM) /* no difference between the records */
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s", there.message));

    replays->runs++;
    replays->calls += sp_transcript_count(recorded);
    replays->move = fmax(replays->move, sp_transcript_move(replayed));
    if (sp_transcript_finding(replayed))
        sp_text_append(finding, "%s", sp_transcript_finding(replayed));
    else
        compare(&here, &there, finding);
    if (finding->length > 0)
        goto cleanup;
    if (in_ledger(&here.ledger, &paid) != SP_OK || in_transcript(recorded, &owed) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    *silent = here.status == SP_OK && sp_transcript_count(recorded) == 0;
    if (c->setting->method.algorithm->ignores_data && sp_transcript_count(recorded) > 0)
        sp_text_append(finding, "it does not ignore the data");
    else if (!choices_paid(recorded, &here.ledger))
        sp_text_append(finding, "a choice is missing in the ledger");
    else if (!(owed <= paid * PAID_SLACK))
        sp_text_append(finding, "the releases cost mu^2 = %.6g, the ledger holds %.6g", owed, paid);
cleanup:
    sp_run_record_free(&here);
    sp_run_record_free(&there);
    return status;
}

sp_status sp_audit_replay(const sp_audit_case *c, uint64_t seed, sp_replays *replays, sp_text *finding, sp_error *error)
{
    enum { TRIES = 4 };
    sp_status status = SP_OK;
    bool silent = true;
    for (uint64_t i = 0; i < TRIES && silent && finding->length == 0; i++) {
        silent = false;
        SP_TRY(replay(c, seed + (i << 32), replays, &silent, finding, error));
        silent = silent && !c->setting->method.algorithm->ignores_data;
    }
    if (silent && finding->length == 0)
        sp_text_append(finding, "nothing was recorded");
cleanup:
    return status;
}
