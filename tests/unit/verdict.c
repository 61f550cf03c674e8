/* verdict.c -- verdicts on tables written by hand, whose exponents are known: what holds, what does not, and every way
 * in which the runs mislead: a staircase family, a family cut off, an optimum on the edge of its grid, a schedule that
 * falls by itself. Noise is lognormal from a fixed stream. */
#include "core/rates/verdict.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/numeric/stream.h"
#include "tests/check.h"
#include "tests/claims.h"
#include "tests/tables.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <unistd.h>

#define T(text) CLAIMS_TEXT(text)

static char folder[] = "/tmp/stillpoint-verdict-XXXXXX";

/* --- tables by hand ------------------------------------------------------------------------------------------ */

static const double records[] = { 1e3, 3e3, 1e4, 3e4, 1e5 };
enum { POINTS = 5, REPLICATES = 8 };

typedef struct book {
    sp_text runs;
    gsl_rng *noise;
    size_t count;
} book;

static book open_book(const char *name)
{
    book b = { .noise = sp_stream_open(sp_stream_key_of(77, name, 0, SP_STREAM_NOISE)) };
    sp_text_append(&b.runs, "run\tsweep\tlabel\talgorithm\talgorithm.alpha\talgorithm.eta\tprivacy\tprivacy.epsilon\t"
                            "privacy.noise\tproblem.loss.slope\tproblem.n\treplicate\tstatus\tgrad_norm\t"
                            "epsilon_spent\tprivate\ttuned\tstart.grad_norm\tresolved\twarning\n");
    return b;
}

/* One run; a field that is NULL is "-". */
typedef struct line {
    const char *label, *alpha, *eta, *slope, *privacy, *status, *tuned, *resolved, *warning;
    double n, y, start;
    int replicate;
} line;

static const char *or_none(const char *text)
{
    return text ? text : "-";
}

static void add(book *b, line l)
{
    const bool off = l.privacy && strcmp(l.privacy, "noise_off") == 0, none = l.privacy && strcmp(l.privacy, "no") == 0;
    sp_text_append(&b->runs, "r%zu\tmain\t%s\tdp_gd\t%s\t%s\t", b->count, or_none(l.label), or_none(l.alpha),
                   or_none(l.eta));
    sp_text_append(&b->runs, "%s\t%s\t%s\t", none ? "none" : "-", none ? "-" : "1", off ? "off" : "-");
    sp_text_append(&b->runs, "%s\t%.17g\t%d\t%s\t%.17g\t1\t%s\t%s\t%.17g\t%s\t%s\n", or_none(l.slope), l.n, l.replicate,
                   l.status ? l.status : "ok", l.y, l.privacy ? l.privacy : "yes", l.tuned ? l.tuned : "no", l.start,
                   or_none(l.resolved), or_none(l.warning));
    b->count++;
}

static double noisy(book *b, double value)
{
    return value * gsl_ran_lognormal(b->noise, 0.0, 0.05);
}

/* constant n^exponent, all replicates at all n. */
static void add_power(book *b, line l, double constant, double exponent)
{
    for (size_t p = 0; p < POINTS; p++)
        for (l.replicate = 0; l.replicate < REPLICATES; l.replicate++) {
            l.n = records[p];
            l.y = noisy(b, constant * pow(l.n, exponent));
            add(b, l);
        }
}

static void write_table(const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (text)
        CHECK_EQUAL(sp_write_file(path, text, strlen(text), NULL), SP_OK);
    else
        unlink(path);
}

static sp_runs runs; /* what a verdict is about outlives it */

/* Closes the book and judges the claim by it; `tuning` may be NULL. */
static sp_status judge(book *b, const sp_claim *claim, const char *tuning, sp_verdict *v, sp_error *error)
{
    sp_status status = SP_OK;
    sp_runs_close(&runs);
    tables_write(folder, b->runs.data);
    write_table("tuning.tsv", tuning);
    sp_text_free(&b->runs);
    gsl_rng_free(b->noise);
    SP_TRY(sp_runs_open(folder, 91, &runs, error));
    status = sp_verdict_of(&runs, claim, v, error);
cleanup:
    return status;
}

