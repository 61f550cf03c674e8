/* settings.c -- how an experiment was set in the report: its problems and budgets, its methods with their parameters, and
 * what their ledgers and audits say. */
#include "core/report/report_internal.h"

#include "core/base/memory.h"
#include "core/stats/audited.h"
#include "core/report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_MAX = 5 }; /* values of a parameter, then "..." and the last one */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Cells of one text in each of two columns, or in the first alone. */
typedef struct group {
    const sp_table *t; /* cells.tsv */
    size_t column[2];  /* t->columns: none */
    size_t *row, rows; /* its rows; room for all */
} group;

static bool same(const group *g, size_t a, size_t b)
{
    for (size_t k = 0; k < 2; k++)
        if (g->column[k] < g->t->columns &&
            strcmp(sp_table_text(g->t, a, g->column[k]), sp_table_text(g->t, b, g->column[k])) != 0)
            return false;
    return true;
}

/* The group of a row, if this is its first one. */
static bool open_group(group *g, size_t first)
{
    for (size_t before = 0; before < first; before++)
        if (same(g, first, before))
            return false;
    g->rows = 0;
    for (size_t row = first; row < g->t->rows; row++)
        if (same(g, first, row))
            g->row[g->rows++] = row;
    return true;
}

/* "eta = 0.1, 0.2": the values that a column has in the group, in their order; nothing where it has none. How many values. */
static size_t add_values(const group *g, size_t column, const char *name, const char *between, sp_text *out)
{
    size_t found = 0, last = 0;
    for (size_t i = 0; i < g->rows; i++) {
        bool old = sp_table_empty(g->t, g->row[i], column);
        for (size_t k = 0; k < i && !old; k++)
            old = strcmp(sp_table_text(g->t, g->row[i], column), sp_table_text(g->t, g->row[k], column)) == 0;
        if (old)
            continue;
        if (found == 0) {
            sp_text_add_text(out, between);
            sp_html_text(out, name);
            sp_text_add_text(out, " = ");
        }
        if (found < SHOWN_MAX) {
            sp_text_add_text(out, found > 0 ? ", " : "");
            sp_report_value(out, sp_table_text(g->t, g->row[i], column));
        }
        found++;
        last = g->row[i];
    }
    if (found > SHOWN_MAX) {
        sp_text_add_text(out, found > SHOWN_MAX + 1 ? ", ..., " : ", ");
        sp_report_value(out, sp_table_text(g->t, last, column));
        if (found > SHOWN_MAX + 1)
            sp_text_append(out, " (%zu values)", found);
    }
    return found;
}

/* All columns with this prefix, which is left out. */
static void cell_values(const group *g, const char *prefix, sp_text *out)
{
    bool said = false;
    sp_text_add_text(out, "<td class=\"long\">");
    for (size_t c = 0; c < g->t->columns; c++)
        if (begins(g->t->column[c], prefix) &&
            add_values(g, c, g->t->column[c] + strlen(prefix), said ? "; " : "", out) > 0)
            said = true;
    sp_text_add_text(out, "</td>");
}

static void problems(const sp_report_experiment *e, size_t *room, sp_text *out)
{
    static const char *const columns[] = { "sweep", "problem", "privacy" };
    const sp_table *t = &e->runs.cells;
    group g = { t, { sp_table_column(t, "sweep"), t->columns }, room, 0 };
    sp_html_table_begin(out, NULL, "Problems and budgets, a row a sweep", columns, sizeof columns / sizeof *columns);
    for (size_t row = 0; row < t->rows; row++) {
        if (!open_group(&g, row))
            continue;
        sp_text_add_text(out, "<tr>");
        sp_report_cell(out, g.column[0] < t->columns ? sp_table_text(t, row, g.column[0]) : "");
        cell_values(&g, "problem.", out);
        cell_values(&g, "privacy.", out);
        sp_text_add_text(out, "</tr>\n");
    }
    sp_html_table_end(out);
}

/* --- what was spent ----------------------------------------------------------------------------------------------- */

typedef struct range {
    double low, high;
} range;

