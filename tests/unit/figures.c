/* Summary, fits and figures from tables written by hand: every number is known in advance. */
#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/stats/summary.h"
#include "core/figures/axis.h"
#include "core/figures/figure_text.h"
#include "core/figures/figures.h"
#include "tests/check.h"
#include "tests/claims.h"
#include "tests/tables.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define T(text) ((char[]){ text }) /* the plan's strings are not const */

static char folder[] = "/tmp/stillpoint-figures-XXXXXX", scripts[512], reported[4096];

static void report(const char *line)
{
    strncat(reported, line, sizeof reported - strlen(reported) - 2);
    strcat(reported, "\n");
}

static char *in_folder(const char *name)
{
    static char path[4][600];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* A new string, "" when there is no such file. */
static char *contents(const char *name)
{
    FILE *file = fopen(in_folder(name), "rb");
    char *bytes = sp_alloc(1 << 20, 1);
    if (file && bytes)
        bytes[fread(bytes, 1, (1 << 20) - 1, file)] = '\0';
    if (file)
        fclose(file);
    return bytes;
}

static bool is_there(const char *name)
{
    return access(in_folder(name), F_OK) == 0;
}

static void write_text(const char *name, const char *text)
{
    CHECK_EQUAL(sp_write_file(in_folder(name), text, strlen(text), NULL), SP_OK);
}

/* --- an experiment: three methods, n and epsilon swept --------------------------------------------------------- */

static const sp_algorithm a_gd = { .name = "a_gd" }, b_gd = { .name = "b_gd" }, c_gd = { .name = "c_gd" };
static const sp_measure grad = { .name = "grad_norm", .unit = "||grad F||", .lower_is_better = true };
static const sp_measure share = { .name = "accuracy", .unit = "accuracy" };

static const sp_axes all_axes = { .count = 4, .axis = { { "algorithm.eta", "" }, { "privacy.calibration", "" },
                                                        { "privacy.epsilon", "" }, { "problem.n", "" } } };
static sp_problem_spec problem;
static sp_cell cells[3];

static sp_plan plan_of(sp_figure *figure, size_t figures, sp_claim *claim, size_t claims)
{
    static const sp_measure *measure[] = { &grad, &share };
    static const sp_method method[] = { { .algorithm = &a_gd }, { .algorithm = &b_gd }, { .algorithm = &c_gd } };
    static char label[][8] = { "a_gd", "b_gd", "c_gd" }, name[] = "by_hand", question[] = "How does {it} go?";
    problem.family = NULL;
    for (size_t i = 0; i < 3; i++)
        cells[i] = (sp_cell){ .sweep = "main", .label = label[i], .method = &method[i], .problem = &problem,
                              .measure = measure, .measures = 2, .part = { &all_axes } };
    return (sp_plan){ .name = name, .question = question, .seed = 91, .cell = cells, .cells = 3, .figure = figure,
                      .figures = figures, .claim = claim, .claims = claims };
}

static const char head[] = "run\tsweep\tlabel\talgorithm.eta\tprivacy.calibration\tprivacy.epsilon\tproblem.n\t"
                           "replicate\tstatus\tmessage\taccuracy\tgrad_norm\treference\tepsilon_spent\tprivate\n";

/* A new string with `to` where `from` stands. */
static char *replaced(const char *text, const char *from, const char *to)
{
    sp_text out = { 0 };
    for (const char *at; (at = strstr(text, from)) != NULL; text = at + strlen(from)) {
        sp_text_add(&out, text, (size_t)(at - text));
        sp_text_add_text(&out, to);
    }
    sp_text_add_text(&out, text);
    return out.data;
}

/* a_gd: 2.5 n^-1/2 with factors 0.8, 1.2 and 1, one replicate failed at n = 400; b_gd: 7 n^-2/3 exactly, under paper
 * calibration, or, where `neighbours`, for add-remove neighbours. `more` rows follow. */
static bool neighbours;
static void write_runs(const char *more)
{
    sp_text text = { 0 };
    sp_text_append(&text, "%s", head);
    size_t run = 0;
    for (double n = 100.0; n < 2000.0; n *= 4.0)
        for (int r = 0; r < 3; r++, run++) {
            const double factor = r == 0 ? 0.8 : r == 1 ? 1.2 : 1.0;
            if (n == 400.0 && r == 2)
                sp_text_append(&text, "a%zu\tmain\ta_gd\t0.25\ttight\t1\t%g\t%d\tSP_EBUDGET\t-\tNaN\tNaN\tNaN\t"
                                      "NaN\tyes\n", run, n, r);
            else
                sp_text_append(&text, "a%zu\tmain\ta_gd\t0.25\ttight\t1\t%g\t%d\tok\t-\t0.75\t%.17g\tNaN\t1\tyes\n",
                               run, n, r, factor * 2.5 / sqrt(n));
        }
    for (double n = 100.0; n < 2000.0; n *= 4.0)
        for (int r = 0; r < 3; r++, run++)
            sp_text_append(&text, "b%zu\tmain\tb_gd\t-\tpaper\t1\t%g\t%d\tok\t-\t0.5\t%.17g\tNaN\t%d.5\tyes\n", run, n,
                           r, 7.0 * pow(n, -2.0 / 3.0), r + 1);
    sp_text_append(&text, "%s", more);
    if (neighbours) {
        char *first = replaced(text.data, "privacy.calibration", "privacy.neighbours");
        char *second = replaced(first, "\tpaper\t", "\tadd_remove\t"), *third = replaced(second, "\ttight\t", "\t-\t");
        tables_write(folder, third);
        free(first);
        free(second);
        free(third);
    } else {
        tables_write(folder, text.data);
    }
    sp_text_free(&text);
}

static const char level[] = "c0\tmain\tc_gd\t-\t-\t-\t-\t0\tok\t-\t0.625\t0.0625\tNaN\tinf\tno\n";

static sp_status plot(const sp_plan *plan, sp_error *error)
{
    reported[0] = '\0';
    return sp_plot(plan, folder, &(sp_plot_paths){ in_folder("plots"), scripts, NULL }, report, error);
}

/* Row `row` of block `block` of a figure's table (0 = its heads), a new string. */
static char *block_row(const char *table, size_t block, size_t row)
{
    for (; block > 0 && table; block--) {
        table = strstr(table, "\n\n\n");
        table = table ? table + 3 : NULL;
    }
    for (; row > 0 && table; row--) {
        table = strchr(table, '\n');
        table = table ? table + 1 : NULL;
    }
    return table ? strndup(table, strcspn(table, "\n")) : sp_copy_text("");
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

/* --- tests ----------------------------------------------------------------------------------------------------- */

/* Where handover_gap is measured, all measures have the quantile; a method that hands nothing over has no row of it. */
static void test_summary_with_quantile(void)
{
    static const double value[] = { 2, 7, 1, 3 };
    sp_text text = { 0 };
    sp_table t = { 0 };
    sp_text_append(&text, "run\tsweep\tlabel\talgorithm\treplicate\tstatus\tgrad_norm\thandover_gap\tepsilon_spent\t"
                          "private\n");
    for (int r = 0; r < 4; r++)
        sp_text_append(&text, "a%d\tmain\twarm\twarm_start\t%d\tok\t5\t%g\t1\tyes\n", r, r, value[r]);
    for (int r = 0; r < 4; r++)
        sp_text_append(&text, "b%d\tmain\tgd\tdp_gd\t%d\tok\t%g\t-\t1\tyes\n", r, r, 2.0 * value[r]);
    tables_write(folder, text.data);
    CHECK_EQUAL(sp_summary_write(folder, NULL), SP_OK);
    CHECK_EQUAL(sp_table_read(in_folder("summary.tsv"), &t, NULL), SP_OK);
    const size_t p90 = sp_table_column(&t, "p90");
    CHECK_EQUAL(t.rows, 3);
    CHECK_EQUAL(p90 + 1, t.columns);
    if (t.rows == 3 && p90 < t.columns) {
        CHECK_NEAR(sp_table_number(&t, 0, p90), 5.0, 0);
        CHECK_TEXT(sp_table_text(&t, 1, sp_table_column(&t, "measure")), "handover_gap");
        CHECK_NEAR(sp_table_number(&t, 1, p90), 3.0 + 0.7 * 4.0, 1e-14);
        CHECK_NEAR(sp_table_number(&t, 2, p90), 2.0 * (3.0 + 0.7 * 4.0), 1e-14);
    }
    sp_table_free(&t);
    sp_text_free(&text);
}

static void test_summary_and_fits(void)
{
    sp_claim claims[] = { CLAIMS_OF("a_gd", -0.5, "theory"), CLAIMS_OF("b_gd", -0.75, "bound") };
    claims[1].where = &(sp_axis_value){ T("epsilon"), T("1"), NULL };
    claims[1].wheres = 1;
    const sp_plan plan = plan_of(NULL, 0, claims, 2);
    sp_table t = { 0 };
    sp_error error = { 0 };
    write_runs("");
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");

    CHECK_EQUAL(sp_table_read(in_folder("summary.tsv"), &t, &error), SP_OK);
    CHECK_EQUAL(t.rows, 12); /* 6 cells, 2 measures */
    const size_t mean = sp_table_column(&t, "mean"), count = sp_table_column(&t, "count");
    const size_t low = sp_table_column(&t, "low"), high = sp_table_column(&t, "high");
    const size_t failed = sp_table_column(&t, "failed");
    CHECK_TEXT(sp_table_text(&t, 1, sp_table_column(&t, "measure")), "grad_norm");
    CHECK_TEXT(sp_table_text(&t, 1, sp_table_column(&t, "problem.n")), "100");
    CHECK_TEXT(sp_table_text(&t, 1, sp_table_column(&t, "algorithm.eta")), "0.25");
    CHECK_NEAR(sp_table_number(&t, 1, mean), 0.25, 1e-15);
    CHECK_NEAR(sp_table_number(&t, 1, low), 0.25 - 4.302652729911275 * 0.05 / sqrt(3.0), 1e-9); /* t of 2 degrees */
    CHECK_NEAR(sp_table_number(&t, 1, high), 0.25 + 4.302652729911275 * 0.05 / sqrt(3.0), 1e-9);
    CHECK_NEAR(sp_table_number(&t, 3, mean), 0.125, 1e-15); /* 0.8 and 1.2, the third failed */
    CHECK_TEXT(sp_table_text(&t, 3, count), "2");
    CHECK_TEXT(sp_table_text(&t, 3, failed), "1");
    CHECK_TEXT(sp_table_text(&t, 5, count), "3");
    CHECK_TEXT(sp_table_text(&t, 5, failed), "0");
    CHECK_NEAR(sp_table_number(&t, 7, low), 7.0 * pow(100.0, -2.0 / 3.0), 1e-15);
    CHECK_NEAR(sp_table_number(&t, 5, sp_table_column(&t, "median")), 2.5 / 40.0, 1e-15); /* of 0.8, 1, 1.2 */
    CHECK_TEXT(sp_table_text(&t, 5, sp_table_column(&t, "median_low")), "NaN"); /* of fewer than 6 replicates */
    CHECK_TEXT(sp_table_text(&t, 5, sp_table_column(&t, "median_high")), "NaN");
    CHECK_EQUAL(sp_table_column(&t, "p90"), t.columns);
    sp_table_free(&t);

    CHECK_EQUAL(sp_table_read(in_folder("fits.tsv"), &t, &error), SP_OK);
    CHECK_EQUAL(t.rows, 2);
    const size_t exponent = sp_table_column(&t, "exponent");
    CHECK_TEXT(sp_table_text(&t, 0, sp_table_column(&t, "algorithm")), "a_gd");
    CHECK_NEAR(sp_table_number(&t, 0, exponent), -0.5, 1e-12);
    CHECK_NEAR(sp_table_number(&t, 0, sp_table_column(&t, "claimed")), -0.5, 0);
    CHECK_NEAR(sp_table_number(&t, 1, exponent), -2.0 / 3.0, 1e-12);
    CHECK_NEAR(sp_table_number(&t, 1, sp_table_column(&t, "low90")), -2.0 / 3.0, 1e-8); /* no run deviates */
    CHECK_NEAR(sp_table_number(&t, 1, sp_table_column(&t, "claimed")), -0.75, 0);
    CHECK_TEXT(sp_table_text(&t, 1, sp_table_column(&t, "mode")), "bound");
    CHECK_TEXT(sp_table_text(&t, 1, sp_table_column(&t, "where")), "epsilon=1");
    CHECK_TEXT(sp_table_text(&t, 1, sp_table_column(&t, "points")), "3");
    CHECK_TEXT(sp_table_text(&t, 1, sp_table_column(&t, "local")), "-0.67 -0.67");
    CHECK_TEXT(sp_table_text(&t, 1, sp_table_column(&t, "verdict")), "NOT_RESOLVED");
    CHECK_TEXT(sp_table_text(&t, 1, sp_table_column(&t, "reason")), "9 of 1 runs are there");
    sp_table_free(&t);
    CHECK(is_there("claims.tsv"));
}

/* Epsilons that do not compare are told apart. */
static void test_neighbours(void)
{
    sp_figure figure = { .sweep = T("main"), .name = T("rate"), .kind = T("rate"),
                         .x = T("n"), .y = { T("grad_norm") }, .panels = 1 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    sp_error error = { 0 };
    neighbours = true;
    write_runs(level);
    neighbours = false;
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    char *table = contents("figures/rate.tsv");
    CHECK_EQUAL(count_of(table, "\t\u03b5 for add-remove neighbours\n"), 1);
    CHECK(strstr(table, "\tb\\\\_gd\n") < strstr(table, "\t\u03b5 for add-remove neighbours\n"));
    free(table);
}

static void test_rate(void)
{
    sp_claim claim = CLAIMS_OF("a_gd", -2.0 / 3.0, "theory");
    sp_figure figure = { .sweep = T("main"), .name = T("rate"), .kind = T("rate"),
                         .x = T("n"), .y = { T("grad_norm") }, .panels = 1 };
    const sp_plan plan = plan_of(&figure, 1, &claim, 1);
    sp_error error = { 0 };
    write_runs(level);
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    CHECK_CONTAINS(reported, "rate.svg");
    CHECK(is_there("plots/rate.svg"));
    char *table = contents("figures/rate.tsv"), *again, *svg = contents("plots/rate.svg");
    CHECK_CONTAINS(table, "\t0\tHow does \\\\{it\\\\} go?\n");
    CHECK_CONTAINS(table, "\tmode: theory; mean of 2 to 3 replicates; band: 95 % interval, of");
    CHECK_CONTAINS(table, "\t3\tnumber of records" SP_SPACE "{/:Italic n}\n");
    CHECK_CONTAINS(table, "\t4\t\u2016\u2207{/:Italic F}({/:Italic w})\u2016\n");
    CHECK_CONTAINS(table, "curves\t2\nguides\t1\npoint_size\t1\ncolours\t8355711 9195786 8355711\n");
    CHECK_CONTAINS(table, "\nshapes\t7 5\ndashes\t1 1 6\n");
    CHECK_CONTAINS(svg, ">a_gd<");
    CHECK_CONTAINS(svg, "mode: theory");
    CHECK_CONTAINS(table, "\t1\ta\\\\_gd\n");
    CHECK_CONTAINS(table, "\t2\t{/:Italic n}^{\u22120.50}" SP_SPACE "[\u22120.");
    CHECK_CONTAINS(table, "\t2\t{/:Italic n}^{\u22120.67}" SP_SPACE "[\u22120.67, \u22120.67]\n");
    CHECK_CONTAINS(table, "\t2\tpaper calibration:\n");
    CHECK_CONTAINS(table, "\t2\tspends up to \u03b5 = 3.5\n");
    CHECK_CONTAINS(table, "\t2\ttheory" SP_SPACE "{/:Italic n}^{\u22122/3}: not resolved\n");
    CHECK_CONTAINS(table, "\t2\tdashed: the claimed slope, drawn beside its curve\n");

    char *row = block_row(table, 4, 0);
    CHECK_TEXT(row, "n\ta\\\\_gd\tlow\thigh\tline\tcounted");
    free(row);
    double x, mean, low, high, fit;
    row = block_row(table, 4, 2);
    CHECK_EQUAL(sscanf(row, "%lf %lf %lf %lf %lf", &x, &mean, &low, &high, &fit), 5);
    CHECK_NEAR(x, 400, 0);
    CHECK_NEAR(mean, 0.125, 1e-15);
    CHECK(low > 0.01 && low < 0.04); /* 0.125 - 12.7 * 0.025 is below 0: as far as the axis goes */
    CHECK_NEAR(high, 0.125 + 12.706204736432095 * 0.025, 1e-8);
    CHECK_NEAR(fit, 0.125, 1e-12);
    free(row);
    /* the claim's line has the claimed slope and runs clear of both curves: 8 pixels at every point */
    double first = 0.0, y_low, y_high, height;
    row = block_row(table, 1, 1);
    CHECK_EQUAL(sscanf(row, "%*s %*s %*s %lf %*s %lf %lf", &height, &y_low, &y_high), 3);
    free(row);
    for (size_t i = 1; i <= 3; i++) {
        double guide;
        row = block_row(table, 6, i);
        CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &guide), 2);
        first = i == 1 ? guide : first;
        CHECK_NEAR(guide, first * pow(x / 100.0, -2.0 / 3.0), 1e-12);
        free(row);
        for (size_t curve = 4; curve < 6; curve++) {
            row = block_row(table, curve, i);
            CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &mean), 2);
            CHECK(fabs(log(guide / mean)) * height / log(y_high / y_low) > 8.0);
            free(row);
        }
    }

    char *summary = contents("summary.tsv"), *fits = contents("fits.tsv");
    CHECK_EQUAL(plot(&plan, &error), SP_OK); /* the same bytes again */
    static const char *const names[] = { "figures/rate.tsv", "plots/rate.svg", "summary.tsv", "fits.tsv" };
    const char *const before[] = { table, svg, summary, fits };
    for (size_t i = 0; i < 4; i++) {
        again = contents(names[i]);
        CHECK(*again && strcmp(again, before[i]) == 0);
        free(again);
    }
    free(table);
    free(svg);
    free(summary);
    free(fits);
}

