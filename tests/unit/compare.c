/* compare.c -- two labels held against each other, in tables written by hand: every number is known in advance. */
#include "core/base/files.h"
#include "core/evidence/compare.h"
#include "core/plan/registry.h"
#include "measures/measure.h"

#include "core/base/memory.h"
#include "tests/check.h"
#include "tests/tables.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/stillpoint-compare-XXXXXX";
static const char usual[] = "run\tsweep\tlabel\talgorithm\talgorithm.eta\tprivacy\tprivacy.calibration\t"
                           "privacy.epsilon\tproblem.loss.q\tproblem.n\treplicate\tseed\tstatus\taccuracy\tgrad_norm\t"
                           "epsilon_spent\tprivate\n";
static const char *head = usual;
static sp_text table; /* rows so far */

static bool no_budget; /* of the next rows: the column `private` */

/* `axes`: algorithm to problem.n, separated by blanks. */
static void row_with_seed(const char *sweep, const char *label, const char *axes, int replicate, const char *seed,
                          const char *status, double accuracy, double grad_norm)
{
    char tabs[200];
    snprintf(tabs, sizeof tabs, "%s", axes);
    for (char *c = tabs; *c; c++)
        *c = *c == ' ' ? '\t' : *c;
    sp_text_append(&table, "r\t%s\t%s\t%s\t%d\t%s\t%s\t%.17g\t%.17g\t1\t%s\n", sweep, label, tabs, replicate, seed,
                   status, accuracy, grad_norm, no_budget ? "no" : "yes");
}

static void row(const char *label, const char *axes, int replicate, double grad_norm)
{
    row_with_seed("main", label, axes, replicate, "17", "ok", NAN, grad_norm);
}

static void write_as(const char *first_line, const char *rows)
{
    char *text = sp_format("%s%s", first_line, rows);
    tables_write(folder, text);
    free(text);
}