static void widen(range *r, double value)
{
    if (isnan(value))
        return;
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

static void cell_range(const range *r, sp_text *out)
{
    sp_report_sorted(out, "<td", isfinite(r->high) ? r->high : NAN);
    if (isfinite(r->high) && r->low < r->high)
        sp_text_append(out, "%.3g to %.3g", r->low, r->high);
    else if (isfinite(r->high))
        sp_text_append(out, "%.3g", r->high);
    sp_text_add_text(out, "</td>");
}

/* The theorems by which the runs of a group have their epsilon, each once: "gauss, pld". */
static void cell_bounds(const sp_report_experiment *e, const group *g, sp_text *out)
{
    enum { BOUNDS_MAX = 8 };
    const sp_table *t = &e->runs.table;
    const size_t column = sp_table_column(t, "bound");
    const char *seen[BOUNDS_MAX];
    size_t count = 0;
    sp_text_add_text(out, "<td>");
    for (size_t row = 0; row < t->rows && column < t->columns; row++) {
        if (sp_table_empty(t, row, column) || !same(g, g->row[0], e->runs.cell[row]))
            continue;
        size_t k = 0;
        while (k < count && strcmp(seen[k], sp_table_text(t, row, column)) != 0)
            k++;
        if (k < count || count == BOUNDS_MAX)
            continue;
        seen[count] = sp_table_text(t, row, column);
        sp_text_add_text(out, count > 0 ? ", " : "");
        sp_html_text(out, seen[count++]);
    }
    sp_text_add_text(out, "</td>");
}

/* Runs, failed ones, the largest share of its epsilon that a run spent, by which theorem, releases and oracle calls of a run. */
static void cells_of_ledger(const sp_report_experiment *e, const group *g, sp_text *out)
{
    const sp_runs *r = &e->runs;
    const sp_table *t = &r->table;
    const size_t asked = sp_runs_column(r, "epsilon"), released = sp_table_column(t, "releases");
    range spent = { INFINITY, -INFINITY }, releases = spent, calls = spent;
    size_t runs = 0, failed = 0;
    for (size_t row = 0; row < t->rows; row++) {
        if (!same(g, g->row[0], r->cell[row]))
            continue;
        runs++;
        failed += !sp_runs_succeeded(r, row);
        const double given = asked < t->columns ? sp_table_number(t, row, asked) : NAN,
                     used = sp_table_number(t, row, r->epsilon_spent);
        widen(&spent, given > 0.0 && isfinite(used) ? used / given : NAN);
        widen(&releases, released < t->columns ? sp_table_number(t, row, released) : NAN);
        widen(&calls, sp_oracle_calls(t, row));
    }
    sp_text_append(out, "<td>%zu</td><td>%zu</td>", runs, failed);
    sp_report_sorted(out, "<td", isfinite(spent.high) ? spent.high : NAN);
    if (isfinite(spent.high))
        sp_text_append(out, "%.6g", spent.high);
    sp_text_add_text(out, "</td>");
    cell_bounds(e, g, out);
    cell_range(&releases, out);
    cell_range(&calls, out);
}

static void cell_audit(const sp_report_experiment *e, const char *label, sp_text *out)
{
    const char *finding = NULL, *word = sp_label_audited(&e->runs, NULL, label, &finding);
    sp_text_add_text(out, strcmp(word, "failed") == 0 ? "<td class=\"failed\">" : "<td>");
    if (strcmp(word, SP_AUDITED_NONE) != 0)
        sp_html_text(out, word);
    if (finding && *finding) {
        sp_text_add_text(out, ": ");
        sp_html_text(out, finding);
    }
    sp_text_add_text(out, "</td>");
}

static void methods(const sp_report_experiment *e, size_t *room, sp_text *out)
{
    static const char *const columns[] = { "method", "algorithm", "parameters", "runs", "failed", "most spent, of epsilon",
                                           "by bound", "releases a run", "oracle calls a run", "audited" };
    const sp_table *t = &e->runs.cells;
    const bool audits = sp_runs_have_audits(&e->runs);
    const size_t count = sizeof columns / sizeof *columns - !audits;
    group g = { t, { sp_table_column(t, "label"), sp_table_column(t, "algorithm") }, room, 0 };
    sp_html_table_begin(out, NULL, "Methods over all sweeps: parameters that were set, and what their ledgers say", columns,
                        count);
    for (size_t row = 0; row < t->rows; row++) {
        if (!open_group(&g, row))
            continue;
        sp_text_add_text(out, "<tr>");
        for (size_t k = 0; k < 2; k++)
            sp_report_cell(out, g.column[k] < t->columns ? sp_table_text(t, row, g.column[k]) : "");
        cell_values(&g, "algorithm.", out);
        cells_of_ledger(e, &g, out);
        if (audits)
            cell_audit(e, sp_table_text(t, row, g.column[0]), out);
        sp_text_add_text(out, "</tr>\n");
    }
    sp_html_table_end(out);
}

sp_status sp_report_settings(const sp_report_experiment *e, sp_text *out, sp_error *error)
{
    size_t *room = sp_alloc(e->runs.cells.rows + 1, sizeof *room);
    if (!room)
        return sp_fail(error, SP_ENOMEM, "out of memory");
    sp_text_add_text(out, "<details><summary>Parameters and ledger: problems, budgets, methods</summary>\n");
    problems(e, room, out);
    methods(e, room, out);
    sp_text_add_text(out, "</details>\n");
    free(room);
    return SP_OK;
}