/* Two instances; the worst of them is 3 n^-1/2, at 0.6 of the start where n = 100. Without noise rest n^-1/2. */
static void write_family(double rest)
{
    sp_text runs = { 0 };
    size_t run = 0;
    sp_text_append(&runs, "run\tsweep\tlabel\talgorithm\tprivacy.noise\tproblem.loss\tproblem.n\treplicate\tstatus\t"
                          "grad_norm\tepsilon_spent\tprivate\tstart.grad_norm\n");
    for (int silent = 0; silent < 2; silent++)
        for (double n = 100.0; n < 2000.0; n *= 2.0)
            for (int m = 0; m < 3; m++)
                for (int r = 0; r < 6; r++, run++) {
                    const double y = (silent ? rest : 2.0 + (m == 1)) * (r % 2 ? 1.01 : 0.99) / sqrt(n);
                    sp_text_append(&runs, "f%zu\tmain\t%s\ta\t%s\t%d\t%g\t%d\tok\t%.17g\t1\t%s\t0.5\n", run,
                                   silent ? "off" : "a_gd", silent ? "off" : "-", m, n, r, y,
                                   silent ? "noise_off" : "yes");
                }
    tables_write(folder, runs.data);
    sp_text_free(&runs);
}

static void test_claim(void)
{
    sp_claim claims[] = { CLAIMS_OF("a_gd", -0.5, "sup"), CLAIMS_OF("a_gd", -0.4, "bound"),
                          CLAIMS_OF("a_gd", -0.4, "bound"), CLAIMS_OF("a_gd", -0.5, "sup") };
    char family[] = "loss";
    for (size_t i = 0; i < 4; i++) {
        claims[i].family = family;
        claims[i].points = 5;
        claims[i].members = 3;
        claims[i].replicates = 6;
    }
    claims[1].constant = 7.0;
    sp_figure figure = { .sweep = T("main"), .name = T("sup"), .kind = T("rate"),
                         .x = T("n"), .y = { T("grad_norm") }, .panels = 1 };
    const sp_plan plan = plan_of(&figure, 1, claims, 4);
    sp_error error = { 0 };
    write_family(0.1);
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    char *table = contents("figures/sup.tsv");
    CHECK_CONTAINS(table, "\tmode: sup, bound; worst of 3 instances; mean of 6 replicates;");
    CHECK_CONTAINS(table, "curves\t1\nguides\t4\n"); /* no curve of its own: "off" */
    CHECK_CONTAINS(table, "\ndashes\t1 6 7 7 8\n");
    static const char *const words[] = { "\t2\t{/:Italic n}^{\u22120.50}" SP_SPACE "[\u22120.51, \u22120.49]\n",
                                         "\t2\ttheory" SP_SPACE "{/:Italic n}^{\u22121/2}: agrees\n",
                                         "\t2\tbound" SP_SPACE "7" SP_SPACE "{/:Italic n}^{\u22122/5}: agrees\n",
                                         "\t2\tbound" SP_SPACE "{/:Italic n}^{\u22122/5}: agrees\n",
                                         "\t2\ta\\\\_gd without noise\n",
                                         "\t2\tfaint: a point that the claim does not count\n",
                                         "\t2\tdash and dot: slope of a bound whose constant is not known, " };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        CHECK_EQUAL(count_of(table, words[i]), 1);
    CHECK_EQUAL(count_of(table, "\t2\tat the end" SP_SPACE "{/:Italic n}^{\u22120.50}" SP_SPACE "[\u22120.5"), 2);
    for (size_t k = 0; k < 5; k++) {
        const double n = 100.0 * pow(2.0, (double)k);
        double x, mean, low, high, fit, counted;
        char *row = block_row(table, 4, k + 1);
        CHECK_EQUAL(sscanf(row, "%lf %lf %lf %lf %lf %lf", &x, &mean, &low, &high, &fit, &counted), 6);
        CHECK_NEAR(x, n, 0);
        CHECK_NEAR(mean, 3.0 / sqrt(n), 1e-14);
        CHECK_NEAR(low, (3.0 - 2.570581835636314 * 0.03 / sqrt(5.0)) / sqrt(n), 1e-9); /* t of 5 degrees */
        CHECK_NEAR(high, (3.0 + 2.570581835636314 * 0.03 / sqrt(5.0)) / sqrt(n), 1e-9);
        CHECK_NEAR(counted, k > 0, 0);
        if (k == 0)
            CHECK(isnan(fit));
        else
            CHECK_NEAR(fit, mean, 1e-12);
        free(row);
        /* a bound without a constant touches the curve where it is highest: at the first point */
        const double expected[] = { 7.0 * pow(n, -0.4), 0.3 * pow(n / 100.0, -0.4), 0.1 / sqrt(n) };
        for (size_t guide = 0; guide < 3; guide++) {
            row = block_row(table, 6 + guide, k + 1);
            CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &mean), 2);
            CHECK_NEAR(x, n, 0);
            CHECK_NEAR(mean, expected[guide], 1e-12);
            free(row);
        }
    }
    free(table);

    write_family(1e-6); /* far below: a note, no line */
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    table = contents("figures/sup.tsv");
    CHECK_CONTAINS(table, "\t2\ta\\\\_gd without noise: at most 10^{\u22127}\n");
    CHECK_EQUAL(count_of(table, "\ta\\\\_gd without noise\n"), 0);
    CHECK_CONTAINS(table, "guides\t3\n");
    free(table);
}

