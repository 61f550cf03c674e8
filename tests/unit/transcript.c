/* unit/transcript.c -- recording, replaying and following the oracle's calls: every difference is found, nothing
 * else. */
#include "core/oracle/replay.h"
#include "tests/private_problem.h"

enum { D = 3, M = 4 };

static private_problem problem;

/* A call with numbers of its own; tests change one thing of it. */
typedef struct call {
    double w[D], v[D], raw[D], answer[D];
    const double *point[2];
    uint32_t rows[M];
    sp_event event;
} call;

static void call_start(call *c)
{
    *c = (call){ .w = { 0.385, -1.25, 2.5 }, .v = { 7.125, 0.0, -0.0 }, .raw = { 0.25, -0.5, 3.125 },
                 .answer = { 1.385, 2.385, 3.385 }, .rows = { 5, 0, 7, 2 } };
    c->point[0] = c->w;
    c->point[1] = c->v;
    c->event = (sp_event){ .primitive = "gradient", .point = c->point, .points = 2, .dimension = D, .rows = c->rows,
                           .count = M, .m = 4.0, .rate = 0.2385, .raw = c->raw, .size = D, .sensitivity = 0.625,
                           .noise_std = 1.7, .answer = c->answer, .answers = D };
}

static sp_oracle *listening(sp_transcript *transcript)
{
    sp_oracle *o = NULL;
    sp_oracle_options options = private_options(&problem, private_tight, 1);
    options.transcript = transcript;
    CHECK(sp_oracle_new(&options, &o, NULL) == SP_OK);
    return o;
}

static void test_without_a_transcript(void)
{
    call c;
    sp_oracle *o = listening(NULL);
    call_start(&c);
    OK(o, sp_transcript_event(o, &c.event));
    CHECK(c.answer[0] == 1.385);
    sp_oracle_free(o);
}

static void test_record(void)
{
    call c;
    sp_transcript *transcript = sp_transcript_new();
    sp_oracle *o = listening(transcript);
    call_start(&c);
    sp_transcript_record(transcript);
    OK(o, sp_transcript_event(o, &c.event));
    c.w[1] = c.v[0] = c.raw[2] = c.answer[0] = NAN; /* what was kept is a copy */
    c.rows[3] = 99;
    c.event.rows = NULL;
    OK(o, sp_transcript_event(o, &c.event));
    sp_transcript_end(transcript, SP_OK);
    CHECK_EQUAL(sp_transcript_count(transcript), 2);
    const sp_event *kept = sp_transcript_at(transcript, 0);
    CHECK_TEXT(kept->primitive, "gradient");
    CHECK(kept->points == 2 && kept->dimension == D && kept->point[0][1] == -1.25 && kept->point[1][0] == 7.125);
    CHECK(kept->count == M && kept->m == 4.0 && kept->rows[0] == 5 && kept->rows[3] == 2);
    CHECK(kept->size == D && kept->raw[2] == 3.125 && kept->answers == D && kept->answer[0] == 1.385);
    CHECK(kept->rate == 0.2385 && kept->sensitivity == 0.625 && kept->noise_std == 1.7);
    CHECK(sp_transcript_at(transcript, 1)->rows == NULL && isnan(sp_transcript_at(transcript, 1)->raw[2]));
    CHECK(sp_transcript_finding(transcript) == NULL);
    sp_transcript_record(transcript);
    CHECK_EQUAL(sp_transcript_count(transcript), 0);
    sp_oracle_free(o);
    sp_transcript_free(transcript);
    sp_transcript_free(NULL);
}