/* The verdict must be `kind`, and its reason contain `reason`. */
static void expect(book *b, const sp_claim *claim, const char *tuning, sp_verdict_kind kind, const char *reason)
{
    sp_verdict v = { 0 };
    sp_error error = { 0 };
    CHECK_EQUAL(judge(b, claim, tuning, &v, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    if (v.claim) {
        CHECK_TEXT(sp_verdict_name(v.kind), sp_verdict_name(kind));
        if (*reason)
            CHECK_CONTAINS(v.reason, reason);
        else
            CHECK_TEXT(v.reason, "");
    }
    sp_verdict_free(&v);
}

static sp_claim claim_in_n(double exponent, const char *mode)
{
    static sp_claim c;
    c = CLAIMS_OF("a_gd", 0.0, "theory");
    static char text[16], label[] = "a_gd", sweep[] = "main", y[] = "grad_norm", x[] = "n", closed[8] = "neither",
                toward[] = "infinity", origin[] = "theorem";
    snprintf(text, sizeof text, "%s", mode);
    c.mode = text;
    c.algorithm = label;
    c.sweep = sweep;
    c.y = y;
    c.x = x;
    c.closed = closed;
    c.toward = toward;
    c.origin = origin;
    c.exponent = exponent;
    c.scatter = fmax(0.25 * fabs(exponent), 0.15);
    c.points = POINTS;
    c.replicates = REPLICATES;
    return c;
}

/* --- what holds, what does not ------------------------------------------------------------------------------- */

/* y = 2.5 n^-1/2 from 10 at the start, and 0.02 n^-1/2 without noise. */
static book plain_book(const char *name)
{
    book b = open_book(name);
    add_power(&b, (line){ .label = "a_gd", .eta = "0.3", .start = 10.0 }, 2.5, -0.5);
    add_power(&b, (line){ .label = "silent", .eta = "0.3", .privacy = "noise_off", .start = 10.0 }, 0.02, -0.5);
    return b;
}

static void test_agrees(void)
{
    sp_claim claim = claim_in_n(-0.5, "theory");
    sp_verdict v;
    sp_text text = { 0 };
    claim.floor = 3.0;
    book b = plain_book("agrees");
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
    CHECK_EQUAL(v.kind, SP_AGREES);
    CHECK_TEXT(v.reason, "");
    CHECK_NEAR(v.slope.estimate, -0.5, 0.02); /* standard error 0.005 */
    CHECK(v.slope.low < v.slope.estimate && v.slope.estimate < v.slope.high);
    CHECK_EQUAL(v.slope.points, POINTS);
    CHECK_EQUAL(v.points, POINTS);
    CHECK_EQUAL(v.curve.runs, POINTS * REPLICATES);
    CHECK_TEXT(v.curve.noise_free_label, "silent");
    for (size_t p = 0; p < POINTS; p++) {
        CHECK(v.counted[p]);
        CHECK_NEAR(v.curve.x[p], records[p], 0);
        CHECK_NEAR(v.start[p], 10.0, 1e-14);
        CHECK_NEAR(v.floor[p] * sqrt(records[p]), 0.02, 0.002);
        CHECK_NEAR(v.y[p].estimate * sqrt(records[p]), 2.5, 0.25);
        CHECK(v.y[p].low < v.y[p].estimate && v.y[p].estimate < v.y[p].high);
        if (p > 0)
            CHECK_NEAR(v.local[p].estimate * log(records[p] / records[p - 1]),
                       log((v.y[p].estimate - v.floor[p]) / (v.y[p - 1].estimate - v.floor[p - 1])), 1e-12);
    }
    CHECK(isnan(v.local[0].estimate));
    sp_verdict_line(&v, &text);
    CHECK_CONTAINS(text.data, "AGREES");
    CHECK_CONTAINS(text.data, "a_gd: grad_norm ~ n^-0.5 +-0.05 (theory): measured -0.5");
    CHECK_CONTAINS(text.data, ", local -0.");
    CHECK_CONTAINS(text.data, "; fit p ");
    sp_text_free(&text);

    v.slope.fit_p = v.slope.tail = v.power = v.p_holm = NAN; /* as of two points: no word about them */
    sp_verdict_line(&v, &text);
    CHECK_CONTAINS(text.data, "; local -0.");
    CHECK(!strstr(text.data, "nan") && !strstr(text.data, "tail"));
    sp_text_free(&text);
    sp_verdict_free(&v);
}

/* Against a budget in other units, which no table has: the same points, other x. */
static void test_budget_units(void)
{
    static const double epsilon[] = { 0.25, 0.5, 1.0, 2.0, 4.0 };
    static char mu[] = "mu";
    sp_claim claim = claim_in_n(-0.7, "theory");
    sp_verdict v;
    book b = { .noise = sp_stream_open(sp_stream_key_of(77, "units", 0, SP_STREAM_NOISE)) };
    sp_text_append(&b.runs, "run\tsweep\tlabel\talgorithm\tprivacy\tprivacy.delta\tprivacy.epsilon\tprivacy.noise\t"
                            "replicate\tstatus\tgrad_norm\tepsilon_spent\tprivate\ttuned\tstart.grad_norm\tresolved\n");
    for (size_t p = 0; p < 2 * POINTS; p++)
        for (int r = 0; r < REPLICATES; r++) {
            const bool off = p >= POINTS;
            const double x = sp_budget_as("mu", epsilon[p % POINTS], 1e-6), y = off ? 0.001 : noisy(&b, pow(x, -0.7));
            sp_text_append(&b.runs, "r%zu\tmain\t%s\tdp_gd\t-\t1e-06\t%.17g\t%s\t%d\tok\t%.17g\t1\t%s\tno\t100\t-\n",
                           b.count++, off ? "silent" : "a_gd", epsilon[p % POINTS], off ? "off" : "-", r, y,
                           off ? "noise_off" : "yes");
        }
    for (int r = 0; r < REPLICATES; r++)
        sp_text_append(&b.runs, "r%zu\tmain\tgd\tgd\tnone\t-\t-\t-\t%d\tok\t0.001\t-\tno\tno\t100\t-\n", b.count++, r);
    claim.x = mu;
    CHECK_EQUAL(judge(&b, &claim, "sweep\tlabel\tprivacy.delta\tprivacy.epsilon\nmain\ta_gd\t1e-06\t2\n"
                                  "main\tgd\t-\t-\n", &v, NULL), SP_OK);
    CHECK_TEXT(v.reason, "");
    CHECK_EQUAL(v.kind, SP_AGREES);
    CHECK_NEAR(v.slope.estimate, -0.7, 0.02);
    CHECK_EQUAL(v.points, POINTS);
    for (size_t p = 0; p < POINTS && p < v.points; p++)
        CHECK_NEAR(v.curve.x[p], sp_budget_as("mu", epsilon[p], 1e-6), 0);
    const sp_table *t = &runs.tuning;
    CHECK_NEAR(sp_table_number(t, 0, sp_table_axis(t, "mu")), sp_budget_as("mu", 2.0, 1e-6), 0);
    CHECK_NEAR(sp_table_number(t, 0, sp_table_axis(t, "rho")), sp_budget_as("rho", 2.0, 1e-6), 0);
    CHECK(sp_table_empty(t, 1, sp_table_axis(t, "mu")));
    CHECK(sp_runs_joint(&runs, "mu"));
    CHECK(!runs.axis[sp_runs_column(&runs, "mu")]); /* or summaries would have it */
    sp_verdict_free(&v);
}

static void test_exponents(void)
{
    static const struct {
        double claimed, measured;
        const char *mode, *toward;
        double constant; /* 0: none */
        sp_verdict_kind kind;
        const char *reason;
    } cases[] = {
        { -2.0 / 3.0, -0.5, "theory", "infinity", 0.0, SP_SHALLOWER, "" }, /* deliberately wrong claims */
        { -0.25, -0.5, "theory", "infinity", 0.0, SP_STEEPER, "" },
        { 0.5, 0.3, "theory", "infinity", 0.0, SP_STEEPER, "" }, /* growing more slowly is better */
        { 0.1, 0.3, "theory", "infinity", 0.0, SP_SHALLOWER, "" },
        { -1.0, -0.56, "theory", "zero", 0.0, SP_STEEPER, "" },
        { -0.25, -0.56, "theory", "zero", 0.0, SP_SHALLOWER, "" },
        { -0.5, -0.75, "bound", "infinity", 0.0, SP_AGREES, "" },
        { -0.5, -0.52, "bound", "infinity", 3.5, SP_AGREES, "" },
        { -0.5, -0.5, "bound", "infinity", 2.0, SP_SHALLOWER, "is above the bound" },
        { -0.5, -0.3, "bound", "infinity", 0.0, SP_SHALLOWER, "" },
        { -1.0, -0.56, "bound", "zero", 0.0, SP_AGREES, "" },
        { -0.5, -0.7, "bound", "zero", 0.0, SP_SHALLOWER, "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_claim claim = claim_in_n(cases[i].claimed, cases[i].mode);
        char toward[16];
        snprintf(toward, sizeof toward, "%s", cases[i].toward);
        claim.toward = toward;
        if (cases[i].constant > 0.0)
            claim.constant = cases[i].constant;
        book b = open_book("exponents");
        add_power(&b, (line){ .label = "a_gd", .start = 1e6 }, 2.5, cases[i].measured);
        expect(&b, &claim, NULL, cases[i].kind, cases[i].reason);
    }
}

/* --- what the runs cannot tell ------------------------------------------------------------------------------- */

static void test_missing(void)
{
    sp_claim claim = claim_in_n(-0.5, "theory");
    claim.floor = 3.0;
    book b = plain_book("missing");
    claim.replicates = REPLICATES + 1;
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "40 of 45 runs are there");
    claim.replicates = REPLICATES;

    b = open_book("failed");
    add_power(&b, (line){ .label = "a_gd", .start = 10.0 }, 2.5, -0.5);
    char *status = strstr(b.runs.data, "ok");
    memcpy(status, "no", 2);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "1 of 40 runs failed");

    b = open_book("not a number");
    claim.replicates = 1;
    claim.points = 1;
    add(&b, (line){ .label = "a_gd", .n = 1e3, .y = NAN, .start = 10.0 });
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "1 of 1 runs failed");
    claim.replicates = REPLICATES;
    claim.points = POINTS;

    b = open_book("no floor");
    add_power(&b, (line){ .label = "a_gd", .eta = "0.3", .start = 10.0 }, 2.5, -0.5);
    add_power(&b, (line){ .label = "other", .eta = "0.4", .privacy = "noise_off", .start = 10.0 }, 0.02, -0.5);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "no run of the same schedule without noise");

    b = open_book("no privacy"); /* the same parameters with privacy = "none" measure a floor too */
    add_power(&b, (line){ .label = "a_gd", .eta = "0.3", .start = 10.0 }, 2.5, -0.5);
    add_power(&b, (line){ .label = "none", .eta = "0.3", .privacy = "no", .start = 10.0 }, 0.02, -0.5);
    expect(&b, &claim, NULL, SP_AGREES, "");

    b = open_book("not private"); /* a method without a private term needs no floor */
    add_power(&b, (line){ .label = "a_gd", .privacy = "no", .start = 10.0 }, 2.5, -0.5);
    expect(&b, &claim, NULL, SP_AGREES, "");

    claim.floor = 0.0;
    b = open_book("no start");
    add_power(&b, (line){ .label = "a_gd", .start = NAN }, 2.5, -0.5);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "no grad_norm at the start");

    b = open_book("negative");
    add_power(&b, (line){ .label = "a_gd", .start = 10.0 }, -2.5, -0.5);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "has no logarithm");

    b = open_book("single");
    claim.replicates = 1;
    for (size_t p = 0; p < POINTS; p++)
        add(&b, (line){ .label = "a_gd", .n = records[p], .y = 1.0 / sqrt(records[p]), .start = 10.0 });
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "1 replicate: an interval needs 5");
    claim.replicates = REPLICATES;

    b = open_book("wide"); /* noise far beyond the tolerance */
    for (size_t p = 0; p < POINTS; p++)
        for (int r = 0; r < REPLICATES; r++)
            add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 10.0,
                            .y = gsl_ran_lognormal(b.noise, 0.0, 1.0) / sqrt(records[p]) });
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "neither within the tolerance nor outside of it: 247 replicates");

    claim.from = 2e4;
    b = open_book("few");
    add_power(&b, (line){ .label = "a_gd", .start = 10.0 }, 2.5, -0.5);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "2 points: a slope needs 3");
}

