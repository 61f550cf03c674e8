/* report.c -- see report.h. */
#include "core/figures/report/report.h"

#include "core/base/memory.h"
#include "core/evidence/audited.h"
#include "core/evidence/paper_table.h"
#include "core/evidence/tables.h"
#include "core/figures/report/html.h"
#include "core/figures/report/method.h"
#include "core/plan/registry.h"
#include "measures/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* fits.tsv: a row a claim */
enum { SWEEP, LABEL, Y, X, MODE, SOURCE, ORIGIN, CLAIMED, LOW, MEASURED, HIGH, TAIL, TAIL_LOW, TAIL_HIGH, RIVAL, LOG_LR,
       WORD, REASON, COLUMNS };
static const char *const columns[COLUMNS] = { "sweep", "algorithm", "y", "x", "mode", "source", "origin", "claimed",
                                              "low90", "exponent", "high90", "tail", "tail_low", "tail_high", "rival",
                                              "log_lr", "verdict", "reason" };

typedef struct experiment {
    const sp_reported *of;
    sp_runs runs;
    sp_table fits, provenance; /* empty where there is none */
    sp_claims claims;          /* in the order of fits */
    size_t column[COLUMNS];
} experiment;

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* A table that need not be there. */
static sp_status read_table(const char *results, const char *name, sp_table *out, sp_error *error)
{
    sp_status status = sp_results_table(results, name, out, error);
    if (status == SP_EABSENT) {
        status = SP_OK;
        *error = (sp_error){ 0 };
    }
    return status;
}

static sp_status open_experiment(const sp_reported *of, experiment *e, sp_error *error)
{
    sp_status status = SP_OK;
    e->of = of;
    SP_TRY(sp_runs_open(of->results, of->plan->seed, &e->runs, error));
    SP_TRY(read_table(of->results, "fits.tsv", &e->fits, error));
    SP_TRY(read_table(of->results, "provenance.tsv", &e->provenance, error));
    if (e->fits.columns == 0)
        goto cleanup;
    for (size_t c = 0; c < COLUMNS; c++)
        SP_TRY(sp_need_column(&e->fits, "fits.tsv", columns[c], &e->column[c], error));
    SP_TRY(sp_claims_read(of->results, &e->claims, error));
    if (e->claims.count != e->fits.rows)
        SP_TRY(sp_fail(error, SP_EDATA, "%s: claims.tsv has %zu claims and fits.tsv %zu (`stillpoint plot` writes "
                       "both)", of->results, e->claims.count, e->fits.rows));
cleanup:
    return status;
}

static void close_experiment(experiment *e)
{
    sp_runs_close(&e->runs);
    sp_table_free(&e->fits);
    sp_table_free(&e->provenance);
    sp_claims_free(&e->claims);
}

/* --- verdicts ----------------------------------------------------------------------------------------------------- */

static const char *fit_text(const experiment *e, size_t row, size_t column)
{
    return sp_table_text(&e->fits, row, e->column[column]);
}

static double fit_number(const experiment *e, size_t row, size_t column)
{
    return sp_table_number(&e->fits, row, e->column[column]);
}

/* The begin of a cell that sorts by a number, to seven digits; NAN: by none. */
static void append_sorted(sp_text *out, const char *begin, double value)
{
    sp_text_add_text(out, begin);
    if (isnan(value))
        sp_text_add_text(out, " data-value=\"\">");
    else
        sp_text_append(out, " data-value=\"%.7g\">", value);
}

static void cell_number(sp_text *out, double value)
{
    append_sorted(out, "<td", value);
    if (!isnan(value))
        sp_text_append(out, "%.3f", value);
    sp_text_add_text(out, "</td>");
}

static void cell_text(sp_text *out, const char *text)
{
    sp_text_add_text(out, "<td>");
    sp_html_text(out, text);
    sp_text_add_text(out, "</td>");
}

static void link_to(sp_text *out, const char *kind, const char *name)
{
    sp_text_append(out, "<a href=\"#%s-", kind);
    sp_html_id(out, name);
    sp_text_add_text(out, "\">");
    sp_html_text(out, name);
    sp_text_add_text(out, "</a>");
}