static void test_replay(void)
{
    call c;
    sp_transcript *recorded = sp_transcript_new(), *transcript = sp_transcript_new();
    sp_oracle *o = listening(recorded), *other = listening(transcript);
    call_start(&c);
    sp_transcript_record(recorded);
    for (int i = 0; i < 2; i++)
        OK(o, sp_transcript_event(o, &c.event));
    sp_transcript_end(recorded, SP_EDRAINED);

    sp_transcript_replay(transcript, recorded);
    c.raw[0] += 0.3; /* 3, 4, 5: by .5 */
    c.raw[2] -= 0.4;
    c.answer[0] = c.answer[1] = c.answer[2] = -9.0;
    OK(other, sp_transcript_event(other, &c.event));
    CHECK(c.answer[0] == 1.385 && c.answer[1] == 2.385 && c.answer[2] == 3.385);
    CHECK_NEAR(sp_transcript_move(transcript), 0.8, 1e-15);
    c.raw[2] += 0.4;
    OK(other, sp_transcript_event(other, &c.event));
    sp_transcript_end(transcript, SP_EDRAINED);
    CHECK(sp_transcript_finding(transcript) == NULL);
    CHECK_NEAR(sp_transcript_move(transcript), 0.8, 1e-15); /* the largest */
    CHECK_NEAR(sp_transcript_at(transcript, 0)->raw[0], 0.55, 1e-15);
    CHECK(sp_transcript_at(transcript, 0)->answer[2] == 3.385);

    sp_transcript_replay(transcript, recorded); /* and once more, from the start */
    CHECK(sp_transcript_move(transcript) == 0.0);
    OK(other, sp_transcript_event(other, &c.event));
    sp_oracle_free(o);
    sp_oracle_free(other);
    sp_transcript_free(transcript);
    sp_transcript_free(recorded);
}

/* Records `then`, plays `now`: the finding contains `part` (NULL: nothing is found). */
static void plays(const call *then, const call *now, bool follow, const char *part)
{
    sp_transcript *recorded = sp_transcript_new(), *transcript = sp_transcript_new();
    sp_oracle *o = listening(recorded), *other = listening(transcript);
    sp_transcript_record(recorded);
    OK(o, sp_transcript_event(o, &then->event));
    sp_transcript_end(recorded, SP_OK);
    if (follow)
        sp_transcript_follow(transcript, recorded);
    else
        sp_transcript_replay(transcript, recorded);
    const sp_status status = sp_transcript_event(other, &now->event);
    sp_transcript_end(transcript, status);
    if (part) {
        CHECK_EQUAL(status, SP_EPRIVACY);
        CHECK_CONTAINS(sp_transcript_finding(transcript), part);
        CHECK_CONTAINS(sp_transcript_finding(transcript), "call 1, gradient");
        CHECK_CONTAINS(sp_oracle_error(other)->text, part);
    } else {
        SP_CHECK_REPORT(status == SP_OK && !sp_transcript_finding(transcript), "found: %s",
                        sp_transcript_finding(transcript));
    }
    sp_oracle_free(o);
    sp_oracle_free(other);
    sp_transcript_free(transcript);
    sp_transcript_free(recorded);
}

static void test_differences(void)
{
    for (int follow = 0; follow < 2; follow++) {
        call then, now;
        call_start(&then);
#define DIFFERS(change, part)         \
    call_start(&now);                 \
    change;                           \
    plays(&then, &now, follow, part)
        DIFFERS((void)0, NULL);
        DIFFERS(now.event.primitive = "hessian", "hessian");
        DIFFERS(now.event.points = 1, "points is 2, on the neighbour 1");
        DIFFERS(now.event.dimension = 2, "dimension");
        DIFFERS(now.w[1] = nextafter(now.w[1], 0.0), "argument 0 differs at coordinate 1");
        DIFFERS(now.v[2] = 0.0, "argument 1 differs at coordinate 2"); /* -0 there */
        DIFFERS(now.rows[2] = 6, "the batch differs");
        DIFFERS(now.event.rows = NULL, "the batch differs");
        DIFFERS(now.event.count = 3, "size of the batch");
        DIFFERS(now.event.m = 4.5, "announced batch size is 4, on the neighbour 4.5");
        DIFFERS(now.event.rate = 0.0, "rate");
        DIFFERS(now.event.size = 2, "the size is 3, on the neighbour 2");
        DIFFERS(now.event.answers = 2, "answer");
        DIFFERS(now.event.move = SP_MOVE_RANGE, "moves");
        DIFFERS(now.event.sensitivity = 0.626, "sensitivity");
        DIFFERS(now.event.noise_std = nextafter(1.7, 2.0), "noise_std");
        DIFFERS(now.event.mirrored = true, "mirrored is 0, on the neighbour 1");
        DIFFERS(now.raw[0] += 0.6249999, NULL);
        DIFFERS(now.raw[0] += 0.626, follow ? NULL : "moves by 0.626, declared is 0.625");
        DIFFERS(now.raw[0] += 0.625 * (1.0 + 0.9e-9), NULL); /* the slack */
        DIFFERS(now.raw[0] += 0.625 * (1.0 + 1.1e-9), follow ? NULL : "moves");
        DIFFERS(now.raw[1] = NAN, follow ? NULL : "moves by nan");
        DIFFERS(now.raw[1] = INFINITY, follow ? NULL : "moves by inf");
#undef DIFFERS
    }
}