/* 2.5 n^-1/2 up to n = 3e4 and another slope beyond: [from, to] chooses. */
static void test_range(void)
{
    static const double beyond[] = { -0.1, -0.9 };
    for (size_t i = 0; i < 2; i++)
        for (int full = 0; full < 2; full++) {
            sp_claim claim = claim_in_n(-0.5, "theory");
            book b = open_book("range");
            for (size_t p = 0; p < POINTS; p++)
                for (int r = 0; r < REPLICATES; r++)
                    add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 10.0,
                                    .y = noisy(&b, 2.5 / sqrt(fmin(records[p], 3e4)) *
                                                       pow(fmax(records[p], 3e4) / 3e4, beyond[i])) });
            claim.to = full ? INFINITY : 3e4;
            expect(&b, &claim, NULL, full ? SP_NOT_RESOLVED : SP_AGREES, full ? "no power law" : "");
        }
}

/* y starts at 0.1: 2.5 n^-1/2 is below half of it from n = 3e3 on; three points are enough, two are vacuous. */
static void test_vacuous(void)
{
    sp_claim claim = claim_in_n(-0.5, "theory");
    sp_verdict v;
    book b = open_book("vacuous");
    add_power(&b, (line){ .label = "a_gd", .start = 0.1 }, 2.5, -0.5);
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
    CHECK_EQUAL(v.kind, SP_AGREES);
    CHECK(!v.counted[0] && v.counted[1] && v.counted[2]);
    CHECK_EQUAL(v.slope.points, 4);
    sp_verdict_free(&v);
    b = open_book("vacuous");
    add_power(&b, (line){ .label = "a_gd", .start = 0.04 }, 2.5, -0.5);
    expect(&b, &claim, NULL, SP_VACUOUS,
           "grad_norm is above 0.5 of its value at the start at 3 of 5 points; testable from "
           "n = 30000 on, by 3 points there");
}

/* Where nothing falls: from which n on there would be something to test. y = 0.8 of the start at n = 1e5 is half of it
 * at 1e5 1.6^2 = 2.56e5, were n^-1/2 to hold from there on. A bound of 4 at 3e4 and 2 at 1e5 falls by ln 2 where ln n
 * grows by ln(10/3), and is 1/2 after twice as much more: at 1e5 (10/3)^2 = 1.11e6. One that grows says nothing. */
static void test_testable(void)
{
    static const struct {
        const char *before, *last, *said;
    } cases[] = {
        { NULL, NULL,
          "at 5 of 5 points; testable from n = 2.6e+05 on at the earliest, were its exponent to hold from n = 100000 "
          "on" },
        { "vacuous parameters: the bound 12 is not below 3, which holds at the start",
          "more; vacuous parameters: the bound 6 is not below 3, which holds at the start",
          "at 5 of 5 points; testable from about n = 1.1e+06 on, where its own bound falls below that" },
        { "the bound 6 is not below 3", "the bound 12 is not below 3",
          "; testable from n = 2.6e+05 on at the earliest" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_claim claim = claim_in_n(-0.5, "theory");
        book b = open_book("testable");
        for (size_t p = 0; p < POINTS; p++)
            for (int r = 0; r < REPLICATES; r++)
                add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 10.0, .y = 8.0,
                                .warning = p == 4 ? cases[i].last : p == 3 ? cases[i].before : NULL });
        expect(&b, &claim, NULL, SP_VACUOUS, cases[i].said);
    }
}

/* Without noise the same schedule falls by the same exponent, and the noise adds less than three times as much. */
static void test_schedule_alone(void)
{
    sp_claim claim = claim_in_n(-0.5, "theory");
    claim.floor = 3.0;
    for (int above = 0; above < 2; above++) {
        book b = open_book("schedule");
        add_power(&b, (line){ .label = "a_gd", .start = 10.0 }, 2.5, -0.5);
        add_power(&b, (line){ .label = "silent", .privacy = "noise_off", .start = 10.0 }, above ? 0.5 : 0.8, -0.5);
        expect(&b, &claim, NULL, above ? SP_AGREES : SP_NOT_RESOLVED,
               above ? "" : "the schedule alone: the private term is below 3 times the noise-free floor at 5 of 5 "
                            "points, and without noise the slope is -0.5");
    }
}

