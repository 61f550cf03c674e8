/* Performance profiles of tables written by hand: every ratio and share is known, the band by the binomial law. */
#include "core/base/memory.h"
#include "core/contest/profile.h"
#include "tests/check.h"
#include "tests/tables.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/stillpoint-profile-XXXXXX";
static const char head[] = "run\tsweep\tlabel\talgorithm.eta\tprivacy.epsilon\tproblem.n\treplicate\tstatus\ty\t"
                           "epsilon_spent\tprivate\tstart.y\n";

static void add(sp_text *text, const char *label, double eta, double epsilon, int n, int replicate, double y)
{
    static int run;
    sp_text_append(text, "r%d\tmain\t%s\t%g\t%g\t%d\t%d\t%s\t%.17g\t1\tyes\t5\n", run++, label, eta, epsilon, n,
                   replicate, isnan(y) ? "SP_EMETHOD" : "ok", y);
}

static sp_status profile_of(const sp_text *rows, const char *const *label, size_t labels, sp_profile *out,
                            sp_error *error)
{
    sp_runs runs;
    char *table = sp_format("%s%s", head, rows->data);
    tables_write(folder, table);
    free(table);
    CHECK_EQUAL(sp_runs_open(folder, 77, &runs, NULL), SP_OK);
    const sp_selection s = { .place = "figure p", .sweep = "main", .y = "y" };
    const sp_status status = sp_profile_of(&runs, &s, label, labels, out, error);
    sp_runs_close(&runs);
    return status;
}