/* Of `label` - `base` in the rows so far, which are forgotten; *runs stays open for the names of sweeps. */
static sp_comparisons compare(sp_runs *runs, const char *label, const char *base, const char *measure)
{
    sp_comparisons all;
    sp_error error = { 0 };
    write_as(head, table.data);
    CHECK_EQUAL(sp_runs_open(folder, 0, runs, &error), SP_OK);
    CHECK_EQUAL(sp_compare(runs, label, base, measure, sp_measure_find(measure)->lower_is_better, &all, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    sp_text_free(&table);
    return all;
}

static void done(sp_runs *runs, sp_comparisons *all)
{
    sp_comparisons_free(all);
    sp_runs_close(runs);
}

#define CHECK_POINT(c, where, mean, from, to, pairs, word)                                                          \
    do {                                                                                                            \
        CHECK_TEXT((c).at, where);                                                                                  \
        CHECK_NEAR((c).difference.estimate, mean, 1e-9);                                                            \
        CHECK_NEAR((c).difference.low, from, 1e-9);                                                                 \
        CHECK_NEAR((c).difference.high, to, 1e-9);                                                                  \
        CHECK_EQUAL((c).difference.count, pairs);                                                                   \
        CHECK_TEXT(sp_order_name((c).order), word);                                                                 \
    } while (0)

/* --- words and intervals --------------------------------------------------------------------------------------- */

/* Student's t of two degrees is 4.303 at 97.5 %. */
static void test_words(void)
{
    static const struct {
        double label[3], base[3];
        double mean, low, high;
        const char *lower, *larger; /* is better */
    } of[] = {
        { { 1.25, 2.25, 7.25 }, { 1, 2, 7 }, 0.25, 0.25, 0.25, "worse", "better" },
        { { -2.5, -2, 3 }, { 1, 2, 7 }, -23.0 / 6, -4.550442121651879, -3.116224545014788, "better", "worse" },
        { { 0.5, 2.25, 7.5 }, { 1, 2, 7 }, 0.25 / 3, -1.2094529198508512, 1.3761195865175178, "same", "same" },
        { { 1, 2, 7 }, { 1, 2, 7 }, 0, 0, 0, "same", "same" },
        { { 1, 2.5, 7.5 }, { 1, 2, 7 }, 1.0 / 3, -0.38377545498521254, 1.0504421216518791, "same", "same" },
        { { 0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2 }, { 0.3, 0.3, 0.3 }, 0, 0, 0, "same", "same" }, /* rounding */
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (size_t measure = 0; measure < 2; measure++) {
            sp_runs runs;
            for (int r = 0; r < 3; r++)
                row_with_seed("main", "new", "a 1 - - 1 - 100", r, "17", "ok", of[i].label[r], of[i].label[r]);
            for (int r = 0; r < 3; r++)
                row_with_seed("main", "old", "b - - - 1 - 100", r, "17", "ok", of[i].base[r], of[i].base[r]);
            sp_comparisons all = compare(&runs, "new", "old", measure ? "grad_norm" : "accuracy");
            CHECK_EQUAL(all.points, 1);
            if (all.points == 1) {
                CHECK_POINT(all.point[0], "-", of[i].mean, of[i].low, of[i].high, 3,
                            measure ? of[i].lower : of[i].larger);
                CHECK_TEXT(all.point[0].sweep, "main");
            }
            CHECK_EQUAL(all.alone, 0);
            done(&runs, &all);
        }
}

/* --- runs that are not there ----------------------------------------------------------------------------------- */

static void test_missing(void)
{
    sp_runs runs;
    static const char *const n[] = { "a - - - 1 - 100", "a - - - 1 - 200", "a - - - 1 - 400" };
    for (size_t i = 0; i < 3; i++)
        for (int r = 0; r < 5; r++)
            if (!(i == 0 && r == 1) && !(i == 1 && r != 3)) /* not there */
                row_with_seed("main", "new", n[i], r, "17", (i == 0 && r == 4) || i == 2 ? "SP_EBUDGET" : "ok", NAN,
                              i == 0 && r == 4 ? 99 : r + 0.5);
    for (size_t i = 0; i < 3; i++)
        for (int r = 0; r < 5; r++)
            row_with_seed("main", "old", n[i], r, "17", "ok", NAN, i == 0 && r == 0 ? NAN : (double)r); /* nothing measured */
    sp_comparisons all = compare(&runs, "new", "old", "grad_norm");
    CHECK_EQUAL(all.points, 3);
    if (all.points == 3) {
        CHECK_POINT(all.point[0], "n=100", 0.5, 0.5, 0.5, 2, "worse");
        CHECK(all.point[0].failed == 2 && all.point[0].missing == 1);
        CHECK_TEXT(all.point[1].at, "n=200");
        CHECK_NEAR(all.point[1].difference.estimate, 0.5, 0);
        CHECK(all.point[1].difference.count == 1 && isnan(all.point[1].difference.low));
        CHECK(all.point[1].failed == 0 && all.point[1].missing == 4);
        CHECK_TEXT(sp_order_name(all.point[1].order), "-");
        CHECK(all.point[2].difference.count == 0 && isnan(all.point[2].difference.estimate));
        CHECK(all.point[2].failed == 5 && all.point[2].missing == 0);
        CHECK_TEXT(sp_order_name(all.point[2].order), "-");
    }
    CHECK_EQUAL(all.alone, 0);
    done(&runs, &all);
}

/* --- points ---------------------------------------------------------------------------------------------------- */

/* Two replicates a cell; y is `y` at both. */
static void cell(const char *label, const char *axes, double y)
{
    row(label, axes, 0, y);
    row(label, axes, 1, y);
}

/* `expected`: "at difference; at difference", in the order of the points. */
static void check_points(const char *label, const char *base, const char *expected, size_t alone)
{
    sp_runs runs;
    sp_text got = { 0 };
    sp_comparisons all = compare(&runs, label, base, "grad_norm");
    for (size_t i = 0; i < all.points; i++)
        sp_text_append(&got, "%s%s %g", i > 0 ? "; " : "", all.point[i].at, all.point[i].difference.estimate);
    CHECK_TEXT(got.data ? got.data : "", expected);
    CHECK_EQUAL(all.alone, alone);
    sp_text_free(&got);
    done(&runs, &all);
}

/* A method without privacy has one cell a problem. */
static void reference(void)
{
    cell("gd", "gd 3 none - - - 100", 1);
    cell("gd", "gd 3 none - - - 200", 2);
    for (int e = 1; e <= 2; e++)
        for (int n = 100; n <= 300; n += 100) {
            char axes[64];
            snprintf(axes, sizeof axes, "dp_gd - - paper %d - %d", e, n);
            cell("dp_gd", axes, 10 * e + n / 100);
        }
}

static void test_points(void)
{
    reference();
    check_points("dp_gd", "gd",
                 "epsilon=1, n=100 10; epsilon=1, n=200 10; epsilon=2, n=100 20; epsilon=2, n=200 20", 2);
    reference();
    check_points("gd", "dp_gd",
                 "epsilon=1, n=100 -10; epsilon=2, n=100 -20; epsilon=1, n=200 -10; epsilon=2, n=200 -20", 2);

    /* Both with and without an axis of privacy: like meets like. */
    cell("new", "a - none - - - 100", 1);
    cell("new", "a - - - 1 - 100", 2);
    cell("old", "b - none - - - 100", 10);
    cell("old", "b - - - 1 - 100", 20);
    check_points("new", "old", "privacy=none -9; epsilon=1 -18", 0);
    cell("new", "a - none - - - 100", 1);
    cell("new", "a - - - 1 - 100", 2);
    cell("old", "b - - - 1 - 100", 20);
    check_points("new", "old", "epsilon=1 -18", 1); /* old's only cell has its like */
    cell("new", "a - - tight 1 - 100", 2);
    cell("old", "b - - paper 1 - 100", 20);
    check_points("new", "old", "", 2);

    /* Private cells of different neighbours never match, said or not; a method without privacy has none. */
    head = "run\tsweep\tlabel\talgorithm\talgorithm.eta\tprivacy\tprivacy.neighbours\t"
           "privacy.epsilon\tproblem.loss.q\tproblem.n\treplicate\tseed\tstatus\taccuracy\tgrad_norm\t"
           "epsilon_spent\tprivate\n";
    cell("new", "a - - add_remove 1 - 100", 2);
    cell("old", "b - - - 1 - 100", 20);
    check_points("new", "old", "", 2);
    cell("new", "a - - add_remove 1 - 100", 2);
    cell("old", "b - - add_remove 1 - 100", 20);
    check_points("new", "old", "- -18", 0);
    cell("new", "a - - add_remove 1 - 100", 2);
    no_budget = true;
    cell("old", "b - none - - - 100", 20);
    no_budget = false;
    check_points("new", "old", "- -18", 0);
    head = usual;

    /* A problem with a key and one without it are two problems. */
    cell("new", "a - - - 1 - 100", 1);
    cell("new", "a - - - 1 0.5 100", 2);
    cell("old", "b - - - 1 - 100", 10);
    cell("old", "b - - - 1 0.5 100", 20);
    check_points("new", "old", "- -9; loss.q=0.5 -18", 0);
    cell("new", "a - - - 1 - 100", 1);
    cell("old", "b - - - 1 0.5 100", 20);
    check_points("new", "old", "", 2);

    /* Parameters: one that a label sweeps, one that both do, winners that differ from point to point. */
    cell("new", "a 0.1 - - 1 - 100", 1);
    cell("new", "a 0.3 - - 1 - 100", 2);
    cell("old", "b 7 - - 1 - 100", 10);
    check_points("new", "old", "eta=0.1 -9; eta=0.3 -8", 0);
    cell("new", "a 7 - - 1 - 100", 1);
    cell("old", "b 0.1 - - 1 - 100", 10);
    cell("old", "b 0.3 - - 1 - 100", 20);
    check_points("new", "old", "eta=0.1 -9; eta=0.3 -19", 0);
    cell("new", "a 0.1 - - 1 - 100", 1);
    cell("new", "a 0.3 - - 1 - 100", 2);
    cell("old", "b 0.1 - - 1 - 100", 10);
    cell("old", "b 0.3 - - 1 - 100", 20);
    cell("old", "b 1 - - 1 - 100", 30);
    check_points("new", "old", "eta=0.1 -9; eta=0.3 -18", 1);
    cell("new", "a 0.1 - - 1 - 100", 1);
    cell("new", "a 0.3 - - 1 - 200", 2);
    cell("old", "b 5 - - 1 - 100", 10);
    cell("old", "b 7 - - 1 - 200", 20);
    check_points("new", "old", "n=100 -9; n=200 -18", 0);
}

static void test_sweeps(void)
{
    static const char *const sweep[] = { "first", "other", "second", "third" };
    sp_runs runs;
    for (size_t s = 0; s < 4; s++) { /* `other` has one of them only, `third` does not measure it */
        for (int r = 0; r < 2 + (s == 0); r++)
            row_with_seed(sweep[s], "new", "a - - - 1 - 100", r, "17", "ok", 1, s == 3 ? NAN : 4);
        for (int r = 0; s != 1 && r < 2 + (s == 0); r++)
            row_with_seed(sweep[s], "old", "b - - - 1 - 100", r, "17", "ok", 2, s == 3 ? NAN : (double)s);
    }
    sp_comparisons all = compare(&runs, "new", "old", "grad_norm");
    CHECK_EQUAL(all.points, 2);
    if (all.points == 2) {
        CHECK_TEXT(all.point[0].sweep, "first");
        CHECK_POINT(all.point[0], "-", 4, 4, 4, 3, "worse");
        CHECK_TEXT(all.point[1].sweep, "second");
        CHECK_POINT(all.point[1], "-", 2, 2, 2, 2, "worse");
        CHECK(all.point[1].missing == 0); /* the other sweep has more replicates */
    }
    CHECK_EQUAL(all.alone, 0);
    done(&runs, &all);
}

/* Ten thousand cells a label, one replicate each: `new` and `old` at the same n in opposite orders, every fourth `old`
 * under another kind of privacy that `new` lacks there; `other` has no n in common with them. */
static void test_many_cells(void)
{
    enum { CELLS = 10000 };
    sp_text cells = { 0 }, runs = { 0 };
    sp_runs read;
    sp_comparisons all;
    sp_error error = { 0 };
    size_t cell = 0, right = 0;
    sp_text_append(&cells, "cell\tsweep\tlabel\talgorithm\talgorithm.eta\tprivacy.calibration\tproblem.n\tseed\t"
                           "private\n");
    sp_text_append(&runs, "run\tcell\treplicate\tstatus\tgrad_norm\tstart.grad_norm\tepsilon_spent\n");
    for (size_t label = 0; label < 3; label++)
        for (size_t i = 0; i < CELLS; i++) {
            const size_t n = label == 0 ? i : label == 1 ? CELLS - 1 - i : CELLS + i;
            const char *const names[] = { "new\ta\t-", "old\tb\t0.5", "other\tc\t7" };
            sp_text_append(&cells, "%zu\tmain\t%s\t%s\t%zu\t17\tyes\n", ++cell, names[label],
                           label == 1 && n % 4 == 0 ? "tight" : "-", n);
            sp_text_append(&runs, "r\t%zu\t0\tok\t%zu\t1\t1\n", cell, label == 0 ? 3 * n + 5 : n);
        }
    tables_save(folder, "cells.tsv", cells.data);
    tables_save(folder, "runs.tsv", runs.data);
    CHECK_EQUAL(sp_runs_open(folder, 0, &read, &error), SP_OK);
    CHECK_EQUAL(sp_compare(&read, "new", "old", "grad_norm", true, &all, &error), SP_OK);
    CHECK_EQUAL(all.points, CELLS);
    CHECK_EQUAL(all.alone, 0);
    for (size_t i = 0; i < all.points; i++) {
        char *at = sp_format("%sn=%zu", i % 4 == 0 ? "calibration=tight, " : "", i);
        right += strcmp(all.point[i].at, at) == 0 && all.point[i].difference.estimate == (double)(2 * i + 5);
        free(at);
    }
    CHECK_EQUAL(right, CELLS);
    sp_comparisons_free(&all);
    CHECK_EQUAL(sp_compare(&read, "new", "other", "grad_norm", true, &all, &error), SP_OK);
    CHECK_EQUAL(all.points, 0);
    CHECK_EQUAL(all.alone, 2 * CELLS);
    done(&read, &all);
    sp_text_free(&cells);
    sp_text_free(&runs);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    test_words();
    test_missing();
    test_points();
    test_sweeps();
    test_many_cells();
    tables_remove(folder);
    rmdir(folder);
    return sp_check_done();
}