static void test_ranges(void)
{
    call then, now;
    call_start(&then);
    then.event.move = SP_MOVE_RANGE;
    call_start(&now);
    now.event.move = SP_MOVE_RANGE;
    for (int j = 0; j < D; j++)
        now.raw[j] += 17.0; /* a common shift is free */
    plays(&then, &now, false, NULL);
    now.raw[0] += 0.3;
    now.raw[1] -= 0.3;
    plays(&then, &now, false, NULL);
    now.raw[1] -= 0.03;
    plays(&then, &now, false, "moves by 0.63");
    now.raw[1] = NAN;
    plays(&then, &now, false, "moves by nan");
}

static void test_ends(void)
{
    call c;
    sp_transcript *recorded = sp_transcript_new(), *transcript = sp_transcript_new();
    sp_oracle *o = listening(recorded), *other = listening(transcript);
    call_start(&c);
    sp_transcript_record(recorded);
    OK(o, sp_transcript_event(o, &c.event));
    OK(o, sp_transcript_event(o, &c.event));
    sp_transcript_end(recorded, SP_OK);

    sp_transcript_replay(transcript, recorded);
    OK(other, sp_transcript_event(other, &c.event));
    sp_transcript_end(transcript, SP_OK);
    CHECK_TEXT(sp_transcript_finding(transcript), "2 calls, on the neighbour 1");

    sp_transcript_replay(transcript, recorded);
    for (int i = 0; i < 2; i++)
        OK(other, sp_transcript_event(other, &c.event));
    CHECK_EQUAL(sp_transcript_event(other, &c.event), SP_EPRIVACY);
    sp_transcript_end(transcript, SP_EPRIVACY);
    CHECK_TEXT(sp_transcript_finding(transcript), "2 calls, on the neighbour one more: gradient");
    CHECK_EQUAL(sp_transcript_event(other, &c.event), SP_EPRIVACY); /* it stays found */

    sp_transcript_replay(transcript, recorded);
    for (int i = 0; i < 2; i++)
        OK(other, sp_transcript_event(other, &c.event));
    sp_transcript_end(transcript, SP_ENUMERIC);
    CHECK_TEXT(sp_transcript_finding(transcript), "the run ended with SP_OK, on the neighbour with SP_ENUMERIC");
    sp_oracle_free(o);
    sp_oracle_free(other);
    sp_transcript_free(transcript);
    sp_transcript_free(recorded);
}