/* "0.602 [0.558, 0.646] at the end": of a bound it is the end of the curve that is judged. */
static void cell_measured(const experiment *e, size_t row, sp_text *out)
{
    const bool end = strcmp(fit_text(e, row, MODE), "bound") == 0;
    const double at = fit_number(e, row, end ? TAIL : MEASURED), low = fit_number(e, row, end ? TAIL_LOW : LOW),
                 high = fit_number(e, row, end ? TAIL_HIGH : HIGH);
    append_sorted(out, "<td", at);
    if (!isnan(at))
        sp_text_append(out, "%.3f [%.3f, %.3f]%s", at, low, high, end ? " at the end" : "");
    sp_text_add_text(out, "</td>");
}

static void cell_word(const experiment *e, size_t row, sp_text *out)
{
    const char *word = fit_text(e, row, WORD);
    sp_text_append(out, "<td class=\"%s\">", word);
    for (; *word; word++) {
        const char small = *word == '_' ? ' ' : (char)(*word >= 'A' && *word <= 'Z' ? *word - 'A' + 'a' : *word);
        sp_text_add(out, &small, 1);
    }
    sp_text_add_text(out, "</td>");
}

/* "grad_norm / steps^1 against n", with what y is divided by first. */
static void cell_claim(const experiment *e, size_t row, sp_text *out)
{
    const sp_claim *c = &e->claims.claim[row];
    char digits[SP_NUMBER_SIZE];
    double power;
    sp_text_add_text(out, "<td>");
    sp_html_text(out, fit_text(e, row, Y));
    if (c->log != 0.0) {
        sp_text_append(out, " / log^%s ", sp_number(c->log, digits));
        sp_html_text(out, fit_text(e, row, X));
    }
    for (size_t i = 0; i < c->pers; i++) {
        sp_text_add_text(out, " / ");
        sp_html_text(out, c->per[i].key);
        if (!sp_read_number(c->per[i].value, &power) || power != 1.0) {
            sp_text_add_text(out, "^");
            if (sp_read_number(c->per[i].value, &power))
                sp_text_append(out, "%.3g", power);
            else
                sp_html_text(out, c->per[i].value);
        }
    }
    sp_text_add_text(out, " against ");
    sp_html_text(out, fit_text(e, row, X));
    sp_text_add_text(out, "</td>");
}

static void cell_long(const experiment *e, size_t row, size_t column, sp_text *out)
{
    const bool empty = sp_table_empty(&e->fits, row, e->column[column]);
    sp_text_add_text(out, empty ? "<td>" : "<td class=\"long\">");
    sp_html_text(out, empty ? "" : fit_text(e, row, column));
    sp_text_add_text(out, "</td>");
}

static void verdict_row(const experiment *e, size_t row, bool with_name, sp_text *out)
{
    sp_text_add_text(out, "<tr>");
    if (with_name) {
        sp_text_add_text(out, "<td>");
        link_to(out, "experiment", e->of->plan->name);
        sp_text_add_text(out, "</td>");
    }
    cell_text(out, fit_text(e, row, SWEEP));
    cell_text(out, fit_text(e, row, LABEL));
    cell_claim(e, row, out);
    cell_number(out, fit_number(e, row, CLAIMED));
    cell_measured(e, row, out);
    const bool excluded = fit_number(e, row, LOG_LR) >= log(20.0);
    if (excluded)
        cell_number(out, fit_number(e, row, RIVAL));
    else
        cell_text(out, "");
    cell_word(e, row, out);
    cell_long(e, row, REASON, out);
    cell_text(out, fit_text(e, row, MODE));
    cell_text(out, fit_text(e, row, ORIGIN));
    cell_long(e, row, SOURCE, out);
    sp_text_add_text(out, "</tr>\n");
}

static const char *const verdict_columns[] = { "experiment", "sweep", "method", "claim", "exponent claimed",
                                               "measured, 90 %", "excluded", "verdict", "why", "mode", "origin",
                                               "source" };