/* Six replicates of law(n): two instances of it, so that there is a family. */
static void write_law(double (*law)(double))
{
    sp_text runs = { 0 };
    size_t run = 0;
    sp_text_append(&runs, "run\tsweep\tlabel\talgorithm\tproblem.loss\tproblem.n\treplicate\tstatus\tgrad_norm\t"
                          "epsilon_spent\tprivate\tstart.grad_norm\n");
    for (double n = 100.0; n < 2000.0; n *= 2.0)
        for (int m = 0; m < 3; m++)
            for (int r = 0; r < 6; r++, run++)
                sp_text_append(&runs, "l%zu\tmain\ta_gd\ta\t%d\t%g\t%d\tok\t%.17g\t1\tyes\t5\n", run, m, n, r,
                               law(n) * (m == 1 ? 1.0 : 0.5) * (r % 2 ? 1.01 : 0.99));
    tables_write(folder, runs.data);
    sp_text_free(&runs);
}

static double power(double n)
{
    return 3.0 * pow(n, -0.6);
}

static double bent(double n)
{
    return 3.0 * pow(n, -0.6) * exp(-0.1 * pow(log(n / 400.0), 2.0));
}

/* Residuals of a claim: a tilt for another exponent, and for the rival; a bend has no line. */
static void test_residual(void)
{
    sp_claim claim = CLAIMS_OF("a_gd", -2.0 / 3.0, "sup");
    char family[] = "loss";
    claim.family = family;
    claim.points = 5;
    claim.members = 3;
    claim.replicates = 6;
    claim.rival = -0.5;
    sp_figure figures[] = { { .sweep = T("main"), .name = T("left"), .kind = T("residual"),
                              .x = T("n"), .y = { T("grad_norm") }, .panels = 1 },
                            { .sweep = T("main"), .name = T("rate"), .kind = T("rate"),
                              .x = T("n"), .y = { T("grad_norm") }, .panels = 1 } };
    const sp_plan plan = plan_of(figures, 2, &claim, 1);
    sp_error error = { 0 };
    write_law(power);
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    char *table = contents("figures/left.tsv"), *rate = contents("figures/rate.tsv"), *row;
    CHECK_CONTAINS(table, "curves\t1\nguides\t2\n");
    CHECK_CONTAINS(table, "\ndashes\t1 6 9\n");
    CHECK_CONTAINS(table, "\tmode: sup; worst of 3 instances; mean of 6 replicates; intervals of 90 %\n");
    CHECK_CONTAINS(table, "\t4\tlog" SP_SPACE "\u2016\u2207{/:Italic F}({/:Italic w})\u2016" SP_SPACE "\u2212" SP_SPACE
                          "{/:Italic c}" SP_SPACE "log" SP_SPACE "{/:Italic n}\n");
    CHECK_CONTAINS(table, "\t2\texcludes" SP_SPACE "{/:Italic n}^{\u22121/2}\n");
    CHECK_CONTAINS(table, "\t2\ttheory" SP_SPACE "{/:Italic n}^{\u22122/3}: shallower\n");
    CHECK_CONTAINS(rate, "\t2\texcludes" SP_SPACE "{/:Italic n}^{\u22121/2}\n");
    const double step = log(2.0), half = 2.015048373333023 * 0.01 / sqrt(5.0); /* t of 5 degrees */
    for (int k = 0; k < 5; k++) {
        double x, y, low, high, line;
        row = block_row(table, 4, (size_t)k + 1);
        CHECK_EQUAL(sscanf(row, "%lf %lf %lf %lf %lf", &x, &y, &low, &high, &line), 5);
        CHECK_NEAR(y, (2.0 / 3.0 - 0.6) * step * (k - 2), 1e-12);
        CHECK_NEAR(low, y + log(1.0 - half), 1e-9);
        CHECK_NEAR(high, y + log(1.0 + half), 1e-9);
        CHECK_NEAR(line, y, 1e-12);
        free(row);
        row = block_row(table, 5, (size_t)k + 1); /* the claimed one */
        CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &y), 2);
        CHECK_NEAR(y, 0.0, 0);
        free(row);
        row = block_row(table, 6, (size_t)k + 1); /* the rival */
        CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &y), 2);
        CHECK_NEAR(y, (2.0 / 3.0 - 0.5) * step * (k - 2), 1e-12);
        free(row);
    }
    free(table);
    free(rate);

    claim.rival = -0.62; /* nearer than the claimed one */
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    rate = contents("figures/rate.tsv");
    CHECK_CONTAINS(rate, "\t2\tdoes not exclude" SP_SPACE "{/:Italic n}^{\u22120.62}\n");
    free(rate);
    claim.rival = -0.5;

    claim.origin = T("conjecture");
    claim.log = 2.0;
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    rate = contents("figures/rate.tsv");
    CHECK_CONTAINS(rate, "\t2\tconjecture" SP_SPACE "{/:Italic n}^{\u22122/3}" SP_SPACE "log^{2}" SP_SPACE
                         "{/:Italic n}: ");
    free(rate);
    claim.log = 0.0;

    claim.exponent = NAN; /* that of a bound, and the runs have none */
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    rate = contents("figures/rate.tsv");
    CHECK_CONTAINS(rate, "guides\t0\n");
    CHECK_CONTAINS(rate, "\t2\ta\\\\_gd, conjectured resolved bound: not resolved");
    free(rate);
    claim.exponent = -2.0 / 3.0;

    write_law(bent);
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    static const char *const names[] = { "figures/left.tsv", "figures/rate.tsv" };
    for (size_t i = 0; i < 2; i++) {
        table = contents(names[i]);
        CHECK_CONTAINS(table, "\t2\tfit rejected:" SP_SPACE "{/:Italic p}");
        CHECK_CONTAINS(table, "\t2\tjoined points: the test of the fitted line rejects it\n");
        for (size_t k = 1; k <= 5; k++) {
            double x, y, line;
            row = block_row(table, 4, k);
            CHECK_EQUAL(sscanf(row, "%lf %lf %*s %*s %lf", &x, &y, &line), 3);
            CHECK_NEAR(line, y, 0);
            free(row);
        }
        free(table);
    }

}

