/* seeds.c -- tables of several seeds, written by hand with exponents that are known: whether they belong together, and
 * the verdict over them. Noise is lognormal from a fixed stream. */
#include "core/rates/seeds.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/numeric/stream.h"
#include "tests/check.h"
#include "tests/claims.h"
#include "tests/tables.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/stillpoint-seeds-XXXXXX";

enum { POINTS = 5, REPLICATES = 5, LABELS = 20 };
static const double records[POINTS] = { 1e3, 3e3, 1e4, 3e4, 1e5 };
static const uint64_t seed[] = { 91, 4503599627370495, 12, 13, 14, 15 };

/* --- tables by hand ------------------------------------------------------------------------------------------ */

static char label[] = "a_gd"; /* that is judged */
static double wobble;         /* every other point is so much above the power law, in the logarithm */
static size_t trial;          /* names the noise */

/* The tables of a seed: of label l 2.5 n^exponent[l], and a deviation of `noise` in the logarithm of each run. */
static void write_labels(size_t number, const double *exponent, size_t labels, double noise)
{
    sp_text text = { 0 };
    char *path = sp_seeds_folder(folder, number);
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(trial, "seeds", number, SP_STREAM_NOISE));
    sp_text_append(&text, "run\tsweep\tlabel\talgorithm\tprivacy\tproblem.n\treplicate\tstatus\tgrad_norm\t"
                          "epsilon_spent\tprivate\ttuned\tstart.grad_norm\tresolved\n");
    for (size_t i = 0; i < labels * POINTS * REPLICATES; i++) {
        const size_t l = i / (POINTS * REPLICATES), p = i / REPLICATES % POINTS;
        const double mean = 2.5 * pow(records[p], exponent[l]) * exp(p % 2 == 1 ? wobble : 0.0);
        sp_text_append(&text, "r%zu\tmain\t%c_gd\tgd\tnone\t%g\t%zu\tok\t%.17g\tNaN\tno\tno\t10\t-\n", i,
                       'a' + (int)l, records[p], i % REPLICATES, mean * gsl_ran_lognormal(stream, 0.0, noise));
    }
    CHECK_EQUAL(sp_make_directory(path, NULL), SP_OK);
    tables_write(path, text.data);
    sp_text_free(&text);
    gsl_rng_free(stream);
    free(path);
}

static void write_seed(size_t number, double exponent, double noise)
{
    write_labels(number, &exponent, 1, noise);
}

static void remove_seed(size_t number)
{
    char *path = sp_seeds_folder(folder, number);
    tables_remove(path);
    rmdir(path);
    free(path);
}

static sp_claim claim_in_n(double tolerance)
{
    static char sweep[] = "main", y[] = "grad_norm", x[] = "n", mode[] = "sup", closed[] = "neither",
                toward[] = "infinity";
    sp_claim c = CLAIMS_OF("a_gd", -0.5, "sup");
    c.algorithm = label;
    c.sweep = sweep;
    c.y = y;
    c.x = x;
    c.mode = mode;
    c.closed = closed;
    c.toward = toward;
    c.tolerance = tolerance;
    c.points = POINTS;
    c.replicates = REPLICATES;
    return c;
}

/* --- what belongs together ----------------------------------------------------------------------------------- */

