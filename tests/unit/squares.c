/* Figures of scores from tables written by hand: where the fields of a square stand, their colours and marks; what a
 * choice of methods leaves as it is; which sizes are refused. end_to_end/score holds every number against another
 * computation. */
#include "core/base/memory.h"
#include "core/figures/figure_data.h"
#include "core/figures/figure_text.h"
#include "tests/check.h"
#include "tests/tables.h"

#include <stdlib.h>
#include <unistd.h>

#define T(text) ((char[]){ text }) /* the plan's strings are not const */

static char folder[] = "/tmp/stillpoint-squares-XXXXXX";
static const char head[] =
    "run\tsweep\tlabel\tprivacy.calibration\tprivacy.epsilon\treplicate\tstatus\ty\tgradients\tepsilon_spent\tprivate\t"
    "start.y\n";
static const sp_measure measure = { .name = "y", .unit = "F - F*", .lower_is_better = true };
static sp_runs runs;

static void add(sp_text *rows, int problem, const char *label, double y)
{
    static int run;
    sp_text_append(rows, "r%d\tp%d\t%s\t%s\t0.5\t0\tok\t%.17g\t100\t0.5\tyes\t8\n", run++, problem, label,
                   label[0] < 'c' ? "paper" : "tight", y);
}

/* Eight problems: b leaves about ten times what a leaves, d within 1 %, now below, now above; c is on the first alone,
 * where it leaves 1.5. Mean ranks: d (1/3 + 3/2) / 8, a 2/8, c 2/3, b 1. `problems` of them. */
static void open_runs(int problems)
{
    sp_text rows = { 0 };
    sp_text_append(&rows, "%s", head);
    for (int p = 0; p < problems; p++) {
        add(&rows, p, "a", 1.0);
        add(&rows, p, "b", p % 2 ? 10.5 : 9.4);
        if (p == 0)
            add(&rows, p, "c", 1.5);
        add(&rows, p, "d", p % 2 ? 0.99 : 1.01);
    }
    tables_write(folder, rows.data);
    CHECK_EQUAL(sp_runs_open(folder, 77, &runs, NULL), SP_OK);
    sp_text_free(&rows);
}

/* The table of a figure, a new string; NULL: there was nothing to draw, or it was refused. */
static char *drawn(sp_figure *figure, sp_status wanted, sp_error *error)
{
    static const sp_algorithm algorithm = { .name = "a_gd" };
    static const sp_method method = { .algorithm = &algorithm };
    static const sp_measure *measures[] = { &measure };
    static char name[] = "by_hand", label[] = "a", sweep[] = "p0";
    sp_cell cell = { .sweep = sweep, .label = label, .method = &method, .measure = measures, .measures = 1 };
    const sp_plan plan = { .name = name, .seed = 77, .cell = &cell, .cells = 1, .figure = figure, .figures = 1 };
    sp_text out = { 0 };
    size_t points = 0;
    CHECK_EQUAL(sp_figure_data(&(sp_evidence){ &plan, &runs, NULL }, figure, &out, &points, error), wanted);
    CHECK((points > 0) == (out.length > 0) || wanted != SP_OK);
    return out.data;
}

/* A field's numbers: x, y, width, height, colour, ink, mark; false: there is none. */
static bool field_of(const char *table, const char *label, const char *base, double out[7])
{
    char *wanted = sp_format("\t%s\t%s\t", label, base);
    const char *at = table ? strstr(table, wanted) : NULL;
    free(wanted);
    if (!at)
        return false;
    while (at > table && at[-1] != '\n')
        at--;
    for (size_t i = 0; i < 7; i++) {
        char *end;
        out[i] = strtod(at, &end);
        at = end;
    }
    return true;
}

static sp_figure square(void)
{
    static char sweep[] = "p0", name[] = "square", kind[] = "dominance", y[] = "y";
    return (sp_figure){ .sweep = sweep, .across = true, .name = name, .kind = kind, .y = { y }, .panels = 1 };
}