/* Five problems: a ratio, a tie, a failed run, a cell that is not there, a best one of zero. */
static void test_ratios(void)
{
    static const char *const label[] = { "a", "b", "c" };
    static const struct { double epsilon; int n; double mean[3]; } problem[] = { /* 0 < mean: NAN failed, -1 no cell */
        { 1, 10, { 2.385, 2.385 * 1.75, 2.385 * 4 } }, { 1, 20, { 0.5, 0.5, 0.75 } }, { 2, 10, { NAN, 3, 3.6 } },
        { 2, 20, { 4, -1, 2.5 } }, { 4, 10, { 0, 1e-9, 0 } },
    };
    enum { PROBLEMS = sizeof problem / sizeof *problem };
    static const double ratio[3][PROBLEMS] = { { 1, 1, INFINITY, 1.6, 1 }, { 1.75, 1, 1, INFINITY, INFINITY },
                                               { 4, 1.5, 1.2, 1, 1 } };
    sp_text rows = { 0 };
    sp_profile profile;
    sp_error error = { 0 };
    for (int p = 0; p < PROBLEMS; p++)
        for (int l = 0; l < 3; l++)
            for (int r = 0; r < 3 && problem[p].mean[l] != -1.0;
                 r++) { /* eta differs from label to label: no problem's */
                const double mean = problem[p].mean[l],
                             y = isnan(mean) ? (r == 1 ? NAN : 1e-3) : mean * (0.5 + 0.5 * r);
                add(&rows, label[l], 0.1 * (l + 1), problem[p].epsilon, problem[p].n, r, y);
            }
    CHECK_EQUAL(profile_of(&rows, label, 3, &profile, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    CHECK_EQUAL(profile.problems, PROBLEMS);
    CHECK_EQUAL(profile.fewest, 3);
    CHECK_EQUAL(profile.most, 3);
    for (size_t l = 0; l < 3; l++)
        for (size_t p = 0; p < PROBLEMS; p++)
            CHECK(profile.ratio[l * PROBLEMS + p] == ratio[l][p] ||
                  fabs(profile.ratio[l * PROBLEMS + p] / ratio[l][p] - 1.0) < 1e-12);
    static const double tau[] = { 1, 1.2, 1.5, 1.6, 1.75, 4 };
    CHECK_EQUAL(profile.points, sizeof tau / sizeof *tau);
    for (size_t l = 0; l < 3; l++)
        for (size_t k = 0; k < profile.points; k++) {
            const sp_interval *share = &profile.share[l * profile.points + k];
            double within = 0.0;
            for (size_t p = 0; p < PROBLEMS; p++)
                within += ratio[l][p] <= tau[k] * (1 + 1e-12);
            CHECK_NEAR(profile.tau[k], tau[k], 1e-12);
            CHECK_NEAR(share->estimate, within / PROBLEMS, 1e-15);
            CHECK(share->low <= share->estimate && share->estimate <= share->high);
        }
    sp_profile_free(&profile);

    add(&rows, "a", 0.7, 1, 10, 0, 3.0); /* two cells of a label for one problem */
    CHECK_EQUAL(profile_of(&rows, label, 3, &profile, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "figure p: several cells of a at one problem differ in algorithm.eta (0.1, 0.7)");
    static const char *const nobody[] = { "d" };
    CHECK_EQUAL(profile_of(&rows, nobody, 1, &profile, NULL), SP_OK);
    CHECK_EQUAL(profile.problems, 0);
    sp_profile_free(&profile);
    sp_text_free(&rows);
}

/* On each of many problems a has 1 and 3, b has 2 and 2. Two draws with replacement, the same for both, give a mean of
 * 1, 2 or 3 for a with chances 1/4, 1/2, 1/4: it is best, ties included, with chance 3/4, so that the number of
 * problems on which it is best is binomial. Of 2000 draws a quantile is off by more than one problem in fewer than 1 of
 * 10^6 seeds. */
static void test_band(void)
{
    static const char *const label[] = { "a", "b" };
    enum { PROBLEMS = 60 };
    sp_text rows = { 0 };
    sp_profile profile;
    for (int p = 0; p < PROBLEMS; p++)
        for (int l = 0; l < 2; l++)
            for (int r = 0; r < 2; r++)
                add(&rows, label[l], 1, 1, 100 + p, r, l ? 2.0 : 1.0 + 2.0 * r);
    CHECK_EQUAL(profile_of(&rows, label, 2, &profile, NULL), SP_OK);
    CHECK_EQUAL(profile.points, 1); /* a tie on each */
    int low = 0, high = 0;
    while (gsl_cdf_binomial_P((unsigned)low, 0.75, PROBLEMS) < 0.025)
        low++;
    while (gsl_cdf_binomial_P((unsigned)high, 0.75, PROBLEMS) < 0.975)
        high++;
    CHECK(low > 30 && high < 55);
    for (size_t l = 0; l < 2 && profile.points == 1; l++) {
        CHECK_NEAR(profile.share[l].estimate, 1.0, 0);
        CHECK_NEAR(profile.share[l].low * PROBLEMS, low, 1.0 + 1e-9);
        CHECK_NEAR(profile.share[l].high, 1.0, 0); /* it holds the share itself */
        CHECK_EQUAL(profile.share[l].count, PROBLEMS);
    }
    sp_profile_free(&profile);
    rows.length = 0; /* a single replicate does not vary */
    for (int p = 0; p < PROBLEMS; p++)
        for (int l = 0; l < 2; l++)
            add(&rows, label[l], 1, 1, 100 + p, 0, l ? 2.0 : 1.0 + 2.0 * (p % 2));
    CHECK_EQUAL(profile_of(&rows, label, 2, &profile, NULL), SP_OK);
    for (size_t i = 0; i < 2 * profile.points; i++)
        CHECK(profile.share[i].low == profile.share[i].estimate && profile.share[i].high == profile.share[i].estimate);
    CHECK_NEAR(profile.share[0].estimate, 0.5, 0);
    sp_profile_free(&profile);
    sp_text_free(&rows);
}

/* A run without its reference value is missing: the mean is that of the others, and where all are missing there is no
 * result. */
static void test_missing(void)
{
    static const char *const label[] = { "a", "b" };
    sp_text rows = { 0 };
    sp_profile profile;
    for (int p = 0; p < 3; p++) /* of b: 2 is missing, of 4 and 8; all are; of both all are */
        for (int l = 0; l < 2; l++)
            for (int r = 0; r < 3; r++)
                if (p == 2 || (l == 1 && (p == 1 || r == 1)))
                    sp_text_append(&rows, "m%d%d%d\tmain\t%s\t1\t1\t%d\t%d\tSP_EREFERENCE\tnan\t1\tyes\t5\n", p, l, r,
                                   label[l], p, r);
                else
                    add(&rows, label[l], 1, 1, p, r, l ? 4.0 + 2.0 * r : 2.0);
    CHECK_EQUAL(profile_of(&rows, label, 2, &profile, NULL), SP_OK);
    CHECK_EQUAL(profile.problems, 2);
    CHECK_EQUAL(profile.fewest, 2);
    CHECK_EQUAL(profile.most, 3);
    static const double ratio[] = { 1, 1, 3, INFINITY };
    for (size_t i = 0; i < 4 && profile.problems == 2; i++)
        CHECK(profile.ratio[i] == ratio[i]);
    sp_profile_free(&profile);
    sp_text_free(&rows);
}

/* Two sweeps with the same problems: by name the one or the other, without a name all of both, each a problem of its
 * own. */
static void test_sweeps(void)
{
    static const char *const label[] = { "a", "b" };
    static const struct {
        const char *sweep;
        double a, b;
    } problem[] = { { "one", 1, 2.385 }, { "two", 3, 1 }, { "two", 2, 2.5 } };
    sp_text table = { 0 };
    sp_profile profile;
    sp_runs runs;
    sp_text_append(&table, "%s", head);
    for (int p = 0; p < 3; p++)
        for (int l = 0; l < 2; l++)
            sp_text_append(&table, "s%d%d\t%s\t%s\t1\t1\t%d\t0\tok\t%.17g\t1\tyes\t5\n", p, l, problem[p].sweep,
                           label[l], p == 2 ? 20 : 10, l ? problem[p].b : problem[p].a);
    tables_write(folder, table.data);
    CHECK_EQUAL(sp_runs_open(folder, 77, &runs, NULL), SP_OK);
    static const struct {
        const char *sweep;
        size_t problems;
        double best;
    } seen[] = { { "one", 1, 1 }, { "two", 2, 0.5 }, { NULL, 3, 2.0 / 3.0 } };
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        const sp_selection s = { .place = "figure p", .sweep = seen[i].sweep, .y = "y" };
        CHECK_EQUAL(sp_profile_of(&runs, &s, label, 2, &profile, NULL), SP_OK);
        CHECK_EQUAL(profile.problems, seen[i].problems);
        CHECK_NEAR(profile.share[0].estimate, seen[i].best, 1e-15);
        CHECK_NEAR(profile.share[profile.points].estimate, 1.0 - seen[i].best, 1e-15);
        sp_profile_free(&profile);
    }
    sp_runs_close(&runs);
    sp_text_free(&table);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    test_sweeps();
    test_ratios();
    test_band();
    test_missing();
    char *command = sp_format("rm -r %s", folder);
    CHECK_EQUAL(system(command), 0);
    free(command);
    return sp_check_done();
}