/* The seeds in `folder` are `count`, 1 when they are stale; the reason contains `stale`. */
static void expect_seeds(size_t count, const char *stale)
{
    sp_seeds s;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_seeds_open(folder, 91, &s, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    CHECK_EQUAL(s.count, count);
    if (*stale)
        CHECK_CONTAINS(s.stale, stale);
    else
        CHECK_TEXT(s.stale, "");
    for (size_t k = 0; k < s.count; k++) {
        CHECK_EQUAL(s.runs[k].seed, seed[k]);
        CHECK_EQUAL(s.runs[k].table.rows, POINTS * REPLICATES);
    }
    sp_seeds_close(&s);
}

static void test_together(void)
{
    char *list = sp_format("%s/seeds.tsv", folder);
    write_seed(1, -0.5, 0.05);
    expect_seeds(1, "");
    for (size_t number = 2; number <= 4; number++)
        write_seed(number, -0.5, 0.05);
    expect_seeds(1, "");
    CHECK_EQUAL(sp_seeds_write(folder, seed, 4, NULL), SP_OK);
    expect_seeds(4, "");

    for (size_t number = 1; number <= 4; number++) { /* one run is another one; it is as it was */
        char expected[64];
        snprintf(expected, sizeof expected, "stale: the tables of seed %zu ", number);
        write_seed(number, -0.51, 0.05);
        expect_seeds(1, expected);
        write_seed(number, -0.5, 0.05);
        expect_seeds(4, "");
    }
    tables_save(folder, "tuning.tsv", "edge\n"); /* a table that was not there */
    expect_seeds(1, "stale: the tables of seed 1 ");
    char *tuning = sp_format("%s/tuning.tsv", folder);
    unlink(tuning);
    free(tuning);
    remove_seed(3);
    expect_seeds(1, "stale: the tables of seed 3 ");
    write_seed(3, -0.5, 0.05);
    remove_seed(4); /* fewer seeds than before: the last ones do not count */
    CHECK_EQUAL(sp_seeds_write(folder, seed, 3, NULL), SP_OK);
    expect_seeds(3, "");
    unlink(list);
    free(list);
}

static void test_damaged(void)
{
    static const char *const lists[] = {
        "",
        "number\tseed\n1\t91\n2\t12\n3\t13\n",
        "number\tseed\ttables\n1\t91\tx\n2\t12\tx\n",
        "number\tseed\ttables\n1\t91\tx\n3\t12\tx\n2\t13\tx\n",
        "number\tseed\ttables\n1\t91\tx\n2\t-12\tx\n3\t13\tx\n",
        "number\tseed\ttables\n1\t91\tx\n2\t1e19\tx\n3\t13\tx\n",
    };
    char *list = sp_format("%s/seeds.tsv", folder);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        sp_seeds s;
        sp_error error = { 0 };
        tables_save(folder, "seeds.tsv", lists[i]);
        CHECK_EQUAL(sp_seeds_open(folder, 91, &s, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, list);
        CHECK(s.runs == NULL && s.count == 0);
    }
    unlink(list);
    free(list);
}

/* --- the verdict over them ----------------------------------------------------------------------------------- */

static sp_seeds opened; /* what a verdict is about outlives it */

/* The verdict on -1/2 of a label of what was opened. */
static void judge_label(double tolerance, sp_verdict *v)
{
    static sp_claim claim;
    sp_error error = { 0 };
    claim = claim_in_n(tolerance);
    CHECK_EQUAL(sp_seeds_verdict(&opened, &claim, v, &error), SP_OK);
    CHECK_TEXT(error.text, "");
}

/* The same of what is in `folder`. */
static void judge(double tolerance, sp_verdict *v)
{
    sp_seeds_close(&opened);
    CHECK_EQUAL(sp_seeds_open(folder, 91, &opened, NULL), SP_OK);
    judge_label(tolerance, v);
}

/* exponent[k * labels + l] of seed k + 1 */
static void write_seeds(size_t count, const double *exponent, size_t labels, double noise)
{
    for (size_t k = 0; k < count; k++)
        write_labels(k + 1, exponent + k * labels, labels, noise);
    CHECK_EQUAL(sp_seeds_write(folder, seed, count, NULL), SP_OK);
}

/* Slopes -.50, -.52, -.48 whose own intervals are next to nothing: se = .02 / sqrt 3, t = 2.919986 and 1.885618 with
 * two degrees of freedom (tables of Student's t, .95 and .90). */
static void test_over_seeds(void)
{
    static const double exponent[] = { -0.5, -0.52, -0.48 };
    const double se = 0.02 / sqrt(3.0), t95 = 2.9199855803537, t975 = 4.302652729911275;
    sp_verdict v;
    sp_text text = { 0 };
    char *list = sp_format("%s/seeds.tsv", folder);
    write_seeds(3, exponent, 1, 1e-7);
    judge(0.05, &v);
    CHECK_TEXT(sp_verdict_name(v.kind), "AGREES");
    CHECK_EQUAL(v.seeds, 3);
    CHECK_NEAR(v.slope.estimate, -0.5, 1e-6);
    CHECK_NEAR(v.slope.se, se, 1e-6);
    CHECK_NEAR(v.slope.df, 2.0, 0.0);
    CHECK_NEAR(v.slope.low, -0.5 - t95 * se, 1e-6);
    CHECK_NEAR(v.slope.high, -0.5 + t95 * se, 1e-6);
    CHECK_NEAR(v.slope.tail, -0.5, 1e-6);
    CHECK_NEAR(v.slope.tail_high, -0.5 + t95 * se, 1e-6);
    CHECK_NEAR(v.spread, 0.02, 1e-6);
    CHECK(v.slope.fit_p > 0.05);
    CHECK_NEAR(v.within.estimate, -0.5, 1e-6);
    CHECK(v.within.high - v.within.low < 1e-6);
    for (size_t p = 0; p < POINTS; p++) {
        CHECK_EQUAL(v.y[p].count, 3);
        CHECK(v.counted[p]);
        CHECK_NEAR(v.model[p] * sqrt(records[p]), 2.5, 1e-5);
        if (p > 0)
            CHECK_NEAR(v.local[p].estimate, -0.5, 1e-6);
        if (p > 0)
            CHECK_NEAR(v.local[p].high, -0.5 + t95 * se, 1e-6);
    }
    sp_verdict_line(&v, &text);
    CHECK_CONTAINS(text.data, "measured -0.500 [-0.534, -0.466] over 3 seeds of deviation 0.020 (the first alone "
                              "-0.500 [-0.500, -0.500], deviation 0.000)");
    sp_text_free(&text);
    sp_verdict_free(&v);

    /* A tolerance that the first seed alone keeps. */
    judge(0.03, &v);
    CHECK_TEXT(sp_verdict_name(v.kind), "NOT_RESOLVED");
    char needed[32];
    snprintf(needed, sizeof needed, ": %.0f seeds would", ceil(3.0 * pow((t95 + t975) * se / 0.03, 2.0)));
    CHECK_CONTAINS(v.reason, needed);
    sp_verdict_free(&v);
    unlink(list);
    judge(0.03, &v);
    CHECK_TEXT(sp_verdict_name(v.kind), "AGREES");
    CHECK_EQUAL(v.seeds, 1);
    CHECK(isnan(v.spread));
    sp_verdict_line(&v, &text);
    CHECK(strstr(text.data, "seeds") == NULL);
    sp_text_free(&text);
    sp_verdict_free(&v);
    free(list);
}

/* More seeds than replicates: what is needed are seeds. t = 2.015048 and 1.475884 with five degrees of freedom. */
static void test_more_seeds(void)
{
    static const double exponent[] = { -0.5, -0.52, -0.48, -0.52, -0.48, -0.5 };
    const double se = sqrt(4.0 * 0.02 * 0.02 / 5.0 / 6.0);
    sp_verdict v;
    write_seeds(6, exponent, 1, 1e-7);
    judge(0.01, &v);
    CHECK_NEAR(v.slope.se, se, 1e-6);
    CHECK_NEAR(v.replicates_needed, ceil(6.0 * pow((2.015048372669 + 2.570581835636) * se / 0.01, 2.0)), 0.0);
    sp_verdict_free(&v);
}

/* The label that the exponent is claimed to be below has slopes -.46, -.42, -.50: of the first seed it is worse beyond
 * doubt, over the seeds nothing is certain. */
static void test_other_label(void)
{
    static const double exponent[] = { -0.5, -0.46, -0.52, -0.42, -0.48, -0.5 };
    static char below[] = "b_gd";
    char *list = sp_format("%s/seeds.tsv", folder);
    sp_claim claim = claim_in_n(0.05);
    claim.below = below;
    write_seeds(3, exponent, 2, 1e-7);
    for (size_t alone = 0; alone < 2; alone++) {
        sp_verdict v;
        sp_seeds_close(&opened);
        CHECK_EQUAL(sp_seeds_open(folder, 91, &opened, NULL), SP_OK);
        CHECK_EQUAL(sp_seeds_verdict(&opened, &claim, &v, NULL), SP_OK);
        CHECK_TEXT(sp_verdict_name(v.kind), alone ? "AGREES" : "NOT_RESOLVED");
        if (!alone)
            CHECK_CONTAINS(v.reason, "not better than that of b_gd, -0.460");
        sp_verdict_free(&v);
        unlink(list);
    }
    free(list);
}

/* Lines of every seed through the same point at n = 1: there they meet, and the level's error, which goes with that of
 * the slope, leaves no doubt about it. */
static void test_crossing(void)
{
    static const double exponent[] = { -0.5, -0.7, -0.52, -0.72, -0.48, -0.69 };
    static char below[] = "b_gd";
    sp_claim claim = claim_in_n(0.05);
    sp_verdict v;
    claim.below = below;
    write_seeds(3, exponent, 2, 1e-7);
    sp_seeds_close(&opened);
    CHECK_EQUAL(sp_seeds_open(folder, 91, &opened, NULL), SP_OK);
    CHECK_EQUAL(sp_seeds_verdict(&opened, &claim, &v, NULL), SP_OK);
    CHECK_EQUAL(v.seeds, 3);
    CHECK_NEAR(log(v.crossing.estimate), 0.0, 1e-4);
    CHECK_NEAR(log(v.crossing.low), 0.0, 1e-3);
    CHECK_NEAR(log(v.crossing.high), 0.0, 1e-3);
    CHECK_NEAR(v.slope.level, v.slope.intercept + v.slope.estimate * v.slope.middle, 1e-9);
    sp_verdict_free(&v);
}

/* A control with slopes -.62, -.50, -.74: the first seed's replicates exclude -1/2, the seeds do not. */
static void test_control(void)
{
    static const double exponent[] = { -0.5, -0.62, -0.51, -0.5, -0.49, -0.74 };
    static char control[] = "b_gd";
    char *list = sp_format("%s/seeds.tsv", folder);
    sp_claim claim = claim_in_n(0.05);
    claim.control = control;
    write_seeds(3, exponent, 2, 1e-7);
    for (size_t alone = 0; alone < 2; alone++) {
        sp_verdict v;
        sp_seeds_close(&opened);
        CHECK_EQUAL(sp_seeds_open(folder, 91, &opened, NULL), SP_OK);
        CHECK_EQUAL(sp_seeds_verdict(&opened, &claim, &v, NULL), SP_OK);
        CHECK_TEXT(sp_verdict_name(v.kind), alone ? "AGREES" : "NOT_RESOLVED");
        CHECK_TEXT(v.reason, alone ? "" : "the schedule alone: the control b_gd shows -0.620 too");
        sp_verdict_free(&v);
        unlink(list);
    }
    free(list);
}

/* Every step is made on each seed: one that cannot be judged is no verdict over all. */
static void test_each_seed_counts(void)
{
    static const double exponent[] = { -0.5, -0.5, -0.5, -0.5 };
    sp_verdict v;
    write_seeds(4, exponent, 1, 0.01);
    judge(0.05, &v);
    CHECK_TEXT(sp_verdict_name(v.kind), "AGREES");
    sp_verdict_free(&v);

    char *path = sp_format("%s/seeds/3/runs.tsv", folder), *line = NULL, *last = NULL;
    sp_text shorter = { 0 };
    size_t room = 0;
    FILE *file = fopen(path, "r");
    while (file && getline(&line, &room, file) > 0) { /* all but the last line */
        if (last)
            sp_text_add_text(&shorter, last);
        free(last);
        last = sp_copy_text(line);
    }
    CHECK(file != NULL);
    fclose(file);
    CHECK_EQUAL(sp_write_file(path, shorter.data, shorter.length, NULL), SP_OK);
    judge(0.05, &v);
    CHECK_TEXT(sp_verdict_name(v.kind), "NOT_RESOLVED");
    CHECK_CONTAINS(v.reason, "stale: the tables of seed 3 ");
    sp_verdict_free(&v);
    CHECK_EQUAL(sp_seeds_write(folder, seed, 4, NULL), SP_OK); /* as when that run could not be made */
    judge(0.05, &v);
    CHECK_TEXT(sp_verdict_name(v.kind), "NOT_RESOLVED");
    CHECK_TEXT(v.reason, "seed 3: 24 of 25 runs are there");
    CHECK_EQUAL(v.seeds, 1);
    sp_verdict_free(&v);

    char *own = sp_format("%s/runs.tsv", folder);
    CHECK_EQUAL(sp_write_file(own, shorter.data, shorter.length, NULL), SP_OK);
    CHECK_EQUAL(sp_seeds_write(folder, seed, 4, NULL), SP_OK);
    judge(0.05, &v);
    CHECK_TEXT(v.reason, "seed 1: 24 of 25 runs are there");
    sp_verdict_free(&v);
    free(own);
    sp_text_free(&shorter);
    free(line);
    free(last);
    free(path);
}

/* What is off in all seeds alike is not in their spread: 6 % at every other point leaves residuals whose error of the
 * slope is .012, ten times that of the seeds. */
static void test_common_wobble(void)
{
    static const double exponent[] = { -0.5, -0.501, -0.499, -0.5 };
    sp_verdict v;
    wobble = 0.06;
    write_seeds(4, exponent, 1, 0.002);
    wobble = 0.0;
    judge(0.05, &v);
    CHECK(v.slope.fit_p < 0.05);
    CHECK(v.spread / 2.0 < 0.002);
    CHECK(v.slope.se > 0.008 && v.slope.se < 0.016);
    CHECK_NEAR(v.slope.df, 3.0, 0.0);
    sp_verdict_free(&v);
}

/* Tuning that moves each seed's slope by a deviation of .03, five seeds: the 90 % interval over seeds holds the
 * exponent in 340 to 380 of 400 claims (3.3 standard deviations: false alarm 0.1 %), that of the first seed in less
 * than half. */
static void test_coverage(void)
{
    gsl_rng *chance = sp_stream_open(sp_stream_key_of(5, "coverage", 0, SP_STREAM_COINS));
    size_t over = 0, first = 0;
    for (trial = 1; trial <= 400 / LABELS; trial++) {
        double exponent[5 * LABELS];
        for (size_t i = 0; i < 5 * LABELS; i++)
            exponent[i] = -0.5 + gsl_ran_gaussian(chance, 0.03);
        write_seeds(5, exponent, LABELS, 0.05);
        sp_seeds_close(&opened);
        CHECK_EQUAL(sp_seeds_open(folder, 91, &opened, NULL), SP_OK);
        for (size_t i = 0; i < LABELS; i++) {
            sp_verdict v;
            label[0] = (char)('a' + (int)i);
            judge_label(0.05, &v);
            CHECK_EQUAL(v.seeds, 5);
            over += v.slope.low <= -0.5 && -0.5 <= v.slope.high;
            first += v.within.low <= -0.5 && -0.5 <= v.within.high;
            sp_verdict_free(&v);
        }
    }
    printf("coverage over seeds %zu, of the first %zu of 400\n", over, first);
    CHECK(over >= 340 && over <= 380);
    CHECK(first < 200);
    gsl_rng_free(chance);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    test_together();
    test_damaged();
    test_over_seeds();
    test_more_seeds();
    test_other_label();
    test_crossing();
    test_control();
    test_each_seed_counts();
    test_common_wobble();
    test_coverage();
    sp_seeds_close(&opened);
    char *list = sp_format("%s/seeds.tsv", folder);
    unlink(list);
    free(list);
    for (size_t number = 6; number > 0; number--)
        remove_seed(number);
    char *seeds = sp_format("%s/seeds", folder);
    rmdir(seeds);
    free(seeds);
    rmdir(folder);
    return sp_check_done();
}