/* Ten curves that end together: their words stand apart, within the panel, as near as can be to where they end. */
static void test_words(void)
{
    enum { CURVES = 10 };
    sp_figure figure = { .sweep = T("main"), .name = T("words"), .kind = T("rate"),
                         .x = T("n"), .y = { T("grad_norm") }, .panels = 1 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    sp_text text = { 0 };
    sp_error error = { 0 };
    sp_text_append(&text, "%s", head);
    for (int i = 0; i < CURVES; i++)
        for (double n = 100.0; n < 2000.0; n *= 4.0)
            sp_text_append(&text, "w%d_%g\tmain\tm%d\t-\ttight\t1\t%g\t0\tok\t-\t0.75\t%.17g\tNaN\t1\tyes\n", i, n, i,
                           n, (2.0 + 0.001 * (i * 7 % CURVES)) / sqrt(n));
    tables_write(folder, text.data);
    sp_text_free(&text);
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    char *table = contents("figures/words.tsv"), *row = block_row(table, 1, 1);
    double top, height, before = 0.0, least = INFINITY, most = 0.0, x, y;
    CHECK_EQUAL(sscanf(row, "%*s %lf %*s %lf", &top, &height), 2);
    free(row);
    const char *end = strstr(table, "x\ty\tright");
    size_t names = 0;
    for (const char *at = strstr(table, "\tsize\t"); (at = strchr(at, '\n')) != NULL && ++at < end;) {
        int size;
        if (sscanf(at, "%lf %lf %*s %d", &x, &y, &size) != 3 || size != 1)
            continue;
        CHECK_EQUAL(at[strcspn(at, "m") + 1] - '0', (3 * (CURVES - 1 - (int)names)) % CURVES); /* the highest first */
        CHECK(names == 0 || y - before >= 38.9);
        before = y;
        least = fmin(least, y);
        most = fmax(most, y);
        names++;
    }
    CHECK_EQUAL(names, CURVES);
    CHECK(least >= top && most <= top + height);
    CHECK(count_of(end, "\t8355711\n") >= CURVES - 2); /* most are led to their curve */
    free(table);
}

static const char budgets[] = "d0\tmain\ta_gd\t0.25\ttight\t0.5\t100\t0\tok\t-\t0.625\t0.04\tNaN\t0.5\tyes\n"
                              "d1\tmain\ta_gd\t0.25\ttight\t0.5\t100\t1\tok\t-\t0.625\t0.06\tNaN\t0.5\tyes\n"
                              "d2\tmain\ta_gd\t0.25\ttight\t2\t100\t0\tok\t-\t0.625\t0.03\tNaN\t2\tyes\n";

static void test_trade_off(void)
{
    sp_axis_value where[] = { { T("label"), T("a_gd"), NULL }, { T("n"), T("100"), NULL } };
    sp_figure figures[] = {
        { .sweep = T("main"), .name = T("cost"), .kind = T("trade_off"),
          .x = T("epsilon"), .y = { T("grad_norm") }, .panels = 1 },
        { .sweep = T("main"), .name = T("both"), .kind = T("trade_off"),
          .x = T("n"), .y = { T("grad_norm"), T("accuracy") }, .panels = 2 },
    };
    sp_error error = { 0 };
    write_runs(budgets);
    sp_plan plan = plan_of(figures, 1, NULL, 0); /* at epsilon = 1 there are three n: not one point */
    CHECK_EQUAL(plot(&plan, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "figure cost");
    CHECK_CONTAINS(error.text, "a_gd at epsilon = 1");
    CHECK_CONTAINS(error.text, "problem.n (100, 400)");
    CHECK_CONTAINS(error.text, "where = { [\"problem.n\"] = \"100\" }");
    CHECK(!is_there("plots/cost.svg"));
    figures[0].where = where;
    figures[0].wheres = 2;
    error.text[0] = '\0';
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    char *table = contents("figures/cost.tsv"), *row = block_row(table, 4, 1);
    double x, mean, low, high;
    CHECK_EQUAL(sscanf(row, "%lf %lf %lf %lf", &x, &mean, &low, &high), 4);
    CHECK_NEAR(x, 0.5, 0);
    CHECK_NEAR(mean, 0.05, 1e-15);
    CHECK(low > 0.0); /* 0.05 -+ 12.7 * 0.01: below 0 the interval ends where the axis does, which the means choose */
    CHECK_NEAR(high, 0.05 + 12.706204736432095 * 0.01, 1e-8);
    CHECK_CONTAINS(table, "x_log\t1\n"); /* 0.5, 1, 2 */
    CHECK_CONTAINS(table, "\t3\tprivacy budget" SP_SPACE "{/:Italic \u03b5}\n");
    free(row);
    free(table);

    write_runs(level); /* what has no x is a level across the panel */
    figures[0] = figures[1];
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    table = contents("figures/both.tsv");
    CHECK_CONTAINS(table, "across\t1\npanels\t2\ncurves\t2\nguides\t1\n");
    CHECK_CONTAINS(table, "\ncolours\t8355711 9195786 8355711\n");
    CHECK_CONTAINS(table, "\ndashes\t1 1 5\n");
    CHECK_CONTAINS(table, "x_log\t1\n"); /* 100, 400, 1600 */
    CHECK_EQUAL(count_of(table, "\t1\tc\\\\_gd\n"), 2);
    CHECK_EQUAL(count_of(table, "\t2\tnot private\n"), 2);
    for (size_t panel = 0; panel < 2; panel++) {
        row = block_row(table, 6 + 3 * panel, 0);
        CHECK_TEXT(row, "n\tc\\\\_gd");
        free(row);
        row = block_row(table, 6 + 3 * panel, 2);
        CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &mean), 2);
        CHECK(x > 1600.0);
        CHECK_NEAR(mean, panel ? 0.625 : 0.0625, 0);
        free(row);
    }
    CHECK_CONTAINS(table, "\t4\taccuracy\n");
    row = block_row(table, 1, 2);
    CHECK_EQUAL(sscanf(row, "%*s %*s %*s %*s %lf", &x), 1);
    CHECK_NEAR(x, 0, 0); /* linear */
    free(row);
    free(table);

}

/* What a panel's row says of its axis: scale and ends. */
static void panel_axis(const char *table, size_t panel, double axis[3])
{
    char *row = block_row(table, 1, panel + 1);
    CHECK_EQUAL(sscanf(row, "%*s %*s %*s %*s %lf %lf %lf", &axis[0], &axis[1], &axis[2]), 3);
    free(row);
}

/* The axes are those of the curves, whatever a method without an x reaches: outside of them it is a note. */
static void test_references(void)
{
    static const struct { const char *accuracy, *norm, *notes[2]; } levels[] = {
        { "0.625", "1e-16", { NULL, "10^{\u221216}" } }, { "0.625", "0", { NULL, "0" } },
        { "0.625", "0.0199", { NULL, "0.0199" } }, { "0.625", "0.9", { NULL, "0.9" } },
        { "7e5", "0.0625", { "7\u00b710^{5}", NULL } }, { "-3.5", "1e4", { "-3.5", "10^{4}" } },
    };
    sp_figure figure = { .sweep = T("main"), .name = T("near"), .kind = T("trade_off"),
                         .x = T("n"), .y = { T("grad_norm"), T("accuracy") }, .panels = 2 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    double alone[2][3], axis[3];
    write_runs("");
    CHECK_EQUAL(plot(&plan, NULL), SP_OK);
    char *table = contents("figures/near.tsv");
    for (size_t p = 0; p < 2; p++)
        panel_axis(table, p, alone[p]);
    free(table);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        char *first = replaced(level, "0.0625", levels[i].norm);
        char *second = replaced(first, "\t0.625\t", "\t\v\t"), *runs = replaced(second, "\v", levels[i].accuracy);
        size_t notes = 0;
        write_runs(runs);
        CHECK_EQUAL(plot(&plan, NULL), SP_OK);
        table = contents("figures/near.tsv");
        for (size_t p = 0; p < 2; p++) {
            static const char *const unit[] = { "\u2016\u2207{/:Italic F}({/:Italic w})\u2016", "accuracy" };
            const char *value = levels[i].notes[1 - p];
            panel_axis(table, p, axis);
            for (size_t k = 0; k < 3; k++)
                CHECK_NEAR(axis[k], alone[p][k], 0);
            char *note = value ? sp_format("\t2\tc\\\\_gd, not private:" SP_SPACE "%s" SP_SPACE "=" SP_SPACE "%s\n",
                                           unit[p], value)
                               : NULL;
            notes += note != NULL;
            if (note)
                CHECK_CONTAINS(table, note);
            free(note);
        }
        CHECK_EQUAL(count_of(table, "\t1\tc\\\\_gd\n"), 2 - notes); /* where it is drawn */
        free(table);
        free(first);
        free(second);
        free(runs);
    }
}

/* A curve without privacy or noise widens a logarithmic axis by three decades at most; what is beyond is told. */
static void test_far_curves(void)
{
    static const struct { const char *private; double last; bool leaves; } cases[] = {
        { "no", 1e-16, true }, { "noise_off", 1e-16, true }, { "yes", 1e-16, false }, { "no", 1e-4, false },
        { "no", 0.0, true },
    };
    sp_figure figure = { .sweep = T("main"), .name = T("far"), .kind = T("rate"), .x = T("n"),
                         .y = { T("grad_norm") }, .panels = 1 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_text more = { 0 };
        for (int k = 0; k < 3; k++)
            sp_text_append(&more, "c%d\tmain\tc_gd\t-\t-\t1\t%d\t0\tok\t-\t0.875\t%g\tNaN\tinf\t%s\n", k,
                           100 << 2 * k, k < 2 ? 0.01 : cases[i].last, cases[i].private);
        write_runs(more.data);
        CHECK_EQUAL(plot(&plan, NULL), SP_OK);
        char *table = contents("figures/far.tsv");
        double axis[3];
        panel_axis(table, 0, axis);
        CHECK(axis[1] > 1e-6 || cases[i].private[0] == 'y');
        CHECK(axis[1] < 1e-16 || cases[i].private[0] != 'y');
        CHECK_EQUAL(count_of(table, "\t2\tc\\\\_gd leaves the frame:" SP_SPACE), cases[i].leaves);
        CHECK_EQUAL(count_of(table, "\t1\tc\\\\_gd\n"), 1);
        free(table);
        sp_text_free(&more);
    }
    sp_text more = { 0 };
    for (int k = 0; k < 3; k++)
        sp_text_append(&more, "c%d\tmain\tc_gd\t-\t-\t1\t%d\t0\tok\t-\t0.875\t%g\tNaN\tinf\tno\n", k, 100 << 2 * k,
                       1e-30 * (k + 1));
    write_runs(more.data);
    CHECK_EQUAL(plot(&plan, NULL), SP_OK);
    char *table = contents("figures/far.tsv");
    CHECK_CONTAINS(table, SP_SPACE "from 10^{\u221230} to 3\u00b710^{\u221230}\n"); /* nowhere on the axis */
    CHECK_EQUAL(count_of(table, "\t1\tc\\\\_gd\n"), 0);
    free(table);
    sp_text_free(&more);
}

/* Members eta = 0.25, 0.5 and 1 of a_gd, which has no claim; 0.5 is the worst at n = 100, 1 at the larger n. */
static void test_family(void)
{
    sp_axis_value where[] = { { T("algorithm.eta"), T("0.5"), NULL } };
    sp_figure figure = { .sweep = T("main"), .name = T("worst"), .kind = T("rate"), .x = T("n"),
                         .y = { T("grad_norm") }, .panels = 1, .where = where };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    sp_text more = { 0 };
    sp_error error = { 0 };
    for (double n = 100.0; n < 2000.0; n *= 4.0)
        for (int member = 0; member < 2; member++)
            for (int r = 0; r < 3; r++)
                sp_text_append(&more, "m%g%d%d\tmain\ta_gd\t%s\ttight\t1\t%g\t%d\tok\t-\t0.75\t%.17g\tNaN\t1\tyes\n", n,
                               member, r, member ? "1" : "0.5", n, r, (member ? 2.0 + 0.01 * n : 4.0) + 0.125 * r);
    write_runs(more.data);
    sp_text_free(&more);
    CHECK_EQUAL(plot(&plan, &error), SP_EINVAL); /* no family: three cells at one n */
    CHECK_CONTAINS(error.text, "several cells of a_gd at n = 100 differ in algorithm.eta");
    problem.family = "algorithm.eta";
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    const double expected[] = { 4.125, 6.125, 18.125 };
    char *table = contents("figures/worst.tsv");
    for (size_t p = 0; p < 3; p++) {
        double n, mean;
        char *row = block_row(table, 4, p + 1);
        CHECK_EQUAL(sscanf(row, "%lf %lf", &n, &mean), 2);
        CHECK_NEAR(mean, expected[p], 1e-12);
        free(row);
    }
    free(table);
    figure.wheres = 1; /* the member that the figure chooses */
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    table = contents("figures/worst.tsv");
    char *row = block_row(table, 4, 3);
    double n, mean;
    CHECK_EQUAL(sscanf(row, "%lf %lf", &n, &mean), 2);
    CHECK_NEAR(mean, 4.125, 1e-12);
    free(row);
    free(table);
}

