/* ranking.c -- where labels stand, and one against the others, of tables written by hand on which every number has a
 * closed form: Student's t with one degree of freedom is Cauchy's law, p = 1 - (2/pi) atan |t|. */
#include "core/contest/ranking.h"

#include "core/base/memory.h"
#include "tests/check.h"
#include "tests/tables.h"

#include <stdlib.h>
#include <unistd.h>

enum { LABELS = 4, REPLICATES = 3 };
static char folder[] = "/tmp/stillpoint-standing-XXXXXX";
/* sorted, as a board has them */
static const char *const label[LABELS] = { "a_ours", "b_second", "c_fails", "d_last" };

/* Two problems, `flat` with 100 records and `steep` with 200, each at epsilon = 1 and 4. The mean of y is
 *
 *   flat    2 / eps    eps^-1.5    8 / eps    20 / eps
 *   steep   3 / eps^.5 6 / eps^.5  6 / eps^.5 31.5 / eps^.5
 *
 * for the four labels; replicates are 0.5, 1 and 1.5 of it, and one of `fails` on `flat` at epsilon = 1 has failed. */
static double mean_of(int l, bool flat, double epsilon)
{
    static const double factor[LABELS][2] = { { 3, 2 }, { 6, 1 }, { 6, 8 }, { 31.5, 20 } };
    return factor[l][flat] * pow(epsilon, flat ? (l == 1 ? -1.5 : -1.0) : -0.5);
}

static void open_runs(sp_runs *runs)
{
    sp_text rows = { 0 };
    sp_text_append(&rows,
                   "run\tsweep\tlabel\tprivacy.epsilon\tproblem.loss\tproblem.n\treplicate\tstatus\ty\tepsilon_spent\t"
                   "private\tgradients\tdifferences\thessians\tlosses\tstart.y\n");
    for (int l = 0; l < LABELS; l++)
        for (int flat = 0; flat < 2; flat++)
            for (double epsilon = 1.0; epsilon <= 4.0; epsilon *= 4.0)
                for (int r = 0; r < REPLICATES; r++) {
                    const bool failed = l == 2 && flat && epsilon == 1.0 && r == 1;
                    sp_text_append(&rows, "r\tmain\t%s\t%g\t%s\t%d\t%d\t%s\t%.17g\t1\tyes\t%d\t50\t10\t7\t9\n",
                                   label[l], epsilon, flat ? "flat" : "steep", flat ? 100 : 200, r,
                                   failed ? "SP_ELIMIT" : "ok",
                                   failed ? NAN : mean_of(l, flat, epsilon) * (0.5 + 0.5 * r), 200 + 100 * r);
                }
    tables_write(folder, rows.data);
    CHECK_EQUAL(sp_runs_open(folder, 77, runs, NULL), SP_OK);
    sp_text_free(&rows);
}