enum { VERDICT_COLUMNS = sizeof verdict_columns / sizeof *verdict_columns };

static void all_verdicts(const experiment *e, size_t count, const char *manual, sp_text *out)
{
    size_t claims = 0, theorems = 0, agree = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t row = 0; row < e[i].fits.rows; row++) {
            const bool theorem = strcmp(fit_text(&e[i], row, ORIGIN), "theorem") == 0;
            claims++;
            theorems += theorem;
            agree += theorem && strcmp(fit_text(&e[i], row, WORD), "AGREES") == 0;
        }
    sp_text_add_text(out, "<section aria-labelledby=\"verdicts\">\n<h2 id=\"verdicts\">Verdicts</h2>\n");
    sp_text_append(out, "<p>%zu claims; of the %zu that are theorems', %zu agree. A claim agrees when the 90 %% "
                        "interval of the measured exponent is within the tolerance of the claimed one, its rival is "
                        "excluded and its control does not show it; <em>not resolved</em> means that the runs cannot tell, and "
                        "why.", claims, theorems, agree);
    if (manual) {
        sp_text_add_text(out, " More in ");
        sp_report_link(manual, "read_a_verdict.html", "How to read a verdict", out);
        sp_text_add_text(out, ".");
    }
    sp_text_add_text(out, "</p>\n");
    sp_text_add_text(out, "<label>Show rows with <input type=\"search\" data-table=\"claims\" "
                          "placeholder=\"words, such as: warm_start agrees\"/></label>\n");
    sp_html_table_begin(out, "claims", "A row a claim; a column's head sorts by it", verdict_columns, VERDICT_COLUMNS);
    for (size_t i = 0; i < count; i++)
        for (size_t row = 0; row < e[i].fits.rows; row++)
            verdict_row(&e[i], row, true, out);
    sp_html_table_end(out);
    sp_text_add_text(out, "</section>\n");
}

/* --- an experiment ------------------------------------------------------------------------------------------------ */

static void paragraph(sp_text *out, const char *before, const char *text)
{
    if (!text || !*text)
        return;
    sp_text_append(out, "<p>%s", before);
    sp_html_text(out, text);
    sp_text_add_text(out, "</p>\n");
}

static sp_status figures_of(const experiment *e, void (*say)(const char *line), sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *svg = NULL, *table = NULL;
    for (size_t i = 0; i < e->of->plan->figures; i++) {
        const sp_figure *f = &e->of->plan->figure[i];
        const size_t mark = out->length;
        svg = sp_format("%s/%s.svg", e->of->plots, f->name);
        table = sp_format("%s/figures/%s.tsv", e->of->results, f->name);
        if (!svg || !table)
            SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
        sp_text_add_text(out, "<figure>\n");
        status = sp_html_figure(svg, table, f->title ? f->title : f->name, out, error);
        if (status == SP_EABSENT) {
            char line[1100];
            status = SP_OK;
            snprintf(line, sizeof line, "left out: %s", error->text);
            *error = (sp_error){ 0 };
            if (say)
                say(line);
            out->length = mark;
            if (out->data)
                out->data[mark] = '\0';
        } else {
            SP_TRY(status);
            sp_text_add_text(out, "</figure>\n");
        }
        free(svg);
        free(table);
        svg = table = NULL;
    }
cleanup:
    free(svg);
    free(table);
    return status;
}

static void measured_cell(const sp_paper_cell *c, sp_text *out)
{
    const double value = c->mean.estimate;
    append_sorted(out, c->best ? "<td class=\"best\"" : "<td", c->there ? value : NAN);
    if (c->there && !isnan(value)) {
        sp_text_append(out, "%.3g", value);
        if (!isnan(c->mean.low))
            sp_text_append(out, " [%.3g, %.3g]", c->mean.low, c->mean.high);
        if (c->best)
            sp_text_add_text(out, " *");
    }
    if (c->there && c->failed > 0)
        sp_text_append(out, " <span class=\"failed\">%zu failed</span>", c->failed);
    sp_text_add_text(out, "</td>");
}