static void test_trajectory(void)
{
    sp_axis_value where[] = { { T("n"), T("400"), NULL }, { T("label"), T("b_gd"), NULL } };
    sp_figure figure = { .sweep = T("main"), .name = T("path"), .kind = T("trajectory"),
                         .x = T("gradients"), .y = { T("grad_norm") }, .panels = 1, .where = where,
                         .wheres = 2 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    sp_text text = { 0 };
    sp_error error = { 0 };
    sp_text_append(&text, "run\tsweep\tstep\tgradients\tgrad_norm\n");
    for (int r = 0; r < 3; r++) /* b_gd at n = 400 are the runs b12, b13, b14; they stand in another sweep as well */
        for (int step = 0; step < 4; step++)
            sp_text_append(&text, "b%d\tmain\t%d\t%d\t%g\nb9\tmain\t%d\t1\t9\nb%d\tnext\t%d\t1\t-\n", 12 + r, step,
                           400 * step + r * (step > 0), 1.0 / (1.0 + step) + 0.125 * r, step, 12 + r, step);
    write_text("traces.tsv", text.data);
    sp_text_free(&text);
    write_runs("");
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    char *table = contents("figures/path.tsv"), *row = block_row(table, 4, 1);
    double x, mean;
    CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &mean), 2); /* the start has no place on a logarithmic axis */
    CHECK_NEAR(x, 401, 1e-12);
    CHECK_NEAR(mean, 0.625, 1e-15);
    free(row);
    row = block_row(table, 4, 3);
    CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &mean), 2);
    CHECK_NEAR(x, 1201, 1e-12);
    CHECK_NEAR(mean, 0.375, 1e-15);
    free(row);
    free(table);
    figure.wheres = 0; /* three n */
    CHECK_EQUAL(plot(&plan, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "problem.n");

    /* without traces the other figures are drawn */
    sp_figure figures[] = { figure, { .sweep = T("main"), .name = T("beside"), .kind = T("rate"), .x = T("n"),
                                      .y = { T("grad_norm") }, .panels = 1 } };
    const sp_plan both = plan_of(figures, 2, NULL, 0);
    unlink(in_folder("traces.tsv"));
    reported[0] = error.text[0] = '\0';
    CHECK_EQUAL(plot(&both, &error), SP_OK);
    CHECK_CONTAINS(reported, "figure path is not drawn: there is no ");
    CHECK_CONTAINS(reported, "traces.tsv");
    CHECK(is_there("plots/beside.svg"));
}