static void test_standings(const sp_runs *runs, const sp_board *b)
{
    static const double rank[LABELS] = { 1.0 / 6.0, 0.25, 2.0 / 3.0, 11.0 / 12.0 }, near[LABELS] = { 0.75, 1, 0.5, 0 };
    static const double slope[LABELS] = { -0.75, -1.0, -0.75, -0.75 }, half[LABELS] = { 0.25, 0.5, 0.25, 0.25 };
    const double t = tan(0.475 * M_PI); /* the quantile .975 of Cauchy's law */
    sp_rank s[LABELS];
    sp_error error = { 0 };
    CHECK_EQUAL(b->labels, LABELS);
    CHECK_EQUAL(b->tasks, 4);
    CHECK_EQUAL(b->problems, 2);
    CHECK_EQUAL(sp_ranking(runs, b, "y", s, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    for (size_t l = 0; l < LABELS; l++) {
        CHECK_TEXT(b->label[l], label[l]);
        CHECK_NEAR(s[l].score.rank.estimate, rank[l], 1e-12);
        CHECK_NEAR(s[l].score.near.estimate, near[l], 1e-12);
        CHECK_EQUAL(s[l].place, l + 1);
        CHECK_EQUAL(s[l].score.failed, l == 2);
        if (l != 2) { /* of `fails` a mean is of two replicates */
            CHECK_NEAR(s[l].slope.estimate, slope[l], 1e-12);
            CHECK_NEAR(s[l].slope.high - s[l].slope.estimate, t * half[l], 1e-9);
        }
        CHECK_EQUAL(s[l].slope.count, 2);
        CHECK_NEAR(s[l].calls, sqrt(4.17 * 2.085), l == 2 ? 1e-2 : 1e-12); /* 300 + 2 50 + 10 + 7 */
        CHECK_EQUAL(s[l].runs, 12);
        CHECK_TEXT(s[l].audited, "no");
    }
}

static double cauchy(double t)
{
    return 1.0 - 2.0 / M_PI * atan(fabs(t));
}

/* With the logarithms x and y of the ratios on the two problems, each the mean over epsilon, t is (x + y) / |x - y|.
 * Where a run failed signs decide: both against `fails`, of which two say nothing (p = 1/2). */
static void test_row(const sp_board *b)
{
    const double x[] = { 1.5 * log(2.0), -log(10.0) }, y[] = { -log(2.0), -log(10.5) };
    const double second = cauchy((x[0] + y[0]) / (x[0] - y[0])), last = cauchy((x[1] + y[1]) / (x[1] - y[1]));
    sp_dominance row[LABELS], all[LABELS * LABELS];
    CHECK(last < 0.5 && 0.5 < second);
    sp_dominance_row(b, 0, 0.05, row);
    CHECK_EQUAL(row[0].order, SP_TOO_FEW);
    CHECK_NEAR(row[1].pair.estimate.estimate, exp(0.5 * (x[0] + y[0])), 1e-12);
    CHECK_NEAR(row[3].pair.estimate.estimate, exp(0.5 * (x[1] + y[1])), 1e-12);
    CHECK_NEAR(row[3].pair.all.p, 3.0 * last, 1e-9); /* Holm over three */
    CHECK_NEAR(row[2].pair.all.p, 1.0, 1e-12);
    CHECK_NEAR(row[1].pair.all.p, 1.0, 1e-12);
    CHECK(row[2].pair.signs && !row[1].pair.signs);
    CHECK_EQUAL(row[1].order, SP_UNDECIDED);
    CHECK_EQUAL(row[2].order, SP_UNDECIDED);
    CHECK_EQUAL(row[3].order, SP_BETTER);
    sp_dominance_row(b, 3, 0.05, row);
    CHECK_EQUAL(row[0].order, SP_WORSE);
    CHECK_NEAR(row[0].pair.estimate.estimate, exp(-0.5 * (x[1] + y[1])), 1e-9);
    sp_dominance_all(b, 0.05, all); /* the same pairs, over six of them */
    CHECK_NEAR(all[3].pair.estimate.estimate, exp(0.5 * (x[1] + y[1])), 1e-12);
    CHECK(all[3].pair.all.p >= 3.0 * last);
}

/* Who plays tasks that nobody else plays has no rank, and stands behind those that have one. */
static void test_alone(void)
{
    static const struct { const char *label, *loss; double y; } played[] = {
        { "a_alone", "apart", 1.0 }, { "b_first", "shared", 1.0 }, { "c_second", "shared", 2.0 },
    };
    sp_text rows = { 0 };
    sp_runs runs;
    sp_board b;
    sp_rank s[3];
    sp_text_append(&rows,
                   "run\tsweep\tlabel\tprivacy.epsilon\tproblem.loss\tproblem.n\treplicate\tstatus\ty\tepsilon_spent\t"
                   "private\tgradients\tdifferences\thessians\tlosses\tstart.y\n");
    for (size_t i = 0; i < 3; i++)
        for (int r = 0; r < 2; r++)
            sp_text_append(&rows, "r\tmain\t%s\t1\t%s\t100\t%d\tok\t%g\t1\tyes\t1\t0\t0\t0\t9\n", played[i].label,
                           played[i].loss, r, played[i].y);
    tables_write(folder, rows.data);
    sp_text_free(&rows);
    CHECK_EQUAL(sp_runs_open(folder, 77, &runs, NULL), SP_OK);
    CHECK_EQUAL(sp_board_make(&runs, "y", &b, NULL), SP_OK);
    CHECK_EQUAL(b.labels, 3);
    CHECK_EQUAL(sp_ranking(&runs, &b, "y", s, NULL), SP_OK);
    CHECK(isnan(s[0].score.rank.estimate));
    CHECK_EQUAL(s[0].place, 3);
    CHECK_EQUAL(s[1].place, 1);
    CHECK_EQUAL(s[2].place, 2);
    sp_board_free(&b);
    sp_runs_close(&runs);
}

/* With two numbers of records a problem's slope is the mean of theirs: -1 and -0.5 on one problem, -2 and -2.5 on the
 * other; the mean over both is -1.5, and half of 1.5 away from each. */
static void test_sizes(void)
{
    sp_text rows = { 0 };
    sp_runs runs;
    sp_board b;
    sp_rank s;
    sp_text_append(&rows,
                   "run\tsweep\tlabel\tprivacy.epsilon\tprivacy.delta\tproblem.loss\tproblem.n\treplicate\tstatus\ty\t"
                   "epsilon_spent\tprivate\tgradients\tdifferences\thessians\tlosses\tstart.y\n");
    for (int loss = 0; loss < 2; loss++)
        for (int n = 100; n <= 200; n += 100)
            for (double epsilon = 0.5; epsilon <= 2.0; epsilon *= 2.0) {
                const double slope = loss ? (n == 100 ? -2.0 : -2.5) : (n == 100 ? -1.0 : -0.5);
                sp_text_append(&rows, "r\tmain\ta\t%g\t%g\t%s\t%d\t0\tok\t%.17g\t1\tyes\t1\t0\t0\t0\t9\n", epsilon,
                               1e-2 / n, loss ? "other" : "one", n, 3.0 * pow(epsilon, slope));
            }
    tables_write(folder, rows.data);
    sp_text_free(&rows);
    CHECK_EQUAL(sp_runs_open(folder, 77, &runs, NULL), SP_OK);
    CHECK_EQUAL(sp_board_make(&runs, "y", &b, NULL), SP_OK);
    CHECK_EQUAL(b.tasks, 12);
    CHECK_EQUAL(b.problems, 2);
    CHECK_EQUAL(sp_ranking(&runs, &b, "y", &s, NULL), SP_OK);
    CHECK_NEAR(s.slope.estimate, -1.5, 1e-12);
    CHECK_NEAR(s.slope.high - s.slope.estimate, tan(0.475 * M_PI) * 0.75, 1e-9);
    CHECK_EQUAL(s.slope.count, 2);
    sp_board_free(&b);
    sp_runs_close(&runs);
}

int main(void)
{
    sp_runs runs;
    sp_board board;
    CHECK(mkdtemp(folder) != NULL);
    open_runs(&runs);
    CHECK_EQUAL(sp_board_make(&runs, "y", &board, NULL), SP_OK);
    test_standings(&runs, &board);
    test_row(&board);
    sp_board_free(&board);
    sp_runs_close(&runs);
    test_alone();
    test_sizes();
    tables_remove(folder);
    CHECK_EQUAL(rmdir(folder), 0);
    return sp_check_done();
}