static void test_fields(void)
{
    enum { X, Y, WIDTH, HEIGHT, COLOUR, INK, MARK };
    sp_error error = { 0 };
    double ab[7], ba[7], ad[7], other[7];
    sp_figure figure = square();
    open_runs(8);
    char *table = drawn(&figure, SP_OK, &error);
    CHECK(field_of(table, "a", "b", ab) && field_of(table, "b", "a", ba) && field_of(table, "a", "d", ad));
    CHECK(!field_of(table, "a", "c", other) && !field_of(table, "c", "d", other)); /* one problem decides nothing */
    CHECK(!field_of(table, "a", "a", other));
    const double side = ab[WIDTH] + 1.0; /* rows and columns are d, a, c, b */
    CHECK_NEAR(ab[X] - ba[X], 2.0 * side, 0.02);
    CHECK_NEAR(ba[Y] - ab[Y], 2.0 * side, 0.02);
    CHECK_NEAR(ab[Y] - ad[Y], 0.0, 0.0);
    CHECK_NEAR(ab[X] - ad[X], 3.0 * side, 0.02);
    CHECK_NEAR(ab[WIDTH], ab[HEIGHT], 0.0);
    CHECK_EQUAL(ab[COLOUR], 0x2A4A7F); /* 0.1 to 0.2: sqrt(9.4 10.5) is 9.93 */
    CHECK_EQUAL(ba[COLOUR], 0xEAD75A); /* 5 to 10 */
    CHECK_EQUAL(ad[COLOUR], 0x9B9B9B); /* about 1 */
    CHECK(ab[MARK] == 1.0 && ba[MARK] == 1.0 && ad[MARK] == 2.0);
    CHECK(ab[INK] == 0xFFFFFF && ba[INK] == 0.0);
    CHECK_CONTAINS(table, "4 methods, 8 problems, 8 tasks; a single replicate");
    CHECK_CONTAINS(table, "c" SP_SPACE "(1)\n");
    CHECK_CONTAINS(table, "pairs of the 4 methods that share two problems (Holm)");
    CHECK_CONTAINS(table, "\nfields\t4\n");
    CHECK_CONTAINS(table, "paper calibration: spends up to \u03b5 = 0.5: a, b\n");

    char *some[] = { T("b"), T("a") }; /* the same p, and the order of the ranks */
    figure.label = some;
    figure.labels = 2;
    char *two = drawn(&figure, SP_OK, &error);
    CHECK(field_of(two, "a", "b", other) && !field_of(two, "a", "d", ad));
    CHECK(other[Y] < ba[Y] && other[MARK] == 1.0);
    const char *row = table ? strstr(table, "\ta\tb\t8\t") : NULL, *again = two ? strstr(two, "\ta\tb\t8\t") : NULL;
    CHECK(row && again && strncmp(row, again, strcspn(row, "\n")) == 0);
    CHECK_CONTAINS(two, "2 of 4 methods");
    CHECK_CONTAINS(two, "pairs of the 4 methods that share two problems (Holm)");
    free(table);
    free(two);
    sp_runs_close(&runs);

    figure = square();
    open_runs(1);
    table = drawn(&figure, SP_OK, &error); /* no pair at all */
    CHECK(!table);
    free(table);
    sp_runs_close(&runs);
}

static void test_sizes(void)
{
    sp_error error = { 0 };
    sp_figure figure = square();
    open_runs(8);
    figure.width = 15.0;
    free(drawn(&figure, SP_EINVAL, &error));
    CHECK_CONTAINS(error.text, "figure square: size.width = 15: for 4 methods it needs ");
    figure.width = 84.0;
    figure.height = 40.0;
    free(drawn(&figure, SP_EINVAL, &error));
    CHECK_CONTAINS(error.text, "figure square: size.height = 40: with its words it needs ");
    const double needed = strtod(strstr(error.text, "needs ") + strlen("needs "), NULL);
    figure.height = needed;
    char *table = drawn(&figure, SP_OK, &error);
    CHECK_CONTAINS(table, "\nscale\t");
    free(table);
    sp_runs_close(&runs);
}

/* One budget, all alike in calls: a point a method in each of the panels, which have an x each. */
static void test_utility(void)
{
    sp_error error = { 0 };
    sp_figure figure = { .sweep = T("p0"), .across = true, .name = T("price"), .kind = T("utility"),
                         .y = { T("y"), T("y") }, .panels = 2 };
    open_runs(8);
    char *table = drawn(&figure, SP_OK, &error);
    CHECK_CONTAINS(table, "\nx_each\t1\n");
    static const char curve[] = "\nepsilon\ta\tlow\thigh\tline\tcounted\n0.5\t";
    const char *at = table ? strstr(table, curve) : NULL;
    CHECK_NEAR(at ? strtod(at + strlen(curve), NULL) : NAN, 1.0 / 8.0, 1e-14); /* of the start */
    CHECK_CONTAINS(table, "\noracle\\\\_calls\ta\tlow\thigh\tline\tcounted\n");
    CHECK_CONTAINS(table, "c" SP_SPACE "(1)\n");
    free(table);
    sp_runs_close(&runs);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    test_fields();
    test_sizes();
    test_utility();
    char *command = sp_format("rm -r %s", folder);
    CHECK_EQUAL(system(command), 0);
    free(command);
    return sp_check_done();
}