/* 2.5 n^-1/2 at five points; at the first `caps` of them one of the runs says that its parameters were capped. */
static book capped_book(const char *name, size_t caps, const char *resolved)
{
    book b = open_book(name);
    for (size_t p = 0; p < POINTS; p++)
        for (int r = 0; r < REPLICATES; r++)
            add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 10.0,
                            .y = noisy(&b, 2.5 / sqrt(records[p])),
                            .resolved = p < caps && r == 3 ? resolved : "eta=0.5:theory steps=9:theory" });
    return b;
}

/* Parameters of which some are a cap's show nothing about a theorem; of another claim it is worth a word. */
static void test_capped(void)
{
    static const char one[] = "eta=0.5:theory steps=9:theory_capped:20.5";
    static const char more[] = "first.steps=9:theory_capped period=3:theory_capped:4 split=0.5:balanced";
    static const struct {
        const char *mode, *resolved;
        size_t caps;
        double claimed, from;
        sp_verdict_kind kind;
        const char *reason;
    } cases[] = {
        { "theory", one, 0, -0.5, 0.0, SP_AGREES, "" },
        { "theory", one, 2, -0.5, 0.0, SP_VACUOUS, "2 of 5 points were capped: steps = 9 instead of 20.5 at n = 1000" },
        { "theory", one, 2, -0.5, 2e3, SP_VACUOUS, "1 of 4 points were capped: steps = 9 instead of 20.5 at n = 3000" },
        { "theory", one, 2, -0.5, 5e3, SP_AGREES, "" }, /* at points that do not count */
        { "theory", one, 2, -0.25, 0.0, SP_VACUOUS, "2 of 5 points were capped" },
        { "theory", more, 5, -0.5, 0.0, SP_VACUOUS,
          "5 of 5 points were capped: first.steps = 9, period = 3 instead of 4 at n = 1000" },
        { "sup", one, 2, -0.5, 0.0, SP_AGREES, "2 of 5 points were capped: steps = 9 instead of 20.5 at n = 1000" },
        { "bound", one, 1, -0.5, 0.0, SP_AGREES, "1 of 5 points were capped: steps = 9 instead of 20.5 at n = 1000" },
        { "bound", one, 2, -0.7, 0.0, SP_SHALLOWER, "2 of 5 points were capped" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_claim claim = claim_in_n(cases[i].claimed, cases[i].mode);
        claim.from = cases[i].from;
        book b = capped_book("capped", cases[i].caps, cases[i].resolved);
        expect(&b, &claim, NULL, cases[i].kind, cases[i].reason);
    }
    sp_claim claim = claim_in_n(-0.5, "theory"); /* of the label that it is to be below */
    claim.below = T("b_gd");
    for (int mode = 0; mode < 2; mode++) {
        claim.mode = mode == 0 ? T("theory") : T("sup");
        book b = open_book("below: capped");
        add_power(&b, (line){ .label = "a_gd", .start = 1e6, .resolved = "steps=9:theory" }, 2.5, -0.5);
        add_power(&b, (line){ .label = "b_gd", .start = 1e6, .resolved = one }, 0.7, -0.1);
        expect(&b, &claim, NULL, mode == 0 ? SP_VACUOUS : SP_AGREES,
               "of b_gd 5 of 5 points were capped: steps = 9 instead of 20.5 at n = 1000");
    }
    for (int mode = 0; mode < 2; mode++) { /* no column to say it */
        claim = claim_in_n(-0.5, mode == 0 ? "theory" : "sup");
        book b = capped_book("caps unknown", 2, one);
        memcpy(strstr(b.runs.data, "resolved"), "whatever", 8);
        expect(&b, &claim, NULL, mode == 0 ? SP_NOT_RESOLVED : SP_AGREES,
               mode == 0 ? "the tables have no column resolved, which would say what was capped" : "");
    }
    claim = claim_in_n(-0.5, "bound"); /* behind another reason */
    claim.constant = 2.0;
    book b = capped_book("capped", 2, one);
    expect(&b, &claim, NULL, SP_SHALLOWER, "is above the bound 0.0632; 2 of 5 points were capped: steps = 9 instead");
}

/* What a claim presupposes of every run that counts is measured. */
static void test_within(void)
{
    static const struct {
        const char *measure, *limit, *mode;
        double claimed, from;
        sp_verdict_kind kind;
        const char *reason;
    } cases[] = {
        { "grad_norm", "0.1", "theory", -0.5, 0.0, SP_AGREES, "" },
        { "grad_norm", "0.06", "theory", -0.5, 0.0, SP_VACUOUS,
          "grad_norm, which is to be at most 0.06, is above it in 8 runs, 0.0" },
        { "grad_norm", "0.06", "bound", -0.5, 0.0, SP_VACUOUS, " at n = 1000" },
        { "grad_norm", "0.06", "sup", -0.25, 0.0, SP_VACUOUS, "in 8 runs" }, /* whatever the slope is */
        { "grad_norm", "0.06", "theory", -0.5, 2e3, SP_AGREES, "" }, /* at a point that does not count */
        { "epsilon_spent", "1", "theory", -0.5, 0.0, SP_AGREES, "" }, /* the limit itself is within */
        { "start.grad_norm", "9.99", "theory", -0.5, 0.0, SP_VACUOUS, "in 40 runs, 10 at n = 1000" },
        { "path_radius", "3", "theory", -0.5, 0.0, SP_NOT_RESOLVED,
          "no column path_radius, which is to be at most 3" },
        { "resolved", "3", "theory", -0.5, 0.0, SP_NOT_RESOLVED,
          "resolved, which is to be at most 3, is not known at n = 1000" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_axis_value within = { .key = sp_copy_text(cases[i].measure), .value = sp_copy_text(cases[i].limit) };
        sp_claim claim = claim_in_n(cases[i].claimed, cases[i].mode);
        claim.from = cases[i].from;
        claim.within = &within;
        claim.withins = 1;
        book b = capped_book("within", 0, "");
        expect(&b, &claim, NULL, cases[i].kind, cases[i].reason);
        free(within.key);
        free(within.value);
    }
    sp_axis_value within = { T("grad_norm"), T("0.1"), NULL }; /* said of this label, not of the others */
    sp_claim claim = claim_in_n(-0.5, "theory");
    sp_verdict v = { 0 };
    sp_text said = { 0 };
    claim.within = &within;
    claim.withins = 1;
    claim.below = T("b_gd");
    book b = open_book("within: below");
    add_power(&b, (line){ .label = "a_gd", .start = 1e6, .resolved = "steps=9:theory" }, 2.5, -0.5);
    add_power(&b, (line){ .label = "b_gd", .start = 1e6, .resolved = "steps=9:theory" }, 0.7, -0.1);
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
    CHECK_TEXT(sp_verdict_name(v.kind), "AGREES");
    sp_verdict_line(&v, &said);
    CHECK_CONTAINS(said.data, "(theory; below b_gd; within grad_norm=0.1)");
    sp_text_free(&said);
    sp_verdict_free(&v);
}

/* --- families ------------------------------------------------------------------------------------------------ */

/* Ramps of slope s from 0.6 downwards by `ratio`: with alpha = n^-1/2, where s <= alpha a run stays on the ramp (y is
 * s), where not it ends at about `end` alpha, the lower the steeper the ramp. */
static book ramps(const char *name, double ratio, size_t members, double end)
{
    book b = open_book(name);
    for (size_t p = 0; p < POINTS; p++)
        for (size_t m = 0; m < members; m++)
            for (int r = 0; r < REPLICATES; r++) {
                const double s = 0.6 * pow(ratio, -(double)m), alpha = 1.0 / sqrt(records[p]);
                char slope[32];
                snprintf(slope, sizeof slope, "%.17g", s);
                add(&b, (line){ .label = "a_gd", .slope = slope, .n = records[p], .replicate = r, .start = s,
                                .y = gsl_ran_lognormal(b.noise, 0.0, 0.002) *
                                     (s <= alpha ? s : end * alpha * pow(alpha / s, 0.1)) });
            }
    return b;
}

static void test_family(void)
{
    sp_claim claim = claim_in_n(-0.5, "sup");
    claim.family = T("loss.slope");
    claim.members = 52;
    sp_verdict v;
    book b = ramps("fine", pow(2.0, 0.15), 52, 0.5); /* down to 0.0030; alpha ends at 0.0032 */
    sp_claim short_range = claim;
    short_range.to = 3e4;
    CHECK_EQUAL(judge(&b, &short_range, NULL, &v, NULL), SP_OK);
    CHECK_EQUAL(v.kind, SP_AGREES);
    CHECK_TEXT(v.reason, "");
    for (size_t p = 0; p < POINTS; p++) { /* the worst one is the steepest ramp not left: alpha but for 2^0.15 */
        CHECK_LESS_EQUAL(v.y[p].estimate * sqrt(records[p]), 1.01);
        CHECK_LESS_EQUAL(pow(2.0, -0.15), v.y[p].estimate * sqrt(records[p]) * 1.01);
        CHECK_NEAR(strtod(v.curve.member[v.decides[p]], NULL), v.y[p].estimate, 0.01 * v.y[p].estimate);
        CHECK_NEAR(v.start[p], 0.6, 0); /* sup over the family */
    }
    sp_verdict_free(&v);

    claim.members = 10; /* down to 0.0012 */
    b = ramps("staircase", 2.0, 10, 0.5);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "staircase");

    claim.members = 34; /* down to 0.019: cut off from n = 3e3 on */
    b = ramps("cut", pow(2.0, 0.15), 34, 1.0);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "the family is cut off: the worst instance at n = 3000 is its first "
                                              "member, slope = 0.019");
    claim.closed = T("low");
    claim.tolerance = 0.1; /* beyond it y falls as n^-0.55 */
    b = ramps("cut", pow(2.0, 0.15), 34, 1.0);
    expect(&b, &claim, NULL, SP_AGREES, "");
}