/* a_gd goes on as another method at a step of its own in each run, b_gd never does, c_gd stays where it starts. */
static void test_hand_over(void)
{
    sp_figure figure = { .sweep = T("main"), .name = T("handed"), .kind = T("trajectory"),
                         .x = T("gradients"), .y = { T("grad_norm"), T("accuracy") }, .panels = 2 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    static const char *const label[] = { "a_gd", "b_gd", "c_gd" };
    sp_text text = { 0 }, trace = { 0 };
    sp_error error = { 0 };
    sp_text_append(&text, "run\tsweep\tlabel\talgorithm\treplicate\tstatus\taccuracy\tgrad_norm\tepsilon_spent\t"
                          "private\thandover\n");
    sp_text_append(&trace, "run\tsweep\tstep\tgradients\tgrad_norm\taccuracy\n");
    for (int m = 0; m < 3; m++)
        for (int r = 0; r < 2; r++) {
            sp_text_append(&text, "%c%d\tmain\t%s\t%s\t%d\tok\t0.5\t0.25\t%d\tyes\t%s\n", 'a' + m, r, label[m],
                           label[m], r, m < 2, m > 0 ? "NaN" : r ? "3" : "1");
            for (int step = 0; step < (m == 2 ? 1 : 5); step++)
                sp_text_append(&trace, "%c%d\tmain\t%d\t%d\t%g\t0.5\n", 'a' + m, r, step, step * (100 + m + 10 * r),
                               1.0 / (1.0 + step));
        }
    tables_write(folder, text.data);
    write_text("traces.tsv", trace.data);
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    char *table = contents("figures/handed.tsv");
    CHECK_CONTAINS(table, "\ncurves\t2\nguides\t2\n");
    CHECK_CONTAINS(table, "\ndashes\t1 1 5 10\n");
    CHECK_CONTAINS(table, "\t2\tupright: where the second method of a warm start\n");
    CHECK_EQUAL(count_of(table, "\t1\ta\\\\_gd\n"), 2); /* a name a panel: the mark has none of its own */
    CHECK_EQUAL(count_of(table, "\t1\tc\\\\_gd\n"), 2);
    for (size_t panel = 0; panel < 2; panel++) {
        double x[2], y[2], low, high;
        char *ends[3] = { block_row(table, 1, 1 + panel), block_row(table, 4 + 4 * panel + 3, 1),
                          block_row(table, 4 + 4 * panel + 3, 2) };
        CHECK_EQUAL(sscanf(ends[0], "%*s %*s %*s %*s %*s %lf %lf", &low, &high), 2);
        for (int i = 0; i < 2; i++)
            CHECK_EQUAL(sscanf(ends[1 + i], "%lf %lf", &x[i], &y[i]), 2);
        CHECK_NEAR(x[0], 0.5 * (100 + 3 * 110), 1e-12);
        CHECK(x[1] == x[0]);
        CHECK_NEAR(y[0], low, 1e-9);
        CHECK_NEAR(y[1], high, 1e-9);
        for (int i = 0; i < 3; i++)
            free(ends[i]);
        ends[0] = block_row(table, 4 + 4 * panel + 2, 1); /* the level of c_gd */
        CHECK_EQUAL(sscanf(ends[0], "%*f %lf", &y[0]), 1);
        CHECK_NEAR(y[0], panel ? 0.5 : 1.0, 0);
        free(ends[0]);
    }
    free(table);

    char *without = replaced(text.data, "\thandover", "\tsteps"); /* tables in which nothing is handed over */
    tables_write(folder, without);
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    table = contents("figures/handed.tsv");
    CHECK_CONTAINS(table, "\nguides\t1\n");
    CHECK(!strstr(table, "upright"));
    free(table);
    free(without);
    unlink(in_folder("traces.tsv"));
    sp_text_free(&text);
    sp_text_free(&trace);
}

/* A figure says that a choice is not paid for where it shows a private run of tuned parameters. */
static void test_free_choice(void)
{
    char *shown[] = { T("a_gd"), T("c_gd") };
    sp_figure figure = { .sweep = T("main"), .name = T("choice"), .kind = T("trade_off"), .x = T("n"),
                         .y = { T("grad_norm") }, .panels = 1, .label = shown, .labels = 2 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    static const struct { const char *sweep, *label, *private, *tuned; bool said; } cases[] = {
        { "main", "c_gd", "yes", "yes", true },  { "main", "c_gd", "no", "yes", false },
        { "main", "c_gd", "yes", "no", false },  { "next", "c_gd", "yes", "yes", false },
        { "main", "other", "yes", "yes", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_text text = { 0 };
        sp_text_append(&text,
                       "run\tsweep\tlabel\tproblem.n\treplicate\tstatus\tgrad_norm\tepsilon_spent\tprivate\ttuned\n");
        for (int n = 100; n < 2000; n *= 4) {
            sp_text_append(&text, "a%d\tmain\ta_gd\t%d\t0\tok\t%g\t1\tyes\tno\n", n, n, 3.0 / n);
            sp_text_append(&text, "c%d\t%s\t%s\t%d\t0\tok\t%g\t1\t%s\t%s\n", n, cases[i].sweep, cases[i].label, n,
                           1.0 / n, cases[i].private, cases[i].tuned);
        }
        tables_write(folder, text.data);
        CHECK_EQUAL(plot(&plan, NULL), SP_OK);
        char *table = contents("figures/choice.tsv");
        CHECK_EQUAL(count_of(table, "\t2\ttuned: no budget pays for"), cases[i].said);
        free(table);
        sp_text_free(&text);
    }
}

/* The winner of one point at an end of its grid, in a table of other points and labels; accuracy as of one class. */
static void test_edges(void)
{
    sp_figure figure = { .sweep = T("main"), .name = T("edges"), .kind = T("trade_off"), .x = T("n"),
                         .y = { T("grad_norm"), T("accuracy") }, .panels = 2 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    static const char tuning[] = "sweep\tlabel\talgorithm.eta\tproblem.n\tmeasure\tedge\n"
                                 "main\ta_gd\t0.25\t100\tgrad_norm\t-\n" "main\ta_gd\t-\t400\tgrad_norm\teta\n"
                                 "main\ta_gd\t0.5\t1600\tgrad_norm\teta\n" /* another cell's */
                                 "next\tb_gd\t-\t100\tgrad_norm\teta\n" "main\tc_gd\t-\t100\tgrad_norm\teta\n";
    write_runs("");
    write_text("tuning.tsv", tuning);
    char *table = contents("figures/none.tsv"), *row;
    free(table);
    CHECK_EQUAL(plot(&plan, NULL), SP_OK);
    table = contents("figures/edges.tsv");
    CHECK_CONTAINS(table, "\nringed\t1\n");
    CHECK_EQUAL(count_of(table, "\t2\tringed: tuned, and the winner is at an end of its grid"), 1);
    for (size_t panel = 0; panel < 2; panel++)
        for (size_t curve = 0; curve < 2; curve++)
            for (size_t i = 1; i <= 3; i++) {
                double edge;
                row = block_row(table, 4 + 2 * panel + curve, i);
                CHECK_EQUAL(sscanf(row, "%*f %*f %*s %*s %*f %*f %lf", &edge), 1);
                CHECK_NEAR(edge, curve == 0 && i == 2, 0);
                free(row);
            }
    free(table);
    unlink(in_folder("tuning.tsv"));
    CHECK_EQUAL(plot(&plan, NULL), SP_OK);
    table = contents("figures/edges.tsv");
    CHECK(!strstr(table, "ringed") && !strstr(table, "\tedge"));
    free(table);

    static const struct { double accuracy, start; int still; const char *said; } cases[] = {
        { 0.876, 0.876, 4, "class:" SP_SPACE "0.876\n" },
        { 0.8, 0.2, 3, "class:" SP_SPACE "0.800\n" }, { 0.9, 0.876, 0, NULL },
    };
    figure.y[0] = T("accuracy");
    figure.panels = 1;
    for (size_t i = 0; i < 3; i++) {
        sp_text runs = { 0 };
        sp_text_append(&runs, "run\tsweep\tlabel\tprivacy.epsilon\tproblem.n\treplicate\tstatus\taccuracy\tgrad_norm\t"
                              "epsilon_spent\tprivate\tstart.accuracy\tstart.grad_norm\n");
        for (int k = 0; k < 4; k++)
            sp_text_append(&runs, "m%d\tmain\ta_gd\t%d\t%d\t0\tok\t%g\t1\t1\tyes\t%g\t%d\n", k, 1, 100 * (k + 1),
                           k == 3 ? 0.99 : cases[i].accuracy, cases[i].start, k < cases[i].still ? 1 : 3);
        tables_write(folder, runs.data);
        CHECK_EQUAL(plot(&plan, NULL), SP_OK);
        table = contents("figures/edges.tsv");
        if (cases[i].said) {
            CHECK_CONTAINS(table, cases[i].said);
            CHECK_CONTAINS(table, "\t2\taccuracy: on 3 of 4 problems no better than the majority");
        } else {
            CHECK(!strstr(table, "no better than"));
        }
        CHECK_EQUAL(count_of(table, "\nguides\t1\n"), 1);
        CHECK_EQUAL(count_of(table, "\nn\tmajority class\n"), 1);
        for (size_t end = 1; end <= 2; end++) { /* a level, from one end of the axis to the other */
            double height;
            row = block_row(table, 5, end);
            CHECK_EQUAL(sscanf(row, "%*f %lf", &height), 1);
            CHECK_NEAR(height, fmax(cases[i].start, 1.0 - cases[i].start), 1e-12);
            free(row);
        }
        CHECK_EQUAL(count_of(table, "\treturned the start\n"), cases[i].still == 4);
        CHECK_EQUAL(count_of(table, "\treturned the start in 3 of 4 cells\n"), cases[i].still == 3);
        free(table);
        sp_text_free(&runs);
    }
}

/* --- keys of a figure ------------------------------------------------------------------------------------------ */

/* The words of one size in a table, in their order, a line each; a new string. */
static char *words_of(const char *table, int wanted)
{
    sp_text out = { 0 };
    const char *at = strstr(table, "\tsize\ttext\n"), *end = strstr(table, "x\ty\tright");
    while (at && (at = strchr(at, '\n')) != NULL && ++at < end) {
        int size, text = 0;
        if (sscanf(at, "%*f %*f %*u %d\t%n", &size, &text) == 1 && text > 0 && size == wanted)
            sp_text_append(&out, "%.*s\n", (int)strcspn(at + text, "\n"), at + text);
    }
    return out.data ? out.data : sp_copy_text("");
}

/* The number behind a key of the first block; NAN: there is none. */
static double number_of(const char *table, const char *name)
{
    double value = NAN;
    char *line = sp_format("\n%s\t", name);
    const char *at = strstr(table, line);
    if (at)
        sscanf(at + strlen(line), "%lf", &value);
    free(line);
    return value;
}

static char *drawn(const sp_plan *plan, const char *name)
{
    sp_error error = { 0 };
    char *path = sp_format("figures/%s.tsv", name);
    CHECK_EQUAL(plot(plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    char *table = contents(path);
    free(path);
    return table;
}

static void test_methods(void)
{
    char *order[] = { T("c_gd"), T("b_gd") };
    sp_figure figure = { .sweep = T("main"), .name = T("some"), .kind = T("trade_off"), .x = T("n"),
                         .y = { T("grad_norm") }, .panels = 1, .label = order, .labels = 2 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    write_runs(level);
    char *table = drawn(&plan, "some"), *row;
    CHECK_CONTAINS(table, "\ncurves\t1\nguides\t1\n");
    CHECK(!strstr(table, "a\\\\_gd"));
    CHECK(!strstr(table, "runs failed")); /* the one that failed is not shown */
    free(table);
    order[0] = T("b_gd"); /* the plan has a_gd first */
    order[1] = T("a_gd");
    table = drawn(&plan, "some");
    row = block_row(table, 4, 0);
    CHECK_CONTAINS(row, "n\tb\\\\_gd\t");
    free(row);
    row = block_row(table, 5, 0);
    CHECK_CONTAINS(row, "n\ta\\\\_gd\t");
    CHECK_CONTAINS(table, "1 of 18 runs failed");
    CHECK_CONTAINS(table, "\ncolours\t9195786 8355711\n"); /* a method keeps its look */
    free(row);
    free(table);
}

static void test_axes_asked_for(void)
{
    sp_figure figure = { .sweep = T("main"), .name = T("axes"), .kind = T("trade_off"), .x = T("n"),
                         .y = { T("grad_norm"), T("accuracy") }, .panels = 2,
                         .x_axis = { .label = T("records, {all}"), .scale = SP_SCALE_LINEAR },
                         .y_axis = { { .label = T("size"), .scale = SP_SCALE_LINEAR },
                                     { .ranged = true, .low = 0.6, .high = 1.5 } } };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    double axis[3];
    write_runs(level);
    char *table = drawn(&plan, "axes"), *words = words_of(table, 4);
    CHECK_TEXT(words, "size\naccuracy\n");
    free(words);
    words = words_of(table, 3);
    CHECK_TEXT(words, "records, \\\\{all\\\\}\n");
    free(words);
    CHECK_NEAR(number_of(table, "x_log"), 0, 0);
    panel_axis(table, 0, axis);
    CHECK_NEAR(axis[0], 0, 0);
    panel_axis(table, 1, axis);
    CHECK_NEAR(axis[1], 0.6, 1e-12);
    CHECK_NEAR(axis[2], 1.5, 1e-12);
    words = words_of(table, 1);
    CHECK_EQUAL(count_of(words, "b\\\\_gd"), 1); /* 0.5 is beneath the second panel: a note */
    CHECK_CONTAINS(table, "\t2\tb\\\\_gd, paper calibration:, spends up to \u03b5 = 3.5:" SP_SPACE "accuracy" SP_SPACE
                          "=" SP_SPACE "0.5\n");
    free(words);
    free(table);

    figure.panels = 1; /* y is as long as what the range of x leaves of it, and zero has no logarithm */
    figure.x_axis = (sp_figure_axis){ .ranged = true, .low = 90, .high = 500 };
    figure.y_axis[0] = (sp_figure_axis){ .scale = SP_SCALE_LOGARITHMIC };
    write_runs("z0\tmain\tc_gd\t-\t-\t1\t100\t0\tok\t-\t0.875\t0\tNaN\t1\tyes\n"
               "z1\tmain\tc_gd\t-\t-\t1\t400\t0\tok\t-\t0.875\t0.25\tNaN\t1\tyes\n");
    table = drawn(&plan, "axes");
    CHECK_NEAR(number_of(table, "x_low"), 90, 1e-9);
    CHECK_NEAR(number_of(table, "x_high"), 500, 1e-9);
    panel_axis(table, 0, axis);
    CHECK_NEAR(axis[0], 1, 0);
    CHECK(axis[1] > 0.1 && axis[1] < 0.125 && axis[2] < 1.0); /* 7 * 1600^(-2/3) is 0.05 */
    CHECK_CONTAINS(table, "\t2\tc\\\\_gd leaves the frame:" SP_SPACE);
    free(table);
}

/* Two budgets: b_gd has both, a_gd one, and c_gd, which is not private, is in both panels. */
static void test_facet(void)
{
    sp_text runs = { 0 };
    sp_figure figure = { .sweep = T("main"), .name = T("facet"), .kind = T("rate"), .x = T("n"),
                         .y = { T("grad_norm"), T("grad_norm") }, .panels = 2, .facet = T("epsilon"),
                         .facet_value = { T("0.5"), T("2") } };
    sp_claim claim = CLAIMS_OF("b_gd", -0.5, "theory");
    sp_axis_value where = { T("epsilon"), T("2"), NULL };
    claim.where = &where;
    claim.wheres = 1;
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    sp_text_append(&runs, "%s", head);
    for (int label = 0, run = 0; label < 3; label++)
        for (int budget = 0; budget < (label == 0 ? 1 : label == 1 ? 2 : 1); budget++)
            for (int k = 0; k < 3; k++)
                for (int r = 0; r < 5; r++, run++)
                    sp_text_append(&runs, "f%d\tmain\t%c_gd\t-\ttight\t%s\t%d\t%d\tok\t-\t0.5\t%.17g\tNaN\t1\t%s\n",
                                   run, 'a' + label,
                                   label == 2 ? "-"
                                   : budget   ? "2"
                                              : "0.5",
                                   100 << 2 * k, r,
                                   (1 + label + 8 * budget) * (r % 2 ? 1.01 : 0.99) *
                                       pow(100 << 2 * k, budget ? -0.5 : -0.25),
                                   label == 2 ? "no" : "yes");
    tables_write(folder, runs.data);
    sp_text_free(&runs);
    char *table = drawn(&plan, "facet"), *words = words_of(table, 1), *row;
    CHECK_CONTAINS(table, "across\t2\npanels\t2\ncurves\t3\nguides\t0\n");
    CHECK_TEXT(words, "c\\\\_gd\nb\\\\_gd\na\\\\_gd\nc\\\\_gd\nb\\\\_gd\n"); /* from the highest down */
    CHECK_EQUAL(count_of(table, "\t2\t{/:Italic \u03b5}" SP_SPACE "=" SP_SPACE "0.5\n"), 1);
    CHECK_EQUAL(count_of(table, "\t2\t{/:Italic \u03b5}" SP_SPACE "=" SP_SPACE "2\n"), 1);
    CHECK_EQUAL(count_of(table, "\t2\t{/:Italic n}^{\u22120.25}"), 4); /* a fit a panel */
    CHECK_EQUAL(count_of(table, "\t2\t{/:Italic n}^{\u22120.50}"), 1);
    double first[3], second[3];
    panel_axis(table, 0, first);
    panel_axis(table, 1, second);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(first[k], second[k], 0); /* one axis */
    for (size_t panel = 0; panel < 2; panel++) {
        double x, y;
        row = block_row(table, 4 + 3 * panel + 1, 1);
        CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &y), 2);
        CHECK_NEAR(y, (panel ? 10 : 2) * pow(100, panel ? -0.5 : -0.25) * (1.0 - 0.002), 1e-9);
        free(row);
    }
    free(words);
    free(table);
    const sp_plan claimed = plan_of(&figure, 1, &claim, 1); /* a claim is about the cells of one panel */
    table = drawn(&claimed, "facet");
    CHECK_CONTAINS(table, "\ncurves\t2\nguides\t2\n"); /* c_gd is what runs without noise */
    CHECK_EQUAL(count_of(table, "\t2\ttheory" SP_SPACE "{/:Italic n}^{\u22121/2}"), 1);
    for (size_t panel = 0; panel < 2; panel++) {
        row = block_row(table, 4 + 4 * panel + 2, 1);
        CHECK_EQUAL(strncmp(row, "NaN", 3) == 0, panel == 0);
        free(row);
    }
    free(table);
}

/* Narrow figures have their words below the panels, each with a sample of its line; a size is kept. */
static void test_size(void)
{
    sp_figure figure = { .sweep = T("main"), .name = T("size"), .kind = T("rate"), .x = T("n"),
                         .y = { T("grad_norm") }, .panels = 1, .width = 84.0 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    sp_error error = { 0 };
    double x, y;
    write_runs("");
    char *table = drawn(&plan, "size"), *row = block_row(table, 6, 1), *svg = contents("plots/size.svg");
    const double scale = number_of(table, "scale"), width = number_of(table, "width");
    CHECK_NEAR(width * scale, 84.0 / 25.4 * 96.0, 0.5);
    CHECK_NEAR(13.5 * 0.75 * scale, 8.0, 1e-3); /* points */
    CHECK_CONTAINS(svg, "width=\"317\"");
    CHECK_NEAR(number_of(table, "keyed"), 1, 0);
    CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &y), 2); /* of a_gd, whose label is next to it */
    char *words = sp_format("%.1f\t%.1f\t%u\t1\ta\\\\_gd\n", x + 34.0, y, 8355711u);
    CHECK_CONTAINS(strstr(table, "\tsize\ttext"), strchr(strchr(words, '\t') + 1, '\t') + 1 + strlen("8355711"));
    double panel[4];
    char *frame = block_row(table, 1, 1);
    CHECK_EQUAL(sscanf(frame, "%lf %lf %lf %lf", &panel[0], &panel[1], &panel[2], &panel[3]), 4);
    CHECK(panel[0] + panel[2] <= width && y > panel[1] + panel[3]);
    free(frame);
    free(words);
    free(row);
    free(svg);
    free(table);

    figure.width = 200.0; /* room for the words beside the panel; as high as it is told to be */
    figure.height = 80.0;
    table = drawn(&plan, "size");
    CHECK(isnan(number_of(table, "keyed")));
    CHECK_NEAR(number_of(table, "height") * scale, 80.0 / 25.4 * 96.0, 0.5);
    free(table);
    figure.height = 30.0;
    CHECK_EQUAL(plot(&plan, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "figure size: size.height = 30: with its words and 1 rows of panels it needs ");
}

static void test_formats(void)
{
    sp_figure figure = { .sweep = T("main"),
                         .name = T("files"),
                         .kind = T("rate"),
                         .x = T("n"),
                         .y = { T("grad_norm") },
                         .panels = 1,
                         .formats = SP_FORMAT_SVG | SP_FORMAT_PDF | SP_FORMAT_PNG };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    static const struct { const char *file, *begins; } files[] = { { "plots/files.svg", "<?xml" },
                                                                   { "plots/files.pdf", "%PDF-" },
                                                                   { "plots/files.png", "\x89PNG\r\n" } };
    sp_error error = { 0 };
    write_runs("");
    char *table = drawn(&plan, "files"), *before[3];
    for (size_t i = 0; i < 3; i++) {
        before[i] = contents(files[i].file);
        CHECK_EQUAL(strncmp(before[i], files[i].begins, strlen(files[i].begins)), 0);
        CHECK_CONTAINS(reported, files[i].file);
    }
    const unsigned char *png = (const unsigned char *)before[2];
    /* 300 dots per inch */
    CHECK_EQUAL((unsigned)png[18] << 8 | png[19], (unsigned)(number_of(table, "width") * 3.125));
    sleep(1); /* the date in a PDF would differ */
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    char *again = contents("plots/files.pdf");
    if (memmem(before[1], 1 << 20, "/ObjStm", 7)) /* cairo 1.18 packs objects, and the date with them */
        puts("PDF with packed objects: its bytes are not compared");
    else
        CHECK_EQUAL(memcmp(before[1], again, 1 << 20), 0);
    free(again);
    for (size_t i = 0; i < 3; i++)
        free(before[i]);
    free(table);

    /* a gnuplot without the terminal: what it can draw is drawn, and the rest said */
    char *path = sp_copy_text(getenv("PATH")), *real = sp_format("%s:%s", in_folder("bin"), path);
    CHECK_EQUAL(mkdir(in_folder("bin"), 0755), 0);
    char *fake = sp_format("#!/bin/sh\nPATH=%s\ncase $2$3 in *pdfcairo*) exit 18 ;; esac\nexec gnuplot \"$@\"\n", path);
    write_text("bin/gnuplot", fake);
    chmod(in_folder("bin/gnuplot"), 0755);
    for (size_t i = 0; i < 3; i++)
        unlink(in_folder(files[i].file));
    setenv("PATH", real, 1);
    CHECK_EQUAL(plot(&plan, &error), SP_EABSENT);
    setenv("PATH", path, 1);
    CHECK_CONTAINS(error.text, "plots/files.pdf: this gnuplot has no terminal pdfcairo");
    CHECK(is_there("plots/files.svg") && !is_there("plots/files.pdf") && is_there("plots/files.png"));
    free(path);
    free(real);
    free(fake);
}

/* All calls of the oracle on one axis; seconds from their own table, into files of their own. */
static void test_counters(void)
{
    sp_axis_value where[] = { { T("n"), T("400"), NULL }, { T("label"), T("b_gd"), NULL } };
    sp_figure figure = { .sweep = T("main"), .name = T("spent"), .kind = T("trajectory"), .y = { T("grad_norm") },
                         .panels = 1, .where = where, .wheres = 2 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    sp_text trace = { 0 }, timing = { 0 };
    sp_error error = { 0 };
    double x, y;
    sp_text_append(&trace, "run\tsweep\tstep\tgradients\tdifferences\thessians\tlosses\tgrad_norm\n");
    sp_text_append(&timing, "run\tsweep\tstep\tseconds\n");
    for (int r = 0; r < 3; r++) {
        sp_text_append(&timing, "b%d\tmain\t-\t99\n", 12 + r);
        for (int step = 0; step < 3; step++) {
            sp_text_append(&trace, "b%d\tmain\t%d\t%d\t%d\t%d\t%d\t%g\n", 12 + r, step, 400 * step, 30 * step, 5 * step,
                           2 * step, 1.0 / (1.0 + step));
            sp_text_append(&timing, "b%d\tmain\t%d\t%g\n", 12 + r, step, 0.25 * step + 0.03 * r * (step > 0));
        }
    }
    write_runs("");
    write_text("traces.tsv", trace.data);
    char *table = drawn(&plan, "spent"), *row = block_row(table, 4, 2), *words = words_of(table, 3);
    CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &y), 2);
    CHECK_NEAR(x, 2 * (400 + 2 * 30 + 5 + 2), 1e-12);
    CHECK_TEXT(words, "oracle calls (records \u00d7 points)\n");
    free(words);
    free(row);
    free(table);

    figure.x = T("seconds");
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_CONTAINS(reported, "figure spent is not drawn: there is no ");
    CHECK_CONTAINS(reported, "/timings.tsv (`stillpoint run` makes it)");
    write_text("timings.tsv", timing.data);
    table = drawn(&plan, "spent.timings");
    row = block_row(table, 4, 2);
    CHECK_EQUAL(sscanf(row, "%lf %lf", &x, &y), 2);
    CHECK_NEAR(x, 0.5 + 0.03, 1e-12);
    CHECK(is_there("plots/spent.timings.svg"));
    free(row);
    free(table);
    char *other = replaced(timing.data, "b13\tmain\t1", "b15\tmain\t1");
    write_text("timings.tsv", other);
    CHECK_EQUAL(plot(&plan, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "timings.tsv: line 8: traces.tsv is of other runs");
    free(other);
    other = replaced(timing.data, "b14\tmain\t2\t0.56\n", "");
    write_text("timings.tsv", other);
    CHECK_EQUAL(plot(&plan, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "timings.tsv: 8 of the 9 checkpoints in traces.tsv");
    free(other);
    unlink(in_folder("timings.tsv"));
    unlink(in_folder("traces.tsv"));
    sp_text_free(&trace);
    sp_text_free(&timing);
}

/* A style of the user's is loaded; its name is a file's whatever it holds. */
static void test_style(void)
{
    sp_figure figure = { .sweep = T("main"), .name = T("mine"), .kind = T("rate"), .x = T("n"), .y = { T("grad_norm") },
                         .panels = 1 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    sp_error error = { 0 };
    char here[512], *table, *svg;
    write_runs("");
    CHECK(getcwd(here, sizeof here) != NULL);
    CHECK_EQUAL(chdir(folder), 0);
    static const char *const names[] = { "mine.gp", "| touch owned; #.gp", "<touch owned.gp",
                                         "a'b\"`touch owned`$(touch owned).gp" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_text(names[i], "colours = '3355443 16711680'\nface = 'Liberation Sans'\n");
        const sp_status status = sp_plot(&plan, folder, &(sp_plot_paths){ in_folder("plots"), scripts, names[i] }, NULL,
                                         &error);
        CHECK_EQUAL(status, SP_OK);
        CHECK(!is_there("owned"));
        svg = contents("plots/mine.svg");
        CHECK_CONTAINS(svg, "font-family=\"Liberation Sans\"");
        CHECK_CONTAINS(svg, "rgb(255,   0,   0)");
        free(svg);
        unlink(in_folder(names[i]));
    }
    table = contents("figures/mine.tsv");
    CHECK(!strstr(table, "Liberation")); /* the results do not know it */
    free(table);
    CHECK_EQUAL(chdir(here), 0);
}

static void test_failures(void)
{
    sp_figure figure = { .sweep = T("main"), .name = T("late"), .kind = T("rate"),
                         .x = T("n"), .y = { T("grad_norm") }, .panels = 1 };
    const sp_plan plan = plan_of(&figure, 1, NULL, 0);
    sp_error error = { 0 };
    char *path = sp_copy_text(getenv("PATH")), kept[sizeof scripts];

    tables_write(folder, head); /* nothing succeeded */
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_CONTAINS(reported, "late is not drawn");
    CHECK(!is_there("plots/late.svg"));

    write_runs("");
    setenv("PATH", folder, 1);
    CHECK_EQUAL(plot(&plan, &error), SP_EABSENT);
    CHECK_CONTAINS(error.text, "gnuplot is not installed");
    setenv("PATH", path, 1);
    error.text[0] = '\0';
    CHECK_EQUAL(plot(&plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");

    strcpy(kept, scripts); /* a script that fails: its words in the message, the figure of before stays */
    snprintf(scripts, sizeof scripts, "%s", folder);
    write_text("figure.gp", "set output ARG2\nplot no_such_function(x)\n");
    char *before = contents("plots/late.svg");
    CHECK_EQUAL(plot(&plan, &error), SP_EIO);
    CHECK_CONTAINS(error.text, "no_such_function");
    CHECK_CONTAINS(error.text, "figure.gp");
    char *after = contents("plots/late.svg");
    CHECK(*after && strcmp(before, after) == 0);
    CHECK(!is_there("plots/.late.draft.svg"));
    unlink(in_folder("figure.gp"));
    CHECK_EQUAL(plot(&plan, &error), SP_EIO); /* no script at all */
    CHECK_CONTAINS(error.text, "figure.gp");
    strcpy(scripts, kept);

    figure.panels = 2;
    figure.y[1] = figure.y[0];
    CHECK_EQUAL(plot(&plan, &error), SP_EINVAL);
    figure.panels = 1;
    static const struct { const char *cells, *runs, *message; } bad[] = {
        { "cell\tsweep\tlabel\tseed\tprivate\n1\tmain\ta_gd\t7\tyes\n", "run\tcell\tstatus\n", "no column replicate" },
        { "cell\tsweep\tlabel\tprivate\n", "run\tcell\treplicate\tstatus\tepsilon_spent\n", "no column seed" },
        { "cell\tsweep\tlabel\n", "run\tsweep\tcell\n", "column sweep stands in both tables" },
        { "sweep\tlabel\n", "run\tcell\n", "no column cell" },
        { "cell\tsweep\tlabel\tseed\tprivate\n1\tmain\ta_gd\t7\tyes\n",
          "run\tcell\treplicate\tstatus\tepsilon_spent\na\t2\t0\tok\t1\n", "no row with cell 2" },
        { "cell\tsweep\tlabel\tseed\tprivate\n1\tmain\ta_gd\t7\tyes\n2\tmain\tb_gd\t7\tyes\n",
          "run\tcell\treplicate\tstatus\tepsilon_spent\na\t1\t0\tok\t1\nb\t2\t0\tok\t1\nc\t1\t1\tok\t1\n",
          "line 4: the other runs of its cell stand apart" },
        { "cell\tsweep\tlabel\tseed\tprivate\n1\tmain\ta_gd\t7\tyes\n",
          "run\tcell\treplicate\tstatus\tepsilon_spent\na\t1\t0.5\tok\t1\n",
          "line 2: replicate 0.5 is not a whole number" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text("cells.tsv", bad[i].cells);
        write_text("runs.tsv", bad[i].runs);
        CHECK_EQUAL(plot(&plan, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, "runs.tsv");
        CHECK_CONTAINS(error.text, bad[i].message);
    }
    unlink(in_folder("cells.tsv"));
    CHECK_EQUAL(plot(&plan, &error), SP_EABSENT);
    CHECK_CONTAINS(error.text, "no cells.tsv");
    unlink(in_folder("runs.tsv"));
    CHECK_EQUAL(plot(&plan, &error), SP_EABSENT);
    free(path);
    free(before);
    free(after);
}

static void test_axis(void)
{
    static const struct {
        sp_scale scale;
        double low, high;
        sp_scale settled;
        const char *marks;
        double length;
    } cases[] = {
        { SP_SCALE_AUTOMATIC, 0.31, 0.44, SP_SCALE_LINEAR, "0.32 0.3200000000 0.34 0.3400000000 0.36 0.3600000000 0.38 "
          "0.3800000000 0.4 0.4000000000 0.42 0.4200000000 0.44 0.4400000000" },
        { SP_SCALE_AUTOMATIC, -3e-6, 2e-6, SP_SCALE_LINEAR, "\u22123\u00b710^{\u22126} -3.000000000e-06 "
          "\u22122\u00b710^{\u22126} -2.000000000e-06 \u221210^{\u22126} -1.000000000e-06 0 0.000000000 "
          "10^{\u22126} 1.000000000e-06 2\u00b710^{\u22126} 2.000000000e-06" },
        { SP_SCALE_AUTOMATIC, 1e-13, 1e-3, SP_SCALE_LOGARITHMIC, "10^{\u221212} 1.000000000e-12 "
          "10^{\u221210} 1.000000000e-10 10^{\u22128} 1.000000000e-08 10^{\u22126} 1.000000000e-06 "
          "10^{\u22124} 0.0001000000000" },
        { SP_SCALE_LOGARITHMIC, 2.0, 9.0, SP_SCALE_LOGARITHMIC, "2 2.000000000 3 3.000000000 4 4.000000000 "
          "5 5.000000000 6 6.000000000 7 7.000000000 8 8.000000000 9 9.000000000" },
        { SP_SCALE_LOGARITHMIC, 15000.0, 60000.0, SP_SCALE_LOGARITHMIC, "20000 20000.00000 30000 30000.00000 "
          "40000 40000.00000 - 50000.00000 60000 60000.00000" }, /* "50000" would touch "40000" */
        { SP_SCALE_LINEAR, 0.31, 0.44, SP_SCALE_LINEAR,
          "0.32 0.3200000000 - 0.3400000000 0.36 0.3600000000 - 0.3800000000 "
          "0.4 0.4000000000 - 0.4200000000 0.44 0.4400000000", 150.0 }, /* a short axis: "0.34" would touch */
        { SP_SCALE_LOGARITHMIC, 8.0, 120.0, SP_SCALE_LOGARITHMIC,
          "- 7.000000000 - 8.000000000 - 9.000000000 10 10.00000000 "
          "- 20.00000000 - 30.00000000 - 40.00000000 50 50.00000000 - 60.00000000 - 70.00000000 - 80.00000000 "
          "- 90.00000000 - 100.0000000", 70.0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_text marks = { 0 };
        sp_axis axis = sp_axis_start(cases[i].scale);
        sp_axis_add(&axis, cases[i].low);
        sp_axis_add(&axis, NAN);
        sp_axis_add(&axis, cases[i].high);
        sp_axis_finish(&axis, 0.06);
        CHECK_EQUAL(axis.scale, cases[i].settled);
        CHECK(axis.low < cases[i].low && axis.high > cases[i].high);
        sp_axis_marks(&axis, cases[i].length > 0.0 ? cases[i].length : 320.0, false, &marks);
        CHECK_TEXT(marks.data, cases[i].marks);
        sp_text_free(&marks);
    }
    sp_axis wide = sp_axis_start(SP_SCALE_LOGARITHMIC); /* gnuplot would cut off a longer field: 60 marks */
    sp_text marks = { 0 };
    sp_axis_add(&wide, 1.5e-7);
    sp_axis_add(&wide, 0.15);
    sp_axis_finish(&wide, 0.06);
    sp_axis_marks(&wide, 320.0, false, &marks);
    CHECK(marks.length < 1000);
    CHECK_EQUAL(count_of(marks.data, " ") + 1, 2 * 60);
    CHECK_CONTAINS(marks.data, "10^{\u22127} 1.0e-07 - 2.0e-07 - 3.0e-07 ");
    sp_text_free(&marks);
    static const struct { double value[5]; size_t count; bool geometric; } lists[] = {
        { { 0.1, 0.3, 1, 3 }, 4, true }, { { 1, 2, 5, 10, 20 }, 5, true }, { { 0.6, 0.8, 1 }, 3, false },
        { { 0.2, 0.5, 1, 1.5, 2 }, 5, false }, { { 1, 8 }, 2, false }, { { 0, 1, 10 }, 3, false },
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        CHECK_EQUAL(sp_is_geometric(lists[i].value, lists[i].count), lists[i].geometric);
    sp_axis axis = sp_axis_start(SP_SCALE_LOGARITHMIC); /* what has no logarithm is not shown */
    sp_axis_add(&axis, -2.0);
    sp_axis_add(&axis, 3.0);
    sp_axis_finish(&axis, 0.06);
    CHECK(axis.low > 0.0 && axis.low < 3.0 && axis.high > 3.0);
    CHECK_NEAR(sp_axis_share(&axis, 3.0), 0.5, 1e-12); /* in the middle of its logarithms */
    CHECK_NEAR(sp_axis_share(&axis, axis.low), 0.0, 1e-12);
    CHECK_NEAR(sp_axis_share(&axis, axis.high), 1.0, 1e-12);
}

/* Values that differ by rounding alone are one: an axis is never shorter than its marks can be told apart. */
static void test_rounding(void)
{
    static const sp_scale scales[] = { SP_SCALE_LINEAR, SP_SCALE_LOGARITHMIC };
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        sp_axis axis = sp_axis_start(scales[i]);
        sp_text marks = { 0 };
        sp_axis_add(&axis, 100.0);
        sp_axis_add(&axis, nextafter(100.0, INFINITY));
        sp_axis_finish(&axis, 0.05);
        CHECK(axis.low < 95.0 && axis.high > 105.0);
        sp_axis_marks(&axis, 270.0, false, &marks);
        CHECK_CONTAINS(marks.data, "100 100.0000000");
        sp_text_free(&marks);
    }
}

static void test_text(void)
{
    sp_text text = { 0 };
    CHECK_NEAR(sp_text_ems("n = 4\nand what follows"), 0.63 + 0.32 + 0.84 + 0.32 + 0.64, 1e-12);
    CHECK_NEAR(sp_text_ems("{/:Italic n}^{42}"), 0.63 + 0.8 * 1.28, 1e-12);
    CHECK_NEAR(sp_text_ems("a\\\\_b" SP_SPACE), 0.61 + 0.5 + 0.63 + 0.35, 1e-12);
    CHECK_EQUAL(sp_text_line("one two", 9.0), 7);
    CHECK_EQUAL(sp_text_line("one two", 3.0), 3);
    CHECK_EQUAL(sp_text_line("unbroken two", 1.0), 8);
    static const struct { double value; const char *text; } magnitudes[] = {
        { 7.0, "7" }, { 0.00712, "0.0071" }, { 8.4e-17, "8.4\u00b710^{\u221217}" }, { 12345.0, "1.2\u00b710^{4}" },
        { 0.0, "0" }, { -1e-6, "-1\u00b710^{\u22126}" }, { 9.9e5, "9.9\u00b710^{5}" }, { 1.02e-9, "10^{\u22129}" },
    };
    for (size_t i = 0; i < sizeof magnitudes / sizeof *magnitudes; i++) {
        sp_append_magnitude(&text, magnitudes[i].value, 2);
        CHECK_TEXT(text.data, magnitudes[i].text);
        text.length = 0;
    }
    sp_append_unit(&text, "F - F*");
    CHECK_TEXT(text.data, "{/:Italic F}({/:Italic w})" SP_SPACE "\u2212" SP_SPACE "{/:Italic F}*");
    text.length = 0;
    sp_append_unit(&text, "my_unit");
    CHECK_TEXT(text.data, "my\\\\_unit");
    sp_text_free(&text);
}

int main(void)
{
    snprintf(scripts, sizeof scripts, "%s/plots", getenv("SOURCE") ? getenv("SOURCE") : ".");
    if (!mkdtemp(folder))
        return 1;
    test_axis();
    test_rounding();
    test_text();
    test_summary_with_quantile();
    test_summary_and_fits();
    test_rate();
    test_neighbours();
    test_claim();
    test_residual();
    test_words();
    test_trade_off();
    test_references();
    test_far_curves();
    test_family();
    test_trajectory();
    test_hand_over();
    test_free_choice();
    test_edges();
    test_methods();
    test_axes_asked_for();
    test_facet();
    test_size();
    test_formats();
    test_counters();
    test_style();
    test_failures();
    char *command = sp_format("rm -r %s", folder);
    CHECK_EQUAL(system(command), 0);
    free(command);
    return sp_check_done();
}