/* The primitives themselves: what is kept is what was asked, and the noise is the answer less the raw value. */
static void test_primitives(void)
{
    sp_transcript *transcript = sp_transcript_new();
    sp_oracle *o = listening(transcript);
    const double w[D] = { 0.385, -0.25, 0.1 }, u[D] = { 0.3, -0.2, 0.15 };
    double multiplier[3], g[D], H[D * D];
    sp_batch all, part;
    sp_accumulator *a = NULL;
    const sp_release_plan plan[] = { { .kind = SP_GRADIENT, .sample = sp_subset(M), .count = 1 },
                                     { .kind = SP_HESSIAN, .sample = sp_full(), .count = 1 },
                                     { .kind = SP_ACCUMULATED, .sample = sp_full(), .count = 1 } };
    sp_transcript_record(transcript);
    OK(o, sp_calibrate(o, plan, 3, multiplier));
    OK(o, sp_draw(o, sp_full(), &all));
    OK(o, sp_draw(o, sp_subset(M), &part));
    const sp_query query = SP_BETWEEN(part, w, u);
    const double sensitivity = sp_sensitivity(o, &query), whole = sp_sensitivity(o, &SP_AT(all, w));
    OK(o, sp_gradient(o, &query, multiplier[0], g));
    OK(o, sp_hessian(o, all, w, multiplier[1], H));
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    OK(o, sp_accumulator_add(a, 1.0, &SP_AT(all, w)));
    OK(o, sp_accumulator_release(a, multiplier[2] * whole, g));
    sp_transcript_end(transcript, SP_OK);

    const sp_event *event = sp_transcript_at(transcript, 0);
    CHECK_TEXT(event->primitive, "gradient");
    CHECK(event->points == 2 && memcmp(event->point[0], w, sizeof w) == 0 && memcmp(event->point[1], u, sizeof u) == 0);
    CHECK(event->rows != NULL && event->count == M && event->m == (double)M);
    CHECK_NEAR(event->rate, (double)M / (double)problem.data.n, 0.0);
    CHECK(event->sensitivity == sensitivity && event->size == D && event->answers == D);
    CHECK_NEAR(event->noise_std, multiplier[0] * sensitivity, 1e-15 * event->noise_std);
    event = sp_transcript_at(transcript, 1);
    CHECK_TEXT(event->primitive, "hessian");
    CHECK(event->points == 1 && event->rows == NULL && event->rate == 0.0 && event->size == D * D);
    CHECK(memcmp(event->answer, H, sizeof H) == 0);
    CHECK_NEAR(event->sensitivity, problem.problem.declared.hessian_frobenius / (double)problem.data.n, 1e-15);
    const sp_event *last = sp_transcript_at(transcript, sp_transcript_count(transcript) - 1);
    CHECK_TEXT(last->primitive, "accumulator");
    CHECK_NEAR(last->sensitivity, whole, 1e-15 * whole);
    CHECK_NEAR(last->noise_std, multiplier[2] * whole, 1e-15 * last->noise_std);
    CHECK(memcmp(last->answer, g, sizeof g) == 0);
    sp_oracle_free(o);
    sp_transcript_free(transcript);
}

static void test_calibrations(void)
{
    sp_transcript *recorded = sp_transcript_new(), *transcript = sp_transcript_new();
    sp_oracle *silent = listening(NULL), *o = listening(recorded), *other = listening(transcript);
    sp_ledger planned = { 0 }, more = { 0 };
    double exact, factor = 0.0;
    CHECK(sp_ledger_append(&planned, &(sp_entry){ .noise_multiplier = 1.0, .count = 17 }) == SP_OK);
    CHECK(sp_ledger_append(&more, &(sp_entry){ .noise_multiplier = 1.0, .count = 18 }) == SP_OK);
    CHECK(sp_calibrate_factor(NULL, &planned, 1.0, 1e-6, &exact, NULL) == SP_OK);
    OK(silent, sp_transcript_calibrate(silent, &planned, &factor));
    CHECK(factor == exact);
    sp_transcript_record(recorded);
    sp_transcript_follow(transcript, recorded);
    for (int i = 0; i < 2; i++) {
        OK(o, sp_transcript_calibrate(o, &planned, &factor));
        CHECK(factor == exact);
    }
    OK(other, sp_transcript_calibrate(other, &planned, &factor));
    CHECK(factor == exact);
    OK(other, sp_transcript_calibrate(other, &more, &factor));
    CHECK_NEAR(factor / exact, sqrt(18.0 / 17.0), 1e-6);
    sp_ledger_free(&planned);
    sp_ledger_free(&more);
    sp_oracle_free(silent);
    sp_oracle_free(o);
    sp_oracle_free(other);
    sp_transcript_free(transcript);
    sp_transcript_free(recorded);
}

int main(void)
{
    private_problem_random(&problem, &sp_loss_logistic, 0.0, 20, D);
    test_without_a_transcript();
    test_record();
    test_replay();
    test_differences();
    test_ranges();
    test_ends();
    test_primitives();
    test_calibrations();
    private_problem_free(&problem);
    return sp_check_done();
}