/* Members that tie: which one is worst is chance, and no sign that the family is cut off. */
static void test_ties(void)
{
    sp_claim claim = claim_in_n(-0.5, "sup");
    claim.family = T("problem.loss.slope");
    claim.members = 4;
    book b = open_book("ties");
    static const char *const slope[] = { "b", "a", "d", "c" }; /* texts stay as they come */
    sp_verdict v;
    for (size_t m = 0; m < 4; m++)
        add_power(&b, (line){ .label = "a_gd", .slope = slope[m], .start = 10.0 }, 2.5, -0.5);
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
    CHECK_EQUAL(v.curve.members, 4);
    CHECK_TEXT(v.curve.member[0], "b");
    CHECK_TEXT(v.curve.member[3], "c");
    CHECK_TEXT(v.reason, "");
    sp_verdict_free(&v);

    b = open_book("last"); /* and one that is always the worst */
    for (size_t m = 0; m < 4; m++)
        add_power(&b, (line){ .label = "a_gd", .slope = slope[m], .start = 10.0 }, m == 3 ? 3.5 : 2.5, -0.5);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "the worst instance at n = 1000 is its last member, slope = c");
    b = open_book("middle");
    for (size_t m = 0; m < 4; m++)
        add_power(&b, (line){ .label = "a_gd", .slope = slope[m], .start = 10.0 }, m == 1 ? 3.5 : 2.5, -0.5);
    expect(&b, &claim, NULL, SP_AGREES, "");
}

/* --- tuning -------------------------------------------------------------------------------------------------- */

static void test_edge(void)
{
    static const char head[] = "sweep\tlabel\tproblem.loss.slope\tproblem.n\tedge\n";
    static const struct {
        const char *rows;
        sp_verdict_kind kind;
        const char *reason;
    } cases[] = {
        { "main\ta_gd\t-\t1000\t-\nmain\ta_gd\t-\t10000\t-\n", SP_AGREES, "" },
        { "main\ta_gd\t-\t1000\t-\nmain\ta_gd\t-\t10000\teta\n", SP_NOT_RESOLVED,
          "the tuned optimum of eta is on the edge of its grid at n = 10000" },
        { "main\ta_gd\t-\t100000\tsteps\n", SP_AGREES, "" }, /* beyond `to` */
        { "main\tb_gd\t-\t10000\teta\nother\ta_gd\t-\t10000\teta\n", SP_AGREES, "" },
        { "main\ta_gd\t0.5\t10000\teta\n", SP_AGREES, "" }, /* another instance */
        { "main\ta_gd\t0.25\t10000\teta\n", SP_NOT_RESOLVED, "eta" },
    };
    sp_claim claim = claim_in_n(-0.5, "theory");
    sp_axis_value where = { T("slope"), T("0.25"), NULL };
    claim.to = 5e4;
    where.key = T("loss.slope");
    claim.where = &where;
    claim.wheres = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *table = sp_format("%s%s", head, cases[i].rows);
        book b = open_book("edge");
        add_power(&b, (line){ .label = "a_gd", .slope = "0.25", .tuned = "yes", .start = 10.0 }, 2.5, -0.5);
        add_power(&b, (line){ .label = "a_gd", .slope = "0.5", .tuned = "yes", .start = 10.0 }, 2.5, -0.1);
        expect(&b, &claim, table, cases[i].kind, cases[i].reason);
        free(table);
    }
    book b = open_book("edge");
    add_power(&b, (line){ .label = "a_gd", .slope = "0.25", .tuned = "yes", .start = 10.0 }, 2.5, -0.5);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "tuning.tsv does not say");
}

/* --- inversion ----------------------------------------------------------------------------------------------- */

/* A run with parameter alpha returns 2 n^-0.57 whatever alpha is; with reach = 2 the smallest alpha that nine of ten
 * reach is 1.07 n^-0.57 (the 0.9 quantile of the noise), rounded up to the grid of ratio 2^(1/8).
 * It starts at `start` and a little more at larger n. */
static book levels(const char *name, double highest, size_t count, double start)
{
    book b = open_book(name);
    for (size_t p = 0; p < POINTS; p++)
        for (size_t l = 0; l < count; l++)
            for (int r = 0; r < REPLICATES; r++) {
                char alpha[32];
                snprintf(alpha, sizeof alpha, "%.17g", highest * pow(2.0, -(double)l / 8.0));
                add(&b, (line){ .label = "a_gd", .alpha = alpha, .n = records[p], .replicate = r,
                                .start = start + 1e-7 * records[p],
                                .y = noisy(&b, 2.0 * pow(records[p], -0.57)) });
            }
    return b;
}