/* One measure of one sweep: rows [begin, end). */
static sp_status measured_table(const experiment *e, size_t begin, size_t end, const sp_measure *m, size_t y,
                                sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_paper_table t = { 0 };
    const char **head = NULL;
    SP_TRY(sp_paper_table_make(&e->runs, begin, end, y, m->lower_is_better, &t, error));
    if (t.points == 0 || t.methods == 0)
        goto cleanup;
    if (!(head = sp_alloc(t.axes + t.methods, sizeof *head)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    for (size_t c = 0; c < t.axes + t.methods; c++)
        head[c] = c < t.axes ? t.axis[c] : t.method[c - t.axes];
    char caption[512];
    snprintf(caption, sizeof caption, "%s, sweep %s: mean and 95 %% interval; * best%s (%s is better)", m->name,
             sp_table_text(&e->runs.table, begin, e->runs.sweep), t.private_only ? " of the private" : "",
             m->lower_is_better ? "lower" : "higher");
    sp_html_table_begin(out, NULL, caption, head, t.axes + t.methods);
    for (size_t p = 0; p < t.points; p++) {
        sp_text_add_text(out, "<tr>");
        for (size_t k = 0; k < t.axes; k++)
            cell_text(out, t.at[p * t.axes + k]);
        for (size_t k = 0; k < t.methods; k++)
            measured_cell(&t.cell[p * t.methods + k], out);
        sp_text_add_text(out, "</tr>\n");
    }
    sp_html_table_end(out);
cleanup:
    free(head);
    sp_paper_table_free(&t);
    return status;
}

static sp_status tables_of(const experiment *e, sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &e->runs.table;
    sp_text_add_text(out, "<details><summary>Tables: every measure at every point</summary>\n");
    for (size_t begin = 0, end; begin < t->rows; begin = end) {
        for (end = begin; end < t->rows && strcmp(sp_table_text(t, end, e->runs.sweep),
                                                  sp_table_text(t, begin, e->runs.sweep)) == 0;)
            end++;
        for (size_t c = 0; c < t->columns; c++) {
            const sp_measure *m = e->runs.measure[c] ? sp_measure_find(t->column[c]) : NULL;
            if (m)
                SP_TRY(measured_table(e, begin, end, m, c, out, error));
        }
    }
    sp_text_add_text(out, "</details>\n");
cleanup:
    return status;
}

static void claims_of(const experiment *e, sp_text *out)
{
    if (e->fits.rows == 0)
        return;
    sp_html_table_begin(out, NULL, "Its claims", verdict_columns + 1, VERDICT_COLUMNS - 1);
    for (size_t row = 0; row < e->fits.rows; row++)
        verdict_row(e, row, false, out);
    sp_html_table_end(out);
}

/* The largest epsilon that a run spent of what it was given, and how many runs there are. */
static void spent(const experiment *e, sp_text *out)
{
    const sp_runs *r = &e->runs;
    size_t failed = 0, private_runs = 0;
    double most = 0.0;
    const size_t asked = sp_runs_column(r, "epsilon");
    for (size_t row = 0; row < r->table.rows; row++) {
        failed += !sp_runs_succeeded(r, row);
        const double given = asked < r->table.columns ? sp_table_number(&r->table, row, asked) : NAN,
                     used = sp_table_number(&r->table, row, r->epsilon_spent);
        if (!(given > 0.0 && isfinite(used)))
            continue;
        private_runs++;
        most = fmax(most, used / given);
    }
    sp_text_append(out, "<dt>Runs</dt><dd>%zu, %zu failed</dd>\n", r->table.rows, failed);
    if (private_runs > 0)
        sp_text_append(out, "<dt>Privacy</dt><dd>%zu runs with a budget; the costliest spent %.6g of its "
                            "epsilon</dd>\n", private_runs, most);
}

static void audits_of(const experiment *e, sp_text *out)
{
    const sp_table *a = &e->runs.audits;
    const size_t result = sp_table_column(a, "audited");
    sp_text_add_text(out, "<dt>Audit</dt><dd>");
    if (a->rows == 0) {
        sp_text_add_text(out, "none is written down</dd>\n");
        return;
    }
    size_t failed = 0;
    for (size_t row = 0; row < a->rows && result < a->columns; row++)
        failed += strcmp(sp_table_text(a, row, result), "failed") == 0;
    sp_text_append(out, "%zu methods, %zu failed</dd>\n", a->rows, failed);
}

static void provenance_of(const experiment *e, sp_text *out)
{
    static const char *const shown[] = { "commit", "command", "compiler", "flags", "cpu" };
    const sp_table *p = &e->provenance;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const size_t c = sp_table_column(p, shown[i]);
        if (c == p->columns || p->rows == 0)
            continue;
        sp_text_append(out, "<dt>%c%s</dt><dd>", shown[i][0] - 'a' + 'A', shown[i] + 1);
        for (size_t row = 0; row < p->rows; row++)
            if (row == 0 || strcmp(sp_table_text(p, row, c), sp_table_text(p, row - 1, c)) != 0) {
                sp_text_add_text(out, row > 0 ? "; " : "");
                sp_html_text(out, sp_table_text(p, row, c));
            }
        sp_text_add_text(out, "</dd>\n");
    }
}

static sp_status script_of(const experiment *e, sp_text *out, sp_error *error)
{
    char *bytes;
    size_t size;
    const sp_status status = sp_html_read(e->of->plan->path, &bytes, &size, error);
    if (status == SP_OK) {
        sp_text_add_text(out, "<details><summary>The experiment's text</summary>\n<pre tabindex=\"0\">");
        sp_html_text(out, bytes);
        sp_text_add_text(out, "</pre></details>\n");
    }
    free(bytes);
    return status;
}

static sp_status show_experiment(const experiment *e, void (*say)(const char *line), sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_plan *plan = e->of->plan;
    sp_text_add_text(out, "<section aria-labelledby=\"experiment-");
    sp_html_id(out, plan->name);
    sp_text_add_text(out, "\">\n<h3 id=\"experiment-");
    sp_html_id(out, plan->name);
    sp_text_add_text(out, "\">");
    sp_html_text(out, plan->name);
    sp_text_add_text(out, "</h3>\n");
    paragraph(out, "", plan->question);
    paragraph(out, "After: ", plan->source);
    claims_of(e, out);
    SP_TRY(figures_of(e, say, out, error));
    SP_TRY(tables_of(e, out, error));
    sp_text_add_text(out, "<dl>\n");
    spent(e, out);
    audits_of(e, out);
    provenance_of(e, out);
    sp_text_add_text(out, "</dl>\n");
    SP_TRY(script_of(e, out, error));
    sp_text_add_text(out, "</section>\n");
cleanup:
    return status;
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

/* Does some cell of the experiment run it? */
static bool runs_method(const experiment *e, const char *name)
{
    const sp_table *t = &e->runs.cells;
    const size_t column = sp_table_column(t, "algorithm");
    for (size_t row = 0; row < t->rows && column < t->columns; row++)
        if (strcmp(sp_table_text(t, row, column), name) == 0)
            return true;
    return false;
}

/* Is it the label of a method of that name, in this sweep? */
static bool is_label_of(const experiment *e, const char *sweep, const char *label, const char *name)
{
    const sp_table *t = &e->runs.cells;
    const size_t at[] = { sp_table_column(t, "sweep"), sp_table_column(t, "label"), sp_table_column(t, "algorithm") };
    const char *const wanted[] = { sweep, label, name };
    for (size_t row = 0; row < t->rows; row++) {
        bool same = true;
        for (size_t k = 0; k < sizeof at / sizeof *at && same; k++)
            same = at[k] < t->columns && strcmp(sp_table_text(t, row, at[k]), wanted[k]) == 0;
        if (same)
            return true;
    }
    return false;
}

static sp_report_place place_of(const experiment *e, const char *name)
{
    sp_report_place place = { .experiment = e->of->plan->name };
    for (size_t row = 0; row < e->fits.rows; row++) {
        if (strcmp(fit_text(e, row, ORIGIN), "theorem") != 0 ||
            !is_label_of(e, fit_text(e, row, SWEEP), fit_text(e, row, LABEL), name))
            continue;
        place.claims++;
        place.agree += strcmp(fit_text(e, row, WORD), "AGREES") == 0;
    }
    return place;
}

static sp_status show_methods(const experiment *e, size_t count, const char *manual, sp_text *out, sp_error *error)
{
    sp_report_place *place = sp_alloc(count + 1, sizeof *place);
    if (!place)
        return sp_fail(error, SP_ENOMEM, "out of memory");
    sp_text_add_text(out, "<section aria-labelledby=\"methods\">\n<h2 id=\"methods\">Methods</h2>\n");
    for (size_t k = 0; k < sp_algorithm_count; k++) {
        size_t places = 0;
        for (size_t i = 0; i < count; i++)
            if (runs_method(&e[i], sp_algorithms[k]->name))
                place[places++] = place_of(&e[i], sp_algorithms[k]->name);
        if (places > 0)
            sp_report_method(sp_algorithms[k], place, places, manual, out);
    }
    sp_text_add_text(out, "</section>\n");
    free(place);
    return SP_OK;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void contents(const experiment *e, size_t count, sp_text *out)
{
    sp_text_add_text(out, "<nav aria-label=\"Contents\"><ul>\n<li><a href=\"#verdicts\">Verdicts</a></li>\n");
    for (size_t i = 0; i < count; i++) {
        sp_text_add_text(out, "<li>");
        link_to(out, "experiment", e[i].of->plan->name);
        sp_text_add_text(out, "</li>\n");
    }
    sp_text_add_text(out, "<li><a href=\"#methods\">Methods</a></li>\n</ul></nav>\n");
}

/* The shapes of points, of the first figure that was drawn. */
static void shapes(const experiment *e, size_t count, sp_text *out)
{
    sp_error none = { 0 };
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < e[i].of->plan->figures; k++) {
            char *svg = sp_format("%s/%s.svg", e[i].of->plots, e[i].of->plan->figure[k].name);
            const bool done = svg && sp_html_shapes(svg, out, &none) == SP_OK;
            free(svg);
            if (done)
                return;
        }
}

sp_status sp_report(const sp_reported *of, size_t count, const char *made_by, const char *manual,
                    void (*say)(const char *line), sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    experiment *e = sp_alloc(count + 1, sizeof *e);
    if (!e)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    for (size_t i = 0; i < count; i++)
        SP_TRY(open_experiment(&of[i], &e[i], error));
    sp_html_begin(out, "Stillpoint: private non-convex optimisation, measured against its theorems");
    shapes(e, count, out);
    sp_text_add_text(out, "<header>\n<h1>Private non-convex optimisation, measured against its theorems</h1>\n"
                          "<p>What experiments of Stillpoint have shown: whether the exponents that theorems claim are "
                          "there, which method leaves less, and what each run was made by.");
    if (manual) {
        sp_text_add_text(out, " ");
        sp_report_link(manual, "README.html", "The manual", out);
        sp_text_add_text(out, " says how they are made, and how one is asked.");
    }
    sp_text_add_text(out, "</p>\n");
    contents(e, count, out);
    sp_text_add_text(out, "</header>\n<main id=\"content\">\n");
    all_verdicts(e, count, manual, out);
    sp_text_add_text(out, "<h2 id=\"experiments\">Experiments</h2>\n");
    for (size_t i = 0; i < count; i++)
        SP_TRY(show_experiment(&e[i], say, out, error));
    SP_TRY(show_methods(e, count, manual, out, error));
    sp_text_add_text(out, "</main>\n<footer><p>");
    sp_html_text(out, made_by);
    sp_text_add_text(out, "</p></footer>\n");
    sp_html_end(out);
    if (out->failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "the report: out of memory"));
cleanup:
    for (size_t i = 0; e && i < count; i++)
        close_experiment(&e[i]);
    free(e);
    return status;
}