static void test_inversion(void)
{
    sp_claim claim = claim_in_n(-0.57, "inversion");
    sp_verdict v;
    claim.alpha = T("alpha");
    claim.reach = 2.0;
    claim.tolerance = 0.04;
    claim.levels = 56;
    book b = levels("inversion", 0.1, 56, 10.0);
    /* another sweep with more replicates: they are not missing here */
    sp_text_append(&b.runs, "x\tother\tdp_gd\tdp_gd\t-\t-\t-\t1\t-\t-\t1000\t99\tok\t1\t1\tyes\tno\tNaN\t-\t-\n");
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
    CHECK_EQUAL(v.kind, SP_AGREES);
    CHECK_TEXT(v.reason, "");
    for (size_t p = 0; p < POINTS; p++) {
        const double exact = 1.07 * pow(records[p], -0.57);
        CHECK_LESS_EQUAL(0.9 * exact, v.y[p].estimate);
        CHECK_LESS_EQUAL(v.y[p].estimate, 1.2 * exact);
        CHECK_NEAR(v.start[p], 10.0 + 1e-7 * records[p], 1e-14);
        CHECK_NEAR(v.fitted[p].estimate, v.y[p].estimate, 0);
    }
    sp_verdict_free(&v);
    b = levels("inversion", 0.1, 56, 0.07); /* 2 alpha, 0.042 at n = 1e3, is above half of the start: alpha is not */
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
    CHECK(!v.counted[0] && v.counted[1]);
    sp_verdict_free(&v);
    claim.levels = 36; /* not low enough for the last two points */
    b = levels("short", 0.1, 36, 10.0);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "the smallest alpha of the grid, 0.00481941, is reached at n = 30000");
    b = levels("low", 0.015, 36, 10.0); /* not high enough for the first point */
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "no alpha of the grid is reached at n = 1000");
}

/* --- what a claim is told apart from ------------------------------------------------------------------------- */

static void test_rival(void)
{
    static const struct {
        double truth, rival;
        int replicates;
        sp_verdict_kind kind;
        const char *line;
    } cases[] = {
        { -0.5, -0.65, 8, SP_AGREES, "; excludes -0.65 (log LR " },
        { -0.65, -0.65, 8, SP_STEEPER, "; does not exclude -0.65 (log LR -" },
        { -0.58, -0.65, 8, SP_STEEPER, "" },
        { -0.5, -0.65, 4, SP_NOT_RESOLVED, "4 replicates: an interval needs 5" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_claim claim = claim_in_n(-0.5, "theory");
        claim.rival = cases[i].rival;
        claim.replicates = (size_t)cases[i].replicates;
        sp_verdict v;
        sp_text text = { 0 };
        book b = open_book("rival");
        for (size_t p = 0; p < POINTS; p++)
            for (int r = 0; r < cases[i].replicates; r++)
                add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 10.0,
                                .y = noisy(&b, 2.5 * pow(records[p], cases[i].truth)) });
        CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
        CHECK_TEXT(sp_verdict_name(v.kind), sp_verdict_name(cases[i].kind));
        sp_verdict_line(&v, &text);
        CHECK_CONTAINS(text.data, cases[i].line);
        sp_text_free(&text);
        /* by the formula, from what the verdict says itself */
        const double mine = v.slope.estimate + 0.5, theirs = v.slope.estimate - cases[i].rival;
        CHECK_NEAR(v.log_lr, (theirs * theirs - mine * mine) / (2.0 * v.slope.se * v.slope.se), 1e-9 * fabs(v.log_lr));
        sp_verdict_free(&v);
    }
}

/* A control with the same exponent is the schedule alone; one with another exponent, or none, is not. */
static void test_control(void)
{
    static const struct {
        double exponent, constant;
        sp_verdict_kind kind;
        const char *reason;
    } cases[] = {
        { -0.5, 0.01, SP_NOT_RESOLVED, "the schedule alone: the control silent shows -0." },
        { -0.42, 0.01, SP_AGREES, "" },
        { -0.62, 40.0, SP_AGREES, "" }, /* above half of its start: its own business */
        { -0.5, -1.0, SP_AGREES, "" },  /* no logarithm, no exponent */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_claim claim = claim_in_n(-0.5, "sup");
        claim.control = T("silent");
        book b = open_book("control");
        add_power(&b, (line){ .label = "a_gd", .start = 10.0 }, 2.5, -0.5);
        add_power(&b, (line){ .label = "silent", .privacy = "noise_off", .start = 10.0 }, cases[i].constant,
                  cases[i].exponent);
        expect(&b, &claim, NULL, cases[i].kind, cases[i].reason);
    }
    sp_claim claim = claim_in_n(-0.5, "sup");
    claim.control = T("silent");
    book b = open_book("no control");
    add_power(&b, (line){ .label = "a_gd", .start = 10.0 }, 2.5, -0.5);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "the control silent is not resolved: 0 of 40 runs are there");
}

/* n^-1/2 log n is not a power law; divided by log n it is one. Times a number of steps that is resolved, or given. */
static void test_divided(void)
{
    for (int divided = 0; divided < 2; divided++) {
        sp_claim claim = claim_in_n(-0.5, "sup");
        sp_verdict v;
        claim.log = divided;
        book b = open_book("log");
        for (size_t p = 0; p < POINTS; p++)
            for (int r = 0; r < REPLICATES; r++)
                add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 1e3,
                                .y = noisy(&b, 2.5 / sqrt(records[p]) * log(records[p])) });
        CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
        CHECK_TEXT(sp_verdict_name(v.kind), divided ? "AGREES" : "SHALLOWER");
        for (size_t p = 0; p < POINTS; p++) /* both lines are back on the scale of y */
            CHECK_NEAR(v.theory[p] / v.y[p].estimate, 1.0, divided ? 0.05 : 0.4);
        sp_verdict_free(&v);
    }
    static const char *const resolved[][2] = { { "eta=1:theory steps=", ":theory" }, { "steps=", ":theory_capped:9" },
                                               { "eta=", ":theory" } };
    for (size_t i = 0; i < 3; i++) {
        sp_claim claim = claim_in_n(-0.5, "sup");
        sp_axis_value per = { T("steps"), T("1"), NULL };
        claim.per = &per;
        claim.pers = 1;
        book b = open_book("per");
        for (size_t p = 0; p < POINTS; p++)
            for (int r = 0; r < REPLICATES; r++) {
                char text[64];
                snprintf(text, sizeof text, "%s%.17g%s", resolved[i][0], pow(records[p], 0.4), resolved[i][1]);
                add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 1e3, .resolved = text,
                                .y = noisy(&b, 2.5 * pow(records[p], -0.1)) });
            }
        expect(&b, &claim, NULL, i < 2 ? SP_AGREES : SP_NOT_RESOLVED,
               i == 0 ? "" : i == 1 ? "5 of 5 points were capped" : "the runs did not resolve steps");
    }
    sp_claim claim = claim_in_n(-0.5, "sup");
    sp_axis_value per = { T("eta"), T("2"), NULL };
    claim.per = &per;
    claim.pers = 1;
    book b = open_book("given"); /* by the experiment: a column of its own */
    add_power(&b, (line){ .label = "a_gd", .eta = "0.5", .start = 10.0 }, 2.5, -0.5);
    sp_verdict v;
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
    CHECK_EQUAL(v.kind, SP_AGREES);
    CHECK_NEAR(exp(v.slope.intercept), 2.5 / 0.25, 1.0);
    CHECK_NEAR(v.model[2] * sqrt(records[2]), 2.5, 0.1);
    sp_verdict_free(&v);
}

/* The bound that the methods resolve: 7 n^-0.6 + 30 / n, whose slope over the points is -0.66. */
static void test_exponent_of_bound(void)
{
    for (int there = 0; there < 2; there++) {
        sp_claim claim = claim_in_n(NAN, "sup");
        sp_verdict v;
        claim.scatter = 0.5;
        double sum_z = 0.0, sum_zz = 0.0, sum_b = 0.0, sum_zb = 0.0;
        book b = open_book("bound of its own");
        for (size_t p = 0; p < POINTS; p++)
            for (int r = 0; r < REPLICATES; r++) {
                char text[64];
                const double bound = 7.0 * pow(records[p], -0.6) + 300.0 / records[p];
                snprintf(text, sizeof text, there ? "bound=%.17g:theory steps=9:theory" : "steps=9:theory", bound);
                add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 1e3, .resolved = text,
                                .y = noisy(&b, bound / 50.0) });
                sum_z += log(records[p]);
                sum_zz += log(records[p]) * log(records[p]);
                sum_b += log(bound);
                sum_zb += log(records[p]) * log(bound);
            }
        const double points = POINTS * REPLICATES;
        CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
        if (there) {
            CHECK_NEAR(v.exponent, (points * sum_zb - sum_z * sum_b) / (points * sum_zz - sum_z * sum_z), 1e-10);
            CHECK(v.kind != SP_STEEPER && v.kind != SP_SHALLOWER);
            CHECK_NEAR(v.slope.estimate, v.exponent, 0.03);
        } else {
            CHECK_EQUAL(v.kind, SP_NOT_RESOLVED);
            CHECK_CONTAINS(v.reason, "the method resolves no bound");
        }
        sp_verdict_free(&v);
    }
}

/* y = 2.5 n^-1/2 log n is below 3 n^-1/2 log n, and not below 2 n^-1/2 log n: the constant is that of y / log n. */
static void test_divided_bound(void)
{
    static const double constants[] = { 3.0, 2.0 };
    for (size_t i = 0; i < 2; i++) {
        sp_claim claim = claim_in_n(-0.5, "bound");
        sp_verdict v;
        claim.log = 1.0;
        claim.constant = constants[i];
        book b = open_book("log");
        for (size_t p = 0; p < POINTS; p++)
            for (int r = 0; r < REPLICATES; r++)
                add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 1e3,
                                .y = noisy(&b, 2.5 / sqrt(records[p]) * log(records[p])) });
        CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
        CHECK_TEXT(sp_verdict_name(v.kind), i == 0 ? "AGREES" : "SHALLOWER");
        CHECK(isnan(v.p) == (i == 1)); /* a point is above the bound: no test of the exponent */
        for (size_t p = 0; p < POINTS; p++)
            CHECK_NEAR(v.theory[p] * sqrt(records[p]) / log(records[p]), constants[i], 1e-12);
        sp_verdict_free(&v);
    }
}

/* Slope 1/2 at the first n, 0.22 at the last: the end of a curve is where the theorem's x goes. */
static void test_end(void)
{
    static const struct {
        double exponent;
        const char *toward;
        double tail;
        sp_verdict_kind kind;
    } cases[] = {
        { 0.5, "infinity", 0.2237, SP_AGREES }, /* growing more slowly is better */
        { 0.5, "zero", 0.5, SP_AGREES },
        { 0.3, "zero", 0.5, SP_AGREES }, /* and so is falling faster */
        { 0.6, "zero", 0.5, SP_SHALLOWER },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_claim claim = claim_in_n(cases[i].exponent, "bound");
        sp_verdict v;
        char toward[16];
        snprintf(toward, sizeof toward, "%s", cases[i].toward);
        claim.toward = toward;
        book b = open_book("end");
        for (size_t p = 0; p < POINTS; p++)
            for (int r = 0; r < REPLICATES; r++) {
                const double z = log(records[p] / 1e3);
                add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 1e3,
                                .y = exp(0.5 * z - 0.03 * z * z) * (1.0 + 1e-4 * r) });
            }
        CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
        CHECK_NEAR(v.slope.tail, cases[i].tail, 1e-4);
        CHECK_TEXT(sp_verdict_name(v.kind), sp_verdict_name(cases[i].kind));
        sp_verdict_free(&v);
    }
}

/* Of a bound that is kept with room to spare: what would settle it. */
static void test_kept_bound(void)
{
    sp_claim claim = claim_in_n(-0.5, "bound");
    sp_verdict v;
    claim.rival = -0.65;
    book b = open_book("nearer"); /* no number of replicates excludes what it is nearer to */
    add_power(&b, (line){ .label = "a_gd", .start = 1e6 }, 2.5, -0.7);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "the slope at the curve's end is nearer to it");

    claim = claim_in_n(-0.5, "bound");
    b = open_book("wide");
    for (size_t p = 0; p < POINTS; p++)
        for (int r = 0; r < REPLICATES; r++)
            add(&b, (line){ .label = "a_gd", .n = records[p], .replicate = r, .start = 1e6,
                            .y = pow(records[p], -0.56) * (r % 2 ? 0.4 : 1.6) });
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
    CHECK_EQUAL(v.kind, SP_NOT_RESOLVED);
    const double half = 0.5 * (v.slope.tail_high - v.slope.tail_low);
    char expected[64]; /* the end's interval is to end at a tolerance from -1/2, 0.11 from where it is */
    snprintf(expected, sizeof expected, ": %.0f replicates would settle it",
             fmax(v.replicates_needed, ceil(REPLICATES * pow(half / (0.05 - (v.slope.tail + 0.5)), 2.0))));
    CHECK_CONTAINS(v.reason, expected);
    sp_verdict_free(&v);
}

/* Claims that share a word: Holm. */
static void test_adjusted(void)
{
    const sp_claim claim = claim_in_n(-0.5, "sup");
    sp_verdict v[4];
    const double p[] = { 0.01, 0.04, 0.03, 0.2 };
    for (size_t i = 0; i < 4; i++) {
        v[i] = sp_verdict_none(&claim);
        v[i].kind = i < 3 ? SP_AGREES : SP_SHALLOWER;
        v[i].p = p[i];
    }
    sp_verdicts_adjust(v, 4);
    CHECK_NEAR(v[0].p_holm, 0.03, 1e-15);
    CHECK_NEAR(v[1].p_holm, 0.06, 1e-15);
    CHECK_NEAR(v[2].p_holm, 0.06, 1e-15);
    CHECK_NEAR(v[3].p_holm, 0.2, 1e-15);
}

/* --- below another label -------------------------------------------------------------------------------------- */

/* 2.5 n^a meets 0.7 n^b at n = (2.5 / 0.7)^(1 / (b - a)), whatever the word for a = -1/2 is. */
static void test_crossing(const sp_claim *claim)
{
    static const struct {
        double mine, theirs;
        const char *line;
    } cases[] = {
        { -0.5, -0.4, "; meets the line of b_gd at n = " },
        { -0.5, -0.6, "; meets the line of b_gd at n = " },
        { -0.3, 0.2, "; meets the line of b_gd at n = " },
        { -0.5, -0.5, ", or nowhere: their slopes may be the same" },
    };
    sp_verdict v;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double meet = pow(2.5 / 0.7, 1.0 / (cases[i].theirs - cases[i].mine));
        sp_text text = { 0 };
        book b = open_book("crossing");
        add_power(&b, (line){ .label = "a_gd", .start = 1e6 }, 2.5, cases[i].mine);
        add_power(&b, (line){ .label = "b_gd", .start = 1e6 }, 0.7, cases[i].theirs);
        CHECK_EQUAL(judge(&b, claim, NULL, &v, NULL), SP_OK);
        if (isfinite(meet))
            CHECK(fabs(log(v.crossing.estimate / meet)) < log(v.crossing.high / v.crossing.low)); /* 3.4 errors */
        else
            CHECK(isnan(v.crossing.low) && isnan(v.crossing.high));
        sp_verdict_line(&v, &text);
        CHECK_CONTAINS(text.data, cases[i].line);
        sp_text_free(&text);
        sp_verdict_free(&v);
    }
    for (int vacuous = 0; vacuous < 2; vacuous++) { /* the other line is none, or nobody may judge by it */
        book b = open_book("no crossing");
        add_power(&b, (line){ .label = "a_gd", .start = 1e6 }, 2.5, -0.5);
        if (vacuous)
            add_power(&b, (line){ .label = "b_gd", .start = 1e-3 }, 0.7, -0.1);
        CHECK_EQUAL(judge(&b, claim, NULL, &v, NULL), SP_OK);
        CHECK(isnan(v.crossing.estimate));
        sp_verdict_free(&v);
    }
}

static void test_below(void)
{
    static const struct {
        double mine, theirs;
        const char *toward;
        sp_verdict_kind kind;
        const char *reason;
    } cases[] = {
        { -0.5, -0.4, "infinity", SP_AGREES, "" },
        { -0.5, -0.5, "infinity", SP_NOT_RESOLVED, "not better than that of b_gd, -0." },
        { -0.5, -0.6, "infinity", SP_SHALLOWER, "not better than that of b_gd, -0.6" },
        { -0.5, -0.6, "zero", SP_AGREES, "" },
        { -0.5, -0.4, "zero", SP_SHALLOWER, "not better than that of b_gd, -0.4" },
        { -0.7, -0.6, "infinity", SP_STEEPER, "" },
        { -0.7, -0.8, "infinity", SP_SHALLOWER, "not better" }, /* better than claimed is not enough */
        { -0.3, 0.2, "infinity", SP_SHALLOWER, "" },            /* its own claim fails first */
    };
    sp_claim claim = claim_in_n(-0.5, "theory");
    claim.below = T("b_gd");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char toward[16];
        snprintf(toward, sizeof toward, "%s", cases[i].toward);
        claim.toward = toward;
        book b = open_book("below");
        add_power(&b, (line){ .label = "a_gd", .start = 1e6 }, 2.5, cases[i].mine);
        add_power(&b, (line){ .label = "b_gd", .start = 1e6 }, 0.7, cases[i].theirs);
        expect(&b, &claim, NULL, cases[i].kind, cases[i].reason);
    }
    claim.toward = T("infinity");
    sp_verdict v; /* p is that of the word: there is none for one that the other label decides */
    for (int better = 0; better < 2; better++) {
        book b = open_book("below: p");
        add_power(&b, (line){ .label = "a_gd", .start = 1e6 }, 2.5, -0.5);
        add_power(&b, (line){ .label = "b_gd", .start = 1e6 }, 0.7, better ? -0.4 : -0.6);
        CHECK_EQUAL(judge(&b, &claim, NULL, &v, NULL), SP_OK);
        CHECK(better ? v.p < 0.05 : isnan(v.p));
        sp_verdict_free(&v);
    }
    test_crossing(&claim);
    book b = open_book("below: missing");
    add_power(&b, (line){ .label = "a_gd", .start = 1e6 }, 2.5, -0.5);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "that of b_gd is not resolved: 0 of 40 runs are there");
    b = open_book("below: vacuous");
    add_power(&b, (line){ .label = "a_gd", .start = 1e6 }, 2.5, -0.5);
    add_power(&b, (line){ .label = "b_gd", .start = 1e-3 }, 0.7, -0.1);
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "that of b_gd is not resolved: grad_norm is above 0.5 of its value");
}

/* --- errors -------------------------------------------------------------------------------------------------- */

static void test_errors(void)
{
    sp_claim claim = claim_in_n(-0.5, "theory");
    sp_verdict v;
    sp_error error = { 0 };
    book b = open_book("twice");
    claim.points = 2 * POINTS;
    add_power(&b, (line){ .label = "a_gd", .eta = "0.3", .start = 10.0 }, 2.5, -0.5);
    add_power(&b, (line){ .label = "a_gd", .eta = "0.4", .start = 10.0 }, 2.5, -0.5);
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "claim a_gd on grad_norm against n: several cells of a_gd at n = 1000 differ in "
                               "algorithm.eta (0.3, 0.4)");
    CHECK(!v.claim && !v.y);

    b = open_book("column");
    claim.x = T("epsilom");
    add_power(&b, (line){ .label = "a_gd", .start = 10.0 }, 2.5, -0.5);
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "runs.tsv has no axis epsilom");
    b = open_book("column");
    claim.x = T("n");
    claim.y = T("objective");
    CHECK_EQUAL(judge(&b, &claim, NULL, &v, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "runs.tsv has no column objective");

    claim = claim_in_n(-0.5, "theory"); /* no run at all is a verdict */
    b = open_book("empty");
    expect(&b, &claim, NULL, SP_NOT_RESOLVED, "0 of 40 runs are there");
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    test_agrees();
    test_budget_units();
    test_exponents();
    test_missing();
    test_range();
    test_vacuous();
    test_testable();
    test_schedule_alone();
    test_capped();
    test_within();
    test_family();
    test_ties();
    test_edge();
    test_inversion();
    test_rival();
    test_control();
    test_divided();
    test_exponent_of_bound();
    test_divided_bound();
    test_end();
    test_kept_bound();
    test_adjusted();
    test_below();
    test_errors();
    sp_runs_close(&runs);
    char *command = sp_format("rm -r %s", folder);
    CHECK_EQUAL(system(command), 0);
    free(command);
    return sp_check_done();
}
